/* Parameters of a sentence by their addresses: found, read and set. */
#include "check.h"

#include "learn/address.h"
#include "said.h"
#include "sums.h"

/* The addresses of a sentence. */
static smr_status list_of(smr_ctx *ctx, const char *sentence, smr_addresses *out)
{
    SAID(smr_addresses_of(ctx, spec, out));
}

/* The sentence with the values set. */
static smr_status set_in(smr_ctx *ctx, const char *sentence, int64_t n,
                         const smr_address *const *addresses, const char *const *values,
                         smr_text *out)
{
    smr_spec *spec = NULL, *changed = NULL;
    smr_status st = smr_spec_parse(ctx, sentence, &spec);
    if (st == SMR_OK) st = smr_address_set(ctx, spec, n, addresses, values, &changed);
    if (st == SMR_OK) smr_spec_write(changed, out);
    if (st == SMR_OK) st = smr_text_done(out);
    smr_spec_free(spec);
    smr_spec_free(changed);
    return st;
}

static smr_status get_from(smr_ctx *ctx, const char *sentence, const smr_address *address,
                           bool *is_read, smr_text *value)
{
    SAID(smr_address_get(ctx, spec, address, is_read, value));
}

static const char chain[] = "poly 2 | standardize | poly 3 interactions=yes | knn 7";

/* The full address that `text` means. */
static void check_found(const char *sentence, const char *text, const char *full)
{
    smr_ctx *ctx = check_ctx(1);
    smr_addresses list = {0};
    const smr_address *found = NULL;
    check_ok(ctx, list_of(ctx, sentence, &list));
    check_ok(ctx, smr_address_find(ctx, &list, text, &found));
    assert_string_equal(found->text, full);
    smr_addresses_release(&list);
    check_ctx_end(ctx);
}

static void check_not_found(const char *sentence, const char *text, const char *part)
{
    smr_ctx *ctx = check_ctx(1);
    smr_addresses list = {0};
    const smr_address *found = NULL;
    check_ok(ctx, list_of(ctx, sentence, &list));
    check_fails(ctx, smr_address_find(ctx, &list, text, &found), SMR_ERR_PARAM, part);
    assert_null(found);
    smr_addresses_release(&list);
    check_ctx_end(ctx);
}

static void a_name_that_one_stage_has_is_enough(void **state)
{
    (void)state;
    check_found("standardize | knn 3", "k", "knn.k");
    check_found("standardize | knn 3", "knn.k", "knn.k");
    check_found("standardize | knn 3", "center", "standardize.center");
    check_found(chain, "scale", "standardize.scale");
}

/* Sentences inside sentences: by the parameter that holds them, by number, or by the learner. */
static void members_have_addresses(void **state)
{
    static const char nested[] = "conformal 0.8 of=(calibrate of=(standardize | knn 5))";
    smr_ctx *ctx = check_ctx(1);
    smr_addresses list = {0};
    const smr_address *found[2] = {NULL};
    smr_text out = {.ctx = ctx};
    (void)state;
    check_found(nested, "k", "conformal.of.0.calibrate.of.0.knn.k");
    check_found(nested, "of.0.of.0.k", "conformal.of.0.calibrate.of.0.knn.k");
    check_found(nested, "calibrate.of", "conformal.of.0.calibrate.of");
    check_found(nested, "folds", "conformal.of.0.calibrate.folds");
    check_not_found(nested, "of", "say which: conformal.of, conformal.of.0.calibrate.of");
    check_ok(ctx, list_of(ctx, nested, &list));
    check_ok(ctx, smr_address_find(ctx, &list, "k", &found[0]));
    check_ok(ctx, smr_address_find(ctx, &list, "coverage", &found[1]));
    const char *const values[] = {"9", "0.5"};
    check_ok(ctx, set_in(ctx, nested, 2, found, values, &out));
    assert_non_null(strstr(out.bytes, "conformal coverage=0.5"));
    assert_non_null(strstr(out.bytes, "| knn k=9 "));
    smr_text_release(&out);
    smr_addresses_release(&list);
    check_ctx_end(ctx);
}

/* The first stage is 1, because columns is 0, written or not. */
static void positions_count_from_one_behind_columns(void **state)
{
    (void)state;
    check_found("standardize | knn 3", "2.k", "knn.k");
    check_found("columns | standardize | knn 3", "2.k", "knn.k");
    check_found("columns | standardize | knn 3", "0.unseen", "columns.unseen");
    check_not_found("standardize | knn 3", "1.k", "'knn.k'");
    check_not_found("standardize | knn 3", "3.k", "no parameter '3.k'");
}

static void a_stage_that_occurs_twice_goes_by_its_position(void **state)
{
    (void)state;
    check_found(chain, "1.degree", "1.degree");
    check_found(chain, "3.degree", "3.degree");
    check_not_found(chain, "degree", "say which: 1.degree, 3.degree");
    check_not_found(chain, "poly.degree", "say which: 1.degree, 3.degree");
}

/* The steps of a nested sentence may be left out, as long as only one parameter is meant. */
static void members_are_reached_through_their_parameter(void **state)
{
    static const char nested[] = "standardize | calibrate of=(poly 2 | poly 3 | knn 4)";
    static const char deep[] = "calibrate of=(calibrate of=(knn 7))";
    (void)state;
    check_found(nested, "k", "calibrate.of.0.knn.k");
    check_found(nested, "of.k", "calibrate.of.0.knn.k");
    check_found(nested, "of.0.k", "calibrate.of.0.knn.k");
    check_found(nested, "of.knn.k", "calibrate.of.0.knn.k");
    check_found(nested, "2.of.k", "calibrate.of.0.knn.k");
    check_found(nested, "calibrate.k", "calibrate.of.0.knn.k");
    check_found(nested, "of.0.1.degree", "calibrate.of.0.1.degree");
    check_found(nested, "of", "calibrate.of");
    check_not_found(nested, "of.degree", "calibrate.of.0.1.degree, calibrate.of.0.2.degree");
    check_not_found(nested, "of.1.k", "no parameter 'of.1.k'");
    check_not_found(nested, "0.k", "no parameter '0.k'");
    check_found(deep, "of.of.k", "calibrate.of.0.calibrate.of.0.knn.k");
    check_found(deep, "k", "calibrate.of.0.calibrate.of.0.knn.k");
    check_found(deep, "calibrate.of.0.calibrate.method", "calibrate.of.0.calibrate.method");
    check_found(deep, "calibrate.method", "calibrate.method"); /* in full: it wins */
    check_not_found(deep, "method", "calibrate.method, calibrate.of.0.calibrate.method");
}

static void a_wrong_name_is_answered_with_the_nearest(void **state)
{
    (void)state;
    check_not_found("standardize | knn", "metrik", "did you mean 'metric'?");
    check_not_found("standardize | knn", "knn.wieght", "did you mean 'knn.weight'?");
    check_not_found("standardize | knn", "ridge.weight", "did you mean 'knn.weight'?");
    check_not_found("standardize | knn", "qqqqqqqq", "no parameter 'qqqqqqqq'; 'samara help");
    check_not_found("standardize | knn", "", "no parameter ''");
    check_not_found("standardize | knn", "k.", "no parameter");
    check_not_found("standardize | knn", ".k", "no parameter");
    check_not_found("standardize | knn", "knn.k.k", "no parameter");
}

/* Sets texts "address=value" and compares the sentence that comes back. */
static void check_set(const char *sentence, const char *const *settings, const char *wanted)
{
    smr_ctx *ctx = check_ctx(1);
    smr_addresses list = {0};
    smr_text out = {.ctx = ctx};
    const smr_address *address[8];
    const char *value[8];
    char name[8][64];
    int64_t n = 0;
    check_ok(ctx, list_of(ctx, sentence, &list));
    for (; settings[n]; n++) {
        size_t length = strcspn(settings[n], "=");
        memcpy(name[n], settings[n], length);
        name[n][length] = '\0';
        value[n] = settings[n] + length + 1;
        check_ok(ctx, smr_address_find(ctx, &list, name[n], &address[n]));
    }
    check_ok(ctx, set_in(ctx, sentence, n, address, value, &out));
    assert_string_equal(out.bytes, wanted);
    smr_text_release(&out);
    smr_addresses_release(&list);
    check_ctx_end(ctx);
}

static void values_are_set_in_the_canonical_sentence(void **state)
{
    (void)state;
    check_set("ridge 3", (const char *[]){NULL}, "ridge l2=3 path=0 fit_intercept=yes");
    check_set("poly 2 | ridge 3", (const char *[]){"l2=0.25", "degree=4", NULL},
              "poly degree=4 interactions=no | ridge l2=0.25 path=0 fit_intercept=yes");
    check_set("poly | poly | ridge", (const char *[]){"2.degree=5", "fit_intercept=no", NULL},
              "poly degree=2 interactions=no | poly degree=5 interactions=no | "
              "ridge l2=1 path=0 fit_intercept=no");
    check_set("ridge", (const char *[]){"l2=0.1,1,10", NULL},
              "ridge l2=0.1,1,10 path=0 fit_intercept=yes");
    check_set("calibrate of=(poly 2 | knn 3)",
              (const char *[]){"of.k=7", "folds=3", "degree=1", "weight=distance", NULL},
              "calibrate method=platt folds=3 of=(poly degree=1 interactions=no | "
              "knn k=7 metric=euclidean weight=distance algorithm=auto)");
    check_set("calibrate of=(knn 3)",
              (const char *[]){"of.k=7", "of=(knn 4 weight=distance)", NULL},
              "calibrate method=platt folds=5 of=(knn k=7 metric=euclidean weight=distance "
              "algorithm=auto)");
}

/* p is written first, and read because of what is written after it; without, it leaves no trace. */
static void all_values_are_set_before_any_is_judged(void **state)
{
    (void)state;
    check_set("knn", (const char *[]){"p=4", "metric=minkowski", NULL},
              "knn k=5 metric=minkowski p=4 weight=uniform algorithm=auto");
    check_set("knn", (const char *[]){"p=4", NULL},
              "knn k=5 metric=euclidean weight=uniform algorithm=auto");
    check_set("knn metric=minkowski p=7", (const char *[]){"metric=cosine", NULL},
              "knn k=5 metric=cosine weight=uniform algorithm=auto");
    check_set("ridge path=5", (const char *[]){"l2=1,2", "path=0", NULL},
              "ridge l2=1,2 path=0 fit_intercept=yes");
    check_set("ridge 3", (const char *[]){"path=5", NULL}, "ridge path=5 fit_intercept=yes");
}

static void check_value(const char *sentence, const char *text, const char *wanted)
{
    smr_ctx *ctx = check_ctx(1);
    smr_addresses list = {0};
    smr_text value = {.ctx = ctx};
    const smr_address *found = NULL;
    bool is_read = false;
    check_ok(ctx, list_of(ctx, sentence, &list));
    check_ok(ctx, smr_address_find(ctx, &list, text, &found));
    check_ok(ctx, get_from(ctx, sentence, found, &is_read, &value));
    assert_int_equal(is_read, wanted != NULL);
    if (wanted) assert_string_equal(value.bytes, wanted);
    if (!wanted) assert_int_equal(value.length, 0);
    smr_text_release(&value);
    smr_addresses_release(&list);
    check_ctx_end(ctx);
}

static void values_are_read_where_they_count(void **state)
{
    (void)state;
    check_value(chain, "3.degree", "3");
    check_value(chain, "1.interactions", "no");
    check_value(chain, "3.interactions", "yes");
    check_value("knn metric=minkowski p=2.5", "p", "2.5");
    check_value("knn", "p", NULL);
    check_value("calibrate of=(standardize | knn 9)", "of.k", "9");
    check_value("calibrate of=(standardize | knn 9)", "of.p", NULL);
    check_value("ridge 0.1,1,10", "l2", "0.1,1,10");
}

/* "none" unsets a value, and what it kept from being read is read again. */
static void values_are_set_back_to_unset(void **state)
{
    (void)state;
    check_set("ridge path=5", (const char *[]){"path=none", NULL},
              "ridge l2=1 path=0 fit_intercept=yes");
    check_set("lasso 2", (const char *[]){"l1=none", "path=7", NULL},
              "lasso path=7 ratio=0.001 folds=5 one_se=no fit_intercept=yes max_iter=10000 "
              "tol=1e-8");
    check_value("ridge path=5", "path", "5");
    check_value("ridge", "path", "0");
    check_value("ridge path=5", "l2", NULL);
    check_value("lasso", "l1", "none");
    check_value("lasso 2", "l1", "2");
}

/* What the members are read from is replaced by sentences of another length. */
static void members_are_found_by_their_place(void **state)
{
    (void)state;
    check_set("vote of=(knn 3),(knn 4)",
              (const char *[]){"of.1.k=9", "of=(standardize | poly 2 | knn 5),(knn 6)", NULL},
              "vote combine=auto weigh=given of=(standardize center=yes scale=yes | "
              "poly degree=2 interactions=no | knn k=5 metric=euclidean weight=uniform "
              "algorithm=auto),(knn k=9 metric=euclidean weight=uniform algorithm=auto)");
}

/* Any grammar's words are reached, here those of a learner that only this test knows. */
static void words_inside_any_phrase_have_addresses(void **state)
{
    static const smr_learner made = {.word = &made_word, .tasks = SMR_DOES_REGRESS};
    smr_ctx *ctx = check_ctx(1);
    smr_step step = {.learner = &made};
    smr_spec spec = {.steps = &step, .n = 1}, *changed = NULL;
    smr_addresses list = {0};
    const smr_address *at[2];
    static const char *const values[] = {"9", "1+5"};
    smr_text text = {.ctx = ctx};
    bool is_read = false;
    (void)state;
    check_ok(ctx, smr_params_create(ctx, &made_word, &step.params));
    check_ok(ctx, smr_param_set(ctx, &made_word, step.params, &made_params[2], "2+3+4"));
    check_ok(ctx, smr_addresses_of(ctx, &spec, &list));
    check_ok(ctx, smr_address_find(ctx, &list, "must.0.2.by", &at[0]));
    assert_string_equal(at[0]->text, "made.must.0.2.by");
    check_ok(ctx, smr_address_get(ctx, &spec, at[0], &is_read, &text));
    assert_true(is_read);
    assert_string_equal(text.bytes, "3");
    check_ok(ctx, smr_address_find(ctx, &list, "sum", &at[1]));
    check_ok(ctx, smr_address_set(ctx, &spec, 2, at, values, &changed));
    text.length = 0;
    smr_spec_write(changed, &text);
    assert_string_equal(text.bytes, "made sum=1+5 must=2+9+4");
    smr_spec_free(changed);
    smr_text_release(&text);
    smr_addresses_release(&list);
    smr_params_free(&made_word, step.params);
    check_ctx_end(ctx);
}

static void a_stage_that_is_not_there_is_passed_over(void **state)
{
    smr_ctx *ctx = check_ctx(1);
    smr_addresses list = {0};
    smr_text out = {.ctx = ctx};
    const smr_address *k = NULL;
    const char *value = "9";
    bool is_read = true;
    (void)state;
    check_ok(ctx, list_of(ctx, "standardize | knn", &list));
    check_ok(ctx, smr_address_find(ctx, &list, "k", &k));
    check_ok(ctx, set_in(ctx, "standardize | ridge", 1, &k, &value, &out));
    assert_string_equal(out.bytes, "standardize center=yes scale=yes | "
                                   "ridge l2=1 path=0 fit_intercept=yes");
    check_ok(ctx, get_from(ctx, "ridge", k, &is_read, &out));
    assert_false(is_read);
    smr_text_release(&out);
    smr_addresses_release(&list);
    check_ctx_end(ctx);
}

static void bad_values_and_broken_rules_are_refused(void **state)
{
    smr_ctx *ctx = check_ctx(1);
    smr_addresses list = {0};
    smr_text out = {.ctx = ctx};
    const smr_address *both[2] = {NULL};
    (void)state;
    check_ok(ctx, list_of(ctx, "ridge", &list));
    check_ok(ctx, smr_address_find(ctx, &list, "l2", &both[0]));
    check_ok(ctx, smr_address_find(ctx, &list, "path", &both[1]));
    check_fails(ctx, set_in(ctx, "ridge", 1, both, (const char *[]){"-2"}, &out), SMR_ERR_PARAM,
                "ridge: l2 = -2 is outside [0, inf)");
    smr_addresses_release(&list);
    check_ok(ctx, list_of(ctx, "lasso", &list));
    check_ok(ctx, smr_address_find(ctx, &list, "l1", &both[0]));
    check_ok(ctx, smr_address_find(ctx, &list, "path", &both[1]));
    check_fails(ctx, set_in(ctx, "lasso", 2, both, (const char *[]){"1,2", "5"}, &out),
                SMR_ERR_PARAM, "lasso: path=5 and 2 values of l1 are given; use one or the other");
    smr_text_release(&out);
    smr_addresses_release(&list);
    check_ctx_end(ctx);
}

static void every_allocation_may_fail(void **state)
{
    smr_ctx *ctx = check_ctx(1);
    (void)state;
    for (int64_t n = 0;; n++) {
        smr_addresses list = {0};
        smr_text out = {.ctx = ctx};
        const smr_address *address = NULL;
        const char *value = "4";
        smr_memory_fail_at(ctx, n);
        smr_status st = list_of(ctx, chain, &list);
        if (st == SMR_OK) st = smr_address_find(ctx, &list, "3.degree", &address);
        if (st == SMR_OK) st = set_in(ctx, chain, 1, &address, &value, &out);
        smr_memory_fail_at(ctx, -1);
        smr_text_release(&out);
        smr_addresses_release(&list);
        assert_int_equal(smr_ctx_memory(ctx, NULL), 0);
        if (st == SMR_OK) break;
        assert_int_equal(st, SMR_ERR_NOMEM);
        smr_ctx_clear(ctx);
    }
    check_ctx_end(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(members_have_addresses),
        cmocka_unit_test(a_name_that_one_stage_has_is_enough),
        cmocka_unit_test(positions_count_from_one_behind_columns),
        cmocka_unit_test(a_stage_that_occurs_twice_goes_by_its_position),
        cmocka_unit_test(members_are_reached_through_their_parameter),
        cmocka_unit_test(a_wrong_name_is_answered_with_the_nearest),
        cmocka_unit_test(values_are_set_in_the_canonical_sentence),
        cmocka_unit_test(all_values_are_set_before_any_is_judged),
        cmocka_unit_test(values_are_read_where_they_count),
        cmocka_unit_test(values_are_set_back_to_unset),
        cmocka_unit_test(members_are_found_by_their_place),
        cmocka_unit_test(words_inside_any_phrase_have_addresses),
        cmocka_unit_test(a_stage_that_is_not_there_is_passed_over),
        cmocka_unit_test(bad_values_and_broken_rules_are_refused),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
