/* inverse.c -- see inverse.h. */
#include "learn/inverse.h"

#include "core/parallel.h"
#include "data/vocab.h"
#include "learn/flow.h"

#include <math.h>
#include <string.h>

static const double DAY = 86400; /* seconds */

/* ---- what is undone --------------------------------------------------------------------- */

/* A transform that is fitted to a target stays one. */
int64_t smr_model_n_undone(const smr_model *m)
{
    const smr_stage *last = smr_model_last(m);
    bool only = smr_nature_of(last->learner, last->params).tasks == SMR_DOES_TRANSFORM;
    return only || m->target.task == SMR_TASK_NONE ? m->n_stages : m->n_stages - 1;
}

const smr_feature *smr_model_undone(const smr_model *m, int64_t *n)
{
    int64_t stages = smr_model_n_undone(m);
    *n = stages ? m->stages[stages - 1].n_out : m->n_features;
    return stages ? m->stages[stages - 1].features : m->features;
}

int64_t smr_model_n_restored(const smr_model *m)
{
    return m->schema.n_inputs + m->schema.n_sparse;
}

smr_status smr_model_check_inverse(smr_ctx *ctx, const smr_model *m)
{
    const char *name = smr_model_last(m)->learner->word->name;
    if (smr_model_n_undone(m) == 0)
        return smr_fail(ctx, SMR_ERR_UNSUPPORTED, "%s %s model has no transform to undo",
                        smr_article(name), name);
    for (int64_t j = 0; j < m->schema.n_inputs; j++)
        if (m->schema.inputs[j].kind == SMR_TEXT)
            return smr_fail(ctx, SMR_ERR_UNSUPPORTED,
                            "input '%s' is text, which features cannot give back",
                            m->schema.inputs[j].name);
    return smr_flow_check_back(ctx, m->stages, smr_model_n_undone(m));
}

/* ---- rows ------------------------------------------------------------------------------- */

struct undoing {
    const smr_model *model;
    const smr_data *data;
    int64_t block, n_inputs;
    int64_t *at; /* n_inputs: the feature that holds the whole of an input */
    double *unit;
    struct lane {
        smr_reader *reader;
        smr_flow flow;
    } * lanes;
    int n_lanes;
    double *out;
};

/* A date is the first of its features, days. */
static void find_inputs(const smr_model *m, int64_t *at, double *unit)
{
    int64_t input = 0;
    for (int64_t j = 0; j < m->n_features; j++) {
        smr_part part = m->features[j].part;
        if (part > SMR_PART_DAYS) continue;
        unit[input] = part == SMR_PART_DAYS ? DAY : 1;
        at[input++] = j;
    }
}

static smr_status undo_block(smr_ctx *ctx, void *arg, int64_t block, int lane_index)
{
    struct undoing *u = arg;
    struct lane *lane = &u->lanes[lane_index];
    int64_t lo = block * u->block, hi = smr_block_end(u->data->n_rows, u->block, block);
    smr_status st = SMR_OK;
    smr_rows rows;
    if (!lane->reader) TRY(smr_reader_open(ctx, u->data, SMR_FORM_F64, u->block, &lane->reader));
    if (!lane->flow.room) {
        smr_flow_plan_back(u->model->stages, smr_model_n_undone(u->model), u->block, &lane->flow);
        TRY(smr_flow_open(ctx, &lane->flow));
    }
    TRY(smr_reader_rows(ctx, lane->reader, lo, hi, &rows));
    TRY(smr_flow_back(ctx, &lane->flow, &rows));
    for (int64_t i = lo; i < hi; i++) {
        const double *x = (const double *)rows.x + (i - lo) * rows.stride;
        double *to = u->out + i * u->n_inputs;
        for (int64_t j = 0; j < u->n_inputs; j++) to[j] = x[u->at[j]] * u->unit[j];
    }
out:
    return st;
}

static smr_status undo(smr_ctx *ctx, const smr_model *m, const smr_data *data, double *out)
{
    smr_status st = SMR_OK;
    struct undoing u = {.model = m,
                        .data = data,
                        .block = smr_flow_block_back(m->stages, smr_model_n_undone(m)),
                        .n_inputs = smr_model_n_restored(m),
                        .n_lanes = smr_lanes(ctx),
                        .out = out};
    TRY_NEW(u.at, u.n_inputs + 1);
    TRY_NEW(u.unit, u.n_inputs + 1);
    TRY_NEW(u.lanes, u.n_lanes);
    find_inputs(m, u.at, u.unit);
    TRY(smr_parallel(ctx, "undoing", smr_block_count(data->n_rows, u.block), undo_block, &u));
out:
    for (int k = 0; u.lanes && k < u.n_lanes; k++) {
        smr_reader_close(u.lanes[k].reader);
        smr_flow_close(&u.lanes[k].flow);
    }
    smr_free(u.lanes);
    smr_free(u.at);
    smr_free(u.unit);
    return st;
}

/* ---- of tables and matrices ------------------------------------------------------------- */

/* A schema whose inputs are the features. */
static smr_status schema_of(smr_ctx *ctx, const smr_model *m, const smr_table *table,
                            smr_schema *out)
{
    smr_status st = SMR_OK;
    int64_t n;
    const smr_feature *features = smr_model_undone(m, &n);
    if (table->sparse.n_cols) {
        out->n_sparse = n;
        return SMR_OK;
    }
    TRY_NEW(out->inputs, n + 1);
    for (; out->n_inputs < n; out->n_inputs++) {
        smr_input *in = &out->inputs[out->n_inputs];
        const smr_feature *f = &features[out->n_inputs];
        in->kind = f->kind;
        in->name = smr_strdup(ctx, f->name);
        if (!in->name) return SMR_ERR_NOMEM;
        if (f->kind == SMR_CATEGORY && f->levels)
            TRY(smr_strings_copy(ctx, f->levels, NULL, &in->levels));
    }
out:
    return st;
}

smr_status smr_model_inverse(smr_ctx *ctx, const smr_model *m, const smr_table *table, double *out)
{
    smr_status st = SMR_OK;
    smr_schema schema = {0};
    smr_binding binding = {0};
    TRY(smr_model_check_inverse(ctx, m));
    TRY(schema_of(ctx, m, table, &schema));
    TRY(smr_schema_bind(ctx, &schema, smr_model_columns(m), table, &binding));
    TRY(undo(ctx, m, &binding.data, out));
out:
    smr_binding_release(&binding);
    smr_schema_release(&schema);
    return st;
}

smr_status smr_model_inverse_matrix(smr_ctx *ctx, const smr_model *m, const double *x,
                                    int64_t n_rows, double *out)
{
    smr_status st = SMR_OK;
    smr_feature *columns = NULL;
    int64_t n;
    (void)smr_model_undone(m, &n);
    TRY(smr_model_check_inverse(ctx, m));
    TRY_NEW(columns, n + 1);
    for (int64_t j = 0; j < n; j++)
        columns[j] =
            (smr_feature){.kind = SMR_NUMBER, .dtype = SMR_F64, .values = x + j, .stride = n};
    smr_data data = {.size = sizeof data, .n_rows = n_rows, .n_features = n, .features = columns};
    TRY(undo(ctx, m, &data, out));
out:
    smr_free(columns);
    return st;
}

/* ---- as columns ------------------------------------------------------------------------- */

/* A code that is not a level, as a mean of codes may be, is a gap. */
static int32_t code_of(double x, int64_t n_levels)
{
    bool known = x >= 0 && x < (double)n_levels && x == floor(x);
    return known ? (int32_t)x : -1;
}

static smr_status fill_codes(smr_ctx *ctx, const smr_input *in, const double *x, int64_t n,
                             int64_t width, smr_column *col)
{
    smr_status st = SMR_OK;
    int32_t *codes = NULL;
    TRY_NEW(codes, n + 1);
    col->values = codes;
    col->owns_values = true;
    col->dtype = SMR_I32;
    for (int64_t i = 0; i < n; i++) {
        codes[i] = code_of(x[i * width], in->levels.n);
        col->n_missing += codes[i] < 0;
    }
    TRY(smr_strings_copy(ctx, &in->levels, NULL, &col->levels));
out:
    return st;
}

static smr_status fill_numbers(smr_ctx *ctx, const double *x, int64_t n, int64_t width,
                               smr_column *col)
{
    smr_status st = SMR_OK;
    double *values = NULL;
    TRY_NEW(values, n + 1);
    col->values = values;
    col->owns_values = true;
    col->dtype = SMR_F64;
    for (int64_t i = 0; i < n; i++) {
        values[i] = x[i * width];
        col->n_missing += isnan(values[i]);
    }
out:
    return st;
}

smr_status smr_restored_fill(smr_ctx *ctx, const smr_model *m, const double *x, int64_t n,
                             smr_column *cols)
{
    smr_status st = SMR_OK;
    int64_t width = smr_model_n_restored(m);
    for (int64_t j = 0; j < width; j++) {
        const smr_input *in = m->schema.n_sparse ? NULL : &m->schema.inputs[j];
        cols[j].kind = in ? in->kind : SMR_NUMBER;
        cols[j].has_time = in && in->has_time;
        cols[j].name = smr_strdup(ctx, in ? in->name : m->features[j].name);
        if (!cols[j].name) return SMR_ERR_NOMEM;
        TRY(cols[j].kind == SMR_CATEGORY ? fill_codes(ctx, in, x + j, n, width, &cols[j])
                                         : fill_numbers(ctx, x + j, n, width, &cols[j]));
    }
out:
    return st;
}

smr_status smr_restored_create(smr_ctx *ctx, const smr_model *m, const smr_table *table,
                               smr_table **out)
{
    smr_status st = SMR_OK;
    smr_table *made = NULL;
    double *x = NULL;
    int64_t width = smr_model_n_restored(m);
    *out = NULL;
    TRY_NEW(x, table->n_rows * width + 1);
    TRY(smr_model_inverse(ctx, m, table, x));
    TRY(smr_table_new(ctx, table->n_rows, width, &made));
    TRY(smr_restored_fill(ctx, m, x, table->n_rows, made->cols));
    made->has_header = true;
    *out = made;
    made = NULL;
out:
    smr_table_free(made);
    smr_free(x);
    return st;
}
