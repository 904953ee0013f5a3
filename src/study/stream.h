/* stream.h -- samara stream: each row of a file or pipe is predicted, measured, and learned.
 *
 * The table comes in pieces (data/pieces.h), the model learns row by row (learn/online.h), the
 * errors add up (metric/progressive.h), and the model is saved as it goes.  While one piece is
 * learned, the next one is parsed.  Nothing depends on how the stream is cut.
 *
 * A model that was saved by a stream knows how many rows it has read, the sums of its errors and
 * the window's (up to a million rows): going on with --resume gives the model and the figures of an
 * uninterrupted run, bit by bit. */
#ifndef SMR_STUDY_STREAM_H
#define SMR_STUDY_STREAM_H

#include "data/pieces.h"
#include "learn/online.h"
#include "metric/progressive.h"

/* What is reported while the stream goes on. */
typedef struct smr_stream_news {
    const char *name;              /* of the data                                        */
    const smr_model *model;        /* as it is now                                       */
    const smr_progressive *so_far; /* NULL: it begins                                    */
    const smr_drift *drift;        /* drift is suspected; NULL: only how it goes         */
    int64_t pass;
} smr_stream_news;

typedef struct smr_stream_ask {
    const smr_spec *spec; /* NULL: the model of `from`                                  */
    const char *data;     /* a path, or "-"                                             */
    smr_pieces_opts pieces;
    smr_set_opts about;
    const char *from;   /* a model to begin with, or NULL                               */
    bool resume;        /* it has read the first rows of this data: they are passed over */
    const char *output; /* where the model goes, or NULL                                */
    int64_t save_every; /* rows; 0: at the end only                                     */
    int64_t passes;     /* over a file; 0 means 1                                       */
    int64_t window;     /* rows; 0 means 1000                                           */
    int64_t every;      /* rows between reports; 0: after 1000, 2000, 4000 ... rows     */
    bool no_learn;
    bool proba; /* predictions with the probability or score of each class              */

    /* Any of these may be NULL; they may be called on another thread, one at a time.  put: bytes
     * of the predictions, a CSV file with the columns row, the target, and the scores; of clusters
     * row, cluster, score. */
    void (*say)(void *user, const smr_stream_news *news);
    smr_status (*put)(smr_ctx *ctx, void *user, const char *bytes, int64_t n);
    void *user;
} smr_stream_ask;

/* Runs until the data end; adds to `root` what there is to report.  When the stream breaks off (a
 * bad row, a full disk, Ctrl-C), the model learned so far is saved first, and the message says
 * so. */
smr_status smr_stream_run(smr_ctx *ctx, const smr_stream_ask *ask, smr_json *root);

/* Keeps sums and place with the model, to be saved with it; and back.  *n_read = -1: it was not
 * saved by a stream. */
smr_status smr_stream_summary(smr_ctx *ctx, smr_model *model, const smr_progressive *so_far,
                              int64_t n_read);
smr_status smr_stream_take_up(smr_ctx *ctx, const smr_model *model, smr_progressive *so_far,
                              int64_t *n_read);

#endif
