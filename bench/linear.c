/* linear.c -- times the learners linear and ridge through their descriptors, without the table and
 * the columns around them.
 *
 *     linear [--rows N] [--features D] [--data XY.npy] [--threads T] [--repeat R]
 *
 * Without --data (doubles in C order, the last column is the target) normal numbers are made.
 * One JSON line a case: seconds (the median of R fits, the least, and the least CPU time), ns for
 * a row predicted alone, R2, the way it was solved, and the most memory that the fit held (as
 * samara counts it). */
#include "bench.h"
#include "core/params.h"
#include "core/rng.h"
#include "learn/learner.h"
#include "learn/state.h"

#include <math.h>
#include <time.h>

extern const smr_learner smr_linear, smr_ridge;

struct set {
    int64_t n, d;
    double *xy; /* n x (d + 1) where read from a file; else n x d */
    int64_t stride;
    double *y;
    smr_feature *features;
};

static void *get(size_t n, size_t size)
{
    void *p = calloc(n, size);
    if (!p) exit(70);
    return p;
}

static double normal(uint64_t a, uint64_t i)
{
    double u = smr_random_unit(1, SMR_STREAM_TEST, 2 * a, i);
    double v = smr_random_unit(1, SMR_STREAM_TEST, 2 * a + 1, i);
    return sqrt(-2 * log(1 - u)) * cos(6.283185307179586 * v);
}

static void generate(struct set *s)
{
    s->stride = s->d;
    s->xy = get((size_t)(s->n * s->d), sizeof(double));
    for (int64_t i = 0; i < s->n; i++) {
        s->y[i] = 0.5 + normal(1000, (uint64_t)i);
        for (int64_t j = 0; j < s->d; j++) {
            double x = s->xy[i * s->d + j] = normal((uint64_t)j, (uint64_t)i);
            s->y[i] += x * cos(3.0 * (double)j);
        }
    }
}

/* "\x93NUMPY" 1 0, two bytes of header length, the header, the numbers. */
static void load(const char *path, struct set *s)
{
    unsigned char head[10];
    char text[1024] = {0};
    FILE *f = fopen(path, "rb");
    if (!f || fread(head, 1, 10, f) != 10) exit(3);
    size_t length = head[8] + 256u * head[9];
    if (length >= sizeof text || fread(text, 1, length, f) != length) exit(3);
    const char *shape = strstr(text, "'shape': (");
    if (!shape || !strstr(text, "<f8") || strstr(text, "True")) exit(3);
    char *end = NULL;
    s->n = strtoll(shape + 10, &end, 10);
    s->stride = strtoll(end + 1, NULL, 10);
    s->d = s->stride - 1;
    size_t count = (size_t)(s->n * s->stride);
    s->xy = get(count, sizeof(double));
    s->y = get((size_t)s->n, sizeof(double));
    if (fread(s->xy, sizeof(double), count, f) != count) exit(3);
    fclose(f);
    for (int64_t i = 0; i < s->n; i++) s->y[i] = s->xy[i * s->stride + s->d];
}

static void make_features(struct set *s)
{
    s->features = get((size_t)s->d, sizeof *s->features);
    for (int64_t j = 0; j < s->d; j++)
        s->features[j] = (smr_feature){
            .kind = SMR_NUMBER, .dtype = SMR_F64, .values = s->xy + j, .stride = s->stride};
}

/* The last column becomes the first and a millionth of itself; y follows it. */
static void make_collinear(struct set *s)
{
    for (int64_t i = 0; i < s->n; i++) {
        double *x = s->xy + i * s->stride;
        s->y[i] -= x[s->d - 1];
        x[s->d - 1] = x[0] + 1e-6 * x[s->d - 1];
        s->y[i] += x[s->d - 1];
    }
}

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double r2_of(smr_ctx *ctx, const smr_learner *learner, const void *params, const void *state,
                    const struct set *s, double *predict_seconds)
{
    double *out = get((size_t)s->n, sizeof *out), mean = 0, rss = 0, tss = 0;
    smr_rows rows = {.n = s->n, .d = s->d, .form = SMR_FORM_F64, .x = s->xy, .stride = s->stride};
    double start = smr_now();
    bench_check(ctx,
                learner->fitted->predict(ctx, params, state, &rows, SMR_OUTPUT_VALUE, out, NULL));
    *predict_seconds = smr_now() - start;
    for (int64_t i = 0; i < s->n; i++) mean += s->y[i] / (double)s->n;
    for (int64_t i = 0; i < s->n; i++) {
        rss += (s->y[i] - out[i]) * (s->y[i] - out[i]);
        tss += (s->y[i] - mean) * (s->y[i] - mean);
    }
    free(out);
    return 1 - rss / tss;
}

static double one_row(smr_ctx *ctx, const smr_learner *learner, const void *params,
                      const void *state, const struct set *s)
{
    enum { TIMES = 200000 };
    double out = 0, sum = 0;
    smr_rows row = {.n = 1, .d = s->d, .form = SMR_FORM_F64, .stride = s->stride};
    double start = smr_now();
    for (int64_t i = 0; i < TIMES; i++) {
        row.x = s->xy + i % SMR_MIN(s->n, 64) * s->stride;
        bench_check(
            ctx, learner->fitted->predict(ctx, params, state, &row, SMR_OUTPUT_VALUE, &out, NULL));
        sum += out;
    }
    return (smr_now() - start) / TIMES * 1e9 + (isnan(sum) ? 1e9 : 0);
}

static void set_param(smr_ctx *ctx, const smr_learner *learner, void *params, const char *key,
                      const char *value)
{
    if (key)
        bench_check(ctx, smr_param_set(ctx, learner->word, params,
                                       smr_param_find(learner->word, key), value));
}

static void run(int argc, char **argv, const char *name, const smr_learner *learner,
                const char *key, const char *value, const struct set *s)
{
    int repeat = atoi(bench_option(argc, argv, "--repeat", "5"));
    double *taken = get((size_t)repeat, sizeof *taken), predict_seconds = 0;
    smr_ctx *ctx = bench_ctx(argc, argv);
    smr_data data = {.size = sizeof data,
                     .n_rows = s->n,
                     .n_features = s->d,
                     .features = s->features,
                     .refuse_missing = true,
                     .task = SMR_TASK_REGRESS,
                     .n_outputs = 1,
                     .y = s->y};
    void *params = NULL, *state = NULL;
    bench_check(ctx, smr_params_create(ctx, learner->word, &params));
    set_param(ctx, learner, params, key, value);
    int64_t peak = 0;
    double cpu = INFINITY; /* of all threads: steadier than the clock on a busy machine */
    for (int r = 0; r < repeat; r++) {
        smr_fit_report report = {0};
        smr_state_free(learner, state);
        bench_check(ctx, smr_state_create(ctx, learner, &state));
        clock_t ticks = clock();
        double start = smr_now();
        bench_check(ctx, learner->fit(ctx, params, &data, state, &report));
        taken[r] = smr_now() - start;
        cpu = fmin(cpu, (double)(clock() - ticks) / CLOCKS_PER_SEC);
    }
    smr_ctx_memory(ctx, &peak);
    qsort(taken, (size_t)repeat, sizeof *taken, ascending);
    double r2 = r2_of(ctx, learner, params, state, s, &predict_seconds);
    printf(
        "{\"case\": \"%s\", \"rows\": %lld, \"features\": %lld, \"threads\": %d, \"fit_s\": %.6f, "
        "\"fit_min_s\": %.6f, \"fit_cpu_s\": %.6f, \"predict_s\": %.6f, \"row_ns\": %.1f, \"r2\": "
        "%.12f, "
        "\"fit_memory_bytes\": %lld}\n",
        name, (long long)s->n, (long long)s->d, ctx->n_threads, taken[repeat / 2], taken[0], cpu,
        predict_seconds, one_row(ctx, learner, params, state, s), r2, (long long)peak);
    smr_state_free(learner, state);
    smr_params_free(learner->word, params);
    smr_ctx_destroy(ctx);
    free(taken);
}

int main(int argc, char **argv)
{
    const char *path = bench_option(argc, argv, "--data", NULL);
    struct set s = {.n = atoll(bench_option(argc, argv, "--rows", "1000000")),
                    .d = atoll(bench_option(argc, argv, "--features", "50"))};
    if (path) {
        load(path, &s);
    } else {
        s.y = get((size_t)s.n, sizeof(double));
        generate(&s);
    }
    make_features(&s);
    run(argc, argv, "linear", &smr_linear, NULL, NULL, &s);
    run(argc, argv, "linear method=qr", &smr_linear, "method", "qr", &s);
    run(argc, argv, "ridge 1", &smr_ridge, NULL, NULL, &s);
    run(argc, argv, "ridge path=20", &smr_ridge, "path", "20", &s);
    make_collinear(&s);
    run(argc, argv, "linear, nearly collinear", &smr_linear, NULL, NULL, &s);
    free(s.features);
    free(s.y);
    free(s.xy);
    return 0;
}
