/* qr_loops.c -- inner loops of least squares, once for each tier: see kernel/qr_kernels.h.
 *
 * The QR.
 * A reflector H = I - g v v' with v = (v0; t), t the tile's column, annihilates that column against
 * the diagonal of R:
 *
 *     beta = -sign(R_kk) sqrt(R_kk^2 + |t|^2),  v0 = R_kk - beta,  g = -1 / (beta v0)           (1)
 *     f_j = g (v0 R_kj + t' a_j),   R_kj -= f_j v0,   a_j -= f_j t      for the columns j > k  (2)
 *
 * Two reflectors are applied at once: the second's vector is made first, then one sweep over the
 * remaining columns does both updates, which halves the loads and stores that bound (2).
 *
 * The residuals.  Numbers are pairs (high, low) with |low| far below |high|; a sum's and a
 * product's rounding errors are computed exactly (Knuth's two-sum; one fused operation) and
 * collected in low. Reference: Ogita, Rump & Oishi, SIAM J. Sci. Comput. 26(6):1955-1988,
 * 2005.
 *
 * Rows go in 8 lanes on every tier: lane l takes rows l, l + 8, ... in ascending order, by fused
 * multiply-adds, and a total is folded as lane l takes lane l + 4, l + 2, l + 1.  A column of a
 * tile is VECS vectors; vector r is part r % PARTS of the lanes. */
#include "kernel/tier/simd.h"
#include "kernel/tier/tier.h"
#include "kernel/tier/transpose.h"

#include <math.h>

typedef vec_f64 vec;

enum { W = LANES_f64, ROWS = SMR_QR_ROWS, VECS = ROWS / W, PARTS = SMR_QR_LANES / W };
/* Columns at a time: as many as there are registers for. */
enum { COLS = W == 8 ? 4 : W == 4 ? 3 : 1 };

INLINE double fold(const vec *sum)
{
    double s[SMR_QR_LANES];
    memcpy(s, sum, sizeof s);
    for (int half = SMR_QR_LANES / 2; half > 0; half /= 2)
        for (int l = 0; l < half; l++) s[l] += s[l + half];
    return s[0];
}

INLINE double dot(const vec *a, const vec *b)
{
    vec s[PARTS] = {{0}};
    UNROLL
    for (int r = 0; r < VECS; r++) s[r % PARTS] = fma_f64(a[r], b[r], s[r % PARTS]);
    return fold(s);
}

/* Makes (1) from R_kk and t; returns false when the column is already zero.  A dependent column may
 * leave a remainder whose square is nearly nothing: below TINY, beta v0 could vanish and g be
 * infinite, so such a remainder counts as zero too. */
static const double TINY = 0x1p-900;

static bool make_reflector(double *diagonal, const vec *t, double *v0, double *g)
{
    double sq = dot(t, t);
    if (sq == 0 || *diagonal * *diagonal + sq < TINY) return false;
    double alpha = *diagonal, beta = -copysign(sqrt(alpha * alpha + sq), alpha);
    *v0 = alpha - beta;
    *g = -1 / (beta * *v0);
    *diagonal = beta;
    return true;
}

/* (2) for one column. */
INLINE void reflect(const vec *t, double v0, double g, double *Rkj, vec *a)
{
    double f = g * (v0 * *Rkj + dot(t, a));
    *Rkj -= f * v0;
    vec minus = splat_f64(-f);
    UNROLL
    for (int r = 0; r < VECS; r++) a[r] = fma_f64(minus, t[r], a[r]);
}

/* (2) for two reflectors, t with (v0, g) then u with (w0, h), and n columns.  u' (a - f t) needs
 * t'u, which is the same for all columns. */
struct pair {
    const vec *t, *u;
    double v0, g, w0, h, tu;
};

INLINE void reflect_pair(const struct pair *p, const int n, double *Rk, double *Rl, vec *a)
{
    vec st[COLS][PARTS] = {{{0}}}, su[COLS][PARTS] = {{{0}}}, ft[COLS], fu[COLS];
    for (int r = 0; r < VECS; r += PARTS) {
        UNROLL
        for (int v = 0; v < PARTS; v++) {
            vec t = p->t[r + v], u = p->u[r + v];
            UNROLL
            for (int c = 0; c < n; c++) {
                vec x = a[c * VECS + r + v];
                st[c][v] = fma_f64(t, x, st[c][v]);
                su[c][v] = fma_f64(u, x, su[c][v]);
            }
        }
    }
    UNROLL
    for (int c = 0; c < n; c++) {
        double f = p->g * (p->v0 * Rk[c] + fold(st[c]));
        Rk[c] -= f * p->v0;
        double e = p->h * (p->w0 * Rl[c] + (fold(su[c]) - f * p->tu));
        Rl[c] -= e * p->w0;
        ft[c] = splat_f64(-f);
        fu[c] = splat_f64(-e);
    }
    for (int r = 0; r < VECS; r++) {
        vec t = p->t[r], u = p->u[r];
        UNROLL
        for (int c = 0; c < n; c++)
            a[c * VECS + r] = fma_f64(fu[c], u, fma_f64(ft[c], t, a[c * VECS + r]));
    }
}

static void reflect_rest(const struct pair *p, int64_t n, double *Rk, double *Rl, vec *a)
{
    int64_t j = 0;
    for (; j + COLS <= n; j += COLS) reflect_pair(p, COLS, Rk + j, Rl + j, a + j * VECS);
    for (; j < n; j++) reflect_pair(p, 1, Rk + j, Rl + j, a + j * VECS);
}

/* Asks for the cache lines of n numbers at an address that need not be valid. */
static void fetch(uintptr_t address, int64_t n)
{
    for (int64_t i = 0; i < n; i += 8)
        __builtin_prefetch((const void *)(address + (uintptr_t)i * sizeof(double)), 0, 3);
}

void TIER(qr_absorb)(int64_t d, double *R, double *tile, const double *from, int64_t n_from)
{
    vec *T = (vec *)(void *)tile;
    int64_t share = n_from / d * 2 + 8; /* a step does two columns */
    uintptr_t next = (uintptr_t)from + (uintptr_t)n_from * sizeof(double);
    for (int64_t k = 0; k < d; k++) {
        double *Rk = R + k * d, *Rl = Rk + d;
        int64_t n = n_from < share ? n_from : share;
        fetch(next, n);
        next += (uintptr_t)n * sizeof(double);
        n_from -= n;
        const vec *t = T + k * VECS, *u = t + VECS;
        struct pair p = {.t = t, .u = u};
        if (!make_reflector(&Rk[k], t, &p.v0, &p.g)) continue;
        if (k + 1 == d) break;
        reflect(t, p.v0, p.g, &Rk[k + 1], T + (k + 1) * VECS);
        if (make_reflector(&Rl[k + 1], u, &p.w0, &p.h)) {
            p.tu = dot(t, u);
            reflect_rest(&p, d - k - 2, Rk + k + 2, Rl + k + 2, T + (k + 2) * VECS);
            k++;
        } else {
            for (int64_t j = k + 2; j < d; j++) reflect(t, p.v0, p.g, &Rk[j], T + j * VECS);
        }
    }
}

/* ---- residuals in twice the precision ---- */

/* p + e = a b exactly. */
INLINE vec product_error(vec a, vec b, vec p)
{
    return fma_f64(a, b, -p);
}

/* (high, low) += a + more, where more is small. */
INLINE void add_pair(vec *high, vec *low, vec a, vec more)
{
    vec s = *high + a, b = s - *high;
    *low += ((*high - (s - b)) + (a - b)) + more;
    *high = s;
}

/* r = weight (y - X w) as pairs, and the rows' share of the sum of squares. */
static void weigh(const vec *weight, vec *high, vec *low, double *sum)
{
    vec total[PARTS] = {{0}}, rest[PARTS] = {{0}};
    for (int r = 0; r < VECS; r++) {
        vec h = high[r] + low[r], l = low[r] - (h - high[r]);
        vec p = h * weight[r];
        vec e = product_error(h, weight[r], p) + l * weight[r];
        vec sq = h * p;
        add_pair(&total[r % PARTS], &rest[r % PARTS], sq, product_error(h, p, sq) + h * e + l * p);
        high[r] = p;
        low[r] = e;
    }
    for (int v = 0; v < PARTS; v++) {
        vec h = load_f64(sum + v * W), l = load_f64(sum + SMR_QR_LANES + v * W);
        add_pair(&h, &l, total[v], rest[v]);
        store_f64(sum + v * W, h);
        store_f64(sum + SMR_QR_LANES + v * W, l);
    }
}

void TIER(residual_tile)(int64_t d, const double *X, const double *y, const double *weight,
                         const double *w_high, const double *w_low, double *sums)
{
    const vec *x = (const vec *)(const void *)X;
    vec high[VECS], low[VECS];
    memcpy(high, y, sizeof high);
    memset(low, 0, sizeof low);
    for (int64_t j = 0; j < d; j++) {
        vec w = splat_f64(-w_high[j]), v = splat_f64(-w_low[j]);
        for (int r = 0; r < VECS; r++) {
            vec a = x[j * VECS + r], p = a * w;
            add_pair(&high[r], &low[r], p, product_error(a, w, p) + a * v);
        }
    }
    weigh((const vec *)(const void *)weight, high, low, sums + d * 2 * SMR_QR_LANES);
    for (int64_t j = 0; j < d; j++) {
        double *sum = sums + j * 2 * SMR_QR_LANES;
        vec g[PARTS], l[PARTS];
        memcpy(g, sum, sizeof g);
        memcpy(l, sum + SMR_QR_LANES, sizeof l);
        UNROLL
        for (int r = 0; r < VECS; r++) {
            vec a = x[j * VECS + r], p = a * high[r];
            add_pair(&g[r % PARTS], &l[r % PARTS], p, product_error(a, high[r], p) + a * low[r]);
        }
        memcpy(sum, g, sizeof g);
        memcpy(sum + SMR_QR_LANES, l, sizeof l);
    }
}

/* ---- copies ---- */

void TIER(shift_rows)(int64_t n, int64_t d, const double *x, int64_t stride, const smr_shift *by,
                      double *Z, int64_t ldz)
{
    for (int64_t i = 0; i < n; i++) {
        const double *restrict from = x + i * stride;
        double *restrict to = Z + i * ldz;
        double f = by->root ? by->root[i] : 1;
        for (int64_t j = 0; j < d; j++) to[j] = (from[j] - by->shift[j]) * by->scale[j] * f;
    }
}

enum { AHEAD = 32 }; /* rows; past the end of the data a prefetch does nothing */

/* Rows i .. n-1 of column j into the tile, one value at a time. */
static void shift_slowly(int64_t i, int64_t n, int64_t j, const double *x, int64_t stride,
                         const smr_shift *by, double *tile)
{
    for (; i < n; i++) {
        double f = by->root ? by->root[i] : 1;
        tile[j * ROWS + i] = (x[i * stride + j] - by->shift[j]) * by->scale[j] * f;
    }
}

/* Squares of W rows and columns at a time; the edges one by one.  W rows side by side are too many
 * streams for the hardware to predict: rows are prefetched some squares ahead. */
void TIER(shift_tile)(int64_t n, int64_t d, const double *x, int64_t stride, const smr_shift *by,
                      double *tile)
{
    int64_t whole_rows = n / W * W, whole_cols = d / W * W;
    if (n < ROWS) memset(tile, 0, (size_t)(d * ROWS) * sizeof *tile);
    for (int64_t i = 0; i < whole_rows; i += W) {
        vec f = splat_f64(1);
        if (by->root) memcpy(&f, by->root + i, sizeof f);
        for (int64_t j = 0; j < whole_cols; j += W) {
            vec v[W];
            for (int r = 0; r < W; r++) {
                const double *from = x + (i + r) * stride + j;
                __builtin_prefetch(from + AHEAD * stride, 0, 3);
                memcpy(&v[r], from, sizeof v[r]);
            }
            transpose(v);
            for (int c = 0; c < W; c++) {
                vec z = (v[c] - by->shift[j + c]) * by->scale[j + c] * f;
                memcpy(tile + (j + c) * ROWS + i, &z, sizeof z);
            }
        }
    }
    for (int64_t j = 0; j < d; j++)
        shift_slowly(j < whole_cols ? whole_rows : 0, n, j, x, stride, by, tile);
}
