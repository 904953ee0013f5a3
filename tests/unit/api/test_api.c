/* test_api.c -- the public header alone: options, errors, ownership, threads.  Nothing private is
 * included here; what a user cannot do, this file cannot do. */
#include <samara.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <math.h>
#include <pthread.h>
#include <unistd.h>

/* ---- helpers ---------------------------------------------------------------------------- */

static smr_ctx *context(void)
{
    smr_ctx *ctx = NULL;
    smr_ctx_opts opts = {.size = sizeof opts, .n_threads = 1};
    assert_int_equal(smr_ctx_create(&opts, &ctx), SMR_OK);
    return ctx;
}

/* Ends a context after checking that everything made with it was freed. */
static void end(smr_ctx *ctx)
{
    int64_t held = smr_ctx_memory(ctx, NULL);
    if (held != 0) fail_msg("%lld bytes were not released", (long long)held);
    smr_ctx_destroy(ctx);
}

#define ok(ctx, call)                                                          \
    do {                                                                       \
        if ((call) != SMR_OK) fail_msg("%s: %s", #call, smr_ctx_message(ctx)); \
    } while (0)

/* The context is not cleared: every call must leave its own status and sentence. */
#define fails(ctx, call, expected, part)                                                      \
    do {                                                                                      \
        smr_status got_ = (call);                                                             \
        if (got_ != (expected) || smr_ctx_status(ctx) != got_ ||                              \
            !strstr(smr_ctx_message(ctx), (part)))                                            \
            fail_msg("%s: %d, '%s'; wanted %d, '%s'", #call, (int)got_, smr_ctx_message(ctx), \
                     (int)(expected), (part));                                                \
    } while (0)

enum { N = 60, D = 3 };

/* y = 1 + 2 x0 - x1 + 0 x2, exactly; classes 0 and 1 by its sign. */
static void fill(double *X, double *y)
{
    for (int i = 0; i < N; i++) {
        for (int j = 0; j < D; j++) X[i * D + j] = sin(1.7 * i + 2.3 * j) + 0.01 * i;
        y[i] = 1 + 2 * X[i * D] - X[i * D + 1];
    }
}

static double X_all[N * D], y_all[N], class_all[N];

static smr_table *matrix(smr_ctx *ctx, bool classes)
{
    smr_table *t = NULL;
    fill(X_all, y_all);
    for (int i = 0; i < N; i++) class_all[i] = y_all[i] > 1;
    ok(ctx, smr_table_from_matrix(ctx, X_all, N, D, classes ? class_all : y_all, &t));
    return t;
}

static smr_model *train(smr_ctx *ctx, const char *sentence, const smr_table *t)
{
    smr_model *m = NULL;
    smr_train_opts opts = {.size = sizeof opts, .target = "y"};
    ok(ctx, smr_train(ctx, sentence, t, &opts, &m));
    return m;
}

/* A file with these bytes under a name that no other file has. */
static void write_file(char *path, const char *pattern, const char *bytes)
{
    strcpy(path, pattern);
    int fd = mkstemps(path, 4);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, bytes, strlen(bytes)), (ssize_t)strlen(bytes));
    close(fd);
}

static const char pattern[] = "/var/tmp/samara-api-XXXXXX.csv";

static smr_table *table_of(smr_ctx *ctx, const char *csv, const smr_open_opts *opts)
{
    char path[sizeof pattern];
    smr_table *t = NULL;
    write_file(path, pattern, csv);
    smr_status st = smr_table_open(ctx, path, opts, &t);
    unlink(path);
    ok(ctx, st);
    return t;
}

/* ---- context ---------------------------------------------------------------------------- */

static void a_context_has_defaults(void **state)
{
    smr_ctx *ctx = NULL;
    (void)state;
    assert_int_equal(smr_ctx_create(NULL, &ctx), SMR_OK);
    assert_string_equal(smr_ctx_message(ctx), "");
    assert_int_equal(smr_ctx_status(ctx), SMR_OK);
    int64_t peak = -1;
    assert_int_equal(smr_ctx_memory(ctx, &peak), 0);
    assert_int_equal(peak, 0);
    smr_ctx_destroy(ctx);
    assert_string_equal(smr_version(), "0.1.0");
}

static void everything_accepts_null_to_free(void **state)
{
    (void)state;
    smr_ctx_destroy(NULL);
    smr_table_free(NULL);
    smr_model_free(NULL);
    smr_predictor_free(NULL);
    smr_string_free(NULL);
}

/* Options of an older caller are shorter; what lies past their size is not read. */
static void options_are_read_up_to_their_size(void **state)
{
    smr_ctx *ctx = NULL;
    smr_ctx_opts opts = {.size = offsetof(smr_ctx_opts, memory_limit), .n_threads = 1};
    smr_model *m = NULL;
    (void)state;
    opts.memory_limit = 10; /* past its size */
    assert_int_equal(smr_ctx_create(&opts, &ctx), SMR_OK);
    smr_table *t = matrix(ctx, false);
    smr_train_opts how = {
        .size = offsetof(smr_train_opts, weight), .target = "y", .weight = "nothing"};
    ok(ctx, smr_train(ctx, "linear", t, &how, &m));
    assert_int_equal(smr_model_n_inputs(m), D);
    smr_model_free(m);
    how.size = sizeof how;
    fails(ctx, smr_train(ctx, "linear", t, &how, &m), SMR_ERR_PARAM, "no column 'nothing'");
    assert_null(m);
    smr_table_free(t);

    smr_open_opts reading = {.size = offsetof(smr_open_opts, header), .header = 0};
    t = table_of(ctx, "a,b\n1,2\n3,4\n", &reading); /* header is detected, not refused */
    assert_int_equal(smr_table_n_rows(t), 2);
    smr_table_free(t);
    reading.size = sizeof reading;
    t = table_of(ctx, "a,b\n1,2\n3,4\n", &reading);
    assert_int_equal(smr_table_n_rows(t), 3);
    smr_table_free(t);
    end(ctx);
}

static void options_of_a_newer_caller_are_refused(void **state)
{
    smr_ctx *ctx = context();
    smr_table *t = matrix(ctx, false);
    struct {
        smr_train_opts known;
        char unknown[64];
    } longer;
    smr_model *m = NULL;
    (void)state;
    memset(&longer, 0x5a, sizeof longer);
    longer.known = (smr_train_opts){.size = sizeof longer, .target = "y"};
    fails(ctx, smr_train(ctx, "linear", t, &longer.known, &m), SMR_ERR_PARAM,
          "smr_train_opts: its size is");
    assert_null(m);
    smr_table_free(t);
    end(ctx);
}

static void a_memory_limit_is_kept(void **state)
{
    smr_ctx *ctx = NULL;
    smr_ctx_opts opts = {.size = sizeof opts, .n_threads = 1, .memory_limit = 6000};
    smr_model *m = NULL;
    (void)state;
    assert_int_equal(smr_ctx_create(&opts, &ctx), SMR_OK);
    smr_table *t = matrix(ctx, false);
    smr_train_opts how = {.size = sizeof how, .target = "y"};
    fails(ctx, smr_train(ctx, "linear", t, &how, &m), SMR_ERR_NOMEM, "memory budget");
    assert_null(m);
    smr_table_free(t);
    end(ctx);
}

static void build_info_names_version_and_parts(void **state)
{
    smr_ctx *ctx = context();
    char *text = NULL;
    (void)state;
    ok(ctx, smr_build_info(ctx, &text));
    assert_non_null(strstr(text, smr_version()));
    assert_non_null(strstr(text, "CPU tier"));
    assert_non_null(strstr(text, "zlib"));
    smr_string_free(text);
    end(ctx);
}

static void collect(void *user, smr_log_level level, const char *message)
{
    char *into = user;
    assert_int_equal(level, SMR_LOG_WARNING);
    strncat(into, message, 1000 - strlen(into));
}

static void warnings_reach_the_log(void **state)
{
    smr_ctx *ctx = NULL;
    char heard[1024] = "";
    smr_ctx_opts opts = {.size = sizeof opts, .n_threads = 1, .log = collect, .log_user = heard};
    smr_model *m = NULL;
    (void)state;
    assert_int_equal(smr_ctx_create(&opts, &ctx), SMR_OK);
    double X[3 * 2] = {1, 2, 3, 5, 5, 1}, y[3] = {1.5, NAN, 2};
    smr_table *t = NULL;
    ok(ctx, smr_table_from_matrix(ctx, X, 3, 2, y, &t));
    smr_train_opts how = {.size = sizeof how, .target = "y"};
    ok(ctx, smr_train(ctx, "knn 1", t, &how, &m));
    assert_non_null(strstr(heard, "1 of 3 rows has no target and is left out"));
    smr_model_free(m);
    smr_table_free(t);
    end(ctx);
}

/* ---- errors ----------------------------------------------------------------------------- */

/* The sentence is that of the last failed call, not of the first: there is no need to clear. */
static void each_call_leaves_its_own_sentence(void **state)
{
    smr_ctx *ctx = context();
    smr_table *t = matrix(ctx, false), *other = NULL;
    smr_model *m = NULL;
    smr_predictor *p = NULL;
    smr_train_opts opts = {.size = sizeof opts, .target = "y"};
    double out[N], x[D] = {0, NAN, 0};
    (void)state;
    fails(ctx, smr_train(ctx, "linera", t, &opts, &m), SMR_ERR_PARAM, "did you mean 'linear'?");
    fails(ctx, smr_table_open(ctx, "no/such.csv", NULL, &other), SMR_ERR_IO, "no/such.csv");
    fails(ctx, smr_table_from_matrix(ctx, out, 0, 3, NULL, &other), SMR_ERR_SHAPE,
          "a matrix needs");
    fails(ctx, smr_model_load(ctx, "no/such.smr", &m), SMR_ERR_IO, "no/such.smr");
    fails(ctx, smr_model_read(ctx, "nonsense", 8, &m), SMR_ERR_FORMAT, "");
    fails(ctx, smr_table_save(ctx, t, "no/such/folder.csv"), SMR_ERR_IO, "no/such/folder.csv");
    m = train(ctx, "linear", t);
    assert_int_equal(smr_ctx_status(ctx), SMR_OK); /* a call that succeeds has no sentence */
    assert_string_equal(smr_ctx_message(ctx), "");
    fails(ctx, smr_predict(ctx, m, t, SMR_OUTPUT_PROBA, out), SMR_ERR_UNSUPPORTED, "probabilities");
    fails(ctx, smr_predict_matrix(ctx, m, X_all, N, 2, SMR_OUTPUT_VALUE, out), SMR_ERR_SHAPE,
          "the model has 3 inputs, the matrix 2 columns");
    fails(ctx, smr_predictor_create(ctx, m, SMR_OUTPUT_LABEL, &p), SMR_ERR_UNSUPPORTED, "labels");
    ok(ctx, smr_predictor_create(ctx, m, SMR_OUTPUT_VALUE, &p));
    fails(ctx, smr_predictor_row(p, x, out), SMR_ERR_DATA, "column '1'");
    fails(ctx, smr_model_save(ctx, m, "no/such/folder.smr"), SMR_ERR_IO, "no/such/folder.smr");
    x[1] = 0;
    ok(ctx, smr_predictor_row(p, x, out));
    assert_string_equal(smr_ctx_message(ctx), "");
    smr_predictor_free(p);
    smr_model_free(m);
    smr_table_free(t);
    end(ctx);
}

static void tables_that_cannot_be_are_refused(void **state)
{
    smr_ctx *ctx = context();
    smr_table *t = (smr_table *)8;
    double X[1] = {0};
    smr_open_opts opts = {.size = sizeof opts, .header = -1, .format = "xlsx"};
    (void)state;
    fails(ctx, smr_table_from_matrix(ctx, NULL, 1, 1, NULL, &t), SMR_ERR_SHAPE, "a matrix needs");
    assert_null(t);
    fails(ctx, smr_table_from_matrix(ctx, X, -1, 1, NULL, &t), SMR_ERR_SHAPE, "rows and columns");
    fails(ctx, smr_table_from_matrix(ctx, X, 1, 0, NULL, &t), SMR_ERR_SHAPE, "rows and columns");
    fails(ctx, smr_table_from_matrix(ctx, X, INT64_C(1) << 31, 1, NULL, &t), SMR_ERR_SHAPE,
          "at most 2^31 - 1");
    fails(ctx, smr_table_open(ctx, "data/iris.csv", &opts, &t), SMR_ERR_PARAM,
          "'xlsx' is not a format");
    opts = (smr_open_opts){.size = sizeof opts, .header = -1, .types = "species=word"};
    fails(ctx, smr_table_open(ctx, "data/iris.csv", &opts, &t), SMR_ERR_PARAM,
          "'word' is not a type");
    assert_null(t);
    smr_ctx_clear(ctx); /* forgets */
    assert_int_equal(smr_ctx_status(ctx), SMR_OK);
    assert_string_equal(smr_ctx_message(ctx), "");
    end(ctx);
}

static void models_that_cannot_be_are_refused(void **state)
{
    smr_ctx *ctx = context();
    smr_table *t = matrix(ctx, false);
    smr_model *m = (smr_model *)8;
    static const struct {
        const char *sentence;
        smr_train_opts opts;
        smr_status status;
        const char *part;
    } bad[] = {
        {"linear", {.target = NULL}, SMR_ERR_PARAM, "--target"},
        {"linear", {.target = ""}, SMR_ERR_PARAM, "--target"},
        {"", {.target = "y"}, SMR_ERR_PARAM, "empty"},
        {"knn 0", {.target = "y"}, SMR_ERR_PARAM, "k = 0 is outside"},
        {"knn | linear", {.target = "y"}, SMR_ERR_PARAM, "end of the sentence"},
        {"linear", {.target = "z"}, SMR_ERR_PARAM, "no column 'z'"},
        {"ridge", {.target = "y", .task = SMR_TASK_CLASSIFY}, SMR_ERR_PARAM, "does not classify"},
        {"linear", {.target = "y", .ignore = "0,1,2"}, SMR_ERR_DATA, "no columns are left"},
        {"linear", {.target = "y", .ignore = "7"}, SMR_ERR_PARAM, "position 7"},
        {"linear", {.target = "y", .types = "0=numbr"}, SMR_ERR_PARAM, "'numbr' is not a type"},
        {"linear", {.target = "y", .types = "zz=number"}, SMR_ERR_PARAM, "no column 'zz'"},
        {"linear", {.target = "y", .weight = "1"}, SMR_ERR_DATA, "weights are numbers >= 0"},
        {"knn 1",
         {.target = "y", .task = SMR_TASK_CLASSIFY, .positive = "7"},
         SMR_ERR_PARAM,
         "no class '7'"},
    };
    (void)state;
    for (size_t k = 0; k < sizeof bad / sizeof *bad; k++) {
        smr_train_opts opts = bad[k].opts;
        opts.size = sizeof opts;
        m = (smr_model *)8;
        fails(ctx, smr_train(ctx, bad[k].sentence, t, &opts, &m), bad[k].status, bad[k].part);
        assert_null(m);
    }
    fails(ctx, smr_train(ctx, "linear", t, NULL, &m), SMR_ERR_PARAM, "--target");
    smr_table_free(t);
    end(ctx);
}

/* ---- tables ----------------------------------------------------------------------------- */

static void a_matrix_is_lent_not_copied(void **state)
{
    smr_ctx *ctx = context();
    double *X = malloc(sizeof *X * 100000), y[2] = {1.5, 2};
    smr_table *t = NULL;
    (void)state;
    assert_non_null(X);
    for (int i = 0; i < 100000; i++) X[i] = i % 7;
    ok(ctx, smr_table_from_matrix(ctx, X, 2, 50000, y, &t));
    assert_int_equal(smr_table_n_rows(t), 2);
    assert_int_equal(smr_table_n_cols(t), 50001);
    assert_string_equal(smr_table_col_name(t, 0), "0");
    assert_string_equal(smr_table_col_name(t, 49999), "49999");
    assert_string_equal(smr_table_col_name(t, 50000), "y");
    assert_null(smr_table_col_name(t, 50001));
    assert_null(smr_table_col_name(t, -1));
    smr_table_free(t);
    free(X);
    end(ctx);
}

static void tables_are_saved_and_opened(void **state)
{
    smr_ctx *ctx = context();
    char path[sizeof pattern];
    (void)state;
    smr_table *t = table_of(ctx, "a;b;c\n1;x,y;2024-01-01\n;z;2024-01-02\n", NULL), *again = NULL;
    assert_int_equal(smr_table_n_cols(t), 3);
    write_file(path, pattern, "");
    ok(ctx, smr_table_save(ctx, t, path));
    ok(ctx, smr_table_open(ctx, path, NULL, &again));
    unlink(path);
    assert_int_equal(smr_table_n_rows(again), 2);
    assert_string_equal(smr_table_col_name(again, 2), "c");
    smr_table_free(t);
    smr_table_free(again);
    end(ctx);
}

static void reading_follows_the_options(void **state)
{
    smr_ctx *ctx = context();
    smr_open_opts opts = {.size = sizeof opts,
                          .header = -1,
                          .delimiter = ';',
                          .missing = "??,none",
                          .types = "zip=category,b=ignore"};
    smr_table *t = table_of(ctx, "zip;x;b;y\n01;1;q;1\n2;??;r;2\n3;none;s;3.5\n4;5;t;4\n", &opts);
    smr_train_opts how = {.size = sizeof how, .target = "y"};
    smr_model *m = NULL;
    (void)state;
    assert_int_equal(smr_table_n_cols(t), 3);
    ok(ctx, smr_train(ctx, "impute | ridge 1", t, &how, &m));
    assert_int_equal(smr_model_n_inputs(m), 2);
    assert_int_equal(smr_model_input_code(m, 0, "01"), 0);
    assert_int_equal(smr_model_input_code(m, 0, "4"), 3);
    assert_int_equal(smr_model_input_code(m, 0, "1"), -1);
    assert_int_equal(smr_model_input_code(m, 1, "1"), -1); /* a number has no codes */
    assert_int_equal(smr_model_input_code(m, 2, "1"), -1);
    smr_model_free(m);
    smr_table_free(t);
    end(ctx);
}

/* ---- models ----------------------------------------------------------------------------- */

static void a_model_tells_task_inputs_and_classes(void **state)
{
    smr_ctx *ctx = context();
    smr_table *t =
        table_of(ctx, "x,colour,kind\n1,red,long name\n2,blue,b\n3.5,red,a\n4,blue,b\n", NULL);
    smr_train_opts how = {.size = sizeof how, .target = "kind"};
    smr_model *m = NULL;
    char name[16];
    (void)state;
    ok(ctx, smr_train(ctx, "knn 1", t, &how, &m));
    assert_int_equal(smr_model_task(m), SMR_TASK_CLASSIFY);
    assert_int_equal(smr_model_n_inputs(m), 2);
    assert_string_equal(smr_model_input_name(m, 0), "x");
    assert_string_equal(smr_model_input_name(m, 1), "colour");
    assert_null(smr_model_input_name(m, 2));
    assert_null(smr_model_input_name(m, -1));
    assert_int_equal(smr_model_n_classes(m), 3);
    assert_int_equal(smr_model_class_name(m, 0, name, sizeof name), 1);
    assert_string_equal(name, "a");
    assert_int_equal(smr_model_class_name(m, 2, name, sizeof name), 9);
    assert_string_equal(name, "long name");
    assert_int_equal(smr_model_class_name(m, 2, name, 5), 9); /* cut, and the full length
                                                                 returned */
    assert_string_equal(name, "long");
    assert_int_equal(smr_model_class_name(m, 2, name, 1), 9);
    assert_string_equal(name, "");
    assert_int_equal(smr_model_class_name(m, 3, name, sizeof name), -1);
    assert_int_equal(smr_model_class_name(m, -1, name, sizeof name), -1);
    assert_int_equal(smr_model_n_outputs(m, SMR_OUTPUT_PROBA), 3);
    assert_int_equal(smr_model_n_outputs(m, SMR_OUTPUT_LABEL), 1);
    assert_int_equal(smr_model_n_outputs(m, SMR_OUTPUT_VALUE), 0);
    assert_int_equal(smr_model_n_outputs(m, SMR_OUTPUT_TRANSFORM), 0);
    smr_model_free(m);
    smr_table_free(t);
    end(ctx);
}

static void train_options_choose_columns_and_task(void **state)
{
    smr_ctx *ctx = context();
    smr_table *t = matrix(ctx, true);
    smr_model *m = NULL;
    smr_train_opts how = {.size = sizeof how, .target = "last", .ignore = "#1"};
    (void)state;
    ok(ctx, smr_train(ctx, "knn 3", t, &how, &m));
    assert_int_equal(smr_model_task(m), SMR_TASK_CLASSIFY);
    assert_int_equal(smr_model_n_inputs(m), 2);
    assert_string_equal(smr_model_input_name(m, 1), "2");
    smr_model_free(m);
    how = (smr_train_opts){.size = sizeof how, .target = "y", .task = SMR_TASK_REGRESS};
    ok(ctx, smr_train(ctx, "knn 3", t, &how, &m));
    assert_int_equal(smr_model_task(m), SMR_TASK_REGRESS);
    assert_int_equal(smr_model_n_classes(m), 0);
    smr_model_free(m);
    how = (smr_train_opts){.size = sizeof how, .target = "0,1"};
    ok(ctx, smr_train(ctx, "linear", t, &how, &m));
    assert_int_equal(smr_model_n_outputs(m, SMR_OUTPUT_VALUE), 2);
    smr_model_free(m);
    ok(ctx, smr_train(ctx, "poly 2", t, NULL, &m)); /* a transform needs no target */
    assert_int_equal(smr_model_task(m), SMR_TASK_NONE);
    assert_int_equal(smr_model_n_outputs(m, SMR_OUTPUT_TRANSFORM), 4 + 10);
    smr_model_free(m);
    smr_table_free(t);
    end(ctx);
}

static void identifiers_are_set_aside_unless_all_are_kept(void **state)
{
    smr_ctx *ctx = context();
    char csv[2048] = "id,x,y\n", row[48];
    (void)state;
    for (int i = 0; i < 40; i++) {
        snprintf(row, sizeof row, "%d,%.3f,%.3f\n", 100 + i, sin(i), cos(3.0 * i));
        strcat(csv, row);
    }
    smr_table *t = table_of(ctx, csv, NULL);
    smr_train_opts how = {.size = sizeof how, .target = "y"};
    smr_model *m = NULL;
    ok(ctx, smr_train(ctx, "linear", t, &how, &m));
    assert_int_equal(smr_model_n_inputs(m), 1);
    smr_model_free(m);
    how.keep_all = true;
    ok(ctx, smr_train(ctx, "linear", t, &how, &m));
    assert_int_equal(smr_model_n_inputs(m), 2);
    smr_model_free(m);
    how.keep_all = false;
    how.types = "id=number";
    ok(ctx, smr_train(ctx, "linear", t, &how, &m));
    assert_int_equal(smr_model_n_inputs(m), 2);
    smr_model_free(m);
    smr_table_free(t);
    end(ctx);
}

static void weights_are_taken_from_a_column(void **state)
{
    smr_ctx *ctx = context();
    smr_table *t = table_of(ctx, "x,w,y\n1,1,1\n1,3,5\n2,1,2\n2,1,4\n", NULL);
    smr_train_opts how = {.size = sizeof how, .target = "y", .weight = "w"};
    smr_model *m = NULL;
    double x = 1, out = 0;
    (void)state;
    ok(ctx, smr_train(ctx, "linear", t, &how, &m));
    ok(ctx, smr_predict_matrix(ctx, m, &x, 1, 1, SMR_OUTPUT_VALUE, &out));
    assert_true(fabs(out - (1 + 3 * 5) / 4.0) < 1e-12);
    smr_model_free(m);
    smr_table_free(t);
    end(ctx);
}

/* ---- predicting ------------------------------------------------------------------------- */

static void all_ways_of_predicting_agree(void **state)
{
    smr_ctx *ctx = context();
    smr_table *t = matrix(ctx, false);
    smr_model *m = train(ctx, "standardize | linear", t);
    double by_table[N], by_matrix[N], by_row;
    smr_predictor *p = NULL;
    (void)state;
    ok(ctx, smr_predict(ctx, m, t, SMR_OUTPUT_VALUE, by_table));
    ok(ctx, smr_predict_matrix(ctx, m, X_all, N, D, SMR_OUTPUT_VALUE, by_matrix));
    ok(ctx, smr_predictor_create(ctx, m, SMR_OUTPUT_VALUE, &p));
    for (int i = 0; i < N; i++) {
        ok(ctx, smr_predictor_row(p, X_all + i * D, &by_row));
        assert_true(by_row == by_table[i] && by_row == by_matrix[i]);
        assert_true(fabs(by_row - y_all[i]) < 1e-9); /* the plane is exact */
    }
    smr_predictor_free(p);
    smr_model_free(m);
    smr_table_free(t);
    end(ctx);
}

static void a_single_row_takes_codes_and_seconds(void **state)
{
    smr_ctx *ctx = context();
    smr_table *t = table_of(ctx,
                            "c,on,y\nred,1970-01-02,1\nblue,1970-01-03,2.5\nred,1970-01-06,3\n"
                            "blue,1970-01-05,1\n",
                            NULL);
    smr_train_opts how = {.size = sizeof how, .target = "y"};
    smr_model *m = NULL;
    smr_predictor *p = NULL;
    double all[4], one;
    static const int day[] = {1, 2, 5, 4};
    (void)state;
    ok(ctx, smr_train(ctx, "linear", t, &how, &m));
    ok(ctx, smr_predict(ctx, m, t, SMR_OUTPUT_VALUE, all));
    ok(ctx, smr_predictor_create(ctx, m, SMR_OUTPUT_VALUE, &p));
    for (int i = 0; i < 4; i++) {
        double x[2] = {(double)smr_model_input_code(m, 0, i % 2 ? "blue" : "red"),
                       86400.0 * day[i]};
        ok(ctx, smr_predictor_row(p, x, &one));
        assert_true(one == all[i]);
    }
    smr_predictor_free(p);
    smr_model_free(m);
    smr_table_free(t);
    end(ctx);
}

static void columns_that_a_model_needs_are_named(void **state)
{
    smr_ctx *ctx = context();
    smr_table *t = matrix(ctx, false), *other = table_of(ctx, "0,2\n1,2\n", NULL);
    smr_model *m = train(ctx, "linear", t);
    double out[2];
    (void)state;
    fails(ctx, smr_predict(ctx, m, other, SMR_OUTPUT_VALUE, out), SMR_ERR_STATE,
          "lacks 1 of the columns that the model needs: '2'");
    smr_model_free(m);
    smr_table_free(t);
    smr_table_free(other);
    end(ctx);
}

/* ---- ownership -------------------------------------------------------------------------- */

static void a_model_outlives_its_table_and_its_context(void **state)
{
    smr_ctx *made = context(), *used = context();
    double *X = malloc(sizeof X_all), *y = malloc(sizeof y_all), before[N], after[N];
    smr_table *t = NULL;
    smr_model *m = NULL;
    smr_train_opts how = {.size = sizeof how, .target = "y"};
    (void)state;
    assert_true(X && y);
    fill(X, y);
    ok(made, smr_table_from_matrix(made, X, N, D, y, &t));
    ok(made, smr_train(made, "standardize | knn 3", t, &how, &m));
    ok(made, smr_predict(made, m, t, SMR_OUTPUT_VALUE, before));
    smr_table_free(t);
    memset(X, 0, sizeof X_all);
    free(X);
    free(y);
    smr_ctx_destroy(made);
    fill(X_all, y_all);
    ok(used, smr_predict_matrix(used, m, X_all, N, D, SMR_OUTPUT_VALUE, after));
    assert_memory_equal(before, after, sizeof before);
    char *json = NULL;
    ok(used, smr_inspect(used, m, &json));
    smr_string_free(json);
    smr_model_free(m);
    end(used);
}

static void strings_and_tables_outlive_their_context(void **state)
{
    smr_ctx *ctx = context();
    smr_table *t = matrix(ctx, false);
    char *text = NULL;
    (void)state;
    ok(ctx, smr_build_info(ctx, &text));
    smr_ctx_destroy(ctx);
    assert_int_equal(smr_table_n_rows(t), N);
    assert_non_null(strstr(text, "samara"));
    smr_string_free(text);
    smr_table_free(t);
}

static void models_are_saved_and_loaded(void **state)
{
    smr_ctx *ctx = context();
    smr_table *t = matrix(ctx, true);
    smr_model *m = train(ctx, "standardize | knn 3", t), *from_file = NULL, *from_bytes = NULL;
    char path[sizeof pattern], *bytes = NULL, *again = NULL;
    int64_t length = 0, length_again = 0;
    double a[2 * N], b[2 * N];
    (void)state;
    write_file(path, pattern, "old");
    ok(ctx, smr_model_save(ctx, m, path));
    ok(ctx, smr_model_load(ctx, path, &from_file));
    ok(ctx, smr_model_write(ctx, m, &bytes, &length));
    ok(ctx, smr_model_read(ctx, bytes, length, &from_bytes));
    ok(ctx, smr_model_write(ctx, from_file, &again, &length_again));
    assert_int_equal(length, length_again);
    assert_memory_equal(bytes, again, (size_t)length);
    ok(ctx, smr_predict(ctx, m, t, SMR_OUTPUT_PROBA, a));
    ok(ctx, smr_predict(ctx, from_bytes, t, SMR_OUTPUT_PROBA, b));
    assert_memory_equal(a, b, sizeof a);
    smr_model_free(from_bytes);
    fails(ctx, smr_model_read(ctx, bytes, length - 1, &from_bytes), SMR_ERR_FORMAT, "");
    assert_null(from_bytes);
    bytes[length / 2] ^= 1;
    fails(ctx, smr_model_read(ctx, bytes, length, &from_bytes), SMR_ERR_FORMAT, "");
    fails(ctx, smr_model_read(ctx, bytes, 0, &from_bytes), SMR_ERR_FORMAT, "");
    unlink(path);
    smr_string_free(bytes);
    smr_string_free(again);
    smr_model_free(from_file);
    smr_model_free(m);
    smr_table_free(t);
    end(ctx);
}

/* ---- looking ---------------------------------------------------------------------------- */

static void looking_gives_json(void **state)
{
    smr_ctx *ctx = context();
    smr_table *t = matrix(ctx, true);
    smr_model *m = train(ctx, "knn 1", t), *none = NULL;
    char *json = NULL;
    (void)state;
    ok(ctx, smr_evaluate(ctx, m, t, &json));
    assert_non_null(strstr(json, "\"accuracy\": 1")); /* its own rows, one neighbour */
    assert_non_null(strstr(json, "\"confusion\""));
    smr_string_free(json);
    ok(ctx, smr_inspect(ctx, m, &json));
    assert_non_null(strstr(json, "\"spec\": \"columns"));
    smr_string_free(json);
    ok(ctx, smr_list(ctx, &json));
    assert_non_null(strstr(json, "\"name\": \"ridge\""));
    smr_string_free(json);
    ok(ctx, smr_train(ctx, "standardize", t, NULL, &none));
    fails(ctx, smr_evaluate(ctx, none, t, &json), SMR_ERR_STATE, "predicts nothing");
    assert_null(json);
    smr_model_free(none);
    smr_model_free(m);
    smr_table_free(t);
    end(ctx);
}

/* ---- cancelling ------------------------------------------------------------------------- */

static int stop_at_once(void *user, const char *what, int64_t done, int64_t total, double figure)
{
    (void)done, (void)total, (void)figure;
    assert_non_null(what);
    ++*(int *)user;
    return 1;
}

static void progress_can_cancel(void **state)
{
    smr_ctx *ctx = NULL;
    int calls = 0;
    smr_ctx_opts opts = {
        .size = sizeof opts, .n_threads = 1, .progress = stop_at_once, .progress_user = &calls};
    smr_model *m = NULL;
    smr_train_opts how = {.size = sizeof how, .target = "y"};
    (void)state;
    assert_int_equal(smr_ctx_create(&opts, &ctx), SMR_OK);
    smr_table *t = matrix(ctx, false);
    fails(ctx, smr_train(ctx, "standardize | linear", t, &how, &m), SMR_ERR_CANCELLED, "cancelled");
    assert_true(calls > 0);
    assert_null(m);
    smr_table_free(t);
    end(ctx);
}

/* Cancelling holds until it is cleared: a call that starts a moment later stops as well. */
static void cancelling_holds_until_cleared(void **state)
{
    smr_ctx *ctx = context();
    smr_table *t = matrix(ctx, false);
    smr_model *m = NULL;
    smr_train_opts how = {.size = sizeof how, .target = "y"};
    (void)state;
    smr_ctx_cancel(ctx);
    fails(ctx, smr_train(ctx, "standardize | linear", t, &how, &m), SMR_ERR_CANCELLED, "cancelled");
    assert_null(m);
    smr_ctx_clear(ctx);
    ok(ctx, smr_train(ctx, "standardize | linear", t, &how, &m));
    smr_model_free(m);
    smr_table_free(t);
    end(ctx);
}

/* ---- threads ---------------------------------------------------------------------------- */

struct job {
    const smr_model *model;
    const double *wanted;
    int failures;
};

/* cmocka's checks belong to the main thread: this one counts. */
static void *predict_over_and_over(void *arg)
{
    struct job *job = arg;
    smr_ctx *ctx = NULL;
    smr_predictor *p = NULL;
    double out[2 * N], one[2];
    if (smr_ctx_create(NULL, &ctx) != SMR_OK) {
        job->failures++;
        return NULL;
    }
    if (smr_predictor_create(ctx, job->model, SMR_OUTPUT_PROBA, &p) != SMR_OK) job->failures++;
    for (int round = 0; p && round < 30; round++) {
        if (smr_predict_matrix(ctx, job->model, X_all, N, D, SMR_OUTPUT_PROBA, out) != SMR_OK ||
            memcmp(out, job->wanted, sizeof out) != 0)
            job->failures++;
        for (int i = 0; i < N; i++)
            if (smr_predictor_row(p, X_all + i * D, one) != SMR_OK ||
                memcmp(one, job->wanted + 2 * i, sizeof one) != 0)
                job->failures++;
    }
    smr_predictor_free(p);
    smr_ctx_destroy(ctx);
    return NULL;
}

static void two_threads_predict_with_one_model(void **state)
{
    smr_ctx *ctx = context();
    smr_table *t = matrix(ctx, true);
    smr_model *m = train(ctx, "standardize | knn 3", t);
    double wanted[2 * N];
    struct job jobs[2];
    pthread_t threads[2];
    (void)state;
    ok(ctx, smr_predict(ctx, m, t, SMR_OUTPUT_PROBA, wanted));
    for (int k = 0; k < 2; k++) {
        jobs[k] = (struct job){m, wanted, 0};
        assert_int_equal(pthread_create(&threads[k], NULL, predict_over_and_over, &jobs[k]), 0);
    }
    for (int k = 0; k < 2; k++) pthread_join(threads[k], NULL);
    assert_int_equal(jobs[0].failures + jobs[1].failures, 0);
    smr_model_free(m);
    smr_table_free(t);
    end(ctx);
}

static void the_number_of_threads_does_not_change_a_byte(void **state)
{
    static const char *const sentences[] = {"standardize | linear", "poly 2 | ridge 0.1,1,10",
                                            "knn 4"};
    (void)state;
    for (int s = 0; s < 3; s++) {
        char *bytes[2] = {NULL, NULL};
        int64_t length[2];
        smr_ctx *ctx[2];
        for (int k = 0; k < 2; k++) {
            smr_ctx_opts opts = {.size = sizeof opts, .n_threads = 1 + 4 * k};
            assert_int_equal(smr_ctx_create(&opts, &ctx[k]), SMR_OK);
            smr_table *t = matrix(ctx[k], false);
            smr_model *m = train(ctx[k], sentences[s], t);
            ok(ctx[k], smr_model_write(ctx[k], m, &bytes[k], &length[k]));
            smr_model_free(m);
            smr_table_free(t);
        }
        assert_int_equal(length[0], length[1]);
        assert_memory_equal(bytes[0], bytes[1], (size_t)length[0]);
        for (int k = 0; k < 2; k++) {
            smr_string_free(bytes[k]);
            smr_ctx_destroy(ctx[k]);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_context_has_defaults),
        cmocka_unit_test(everything_accepts_null_to_free),
        cmocka_unit_test(options_are_read_up_to_their_size),
        cmocka_unit_test(options_of_a_newer_caller_are_refused),
        cmocka_unit_test(a_memory_limit_is_kept),
        cmocka_unit_test(build_info_names_version_and_parts),
        cmocka_unit_test(warnings_reach_the_log),
        cmocka_unit_test(each_call_leaves_its_own_sentence),
        cmocka_unit_test(tables_that_cannot_be_are_refused),
        cmocka_unit_test(models_that_cannot_be_are_refused),
        cmocka_unit_test(a_matrix_is_lent_not_copied),
        cmocka_unit_test(tables_are_saved_and_opened),
        cmocka_unit_test(reading_follows_the_options),
        cmocka_unit_test(a_model_tells_task_inputs_and_classes),
        cmocka_unit_test(train_options_choose_columns_and_task),
        cmocka_unit_test(identifiers_are_set_aside_unless_all_are_kept),
        cmocka_unit_test(weights_are_taken_from_a_column),
        cmocka_unit_test(all_ways_of_predicting_agree),
        cmocka_unit_test(a_single_row_takes_codes_and_seconds),
        cmocka_unit_test(columns_that_a_model_needs_are_named),
        cmocka_unit_test(a_model_outlives_its_table_and_its_context),
        cmocka_unit_test(strings_and_tables_outlive_their_context),
        cmocka_unit_test(models_are_saved_and_loaded),
        cmocka_unit_test(looking_gives_json),
        cmocka_unit_test(progress_can_cancel),
        cmocka_unit_test(cancelling_holds_until_cleared),
        cmocka_unit_test(two_threads_predict_with_one_model),
        cmocka_unit_test(the_number_of_threads_does_not_change_a_byte),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
