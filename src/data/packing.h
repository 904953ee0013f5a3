/* packing.h -- packed bytes, a piece at a time: gzip, zstd and xz; for file.c, feed.c and
 * file_sink.c.
 *
 * gzip is zlib's.  zstd and xz are those of libzstd and liblzma, whose headers are needed to build
 * them and which are opened when such a file is met; the static command and the prediction library
 * are without them, and so is a program that is linked with libsamara.a, unless it asks for them
 * (-u smr_zstd_codec). */
#ifndef SMR_DATA_PACKING_H
#define SMR_DATA_PACKING_H

#include "core/ctx.h"

/* Input and output of one step; both advance. */
typedef struct smr_pack_io {
    const char *in;
    int64_t n_in;
    bool in_ends; /* no more input follows these bytes */
    char *out;
    int64_t room;
} smr_pack_io;

/* The functions of one packing.  A state belongs to one stream; names are for messages and outlive
 * it. */
typedef struct smr_codec {
    smr_status (*unpacker)(smr_ctx *ctx, const char *name, void **state);
    /* Unpacks until the input is used up, the room is full, or the stream is at its end (*ended).
     * Several streams in a row are one.  Other bytes after the last are an error, except for
     * padding with zeros in gzip and xz; so is a stream that is cut off. */
    smr_status (*unpack)(smr_ctx *ctx, void *state, smr_pack_io *io, bool *ended);
    smr_status (*restart)(smr_ctx *ctx, void *state);
    void (*free_unpacker)(void *state); /* accepts NULL */
    smr_status (*packer)(smr_ctx *ctx, void **state);
    /* Packs until the input is used up or the room is full; with in_ends until the stream is whole
     * (*ended). */
    smr_status (*pack)(smr_ctx *ctx, void *state, smr_pack_io *io, bool *ended);
    void (*free_packer)(void *state); /* accepts NULL */
} smr_codec;

typedef struct smr_packing {
    const char *name;   /* "gzip"                                */
    const char *ending; /* ".gz"                                 */
    const char *magic;  /* the first bytes                       */
    int64_t n_magic;
    const char *unpacks;    /* a command that unpacks to standard output */
    const smr_codec *codec; /* NULL: not in this build           */
} smr_packing;

/* All packings, whether built in or not; *n of them. */
const smr_packing *smr_packings(int64_t *n);
/* The packing whose first bytes these are, or NULL; *more: with more bytes it could be one. */
const smr_packing *smr_packing_of(const char *bytes, int64_t n, bool *more);
/* The packing that the name's ending promises, or NULL. */
const smr_packing *smr_packing_of_path(const char *path);
/* Bytes of that ending, 0 if there is none. */
int64_t smr_packed_ending(const char *path);
/* Its functions; fails where the build has none, with the command that unpacks. */
smr_status smr_packing_codec(smr_ctx *ctx, const smr_packing *packing, const char *name,
                             const smr_codec **out);

#endif
