/* hmm.c -- a hidden Markov chain of symbols, and EM with numbers.
 *
 *     hmm --work chain --data FILE      FILE: int64 n, m, T; doubles start (n), move (n x n), emit
 *                                       (n x m); int64 symbols (T)
 *     hmm --work gauss --data FILE --starts FILE
 *                                       FILE: int64 d, k, sequences, length; doubles (rows x d)
 *
 * Seconds of the chain: the least of five, of the log-likelihood, the likeliest path and one pass
 * of EM (its counts, not the new tables).  Of the numbers: from a table to a model, ten iterations
 * of EM from one start, and the pass that tells the likelihood they have led to; the tables that
 * EM begins with are written to `starts`, for the peers: start, moves, means and variances. */
#include "learn/graphical/hmm.h"
#include "bench.h"
#include "kernel/kernel.h"
#include "learn/model.h"
#include "math/hidden_chain.h"

#include <math.h>

enum { TIMES = 5, TASKS = 64 };

struct chain {
    int64_t n, m, T, width;
    double *start, *move, *emit, *table, *log_table;
    int64_t *symbol;
    smr_hidden *h;
    double *counts; /* of each task: moves (width x width), symbols (m x width) */
};

static void *read_file(const char *path)
{
    FILE *file = fopen(path, "rb");
    if (!file) exit(3);
    fseek(file, 0, SEEK_END);
    long size = ftell(file);
    rewind(file);
    void *bytes = malloc((size_t)size);
    if (!bytes || fread(bytes, 1, (size_t)size, file) != (size_t)size) exit(3);
    fclose(file);
    return bytes;
}

static void tell(const void *of, int64_t lo, int64_t hi, bool logs, void *room, const double **row,
                 double *shift)
{
    const struct chain *c = of;
    const double *table = logs ? c->log_table : c->table;
    (void)room;
    for (int64_t i = lo; i < hi; i++) {
        row[i - lo] = table + c->symbol[i] * c->width;
        shift[i - lo] = 0;
    }
}

static smr_status count(smr_ctx *ctx, void *arg, int64_t task, const smr_hidden_block *b)
{
    struct chain *c = arg;
    int64_t width = c->width;
    double *move = c->counts + task * width * (width + c->m), *emit = move + width * width;
    (void)ctx;
    smr_rows_add_f64(b->n_moves, width, width, b->to, width, b->from, move, width);
    for (int64_t i = 0; i < b->n; i++) {
        double *row = emit + c->symbol[b->lo + i] * width;
        for (int64_t j = 0; j < width; j++) row[j] += b->posterior[i * width + j];
    }
    return SMR_OK;
}

static void time_chain(smr_ctx *ctx, const char *path)
{
    struct chain c = {0};
    int64_t *head = read_file(path), border[2] = {0};
    double *at = (double *)(head + 3), best[3] = {1e9, 1e9, 1e9}, likely = 0, visited = 0;
    c.n = head[0], c.m = head[1], c.T = border[1] = head[2];
    c.start = at, c.move = c.start + c.n, c.emit = c.move + c.n * c.n;
    c.symbol = (int64_t *)(c.emit + c.n * c.m);
    if (smr_hidden_create(ctx, c.n, &c.h) != SMR_OK) exit(1);
    c.width = c.h->width;
    c.table = calloc((size_t)(c.m * c.width), 8);
    c.log_table = calloc((size_t)(c.m * c.width), 8);
    c.counts = calloc((size_t)(TASKS * c.width * (c.width + c.m)), 8);
    for (int64_t s = 0; s < c.m; s++)
        for (int64_t j = 0; j < c.n; j++) c.table[s * c.width + j] = c.emit[j * c.m + s];
    smr_log_f64(c.m * c.width, c.table, c.log_table);
    smr_hidden_set(c.h, c.start, c.move);
    smr_hidden_seen seen = {.of = &c, .width = c.width, .room = 8, .tell = tell};
    int32_t *states = calloc((size_t)c.T, sizeof *states);
    for (int k = 0; k < TIMES; k++) {
        smr_hidden_run *run = NULL;
        if (smr_hidden_open(ctx, c.h, &seen, 1, border, &run) != SMR_OK) exit(1);
        double t0 = smr_now();
        if (smr_hidden_score(ctx, run, &likely) != SMR_OK) exit(1);
        double t1 = smr_now();
        if (smr_hidden_path(ctx, run, states) != SMR_OK) exit(1);
        double t2 = smr_now();
        memset(c.counts, 0, (size_t)(TASKS * c.width * (c.width + c.m)) * 8);
        if (smr_hidden_visit(ctx, run, TASKS, NULL, count, &c, &visited) != SMR_OK) exit(1);
        double t3 = smr_now();
        best[0] = fmin(best[0], t1 - t0);
        best[1] = fmin(best[1], t2 - t1);
        best[2] = fmin(best[2], t3 - t2);
        smr_hidden_close(run);
    }
    double joint = log(c.start[states[0]]) + log(c.emit[states[0] * c.m + c.symbol[0]]);
    for (int64_t t = 1; t < c.T; t++)
        joint += log(c.move[states[t - 1] * c.n + states[t]]) +
                 log(c.emit[states[t] * c.m + c.symbol[t]]);
    printf("{\"seconds\": {\"forward\": %.6f, \"viterbi\": %.6f, \"step\": %.6f}, "
           "\"log_likelihood\": %.12g, \"log_step\": %.12g, \"log_path\": %.12g, "
           "\"peak_memory_bytes\": %lld}\n",
           best[0], best[1], best[2], likely / (double)c.T, visited / (double)c.T,
           joint / (double)c.T, bench_memory("VmHWM"));
}

/* d columns of numbers and one of sequences, as a user has them. */
static smr_table *make_table(smr_ctx *ctx, const double *x, int64_t rows, int64_t d, int64_t length)
{
    smr_table *table = NULL;
    bench_check(ctx, smr_table_new(ctx, rows, d + 1, &table));
    for (int64_t j = 0; j <= d; j++) {
        double *column = smr_alloc(ctx, rows, sizeof *column);
        char name[16];
        snprintf(name, sizeof name, "x%d", (int)j);
        for (int64_t i = 0; i < rows; i++) column[i] = j < d ? x[i * d + j] : (double)(i / length);
        table->cols[j] = (smr_column){.name = smr_strdup(ctx, j < d ? name : "walk"),
                                      .kind = SMR_NUMBER,
                                      .dtype = SMR_F64,
                                      .values = column,
                                      .stride = 1,
                                      .owns_values = true};
    }
    return table;
}

/* Seconds of a fit that looks at the data this many times; the model is the caller's. */
static double fit(smr_ctx *ctx, smr_table *table, int64_t k, int passes, smr_model **out)
{
    smr_train_opts how = {.size = sizeof how, .sequence = "walk"};
    char sentence[100];
    snprintf(sentence, sizeof sentence, "hmm %lld restarts=1 max_iter=%d tol=0 smoothing=0",
             (long long)k, passes);
    double began = smr_now();
    bench_check(ctx, smr_train(ctx, sentence, table, &how, out));
    return smr_now() - began;
}

static void write_start(const smr_model *m, const char *path)
{
    const struct smr_hmm_state *s = smr_model_last(m)->state;
    FILE *file = fopen(path, "wb");
    size_t n = (size_t)s->n_states, d = (size_t)s->n_numbers;
    if (!file || fwrite(s->start, 8, n, file) != n || fwrite(s->move, 8, n * n, file) != n * n ||
        fwrite(s->mean, 8, n * d, file) != n * d || fwrite(s->spread, 8, n * d, file) != n * d ||
        fclose(file) != 0)
        exit(3);
}

static void time_gauss(smr_ctx *ctx, const char *path, const char *starts)
{
    int64_t *head = read_file(path), d = head[0], rows = head[2] * head[3];
    smr_table *table = make_table(ctx, (double *)(head + 4), rows, d, head[3]);
    smr_model *m = NULL;
    double best = INFINITY;
    fit(ctx, table, head[1], 1, &m);
    write_start(m, starts);
    for (int k = 0; k < 3; k++) {
        smr_model_free(m);
        best = fmin(best, fit(ctx, table, head[1], 11, &m));
    }
    const struct smr_hmm_state *s = smr_model_last(m)->state;
    printf("{\"seconds\": {\"fit\": %.6f}, \"log_likelihood\": %.12g, "
           "\"peak_memory_bytes\": %lld}\n",
           best, s->log_likelihood / (double)rows, bench_memory("VmHWM"));
    smr_model_free(m);
    smr_table_free(table);
}

int main(int argc, char **argv)
{
    smr_ctx *ctx = bench_ctx(argc, argv);
    const char *data = bench_option(argc, argv, "--data", "");
    if (strcmp(bench_option(argc, argv, "--work", "chain"), "chain") == 0)
        time_chain(ctx, data);
    else
        time_gauss(ctx, data, bench_option(argc, argv, "--starts", "/dev/null"));
    smr_ctx_destroy(ctx);
    return 0;
}
