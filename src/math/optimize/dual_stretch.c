/* dual_stretch.c -- dual coordinate descent: a multiple of w that is better; see dual_parts.h.
 *
 * Near the end many margins miss 1 by a little, and the hinge charges C for each miss: a slightly
 * longer w meets nearly all of them, for little.  In units of l2 and along s w, s >= 1,
 *
 *     f(s)  = s^2 |w|^2 / 2 + sum_i C_i max(0, 1 - s m_i),
 *     f'(s) = s |w|^2 - sum over s m_i < 1 of C_i m_i,
 *
 * which rises with s and jumps where a margin is met.  Rows beyond their margin stay beyond it, so
 * their margins need not be known. */
#include "core/sort.h"
#include "math/optimize/dual_parts.h"

#include <math.h>

struct miss {
    double margin, C;
};

/* The zero of f'; the misses by descending margin. */
static double find_zero(int64_t n, const struct miss *miss, const int64_t *order, double square)
{
    double pull = 0, s = 1;
    for (int64_t k = 0; k < n; k++) pull += miss[k].C * miss[k].margin;
    for (int64_t k = 0; k < n && s * square < pull; k++) {
        const struct miss *next = &miss[order[k]];
        if (!(next->margin > 0) || pull / square <= 1 / next->margin) return pull / square;
        s = 1 / next->margin;
        pull -= next->C * next->margin;
    }
    return s;
}

static double saved_by(int64_t n, const struct miss *miss, double square, double s)
{
    double saved = 0;
    for (int64_t k = 0; k < n; k++)
        saved += miss[k].C * (1 - miss[k].margin - smr_fmax(0, 1 - s * miss[k].margin));
    return saved - 0.5 * (s - 1) * (s + 1) * square;
}

smr_status smr_dual_stretch(smr_ctx *ctx, const struct smr_dual *d, double *s, double *saved)
{
    smr_status st = SMR_OK;
    int64_t n = 0, m = d->p->n_cols + (d->bias != 0), *order = NULL;
    double square = smr_dot_f64(m, d->w, d->w), *key = NULL;
    struct miss *miss = NULL;
    *s = 1;
    *saved = 0;
    TRY_NEW(miss, d->n_live);
    for (int64_t k = 0; k < d->n_live; k++) {
        int64_t i = d->order[k];
        double margin = d->p->y[i] * d->score[i];
        if (margin < 1) miss[n++] = (struct miss){margin, d->C[i]};
    }
    TRY_NEW(order, n);
    TRY_NEW(key, n);
    for (int64_t k = 0; k < n; k++) key[k] = -miss[k].margin;
    TRY(smr_argsort_f64(ctx, n, key, order));
    *s = square > 0 ? find_zero(n, miss, order, square) : 1;
    *saved = saved_by(n, miss, square, *s);
    if (!(*saved > 0)) *s = 1, *saved = 0;
out:
    smr_free(key);
    smr_free(order);
    smr_free(miss);
    return st;
}
