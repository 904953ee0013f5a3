/* test_spec.c -- the sentence: its grammar, its canonical form, and every complaint. */
#include "pipeline.h"

#include "core/params.h"

/* The canonical sentence of `sentence`; in a buffer that the next call reuses. */
static const char *canonical(smr_ctx *ctx, const char *sentence)
{
    static char copy[1024];
    char *text = NULL;
    smr_spec *spec = parsed(ctx, sentence);
    check_ok(ctx, smr_spec_text(ctx, spec, &text));
    snprintf(copy, sizeof copy, "%s", text);
    smr_free(text);
    smr_spec_free(spec);
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
    smr_spec *spec = (smr_spec *)(void *)&spec;
    smr_status st = smr_spec_parse(ctx, sentence, &spec);
    if (st != SMR_ERR_PARAM || !strstr(smr_ctx_message(ctx), part))
        fail_msg("\"%s\": status %d, '%s'; wanted '%s'", sentence, (int)st, smr_ctx_message(ctx),
                 part);
    assert_null(spec);
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
    check_refused(ctx, "knn p=2", "knn: p is used only with metric=minkowski");
    check_refused(ctx, "impute value=3", "impute: value is used only with number=constant");
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
                  "knn is a learner and can only be at the end of the sentence, not before "
                  "linear");
    check_refused(ctx, "ridge | standardize", "ridge is a learner");
    check_refused(ctx, "standardize | columns | knn", "columns can only be the first stage");
    check_refused(ctx, "columns | columns | knn", "columns can only be the first stage");
    check_refused(ctx, "columns", "the sentence has no stage after columns");
    check_ctx_end(ctx);
}

static void rules_between_parameters_hold(void **state)
{
    smr_ctx *ctx = check_ctx(1);
    (void)state;
    check_refused(ctx, "lasso 1,2 path=5", "use one or the other");
    check_refused(ctx, "huber epsilon=1", "it must be more than 1");
    check_ctx_end(ctx);
}

/* No default means "not given": what is left out by one parameter may not be given with it,
 * whatever its value. */
static void two_ways_to_say_the_same_exclude_each_other(void **state)
{
    static const char tail[] = " kernel=linear loss=hinge margin=soft multi=auto solver=auto "
                               "nu=0 epsilon=0.1 proba=no fit_intercept=yes class_weight=none "
                               "tol=0 max_iter=1000";
    smr_ctx *ctx = check_ctx(1);
    char wanted[256];
    (void)state;
    snprintf(wanted, sizeof wanted, "svm C=1 l2=0%s", tail);
    check_canonical(ctx, "svm", wanted);
    check_canonical(ctx, "svm l2=none", wanted);
    check_canonical(ctx, "svm C=1 l2=0", wanted);
    snprintf(wanted, sizeof wanted, "svm l2=5%s", tail);
    check_canonical(ctx, "svm l2=5", wanted);
    check_refused(ctx, "svm C=1 l2=5", "svm: C and l2 are both given; give one of them");
    check_refused(ctx, "svm 0.2 l2=5", "svm: C and l2 are both given; give one of them");
    check_refused(ctx, "svm l2=5 margin=hard", "svm: l2 is used only with margin=soft");
    check_refused(ctx, "svm 1 margin=hard", "svm: C is used only with margin=soft");
    check_refused(ctx, "svm l2=-1", "svm: l2 = -1 is outside (0, inf]");

    check_refused(ctx, "ridge 1 path=5", "ridge: l2 and path are both given; give one of them");
    check_refused(ctx, "ridge 1,2 path=5", "ridge: l2 and path are both given");
    check_canonical(ctx, "ridge path=5", "ridge path=5 fit_intercept=yes");
    check_canonical(ctx, "ridge 1 path=none", "ridge l2=1 path=0 fit_intercept=yes");
    check_refused(ctx, "elastic l2=3 mix=0.5", "elastic: mix and l2 are both given");
    check_refused(ctx, "experts k=2 of=(knn),(tree),(ridge)",
                  "experts: k is not used when of has 3 members; leave k out");
    check_refused(ctx, "experts l2=1 of=(knn)", "experts: l2 and of are both given");
    assert_ptr_equal(strstr(canonical(ctx, "experts of=(knn),(tree)"), "experts gate_l2"),
                     canonical(ctx, "experts of=(knn),(tree)"));
    assert_non_null(strstr(canonical(ctx, "experts of=(knn 3)"), "experts k=2 gate_l2"));
    check_refused(ctx, "bag columns=1 parts=3", "bag: columns and parts are both given");
    check_refused(ctx, "subspace 0.5 parts=3", "subspace: share and parts are both given");
    check_ctx_end(ctx);
}

/* Model files of earlier versions hold values that their other parameters kept from being read. */
static void saved_sentences_may_hold_what_is_not_read(void **state)
{
    static const char *const saved[][2] = {
        {"svm C=1 l2=5", "svm l2=5"},
        {"svm C=1 l2=0 margin=hard", "svm margin=hard"},
        {"ridge l2=1 path=20", "ridge path=20"},
        {"ova of=(svm C=1 l2=5)", "ova of=(svm l2=5)"},
        {"experts k=2 l2=1 of=(knn),(tree),(ridge)", "experts of=(knn),(tree),(ridge)"},
    };
    smr_ctx *ctx = check_ctx(1);
    (void)state;
    for (int64_t i = 0; i < SMR_COUNT(saved); i++) {
        smr_spec *spec = NULL;
        char *text = NULL;
        check_ok(ctx, smr_spec_parse_saved(ctx, saved[i][0], &spec));
        check_ok(ctx, smr_spec_text(ctx, spec, &text));
        assert_string_equal(text, canonical(ctx, saved[i][1]));
        smr_free(text);
        smr_spec_free(spec);
        assert_int_equal(smr_spec_parse(ctx, saved[i][0], &spec), SMR_ERR_PARAM);
        smr_ctx_clear(ctx);
    }
    check_ctx_end(ctx);
}

/* The head is not a step: steps are counted without it, and it has the defaults where it is not
 * written. */
static void the_head_is_not_among_the_steps(void **state)
{
    smr_ctx *ctx = check_ctx(1);
    smr_spec *a = parsed(ctx, "columns unseen=error | standardize | knn 3");
    smr_spec *b = parsed(ctx, "standardize | knn 3");
    (void)state;
    assert_int_equal(a->n, 2);
    assert_true(a->head.written && a->head.columns.unseen == SMR_UNSEEN_ERROR);
    assert_string_equal(a->steps[0].learner->word->name, "standardize");
    assert_int_equal(b->n, 2);
    assert_true(!b->head.written && b->head.columns.unseen == SMR_UNSEEN_MISSING);
    check_refused(ctx, "column | knn", "did you mean 'columns'?");
    check_refused(ctx, "columns unsen=error | knn", "columns has no parameter 'unsen'");
    smr_spec_free(a);
    smr_spec_free(b);
    check_ctx_end(ctx);
}

/* Members are asked as well. */
static void a_sentence_is_asked_what_it_takes_and_keeps(void **state)
{
    smr_ctx *ctx = check_ctx(1);
    smr_spec *keeps = parsed(ctx, "standardize | vote of=(tree),(standardize | knn)");
    smr_spec *not = parsed(ctx, "words knn | vote of=(tree),(standardize | logistic)");
    (void)state;
    assert_true(smr_spec_has_trait(keeps, SMR_KEEPS_DATA));
    assert_false(smr_spec_has_trait(not, SMR_KEEPS_DATA)); /* a column that is called knn */
    assert_true(smr_spec_takes(keeps, SMR_TAKES_WEIGHTS));
    smr_spec_free(keeps);
    smr_spec_free(not );
    check_ctx_end(ctx);
}

static void a_sentence_has_at_most_64_stages(void **state)
{
    smr_ctx *ctx = check_ctx(1);
    char sentence[65 * 14 + 16] = "poly";
    (void)state;
    for (int i = 1; i < 64; i++) strcat(sentence, "|poly");
    smr_spec *spec = parsed(ctx, sentence);
    assert_int_equal(spec->n, 64);
    smr_spec_free(spec);
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
    smr_spec *spec = NULL, *copy = NULL;
    char *text = NULL;
    smr_status st = smr_spec_parse(ctx, sentence, &spec);
    if (st == SMR_OK) st = smr_spec_copy(ctx, spec, &copy);
    if (st == SMR_OK) st = smr_spec_text(ctx, copy, &text);
    smr_free(text);
    smr_spec_free(spec);
    smr_spec_free(copy);
    return st;
}

static void failing_allocations_leave_nothing(void **state)
{
    smr_ctx *ctx = check_ctx(1);
    (void)state;
    assert_true(fail_each_allocation(ctx, parse_and_write,
                                     (char[]){"columns | words a | bag of=(ridge '0.1',(1))"}) >
                12);
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
        cmocka_unit_test(two_ways_to_say_the_same_exclude_each_other),
        cmocka_unit_test(saved_sentences_may_hold_what_is_not_read),
        cmocka_unit_test(the_head_is_not_among_the_steps),
        cmocka_unit_test(a_sentence_is_asked_what_it_takes_and_keeps),
        cmocka_unit_test(a_sentence_has_at_most_64_stages),
        cmocka_unit_test(a_long_sentence_is_cut_in_the_message),
        cmocka_unit_test(failing_allocations_leave_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
