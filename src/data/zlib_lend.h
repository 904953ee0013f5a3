/* zlib_lend.h -- zlib whose memory comes from the context of the call that needs it, so that it is
 * counted and made to fail like all other memory. */
#ifndef SMR_DATA_ZLIB_LEND_H
#define SMR_DATA_ZLIB_LEND_H

#include "core/ctx.h"

#include <zlib.h>

static inline voidpf smr_zlib_alloc(voidpf ctx, uInt n, uInt size)
{
    return smr_alloc(ctx, (int64_t)n, size);
}

static inline void smr_zlib_free(voidpf ctx, voidpf block)
{
    (void)ctx;
    smr_free(block);
}

static inline void smr_zlib_lend(smr_ctx *ctx, z_stream *z)
{
    z->zalloc = smr_zlib_alloc;
    z->zfree = smr_zlib_free;
    z->opaque = ctx;
}

#endif
