/* lad_rows.c -- rows and penalties of lad_parts.h as one list. */
#include "learn/linear/lad_parts.h"

#include <math.h>
#include <string.h>

smr_status smr_lad_open(smr_ctx *ctx, const smr_design *design, double l1, smr_lad_lp *out)
{
    smr_status st = SMR_OK;
    *out = (smr_lad_lp){.design = design, .n = design->n, .m = design->n, .p = design->p, .l1 = l1};
    if (l1 > 0) out->m += design->n_kept;
    TRY_NEW(out->y, out->m);
    TRY_NEW(out->low, out->m);
    TRY_NEW(out->high, out->m);
    TRY_NEW(out->beta, out->p);
    TRY_NEW(out->r, out->m);
    TRY_NEW(out->u, out->m);
    TRY_NEW(out->inside, out->m);
out:
    if (st != SMR_OK) smr_lad_close(out);
    return st;
}

void smr_lad_close(smr_lad_lp *lad)
{
    double *all[] = {lad->y, lad->low, lad->high, lad->beta, lad->r, lad->u, lad->inside};
    for (int64_t i = 0; i < SMR_COUNT(all); i++) smr_free(all[i]);
    *lad = (smr_lad_lp){0};
}

smr_status smr_lad_scores(smr_ctx *ctx, const smr_lad_lp *lad, const double *beta, double *out)
{
    for (int64_t i = lad->n; i < lad->m; i++)
        out[i] = lad->design->scale[i - lad->n] * beta[i - lad->n];
    return smr_design_scores(ctx, lad->design, beta, out);
}

static void add_penalties(const smr_lad_lp *lad, const double *u, double *sums)
{
    for (int64_t i = lad->n; i < lad->m; i++)
        sums[i - lad->n] += u[i] * lad->design->scale[i - lad->n];
}

smr_status smr_lad_sums(smr_ctx *ctx, const smr_lad_lp *lad, const double *u, double *out)
{
    smr_status st = smr_design_sums(ctx, lad->design, u, out);
    if (st == SMR_OK) add_penalties(lad, u, out);
    return st;
}

smr_status smr_lad_gram(smr_ctx *ctx, const smr_lad_lp *lad, const double *weight, const double *u,
                        double *G, double *sums)
{
    smr_status st = smr_design_gram(ctx, lad->design, weight, u, G, sums);
    if (st != SMR_OK) return st;
    for (int64_t i = lad->n; i < lad->m; i++) {
        int64_t k = i - lad->n;
        G[k * lad->p + k] += weight[i] * lad->design->scale[k] * lad->design->scale[k];
    }
    add_penalties(lad, u, sums);
    return SMR_OK;
}

smr_status smr_lad_row(smr_ctx *ctx, const smr_lad_lp *lad, int64_t i, double *z)
{
    if (i < lad->n) return smr_design_row(ctx, lad->design, i, z);
    memset(z, 0, (size_t)lad->p * sizeof *z);
    z[i - lad->n] = lad->design->scale[i - lad->n];
    return SMR_OK;
}

smr_status smr_lad_residuals(smr_ctx *ctx, smr_lad_lp *lad)
{
    smr_status st = smr_lad_scores(ctx, lad, lad->beta, lad->r);
    for (int64_t i = 0; i < lad->m && st == SMR_OK; i++) lad->r[i] = lad->y[i] - lad->r[i];
    return st;
}

double smr_lad_cost(const smr_lad_lp *lad, int64_t lo, int64_t hi)
{
    double cost = 0;
    for (int64_t i = lo; i < hi; i++)
        cost += lad->r[i] > 0 ? lad->high[i] * lad->r[i] : -lad->low[i] * lad->r[i];
    return cost;
}
