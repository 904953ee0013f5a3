/* test_arrow_refuse.c -- what the reader of Arrow arrays refuses: types that no table holds, and
 * arrays that lack what their type needs.  Whatever is refused is released. */
#include "arrow_make.h"
#include "check.h"

static void check_refused(struct made batch, smr_status status, const char *part)
{
    smr_ctx *ctx = check_ctx(1);
    smr_table *t = (smr_table *)&batch;
    check_fails(ctx, smr_table_from_arrow(ctx, &batch.schema, &batch.array, &t), status, part);
    assert_null(t);
    assert_true(!batch.schema.release && !batch.array.release);
    assert_true(arrow_done());
    check_ctx_end(ctx);
}

static struct made doubles(void)
{
    static const double x[] = {1.5, 2.5, 3.5};
    return MAKE("x", "g", 3, 0, 0, NO_BUFFER, BUFFER(x));
}

static struct made words(void)
{
    static const int32_t at[] = {0, 1, 2, 4};
    return MAKE("w", "u", 3, 0, 0, NO_BUFFER, BUFFER(at), TEXT_BUFFER("abcd"));
}

static struct made view(int32_t length, int32_t block, int32_t at)
{
    int32_t v[4] = {length, 0, block, at};
    int64_t bytes[] = {20};
    return MAKE("v", "vu", 1, 0, 0, NO_BUFFER, BUFFER(v), TEXT_BUFFER("twenty bytes of text"),
                BUFFER(bytes));
}

static struct made coded(void)
{
    static const int8_t codes[] = {0, 2, 1};
    struct made m = MAKE("c", "c", 3, 0, 0, NO_BUFFER, BUFFER(codes));
    give_dictionary(&m, words());
    return m;
}

/* ---- types ------------------------------------------------------------------------------ */

static void types_that_no_table_holds_are_named(void **state)
{
    static const struct {
        const char *format, *words;
    } foreign[] = {{"z", "binary"},
                   {"Z", "large binary"},
                   {"vz", "binary view"},
                   {"w:16", "fixed-size binary"},
                   {"tts", "time of day"},
                   {"ttn", "time of day"},
                   {"tDs", "duration"},
                   {"tDu", "duration"},
                   {"tiM", "interval"},
                   {"tin", "interval"},
                   {"+l", "list"},
                   {"+L", "large list"},
                   {"+vl", "list view"},
                   {"+vL", "large list view"},
                   {"+w:3", "fixed-size list"},
                   {"+s", "struct"},
                   {"+m", "map"},
                   {"+ud:0,1", "dense union"},
                   {"+us:0,1", "sparse union"},
                   {"+r", "run-end encoded"}};
    (void)state;
    for (size_t k = 0; k < sizeof foreign / sizeof *foreign; k++) {
        char told[200];
        struct made m = doubles();
        m.schema.format = foreign[k].format;
        snprintf(told, sizeof told, "column 'x' is of the Arrow type %s ('%s'), which a table",
                 foreign[k].words, foreign[k].format);
        check_refused(batch_of(m), SMR_ERR_UNSUPPORTED, told);
    }
}

static void formats_that_are_not_known_are_refused(void **state)
{
    static const char *const formats[] = {
        "",     "q",        "gg",      "tsx:",       "d:",  "d:9",
        "d:9,", "d:9,2,99", "d:9,2,x", "d:9,2,128x", "tdX", "d:9,9999"};
    (void)state;
    for (size_t k = 0; k < sizeof formats / sizeof *formats; k++) {
        char told[100];
        struct made m = doubles();
        m.schema.format = formats[k];
        snprintf(told, sizeof told, "column 'x' has the Arrow format '%s', which is not known",
                 formats[k]);
        check_refused(batch_of(m), SMR_ERR_UNSUPPORTED, told);
    }
    struct made m = doubles();
    m.schema.format = NULL;
    check_refused(batch_of(m), SMR_ERR_FORMAT, "column 'x' has no Arrow format");
}

static void dictionaries_of_other_things_are_refused(void **state)
{
    (void)state;
    struct made m = coded();
    m.schema.dictionary->format = "g";
    check_refused(batch_of(m), SMR_ERR_UNSUPPORTED,
                  "column 'c' is a dictionary of the Arrow format 'g'; a table holds dictionaries "
                  "of strings");
    m = coded();
    m.schema.format = "g";
    check_refused(
        batch_of(m), SMR_ERR_FORMAT,
        "column 'c' is a dictionary whose indices have the Arrow format 'g'; they must be "
        "integers");
    m = coded();
    m.array.dictionary = NULL;
    check_refused(batch_of(m), SMR_ERR_FORMAT, "column 'c': its Arrow array has no dictionary");
    m = coded();
    m.array.dictionary->length = -1;
    check_refused(batch_of(m), SMR_ERR_SHAPE,
                  "column 'c': an Arrow array of length -1 at offset 0 is impossible");
    m = coded();
    m.array.dictionary->n_buffers = 2;
    check_refused(batch_of(m), SMR_ERR_FORMAT,
                  "column 'c': the Arrow array has 2 buffers, and its type needs 3");
}

/* ---- the struct ------------------------------------------------------------------------- */

static void a_plain_array_is_no_table(void **state)
{
    (void)state;
    check_refused(doubles(), SMR_ERR_UNSUPPORTED,
                  "the Arrow schema has the format 'g'; a table is a record batch");
}

static void what_is_released_already_is_refused(void **state)
{
    smr_ctx *ctx = check_ctx(1);
    smr_table *t = NULL;
    struct made m = batch_of(doubles());
    (void)state;
    m.array.release(&m.array);
    check_refused(m, SMR_ERR_STATE, "the Arrow array is released already");
    m = batch_of(doubles());
    m.schema.release(&m.schema);
    check_refused(m, SMR_ERR_STATE, "the Arrow schema is released already");
    m = batch_of(doubles());
    check_fails(ctx, smr_table_from_arrow(ctx, &m.schema, NULL, &t), SMR_ERR_STATE,
                "the Arrow array is NULL");
    assert_null(m.schema.release);
    check_fails(ctx, smr_table_from_arrow(ctx, NULL, &m.array, &t), SMR_ERR_STATE,
                "the Arrow schema is NULL");
    assert_null(m.array.release);
    m = batch_of(doubles());
    struct ArrowArray moved = *m.array.children[0]; /* somebody else has the child now */
    m.array.children[0]->release = NULL;
    check_fails(ctx, smr_table_from_arrow(ctx, &m.schema, &m.array, &t), SMR_ERR_STATE,
                "column 'x': its Arrow array is released already");
    moved.release(&moved);
    m = batch_of(doubles());
    struct ArrowSchema kept = *m.schema.children[0];
    m.schema.children[0]->release = NULL;
    check_fails(ctx, smr_table_from_arrow(ctx, &m.schema, &m.array, &t), SMR_ERR_STATE,
                "column 0 (counted from 0) of the Arrow schema is released already");
    kept.release(&kept);
    assert_true(arrow_done());
    check_ctx_end(ctx);
}

static void batches_that_do_not_fit_their_schema_are_refused(void **state)
{
    (void)state;
    struct made m = batch_of(doubles());
    m.array.n_children = 2;
    check_refused(m, SMR_ERR_SHAPE, "batch 1 of the Arrow data has 2 columns, its schema 1");
    m = batch_of(doubles());
    m.array.n_children = -1;
    check_refused(m, SMR_ERR_SHAPE, "batch 1 of the Arrow data has -1 columns, its schema 1");
    m = batch_of(doubles());
    m.array.children = NULL;
    check_refused(m, SMR_ERR_SHAPE, "batch 1 of the Arrow data has 1 columns at NULL");
    m = batch_of(doubles());
    m.schema.n_children = -4;
    check_refused(m, SMR_ERR_FORMAT, "the Arrow schema has -4 columns");
    m = batch_of(doubles());
    m.schema.children = NULL;
    check_refused(m, SMR_ERR_FORMAT, "the Arrow schema has 1 columns at NULL");
    m = batch_of(doubles());
    m.array.length = -1;
    check_refused(m, SMR_ERR_SHAPE, "an Arrow array of length -1 at offset 0 is impossible");
    m = batch_of(doubles());
    m.array.offset = -2;
    check_refused(m, SMR_ERR_SHAPE, "an Arrow array of length 3 at offset -2 is impossible");
    m = batch_of(doubles());
    m.array.offset = INT64_MAX;
    check_refused(m, SMR_ERR_SHAPE, "at offset 9223372036854775807 is impossible");
    m = batch_of(doubles());
    m.array.length = 3000000000;
    check_refused(m, SMR_ERR_SHAPE, "a table has at most 2147483647 rows");
    m = batch_of(doubles());
    m.array.n_buffers = 0;
    check_refused(m, SMR_ERR_FORMAT, "batch 1 of the Arrow data has 0 buffers; a struct needs one");
    m = batch_of(doubles());
    m.array.null_count = 1;
    check_refused(m, SMR_ERR_FORMAT, "1 buffers, but none of nulls; a struct needs one");
}

static void names_must_be_utf8_and_distinct(void **state)
{
    (void)state;
    struct made columns[] = {doubles(), words(), doubles()};
    check_refused(make_batch(columns, 3, 3, 0, 0, NO_BUFFER), SMR_ERR_DATA,
                  "columns 0 and 2 (counted from 0) have the same name 'x'; rename one");
    struct made m = doubles();
    m.schema.name = "na\xffme";
    check_refused(
        batch_of(m), SMR_ERR_FORMAT,
        "column 0 (counted from 0) of the Arrow schema has a name that is not UTF-8, from "
        "byte 2 on");
}

/* ---- columns ---------------------------------------------------------------------------- */

static void lengths_that_do_not_exist_are_refused(void **state)
{
    (void)state;
    struct made m = doubles();
    m.array.length = -3;
    check_refused(make_batch(&m, 1, 3, 0, 0, NO_BUFFER), SMR_ERR_SHAPE,
                  "column 'x': an Arrow array of length -3 at offset 0 is impossible");
    m = doubles();
    m.array.offset = -1;
    check_refused(batch_of(m), SMR_ERR_SHAPE, "of length 3 at offset -1 is impossible");
    m = doubles();
    m.array.offset = INT64_MAX - 1;
    check_refused(batch_of(m), SMR_ERR_SHAPE, "is impossible");
    m = doubles();
    check_refused(make_batch(&m, 1, 4, 0, 0, NO_BUFFER), SMR_ERR_SHAPE,
                  "column 'x' has 3 values, and its table asks for those up to 4");
    m = doubles();
    check_refused(make_batch(&m, 1, 2, 2, 0, NO_BUFFER), SMR_ERR_SHAPE,
                  "column 'x' has 3 values, and its table asks for those up to 4");
    m = doubles();
    m.array.null_count = 4;
    check_refused(batch_of(m), SMR_ERR_FORMAT, "column 'x': 4 nulls among 3 values are impossible");
    m = doubles();
    m.array.null_count = -2;
    check_refused(batch_of(m), SMR_ERR_FORMAT,
                  "column 'x': -2 nulls among 3 values are impossible");
    m = doubles();
    m.array.n_children = 1;
    check_refused(batch_of(m), SMR_ERR_FORMAT,
                  "column 'x': its Arrow array has 1 children, its schema none");
    m = doubles();
    m.schema.n_children = 1;
    check_refused(batch_of(m), SMR_ERR_FORMAT,
                  "column 'x' of the Arrow format 'g' has 1 children; it can have none");
}

static void buffers_that_are_absent_are_refused(void **state)
{
    (void)state;
    struct made m = doubles();
    m.array.buffers[1] = NULL;
    check_refused(batch_of(m), SMR_ERR_FORMAT,
                  "column 'x': the Arrow array has no buffer of values");
    m = doubles();
    m.array.null_count = 1;
    check_refused(batch_of(m), SMR_ERR_FORMAT,
                  "column 'x': the Arrow array has no buffer of nulls, of which it has some");
    m = doubles();
    m.array.buffers = NULL;
    check_refused(batch_of(m), SMR_ERR_FORMAT,
                  "column 'x': the Arrow array has 2 buffers at NULL, and its type needs 2");
    m = doubles();
    m.array.n_buffers = 1;
    check_refused(batch_of(m), SMR_ERR_FORMAT, "has 1 buffers, and its type needs 2");
    m = words();
    m.array.buffers[1] = NULL;
    check_refused(batch_of(m), SMR_ERR_FORMAT,
                  "column 'w': the Arrow array has no buffer of offsets");
    m = words();
    m.array.buffers[2] = NULL;
    check_refused(batch_of(m), SMR_ERR_FORMAT,
                  "column 'w': the Arrow array has no buffer of bytes");
    m = words();
    m.array.n_buffers = 2;
    check_refused(batch_of(m), SMR_ERR_FORMAT, "has 2 buffers, and its type needs 3");
    m = view(20, 0, 0);
    m.array.n_buffers = 2;
    check_refused(batch_of(m), SMR_ERR_FORMAT, "has 2 buffers, and its type needs 3 or more");
    m = view(20, 0, 0);
    m.array.buffers[2] = NULL;
    check_refused(batch_of(m), SMR_ERR_FORMAT,
                  "column 'v': the Arrow array has no buffer of bytes");
    m = view(20, 0, 0);
    m.array.buffers[3] = NULL;
    check_refused(batch_of(m), SMR_ERR_FORMAT,
                  "column 'v': the Arrow array has no buffer of lengths");
}

static void offsets_that_descend_are_refused(void **state)
{
    (void)state;
    static const int32_t at[] = {0, 3, 2, 4}, below[] = {-1, 0, 0, 0};
    static const int64_t wide[] = {0, 3, INT64_MIN, 4};
    check_refused(batch_of(MAKE("w", "u", 3, 0, 0, NO_BUFFER, BUFFER(at), TEXT_BUFFER("abcd"))),
                  SMR_ERR_FORMAT, "column 'w': the Arrow offset of string 2 is 2, below 3");
    check_refused(batch_of(MAKE("w", "u", 3, 0, 0, NO_BUFFER, BUFFER(below), TEXT_BUFFER("abcd"))),
                  SMR_ERR_FORMAT, "column 'w': the Arrow offset of string 0 is -1, below 0");
    check_refused(batch_of(MAKE("w", "U", 3, 0, 0, NO_BUFFER, BUFFER(wide), TEXT_BUFFER("abcd"))),
                  SMR_ERR_FORMAT, "the Arrow offset of string 2 is -9223372036854775808, below 3");
}

static void views_outside_their_buffers_are_refused(void **state)
{
    static const int32_t bad[][3] = {{21, 0, 0},
                                     {13, 0, 8},
                                     {13, 0, -1},
                                     {13, 1, 0},
                                     {13, -1, 0},
                                     {-1, 0, 0},
                                     {INT32_MAX, 0, INT32_MAX},
                                     {INT32_MIN, 0, 0}};
    (void)state;
    for (size_t k = 0; k < sizeof bad / sizeof *bad; k++)
        check_refused(batch_of(view(bad[k][0], bad[k][1], bad[k][2])), SMR_ERR_FORMAT,
                      "lies outside the buffers");
    struct made m = view(20, 0, 0);
    int64_t *bytes = ((struct record *)m.array.private_data)->buffer[3];
    bytes[0] = -1;
    check_refused(batch_of(m), SMR_ERR_FORMAT,
                  "column 'v': an Arrow buffer of -1 bytes is impossible");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(types_that_no_table_holds_are_named),
        cmocka_unit_test(formats_that_are_not_known_are_refused),
        cmocka_unit_test(dictionaries_of_other_things_are_refused),
        cmocka_unit_test(a_plain_array_is_no_table),
        cmocka_unit_test(what_is_released_already_is_refused),
        cmocka_unit_test(batches_that_do_not_fit_their_schema_are_refused),
        cmocka_unit_test(names_must_be_utf8_and_distinct),
        cmocka_unit_test(lengths_that_do_not_exist_are_refused),
        cmocka_unit_test(buffers_that_are_absent_are_refused),
        cmocka_unit_test(offsets_that_descend_are_refused),
        cmocka_unit_test(views_outside_their_buffers_are_refused),
    };
    return cmocka_run_group_tests_name("arrow_refuse", tests, NULL, NULL);
}
