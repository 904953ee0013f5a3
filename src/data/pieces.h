/* pieces.h -- a table larger than memory, or one that never ends: some thousand rows at a time.
 *
 * CSV, TSV and LIBSVM, from a file, a pipe or standard input, gzipped or not; nothing is kept
 * except the piece at hand.  The first rows, the warm-up, are read as a whole file would be
 * (csv.h): they settle delimiter, header, names and kinds, and are delivered as the first piece.
 * How long the warm-up is depends on the bytes alone, never on when they came.  Every later row
 * must conform: as many fields, numbers where numbers were.  A row that does not is a bad row.  It
 * ends the stream with the message that the CSV reader has for it, after all rows before it have
 * been delivered; with skip_bad it is left out and counted.  A CSV warm-up ends before its first
 * bad row, if at least SMR_WARM_LEAST lines come before that; else it is refused as a whole.
 *
 * Rows do not wait for a piece to be full: when a pipe pauses, those that came are delivered.  The
 * rows, and what is said about them, do not depend on how the stream is cut.
 *
 * Both cores: `meanwhile`, what the caller wants to do with the piece before, runs beside the
 * parsing of the next one (parallel.h); with one thread it runs before it.
 *
 * Memory: a few times piece_bytes, or a few times the longest row. */
#ifndef SMR_DATA_PIECES_H
#define SMR_DATA_PIECES_H

#include "data/csv.h"
#include "data/feed.h"

enum {
    SMR_WARM_ROWS = 10000,
    SMR_WARM_LEAST = 100,
    SMR_WARM_BYTES = 16 << 20,
    SMR_PIECE_BYTES = 4 << 20,
};

typedef struct smr_pieces_opts {
    smr_read_opts read;
    int64_t warm_rows;   /* lines of the warm-up; 0: SMR_WARM_ROWS                          */
    int64_t warm_bytes;  /* at most; 0: SMR_WARM_BYTES                                      */
    int64_t piece_bytes; /* 0: SMR_PIECE_BYTES                                              */
    double latency;      /* seconds that rows may wait for others; 0: 0.1                   */
    bool skip_bad;
    const smr_csv_limits *limits; /* for tests; NULL: the reader's own                      */
} smr_pieces_opts;

typedef struct smr_pieces smr_pieces;

/* Reads the warm-up.  What `opts` points to must outlive the pieces. */
smr_status smr_pieces_open(smr_ctx *ctx, const char *path, const smr_pieces_opts *opts,
                           smr_pieces **out);
/* The same for a feed, which is taken over, even when the call fails.  path: NULL, or a name that
 * tells the format. */
smr_status smr_pieces_of(smr_ctx *ctx, smr_feed *feed, const char *path,
                         const smr_pieces_opts *opts, smr_pieces **out);
/* Accepts NULL. */
void smr_pieces_close(smr_pieces *p);

/* What is done with the piece before; on one lane, once, whatever else happens. */
typedef smr_status (*smr_meanwhile_fn)(smr_ctx *ctx, void *arg);

/* The next piece, owned by the caller; *out is NULL at the end.  meanwhile may be NULL. */
smr_status smr_pieces_next(smr_ctx *ctx, smr_pieces *p, smr_meanwhile_fn meanwhile, void *arg,
                           smr_table **out);

/* Bad rows left out so far, and the line of the first. */
int64_t smr_pieces_skipped(const smr_pieces *p, int64_t *first_line);
bool smr_pieces_is_file(const smr_pieces *p);
const char *smr_pieces_name(const smr_pieces *p);

#endif
