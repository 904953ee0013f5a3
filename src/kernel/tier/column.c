/* column.c -- sums over a column with twice the digits, in eight lanes, and its bins.
 *
 * Element i belongs to lane i mod 8; a lane keeps its sum in two parts, and lanes are added in
 * ascending order: the same bits on every tier. */
#include "kernel/tier/simd.h"
#include "kernel/tier/tier.h"

#include <math.h>

enum { LANES = 8, PARTS = LANES / LANES_f64 };

/* Eight lanes of a sum. */
typedef struct {
    vec_f64 hi[PARTS], lo[PARTS];
} lanes;

typedef struct {
    vec_f64 part[PARTS];
} eight;

INLINE eight load_eight(const double *p)
{
    eight v;
    UNROLL
    for (int k = 0; k < PARTS; k++) v.part[k] = load_f64(p + k * LANES_f64);
    return v;
}

INLINE void add_part(vec_f64 *hi, vec_f64 *lo, vec_f64 x, vec_f64 beyond)
{
    vec_f64 s = *hi + x, t = s - *hi;
    *lo += ((*hi - (s - t)) + (x - t)) + beyond;
    *hi = s;
}

INLINE void add_eight(lanes *sum, const eight *x)
{
    UNROLL
    for (int k = 0; k < PARTS; k++) add_part(&sum->hi[k], &sum->lo[k], x->part[k], zero_f64());
}

/* sum += a b, with what rounding takes from the product. */
INLINE void add_products(lanes *sum, const eight *a, const eight *b)
{
    UNROLL
    for (int k = 0; k < PARTS; k++) {
        vec_f64 p = a->part[k] * b->part[k];
        add_part(&sum->hi[k], &sum->lo[k], p, fma_f64(a->part[k], b->part[k], -p));
    }
}

INLINE lanes no_lanes(void)
{
    lanes sum;
    UNROLL
    for (int k = 0; k < PARTS; k++) sum.hi[k] = sum.lo[k] = zero_f64();
    return sum;
}

static void fold_lanes(const lanes *sum, double out[2])
{
    double hi[LANES], lo[LANES], high = 0, low = 0;
    memcpy(hi, sum->hi, sizeof hi);
    memcpy(lo, sum->lo, sizeof lo);
    for (int l = 0; l < LANES; l++) {
        double s = high + hi[l], t = s - high;
        low += ((high - (s - t)) + (hi[l] - t)) + lo[l];
        high = s;
    }
    out[0] = high;
    out[1] = low;
}

/* Eight values as measured, of the last ones those that there are: the others are 0. */
INLINE eight measure(const double *x, int64_t count, const smr_origin *o)
{
    double few[LANES] = {0};
    vec_f64 scale = splat_f64(o->scale), hi = splat_f64(o->hi), lo = splat_f64(o->lo);
    eight v;
    if (count < LANES) memcpy(few, x, (size_t)count * sizeof *few);
    v = load_eight(count < LANES ? few : x);
    UNROLL
    for (int k = 0; k < PARTS; k++) v.part[k] = (v.part[k] * scale - hi) - lo;
    if (count < LANES) {
        memcpy(few, &v, sizeof few);
        for (int64_t l = count; l < LANES; l++) few[l] = 0;
        memcpy(&v, few, sizeof v);
    }
    return v;
}

void TIER(span_f64)(int64_t n, const double *x, double scale, double span[4])
{
    smr_origin o = {scale, 0, 0};
    lanes sum = no_lanes();
    eight least = load_eight((double[LANES]){x[0], x[0], x[0], x[0], x[0], x[0], x[0], x[0]});
    eight most = least;
    for (int64_t i = 0; i < n; i += LANES) {
        eight v = measure(x + i, n - i, &o);
        add_eight(&sum, &v);
        if (n - i < LANES) break;
        v = load_eight(x + i);
        UNROLL
        for (int k = 0; k < PARTS; k++) {
            least.part[k] = select_f64(v.part[k] < least.part[k], v.part[k], least.part[k]);
            most.part[k] = select_f64(v.part[k] > most.part[k], v.part[k], most.part[k]);
        }
    }
    fold_lanes(&sum, span);
    span[2] = span[3] = x[0];
    for (int64_t i = n / LANES * LANES; i < n; i++) {
        span[2] = x[i] < span[2] ? x[i] : span[2];
        span[3] = x[i] > span[3] ? x[i] : span[3];
    }
    double low[LANES], high[LANES];
    memcpy(low, &least, sizeof low);
    memcpy(high, &most, sizeof high);
    for (int l = 0; l < LANES; l++) {
        span[2] = low[l] < span[2] ? low[l] : span[2];
        span[3] = high[l] > span[3] ? high[l] : span[3];
    }
}

void TIER(powers_f64)(int64_t n, const double *x, const smr_origin *of_x, double sums[4])
{
    lanes two = no_lanes(), three = two;
    for (int64_t i = 0; i < n; i += LANES) {
        eight a = measure(x + i, n - i, of_x), square;
        UNROLL
        for (int k = 0; k < PARTS; k++) square.part[k] = a.part[k] * a.part[k];
        add_products(&two, &a, &a);
        add_products(&three, &square, &a);
    }
    fold_lanes(&two, sums);
    fold_lanes(&three, sums + 2);
}

void TIER(products_f64)(int64_t n, const double *x, const smr_origin *of_x, const double *y,
                        const smr_origin *of_y, double sum[2])
{
    lanes products = no_lanes();
    for (int64_t i = 0; i < n; i += LANES) {
        eight a = measure(x + i, n - i, of_x), b = measure(y + i, n - i, of_y);
        add_products(&products, &a, &b);
    }
    fold_lanes(&products, sum);
}

void TIER(bins_f64)(int64_t n, const double *x, int64_t n_cuts, const double *cuts, int32_t *code)
{
    typedef int32_t codes __attribute__((vector_size(LANES_f64 * 4)));
    int64_t i = 0;
    for (; i + LANES_f64 <= n; i += LANES_f64) {
        vec_f64 v = load_f64(x + i);
        bits_f64 bin = {0};
        for (int64_t c = 0; c < n_cuts; c++) bin -= v >= splat_f64(cuts[c]);
        codes out = __builtin_convertvector(bin, codes);
        memcpy(code + i, &out, sizeof out);
    }
    for (; i < n; i++) {
        code[i] = 0;
        for (int64_t c = 0; c < n_cuts; c++) code[i] += x[i] >= cuts[c];
    }
}
