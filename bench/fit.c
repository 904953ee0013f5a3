/* fit.c -- fits a sentence on a file and predicts another, as the command does.
 *
 *     fit --spec SENTENCE --data TRAIN --target COLUMN|none [--labels FILE]
 *         [--task classify|regress|cluster|density]
 *         [--test FILE] [--test-labels FILE] [--one-row N] [--predictions FILE] [--state NAME]
 *         [--threads N] [--seed N]
 *
 * Prints the seconds of each phase: read, set (schema, targets, hash of the table), fit, predict
 * (all rows of the test file), row (one row through a predictor, the median of N).  The predictions
 * (of a transform its features) and one array of the fitted state go to --predictions FILE and
 * FILE.state as raw doubles, for the comparison with a peer's.  Classes that are numbers, of a test
 * file that has them: also the accuracy. */
#include "bench.h"
#include "core/number.h"
#include "data/read.h"
#include "learn/model.h"
#include "learn/state.h"

#include <math.h>

struct args {
    const char *spec, *data, *labels, *target, *task, *test, *test_labels, *predictions, *state;
    int64_t one_row;
};

struct times {
    double read, set, fit, predict, row;
};

struct more {
    double accuracy;
    int64_t test_rows;
    long long allocations; /* by predicting one row */
};

static struct args parse(int argc, char **argv)
{
    struct args a = {
        .spec = bench_option(argc, argv, "--spec", NULL),
        .data = bench_option(argc, argv, "--data", NULL),
        .labels = bench_option(argc, argv, "--labels", NULL),
        .target = bench_option(argc, argv, "--target", NULL),
        .task = bench_option(argc, argv, "--task", ""),
        .test = bench_option(argc, argv, "--test", NULL),
        .test_labels = bench_option(argc, argv, "--test-labels", NULL),
        .predictions = bench_option(argc, argv, "--predictions", NULL),
        .state = bench_option(argc, argv, "--state", NULL),
        .one_row = atoll(bench_option(argc, argv, "--one-row", "0")),
    };
    bool alone = strcmp(a.task, "cluster") == 0 || strcmp(a.task, "outliers") == 0;
    if (!a.spec || !a.data || (!a.target && !alone)) {
        fprintf(stderr, "fit: --spec, --data and --target are needed; clusters and outliers have "
                        "no target\n");
        exit(2);
    }
    if (a.target && strcmp(a.target, "none") == 0) a.target = NULL;
    return a;
}

static void write_doubles(const char *path, const double *x, int64_t n)
{
    FILE *f = fopen(path, "wb");
    if (!f || fwrite(x, sizeof *x, (size_t)n, f) != (size_t)n || fclose(f) != 0) {
        fprintf(stderr, "fit: cannot write '%s'\n", path);
        exit(3);
    }
}

/* The named array of the last stage's state, into FILE.state. */
static void write_state(const struct args *a, const smr_model *model)
{
    const smr_stage *last = smr_model_last(model);
    char path[4096];
    snprintf(path, sizeof path, "%s.state", a->predictions);
    for (int64_t s = 0; s < last->learner->fitted->n_state; s++) {
        const smr_state *row = &last->learner->fitted->state[s];
        int64_t shape[SMR_RANK_MAX], count = 1;
        if (strcmp(row->name, a->state) != 0) continue;
        smr_state_shape(last->learner, row, last->state, shape, &count);
        write_doubles(path, smr_state_values(row, last->state), count);
        return;
    }
    fprintf(stderr, "fit: %s has no state '%s'\n", last->learner->word->name, a->state);
    exit(2);
}

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Median seconds of one row through a predictor; *allocations counts requests for memory.  Each
 * timing covers `batch` rows, so that the clock does not weigh in. */
static double time_one_row(smr_ctx *ctx, const smr_model *model, const smr_table *table,
                           smr_output output, int64_t n, long long *allocations)
{
    enum { BATCH = 16 };
    int64_t d = model->schema.n_inputs;
    double *x = calloc((size_t)(BATCH * d), sizeof *x), *taken = calloc((size_t)n, sizeof *taken);
    double *out = calloc((size_t)smr_model_width(model, output), sizeof *out);
    smr_predictor *p = NULL;
    if (!x || !taken || !out) exit(70);
    for (int64_t i = 0; i < BATCH; i++)
        for (int64_t j = 0; j < d; j++) {
            int64_t col = smr_table_find(table, model->schema.inputs[j].name);
            x[i * d + j] = smr_column_number(&table->cols[col], i * (table->n_rows / BATCH));
        }

    bench_check(ctx, smr_predictor_create(ctx, model, output, &p));
    bench_check(ctx, smr_predictor_row(p, x, out)); /* warm */
    int64_t before = atomic_load(&ctx->memory->requests);
    for (int64_t i = 0; i < n; i++) {
        double start = smr_now();
        for (int64_t r = 0; r < BATCH; r++) bench_check(ctx, smr_predictor_row(p, x + r * d, out));
        taken[i] = (smr_now() - start) / BATCH;
    }
    *allocations = atomic_load(&ctx->memory->requests) - before;
    qsort(taken, (size_t)n, sizeof *taken, ascending);
    double median = taken[n / 2];
    smr_predictor_free(p);
    free(out);
    free(taken);
    free(x);
    return median;
}

static smr_model *fit(smr_ctx *ctx, const struct args *a, const smr_table *table, struct times *t)
{
    smr_spec *spec = NULL;
    smr_train_set *set = NULL;
    smr_model *model = NULL;
    smr_set_opts opts = {.target = a->target, .keep_all = true, .spend = true};
    if (strcmp(a->task, "classify") == 0) opts.task = SMR_TASK_CLASSIFY;
    if (strcmp(a->task, "regress") == 0) opts.task = SMR_TASK_REGRESS;
    if (strcmp(a->task, "density") == 0) opts.task = SMR_TASK_DENSITY;
    if (strcmp(a->task, "cluster") == 0) opts.task = SMR_TASK_CLUSTER;
    if (strcmp(a->task, "outliers") == 0) opts.task = SMR_TASK_OUTLIERS;

    double start = smr_now();
    bench_check(ctx, smr_spec_parse(ctx, a->spec, &spec));
    bench_check(ctx, smr_train_set_create(ctx, table, spec, &opts, &set));
    double made = smr_now();
    bench_check(ctx, smr_fit(ctx, spec, set, NULL, 0, &model));
    t->set = made - start;
    t->fit = smr_now() - made;
    smr_train_set_free(set);
    smr_spec_free(spec);
    return model;
}

/* The share of labels that are right; 0 where the test file does not tell. */
static double accuracy(const smr_model *model, const smr_table *test, const double *labels)
{
    const smr_strings *classes = &model->target.classes;
    int64_t col, right = 0, length;
    if (model->target.task != SMR_TASK_CLASSIFY || test->n_rows == 0) return 0;
    col = smr_table_find(test, model->target.names[0]);
    if (col < 0) return 0;
    for (int64_t i = 0; i < test->n_rows; i++) {
        double value = NAN;
        const char *name = smr_strings_get(classes, (int64_t)labels[i], &length);
        (void)smr_parse_double(name, name + length, &value);
        right += value == smr_column_number(&test->cols[col], i);
    }
    return (double)right / (double)test->n_rows;
}

/* Reads the test file, predicts all its rows, and some one by one. */
static void predict(smr_ctx *ctx, const struct args *a, const smr_model *model, struct times *t,
                    struct more *more)
{
    unsigned gives = smr_model_gives(model);
    smr_task task = model->target.task;
    smr_output output = task == SMR_TASK_CLUSTER             ? SMR_OUTPUT_LABEL
                        : gives & 1u << SMR_OUTPUT_TRANSFORM ? SMR_OUTPUT_TRANSFORM
                        : task == SMR_TASK_CLASSIFY          ? SMR_OUTPUT_LABEL
                        : task == SMR_TASK_DENSITY           ? SMR_OUTPUT_SCORE
                        : task == SMR_TASK_OUTLIERS          ? SMR_OUTPUT_SCORE
                                                             : SMR_OUTPUT_VALUE;
    smr_read_opts opts = {.header = -1, .labels = a->test_labels};
    smr_table *test = NULL;
    bench_check(ctx, smr_table_read(ctx, a->test, &opts, &test));
    int64_t n = test->n_rows * smr_model_width(model, output);
    double *out = malloc((size_t)n * sizeof *out);
    if (!out) exit(70);

    double start = smr_now();
    bench_check(ctx, smr_model_apply(ctx, model, test, NULL, test->n_rows, output, out));
    t->predict = smr_now() - start;
    if (a->one_row > 0)
        t->row = time_one_row(ctx, model, test, output, a->one_row, &more->allocations);
    more->accuracy = accuracy(model, test, out);
    more->test_rows = test->n_rows;
    if (a->predictions) write_doubles(a->predictions, out, n);
    free(out);
    smr_table_free(test);
}

int main(int argc, char **argv)
{
    struct args a = parse(argc, argv);
    struct times t = {0};
    struct more more = {0};
    smr_ctx *ctx = bench_ctx(argc, argv);
    smr_table *table = NULL;
    smr_read_opts opts = {.header = -1, .labels = a.labels};

    double start = smr_now();
    bench_check(ctx, smr_table_read(ctx, a.data, &opts, &table));
    t.read = smr_now() - start;
    long long before = bench_memory("VmRSS");
    smr_model *model = fit(ctx, &a, table, &t);
    long long memory = bench_memory("VmHWM");
    if (a.test) predict(ctx, &a, model, &t, &more);
    if (a.state && a.predictions) write_state(&a, model);

    printf("{\"seconds\": {\"read\": %.9f, \"set\": %.9f, \"fit\": %.9f, \"predict\": %.9f, "
           "\"row\": %.9g}, \"objective\": %.17g, \"iterations\": %lld, \"rows\": %lld, "
           "\"features\": %lld, \"classes\": %lld, \"row_allocations\": %lld, "
           "\"accuracy\": %.9f, \"test_rows\": %lld, "
           "\"rss_before_fit_bytes\": %lld, \"fit_peak_memory_bytes\": %lld, "
           "\"peak_memory_bytes\": %lld}\n",
           t.read, t.set, t.fit, t.predict, t.row,
           isfinite(model->fit.objective) ? model->fit.objective : 0, (long long)model->fit.n_iter,
           (long long)table->n_rows, (long long)model->n_features,
           (long long)model->target.classes.n, more.allocations, more.accuracy,
           (long long)more.test_rows, before, memory, bench_memory("VmHWM"));
    smr_model_free(model);
    smr_table_free(table);
    smr_ctx_destroy(ctx);
    return 0;
}
