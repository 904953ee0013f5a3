/* ctx.h -- the context: who asked, with which threads, seed and memory, and what went wrong.
 *
 * Inside a parallel region each lane works with a child of the caller's context (parallel.h): one
 * thread, a message of its own, the parent's memory account.  So a worker may fail, allocate and
 * call anything that takes a context without knowing that it is a worker. */
#ifndef SMR_CORE_CTX_H
#define SMR_CORE_CTX_H

#include "core/mem.h"
#include "core/try.h"
#include "samara.h"

#include <stdatomic.h>

#define SMR_MESSAGE_MAX 1024
#define SMR_MAX_DIM INT32_MAX

#define SMR_COUNT(array) ((int64_t)(sizeof(array) / sizeof *(array)))
#define SMR_MIN(a, b) ((a) < (b) ? (a) : (b))
#define SMR_MAX(a, b) ((a) > (b) ? (a) : (b))

/* The smaller and the larger number; NaN only if both are NaN.  Of 0 and -0 the second is taken,
 * which fmin and fmax leave to the compiler, the processor and the C library. */
static inline double smr_fmin(double a, double b)
{
    return a < b || b != b ? a : b;
}

static inline double smr_fmax(double a, double b)
{
    return a > b || b != b ? a : b;
}

struct smr_pool;

/* A task, and what runs those of a region: parallel.h. */
typedef smr_status (*smr_task_fn)(smr_ctx *ctx, void *arg, int64_t task, int lane);
typedef smr_status (*smr_region_fn)(smr_ctx *ctx, const char *what, int64_t n_tasks, smr_task_fn fn,
                                    void *arg);

struct smr_ctx {
    int n_threads;
    uint64_t seed;
    smr_status status;             /* of the first failure since the last clear                */
    char message[SMR_MESSAGE_MAX]; /* one sentence, or ""                                      */
    struct smr_memory *memory;     /* shared by a context and its children                     */
    struct smr_pool *pool;  /* worker threads, made when first needed; NULL in a child          */
    smr_region_fn stand_in; /* for bench/scaling.c: runs the regions; NULL: the pool does      */
    smr_ctx *parent;        /* NULL for a context made by a user                                */
    smr_log_fn log;
    void *log_user;
    smr_log_fn foretell; /* hears at once how long work will take, and is never set aside with the
                            log; NULL in every lane but the caller's */
    void *foretell_user;
    smr_progress_fn progress;
    void *progress_user;
    double progress_last; /* monotonic seconds of the last callback                            */
    atomic_int cancelled;
    _Atomic int64_t
        ticks_left;  /* for tests: 1 cancels at the next tick, 2 at the one after; 0: off */
    struct {         /* of the last call; none in a child */
        char *bytes; /* sentences, each with its NUL; the block is kept for the next */
        size_t used, room;
        int64_t n;
    } warnings;
    _Atomic double deadline; /* smr_now() from which every tick cancels; 0: none */
};

/* Records a failure and returns `status`.  The first cause wins: a second call keeps the message
 * and the status of the first.  Messages are lower case, without a full stop, and name the thing,
 * the value, the limit and the way out. */
smr_status smr_fail(smr_ctx *ctx, smr_status status, const char *format, ...) SMR_PRINTF(3, 4);

/* Forgets a failure that was dealt with, so that the first cause of the next one is reported.  A
 * request to cancel made in between stays, and so do warnings. */
static inline void smr_begin(smr_ctx *ctx)
{
    ctx->status = SMR_OK;
    ctx->message[0] = '\0';
}

/* Begins a public call: the failure and the warnings of an earlier one are forgotten. */
static inline void smr_begin_call(smr_ctx *ctx)
{
    smr_begin(ctx);
    ctx->warnings.used = 0;
    ctx->warnings.n = 0;
}

/* Takes the options that a caller gave, if any, over the defaults in *out.  Both begin with their
 * size; known: that of *out.  What an older caller does not know keeps its default; a size of 0 and
 * one larger than `known` are refused by the name of the struct.  ctx may be NULL. */
smr_status smr_take_opts(smr_ctx *ctx, const char *name, const void *given, void *out,
                         size_t known);
#define SMR_TAKE_OPTS(ctx, type, given, out) \
    smr_take_opts((ctx), #type, (1 ? (given) : (const type *)NULL), (out), sizeof(type))

/* Adds where it happened to the message of the first cause: "(while fitting stage 2, pca)". */
void smr_while(smr_ctx *ctx, const char *format, ...) SMR_PRINTF(2, 3);

/* One sentence to the caller's log; a warning is also kept until the next call.  Silent inside
 * parallel regions. */
void smr_warn(smr_ctx *ctx, const char *format, ...) SMR_PRINTF(2, 3);
void smr_info(smr_ctx *ctx, const char *format, ...) SMR_PRINTF(2, 3);
/* A warning about the work that begins.  Whoever sets the log aside, because a fit that is only
 * measured has nothing to say about the model that is kept, still lets this be heard: it is of use
 * before the work or not at all. */
void smr_foretell(smr_ctx *ctx, const char *format, ...) SMR_PRINTF(2, 3);

/* Reports progress, at most ten times a second, and returns SMR_ERR_CANCELLED when the work is to
 * stop.  Called between blocks and iterations, never inside kernels. */
smr_status smr_tick(smr_ctx *ctx, const char *what, int64_t done, int64_t total, double figure);

/* From `deadline` on (smr_now(); 0: none) every tick cancels, on all threads, as if the user had
 * asked; work on another thread may ask what is set meanwhile.  Returns the deadline before. */
double smr_set_deadline(smr_ctx *ctx, double deadline);
/* Is it past the deadline, and has the user not asked to stop?  Work that was cancelled for that
 * is forgotten by smr_begin. */
bool smr_is_late(smr_ctx *ctx);

/* For tests: the n-th tick from now, from 1, is cancelled, on whatever thread; 0 switches this
 * off. */
void smr_cancel_at(smr_ctx *ctx, int64_t n);

/* Seconds of a monotonic clock. */
double smr_now(void);

#endif
