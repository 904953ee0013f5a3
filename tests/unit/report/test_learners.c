/* test_learners.c -- the registry as JSON and as help pages, from the descriptors' tables. */
#include "pipeline.h"

#include "core/params.h"
#include "learn/columns.h"
#include "learn/registry.h"
#include "report/learners.h"

static const smr_json *member_named(const smr_json *list, const char *name)
{
    for (const smr_json *v = list ? list->first : NULL; v; v = v->next)
        if (!strcmp(smr_json_get_string(v, "name", ""), name)) return v;
    fail_msg("nothing is named '%s'", name);
    return NULL;
}

static bool holds(const smr_json *list, const char *word)
{
    for (const smr_json *v = list ? list->first : NULL; v; v = v->next)
        if (v->type == SMR_JSON_STRING && !strcmp(v->string, word)) return true;
    return false;
}

static smr_json_doc *all_learners(smr_ctx *ctx)
{
    smr_json_doc *doc = NULL;
    check_ok(ctx, smr_json_create(ctx, &doc));
    check_ok(ctx, smr_report_learners(ctx, smr_json_root(doc)));
    check_ok(ctx, smr_json_done(doc));
    return doc;
}

static void every_learner_is_listed_with_all_its_rows(void **state)
{
    smr_ctx *ctx = check_ctx(1);
    smr_json_doc *doc = all_learners(ctx);
    const smr_json *list = smr_json_get(smr_json_root(doc), "learners"), *row = list->first;
    int64_t n = 0;
    const smr_learner *const *all = smr_registry(&n);
    (void)state;
    assert_int_equal(list->n, n);
    for (int64_t i = 0; i < n; i++, row = row->next) {
        assert_string_equal(smr_json_get_string(row, "name", ""), all[i]->word->name);
        assert_string_equal(smr_json_get_string(row, "objective", ""), all[i]->word->objective);
        assert_string_equal(smr_json_get_string(row, "example", ""), all[i]->word->example);
        assert_int_equal(smr_json_get(row, "params")->n, all[i]->word->n_params);
        assert_int_equal(smr_json_get(row, "state")->n, all[i]->fitted->n_state);
        assert_true(smr_json_get(row, "tasks")->n > 0);
        assert_true(smr_json_get(row, "gives")->n > 0);
    }
    smr_json_free(doc);
    check_ctx_end(ctx);
}

/* The head of a sentence has a page and an object of its own, beside the learners. */
static void the_head_is_told_beside_the_learners(void **state)
{
    smr_ctx *ctx = check_ctx(1);
    smr_json_doc *doc = all_learners(ctx);
    smr_text page = {.ctx = ctx};
    const smr_json *head = smr_json_get(smr_json_root(doc), "head");
    (void)state;
    assert_string_equal(smr_json_get_string(head, "name", ""), "columns");
    assert_int_equal(smr_json_get(head, "params")->n, smr_columns_word.n_params);
    assert_null(smr_json_get(head, "tasks"));
    check_ok(ctx, smr_report_word_help(&smr_columns_word, &page));
    assert_non_null(strstr(page.bytes, "columns - "));
    assert_non_null(strstr(page.bytes, "  unseen          missing or error, default missing"));
    assert_non_null(strstr(page.bytes, "\nExample\n"));
    smr_text_release(&page);
    smr_json_free(doc);
    check_ctx_end(ctx);
}

/* The lines of a page as one, with one blank for each break and indentation. */
static void join_lines(char *page)
{
    char *to = page;
    for (const char *from = page; *from; from++) {
        bool ends = *from == '\n';
        if (ends) from += strspn(from + 1, " ");
        *to++ = ends ? ' ' : *from;
    }
    *to = '\0';
}

/* What unset means, and what keeps a parameter from being read, in words. */
static void pages_tell_what_is_unset(void **state)
{
    static const struct {
        const char *learner, *part;
    } wanted[] = {
        {"svm", "l2              (0, inf], default unset (0); with margin=soft"},
        {"svm", "; without l2 and with margin=soft"},
        {"lasso", "l1              [0, inf), default unset; may be given without its name"},
        {"experts", "; with fewer than 2 of of"},
    };
    smr_ctx *ctx = check_ctx(1);
    (void)state;
    for (int64_t i = 0; i < SMR_COUNT(wanted); i++) {
        smr_text page = {.ctx = ctx};
        check_ok(ctx, smr_report_help(ctx, smr_registry_find(wanted[i].learner), &page));
        join_lines(page.bytes);
        if (!strstr(page.bytes, wanted[i].part)) fail_msg("%s: %s", wanted[i].part, page.bytes);
        smr_text_release(&page);
    }
    smr_json_doc *doc = all_learners(ctx);
    const smr_json *list = smr_json_get(smr_json_root(doc), "learners");
    const smr_json *l2 = member_named(smr_json_get(member_named(list, "svm"), "params"), "l2");
    assert_true(smr_json_get_bool(l2, "unset", false));
    assert_int_equal(smr_json_get(l2, "default")->type, SMR_JSON_NULL);
    smr_json_free(doc);
    check_ctx_end(ctx);
}

static void a_learner_tells_what_it_does_takes_and_gives(void **state)
{
    smr_ctx *ctx = check_ctx(1);
    smr_json_doc *doc = all_learners(ctx);
    const smr_json *list = smr_json_get(smr_json_root(doc), "learners");
    const smr_json *knn = member_named(list, "knn"), *linear = member_named(list, "linear");
    (void)state;
    assert_true(holds(smr_json_get(knn, "tasks"), "classify"));
    assert_true(holds(smr_json_get(knn, "tasks"), "regress"));
    assert_true(holds(smr_json_get(knn, "takes"), "bytes"));
    assert_true(holds(smr_json_get(knn, "gives"), "proba"));
    assert_true(holds(smr_json_get(linear, "tasks"), "regress"));
    assert_false(holds(smr_json_get(linear, "gives"), "proba"));
    assert_true(holds(smr_json_get(linear, "takes"), "sparse"));
    assert_false(holds(smr_json_get(linear, "takes"), "missing"));
    assert_true(holds(smr_json_get(linear, "takes"), "several targets"));
    smr_json_free(doc);
    check_ctx_end(ctx);
}

static void parameters_carry_type_default_range_and_condition(void **state)
{
    smr_ctx *ctx = check_ctx(1);
    smr_json_doc *doc = all_learners(ctx);
    const smr_json *list = smr_json_get(smr_json_root(doc), "learners");
    const smr_json *knn = smr_json_get(member_named(list, "knn"), "params");
    const smr_json *k = member_named(knn, "k"), *p = member_named(knn, "p");
    const smr_json *weight = member_named(knn, "weight");
    const smr_json *l2 = member_named(smr_json_get(member_named(list, "ridge"), "params"), "l2");
    const smr_json *bias =
        member_named(smr_json_get(member_named(list, "ridge"), "params"), "fit_intercept");
    (void)state;
    assert_string_equal(smr_json_get_string(k, "type", ""), "int");
    assert_true(smr_json_get_number(k, "default", 0) == 5);
    assert_true(smr_json_get_number(k, "min", 0) == 1);
    assert_true(smr_json_get_number(k, "max", 0) == SMR_MAX_DIM);
    assert_true(smr_json_get_bool(k, "primary", false));
    assert_string_equal(smr_json_get_string(k, "search", ""), "log");
    assert_string_equal(smr_json_get_string(p, "when", ""), "metric=minkowski");
    assert_null(smr_json_get(p, "primary"));
    assert_string_equal(smr_json_get_string(weight, "type", ""), "choice");
    assert_string_equal(smr_json_get_string(weight, "default", ""), "uniform");
    assert_int_equal(smr_json_get(weight, "choices")->n, 2);
    assert_null(smr_json_get(weight, "min"));
    assert_string_equal(smr_json_get_string(l2, "type", ""), "reals");
    assert_true(smr_json_get_bool(l2, "max_open", false));
    assert_string_equal(smr_json_get_string(bias, "type", ""), "bool");
    assert_true(smr_json_get_bool(bias, "default", false));
    smr_json_free(doc);
    check_ctx_end(ctx);
}

static void states_carry_their_shapes(void **state)
{
    smr_ctx *ctx = check_ctx(1);
    smr_json_doc *doc = all_learners(ctx);
    const smr_json *list = smr_json_get(smr_json_root(doc), "learners");
    const smr_json *kept = smr_json_get(member_named(list, "linear"), "state");
    const smr_json *shape = smr_json_get(member_named(kept, "coef"), "shape");
    (void)state;
    assert_int_equal(shape->n, 2);
    assert_string_equal(shape->first->string, "n_outputs");
    assert_string_equal(shape->last->string, "n_features");
    assert_int_equal(smr_json_get(member_named(kept, "rank"), "shape")->n, 0);
    smr_json_free(doc);
    check_ctx_end(ctx);
}

/* ---- help ------------------------------------------------------------------------------- */

static void check_page(const smr_learner *l, const char *page)
{
    static const char *const heads[] = {"\nExample\n  ", "\nReference\n  ", "\n  does      ",
                                        "\n  takes     ", "\n  gives     "};
    char line[256];
    for (size_t k = 0; k < sizeof heads / sizeof *heads; k++)
        if (!strstr(page, heads[k])) fail_msg("help of %s lacks '%s'", l->word->name, heads[k] + 1);
    for (int64_t i = 0; i < l->word->n_params; i++) {
        snprintf(line, sizeof line, "\n  %s ",
                 l->word->params[i].name); /* a blank after the name */
        if (!strstr(page, line))
            fail_msg("help of %s lacks the parameter '%s'", l->word->name, line + 3);
    }
    for (int64_t i = 0; i < l->fitted->n_state; i++) {
        snprintf(line, sizeof line, "\n  %s ", l->fitted->state[i].name);
        if (!strstr(page, line))
            fail_msg("help of %s lacks the state '%s'", l->word->name, line + 3);
    }
}

static void every_page_names_each_parameter_and_state(void **state)
{
    smr_ctx *ctx = check_ctx(1);
    int64_t n = 0;
    const smr_learner *const *all = smr_registry(&n);
    (void)state;
    for (int64_t i = 0; i < n; i++) {
        smr_text text = {.ctx = ctx};
        check_ok(ctx, smr_report_help(ctx, all[i], &text));
        check_page(all[i], text.bytes);
        smr_text_release(&text);
    }
    check_ctx_end(ctx);
}

static void a_page_tells_range_default_and_condition(void **state)
{
    smr_ctx *ctx = check_ctx(1);
    smr_text text = {.ctx = ctx};
    (void)state;
    check_ok(ctx, smr_report_help(ctx, smr_registry_find("knn"), &text));
    assert_non_null(strstr(text.bytes, "knn - k nearest neighbours\n\n"));
    assert_non_null(strstr(text.bytes, "  k               [1, 2147483647], default 5; may be given "
                                       "without its name\n"));
    assert_non_null(
        strstr(text.bytes, "  p               [1, inf], default 3; with metric=minkowski\n"));
    assert_non_null(strstr(text.bytes, "  weight          uniform or distance, default uniform; "
                                       "for classes or numbers\n"));
    assert_non_null(
        strstr(text.bytes, "                  uniform: all k neighbours count the same\n"));
    smr_text_release(&text);
    check_ctx_end(ctx);
}

static void prose_is_broken_between_words(void **state)
{
    smr_ctx *ctx = check_ctx(1);
    int64_t n = 0, column = 0;
    smr_text text = {.ctx = ctx};
    const smr_learner *const *all = smr_registry(&n);
    (void)state;
    smr_learner l = *all[0];
    smr_word word = *l.word;
    l.word = &word;
    word.brief = "one two three four five six seven eight nine ten eleven twelve thirteen fourteen "
                 "fifteen sixteen seventeen eighteen";
    check_ok(ctx, smr_report_help(ctx, &l, &text));
    const char *at = strstr(text.bytes, "  one two");
    assert_non_null(at);
    assert_non_null(strstr(at, "\n  fifteen sixteen seventeen eighteen\n"));
    for (; strncmp(at, "\n\n", 2) != 0; at++) {
        column = *at == '\n' ? 0 : column + 1;
        assert_true(column <= 88);
    }
    smr_text_release(&text);
    check_ctx_end(ctx);
}

static smr_status list_once(smr_ctx *ctx, void *arg)
{
    smr_json_doc *doc = NULL;
    smr_text text = {.ctx = ctx};
    (void)arg;
    smr_status st = smr_json_create(ctx, &doc);
    if (st != SMR_OK) return st;
    st = smr_report_learners(ctx, smr_json_root(doc));
    if (st == SMR_OK) st = smr_json_done(doc);
    if (st == SMR_OK) st = smr_report_help(ctx, smr_registry_find("ridge"), &text);
    smr_text_release(&text);
    smr_json_free(doc);
    return st;
}

static void failing_allocations_leave_nothing(void **state)
{
    smr_ctx *ctx = check_ctx(1);
    (void)state;
    assert_true(fail_each_allocation(ctx, list_once, NULL) > 8);
    check_ctx_end(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_learner_is_listed_with_all_its_rows),
        cmocka_unit_test(the_head_is_told_beside_the_learners),
        cmocka_unit_test(pages_tell_what_is_unset),
        cmocka_unit_test(a_learner_tells_what_it_does_takes_and_gives),
        cmocka_unit_test(parameters_carry_type_default_range_and_condition),
        cmocka_unit_test(states_carry_their_shapes),
        cmocka_unit_test(every_page_names_each_parameter_and_state),
        cmocka_unit_test(a_page_tells_range_default_and_condition),
        cmocka_unit_test(prose_is_broken_between_words),
        cmocka_unit_test(failing_allocations_leave_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
