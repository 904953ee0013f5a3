/* test_effort.c -- learners whose work grows with the classes say so before they begin.
 *
 * The counts are those of the tables here, multiplied out by hand; the work itself is cancelled at
 * its first ticks. */
#include "core/parallel.h"
#include "learn/effort.h"
#include "learn/matrix_data.h"

extern const smr_learner smr_sgd, smr_perceptron, smr_svm, smr_kperceptron;

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

struct heard {
    int64_t n;
    char text[SMR_MESSAGE_MAX];
};

static void hear(void *user, smr_log_level level, const char *message)
{
    struct heard *h = user;
    assert_int_equal(level, SMR_LOG_WARNING);
    h->n++;
    snprintf(h->text, sizeof h->text, "%s", message);
}

/* The log is set aside, as it is by whoever measures a fit only: the effort is heard still. */
static void check_warning(const smr_learner *l, const char *words, const char *expected)
{
    struct many a;
    smr_fit_report report = {0};
    void *state = NULL;
    smr_ctx *ctx = check_ctx(1);
    struct heard heard = {0};
    ctx->log = NULL;
    ctx->foretell = hear;
    ctx->foretell_user = &heard;
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
    assert_int_equal(heard.n, 1);
    assert_string_equal(heard.text, expected);
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

/* Fits `words` on rows of two classes on a line, for three passes and more; what was heard. */
static void hear_kperceptron(const char *words, bool mixed, struct heard *heard)
{
    enum { ROWS = 3000 };
    struct matrix_data m;
    smr_fit_report report = {0};
    void *state = NULL;
    double *x = malloc(ROWS * sizeof *x);
    int32_t *label = malloc(ROWS * sizeof *label);
    for (int i = 0; i < ROWS; i++) {
        x[i] = i;
        label[i] = mixed ? i % 7 % 2 : i < ROWS / 2;
    }
    matrix_data(&m, ROWS, 1, 1, x, NULL, NULL);
    m.data.task = SMR_TASK_CLASSIFY;
    m.data.label = label;
    m.data.n_classes = 2;
    smr_ctx *ctx = check_ctx(1);
    ctx->foretell = hear;
    ctx->foretell_user = heard;
    void *params = make_params(ctx, &smr_kperceptron, words);
    check_ok(ctx, smr_state_create(ctx, &smr_kperceptron, &state));
    smr_begin_call(ctx);
    smr_cancel_at(ctx, 3000);
    smr_status st = smr_learner_fit(ctx, &smr_kperceptron, params, &m.data, state, &report);
    assert_int_equal(st, mixed ? SMR_ERR_CANCELLED : SMR_OK);
    smr_ctx_clear(ctx);
    smr_fit_report_release(&report);
    smr_state_free(&smr_kperceptron, state);
    smr_params_free(smr_kperceptron.word, params);
    free(x);
    free(label);
    check_ctx_end(ctx);
}

/* How many mistakes there are is known after some passes, and whether they die out. */
static void kperceptron_tells_what_its_mistakes_are(void **unused)
{
    struct heard heard = {0};
    (void)unused;
    hear_kperceptron("kernel=linear max_iter=100000000 shuffle=no", true, &heard);
    assert_int_equal(heard.n, 1);
    assert_non_null(strstr(heard.text, "kperceptron: a pass is about 0.0"));
    assert_non_null(strstr(heard.text, "there are up to 99999997 passes"));
    assert_non_null(strstr(heard.text, "nystrom 500 | perceptron"));
    heard.n = 0;
    hear_kperceptron("kernel=rbf(gamma=1e-6) max_iter=100000000", false, &heard);
    assert_int_equal(heard.n, 0);
}

struct lanes {
    const void *caller; /* some address of the calling thread's own */
    _Atomic int64_t told;
};

static _Thread_local char here;

static void hear_in_lane(void *user, smr_log_level level, const char *message)
{
    struct lanes *l = user;
    (void)level;
    assert_ptr_equal(&here, l->caller);
    assert_string_equal(message, "long: this is about 100 billion multiplications, roughly 100 "
                                 "seconds of processor time; wait");
    l->told++;
}

static smr_status tell_in_lane(smr_ctx *ctx, void *arg, int64_t task, int lane)
{
    (void)arg;
    (void)task;
    (void)lane;
    smr_effort_tell(
        ctx,
        &(smr_effort){.learner = "long", .each = 1e11, .most = 1, .least = 1, .advice = "wait"});
    return SMR_OK;
}

/* Of many lanes that of the caller speaks, on the caller's thread. */
static void the_callers_lane_tells_it(void **unused)
{
    (void)unused;
    smr_ctx *ctx = check_ctx(3);
    struct lanes lanes = {.caller = &here};
    ctx->foretell = hear_in_lane;
    ctx->foretell_user = &lanes;
    for (int i = 0; i < 50 && lanes.told == 0;
         i++) /* other lanes may take every task of a region */
        check_ok(ctx, smr_parallel(ctx, "telling", 1001, tell_in_lane, NULL));
    assert_true(lanes.told > 0);
    check_ctx_end(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sgd_tells_what_a_pass_is),
        cmocka_unit_test(svm_tells_what_all_classes_are),
        cmocka_unit_test(kperceptron_tells_what_its_mistakes_are),
        cmocka_unit_test(the_callers_lane_tells_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
