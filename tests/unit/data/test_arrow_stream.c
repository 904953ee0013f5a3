/* test_arrow_stream.c -- tables from streams of Arrow arrays: several batches, dictionaries that
 * differ, errors on the way. */
#include "arrow_make.h"
#include "check.h"
#include "data/table.h"

static void check_text(const smr_table *t, int64_t row, int64_t j, const char *want)
{
    int64_t n;
    const char *got = smr_table_text(t, row, j, &n);
    if (!want) {
        assert_null(got);
        return;
    }
    assert_non_null(got);
    assert_int_equal(n, strlen(want));
    assert_memory_equal(got, want, strlen(want));
}

enum { N_BATCHES = 3 };

/* A colour from a dictionary of the batch's own, a number, a word. */
static struct made colour_batch(int b)
{
    static const char *const dictionaries[] = {"redblu", "blugrn", "grnred"};
    static const int32_t at[] = {0, 3, 6};
    static const int8_t codes[] = {1, 0, 1};
    double x[] = {b + 0.25, b == 1 ? NAN : 7, -b};
    static const int32_t word_at[] = {0, 1, 2, 4};
    struct made columns[] = {MAKE("colour", "c", 3, 0, 0, NO_BUFFER, BUFFER(codes)),
                             MAKE("x", "g", 3, 0, 0, NO_BUFFER, BUFFER(x)),
                             MAKE("word", "u", 3, 0, b == 2, TEXT_BUFFER("\x06"), BUFFER(word_at),
                                  (struct buffer){b ? "zyxx" : "axbb", 4})};
    give_dictionary(&columns[0], MAKE("", "u", 2, 0, 0, NO_BUFFER, BUFFER(at),
                                      (struct buffer){dictionaries[b], 6}));
    return make_batch(columns, 3, 3, 0, 0, NO_BUFFER);
}

static void batches_of_a_stream_are_one_table(void **state)
{
    (void)state;
    for (int threads = 1; threads <= 3; threads++) {
        smr_ctx *ctx = check_ctx(threads);
        struct made batches[N_BATCHES];
        for (int b = 0; b < N_BATCHES; b++) batches[b] = colour_batch(b);
        struct made_stream m = {.batches = batches, .n = N_BATCHES, .fail_at = 99};
        struct ArrowArrayStream stream = make_stream(&m);
        smr_table *t = NULL;
        check_ok(ctx, smr_table_from_arrow_stream(ctx, &stream, &t));
        assert_null(stream.release);
        assert_int_equal(m.released, 1);
        assert_true(arrow_done());
        static const char *const colour[] = {"blu", "red", "blu", "grn", "blu",
                                             "grn", "red", "grn", "red"};
        static const char *const word[] = {"a", "x", "bb", "z", "y", "xx", NULL, "y", "xx"};
        static const double x[] = {0.25, 7, 0, 1.25, NAN, -1, 2.25, 7, -2};
        assert_int_equal(smr_table_n_rows(t), 9);
        assert_int_equal(smr_table_n_levels(t, 0), 3);
        assert_int_equal(smr_table_code(t, 0, 0), 0); /* blu, grn, red */
        for (int i = 0; i < 9; i++) {
            check_text(t, i, 0, colour[i]);
            check_near("x", smr_table_number(t, i, 1), x[i], 0);
            check_text(t, i, 2, word[i]);
        }
        assert_int_equal(t->cols[1].n_missing, 1);
        smr_table_free(t);
        check_ctx_end(ctx);
    }
}

static void whole_numbers_stay_narrow_unless_a_batch_has_nulls(void **state)
{
    smr_ctx *ctx = check_ctx(1);
    static const int32_t x[] = {5, -6, 7};
    (void)state;
    for (int nulls = 0; nulls < 2; nulls++) {
        struct made batches[2] = {
            batch_of(MAKE("x", "i", 3, 0, 0, NO_BUFFER, BUFFER(x))),
            batch_of(MAKE("x", "i", 3, 0, nulls, TEXT_BUFFER("\x05"), BUFFER(x)))};
        struct made_stream m = {.batches = batches, .n = 2, .fail_at = 99};
        struct ArrowArrayStream stream = make_stream(&m);
        smr_table *t = NULL;
        check_ok(ctx, smr_table_from_arrow_stream(ctx, &stream, &t));
        assert_int_equal(t->cols[0].dtype, nulls ? SMR_F64 : SMR_I32);
        check_near("second batch", smr_table_number(t, 4, 0), nulls ? NAN : -6, 0);
        check_near("its last", smr_table_number(t, 5, 0), 7, 0);
        smr_table_free(t);
        assert_true(arrow_done());
    }
    check_ctx_end(ctx);
}

static void a_stream_of_one_batch_is_viewed(void **state)
{
    smr_ctx *ctx = check_ctx(1);
    static const double x[] = {9, 0.1, -1e308, 5e-324};
    struct made batch = batch_of(MAKE("x", "g", 3, 1, 0, NO_BUFFER, BUFFER(x)));
    const char *buffer = batch.array.children[0]->buffers[1];
    struct made_stream m = {.batches = &batch, .n = 1, .fail_at = 99};
    struct ArrowArrayStream stream = make_stream(&m);
    smr_table *t = NULL;
    (void)state;
    check_ok(ctx, smr_table_from_arrow_stream(ctx, &stream, &t));
    assert_ptr_equal(t->cols[0].values, buffer + 8);
    smr_table_free(t);
    assert_true(arrow_done());
    check_ctx_end(ctx);
}

static void a_stream_without_batches_is_a_table_without_rows(void **state)
{
    smr_ctx *ctx = check_ctx(1);
    struct made batch = colour_batch(0);
    struct made_stream m = {.batches = &batch, .n = 1, .next = 1, .fail_at = 99};
    struct ArrowArrayStream stream = make_stream(&m);
    smr_table *t = NULL;
    (void)state;
    check_ok(ctx, smr_table_from_arrow_stream(ctx, &stream, &t));
    assert_int_equal(smr_table_n_rows(t), 0);
    assert_int_equal(smr_table_n_cols(t), 3);
    smr_table_free(t);
    assert_true(arrow_done());
    check_ctx_end(ctx);
}

static void errors_of_a_stream_are_passed_on(void **state)
{
    static const struct {
        int64_t fail_at;
        const char *error, *told;
    } cases[] = {
        {-1, "no\nnetwork", "the Arrow stream did not give its schema: no network (error 5)"},
        {0, "torn", "the Arrow stream did not give its batch 1: torn (error 5)"},
        {2, "torn", "the Arrow stream did not give its batch 3: torn (error 5)"},
        {1, NULL, "its batch 2: no reason was given (error 5)"},
    };
    smr_ctx *ctx = check_ctx(1);
    (void)state;
    for (int c = 0; c < 4; c++) {
        struct made batches[N_BATCHES];
        for (int b = 0; b < N_BATCHES; b++) batches[b] = colour_batch(b);
        struct made_stream m = {.batches = batches,
                                .n = N_BATCHES,
                                .fail_at = cases[c].fail_at,
                                .error = cases[c].error};
        struct ArrowArrayStream stream = make_stream(&m);
        smr_table *t = NULL;
        check_fails(ctx, smr_table_from_arrow_stream(ctx, &stream, &t), SMR_ERR_IO, cases[c].told);
        assert_null(t);
        assert_int_equal(m.released, 1);
        assert_true(arrow_done());
        check_fails(ctx, smr_table_from_arrow_stream(ctx, &stream, &t), SMR_ERR_STATE,
                    "the Arrow stream is released already");
    }
    smr_table *t = NULL;
    check_fails(ctx, smr_table_from_arrow_stream(ctx, NULL, &t), SMR_ERR_STATE,
                "the Arrow stream is NULL");
    check_ctx_end(ctx);
}

static void a_stream_without_functions_is_refused(void **state)
{
    smr_ctx *ctx = check_ctx(1);
    struct made_stream m = {.n = 0};
    struct ArrowArrayStream stream = make_stream(&m);
    smr_table *t = NULL;
    (void)state;
    stream.get_next = NULL;
    check_fails(ctx, smr_table_from_arrow_stream(ctx, &stream, &t), SMR_ERR_FORMAT,
                "the Arrow stream lacks its functions");
    assert_int_equal(m.released, 1);
    check_ctx_end(ctx);
}

/* ---- memory ----------------------------------------------------------------------------- */

static void every_allocation_of_a_stream_may_fail(void **state)
{
    smr_ctx *ctx = check_ctx(1);
    smr_status st = SMR_ERR_NOMEM;
    int64_t n = 0;
    (void)state;
    for (; st != SMR_OK && n < 1000; n++) {
        struct made batches[N_BATCHES];
        for (int b = 0; b < N_BATCHES; b++) batches[b] = colour_batch(b);
        struct made_stream m = {.batches = batches, .n = N_BATCHES, .fail_at = 99};
        struct ArrowArrayStream stream = make_stream(&m);
        smr_table *t = NULL;
        smr_memory_fail_at(ctx, n);
        st = smr_table_from_arrow_stream(ctx, &stream, &t);
        smr_memory_fail_at(ctx, -1);
        assert_true(st == SMR_OK ? t != NULL : st == SMR_ERR_NOMEM && !t);
        assert_int_equal(m.released, 1);
        smr_table_free(t);
        assert_true(arrow_done());
        assert_int_equal(smr_ctx_memory(ctx, NULL), 0);
    }
    assert_true(n > 20 && st == SMR_OK);
    check_ctx_end(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(batches_of_a_stream_are_one_table),
        cmocka_unit_test(whole_numbers_stay_narrow_unless_a_batch_has_nulls),
        cmocka_unit_test(a_stream_of_one_batch_is_viewed),
        cmocka_unit_test(a_stream_without_batches_is_a_table_without_rows),
        cmocka_unit_test(errors_of_a_stream_are_passed_on),
        cmocka_unit_test(a_stream_without_functions_is_refused),
        cmocka_unit_test(every_allocation_of_a_stream_may_fail),
    };
    return cmocka_run_group_tests_name("arrow_stream", tests, NULL, NULL);
}
