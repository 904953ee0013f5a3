/* packing_zstd.c -- zstd, by libzstd.
 *
 * Its memory is its own: a window of at most a quarter of the memory that may be used, and never
 * more than the 128 MB that zstd itself allows by default. */
#include "config.h"
#include "data/packing.h"

#if SMR_HAVE_ZSTD && !defined(SMR_PREDICT_ONLY)

#include "data/foreign.h"

#include <zstd.h>

enum { LEVEL = 3, WINDOW_LEAST = 20, WINDOW_MOST = 27 };

#define CALLS(X)              \
    X(ZSTD_createDStream)     \
    X(ZSTD_freeDStream)       \
    X(ZSTD_initDStream)       \
    X(ZSTD_decompressStream)  \
    X(ZSTD_DCtx_setParameter) \
    X(ZSTD_createCCtx)        \
    X(ZSTD_freeCCtx)          \
    X(ZSTD_CCtx_setParameter) \
    X(ZSTD_compressStream2)   \
    X(ZSTD_isError)           \
    X(ZSTD_getErrorName)

struct calls {
    CALLS(SMR_FOREIGN_FIELD)
};

struct zstd {
    void *library;
    struct calls calls;
    const char *name;
    ZSTD_DStream *out_of; /* one of these two */
    ZSTD_CCtx *into;
    bool within; /* inside a frame: an end of the input is a truncation */
};

static smr_status find_calls(smr_ctx *ctx, void *library, struct calls *calls)
{
    smr_status st = SMR_OK;
    CALLS(SMR_FOREIGN_FIND)
out:
    return st;
}

static void release(void *state)
{
    struct zstd *z = state;
    if (!z) return;
    if (z->out_of) z->calls.ZSTD_freeDStream(z->out_of);
    if (z->into) z->calls.ZSTD_freeCCtx(z->into);
    smr_foreign_close(z->library);
    smr_free(z);
}

static smr_status open_library(smr_ctx *ctx, const char *name, struct zstd **out)
{
    smr_status st = SMR_OK;
    struct zstd *z = NULL;
    TRY_NEW(z, 1);
    z->name = name;
    TRY(smr_foreign_open(ctx, "libzstd.so.1", "zstd", "libzstd1", &z->library));
    TRY(find_calls(ctx, z->library, &z->calls));
    *out = z;
    z = NULL;
out:
    release(z);
    return st;
}

/* The largest window that leaves room for everything else. */
static int window_log(const smr_ctx *ctx)
{
    int log = WINDOW_LEAST;
    while (log < WINDOW_MOST && INT64_C(8) << log <= smr_ctx_memory_limit(ctx)) log++;
    return log;
}

static smr_status unpacker(smr_ctx *ctx, const char *name, void **out)
{
    smr_status st = SMR_OK;
    struct zstd *z = NULL;
    *out = NULL;
    TRY(open_library(ctx, name, &z));
    z->out_of = z->calls.ZSTD_createDStream();
    if (!z->out_of) TRY(smr_fail(ctx, SMR_ERR_NOMEM, "%s: no memory to unpack zstd", name));
    z->calls.ZSTD_initDStream(z->out_of);
    z->calls.ZSTD_DCtx_setParameter(z->out_of, ZSTD_d_windowLogMax, window_log(ctx));
    *out = z;
    z = NULL;
out:
    release(z);
    return st;
}

static smr_status restart(smr_ctx *ctx, void *state)
{
    struct zstd *z = state;
    z->calls.ZSTD_initDStream(z->out_of);
    z->calls.ZSTD_DCtx_setParameter(z->out_of, ZSTD_d_windowLogMax, window_log(ctx));
    z->within = false;
    return SMR_OK;
}

static smr_status unpack(smr_ctx *ctx, void *state, smr_pack_io *io, bool *ended)
{
    struct zstd *z = state;
    *ended = false;
    while (io->room > 0) {
        if (io->n_in == 0 && !z->within) {
            *ended = io->in_ends;
            return SMR_OK;
        }
        ZSTD_inBuffer in = {io->in, (size_t)io->n_in, 0};
        ZSTD_outBuffer out = {io->out, (size_t)io->room, 0};
        size_t left = z->calls.ZSTD_decompressStream(z->out_of, &out, &in);
        if (z->calls.ZSTD_isError(left))
            return smr_fail(ctx, SMR_ERR_FORMAT,
                            "%s: the zstd data are damaged (%s); copy or download the file again",
                            z->name, z->calls.ZSTD_getErrorName(left));
        io->in += in.pos;
        io->n_in -= (int64_t)in.pos;
        io->out += out.pos;
        io->room -= (int64_t)out.pos;
        z->within = left != 0;
        if (io->n_in > 0 || out.pos > 0) continue;
        if (io->in_ends && z->within)
            return smr_fail(ctx, SMR_ERR_FORMAT,
                            "%s: the zstd data end too early; the file is truncated: copy or "
                            "download it again",
                            z->name);
        if (z->within) return SMR_OK;
    }
    return SMR_OK;
}

static smr_status packer(smr_ctx *ctx, void **out)
{
    smr_status st = SMR_OK;
    struct zstd *z = NULL;
    *out = NULL;
    TRY(open_library(ctx, "zstd", &z));
    z->into = z->calls.ZSTD_createCCtx();
    if (!z->into) TRY(smr_fail(ctx, SMR_ERR_NOMEM, "no memory to pack zstd"));
    z->calls.ZSTD_CCtx_setParameter(z->into, ZSTD_c_compressionLevel, LEVEL);
    z->calls.ZSTD_CCtx_setParameter(z->into, ZSTD_c_checksumFlag, 1);
    *out = z;
    z = NULL;
out:
    release(z);
    return st;
}

static smr_status pack(smr_ctx *ctx, void *state, smr_pack_io *io, bool *ended)
{
    struct zstd *z = state;
    ZSTD_inBuffer in = {io->in, (size_t)io->n_in, 0};
    ZSTD_outBuffer out = {io->out, (size_t)io->room, 0};
    ZSTD_EndDirective how = io->in_ends ? ZSTD_e_end : ZSTD_e_continue;
    size_t left = z->calls.ZSTD_compressStream2(z->into, &out, &in, how);
    if (z->calls.ZSTD_isError(left))
        return smr_fail(ctx, SMR_ERR_NOMEM, "zstd could not pack (%s)",
                        z->calls.ZSTD_getErrorName(left));
    io->in += in.pos;
    io->n_in -= (int64_t)in.pos;
    io->out += out.pos;
    io->room -= (int64_t)out.pos;
    *ended = io->in_ends && left == 0;
    return SMR_OK;
}

extern const smr_codec smr_zstd_codec;
const smr_codec smr_zstd_codec = {.unpacker = unpacker,
                                  .unpack = unpack,
                                  .restart = restart,
                                  .free_unpacker = release,
                                  .packer = packer,
                                  .pack = pack,
                                  .free_packer = release};

#endif
