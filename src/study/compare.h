/* compare.h -- a league table: several sentences over the same rounds.
 *
 * Sentences are cross-validated one after another on one plan, so that every round is a fair pair.
 * Against the best one (by the mean of the measure) each other has the mean d of the differences
 * round by round, with the corrected resampled t test of cv_summary.c:
 *
 *     t = d / (sd(d) * sqrt(1/n + measured rows / fitted rows)),   n - 1 degrees of freedom
 *
 * and p values corrected for the number of comparisons (Holm).  A baseline stands in the table
 * where the task has one (judge.h): the most frequent class, or the mean, of the fitted rows; its p
 * value is not corrected, being one question whatever the number of models.
 * References: Nadeau & Bengio, Machine Learning 52, 2003; Holm, Scandinavian Journal of Statistics
 * 6, 1979. */
#ifndef SMR_STUDY_COMPARE_H
#define SMR_STUDY_COMPARE_H

#include "study/cv_ask.h"

typedef struct smr_compare_ask {
    smr_cv_ask cv; /* measure: the one that decides; NULL: smr_cv_usual_measure               */
    const char *const *names;     /* n: as they were written, for people */
    const smr_spec *const *specs; /* n                                   */
    int64_t n;
    bool all; /* also every learner that does the task, with its defaults, after `standardize` where
                 scale matters; not those that need members, that refuse the targets (one warning
                 names them), or that are another one by default */
} smr_compare_ask;

/* Adds to `into`:
 *
 *     task, target [], classes [], rows, features, seed; kind ... grouped, as cv_report.h
 *     confidence, measure, better
 *     best: the model's sentence as it was written
 *     league [{rank, model, spec, mean, sd, low, high, behind, behind_low, behind_high, p, verdict,
 *              wins, fit_seconds, predict_seconds}], best first; the baseline has no rank or spec
 *     failed [{model, message}]
 *     by_round [{round, rows, scores [in the order of the league]}]
 *     figures [league]
 *
 * behind: how much worse than the best, in the measure's units; verdict: "best", "worse", "within
 * noise", "same", "better" (the baseline only), or "unknown" with fewer than two rounds.  wins: in
 * how many rounds nothing was better.  Seconds are means over rounds.  A sentence that fails does
 * not stop the others; if all fail, so does the call. */
smr_status smr_compare_report(smr_ctx *ctx, const smr_table *table, const smr_set_opts *how,
                              const smr_compare_ask *ask, smr_json *into);

/* ---- for the files of comparison, and their tests ---- */

typedef struct smr_contender {
    char *model;    /* as written                                            */
    smr_spec *spec; /* NULL: the baseline                                    */
    char *sentence; /* the same, canonical                                   */
    bool is_baseline;
    double *score; /* one per round; NULL: it failed                        */
    double fit_seconds, predict_seconds;
    char *fitted;          /* the sentence as fitted, where stages were inserted     */
    char *message;         /* why it failed                                         */
    smr_cv_summary sum;    /* of its scores                                         */
    smr_cv_summary behind; /* of its differences from the best, > 0: worse          */
    double p;              /* after Holm; NaN: the best, or too few rounds          */
    int64_t wins;
} smr_contender;

/* Fills sum, behind, p and wins, and sorts: the best first, those that failed last.  If all failed,
 * only the order is defined. */
smr_status smr_compare_rank(smr_ctx *ctx, smr_contender *list, int64_t n, int64_t n_rounds,
                            bool higher_is_better, double test_over_train, double confidence);
const char *smr_compare_verdict(const smr_contender *c, double confidence);

/* What fits warn of, kept until all have run: a sentence that several models give is reported once,
 * with their names. */
typedef struct smr_note smr_note;
typedef struct smr_notes {
    smr_ctx *ctx;
    const char *model; /* whose fits are heard now; its pointer names it */
    smr_note *first;
    bool failed; /* out of memory */
} smr_notes;

void smr_compare_note(void *notes, smr_log_level level, const char *message); /* a smr_log_fn */
smr_status smr_compare_tell_notes(smr_ctx *ctx, smr_notes *notes, int64_t n_models);
void smr_compare_release_notes(smr_notes *notes);

/* The measure of the task's baseline, such as predicting the most frequent class: a figure per
 * round, NaN where the measure does not apply to it. */
smr_status smr_compare_baseline(smr_ctx *ctx, const smr_train_set *set, const smr_cv_plan *plan,
                                const smr_measure *measure, double *score);

#endif
