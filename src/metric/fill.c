/* fill.c -- all measures of one evaluation as JSON, for the command, the reports and the
 * bindings. */
#include "metric/metric_parts.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { MAX_CONFUSION = 200 };

static const struct {
    const char *name;
    smr_average average;
} AVERAGES[] = {
    {"macro", SMR_AVERAGE_MACRO},
    {"micro", SMR_AVERAGE_MICRO},
    {"weighted", SMR_AVERAGE_WEIGHTED},
};

static const struct {
    const char *name;
    smr_rate rate;
} RATES[] = {
    {"precision", SMR_RATE_PRECISION},
    {"recall", SMR_RATE_RECALL},
    {"f1", SMR_RATE_F1},
};

static void add_class_name(smr_json *row, const char *key, const smr_strings *names, int64_t k)
{
    char number[32];
    int64_t length;
    if (names) {
        const char *name = smr_strings_get(names, k, &length);
        smr_json_add_bytes(row, key, name, length);
        return;
    }
    snprintf(number, sizeof number, "%" PRId64, k);
    smr_json_add_string(row, key, number);
}

static void add_averages(const smr_tally *t, smr_json *into)
{
    smr_json *averages = smr_json_add_object(into, "averages");
    for (int64_t a = 0; a < SMR_COUNT(AVERAGES); a++) {
        smr_json *one = smr_json_add_object(averages, AVERAGES[a].name);
        for (int64_t r = 0; r < SMR_COUNT(RATES); r++)
            smr_json_add_number(one, RATES[r].name,
                                smr_tally_average(t, RATES[r].rate, AVERAGES[a].average));
    }
}

static void add_classes(const smr_classified *c, smr_json *into)
{
    smr_json *classes = smr_json_add_array(into, "classes");
    for (int64_t k = 0; k < c->in->n_classes; k++) {
        smr_json *row = smr_json_add_object(classes, NULL);
        add_class_name(row, "name", c->in->class_names, k);
        for (int64_t r = 0; r < SMR_COUNT(RATES); r++)
            smr_json_add_number(row, RATES[r].name, smr_tally_rate(&c->tally, RATES[r].rate, k));
        smr_json_add_number(row, "support", c->tally.support[k]);
    }
}

static smr_status add_confusion(smr_ctx *ctx, const smr_classify_input *in, smr_json *into)
{
    smr_status st = SMR_OK;
    double *matrix = NULL;
    int64_t K = in->n_classes;
    if (K > MAX_CONFUSION) {
        smr_json_add_null(into, "confusion");
        return SMR_OK;
    }
    TRY_NEW(matrix, K * K);
    TRY(smr_confusion(ctx, in, matrix));
    smr_json *rows = smr_json_add_array(into, "confusion");
    for (int64_t i = 0; i < K; i++) {
        smr_json *row = smr_json_add_array(rows, NULL);
        for (int64_t j = 0; j < K; j++) smr_json_add_number(row, NULL, matrix[i * K + j]);
    }
out:
    smr_free(matrix);
    return st;
}

/* Builders say nothing when memory runs out; the document remembers. */
static smr_status all_built(smr_ctx *ctx, const smr_json *into)
{
    if (smr_json_done(into->doc) == SMR_OK) return SMR_OK;
    return smr_fail(ctx, SMR_ERR_NOMEM, "no memory for the measures");
}

smr_status smr_metric_classify(smr_ctx *ctx, const smr_classify_input *in, smr_json *into)
{
    smr_status st = SMR_OK;
    smr_classified c = {0};
    int64_t n_measures;
    const smr_measure *measure = smr_measures(&n_measures);

    TRY(smr_classified_open(ctx, in, &c));
    for (int64_t m = 0; m < n_measures; m++, measure++) {
        double value = NAN;
        if (measure->task != SMR_TASK_CLASSIFY || measure->on_request) continue;
        if (measure->needs_proba ? !in->proba : measure->needs_scores && !scores_of(in)) continue;
        TRY(smr_tick(ctx, NULL, m, n_measures, NAN));
        TRY(measure->classify(ctx, &c, &value));
        smr_json_add_number(into, measure->name, value);
    }
    add_averages(&c.tally, into);
    add_classes(&c, into);
    TRY(add_confusion(ctx, in, into));
    TRY(all_built(ctx, into));
out:
    smr_classified_close(&c);
    return st;
}

/* ---- regression ----------------------------------------------------------------------- */

static void add_row(const smr_regress_row *row, smr_json *into)
{
    int64_t n_measures;
    const smr_measure *measure = smr_measures(&n_measures);
    for (int64_t m = 0; m < n_measures; m++, measure++) {
        double value;
        if (measure->task != SMR_TASK_REGRESS || measure->on_request) continue;
        if (smr_json_get(into, measure->name)) continue; /* the one that decides stands first */
        memcpy(&value, (const char *)row + measure->regress, sizeof value);
        smr_json_add_number(into, measure->name, value);
    }
}

smr_status smr_metric_regress(smr_ctx *ctx, const smr_regress_input *in, smr_json *into)
{
    smr_status st = SMR_OK;
    smr_regress_row *rows = NULL, mean;

    TRY(smr_regress_check(ctx, in));
    TRY_NEW(rows, in->n_outputs);
    TRY(smr_regress_rows(ctx, in, rows));
    smr_regress_mean(in->n_outputs, rows, &mean);
    add_row(&mean, into);
    smr_json *outputs = in->n_outputs > 1 ? smr_json_add_array(into, "outputs") : NULL;
    for (int64_t j = 0; outputs && j < in->n_outputs; j++) {
        smr_json *row = smr_json_add_object(outputs, NULL);
        char number[32];
        snprintf(number, sizeof number, "%" PRId64, j);
        smr_json_add_string(row, "name", in->output_names ? in->output_names[j] : number);
        add_row(&rows[j], row);
    }
    TRY(all_built(ctx, into));
out:
    smr_free(rows);
    return st;
}

/* ---- curves --------------------------------------------------------------------------- */

enum { CURVE_POINTS = 400, MAX_CURVES = 20, SWEEP_ROWS = 21, BINS = 10 };

static void add_points(smr_json *curve, const char *key, const smr_ranking *r, const int64_t *kept,
                       int64_t n, double (*at)(const smr_ranking *, int64_t))
{
    smr_json *array = smr_json_add_array(curve, key);
    for (int64_t i = 0; i < n; i++) smr_json_add_number(array, NULL, at(r, kept[i]));
}

static double threshold_at(const smr_ranking *r, int64_t i)
{
    return r->threshold[i];
}

static double tpr_at(const smr_ranking *r, int64_t i)
{
    return r->tp[i] / r->positives;
}

static double fpr_at(const smr_ranking *r, int64_t i)
{
    return r->fp[i] / r->negatives;
}

/* The first point takes nothing as positive; by convention its precision is 1. */
static double precision_at(const smr_ranking *r, int64_t i)
{
    return i == 0 ? 1 : r->tp[i] / (r->tp[i] + r->fp[i]);
}

static void add_class_curves(const smr_classify_input *in, int64_t k, const smr_ranking *r,
                             smr_json *roc, smr_json *pr)
{
    int64_t kept[CURVE_POINTS + 2], n = smr_ranking_thin(r, CURVE_POINTS + 2, kept);
    smr_json *curve = smr_json_add_object(roc, NULL);
    add_class_name(curve, "class", in->class_names, k);
    smr_json_add_number(curve, "area", smr_ranking_auc(r));
    add_points(curve, "threshold", r, kept, n, threshold_at);
    add_points(curve, "fpr", r, kept, n, fpr_at);
    add_points(curve, "tpr", r, kept, n, tpr_at);
    curve = smr_json_add_object(pr, NULL);
    add_class_name(curve, "class", in->class_names, k);
    smr_json_add_number(curve, "area", smr_ranking_average_precision(r));
    add_points(curve, "threshold", r, kept, n, threshold_at);
    add_points(curve, "recall", r, kept, n, tpr_at);
    add_points(curve, "precision", r, kept, n, precision_at);
}

void smr_threshold_row_json(const smr_threshold_row *t, smr_json *row)
{
    smr_json_add_number(row, "threshold", t->threshold);
    smr_json_add_number(row, "tp", t->tp);
    smr_json_add_number(row, "fp", t->fp);
    smr_json_add_number(row, "tn", t->tn);
    smr_json_add_number(row, "fn", t->fn);
    smr_json_add_number(row, "tpr", t->tpr);
    smr_json_add_number(row, "fpr", t->fpr);
    smr_json_add_number(row, "precision", t->precision);
    smr_json_add_number(row, "f1", t->f1);
    smr_json_add_number(row, "accuracy", t->accuracy);
}

/* Thresholds 0, 0.05, ... 1 for probabilities; for other scores evenly spaced along the ranking. */
static void add_sweep(const smr_classify_input *in, const smr_ranking *r, smr_json *into)
{
    smr_json *rows = smr_json_add_array(into, "sweep");
    for (int s = 0; s < SWEEP_ROWS; s++) {
        double part = (double)s / (SWEEP_ROWS - 1);
        int64_t point = 1 + (int64_t)((1 - part) * (double)(r->n - 2) + 0.5);
        smr_threshold_row t = smr_ranking_at(r, in->proba ? part : r->threshold[point]);
        smr_json *row = smr_json_add_object(rows, NULL);
        smr_threshold_row_json(&t, row);
    }
}

static smr_status add_calibration(smr_ctx *ctx, const smr_classify_input *in, smr_json *into)
{
    smr_calibration_bin bins[BINS];
    double ece;
    smr_status st = smr_calibration(ctx, in, BINS, bins, &ece);
    if (st != SMR_OK) return st;
    smr_json *calibration = smr_json_add_object(into, "calibration");
    smr_json_add_number(calibration, "ece", ece);
    smr_json *rows = smr_json_add_array(calibration, "bins");
    for (int b = 0; b < BINS; b++) {
        smr_json *row = smr_json_add_object(rows, NULL);
        smr_json_add_number(row, "lo", bins[b].lo);
        smr_json_add_number(row, "hi", bins[b].hi);
        smr_json_add_number(row, "weight", bins[b].weight);
        smr_json_add_number(row, "predicted", bins[b].predicted);
        smr_json_add_number(row, "observed", bins[b].observed);
    }
    return SMR_OK;
}

smr_status smr_metric_curves(smr_ctx *ctx, const smr_classify_input *in, smr_json *into)
{
    smr_status st = SMR_OK;
    smr_ranking r = {0};
    int64_t K = in->n_classes;
    const double *scores = scores_of(in);

    TRY(smr_classify_check(ctx, in));
    if (!scores) goto out;
    smr_json *roc = smr_json_add_array(into, "roc");
    smr_json *pr = smr_json_add_array(into, "precision_recall");
    for (int64_t k = 0; k < K && (K == 2 || K <= MAX_CURVES); k++) {
        if (K == 2 && k != positive_of(in)) continue;
        smr_ranking_release(&r);
        TRY(smr_ranking_make(ctx, in->n, scores + k, K, in->label, k, in->weight, &r));
        if (!(r.positives > 0 && r.negatives > 0)) continue;
        add_class_curves(in, k, &r, roc, pr);
        if (K == 2) add_sweep(in, &r, into);
    }
    if (in->proba) TRY(add_calibration(ctx, in, into));
    TRY(all_built(ctx, into));
out:
    smr_ranking_release(&r);
    return st;
}
