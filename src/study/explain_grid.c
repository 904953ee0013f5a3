/* explain_grid.c -- values of one input: quantiles, cells, levels; and how they look. */
#include "core/figure.h"
#include "core/text.h"
#include "data/formats.h"
#include "math/stats.h"
#include "study/explain_parts.h"

#include <math.h>
#include <string.h>

smr_status smr_grid_room(smr_ctx *ctx, const smr_input *in, int64_t n, smr_grid *out)
{
    smr_status st = SMR_OK;
    *out = (smr_grid){.n = n};
    if (in->kind == SMR_CATEGORY)
        TRY_NEW(out->code, n + 1);
    else
        TRY_NEW(out->number, n + 1);
out:
    return st;
}

void smr_grid_release(smr_grid *grid)
{
    smr_free(grid->number);
    smr_free(grid->code);
    *grid = (smr_grid){0};
}

static smr_status all_levels(smr_ctx *ctx, const smr_input *in, smr_grid *out)
{
    smr_status st = smr_grid_room(ctx, in, in->levels.n, out);
    for (int64_t k = 0; st == SMR_OK && k < in->levels.n; k++) out->code[k] = (int32_t)k;
    return st;
}

/* The finite values of the rows, in their order. */
static smr_status finite_values(smr_ctx *ctx, const smr_asked *of, const smr_sample *sample,
                                const int64_t *rows, int64_t n_rows, double **out, int64_t *n)
{
    const smr_column *col = &sample->table->cols[of->col];
    smr_status st = SMR_OK;
    double *x = NULL;
    int64_t count = 0;
    TRY_NEW(x, n_rows + 1);
    bool strings = col->kind == SMR_CATEGORY || col->kind == SMR_TEXT; /* all missing */
    for (int64_t i = 0; !strings && i < n_rows; i++) {
        double v = smr_column_number(col, rows[i]);
        if (isfinite(v)) x[count++] = v;
    }
    if (count == 0) {
        st = smr_fail(ctx, SMR_ERR_DATA, "column '%s' has no values to vary it over", of->in->name);
        goto out;
    }
    *out = x;
    *n = count;
    x = NULL;
out:
    smr_free(x);
    return st;
}

smr_status smr_grid_quantiles(smr_ctx *ctx, const smr_asked *of, const smr_sample *sample,
                              const int64_t *rows, int64_t n_rows, int64_t n, smr_grid *out)
{
    smr_status st = SMR_OK;
    double *x = NULL, *q = NULL, *at = NULL;
    int64_t n_x = 0;
    if (of->in->kind == SMR_CATEGORY) return all_levels(ctx, of->in, out);
    TRY(finite_values(ctx, of, sample, rows, n_rows, &x, &n_x));
    TRY_NEW(q, n);
    TRY_NEW(at, n);
    for (int64_t k = 0; k < n; k++) q[k] = n > 1 ? (double)k / (double)(n - 1) : 0.5;
    TRY(smr_quantiles(ctx, n_x, x, NULL, n, q, at));
    TRY(smr_grid_room(ctx, of->in, n, out));
    out->n = 0;
    for (int64_t k = 0; k < n; k++)
        if (out->n == 0 || at[k] > out->number[out->n - 1]) out->number[out->n++] = at[k];
out:
    smr_free(x);
    smr_free(q);
    smr_free(at);
    return st;
}

smr_status smr_grid_cells(smr_ctx *ctx, const smr_asked *of, const smr_sample *sample,
                          const int64_t *rows, int64_t n_rows, int64_t n, double margin,
                          smr_grid *out)
{
    smr_status st = SMR_OK;
    double *x = NULL;
    int64_t n_x = 0;
    if (of->in->kind == SMR_CATEGORY) return all_levels(ctx, of->in, out);
    TRY(finite_values(ctx, of, sample, rows, n_rows, &x, &n_x));
    double lo = x[0], hi = x[0];
    for (int64_t i = 1; i < n_x; i++) {
        lo = smr_fmin(lo, x[i]);
        hi = smr_fmax(hi, x[i]);
    }
    double wide = hi > lo ? hi - lo : smr_fmax(1, fabs(lo)),
           more = hi > lo ? margin * wide : wide / 2;
    lo -= more;
    hi += more;
    TRY(smr_grid_room(ctx, of->in, n, out));
    for (int64_t k = 0; k < n; k++) out->number[k] = lo + (hi - lo) * ((double)k + 0.5) / (double)n;
out:
    smr_free(x);
    return st;
}

void smr_grid_put(const smr_input *in, const smr_grid *grid, int64_t k, int64_t step,
                  smr_column *col)
{
    *col =
        (smr_column){.name = in->name, .kind = in->kind, .stride = step, .has_time = in->has_time};
    if (grid->code) {
        col->dtype = SMR_I32;
        col->values = grid->code + k;
        col->levels = in->levels; /* borrowed: a view is never freed as a table */
    } else {
        col->dtype = SMR_F64;
        col->values = grid->number + k;
    }
}

void smr_grid_json(smr_ctx *ctx, const smr_input *in, const smr_grid *grid, int64_t k,
                   smr_json *into, const char *key)
{
    smr_text text = {.ctx = ctx};
    int64_t length;
    if (grid->code && grid->code[k] >= 0) {
        const char *level = smr_strings_get(&in->levels, grid->code[k], &length);
        smr_json_add_bytes(into, key, level, length);
    } else if (grid->code) {
        smr_json_add_null(into, key);
    } else if (in->kind == SMR_DATE) {
        smr_text_date(&text, grid->number[k], in->has_time);
        smr_json_add_string(into, key, text.bytes ? text.bytes : "");
    } else {
        smr_json_add_number(into, key, grid->number[k]);
    }
    smr_text_release(&text);
}

double smr_grid_place(const smr_input *in, const smr_grid *grid, int64_t k)
{
    if (grid->code) return (double)grid->code[k];
    return in->kind == SMR_DATE ? smr_year_of(grid->number[k]) : grid->number[k];
}

smr_json *smr_grid_axis(const smr_input *in, const smr_grid *grid, bool cells, smr_json *figure,
                        const char *which)
{
    smr_json *axis = smr_figure_axis(figure, which, in->name, grid->code ? "names" : "linear");
    if (grid->code) {
        smr_strings_to_json(axis, "names", &in->levels);
    } else if (cells) {
        double half = (smr_grid_place(in, grid, grid->n - 1) - smr_grid_place(in, grid, 0)) /
                      (double)SMR_MAX(1, 2 * (grid->n - 1));
        smr_json_add_number(axis, "min", smr_grid_place(in, grid, 0) - half);
        smr_json_add_number(axis, "max", smr_grid_place(in, grid, grid->n - 1) + half);
    }
    return axis;
}
