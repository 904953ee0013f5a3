/* strings.c -- the Gram matrix of the subsequence kernel over random strings, by samara or by the
 * textbook.
 *
 *     strings [--n 500] [--symbols 500] [--length 5] [--decay 0.5] [--letters 4]
 *             [--side samara|plain] [--share 0.02] [--threads N] [--seed N]
 *
 * The plain programme does a share of the pairs, spread over the matrix, on the same threads; its
 * seconds are those that all pairs would take.  Both print the sum over these pairs. */
#include "bench.h"
#include "core/parallel.h"
#include "core/rng.h"
#include "learn/kernels/kernel_points.h"

#include <string.h>

/* Level by level over |s| |t| cells: Lodhi et al., JMLR 2:419-444, 2002. */
static double plain(const char *s, const char *t, int64_t n, int64_t length, double decay,
                    double *below, double *level)
{
    double sum = 0;
    for (int64_t i = 0; i < (n + 1) * (n + 1); i++) below[i] = 1;
    for (int64_t k = 1; k <= length; k++) {
        sum = 0;
        for (int64_t i = 0; i <= n; i++) level[i] = 0;
        for (int64_t a = 1; a <= n; a++) {
            double run = 0;
            level[a * (n + 1)] = 0;
            for (int64_t b = 1; b <= n; b++) {
                double match =
                    s[a - 1] == t[b - 1] ? decay * decay * below[(a - 1) * (n + 1) + b - 1] : 0;
                run = decay * run + match;
                level[a * (n + 1) + b] = decay * level[(a - 1) * (n + 1) + b] + run;
                sum += match;
            }
        }
        double *swap = below;
        below = level;
        level = swap;
    }
    return sum;
}

struct job {
    int64_t n, symbols, length, step; /* the plain programme does every step-th pair */
    double decay;
    char *bytes;
    int64_t *start;
    int32_t *code;
    double *K;
};

static int64_t pairs_of(const struct job *j)
{
    return j->n * (j->n + 1) / 2;
}

static double run_gram(smr_ctx *ctx, const struct job *j)
{
    char text[100];
    smr_kernel kernel = {0};
    smr_kernel_set set = {0};
    smr_strings strings = {.n = j->n, .start = j->start, .bytes = j->bytes};
    const smr_strings *list[] = {&strings};
    smr_feature feature = {
        .name = "text", .kind = SMR_TEXT, .dtype = SMR_I32, .values = j->code, .stride = 1};
    smr_data data = {.size = sizeof data,
                     .n_rows = j->n,
                     .n_features = 1,
                     .features = &feature,
                     .texts = list,
                     .n_texts = 1};
    snprintf(text, sizeof text, "subsequence(length=%lld decay=%.17g normal=no)",
             (long long)j->length, j->decay);
    bench_check(ctx, smr_kernel_read(ctx, text, &kernel));
    double begun = smr_now();
    bench_check(ctx, smr_kernel_open(ctx, "bench", &kernel, &data, SMR_KERNEL_F64, &set));
    bench_check(ctx, smr_kernel_gram(ctx, &set, j->K, j->n));
    double seconds = smr_now() - begun;
    smr_kernel_close(&set);
    smr_kernel_free(&kernel);
    return seconds;
}

/* Row a of the matrix, as far as its pairs are chosen. */
static smr_status plain_row(smr_ctx *ctx, void *arg, int64_t a, int lane)
{
    const struct job *j = arg;
    smr_status st = SMR_OK;
    int64_t cells = (j->symbols + 1) * (j->symbols + 1), at = a * (a + 1) / 2;
    double *below = NULL, *level = NULL;
    (void)lane;
    TRY_NEW(below, cells);
    TRY_NEW(level, cells);
    for (int64_t b = 0; b <= a; b++)
        if ((at + b) % j->step == 0)
            j->K[a * j->n + b] = plain(j->bytes + j->start[a], j->bytes + j->start[b], j->symbols,
                                       j->length, j->decay, below, level);
out:
    smr_free(below);
    smr_free(level);
    return st;
}

/* Seconds for all pairs. */
static double run_plain(smr_ctx *ctx, struct job *j)
{
    double begun = smr_now();
    bench_check(ctx, smr_parallel(ctx, NULL, j->n, plain_row, j));
    return (smr_now() - begun) * (double)pairs_of(j) /
           (double)((pairs_of(j) + j->step - 1) / j->step);
}

static void fill(smr_ctx *ctx, struct job *j, int64_t letters)
{
    j->bytes = smr_alloc(ctx, j->n * j->symbols + 1, 1);
    j->start = smr_alloc(ctx, j->n + 1, sizeof *j->start);
    j->code = smr_alloc(ctx, j->n, sizeof *j->code);
    j->K = smr_alloc(ctx, j->n * j->n, sizeof *j->K);
    if (!j->bytes || !j->start || !j->code || !j->K) bench_check(ctx, SMR_ERR_NOMEM);
    for (int64_t i = 0; i < j->n * j->symbols; i++)
        j->bytes[i] =
            (char)('a' + smr_random_below(ctx->seed, SMR_STREAM_GENERATE, 0, (uint64_t)i, letters));
    for (int64_t i = 0; i < j->n; i++) {
        j->start[i + 1] = j->start[i] + j->symbols;
        j->code[i] = (int32_t)i;
    }
}

int main(int argc, char **argv)
{
    smr_ctx *ctx = bench_ctx(argc, argv);
    struct job j = {.n = atoll(bench_option(argc, argv, "--n", "500")),
                    .symbols = atoll(bench_option(argc, argv, "--symbols", "500")),
                    .length = atoll(bench_option(argc, argv, "--length", "5")),
                    .decay = atof(bench_option(argc, argv, "--decay", "0.5"))};
    bool is_plain = strcmp(bench_option(argc, argv, "--side", "samara"), "plain") == 0;
    double sum = 0;
    j.step = (int64_t)(1 / atof(bench_option(argc, argv, "--share", "0.02")));
    fill(ctx, &j, atoll(bench_option(argc, argv, "--letters", "4")));
    double seconds = is_plain ? run_plain(ctx, &j) : run_gram(ctx, &j);
    for (int64_t a = 0, at = 0; a < j.n; a++)
        for (int64_t b = 0; b <= a; b++, at++)
            if (at % j.step == 0) sum += j.K[a * j.n + b];
    printf("{\"seconds\": {\"gram\": %.9f}, \"sum\": %.17g, \"peak_memory_bytes\": %lld}\n",
           seconds, sum, bench_memory("VmHWM"));
    smr_free(j.bytes);
    smr_free(j.start);
    smr_free(j.code);
    smr_free(j.K);
    smr_ctx_destroy(ctx);
    return 0;
}
