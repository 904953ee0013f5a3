/* select_judge.c -- see select_judge.h. */
#include "transform/select_judge.h"

#include "data/row_subset.h"
#include "learn/chain.h"
#include "learn/member.h"
#include "learn/out_of_fold.h"

#include <math.h>
#include <string.h>

extern const smr_learner smr_select;

/* ---- some of the features --------------------------------------------------------------- */

/* The data with n of its features: views of the columns where they lie in memory, else what a
 * select stage with those features gives. */
struct some {
    smr_data data;
    smr_feature *features;
    int32_t *kept;
    struct smr_select_state state;
    smr_stage stage;
};

static smr_status take_some(smr_ctx *ctx, const smr_data *data, int64_t n, const int32_t *column,
                            struct some *out)
{
    smr_status st = SMR_OK;
    TRY_NEW(out->features, n);
    TRY_NEW(out->kept, n);
    for (int64_t k = 0; k < n; k++) {
        out->kept[k] = column[k];
        if (data->features) out->features[k] = data->features[column[k]];
        if (!data->features) out->features[k] = (smr_feature){.kind = SMR_NUMBER};
    }
    if (!data->source && !data->sparse) {
        out->data = *data;
        out->data.n_features = n;
        out->data.features = out->features;
        return SMR_OK;
    }
    out->state =
        (struct smr_select_state){.n_features = data->n_features, .n_kept = n, .kept = out->kept};
    out->stage = (smr_stage){.learner = &smr_select,
                             .state = &out->state,
                             .n_in = data->n_features,
                             .n_out = n,
                             .features = out->features};
    smr_chain(data, &out->stage, &out->data);
out:
    return st;
}

static void release_some(struct some *some)
{
    smr_free(some->features);
    smr_free(some->kept);
}

/* ---- by fits ---------------------------------------------------------------------------- */

/* Weighted error of answers to rows (NULL: all), n of them. */
static double error_of(const struct smr_judge *j, const int64_t *rows, int64_t n,
                       const double *answers)
{
    const smr_data *data = j->data;
    int64_t q = data->n_outputs;
    double error = 0, weight = 0;
    for (int64_t i = 0; i < n; i++) {
        int64_t r = rows ? rows[i] : i;
        double w = smr_data_weight(data, r);
        weight += w;
        if (data->task == SMR_TASK_CLASSIFY) {
            error += w * ((int32_t)answers[i] != data->label[r]);
            continue;
        }
        for (int64_t t = 0; t < q; t++) {
            double e = data->y[r * q + t] - answers[i * q + t];
            error += w * e * e / (j->variance[t] * (double)q);
        }
    }
    return weight > 0 ? error / weight : INFINITY;
}

static smr_output asked(const smr_data *data)
{
    return data->task == SMR_TASK_CLASSIFY ? SMR_OUTPUT_LABEL : SMR_OUTPUT_VALUE;
}

/* Fits on `train` and answers `rows` of the data. */
static smr_status judge_part(smr_ctx *ctx, const struct smr_judge *j, const smr_data *data,
                             const smr_data *train, const smr_data *rows, double *answers)
{
    smr_status st = SMR_OK;
    smr_member member = {0};
    TRY(smr_member_fit(ctx, j->spec, train, &member, NULL));
    if (!(smr_member_gives(&member) & 1u << asked(data)))
        TRY(smr_fail(ctx, SMR_ERR_PARAM, "select: %s gives no answer to be judged by",
                     smr_member_last(&member)->learner->word->name));
    TRY(smr_member_apply(ctx, &member, rows, asked(data), answers));
out:
    smr_member_release(&member);
    return st;
}

static smr_status judge_holdout(smr_ctx *ctx, const struct smr_judge *j, const smr_data *data,
                                double *answers, double *error)
{
    smr_status st = SMR_OK;
    smr_subset train = {0}, rows = {0};
    const smr_parts *parts = &j->parts;
    TRY(smr_subset_make(ctx, data, smr_part_rows(parts, 0), smr_part_size(parts, 0), NULL, &train));
    TRY(smr_subset_make(ctx, data, smr_part_rows(parts, 1), smr_part_size(parts, 1), NULL, &rows));
    TRY(judge_part(ctx, j, data, &train.data, &rows.data, answers));
    *error = error_of(j, smr_part_rows(parts, 1), smr_part_size(parts, 1), answers);
out:
    smr_subset_release(&train);
    smr_subset_release(&rows);
    return st;
}

static smr_status judge_by_fits(smr_ctx *ctx, const struct smr_judge *j, int64_t n,
                                const int32_t *column, double *error)
{
    smr_status st = SMR_OK;
    struct some some = {0};
    double *answers = NULL;
    int64_t rows = j->data->n_rows;
    TRY(take_some(ctx, j->data, n, column, &some));
    TRY_NEW(answers, rows * SMR_MAX(1, j->data->n_outputs));
    switch (j->p->judge) {
    case SMR_SELECT_CV:
        TRY(smr_out_of_fold(ctx, j->spec, &some.data, j->p->folds, asked(j->data), answers));
        *error = error_of(j, NULL, rows, answers);
        break;
    case SMR_SELECT_VALIDATION: TRY(judge_holdout(ctx, j, &some.data, answers, error)); break;
    default:
        TRY(judge_part(ctx, j, &some.data, &some.data, &some.data, answers));
        *error = error_of(j, NULL, rows, answers);
    }
    if (isnan(*error)) *error = INFINITY;
out:
    smr_free(answers);
    release_some(&some);
    return st;
}

/* ---- both ------------------------------------------------------------------------------- */

smr_status smr_judge_score(smr_ctx *ctx, const struct smr_judge *j, int64_t n,
                           const int32_t *column, double *error)
{
    smr_status st = j->by_gram ? smr_judge_by_gram(ctx, j, n, column, error)
                               : judge_by_fits(ctx, j, n, column, error);
    *error += j->p->penalty * (double)n;
    return st;
}

/* Variance of the targets; the error of the mean, or of the most frequent class. */
static smr_status measure_target(smr_ctx *ctx, struct smr_judge *j)
{
    smr_status st = SMR_OK;
    const smr_data *data = j->data;
    bool classes = data->task == SMR_TASK_CLASSIFY;
    int64_t n = data->n_rows, T = classes ? data->n_classes : data->n_outputs;
    double total = 0, most = 0;
    TRY_NEW(j->variance, T);
    for (int64_t i = 0; i < n; i++) total += smr_data_weight(data, i);
    if (!(total > 0)) TRY(smr_fail(ctx, SMR_ERR_DATA, "select: no row has a weight above 0"));
    for (int64_t i = 0; i < n && classes; i++) {
        double *w = &j->variance[data->label[i]];
        *w += smr_data_weight(data, i) / total;
        most = smr_fmax(most, *w);
    }
    for (int64_t t = 0; t < T && !classes; t++) {
        double mean = 0;
        for (int64_t i = 0; i < n; i++)
            mean += smr_data_weight(data, i) * (data->y[i * T + t] / total);
        for (int64_t i = 0; i < n; i++) {
            double e = data->y[i * T + t] - mean;
            j->variance[t] += smr_data_weight(data, i) * e * e / total;
        }
        if (j->variance[t] > 1e-28 * mean * mean)
            j->baseline += 1 / (double)T;
        else
            j->variance[t] = 1; /* a constant target is known without any feature */
    }
    if (classes) j->baseline = 1 - most;
out:
    return st;
}

smr_status smr_judge_create(smr_ctx *ctx, const struct smr_select_params *p, const smr_data *data,
                            struct smr_judge *j)
{
    smr_status st = SMR_OK;
    double quarter = 0.25;
    smr_split_rows of = smr_data_split_rows(ctx, data);
    *j = (struct smr_judge){.p = p, .data = data, .fits = 1};
    TRY(smr_select_spec(ctx, p, data, &j->spec));
    TRY(measure_target(ctx, j));
    if (p->judge == SMR_SELECT_CV) TRY(smr_split_folds(ctx, &of, p->folds, &j->parts));
    if (p->judge == SMR_SELECT_VALIDATION) TRY(smr_split_holdout(ctx, &of, &quarter, 1, &j->parts));
    if (p->judge == SMR_SELECT_CV) j->fits = j->parts.n_parts;
    TRY(smr_judge_grams(ctx, j));
out:
    if (st != SMR_OK) smr_judge_release(j);
    return st;
}

void smr_judge_release(struct smr_judge *j)
{
    smr_judge_grams_release(j);
    smr_spec_free(j->spec);
    smr_free(j->variance);
    smr_parts_release(&j->parts);
    *j = (struct smr_judge){0};
}
