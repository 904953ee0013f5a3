/* eigen_loops.c -- the inner loops of eigenvalues and singular values.
 *
 *     symv      y += S x, S symmetric, read once from columns of its lower triangle: a strip of 8
 *               columns at a time is added to y and multiplied with x in one pass
 *     rotate    a sweep of plane rotations of neighbouring columns, the moving one in registers
 *     secular   sums and products over the poles of a secular equation
 *
 * A strip's dot products run in 8 lanes (row i of the strip in lane i % 8), folded as everywhere;
 * an entry of y takes four columns at a time, as a chain of their own: so its rounding does not
 * grow with n as that of one chain would. */
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

/* Columns that begin `ld` apart. */
typedef struct {
    const double *at;
    int64_t ld;
} panel;

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

#ifdef SIMD_AVX512
/* [p0+p4 .. p3+p7, q0+q4 .. q3+q7], then halves again, for eight sums at once. */
INLINE __m512d halve(chunk p, chunk q)
{
    __m512d a = (__m512d)p.part[0], b = (__m512d)q.part[0];
    return _mm512_add_pd(_mm512_shuffle_f64x2(a, b, 0x44), _mm512_shuffle_f64x2(a, b, 0xee));
}

INLINE __m512d quarter(__m512d t, __m512d u)
{
    return _mm512_add_pd(_mm512_shuffle_f64x2(t, u, 0x88), _mm512_shuffle_f64x2(t, u, 0xdd));
}

INLINE void fold_group(const chunk *s, double *to)
{
    __m512d v = quarter(halve(s[0], s[2]), halve(s[4], s[6]));
    __m512d w = quarter(halve(s[1], s[3]), halve(s[5], s[7]));
    _mm512_storeu_pd(to, _mm512_add_pd(_mm512_unpacklo_pd(v, w), _mm512_unpackhi_pd(v, w)));
}
#else
INLINE void fold_group(const chunk *s, double *to)
{
    UNROLL
    for (int c = 0; c < GROUP; c++) to[c] = fold(s[c]);
}
#endif

/* ---- symmetric matrix times vector ------------------------------------------------------ */

/* Where a strip's rows are: in the block on the diagonal, or below it. */
enum place { DIAGONAL, BELOW };

/* Lanes at .. at + L of a column of the block on the diagonal that are in rows >= first. */
INLINE vec_f64 only_from(vec_f64 col, int at, int first)
{
#ifdef SIMD_AVX512
    return (vec_f64)_mm512_maskz_mov_pd((__mmask8)(0xffu << (first - at)), (__m512d)col);
#else
    bits_f64 keep;
    UNROLL
    for (int l = 0; l < L; l++) keep[l] = at + l >= first ? -1 : 0;
    return select_f64(keep, col, zero_f64());
#endif
}

/* Keeps a value that is used twice in its register: compilers would rather load it twice. */
INLINE vec_f64 loaded(vec_f64 v)
{
#if defined(__x86_64__)
    __asm__("" : "+v"(v));
#endif
    return v;
}

/* Rows of GROUP columns, of x and of y. */
typedef struct {
    panel a;
    const double *x;
    double *y;
} rows;

INLINE rows rows_from(rows r, int64_t i)
{
    return (rows){{r.a.at + i, r.a.ld}, r.x + i, r.y + i};
}

/* One chunk of rows, whose first column is column `c0` of the strip: y += A a with the factors a in
 * `by`, and the sums of A'x go on.  `count` rows are there, and `count` columns on the diagonal. */
INLINE void strip_chunk(const enum place place, const bool is_whole, int count, const int c0,
                        rows from, const vec_f64 *by, chunk *sum)
{
    panel a = from.a;
    const double *x = from.x;
    double *y = from.y;
    UNROLL
    for (int v = 0; v < PARTS; v++) {
        int at = v * L, here = count - at < 0 ? 0 : count - at > L ? (int)L : count - at;
        if (!is_whole && here == 0) break;
        vec_f64 right = is_whole ? load_f64(x + at) : load_part_f64(x + at, here, zero_f64());
        vec_f64 to = is_whole ? load_f64(y + at) : load_part_f64(y + at, here, zero_f64());
        UNROLL
        for (int q = 0; q < GROUP; q += QUAD) {
            vec_f64 four = zero_f64();
            UNROLL
            for (int c = q; c < q + QUAD; c++) {
                const double *p = a.at + c * a.ld + at;
                vec_f64 col = is_whole ? loaded(load_f64(p))
                              : place == DIAGONAL && c0 + c >= count
                                  ? zero_f64()
                                  : load_part_f64(p, here, zero_f64());
                vec_f64 low = place == DIAGONAL ? only_from(col, at, c0 + c) : col;
                vec_f64 strict = place == DIAGONAL ? only_from(col, at, c0 + c + 1) : col;
                four = c == q ? low * by[c] : fma_f64(low, by[c], four);
                sum[c].part[v] = fma_f64(strict, right, sum[c].part[v]);
            }
            to += four;
        }
        if (is_whole)
            store_f64(y + at, to);
        else
            store_part_f64(y + at, here, to);
    }
}

/* GROUP columns, from column c0 of the strip at the diagonal down to the last of n rows. */
INLINE void strip_group(const int c0, int64_t n, rows r, double *dot)
{
    chunk sum[8];
    vec_f64 by[GROUP];
    int width = n < STRIP ? (int)n : (int)STRIP;
    UNROLL
    for (int c = 0; c < GROUP; c++) {
        by[c] = splat_f64(c0 + c < width ? r.x[c0 + c] : 0);
        UNROLL
        for (int v = 0; v < PARTS; v++) sum[c].part[v] = zero_f64();
    }
    if (n >= STRIP)
        strip_chunk(DIAGONAL, true, CHUNK, c0, r, by, sum);
    else
        strip_chunk(DIAGONAL, false, width, c0, r, by, sum);
    int64_t i = STRIP;
    for (; i + CHUNK <= n; i += CHUNK)
        strip_chunk(BELOW, true, CHUNK, c0, rows_from(r, i), by, sum);
    if (i < n) strip_chunk(BELOW, false, (int)(n - i), c0, rows_from(r, i), by, sum);
    fold_group(sum, dot + c0);
}

void TIER(symv_lower_f64)(int64_t n, int64_t lo, int64_t hi, const double *A, int64_t lda,
                          const double *x, double *y)
{
    for (int64_t j = lo; j < hi; j += STRIP) {
        double dot[STRIP];
        UNROLL
        for (int c0 = 0; c0 < STRIP; c0 += GROUP) {
            rows r = {{A + (j + c0) * lda + j, lda}, x + j, y + j};
            strip_group(c0, n - j, r, dot);
        }
        for (int c = 0; c < STRIP && j + c < n; c++) y[j + c] += dot[c];
    }
}

/* ---- rotations -------------------------------------------------------------------------- */

/* `vectors` vectors of rows, the last with `last` of them, through all rotations. */
INLINE void rotate_rows(const int vectors, int last, int64_t k, const double *c, const double *s,
                        double *A, int64_t lda)
{
    enum { MOST = 4 };
    vec_f64 x[MOST];
    const int end = vectors - 1;
    UNROLL
    for (int v = 0; v < vectors; v++) x[v] = load_some_f64(A + v * L, v < end, last);
    for (int64_t t = 0; t < k; t++, A += lda) {
        vec_f64 cosine = splat_f64(c[t]), sine = splat_f64(s[t]);
        UNROLL
        for (int v = 0; v < vectors; v++) {
            vec_f64 y = load_some_f64(A + lda + v * L, v < end, last);
            store_some_f64(A + v * L, v < end, last, cosine * x[v] + sine * y);
            x[v] = cosine * y - sine * x[v];
        }
    }
    UNROLL
    for (int v = 0; v < vectors; v++) store_some_f64(A + v * L, v < end, last, x[v]);
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

/* What lies past the end adds 0 / (-2 tau). */
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
