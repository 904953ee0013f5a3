/* file.h -- bytes from files, pipes and gzip; files replaced whole or not at all. */
#ifndef SMR_DATA_FILE_H
#define SMR_DATA_FILE_H

#include "core/ctx.h"

/* ---- reading ---- */

/* A stream of plain bytes: a file, standard input ("-"), or a gzip of either. */
typedef struct smr_source smr_source;

smr_status smr_source_open(smr_ctx *ctx, const char *path, smr_source **out);
void smr_source_close(smr_source *s);
/* Reads up to `room` bytes; *got = 0 at the end.  A truncated or damaged gzip fails. */
smr_status smr_source_read(smr_ctx *ctx, smr_source *s, char *buffer, int64_t room, int64_t *got);
/* Starts again from the first byte.  Standard input is kept in an unnamed temporary file for this. */
smr_status smr_source_rewind(smr_ctx *ctx, smr_source *s);
/* Bytes of a plain file that can be read from any place, by several threads; -1 for the others. */
int64_t smr_source_size(const smr_source *s);
smr_status smr_source_read_at(smr_ctx *ctx, smr_source *s, int64_t at, char *buffer, int64_t n);
const char *smr_source_name(const smr_source *s); /* for messages: the path, or "standard input" */

/* The whole stream in one block (NUL behind it), at most `most` bytes. */
smr_status smr_source_whole(smr_ctx *ctx, smr_source *s, int64_t most, char **bytes,
                            int64_t *length);

/* ---- writing ---- */

/* A file that appears whole under its name when it is committed, or not at all: bytes go to
 * "PATH.tmp-<pid>" beside it, are synced and renamed.  "-" is standard output. */
typedef struct smr_sink smr_sink;

smr_status smr_sink_open(smr_ctx *ctx, const char *path, bool gzip, smr_sink **out);
smr_status smr_sink_write(smr_ctx *ctx, smr_sink *s, const void *bytes, int64_t n);
/* Finishes and renames. */
smr_status smr_sink_commit(smr_ctx *ctx, smr_sink *s);
/* Frees; a sink that was not committed leaves nothing behind. */
void smr_sink_close(smr_sink *s);

#endif
