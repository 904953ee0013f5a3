/* fuzz_cells.c -- any bytes as a row of cells, a line each: a number, a category, a date, a text.
 * What is read is predicted; what is not has a message; and what a cell gives does not depend on
 * the row before it. */
#include "core/ctx.h"
#include "samara.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { ROWS = 6, INPUTS = 4 };

static void must(bool good)
{
    if (!good) abort();
}

static smr_model *make_model(smr_ctx *ctx)
{
    static const double size[ROWS] = {1, 2, NAN, 4, 5, 6}, y[ROWS] = {3, 1, 4, 1, 5, 9};
    static const double day[ROWS] = {0, 86400, 1e9, NAN, 1.5e9, 1.7e9};
    static const char *const colour[ROWS] = {"red", "blue", "red", NULL, "007", "blue"};
    static const char *const text[ROWS] = {"the cat", "a dog",     "",
                                           "the dog", "two birds", "cat cat"};
    smr_train_opts opts = {.size = sizeof opts, .target = "y", .task = SMR_TASK_REGRESS};
    smr_table *t = NULL;
    smr_model *m = NULL;
    must(smr_table_create(ctx, ROWS, &t) == SMR_OK);
    must(smr_table_add_f64(ctx, t, "size", size) == SMR_OK);
    must(smr_table_add_strings(ctx, t, "colour", colour) == SMR_OK);
    must(smr_table_add_dates(ctx, t, "day", day) == SMR_OK);
    must(smr_table_add_strings(ctx, t, "text", text) == SMR_OK);
    must(smr_table_add_f64(ctx, t, "y", y) == SMR_OK);
    must(smr_train(ctx, "words text | impute | knn 2", t, &opts, &m) == SMR_OK);
    smr_table_free(t);
    return m;
}

static void predict(smr_ctx *ctx, smr_predictor *p, const char *const *cells)
{
    static const char *const none[INPUTS] = {NULL, NULL, NULL, NULL};
    double first = 0, again = 0, other;
    smr_status st = smr_predictor_cells(p, cells, &first);
    if (st != SMR_OK) must(*smr_ctx_message(ctx) != '\0');
    must(smr_predictor_cells(p, none, &other) == SMR_OK && smr_ctx_n_warnings(ctx) == 0);
    must(smr_predictor_cells(p, cells, &again) == st);
    if (st == SMR_OK) must(memcmp(&first, &again, sizeof first) == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    smr_ctx *ctx = NULL;
    smr_ctx_opts opts = {.size = sizeof opts, .n_threads = 1, .memory_limit = 64 << 20};
    if (size > 10000 || smr_ctx_create(&opts, &ctx) != SMR_OK) return 0;
    smr_model *m = make_model(ctx);
    smr_predictor *p = NULL;
    must(smr_predictor_create(ctx, m, SMR_OUTPUT_VALUE, &p) == SMR_OK);
    char *text = smr_strndup(ctx, (const char *)data, size);
    const char *cells[INPUTS] = {NULL};
    int64_t n = 0;
    for (char *line = text, *end; line; line = end) {
        end = strchr(line, '\n');
        if (end) *end++ = '\0';
        cells[n++ % INPUTS] = line;
        if (n >= INPUTS) predict(ctx, p, cells);
    }
    smr_free(text);
    smr_predictor_free(p);
    smr_model_free(m);
    must(smr_ctx_memory(ctx, NULL) == 0);
    smr_ctx_destroy(ctx);
    return 0;
}
