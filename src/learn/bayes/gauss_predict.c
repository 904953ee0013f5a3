/* gauss_predict.c -- from rows to scores log P(class) + log N(x; mean, S), (1) of gauss.c, and to
 * answers.
 *
 * The products of a row and the classes are kernels; what is left for each score, an addition, and
 * a look at whether it is finite, is done for two at a time. */
#include "kernel/kernel.h"
#include "learn/bayes/gauss.h"
#include "learn/present.h"

#include <math.h>
#include <string.h>

typedef double pair_f64 __attribute__((vector_size(16)));

static inline pair_f64 load(const double *from)
{
    pair_f64 x;
    memcpy(&x, from, sizeof x);
    return x;
}

static inline void store(double *to, pair_f64 x)
{
    memcpy(to, &x, sizeof x);
}

int64_t smr_gauss_scratch(const void *params_, const void *state_, int64_t n)
{
    const struct smr_gauss_params *p = params_;
    const struct smr_gauss_state *s = state_;
    int64_t shifted = p->covariance == SMR_GAUSS_SHARED ? s->n_features : 0;
    return n * (s->n_classes + shifted) * (int64_t)sizeof(double);
}

static void score_full(const struct smr_gauss_state *s, const smr_rows *rows, double *score)
{
    const struct smr_gauss_tables *t = s->tables;
    int64_t d = s->n_features;
    for (int64_t k = 0; k < s->n_classes; k++)
        smr_whitened_f64(rows->n, d, rows->x, rows->stride, s->mean + k * d,
                         t->whiten + k * d * t->ldw, t->ldw, score + k, s->n_classes);
}

static void score_shared(const struct smr_gauss_state *s, const smr_rows *rows, double *shifted,
                         double *score)
{
    const struct smr_gauss_tables *t = s->tables;
    int64_t d = s->n_features;
    for (int64_t i = 0; i < rows->n; i++) {
        const double *x = (const double *)rows->x + i * rows->stride;
        double *to = shifted + i * d;
        int64_t j = 0;
        for (; j + 2 <= d; j += 2) store(to + j, load(x + j) - load(t->centre + j));
        if (j < d) to[j] = x[j] - t->centre[j];
    }
    smr_rows_times_f64(rows->n, d, s->n_classes, shifted, d, t->coef, d, score);
}

/* score = base + times score; whether all of them are finite. */
static bool finish(int64_t n, const double *base, double times, double *score)
{
    pair_f64 odd = {0, 0}, by = {times, times};
    double last = 0;
    int64_t k = 0;
    for (; k + 2 <= n; k += 2) {
        pair_f64 x = load(base + k) + by * load(score + k);
        store(score + k, x);
        odd += x - x; /* 0, or not a number */
    }
    if (k < n) last = score[k] = base[k] + times * score[k];
    return odd[0] + odd[1] + (last - last) == 0;
}

/* A row so far out that no class has a density: the priors and what is left of the others. */
static void settle(const struct smr_gauss_state *s, double *score)
{
    bool any = false;
    for (int64_t k = 0; k < s->n_classes; k++) {
        if (isnan(score[k])) score[k] = -INFINITY;
        any = any || score[k] > -INFINITY;
    }
    for (int64_t k = 0; k < s->n_classes && !any; k++) score[k] = s->tables->base[k];
}

smr_status smr_gauss_predict(smr_ctx *ctx, const void *params_, const void *state_,
                             const smr_rows *rows, smr_output output, double *out, void *scratch)
{
    const struct smr_gauss_params *p = params_;
    const struct smr_gauss_state *s = state_;
    const struct smr_gauss_tables *t = s->tables;
    int64_t k = s->n_classes;
    double *score = output == SMR_OUTPUT_LABEL ? scratch : out;
    double *shifted = (double *)scratch + rows->n * k;
    bool linear = p->covariance == SMR_GAUSS_SHARED;
    smr_spread of = {t->mean, t->scale, t->ld};
    (void)ctx;
    if (p->covariance == SMR_GAUSS_FULL)
        score_full(s, rows, score);
    else if (linear)
        score_shared(s, rows, shifted, score);
    else
        smr_spread_f64(rows->n, s->n_features, k, rows->x, rows->stride, &of, score);
    for (int64_t i = 0; i < rows->n; i++)
        if (!finish(k, t->base, linear ? 1 : -0.5, score + i * k)) settle(s, score + i * k);
    if (!linear || output != SMR_OUTPUT_DECISION || k == 2)
        smr_class_answers(k, rows->n, output, score, out);
    else /* the scores of the linear view */
        for (int64_t i = 0; i < rows->n; i++)
            for (int64_t c = 0; c < k; c++) out[i * k + c] = smr_fmax(SMR_ABSENT, score[i * k + c]);
    return SMR_OK;
}
