/* test_registry.c -- every learner is listed once, in order, and found by its name. */
#include "check.h"

#include "learn/columns.h"
#include "learn/registry.h"

static void the_list_is_sorted_and_without_repeats(void **state)
{
    int64_t n = 0;
    const smr_learner *const *all = smr_registry(&n);
    (void)state;
    assert_true(n >= 8);
    for (int64_t i = 1; i < n; i++)
        if (strcmp(all[i - 1]->word->name, all[i]->word->name) >= 0)
            fail_msg("'%s' comes before '%s'", all[i - 1]->word->name, all[i]->word->name);
}

static void every_learner_is_found_by_its_name_alone(void **state)
{
    smr_ctx *ctx = check_ctx(1);
    int64_t n = 0;
    const smr_learner *const *all = smr_registry(&n), *got = NULL;
    (void)state;
    for (int64_t i = 0; i < n; i++) {
        assert_ptr_equal(smr_registry_find(all[i]->word->name), all[i]);
        check_ok(ctx, smr_registry_get(ctx, all[i]->word->name, &got));
        assert_ptr_equal(got, all[i]);
    }
    static const char *const wrong[] = {"", "KNN", "knn ", "kn", "ridge1", "column"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        assert_null(smr_registry_find(wrong[i]));
    check_ctx_end(ctx);
}

/* It is a word, but not a learner. */
static void the_head_of_a_sentence_is_not_among_them(void **state)
{
    smr_ctx *ctx = check_ctx(1);
    const smr_learner *got = NULL;
    (void)state;
    assert_null(smr_registry_find(smr_columns_word.name));
    check_fails(ctx, smr_registry_get(ctx, "colums", &got), SMR_ERR_PARAM,
                "did you mean 'columns'?");
    check_ctx_end(ctx);
}

static void names_are_words_of_a_sentence(void **state)
{
    int64_t n = 0;
    const smr_learner *const *all = smr_registry(&n);
    (void)state;
    for (int64_t i = 0; i < n; i++)
        for (const char *c = all[i]->word->name; *c; c++)
            if (!(*c >= 'a' && *c <= 'z')) fail_msg("'%s' is not a short word", all[i]->word->name);
}

static void a_wrong_name_is_answered_with_the_nearest(void **state)
{
    smr_ctx *ctx = check_ctx(1);
    const smr_learner *got = (const smr_learner *)state;
    check_fails(ctx, smr_registry_get(ctx, "Rigde", &got), SMR_ERR_PARAM,
                "there is no learner 'Rigde'; did you mean 'ridge'?");
    assert_null(got);
    check_fails(ctx, smr_registry_get(ctx, "stand", &got), SMR_ERR_PARAM,
                "did you mean 'standardize'?");
    check_fails(ctx, smr_registry_get(ctx, "zzyzx42", &got), SMR_ERR_PARAM,
                "'samara list' names them all");
    check_ctx_end(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_list_is_sorted_and_without_repeats),
        cmocka_unit_test(every_learner_is_found_by_its_name_alone),
        cmocka_unit_test(the_head_of_a_sentence_is_not_among_them),
        cmocka_unit_test(names_are_words_of_a_sentence),
        cmocka_unit_test(a_wrong_name_is_answered_with_the_nearest),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
