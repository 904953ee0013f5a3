/* api_distribution.c -- distributions by name. */
#include "api/api_parts.h"
#include "kernel/kernel.h"
#include "math/distribution.h"

/* One value of a law of one number. */
static double law_value(const smr_law *law, smr_dist_value what, double x)
{
    switch (what) {
    case SMR_DIST_DENSITY: return smr_law_density(law, x);
    case SMR_DIST_LOG_DENSITY: return smr_law_log_density(law, x);
    case SMR_DIST_LOWER: return smr_law_tail(law, x, false).p;
    case SMR_DIST_UPPER: return smr_law_tail(law, x, true).p;
    case SMR_DIST_LOG_LOWER: return smr_law_tail(law, x, false).log_p;
    case SMR_DIST_LOG_UPPER: return smr_law_tail(law, x, true).log_p;
    case SMR_DIST_QUANTILE: return smr_law_quantile(law, x, false);
    case SMR_DIST_UPPER_QUANTILE: return smr_law_quantile(law, x, true);
    }
    return NAN;
}

static smr_status check_call(smr_ctx *ctx, const char *name, const double *params, int64_t n_params,
                             int64_t n)
{
    if (!name || !params || n_params < 1)
        return smr_fail(ctx, SMR_ERR_PARAM, "a distribution has a name and parameters");
    if (n < 0)
        return smr_fail(ctx, SMR_ERR_SHAPE, "%lld values of a distribution cannot be computed",
                        (long long)n);
    return SMR_OK;
}

smr_status smr_dist_values(smr_ctx *ctx, const char *name, const double *params, int64_t n_params,
                           smr_dist_value what, int64_t n, const double *x, double *out)
{
    smr_status st = SMR_OK;
    smr_vector_law *vector = NULL;
    smr_begin_call(ctx);
    TRY(check_call(ctx, name, params, n_params, n));
    if ((int)what < 0 || what > SMR_DIST_UPPER_QUANTILE)
        return smr_fail(ctx, SMR_ERR_PARAM, "%d is not a value of a distribution", (int)what);
    const smr_family *family = smr_family_find(name);
    if (family) {
        smr_law law = {.family = family};
        TRY(smr_law_check(ctx, family, params, n_params));
        for (int64_t k = 0; k < n_params; k++) law.p[k] = params[k];
        for (int64_t i = 0; i < n; i++) out[i] = law_value(&law, what, x[i]);
        return SMR_OK;
    }
    TRY(smr_vector_law_create(ctx, name, params, n_params, &vector));
    if (what > SMR_DIST_LOG_DENSITY)
        TRY(smr_fail(ctx, SMR_ERR_UNSUPPORTED,
                     "%s has a density and draws, but no tails and no quantiles", name));
    TRY(smr_vector_law_log_density(ctx, vector, n, x, out));
    if (what == SMR_DIST_DENSITY) smr_exp_f64(n, out, out);
out:
    smr_vector_law_free(vector);
    return st;
}

smr_status smr_dist_draw(smr_ctx *ctx, const char *name, const double *params, int64_t n_params,
                         int64_t n, double *out)
{
    smr_status st = SMR_OK;
    smr_vector_law *vector = NULL;
    smr_begin_call(ctx);
    TRY(check_call(ctx, name, params, n_params, n));
    uint64_t seed = smr_ctx_seed(ctx);
    const smr_family *family = smr_family_find(name);
    if (family) {
        smr_law law = {.family = family};
        TRY(smr_law_check(ctx, family, params, n_params));
        for (int64_t k = 0; k < n_params; k++) law.p[k] = params[k];
        for (int64_t i = 0; i < n; i++)
            out[i] = smr_law_draw(&law, seed, SMR_STREAM_DRAWS, (uint64_t)i);
        return SMR_OK;
    }
    TRY(smr_vector_law_create(ctx, name, params, n_params, &vector));
    TRY(smr_vector_law_draw(ctx, vector, seed, SMR_STREAM_DRAWS, n, out));
out:
    smr_vector_law_free(vector);
    return st;
}
