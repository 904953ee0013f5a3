/* file.h -- bytes from files and pipes, packed or not; files replaced whole or not at all. */
#ifndef SMR_DATA_FILE_H
#define SMR_DATA_FILE_H

#include "core/ctx.h"

/* ---- reading ---- */

/* A stream of plain bytes: a file, standard input ("-"), or what gzip, zstd or xz made of either
 * (recognised by the first bytes; several streams in a row are one).  What can be read only
 * once, a pipe, is kept when it is opened: in memory while it is small, else in an unnamed
 * temporary file (in /var/tmp, or /tmp). */
typedef struct smr_source smr_source;

smr_status smr_source_open(smr_ctx *ctx, const char *path, smr_source **out);
/* Bytes that the caller keeps alive until the source is closed; never unpacked. */
smr_status smr_source_memory(smr_ctx *ctx, const char *name, const char *bytes, int64_t n,
                             smr_source **out);
/* Accepts NULL. */
void smr_source_close(smr_source *s);

/* Reads up to `room` bytes; *got = 0 at the end.  A packed stream that is truncated or damaged
 * fails. */
smr_status smr_source_read(smr_ctx *ctx, smr_source *s, char *buffer, int64_t room, int64_t *got);
/* Starts again from the first byte. */
smr_status smr_source_rewind(smr_ctx *ctx, smr_source *s);
/* Makes every place readable by several threads: unpacks once, into memory while it is
 * small, else into an unnamed temporary file; nothing to do for the others.  Rewinds. */
smr_status smr_source_settle(smr_ctx *ctx, smr_source *s);
/* Bytes of a source that can be read from any place, by several threads; -1 for packed ones that
 * are not settled. */
int64_t smr_source_size(const smr_source *s);
/* Exactly n bytes from `at`; fails when they are not (or no longer) there. */
smr_status smr_source_read_at(smr_ctx *ctx, smr_source *s, int64_t at, char *buffer, int64_t n);
/* The descriptor of a plain file that is read from its first byte on, for mapping it; the source
 * owns it.  -1 for all others. */
int smr_source_file(const smr_source *s);
const char *smr_source_name(const smr_source *s); /* for messages: the path, or "standard input" */

/* Fails: the file cannot be opened, for the reason in errno; a web address is answered as such. */
smr_status smr_fail_opening(smr_ctx *ctx, const char *name);

/* The whole stream in one block (with a NUL after it), at most `most` bytes. */
smr_status smr_source_whole(smr_ctx *ctx, smr_source *s, int64_t most, char **bytes,
                            int64_t *length);

/* ---- writing ---- */

/* A file that appears whole under its name when it is committed, or not at all: bytes go to
 * "PATH.tmp-<pid>" beside it, are synced and renamed.  "-" is standard output; a device or a pipe
 * is written to directly. */
typedef struct smr_sink smr_sink;

smr_status smr_sink_open(smr_ctx *ctx, const char *path, bool gzip, smr_sink **out);
/* packing: NULL, or how the bytes are packed (packing.h). */
struct smr_packing;
smr_status smr_sink_open_packed(smr_ctx *ctx, const char *path, const struct smr_packing *packing,
                                smr_sink **out);
smr_status smr_sink_write(smr_ctx *ctx, smr_sink *s, const void *bytes, int64_t n);
/* Finishes and renames. */
smr_status smr_sink_commit(smr_ctx *ctx, smr_sink *s);
/* Frees; a sink that was not committed leaves nothing behind.  Accepts NULL. */
void smr_sink_close(smr_sink *s);

#endif
