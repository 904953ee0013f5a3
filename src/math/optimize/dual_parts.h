/* dual_parts.h -- rows, order and certificate, shared by dual.c, dual_hinge.c and dual_logistic.c.
 *
 * In units of l2:   P / l2 = |w|^2 / 2 + sum_i C_i loss(m_i),   m_i = y_i (w'x_i + b),
 *                   D / l2 = sum_i part_i(a_i) - |w|^2 / 2,     C_i = weight_i / l2.
 * With w = sum_i a_i y_i x_i the gap is a sum over the rows of what is >= 0 in each,
 *
 *     (P - D) / l2 = sum_i e_i - b sum_i a_i y_i,  e_i = C_i loss(m_i) - part_i(a_i) + a_i m_i  (1)
 *
 * (no last term without a free intercept: a penalised one is part of w).  The best b of a free
 * intercept need not be known: |b_best| <= far_away, so the gap is at most
 * sum_i e_i + |sum_i a_i y_i| (far_away + |b|).  The logistic loss has a closer bound. */
#ifndef SMR_MATH_OPTIMIZE_DUAL_PARTS_H
#define SMR_MATH_OPTIMIZE_DUAL_PARTS_H

#include "math/optimize/column_sums.h"
#include "math/optimize/dual.h"

#include <math.h>

struct smr_dual {
    const smr_dual_problem *p;
    smr_dual_opts opts;
    double *w;            /* n_cols (+ 1)                                      */
    double bias;          /* value of the additional entry, or 0               */
    double centre;        /* of its weight's penalty: (w - centre)^2 / 2       */
    double *alpha, *size; /* n: a_i, |x_i|^2 with the bias                     */
    double *C;            /* n                                                 */
    double *rest;         /* n, logistic only: C_i - a_i, exact near both ends */
    double *score;        /* n: w'x_i + b at the last certificate              */
    double *excess;       /* n, logistic only: e_i there                       */
    double *reach;        /* n, hinge losses: see smr_dual_certify             */
    double *seen, path;   /* n_cols + 1: w at the last certificate; its way there */
    int64_t n_skipped;    /* rows whose score is older than w                  */
    double *other_w;      /* n_cols + 1: see dual_logistic.c; NULL: not needed */
    int64_t halves_from;  /* rows in play for which it is                      */
    double *wide;         /* a row of doubles per lane; NULL: rows are as needed */
    int64_t *order;       /* the rows in play are order[0 .. active)           */
    int64_t active, n_live;
    int64_t rounds; /* passes over the rows in play so far */
    smr_dual_result *out;
};

static inline int64_t smr_dual_row(const smr_dual_problem *p, int64_t i)
{
    return p->rows ? p->rows[i] : i;
}

/* A row without entries or weight never comes into play. */
static inline bool smr_dual_counts(const struct smr_dual *d, int64_t i)
{
    return d->size[i] > 0 && d->C[i] > 0;
}

/* True if dense rows are used where they lie. */
static inline bool smr_dual_is_plain(const smr_dual_problem *p)
{
    return p->dtype == SMR_F64 && !p->shift;
}

/* Dense row i as doubles, less the shift. */
static inline const double *smr_dual_dense(const struct smr_dual *d, int64_t i, int lane)
{
    const smr_dual_problem *p = d->p;
    int64_t at = smr_dual_row(p, i) * p->stride;
    if (smr_dual_is_plain(p)) return (const double *)p->dense + at;
    double *row = d->wide + lane * p->n_cols;
    if (p->dtype == SMR_F64)
        for (int64_t j = 0; j < p->n_cols; j++) row[j] = ((const double *)p->dense)[at + j];
    else if (p->dtype == SMR_F32)
        for (int64_t j = 0; j < p->n_cols; j++) row[j] = ((const float *)p->dense)[at + j];
    else
        for (int64_t j = 0; j < p->n_cols; j++) row[j] = ((const uint8_t *)p->dense)[at + j];
    for (int64_t j = 0; p->shift && j < p->n_cols; j++) row[j] -= p->shift[j];
    return row;
}

static inline double smr_dual_score(const struct smr_dual *d, int64_t i, int lane)
{
    const smr_dual_problem *p = d->p;
    double bias = d->bias != 0 ? d->bias * d->w[p->n_cols] : 0;
    if (!p->sparse) return smr_dot_f64(p->n_cols, smr_dual_dense(d, i, lane), d->w) + bias;
    int64_t r = smr_dual_row(p, i), lo = p->sparse->start[r];
    return smr_sparse_dot(p->sparse->start[r + 1] - lo, p->sparse->column + lo,
                          p->sparse->value + lo, d->w) +
           bias;
}

/* w += by x_i; for dense rows of another type, the one whose score was taken last. */
static inline void smr_dual_move(struct smr_dual *d, int64_t i, double by)
{
    const smr_dual_problem *p = d->p;
    d->out->updates++;
    if (d->bias != 0) d->w[p->n_cols] += by * d->bias;
    if (!p->sparse) {
        const double *row = d->wide ? d->wide : smr_dual_dense(d, i, 0);
        smr_axpy_f64(p->n_cols, by, row, d->w);
        return;
    }
    int64_t r = smr_dual_row(p, i), lo = p->sparse->start[r];
    smr_sparse_add(p->sparse->start[r + 1] - lo, p->sparse->column + lo, p->sparse->value + lo, by,
                   d->w);
}

/* Prefetches the row, up to 2 KB of it. */
static inline void smr_dual_prefetch(const struct smr_dual *d, int64_t i)
{
    const smr_csr *s = d->p->sparse;
    if (!s) return;
    int64_t r = smr_dual_row(d->p, i), lo = s->start[r], n = SMR_MIN(s->start[r + 1] - lo, 160);
    for (int64_t e = 0; e < n; e += 16) __builtin_prefetch(s->column + lo + e);
    for (int64_t e = 0; e < n; e += 8) __builtin_prefetch(s->value + lo + e);
}

/* Rows go in groups: neighbours in memory are visited one after another, so that the machine
 * fetches the next while one is worked on; larger groups cost passes. */
enum { SMR_DUAL_GROUP = 8, SMR_DUAL_GROUPS_FROM = 4096 };
/* Puts the rows in play into the random order of this pass. */
void smr_dual_shuffle(const smr_ctx *ctx, struct smr_dual *d, int64_t pass);

/* Objective, gap, margin and all scores at w and alpha, by all threads.  excess: e_i of (1) where
 * the score is m_i y_i.
 *
 * A row whose margin was m > 1 when w had come along a path of length s stays beyond its margin
 * until that length is s + (m - 1) / |x_i| = reach_i.  While its variable is 0, it adds nothing to
 * objective and gap: where there is `reach` and not is_full, such rows are skipped, and neither
 * their scores nor the margin are those of w. */
smr_status smr_dual_certify(smr_ctx *ctx, struct smr_dual *d, bool is_full,
                            double (*excess)(const struct smr_dual *d, int64_t i, double loss));

/* A free intercept: moves the centre to where the intercept is, and all scores with it; and by how
 * much the scores would move.  The passes need not be more accurate than that. */
void smr_dual_recentre(struct smr_dual *d);
static inline double smr_dual_recentring(const struct smr_dual *d)
{
    double by = d->p->is_free ? d->bias * (d->w[d->p->n_cols] - d->centre) : 0;
    return by < 0 ? -by : by;
}

static inline bool smr_dual_is_done(const struct smr_dual *d, double violation)
{
    bool is_right = d->opts.violation == 0 || violation <= d->opts.violation;
    return d->out->gap < INFINITY && d->out->gap <= d->opts.tol * d->out->objective && is_right;
}

/* By how much the violation is to shrink before the next certificate, given the gap. */
static inline double smr_dual_next(const struct smr_dual *d, double gap)
{
    double wanted = d->opts.tol * d->out->objective / gap;
    return wanted < 0.1 ? 0.1 : wanted < 0.5 ? wanted : 0.5;
}

/* Moves all free variables in play at once, where there are at most this many; scores must be those
 * of w.  For the hinge losses. */
enum { SMR_DUAL_FREE = 128 };
smr_status smr_dual_free(smr_ctx *ctx, struct smr_dual *d);

/* Hinge with bounds and without a free intercept: the best multiple s >= 1 of w, and by how much it
 * lowers the objective, in units of l2. */
smr_status smr_dual_stretch(smr_ctx *ctx, const struct smr_dual *d, double *s, double *saved);

smr_status smr_dual_hinge(smr_ctx *ctx, struct smr_dual *d);
smr_status smr_dual_logistic(smr_ctx *ctx, struct smr_dual *d);

#endif
