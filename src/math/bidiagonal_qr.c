/* bidiagonal_qr.c -- singular values of a bidiagonal matrix by implicit QR steps.
 *
 * B is turned from both sides until nothing is left above its diagonal (Golub & Kahan 1965).  A
 * sweep over an unreduced block chases the step of the QR iteration of B'B - mu down B, where mu
 * is the eigenvalue of the last 2 x 2 block of B'B that is nearer to its last entry; where mu is
 * negligible, or a diagonal entry is 0, it is the sweep of Demmel & Kahan (1990) with mu = 0, which
 * loses no small value to rounding and puts a 0 at the end of the diagonal at once.
 *
 * Entries e_k up to eps (|d_k| + |d_k+1|) or up to `floor` are 0.  About 2 sweeps per value, n^2
 * rotations of two kinds in all; 30 n sweeps are the limit, which nothing finite reaches. */
#include "math/bidiagonal.h"

#include "kernel/kernel.h"

#include <float.h>
#include <math.h>

enum { SWEEPS = 30 }; /* for each value */

struct rotation {
    double c, s;
};

/* The rotations of a sweep, of columns and of rows; c is NULL where they are not wanted. */
struct sweep {
    double *c, *s;
};

static void note(struct sweep to, int64_t at, struct rotation t)
{
    if (!to.c) return;
    to.c[at] = t.c;
    to.s[at] = t.s;
}

/* (c, s) with c f + s g = *r and c g - s f = 0. */
static struct rotation rotation_of(double f, double g, double *r)
{
    if (g == 0) {
        *r = f;
        return (struct rotation){1, 0};
    }
    double square = f * f + g * g, up = 0x1p500, unit = 1;
    if (square < 1e-260) {
        f *= up;
        g *= up;
        square = f * f + g * g;
        unit = 1 / up;
    }
    double length = sqrt(square);
    *r = length * unit;
    return (struct rotation){f / length, g / length};
}

/* mu for the block lo .. hi, or 0 where the sweep is to do without a shift. */
static double shift_of(const double *d, const double *e, int64_t lo, int64_t hi)
{
    double above = hi - 1 > lo ? e[hi - 2] : 0;
    double a = d[hi - 1] * d[hi - 1] + above * above, b = d[hi - 1] * e[hi - 1];
    double c = d[hi] * d[hi] + e[hi - 1] * e[hi - 1], half = (a - c) / 2;
    double root = sqrt(half * half + b * b), below = half + copysign(root, half);
    for (int64_t k = lo; k <= hi; k++)
        if (d[k] == 0) return 0;
    double mu = below == 0 ? c : c - b * b / below;
    return mu > DBL_EPSILON * d[lo] * d[lo] ? mu : 0;
}

static void sweep_shifted(double *d, double *e, int64_t lo, int64_t hi, double mu,
                          struct sweep left, struct sweep right)
{
    double f = d[lo] - mu / d[lo], g = e[lo], r = 0;
    for (int64_t k = lo; k < hi; k++) {
        struct rotation t = rotation_of(f, g, &r);
        note(right, k - lo, t);
        if (k > lo) e[k - 1] = r;
        f = t.c * d[k] + t.s * e[k];
        e[k] = t.c * e[k] - t.s * d[k];
        g = t.s * d[k + 1];
        d[k + 1] *= t.c;
        t = rotation_of(f, g, &d[k]);
        note(left, k - lo, t);
        f = t.c * e[k] + t.s * d[k + 1];
        d[k + 1] = t.c * d[k + 1] - t.s * e[k];
        if (k + 1 < hi) {
            g = t.s * e[k + 1];
            e[k + 1] *= t.c;
        }
    }
    e[hi - 1] = f;
}

static void sweep_plain(double *d, double *e, int64_t lo, int64_t hi, struct sweep left,
                        struct sweep right)
{
    struct rotation t = {1, 0}, last = {1, 0};
    double r = 0;
    for (int64_t k = lo; k < hi; k++) {
        t = rotation_of(d[k] * t.c, e[k], &r);
        note(right, k - lo, t);
        if (k > lo) e[k - 1] = last.s * r;
        last = rotation_of(last.c * r, d[k + 1] * t.s, &d[k]);
        note(left, k - lo, last);
    }
    double h = d[hi] * t.c;
    d[hi] = h * last.c;
    e[hi - 1] = h * last.s;
}

/* Cuts off what has converged: the last unreduced block lo .. *hi, or *hi = 0 when there is none.
 * */
static int64_t last_block(const smr_bidiagonal_svd *b, int64_t *hi)
{
    double *d = b->d, *e = b->e;
    int64_t end = *hi;
    for (int64_t k = end; k > 0; k--) {
        double most = smr_fmax(b->floor, DBL_EPSILON * (fabs(d[k - 1]) + fabs(d[k])));
        if (fabs(e[k - 1]) > most) continue;
        e[k - 1] = 0;
        if (k < end) {
            *hi = end;
            return k;
        }
        end--;
    }
    *hi = end;
    return 0;
}

/* Turns the last column of a wide B away: what is in it moves up, row by row, until it is gone. */
static void drop_column(const smr_bidiagonal_svd *b)
{
    double x = b->e[b->n - 1], *last = b->V + b->n * b->ldv;
    for (int64_t k = b->n - 1; k >= 0 && x != 0; k--) {
        struct rotation t = rotation_of(b->d[k], x, &b->d[k]);
        double *v = b->V + k * b->ldv;
        smr_rotate_f64(b->n_right, 1, &t.c, &t.s, v, last - v);
        if (k == 0) break;
        x = -t.s * b->e[k - 1];
        b->e[k - 1] *= t.c;
    }
}

smr_status smr_bidiagonal_iterate(smr_ctx *ctx, const smr_bidiagonal_svd *b, double *work)
{
    double *d = b->d, *e = b->e;
    struct sweep left = {0}, right = {0};
    if (b->V) {
        left = (struct sweep){work, work + b->n};
        right = (struct sweep){work + 2 * b->n, work + 3 * b->n};
    }
    if (b->wide) drop_column(b);
    int64_t hi = b->n - 1, limit = SWEEPS * b->n;
    for (int64_t done = 0; hi > 0; done++) {
        int64_t lo = last_block(b, &hi);
        if (hi <= 0) break;
        if (done == limit)
            return smr_fail(ctx, SMR_ERR_NUMERIC,
                            "the singular values did not converge in %lld sweeps",
                            (long long)limit);
        if (done % 64 == 63 && smr_tick(ctx, NULL, 0, 1, 0)) return SMR_ERR_CANCELLED;
        for (int64_t k = lo; k <= hi; k++)
            if (fabs(d[k]) <= b->floor) d[k] = 0;
        double mu = shift_of(d, e, lo, hi);
        if (mu > 0)
            sweep_shifted(d, e, lo, hi, mu, left, right);
        else
            sweep_plain(d, e, lo, hi, left, right);
        if (!b->V) continue;
        smr_rotate_f64(b->n_left, hi - lo, left.c, left.s, b->U + lo * b->ldu, b->ldu);
        smr_rotate_f64(b->n_right, hi - lo, right.c, right.s, b->V + lo * b->ldv, b->ldv);
    }
    for (int64_t k = 0; k < b->n; k++) {
        if (!(d[k] < 0)) {
            d[k] = fabs(d[k]);
            continue;
        }
        d[k] = -d[k];
        for (int64_t i = 0; b->V && i < b->n_right; i++) b->V[i + k * b->ldv] *= -1;
    }
    return SMR_OK;
}
