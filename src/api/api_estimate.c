/* api_estimate.c -- estimates of distributions, and Bayes' rule. */
#include "api/api_parts.h"
#include "study/estimate.h"

#include <math.h>

smr_status smr_estimate(smr_ctx *ctx, const smr_table *table, const char *columns,
                        const smr_estimate_opts *opts, char **json)
{
    smr_estimate_opts o = {.size = sizeof o};
    smr_json_doc *doc = NULL;
    smr_status st = SMR_OK;
    smr_begin_call(ctx);
    *json = NULL;
    TRY(SMR_TAKE_OPTS(ctx, smr_estimate_opts, opts, &o));
    TRY(smr_json_create(ctx, &doc));
    smr_json *root = smr_json_root(doc);
    smr_json *figures = o.figures ? smr_json_add_array(root, "figures") : NULL;
    TRY(smr_estimate_table(ctx, table, columns, &o, root, figures));
    TRY(smr_api_hand_over(ctx, doc, json));
out:
    smr_json_free(doc);
    return st;
}

smr_status smr_bayes_rule(smr_ctx *ctx, int64_t n, const double *prior, const double *likelihood,
                          double *posterior, double *total)
{
    double sum = 0, evidence = 0;
    smr_begin_call(ctx);
    if (n < 1) return smr_fail(ctx, SMR_ERR_SHAPE, "Bayes' rule needs a hypothesis or more");
    for (int64_t i = 0; i < n; i++) {
        if (!(prior[i] >= 0 && prior[i] <= 1))
            return smr_fail(ctx, SMR_ERR_PARAM, "prior %lld is %g, not between 0 and 1",
                            (long long)(i + 1), prior[i]);
        if (!(likelihood[i] >= 0 && likelihood[i] < INFINITY))
            return smr_fail(ctx, SMR_ERR_PARAM, "likelihood %lld is %g, below 0 or not a number",
                            (long long)(i + 1), likelihood[i]);
        sum += prior[i];
        evidence += prior[i] * likelihood[i];
    }
    if (fabs(sum - 1) > 1e-9)
        return smr_fail(ctx, SMR_ERR_PARAM, "the priors sum to %g, not to 1", sum);
    if (!(evidence < INFINITY))
        return smr_fail(ctx, SMR_ERR_DATA,
                        "the products of priors and likelihoods add up to infinity; divide the "
                        "likelihoods by the largest");
    if (!(evidence > 0))
        return smr_fail(
            ctx, SMR_ERR_DATA,
            "what was seen has probability 0 under every hypothesis of a prior above 0");
    for (int64_t i = 0; i < n; i++) posterior[i] = prior[i] * likelihood[i] / evidence;
    if (total) *total = evidence;
    return SMR_OK;
}
