/* test_natures.c -- a learner that its parameters make one of several things is taken for what it
 * is: by training, comparing, members, help. */
#include "standins.h"
#include "tables.h"

#include "learn/spec.h"
#include "report/learners.h"

static smr_status train(smr_ctx *ctx, const char *sentence, const smr_table *t, const char *target,
                        const char *types, smr_model **m)
{
    smr_train_opts opts = {.size = sizeof opts,
                           .target = target,
                           .types = types,
                           .ignore = "walk,minute,who,what,rating,w"};
    return smr_train(ctx, sentence, t, &opts, m);
}

static void parameters_decide_the_task(void **state)
{
    smr_ctx *ctx = check_ctx(1);
    smr_table *t = task_table(ctx, NULL, false, false);
    smr_model *m = NULL;
    (void)state;
    check_ok(ctx, train(ctx, "z_kind", t, "class", NULL, &m));
    assert_int_equal(m->target.task, SMR_TASK_CLASSIFY);
    smr_model_free(m);
    check_ok(ctx, train(ctx, "z_kind sides", t, "class", NULL, &m));
    assert_int_equal(m->target.task, SMR_TASK_CLUSTER);
    assert_true(m->target.held);
    smr_model_free(m);
    check_fails(ctx, train(ctx, "z_kind", t, NULL, NULL, &m), SMR_ERR_PARAM, "target");
    smr_train_opts opts = {.size = sizeof opts, .target = "class", .task = SMR_TASK_CLUSTER};
    check_fails(ctx, smr_train(ctx, "z_kind", t, &opts, &m), SMR_ERR_PARAM,
                "z_kind with these parameters has no task 'cluster'");
    opts = (smr_train_opts){.size = sizeof opts, .target = "class", .task = SMR_TASK_CLASSIFY};
    check_fails(ctx, smr_train(ctx, "z_kind sides", t, &opts, &m), SMR_ERR_PARAM,
                "z_kind with these parameters has no task 'classify'");
    smr_table_free(t);
    check_ctx_end(ctx);
}

/* Texts reach it if its parameters read them, else they become words before it. */
static void parameters_decide_what_comes_in(void **state)
{
    enum { ROWS_OF = 40 };
    smr_ctx *ctx = check_ctx(1);
    static char text[ROWS_OF][32];
    const char *texts[ROWS_OF], *classes[ROWS_OF];
    double x[ROWS_OF], w[ROWS_OF];
    smr_table *t = new_table(ctx, ROWS_OF, 4);
    smr_model *m = NULL;
    (void)state;
    for (int64_t i = 0; i < ROWS_OF; i++) {
        snprintf(text[i], sizeof text[i], "%s number %d", i % 3 ? "apple pie" : "zebra crossing",
                 (int)i);
        texts[i] = text[i];
        classes[i] = i % 3 ? "fruit" : "road";
        x[i] = noise(i, 0);
        w[i] = 1;
    }
    put_strings(ctx, t, 0, "note", texts);
    put_numbers(ctx, t, 1, "x", x);
    put_strings(ctx, t, 2, "c", classes);
    put_numbers(ctx, t, 3, "w", w);
    smr_train_opts opts = {.size = sizeof opts, .target = "c", .ignore = "w"};
    check_ok(ctx, smr_train(ctx, "z_kind texts", t, &opts, &m));
    assert_string_equal(stages_of(m), "z_kind");
    assert_int_equal(m->schema.inputs[0].kind, SMR_TEXT);
    double *proba = apply(ctx, m, t, SMR_OUTPUT_LABEL);
    for (int64_t i = 0; i < ROWS_OF; i++) assert_true(proba[i] == (i % 3 ? 0 : 1));
    smr_free(proba);
    smr_model_free(m);
    opts.types = "note=text";
    check_ok(ctx, smr_train(ctx, "z_kind numbers", t, &opts, &m));
    assert_string_equal(stages_of(m), "words* z_kind");
    smr_model_free(m);
    opts = (smr_train_opts){.size = sizeof opts, .weight = "w", .ignore = "c,note"};
    check_fails(ctx, smr_train(ctx, "z_kind sides", t, &opts, &m), SMR_ERR_UNSUPPORTED,
                "z_kind does not take row weights");
    smr_table_free(t);
    check_ctx_end(ctx);
}

static void members_are_what_their_parameters_say(void **state)
{
    smr_ctx *ctx = check_ctx(1);
    smr_spec *spec = NULL;
    (void)state;
    check_ok(ctx, smr_spec_parse(ctx, "bag of=(z_kind)", &spec));
    assert_int_equal(smr_step_tasks(smr_spec_last(spec)), SMR_DOES_CLASSIFY);
    assert_true(smr_spec_takes(spec, SMR_TAKES_WEIGHTS));
    assert_false(smr_spec_takes(spec, SMR_TAKES_TEXT));
    assert_true(smr_spec_has_trait(spec, SMR_SCALE_MATTERS));
    smr_spec_free(spec);
    check_fails(ctx, smr_spec_parse(ctx, "bag of=(z_kind sides)", &spec), SMR_ERR_PARAM,
                "z_kind can cluster; here a learner must stand that can classify or regress");
    check_ok(ctx, smr_spec_parse(ctx, "vote of=(z_kind texts),(z_kind)", &spec));
    assert_false(smr_spec_takes(spec, SMR_TAKES_TEXT));
    smr_spec_free(spec);
    check_ctx_end(ctx);
}

static void comparing_all_takes_defaults_for_what_they_are(void **state)
{
    smr_ctx *ctx = check_ctx(1);
    smr_table *t = task_table(ctx, NULL, false, false);
    char *json = NULL;
    smr_train_opts how = {.size = sizeof how,
                          .task = SMR_TASK_CLUSTER,
                          .ignore = "class,walk,minute,who,what,rating,w"};
    (void)state;
    check_ok(ctx, smr_compare(ctx, NULL, 0, t, &how, NULL, &json));
    assert_non_null(strstr(json, "z_cluster"));
    assert_null(strstr(json, "z_kind")); /* by default it classifies */
    smr_string_free(json);
    smr_table_free(t);
    check_ctx_end(ctx);
}

static void help_tells_what_other_parameters_add(void **state)
{
    smr_ctx *ctx = check_ctx(1);
    smr_text out = {.ctx = ctx};
    smr_json_doc *doc = NULL;
    (void)state;
    check_ok(ctx, smr_report_help(ctx, smr_registry_find("z_kind"), &out));
    assert_non_null(strstr(out.bytes, "does      classify; with other parameters: cluster\n"));
    assert_non_null(strstr(out.bytes, "takes     double, weights; with other parameters: texts\n"));
    smr_text_release(&out);
    check_ok(ctx, smr_json_create(ctx, &doc));
    check_ok(ctx, smr_report_learner(ctx, smr_registry_find("z_kind"), smr_json_root(doc)));
    const smr_json *defaults = smr_json_get(smr_json_root(doc), "with_defaults");
    assert_non_null(defaults);
    assert_string_equal(smr_json_get(defaults, "tasks")->first->string, "classify");
    assert_null(smr_json_get(defaults, "tasks")->first->next);
    smr_json_free(doc);
    doc = NULL;
    check_ok(ctx, smr_json_create(ctx, &doc));
    check_ok(ctx, smr_report_learner(ctx, smr_registry_find("knn"), smr_json_root(doc)));
    assert_null(smr_json_get(smr_json_root(doc), "with_defaults"));
    smr_json_free(doc);
    check_ctx_end(ctx);
}

/* ---- the losses of sgd ------------------------------------------------------------------ */

static void a_loss_tells_the_task(void **state)
{
    smr_ctx *ctx = check_ctx(1);
    static const char *const names[] = {"x", "few"};
    double x[30 * 2];
    smr_model *m = NULL;
    (void)state;
    for (int64_t i = 0; i < 30; i++) {
        x[2 * i] = noise(i, 0);
        x[2 * i + 1] = (double)(i % 3);
    }
    smr_table *t = matrix_table(ctx, 30, 2, x, names);
    smr_train_opts opts = {.size = sizeof opts, .target = "few"};
    check_ok(ctx, smr_train(ctx, "sgd", t, &opts, &m));
    assert_int_equal(m->target.task, SMR_TASK_CLASSIFY);
    smr_model_free(m);
    check_ok(ctx, smr_train(ctx, "sgd huber", t, &opts, &m));
    assert_int_equal(m->target.task, SMR_TASK_REGRESS);
    smr_model_free(m);
    check_ok(ctx, smr_train(ctx, "bag of=(sgd huber) bags=3", t, &opts, &m));
    assert_int_equal(m->target.task, SMR_TASK_REGRESS);
    smr_model_free(m);
    opts.task = SMR_TASK_CLASSIFY;
    check_fails(ctx, smr_train(ctx, "sgd huber", t, &opts, &m), SMR_ERR_PARAM,
                "sgd with these parameters does not classify; it predicts numbers");
    smr_table_free(t);
    check_ctx_end(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(parameters_decide_the_task),
        cmocka_unit_test(parameters_decide_what_comes_in),
        cmocka_unit_test(members_are_what_their_parameters_say),
        cmocka_unit_test(comparing_all_takes_defaults_for_what_they_are),
        cmocka_unit_test(help_tells_what_other_parameters_add),
        cmocka_unit_test(a_loss_tells_the_task),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
