/* over_time.inl -- the body of over_time.c, for one type of number. */

static void L(forward_last)(const smr_nn_pass *p)
{
    int64_t d = smr_nn_step_size(p->in[0]), T = p->in[0].h;
    const R *x = p->x[0];
    R *y = p->y;
    for (int64_t b = 0; b < p->n; b++, y += d) {
        int64_t n = counted(p, b);
        if (n > 0)
            memcpy(y, x + (b * T + n - 1) * d, (size_t)d * sizeof(R));
        else
            memset(y, 0, (size_t)d * sizeof(R));
    }
}

static void L(backward_last)(const smr_nn_pass *p)
{
    int64_t d = smr_nn_step_size(p->in[0]), T = p->in[0].h;
    const R *dy = p->dy;
    R *dx = p->dx[0];
    for (int64_t b = 0; dx && b < p->n; b++, dy += d) {
        int64_t n = counted(p, b);
        if (n > 0) K(add)(d, dy, dx + (b * T + n - 1) * d);
    }
}

static void L(forward_mean)(const smr_nn_pass *p)
{
    int64_t d = smr_nn_step_size(p->in[0]), T = p->in[0].h;
    R *y = p->y;
    for (int64_t b = 0; b < p->n; b++, y += d) {
        int64_t n = counted(p, b);
        memset(y, 0, (size_t)d * sizeof(R));
        K(add_rows)(n, d, (const R *)p->x[0] + b * T * d, y);
        for (int64_t k = 0; n > 0 && k < d; k++) y[k] /= (R)n;
    }
}

static void L(backward_mean)(const smr_nn_pass *p)
{
    int64_t d = smr_nn_step_size(p->in[0]), T = p->in[0].h;
    const R *dy = p->dy;
    R *dx = p->dx[0];
    for (int64_t b = 0; dx && b < p->n; b++, dy += d) {
        int64_t n = counted(p, b);
        for (int64_t t = 0; t < n; t++)
            for (int64_t k = 0; k < d; k++) dx[(b * T + t) * d + k] += dy[k] / (R)n;
    }
}

static int64_t L(largest)(const R *x, int64_t d, int64_t n)
{
    int64_t best = 0;
    for (int64_t t = 1; t < n; t++) best = x[t * d] > x[best * d] ? t : best;
    return best;
}

static void L(forward_max)(const smr_nn_pass *p)
{
    int64_t d = smr_nn_step_size(p->in[0]), T = p->in[0].h;
    R *y = p->y;
    for (int64_t b = 0; b < p->n; b++, y += d) {
        const R *x = (const R *)p->x[0] + b * T * d;
        int64_t n = counted(p, b);
        memset(y, 0, (size_t)d * sizeof(R));
        if (n > 0) memcpy(y, x, (size_t)d * sizeof(R));
        for (int64_t t = 1; t < n; t++)
            for (int64_t k = 0; k < d; k++) y[k] = x[t * d + k] > y[k] ? x[t * d + k] : y[k];
    }
}

static void L(backward_max)(const smr_nn_pass *p)
{
    int64_t d = smr_nn_step_size(p->in[0]), T = p->in[0].h;
    const R *dy = p->dy;
    R *dx = p->dx[0];
    for (int64_t b = 0; dx && b < p->n; b++, dy += d) {
        const R *x = (const R *)p->x[0] + b * T * d;
        int64_t n = counted(p, b);
        for (int64_t k = 0; n > 0 && k < d; k++)
            dx[(b * T + L(largest)(x + k, d, n)) * d + k] += dy[k];
    }
}

static const smr_nn_code L(code_last) = {.forward = L(forward_last), .backward = L(backward_last)};
static const smr_nn_code L(code_mean) = {.forward = L(forward_mean), .backward = L(backward_mean)};
static const smr_nn_code L(code_max) = {.forward = L(forward_max), .backward = L(backward_max)};
