/* select_gram.c -- errors of `linear` on subsets of the features, from the folds' Gram matrices.
 *
 * A subset S is fitted on a fold's training rows by G_S w = c_S, and its error on the fold's rows
 * is a quadratic form (learn/linear/fold_grams.h).  In a search, subsets differ by one feature from
 * the one in hand; with its P = G_S^-1 and w,
 *
 *     without i:  w_j - P_ji / P_ii w_i                                                         (1)
 *     with c:     w - a u and a,   u = P G_Sc,   a = (c_c - G_cS w) / (G_cc - G_cS u)           (2)
 *
 * so that a candidate takes n^2 in place of n^3.  Where S holds features that depend on each other,
 * each candidate is solved for itself. */
#include "core/text.h"
#include "learn/chain.h"
#include "math/best_subset.h"
#include "transform/select_judge.h"

#include <math.h>
#include <string.h>

/* ---- any subset ------------------------------------------------------------------------- */

/* Is it least squares, on columns from which a matrix can be made? */
static bool goes_by_gram(const struct smr_judge *j)
{
    const smr_data *data = j->data;
    const smr_step *last = smr_spec_last(j->spec);
    return data->task == SMR_TASK_REGRESS && !data->gaps_in_numbers && !data->gaps_in_categories &&
           !smr_data_has_categories(data) && data->n_features <= SMR_GRAM_MOST / 4 &&
           j->spec->n == 1 && smr_nature_of(last->learner, last->params).traits & SMR_LEAST_SQUARES;
}

static smr_status create_grams(smr_ctx *ctx, struct smr_judge *j)
{
    smr_status st = SMR_OK;
    bool parts = j->p->judge != SMR_SELECT_TRAIN;
    TRY(smr_fold_grams_create(ctx, "select", j->data, parts ? &j->parts : NULL, true, &j->grams));
    TRY_NEW(j->train, j->grams.n);
    for (; j->n_train < j->grams.n; j->n_train++) {
        TRY(smr_fold_gram_create(ctx, j->grams.m, &j->train[j->n_train]));
        smr_fold_grams_sum(&j->grams, parts ? j->n_train : -1, &j->train[j->n_train]);
    }
out:
    if (st != SMR_OK && j->train && j->n_train < j->grams.n) j->n_train++;
    return st;
}

smr_status smr_judge_by_gram(smr_ctx *ctx, const struct smr_judge *j, int64_t n,
                             const int32_t *column, double *error)
{
    smr_status st = SMR_OK;
    const smr_fold_grams *g = &j->grams;
    double *w = NULL, weight = 0;
    TRY_NEW(w, n);
    *error = 0;
    for (int64_t p = j->p->judge == SMR_SELECT_VALIDATION ? 1 : 0; p < g->n; p++) {
        weight += g->parts.weight[p];
        for (int64_t k = 0; k < g->q; k++) {
            smr_gram_problem problem = smr_fold_grams_problem(g, &j->train[p], k);
            TRY(smr_subset_solve(ctx, &problem, n, column, w, NULL, NULL));
            *error += smr_fold_grams_error(g, &j->train[p], p, k, n, column, w) /
                      (j->variance[k] * (double)g->q);
        }
    }
    *error = weight > 0 ? *error / weight : INFINITY;
out:
    smr_free(w);
    return st;
}

/* ---- one feature more or less ----------------------------------------------------------- */

/* The subset in hand: of each part P (n x n), and of each part and output w. */
struct smr_fixed {
    int64_t n;
    bool dependent;
    int32_t *column; /* n                      */
    double *P;       /* parts x n x n          */
    double *w;       /* parts x outputs x n    */
};

static void release_fixed(struct smr_fixed *f)
{
    if (!f) return;
    smr_free(f->column);
    smr_free(f->P);
    smr_free(f->w);
    smr_free(f);
}

/* P = G_S^-1 by Gauss-Jordan steps on unit columns; false where they depend on each other. */
static bool invert(const smr_gram_problem *g, int64_t n, const int32_t *column, double *P)
{
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j < n; j++) {
            double size = g->G[column[i] * g->stride + column[i]];
            size *= g->G[column[j] * g->stride + column[j]];
            P[i * n + j] = size > 0 ? g->G[column[i] * g->stride + column[j]] / sqrt(size) : 0;
        }
    for (int64_t k = 0; k < n; k++) {
        double *row = P + k * n, pivot = row[k];
        if (!(pivot > SMR_SUBSET_NOISE)) return false;
        row[k] = 1;
        for (int64_t j = 0; j < n; j++) row[j] /= pivot;
        for (int64_t i = 0; i < n; i++) {
            double f = P[i * n + k];
            if (i == k) continue;
            P[i * n + k] = 0;
            for (int64_t j = 0; j < n; j++) P[i * n + j] -= f * row[j];
        }
    }
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j < n; j++)
            P[i * n + j] /= sqrt(g->G[column[i] * g->stride + column[i]] *
                                 g->G[column[j] * g->stride + column[j]]);
    return true;
}

smr_status smr_judge_fix(smr_ctx *ctx, struct smr_judge *j, int64_t n, const int32_t *column)
{
    smr_status st = SMR_OK;
    const smr_fold_grams *g = &j->grams;
    release_fixed(j->fixed);
    j->fixed = NULL;
    if (!j->by_gram || n == 0) return SMR_OK;
    TRY_NEW(j->fixed, 1);
    struct smr_fixed *f = j->fixed;
    f->n = n;
    TRY_NEW(f->column, n);
    TRY_NEW(f->P, g->n * n * n);
    TRY_NEW(f->w, g->n * g->q * n);
    memcpy(f->column, column, (size_t)n * sizeof *column);
    for (int64_t p = 0; p < g->n && !f->dependent; p++) {
        double *P = f->P + p * n * n;
        smr_gram_problem problem = smr_fold_grams_problem(g, &j->train[p], 0);
        f->dependent = !invert(&problem, n, column, P);
        for (int64_t k = 0; k < g->q; k++) {
            problem = smr_fold_grams_problem(g, &j->train[p], k);
            double *w = f->w + (p * g->q + k) * n;
            for (int64_t i = 0; i < n; i++)
                for (int64_t l = 0; l < n; l++) w[i] += P[i * n + l] * problem.c[column[l]];
        }
    }
out:
    return st;
}

/* (1): out has n - 1 weights, in the order of the others. */
static void drop(const struct smr_fixed *f, const double *P, const double *w, int64_t i,
                 double *out)
{
    for (int64_t j = 0; j < f->n; j++)
        if (j != i) *out++ = w[j] - P[j * f->n + i] / P[i * f->n + i] * w[i];
}

/* u of (2), and what S leaves of column c; 0 where it is rounding. */
static double project(const struct smr_fixed *f, const smr_gram_problem *g, const double *P,
                      int32_t c, double *u)
{
    const double *row = g->G + c * g->stride;
    double left = row[c];
    for (int64_t i = 0; i < f->n; i++) {
        u[i] = 0;
        for (int64_t l = 0; l < f->n; l++) u[i] += P[i * f->n + l] * row[f->column[l]];
        left -= u[i] * row[f->column[i]];
    }
    return left > SMR_SUBSET_NOISE * row[c] ? left : 0;
}

/* (2): out has n + 1 weights, c's at its place among the ascending columns. */
static void add(const struct smr_fixed *f, const smr_gram_problem *g, const double *w,
                const double *u, double left, int32_t c, double *out)
{
    double a = g->c[c];
    int64_t at = 0;
    for (int64_t i = 0; i < f->n; i++) a -= g->G[c * g->stride + f->column[i]] * w[i];
    a = left > 0 ? a / left : 0;
    while (at < f->n && f->column[at] < c) at++;
    for (int64_t i = 0; i < f->n; i++) out[i + (i >= at)] = w[i] - a * u[i];
    out[at] = a;
}

smr_status smr_judge_change(smr_ctx *ctx, const struct smr_judge *j, int32_t c, int64_t n,
                            const int32_t *column, double *error)
{
    smr_status st = SMR_OK;
    const smr_fold_grams *g = &j->grams;
    const struct smr_fixed *f = j->fixed;
    double *w = NULL, *u = NULL, weight = 0, sum = 0;
    int64_t at = 0;
    if (!f || f->dependent) return smr_judge_score(ctx, j, n, column, error);
    TRY_NEW(w, f->n + 1);
    TRY_NEW(u, f->n + 1);
    while (at < f->n && f->column[at] != c) at++;
    for (int64_t p = j->p->judge == SMR_SELECT_VALIDATION ? 1 : 0; p < g->n; p++) {
        const double *P = f->P + p * f->n * f->n;
        smr_gram_problem problem = smr_fold_grams_problem(g, &j->train[p], 0);
        double left = at < f->n ? 0 : project(f, &problem, P, c, u);
        weight += g->parts.weight[p];
        for (int64_t k = 0; k < g->q; k++) {
            const double *of = f->w + (p * g->q + k) * f->n;
            problem = smr_fold_grams_problem(g, &j->train[p], k);
            if (at < f->n)
                drop(f, P, of, at, w);
            else
                add(f, &problem, of, u, left, c, w);
            sum += smr_fold_grams_error(g, &j->train[p], p, k, n, column, w) /
                   (j->variance[k] * (double)g->q);
        }
    }
    *error = (weight > 0 ? sum / weight : INFINITY) + j->p->penalty * (double)n;
out:
    smr_free(w);
    smr_free(u);
    return st;
}

/* ---- both ------------------------------------------------------------------------------- */

smr_status smr_judge_grams(smr_ctx *ctx, struct smr_judge *j)
{
    smr_status st = SMR_OK;
    j->by_gram = goes_by_gram(j);
    if (j->by_gram) TRY(create_grams(ctx, j));
out:
    return st;
}

void smr_judge_grams_release(struct smr_judge *j)
{
    for (int64_t p = 0; p < j->n_train; p++) smr_fold_gram_release(&j->train[p]);
    smr_free(j->train);
    smr_fold_grams_release(&j->grams);
    release_fixed(j->fixed);
}
