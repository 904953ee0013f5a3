/* metric.h -- how good predictions are.
 *
 * Weight 2 means the row twice, weight 0 not at all: every measure gives the same figure for a
 * weighted table and for the table with its rows repeated.  A measure that is not defined (no
 * row, a class that never occurs, a constant target) is NaN, and null in JSON.  Sums are
 * compensated and serial, classes are worked on independently: same bits at any thread
 * count.
 *
 * Averages over classes (macro, weighted) leave out a class that occurs neither among the labels
 * nor among the predictions; in a class that does occur, an undefined precision or recall counts
 * as 0: a class that is never predicted has earned no precision. */
#ifndef SMR_METRIC_METRIC_H
#define SMR_METRIC_METRIC_H

#include "core/json.h"
#include "data/data.h"

/* ---- what is measured ----------------------------------------------------------------- */

typedef struct smr_classify_input {
    int64_t n, n_classes;
    const int32_t *label;     /* n, each in [0, n_classes)                                        */
    const int32_t *predicted; /* n; NULL: the class of the largest score, ties to the lower       */
    const double *proba;      /* n x n_classes, rows sum to 1; NULL: none                         */
    const double *decision;   /* n x n_classes scores, read where there is no proba; NULL: none   */
    const double *weight;     /* n, >= 0; NULL: all 1                                             */
    int64_t positive;         /* with two classes, the one whose precision is reported; -1: the
                                 last */
    const smr_strings *class_names; /* NULL: numbers                                              */
    const double *threshold;        /* the positive score from which `predicted` says positive, for
                                 figures; NULL: the largest score decides                         */
} smr_classify_input;

typedef struct smr_regress_input {
    int64_t n, n_outputs;
    const double *y, *predicted; /* n x n_outputs, row-major                                      */
    const double *weight;        /* n, >= 0; NULL: all 1                                          */
    const char *const *output_names; /* NULL: numbers                                             */
} smr_regress_input;

/* What a model found by itself: clusters, states, classes of steps, how likely rows are. */
typedef struct smr_found_input {
    int64_t n;
    const int32_t *found; /* n: cluster, state or class, each in [0, n_found); NULL: none         */
    int64_t n_found;
    bool outside;         /* the last of them are the rows outside all clusters */
    const int32_t *label; /* n: the known class, -1 where it is unknown; NULL: none is known      */
    int64_t n_classes;
    const double *threshold; /* of outliers, which score less; NULL: none */
    int64_t outlying;    /* of outliers: their class; n_classes: all but the most frequent one */
    const double *score; /* n; NULL: none                                                     */
    const int64_t *sequence; /* n: the row's sequence, in [0, n_sequences); NULL: each by itself  */
    int64_t n_sequences;
    const double *x; /* n x d: what clusters were found in; NULL: not available                  */
    int64_t d;
    const double *weight; /* n, >= 0; NULL: all 1                                                 */
    uint64_t seed;        /* of the rows that a measure of all pairs looks at                     */
} smr_found_input;

/* ---- counts --------------------------------------------------------------------------- */

/* What the counting measures need of a confusion matrix: O(classes), where the matrix takes the
 * square of that. */
typedef struct smr_tally {
    int64_t n_classes;
    double total;      /* weight of all rows                     */
    double *correct;   /* of rows of class k predicted as k      */
    double *predicted; /* of rows predicted as k                 */
    double *support;   /* of rows of class k                     */
} smr_tally;

typedef enum smr_rate { SMR_RATE_PRECISION, SMR_RATE_RECALL, SMR_RATE_F1 } smr_rate;
typedef enum smr_average { SMR_AVERAGE_MACRO, SMR_AVERAGE_MICRO, SMR_AVERAGE_WEIGHTED } smr_average;

smr_status smr_tally_make(smr_ctx *ctx, const smr_classify_input *in, smr_tally *out);
void smr_tally_release(smr_tally *tally);
/* precision tp/(tp+fp), recall tp/(tp+fn), f1 2tp/(2tp+fp+fn) of class k; NaN where 0/0. */
double smr_tally_rate(const smr_tally *t, smr_rate rate, int64_t k);
double smr_tally_average(const smr_tally *t, smr_rate rate, smr_average average);
double smr_tally_accuracy(const smr_tally *t);
/* Mean recall of the classes that have rows. */
double smr_tally_balanced_accuracy(const smr_tally *t);
/* Correlation of labels and predictions (phi for two classes, Gorodkin's R_K for more). */
double smr_tally_matthews(const smr_tally *t);
double smr_tally_kappa(const smr_tally *t);

/* matrix[i * n_classes + j] = weight of rows of class i predicted as j. */
smr_status smr_confusion(smr_ctx *ctx, const smr_classify_input *in, double *matrix);

/* ---- ranking: one class against the rest, or any score against a yes/no --------------- */

/* All thresholds at once.  Point 0 is (inf, 0, 0); then one point per distinct score,
 * descending. */
typedef struct smr_ranking {
    int64_t n;
    double *threshold; /* a row is taken as positive when its score >= threshold         */
    double *tp, *fp;   /* weight of positive and negative rows at or above the threshold */
    double positives,
        negatives; /* weight of all                                                  */
} smr_ranking;

/* Row i has the score score[i * stride] and is positive when label[i] == positive.  O(n log n). */
smr_status smr_ranking_make(smr_ctx *ctx, int64_t n, const double *score, int64_t stride,
                            const int32_t *label, int64_t positive, const double *weight,
                            smr_ranking *out);
void smr_ranking_release(smr_ranking *ranking);
/* Area under the ROC curve: P(score of a positive > that of a negative), ties counted half. */
double smr_ranking_auc(const smr_ranking *r);
/* sum over thresholds of (recall gained) * precision. */
double smr_ranking_average_precision(const smr_ranking *r);

typedef struct smr_threshold_row {
    double threshold;
    double tp, fp, tn, fn;
    double tpr, fpr, precision, f1, accuracy;
} smr_threshold_row;

/* What happens when rows with score >= threshold are taken as positive.  For a linear score plus a
 * bias beta, the threshold is -beta: lowering it trades false negatives for false positives. */
smr_threshold_row smr_ranking_at(const smr_ranking *r, double threshold);
/* Adds its members: threshold, counts, rates. */
void smr_threshold_row_json(const smr_threshold_row *at, smr_json *row);

/* For the `share` of the rows with the highest scores (a group of equal scores is cut evenly): the
 * share of all positives among them, and how much that is above a random choice. */
typedef struct smr_gain_row {
    double share, found, lift; /* lift = found / share; NaN without positives or for share 0     */
} smr_gain_row;
smr_gain_row smr_ranking_gain(const smr_ranking *r, double share);

/* DeLong's variance of smr_ranking_auc, O(points); NaN with fewer than two rows on a side.
 * References: DeLong, DeLong & Clarke-Pearson, Biometrics 44 (1988); Sun & Xu, IEEE Signal Process.
 * Lett. 21 (2014), whose ranks are the counts of this walk. */
double smr_ranking_auc_variance(const smr_ranking *r);

/* Numbers of at most `most` >= 3 points that draw the curve: all where there are no more, else both
 * ends, points at least 4 / (most - 3) apart in fpr + tpr, and between two of these the corner: the
 * point farthest from the line through them.  Returns how many; both sides must have rows. */
int64_t smr_ranking_thin(const smr_ranking *r, int64_t most, int64_t *kept);

/* ---- intervals ------------------------------------------------------------------------- */

typedef struct smr_interval {
    double low, high; /* NaN where it is not defined */
} smr_interval;

/* For a share: `hits` of `n` rows.  Wilson, J. Am. Stat. Assoc. 22 (1927). */
smr_interval smr_wilson(double hits, double n, double confidence);
/* For an area, on the scale of log(a / (1-a)), so that it stays between 0 and 1; NaN for an area of
 * 0 or 1, where the variance says nothing. */
smr_interval smr_auc_interval(double auc, double variance, double confidence);
/* For a mean of n values with that sample variance: Student's t. */
smr_interval smr_mean_interval(double mean, double variance, double n, double confidence);

/* Adds "intervals" {confidence, accuracy: [low, high], ...}: accuracy for any classes; for two also
 * precision, recall (Wilson) and auc (DeLong).  For one numeric target mae, mse and rmse, from the
 * spread of the rows' errors.  A weight is a number of rows. */
smr_status smr_metric_classify_intervals(smr_ctx *ctx, const smr_classify_input *in,
                                         double confidence, smr_json *into);
smr_status smr_metric_regress_intervals(smr_ctx *ctx, const smr_regress_input *in,
                                        double confidence, smr_json *into);

/* ---- probabilities -------------------------------------------------------------------- */

/* -sum w log p(label) / W, with p no less than 2^-52, so that one certain mistake costs 36 and not
 * infinity. */
smr_status smr_log_loss(smr_ctx *ctx, const smr_classify_input *in, double *out);
/* Two classes: mean (p - [positive])^2, in [0, 1]; more: mean sum_k (p_k - [label = k])^2, in
 * [0, 2]. */
smr_status smr_brier(smr_ctx *ctx, const smr_classify_input *in, double *out);
/* Share of rows whose class is not among the k largest scores; of equal scores the lower class goes
 * first.  NaN when k >= n_classes. */
smr_status smr_top_k_error(smr_ctx *ctx, const smr_classify_input *in, int64_t k, double *out);

typedef struct smr_calibration_bin {
    double lo, hi;    /* predicted probabilities [lo, hi), the last bin including its end */
    double weight;    /* of the rows in it                                           */
    double predicted; /* their mean probability; NaN when empty                      */
    double observed;  /* share that came true; NaN when empty                        */
} smr_calibration_bin;

/* n_bins equal bins.  Two classes: the positive class's probability, and whether it is the label;
 * more: the largest probability, and whether that class is the label.
 * *ece (may be NULL): sum of bin weight / W * |predicted - observed|. */
smr_status smr_calibration(smr_ctx *ctx, const smr_classify_input *in, int64_t n_bins,
                           smr_calibration_bin *bins, double *ece);

/* ---- regression ----------------------------------------------------------------------- */

typedef struct smr_regress_row {
    double mse, rmse, mae, median_ae, max_error;
    double r2, explained_variance; /* NaN for a constant target */
    double mape;                   /* mean |error / y|; NaN when some y is 0 */
    double pinball_05, pinball_10, pinball_25, pinball_50, pinball_75, pinball_90, pinball_95;
    double above, below; /* means of max(0, y - f) and max(0, f - y): what pinballs are made of */
    /* NaN unless asked for; where some y or prediction is outside the family's range, infinite */
    double poisson_deviance, gamma_deviance, rmsle;
} smr_regress_row;

/* rows[j] for each output. */
smr_status smr_regress_rows(smr_ctx *ctx, const smr_regress_input *in, smr_regress_row *rows);

/* ---- intervals and sets ------------------------------------------------------------------ */

typedef struct smr_interval_input {
    int64_t n, n_outputs;
    const double *y;        /* n x n_outputs                                */
    const double *interval; /* n x n_outputs x 2: low and high              */
    const double *weight;   /* n, >= 0; NULL: all 1                         */
    double promised;        /* coverage; NaN: unknown                       */
} smr_interval_input;

typedef struct smr_set_input {
    int64_t n, n_classes;
    const int32_t *label;
    const double *set;    /* n x n_classes, 0 or 1 */
    const double *weight; /* n, >= 0; NULL: all 1  */
    double promised;
} smr_set_input;

typedef struct smr_interval_measures {
    double coverage, width, score; /* over all rows and outputs; see coverage.c */
} smr_interval_measures;

typedef struct smr_set_measures {
    double coverage, size, empty, single;
} smr_set_measures;

smr_interval_measures smr_interval_measure(const smr_interval_input *in);
smr_set_measures smr_set_measure(const smr_set_input *in);
/* Adds interval_promised, _coverage, _width, _score; set_promised, _coverage, _size, _empty,
 * _single. */
void smr_metric_intervals(const smr_interval_input *in, smr_json *into);
void smr_metric_sets(const smr_set_input *in, smr_json *into);

/* ---- the list of measures ------------------------------------------------------------- */

struct smr_classified;

typedef struct smr_measure {
    const char *name;    /* "f1"                                                               */
    const char *title;   /* "F1"                                                               */
    const char *formula; /* in plain symbols                                                   */
    const char *doc;     /* one sentence                                                       */
    smr_task task;
    bool higher_is_better;
    bool needs_scores; /* proba or decision                                                    */
    bool needs_proba;
    bool of_one_class; /* with two classes it depends on which of them is the positive one     */
    bool on_request;   /* not among the members that smr_metric_classify and _regress add       */
    smr_status (*classify)(smr_ctx *ctx, struct smr_classified *c, double *out);
    size_t regress; /* offset in smr_regress_row                                               */
    /* The quantile of the target that makes it least, of all constants; 0: its mean does, or it is
     * not known. */
    double level;
    /* Leaves *out as it is, NaN, where the input lacks what it needs. */
    smr_status (*found)(smr_ctx *ctx, const smr_found_input *in, double *out);
} smr_measure;

/* All measures, classification first. */
const smr_measure *smr_measures(int64_t *n);
/* By name and task, or NULL.  It finds pinball losses of more levels than are listed. */
const smr_measure *smr_measure_find(const char *name, smr_task task);
/* The name of the pinball loss at q, or at the nearest level that there is a measure of
 * (pinball.c). */
const char *smr_pinball_at(double q);
const smr_measure *smr_pinball_find(const char *name);

/* The least and the most that the measure can be, perhaps infinite. */
void smr_measure_bounds(const smr_measure *measure, double *least, double *most);

/* One measure.  NaN where the input lacks the probabilities or scores that it needs. */
smr_status smr_measure_classify(smr_ctx *ctx, const smr_measure *measure,
                                const smr_classify_input *in, double *out);
/* Over several outputs: the mean of the outputs' figures (max_error: the largest). */
smr_status smr_measure_regress(smr_ctx *ctx, const smr_measure *measure,
                               const smr_regress_input *in, double *out);
/* n measures at once, out[i] of list[i]: what several of them need is made once, what none of them
 * needs is not made. */
smr_status smr_measures_classify(smr_ctx *ctx, const smr_measure *const *list, int64_t n,
                                 const smr_classify_input *in, double *out);
smr_status smr_measures_regress(smr_ctx *ctx, const smr_measure *const *list, int64_t n,
                                const smr_regress_input *in, double *out);

smr_status smr_measures_found(smr_ctx *ctx, const smr_measure *const *list, int64_t n,
                              const smr_found_input *in, double *out);

/* ---- what a model found by itself: see found.c for the formulas ------------------------- */

smr_status smr_adjusted_rand(smr_ctx *ctx, const smr_found_input *in, double *out);
smr_status smr_normalized_information(smr_ctx *ctx, const smr_found_input *in, double *out);
smr_status smr_purity(smr_ctx *ctx, const smr_found_input *in, double *out);
/* matrix[k * n_found + c] = weight of rows of known class k in cluster c. */
smr_status smr_contingency(smr_ctx *ctx, const smr_found_input *in, double *matrix);
/* The silhouettes of rows: of all, or of a seeded sample. An empty one is {0}. */
typedef struct smr_outline {
    int64_t n, *rows; /* among the input's                       */
    double *weight;   /* of each cluster among these rows        */
    double *value;    /* n; NULL: there are not two clusters     */
} smr_outline;
smr_status smr_outline_make(smr_ctx *ctx, const smr_found_input *in, smr_outline *out);
void smr_outline_release(smr_outline *outline);
smr_status smr_silhouette(smr_ctx *ctx, const smr_found_input *in, double *out);
smr_status smr_davies_bouldin(smr_ctx *ctx, const smr_found_input *in, double *out);
smr_status smr_calinski_harabasz(smr_ctx *ctx, const smr_found_input *in, double *out);
smr_status smr_step_accuracy(smr_ctx *ctx, const smr_found_input *in, double *out);
smr_status smr_sequence_accuracy(smr_ctx *ctx, const smr_found_input *in, double *out);
smr_status smr_step_likelihood(smr_ctx *ctx, const smr_found_input *in, double *out);
smr_status smr_mean_score(smr_ctx *ctx, const smr_found_input *in, double *out);
/* Of outliers (outlying.c). */
smr_status smr_outliers_auc(smr_ctx *ctx, const smr_found_input *in, double *out);
smr_status smr_outliers_average_precision(smr_ctx *ctx, const smr_found_input *in, double *out);
smr_status smr_outliers_precision(smr_ctx *ctx, const smr_found_input *in, double *out);
smr_status smr_outliers_recall(smr_ctx *ctx, const smr_found_input *in, double *out);
/* known[i]: 1 for a row of the outlying classes, 0 for another, -1 where the class is unknown. */
smr_status smr_outliers_known(smr_ctx *ctx, const smr_found_input *in, int32_t *known);

/* ---- everything, as JSON -------------------------------------------------------------- */

/* Adds to the object `into`: every measure by name (accuracy, error, precision, recall, f1, ...;
 * precision, recall, f1 are the positive class's for two classes, macro otherwise; auc is the mean
 * of the classes' areas, each against the rest), then
 *   "averages"  {macro, micro, weighted: {precision, recall, f1}}
 *   "classes"   [{name, precision, recall, f1, support}]
 *   "confusion" [[weight of class i predicted as j]], null beyond 200 classes */
smr_status smr_metric_classify(smr_ctx *ctx, const smr_classify_input *in, smr_json *into);

/* Adds every regression measure by name, and, for several outputs, "outputs" [{name, mse, ...}]. */
smr_status smr_metric_regress(smr_ctx *ctx, const smr_regress_input *in, smr_json *into);

/* Adds the measures of that task by name, and for clusters and states "sizes" [weight of each] and,
 * beside known classes, "contingency" [[weight of class k in cluster c]]. */
smr_status smr_metric_found(smr_ctx *ctx, smr_task task, const smr_found_input *in, smr_json *into);

/* Adds what a report draws: "roc" and "precision_recall" (one curve for two classes, one per class
 * for up to 20: {class, area, threshold [], ...}, thinned to about 400 points), "sweep" (two
 * classes: rows of threshold, tp, fp, tn, fn and rates), "calibration" ({ece, bins []}). */
smr_status smr_metric_curves(smr_ctx *ctx, const smr_classify_input *in, smr_json *into);

#endif
