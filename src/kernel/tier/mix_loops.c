/* mix_loops.c -- mixtures: how rows are shared out to classes, and the sums that the shares weigh.
 */
#include "kernel/tier/tier.h"
#include "kernel/tier/wide.h"

#include <math.h>

/* ---- shares ----------------------------------------------------------------------------- */

void TIER(mix_shares_f64)(int64_t n, int64_t width, const double *weight, double faint, double *p,
                          double *total)
{
    for (int64_t i = 0; i < n; i++, p += width) {
        wide sum = load_wide(p);
        for (int64_t j = WIDE; j < width; j += WIDE) sum = add(sum, load_wide(p + j));
        total[i] = fold(sum);
        vec_f64 by = splat_f64((weight ? weight[i] : 1) / total[i]);
        vec_f64 least = splat_f64(faint * total[i]);
        for (int64_t j = 0; j < width; j += LANES_f64) {
            vec_f64 x = load_f64(p + j);
            store_f64(p + j, select_f64((bits_f64)(x >= least), x * by, zero_f64()));
        }
    }
}

/* ---- sums ------------------------------------------------------------------------------- */

/* As many sums as there are registers for: of two classes, over some vectors of features. */
enum { L = LANES_f64, ROWS = 256, VECTORS = SIMD_BYTES == 64 ? 3 : 2 };

/* Those of n rows that have some of the classes, in order. */
INLINE int find_rows(const int classes, int n, const double *p, int64_t width, int16_t *found)
{
    int m = 0;
    for (int i = 0; i < n; i++, p += width) {
        found[m] = (int16_t)i;
        m += classes == 2 ? (p[0] > 0) | (p[1] > 0) : p[0] > 0;
    }
    return m;
}

/* Rows that are found, m of them: p, and features from X on. */
struct some_rows {
    const double *X, *p;
    int64_t ldx, width;
    const int16_t *found;
    int m;
};

/* Adds them to the sums of `classes` classes, in `vectors` vectors of features; of the last one
 * `last` are features.  A class that a row has nothing of adds 0, which changes no sum. */
INLINE void sum_rows(const int classes, const int vectors, const bool is_whole, int last,
                     struct some_rows of, smr_class_sums to)
{
    vec_f64 shift[2][VECTORS], sum[2][VECTORS], square[2][VECTORS];
    UNROLL
    for (int c = 0; c < classes; c++) {
        UNROLL
        for (int v = 0; v < vectors; v++) {
            const bool whole = is_whole || v + 1 < vectors;
            int64_t at = c * to.ld + v * L;
            shift[c][v] = load_some_f64(to.shift + at, whole, last);
            sum[c][v] = load_some_f64(to.sum + at, whole, last);
            square[c][v] = load_some_f64(to.square + at, whole, last);
        }
    }
    for (int i = 0; i < of.m; i++) {
        const double *x = of.X + of.found[i] * of.ldx, *p = of.p + of.found[i] * of.width;
        UNROLL
        for (int v = 0; v < vectors; v++) {
            vec_f64 z = load_some_f64(x + v * L, is_whole || v + 1 < vectors, last);
            UNROLL
            for (int c = 0; c < classes; c++) {
                vec_f64 t = z - shift[c][v], u = splat_f64(p[c]) * t;
                sum[c][v] = sum[c][v] + u;
                square[c][v] = fma_f64(u, t, square[c][v]);
            }
        }
    }
    UNROLL
    for (int c = 0; c < classes; c++) {
        UNROLL
        for (int v = 0; v < vectors; v++) {
            const bool whole = is_whole || v + 1 < vectors;
            int64_t at = c * to.ld + v * L;
            store_some_f64(to.sum + at, whole, last, sum[c][v]);
            store_some_f64(to.square + at, whole, last, square[c][v]);
        }
    }
}

#define SUM_ROWS(vectors)                            \
    if (last == L)                                   \
        sum_rows(classes, vectors, true, L, of, at); \
    else                                             \
        sum_rows(classes, vectors, false, last, of, at)

/* All d features of these rows. */
INLINE void sum_features(const int classes, int64_t d, struct some_rows of, smr_class_sums at)
{
    for (int64_t left = d; left > 0; left -= VECTORS * L) {
        int vectors = left < VECTORS * L ? (int)((left + L - 1) / L) : VECTORS;
        int last = left < vectors * L ? (int)(left - (vectors - 1) * L) : L;
        switch (vectors) {
        case 1: SUM_ROWS(1); break;
#if SIMD_BYTES == 64
        case 2: SUM_ROWS(2); break;
#endif
        default: SUM_ROWS(VECTORS); break;
        }
        of.X += VECTORS * L;
        at.shift += VECTORS * L;
        at.sum += VECTORS * L;
        at.square += VECTORS * L;
    }
}

/* Lanes that all rows have some of, and those that any has. */
struct held_by {
    unsigned all, any;
};

static struct held_by find_lanes(int n, const double *p, int64_t width)
{
    struct held_by found = {~0u, 0};
    for (int i = 0; i < n; i++) {
        unsigned at = lanes_above_0(load_wide(p + i * width));
        found.all &= at;
        found.any |= at;
    }
    return found;
}

/* The classes from c on, one or two, in rows of which `every` says that all have some of them. */
INLINE void sum_classes(const int classes, bool every, int n, int64_t d, struct some_rows of,
                        int64_t c, const smr_class_sums *to)
{
    int16_t found[ROWS];
    int64_t off = c * to->ld;
    smr_class_sums at = {to->shift + off, to->sum + off, to->square + off, to->ld, 0};
    of.p += c;
    of.m = n;
    if (!every) {
        of.m = find_rows(classes, n, of.p, of.width, found);
        of.found = found;
    }
    sum_features(classes, d, of, at);
}

static void sum_block(int n, int64_t d, struct some_rows of, const smr_class_sums *to)
{
    for (int64_t j = 0; j < to->k; j += WIDE) {
        struct held_by lanes = find_lanes(n, of.p + j, of.width);
        for (int64_t c = j; c < j + WIDE && c < to->k; c += 2) {
            unsigned bits = c + 1 < to->k ? 3 : 1, at = (unsigned)(c - j);
            bool every = (lanes.all >> at & bits) == bits;
            if (!(lanes.any >> at & bits)) continue;
            if (bits == 3)
                sum_classes(2, every, n, d, of, c, to);
            else
                sum_classes(1, every, n, d, of, c, to);
        }
    }
}

void TIER(mix_sums_f64)(int64_t n, int64_t d, const double *X, int64_t ldx, const double *p,
                        int64_t width, const smr_class_sums *to)
{
    int16_t all[ROWS];
    for (int i = 0; i < ROWS; i++) all[i] = (int16_t)i;
    for (int64_t i = 0; i < n; i += ROWS) {
        struct some_rows of = {X + i * ldx, p + i * width, ldx, width, all, 0};
        sum_block((int)(n - i < ROWS ? n - i : ROWS), d, of, to);
    }
}

/* ---- weighed rows ----------------------------------------------------------------------- */

int64_t TIER(weigh_rows_f64)(int64_t n, int64_t d, const double *X, int64_t ldx, const double *p,
                             int64_t step, const double *mean, double *z)
{
    int64_t m = 0, whole = d / L * L;
    int left = (int)(d - whole);
    for (int64_t r = 0; r < n; r++, X += ldx, p += step) {
        if (!(*p > 0)) continue;
        double *to = z + m++ * (d + 1);
        vec_f64 root = splat_f64(sqrt(*p));
        for (int64_t j = 0; j < whole; j += L)
            store_f64(to + j, root * (load_f64(X + j) - load_f64(mean + j)));
        if (left) {
            vec_f64 x = load_part_f64(X + whole, left, zero_f64());
            store_part_f64(to + whole, left,
                           root * (x - load_part_f64(mean + whole, left, zero_f64())));
        }
        to[d] = root[0];
    }
    return m;
}
