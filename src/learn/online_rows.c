/* online_rows.c -- the rows of a table before they are learned: truths, and which rows are bad. */
#include "core/number.h"
#include "data/pick.h"
#include "kernel/kernel.h"
#include "learn/chain.h"
#include "learn/online_parts.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void smr_online_rest(smr_online *o)
{
    smr_reader_close(o->reader);
    smr_binding_release(&o->binding);
    o->reader = NULL;
    o->table = NULL;
}

/* ---- room ------------------------------------------------------------------------------- */

static smr_status make_rows(smr_ctx *ctx, smr_online *o, int64_t n)
{
    smr_status st = SMR_OK;
    const smr_target *t = &o->model->target;
    if (n > o->room) {
        smr_free(o->label);
        smr_free(o->y);
        smr_free(o->weight);
        smr_free(o->state);
        smr_free(o->rows.score);
        o->label = NULL;
        o->y = o->weight = o->rows.score = NULL;
        o->state = NULL;
        o->room = 0;
        if (t->task == SMR_TASK_CLASSIFY) TRY_NEW(o->label, n);
        if (t->task == SMR_TASK_REGRESS) TRY_NEW(o->y, n * t->n);
        if (o->opts.weight) TRY_NEW(o->weight, n);
        TRY_NEW(o->state, n);
        TRY_NEW(o->rows.score, n * o->rows.width);
        o->room = n;
    }
    memset(o->state, SMR_ROW_LEARN, (size_t)n);
    o->rows.n = o->rows.first_bad = n;
    o->rows.n_bad = o->rows.n_unseen = 0;
    o->rows.label = o->label;
    o->rows.y = o->y;
    o->rows.weight = o->weight;
    o->rows.state = o->state;
    o->rows.why = o->why;
    o->why[0] = '\0';
out:
    return st;
}

/* Row i is bad; the reason is kept for the first one. */
static void refuse(smr_online *o, int64_t i, const char *format, ...) SMR_PRINTF(3, 4);
static void refuse(smr_online *o, int64_t i, const char *format, ...)
{
    va_list args;
    if (o->state[i] != SMR_ROW_BAD) o->rows.n_bad++;
    o->state[i] = SMR_ROW_BAD;
    if (i >= o->rows.first_bad) return;
    o->rows.first_bad = i;
    int n = snprintf(o->why, sizeof o->why, "%s: row %" PRId64 ": ",
                     o->table->source ? o->table->source : "the table", o->before + i + 1);
    va_start(args, format);
    if (n >= 0 && (size_t)n < sizeof o->why)
        vsnprintf(o->why + n, sizeof o->why - (size_t)n, format, args);
    va_end(args);
}

/* ---- truths ----------------------------------------------------------------------------- */

static void refuse_class(smr_online *o, int64_t i, const char *name, int64_t length)
{
    refuse(o, i,
           "the target '%s' has the class '%.*s', which the model does not know; name all classes "
           "with --classes when the stream begins",
           o->model->target.names[0], (int)SMR_MIN(length, 60), name);
}

static smr_status value_classes(smr_ctx *ctx, smr_online *o)
{
    smr_status st = SMR_OK;
    const smr_strings *classes = &o->model->target.classes;
    if (o->class_value) return SMR_OK;
    TRY_NEW(o->class_value, classes->n);
    for (int64_t k = 0; k < classes->n; k++) {
        int64_t n;
        const char *name = smr_strings_get(classes, k, &n);
        if (smr_parse_double(name, name + n, &o->class_value[k]) != name + n)
            o->class_value[k] = NAN;
    }
out:
    return st;
}

/* Classes that are numbers come in ascending order. */
static int32_t class_of_number(const smr_online *o, double x)
{
    int64_t lo = 0, hi = o->model->target.classes.n;
    while (lo < hi) {
        int64_t mid = (lo + hi) / 2;
        if (o->class_value[mid] < x)
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo < o->model->target.classes.n && o->class_value[lo] == x ? (int32_t)lo : -1;
}

static smr_status label_numbers(smr_ctx *ctx, smr_online *o, const smr_column *col)
{
    smr_status st = SMR_OK;
    TRY(value_classes(ctx, o));
    for (int64_t i = 0; i < o->rows.n; i++) {
        double x = smr_column_number(col, i);
        o->label[i] = isnan(x) ? -1 : class_of_number(o, x);
        if (o->label[i] >= 0) continue;
        char text[SMR_NUMBER_MAX];
        smr_format_double(x, text);
        if (isnan(x))
            o->state[i] = SMR_ROW_PREDICT;
        else
            refuse_class(o, i, text, (int64_t)strlen(text));
    }
out:
    return st;
}

static smr_status label_strings(smr_ctx *ctx, smr_online *o, const smr_column *col)
{
    smr_status st = SMR_OK;
    int32_t *map = NULL;
    int64_t n;
    TRY_NEW(map, col->levels.n + 1);
    TRY(smr_strings_places(ctx, &col->levels, &o->model->target.classes, map));
    for (int64_t i = 0; i < o->rows.n; i++) {
        int32_t code = smr_column_code(col, i);
        o->label[i] = code < 0 ? -1 : map[code];
        if (o->label[i] >= 0) continue;
        if (code < 0) {
            o->state[i] = SMR_ROW_PREDICT;
        } else {
            const char *level = smr_strings_get(&col->levels, code, &n);
            refuse_class(o, i, level, n);
        }
    }
out:
    smr_free(map);
    return st;
}

static smr_status value_targets(smr_ctx *ctx, smr_online *o, int64_t j, const smr_column *col)
{
    const smr_target *t = &o->model->target;
    if (col->kind == SMR_CATEGORY || col->kind == SMR_TEXT)
        return smr_fail(ctx, SMR_ERR_DATA, "the target '%s' holds text where numbers are predicted",
                        col->name);
    for (int64_t i = 0; i < o->rows.n; i++) {
        double x = smr_column_number(col, i);
        o->y[i * t->n + j] = x;
        if (isnan(x) && o->state[i] == SMR_ROW_LEARN) o->state[i] = SMR_ROW_PREDICT;
        if (isinf(x)) refuse(o, i, "the target '%s' is infinite", col->name);
    }
    return SMR_OK;
}

/* A stream may come without its target, where nothing is learned. */
static smr_status take_targets(smr_ctx *ctx, smr_online *o)
{
    smr_status st = SMR_OK;
    const smr_target *t = &o->model->target;
    bool there = smr_target_present(t, o->table);
    if (smr_online_finds(t->task)) return SMR_OK;
    if (!there && !o->opts.only_predict)
        TRY(smr_fail(ctx, SMR_ERR_STATE, "%s has no column '%s', the model's target",
                     o->table->source ? o->table->source : "the table", t->names[0]));
    if (!there) {
        memset(o->state, SMR_ROW_PREDICT, (size_t)o->rows.n);
        for (int64_t i = 0; o->label && i < o->rows.n; i++) o->label[i] = -1;
        for (int64_t i = 0; o->y && i < o->rows.n * t->n; i++) o->y[i] = NAN;
        return SMR_OK;
    }
    for (int64_t j = 0; j < t->n; j++) {
        const smr_column *col = &o->table->cols[smr_table_find(o->table, t->names[j])];
        bool strings = col->kind == SMR_CATEGORY || col->kind == SMR_TEXT;
        if (t->task == SMR_TASK_REGRESS)
            TRY(value_targets(ctx, o, j, col));
        else
            TRY(strings ? label_strings(ctx, o, col) : label_numbers(ctx, o, col));
    }
out:
    return st;
}

static smr_status take_weights(smr_ctx *ctx, smr_online *o)
{
    smr_status st = SMR_OK;
    int64_t col = 0;
    if (!o->opts.weight) return SMR_OK;
    TRY(smr_pick_column(ctx, o->table, o->opts.weight, &col));
    const smr_column *c = &o->table->cols[col];
    if (c->kind != SMR_NUMBER)
        TRY(smr_fail(ctx, SMR_ERR_DATA, "the weights in column '%s' are not numbers", c->name));
    for (int64_t i = 0; i < o->rows.n; i++) {
        double w = smr_column_number(c, i);
        o->weight[i] = w;
        if (!(w >= 0) || isinf(w))
            refuse(o, i,
                   "the weight in column '%s' is missing, negative or infinite; weights are "
                   "numbers >= 0",
                   c->name);
        else if (w == 0 && o->state[i] == SMR_ROW_LEARN)
            o->state[i] = SMR_ROW_PREDICT;
    }
out:
    return st;
}

/* With columns target=log, what is learned must have a logarithm. */
static void screen_targets(smr_online *o)
{
    const smr_target *t = &o->model->target;
    char text[SMR_NUMBER_MAX];
    if (smr_model_columns(o->model)->target != SMR_TARGET_LOG || o->opts.only_predict || !o->y)
        return;
    for (int64_t i = 0; i < o->rows.n; i++)
        for (int64_t j = 0; j < t->n && o->state[i] == SMR_ROW_LEARN; j++) {
            double y = o->y[i * t->n + j];
            if (y > 0) continue;
            smr_format_double(y, text);
            refuse(o, i,
                   "the target '%s' is %s, which has no logarithm (columns target=log); "
                   "target=log1p takes sign(y) log(1 + |y|) of any number",
                   t->names[j], text);
        }
}

/* ---- features --------------------------------------------------------------------------- */

static void refuse_value(smr_online *o, int64_t i, const char *name, double x)
{
    if (isinf(x)) {
        refuse(o, i, "column '%s' is infinite", name);
    } else if (isnan(x) && o->refuses_numbers) {
        refuse(o, i,
               "the value of column '%s' is missing, and the warm-up had no gap in a number; put "
               "'impute |' in front of the sentence to allow them",
               name);
    }
}

/* One column of numbers or dates.  A finite sum has finite terms. */
static void screen_numbers(smr_online *o, const smr_feature *f)
{
    int64_t n = o->rows.n;
    if (f->dtype == SMR_U8 || f->dtype == SMR_I32) return;
    if (f->dtype == SMR_F64) {
        const double *x = f->values;
        if (f->stride == 1 && isfinite(smr_sum_f64(n, x))) return;
        for (int64_t i = 0; i < n; i++)
            if (!isfinite(x[i * f->stride])) refuse_value(o, i, f->name, x[i * f->stride]);
        return;
    }
    const float *x = f->values;
    for (int64_t i = 0; i < n; i++)
        if (!isfinite(x[i * f->stride])) refuse_value(o, i, f->name, (double)x[i * f->stride]);
}

static void screen_codes(smr_online *o, const smr_feature *f, bool is_category)
{
    const int32_t *x = f->values;
    bool strict = smr_model_columns(o->model)->unseen == SMR_UNSEEN_ERROR;
    for (int64_t i = 0; i < o->rows.n; i++) {
        int32_t code = x[i * f->stride];
        bool unseen = code >= 0 && f->recode && f->recode[code] < 0;
        o->rows.n_unseen += unseen;
        if (unseen && strict)
            refuse(o, i,
                   "column '%s' has a category that the warm-up never saw, and the sentence says "
                   "columns unseen=error",
                   f->name);
        else if (code >= 0 && !unseen)
            continue;
        else if (is_category ? o->refuses_categories : o->refuses_numbers)
            refuse(o, i,
                   "the value of column '%s' is missing, or a category never seen; put "
                   "'impute |' in front of the sentence to allow that",
                   f->name);
    }
}

static void screen_sparse(smr_online *o, const smr_csr *x)
{
    if (x->n_rows == 0 || isfinite(smr_sum_f64(x->start[x->n_rows], x->value))) return;
    for (int64_t i = 0; i < x->n_rows; i++)
        for (int64_t e = x->start[i]; e < x->start[i + 1]; e++) {
            char name[SMR_NUMBER_MAX];
            smr_format_double(x->column[e], name);
            if (!isfinite(x->value[e])) refuse_value(o, i, name, x->value[e]);
        }
}

static void screen(smr_online *o)
{
    const smr_binding *b = &o->binding;
    for (int64_t j = 0; j < b->n_features; j++) {
        const smr_feature *f = &b->features[j];
        if (!f->values) continue;
        if (f->kind == SMR_CATEGORY)
            screen_codes(o, f, o->model->features[j].kind == SMR_CATEGORY);
        else
            screen_numbers(o, f);
    }
    if (b->data.sparse) screen_sparse(o, b->data.sparse);
}

smr_status smr_online_take(smr_ctx *ctx, smr_online *o, const smr_table *table, int64_t before,
                           const smr_online_rows **rows)
{
    smr_status st = SMR_OK;
    const smr_model *m = o->model;
    struct smr_columns_params columns = *smr_model_columns(m);
    columns.unseen = SMR_UNSEEN_MISSING; /* what they mean is decided row by row */
    smr_online_rest(o);
    if (!o->opts.only_predict) TRY(smr_model_check(ctx, m)); /* what the rows before these left */
    o->table = table;
    o->before = before;
    TRY(make_rows(ctx, o, table->n_rows));
    TRY(smr_schema_bind(ctx, &m->schema, &columns, table, &o->binding));
    TRY(take_targets(ctx, o));
    TRY(take_weights(ctx, o));
    screen_targets(o);
    screen(o);
    TRY(smr_reader_open(ctx, &o->binding.data, smr_stage_form(&m->stages[0], &o->binding.data),
                        SMR_ONLINE_BLOCK, &o->reader));
    *rows = &o->rows;
out:
    return st;
}
