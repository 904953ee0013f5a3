/* bias_bag.c -- bootstrap replicates of every sample, and the variance of their means: (3) of
 * bias_variance.h.
 *
 * With p_sb(t) the prediction of replicate b of sample s, W the mean square within samples and B
 * the variance over the samples of the mean of all M, expectation gives B = c + W / M, where c is
 * the covariance of two replicates of one sample; so c = B - W / M, s2 = c + W and rho = c / s2.
 * All are means over the test points, and sums over the classes. */
#include "core/parallel.h"
#include "core/rng.h"
#include "math/stats.h"
#include "study/bias_parts.h"

#include <math.h>
#include <string.h>

struct bagging {
    const smr_spec *spec;
    const smr_study *study;
    int64_t most, width;
    int64_t n_sizes, size[SMR_BAG_SIZES];
    double *mean;   /* sizes x samples x points x width */
    double *within; /* samples                          */
};

/* 1, 2, 5, 10, 20, 50 ... and the last. */
static void choose_sizes(struct bagging *b)
{
    static const int64_t steps[] = {1, 2, 5};
    for (int64_t ten = 1; ten <= b->most && b->n_sizes + 4 < SMR_BAG_SIZES; ten *= 10)
        for (int k = 0; k < 3; k++)
            if (steps[k] * ten <= b->most) b->size[b->n_sizes++] = steps[k] * ten;
    if (b->size[b->n_sizes - 1] < b->most) b->size[b->n_sizes++] = b->most;
}

/* ---- one sample ------------------------------------------------------------------------- */

struct replicate {
    int64_t *rows, *drawn, *work;
    double *out, *label, *mean, *square; /* points x width; label: points */
};

/* Probabilities, votes as 0 and 1, or numbers, for all test points. */
static smr_status predict(smr_ctx *ctx, const struct bagging *b, const smr_model *model,
                          struct replicate *r)
{
    const smr_study *s = b->study;
    smr_status st = SMR_OK;
    bool classify = s->set->label != NULL;
    smr_output output = classify ? SMR_OUTPUT_PROBA : SMR_OUTPUT_VALUE;
    if (!classify || smr_model_gives(model) & 1u << SMR_OUTPUT_PROBA)
        return smr_model_apply(ctx, model, s->set->table, s->test, s->n_test, output, r->out);
    TRY(smr_model_apply(ctx, model, s->set->table, s->test, s->n_test, SMR_OUTPUT_LABEL, r->label));
    memset(r->out, 0, (size_t)(s->n_test * b->width) * sizeof *r->out);
    for (int64_t t = 0; t < s->n_test; t++) r->out[t * b->width + (int64_t)r->label[t]] = 1;
out:
    return st;
}

static smr_status fit_replicate(smr_ctx *ctx, const struct bagging *b, int64_t sample, int64_t k,
                                struct replicate *r)
{
    const smr_study *s = b->study;
    smr_status st = SMR_OK;
    smr_model *model = NULL;
    uint64_t key = UINT64_C(1) << 63 | (uint64_t)sample << 24 | (uint64_t)k;
    for (int64_t i = 0; i < s->n_rows; i++)
        r->drawn[i] =
            r->rows[smr_random_below(ctx->seed, SMR_STREAM_SAMPLES, key, (uint64_t)i, s->n_rows)];
    TRY(smr_fit(ctx, b->spec, s->set, r->drawn, s->n_rows, &model));
    TRY(predict(ctx, b, model, r));
    for (int64_t e = 0; e < s->n_test * b->width; e++) { /* Welford */
        double away = r->out[e] - r->mean[e];
        r->mean[e] += away / (double)(k + 1);
        r->square[e] += away * (r->out[e] - r->mean[e]);
    }
out:
    smr_model_free(model);
    return st;
}

static smr_status make_room(smr_ctx *ctx, const struct bagging *b, struct replicate *r)
{
    const smr_study *s = b->study;
    int64_t n = s->n_test * b->width;
    smr_status st = SMR_OK;
    TRY_NEW(r->rows, s->n_rows);
    TRY_NEW(r->drawn, s->n_rows);
    TRY_NEW(r->work, s->n_pool + 1);
    TRY_NEW(r->out, n);
    TRY_NEW(r->label, s->n_test);
    TRY_NEW(r->mean, n);
    TRY_NEW(r->square, n);
out:
    return st;
}

static smr_status bag_sample(smr_ctx *ctx, void *arg, int64_t sample, int lane)
{
    struct bagging *b = arg;
    const smr_study *s = b->study;
    int64_t n = s->n_test * b->width;
    smr_status st = SMR_OK;
    struct replicate r = {0};
    (void)lane;
    TRY(make_room(ctx, b, &r));
    smr_study_rows(ctx->seed, s, sample, r.rows, r.work);
    for (int64_t k = 0, at = 0; k < b->most; k++) {
        TRY(fit_replicate(ctx, b, sample, k, &r));
        if (b->size[at] != k + 1) continue;
        memcpy(b->mean + (at * s->n_samples + sample) * n, r.mean, (size_t)n * sizeof *r.mean);
        at++;
    }
    for (int64_t e = 0; e < n; e++)
        b->within[sample] += r.square[e] / (double)(b->most - 1) / (double)s->n_test;
out:
    if (st != SMR_OK && st != SMR_ERR_CANCELLED && st != SMR_ERR_NOMEM)
        smr_while(ctx, "bagging sample %lld", (long long)sample + 1);
    smr_free(r.rows);
    smr_free(r.drawn);
    smr_free(r.work);
    smr_free(r.out);
    smr_free(r.label);
    smr_free(r.mean);
    smr_free(r.square);
    return st;
}

/* ---- all samples ------------------------------------------------------------------------ */

static double error_of(const smr_study *s, int64_t width, const double *mean)
{
    double sum = 0;
    for (int64_t t = 0; t < s->n_test; t++) {
        const double *p = mean + t * width;
        if (s->set->label) {
            int64_t best = 0;
            for (int64_t k = 1; k < width; k++)
                if (p[k] > p[best]) best = k;
            sum += (double)best != s->y[t];
        } else {
            sum += (s->y[t] - p[0]) * (s->y[t] - p[0]);
        }
    }
    return sum / (double)s->n_test;
}

/* Variance over the samples of the means of m replicates. */
static void measure_size(const struct bagging *b, int64_t at, double *centre, double *spread,
                         smr_bag_row *row)
{
    const smr_study *s = b->study;
    int64_t n = s->n_test * b->width, S = s->n_samples;
    const double *mean = b->mean + at * S * n;
    *row = (smr_bag_row){.m = b->size[at]};
    memset(centre, 0, (size_t)n * sizeof *centre);
    for (int64_t k = 0; k < S; k++)
        for (int64_t e = 0; e < n; e++) centre[e] += mean[k * n + e] / (double)S;
    for (int64_t k = 0; k < S; k++) {
        spread[k] = 0;
        for (int64_t e = 0; e < n; e++) {
            double away = mean[k * n + e] - centre[e];
            spread[k] += away * away / (double)s->n_test;
        }
        row->error += error_of(s, b->width, mean + k * n) / (double)S;
    }
    row->variance = smr_mean(S, spread, NULL) * (double)S / (double)(S - 1);
    row->variance_se = sqrt(smr_variance(S, spread, NULL, 1) / (double)S);
}

smr_status smr_bias_bag(smr_ctx *ctx, const smr_spec *spec, const smr_study *study, int64_t most,
                        smr_bagging *out)
{
    smr_status st = SMR_OK;
    struct bagging b = {.spec = spec,
                        .study = study,
                        .most = most,
                        .width = SMR_MAX(1, study->set->target.classes.n)};
    double *centre = NULL, *spread = NULL;
    *out = (smr_bagging){0};
    choose_sizes(&b);
    int64_t n = study->n_test * b.width, all = b.n_sizes * study->n_samples;
    TRY(smr_memory_check(ctx, 8.0 * (double)all * (double)n, "the predictions of all bags",
                         "ask for fewer samples, test rows or replicates"));
    TRY_NEW(b.mean, all * n);
    TRY_NEW(b.within, study->n_samples);
    TRY_NEW(centre, n);
    TRY_NEW(spread, study->n_samples);
    TRY(smr_parallel(ctx, "bagging samples", study->n_samples, bag_sample, &b));
    for (int64_t at = 0; at < b.n_sizes; at++) measure_size(&b, at, centre, spread, &out->row[at]);
    out->n = b.n_sizes;
    double within = smr_mean(study->n_samples, b.within, NULL);
    double shared = out->row[out->n - 1].variance - within / (double)most;
    out->variance = within + shared;
    out->rho = out->variance > 0 ? shared / out->variance : NAN;
    for (int64_t at = 0; at < out->n; at++)
        out->row[at].formula = within / (double)out->row[at].m + shared;
out:
    smr_free(b.mean);
    smr_free(b.within);
    smr_free(centre);
    smr_free(spread);
    return st;
}
