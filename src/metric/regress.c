/* regress.c -- measures of predicted numbers.
 *
 * With e = y - f, W the weight of all rows and all means weighted:
 *
 *     mse = mean e^2     rmse = sqrt(mse)     mae = mean |e|     mape = mean |e / y|
 *     r2 = 1 - sum w e^2 / sum w (y - mean y)^2
 *     explained variance = 1 - var e / var y
 *     median_ae = the median of |e|, each row w times (math/stats.h)
 *     pinball_q = mean of q e, or (q - 1) e where e < 0
 *     poisson deviance = mean 2 (y log(y / f) - y + f),  y >= 0, f > 0
 *     gamma deviance = mean 2 (y / f - 1 - log(y / f)),  y > 0, f > 0
 *     rmsle = sqrt(mean (log(1 + y) - log(1 + f))^2),  y > -1, f > -1
 *
 * r2 and explained variance are undefined for a target that does not vary, mape where y is 0.  A
 * deviance or rmsle is undefined where a target is outside its range, infinite where a prediction
 * is.
 * Cost: O(n) and 16 n bytes of scratch, none for mse and rmse alone; with the median O(n log n) and
 * 72 n bytes. */
#include "kernel/kernel.h"
#include "math/dd.h"
#include "math/loss.h"
#include "math/stats.h"
#include "metric/metric_parts.h"

enum { CHUNK = 512 };

/* Output j of all rows: y and the error y - f. */
static void gather(const smr_regress_input *in, int64_t j, double *y, double *e)
{
    for (int64_t i = 0; i < in->n; i++) {
        int64_t at = i * in->n_outputs + j;
        y[i] = in->y[at];
        e[i] = in->y[at] - in->predicted[at];
    }
}

/* The means of the errors' positive and negative parts. */
static void measure_quantiles(double above, double below, smr_regress_row *out)
{
    out->pinball_05 = 0.05 * above + 0.95 * below;
    out->pinball_10 = 0.10 * above + 0.90 * below;
    out->pinball_25 = 0.25 * above + 0.75 * below;
    out->pinball_50 = 0.50 * above + 0.50 * below;
    out->pinball_75 = 0.75 * above + 0.25 * below;
    out->pinball_90 = 0.90 * above + 0.10 * below;
    out->pinball_95 = 0.95 * above + 0.05 * below;
    out->above = above;
    out->below = below;
}

/* Twice the loss with a log link (math/loss.h), which keeps its digits near 0; y in its range. */
static double unit_deviance(smr_loss_id id, double y, double f)
{
    if (!(f > 0)) return id == SMR_LOSS_POISSON && y == 0 && f == 0 ? 0 : INFINITY;
    return 2 * smr_loss_at(&smr_losses[id], 0, y, smr_log(f)).value;
}

static void measure_deviances(const smr_regress_input *in, int64_t j, smr_regress_row *out)
{
    dd poisson = {0, 0}, gamma = {0, 0};
    double total = 0, least = INFINITY;
    for (int64_t i = 0; i < in->n; i++) {
        int64_t at = i * in->n_outputs + j;
        double w = row_weight(in->weight, i), y = in->y[at], f = in->predicted[at];
        if (w == 0) continue;
        total += w;
        least = smr_fmin(least, y);
        if (y >= 0) dd_add_product(&poisson, w, unit_deviance(SMR_LOSS_POISSON, y, f));
        if (y > 0) dd_add_product(&gamma, w, unit_deviance(SMR_LOSS_GAMMA, y, f));
    }
    double p = dd_value(poisson) / total, g = dd_value(gamma) / total;
    out->poisson_deviance = !(total > 0 && least >= 0) ? NAN
                            : isnan(p)                 ? INFINITY
                                                       : p; /* inf - inf */
    out->gamma_deviance = !(total > 0 && least > 0) ? NAN : isnan(g) ? INFINITY : g;
}

static void measure_logs(const smr_regress_input *in, int64_t j, smr_regress_row *out)
{
    dd squares = {0, 0};
    double total = 0;
    bool above = true, follows = true; /* are all targets, all predictions above -1? */
    for (int64_t i = 0; i < in->n; i++) {
        int64_t at = i * in->n_outputs + j;
        double w = row_weight(in->weight, i), y = in->y[at], f = in->predicted[at];
        if (w == 0) continue;
        total += w;
        above = above && y > -1;
        follows = follows && f > -1;
        if (!above || !follows) continue;
        double e = smr_log1p(y) - smr_log1p(f);
        dd_add_product(&squares, w * e, e);
    }
    out->rmsle = !(total > 0 && above) ? NAN
                 : !follows            ? INFINITY
                                       : sqrt(dd_value(squares) / total);
}

static double weight_of_rows(const smr_regress_input *in)
{
    dd sum = {0, 0};
    for (int64_t i = 0; in->weight && i < in->n; i++) dd_add(&sum, in->weight[i]);
    return in->weight ? dd_value(sum) : (double)in->n;
}

/* mse and rmse of output j; W: the weight of all rows. */
static void measure_squares(const smr_regress_input *in, int64_t j, double W, smr_regress_row *out)
{
    static const smr_origin as_it_is = {.scale = 1};
    double sum[2] = {0, 0}, e[CHUNK];
    for (int64_t lo = 0; lo < in->n; lo += CHUNK) {
        int64_t n = SMR_MIN(CHUNK, in->n - lo), at = lo * in->n_outputs + j;
        for (int64_t i = 0; i < n; i++, at += in->n_outputs) e[i] = in->y[at] - in->predicted[at];
        smr_cross_f64(n, e, &as_it_is, e, &as_it_is, in->weight ? in->weight + lo : NULL, sum);
    }
    out->mse = dd_value((dd){sum[0], sum[1]}) / W;
    out->rmse = sqrt(out->mse);
}

/* After measure_squares. */
static void measure_spread(const smr_regress_input *in, const double *y, const double *e,
                           smr_regress_row *out)
{
    smr_numbers_summary of_y, of_e;
    smr_summarize(in->n, y, in->weight, &of_y);
    smr_summarize(in->n, e, in->weight, &of_e);
    bool varies = of_y.min < of_y.max;
    out->r2 = varies ? 1 - out->mse / of_y.variance : NAN;
    out->explained_variance = varies ? 1 - of_e.variance / of_y.variance : NAN;
}

static void measure_sizes(const smr_regress_input *in, const double *y, const double *e, double W,
                          smr_regress_row *out)
{
    dd absolute = {0, 0}, relative = {0, 0}, above = {0, 0};
    bool has_zero = false;
    out->max_error = 0;
    for (int64_t i = 0; i < in->n; i++) {
        double w = row_weight(in->weight, i), a = fabs(e[i]);
        if (w == 0) continue;
        if (e[i] > 0) dd_add_product(&above, w, a);
        dd_add_product(&absolute, w, a);
        has_zero |= y[i] == 0;
        if (!has_zero) dd_add_product(&relative, w, a / fabs(y[i]));
        out->max_error = smr_fmax(out->max_error, a);
    }
    out->mae = dd_value(absolute) / W;
    out->mape = has_zero ? NAN : dd_value(relative) / W;
    measure_quantiles(dd_value(above) / W, (dd_value(absolute) - dd_value(above)) / W, out);
    if (!(W > 0)) out->max_error = NAN;
}

static smr_status measure_median(smr_ctx *ctx, const smr_regress_input *in, double *e,
                                 smr_regress_row *out)
{
    static const double half = 0.5;
    for (int64_t i = 0; i < in->n; i++) e[i] = fabs(e[i]);
    return smr_quantiles(ctx, in->n, e, in->weight, 1, &half, &out->median_ae);
}

static smr_regress_row nothing_known(void)
{
    smr_regress_row row = {.mse = NAN, .rmse = NAN, .mae = NAN, .mape = NAN, .r2 = NAN};
    row.explained_variance = row.max_error = row.median_ae = NAN;
    row.poisson_deviance = row.gamma_deviance = row.rmsle = NAN;
    measure_quantiles(NAN, NAN, &row);
    return row;
}

smr_status smr_regress_measure(smr_ctx *ctx, const smr_regress_input *in, unsigned wants,
                               smr_regress_row *rows)
{
    smr_status st = SMR_OK;
    double *y = NULL, *e = NULL, W = weight_of_rows(in);
    if (wants) {
        y = smr_alloc_raw(ctx, in->n + 1, sizeof *y);
        e = y ? smr_alloc_raw(ctx, in->n + 1, sizeof *e) : NULL;
        if (!e) TRY(SMR_ERR_NOMEM);
    }
    for (int64_t j = 0; j < in->n_outputs; j++) {
        rows[j] = nothing_known();
        if (wants) gather(in, j, y, e);
        measure_squares(in, j, W, &rows[j]);
        if (wants & SMR_WANTS_SPREAD) measure_spread(in, y, e, &rows[j]);
        if (wants & SMR_WANTS_SIZES) measure_sizes(in, y, e, W, &rows[j]);
        if (wants & SMR_WANTS_DEVIANCES) measure_deviances(in, j, &rows[j]);
        if (wants & SMR_WANTS_DEVIANCES) measure_logs(in, j, &rows[j]);
        if (wants & SMR_WANTS_MEDIAN) TRY(measure_median(ctx, in, e, &rows[j]));
    }
out:
    smr_free(e);
    smr_free(y);
    return st;
}

smr_status smr_regress_rows(smr_ctx *ctx, const smr_regress_input *in, smr_regress_row *rows)
{
    smr_status st = smr_regress_check(ctx, in);
    if (st != SMR_OK) return st;
    return smr_regress_measure(ctx, in, SMR_WANTS_SPREAD | SMR_WANTS_SIZES | SMR_WANTS_MEDIAN,
                               rows);
}

void smr_regress_mean(int64_t n_outputs, const smr_regress_row *rows, smr_regress_row *mean)
{
    enum { FIELDS = sizeof(smr_regress_row) / sizeof(double) };
    union fields { /* the row is doubles only; see the assertion */
        smr_regress_row row;
        double value[FIELDS];
    } sum = {0}, from;
    _Static_assert(sizeof(smr_regress_row) == FIELDS * sizeof(double), "a row of doubles");

    for (int64_t j = 0; j < n_outputs; j++) {
        from.row = rows[j];
        for (int f = 0; f < FIELDS; f++) sum.value[f] += from.value[f] / (double)n_outputs;
    }
    double most = rows[0].max_error;
    for (int64_t j = 1; j < n_outputs; j++)
        if (!(rows[j].max_error <= most)) most = rows[j].max_error;
    sum.row.max_error = most;
    *mean = sum.row;
}
