/* explain_regions.c -- what a model predicts over a plane of two columns.
 *
 * All other inputs are held at their middle: numbers and dates at the median of all rows,
 * categories at the most frequent level.  One line of the plane is one table of as many rows as
 * there are cells, whose other columns are single values (stride 0). */
#include "core/figure.h"
#include "core/parallel.h"
#include "core/text.h"
#include "data/summary.h"
#include "study/explain_parts.h"

#include <math.h>
#include <string.h>

enum { CELLS = 100, MOST_DOTS = 500 };
#define NEAR 2e-3 /* a score that a fit brought to the margin is there to its tol */

struct plane {
    const smr_model *model;
    const smr_asked *x, *y;
    smr_grid gx, gy;
    smr_grid *middle; /* one value for each input */
    smr_output output;
    double *value; /* ny x nx: the class, or the number */
    int64_t width; /* of a prediction; the first column is shown */
};

/* ---- the middle ------------------------------------------------------------------------- */

/* The most frequent level of a column of numbers that the model takes as categories. */
static smr_status frequent_number(smr_ctx *ctx, const smr_column *col, int64_t n_rows,
                                  const smr_input *in, int32_t *code)
{
    smr_status st = SMR_OK;
    smr_strings levels = {0};
    int32_t *codes = NULL;
    int64_t *count = NULL, best = 0, length;
    TRY(smr_codes_from_numbers(ctx, col, n_rows, INT32_MAX, &levels, &codes));
    TRY_NEW(count, levels.n + 1);
    for (int64_t i = 0; i < n_rows; i++)
        if (codes[i] >= 0) count[codes[i]]++;
    for (int64_t k = 1; k < levels.n; k++)
        if (count[k] > count[best]) best = k;
    *code = -1;
    if (levels.n) {
        const char *text = smr_strings_get(&levels, best, &length);
        *code = (int32_t)smr_strings_find(&in->levels, text, length);
    }
out:
    smr_free(count);
    smr_free(codes);
    smr_strings_release(&levels);
    return st;
}

static smr_status find_middle(smr_ctx *ctx, const smr_asked *of, const smr_table *table,
                              smr_grid *out)
{
    const smr_column *col = &table->cols[of->col];
    smr_column_summary s = {0};
    smr_status st = SMR_OK;
    int64_t length;
    TRY(smr_grid_room(ctx, of->in, 1, out));
    if (out->code && col->kind == SMR_NUMBER) {
        TRY(frequent_number(ctx, col, table->n_rows, of->in, out->code));
        goto out;
    }
    TRY(smr_column_summarize(ctx, col, table->n_rows, &s));
    if (!out->code) {
        out->number[0] = s.n && s.kind != SMR_CATEGORY && s.kind != SMR_TEXT ? s.median : NAN;
        goto out;
    }
    out->code[0] = -1;
    if (s.most_frequent >= 0) {
        const char *text = smr_strings_get(&col->levels, s.most_frequent, &length);
        out->code[0] = (int32_t)smr_strings_find(&of->in->levels, text, length);
    }
out:
    smr_free(s.level_count);
    return st;
}

/* ---- predicting ------------------------------------------------------------------------- */

static smr_status predict_line(smr_ctx *ctx, void *arg, int64_t line, int lane)
{
    const struct plane *p = arg;
    const smr_schema *schema = &p->model->schema;
    int64_t nx = p->gx.n;
    smr_status st = SMR_OK;
    smr_table table = {.n_rows = nx, .n_cols = schema->n_inputs, .has_header = true};
    double *out = NULL;
    (void)lane;
    TRY_NEW(table.cols, schema->n_inputs + 1);
    TRY_NEW(out, nx * p->width);
    for (int64_t j = 0; j < schema->n_inputs; j++)
        smr_grid_put(&schema->inputs[j], &p->middle[j], 0, 0, &table.cols[j]);
    smr_grid_put(p->x->in, &p->gx, 0, 1, &table.cols[p->x->input]);
    smr_grid_put(p->y->in, &p->gy, line, 0, &table.cols[p->y->input]);
    TRY(smr_model_apply(ctx, p->model, &table, NULL, 0, p->output, out));
    for (int64_t k = 0; k < nx; k++) p->value[line * nx + k] = out[k * p->width];
out:
    smr_free(out);
    smr_free(table.cols);
    return st;
}

/* ---- reporting -------------------------------------------------------------------------- */

static void add_middle(smr_ctx *ctx, const struct plane *p, smr_json *into)
{
    const smr_schema *schema = &p->model->schema;
    smr_json *at = smr_json_add_array(into, "others");
    for (int64_t j = 0; j < schema->n_inputs; j++) {
        if (j == p->x->input || j == p->y->input) continue;
        smr_json *row = smr_json_add_object(at, NULL);
        smr_json_add_string(row, "column", schema->inputs[j].name);
        smr_grid_json(ctx, &schema->inputs[j], &p->middle[j], 0, row, "value");
    }
}

/* For each class its share of the plane; for numbers the least and the largest. */
static smr_status add_shares(smr_ctx *ctx, const struct plane *p, smr_json *into)
{
    const smr_strings *classes = &p->model->target.classes;
    int64_t n = p->gx.n * p->gy.n, length;
    smr_status st = SMR_OK;
    double *share = NULL, least = INFINITY, most = -INFINITY;
    TRY_NEW(share, classes->n + 1);
    for (int64_t k = 0; k < n; k++) {
        if (classes->n) share[(int64_t)p->value[k]] += 1;
        least = smr_fmin(least, p->value[k]);
        most = smr_fmax(most, p->value[k]);
    }
    smr_json *rows = classes->n ? smr_json_add_array(into, "shares") : NULL;
    for (int64_t k = 0; k < classes->n; k++) {
        smr_json *row = smr_json_add_object(rows, NULL);
        const char *name = smr_strings_get(classes, k, &length);
        smr_json_add_bytes(row, "class", name, length);
        smr_json_add_number(row, "share", share[k] / (double)n);
    }
    if (!classes->n) {
        smr_json_add_number(into, "least", least);
        smr_json_add_number(into, "largest", most);
    }
out:
    smr_free(share);
    return st;
}

static void add_cells(const struct plane *p, smr_json *figure)
{
    const smr_target *t = &p->model->target;
    smr_json *cells = smr_json_add_object(smr_json_add_array(figure, "series"), NULL);
    smr_json_add_string(cells, "name", t->classes.n ? "predicted class" : t->names[0]);
    smr_json_add_string(cells, "kind", "cells");
    smr_json_add_number(cells, "nx", (double)p->gx.n);
    smr_json_add_number(cells, "ny", (double)p->gy.n);
    smr_json_add_numbers(cells, "value", p->value, p->gx.n * p->gy.n);
    if (t->classes.n) smr_strings_to_json(cells, "names", &t->classes);
}

/* Where row i is on an axis; NaN where the value is missing or has no place there. */
static double place_of(const smr_asked *of, const smr_table *table, int64_t i)
{
    const smr_column *col = &table->cols[of->col];
    int64_t length;
    if (of->in->kind != SMR_CATEGORY) {
        if (col->kind == SMR_CATEGORY || col->kind == SMR_TEXT) return NAN;
        double v = smr_column_number(col, i);
        smr_grid one = {.n = 1, .number = &v};
        return smr_grid_place(of->in, &one, 0);
    }
    if (col->kind == SMR_NUMBER) return NAN;
    int32_t code = smr_column_code(col, i);
    if (code < 0) return NAN;
    const char *text = smr_strings_get(&col->levels, code, &length);
    int64_t k = smr_strings_find(&of->in->levels, text, length);
    return k < 0 ? NAN : (double)k;
}

struct dots {
    int64_t n;
    double *x, *y;
    int32_t *label; /* -1: not known */
};

static void add_dots(const smr_model *m, const struct dots *d, double *x, double *y,
                     smr_json *figure)
{
    const smr_strings *classes = &m->target.classes;
    char name[64];
    for (int64_t c = classes->n ? 0 : -1; c < SMR_MAX(0, classes->n); c++) {
        int64_t n = 0, length = 4;
        const char *text = c >= 0 ? smr_strings_get(classes, c, &length) : "rows";
        for (int64_t i = 0; i < d->n; i++)
            if (d->label[i] == c) {
                x[n] = d->x[i];
                y[n++] = d->y[i];
            }
        length = SMR_MIN(length, (int64_t)sizeof name - 1);
        memcpy(name, text, (size_t)length);
        name[length] = '\0';
        if (n) smr_figure_series(figure, name, "points", n, x, y);
    }
}

/* Rings around the rows that the model is made of; row: of each dot. */
static smr_status add_support(smr_ctx *ctx, const smr_model *m, const smr_table *table,
                              const struct dots *d, const int64_t *row, double *x, double *y,
                              smr_json *figure)
{
    smr_status st = SMR_OK;
    const smr_stage *last = smr_model_last(m);
    double *score = NULL, margin = NAN;
    int64_t n = 0;
    if (smr_explains(last->learner)->margin)
        margin = smr_explains(last->learner)->margin(last->params, last->state);
    if (isnan(margin) || m->target.classes.n != 2 || d->n == 0) goto out;
    TRY_NEW(score, 2 * d->n);
    TRY(smr_model_apply(ctx, m, table, row, d->n, SMR_OUTPUT_DECISION, score));
    for (int64_t i = 0; i < d->n; i++) {
        if (d->label[i] < 0 || !(score[2 * i + d->label[i]] <= margin + NEAR)) continue;
        x[n] = d->x[i];
        y[n++] = d->y[i];
    }
    if (n) smr_figure_series(figure, "support vectors", "rings", n, x, y);
out:
    smr_free(score);
    return st;
}

/* The rows over the plane, at most MOST_DOTS of them, by class where the classes are known. */
static smr_status draw_dots(smr_ctx *ctx, const struct plane *p, const smr_sample *sample,
                            smr_json *figure)
{
    const smr_table *table = sample->table;
    smr_status st = SMR_OK;
    struct dots d = {0};
    int64_t *rows = NULL, n = 0;
    int32_t *labels = NULL;
    double *x = NULL, *y = NULL;
    bool known = p->model->target.classes.n && smr_target_present(&p->model->target, table);
    TRY(smr_explain_rows(ctx, sample, MOST_DOTS, &rows, &n));
    TRY_NEW(d.x, n);
    TRY_NEW(d.y, n);
    TRY_NEW(d.label, n);
    TRY_NEW(x, n);
    TRY_NEW(y, n);
    TRY_NEW(labels, table->n_rows + 1);
    if (known) TRY(smr_target_labels(ctx, &p->model->target, table, labels));
    for (int64_t i = 0; i < n; i++) {
        d.x[d.n] = place_of(p->x, table, rows[i]);
        d.y[d.n] = place_of(p->y, table, rows[i]);
        d.label[d.n] = known ? labels[rows[i]] : -1;
        rows[d.n] = rows[i];
        d.n += isfinite(d.x[d.n]) && isfinite(d.y[d.n]);
    }
    add_dots(p->model, &d, x, y, figure);
    if (known) TRY(add_support(ctx, p->model, table, &d, rows, x, y, figure));
out:
    smr_free(rows);
    smr_free(labels);
    smr_free(d.x);
    smr_free(d.y);
    smr_free(d.label);
    smr_free(x);
    smr_free(y);
    return st;
}

static smr_status tell(smr_ctx *ctx, const struct plane *p, const smr_sample *sample,
                       smr_json *into)
{
    smr_status st = SMR_OK;
    smr_text title = {.ctx = ctx};
    smr_json_add_string(into, "x", p->x->in->name);
    smr_json_add_string(into, "y", p->y->in->name);
    smr_json_add_number(into, "cells_x", (double)p->gx.n);
    smr_json_add_number(into, "cells_y", (double)p->gy.n);
    TRY(add_shares(ctx, p, into));
    add_middle(ctx, p, into);
    smr_text_printf(&title, "%s over %s and %s",
                    p->model->target.classes.n ? "Decision regions" : "Predictions", p->x->in->name,
                    p->y->in->name);
    TRY(smr_text_done(&title));
    bool others = p->model->schema.n_inputs > 2;
    smr_json *figure = smr_figure_add(
        smr_json_add_array(into, "figures"), "regions", title.bytes,
        others ? "All other columns are held at their median or their most frequent level." : NULL);
    smr_grid_axis(p->x->in, &p->gx, true, figure, "x");
    smr_grid_axis(p->y->in, &p->gy, true, figure, "y");
    add_cells(p, figure);
    TRY(draw_dots(ctx, p, sample, figure));
out:
    smr_text_release(&title);
    return st;
}

/* ---- all of it -------------------------------------------------------------------------- */

static smr_status predict_plane(smr_ctx *ctx, struct plane *p, const smr_sample *sample,
                                int64_t cells)
{
    const smr_model *m = p->model;
    smr_status st = SMR_OK;
    smr_asked *inputs = NULL;
    int64_t *rows = NULL, n_rows = 0, n = 0;
    TRY(smr_asked_find(ctx, m, sample->table, NULL, &inputs, &n));
    TRY_NEW(p->middle, n + 1);
    for (int64_t j = 0; j < n; j++) TRY(find_middle(ctx, &inputs[j], sample->table, &p->middle[j]));
    TRY(smr_explain_rows(ctx, sample, 0, &rows, &n_rows));
    TRY(smr_grid_cells(ctx, p->x, sample, rows, n_rows, cells, 0.05, &p->gx));
    TRY(smr_grid_cells(ctx, p->y, sample, rows, n_rows, cells, 0.05, &p->gy));
    p->output = m->target.classes.n ? SMR_OUTPUT_LABEL : SMR_OUTPUT_VALUE;
    p->width = smr_model_width(m, p->output);
    TRY_NEW(p->value, p->gx.n * p->gy.n);
    TRY(smr_parallel(ctx, "predicting the plane", p->gy.n, predict_line, p));
out:
    smr_free(inputs);
    smr_free(rows);
    return st;
}

smr_status smr_explain_regions(smr_ctx *ctx, const smr_model *model, const smr_sample *sample,
                               const smr_explain_how *how, smr_json *into)
{
    smr_status st = SMR_OK;
    struct plane p = {.model = model};
    smr_asked *asked = NULL;
    int64_t n = 0;
    if (model->target.task == SMR_TASK_NONE)
        return smr_fail(ctx, SMR_ERR_STATE, "this model predicts nothing that could be shown");
    TRY(smr_asked_find(ctx, model, sample->table, how->columns, &asked, &n));
    if (n != 2) {
        st = smr_fail(ctx, SMR_ERR_PARAM,
                      "regions lie in the plane of two columns; name them with --columns X,Y "
                      "(the model reads %lld)",
                      (long long)model->schema.n_inputs);
        goto out;
    }
    p.x = &asked[0];
    p.y = &asked[1];
    TRY(predict_plane(ctx, &p, sample, how->grid ? how->grid : CELLS));
    TRY(tell(ctx, &p, sample, into));
out:
    for (int64_t j = 0; p.middle && j < model->schema.n_inputs; j++) smr_grid_release(&p.middle[j]);
    smr_free(p.middle);
    smr_free(p.value);
    smr_grid_release(&p.gx);
    smr_grid_release(&p.gy);
    smr_free(asked);
    return st;
}
