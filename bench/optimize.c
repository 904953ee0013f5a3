/* optimize.c -- times coordinate descent, primal and dual, without learners around it.
 *
 *     optimize path [--rows 200000] [--features 100] [--threads T] [--repeat R]
 *     optimize dual [--rows 15000] [--features 50000] [--flip PERCENT] [--loss NAME] [--tol T]
 *                   [--write FILE.svm] [--threads T] [--repeat R]
 *
 * path: a lasso path of 100 penalties down to a thousandth of the largest, on normal numbers of
 * which a fifth matter; the Gram matrix is part of the time and told apart.  Beside it:
 * scikit-learn's lasso_path(X, y, n_alphas=100).
 * dual: word counts, 150 words a row, 70 % from one Zipf law and 30 % from the class's own, PERCENT
 * of the labels turned; C = 1.  --write gives the rows to liblinear-train -s 3, 1 or 7.
 * One JSON line: the least processor and wall seconds of R runs, and the quality reached. */
#include "bench.h"
#include "core/rng.h"
#include "math/gram.h"
#include "math/optimize/coordinate.h"
#include "math/optimize/dual.h"
#include "math/trig.h"

#include <math.h>
#include <time.h>

static double cpu_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void *get(int64_t n, size_t size)
{
    void *p = calloc((size_t)n, size);
    if (!p) exit(70);
    return p;
}

/* ---- path ---- */

struct dense {
    int64_t n, d;
    double *X, *y;
};

static void make_regression(struct dense *s)
{
    s->X = get(s->n * s->d, sizeof *s->X);
    s->y = get(s->n, sizeof *s->y);
    for (int64_t i = 0; i < s->n; i++) {
        double *x = s->X + i * s->d, two[2];
        for (int64_t j = 0; j < s->d; j += 2) {
            smr_random_normals(1, SMR_STREAM_TEST, (uint64_t)i, (uint64_t)j, two);
            x[j] = two[0];
            if (j + 1 < s->d) x[j + 1] = two[1];
        }
        smr_random_normals(2, SMR_STREAM_TEST, (uint64_t)i, 0, two);
        s->y[i] = 0.5 + two[0];
        for (int64_t j = 0; j < s->d / 5; j++) s->y[i] += x[j] * (1.9 - 0.17 * (double)j);
    }
}

static smr_status give_rows(smr_ctx *ctx, void *arg, int lane, int64_t lo, int64_t hi,
                            const double **x, int64_t *stride)
{
    const struct dense *s = arg;
    (void)ctx, (void)lane, (void)hi;
    *x = s->X + lo * s->d;
    *stride = s->d;
    return SMR_OK;
}

enum { STEPS = 100 };

static void run_path(smr_ctx *ctx, struct dense *s, int repeat)
{
    int64_t d = s->d, m = d + 1;
    double *G = get(d * d, sizeof *G), *c = get(d, sizeof *c), *B = get(STEPS * d, sizeof *B);
    double l1[STEPS], best_gram = INFINITY, best_path = INFINITY;
    smr_elastic_result out[STEPS];
    for (int r = 0; r < repeat; r++) {
        smr_row_source rows = {
            .n_rows = s->n, .n_cols = d, .n_outputs = 1, .y = s->y, .rows = give_rows, .arg = s};
        smr_gram g;
        double t0 = smr_now();
        bench_check(ctx, smr_gram_compute(ctx, &rows, true, &g));
        double t1 = smr_now();
        for (int64_t i = 0; i < d; i++) {
            c[i] = g.gram[i * m + d] / g.scale[i] / g.scale[d];
            for (int64_t j = 0; j < d; j++)
                G[i * d + j] = g.gram[i * m + j] / g.scale[i] / g.scale[j];
        }
        smr_gram_problem p = {d, G, d, c, g.gram[d * m + d] / g.scale[d] / g.scale[d]};
        double top = smr_elastic_l1_max(d, c, NULL);
        for (int k = 0; k < STEPS; k++) l1[k] = top * pow(1e-3, k / (STEPS - 1.0));
        smr_elastic_path path = {STEPS, l1, NULL};
        bench_check(
            ctx, smr_elastic_gram_path(ctx, &p, &(smr_elastic_opts){.tol = 1e-10}, &path, B, out));
        best_path = fmin(best_path, smr_now() - t1);
        best_gram = fmin(best_gram, t1 - t0);
        smr_gram_release(&g);
    }
    printf("{\"case\": \"path\", \"rows\": %lld, \"features\": %lld, \"gram_seconds\": %.6f, "
           "\"path_seconds\": %.6f, \"nonzero\": %lld, \"objective\": %.12g, \"gap\": %.3g}\n",
           (long long)s->n, (long long)d, best_gram, best_path, (long long)out[STEPS - 1].n_nonzero,
           out[STEPS - 1].objective, out[STEPS - 1].gap);
    free(G);
    free(c);
    free(B);
}

/* ---- dual ---- */

struct text {
    int64_t n, d;
    int64_t *start;
    int32_t *column;
    double *value, *y;
};

static int by_column(const void *a, const void *b)
{
    int32_t x = *(const int32_t *)a, y = *(const int32_t *)b;
    return (x > y) - (x < y);
}

/* The word of rank r in class c's own order: a fixed scrambling of the ranks. */
static int64_t scrambled(int64_t r, int64_t c, int64_t d)
{
    return (int64_t)(((uint64_t)r * 40503u + (uint64_t)c * 7919u) % (uint64_t)d);
}

static void make_text(struct text *s, int flip)
{
    enum { WORDS = 150, CLASSES = 20 };
    double *sum = get(s->d, sizeof *sum), total = 0;
    s->start = get(s->n + 1, sizeof *s->start);
    s->column = get(s->n * WORDS, sizeof *s->column);
    s->value = get(s->n * WORDS, sizeof *s->value);
    s->y = get(s->n, sizeof *s->y);
    for (int64_t j = 0; j < s->d; j++) sum[j] = total += pow((double)j + 2.7, -1.1);
    int64_t used = 0;
    for (int64_t i = 0; i < s->n; i++) {
        int32_t word[WORDS];
        uint64_t a = (uint64_t)i;
        int64_t class = smr_random_below(7, SMR_STREAM_TEST, a, 10000, CLASSES);
        s->y[i] = class % 2 ? 1 : -1;
        if (smr_random_below(7, SMR_STREAM_TEST, a, 10001, 100) < flip) s->y[i] = -s->y[i];
        for (int k = 0; k < WORDS; k++) {
            double u = total * smr_random_unit(7, SMR_STREAM_TEST, a, (uint64_t)k);
            int64_t lo = 0, hi = s->d - 1;
            while (lo < hi) {
                int64_t mid = (lo + hi) / 2;
                if (sum[mid] < u)
                    lo = mid + 1;
                else
                    hi = mid;
            }
            bool own = smr_random_unit(8, SMR_STREAM_TEST, a, (uint64_t)k) < 0.3;
            word[k] = (int32_t)(own ? scrambled(lo, class, s->d) : lo);
        }
        qsort(word, WORDS, sizeof *word, by_column);
        for (int k = 0; k < WORDS; k++) {
            if (used > s->start[i] && s->column[used - 1] == word[k]) {
                s->value[used - 1]++;
                continue;
            }
            s->column[used] = word[k];
            s->value[used++] = 1;
        }
        s->start[i + 1] = used;
    }
    free(sum);
}

static void write_text(const struct text *s, const char *path)
{
    FILE *f = fopen(path, "w");
    if (!f) exit(3);
    for (int64_t i = 0; i < s->n; i++) {
        fprintf(f, "%d", (int)s->y[i]);
        for (int64_t e = s->start[i]; e < s->start[i + 1]; e++)
            fprintf(f, " %d:%d", s->column[e] + 1, (int)s->value[e]);
        fprintf(f, "\n");
    }
    fclose(f);
}

static void run_dual(smr_ctx *ctx, const struct text *s, const char *name, double tol, int repeat)
{
    const smr_loss *loss = smr_loss_find(name);
    if (!loss) exit(2);
    double *w = get(s->d, sizeof *w), cpu = INFINITY, wall = INFINITY;
    smr_csr rows = {s->n, s->d, s->start, s->column, s->value};
    smr_dual_problem p = {.n_rows = s->n, .n_cols = s->d, .sparse = &rows, .y = s->y};
    smr_dual_result out;
    for (int r = 0; r < repeat; r++) {
        double t = cpu_now(), t_wall = smr_now();
        smr_dual_opts opts = {.loss = loss->id, .l2 = 1, .tol = tol};
        bench_check(ctx, smr_dual_coordinate(ctx, &p, &opts, w, NULL, &out));
        cpu = fmin(cpu, cpu_now() - t);
        wall = fmin(wall, smr_now() - t_wall);
    }
    printf("{\"case\": \"dual\", \"loss\": \"%s\", \"rows\": %lld, \"entries\": %lld, "
           "\"cpu_seconds\": %.6f, \"seconds\": %.6f, \"passes\": %lld, \"objective\": %.12g, "
           "\"gap\": %.3g}\n",
           name, (long long)s->n, (long long)s->start[s->n], cpu, wall, (long long)out.passes,
           out.objective, out.gap);
    free(w);
}

int main(int argc, char **argv)
{
    smr_ctx *ctx = bench_ctx(argc, argv);
    const char *what = argc > 1 ? argv[1] : "path";
    int repeat = atoi(bench_option(argc, argv, "--repeat", "5"));
    bool is_path = !strcmp(what, "path");
    int64_t n = atoll(bench_option(argc, argv, "--rows", is_path ? "200000" : "15000"));
    int64_t d = atoll(bench_option(argc, argv, "--features", is_path ? "100" : "50000"));
    if (is_path) {
        struct dense s = {.n = n, .d = d};
        make_regression(&s);
        run_path(ctx, &s, repeat);
        free(s.X);
        free(s.y);
    } else {
        struct text s = {.n = n, .d = d};
        const char *file = bench_option(argc, argv, "--write", NULL);
        make_text(&s, atoi(bench_option(argc, argv, "--flip", "0")));
        if (file) write_text(&s, file);
        run_dual(ctx, &s, bench_option(argc, argv, "--loss", "squared_hinge"),
                 atof(bench_option(argc, argv, "--tol", "1e-3")), repeat);
        free(s.start);
        free(s.column);
        free(s.value);
        free(s.y);
    }
    smr_ctx_destroy(ctx);
    return 0;
}
