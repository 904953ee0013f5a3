/* folding.c -- see folding.h. */
#include "folding.h"

#include <math.h>
#include <string.h>

smr_status folding_ask(smr_ctx *ctx, const args *a, smr_cv_ask *ask)
{
    *ask = (smr_cv_ask){.folds = a->folds,
                        .repeats = a->repeats,
                        .leave_one_out = a->leave_one_out,
                        .ordered = a->ordered,
                        .order_by = a->order_by,
                        .measure = a->measure,
                        .confidence = a->confidence};
    if (a->folds == 0) return smr_fail(ctx, SMR_ERR_PARAM, "--folds: at least 2");
    if (a->repeats == 0) return smr_fail(ctx, SMR_ERR_PARAM, "--repeats: at least 1");
    if (a->folds < 0) ask->folds = 0;
    if (a->repeats < 0) ask->repeats = 0;
    if (isnan(a->confidence))
        ask->confidence = 0;
    else if (!(a->confidence > 0 && a->confidence < 1))
        return smr_fail(ctx, SMR_ERR_PARAM, "--confidence: between 0 and 1, such as 0.95");
    if (!a->strata) return SMR_OK;
    ask->no_strata = strcmp(a->strata, "no") == 0;
    if (!ask->no_strata && strcmp(a->strata, "yes") != 0)
        return smr_fail(ctx, SMR_ERR_PARAM, "--strata: yes or no, not '%s'", a->strata);
    return SMR_OK;
}
