/* explain_proximity.c -- which rows a model of trees takes to be alike (learn/trees/proximity.h).
 *
 * For each row its nearest others and Breiman's outlier measure within its class (numbers: among
 * all rows), the oddest rows first; or the nearest rows of one.  Classes and numbers are those of
 * the data where it has the target, else the predicted ones.
 *
 * Cost: rows x trees x the size of a leaf. */
#include "core/figure.h"
#include "core/parallel.h"
#include "core/sort.h"
#include "core/text.h"
#include "learn/chain.h"
#include "learn/model_trees.h"
#include "learn/registry.h"
#include "learn/trees/proximity.h"
#include "study/explain_parts.h"

#include <math.h>
#include <string.h>

enum { BLOCK = 1024, MOST_ROWS = 1000, NEAREST = 5, MOST_NEAREST = 1000 };

struct proximity {
    const smr_model *model;
    smr_proximity of;
    int64_t *rows; /* of the table */
    int64_t n_rows;
    int64_t only; /* the one that is asked for, among them; -1: all */
    int64_t k;
    bool classify, is_given; /* the data has the target      */
    int32_t *label;          /* n_rows; -1: missing           */
    double *y;               /* n_rows x targets              */
    smr_mate *nearest;       /* asked x k                     */
    double *squares, *odd;   /* n_rows                        */
};

/* ---- which rows, and what is said about them --------------------------------------------- */

static smr_status refuse(smr_ctx *ctx, const smr_learner *learner)
{
    smr_text names = {.ctx = ctx};
    int64_t n, count = 0;
    const smr_learner *const *all = smr_registry(&n);
    for (int64_t k = 0; k < n; k++)
        if (smr_explains(all[k])->trees)
            smr_text_printf(&names, "%s%s", count++ ? ", " : "", all[k]->word->name);
    smr_status st = smr_text_done(&names);
    if (st == SMR_OK)
        st = smr_fail(ctx, SMR_ERR_UNSUPPORTED,
                      "proximity is the share of trees in which two rows come to the same leaf, "
                      "and %s %s model has none; learners that have: %s",
                      smr_article(learner->word->name), learner->word->name, names.bytes);
    smr_text_release(&names);
    return st;
}

/* The row that is asked for is compared with all rows, and is among them. */
static smr_status find_rows(smr_ctx *ctx, struct proximity *s, const smr_sample *sample,
                            const smr_explain_how *how)
{
    smr_status st = SMR_OK;
    int64_t *rows = NULL, most = how->most_rows ? how->most_rows : how->row ? 0 : MOST_ROWS;
    s->only = -1;
    if (how->row) TRY(smr_explain_check_row(ctx, sample->table, how->row));
    TRY(smr_explain_rows(ctx, sample, most, &rows, &s->n_rows));
    TRY_NEW(s->rows, s->n_rows + 1);
    memcpy(s->rows, rows, (size_t)s->n_rows * sizeof *rows);
    for (int64_t i = 0; how->row && i < s->n_rows; i++)
        if (rows[i] == how->row - 1) s->only = i;
    if (how->row && s->only < 0) {
        s->only = s->n_rows;
        s->rows[s->n_rows++] = how->row - 1;
    }
out:
    smr_free(rows);
    return st;
}

/* Class numbers or target values of the rows: as the table has them, or predicted. */
static smr_status find_answers(smr_ctx *ctx, struct proximity *s, const smr_table *table)
{
    const smr_model *m = s->model;
    smr_status st = SMR_OK;
    int32_t *labels = NULL;
    double *y = NULL;
    int64_t width = s->classify ? 1 : m->target.n;
    s->is_given = smr_target_present(&m->target, table);
    TRY_NEW(s->y, s->n_rows * width);
    if (!s->is_given) {
        smr_output output = s->classify ? SMR_OUTPUT_LABEL : SMR_OUTPUT_VALUE;
        TRY(smr_model_apply(ctx, m, table, s->rows, s->n_rows, output, s->y));
    } else if (s->classify) {
        TRY_NEW(labels, table->n_rows);
        TRY(smr_target_labels(ctx, &m->target, table, labels));
        for (int64_t i = 0; i < s->n_rows; i++) s->y[i] = labels[s->rows[i]];
    } else {
        TRY_NEW(y, table->n_rows * width);
        TRY(smr_target_values(ctx, &m->target, table, y));
        for (int64_t i = 0; i < s->n_rows; i++)
            memcpy(s->y + i * width, y + s->rows[i] * width, (size_t)width * sizeof *y);
    }
    if (!s->classify) goto out;
    TRY_NEW(s->label, s->n_rows);
    for (int64_t i = 0; i < s->n_rows; i++) s->label[i] = (int32_t)s->y[i];
out:
    smr_free(labels);
    smr_free(y);
    return st;
}

/* ---- leaves ----------------------------------------------------------------------------- */

struct leaves_job {
    const smr_data *data;
    const smr_trees *trees;
    smr_form form;
    smr_proximity *of;
};

static smr_status find_leaves(smr_ctx *ctx, void *arg, int64_t task, int lane)
{
    const struct leaves_job *job = arg;
    int64_t lo = task * BLOCK, hi = smr_block_end(job->of->n, BLOCK, task);
    smr_status st = SMR_OK;
    smr_reader *reader = NULL;
    smr_rows rows;
    (void)lane;
    TRY(smr_reader_open(ctx, job->data, job->form, hi - lo, &reader));
    TRY(smr_reader_rows(ctx, reader, lo, hi, &rows));
    smr_trees_leaves(job->trees, &rows, 0, job->trees->n_trees,
                     job->of->leaf + lo * job->trees->n_trees);
out:
    smr_reader_close(reader);
    return st;
}

static smr_status compare_rows(smr_ctx *ctx, struct proximity *s, const smr_table *table)
{
    const smr_model *m = s->model;
    const smr_stage *last = smr_model_last(m);
    smr_status st = SMR_OK;
    smr_binding binding = {0};
    smr_data *data = NULL;
    const smr_trees *trees = smr_stage_trees(last).trees;
    TRY(smr_schema_bind(ctx, &m->schema, smr_model_columns(m), table, &binding));
    TRY(smr_explain_chain(ctx, m, &binding, s->rows, s->n_rows, &data));
    TRY(smr_proximity_room(ctx, trees, s->n_rows, &s->of));
    const smr_data *in = &data[m->n_stages - 1];
    struct leaves_job job = {
        .data = in, .trees = trees, .form = smr_stage_form(last, in), .of = &s->of};
    if (job.form == SMR_FORM_SPARSE) job.form = SMR_FORM_F64; /* leaves are found by dense rows */
    TRY(smr_parallel(ctx, "rows", smr_block_count(s->n_rows, BLOCK), find_leaves, &job));
    TRY(smr_proximity_list(ctx, &s->of));
    int64_t n_asked = s->only >= 0 ? 1 : s->n_rows;
    TRY_NEW(s->nearest, n_asked * s->k);
    if (s->only < 0) TRY_NEW(s->squares, s->n_rows);
    if (s->only < 0) TRY_NEW(s->odd, s->n_rows);
    TRY(smr_proximity_nearest(ctx, &s->of, s->only >= 0 ? &s->only : NULL, n_asked, s->label, s->k,
                              s->nearest, s->squares));
    if (s->only < 0)
        TRY(smr_proximity_outliers(ctx, s->n_rows, s->squares, s->label, m->target.classes.n,
                                   s->odd));
out:
    smr_binding_release(&binding);
    smr_free(data);
    return st;
}

/* ---- reporting -------------------------------------------------------------------------- */

/* Row i of those compared: its number in the table, and its class or value. */
static void tell_row(const struct proximity *s, int64_t i, smr_json *into)
{
    const smr_target *t = &s->model->target;
    int64_t length;
    smr_json_add_number(into, "row", (double)(s->rows[i] + 1));
    if (!s->classify && t->n == 1) smr_json_add_number(into, "value", s->y[i]);
    if (!s->classify && t->n > 1) smr_json_add_numbers(into, "value", s->y + i * t->n, t->n);
    if (!s->classify) return;
    if (s->label[i] < 0) {
        smr_json_add_null(into, "class");
        return;
    }
    const char *name = smr_strings_get(&t->classes, s->label[i], &length);
    smr_json_add_bytes(into, "class", name, length);
}

/* The nearest rows, from the a-th asked row's. */
static void tell_nearest(const struct proximity *s, int64_t a, smr_json *list)
{
    for (int64_t k = 0; k < s->k && s->nearest[a * s->k + k].row >= 0; k++) {
        const smr_mate *one = &s->nearest[a * s->k + k];
        smr_json *row = smr_json_add_object(list, NULL);
        tell_row(s, one->row, row);
        smr_json_add_number(row, "proximity", (double)one->together / (double)s->of.n_trees);
    }
}

/* Each row beside the one nearest to it, the oddest first. */
static smr_status tell_all(smr_ctx *ctx, const struct proximity *s, smr_json *into)
{
    smr_status st = SMR_OK;
    double *falling = NULL, *x = NULL;
    int64_t *order = NULL;
    TRY_NEW(falling, s->n_rows);
    TRY_NEW(x, s->n_rows);
    TRY_NEW(order, s->n_rows);
    for (int64_t i = 0; i < s->n_rows; i++) {
        falling[i] = isnan(s->odd[i]) ? INFINITY : -s->odd[i];
        x[i] = (double)(s->rows[i] + 1);
    }
    TRY(smr_argsort_f64(ctx, s->n_rows, falling, order));
    smr_json *list = smr_json_add_array(into, "proximity");
    for (int64_t r = 0; r < s->n_rows; r++) {
        int64_t i = order[r];
        const smr_mate *one = &s->nearest[i * s->k];
        smr_json *row = smr_json_add_object(list, NULL);
        tell_row(s, i, row);
        smr_json_add_number(row, "outlier", s->odd[i]);
        smr_json *nearest = smr_json_add_array(row, "nearest");
        tell_nearest(s, i, nearest);
        if (one->row < 0) continue;
        smr_json_add_number(row, "nearest_row", (double)(s->rows[one->row] + 1));
        smr_json_add_number(row, "at", (double)one->together / (double)s->of.n_trees);
        const smr_json *says = smr_json_get(nearest->first, s->classify ? "class" : "value");
        if (says) smr_json_add_copy(row, s->classify ? "its_class" : "its_value", says);
    }
    smr_json *figure =
        smr_figure_add(smr_json_add_array(into, "figures"), "outliers", "How unusual each row is",
                       "One over the sum of a row's squared proximities to its class, measured "
                       "from the class's median in mean deviations.");
    smr_figure_axis(figure, "x", "row", "linear");
    smr_figure_axis(figure, "y", "outlier measure", "linear");
    smr_figure_series(figure, "rows", "points", s->n_rows, x, s->odd);
out:
    smr_free(falling);
    smr_free(x);
    smr_free(order);
    return st;
}

static smr_status tell(smr_ctx *ctx, const struct proximity *s, smr_json *into)
{
    smr_json_add_number(into, "rows", (double)s->n_rows);
    smr_json_add_number(into, "trees", (double)s->of.n_trees);
    smr_json_add_string(into, "answers", s->is_given ? "of the data" : "predicted");
    if (s->only < 0) return tell_all(ctx, s, into);
    tell_row(s, s->only, into);
    tell_nearest(s, 0, smr_json_add_array(into, "nearest"));
    return SMR_OK;
}

smr_status smr_explain_proximity(smr_ctx *ctx, const smr_model *model, const smr_sample *sample,
                                 const smr_explain_how *how, smr_json *into)
{
    smr_status st = SMR_OK;
    struct proximity s = {.model = model, .k = how->nearest ? how->nearest : NEAREST};
    const smr_stage *last = smr_model_last(model);
    if (!smr_stage_trees(last).trees) return refuse(ctx, last->learner);
    if (s.k > MOST_NEAREST)
        return smr_fail(ctx, SMR_ERR_PARAM, "--nearest: at most %d, not %lld", MOST_NEAREST,
                        (long long)s.k);
    s.classify = model->target.task == SMR_TASK_CLASSIFY;
    TRY(find_rows(ctx, &s, sample, how));
    TRY(find_answers(ctx, &s, sample->table));
    TRY(compare_rows(ctx, &s, sample->table));
    TRY(tell(ctx, &s, into));
    st = smr_json_done(into->doc);
out:
    smr_proximity_release(&s.of);
    smr_free(s.rows);
    smr_free(s.label);
    smr_free(s.y);
    smr_free(s.nearest);
    smr_free(s.squares);
    smr_free(s.odd);
    return st;
}
