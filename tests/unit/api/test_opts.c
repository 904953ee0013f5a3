/* Structs of options begin with their size: 0 and more than the library knows are refused by every
 * function that takes them, and the structs of older programs have defaults for what they lack. */
#define _GNU_SOURCE /* mkstemps */
#include "check.h"

#include "samara.h"

#include <unistd.h>

enum { N = 40 };

static struct {
    smr_ctx *ctx;
    smr_table *table;
    smr_model *model, *trees;
    char path[32];
    char *json;
    smr_model *trained;
    smr_streamer *stream;
    smr_table *read;
    smr_network *net;
} world;

static int set_up(void **state)
{
    double X[2 * N], y[N];
    (void)state;
    for (int i = 0; i < N; i++) {
        X[2 * i] = i * 7 % 23;
        X[2 * i + 1] = i * 5 % 17;
        y[i] = X[2 * i] - 2 * X[2 * i + 1] + i % 3;
    }
    world.ctx = check_ctx(1);
    smr_ctx *ctx = world.ctx;
    check_ok(ctx, smr_table_create(ctx, N, &world.table));
    double a[N], b[N];
    for (int i = 0; i < N; i++) {
        a[i] = X[2 * i];
        b[i] = X[2 * i + 1];
    }
    check_ok(ctx, smr_table_add_f64(ctx, world.table, "a", a));
    check_ok(ctx, smr_table_add_f64(ctx, world.table, "b", b));
    check_ok(ctx, smr_table_add_f64(ctx, world.table, "y", y));
    smr_train_opts opts = {.size = sizeof opts, .target = "y", .task = SMR_TASK_REGRESS};
    check_ok(ctx, smr_train(ctx, "linear", world.table, &opts, &world.model));
    check_ok(ctx, smr_train(ctx, "boost 3", world.table, &opts, &world.trees));
    static const char text[] = "variable a: x, y\nP(a) = 0.25, 0.75\n";
    check_ok(ctx, smr_network_read(ctx, text, sizeof text - 1, &world.net));
    strcpy(world.path, "/tmp/samara-opts-XXXXXX.csv");
    close(mkstemps(world.path, 4));
    check_ok(ctx, smr_table_save(ctx, world.table, world.path));
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    unlink(world.path);
    smr_model_free(world.model);
    smr_model_free(world.trees);
    smr_network_free(world.net);
    smr_table_free(world.table);
    check_ctx_end(world.ctx);
    return 0;
}

/* ---- every function with every struct it takes ------------------------------------------- */

static const smr_train_opts right = {.size = sizeof right, .target = "y", .task = SMR_TASK_REGRESS};

#define W world.ctx
#define T world.table
static smr_status open(const void *o)
{
    return smr_table_open(W, world.path, o, &world.read);
}
static smr_status open_for(const void *o)
{
    return smr_table_open_for(W, world.model, world.path, o, &world.read);
}
static smr_status train(const void *o)
{
    return smr_train(W, "linear", T, o, &world.trained);
}
static smr_status tune_how(const void *o)
{
    smr_tune_opts how = {.size = sizeof how, .over = "k=1,3", .folds = 2};
    return smr_tune(W, "knn", T, o, &how, &world.trained, &world.json);
}
static smr_status tune(const void *o)
{
    return smr_tune(W, "ridge", T, &right, o, NULL, &world.json);
}
static smr_status validate_how(const void *o)
{
    return smr_cross_validate(W, "linear", T, o, NULL, &world.json);
}
static smr_status validate(const void *o)
{
    return smr_cross_validate(W, "linear", T, &right, o, &world.json);
}
static const char *const two[] = {"linear", "knn 3"};
static smr_status compare_how(const void *o)
{
    return smr_compare(W, two, 2, T, o, NULL, &world.json);
}
static smr_status compare(const void *o)
{
    return smr_compare(W, two, 2, T, &right, o, &world.json);
}
static smr_status curve_how(const void *o)
{
    return smr_curve(W, "learning", "linear", T, o, NULL, &world.json);
}
static smr_status curve(const void *o)
{
    return smr_curve(W, "learning", "linear", T, &right, o, &world.json);
}
static smr_status curve_folds(const void *o)
{
    smr_curve_opts how = {.size = sizeof how, .folds = o};
    return smr_curve(W, "learning", "linear", T, &right, &how, &world.json);
}
static smr_status model_curve(const void *o)
{
    return smr_model_curve(W, "rounds", world.trees, T, o, &world.json);
}
static smr_status cross_predict(const void *o)
{
    smr_status st = smr_cross_predict(W, "linear", T, &right, o, &world.read, &world.json);
    if (st != SMR_OK) assert_null(world.read);
    return st;
}
static smr_status tune_rounds(const void *o)
{
    smr_tune_opts how = {.size = sizeof how, .over = "k=1,3", .rounds = o};
    return smr_tune(W, "knn", T, &right, &how, NULL, &world.json);
}
static smr_status tune_check(const void *o)
{
    return smr_tune_check(W, "ridge", o);
}
static smr_status bias_how(const void *o)
{
    smr_bias_variance_opts how = {.size = sizeof how, .samples = 3};
    return smr_bias_variance(W, "linear", T, o, &how, &world.json);
}
static smr_status bias(const void *o)
{
    return smr_bias_variance(W, "linear", T, &right, o, &world.json);
}
static smr_status stream(const void *o)
{
    return smr_stream_begin(W, "sgd", T, o, &world.stream);
}
static smr_status evaluate(const void *o)
{
    return smr_evaluate_with(W, world.model, T, o, &world.json);
}
static smr_status estimate(const void *o)
{
    return smr_estimate(W, T, NULL, o, &world.json);
}
static smr_status query(const void *o)
{
    return smr_network_query(W, world.net, "P(a)", o, &world.json);
}
static smr_status describe(const void *o)
{
    return smr_describe(W, T, o, &world.json);
}
static smr_status explain(const void *o)
{
    return smr_explain(W, "importance", world.model, T, o, &world.json);
}
static smr_status filter(const void *o)
{
    const double one = 1;
    const int64_t size[2] = {1, 1};
    int64_t got[2];
    return smr_filter_grid(W, size, &one, size, &one, o, got, NULL);
}

static smr_status quantize(const void *o)
{
    smr_quantized *q = NULL;
    smr_status st = smr_quantize_read(W, "P5 1 1 255\n", 12, o, &q, &world.json);
    smr_quantized_free(q);
    return st;
}

/* size: of the struct now; old: what an early program knew of it. */
#define TAKES(call, type, last)                                \
    {                                                          \
#call, #type, call, sizeof(type), offsetof(type, last) \
    }
static const struct {
    const char *call, *type;
    smr_status (*f)(const void *opts);
    size_t size, old;
} takers[] = {
    TAKES(open, smr_open_opts, header),           TAKES(open_for, smr_open_opts, header),
    TAKES(train, smr_train_opts, weight),         TAKES(tune_how, smr_train_opts, weight),
    TAKES(validate_how, smr_train_opts, weight),  TAKES(compare_how, smr_train_opts, weight),
    TAKES(curve_how, smr_train_opts, weight),     TAKES(bias_how, smr_train_opts, weight),
    TAKES(stream, smr_train_opts, weight),        TAKES(tune, smr_tune_opts, search),
    TAKES(validate, smr_fold_opts, repeats),      TAKES(compare, smr_fold_opts, repeats),
    TAKES(curve_folds, smr_fold_opts, repeats),   TAKES(curve, smr_curve_opts, sizes),
    TAKES(tune_rounds, smr_fold_opts, repeats),   TAKES(cross_predict, smr_fold_opts, repeats),
    TAKES(tune_check, smr_tune_opts, search),     TAKES(model_curve, smr_model_curve_opts, measure),
    TAKES(bias, smr_bias_variance_opts, samples), TAKES(evaluate, smr_evaluate_opts, threshold),
    TAKES(estimate, smr_estimate_opts, weight),   TAKES(describe, smr_describe_opts, ignore),
    TAKES(explain, smr_explain_opts, measure),    TAKES(query, smr_query_opts, likeliest),
    TAKES(filter, smr_filter_opts, channels),     TAKES(quantize, smr_quantize_opts, settings),
};
enum { TAKERS = sizeof takers / sizeof *takers };

static void check_nothing_given(void)
{
    assert_null(world.read);
    assert_null(world.json);
    assert_null(world.trained);
    assert_null(world.stream);
}

static void release_given(void)
{
    smr_table_free(world.read);
    smr_string_free(world.json);
    smr_model_free(world.trained);
    smr_stream_free(world.stream);
    world.read = NULL;
    world.json = NULL;
    world.trained = NULL;
    world.stream = NULL;
}

/* A block of options of this size whose fields are 0, except what a training set needs. */
static void fill(void *block, size_t room, size_t size, const char *type)
{
    memset(block, 0, room);
    if (strcmp(type, "smr_train_opts") == 0) memcpy(block, &right, sizeof right);
    memcpy(block, &size, sizeof size);
}

static void sizes_that_are_wrong_are_refused(void **state)
{
    (void)state;
    _Alignas(16) char block[512];
    for (int i = 0; i < TAKERS; i++) {
        const size_t wrong[] = {0, 1, takers[i].size + 1, takers[i].size + 64};
        for (int k = 0; k < 4; k++) {
            char part[160];
            fill(block, sizeof block, wrong[k], takers[i].type);
            snprintf(part, sizeof part, "%s: its size is %zu, and this library knows %zu bytes",
                     takers[i].type, wrong[k], takers[i].size);
            smr_status st = takers[i].f(block);
            if (st != SMR_ERR_PARAM || !strstr(smr_ctx_message(world.ctx), part))
                fail_msg("%s with size %zu: %s, '%s'", takers[i].call, wrong[k],
                         smr_status_name(st), smr_ctx_message(world.ctx));
            assert_non_null(strstr(smr_ctx_message(world.ctx),
                                   k < 2 ? "set .size = sizeof(" : "compiled for a newer one"));
            check_nothing_given();
        }
    }
    smr_ctx_clear(world.ctx);
}

/* What lies after the old size is not read, whatever is there. */
static void older_programs_have_the_defaults(void **state)
{
    (void)state;
    _Alignas(16) char block[512];
    for (int i = 0; i < TAKERS; i++) {
        fill(block, sizeof block, takers[i].old, takers[i].type);
        memset(block + takers[i].old, 0x7f, sizeof block - takers[i].old);
        smr_status st = takers[i].f(block);
        if (st != SMR_OK)
            fail_msg("%s with size %zu: %s, '%s'", takers[i].call, takers[i].old,
                     smr_status_name(st), smr_ctx_message(world.ctx));
        release_given();
    }
}

static void contexts_check_their_options(void **state)
{
    (void)state;
    const size_t wrong[] = {0, 4, sizeof(smr_ctx_opts) + 1, 4096};
    for (int k = 0; k < 4; k++) {
        smr_ctx_opts opts = {.size = wrong[k], .n_threads = 1};
        smr_ctx *ctx = world.ctx;
        assert_int_equal(smr_ctx_create(&opts, &ctx), SMR_ERR_PARAM);
        assert_null(ctx);
    }
    smr_ctx_opts old = {.size = offsetof(smr_ctx_opts, alloc), .n_threads = 2, .seed = 9};
    smr_ctx *ctx = NULL;
    old.alloc = (void *(*)(void *, size_t))(uintptr_t)1; /* not looked at */
    assert_int_equal(smr_ctx_create(&old, &ctx), SMR_OK);
    assert_int_equal(smr_ctx_threads(ctx), 2);
    assert_int_equal(smr_ctx_seed(ctx), 9);
    check_ctx_end(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sizes_that_are_wrong_are_refused),
        cmocka_unit_test(older_programs_have_the_defaults),
        cmocka_unit_test(contexts_check_their_options),
    };
    return cmocka_run_group_tests_name("options", tests, set_up, tear_down);
}
