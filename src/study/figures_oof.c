/* figures_oof.c -- the figures of out-of-fold predictions: see figures.h. */
#include "study/figures.h"

#include <string.h>

/* The rows that were measured, with their answers, weights and predictions. */
struct measured {
    int64_t n;
    int32_t *label;
    double *y, *weight, *prediction;
};

static smr_status gather(smr_ctx *ctx, const smr_train_set *set, const smr_cv_scores *s,
                         struct measured *m)
{
    smr_status st = SMR_OK;
    int64_t t = set->target.n, width = s->width;
    TRY_NEW(m->prediction, set->n_rows * width + 1);
    if (set->label) TRY_NEW(m->label, set->n_rows + 1);
    if (!set->label) TRY_NEW(m->y, set->n_rows * t + 1);
    if (set->weight) TRY_NEW(m->weight, set->n_rows + 1);
    for (int64_t k = 0; k < set->n_rows; k++) {
        int64_t i = smr_train_set_row(set, k);
        if (s->round_of[i] < 0) continue;
        if (m->label) m->label[m->n] = set->label[i];
        if (m->y) memcpy(m->y + m->n * t, set->y + i * t, (size_t)t * sizeof *m->y);
        if (m->weight) m->weight[m->n] = set->weight[i];
        memcpy(m->prediction + m->n * width, s->prediction + i * width,
               (size_t)width * sizeof *m->prediction);
        m->n++;
    }
out:
    return st;
}

smr_status smr_figures_oof(smr_ctx *ctx, const smr_train_set *set, const smr_cv_scores *s,
                           smr_json *figures)
{
    smr_status st = SMR_OK;
    struct measured m = {0};
    if (!s->prediction || !s->round_of) return SMR_OK;
    TRY(gather(ctx, set, s, &m));
    if (m.label) {
        bool proba = s->output == SMR_OUTPUT_PROBA;
        smr_classify_input in = {.n = m.n,
                                 .n_classes = set->target.classes.n,
                                 .label = m.label,
                                 .proba = proba ? m.prediction : NULL,
                                 .decision = proba ? NULL : m.prediction,
                                 .weight = m.weight,
                                 .positive = set->target.positive,
                                 .class_names = &set->target.classes};
        TRY(smr_figures_classify(ctx, &in, figures));
    } else {
        smr_regress_input in = {.n = m.n,
                                .n_outputs = set->target.n,
                                .y = m.y,
                                .predicted = m.prediction,
                                .weight = m.weight,
                                .output_names = (const char *const *)set->target.names};
        TRY(smr_figures_regress(ctx, &in, figures));
    }
out:
    smr_free(m.label);
    smr_free(m.y);
    smr_free(m.weight);
    smr_free(m.prediction);
    return st;
}
