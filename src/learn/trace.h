/* trace.h -- a learner's method in slow motion: the steps of a fit, told while it runs.
 *
 * A fit that is watched has report->trace; the learner tells it each step of its method.  It is the
 * fit itself that tells them, so that what is shown is what was done.  Where nobody watches the
 * trace is NULL, and smr_trace_step says no:
 *
 *     if (smr_trace_step(report->trace, "row %lld is a mistake", row)) {
 *         smr_trace_number(report->trace, "score", f);
 *         smr_trace_linear(report->trace, q, w, b);
 *     }
 *
 * A step has a sentence, numbers, and pictures (core/figure.h).  Of many steps the first `most` are
 * kept, and what the learner says is the end; all are counted.  What the pictures have in common is
 * prepared from the data before the fit: the rows as points, up to SMR_TRACE_POINTS of them, where
 * there are two features and classes, or one feature and a number. */
#ifndef SMR_LEARN_TRACE_H
#define SMR_LEARN_TRACE_H

#include "core/figure.h"
#include "data/data.h"

enum { SMR_TRACE_POINTS = 300, SMR_TRACE_NAMES = 12 };

/* What the rows are drawn over. */
typedef enum smr_trace_view {
    SMR_TRACE_BARS,  /* more features: numbers by name                       */
    SMR_TRACE_PLANE, /* two features, points by class                        */
    SMR_TRACE_LINE   /* one feature against the target                       */
} smr_trace_view;

typedef struct smr_trace {
    smr_ctx *ctx;
    smr_json_doc *doc;
    smr_json *steps, *figures; /* arrays of the doc                                          */
    smr_json *now;             /* the step that is told                                      */
    int64_t n, most;           /* steps so far; the number of them that is kept               */
    /* The data of the stage that is watched. */
    smr_trace_view view;
    int64_t n_features, n_classes;
    const smr_feature *features; /* they live as long as the fit                             */
    const smr_strings *classes;
    int64_t n_points;
    int64_t *row;  /* n_points: their numbers in the table                       */
    double *x, *y; /* n_points                                                   */
    int32_t *label;
    int64_t *rows;          /* of every row of the data the number in the table; NULL: its own */
    double low[2], high[2]; /* of both axes, with a margin                                   */
} smr_trace;

smr_status smr_trace_create(smr_ctx *ctx, int64_t most, smr_trace **out);
/* Accepts NULL. */
void smr_trace_free(smr_trace *trace);
/* Before the fit, by the code that calls it: the rows that it will see. */
smr_status smr_trace_open(smr_ctx *ctx, smr_trace *trace, const smr_data *data);
/* After it, by the same: features and classes end with the data. */
void smr_trace_close(smr_trace *trace);

/* ---- for learners ---- */

/* Begins a step, and says whether it is kept: only then is the rest told. */
bool smr_trace_step(smr_trace *trace, const char *format, ...) SMR_PRINTF(2, 3);
/* The same for what the steps end in, which is kept however many there were. */
bool smr_trace_end(smr_trace *trace, const char *format, ...) SMR_PRINTF(2, 3);
void smr_trace_number(smr_trace *trace, const char *key, double value);
void smr_trace_text(smr_trace *trace, const char *key, const char *format, ...) SMR_PRINTF(3, 4);
/* A class by its number. */
void smr_trace_class(smr_trace *trace, const char *key, int64_t label);
/* Weights of q scores (w: q x n_features, b: q): numbers by name, the first SMR_TRACE_NAMES of
 * them, and a picture: the line where two classes are as likely, the line that predicts, or
 * bars. */
void smr_trace_linear(smr_trace *trace, int64_t q, const double *w, const double *b);
/* A picture of this step, "step-7-NAME", with points and axes where the view has some and `points`
 * asks for them. */
smr_json *smr_trace_figure(smr_trace *trace, const char *name, const char *title, bool points);
/* The picture that was begun last; NULL: none. */
smr_json *smr_trace_last(smr_trace *trace);
/* The name of feature j. */
const char *smr_trace_feature(const smr_trace *trace, int64_t j);
/* The name of class c, cut to the room. */
void smr_trace_class_name(const smr_trace *trace, int64_t c, char *name, size_t room);
/* The point of that row of the table, into x[2]; false: it is not among them. */
bool smr_trace_point(const smr_trace *trace, int64_t row, double x[2]);
/* The number in the table of row i of the data: rows without a target are left out of these. */
int64_t smr_trace_row(const smr_trace *trace, int64_t i);

/* ---- in a descriptor ---- */

/* Its method can be watched (learn/trace.h): the fit tells its steps to report->trace.  A method
 * whose steps answer a row, as neighbours are found, tells them in `answer`, for one row, or for
 * the rows of its sequence.  One that does both is asked for an answer where the user names a row,
 * or its fit had no steps. */
typedef struct smr_can_trace {
    const char *shows; /* what the steps are: "the weights after each mistake" */
    /* NULL, or a sentence that says which parameters make steps: "solver=gd". */
    const char *(*refuses)(const void *params);
    smr_status (*answer)(smr_ctx *ctx, const void *params, const void *state, const smr_rows *row,
                         smr_trace *trace);
} smr_can_trace;

#endif
