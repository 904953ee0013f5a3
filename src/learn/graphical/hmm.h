/* hmm.h -- hidden Markov models: parameters, state, emissions, and the parts of their fit. */
#ifndef SMR_LEARN_GRAPHICAL_HMM_H
#define SMR_LEARN_GRAPHICAL_HMM_H

#include "kernel/chain_kernels.h"
#include "learn/learner.h"
#include "math/hidden_chain.h"

enum { SMR_HMM_MOST = 1024, SMR_HMM_MIXTURES = 64 };                /* states; parts of a mixture */
enum { SMR_HMM_DIAGONAL, SMR_HMM_FULL };                            /* covariance                 */
enum { SMR_HMM_ANY, SMR_HMM_FORWARD, SMR_HMM_STEP, SMR_HMM_CYCLE }; /* moves */
enum { SMR_HMM_VITERBI, SMR_HMM_POSTERIOR };                        /* decode                     */

#define SMR_HMM_FLOOR 1e-4 /* of variances, unless it is given */

struct smr_hmm_params {
    int64_t k;
    double smoothing;
    int covariance;
    int64_t mixtures;
    int moves;
    char *allow;
    int decode;
    int64_t restarts, max_iter;
    double tol, floor;
};

/* The model's tables.  Levels of all columns of symbols stand side by side: those of column c are
 * first[c] .. first[c+1] - 1.  d numbers, m parts of each state's mixture. */
struct smr_hmm_state {
    int64_t n_states, is_labelled;
    int64_t n_symbols, n_levels, n_numbers, n_mix;
    int64_t n_spread;      /* numbers of a part's variances or covariances: d or d d            */
    int64_t n_starts;      /* n_symbols + 1                                                     */
    int64_t *first;        /* n_starts                                                          */
    int32_t *symbol;       /* n_symbols: features that are symbols, ascending                   */
    int32_t *number;       /* n_numbers: the others                                             */
    double *start, *move;  /* n_states; n_states x n_states: P(next = j | now = i)              */
    double *emit;          /* n_states x n_levels: P(level | state), for each column            */
    double *mix;           /* n_states x n_mix: weights                                         */
    double *mean, *spread; /* n_states x n_mix x n_numbers; x n_spread                          */
    double *share;         /* n_states: of the training steps                                   */
    double log_likelihood; /* of the training sequences                                         */
    int64_t n_sequences, n_steps;
    int64_t n_curve;
    double *curve; /* n_curve: the objective after each iteration */
    int64_t n_names;
    smr_strings names; /* of labelled states; none where states are numbered */
    struct smr_hmm_emits *emits;
    smr_hidden *chain; /* both built by prepare */
};

/* ---- emissions: hmm_emit.c -------------------------------------------------------------- */

/* How the tables of a state are read fast.  Built once, filled for each new set of tables. */
struct smr_hmm_emits {
    const struct smr_hmm_state *s;
    int64_t width;
    bool is_full;
    double *table, *log_table; /* n_levels x width: by level            */
    double *scale;             /* parts x n_spread: 1 / sd, or L^-1 with L L' the covariance      */
    double *peak;          /* parts: log of the weight times the density at the mean           */
    double *log_scale;     /* parts x n_numbers: log(scale) - log(2 pi)/2; diagonal            */
    double *gap, *log_gap; /* width                                                            */
    /* One diagonal covariance for each state: states as lanes, for rows without gaps.  d is 0 for
     * others. */
    smr_normals normals;
    double *lanes; /* the block that its tables lie in */
};

smr_status smr_hmm_emits_create(smr_ctx *ctx, const struct smr_hmm_state *s, bool is_full,
                                struct smr_hmm_emits **out);
void smr_hmm_emits_free(struct smr_hmm_emits *e);
/* Reads the tables of the state; a covariance that is not positive definite is SMR_ERR_NUMERIC. */
smr_status smr_hmm_emits_fill(smr_ctx *ctx, struct smr_hmm_emits *e);

/* Rows of all features as doubles, codes of categories among them; NaN: a gap. */
struct smr_hmm_steps {
    const struct smr_hmm_emits *emits;
    const double *x;
    int64_t stride;
};

/* The emissions of these rows, for a run over them; `steps` stays where it is. */
smr_hidden_seen smr_hmm_seen(const struct smr_hmm_steps *steps);
/* The numbers of n rows from lo on as rows, *ld apart, for emits->normals; room: n x n_numbers,
 * used where they do not lie side by side.  NULL: some are missing or infinite, or there are no
 * normals. */
const double *smr_hmm_plain(const struct smr_hmm_steps *steps, int64_t lo, int64_t n, double *room,
                            int64_t *ld);
/* For n rows from lo on: X (n_numbers x n) = the numbers by columns; returns whether some is
 * missing. */
bool smr_hmm_numbers(const struct smr_hmm_steps *steps, int64_t lo, int64_t n, double *X);
/* out (n): log of weight and density of part p, at the columns of X.  gaps: some are missing. */
void smr_hmm_part(const struct smr_hmm_emits *e, int64_t p, const double *X, int64_t n, bool gaps,
                  double *out);

/* ---- counts: hmm_count.c ---------------------------------------------------------------- */

/* What is counted in the steps, by posteriors or by labels. */
struct smr_hmm_counts {
    double *start;       /* width                                                              */
    double *move;        /* width x width: to be multiplied by the probabilities of the moves  */
    double *emit;        /* n_levels x width                                                   */
    double *state;       /* width: steps                                                       */
    double *part;        /* parts: steps with numbers                                          */
    double *seen;        /* parts x n_numbers: steps with this number                          */
    double *sum, *cross; /* parts x n_numbers, parts x n_spread: of x - mean, and products     */
    /* Of rows whose numbers are read in lanes; smr_hmm_counts_settle adds them to the others. */
    double *lane_state;             /* width                                                   */
    double *lane_sum, *lane_square; /* n_numbers x width                                       */
    double *all; /* the block that these lie in                                        */
    int64_t n;   /* its numbers                                                        */
};

/* Room that counting a block of n rows needs. */
struct smr_hmm_counting {
    double *X, *z, *share;    /* d x n, d x n, n_mix x n */
    double *weight, *product; /* n                    */
};

smr_status smr_hmm_counts_create(smr_ctx *ctx, const struct smr_hmm_state *s, int64_t width,
                                 struct smr_hmm_counts *out);
void smr_hmm_counts_release(struct smr_hmm_counts *c);
smr_status smr_hmm_counting_create(smr_ctx *ctx, const struct smr_hmm_state *s, int64_t n,
                                   struct smr_hmm_counting *out);
void smr_hmm_counting_release(struct smr_hmm_counting *c);
/* Emissions of n rows from lo on, posterior (n x width) saying how much of each state. */
void smr_hmm_count_rows(const struct smr_hmm_steps *steps, int64_t lo, int64_t n,
                        const double *posterior, struct smr_hmm_counting *work,
                        struct smr_hmm_counts *to);

/* ---- fit -------------------------------------------------------------------------------- */

struct smr_hmm_fit {
    const struct smr_hmm_params *params;
    const smr_data *data;
    struct smr_hmm_state *s;
    smr_fit_report *report;
    smr_hidden *chain;
    struct smr_hmm_emits *emits;
    struct smr_hmm_steps steps;
    smr_hidden_seen seen;
    smr_hidden_run *run;
    double *x;                /* rows x features                                                */
    bool *allowed;            /* n_states x n_states: moves                                     */
    bool *begins;             /* n_states: may be the first                                     */
    double *weight;           /* of each sequence                                               */
    double *likely;           /* of each sequence: log-likelihood                               */
    double *mean, *deviation; /* n_numbers: of all rows                                       */
    double *levels;           /* n_levels: shares of all rows                                   */
    bool is_scored;           /* `likely` is that of the tables as they are                     */
    double total;             /* weight of all steps                                            */
    int64_t n_tasks;
    struct smr_hmm_counts *counts;     /* of each task  */
    struct smr_hmm_counting *counting; /* of each lane; NULL arrays: not made yet */
    struct smr_hmm_counts sum;
};

/* hmm_count.c: all counts become those of the first; then lanes are added to parts. */
void smr_hmm_counts_add(struct smr_hmm_counts *counts, int64_t n);
void smr_hmm_counts_settle(const struct smr_hmm_emits *e, struct smr_hmm_counts *c);
/* hmm_fit.c */
smr_status smr_hmm_fit(smr_ctx *ctx, const void *params, const smr_data *data, void *state,
                       smr_fit_report *report);
/* hmm_moves.c: which moves are allowed, and where a path may begin. */
smr_status smr_hmm_allow(smr_ctx *ctx, const struct smr_hmm_params *p, const smr_strings *classes,
                         int64_t n, bool *allowed, bool *begins);
/* The states that a path can come to. */
void smr_hmm_reach(int64_t n, const double *start, const double *move, bool *reached);
/* "rainy", or "state 2". */
void smr_hmm_state_name(const smr_strings *classes, int64_t j, char *name, size_t room);
/* hmm_start.c: tables to begin EM with. */
smr_status smr_hmm_start(smr_ctx *ctx, struct smr_hmm_fit *f, int64_t attempt);
/* hmm_update.c: the tables that the counts make likeliest; and the penalty of smoothing. */
smr_status smr_hmm_update(smr_ctx *ctx, struct smr_hmm_fit *f, const struct smr_hmm_counts *c);
double smr_hmm_prior(const struct smr_hmm_fit *f);

/* hmm_draw.c: as smr_can_draw says. */
smr_status smr_hmm_draw_rows(smr_ctx *ctx, const void *params, const void *state,
                             const smr_drawing *of, double *x, int32_t *hidden);

/* ---- what it learned: hmm_describe.c ---------------------------------------------------- */

smr_status smr_hmm_describe(smr_ctx *ctx, const void *params, const void *state,
                            const smr_feature *in, int64_t n_in, smr_json *into);
/* The moves of n states as cells of a figure, with how sequences begin. */
smr_status smr_hmm_draw_moves(smr_ctx *ctx, const struct smr_hmm_state *s, smr_json *figure);
smr_status smr_hmm_draw(smr_ctx *ctx, const void *params, const void *state, const smr_feature *in,
                        int64_t n_in, const char *prefix, smr_json *figures);

/* ---- step by step: hmm_trace.c ---------------------------------------------------------- */

/* A pass of EM, after which the objective is `value`: start and pass, from 0 and 1. */
smr_status smr_hmm_tell_pass(smr_ctx *ctx, const struct smr_hmm_fit *f, int64_t start, int64_t pass,
                             double value);
/* As smr_can_trace says; rows: those of a sequence. */
smr_status smr_hmm_tell_sequence(smr_ctx *ctx, const void *params, const void *state,
                                 const smr_rows *rows, smr_trace *trace);

#endif
