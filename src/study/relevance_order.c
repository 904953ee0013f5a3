/* relevance_order.c -- what follows from the order of a column's values: bins and ranks.
 *
 * Bins are ranges of values, so their least values are found in the order, and rows are binned in
 * the order of the table.  Ranks are kept as whole numbers, twice the midrank less n + 1, and
 * Spearman's correlation is a quotient of exact sums of their products. */
#include "core/int128.h"
#include "kernel/kernel.h"
#include "study/relevance_parts.h"

#include <math.h>

enum { AHEAD = 48, NARROW_ROWS = 1 << 20 };

static bool is_new(const uint32_t *order, int64_t r)
{
    return (order[r] & SMR_NEW_VALUE) != 0;
}

static int64_t row_at(const uint32_t *order, int64_t r)
{
    return (int64_t)(order[r] & ~SMR_NEW_VALUE);
}

/* The end of the run of equal values that has place r. */
static int64_t run_end(int64_t n, const uint32_t *order, int64_t r)
{
    for (r++; r < n && !is_new(order, r);) r++;
    return r;
}

/* The bin of a run that has `below` before and `middle - below` in its first half. */
static int64_t bin_of(double middle, double total)
{
    return SMR_MIN((int64_t)((double)SMR_BINS * middle / total), SMR_BINS - 1);
}

/* Without weights a run [r, end) has its middle at (r + end) / 2: the first run of bin b or above
 * is that of place least / 2, or the next one, where `least` is the least r + end of such a bin. */
static void cut_plainly(int64_t n, const double *x, const uint32_t *order, double *cut)
{
    for (int64_t b = 1; b < SMR_BINS; b++) {
        int64_t least = 2 * n / SMR_BINS * b;
        while (least > 0 && bin_of(0.5 * (double)(least - 1), (double)n) >= b) least--;
        while (bin_of(0.5 * (double)least, (double)n) < b) least++;
        int64_t r = least / 2;
        while (r > 0 && r < n && !is_new(order, r)) r--;
        if (r < n && r + run_end(n, order, r) < least) r = run_end(n, order, r);
        cut[b - 1] = r < n ? x[row_at(order, r)] : INFINITY;
    }
}

static void cut_weighted(int64_t n, const double *x, const double *weight, const uint32_t *order,
                         double *cut)
{
    double total = 0, below = 0;
    int64_t next = 1;
    for (int64_t i = 0; i < n; i++) total += weight[i];
    for (int64_t b = 0; b < SMR_BINS - 1; b++) cut[b] = INFINITY;
    for (int64_t r = 0, end; r < n; r = end) {
        double level = 0;
        end = run_end(n, order, r);
        for (int64_t k = r; k < end; k++) level += weight[row_at(order, k)];
        for (int64_t b = bin_of(below + 0.5 * level, total); next <= b; next++)
            cut[next - 1] = x[row_at(order, r)];
        below += level;
    }
}

void smr_bin(int64_t n, const double *x, const double *weight, const uint32_t *order, int32_t *bin)
{
    double cut[SMR_BINS - 1];
    if (n == 0) return;
    if (weight)
        cut_weighted(n, x, weight, order, cut);
    else
        cut_plainly(n, x, order, cut);
    smr_bins_f64(n, x, SMR_BINS - 1, cut, bin);
}

double smr_centre_ranks(int64_t n_rows, const uint32_t *order, const int32_t *place, int64_t n,
                        int32_t *centred)
{
    smr_i128 squares = 0;
    int64_t before = 0;
    for (int64_t r = 0, end; r < n_rows; r = end) {
        int64_t count = 0;
        end = run_end(n_rows, order, r);
        for (int64_t k = r; k < end; k++) count += !place || place[row_at(order, k)] >= 0;
        int64_t twice = 2 * before + count - n;
        for (int64_t k = r; k < end; k++) {
            int64_t row = row_at(order, k), at = place ? place[row] : row;
            if (at >= 0) centred[at] = (int32_t)twice;
        }
        squares += (smr_i128)(twice * twice) * count;
        before += count;
    }
    return (double)squares;
}

/* A run [s, e) has the centred rank s + e - n.  What it adds is added where the next run begins;
 * elsewhere zero is, which costs less than to ask.  wide: n^3 does not fit into 64 bits. */
static inline __attribute__((always_inline)) double
correlate_ranks(int64_t n, const uint32_t *order, const struct aims *aims, bool wide)
{
    smr_i128 squares = 0, products = 0;
    int64_t start = 0, sum = 0, narrow_squares = 0, narrow_products = 0;
    for (int64_t r = 0; r < n; r++) {
        if (r + AHEAD < n) __builtin_prefetch(&aims->centred[row_at(order, r + AHEAD)]);
        int64_t ends = -(int64_t)(order[r] >> 31), twice = start + r - n;
        if (wide) {
            products += (smr_i128)twice * (sum & ends);
            squares += (smr_i128)(twice * twice) * ((r - start) & ends);
        } else {
            narrow_products += twice * (sum & ends);
            narrow_squares += twice * twice * ((r - start) & ends);
        }
        start = is_new(order, r) ? r : start;
        sum = (sum & ~ends) + aims->centred[row_at(order, r)];
    }
    products += narrow_products + (smr_i128)start * sum;
    squares += narrow_squares + (smr_i128)(start * start) * (n - start);
    double r = (double)products / sqrt((double)squares * aims->centred_squares);
    return r > 1 ? 1 : r < -1 ? -1 : r;
}

double smr_rank_correlation(int64_t n, const uint32_t *order, const struct aims *aims)
{
    return n <= NARROW_ROWS ? correlate_ranks(n, order, aims, false)
                            : correlate_ranks(n, order, aims, true);
}

void smr_weigh_ranks(int64_t n, const uint32_t *order, const double *weight, double *rank)
{
    double below = 0;
    for (int64_t r = 0, end; r < n; r = end) {
        double level = 0;
        end = run_end(n, order, r);
        for (int64_t k = r; k < end; k++) level += weight[row_at(order, k)];
        for (int64_t k = r; k < end; k++) rank[row_at(order, k)] = below + 0.5 * (level + 1);
        below += level;
    }
}
