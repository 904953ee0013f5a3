/* tune_parts.h -- what the files of the search share: see tune.h. */
#ifndef SMR_STUDY_TUNE_PARTS_H
#define SMR_STUDY_TUNE_PARTS_H

#include "core/span.h"
#include "study/evaluate.h"
#include "study/space.h"
#include "study/trial_log.h"
#include "study/tune.h"

typedef enum smr_trial_state {
    SMR_TRIAL_WAITING = 0,
    SMR_TRIAL_DONE,
    SMR_TRIAL_FAILED
} smr_trial_state;

/* A sentence through all rounds, on a share of the rows. */
typedef struct smr_trial {
    int64_t number;               /* 1, 2, ...: its place in the space; 0: the start             */
    int64_t rung;                 /* halving: 0, 1, ...                                         */
    const smr_space_point *point; /* NULL: the sentence the search starts from                   */
    const smr_spec *spec;         /* NULL: refused, the error says why                          */
    const char *sentence;         /* the same, canonical                                        */
    double share;                 /* of each round's rows it is fitted on                       */
    smr_trial_state state;
    double *score;       /* one per round; NaN: undefined                                       */
    double mean, sd, se; /* over the rounds where it is defined; se = sd / sqrt n               */
    double seconds;      /* of all rounds                                                       */
    char *error;         /* FAILED                                                              */
    bool from_log;
} smr_trial;

typedef enum smr_search_kind { SMR_GRID, SMR_RANDOM, SMR_HALVING } smr_search_kind;

typedef struct smr_rung {
    double share;
    int64_t first, n; /* its trials */
} smr_rung;

enum { SMR_MOST_RUNGS = 16 };

typedef struct smr_tuning {
    const smr_train_set *whole; /* all rows of the data                                         */
    smr_train_set set;          /* those the search sees: borrowed from `whole` except rows      */
    int64_t *rows, n_test;      /* set.usable where a part is held out; the part's rows          */
    int64_t *test_rows;
    smr_cv_ask ask;
    smr_cv_plan *plan; /* NULL: scored on opts.validation_rows                                   */
    const smr_measure *measure;
    smr_tune_opts opts;
    smr_search_kind search;
    smr_space *space;
    smr_space_points points;
    int64_t n_rounds, n_trials;
    smr_span span; /* of all rounds of all trials                                                */
    smr_trial *trials; /* 0: the start; then rung by rung                                        */
    int64_t n_rungs;
    smr_rung rungs[SMR_MOST_RUNGS];
    smr_trial_log *log;
    double deadline;         /* smr_now; INFINITY: none                                         */
    _Atomic double reserved; /* seconds before it that the fits after the search will take        */
    bool fits_winner;        /* on all rows                                                      */
    bool out_of_time;        /* some trials were not finished                                    */
    bool told_late; /* the time was up before there was a result, and that is the message */
    bool untested;  /* nor was the winner measured on the rows that were held out        */
    const smr_trial *winner, *best; /* they differ where a simpler one is as good          */
    double seconds;
} smr_tuning;

/* ---- tune_score.c ---- */

/* Scores the trials that are waiting, in this order, until the deadline less what the fits after
 * the search will take.  A trial that fails keeps its message, one that was under way at the
 * deadline is waiting still; a failure is returned only when all must end. */
extern const char smr_tune_what[]; /* of progress, in rounds of trials */
smr_status smr_tune_score(smr_ctx *ctx, smr_tuning *t, smr_trial *const *trials, int64_t n);
/* The deciding measure of a model on a sample. */
smr_status smr_tune_measure(smr_ctx *ctx, const smr_tuning *t, const smr_model *model,
                            const smr_sample *sample, double *out, int64_t *n_used);
/* mean, sd, se from score. */
void smr_trial_summarize(smr_trial *trial, int64_t n_rounds);
/* Is a better than b?  Both are DONE; equal scores: the lower number. */
bool smr_trial_better(const smr_tuning *t, const smr_trial *a, const smr_trial *b);

/* ---- tune.c ---- */

/* The rounds of t->set; the search over t->points and its winner; what the two made. */
smr_status smr_tune_plan(smr_ctx *ctx, smr_tuning *t);
smr_status smr_tune_run(smr_ctx *ctx, smr_tuning *t);
void smr_tune_release_run(smr_tuning *t);
/* order[0 .. n): the rung's trials by their index, the best first, those without a score last. */
smr_status smr_tune_order(smr_ctx *ctx, const smr_tuning *t, int64_t rung, int64_t *order);

/* ---- tune_choose.c ---- */

/* The best of the trials on the largest share that has any; NULL if all failed. */
const smr_trial *smr_tune_best(const smr_tuning *t);
/* Finished trials with the winner's score, itself among them. */
int64_t smr_tune_ties(const smr_tuning *t);
/* The simplest of those equal to the best, or by the one-standard-error rule within one standard
 * error of it; smr_tune_can_simplify: some searched
 * parameter says which side is simpler. */
bool smr_tune_can_simplify(const smr_space *space);
smr_status smr_tune_simplest(smr_ctx *ctx, const smr_tuning *t, const smr_trial *best,
                             const smr_trial **out);

/* ---- tune_json.c, tune_figures.c ---- */

smr_status smr_tune_describe(smr_ctx *ctx, smr_tuning *t, smr_json *into);
/* Fits on the rows of the search, and measures on those it never saw: *value, and with `into` every
 * measure, intervals, and the sentence as fitted where something was inserted. */
smr_status smr_tune_unseen(smr_ctx *ctx, const smr_tuning *t, const smr_spec *spec, double *value,
                           int64_t *rows, smr_json *into);
void smr_tune_params(const smr_tuning *t, const smr_trial *trial, smr_json *into);
/* The whole search once more in each of several folds (tune_nested.c). */
smr_status smr_tune_nested(smr_ctx *ctx, const smr_tuning *t, smr_json *into);
smr_status smr_tune_figures(smr_ctx *ctx, const smr_tuning *t, smr_json *into);
/* What a dim is called in tables, and its value as a number: NaN where it is not a number, or not
 * read. */
const char *smr_dim_name(const smr_space *space, int64_t d);
double smr_dim_number(const smr_space *space, const smr_space_point *point, int64_t d);

#endif
