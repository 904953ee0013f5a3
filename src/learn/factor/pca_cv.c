/* pca_cv.c -- the number of components under which rows that were held back are likeliest.
 *
 * With components v_i and variances l_i of the other folds, mean m and noise s_k = what is left of
 * the variance for each of the d - k other directions, a held-back row x has the log-density
 * (Tipping & Bishop, 1999)
 *
 *     -1/2 [ d log 2 pi + sum_{i <= k} (log l_i + (v_i'(x - m))^2 / l_i) + (d - k) log s_k
 *            + (|x - m|^2 - sum_{i <= k} (v_i'(x - m))^2) / s_k ]                           (1)
 *
 * The sum of (1) over a fold asks for v_i'S v_i and tr S alone, with S = sum w (x - m)(x - m)', so
 * one pass over the rows gives all folds and all k (math/gram_folds.h). */
#include "data/split.h"
#include "kernel/kernel.h"
#include "learn/factor/pca.h"
#include "math/factor.h"
#include "math/gram_folds.h"
#include "math/product.h"

#include <math.h>
#include <string.h>

/* What is left of the variance is at least this share of it: rows without noise have no (1). */
#define LEAST_NOISE 1e-14
#define LOG_2_PI 1.8378770664093454836

struct folds {
    const struct smr_pca_work *w;
    int64_t d, n_folds, most; /* most: components that are tried */
    smr_gram_folds parts;
    double *mean, *C, *S, *SV, *value; /* d, d x d three times, d                      */
    double *score;                     /* n_folds x most: (1) of a row, on average     */
    double *weight;                    /* n_folds                                     */
};

static smr_status assign_folds(smr_ctx *ctx, const smr_data *data, int64_t n_folds, int32_t *fold)
{
    smr_status st = SMR_OK;
    smr_parts parts = {0};
    smr_split_rows of = {.n = data->n_rows, .group = data->group, .seed = ctx->seed};
    TRY(smr_split_folds(ctx, &of, n_folds, &parts));
    for (int64_t f = 0; f < n_folds; f++)
        for (int64_t i = 0; i < smr_part_size(&parts, f); i++)
            fold[smr_part_rows(&parts, f)[i]] = (int32_t)f;
out:
    smr_parts_release(&parts);
    return st;
}

/* S of fold f about the mean of the others; parts hold sums of (x - shift, 1)(x - shift, 1)'. */
static double scatter_about(const struct folds *c, int64_t f, double *S)
{
    int64_t d = c->d, m = d + 1;
    const double *sums = c->parts.sums + f * m * m, *ones = sums + d * m;
    double weight = c->parts.weight[f];
    for (int64_t i = 0; i < d; i++)
        for (int64_t j = 0; j < d; j++) {
            double a = c->mean[i] - c->parts.shift[i], b = c->mean[j] - c->parts.shift[j];
            S[i * d + j] = sums[i * m + j] - a * ones[j] - b * ones[i] + weight * a * b;
        }
    return weight;
}

/* (1) for 1 .. most components of fold f. */
static smr_status try_fold(smr_ctx *ctx, struct folds *c, int64_t f)
{
    smr_status st = SMR_OK;
    int64_t d = c->d;
    double others = smr_gram_folds_join(&c->parts, f, c->mean, c->C);
    double divisor = others > 1 ? others - 1 : others, total = 0, trace = 0;
    double *score = c->score + f * c->most;
    c->weight[f] = scatter_about(c, f, c->S);
    if (!(others > 0 && c->weight[f] > 0)) goto out;
    TRY(smr_eigen(ctx, d, c->C, d, c->value)); /* ascending; column k of C */
    memset(c->SV, 0, (size_t)(d * d) * sizeof *c->SV);
    smr_update u = {d, d, d, {c->S, 1, d}, {c->C, 1, d}, c->SV, d, false, false};
    TRY(smr_update_run(ctx, &u));
    for (int64_t j = 0; j < d; j++) {
        total += smr_fmax(0, c->value[j]) / divisor;
        trace += c->S[j * d + j];
    }
    double inside = 0, left = total, off = trace;
    for (int64_t k = 0; k < c->most; k++) {
        int64_t at = d - 1 - k;
        double l = smr_fmax(LEAST_NOISE * total, c->value[at] / divisor);
        double a = smr_dot_f64(d, c->C + at * d, c->SV + at * d);
        left -= smr_fmax(0, c->value[at]) / divisor;
        off -= a;
        inside += c->weight[f] * smr_log(l) + a / l;
        double rest = (double)(d - 1 - k), noise = 0, outside = 0;
        if (rest > 0) {
            noise = smr_fmax(LEAST_NOISE * total, left / rest);
            outside = c->weight[f] * rest * smr_log(noise) + smr_fmax(0, off) / noise;
        }
        score[k] = -0.5 * (LOG_2_PI * (double)d + (inside + outside) / c->weight[f]);
    }
out:
    return st;
}

/* Means over the folds, and their standard errors. */
static void summarise(const struct folds *c, struct smr_pca_state *s)
{
    for (int64_t k = 0; k < c->most; k++) {
        double sum = 0, weight = 0, square = 0;
        int64_t n = 0;
        for (int64_t f = 0; f < c->n_folds; f++) {
            sum += c->weight[f] * c->score[f * c->most + k];
            weight += c->weight[f];
            n += c->weight[f] > 0;
        }
        s->tried[k] = sum / weight;
        for (int64_t f = 0; f < c->n_folds; f++) {
            double off = c->score[f * c->most + k] - s->tried[k];
            square += c->weight[f] / weight * off * off;
        }
        s->tried_error[k] = n > 1 ? sqrt(square / (double)(n - 1)) : 0;
    }
}

static smr_status open_folds(smr_ctx *ctx, struct folds *c)
{
    smr_status st = SMR_OK;
    const struct smr_pca_work *w = c->w;
    smr_held_rows held = {0};
    int32_t *fold = NULL;
    int64_t d = c->d;
    TRY_NEW(fold, w->n);
    TRY(assign_folds(ctx, &w->data, c->n_folds, fold));
    TRY(smr_held_open(ctx, &w->data, SMR_FORM_F64, SMR_ROWS_BLOCK, &held));
    smr_row_source rows = smr_held_as_source(&held, &w->data);
    TRY(smr_gram_folds_compute(ctx, &rows, true, fold, c->n_folds, &c->parts));
    TRY_NEW(c->mean, d);
    TRY_NEW(c->C, d * d);
    TRY_NEW(c->S, d * d);
    TRY_NEW(c->SV, d * d);
    TRY_NEW(c->value, d);
    TRY_NEW(c->score, c->n_folds * c->most);
    TRY_NEW(c->weight, c->n_folds);
out:
    smr_free(fold);
    smr_held_close(&held);
    return st;
}

static void close_folds(struct folds *c)
{
    smr_gram_folds_release(&c->parts);
    smr_free(c->mean);
    smr_free(c->C);
    smr_free(c->S);
    smr_free(c->SV);
    smr_free(c->value);
    smr_free(c->score);
    smr_free(c->weight);
}

smr_status smr_pca_choose(smr_ctx *ctx, struct smr_pca_work *w, struct smr_pca_state *s, int64_t *k)
{
    smr_status st = SMR_OK;
    struct folds c = {.w = w, .d = w->d, .n_folds = SMR_MIN(w->p->folds, w->n)};
    int64_t best = 0;
    c.most = SMR_MAX(1, smr_pca_count(w, SMR_PCA_ALL));
    if (c.n_folds < 2)
        TRY(smr_fail(ctx, SMR_ERR_DATA, "pca: k=cv needs at least 2 rows; give a number"));
    TRY(open_folds(ctx, &c));
    for (int64_t f = 0; f < c.n_folds; f++) {
        TRY(smr_tick(ctx, "trying numbers of components", f, c.n_folds, NAN));
        TRY(try_fold(ctx, &c, f));
    }
    s->n_tried = c.most;
    TRY_NEW(s->tried, c.most);
    TRY_NEW(s->tried_error, c.most);
    summarise(&c, s);
    for (int64_t t = 1; t < c.most; t++)
        if (s->tried[t] > s->tried[best]) best = t;
    *k = best + 1;
out:
    close_folds(&c);
    return st;
}
