/* Sentences inside sentences: reading, canonical form, tasks, mistakes with the way to them. */
#include "pipeline.h"

#include "learn/params.h"
#include "learn/spec.h"
#include "learn/specs.h"

/* A learner of several members, made for the test. */
struct many {
    smr_specs of, last;
    char *word;
};

static const smr_param table[] = {
    {SMR_FIELD(struct many, of), .least = 1, .most = 3, .doc = "d"},
    {SMR_FIELD(struct many, last), .least = 1, .most = 1, .def_text = "(ridge 2)",
     .member_tasks = SMR_DOES_REGRESS, .doc = "d"},
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
    smr_stage *stages = NULL;
    smr_text text = {.ctx = ctx};
    int64_t n = 0;
    check_ok(ctx, smr_spec_parse(ctx, sentence, &stages, &n));
    smr_spec_write(stages, n, &text);
    check_ok(ctx, smr_text_done(&text));
    snprintf(out, room, "%s", text.bytes);
    smr_text_release(&text);
    smr_stages_free(stages, n);
}

static void check_refused(smr_ctx *ctx, const char *sentence, const char *part)
{
    smr_stage *stages = NULL;
    int64_t n = 0;
    check_fails(ctx, smr_spec_parse(ctx, sentence, &stages, &n), SMR_ERR_PARAM, part);
    assert_null(stages);
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

static void lists_of_sentences_are_counted(void **state)
{
    smr_ctx *ctx = check_ctx(1);
    void *params = NULL;
    smr_text text = {.ctx = ctx};
    (void)state;
    check_ok(ctx, smr_params_create(ctx, &stack, &params));
    struct many *p = params;
    assert_int_equal(p->of.n, 0);
    assert_string_equal(p->last.text[0], "ridge l2=2 path=0 fit_intercept=yes");
    check_ok(ctx,
             smr_param_set(ctx, &stack, p, &table[0], "(ridge 0.1,1,10), knn,(poly 2|linear)"));
    assert_int_equal(p->of.n, 3);
    assert_string_equal(p->of.text[0], "ridge l2=0.1,1,10 path=0 fit_intercept=yes");
    assert_int_equal(p->of.tasks, SMR_DOES_REGRESS); /* what all of them do */
    smr_param_write(&table[0], p, &text);
    assert_int_equal(
        strncmp(text.bytes, "(ridge l2=0.1,1,10 path=0 fit_intercept=yes),(knn k=5 ", 54), 0);
    check_fails(ctx, smr_param_set(ctx, &stack, p, &table[0], "knn,knn,knn,knn"), SMR_ERR_PARAM,
                "stack: of takes at most 3 sentences");
    check_fails(ctx, smr_param_set(ctx, &stack, p, &table[0], "(knn)x"), SMR_ERR_PARAM,
                "stack: of = (knn)x is not a list of sentences in parentheses, as in of=(knn 5)");
    check_fails(ctx, smr_param_set(ctx, &stack, p, &table[0], "knn,(calibrate of=knn),ridge"),
                SMR_ERR_PARAM, "the learners of of must share a task");
    check_fails(
        ctx, smr_param_set(ctx, &stack, p, &table[1], "(calibrate of=(knn))"), SMR_ERR_PARAM,
        "stack last=(calibrate of=(knn)): calibrate can classify; here a learner must stand "
        "that can regress");
    assert_int_equal(p->of.n, 3); /* a failure leaves the old value */
    smr_text_release(&text);
    smr_params_free(&stack, p);
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
    check_refused(ctx, "calibrate of=(knn | ridge)",
                  "knn is a learner and can only stand at the end");
    check_refused(ctx, "calibrate of=(standardize)", "standardize can transform; here a learner");
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
        smr_stage *stages = NULL;
        int64_t n = 0;
        smr_status st = smr_spec_parse(ctx, text, &stages, &n);
        if (depth <= 16)
            check_ok(ctx, st);
        else
            check_fails(ctx, st, SMR_ERR_PARAM, "parentheses are nested too deeply");
        smr_stages_free(stages, n);
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
        check_ok(ctx, smr_params_create(ctx, &stack, &params));
        struct many *p = params;
        check_ok(ctx, smr_param_set(ctx, &stack, p, &table[2], texts[i]));
        smr_param_write(&table[2], p, &once);
        /* read back as the value of some parameter: the parser gives the text to it */
        smr_text_printf(&whole, "knn metric=%s", once.bytes);
        smr_stage *stages = NULL;
        int64_t n = 0;
        char wanted[256];
        assert_int_equal(smr_spec_parse(ctx, whole.bytes, &stages, &n), SMR_ERR_PARAM);
        snprintf(wanted, sizeof wanted, "knn: metric = %s is none of", texts[i]);
        if (!strstr(smr_ctx_message(ctx), wanted))
            fail_msg("%s came back as: %s", once.bytes, smr_ctx_message(ctx));
        smr_ctx_clear(ctx);
        smr_text_release(&once);
        smr_text_release(&whole);
        smr_params_free(&stack, p);
    }
    check_ctx_end(ctx);
}

static void a_stage_does_what_its_members_do(void **state)
{
    smr_ctx *ctx = check_ctx(1);
    smr_stage *stages = NULL;
    smr_text name = {.ctx = ctx};
    int64_t n = 0;
    (void)state;
    check_ok(ctx, smr_spec_parse(ctx, "conformal of=(standardize | ridge)", &stages, &n));
    assert_int_equal(smr_stage_tasks(&stages[0]), SMR_DOES_REGRESS);
    smr_stage_name(&stages[0], &name);
    assert_string_equal(name.bytes, "conformal of=(standardize | ridge)");
    smr_stages_free(stages, n);
    check_ok(ctx,
             smr_spec_parse(ctx, "conformal of=(conformal of=(calibrate of=knn))", &stages, &n));
    assert_int_equal(smr_stage_tasks(&stages[0]), SMR_DOES_CLASSIFY);
    smr_stages_free(stages, n);
    smr_text_release(&name);
    check_ctx_end(ctx);
}

static smr_status parse_nested(smr_ctx *ctx, void *arg)
{
    smr_stage *stages = NULL;
    int64_t n = 0;
    smr_status st = smr_spec_parse(ctx, arg, &stages, &n);
    smr_stages_free(stages, n);
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
        cmocka_unit_test(mistakes_inside_name_the_way_to_them),
        cmocka_unit_test(depth_is_limited),
        cmocka_unit_test(every_text_has_a_quoted_form),
        cmocka_unit_test(a_stage_does_what_its_members_do),
        cmocka_unit_test(failing_allocations_leave_nothing),
    };
    return cmocka_run_group_tests_name("specs", tests, NULL, NULL);
}
