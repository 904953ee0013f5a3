/* Every field of every public struct of options acts, or is refused, or is excused here with a
 * reason: no caller's wish is ignored in silence.  tests/contract/flags asks the same of
 * commands. */
#define _GNU_SOURCE /* mkdtemp */
#include "check.h"

#include "samara.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { N = 60, MOST = 40, ROOM = 64 };

static struct {
    smr_ctx *ctx;
    smr_table *table, *more;
    smr_model *two, *number, *trees, *plane, *warm, *layers;
    smr_network *net;
    char folder[ROOM], csv[2 * ROOM], npy[2 * ROOM], log[2 * ROOM], none[2 * ROOM];
    int heard;
} world;

#define W world.ctx
#define T world.table

/* ---- the world --------------------------------------------------------------------------- */

static smr_table *make_table(smr_ctx *ctx, int shift)
{
    static const char *const places[] = {"north", "south", "west"};
    double a[N], b[N], w[N], t[N], y[N], few[N];
    int64_t id[N];
    const char *place[N], *class[N];
    smr_table *table = NULL;
    for (int i = 0; i < N; i++) {
        int k = i + shift;
        a[i] = k * 7 % 23 + 0.25;
        b[i] = k * 5 % 17 - 0.5;
        w[i] = 1 + k % 3;
        t[i] = k * 11 % N;
        few[i] = k % 4;
        id[i] = 1000 + i;
        y[i] = a[i] - 2 * b[i] + k % 5 * 3.5;
        place[i] = places[k * k % 7 % 3];
        class[i] = a[i] - b[i] + k % 6 > 7 ? "yes" : "no";
    }
    check_ok(ctx, smr_table_create(ctx, N, &table));
    check_ok(ctx, smr_table_add_f64(ctx, table, "a", a));
    check_ok(ctx, smr_table_add_f64(ctx, table, "b", b));
    check_ok(ctx, smr_table_add_f64(ctx, table, "w", w));
    check_ok(ctx, smr_table_add_f64(ctx, table, "t", t));
    check_ok(ctx, smr_table_add_f64(ctx, table, "few", few));
    check_ok(ctx, smr_table_add_i64(ctx, table, "id", id, NULL));
    check_ok(ctx, smr_table_add_f64(ctx, table, "y", y));
    check_ok(ctx, smr_table_add_strings(ctx, table, "place", place));
    check_ok(ctx, smr_table_add_strings(ctx, table, "class", class));
    return table;
}

static smr_model *fit(const char *sentence, const char *target, const char *ignore)
{
    smr_train_opts how = {.size = sizeof how, .target = target, .ignore = ignore};
    smr_model *m = NULL;
    check_ok(W, smr_train(W, sentence, T, &how, &m));
    return m;
}

static int set_up(void **state)
{
    double X[2 * N];
    smr_table *matrix = NULL;
    (void)state;
    W = check_ctx(1);
    T = make_table(W, 0);
    world.more = make_table(W, 3);
    world.two = fit("logistic", "class", "w,t,few,y");
    world.warm = fit("logistic", "class", "w,t,few,y");
    world.number = fit("ridge", "y", "w,t,few,class");
    world.trees = fit("forest 5", "class", "w,t,few,y");
    world.plane = fit("knn 5", "class", "w,t,few,y,place");
    world.layers = fit("net (dense 3 | tanh) epochs=2", "class", "w,t,few,y,place");
    static const char net[] = "variable a: x, y\nvariable b: u, v\nP(a) = 0.25, 0.75\n"
                              "P(b | a)\n x: 0.5, 0.5\n y: 0.1, 0.9\n";
    check_ok(W, smr_network_read(W, net, sizeof net - 1, &world.net));
    strcpy(world.folder, "/tmp/samara-used-XXXXXX");
    assert_non_null(mkdtemp(world.folder));
    snprintf(world.csv, sizeof world.csv, "%s/t.csv", world.folder);
    snprintf(world.npy, sizeof world.npy, "%s/t.npy", world.folder);
    snprintf(world.log, sizeof world.log, "%s/log", world.folder);
    snprintf(world.none, sizeof world.none, "%s/none", world.folder);
    check_ok(W, smr_table_save(W, T, world.csv));
    for (int i = 0; i < 2 * N; i++) X[i] = i * 3 % 11;
    check_ok(W, smr_table_from_matrix(W, X, N, 2, NULL, &matrix));
    check_ok(W, smr_table_save(W, matrix, world.npy));
    smr_table_free(matrix);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    unlink(world.csv);
    unlink(world.npy);
    unlink(world.log);
    rmdir(world.folder);
    smr_model *all[] = {world.two,   world.number, world.trees,
                        world.plane, world.warm,   world.layers};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) smr_model_free(all[i]);
    smr_network_free(world.net);
    smr_table_free(T);
    smr_table_free(world.more);
    check_ctx_end(W);
    return 0;
}

/* ---- what a call gives, as text ---------------------------------------------------------- */

/* Without lines about time. */
static char *of_json(smr_status st, char *json)
{
    char *out = NULL;
    if (st != SMR_OK) return NULL;
    out = calloc(1, strlen(json) + 1);
    for (char *line = strtok(json, "\n"); line; line = strtok(NULL, "\n"))
        if (!strstr(line, "seconds\"")) strcat(out, line);
    smr_string_free(json);
    return out;
}

static char *of_model(smr_status st, smr_model *m)
{
    char *bytes = NULL, *out;
    int64_t n = 0;
    if (st != SMR_OK) return NULL;
    check_ok(W, smr_model_write(W, m, &bytes, &n));
    out = calloc(1, (size_t)(2 * n + 1));
    for (int64_t i = 0; i < n; i++) snprintf(out + 2 * i, 3, "%02x", (unsigned char)bytes[i]);
    smr_string_free(bytes);
    smr_model_free(m);
    return out;
}

static char *of_table(smr_status st, smr_table *t)
{
    char *json = NULL;
    if (st != SMR_OK) return NULL;
    check_ok(W, smr_describe(W, t, NULL, &json));
    char *out = of_json(SMR_OK, json);
    smr_table_free(t);
    return out;
}

/* ---- the calls --------------------------------------------------------------------------- */

#define JSON_CALL(name, ...)         \
    static char *name(const void *o) \
    {                                \
        char *json = NULL;           \
        smr_status st = __VA_ARGS__; \
        return of_json(st, json);    \
    }
#define FILE_CALL(name, ...)         \
    static char *name(const void *o) \
    {                                \
        smr_table *t = NULL;         \
        smr_status st = __VA_ARGS__; \
        return of_table(st, t);      \
    }

static const smr_train_opts classes = {
    .size = sizeof classes, .target = "class", .ignore = "w,t,few,y,place"};
static const smr_train_opts numbers = {
    .size = sizeof numbers, .target = "y", .ignore = "w,t,few,class,place"};
static const smr_fold_opts few_folds = {.size = sizeof few_folds, .folds = 2};
static const char *const both[] = {"logistic", "tree 2"};

FILE_CALL(open_csv, smr_table_open(W, world.csv, o, &t))
FILE_CALL(open_for, smr_table_open_for(W, world.two, world.csv, o, &t))
FILE_CALL(open_npy, smr_table_open(W, world.npy, o, &t))

static char *train(const void *o)
{
    smr_model *m = NULL;
    smr_status st = smr_train(W, "logistic", T, o, &m);
    return of_model(st, m);
}
static char *train_forest(const void *o)
{
    smr_model *m = NULL;
    smr_status st = smr_train(W, "forest 3", T, o, &m);
    if (access(world.log, F_OK) == 0) unlink(world.log);
    return of_model(st, m);
}
static char *train_numbers(const void *o)
{
    smr_model *m = NULL;
    smr_status st = smr_train(W, "ridge", T, o, &m);
    return of_model(st, m);
}
static char *stream_begin(const void *o)
{
    char *out = NULL;
    smr_streamer *s = NULL;
    if (smr_stream_begin(W, "sgd", T, o, &s) != SMR_OK) return NULL;
    check_ok(W, smr_stream_learn(W, s, T, NULL));
    char *bytes = NULL;
    int64_t n = 0;
    smr_model *copy = NULL;
    check_ok(W, smr_model_write(W, smr_stream_model(s), &bytes, &n));
    check_ok(W, smr_model_read(W, bytes, n, &copy));
    out = of_model(SMR_OK, copy);
    smr_string_free(bytes);
    smr_stream_free(s);
    return out;
}
JSON_CALL(validate_how, smr_cross_validate(W, "logistic", T, o, &few_folds, &json))
JSON_CALL(compare_how, smr_compare(W, both, 2, T, o, &few_folds, &json))
JSON_CALL(curve_how,
          smr_curve(W, "learning", "logistic", T, o,
                    &(smr_curve_opts){.size = sizeof(smr_curve_opts), .folds = &few_folds}, &json))
JSON_CALL(tune_how,
          smr_tune(W, "knn", T, o,
                   &(smr_tune_opts){.size = sizeof(smr_tune_opts), .over = "k=1,3", .folds = 2},
                   NULL, &json))
JSON_CALL(bias_how, smr_bias_variance(W, "knn 3", T, o,
                                      &(smr_bias_variance_opts){
                                          .size = sizeof(smr_bias_variance_opts), .samples = 4},
                                      &json))
JSON_CALL(bias_drawn_how,
          smr_bias_variance(W, "knn 3", NULL, o,
                            &(smr_bias_variance_opts){.size = sizeof(smr_bias_variance_opts),
                                                      .samples = 4,
                                                      .generator = "moons"},
                            &json))
JSON_CALL(trace_how, smr_trace_steps(W, "knn 3", T, o, NULL, &json))

JSON_CALL(validate, smr_cross_validate(W, "logistic", T, &classes, o, &json))
JSON_CALL(validate_numbers, smr_cross_validate(W, "ridge", T, &numbers, o, &json))
JSON_CALL(compare, smr_compare(W, both, 2, T, &classes, o, &json))
JSON_CALL(curve_folds,
          smr_curve(W, "learning", "logistic", T, &classes,
                    &(smr_curve_opts){.size = sizeof(smr_curve_opts), .folds = o}, &json))
JSON_CALL(threshold_folds,
          smr_curve(W, "threshold", "logistic", T, &classes,
                    &(smr_curve_opts){.size = sizeof(smr_curve_opts), .folds = o}, &json))
JSON_CALL(training_folds,
          smr_curve(W, "training", "logistic", T, &classes,
                    &(smr_curve_opts){.size = sizeof(smr_curve_opts), .folds = o}, &json))
JSON_CALL(tune_rounds,
          smr_tune(W, "knn", T, &classes,
                   &(smr_tune_opts){.size = sizeof(smr_tune_opts), .over = "k=1,3,5", .rounds = o},
                   NULL, &json))

static void hear(void *user, const smr_league_entry *entry)
{
    (void)entry;
    world.heard += user ? 100 : 1;
}
static char *league(const void *o)
{
    smr_fold_opts f = {.size = sizeof f, .folds = 2, .league = o};
    char *json = NULL, *out;
    world.heard = 0;
    unlink(world.log);
    smr_status st = smr_compare(W, both, 2, T, &classes, &f, &json);
    char *said = of_json(st, json);
    if (!said) return NULL;
    out = calloc(1, strlen(said) + ROOM);
    sprintf(out, "%s %d %d", said, world.heard, access(world.log, F_OK));
    free(said);
    return out;
}

static char *tune(const void *o)
{
    char *json = NULL;
    unlink(world.log);
    smr_status st = smr_tune(W, "knn", T, &classes, o, NULL, &json);
    char *said = of_json(st, json);
    if (said && access(world.log, F_OK) == 0) strcpy(said, "log");
    return said;
}

#define CURVE(name, kind, sentence) \
    JSON_CALL(name, smr_curve(W, kind, sentence, T, &classes, o, &json))
CURVE(curve_learning, "learning", "logistic")
CURVE(curve_validation, "validation", "knn 3")
CURVE(curve_training, "training", "logistic")
CURVE(curve_rounds, "rounds", "forest 3")
CURVE(curve_threshold, "threshold", "logistic")
JSON_CALL(model_rounds, smr_model_curve(W, "rounds", world.trees, T, o, &json))
JSON_CALL(model_threshold, smr_model_curve(W, "threshold", world.two, T, o, &json))
JSON_CALL(model_training, smr_model_curve(W, "training", world.two, NULL, o, &json))
JSON_CALL(bias, smr_bias_variance(W, "knn 3", T, &classes, o, &json))
JSON_CALL(bias_drawn, smr_bias_variance(W, "knn 3", NULL, NULL, o, &json))
JSON_CALL(trace_near, smr_trace_steps(W, "knn 3", T, &classes, o, &json))
JSON_CALL(trace_tree, smr_trace_steps(W, "tree 3", T, &classes, o, &json))
JSON_CALL(evaluate, smr_evaluate_with(W, world.two, world.more, o, &json))
JSON_CALL(evaluate_numbers, smr_evaluate_with(W, world.number, world.more, o, &json))
JSON_CALL(estimate, smr_estimate(W, T, "a", o, &json))
JSON_CALL(describe, smr_describe(W, T, o, &json))
JSON_CALL(query, smr_network_query(W, world.net, "P(a | b=u)", o, &json))
#define EXPLAIN(what, model) \
    JSON_CALL(explain_##what, smr_explain(W, #what, world.model, T, o, &json))
EXPLAIN(importance, two)
EXPLAIN(dependence, two)
EXPLAIN(regions, plane)
EXPLAIN(path, trees)
EXPLAIN(shapley, trees)
EXPLAIN(proximity, trees)
EXPLAIN(maps, layers)

static char *filtered(const void *o)
{
    const double x[12] = {1, 5, 2, 8, 3, 9, 4, 7, 6, 0, 2, 5}, kernel[2] = {1, -3};
    double y[24] = {0};
    const int64_t size[2] = {2, 3}, two[2] = {1, 2};
    int64_t got[2] = {0};
    if (smr_filter_grid(W, size, x, two, kernel, o, got, y) != SMR_OK) return NULL;
    char *out = calloc(1, ROOM);
    int n = sprintf(out, "%d %d", (int)got[0], (int)got[1]);
    for (int i = 0; i < 12; i++) n += sprintf(out + n, " %g", y[i]);
    return out;
}

/* The settings, and the sum of the files' bytes. */
static char *quantized(const void *o, const char *of)
{
    smr_quantized *q = NULL;
    int64_t n, sum = 0;
    char *json = NULL;
    if (smr_quantize_read(W, of, 16 + 48, o, &q, &json) != SMR_OK) return NULL;
    char *out = calloc(1, strlen(json) + 40);
    for (int part = 0; part < 3; part++) {
        const char *file = smr_quantized_file(q, part, &n);
        for (int64_t i = 0; i < n; i++) sum = (sum * 31 + (uint8_t)file[i]) % 1000003;
    }
    sprintf(out, "%d %s", (int)sum, json);
    smr_string_free(json);
    smr_quantized_free(q);
    return out;
}
/* 4 x 4 pixels, with a comment to fill the 16 bytes before them. */
static const char pixels[] = "P6 4 4 #\n   255\n"
                             "a1Zb2Yc3Xd4We5Vf6Ug7Th8Si9Rj0Qk!Pl@Om#Nn$Mo%Lp^K";
static char *quantized_colours(const void *o)
{
    return quantized(o, pixels);
}
static char *quantized_blocks(const void *o)
{
    return quantized(o, pixels);
}

/* ---- the structs ------------------------------------------------------------------------- */

struct field {
    const char *name;
    size_t offset, size;
    const void *value;
};
/* A member with a value, or with what is in a variable by the time of the test. */
#define FIELD(type, member, ...)                                      \
    {                                                                 \
#member, offsetof(type, member), sizeof(((type *)0)->member), \
            &(__typeof__(((type *)0)->member))                        \
        {                                                             \
            __VA_ARGS__                                               \
        }                                                             \
    }
#define FIELD_IN(type, member, variable)                                        \
    {                                                                           \
#member, offsetof(type, member), sizeof(((type *)0)->member), &variable \
    }

struct call {
    const char *name;
    char *(*run)(const void *opts);
    const void *base; /* options that work */
};
#define CALL(function, ...)                 \
    {                                       \
#function, function, &(__VA_ARGS__) \
    }

struct options {
    const char *name;
    size_t size;
    struct field fields[MOST];
    struct call calls[MOST];
};

#define SIZED(type, ...) ((const type){.size = sizeof(type), __VA_ARGS__})

static const char *const one_setting[] = {"noise=0.4"};

static const struct options all[] = {
    {"smr_open_opts",
     sizeof(smr_open_opts),
     {FIELD(smr_open_opts, format, "jsonl"), FIELD(smr_open_opts, types, "a=category"),
      FIELD(smr_open_opts, missing, "0.25,2"), FIELD(smr_open_opts, labels, "/nowhere"),
      FIELD(smr_open_opts, header, 1), FIELD(smr_open_opts, delimiter, ';'),
      FIELD(smr_open_opts, decimal, ','), FIELD(smr_open_opts, query, "select 1"),
      FIELD(smr_open_opts, picture_size, "2x2"), FIELD(smr_open_opts, picture_fit, "crop"),
      FIELD(smr_open_opts, grey, true), FIELD(smr_open_opts, skip_bad, true)},
     {CALL(open_csv, SIZED(smr_open_opts, .header = 0)),
      CALL(open_for, SIZED(smr_open_opts, .header = 0)),
      CALL(open_npy, SIZED(smr_open_opts, .header = -1))}},
    {"smr_train_opts",
     sizeof(smr_train_opts),
     {FIELD(smr_train_opts, target, "place"), FIELD(smr_train_opts, task, SMR_TASK_REGRESS),
      FIELD(smr_train_opts, weight, "w"), FIELD(smr_train_opts, ignore, "a"),
      FIELD(smr_train_opts, types, "id=number"), FIELD(smr_train_opts, positive, "no"),
      FIELD(smr_train_opts, keep_all, true), FIELD(smr_train_opts, spend, true),
      FIELD(smr_train_opts, threshold, "0.3"), FIELD(smr_train_opts, classes, "maybe,no,yes"),
      FIELD(smr_train_opts, checkpoint, world.log), FIELD(smr_train_opts, checkpoint_seconds, -1),
      FIELD(smr_train_opts, resume, true), FIELD(smr_train_opts, sequence, "place"),
      FIELD(smr_train_opts, time, "t"), FIELD(smr_train_opts, user, "place"),
      FIELD(smr_train_opts, item, "place"), FIELD_IN(smr_train_opts, warm_start, world.warm)},
     {CALL(train, SIZED(smr_train_opts, .target = "class")),
      CALL(train_forest, SIZED(smr_train_opts, .target = "class")),
      CALL(train_numbers, SIZED(smr_train_opts, .target = "y")),
      CALL(stream_begin, SIZED(smr_train_opts, .target = "class")),
      CALL(validate_how, SIZED(smr_train_opts, .target = "class")),
      CALL(compare_how, SIZED(smr_train_opts, .target = "class")),
      CALL(curve_how, SIZED(smr_train_opts, .target = "class")),
      CALL(tune_how, SIZED(smr_train_opts, .target = "class")),
      CALL(bias_how, SIZED(smr_train_opts, .target = "class")),
      CALL(bias_drawn_how, SIZED(smr_train_opts, .target = NULL)),
      CALL(trace_how, SIZED(smr_train_opts, .target = "class"))}},
    {"smr_fold_opts",
     sizeof(smr_fold_opts),
     {FIELD(smr_fold_opts, folds, 3), FIELD(smr_fold_opts, repeats, 2),
      FIELD(smr_fold_opts, leave_one_out, true), FIELD(smr_fold_opts, ordered, true),
      FIELD(smr_fold_opts, unstratified, true), FIELD(smr_fold_opts, order_by, "t"),
      FIELD(smr_fold_opts, group, "id"), FIELD(smr_fold_opts, measure, "precision"),
      FIELD(smr_fold_opts, confidence, 0.5), FIELD(smr_fold_opts, all_learners, true),
      FIELD(smr_fold_opts, league, &SIZED(smr_league_opts, .seconds = 1e-9)),
      FIELD(smr_fold_opts, stratified, true)},
     {CALL(validate, SIZED(smr_fold_opts, .folds = 0)),
      CALL(validate_numbers, SIZED(smr_fold_opts, .folds = 0)),
      CALL(compare, SIZED(smr_fold_opts, .folds = 0)),
      CALL(curve_folds, SIZED(smr_fold_opts, .folds = 0)),
      CALL(threshold_folds, SIZED(smr_fold_opts, .folds = 0)),
      CALL(training_folds, SIZED(smr_fold_opts, .folds = 0)),
      CALL(tune_rounds, SIZED(smr_fold_opts, .folds = 0))}},
    {"smr_league_opts",
     sizeof(smr_league_opts),
     {FIELD(smr_league_opts, seconds, 1e-9), FIELD(smr_league_opts, log, world.log),
      FIELD(smr_league_opts, resume, world.none), FIELD(smr_league_opts, no_stop, true),
      FIELD(smr_league_opts, heard, hear), FIELD(smr_league_opts, heard_user, &world)},
     {CALL(league, SIZED(smr_league_opts, .seconds = 0))}},
    {"smr_tune_opts",
     sizeof(smr_tune_opts),
     {FIELD(smr_tune_opts, over, "k=1,7"), FIELD(smr_tune_opts, search, "halving"),
      FIELD(smr_tune_opts, trials, 2), FIELD(smr_tune_opts, folds, 3),
      FIELD(smr_tune_opts, repeats, 2), FIELD(smr_tune_opts, validation, 0.3),
      FIELD_IN(smr_tune_opts, validation_rows, world.more), FIELD(smr_tune_opts, holdout, 0.4),
      FIELD_IN(smr_tune_opts, test, world.more), FIELD(smr_tune_opts, measure, "recall"),
      FIELD(smr_tune_opts, one_se, true), FIELD(smr_tune_opts, seconds, 1e-9),
      FIELD(smr_tune_opts, nested, 2), FIELD(smr_tune_opts, log, world.log),
      FIELD(smr_tune_opts, resume, world.none), FIELD(smr_tune_opts, rounds, &few_folds)},
     {CALL(tune, SIZED(smr_tune_opts, .over = "k=1,3,9"))}},
    {"smr_curve_opts",
     sizeof(smr_curve_opts),
     {FIELD(smr_curve_opts, folds, &few_folds), FIELD(smr_curve_opts, sizes, "0.5,1"),
      FIELD(smr_curve_opts, over, "k=1,3")},
     {CALL(curve_learning, SIZED(smr_curve_opts, .over = NULL)),
      CALL(curve_validation, SIZED(smr_curve_opts, .over = "k=1,5")),
      CALL(curve_training, SIZED(smr_curve_opts, .over = NULL)),
      CALL(curve_rounds, SIZED(smr_curve_opts, .over = NULL)),
      CALL(curve_threshold, SIZED(smr_curve_opts, .over = NULL))}},
    {"smr_model_curve_opts",
     sizeof(smr_model_curve_opts),
     {FIELD(smr_model_curve_opts, weight, "w"), FIELD(smr_model_curve_opts, measure, "recall"),
      FIELD(smr_model_curve_opts, positive, "no")},
     {CALL(model_rounds, SIZED(smr_model_curve_opts, .weight = NULL)),
      CALL(model_threshold, SIZED(smr_model_curve_opts, .weight = NULL)),
      CALL(model_training, SIZED(smr_model_curve_opts, .weight = NULL))}},
    {"smr_bias_variance_opts",
     sizeof(smr_bias_variance_opts),
     {FIELD(smr_bias_variance_opts, generator, "linear"),
      FIELD(smr_bias_variance_opts, settings, one_setting),
      FIELD(smr_bias_variance_opts, n_settings, 1), FIELD(smr_bias_variance_opts, samples, 5),
      FIELD(smr_bias_variance_opts, rows, 12), FIELD(smr_bias_variance_opts, test_rows, 7),
      FIELD(smr_bias_variance_opts, bag, 3), FIELD(smr_bias_variance_opts, over, "k=1,5"),
      FIELD(smr_bias_variance_opts, group, "id")},
     {CALL(bias, SIZED(smr_bias_variance_opts, .samples = 4)),
      CALL(bias_drawn, SIZED(smr_bias_variance_opts, .samples = 4, .generator = "moons"))}},
    {"smr_trace_opts",
     sizeof(smr_trace_opts),
     {FIELD(smr_trace_opts, steps, 2), FIELD(smr_trace_opts, row, 3)},
     {CALL(trace_near, SIZED(smr_trace_opts, .steps = 0)),
      CALL(trace_tree, SIZED(smr_trace_opts, .steps = 0))}},
    {"smr_evaluate_opts",
     sizeof(smr_evaluate_opts),
     {FIELD(smr_evaluate_opts, weight, "w"), FIELD(smr_evaluate_opts, threshold, "0.2"),
      FIELD(smr_evaluate_opts, figures, true), FIELD(smr_evaluate_opts, advice, true),
      FIELD(smr_evaluate_opts, known, "place"), FIELD(smr_evaluate_opts, views, true)},
     {CALL(evaluate, SIZED(smr_evaluate_opts, .weight = NULL)),
      CALL(evaluate_numbers, SIZED(smr_evaluate_opts, .weight = NULL))}},
    {"smr_describe_opts",
     sizeof(smr_describe_opts),
     {FIELD(smr_describe_opts, target, "class"), FIELD(smr_describe_opts, weight, "w"),
      FIELD(smr_describe_opts, ignore, "a"), FIELD(smr_describe_opts, task, SMR_TASK_CLASSIFY),
      FIELD(smr_describe_opts, figures, true)},
     {CALL(describe, SIZED(smr_describe_opts, .target = NULL)),
      {"describe_target", describe, &SIZED(smr_describe_opts, .target = "y")}}},
    {"smr_estimate_opts",
     sizeof(smr_estimate_opts),
     {FIELD(smr_estimate_opts, family, "categorical"),
      FIELD(smr_estimate_opts, prior, "nig 1 2 3 4"), FIELD(smr_estimate_opts, weight, "w"),
      FIELD(smr_estimate_opts, level, 0.5), FIELD(smr_estimate_opts, figures, true)},
     {CALL(estimate, SIZED(smr_estimate_opts, .family = NULL))}},
    {"smr_query_opts",
     sizeof(smr_query_opts),
     {FIELD(smr_query_opts, samples, 50), FIELD(smr_query_opts, likeliest, true),
      FIELD(smr_query_opts, figures, true)},
     {CALL(query, SIZED(smr_query_opts, .samples = 0))}},
    {"smr_explain_opts",
     sizeof(smr_explain_opts),
     {FIELD(smr_explain_opts, columns, "b,a"), FIELD(smr_explain_opts, measure, "recall"),
      FIELD(smr_explain_opts, positive, "no"), FIELD(smr_explain_opts, weight, "w"),
      FIELD(smr_explain_opts, repeats, 3), FIELD(smr_explain_opts, grid, 6),
      FIELD(smr_explain_opts, single_rows, 2), FIELD(smr_explain_opts, most_rows, 20),
      FIELD(smr_explain_opts, row, 4), FIELD(smr_explain_opts, nearest, 2),
      FIELD(smr_explain_opts, tree, 2), FIELD(smr_explain_opts, layer, "tanh1")},
     {CALL(explain_importance, SIZED(smr_explain_opts, .row = 0)),
      CALL(explain_dependence, SIZED(smr_explain_opts, .row = 0)),
      CALL(explain_regions, SIZED(smr_explain_opts, .row = 0)),
      CALL(explain_path, SIZED(smr_explain_opts, .row = 0)),
      CALL(explain_shapley, SIZED(smr_explain_opts, .row = 0)),
      CALL(explain_proximity, SIZED(smr_explain_opts, .row = 0)),
      CALL(explain_maps, SIZED(smr_explain_opts, .row = 0))}},
    {"smr_filter_opts",
     sizeof(smr_filter_opts),
     {FIELD(smr_filter_opts, edge, SMR_FILTER_WHOLE), FIELD(smr_filter_opts, channels, 2),
      FIELD(smr_filter_opts, stride, 2)},
     {CALL(filtered, SIZED(smr_filter_opts, .edge = 0))}},
    {"smr_quantize_opts",
     sizeof(smr_quantize_opts),
     {FIELD(smr_quantize_opts, k, 2), FIELD(smr_quantize_opts, block_height, 4),
      FIELD(smr_quantize_opts, block_width, 1), FIELD(smr_quantize_opts, settings, "max_iter=1"),
      FIELD(smr_quantize_opts, picture_size, "2x3"), FIELD(smr_quantize_opts, picture_fit, "crop"),
      FIELD(smr_quantize_opts, grey, true), FIELD(smr_quantize_opts, lab, true),
      FIELD(smr_quantize_opts, dither, true)},
     {CALL(quantized_colours,
           SIZED(smr_quantize_opts, .k = 5, .settings = "start=random starts=1")),
      CALL(quantized_blocks, SIZED(smr_quantize_opts, .k = 3, .block_height = 2, .block_width = 2,
                                   .settings = "start=random starts=1"))}},
};

/* ---- what may be given in vain ----------------------------------------------------------- */

static const struct {
    const char *call, *field, *why;
} excused[] = {
    {"*", "spend", "a permission, which a call need not use"},
    {"train_forest", "checkpoint", "a short fit writes none"},
    {"train_numbers", "task", "it is what is done anyway"},
    {"validate_numbers", "unstratified", "numbers have no strata: it is what is done anyway"},
    {"*", "stratified", "where there are classes, they are spread anyway"},
    {"*", "settings", "as many are read as n_settings says"},
    {"curve_how", "classes", "a class without rows changes no score of the others"},
    {"training_folds", "group", "it takes the column out of the features, and here it is none"},
};
static bool was_needed[SMR_COUNT(excused)];

static bool is_excused(const char *call, const char *field)
{
    for (int64_t i = 0; i < SMR_COUNT(excused); i++)
        if ((!strcmp(excused[i].call, "*") || !strcmp(excused[i].call, call)) &&
            !strcmp(excused[i].field, field))
            return was_needed[i] = true;
    return false;
}

/* ---- the tests --------------------------------------------------------------------------- */

/* Is the field's value used or refused?  Refusals say more than that something is wrong. */
static bool acts(const struct options *s, const struct call *c, const struct field *f,
                 const char *usual)
{
    char opts[512];
    assert_true(s->size <= sizeof opts);
    memcpy(opts, c->base, s->size);
    memcpy(opts + f->offset, f->value, f->size);
    char *now = c->run(opts);
    bool other = !now || strcmp(now, usual) != 0;
    if (!now) assert_true(strlen(smr_ctx_message(W)) > 10);
    if (!now && getenv("SHOW")) print_message("%s %s: %s\n", c->name, f->name, smr_ctx_message(W));
    smr_ctx_clear(W);
    free(now);
    return other;
}

static void every_option_acts_or_is_refused(void **state)
{
    int found = 0;
    (void)state;
    for (int64_t i = 0; i < SMR_COUNT(all); i++)
        for (const struct call *c = all[i].calls; c->name; c++) {
            char *usual = c->run(c->base);
            if (!usual) print_message("%s: %s\n", c->name, smr_ctx_message(W));
            assert_non_null(usual);
            for (const struct field *f = all[i].fields; f->name; f++) {
                if (acts(&all[i], c, f, usual) || is_excused(c->name, f->name)) continue;
                print_message("%s: '%s' of %s changes nothing\n", c->name, f->name, all[i].name);
                found++;
            }
            free(usual);
        }
    assert_int_equal(found, 0);
}

static void no_excuse_is_idle(void **state)
{
    (void)state;
    for (int64_t i = 0; i < SMR_COUNT(excused); i++) {
        if (!was_needed[i])
            print_message("nothing needs the excuse for %s %s\n", excused[i].call,
                          excused[i].field);
        assert_true(was_needed[i]);
    }
}

/* The fields lie one after the other, each after the last one's end by less than its alignment
 * could ask for, from the size to the end: none is left out. */
static void every_field_is_tried(void **state)
{
    (void)state;
    for (int64_t i = 0; i < SMR_COUNT(all); i++) {
        size_t end = sizeof(size_t);
        for (const struct field *f = all[i].fields; f->name; f++) {
            size_t step = f->size > 8 ? 8 : f->size, at = (end + step - 1) / step * step;
            if (f->offset != at) print_message("before %s.%s\n", all[i].name, f->name);
            assert_int_equal(f->offset, at);
            end = f->offset + f->size;
        }
        assert_int_equal((end + 7) / 8 * 8, all[i].size);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_field_is_tried),
        cmocka_unit_test(every_option_acts_or_is_refused),
        cmocka_unit_test(no_excuse_is_idle),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
