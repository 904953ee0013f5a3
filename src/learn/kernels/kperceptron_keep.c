/* kperceptron_keep.c -- what is kept of passes over the rows; see kperceptron.c. */
#include "learn/kernels/kperceptron.h"

#include <string.h>

enum what { MEAN, LAST, LAG };

/* The coefficients of the m support vectors, ascending, for all classes. */
static smr_status pick(smr_ctx *ctx, const struct smr_kperceptron_learning *l, enum what what,
                       const smr_present *present, int64_t m, double *to, double *to_b)
{
    smr_status st = SMR_OK;
    double *coef = NULL, *b = NULL;
    const double *from = what == LAG ? l->lag : l->alpha, *from_b = what == LAG ? l->b_lag : l->b;
    bool mean = what == MEAN && l->lag;
    TRY_NEW(coef, l->q * m);
    TRY_NEW(b, l->q);
    for (int64_t c = 0; c < l->q; c++) {
        b[c] = from_b[c] - (mean ? l->b_lag[c] / l->rows : 0);
        for (int64_t t = 0; t < m; t++) {
            int64_t at = c * l->n + l->support[t];
            coef[c * m + t] = from[at] - (mean ? l->lag[at] / l->rows : 0);
        }
    }
    if (present->is_all) {
        memcpy(to, coef, (size_t)(l->q * m) * sizeof *coef);
        memcpy(to_b, b, (size_t)l->q * sizeof *b);
    } else {
        smr_present_spread(present, l->s->n_classes, m, coef, b, what == LAG ? 0 : SMR_ABSENT, to,
                           to_b);
    }
out:
    smr_free(coef);
    smr_free(b);
    return st;
}

/* What a stream that begins with this model needs besides. */
static smr_status keep_sums(smr_ctx *ctx, const struct smr_kperceptron_learning *l,
                            const smr_present *present, int64_t m)
{
    smr_status st = SMR_OK;
    struct smr_kperceptron_state *s = l->s;
    int64_t q = s->n_scores;
    s->rows = l->rows;
    if (l->lag) {
        s->n_sums = 2 * q;
        TRY_NEW(s->sums, s->n_sums * m);
        TRY_NEW(s->sum_intercept, s->n_sums);
        TRY(pick(ctx, l, LAST, present, m, s->sums, s->sum_intercept));
        TRY(pick(ctx, l, LAG, present, m, s->sums + q * m, s->sum_intercept + q));
    }
    if (l->p->budget != SMR_UNSET_INT) {
        TRY_NEW(s->touched, m);
        TRY_NEW(s->self, m);
        for (int64_t t = 0; t < m; t++) {
            s->touched[t] = l->touched[l->support[t]];
            s->self[t] = l->diagonal[l->support[t]];
        }
    }
out:
    return st;
}

smr_status smr_kperceptron_keep(smr_ctx *ctx, struct smr_kperceptron_learning *l,
                                smr_kernel_set *set, const smr_present *present, int64_t n_classes)
{
    smr_status st = SMR_OK;
    struct smr_kperceptron_state *s = l->s;
    int64_t m = 0;
    for (int64_t i = 0; i < l->n; i++)
        if (l->is_support[i]) l->support[m++] = (int32_t)i;
    s->n_classes = n_classes;
    s->n_scores = present->is_all ? l->q : n_classes;
    TRY_NEW(s->coef, s->n_scores * m);
    TRY_NEW(s->intercept, s->n_scores);
    TRY(pick(ctx, l, MEAN, present, m, s->coef, s->intercept));
    TRY(keep_sums(ctx, l, present, m));
    TRY(smr_kernel_keep(ctx, set, l->support, m, &s->points));
out:
    return st;
}
