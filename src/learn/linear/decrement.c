/* decrement.c -- see decrement.h. */
#include "learn/linear/decrement.h"

#include "kernel/kernel.h"
#include "learn/linear/design.h"

#include <math.h>
#include <string.h>

/* The smallest subgradient; a variable that l1 holds at 0 is taken out of g and K. */
static void hold(int64_t n, const double *w, double l1, int64_t n_penalised, double *g, double *K)
{
    for (int64_t i = 0; i < n_penalised && l1 > 0; i++) {
        bool held = w[i] == 0 && fabs(g[i]) <= l1;
        g[i] += w[i] > 0 || (w[i] == 0 && g[i] < 0) ? l1 : -l1;
        if (!held) continue;
        g[i] = 0;
        for (int64_t j = 0; j < n; j++) K[i * n + j] = K[j * n + i] = i == j;
    }
}

smr_status smr_linear_above(smr_ctx *ctx, smr_linear_objective *o, const double *w, double l1,
                            int64_t n_penalised, double *H, double *above)
{
    smr_status st = SMR_OK;
    const smr_objective *F = smr_linear_function(o);
    int64_t n = F->n;
    double *K = NULL, *L = NULL, *g = NULL, mu = 0, value;
    *above = INFINITY;
    TRY_NEW(K, n * n);
    TRY_NEW(L, n * n);
    TRY_NEW(g, 2 * n);
    TRY(smr_linear_hessian_at(ctx, o, w, H));
    TRY(F->evaluate(ctx, F->self, w, &value, g));
    memcpy(K, H, (size_t)(n * n) * sizeof *K);
    hold(n, w, l1, n_penalised, g, K);
    TRY(smr_design_factor(ctx, n, K, L, &mu));
    if (mu < 0) goto out;
    memcpy(g + n, g, (size_t)n * sizeof *g);
    TRY(smr_design_solve(ctx, n, L, g + n));
    double half = smr_dot_f64(n, g, g + n) / 2;
    if (!isnan(half)) *above = smr_fmax(0, half);
out:
    smr_free(K);
    smr_free(L);
    smr_free(g);
    return st;
}
