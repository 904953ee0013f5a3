/* Dictionaries over strings that lie elsewhere. */
#include "check.h"

#include "data/vocab.h"

/* "ab", "", "c", "ab", "" in one block. */
static int64_t starts[] = {0, 2, 2, 3, 5, 5};
static char text[] = "abcab";

static void a_dictionary_over_strings_copies_none(void **state)
{
    smr_ctx *ctx = check_ctx(1);
    smr_strings s = {.n = 3, .start = starts, .bytes = text};
    smr_vocab d = {0};
    int64_t twin = 7;
    (void)state;
    check_ok(ctx, smr_vocab_over(ctx, &s, &d, &twin));
    assert_int_equal(twin, -1);
    assert_ptr_equal(d.strings.bytes, text);
    assert_int_equal(smr_vocab_find(&d, "ab", 2), 0);
    assert_int_equal(smr_vocab_find(&d, "", 0), 1);
    assert_int_equal(smr_vocab_find(&d, "c", 1), 2);
    assert_int_equal(smr_vocab_find(&d, "a", 1), -1);
    assert_int_equal(smr_vocab_find(&d, "abc", 3), -1);
    smr_vocab_release(&d);
    assert_string_equal(text, "abcab");
    check_ctx_end(ctx);
}

static void the_first_of_equals_counts_and_the_second_is_told(void **state)
{
    smr_ctx *ctx = check_ctx(1);
    smr_strings s = {.n = 5, .start = starts, .bytes = text}, none = {.start = starts};
    smr_vocab d = {0};
    int64_t twin = -1;
    (void)state;
    check_ok(ctx, smr_vocab_over(ctx, &s, &d, &twin));
    assert_int_equal(twin, 3);
    assert_int_equal(smr_vocab_find(&d, "ab", 2), 0);
    assert_int_equal(smr_vocab_find(&d, "", 0), 1);
    smr_vocab_release(&d);
    check_ok(ctx, smr_vocab_over(ctx, &none, &d, &twin));
    assert_int_equal(twin, -1);
    assert_int_equal(smr_vocab_find(&d, "", 0), -1);
    smr_vocab_release(&d);
    smr_memory_fail_at(ctx, 0);
    assert_int_equal(smr_vocab_over(ctx, &s, &d, &twin), SMR_ERR_NOMEM);
    smr_memory_fail_at(ctx, -1);
    smr_vocab_release(&d);
    check_ctx_end(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_dictionary_over_strings_copies_none),
        cmocka_unit_test(the_first_of_equals_counts_and_the_second_is_told),
    };
    return cmocka_run_group_tests_name("vocab", tests, NULL, NULL);
}
