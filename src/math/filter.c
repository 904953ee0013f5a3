/* filter.c -- Chebyshev polynomials of an operator: lanczos.h.
 *
 * With e, c the half width and middle of [low, high] and T the Chebyshev polynomials,
 * p(A) = T_degree((A - c) / e) / T_degree((at - c) / e), by its recurrence in a form whose numbers
 * stay near 1 (Zhou, Saad, Tiago & Chelikowsky, 2006):
 *
 *     s_1 = e / (at - c),  Y_1 = (A - c) X s_1 / e
 *     s_j = 1 / (2 / s_1 - s_j-1),  Y_j = 2 (A - c) Y_j-1 s_j / e - s_j-1 s_j Y_j-2             (1)
 */
#include "core/parallel.h"
#include "math/lanczos.h"

#include <string.h>

enum { ROWS = 8192, ALONE = 1 << 16 };

/* k vectors in a buffer, `ld` apart. */
struct vectors {
    double *at;
    int64_t ld;
};

/* to = a to + b x + c z, entry by entry; z.at NULL: none. */
struct mixing {
    int64_t n, k;
    struct vectors to, x, z;
    double a, b, c;
};

static smr_status mix_rows(smr_ctx *ctx, void *arg, int64_t task, int lane)
{
    (void)ctx, (void)lane;
    const struct mixing *m = arg;
    int64_t lo = task * ROWS, hi = smr_block_end(m->n, ROWS, task);
    for (int64_t j = 0; j < m->k; j++) {
        double *to = m->to.at + j * m->to.ld;
        const double *x = m->x.at + j * m->x.ld, *z = m->z.at ? m->z.at + j * m->z.ld : NULL;
        for (int64_t i = lo; i < hi && !z; i++) to[i] = m->a * to[i] + m->b * x[i];
        for (int64_t i = lo; i < hi && z; i++) to[i] = m->a * to[i] + m->b * x[i] + m->c * z[i];
    }
    return SMR_OK;
}

static smr_status mix(smr_ctx *ctx, struct mixing *m)
{
    int64_t tasks = smr_block_count(m->n, ROWS);
    if (m->n * m->k > ALONE) return smr_parallel(ctx, NULL, tasks, mix_rows, m);
    for (int64_t t = 0; t < tasks; t++) (void)mix_rows(ctx, m, t, 0);
    return SMR_OK;
}

/* (1): Y_j lies in buffer j mod 3, chosen so that the last one is the caller's. */
static smr_status times(smr_ctx *ctx, void *arg, int64_t k, const double *X, int64_t ldx, double *Y,
                        int64_t ldy)
{
    const smr_filter *f = arg;
    smr_status st = SMR_OK;
    int64_t n = f->A->n, used = 0;
    double e = (f->high - f->low) / 2, c = (f->high + f->low) / 2, first = e / (f->at - c);
    double s = first;
    struct vectors in[3];
    for (int64_t j = 0; j < 3; j++)
        in[j] = f->degree % 3 == j ? (struct vectors){Y, ldy}
                                   : (struct vectors){f->room + n * f->most * used++, n};
    for (int64_t j = 0; j < k; j++)
        memcpy(in[0].at + j * in[0].ld, X + j * ldx, (size_t)n * sizeof *Y);
    for (int64_t d = 1; d <= f->degree; d++) {
        struct vectors now = in[(d - 1) % 3], to = in[d % 3], old = in[(d + 1) % 3];
        double next = d == 1 ? first : 1 / (2 / first - s), by = d == 1 ? s / e : 2 * next / e;
        if (d == 1) old.at = NULL;
        TRY(f->A->times(ctx, f->A->arg, k, now.at, now.ld, to.at, to.ld));
        struct mixing m = {n, k, to, now, old, by, -c * by, -s * next};
        TRY(mix(ctx, &m));
        s = next;
    }
out:
    return st;
}

smr_status smr_filter_create(smr_ctx *ctx, const smr_operator *A, double low, double high,
                             double at, int64_t degree, int64_t most, smr_filter *out)
{
    *out = (smr_filter){A, low, high, at, SMR_MAX(1, degree), NULL, SMR_MAX(1, most)};
    out->room = smr_alloc(ctx, 2 * A->n * out->most, sizeof *out->room);
    return out->room ? SMR_OK : SMR_ERR_NOMEM;
}

void smr_filter_release(smr_filter *f)
{
    smr_free(f->room);
    *f = (smr_filter){0};
}

smr_operator smr_filter_operator(smr_filter *f)
{
    return (smr_operator){f->A->n, times, f};
}
