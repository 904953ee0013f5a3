/* ctx.c -- see ctx.h. */
#include "core/ctx.h"

#include "core/parallel.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static const double PROGRESS_SECONDS = 0.1;
enum { MAX_THREADS = 1024 };

static int64_t machine_memory(void)
{
    long pages = sysconf(_SC_PHYS_PAGES), size = sysconf(_SC_PAGESIZE);
    return pages > 0 && size > 0 ? (int64_t)pages * size : INT64_C(4) << 30;
}

smr_status smr_ctx_create(const smr_ctx_opts *opts, smr_ctx **out)
{
    smr_ctx_opts o = {.size = sizeof o};
    *out = NULL;
    if (opts) memcpy(&o, opts, SMR_MIN(opts->size, sizeof o));

    smr_ctx *ctx = calloc(1, sizeof *ctx); /* no context exists yet to count this one */
    if (!ctx) return SMR_ERR_NOMEM;
    ctx->memory = smr_memory_create(o.memory_limit > 0 ? o.memory_limit : machine_memory() / 4 * 3);
    if (!ctx->memory) {
        free(ctx);
        return SMR_ERR_NOMEM;
    }
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    ctx->n_threads = o.n_threads > 0 ? SMR_MIN(o.n_threads, MAX_THREADS) : (int)SMR_MAX(1, cores);
    ctx->seed = o.seed;
    ctx->log = o.log;
    ctx->log_user = o.log_user;
    ctx->progress = o.progress;
    ctx->progress_user = o.progress_user;
    *out = ctx;
    return SMR_OK;
}

void smr_ctx_destroy(smr_ctx *ctx)
{
    if (!ctx) return;
    smr_pool_destroy(ctx);
    smr_memory_release(ctx->memory);
    free(ctx);
}

const char *smr_ctx_message(const smr_ctx *ctx)
{
    return ctx->message;
}

smr_status smr_ctx_status(const smr_ctx *ctx)
{
    return ctx->status;
}

void smr_ctx_clear(smr_ctx *ctx)
{
    ctx->status = SMR_OK;
    ctx->message[0] = '\0';
    atomic_store(&ctx->cancelled, 0);
}

int64_t smr_ctx_memory(const smr_ctx *ctx, int64_t *peak)
{
    if (peak) *peak = atomic_load(&ctx->memory->peak);
    return atomic_load(&ctx->memory->held);
}

void smr_ctx_cancel(smr_ctx *ctx)
{
    atomic_store(&ctx->cancelled, 1);
}

smr_status smr_fail(smr_ctx *ctx, smr_status status, const char *format, ...)
{
    if (ctx->status != SMR_OK) return ctx->status;
    va_list args;
    va_start(args, format);
    vsnprintf(ctx->message, sizeof ctx->message, format, args);
    va_end(args);
    ctx->status = status;
    return status;
}

void smr_while(smr_ctx *ctx, const char *format, ...)
{
    size_t used = strlen(ctx->message);
    size_t room = sizeof ctx->message - used;
    static const char head[] = " (while ";
    if (room <= sizeof head) return;
    memcpy(ctx->message + used, head, sizeof head);
    size_t begun = used + sizeof head - 1;
    va_list args;
    va_start(args, format);
    int body = vsnprintf(ctx->message + begun, sizeof ctx->message - begun, format, args);
    va_end(args);
    size_t end = begun + (size_t)SMR_MAX(body, 0);
    if (body < 0 || end + 2 > sizeof ctx->message) {
        ctx->message[used] = '\0'; /* no room: the cause alone is better than half a crumb */
        return;
    }
    memcpy(ctx->message + end, ")", 2);
}

static void say(smr_ctx *ctx, smr_log_level level, const char *format, va_list args)
{
    char text[SMR_MESSAGE_MAX];
    if (!ctx->log) return;
    vsnprintf(text, sizeof text, format, args);
    ctx->log(ctx->log_user, level, text);
}

void smr_warn(smr_ctx *ctx, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    say(ctx, SMR_LOG_WARNING, format, args);
    va_end(args);
}

void smr_info(smr_ctx *ctx, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    say(ctx, SMR_LOG_INFO, format, args);
    va_end(args);
}

double smr_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

void smr_cancel_at(smr_ctx *ctx, int64_t n)
{
    atomic_store(&ctx->ticks_left, n);
}

/* A tick of the user's context. */
static void count_tick(smr_ctx *root)
{
    if (atomic_load(&root->ticks_left) > 0 && atomic_fetch_sub(&root->ticks_left, 1) == 1)
        atomic_store(&root->cancelled, 1);
}

static bool is_cancelled(smr_ctx *ctx)
{
    for (;; ctx = ctx->parent) {
        if (!ctx->parent) count_tick(ctx);
        if (atomic_load(&ctx->cancelled)) return true;
        if (!ctx->parent) return false;
    }
}

smr_status smr_tick(smr_ctx *ctx, const char *what, int64_t done, int64_t total, double figure)
{
    if (is_cancelled(ctx)) return smr_fail(ctx, SMR_ERR_CANCELLED, "cancelled");
    if (!ctx->progress || !what) return SMR_OK;
    double now = smr_now();
    if (now - ctx->progress_last < PROGRESS_SECONDS) return SMR_OK;
    ctx->progress_last = now;
    if (ctx->progress(ctx->progress_user, what, done, total, figure))
        return smr_fail(ctx, SMR_ERR_CANCELLED, "cancelled");
    return SMR_OK;
}
