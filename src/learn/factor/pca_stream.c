/* pca_stream.c -- components of the rows so far, one row after another.
 *
 * The sum of squares and products about the mean, S, is held in a basis Q of orthonormal rows,
 * S = Q'M Q.  A row x of weight w, with r = x - mean and W the weight so far, makes of it
 *
 *     S <- S + w W / (W + w) r r',   mean <- mean + w / (W + w) r                              (1)
 *
 * which is exact: r's part within Q goes into M, and the direction of what is left of r joins Q.
 * When Q is full, M's largest directions are kept and the others given up: then (1) is a sequential
 * Karhunen-Loeve transform, exact only for features up to the size of Q.  What was given up still
 * counts in the variance of all features.
 *
 * The components are those of M, found again when a block of rows has been learned, or for every
 * row where its features are asked for: they follow from Q, M and the mean alone.  Cost: 4 d q
 * multiply-adds a row for q rows in Q, q about 3/2 k; 10 q^3 for the components.
 * Reference: Ross, Lim, Lin & Yang, Int. J. Comput. Vis. 77 (2008). */
#include "core/number.h"
#include "kernel/kernel.h"
#include "learn/factor/pca.h"
#include "math/factor.h"
#include "math/lanczos.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { LEAST_MORE = 12 }; /* directions beyond the components */
/* What is left of a row below this share of it is rounding. */
#define ROUNDING 1e-12

smr_status smr_pca_begin(smr_ctx *ctx, const void *params_, const smr_shape *shape, void *state_)
{
    const struct smr_pca_params *p = params_;
    struct smr_pca_state *s = state_;
    smr_status st = SMR_OK;
    int64_t d = shape->n_features;
    char k[SMR_NUMBER_MAX];
    if (!(p->k >= 1))
        return smr_fail(ctx, SMR_ERR_PARAM,
                        "pca: in a stream the number of components must be given, as in pca 5");
    smr_format_double(p->k, k);
    if (p->k > (double)d)
        return smr_fail(ctx, SMR_ERR_PARAM, "pca: k=%s components of %lld features", k,
                        (long long)d);
    s->n_features = d;
    s->n_out = (int64_t)p->k;
    s->route = SMR_PCA_COVARIANCE;
    s->scores = shape->task == SMR_TASK_DENSITY ? SMR_PCA_BY_DENSITY : p->score;
    s->n_room = SMR_MIN(d, s->n_out + SMR_MAX(LEAST_MORE, s->n_out / 2));
    TRY_NEW(s->mean, d);
    TRY_NEW(s->component, s->n_out * d);
    TRY_NEW(s->variance, s->n_out);
    TRY_NEW(s->shift, s->n_out);
    TRY_NEW(s->basis, s->n_room * d);
    TRY_NEW(s->scatter, s->n_room * s->n_room);
    for (int64_t c = 0; c < s->n_out; c++) s->component[c * d + c] = 1;
out:
    return st;
}

/* ---- (1) -------------------------------------------------------------------------------- */

/* M's pairs, descending: values, and vectors as rows of n_basis. */
static smr_status find_pairs(smr_ctx *ctx, const struct smr_pca_state *s, double *value,
                             double *vector)
{
    smr_status st = SMR_OK;
    int64_t q = s->n_basis;
    double *M = NULL, *ascending = NULL;
    TRY_NEW(M, q * q);
    TRY_NEW(ascending, q);
    for (int64_t i = 0; i < q; i++)
        memcpy(M + i * q, s->scatter + i * s->n_room, (size_t)q * sizeof *M);
    TRY(smr_eigen(ctx, q, M, q, ascending));
    for (int64_t i = 0; i < q; i++) {
        value[i] = smr_fmax(0, ascending[q - 1 - i]);
        memcpy(vector + i * q, M + (q - 1 - i) * q, (size_t)q * sizeof *M);
    }
out:
    smr_free(M);
    smr_free(ascending);
    return st;
}

/* Q becomes its `keep` largest directions. */
static smr_status give_up(smr_ctx *ctx, struct smr_pca_state *s, int64_t keep)
{
    smr_status st = SMR_OK;
    int64_t q = s->n_basis, d = s->n_features;
    double *value = NULL, *vector = NULL, *new = NULL;
    TRY_NEW(value, q);
    TRY_NEW(vector, q * q);
    TRY_NEW(new, keep * d);
    TRY(find_pairs(ctx, s, value, vector));
    for (int64_t c = 0; c < keep; c++)
        for (int64_t i = 0; i < q; i++)
            smr_axpy_f64(d, vector[c * q + i], s->basis + i * d, new + c *d);
    memset(s->basis, 0, (size_t)(s->n_room * d) * sizeof *s->basis);
    memset(s->scatter, 0, (size_t)(s->n_room * s->n_room) * sizeof *s->scatter);
    for (int64_t c = 0; c < keep; c++) { /* rounding does not add up */
        TRY(smr_orthogonalize(ctx, d, c, s->basis, 1, new + c *d, NULL));
        double by = 1 / sqrt(smr_sumsq_f64(d, new + c *d, 0));
        for (int64_t j = 0; j < d; j++) s->basis[c * d + j] = by * new[c * d + j];
        s->scatter[c * s->n_room + c] = value[c];
    }
    s->n_basis = keep;
out:
    smr_free(value);
    smr_free(vector);
    smr_free(new);
    return st;
}

/* r (d) of weight `by`: into M, and what is left of it into Q.  a: n_room + 1. */
static smr_status take(smr_ctx *ctx, struct smr_pca_state *s, double by, double *r, double *a)
{
    smr_status st = SMR_OK;
    int64_t d = s->n_features, room = s->n_room;
    double size = smr_sumsq_f64(d, r, 0);
    s->squares += by * size;
    if (s->n_basis == room && room < d)
        TRY(give_up(ctx, s, s->n_out + SMR_MAX(1, (room - s->n_out) / 2)));
    int64_t q = s->n_basis;
    TRY(smr_orthogonalize(ctx, d, q, s->basis, 1, r, a));
    double rest = sqrt(smr_sumsq_f64(d, r, 0));
    if (q < room && rest > ROUNDING * sqrt(size)) {
        for (int64_t j = 0; j < d; j++) s->basis[q * d + j] = r[j] / rest;
        a[q] = rest;
        s->n_basis = ++q;
    }
    for (int64_t i = 0; i < q; i++) smr_axpy_f64(q, by * a[i], a, s->scatter + i * room);
out:
    return st;
}

/* The components as they are now. */
static smr_status derive(smr_ctx *ctx, struct smr_pca_state *s)
{
    smr_status st = SMR_OK;
    int64_t q = s->n_basis, d = s->n_features, n = SMR_MIN(q, s->n_out);
    double divisor = s->weight > 1 ? s->weight - 1 : s->weight, *value = NULL, *vector = NULL;
    if (!(s->weight > 0)) return SMR_OK;
    TRY_NEW(value, q + 1);
    TRY_NEW(vector, q * q + 1);
    TRY(find_pairs(ctx, s, value, vector));
    memset(s->component, 0, (size_t)(s->n_out * d) * sizeof *s->component);
    memset(s->variance, 0, (size_t)s->n_out * sizeof *s->variance);
    for (int64_t c = 0; c < n; c++) {
        double *v = s->component + c * d;
        for (int64_t i = 0; i < q; i++) smr_axpy_f64(d, vector[c * q + i], s->basis + i * d, v);
        smr_pca_sign(d, v);
        s->variance[c] = value[c] / divisor;
    }
    for (int64_t c = 0; c < s->n_out; c++)
        s->shift[c] = smr_dot_f64(d, s->mean, s->component + c * d);
    s->total = s->squares / divisor;
    s->noise = smr_pca_noise(s);
out:
    smr_free(value);
    smr_free(vector);
    return st;
}

/* x (d) = the row, dense. */
static void spread(const smr_rows *rows, int64_t i, double *x)
{
    if (rows->form != SMR_FORM_SPARSE) {
        memcpy(x, (const double *)rows->x + i * rows->stride, (size_t)rows->d * sizeof *x);
        return;
    }
    memset(x, 0, (size_t)rows->d * sizeof *x);
    for (int64_t e = rows->start[i]; e < rows->start[i + 1]; e++)
        x[rows->column[e]] = rows->value[e];
}

static smr_status learn_row(smr_ctx *ctx, struct smr_pca_state *s, double w, double *x, double *a)
{
    int64_t d = s->n_features;
    double all = s->weight + w, by = s->weight * (w / all);
    for (int64_t j = 0; j < d; j++) {
        x[j] -= s->mean[j];
        s->mean[j] += w / all * x[j];
    }
    s->weight = all;
    return by > 0 ? take(ctx, s, by, x, a) : SMR_OK;
}

smr_status smr_pca_learn(smr_ctx *ctx, const void *params, void *state_, const smr_rows *rows,
                         const smr_truths *truths, double *out)
{
    struct smr_pca_state *s = state_;
    smr_status st = SMR_OK;
    double *x = NULL, *a = NULL, *work = NULL;
    if (!s->basis)
        return smr_fail(ctx, SMR_ERR_STATE,
                        "this pca was fitted on a whole table, and knows no running sums; begin a "
                        "new model with 'samara stream'");
    TRY_NEW(x, s->n_features);
    TRY_NEW(a, s->n_room + 1);
    TRY_NEW(work, SMR_PCA_GROUP * s->n_features);
    for (int64_t i = 0; i < rows->n; i++) {
        double w = truths->weight ? truths->weight[i] : 1;
        spread(rows, i, x);
        if (w > 0) TRY(learn_row(ctx, s, w, x, a));
        if (!out) continue;
        smr_rows row = smr_rows_slice(rows, i, i + 1);
        TRY(derive(ctx, s));
        TRY(smr_pca_predict(ctx, params, s, &row, SMR_OUTPUT_TRANSFORM, out + i * s->n_out, work));
    }
    TRY(derive(ctx, s));
out:
    smr_free(x);
    smr_free(a);
    smr_free(work);
    return st;
}
