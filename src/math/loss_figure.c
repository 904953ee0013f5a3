/* loss_figure.c -- losses as figures; see loss.h. */
#include "math/loss.h"

#include <math.h>

/* The target against which the axis is the residual, the margin or the score. */
static const double HIGHEST = 4; /* of the losses compared */

static double target_of(const smr_loss *loss)
{
    return loss->kind == SMR_LOSS_RESIDUAL ? 0 : 1;
}

static const char *axis_of(const smr_loss *loss)
{
    static const char *const label[] = {"residual f - y", "margin y f", "score f, target 1", ""};
    return label[loss->kind];
}

static smr_status check_range(smr_ctx *ctx, const smr_loss *loss, double from, double to, int64_t n)
{
    if (loss->kind == SMR_LOSS_CLASSES)
        return smr_fail(ctx, SMR_ERR_UNSUPPORTED,
                        "%s has one score per class, so there is no curve over one score",
                        loss->name);
    if (!(from < to) || !isfinite(to - from) || n < 2)
        return smr_fail(ctx, SMR_ERR_PARAM,
                        "a curve needs a range from < to and at least 2 points");
    return SMR_OK;
}

static double place(double from, double to, int64_t n, int64_t i)
{
    return from + (to - from) * (double)i / (double)(n - 1);
}

smr_status smr_loss_figure(smr_ctx *ctx, smr_json *figures, const smr_loss *loss, double param,
                           double from, double to, int64_t n)
{
    smr_status st = SMR_OK;
    double *x = NULL;
    TRY(check_range(ctx, loss, from, to, n));
    TRY_NEW(x, 5 * n);
    double *y = x + n, *value = x + 2 * n, *slope = x + 3 * n, *curvature = x + 4 * n;
    for (int64_t i = 0; i < n; i++) {
        x[i] = place(from, to, n, i);
        y[i] = target_of(loss);
    }
    smr_loss_block(loss, param, n, y, x, value, slope, curvature);
    smr_json *figure = smr_figure_add(figures, loss->name, loss->title, loss->formula);
    smr_json *axis = smr_figure_axis(figure, "x", axis_of(loss), "linear");
    smr_json_add_number(axis, "min", from);
    smr_json_add_number(axis, "max", to);
    smr_figure_axis(figure, "y", "loss", "linear");
    smr_figure_series(figure, "value", "line", n, x, value);
    smr_figure_series(figure, "slope", "line", n, x, slope);
    smr_figure_series(figure, "curvature", "line", n, x, curvature);
out:
    smr_free(x);
    return st;
}

smr_status smr_loss_compare_figure(smr_ctx *ctx, smr_json *figures, const smr_loss *const *losses,
                                   int64_t n_losses, double from, double to, int64_t n)
{
    smr_status st = SMR_OK;
    double *x = NULL;
    smr_json *figure = NULL;
    for (int64_t l = 0; l < n_losses; l++) {
        TRY(check_range(ctx, losses[l], from, to, n));
        if (losses[l]->kind == losses[0]->kind) continue;
        st = smr_fail(ctx, SMR_ERR_PARAM, "%s and %s have different axes", losses[0]->name,
                      losses[l]->name);
        goto out;
    }
    TRY_NEW(x, 3 * n);
    for (int64_t i = 0; i < n; i++) x[i] = place(from, to, n, i);
    for (int64_t l = 0; l < n_losses; l++) {
        double *y = x + n, *value = x + 2 * n;
        for (int64_t i = 0; i < n; i++) y[i] = target_of(losses[l]);
        smr_loss_block(losses[l], losses[l]->param_default, n, y, x, value, NULL, NULL);
        for (int64_t i = 0; i < n; i++) /* steep ones leave the picture: their forms are compared */
            if (value[i] > HIGHEST) value[i] = NAN;
        if (l == 0) {
            bool margin = losses[0]->kind == SMR_LOSS_MARGIN;
            bool residual = losses[0]->kind == SMR_LOSS_RESIDUAL;
            figure = smr_figure_add(figures,
                                    margin     ? "margins"
                                    : residual ? "residuals"
                                               : "scores",
                                    margin     ? "Losses of the margin"
                                    : residual ? "Losses of the residual"
                                               : "Losses of the score",
                                    NULL);
            smr_json *axis = smr_figure_axis(figure, "x", axis_of(losses[0]), "linear");
            smr_json_add_number(axis, "min", from);
            smr_json_add_number(axis, "max", to);
            axis = smr_figure_axis(figure, "y", "loss", "linear");
            smr_json_add_number(axis, "min", 0);
            smr_json_add_number(axis, "max", HIGHEST);
        }
        smr_figure_series(figure, losses[l]->title, "line", n, x, value);
    }
out:
    smr_free(x);
    return st;
}
