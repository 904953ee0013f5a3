/* stochastic_parts.h -- the machine between stochastic.c (steps, streams) and stochastic_fit.c. */
#ifndef SMR_LEARN_LINEAR_STOCHASTIC_PARTS_H
#define SMR_LEARN_LINEAR_STOCHASTIC_PARTS_H

#include "learn/linear/row.h"
#include "learn/linear/stochastic.h"

/* Numbers of its own at the head of the optimiser's array; then come the heads of the weights' and
 * the intercepts' states, their blocks, and with batches the gradient that waits. */
enum {
    OWN_ROWS,    /* learned                      */
    OWN_SQUARES, /* sum of weight (|x|^2 + 1)    */
    OWN_TARGETS, /* sum of |y|                   */
    OWN_WAITING, /* rows in the gradient         */
    OWN_COUNT
};

/* How a step is made: in parts of plain without l1; by lists of entries; on all weights. */
enum path { PATH_ROWS, PATH_LISTS, PATH_ALL };

struct machine {
    const smr_stochastic_opts *opts;
    smr_stochastic *model;
    const smr_loss *loss; /* as used: with one score for two classes */
    enum path path;
    int64_t d, q;
    double n_rows; /* of the fit; 0: a stream        */
    double lift;   /* makes `rate` the first step's  */
    double bend;   /* L                              */
    double *own;
    smr_sgd_state weights, intercepts;
    double *waiting;       /* q d + q, or NULL                       */
    double *x, *f, *slope; /* d; q; q                                */
    int32_t *list;         /* entries of a row for every score       */
    double *values;        /* and of its gradient                    */
    int64_t room;          /* entries of a row that `list` has room for */
    double *copy;          /* of the weights' block, where reading changes it */
    /* Of a fit. */
    bool wants_value;
    double value; /* sum of weighted losses, each before its step */
    double rate;  /* of the last step                             */
    smr_gradient_watch *watch;
};

/* n_rows 0: a stream.  passes: of the fit. */
smr_status smr_machine_open(smr_ctx *ctx, const smr_stochastic_opts *opts, smr_stochastic *model,
                            int64_t n_rows, struct machine *out);
/* Puts the heads back into the model. */
void smr_machine_close(struct machine *m);
smr_status smr_machine_learn(smr_ctx *ctx, struct machine *m, const smr_rows *rows,
                             const smr_truths *truths, double *scores);
/* Makes the step that waits, if there is one: the end of a pass. */
void smr_machine_flush(struct machine *m);
/* coef and intercept as they are now. */
void smr_machine_write(struct machine *m);
/* Do the rows look as if `standardize` had nothing to do?  Sparse rows are not for it. */
bool smr_machine_is_even(const struct machine *m, smr_form form);
/* The number that score c of row i is to come to: -1 or 1 for classes. */
double smr_machine_target(const struct machine *m, const smr_truths *truths, int64_t i, int64_t c);
/* Loss of a row at given scores: value, and the slope in each score.  label or y as the task has
 * it. */
double smr_machine_loss(const struct machine *m, const smr_truths *truths, int64_t i,
                        const double *f, bool wants_value, double *slope);
/* The same with kinks rounded over the width c (stochastic_finish.h); *exact: without. */
double smr_machine_rounded_loss(const struct machine *m, const smr_truths *truths, int64_t i,
                                const double *f, double width, double *slope, double *exact);
/* After a row of n entries: asks now and then whether the work is to stop, and shows how far it is
 * (what NULL: not); *work: 0 at first. */
smr_status smr_machine_pause(smr_ctx *ctx, const char *what, const struct machine *m, int64_t n,
                             double *work);

#endif
