/* ctx.c -- see ctx.h. */
#include "core/ctx.h"

#include "core/parallel.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static const double PROGRESS_SECONDS = 0.1;
enum { MAX_THREADS = 1024, MAX_WARNINGS = 1000 };

const char *smr_status_name(smr_status status)
{
    static const char *const names[] = {
        "SMR_OK",        "SMR_ERR_PARAM",   "SMR_ERR_SHAPE",       "SMR_ERR_DATA",
        "SMR_ERR_STATE", "SMR_ERR_NUMERIC", "SMR_ERR_UNSUPPORTED", "SMR_ERR_NOMEM",
        "SMR_ERR_IO",    "SMR_ERR_FORMAT",  "SMR_ERR_CANCELLED",   "SMR_ERR_INTERNAL"};
    return (unsigned)status < SMR_COUNT(names) ? names[status] : "unknown status";
}

smr_status smr_take_opts(smr_ctx *ctx, const char *name, const void *given, void *out, size_t known)
{
    size_t size;
    if (!given) return SMR_OK;
    memcpy(&size, given, sizeof size);
    if (size < sizeof size)
        return !ctx ? SMR_ERR_PARAM
                    : smr_fail(ctx, SMR_ERR_PARAM,
                               "%s: its size is %zu, and this library knows %zu bytes of it; set "
                               ".size = sizeof(%s)",
                               name, size, known, name);
    if (size > known)
        return !ctx ? SMR_ERR_PARAM
                    : smr_fail(ctx, SMR_ERR_PARAM,
                               "%s: its size is %zu, and this library knows %zu bytes of it; the "
                               "program was compiled for a newer one",
                               name, size, known);
    memcpy(out, given, size);
    return SMR_OK;
}

static int64_t machine_memory(void)
{
    long pages = sysconf(_SC_PHYS_PAGES), size = sysconf(_SC_PAGESIZE);
    return pages > 0 && size > 0 ? (int64_t)pages * size : INT64_C(4) << 30;
}

static int threads_wanted(int n_threads)
{
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    return n_threads > 0 ? SMR_MIN(n_threads, MAX_THREADS) : (int)SMR_MAX(1, cores);
}

static int64_t limit_wanted(int64_t limit)
{
    return limit > 0 ? limit : machine_memory() / 4 * 3;
}

smr_status smr_ctx_create(const smr_ctx_opts *opts, smr_ctx **out)
{
    smr_ctx_opts o = {.size = sizeof o};
    *out = NULL;
    smr_status st = SMR_TAKE_OPTS(NULL, smr_ctx_opts, opts, &o);
    if (st != SMR_OK) return st;
    if (!o.alloc != !o.resize || !o.alloc != !o.release) return SMR_ERR_PARAM;
    smr_allocator from = {o.alloc, o.resize, o.release, o.alloc_user};
    struct smr_memory *memory = smr_memory_create(limit_wanted(o.memory_limit), &from);
    smr_ctx *ctx = memory ? smr_memory_take(memory, sizeof *ctx) : NULL;
    if (!ctx) { /* no context exists yet to count this one */
        smr_memory_release(memory);
        return SMR_ERR_NOMEM;
    }
    memset(ctx, 0, sizeof *ctx);
    ctx->memory = memory;
    ctx->n_threads = threads_wanted(o.n_threads);
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
    struct smr_memory *memory = ctx->memory;
    smr_pool_destroy(ctx);
    smr_memory_drop(memory, ctx->warnings.bytes);
    smr_memory_drop(memory, ctx);
    smr_memory_release(memory);
}

/* ---- what it was told ------------------------------------------------------------------- */

smr_status smr_ctx_set_threads(smr_ctx *ctx, int n_threads)
{
    smr_begin_call(ctx);
    if (n_threads < 0 || n_threads > MAX_THREADS)
        return smr_fail(ctx, SMR_ERR_PARAM, "threads: 1 to %d, or 0 for all the machine's, not %d",
                        MAX_THREADS, n_threads);
    if (threads_wanted(n_threads) != ctx->n_threads) smr_pool_destroy(ctx);
    ctx->n_threads = threads_wanted(n_threads);
    return SMR_OK;
}

smr_status smr_ctx_set_memory_limit(smr_ctx *ctx, int64_t memory_limit)
{
    smr_begin_call(ctx);
    if (memory_limit < 0)
        return smr_fail(ctx, SMR_ERR_PARAM,
                        "the memory limit is a number of bytes, or 0 for three quarters of the "
                        "machine's, not %lld",
                        (long long)memory_limit);
    ctx->memory->limit = limit_wanted(memory_limit);
    return SMR_OK;
}

void smr_ctx_set_seed(smr_ctx *ctx, uint64_t seed)
{
    ctx->seed = seed;
}

void smr_ctx_set_log(smr_ctx *ctx, smr_log_fn log, void *user)
{
    ctx->log = log;
    ctx->log_user = user;
}

void smr_ctx_set_progress(smr_ctx *ctx, smr_progress_fn progress, void *user)
{
    ctx->progress = progress;
    ctx->progress_user = user;
}

int smr_ctx_threads(const smr_ctx *ctx)
{
    return ctx->n_threads;
}

int64_t smr_ctx_memory_limit(const smr_ctx *ctx)
{
    return ctx->memory->limit;
}

uint64_t smr_ctx_seed(const smr_ctx *ctx)
{
    return ctx->seed;
}

/* ---- what went wrong -------------------------------------------------------------------- */

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
    smr_begin_call(ctx);
    atomic_store(&ctx->cancelled, 0);
}

int64_t smr_ctx_n_warnings(const smr_ctx *ctx)
{
    return ctx->warnings.n;
}

const char *smr_ctx_warning(const smr_ctx *ctx, int64_t i)
{
    const char *at = ctx->warnings.bytes;
    if (i < 0 || i >= ctx->warnings.n) return NULL;
    for (; i > 0; i--) at += strlen(at) + 1;
    return at;
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

/* Keeps a warning, once.  Where there is no memory for it, it is dropped: a call that warns must
 * not fail for that. */
static void keep_warning(smr_ctx *ctx, const char *text)
{
    size_t n = strlen(text) + 1, room = ctx->warnings.room;
    if (ctx->warnings.n == MAX_WARNINGS) return;
    const char *known = ctx->warnings.bytes;
    for (int64_t i = 0; i < ctx->warnings.n; i++, known += strlen(known) + 1)
        if (strcmp(known, text) == 0) return;
    if (room - ctx->warnings.used < n) {
        room = 2 * room + SMR_MESSAGE_MAX;
        char *more = smr_memory_take(ctx->memory, room);
        if (!more) return;
        if (ctx->warnings.used) memcpy(more, ctx->warnings.bytes, ctx->warnings.used);
        smr_memory_drop(ctx->memory, ctx->warnings.bytes);
        ctx->warnings.bytes = more;
        ctx->warnings.room = room;
    }
    memcpy(ctx->warnings.bytes + ctx->warnings.used, text, n);
    ctx->warnings.used += n;
    ctx->warnings.n++;
}

static void say(smr_ctx *ctx, smr_log_level level, const char *format, va_list args)
{
    char text[SMR_MESSAGE_MAX];
    bool keep = level == SMR_LOG_WARNING && !ctx->parent;
    if (!ctx->log && !keep) return;
    vsnprintf(text, sizeof text, format, args);
    if (keep) keep_warning(ctx, text);
    if (ctx->log) ctx->log(ctx->log_user, level, text);
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

void smr_foretell(smr_ctx *ctx, const char *format, ...)
{
    char text[SMR_MESSAGE_MAX];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    if (ctx->foretell) ctx->foretell(ctx->foretell_user, SMR_LOG_WARNING, text);
    smr_warn(ctx, "%s", text);
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

static bool is_past(smr_ctx *root)
{
    double deadline = atomic_load(&root->deadline);
    return deadline > 0 && smr_now() >= deadline;
}

static bool is_cancelled(smr_ctx *ctx)
{
    for (;; ctx = ctx->parent) {
        if (!ctx->parent) count_tick(ctx);
        if (atomic_load(&ctx->cancelled)) return true;
        if (!ctx->parent) return is_past(ctx);
    }
}

double smr_set_deadline(smr_ctx *ctx, double deadline)
{
    while (ctx->parent) ctx = ctx->parent;
    return atomic_exchange(&ctx->deadline, deadline);
}

bool smr_is_late(smr_ctx *ctx)
{
    for (; ctx->parent; ctx = ctx->parent)
        if (atomic_load(&ctx->cancelled)) return false;
    return !atomic_load(&ctx->cancelled) && is_past(ctx);
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
