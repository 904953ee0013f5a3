/* svm_interior.c -- a primal-dual interior point method for the rows near the margin; see
 * svm_interior.h.
 *
 * With t = c - a, and p, q > 0 the multipliers of a >= 0 and t >= 0, the optimum is where
 *
 *     p - q = -s,   l2 w = f + Z'(a y),   a p = 0,  t q = 0                                     (1)
 *
 * with f the part of the rows whose variables stay at their bounds, and the path to it where the
 * last two are mu > 0.  From beta it begins on the path but for the second equation: with
 * k = -s c / mu, a / c = 2 / (k + 2 + root(k^2 + 4)).  One step solves
 *
 *     (l2 + Z'DZ) dbeta = f + Z'(a y) - l2 beta + Z'(y D e),   D = 1 / (p / a + q / t)          (2)
 *     da = D (e - y Z dbeta),   e = mp / a - mq / t + s
 *
 * with mp = mq = 0 for the predictor, and mu aimed at less the products of the predictor's changes
 * for the corrector (Mehrotra).
 *
 * Then all rows are looked at.  If the gap is too large, rows that were held at a bound belong near
 * the margin: more rows come in, at last all.
 * References: Mehrotra, SIAM J. Optim. 2(4), 1992; Ferris & Munson, SIAM J. Optim. 13(3), 2002. */
#include "learn/svm/svm_interior.h"

#include "kernel/kernel.h"

#include <math.h>
#include <string.h>

enum {
    REFINED = 2,  /* times                                   */
    STALLED = 30, /* steps after which the gap should be less */
    MOST_STEPS = 200,
    MOST_ROUNDS = 20,
    MOST_DOUBLED = 60,
    FEW_ROWS = 4096,
    LEAST_PER_COLUMN = 64
};
static const double SHORTEN = 0.995; /* how much of the way to the boundary is gone           */
static const double FIRST_MU = 0.25; /* in h and the mean weight                              */
static const double WIDER = 8;       /* in h: how far from the margin rows are taken          */
static const double SHARE = 0.1;     /* of the gap that is allowed: what the rows taken leave */
static const double AT_BOUND = 1e-4; /* of the largest variable: as good as 0                 */

struct core {
    smr_hinge *its;
    const smr_design *design; /* of the rows taken                               */
    smr_design own;           /* that, if not all rows are                       */
    smr_held_rows rows;       /* copied                                          */
    int64_t n, count;         /* rows taken; those with weight                   */
    int64_t *taken;           /* their numbers; NULL: all                        */
    double *y, *c;            /* n                                               */
    double *a, *t, *p, *q, *s, *da, *dp, *dq, *D, *e, *work;
    double *fixed, base;         /* p: f; the constant of the other rows' loss      */
    double *all, *G, *L;         /* p^2 + 3 p: Gram matrix and sums; p x p twice    */
    double *slope, *step, *kept; /* p; kept: beta before                        */
    double *sides;               /* 2 p                                         */
    double objective, gap;
};

/* ---- which rows ------------------------------------------------------------------------- */

static double slack(const smr_hinge *its, int64_t i)
{
    return 1 - its->y[i] * its->score[i];
}

/* How many rows lie within *width of the margin, which is raised until they are `least`, or all
 * that have weight. */
static int64_t count_near(const smr_hinge *its, int64_t least, double *width)
{
    int64_t n = its->design->n, all = 0;
    for (int64_t i = 0; i < n; i++) all += smr_hinge_weight(its, i) > 0;
    for (int doubled = 0;; doubled++) {
        int64_t count = 0;
        for (int64_t i = 0; i < n; i++)
            count += fabs(slack(its, i)) <= *width && smr_hinge_weight(its, i) > 0;
        if (count >= SMR_MIN(least, all) || doubled == MOST_DOUBLED) return count;
        *width *= 2;
    }
}

/* The rows that are not taken, at their bounds: f and the constant. */
static smr_status fix_others(smr_ctx *ctx, struct core *k, double width)
{
    smr_status st = SMR_OK;
    smr_hinge *its = k->its;
    int64_t n = its->design->n, at = 0;
    double *u = NULL;
    TRY_NEW(k->taken, k->n);
    TRY_NEW(u, n);
    for (int64_t i = 0; i < n; i++) {
        double c = smr_hinge_weight(its, i), s = slack(its, i);
        its->alpha[i] = s > 0 ? c : 0;
        u[i] = its->alpha[i] * its->y[i];
        if (fabs(s) <= width && c > 0)
            k->taken[at++] = i, u[i] = 0;
        else
            k->base += its->alpha[i];
    }
    TRY(smr_design_sums(ctx, its->design, u, k->fixed));
out:
    smr_free(u);
    return st;
}

/* A copy of the rows taken, in the frame of all. */
static smr_status copy_taken(smr_ctx *ctx, struct core *k)
{
    smr_status st = SMR_OK;
    const smr_design *D = k->its->design;
    TRY(smr_held_some(ctx, &D->rows.data, k->taken, k->n, &k->rows));
    TRY(smr_design_open(ctx, &k->rows.data, D->intercept, &k->own));
    memcpy(k->own.shift, D->shift, (size_t)D->n_kept * sizeof *D->shift);
    memcpy(k->own.scale, D->scale, (size_t)D->n_kept * sizeof *D->scale);
    k->own.direct = D->direct;
    k->design = &k->own;
out:
    return st;
}

static smr_status open_core(smr_ctx *ctx, smr_hinge *its, double *width, struct core *k)
{
    smr_status st = SMR_OK;
    const smr_design *D = its->design;
    int64_t p = D->p, least = SMR_MAX(FEW_ROWS, LEAST_PER_COLUMN * p);
    *k = (struct core){.its = its, .design = D, .n = D->n};
    TRY_NEW(k->fixed, p);
    TRY_NEW(k->all, p * p + 3 * p);
    TRY_NEW(k->G, p * p);
    TRY_NEW(k->L, p * p);
    TRY_NEW(k->slope, p);
    TRY_NEW(k->step, p);
    TRY_NEW(k->kept, p);
    TRY_NEW(k->sides, 2 * p);
    if (D->n > 2 * least) {
        int64_t near = count_near(its, least, width);
        if (near < D->n / 2) {
            k->n = near;
            TRY(fix_others(ctx, k, *width));
        }
    }
    TRY(smr_memory_check(ctx, 8.0 * (double)(k->taken ? p + 13 : 13) * (double)k->n,
                         "svm's interior point method", "take solver=dual, or a larger tol"));
    if (k->taken) TRY(copy_taken(ctx, k));
    double **vectors[] = {&k->y,  &k->c,  &k->a,  &k->t, &k->p, &k->q,   &k->s,
                          &k->da, &k->dp, &k->dq, &k->D, &k->e, &k->work};
    for (int64_t i = 0; i < SMR_COUNT(vectors); i++) TRY_NEW(*vectors[i], k->n);
    for (int64_t i = 0; i < k->n; i++) {
        int64_t from = k->taken ? k->taken[i] : i;
        k->y[i] = its->y[from];
        k->c[i] = smr_hinge_weight(its, from);
        k->count += k->c[i] > 0;
    }
out:
    return st;
}

static void close_core(struct core *k)
{
    double *all[] = {k->y,   k->c,  k->a,  k->t,     k->p,    k->q,    k->s,
                     k->da,  k->dp, k->dq, k->D,     k->e,    k->work, k->fixed,
                     k->all, k->G,  k->L,  k->slope, k->step, k->kept, k->sides};
    for (int64_t i = 0; i < SMR_COUNT(all); i++) smr_free(all[i]);
    smr_design_close(&k->own);
    smr_held_close(&k->rows);
    smr_free(k->taken);
}

/* ---- one step --------------------------------------------------------------------------- */

/* Onto the path; rows without weight stay at 0 and have no part. */
static smr_status begin(smr_ctx *ctx, struct core *k)
{
    smr_status st = SMR_OK;
    double mu = FIRST_MU * k->its->h * smr_sum_f64(k->n, k->c) / (double)SMR_MAX(k->count, 1);
    TRY(smr_design_scores(ctx, k->design, k->its->beta, k->s));
    for (int64_t i = 0; i < k->n; i++) {
        double c = k->c[i], s = k->s[i] = 1 - k->y[i] * k->s[i], x = -s * c / mu;
        if (c == 0) continue;
        double root = sqrt(x * x + 4), sum = x > 0 ? x + root : 4 / (root - x);
        k->a[i] = 2 * c / (2 + sum);
        k->t[i] = 2 * c / (2 + 4 / sum);
        k->p[i] = mu / k->a[i];
        k->q[i] = mu / k->t[i];
    }
out:
    return st;
}

/* Gram matrix of D; sums of a y, of the room, and of y D s. */
static void add_block(void *arg, const smr_design_block *b, double *partial)
{
    const struct core *k = arg;
    int64_t p = b->design->p;
    double u[3 * SMR_ROWS_BLOCK];
    for (int64_t r = 0; r < b->n; r++) {
        int64_t i = b->first + r;
        u[3 * r] = k->a[i] * k->y[i];
        u[3 * r + 1] = smr_fmin(k->a[i], k->t[i]);
        u[3 * r + 2] = k->y[i] * k->D[i] * k->s[i];
    }
    smr_block_gram(b, k->D + b->first, partial);
    smr_block_sums(b, 3, u, partial + p * p);
}

/* Objective and gap, as svm_smooth.c's judge takes them, and the slope of (2). */
static void judge(struct core *k)
{
    smr_hinge *its = k->its;
    const smr_design *D = its->design;
    int64_t p = D->p;
    const double *v = k->all + p * p, *room = v + p;
    double total = 0, excess = 0, tilt = 0, loss = k->base, square = 0, miss = 0;
    for (int64_t i = 0; i < k->n; i++) {
        double s = k->s[i], m = smr_fmin(k->a[i], k->t[i]);
        total += m;
        tilt += k->y[i] * m * s;
        excess += s > 0 ? k->t[i] * s : -k->a[i] * s;
        loss += k->c[i] * smr_fmax(s, 0);
    }
    for (int64_t j = 0; j < p; j++) {
        k->slope[j] = k->fixed[j] + v[j];
        loss -= k->fixed[j] * its->beta[j];
    }
    double balance = D->intercept ? k->slope[p - 1] : 0;
    double by = balance != 0 && fabs(balance) <= total ? balance / total : 0;
    for (int64_t j = 0; j < D->n_kept; j++) {
        double w = its->beta[j] * D->scale[j];
        double away = (k->slope[j] - by * room[j]) / D->scale[j] - its->l2 * w;
        square += w * w;
        miss += away * away;
        k->slope[j] -= its->l2 * D->scale[j] * w;
    }
    k->objective = 0.5 * its->l2 * square + loss;
    k->gap = fabs(balance) <= total ? excess + by * tilt + 0.5 * miss / its->l2 : INFINITY;
}

/* step = the solution of (2) for the right-hand side in step.  Where columns depend on others the
 * factor is that of a matrix nearby, and the rest is solved for again. */
static smr_status solve(smr_ctx *ctx, struct core *k)
{
    smr_status st = SMR_OK;
    int64_t p = k->design->p;
    double *right = k->sides, *rest = k->sides + p;
    memcpy(right, k->step, (size_t)p * sizeof *right);
    TRY(smr_design_solve(ctx, p, k->L, k->step));
    for (int round = 0; round < REFINED; round++) {
        for (int64_t j = 0; j < p; j++) rest[j] = right[j] - smr_dot_f64(p, k->G + j * p, k->step);
        TRY(smr_design_solve(ctx, p, k->L, rest));
        smr_axpy_f64(p, 1, rest, k->step);
    }
out:
    return st;
}

/* da, dp and dq from step and e; mu = 0 for the predictor. */
static smr_status directions(smr_ctx *ctx, struct core *k, double mu)
{
    smr_status st = smr_design_scores(ctx, k->design, k->step, k->work);
    if (st != SMR_OK) return st;
    for (int64_t i = 0; i < k->n; i++) {
        if (k->c[i] == 0) continue;
        double a = k->a[i], t = k->t[i], mp = 0, mq = 0;
        if (mu > 0) {
            mp = mu - k->da[i] * k->dp[i];
            mq = mu + k->da[i] * k->dq[i];
        }
        double da = k->da[i] = k->D[i] * (k->e[i] - k->y[i] * k->work[i]);
        k->dp[i] = (mp - k->p[i] * da) / a - k->p[i];
        k->dq[i] = (mq + k->q[i] * da) / t - k->q[i];
    }
    return SMR_OK;
}

/* How far all stay positive, at most 1. */
static double longest(const struct core *k, double part)
{
    double far = INFINITY;
    for (int64_t i = 0; i < k->n; i++) {
        if (k->c[i] == 0) continue;
        double da = k->da[i];
        if (da < 0) far = smr_fmin(far, k->a[i] / -da);
        if (da > 0) far = smr_fmin(far, k->t[i] / da);
        if (k->dp[i] < 0) far = smr_fmin(far, k->p[i] / -k->dp[i]);
        if (k->dq[i] < 0) far = smr_fmin(far, k->q[i] / -k->dq[i]);
    }
    return smr_fmin(1, part * far);
}

/* The mean of a p and t q after a step of this length. */
static double mean_after(const struct core *k, double length)
{
    double sum = 0;
    for (int64_t i = 0; i < k->n; i++) {
        double da = length * k->da[i];
        sum += (k->a[i] + da) * (k->p[i] + length * k->dp[i]) +
               (k->t[i] - da) * (k->q[i] + length * k->dq[i]);
    }
    return sum / (double)(2 * SMR_MAX(k->count, 1));
}

/* e of the corrector, and its step. */
static smr_status correct(smr_ctx *ctx, struct core *k, double mu)
{
    smr_status st = SMR_OK;
    int64_t p = k->design->p;
    for (int64_t i = 0; i < k->n; i++) {
        k->work[i] = 0;
        if (k->c[i] == 0) continue;
        k->e[i] += (mu - k->da[i] * k->dp[i]) / k->a[i] - (mu + k->da[i] * k->dq[i]) / k->t[i];
        k->work[i] = k->y[i] * k->D[i] * k->e[i];
    }
    TRY(smr_design_sums(ctx, k->design, k->work, k->step));
    smr_axpy_f64(p, 1, k->slope, k->step);
    TRY(solve(ctx, k));
    TRY(directions(ctx, k, mu));
out:
    return st;
}

static smr_status advance(smr_ctx *ctx, struct core *k, double length)
{
    smr_axpy_f64(k->design->p, length, k->step, k->its->beta);
    for (int64_t i = 0; i < k->n; i++) {
        k->a[i] += length * k->da[i];
        k->t[i] -= length * k->da[i];
        k->p[i] += length * k->dp[i];
        k->q[i] += length * k->dq[i];
    }
    smr_status st = smr_design_scores(ctx, k->design, k->its->beta, k->s);
    for (int64_t i = 0; i < k->n && st == SMR_OK; i++) k->s[i] = 1 - k->y[i] * k->s[i];
    return st;
}

/* D and the sums of (2), with them the gap. */
static smr_status prepare(smr_ctx *ctx, struct core *k)
{
    smr_status st = SMR_OK;
    int64_t p = k->design->p;
    for (int64_t i = 0; i < k->n; i++) {
        double a = k->a[i], t = k->t[i];
        k->D[i] = k->c[i] > 0 ? a * t / (k->p[i] * t + k->q[i] * a) : 0;
        k->e[i] = k->s[i];
    }
    TRY(smr_design_pass(ctx, k->design, add_block, NULL, k, p * p + 3 * p, k->all));
    judge(k);
out:
    return st;
}

/* *is_over: rounding allows no more. */
static smr_status take_step(smr_ctx *ctx, struct core *k, bool *is_over)
{
    smr_status st = SMR_OK;
    const smr_design *D = k->its->design;
    int64_t p = D->p;
    double mu = mean_after(k, 0), damped;
    for (int64_t i = 0; i < p; i++)
        for (int64_t j = i; j < p; j++) k->G[i * p + j] = k->G[j * p + i] = k->all[i * p + j];
    for (int64_t j = 0; j < D->n_kept; j++)
        k->G[j * p + j] += k->its->l2 * D->scale[j] * D->scale[j];
    *is_over = true;
    TRY(smr_design_factor(ctx, p, k->G, k->L, &damped));
    if (damped < 0) goto out;
    for (int64_t j = 0; j < p; j++) k->step[j] = k->slope[j] + k->all[p * p + 2 * p + j];
    TRY(solve(ctx, k));
    TRY(directions(ctx, k, 0));
    double ratio = mean_after(k, longest(k, 1)) / mu;
    TRY(correct(ctx, k, mu * ratio * ratio * ratio));
    double length = longest(k, SHORTEN);
    if (!(length > 1e-8) || !isfinite(smr_sum_f64(p, k->step))) goto out;
    TRY(advance(ctx, k, length));
    *is_over = false;
out:
    return st;
}

/* ---- all rows --------------------------------------------------------------------------- */

static smr_status walk(smr_ctx *ctx, struct core *k)
{
    smr_status st = SMR_OK;
    smr_hinge *its = k->its;
    bool is_over = false;
    double best = INFINITY;
    int since = 0;
    TRY(begin(ctx, k));
    for (int i = 0; i < MOST_STEPS && !is_over && its->n_iter < its->max_iter; i++) {
        TRY(prepare(ctx, k));
        if (k->gap <= SHARE * its->tol * k->objective) break;
        since = k->gap < 0.9 * best || isinf(best) ? 0 : since + 1;
        best = smr_fmin(best, k->gap);
        if (since > STALLED) break;
        TRY(smr_tick(ctx, "svm", its->n_iter, its->max_iter, k->gap));
        its->n_iter++;
        TRY(take_step(ctx, k, &is_over));
    }
out:
    return st;
}

/* The variables of the rows taken; those as good as at a bound are put there. */
static void give_back(const struct core *k, double near)
{
    double largest = 0;
    for (int64_t i = 0; i < k->n; i++) largest = smr_fmax(largest, k->a[i]);
    for (int64_t i = 0; i < k->n; i++) {
        double a = k->a[i], c = k->c[i], least = near * smr_fmin(largest, c);
        bool is_low = k->s[i] < 0 && a <= least, is_high = k->s[i] > 0 && k->t[i] <= least;
        k->its->alpha[k->taken ? k->taken[i] : i] = is_low ? 0 : is_high ? c : smr_fmin(a, c);
    }
}

/* One round: the rows within *width of the margin, and a look at all; beta is left as it was where
 * that made it worse.  *is_all: they were all. */
static smr_status play(smr_ctx *ctx, smr_hinge *its, double *width, bool *is_all)
{
    smr_status st = SMR_OK;
    struct core k;
    double before = its->objective;
    TRY(open_core(ctx, its, width, &k));
    memcpy(k.kept, its->beta, (size_t)k.design->p * sizeof *k.kept);
    TRY(walk(ctx, &k));
    for (int way = 0; way < 2 && !its->converged; way++) {
        give_back(&k, way == 0 ? AT_BOUND : 0);
        TRY(smr_hinge_certify(ctx, its));
        its->converged = its->gap <= its->tol * its->objective;
    }
    *is_all = !k.taken;
    if (its->objective > before && !its->converged) {
        memcpy(its->beta, k.kept, (size_t)k.design->p * sizeof *k.kept);
        TRY(smr_hinge_certify(ctx, its));
    }
out:
    close_core(&k);
    return st;
}

smr_status smr_hinge_interior(smr_ctx *ctx, smr_hinge *its)
{
    smr_status st = SMR_OK;
    double width = WIDER * its->h;
    bool is_all = false;
    TRY(smr_hinge_certify(ctx, its)); /* the scores, and P to compare with */
    for (int round = 0; round < MOST_ROUNDS && !is_all; round++, width *= 4) {
        TRY(play(ctx, its, &width, &is_all));
        if (its->converged || its->n_iter >= its->max_iter) break;
    }
out:
    return st;
}
