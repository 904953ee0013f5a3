/* tune.h -- which values of its parameters suit a sentence best: a search, scored by
 * cross-validation or on a validation part.
 *
 *     grid      every point of the space
 *     random    points drawn from it (Bergstra & Bengio, JMLR 13, 2012)
 *     halving   all points on a small share of the rows, the best third of them on three times as
 *               many, and so on to all rows (Jamieson & Talwalkar, AISTATS 2016); eta = 3
 *
 * Every trial runs on the same rounds.  The best score of many is better than it deserves: it was
 * chosen for being high.  So a part of the rows is put aside before the search begins (`holdout`,
 * or a table `test`), and the winner, fitted on the other rows, is measured on it beside the
 * sentence the search started from; the difference between the two scores of the winner is the
 * optimism of the search and the noise of that part.
 *
 * Of equal scores the simplest wins (tune_choose.c), and the first of those equally simple.
 *
 * Trials and rounds are one list of tasks that run in parallel; nothing depends on their order, so
 * that the result has the same bits at any thread count, and after a search was interrupted and
 * resumed from its log (trial_log.h). */
#ifndef SMR_STUDY_TUNE_H
#define SMR_STUDY_TUNE_H

#include "study/cv_ask.h"

/* Where the rows that score come from, beyond what samara.h's options say; all may be NULL. */
typedef struct smr_tune_how {
    const smr_cv_ask *ask; /* the rounds; NULL: as the options say                            */
    smr_model **model;     /* receives the winner fitted on all rows; NULL: it is not fitted    */
} smr_tune_how;

/* What can be checked without the data: are the sentence, the space and the search's name right? */
smr_status smr_tune_check_space(smr_ctx *ctx, const smr_spec *spec, const smr_tune_opts *opts);

/* Searches and adds everything it found to `into` (docs/tune.md lists the members). */
smr_status smr_tune_search(smr_ctx *ctx, const smr_spec *spec, const smr_train_set *set,
                           const smr_tune_opts *opts, const smr_tune_how *how, smr_json *into);

#endif
