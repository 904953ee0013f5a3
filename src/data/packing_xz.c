/* packing_xz.c -- xz, by liblzma, whose memory comes from the context. */
#include "config.h"
#include "data/packing.h"

#if SMR_HAVE_LZMA && !defined(SMR_PREDICT_ONLY)

#include "data/foreign.h"

#include <lzma.h>

enum { PRESET = 6 };

#define CALLS(X)           \
    X(lzma_stream_decoder) \
    X(lzma_easy_encoder)   \
    X(lzma_code)           \
    X(lzma_end)

struct calls {
    CALLS(SMR_FOREIGN_FIELD)
};

struct xz {
    void *library;
    struct calls calls;
    const char *name;
    lzma_stream stream;
    lzma_allocator memory; /* the stream points to it */
    bool is_over;
};

static void *take(void *ctx, size_t n, size_t size)
{
    return smr_alloc_raw(ctx, (int64_t)n, size);
}

static void give_back(void *ctx, void *block)
{
    (void)ctx;
    smr_free(block);
}

static void lend_context(smr_ctx *ctx, struct xz *x)
{
    x->memory = (lzma_allocator){.alloc = take, .free = give_back, .opaque = ctx};
    x->stream.allocator = &x->memory;
}

static smr_status find_calls(smr_ctx *ctx, void *library, struct calls *calls)
{
    smr_status st = SMR_OK;
    CALLS(SMR_FOREIGN_FIND)
out:
    return st;
}

static void release(void *state)
{
    struct xz *x = state;
    if (!x) return;
    if (x->calls.lzma_end) x->calls.lzma_end(&x->stream);
    smr_foreign_close(x->library);
    smr_free(x);
}

static smr_status open_library(smr_ctx *ctx, const char *name, struct xz **out)
{
    smr_status st = SMR_OK;
    struct xz *x = NULL;
    TRY_NEW(x, 1);
    x->name = name;
    lend_context(ctx, x);
    TRY(smr_foreign_open(ctx, "liblzma.so.5", "xz", "liblzma5", &x->library));
    TRY(find_calls(ctx, x->library, &x->calls));
    *out = x;
    x = NULL;
out:
    release(x);
    return st;
}

static smr_status begin(smr_ctx *ctx, struct xz *x)
{
    lend_context(ctx, x);
    x->is_over = false;
    uint64_t limit = (uint64_t)smr_ctx_memory_limit(ctx);
    if (x->calls.lzma_stream_decoder(&x->stream, limit, LZMA_CONCATENATED) == LZMA_OK)
        return SMR_OK;
    return smr_fail(ctx, SMR_ERR_NOMEM, "%s: no memory to unpack xz", x->name);
}

static smr_status unpacker(smr_ctx *ctx, const char *name, void **out)
{
    smr_status st = SMR_OK;
    struct xz *x = NULL;
    *out = NULL;
    TRY(open_library(ctx, name, &x));
    TRY(begin(ctx, x));
    *out = x;
    x = NULL;
out:
    release(x);
    return st;
}

static smr_status restart(smr_ctx *ctx, void *state)
{
    return begin(ctx, state);
}

static lzma_ret run(smr_ctx *ctx, struct xz *x, smr_pack_io *io)
{
    lend_context(ctx, x);
    x->stream.next_in = (const uint8_t *)io->in;
    x->stream.avail_in = (size_t)io->n_in;
    x->stream.next_out = (uint8_t *)io->out;
    x->stream.avail_out = (size_t)io->room;
    lzma_ret answer = x->calls.lzma_code(&x->stream, io->in_ends ? LZMA_FINISH : LZMA_RUN);
    io->in = (const char *)x->stream.next_in;
    io->n_in = (int64_t)x->stream.avail_in;
    io->out = (char *)x->stream.next_out;
    io->room = (int64_t)x->stream.avail_out;
    return answer;
}

static smr_status explain(smr_ctx *ctx, const struct xz *x, lzma_ret answer)
{
    switch (answer) {
    case LZMA_MEM_ERROR:
    case LZMA_MEMLIMIT_ERROR:
        return smr_fail(ctx, SMR_ERR_NOMEM,
                        "%s: unpacking it needs more memory than may be used; raise --memory",
                        x->name);
    case LZMA_BUF_ERROR:
        return smr_fail(ctx, SMR_ERR_FORMAT,
                        "%s: the xz data end too early; the file is truncated: copy or download "
                        "it again",
                        x->name);
    case LZMA_OPTIONS_ERROR:
        return smr_fail(ctx, SMR_ERR_UNSUPPORTED,
                        "%s: the xz data use what liblzma does not have; xz -dc unpacks them",
                        x->name);
    default:
        return smr_fail(ctx, SMR_ERR_FORMAT,
                        "%s: the xz data are damaged; copy or download the file again", x->name);
    }
}

static smr_status unpack(smr_ctx *ctx, void *state, smr_pack_io *io, bool *ended)
{
    struct xz *x = state;
    *ended = x->is_over;
    while (io->room > 0 && !x->is_over && (io->n_in > 0 || io->in_ends)) {
        lzma_ret answer = run(ctx, x, io);
        *ended = x->is_over = answer == LZMA_STREAM_END;
        if (answer != LZMA_OK && answer != LZMA_STREAM_END) return explain(ctx, x, answer);
    }
    return SMR_OK;
}

static smr_status packer(smr_ctx *ctx, void **out)
{
    smr_status st = SMR_OK;
    struct xz *x = NULL;
    *out = NULL;
    TRY(open_library(ctx, "xz", &x));
    if (x->calls.lzma_easy_encoder(&x->stream, PRESET, LZMA_CHECK_CRC64) != LZMA_OK)
        TRY(smr_fail(ctx, SMR_ERR_NOMEM, "no memory to pack xz; raise --memory, or write .gz"));
    *out = x;
    x = NULL;
out:
    release(x);
    return st;
}

static smr_status pack(smr_ctx *ctx, void *state, smr_pack_io *io, bool *ended)
{
    struct xz *x = state;
    lzma_ret answer = run(ctx, x, io);
    *ended = answer == LZMA_STREAM_END;
    if (answer == LZMA_OK || answer == LZMA_STREAM_END) return SMR_OK;
    if (answer == LZMA_BUF_ERROR) return SMR_OK; /* nothing to do yet */
    return smr_fail(ctx, SMR_ERR_NOMEM, "liblzma could not pack (code %d)", (int)answer);
}

extern const smr_codec smr_xz_codec;
const smr_codec smr_xz_codec = {.unpacker = unpacker,
                                .unpack = unpack,
                                .restart = restart,
                                .free_unpacker = release,
                                .packer = packer,
                                .pack = pack,
                                .free_packer = release};

#endif
