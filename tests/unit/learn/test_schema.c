/* test_schema.c -- what a model reads from a table: the first-hour rules, their exceptions, and
 * what the user overrules. */
#include "pipeline.h"

#include "data/hash.h"

enum { MOST = 1500 };

/* A schema of the table, with the counts that a training set would have made. */
static smr_status infer(smr_ctx *ctx, const smr_table *t, const char *types, bool keep_all,
                        smr_schema *out)
{
    int64_t missing[16], infinite[16];
    uint64_t hash[2];
    check_ok(ctx, smr_table_examine(ctx, t, hash, missing, infinite));
    smr_schema_opts opts = {
        .n_missing = missing, .n_infinite = infinite, .types = types, .keep_all = keep_all};
    return smr_schema_infer(ctx, t, &opts, out);
}

static bool is_input(const smr_schema *s, const char *name)
{
    for (int64_t j = 0; j < s->n_inputs; j++)
        if (!strcmp(s->inputs[j].name, name)) return true;
    return false;
}

static bool is_aside(const smr_schema *s, const char *name)
{
    for (int64_t j = 0; j < s->n_aside; j++)
        if (!strcmp(s->aside[j], name)) return true;
    return false;
}

/* ---- identifiers ------------------------------------------------------------------------ */

/* A column of n numbers beside a plain one; is it set aside? */
static bool set_aside(const char *name, int64_t n, double (*value)(int64_t), const char *types,
                      const char *warning)
{
    struct heard heard;
    smr_ctx *ctx = hearing_ctx(&heard);
    static double x[MOST], plain[MOST];
    smr_table *t = new_table(ctx, n, 2);
    smr_schema s;
    for (int64_t i = 0; i < n; i++) x[i] = value(i), plain[i] = noise(i, 1);
    put_numbers(ctx, t, 0, name, x);
    put_numbers(ctx, t, 1, "plain", plain);
    check_ok(ctx, infer(ctx, t, types, false, &s));
    bool aside = is_aside(&s, name);
    assert_int_equal(is_input(&s, name), !aside);
    assert_true(is_input(&s, "plain"));
    if (aside) check_heard(&heard, warning);
    if (!aside) check_silent(&heard);
    smr_schema_release(&s);
    smr_table_free(t);
    check_ctx_end(ctx);
    return aside;
}

static double dense_ids(int64_t i)
{
    return 1000 + (double)((i * 7) % 1499); /* distinct, shuffled, a dense range */
}
static double spread_ids(int64_t i)
{
    return (double)(i * i * 31 + i); /* distinct, far apart */
}
static double repeated(int64_t i)
{
    return i == 11 ? 5 : (double)i;
}
static double fractions(int64_t i)
{
    return (double)i + (i == 3 ? 0.5 : 0);
}
static double with_gap(int64_t i)
{
    return i == 4 ? NAN : (double)i;
}
static double beyond_2_53(int64_t i)
{
    return 0x1p60 + 4096 * (double)i;
}
static double negative(int64_t i)
{
    return -(double)i;
}

static void all_distinct_whole_numbers_are_identifiers(void **state)
{
    static const char warning[] = "column 'n' is set aside: whole numbers that are all distinct, "
                                  "like an identifier; --type 'n=number' keeps it";
    (void)state;
    assert_true(set_aside("n", 20, negative, NULL, warning));
    assert_true(set_aside("n", 1499, dense_ids, NULL, warning));
    assert_false(set_aside("n", 300, spread_ids, NULL, warning)); /* far apart: may be a measure */
    assert_true(set_aside("n", 1001, spread_ids, NULL, warning)); /* but not this many of them */
    assert_false(set_aside("n", 1000, spread_ids, NULL, warning));
}

static void a_name_tells_identifiers_that_are_far_apart(void **state)
{
    static const char *const ids[] = {"id",    "ID",  "Id",  "customer_id", "PassengerId", "userID",
                                      "index", "Key", "row", "NR",          "Number",      "no"};
    static const char *const others[] = {"idea", "paid", "grid", "weight", "rows", "id2", "d"};
    char warning[80];
    (void)state;
    for (size_t k = 0; k < sizeof ids / sizeof *ids; k++) {
        snprintf(warning, sizeof warning, "--type '%s=number' keeps it", ids[k]);
        if (!set_aside(ids[k], 40, spread_ids, NULL, warning)) fail_msg("'%s' was kept", ids[k]);
    }
    for (size_t k = 0; k < sizeof others / sizeof *others; k++)
        if (set_aside(others[k], 40, spread_ids, NULL, "")) fail_msg("'%s' was lost", others[k]);
}

static void what_looks_like_a_measure_is_kept(void **state)
{
    (void)state;
    assert_false(set_aside("id", 19, negative, NULL, "")); /* too few rows prove nothing */
    assert_false(set_aside("id", 40, repeated, NULL, ""));
    assert_false(set_aside("id", 40, fractions, NULL, ""));
    assert_false(set_aside("id", 40, with_gap, NULL, ""));
    assert_false(set_aside("id", 40, beyond_2_53, NULL, ""));
}

static void the_user_overrules_the_rule_for_identifiers(void **state)
{
    (void)state;
    assert_false(set_aside("id", 40, negative, "id=number", ""));
    assert_false(set_aside("id", 40, negative, "id=category", ""));
    assert_false(set_aside("id", 40, negative, "plain=number,id=number", ""));
    assert_true(set_aside("id", 40, negative, "plain=number", "'id=number'"));
}

static void bytes_are_never_identifiers(void **state)
{
    struct heard heard;
    smr_ctx *ctx = hearing_ctx(&heard);
    uint8_t bytes[2 * 40];
    smr_table *t = NULL;
    smr_schema s;
    smr_dense view = {.values = bytes, .dtype = SMR_U8, .n_rows = 40, .n_cols = 2, .stride = 2};
    (void)state;
    for (int i = 0; i < 40; i++) bytes[2 * i] = (uint8_t)i, bytes[2 * i + 1] = 3;
    check_ok(ctx, smr_table_view(ctx, &view, NULL, &t));
    check_ok(ctx, infer(ctx, t, NULL, false, &s));
    assert_int_equal(s.n_inputs, 2);
    check_silent(&heard);
    smr_schema_release(&s);
    smr_table_free(t);
    check_ctx_end(ctx);
}

/* ---- text ------------------------------------------------------------------------------- */

/* n rows, `distinct` strings among them, beside a plain number. */
static smr_table *strings_table(smr_ctx *ctx, int64_t n, int64_t distinct, int64_t missing)
{
    static char text[MOST][16];
    static const char *x[MOST];
    static double plain[MOST];
    smr_table *t = new_table(ctx, n, 2);
    for (int64_t i = 0; i < n; i++) {
        snprintf(text[i], sizeof text[i], "w%d", (int)(i % distinct));
        x[i] = i < n - missing ? text[i] : NULL;
        plain[i] = noise(i, 2);
    }
    put_strings(ctx, t, 0, "s", x);
    put_numbers(ctx, t, 1, "plain", plain);
    return t;
}

static bool text_set_aside(int64_t n, int64_t distinct, int64_t missing, const char *types,
                           bool keep_all, const char *warning)
{
    struct heard heard;
    smr_ctx *ctx = hearing_ctx(&heard);
    smr_table *t = strings_table(ctx, n, distinct, missing);
    smr_schema s;
    check_ok(ctx, infer(ctx, t, types, keep_all, &s));
    bool aside = is_aside(&s, "s");
    if (aside) check_heard(&heard, warning);
    if (!aside) {
        check_silent(&heard);
        assert_int_equal(s.inputs[0].kind, SMR_CATEGORY);
        assert_int_equal(s.inputs[0].levels.n, distinct);
        assert_int_equal(s.inputs[0].has_missing, missing > 0);
    }
    smr_schema_release(&s);
    smr_table_free(t);
    check_ctx_end(ctx);
    return aside;
}

static void strings_that_hardly_repeat_are_set_aside(void **state)
{
    (void)state;
    assert_true(text_set_aside(
        40, 21, 0, NULL, false,
        "column 's' is set aside: 21 of its 40 values are distinct, like "
        "names or free text; \"words 's' | ...\" reads it, --type 's=category' keeps it"));
    assert_false(text_set_aside(40, 20, 0, NULL, false, "")); /* half is not more than half */
    assert_false(text_set_aside(19, 19, 0, NULL, false, "")); /* too few rows */
    assert_true(text_set_aside(20, 11, 0, NULL, false, "11 of its 20 values"));
    /* Of the values that are there: 21 distinct of 41 in 60 rows. */
    assert_true(text_set_aside(60, 21, 19, NULL, false, "21 of its 41 values"));
    assert_false(text_set_aside(60, 20, 19, NULL, false, ""));
}

static void the_user_overrules_the_rule_for_text(void **state)
{
    (void)state;
    assert_false(text_set_aside(40, 40, 0, "s=category", false, ""));
    assert_false(text_set_aside(40, 40, 0, NULL, true, ""));
}

static smr_kind kind_of_s(int64_t distinct, const char *types, bool reads_text, const char *texts)
{
    smr_ctx *ctx = check_ctx(1);
    smr_table *t = strings_table(ctx, 12, distinct, 2);
    int64_t none[2] = {0}, missing[2] = {2, 0};
    smr_schema_opts opts = {.types = types,
                            .reads_text = reads_text,
                            .texts = texts,
                            .n_missing = missing,
                            .n_infinite = none};
    smr_schema s;
    check_ok(ctx, smr_schema_infer(ctx, t, &opts, &s));
    assert_int_equal(s.n_inputs, 2);
    smr_kind kind = s.inputs[0].kind;
    assert_int_equal(s.inputs[0].levels.n, kind == SMR_TEXT ? 0 : t->cols[0].levels.n);
    smr_schema_release(&s);
    smr_table_free(t);
    check_ctx_end(ctx);
    return kind;
}

static void strings_are_texts_where_a_stage_reads_them(void **state)
{
    (void)state;
    assert_int_equal(kind_of_s(10, NULL, false, NULL), SMR_CATEGORY);
    assert_int_equal(kind_of_s(10, NULL, true, NULL), SMR_TEXT);
    assert_int_equal(kind_of_s(5, NULL, true, NULL),
                     SMR_CATEGORY); /* half its values are distinct */
    assert_int_equal(kind_of_s(6, NULL, true, NULL), SMR_TEXT);
    assert_int_equal(kind_of_s(2, NULL, true, "s"), SMR_TEXT);
    assert_int_equal(kind_of_s(2, "s=text", false, NULL), SMR_TEXT);
    assert_int_equal(kind_of_s(10, "s=category", true, NULL), SMR_CATEGORY);
}

/* ---- kinds that the user gives ---------------------------------------------------------- */

static void numbers_become_categories_when_asked(void **state)
{
    static const double x[] = {3, 1.5, NAN, 3, -2, 1.5, 10, 3};
    static const char *const levels[] = {"-2", "1.5", "3", "10"};
    smr_ctx *ctx = check_ctx(1);
    smr_table *t = new_table(ctx, 8, 1);
    smr_schema s;
    (void)state;
    put_numbers(ctx, t, 0, "zip", x);
    check_ok(ctx, infer(ctx, t, "zip=category", false, &s));
    assert_int_equal(s.n_inputs, 1);
    assert_int_equal(s.inputs[0].kind, SMR_CATEGORY);
    assert_true(s.inputs[0].has_missing);
    assert_int_equal(s.inputs[0].levels.n, 4);
    for (int64_t k = 0; k < 4; k++) check_string(&s.inputs[0].levels, k, levels[k]);
    smr_schema_release(&s);
    smr_table_free(t);
    check_ctx_end(ctx);
}

static void types_name_columns_as_people_do(void **state)
{
    static const double x[] = {3, 1, 3, 1};
    smr_ctx *ctx = check_ctx(1);
    smr_table *t = new_table(ctx, 4, 3);
    smr_schema s;
    (void)state;
    put_numbers(ctx, t, 0, "a,b", x);
    put_numbers(ctx, t, 1, "c=d", x);
    put_numbers(ctx, t, 2, "e", x);
    check_ok(ctx, infer(ctx, t, "\"a,b\"=category,c=d=category,#-1=category", false, &s));
    assert_int_equal(s.n_inputs, 3);
    for (int64_t j = 0; j < 3; j++)
        if (s.inputs[j].kind != SMR_CATEGORY) fail_msg("'%s' is not a category", s.inputs[j].name);
    smr_schema_release(&s);
    smr_table_free(t);
    check_ctx_end(ctx);
}

static void wrong_types_are_refused(void **state)
{
    static const double x[] = {3, 1, 3, 1};
    smr_ctx *ctx = check_ctx(1);
    smr_table *t = new_table(ctx, 4, 2);
    smr_schema s;
    (void)state;
    put_numbers(ctx, t, 0, "price", x);
    put_strings(ctx, t, 1, "colour", (const char *const[]){"red", "blue", "red", NULL});
    check_fails(ctx, infer(ctx, t, "price=categry", false, &s), SMR_ERR_PARAM,
                "did you mean 'category'?");
    check_fails(ctx, infer(ctx, t, "prise=category", false, &s), SMR_ERR_PARAM,
                "did you mean 'price'?");
    check_fails(ctx, infer(ctx, t, "colour=number", false, &s), SMR_ERR_DATA,
                "column 'colour' holds text and cannot be taken as numbers");
    check_fails(ctx, infer(ctx, t, "price=date", false, &s), SMR_ERR_DATA,
                "column 'price' does not hold dates");
    smr_table_free(t);
    check_ctx_end(ctx);
}

static void ignored_columns_are_neither_inputs_nor_aside(void **state)
{
    static const double x[] = {3, 1, 3, 1};
    struct heard heard;
    smr_ctx *ctx = hearing_ctx(&heard);
    smr_table *t = new_table(ctx, 4, 3);
    smr_schema s;
    int64_t missing[3] = {0}, infinite[3] = {0};
    bool skip[3] = {false, false, true};
    smr_schema_opts opts = {
        .skip = skip, .n_missing = missing, .n_infinite = infinite, .types = "b=ignore"};
    (void)state;
    put_numbers(ctx, t, 0, "a", x);
    put_numbers(ctx, t, 1, "b", x);
    put_numbers(ctx, t, 2, "c", x);
    check_ok(ctx, smr_schema_infer(ctx, t, &opts, &s));
    assert_int_equal(s.n_inputs, 1);
    assert_string_equal(s.inputs[0].name, "a");
    assert_int_equal(s.n_aside, 0);
    check_silent(&heard);
    smr_schema_release(&s);
    smr_table_free(t);
    check_ctx_end(ctx);
}

static void infinite_numbers_are_refused_by_row(void **state)
{
    static const double x[] = {3, NAN, -INFINITY, 1};
    smr_ctx *ctx = check_ctx(1);
    smr_table *t = new_table(ctx, 4, 1);
    smr_schema s;
    (void)state;
    put_numbers(ctx, t, 0, "p", x);
    check_fails(ctx, infer(ctx, t, NULL, false, &s), SMR_ERR_DATA,
                "column 'p' is infinite in row 3; mark such values as missing with --missing inf, "
                "or leave the column out with --ignore 'p'");
    smr_table_free(t);
    check_ctx_end(ctx);
}

/* ---- what is left ----------------------------------------------------------------------- */

static void something_must_be_left_to_learn_from(void **state)
{
    smr_ctx *ctx = check_ctx(1);
    static double x[40], y[40];
    smr_table *t = new_table(ctx, 40, 2);
    smr_schema s;
    (void)state;
    for (int i = 0; i < 40; i++) x[i] = i, y[i] = -i;
    put_numbers(ctx, t, 0, "id", x);
    put_numbers(ctx, t, 1, "row", y);
    check_fails(ctx, infer(ctx, t, NULL, false, &s), SMR_ERR_DATA,
                "no columns are left to learn from: all were set aside; --type COL=number, "
                "COL=category or COL=text keeps one");
    check_fails(ctx, infer(ctx, t, "id=ignore,row=ignore", false, &s), SMR_ERR_DATA,
                "no columns are left to learn from beside the target");
    smr_table_free(t);
    check_ctx_end(ctx);
}

static void the_only_column_is_kept_whatever_it_looks_like(void **state)
{
    struct heard heard;
    smr_ctx *ctx = hearing_ctx(&heard);
    static double x[40];
    smr_table *t = new_table(ctx, 40, 1);
    smr_schema s;
    (void)state;
    for (int i = 0; i < 40; i++) x[i] = i;
    put_numbers(ctx, t, 0, "id", x);
    check_ok(ctx, infer(ctx, t, NULL, false, &s));
    assert_int_equal(s.n_inputs, 1);
    check_silent(&heard);
    smr_schema_release(&s);
    smr_table_free(t);
    check_ctx_end(ctx);
}

static void columns_beside_sparse_features_are_refused(void **state)
{
    smr_ctx *ctx = check_ctx(1);
    smr_table *t = new_table(ctx, 2, 1);
    smr_schema s;
    (void)state;
    put_numbers(ctx, t, 0, "qid", (double[]){1, 2});
    t->sparse = (smr_csr){.n_rows = 2, .n_cols = 7, .start = smr_alloc(ctx, 3, sizeof(int64_t))};
    check_fails(
        ctx, infer(ctx, t, NULL, false, &s), SMR_ERR_UNSUPPORTED,
        "column 'qid' cannot be used beside sparse features; leave it out with --ignore 'qid'");
    check_ok(ctx, infer(ctx, t, "qid=ignore", false, &s));
    assert_int_equal(s.n_sparse, 7);
    assert_int_equal(s.n_inputs, 0);
    smr_schema_release(&s);
    smr_table_free(t);
    check_ctx_end(ctx);
}

/* ---- copies and codes ------------------------------------------------------------------- */

static smr_table *rich_table(smr_ctx *ctx)
{
    smr_table *t = table_of(ctx, "when,colour,size,name\n"
                                 "2024-01-31 10:00,red,1.5,a\n2024-02-01 11:30,blue,,b\n"
                                 "2023-12-24 00:00,,2.5,c\n");
    t->item_shape[0] = 2;
    return t;
}

static void a_copy_knows_what_was_set_aside(void **state)
{
    smr_ctx *ctx = check_ctx(1);
    smr_table *t = strings_table(ctx, 40, 40, 0);
    smr_schema a, b;
    (void)state;
    check_ok(ctx, infer(ctx, t, NULL, false, &a));
    check_ok(ctx, smr_schema_copy(ctx, &a, &b));
    assert_int_equal(b.n_inputs, 1);
    assert_int_equal(b.n_aside, 1);
    assert_string_equal(b.aside[0], "s");
    smr_schema_release(&a);
    smr_schema_release(&b);
    smr_table_free(t);
    check_ctx_end(ctx);
}

static void a_copy_holds_everything(void **state)
{
    smr_ctx *ctx = check_ctx(1);
    smr_table *t = rich_table(ctx);
    smr_schema a, b;
    (void)state;
    check_ok(ctx, infer(ctx, t, "name=text", false, &a));
    check_ok(ctx, smr_schema_copy(ctx, &a, &b));
    assert_int_equal(b.n_inputs, 4);
    assert_int_equal(b.inputs[3].kind, SMR_TEXT);
    assert_int_equal(b.item_shape[0], 2);
    for (int64_t j = 0; j < 4; j++) {
        assert_string_equal(b.inputs[j].name, a.inputs[j].name);
        assert_ptr_not_equal(b.inputs[j].name, a.inputs[j].name);
        assert_int_equal(b.inputs[j].kind, a.inputs[j].kind);
        assert_int_equal(b.inputs[j].has_missing, a.inputs[j].has_missing);
        assert_int_equal(b.inputs[j].has_time, a.inputs[j].has_time);
        assert_int_equal(b.inputs[j].levels.n, a.inputs[j].levels.n);
    }
    assert_int_equal(b.inputs[0].kind, SMR_DATE);
    assert_true(b.inputs[0].has_time);
    assert_true(b.inputs[1].has_missing && b.inputs[2].has_missing && !b.inputs[0].has_missing);
    smr_schema_release(&a);
    check_string(&b.inputs[1].levels, 0, "blue");
    check_string(&b.inputs[1].levels, 1, "red");
    smr_schema_release(&b);
    smr_table_free(t);
    check_ctx_end(ctx);
}

static void codes_follow_the_numbers_in_ascending_order(void **state)
{
    static const double x[] = {0.1, 1e21, -0.0, NAN, 0, -3, 0.1};
    static const int32_t wanted[] = {2, 3, 1, -1, 1, 0, 2};
    smr_ctx *ctx = check_ctx(1);
    smr_table *t = new_table(ctx, 7, 1);
    smr_strings levels = {0};
    int32_t *codes = NULL;
    (void)state;
    put_numbers(ctx, t, 0, "x", x);
    check_ok(ctx, smr_codes_from_numbers(ctx, &t->cols[0], 7, 4, &levels, &codes));
    assert_int_equal(levels.n, 4);
    check_string(&levels, 0, "-3");
    check_string(&levels, 2, "0.1");
    check_string(&levels, 3, "1e21");
    for (int i = 0; i < 7; i++) assert_int_equal(codes[i], wanted[i]);
    smr_free(codes);
    smr_strings_release(&levels);
    codes = NULL;
    check_fails(ctx, smr_codes_from_numbers(ctx, &t->cols[0], 7, 3, &levels, &codes), SMR_ERR_DATA,
                "column 'x' has more than 3 distinct values: too many for categories");
    assert_null(codes);
    smr_table_free(t);
    check_ctx_end(ctx);
}

/* Numbers in a shuffled order, far more than a few: insertion would move 1.4 TB. */
static void many_distinct_numbers_are_coded_in_little_time(void **state)
{
    enum { ROWS = 600011 };
    smr_ctx *ctx = check_ctx(1);
    smr_table *t = new_table(ctx, ROWS, 1);
    double *x = malloc(sizeof *x * ROWS), began;
    smr_strings levels = {0};
    int32_t *codes = NULL;
    (void)state;
    assert_non_null(x);
    for (int64_t i = 0; i < ROWS; i++) x[i] = 0.5 * (double)(i * 77777 % ROWS) - 1000;
    x[17] = NAN;
    put_numbers(ctx, t, 0, "g", x);
    began = smr_now();
    check_ok(ctx, smr_codes_from_numbers(ctx, &t->cols[0], ROWS, ROWS, &levels, &codes));
    if (smr_now() - began > 5) fail_msg("coding took %.1f s", smr_now() - began);
    assert_int_equal(levels.n, ROWS - 1);
    int64_t gone = 17 * INT64_C(77777) % ROWS; /* the value that row 17 would have had */
    for (int64_t i = 0; i < ROWS; i++) {
        int64_t rank = i * 77777 % ROWS;
        assert_int_equal(codes[i], i == 17 ? -1 : rank - (rank > gone));
    }
    check_string(&levels, 0, "-1000");
    smr_free(codes);
    smr_strings_release(&levels);
    codes = NULL;
    check_fails(ctx, smr_codes_from_numbers(ctx, &t->cols[0], ROWS, ROWS - 2, &levels, &codes),
                SMR_ERR_DATA, "column 'g' has more than 600009 distinct values");
    check_ok(ctx, smr_codes_from_numbers(ctx, &t->cols[0], ROWS, ROWS - 1, &levels, &codes));
    smr_free(codes);
    smr_strings_release(&levels);
    smr_table_free(t);
    free(x);
    check_ctx_end(ctx);
}

/* Zero is one category, whatever its sign: a table that has -0 first names it as one with 0
 * first. */
static void zero_is_named_without_its_sign(void **state)
{
    smr_ctx *ctx = check_ctx(1);
    smr_table *t = new_table(ctx, 2, 1);
    smr_strings levels = {0};
    int32_t *codes = NULL;
    (void)state;
    put_numbers(ctx, t, 0, "x", (double[]){-0.0, 0.0});
    check_ok(ctx, smr_codes_from_numbers(ctx, &t->cols[0], 2, 4, &levels, &codes));
    assert_int_equal(levels.n, 1);
    check_string(&levels, 0, "0");
    smr_free(codes);
    smr_strings_release(&levels);
    smr_table_free(t);
    check_ctx_end(ctx);
}

static void strings_are_found_whole(void **state)
{
    smr_ctx *ctx = check_ctx(1);
    smr_table *t = table_of(ctx, "a,b\nred,1\nre,2\nredder,3\n");
    const smr_strings *s = &t->cols[0].levels;
    (void)state;
    assert_int_equal(smr_strings_find(s, "re", 2), 0);
    assert_int_equal(smr_strings_find(s, "red", 3), 1);
    assert_int_equal(smr_strings_find(s, "redder", 6), 2);
    assert_int_equal(smr_strings_find(s, "r", 1), -1);
    assert_int_equal(smr_strings_find(s, "", 0), -1);
    assert_int_equal(smr_strings_find(&(smr_strings){0}, "r", 1), -1);
    smr_table_free(t);
    check_ctx_end(ctx);
}

static smr_status infer_and_copy(smr_ctx *ctx, void *table)
{
    const smr_table *t = table;
    int64_t missing[16] = {0, 1, 1, 0}, infinite[16] = {0};
    smr_schema_opts opts = {
        .n_missing = missing, .n_infinite = infinite, .types = "size=category,name=text"};
    smr_schema a, b;
    smr_status st = smr_schema_infer(ctx, t, &opts, &a);
    if (st != SMR_OK) return st;
    st = smr_schema_copy(ctx, &a, &b);
    smr_schema_release(&a);
    if (st == SMR_OK) smr_schema_release(&b);
    return st;
}

static void failing_allocations_leave_nothing(void **state)
{
    smr_ctx *ctx = check_ctx(1);
    smr_table *t = rich_table(ctx);
    (void)state;
    assert_true(fail_each_allocation(ctx, infer_and_copy, t) > 15);
    smr_table_free(t);
    check_ctx_end(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_distinct_whole_numbers_are_identifiers),
        cmocka_unit_test(a_name_tells_identifiers_that_are_far_apart),
        cmocka_unit_test(what_looks_like_a_measure_is_kept),
        cmocka_unit_test(the_user_overrules_the_rule_for_identifiers),
        cmocka_unit_test(bytes_are_never_identifiers),
        cmocka_unit_test(strings_that_hardly_repeat_are_set_aside),
        cmocka_unit_test(the_user_overrules_the_rule_for_text),
        cmocka_unit_test(strings_are_texts_where_a_stage_reads_them),
        cmocka_unit_test(numbers_become_categories_when_asked),
        cmocka_unit_test(types_name_columns_as_people_do),
        cmocka_unit_test(wrong_types_are_refused),
        cmocka_unit_test(ignored_columns_are_neither_inputs_nor_aside),
        cmocka_unit_test(infinite_numbers_are_refused_by_row),
        cmocka_unit_test(something_must_be_left_to_learn_from),
        cmocka_unit_test(the_only_column_is_kept_whatever_it_looks_like),
        cmocka_unit_test(columns_beside_sparse_features_are_refused),
        cmocka_unit_test(a_copy_knows_what_was_set_aside),
        cmocka_unit_test(a_copy_holds_everything),
        cmocka_unit_test(codes_follow_the_numbers_in_ascending_order),
        cmocka_unit_test(many_distinct_numbers_are_coded_in_little_time),
        cmocka_unit_test(zero_is_named_without_its_sign),
        cmocka_unit_test(strings_are_found_whole),
        cmocka_unit_test(failing_allocations_leave_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
