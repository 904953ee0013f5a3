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
 *
 * One round in which a model goes astray makes sd(d) so large that the test sees nothing.  A model
 * whose spread is more than 5 times the best's, and more than a quarter of the best's mean, is
 * therefore judged by the rounds that it lost (sign test, one-sided, over the rounds of a
 * repetition): worse, or too variable to tell.  For the baseline it is the best whose spread is
 * asked about.
 *
 * Models that `all` added run in the order of what they cost (compare_run.c).  One of them is
 * stopped after two rounds when it is hopeless: in both, its error (how far its score is from the
 * best that the measure can give) is more than 1.1 times the baseline's.  That depends on its own
 * scores alone, on no order and no clock.  If nothing else is left, those that were stopped are run
 * to the end after all.
 *
 * References: Nadeau & Bengio, Machine Learning 52, 2003; Holm, Scandinavian Journal of Statistics
 * 6, 1979. */
#ifndef SMR_STUDY_COMPARE_H
#define SMR_STUDY_COMPARE_H

#include "core/text.h"
#include "study/cv_ask.h"
#include "study/trial_log.h"

typedef struct smr_compare_ask {
    smr_cv_ask cv; /* measure: the one that decides; NULL: smr_cv_usual_measure               */
    const char *const *names;     /* n: as they were written, for people */
    const smr_spec *const *specs; /* n                                   */
    int64_t n;
    bool all; /* also every learner that does the task, with its defaults, after `standardize` where
                 scale matters; not those that need members, that refuse the targets (one warning
                 names them), or that are another one by default */
    double seconds;           /* end after this long, with what is finished; 0: no limit          */
    const char *log, *resume; /* a new file that receives the scores of every model as it ends;
                                 one to continue; NULL: none                                     */
    bool no_stop;             /* models that `all` added are run to the end, as others are       */
    smr_league_fn heard;      /* of every model when it ends; NULL                               */
    void *heard_user;
} smr_compare_ask;

/* Adds to `into`:
 *
 *     task, target [], classes [], rows, features, seed; kind ... grouped, as cv_report.h
 *     confidence, measure, better
 *     best: the model's sentence as it was written
 *     league [{rank, model, spec, mean, sd, low, high, behind, behind_low, behind_high, p, verdict,
 *              won, lost, wins, fit_seconds, predict_seconds}], best first; the baseline has no
 *              rank or spec
 *     failed [{model, message}]
 *     stopped [{model, spec, rounds, scores [], message}], left_out [model]: for want of time, or
 *     because the work was cancelled; out_of_time, cancelled
 *     notes [{models [], message}]: what the fits warned of
 *     by_round [{round, rows, scores [in the order of the league]}]
 *     figures [league]
 *
 * behind: how much worse than the best, in the measure's units; verdict: "best", "worse", "within
 * noise", "too variable", "same", "better" (the baseline only), or "unknown" with fewer than two
 * rounds.  won, lost: rounds in which it was better or worse than the best; wins: in how many
 * rounds nothing was better.  Seconds are means over rounds.  A sentence that fails does
 * not stop the others; if all fail, so does the call.  When it is cancelled after a model was
 * finished, `into` has what is known, and the status is SMR_ERR_CANCELLED. */
smr_status smr_compare_report(smr_ctx *ctx, const smr_table *table, const smr_set_opts *how,
                              const smr_compare_ask *ask, smr_json *into);

/* ---- for the files of comparison, and their tests ---- */

typedef enum smr_model_state {
    SMR_MODEL_WAITING = 0,
    SMR_MODEL_DONE,
    SMR_MODEL_STOPPED, /* hopeless after two rounds */
    SMR_MODEL_FAILED
} smr_model_state;

typedef struct smr_contender {
    smr_model_state state;
    bool named;      /* by the user, not by `all`                             */
    bool from_log;   /* not run now                                           */
    double cost;     /* seconds on a few rows; 0: not tried                   */
    double early[2]; /* STOPPED: its scores                               */
    char **warning;  /* n_warnings: what its fits warned of                   */
    int64_t n_warnings;
    char *model;    /* as written                                            */
    smr_spec *spec; /* NULL: the baseline                                    */
    char *sentence; /* the same, canonical                                   */
    bool is_baseline;
    double *score; /* one per round; NULL: it is not DONE                   */
    double fit_seconds, predict_seconds;
    char *fitted;          /* the sentence as fitted, where stages were inserted     */
    char *message;         /* why it failed                                         */
    smr_cv_summary sum;    /* of its scores                                         */
    smr_cv_summary behind; /* of its differences from the best, > 0: worse          */
    double p;              /* after Holm; NaN: the best, or too few rounds          */
    int64_t wins;
    int64_t won, lost; /* rounds against the best                                       */
    double p_lost;     /* of losing that many of them                                   */
    bool wild;         /* its spread is many times the best's                           */
} smr_contender;

/* What the scores of a league are. */
typedef struct smr_league_rounds {
    int64_t n, per_repeat; /* rounds, and those of one repetition */
    bool higher_is_better;
    double test_over_train, confidence;
} smr_league_rounds;

/* What fits warn of, kept until all have run: what several models say alike is reported in one
 * line, with their names. */
typedef struct smr_note smr_note;
typedef struct smr_notes {
    smr_ctx *ctx;
    const char *model;    /* whose fits are heard now; its pointer names it               */
    const smr_spec *spec; /* its sentence: a warning does not begin with its learner's name */
    smr_note *first;
    bool failed; /* out of memory */
} smr_notes;

typedef struct smr_league {
    const smr_compare_ask *ask;
    const smr_train_set *set;
    const smr_cv_plan *plan;
    const smr_measure *measure;
    smr_text losses; /* that other measures suit better: smr_cv_tell_losses */
    double confidence;
    smr_contender *list;
    int64_t n;
    double *base; /* the baseline's scores; NULL: the measure does not apply to it */
    smr_notes notes;
    smr_trial_log *log; /* NULL: none              */
    double deadline;    /* smr_now; INFINITY: none */
    bool out_of_time, cancelled;
} smr_league;

/* Runs the models of the list, or takes them from the log.  SMR_ERR_CANCELLED leaves those that are
 * DONE as they are. */
smr_status smr_compare_run(smr_ctx *ctx, smr_league *league);
/* Adds to `into` what smr_compare_report says.  best: the first that is not the baseline. */
smr_status smr_compare_json(smr_ctx *ctx, const smr_league *league, smr_json *into);
/* Adds the figure "league". */
smr_status smr_compare_draw(smr_ctx *ctx, const smr_league *league, smr_json *figures);

/* Fills what the scores tell (sum and all after it), and sorts: the best first, those that failed
 * last.  If all failed, only the order is defined. */
smr_status smr_compare_rank(smr_ctx *ctx, smr_contender *list, int64_t n,
                            const smr_league_rounds *of);
const char *smr_compare_verdict(const smr_contender *c, double confidence);

void smr_compare_note(void *notes, smr_log_level level, const char *message); /* a smr_log_fn */
smr_status smr_compare_tell_notes(smr_ctx *ctx, smr_notes *notes, int64_t n_models);
/* Adds "notes" [{models [], message}]: each sentence in full. */
void smr_compare_json_notes(const smr_notes *notes, smr_json *into);
void smr_compare_release_notes(smr_notes *notes);

/* The measure of the task's baseline, such as predicting the most frequent class: a figure per
 * round, NaN where the measure does not apply to it. */
smr_status smr_compare_baseline(smr_ctx *ctx, const smr_train_set *set, const smr_cv_plan *plan,
                                const smr_measure *measure, double *score);

#endif
