/* test_types.c -- "name=kind" lists and names of formats. */
#include "pipeline.h"

#include "data/types.h"

static void check_rule(const smr_rule_list *list, int64_t i, const char *name, smr_kind kind,
                       bool ignore)
{
    assert_true(i < list->n);
    assert_string_equal(list->rules[i].name, name);
    assert_int_equal(list->rules[i].kind, kind);
    assert_int_equal(list->rules[i].ignore, ignore);
    assert_false(list->rules[i].optional);
    assert_null(list->rules[i].levels);
}

static void every_kind_has_its_word(void **state)
{
    smr_ctx *ctx = check_ctx(1);
    smr_rule_list list;
    (void)state;
    check_ok(ctx, smr_rules_parse(ctx, "a=number,b=category,c=text,d=date,e=ignore", &list));
    assert_int_equal(list.n, 5);
    check_rule(&list, 0, "a", SMR_NUMBER, false);
    check_rule(&list, 1, "b", SMR_CATEGORY, false);
    check_rule(&list, 2, "c", SMR_TEXT, false);
    check_rule(&list, 3, "d", SMR_DATE, false);
    check_rule(&list, 4, "e", SMR_NUMBER, true);
    smr_rules_release(&list);
    assert_int_equal(list.n, 0);
    assert_null(list.rules);
    check_ctx_end(ctx);
}

static void nothing_gives_no_rules(void **state)
{
    smr_ctx *ctx = check_ctx(1);
    static const char *const empty[] = {NULL, "", ",", ",,,"};
    (void)state;
    for (int i = 0; i < 4; i++) {
        smr_rule_list list = {.n = 9};
        check_ok(ctx, smr_rules_parse(ctx, empty[i], &list));
        assert_int_equal(list.n, 0);
        smr_rules_release(&list);
    }
    check_ctx_end(ctx);
}

static void quoted_names_hold_commas_and_the_last_equals_splits(void **state)
{
    smr_ctx *ctx = check_ctx(1);
    smr_rule_list list;
    (void)state;
    check_ok(ctx, smr_rules_parse(ctx,
                                  "\"a,b\"=number,x=y=category,#-1=text,two words=date,"
                                  "\"q\"=ignore,,",
                                  &list));
    assert_int_equal(list.n, 5);
    check_rule(&list, 0, "a,b", SMR_NUMBER, false);
    check_rule(&list, 1, "x=y", SMR_CATEGORY, false);
    check_rule(&list, 2, "#-1", SMR_TEXT, false);
    check_rule(&list, 3, "two words", SMR_DATE, false);
    check_rule(&list, 4, "q", SMR_NUMBER, true);
    smr_rules_release(&list);
    check_ctx_end(ctx);
}

static void what_is_no_rule_is_refused(void **state)
{
    smr_ctx *ctx = check_ctx(1);
    smr_rule_list list;
    (void)state;
    check_fails(ctx, smr_rules_parse(ctx, "zip", &list), SMR_ERR_PARAM,
                "'zip' is not a type rule; write COLUMN=number, COLUMN=category ...");
    assert_int_equal(list.n, 0);
    assert_null(list.rules);
    check_fails(ctx, smr_rules_parse(ctx, "a=number,=text", &list), SMR_ERR_PARAM,
                "'=text' is not a type rule");
    check_ctx_end(ctx);
}

static void unknown_kinds_are_answered_with_the_nearest(void **state)
{
    smr_ctx *ctx = check_ctx(1);
    smr_rule_list list;
    (void)state;
    check_fails(ctx, smr_rules_parse(ctx, "zip=categry", &list), SMR_ERR_PARAM,
                "column 'zip': 'categry' is not a type; did you mean 'category'? choose number, "
                "category, text, date or ignore");
    check_fails(ctx, smr_rules_parse(ctx, "zip=qqqqqq", &list), SMR_ERR_PARAM,
                "'qqqqqq' is not a type; choose number, category, text, date or ignore");
    check_fails(ctx, smr_rules_parse(ctx, "a=number,zip=", &list), SMR_ERR_PARAM,
                "'' is not a type");
    check_fails(ctx, smr_rules_parse(ctx, "zip=Number", &list), SMR_ERR_PARAM,
                "did you mean 'number'?");
    check_ctx_end(ctx);
}

static void formats_have_names(void **state)
{
    smr_ctx *ctx = check_ctx(1);
    static const struct {
        const char *name;
        smr_format format;
    } known[] = {
        {NULL, SMR_FORMAT_AUTO},       {"auto", SMR_FORMAT_AUTO},  {"csv", SMR_FORMAT_CSV},
        {"tsv", SMR_FORMAT_CSV},       {"arff", SMR_FORMAT_ARFF},  {"npy", SMR_FORMAT_NPY},
        {"libsvm", SMR_FORMAT_LIBSVM}, {"svm", SMR_FORMAT_LIBSVM}, {"idx", SMR_FORMAT_IDX}};
    smr_format format = SMR_FORMAT_IDX;
    (void)state;
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        check_ok(ctx, smr_format_by_name(ctx, known[i].name, &format));
        assert_int_equal(format, known[i].format);
    }
    check_fails(ctx, smr_format_by_name(ctx, "xlsx", &format), SMR_ERR_PARAM,
                "'xlsx' is not a format; choose csv, jsonl, libsvm, arff, npy, idx, sqlite, "
                "picture, cifar10, cifar100 or cifar100-coarse");
    check_fails(ctx, smr_format_by_name(ctx, "", &format), SMR_ERR_PARAM, "'' is not a format");
    check_ctx_end(ctx);
}

static smr_status attempt(smr_ctx *ctx, void *arg)
{
    smr_rule_list list;
    (void)arg;
    smr_status st = smr_rules_parse(ctx, "\"a,b\"=number,c=text", &list);
    smr_rules_release(&list);
    return st;
}

static void failing_allocations_leave_nothing(void **state)
{
    smr_ctx *ctx = check_ctx(1);
    (void)state;
    assert_int_equal(fail_each_allocation(ctx, attempt, NULL), 2);
    check_ctx_end(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_kind_has_its_word),
        cmocka_unit_test(nothing_gives_no_rules),
        cmocka_unit_test(quoted_names_hold_commas_and_the_last_equals_splits),
        cmocka_unit_test(what_is_no_rule_is_refused),
        cmocka_unit_test(unknown_kinds_are_answered_with_the_nearest),
        cmocka_unit_test(formats_have_names),
        cmocka_unit_test(failing_allocations_leave_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
