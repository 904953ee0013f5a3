/* bins_cuts.c -- the cuts of one feature, from its values.
 *
 * Numbers are sorted by their bits (core/sort.h).  Then the distinct values are walked through: at
 * most max_bins of them have a bin each; else a bin is closed when the next value would bring it
 * farther above its share of the rows that are left than it now is below, and a value that many
 * rows have gets a bin of its own.
 *
 * Rows are counted by their weights.  Sums of whole weights are exact, so that weight 2 gives the
 * cuts of the row twice. */
#include "learn/trees/bins_parts.h"

#include "core/sort.h"

#include <math.h>
#include <string.h>

enum { VALUES = 256 };

double smr_bins_between(double a, double b)
{
    double middle = a / 2 + b / 2;
    return middle >= a && middle < b ? middle : a;
}

/* ---- cuts ------------------------------------------------------------------------------- */

/* Values with the weight of their rows are met twice, ascending: weighed, then divided.  A value
 * that at least an even share of all rows have is heavy, and gets its own bin; the light ones share
 * the other bins. */
struct cutter {
    struct smr_bins_part *out;
    int64_t max_bins;
    double rows;                   /* weight of all                          */
    double light_rows, light_bins; /* that are left, the open bin among them */
    double filled;                 /* rows in the bin that is open           */
    double last;                   /* the value met last                     */
    bool any, is_heavy;            /* the open bin                           */
};

static bool is_heavy(const struct cutter *c, double count)
{
    return count * (double)c->max_bins >= c->rows;
}

static void weigh(struct cutter *c, double count)
{
    if (is_heavy(c, count)) {
        c->light_rows -= count;
        c->light_bins--;
    }
}

/* Closes the open bin below `next`, which count rows have, if one of them is heavy, or if it is
 * now nearer to an even share. */
static void meet(struct cutter *c, double next, double count)
{
    struct smr_bins_part *out = c->out;
    bool heavy = is_heavy(c, count);
    bool full = (2 * c->filled + count) * c->light_bins >= 2 * c->light_rows;
    if (c->any && out->n_bins < c->max_bins && (heavy || c->is_heavy || full)) {
        out->cut[out->n_bins - 1] = smr_bins_between(c->last, next);
        out->n_bins++;
        if (!c->is_heavy) {
            c->light_rows -= c->filled;
            c->light_bins = smr_fmax(1, c->light_bins - 1);
        }
        c->filled = 0;
    }
    c->filled += count;
    c->is_heavy = heavy;
    c->last = next;
    c->any = true;
}

static struct cutter begin_cuts(struct smr_bins_part *out, int64_t max_bins, double rows)
{
    out->n_bins = 1;
    out->is_exact = false;
    return (struct cutter){.out = out,
                           .max_bins = max_bins,
                           .rows = rows,
                           .light_rows = rows,
                           .light_bins = (double)max_bins};
}

void smr_bins_of_distinct(const double *value, int64_t n, struct smr_bins_part *out)
{
    out->n_bins = (int32_t)SMR_MAX(1, n);
    out->is_exact = true;
    for (int64_t k = 0; k < n; k++) out->value[k] = value[k];
    for (int64_t k = 0; k + 1 < n; k++) out->cut[k] = smr_bins_between(value[k], value[k + 1]);
    if (n == 0) out->value[0] = 0;
}

/* Distinct values at the front of x, up to max_bins + 1 of them; returns how many. */
static int64_t first_distinct(const uint64_t *sorted, int64_t n, int64_t max_bins, double *value)
{
    int64_t k = 0;
    for (int64_t i = 0; i < n; i++) {
        if (i > 0 && sorted[i] == sorted[i - 1]) continue;
        if (k == max_bins) return k + 1;
        value[k++] = smr_sort_value(sorted[i]);
    }
    return k;
}

static int64_t end_of_run(const uint64_t *sorted, int64_t i, int64_t n)
{
    int64_t end = i + 1;
    while (end < n && sorted[end] == sorted[i]) end++;
    return end;
}

/* Rows of the run [i, end); zeros > 0: the number of rows for the one 0. */
static double rows_of_run(const uint64_t *sorted, int64_t i, int64_t end, int64_t zeros)
{
    return (double)(zeros > 0 && sorted[i] == (uint64_t)1 << 63 ? zeros : end - i);
}

static void bins_of_runs(double *x, double *spare, int64_t n, int64_t zeros, int64_t max_bins,
                         struct smr_bins_part *out)
{
    double value[SMR_BINS_MOST];
    uint64_t *bits = (uint64_t *)(void *)x;
    int64_t m = 0;
    for (int64_t i = 0; i < n; i++) {
        uint64_t u = smr_sort_key(x[i]);
        bool keep = !isnan(x[i]);
        memcpy(&x[m], &u, sizeof u);
        m += keep;
    }
    bits = smr_sort_keys(m, bits, (uint64_t *)(void *)spare);
    int64_t k = first_distinct(bits, m, max_bins, value);
    if (k <= max_bins) {
        smr_bins_of_distinct(value, k, out);
        return;
    }
    struct cutter c = begin_cuts(out, max_bins, (double)(zeros > 0 ? m - 1 + zeros : m));
    for (int64_t i = 0, end; i < m; i = end) {
        end = end_of_run(bits, i, m);
        weigh(&c, rows_of_run(bits, i, end, zeros));
    }
    for (int64_t i = 0, end; i < m; i = end) {
        end = end_of_run(bits, i, m);
        meet(&c, smr_sort_value(bits[i]), rows_of_run(bits, i, end, zeros));
    }
}

void smr_bins_of_numbers(double *x, double *spare, int64_t n, int64_t max_bins,
                         struct smr_bins_part *out)
{
    bins_of_runs(x, spare, n, 0, max_bins, out);
}

void smr_bins_of_sparse(double *x, double *spare, int64_t n, int64_t zeros, int64_t max_bins,
                        struct smr_bins_part *out)
{
    if (zeros > 0) x[n++] = 0;
    bins_of_runs(x, spare, n, zeros, max_bins, out);
}

/* Distinct values, ascending, and the weight of the rows that have each, added up in the order of
 * the rows; missing ones are left out.  Returns how many. */
static int64_t weigh_runs(const double *x, const double *weight, const int64_t *order, int64_t n,
                          double *value, double *sum)
{
    int64_t k = 0;
    for (int64_t i = 0, end; i < n && !isnan(x[order[i]]); i = end, k++) {
        sum[k] = 0;
        value[k] = x[order[i]] + 0.0;
        for (end = i; end < n && x[order[end]] == value[k]; end++) sum[k] += weight[order[end]];
    }
    return k;
}

static void cut_runs(const double *value, const double *sum, int64_t k, int64_t max_bins,
                     struct smr_bins_part *out)
{
    double rows = 0;
    for (int64_t i = 0; i < k; i++) rows += sum[i];
    struct cutter c = begin_cuts(out, max_bins, rows);
    for (int64_t i = 0; i < k; i++) weigh(&c, sum[i]);
    for (int64_t i = 0; i < k; i++)
        if (sum[i] > 0) meet(&c, value[i], sum[i]);
}

smr_status smr_bins_of_weighed(smr_ctx *ctx, const double *x, const double *weight, int64_t n,
                               int64_t max_bins, struct smr_bins_part *out)
{
    smr_status st = SMR_OK;
    int64_t *order = NULL;
    double *value = NULL, *sum = NULL;
    TRY_NEW(order, SMR_MAX(1, n));
    TRY_NEW(value, SMR_MAX(1, n));
    TRY_NEW(sum, SMR_MAX(1, n));
    TRY(smr_argsort_f64(ctx, n, x, order));
    int64_t k = weigh_runs(x, weight, order, n, value, sum);
    if (k <= max_bins)
        smr_bins_of_distinct(value, k, out);
    else
        cut_runs(value, sum, k, max_bins, out);
out:
    smr_free(order);
    smr_free(value);
    smr_free(sum);
    return st;
}

void smr_bins_of_bytes(const uint32_t count[256], const double *weight, int64_t max_bins,
                       struct smr_bins_part *out)
{
    double value[VALUES], rows[VALUES];
    int64_t k = 0;
    for (int v = 0; v < VALUES; v++) {
        if (count[v] == 0) continue;
        value[k] = v;
        rows[k++] = weight ? weight[v] : count[v];
    }
    if (k <= max_bins)
        smr_bins_of_distinct(value, k, out);
    else
        cut_runs(value, rows, k, max_bins, out);
}

/* ---- categories ------------------------------------------------------------------------- */

/* The count that the max_bins - 1 most frequent levels reach, and how many levels of just that
 * count are among them: the first ones. */
static smr_status find_frequent(smr_ctx *ctx, const double *count, int64_t n_levels, int64_t most,
                                double *least, int64_t *of_least)
{
    smr_status st = SMR_OK;
    double *x = NULL, *spare = NULL;
    TRY_NEW(x, n_levels);
    TRY_NEW(spare, n_levels);
    for (int64_t v = 0; v < n_levels; v++) {
        uint64_t u = smr_sort_key(count[v]);
        memcpy(&x[v], &u, sizeof u);
    }
    const uint64_t *sorted =
        smr_sort_keys(n_levels, (uint64_t *)(void *)x, (uint64_t *)(void *)spare);
    *least = most > 0 ? smr_sort_value(sorted[n_levels - most]) : INFINITY;
    *of_least = most;
    for (int64_t v = 0; v < n_levels; v++) *of_least -= count[v] > *least;
out:
    smr_free(x);
    smr_free(spare);
    return st;
}

static smr_status merge_rare(smr_ctx *ctx, const double *count, int64_t n_levels, int64_t max_bins,
                             struct smr_bins_part *out)
{
    smr_status st = SMR_OK;
    double least = 0;
    int64_t of_least = 0;
    int32_t bin = 0;
    uint8_t *map = NULL;
    TRY(find_frequent(ctx, count, n_levels, max_bins - 1, &least, &of_least));
    TRY_NEW(map, n_levels);
    for (int64_t v = 0; v < n_levels; v++) {
        bool own = count[v] > least || (count[v] == least && of_least-- > 0);
        map[v] = (uint8_t)(own ? bin++ : (int32_t)max_bins - 1);
    }
    out->n_bins = (int32_t)max_bins;
    out->is_exact = false;
    out->level_bin = map;
out:
    return st;
}

smr_status smr_bins_of_codes(smr_ctx *ctx, const double *code, const double *weight, int64_t n,
                             int64_t n_levels, int64_t max_bins, struct smr_bins_part *out)
{
    smr_status st = SMR_OK;
    double *count = NULL;
    if (n_levels <= max_bins) {
        out->n_bins = (int32_t)SMR_MAX(1, n_levels);
        out->is_exact = true;
        return SMR_OK;
    }
    TRY_NEW(count, n_levels);
    for (int64_t i = 0; i < n; i++)
        if (code[i] >= 0 && code[i] < (double)n_levels)
            count[(int64_t)code[i]] += weight ? weight[i] : 1;
    TRY(merge_rare(ctx, count, n_levels, max_bins, out));
out:
    smr_free(count);
    return st;
}
