/* figures.h -- predictions beside answers as figures (core/figure.h), for whatever has some: a test
 * part, a held-out part, the out-of-fold rows of a cross-validation.
 *
 *     classes   confusion, roc, precision_recall, calibration, scores, classes; for two classes
 *               also gain, lift and threshold (the sweep); of pictures also mistakes
 *     numbers   predicted, residuals, residual_histogram, normal_quantiles, for each target
 *     found     sizes, contingency (beside known classes), silhouettes, row_scores
 *
 * Curves are thinned to about 400 points and clouds to 2000, so that a figure of 10^6 rows is as
 * small as one of 10^3.  Cost O(classes n log n).  A figure that needs what is missing (scores,
 * probabilities, rows of both classes) is left out. */
#ifndef SMR_STUDY_FIGURES_H
#define SMR_STUDY_FIGURES_H

#include "study/answers.h"
#include "study/cv.h"

/* `figures` is an array, to which they are added. */
smr_status smr_figures_classify(smr_ctx *ctx, const smr_classify_input *in, smr_json *figures);
smr_status smr_figures_regress(smr_ctx *ctx, const smr_regress_input *in, smr_json *figures);

/* For what a model found by itself: answer says what a label is ("cluster"), names what each is
 * called (NULL: numbers), known what the known classes are called (NULL: there are none). */
smr_status smr_figures_found(smr_ctx *ctx, const smr_found_input *in, const char *answer,
                             const smr_strings *names, const smr_strings *known, smr_json *figures);

/* The figure "mistakes": pictures that were taken for another class, those of which the model was
 * surest.  Nothing where rows are not pictures, or no mistake was made. */
smr_status smr_figure_mistakes(smr_ctx *ctx, const smr_model *model, const smr_table *table,
                               const smr_answers *answers, const smr_classify_input *in,
                               smr_json *figures);

/* The figure "threshold": what moving it does to the rates; scores are in->proba's or not. */
void smr_figure_sweep(const smr_classify_input *in, const smr_ranking *r, smr_json *figures);

/* For the out-of-fold predictions that a run kept (its first repetition); none kept: no figures. */
smr_status smr_figures_oof(smr_ctx *ctx, const smr_train_set *set, const smr_cv_scores *scores,
                           smr_json *figures);

/* ---- for the files of figures ---- */

/* Equal bins of [lo, hi]. */
typedef struct smr_bins {
    double lo, hi;
    int64_t n;
} smr_bins;

/* out[b] = weight of the values x[i * stride] in bin b; those outside count in the end bins.  where
 * NULL: all rows, else those with where[i] == which. */
void smr_figure_bins(int64_t n, const double *x, int64_t stride, const double *weight,
                     const int32_t *where, int32_t which, smr_bins bins, double *out);
/* Adds a series of steps over the bins; edges and heights: room for n + 1 each, of which `height`
 * holds the bins' values. */
void smr_figure_steps(smr_json *figure, const char *name, smr_bins bins, double *edges,
                      double *height);

#endif
