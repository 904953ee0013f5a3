/* factor_fit.c -- the ratings in order, and the fit around either method. */
#include "core/parallel.h"
#include "core/rng.h"
#include "core/sort.h"
#include "kernel/kernel.h"
#include "learn/recommend/factor/ratings.h"
#include "math/factor.h"

#include <math.h>
#include <string.h>

enum { TOGETHER = 64 /* users of a task */ };

/* ---- rows as ratings -------------------------------------------------------------------- */

struct keys {
    const smr_data *data;
    const int32_t *first, *second;
};

static int compare(double a, double b)
{
    return a < b ? -1 : a > b;
}

/* By user and item, then by what else a rating is: the rows may come in any order. */
static int by_pair(const void *keys_, int64_t a, int64_t b)
{
    const struct keys *k = keys_;
    const smr_data *d = k->data;
    if (k->first[a] != k->first[b]) return k->first[a] < k->first[b] ? -1 : 1;
    if (k->second[a] != k->second[b]) return k->second[a] < k->second[b] ? -1 : 1;
    int by = d->roles.time ? compare(d->roles.time[a], d->roles.time[b]) : 0;
    if (by == 0) by = compare(d->y[a], d->y[b]);
    return by ? by : compare(smr_data_weight(d, a), smr_data_weight(d, b));
}

static bool same_pair(const smr_data *d, int64_t a, int64_t b)
{
    return d->roles.user[a] == d->roles.user[b] && d->roles.item[a] == d->roles.item[b];
}

/* Of the ratings that a user gave one item at known times the latest counts; otherwise all do. */
static bool is_outdated(const smr_data *d, const int64_t *order, int64_t at, int64_t n)
{
    if (!d->roles.time || isnan(d->roles.time[order[at]])) return false;
    double now = d->roles.time[order[at]];
    for (int64_t e = at + 1; e < n && same_pair(d, order[at], order[e]); e++)
        if (d->roles.time[order[e]] > now) return true;
    return false;
}

static void tell_rows(smr_ctx *ctx, int64_t nobody, int64_t outdated)
{
    if (nobody)
        smr_warn(ctx, "factor: %lld %s without a user or an item; %s left out", (long long)nobody,
                 smr_plural(nobody, "rating is", "ratings are"),
                 smr_plural(nobody, "it is", "they are"));
    if (outdated)
        smr_warn(ctx,
                 "factor: of an item that a user rated several times the latest rating counts; "
                 "%lld earlier %s left out",
                 (long long)outdated, smr_plural(outdated, "one is", "ones are"));
}

static smr_status take_ratings(smr_ctx *ctx, const smr_data *d, struct smr_factor_work *f)
{
    smr_status st = SMR_OK;
    int64_t *order = NULL, nobody = 0, outdated = 0;
    struct keys keys = {d, d->roles.user, d->roles.item};
    TRY_NEW(order, d->n_rows);
    TRY_NEW(f->by_user, d->n_rows);
    TRY(smr_argsort(ctx, d->n_rows, by_pair, &keys, order));
    for (int64_t e = 0; e < d->n_rows; e++) {
        int64_t i = order[e];
        double w = smr_data_weight(d, i);
        if (d->roles.user[i] < 0 || d->roles.item[i] < 0) {
            nobody++;
            continue;
        }
        f->s->repeated += e > 0 && same_pair(d, order[e - 1], i);
        bool is_old = is_outdated(d, order, e, d->n_rows);
        outdated += is_old;
        if (!(w > 0) || is_old) continue;
        f->by_user[f->n++] = (smr_rating){d->roles.user[i], d->roles.item[i], d->y[i], w};
    }
    tell_rows(ctx, nobody, outdated);
    if (f->n == 0)
        TRY(smr_fail(ctx, SMR_ERR_DATA,
                     "factor: no rating has a user, an item and a weight above 0"));
out:
    smr_free(order);
    return st;
}

/* Where the ratings of each user and of each item lie; by_item keeps the order of users. */
static smr_status index_ratings(smr_ctx *ctx, struct smr_factor_work *f)
{
    smr_status st = SMR_OK;
    int64_t users = f->s->n_users, items = f->s->n_items, *next = NULL;
    TRY_NEW(f->user_start, users + 1);
    TRY_NEW(f->item_start, items + 1);
    TRY_NEW(f->user_weight, users);
    TRY_NEW(f->item_weight, items);
    TRY_NEW(f->by_item, f->n);
    TRY_NEW(next, items);
    for (int64_t e = 0; e < f->n; e++) {
        f->user_start[f->by_user[e].user + 1]++;
        f->item_start[f->by_user[e].item + 1]++;
        f->user_weight[f->by_user[e].user] += f->by_user[e].w;
        f->item_weight[f->by_user[e].item] += f->by_user[e].w;
    }
    for (int64_t u = 0; u < users; u++) f->user_start[u + 1] += f->user_start[u];
    for (int64_t i = 0; i < items; i++) {
        next[i] = f->item_start[i];
        f->item_start[i + 1] += f->item_start[i];
    }
    for (int64_t e = 0; e < f->n; e++) f->by_item[next[f->by_user[e].item]++] = f->by_user[e];
out:
    smr_free(next);
    return st;
}

/* The mean, and ratings less it; what the model keeps of them. */
static smr_status keep_ratings(smr_ctx *ctx, struct smr_factor_work *f)
{
    smr_status st = SMR_OK;
    struct smr_factor_state *s = f->s;
    double sum = 0;
    for (int64_t e = 0; e < f->n; e++) s->weight += f->by_user[e].w;
    for (int64_t e = 0; e < f->n; e++)
        sum += f->by_user[e].w / s->weight * (f->by_user[e].r - f->by_user[0].r);
    s->mean = f->by_user[0].r + sum; /* exactly, where all are equal */
    s->n_start = s->n_users + 1;
    TRY_NEW(s->start, s->n_start);
    TRY_NEW(s->had, f->n);
    for (int64_t e = 0; e < f->n; e++) {
        smr_rating *one = &f->by_user[e];
        bool again = e > 0 && one[-1].user == one->user && one[-1].item == one->item;
        if (!again) {
            s->start[one->user + 1]++;
            s->had[s->n_had++] = one->item;
        }
        s->item_mean[one->item] += one->w * (one->r - s->mean);
        s->rated[one->item] += one->w;
        one->r -= s->mean;
    }
    for (int64_t u = 0; u < s->n_users; u++) s->start[u + 1] += s->start[u];
    for (int64_t i = 0; i < s->n_items; i++)
        s->item_mean[i] = s->mean + (s->rated[i] > 0 ? s->item_mean[i] / s->rated[i] : 0);
out:
    return st;
}

/* ---- the objective ---------------------------------------------------------------------- */

/* Users [lo, hi): squares of their errors, and their own penalty. */
static smr_status count_some(smr_ctx *ctx, void *work, int64_t task, int lane)
{
    struct smr_factor_work *f = work;
    const struct smr_factor_params *p = f->p;
    const struct smr_factor_state *s = f->s;
    int64_t k = p->k;
    (void)ctx, (void)lane;
    for (int64_t u = task * TOGETHER; u < smr_block_end(s->n_users, TOGETHER, task); u++) {
        const double *x = s->user + u * k;
        double sum = 0, b = s->user_bias[u];
        for (int64_t e = f->user_start[u]; e < f->user_start[u + 1]; e++) {
            const smr_rating *one = &f->by_user[e];
            double off =
                one->r - b - s->item_bias[one->item] - smr_dot_f64(k, x, s->item + one->item * k);
            sum += one->w * off * off;
        }
        f->error[u] = sum;
        f->penalty[u] = smr_factor_share(p, f->user_weight[u]) *
                        (p->l2 * smr_sumsq_f64(k, x, 0) + p->l2_bias * b * b);
    }
    return SMR_OK;
}

smr_status smr_factor_objective(smr_ctx *ctx, struct smr_factor_work *f, double *objective,
                                double *squares)
{
    const struct smr_factor_params *p = f->p;
    const struct smr_factor_state *s = f->s;
    double penalty = 0;
    smr_status st = smr_parallel(ctx, NULL, smr_block_count(s->n_users, TOGETHER), count_some, f);
    *squares = 0;
    for (int64_t u = 0; u < s->n_users; u++) {
        *squares += f->error[u];
        penalty += f->penalty[u];
    }
    for (int64_t i = 0; i < s->n_items; i++)
        penalty += smr_factor_share(p, f->item_weight[i]) *
                   (p->l2 * smr_sumsq_f64(p->k, s->item + i * p->k, 0) +
                    p->l2_bias * s->item_bias[i] * s->item_bias[i]);
    *objective = *squares + penalty;
    return st;
}

smr_status smr_factor_note(smr_ctx *ctx, struct smr_factor_work *f, double *objective)
{
    smr_status st = SMR_OK;
    double squares = 0;
    TRY(smr_factor_objective(ctx, f, objective, &squares));
    TRY(smr_fit_record(ctx, f->s->n_steps, sqrt(squares / f->s->weight), &f->s->rmse));
    f->s->n_steps++;
    TRY(smr_fit_step(ctx, f->report, *objective));
    if (smr_trace_step(f->report->trace, "%s %lld: every rating was used once%s",
                       f->p->method == SMR_FACTOR_ALS ? "iteration" : "epoch",
                       (long long)f->s->n_steps,
                       f->p->method == SMR_FACTOR_ALS ? " for its user, once for its item" : "")) {
        smr_trace_number(f->report->trace, "objective", *objective);
        smr_trace_number(f->report->trace, "rmse", f->s->rmse[f->s->n_steps - 1]);
    }
out:
    return st;
}

/* ---- directions ------------------------------------------------------------------------- */

static void turn(int64_t n, int64_t k, const double *C, double *x, double *room)
{
    for (int64_t i = 0; i < n; i++, x += k) {
        memcpy(room, x, (size_t)k * sizeof *room);
        for (int64_t c = 0; c < k; c++) x[c] = smr_dot_f64(k, room, C + (k - 1 - c) * k);
    }
}

/* (1) and (2) stay as they are when users and items are turned alike: the directions become those
 * in which items differ most, sum s q q' = V L V', the largest first. */
static smr_status turn_factors(smr_ctx *ctx, struct smr_factor_work *f)
{
    smr_status st = SMR_OK;
    struct smr_factor_state *s = f->s;
    int64_t k = s->k;
    double *C = NULL, *value = NULL;
    TRY_NEW(C, k * k);
    TRY_NEW(value, k);
    for (int64_t i = 0; i < s->n_items; i++)
        for (int64_t c = 0; c < k; c++)
            smr_axpy_f64(k, s->rated[i] * s->item[i * k + c], s->item + i * k, C + c * k);
    TRY(smr_eigen(ctx, k, C, k, value));
    for (int64_t c = 0; c < k; c++) { /* signs: the largest entry is positive */
        int64_t most = 0;
        for (int64_t j = 1; j < k; j++)
            if (fabs(C[c * k + j]) > fabs(C[c * k + most])) most = j;
        for (int64_t j = 0; j < k && C[c * k + most] < 0; j++)
            if (j != most) C[c * k + j] = -C[c * k + j];
        C[c * k + most] = fabs(C[c * k + most]);
    }
    turn(s->n_users, k, C, s->user, value);
    turn(s->n_items, k, C, s->item, value);
out:
    smr_free(C);
    smr_free(value);
    return st;
}

/* ---- fit -------------------------------------------------------------------------------- */

/* Numbers about as normal ones, sums of four uniform ones, for those that have ratings, counted
 * among these: others stay at 0, and change nothing. */
static smr_status draw_factors(smr_ctx *ctx, uint64_t which, int64_t n, int64_t k, double sd,
                               const double *weight, double *out)
{
    smr_status st = SMR_OK;
    uint64_t at = 0;
    for (int64_t i = 0; i < n; i++) {
        if (i % 1024 == 0) TRY(smr_tick(ctx, "drawing factors", i, n, NAN));
        if (!(weight[i] > 0)) continue;
        for (int64_t c = 0; c < k; c++, at++) {
            uint32_t u[4];
            smr_philox(ctx->seed, SMR_STREAM_WEIGHTS, which, at, u);
            double sum = (double)u[0] + (double)u[1] + (double)u[2] + (double)u[3];
            out[i * k + c] = sd * (sum * 0x1p-32 - 2) * 1.7320508075688772; /* variance 1/3 */
        }
    }
out:
    return st;
}

static smr_status check_data(smr_ctx *ctx, const smr_data *data, const struct smr_factor_params *p)
{
    if (!data->roles.user || !data->roles.item)
        return smr_fail(ctx, SMR_ERR_PARAM,
                        "factor learns who rated what: name the columns with --user and --item");
    if (!data->y)
        return smr_fail(ctx, SMR_ERR_PARAM,
                        "factor learns from ratings: name their column with --target");
    if (data->n_outputs != 1)
        return smr_fail(ctx, SMR_ERR_PARAM, "factor learns one rating, and there are %lld targets",
                        (long long)data->n_outputs);
    if (data->n_features)
        return smr_fail(ctx, SMR_ERR_PARAM,
                        "factor reads users, items and ratings alone, and column '%s' is a "
                        "feature; leave it out with --ignore",
                        data->features ? data->features[0].name : "0");
    double each = (double)(p->k + 4) * 8;
    return smr_memory_check(
        ctx, each * (double)(data->n_users + data->n_items) + 100.0 * (double)data->n_rows,
        "factor", "lower k=");
}

static smr_status make_state(smr_ctx *ctx, const struct smr_factor_params *p, const smr_data *data,
                             struct smr_factor_state *s)
{
    smr_status st = SMR_OK;
    s->n_users = data->n_users;
    s->n_items = data->n_items;
    s->k = p->k;
    TRY_NEW(s->user_bias, s->n_users);
    TRY_NEW(s->item_bias, s->n_items);
    TRY_NEW(s->user, s->n_users * s->k);
    TRY_NEW(s->item, s->n_items * s->k);
    TRY_NEW(s->rated, s->n_items);
    TRY_NEW(s->item_mean, s->n_items);
out:
    return st;
}

smr_status smr_factor_fit(smr_ctx *ctx, const void *params, const smr_data *data, void *state,
                          smr_fit_report *report)
{
    smr_status st = SMR_OK;
    struct smr_factor_work f = {.p = params, .s = state, .report = report};
    TRY(check_data(ctx, data, f.p));
    TRY(make_state(ctx, f.p, data, f.s));
    TRY(take_ratings(ctx, data, &f));
    TRY(keep_ratings(ctx, &f));
    TRY(index_ratings(ctx, &f));
    TRY_NEW(f.error, f.s->n_users);
    TRY_NEW(f.penalty, f.s->n_users);
    double sd = f.p->k ? f.p->init / sqrt((double)f.p->k) : 0;
    TRY(draw_factors(ctx, 1U << 30, f.s->n_users, f.p->k, sd, f.user_weight, f.s->user));
    TRY(draw_factors(ctx, (1U << 30) + 1, f.s->n_items, f.p->k, sd, f.item_weight, f.s->item));
    TRY(f.p->method == SMR_FACTOR_ALS ? smr_factor_als(ctx, &f) : smr_factor_sgd(ctx, &f));
    if (f.p->k) TRY(turn_factors(ctx, &f));
    if (!report->converged && f.p->method == SMR_FACTOR_ALS)
        smr_warn(ctx, "factor: not converged after %lld iterations; raise max_iter= or tol=",
                 (long long)f.p->max_iter);
out:
    smr_free(f.by_user);
    smr_free(f.by_item);
    smr_free(f.user_start);
    smr_free(f.item_start);
    smr_free(f.user_weight);
    smr_free(f.item_weight);
    smr_free(f.error);
    smr_free(f.penalty);
    return st;
}
