/* study.c -- what a command does with a table and a sentence, without reading and writing.
 *
 *     study --work tune --spec SENTENCE --over SPACE --data FILE --target COLUMN [--threads N]
 *     study --work importance --spec SENTENCE --data FILE --target COLUMN
 *     study --work describe --data FILE --target COLUMN
 *
 * Prints the seconds of the work and one figure, "mean": the best score of the search, the sum of
 * the columns' importances by rmse (five shuffles), the sum of their correlations with the
 * target. */
#include "bench.h"
#include "core/json.h"

/* The sum of a member over a list of objects. */
static double sum_over(const smr_json *list, const char *key)
{
    double sum = 0;
    for (const smr_json *row = list->first; row; row = row->next)
        sum += smr_json_get_number(row, key, 0);
    return sum;
}

static double figure_of(const char *work, const smr_json *root)
{
    if (strcmp(work, "tune") == 0)
        return smr_json_get_number(smr_json_get(root, "winner"), "score", 0);
    if (strcmp(work, "importance") == 0)
        return sum_over(smr_json_get(smr_json_get(root, "importance")->first, "columns"), "mean");
    return sum_over(smr_json_get(root, "relevance"), "pearson");
}

/* The seconds that the work took; *json: what it found. */
static double work_on(smr_ctx *ctx, int argc, char **argv, const smr_table *t, char **json)
{
    const char *work = bench_option(argc, argv, "--work", "describe");
    const char *spec = bench_option(argc, argv, "--spec", "linear");
    smr_train_opts how = {.size = sizeof how,
                          .target = bench_option(argc, argv, "--target", "#-1"),
                          .keep_all = true};
    smr_tune_opts search = {.size = sizeof search,
                            .over = bench_option(argc, argv, "--over", NULL),
                            .search = "grid",
                            .holdout = -1};
    smr_explain_opts explain = {.size = sizeof explain, .measure = "rmse", .repeats = 5};
    smr_describe_opts describe = {.size = sizeof describe, .target = how.target};
    smr_model *m = NULL;
    bool importance = strcmp(work, "importance") == 0;
    if (importance) bench_check(ctx, smr_train(ctx, spec, t, &how, &m));
    double start = smr_now();
    if (importance)
        bench_check(ctx, smr_explain(ctx, work, m, t, &explain, json));
    else if (strcmp(work, "tune") == 0)
        bench_check(ctx, smr_tune(ctx, spec, t, &how, &search, NULL, json));
    else
        bench_check(ctx, smr_describe(ctx, t, &describe, json));
    double seconds = smr_now() - start;
    smr_model_free(m);
    return seconds;
}

int main(int argc, char **argv)
{
    const char *data = bench_option(argc, argv, "--data", NULL);
    smr_ctx *ctx = bench_ctx(argc, argv);
    smr_table *table = NULL;
    smr_json_doc *doc = NULL;
    char *json = NULL;
    if (!data) {
        fprintf(stderr, "study: --data is needed\n");
        return 2;
    }
    bench_check(ctx, smr_table_open(ctx, data, NULL, &table));
    double seconds = work_on(ctx, argc, argv, table, &json);
    bench_check(ctx, smr_json_parse(ctx, json, (int64_t)strlen(json), &doc));
    printf("{\"seconds\": {\"work\": %.9f}, \"mean\": %.17g, \"peak_memory_bytes\": %lld}\n",
           seconds, figure_of(bench_option(argc, argv, "--work", "describe"), smr_json_root(doc)),
           bench_memory("VmHWM"));
    smr_json_free(doc);
    smr_string_free(json);
    smr_table_free(table);
    smr_ctx_destroy(ctx);
    return 0;
}
