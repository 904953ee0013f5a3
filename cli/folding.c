/* folding.c -- see folding.h. */
#include "folding.h"

#include "core/number.h"
#include "report/render.h"

#include <math.h>
#include <string.h>

smr_status folding_ask(smr_ctx *ctx, const args *a, smr_fold_opts *how)
{
    *how = (smr_fold_opts){.size = sizeof *how,
                           .folds = SMR_MAX(0, a->folds),
                           .repeats = SMR_MAX(0, a->repeats),
                           .leave_one_out = a->leave_one_out,
                           .ordered = a->ordered,
                           .order_by = a->order_by,
                           .group = a->group,
                           .measure = a->measure,
                           .confidence = isnan(a->confidence) ? 0 : a->confidence};
    if (a->folds == 0) return smr_fail(ctx, SMR_ERR_PARAM, "--folds: at least 2");
    if (a->repeats == 0) return smr_fail(ctx, SMR_ERR_PARAM, "--repeats: at least 1");
    if (a->confidence <= 0 || a->confidence >= 1)
        return smr_fail(ctx, SMR_ERR_PARAM, "--confidence: between 0 and 1, such as 0.95");
    bool ordered = a->ordered || a->order_by;
    if (a->strata && (ordered || a->leave_one_out))
        return smr_fail(
            ctx, SMR_ERR_PARAM,
            "--strata spreads classes over folds, which is not possible %s; leave it out",
            ordered ? "in order of time" : "with one row at a time");
    if (!a->strata) return SMR_OK;
    how->unstratified = strcmp(a->strata, "no") == 0;
    how->stratified = strcmp(a->strata, "yes") == 0;
    if (!how->unstratified && !how->stratified)
        return smr_fail(ctx, SMR_ERR_PARAM, "--strata: yes or no, not '%s'", a->strata);
    return SMR_OK;
}

smr_status folding_time(smr_ctx *ctx, const args *a, double *seconds)
{
    const char *text = a->time;
    static const struct {
        const char *unit;
        double seconds;
    } units[] = {{"", 1}, {"s", 1}, {"m", 60}, {"min", 60}, {"h", 3600}, {"d", 86400}};
    if (!text) return SMR_OK;
    const char *end = smr_parse_double(text, text + strlen(text), seconds);
    for (int64_t i = 0; end && i < SMR_COUNT(units); i++)
        if (strcmp(end, units[i].unit) == 0 && *seconds > 0 && isfinite(*seconds)) {
            *seconds *= units[i].seconds;
            return SMR_OK;
        }
    return smr_fail(ctx, SMR_ERR_PARAM, "--time: '%s' is not a time such as 60s, 5m or 1h", text);
}

void folding_time_left(double began, double *seconds)
{
    if (*seconds > 0) *seconds = smr_fmax(*seconds - (smr_now() - began), 1e-9);
}

void folding_data(const smr_json *root, smr_text *out)
{
    smr_text_printf(out, "data      %s: ", smr_json_get_string(root, "data", ""));
    smr_render_count(root, "rows", "row", out);
    smr_text_add(out, ", ");
    smr_render_count(root, "features", "feature", out);
    smr_text_add(out, "\n");
}

void folding_show(const smr_json *root, smr_text *out)
{
    const char *kind = smr_json_get_string(root, "kind", "");
    double folds = smr_json_get_number(root, "folds", 0);
    double repeats = smr_json_get_number(root, "repeats", 1);
    bool grouped = smr_json_get_bool(root, "grouped", false);
    smr_text_add(out, "rounds    ");
    if (strcmp(kind, "leave-one-out") == 0)
        smr_text_printf(out, "%lld, leaving one %s out at a time",
                        (long long)smr_json_get_number(root, "rounds", 0),
                        grouped ? "group" : "row");
    else if (strcmp(kind, "ordered") == 0)
        smr_text_printf(out, "%lld, each fitted on the past of the rows it is measured on",
                        (long long)smr_json_get_number(root, "rounds", 0));
    else
        smr_text_printf(out, "%lld fold%s", (long long)folds, smr_plural((int64_t)folds, "", "s"));
    if (smr_json_get_bool(root, "stratified", false)) smr_text_add(out, ", stratified");
    if (grouped && strcmp(kind, "folds") == 0) smr_text_add(out, ", groups whole");
    if (repeats > 1) smr_text_printf(out, ", %lld times", (long long)repeats);
    smr_text_add(out, "\n");
}
