/* kernels.c -- what the kernels reach, beside what the machine can do at all.
 *
 *     bench_kernels [--json]
 *
 * First the ceilings: fused multiply-adds in registers and bytes read from memory, on one thread
 * and on two.  Then each kernel: the median of 9 runs (processor time on one thread, wall clock on
 * two), its rate, and its share of the ceiling that bounds it.  `plain` says how many times faster
 * it is than its plain form (kernel/ref.h) or than libm.  SAMARA_TIER chooses the tier. */
#include "kernel/kernel.h"
#include "kernel/ref.h"

#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

/* Seconds: of the processor for one thread, since others may use it too; else of the wall. */
static double now(int n_threads)
{
    struct timespec t;
    clock_gettime(n_threads == 1 ? CLOCK_THREAD_CPUTIME_ID : CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void *memory(size_t size)
{
    void *p = aligned_alloc(64, (size + 63) / 64 * 64);
    if (!p) {
        fprintf(stderr, "bench_kernels: no memory for %zu bytes\n", size);
        exit(1);
    }
    memset(p, 0, size);
    return p;
}

static uint64_t random_bits(uint64_t i)
{
    i = (i + 0x9e3779b97f4a7c15u) * 0xbf58476d1ce4e5b9u;
    i = (i ^ (i >> 29)) * 0x94d049bb133111ebu;
    return i ^ (i >> 32);
}

static double *doubles(int64_t n)
{
    double *x = memory((size_t)n * sizeof *x);
    for (int64_t i = 0; i < n; i++) x[i] = (double)(random_bits((uint64_t)i) >> 11) * 0x1p-53;
    return x;
}

static float *floats(int64_t n)
{
    float *x = memory((size_t)n * sizeof *x);
    for (int64_t i = 0; i < n; i++) x[i] = (float)(random_bits((uint64_t)i) >> 40) * 0x1p-24f;
    return x;
}

static uint8_t *bytes(int64_t n)
{
    uint8_t *x = memory((size_t)n);
    for (int64_t i = 0; i < n; i++) x[i] = (uint8_t)random_bits((uint64_t)i);
    return x;
}

/* ---- timing ---- */

/* What one of n_threads threads does. */
struct share {
    int thread, n_threads;
    void (*run)(const struct share *);
    const void *arg;
};

typedef void (*share_fn)(const struct share *);

static void *run_share(void *arg)
{
    const struct share *s = arg;
    s->run(s);
    return NULL;
}

static void run_shares(int n_threads, share_fn run, const void *arg)
{
    struct share first = {0, n_threads, run, arg}, second = {1, n_threads, run, arg};
    pthread_t thread;
    bool is_split = n_threads > 1 && !pthread_create(&thread, NULL, run_share, &second);
    run(&first);
    if (is_split)
        pthread_join(thread, NULL);
    else if (n_threads > 1)
        run(&second);
}

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Median seconds of a call; short calls are timed many at a time. */
static double seconds(int n_threads, share_fn run, const void *arg)
{
    enum { RUNS = 9 };
    double t[RUNS], start = now(n_threads);
    run_shares(n_threads, run, arg);
    double once = now(n_threads) - start;
    int64_t repeat = once < 5e-3 ? (int64_t)(5e-3 / (once + 1e-8)) + 1 : 1;
    for (int r = 0; r < RUNS; r++) {
        start = now(n_threads);
        for (int64_t i = 0; i < repeat; i++) run_shares(n_threads, run, arg);
        t[r] = (now(n_threads) - start) / (double)repeat;
    }
    qsort(t, RUNS, sizeof *t, by_value);
    return t[RUNS / 2];
}

/* ---- ceilings ---- */

enum { FMA_ROUNDS = 2000000, FMA_CHAINS = 12, READ_SIZE = 256 << 20 };

static volatile double sink;

#if defined(__x86_64__)

#ifdef __clang__
#define IN_REGISTERS _Pragma("clang loop unroll(full)")
#else
#define IN_REGISTERS _Pragma("GCC unroll 16")
#endif

__attribute__((target("avx512f"))) static void fma_f64_512(const struct share *s)
{
    (void)s;
    __m512d sum[FMA_CHAINS], a = _mm512_set1_pd(0.999), b = _mm512_set1_pd(1e-3);
    for (int c = 0; c < FMA_CHAINS; c++) sum[c] = _mm512_set1_pd(c);
    for (int i = 0; i < FMA_ROUNDS; i++) {
        IN_REGISTERS
        for (int c = 0; c < FMA_CHAINS; c++) sum[c] = _mm512_fmadd_pd(sum[c], a, b);
    }
    for (int c = 1; c < FMA_CHAINS; c++) sum[0] = _mm512_add_pd(sum[0], sum[c]);
    sink = _mm512_reduce_add_pd(sum[0]);
}

__attribute__((target("avx512f"))) static void fma_f32_512(const struct share *s)
{
    (void)s;
    __m512 sum[FMA_CHAINS], a = _mm512_set1_ps(0.999f), b = _mm512_set1_ps(1e-3f);
    for (int c = 0; c < FMA_CHAINS; c++) sum[c] = _mm512_set1_ps((float)c);
    for (int i = 0; i < FMA_ROUNDS; i++) {
        IN_REGISTERS
        for (int c = 0; c < FMA_CHAINS; c++) sum[c] = _mm512_fmadd_ps(sum[c], a, b);
    }
    for (int c = 1; c < FMA_CHAINS; c++) sum[0] = _mm512_add_ps(sum[0], sum[c]);
    sink = (double)_mm512_reduce_add_ps(sum[0]);
}

__attribute__((target("avx2,fma"))) static void fma_f64_256(const struct share *s)
{
    (void)s;
    __m256d sum[FMA_CHAINS], a = _mm256_set1_pd(0.999), b = _mm256_set1_pd(1e-3);
    for (int c = 0; c < FMA_CHAINS; c++) sum[c] = _mm256_set1_pd(c);
    for (int i = 0; i < FMA_ROUNDS; i++) {
        IN_REGISTERS
        for (int c = 0; c < FMA_CHAINS; c++) sum[c] = _mm256_fmadd_pd(sum[c], a, b);
    }
    for (int c = 1; c < FMA_CHAINS; c++) sum[0] = _mm256_add_pd(sum[0], sum[c]);
    sink = _mm256_cvtsd_f64(sum[0]);
}

__attribute__((target("avx2,fma"))) static void fma_f32_256(const struct share *s)
{
    (void)s;
    __m256 sum[FMA_CHAINS], a = _mm256_set1_ps(0.999f), b = _mm256_set1_ps(1e-3f);
    for (int c = 0; c < FMA_CHAINS; c++) sum[c] = _mm256_set1_ps((float)c);
    for (int i = 0; i < FMA_ROUNDS; i++) {
        IN_REGISTERS
        for (int c = 0; c < FMA_CHAINS; c++) sum[c] = _mm256_fmadd_ps(sum[c], a, b);
    }
    for (int c = 1; c < FMA_CHAINS; c++) sum[0] = _mm256_add_ps(sum[0], sum[c]);
    sink = (double)_mm256_cvtss_f32(sum[0]);
}

#endif

/* Elsewhere: multiplications and additions of doubles, as the compiler turns them into vectors. */
static void multiply_add(const struct share *s)
{
    (void)s;
    double sum[2 * FMA_CHAINS];
    for (int c = 0; c < 2 * FMA_CHAINS; c++) sum[c] = c;
    for (int i = 0; i < FMA_ROUNDS; i++)
        for (int c = 0; c < 2 * FMA_CHAINS; c++) sum[c] = sum[c] * 0.999 + 1e-3;
    for (int c = 1; c < 2 * FMA_CHAINS; c++) sum[0] += sum[c];
    sink = sum[0];
}

struct peak {
    share_fn run;
    double flops; /* of a call */
};

static struct peak peak_of(bool is_f32)
{
    double doubles_at_once = 2, per_double = is_f32 ? 2 : 1;
    share_fn run = multiply_add;
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx512f")) {
        run = is_f32 ? fma_f32_512 : fma_f64_512;
        doubles_at_once = 8;
    } else if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) {
        run = is_f32 ? fma_f32_256 : fma_f64_256;
        doubles_at_once = 4;
    }
#endif
    return (struct peak){run, 2 * per_double * doubles_at_once * FMA_CHAINS * FMA_ROUNDS};
}

/* A half of the memory for each of two threads. */
static void read_share(const struct share *s)
{
    const double *from = s->arg;
    int64_t n = READ_SIZE / (int64_t)sizeof *from / s->n_threads;
    sink = smr_sum_f64(n, from + s->thread * n);
}

struct ceilings {
    double f32[2], f64[2], bytes[2]; /* one thread, two threads; per second */
};

static struct ceilings measure_ceilings(void)
{
    struct ceilings c;
    struct peak f32 = peak_of(true), f64 = peak_of(false);
    double *block = memory(READ_SIZE);
    for (int t = 1; t <= 2; t++) {
        c.f32[t - 1] = t * f32.flops / seconds(t, f32.run, NULL);
        c.f64[t - 1] = t * f64.flops / seconds(t, f64.run, NULL);
        c.bytes[t - 1] = READ_SIZE / seconds(t, read_share, block);
    }
    free(block);
    return c;
}

/* ---- kernels ---- */

struct sizes {
    int64_t m, n, k;
};

enum { TRAIN = 60000, TRAIN_F64 = 20000, PIXELS = 784, ROWS = 256 };

static struct {
    float *a32, *b32, *c32;
    double *a, *b, *c;
    uint8_t *a8;
    int32_t *c8;
    void *panels, *panels32, *panels8, *work[2];
} data;

#define SIZES(s) const struct sizes *z = (s)->arg

static void product_f32(const struct share *s)
{
    SIZES(s);
    smr_product_f32(z->m, z->n, z->k, data.a32, z->k, data.panels32, data.c32, z->n);
}

static void product_f64(const struct share *s)
{
    SIZES(s);
    smr_product_f64(z->m, z->n, z->k, data.a, z->k, data.panels, data.c, z->n);
}

static void product_u8(const struct share *s)
{
    SIZES(s);
    smr_product_u8(z->m, z->n, z->k, data.a8, z->k, data.panels8, data.c8, z->n);
}

static void plain_product_f32(const struct share *s)
{
    SIZES(s);
    smr_ref_product_f32(z->m, z->n, z->k, data.a32, z->k, data.b32, z->k, data.c32, z->n);
}

static void pack_f32(const struct share *s)
{
    SIZES(s);
    smr_pack_f32(z->n, z->k, data.b32, z->k, data.panels32);
}

/* Each thread has its part of the rows and sums of its own. */
static void gram(const struct share *s)
{
    SIZES(s);
    int64_t n = z->n / s->n_threads;
    smr_gram_f64(n, z->k, data.b + s->thread * n * z->k, z->k, data.c + s->thread * z->k * z->k,
                 z->k, data.work[s->thread]);
}

static void plain_gram(const struct share *s)
{
    SIZES(s);
    smr_ref_gram_f64(z->n, z->k, data.b, z->k, data.c, z->k);
}

static void dot_f64(const struct share *s)
{
    SIZES(s);
    sink = smr_dot_f64(z->n, data.a, data.b);
}

static void plain_dot_f64(const struct share *s)
{
    SIZES(s);
    sink = smr_ref_dot_f64(z->n, data.a, data.b);
}

static void l2sq_f32(const struct share *s)
{
    SIZES(s);
    sink = (double)smr_l2sq_f32(z->n, data.a32, data.b32);
}

static void l2sq_u8(const struct share *s)
{
    SIZES(s);
    sink = (double)smr_l2sq_u8(z->n, data.a8, data.a8 + PIXELS);
}

static void axpy_f64(const struct share *s)
{
    SIZES(s);
    smr_axpy_f64(z->n, 1e-9, data.a, data.c);
}

static void lp_f64(const struct share *s)
{
    SIZES(s);
    sink = smr_lp_f64(z->n, data.a, data.b, 2.7);
}

static void exp_array(const struct share *s)
{
    SIZES(s);
    smr_exp_f64(z->n, data.a, data.c);
}

static void log_array(const struct share *s)
{
    SIZES(s);
    smr_log_f64(z->n, data.a, data.c);
}

#define ONE_BY_ONE(name, call)                               \
    static void name(const struct share *s)                  \
    {                                                        \
        SIZES(s);                                            \
        for (int64_t i = 0; i < z->n; i++) data.c[i] = call; \
    }
ONE_BY_ONE(exp_one, smr_exp(data.a[i]))
ONE_BY_ONE(log_one, smr_log(data.a[i]))
ONE_BY_ONE(log1p_one, smr_log1p(data.a[i]))
ONE_BY_ONE(expm1_one, smr_expm1(data.a[i]))
ONE_BY_ONE(tanh_one, smr_tanh(data.a[i]))
ONE_BY_ONE(pow_one, smr_pow(data.a[i], data.b[i]))
ONE_BY_ONE(exp_libm, exp(data.a[i]))
ONE_BY_ONE(log_libm, log(data.a[i]))
ONE_BY_ONE(log1p_libm, log1p(data.a[i]))
ONE_BY_ONE(expm1_libm, expm1(data.a[i]))
ONE_BY_ONE(tanh_libm, tanh(data.a[i]))
ONE_BY_ONE(pow_libm, pow(data.a[i], data.b[i]))

static void make_data(void)
{
    data.a32 = floats(ROWS * PIXELS);
    data.b32 = floats((int64_t)TRAIN * PIXELS);
    data.c32 = floats(ROWS * TRAIN);
    data.a = doubles(ROWS * PIXELS);
    data.b = doubles(50 * 1000000);
    data.c = doubles(ROWS * TRAIN_F64);
    data.a8 = bytes(ROWS * PIXELS);
    data.c8 = memory((size_t)ROWS * TRAIN * sizeof *data.c8);
    data.panels32 = memory((size_t)smr_panels_size_f32(TRAIN, PIXELS));
    smr_pack_f32(TRAIN, PIXELS, data.b32, PIXELS, data.panels32);
    data.panels = memory((size_t)smr_panels_size_f64(TRAIN_F64, PIXELS));
    smr_pack_f64(TRAIN_F64, PIXELS, data.b, PIXELS, data.panels);
    uint8_t *b8 = bytes((int64_t)TRAIN * PIXELS);
    data.panels8 = memory((size_t)smr_panels_size_u8(TRAIN, PIXELS));
    smr_pack_u8(TRAIN, PIXELS, b8, PIXELS, data.panels8);
    free(b8);
    for (int t = 0; t < 2; t++) data.work[t] = memory((size_t)smr_gram_work(PIXELS));
}

static void release_data(void)
{
    void *all[] = {data.a32,    data.b32,      data.c32,    data.a,       data.b,
                   data.c,      data.a8,       data.c8,     data.work[0], data.work[1],
                   data.panels, data.panels32, data.panels8};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) free(all[i]);
}

/* ---- the table ---- */

/* What bounds a kernel: operations, bytes read, or nothing that was measured. */
enum bound { F32, F64, U8, BYTES, NONE };

struct row {
    const char *name;
    int n_threads;
    struct sizes z;
    share_fn run, plain;
    enum bound bound;
    double work; /* operations or bytes of a call; elements where nothing bounds it */
};

static const struct row rows[] = {
    {"product_f32", 1, {64, 1000, 784}, product_f32, NULL, F32, 2.0 * 64 * 1000 * 784},
    {"product_f32", 1, {14, 1000, 784}, product_f32, plain_product_f32, F32, 2.0 * 14e3 * 784},
    {"product_f32", 1, {256, 60000, 784}, product_f32, NULL, F32, 2.0 * 256 * 60000 * 784},
    {"product_f32", 1, {256, 10, 784}, product_f32, NULL, F32, 2.0 * 256 * 10 * 784},
    {"product_f32", 1, {4, 60000, 784}, product_f32, NULL, BYTES, 4.0 * 60000 * 784},
    {"product_f32", 1, {1, 60000, 784}, product_f32, NULL, BYTES, 4.0 * 60000 * 784},
    {"product_f64", 1, {64, 1000, 784}, product_f64, NULL, F64, 2.0 * 64 * 1000 * 784},
    {"product_f64", 1, {256, 20000, 784}, product_f64, NULL, F64, 2.0 * 256 * 20000 * 784},
    {"product_f64", 1, {1, 20000, 784}, product_f64, NULL, BYTES, 8.0 * 20000 * 784},
    {"product_u8", 1, {64, 1000, 784}, product_u8, NULL, U8, 2.0 * 64 * 1000 * 784},
    {"product_u8", 1, {256, 60000, 784}, product_u8, NULL, U8, 2.0 * 256 * 60000 * 784},
    {"product_u8", 1, {1, 60000, 784}, product_u8, NULL, BYTES, 60000.0 * 784},
    {"gram_f64", 1, {0, 4096, 50}, gram, plain_gram, F64, 4096.0 * 50 * 51},
    {"gram_f64", 1, {0, 1000000, 50}, gram, NULL, F64, 1e6 * 50 * 51},
    {"gram_f64", 2, {0, 1000000, 50}, gram, NULL, F64, 1e6 * 50 * 51},
    {"gram_f64", 1, {0, 4096, 784}, gram, NULL, F64, 4096.0 * 784 * 785},
    {"gram_f64", 1, {0, 100000, 7}, gram, NULL, F64, 1e5 * 7 * 8},
    {"pack_f32", 1, {0, 60000, 784}, pack_f32, NULL, BYTES, 4.0 * 60000 * 784},
    {"dot_f64", 1, {0, 10, 0}, dot_f64, plain_dot_f64, NONE, 1},
    {"dot_f64", 1, {0, 50, 0}, dot_f64, plain_dot_f64, NONE, 1},
    {"dot_f64", 1, {0, 784, 0}, dot_f64, plain_dot_f64, F64, 2 * 784},
    {"l2sq_f32", 1, {0, 784, 0}, l2sq_f32, NULL, F32, 3 * 784},
    {"l2sq_u8", 1, {0, 784, 0}, l2sq_u8, NULL, NONE, 1},
    {"axpy_f64", 1, {0, 784, 0}, axpy_f64, NULL, F64, 2 * 784},
    {"lp_f64 p=2.7", 1, {0, 784, 0}, lp_f64, NULL, NONE, 784},
    {"exp_f64", 1, {0, 4096, 0}, exp_array, exp_libm, NONE, 4096},
    {"log_f64", 1, {0, 4096, 0}, log_array, log_libm, NONE, 4096},
    {"exp", 1, {0, 4096, 0}, exp_one, exp_libm, NONE, 4096},
    {"log", 1, {0, 4096, 0}, log_one, log_libm, NONE, 4096},
    {"log1p", 1, {0, 4096, 0}, log1p_one, log1p_libm, NONE, 4096},
    {"expm1", 1, {0, 4096, 0}, expm1_one, expm1_libm, NONE, 4096},
    {"tanh", 1, {0, 4096, 0}, tanh_one, tanh_libm, NONE, 4096},
    {"pow", 1, {0, 4096, 0}, pow_one, pow_libm, NONE, 4096},
};

enum { N_ROWS = sizeof rows / sizeof *rows };

/* The bound per second, and the unit that rates are shown in. */
static double ceiling_of(const struct ceilings *c, const struct row *r, const char **unit)
{
    int t = r->n_threads - 1;
    *unit = r->bound == BYTES ? "GB/s" : r->bound == U8 ? "Gop/s" : "GFLOP/s";
    switch (r->bound) {
    case F32: return c->f32[t];
    case F64: return c->f64[t];
    case U8: return 4 * c->f32[t]; /* four bytes in the place of a float */
    case BYTES: return c->bytes[t];
    case NONE: break;
    }
    *unit = "ns each";
    return 0;
}

static void show_ceilings(const struct ceilings *c, bool is_json)
{
    static const char *const names[] = {"fma_f32", "fma_f64", "read"};
    const double *const values[] = {c->f32, c->f64, c->bytes};
    printf(is_json ? "{\"tier\":\"%s\",\"ceilings\":{" : "tier %s\n", smr_kernel_tier());
    for (int i = 0; i < 3; i++)
        printf(is_json ? "%s\"%s\":{\"unit\":\"%s\",\"threads_1\":%.4g,\"threads_2\":%.4g}"
                       : "%s%-8s %-8s 1 thread %7.1f   2 threads %7.1f\n",
               is_json && i ? "," : "", names[i], i < 2 ? "GFLOP/s" : "GB/s", 1e-9 * values[i][0],
               1e-9 * values[i][1]);
    if (is_json)
        printf("},\"kernels\":[");
    else
        printf("\n%-13s %3s %5s %8s %5s %11s %9s %-8s %6s %7s\n", "kernel", "thr", "m", "n", "k",
               "time us", "rate", "unit", "share", "plain");
}

static void show_row(const struct ceilings *c, const struct row *r, bool is_json, bool is_last)
{
    const char *unit;
    double t = seconds(r->n_threads, r->run, &r->z), ceiling = ceiling_of(c, r, &unit);
    double rate = ceiling > 0 ? 1e-9 * r->work / t : 1e9 * t / r->work;
    double share = ceiling > 0 ? r->work / t / ceiling : 0;
    double plain = r->plain ? seconds(1, r->plain, &r->z) / t : 0;
    long long m = r->z.m, n = r->z.n, k = r->z.k;
    printf(is_json ? "{\"kernel\":\"%s\",\"threads\":%d,\"m\":%lld,\"n\":%lld,\"k\":%lld,"
                     "\"microseconds\":%.6g,\"rate\":%.4g,\"unit\":\"%s\""
                   : "%-13s %3d %5lld %8lld %5lld %11.3f %9.2f %-8s",
           r->name, r->n_threads, m, n, k, 1e6 * t, rate, unit);
    if (is_json) {
        if (share > 0) printf(",\"share\":%.3f", share);
        if (plain > 0) printf(",\"times_plain\":%.2f", plain);
        printf("}%s", is_last ? "]}\n" : ",");
        return;
    }
    if (share > 0)
        printf(" %5.1f%%", 100 * share);
    else
        printf(" %6s", "");
    if (plain > 0) printf(" %6.1fx", plain);
    printf("\n");
    fflush(stdout);
}

int main(int argc, char **argv)
{
    bool is_json = argc == 2 && !strcmp(argv[1], "--json");
    if (argc > 1 && !is_json) {
        fprintf(stderr, "usage: bench_kernels [--json]\n");
        return 2;
    }
    make_data();
    struct ceilings c = measure_ceilings();
    show_ceilings(&c, is_json);
    for (int i = 0; i < N_ROWS; i++) show_row(&c, &rows[i], is_json, i + 1 == N_ROWS);
    release_data();
    return 0;
}
