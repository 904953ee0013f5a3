/* scores.c -- see scores.h. */
#include "learn/linear/scores.h"

#include "kernel/kernel.h"
#include "learn/linear/affine.h"
#include "learn/linear/held_rows.h"
#include "math/loss.h"

#include <math.h>
#include <stdio.h>

/* ---- prediction ------------------------------------------------------------------------- */

/* Scores of one column, spread from the last row on, so that they may lie in `out` itself. */
static void spread(int64_t n, smr_output output, double *out)
{
    for (int64_t i = n - 1; i >= 0; i--) {
        double f = out[i], e = smr_exp(-fabs(f)), small = e / (1 + e), large = 1 / (1 + e);
        bool decides = output == SMR_OUTPUT_DECISION;
        out[2 * i + 1] = decides ? f : f < 0 ? small : large;
        out[2 * i] = decides ? -f : f < 0 ? large : small;
    }
}

void smr_classifier_spread(int64_t n_classes, int64_t n, smr_output output, double *out)
{
    if (n_classes == 2) {
        spread(n, output, out);
        return;
    }
    for (int64_t i = 0; i < n && output == SMR_OUTPUT_PROBA; i++) /* of one class: 1 */
        smr_loss_softmax(n_classes, out + i * n_classes, out + i * n_classes);
}

void smr_classifier_predict(const smr_linear_classifier *m, const smr_rows *rows, smr_output output,
                            double *out)
{
    int64_t q = smr_scores_of(m->n_classes);
    smr_affine_predict(m->n_features, q, m->coef, m->intercept, rows, out);
    smr_classifier_spread(m->n_classes, rows->n, output, out);
}

/* ---- before fitting --------------------------------------------------------------------- */

/* count (n_classes) = the classes' weights; how many are > 0. */
static smr_status count_classes(smr_ctx *ctx, const char *learner, const smr_data *data,
                                double *count, int64_t *n_present)
{
    *n_present = 0;
    if (data->n_rows < 1) return smr_fail(ctx, SMR_ERR_DATA, "%s: no rows to fit", learner);
    if (!data->label)
        return smr_fail(ctx, SMR_ERR_DATA, "%s: classes are needed as the target", learner);
    smr_status st = smr_held_check_weights(ctx, learner, 0, data->n_rows, data->weight, NULL);
    if (st != SMR_OK) return st;
    for (int64_t i = 0; i < data->n_rows; i++) count[data->label[i]] += smr_data_weight(data, i);
    for (int64_t c = 0; c < data->n_classes; c++) *n_present += count[c] > 0;
    if (*n_present == 0)
        return smr_fail(ctx, SMR_ERR_DATA, "%s: all weights are 0: no row counts", learner);
    return SMR_OK;
}

smr_status smr_classifier_check_classes(smr_ctx *ctx, const char *learner, const smr_data *data,
                                        double *count)
{
    smr_status st = SMR_OK;
    double *own = NULL;
    int64_t n_present;
    TRY_NEW(own, SMR_MAX(1, data->n_classes));
    TRY(count_classes(ctx, learner, data, own, &n_present));
    if (n_present == 1)
        TRY(smr_fail(ctx, SMR_ERR_DATA,
                     "%s: all rows have the same class; rows of at least two are needed", learner));
    for (int64_t c = 0; c < data->n_classes && count; c++) count[c] = own[c];
out:
    smr_free(own);
    return st;
}

smr_status smr_classifier_weights(smr_ctx *ctx, const char *learner, const smr_data *data,
                                  int class_weight, double **own)
{
    smr_status st = SMR_OK;
    double *of_class = NULL, *weight = NULL;
    int64_t n_present;
    *own = NULL;
    if (class_weight == SMR_CLASS_WEIGHT_NONE) return SMR_OK;
    TRY_NEW(of_class, SMR_MAX(1, data->n_classes));
    TRY_NEW(weight, data->n_rows);
    TRY(count_classes(ctx, learner, data, of_class, &n_present));
    smr_class_balance(data, of_class);
    for (int64_t i = 0; i < data->n_rows; i++)
        weight[i] = smr_data_weight(data, i) * of_class[data->label[i]];
    *own = weight;
    weight = NULL;
out:
    smr_free(weight);
    smr_free(of_class);
    return st;
}

/* ---- words ------------------------------------------------------------------------------ */

void smr_classifier_describe(const smr_linear_classifier *m, bool has_intercept,
                             const smr_feature *in, smr_coefficient_fn more, const void *self,
                             smr_json *into)
{
    int64_t q = smr_scores_of(m->n_classes), d = m->n_features;
    smr_json *list = smr_json_add_array(into, "coefficients");
    for (int64_t c = 0; c < q; c++)
        for (int64_t j = has_intercept ? -1 : 0; j < d; j++) {
            char name[32];
            smr_json *row = smr_json_add_object(list, NULL);
            if (q > 1) smr_json_add_number(row, "class", (double)c);
            smr_json_add_string(row, "feature",
                                j < 0 ? "(intercept)" : smr_affine_name(in, j, name));
            smr_json_add_number(row, "estimate", j < 0 ? m->intercept[c] : m->coef[c * d + j]);
            if (more) more(self, c, j, row);
        }
}

void smr_class_name(const smr_data *data, int64_t k, char out[64])
{
    if (data->classes && k < data->classes->n) {
        int64_t length;
        const char *name = smr_strings_get(data->classes, k, &length);
        int64_t shown = SMR_MIN(40, length);
        while (shown > 0 && shown < length && (name[shown] & 0xc0) == 0x80) shown--;
        snprintf(out, 64, "'%.*s'", (int)shown, name);
    } else {
        snprintf(out, 64, "%lld", (long long)k);
    }
}
