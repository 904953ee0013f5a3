/* factor_tell.c -- what inspect and figures say about a factorisation. */
#include "core/figure.h"
#include "core/sort.h"
#include "core/text.h"
#include "learn/recommend/factor/ratings.h"

#include <math.h>

enum { FEW = 10 /* items or users of a list */, SHOWN = 1000 /* items of the plane */ };

/* ---- inspect ---------------------------------------------------------------------------- */

/* Users and items are told by their numbers, in whose place the model puts their names. */

struct list {
    const struct smr_factor_state *s;
    const char *key, *what;
    const double *by, *value; /* sorted by -by, and shown               */
    bool of_items;
};

static smr_status add_list(smr_ctx *ctx, const struct list *l, smr_json *into)
{
    smr_status st = SMR_OK;
    int64_t n = l->of_items ? l->s->n_items : l->s->n_users, shown = 0, *order = NULL;
    double *key = NULL;
    TRY_NEW(order, n);
    TRY_NEW(key, n);
    for (int64_t i = 0; i < n; i++) key[i] = -l->by[i];
    TRY(smr_argsort_f64(ctx, n, key, order));
    smr_json *list = smr_json_add_array(into, l->key);
    for (int64_t r = 0; r < n && shown < FEW; r++) {
        int64_t at = order[r];
        if (l->of_items && !(l->s->rated[at] > 0)) continue;
        smr_json *row = smr_json_add_object(list, NULL);
        smr_json_add_number(row, l->of_items ? "item" : "user", (double)at);
        smr_json_add_number(row, l->what, l->value[at]);
        if (l->of_items) smr_json_add_number(row, "ratings", l->s->rated[at]);
        if (l->of_items) smr_json_add_number(row, "mean", l->s->item_mean[at]);
        shown++;
    }
out:
    smr_free(order);
    smr_free(key);
    return st;
}

static smr_status tell_lists(smr_ctx *ctx, const struct smr_factor_state *s, smr_json *into)
{
    smr_status st = SMR_OK;
    double *low = NULL, *size = NULL;
    TRY_NEW(low, s->n_items);
    TRY_NEW(size, s->n_users);
    for (int64_t i = 0; i < s->n_items; i++) low[i] = -s->item_bias[i];
    for (int64_t u = 0; u < s->n_users; u++) size[u] = fabs(s->user_bias[u]);
    const struct list lists[] = {
        {s, "rated_most", "bias", s->rated, s->item_bias, true},
        {s, "rated_best", "bias", s->item_bias, s->item_bias, true},
        {s, "rated_worst", "bias", low, s->item_bias, true},
        {s, "users_far_from_the_mean", "bias", size, s->user_bias, false},
    };
    for (int64_t k = 0; k < SMR_COUNT(lists); k++) TRY(add_list(ctx, &lists[k], into));
out:
    smr_free(low);
    smr_free(size);
    return st;
}

smr_status smr_factor_describe(smr_ctx *ctx, const void *params_, const void *state_,
                               const smr_feature *in, int64_t n_in, smr_json *into)
{
    const struct smr_factor_state *s = state_;
    int64_t silent = 0, unrated = 0;
    (void)params_, (void)in, (void)n_in;
    for (int64_t u = 0; u < s->n_users; u++) silent += s->start[u] == s->start[u + 1];
    for (int64_t i = 0; i < s->n_items; i++) unrated += !(s->rated[i] > 0);
    smr_json_add_number(into, "users", (double)s->n_users);
    smr_json_add_number(into, "items", (double)s->n_items);
    smr_json_add_number(into, "pairs", (double)s->n_had);
    smr_json_add_number(into, "ratings", s->weight);
    if (s->repeated) smr_json_add_number(into, "ratings_repeated", (double)s->repeated);
    smr_json_add_number(into, "mean", s->mean);
    smr_json_add_number(into, "users_without_ratings", (double)silent);
    smr_json_add_number(into, "items_without_ratings", (double)unrated);
    smr_json_add_number(into, "training_rmse", s->rmse[s->n_steps - 1]);
    return tell_lists(ctx, s, into);
}

/* ---- figures ---------------------------------------------------------------------------- */

static smr_json *add_figure(smr_ctx *ctx, smr_json *figures, const char *prefix, const char *name,
                            const char *title, const char *note)
{
    smr_text full = {.ctx = ctx};
    smr_text_printf(&full, "%s%s", prefix, name);
    smr_json *figure =
        smr_text_done(&full) == SMR_OK ? smr_figure_add(figures, full.bytes, title, note) : NULL;
    smr_text_release(&full);
    return figure;
}

/* The items that are rated most, those above the mean apart from those below. */
static smr_status draw_plane(smr_ctx *ctx, const struct smr_factor_state *s, const char *prefix,
                             smr_json *figures)
{
    smr_status st = SMR_OK;
    double *x = NULL, *y = NULL, *key = NULL;
    int64_t *order = NULL;
    if (s->k < 2) return SMR_OK;
    TRY_NEW(key, s->n_items);
    TRY_NEW(order, s->n_items);
    TRY_NEW(x, s->n_items);
    TRY_NEW(y, s->n_items);
    for (int64_t i = 0; i < s->n_items; i++) key[i] = -s->rated[i];
    TRY(smr_argsort_f64(ctx, s->n_items, key, order));
    smr_json *figure =
        add_figure(ctx, figures, prefix, "items", "Items in the plane of the first two factors",
                   "Those in one direction from the middle are liked by the same "
                   "users; the farther out, the more opinions differ.");
    smr_figure_axis(figure, "x", "factor 1", "linear");
    smr_figure_axis(figure, "y", "factor 2", "linear");
    for (int above = 1; above >= 0; above--) {
        int64_t n = 0;
        for (int64_t r = 0; r < SMR_MIN(SHOWN, s->n_items); r++) {
            const double *q = s->item + order[r] * s->k;
            if (!(s->rated[order[r]] > 0) || (s->item_bias[order[r]] >= 0) != above) continue;
            x[n] = q[0];
            y[n++] = q[1];
        }
        if (n)
            smr_figure_series(figure, above ? "rated above the mean" : "rated below it", "points",
                              n, x, y);
    }
out:
    smr_free(x);
    smr_free(y);
    smr_free(key);
    smr_free(order);
    return st;
}

static smr_status draw_errors(smr_ctx *ctx, const struct smr_factor_state *s, const char *prefix,
                              smr_json *figures)
{
    smr_status st = SMR_OK;
    int64_t n = smr_fit_points(s->n_steps), every = (s->n_steps + n - 1) / n;
    double *x = NULL, *y = NULL;
    if (s->n_steps < 2) return SMR_OK;
    TRY_NEW(x, n);
    TRY_NEW(y, n);
    for (int64_t i = 0; i < n; i++) {
        int64_t step = i + 1 == n ? s->n_steps : (i + 1) * every;
        x[i] = (double)step;
        y[i] = s->rmse[step - 1];
    }
    smr_json *figure = add_figure(ctx, figures, prefix, "errors", "Error of the training ratings",
                                  "How far the model is from the ratings that it learns from.");
    smr_figure_axis(figure, "x", "iteration", "linear");
    smr_figure_axis(figure, "y", "rmse", "linear");
    smr_figure_series(figure, "rmse", "line", n, x, y);
out:
    smr_free(x);
    smr_free(y);
    return st;
}

smr_status smr_factor_draw(smr_ctx *ctx, const void *params_, const void *state_,
                           const smr_feature *in, int64_t n_in, const char *prefix,
                           smr_json *figures)
{
    smr_status st = SMR_OK;
    (void)params_, (void)in, (void)n_in;
    TRY(draw_plane(ctx, state_, prefix, figures));
    TRY(draw_errors(ctx, state_, prefix, figures));
out:
    return st;
}
