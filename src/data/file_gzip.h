/* file_gzip.h -- gzip packing and unpacking a piece at a time, for file.c and file_sink.c.
 *
 * With SMR_NO_ZLIB (the prediction library) both return SMR_ERR_UNSUPPORTED. */
#ifndef SMR_DATA_FILE_GZIP_H
#define SMR_DATA_FILE_GZIP_H

#include "core/ctx.h"

/* Input and output of one step; both advance. */
typedef struct smr_gzip_io {
    const char *in;
    int64_t n_in;
    bool in_ends; /* no more input follows these bytes */
    char *out;
    int64_t room;
} smr_gzip_io;

typedef struct smr_gunzip smr_gunzip;

smr_status smr_gunzip_create(smr_ctx *ctx, const char *name, smr_gunzip **out);
void smr_gunzip_free(smr_gunzip *g);
void smr_gunzip_restart(smr_gunzip *g);
/* Unpacks until the input is used up, the room is full, or the stream is at its end (*ended).
 * Bytes after the last member are an error unless they are zeros. */
smr_status smr_gunzip_step(smr_ctx *ctx, smr_gunzip *g, smr_gzip_io *io, bool *ended);

typedef struct smr_gzip smr_gzip;

smr_status smr_gzip_create(smr_ctx *ctx, smr_gzip **out);
void smr_gzip_free(smr_gzip *g);
/* Packs until the input is used up or the room is full; with in_ends until the stream is whole
 * (*ended). */
smr_status smr_gzip_step(smr_ctx *ctx, smr_gzip *g, smr_gzip_io *io, bool *ended);

#endif
