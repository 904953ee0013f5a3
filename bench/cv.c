/* cv.c -- cross-validates a sentence on a file, as the command does.
 *
 *     cv --spec SENTENCE --data FILE --target COLUMN --measure NAME|all [--task classify|regress]
 *        [--folds N] [--folds-out FILE] [--threads N]
 *
 * Prints the seconds of each phase: read, set (schema, targets, hash of the table), cv (folds,
 * fits, predictions, measures), and the mean of the measure.  The round in which each row is
 * measured goes to --folds-out as raw doubles, so that a peer has the same folds. */
#include "study/cv.h"
#include "bench.h"
#include "data/read.h"

static void write_folds(const char *path, const smr_cv_plan *plan, int64_t n_rows)
{
    double *fold = calloc((size_t)n_rows, sizeof *fold);
    int64_t *train = calloc((size_t)smr_cv_most_train(plan), sizeof *train), n_train, n_test;
    const int64_t *test;
    FILE *f = fopen(path, "wb");
    if (!fold || !train || !f) exit(3);
    for (int64_t r = 0; r < smr_cv_rounds(plan); r++) {
        smr_cv_round(plan, r, train, &n_train, &test, &n_test);
        for (int64_t i = 0; i < n_test; i++) fold[test[i]] = (double)r;
    }
    if (fwrite(fold, sizeof *fold, (size_t)n_rows, f) != (size_t)n_rows || fclose(f)) exit(3);
    free(fold);
    free(train);
}

int main(int argc, char **argv)
{
    const char *spec = bench_option(argc, argv, "--spec", NULL);
    const char *data = bench_option(argc, argv, "--data", NULL);
    const char *name = bench_option(argc, argv, "--measure", "all");
    const char *task = bench_option(argc, argv, "--task", "");
    const char *folds = bench_option(argc, argv, "--folds-out", NULL);
    smr_read_opts reading = {.header = -1};
    smr_set_opts how = {.target = bench_option(argc, argv, "--target", "#-1"), .keep_all = true};
    smr_cv_opts opts = {.folds = atoll(bench_option(argc, argv, "--folds", "10"))};
    smr_ctx *ctx = bench_ctx(argc, argv);
    smr_table *table = NULL;
    smr_spec *parsed = NULL;
    smr_train_set *set = NULL;
    smr_cv_plan *plan = NULL;
    smr_cv_scores scores;
    if (!spec || !data) {
        fprintf(stderr, "cv: --spec and --data are needed\n");
        return 2;
    }
    if (strcmp(task, "classify") == 0) how.task = SMR_TASK_CLASSIFY;
    if (strcmp(task, "regress") == 0) how.task = SMR_TASK_REGRESS;

    double start = smr_now();
    bench_check(ctx, smr_table_read(ctx, data, &reading, &table));
    double read = smr_now();
    bench_check(ctx, smr_spec_parse(ctx, spec, &parsed));
    bench_check(ctx, smr_train_set_create(ctx, table, parsed, &how, &set));
    double made = smr_now();
    const smr_measure *measure = smr_measure_find(name, set->target.task);
    smr_cv_run_opts run = {.rounds_only = measure, .n_measures = measure ? 1 : 0};
    if (measure) run.measures = &measure;
    bench_check(ctx, smr_cv_plan_create(ctx, set, &opts, &plan));
    bench_check(ctx, smr_cv_run(ctx, parsed, set, plan, &run, &scores));
    double ran = smr_now();
    smr_cv_summary s = smr_cv_summarize(plan, &scores, 0, 0.95);
    if (folds) write_folds(folds, plan, table->n_rows);
    printf("{\"seconds\": {\"read\": %.9f, \"set\": %.9f, \"cv\": %.9f}, \"rows\": %lld, "
           "\"mean\": %.17g, \"sd\": %.17g, \"peak_memory_bytes\": %lld}\n",
           read - start, made - read, ran - made, (long long)table->n_rows, s.mean, s.sd,
           bench_memory("VmHWM"));
    smr_cv_scores_release(&scores);
    smr_cv_plan_free(plan);
    smr_train_set_free(set);
    smr_spec_free(parsed);
    smr_table_free(table);
    smr_ctx_destroy(ctx);
    return 0;
}
