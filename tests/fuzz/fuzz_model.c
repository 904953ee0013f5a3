/* The model loader: bytes are given their right checksum first, so that the fuzzer reaches every
 * check after it.  A model that loads must also predict without a crash. */
#include "mend_checksum.h"

#include "learn/inverse.h"
#include "learn/model.h"
#include "learn/model_trees.h"
#include "model/model_file.h"

#include <math.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void use(smr_ctx *ctx, const smr_model *m)
{
    static const double values[] = {0, 1, -3.5, 1e300, NAN};
    static const char *const words[] = {"0", "a cat", "2024-01-31", NULL, "1e300"};
    for (int k = 0; k <= SMR_OUTPUT_SET; k++) {
        smr_predictor *p = NULL;
        int64_t width = smr_model_gives(m) & 1u << k ? smr_model_width(m, (smr_output)k) : 0;
        int64_t inputs = m->schema.n_inputs + m->schema.n_sparse;
        if (!width || width > 100000 || inputs > 100000) continue;
        double *x = smr_alloc(ctx, inputs + 1, sizeof *x),
               *out = smr_alloc(ctx, width + 1, sizeof *out);
        const char **cells = smr_alloc(ctx, inputs + 1, sizeof *cells);
        if (x && out && cells && smr_predictor_create(ctx, m, (smr_output)k, &p) == SMR_OK)
            for (int v = 0; v < 5; v++) {
                for (int64_t j = 0; j < inputs; j++) x[j] = values[(v + j) % 5];
                (void)smr_predictor_row(p, x, out);
                for (int64_t j = 0; j < inputs; j++) cells[j] = words[(v + j) % 5];
                (void)smr_predictor_cells(p, cells, out);
                smr_ctx_clear(ctx);
            }
        smr_ctx_clear(ctx);
        smr_predictor_free(p);
        smr_free(x);
        smr_free(out);
        smr_free(cells);
    }
}

/* Features back to columns, where the model can be undone. */
static void undo(smr_ctx *ctx, const smr_model *m)
{
    static const double values[] = {0, 1, -3.5, 1e300, NAN};
    int64_t n = 0, inputs = smr_model_n_restored(m);
    (void)smr_model_undone(m, &n);
    if (n > 100000 || inputs > 100000) return;
    double *x = smr_alloc(ctx, 5 * n + 1, sizeof *x);
    double *out = smr_alloc(ctx, 5 * inputs + 1, sizeof *out);
    for (int64_t i = 0; x && i < 5 * n; i++) x[i] = values[(i + i / 5) % 5];
    if (x && out) (void)smr_inverse_matrix(ctx, m, x, 5, n, out);
    smr_free(x);
    smr_free(out);
    smr_ctx_clear(ctx);
}

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
        if (tree.view.trees->n_trees < 1000)
            (void)smr_trees_paths(ctx, &tree.view, &tree.names, x,
                                  smr_json_add_object(root, "paths"));
    }
    smr_free(x);
    smr_text_release(&dot);
    smr_reading_close(&r);
    smr_model_tree_release(&tree);
    smr_json_free(doc);
    smr_ctx_clear(ctx);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    smr_ctx *ctx = NULL;
    smr_ctx_opts opts = {.size = sizeof opts, .n_threads = 1, .memory_limit = 64 << 20};
    smr_model *m = NULL;
    if (size > 100000 || smr_ctx_create(&opts, &ctx) != SMR_OK) return 0;
    char *bytes = smr_strndup(ctx, (const char *)data, size);
    mend_checksum(bytes, (int64_t)size);
    smr_status st = smr_model_read(ctx, bytes, (int64_t)size, &m);
    if (st == SMR_OK) {
        use(ctx, m);
        undo(ctx, m);
        look(ctx, m);
        inspect(ctx, m);
        read_tree(ctx, m);
    } else if (!*smr_ctx_message(ctx) || m) {
        abort();
    }
    smr_model_free(m);
    smr_free(bytes);
    if (smr_ctx_memory(ctx, NULL) != 0) abort();
    smr_ctx_destroy(ctx);
    return 0;
}
