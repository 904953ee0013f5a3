/* sequences.c -- a network of characters: a fit, and one character after the other.
 *
 *     sequences --data FILE --units H --steps T [--threads N] [--seed S]
 *
 * FILE: the numbers n and k as int64, then n symbols below k as bytes.  Row i of the table is
 * symbol i, its target symbol i + 1; all rows are one sequence.  Seconds: `fit`, one pass with
 * batches of 32 windows of T rows; `character`, the median of one symbol's answer by a memory of
 * those before it.  loss: the mean of the pass, in nats a symbol. */
#include "bench.h"

#include "core/sort.h"
#include "core/span.h"
#include "learn/model.h"
#include "learn/neural/net.h"
#include "samara.h"

enum { BATCH = 32, TIMED = 2001 };

static int by_size(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static smr_table *read_table(smr_ctx *ctx, const char *path, int64_t *n, int64_t *k)
{
    int64_t head[2] = {0};
    smr_table *table = NULL;
    FILE *file = fopen(path, "rb");
    if (!file || fread(head, sizeof *head, 2, file) != 2) exit(1);
    *n = head[0] - 1;
    *k = head[1];
    unsigned char *symbol = malloc((size_t)head[0]);
    int64_t *now = calloc((size_t)head[0], 8), *next = calloc((size_t)head[0], 8);
    int64_t *text = calloc((size_t)head[0], 8);
    if (fread(symbol, 1, (size_t)head[0], file) != (size_t)head[0]) exit(1);
    fclose(file);
    for (int64_t i = 0; i < *n; i++) {
        now[i] = symbol[i];
        next[i] = symbol[i + 1];
    }
    bench_check(ctx, smr_table_create(ctx, *n, &table));
    bench_check(ctx, smr_table_add_i64(ctx, table, "text", text, NULL));
    bench_check(ctx, smr_table_add_i64(ctx, table, "now", now, NULL));
    bench_check(ctx, smr_table_add_i64(ctx, table, "next", next, NULL));
    free(symbol);
    free(now);
    free(next);
    free(text);
    return table;
}

/* The median time of a step. */
static double time_steps(smr_ctx *ctx, const struct smr_net_state *s)
{
    static double seconds[TIMED];
    const smr_nn_machine *m = s->net->stepper;
    void *scratch = smr_alloc(ctx, smr_nn_scratch(m), 1);
    void *state = smr_alloc(ctx, m->state_bytes, 1);
    for (int i = 0; i < TIMED; i++) {
        float x = (float)(i % s->n_scores);
        double began = smr_now();
        smr_nn_answer_on(m, &x, 1, NULL, state, scratch);
        seconds[i] = smr_now() - began;
    }
    qsort(seconds, TIMED, sizeof *seconds, by_size);
    smr_free(scratch);
    smr_free(state);
    return seconds[TIMED / 2];
}

int main(int argc, char **argv)
{
    smr_ctx *ctx = bench_ctx(argc, argv);
    int64_t n, k;
    char sentence[200];
    smr_model *model = NULL;
    smr_train_opts opts = {
        .size = sizeof opts, .target = "next", .task = SMR_TASK_CLASSIFY, .sequence = "text"};
    smr_table *table = read_table(ctx, bench_option(argc, argv, "--data", ""), &n, &k);
    const char *units = bench_option(argc, argv, "--units", "256");
    snprintf(sentence, sizeof sentence,
             "net (embed %lld %s | lstm %s) steps=%s batch=%d epochs=1 tol=0 decay=0", (long long)k,
             units, units, bench_option(argc, argv, "--steps", "128"), BATCH);
    double began = smr_now();
    bench_check(ctx, smr_train(ctx, sentence, table, &opts, &model));
    double fit = smr_now() - began;
    const struct smr_net_state *s = model->stages[model->n_stages - 1].state;
    printf("{\"seconds\": {\"fit\": %.6f, \"character\": %.9f}, \"loss\": %.6f, \"rows\": %lld, "
           "\"peak_memory_bytes\": %lld}\n",
           fit, time_steps(ctx, s), s->train_loss[0], (long long)n, bench_memory("VmHWM"));
    smr_model_free(model);
    smr_table_free(table);
    smr_ctx_destroy(ctx);
    return 0;
}
