/* curve.h -- how the error moves with rows, a parameter, iterations, a threshold.
 *
 *     learning     training rows against the error on them and on rows not fitted
 *     validation   one parameter against both, with the regions of under- and overfitting
 *     training     iterations against the objective that a fit went down
 *     rounds       members of boosting, a forest or bagging against the error
 *     threshold    what taking fewer or more rows as positive does to the rates
 *     elbow        the number of clusters against the objective, and the silhouette
 *
 * Learning, validation and, for a sentence, rounds run over the folds of cv.h, the same for every
 * point.  Smaller training parts lie within larger ones (groups aside), so that the curve moves by
 * what is added and not by which rows were drawn.  Rules that read a curve are in terms of
 * the loss: the measure where lower is better, 1 less the measure where higher is. */
#ifndef SMR_STUDY_CURVE_H
#define SMR_STUDY_CURVE_H

#include "study/cv_ask.h"
#include "study/evaluate.h"

typedef struct smr_curve_how {
    smr_cv_ask ask;    /* folds, and one measure; NULL: error, or rmse                          */
    const char *sizes; /* learning: shares up to 1 and numbers of rows, with commas; NULL: 7    */
    const char *over;  /* validation, elbow: one parameter and its values                       */
    const char
        *positive; /* threshold of a model: the class; NULL: the model's, of two classes    */
} smr_curve_how;

/* Adds "measure", "points" [{rows, share, train, train_sd, validation, validation_sd}],
 * "baseline", "reading" {verdict, text}, "figures" [learning].
 *
 * The reading, with t and v the losses at the most rows, b that of a constant prediction, and s the
 * standard error of v: the gap v - t is large if it is more than 2 s and more than a quarter of v;
 * the level is high if t is more than half of b.
 *
 *     gap     level   verdict
 *     large   low     variance: more rows or a simpler model help
 *     large   high    both
 *     small   high    bias (or noise): more rows do not help, a more flexible model may
 *     small   low     fine
 *
 * The curve still falls if v dropped by more than s over the last doubling of the rows, and if the
 * slope of the last segment, kept for another doubling, would take more than s again. */
smr_status smr_curve_learning(smr_ctx *ctx, const smr_spec *spec, const smr_train_set *set,
                              const smr_curve_how *how, smr_json *into);

/* Adds "measure", "parameter", "points" [{value, train, train_sd, validation, validation_sd, se}],
 * "best", "region" [first and last value within one standard error of the best, without a gap],
 * "below" and "above" (what lies on both sides of the region: "overfitting", "underfitting", or
 * null), "reading" {text}, "figures" [validation].
 *
 * A side whose mean training loss is below the region's is the more flexible one: there the model
 * overfits; on the other it underfits. */
smr_status smr_curve_validation(smr_ctx *ctx, const smr_spec *spec, const smr_train_set *set,
                                const smr_curve_how *how, smr_json *into);

/* Adds "iterations", "objective", "converged", "points" [{iteration, objective}], "figures"
 * [training].  Fails for a model that was fitted in one step. */
smr_status smr_curve_training(smr_ctx *ctx, const smr_model *model, smr_json *into);

/* Adds "n_rounds", "measure" (the first), "points" [{rounds, error, log_loss}] (or the measures
 * asked for; rmse and mae for numbers), "best" {rounds, measure: value}, "figures" [rounds, and
 * rounds_NAME of further measures].  Up to 100 rounds all are measured, else those that are 8 %
 * apart.  Fails for a model that does not grow in rounds. */
smr_status smr_curve_rounds(smr_ctx *ctx, const smr_model *model, const smr_sample *sample,
                            const smr_curve_how *how, smr_json *into);
/* The same for a sentence over folds, with one measure: "points" [{rounds, train, train_sd,
 * validation, validation_sd}], "best" {rounds, validation}.  Where a round of the folds ended
 * early, its last members stand for those it lacks. */
smr_status smr_curve_rounds_cv(smr_ctx *ctx, const smr_spec *spec, const smr_train_set *set,
                               const smr_curve_how *how, smr_json *into);

/* Adds "positive", "rows", "output", "points" [{threshold, tp, fp, tn, fn, tpr, fpr, precision, f1,
 * accuracy}], "best" {f1, accuracy: threshold}, "figures" [threshold]; for a model on a sample, or
 * for a sentence with out-of-fold predictions. */
smr_status smr_curve_threshold(smr_ctx *ctx, const smr_model *model, const smr_sample *sample,
                               const smr_curve_how *how, smr_json *into);
smr_status smr_curve_threshold_cv(smr_ctx *ctx, const smr_spec *spec, const smr_train_set *set,
                                  const smr_curve_how *how, smr_json *into);

/* Adds "parameter", "points" [{value, objective, silhouette, converged}] of fits on all rows,
 * "bend" (the value at which the objective lies farthest below its chord), "best" (that of the
 * largest silhouette; null: none), "reading" {text}, "figures" [elbow, silhouette].  over NULL:
 * k=1..10.  For clusters alone. */
smr_status smr_curve_elbow(smr_ctx *ctx, const smr_spec *spec, const smr_train_set *set,
                           const smr_curve_how *how, smr_json *into);

/* The curve of that name: learning, validation, training (of a fit on all rows), rounds, threshold
 * (of out-of-fold predictions), or elbow. */
smr_status smr_curve_fill(smr_ctx *ctx, const char *what, const smr_spec *spec,
                          const smr_train_set *set, const smr_curve_how *how, smr_json *into);
/* That of a fitted model: training, which needs no rows (sample NULL), rounds, or threshold. */
smr_status smr_curve_of_model(smr_ctx *ctx, const char *what, const smr_model *model,
                              const smr_sample *sample, const smr_curve_how *how, smr_json *into);
/* Fails unless it is one of these words, naming the nearest. */
smr_status smr_curve_check_word(smr_ctx *ctx, const char *what);

/* ---- for the files of curve ---- */

/* One point of a learning or validation curve, over the rounds. */
typedef struct smr_curve_point {
    smr_cv_summary train, validation;
} smr_curve_point;

/* The measure asked for, one of them; else the one that suits the sentence, error or rmse. */
smr_status smr_curve_measure(smr_ctx *ctx, const smr_cv_ask *ask, const smr_spec *spec,
                             const smr_target *target, const smr_measure **out);
/* Runs the sentence over the rounds, fitted on a share (0: all) of their rows. */
smr_status smr_curve_run(smr_ctx *ctx, const smr_spec *spec, const smr_train_set *set,
                         const smr_cv_plan *plan, const smr_measure *measure, double share,
                         smr_curve_point *out);
/* Mean measures as losses. */
double smr_curve_loss(const smr_measure *measure, double value);
/* Adds train, train_sd, validation, validation_sd. */
void smr_curve_point_json(const smr_curve_point *point, smr_json *row);
/* Adds lines and bands of the means -+ sd. */
smr_status smr_curve_draw(smr_ctx *ctx, const smr_curve_point *points, int64_t n, const double *x,
                          smr_json *figure);

#endif
