/* activation.inl -- the body of activation.c, for one type of number. */

static void L(forward)(const smr_nn_pass *p)
{
    const struct activation_params *params = p->node->params;
    K(bend)
    (bend_of(p->node), steepness(params, p->node), p->n * smr_nn_item_size(p->in[0]), p->x[0],
     p->y);
}

static void L(backward)(const smr_nn_pass *p)
{
    const struct activation_params *params = p->node->params;
    if (p->dx[0]) K(bend_back)
    (bend_of(p->node), steepness(params, p->node), p->n * smr_nn_item_size(p->in[0]), p->x[0], p->y,
     p->dy, p->dx[0]);
}

static void L(forward_softmax)(const smr_nn_pass *p)
{
    int64_t c = p->in[0].c;
    K(shares)(p->n * p->in[0].h * p->in[0].w, c, p->x[0], p->y);
}

/* dx_k = y_k (dy_k - sum_j dy_j y_j) */
static void L(backward_softmax)(const smr_nn_pass *p)
{
    int64_t c = p->in[0].c, places = p->n * p->in[0].h * p->in[0].w;
    const R *y = p->y, *dy = p->dy;
    R *dx = p->dx[0];
    for (int64_t i = 0; dx && i < places; i++, y += c, dy += c, dx += c) {
        R sum = 0;
        for (int64_t k = 0; k < c; k++) sum += dy[k] * y[k];
        for (int64_t k = 0; k < c; k++) dx[k] += y[k] * (dy[k] - sum);
    }
}

static const smr_nn_code L(code_threshold) = {.forward = L(forward), .backward = L(backward)};
static const smr_nn_code L(code_sigmoid) = {.forward = L(forward), .backward = L(backward)};
static const smr_nn_code L(code_logistic) = {.forward = L(forward), .backward = L(backward)};
static const smr_nn_code L(code_tanh) = {.forward = L(forward), .backward = L(backward)};
static const smr_nn_code L(code_relu) = {.forward = L(forward), .backward = L(backward)};
static const smr_nn_code L(code_leaky) = {.forward = L(forward), .backward = L(backward)};
static const smr_nn_code L(code_elu) = {.forward = L(forward), .backward = L(backward)};
static const smr_nn_code L(code_softmax) = {.forward = L(forward_softmax),
                                            .backward = L(backward_softmax)};
