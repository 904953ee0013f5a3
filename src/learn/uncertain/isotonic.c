/* isotonic.c -- see maps.h. */
#include "learn/uncertain/maps.h"

#include "core/sort.h"

/* Rows that have one value: their weight, the weight of their yes, and where they lie. */
struct pool {
    double weight, yes, low, high;
    double value; /* yes / weight, until it is kept away from 0 and 1 */
};

/* Pools in ascending order of score, one for each distinct score; returns how many. */
static int64_t distinct_scores(const smr_scored *r, const int64_t *order, struct pool *pools)
{
    int64_t m = 0;
    for (int64_t k = 0; k < r->n; k++) {
        int64_t i = order[k];
        double x = r->x[i * r->stride], w = r->weight ? r->weight[i] : 1;
        if (!(w > 0)) continue;
        if (m == 0 || pools[m - 1].high != x) pools[m++] = (struct pool){.low = x, .high = x};
        struct pool *at = &pools[m - 1];
        at->weight += w;
        if (r->label[i] == r->yes) at->yes += w;
        at->value = at->yes / at->weight;
    }
    return m;
}

/* Joins neighbours until values ascend; in place. */
static int64_t pool_violators(struct pool *pools, int64_t m)
{
    int64_t top = 0;
    for (int64_t k = 0; k < m; k++) {
        struct pool now = pools[k];
        while (top > 0 && pools[top - 1].value >= now.value) {
            now.weight += pools[top - 1].weight;
            now.yes += pools[top - 1].yes;
            now.low = pools[--top].low;
            now.value = now.yes / now.weight;
        }
        pools[top++] = now;
    }
    return top;
}

/* The least that rows of this weight support. */
static double least(const struct pool *p)
{
    return 1 / (p->weight + 2);
}

/* Values ascend, so that only the first may be 0 and the last 1; they still ascend after it. */
static void keep_away(struct pool *pools, int64_t m)
{
    if (m == 0) return;
    struct pool *first = &pools[0], *last = &pools[m - 1];
    double after = m > 1 ? first[1].value : 1, before = m > 1 ? last[-1].value : 0;
    first->value = smr_fmax(first->value, smr_fmin(least(first), after));
    last->value = smr_fmin(last->value, smr_fmax(1 - least(last), before));
}

smr_status smr_isotonic_fit(smr_ctx *ctx, const smr_scored *r, int64_t *n_knots, double **x_out,
                            double **y_out)
{
    smr_status st = SMR_OK;
    double *x = NULL, *y = NULL;
    int64_t *order = NULL, at = 0;
    struct pool *pools = NULL;
    TRY_NEW(x, SMR_MAX(1, r->n));
    TRY_NEW(order, SMR_MAX(1, r->n));
    TRY_NEW(pools, SMR_MAX(1, r->n));
    for (int64_t i = 0; i < r->n; i++) x[i] = r->x[i * r->stride];
    TRY(smr_argsort_f64(ctx, r->n, x, order));
    int64_t m = pool_violators(pools, distinct_scores(r, order, pools));
    keep_away(pools, m);
    smr_free(x);
    x = NULL;
    TRY_NEW(x, 2 * m + 1);
    TRY_NEW(y, 2 * m + 1);
    for (int64_t k = 0; k < m; k++) {
        x[at] = pools[k].low;
        y[at++] = pools[k].value;
        if (pools[k].high == pools[k].low) continue;
        x[at] = pools[k].high;
        y[at++] = pools[k].value;
    }
    *n_knots = at;
    *x_out = x;
    *y_out = y;
    x = y = NULL;
out:
    smr_free(x);
    smr_free(y);
    smr_free(order);
    smr_free(pools);
    return st;
}

double smr_isotonic(int64_t n, const double *x, const double *y, double at)
{
    int64_t lo = 0, hi = n - 1;
    if (n == 0) return 0;
    if (!(at > x[0])) return y[0];
    if (at >= x[hi]) return y[hi];
    while (hi - lo > 1) { /* x[lo] < at <= x[hi], or at = x[lo] */
        int64_t mid = lo + (hi - lo) / 2;
        if (x[mid] <= at)
            lo = mid;
        else
            hi = mid;
    }
    return y[lo] + (y[hi] - y[lo]) * ((at - x[lo]) / (x[hi] - x[lo]));
}
