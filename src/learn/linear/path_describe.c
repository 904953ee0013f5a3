/* path_describe.c -- what a path learned, in numbers and as pictures; see path.h. */
#include "core/figure.h"
#include "learn/linear/coef_path.h"
#include "learn/linear/path.h"

#include <math.h>
#include <stdio.h>

enum { MOST_NAMES = 100 }; /* of features left out that are told */

static void describe_coefficients(const smr_path_state *s, int64_t k, bool fit_intercept,
                                  const smr_feature *in, smr_json *into)
{
    const double *w = s->coef + k * s->n_features;
    char name[32];
    int64_t zeros = 0;
    smr_json *list = smr_json_add_array(into, "coefficients");
    for (int64_t j = fit_intercept ? -1 : 0; j < s->n_features; j++) {
        if (j >= 0 && w[j] == 0) {
            zeros++;
            continue;
        }
        smr_json *row = smr_json_add_object(list, NULL);
        smr_json_add_string(row, "feature", j < 0 ? "(intercept)" : smr_affine_name(in, j, name));
        smr_json_add_number(row, "estimate", j < 0 ? s->intercept[k] : w[j]);
    }
    if (zeros == 0 || zeros > MOST_NAMES) return;
    list = smr_json_add_array(into, "left_out");
    for (int64_t j = 0; j < s->n_features; j++)
        if (w[j] == 0) smr_json_add_string(list, NULL, smr_affine_name(in, j, name));
}

static void describe_path(const smr_path_state *s, int64_t k, bool has_l2, smr_json *into)
{
    smr_json *list = smr_json_add_array(into, "path");
    for (int64_t c = 0; c < s->n_path; c++) {
        int64_t i = k * s->n_path + c;
        smr_json *row = smr_json_add_object(list, NULL);
        smr_json_add_number(row, "l1", s->path_l1[i]);
        if (has_l2) smr_json_add_number(row, "l2", s->path_l2[i]);
        smr_json_add_number(row, "nonzero", (double)(s->path_start[i + 1] - s->path_start[i]));
        smr_json_add_number(row, "r2", 1 - smr_path_rss(s, i) / s->tss[k]);
        smr_json_add_number(row, "duality_gap", s->path_gap[i]);
        if (!s->cv_error) continue;
        smr_json_add_number(row, "cv_mse", s->cv_error[i]);
        smr_json_add_number(row, "cv_se", s->cv_se[i]);
        smr_json_add_bool(row, "chosen", c == s->chosen[k]);
    }
}

static void describe_output(const smr_path_state *s, int64_t k, bool fit_intercept, bool has_l2,
                            const smr_feature *in, smr_json *into)
{
    int64_t at = k * s->n_path + s->chosen[k];
    smr_json_add_number(into, "l1", s->l1[k]);
    if (has_l2) smr_json_add_number(into, "l2", s->l2[k]);
    smr_json_add_number(into, "nonzero", (double)(s->path_start[at + 1] - s->path_start[at]));
    smr_json_add_number(into, "r2", 1 - s->rss[k] / s->tss[k]);
    smr_json_add_number(into, "objective", s->objective[k]);
    smr_json_add_number(into, "duality_gap", s->gap[k]);
    if (s->cv_error) smr_json_add_number(into, "cv_mse", s->cv_error[at]);
    describe_coefficients(s, k, fit_intercept, in, into);
    if (s->n_path > 1) describe_path(s, k, has_l2, into);
}

smr_status smr_path_describe(smr_ctx *ctx, const void *params, const void *state,
                             const smr_feature *in, int64_t n_in, smr_json *into)
{
    const struct smr_path_params *p = params;
    const smr_path_state *s = state;
    bool fit_intercept = p->fit_intercept, has_l2 = p->mix > 0;
    static const char *const methods[] = {"", "gram", "columns"};
    (void)ctx, (void)n_in;
    smr_json_add_string(into, "method", methods[s->method]);
    smr_json_add_number(into, "rows", s->n_rows);
    if (s->n_path > 1) smr_json_add_number(into, "folds", (double)s->n_folds);
    if (s->n_outputs == 1) {
        describe_output(s, 0, fit_intercept, has_l2, in, into);
        return SMR_OK;
    }
    smr_json *list = smr_json_add_array(into, "outputs");
    for (int64_t k = 0; k < s->n_outputs; k++)
        describe_output(s, k, fit_intercept, has_l2, in, smr_json_add_object(list, NULL));
    return SMR_OK;
}

/* ---- pictures --------------------------------------------------------------------------- */

struct one_output {
    const smr_path_state *s;
    int64_t k;
};

/* Columns ascend within a step: found by halving. */
static double coef_at(const void *self, int64_t step, int64_t feature)
{
    const struct one_output *o = self;
    const smr_path_state *s = o->s;
    int64_t at = o->k * s->n_path + step, lo = s->path_start[at], hi = s->path_start[at + 1];
    while (lo < hi) {
        int64_t mid = lo + (hi - lo) / 2;
        if (s->path_column[mid] < feature)
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo < s->path_start[at + 1] && s->path_column[lo] == feature ? s->path_value[lo] : 0;
}

static smr_status draw_errors(smr_ctx *ctx, const smr_path_state *s, int64_t k, bool one_se,
                              const char *name, smr_json *figures)
{
    smr_status st = SMR_OK;
    int64_t n = s->n_path, best = 0;
    const double *error = s->cv_error + k * n, *se = s->cv_se + k * n, *l1 = s->path_l1 + k * n;
    double *x = NULL, *low = NULL, *high = NULL;
    TRY_NEW(x, n);
    TRY_NEW(low, n);
    TRY_NEW(high, n);
    for (int64_t c = 0; c < n; c++) {
        x[c] = l1[c] > 0 ? l1[c] : NAN;
        low[c] = error[c] - se[c];
        high[c] = error[c] + se[c];
        if (error[c] < error[best]) best = c;
    }
    smr_json *figure = smr_figure_add(
        figures, name, "Cross-validated error against the penalty",
        "Mean squared error, averaged over the folds, with one standard error to each side.");
    smr_figure_axis(figure, "x", "l1", "log");
    smr_figure_axis(figure, "y", "mean squared error", "linear");
    smr_json *series = smr_figure_series(figure, "error", "band", n, x, error);
    smr_json_add_numbers(series, "low", low, n);
    smr_json_add_numbers(series, "high", high, n);
    smr_figure_series(figure, "error", "line", n, x, error);
    if (one_se && best != s->chosen[k] && l1[best] > 0)
        smr_figure_mark(figure, "vline", l1[best], "least");
    if (s->l1[k] > 0) smr_figure_mark(figure, "vline", s->l1[k], "chosen");
out:
    smr_free(high);
    smr_free(low);
    smr_free(x);
    return st;
}

smr_status smr_path_draw(smr_ctx *ctx, const void *params, const void *state, const smr_feature *in,
                         int64_t n_in, const char *prefix, smr_json *figures)
{
    const struct smr_path_params *p = params;
    const smr_path_state *s = state;
    smr_status st = SMR_OK;
    smr_text name = {.ctx = ctx};
    (void)n_in;
    for (int64_t k = 0; k < s->n_outputs && s->n_path > 1; k++) {
        char number[24] = "";
        struct one_output one = {s, k};
        smr_coef_path path = {.n_steps = s->n_path,
                              .n_features = s->n_features,
                              .penalty = s->path_l1 + k * s->n_path,
                              .axis = "l1",
                              .chosen = s->l1[k],
                              .self = &one,
                              .coef = coef_at};
        if (s->n_outputs > 1) snprintf(number, sizeof number, "_%lld", (long long)k);
        name.length = 0;
        smr_text_printf(&name, "%spath%s", prefix, number);
        TRY(smr_text_done(&name));
        TRY(smr_coef_path_draw(ctx, &path, in, name.bytes, figures));
        name.length = 0;
        smr_text_printf(&name, "%scv%s", prefix, number);
        TRY(smr_text_done(&name));
        if (s->cv_error) TRY(draw_errors(ctx, s, k, p->one_se, name.bytes, figures));
    }
out:
    smr_text_release(&name);
    return st;
}
