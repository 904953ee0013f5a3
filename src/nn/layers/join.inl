/* join.inl -- the body of join.c, for one type of number. */

static void L(forward_concat)(const smr_nn_pass *p)
{
    int64_t places = p->n * p->node->layout.out.h * p->node->layout.out.w;
    int64_t all = p->node->layout.out.c, at = 0;
    R *y = p->y;
    for (int64_t k = 0; k < p->node->n_from; at += p->in[k++].c) {
        const R *x = p->x[k];
        int64_t c = p->in[k].c;
        for (int64_t i = 0; i < places; i++)
            memcpy(y + i * all + at, x + i * c, (size_t)c * sizeof *y);
    }
}

static void L(backward_concat)(const smr_nn_pass *p)
{
    int64_t places = p->n * p->node->layout.out.h * p->node->layout.out.w;
    int64_t all = p->node->layout.out.c, at = 0;
    const R *dy = p->dy;
    for (int64_t k = 0; k < p->node->n_from; at += p->in[k++].c) {
        R *dx = p->dx[k];
        int64_t c = p->in[k].c;
        for (int64_t i = 0; dx && i < places; i++)
            for (int64_t j = 0; j < c; j++) dx[i * c + j] += dy[i * all + at + j];
    }
}

static void L(forward_residual)(const smr_nn_pass *p)
{
    int64_t n = p->n * smr_nn_item_size(p->node->layout.out);
    memcpy(p->y, p->x[0], (size_t)n * sizeof(R));
    K(add)(n, p->x[1], p->y);
}

static void L(backward_residual)(const smr_nn_pass *p)
{
    int64_t n = p->n * smr_nn_item_size(p->node->layout.out);
    for (int k = 0; k < 2; k++)
        if (p->dx[k]) K(add)(n, p->dy, p->dx[k]);
}

static const smr_nn_code L(code_concat) = {.forward = L(forward_concat),
                                           .backward = L(backward_concat)};
static const smr_nn_code L(code_residual) = {.forward = L(forward_residual),
                                             .backward = L(backward_residual)};
