/* objective_parts.h -- the inside of objective.h, shared by its files. */
#ifndef SMR_LEARN_LINEAR_OBJECTIVE_PARTS_H
#define SMR_LEARN_LINEAR_OBJECTIVE_PARTS_H

#include "core/parallel.h"
#include "data/by_column.h"
#include "kernel/kernel.h"
#include "learn/linear/held_rows.h"
#include "learn/linear/objective.h"

enum { SMR_LINEAR_STRIPS = 256 }; /* columns whose sums are one task */

/* Room of one lane: a block's scores and slopes, and, where entries are squeezed, its entries. */
struct smr_linear_lane {
    double *score, *slope; /* block x k */
    double *value;         /* block     */
    double *top, *sum;     /* block: of softmax */
    int64_t *start;        /* block + 1 */
    int32_t *column;       /* block x d + 16, or NULL */
    double *entry;         /* the same, or NULL */
    double *square;        /* block x d (dense) or d + 8 (sparse) */
    double *strips;        /* SMR_LINEAR_STRIPS x turned: by_columns, or NULL */
};

struct smr_linear_objective {
    smr_objective function;
    const char *learner;
    const smr_data *data;
    smr_held_rows rows;
    const smr_loss *loss;
    double param, l2;
    bool fit_intercept, pinned, pinned_weights, is_checked;
    bool has_fresh; /* `fresh` is of the variables `seen`, and prepare has not taken it */
    int64_t n, d, k;
    const double *y, *weight;
    const int32_t *label;
    double *own_y;

    smr_form form;
    bool squeezes;        /* dense rows are turned into entries */
    int64_t turned;       /* > 0: weights lie column by column, this many numbers each */
    bool lies_in_place;   /* dense rows are read where they lie, one after the other */
    int64_t block, chunk; /* rows */
    int64_t part;         /* rows of a block that are evaluated together: one score, dense */
    int64_t every, run;   /* only every `every`-th run of rows is taken; 1: all rows */
    int64_t n_chunks;
    bool by_columns;       /* sums are taken from `columns` and `slopes`, not chunk by chunk   */
    int64_t wide, stride;  /* numbers: weights of a chunk's sums; all of them: + b, value */
    double *partial;       /* n_chunks x stride */
    smr_by_column columns; /* by_columns: the entries once more                           */
    double *slopes;        /* n x turned: of the rows, padding 0                          */
    double *weights;       /* d x turned: where they are turned */
    double *sums;          /* k d + k */
    double *seen;          /* the variables of the last evaluation: second order */
    double *fresh, *curve; /* n (x k): of the last evaluation; of the point prepared */
    bool wants_hessian;    /* of the next point that is evaluated                     */
    double *found, *at;    /* n x n, n: a Hessian, and its point; NULL: none yet      */
    bool has_found;
    struct smr_linear_lane *lanes;
    int n_lanes;
};

/* Rows [lo, hi), at most a block, as the kernels take them: dense doubles, or entries. */
smr_status smr_linear_rows(smr_ctx *ctx, const smr_linear_objective *o, int lane, int64_t lo,
                           int64_t hi, smr_rows *out);

/* The blocks of rows that a chunk takes: the first at or after lo, and how far it is to the
 * next. */
static inline int64_t smr_linear_step(const smr_linear_objective *o)
{
    return o->every > 1 ? o->run * o->every : o->block;
}

static inline int64_t smr_linear_first(const smr_linear_objective *o, int64_t lo)
{
    int64_t step = smr_linear_step(o);
    return o->every > 1 ? (lo + step - 1) / step * step : lo;
}

static inline int64_t smr_linear_end(const smr_linear_objective *o, int64_t lo, int64_t end)
{
    return SMR_MIN(end, lo + (o->every > 1 ? o->run : o->block));
}

static inline double smr_linear_weight(const smr_linear_objective *o, int64_t i)
{
    return o->weight ? o->weight[i] : 1;
}

/* What a pass makes of a block of rows: see objective_pass.c. */
enum smr_linear_work {
    SMR_LINEAR_EVALUATE, /* value and gradient at w            */
    SMR_LINEAR_TIMES,    /* Hessian at the prepared point by w */
    SMR_LINEAR_DIAGONAL, /* its diagonal                       */
    SMR_LINEAR_SCORES,   /* scores at w                        */
    SMR_LINEAR_SUM,      /* of the rows, by weight             */
    SMR_LINEAR_SQUARES   /* of the rows' squares               */
};

/* The dense Hessian while it is added up (objective_hessian.c). */
struct smr_linear_room;
struct smr_linear_curving {
    const smr_linear_objective *o;
    const double *curve;        /* n (x k): where the curvatures are */
    int64_t width, ld, n_pairs; /* columns; of Z, rows begin where a cache line does */
    int64_t group, n_tasks;     /* chunks of a task; tasks */
    double *G;                  /* n_tasks x n_pairs x width x width, upper triangles */
    struct smr_linear_room *rooms;
    int n_rooms;
};

smr_status smr_linear_curving_open(smr_ctx *ctx, smr_linear_objective *o, const double *curve,
                                   struct smr_linear_curving *j);
/* The rows, a block at most, of one of the task's chunks. */
void smr_linear_curving_add(const struct smr_linear_curving *j, int lane, int64_t task,
                            const smr_rows *rows);
void smr_linear_curving_settle(const struct smr_linear_curving *j, double *H);
/* Accepts a zeroed one. */
void smr_linear_curving_close(struct smr_linear_curving *j);

/* The value and the gradient of (1)'s first part at w as smr_linear_pass gives them, and its
 * Hessian into its place, in one pass. */
smr_status smr_linear_pass_curved(smr_ctx *ctx, smr_linear_objective *o, const double *w,
                                  double *sums, double *value, double *H);

/* One pass over all rows.  sums (k d + k) receives the gradient, product or diagonal of (1)'s first
 * part, value its value; or scores (n x k) are filled.  What is not wanted is NULL. */
smr_status smr_linear_pass(smr_ctx *ctx, smr_linear_objective *o, enum smr_linear_work work,
                           const double *w, double *sums, double *value, double *scores);

/* H of (1)'s first part into its place (objective_hessian.c). */
smr_status smr_linear_hessian(smr_ctx *ctx, smr_linear_objective *o, double *H);

#endif
