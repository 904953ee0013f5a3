/* test_effort.c -- learners whose work grows with the classes say so before they begin.
 *
 * The counts are those of the tables here, multiplied out by hand; the work itself is cancelled at
 * its first ticks. */
#include "learn/matrix_data.h"

extern const smr_learner smr_sgd, smr_perceptron, smr_svm;

enum { N = 60000, D = 2, K = 20000 };

struct many {
    struct matrix_data m;
    double *x;
    int32_t *label;
};

static void make_many(struct many *a)
{
    a->x = random_matrix((int64_t)N * D, 3);
    a->label = malloc(N * sizeof *a->label);
    for (int64_t i = 0; i < N; i++) a->label[i] = (int32_t)(i % K);
    matrix_data(&a->m, N, D, 1, a->x, NULL, NULL);
    a->m.data.task = SMR_TASK_CLASSIFY;
    a->m.data.label = a->label;
    a->m.data.n_classes = K;
}

static void check_warning(const smr_learner *l, const char *words, const char *expected)
{
    struct many a;
    smr_fit_report report = {0};
    void *state = NULL;
    smr_ctx *ctx = check_ctx(1);
    make_many(&a);
    void *params = make_params(ctx, l, words);
    check_ok(ctx, smr_state_create(ctx, l, &state));
    smr_begin_call(ctx);
    for (int64_t tick = 1; smr_ctx_n_warnings(ctx) == 0 && tick < 4000; tick *= 2) {
        smr_begin_call(ctx);
        smr_state_free(l, state);
        check_ok(ctx, smr_state_create(ctx, l, &state));
        smr_fit_report_release(&report);
        report = (smr_fit_report){0};
        smr_cancel_at(ctx, tick);
        smr_status st = smr_learner_fit(ctx, l, params, &a.m.data, state, &report);
        smr_cancel_at(ctx, 0);
        assert_int_equal(st, SMR_ERR_CANCELLED);
        ctx->cancelled = 0;
    }
    assert_int_equal(smr_ctx_n_warnings(ctx), 1);
    assert_string_equal(smr_ctx_warning(ctx, 0), expected);
    smr_ctx_clear(ctx);
    smr_fit_report_release(&report);
    smr_state_free(l, state);
    smr_params_free(l->word, params);
    free(a.x);
    free(a.label);
    check_ctx_end(ctx);
}

/* 2 * 60000 rows * 20000 classes * (2 + 8) = 2.4e10 a pass, and four are certain: 96 s */
static void sgd_tells_what_a_pass_is(void **unused)
{
    (void)unused;
    check_warning(
        &smr_sgd, "",
        "sgd: a pass is about 24 billion multiplications, roughly 24 seconds of processor "
        "time, and there are up to 1000 passes (7 hours); every row is compared with every class: "
        "join classes, or take knn or tree");
    check_warning(
        &smr_sgd, "passes=4",
        "sgd: a pass is about 24 billion multiplications, roughly 24 seconds of processor "
        "time, and there are up to 4 passes (96 seconds); every row is compared with every class: "
        "join classes, or take knn or tree");
}

/* 20 * 60000 rows * (2 + 8) * 20000 classes = 2.4e11 */
static void svm_tells_what_all_classes_are(void **unused)
{
    (void)unused;
    check_warning(&smr_svm, "",
                  "svm: this is about 240 billion multiplications, roughly 4 minutes of processor "
                  "time; each class is told from all others: join classes, or take knn or tree");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sgd_tells_what_a_pass_is),
        cmocka_unit_test(svm_tells_what_all_classes_are),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
