/* outliers.c -- see outliers.h. */
#include "learn/outliers.h"

#include "core/sort.h"
#include "core/text.h"

#include <float.h>
#include <math.h>

/* A share of the weight that is met but for rounding. */
#define ALMOST (1 + 1e-12)

/* Between the scores a < b; a finite number, which b is not below. */
static double between(double a, double b)
{
    double middle = a + 0.5 * (b - a);
    if (!isfinite(middle) || !(middle > a)) middle = b; /* no outlier at b: x < b */
    return smr_fmax(-DBL_MAX, smr_fmin(middle, DBL_MAX));
}

smr_status smr_outlier_threshold(smr_ctx *ctx, int64_t n, const double *score, const double *weight,
                                 double share, double *threshold)
{
    smr_status st = SMR_OK;
    int64_t *order = NULL;
    double total = 0, below = 0;
    TRY_NEW(order, n + 1);
    TRY(smr_argsort_f64(ctx, n, score, order));
    for (int64_t i = 0; i < n; i++) total += weight ? weight[i] : 1;
    *threshold = n ? smr_fmax(-DBL_MAX, score[order[0]]) : -DBL_MAX;
    for (int64_t i = 0; i + 1 < n; i++) {
        double a = score[order[i]], b = score[order[i + 1]];
        below += weight ? weight[order[i]] : 1;
        if (below > share * total * ALMOST) break;
        if (a < b) *threshold = between(a, b);
    }
out:
    smr_free(order);
    return st;
}

smr_status smr_outlier_train(smr_ctx *ctx, smr_model *m, const smr_table *table,
                             const int64_t *rows, int64_t n, const double *weight, double share)
{
    smr_status st = SMR_OK;
    double *score = NULL, *w = NULL, threshold;
    smr_text how = {.ctx = ctx};
    if (!rows) n = table->n_rows;
    TRY_NEW(score, n + 1);
    TRY(smr_model_apply(ctx, m, table, rows, n, SMR_OUTPUT_SCORE, score));
    if (weight) TRY_NEW(w, n + 1);
    for (int64_t i = 0; weight && i < n; i++) w[i] = weight[rows ? rows[i] : i];
    TRY(smr_outlier_threshold(ctx, n, score, w, share, &threshold));
    smr_text_add(&how, "share=");
    smr_text_number(&how, share);
    smr_text_printf(&how, " of %lld training row%s", (long long)n, smr_plural(n, "", "s"));
    TRY(smr_text_done(&how));
    TRY(smr_target_set_threshold(ctx, &m->target, threshold, how.bytes));
out:
    smr_text_release(&how);
    smr_free(score);
    smr_free(w);
    return st;
}
