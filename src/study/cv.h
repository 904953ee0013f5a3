/* cv.h -- cross-validation: the same folds for every sentence.
 *
 * A plan says which rows each round fits on and which it measures on; it depends on the training
 * set, the options and the seed alone, so that several sentences get the same rounds.  A run fits
 * a sentence once per round, from the columns on, on that round's training rows only: nothing about
 * a measured row can reach the fit.  Rounds run in parallel; scores are the same bits at any thread
 * count.
 *
 *     kind      rounds                                measured on
 *     FOLDS     repeats x folds                       each fold in turn, fitted on the others
 *     EACH      rows, or groups                       one row (group) at a time
 *     ORDERED   folds - 1                             block p, fitted on all blocks before it
 *     HOLDOUT   repeats                               a random part, fitted on the rest          */
#ifndef SMR_STUDY_CV_H
#define SMR_STUDY_CV_H

#include "learn/model.h"
#include "metric/metric.h"

typedef enum smr_cv_kind {
    SMR_CV_FOLDS = 0,
    SMR_CV_EACH,
    SMR_CV_ORDERED,
    SMR_CV_HOLDOUT
} smr_cv_kind;

typedef struct smr_cv_opts {
    smr_cv_kind kind;
    int64_t folds;      /* 0: 5                                                             */
    int64_t repeats;    /* 0: 1                                                             */
    bool no_strata;     /* classes are spread evenly over the folds unless this is set      */
    double holdout;     /* HOLDOUT: share measured on; 0: 0.2                               */
    const double *time; /* ORDERED: one for each row of the table; NULL: rows are in order  */
} smr_cv_opts;

typedef struct smr_cv_plan smr_cv_plan;

/* More folds than rows or groups is an error that says how many there are.  The set must outlive
 * the plan. */
smr_status smr_cv_plan_create(smr_ctx *ctx, const smr_train_set *set, const smr_cv_opts *opts,
                              smr_cv_plan **out);
void smr_cv_plan_free(smr_cv_plan *plan);
int64_t smr_cv_rounds(const smr_cv_plan *plan);

/* Rows of the table, valid as long as the plan: `train` has room for smr_cv_most_train rows and is
 * filled; *test points into the plan. */
int64_t smr_cv_most_train(const smr_cv_plan *plan);
void smr_cv_round(const smr_cv_plan *plan, int64_t round, int64_t *train, int64_t *n_train,
                  const int64_t **test, int64_t *n_test);

typedef struct smr_cv_run_opts {
    bool keep_predictions; /* out-of-fold predictions of the first repetition, for tasks whose
                              predictions are joined (judge.h) */
    bool measure_train;    /* also on the rows that were fitted                             */
    bool rounds_only;      /* nothing pooled: `pooled` is NULL, and costs nothing           */
    int64_t first, n;      /* rounds [first, first + n); n 0: all                           */
    double train_share;    /* fit on this share of the round's rows, stratified (ORDERED: the
                               latest of them); 0: all                                       */
    const smr_measure *const *measures; /* only these, n_measures of them; NULL: all of the task
                                           except those on request */
    int64_t n_measures;
    /* With rounds_only and one measure: asked once the first `judged_after` rounds have scores; if
     * it says so, the others are not run.  0: never. */
    int64_t judged_after;
    bool (*is_hopeless)(const void *judge, const double *score);
    const void *judge;
    const smr_measure *also; /* with measures NULL: one more, before the others; NULL: none  */
} smr_cv_run_opts;

/* What a run gave.  Measures are those asked for, else in the order of smr_measures. */
typedef struct smr_cv_scores {
    int64_t n_rounds, n_measures;
    const smr_measure **measures;
    double *score;       /* n_rounds x n_measures, on the measured rows; NaN: undefined     */
    double *train_score; /* the same on the fitted rows, or NULL                            */
    double *pooled;      /* n_measures, of the predictions of all rounds of a repetition
                             together, mean over repetitions; where they are not joined, the mean
                             over rounds weighted by their rows                              */
    char *fitted;        /* the sentence as the first round fitted it, where stages were inserted;
                             else NULL                                                       */
    bool stopped;        /* is_hopeless said so: scores of later rounds are NaN             */
    int64_t *n_test;     /* n_rounds                                                        */
    double *fit_seconds, *predict_seconds; /* n_rounds                                       */
    smr_output output;  /* what `prediction` holds: PROBA, DECISION or VALUE                */
    int64_t width;      /* of `prediction`: classes, or targets                             */
    double *prediction; /* table rows x width, NaN where never measured, or NULL           */
    int32_t *round_of;  /* table rows: the round that measured it, -1: none; or NULL       */
} smr_cv_scores;

/* What a run calls its progress, in rounds. */
extern const char smr_cv_what[];

/* The first round that fails ends the run, with the round named in the message.  What the fits warn
 * of is reported once, when the run ends.  Memory: besides the table, one model for each round at
 * work and the predictions of the rounds; where the model keeps its training rows, rounds follow
 * one another and use the threads inside. */
smr_status smr_cv_run(smr_ctx *ctx, const smr_spec *spec, const smr_train_set *set,
                      const smr_cv_plan *plan, const smr_cv_run_opts *opts, smr_cv_scores *out);
void smr_cv_scores_release(smr_cv_scores *scores);
/* Position of a measure among the scores', or -1. */
int64_t smr_cv_find(const smr_cv_scores *scores, const char *name);

/* Mean, spread and interval of one measure over the rounds (undefined rounds left out). */
typedef struct smr_cv_summary {
    int64_t n;        /* rounds where it is defined                                        */
    double mean, sd;  /* sd with n - 1; NaN for n < 2                                      */
    double se;        /* standard error of the mean, corrected for overlapping training
                           rows (Nadeau and Bengio 2003): sd * sqrt(1/n + n_test/n_train)    */
    double low, high; /* mean -+ t(n - 1) * se at the given confidence, no further than the
                           measure goes                                                      */
} smr_cv_summary;

smr_cv_summary smr_cv_summarize(const smr_cv_plan *plan, const smr_cv_scores *scores,
                                int64_t measure, double confidence);
/* The same for any n figures, one per round, `stride` apart: differences between two sentences. */
smr_cv_summary smr_cv_summary_of(const double *x, int64_t n, int64_t stride, double test_over_train,
                                 double confidence);
/* Ends the interval where the measure ends: no accuracy above 1. */
void smr_cv_summary_bound(smr_cv_summary *summary, const smr_measure *measure);
/* Mean measured rows over mean fitted rows. */
double smr_cv_test_over_train(const smr_cv_plan *plan);

#endif
