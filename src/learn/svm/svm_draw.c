/* svm_draw.c -- pictures of a fitted svm; see svm_parts.h. */
#include "core/figure.h"
#include "learn/balance.h"
#include "learn/kernels/kernel_show.h"
#include "learn/svm/svm_parts.h"

#include <stdio.h>

/* The multipliers of all machines, or those that are listed. */
static smr_status draw_multipliers(smr_ctx *ctx, const struct smr_svm_params *p,
                                   const struct smr_svm_state *s, const char *prefix,
                                   smr_json *figures)
{
    smr_status st = SMR_OK;
    smr_json *figure;
    bool has_points = smr_svm_has_points(s);
    bool bounded = !smr_svm_is_hard(p) && isnan(p->nu) && p->class_weight == SMR_CLASS_WEIGHT_NONE;
    smr_kernel_ranks ranks = {
        .name = "multipliers",
        .title = "Multipliers of the support vectors",
        .note = "Rows on the margin have multipliers between 0 and their bound; rows within it, or "
                "on the wrong side, are at their bound.",
        .of = "multiplier",
        .coef = has_points ? s->dual : s->alpha,
        .n_series = 1,
        .n = has_points ? s->n_machines * s->points.n : s->n_listed};
    if (!ranks.coef) return SMR_OK;
    TRY(smr_kernel_draw_ranks(ctx, &ranks, prefix, figures, &figure));
    if (figure && bounded && s->learns != SMR_SVM_ONE)
        smr_figure_mark(figure, "hline", smr_svm_C(p), "C");
out:
    return st;
}

/* Rows by their slack, of all problems. */
static void draw_slack(const struct smr_svm_state *s, const char *prefix, smr_json *figures)
{
    static const char *const names[] = {"on the margin or beyond", "within the margin",
                                        "on the wrong side"};
    bool classes = s->n_machines == 0 || s->learns == SMR_SVM_CLASSES;
    double at[3] = {0, 1, 2}, n[3] = {0, 0, 0};
    char name[256];
    if (!classes || s->n_parts == 0) return;
    for (int64_t k = 0; k < s->n_parts; k++) {
        n[0] += s->n_met[k];
        n[1] += s->n_inside[k];
        n[2] += s->n_wrong[k];
    }
    snprintf(name, sizeof name, "%sslack", prefix);
    smr_json *figure = smr_figure_add(figures, name, "Where the training rows lie",
                                      s->n_parts > 1 ? "Of all problems together." : NULL);
    smr_figure_axis(figure, "x", "rows", "linear");
    smr_json *axis = smr_figure_axis(figure, "y", "side of the margin", "names");
    smr_json *list = smr_json_add_array(axis, "names");
    for (int i = 0; i < 3; i++) smr_json_add_string(list, NULL, names[i]);
    smr_figure_series(figure, "rows", "hbars", 3, n, at);
}

smr_status smr_svm_draw(smr_ctx *ctx, const void *params, const void *state_, const smr_feature *in,
                        int64_t n_in, const char *prefix, smr_json *figures)
{
    const struct smr_svm_state *s = state_;
    (void)in, (void)n_in;
    draw_slack(s, prefix, figures);
    return draw_multipliers(ctx, params, s, prefix, figures);
}
