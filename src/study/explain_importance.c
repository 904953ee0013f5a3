/* explain_importance.c -- permutation importance.
 *
 * With b the measure of the model on the rows and b_r the measure when the values of a column are
 * shuffled among the rows for the r-th time, the column's importance is the mean over r of
 *
 *     b - b_r where higher is better,   b_r - b where lower is:                                 (1)
 *
 * how much is lost without what the column tells.  A column that the model does not read has
 * exactly 0: its predictions do not change in any bit.  Columns that say the same share their
 * importance, or hide it from each other: with --columns a,b they are also shuffled together, by
 * one permutation, as if they were one column.
 *
 * A model is asked for all rows again after each shuffle; of a linear one it is enough to shuffle
 * what the column adds to its scores (explain_linear.c), which differs by rounding alone. */
#include "core/figure.h"
#include "core/parallel.h"
#include "core/rng.h"
#include "core/sort.h"
#include "core/span.h"
#include "core/text.h"
#include "math/stats.h"
#include "study/answers.h"
#include "study/cv_ask.h"
#include "study/explain_parts.h"

#include <math.h>
#include <string.h>

enum { MOST_BARS = 30, MOST_BYTES = 1 << 28 };

/* Columns that are shuffled as one. */
struct group {
    const smr_asked *first;
    int64_t n;
    uint64_t key; /* of its permutations: the input's number, or their count for the last group */
    char *name;
};

struct shuffling {
    smr_linear_parts linear; /* where it serves: what columns add to scores */
    double *part;            /* of the groups from `first` on: rows x n_scores each */
    int64_t first;
    double **work; /* of each lane: rows x n_scores, then the answers */
    const smr_model *model;
    const smr_table *table;
    const smr_answers *answers;
    const struct group *groups;
    int64_t repeats, n_given; /* rows before some were drawn */
    const smr_measure **measures;
    int64_t n_measures;
    double *score; /* groups x repeats x measures */
};

/* ---- shuffling -------------------------------------------------------------------------- */

/* out[row of i] = the value of the row of order[i]; other rows keep theirs. */
static void shuffle(const smr_column *col, int64_t n_rows, const smr_answers *a,
                    const int64_t *order, char *out)
{
    size_t size = smr_dtype_size(col->dtype);
    const char *values = col->values;
    for (int64_t i = 0; a->n < n_rows && i < n_rows; i++)
        memcpy(out + (size_t)i * size, values + (size_t)(i * col->stride) * size, size);
    for (int64_t i = 0; i < a->n; i++)
        memcpy(out + (size_t)a->rows[i] * size,
               values + (size_t)(a->rows[order[i]] * col->stride) * size, size);
}

/* A task counts from the first group of the batch, whose parts are there. */
static smr_status measure_linear(smr_ctx *ctx, void *arg, int64_t task, int lane)
{
    const struct shuffling *s = arg;
    const smr_answers *a = s->answers;
    const struct group *g = &s->groups[s->first + task / s->repeats];
    uint64_t repeat = (uint64_t)(task % s->repeats);
    int64_t n = a->n * s->linear.view.n_scores;
    const double *part = s->part + task / s->repeats * n;
    smr_status st = SMR_OK;
    if (!s->work[lane]) s->work[lane] = smr_alloc_raw(ctx, n + a->n * a->width, sizeof **s->work);
    if (!s->work[lane]) TRY(SMR_ERR_NOMEM);
    double *work = s->work[lane], *predicted = work + n;
    smr_linear_parts_shuffle(&s->linear, part, ctx->seed, g->key << 32 | repeat, work, predicted);
    TRY(smr_answers_measure(ctx, s->model, a, predicted, s->measures, s->n_measures,
                            s->score + (s->first * s->repeats + task) * s->n_measures));
out:
    return st;
}

/* The part of each of these groups; one of several columns has the sum of theirs. */
static smr_status find_parts(smr_ctx *ctx, const struct shuffling *s, int64_t n_groups)
{
    int64_t n = s->answers->n * s->linear.view.n_scores, *inputs = NULL, count = 0;
    const struct group *last = &s->groups[s->first + n_groups - 1];
    smr_status st = SMR_OK;
    double *parts = NULL;
    TRY_NEW(inputs, n_groups);
    for (int64_t k = 0; k < n_groups && s->groups[s->first + k].n == 1; k++)
        inputs[count++] = s->groups[s->first + k].first->input;
    TRY(smr_linear_parts_of(ctx, &s->linear, inputs, count, s->part));
    if (last->n == 1) goto out;
    double *sum = s->part + (n_groups - 1) * n;
    parts = smr_alloc_raw(ctx, n, sizeof *parts);
    if (!parts) TRY(SMR_ERR_NOMEM);
    memset(sum, 0, (size_t)n * sizeof *sum);
    for (int64_t c = 0; c < last->n; c++) {
        TRY(smr_linear_parts_of(ctx, &s->linear, &last->first[c].input, 1, parts));
        for (int64_t i = 0; i < n; i++) sum[i] += parts[i];
    }
out:
    smr_free(inputs);
    smr_free(parts);
    return st;
}

/* As many groups at a time as their parts find room for. */
static smr_status measure_parts(smr_ctx *ctx, struct shuffling *s, int64_t n_groups)
{
    int64_t n = s->answers->n * s->linear.view.n_scores;
    int64_t most = SMR_MAX(1, SMR_MIN(n_groups, MOST_BYTES / 8 / n));
    smr_status st = SMR_OK;
    int lanes = smr_lanes(ctx);
    static const char what[] = "shuffling columns";
    smr_span span;
    smr_span_open(ctx, &span, what, n_groups * s->repeats);
    TRY_NEW(s->work, lanes);
    s->part = smr_alloc_raw(ctx, most * n, sizeof *s->part);
    if (!s->part) TRY(SMR_ERR_NOMEM);
    for (; s->first < n_groups; s->first += most) {
        int64_t now = SMR_MIN(most, n_groups - s->first);
        TRY(find_parts(ctx, s, now));
        TRY(smr_span_from(ctx, &span, s->first * s->repeats, NAN));
        TRY(smr_parallel(ctx, what, now * s->repeats, measure_linear, s));
    }
out:
    smr_span_close(ctx, &span);
    for (int k = 0; s->work && k < lanes; k++) smr_free(s->work[k]);
    smr_free(s->work);
    smr_free(s->part);
    return st;
}

static smr_status measure_shuffled(smr_ctx *ctx, void *arg, int64_t task, int lane)
{
    const struct shuffling *s = arg;
    const struct group *g = &s->groups[task / s->repeats];
    uint64_t repeat = (uint64_t)(task % s->repeats);
    const smr_answers *a = s->answers;
    smr_status st = SMR_OK;
    smr_column_view view = {0};
    int64_t *order = NULL;
    double *predicted = NULL;
    char **values = NULL;
    (void)lane;
    TRY(smr_view_open(ctx, s->table, &view));
    TRY_NEW(order, a->n);
    TRY_NEW(values, g->n);
    smr_random_permutation(ctx->seed, SMR_STREAM_EXPLAIN, g->key << 32 | repeat, a->n, order);
    for (int64_t c = 0; c < g->n; c++) {
        smr_column *col = &view.cols[g->first[c].col];
        values[c] = smr_alloc_raw(ctx, s->table->n_rows, smr_dtype_size(col->dtype));
        if (!values[c]) {
            st = SMR_ERR_NOMEM;
            goto out;
        }
        shuffle(col, s->table->n_rows, a, order, values[c]);
        col->values = values[c];
        col->stride = 1;
    }
    predicted = smr_alloc_raw(ctx, a->n * a->width, sizeof *predicted);
    if (!predicted) {
        st = SMR_ERR_NOMEM;
        goto out;
    }
    bool all = a->n == s->table->n_rows; /* in order: read without an index */
    TRY(smr_model_apply(ctx, s->model, &view.table, all ? NULL : a->rows, a->n, a->output,
                        predicted));
    TRY(smr_answers_measure(ctx, s->model, a, predicted, s->measures, s->n_measures,
                            s->score + task * s->n_measures));
out:
    for (int64_t c = 0; values && c < g->n; c++) smr_free(values[c]);
    smr_free(values);
    smr_free(predicted);
    smr_free(order);
    smr_view_close(&view);
    return st;
}

/* ---- groups ----------------------------------------------------------------------------- */

/* Each column alone; if some were named, also all of these together. */
static smr_status make_groups(smr_ctx *ctx, const smr_model *m, const smr_asked *asked, int64_t n,
                              bool named, struct group **out, int64_t *n_groups)
{
    smr_status st = SMR_OK;
    smr_text joined = {.ctx = ctx};
    struct group *groups = NULL;
    int64_t count = 0;
    TRY_NEW(groups, n + 1);
    *out = groups;
    for (int64_t k = 0; k < n; k++) {
        struct group *g = &groups[count];
        *g = (struct group){.first = &asked[k], .n = 1, .key = (uint64_t)asked[k].input};
        g->name = smr_strdup(ctx, asked[k].in->name);
        if (!g->name) {
            st = SMR_ERR_NOMEM;
            goto out;
        }
        *n_groups = ++count;
        if (named) smr_text_printf(&joined, "%s%s", k ? " + " : "", asked[k].in->name);
    }
    if (named && n > 1) {
        TRY(smr_text_done(&joined));
        groups[count] = (struct group){
            .first = asked, .n = n, .key = (uint64_t)m->schema.n_inputs, .name = joined.bytes};
        joined = (smr_text){.ctx = ctx};
        *n_groups = ++count;
    }
out:
    smr_text_release(&joined);
    return st;
}

static void free_groups(struct group *groups, int64_t n)
{
    for (int64_t g = 0; groups && g < n; g++) smr_free(groups[g].name);
    smr_free(groups);
}

/* ---- reporting -------------------------------------------------------------------------- */

/* (1) of group g in the r-th repeat. */
static double loss_of(const struct shuffling *s, const double *base, int64_t g, int64_t r,
                      int64_t m)
{
    double shuffled = s->score[(g * s->repeats + r) * s->n_measures + m];
    return s->measures[m]->higher_is_better ? base[m] - shuffled : shuffled - base[m];
}

/* What one measure says about every group, best first. */
struct ranked {
    int64_t n;
    int64_t *order; /* groups by falling importance             */
    double *mean, *sd;
    double *x, *low, *high; /* mean, mean -+ sd in that order, for the figure */
};

static smr_status rank_groups(smr_ctx *ctx, const struct shuffling *s, const double *base,
                              int64_t m, struct ranked *r)
{
    smr_status st = SMR_OK;
    double *loss = NULL, *falling = NULL;
    TRY_NEW(loss, s->repeats);
    TRY_NEW(falling, r->n);
    for (int64_t g = 0; g < r->n; g++) {
        for (int64_t k = 0; k < s->repeats; k++) loss[k] = loss_of(s, base, g, k, m);
        r->mean[g] = smr_mean(s->repeats, loss, NULL);
        r->sd[g] = sqrt(smr_variance(s->repeats, loss, NULL, 1)); /* NaN for one repeat */
        falling[g] = -r->mean[g];
    }
    TRY(smr_argsort_f64(ctx, r->n, falling, r->order));
out:
    smr_free(loss);
    smr_free(falling);
    return st;
}

/* The most important ones as bars. */
static smr_status draw(smr_ctx *ctx, const struct shuffling *s, int64_t m, const struct ranked *r,
                       smr_json *figures)
{
    const smr_measure *measure = s->measures[m];
    int64_t n = SMR_MIN(r->n, MOST_BARS);
    smr_text name = {.ctx = ctx}, label = {.ctx = ctx};
    smr_status st = SMR_OK;
    smr_text_printf(&name, "importance%s%s", m ? "-" : "", m ? measure->name : "");
    smr_text_printf(&label, "%s of %s", measure->higher_is_better ? "loss" : "rise", measure->name);
    TRY(smr_text_done(&name));
    TRY(smr_text_done(&label));
    smr_json *figure =
        smr_figure_add(figures, name.bytes, "Permutation importance",
                       "How much worse the model gets when one column's values are shuffled among "
                       "the rows; the whiskers show one standard deviation over the repeats.");
    smr_figure_axis(figure, "x", label.bytes, "linear");
    smr_json *names = smr_json_add_array(smr_figure_axis(figure, "y", "", "names"), "names");
    for (int64_t k = 0; k < n; k++) {
        int64_t g = r->order[k];
        smr_json_add_string(names, NULL, s->groups[g].name);
        r->x[k] = r->mean[g];
        r->low[k] = r->mean[g] - r->sd[g];
        r->high[k] = r->mean[g] + r->sd[g];
    }
    smr_json *series = smr_figure_series(figure, "importance", "hbars", n, r->x, NULL);
    if (s->repeats > 1) {
        smr_json_add_numbers(series, "low", r->low, n);
        smr_json_add_numbers(series, "high", r->high, n);
    }
out:
    smr_text_release(&name);
    smr_text_release(&label);
    return st;
}

static smr_status tell(smr_ctx *ctx, const struct shuffling *s, const double *base,
                       int64_t n_groups, smr_json *into)
{
    smr_status st = SMR_OK;
    struct ranked r = {.n = n_groups};
    smr_json *list = smr_json_add_array(into, "importance");
    smr_json *figures = smr_json_add_array(into, "figures");
    TRY_NEW(r.order, n_groups);
    TRY_NEW(r.mean, n_groups);
    TRY_NEW(r.sd, n_groups);
    TRY_NEW(r.x, n_groups);
    TRY_NEW(r.low, n_groups);
    TRY_NEW(r.high, n_groups);
    for (int64_t m = 0; m < s->n_measures; m++) {
        TRY(rank_groups(ctx, s, base, m, &r));
        smr_json *entry = smr_json_add_object(list, NULL);
        smr_json_add_string(entry, "measure", s->measures[m]->name);
        smr_json_add_number(entry, "unshuffled", base[m]);
        smr_json_add_number(entry, "rows", (double)s->answers->n);
        if (s->n_given) smr_json_add_number(entry, "drawn_from", (double)s->n_given);
        smr_json_add_number(entry, "repeats", (double)s->repeats);
        smr_json *rows = smr_json_add_array(entry, "columns");
        for (int64_t k = 0; k < n_groups; k++) {
            smr_json *row = smr_json_add_object(rows, NULL);
            smr_json_add_string(row, "column", s->groups[r.order[k]].name);
            smr_json_add_number(row, "mean", r.mean[r.order[k]]);
            smr_json_add_number(row, "sd", r.sd[r.order[k]]);
        }
        TRY(draw(ctx, s, m, &r, figures));
    }
out:
    smr_free(r.order);
    smr_free(r.mean);
    smr_free(r.sd);
    smr_free(r.x);
    smr_free(r.low);
    smr_free(r.high);
    return st;
}

/* ---- all of it -------------------------------------------------------------------------- */

static smr_status measure_all(smr_ctx *ctx, struct shuffling *s, int64_t n_groups, smr_json *into)
{
    const smr_answers *a = s->answers;
    smr_status st = SMR_OK;
    double *predicted = NULL, *base = NULL;
    TRY_NEW(base, s->n_measures);
    TRY_NEW(s->score, n_groups * s->repeats * s->n_measures);
    TRY_NEW(predicted, a->n * a->width);
    TRY(smr_model_apply(ctx, s->model, s->table, a->rows, a->n, a->output, predicted));
    TRY(smr_answers_measure(ctx, s->model, a, predicted, s->measures, s->n_measures, base));
    TRY(smr_linear_parts_open(ctx, s->model, s->table, a, predicted, &s->linear));
    smr_free(predicted);
    predicted = NULL;
    if (s->linear.serves)
        TRY(measure_parts(ctx, s, n_groups));
    else
        TRY(smr_parallel(ctx, "shuffling columns", n_groups * s->repeats, measure_shuffled, s));
    TRY(tell(ctx, s, base, n_groups, into));
out:
    smr_linear_parts_close(&s->linear);
    smr_free(predicted);
    smr_free(s->score);
    smr_free(base);
    return st;
}

smr_status smr_explain_importance(smr_ctx *ctx, const smr_model *model, const smr_sample *sample,
                                  const smr_explain_how *how, smr_json *into)
{
    smr_status st = SMR_OK;
    smr_answers answers = {0};
    smr_asked *asked = NULL;
    struct group *groups = NULL;
    int64_t n = 0, n_groups = 0, n_rows = 0, *rows = NULL;
    bool classes = model->target.task == SMR_TASK_CLASSIFY;
    smr_step last = smr_stage_step(smr_model_last(model));
    const smr_measure *suited = smr_step_measure(&last, model->target.task);
    smr_cv_ask ask = {.measure = how->measures ? how->measures
                                 : suited      ? suited->name
                                 : classes     ? "error"
                                               : "rmse"};
    struct shuffling s = {.model = model,
                          .table = sample->table,
                          .answers = &answers,
                          .repeats = how->repeats ? how->repeats : SMR_IMPORTANCE_REPEATS};
    TRY(smr_asked_find(ctx, model, sample->table, how->columns, &asked, &n));
    TRY(make_groups(ctx, model, asked, n, how->columns != NULL, &groups, &n_groups));
    s.groups = groups;
    TRY(smr_explain_rows(ctx, sample, how->most_rows, &rows, &n_rows));
    int64_t n_all = sample->rows ? sample->n_rows : sample->table->n_rows;
    if (n_rows < n_all) s.n_given = n_all;
    smr_sample chosen = *sample;
    chosen.rows = rows;
    chosen.n_rows = n_rows;
    TRY(smr_answers_collect(ctx, model, &chosen, &answers));
    if (how->positive)
        TRY(smr_explain_class(ctx, &model->target, how->positive, &answers.positive));
    TRY(smr_cv_ask_measures(ctx, &ask, model->target.task, &s.measures, &s.n_measures));
    TRY(smr_cv_ask_positive(ctx, how->positive, &model->target, s.measures, s.n_measures));
    smr_json_add_number(into, "rows", (double)answers.n);
    smr_json_add_number(into, "repeats", (double)s.repeats);
    TRY(measure_all(ctx, &s, n_groups, into));
out:
    free_groups(groups, n_groups);
    smr_free(s.measures);
    smr_free(asked);
    smr_free(rows);
    smr_answers_release(&answers);
    return st;
}
