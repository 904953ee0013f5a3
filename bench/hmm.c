/* hmm.c -- times of a hidden Markov chain of symbols, and of EM with numbers.
 *
 *     hmm chain FILE THREADS       FILE: int64 n, m, T; doubles start (n), move (n x n), emit
 *                                  (n x m); int64 symbols (T)
 *     hmm gauss FILE THREADS       FILE: int64 d, sequences, length; doubles (rows x d)
 *
 * Prints one line of JSON: seconds, the least of five, of the log-likelihood, the likeliest path
 * and one pass of EM; or of ten iterations of EM from one start. */
#include "core/ctx.h"
#include "kernel/kernel.h"
#include "learn/model.h"
#include "math/hidden_chain.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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
    printf(
        "{\"forward\": %.6f, \"viterbi\": %.6f, \"baum_welch\": %.6f, \"log_likelihood\": %.10g, "
        "\"log_path\": %.10g}\n",
        best[0], best[1], best[2], likely / (double)c.T, joint / (double)c.T);
}

/* d columns of numbers and one of sequences, as a user has them. */
static void time_gauss(smr_ctx *ctx, const char *path)
{
    int64_t *head = read_file(path), d = head[0], rows = head[1] * head[2];
    const double *x = (const double *)(head + 3);
    smr_table *table = NULL;
    smr_model *m = NULL;
    smr_train_opts how = {.size = sizeof how, .sequence = "walk"};
    double best = 1e9;
    if (smr_table_new(ctx, rows, d + 1, &table) != SMR_OK) exit(1);
    for (int64_t j = 0; j <= d; j++) {
        double *column = smr_alloc(ctx, rows, sizeof *column);
        char name[16];
        snprintf(name, sizeof name, "x%d", (int)j);
        for (int64_t i = 0; i < rows; i++) column[i] = j < d ? x[i * d + j] : (double)(i / head[2]);
        table->cols[j] = (smr_column){.name = smr_strdup(ctx, j < d ? name : "walk"),
                                      .kind = SMR_NUMBER,
                                      .dtype = SMR_F64,
                                      .values = column,
                                      .stride = 1,
                                      .owns_values = true};
    }
    for (int k = 0; k < 3; k++) {
        smr_model_free(m);
        m = NULL;
        double t0 = smr_now();
        if (smr_train(ctx, "hmm 4 restarts=1 max_iter=11 tol=0 smoothing=0", table, &how, &m) !=
            SMR_OK) {
            fprintf(stderr, "%s\n", smr_ctx_message(ctx));
            exit(1);
        }
        best = fmin(best, smr_now() - t0);
    }
    printf("{\"train\": %.6f}\n", best);
    smr_model_free(m);
    smr_table_free(table);
}

int main(int argc, char **argv)
{
    smr_ctx *ctx = NULL;
    if (argc < 4) return 2;
    smr_ctx_opts opts = {.size = sizeof opts, .n_threads = atoi(argv[3])};
    if (smr_ctx_create(&opts, &ctx) != SMR_OK) return 1;
    if (!strcmp(argv[1], "chain"))
        time_chain(ctx, argv[2]);
    else
        time_gauss(ctx, argv[2]);
    smr_ctx_destroy(ctx);
    return 0;
}
