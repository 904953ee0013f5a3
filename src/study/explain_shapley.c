/* explain_shapley.c -- what each column adds to the score of each row.
 *
 * The last stage gives exact Shapley values of its features, or has trees, from which they are
 * computed (learn/trees/shapley.h); here the rows are brought to it through the stages before,
 * features are summed to the columns they come from (levels of a one-hot coding, parts of a date),
 * and the values are reported row by row and as means of their size.  Values of a sum of features
 * are not the Shapley values of the column as one player, but still sum to the score.
 *
 * Cost: that of the learner for each row; rows x columns x scores numbers. */
#include "core/figure.h"
#include "core/number.h"
#include "core/sort.h"
#include "core/text.h"
#include "learn/chain.h"
#include "learn/registry.h"
#include "learn/target_map.h"
#include "learn/trees/shapley.h"
#include "study/explain_parts.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { BLOCK = 64, MOST_ROWS = 1000, MOST_BARS = 20, LARGEST = 3 };

/* One player: the features of the last stage that come from one column. */
struct group {
    const char *name;
    int64_t input; /* of the model; -1: the feature comes from several */
};

/* A score that is reported: factor x the learner's + shift. */
struct told {
    int64_t at;
    double factor, shift;
    char *name; /* owned */
};

struct shapley {
    const smr_model *model;
    smr_tree_view view; /* of a learner that shows its trees */
    smr_data *data;     /* data[s]: what stage s reads */
    int64_t n_features, n_scores;
    int64_t *group_of; /* n_features */
    struct group *groups;
    int64_t n_groups;
    struct told *told;
    int64_t n_told;
    const int64_t *rows; /* of the table */
    int64_t n_rows;
    const double *weight; /* of the table's rows, or NULL */
    const smr_table *of;  /* where a single row is asked for: the table; else NULL */
    double *value;        /* n_told x n_rows x n_groups  */
    double *sum;          /* n_told x n_rows: the scores */
    double *base;         /* n_told                      */
};

/* ---- which learners can ----------------------------------------------------------------- */

static smr_status refuse(smr_ctx *ctx, const smr_learner *learner)
{
    if (!(learner->tasks & ~(unsigned)SMR_DOES_TRANSFORM))
        return smr_fail(ctx, SMR_ERR_UNSUPPORTED,
                        "this model predicts nothing that could be explained");
    smr_text names = {.ctx = ctx};
    int64_t n, count = 0;
    const smr_learner *const *all = smr_registry(&n);
    for (int64_t k = 0; k < n; k++)
        if (smr_explains(all[k])->shapley || smr_explains(all[k])->trees)
            smr_text_printf(&names, "%s%s", count++ ? ", " : "", all[k]->word->name);
    smr_status st = smr_text_done(&names);
    if (st == SMR_OK)
        st = smr_fail(ctx, SMR_ERR_UNSUPPORTED,
                      "exact Shapley values of %s %s model are not known; learners that have them: "
                      "%s. 'samara explain importance' works for all",
                      smr_article(learner->word->name), learner->word->name,
                      count ? names.bytes : "none");
    smr_text_release(&names);
    return st;
}

/* out: as learner.h says; rows NULL: only n_scores is asked for. */
static smr_status ask_learner(smr_ctx *ctx, struct shapley *s, const smr_rows *rows, double *out)
{
    const smr_stage *last = smr_model_last(s->model);
    const smr_learner *l = last->learner;
    if (smr_explains(l)->trees) s->view = smr_explains(l)->trees(last->params, last->state);
    if (smr_explains(l)->shapley)
        return smr_explains(l)->shapley(ctx, last->params, last->state, rows, &s->n_scores, out);
    s->n_scores = s->view.trees->n_scores;
    return rows ? smr_tree_view_shapley(ctx, &s->view, rows, out) : SMR_OK;
}

/* What the scores are called: leaves may say more than numbers that are summed. */
static const char *score_word(const struct shapley *s)
{
    if (s->model->target.task == SMR_TASK_CLASSIFY)
        return s->view.says == SMR_SAYS_SHARES ? "p" : "score";
    if (s->model->target_map) return smr_target_map_words(smr_model_columns(s->model)->target);
    return s->view.says == SMR_SAYS_SCORES ? "score" : "predicted";
}

/* ---- features to columns ---------------------------------------------------------------- */

/* The input that a feature is, is a level or a part of: the one with the longest name; -1: none. */
static int64_t source_of(const smr_schema *schema, const char *feature)
{
    int64_t best = -1;
    size_t most = 0;
    for (int64_t j = 0; j < schema->n_inputs; j++) {
        const smr_input *in = &schema->inputs[j];
        size_t length = strlen(in->name);
        if (strncmp(feature, in->name, length) != 0) continue;
        char next = feature[length];
        bool is_it = next == '\0' || (next == '=' && in->kind == SMR_CATEGORY) ||
                     (next == '.' && in->kind == SMR_DATE);
        if (!is_it || (best >= 0 && length <= most)) continue;
        best = j;
        most = length;
    }
    return best;
}

static smr_status find_groups(smr_ctx *ctx, struct shapley *s)
{
    const smr_schema *schema = &s->model->schema;
    const smr_feature *features = s->data[s->model->n_stages - 1].features;
    smr_status st = SMR_OK;
    int64_t *of_input = NULL;
    if (!features)
        return smr_fail(ctx, SMR_ERR_UNSUPPORTED,
                        "the model reads a sparse block, whose columns have no names; train on the "
                        "table as csv (samara convert) to explain it");
    TRY_NEW(s->group_of, s->n_features + 1);
    TRY_NEW(s->groups, s->n_features + 1);
    TRY_NEW(of_input, schema->n_inputs + 1);
    for (int64_t j = 0; j < s->n_features; j++) {
        int64_t input = source_of(schema, features[j].name);
        if (input >= 0 && of_input[input] > 0) {
            s->group_of[j] = of_input[input] - 1;
            continue;
        }
        s->groups[s->n_groups] = (struct group){
            .name = input >= 0 ? schema->inputs[input].name : features[j].name, .input = input};
        s->group_of[j] = s->n_groups++;
        if (input >= 0) of_input[input] = s->n_groups;
    }
out:
    smr_free(of_input);
    return st;
}

/* ---- scores ----------------------------------------------------------------------------- */

static smr_status tell_score(smr_ctx *ctx, struct shapley *s, struct told score, const char *name,
                             int64_t length)
{
    smr_status st = smr_explain_output_name(ctx, score_word(s), name, length, &score.name);
    if (st != SMR_OK) return st;
    s->told[s->n_told++] = score;
    return SMR_OK;
}

/* One class where one is asked for or there are two; a single score is that of the second class,
 * and of the first with its sign turned. */
static smr_status tell_classes(smr_ctx *ctx, struct shapley *s, const char *positive)
{
    const smr_target *t = &s->model->target;
    smr_status st = SMR_OK;
    int64_t first = 0, n = t->classes.n, length;
    if (positive || n == 2) n = 1;
    if (positive)
        TRY(smr_explain_class(ctx, t, positive, &first));
    else if (n == 1)
        first = t->positive;
    for (int64_t k = first; k < first + n && s->n_told < SMR_SHOWN_MAX; k++) {
        const char *name = smr_strings_get(&t->classes, k, &length);
        struct told score = {.at = k, .factor = 1};
        if (s->n_scores == 1) score = (struct told){.factor = k == 1 ? 1 : -1};
        TRY(tell_score(ctx, s, score, name, length));
    }
out:
    return st;
}

static smr_status find_scores(smr_ctx *ctx, struct shapley *s, const char *positive)
{
    const smr_target *t = &s->model->target;
    smr_status st = SMR_OK;
    TRY_NEW(s->told, SMR_SHOWN_MAX);
    if (t->task == SMR_TASK_CLASSIFY) {
        TRY(tell_classes(ctx, s, positive));
        goto out;
    }
    if (positive)
        return smr_fail(ctx, SMR_ERR_PARAM,
                        "--positive names a class, and the model predicts numbers");
    for (int64_t j = 0; j < s->n_scores && j < SMR_SHOWN_MAX; j++) {
        const char *name = t->n > 1 ? t->names[j] : NULL;
        struct told score = {.at = j, .factor = 1};
        if (t->mean && s->view.says == SMR_SAYS_VALUES)
            score = (struct told){.at = j, .factor = t->sd[j], .shift = t->mean[j]};
        TRY(tell_score(ctx, s, score, name, name ? (int64_t)strlen(name) : 0));
    }
out:
    return st;
}

/* ---- values ----------------------------------------------------------------------------- */

/* The stages before the last over the table. */
static smr_status chain_stages(smr_ctx *ctx, struct shapley *s, const smr_binding *binding)
{
    const smr_model *m = s->model;
    smr_status st = SMR_OK;
    TRY(smr_explain_chain(ctx, m, binding, s->rows, s->n_rows, &s->data));
    s->n_features = s->data[m->n_stages - 1].n_features;
out:
    return st;
}

/* A sum of terms of that size in all, or 0 where it is their rounding. */
static double settled(double sum, double size)
{
    return fabs(sum) <= 16 * DBL_EPSILON * size ? 0 : sum;
}

/* Rows [lo, lo + n) of the sample, from what the learner gave for them. */
static void keep_values(struct shapley *s, int64_t lo, int64_t n, const double *out)
{
    int64_t d = s->n_features;
    for (int64_t k = 0; k < s->n_told; k++) {
        const struct told *told = &s->told[k];
        for (int64_t i = 0; i < n; i++) {
            const double *from = out + (i * s->n_scores + told->at) * (d + 1);
            double *to = s->value + (k * s->n_rows + lo + i) * s->n_groups;
            s->base[k] = told->factor * from[d] + told->shift;
            double sum = s->base[k], size = fabs(sum);
            for (int64_t j = 0; j < d; j++) to[s->group_of[j]] += told->factor * from[j];
            for (int64_t g = 0; g < s->n_groups; g++) {
                sum += to[g];
                size += fabs(to[g]);
            }
            s->sum[k * s->n_rows + lo + i] = settled(sum, size);
        }
    }
}

static smr_status compute(smr_ctx *ctx, struct shapley *s)
{
    const smr_stage *last = smr_model_last(s->model);
    const smr_data *data = &s->data[s->model->n_stages - 1];
    double cells = (double)s->n_told * (double)s->n_rows * (double)s->n_groups;
    smr_status st = SMR_OK;
    smr_reader *reader = NULL;
    double *out = NULL;
    TRY(smr_memory_check(ctx, 8 * cells, "explaining these rows", "use fewer with --use-rows"));
    TRY_NEW(s->value, s->n_told * s->n_rows * s->n_groups);
    TRY_NEW(s->sum, s->n_told * s->n_rows);
    TRY_NEW(s->base, s->n_told);
    TRY_NEW(out, BLOCK * s->n_scores * (s->n_features + 1));
    TRY(smr_reader_open(ctx, data, smr_stage_form(last, data), BLOCK, &reader));
    for (int64_t lo = 0; lo < s->n_rows; lo += BLOCK) {
        smr_rows rows;
        int64_t n = SMR_MIN(BLOCK, s->n_rows - lo);
        memset(out, 0, (size_t)(n * s->n_scores * (s->n_features + 1)) * sizeof *out);
        TRY(smr_reader_rows(ctx, reader, lo, lo + n, &rows));
        TRY(ask_learner(ctx, s, &rows, out));
        keep_values(s, lo, n, out);
    }
out:
    smr_reader_close(reader);
    smr_free(out);
    return st;
}

/* ---- reporting -------------------------------------------------------------------------- */

/* The groups that are shown, by falling mean size of their values. */
struct ranked {
    int64_t n;
    int64_t *group;
    double *size, *mean; /* of each group */
};

static void measure_groups(const struct shapley *s, const double *value, struct ranked *r)
{
    double total = 0;
    for (int64_t i = 0; i < s->n_rows; i++) {
        double w = s->weight ? s->weight[s->rows[i]] : 1;
        total += w;
        for (int64_t g = 0; g < s->n_groups; g++) {
            r->mean[g] += w * value[i * s->n_groups + g];
            r->size[g] += w * fabs(value[i * s->n_groups + g]);
        }
    }
    for (int64_t g = 0; g < s->n_groups; g++) {
        r->size[g] /= total;
        r->mean[g] = settled(r->mean[g] / total, r->size[g]);
    }
}

static void ranked_release(struct ranked *r)
{
    smr_free(r->group);
    smr_free(r->size);
    smr_free(r->mean);
}

/* is_asked (n_inputs, NULL: all): the inputs that are to be shown. */
static smr_status rank(smr_ctx *ctx, const struct shapley *s, const double *value,
                       const bool *is_asked, struct ranked *r)
{
    smr_status st = SMR_OK;
    double *falling = NULL;
    int64_t *order = NULL;
    *r = (struct ranked){0};
    TRY_NEW(r->group, s->n_groups + 1);
    TRY_NEW(r->size, s->n_groups + 1);
    TRY_NEW(r->mean, s->n_groups + 1);
    TRY_NEW(falling, s->n_groups + 1);
    TRY_NEW(order, s->n_groups + 1);
    measure_groups(s, value, r);
    for (int64_t g = 0; g < s->n_groups; g++) falling[g] = -r->size[g];
    TRY(smr_argsort_f64(ctx, s->n_groups, falling, order));
    for (int64_t k = 0; k < s->n_groups; k++) {
        int64_t input = s->groups[order[k]].input;
        if (!is_asked || (input >= 0 && is_asked[input])) r->group[r->n++] = order[k];
    }
out:
    smr_free(falling);
    smr_free(order);
    return st;
}

/* The few largest of a row's values, each as "bmi +12.3". */
static smr_status tell_largest(smr_ctx *ctx, const struct shapley *s, const struct ranked *r,
                               const double *value, smr_json *row)
{
    static const char *const keys[LARGEST] = {"largest", "second", "third"};
    int64_t chosen[LARGEST];
    smr_status st = SMR_OK;
    for (int64_t k = 0; k < SMR_MIN(LARGEST, r->n) && st == SMR_OK; k++) {
        int64_t best = -1;
        for (int64_t h = 0; h < r->n; h++) {
            bool is_taken = false;
            for (int64_t c = 0; c < k; c++) is_taken |= chosen[c] == r->group[h];
            if (!is_taken && (best < 0 || fabs(value[r->group[h]]) > fabs(value[best])))
                best = r->group[h];
        }
        chosen[k] = best;
        if (value[best] == 0) break;
        char number[SMR_NUMBER_MAX];
        smr_text text = {.ctx = ctx};
        smr_format_rounded(value[best], 4, number);
        smr_text_printf(&text, "%s %s%s", s->groups[best].name, value[best] > 0 ? "+" : "", number);
        st = smr_text_done(&text);
        if (st == SMR_OK) smr_json_add_string(row, keys[k], text.bytes);
        smr_text_release(&text);
    }
    return st;
}

/* Each row with its score, and all values: as many as columns, in the order of these. */
static smr_status tell_rows(smr_ctx *ctx, const struct shapley *s, int64_t k,
                            const struct ranked *r, smr_json *entry)
{
    smr_status st = SMR_OK;
    double *shown = NULL;
    TRY_NEW(shown, r->n + 1);
    smr_json *rows = smr_json_add_array(entry, "rows");
    smr_json *values = smr_json_add_array(entry, "values");
    for (int64_t i = 0; i < s->n_rows; i++) {
        const double *value = s->value + (k * s->n_rows + i) * s->n_groups;
        smr_json *row = smr_json_add_object(rows, NULL);
        smr_json_add_number(row, "row", (double)(s->rows[i] + 1));
        smr_json_add_number(row, "score", s->sum[k * s->n_rows + i]);
        TRY(tell_largest(ctx, s, r, value, row));
        for (int64_t h = 0; h < r->n; h++) shown[h] = value[r->group[h]];
        smr_json_add_numbers(values, NULL, shown, r->n);
    }
out:
    smr_free(shown);
    return st;
}

/* What a row has in a column of the table; a feature made of several columns has no cell. */
static void tell_cell(const smr_table *table, const char *name, int64_t row, smr_json *into)
{
    int64_t at = smr_table_find(table, name), length;
    const smr_column *c = at >= 0 ? &table->cols[at] : NULL;
    int32_t code =
        c && (c->kind == SMR_CATEGORY || c->kind == SMR_TEXT) ? smr_column_code(c, row) : -1;
    if (c && c->kind == SMR_NUMBER) {
        smr_json_add_number(into, "value", smr_column_number(c, row));
    } else if (code >= 0) {
        const char *text = smr_strings_get(&c->levels, code, &length);
        smr_json_add_bytes(into, "value", text, length);
    } else {
        smr_json_add_null(into, "value");
    }
}

/* One row: its score, and what each column adds, the largest first. */
static void tell_row(const struct shapley *s, int64_t k, const struct ranked *r, smr_json *entry)
{
    const double *value = s->value + k * s->n_groups;
    double others = s->sum[k] - s->base[k];
    smr_json_add_number(entry, "total", s->sum[k]);
    smr_json *columns = smr_json_add_array(entry, "columns");
    for (int64_t h = 0; h < r->n; h++) {
        const struct group *g = &s->groups[r->group[h]];
        smr_json *column = smr_json_add_object(columns, NULL);
        smr_json_add_string(column, "column", g->name);
        tell_cell(s->of, g->name, s->rows[0], column);
        smr_json_add_number(column, "adds", value[r->group[h]]);
        others -= value[r->group[h]];
    }
    if (r->n < s->n_groups) smr_json_add_number(entry, "other_columns_add", others);
}

static smr_status draw(smr_ctx *ctx, const struct shapley *s, int64_t k, const struct ranked *r,
                       smr_json *figures)
{
    smr_text name = {.ctx = ctx}, label = {.ctx = ctx};
    smr_status st = SMR_OK;
    double size[MOST_BARS];
    int64_t n = SMR_MIN(r->n, MOST_BARS);
    smr_text_add(&name, "shapley");
    if (s->n_told > 1) smr_text_printf(&name, "-%lld", (long long)(k + 1));
    smr_text_printf(&label, "%s to %s%s%s",
                    s->of ? "contribution" : "mean size of the contribution", s->told[k].name,
                    s->view.unit ? ", " : "", s->view.unit ? s->view.unit : "");
    TRY(smr_text_done(&name));
    TRY(smr_text_done(&label));
    smr_json *figure = smr_figure_add(
        figures, name.bytes, "Shapley values",
        s->of ? "How far each column moves this row's score away from the base, the "
                "score before any column is known."
              : "How far each column moves a row's score, up or down, away from the "
                "base, the score before any column is known; averaged over the rows.");
    smr_figure_axis(figure, "x", label.bytes, "linear");
    smr_json *names = smr_json_add_array(smr_figure_axis(figure, "y", "", "names"), "names");
    for (int64_t h = 0; h < n; h++) {
        smr_json_add_string(names, NULL, s->groups[r->group[h]].name);
        size[h] = s->of ? r->mean[r->group[h]] : r->size[r->group[h]];
    }
    smr_figure_series(figure, s->told[k].name, "hbars", n, size, NULL);
out:
    smr_text_release(&name);
    smr_text_release(&label);
    return st;
}

static void tell_columns(const struct shapley *s, const struct ranked *r, smr_json *entry)
{
    smr_json *columns = smr_json_add_array(entry, "columns");
    for (int64_t h = 0; h < r->n; h++) {
        smr_json *column = smr_json_add_object(columns, NULL);
        smr_json_add_string(column, "column", s->groups[r->group[h]].name);
        smr_json_add_number(column, "mean_size", r->size[r->group[h]]);
        smr_json_add_number(column, "mean", r->mean[r->group[h]]);
    }
}

static smr_status tell(smr_ctx *ctx, const struct shapley *s, const bool *is_asked, smr_json *into)
{
    smr_status st = SMR_OK;
    struct ranked r = {0};
    if (s->of)
        smr_json_add_number(into, "row", (double)s->rows[0] + 1);
    else
        smr_json_add_number(into, "rows", (double)s->n_rows);
    smr_json *list = smr_json_add_array(into, "shapley");
    smr_json *figures = smr_json_add_array(into, "figures");
    for (int64_t k = 0; k < s->n_told; k++) {
        TRY(rank(ctx, s, s->value + k * s->n_rows * s->n_groups, is_asked, &r));
        smr_json *entry = smr_json_add_object(list, NULL);
        smr_json_add_string(entry, "score", s->told[k].name);
        if (s->view.unit) smr_json_add_string(entry, "unit", s->view.unit);
        smr_json_add_number(entry, "base", s->base[k]);
        if (s->of) {
            tell_row(s, k, &r, entry);
        } else {
            tell_columns(s, &r, entry);
            TRY(tell_rows(ctx, s, k, &r, entry));
        }
        TRY(draw(ctx, s, k, &r, figures));
        ranked_release(&r);
        r = (struct ranked){0};
    }
out:
    ranked_release(&r);
    return st;
}

/* ---- all of it -------------------------------------------------------------------------- */

/* *is_asked: NULL without a list of columns. */
static smr_status find_asked(smr_ctx *ctx, const smr_model *m, const smr_sample *sample,
                             const char *columns, bool **is_asked)
{
    smr_status st = SMR_OK;
    smr_asked *asked = NULL;
    int64_t n = 0;
    if (!columns) return SMR_OK;
    TRY(smr_asked_find(ctx, m, sample->table, columns, &asked, &n));
    TRY_NEW(*is_asked, m->schema.n_inputs + 1);
    for (int64_t k = 0; k < n; k++) (*is_asked)[asked[k].input] = true;
out:
    smr_free(asked);
    return st;
}

static void shapley_release(struct shapley *s)
{
    for (int64_t k = 0; k < s->n_told; k++) smr_free(s->told[k].name);
    smr_free(s->told);
    smr_free(s->groups);
    smr_free(s->group_of);
    smr_free(s->data);
    smr_free(s->value);
    smr_free(s->sum);
    smr_free(s->base);
}

/* One row that is asked for, or a sample of all. */
static smr_status choose_rows(smr_ctx *ctx, const smr_sample *sample, const smr_explain_how *how,
                              int64_t **rows, struct shapley *s)
{
    smr_status st = SMR_OK;
    if (!how->row) {
        TRY(smr_explain_rows(ctx, sample, how->most_rows ? how->most_rows : MOST_ROWS, rows,
                             &s->n_rows));
    } else {
        TRY(smr_explain_check_row(ctx, sample->table, how->row));
        TRY_NEW(*rows, 1);
        (*rows)[0] = how->row - 1;
        s->n_rows = 1;
        s->of = sample->table;
        s->weight = NULL;
    }
    s->rows = *rows;
out:
    return st;
}

smr_status smr_explain_shapley(smr_ctx *ctx, const smr_model *model, const smr_sample *sample,
                               const smr_explain_how *how, smr_json *into)
{
    const smr_stage *last = smr_model_last(model);
    smr_status st = SMR_OK;
    struct shapley s = {.model = model, .weight = sample->weight};
    smr_binding binding = {0};
    int64_t *rows = NULL;
    bool *is_asked = NULL;
    if (!smr_explains(last->learner)->shapley && !smr_explains(last->learner)->trees)
        return refuse(ctx, last->learner);
    TRY(find_asked(ctx, model, sample, how->columns, &is_asked));
    TRY(choose_rows(ctx, sample, how, &rows, &s));
    TRY(smr_schema_bind(ctx, &model->schema, smr_model_columns(model), sample->table, &binding));
    TRY(chain_stages(ctx, &s, &binding));
    TRY(ask_learner(ctx, &s, NULL, NULL));
    TRY(find_scores(ctx, &s, how->positive));
    TRY(find_groups(ctx, &s));
    TRY(compute(ctx, &s));
    TRY(tell(ctx, &s, is_asked, into));
out:
    shapley_release(&s);
    smr_binding_release(&binding);
    smr_free(rows);
    smr_free(is_asked);
    return st;
}
