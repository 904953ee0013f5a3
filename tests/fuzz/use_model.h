/* use_model.h -- everything that can be done with a model that was loaded: every function of the
 * contract, on a table made for the model; or one of them, since a fuzzer that does one thing with
 * a file sees many times as many files.
 *
 * What a model says is of no interest here, only that no call crashes, reads or writes outside its
 * memory, runs without end, or keeps memory; and that what can be saved can be read again. */
#ifndef SMR_FUZZ_USE_MODEL_H
#define SMR_FUZZ_USE_MODEL_H

#include "core/try.h"
#include "data/build.h"
#include "learn/inverse.h"
#include "learn/model.h"
#include "learn/model_trees.h"
#include "learn/online.h"
#include "model/model_file.h"
#include "study/explain.h"
#include "tally.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { USED_ROWS = 6, MOST_WIDTH = 2000 };

static const double used_values[] = {0, 1, -3.5, 1e300, NAN, 2};
static const double plain_values[] = {0, 1, -3.5, 0.25, 7, 2};

/* ---- a table that the model reads ------------------------------------------------------- */

/* An odd table holds what was not seen in training: levels and classes, gaps, numbers that
 * overflow.  Models refuse some of it, so that most tables are not odd. */

/* A level or class: of those that are known some, and in odd tables one that is not. */
static char *known_string(smr_ctx *ctx, const smr_strings *s, int64_t i, bool odd)
{
    int64_t length = 0;
    if (odd && i % 5 == 4) return smr_strdup(ctx, i % 2 ? "none such" : "a cat sat");
    if (s->n == 0) return smr_strdup(ctx, "a cat");
    const char *text = smr_strings_get(s, i % s->n, &length);
    return smr_strndup(ctx, text, (size_t)length);
}

static smr_status add_strings(smr_ctx *ctx, smr_table *t, const char *name, const smr_strings *s,
                              int64_t shift, bool odd)
{
    char *cells[USED_ROWS] = {0};
    bool made = true;
    for (int i = 0; i < USED_ROWS; i++)
        made &= (cells[i] = known_string(ctx, s, i + shift, odd)) != NULL;
    smr_status st =
        made ? smr_table_add_strings(ctx, t, name, (const char *const *)cells) : SMR_ERR_NOMEM;
    for (int i = 0; i < USED_ROWS; i++) smr_free(cells[i]);
    return st;
}

static smr_status add_numbers(smr_ctx *ctx, smr_table *t, const char *name, int64_t shift,
                              bool date, bool odd)
{
    double x[USED_ROWS];
    const double *values = odd ? used_values : plain_values;
    for (int i = 0; i < USED_ROWS; i++)
        x[i] = date ? 86400.0 * (double)(i + shift) : values[(i + shift) % 6];
    return date ? smr_table_add_dates(ctx, t, name, x) : smr_table_add_f64(ctx, t, name, x);
}

static smr_status sparse_table(smr_ctx *ctx, const smr_model *m, smr_table **out)
{
    int64_t start[USED_ROWS + 1];
    int32_t column[USED_ROWS];
    double value[USED_ROWS], y[USED_ROWS];
    for (int i = 0; i < USED_ROWS; i++) {
        start[i] = i;
        column[i] = (int32_t)(i % m->schema.n_sparse);
        value[i] = i + 0.5;
        y[i] = i % 2;
    }
    start[USED_ROWS] = USED_ROWS;
    smr_csr rows = {.n_rows = USED_ROWS,
                    .n_cols = m->schema.n_sparse,
                    .start = start,
                    .column = column,
                    .value = value};
    return smr_build_csr(ctx, &rows, y, out);
}

/* Fails where names are taken twice or are none. */
static smr_status table_for(smr_ctx *ctx, const smr_model *m, bool odd, smr_table **out)
{
    smr_status st = SMR_OK;
    const smr_target *target = &m->target;
    *out = NULL;
    if (m->schema.n_sparse && !m->schema.n_inputs) return sparse_table(ctx, m, out);
    TRY(smr_table_create(ctx, USED_ROWS, out));
    for (int64_t j = 0; j < m->schema.n_inputs; j++) {
        const smr_input *in = &m->schema.inputs[j];
        bool words = in->kind == SMR_CATEGORY || in->kind == SMR_TEXT;
        TRY(words ? add_strings(ctx, *out, in->name, &in->levels, j, odd)
                  : add_numbers(ctx, *out, in->name, j, in->kind == SMR_DATE,
                                odd || in->has_missing));
    }
    for (int r = 0; r < SMR_ROLES; r++)
        if (m->schema.roles[r].name)
            TRY(add_strings(ctx, *out, m->schema.roles[r].name, &m->schema.roles[r].levels, 0,
                            odd));
    for (int64_t j = 0; j < target->n; j++)
        TRY(target->classes.n ? add_strings(ctx, *out, target->names[j], &target->classes, j, odd)
                              : add_numbers(ctx, *out, target->names[j], 0, false, odd));
out:
    return st;
}

/* ---- answers ---------------------------------------------------------------------------- */

static bool is_small(const smr_model *m, smr_output output)
{
    int64_t width = smr_model_gives(m) & 1u << output ? smr_model_width(m, output) : 0;
    return width > 0 && width <= MOST_WIDTH;
}

/* Every output of all rows, of the model and of its first rounds. */
static bool predict_all(smr_ctx *ctx, const smr_model *m, const smr_table *t)
{
    int64_t rounds = smr_model_rounds(m), some[] = {0, 1, rounds / 2, rounds};
    bool worked = false;
    for (int k = 0; k <= SMR_OUTPUT_SCORE; k++) {
        smr_output output = (smr_output)k;
        if (!is_small(m, output)) continue;
        double *out = smr_alloc(ctx, USED_ROWS * smr_model_width(m, output), sizeof *out);
        if (out) worked |= smr_model_apply(ctx, m, t, NULL, USED_ROWS, output, out) == SMR_OK;
        for (int r = 0; out && rounds > 0 && r < 4; r++)
            (void)smr_model_apply_after(ctx, m, t, NULL, USED_ROWS, output,
                                        SMR_MIN(some[r], rounds), out);
        smr_free(out);
        smr_ctx_clear(ctx);
    }
    return worked;
}

/* The same row by row, from numbers and from texts. */
static bool predict_rows(smr_ctx *ctx, const smr_model *m)
{
    static const char *const words[] = {"0", "a cat", "2024-01-31", NULL, "1e300"};
    int64_t inputs = m->schema.n_inputs + m->schema.n_sparse;
    double *x = smr_alloc(ctx, inputs + 1, sizeof *x);
    const char **cells = smr_alloc(ctx, inputs + 1, sizeof *cells);
    bool worked = false;
    for (int k = 0; x && cells && k <= SMR_OUTPUT_SCORE; k++) {
        smr_predictor *p = NULL;
        if (!is_small(m, (smr_output)k)) continue;
        double *out = smr_alloc(ctx, smr_model_width(m, (smr_output)k), sizeof *out);
        if (out && smr_predictor_create(ctx, m, (smr_output)k, &p) == SMR_OK)
            for (int v = 0; v < 5; v += 2) {
                for (int64_t j = 0; j < inputs; j++) x[j] = used_values[(v + j) % 5];
                worked |= smr_predictor_row(p, x, out) == SMR_OK;
                for (int64_t j = 0; j < inputs; j++) cells[j] = words[(v + j) % 5];
                worked |= smr_predictor_cells(p, cells, out) == SMR_OK;
            }
        smr_predictor_free(p);
        smr_free(out);
        smr_ctx_clear(ctx);
    }
    smr_free(x);
    smr_free(cells);
    smr_ctx_clear(ctx);
    return worked;
}

/* Features back to columns, where the model can be undone. */
static bool undo(smr_ctx *ctx, const smr_model *m)
{
    int64_t n = 0, inputs = smr_model_n_restored(m);
    (void)smr_model_undone(m, &n);
    if (n > MOST_WIDTH || inputs > MOST_WIDTH) return false;
    double *x = smr_alloc(ctx, 5 * n + 1, sizeof *x);
    double *out = smr_alloc(ctx, 5 * inputs + 1, sizeof *out);
    for (int64_t i = 0; x && i < 5 * n; i++) x[i] = used_values[(i + i / 5) % 5];
    bool worked = x && out && smr_inverse_matrix(ctx, m, x, 5, n, out) == SMR_OK;
    smr_free(x);
    smr_free(out);
    smr_ctx_clear(ctx);
    return worked;
}

/* ---- looking ---------------------------------------------------------------------------- */

/* What can be asked without JSON. */
static bool look(smr_ctx *ctx, const smr_model *m)
{
    smr_param_list *params = NULL;
    smr_array_list *arrays = NULL;
    const double *gains = NULL;
    smr_coefficients linear;
    double sum = 0;
    bool worked = smr_model_params(ctx, m, &params) == SMR_OK;
    worked &= smr_model_arrays(ctx, m, &arrays) == SMR_OK;
    if (smr_model_importances(ctx, m, &gains) == SMR_OK)
        for (int64_t j = 0; j < smr_model_n_features(m); j++) sum += gains[j];
    if (smr_model_coefficients(ctx, m, &linear) == SMR_OK)
        for (int64_t j = 0; j < linear.n_scores * linear.n_features; j++) sum += linear.values[j];
    for (int64_t j = 0; j < smr_model_n_features(m); j++)
        if (!smr_model_feature_name(m, j)) abort();
    if (sum == 0.5) smr_ctx_cancel(ctx); /* so that the values are read */
    smr_param_list_free(params);
    smr_array_list_free(arrays);
    smr_ctx_clear(ctx);
    return worked;
}

/* What each stage learned, in words and figures. */
static bool inspect(smr_ctx *ctx, const smr_model *m)
{
    smr_json_doc *doc = NULL;
    bool worked = smr_json_create(ctx, &doc) == SMR_OK &&
                  smr_model_describe(ctx, m, smr_json_root(doc)) == SMR_OK;
    smr_json_free(doc);
    smr_ctx_clear(ctx);
    return worked;
}

/* Models of trees: rules, a graph, and the way of a row. */
static bool read_tree(smr_ctx *ctx, const smr_model *m)
{
    smr_model_tree tree = {0};
    smr_reading r = {0};
    smr_json_doc *doc = NULL;
    smr_text dot = {.ctx = ctx};
    smr_status st = smr_json_create(ctx, &doc);
    if (st == SMR_OK) st = smr_model_find_tree(ctx, m, 0, &tree);
    if (st == SMR_OK) st = smr_reading_open(ctx, &tree.view, &tree.names, tree.tree, &r);
    double *x = st == SMR_OK ? smr_alloc(ctx, tree.names.n_in + 1, sizeof *x) : NULL;
    if (x) {
        smr_json *root = smr_json_root(doc);
        smr_reading_limits limits = {.nodes = 50};
        (void)smr_reading_rules(ctx, &r, 50, smr_json_add_array(root, "rules"));
        (void)smr_reading_dot(ctx, &r, limits, &dot);
        for (int64_t j = 0; j < tree.names.n_in; j++) x[j] = j % 3 == 2 ? NAN : (double)j;
        (void)smr_reading_path(ctx, &r, x, smr_json_add_object(root, "path"));
        (void)smr_trees_paths(ctx, &tree.view, &tree.names, x, smr_json_add_object(root, "paths"));
    }
    smr_free(x);
    smr_text_release(&dot);
    smr_reading_close(&r);
    smr_model_tree_release(&tree);
    smr_json_free(doc);
    smr_ctx_clear(ctx);
    return st == SMR_OK;
}

static const char *const explained[] = {"importance", "dependence", "regions",
                                        "path",       "shapley",    "proximity"};

static bool explain(smr_ctx *ctx, const smr_model *m, const smr_table *t, const char *word)
{
    smr_explain_how how = {.repeats = 1, .grid = 3, .single_rows = 1, .nearest = 2};
    smr_sample sample = {.table = t, .n_rows = USED_ROWS};
    smr_json_doc *doc = NULL;
    bool worked = smr_json_create(ctx, &doc) == SMR_OK &&
                  smr_explain_fill(ctx, word, m, &sample, &how, smr_json_root(doc)) == SMR_OK;
    smr_json_free(doc);
    smr_ctx_clear(ctx);
    return worked;
}

static bool measure(smr_ctx *ctx, const smr_model *m, const smr_table *t)
{
    smr_json_doc *doc = NULL;
    smr_sample sample = {.table = t, .n_rows = USED_ROWS};
    bool worked = smr_json_create(ctx, &doc) == SMR_OK &&
                  smr_evaluate_sample(ctx, m, &sample, smr_json_root(doc), NULL, NULL) == SMR_OK;
    smr_json_free(doc);
    smr_ctx_clear(ctx);
    return worked;
}

/* ---- learning and saving ---------------------------------------------------------------- */

/* What is saved is read again; learned: numbers may have grown beyond what may be saved. */
static bool save(smr_ctx *ctx, const smr_model *m, bool learned)
{
    char *bytes = NULL;
    int64_t length = 0;
    smr_model *again = NULL;
    smr_status st = smr_model_write(ctx, m, &bytes, &length);
    if (st == SMR_OK) st = smr_model_read(ctx, bytes, length, &again);
    if (st != SMR_OK && st != SMR_ERR_NOMEM && !(learned && !bytes && st == SMR_ERR_NUMERIC)) {
        fprintf(stderr, "saved and not read: %s\n", smr_ctx_message(ctx));
        abort();
    }
    smr_model_free(again);
    smr_free(bytes);
    smr_ctx_clear(ctx);
    return st == SMR_OK;
}

/* Goes on learning from the table's rows, twice. */
static bool learn(smr_ctx *ctx, smr_model *m, const smr_table *t)
{
    smr_online *o = NULL;
    const smr_online_rows *rows = NULL;
    smr_status st = smr_online_create(ctx, m, NULL, &o);
    for (int pass = 0; st == SMR_OK && pass < 2; pass++) {
        st = smr_online_take(ctx, o, t, pass * USED_ROWS, &rows);
        if (st == SMR_OK) st = smr_online_go(ctx, o, 0, rows->n);
    }
    bool learned = o != NULL;
    smr_online_free(o);
    smr_ctx_clear(ctx);
    if (!learned) return false;
    save(ctx, m, true);
    inspect(ctx, m);
    predict_all(ctx, m, t);
    return st == SMR_OK;
}

/* ---- all of it -------------------------------------------------------------------------- */

/* In the order of their names; learning changes the model, and comes last. */
enum {
    USE_ROWS,
    USE_UNDO,
    USE_LOOK,
    USE_INSPECT,
    USE_TREE,
    USE_SAVE,
    USE_ALL_ROWS, /* this and all that follow need a table */
    USE_MEASURES,
    USE_EXPLAIN, /* one for each word */
    USE_LEARN = USE_EXPLAIN + SMR_COUNT(explained),
    USES
};

static const char *const use_names[USES] = {
    "predict rows", "undo",          "look",    "inspect",    "read a tree",
    "save",         "predict table", "measure", "importance", "dependence",
    "regions",      "path",          "shapley", "proximity",  "learn"};

static bool use_with_table(smr_ctx *ctx, smr_model *m, int use, bool odd)
{
    smr_table *t = NULL;
    bool worked = table_for(ctx, m, odd, &t) == SMR_OK;
    smr_ctx_clear(ctx);
    if (worked && use == USE_ALL_ROWS)
        worked = predict_all(ctx, m, t);
    else if (worked && use == USE_MEASURES)
        worked = measure(ctx, m, t);
    else if (worked)
        worked =
            use == USE_LEARN ? learn(ctx, m, t) : explain(ctx, m, t, explained[use - USE_EXPLAIN]);
    smr_table_free(t);
    return worked;
}

static bool use_alone(smr_ctx *ctx, smr_model *m, int use)
{
    switch (use) {
    case USE_ROWS: return predict_rows(ctx, m);
    case USE_UNDO: return undo(ctx, m);
    case USE_LOOK: return look(ctx, m);
    case USE_INSPECT: return inspect(ctx, m);
    case USE_TREE: return read_tree(ctx, m);
    default: return save(ctx, m, false);
    }
}

/* Had it an answer? */
static bool use_model(smr_ctx *ctx, smr_model *m, int use, bool odd)
{
    if (m->schema.n_inputs + m->schema.n_sparse > MOST_WIDTH || m->target.n > MOST_WIDTH)
        return false;
    bool worked = use < USE_ALL_ROWS ? use_alone(ctx, m, use) : use_with_table(ctx, m, use, odd);
    count_use(use_names[use], worked);
    return worked;
}

static void use_in_all_ways(smr_ctx *ctx, smr_model *m)
{
    for (int odd = 1; odd >= 0; odd--)
        for (int use = 0; use < USE_LEARN; use++) (void)use_model(ctx, m, use, odd);
    for (int odd = 1; odd >= 0; odd--) (void)use_model(ctx, m, USE_LEARN, odd);
}

/* In ways that the digits of `die` choose, until one has an answer; at most three.  A model that
 * learned, or tried to, is no longer what was loaded. */
static void use_in_some_way(smr_ctx *ctx, smr_model *m, uint64_t die)
{
    bool odd = die % 8 == 0, done = false;
    die /= 8;
    for (int k = 0; k < 3 && !done; k++, die /= USES) {
        int use = (int)(die % USES);
        done = use_model(ctx, m, use, odd) || use == USE_LEARN;
    }
}

#endif
