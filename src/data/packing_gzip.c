/* packing_gzip.c -- gzip, by zlib. */
#include "data/packing.h"

#include "core/try.h"

#ifndef SMR_NO_ZLIB

#include "data/zlib_lend.h"

#include <limits.h>
#include <string.h>

enum { GZIP_WINDOW = 15 + 16, GZIP_LEVEL = 6, GZIP_MEMORY = 8 };

typedef struct gunzip {
    z_stream z;
    const char *name;  /* of the source, for messages                             */
    bool ready;        /* z is initialised                                        */
    bool within;       /* inside a member: an end of the input is a truncation    */
    bool past_members; /* only padding may follow                                 */
} gunzip;

typedef struct gzip {
    z_stream z;
    bool ready;
} gzip;

/* zlib counts in 32 bits. */
static void hand_over(z_stream *z, const smr_pack_io *io)
{
    z->next_in = (z_const Bytef *)(uintptr_t)io->in;
    z->avail_in = (uInt)SMR_MIN(io->n_in, INT_MAX);
    z->next_out = (Bytef *)io->out;
    z->avail_out = (uInt)SMR_MIN(io->room, INT_MAX);
}

static void take_back(const z_stream *z, smr_pack_io *io)
{
    io->n_in -= (const char *)z->next_in - io->in;
    io->in = (const char *)z->next_in;
    io->room -= (char *)z->next_out - io->out;
    io->out = (char *)z->next_out;
}

static void free_unpacker(void *state)
{
    gunzip *g = state;
    if (g && g->ready) inflateEnd(&g->z);
    smr_free(g);
}

static smr_status unpacker(smr_ctx *ctx, const char *name, void **out)
{
    smr_status st = SMR_OK;
    gunzip *g = NULL;
    *out = NULL;
    TRY_NEW(g, 1);
    g->name = name;
    smr_zlib_lend(ctx, &g->z);
    if (inflateInit2(&g->z, GZIP_WINDOW) != Z_OK)
        TRY(smr_fail(ctx, SMR_ERR_NOMEM, "%s: no memory to unpack gzip", name));
    g->ready = true;
    *out = g;
    g = NULL;
out:
    free_unpacker(g);
    return st;
}

static smr_status restart(smr_ctx *ctx, void *state)
{
    gunzip *g = state;
    (void)ctx;
    inflateReset(&g->z);
    g->within = g->past_members = false;
    return SMR_OK;
}

static smr_status skip_padding(smr_ctx *ctx, gunzip *g, smr_pack_io *io)
{
    for (; io->n_in > 0; io->in++, io->n_in--)
        if (*io->in != 0)
            return smr_fail(ctx, SMR_ERR_FORMAT,
                            "%s: the gzip data are followed by other bytes; the file is damaged or "
                            "two files were joined",
                            g->name);
    return SMR_OK;
}

static smr_status inflate_some(smr_ctx *ctx, gunzip *g, smr_pack_io *io)
{
    smr_zlib_lend(ctx, &g->z);
    hand_over(&g->z, io);
    int answer = inflate(&g->z, Z_NO_FLUSH);
    take_back(&g->z, io);
    if (answer == Z_STREAM_END) {
        inflateReset(&g->z);
        g->within = false;
        return SMR_OK;
    }
    g->within = true;
    if (answer == Z_OK || answer == Z_BUF_ERROR) return SMR_OK;
    if (answer == Z_MEM_ERROR)
        return smr_fail(ctx, SMR_ERR_NOMEM, "%s: no memory to unpack gzip", g->name);
    return smr_fail(ctx, SMR_ERR_FORMAT,
                    "%s: the gzip data are damaged (%s); copy or download the file again", g->name,
                    g->z.msg ? g->z.msg : "unknown cause");
}

static smr_status unpack(smr_ctx *ctx, void *state, smr_pack_io *io, bool *ended)
{
    gunzip *g = state;
    *ended = false;
    while (io->room > 0) {
        /* Between members: another one begins with the magic's first byte, padding with 0. */
        if (!g->within && io->n_in > 0 && *io->in != '\x1f') g->past_members = true;
        if (g->past_members) {
            smr_status st = skip_padding(ctx, g, io);
            *ended = io->in_ends;
            return st;
        }
        if (io->n_in == 0) {
            if (!io->in_ends) return SMR_OK;
            if (g->within) { /* zlib may still hold output of bytes that it took */
                int64_t room = io->room;
                smr_status st = inflate_some(ctx, g, io);
                if (st != SMR_OK) return st;
                if (io->room < room || !g->within) continue;
                return smr_fail(ctx, SMR_ERR_FORMAT,
                                "%s: the gzip data end too early; the file is truncated: copy or "
                                "download it again",
                                g->name);
            }
            *ended = true;
            return SMR_OK;
        }
        smr_status st = inflate_some(ctx, g, io);
        if (st != SMR_OK) return st;
    }
    return SMR_OK;
}

static void free_packer(void *state)
{
    gzip *g = state;
    if (g && g->ready) deflateEnd(&g->z);
    smr_free(g);
}

static smr_status packer(smr_ctx *ctx, void **out)
{
    smr_status st = SMR_OK;
    gzip *g = NULL;
    *out = NULL;
    TRY_NEW(g, 1);
    smr_zlib_lend(ctx, &g->z);
    if (deflateInit2(&g->z, GZIP_LEVEL, Z_DEFLATED, GZIP_WINDOW, GZIP_MEMORY, Z_DEFAULT_STRATEGY) !=
        Z_OK)
        TRY(smr_fail(ctx, SMR_ERR_NOMEM, "no memory to pack gzip"));
    g->ready = true;
    *out = g;
    g = NULL;
out:
    free_packer(g);
    return st;
}

static smr_status pack(smr_ctx *ctx, void *state, smr_pack_io *io, bool *ended)
{
    gzip *g = state;
    smr_zlib_lend(ctx, &g->z);
    hand_over(&g->z, io);
    bool last = io->in_ends && io->n_in <= INT_MAX;
    int answer = deflate(&g->z, last ? Z_FINISH : Z_NO_FLUSH);
    take_back(&g->z, io);
    *ended = answer == Z_STREAM_END;
    if (answer == Z_OK || answer == Z_STREAM_END || answer == Z_BUF_ERROR) return SMR_OK;
    return smr_fail(ctx, SMR_ERR_INTERNAL, "zlib could not pack (code %d)", answer);
}

extern const smr_codec smr_gzip_codec;
const smr_codec smr_gzip_codec = {.unpacker = unpacker,
                                  .unpack = unpack,
                                  .restart = restart,
                                  .free_unpacker = free_unpacker,
                                  .packer = packer,
                                  .pack = pack,
                                  .free_packer = free_packer};

#endif
