/* svm_answer.c -- what kernel machines answer; see svm_parts.h.
 *
 * Every machine's f = sum_j y_j a_j K(x, x_j) + b over the points that are kept.  Two classes: f is
 * the score of class 1; pairs: votes, or coupled probabilities (multi/couple.h); one for each
 * class: its f, or the sigmoids divided by their sum.  One class: f >= 0 is inside. */
#include "learn/linear/scores.h"
#include "learn/multi/couple.h"
#include "learn/svm/svm_parts.h"
#include "learn/uncertain/maps.h"

static int64_t round_up(int64_t bytes)
{
    return (bytes + 63) / 64 * 64;
}

/* The probability of class 1 of machine k. */
static double sigmoid(const struct smr_svm_state *s, int64_t k, double f)
{
    return smr_sigmoid(s->slope[k] * f + s->bias[k]);
}

static int64_t classes_of(const struct smr_svm_state *s)
{
    return s->learns == SMR_SVM_ONE ? 2 : s->n_classes;
}

/* Scores of the machines, places of the classes and the system of one row, the kernel's. */
int64_t smr_svm_answer_scratch(const struct smr_svm_params *p, const struct smr_svm_state *s,
                               int64_t n)
{
    int64_t k = classes_of(s);
    return round_up(8 * n * s->n_machines) + round_up(8 * k) + round_up(8 * (k + 1) * (k + 2)) +
           smr_kernel_scratch(&p->kernel, &s->points, n, s->n_machines);
}

/* Two classes, or outside and inside. */
static void answer_two(const struct smr_svm_state *s, smr_output output, double f, double *out)
{
    int64_t no = s->learns == SMR_SVM_ONE ? 0 : s->first[0];
    int64_t yes = s->learns == SMR_SVM_ONE ? 1 : s->second[0];
    bool is_proba = output == SMR_OUTPUT_PROBA;
    for (int64_t c = 0; c < classes_of(s); c++) out[c] = is_proba ? 0 : SMR_SVM_ABSENT;
    double p = is_proba ? sigmoid(s, 0, f) : f;
    out[yes] = p;
    out[no] = is_proba ? 1 - p : -p;
}

/* Each class against the others. */
static void answer_each(const struct smr_svm_state *s, smr_output output, const double *f,
                        double *out)
{
    bool is_proba = output == SMR_OUTPUT_PROBA;
    double sum = 0;
    for (int64_t c = 0; c < s->n_classes; c++) out[c] = is_proba ? 0 : SMR_SVM_ABSENT;
    for (int64_t k = 0; k < s->n_machines; k++) {
        double p = is_proba ? sigmoid(s, k, f[k]) : f[k];
        out[s->second[k]] = p;
        sum += p;
    }
    for (int64_t k = 0; k < s->n_machines && is_proba; k++)
        out[s->second[k]] = sum > 0 ? out[s->second[k]] / sum : 1 / (double)s->n_machines;
}

/* lint: allow arguments, predict's. */
smr_status smr_svm_answer(smr_ctx *ctx, const struct smr_svm_params *p,
                          const struct smr_svm_state *s, const smr_rows *rows, smr_output output,
                          double *out, void *scratch)
{
    smr_status st = SMR_OK;
    int64_t m = s->n_machines, k = classes_of(s);
    double *f = scratch;
    char *rest = (char *)scratch + round_up(8 * rows->n * m);
    int64_t *place = (int64_t *)(void *)rest;
    double *system = (double *)(void *)(rest += round_up(8 * k));
    smr_class_pairs pairs = {k, m, s->first, s->second};
    rest += round_up(8 * (k + 1) * (k + 2));
    TRY(smr_kernel_apply(ctx, &p->kernel, &s->points, rows, s->dual, m, f, rest));
    for (int64_t i = 0; i < rows->n; i++) {
        double *row = f + i * m, *to = out + i * k;
        for (int64_t j = 0; j < m; j++) row[j] += s->offset[j];
        if (output == SMR_OUTPUT_VALUE || output == SMR_OUTPUT_SCORE) {
            out[i] = row[0];
        } else if (m == 1) {
            answer_two(s, output, row[0], to);
        } else if (s->first[0] < 0) {
            answer_each(s, output, row, to);
        } else if (output == SMR_OUTPUT_PROBA) {
            for (int64_t j = 0; j < m; j++) row[j] = sigmoid(s, j, row[j]);
            smr_pairs_couple(&pairs, row, place, system, to);
        } else {
            smr_pairs_vote(&pairs, row, to);
        }
    }
out:
    return st;
}
