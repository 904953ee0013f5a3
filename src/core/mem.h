/* mem.h -- all memory of samara: zeroed, aligned to 64 bytes, overflow-checked, counted.
 *
 * A context counts what it holds; past its budget an allocation is refused with a sentence that
 * names the figure.  A test makes the n-th request fail (smr_memory_fail_at). */
#ifndef SMR_CORE_MEM_H
#define SMR_CORE_MEM_H

#include "samara.h"

#include <stdatomic.h>

/* Where blocks come from: the caller's functions, or the C library's where they are NULL. */
typedef struct smr_allocator {
    void *(*alloc)(void *user, size_t bytes);
    void *(*resize)(void *user, void *block, size_t bytes);
    void (*release)(void *user, void *block);
    void *user;
} smr_allocator;

struct smr_memory {
    _Atomic int64_t refs;     /* the context and every live block hold one         */
    _Atomic int64_t held;     /* bytes                                             */
    _Atomic int64_t peak;     /* bytes                                             */
    _Atomic int64_t requests; /* made so far                                       */
    _Atomic int64_t fail_at;  /* the request that is refused, or -1                */
    int64_t limit;            /* bytes                                             */
    smr_allocator from;
};

/* The account of a new context, or NULL; released with its context, or after it with the last block
 * that it counts, so that a model may outlive the context it was made with. */
struct smr_memory *smr_memory_create(int64_t limit, const smr_allocator *from);
/* Accepts NULL. */
void smr_memory_release(struct smr_memory *memory);
/* Bytes of the allocator that are not counted, for what must not make a call fail; NULL where it
 * has none. Dropping accepts NULL. */
void *smr_memory_take(struct smr_memory *memory, size_t bytes);
void smr_memory_drop(struct smr_memory *memory, void *block);

/* n * size zeroed bytes, or NULL with the message set.  n = 0 gives a valid pointer. */
void *smr_alloc(smr_ctx *ctx, int64_t n, size_t size);
/* As smr_alloc, with the contents undefined: for large blocks that are filled at once. */
void *smr_alloc_raw(smr_ctx *ctx, int64_t n, size_t size);
/* Grows or shrinks a block, moving it; new bytes are undefined.  NULL leaves `block` as it was.
 * Fails (SMR_ERR_INTERNAL) for an address that is not a block's, such as an array in a mapped
 * file. */
void *smr_realloc(smr_ctx *ctx, void *block, int64_t n, size_t size);
/* Accepts NULL, and leaves alone what is not a block.  The 64 bytes before the address are read. */
void smr_free(void *block);
/* One more holder: the block goes with the last smr_free.  False when it is not a block. */
bool smr_hold(const void *block);
/* Does p point into the block?  False when it is not a block. */
bool smr_is_within(const void *block, const void *p);

/* Gives bytes [lo, hi) of a block back to the system, as far as they fill pages of SMR_HUGE_PAGE
 * bytes, or small ones at the block's end.  Their contents are lost; the block stays, and is freed
 * as usual.  No page is released twice, and only one thread may do it. */
enum { SMR_HUGE_PAGE = 2 << 20 };
void smr_give_back(void *block, int64_t lo, int64_t hi);

/* A copy of a string, or of its first `length` bytes with a NUL after them. */
char *smr_strdup(smr_ctx *ctx, const char *text);
char *smr_strndup(smr_ctx *ctx, const char *text, size_t length);

/* Asks, before the work starts, whether `bytes` more fit into the budget; if not, fails with
 * "WHAT needs 3.2 GB, and the budget leaves 1.1 GB; HINT". */
smr_status smr_memory_check(smr_ctx *ctx, double bytes, const char *what, const char *hint);

/* For tests: the n-th request from now (0: the next) is refused; -1 switches this off. */
void smr_memory_fail_at(smr_ctx *ctx, int64_t n);

#endif
