/* lstsq.c -- see lstsq.h: chooses the way, and turns a triangle into coefficients. */
#include "math/lstsq.h"

#include "kernel/kernel.h"
#include "math/factor.h"
#include "math/lstsq_parts.h"

#include <float.h>
#include <math.h>
#include <string.h>

static const double SMALL_WORK = 1 << 24;   /* n d^2 below which qr costs nothing                */
static const double GRAM_ACCURACY = 1e-9;   /* relative error of the coefficients allowed        */
static const double GRAM_ROUNDING = 100;    /* rounding of the sums, in units of epsilon: chains
                                                of 2048 rows and 64 chunks give about 60          */
static const double SAMPLE_MARGIN = 100;    /* a sample must be worse by this to settle it       */
static const double GRAM_LEAST_REST = 1e-7; /* rss / tss below which rss is mostly rounding      */

/* ---- triangles -------------------------------------------------------------------------- */

smr_status smr_triangle_create(smr_ctx *ctx, int64_t d, int64_t q, smr_triangle *out)
{
    smr_status st = SMR_OK;
    *out = (smr_triangle){.d = d, .q = q};
    TRY_NEW(out->A, d * d + 1);
    TRY_NEW(out->C, d * q + 1);
    TRY_NEW(out->length, d + 1);
    TRY_NEW(out->noise, d + 1);
    TRY_NEW(out->mean, d + q);
    TRY_NEW(out->rss, q);
    TRY_NEW(out->tss, q);
out:
    if (st != SMR_OK) smr_triangle_release(out);
    return st;
}

void smr_triangle_release(smr_triangle *t)
{
    smr_free(t->A);
    smr_free(t->C);
    smr_free(t->length);
    smr_free(t->noise);
    smr_free(t->mean);
    smr_free(t->rss);
    smr_free(t->tss);
    *t = (smr_triangle){0};
}

/* Everything except A and C; false when a column is constant. */
static bool read_lengths(const smr_gram *m, smr_triangle *t)
{
    int64_t d = t->d;
    t->weight = m->weight;
    memcpy(t->mean, m->mean, (size_t)m->m * sizeof *t->mean);
    for (int64_t j = 0; j < d; j++) {
        double length = sqrt(m->gram[j * m->m + j]);
        if (!(length > 1e4 * DBL_EPSILON * m->raw[j])) return false;
        t->length[j] = length / m->scale[j];
        t->noise[j] = DBL_EPSILON * m->raw[j] / length;
    }
    for (int64_t k = 0; k < t->q; k++)
        t->tss[k] = m->gram[(d + k) * m->m + d + k] / m->scale[d + k] / m->scale[d + k];
    return true;
}

/* Cholesky of the correlation matrix.  *good = false when it breaks down or its condition does not
 * prove GRAM_ACCURACY (times margin). */
static smr_status triangle_from_gram(smr_ctx *ctx, const smr_gram *m, smr_triangle *t,
                                     double margin, bool *good)
{
    smr_status st = SMR_OK;
    int64_t d = t->d, failed_at = -1;
    double norm = 0, rcond = 0;
    *good = read_lengths(m, t);
    if (!*good) return SMR_OK;
    for (int64_t i = 0; i < d; i++) {
        double row = 0, li = t->length[i] * m->scale[i];
        for (int64_t j = 0; j < d; j++) {
            double r = m->gram[i * m->m + j] / li / (t->length[j] * m->scale[j]);
            t->A[i * d + j] = i == j ? 1 : r;
            row += fabs(t->A[i * d + j]);
        }
        norm = smr_fmax(norm, row);
        for (int64_t k = 0; k < t->q; k++)
            t->C[k * d + i] = m->gram[i * m->m + d + k] / li / m->scale[d + k];
    }
    TRY(smr_cholesky(ctx, d, t->A, d, &failed_at)); /* the lower triangle by columns */
    *good = failed_at < 0;
    if (!*good) return SMR_OK;
    TRY(smr_cholesky_rcond(ctx, d, t->A, d, norm, &rcond));
    *good = GRAM_ROUNDING * DBL_EPSILON <= margin * GRAM_ACCURACY * rcond;
    TRY(smr_triangular_solve(ctx, (smr_side){0}, d, t->q, t->A, d, t->C, d));
    for (int64_t k = 0; k < t->q; k++) {
        double fitted = smr_dot_f64(d, t->C + k * d, t->C + k * d);
        t->rss[k] = smr_fmax(t->tss[k] - fitted, 0);
        if (t->rss[k] < GRAM_LEAST_REST * t->tss[k]) *good = false;
    }
out:
    return st;
}

/* ---- coefficients ----------------------------------------------------------------------- */

static smr_status create_fit(smr_ctx *ctx, int64_t d, int64_t q, bool centred, smr_lstsq *fit)
{
    smr_status st = SMR_OK;
    *fit = (smr_lstsq){.d = d, .q = q, .centred = centred, .condition = INFINITY};
    TRY_NEW(fit->coef, q * d + 1);
    TRY_NEW(fit->origin, q);
    TRY_NEW(fit->variance, d + 1);
    TRY_NEW(fit->rss, q);
    TRY_NEW(fit->tss, q);
out:
    return st;
}

void smr_lstsq_release(smr_lstsq *fit)
{
    smr_free(fit->coef);
    smr_free(fit->origin);
    smr_free(fit->variance);
    smr_free(fit->rss);
    smr_free(fit->tss);
    smr_free(fit->dependencies);
    *fit = (smr_lstsq){0};
}

void smr_lstsq_origin(const smr_triangle *t, int64_t r, const double *B, smr_lstsq *fit)
{
    int64_t d = t->d;
    if (!fit->centred) return;
    for (int64_t k = 0; k < t->q; k++)
        fit->origin[k] = t->mean[d + k] - smr_dot_f64(d, t->mean, fit->coef + k * d);
    fit->origin_variance = 1 / t->weight;
    for (int64_t c = 0; c < r; c++) {
        double v = smr_dot_f64(d, t->mean, B + c * d);
        fit->origin_variance += v * v;
    }
}

/* Full rank: coef = S A^-1 C, and the rows of B = S A^-1 give the variances. */
static smr_status solve_full(smr_ctx *ctx, const smr_triangle *t, smr_lstsq *fit)
{
    smr_status st = SMR_OK;
    int64_t d = t->d;
    double *B = NULL, *u = NULL, rcond = 1;
    TRY_NEW(B, d * d + 1);
    TRY_NEW(u, d * t->q + 1);
    memcpy(u, t->C, (size_t)(d * t->q) * sizeof *u);
    for (int64_t j = 0; j < d; j++) B[j * d + j] = 1;
    smr_side transposed = {.transpose = true};
    TRY(smr_triangular_solve(ctx, transposed, d, t->q, t->A, d, u, d));
    TRY(smr_triangular_solve(ctx, transposed, d, d, t->A, d, B, d));
    TRY(smr_triangular_rcond(ctx, false, d, t->A, d, &rcond));
    for (int64_t k = 0; k < t->q; k++)
        for (int64_t j = 0; j < d; j++) fit->coef[k * d + j] = u[k * d + j] / t->length[j];
    for (int64_t c = 0; c < d; c++)
        for (int64_t j = 0; j <= c; j++) {
            double b = B[c * d + j] /= t->length[j];
            fit->variance[j] += b * b;
        }
    fit->condition = d > 0 ? 1 / rcond : 1;
    smr_lstsq_origin(t, d, B, fit);
out:
    smr_free(u);
    smr_free(B);
    return st;
}

static void take_sums(const smr_triangle *t, smr_lstsq *fit)
{
    fit->weight = t->weight;
    memcpy(fit->rss, t->rss, (size_t)t->q * sizeof *fit->rss);
    memcpy(fit->tss, t->tss, (size_t)t->q * sizeof *fit->tss);
}

/* ---- a look ahead ----------------------------------------------------------------------- */

/* Blocks of rows, `step` apart, as if they were all. */
struct sample {
    const smr_row_source *of;
    int64_t step;
};

static smr_status sample_rows(smr_ctx *ctx, void *arg, int lane, int64_t lo, int64_t hi,
                              const double **x, int64_t *stride)
{
    const struct sample *s = arg;
    int64_t from = lo / SMR_ROWS_BLOCK * s->step + lo % SMR_ROWS_BLOCK;
    return s->of->rows(ctx, s->of->arg, lane, from, from + hi - lo, x, stride);
}

/* A bad value in the sample is one of the whole: named by its place there. */
static smr_status explain_sample(smr_ctx *ctx, void *arg)
{
    const struct sample *s = arg;
    return smr_rows_check_finite(ctx, s->of);
}

/* Would the Gram matrix be given up?  A hundredth of the rows tells where it is clear; when it is
 * not, or the sample misleads, only time is lost. */
static smr_status gram_is_hopeless(smr_ctx *ctx, const smr_row_source *rows, bool intercept,
                                   bool *hopeless)
{
    smr_status st = SMR_OK;
    smr_gram m = {0};
    smr_triangle t = {0};
    bool good = true;
    double none = 0;
    int64_t blocks = SMR_MAX(8, (8 * rows->n_cols + SMR_ROWS_BLOCK - 1) / SMR_ROWS_BLOCK);
    struct sample s = {rows, rows->n_rows / blocks};
    smr_row_source part = {.n_rows = blocks * SMR_ROWS_BLOCK,
                           .n_cols = rows->n_cols,
                           .y = &none,
                           .rows = sample_rows,
                           .explain = explain_sample,
                           .arg = &s};
    *hopeless = false;
    if (rows->n_rows < 100 * part.n_rows) return SMR_OK;
    TRY(smr_gram_compute(ctx, &part, intercept, &m));
    TRY(smr_triangle_create(ctx, rows->n_cols, 0, &t));
    TRY(triangle_from_gram(ctx, &m, &t, SAMPLE_MARGIN, &good));
    *hopeless = !good;
out:
    smr_triangle_release(&t);
    smr_gram_release(&m);
    return st;
}

/* ---- the three ways --------------------------------------------------------------------- */

static smr_status fit_gram(smr_ctx *ctx, const smr_row_source *rows, const smr_lstsq_opts *opts,
                           smr_lstsq *fit, bool *good)
{
    smr_status st = SMR_OK;
    smr_gram m = {0};
    smr_triangle t = {0};
    TRY(smr_gram_compute(ctx, rows, opts->intercept, &m));
    TRY(smr_triangle_create(ctx, rows->n_cols, rows->n_outputs, &t));
    TRY(triangle_from_gram(ctx, &m, &t, 1, good));
    if (!*good) goto out;
    take_sums(&t, fit);
    TRY(solve_full(ctx, &t, fit));
    fit->rank = t.d;
    fit->method = SMR_LSTSQ_GRAM;
out:
    smr_triangle_release(&t);
    smr_gram_release(&m);
    return st;
}

static smr_status fit_qr(smr_ctx *ctx, const smr_row_source *rows, const smr_lstsq_opts *opts,
                         smr_lstsq *fit)
{
    smr_status st = SMR_OK;
    smr_triangle t = {0};
    int64_t *pivot = NULL;
    TRY(smr_triangle_qr(ctx, rows, opts->intercept, &t));
    TRY_NEW(pivot, t.d + 1);
    TRY(smr_triangle_rank(ctx, &t, pivot, &fit->rank));
    take_sums(&t, fit);
    fit->method = SMR_LSTSQ_QR;
    if (fit->rank < t.d) {
        TRY(smr_lstsq_deficient(ctx, &t, pivot, fit->rank, fit));
    } else {
        TRY(solve_full(ctx, &t, fit));
        TRY(smr_lstsq_refine(ctx, rows, &t, fit));
    }
out:
    smr_free(pivot);
    smr_triangle_release(&t);
    return st;
}

/* coef = sum over the rank of v_i u_i' y / s_i; what is left of y gives rss. */
static void solve_svd(const smr_wide *w, int64_t q, int64_t k, double *left, smr_lstsq *fit)
{
    for (int64_t i = 0; i < w->n; i++) left[i] = w->Y[i * q + k];
    for (int64_t r = 0; r < fit->rank; r++) {
        double uy = 0;
        for (int64_t i = 0; i < w->n; i++) uy += w->U[i * w->k + r] * left[i];
        for (int64_t i = 0; i < w->n; i++) left[i] -= w->U[i * w->k + r] * uy;
        smr_axpy_f64(w->d, uy / w->s[r], w->V + r * w->d, fit->coef + k * w->d);
    }
    fit->tss[k] = w->tss[k];
    fit->rss[k] = smr_sumsq_f64(w->n, left, 0);
    if (fit->centred)
        fit->origin[k] = w->mean[w->d + k] - smr_dot_f64(w->d, w->mean, fit->coef + k * w->d);
}

static void svd_variances(const smr_wide *w, smr_lstsq *fit)
{
    bool full = fit->rank == w->d;
    if (full && w->d > 0) fit->condition = w->s[0] / w->s[w->d - 1];
    for (int64_t j = 0; j < w->d; j++) {
        fit->variance[j] = full ? 0 : NAN;
        for (int64_t r = 0; r < w->k && full; r++) {
            double b = w->V[r * w->d + j] / w->s[r];
            fit->variance[j] += b * b;
        }
    }
    fit->origin_variance = fit->centred && full ? 1 / w->weight : NAN;
    for (int64_t r = 0; r < w->k && full && fit->centred; r++) {
        double b = smr_dot_f64(w->d, w->mean, w->V + r * w->d) / w->s[r];
        fit->origin_variance += b * b;
    }
}

static smr_status fit_svd(smr_ctx *ctx, const smr_row_source *rows, const smr_lstsq_opts *opts,
                          smr_lstsq *fit)
{
    smr_status st = SMR_OK;
    smr_wide w = {0};
    double *left = NULL;
    TRY(smr_wide_create(ctx, rows, opts->intercept, &w));
    TRY_NEW(left, w.n);
    double floor = w.k > 0 ? w.s[0] * (double)SMR_MAX(w.n, w.d) * DBL_EPSILON : 0;
    while (fit->rank < w.k && w.s[fit->rank] > floor) fit->rank++;
    fit->weight = w.weight;
    fit->method = SMR_LSTSQ_SVD;
    svd_variances(&w, fit);
    for (int64_t k = 0; k < rows->n_outputs; k++) solve_svd(&w, rows->n_outputs, k, left, fit);
out:
    smr_free(left);
    smr_wide_release(&w);
    return st;
}

smr_status smr_lstsq_fit(smr_ctx *ctx, const smr_row_source *rows, const smr_lstsq_opts *opts,
                         smr_lstsq *out)
{
    smr_status st = SMR_OK;
    int64_t n = rows->n_rows, d = rows->n_cols;
    *out = (smr_lstsq){0};
    if (n == 0) return smr_fail(ctx, SMR_ERR_DATA, "no rows to fit");
    TRY(create_fit(ctx, d, rows->n_outputs, opts->intercept, out));
    bool small = (double)n * (double)d * (double)d < SMALL_WORK, done = false, hopeless = false;
    if (opts->method == SMR_LSTSQ_SVD || (n <= d && opts->method == SMR_LSTSQ_AUTO)) {
        TRY(fit_svd(ctx, rows, opts, out));
        goto out;
    }
    if (opts->method == SMR_LSTSQ_AUTO && !small)
        TRY(gram_is_hopeless(ctx, rows, opts->intercept, &hopeless));
    if (opts->method == SMR_LSTSQ_GRAM || (opts->method == SMR_LSTSQ_AUTO && !small && !hopeless))
        TRY(fit_gram(ctx, rows, opts, out, &done));
    if (!done) TRY(fit_qr(ctx, rows, opts, out));
out:
    if (st != SMR_OK) smr_lstsq_release(out);
    return st;
}
