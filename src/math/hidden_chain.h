/* hidden_chain.h -- hidden Markov chains: likelihood, likeliest path, chances of each state.
 *
 *     P(s, o) = start[s_1] prod_t move[s_{t-1}][s_t] prod_t P(o_t | s_t)
 *
 * A chain is read in blocks of steps, and of the tables of a sequence only the rows between two
 * blocks are kept; what a block needs is computed again from them.  So a sequence of T steps and n
 * states takes some T n / 1000 numbers, whatever is asked, and the blocks of one sequence can be
 * worked on at the same time.  A sequence of several blocks is begun at both ends at once.  Blocks
 * are cut by the numbers of steps and states alone.
 *
 * Rows of sums are divided by their sum at every step, and logarithms of these add up to the
 * log-likelihood.  A step that would leave nothing above 1e-200 is computed in logarithms; a step
 * that no state can have made counts as a gap, and the log-likelihood is -infinity.
 *
 * References: Rabiner, Proceedings of the IEEE 77 (1989); Viterbi, IEEE Transactions on Information
 * Theory 13 (1967). */
#ifndef SMR_MATH_HIDDEN_CHAIN_H
#define SMR_MATH_HIDDEN_CHAIN_H

#include "core/ctx.h"

/* Rows are `width` long, states and padding: 0, or -infinity for logarithms. */
typedef struct smr_hidden {
    int64_t n, width;
    double *start, *move, *back;             /* width; n x width; the same with rows as columns */
    double *log_start, *log_move, *log_back; /* their logarithms                                */
    double *gap, *log_gap;                   /* width: what a step without evidence says        */
} smr_hidden;

smr_status smr_hidden_create(smr_ctx *ctx, int64_t n, smr_hidden **out);
/* start: n; move: n x n. */
void smr_hidden_set(smr_hidden *h, const double *start, const double *move);
/* Accepts NULL. */
void smr_hidden_free(smr_hidden *h);
/* Steps of a block. */
int64_t smr_hidden_block_length(int64_t width);

/* How likely the states make what is seen at rows [lo, hi), hi - lo <= a block. */
typedef struct smr_hidden_seen {
    const void *of;
    int64_t width, room; /* of a row; bytes of work that a call needs for each row */
    /* row[i]: width densities of row lo + i, times exp(-shift[i]), or their logarithms, for which
     * there is no shift. */
    void (*tell)(const void *of, int64_t lo, int64_t hi, bool logs, void *room, const double **row,
                 double *shift);
} smr_hidden_seen;

/* What all steps of a block say, for smr_hidden_visit. */
typedef struct smr_hidden_block {
    int lane;                /* of smr_parallel: for scratch                              */
    int64_t sequence, lo, n; /* its rows are lo .. lo + n - 1                             */
    bool is_first;           /* of its sequence                                           */
    int64_t n_moves;         /* n, or n - 1 in the last block                             */
    const double *posterior; /* n x width: P(state | sequence) times the sequence's weight */
    const double *from, *to; /* rows t, n_moves of them: P(i to j | sequence) times weight is
                                 move_ij from_ti to_tj                                     */
} smr_hidden_block;

typedef struct smr_hidden_run smr_hidden_run;

/* Sequence q is rows border[q] .. border[q+1] - 1; an empty one is likely 1, and has no steps. What
 * is given must outlive the run; h may be set anew between calls. */
smr_status smr_hidden_open(smr_ctx *ctx, const smr_hidden *h, const smr_hidden_seen *seen,
                           int64_t n_sequences, const int64_t *border, smr_hidden_run **out);
/* Accepts NULL. */
void smr_hidden_close(smr_hidden_run *run);

/* log_likelihood: one for each sequence. */
smr_status smr_hidden_score(smr_ctx *ctx, smr_hidden_run *run, double *log_likelihood);
/* path[row - border[0]]: the state of each row on the likeliest path of its sequence. */
smr_status smr_hidden_path(smr_ctx *ctx, smr_hidden_run *run, int32_t *path);

/* Calls `block` for every block; those of one task come in their order, one at a time.  weight: of
 * each sequence; NULL: 1.  log_likelihood: as above. */
typedef smr_status (*smr_hidden_visitor)(smr_ctx *ctx, void *arg, int64_t task,
                                         const smr_hidden_block *block);
smr_status smr_hidden_visit(smr_ctx *ctx, smr_hidden_run *run, int64_t n_tasks,
                            const double *weight, smr_hidden_visitor block, void *arg,
                            double *log_likelihood);

#endif
