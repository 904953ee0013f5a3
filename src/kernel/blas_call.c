/* blas_call.c -- see blas_call.h. */
#include "kernel/blas_call.h"

#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static const double LONG_FLOPS = 4e9; /* a tenth of a second or more */
static const long PATIENCE_NS = 20000000;

/* lint: allow global, calls that were left belong to no context any more, but to the process */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t none_left = PTHREAD_COND_INITIALIZER;
static int64_t n_left;
static _Atomic pid_t owner; /* who left them: a child of fork has none of these threads */

/* A call on its own thread; the caller and the thread share it until one of them is the last. */
struct flight {
    pthread_mutex_t lock;
    pthread_cond_t ended;
    bool done, left;
    smr_call *call; /* a copy behind this struct */
};

static void release(struct flight *f)
{
    for (int b = 0; b < SMR_CALL_BLOCKS; b++)
        if (f->call->blocks[b]) smr_free((void *)(uintptr_t)f->call->blocks[b]);
    pthread_cond_destroy(&f->ended);
    pthread_mutex_destroy(&f->lock);
    smr_free(f);
}

static void *fly(void *arg)
{
    struct flight *f = arg;
    f->call->run(f->call);
    pthread_mutex_lock(&f->lock);
    f->done = true;
    bool left = f->left;
    pthread_cond_signal(&f->ended);
    pthread_mutex_unlock(&f->lock);
    if (!left) return NULL; /* the caller has it now */
    release(f);
    pthread_mutex_lock(&lock);
    if (--n_left == 0) pthread_cond_broadcast(&none_left);
    pthread_mutex_unlock(&lock);
    return NULL;
}

/* Waits a moment; true when the call has ended. */
static bool wait_a_moment(struct flight *f)
{
    struct timespec until;
    clock_gettime(CLOCK_MONOTONIC, &until);
    until.tv_nsec += PATIENCE_NS;
    until.tv_sec += until.tv_nsec / 1000000000;
    until.tv_nsec %= 1000000000;
    pthread_mutex_lock(&f->lock);
    int timed_out = 0;
    while (!f->done && !timed_out)
        timed_out = pthread_cond_timedwait(&f->ended, &f->lock, &until) != 0;
    bool done = f->done;
    pthread_mutex_unlock(&f->lock);
    return done;
}

/* Leaves the call to itself, unless it has just ended; true when it was left. */
static bool leave_alone(struct flight *f)
{
    pthread_mutex_lock(&lock);
    pthread_mutex_lock(&f->lock);
    f->left = !f->done;
    bool left = f->left;
    if (left && atomic_exchange(&owner, getpid()) != getpid()) n_left = 0;
    n_left += left;
    pthread_mutex_unlock(&f->lock);
    pthread_mutex_unlock(&lock);
    return left;
}

static struct flight *prepare(smr_ctx *ctx, const smr_call *call)
{
    struct flight *f = smr_alloc(ctx, 1, sizeof *f + call->size);
    if (!f) return NULL;
    pthread_condattr_t clock;
    pthread_condattr_init(&clock);
    pthread_condattr_setclock(&clock, CLOCK_MONOTONIC);
    pthread_mutex_init(&f->lock, NULL);
    pthread_cond_init(&f->ended, &clock);
    pthread_condattr_destroy(&clock);
    f->call = (smr_call *)(void *)(f + 1);
    memcpy(f->call, call, call->size);
    return f;
}

/* Every block gains a holder; false, and none does, when one of them is no block. */
static bool hold_blocks(const smr_call *call)
{
    for (int b = 0; b < SMR_CALL_BLOCKS; b++) {
        if (!call->blocks[b] || smr_hold(call->blocks[b])) continue;
        while (b-- > 0)
            if (call->blocks[b]) smr_free((void *)(uintptr_t)call->blocks[b]);
        return false;
    }
    return true;
}

smr_status smr_call_run(smr_ctx *ctx, smr_call *call)
{
    smr_status st = SMR_OK;
    pthread_t thread;
    if (!(call->flops > LONG_FLOPS) || !hold_blocks(call)) {
        call->run(call);
        return SMR_OK;
    }
    struct flight *f = prepare(ctx, call);
    if (!f) {
        for (int b = 0; b < SMR_CALL_BLOCKS; b++) smr_free((void *)(uintptr_t)call->blocks[b]);
        return SMR_ERR_NOMEM;
    }
    /* lint: allow pthread_create, work that may be left must not be one of the pool's */
    if (pthread_create(&thread, NULL, fly, f) != 0) {
        f->call->run(f->call);
    } else {
        pthread_detach(thread);
        while (!wait_a_moment(f)) {
            st = smr_tick(ctx, "factoring", 0, 1, NAN);
            if (st != SMR_OK && leave_alone(f)) return st;
        }
    }
    memcpy(call, f->call, call->size);
    release(f);
    return st;
}

/* LAPACK's library takes its memory down when the process ends: not under a call's feet. */
__attribute__((destructor)) void smr_calls_finish(void)
{
    if (atomic_load(&owner) != getpid())
        return; /* the lock, too, may be of a thread that is gone */
    pthread_mutex_lock(&lock);
    while (n_left > 0) pthread_cond_wait(&none_left, &lock);
    pthread_mutex_unlock(&lock);
}
