/* row_products.c -- a block of rows against a few weight vectors, and back: what linear models are
 * made of.
 *
 *     forward   out[i][c] = x_i' w_c       in 8 lanes: lane l takes the elements l, l + 8, ... in
 *                                          ascending order, then lane l takes lane l + 4, l + 2,
 *                                          l + 1
 *     backward  G[c][j] += R[i][c] x_ij    one chain over the rows for each entry
 *
 * Products this thin (d x 10 and less) leave a general product idle: both directions hold a tile of
 * sums in registers, as wide as there are classes, and read a row once for all of it. Entries of
 * sparse rows go against weights that lie class after class, so that an entry is one
 * vector of multiply-adds. */
#include "kernel/tier/simd.h"
#include "kernel/tier/tier.h"

enum { CHUNK = 8, PARTS = 64 / SIMD_BYTES, L = LANES_f64 };

/* As many sums as there are registers for. */
#if SIMD_BYTES == 64
enum { ROWS_ALONE = 8, ROWS_MANY = 4, CLASSES = 5, WIDE_ALONE = 8, WIDE_MANY = 4 };
#elif SIMD_BYTES == 32
enum { ROWS_ALONE = 4, ROWS_MANY = 2, CLASSES = 3, WIDE_ALONE = 8, WIDE_MANY = 3 };
#else
enum { ROWS_ALONE = 2, ROWS_MANY = 1, CLASSES = 2, WIDE_ALONE = 8, WIDE_MANY = 4 };
#endif

enum { AHEAD = 16, LONG = 384 }; /* rows; elements of one that the processor fetches by itself */

typedef struct {
    vec_f64 part[PARTS];
} chunk;

/* Rows that begin `ld` apart. */
typedef struct {
    const double *at;
    int64_t ld;
} panel;

typedef struct {
    double *at;
    int64_t ld;
} result;

/* ---- forward ---------------------------------------------------------------------------- */

INLINE chunk zero_chunk(void)
{
    chunk z;
    UNROLL
    for (int v = 0; v < PARTS; v++) z.part[v] = zero_f64();
    return z;
}

/* `count` elements, 1 .. CHUNK, zeros after them. */
INLINE chunk take(const double *p, const bool is_whole, int count)
{
    chunk c;
    UNROLL
    for (int v = 0; v < PARTS; v++) {
        int left = count - v * L;
        left = left < 0 ? 0 : left > L ? (int)L : left;
        c.part[v] = is_whole ? load_f64(p + v * L)
                    : left   ? load_part_f64(p + v * L, left, zero_f64())
                             : zero_f64();
    }
    return c;
}

INLINE void step(const int rows, const int classes, const bool is_whole, int count, panel x,
                 panel w, const bool fetches, chunk *sum)
{
    chunk left[ROWS_ALONE];
    UNROLL
    for (int r = 0; r < rows; r++) {
        left[r] = take(x.at + r * x.ld, is_whole, count);
        /* Rows to come, through the end of the block and into the next. */
        if (rows > 1 && fetches) __builtin_prefetch(x.at + (r + AHEAD) * x.ld, 0, 3);
    }
    UNROLL
    for (int c = 0; c < classes; c++) {
        chunk right = take(w.at + c * w.ld, is_whole, count);
        UNROLL
        for (int r = 0; r < rows; r++) {
            UNROLL
            for (int v = 0; v < PARTS; v++)
                sum[r * classes + c].part[v] =
                    fma_f64(left[r].part[v], right.part[v], sum[r * classes + c].part[v]);
        }
    }
}

#ifdef SIMD_AVX512
/* [p0+p4 .. p3+p7, q0+q4 .. q3+q7], then halves again, for eight sums at once. */
INLINE __m512d halve(__m512d p, __m512d q)
{
    return _mm512_add_pd(_mm512_shuffle_f64x2(p, q, 0x44), _mm512_shuffle_f64x2(p, q, 0xee));
}

INLINE __m512d quarter(__m512d t, __m512d u)
{
    return _mm512_add_pd(_mm512_shuffle_f64x2(t, u, 0x88), _mm512_shuffle_f64x2(t, u, 0xdd));
}

INLINE void fold_eight(const chunk *s, double *to)
{
    __m512d v = quarter(halve((__m512d)s[0].part[0], (__m512d)s[2].part[0]),
                        halve((__m512d)s[4].part[0], (__m512d)s[6].part[0]));
    __m512d w = quarter(halve((__m512d)s[1].part[0], (__m512d)s[3].part[0]),
                        halve((__m512d)s[5].part[0], (__m512d)s[7].part[0]));
    _mm512_storeu_pd(to, _mm512_add_pd(_mm512_unpacklo_pd(v, w), _mm512_unpackhi_pd(v, w)));
}
#else
INLINE void fold_eight(const chunk *s, double *to)
{
    for (int i = 0; i < 8; i++) {
        double lane[CHUNK];
        memcpy(lane, &s[i], sizeof lane);
        for (int half = CHUNK / 2; half > 0; half /= 2)
            for (int l = 0; l < half; l++) lane[l] += lane[l + half];
        to[i] = lane[0];
    }
}
#endif

INLINE void forward_tile(const int rows, const int classes, int64_t d, panel x, panel w, result out)
{
    enum { MOST = 24 };
    chunk sum[MOST];
    double total[MOST];
    UNROLL
    for (int s = 0; s < MOST; s++)
        if (s < (rows * classes + 7) / 8 * 8) sum[s] = zero_chunk();
    int64_t j = 0;
    if (d < LONG)
        for (; j + CHUNK <= d; j += CHUNK, x.at += CHUNK, w.at += CHUNK)
            step(rows, classes, true, CHUNK, x, w, true, sum);
    for (; j + CHUNK <= d; j += CHUNK, x.at += CHUNK, w.at += CHUNK)
        step(rows, classes, true, CHUNK, x, w, false, sum);
    if (j < d) step(rows, classes, false, (int)(d - j), x, w, d < LONG, sum);
    UNROLL
    for (int s = 0; s < MOST; s += 8)
        if (s < rows * classes) fold_eight(sum + s, total + s);
    UNROLL
    for (int r = 0; r < rows; r++) {
        UNROLL
        for (int c = 0; c < classes; c++) out.at[r * out.ld + c] = total[r * classes + c];
    }
}

/* All rows against `classes` vectors. */
INLINE void forward(const int rows, const int classes, int64_t m, int64_t d, panel x, panel w,
                    result out)
{
    int64_t i = 0;
    for (; i + rows <= m; i += rows, x.at += rows * x.ld, out.at += rows * out.ld)
        forward_tile(rows, classes, d, x, w, out);
    for (; i < m; i++, x.at += x.ld, out.at += out.ld) forward_tile(1, classes, d, x, w, out);
}

void TIER(rows_times_f64)(int64_t m, int64_t d, int64_t k, const double *X, int64_t ldx,
                          const double *W, int64_t ldw, double *out)
{
    panel x = {X, ldx};
    for (int64_t c = 0; c < k; c += CLASSES) {
        panel w = {W + c * ldw, ldw};
        result to = {out + c, k};
        switch (k - c) {
        case 1: forward(ROWS_ALONE, 1, m, d, x, w, to); break;
#if SIMD_BYTES >= 32
        case 2: forward(ROWS_MANY, 2, m, d, x, w, to); break;
#endif
#if SIMD_BYTES == 64
        case 3: forward(ROWS_MANY, 3, m, d, x, w, to); break;
        case 4: forward(ROWS_MANY, 4, m, d, x, w, to); break;
#endif
        default: forward(ROWS_MANY, CLASSES, m, d, x, w, to); break;
        }
    }
}

/* ---- backward --------------------------------------------------------------------------- */

/* `classes` rows of G, `vectors` vectors of columns, the last of which has `last` of them. */
INLINE void backward_tile(const int classes, const int vectors, int last, int64_t m, panel x,
                          panel r, result g)
{
    vec_f64 sum[CLASSES][WIDE_ALONE];
    UNROLL
    for (int c = 0; c < classes; c++) {
        UNROLL
        for (int v = 0; v < vectors; v++)
            sum[c][v] = v + 1 < vectors ? load_f64(g.at + c * g.ld + v * L)
                                        : load_part_f64(g.at + c * g.ld + v * L, last, zero_f64());
    }
    for (int64_t i = 0; i < m; i++) {
        vec_f64 right[WIDE_ALONE];
        UNROLL
        for (int v = 0; v < vectors; v++)
            right[v] = v + 1 < vectors ? load_f64(x.at + v * L)
                                       : load_part_f64(x.at + v * L, last, zero_f64());
        UNROLL
        for (int c = 0; c < classes; c++) {
            vec_f64 left = splat_f64(r.at[c]);
            UNROLL
            for (int v = 0; v < vectors; v++) sum[c][v] = fma_f64(left, right[v], sum[c][v]);
        }
        x.at += x.ld;
        r.at += r.ld;
    }
    UNROLL
    for (int c = 0; c < classes; c++) {
        UNROLL
        for (int v = 0; v < vectors; v++) {
            if (v + 1 < vectors)
                store_f64(g.at + c * g.ld + v * L, sum[c][v]);
            else
                store_part_f64(g.at + c * g.ld + v * L, last, sum[c][v]);
        }
    }
}

/* The vectors that columns j .. d-1 fill, at most `wide`, and the lanes of the last. */
INLINE int width(int64_t left, const int wide, int *last)
{
    int64_t vectors = (left + L - 1) / L;
    *last = vectors > wide ? (int)L : (int)(left - (vectors - 1) * L);
    return vectors > wide ? wide : (int)vectors;
}

static void backward_alone(int64_t m, int64_t d, panel x, panel r, result g)
{
    for (int64_t j = 0; j < d;
         j += WIDE_ALONE * L, x.at += WIDE_ALONE * L, g.at += WIDE_ALONE * L) {
        int last;
        switch (width(d - j, WIDE_ALONE, &last)) {
        case 1: backward_tile(1, 1, last, m, x, r, g); break;
        case 2: backward_tile(1, 2, last, m, x, r, g); break;
        case 3: backward_tile(1, 3, last, m, x, r, g); break;
        case 4: backward_tile(1, 4, last, m, x, r, g); break;
        case 5: backward_tile(1, 5, last, m, x, r, g); break;
        case 6: backward_tile(1, 6, last, m, x, r, g); break;
        case 7: backward_tile(1, 7, last, m, x, r, g); break;
        default: backward_tile(1, WIDE_ALONE, last, m, x, r, g); break;
        }
    }
}

INLINE void backward(const int classes, int64_t m, int64_t d, panel x, panel r, result g)
{
    for (int64_t j = 0; j < d; j += WIDE_MANY * L, x.at += WIDE_MANY * L, g.at += WIDE_MANY * L) {
        int last;
        switch (width(d - j, WIDE_MANY, &last)) {
        case 1: backward_tile(classes, 1, last, m, x, r, g); break;
        case 2: backward_tile(classes, 2, last, m, x, r, g); break;
#if SIMD_BYTES != 32
        case 3: backward_tile(classes, 3, last, m, x, r, g); break;
#endif
        default: backward_tile(classes, WIDE_MANY, last, m, x, r, g); break;
        }
    }
}

void TIER(rows_add_f64)(int64_t m, int64_t d, int64_t k, const double *X, int64_t ldx,
                        const double *R, double *G, int64_t ldg)
{
    panel x = {X, ldx};
    for (int64_t c = 0; c < k; c += CLASSES) {
        panel r = {R + c, k};
        result g = {G + c * ldg, ldg};
        switch (k - c) {
        case 1: backward_alone(m, d, x, r, g); break;
#if SIMD_BYTES >= 32
        case 2: backward(2, m, d, x, r, g); break;
#endif
#if SIMD_BYTES == 64
        case 3: backward(3, m, d, x, r, g); break;
        case 4: backward(4, m, d, x, r, g); break;
#endif
        default: backward(CLASSES, m, d, x, r, g); break;
        }
    }
}

/* ---- rows times numbers ------------------------------------------------------------------ */

void TIER(rows_scale_f64)(int64_t m, int64_t d, const double *X, int64_t ldx, const double *by,
                          double *Z, int64_t ldz)
{
    int64_t whole = d / L * L;
    for (int64_t i = 0; i < m; i++, X += ldx, Z += ldz) {
        vec_f64 scale = splat_f64(by[i]);
        for (int64_t j = 0; j < d; j += 8) __builtin_prefetch(X + AHEAD * ldx + j, 0, 3);
        for (int64_t j = 0; j < whole; j += L) store_f64(Z + j, load_f64(X + j) * scale);
        if (whole < d) {
            int left = (int)(d - whole);
            store_part_f64(Z + whole, left, load_part_f64(X + whole, left, zero_f64()) * scale);
        }
    }
}
