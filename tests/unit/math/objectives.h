/* objectives.h -- functions with known minima, for the tests of optimisers. */
#ifndef SMR_TESTS_OBJECTIVES_H
#define SMR_TESTS_OBJECTIVES_H

#include "check.h"

#include "core/rng.h"
#include "math/loss.h"
#include "math/optimize.h"
#include "truth/optimum.h"

/* sum_j h_j (w_j - m_j)^2 / 2 - c in coordinates turned by a reflection: H = Q diag(h) Q,
 * Q = I - 2 u u' / u'u, u_j = 1 + j / n.  The minimum is Q m, its value -c. */
struct quadratic {
    int64_t n;
    double h[64], m[64], u[64], c;
    int64_t evaluations;
};

static inline void reflect(const struct quadratic *q, const double *w, double *out)
{
    double uu = 0, uw = 0;
    for (int64_t j = 0; j < q->n; j++) uu += q->u[j] * q->u[j], uw += q->u[j] * w[j];
    for (int64_t j = 0; j < q->n; j++) out[j] = w[j] - 2 * uw / uu * q->u[j];
}

static inline smr_status quadratic_evaluate(smr_ctx *ctx, void *self, const double *w, double *f,
                                            double *g)
{
    struct quadratic *q = self;
    double v[64];
    (void)ctx;
    q->evaluations++;
    reflect(q, w, v);
    *f = -q->c;
    for (int64_t j = 0; j < q->n; j++) {
        double r = v[j] - q->m[j];
        *f += 0.5 * q->h[j] * r * r;
        v[j] = q->h[j] * r;
    }
    reflect(q, v, g);
    return SMR_OK;
}

static inline smr_status quadratic_times(smr_ctx *ctx, void *self, const double *w, const double *v,
                                         double *out)
{
    struct quadratic *q = self;
    double t[64];
    (void)ctx, (void)w;
    reflect(q, v, t);
    for (int64_t j = 0; j < q->n; j++) t[j] *= q->h[j];
    reflect(q, t, out);
    return SMR_OK;
}

static inline smr_status quadratic_hessian(smr_ctx *ctx, void *self, const double *w, double *H)
{
    struct quadratic *q = self;
    double e[64] = {0}, column[64];
    for (int64_t j = 0; j < q->n; j++) {
        e[j] = 1;
        quadratic_times(ctx, q, w, e, column);
        e[j] = 0;
        for (int64_t i = 0; i < q->n; i++) H[i * q->n + j] = column[i];
    }
    return SMR_OK;
}

static inline smr_status quadratic_diagonal(smr_ctx *ctx, void *self, const double *w, double *h)
{
    struct quadratic *q = self;
    double H[64 * 64];
    quadratic_hessian(ctx, q, w, H);
    for (int64_t j = 0; j < q->n; j++) h[j] = H[j * q->n + j];
    return SMR_OK;
}

/* Eigenvalues spread evenly on a log scale from 1 to `condition`. */
static inline smr_objective quadratic_of(struct quadratic *q, int64_t n, double condition)
{
    *q = (struct quadratic){.n = n, .c = 2.385};
    for (int64_t j = 0; j < n; j++) {
        q->h[j] = n == 1 ? condition : pow(condition, (double)j / (double)(n - 1));
        q->m[j] = 1.37 - 0.21 * (double)j;
        q->u[j] = 1 + (double)j / (double)n;
    }
    return (smr_objective){.n = n,
                           .self = q,
                           .evaluate = quadratic_evaluate,
                           .hessian_times = quadratic_times,
                           .hessian_diagonal = quadratic_diagonal,
                           .hessian = quadratic_hessian};
}

/* |w - minimum|_inf */
static inline double quadratic_error(const struct quadratic *q, const double *w)
{
    double best[64], worst = 0;
    reflect(q, q->m, best);
    for (int64_t j = 0; j < q->n; j++) worst = fmax(worst, fabs(w[j] - best[j]));
    return worst;
}

/* 100 (y - x^2)^2 + (1 - x)^2, minimum 0 at (1, 1). */
static inline smr_status rosenbrock_evaluate(smr_ctx *ctx, void *self, const double *w, double *f,
                                             double *g)
{
    double x = w[0], t = w[1] - x * x;
    (void)ctx, (void)self;
    *f = 100 * t * t + (1 - x) * (1 - x);
    g[0] = -400 * t * x - 2 * (1 - x);
    g[1] = 200 * t;
    return SMR_OK;
}

static inline smr_status rosenbrock_hessian(smr_ctx *ctx, void *self, const double *w, double *H)
{
    (void)ctx, (void)self;
    H[0] = 1200 * w[0] * w[0] - 400 * w[1] + 2;
    H[1] = H[2] = -400 * w[0];
    H[3] = 200;
    return SMR_OK;
}

/* Beale's function, minimum 0 at (3, 1/2). */
static inline smr_status beale_evaluate(smr_ctx *ctx, void *self, const double *w, double *f,
                                        double *g)
{
    const double c[3] = {1.5, 2.25, 2.625};
    double x = w[0], y = w[1], power = 1;
    (void)ctx, (void)self;
    *f = g[0] = g[1] = 0;
    for (int k = 0; k < 3; k++) {
        double slope = (k + 1) * power; /* of y^(k+1) */
        power *= y;
        double t = c[k] - x * (1 - power);
        *f += t * t;
        g[0] -= 2 * t * (1 - power);
        g[1] += 2 * t * x * slope;
    }
    return SMR_OK;
}

static inline smr_status two_by_two_times(smr_ctx *ctx, void *self, const double *w,
                                          const double *v, double *out)
{
    smr_status (*hessian)(smr_ctx *, void *, const double *, double *) = rosenbrock_hessian;
    double H[4];
    smr_status st = hessian(ctx, self, w, H);
    out[0] = H[0] * v[0] + H[1] * v[1];
    out[1] = H[2] * v[0] + H[3] * v[1];
    return st;
}

static inline smr_objective rosenbrock(void)
{
    return (smr_objective){.n = 2,
                           .evaluate = rosenbrock_evaluate,
                           .hessian_times = two_by_two_times,
                           .hessian = rosenbrock_hessian};
}

/* Logistic regression on the recorded rows; self points to l2. */
static inline smr_status logistic_evaluate(smr_ctx *ctx, void *self, const double *w, double *f,
                                           double *g)
{
    double l2 = *(double *)self;
    (void)ctx;
    *f = 0;
    for (int j = 0; j < LOGISTIC_D; j++) {
        g[j] = l2 * w[j];
        *f += 0.5 * l2 * w[j] * w[j];
    }
    for (int i = 0; i < LOGISTIC_N; i++) {
        const double *x = logistic_X + i * LOGISTIC_D;
        double z = 0;
        for (int j = 0; j < LOGISTIC_D; j++) z += x[j] * w[j];
        smr_loss_point p = smr_loss_at(&smr_losses[SMR_LOSS_LOGISTIC], 0, logistic_y[i], z);
        *f += p.value;
        for (int j = 0; j < LOGISTIC_D; j++) g[j] += p.slope * x[j];
    }
    return SMR_OK;
}

static inline smr_status logistic_hessian(smr_ctx *ctx, void *self, const double *w, double *H)
{
    (void)ctx;
    for (int j = 0; j < LOGISTIC_D * LOGISTIC_D; j++)
        H[j] = j % (LOGISTIC_D + 1) == 0 ? *(double *)self : 0;
    for (int i = 0; i < LOGISTIC_N; i++) {
        const double *x = logistic_X + i * LOGISTIC_D;
        double z = 0;
        for (int j = 0; j < LOGISTIC_D; j++) z += x[j] * w[j];
        double c = smr_loss_at(&smr_losses[SMR_LOSS_LOGISTIC], 0, logistic_y[i], z).curvature;
        for (int j = 0; j < LOGISTIC_D; j++)
            for (int k = 0; k < LOGISTIC_D; k++) H[j * LOGISTIC_D + k] += c * x[j] * x[k];
    }
    return SMR_OK;
}

static inline smr_status logistic_times(smr_ctx *ctx, void *self, const double *w, const double *v,
                                        double *out)
{
    double H[LOGISTIC_D * LOGISTIC_D];
    smr_status st = logistic_hessian(ctx, self, w, H);
    for (int j = 0; j < LOGISTIC_D; j++) {
        out[j] = 0;
        for (int k = 0; k < LOGISTIC_D; k++) out[j] += H[j * LOGISTIC_D + k] * v[k];
    }
    return st;
}

static inline smr_objective logistic_of(double *l2)
{
    return (smr_objective){.n = LOGISTIC_D,
                           .self = l2,
                           .evaluate = logistic_evaluate,
                           .hessian_times = logistic_times,
                           .hessian = logistic_hessian};
}

/* A standard normal number, close enough: sums of twelve uniform ones. */
static inline double normal(uint64_t a, uint64_t b)
{
    double sum = -6;
    for (uint64_t k = 0; k < 12; k++) sum += smr_random_unit(12, SMR_STREAM_TEST, a, 12 * b + k);
    return sum;
}

#endif
