/* arrow.h -- tables from and to the Arrow C data interface (the structs are in samara.h).
 *
 * arrow_type.c says what a format string means, arrow_check.c whether an array has the buffers that
 * its type needs, arrow_read.c, arrow_number.c and arrow_strings.c make columns from it, and
 * arrow_write.c makes arrays from columns.
 *
 * An array comes from a program in the same process: the lengths of its buffers are not known, and
 * its pointers are trusted.  Everything else is checked before it is used. */
#ifndef SMR_DATA_ARROW_H
#define SMR_DATA_ARROW_H

#include "data/table.h"

/* Takes over `schema` and the n arrays, which are batches of one table, whether or not the call
 * fails: all come back released, or moved into the table that views one of them. */
smr_status smr_arrow_read(smr_ctx *ctx, struct ArrowSchema *schema, struct ArrowArray *batches,
                          int64_t n, smr_table **out);
/* Takes over the stream and reads all of it. */
smr_status smr_arrow_read_stream(smr_ctx *ctx, struct ArrowArrayStream *stream, smr_table **out);
/* A copy of the table; on failure both are marked as released.  Where the strings of a column pass
 * utf8_most bytes, which is SMR_UTF8_MOST except in tests, utf8 becomes large_utf8. */
enum { SMR_UTF8_MOST = INT32_MAX };
smr_status smr_arrow_write(smr_ctx *ctx, const smr_table *table, int64_t utf8_most,
                           struct ArrowSchema *schema, struct ArrowArray *array);

#endif
