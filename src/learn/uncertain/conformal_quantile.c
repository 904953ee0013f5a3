/* conformal_quantile.c -- see conformal_quantile.h. */
#include "learn/uncertain/conformal_quantile.h"

#include "core/sort.h"

#include <math.h>

/* 30 * 0.9 must not become 27.000000000000004 and ask for one more row. */
static const double SLACK = 1e-12;

double smr_conformal_least(double coverage)
{
    return ceil(coverage / (1 - coverage) * (1 - SLACK));
}

static bool counts(const smr_tested *r, int64_t i)
{
    return !r->pick || r->pick[i] == r->which;
}

smr_status smr_conformal_quantile(smr_ctx *ctx, const smr_tested *r, double coverage, double *q,
                                  double *weight)
{
    smr_status st = SMR_OK;
    int64_t *order = NULL;
    double total = 0, below = 0;
    *q = INFINITY;
    for (int64_t i = 0; i < r->n; i++)
        if (counts(r, i)) total += r->weight ? r->weight[i] : 1;
    if (weight) *weight = total;
    double need = (total + 1) * coverage * (1 - SLACK);
    TRY_NEW(order, SMR_MAX(1, r->n));
    TRY(smr_argsort_f64(ctx, r->n, r->score, order));
    for (int64_t k = 0; k < r->n && need <= total; k++) {
        int64_t i = order[k];
        if (!counts(r, i)) continue;
        below += r->weight ? r->weight[i] : 1;
        if (below >= need) {
            *q = r->score[i];
            break;
        }
    }
out:
    smr_free(order);
    return st;
}
