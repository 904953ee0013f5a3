/* The context: an allocator of the caller's, warnings of a call, setters, names of statuses. */
#include "check.h"

#include "samara.h"

/* ---- an allocator that counts, and one that fails ----------------------------------------- */

struct counting {
    _Atomic int64_t blocks, calls;
    int64_t most; /* calls that are granted; -1: all */
};

static void *count_alloc(void *user, size_t bytes)
{
    struct counting *c = user;
    int64_t call = c->calls++;
    if (c->most >= 0 && call >= c->most) return NULL;
    void *block = malloc(bytes);
    if (block) memset(block, 0xa5, bytes); /* nothing may be taken for zeroed */
    c->blocks += block != NULL;
    return block;
}

static void *count_resize(void *user, void *block, size_t bytes)
{
    struct counting *c = user;
    int64_t call = c->calls++;
    return c->most >= 0 && call >= c->most ? NULL : realloc(block, bytes);
}

static void count_release(void *user, void *block)
{
    struct counting *c = user;
    c->blocks--;
    free(block);
}

static smr_ctx_opts with(struct counting *c, int n_threads)
{
    return (smr_ctx_opts){.size = sizeof(smr_ctx_opts),
                          .n_threads = n_threads,
                          .alloc = count_alloc,
                          .resize = count_resize,
                          .release = count_release,
                          .alloc_user = c};
}

static void fill(double *X, double *y, int64_t n)
{
    for (int64_t i = 0; i < n; i++) {
        X[2 * i] = (double)(i * 7 % 23);
        X[2 * i + 1] = (double)(i * 5 % 17);
        y[i] = X[2 * i] - 2 * X[2 * i + 1];
    }
}

/* A life: a table, a model, its bytes, a prediction; *bytes is the caller's. */
static smr_status live(smr_ctx *ctx, const double *X, const double *y, int64_t n, double *out,
                       char **bytes, int64_t *length)
{
    smr_train_opts opts = {.size = sizeof opts, .target = "y"};
    smr_table *t = NULL;
    smr_model *m = NULL;
    *bytes = NULL;
    smr_status st = smr_table_from_matrix(ctx, X, n, 2, y, &t);
    if (st == SMR_OK) st = smr_train(ctx, "standardize | forest 5", t, &opts, &m);
    if (st == SMR_OK) st = smr_predict(ctx, m, t, SMR_OUTPUT_VALUE, out);
    if (st == SMR_OK) st = smr_model_write(ctx, m, bytes, length);
    smr_model_free(m);
    smr_table_free(t);
    return st;
}

static void the_callers_allocator_gives_all_memory(void **state)
{
    enum { N = 301 };
    double X[2 * N], y[N], out[2][N];
    char *bytes[2];
    int64_t length[2];
    (void)state;
    fill(X, y, N);
    struct counting c = {.most = -1};
    smr_ctx_opts opts = with(&c, 3);
    smr_ctx *ctx = NULL, *plain = check_ctx(3);
    assert_int_equal(smr_ctx_create(&opts, &ctx), SMR_OK);
    assert_int_equal(c.blocks, 2); /* context and account */
    assert_int_equal(smr_ctx_memory(ctx, NULL), 0);
    check_ok(ctx, live(ctx, X, y, N, out[0], &bytes[0], &length[0]));
    check_ok(plain, live(plain, X, y, N, out[1], &bytes[1], &length[1]));
    assert_memory_equal(out[0], out[1], sizeof out[0]);
    assert_int_equal(length[0], length[1]);
    assert_memory_equal(bytes[0], bytes[1], (size_t)length[0]);
    int64_t peak = 0, peak_plain = 0;
    assert_int_equal(smr_ctx_memory(ctx, &peak), smr_ctx_memory(plain, &peak_plain));
    assert_true(peak > 0 && peak_plain > 0 && c.calls > 20);
    smr_ctx_destroy(ctx);
    assert_int_equal(c.blocks, 2); /* the bytes, and the account that counts them */
    smr_string_free(bytes[0]);
    assert_int_equal(c.blocks, 0);
    smr_string_free(bytes[1]);
    check_ctx_end(plain);
}

static void a_refusal_of_the_callers_is_out_of_memory(void **state)
{
    enum { N = 40 };
    double X[2 * N], y[N], out[N];
    char *bytes = NULL;
    int64_t length, refused = 0;
    (void)state;
    fill(X, y, N);
    for (int64_t most = 0;; most++) {
        struct counting c = {.most = most};
        smr_ctx_opts opts = with(&c, 1);
        smr_ctx *ctx = NULL;
        smr_status st = smr_ctx_create(&opts, &ctx);
        if (st == SMR_OK) st = live(ctx, X, y, N, out, &bytes, &length);
        if (st != SMR_OK && ctx)
            assert_non_null(strstr(smr_ctx_message(ctx), "and the system has none left"));
        smr_string_free(bytes);
        bytes = NULL;
        smr_ctx_destroy(ctx);
        assert_int_equal(c.blocks, 0);
        if (st == SMR_OK) break;
        assert_int_equal(st, SMR_ERR_NOMEM);
        refused++;
    }
    assert_true(refused > 20);
}

static void large_blocks_grow_in_the_callers_memory(void **state)
{
    struct counting c = {.most = -1};
    smr_ctx_opts opts = with(&c, 1);
    smr_ctx *ctx = NULL;
    (void)state;
    assert_int_equal(smr_ctx_create(&opts, &ctx), SMR_OK);
    int64_t n = 1 << 20;
    double *x = smr_alloc(ctx, n, sizeof *x);
    assert_non_null(x);
    for (int64_t i = 0; i < n; i++) {
        assert_true(x[i] == 0);
        x[i] = (double)i;
    }
    for (int k = 0; k < 5; k++) {
        n += 12345;
        x = smr_realloc(ctx, x, n, sizeof *x);
        assert_non_null(x);
        assert_int_equal((uintptr_t)x % 64, 0);
    }
    for (int64_t i = 0; i < 1 << 20; i++) assert_true(x[i] == (double)i);
    smr_give_back(x, 0, 4 << 20); /* pages of the caller's are not for samara to give away */
    assert_true(x[1000] == 1000);
    assert_int_equal(smr_ctx_memory(ctx, NULL), n * (int64_t)sizeof *x);
    smr_free(x);
    smr_ctx_destroy(ctx);
    assert_int_equal(c.blocks, 0);
}

static void half_an_allocator_is_refused(void **state)
{
    struct counting c = {.most = -1};
    (void)state;
    for (int gap = 0; gap < 3; gap++) {
        smr_ctx_opts opts = with(&c, 1);
        smr_ctx *ctx = (smr_ctx *)&c;
        if (gap == 0) opts.alloc = NULL;
        if (gap == 1) opts.resize = NULL;
        if (gap == 2) opts.release = NULL;
        assert_int_equal(smr_ctx_create(&opts, &ctx), SMR_ERR_PARAM);
        assert_null(ctx);
    }
    assert_int_equal(c.calls, 0);
}

/* ---- warnings --------------------------------------------------------------------------- */

struct heard {
    int n;
    char last[256];
};

static void hear(void *user, smr_log_level level, const char *message)
{
    struct heard *h = user;
    if (level != SMR_LOG_WARNING) return;
    h->n++;
    snprintf(h->last, sizeof h->last, "%s", message);
}

static void warnings_are_those_of_the_last_call(void **state)
{
    static const int64_t large[] = {INT64_C(9007199254740993), 1, 2};
    static const double x[] = {1, 2, 3};
    struct heard h = {0};
    (void)state;
    smr_ctx *ctx = check_ctx(1);
    smr_table *t = NULL;
    smr_ctx_set_log(ctx, hear, &h);
    check_ok(ctx, smr_table_create(ctx, 3, &t));
    assert_int_equal(smr_ctx_n_warnings(ctx), 0);
    assert_null(smr_ctx_warning(ctx, 0));
    check_ok(ctx, smr_table_add_i64(ctx, t, "id", large, NULL));
    assert_int_equal(smr_ctx_n_warnings(ctx), 1);
    assert_int_equal(h.n, 1);
    assert_string_equal(smr_ctx_warning(ctx, 0), h.last);
    assert_null(smr_ctx_warning(ctx, 1));
    assert_null(smr_ctx_warning(ctx, -1));
    smr_ctx_set_log(ctx, NULL, NULL); /* nobody listens: they are kept all the same */
    check_ok(ctx, smr_table_add_i64(ctx, t, "other", large, NULL));
    assert_int_equal(smr_ctx_n_warnings(ctx), 1);
    assert_int_equal(h.n, 1);
    smr_ctx_clear(ctx);
    assert_int_equal(smr_ctx_n_warnings(ctx), 0);
    check_ok(ctx, smr_table_add_i64(ctx, t, "third", large, NULL));
    check_ok(ctx, smr_table_add_f64(ctx, t, "x", x));
    assert_int_equal(smr_ctx_n_warnings(ctx), 0);
    smr_table_free(t);
    check_ctx_end(ctx);
}

static void a_warning_is_kept_once_and_not_for_ever(void **state)
{
    (void)state;
    smr_ctx *ctx = check_ctx(1);
    for (int k = 0; k < 3; k++) smr_warn(ctx, "the same");
    assert_int_equal(smr_ctx_n_warnings(ctx), 1);
    for (int k = 0; k < 1500; k++) smr_warn(ctx, "number %d", k);
    assert_int_equal(smr_ctx_n_warnings(ctx), 1000);
    assert_string_equal(smr_ctx_warning(ctx, 0), "the same");
    assert_string_equal(smr_ctx_warning(ctx, 999), "number 998");
    assert_int_equal(smr_ctx_memory(ctx, NULL), 0);
    check_ctx_end(ctx);
}

/* ---- setters ---------------------------------------------------------------------------- */

static void what_a_context_was_told_can_be_changed(void **state)
{
    enum { N = 301 };
    double X[2 * N], y[N], out[2][N];
    char *bytes[2];
    int64_t length[2];
    (void)state;
    fill(X, y, N);
    smr_ctx_opts opts = {.size = sizeof opts, .n_threads = 3, .seed = 41, .memory_limit = 1 << 30};
    smr_ctx *first = NULL, *ctx = check_ctx(1);
    assert_int_equal(smr_ctx_create(&opts, &first), SMR_OK);
    check_ok(ctx, live(ctx, X, y, N, out[1], &bytes[1], &length[1]));
    smr_string_free(bytes[1]);
    check_ok(ctx, smr_ctx_set_threads(ctx, 4));
    check_ok(ctx, live(ctx, X, y, N, out[1], &bytes[1], &length[1]));
    smr_string_free(bytes[1]);
    check_ok(ctx, smr_ctx_set_threads(ctx, 3)); /* after four have worked */
    check_ok(ctx, smr_ctx_set_memory_limit(ctx, 1 << 30));
    smr_ctx_set_seed(ctx, 41);
    assert_int_equal(smr_ctx_threads(ctx), 3);
    assert_int_equal(smr_ctx_memory_limit(ctx), 1 << 30);
    assert_int_equal(smr_ctx_seed(ctx), 41);
    check_ok(first, live(first, X, y, N, out[0], &bytes[0], &length[0]));
    check_ok(ctx, live(ctx, X, y, N, out[1], &bytes[1], &length[1]));
    assert_int_equal(length[0], length[1]);
    assert_memory_equal(bytes[0], bytes[1], (size_t)length[0]);
    smr_string_free(bytes[0]);
    smr_string_free(bytes[1]);
    check_ctx_end(first);
    check_ctx_end(ctx);
}

static int stop(void *user, const char *what, int64_t done, int64_t total, double figure)
{
    (void)what, (void)done, (void)total, (void)figure;
    return ++*(int *)user > 0;
}

static void limits_progress_and_bad_values(void **state)
{
    enum { N = 301 };
    double X[2 * N], y[N], out[N];
    char *bytes;
    int64_t length;
    int calls = 0;
    (void)state;
    fill(X, y, N);
    smr_ctx *ctx = check_ctx(1);
    check_fails(ctx, smr_ctx_set_threads(ctx, 1025), SMR_ERR_PARAM,
                "threads: 1 to 1024, or 0 for all the machine's, not 1025");
    check_fails(ctx, smr_ctx_set_threads(ctx, -1), SMR_ERR_PARAM, "not -1");
    check_fails(ctx, smr_ctx_set_memory_limit(ctx, -5), SMR_ERR_PARAM,
                "the memory limit is a number of bytes");
    assert_int_equal(smr_ctx_threads(ctx), 1);
    check_ok(ctx, smr_ctx_set_memory_limit(ctx, 2000));
    check_fails(ctx, live(ctx, X, y, N, out, &bytes, &length), SMR_ERR_NOMEM, "memory budget");
    check_ok(ctx, smr_ctx_set_memory_limit(ctx, 0));
    assert_true(smr_ctx_memory_limit(ctx) > 1 << 20);
    check_ok(ctx, smr_ctx_set_threads(ctx, 0));
    assert_true(smr_ctx_threads(ctx) >= 1);
    smr_ctx_set_progress(ctx, stop, &calls);
    check_fails(ctx, live(ctx, X, y, N, out, &bytes, &length), SMR_ERR_CANCELLED, "cancelled");
    assert_true(calls > 0);
    smr_ctx_set_progress(ctx, NULL, NULL);
    check_ok(ctx, live(ctx, X, y, N, out, &bytes, &length));
    smr_string_free(bytes);
    check_ctx_end(ctx);
}

static void every_status_has_a_name(void **state)
{
    (void)state;
    assert_string_equal(smr_status_name(SMR_OK), "SMR_OK");
    assert_string_equal(smr_task_name(SMR_TASK_NONE), "none");
    assert_string_equal(smr_task_name(SMR_TASK_DENSITY), "density");
    assert_string_equal(smr_task_name(SMR_TASK_OUTLIERS), "outliers");
    assert_string_equal(smr_task_name((smr_task)-1), "unknown task");
    assert_string_equal(smr_task_name((smr_task)(SMR_TASK_OUTLIERS + 1)), "unknown task");
    assert_string_equal(smr_status_name(SMR_ERR_PARAM), "SMR_ERR_PARAM");
    assert_string_equal(smr_status_name(SMR_ERR_UNSUPPORTED), "SMR_ERR_UNSUPPORTED");
    assert_string_equal(smr_status_name(SMR_ERR_FORMAT), "SMR_ERR_FORMAT");
    assert_string_equal(smr_status_name(SMR_ERR_INTERNAL), "SMR_ERR_INTERNAL");
    assert_string_equal(smr_status_name((smr_status)(SMR_ERR_INTERNAL + 1)), "unknown status");
    assert_string_equal(smr_status_name((smr_status)-1), "unknown status");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_callers_allocator_gives_all_memory),
        cmocka_unit_test(a_refusal_of_the_callers_is_out_of_memory),
        cmocka_unit_test(large_blocks_grow_in_the_callers_memory),
        cmocka_unit_test(half_an_allocator_is_refused),
        cmocka_unit_test(warnings_are_those_of_the_last_call),
        cmocka_unit_test(a_warning_is_kept_once_and_not_for_ever),
        cmocka_unit_test(what_a_context_was_told_can_be_changed),
        cmocka_unit_test(limits_progress_and_bad_values),
        cmocka_unit_test(every_status_has_a_name),
    };
    return cmocka_run_group_tests_name("context", tests, NULL, NULL);
}
