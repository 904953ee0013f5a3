/* boost_describe.c -- what boosting learned: losses by round, and what the features did. */
#include "learn/trees/boost.h"

#include "core/figure.h"
#include "learn/linear/affine.h"

#include <math.h>
#include <stdio.h>

enum { MOST_SHOWN = 30, MOST_POINTS = 1000 };

/* ---- describe --------------------------------------------------------------------------- */

static double total(int64_t n, const double *x)
{
    double sum = 0;
    for (int64_t j = 0; j < n; j++) sum += x[j];
    return sum;
}

/* order (at most MOST_SHOWN): features by falling gain, those that split; how many. */
static int64_t by_gain(const struct smr_boost_state *s, int64_t order[MOST_SHOWN])
{
    int64_t n = 0;
    for (int64_t j = 0; j < s->n_features; j++) {
        if (s->splits[j] == 0) continue;
        int64_t at = n < MOST_SHOWN ? n++ : MOST_SHOWN;
        while (at > 0 && s->gain[order[at - 1]] < s->gain[j]) {
            if (at < MOST_SHOWN) order[at] = order[at - 1];
            at--;
        }
        if (at < MOST_SHOWN) order[at] = j;
    }
    return n;
}

smr_status smr_boost_describe(smr_ctx *ctx, const void *params_, const void *state_,
                              const smr_feature *in, int64_t n_in, smr_json *into)
{
    const struct smr_boost_params *p = params_;
    const struct smr_boost_state *s = state_;
    int64_t order[MOST_SHOWN], n = by_gain(s, order), last = s->n_rounds;
    double gain = total(s->n_features, s->gain), splits = total(s->n_features, s->splits);
    double cover = total(s->n_features, s->covered);
    (void)ctx, (void)n_in;
    smr_json_add_string(into, "loss", smr_boost_losses[s->loss].name);
    if (s->loss == SMR_BOOST_HUBER) smr_json_add_number(into, "delta", s->param);
    smr_json_add_number(into, "rows", s->n_rows);
    if (s->watched) smr_json_add_number(into, "validation_rows", s->n_validation);
    smr_json_add_number(into, "rounds", (double)s->n_rounds);
    if (s->watched) smr_json_add_number(into, "rounds_fitted", (double)s->n_curve - 1);
    smr_json_add_number(into, "rate", p->rate);
    smr_json_add_number(into, "trees", (double)s->trees.n_trees);
    smr_json_add_number(into, "leaves", (double)s->trees.n_leaves);
    smr_json_add_numbers(into, "base", s->base, s->n_base);
    if (s->n_curve > last) {
        smr_json_add_number(into, "loss_of_base", s->curve[0]);
        smr_json_add_number(into, "loss_at_end", s->curve[last]);
        if (s->watched) smr_json_add_number(into, "validation_loss", s->watched[last]);
    }
    smr_json *list = smr_json_add_array(into, "importance");
    for (int64_t i = 0; i < n; i++) {
        char name[32];
        int64_t j = order[i];
        smr_json *row = smr_json_add_object(list, NULL);
        smr_json_add_string(row, "feature", smr_affine_name(in, j, name));
        smr_json_add_number(row, "gain", s->gain[j] / gain);
        smr_json_add_number(row, "splits", s->splits[j] / splits);
        smr_json_add_number(row, "cover", s->covered[j] / cover);
    }
    return SMR_OK;
}

/* ---- figures ---------------------------------------------------------------------------- */

static void draw_importance(const struct smr_boost_state *s, const smr_feature *in,
                            const char *prefix, smr_json *figures)
{
    int64_t order[MOST_SHOWN], n = by_gain(s, order);
    char name[256], number[32];
    static const char *const words[] = {"gain", "splits", "cover"};
    const double *of[] = {s->gain, s->splits, s->covered};
    if (n == 0) return;
    snprintf(name, sizeof name, "%simportance", prefix);
    smr_json *figure = smr_figure_add(figures, name, "Importance of the features",
                                      "Each feature's share of the total gain, of the number of "
                                      "splits, and of the rows that are split.");
    smr_figure_axis(figure, "x", "share", "linear");
    smr_json *axis = smr_figure_axis(figure, "y", "feature", "names");
    smr_json *names = smr_json_add_array(axis, "names");
    for (int64_t i = 0; i < n; i++)
        smr_json_add_string(names, NULL, smr_affine_name(in, order[i], number));
    for (int kind = 0; kind < 3; kind++) {
        double share[MOST_SHOWN], all = total(s->n_features, of[kind]);
        for (int64_t i = 0; i < n; i++) share[i] = of[kind][order[i]] / all;
        smr_figure_series(figure, words[kind], "hbars", n, share, NULL);
    }
}

static smr_status draw_curve(smr_ctx *ctx, const struct smr_boost_state *s, const char *prefix,
                             smr_json *figures)
{
    smr_status st = SMR_OK;
    double *round = NULL, *in = NULL, *apart = NULL;
    int64_t each = SMR_MAX(1, (s->n_curve + MOST_POINTS - 1) / MOST_POINTS), n = 0;
    char name[256];
    if (s->n_curve < 2) return SMR_OK;
    TRY_NEW(round, s->n_curve);
    TRY_NEW(in, s->n_curve);
    TRY_NEW(apart, s->n_curve);
    for (int64_t t = 0; t < s->n_curve; t++) {
        if (t % each && t + 1 < s->n_curve) continue;
        round[n] = (double)t;
        apart[n] = s->watched ? s->watched[t] : 0;
        in[n++] = s->curve[t];
    }
    snprintf(name, sizeof name, "%srounds", prefix);
    smr_json *figure = smr_figure_add(
        figures, name, "Loss by round",
        s->watched
            ? "The rounds up to the mark are kept: there the loss on the validation part is lowest."
            : "Mean loss on the training rows.");
    smr_figure_axis(figure, "x", "round", "linear");
    smr_figure_axis(figure, "y", "mean loss", "linear");
    smr_figure_series(figure, "training", "line", n, round, in);
    if (s->watched) {
        smr_figure_series(figure, "validation", "line", n, round, apart);
        smr_figure_mark(figure, "vline", (double)s->n_rounds, "kept");
    }
out:
    smr_free(round);
    smr_free(in);
    smr_free(apart);
    return st;
}

smr_status smr_boost_figures(smr_ctx *ctx, const void *params_, const void *state_,
                             const smr_feature *in, int64_t n_in, const char *prefix,
                             smr_json *figures)
{
    const struct smr_boost_state *s = state_;
    (void)params_, (void)n_in;
    draw_importance(s, in, prefix, figures);
    return draw_curve(ctx, s, prefix, figures);
}
