/* use_model.h -- everything that can be done with a model that was loaded: every function of the
 * contract, on a table made for the model; or a part of it, since a fuzzer that does two things
 * with a file sees five times as many files.
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

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { USED_ROWS = 6, MOST_WIDTH = 2000 };

static const double used_values[] = {0, 1, -3.5, 1e300, NAN, 2};

/* ---- a table that the model reads ------------------------------------------------------- */

/* A level or class: of those that are known some, and one that is not. */
static char *known_string(smr_ctx *ctx, const smr_strings *s, int64_t i)
{
    int64_t length = 0;
    if (i % 5 == 4) return smr_strdup(ctx, i % 2 ? "none such" : "a cat sat");
    if (s->n == 0) return smr_strdup(ctx, "a cat");
    const char *text = smr_strings_get(s, i % s->n, &length);
    return smr_strndup(ctx, text, (size_t)length);
}

static smr_status add_strings(smr_ctx *ctx, smr_table *t, const char *name, const smr_strings *s,
                              int64_t shift)
{
    char *cells[USED_ROWS] = {0};
    bool made = true;
    for (int i = 0; i < USED_ROWS; i++)
        made &= (cells[i] = known_string(ctx, s, i + shift)) != NULL;
    smr_status st =
        made ? smr_table_add_strings(ctx, t, name, (const char *const *)cells) : SMR_ERR_NOMEM;
    for (int i = 0; i < USED_ROWS; i++) smr_free(cells[i]);
    return st;
}

static smr_status add_numbers(smr_ctx *ctx, smr_table *t, const char *name, int64_t shift,
                              bool date)
{
    double x[USED_ROWS];
    for (int i = 0; i < USED_ROWS; i++)
        x[i] = date ? 86400.0 * (double)(i + shift) : used_values[(i + shift) % 6];
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
static smr_status table_for(smr_ctx *ctx, const smr_model *m, smr_table **out)
{
    smr_status st = SMR_OK;
    const smr_target *target = &m->target;
    *out = NULL;
    if (m->schema.n_sparse && !m->schema.n_inputs) return sparse_table(ctx, m, out);
    TRY(smr_table_create(ctx, USED_ROWS, out));
    for (int64_t j = 0; j < m->schema.n_inputs; j++) {
        const smr_input *in = &m->schema.inputs[j];
        bool words = in->kind == SMR_CATEGORY || in->kind == SMR_TEXT;
        TRY(words ? add_strings(ctx, *out, in->name, &in->levels, j)
                  : add_numbers(ctx, *out, in->name, j, in->kind == SMR_DATE));
    }
    for (int r = 0; r < SMR_ROLES; r++)
        if (m->schema.roles[r].name)
            TRY(add_strings(ctx, *out, m->schema.roles[r].name, &m->schema.roles[r].levels, 0));
    for (int64_t j = 0; j < target->n; j++)
        TRY(target->classes.n ? add_strings(ctx, *out, target->names[j], &target->classes, j)
                              : add_numbers(ctx, *out, target->names[j], 0, false));
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
static void predict_all(smr_ctx *ctx, const smr_model *m, const smr_table *t)
{
    int64_t rounds = smr_model_rounds(m), some[] = {0, 1, rounds / 2, rounds};
    for (int k = 0; k <= SMR_OUTPUT_SCORE; k++) {
        smr_output output = (smr_output)k;
        if (!is_small(m, output)) continue;
        double *out = smr_alloc(ctx, USED_ROWS * smr_model_width(m, output), sizeof *out);
        if (out) (void)smr_model_apply(ctx, m, t, NULL, USED_ROWS, output, out);
        for (int r = 0; out && rounds > 0 && r < 4; r++)
            (void)smr_model_apply_after(ctx, m, t, NULL, USED_ROWS, output,
                                        SMR_MIN(some[r], rounds), out);
        smr_free(out);
        smr_ctx_clear(ctx);
    }
}

/* The same row by row, from numbers and from texts. */
static void predict_rows(smr_ctx *ctx, const smr_model *m)
{
    static const char *const words[] = {"0", "a cat", "2024-01-31", NULL, "1e300"};
    int64_t inputs = m->schema.n_inputs + m->schema.n_sparse;
    double *x = smr_alloc(ctx, inputs + 1, sizeof *x);
    const char **cells = smr_alloc(ctx, inputs + 1, sizeof *cells);
    for (int k = 0; x && cells && k <= SMR_OUTPUT_SCORE; k++) {
        smr_predictor *p = NULL;
        if (!is_small(m, (smr_output)k)) continue;
        double *out = smr_alloc(ctx, smr_model_width(m, (smr_output)k), sizeof *out);
        if (out && smr_predictor_create(ctx, m, (smr_output)k, &p) == SMR_OK)
            for (int v = 0; v < 5; v += 2) {
                for (int64_t j = 0; j < inputs; j++) x[j] = used_values[(v + j) % 5];
                (void)smr_predictor_row(p, x, out);
                for (int64_t j = 0; j < inputs; j++) cells[j] = words[(v + j) % 5];
                (void)smr_predictor_cells(p, cells, out);
            }
        smr_predictor_free(p);
        smr_free(out);
        smr_ctx_clear(ctx);
    }
    smr_free(x);
    smr_free(cells);
    smr_ctx_clear(ctx);
}

/* Features back to columns, where the model can be undone. */
static void undo(smr_ctx *ctx, const smr_model *m)
{
    int64_t n = 0, inputs = smr_model_n_restored(m);
    (void)smr_model_undone(m, &n);
    if (n > MOST_WIDTH || inputs > MOST_WIDTH) return;
    double *x = smr_alloc(ctx, 5 * n + 1, sizeof *x);
    double *out = smr_alloc(ctx, 5 * inputs + 1, sizeof *out);
    for (int64_t i = 0; x && i < 5 * n; i++) x[i] = used_values[(i + i / 5) % 5];
    if (x && out) (void)smr_inverse_matrix(ctx, m, x, 5, n, out);
    smr_free(x);
    smr_free(out);
    smr_ctx_clear(ctx);
}

/* ---- looking ---------------------------------------------------------------------------- */

/* What can be asked without JSON. */
static void look(smr_ctx *ctx, const smr_model *m)
{
    smr_param_list *params = NULL;
    smr_array_list *arrays = NULL;
    const double *gains = NULL;
    smr_coefficients linear;
    double sum = 0;
    (void)smr_model_params(ctx, m, &params);
    (void)smr_model_arrays(ctx, m, &arrays);
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
}

/* What each stage learned, in words and figures. */
static void inspect(smr_ctx *ctx, const smr_model *m)
{
    smr_json_doc *doc = NULL;
    if (smr_json_create(ctx, &doc) == SMR_OK) (void)smr_model_describe(ctx, m, smr_json_root(doc));
    smr_json_free(doc);
    smr_ctx_clear(ctx);
}

/* Models of trees: rules, a graph, and the way of a row. */
static void read_tree(smr_ctx *ctx, const smr_model *m)
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
}

static const char *const explained[] = {"importance", "dependence", "regions",
                                        "path",       "shapley",    "proximity"};

static void explain(smr_ctx *ctx, const smr_model *m, const smr_table *t, const char *word)
{
    smr_explain_how how = {.repeats = 1, .grid = 3, .single_rows = 1, .nearest = 2};
    smr_sample sample = {.table = t, .n_rows = USED_ROWS};
    smr_json_doc *doc = NULL;
    if (smr_json_create(ctx, &doc) == SMR_OK)
        (void)smr_explain_fill(ctx, word, m, &sample, &how, smr_json_root(doc));
    smr_json_free(doc);
    smr_ctx_clear(ctx);
}

static void measure(smr_ctx *ctx, const smr_model *m, const smr_table *t)
{
    smr_json_doc *doc = NULL;
    smr_sample sample = {.table = t, .n_rows = USED_ROWS};
    if (smr_json_create(ctx, &doc) == SMR_OK)
        (void)smr_evaluate_sample(ctx, m, &sample, smr_json_root(doc), NULL, NULL);
    smr_json_free(doc);
    smr_ctx_clear(ctx);
}

/* ---- learning and saving ---------------------------------------------------------------- */

/* What is saved is read again; learned: numbers may have grown beyond what may be saved. */
static void save(smr_ctx *ctx, const smr_model *m, bool learned)
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
}

/* Goes on learning from the table's rows, twice. */
static void learn(smr_ctx *ctx, smr_model *m, const smr_table *t)
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
    if (!learned) return;
    save(ctx, m, true);
    inspect(ctx, m);
    predict_all(ctx, m, t);
}

/* ---- all of it -------------------------------------------------------------------------- */

enum {
    USE_ROWS = 1,
    USE_UNDO = 2,
    USE_LOOK = 4,
    USE_INSPECT = 8,
    USE_TREE = 16,
    USE_SAVE = 32,
    USE_ALL_ROWS = 64,
    USE_MEASURES = 128,
    USE_EXPLAIN = 256, /* and the next five: one for each word */
    USE_LEARN = USE_EXPLAIN << SMR_COUNT(explained),
    USES = 2 * USE_LEARN
};

/* Two of the uses, by the bytes of the file. */
static unsigned some_uses(const uint8_t *data, size_t size)
{
    uint64_t h = UINT64_C(0xcbf29ce484222325);
    for (size_t i = 0; i < size; i += 1 + size / 512) h = (h ^ data[i]) * UINT64_C(0x100000001b3);
    for (size_t i = size - SMR_MIN(size, 64); i < size; i++)
        h = (h ^ data[i]) * UINT64_C(0x100000001b3);
    int n = __builtin_ctz(USES);
    h ^= h >> 29;
    return 1u << h % (uint64_t)n | 1u << (h >> 32) % (uint64_t)n;
}

static void use_table(smr_ctx *ctx, smr_model *m, const smr_table *t, unsigned uses)
{
    if (uses & USE_ALL_ROWS) predict_all(ctx, m, t);
    if (uses & USE_MEASURES) measure(ctx, m, t);
    for (unsigned k = 0; k < SMR_COUNT(explained); k++)
        if (uses >> __builtin_ctz(USE_EXPLAIN) & 1u << k) explain(ctx, m, t, explained[k]);
    if (uses & USE_LEARN) learn(ctx, m, t);
}

static void use_model(smr_ctx *ctx, smr_model *m, unsigned uses)
{
    smr_table *t = NULL;
    if (m->schema.n_inputs + m->schema.n_sparse > MOST_WIDTH || m->target.n > MOST_WIDTH) return;
    if (uses & USE_ROWS) predict_rows(ctx, m);
    if (uses & USE_UNDO) undo(ctx, m);
    if (uses & USE_LOOK) look(ctx, m);
    if (uses & USE_INSPECT) inspect(ctx, m);
    if (uses & USE_TREE) read_tree(ctx, m);
    if (uses & USE_SAVE) save(ctx, m, false);
    if (uses >= USE_ALL_ROWS && table_for(ctx, m, &t) == SMR_OK) use_table(ctx, m, t, uses);
    smr_table_free(t);
    smr_ctx_clear(ctx);
}

#endif
