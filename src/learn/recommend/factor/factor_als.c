/* factor_als.c -- alternating least squares: ratings.c's (3) and (4).
 *
 * With the items held, each user's bias and factors are one ridge regression on the items he rated,
 * and the objective falls; then the items with the users held.  Users are independent of each
 * other, so they are solved on all threads and in any order with the same bits. */
#include "core/parallel.h"
#include "kernel/kernel.h"
#include "learn/recommend/factor/ratings.h"
#include "math/factor.h"

#include <math.h>
#include <string.h>

enum { TOGETHER = 16 /* users or items of a task */ };

/* One side of a step: those that are solved (mine), and what they meet. */
struct side {
    const struct smr_factor_work *f;
    const smr_rating *rating;
    const int64_t *start;
    const double *weight;
    bool users;
    int64_t n, most; /* how many there are; most ratings of one            */
    double *bias, *factor;
    const double *other_bias, *other;
    double **room; /* by lane                                            */
};

/* Rows sqrt(w) (1, q, r - c): their Gram matrix holds both sides of the normal equations. */
static void fill_rows(const struct side *side, int64_t at, double *X)
{
    int64_t k = side->f->p->k, m = k + 2;
    for (int64_t e = side->start[at]; e < side->start[at + 1]; e++, X += m) {
        const smr_rating *one = &side->rating[e];
        int64_t whom = side->users ? one->item : one->user;
        const double *q = side->other + whom * k;
        double root = sqrt(one->w);
        X[0] = root;
        for (int64_t c = 0; c < k; c++) X[1 + c] = root * q[c];
        X[k + 1] = root * (one->r - side->other_bias[whom]);
    }
}

/* (3): [sum w (1 q)(1 q)' + diag] (b p) = sum w (r - c) (1 q). */
static smr_status solve_one(smr_ctx *ctx, const struct side *side, int64_t at, double *room)
{
    smr_status st = SMR_OK;
    const struct smr_factor_params *p = side->f->p;
    int64_t k = p->k, m = k + 2, n = k + 1, rows = side->start[at + 1] - side->start[at];
    double share = smr_factor_share(p, side->weight[at]);
    double *G = room, *A = G + m * m, *b = A + n * n, *work = b + (n + 7) / 8 * 8;
    double *X = work + smr_gram_work(m) / (int64_t)sizeof(double);
    int64_t failed_at = -1;
    if (!(side->weight[at] > 0)) return SMR_OK;
    memset(G, 0, (size_t)(m * m) * sizeof *G);
    fill_rows(side, at, X);
    smr_gram_f64(rows, m, X, m, G, m, work);
    for (int64_t i = 0; i < n; i++) {
        for (int64_t j = 0; j <= i; j++) A[j * n + i] = G[j * m + i];
        A[i * n + i] += share * (i ? p->l2 : p->l2_bias);
        b[i] = G[i * m + n];
    }
    TRY(smr_cholesky(ctx, n, A, n, &failed_at));
    if (failed_at >= 0)
        TRY(smr_fail(ctx, SMR_ERR_NUMERIC,
                     "factor: the ratings of one %s do not determine its factors to the digits "
                     "that numbers have; raise l2=, or lower k=",
                     side->users ? "user" : "item"));
    TRY(smr_cholesky_solve(ctx, n, 1, A, n, b, n));
    side->bias[at] = b[0];
    memcpy(side->factor + at * k, b + 1, (size_t)k * sizeof *b);
out:
    return st;
}

static smr_status solve_some(smr_ctx *ctx, void *side_, int64_t task, int lane)
{
    struct side *side = side_;
    smr_status st = SMR_OK;
    int64_t k = side->f->p->k, m = k + 2, n = k + 1;
    if (!side->room[lane])
        TRY_NEW(side->room[lane], m * m + n * n + n + 16 +
                                      smr_gram_work(m) / (int64_t)sizeof(double) + side->most * m);
    for (int64_t at = task * TOGETHER; at < smr_block_end(side->n, TOGETHER, task); at++)
        TRY(solve_one(ctx, side, at, side->room[lane]));
out:
    return st;
}

static smr_status solve_side(smr_ctx *ctx, struct side *side)
{
    smr_status st = SMR_OK;
    int lanes = smr_lanes(ctx);
    TRY_NEW(side->room, lanes);
    for (int64_t at = 0; at < side->n; at++)
        side->most = SMR_MAX(side->most, side->start[at + 1] - side->start[at]);
    TRY(smr_parallel(ctx, NULL, smr_block_count(side->n, TOGETHER), solve_some, side));
out:
    for (int i = 0; side->room && i < lanes; i++) smr_free(side->room[i]);
    smr_free(side->room);
    return st;
}

static smr_status solve_users(smr_ctx *ctx, struct smr_factor_work *f)
{
    struct smr_factor_state *s = f->s;
    struct side side = {.f = f,
                        .rating = f->by_user,
                        .start = f->user_start,
                        .weight = f->user_weight,
                        .users = true,
                        .n = s->n_users,
                        .bias = s->user_bias,
                        .factor = s->user,
                        .other_bias = s->item_bias,
                        .other = s->item};
    return solve_side(ctx, &side);
}

static smr_status solve_items(smr_ctx *ctx, struct smr_factor_work *f)
{
    struct smr_factor_state *s = f->s;
    struct side side = {.f = f,
                        .rating = f->by_item,
                        .start = f->item_start,
                        .weight = f->item_weight,
                        .n = s->n_items,
                        .bias = s->item_bias,
                        .factor = s->item,
                        .other_bias = s->user_bias,
                        .other = s->user};
    return solve_side(ctx, &side);
}

smr_status smr_factor_als(smr_ctx *ctx, struct smr_factor_work *f)
{
    smr_status st = SMR_OK;
    double last = INFINITY, now = 0;
    for (int64_t t = 0; t < f->p->max_iter; t++) {
        TRY(smr_tick(ctx, "fitting factor", t, f->p->max_iter, last));
        TRY(solve_users(ctx, f));
        TRY(solve_items(ctx, f));
        TRY(smr_factor_note(ctx, f, &now));
        f->report->converged = last - now <= f->p->tol * now;
        if (f->report->converged) break;
        last = now;
    }
out:
    return st;
}
