/* progressive.h -- the error of predictions made before each row was learned, as a stream goes by.
 *
 * Each row is predicted, measured, and then learned, so every error is that of a row never seen:
 *
 *     e_t = sum_{i <= t} w_i l(y_i, f_{i-1}(x_i)) / sum_{i <= t} w_i                        (1)
 *
 * with f_{i-1} learned from the rows before i.  The error of the last `window` rows alone tells
 * what the model is worth now.
 *
 * Drift.  The Page-Hinkley test: with x_i the row's error (0 or 1; for numbers |y - f|), its mean m
 * and deviation s over the rows since the last alarm (for classes of the smoothed share
 * (wrong + 1) / (n + 2)), and z_i = min((x_i - m) / s, 10),
 *
 *     S_i = S_{i-1} + z_i - 0.1,   alarm when S_i - min_{j <= i} S_j > 100                  (2)
 *
 * It begins with row 101.  On rows without drift it alarms once in exp(2 0.1 100) / (2 0.1^2), some
 * 10^10 rows (by the normal approximation); errors that rise by one deviation are noticed after
 * some 110 rows.  An error that falls, as it does while a model learns, never alarms.  The row
 * after the minimum is where the change seems to have begun.
 *
 * Reference: Dawid, JRSS A 147 (1984), prequential; Gama, Sebastiao & Rodrigues, On evaluating
 * stream learning algorithms, Machine Learning 90 (2013); Page, Biometrika 41 (1954). */
#ifndef SMR_METRIC_PROGRESSIVE_H
#define SMR_METRIC_PROGRESSIVE_H

#include "core/json.h"

enum { SMR_PROGRESS_POINTS = 512, SMR_DRIFTS_KEPT = 64, SMR_WINDOW_KEPT = 1000000 };

/* A suspected change: noticed at row `at`, begun about row `since`, both counted from 1. */
typedef struct smr_drift {
    double at, since;
    double before, after; /* mean error of the rows before `since`, and from it on */
} smr_drift;

typedef struct smr_progressive {
    smr_task task;
    bool has_proba;
    int64_t n_classes, n_outputs;
    int64_t n_rows;                           /* measured                                       */
    double weight;                            /* of these                                       */
    double wrong, log_loss, square, absolute; /* weighted sums         */

    int64_t window, in_window, next; /* a ring of the last rows       */
    double *error, *share;           /* window: their errors, weights */

    /* (2): n and sums since the last alarm, and what they were at the minimum. */
    double since, sum, sum_square, walk, lowest, n_lowest, sum_lowest, began;
    int64_t n_drifts;
    smr_drift drifts[SMR_DRIFTS_KEPT]; /* the first of them            */

    int64_t step, n_points; /* a point every `step` rows              */
    double rows[SMR_PROGRESS_POINTS], total[SMR_PROGRESS_POINTS], recent[SMR_PROGRESS_POINTS];
} smr_progressive;

/* n_outputs: targets of a regression; window 0: 1000 rows. */
smr_status smr_progressive_create(smr_ctx *ctx, smr_task task, bool has_proba, int64_t n_classes,
                                  int64_t n_outputs, int64_t window, smr_progressive **out);
void smr_progressive_free(smr_progressive *p); /* accepts NULL */

/* One classified row: the predicted class, the true one, and the scores, or NULL.  True when
 * drift is suspected just now. */
bool smr_progressive_class(smr_progressive *p, int64_t said, int64_t is, const double *scores,
                           double weight);
/* One row's squared distance from what was found for it (a clustering). */
bool smr_progressive_distance(smr_progressive *p, double square, double weight);
/* One row of n_outputs numbers. */
bool smr_progressive_value(smr_progressive *p, const double *said, const double *is, double weight);

/* The error (classes), mean squared distance (clusters) or mean squared error of all rows, and of
 * the window; NaN without rows. */
double smr_progressive_error(const smr_progressive *p);
double smr_progressive_recent(const smr_progressive *p);

/* Adds measured_rows and measures {error, accuracy, log_loss | error | mse, rmse, mae}. */
void smr_progressive_sums(const smr_progressive *p, smr_json *into);
/* The same, and the window's. */
void smr_progressive_measures(const smr_progressive *p, smr_json *into);
/* Adds "drift": [{at, since, before, after}]. */
void smr_progressive_drifts(const smr_progressive *p, smr_json *into);
/* Adds the figure "progressive" to the array. */
void smr_progressive_figure(const smr_progressive *p, smr_json *figures);

/* What is needed to go on from here: the sums, the drifts and at most the last SMR_WINDOW_KEPT rows
 * of the window; and back, into a window of any length. */
void smr_progressive_keep(const smr_progressive *p, smr_json *into);
void smr_progressive_restore(smr_progressive *p, const smr_json *from);

#endif
