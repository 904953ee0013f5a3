/* compare_rank.c -- which model is best, and by how much: see compare.h. */
#include "math/special.h"
#include "study/compare.h"

#include <math.h>

/* Is a before b in the league?  Higher is better here; what failed or is undefined comes last, and
 * equals stay in the order in which they were named. */
static bool precedes(const smr_contender *a, const smr_contender *b, double sign)
{
    if (!a->score || !b->score) return a->score && !b->score;
    if (isnan(a->sum.mean) || isnan(b->sum.mean)) return !isnan(a->sum.mean);
    return sign * a->sum.mean > sign * b->sum.mean;
}

/* A stable insertion sort: leagues are short. */
static void sort(smr_contender *list, int64_t n, double sign)
{
    for (int64_t i = 1; i < n; i++) {
        smr_contender c = list[i];
        int64_t at = i;
        while (at > 0 && precedes(&c, &list[at - 1], sign)) {
            list[at] = list[at - 1];
            at--;
        }
        list[at] = c;
    }
}

static void count_wins(smr_contender *list, int64_t n, int64_t n_rounds, double sign)
{
    for (int64_t r = 0; r < n_rounds; r++) {
        double most = -INFINITY;
        for (int64_t i = 0; i < n; i++)
            if (list[i].score && sign * list[i].score[r] > most) most = sign * list[i].score[r];
        for (int64_t i = 0; i < n; i++)
            list[i].wins += list[i].score && sign * list[i].score[r] == most;
    }
}

/* Two-sided p of a mean difference; all rounds alike leave no doubt. */
static double p_value(const smr_cv_summary *d)
{
    if (d->n < 2) return NAN;
    if (d->se == 0) return d->mean == 0 ? 1 : 0;
    return smr_t_two_sided(d->mean / d->se, (double)(d->n - 1));
}

/* Holm's step-down: the k-th smallest of m values times m - k (k from 0), at most 1 and no less
 * than the one before it.  Whether the columns tell anything is a question of its own, asked once:
 * the baseline is not one of the m, and more models do not blur it. */
static smr_status correct(smr_ctx *ctx, smr_contender *list, int64_t n)
{
    smr_status st = SMR_OK;
    int64_t *order = NULL, m = 0;
    double floor = 0;
    TRY_NEW(order, n + 1);
    for (int64_t i = 0; i < n; i++) {
        if (isnan(list[i].p) || list[i].is_baseline) continue;
        int64_t at = m++;
        for (; at > 0 && list[order[at - 1]].p > list[i].p; at--) order[at] = order[at - 1];
        order[at] = i;
    }
    for (int64_t k = 0; k < m; k++) {
        double *p = &list[order[k]].p;
        floor = smr_fmax(floor, smr_fmin(1, *p * (double)(m - k)));
        *p = floor;
    }
out:
    smr_free(order);
    return st;
}

/* The best that is not a baseline, or -1. */
static int64_t find_best(const smr_contender *list, int64_t n)
{
    for (int64_t i = 0; i < n; i++)
        if (list[i].score && !list[i].is_baseline && !isnan(list[i].sum.mean)) return i;
    return -1;
}

smr_status smr_compare_rank(smr_ctx *ctx, smr_contender *list, int64_t n, int64_t n_rounds,
                            bool higher_is_better, double test_over_train, double confidence)
{
    double sign = higher_is_better ? 1 : -1, *d = NULL;
    smr_status st = SMR_OK;
    TRY_NEW(d, n_rounds);
    for (int64_t i = 0; i < n; i++) {
        list[i].p = NAN;
        list[i].wins = 0;
        if (list[i].score)
            list[i].sum =
                smr_cv_summary_of(list[i].score, n_rounds, 1, test_over_train, confidence);
    }
    sort(list, n, sign);
    count_wins(list, n, n_rounds, sign);
    int64_t best = find_best(list, n);
    for (int64_t i = 0; best >= 0 && i < n; i++) {
        if (!list[i].score || i == best) continue;
        for (int64_t r = 0; r < n_rounds; r++)
            d[r] = sign * (list[best].score[r] - list[i].score[r]);
        list[i].behind = smr_cv_summary_of(d, n_rounds, 1, test_over_train, confidence);
        list[i].p = p_value(&list[i].behind);
    }
    TRY(correct(ctx, list, n));
out:
    smr_free(d);
    return st;
}

/* The best one is compared with nothing. */
const char *smr_compare_verdict(const smr_contender *c, double confidence)
{
    if (c->behind.n == 0 && !isnan(c->sum.mean) && isnan(c->p)) return "best";
    if (isnan(c->p)) return "unknown";
    if (c->behind.mean == 0 && c->behind.sd == 0) return "same";
    if (!(c->p < 1 - confidence)) return "within noise";
    return c->behind.mean > 0 ? "worse" : "better";
}
