/* draw_rows.c -- see draw_rows.h. */
#include "learn/draw_rows.h"

#include "core/try.h"
#include "data/vocab.h"
#include "learn/state.h"
#include "learn/task.h"

#include <math.h>

struct drawn {
    const smr_model *m;
    smr_feature *features;
    int64_t n_features, n_rows, length;
    double *x, *range;
    int32_t *hidden;
};

static bool is_sequence(const smr_model *m)
{
    return m->target.task == SMR_TASK_SEQUENCE;
}

static bool has_clusters(const smr_model *m)
{
    return m->target.task == SMR_TASK_CLUSTER;
}

static smr_status name_column(smr_ctx *ctx, smr_column *col, const char *name)
{
    *col = (smr_column){.name = smr_strdup(ctx, name), .stride = 1, .owns_values = true};
    return col->name ? SMR_OK : SMR_ERR_NOMEM;
}

/* Column j of width numbers for each row; the column owns a copy. */
static smr_status put_numbers(smr_ctx *ctx, const char *name, const double *x, int64_t width,
                              int64_t n, smr_column *col)
{
    smr_status st = SMR_OK;
    double *values = NULL;
    TRY(name_column(ctx, col, name));
    TRY_NEW(values, n);
    for (int64_t i = 0; i < n; i++) values[i] = x[i * width];
    col->kind = SMR_NUMBER;
    col->dtype = SMR_F64;
    col->values = values;
out:
    return st;
}

/* The same as codes of these levels. */
static smr_status put_codes(smr_ctx *ctx, const char *name, const smr_strings *levels,
                            const double *x, int64_t width, int64_t n, smr_column *col)
{
    smr_status st = SMR_OK;
    int32_t *values = NULL;
    TRY(name_column(ctx, col, name));
    TRY_NEW(values, n);
    for (int64_t i = 0; i < n; i++) values[i] = (int32_t)x[i * width];
    col->kind = SMR_CATEGORY;
    col->dtype = SMR_I32;
    col->values = values;
    TRY(smr_strings_copy(ctx, levels, NULL, &col->levels));
out:
    return st;
}

/* Sequences and times, each from 1. */
static smr_status put_roles(smr_ctx *ctx, const struct drawn *d, double *work, smr_column *cols,
                            int64_t *at)
{
    smr_status st = SMR_OK;
    const smr_role_column *roles = d->m->schema.roles;
    const char *sequence = roles[SMR_ROLE_SEQUENCE].name, *time = roles[SMR_ROLE_TIME].name;
    for (int64_t i = 0; i < d->n_rows; i++) {
        int64_t number = i / d->length + 1;
        work[i] = (double)number;
    }
    TRY(put_numbers(ctx, sequence ? sequence : "sequence", work, 1, d->n_rows, &cols[(*at)++]));
    for (int64_t i = 0; i < d->n_rows; i++) work[i] = (double)(i % d->length + 1);
    if (time) TRY(put_numbers(ctx, time, work, 1, d->n_rows, &cols[(*at)++]));
out:
    return st;
}

static smr_status fill(smr_ctx *ctx, const struct drawn *d, smr_table *t)
{
    smr_status st = SMR_OK;
    double *work = NULL;
    int64_t at = 0, n = d->n_rows;
    const smr_target *target = &d->m->target;
    TRY_NEW(work, n);
    if (is_sequence(d->m)) TRY(put_roles(ctx, d, work, t->cols, &at));
    for (int64_t i = 0; i < n; i++) work[i] = d->hidden[i];
    if (target->classes.n)
        TRY(put_codes(ctx, target->names[0], &target->classes, work, 1, n, &t->cols[at++]));
    else if (is_sequence(d->m) || has_clusters(d->m))
        TRY(put_numbers(ctx, smr_task_of(d->m->target.task)->answer, work, 1, n, &t->cols[at++]));
    for (int64_t j = 0; j < d->n_features; j++) {
        const smr_feature *f = &d->features[j];
        if (f->kind == SMR_CATEGORY)
            TRY(put_codes(ctx, f->name, f->levels, d->x + j, d->n_features, n, &t->cols[at++]));
        else
            TRY(put_numbers(ctx, f->name, d->x + j, d->n_features, n, &t->cols[at++]));
    }
    t->has_header = true;
out:
    smr_free(work);
    return st;
}

static smr_status check(smr_ctx *ctx, const smr_model *m)
{
    const smr_stage *last = smr_model_last(m);
    const char *name = last->learner->word->name;
    if (!last->learner->fitted->draws)
        return smr_fail(ctx, SMR_ERR_PARAM,
                        "%s %s model does not say how rows come about: none can be drawn from it",
                        smr_article(name), name);
    if (m->n_stages == 1) return SMR_OK;
    return smr_fail(ctx, SMR_ERR_PARAM,
                    "this model changes its columns before %s learns from them: its rows cannot be "
                    "drawn; train %s alone",
                    name, name);
}

/* What numbers were in the training rows. */
static smr_status find_ranges(smr_ctx *ctx, struct drawn *d)
{
    smr_status st = SMR_OK;
    const smr_schema *schema = &d->m->schema;
    int64_t *input = NULL;
    TRY_NEW(input, d->n_features);
    TRY_NEW(d->range, 2 * d->n_features);
    smr_schema_inputs_of(schema, smr_model_columns(d->m), input);
    for (int64_t j = 0; j < d->n_features; j++) {
        const smr_input *in = input[j] < 0 ? NULL : &schema->inputs[input[j]];
        bool known = in && in->has_range && d->features[j].part == SMR_PART_WHOLE;
        d->range[2 * j] = known ? in->least : NAN;
        d->range[2 * j + 1] = known ? in->greatest : NAN;
    }
out:
    smr_free(input);
    return st;
}

smr_status smr_model_draw(smr_ctx *ctx, const smr_model *m, int64_t n_sequences, int64_t length,
                          smr_table **out)
{
    smr_status st = SMR_OK;
    const smr_stage *last = smr_model_last(m);
    struct drawn d = {.m = m, .n_rows = n_sequences * length, .length = length};
    smr_table *t = NULL;
    TRY(check(ctx, m));
    TRY(smr_schema_features(ctx, &m->schema, smr_model_columns(m), &d.features, &d.n_features));
    TRY(smr_memory_check(ctx,
                         (double)n_sequences * (double)length * 16 * (double)(d.n_features + 3),
                         is_sequence(m) ? "a table of the sequences" : "a table of the rows",
                         is_sequence(m) ? "draw fewer or shorter ones" : "draw fewer"));
    TRY_NEW(d.x, d.n_rows * d.n_features);
    TRY_NEW(d.hidden, d.n_rows);
    TRY(find_ranges(ctx, &d));
    smr_drawing of = {d.n_features, n_sequences, length, d.range};
    TRY(last->learner->fitted->draws->rows(ctx, last->params, last->state, &of, d.x, d.hidden));
    /* columns that are no features */
    int64_t before = m->target.classes.n > 0 || has_clusters(m);
    if (is_sequence(m)) before = 2 + (m->schema.roles[SMR_ROLE_TIME].name != NULL);
    TRY(smr_table_new(ctx, d.n_rows, before + d.n_features, &t));
    TRY(fill(ctx, &d, t));
    *out = t;
    t = NULL;
out:
    smr_table_free(t);
    smr_free(d.x);
    smr_free(d.hidden);
    smr_free(d.range);
    smr_features_free(d.features, d.n_features);
    return st;
}
