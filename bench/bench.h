/* bench.h -- what the benchmark programs share: arguments, memory, one JSON line.
 *
 * A program does one piece of work in one process and prints one line, an object with "seconds"
 * (by phase), figures of quality, and "peak_memory_bytes" (VmHWM).  bench/run.py runs it in
 * alternation with its peers, which print the same (bench/peers.py). */
#ifndef SMR_BENCH_H
#define SMR_BENCH_H

#include "core/ctx.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The value after --name, or the fallback. */
static inline const char *bench_option(int argc, char **argv, const char *name,
                                       const char *fallback)
{
    for (int i = 1; i + 1 < argc; i++)
        if (strcmp(argv[i], name) == 0) return argv[i + 1];
    return fallback;
}

/* A line of /proc/self/status in bytes: VmHWM, the most memory ever held; VmRSS, now. */
static inline long long bench_memory(const char *key)
{
    char line[256];
    long long kilobytes = 0;
    FILE *f = fopen("/proc/self/status", "r");
    while (f && fgets(line, sizeof line, f))
        if (strncmp(line, key, strlen(key)) == 0)
            kilobytes = strtoll(line + strlen(key) + 1, NULL, 10);
    if (f) fclose(f);
    return 1024 * kilobytes;
}

static inline smr_ctx *bench_ctx(int argc, char **argv)
{
    smr_ctx *ctx = NULL;
    smr_ctx_opts opts = {.size = sizeof opts,
                         .n_threads = atoi(bench_option(argc, argv, "--threads", "2")),
                         .seed = strtoull(bench_option(argc, argv, "--seed", "0"), NULL, 10)};
    if (smr_ctx_create(&opts, &ctx) != SMR_OK) exit(70);
    return ctx;
}

/* Ends the program with the context's message when the call failed. */
static inline void bench_check(smr_ctx *ctx, smr_status status)
{
    if (status == SMR_OK) return;
    fprintf(stderr, "bench: %s\n", smr_ctx_message(ctx));
    exit(1);
}

#endif
