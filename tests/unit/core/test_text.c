/* Growing text that remembers its failure, and the names people meant. */
#include "check.h"

#include "core/text.h"

static void text_grows_and_stays_terminated(void **state)
{
    (void)state;
    smr_ctx *ctx = check_ctx(1);
    smr_text text = {.ctx = ctx};
    assert_null(text.bytes);
    char want[4000] = "";
    for (int i = 0; i < 300; i++) {
        char piece[32];
        snprintf(piece, sizeof piece, "%d;", i * i - 7);
        strcat(want, piece);
        if (i % 3 == 0) smr_text_add(&text, piece);
        if (i % 3 == 1) smr_text_add_bytes(&text, piece, (int64_t)strlen(piece));
        if (i % 3 == 2) smr_text_printf(&text, "%d%c", i * i - 7, ';');
        assert_string_equal(text.bytes, want);
        assert_int_equal(text.length, strlen(want));
    }
    check_ok(ctx, smr_text_done(&text));
    smr_text_release(&text);
    assert_null(text.bytes);
    smr_text_release(&text);
    check_ctx_end(ctx);
}

static void nothing_added_is_the_empty_text(void **state)
{
    (void)state;
    smr_ctx *ctx = check_ctx(1);
    smr_text text = {.ctx = ctx};
    smr_text_add(&text, "");
    assert_string_equal(text.bytes, "");
    smr_text_add_bytes(&text, "a\0b", 3);
    assert_memory_equal(text.bytes, "a\0b", 4);
    assert_int_equal(text.length, 3);
    smr_text_release(&text);
    check_ctx_end(ctx);
}

static void a_long_print_is_complete(void **state)
{
    (void)state;
    smr_ctx *ctx = check_ctx(1);
    smr_text text = {.ctx = ctx};
    static char long_word[5001];
    for (int length = 0; length < 5000; length = length * 3 / 2 + 1) {
        memset(long_word, 'w', sizeof long_word - 1);
        long_word[length] = '\0';
        smr_text_printf(&text, "<%s|%d>", long_word, length);
        smr_text_release(&text);
        smr_text_add(&text, "x");
        smr_text_printf(&text, "<%s>", long_word);
        assert_int_equal(text.length, length + 3);
        assert_int_equal(strlen(text.bytes), length + 3);
        assert_int_equal(text.bytes[length + 2], '>');
        smr_text_release(&text);
    }
    check_ctx_end(ctx);
}

static void numbers_have_the_shortest_form(void **state)
{
    (void)state;
    smr_ctx *ctx = check_ctx(1);
    smr_text text = {.ctx = ctx};
    smr_text_number(&text, 0.1);
    smr_text_add(&text, " ");
    smr_text_number(&text, -INFINITY);
    smr_text_add(&text, " ");
    smr_text_rounded(&text, 2.0 / 3, 3);
    smr_text_add(&text, " ");
    smr_text_rounded(&text, 1500, 4);
    assert_string_equal(text.bytes, "0.1 -inf 0.667 1500");
    smr_text_release(&text);
    check_ctx_end(ctx);
}

static smr_status build(smr_ctx *ctx)
{
    smr_text text = {.ctx = ctx};
    for (int i = 0; i < 50; i++) {
        smr_text_add(&text, "forty-two bytes that do not fit for long..");
        smr_text_printf(&text, "%*d", 100 * i, i);
        smr_text_number(&text, 0.5 * i);
        assert_int_equal(text.bytes ? strlen(text.bytes) : 0, text.length);
    }
    smr_status st = smr_text_done(&text);
    smr_text_release(&text);
    return st;
}

static void counts_have_the_number_of_their_noun(void **state)
{
    static const struct {
        int64_t n;
        const char *noun, *text;
    } cases[] = {
        {1, "row", "1 row"},     {0, "row", "0 rows"},       {12, "bad row", "12 bad rows"},
        {1, "class", "1 class"}, {2, "class", "2 classes"},  {3, "category", "3 categories"},
        {2, "day", "2 days"},    {5, "branch", "5 branches"}};
    static const char *const words[] = {"a tree",   "an adaboost", "an svm",    "a knn",
                                        "a onehot", "an elastic",  "a logistic"};
    smr_ctx *ctx = check_ctx(1);
    (void)state;
    for (int64_t i = 0; i < SMR_COUNT(cases); i++) {
        smr_text text = {.ctx = ctx};
        smr_text_count(&text, cases[i].n, cases[i].noun);
        assert_string_equal(text.bytes, cases[i].text);
        smr_text_release(&text);
    }
    for (int64_t i = 0; i < SMR_COUNT(words); i++) {
        const char *word = strchr(words[i], ' ') + 1;
        size_t n = strlen(smr_article(word));
        assert_memory_equal(words[i], smr_article(word), n);
        assert_int_equal(words[i][n], ' ');
    }
    assert_string_equal(smr_plural(1, "is", "are"), "is");
    assert_string_equal(smr_plural(2, "is", "are"), "are");
    check_ctx_end(ctx);
}

static void words_are_wrapped_before_the_width(void **state)
{
    static const struct {
        const char *words;
        int64_t at, indent, width;
        const char *wanted;
    } cases[] = {
        {"one two three", 0, 0, 7, "one two\nthree"},
        {"one two three", 0, 2, 8, "one two\n  three"},
        {"one two three", 5, 2, 8, "one\n  two\n  three"},
        {"one two three", 0, 0, 0, "one two three"},
        {"immeasurable one", 0, 1, 4, "immeasurable\n one"},
        {"\xc3\xa9\xc3\xa9 \xc3\xa9\xc3\xa9", 0, 0, 5, "\xc3\xa9\xc3\xa9 \xc3\xa9\xc3\xa9"},
        {"", 0, 0, 5, ""},
    };
    (void)state;
    for (int64_t i = 0; i < SMR_COUNT(cases); i++) {
        smr_ctx *ctx = check_ctx(1);
        smr_text text = {.ctx = ctx};
        smr_text_wrap(&text, cases[i].words, cases[i].at, cases[i].indent, cases[i].width);
        check_ok(ctx, smr_text_done(&text));
        assert_string_equal(text.bytes ? text.bytes : "", cases[i].wanted);
        smr_text_release(&text);
        check_ctx_end(ctx);
    }
}

static void refused_memory_is_told_once_at_the_end(void **state)
{
    (void)state;
    smr_ctx *ctx = check_ctx(1);
    smr_status st = SMR_ERR_NOMEM;
    for (int64_t n = 0; st != SMR_OK; n++) {
        smr_memory_fail_at(ctx, n);
        st = build(ctx);
        assert_true(st == SMR_OK || st == SMR_ERR_NOMEM);
        assert_int_equal(smr_ctx_memory(ctx, NULL), 0);
        assert_true(n < 100);
        smr_ctx_clear(ctx);
    }
    smr_memory_fail_at(ctx, -1);
    smr_text text = {.ctx = ctx};
    smr_text_add_bytes(&text, "", INT64_MAX); /* refused before a byte is read */
    check_fails(ctx, smr_text_done(&text), SMR_ERR_NOMEM, "out of memory");
    check_ctx_end(ctx);
}

static void the_name_that_was_meant_is_found(void **state)
{
    (void)state;
    static const char *const names[] = {
        "linear", "ridge",  "lasso",         "knn",    "logistic", "forest",  "tree", "standardize",
        "poly",   "onehot", "impute",        "kmeans", "svm",      "boost",   "C",    "max_depth",
        "l1",     "l2",     "learning_rate", "pca",    "gamma",    "adaboost"};
    static const struct {
        const char *word, *name; /* NULL: none */
    } row[] = {{"linaer", "linear"},
               {"lienar", "linear"},
               {"Linear", "linear"},
               {"ridg", "ridge"},
               {"rigde", "ridge"},
               {"brigde", "ridge"},
               {"KNN", "knn"},
               {"kn", "knn"},
               {"knm", "knn"},
               {"k", "knn"},
               {"logistics", "logistic"},
               {"logisticregression", "logistic"},
               {"LogisticRegresion", "logistic"},
               {"forrest", "forest"},
               {"stand", "standardize"},
               {"standardise", "standardize"},
               {"normalize", NULL},
               {"maxdepth", "max_depth"},
               {"max-depth", "max_depth"},
               {"depth", NULL},
               {"learningrate", "learning_rate"},
               {"learn", "learning_rate"},
               {"polynomial", "poly"},
               {"c", "C"},
               {"l3", "l1"},
               {"x", NULL},
               {"zzz", NULL},
               {"xgboost", "boost"},
               {"bost", "boost"},
               {"", NULL},
               {"random_forest", NULL},
               {"trees", "tree"}};
    for (int64_t i = 0; i < SMR_COUNT(row); i++) {
        int64_t got = smr_nearest(row[i].word, names, SMR_COUNT(names));
        const char *name = got < 0 ? "none" : names[got],
                   *want = row[i].name ? row[i].name : "none";
        if (strcmp(name, want) != 0) fail_msg("'%s': got %s, wanted %s", row[i].word, name, want);
    }
}

static void nearest_takes_equals_in_order_and_survives_long_words(void **state)
{
    (void)state;
    static const char *const pair[] = {"bat", "cat"};
    assert_int_equal(smr_nearest("rat", pair, 2), 0);
    assert_int_equal(smr_nearest("rat", pair, 0), -1);
    char word[200];
    memset(word, 'q', sizeof word - 1);
    word[199] = '\0';
    const char *names[] = {word, "qq"};
    assert_int_equal(smr_nearest(word, names, 2), -1);
    assert_int_equal(smr_nearest("qqq", names, 2), 1);
    word[64] = '\0';
    assert_int_equal(smr_nearest(word, names, 2), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(text_grows_and_stays_terminated),
        cmocka_unit_test(nothing_added_is_the_empty_text),
        cmocka_unit_test(a_long_print_is_complete),
        cmocka_unit_test(numbers_have_the_shortest_form),
        cmocka_unit_test(counts_have_the_number_of_their_noun),
        cmocka_unit_test(words_are_wrapped_before_the_width),
        cmocka_unit_test(refused_memory_is_told_once_at_the_end),
        cmocka_unit_test(the_name_that_was_meant_is_found),
        cmocka_unit_test(nearest_takes_equals_in_order_and_survives_long_words),
    };
    return cmocka_run_group_tests_name("text", tests, NULL, NULL);
}
