/* parallel.c -- a pool of worker threads that belongs to a context.
 *
 * Workers sleep on a condition variable between regions, after looking out for the next one for a
 * little while: many learners have one short region after another.  Within a region every lane
 * takes the next task from a shared counter; a worker that comes too late has nothing to do, and
 * nobody waits for it.  When task t fails, later tasks are no longer started; earlier ones were all
 * started before it, because the counter ascends, and run to their end: the lowest failing task is
 * therefore the same in every run.
 *
 * Own threads instead of OpenMP: no second runtime in the host program, ThreadSanitizer sees every
 * synchronisation, and a forked child (which has no workers) simply runs one lane. */
#include "core/parallel.h"

#include "core/span.h"

#include <math.h>
#include <pthread.h>
#include <string.h>
#include <unistd.h>

/* How long to look out before going to sleep: about what waking up takes. */
#define LOOK_OUT 50e-6 /* seconds */

struct lane {
    struct smr_ctx ctx;  /* child of the caller's                                     */
    int64_t failed_task; /* lowest task that failed on this lane, or INT64_MAX        */
};

struct worker {
    struct smr_pool *pool;
    pthread_t thread;
    int lane;
};

struct smr_pool {
    pthread_mutex_t lock;
    pthread_cond_t wake, idle;
    _Atomic uint64_t region; /* counts regions: a worker joins each at most once */
    bool is_open;            /* the region still takes workers                   */
    int n_workers;           /* lanes - 1                                        */
    _Atomic int n_busy;      /* workers inside the region                        */
    bool quit, looks_out;    /* looks_out: there is a processor for every lane   */
    pid_t owner;             /* a forked child has no workers                           */

    smr_ctx *caller;
    const char *what;
    smr_task_fn fn;
    void *arg;
    int64_t n_tasks;
    _Atomic int64_t next, done, stop_at; /* no task >= stop_at is started */
    struct lane *lanes;
    struct worker *workers;
};

static void lower(_Atomic int64_t *value, int64_t to)
{
    int64_t now = atomic_load(value);
    while (to < now && !atomic_compare_exchange_weak(value, &now, to)) {
    }
}

/* Takes tasks until none is left.  Lane 0 is the caller's thread and reports progress. */
static void work(struct smr_pool *p, int lane_index)
{
    struct lane *lane = &p->lanes[lane_index];
    smr_ctx *root = p->caller;
    for (;;) {
        if (lane_index == 0 && smr_tick(root, p->what, atomic_load(&p->done), p->n_tasks, NAN))
            atomic_store(&p->stop_at, 0);
        if (atomic_load(&root->cancelled) || smr_is_late(root)) atomic_store(&p->stop_at, 0);
        int64_t task = atomic_fetch_add(&p->next, 1);
        if (task >= atomic_load(&p->stop_at)) break;
        if (p->fn(&lane->ctx, p->arg, task, lane_index) != SMR_OK) {
            lane->failed_task = task; /* this lane's tasks ascend, and it stops here */
            lower(&p->stop_at, task);
            break;
        }
        atomic_fetch_add(&p->done, 1);
    }
}

static void rest(void)
{
#if defined(__x86_64__) || defined(__i386__)
    for (int i = 0; i < 8; i++) __builtin_ia32_pause();
#elif defined(__aarch64__)
    for (int i = 0; i < 64; i++) __asm__ volatile("yield");
#endif
}

/* Waits a little while for the region after `seen`, or (NULL) for the workers to leave this one. */
static void look_out(struct smr_pool *p, const uint64_t *seen)
{
    if (!p->looks_out) return;
    for (double end = smr_now() + LOOK_OUT; smr_now() < end; rest())
        if (seen ? atomic_load(&p->region) != *seen : atomic_load(&p->n_busy) == 0) return;
}

static void *worker_main(void *arg)
{
    struct worker *w = arg;
    struct smr_pool *p = w->pool;
    uint64_t seen = 0;

    pthread_mutex_lock(&p->lock);
    for (;;) {
        while (atomic_load(&p->region) == seen && !p->quit) pthread_cond_wait(&p->wake, &p->lock);
        if (p->quit) break;
        seen = atomic_load(&p->region);
        if (!p->is_open) continue;
        atomic_fetch_add(&p->n_busy, 1);
        pthread_mutex_unlock(&p->lock);
        work(p, w->lane);
        if (atomic_fetch_sub(&p->n_busy, 1) == 1) {
            pthread_mutex_lock(&p->lock); /* the caller may be about to sleep */
            pthread_cond_signal(&p->idle);
            pthread_mutex_unlock(&p->lock);
        }
        look_out(p, &seen);
        pthread_mutex_lock(&p->lock);
    }
    pthread_mutex_unlock(&p->lock);
    return NULL;
}

/* Some C libraries give a thread 128 KB, which is less than a product's copies take. */
static int start_worker(struct worker *w)
{
    enum { STACK = 4 << 20 };
    pthread_attr_t how;
    size_t stack = 0;
    pthread_attr_init(&how);
    pthread_attr_getstacksize(&how, &stack);
    if (stack < STACK) pthread_attr_setstacksize(&how, STACK);
    int problem = pthread_create(&w->thread, &how, worker_main, w);
    pthread_attr_destroy(&how);
    return problem;
}

/* As many workers as the system grants; fewer only mean fewer lanes. */
static smr_status make_pool(smr_ctx *ctx)
{
    smr_status st = SMR_OK;
    struct smr_pool *p = NULL;
    TRY_NEW(p, 1);
    TRY_NEW(p->lanes, ctx->n_threads);
    TRY_NEW(p->workers, ctx->n_threads);
    pthread_mutex_init(&p->lock, NULL);
    pthread_cond_init(&p->wake, NULL);
    pthread_cond_init(&p->idle, NULL);
    p->owner = getpid();
    p->looks_out = ctx->n_threads <= sysconf(_SC_NPROCESSORS_ONLN);
    for (int i = 0; i < ctx->n_threads - 1; i++) {
        p->workers[i] = (struct worker){.pool = p, .lane = i + 1};
        if (start_worker(&p->workers[i])) break;
        p->n_workers++;
    }
    ctx->pool = p;
    p = NULL;
out:
    if (p) {
        smr_free(p->workers);
        smr_free(p->lanes);
        smr_free(p);
    }
    return st;
}

void smr_pool_destroy(smr_ctx *ctx)
{
    struct smr_pool *p = ctx->pool;
    if (!p) return;
    if (p->owner == getpid()) {
        pthread_mutex_lock(&p->lock);
        p->quit = true;
        atomic_fetch_add(&p->region, 1); /* also for those that look out */
        pthread_cond_broadcast(&p->wake);
        pthread_mutex_unlock(&p->lock);
        for (int i = 0; i < p->n_workers; i++) pthread_join(p->workers[i].thread, NULL);
        pthread_cond_destroy(&p->idle);
        pthread_cond_destroy(&p->wake);
        pthread_mutex_destroy(&p->lock);
    }
    smr_free(p->workers);
    smr_free(p->lanes);
    smr_free(p);
    ctx->pool = NULL;
}

int smr_lanes(const smr_ctx *ctx)
{
    return ctx->n_threads;
}

int smr_lanes_at_once(const smr_ctx *ctx)
{
    int64_t n = ctx->stand_in ? ctx->n_threads : sysconf(_SC_NPROCESSORS_ONLN);
    return n > 0 ? (int)SMR_MIN(n, ctx->n_threads) : ctx->n_threads;
}

/* Lane 0 is the caller's thread, on which alone it may be called back. */
static void reset_lane(struct smr_pool *p, int i, smr_ctx *parent)
{
    struct lane *lane = &p->lanes[i];
    struct smr_ctx *c = &lane->ctx;
    c->n_threads = 1;
    c->seed = parent->seed;
    c->status = SMR_OK;
    c->message[0] = '\0';
    c->memory = parent->memory;
    c->parent = parent;
    c->foretell = i == 0 ? parent->foretell : NULL;
    c->foretell_user = parent->foretell_user;
    lane->failed_task = INT64_MAX;
}

/* One lane, no pool: a child context, a forked process, a single task, or n_threads = 1. */
static smr_status run_serially(smr_ctx *ctx, const char *what, int64_t n_tasks, smr_task_fn fn,
                               void *arg)
{
    smr_status st = SMR_OK;
    for (int64_t t = 0; t < n_tasks; t++) {
        TRY(smr_tick(ctx, what, t, n_tasks, NAN));
        TRY(fn(ctx, arg, t, 0));
    }
out:
    return st;
}

static smr_status run(smr_ctx *ctx, const char *what, int64_t n_tasks, smr_task_fn fn, void *arg)
{
    if (ctx->n_threads > 1 && n_tasks > 1 && !ctx->pool) {
        smr_status st = make_pool(ctx);
        if (st != SMR_OK) return st;
    }
    struct smr_pool *p = ctx->pool;
    if (!p || n_tasks < 2 || p->n_workers == 0 || p->caller || p->owner != getpid())
        return run_serially(ctx, what, n_tasks, fn, arg);

    for (int i = 0; i <= p->n_workers; i++) reset_lane(p, i, ctx);
    pthread_mutex_lock(&p->lock);
    p->caller = ctx;
    p->what = what;
    p->fn = fn;
    p->arg = arg;
    p->n_tasks = n_tasks;
    atomic_store(&p->next, 0);
    atomic_store(&p->done, 0);
    atomic_store(&p->stop_at, n_tasks);
    p->is_open = true;
    atomic_fetch_add(&p->region, 1);
    pthread_cond_broadcast(&p->wake);
    pthread_mutex_unlock(&p->lock);

    work(p, 0);

    pthread_mutex_lock(&p->lock);
    p->is_open = false;
    pthread_mutex_unlock(&p->lock);
    look_out(p, NULL);
    pthread_mutex_lock(&p->lock);
    while (atomic_load(&p->n_busy) > 0) pthread_cond_wait(&p->idle, &p->lock);
    p->caller = NULL;
    pthread_mutex_unlock(&p->lock);

    struct lane *first = NULL;
    for (int i = 0; i <= p->n_workers; i++)
        if (p->lanes[i].failed_task < (first ? first->failed_task : INT64_MAX))
            first = &p->lanes[i];
    if (ctx->status != SMR_OK) return ctx->status; /* cancelled */
    if (!first && atomic_load(&p->done) < n_tasks) /* another lane saw it first */
        return smr_fail(ctx, SMR_ERR_CANCELLED, "cancelled");
    if (!first) return SMR_OK;
    return smr_fail(ctx, first->ctx.status, "%s", first->ctx.message);
}

smr_status smr_parallel(smr_ctx *ctx, const char *what, int64_t n_tasks, smr_task_fn fn, void *arg)
{
    if (ctx->stand_in) return ctx->stand_in(ctx, what, n_tasks, fn, arg);
    smr_span span = {0};
    if (what && (n_tasks > 1 || smr_span_is_awaited(ctx, what)))
        smr_span_open(ctx, &span, what, n_tasks);
    smr_status st = run(ctx, what, n_tasks, fn, arg);
    smr_span_close(ctx, &span);
    return st;
}
