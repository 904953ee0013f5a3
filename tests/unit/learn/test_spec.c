/* test_spec.c -- the sentence: its grammar, its canonical form, and every complaint. */
#include "pipeline.h"

#include "learn/params.h"

/* The canonical sentence of `sentence`; in a buffer that the next call reuses. */
static const char *canonical(smr_ctx *ctx, const char *sentence)
{
    static char copy[1024];
    smr_stage *stages = NULL;
    int64_t n = 0;
    smr_text text = {.ctx = ctx};
    check_ok(ctx, smr_spec_parse(ctx, sentence, &stages, &n));
    smr_spec_write(stages, n, &text);
    snprintf(copy, sizeof copy, "%s", text.bytes);
    smr_text_release(&text);
    smr_stages_free(stages, n);
    return copy;
}

static void check_canonical(smr_ctx *ctx, const char *sentence, const char *wanted)
{
    char once[1024];
    snprintf(once, sizeof once, "%s", canonical(ctx, sentence));
    if (strcmp(once, wanted) != 0)
        fail_msg("\"%s\" is \"%s\", wanted \"%s\"", sentence, once, wanted);
    assert_string_equal(canonical(ctx, once), wanted); /* and reads back as itself */
}

static void check_refused(smr_ctx *ctx, const char *sentence, const char *part)
{
    smr_stage *stages = NULL;
    int64_t n = 5;
    smr_status st = smr_spec_parse(ctx, sentence, &stages, &n);
    if (st != SMR_ERR_PARAM || !strstr(smr_ctx_message(ctx), part))
        fail_msg("\"%s\": status %d, '%s'; wanted '%s'", sentence, (int)st, smr_ctx_message(ctx),
                 part);
    assert_null(stages);
    assert_int_equal(n, 0);
    smr_ctx_clear(ctx);
}

static void canonical_sentences_hold_every_default(void **state)
{
    smr_ctx *ctx = check_ctx(1);
    (void)state;
    check_canonical(ctx, "knn", "knn k=5 metric=euclidean weight=uniform algorithm=auto");
    check_canonical(ctx, "linear", "linear fit_intercept=yes solver=exact method=auto");
    check_canonical(ctx, "standardize|ridge",
                    "standardize center=yes scale=yes | ridge l2=1 path=0 fit_intercept=yes");
    check_canonical(ctx, "columns|poly|onehot|impute",
                    "columns unseen=missing dates=days target=as_is | poly degree=2 "
                    "interactions=no | onehot max_levels=100 drop=none | impute number=mean "
                    "category=keep indicator=no");
    check_ctx_end(ctx);
}

static void a_primary_value_needs_no_key(void **state)
{
    smr_ctx *ctx = check_ctx(1);
    (void)state;
    check_canonical(ctx, "knn 3", canonical(ctx, "knn k=3"));
    check_canonical(ctx, "ridge 0.1,1,10", "ridge l2=0.1,1,10 path=0 fit_intercept=yes");
    check_canonical(ctx, "ridge fit_intercept=no 2", "ridge l2=2 path=0 fit_intercept=no");
    check_canonical(ctx, "impute median", "impute number=median category=keep indicator=no");
    check_ctx_end(ctx);
}

static void conditions_choose_what_is_written(void **state)
{
    smr_ctx *ctx = check_ctx(1);
    (void)state;
    check_canonical(ctx, "knn metric=minkowski",
                    "knn k=5 metric=minkowski p=3 weight=uniform algorithm=auto");
    check_canonical(ctx, "knn p=inf metric=minkowski", /* the order of keys does not matter */
                    "knn k=5 metric=minkowski p=inf weight=uniform algorithm=auto");
    check_canonical(ctx, "impute constant value=-7e-3",
                    "impute number=constant category=keep value=-0.007 indicator=no");
    check_refused(ctx, "knn p=2", "knn: p is read only with metric=minkowski");
    check_refused(ctx, "impute value=3", "impute: value is read only with number=constant");
    check_ctx_end(ctx);
}

static void blanks_stand_anywhere_between_words(void **state)
{
    smr_ctx *ctx = check_ctx(1);
    char wanted[256];
    (void)state;
    snprintf(wanted, sizeof wanted, "%s", canonical(ctx, "standardize | knn k=3 weight=distance"));
    check_canonical(ctx, "standardize|knn k=3 weight=distance", wanted);
    check_canonical(ctx, "  standardize  |\tknn\n3   weight = distance  ", wanted);
    check_canonical(ctx, "\r\nstandardize |knn weight =distance k= 3", wanted);
    check_ctx_end(ctx);
}

static void quotes_and_parentheses_hold_values(void **state)
{
    smr_ctx *ctx = check_ctx(1);
    (void)state;
    check_canonical(ctx, "knn '3'", canonical(ctx, "knn 3"));
    check_canonical(ctx, "knn k=\"3\"", canonical(ctx, "knn 3"));
    check_canonical(ctx, "knn k=(3)", canonical(ctx, "knn 3"));
    check_canonical(ctx, "knn weight='distance' 3", canonical(ctx, "knn 3 weight=distance"));
    check_canonical(ctx, "ridge '0.1',(1),\"10\"", canonical(ctx, "ridge 0.1,1,10"));
    check_canonical(ctx, "ridge (0.1,1)", canonical(ctx, "ridge 0.1,1"));
    check_canonical(ctx, "ridge ( 2 )", canonical(ctx, "ridge 2"));
    check_refused(ctx, "knn k='3", "at character 7: this quote is never closed");
    check_refused(ctx, "knn \"3'", "at character 5: this quote is never closed");
    check_refused(ctx, "knn k=(3", "at character 7: this parenthesis is never closed");
    check_refused(ctx, "knn k=((3)", "this parenthesis is never closed");
    check_refused(ctx, "knn k=(')')x", "k = ')'"); /* the quoted one does not close */
    check_refused(ctx, "knn k=((3))", "knn: k = (3) is not a number");
    check_ctx_end(ctx);
}

static void deep_nesting_is_refused(void **state)
{
    smr_ctx *ctx = check_ctx(1);
    char sentence[256] = "knn k=";
    (void)state;
    for (int i = 0; i < 33; i++) strcat(sentence, "(");
    for (int i = 0; i < 33; i++) strcat(sentence, ")");
    check_refused(ctx, sentence, "parentheses are nested too deeply");
    check_ctx_end(ctx);
}

static void numbers_have_signs_exponents_and_inf(void **state)
{
    smr_ctx *ctx = check_ctx(1);
    (void)state;
    check_canonical(ctx, "ridge +1e-3", canonical(ctx, "ridge 0.001"));
    check_canonical(ctx, "ridge 1E+2", canonical(ctx, "ridge 100"));
    check_canonical(ctx, "ridge .5", canonical(ctx, "ridge 0.5"));
    check_refused(ctx, "ridge -1", "ridge: l2 = -1 is outside [0, inf)");
    check_refused(ctx, "ridge inf", "ridge: l2 = inf is outside [0, inf)");
    check_refused(ctx, "ridge nan", "ridge: l2 = nan");
    check_refused(ctx, "ridge 1,-1", "ridge: l2 = 1,-1 is outside [0, inf)");
    check_refused(ctx, "ridge 1,", "at character 9: a value is missing");
    check_refused(ctx, "ridge ,1", "at character 7: a value is missing");
    check_refused(ctx, "ridge 1 ,2", "a value is missing");
    check_refused(ctx, "ridge 1 2", "ridge: l2 is given twice");
    check_refused(ctx, "knn 1.5", "knn: k = 1.5 is not a whole number in [1, 2147483647]");
    check_ctx_end(ctx);
}

static void names_from_elsewhere_are_answered_with_ours(void **state)
{
    smr_ctx *ctx = check_ctx(1);
    (void)state;
    check_refused(ctx, "logreg", "there is no learner 'logreg'; did you mean 'logistic'?");
    check_refused(ctx, "tfidf | ridge", "there is no learner 'tfidf'; did you mean 'words'?");
    check_refused(ctx, "logistic C=2",
                  "logistic has no parameter 'C'; did you mean 'l2' (l2 = 1 / C)?");
    check_refused(ctx, "ridge alpha=2", "ridge has no parameter 'alpha'; did you mean 'l2'?");
    check_refused(ctx, "lasso alpha=2", "lasso has no parameter 'alpha'; did you mean 'l1'?");
    check_refused(ctx, "elastic alpha=2", /* it has both: the one that needs no name */
                  "elastic has no parameter 'alpha'; did you mean 'l1'?");
    check_refused(ctx, "sgd eta0=2", "sgd has no parameter 'eta0'; did you mean 'rate'?");
    check_refused(ctx, "sgd eta=2", "sgd has no parameter 'eta'; did you mean 'rate'?");
    check_refused(ctx, "knn alpha=2", "knn has no parameter 'alpha'; 'samara help knn' shows");
    check_ctx_end(ctx);
}

static void unknown_names_are_answered_with_the_nearest(void **state)
{
    smr_ctx *ctx = check_ctx(1);
    (void)state;
    check_refused(ctx, "kn 5", "there is no learner 'kn'; did you mean 'knn'?");
    check_refused(ctx, "standardise | knn", "did you mean 'standardize'?");
    check_refused(ctx, "qqqqqqqqq",
                  "there is no learner 'qqqqqqqqq'; 'samara list' names them all");
    check_refused(ctx, "knn wieght=distance",
                  "knn has no parameter 'wieght'; did you mean 'weight'?");
    check_refused(ctx, "knn zzzzzz=1",
                  "knn has no parameter 'zzzzzz'; 'samara help knn' shows those it has");
    check_refused(ctx, "knn weight=distanse",
                  "knn: weight = distanse is none of uniform or distance");
    check_refused(ctx, "linear 5", "linear takes no value without a name, but '5' was given");
    check_refused(ctx, "poly interactions=perhaps", "is not yes or no");
    check_ctx_end(ctx);
}

static void the_shape_of_a_sentence_is_checked(void **state)
{
    smr_ctx *ctx = check_ctx(1);
    (void)state;
    check_refused(ctx, "", "the model's sentence is empty; try \"knn 5\"");
    check_refused(ctx, " \t\n", "the model's sentence is empty");
    check_refused(ctx, "|knn", "at character 1: the name of a learner is missing");
    check_refused(ctx, "knn|", "at character 5: the name of a learner is missing");
    check_refused(ctx, "standardize || knn", "the name of a learner is missing");
    check_refused(ctx, "5 knn", "the name of a learner is missing");
    check_refused(ctx, "knn k=", "at character 7: a value is missing");
    check_refused(ctx, "knn k=|linear", "a value is missing");
    check_refused(ctx, "knn =5", "a value is missing");
    check_refused(ctx, "knn 5 )", "at character 7: a value is missing");
    check_refused(ctx, "knn k=5 k=5", "knn: k is given twice");
    check_refused(ctx, "knn \xc3\xa9", "in \"knn \xc3\xa9\" at character 5: a value is missing");
    check_ctx_end(ctx);
}

static void learners_end_a_sentence_and_columns_begin_it(void **state)
{
    smr_ctx *ctx = check_ctx(1);
    (void)state;
    check_refused(ctx, "knn | linear",
                  "knn is a learner and can only stand at the end of the sentence, not before "
                  "linear");
    check_refused(ctx, "ridge | standardize", "ridge is a learner");
    check_refused(ctx, "standardize | columns | knn", "columns can only be the first stage");
    check_refused(ctx, "columns | columns | knn", "columns can only be the first stage");
    check_refused(ctx, "columns", "the sentence has no stage behind columns");
    check_ctx_end(ctx);
}

static void rules_between_parameters_hold(void **state)
{
    smr_ctx *ctx = check_ctx(1);
    (void)state;
    check_refused(ctx, "ridge 1,2 path=5", "use one or the other");
    check_canonical(ctx, "ridge path=5", "ridge l2=1 path=5 fit_intercept=yes");
    check_ctx_end(ctx);
}

static void a_sentence_has_at_most_64_stages(void **state)
{
    smr_ctx *ctx = check_ctx(1);
    char sentence[65 * 14 + 16] = "poly";
    smr_stage *stages = NULL;
    int64_t n = 0;
    (void)state;
    for (int i = 1; i < 64; i++) strcat(sentence, "|poly");
    check_ok(ctx, smr_spec_parse(ctx, sentence, &stages, &n));
    assert_int_equal(n, 64);
    smr_stages_free(stages, n);
    strcat(sentence, "|poly");
    check_refused(ctx, sentence, "a model has at most 64 stages");
    check_ctx_end(ctx);
}

static void a_long_sentence_is_cut_in_the_message(void **state)
{
    smr_ctx *ctx = check_ctx(1);
    char sentence[2048];
    (void)state;
    memset(sentence, ' ', sizeof sentence);
    memcpy(sentence, "knn", 3);
    strcpy(sentence + 2000, "k=(");
    check_refused(ctx, sentence, "at character 2003: this parenthesis is never closed");
    check_ctx_end(ctx);
}

static smr_status parse_and_write(smr_ctx *ctx, void *sentence)
{
    smr_stage *stages = NULL;
    int64_t n = 0;
    smr_text text = {.ctx = ctx};
    smr_status st = smr_spec_parse(ctx, sentence, &stages, &n);
    if (st == SMR_OK) smr_spec_write(stages, n, &text);
    if (st == SMR_OK) st = smr_text_done(&text);
    smr_text_release(&text);
    smr_stages_free(stages, n);
    return st;
}

static void failing_allocations_leave_nothing(void **state)
{
    smr_ctx *ctx = check_ctx(1);
    (void)state;
    assert_true(fail_each_allocation(ctx, parse_and_write,
                                     (char[]){"columns | poly 2 | ridge '0.1',(1)"}) > 6);
    check_ctx_end(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(canonical_sentences_hold_every_default),
        cmocka_unit_test(a_primary_value_needs_no_key),
        cmocka_unit_test(conditions_choose_what_is_written),
        cmocka_unit_test(blanks_stand_anywhere_between_words),
        cmocka_unit_test(quotes_and_parentheses_hold_values),
        cmocka_unit_test(deep_nesting_is_refused),
        cmocka_unit_test(numbers_have_signs_exponents_and_inf),
        cmocka_unit_test(names_from_elsewhere_are_answered_with_ours),
        cmocka_unit_test(unknown_names_are_answered_with_the_nearest),
        cmocka_unit_test(the_shape_of_a_sentence_is_checked),
        cmocka_unit_test(learners_end_a_sentence_and_columns_begin_it),
        cmocka_unit_test(rules_between_parameters_hold),
        cmocka_unit_test(a_sentence_has_at_most_64_stages),
        cmocka_unit_test(a_long_sentence_is_cut_in_the_message),
        cmocka_unit_test(failing_allocations_leave_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
