/* A table that is spent while a model is fitted: the same model, in less memory. */
#include "pipeline.h"

#include "model/model_file.h"

enum { N = CHECK_LESS ? 400003 : 1000003, D = 3 };

static double value(int64_t i, int64_t j)
{
    return j < D - 1 ? noise(i, j) : noise(i, 0) * noise(i, 1);
}

/* N rows of x, z and their product y, one after another in a block that the table owns. */
static smr_table *row_table(smr_ctx *ctx)
{
    static const char *const names[] = {"x", "z", "y"};
    smr_table *t = new_table(ctx, N, D);
    double *x = smr_alloc_raw(ctx, N * D, sizeof *x);
    for (int64_t i = 0; i < N * D; i++) x[i] = value(i / D, i % D);
    check_ok(ctx, smr_table_own(ctx, t, x));
    for (int64_t j = 0; j < D; j++) {
        smr_column *c = &t->cols[j];
        c->name = smr_strdup(ctx, names[j]);
        c->kind = SMR_NUMBER;
        c->dtype = SMR_F64;
        c->values = x + j;
        c->stride = D;
    }
    return t;
}

/* The same, each column by itself. */
static smr_table *column_table(smr_ctx *ctx)
{
    static const char *const names[] = {"x", "z", "y"};
    smr_table *t = new_table(ctx, N, D);
    double *x = smr_alloc_raw(ctx, N, sizeof *x);
    for (int64_t j = 0; j < D; j++) {
        for (int64_t i = 0; i < N; i++) x[i] = value(i, j);
        put_numbers(ctx, t, j, names[j], x);
    }
    smr_free(x);
    return t;
}

/* The bytes of the model of the table, which is freed; *peak: the most that table, set and model
 * took together. */
static char *train_and_free(smr_ctx *ctx, smr_table *t, const char *sentence, bool spend,
                            int64_t *n, int64_t *peak)
{
    smr_set_opts opts = {.target = "y", .keep_all = true, .spend = spend};
    smr_model *m = NULL;
    char *bytes = NULL;
    int64_t others = smr_ctx_memory(ctx, NULL) - 8 * N * D;
    atomic_store(&ctx->memory->peak, 0);
    check_ok(ctx, try_train(ctx, sentence, t, &opts, &m));
    smr_ctx_memory(ctx, peak);
    *peak -= others;
    smr_table_free(t);
    check_ok(ctx, smr_model_write(ctx, m, &bytes, n));
    smr_model_free(m);
    return bytes;
}

static void a_spent_table_gives_the_same_model_in_less_memory(void **state)
{
    static const char *const sentences[] = {"knn 3", "knn 3 algorithm=brute",
                                            "standardize | knn 3 weight=distance"};
    (void)state;
    for (int k = 0; k < SMR_COUNT(sentences); k++) {
        for (int by_row = 0; by_row < 2; by_row++) {
            smr_ctx *ctx = check_ctx(2);
            smr_table *(*make)(smr_ctx *) = by_row ? row_table : column_table;
            int64_t n, n_spent, peak, peak_spent;
            char *kept = train_and_free(ctx, make(ctx), sentences[k], false, &n, &peak);
            char *spent = train_and_free(ctx, make(ctx), sentences[k], true, &n_spent, &peak_spent);
            assert_int_equal(n, n_spent);
            assert_memory_equal(kept, spent, (size_t)n);
            if (!CHECK_LESS && peak_spent >= peak) /* of fewer rows the pages decide */
                fail_msg("%s: %.1f MB spent, %.1f MB not", sentences[k], 1e-6 * (double)peak_spent,
                         1e-6 * (double)peak);
            smr_string_free(kept);
            smr_string_free(spent);
            check_ctx_end(ctx);
        }
    }
}

/* A learner that keeps nothing, and a fit on a part of the rows, leave the table as it is. */
static void others_leave_the_table_alone(void **state)
{
    smr_ctx *ctx = check_ctx(2);
    smr_table *t = row_table(ctx);
    smr_set_opts opts = {.target = "y", .keep_all = true, .spend = true};
    static const int64_t rows[] = {N - 1, 17, 0, 42, N / 2};
    smr_train_set *set = NULL;
    smr_model *m = NULL;
    (void)state;
    check_ok(ctx, said_set(ctx, t, "knn 3", &opts, &set));
    check_ok(ctx, said_fit(ctx, "linear", set, NULL, 0, &m));
    smr_model_free(m);
    check_ok(ctx, said_fit(ctx, "knn 3", set, rows, SMR_COUNT(rows), &m));
    smr_model_free(m);
    for (int64_t i = 0; i < N; i++)
        for (int64_t j = 0; j < D; j++)
            if (smr_column_number(&t->cols[j], i) != value(i, j)) fail_msg("row %d", (int)i);
    smr_train_set_free(set);
    smr_table_free(t);
    check_ctx_end(ctx);
}

/* Rows from `hi` on are whole whatever pages they share with rows that went; in the second table
 * the columns of one block follow each other. */
static void rows_that_are_not_spent_stay(void **state)
{
    smr_ctx *ctx = check_ctx(1);
    (void)state;
    for (int k = 0; k < 3; k++) {
        smr_table *t = k == 2 ? column_table(ctx) : row_table(ctx);
        int64_t held = smr_ctx_memory(ctx, NULL), step = 70001;
        for (int64_t j = 0; k == 1 && j < D; j++) {
            double *x = t->blocks[0];
            for (int64_t i = 0; i < N; i++) x[j * N + i] = value(i, j);
            t->cols[j].values = x + j * N;
            t->cols[j].stride = 1;
        }
        for (int64_t lo = 0, hi; lo < N; lo = hi) {
            hi = SMR_MIN(lo + step, N);
            smr_table_spend(t, lo, hi);
            for (int64_t i = hi; i < N; i++)
                for (int64_t j = 0; j < D; j++)
                    if (smr_column_number(&t->cols[j], i) != value(i, j))
                        fail_msg("table %d: row %d went with rows before %d", k, (int)i, (int)hi);
        }
        int64_t left = smr_ctx_memory(ctx, NULL);
        if (left > held - 8 * N * D + 3 * SMR_HUGE_PAGE) fail_msg("%d bytes are left", (int)left);
        smr_table_free(t);
    }
    check_ctx_end(ctx);
}

/* A caller's matrix is not the table's to release. */
static void borrowed_rows_are_never_spent(void **state)
{
    smr_ctx *ctx = check_ctx(2);
    double *x = malloc(sizeof *x * N * D);
    smr_dense view = {.values = x, .dtype = SMR_F64, .n_rows = N, .n_cols = D, .stride = D};
    smr_table *t = NULL;
    smr_model *m = NULL;
    (void)state;
    assert_non_null(x);
    for (int64_t i = 0; i < N * D; i++) x[i] = value(i / D, i % D);
    check_ok(ctx, smr_table_view(ctx, &view, NULL, &t));
    smr_set_opts opts = {.target = "2", .keep_all = true, .spend = true};
    check_ok(ctx, try_train(ctx, "knn 3", t, &opts, &m));
    for (int64_t i = 0; i < N * D; i++)
        if (x[i] != value(i / D, i % D)) fail_msg("element %d is lost", (int)i);
    smr_model_free(m);
    smr_table_free(t);
    free(x);
    check_ctx_end(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_spent_table_gives_the_same_model_in_less_memory),
        cmocka_unit_test(others_leave_the_table_alone),
        cmocka_unit_test(rows_that_are_not_spent_stay),
        cmocka_unit_test(borrowed_rows_are_never_spent),
    };
    return cmocka_run_group_tests_name("spend", tests, NULL, NULL);
}
