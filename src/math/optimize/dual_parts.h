/* dual_parts.h -- rows, order and certificate, shared by dual.c (hinge losses) and dual_logistic.c.
 */
#ifndef SMR_MATH_OPTIMIZE_DUAL_PARTS_H
#define SMR_MATH_OPTIMIZE_DUAL_PARTS_H

#include "math/optimize/columns.h"
#include "math/optimize/dual.h"

/* An entry of a row whose values are all floats: one stream of 8 bytes an entry instead of two of
 * 12, and memory is what the passes wait for. */
struct smr_entry {
    int32_t at;
    float value;
};

/* In units of l2: P / l2 = |w|^2 / 2 + sum_i C_i loss_i, C_i = weight_i / l2. */
struct smr_dual {
    const smr_dual_problem *p;
    smr_dual_opts opts;
    double *w;                /* n_cols (+ 1)                                     */
    struct smr_entry *packed; /* all rows; NULL where a value is no float      */
    double *alpha, *size;     /* n: a_i, |x_i|^2 with the bias                    */
    double *C;                /* n                                                */
    double *rest;             /* n, logistic only: C_i - a_i, exact near both ends */
    double *score;            /* n: w'x_i at the last certificate                 */
    int64_t *order;           /* the rows in play are order[0 .. active)          */
    int64_t active;
    smr_dual_result *out;
};

/* As smr_sparse_dot, and with its bits. */
static inline double smr_packed_dot(int64_t n, const struct smr_entry *row, const double *x)
{
    double a = 0, b = 0, c = 0, d = 0;
    int64_t e = 0;
    for (; e + 4 <= n; e += 4) {
        a += (double)row[e].value * x[row[e].at];
        b += (double)row[e + 1].value * x[row[e + 1].at];
        c += (double)row[e + 2].value * x[row[e + 2].at];
        d += (double)row[e + 3].value * x[row[e + 3].at];
    }
    for (; e < n; e++) a += (double)row[e].value * x[row[e].at];
    return (a + c) + (b + d);
}

static inline double smr_dual_score(const struct smr_dual *d, int64_t i)
{
    const smr_dual_problem *p = d->p;
    double bias = p->bias != 0 ? p->bias * d->w[p->n_cols] : 0;
    if (!p->sparse) return smr_dot_f64(p->n_cols, p->dense + i * p->stride, d->w) + bias;
    int64_t lo = p->sparse->start[i];
    if (d->packed) return smr_packed_dot(p->sparse->start[i + 1] - lo, d->packed + lo, d->w) + bias;
    return smr_sparse_dot(p->sparse->start[i + 1] - lo, p->sparse->column + lo,
                          p->sparse->value + lo, d->w) +
           bias;
}

/* w += by x_i */
static inline void smr_dual_move(struct smr_dual *d, int64_t i, double by)
{
    const smr_dual_problem *p = d->p;
    d->out->updates++;
    if (p->bias != 0) d->w[p->n_cols] += by * p->bias;
    if (!p->sparse) {
        smr_axpy_f64(p->n_cols, by, p->dense + i * p->stride, d->w);
        return;
    }
    int64_t lo = p->sparse->start[i];
    if (d->packed) {
        const struct smr_entry *row = d->packed + lo;
        int64_t n = p->sparse->start[i + 1] - lo;
        for (int64_t e = 0; e < n; e++) d->w[row[e].at] += by * (double)row[e].value;
        return;
    }
    smr_sparse_add(p->sparse->start[i + 1] - lo, p->sparse->column + lo, p->sparse->value + lo, by,
                   d->w);
}

/* Asks for the row's memory, up to 2 KB of it. */
static inline void smr_dual_prefetch(const struct smr_dual *d, int64_t i)
{
    const smr_csr *s = d->p->sparse;
    if (!s) return;
    int64_t lo = s->start[i], n = SMR_MIN(s->start[i + 1] - lo, 160);
    for (int64_t e = 0; d->packed && e < n; e += 8) __builtin_prefetch(d->packed + lo + e);
    if (d->packed) return;
    for (int64_t e = 0; e < n; e += 16) __builtin_prefetch(s->column + lo + e);
    for (int64_t e = 0; e < n; e += 8) __builtin_prefetch(s->value + lo + e);
}

/* Puts the rows in play into the random order of this pass. */
void smr_dual_shuffle(const smr_ctx *ctx, struct smr_dual *d, int64_t pass);

/* P, the gap and all scores at w and alpha, all threads; the dual's own part of row i comes from
 * `dual_part`,
 * such that D / l2 = sum_i dual_part_i - |w|^2 / 2. */
smr_status smr_dual_certify(smr_ctx *ctx, const struct smr_dual *d,
                            double (*dual_part)(const struct smr_dual *d, int64_t i),
                            double *objective, double *gap);

static inline bool smr_dual_is_done(const struct smr_dual *d, double violation)
{
    bool is_right = d->opts.violation == 0 || violation <= d->opts.violation;
    return d->out->gap <= d->opts.tol * d->out->objective && is_right;
}

/* By how much the violation is to shrink before the next certificate. */
static inline double smr_dual_next(const struct smr_dual *d)
{
    double wanted = d->opts.tol * d->out->objective / d->out->gap;
    return wanted < 0.01 ? 0.01 : wanted < 0.5 ? wanted : 0.5;
}

/* The passes of dual_logistic.c. */
smr_status smr_dual_logistic(smr_ctx *ctx, struct smr_dual *d);

#endif
