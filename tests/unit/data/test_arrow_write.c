/* test_arrow_write.c -- tables as record batches of Arrow, and back again. */
#include "check.h"
#include "check_csv.h"
#include "data/arrow.h"
#include "data/build.h"
#include "data/hash.h"
#include "pipeline.h"

struct batch {
    struct ArrowSchema schema;
    struct ArrowArray array;
};

static struct batch write_table(smr_ctx *ctx, const smr_table *t)
{
    struct batch b;
    memset(&b, 0xa5, sizeof b); /* what was there does not matter */
    check_ok(ctx, smr_table_to_arrow(ctx, t, &b.schema, &b.array));
    assert_string_equal(b.schema.format, "+s");
    assert_null(b.schema.metadata);
    assert_int_equal(b.array.n_buffers, 1);
    assert_int_equal(b.array.length, t->n_rows);
    return b;
}

static void release(struct batch *b)
{
    b->schema.release(&b->schema);
    b->array.release(&b->array);
    assert_null(b->schema.release);
    assert_null(b->array.release);
}

static bool valid(const struct ArrowArray *a, int64_t i)
{
    const uint8_t *bits = a->buffers[0];
    return !bits || (bits[i / 8] >> (i % 8) & 1);
}

static const char CSV[] = "price,colour,day,moment,none\n"
                          "1.5,red,2020-02-29,1969-12-31T23:59:59.999999,\n"
                          "-2,,,2024-01-31T08:30:00,\n"
                          ",blue,0001-01-01,,\n"
                          "1e300,red,9999-12-31,2001-09-09T01:46:40.123456,\n"
                          "0.1,\"a, b\",1970-01-01,1970-01-01T00:00:00,\n";

static smr_table *mixed_table(smr_ctx *ctx)
{
    static const smr_read_opts opts = {.header = 1};
    smr_table *t = NULL;
    check_ok(ctx, read_text(ctx, CSV, &opts, &t));
    return t;
}

/* ---- what is written -------------------------------------------------------------------- */

static void columns_become_the_types_of_their_kinds(void **state)
{
    smr_ctx *ctx = check_ctx(2);
    smr_table *t = mixed_table(ctx);
    struct batch b = write_table(ctx, t);
    static const char *const formats[] = {"g", "i", "tdD", "tsu:UTC", "g"};
    static const char *const names[] = {"price", "colour", "day", "moment", "none"};
    static const int64_t nulls[] = {1, 1, 1, 1, 5};
    (void)state;
    assert_int_equal(b.schema.n_children, 5);
    assert_int_equal(b.array.n_children, 5);
    for (int j = 0; j < 5; j++) {
        assert_string_equal(b.schema.children[j]->format, formats[j]);
        assert_string_equal(b.schema.children[j]->name, names[j]);
        assert_int_equal(b.schema.children[j]->flags, ARROW_FLAG_NULLABLE);
        assert_null(b.schema.children[j]->metadata);
        assert_int_equal(b.array.children[j]->null_count, nulls[j]);
        assert_int_equal(b.array.children[j]->length, 5);
        assert_int_equal(b.array.children[j]->offset, 0);
        for (int i = 0; i < 5; i++)
            assert_int_equal(valid(b.array.children[j], i),
                             j != 4 && i != (j == 0 || j == 3 ? 2 : 1));
    }
    const int32_t *day = b.array.children[2]->buffers[1];
    assert_int_equal(day[0], 18321);
    assert_int_equal(day[2], -719162);
    assert_int_equal(day[3], 2932896);
    const int64_t *moment = b.array.children[3]->buffers[1];
    assert_int_equal(moment[0], -1);
    assert_int_equal(moment[3], 1000000000123456);
    release(&b);
    smr_table_free(t);
    check_ctx_end(ctx);
}

static void categories_become_dictionaries(void **state)
{
    smr_ctx *ctx = check_ctx(1);
    smr_table *t = mixed_table(ctx);
    struct batch b = write_table(ctx, t);
    const struct ArrowArray *a = b.array.children[1], *d = a->dictionary;
    static const int32_t codes[] = {2, 0, 1, 2, 0}, at[] = {0, 4, 8, 11};
    (void)state;
    assert_string_equal(b.schema.children[1]->dictionary->format, "u");
    assert_memory_equal(a->buffers[1], codes, sizeof codes);
    assert_int_equal(d->length, 3);
    assert_int_equal(d->null_count, 0);
    assert_int_equal(d->n_buffers, 3);
    assert_memory_equal(d->buffers[1], at, sizeof at);
    assert_memory_equal(d->buffers[2], "a, bbluered", 11);
    release(&b);
    smr_table_free(t);
    check_ctx_end(ctx);
}

static void numbers_keep_their_width_and_strides_are_followed(void **state)
{
    smr_ctx *ctx = check_ctx(1);
    smr_table *t = new_table(ctx, 3, 4);
    double block[] = {1, 2, 3, 4, 5, 6};
    float f[] = {0.1f, NAN, -0.0f};
    uint8_t u[] = {0, 255, 7};
    int32_t i[] = {INT32_MIN, 0, INT32_MAX};
    void *values[] = {block + 1, f, u, i};
    static const smr_dtype dtype[] = {SMR_F64, SMR_F32, SMR_U8, SMR_I32};
    static const char *const formats[] = {"g", "f", "C", "i"};
    (void)state;
    for (int j = 0; j < 4; j++) {
        name_col(ctx, t, j, formats[j]);
        t->cols[j].dtype = dtype[j];
        t->cols[j].values = values[j];
        t->cols[j].owns_values = false;
        t->cols[j].n_missing = -1;
    }
    t->cols[0].stride = 2;
    struct batch b = write_table(ctx, t);
    for (int j = 0; j < 4; j++) assert_string_equal(b.schema.children[j]->format, formats[j]);
    assert_memory_equal(b.array.children[0]->buffers[1], ((double[]){2, 4, 6}), 24);
    assert_memory_equal(b.array.children[1]->buffers[1], f, sizeof f);
    assert_memory_equal(b.array.children[2]->buffers[1], u, sizeof u);
    assert_memory_equal(b.array.children[3]->buffers[1], i, sizeof i);
    assert_null(b.array.children[0]->buffers[0]);
    assert_int_equal(b.array.children[1]->null_count, 1);
    assert_false(valid(b.array.children[1], 1));
    release(&b);
    smr_table_free(t);
    check_ctx_end(ctx);
}

static void texts_become_utf8_and_long_ones_large_utf8(void **state)
{
    smr_ctx *ctx = check_ctx(1);
    smr_table *t = new_table(ctx, 3, 1);
    put_strings(ctx, t, 0, "note", (const char *const[]){"long one", NULL, "b"})->kind = SMR_TEXT;
    (void)state;
    for (int64_t most = 9; most >= 8; most--) {
        struct batch b;
        check_ok(ctx, smr_arrow_write(ctx, t, most, &b.schema, &b.array));
        assert_string_equal(b.schema.children[0]->format, most == 9 ? "u" : "U");
        assert_null(b.schema.children[0]->dictionary);
        static const int32_t at[] = {0, 8, 8, 9};
        static const int64_t wide[] = {0, 8, 8, 9};
        if (most == 9)
            assert_memory_equal(b.array.children[0]->buffers[1], at, sizeof at);
        else
            assert_memory_equal(b.array.children[0]->buffers[1], wide, sizeof wide);
        assert_memory_equal(b.array.children[0]->buffers[2], "long oneb", 9);
        assert_int_equal(b.array.children[0]->null_count, 1);
        smr_table *back = NULL;
        check_ok(ctx, smr_table_from_arrow(ctx, &b.schema, &b.array, &back));
        assert_string_equal(cell(back, 0, 0), "long one");
        assert_null(cell(back, 0, 1));
        smr_table_free(back);
        t->cols[0].kind = SMR_CATEGORY; /* a dictionary has the same limit */
        check_ok(ctx, smr_arrow_write(ctx, t, most, &b.schema, &b.array));
        assert_string_equal(b.schema.children[0]->dictionary->format, most == 9 ? "u" : "U");
        release(&b);
        t->cols[0].kind = SMR_TEXT;
    }
    smr_table_free(t);
    check_ctx_end(ctx);
}

static void dates_without_a_time_flag_but_with_times_are_timestamps(void **state)
{
    smr_ctx *ctx = check_ctx(1);
    smr_table *t = new_table(ctx, 2, 1);
    put_numbers(ctx, t, 0, "when", (double[]){86400, 86400.5})->kind = SMR_DATE;
    (void)state;
    struct batch b = write_table(ctx, t);
    assert_string_equal(b.schema.children[0]->format, "tsu:UTC");
    release(&b);
    ((double *)t->cols[0].values)[1] = 1e13;
    t->cols[0].has_time = true;
    check_fails(ctx, smr_table_to_arrow(ctx, t, &b.schema, &b.array), SMR_ERR_DATA,
                "column 'when', row 2: Arrow's timestamps in microseconds do not reach this date");
    assert_true(!b.schema.release && !b.array.release);
    smr_table_free(t);
    check_ctx_end(ctx);
}

static void what_arrow_cannot_hold_is_refused(void **state)
{
    smr_ctx *ctx = check_ctx(1);
    struct batch b;
    smr_table *t = NULL;
    (void)state;
    memset(&b, 0xa5, sizeof b);
    check_ok(ctx, smr_table_from_csr(ctx, 1, 3, (int64_t[]){0, 1}, (int32_t[]){2}, (double[]){5},
                                     NULL, &t));
    check_fails(ctx, smr_table_to_arrow(ctx, t, &b.schema, &b.array), SMR_ERR_UNSUPPORTED,
                "the table has 3 sparse columns, whose zeros Arrow's arrays would spell out");
    assert_true(!b.schema.release && !b.array.release);
    smr_table_free(t);
    t = new_table(ctx, 1, 1);
    put_strings(ctx, t, 0, "note", (const char *const[]){"caf\xe9"});
    check_fails(ctx, smr_table_to_arrow(ctx, t, &b.schema, &b.array), SMR_ERR_DATA,
                "column 'note' has a text that is not UTF-8 ('caf?'); convert it first");
    assert_true(!b.schema.release && !b.array.release);
    smr_table_free(t);
    check_ctx_end(ctx);
}

/* ---- there and back --------------------------------------------------------------------- */

static void check_round_trip(smr_ctx *ctx, const smr_table *t)
{
    uint64_t before[2], after[2];
    smr_table *back = NULL;
    struct batch b = write_table(ctx, t);
    check_ok(ctx, smr_table_from_arrow(ctx, &b.schema, &b.array, &back));
    check_ok(ctx, smr_table_hash(ctx, t, before));
    check_ok(ctx, smr_table_hash(ctx, back, after));
    assert_memory_equal(before, after, sizeof before);
    for (int64_t j = 0; j < t->n_cols; j++) {
        assert_string_equal(t->cols[j].name, back->cols[j].name);
        assert_int_equal(t->cols[j].kind, back->cols[j].kind);
        assert_int_equal(t->cols[j].has_time, back->cols[j].has_time);
    }
    smr_table_free(back);
}

static void a_table_comes_back_with_the_same_values(void **state)
{
    (void)state;
    for (int threads = 1; threads <= 3; threads++) {
        smr_ctx *ctx = check_ctx(threads);
        smr_table *t = mixed_table(ctx);
        check_round_trip(ctx, t);
        smr_table_free(t);
        check_ok(ctx, smr_table_open(ctx, "data/iris.csv", NULL, &t));
        check_round_trip(ctx, t);
        smr_table_free(t);
        check_ctx_end(ctx);
    }
}

static void an_order_of_levels_that_somebody_gave_comes_back(void **state)
{
    smr_ctx *ctx = check_ctx(1);
    smr_table *t = NULL;
    static const char *const levels[] = {"small", "large", "huge", "9", "10"};
    (void)state;
    check_ok(ctx, smr_table_create(ctx, 3, &t));
    check_ok(ctx, smr_table_add_categories(ctx, t, "size", (int32_t[]){1, -1, 0}, levels, 3));
    check_ok(ctx, smr_table_add_categories(ctx, t, "sorted", (int32_t[]){1, -1, 0}, levels + 3, 2));
    struct batch b = write_table(ctx, t);
    assert_int_equal(b.schema.children[0]->flags,
                     ARROW_FLAG_NULLABLE | ARROW_FLAG_DICTIONARY_ORDERED);
    assert_int_equal(b.schema.children[1]->flags, ARROW_FLAG_NULLABLE);
    release(&b);
    check_round_trip(ctx, t);
    smr_table_free(t);
    check_ctx_end(ctx);
}

static void tables_without_rows_or_columns_come_back(void **state)
{
    smr_ctx *ctx = check_ctx(1);
    smr_table *t = NULL;
    (void)state;
    for (int64_t n = 0; n < 3; n += 2) {
        check_ok(ctx, smr_table_create(ctx, n, &t));
        check_round_trip(ctx, t);
        if (n == 0) {
            check_ok(ctx, smr_table_add_f64(ctx, t, "x", NULL));
            check_ok(ctx, smr_table_add_strings(ctx, t, "s", NULL));
            check_ok(ctx, smr_table_add_dates(ctx, t, "d", NULL));
            check_round_trip(ctx, t);
        }
        smr_table_free(t);
    }
    check_ctx_end(ctx);
}

/* ---- ownership -------------------------------------------------------------------------- */

static void arrays_outlive_table_and_context(void **state)
{
    smr_ctx *ctx = check_ctx(1);
    smr_table *t = mixed_table(ctx);
    struct batch b = write_table(ctx, t);
    (void)state;
    smr_table_free(t);
    smr_ctx_destroy(ctx);
    assert_true(((const double *)b.array.children[0]->buffers[1])[3] == 1e300);
    release(&b);
}

static void children_may_be_moved_out_and_released_alone(void **state)
{
    smr_ctx *ctx = check_ctx(1);
    smr_table *t = mixed_table(ctx);
    struct batch b = write_table(ctx, t);
    (void)state;
    smr_table_free(t);
    struct ArrowArray array = *b.array.children[1];
    struct ArrowSchema schema = *b.schema.children[1];
    b.array.children[1]->release = NULL;
    b.schema.children[1]->release = NULL;
    struct ArrowArray strings = *array.dictionary;
    array.dictionary->release = NULL;
    release(&b);
    assert_int_equal(((const int32_t *)array.buffers[1])[0], 2);
    assert_string_equal(schema.name, "colour");
    assert_string_equal(schema.dictionary->format, "u");
    schema.release(&schema);
    array.release(&array);
    assert_memory_equal(strings.buffers[2], "a, bbluered", 11);
    strings.release(&strings);
    assert_true(!schema.release && !array.release && !strings.release);
    check_ctx_end(ctx);
}

static void a_batch_may_be_moved_whole(void **state)
{
    smr_ctx *ctx = check_ctx(1);
    smr_table *t = mixed_table(ctx);
    struct batch b = write_table(ctx, t), moved = b;
    (void)state;
    memset(&b, 0xa5, sizeof b);
    assert_int_equal(moved.array.children[1]->dictionary->length, 3);
    release(&moved);
    smr_table_free(t);
    check_ctx_end(ctx);
}

static smr_status write_and_release(smr_ctx *ctx, void *arg)
{
    struct batch b;
    smr_status st = smr_table_to_arrow(ctx, arg, &b.schema, &b.array);
    if (st == SMR_OK)
        release(&b);
    else
        assert_true(!b.schema.release && !b.array.release);
    return st;
}

static void every_allocation_of_the_writer_may_fail(void **state)
{
    smr_ctx *ctx = check_ctx(1);
    smr_table *t = mixed_table(ctx);
    (void)state;
    assert_true(fail_each_allocation(ctx, write_and_release, t) > 30);
    smr_table_free(t);
    check_ctx_end(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(columns_become_the_types_of_their_kinds),
        cmocka_unit_test(categories_become_dictionaries),
        cmocka_unit_test(numbers_keep_their_width_and_strides_are_followed),
        cmocka_unit_test(texts_become_utf8_and_long_ones_large_utf8),
        cmocka_unit_test(dates_without_a_time_flag_but_with_times_are_timestamps),
        cmocka_unit_test(what_arrow_cannot_hold_is_refused),
        cmocka_unit_test(a_table_comes_back_with_the_same_values),
        cmocka_unit_test(an_order_of_levels_that_somebody_gave_comes_back),
        cmocka_unit_test(tables_without_rows_or_columns_come_back),
        cmocka_unit_test(arrays_outlive_table_and_context),
        cmocka_unit_test(children_may_be_moved_out_and_released_alone),
        cmocka_unit_test(a_batch_may_be_moved_whole),
        cmocka_unit_test(every_allocation_of_the_writer_may_fail),
    };
    return cmocka_run_group_tests_name("arrow_write", tests, NULL, NULL);
}
