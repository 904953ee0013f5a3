/* blas_call.h -- a call into LAPACK that can be left: for blas.c.
 *
 * LAPACK cannot be interrupted, and the singular values of a few thousand columns take minutes.  So
 * a call that may take long runs on a thread of its own, while the caller's waits and asks, fifty
 * times a second, whether the work is cancelled.  If it is, the caller leaves at once with
 * SMR_ERR_CANCELLED; the call goes on alone until it ends, holding the memory that it uses
 * (smr_hold), and then lets go of it.  A process that ends before that waits for it
 * (smr_calls_finish runs first), unless it leaves by _exit.
 *
 * The call is the same on either thread, and so are its results. */
#ifndef SMR_KERNEL_BLAS_CALL_H
#define SMR_KERNEL_BLAS_CALL_H

#include "core/ctx.h"

enum { SMR_CALL_BLOCKS = 8 };

/* Arguments of a call, to be embedded as the first member of a struct of `size` bytes. */
typedef struct smr_call {
    void (*run)(struct smr_call *call);
    size_t size;
    double flops;                        /* about: decides whether it is worth a thread          */
    const void *blocks[SMR_CALL_BLOCKS]; /* whole blocks of smr_alloc that it works on; NULL: no */
} smr_call;

/* Runs the call; what it writes into its own struct is there afterwards.  Where some memory is not
 * a block, it runs on the caller's thread and cannot be left. */
smr_status smr_call_run(smr_ctx *ctx, smr_call *call);

/* Waits until all calls that were left have ended. */
void smr_calls_finish(void);

#endif
