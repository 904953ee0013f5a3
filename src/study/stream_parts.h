/* stream_parts.h -- what stream.c and stream_put.c share. */
#ifndef SMR_STUDY_STREAM_PARTS_H
#define SMR_STUDY_STREAM_PARTS_H

#include "core/text.h"
#include "study/stream.h"

typedef struct streaming {
    const smr_stream_ask *ask;
    smr_model *model;
    smr_online *online;
    smr_progressive *first_pass, *last_pass, *progress; /* progress: that of the pass that runs */
    smr_pieces *pieces;
    smr_table *table; /* the piece at hand */
    smr_column_rule *rules;
    int64_t n_rules;
    int64_t pass;
    int64_t n_read;  /* rows, all passes together, earlier runs included    */
    int64_t to_skip; /* rows that an earlier run has read                   */
    int64_t n_learned, n_learned_all, n_bad, first_bad, n_skipped, first_skipped, n_unseen;
    int64_t next_news;
    smr_text text; /* of predictions */
} streaming;

/* Saves the model with the place in the stream and its sums, and those of a later pass. */
smr_status smr_streaming_save(smr_ctx *ctx, streaming *s);
/* Predictions as CSV: the names, and rows [lo, hi) of the piece at hand, which were just read. */
smr_status smr_streaming_put_header(smr_ctx *ctx, streaming *s);
smr_status smr_streaming_put(smr_ctx *ctx, streaming *s, const smr_online_rows *rows, int64_t lo,
                             int64_t hi);

#endif
