/* experts_describe.c -- what a mixture of experts learned, in numbers and pictures. */
#include "core/figure.h"
#include "learn/ensemble/experts.h"

#include <math.h>
#include <stdio.h>

enum { POINTS = 101, SHOWN = 9 };

smr_status smr_experts_describe(smr_ctx *ctx, const void *params_, const void *state_,
                                const smr_feature *in, int64_t n_in, smr_json *into)
{
    const struct smr_experts_state *s = state_;
    (void)ctx, (void)params_, (void)in, (void)n_in;
    smr_json_add_number(into, "iterations", (double)s->n_curve);
    smr_json_add_number(into, "log_likelihood", s->log_likelihood);
    smr_json_add_number(into, "mean_largest_responsibility", s->decided);
    if (s->n_given > s->n_experts)
        smr_json_add_number(into, "dropped", (double)(s->n_given - s->n_experts));
    smr_json *list = smr_json_add_array(into, "experts");
    for (int64_t e = 0; e < s->n_experts; e++) {
        char name[32];
        smr_json *row = smr_json_add_object(list, NULL);
        snprintf(name, sizeof name, "of.%lld", (long long)e);
        smr_json_add_string(row, "expert", name);
        smr_json_add_string(row, "learner", smr_member_last(&s->of.member[e])->learner->word->name);
        smr_json_add_number(row, "responsibility", s->share[e]);
        if (s->variance) smr_json_add_number(row, "noise_sd", sqrt(s->variance[e]));
    }
    return SMR_OK;
}

/* ---- pictures --------------------------------------------------------------------------- */

static void draw_training(const struct smr_experts_state *s, const char *prefix, smr_json *figures)
{
    char name[256];
    snprintf(name, sizeof name, "%slikelihood", prefix);
    smr_json *figure = smr_figure_add(figures, name, "Log-likelihood by iteration",
                                      "Penalties are subtracted; it never falls.");
    smr_figure_axis(figure, "x", "iteration", "linear");
    smr_figure_axis(figure, "y", "log-likelihood less penalties", "linear");
    smr_figure_series(figure, "log-likelihood", "line", s->n_curve, NULL, s->curve);
}

struct drawing {
    const struct smr_experts_state *state;
    double x[POINTS], *answers, *line;
    char *scratch;
};

static smr_rows points_of(const struct drawing *d)
{
    return (smr_rows){.n = POINTS, .d = 1, .form = SMR_FORM_F64, .x = d->x, .stride = 1};
}

static smr_json *begin_figure(const struct drawing *d, const char *prefix, const char *word,
                              const char *title, const smr_feature *in, const char *y,
                              smr_json *figures)
{
    char name[256];
    (void)d;
    snprintf(name, sizeof name, "%s%s", prefix, word);
    smr_json *figure = smr_figure_add(figures, name, title, NULL);
    smr_figure_axis(figure, "x", in[0].name, "linear");
    smr_figure_axis(figure, "y", y, "linear");
    return figure;
}

/* Column c of answers of this width. */
static void add_line(struct drawing *d, smr_json *figure, const char *name, int64_t width,
                     int64_t c)
{
    for (int64_t i = 0; i < POINTS; i++) d->line[i] = d->answers[i * width + c];
    smr_figure_series(figure, name, "line", POINTS, d->x, d->line);
}

/* Answers of the mixture and of its experts: values, or probabilities of the last of two
 * classes. */
static smr_status draw_experts(smr_ctx *ctx, struct drawing *d, const smr_feature *in,
                               const char *prefix, smr_json *figures)
{
    smr_status st = SMR_OK;
    const struct smr_experts_state *s = d->state;
    const smr_shape *shape = &s->of.member[0].shape;
    bool classify = shape->task == SMR_TASK_CLASSIFY;
    int64_t width = classify ? shape->n_classes : 1;
    smr_output output = classify ? SMR_OUTPUT_PROBA : SMR_OUTPUT_VALUE;
    smr_rows rows = points_of(d);
    if (width > 2) return SMR_OK;
    smr_json *figure =
        begin_figure(d, prefix, "experts", "The experts and their mixture", in,
                     classify ? "probability of the second class" : "answer", figures);
    TRY(smr_experts_predict(ctx, NULL, s, &rows, output, d->answers, d->scratch));
    add_line(d, figure, "mixture", width, width - 1);
    for (int64_t e = 0; e < SMR_MIN(s->n_experts, SHOWN); e++) {
        char name[48];
        snprintf(name, sizeof name, "expert %lld", (long long)e);
        TRY(smr_member_predict(ctx, &s->of.member[e], &rows, output, d->answers, d->scratch));
        add_line(d, figure, name, width, width - 1);
    }
out:
    return st;
}

static smr_status draw_gate(smr_ctx *ctx, struct drawing *d, const smr_feature *in,
                            const char *prefix, smr_json *figures)
{
    smr_status st = SMR_OK;
    const struct smr_experts_state *s = d->state;
    smr_rows rows = points_of(d);
    if (!s->gate.n) return SMR_OK;
    smr_json *figure =
        begin_figure(d, prefix, "gate", "Whom the gate asks", in, "weight of the expert", figures);
    TRY(smr_member_predict(ctx, &s->gate.member[0], &rows, SMR_OUTPUT_PROBA, d->answers,
                           d->scratch));
    for (int64_t e = 0; e < SMR_MIN(s->n_experts, SHOWN); e++) {
        char name[48];
        snprintf(name, sizeof name, "expert %lld", (long long)e);
        add_line(d, figure, name, s->n_experts, e);
    }
out:
    return st;
}

smr_status smr_experts_figures(smr_ctx *ctx, const void *params_, const void *state_,
                               const smr_feature *in, int64_t n_in, const char *prefix,
                               smr_json *figures)
{
    const struct smr_experts_state *s = state_;
    smr_status st = SMR_OK;
    struct drawing d = {.state = s};
    (void)params_;
    if (s->n_curve > 1) draw_training(s, prefix, figures);
    if (n_in != 1 || !(s->high > s->low)) return SMR_OK;
    int64_t widest = SMR_MAX(s->n_experts, SMR_MAX(1, s->of.member[0].shape.n_classes));
    for (int64_t i = 0; i < POINTS; i++)
        d.x[i] = s->low + (s->high - s->low) * (double)i / (POINTS - 1);
    TRY_NEW(d.answers, POINTS * widest);
    TRY_NEW(d.line, POINTS);
    TRY_NEW(d.scratch, smr_experts_scratch(NULL, s, POINTS));
    TRY(draw_experts(ctx, &d, in, prefix, figures));
    TRY(draw_gate(ctx, &d, in, prefix, figures));
out:
    smr_free(d.answers);
    smr_free(d.line);
    smr_free(d.scratch);
    return st;
}
