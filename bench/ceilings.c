/* ceilings.c -- what this machine can do at best: multiply-adds, reading and copying memory.
 *
 *     ceilings [THREADS]
 *
 * Built for the machine it runs on (-march=native).  Each figure is the best of several rounds, all
 * threads at once.  Every share of a ceiling that bench/run.py prints refers to these figures. */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { MAX_THREADS = 256, ROUNDS = 5, CHAINS = 12, STREAMS = 4 };
static const int64_t FMA_STEPS = 8000000;
static const int64_t WORDS = INT64_C(16) << 20; /* doubles of each thread's buffers: 128 MB */

typedef double vec_f64 __attribute__((vector_size(64)));
typedef float vec_f32 __attribute__((vector_size(64)));

struct lane {
    pthread_t thread;
    pthread_barrier_t *barrier;
    double *from, *to;
    double fma_f64, fma_f32, read, copy; /* best seconds of this lane's rounds */
    double sink;                         /* keeps the work from being dropped */
};

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* CHAINS independent chains of v <- v m + k, which the compiler fuses (-ffp-contract=fast). */
#define DEFINE_CHAINS(name, vec, real)                            \
    static double name(void)                                      \
    {                                                             \
        vec v[CHAINS], m = {0}, k = {0};                          \
        m += (real)0.999;                                         \
        k += (real)0.001;                                         \
        for (int c = 0; c < CHAINS; c++) v[c] = k * (real)c;      \
        for (int64_t i = 0; i < FMA_STEPS; i++)                   \
            for (int c = 0; c < CHAINS; c++) v[c] = v[c] * m + k; \
        for (int c = 1; c < CHAINS; c++) v[0] += v[c];            \
        return (double)v[0][0];                                   \
    }

DEFINE_CHAINS(chains_f64, vec_f64, double)
DEFINE_CHAINS(chains_f32, vec_f32, float)

/* Sums a buffer in STREAMS streams: enough cache misses are under way at a time. */
static double read_all(const double *from)
{
    int64_t length = WORDS / STREAMS;
    vec_f64 sum[STREAMS] = {{0}};
    for (int64_t i = 0; i < length; i += 8)
        for (int s = 0; s < STREAMS; s++)
            sum[s] += *(const vec_f64 *)(const void *)(from + s * length + i);
    for (int s = 1; s < STREAMS; s++) sum[0] += sum[s];
    return sum[0][0] + sum[0][5];
}

static void keep_best(double *best, double seconds)
{
    if (*best == 0 || seconds < *best) *best = seconds;
}

static void *lane_main(void *arg)
{
    struct lane *l = arg;
    for (int64_t i = 0; i < WORDS; i++) {
        l->from[i] = (double)i;
        l->to[i] = 0;
    }
    for (int round = 0; round < ROUNDS; round++) {
        double start;
        pthread_barrier_wait(l->barrier);
        start = now();
        l->sink += chains_f64();
        keep_best(&l->fma_f64, now() - start);
        pthread_barrier_wait(l->barrier);
        start = now();
        l->sink += chains_f32();
        keep_best(&l->fma_f32, now() - start);
        pthread_barrier_wait(l->barrier);
        start = now();
        l->sink += read_all(l->from);
        keep_best(&l->read, now() - start);
        pthread_barrier_wait(l->barrier);
        start = now();
        memcpy(l->to, l->from, (size_t)WORDS * sizeof *l->to);
        keep_best(&l->copy, now() - start);
        l->sink += l->to[round];
    }
    return NULL;
}

int main(int argc, char **argv)
{
    static struct lane lanes[MAX_THREADS];
    pthread_barrier_t barrier;
    int n = argc > 1 ? atoi(argv[1]) : 2;
    if (n < 1 || n > MAX_THREADS) return 2;

    pthread_barrier_init(&barrier, NULL, (unsigned)n);
    for (int i = 0; i < n; i++) {
        size_t bytes = (size_t)WORDS * sizeof(double);
        lanes[i] = (struct lane){.barrier = &barrier, .from = aligned_alloc(64, bytes)};
        lanes[i].to = aligned_alloc(64, bytes);
        if (!lanes[i].from || !lanes[i].to) return 70;
        if (pthread_create(&lanes[i].thread, NULL, lane_main, &lanes[i])) return 70;
    }
    double f64 = 0, f32 = 0, read = 0, copy = 0, sink = 0;
    for (int i = 0; i < n; i++) {
        pthread_join(lanes[i].thread, NULL);
        f64 += (double)FMA_STEPS * CHAINS * 8 * 2 / lanes[i].fma_f64;
        f32 += (double)FMA_STEPS * CHAINS * 16 * 2 / lanes[i].fma_f32;
        read += (double)WORDS * 8 / lanes[i].read;
        copy += (double)WORDS * 8 / lanes[i].copy;
        sink += lanes[i].sink;
    }
    printf("{\"threads\": %d, \"fma_f64_gflops\": %.1f, \"fma_f32_gflops\": %.1f, "
           "\"read_gb_s\": %.2f, \"copy_gb_s\": %.2f, \"sink\": %d}\n",
           n, f64 / 1e9, f32 / 1e9, read / 1e9, copy / 1e9, sink == 0.5);
    return 0;
}
