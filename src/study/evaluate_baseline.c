/* evaluate_baseline.c -- what a model's measures are to be compared with: see evaluate.h.
 *
 * The baseline answers every row alike: with the most frequent class, or with the mean.  Where the
 * fitted rows are known they say which, and the measured rows only how often it is right; else
 * (a saved model keeps no shares of its classes) the measured rows say both. */
#include "study/evaluate.h"

#include "core/number.h"

#include <math.h>
#include <string.h>

/* ---- classes ----------------------------------------------------------------------------- */

/* The class with the most weight among the fitted rows, or among the measured ones; ties to the
 * lower. */
static smr_status most_frequent(smr_ctx *ctx, const smr_judging *how, const smr_classify_input *in,
                                int64_t *out)
{
    const smr_train_set *set = how->fitted;
    int64_t n = !set ? in->n : how->fitted_rows ? how->n_fitted : set->n_rows, best = 0;
    double *count = NULL;
    smr_status st = SMR_OK;
    TRY_NEW(count, in->n_classes);
    for (int64_t i = 0; i < n; i++) {
        int64_t row = !set ? i : how->fitted_rows ? how->fitted_rows[i] : smr_train_set_row(set, i);
        const double *weight = set ? set->weight : in->weight;
        count[set ? set->label[row] : in->label[row]] += weight ? weight[row] : 1;
    }
    for (int64_t k = 1; k < in->n_classes; k++)
        if (count[k] > count[best]) best = k;
    *out = best;
out:
    smr_free(count);
    return st;
}

static smr_status of_classes(smr_ctx *ctx, const smr_judging *how, const smr_classify_input *in,
                             smr_json *into)
{
    smr_status st = SMR_OK;
    int64_t k = 0, length = 0;
    double right = 0, all = 0;
    smr_text what = {.ctx = ctx};
    TRY(most_frequent(ctx, how, in, &k));
    for (int64_t i = 0; i < in->n; i++) {
        double w = in->weight ? in->weight[i] : 1;
        all += w;
        if (in->label[i] == k) right += w;
    }
    const char *name = in->class_names ? smr_strings_get(in->class_names, k, &length) : "";
    smr_text_add(&what, "always '");
    smr_text_add_bytes(&what, name, length);
    smr_text_add(&what, "'");
    TRY(smr_text_done(&what));
    smr_json_add_string(into, "what", what.bytes);
    smr_json_add_string(into, "from", how->fitted ? "the fitted rows" : "the measured rows");
    smr_json_add_number(into, "accuracy", right / all);
out:
    smr_text_release(&what);
    return st;
}

void smr_judge_cost(const smr_threshold_rule *rule, const smr_classify_input *in,
                    const double *scores, smr_json *into)
{
    double sum[2] = {0, 0}, all = 0; /* as predicted, and by the larger score */
    int64_t positive = in->positive < 0 ? 1 : in->positive;
    for (int64_t i = 0; i < in->n; i++) {
        double w = in->weight ? in->weight[i] : 1;
        int32_t larger = scores[2 * i + 1] > scores[2 * i];
        int32_t said[] = {in->predicted ? in->predicted[i] : larger, larger};
        all += w;
        for (int k = 0; k < 2; k++)
            if (said[k] != in->label[i])
                sum[k] += w * (said[k] == positive ? rule->cost_fp : rule->cost_fn);
    }
    smr_json *cost = smr_json_add_object(into, "cost");
    smr_json_add_number(cost, "false_positive", rule->cost_fp);
    smr_json_add_number(cost, "false_negative", rule->cost_fn);
    smr_json_add_number(cost, "per_row", sum[0] / all);
    smr_json_add_number(cost, "per_row_usual", sum[1] / all);
}

/* ---- numbers ----------------------------------------------------------------------------- */

/* mean[0 .. t) of the fitted rows, or of the measured ones. */
static void find_means(const smr_judging *how, const smr_regress_input *in, double *mean)
{
    const smr_train_set *set = how->fitted;
    int64_t n = !set ? in->n : how->fitted_rows ? how->n_fitted : set->n_rows, t = in->n_outputs;
    const double *y = set ? set->y : in->y, *weight = set ? set->weight : in->weight;
    double all = 0;
    for (int64_t i = 0; i < n; i++) {
        int64_t row = !set ? i : how->fitted_rows ? how->fitted_rows[i] : smr_train_set_row(set, i);
        double w = weight ? weight[row] : 1;
        all += w;
        for (int64_t j = 0; w > 0 && j < t; j++) mean[j] += w / all * (y[row * t + j] - mean[j]);
    }
}

/* The same for a quantile of output j. */
static smr_status find_quantile(smr_ctx *ctx, const smr_judging *how, const smr_regress_input *in,
                                int64_t j, double level, double *out)
{
    const smr_train_set *set = how->fitted;
    int64_t n = !set ? in->n : how->fitted_rows ? how->n_fitted : set->n_rows, t = in->n_outputs;
    const double *from = set ? set->y : in->y, *weights = set ? set->weight : in->weight;
    smr_status st = SMR_OK;
    double *y = NULL, *weight = NULL;
    TRY_NEW(y, n + 1);
    if (weights) TRY_NEW(weight, n + 1);
    for (int64_t i = 0; i < n; i++) {
        int64_t row = !set ? i : how->fitted_rows ? how->fitted_rows[i] : smr_train_set_row(set, i);
        y[i] = from[row * t + j];
        if (weight) weight[i] = weights[row];
    }
    TRY(smr_judge_quantile(ctx, level, n, y, 1, weight, out));
out:
    smr_free(y);
    smr_free(weight);
    return st;
}

static smr_status of_numbers(smr_ctx *ctx, const smr_judging *how, const smr_regress_input *in,
                             const smr_measure *suited, smr_json *into)
{
    static const char *const told[] = {"rmse", "mae"};
    smr_status st = SMR_OK;
    smr_json_doc *doc = NULL;
    smr_text what = {.ctx = ctx};
    double *mean = NULL, *constant = NULL;
    int64_t t = in->n_outputs;
    TRY_NEW(mean, t);
    TRY_NEW(constant, in->n * t);
    TRY(smr_json_create(ctx, &doc));
    find_means(how, in, mean);
    for (int64_t j = 0; suited && suited->level > 0 && j < t; j++)
        TRY(find_quantile(ctx, how, in, j, suited->level, &mean[j]));
    smr_text_add(&what, "always the ");
    if (t > 1) smr_text_add(&what, "targets' ");
    smr_judge_constant_name(suited, &what);
    if (t > 1 && !(suited && suited->level > 0)) smr_text_add(&what, "s");
    TRY(smr_text_done(&what));
    for (int64_t i = 0; i < in->n; i++) memcpy(constant + i * t, mean, (size_t)t * sizeof *mean);
    smr_regress_input same = *in;
    same.predicted = constant;
    TRY(smr_metric_regress(ctx, &same, smr_json_root(doc)));
    smr_json_add_string(into, "what", what.bytes);
    smr_json_add_string(into, "from", how->fitted ? "the fitted rows" : "the measured rows");
    if (t == 1) smr_json_add_number(into, "value", mean[0]);
    TRY(smr_judge_suited(ctx, suited, &same, into));
    for (int64_t k = 0; k < SMR_COUNT(told); k++)
        if (!suited || strcmp(told[k], suited->name) != 0)
            smr_json_add_copy(into, told[k], smr_json_get(smr_json_root(doc), told[k]));
out:
    smr_json_free(doc);
    smr_text_release(&what);
    smr_free(constant);
    smr_free(mean);
    return st;
}

smr_status smr_judge_suited(smr_ctx *ctx, const smr_measure *suited, const smr_regress_input *in,
                            smr_json *into)
{
    double value = NAN;
    smr_status st = suited ? smr_measure_regress(ctx, suited, in, &value) : SMR_OK;
    if (st == SMR_OK && suited) smr_json_add_number(into, suited->name, value);
    return st;
}

/* ---- what is found ----------------------------------------------------------------------- */

/* The measures that decide, with known classes and without, each once. */
static smr_status tell_found(smr_ctx *ctx, smr_task task, bool known, const smr_found *found,
                             smr_json *into)
{
    const smr_measure *list[] = {known ? smr_judge_usual(task, true) : NULL,
                                 smr_judge_usual(task, false)};
    smr_status st = SMR_OK;
    for (int64_t k = 0; k < SMR_COUNT(list); k++) {
        double value = NAN;
        if (!list[k] || (k && list[k] == list[0])) continue;
        TRY(smr_measures_found(ctx, &list[k], 1, &found->in, &value));
        if (!isnan(value)) smr_json_add_number(into, list[k]->name, value);
    }
out:
    return st;
}

/* The rows that were fitted, or are measured, in the table that holds them. */
static smr_status find_fitted(smr_ctx *ctx, const smr_judging *how, const smr_found *found,
                              int64_t **own, smr_baseline *b)
{
    smr_status st = SMR_OK;
    b->fitted = found->rows;
    b->n_fitted = found->in.n;
    if (!how->fitted || how->fitted->table != b->table) return SMR_OK;
    b->fitted = how->fitted_rows;
    b->n_fitted = how->fitted_rows ? how->n_fitted : how->fitted->n_rows;
    if (b->fitted) return SMR_OK;
    TRY_NEW(*own, b->n_fitted + 1);
    for (int64_t i = 0; i < b->n_fitted; i++) (*own)[i] = smr_train_set_row(how->fitted, i);
    b->fitted = *own;
out:
    return st;
}

smr_status smr_judge_found_baseline(smr_ctx *ctx, const smr_model *m, const smr_sample *sample,
                                    const smr_judging *how, const smr_target *known,
                                    const smr_found *found, smr_json *into)
{
    smr_status st = SMR_OK;
    smr_target of = {.task = m->target.task, .n = known->n};
    const char *name = smr_judge_baseline_name(&of);
    smr_found base = {0};
    int64_t *own = NULL;
    int32_t *label = NULL;
    smr_baseline b = {.schema = &m->schema,
                      .columns = smr_model_columns(m),
                      .table = sample->table,
                      .n_classes = known->classes.n,
                      .outlying = known->positive,
                      .weight = sample->weight,
                      .seed = m->seed};
    if (!name) return SMR_OK;
    TRY(find_fitted(ctx, how, found, &own, &b));
    if (known->n) {
        TRY_NEW(label, sample->table->n_rows + 1);
        TRY(smr_target_labels(ctx, known, sample->table, label));
        b.label = label;
    }
    TRY(smr_found_by_baseline(ctx, of.task, &b, found->rows, found->in.n, &base));
    if (!base.in.found && !base.in.score) goto out;
    smr_json *baseline = smr_json_add_object(into, "baseline");
    if (!baseline) TRY(SMR_ERR_NOMEM);
    smr_json_add_string(baseline, "what", name + strlen("baseline: "));
    smr_json_add_string(baseline, "from",
                        b.fitted == found->rows ? "the measured rows" : "the fitted rows");
    TRY(tell_found(ctx, of.task, known->n > 0, &base, baseline));
out:
    smr_found_release(&base);
    smr_free(own);
    smr_free(label);
    return st;
}

smr_status smr_judge_baseline(smr_ctx *ctx, const smr_judging *how, const smr_classify_input *in,
                              const smr_regress_input *numbers, const smr_measure *suited,
                              smr_json *into)
{
    smr_json *baseline = smr_json_add_object(into, "baseline");
    if (!baseline) return SMR_ERR_NOMEM;
    return in ? of_classes(ctx, how, in, baseline)
              : of_numbers(ctx, how, numbers, suited, baseline);
}
