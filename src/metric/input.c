/* input.c -- nothing is measured before labels, weights and scores have been checked. */
#include "metric/metric_parts.h"

#include <inttypes.h>
#include <math.h>

static smr_status check_weights(smr_ctx *ctx, int64_t n, const double *weight)
{
    for (int64_t i = 0; weight && i < n; i++)
        if (!(weight[i] >= 0 && weight[i] < INFINITY))
            return smr_fail(ctx, SMR_ERR_DATA,
                            "the weight of row %" PRId64
                            " is negative, infinite or missing; weights "
                            "are numbers from 0 up",
                            i);
    return SMR_OK;
}

static smr_status check_classes(smr_ctx *ctx, const char *what, int64_t n, const int32_t *label,
                                int64_t n_classes)
{
    for (int64_t i = 0; i < n; i++)
        if (label[i] < 0 || label[i] >= n_classes)
            return smr_fail(ctx, SMR_ERR_DATA,
                            "the %s of row %" PRId64
                            " is class %d, and classes run from 0 to %" PRId64,
                            what, i, (int)label[i], n_classes - 1);
    return SMR_OK;
}

/* Scores are any numbers; probabilities lie in [0, 1], give or take rounding. */
static smr_status check_scores(smr_ctx *ctx, const smr_classify_input *in)
{
    const double *s = scores_of(in);
    double lo = in->proba ? -1e-6 : -INFINITY, hi = in->proba ? 1 + 1e-6 : INFINITY;
    for (int64_t i = 0; s && i < in->n * in->n_classes; i++)
        if (!(s[i] >= lo && s[i] <= hi))
            return smr_fail(
                ctx, SMR_ERR_NUMERIC, "the %s of row %" PRId64 " for class %" PRId64 " is %s",
                in->proba ? "probability" : "score", i / in->n_classes, i % in->n_classes,
                isnan(s[i]) ? "not a number" : "not between 0 and 1");
    return SMR_OK;
}

smr_status smr_classify_check(smr_ctx *ctx, const smr_classify_input *in)
{
    smr_status st = SMR_OK;
    if (in->n < 0 || in->n_classes < 1)
        return smr_fail(ctx, SMR_ERR_SHAPE,
                        "%" PRId64 " rows of %" PRId64 " classes cannot be measured", in->n,
                        in->n_classes);
    if (in->positive >= in->n_classes)
        return smr_fail(ctx, SMR_ERR_PARAM,
                        "the positive class has number %" PRId64
                        ", and classes run from 0 to %" PRId64,
                        in->positive, in->n_classes - 1);
    if (!in->predicted && !scores_of(in))
        return smr_fail(ctx, SMR_ERR_PARAM,
                        "there are neither predicted classes nor scores to measure");
    TRY(check_classes(ctx, "label", in->n, in->label, in->n_classes));
    if (in->predicted) TRY(check_classes(ctx, "prediction", in->n, in->predicted, in->n_classes));
    TRY(check_weights(ctx, in->n, in->weight));
    TRY(check_scores(ctx, in));
out:
    return st;
}

smr_status smr_regress_check(smr_ctx *ctx, const smr_regress_input *in)
{
    int64_t n = in->n * in->n_outputs;
    if (in->n < 0 || in->n_outputs < 1)
        return smr_fail(ctx, SMR_ERR_SHAPE,
                        "%" PRId64 " rows of %" PRId64 " outputs cannot be measured", in->n,
                        in->n_outputs);
    for (int64_t i = 0; i < n; i++) {
        if (isnan(in->y[i]))
            return smr_fail(ctx, SMR_ERR_DATA, "the target of row %" PRId64 " is missing",
                            i / in->n_outputs);
        if (isnan(in->predicted[i]))
            return smr_fail(ctx, SMR_ERR_NUMERIC,
                            "the prediction for row %" PRId64 " is not a number",
                            i / in->n_outputs);
    }
    return check_weights(ctx, in->n, in->weight);
}

smr_status smr_classified_open(smr_ctx *ctx, const smr_classify_input *in, smr_classified *out)
{
    *out = (smr_classified){.in = in};
    smr_status st = smr_classify_check(ctx, in);
    return st == SMR_OK ? smr_tally_make(ctx, in, &out->tally) : st;
}

void smr_classified_close(smr_classified *c)
{
    smr_tally_release(&c->tally);
    smr_free(c->ranks);
    c->ranks = NULL;
}
