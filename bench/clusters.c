/* clusters.c -- the iterations of a clustering from a start that its peers share.
 *
 *     clusters --begin SENTENCE --spec SENTENCE --data FILE --starts FILE [--test FILE]
 *         [--predictions FILE] [--threads N]
 *
 * What `begin` fits, a start and one iteration, is where `spec` begins (a warm start) and what is
 * written to `starts`: the centres of k-means; of a mixture shares, means and covariances.  Seconds
 * are those of the second fit, from the table in memory to the model, and of the labels of all rows
 * of `test`. */
#include "bench.h"
#include "data/read.h"
#include "learn/model.h"
#include "learn/state.h"

#include <math.h>

static smr_table *read_table(smr_ctx *ctx, const char *path)
{
    smr_read_opts opts = {.header = -1};
    smr_table *table = NULL;
    bench_check(ctx, smr_table_read(ctx, path, &opts, &table));
    return table;
}

/* A fit of the table; *seconds: how long it took. */
static smr_model *fit(smr_ctx *ctx, const char *sentence, const smr_table *table,
                      const smr_model *from, double *seconds)
{
    smr_spec *spec = NULL;
    smr_train_set *set = NULL;
    smr_model *model = NULL;
    smr_set_opts opts = {.keep_all = true, .task = SMR_TASK_CLUSTER};
    bench_check(ctx, smr_spec_parse(ctx, sentence, &spec));
    bench_check(ctx, smr_train_set_create(ctx, table, spec, &opts, &set));
    set->warm_start = from;
    double start = smr_now();
    bench_check(ctx, smr_fit(ctx, spec, set, NULL, 0, &model));
    *seconds = smr_now() - start;
    smr_train_set_free(set);
    smr_spec_free(spec);
    return model;
}

static void append_state(const smr_model *model, const char *name, FILE *to)
{
    const smr_stage *last = smr_model_last(model);
    for (int64_t s = 0; s < last->learner->fitted->n_state; s++) {
        const smr_state *row = &last->learner->fitted->state[s];
        int64_t shape[SMR_RANK_MAX], count = 1;
        if (strcmp(row->name, name) != 0) continue;
        smr_state_shape(last->learner, row, last->state, shape, &count);
        if (fwrite(smr_state_values(row, last->state), 8, (size_t)count, to) != (size_t)count)
            exit(3);
    }
}

static void write_start(const smr_model *model, const char *path)
{
    static const char *const mixture[] = {"share", "mean", "spread"};
    FILE *to = fopen(path, "wb");
    bool is_mixture = strcmp(smr_model_last(model)->learner->word->name, "gmm") == 0;
    if (!to) exit(3);
    if (!is_mixture) append_state(model, "centre", to);
    for (int i = 0; is_mixture && i < 3; i++) append_state(model, mixture[i], to);
    if (fclose(to) != 0) exit(3);
}

static double predict(smr_ctx *ctx, const smr_model *model, const char *path, const char *to)
{
    smr_table *test = read_table(ctx, path);
    double *out = malloc((size_t)test->n_rows * sizeof *out);
    FILE *file = to ? fopen(to, "wb") : NULL;
    if (!out) exit(70);
    double start = smr_now();
    bench_check(ctx, smr_model_apply(ctx, model, test, NULL, test->n_rows, SMR_OUTPUT_LABEL, out));
    double seconds = smr_now() - start;
    if (file && fwrite(out, 8, (size_t)test->n_rows, file) != (size_t)test->n_rows) exit(3);
    if (file) fclose(file);
    free(out);
    smr_table_free(test);
    return seconds;
}

int main(int argc, char **argv)
{
    const char *begin = bench_option(argc, argv, "--begin", NULL);
    const char *spec = bench_option(argc, argv, "--spec", NULL);
    const char *data = bench_option(argc, argv, "--data", NULL);
    const char *test = bench_option(argc, argv, "--test", NULL);
    smr_ctx *ctx = bench_ctx(argc, argv);
    double seconds = 0, predicting = 0;
    if (!begin || !spec || !data) {
        fprintf(stderr, "clusters: --begin, --spec and --data are needed\n");
        return 2;
    }
    smr_table *table = read_table(ctx, data);
    smr_model *first = fit(ctx, begin, table, NULL, &seconds);
    write_start(first, bench_option(argc, argv, "--starts", "/dev/null"));
    smr_model *model = fit(ctx, spec, table, first, &seconds);
    long long memory = bench_memory("VmHWM");
    if (test) predicting = predict(ctx, model, test, bench_option(argc, argv, "--predictions", 0));
    printf("{\"seconds\": {\"fit\": %.9f, \"predict\": %.9f}, \"objective\": %.17g, "
           "\"iterations\": %lld, \"fit_peak_memory_bytes\": %lld, "
           "\"peak_memory_bytes\": %lld}\n",
           seconds, predicting, model->fit.objective, (long long)model->fit.n_iter, memory,
           bench_memory("VmHWM"));
    smr_model_free(first);
    smr_model_free(model);
    smr_table_free(table);
    smr_ctx_destroy(ctx);
    return 0;
}
