/* load.c -- what loading a large model costs: seconds, and memory of a process that does nothing
 * else.
 *
 *     load make FILE [ROWS [COLS]]    fits knn to random numbers (1000000 x 50) and saves it
 *     load FILE                       loads it and predicts 200 rows, twice
 *
 * Anonymous memory is the process's own; the pages of a mapped file are shared, and droppable. */
#define _GNU_SOURCE
#include "samara.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { ASKED = 200 };

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void fill(double *x, int64_t n, uint64_t seed)
{
    for (int64_t i = 0; i < n; i++) {
        seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        x[i] = (double)(seed >> 11) * 0x1p-53 - 0.5;
    }
}

static void check(smr_ctx *ctx, smr_status st)
{
    if (st == SMR_OK) return;
    fprintf(stderr, "load: %s\n", smr_ctx_message(ctx));
    exit(1);
}

static void tell_memory(const char *when)
{
    FILE *f = fopen("/proc/self/status", "r");
    char line[256];
    printf("%-10s", when);
    while (f && fgets(line, sizeof line, f)) {
        static const char *const keys[] = {"VmHWM", "RssAnon", "RssFile"};
        for (int k = 0; k < 3; k++) {
            size_t n = strlen(keys[k]);
            if (strncmp(line, keys[k], n) == 0)
                printf("  %s %.0f MB", keys[k], atof(line + n + 1) * 1024 / 1e6);
        }
    }
    printf("\n");
    if (f) fclose(f);
}

static void make(smr_ctx *ctx, const char *path, int64_t rows, int64_t cols)
{
    double *X = malloc((size_t)(rows * (cols + 1)) * sizeof *X), *y = X + rows * cols;
    smr_table *t = NULL;
    smr_model *m = NULL;
    smr_train_opts how = {
        .size = sizeof how, .target = "y", .keep_all = true, .task = SMR_TASK_REGRESS};
    if (!X) exit(1);
    fill(X, rows * (cols + 1), 1);
    check(ctx, smr_table_from_matrix(ctx, X, rows, cols, y, &t));
    check(ctx, smr_train(ctx, "knn 5", t, &how, &m));
    check(ctx, smr_model_save(ctx, m, path));
    smr_model_free(m);
    smr_table_free(t);
    free(X);
}

static void load(smr_ctx *ctx, const char *path)
{
    smr_model *m = NULL;
    int64_t peak, held;
    double begin = now();
    check(ctx, smr_model_load(ctx, path, &m));
    double seconds = now() - begin;
    held = smr_ctx_memory(ctx, &peak);
    printf("loaded in %.2f s; the context holds %.1f MB, at most %.1f MB\n", seconds,
           (double)held / 1e6, (double)peak / 1e6);
    tell_memory("loaded");
    int64_t cols = smr_model_n_inputs(m);
    double *X = malloc((size_t)(ASKED * cols) * sizeof *X), out[ASKED];
    if (!X) exit(1);
    fill(X, ASKED * cols, 7);
    for (int round = 0; round < 2; round++) {
        begin = now();
        check(ctx, smr_predict_matrix(ctx, m, X, ASKED, cols, SMR_OUTPUT_VALUE, out));
        printf("%d rows predicted in %.2f s\n", ASKED, now() - begin);
    }
    tell_memory("predicted");
    free(X);
    smr_model_free(m);
}

int main(int argc, char **argv)
{
    smr_ctx *ctx = NULL;
    smr_ctx_opts opts = {.size = sizeof opts};
    bool making = argc >= 3 && strcmp(argv[1], "make") == 0;
    if (argc < 2 || (argc > 2 && !making) || smr_ctx_create(&opts, &ctx) != SMR_OK) {
        fprintf(stderr, "load make FILE [ROWS [COLS]], or load FILE\n");
        return 2;
    }
    if (making)
        make(ctx, argv[2], argc > 3 ? atoll(argv[3]) : 1000000, argc > 4 ? atoll(argv[4]) : 50);
    else
        load(ctx, argv[1]);
    smr_ctx_destroy(ctx);
    return 0;
}
