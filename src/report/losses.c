/* losses.c -- see losses.h. */
#include "report/losses.h"

#include <math.h>

enum { POINTS = 241 };
static const double FROM = -3, TO = 3;
static const double shown[] = {-3, -2, -1, -0.5, 0, 0.5, 1, 2, 3};

static const char *variable(const smr_loss *loss)
{
    switch (loss->kind) {
    case SMR_LOSS_RESIDUAL: return "residual";
    case SMR_LOSS_MARGIN: return "margin";
    case SMR_LOSS_LOG_LINK: return "score";
    case SMR_LOSS_CLASSES: return "lead";
    }
    return "";
}

static smr_json *tell(const smr_loss *loss, double param, smr_json *losses)
{
    static const char *const kinds[] = {"residual", "margin", "log link", "classes"};
    smr_json *row = smr_json_add_object(losses, NULL);
    smr_json_add_string(row, "name", loss->name);
    smr_json_add_string(row, "title", loss->title);
    smr_json_add_string(row, "formula", loss->formula);
    smr_json_add_string(row, "kind", kinds[loss->kind]);
    smr_json_add_bool(row, "convex", loss->is_convex);
    smr_json_add_bool(row, "smooth", loss->is_smooth);
    if (loss->param) {
        smr_json_add_string(row, "parameter", loss->param);
        smr_json_add_number(row, "at", param);
    }
    if (loss->kink) smr_json_add_string(row, "kink", loss->kink);
    return row;
}

/* Two classes: the true one leads by x. */
static smr_loss_point at_lead(const smr_loss *loss, double x)
{
    const int32_t label = 0;
    double f[2] = {x, 0}, slope[2];
    smr_loss_point p = {.curvature = NAN};
    smr_loss_classes(loss, 1, 2, &label, f, &p.value, slope);
    p.slope = slope[0];
    return p;
}

static smr_loss_point at(const smr_loss *loss, double param, double x)
{
    double y = loss->kind == SMR_LOSS_RESIDUAL ? 0 : 1;
    return loss->kind == SMR_LOSS_CLASSES ? at_lead(loss, x) : smr_loss_at(loss, param, y, x);
}

static void draw_lead(const smr_loss *loss, smr_json *figures)
{
    double x[POINTS], value[POINTS], slope[POINTS];
    for (int64_t i = 0; i < POINTS; i++) {
        x[i] = FROM + (TO - FROM) * (double)i / (POINTS - 1);
        smr_loss_point p = at_lead(loss, x[i]);
        value[i] = p.value;
        slope[i] = p.slope;
    }
    smr_json *figure = smr_figure_add(figures, loss->name, loss->title, loss->formula);
    smr_json *axis =
        smr_figure_axis(figure, "x", "lead of the true class over the other", "linear");
    smr_json_add_number(axis, "min", FROM);
    smr_json_add_number(axis, "max", TO);
    smr_figure_axis(figure, "y", "loss", "linear");
    smr_figure_series(figure, "value", "line", POINTS, x, value);
    smr_figure_series(figure, "slope", "line", POINTS, x, slope);
}

smr_status smr_report_loss(smr_ctx *ctx, const smr_loss *loss, double param, smr_json *losses,
                           smr_json *figures)
{
    smr_status st = SMR_OK;
    TRY(smr_loss_check(ctx, loss, param, 0, NULL));
    smr_json *row = tell(loss, param, losses);
    smr_json *points = smr_json_add_array(row, "points");
    for (int64_t i = 0; i < SMR_COUNT(shown); i++) {
        smr_loss_point p = at(loss, param, shown[i]);
        smr_json *point = smr_json_add_object(points, NULL);
        smr_json_add_number(point, variable(loss), shown[i]);
        smr_json_add_number(point, "value", p.value);
        smr_json_add_number(point, "slope", p.slope);
        if (!isnan(p.curvature)) smr_json_add_number(point, "curvature", p.curvature);
    }
    if (loss->kind == SMR_LOSS_CLASSES)
        draw_lead(loss, figures);
    else
        TRY(smr_loss_figure(ctx, figures, loss, param, FROM, TO, POINTS));
out:
    return st;
}

smr_status smr_report_losses(smr_ctx *ctx, smr_json *into, smr_json *figures)
{
    static const smr_loss_kind together[] = {SMR_LOSS_RESIDUAL, SMR_LOSS_MARGIN};
    const smr_loss *same[SMR_LOSS_COUNT];
    smr_status st = SMR_OK;
    smr_json *losses = smr_json_add_array(into, "losses");
    for (int64_t i = 0; i < SMR_LOSS_COUNT; i++)
        tell(&smr_losses[i], smr_losses[i].param_default, losses);
    for (int64_t k = 0; k < SMR_COUNT(together); k++) {
        int64_t n = 0;
        for (int64_t i = 0; i < SMR_LOSS_COUNT; i++)
            if (smr_losses[i].kind == together[k]) same[n++] = &smr_losses[i];
        TRY(smr_loss_compare_figure(ctx, figures, same, n, FROM, TO, POINTS));
    }
out:
    return st;
}
