/* path_gram.c -- paths from the folds' Gram matrices; see path.h. */
#include "kernel/kernel.h"
#include "learn/linear/path_parts.h"
#include "math/gram_folds.h"

#include <math.h>
#include <string.h>

struct job {
    struct smr_path_work *w;
    smr_gram_folds *parts;
    int64_t output;
};

/* What a path needs: the matrix, the answers. */
struct room {
    double *mean, *gram, *B, *l1, *l2;
    smr_elastic_result *at;
};

static void release(struct room *r)
{
    smr_free(r->mean);
    smr_free(r->gram);
    smr_free(r->B);
    smr_free(r->l1);
    smr_free(r->at);
}

static smr_status make_room(smr_ctx *ctx, const struct smr_path_work *w, struct room *r)
{
    smr_status st = SMR_OK;
    int64_t m = w->d + w->q;
    *r = (struct room){0};
    TRY_NEW(r->mean, m);
    TRY_NEW(r->gram, m * m);
    TRY_NEW(r->B, w->n_path * w->d + 1);
    TRY_NEW(r->l1, 2 * w->n_path);
    TRY_NEW(r->at, w->n_path);
    r->l2 = r->l1 + w->n_path;
out:
    return st;
}

static smr_gram_problem problem_of(const struct smr_path_work *w, int64_t k, const double *gram)
{
    int64_t m = w->d + w->q;
    const double *y = gram + (w->d + k) * m;
    return (smr_gram_problem){.d = w->d, .G = gram, .stride = m, .c = y, .yy = y[w->d + k]};
}

static double intercept_of(const struct smr_path_work *w, int64_t k, const double *mean,
                           const double *coef)
{
    if (!w->ask->fit_intercept) return 0;
    return mean[w->d + k] - smr_dot_f64(w->d, mean, coef);
}

/* The path on all folds but one, and its errors there. */
static smr_status validate(smr_ctx *ctx, void *arg, int64_t fold, int lane)
{
    const struct job *job = arg;
    const struct smr_path_work *w = job->w;
    int64_t k = job->output, n = w->n_path, d = w->d;
    double *error = w->error + (k * w->n_folds + fold) * n;
    smr_elastic_opts opts = smr_path_opts(w->ask);
    struct room r;
    smr_status st = SMR_OK;
    (void)lane;
    TRY(make_room(ctx, w, &r));
    double rest = smr_gram_folds_join(job->parts, fold, r.mean, r.gram);
    double here = job->parts->weight[fold];
    for (int64_t c = 0; c < n; c++) {
        r.l1[c] = w->l1[k * n + c] * rest / w->weight;
        r.l2[c] = w->l2[k * n + c] * rest / w->weight;
        error[c] = NAN;
    }
    if (!(rest > 0 && here > 0)) goto out;
    smr_gram_problem problem = problem_of(w, k, r.gram);
    smr_elastic_path path = {n, r.l1, r.l2};
    TRY(smr_elastic_gram_path(ctx, &problem, &opts, &path, r.B, r.at));
    for (int64_t c = 0; c < n; c++) {
        const double *b = r.B + c * d;
        error[c] =
            smr_gram_folds_error(job->parts, fold, d, k, b, intercept_of(w, k, r.mean, b)) / here;
    }
out:
    release(&r);
    return st;
}

void smr_path_find_twin(int64_t d, const double *gram, int64_t m, const double *w, int64_t *of,
                        int64_t *twin)
{
    *of = *twin = -1;
    for (int64_t i = 0; i < d; i++) {
        const double *row = gram + i * m;
        if (w[i] == 0) continue;
        for (int64_t j = 0; j < d; j++) {
            double both = row[i] * gram[j * m + j];
            if (j == i || !(both > 0) || (j < i && w[j] != 0)) continue;
            if (row[j] * row[j] < both * (1 - 1e-12)) continue;
            if (fabs(gram[j * m + j] - row[i]) > 1e-9 * row[i]) continue; /* other scale: no tie */
            *of = i;
            *twin = j;
            return;
        }
    }
}

/* The path on all rows, of one output. */
static smr_status solve_whole(smr_ctx *ctx, struct smr_path_work *w, int64_t k, const double *gram)
{
    smr_status st = SMR_OK;
    int64_t n = w->n_path;
    double *size = NULL;
    smr_elastic_opts opts = smr_path_opts(w->ask);
    smr_gram_problem problem = problem_of(w, k, gram);
    smr_elastic_path path = {n, w->l1 + k * n, w->l2 + k * n};
    w->tss[k] = problem.yy;
    smr_path_penalties(w, k, smr_elastic_l1_max(w->d, problem.c, NULL));
    TRY(smr_elastic_gram_path(ctx, &problem, &opts, &path, w->B + k * n * w->d, w->at + k * n));
    TRY_NEW(size, w->d + 1);
    for (int64_t j = 0; j < w->d; j++) size[j] = gram[j * problem.stride + j];
    smr_path_drop_noise(n, w->d, size, problem.yy, w->B + k * n * w->d);
    if (path.l2[n - 1] == 0)
        smr_path_find_twin(w->d, gram, w->d + w->q, w->B + ((k + 1) * n - 1) * w->d, &w->of[k],
                           &w->twin[k]);
out:
    smr_free(size);
    return st;
}

smr_status smr_path_by_gram(smr_ctx *ctx, struct smr_path_work *w)
{
    smr_status st = SMR_OK;
    int64_t m = w->d + w->q;
    smr_gram_folds parts = {0};
    double *gram = NULL;
    TRY(smr_gram_folds_compute(ctx, &w->rows->source, w->ask->fit_intercept, w->fold,
                               SMR_MAX(1, w->n_folds), &parts));
    TRY_NEW(gram, m * m);
    w->weight = smr_gram_folds_join(&parts, -1, w->mean, gram);
    for (int64_t k = 0; k < w->q; k++) {
        struct job job = {w, &parts, k};
        TRY(solve_whole(ctx, w, k, gram));
        TRY(smr_parallel(ctx, "cross-validating", w->n_folds, validate, &job));
    }
out:
    smr_free(gram);
    smr_gram_folds_release(&parts);
    return st;
}
