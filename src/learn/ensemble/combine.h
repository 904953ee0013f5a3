/* combine.h -- one answer out of many: what bag and vote share.
 *
 *     mean     classes: sum w p / sum w of the members' probabilities; numbers: sum w f / sum w
 *     vote     classes: the share of the weight of the members that choose it
 *     median   numbers: half of the weight lies on either side; between two, their mean
 *
 * Members count in their order, whatever the threads, so a sum has the same bits everywhere.
 * Where all weights are 0 the members count alike. */
#ifndef SMR_LEARN_ENSEMBLE_COMBINE_H
#define SMR_LEARN_ENSEMBLE_COMBINE_H

#include "learn/member.h"

enum smr_combine_way { SMR_COMBINE_AUTO, SMR_COMBINE_MEAN, SMR_COMBINE_VOTE, SMR_COMBINE_MEDIAN };

/* Choices of a parameter `combine`. */
extern const smr_choice smr_combine_ways[];

typedef struct smr_combine {
    int64_t way;   /* never AUTO                                              */
    bool classes;  /* width of them; else of targets                          */
    int64_t width; /* values of an answer                                     */
    const smr_members *of;
    const double *weight; /* of->n, none negative                                    */
} smr_combine;

/* The way for the task; AUTO: probabilities or values are averaged, and members vote where one
 * gives no probabilities.  A way that does not suit the task or the members is an error. */
smr_status smr_combine_choose(smr_ctx *ctx, const char *learner, int way, smr_task task,
                              const smr_members *of, int64_t *out);

/* What a member is asked for, and how many numbers it gives for a row. */
smr_output smr_combine_asked(const smr_combine *c);
int64_t smr_combine_asked_width(const smr_combine *c);

/* Adds weight w times a member's answers for n rows to sums (`width` per row), at rows at[i]; at
 * NULL: row i.  Not for a median. */
void smr_combine_add(const smr_combine *c, int64_t n, const int64_t *at, const double *answers,
                     double w, double *sums);
/* The weighted median of n > 0 values whose weights are not all 0; sorts both arrays. */
double smr_combine_median(int64_t n, double *value, double *weight);

int64_t smr_combine_scratch(const smr_combine *c, int64_t n);
/* out (n x width): what the first `count` members say together, count >= 1. */
smr_status smr_combine_predict(smr_ctx *ctx, const smr_combine *c, int64_t count,
                               const smr_rows *rows, double *out, void *scratch);

/* After a load: do the members give what is asked of them, and are the weights weights? */
smr_status smr_combine_check(smr_ctx *ctx, const char *learner, const smr_combine *c,
                             const smr_shape *shape);

/* ---- how good ---------------------------------------------------------------------------- */

/* For rows with an answer: the share of wrong classes or the mean squared error; for probabilities
 * also the mean of -log p. */
typedef struct smr_judgement {
    double error, loss; /* NaN: no rows; no probabilities */
    double weight;      /* of the rows                    */
} smr_judgement;

/* answers: n x n_classes probabilities or scores, or n x n_outputs values, of rows at[i] of the
 * data (at NULL: i); a row whose first answer is NaN has none. */
smr_judgement smr_judge_answers(const smr_data *data, int64_t n, const int64_t *at,
                                const double *answers);
/* The same for class numbers. */
smr_judgement smr_judge_labels(const smr_data *data, int64_t n, const int64_t *at,
                               const double *labels);

/* How much a member's answer weighs: classes: the log-odds of its being right, log((1 - e) / e) +
 * log(k - 1) with e = (wrong + 1/2) / (rows + 1), k the classes that have rows, at least 0;
 * numbers: 1 / mean squared error, which is taken as at least a millionth of the target's variance.
 * scale: k or that variance.  NaN: nothing was judged. */
double smr_combine_weight(const smr_data *data, double scale, const smr_judgement *judged);
/* Weighted variance of the targets, mean over the outputs; of classes how many have rows. */
smr_status smr_target_scale(smr_ctx *ctx, const smr_data *data, double *out);
/* Weights with a mean of 1; unknown ones (NaN) are put at the mean of the others; 1 where none is
 * worth anything, with a warning. */
void smr_combine_scale(smr_ctx *ctx, const char *learner, int64_t n, double *weight);

#endif
