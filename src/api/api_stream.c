/* api_stream.c -- the public functions that learn from a stream. */
#include "api/api_parts.h"
#include "data/vocab.h"
#include "model/model_file.h"
#include "study/stream.h"

#include <math.h>

struct smr_streamer {
    smr_model *model;
    smr_online *online;
    smr_progressive *so_far;
    int64_t n_read;
    char *weight;
};

void smr_stream_free(smr_streamer *s)
{
    if (!s) return;
    smr_online_free(s->online);
    smr_progressive_free(s->so_far);
    smr_model_free(s->model);
    smr_free(s->weight);
    smr_free(s);
}

/* What goes with the model, which is there. */
static smr_status equip(smr_ctx *ctx, smr_streamer *s, const char *weight)
{
    smr_status st = SMR_OK;
    const smr_target *t = &s->model->target;
    if (weight) {
        s->weight = smr_strdup(ctx, weight);
        if (!s->weight) TRY(SMR_ERR_NOMEM);
    }
    TRY(smr_online_create(ctx, s->model, &(smr_online_opts){.weight = s->weight}, &s->online));
    bool proba = smr_model_gives(s->model) & 1u << SMR_OUTPUT_PROBA;
    TRY(smr_progressive_create(ctx, t->task, proba, t->classes.n, t->n, 0, &s->so_far));
out:
    return st;
}

smr_status smr_stream_begin(smr_ctx *ctx, const char *sentence, const smr_table *table,
                            const smr_train_opts *how, smr_streamer **out)
{
    smr_status st = SMR_OK;
    smr_set_opts about;
    smr_streamer *s = NULL;
    smr_spec *spec = NULL;
    smr_train_set *set = NULL;
    smr_begin_call(ctx);
    *out = NULL;
    TRY(smr_api_set_opts(ctx, how, NULL, &about));
    TRY(smr_spec_parse(ctx, sentence, &spec));
    TRY(smr_online_check(ctx, spec));
    TRY_NEW(s, 1);
    TRY(smr_train_set_create(ctx, table, spec, &about, &set));
    TRY(smr_online_begin(ctx, spec, set, &s->model));
    TRY(equip(ctx, s, about.weight));
    *out = s;
    s = NULL;
out:
    smr_spec_free(spec);
    smr_train_set_free(set);
    smr_stream_free(s);
    return st;
}

smr_status smr_stream_load(smr_ctx *ctx, const char *path, const char *weight, smr_streamer **out)
{
    smr_status st = SMR_OK;
    smr_streamer *s = NULL;
    smr_begin_call(ctx);
    *out = NULL;
    TRY_NEW(s, 1);
    TRY(smr_model_load(ctx, path, &s->model));
    TRY(equip(ctx, s, weight));
    TRY(smr_stream_take_up(ctx, s->model, s->so_far, &s->n_read));
    s->n_read = SMR_MAX(0, s->n_read);
    *out = s;
    s = NULL;
out:
    smr_stream_free(s);
    return st;
}

static void measure(smr_streamer *s, const smr_online_rows *rows, int64_t n)
{
    const smr_target *t = &s->model->target;
    for (int64_t i = 0; i < n; i++) {
        const double *score = rows->score + i * rows->width;
        double weight = rows->weight ? rows->weight[i] : 1;
        if (rows->state[i] != SMR_ROW_LEARN || (smr_online_finds(t->task) && isnan(score[1])))
            continue; /* the first row finds no clusters */
        if (smr_online_finds(t->task))
            smr_progressive_distance(s->so_far, smr_fmax(0, -score[1]), weight);
        else if (rows->label)
            smr_progressive_class(s->so_far, smr_target_label(t, score), rows->label[i], score,
                                  weight);
        else
            smr_progressive_value(s->so_far, score, rows->y + i * t->n, weight);
    }
}

smr_status smr_stream_learn(smr_ctx *ctx, smr_streamer *s, const smr_table *table, double *said)
{
    smr_status st = SMR_OK;
    const smr_online_rows *rows;
    smr_begin_call(ctx);
    TRY(smr_online_take(ctx, s->online, table, s->n_read, &rows));
    int64_t n = SMR_MIN(rows->n, rows->first_bad);
    TRY(smr_online_go(ctx, s->online, 0, n));
    measure(s, rows, n);
    s->n_read += n;
    if (said && n) memcpy(said, rows->score, (size_t)(n * rows->width) * sizeof *said);
    if (n < rows->n) TRY(smr_fail(ctx, SMR_ERR_DATA, "%s", rows->why));
out:
    smr_online_rest(s->online);
    return st;
}

static smr_status rename_column(smr_ctx *ctx, smr_column *col, const char *name)
{
    char *copy = smr_strdup(ctx, name);
    if (!copy) return SMR_ERR_NOMEM;
    smr_free(col->name);
    col->name = copy;
    return SMR_OK;
}

/* Class numbers become codes of a category whose levels are the classes. */
static smr_status take_classes(smr_ctx *ctx, const smr_target *t, int64_t n, smr_column *col)
{
    smr_status st = SMR_OK;
    int32_t *codes = NULL;
    TRY_NEW(codes, n);
    for (int64_t i = 0; i < n; i++) {
        double x = smr_column_number(col, i);
        bool known = x >= 0 && x < (double)t->classes.n && x == floor(x);
        if (!known && !isnan(x))
            TRY(smr_fail(ctx, SMR_ERR_DATA, "row %lld: a class is a number from 0 to %lld, or NaN",
                         (long long)i + 1, (long long)t->classes.n - 1));
        codes[i] = isnan(x) ? -1 : (int32_t)x;
    }
    TRY(smr_strings_copy(ctx, &t->classes, NULL, &col->levels));
    col->kind = SMR_CATEGORY;
    col->dtype = SMR_I32;
    col->stride = 1;
    col->values = codes;
    col->owns_values = true;
    codes = NULL;
out:
    smr_free(codes);
    return st;
}

smr_status smr_stream_learn_matrix(smr_ctx *ctx, smr_streamer *s, const double *X, int64_t n_rows,
                                   int64_t n_cols, const double *y, double *said)
{
    smr_status st = SMR_OK;
    smr_table *table = NULL;
    const smr_model *m = s->model;
    const smr_schema *in = &m->schema;
    smr_begin_call(ctx);
    bool finds = smr_online_finds(m->target.task);
    bool fits = n_cols == in->n_inputs && !in->n_sparse && (finds || m->target.n == 1);
    for (int64_t j = 0; fits && j < n_cols; j++) fits = in->inputs[j].kind == SMR_NUMBER;
    if (!fits)
        TRY(smr_fail(
            ctx, SMR_ERR_SHAPE,
            "a matrix holds numbers, with one target beside it: the model has %lld "
            "input%s and %lld target%s, the matrix %lld column%s; use smr_stream_learn for "
            "others",
            (long long)in->n_inputs, smr_plural(in->n_inputs, "", "s"), (long long)m->target.n,
            smr_plural(m->target.n, "", "s"), (long long)n_cols, smr_plural(n_cols, "", "s")));
    TRY(smr_table_from_matrix(ctx, X, n_rows, n_cols, finds ? NULL : y, &table));
    for (int64_t j = 0; j < n_cols; j++)
        TRY(rename_column(ctx, &table->cols[j], in->inputs[j].name));
    if (!finds) TRY(rename_column(ctx, &table->cols[n_cols], m->target.names[0]));
    if (m->target.task == SMR_TASK_CLASSIFY)
        TRY(take_classes(ctx, &m->target, n_rows, &table->cols[n_cols]));
    TRY(smr_stream_learn(ctx, s, table, said));
out:
    smr_table_free(table);
    return st;
}

int64_t smr_stream_n_said(const smr_streamer *s)
{
    if (smr_online_finds(s->model->target.task)) return 2;
    return smr_model_width(s->model, s->model->target.task != SMR_TASK_CLASSIFY
                                         ? SMR_OUTPUT_VALUE
                                         : SMR_OUTPUT_DECISION);
}

const smr_model *smr_stream_model(const smr_streamer *s)
{
    return s->model;
}

int64_t smr_stream_n_rows(const smr_streamer *s)
{
    return s->so_far->n_rows;
}

double smr_stream_error(const smr_streamer *s)
{
    return smr_progressive_error(s->so_far);
}

smr_status smr_stream_save(smr_ctx *ctx, smr_streamer *s, const char *path)
{
    smr_status st = SMR_OK;
    smr_begin_call(ctx);
    TRY(smr_stream_summary(ctx, s->model, s->so_far, s->n_read));
    TRY(smr_model_keep(ctx, s->model, path));
out:
    return st;
}
