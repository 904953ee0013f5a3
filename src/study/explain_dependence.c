/* explain_dependence.c -- partial dependence of one column or of a pair.
 *
 * With x_i the rows and f the model,
 *
 *     g(v) = mean over i of f(x_i with the column set to v):                                    (1)
 *
 * what the model makes of the column on average, its interplay with the others averaged out.  For a
 * model that is a sum of functions of single columns g is that column's function and a constant;
 * for a linear model it is a line with the column's coefficient.  Columns that depend on each other
 * make combinations that no row has: g asks the model about these too.
 *
 * The values of one column are quantiles of the rows' own, so that there are many where there are
 * many rows; those of a pair lie on an even grid, which is drawn as cells. */
#include "core/figure.h"
#include "core/parallel.h"
#include "core/rng.h"
#include "core/span.h"
#include "core/text.h"
#include "math/stats.h"
#include "study/explain_parts.h"

#include <math.h>
#include <string.h>

enum { POINTS_OF_PAIR = 20 };

static const char WHAT[] = "varying columns";

struct varying {
    const smr_model *model;
    const smr_sample *sample;
    const int64_t *rows;
    int64_t n_rows, n_given; /* n_given: those they were drawn from; 0: these are all */
    const double *weight;    /* of these rows, or NULL */
    const smr_shown *shown;
    const smr_asked *asked; /* one or two                                 */
    smr_grid grid[2];       /* the second is one value where there is none */
    double *mean;           /* points x shown: (1); point = y * nx + x     */
    int64_t n_single;
    const int64_t *single; /* positions among the rows of those shown one by one */
    double *own;           /* points x single x shown                            */
};

/* ---- predicting ------------------------------------------------------------------------- */

static smr_status predict_point(smr_ctx *ctx, void *arg, int64_t point, int lane)
{
    const struct varying *v = arg;
    const smr_shown *s = v->shown;
    int64_t n = v->n_rows, nx = v->grid[0].n;
    smr_status st = SMR_OK;
    smr_column_view view = {0};
    double *out = NULL, *one = NULL;
    (void)lane;
    TRY(smr_view_open(ctx, v->sample->table, &view));
    smr_grid_put(v->asked[0].in, &v->grid[0], point % nx, 0, &view.cols[v->asked[0].col]);
    if (v->grid[1].n)
        smr_grid_put(v->asked[1].in, &v->grid[1], point / nx, 0, &view.cols[v->asked[1].col]);
    TRY_NEW(out, n * s->width);
    TRY_NEW(one, n);
    bool all = n == view.table.n_rows; /* in order: read without an index */
    TRY(smr_model_apply(ctx, v->model, &view.table, all ? NULL : v->rows, n, s->output, out));
    for (int64_t k = 0; k < s->n; k++) {
        for (int64_t i = 0; i < n; i++) one[i] = out[i * s->width + s->at[k]];
        v->mean[point * s->n + k] = smr_mean(n, one, v->weight);
        for (int64_t i = 0; i < v->n_single; i++)
            v->own[(point * v->n_single + i) * s->n + k] = one[v->single[i]];
    }
out:
    smr_free(out);
    smr_free(one);
    smr_view_close(&view);
    return st;
}

static smr_status predict_all(smr_ctx *ctx, struct varying *v)
{
    int64_t points = v->grid[0].n * SMR_MAX(1, v->grid[1].n);
    smr_status st = SMR_OK;
    TRY_NEW(v->mean, points * v->shown->n);
    if (v->n_single) TRY_NEW(v->own, points * v->n_single * v->shown->n);
    TRY(smr_parallel(ctx, WHAT, points, predict_point, v));
out:
    return st;
}

/* ---- one column ------------------------------------------------------------------------- */

static void tell_points(smr_ctx *ctx, const struct varying *v, smr_json *entry)
{
    const smr_shown *s = v->shown;
    smr_json *rows = smr_json_add_array(entry, "points");
    for (int64_t p = 0; p < v->grid[0].n; p++) {
        smr_json *row = smr_json_add_object(rows, NULL);
        smr_grid_json(ctx, v->asked[0].in, &v->grid[0], p, row, "value");
        for (int64_t k = 0; k < s->n; k++)
            smr_json_add_number(row, s->name[k], v->mean[p * s->n + k]);
    }
}

/* The curves of single rows as one series, with gaps between them. */
static smr_status draw_single(smr_ctx *ctx, const struct varying *v, smr_json *figure)
{
    const smr_shown *s = v->shown;
    int64_t n = v->grid[0].n, total = v->n_single * (n + 1);
    smr_status st = SMR_OK;
    double *x = NULL, *y = NULL;
    TRY_NEW(x, total + 1);
    TRY_NEW(y, total + 1);
    for (int64_t i = 0, at = 0; i < v->n_single; i++) {
        for (int64_t p = 0; p < n; p++, at++) {
            x[at] = smr_grid_place(v->asked[0].in, &v->grid[0], p);
            y[at] = v->own[(p * v->n_single + i) * s->n];
        }
        x[at] = x[at - 1];
        y[at++] = NAN;
    }
    smr_figure_series(figure, "single rows", "line", total, x, y);
out:
    smr_free(x);
    smr_free(y);
    return st;
}

/* What a point is, and over how many rows. */
static void note_rows(const struct varying *v, const char *column, const char *given,
                      smr_text *note)
{
    smr_text_printf(note, "Mean prediction over %lld row%s", (long long)v->n_rows,
                    smr_plural(v->n_rows, "", "s"));
    if (v->n_given) smr_text_printf(note, " drawn from %lld", (long long)v->n_given);
    smr_text_printf(note, ", with %s set to the same %s in every row.", column, given);
}

/* Curves of several columns are on one scale, so that a flat one looks flat. */
static void share_scale(smr_json *const *axis, int64_t n, const double span[2])
{
    double margin = 0.04 * (span[1] - span[0]);
    if (n < 2 || !(span[0] < span[1])) return;
    for (int64_t k = 0; k < n; k++) {
        smr_json_add_number(axis[k], "min", span[0] - margin);
        smr_json_add_number(axis[k], "max", span[1] + margin);
    }
}

static void widen(double span[2], const double *y, int64_t n)
{
    for (int64_t i = 0; i < n; i++) {
        if (y[i] < span[0]) span[0] = y[i];
        if (y[i] > span[1]) span[1] = y[i];
    }
}

static smr_status draw_curves(smr_ctx *ctx, const struct varying *v, const char *name,
                              smr_json *figures, smr_json **axis)
{
    const smr_shown *s = v->shown;
    const smr_input *in = v->asked[0].in;
    int64_t n = v->grid[0].n;
    smr_status st = SMR_OK;
    smr_text title = {.ctx = ctx}, note = {.ctx = ctx};
    double *x = NULL, *y = NULL;
    TRY_NEW(x, n);
    TRY_NEW(y, n);
    smr_text_printf(&title, "Partial dependence on %s", in->name);
    note_rows(v, in->name, "value", &note);
    TRY(smr_text_done(&title));
    TRY(smr_text_done(&note));
    smr_json *figure = smr_figure_add(figures, name, title.bytes, note.bytes);
    smr_grid_axis(in, &v->grid[0], false, figure, "x");
    *axis = smr_figure_axis(figure, "y", s->n == 1 ? s->name[0] : "mean prediction", "linear");
    if (v->n_single) TRY(draw_single(ctx, v, figure));
    for (int64_t p = 0; p < n; p++) x[p] = smr_grid_place(in, &v->grid[0], p);
    for (int64_t k = 0; k < s->n; k++) {
        for (int64_t p = 0; p < n; p++) y[p] = v->mean[p * s->n + k];
        smr_figure_series(figure, s->n == 1 ? "mean" : s->name[k],
                          v->grid[0].code ? "points" : "line", n, x, y);
    }
out:
    smr_free(x);
    smr_free(y);
    smr_text_release(&title);
    smr_text_release(&note);
    return st;
}

static smr_json *open_entry(const struct varying *v, smr_json *list)
{
    smr_json *entry = smr_json_add_object(list, NULL);
    smr_json_add_string(entry, "column", v->asked[0].in->name);
    if (v->grid[1].n) smr_json_add_string(entry, "with", v->asked[1].in->name);
    smr_json_add_number(entry, "rows", (double)v->n_rows);
    if (v->n_given) smr_json_add_number(entry, "drawn_from", (double)v->n_given);
    return entry;
}

static smr_status vary_one(smr_ctx *ctx, struct varying *v, const char *name, smr_json *list,
                           smr_json *figures, smr_json **axis)
{
    smr_status st = SMR_OK;
    TRY(predict_all(ctx, v));
    tell_points(ctx, v, open_entry(v, list));
    TRY(draw_curves(ctx, v, name, figures, axis));
out:
    return st;
}

/* ---- a pair ----------------------------------------------------------------------------- */

static void tell_pair(smr_ctx *ctx, const struct varying *v, smr_json *entry)
{
    const smr_shown *s = v->shown;
    int64_t nx = v->grid[0].n, ny = v->grid[1].n;
    smr_json *rows = smr_json_add_array(entry, "points");
    for (int64_t p = 0; p < nx * ny; p++) {
        smr_json *row = smr_json_add_object(rows, NULL);
        smr_grid_json(ctx, v->asked[0].in, &v->grid[0], p % nx, row, "x");
        smr_grid_json(ctx, v->asked[1].in, &v->grid[1], p / nx, row, "y");
        for (int64_t k = 0; k < s->n; k++)
            smr_json_add_number(row, s->name[k], v->mean[p * s->n + k]);
    }
}

static smr_status draw_pair(smr_ctx *ctx, const struct varying *v, smr_json *figures)
{
    const smr_shown *s = v->shown;
    int64_t nx = v->grid[0].n, ny = v->grid[1].n;
    smr_status st = SMR_OK;
    smr_text title = {.ctx = ctx}, name = {.ctx = ctx}, note = {.ctx = ctx};
    note_rows(v, "both columns", "values", &note);
    TRY(smr_text_done(&note));
    for (int64_t k = 0; k < s->n; k++) {
        name.length = title.length = 0;
        smr_text_printf(&name, "dependence%s%s", s->n > 1 ? "-" : "", s->n > 1 ? s->name[k] : "");
        smr_text_printf(&title, "Partial dependence on %s and %s: %s", v->asked[0].in->name,
                        v->asked[1].in->name, s->name[k]);
        TRY(smr_text_done(&name));
        TRY(smr_text_done(&title));
        smr_json *figure = smr_figure_add(figures, name.bytes, title.bytes, note.bytes);
        smr_grid_axis(v->asked[0].in, &v->grid[0], true, figure, "x");
        smr_grid_axis(v->asked[1].in, &v->grid[1], true, figure, "y");
        smr_json *cells = smr_json_add_object(smr_json_add_array(figure, "series"), NULL);
        smr_json_add_string(cells, "name", s->name[k]);
        smr_json_add_string(cells, "kind", "cells");
        smr_json_add_number(cells, "nx", (double)nx);
        smr_json_add_number(cells, "ny", (double)ny);
        smr_json *value = smr_json_add_array(cells, "value");
        for (int64_t p = 0; p < nx * ny; p++)
            smr_json_add_number(value, NULL, v->mean[p * s->n + k]);
    }
out:
    smr_text_release(&title);
    smr_text_release(&name);
    smr_text_release(&note);
    return st;
}

static smr_status vary_pair(smr_ctx *ctx, struct varying *v, smr_json *list, smr_json *figures)
{
    smr_status st = SMR_OK;
    TRY(predict_all(ctx, v));
    tell_pair(ctx, v, open_entry(v, list));
    TRY(draw_pair(ctx, v, figures));
out:
    return st;
}

/* ---- all of it -------------------------------------------------------------------------- */

static void forget(struct varying *v)
{
    smr_grid_release(&v->grid[0]);
    smr_grid_release(&v->grid[1]);
    smr_free(v->mean);
    smr_free(v->own);
    v->mean = v->own = NULL;
}

static smr_status vary_each(smr_ctx *ctx, struct varying *v, const smr_asked *asked, int64_t n,
                            const smr_explain_how *how, smr_json *into)
{
    smr_status st = SMR_OK;
    smr_json *list = smr_json_add_array(into, "dependence");
    smr_json *figures = smr_json_add_array(into, "figures");
    smr_text name = {.ctx = ctx};
    smr_json **axis = NULL;
    double range[2] = {INFINITY, -INFINITY};
    smr_span span = {0};
    bool pair = n == 2 && how->columns, several = n > 1 || how->n_inputs;
    TRY_NEW(axis, n + 1);
    for (int64_t k = 0; k < (pair ? 2 : 0); k++)
        TRY(smr_grid_cells(ctx, &asked[k], v->sample, v->rows, v->n_rows,
                           how->grid ? how->grid : POINTS_OF_PAIR, 0, &v->grid[k]));
    v->asked = asked;
    if (pair) TRY(vary_pair(ctx, v, list, figures));
    if (n > 1 && !pair) smr_span_open(ctx, &span, WHAT, n);
    for (int64_t k = 0; !pair && k < n; k++) {
        if (n > 1) TRY(smr_span_at(ctx, &span, k, NAN));
        forget(v);
        v->asked = &asked[k];
        TRY(smr_grid_quantiles(ctx, &asked[k], v->sample, v->rows, v->n_rows,
                               how->grid ? how->grid : SMR_DEPENDENCE_POINTS, &v->grid[0]));
        name.length = 0;
        smr_text_printf(&name, "dependence%s%s", several ? "-" : "",
                        several ? asked[k].in->name : "");
        TRY(smr_text_done(&name));
        TRY(vary_one(ctx, v, name.bytes, list, figures, &axis[k]));
        widen(range, v->mean, v->grid[0].n * v->shown->n);
        if (v->own) widen(range, v->own, v->grid[0].n * v->n_single * v->shown->n);
    }
    share_scale(axis, pair ? 0 : n, range);
out:
    smr_span_close(ctx, &span);
    smr_free(axis);
    smr_text_release(&name);
    return st;
}

/* Rows shown one by one: drawn at random from those used. */
static smr_status choose_single(smr_ctx *ctx, struct varying *v, int64_t n, int64_t **out)
{
    smr_status st = SMR_OK;
    v->n_single = SMR_MIN(n, v->n_rows);
    if (v->n_single == 0) return SMR_OK;
    TRY_NEW(*out, v->n_rows);
    smr_random_permutation(ctx->seed, SMR_STREAM_EXPLAIN, UINT64_MAX - 1, v->n_rows, *out);
    v->single = *out;
out:
    return st;
}

/* asked: all inputs of the model; these of them move to the front, in the order of `how`. */
static smr_status keep_inputs(smr_ctx *ctx, const smr_explain_how *how, smr_asked *asked,
                              int64_t *n)
{
    smr_status st = SMR_OK;
    smr_asked *all = NULL;
    if (how->n_inputs == 0) return SMR_OK;
    TRY_NEW(all, *n + 1);
    memcpy(all, asked, (size_t)*n * sizeof *all);
    for (int64_t k = 0; k < how->n_inputs; k++) asked[k] = all[how->inputs[k]];
    *n = how->n_inputs;
out:
    smr_free(all);
    return st;
}

static smr_status take_weights(smr_ctx *ctx, struct varying *v, double **out)
{
    smr_status st = SMR_OK;
    if (!v->sample->weight) return SMR_OK;
    TRY_NEW(*out, v->n_rows);
    for (int64_t i = 0; i < v->n_rows; i++) (*out)[i] = v->sample->weight[v->rows[i]];
    v->weight = *out;
out:
    return st;
}

smr_status smr_explain_dependence(smr_ctx *ctx, const smr_model *model, const smr_sample *sample,
                                  const smr_explain_how *how, smr_json *into)
{
    smr_status st = SMR_OK;
    smr_shown shown = {0};
    smr_asked *asked = NULL;
    int64_t n = 0, *rows = NULL, *single = NULL;
    double *weight = NULL;
    struct varying v = {.model = model, .sample = sample, .shown = &shown};
    TRY(smr_asked_find(ctx, model, sample->table, how->columns, &asked, &n));
    TRY(keep_inputs(ctx, how, asked, &n));
    if (how->columns && n > 2) {
        st = smr_fail(ctx, SMR_ERR_PARAM, "dependence shows one column or a pair; %lld were named",
                      (long long)n);
        goto out;
    }
    if (how->columns && n == 2 && how->grid > SMR_MOST_PAIR_GRID) {
        st = smr_fail(ctx, SMR_ERR_PARAM, "--grid: at most %d along each of two columns, not %lld",
                      SMR_MOST_PAIR_GRID, (long long)how->grid);
        goto out;
    }
    TRY(smr_shown_find(ctx, model, how->positive, &shown));
    TRY(smr_explain_rows(ctx, sample, how->most_rows ? how->most_rows : SMR_DEPENDENCE_ROWS, &rows,
                         &v.n_rows));
    int64_t n_all = sample->rows ? sample->n_rows : sample->table->n_rows;
    v.n_given = v.n_rows < n_all ? n_all : 0;
    v.rows = rows;
    TRY(choose_single(ctx, &v, how->single_rows, &single));
    TRY(take_weights(ctx, &v, &weight));
    smr_json_add_number(into, "rows", (double)v.n_rows);
    TRY(vary_each(ctx, &v, asked, n, how, into));
out:
    forget(&v);
    smr_free(weight);
    smr_free(single);
    smr_free(rows);
    smr_free(asked);
    smr_shown_release(&shown);
    return st;
}
