/* threshold.h -- from which score on a row is taken as positive.
 *
 * With two classes, a row is positive where its score is at least the threshold: its probability of
 * the positive class, or, for a model that gives none, its decision score.  Rules:
 *
 *     0.3              this one
 *     cost=FP:FN       least FP x (false positives) + FN x (false negatives)
 *     recall=R         the highest that finds the share R of the positives
 *     precision=P      the most positives found with precision of at least P
 *     fpr=F            the most positives found with a false positive rate of at most F
 *     f1, youden       largest F1; largest tpr - fpr
 *
 * Of outliers (learn/outliers.h), whose scores are low:
 *
 *     -0.6             rows with a lower score are outliers
 *     share=S          the share S of the training rows has lower scores
 *
 * A chosen threshold lies half way between two scores that occur.  Of equally good thresholds the
 * highest is taken.  Chosen on rows that were fitted it would be too sure of itself: a training
 * set's is chosen on out-of-fold predictions, each row's by a fit that did not see it. */
#ifndef SMR_STUDY_THRESHOLD_H
#define SMR_STUDY_THRESHOLD_H

#include "learn/model.h"
#include "metric/metric.h"

typedef enum smr_threshold_kind {
    SMR_THRESHOLD_GIVEN = 0,
    SMR_THRESHOLD_COST,
    SMR_THRESHOLD_RECALL,
    SMR_THRESHOLD_PRECISION,
    SMR_THRESHOLD_FPR,
    SMR_THRESHOLD_F1,
    SMR_THRESHOLD_YOUDEN,
    SMR_THRESHOLD_SHARE
} smr_threshold_kind;

typedef struct smr_threshold_rule {
    smr_threshold_kind kind;
    double value;            /* of GIVEN, RECALL, PRECISION, FPR, SHARE */
    double cost_fp, cost_fn; /* of COST                          */
} smr_threshold_rule;

smr_status smr_threshold_parse(smr_ctx *ctx, const char *text, smr_threshold_rule *out);
/* As it is written: "recall=0.9". */
void smr_threshold_write(const smr_threshold_rule *rule, smr_text *out);

/* Fails unless there are two classes, or where a given threshold cannot be a probability. */
smr_status smr_threshold_check(smr_ctx *ctx, const smr_threshold_rule *rule,
                               const smr_target *target, bool proba);

/* The rule's threshold for these scores, and what it does on them.  A target that no threshold
 * reaches is an error that names the best one there is. */
smr_status smr_threshold_choose(smr_ctx *ctx, const smr_threshold_rule *rule, const smr_ranking *r,
                                smr_threshold_row *out);

/* A share of outliers is kept by each fit itself: true where that was done. */
bool smr_threshold_of_outliers(const smr_threshold_rule *rule, smr_train_set *set);

/* Chooses for a sentence on out-of-fold predictions of the given rows of the set (NULL: all): five
 * stratified folds, fewer where a class has fewer rows; groups stay whole.  *used: how many rows it
 * was chosen on.  Nothing is fitted for a given threshold. */
smr_status smr_threshold_fit(smr_ctx *ctx, const smr_spec *spec, const smr_train_set *set,
                             const int64_t *rows, int64_t n_rows, const smr_threshold_rule *rule,
                             smr_threshold_row *out, int64_t *used);

/* Gives a model the threshold, and the words that inspect shows. */
smr_status smr_threshold_keep(smr_ctx *ctx, const smr_threshold_rule *rule,
                              const smr_threshold_row *row, int64_t used, smr_target *target);

/* All of it for a fitted model: reads the rule, chooses on the whole set, keeps. */
smr_status smr_threshold_train(smr_ctx *ctx, const smr_spec *spec, smr_train_set *set,
                               const char *text, smr_model *model);

/* Adds "threshold" {value, rule}, and for a chosen one {chosen_on, rows, tpr, fpr, precision, f1,
 * accuracy}. */
void smr_threshold_to_json(smr_ctx *ctx, const smr_threshold_rule *rule,
                           const smr_threshold_row *row, const char *chosen_on, int64_t used,
                           smr_json *into);

#endif
