/* feed.h -- bytes as they come: a file, a pipe, standard input, or a gzip of these, read forward
 * once and never kept.  For data larger than memory and for pipes that go on for days; for random
 * access to a file there is smr_source (file.h). */
#ifndef SMR_DATA_FEED_H
#define SMR_DATA_FEED_H

#include "core/ctx.h"

typedef struct smr_feed smr_feed;

/* "-" is standard input.  gzip is recognised by its first bytes, when they have come. */
smr_status smr_feed_open(smr_ctx *ctx, const char *path, smr_feed **out);
/* Bytes that the caller keeps alive, delivered at most `step` at a time (0: as many as fit); never
 * taken for gzip. */
smr_status smr_feed_memory(smr_ctx *ctx, const char *name, const char *bytes, int64_t n,
                           int64_t step, smr_feed **out);
/* Accepts NULL. */
void smr_feed_close(smr_feed *f);

/* Reads up to `room` bytes, waiting at most `seconds` for the first of them (INFINITY: as long as
 * it takes).  *got = 0: nothing came in that time, or, when *ended is set, no more will come.
 * Fails when the feed is a gzip that is cut off or damaged, and when the work is cancelled. */
smr_status smr_feed_read(smr_ctx *ctx, smr_feed *f, char *buffer, int64_t room, double seconds,
                         int64_t *got, bool *ended);
const char *smr_feed_name(const smr_feed *f); /* for messages: the path, or "standard input" */
/* Can it be read again from the beginning?  A pipe cannot. */
bool smr_feed_is_file(const smr_feed *f);

#endif
