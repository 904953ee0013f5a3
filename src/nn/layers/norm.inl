/* norm.inl -- the body of norm.c, for one type of number. */

/* ---- batch norm ------------------------------------------------------------------------- */

/* Of each channel of the batch: mean, 1 / deviation; back: means of dy and of dy x^. */
static smr_nn_needs L(needs_norm)(const smr_nn_node *node, const smr_nn_item *in, int64_t chunk,
                                  int64_t rows, bool training)
{
    smr_nn_needs needs = {.scratch = 2 * in[0].c * (int64_t)sizeof(R)};
    (void)node;
    (void)chunk;
    (void)rows;
    if (!training) return needs;
    needs.found = 4 * in[0].c * (int64_t)sizeof(double);
    needs.settles = smr_block_count(in[0].c, SETTLED);
    return needs;
}

static int64_t L(first_statistic)(const smr_nn_pass *p)
{
    return p->node->layout.n_weights - 2;
}

static void L(settle_forward)(const smr_nn_pass *p, int64_t lo, int64_t hi)
{
    const struct norm_params *params = p->node->params;
    int64_t c = p->in[0].c, places = p->n * p->in[0].h * p->in[0].w;
    const R *x = p->x[0];
    double *mean = p->found, *inverse = mean + c, sum[SETTLED] = {0}, square[SETTLED] = {0};
    for (int64_t i = 0; i < places; i++)
        for (int64_t k = lo; k < hi; k++) sum[k - lo] += (double)x[i * c + k];
    for (int64_t k = lo; k < hi; k++) mean[k] = sum[k - lo] / (double)places;
    for (int64_t i = 0; i < places; i++)
        for (int64_t k = lo; k < hi; k++) {
            double away = (double)x[i * c + k] - mean[k];
            square[k - lo] += away * away;
        }
    R *run_mean = p->w[L(first_statistic)(p)], *run_variance = p->w[L(first_statistic)(p) + 1];
    for (int64_t k = lo; k < hi; k++) {
        double free = (double)SMR_MAX(places - 1, 1);
        inverse[k] = 1 / sqrt(square[k - lo] / (double)places + params->eps);
        run_mean[k] += (R)(params->momentum * (mean[k] - (double)run_mean[k]));
        run_variance[k] +=
            (R)(params->momentum * (square[k - lo] / free - (double)run_variance[k]));
    }
}

static void L(settle_backward)(const smr_nn_pass *p, int64_t lo, int64_t hi)
{
    const struct norm_params *params = p->node->params;
    int64_t c = p->in[0].c, places = p->n * p->in[0].h * p->in[0].w;
    const R *x = p->x[0], *dy = p->dy;
    double *mean = p->found, *inverse = mean + c, *of_dy = inverse + c, *of_both = of_dy + c;
    double sum[SETTLED] = {0}, both[SETTLED] = {0};
    for (int64_t i = 0; i < places; i++)
        for (int64_t k = lo; k < hi; k++) {
            double d = (double)dy[i * c + k];
            sum[k - lo] += d;
            both[k - lo] += d * (((double)x[i * c + k] - mean[k]) * inverse[k]);
        }
    for (int64_t k = lo; k < hi; k++) {
        of_dy[k] = sum[k - lo] / (double)places;
        of_both[k] = both[k - lo] / (double)places;
        if (!params->affine) continue;
        ((R *)p->g[0])[k] = (R)both[k - lo];
        ((R *)p->g[1])[k] = (R)sum[k - lo];
    }
}

static void L(settle_norm)(const smr_nn_pass *p, bool back, int64_t tile)
{
    int64_t lo = tile * SETTLED, hi = smr_block_end(p->in[0].c, SETTLED, tile);
    if (back)
        L(settle_backward)(p, lo, hi);
    else
        L(settle_forward)(p, lo, hi);
}

/* y = x a + b, in each channel. */
static void L(forward_norm)(const smr_nn_pass *p)
{
    const struct norm_params *params = p->node->params;
    int64_t c = p->in[0].c;
    const R *scale = params->affine ? p->w[0] : NULL, *shift = params->affine ? p->w[1] : NULL;
    const R *run_mean = p->w[L(first_statistic)(p)], *run_var = p->w[L(first_statistic)(p) + 1];
    const double *mean = p->found, *inverse = p->training ? mean + c : NULL;
    R *a = p->scratch, *b = a + c;
    for (int64_t k = 0; k < c; k++) {
        double m = p->training ? mean[k] : (double)run_mean[k];
        double by = p->training ? inverse[k] : 1 / sqrt((double)run_var[k] + params->eps);
        double s = by * (scale ? (double)scale[k] : 1);
        a[k] = (R)s;
        b[k] = (R)((shift ? (double)shift[k] : 0) - m * s);
    }
    K(affine)(p->n * p->in[0].h * p->in[0].w, c, p->x[0], a, b, p->y);
}

static void L(backward_norm)(const smr_nn_pass *p)
{
    const struct norm_params *params = p->node->params;
    int64_t c = p->in[0].c, places = p->n * p->in[0].h * p->in[0].w;
    const R *scale = params->affine ? p->w[0] : NULL, *x = p->x[0], *dy = p->dy;
    const double *mean = p->found, *inverse = mean + c, *of_dy = inverse + c;
    const double *of_both = of_dy + c;
    R *dx = p->dx[0];
    for (int64_t i = 0; dx && i < places; i++)
        for (int64_t k = 0; k < c; k++) {
            R hat = (R)(((double)x[i * c + k] - mean[k]) * inverse[k]);
            R d = dy[i * c + k] - (R)of_dy[k] - hat * (R)of_both[k];
            dx[i * c + k] += d * (R)inverse[k] * (scale ? scale[k] : 1);
        }
}

static const smr_nn_code L(code_norm) = {
    .needs = L(needs_norm),
    .forward = L(forward_norm),
    .backward = L(backward_norm),
    .settle = L(settle_norm),
};

/* ---- local response --------------------------------------------------------------------- */

/* k + alpha / n times the sum of squares around channel c. */
static R L(strength)(const struct norm_params *p, const R *x, int64_t channels, int64_t c)
{
    int64_t half = p->n / 2, lo = SMR_MAX(0, c - half), hi = SMR_MIN(channels, c - half + p->n);
    R sum = 0;
    for (int64_t j = lo; j < hi; j++) sum += x[j] * x[j];
    return (R)p->k + (R)(p->alpha / (double)p->n) * sum;
}

static void L(forward_lrn)(const smr_nn_pass *p)
{
    const struct norm_params *params = p->node->params;
    int64_t c = p->in[0].c, places = p->n * p->in[0].h * p->in[0].w;
    const R *x = p->x[0];
    R *y = p->y;
    for (int64_t i = 0; i < places; i++, x += c, y += c)
        for (int64_t k = 0; k < c; k++)
            y[k] = x[k] * (R)smr_pow((double)L(strength)(params, x, c, k), -params->beta);
}

/* dx_j = dy_j s_j^-beta - 2 alpha beta / n x_j sum_c dy_c y_c / s_c, c the channels that see j. */
static void L(backward_lrn)(const smr_nn_pass *p)
{
    const struct norm_params *params = p->node->params;
    int64_t c = p->in[0].c, places = p->n * p->in[0].h * p->in[0].w, half = params->n / 2;
    const R *x = p->x[0], *y = p->y, *dy = p->dy;
    const R rate = (R)(2 * params->alpha * params->beta / (double)params->n);
    R *dx = p->dx[0];
    for (int64_t i = 0; dx && i < places; i++, x += c, y += c, dy += c, dx += c)
        for (int64_t k = 0; k < c; k++) {
            R s = L(strength)(params, x, c, k), pull = rate * dy[k] * y[k] / s;
            dx[k] += dy[k] * (R)smr_pow((double)s, -params->beta);
            int64_t lo = SMR_MAX(0, k - half), hi = SMR_MIN(c, k - half + params->n);
            for (int64_t j = lo; j < hi; j++) dx[j] -= pull * x[j];
        }
}

static const smr_nn_code L(code_lrn) = {.forward = L(forward_lrn), .backward = L(backward_lrn)};

/* ---- dropout ---------------------------------------------------------------------------- */

/* to = to add + from mask / (1 - rate): the same numbers are kept on the way back. */
static void L(drop)(const smr_nn_pass *p, const R *from, R *to, bool adds)
{
    const struct norm_params *params = p->node->params;
    int64_t size = smr_nn_item_size(p->in[0]);
    const uint32_t limit = (uint32_t)SMR_MIN(params->rate * 0x1p32, 0x1p32 - 1);
    const R grow = (R)(1 / (1 - params->rate));
    uint64_t stream = p->step * 65536 + (uint64_t)p->number;
    uint32_t bits[4] = {0};
    for (int64_t r = 0; r < p->n; r++, from += size, to += size)
        for (int64_t i = 0; i < size; i++) {
            uint64_t at = (uint64_t)((p->first + r) * ((size + 3) / 4) + i / 4);
            if (i % 4 == 0) smr_philox(p->seed, SMR_STREAM_DROPOUT, stream, at, bits);
            R v = bits[i % 4] >= limit ? from[i] * grow : 0;
            to[i] = adds ? to[i] + v : v;
        }
}

static void L(forward_dropout)(const smr_nn_pass *p)
{
    const struct norm_params *params = p->node->params;
    if (p->training && params->rate > 0)
        L(drop)(p, p->x[0], p->y, false);
    else
        memcpy(p->y, p->x[0], (size_t)(p->n * smr_nn_item_size(p->in[0])) * sizeof(R));
}

static void L(backward_dropout)(const smr_nn_pass *p)
{
    const struct norm_params *params = p->node->params;
    if (!p->dx[0]) return;
    if (params->rate > 0)
        L(drop)(p, p->dy, p->dx[0], true);
    else
        K(add)(p->n * smr_nn_item_size(p->in[0]), p->dy, p->dx[0]);
}

static const smr_nn_code L(code_dropout) = {.forward = L(forward_dropout),
                                            .backward = L(backward_dropout)};

static void L(forward_flatten)(const smr_nn_pass *p)
{
    memcpy(p->y, p->x[0], (size_t)(p->n * smr_nn_item_size(p->in[0])) * sizeof(R));
}

static void L(backward_flatten)(const smr_nn_pass *p)
{
    if (p->dx[0]) K(add)(p->n * smr_nn_item_size(p->in[0]), p->dy, p->dx[0]);
}

static const smr_nn_code L(code_flatten) = {.forward = L(forward_flatten),
                                            .backward = L(backward_flatten)};
