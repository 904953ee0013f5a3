/* parallel.h -- the only source of parallelism.
 *
 * Work is cut into tasks whose number and bounds depend on the data alone, never on the threads.
 * Tasks are handed out in ascending order; each writes its own output; reductions read the tasks'
 * partial results in task order afterwards.  So results have the same bits at any thread count. */
#ifndef SMR_CORE_PARALLEL_H
#define SMR_CORE_PARALLEL_H

#include "core/ctx.h"

/* A task is an smr_task_fn (ctx.h): `ctx` is the lane's own context: allocate, fail and call on
 * with it.  A lane is 0 <= lane < smr_lanes(caller's ctx): index per-thread scratch with it, never
 * results. */

/* Runs tasks 0 .. n_tasks-1.  If some fail, the status and the message are those of the lowest
 * failing task.  Nested calls run serially.  Cancelling is polled for between tasks; `what` names
 * the work to the progress callback, or is NULL to report none. */
smr_status smr_parallel(smr_ctx *ctx, const char *what, int64_t n_tasks, smr_task_fn fn, void *arg);

/* The most lanes that smr_parallel uses with this context. */
int smr_lanes(const smr_ctx *ctx);
/* Those of them that run at the same time: there is a processor for each.  For choosing who does
 * what, never what is done. */
int smr_lanes_at_once(const smr_ctx *ctx);

/* Rows [lo, hi) of block b when n rows are cut into blocks of `block`. */
static inline int64_t smr_block_count(int64_t n, int64_t block)
{
    return (n + block - 1) / block;
}

static inline int64_t smr_block_end(int64_t n, int64_t block, int64_t b)
{
    return SMR_MIN(n, (b + 1) * block);
}

/* For ctx.c. */
void smr_pool_destroy(smr_ctx *ctx);

#endif
