/* tridiagonal_ql.c -- eigenvalues of small tridiagonal matrices by QL steps: see tridiagonal.h.
 *
 * With vectors: implicit steps with Wilkinson's shift, which chase a bulge from the lower end of an
 * unreduced part to its upper one, where the off-diagonal vanishes cubically.  A step's rotations
 * are collected and turn the columns of Z in one sweep.  The last two values of a part need no
 * step: one rotation clears what is between them.
 *
 * Values alone: the same steps without roots, on the squares of e (Pal, Walker and Kahan).
 *
 * An off-diagonal counts as zero where e_i^2 <= eps^2 |d_i d_i+1|, or where e_i is negligible
 * beside all of T, whose largest entry is between 2^-100 and 2^100.
 *
 * Reference: B. Parlett, The Symmetric Eigenvalue Problem (1980), chapter 8. */
#include "math/tridiagonal.h"

#include "kernel/kernel.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

enum { MAX_STEPS = 60, POLL = 64 }; /* steps for a value; values between two looks at the clock */
/* Squares: of an off-diagonal that is negligible beside all of T; of what has lost digits. */
static const double NOTHING = 0x1p-500, INEXACT = 0x1p-900;
static const double SMALL = DBL_EPSILON * DBL_EPSILON / 4;

static smr_status no_convergence(smr_ctx *ctx, int64_t at, int64_t n)
{
    return smr_fail(ctx, SMR_ERR_NUMERIC, "eigenvalue %lld of %lld was not found in %d QL steps",
                    (long long)at, (long long)n, (int)MAX_STEPS);
}

static inline bool counts(const double *d, double square)
{
    return square > SMALL * fabs(d[0]) * fabs(d[1]) + NOTHING;
}

/* c, s with (c s; -s c)(g; f) = (r; 0); returns r. */
static inline double rotation(double g, double f, double *c, double *s)
{
    double sq = g * g + f * f;
    if (sq < INEXACT) {
        if (g == 0 && f == 0) {
            *c = 1, *s = 0;
            return 0;
        }
        double scale = 0x1p600;
        g *= scale, f *= scale;
        double r = sqrt(g * g + f * f);
        *c = g / r, *s = f / r;
        return r / scale;
    }
    double r = sqrt(sq), inverse = r * (1 / sq); /* root and division side by side */
    *c = g * inverse, *s = f * inverse;
    return r;
}

/* One step on l .. m; cosines and sines of the sweep from m down. */
static void step(int64_t l, int64_t m, double *d, double *e, double *cosine, double *sine)
{
    double p = d[l], g = (d[l + 1] - p) / (2 * e[l]), r = sqrt(g * g + 1), s = 1, c = 1;
    g = d[m] - p + e[l] / (g + copysign(r, g));
    p = 0;
    for (int64_t i = m - 1; i >= l; i--) {
        double f = s * e[i], b = c * e[i];
        r = rotation(g, f, &c, &s);
        if (i + 1 < m) e[i + 1] = r;
        g = d[i + 1] - p;
        r = (d[i] - g) * s + 2 * c * b;
        p = s * r;
        d[i + 1] = g + p;
        g = c * r - b;
        cosine[m - 1 - i] = c;
        sine[m - 1 - i] = s;
    }
    d[l] -= p;
    e[l] = g;
}

/* Two values left: the rotation that clears e at once. */
static void finish_pair(double *d, double *e, int64_t m_rows, double *Z, int64_t ldz)
{
    double ratio = (d[1] - d[0]) / (2 * *e);
    double t = copysign(1 / (fabs(ratio) + sqrt(1 + ratio * ratio)), ratio);
    double c = 1 / sqrt(1 + t * t), s = -t * c;
    d[0] -= t * *e;
    d[1] += t * *e;
    *e = 0;
    smr_rotate_f64(m_rows, 1, &c, &s, Z, ldz);
}

smr_status smr_tridiagonal_ql(smr_ctx *ctx, int64_t n, double *d, double *e, int64_t m_rows,
                              double *Z, int64_t ldz, double *work)
{
    for (int64_t l = 0; l < n; l++) {
        for (int t = 0;; t++) {
            int64_t m = l;
            while (m + 1 < n && counts(d + m, e[m] * e[m])) m++;
            if (m + 1 < n) e[m] = 0;
            if (m == l) break;
            if (m == l + 1) {
                finish_pair(d + l, e + l, m_rows, Z + l * ldz, ldz);
                break;
            }
            if (t == MAX_STEPS) return no_convergence(ctx, l, n);
            step(l, m, d, e, work, work + n);
            smr_rotate_f64(m_rows, m - l, work, work + n, Z + m * ldz, -ldz);
        }
    }
    return SMR_OK;
}

/* ---- values alone ----------------------------------------------------------------------- */

/* One step on l .. m with the squares q of the off-diagonals. */
static void step_of_squares(int64_t l, int64_t m, double *d, double *q)
{
    double root = sqrt(q[l]), shift = (d[l + 1] - d[l]) / (2 * root), r = sqrt(shift * shift + 1);
    shift = d[l] - root / (shift + copysign(r, shift));
    double c = 1, s = 0, gamma = d[m] - shift, p = gamma * gamma;
    for (int64_t i = m - 1; i >= l; i--) {
        double b = q[i], sum = p + b, before = c, old = gamma;
        if (i + 1 < m) q[i + 1] = s * sum;
        c = p / sum;
        s = b / sum;
        gamma = c * (d[i] - shift) - s * old;
        d[i + 1] = old + (d[i] - gamma);
        /* A smaller c may have lost digits with p; it is negligible, and this is the limit. */
        p = c < 0x1p-400 ? before * b : gamma * gamma / c;
    }
    q[l] = s * p;
    d[l] = shift + gamma;
}

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

smr_status smr_tridiagonal_values(smr_ctx *ctx, int64_t n, double *d, double *e)
{
    for (int64_t i = 0; i + 1 < n; i++) e[i] *= e[i];
    for (int64_t l = 0; l < n; l++) {
        if (l % POLL == 0 && n > POLL) {
            smr_status st = smr_tick(ctx, NULL, l, n, 0);
            if (st != SMR_OK) return st;
        }
        for (int t = 0;; t++) {
            int64_t m = l;
            while (m + 1 < n && counts(d + m, e[m])) m++;
            if (m + 1 < n) e[m] = 0;
            if (m == l) break;
            if (t == MAX_STEPS) return no_convergence(ctx, l, n);
            step_of_squares(l, m, d, e);
        }
    }
    for (int64_t k = 0; k < n; k++) d[k] += 0; /* -0 becomes 0: equal values have equal bits */
    /* lint: allow qsort, so that their order does not matter */
    qsort(d, (size_t)n, sizeof *d, ascending);
    return SMR_OK;
}
