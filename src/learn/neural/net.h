/* net.h -- the learner net: its parameters, its state, and the parts of its fit.
 *
 * net.c          parameters, state, predictions, descriptor
 * net_fit.c      before and after the steps: targets, parts, memory, weights
 * net_rows.c     the rows as floats, batches of them, changed pictures
 * net_sequences.c   rows that are steps of sequences
 * net_loss.c     what a batch's answers cost, and how they are judged
 * net_train.c    the steps: order, rates, stopping
 * net_full.c     L-BFGS on all rows at once
 * net_kept.c     what a checkpoint keeps
 * net_describe.c, net_draw.c   what inspect tells and shows
 * net_seen.c     what each layer makes of a row */
#ifndef SMR_LEARN_NEURAL_NET_H
#define SMR_LEARN_NEURAL_NET_H

#include "learn/learner.h"
#include "math/loss.h"
#include "nn/begin.h"
#include "nn/update.h"

/* ---- parameters ------------------------------------------------------------------------- */

enum smr_net_loss {
    SMR_NET_AUTO,
    SMR_NET_SQUARED,
    SMR_NET_ABSOLUTE,
    SMR_NET_HUBER,
    SMR_NET_CROSS_ENTROPY,
    SMR_NET_HINGE_SUM,
    SMR_NET_HINGE_MAX,
    SMR_NET_LOSSES
};

enum smr_net_way {
    SMR_NET_SGD,
    SMR_NET_MOMENTUM,
    SMR_NET_NESTEROV,
    SMR_NET_ADAGRAD,
    SMR_NET_RMSPROP,
    SMR_NET_ADAM,
    SMR_NET_ADAMW,
    SMR_NET_LBFGS,
    SMR_NET_METHODS
};

enum smr_net_schedule {
    SMR_NET_CONSTANT,
    SMR_NET_INVERSE,
    SMR_NET_ROOT,
    SMR_NET_STEP,
    SMR_NET_PLATEAU,
    SMR_NET_COSINE,
    SMR_NET_SCHEDULES
};

enum smr_net_memory { SMR_NET_SEQUENCE, SMR_NET_WINDOW };

struct smr_net_params {
    smr_nn_chains layers;
    int loss, method, schedule, init, class_weight, memory;
    double rate, momentum, b1, b2, eps, offset, drop, warmup, clip, tol, validation, decay_l1,
        noise;
    smr_reals decay, input;
    int64_t epochs, batch, period, patience, shift, steps;
    bool flip;
};

/* What the rate is where it is 0. */
double smr_net_rate(const struct smr_net_params *p);
smr_step_kind smr_net_step_kind(const struct smr_net_params *p);

/* ---- state ------------------------------------------------------------------------------ */

/* A net that can answer: a copy of the sentence's layers, laid out. */
struct smr_net {
    smr_nn_chains layers;
    smr_nn_graph graph;
    smr_nn_machine *machine; /* predicts; NULL until it is made */
    /* Of sequences: they may be cut anywhere; and the same net of a single step, with the weights
     * of the first, or NULL. */
    bool carries;
    smr_nn_graph single;
    smr_nn_machine *stepper;
};

struct smr_net_state {
    int64_t n_features, n_classes, n_targets;
    int64_t n_scores; /* that the net gives: of the classes that have rows */
    int64_t height, width, channels;
    int64_t steps;          /* of a window, where rows are steps of sequences; 0: each is alone */
    int32_t *place;         /* n_classes: number among those that have rows, or -1 */
    double *center, *scale; /* n_targets */
    smr_tensors weights;
    int64_t n_epochs; /* done */
    int64_t best;   /* after which the weights are those that are kept; n_epochs but for patience */
    int64_t n_held; /* rows kept apart */
    int64_t batch;
    double *train_loss, *train_error, *rates; /* n_epochs */
    double *held_loss, *held_error;           /* n_epochs; NULL */
    int64_t n_nodes, n_looks;
    /* Root mean squares at the first batch, and at the last epoch's first: 2 x n_nodes. */
    double *answers, *slopes;
    struct smr_net *net; /* not saved */
};

/* The item that comes in: from the parameter input, else the data's shape, else a vector. */
smr_status smr_net_item(smr_ctx *ctx, const struct smr_net_params *p, int64_t n_features,
                        const int64_t shape[4], smr_nn_item *item);
smr_status smr_net_open(smr_ctx *ctx, const struct smr_net_params *p, smr_nn_item item,
                        int64_t n_scores, struct smr_net **out);
/* Accepts NULL. */
void smr_net_close(struct smr_net *net);
/* Does the last layer answer what is asked: each row once? */
smr_status smr_net_check_answer(smr_ctx *ctx, const smr_nn_graph *graph, int64_t steps);
smr_nn_item smr_net_state_item(const struct smr_net_state *s);

smr_status smr_net_fit(smr_ctx *ctx, const void *params, const smr_data *data, void *state,
                       smr_fit_report *report);
extern const smr_can_resume smr_net_resume;

smr_status smr_net_describe(smr_ctx *ctx, const void *params, const void *state,
                            const smr_feature *in, int64_t n_in, smr_json *into);
smr_status smr_net_pictures(smr_ctx *ctx, const void *params, const void *state,
                            const smr_feature *in, int64_t n_in, const char *prefix,
                            smr_json *figures);

/* Rows lo .. lo + n - 1 as floats, one after the other: where they lie, or in `to`. */
const float *smr_net_floats(const smr_rows *rows, int64_t lo, int64_t n, float *to);
smr_status smr_net_layers(smr_ctx *ctx, const void *params, const void *state, const smr_rows *rows,
                          smr_layer_see see, void *arg);

/* ---- sequences (net_sequences.c) --------------------------------------------------------- */

/* What training takes at a time: a row, or some rows of a sequence one after the other. */
struct smr_net_windows {
    int64_t n, steps;
    int64_t *lo; /* n + 1: first rows, and the number of rows; NULL: each row is alone */
    /* Of each window, of its sequence: the first row, and the one after the last. */
    int64_t *begin, *end;
};

/* In an epoch of training windows of longer sequences begin elsewhere. */
struct smr_net_slide {
    uint64_t seed;
    int64_t epoch;
};

/* Rows of a window; 0: the rows are alone. */
int64_t smr_net_steps(const struct smr_net_params *p, const smr_data *data);
smr_status smr_net_windows_open(smr_ctx *ctx, const smr_data *data, int64_t steps,
                                struct smr_net_windows *out);
void smr_net_windows_release(struct smr_net_windows *windows);
/* Rows begin .. end - 1 are window i. */
int64_t smr_net_window_begin(const struct smr_net_windows *windows, int64_t i);
int64_t smr_net_window_end(const struct smr_net_windows *windows, int64_t i);

/* Some windows as rows for smr_net_rows_gather and smr_net_judge: -1 where a window is over. */
struct smr_net_taken {
    const int64_t *number;
    int64_t n, counted;     /* of them rows */
    const int32_t *lengths; /* of the windows; NULL: rows are alone */
};

/* slide NULL: windows stay.  rows: room for n x steps; lengths: for n. */
struct smr_net_taken smr_net_windows_take(const struct smr_net_windows *windows,
                                          const struct smr_net_slide *slide, const int64_t *unit,
                                          int64_t n, int64_t *rows, int32_t *lengths);

/* Takes the scores of row `at` of a block. */
typedef smr_status smr_net_scores_fn(smr_ctx *ctx, const struct smr_net_state *s,
                                     const smr_rows *rows, int64_t at, const float *scores,
                                     void *to);
int64_t smr_net_sequences_scratch(const struct smr_net_state *s, int64_t n);
smr_status smr_net_sequences_predict(smr_ctx *ctx, const struct smr_net_state *s,
                                     const smr_rows *rows, smr_net_scores_fn *put, void *to,
                                     void *scratch);

/* ---- the rows of a fit (net_rows.c) ------------------------------------------------------ */

/* All rows as floats or bytes, in memory: where they lie, or a copy. */
struct smr_net_rows {
    const void *x;
    bool is_bytes;
    int64_t stride;
    void *own; /* NULL: a view */
};

/* Bytes that a copy takes; 0: none is needed. */
double smr_net_rows_bytes(const smr_data *data);
/* Fails, naming row and column, on a value that is not finite as a float. */
/* gaps: NaN are taken, as unknown symbols. */
smr_status smr_net_rows_open(smr_ctx *ctx, const smr_data *data, bool gaps,
                             struct smr_net_rows *out);
void smr_net_rows_release(struct smr_net_rows *rows);
/* Number j of row i. */
double smr_net_number(const struct smr_net_rows *rows, int64_t i, int64_t j);
/* How training changes its rows: a function of (seed, epoch, number of the row). */
struct smr_net_change {
    smr_nn_item item;
    int64_t shift; /* pixels at the most, up or down and to a side; 0s come in */
    bool flip;     /* left and right, every other time                         */
    double noise;  /* deviation of what is added to each number                */
    uint64_t seed;
    int64_t epoch;
};

struct smr_net_batch {
    const int64_t *number; /* of the rows; -1: a row of 0s */
    int64_t n, d;
    smr_real real;
    void *to;                            /* one row after the other       */
    const struct smr_net_change *change; /* of floats; NULL: as they are  */
};

smr_status smr_net_rows_gather(smr_ctx *ctx, const struct smr_net_rows *rows,
                               const struct smr_net_batch *batch);

/* ---- losses (net_loss.c) ----------------------------------------------------------------- */

struct smr_net_target {
    const smr_loss *loss;
    double param;
    int64_t k;            /* scores of a row                     */
    const int32_t *label; /* classes; margins: 1 is the second   */
    double *y;            /* numbers: rows x k, centred, scaled; owned */
    double *weight;       /* of mean 1; NULL: all 1; owned */
    const double *scale;  /* numbers: k */
};

struct smr_net_sums {
    double loss, wrong, weight; /* wrong: weight of mistakes, or sum of squared errors */
};

/* The answers to n rows: scores, n x k.  slopes (or NULL) become the derivatives of their losses
 * divided by `rows`. */
struct smr_net_said {
    smr_real real;
    int64_t n;
    const int64_t *number; /* of the rows; -1: none, whose slopes are left */
    const void *scores;
    double rows;
    void *slopes;
};

/* Adds to the sums. */
smr_status smr_net_judge(smr_ctx *ctx, const struct smr_net_target *target,
                         const struct smr_net_said *said, struct smr_net_sums *sums);
/* The share of mistakes, or the root of the mean squared error in the target's units. */
double smr_net_error(const struct smr_net_target *target, const struct smr_net_sums *sums);

/* ---- a fit ------------------------------------------------------------------------------- */

/* Where training is: a function of (sentence, data, seed, step). */
struct smr_net_at {
    int64_t epoch, batch;     /* epochs done; batches of this one */
    struct smr_net_sums sums; /* of this epoch                    */
};

struct smr_net_fit {
    const struct smr_net_params *p;
    const smr_data *data;
    struct smr_net_state *s;
    smr_fit_report *report;
    struct smr_net
        *net; /* its machine judges the rows kept apart, with the weights of the trainer */
    smr_nn_machine *trainer;
    smr_nn_updater up;
    struct smr_net_rows rows;
    struct smr_net_target target;
    /* What is taken at a time: rows, or windows of sequences. */
    struct smr_net_windows windows;
    int64_t n, n_held, batch, batches; /* trained on; of a step at the most; in an epoch */
    int64_t *trained, *held, *order;   /* their numbers */
    int64_t *drawn;                    /* of a batch    */
    int64_t *fitted, n_fitted;         /* rows that are trained on */
    int64_t *drawn_rows;               /* of a batch, for smr_net_windows_take */
    int32_t *lengths;
    void *x;    /* a batch         */
    char *room; /* judging: a lane's scratch, and its rows */
    int64_t room_bytes;
    float *best; /* weights of the best epoch; NULL: the last counts */
    struct smr_net_at at;
    /* As it was when it was last marked: what a checkpoint keeps. */
    struct smr_net_at then;
    float *w_then, *v_then, *u_then, *best_then;
    int64_t best_epoch_then;
    double marked;
};

/* The steps: by batches, or L-BFGS. */
smr_status smr_net_train(smr_ctx *ctx, struct smr_net_fit *f);
smr_status smr_net_full(smr_ctx *ctx, struct smr_net_fit *f);
/* The loss or an answer is not finite: names the layer, and says what helps. */
smr_status smr_net_diverged(smr_ctx *ctx, const struct smr_net_fit *f, const smr_nn_machine *m,
                            int64_t step);
/* Loss and error of the rows kept apart, with the trainer's weights. */
smr_status smr_net_judge_held(smr_ctx *ctx, struct smr_net_fit *f, struct smr_net_sums *sums);
/* Root mean squares of the batch that was done last, as look number 0 or 1. */
void smr_net_look(const struct smr_net_fit *f, int64_t look);

#endif
