/* compare_rank.c -- which model is best, and by how much: see compare.h. */
#include "math/special.h"
#include "study/compare.h"

#include <math.h>

/* A spread so many times the best's, and so large a share of its mean, is not noise like its. */
static const double WILD_SPREAD = 5, WILD_SHARE = 0.25;
/* Equal models may add up the same errors in another order. */
static const double ROUNDING = 1e-12;

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

/* Rounds won and lost against the best; ties are neither. */
/* By how much the best is ahead in a round; scores that differ by rounding are equal. */
static double lead_of(const smr_contender *best, const smr_contender *c, int64_t round, double sign)
{
    double a = best->score[round], b = c->score[round];
    if (isinf(a) || isinf(b)) return a == b ? 0 : sign * (a - b);
    return fabs(a - b) <= ROUNDING * smr_fmax(fabs(a), fabs(b)) ? 0 : sign * (a - b);
}

static void count_duels(smr_contender *c, int64_t n_rounds, const double *d)
{
    for (int64_t r = 0; r < n_rounds; r++) {
        c->won += d[r] < 0;
        c->lost += d[r] > 0;
    }
}

/* Does the one spread so much more than the other that a mean of rounds says little? */
static bool is_wild(const smr_cv_summary *one, const smr_cv_summary *other)
{
    return one->sd > WILD_SPREAD * other->sd && one->sd > WILD_SHARE * fabs(other->mean);
}

/* How often a fair coin would lose that many rounds of one repetition, or more: further repetitions
 * have the same rows, and count by their share. */
static double p_of_losses(const smr_contender *c, int64_t n_rounds, int64_t per_repeat)
{
    double n = (double)per_repeat;
    double lost = floor((double)c->lost * n / (double)n_rounds);
    return lost > 0 ? smr_beta_lower(lost, n - lost + 1, 0.5) : 1;
}

/* The best that is not a baseline, or -1. */
static int64_t find_best(const smr_contender *list, int64_t n)
{
    for (int64_t i = 0; i < n; i++)
        if (list[i].score && !list[i].is_baseline && !isnan(list[i].sum.mean)) return i;
    return -1;
}

/* The baseline is steady: beside it, the best may be the wild one. */
static void compare_with_best(smr_contender *c, const smr_contender *best,
                              const smr_league_rounds *of, double sign, double *d)
{
    double largest = 0;
    for (int64_t r = 0; r < of->n; r++) {
        d[r] = lead_of(best, c, r, sign);
        largest = smr_fmax(largest, fabs(d[r]));
    }
    c->behind = smr_cv_summary_of(d, of->n, 1, of->test_over_train, of->confidence);
    bool endless = isinf(c->behind.mean); /* some row has density 0 */
    if (!endless && fabs(c->behind.mean) <= ROUNDING * largest)
        c->behind.mean = 0; /* wins and losses cancel */
    c->p = endless ? 0 : p_value(&c->behind);
    count_duels(c, of->n, d);
    c->wild = c->is_baseline ? is_wild(&best->sum, &c->sum) : is_wild(&c->sum, &best->sum);
    c->p_lost = p_of_losses(c, of->n, of->per_repeat);
}

smr_status smr_compare_rank(smr_ctx *ctx, smr_contender *list, int64_t n,
                            const smr_league_rounds *of)
{
    double sign = of->higher_is_better ? 1 : -1, *d = NULL;
    smr_status st = SMR_OK;
    TRY_NEW(d, of->n);
    for (int64_t i = 0; i < n; i++) {
        list[i].p = NAN;
        list[i].wins = list[i].won = list[i].lost = 0;
        list[i].behind = (smr_cv_summary){0};
        if (list[i].score)
            list[i].sum =
                smr_cv_summary_of(list[i].score, of->n, 1, of->test_over_train, of->confidence);
    }
    sort(list, n, sign);
    count_wins(list, n, of->n, sign);
    int64_t best = find_best(list, n);
    for (int64_t i = 0; best >= 0 && i < n; i++)
        if (list[i].score && i != best) compare_with_best(&list[i], &list[best], of, sign, d);
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
    if (c->p < 1 - confidence) return c->behind.mean > 0 ? "worse" : "better";
    if (!c->wild) return "within noise";
    return c->behind.mean > 0 && c->p_lost < 1 - confidence ? "worse" : "too variable";
}
