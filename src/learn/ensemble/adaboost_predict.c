/* adaboost_predict.c -- what the members say together, after any number of rounds. */
#include "kernel/kernel.h"
#include "learn/ensemble/adaboost.h"

#include <math.h>
#include <string.h>

/* Probabilities are kept this far from 0: no member is surer. */
static const double FLOOR = 0x1p-52;

smr_output smr_adaboost_asks(const struct smr_adaboost_params *p,
                             const struct smr_adaboost_state *s)
{
    if (!s->n_classes) return SMR_OUTPUT_VALUE;
    return p->method == SMR_ADABOOST_REAL ? SMR_OUTPUT_PROBA : SMR_OUTPUT_LABEL;
}

void smr_adaboost_add(const struct smr_adaboost_params *p, const struct smr_adaboost_state *s,
                      double alpha, const double *answer, double *score)
{
    int64_t n = s->n_classes, k = 0;
    double mean = 0;
    if (p->method == SMR_ADABOOST_DISCRETE) {
        score[(int64_t)answer[0]] += 2 * alpha;
        return;
    }
    for (int64_t c = 0; c < n; c++) {
        if (!s->present[c]) continue;
        mean += smr_log(smr_fmax(answer[c], FLOOR));
        k++;
    }
    mean /= (double)k;
    for (int64_t c = 0; c < n; c++)
        if (s->present[c]) score[c] += alpha * (smr_log(smr_fmax(answer[c], FLOOR)) - mean);
}

int64_t smr_adaboost_rounds(const void *params, const void *state)
{
    const struct smr_adaboost_state *s = state;
    (void)params;
    return s->n_rounds;
}

/* ---- classes ---------------------------------------------------------------------------- */

static void finish_proba(const struct smr_adaboost_state *s, double *row)
{
    double most = -INFINITY, sum = 0;
    for (int64_t c = 0; c < s->n_classes; c++)
        if (s->present[c]) most = smr_fmax(most, row[c]);
    for (int64_t c = 0; c < s->n_classes; c++) {
        row[c] = s->present[c] ? smr_exp(row[c] - most) : 0;
        sum += row[c];
    }
    for (int64_t c = 0; c < s->n_classes; c++) row[c] /= sum;
}

static void finish_decision(const struct smr_adaboost_state *s, double *row)
{
    double mean = 0, least = INFINITY, k = 0;
    for (int64_t c = 0; c < s->n_classes; c++) {
        if (!s->present[c]) continue;
        mean += row[c];
        k++;
    }
    mean /= k;
    for (int64_t c = 0; c < s->n_classes; c++) {
        row[c] = smr_fmax(1, k - 1) * (row[c] - mean);
        if (s->present[c]) least = smr_fmin(least, row[c]);
    }
    for (int64_t c = 0; c < s->n_classes; c++)
        if (!s->present[c]) row[c] = least - 1;
}

/* s of all rows after this many rounds.  Scratch: the answers of one member, then its own. */
static smr_status add_votes(smr_ctx *ctx, const struct smr_adaboost_params *p,
                            const struct smr_adaboost_state *s, const smr_rows *rows, int64_t round,
                            double *out, double *answers, void *scratch)
{
    smr_status st = SMR_OK;
    smr_output asked = smr_adaboost_asks(p, s);
    int64_t width = asked == SMR_OUTPUT_PROBA ? s->n_classes : 1;
    memset(out, 0, (size_t)(rows->n * s->n_classes) * sizeof *out);
    for (int64_t t = 0; t < round; t++) {
        TRY(smr_member_predict(ctx, &s->of.member[t], rows, asked, answers, scratch));
        for (int64_t i = 0; i < rows->n; i++)
            smr_adaboost_add(p, s, s->alpha[t], answers + i * width, out + i * s->n_classes);
    }
out:
    return st;
}

static void finish_rows(const struct smr_adaboost_state *s, int64_t n, smr_output output,
                        double *out)
{
    for (int64_t i = 0; i < n; i++) {
        double *row = out + i * s->n_classes;
        if (output == SMR_OUTPUT_PROBA)
            finish_proba(s, row);
        else
            finish_decision(s, row);
    }
}

/* ---- numbers ---------------------------------------------------------------------------- */

/* Lets element k of a heap of n sink to its place. */
static void sink(int64_t n, int64_t k, double *value, double *weight)
{
    double v = value[k], w = weight[k];
    for (int64_t child = 2 * k + 1; child < n; child = 2 * k + 1) {
        if (child + 1 < n && value[child + 1] > value[child]) child++;
        if (!(value[child] > v)) break;
        value[k] = value[child];
        weight[k] = weight[child];
        k = child;
    }
    value[k] = v;
    weight[k] = w;
}

double smr_weighted_median(int64_t n, double *value, double *weight)
{
    double half = 0, upto = 0;
    for (int64_t k = n / 2 - 1; k >= 0; k--) sink(n, k, value, weight);
    for (int64_t k = n - 1; k > 0; k--) {
        double v = value[0], w = weight[0];
        value[0] = value[k];
        weight[0] = weight[k];
        value[k] = v;
        weight[k] = w;
        sink(k, 0, value, weight);
    }
    for (int64_t k = 0; k < n; k++) half += weight[k];
    half /= 2;
    for (int64_t k = 0; k + 1 < n; k++) {
        upto += weight[k];
        if (upto >= half) return value[k];
    }
    return value[n - 1];
}

/* Rows whose answers of all members are held at once: a megabyte of them, or one row's. */
static int64_t rows_at_once(const struct smr_adaboost_state *s, int64_t n)
{
    return SMR_MAX(1, SMR_MIN(n, (1 << 17) / s->n_rounds));
}

/* Scratch: the answers of all members, a row's own, and its weights. */
static smr_status predict_some(smr_ctx *ctx, const struct smr_adaboost_state *s,
                               const smr_rows *rows, int64_t round, double *out, double *answers,
                               void *scratch)
{
    smr_status st = SMR_OK;
    int64_t n = rows->n;
    double *value = answers + n * s->n_rounds, *weight = value + s->n_rounds;
    for (int64_t t = 0; t < round; t++)
        TRY(smr_member_predict(ctx, &s->of.member[t], rows, SMR_OUTPUT_VALUE, answers + t * n,
                               scratch));
    for (int64_t i = 0; i < n; i++) {
        for (int64_t t = 0; t < round; t++) {
            value[t] = answers[t * n + i];
            weight[t] = s->alpha[t];
        }
        out[i] = round ? smr_weighted_median(round, value, weight) : s->start;
    }
out:
    return st;
}

static smr_status predict_numbers(smr_ctx *ctx, const struct smr_adaboost_state *s,
                                  const smr_rows *rows, int64_t round, double *out, double *answers,
                                  void *scratch)
{
    smr_status st = SMR_OK;
    int64_t step = rows_at_once(s, rows->n);
    for (int64_t lo = 0; lo < rows->n; lo += step) {
        smr_rows part = smr_rows_slice(rows, lo, SMR_MIN(rows->n, lo + step));
        TRY(predict_some(ctx, s, &part, round, out + lo, answers, scratch));
    }
out:
    return st;
}

/* ---- both ------------------------------------------------------------------------------- */

static int64_t answers_bytes(const void *params, const struct smr_adaboost_state *s, int64_t n)
{
    int64_t values = (2 + rows_at_once(s, n)) * s->n_rounds;
    if (s->n_classes)
        values = smr_adaboost_asks(params, s) == SMR_OUTPUT_PROBA ? n * s->n_classes : n;
    return (8 * values + 63) / 64 * 64;
}

int64_t smr_adaboost_scratch(const void *params, const void *state, int64_t n)
{
    const struct smr_adaboost_state *s = state;
    int64_t most = 0;
    for (int64_t t = 0; t < s->n_rounds; t++)
        most = SMR_MAX(most, smr_member_scratch(&s->of.member[t], n));
    return answers_bytes(params, s, n) + most;
}

smr_status smr_adaboost_predict_after(smr_ctx *ctx, const void *params, const void *state,
                                      const smr_rows *rows, smr_output output, int64_t round,
                                      double *out, void *scratch)
{
    const struct smr_adaboost_state *s = state;
    void *rest = (char *)scratch + answers_bytes(params, s, rows->n);
    if (!s->n_classes) return predict_numbers(ctx, s, rows, round, out, scratch, rest);
    smr_status st = add_votes(ctx, params, s, rows, round, out, scratch, rest);
    if (st == SMR_OK) finish_rows(s, rows->n, output, out);
    return st;
}

smr_status smr_adaboost_predict(smr_ctx *ctx, const void *params, const void *state,
                                const smr_rows *rows, smr_output output, double *out, void *scratch)
{
    const struct smr_adaboost_state *s = state;
    return smr_adaboost_predict_after(ctx, params, state, rows, output, s->n_rounds, out, scratch);
}
