/* test_params.c -- parameters by their table: defaults, reading, ranges, conditions, text.  The
 * tables here are made for the test: every type, every kind of range. */
#include "pipeline.h"

#include "core/params.h"
#include "sums.h"

struct all {
    double rate;  /* (0, 1]                  */
    double shift; /* no limits               */
    double power; /* [1, inf], inf allowed   */
    double level; /* [-2, 3)                 */
    int64_t k;    /* [1, 100]                */
    bool shuffle;
    int mode;
    double width;   /* with mode=wide          */
    int64_t passes; /* with shuffle=yes        */
    double still;   /* with shuffle=no         */
    smr_reals list; /* [0, inf)                */
    char *word;
    char *other;
};

static const smr_choice modes[] = {{"narrow", "n"}, {"wide", "w"}, {"auto", "a"}, {NULL, NULL}};

static const smr_param table[] = {
    {SMR_FIELD(struct all, rate), .def = 0.125, .max = 1, .min_open = true, .doc = "d"},
    {SMR_FIELD(struct all, shift), .def = -3, .doc = "d"},
    {SMR_FIELD(struct all, power), .def = 2, .min = 1, .max = INFINITY, .doc = "d"},
    {SMR_FIELD(struct all, level), .def = 0, .min = -2, .max = 3, .max_open = true, .doc = "d"},
    {SMR_FIELD(struct all, k), .def = 5, .min = 1, .max = 100, .primary = true, .doc = "d"},
    {SMR_FIELD(struct all, shuffle), .def = true, .doc = "d"},
    {SMR_FIELD(struct all, mode), .def = 2, .choices = modes, .doc = "d"},
    {SMR_FIELD(struct all, width), .def = 1, .min = 0, .max = INFINITY, .max_open = true,
     .when = "mode=wide", .doc = "d"},
    {SMR_FIELD(struct all, passes), .def = 1, .min = 1, .max = 9, .when = "shuffle=yes",
     .doc = "d"},
    {SMR_FIELD(struct all, still), .def = 1, .min = 0, .max = 9, .when = "shuffle=no", .doc = "d"},
    {SMR_FIELD(struct all, list), .def = 0.5, .min = 0, .max = INFINITY, .max_open = true,
     .doc = "d"},
    {SMR_FIELD(struct all, word), .def_text = "tanh", .doc = "d"},
    {SMR_FIELD(struct all, other), .doc = "d"},
};

static const smr_word about = {
    .name = "sample",
    .params = table,
    .n_params = SMR_COUNT(table),
    .params_size = sizeof(struct all),
};

static struct all *fresh(smr_ctx *ctx)
{
    void *params = NULL;
    check_ok(ctx, smr_params_create(ctx, &about, &params));
    return params;
}

static smr_status set(smr_ctx *ctx, struct all *p, const char *name, const char *value)
{
    const smr_param *row = smr_param_find(&about, name);
    assert_non_null(row);
    return smr_param_set(ctx, &about, p, row, value);
}

static void defaults_come_from_the_table(void **state)
{
    smr_ctx *ctx = check_ctx(1);
    struct all *p = fresh(ctx);
    (void)state;
    assert_true(p->rate == 0.125 && p->shift == -3 && p->power == 2 && p->level == 0);
    assert_true(p->k == 5 && p->shuffle && p->mode == 2);
    assert_true(p->list.n == 1 && p->list.value[0] == 0.5);
    assert_string_equal(p->word, "tanh");
    assert_string_equal(p->other, "");
    smr_params_free(&about, p);
    check_ctx_end(ctx);
}

static void rows_are_found_by_name(void **state)
{
    (void)state;
    assert_ptr_equal(smr_param_find(&about, "rate"), &table[0]);
    assert_ptr_equal(smr_param_find(&about, "other"), &table[SMR_COUNT(table) - 1]);
    assert_null(smr_param_find(&about, "rat"));
    assert_null(smr_param_find(&about, "rates"));
    assert_null(smr_param_find(&about, ""));
    assert_string_equal(smr_param_primary(&about)->name, "k");
    smr_word word = {.name = "none"};
    assert_null(smr_param_primary(&word));
    smr_params_free(&word, NULL);
}

static void numbers_are_read_exactly(void **state)
{
    static const struct {
        const char *text;
        double value;
    } good[] = {{"1", 1},      {"-1.5", -1.5},    {"+2", 2},           {"1e-3", 1e-3},
                {"1E3", 1000}, {".5", 0.5},       {"5.", 5},           {"-2e+2", -200},
                {" 7 ", 7},    {"inf", INFINITY}, {"-inf", -INFINITY}, {"-0", 0},
                {"0.1", 0.1},  {"1e308", 1e308}};
    smr_ctx *ctx = check_ctx(1);
    struct all *p = fresh(ctx);
    (void)state;
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        check_ok(ctx, set(ctx, p, "shift", good[i].text));
        if (p->shift != good[i].value) fail_msg("'%s' is %.17g", good[i].text, p->shift);
    }
    smr_params_free(&about, p);
    check_ctx_end(ctx);
}

static void what_is_no_number_is_refused(void **state)
{
    static const char *const bad[] = {"", " ", "x", "1x", "1 2", "1,2", "--1", "0x10", "e5", "1e"};
    smr_ctx *ctx = check_ctx(1);
    struct all *p = fresh(ctx);
    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        char part[80];
        snprintf(part, sizeof part, "sample: shift = %s is not a number in (-inf, inf)", bad[i]);
        check_fails(ctx, set(ctx, p, "shift", bad[i]), SMR_ERR_PARAM, part);
    }
    check_fails(ctx, set(ctx, p, "shift", "nan"), SMR_ERR_PARAM, "sample: shift = nan");
    assert_true(p->shift == -3); /* a refused value changes nothing */
    smr_params_free(&about, p);
    check_ctx_end(ctx);
}

static void open_and_closed_ends_are_told_apart(void **state)
{
    smr_ctx *ctx = check_ctx(1);
    struct all *p = fresh(ctx);
    (void)state;
    check_ok(ctx, set(ctx, p, "rate", "1"));
    check_ok(ctx, set(ctx, p, "rate", "1e-300"));
    check_fails(ctx, set(ctx, p, "rate", "0"), SMR_ERR_PARAM, "sample: rate = 0 is outside (0, 1]");
    check_fails(ctx, set(ctx, p, "rate", "1.0000000000000002"), SMR_ERR_PARAM, "outside (0, 1]");
    check_fails(ctx, set(ctx, p, "rate", "-0.5"), SMR_ERR_PARAM, "outside (0, 1]");

    check_ok(ctx, set(ctx, p, "level", "-2"));
    check_ok(ctx, set(ctx, p, "level", "2.9999999999999996"));
    check_fails(ctx, set(ctx, p, "level", "3"), SMR_ERR_PARAM, "level = 3 is outside [-2, 3)");
    check_fails(ctx, set(ctx, p, "level", "-2.0000000000000004"), SMR_ERR_PARAM, "outside [-2, 3)");
    check_fails(ctx, set(ctx, p, "level", "inf"), SMR_ERR_PARAM, "outside [-2, 3)");
    assert_true(p->level == 2.9999999999999996);

    check_ok(ctx, set(ctx, p, "power", "inf"));
    assert_true(isinf(p->power));
    check_fails(ctx, set(ctx, p, "power", "0.5"), SMR_ERR_PARAM, "power = 0.5 is outside [1, inf]");
    check_fails(ctx, set(ctx, p, "power", "-inf"), SMR_ERR_PARAM, "outside [1, inf]");
    check_ok(ctx, set(ctx, p, "mode", "wide"));
    check_fails(ctx, set(ctx, p, "width", "inf"), SMR_ERR_PARAM, "width = inf is outside [0, inf)");
    smr_params_free(&about, p);
    check_ctx_end(ctx);
}

static void whole_numbers_must_be_whole(void **state)
{
    smr_ctx *ctx = check_ctx(1);
    struct all *p = fresh(ctx);
    (void)state;
    check_ok(ctx, set(ctx, p, "k", "1e2"));
    assert_int_equal(p->k, 100);
    check_ok(ctx, set(ctx, p, "k", "7.0"));
    assert_int_equal(p->k, 7);
    check_fails(ctx, set(ctx, p, "k", "2.5"), SMR_ERR_PARAM,
                "sample: k = 2.5 is not a whole number in [1, 100]");
    check_fails(ctx, set(ctx, p, "k", "0"), SMR_ERR_PARAM, "sample: k = 0 is outside [1, 100]");
    check_fails(ctx, set(ctx, p, "k", "101"), SMR_ERR_PARAM, "outside [1, 100]");
    check_fails(ctx, set(ctx, p, "k", "inf"), SMR_ERR_PARAM, "is not a whole number");
    check_fails(ctx, set(ctx, p, "k", "1e300"), SMR_ERR_PARAM, "is not a whole number");
    check_fails(ctx, set(ctx, p, "k", "yes"), SMR_ERR_PARAM, "is not a number in [1, 100]");
    smr_params_free(&about, p);
    check_ctx_end(ctx);
}

static void booleans_and_choices_have_words(void **state)
{
    smr_ctx *ctx = check_ctx(1);
    struct all *p = fresh(ctx);
    (void)state;
    for (int i = 0; i < 2; i++) {
        static const char *const words[2][3] = {{"no", "false", "0"}, {"yes", "true", "1"}};
        for (int k = 0; k < 3; k++) {
            p->shuffle = !i;
            check_ok(ctx, set(ctx, p, "shuffle", words[i][k]));
            assert_int_equal(p->shuffle, i);
        }
    }
    check_fails(ctx, set(ctx, p, "shuffle", "maybe"), SMR_ERR_PARAM,
                "sample: shuffle = maybe is not yes or no");
    check_fails(ctx, set(ctx, p, "shuffle", "Yes"), SMR_ERR_PARAM, "is not yes or no");
    check_ok(ctx, set(ctx, p, "mode", "narrow"));
    assert_int_equal(p->mode, 0);
    check_fails(ctx, set(ctx, p, "mode", "Wide"), SMR_ERR_PARAM,
                "sample: mode = Wide is none of narrow, wide or auto");
    check_fails(ctx, set(ctx, p, "mode", ""), SMR_ERR_PARAM, "is none of");
    assert_int_equal(p->mode, 0);
    smr_params_free(&about, p);
    check_ctx_end(ctx);
}

static void lists_hold_one_number_or_many(void **state)
{
    smr_ctx *ctx = check_ctx(1);
    struct all *p = fresh(ctx);
    char long_list[4 * SMR_REALS_MAX + 8] = "";
    (void)state;
    check_ok(ctx, set(ctx, p, "list", "0.1,1, 10"));
    assert_true(p->list.n == 3 && p->list.value[0] == 0.1 && p->list.value[2] == 10);
    check_fails(ctx, set(ctx, p, "list", "1,,2"), SMR_ERR_PARAM,
                "sample: list = 1,,2 is not a list of numbers in [0, inf)");
    check_fails(ctx, set(ctx, p, "list", "1,2,"), SMR_ERR_PARAM, "is not a list of numbers");
    check_fails(ctx, set(ctx, p, "list", "1,-2"), SMR_ERR_PARAM, "list = 1,-2 is outside [0, inf)");
    check_fails(ctx, set(ctx, p, "list", "1,inf"), SMR_ERR_PARAM, "is outside");
    assert_int_equal(p->list.n, 3);
    for (int i = 0; i < SMR_REALS_MAX; i++) strcat(long_list, i ? ",1" : "1");
    check_ok(ctx, set(ctx, p, "list", long_list));
    assert_int_equal(p->list.n, SMR_REALS_MAX);
    strcat(long_list, ",1");
    check_fails(ctx, set(ctx, p, "list", long_list), SMR_ERR_PARAM, "has too many values for");
    smr_params_free(&about, p);
    check_ctx_end(ctx);
}

/* ---- conditions ------------------------------------------------------------------------- */

static smr_status check_given(smr_ctx *ctx, const struct all *p, const char *name)
{
    bool given[SMR_COUNT(table)] = {false};
    given[smr_param_find(&about, name) - table] = true;
    return smr_params_check(ctx, &about, p, given);
}

static void a_condition_says_when_a_parameter_is_read(void **state)
{
    smr_ctx *ctx = check_ctx(1);
    struct all *p = fresh(ctx);
    const smr_param *width = smr_param_find(&about, "width");
    (void)state;
    assert_true(smr_param_is_read(&about, p, &table[0]));
    assert_false(smr_param_is_read(&about, p, width));
    check_ok(ctx, set(ctx, p, "mode", "wide"));
    assert_true(smr_param_is_read(&about, p, width));
    assert_true(smr_param_is_read(&about, p, smr_param_find(&about, "passes")));
    assert_false(smr_param_is_read(&about, p, smr_param_find(&about, "still")));
    check_ok(ctx, set(ctx, p, "shuffle", "no"));
    assert_false(smr_param_is_read(&about, p, smr_param_find(&about, "passes")));
    assert_true(smr_param_is_read(&about, p, smr_param_find(&about, "still")));
    smr_params_free(&about, p);
    check_ctx_end(ctx);
}

static void given_but_not_read_is_an_error(void **state)
{
    smr_ctx *ctx = check_ctx(1);
    struct all *p = fresh(ctx);
    (void)state;
    check_ok(ctx, check_given(ctx, p, "rate"));
    check_fails(ctx, check_given(ctx, p, "width"), SMR_ERR_PARAM,
                "sample: width is used only with mode=wide");
    check_fails(ctx, check_given(ctx, p, "still"), SMR_ERR_PARAM,
                "sample: still is used only with shuffle=no");
    check_ok(ctx, check_given(ctx, p, "passes"));
    check_ok(ctx, smr_params_check(ctx, &about, p, NULL));
    check_ok(ctx, set(ctx, p, "mode", "wide"));
    check_ok(ctx, check_given(ctx, p, "width"));
    smr_params_free(&about, p);
    check_ctx_end(ctx);
}

static smr_status refuse_even(smr_ctx *ctx, const void *params)
{
    const struct all *p = params;
    return p->k % 2 ? SMR_OK : smr_fail(ctx, SMR_ERR_PARAM, "k is even");
}

static void rules_between_parameters_are_asked(void **state)
{
    smr_ctx *ctx = check_ctx(1);
    struct all *p = fresh(ctx);
    smr_word word = about;
    (void)state;
    word.check_params = refuse_even;
    check_ok(ctx, smr_params_check(ctx, &word, p, NULL));
    p->k = 4;
    check_fails(ctx, smr_params_check(ctx, &word, p, NULL), SMR_ERR_PARAM, "k is even");
    smr_params_free(&about, p);
    check_ctx_end(ctx);
}

/* ---- text ------------------------------------------------------------------------------- */

static void check_text(smr_text *text, const char *wanted)
{
    assert_string_equal(text->bytes, wanted);
    text->length = 0;
}

static void write_value(smr_ctx *ctx, struct all *p, const char *name, const char *value,
                        const char *wanted)
{
    smr_text text = {.ctx = ctx};
    check_ok(ctx, set(ctx, p, name, value));
    smr_param_write(smr_param_find(&about, name), p, &text);
    check_text(&text, wanted);
    smr_text_release(&text);
}

static void values_are_written_as_they_are_read(void **state)
{
    smr_ctx *ctx = check_ctx(1);
    struct all *p = fresh(ctx);
    (void)state;
    write_value(ctx, p, "rate", "1e-1", "0.1");
    write_value(ctx, p, "shift", "-inf", "-inf");
    write_value(ctx, p, "shift", "12345678.125", "12345678.125");
    write_value(ctx, p, "k", "1e2", "100");
    write_value(ctx, p, "shuffle", "0", "no");
    write_value(ctx, p, "mode", "wide", "wide");
    write_value(ctx, p, "list", "1, 0.30,1e-7", "1,0.3,1e-7");
    write_value(ctx, p, "word", "relu", "relu");
    write_value(ctx, p, "word", "a.b-c_9", "a.b-c_9");
    write_value(ctx, p, "word", "two words", "'two words'");
    write_value(ctx, p, "word", "9lives", "'9lives'");
    write_value(ctx, p, "word", "", "''");
    write_value(ctx, p, "word", "it's", "\"it's\"");
    write_value(ctx, p, "word", "say \"x\"", "'say \"x\"'");
    smr_params_free(&about, p);
    check_ctx_end(ctx);
}

static void ranges_and_defaults_are_shown(void **state)
{
    static const char *const ranges[] = {"(0, 1]",
                                         "(-inf, inf)",
                                         "[1, inf]",
                                         "[-2, 3)",
                                         "[1, 100]",
                                         "yes or no",
                                         "narrow, wide or auto",
                                         "[0, inf)",
                                         "[1, 9]",
                                         "[0, 9]",
                                         "[0, inf)",
                                         "text",
                                         "text"};
    static const char *const defaults[] = {"0.125", "-3", "2", "0",   "5",    "yes", "auto",
                                           "1",     "1",  "1", "0.5", "tanh", "''"};
    smr_ctx *ctx = check_ctx(1);
    smr_text text = {.ctx = ctx};
    (void)state;
    for (int64_t i = 0; i < SMR_COUNT(table); i++) {
        smr_param_write_range(&table[i], &text);
        check_text(&text, ranges[i]);
        smr_param_write_default(&table[i], &text);
        check_text(&text, defaults[i]);
    }
    smr_text_release(&text);
    check_ctx_end(ctx);
}

static smr_status create_and_set(smr_ctx *ctx, void *arg)
{
    void *params = NULL;
    smr_text text = {.ctx = ctx};
    (void)arg;
    smr_status st = smr_params_create(ctx, &about, &params);
    if (st == SMR_OK) st = set(ctx, params, "word", "a longer word than the one before");
    if (st == SMR_OK) smr_param_write(smr_param_find(&about, "word"), params, &text);
    if (st == SMR_OK) st = smr_text_done(&text);
    smr_text_release(&text);
    smr_params_free(&about, params);
    return st;
}

static void failing_allocations_leave_nothing(void **state)
{
    smr_ctx *ctx = check_ctx(1);
    (void)state;
    assert_true(fail_each_allocation(ctx, create_and_set, NULL) >= 5);
    check_ctx_end(ctx);
}

/* ---- unset ------------------------------------------------------------------------------ */

struct optional {
    double real;
    int64_t whole;
    int choice;
    smr_reals list;
    char *text;
    int64_t zero;   /* whose text for unset is 0         */
    double without; /* read without whole, of a short list */
};

static const smr_param optional_table[] = {
    {SMR_FIELD(struct optional, real), .unset = true, .min = -1, .max = 1, .doc = "d"},
    {SMR_FIELD(struct optional, whole), .unset = true, .min = 0, .max = 9, .doc = "d"},
    {SMR_FIELD(struct optional, choice), .unset = true, .choices = modes, .doc = "d"},
    {SMR_FIELD(struct optional, list), .unset = true, .min = 0, .max = 9, .doc = "d"},
    {SMR_FIELD(struct optional, text), .unset = true, .doc = "d"},
    {SMR_FIELD(struct optional, zero), .unset = true, .none = "0", .min = 1, .max = 9, .doc = "d"},
    {SMR_FIELD(struct optional, without), .def = 0.5, .min = 0, .max = 9,
     .when = "whole=none&list<3", .doc = "d"},
};

static const smr_word optional_word = {
    .name = "sample",
    .params = optional_table,
    .n_params = SMR_COUNT(optional_table),
    .params_size = sizeof(struct optional),
};

static void check_written(const smr_word *word, const void *params, const char *wanted)
{
    smr_ctx *ctx = check_ctx(1);
    smr_text text = {.ctx = ctx};
    smr_word_write(word, params, &text);
    check_text(&text, wanted);
    smr_text_release(&text);
    check_ctx_end(ctx);
}

static void what_nobody_set_is_unset(void **state)
{
    static const char *const values[] = {"0.5", "0", "wide", "1,2", "it is", "4"};
    smr_ctx *ctx = check_ctx(1);
    void *params = NULL, *copy = NULL;
    smr_text text = {.ctx = ctx};
    (void)state;
    check_ok(ctx, smr_params_create(ctx, &optional_word, &params));
    struct optional *p = params;
    assert_true(isnan(p->real) && p->whole == SMR_UNSET_INT && p->choice == -1 && p->list.n == 0);
    assert_true(p->text == NULL && p->zero == SMR_UNSET_INT);
    check_written(&optional_word, p, "sample zero=0 without=0.5");
    check_ok(ctx, smr_params_copy(ctx, &optional_word, p, &copy));
    check_written(&optional_word, copy, "sample zero=0 without=0.5");
    smr_params_free(&optional_word, copy);
    for (int64_t i = 0; i < SMR_COUNT(values); i++) {
        const smr_param *row = &optional_table[i];
        assert_true(smr_param_is_unset(row, p));
        check_ok(ctx, smr_param_set(ctx, &optional_word, p, row, values[i]));
        assert_false(smr_param_is_unset(row, p));
        smr_param_write_default(row, &text);
        check_text(&text, row->none ? "unset (0)" : "unset");
    }
    check_written(&optional_word, p,
                  "sample real=0.5 whole=0 choice=wide list=1,2 text='it is' zero=4");
    check_fails(ctx, smr_param_set(ctx, &optional_word, p, &optional_table[0], "nan"),
                SMR_ERR_PARAM, "sample: real = nan");
    check_ok(ctx, smr_param_set(ctx, &optional_word, p, &optional_table[5], "0"));
    assert_true(smr_param_is_unset(&optional_table[5], p));
    for (int64_t i = 0; i < SMR_COUNT(values); i++) {
        check_ok(ctx, smr_param_set(ctx, &optional_word, p, &optional_table[i], "none"));
        assert_true(smr_param_is_unset(&optional_table[i], p));
    }
    check_written(&optional_word, p, "sample zero=0 without=0.5");
    struct all *others = fresh(ctx);
    check_fails(ctx, set(ctx, others, "k", "none"), SMR_ERR_PARAM,
                "k = none is not a number"); /* a row that has a default keeps it */
    smr_params_free(&about, others);
    smr_text_release(&text);
    smr_params_free(&optional_word, p);
    check_ctx_end(ctx);
}

static void a_parameter_may_wait_for_others_to_be_unset(void **state)
{
    smr_ctx *ctx = check_ctx(1);
    void *params = NULL;
    bool given[SMR_COUNT(optional_table)] = {false};
    const smr_param *last = &optional_table[6];
    (void)state;
    check_ok(ctx, smr_params_create(ctx, &optional_word, &params));
    struct optional *p = params;
    given[6] = true;
    check_ok(ctx, smr_params_check(ctx, &optional_word, p, given));
    p->whole = 0; /* a value, if a small one */
    assert_false(smr_param_is_read(&optional_word, p, last));
    check_fails(ctx, smr_params_check(ctx, &optional_word, p, given), SMR_ERR_PARAM,
                "sample: without and whole are both given; give one of them");
    check_ok(ctx, smr_params_check(ctx, &optional_word, p, NULL));
    p->without = 7;
    check_ok(ctx, smr_params_drop_unread(ctx, &optional_word, p));
    assert_true(p->without == 0.5 && p->whole == 0);
    p->whole = SMR_UNSET_INT;
    p->list.n = 2;
    assert_true(smr_param_is_read(&optional_word, p, last));
    p->list.n = 3;
    assert_false(smr_param_is_read(&optional_word, p, last));
    check_fails(ctx, smr_params_check(ctx, &optional_word, p, given), SMR_ERR_PARAM,
                "sample: without is not used when list has 3 values; leave without out");
    smr_params_free(&optional_word, p);
    check_ctx_end(ctx);
}

/* ---- grammars --------------------------------------------------------------------------- */

static smr_status use_sums(smr_ctx *ctx, void *arg)
{
    void *params = NULL, *copy = NULL;
    (void)arg;
    smr_status st = smr_params_create(ctx, &made_word, &params);
    if (st == SMR_OK) st = smr_param_set(ctx, &made_word, params, &made_params[2], "1+2.5");
    if (st == SMR_OK) st = smr_param_set(ctx, &made_word, params, &made_params[1], "4");
    if (st == SMR_OK) st = smr_params_copy(ctx, &made_word, params, &copy);
    if (st == SMR_OK) st = smr_params_check(ctx, &made_word, copy, NULL);
    if (st == SMR_OK) check_written(&made_word, copy, "made sum=4 must=1+2.5");
    smr_params_free(&made_word, params);
    smr_params_free(&made_word, copy);
    return st;
}

/* Phrases of any grammar are read, written, copied, unset and released by their table. */
/* ---- amounts ---------------------------------------------------------------------------- */

struct amounts {
    smr_reals list;
    int64_t patience;
    double level;
    int mode;
    bool each, early, none, fast;
};

static const smr_param amount_rows[] = {
    {SMR_FIELD(struct amounts, list), .unset = true, .min = 0, .max = 9, .doc = "unset"},
    {SMR_FIELD(struct amounts, patience), .def = 0, .min = 0, .max = 9, .doc = "d"},
    {SMR_FIELD(struct amounts, level), .def = -1, .min = -1, .max = 9, .doc = "d"},
    {SMR_FIELD(struct amounts, mode), .def = 0, .choices = modes, .doc = "d"},
    {SMR_FIELD(struct amounts, each), .when = "list!=1", .doc = "d"},
    {SMR_FIELD(struct amounts, early), .when = "patience>0", .doc = "d"},
    {SMR_FIELD(struct amounts, none), .when = "level=-1&patience=0", .doc = "d"},
    {SMR_FIELD(struct amounts, fast), .when = "mode!=wide", .doc = "d"},
};

static const smr_word amounts_word = {.name = "sample",
                                      .params = amount_rows,
                                      .n_params = SMR_COUNT(amount_rows),
                                      .params_size = sizeof(struct amounts)};

/* Is `name` read where `other` is set to `value`?  If not, giving it is refused with `why`. */
static void check_amount(const char *name, const char *other, const char *value, const char *why)
{
    smr_ctx *ctx = check_ctx(1);
    void *p = NULL;
    bool given[SMR_COUNT(amount_rows)] = {0};
    const smr_param *row = smr_param_find(&amounts_word, name);
    check_ok(ctx, smr_params_create(ctx, &amounts_word, &p));
    check_ok(ctx,
             smr_param_set(ctx, &amounts_word, p, smr_param_find(&amounts_word, other), value));
    given[row - amount_rows] = true;
    assert_int_equal(smr_param_is_read(&amounts_word, p, row), !why);
    if (why)
        check_fails(ctx, smr_params_check(ctx, &amounts_word, p, given), SMR_ERR_PARAM, why);
    else
        check_ok(ctx, smr_params_check(ctx, &amounts_word, p, given));
    smr_params_free(&amounts_word, p);
    check_ctx_end(ctx);
}

static void a_condition_may_be_about_an_amount(void **state)
{
    (void)state;
    check_amount("each", "list", "none", NULL);
    check_amount("each", "list", "1,2", NULL);
    check_amount("each", "list", "3", "each is not used when list has 1 value; leave each out");
    check_amount("early", "patience", "2", NULL);
    check_amount("early", "patience", "0", "early is used only with patience>0");
    check_amount("none", "level", "-1", NULL);
    check_amount("none", "level", "-0.5", "none is used only with level=-1");
    check_amount("none", "patience", "1", "none is used only with patience=0");
    check_amount("fast", "mode", "auto", NULL);
    check_amount("fast", "mode", "wide", "fast is not used with mode=wide; leave it out");
}

static void conditions_about_amounts_are_shown(void **state)
{
    static const char *const wanted[] = {"unless list has 1 value", "with patience > 0",
                                         "with level=-1 and with patience=0", "unless mode=wide"};
    smr_ctx *ctx = check_ctx(1);
    (void)state;
    for (int64_t i = 0; i < SMR_COUNT(wanted); i++) {
        smr_text text = {.ctx = ctx};
        smr_param_write_when(&amount_rows[4 + i], &text);
        assert_string_equal(text.bytes, wanted[i]);
        smr_text_release(&text);
    }
    check_ctx_end(ctx);
}

static void a_parameter_may_have_its_own_grammar(void **state)
{
    smr_ctx *ctx = check_ctx(1);
    void *params = NULL;
    smr_text text = {.ctx = ctx};
    (void)state;
    check_ok(ctx, smr_params_create(ctx, &made_word, &params));
    struct made *p = params;
    check_fails(ctx, smr_params_check(ctx, &made_word, p, NULL), SMR_ERR_PARAM,
                "made: must is missing; it takes a sum");
    check_ok(ctx, smr_param_set(ctx, &made_word, p, &made_params[2], "1+2+3"));
    check_written(&made_word, p, "made alone=3 must=1+2+3");
    check_ok(ctx, smr_param_set(ctx, &made_word, p, &made_params[1], "7"));
    check_written(&made_word, p, "made sum=7 must=1+2+3");
    check_ok(ctx, smr_param_set(ctx, &made_word, p, &made_params[1], "none"));
    assert_true(smr_param_is_unset(&made_params[1], p));
    check_fails(ctx, smr_param_set(ctx, &made_word, p, &made_params[2], "1+x"), SMR_ERR_PARAM,
                "made: must is not a sum");
    check_written(&made_word, p, "made alone=3 must=1+2+3"); /* a refused one changes nothing */
    smr_param_write_range(&made_params[1], &text);
    check_text(&text, "a sum");
    smr_text_release(&text);
    smr_params_free(&made_word, p);
    assert_true(fail_each_allocation(ctx, use_sums, NULL) >= 5);
    check_ctx_end(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(defaults_come_from_the_table),
        cmocka_unit_test(rows_are_found_by_name),
        cmocka_unit_test(numbers_are_read_exactly),
        cmocka_unit_test(what_is_no_number_is_refused),
        cmocka_unit_test(open_and_closed_ends_are_told_apart),
        cmocka_unit_test(whole_numbers_must_be_whole),
        cmocka_unit_test(booleans_and_choices_have_words),
        cmocka_unit_test(lists_hold_one_number_or_many),
        cmocka_unit_test(a_condition_says_when_a_parameter_is_read),
        cmocka_unit_test(given_but_not_read_is_an_error),
        cmocka_unit_test(rules_between_parameters_are_asked),
        cmocka_unit_test(values_are_written_as_they_are_read),
        cmocka_unit_test(ranges_and_defaults_are_shown),
        cmocka_unit_test(failing_allocations_leave_nothing),
        cmocka_unit_test(what_nobody_set_is_unset),
        cmocka_unit_test(a_parameter_may_wait_for_others_to_be_unset),
        cmocka_unit_test(a_condition_may_be_about_an_amount),
        cmocka_unit_test(conditions_about_amounts_are_shown),
        cmocka_unit_test(a_parameter_may_have_its_own_grammar),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
