/* pairs.c -- see pairs.h. */
#include "math/optimize/pairs.h"

#include <math.h>
#include <string.h>

smr_status smr_pairs_init(smr_ctx *ctx, struct smr_pairs *p, int64_t n, int64_t memory)
{
    smr_status st = SMR_OK;
    *p = (struct smr_pairs){.n = n, .memory = memory > 0 ? memory : 10};
    TRY_NEW(p->s, p->memory * n);
    TRY_NEW(p->y, p->memory * n);
    TRY_NEW(p->rho, 2 * p->memory);
    p->alpha = p->rho + p->memory;
out:
    return st;
}

void smr_pairs_release(struct smr_pairs *p)
{
    smr_free(p->s);
    smr_free(p->y);
    smr_free(p->rho);
    *p = (struct smr_pairs){0};
}

void smr_pairs_forget(struct smr_pairs *p)
{
    p->count = p->next = 0;
}

void smr_pairs_add(struct smr_pairs *p, const double *w, const double *w_new, const double *g,
                   const double *g_new)
{
    int64_t n = p->n;
    double *s = p->s + p->next * n, *y = p->y + p->next * n;
    for (int64_t i = 0; i < n; i++) {
        s[i] = w_new[i] - w[i];
        y[i] = g_new[i] - g[i];
    }
    double sy = smr_dot_f64(n, s, y);
    if (!(sy > 1e-12 * smr_norm(n, s) * smr_norm(n, y)) || !isfinite(1 / sy)) return;
    p->rho[p->next] = 1 / sy;
    p->next = (p->next + 1) % p->memory;
    p->count = SMR_MIN(p->count + 1, p->memory);
}

void smr_pairs_times(struct smr_pairs *p, const double *g, double *out)
{
    int64_t n = p->n;
    memcpy(out, g, (size_t)n * sizeof *g);
    if (p->count == 0) return;
    for (int64_t k = 1; k <= p->count; k++) { /* newest first */
        int64_t i = (p->next - k + p->memory) % p->memory;
        p->alpha[i] = p->rho[i] * smr_dot_f64(n, p->s + i * n, out);
        smr_axpy_f64(n, -p->alpha[i], p->y + i * n, out);
    }
    int64_t last = (p->next - 1 + p->memory) % p->memory;
    double yy = smr_dot_f64(n, p->y + last * n, p->y + last * n);
    double gamma = 1 / (p->rho[last] * yy);
    if (isfinite(gamma) && gamma > 0)
        for (int64_t i = 0; i < n; i++) out[i] *= gamma;
    for (int64_t k = p->count; k >= 1; k--) {
        int64_t i = (p->next - k + p->memory) % p->memory;
        double beta = p->rho[i] * smr_dot_f64(n, p->y + i * n, out);
        smr_axpy_f64(n, p->alpha[i] - beta, p->s + i * n, out);
    }
}
