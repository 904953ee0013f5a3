/* quantile.c -- see quantile.h. */
#include "learn/uncertain/quantile.h"

#include "core/sort.h"

#include <math.h>

/* 30 * 0.9 must not become 27.000000000000004 and ask for a row more. */
static const double SLACK = 1e-12;

double smr_conformal_least(double coverage)
{
    return ceil(coverage / (1 - coverage) * (1 - SLACK));
}

smr_status smr_conformal_quantile(smr_ctx *ctx, int64_t n, const double *score,
                                  const double *weight, const int32_t *pick, int32_t which,
                                  double coverage, double *q, double *weigh_out)
{
    smr_status st = SMR_OK;
    int64_t *order = NULL;
    double total = 0, below = 0;
    *q = INFINITY;
    for (int64_t i = 0; i < n; i++)
        if (!pick || pick[i] == which) total += weight ? weight[i] : 1;
    if (weigh_out) *weigh_out = total;
    double need = (total + 1) * coverage * (1 - SLACK);
    TRY_NEW(order, SMR_MAX(1, n));
    TRY(smr_argsort_f64(ctx, n, score, order));
    for (int64_t k = 0; k < n && need <= total; k++) {
        int64_t i = order[k];
        if (pick && pick[i] != which) continue;
        below += weight ? weight[i] : 1;
        if (below >= need) {
            *q = score[i];
            break;
        }
    }
out:
    smr_free(order);
    return st;
}
