/* secular.h -- the roots of a rank-one change: what divide and conquer joins its halves with.
 *
 * Poles delta_0 < ... < delta_n-1, weights z, rho > 0.  The eigenvalues of diag(delta) + rho z z'
 * are the roots mu_0 < ... < mu_n-1 of
 *
 *     f(mu) = 1 + rho sum_i z_i^2 / (delta_i - mu) = 0,    delta_j < mu_j < delta_j+1           (1)
 *
 * and mu_n-1 < delta_n-1 + rho |z|^2.  One code serves eigenvalues (delta_i = d_i) and singular
 * values of M with M'M = D^2 + z z' (delta_i = d_i^2, d_i >= 0, rho = 1): there differences of
 * poles are (d_i - d_k)(d_i + d_k).  A root is kept as mu_j = delta_origin + tau, origin being the
 * nearer pole, so that every delta_i - mu_j has a few roundings only.
 *
 * With the weights that have exactly the computed roots (Gu and Eisenstat),
 *
 *     rho zh_i^2 = prod_{j<i} (delta_i - mu_j) / (delta_i - delta_j)
 *                  prod_{i<=j<n-1} (mu_j - delta_i) / (delta_j+1 - delta_i)  (mu_n-1 - delta_i) (2)
 *
 * the vectors v_i = zh_i / (delta_i - mu_j) are orthogonal to rounding however close the roots are.
 *
 * The caller has deflated: both the distances of the poles and rho |z_i| exceed rounding of the
 * largest, and both, times themselves and times each other, are far from under- and overflow.
 * Cost: a few n divisions per root.
 *
 * References: R.-C. Li, LAPACK Working Note 89 (1993); M. Gu, S. Eisenstat, SIAM J. Matrix Anal.
 * Appl. 15 (1994) 1266 and 16 (1995) 79. */
#ifndef SMR_MATH_SECULAR_H
#define SMR_MATH_SECULAR_H

#include "core/ctx.h"

typedef struct smr_secular {
    int64_t n;
    const double *d, *z; /* n each, d ascending */
    double rho;
    bool squared; /* delta_i = d_i^2, else d_i */
} smr_secular;

/* mu_j = delta_origin[j] + tau[j], and zh with the signs of z; each n.  Runs on the context's
 * threads where n is large. */
typedef struct smr_secular_roots {
    int64_t *origin;
    double *tau, *zh;
} smr_secular_roots;

smr_status smr_secular_solve(smr_ctx *ctx, const smr_secular *s, const smr_secular_roots *to);

/* delta_i - delta_k. */
static inline double smr_secular_between(const smr_secular *s, int64_t i, int64_t k)
{
    double apart = s->d[i] - s->d[k];
    return s->squared ? apart * (s->d[i] + s->d[k]) : apart;
}

/* delta_i - mu. */
static inline double smr_secular_gap(const smr_secular *s, int64_t i, int64_t origin, double tau)
{
    return smr_secular_between(s, i, origin) - tau;
}

/* v[i] = zh_i / (delta_i - mu_j): the eigenvector of mu_j, not normalised. */
void smr_secular_vector(const smr_secular *s, const smr_secular_roots *roots, int64_t j, double *v);

#endif
