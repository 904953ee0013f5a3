/* select_describe.c -- what was chosen and why, in tables and as pictures. */
#include "core/figure.h"
#include "core/text.h"
#include "transform/select.h"

#include <math.h>
#include <stdio.h>

enum { MOST_LISTED = 200, MOST_BARS = 30 };

static bool is_kept(const struct smr_select_state *s, int64_t j)
{
    int64_t low = 0, high = s->n_kept;
    while (low < high) {
        int64_t mid = (low + high) / 2;
        if (s->kept[mid] < j)
            low = mid + 1;
        else
            high = mid;
    }
    return low < s->n_kept && s->kept[low] == j;
}

static bool searches(const struct smr_select_params *p)
{
    return p->by >= SMR_SELECT_FORWARD;
}

/* What the score is, in words. */
static const char *score_name(const struct smr_select_params *p)
{
    switch (p->by) {
    case SMR_SELECT_CORRELATION: return "correlation";
    case SMR_SELECT_GAIN: return "gain_bits";
    case SMR_SELECT_WEIGHT: return "weight";
    case SMR_SELECT_L1: return "enters_at_l1";
    case SMR_SELECT_BACKWARD: return "score_without";
    default: return "score_alone";
    }
}

/* Features in the order they are shown: filters by score, searches as they came in. */
static smr_status order_of(smr_ctx *ctx, const struct smr_select_params *p,
                           const struct smr_select_state *s, int64_t *order)
{
    for (int64_t j = 0; j < s->n_features; j++) order[j] = j;
    return searches(p) ? SMR_OK : smr_select_order(ctx, s, order);
}

/* Names of the features of a set of bits. */
static smr_status add_set(smr_ctx *ctx, const smr_feature *in, int64_t d, int32_t set,
                          smr_json *row)
{
    smr_text names = {.ctx = ctx};
    char buffer[32];
    for (int64_t j = 0; j < d && j < 31; j++)
        if (set >> j & 1)
            smr_text_printf(&names, "%s%s", names.length ? ", " : "", smr_kept_name(in, j, buffer));
    smr_status st = smr_text_done(&names);
    if (st == SMR_OK) smr_json_add_string(row, "best", names.bytes ? names.bytes : "");
    smr_text_release(&names);
    return st;
}

static smr_status describe_steps(smr_ctx *ctx, const struct smr_select_params *p,
                                 const struct smr_select_state *s, const smr_feature *in,
                                 smr_json *into)
{
    smr_status st = SMR_OK;
    smr_json *list = smr_json_add_array(into, "steps");
    for (int64_t i = 0; i < s->n_steps; i++) {
        char buffer[32];
        int64_t j = s->step[i];
        smr_json *row = smr_json_add_object(list, NULL);
        smr_json_add_number(row, "features", (double)s->step_size[i]);
        if (p->by != SMR_SELECT_EXHAUSTIVE)
            smr_json_add_string(row, j >= 0 ? "added" : "dropped",
                                smr_kept_name(in, j >= 0 ? j : -1 - j, buffer));
        smr_json_add_number(row, "score", s->step_score[i]);
        if (p->by == SMR_SELECT_EXHAUSTIVE) TRY(add_set(ctx, in, s->n_features, s->step[i], row));
    }
out:
    return st;
}

smr_status smr_select_describe(smr_ctx *ctx, const void *params_, const void *state_,
                               const smr_feature *in, int64_t n_in, smr_json *into)
{
    const struct smr_select_params *p = params_;
    const struct smr_select_state *s = state_;
    smr_status st = SMR_OK;
    int64_t *order = NULL;
    char buffer[32];
    smr_json_add_number(into, "features_in", (double)n_in);
    smr_json_add_number(into, "features_kept", (double)s->n_kept);
    smr_json *kept = smr_json_add_array(into, "kept");
    for (int64_t k = 0; k < s->n_kept; k++)
        smr_json_add_string(kept, NULL, smr_kept_name(in, s->kept[k], buffer));
    if (p->by == SMR_SELECT_L1) smr_json_add_number(into, "l1", s->l1);
    if (searches(p)) smr_json_add_number(into, "score_without_features", s->baseline);
    if (s->n_fits > 0) smr_json_add_number(into, "fits", (double)s->n_fits);
    TRY_NEW(order, s->n_features);
    TRY(order_of(ctx, p, s, order));
    smr_json *list = smr_json_add_array(into, "scores");
    for (int64_t i = 0; i < SMR_MIN(s->n_features, MOST_LISTED); i++) {
        int64_t j = order[i];
        smr_json *row = smr_json_add_object(list, NULL);
        smr_json_add_string(row, "feature", smr_kept_name(in, j, buffer));
        smr_json_add_number(row, score_name(p), s->score[j]);
        if (s->p_value) smr_json_add_number(row, "p", s->p_value[j]);
        smr_json_add_bool(row, "kept", is_kept(s, j));
    }
    if (s->n_steps > 0) TRY(describe_steps(ctx, p, s, in, into));
out:
    smr_free(order);
    return st;
}

/* ---- pictures --------------------------------------------------------------------------- */

/* Bars of the scores, those of kept features in a colour of their own. */
static smr_status draw_scores(smr_ctx *ctx, const struct smr_select_params *p,
                              const struct smr_select_state *s, const smr_feature *in,
                              const char *prefix, smr_json *figures)
{
    smr_status st = SMR_OK;
    int64_t *order = NULL, n = SMR_MIN(s->n_features, MOST_BARS);
    double x[2][MOST_BARS], y[2][MOST_BARS];
    int64_t count[2] = {0, 0};
    char name[256];
    TRY_NEW(order, s->n_features);
    TRY(order_of(ctx, p, s, order));
    snprintf(name, sizeof name, "%sscores", prefix);
    smr_json *figure =
        smr_figure_add(figures, name, "Which features were kept",
                       s->n_features > n ? "The features with the highest scores." : NULL);
    smr_figure_axis(figure, "x", score_name(p), "linear");
    smr_json *axis = smr_figure_axis(figure, "y", "", "names");
    smr_json *names = smr_json_add_array(axis, "names");
    for (int64_t i = 0; i < n; i++) {
        char buffer[32];
        int which = is_kept(s, order[i]) ? 0 : 1;
        smr_json_add_string(names, NULL, smr_kept_name(in, order[i], buffer));
        x[which][count[which]] = s->score[order[i]];
        y[which][count[which]++] = (double)i;
    }
    if (count[0]) smr_figure_series(figure, "kept", "hbars", count[0], x[0], y[0]);
    if (count[1]) smr_figure_series(figure, "dropped", "hbars", count[1], x[1], y[1]);
out:
    smr_free(order);
    return st;
}

static smr_status draw_steps(smr_ctx *ctx, const struct smr_select_state *s, const char *prefix,
                             smr_json *figures)
{
    smr_status st = SMR_OK;
    char name[256];
    double *x = NULL;
    TRY_NEW(x, s->n_steps);
    for (int64_t i = 0; i < s->n_steps; i++) x[i] = (double)s->step_size[i];
    snprintf(name, sizeof name, "%ssearch", prefix);
    smr_json *figure = smr_figure_add(figures, name, "The search for features", NULL);
    smr_figure_axis(figure, "x", "features", "linear");
    smr_figure_axis(figure, "y", "score: error and penalty", "linear");
    smr_figure_series(figure, "score", "line", s->n_steps, x, s->step_score);
    smr_figure_series(figure, "score", "points", s->n_steps, x, s->step_score);
    smr_figure_mark(figure, "vline", (double)s->n_kept, "kept");
out:
    smr_free(x);
    return st;
}

smr_status smr_select_figures(smr_ctx *ctx, const void *params_, const void *state_,
                              const smr_feature *in, int64_t n_in, const char *prefix,
                              smr_json *figures)
{
    const struct smr_select_state *s = state_;
    smr_status st = SMR_OK;
    (void)n_in;
    TRY(draw_scores(ctx, params_, s, in, prefix, figures));
    if (s->n_steps > 1) TRY(draw_steps(ctx, s, prefix, figures));
out:
    return st;
}
