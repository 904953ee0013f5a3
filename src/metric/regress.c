/* regress.c -- measures of predicted numbers.
 *
 * With e = y - f, W the weight of all rows and all means weighted:
 *
 *     mse = mean e^2     rmse = sqrt(mse)     mae = mean |e|     mape = mean |e / y|
 *     r2 = 1 - sum w e^2 / sum w (y - mean y)^2
 *     explained variance = 1 - var e / var y
 *     median_ae = the median of |e|, each row w times (math/stats.h)
 *
 * r2 and explained variance are undefined for a target that does not vary, mape where y is 0.
 * Cost: O(n) and 16 n bytes of scratch; with the median O(n log n) and 72 n bytes. */
#include "math/dd.h"
#include "math/stats.h"
#include "metric/parts.h"

/* Output j of all rows: y and the error y - f, and over these the largest |e|. */
static void gather(const smr_regress_input *in, int64_t j, double *y, double *e)
{
    for (int64_t i = 0; i < in->n; i++) {
        int64_t at = i * in->n_outputs + j;
        y[i] = in->y[at];
        e[i] = in->y[at] - in->predicted[at];
    }
}

/* Everything but the median.  Leaves |e| in e. */
static void measure_output(const smr_regress_input *in, const double *y, double *e,
                           smr_regress_row *out)
{
    dd squares = {0, 0}, absolute = {0, 0}, relative = {0, 0};
    smr_summary of_y, of_e;
    bool has_zero = false;

    smr_summarize(in->n, y, in->weight, &of_y);
    smr_summarize(in->n, e, in->weight, &of_e);
    out->max_error = 0;
    for (int64_t i = 0; i < in->n; i++) {
        double w = row_weight(in->weight, i), a = e[i] = fabs(e[i]);
        if (w == 0) continue;
        dd_add_product(&squares, w * a, a);
        dd_add_product(&absolute, w, a);
        has_zero |= y[i] == 0;
        if (!has_zero) dd_add_product(&relative, w, a / fabs(y[i]));
        out->max_error = fmax(out->max_error, a);
    }
    double W = of_y.weight;
    out->mse = dd_value(squares) / W;
    out->rmse = sqrt(out->mse);
    out->mae = dd_value(absolute) / W;
    out->mape = has_zero ? NAN : dd_value(relative) / W;
    bool varies = of_y.min < of_y.max;
    out->r2 = varies ? 1 - out->mse / of_y.variance : NAN;
    out->explained_variance = varies ? 1 - of_e.variance / of_y.variance : NAN;
}

smr_status smr_regress_measure(smr_ctx *ctx, const smr_regress_input *in, bool median,
                               smr_regress_row *rows)
{
    static const double half = 0.5;
    smr_status st = SMR_OK;
    double *y = NULL, *e = NULL, total = 0;

    TRY(smr_regress_check(ctx, in));
    for (int64_t i = 0; i < in->n; i++) total += row_weight(in->weight, i);
    TRY_NEW(y, in->n);
    TRY_NEW(e, in->n);
    for (int64_t j = 0; j < in->n_outputs; j++) {
        gather(in, j, y, e);
        measure_output(in, y, e, &rows[j]);
        rows[j].median_ae = NAN;
        if (median) TRY(smr_quantiles(ctx, in->n, e, in->weight, 1, &half, &rows[j].median_ae));
        if (total == 0) rows[j].max_error = NAN;
    }
out:
    smr_free(e);
    smr_free(y);
    return st;
}

smr_status smr_regress_rows(smr_ctx *ctx, const smr_regress_input *in, smr_regress_row *rows)
{
    return smr_regress_measure(ctx, in, true, rows);
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
