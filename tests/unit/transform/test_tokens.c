/* test_tokens.c -- texts cut into words, characters and n-grams: worked by hand. */
#include "check.h"

#include "core/text.h"
#include "transform/tokens.h"

static smr_token_rule rule(bool chars, bool lower, int64_t min_n, int64_t max_n)
{
    smr_token_rule r = {
        .chars = chars, .lower = lower, .min_length = 1, .min_n = min_n, .max_n = max_n};
    smr_token_rule_fill(&r);
    return r;
}

/* The n-grams with a bar between them. */
static const char *cut_n(const smr_token_rule *r, const char *text, int64_t length)
{
    static char out[8192];
    smr_tokens walk;
    const char *gram;
    int32_t n;
    size_t used = 0;
    smr_tokens_begin(&walk, r, text, length);
    while (smr_tokens_next(&walk, &gram, &n)) {
        assert_true(n > 0 && used + (size_t)n + 2 < sizeof out);
        if (used) out[used++] = '|';
        memcpy(out + used, gram, (size_t)n);
        used += (size_t)n;
    }
    assert_false(smr_tokens_next(&walk, &gram, &n)); /* the end stays the end */
    out[used] = '\0';
    return out;
}

static const char *cut(const char *text)
{
    smr_token_rule r = rule(false, true, 1, 1);
    return cut_n(&r, text, (int64_t)strlen(text));
}

static void words_are_runs_of_letters_and_digits(void **state)
{
    (void)state;
    assert_string_equal(cut("The cat, the DOG -- and 2 birds!"), "the|cat|the|dog|and|2|birds");
    assert_string_equal(cut("a_b snake_case x1y2 3.14"), "a|b|snake|case|x1y2|3|14");
    assert_string_equal(cut(""), "");
    assert_string_equal(cut(" \t\r\n.,;:!?"), "");
    assert_string_equal(cut("x"), "x");
}

static void an_apostrophe_between_letters_belongs_to_the_word(void **state)
{
    (void)state;
    assert_string_equal(cut("don't 'quoted' rock'n'roll dogs' 's"),
                        "don't|quoted|rock'n'roll|dogs|s");
    assert_string_equal(cut("don\xe2\x80\x99t l\xe2\x80\x99\xc3\xa9t\xc3\xa9"),
                        "don't|l'\xc3\xa9t\xc3\xa9"); /* typographic, before a foreign letter */
    assert_string_equal(cut("a''b a' 'b"), "a|b|a|b");
    assert_string_equal(cut("\xe2\x80\x99x\xe2\x80\x99"), "x");
}

static void scripts_follow_their_rules(void **state)
{
    (void)state;
    /* German, Greek with both sigmas, Turkish, Cyrillic */
    assert_string_equal(cut("\xc3\x9c"
                            "BER Stra\xc3\x9f"
                            "e \xc3\x84pfel"),
                        "\xc3\xbc"
                        "ber|stra\xc3\x9f"
                        "e|\xc3\xa4pfel");
    assert_string_equal(cut("\xce\x9f\xce\x94\xce\x9f\xce\xa3 \xce\xbf\xce\xb4\xce\xbf\xcf\x82"),
                        "\xce\xbf\xce\xb4\xce\xbf\xcf\x83|\xce\xbf\xce\xb4\xce\xbf\xcf\x83");
    assert_string_equal(cut("\xc4\xb0STANBUL \xc4\xb1\xc5\x9f\xc4\xb1k I"),
                        "istanbul|\xc4\xb1\xc5\x9f\xc4\xb1k|i");
    assert_string_equal(cut("\xd0\x96\xd0\x98\xd0\x97\xd0\x9d\xd0\xac"),
                        "\xd0\xb6\xd0\xb8\xd0\xb7\xd0\xbd\xd1\x8c");
    /* combining acute inside; alone it is not a word */
    assert_string_equal(cut("Cafe\xcc\x81s \xcc\x81 x"), "cafe\xcc\x81s|x");
    /* Devanagari with vowel signs: one word */
    assert_string_equal(cut("\xe0\xa4\xa8\xe0\xa4\xae\xe0\xa4\xb8\xe0\xa5\x8d\xe0\xa4\xa4\xe0\xa5"
                            "\x87"),
                        "\xe0\xa4\xa8\xe0\xa4\xae\xe0\xa4\xb8\xe0\xa5\x8d\xe0\xa4\xa4\xe0\xa5\x87");
    /* Chinese, Hiragana: each alone; Katakana and Hangul: runs; between Latin letters too */
    assert_string_equal(cut("\xe4\xb8\xad\xe6\x96\x87"
                            "ab\xe4\xb8\xad"
                            "c"),
                        "\xe4\xb8\xad|\xe6\x96\x87|ab|\xe4\xb8\xad|c");
    assert_string_equal(cut("\xe3\x81\xae\xe3\x82\xab\xe3\x83\xa1\xe3\x83\xa9"),
                        "\xe3\x81\xae|\xe3\x82\xab\xe3\x83\xa1\xe3\x83\xa9");
    assert_string_equal(cut("\xed\x95\x9c\xea\xb5\xad\xec\x96\xb4 x"),
                        "\xed\x95\x9c\xea\xb5\xad\xec\x96\xb4|x");
    /* emoji separate, with their variation selector */
    assert_string_equal(cut("good\xf0\x9f\x98\x80morning \xe2\x9d\xa4\xef\xb8\x8f"),
                        "good|morning");
}

static void bytes_that_are_not_utf8_separate(void **state)
{
    smr_token_rule r = rule(false, true, 1, 1);
    (void)state;
    assert_string_equal(cut("caf\xe9 au lait"), "caf|au|lait"); /* Latin-1 */
    assert_string_equal(cut("a\xff"
                            "b\xc3"),
                        "a|b");
    assert_string_equal(cut("\xed\xa0\x80x\xf4\x90\x80\x80y\xc0\xaf"), "x|y");
    assert_string_equal(cut_n(&r, "ab\xc3\xa9", 3), "ab"); /* a cut character */
    assert_string_equal(cut_n(&r, "a\0b", 3), "a|b");
}

static void capitals_stay_on_demand(void **state)
{
    smr_token_rule r = rule(false, false, 1, 1);
    const char *text = "The \xc3\x84rger's CAT \xce\xa3\xcf\x82";
    (void)state;
    assert_string_equal(cut_n(&r, text, (int64_t)strlen(text)),
                        "The|\xc3\x84rger's|CAT|\xce\xa3\xcf\x82");
}

static void ngrams_are_neighbours(void **state)
{
    smr_token_rule two = rule(false, true, 1, 2), three = rule(false, true, 3, 3);
    const char *text = "One two, three four";
    (void)state;
    assert_string_equal(cut_n(&two, text, 19), "one|two|one two|three|two three|four|three four");
    assert_string_equal(cut_n(&three, text, 19), "one two three|two three four");
    assert_string_equal(cut_n(&three, "just two", 8), "");
}

static void short_and_stopped_words_are_left_out_before_ngrams(void **state)
{
    static const char *const stop[] = {"an", "and", "the"};
    smr_token_rule r = rule(false, true, 2, 2);
    (void)state;
    r.stop = stop;
    r.n_stop = 3;
    r.min_length = 2;
    assert_string_equal(cut_n(&r, "The cat and a theme, an \xc3\xa9 dog", 30),
                        "cat theme|theme dog");
}

static void characters_are_cut_with_single_spaces(void **state)
{
    smr_token_rule one = rule(true, true, 1, 1), two = rule(true, true, 2, 2);
    (void)state;
    assert_string_equal(cut_n(&one, "  A b\n\n\xc3\x84! ", 10), "a| |b| |\xc3\xa4|!");
    assert_string_equal(cut_n(&two, "ab  c", 5), "ab|b | c");
    assert_string_equal(cut_n(&two,
                              "a\xff\xff"
                              "b",
                              4),
                        "a | b");
    assert_string_equal(cut_n(&one, " \n", 2), "");
}

/* Of a word of a megabyte the first SMR_TOKEN_MAX bytes count, cut between characters. */
static void long_words_count_with_their_beginning(void **state)
{
    enum { N = 1 << 20 };
    smr_token_rule r = rule(false, true, 1, 2);
    char *text = malloc(N + 8);
    smr_tokens walk;
    const char *gram;
    int32_t n;
    (void)state;
    memset(text, 'X', N);
    memcpy(text + N, " end", 4);
    smr_tokens_begin(&walk, &r, text, N + 4);
    assert_true(smr_tokens_next(&walk, &gram, &n));
    assert_int_equal(n, SMR_TOKEN_MAX);
    for (int32_t i = 0; i < n; i++) assert_int_equal(gram[i], 'x');
    assert_true(smr_tokens_next(&walk, &gram, &n));
    assert_int_equal(n, 3);
    assert_true(smr_tokens_next(&walk, &gram, &n));
    assert_int_equal(n, SMR_TOKEN_MAX + 4);
    assert_false(smr_tokens_next(&walk, &gram, &n));
    for (int i = 0; i < 1000; i++) memcpy(text + 3 * i, "\xe3\x82\xab", 3); /* 3 bytes each */
    smr_tokens_begin(&walk, &r, text, 3000);
    assert_true(smr_tokens_next(&walk, &gram, &n));
    assert_int_equal(n, SMR_TOKEN_MAX / 3 * 3);
    assert_int_equal(smr_utf8_step(gram + n - 3, gram + n), 3);
    free(text);
}

/* Long words in long n-grams: the window moves and every n-gram is still whole. */
static void the_window_moves_without_a_trace(void **state)
{
    enum { WORDS = 400, LENGTH = 200 };
    smr_token_rule r = rule(false, true, SMR_GRAM_MOST, SMR_GRAM_MOST);
    static char text[WORDS * (LENGTH + 1)];
    smr_tokens walk;
    const char *gram;
    int32_t n;
    int64_t k = 0;
    (void)state;
    for (int w = 0; w < WORDS; w++) {
        memset(text + w * (LENGTH + 1), 'a' + w % 26, LENGTH);
        text[w * (LENGTH + 1) + LENGTH] = ' ';
    }
    smr_tokens_begin(&walk, &r, text, sizeof text);
    for (; smr_tokens_next(&walk, &gram, &n); k++) {
        assert_int_equal(n, SMR_GRAM_MOST * (LENGTH + 1) - 1);
        assert_memory_equal(gram, text + k * (LENGTH + 1), n);
    }
    assert_int_equal(k, WORDS - SMR_GRAM_MOST + 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(words_are_runs_of_letters_and_digits),
        cmocka_unit_test(an_apostrophe_between_letters_belongs_to_the_word),
        cmocka_unit_test(scripts_follow_their_rules),
        cmocka_unit_test(bytes_that_are_not_utf8_separate),
        cmocka_unit_test(capitals_stay_on_demand),
        cmocka_unit_test(ngrams_are_neighbours),
        cmocka_unit_test(short_and_stopped_words_are_left_out_before_ngrams),
        cmocka_unit_test(characters_are_cut_with_single_spaces),
        cmocka_unit_test(long_words_count_with_their_beginning),
        cmocka_unit_test(the_window_moves_without_a_trace),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
