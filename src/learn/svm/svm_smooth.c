/* svm_smooth.c -- Newton on smooth losses that approach the hinge; see svm_interior.h.
 *
 * For a half-width h the loss and its slope, which is the dual variable, are
 *
 *     loss_h(s) = 0,  (s + h)^2 / (4 h),  s      for s <= -h,  in between,  s >= h              (1)
 *     a_i = c_i loss_h'(s_i),
 *
 * so that at the minimum of P_h the variables are those of the dual and only the rows within h are
 * between their bounds.  A step solves
 *
 *     (l2 + Z' diag(c_i / 2h over the rows within h) Z) dbeta = Z'(a y) - l2 beta               (2)
 *
 * with the penalty on w alone.  When what the step gains is small against sum_i e_i, h falls; that
 * sum goes as h^2 while many rows lie within h.  The first steps see every 8th block of rows only,
 * or every 64th: a few thousand rows a column tell w well enough to begin with. */
#include "kernel/kernel.h"
#include "learn/svm/svm_interior.h"

#include <math.h>
#include <string.h>

enum {
    SETTLED = 16384,  /* rows at a time                                */
    MOST_PASSES = 30, /* over the same rows                            */
    MOST_TRIES = 6,   /* for the length of steps                       */
    THINNED = 8,      /* how many times more rows come with each stage */
    LEAST_ROWS = 8192,
    LEAST_PER_COLUMN = 128,
    LEAST_WITHIN = 4 /* rows within h, for each column                 */
};
static const double FIRST_H = 2;
static const double SHRINK = 0.1; /* h falls at most to this part of it                         */
static const double SMALL = 0.6;  /* of sum e: what a step may gain for h to fall               */
static const double FIRM = 0.05;  /* of P: the same                                             */
static const double AIM = 0.5;    /* of the gap that is allowed: sum e that h is chosen for     */
static const double NOISE = 0.25; /* sum e on part of the rows, in columns per row and in P     */

/* ---- a look at the rows ----------------------------------------------------------------- */

/* Sums over the rows: c max(0, s), c loss_h(s), e, room, y room s; and the rows within h. */
enum { LOSS, SMOOTH, EXCESS, ROOM, TILT, WITHIN, N_SUMS };

struct walk {
    smr_hinge *its;
    bool is_given; /* the variables are its->alpha, else those of (1) */
    int64_t every; /* one block in so many is read                    */
    int64_t width; /* p^2 + 2 p + N_SUMS                              */
    double *all;   /* width: Gram matrix, Z'(a y), Z' room, the sums  */
    double *G, *L; /* p x p                                           */
    double *step, *before;
    double shift;    /* of the variables that restores their balance: B / M */
    double floor;    /* where h had too few rows before                 */
    bool is_centred; /* beta is near the minimum of P_h                 */
};

static bool is_left_out(const void *arg, int64_t lo, int64_t hi)
{
    const struct walk *t = arg;
    (void)hi;
    return lo / SMR_ROWS_BLOCK % t->every != 0;
}

/* a_i / c_i by (1) */
static inline double part_of(double h, double s)
{
    return s >= h ? 1 : s <= -h ? 0 : smr_fmin(1, (s + h) / (2 * h));
}

static void look_at(void *arg, const smr_design_block *b, double *partial)
{
    const struct walk *t = arg;
    const smr_hinge *its = t->its;
    int64_t p = b->design->p;
    double h = its->h, *sum = partial + t->width - N_SUMS;
    double u[2 * SMR_ROWS_BLOCK], curve[SMR_ROWS_BLOCK], *score = its->score + b->first;
    smr_block_scores(b, its->beta, score);
    for (int64_t r = 0; r < b->n; r++) {
        double y = its->y[b->first + r], s = 1 - y * score[r];
        double c = smr_hinge_weight(its, b->first + r) * (double)t->every;
        double part = part_of(h, s), a = t->is_given ? its->alpha[b->first + r] : c * part;
        bool is_within = part > 0 && part < 1 && c > 0;
        double room = smr_fmin(a, c - a);
        u[2 * r] = a * y;
        u[2 * r + 1] = room;
        curve[r] = is_within && !t->is_given ? c / (2 * h) : 0;
        sum[LOSS] += c * smr_fmax(s, 0);
        sum[SMOOTH] += c * (part < 1 ? h * part * part : s);
        sum[EXCESS] += s > 0 ? (c - a) * s : -a * s;
        sum[ROOM] += room;
        sum[TILT] += y * room * s;
        sum[WITHIN] += is_within;
    }
    smr_block_sums(b, 2, u, partial + p * p);
    if (!t->is_given) smr_block_gram(b, curve, partial);
}

/* Objective and gap. */
static void judge(struct walk *t)
{
    smr_hinge *its = t->its;
    const smr_design *D = its->design;
    int64_t p = D->p;
    const double *v = t->all + p * p, *room = v + p, *sum = t->all + t->width - N_SUMS;
    double balance = D->intercept ? v[p - 1] : 0, square = 0, miss = 0;
    bool is_balanced = fabs(balance) <= sum[ROOM];
    t->shift = is_balanced && balance != 0 ? balance / sum[ROOM] : 0;
    for (int64_t k = 0; k < D->n_kept; k++) {
        double w = its->beta[k] * D->scale[k];
        double away = (v[k] - t->shift * room[k]) / D->scale[k] - its->l2 * w;
        square += w * w;
        miss += away * away;
    }
    its->objective = 0.5 * its->l2 * square + sum[LOSS];
    double gap = sum[EXCESS] + t->shift * sum[TILT] + 0.5 * miss / its->l2;
    its->gap = is_balanced && isfinite(gap) ? smr_fmax(gap, 0) : INFINITY;
}

static smr_status look(smr_ctx *ctx, struct walk *t)
{
    smr_status st = SMR_OK;
    smr_hinge *its = t->its;
    TRY(smr_tick(ctx, "svm", its->n_iter, its->max_iter, its->gap));
    its->n_iter++;
    TRY(smr_design_pass(ctx, its->design, look_at, t->every > 1 ? is_left_out : NULL, t, t->width,
                        t->all));
    judge(t);
out:
    return st;
}

/* The variables of (1), where they were not given, in balance. */
static smr_status settle_block(smr_ctx *ctx, void *arg, int64_t task, int lane)
{
    const struct walk *t = arg;
    const smr_hinge *its = t->its;
    (void)ctx, (void)lane;
    for (int64_t i = task * SETTLED; i < smr_block_end(its->design->n, SETTLED, task); i++) {
        double c = smr_hinge_weight(its, i), y = its->y[i], s = 1 - y * its->score[i];
        double a = t->is_given ? its->alpha[i] : c * part_of(its->h, s);
        its->alpha[i] = a - y * t->shift * smr_fmin(a, c - a);
    }
    return SMR_OK;
}

static smr_status settle(smr_ctx *ctx, struct walk *t)
{
    int64_t n_blocks = smr_block_count(t->its->design->n, SETTLED);
    return smr_parallel(ctx, NULL, n_blocks, settle_block, t);
}

/* ---- the steps -------------------------------------------------------------------------- */

/* (2) into step; *gain is twice what its quadratic model gains; -1: there is no step. */
static smr_status find_step(smr_ctx *ctx, struct walk *t, double *gain)
{
    smr_status st = SMR_OK;
    const smr_hinge *its = t->its;
    const smr_design *D = its->design;
    int64_t p = D->p;
    double mu, *slope = t->before;
    *gain = -1;
    for (int64_t k = 0; k < p; k++)
        for (int64_t l = k; l < p; l++) t->G[k * p + l] = t->G[l * p + k] = t->all[k * p + l];
    memcpy(slope, t->all + p * p, (size_t)p * sizeof *slope);
    for (int64_t k = 0; k < D->n_kept; k++) {
        double l2 = its->l2 * D->scale[k] * D->scale[k];
        t->G[k * p + k] += l2;
        slope[k] -= l2 * its->beta[k];
    }
    memcpy(t->step, slope, (size_t)p * sizeof *slope);
    TRY(smr_design_factor(ctx, p, t->G, t->L, &mu));
    if (mu < 0) goto out;
    TRY(smr_design_solve(ctx, p, t->L, t->step));
    *gain = smr_dot_f64(p, slope, t->step);
out:
    memcpy(t->before, its->beta, (size_t)p * sizeof *t->before);
    return st;
}

/* Does h fall, or is it small enough, or are there too few rows within it? */
enum fate { FALLS, STAYS, ENOUGH, TOO_FEW };

static enum fate decide(const struct walk *t, double gain, double allowed, double *h)
{
    const smr_hinge *its = t->its;
    const double *sum = t->all + t->width - N_SUMS;
    double most = allowed * its->objective;
    if (gain > smr_fmin(SMALL * sum[EXCESS], FIRM * its->objective)) return STAYS;
    if (sum[EXCESS] <= most * (1 + AIM) / 2) return t->every > 1 ? ENOUGH : STAYS;
    double by = smr_fmax(SHRINK, sqrt(AIM * most / sum[EXCESS]));
    if (its->h <= 2 * t->floor) by = INFINITY;
    if (by > 1 || by * sum[WITHIN] < (double)(LEAST_WITHIN * its->design->p)) return TOO_FEW;
    *h = by * its->h;
    return FALLS;
}

/* Goes back, and on by a quarter of the step; false: that was tried too often. */
static bool shorten(struct walk *t, int *tries)
{
    int64_t p = t->its->design->p;
    memcpy(t->its->beta, t->before, (size_t)p * sizeof *t->before);
    if (++*tries > MOST_TRIES) return false;
    for (int64_t k = 0; k < p; k++) t->step[k] *= 0.25;
    smr_axpy_f64(p, 1, t->step, t->its->beta);
    return true;
}

/* Steps over the same rows.  As h falls the loss falls, so that P_h compares across. */
static smr_status follow(smr_ctx *ctx, struct walk *t)
{
    smr_status st = SMR_OK;
    smr_hinge *its = t->its;
    int64_t p = its->design->p;
    const double *sum = t->all + t->width - N_SUMS;
    double last = INFINITY, gain, allowed = its->tol;
    int tries = 0;
    t->floor = 0;
    t->is_centred = false;
    if (t->every > 1)
        allowed = smr_fmax(allowed, NOISE * (double)(p * t->every) / (double)its->design->n);
    for (int k = 0; k < MOST_PASSES && its->n_iter < its->max_iter; k++) {
        TRY(look(ctx, t));
        its->converged = t->every == 1 && its->gap <= its->tol * its->objective;
        if (its->converged) break;
        double now = its->objective - sum[LOSS] + sum[SMOOTH];
        if (!(now < last)) {
            if (!shorten(t, &tries)) break;
            continue;
        }
        last = now;
        if (sum[WITHIN] < (double)(LEAST_WITHIN * p) && its->h < FIRST_H) { /* it fell too far */
            t->floor = its->h *= 3;
            last = INFINITY;
            continue;
        }
        TRY(find_step(ctx, t, &gain));
        if (!(gain >= 0)) break;
        enum fate fate = decide(t, gain, allowed, &its->h);
        t->is_centred = fate != STAYS;
        if (fate == TOO_FEW || fate == ENOUGH) break;
        smr_axpy_f64(p, 1, t->step, its->beta);
    }
out:
    return st;
}

static smr_status open_walk(smr_ctx *ctx, smr_hinge *its, struct walk *t)
{
    smr_status st = SMR_OK;
    int64_t p = its->design->p;
    *t = (struct walk){.its = its, .every = 1, .width = p * p + 2 * p + N_SUMS};
    TRY_NEW(t->all, t->width);
    TRY_NEW(t->G, p * p);
    TRY_NEW(t->L, p * p);
    TRY_NEW(t->step, p);
    TRY_NEW(t->before, p);
out:
    return st;
}

static void close_walk(struct walk *t)
{
    smr_free(t->all);
    smr_free(t->G);
    smr_free(t->L);
    smr_free(t->step);
    smr_free(t->before);
}

smr_status smr_hinge_certify(smr_ctx *ctx, smr_hinge *its)
{
    smr_status st = SMR_OK;
    struct walk t = {0};
    TRY(open_walk(ctx, its, &t));
    t.is_given = true;
    TRY(look(ctx, &t));
    TRY(settle(ctx, &t));
out:
    close_walk(&t);
    return st;
}

smr_status smr_hinge_solve(smr_ctx *ctx, smr_hinge *its)
{
    smr_status st = SMR_OK;
    int64_t n = its->design->n, least = SMR_MAX(LEAST_ROWS, LEAST_PER_COLUMN * its->design->p);
    struct walk t = {0};
    TRY(open_walk(ctx, its, &t));
    its->h = FIRST_H;
    its->gap = INFINITY;
    while (n / t.every >= THINNED * least) t.every *= THINNED;
    for (; t.every > 1; t.every /= THINNED) TRY(follow(ctx, &t));
    TRY(follow(ctx, &t));
    if (!t.is_centred) its->h = FIRST_H;
    if (its->converged)
        TRY(settle(ctx, &t));
    else
        TRY(smr_hinge_interior(ctx, its));
out:
    close_walk(&t);
    return st;
}
