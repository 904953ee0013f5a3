/* combine.c -- see combine.h. */
#include "learn/ensemble/combine.h"

#include "kernel/kernel.h"
#include "learn/ensemble/adaboost.h"
#include "learn/present.h"

#include <math.h>
#include <string.h>

const smr_choice smr_combine_ways[] = {
    [SMR_COMBINE_AUTO] = {"auto", "the mean, or votes if a learner gives no probabilities"},
    [SMR_COMBINE_MEAN] = {"mean", "classes: probabilities are averaged (soft); numbers: values"},
    [SMR_COMBINE_VOTE] = {"vote", "classes: each learner has one vote (hard)"},
    [SMR_COMBINE_MEDIAN] = {"median", "numbers: the median of the predictions"},
    {NULL, NULL},
};

/* ---- which way -------------------------------------------------------------------------- */

/* The first member without probabilities, or -1. */
static int64_t without_proba(const smr_members *of)
{
    for (int64_t m = 0; m < of->n; m++)
        if (!(smr_member_gives(&of->member[m]) & SMR_GIVES_PROBA)) return m;
    return -1;
}

smr_status smr_combine_choose(smr_ctx *ctx, const char *learner, int way, smr_task task,
                              const smr_members *of, int64_t *out)
{
    bool classes = task == SMR_TASK_CLASSIFY;
    int64_t silent = classes ? without_proba(of) : -1;
    if (way == (classes ? SMR_COMBINE_MEDIAN : SMR_COMBINE_VOTE))
        return smr_fail(ctx, SMR_ERR_PARAM, "%s: combine=%s is for %s; use %s", learner,
                        smr_combine_ways[way].name, classes ? "numbers" : "classes",
                        classes ? "mean or vote" : "mean or median");
    if (way == SMR_COMBINE_MEAN && silent >= 0) {
        const char *name = smr_member_last(&of->member[silent])->learner->word->name;
        return smr_fail(ctx, SMR_ERR_UNSUPPORTED,
                        "%s: %s gives no probabilities to average; count votes with combine=vote, "
                        "or calibrate it: of=(calibrate of=(%s))",
                        learner, name, name);
    }
    *out = way != SMR_COMBINE_AUTO ? way : silent >= 0 ? SMR_COMBINE_VOTE : SMR_COMBINE_MEAN;
    return SMR_OK;
}

smr_output smr_combine_asked(const smr_combine *c)
{
    if (!c->classes) return SMR_OUTPUT_VALUE;
    return c->way == SMR_COMBINE_VOTE ? SMR_OUTPUT_LABEL : SMR_OUTPUT_PROBA;
}

int64_t smr_combine_asked_width(const smr_combine *c)
{
    return c->way == SMR_COMBINE_VOTE ? 1 : c->width;
}

/* ---- sums and medians ------------------------------------------------------------------- */

void smr_combine_add(const smr_combine *c, int64_t n, const int64_t *at, const double *answers,
                     double w, double *sums)
{
    int64_t width = c->width;
    for (int64_t i = 0; i < n; i++) {
        double *to = sums + (at ? at[i] : i) * width;
        if (c->way == SMR_COMBINE_VOTE)
            to[(int64_t)answers[i]] += w;
        else
            for (int64_t j = 0; j < width; j++) to[j] += w * answers[i * width + j];
    }
}

double smr_combine_median(int64_t n, double *value, double *weight)
{
    double low = smr_weighted_median(n, value, weight), total = 0, below = 0;
    for (int64_t k = 0; k < n; k++) total += weight[k];
    for (int64_t k = 0; k < n; k++) { /* the next value that counts, where half lies before it */
        if (2 * below == total && value[k] > low && weight[k] > 0) return low / 2 + value[k] / 2;
        below += weight[k];
    }
    return low;
}

/* ---- predict ---------------------------------------------------------------------------- */

/* Scratch: the answers of one member, or of all for a median and two rows of pairs; then what the
 * hungriest member needs. */
static int64_t answers_bytes(const smr_combine *c, int64_t n)
{
    if (c->way == SMR_COMBINE_MEDIAN) return smr_answers_bytes(c->of->n, n * c->width + 2);
    return smr_answers_bytes(n, smr_combine_asked_width(c));
}

int64_t smr_combine_scratch(const smr_combine *c, int64_t n)
{
    int64_t most = 0;
    for (int64_t m = 0; m < c->of->n; m++)
        most = SMR_MAX(most, smr_member_scratch(&c->of->member[m], n));
    return answers_bytes(c, n) + most;
}

static double total_weight(const smr_combine *c, int64_t count)
{
    double total = 0;
    for (int64_t m = 0; m < count; m++) total += c->weight[m];
    return total;
}

/* answers: member after member. */
static void find_medians(const smr_combine *c, int64_t count, int64_t n, const double *answers,
                         double *pairs, double *out)
{
    int64_t size = n * c->width;
    bool alike = !(total_weight(c, count) > 0);
    for (int64_t i = 0; i < size; i++) {
        for (int64_t m = 0; m < count; m++) {
            pairs[m] = answers[m * size + i];
            pairs[count + m] = alike ? 1 : c->weight[m];
        }
        out[i] = smr_combine_median(count, pairs, pairs + count);
    }
}

smr_status smr_combine_predict(smr_ctx *ctx, const smr_combine *c, int64_t count,
                               const smr_rows *rows, double *out, void *scratch)
{
    smr_status st = SMR_OK;
    double *answers = scratch, total = total_weight(c, count);
    char *rest = (char *)scratch + answers_bytes(c, rows->n);
    int64_t size = rows->n * c->width;
    bool median = c->way == SMR_COMBINE_MEDIAN, alike = !(total > 0);
    if (alike) total = (double)count;
    memset(out, 0, (size_t)size * sizeof *out);
    for (int64_t m = 0; m < count; m++) {
        double *to = median ? answers + m * size : answers;
        TRY(smr_member_predict(ctx, &c->of->member[m], rows, smr_combine_asked(c), to, rest));
        if (!median) smr_combine_add(c, rows->n, NULL, to, alike ? 1 : c->weight[m], out);
    }
    if (median)
        find_medians(c, count, rows->n, answers, answers + c->of->n * size, out);
    else
        for (int64_t i = 0; i < size; i++) out[i] /= total;
out:
    return st;
}

/* ---- loading ---------------------------------------------------------------------------- */

smr_status smr_combine_check(smr_ctx *ctx, const char *learner, const smr_combine *c,
                             const smr_shape *shape)
{
    int wrong = shape->n_classes ? SMR_COMBINE_MEDIAN : SMR_COMBINE_VOTE;
    if (c->way == wrong)
        return smr_fail(ctx, SMR_ERR_FORMAT,
                        "%s: its way to combine answers does not suit its task", learner);
    for (int64_t m = 0; m < c->of->n; m++)
        if (!(smr_member_gives(&c->of->member[m]) & 1u << smr_combine_asked(c)))
            return smr_fail(ctx, SMR_ERR_FORMAT, "%s: learner %lld does not give what it needs",
                            learner, (long long)m);
    return SMR_OK;
}

/* ---- how good --------------------------------------------------------------------------- */

static int64_t best_class(const double *row, int64_t k)
{
    int64_t best = 0;
    for (int64_t c = 1; c < k; c++)
        if (row[c] > row[best]) best = c;
    return best;
}

static double squared_error(const smr_data *data, int64_t r, const double *row)
{
    double sum = 0;
    for (int64_t j = 0; j < data->n_outputs; j++) {
        double e = data->y[r * data->n_outputs + j] - row[j];
        sum += e * e;
    }
    return sum / (double)data->n_outputs;
}

static smr_judgement finished(smr_judgement j)
{
    j.error = j.weight > 0 ? j.error / j.weight : NAN;
    j.loss = j.weight > 0 ? j.loss / j.weight : NAN;
    return j;
}

smr_judgement smr_judge_answers(const smr_data *data, int64_t n, const int64_t *at,
                                const double *answers)
{
    bool classes = data->task == SMR_TASK_CLASSIFY;
    int64_t width = classes ? data->n_classes : data->n_outputs;
    smr_judgement j = {0};
    for (int64_t i = 0; i < n; i++) {
        int64_t r = at ? at[i] : i;
        const double *row = answers + i * width;
        double w = smr_data_weight(data, r);
        if (isnan(row[0]) || !(w > 0)) continue;
        j.weight += w;
        if (classes) {
            j.error += w * (best_class(row, width) != data->label[r]);
            j.loss -= w * smr_log(smr_fmax(row[data->label[r]], 0x1p-52));
        } else {
            j.error += w * squared_error(data, r, row);
        }
    }
    if (!classes) j.loss = NAN;
    return finished(j);
}

smr_judgement smr_judge_labels(const smr_data *data, int64_t n, const int64_t *at,
                               const double *labels)
{
    smr_judgement j = {.loss = NAN};
    for (int64_t i = 0; i < n; i++) {
        int64_t r = at ? at[i] : i;
        double w = smr_data_weight(data, r);
        if (!(w > 0)) continue;
        j.weight += w;
        j.error += w * (labels[i] != (double)data->label[r]);
    }
    return finished(j);
}

static double target_variance(const smr_data *data)
{
    double all = 0;
    int64_t t = data->n_outputs;
    for (int64_t j = 0; data->task == SMR_TASK_REGRESS && j < t; j++) {
        double mean = 0, total = 0, sum = 0;
        for (int64_t i = 0; i < data->n_rows; i++) {
            total += smr_data_weight(data, i);
            mean += smr_data_weight(data, i) * data->y[i * t + j];
        }
        mean /= total;
        for (int64_t i = 0; i < data->n_rows; i++) {
            double e = data->y[i * t + j] - mean;
            sum += smr_data_weight(data, i) * e * e;
        }
        all += sum / total / (double)t;
    }
    return all;
}

smr_status smr_target_scale(smr_ctx *ctx, const smr_data *data, double *out)
{
    smr_status st = SMR_OK;
    smr_present present = {0};
    *out = target_variance(data);
    if (data->task != SMR_TASK_CLASSIFY) return SMR_OK;
    TRY(smr_present_find(ctx, data, &present));
    *out = (double)present.n;
out:
    smr_present_release(&present);
    return st;
}

double smr_combine_weight(const smr_data *data, double scale, const smr_judgement *judged)
{
    if (!(judged->weight > 0)) return NAN;
    if (data->task == SMR_TASK_CLASSIFY) {
        double e = (judged->error * judged->weight + 0.5) / (judged->weight + 1);
        return smr_fmax(0, smr_log((1 - e) / e) + smr_log(smr_fmax(1, scale - 1)));
    }
    double mse = smr_fmax(judged->error, 1e-6 * scale);
    return mse > 0 ? 1 / mse : 1;
}

void smr_combine_scale(smr_ctx *ctx, const char *learner, int64_t n, double *weight)
{
    double sum = 0;
    int64_t known = 0;
    for (int64_t m = 0; m < n; m++) {
        if (isnan(weight[m])) continue;
        sum += weight[m];
        known++;
    }
    if (!(sum > 0) || !isfinite(sum)) {
        smr_warn(ctx, "%s: %s, so all get the same weight", learner,
                 known ? "no learner is better than chance" : "no learner could be judged");
        for (int64_t m = 0; m < n; m++) weight[m] = 1;
        return;
    }
    double mean = sum / (double)known;
    for (int64_t m = 0; m < n; m++) weight[m] = isnan(weight[m]) ? 1 : weight[m] / mean;
}
