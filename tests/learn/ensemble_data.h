/* ensemble_data.h -- tables and models that the tests of bag, vote and stack share. */
#ifndef SMR_TESTS_ENSEMBLE_DATA_H
#define SMR_TESTS_ENSEMBLE_DATA_H

#include "pipeline.h"

#include "data/read.h"
#include "model/model_file.h"

static inline smr_table *open_csv(smr_ctx *ctx, const char *path)
{
    smr_table *t = NULL;
    check_ok(ctx, smr_table_read(ctx, path, NULL, &t));
    return t;
}

/* Row number modulo `groups`, as a column at place j. */
static inline void put_groups(smr_ctx *ctx, smr_table *t, int64_t j, int64_t groups)
{
    double *g = smr_alloc(ctx, t->n_rows, sizeof *g);
    for (int64_t i = 0; i < t->n_rows; i++) g[i] = (double)(i % groups);
    put_numbers(ctx, t, j, "g", g);
    smr_free(g);
}

/* The numbers of a table, its target, and a column "g" of row numbers modulo `groups`. */
static inline smr_table *with_groups(smr_ctx *ctx, const smr_table *from, int64_t groups)
{
    smr_table *t = new_table(ctx, from->n_rows, from->n_cols + 1);
    for (int64_t j = 0; j < from->n_cols; j++) {
        const smr_column *col = &from->cols[j];
        if (col->kind == SMR_CATEGORY) {
            const char **x = smr_alloc(ctx, from->n_rows, sizeof *x);
            char *copies = smr_alloc(ctx, from->n_rows * 32, 1);
            for (int64_t i = 0; i < from->n_rows; i++) {
                int64_t length;
                const char *s = smr_strings_get(&col->levels, ((int32_t *)col->values)[i], &length);
                snprintf(copies + 32 * i, 32, "%.*s", (int)length, s);
                x[i] = copies + 32 * i;
            }
            put_strings(ctx, t, j, col->name, x);
            smr_free(x);
            smr_free(copies);
        } else {
            double *x = smr_alloc(ctx, from->n_rows, sizeof *x);
            for (int64_t i = 0; i < from->n_rows; i++) x[i] = smr_column_number(col, i);
            put_numbers(ctx, t, j, col->name, x);
            smr_free(x);
        }
    }
    put_groups(ctx, t, from->n_cols, groups);
    return t;
}

static inline smr_model *train_grouped(smr_ctx *ctx, const char *sentence, const smr_table *t,
                                       const char *target)
{
    smr_model *m = NULL;
    smr_set_opts opts = {.target = target, .group = "g", .keep_all = true};
    check_ok(ctx, try_train(ctx, sentence, t, &opts, &m));
    return m;
}

enum { MIXED_ROWS = 131 };

/* Three numbers, a category, with gaps in both if asked for; "k": 2 or 3 noisy classes, or "y". */
static inline smr_table *mixed(smr_ctx *ctx, int64_t n_classes, bool gaps)
{
    static const char *const names[] = {"no", "yes", "maybe"};
    static const char *const colours[] = {"red", "blue", "green"};
    const char *label[MIXED_ROWS], *colour[MIXED_ROWS];
    double v[3][MIXED_ROWS], y[MIXED_ROWS];
    smr_table *t = new_table(ctx, MIXED_ROWS, 5);
    for (int64_t i = 0; i < MIXED_ROWS; i++) {
        for (int64_t j = 0; j < 3; j++) v[j][i] = noise(i, j);
        int64_t c = (i * 5 + i / 7) % 3;
        y[i] = v[0][i] + v[1][i] + 0.4 * (double)c + 0.7 * noise(i, 7);
        int64_t k = y[i] < 0 ? 0 : y[i] < 0.8 ? 1 : 2;
        label[i] = names[n_classes ? k % n_classes : 0];
        colour[i] = gaps && i % 13 == 6 ? NULL : colours[c];
        if (gaps && i % 9 == 4) v[2][i] = NAN;
    }
    put_numbers(ctx, t, 0, "u", v[0]);
    put_numbers(ctx, t, 1, "v", v[1]);
    put_numbers(ctx, t, 2, "w", v[2]);
    put_strings(ctx, t, 3, "colour", colour);
    if (n_classes)
        put_strings(ctx, t, 4, "k", label);
    else
        put_numbers(ctx, t, 4, "y", y);
    return t;
}

/* The same model after it was written and read. */
static inline smr_model *reloaded(smr_ctx *ctx, const smr_model *m)
{
    char *bytes = NULL;
    int64_t n = 0;
    smr_model *back = NULL;
    check_ok(ctx, smr_model_write(ctx, m, &bytes, &n));
    check_ok(ctx, smr_model_read(ctx, bytes, n, &back));
    smr_free(bytes);
    return back;
}

static inline void check_same_bytes(smr_ctx *ctx, const smr_model *a, const smr_model *b)
{
    char *x = NULL, *y = NULL;
    int64_t n = 0, m = 0;
    check_ok(ctx, smr_model_write(ctx, a, &x, &n));
    check_ok(ctx, smr_model_write(ctx, b, &y, &m));
    assert_int_equal(n, m);
    assert_memory_equal(x, y, (size_t)n);
    smr_free(x);
    smr_free(y);
}

/* Both models give the same answers for all rows; tolerance 0: the same bits. */
static inline void check_same_answers(smr_ctx *ctx, const smr_model *a, const smr_model *b,
                                      const smr_table *t, smr_output output, double tolerance)
{
    double *x = apply(ctx, a, t, output), *y = apply(ctx, b, t, output);
    int64_t n = t->n_rows * smr_model_width(a, output);
    assert_int_equal(smr_model_width(a, output), smr_model_width(b, output));
    for (int64_t i = 0; i < n; i++) {
        if (tolerance == 0 && memcmp(&x[i], &y[i], sizeof *x) != 0)
            fail_msg("answer %d: %.17g and %.17g", (int)i, x[i], y[i]);
        check_near("answer", x[i], y[i], tolerance);
    }
    smr_free(x);
    smr_free(y);
}

/* Same bytes at 1, 2 and 7 threads, before and after a file; same answers. */
static inline void check_life(const char *sentence,
                              smr_table *(*make)(smr_ctx *ctx, int64_t n_classes, bool gaps),
                              int64_t n_classes)
{
    static const int threads[] = {1, 2, 7};
    smr_ctx *ctx = check_ctx(1);
    const char *target = n_classes ? "k" : "y";
    smr_output output = n_classes ? SMR_OUTPUT_PROBA : SMR_OUTPUT_VALUE;
    smr_table *t = make(ctx, n_classes, true);
    smr_model *first = train_on(ctx, sentence, t, target), *back = reloaded(ctx, first);
    check_same_bytes(ctx, first, back);
    check_same_answers(ctx, first, back, t, output, 0);
    for (int i = 0; i < 3; i++) {
        smr_ctx *other = check_ctx(threads[i]);
        smr_model *m = train_on(other, sentence, t, target);
        check_same_bytes(ctx, first, m);
        check_same_answers(other, first, m, t, output, 0);
        smr_model_free(m);
        check_ctx_end(other);
    }
    smr_model_free(back);
    smr_model_free(first);
    smr_table_free(t);
    check_ctx_end(ctx);
}

/* A whole life, for failing allocations. */
struct life {
    const char *sentence, *target;
    const smr_table *table;
};

static inline smr_status live(smr_ctx *ctx, void *arg)
{
    const struct life *l = arg;
    smr_model *m = NULL, *back = NULL;
    char *bytes = NULL;
    int64_t n = 0;
    smr_set_opts opts = {.target = l->target, .keep_all = true};
    smr_status st = try_train(ctx, l->sentence, l->table, &opts, &m);
    if (st == SMR_OK) st = smr_model_write(ctx, m, &bytes, &n);
    if (st == SMR_OK) st = smr_model_read(ctx, bytes, n, &back);
    smr_free(bytes);
    smr_model_free(m);
    smr_model_free(back);
    return st;
}

/* Training fails with this message. */
static inline void check_refused(smr_ctx *ctx, const char *sentence, const smr_table *t,
                                 const char *target, smr_status status, const char *part)
{
    smr_model *m = NULL;
    smr_set_opts opts = {.target = target, .keep_all = true};
    check_fails(ctx, try_train(ctx, sentence, t, &opts, &m), status, part);
    assert_null(m);
}

#endif
