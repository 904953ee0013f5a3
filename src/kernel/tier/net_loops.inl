/* net_loops.inl -- the body of net_loops.c, for one type of number. */

/* ---- activations ------------------------------------------------------------------------ */

#define EACH(expression)              \
    for (int64_t i = 0; i < n; i++) { \
        const R v = x[i];             \
        y[i] = (expression);          \
    }                                 \
    break

void F(bend)(smr_bend kind, double a_, int64_t n, const R *x, R *y)
{
    const R a = (R)a_;
    switch (kind) {
    case SMR_BEND_THRESHOLD: EACH((R)(v > 0));
    case SMR_BEND_SIGMOID: EACH(SIGMOID(a * v));
    case SMR_BEND_TANH: EACH(TANH(v));
    case SMR_BEND_RELU: EACH(v > 0 ? v : v != v ? v : 0);
    case SMR_BEND_LEAKY: EACH(v > 0 ? v : a * v);
    case SMR_BEND_ELU: EACH(v > 0 ? v : a * EXPM1(v));
    }
}
#undef EACH

#define EACH(slope)                         \
    for (int64_t i = 0; i < n; i++) {       \
        const R v = x[i], f = y[i];         \
        (void)v;                            \
        (void)f;                            \
        dx[i] = FMA(dy[i], (slope), dx[i]); \
    }                                       \
    break

void F(bend_back)(smr_bend kind, double a_, int64_t n, const R *x, const R *y, const R *dy, R *dx)
{
    const R a = (R)a_;
    switch (kind) {
    case SMR_BEND_THRESHOLD: EACH((R)(v >= -1 && v <= 1));
    case SMR_BEND_SIGMOID: EACH(a * f * (1 - f));
    case SMR_BEND_TANH: EACH((1 - f) * (1 + f));
    case SMR_BEND_RELU: EACH((R)(f > 0));
    case SMR_BEND_LEAKY: EACH(v > 0 ? (R)1 : a);
    case SMR_BEND_ELU: EACH(v > 0 ? (R)1 : f + a);
    }
}
#undef EACH

void F(shares)(int64_t rows, int64_t c, const R *x, R *y)
{
    for (int64_t r = 0; r < rows; r++, x += c, y += c) {
        R most = x[0], sum = 0;
        for (int64_t k = 1; k < c; k++) most = x[k] > most ? x[k] : most;
        for (int64_t k = 0; k < c; k++) y[k] = EXP(x[k] - most);
        for (int64_t k = 0; k < c; k++) sum += y[k];
        for (int64_t k = 0; k < c; k++) y[k] /= sum;
    }
}

/* ---- rows ------------------------------------------------------------------------------- */

void F(add)(int64_t n, const R *x, R *y)
{
    for (int64_t i = 0; i < n; i++) y[i] += x[i];
}

void F(add_rows)(int64_t rows, int64_t n, const R *x, R *y)
{
    for (int64_t r = 0; r < rows; r++)
        for (int64_t i = 0; i < n; i++) y[i] += x[r * n + i];
}

void F(put_rows)(int64_t rows, int64_t n, const R *x, R *y)
{
    for (int64_t r = 0; r < rows; r++) memcpy(y + r * n, x, (size_t)n * sizeof *x);
}

void F(affine)(int64_t rows, int64_t c, const R *x, const R *scale, const R *shift, R *y)
{
    for (int64_t r = 0; r < rows; r++)
        for (int64_t k = 0; k < c; k++) y[r * c + k] = FMA(x[r * c + k], scale[k], shift[k]);
}

/* ---- pools ------------------------------------------------------------------------------ */

/* The part of window (r, s) that lies in the picture. */
INLINE void L(inside)(const smr_nn_pool *p, int64_t r, int64_t s, int64_t lo[2], int64_t hi[2])
{
    const int64_t at[2] = {r * p->stride[0] - p->pad[0], s * p->stride[1] - p->pad[1]};
    const int64_t side[2] = {p->h, p->w};
    for (int k = 0; k < 2; k++) {
        lo[k] = at[k] > 0 ? at[k] : 0;
        hi[k] = at[k] + p->size[k] < side[k] ? at[k] + p->size[k] : side[k];
    }
}

/* The largest numbers of one window; at NULL: not where. */
INLINE void L(max_window)(const smr_nn_pool *p, const int64_t lo[2], const int64_t hi[2],
                          const R *x, R *y, int32_t *at)
{
    const int64_t c = p->c, width = hi[1] - lo[1], n = (hi[0] - lo[0]) * width;
    for (int64_t e = 0; e < n; e++) {
        const int64_t place = (lo[0] + e / width) * p->w + lo[1] + e % width;
        const R *from = x + place * c;
        if (e == 0) memcpy(y, from, (size_t)c * sizeof *y);
        for (int64_t k = 0; at && k < c; k++)
            at[k] = e == 0 || from[k] > y[k] ? (int32_t)place : at[k];
        for (int64_t k = 0; k < c; k++) y[k] = from[k] > y[k] ? from[k] : y[k];
    }
}

void F(pool_max)(const smr_nn_pool *p, const R *x, R *y, int32_t *at)
{
    int64_t lo[2], hi[2];
    for (int64_t r = 0; r < p->out_h; r++)
        for (int64_t s = 0; s < p->out_w; s++, y += p->c) {
            L(inside)(p, r, s, lo, hi);
            L(max_window)(p, lo, hi, x, y, at);
            if (at) at += p->c;
        }
}

INLINE R L(share)(const smr_nn_pool *p, const int64_t lo[2], const int64_t hi[2])
{
    return 1 / (R)(p->padding ? p->size[0] * p->size[1] : (hi[0] - lo[0]) * (hi[1] - lo[1]));
}

INLINE void L(mean_window)(const smr_nn_pool *p, const int64_t lo[2], const int64_t hi[2],
                           const R *x, R *y)
{
    const int64_t c = p->c, width = hi[1] - lo[1], n = (hi[0] - lo[0]) * width;
    const R share = L(share)(p, lo, hi);
    for (int64_t k = 0; k < c; k++) y[k] = 0;
    for (int64_t e = 0; e < n; e++) {
        const R *from = x + ((lo[0] + e / width) * p->w + lo[1] + e % width) * c;
        for (int64_t k = 0; k < c; k++) y[k] += from[k];
    }
    for (int64_t k = 0; k < c; k++) y[k] *= share;
}

void F(pool_mean)(const smr_nn_pool *p, const R *x, R *y)
{
    int64_t lo[2], hi[2];
    for (int64_t r = 0; r < p->out_h; r++)
        for (int64_t s = 0; s < p->out_w; s++, y += p->c) {
            L(inside)(p, r, s, lo, hi);
            L(mean_window)(p, lo, hi, x, y);
        }
}

INLINE void L(mean_window_back)(const smr_nn_pool *p, const int64_t lo[2], const int64_t hi[2],
                                const R *dy, R *dx)
{
    const int64_t c = p->c, width = hi[1] - lo[1], n = (hi[0] - lo[0]) * width;
    const R share = L(share)(p, lo, hi);
    for (int64_t e = 0; e < n; e++) {
        R *to = dx + ((lo[0] + e / width) * p->w + lo[1] + e % width) * c;
        for (int64_t k = 0; k < c; k++) to[k] = FMA(dy[k], share, to[k]);
    }
}

void F(pool_mean_back)(const smr_nn_pool *p, const R *dy, R *dx)
{
    int64_t lo[2], hi[2];
    for (int64_t r = 0; r < p->out_h; r++)
        for (int64_t s = 0; s < p->out_w; s++, dy += p->c) {
            L(inside)(p, r, s, lo, hi);
            L(mean_window_back)(p, lo, hi, dy, dx);
        }
}

/* ---- steps ------------------------------------------------------------------------------ */

#define EACH(body)                                     \
    for (int64_t i = 0; i < n; i++) {                  \
        R d = g[i] * scale;                            \
        d = FMA(decay, w[i], d);                       \
        d = w[i] > 0 ? d + l1 : w[i] < 0 ? d - l1 : d; \
        R now = FMA(-shrink, w[i], w[i]);              \
        body;                                          \
        w[i] = now;                                    \
    }                                                  \
    break

void F(step)(const smr_nn_step *s, int64_t n, const R *g, R *w, R *v, R *u)
{
    const R rate = (R)s->rate, a = (R)s->a, b = (R)s->b, eps = (R)s->eps, grow = (R)s->grow;
    const R scale = (R)s->scale, decay = (R)s->decay, l1 = (R)s->l1, shrink = (R)s->shrink;
    switch (s->kind) {
    case SMR_STEP_SGD: EACH(now = FMA(-rate, d, now));
    case SMR_STEP_MOMENTUM: EACH(v[i] = FMA(a, v[i], d); now = FMA(-rate, v[i], now));
    case SMR_STEP_NESTEROV: EACH(v[i] = FMA(a, v[i], d); now = FMA(-rate, FMA(a, v[i], d), now));
    case SMR_STEP_ADAGRAD:
        EACH(u[i] = FMA(d, d, u[i]); now = FMA(-rate, d / (SQRT(u[i]) + eps), now));
    case SMR_STEP_RMSPROP:
        EACH(u[i] = FMA(1 - b, d * d, b * u[i]); now = FMA(-rate, d / (SQRT(u[i]) + eps), now));
    case SMR_STEP_ADAM:
        EACH(v[i] = FMA(1 - a, d, a * v[i]); u[i] = FMA(1 - b, d * d, b * u[i]);
             now = FMA(-rate, v[i] / (SQRT(u[i] * grow) + eps), now));
    }
}
#undef EACH

/* ---- steps in time ---------------------------------------------------------------------- */

void F(cell)(smr_cell_kind kind, int64_t h, R *z, const R *was, R *state, R *y)
{
    R *a = z, *b = z + h, *c = z + 2 * h, *d = z + 3 * h;
    switch (kind) {
    case SMR_CELL_RNN:
        ONE_BY_ONE
        for (int64_t k = 0; k < h; k++) y[k] = TANH(a[k]);
        break;
    case SMR_CELL_LSTM:
        ONE_BY_ONE
        for (int64_t k = 0; k < h; k++) {
            const R in = SIGMOID(a[k]), keep = SIGMOID(b[k]), g = TANH(c[k]), out = SIGMOID(d[k]);
            const R now = FMA(keep, was[k], in * g);
            a[k] = in;
            b[k] = keep;
            c[k] = g;
            d[k] = out;
            state[k] = now;
            y[k] = out * TANH(now);
        }
        break;
    case SMR_CELL_GRU:
        ONE_BY_ONE
        for (int64_t k = 0; k < h; k++) {
            const R r = SIGMOID(a[k]), u = SIGMOID(b[k]), m = TANH(FMA(r, c[k], d[k]));
            const R now = FMA(u, was[k] - m, m);
            a[k] = r;
            b[k] = u;
            d[k] = m;
            y[k] = now;
        }
        break;
    }
}

void F(cell_back)(smr_cell_kind kind, int64_t h, R *z, const R *was, const R *state, R *dy,
                  R *dstate)
{
    R *a = z, *b = z + h, *c = z + 2 * h, *d = z + 3 * h;
    switch (kind) {
    case SMR_CELL_RNN:
        ONE_BY_ONE
        for (int64_t k = 0; k < h; k++) {
            a[k] = dy[k] * ((1 - state[k]) * (1 + state[k]));
            dy[k] = 0;
        }
        break;
    case SMR_CELL_LSTM:
        ONE_BY_ONE
        for (int64_t k = 0; k < h; k++) {
            const R in = a[k], keep = b[k], g = c[k], out = d[k], bent = TANH(state[k]);
            const R dc = FMA(dy[k] * out, (1 - bent) * (1 + bent), dstate[k]);
            a[k] = dc * g * (in * (1 - in));
            b[k] = dc * was[k] * (keep * (1 - keep));
            c[k] = dc * in * ((1 - g) * (1 + g));
            d[k] = dy[k] * bent * (out * (1 - out));
            dstate[k] = dc * keep;
            dy[k] = 0;
        }
        break;
    case SMR_CELL_GRU:
        ONE_BY_ONE
        for (int64_t k = 0; k < h; k++) {
            const R r = a[k], u = b[k], m = d[k];
            const R dm = dy[k] * (1 - u) * ((1 - m) * (1 + m));
            a[k] = dm * c[k] * (r * (1 - r));
            b[k] = dy[k] * (was[k] - m) * (u * (1 - u));
            c[k] = dm * r;
            d[k] = dm;
            dy[k] *= u;
        }
        break;
    }
}
