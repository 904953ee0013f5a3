/* spectral.c -- the inner loops of eigenvalues and singular values.
 *
 *     symv      y += S x, S symmetric, read once from columns of its lower triangle: a strip of 8
 *               columns at a time is added to y and multiplied with x in one pass
 *     rotate    a sweep of plane rotations of neighbouring columns, the moving one in registers
 *     secular   sums and products over the poles of a secular equation
 *
 * A strip's dot products run in 8 lanes (element i of the strip, from its first row below the
 * diagonal block, in lane i % 8), folded as everywhere; an entry of y takes four columns at a time,
 * a chain of their own: so its rounding does not grow with n as that of one chain would. */
#include "kernel/tier/simd.h"
#include "kernel/tier/tier.h"

enum { CHUNK = 8, PARTS = 64 / SIMD_BYTES, L = LANES_f64, STRIP = 8, QUAD = 4 };

/* Columns of a strip at once: sums and factors stay in registers. */
#if SIMD_BYTES == 64
enum { GROUP = 8 };
#else
enum { GROUP = 4 };
#endif

typedef struct {
    vec_f64 part[PARTS];
} chunk;

INLINE double fold(chunk sum)
{
    double lane[CHUNK];
    memcpy(lane, &sum, sizeof lane);
    UNROLL
    for (int half = CHUNK / 2; half > 0; half /= 2) {
        UNROLL
        for (int l = 0; l < half; l++) lane[l] += lane[l + half];
    }
    return lane[0];
}

/* ---- symmetric matrix times vector ------------------------------------------------------ */

/* GROUP columns of m rows: y += A a and dot = A'x. */
INLINE void strip_group(int64_t m, const double *A, int64_t lda, const double *x, const double *a,
                        double *y, double *dot)
{
    chunk sum[GROUP];
    vec_f64 by[GROUP];
    UNROLL
    for (int c = 0; c < GROUP; c++) {
        by[c] = splat_f64(a[c]);
        UNROLL
        for (int v = 0; v < PARTS; v++) sum[c].part[v] = zero_f64();
    }
    int64_t i = 0;
    for (; i + CHUNK <= m; i += CHUNK) {
        UNROLL
        for (int v = 0; v < PARTS; v++) {
            int64_t at = i + v * L;
            vec_f64 right = load_f64(x + at), to = load_f64(y + at);
            UNROLL
            for (int q = 0; q < GROUP; q += QUAD) {
                vec_f64 four = zero_f64();
                UNROLL
                for (int c = q; c < q + QUAD; c++) {
                    vec_f64 col = load_f64(A + c * lda + at);
                    four = c == q ? col * by[c] : fma_f64(col, by[c], four);
                    sum[c].part[v] = fma_f64(col, right, sum[c].part[v]);
                }
                to += four;
            }
            store_f64(y + at, to);
        }
    }
    UNROLL
    for (int v = 0; v < PARTS; v++) {
        int64_t at = i + v * L;
        if (at >= m) break;
        int count = m - at < L ? (int)(m - at) : (int)L;
        vec_f64 right = load_part_f64(x + at, count, zero_f64());
        vec_f64 to = load_part_f64(y + at, count, zero_f64());
        UNROLL
        for (int q = 0; q < GROUP; q += QUAD) {
            vec_f64 four = zero_f64();
            UNROLL
            for (int c = q; c < q + QUAD; c++) {
                vec_f64 col = load_part_f64(A + c * lda + at, count, zero_f64());
                four = c == q ? col * by[c] : fma_f64(col, by[c], four);
                sum[c].part[v] = fma_f64(col, right, sum[c].part[v]);
            }
            to += four;
        }
        store_part_f64(y + at, count, to);
    }
    UNROLL
    for (int c = 0; c < GROUP; c++) dot[c] = fold(sum[c]);
}

/* The block on the diagonal, of order n <= STRIP, through a full copy. */
INLINE void diagonal_block(int n, const double *A, int64_t lda, const double *x, double *y)
{
    double full[STRIP][STRIP] = {{0}}, sum[STRIP] = {0};
    for (int c = 0; c < n; c++) {
        sum[c] = y[c];
        for (int r = c; r < n; r++) full[c][r] = full[r][c] = A[c * lda + r];
    }
    UNROLL
    for (int v = 0; v < STRIP; v += L) {
        vec_f64 to = load_f64(sum + v);
        for (int c = 0; c < n; c++) to = fma_f64(load_f64(full[c] + v), splat_f64(x[c]), to);
        store_f64(sum + v, to);
    }
    for (int c = 0; c < n; c++) y[c] = sum[c];
}

void TIER(symv_lower_f64)(int64_t n, int64_t lo, int64_t hi, const double *A, int64_t lda,
                          const double *x, double *y)
{
    for (int64_t j = lo; j < hi; j += STRIP) {
        int width = hi - j < STRIP ? (int)(hi - j) : (int)STRIP;
        int64_t below = j + STRIP;
        diagonal_block(width, A + j * lda + j, lda, x + j, y + j);
        if (below >= n) continue;
        double dot[STRIP];
        UNROLL
        for (int c = 0; c < STRIP; c += GROUP)
            strip_group(n - below, A + (j + c) * lda + below, lda, x + below, x + j + c, y + below,
                        dot + c);
        for (int c = 0; c < STRIP; c++) y[j + c] += dot[c];
    }
}

/* ---- rotations -------------------------------------------------------------------------- */

/* `vectors` vectors of rows, the last with `last` of them, through all rotations. */
INLINE void rotate_rows(const int vectors, int last, int64_t k, const double *c, const double *s,
                        double *A, int64_t lda)
{
    enum { MOST = 4 };
    vec_f64 x[MOST];
    UNROLL
    for (int v = 0; v < vectors; v++)
        x[v] = v + 1 < vectors ? load_f64(A + v * L) : load_part_f64(A + v * L, last, zero_f64());
    for (int64_t t = 0; t < k; t++, A += lda) {
        vec_f64 cosine = splat_f64(c[t]), sine = splat_f64(s[t]);
        UNROLL
        for (int v = 0; v < vectors; v++) {
            const double *from = A + lda + v * L;
            vec_f64 y = v + 1 < vectors ? load_f64(from) : load_part_f64(from, last, zero_f64());
            vec_f64 to = cosine * x[v] + sine * y;
            if (v + 1 < vectors)
                store_f64(A + v * L, to);
            else
                store_part_f64(A + v * L, last, to);
            x[v] = cosine * y - sine * x[v];
        }
    }
    UNROLL
    for (int v = 0; v < vectors; v++) {
        if (v + 1 < vectors)
            store_f64(A + v * L, x[v]);
        else
            store_part_f64(A + v * L, last, x[v]);
    }
}

void TIER(rotate_f64)(int64_t m, int64_t k, const double *c, const double *s, double *A,
                      int64_t lda)
{
    for (int64_t i = 0; i < m; i += 4 * L) {
        int64_t vectors = (m - i + L - 1) / L;
        int last = (int)(m - i - (vectors - 1) * L);
        switch (vectors) {
        case 1: rotate_rows(1, last, k, c, s, A + i, lda); break;
        case 2: rotate_rows(2, last, k, c, s, A + i, lda); break;
        case 3: rotate_rows(3, last, k, c, s, A + i, lda); break;
        case 4: rotate_rows(4, last, k, c, s, A + i, lda); break;
        default: rotate_rows(4, L, k, c, s, A + i, lda); break;
        }
    }
}

/* ---- the secular equation --------------------------------------------------------------- */

/* What lies behind the end adds 0 / (-2 tau). */
void TIER(secular_sums_f64)(int64_t n, const double *w, const double *away, double tau, double *out)
{
    chunk a, b;
    vec_f64 shift = splat_f64(tau), one = splat_f64(1);
    UNROLL
    for (int v = 0; v < PARTS; v++) a.part[v] = b.part[v] = zero_f64();
    int64_t i = 0;
    for (; i + CHUNK <= n; i += CHUNK) {
        UNROLL
        for (int v = 0; v < PARTS; v++) {
            vec_f64 r = one / (load_f64(away + i + v * L) - shift);
            vec_f64 t = load_f64(w + i + v * L) * r;
            a.part[v] += t;
            b.part[v] += t * r;
        }
    }
    UNROLL
    for (int v = 0; v < PARTS; v++) {
        int64_t at = i + v * L;
        if (at >= n) break;
        int count = n - at < L ? (int)(n - at) : (int)L;
        vec_f64 r = one / (load_part_f64(away + at, count, -shift) - shift);
        vec_f64 t = load_part_f64(w + at, count, zero_f64()) * r;
        a.part[v] += t;
        b.part[v] += t * r;
    }
    out[0] = fold(a);
    out[1] = fold(b);
}

/* The product of (away_j - tau_j) / between_j over n factors, where away_j = at - from_j and
 * between_j = at - pole_j or, squared, (at - from_j) (at + from_j) and so on. */
INLINE double factors(const bool squared, int64_t n, double at, const double *from,
                      const double *tau, const double *pole)
{
    chunk product;
    vec_f64 here = splat_f64(at), one = splat_f64(1);
    UNROLL
    for (int v = 0; v < PARTS; v++) product.part[v] = one;
    for (int64_t i = 0; i < n; i += CHUNK) {
        UNROLL
        for (int v = 0; v < PARTS; v++) {
            int64_t j = i + v * L;
            if (j >= n) break;
            int count = n - j < L ? (int)(n - j) : (int)L;
            vec_f64 f = load_part_f64(from + j, count, zero_f64());
            vec_f64 p = load_part_f64(pole + j, count, zero_f64());
            vec_f64 t = load_part_f64(tau + j, count, zero_f64());
            vec_f64 top = here - f, bottom = here - p;
            if (squared) {
                top *= here + f;
                bottom *= here + p;
            }
            vec_f64 ratio = (top - t) / bottom;
            if (count < L) {
                double whole[L];
                store_f64(whole, one);
                store_part_f64(whole, count, ratio);
                ratio = load_f64(whole);
            }
            product.part[v] *= ratio;
        }
    }
    double lane[CHUNK];
    memcpy(lane, &product, sizeof lane);
    UNROLL
    for (int half = CHUNK / 2; half > 0; half /= 2) {
        UNROLL
        for (int l = 0; l < half; l++) lane[l] *= lane[l + half];
    }
    return lane[0];
}

double TIER(secular_factors_f64)(bool squared, int64_t n, double at, const double *from,
                                 const double *tau, const double *pole)
{
    return squared ? factors(true, n, at, from, tau, pole) : factors(false, n, at, from, tau, pole);
}
