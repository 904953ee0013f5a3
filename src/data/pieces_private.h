/* pieces_private.h -- what the parts of the piecewise reader share.
 *
 *     pieces.c         the bytes: warm-up, full pieces, pauses; the order of all this
 *     pieces_csv.c     CSV: a settled reader over one piece of text
 *     pieces_check.c   CSV: which rows of a piece are bad
 *     pieces_libsvm.c  LIBSVM */
#ifndef SMR_DATA_PIECES_PRIVATE_H
#define SMR_DATA_PIECES_PRIVATE_H

#include "data/csv_private.h"
#include "data/pieces.h"

/* What runs beside the parsing. */
typedef struct meanwhile {
    smr_meanwhile_fn fn; /* NULL: nothing, or done already */
    void *arg;
} meanwhile;

struct smr_pieces {
    smr_feed *feed;
    const char *path; /* NULL: unknown */
    smr_pieces_opts opts;
    smr_format format;
    char *text; /* bytes that are not delivered yet, from the beginning of a row */
    int64_t n, room;
    int64_t line;      /* of text[0], from 1                                     */
    double came_first; /* when the first of these bytes came                     */
    bool ended;        /* no more will come                                      */
    smr_status failed; /* reading failed: reported after the last row            */
    char failure[SMR_MESSAGE_MAX];
    smr_table *first; /* the warm-up, until it is delivered                     */
    char *bad;        /* the row that ends the stream: reported at the next call */
    int64_t n_bad, bad_line;
    int64_t n_skipped, first_skipped;
    csv reader;
    int64_t warm_lines; /* in the warm-up */
    int64_t n_features; /* LIBSVM: of the warm-up */
};

/* Runs it if it did not run yet. */
smr_status smr_meanwhile_run(smr_ctx *ctx, meanwhile *m);
/* Notes the bytes as the row that ends the stream. */
smr_status smr_pieces_refuse(smr_ctx *ctx, smr_pieces *p, const char *row, int64_t n, int64_t line);
void smr_pieces_count_skipped(smr_pieces *p, int64_t line);

/* ---- CSV ---- */

/* The first `n` bytes as a table, if a whole row is among them; *used: bytes that it took, 0 when
 * more are needed.  ends: no more will come. */
smr_status smr_csv_warm_up(smr_ctx *ctx, smr_pieces *p, int64_t n, bool ends, int64_t *used);
/* Bytes of whole rows at the beginning of the text. */
int64_t smr_csv_cut(const smr_pieces *p);
/* The first `n` bytes, whole rows, as a table; bad rows are skipped, or the first of them is noted
 * and the table ends before it.  *out is NULL when no row is left. */
smr_status smr_csv_piece(smr_ctx *ctx, smr_pieces *p, int64_t n, meanwhile *m, smr_table **out);
/* Reports why p->bad is not a row. */
smr_status smr_csv_tell_bad(smr_ctx *ctx, smr_pieces *p);

/* What is left of text[from .. n) when bad rows are left out, or up to the first bad row. */
typedef struct csv_good {
    int64_t n;             /* good bytes from the beginning: they were moved together     */
    int64_t bad_at, bad_n; /* without skip_bad: the first bad row; bad_at = -1: none      */
    int64_t bad_line;
} csv_good;
smr_status smr_csv_sift(smr_ctx *ctx, smr_pieces *p, int64_t from, int64_t n, int64_t line,
                        csv_good *out);
/* Is the row the header again, or another one? */
smr_status smr_csv_is_header(smr_ctx *ctx, smr_pieces *p, const char *row, int64_t n, bool *again,
                             bool *other);

/* ---- LIBSVM ---- */
smr_status smr_libsvm_warm_up(smr_ctx *ctx, smr_pieces *p, int64_t n, bool ends, int64_t *used);
int64_t smr_libsvm_cut(const smr_pieces *p);
smr_status smr_libsvm_piece(smr_ctx *ctx, smr_pieces *p, int64_t n, meanwhile *m, smr_table **out);
smr_status smr_libsvm_tell_bad(smr_ctx *ctx, smr_pieces *p);

#endif
