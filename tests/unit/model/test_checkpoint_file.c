/* A fit that was stopped anywhere and goes on from its checkpoint gives the bytes of one that was
 * not; what is not a checkpoint of this fit is refused. */
#include "check.h"

#include "core/rng.h"
#include "core/sha256.h"
#include "learn/model.h"
#include "learn/registry.h"
#include "model/checkpoint_file.h"
#include "model/safetensors.h"

#include <sys/stat.h>
#include <unistd.h>

enum { ROWS = 173, COLS = 5 };

/* ---- data, fits ----------------------------------------------------------------------------- */

static double unit(uint64_t seed, int64_t i)
{
    return smr_random_unit(seed, SMR_STREAM_TEST, 3, (uint64_t)i);
}

/* Numbers with gaps, a category, a number to predict and a class; other seeds, other data. */
static smr_table *make_table(smr_ctx *ctx, uint64_t seed)
{
    char path[] = "/tmp/samara-checkpoint-XXXXXX";
    static const char *const levels[] = {"red", "green", "blue", "grey", "pink"};
    int file = mkstemp(path);
    FILE *f = fdopen(file, "w");
    fprintf(f, "a,b,c,d,g,w,y,z\n");
    for (int64_t i = 0; i < ROWS; i++) {
        double x[COLS];
        for (int64_t j = 0; j < COLS; j++) x[j] = unit(seed, i * COLS + j);
        int level = (int)(x[4] * 5);
        double y =
            8 * x[0] * x[1] + 3 * x[2] + (level == 1 || level == 3 ? 4 : 0) + unit(seed + 1, i);
        fprintf(f, "%.6f,%.6f,", x[0], x[1]);
        if (i % 11 != 3) fprintf(f, "%.6f", x[2]);
        fprintf(f, ",%.6f,%s,%d,%.6f,%s\n", x[3], levels[level], 1 + (int)(i % 3), y,
                y > 8   ? "high"
                : y > 5 ? "mid"
                        : "low");
    }
    fclose(f);
    smr_table *t = NULL;
    check_ok(ctx, smr_table_open(ctx, path, NULL, &t));
    unlink(path);
    return t;
}

struct stopping {
    smr_ctx *ctx;
    int64_t left; /* ticks until it cancels; 0: never */
    int64_t seen;
};

/* Every tick is reported, whatever the time. */
static int on_progress(void *user, const char *what, int64_t done, int64_t total, double figure)
{
    struct stopping *s = user;
    (void)what, (void)done, (void)total, (void)figure;
    s->ctx->progress_last = 0;
    s->seen++;
    return s->left > 0 && --s->left == 0;
}

static smr_ctx *make_ctx(int n_threads, uint64_t seed, struct stopping *s)
{
    smr_ctx_opts opts = {.size = sizeof opts,
                         .n_threads = n_threads,
                         .seed = seed,
                         .progress = on_progress,
                         .progress_user = s};
    assert_int_equal(smr_ctx_create(&opts, &s->ctx), SMR_OK);
    s->left = s->seen = 0;
    return s->ctx;
}

struct asked {
    const char *sentence, *target;
    const char *weight;
    const char *file; /* of the checkpoint, or NULL */
    bool resume;
    double seconds;
};

static smr_status fit(smr_ctx *ctx, const struct asked *a, const smr_table *t, char **bytes,
                      int64_t *length)
{
    smr_model *m = NULL;
    smr_train_opts opts = {.size = sizeof opts,
                           .target = a->target,
                           .ignore = a->target[0] == 'y' ? "z" : "y",
                           .weight = a->weight,
                           .checkpoint = a->file,
                           .checkpoint_seconds = a->file ? a->seconds : 0,
                           .resume = a->resume};
    *bytes = NULL;
    smr_status st = smr_train(ctx, a->sentence, t, &opts, &m);
    if (st == SMR_OK) st = smr_model_write(ctx, m, bytes, length);
    smr_model_free(m);
    return st;
}

static char *name_file(char *path)
{
    close(mkstemp(path));
    unlink(path);
    return path;
}

static void check_bytes(const char *what, int64_t at, const char *got, int64_t n, const char *want,
                        int64_t m)
{
    if (n != m || memcmp(got, want, (size_t)m) != 0)
        fail_msg("%s: stopped at %lld, the model has other bytes", what, (long long)at);
}

/* ---- the same bytes ------------------------------------------------------------------------- */

static const struct asked learners[] = {
    {"boost rounds=7 max_leaves=5", "y", NULL, NULL, false, 0},
    {"boost rounds=6 max_leaves=5 rows=0.6 columns=0.7", "z", "w", NULL, false, 0},
    {"boost rounds=12 patience=3 rate=0.5 max_leaves=4", "z", NULL, NULL, false, 0},
    {"boost rounds=9 loss=absolute sampling=goss rate=0.4 max_leaves=4", "y", NULL, NULL, false, 0},
    {"forest 17", "z", NULL, NULL, false, 0},
    {"forest 7 bootstrap=no importance=gain", "y", NULL, NULL, false, 0},
    {"forest 8 importance=permutation", "y", "w", NULL, false, 0},
    {"adaboost 6 of=(tree max_depth=2)", "z", NULL, NULL, false, 0},
    {"adaboost 6 method=real of=(tree max_depth=2)", "z", "w", NULL, false, 0},
    {"adaboost 6 of=(knn 3)", "y", NULL, NULL, false, 0},
    {"bag 9 of=(tree)", "z", NULL, NULL, false, 0},
    {"bag 7 columns=0.6 of=(standardize | ridge)", "y", NULL, NULL, false, 0},
    {"standardize | net (dense 4 | tanh | norm | dropout 0.3) epochs=3 batch=60", "z", "w", NULL,
     false, 0},
    {"net (dense 3 | relu) epochs=4 patience=2 batch=70 method=momentum schedule=plateau period=1",
     "y", NULL, NULL, false, 0},
    {"standardize | boost rounds=5 max_leaves=4", "y", NULL, NULL, false, 0},
};

/* Stopped at every tick in turn, then without a stop to the end. */
static void stop_everywhere(const struct asked *of, const smr_table *t, int threads)
{
    char path[] = "/tmp/samara-checkpoint-XXXXXX", *want = NULL, *got = NULL;
    int64_t n_want, n_got, kept = 0;
    struct stopping s;
    smr_ctx *ctx = make_ctx(threads, 5, &s);
    struct asked a = *of;
    check_ok(ctx, fit(ctx, &a, t, &want, &n_want));
    a.file = name_file(path);
    a.seconds = 1e6; /* only what cancelling keeps */
    for (int64_t r = 1;; r++) {
        a.resume = false;
        s.left = r;
        smr_status st = fit(ctx, &a, t, &got, &n_got);
        s.left = 0;
        if (st == SMR_OK) { /* it ended before the tick: and kept nothing */
            check_bytes(a.sentence, r, got, n_got, want, n_want);
            smr_string_free(got);
            assert_int_not_equal(access(path, F_OK), 0);
            break;
        }
        assert_int_equal(st, SMR_ERR_CANCELLED);
        kept += access(path, F_OK) == 0;
        if (access(path, F_OK) == 0)
            assert_non_null(strstr(smr_ctx_message(ctx), "which are kept"));
        smr_ctx_clear(ctx);
        a.resume = true;
        check_ok(ctx, fit(ctx, &a, t, &got, &n_got));
        check_bytes(a.sentence, r, got, n_got, want, n_want);
        smr_string_free(got);
        unlink(path);
    }
    /* On several threads the ticks of a small fit may all fall into its first wave. */
    if (kept == 0 && threads == 1) fail_msg("%s never kept anything", a.sentence);
    smr_string_free(want);
    check_ctx_end(ctx);
}

static void a_fit_stopped_anywhere_goes_on_to_the_same_bytes(void **state)
{
    smr_ctx *ctx = check_ctx(1);
    smr_table *t = make_table(ctx, 1);
    (void)state;
    for (int64_t i = 0; i < SMR_COUNT(learners); i++)
        for (int threads = 1; threads <= 3; threads += 2) stop_everywhere(&learners[i], t, threads);
    smr_table_free(t);
    check_ctx_end(ctx);
}

/* Kept after every round, taken up again and again, at other numbers of threads. */
static void a_fit_stopped_again_and_again_comes_to_its_end(void **state)
{
    smr_ctx *ctx = check_ctx(1);
    smr_table *t = make_table(ctx, 1);
    (void)state;
    for (int64_t i = 0; i < SMR_COUNT(learners); i++) {
        char path[] = "/tmp/samara-checkpoint-XXXXXX", *want = NULL, *got = NULL;
        int64_t n_want, n_got, runs = 0;
        struct asked a = learners[i];
        check_ok(ctx, fit(ctx, &a, t, &want, &n_want));
        a.file = name_file(path);
        a.seconds = -1;
        a.resume = true;
        for (smr_status st = SMR_ERR_CANCELLED; st != SMR_OK; runs++) {
            struct stopping s;
            smr_ctx *own = make_ctx(1 + (int)(runs % 3), 0, &s);
            s.left = 3 + runs;
            st = fit(own, &a, t, &got, &n_got);
            if (st != SMR_OK) assert_int_equal(st, SMR_ERR_CANCELLED);
            if (st == SMR_OK) check_bytes(a.sentence, runs, got, n_got, want, n_want);
            smr_string_free(got);
            check_ctx_end(own);
        }
        assert_true(runs > 1);
        unlink(path);
        smr_string_free(want);
    }
    smr_table_free(t);
    check_ctx_end(ctx);
}

/* ---- what is refused ------------------------------------------------------------------------ */

/* A checkpoint of a boost fit, after its second round. */
static void make_checkpoint(const smr_table *t, char *path)
{
    struct stopping s;
    struct asked a = {"boost rounds=7 max_leaves=5", "y", NULL, name_file(path), false, -1};
    smr_ctx *ctx = make_ctx(1, 5, &s);
    char *bytes;
    int64_t n;
    s.left = 3;
    assert_int_equal(fit(ctx, &a, t, &bytes, &n), SMR_ERR_CANCELLED);
    assert_string_equal(smr_ctx_message(ctx), "cancelled after 2 of 7 rounds of boost, which are "
                                              "kept: --resume continues from there");
    assert_int_equal(access(path, F_OK), 0);
    check_ctx_end(ctx);
}

static void the_checkpoint_of_another_fit_is_refused_by_name(void **state)
{
    static const struct {
        struct asked a;
        uint64_t seed, data;
        const char *says;
    } cases[] = {
        {{"boost rounds=8 max_leaves=5", "y", NULL, NULL, true, 0},
         5,
         1,
         "its sentence has rounds=7 where this one has rounds=8"},
        {{"boost rounds=7 max_leaves=5", "y", NULL, NULL, true, 0},
         6,
         1,
         "its seed is 5, and here it is 6"},
        {{"boost rounds=7 max_leaves=5", "y", NULL, NULL, true, 0}, 5, 2, "the data differ"},
        {{"boost rounds=7 max_leaves=5", "z", NULL, NULL, true, 0},
         5,
         1,
         "task, target, weights or groups differ"},
        {{"boost rounds=7 max_leaves=5", "y", "w", NULL, true, 0},
         5,
         1,
         "task, target, weights or groups differ"},
        {{"boost rounds=7 max_leaves=5", "y", NULL, NULL, false, 0}, 5, 1, "is there already"},
        {{"ridge", "y", NULL, NULL, true, 0},
         5,
         1,
         "ridge cannot stop in the middle of its work and go on"},
    };
    char path[] = "/tmp/samara-checkpoint-XXXXXX", *bytes;
    smr_ctx *plain = check_ctx(1);
    smr_table *t[2] = {make_table(plain, 1), make_table(plain, 2)};
    int64_t n;
    (void)state;
    make_checkpoint(t[0], path);
    for (int64_t i = 0; i < SMR_COUNT(cases); i++) {
        struct stopping s;
        smr_ctx *ctx = make_ctx(1, cases[i].seed, &s);
        struct asked a = cases[i].a;
        a.file = path;
        smr_status st = fit(ctx, &a, t[cases[i].data - 1], &bytes, &n);
        assert_true(st == SMR_ERR_STATE || st == SMR_ERR_PARAM);
        if (!strstr(smr_ctx_message(ctx), cases[i].says))
            fail_msg("'%s' does not say '%s'", smr_ctx_message(ctx), cases[i].says);
        check_ctx_end(ctx);
        assert_int_equal(access(path, F_OK), 0);
    }
    unlink(path);
    smr_table_free(t[0]);
    smr_table_free(t[1]);
    check_ctx_end(plain);
}

/* Other rows of the same table. */
static void the_checkpoint_of_other_rows_is_refused(void **state)
{
    char path[] = "/tmp/samara-checkpoint-XXXXXX";
    struct stopping s;
    smr_ctx *ctx = make_ctx(1, 5, &s);
    smr_table *t = make_table(ctx, 1);
    smr_spec *spec = NULL;
    smr_train_set *set = NULL;
    smr_model *m = NULL;
    smr_checkpoint *c = NULL;
    int64_t rows[ROWS];
    (void)state;
    for (int64_t i = 0; i < ROWS; i++) rows[i] = i;
    check_ok(ctx, smr_spec_parse(ctx, "boost rounds=7 max_leaves=5", &spec));
    check_ok(ctx, smr_train_set_create(ctx, t, spec, &(smr_set_opts){.target = "y", .ignore = "z"},
                                       &set));
    check_ok(ctx, smr_checkpoint_create(ctx, name_file(path), 0, true, &c));
    set->checkpoint = c;
    s.left = 4;
    check_fails(ctx, smr_fit(ctx, spec, set, rows, 100, &m), SMR_ERR_CANCELLED, "after 3 of 7");
    check_fails(ctx, smr_fit(ctx, spec, set, rows + 1, 100, &m), SMR_ERR_STATE, "the rows differ");
    check_ok(ctx, smr_fit(ctx, spec, set, rows, 100, &m));
    assert_int_equal(c->resumed_at, 3);
    smr_checkpoint_remove(c);
    assert_int_not_equal(access(path, F_OK), 0);
    smr_model_free(m);
    smr_checkpoint_free(c);
    smr_train_set_free(set);
    smr_spec_free(spec);
    smr_table_free(t);
    check_ctx_end(ctx);
}

static char *read_bytes(const char *path, int64_t *n)
{
    FILE *f = fopen(path, "rb");
    assert_non_null(f);
    char *bytes = malloc(1 << 20);
    *n = (int64_t)fread(bytes, 1, 1 << 20, f);
    fclose(f);
    return bytes;
}

static void write_bytes(const char *path, const char *bytes, int64_t n)
{
    FILE *f = fopen(path, "wb");
    assert_int_equal(fwrite(bytes, 1, (size_t)n, f), n);
    fclose(f);
}

static void damaged_and_foreign_files_are_refused(void **state)
{
    char path[] = "/tmp/samara-checkpoint-XXXXXX", *model = NULL, *got = NULL;
    struct stopping s;
    smr_ctx *ctx = make_ctx(1, 5, &s);
    smr_table *t = make_table(ctx, 1);
    struct asked a = {"boost rounds=7 max_leaves=5", "y", NULL, NULL, false, 0};
    int64_t n, n_model, n_got;
    (void)state;
    make_checkpoint(t, path);
    char *bytes = read_bytes(path, &n);
    check_ok(ctx, fit(ctx, &a, t, &model, &n_model));
    a.file = path;
    a.resume = true;
    for (int64_t k = 0; k < 300; k++) { /* one bit anywhere */
        int64_t at = (int64_t)(unit(8, k) * (double)n);
        bytes[at] = (char)(bytes[at] ^ 1 << k % 8);
        write_bytes(path, bytes, n);
        bytes[at] = (char)(bytes[at] ^ 1 << k % 8);
        assert_int_equal(fit(ctx, &a, t, &got, &n_got), SMR_ERR_FORMAT);
        smr_ctx_clear(ctx);
    }
    for (int64_t k = 0; k < 100; k++) {
        write_bytes(path, bytes, (int64_t)(unit(9, k) * (double)n));
        assert_int_equal(fit(ctx, &a, t, &got, &n_got), SMR_ERR_FORMAT);
        smr_ctx_clear(ctx);
    }
    write_bytes(path, model, n_model);
    check_fails(ctx, fit(ctx, &a, t, &got, &n_got), SMR_ERR_FORMAT,
                "is not a checkpoint of samara, but a model file");
    write_bytes(path, "a,b\n1,2\n", 8);
    check_fails(ctx, fit(ctx, &a, t, &got, &n_got), SMR_ERR_FORMAT, "reading the checkpoint");
    write_bytes(path, bytes, n);
    check_ok(ctx, fit(ctx, &a, t, &got, &n_got));
    check_bytes(a.sentence, 0, got, n_got, model, n_model);
    unlink(path);
    smr_string_free(got);
    smr_string_free(model);
    free(bytes);
    smr_table_free(t);
    check_ctx_end(ctx);
}

/* Writes the checksum of the bytes where their header has room for one; its length. */
static int64_t mend_checksum(char *bytes, int64_t n)
{
    uint64_t header = 0;
    char hex[65];
    smr_sha256 hash;
    for (int k = 7; k >= 0; k--) header = header << 8 | (uint8_t)bytes[k];
    if (header > (uint64_t)(n - 8)) return 0;
    int64_t at = smr_safetensors_find_checksum(bytes + 8, (int64_t)header);
    if (at < 0 || at + 64 > (int64_t)header) return (int64_t)header;
    memset(bytes + 8 + at, '0', 64);
    smr_sha256_begin(&hash);
    smr_sha256_add(&hash, bytes, (size_t)n);
    smr_sha256_hex(&hash, hex);
    memcpy(bytes + 8 + at, hex, 64);
    return (int64_t)header;
}

/* Bytes are changed in the header or in the tensors, under a good checksum. */
static void forge(smr_ctx *ctx, const struct asked *a, const smr_table *t, const char *good,
                  int64_t n)
{
    char *bytes = malloc((size_t)n), *got;
    int64_t n_got;
    memcpy(bytes, good, (size_t)n);
    int64_t header = 8 + mend_checksum(bytes, n);
    for (int64_t k = 0; k < (CHECK_MEMORY ? 140 : 400); k++) {
        int64_t at = k % 2 ? (int64_t)(unit(21, k) * (double)header)
                           : header + (int64_t)(unit(22, k) * (double)(n - header));
        static const char to[] = {0, 1, -1, 127, '0', '9', '"'};
        memcpy(bytes, good, (size_t)n);
        if (at < n) bytes[at] = to[k / 2 % 7];
        mend_checksum(bytes, n);
        write_bytes(a->file, bytes, n);
        smr_status st = fit(ctx, a, t, &got, &n_got);
        if (st != SMR_OK && st != SMR_ERR_FORMAT && st != SMR_ERR_STATE && st != SMR_ERR_NUMERIC &&
            st != SMR_ERR_DATA)
            fail_msg("%s, byte %lld: %s", a->sentence, (long long)at, smr_ctx_message(ctx));
        smr_ctx_clear(ctx);
        smr_string_free(got);
    }
    free(bytes);
}

/* What passes the checks is safe to go on from, whatever the numbers say. */
static void forged_checkpoints_do_no_harm(void **state)
{
    check_no_races();
    static const char *const sentences[] = {"boost rounds=5 max_leaves=4", "forest 9",
                                            "adaboost 5 of=(tree max_depth=2)",
                                            "bag 12 of=(tree max_depth=2)"};
    smr_ctx *plain = check_ctx(1);
    smr_table *t = make_table(plain, 1);
    (void)state;
    for (int64_t i = 0; i < SMR_COUNT(sentences); i++) {
        char path[] = "/tmp/samara-checkpoint-XXXXXX", *got;
        struct stopping s;
        smr_ctx *ctx = make_ctx(1, 5, &s);
        struct asked a = {sentences[i], "z", NULL, name_file(path), false, 1e6};
        int64_t n_got, n;
        s.left = 4;
        assert_int_equal(fit(ctx, &a, t, &got, &n_got), SMR_ERR_CANCELLED);
        smr_ctx_clear(ctx);
        char *good = read_bytes(path, &n);
        a.resume = true;
        forge(ctx, &a, t, good, n);
        unlink(path);
        free(good);
        check_ctx_end(ctx);
    }
    smr_table_free(t);
    check_ctx_end(plain);
}

/* ---- what goes wrong ------------------------------------------------------------------------ */

static char last_warning[600];

static void hear(void *user, smr_log_level level, const char *message)
{
    (void)user, (void)level;
    snprintf(last_warning, sizeof last_warning, "%s", message);
}

static void a_checkpoint_that_cannot_be_written_is_a_warning(void **state)
{
    struct stopping s;
    smr_ctx *ctx = make_ctx(1, 5, &s);
    smr_table *t = make_table(ctx, 1);
    struct asked a = {"boost rounds=7 max_leaves=5", "y", NULL, NULL, false, -1};
    char *want, *got;
    int64_t n_want, n_got;
    (void)state;
    check_ok(ctx, fit(ctx, &a, t, &want, &n_want));
    ctx->log = hear;
    a.file = "/tmp/there-is-no/such/folder/c.ck";
    check_ok(ctx, fit(ctx, &a, t, &got, &n_got));
    check_bytes(a.sentence, 0, got, n_got, want, n_want);
    assert_non_null(
        strstr(last_warning, "no checkpoint could be written, and the fit goes on without"));
    smr_string_free(got);
    s.left = 3;
    check_fails(ctx, fit(ctx, &a, t, &got, &n_got), SMR_ERR_CANCELLED,
                "cancelled, and no checkpoint could be written");
    smr_string_free(want);
    smr_table_free(t);
    check_ctx_end(ctx);
}

/* Whichever allocation fails, going on from the checkpoint fails cleanly, or ends with the bytes of
 * the whole fit, and the file stays good. */
static void failing_allocations_are_survived(void **state)
{
    check_no_races();
    static const char *const sentences[] = {"boost rounds=5 max_leaves=3", "forest 9",
                                            "adaboost 5 of=(stump)", "bag 12 of=(stump)"};
    smr_ctx *plain = check_ctx(1);
    smr_table *t = make_table(plain, 1);
    (void)state;
    for (int64_t i = 0; i < SMR_COUNT(sentences); i++) {
        char path[] = "/tmp/samara-checkpoint-XXXXXX", *want, *got;
        struct stopping s;
        smr_ctx *ctx = make_ctx(1, 5, &s);
        struct asked a = {sentences[i], "z", NULL, NULL, false, -1};
        int64_t n_want, n_got;
        check_ok(ctx, fit(ctx, &a, t, &want, &n_want));
        a.file = name_file(path);
        s.left = 4;
        assert_int_equal(fit(ctx, &a, t, &got, &n_got), SMR_ERR_CANCELLED);
        smr_ctx_clear(ctx);
        assert_int_equal(access(path, F_OK), 0);
        int64_t n;
        char *kept = read_bytes(path, &n);
        a.resume = true;
        smr_status st = SMR_ERR_NOMEM;
        for (int64_t k = 0; k < 20000; k += 1 + k / (CHECK_MEMORY ? 12 : 40)) {
            smr_memory_fail_at(ctx, k);
            st = fit(ctx, &a, t, &got, &n_got);
            smr_memory_fail_at(ctx, -1);
            if (st == SMR_OK) {
                check_bytes(a.sentence, k, got, n_got, want, n_want);
                smr_string_free(got);
            } else {
                assert_int_equal(st, SMR_ERR_NOMEM);
                smr_ctx_clear(ctx);
            }
            write_bytes(path, kept, n);
        }
        assert_int_equal(st, SMR_OK);
        free(kept);
        unlink(path);
        smr_string_free(want);
        check_ctx_end(ctx);
    }
    smr_table_free(t);
    check_ctx_end(plain);
}

/* What a killed write left behind goes with the next start. */
static void remains_of_a_killed_writing_are_swept(void **state)
{
    char path[] = "/tmp/samara-checkpoint-XXXXXX", rest[80], other[80], *got;
    struct stopping s;
    smr_ctx *ctx = make_ctx(1, 5, &s);
    smr_table *t = make_table(ctx, 1);
    struct asked a = {"forest 3", "y", NULL, name_file(path), true, 0};
    int64_t n_got;
    (void)state;
    snprintf(rest, sizeof rest, "%s.tmp-4711", path);
    snprintf(other, sizeof other, "%s.tmp-note", path);
    write_bytes(rest, "x", 1);
    write_bytes(other, "x", 1);
    check_ok(ctx, fit(ctx, &a, t, &got, &n_got));
    smr_string_free(got);
    assert_int_not_equal(access(rest, F_OK), 0);
    assert_int_equal(access(other, F_OK), 0);
    unlink(other);
    smr_table_free(t);
    check_ctx_end(ctx);
}

/* Tables of what is kept are like those of states: dimensions come before the arrays, and every
 * row has its words. */
static void the_tables_of_what_is_kept_are_sound(void **state)
{
    int64_t n, found = 0;
    const smr_learner *const *all = smr_registry(&n);
    (void)state;
    for (int64_t i = 0; i < n; i++) {
        const smr_can_resume *r = all[i]->resume;
        if (!r) continue;
        found++;
        assert_non_null(r->suspend);
        assert_non_null(r->resume);
        for (int64_t k = 0; k < r->n_state; k++) {
            assert_non_null(r->state[k].doc);
            assert_true(r->state[k].offset < r->state_size);
            for (int d = 0; d < SMR_RANK_MAX && r->state[k].dims[d]; d++) {
                bool known = false;
                for (int64_t j = 0; j < k; j++)
                    known |= r->state[j].type == SMR_STATE_INT &&
                             strcmp(r->state[j].name, r->state[k].dims[d]) == 0;
                if (!known) fail_msg("%s: %s", all[i]->word->name, r->state[k].name);
            }
        }
    }
    assert_true(found >= 4);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_fit_stopped_anywhere_goes_on_to_the_same_bytes),
        cmocka_unit_test(a_fit_stopped_again_and_again_comes_to_its_end),
        cmocka_unit_test(the_checkpoint_of_another_fit_is_refused_by_name),
        cmocka_unit_test(the_checkpoint_of_other_rows_is_refused),
        cmocka_unit_test(damaged_and_foreign_files_are_refused),
        cmocka_unit_test(forged_checkpoints_do_no_harm),
        cmocka_unit_test(a_checkpoint_that_cannot_be_written_is_a_warning),
        cmocka_unit_test(failing_allocations_are_survived),
        cmocka_unit_test(remains_of_a_killed_writing_are_swept),
        cmocka_unit_test(the_tables_of_what_is_kept_are_sound),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
