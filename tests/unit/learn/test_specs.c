/* Sentences inside sentences: reading, canonical form, tasks, mistakes with the way to them. */
#include "pipeline.h"

#include "core/params.h"
#include "learn/spec.h"
#include "learn/specs.h"

/* A learner of several members, made for the test. */
struct many {
    smr_specs of, last;
    char *word;
};

static const smr_param table[] = {
    {SMR_FIELD(struct many, of), .grammar = &smr_sentences, .least = 1, .most = 3, .doc = "d"},
    {SMR_FIELD(struct many, last), .grammar = &smr_sentences, .least = 1, .most = 1,
     .def_text = "(ridge 2)", .member_tasks = SMR_DOES_REGRESS, .doc = "d"},
    {SMR_FIELD(struct many, word), .doc = "d"},
};

static const smr_word about = {
    .name = "stack",
    .params = table,
    .n_params = SMR_COUNT(table),
    .params_size = sizeof(struct many),
};

static const smr_learner stack = {
    .word = &about,
    .tasks = SMR_DOES_CLASSIFY | SMR_DOES_REGRESS,
};

static void canonical(smr_ctx *ctx, const char *sentence, char *out, size_t room)
{
    char *text = NULL;
    smr_spec *spec = parsed(ctx, sentence);
    check_ok(ctx, smr_spec_text(ctx, spec, &text));
    snprintf(out, room, "%s", text);
    smr_free(text);
    smr_spec_free(spec);
}

static void check_refused(smr_ctx *ctx, const char *sentence, const char *part)
{
    smr_spec *spec = NULL;
    check_fails(ctx, smr_spec_parse(ctx, sentence, &spec), SMR_ERR_PARAM, part);
    assert_null(spec);
}

static void nested_sentences_are_kept_in_full(void **state)
{
    smr_ctx *ctx = check_ctx(1);
    char a[1024], b[1024];
    (void)state;
    canonical(ctx, "calibrate of=(standardize|knn 3)", a, sizeof a);
    assert_string_equal(a, "calibrate method=platt folds=5 of=(standardize center=yes scale=yes | "
                           "knn k=3 metric=euclidean weight=uniform algorithm=auto)");
    canonical(ctx, a, b, sizeof b);
    assert_string_equal(a, b);
    canonical(ctx, "calibrate of=knn", a, sizeof a); /* a bare name */
    canonical(ctx, "calibrate of=(knn)", b, sizeof b);
    assert_string_equal(a, b);
    canonical(ctx, "conformal of=(calibrate isotonic of=(knn 9)) 0.8 score=adaptive", a, sizeof a);
    canonical(ctx, a, b, sizeof b);
    assert_string_equal(a, b);
    assert_non_null(strstr(a, "of=(calibrate method=isotonic folds=5 of=(knn k=9 "));
    check_ctx_end(ctx);
}

static void check_sentence(smr_ctx *ctx, const smr_spec *spec, const char *wanted)
{
    char *text = NULL;
    check_ok(ctx, smr_spec_text(ctx, spec, &text));
    assert_string_equal(text, wanted);
    smr_free(text);
}

static void lists_of_sentences_are_counted(void **state)
{
    smr_ctx *ctx = check_ctx(1);
    void *params = NULL;
    smr_text text = {.ctx = ctx};
    (void)state;
    check_ok(ctx, smr_params_create(ctx, &about, &params));
    struct many *p = params;
    assert_int_equal(p->of.n, 0);
    check_sentence(ctx, p->last.spec[0], "ridge l2=2 path=0 fit_intercept=yes");
    check_ok(ctx,
             smr_param_set(ctx, &about, p, &table[0], "(ridge 0.1,1,10), knn,(poly 2|linear)"));
    assert_int_equal(p->of.n, 3);
    check_sentence(ctx, p->of.spec[0], "ridge l2=0.1,1,10 path=0 fit_intercept=yes");
    assert_int_equal(smr_specs_tasks(&p->of), SMR_DOES_REGRESS); /* what all of them do */
    smr_param_write(&table[0], p, &text);
    assert_int_equal(
        strncmp(text.bytes, "(ridge l2=0.1,1,10 path=0 fit_intercept=yes),(knn k=5 ", 54), 0);
    check_fails(ctx, smr_param_set(ctx, &about, p, &table[0], "knn,knn,knn,knn"), SMR_ERR_PARAM,
                "stack: of takes at most 3 sentences");
    check_fails(ctx, smr_param_set(ctx, &about, p, &table[0], "(knn)x"), SMR_ERR_PARAM,
                "stack: of = (knn)x is not a list of sentences in parentheses, as in of=(knn 5)");
    assert_int_equal(p->of.n, 3); /* a failure leaves the old value */
    smr_text_release(&text);
    smr_params_free(&about, p);
    check_ctx_end(ctx);
}

/* The word alone does not know what its learner does: tasks are checked when a step is complete. */
static void members_do_what_their_parent_does(void **state)
{
    smr_ctx *ctx = check_ctx(1);
    void *params = NULL;
    (void)state;
    check_ok(ctx, smr_params_create(ctx, &about, &params));
    struct many *p = params;
    check_fails(ctx, smr_specs_check(ctx, &stack, p), SMR_ERR_PARAM,
                "stack: of is missing: it names the learners that stack is made of, as in of=(");
    check_fails(ctx, smr_params_check(ctx, &about, p, NULL), SMR_ERR_PARAM,
                "stack: of is missing; it takes sentences (...),(...)");
    check_ok(ctx, smr_param_set(ctx, &about, p, &table[0], "knn,ridge"));
    check_ok(ctx, smr_specs_check(ctx, &stack, p));
    check_ok(ctx, smr_param_set(ctx, &about, p, &table[0], "knn,(calibrate of=knn),ridge"));
    check_fails(ctx, smr_specs_check(ctx, &stack, p), SMR_ERR_PARAM,
                "the learners of of must share a task");
    check_ok(ctx, smr_param_set(ctx, &about, p, &table[0], "knn"));
    check_ok(ctx, smr_param_set(ctx, &about, p, &table[1], "(standardize|calibrate of=(knn))"));
    check_fails(ctx, smr_specs_check(ctx, &stack, p), SMR_ERR_PARAM,
                "stack last=(standardize | calibrate): calibrate can classify; a learner "
                "that can regress is needed here");
    smr_params_free(&about, p);
    check_ctx_end(ctx);
}

/* A copy shares nothing with the first. */
static void copies_live_by_themselves(void **state)
{
    smr_ctx *ctx = check_ctx(1);
    void *params = NULL, *copy = NULL;
    smr_text a = {.ctx = ctx}, b = {.ctx = ctx};
    (void)state;
    check_ok(ctx, smr_params_create(ctx, &about, &params));
    struct many *p = params;
    check_ok(ctx, smr_param_set(ctx, &about, p, &table[0], "(bag of=(knn 7)),(tree)"));
    check_ok(ctx, smr_param_set(ctx, &about, p, &table[2], "it's"));
    smr_word_write(&about, p, &a);
    check_ok(ctx, smr_params_copy(ctx, &about, p, &copy));
    struct many *q = copy;
    assert_ptr_not_equal(q->of.spec[0], p->of.spec[0]);
    check_ok(ctx, smr_param_set(ctx, &about, p, &table[0], "(ridge)"));
    smr_params_free(&about, p);
    smr_word_write(&about, q, &b);
    assert_string_equal(a.bytes, b.bytes);
    smr_params_free(&about, q);
    smr_text_release(&a);
    smr_text_release(&b);
    check_ctx_end(ctx);
}

static void mistakes_inside_name_the_way_to_them(void **state)
{
    smr_ctx *ctx = check_ctx(1);
    (void)state;
    check_refused(ctx, "calibrate of=(knn kk=3)",
                  "calibrate of=(knn kk=3): knn has no parameter 'kk'; did you mean 'k'?");
    check_refused(ctx, "conformal of=(calibrate of=(knm))",
                  "conformal of=(calibrate of=(knm)): calibrate of=(knm): there is no learner "
                  "'knm'; did you mean 'knn'?");
    check_refused(ctx, "calibrate of=(knn k=0)", "calibrate of=(knn k=0): knn: k = 0 is outside");
    check_refused(ctx, "calibrate of=()", "calibrate of=(): the model's sentence is empty");
    check_refused(ctx, "calibrate of=(columns | knn)",
                  "columns can only be the first stage of the whole sentence");
    check_refused(ctx, "calibrate of=(knn | ridge)", "knn is a learner and can only be at the end");
    check_refused(ctx, "calibrate of=(standardize)", "standardize can transform; a learner");
    check_refused(ctx, "calibrate", "calibrate: of is missing");
    check_refused(ctx, "calibrate of=((knn)", "this parenthesis is never closed");
    check_ctx_end(ctx);
}

/* Hostile depth is refused before it costs anything. */
static void depth_is_limited(void **state)
{
    smr_ctx *ctx = check_ctx(1);
    char text[4096] = "knn", next[4096];
    (void)state;
    for (int depth = 1; depth <= 40; depth++) {
        snprintf(next, sizeof next, "conformal of=(%s)", text);
        memcpy(text, next, sizeof text);
        smr_spec *spec = NULL;
        smr_status st = smr_spec_parse(ctx, text, &spec);
        if (depth <= 16)
            check_ok(ctx, st);
        else
            check_fails(ctx, st, SMR_ERR_PARAM, "parentheses are nested too deeply");
        smr_spec_free(spec);
    }
    check_ctx_end(ctx);
}

/* Any text can be written and read again, whatever quotes it holds. */
static void every_text_has_a_quoted_form(void **state)
{
    static const char *const texts[] = {"",     "word",   "two words", "it's",       "say \"x\"",
                                        "'\"'", "''",     "\"\"'",     "a,b)(|c='d", "'",
                                        "\"",   "''''\"", "end'",      "'start",     "\\'\"\n"};
    smr_ctx *ctx = check_ctx(1);
    (void)state;
    for (int64_t i = 0; i < SMR_COUNT(texts); i++) {
        void *params = NULL;
        smr_text once = {.ctx = ctx}, whole = {.ctx = ctx};
        check_ok(ctx, smr_params_create(ctx, &about, &params));
        struct many *p = params;
        check_ok(ctx, smr_param_set(ctx, &about, p, &table[2], texts[i]));
        smr_param_write(&table[2], p, &once);
        /* read back as the value of some parameter: the parser gives the text to it */
        smr_text_printf(&whole, "knn metric=%s", once.bytes);
        smr_spec *spec = NULL;
        char wanted[256];
        assert_int_equal(smr_spec_parse(ctx, whole.bytes, &spec), SMR_ERR_PARAM);
        snprintf(wanted, sizeof wanted, "knn: metric = %s is none of", texts[i]);
        if (!strstr(smr_ctx_message(ctx), wanted))
            fail_msg("%s came back as: %s", once.bytes, smr_ctx_message(ctx));
        smr_ctx_clear(ctx);
        smr_text_release(&once);
        smr_text_release(&whole);
        smr_params_free(&about, p);
    }
    check_ctx_end(ctx);
}

static void a_stage_does_what_its_members_do(void **state)
{
    smr_ctx *ctx = check_ctx(1);
    smr_text name = {.ctx = ctx};
    (void)state;
    smr_spec *spec = parsed(ctx, "conformal of=(standardize | ridge)");
    assert_int_equal(smr_step_tasks(smr_spec_last(spec)), SMR_DOES_REGRESS);
    smr_step_name(smr_spec_last(spec), &name);
    assert_string_equal(name.bytes, "conformal of=(standardize | ridge)");
    smr_spec_free(spec);
    spec = parsed(ctx, "conformal of=(conformal of=(calibrate of=knn))");
    assert_int_equal(smr_step_tasks(smr_spec_last(spec)), SMR_DOES_CLASSIFY);
    smr_spec_free(spec);
    smr_text_release(&name);
    check_ctx_end(ctx);
}

static smr_status parse_nested(smr_ctx *ctx, void *arg)
{
    smr_spec *spec = NULL, *copy = NULL;
    smr_status st = smr_spec_parse(ctx, arg, &spec);
    if (st == SMR_OK) st = smr_spec_copy(ctx, spec, &copy);
    if (st == SMR_OK) st = smr_spec_check(ctx, copy);
    smr_spec_free(spec);
    smr_spec_free(copy);
    return st;
}

static void failing_allocations_leave_nothing(void **state)
{
    smr_ctx *ctx = check_ctx(1);
    char sentence[] = "conformal score=scaled of=(poly | ridge) spread=(conformal of=(knn))";
    (void)state;
    assert_true(fail_each_allocation(ctx, parse_nested, sentence) > 20);
    check_ctx_end(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nested_sentences_are_kept_in_full),
        cmocka_unit_test(lists_of_sentences_are_counted),
        cmocka_unit_test(members_do_what_their_parent_does),
        cmocka_unit_test(copies_live_by_themselves),
        cmocka_unit_test(mistakes_inside_name_the_way_to_them),
        cmocka_unit_test(depth_is_limited),
        cmocka_unit_test(every_text_has_a_quoted_form),
        cmocka_unit_test(a_stage_does_what_its_members_do),
        cmocka_unit_test(failing_allocations_leave_nothing),
    };
    return cmocka_run_group_tests_name("specs", tests, NULL, NULL);
}
