/* api_table.c -- the public functions about tables: check, dispatch, nothing else. */
#include "api/api_parts.h"
#include "data/arrow.h"
#include "data/build.h"
#include "data/generate.h"
#include "data/read.h"
#include "data/types.h"
#include "learn/answer.h"
#include "learn/draw_rows.h"
#include "study/schema_read.h"

#include <math.h>

/* ---- files and matrices ----------------------------------------------------------------- */

/* model NULL: kinds are inferred. */
static smr_status open_table(smr_ctx *ctx, const smr_model *model, const char *path,
                             const smr_open_opts *opts, smr_table **out)
{
    smr_open_opts o = {.size = sizeof o, .header = -1};
    smr_read_opts how;
    smr_rule_list rules = {0};
    smr_status st = SMR_OK;
    smr_begin_call(ctx);
    *out = NULL;
    TRY(SMR_TAKE_OPTS(ctx, smr_open_opts, opts, &o));
    TRY(smr_read_opts_from(ctx, &o, &how, &rules));
    if (model)
        TRY(smr_table_read_for(ctx, model, path, &how, out));
    else
        TRY(smr_table_read(ctx, path, &how, out));
out:
    smr_rules_release(&rules);
    return st;
}

smr_status smr_table_open(smr_ctx *ctx, const char *path, const smr_open_opts *opts,
                          smr_table **out)
{
    return open_table(ctx, NULL, path, opts, out);
}

smr_status smr_table_open_for(smr_ctx *ctx, const smr_model *model, const char *path,
                              const smr_open_opts *opts, smr_table **out)
{
    return open_table(ctx, model, path, opts, out);
}

smr_status smr_table_from_matrix(smr_ctx *ctx, const double *X, int64_t n_rows, int64_t n_cols,
                                 const double *y, smr_table **out)
{
    smr_begin_call(ctx);
    *out = NULL;
    if (!X || n_rows < 1 || n_cols < 1 || n_rows > SMR_MAX_DIM || n_cols > SMR_MAX_DIM)
        return smr_fail(ctx, SMR_ERR_SHAPE,
                        "a matrix needs rows and columns, at most 2^31 - 1 of each");
    smr_dense view = {
        .values = X, .dtype = SMR_F64, .n_rows = n_rows, .n_cols = n_cols, .stride = n_cols};
    return smr_table_view(ctx, &view, y, out);
}

smr_status smr_table_make(smr_ctx *ctx, const char *generator, const char *const *settings,
                          int64_t n_settings, smr_table **out)
{
    smr_status st = SMR_OK;
    smr_settings parsed = {0};
    smr_begin_call(ctx);
    *out = NULL;
    TRY(smr_settings_parse(ctx, settings, n_settings, &parsed));
    TRY(smr_generate(ctx, generator, parsed.list, parsed.n, ctx->seed, out));
out:
    smr_settings_release(&parsed);
    return st;
}

smr_status smr_model_sample(smr_ctx *ctx, const smr_model *model, int64_t n_sequences,
                            int64_t length, smr_table **out)
{
    enum { MOST = 1000000000 };
    smr_begin_call(ctx);
    *out = NULL;
    if (n_sequences < 1 || n_sequences > MOST || length < 1 || length > MOST)
        return smr_fail(ctx, SMR_ERR_PARAM,
                        "%lld sequences of %lld steps: both are whole numbers from 1 to 1000000000",
                        (long long)n_sequences, (long long)length);
    return smr_model_draw(ctx, model, n_sequences, length, out);
}

smr_status smr_table_save(smr_ctx *ctx, const smr_table *table, const char *path)
{
    smr_begin_call(ctx);
    return smr_table_write(ctx, table, path, SMR_FORMAT_AUTO);
}

/* ---- columns from memory ---------------------------------------------------------------- */

smr_status smr_table_create(smr_ctx *ctx, int64_t n_rows, smr_table **out)
{
    smr_begin_call(ctx);
    *out = NULL;
    if (n_rows < 0 || n_rows > SMR_MAX_DIM)
        return smr_fail(ctx, SMR_ERR_SHAPE, "a table has 0 to 2^31 - 1 rows, not %lld",
                        (long long)n_rows);
    return smr_table_new(ctx, n_rows, 0, out);
}

smr_status smr_table_add_f64(smr_ctx *ctx, smr_table *table, const char *name, const double *values)
{
    smr_begin_call(ctx);
    return smr_build_f64(ctx, table, name, values);
}

smr_status smr_table_add_f32(smr_ctx *ctx, smr_table *table, const char *name, const float *values)
{
    smr_begin_call(ctx);
    return smr_build_f32(ctx, table, name, values);
}

smr_status smr_table_add_i64(smr_ctx *ctx, smr_table *table, const char *name,
                             const int64_t *values, const bool *missing)
{
    smr_begin_call(ctx);
    return smr_build_i64(ctx, table, name, values, missing);
}

smr_status smr_table_add_strings(smr_ctx *ctx, smr_table *table, const char *name,
                                 const char *const *values)
{
    smr_begin_call(ctx);
    return smr_build_strings(ctx, table, name, values);
}

smr_status smr_table_add_categories(smr_ctx *ctx, smr_table *table, const char *name,
                                    const int32_t *codes, const char *const *levels,
                                    int64_t n_levels)
{
    smr_begin_call(ctx);
    return smr_build_categories(ctx, table, name, codes, levels, n_levels);
}

smr_status smr_table_add_dates(smr_ctx *ctx, smr_table *table, const char *name,
                               const double *seconds)
{
    smr_begin_call(ctx);
    return smr_build_dates(ctx, table, name, seconds);
}

smr_status smr_table_from_csr(smr_ctx *ctx, int64_t n_rows, int64_t n_cols, const int64_t *indptr,
                              const int32_t *indices, const double *values, const double *y,
                              smr_table **out)
{
    smr_csr rows = {
        .n_rows = n_rows, .n_cols = n_cols, .start = indptr, .column = indices, .value = values};
    smr_begin_call(ctx);
    return smr_build_csr(ctx, &rows, y, out);
}

/* ---- Arrow ------------------------------------------------------------------------------ */

smr_status smr_table_from_arrow(smr_ctx *ctx, struct ArrowSchema *schema, struct ArrowArray *array,
                                smr_table **out)
{
    smr_begin_call(ctx);
    return smr_arrow_read(ctx, schema, array, 1, out);
}

smr_status smr_table_from_arrow_stream(smr_ctx *ctx, struct ArrowArrayStream *stream,
                                       smr_table **out)
{
    smr_begin_call(ctx);
    return smr_arrow_read_stream(ctx, stream, out);
}

smr_status smr_table_to_arrow(smr_ctx *ctx, const smr_table *table, struct ArrowSchema *schema,
                              struct ArrowArray *array)
{
    smr_begin_call(ctx);
    return smr_arrow_write(ctx, table, SMR_UTF8_MOST, schema, array);
}

/* ---- looking ---------------------------------------------------------------------------- */

/* Column j, or NULL. */
static const smr_column *column_at(const smr_table *table, int64_t j)
{
    return j >= 0 && j < table->n_cols ? &table->cols[j] : NULL;
}

/* Column j where it has such a row, else NULL. */
static const smr_column *cell_at(const smr_table *table, int64_t row, int64_t j, bool strings)
{
    const smr_column *c = column_at(table, j);
    if (!c || row < 0 || row >= table->n_rows) return NULL;
    return strings == (c->kind == SMR_CATEGORY || c->kind == SMR_TEXT) ? c : NULL;
}

int64_t smr_table_n_rows(const smr_table *table)
{
    return table->n_rows;
}

int64_t smr_table_n_cols(const smr_table *table)
{
    return table->n_cols;
}

const char *smr_table_col_name(const smr_table *table, int64_t j)
{
    const smr_column *c = column_at(table, j);
    return c ? c->name : NULL;
}

int smr_table_col_kind(const smr_table *table, int64_t j)
{
    const smr_column *c = column_at(table, j);
    return c ? (int)c->kind : -1;
}

int64_t smr_table_n_levels(const smr_table *table, int64_t j)
{
    const smr_column *c = column_at(table, j);
    return c ? c->levels.n : 0;
}

const char *smr_table_level(const smr_table *table, int64_t j, int64_t k, int64_t *length)
{
    const smr_column *c = column_at(table, j);
    *length = 0;
    return c && k >= 0 && k < c->levels.n ? smr_strings_get(&c->levels, k, length) : NULL;
}

double smr_table_number(const smr_table *table, int64_t row, int64_t j)
{
    const smr_column *c = cell_at(table, row, j, false);
    return c ? smr_column_number(c, row) : NAN;
}

int64_t smr_table_code(const smr_table *table, int64_t row, int64_t j)
{
    const smr_column *c = cell_at(table, row, j, true);
    return c ? smr_column_code(c, row) : -1;
}

const char *smr_table_text(const smr_table *table, int64_t row, int64_t j, int64_t *length)
{
    return smr_table_level(table, j, smr_table_code(table, row, j), length);
}

int64_t smr_table_n_sparse(const smr_table *table)
{
    return table->sparse.n_cols;
}

double smr_table_sparse_number(const smr_table *table, int64_t row, int64_t j)
{
    const smr_csr *x = &table->sparse;
    if (row < 0 || row >= table->n_rows || j < 0 || j >= x->n_cols) return NAN;
    int64_t end = x->start[row + 1], e = smr_find_column(x->column, x->start[row], end, j);
    return e < end && x->column[e] == j ? x->value[e] : 0;
}

/* ---- predictions ------------------------------------------------------------------------ */

smr_status smr_predict_table(smr_ctx *ctx, const smr_model *model, const smr_table *table,
                             smr_output output, smr_table **out)
{
    smr_begin_call(ctx);
    return smr_answer_create(ctx, model, table, output, out);
}

smr_status smr_predict_arrow(smr_ctx *ctx, const smr_model *model, const smr_table *table,
                             smr_output output, struct ArrowSchema *schema,
                             struct ArrowArray *array)
{
    smr_status st = SMR_OK;
    smr_table *answer = NULL;
    smr_begin_call(ctx);
    schema->release = NULL;
    array->release = NULL;
    TRY(smr_answer_create(ctx, model, table, output, &answer));
    TRY(smr_arrow_write(ctx, answer, SMR_UTF8_MOST, schema, array));
out:
    smr_table_free(answer);
    return st;
}
