/* adaboost_describe.c -- what boosting learned, round by round, in numbers and pictures. */
#include "core/figure.h"
#include "kernel/kernel.h"
#include "learn/ensemble/adaboost.h"
#include "learn/ensemble/gains.h"

#include <math.h>
#include <stdio.h>

/* ---- bounds ----------------------------------------------------------------------------- */

/* exp(-2 gamma^2 T) holds where each step is the best one: two classes, and rate 1. */
static bool has_gamma(const struct smr_adaboost_params *p, const struct smr_adaboost_state *s)
{
    int64_t n_present = 0;
    for (int64_t c = 0; c < s->n_classes; c++) n_present += s->present[c];
    return n_present == 2 && p->method == SMR_ADABOOST_DISCRETE &&
           p->step == SMR_ADABOOST_BY_ERROR && p->rate == 1;
}

static double least_edge(const struct smr_adaboost_state *s)
{
    double least = 0.5;
    for (int64_t t = 0; t < s->n_rounds; t++) least = smr_fmin(least, 0.5 - s->error[t]);
    return least;
}

/* ---- describe --------------------------------------------------------------------------- */

static void describe_rounds(const struct smr_adaboost_params *p, const struct smr_adaboost_state *s,
                            smr_json *into)
{
    smr_json *list = smr_json_add_array(into, "by_round");
    bool gamma = has_gamma(p, s);
    double g = 0.5;
    for (int64_t t = 0; t < s->n_rounds; t++) {
        g = smr_fmin(g, 0.5 - s->error[t]);
        smr_json *row = smr_json_add_object(list, NULL);
        smr_json_add_number(row, "round", (double)t + 1);
        smr_json_add_number(row, "alpha", s->alpha[t]);
        smr_json_add_number(row, s->n_classes ? "weighted_error" : "mean_loss", s->error[t]);
        if (!s->n_classes) {
            smr_json_add_number(row, "largest_error", s->largest[t]);
            continue;
        }
        smr_json_add_number(row, "loss", smr_exp(s->ln_loss[t]));
        smr_json_add_number(row, "bound", smr_exp(s->ln_bound[t]));
        if (gamma) smr_json_add_number(row, "gamma_bound", smr_exp(-2 * g * g * (double)(t + 1)));
        smr_json_add_number(row, "training_error", s->train_error[t]);
    }
}

static void describe_margins(const struct smr_adaboost_state *s, smr_json *into)
{
    smr_json *list = smr_json_add_array(into, "margins");
    for (int64_t m = 0; m < s->n_marks; m++) {
        const double *q = s->margin + m * s->n_levels;
        int64_t last = s->n_levels - 1;
        smr_json *row = smr_json_add_object(list, NULL);
        smr_json_add_number(row, "round", (double)s->mark[m]);
        smr_json_add_number(row, "least", q[0]);
        smr_json_add_number(row, "tenth", q[last / 10]);
        smr_json_add_number(row, "median", q[last / 2]);
        smr_json_add_number(row, "greatest", q[last]);
    }
}

static void describe_heavy(const struct smr_adaboost_state *s, smr_json *into)
{
    smr_json *list = smr_json_add_array(into, "heaviest_rows");
    for (int64_t k = 0; k < s->n_heavy; k++) {
        smr_json *row = smr_json_add_object(list, NULL);
        smr_json_add_number(row, "row", (double)s->heavy_row[k] + 1);
        smr_json_add_number(row, "times_its_first_weight", s->heavy_weight[k]);
    }
}

smr_status smr_adaboost_describe(smr_ctx *ctx, const void *params, const void *state,
                                 const smr_feature *in, int64_t n_in, smr_json *into)
{
    static const char *const methods[] = {"discrete", "real"};
    static const char *const ends[] = {
        "all rounds were made", "the last learner makes no error, and outvotes the others",
        "the next learner was no better than chance on the weighted rows",
        "the first learner's mean loss was half the largest or more; it was kept alone"};
    const struct smr_adaboost_params *p = params;
    const struct smr_adaboost_state *s = state;
    int64_t last = s->n_rounds - 1;
    smr_json_add_string(into, "method", s->n_classes ? methods[p->method] : "R2");
    smr_json_add_number(into, "rounds", (double)s->n_rounds);
    bool poor = !s->n_classes && s->stopped == SMR_ADABOOST_CHANCE;
    smr_json_add_string(into, "ended",
                        poor ? "the next learner's mean loss was half the largest or more"
                             : ends[s->stopped]);
    if (s->resampled) smr_json_add_string(into, "weights", "by drawing rows");
    if (s->n_classes) {
        if (has_gamma(p, s)) smr_json_add_number(into, "gamma", least_edge(s));
        smr_json_add_number(into, "training_error", s->train_error[last]);
        smr_json_add_number(into, "bound", smr_exp(s->ln_bound[last]));
        smr_json_add_number(into, "loss", smr_exp(s->ln_loss[last]));
        smr_json_add_number(into, "ln_loss", s->ln_loss[last]);
    }
    describe_rounds(p, s, into);
    if (s->n_classes) describe_margins(s, into);
    describe_heavy(s, into);
    return smr_members_describe_gain(ctx, &s->of, s->alpha, in, n_in, into);
}

/* ---- figures ---------------------------------------------------------------------------- */

/* Numbers of all rounds: x is 1, 2, 3 ... */
struct course {
    int64_t n;
    double *x, *y;
};

static void draw(const struct course *c, const char *name, smr_json *figure)
{
    smr_figure_series(figure, name, "line", c->n, c->x, c->y);
}

static void draw_error(const struct smr_adaboost_params *p, const struct smr_adaboost_state *s,
                       struct course *c, const char *prefix, smr_json *figures)
{
    char name[256];
    snprintf(name, sizeof name, "%sboosting", prefix);
    smr_json *figure = smr_figure_add(figures, name, "Training error and its upper bound",
                                      "The bound is the product of the rounds' factors Z; for two "
                                      "classes it is the mean exponential loss.");
    smr_figure_axis(figure, "x", "rounds", "linear");
    smr_json *axis = smr_figure_axis(figure, "y", "error", "linear");
    smr_json_add_number(axis, "min", 0);
    smr_json_add_number(axis, "max", 1);
    for (int64_t t = 0; t < c->n; t++) c->y[t] = s->train_error[t];
    draw(c, "training error", figure);
    for (int64_t t = 0; t < c->n; t++) c->y[t] = smr_fmin(1, smr_exp(s->ln_bound[t]));
    if (!isnan(s->ln_bound[0])) draw(c, "product of Z", figure);
    double g = 0.5;
    for (int64_t t = 0; t < c->n; t++) {
        g = smr_fmin(g, 0.5 - s->error[t]);
        c->y[t] = smr_exp(-2 * g * g * (double)(t + 1));
    }
    if (has_gamma(p, s)) draw(c, "exp(-2 gamma^2 T)", figure);
}

static void draw_members(const struct smr_adaboost_state *s, struct course *c, const char *prefix,
                         smr_json *figures)
{
    char name[256];
    snprintf(name, sizeof name, "%smembers", prefix);
    smr_json *figure = smr_figure_add(figures, name, "The members, round by round", NULL);
    smr_figure_axis(figure, "x", "rounds", "linear");
    smr_figure_axis(figure, "y", s->n_classes ? "weighted error, alpha" : "mean loss, alpha",
                    "linear");
    for (int64_t t = 0; t < c->n; t++) c->y[t] = s->error[t];
    draw(c, s->n_classes ? "weighted error" : "mean loss", figure);
    for (int64_t t = 0; t < c->n; t++) c->y[t] = s->alpha[t];
    draw(c, "alpha", figure);
}

/* No more lines than can be told apart: the first, the last, and some between. */
static bool is_drawn(const struct smr_adaboost_state *s, int64_t m)
{
    int64_t every = 1 + s->n_marks / 5;
    return (s->n_marks - 1 - m) % every == 0;
}

static smr_status draw_margins(smr_ctx *ctx, const struct smr_adaboost_state *s, const char *prefix,
                               smr_json *figures)
{
    smr_status st = SMR_OK;
    char name[256];
    double *share = NULL;
    TRY_NEW(share, s->n_levels);
    snprintf(name, sizeof name, "%smargins", prefix);
    smr_json *figure = smr_figure_add(
        figures, name, "Margins of the training rows",
        "The share of the rows whose margin is at most this; below 0 a row is misclassified.");
    smr_json *axis = smr_figure_axis(figure, "x", "margin", "linear");
    smr_json_add_number(axis, "min", -1);
    smr_json_add_number(axis, "max", 1);
    axis = smr_figure_axis(figure, "y", "share of rows", "linear");
    smr_json_add_number(axis, "min", 0);
    smr_json_add_number(axis, "max", 1);
    for (int64_t k = 0; k < s->n_levels; k++) share[k] = (double)k / (double)(s->n_levels - 1);
    for (int64_t m = 0; m < s->n_marks; m++) {
        if (!is_drawn(s, m)) continue;
        snprintf(name, sizeof name, "after %lld", (long long)s->mark[m]);
        smr_figure_series(figure, name, "line", s->n_levels, s->margin + m * s->n_levels, share);
    }
    smr_figure_mark(figure, "vline", 0, NULL);
out:
    smr_free(share);
    return st;
}

smr_status smr_adaboost_figures(smr_ctx *ctx, const void *params, const void *state,
                                const smr_feature *in, int64_t n_in, const char *prefix,
                                smr_json *figures)
{
    const struct smr_adaboost_state *s = state;
    struct course c = {.n = s->n_rounds};
    smr_status st = SMR_OK;
    TRY_NEW(c.x, c.n);
    TRY_NEW(c.y, c.n);
    for (int64_t t = 0; t < c.n; t++) c.x[t] = (double)t + 1;
    if (s->n_classes) draw_error(params, s, &c, prefix, figures);
    draw_members(s, &c, prefix, figures);
    if (s->n_marks) TRY(draw_margins(ctx, s, prefix, figures));
    TRY(smr_members_draw_gain(ctx, &s->of, s->alpha, in, n_in, prefix, figures));
out:
    smr_free(c.x);
    smr_free(c.y);
    return st;
}
