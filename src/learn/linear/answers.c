/* answers.c -- what linear models answer; see stochastic.h. */
#include "learn/linear/stochastic.h"

#include "kernel/kernel.h"

#include <math.h>

/* Bytes and floats go through a piece of memory of this many doubles. */
enum { PIECE = 256 };

/* Floats or bytes: each piece of the row becomes doubles once, for all scores. */
static void scores_of_narrow(const smr_stochastic *m, const smr_rows *rows, int64_t i, double *f)
{
    double x[PIECE];
    int64_t at = i * rows->stride, d = m->n_features;
    for (int64_t c = 0; c < m->n_scores; c++) f[c] = 0;
    for (int64_t lo = 0; lo < d; lo += PIECE) {
        int64_t n = SMR_MIN(PIECE, d - lo);
        if (rows->form == SMR_FORM_F32)
            for (int64_t j = 0; j < n; j++) x[j] = (double)((const float *)rows->x)[at + lo + j];
        else
            for (int64_t j = 0; j < n; j++) x[j] = ((const uint8_t *)rows->x)[at + lo + j];
        for (int64_t c = 0; c < m->n_scores; c++) f[c] += smr_dot_f64(n, x, m->coef + c * d + lo);
    }
    for (int64_t c = 0; c < m->n_scores; c++) f[c] += m->intercept[c];
}

static double dot_row(const smr_rows *rows, int64_t i, const double *w)
{
    if (rows->form == SMR_FORM_F64)
        return smr_dot_f64(rows->d, (const double *)rows->x + i * rows->stride, w);
    double s = 0;
    for (int64_t e = rows->start[i]; e < rows->start[i + 1]; e++)
        s += rows->value[e] * w[rows->column[e]];
    return s;
}

void smr_stochastic_score_rows(const smr_stochastic *m, const smr_rows *rows, double *scores)
{
    for (int64_t i = 0; i < rows->n; i++) {
        double *f = scores + i * m->n_scores;
        if (rows->form == SMR_FORM_F32 || rows->form == SMR_FORM_U8) {
            scores_of_narrow(m, rows, i, f);
            continue;
        }
        for (int64_t c = 0; c < m->n_scores; c++)
            f[c] = dot_row(rows, i, m->coef + c * m->n_features) + m->intercept[c];
    }
}

static double logistic_of(double f)
{
    double e = smr_exp(-fabs(f));
    return (f < 0 ? e : 1) / (1 + e);
}

static void two_classes(int64_t n, smr_output output, double *out)
{
    for (int64_t i = n - 1; i >= 0; i--) { /* from the end: 2 i is behind i */
        double f = out[i];
        bool is_proba = output == SMR_OUTPUT_PROBA;
        out[2 * i + 1] = is_proba ? logistic_of(f) : f;
        out[2 * i] = is_proba ? logistic_of(-f) : -f;
    }
}

static void shares(int64_t k, double *p)
{
    double sum = 0;
    for (int64_t c = 0; c < k; c++) sum += p[c] = logistic_of(p[c]);
    for (int64_t c = 0; c < k; c++) p[c] = sum > 0 ? p[c] / sum : 1 / (double)k;
}

void smr_linear_answers(const smr_loss *loss, int64_t n_classes, int64_t n, smr_output output,
                        double *out)
{
    bool is_proba = output == SMR_OUTPUT_PROBA;
    if (output == SMR_OUTPUT_VALUE) {
        if (loss->kind == SMR_LOSS_LOG_LINK) smr_exp_f64(n, out, out);
    } else if (n_classes == 2) {
        two_classes(n, output, out);
    } else if (n_classes < 2) {
        for (int64_t i = 0; i < n && is_proba; i++) out[i] = 1;
    } else if (is_proba) {
        for (int64_t i = 0; i < n; i++) {
            double *row = out + i * n_classes;
            if (loss->kind == SMR_LOSS_CLASSES)
                smr_loss_softmax(n_classes, row, row);
            else
                shares(n_classes, row);
        }
    }
}
