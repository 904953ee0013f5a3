/* factor_sgd.c -- stochastic gradients: ratings.c's (5), on all threads with the same bits.
 *
 * Users and items are drawn into B parts each, B by the number of ratings alone.  The B blocks
 * (a, a + d mod B) of ratings share no user and no item, so a turn may run them side by side and
 * comes to the same numbers in any order; the B turns d of an epoch pass all ratings once. */
#include "core/parallel.h"
#include "core/rng.h"
#include "kernel/kernel.h"
#include "learn/recommend/factor/ratings.h"

#include <math.h>

enum { MOST_PARTS = 8, LEAST_BLOCK = 256 /* ratings of a block, about */ };

struct blocks {
    struct smr_factor_work *f;
    int64_t parts, turn;
    smr_rating *rating; /* by block                                */
    int64_t *start;     /* parts^2 + 1                             */
    int32_t *user_part, *item_part;
};

void smr_factor_step(int64_t k, double rate, double we, const double decay[4], double *bias,
                     double *other_bias, double *p, double *q)
{
    *bias += rate * (we - decay[0] * *bias);
    *other_bias += rate * (we - decay[1] * *other_bias);
    double a = rate * we, b = 1 - rate * decay[2], c = 1 - rate * decay[3];
    for (int64_t i = 0; i < k; i++) {
        double old = p[i];
        p[i] = b * old + a * q[i];
        q[i] = c * q[i] + a * old;
    }
}

static smr_status pass_block(smr_ctx *ctx, void *blocks_, int64_t task, int lane)
{
    struct blocks *b = blocks_;
    const struct smr_factor_work *f = b->f;
    const struct smr_factor_params *p = f->p;
    struct smr_factor_state *s = f->s;
    int64_t at = task * b->parts + (task + b->turn) % b->parts, k = p->k;
    (void)ctx, (void)lane;
    for (int64_t e = b->start[at]; e < b->start[at + 1]; e++) {
        const smr_rating *one = &b->rating[e];
        int64_t u = one->user, i = one->item;
        double *x = s->user + u * k, *y = s->item + i * k;
        double e_ui = one->r - s->user_bias[u] - s->item_bias[i] - smr_dot_f64(k, x, y);
        double of_user = one->w, of_item = of_user;
        if (p->penalty == SMR_FACTOR_PLAIN) {
            of_user /= f->user_weight[u];
            of_item /= f->item_weight[i];
        }
        const double decay[4] = {p->l2_bias * of_user, p->l2_bias * of_item, p->l2 * of_user,
                                 p->l2 * of_item};
        smr_factor_step(k, p->rate, one->w * e_ui, decay, s->user_bias + u, s->item_bias + i, x, y);
    }
    return SMR_OK;
}

static smr_status draw_parts(smr_ctx *ctx, int64_t n, int64_t parts, uint64_t which, int32_t **out)
{
    smr_status st = SMR_OK;
    int64_t *order = NULL;
    TRY_NEW(*out, n);
    TRY_NEW(order, n);
    smr_random_permutation(ctx->seed, SMR_STREAM_SGD, which, n, order);
    for (int64_t i = 0; i < n; i++) (*out)[order[i]] = (int32_t)(i * parts / n);
out:
    smr_free(order);
    return st;
}

/* Ratings by block, within a block in an order that is drawn. */
static smr_status make_blocks(smr_ctx *ctx, struct blocks *b)
{
    smr_status st = SMR_OK;
    struct smr_factor_work *f = b->f;
    int64_t *order = NULL, *next = NULL, B = 1;
    while (B < MOST_PARTS && f->n / (4 * B * B) >= LEAST_BLOCK) B *= 2;
    b->parts = B;
    TRY(draw_parts(ctx, f->s->n_users, B, 0, &b->user_part));
    TRY(draw_parts(ctx, f->s->n_items, B, 1, &b->item_part));
    TRY_NEW(b->rating, f->n);
    TRY_NEW(b->start, B * B + 1);
    TRY_NEW(order, f->n);
    TRY_NEW(next, B * B);
    smr_random_permutation(ctx->seed, SMR_STREAM_SGD, 2, f->n, order);
    for (int64_t i = 0; i < f->n; i++) {
        const smr_rating *one = &f->by_user[i];
        b->start[b->user_part[one->user] * B + b->item_part[one->item] + 1]++;
    }
    for (int64_t c = 0; c < B * B; c++) {
        next[c] = b->start[c];
        b->start[c + 1] += b->start[c];
    }
    for (int64_t i = 0; i < f->n; i++) {
        const smr_rating *one = &f->by_user[order[i]];
        b->rating[next[b->user_part[one->user] * B + b->item_part[one->item]]++] = *one;
    }
out:
    smr_free(order);
    smr_free(next);
    return st;
}

smr_status smr_factor_sgd(smr_ctx *ctx, struct smr_factor_work *f)
{
    smr_status st = SMR_OK;
    struct blocks b = {.f = f};
    int64_t turns[MOST_PARTS];
    double last = INFINITY, now = 0;
    TRY(make_blocks(ctx, &b));
    for (int64_t t = 0; t < f->p->max_iter; t++) {
        TRY(smr_tick(ctx, "fitting factor", t, f->p->max_iter, last));
        smr_random_permutation(ctx->seed, SMR_STREAM_SGD, (uint64_t)t + 3, b.parts, turns);
        for (int64_t d = 0; d < b.parts; d++) {
            b.turn = turns[d];
            TRY(smr_parallel(ctx, NULL, b.parts, pass_block, &b));
        }
        TRY(smr_factor_note(ctx, f, &now));
        if (!isfinite(now))
            TRY(smr_fail(ctx, SMR_ERR_NUMERIC,
                         "factor: the steps run away in epoch %lld; lower rate=, or raise l2=",
                         (long long)t + 1));
        f->report->converged = fabs(last - now) <= f->p->tol * now;
        if (f->report->converged) break;
        last = now;
    }
out:
    smr_free(b.rating);
    smr_free(b.start);
    smr_free(b.user_part);
    smr_free(b.item_part);
    return st;
}
