/* svm_parts.h -- what the files of the learner svm share.
 *
 *     svm.c           parameters, state, the descriptor
 *     svm_check.c     what does not go together
 *     svm_linear.c    kernel=linear, for classes: one w for each score
 *     svm_solve.c     its problems with soft margins: two classes, many in one
 *     svm_hard.c      and with hard ones
 *     svm_interior.h  soft ones of tall rows, in svm_smooth.c and svm_interior.c
 *     svm_kernel.c    other kernels, numbers, one class: which machines there are, what is kept
 *     svm_points.c    what machines learn from
 *     svm_share.c     the values of K that machines of pairs have in common
 *     svm_machine.c   one machine: the dual problem that it is, and its figures
 *     svm_meet.c      why it has no hard margin
 *     svm_answer.c    prediction
 *     svm_describe.c  words
 *     svm_draw.c      pictures */
#ifndef SMR_LEARN_SVM_SVM_PARTS_H
#define SMR_LEARN_SVM_SVM_PARTS_H

#include "learn/kernels/kernel_points.h"
#include "learn/linear/design.h"
#include "math/optimize/dual.h"

#include <math.h>

/* In the order of their choices in svm.c. */
enum { SMR_SVM_AUTO, SMR_SVM_DUAL, SMR_SVM_PRIMAL, SMR_SVM_INTERIOR };
enum { SMR_SVM_MULTI_AUTO, SMR_SVM_OVA, SMR_SVM_OVO, SMR_SVM_SUM, SMR_SVM_MAX };
enum { SMR_SVM_HINGE, SMR_SVM_SQUARED_HINGE };
enum { SMR_SVM_SOFT, SMR_SVM_HARD };

struct smr_svm_params {
    smr_kernel kernel; /* first: smr_kernelled_texts */
    double C, l2;
    int loss, margin, multi, solver;
    double nu, epsilon;
    bool proba, fit_intercept;
    int class_weight;
    double tol;
    int64_t max_iter;
};

static inline bool smr_svm_is_hard(const struct smr_svm_params *p)
{
    return p->margin == SMR_SVM_HARD || (isnan(p->l2) && isinf(p->C));
}

static inline double smr_svm_C(const struct smr_svm_params *p)
{
    return smr_svm_is_hard(p) ? INFINITY : isnan(p->l2) ? p->C : 1 / p->l2;
}

/* The score of a class without rows: never the highest. */
#define SMR_SVM_ABSENT (-1e30)

/* What a machine learns. */
enum { SMR_SVM_CLASSES, SMR_SVM_NUMBERS, SMR_SVM_ONE };

/* n_scores > 0: a linear model; n_machines > 0: kernel machines over the points that are kept, or,
 * both, the one of numbers whose kernel is linear: its weights are kept in place of points. */
struct smr_svm_state {
    int64_t n_features, n_scores, n_parts, n_listed;
    double *coef, *intercept;
    double *objective, *gap, *margin;
    double *n_support, *n_met, *n_inside, *n_wrong;
    int64_t *listed;
    double *alpha;
    /* Machines: as many as there are parts. */
    int64_t n_machines, n_classes, learns, n_platt;
    int64_t *first, *second; /* classes 0 and 1 of each; first -1: all others; NULL: no classes */
    double *dual, *offset;   /* n_machines x n_points: y a of each; b                           */
    double *length, *tube;   /* |w|; half the width of what costs nothing (numbers)             */
    double *violation, *n_bounded;
    double *slope, *bias; /* n_platt: of the sigmoids; NULL: no probabilities */
    smr_kernel_points points;
};

static inline bool smr_svm_has_points(const struct smr_svm_state *s)
{
    return s->n_machines > 0 && s->n_scores == 0;
}

/* ---- kernel=linear, classes ---- */

/* Frees what fits make. */
void smr_svm_release(struct smr_svm_state *s);
smr_status smr_svm_fit_linear(smr_ctx *ctx, const struct smr_svm_params *p, const smr_data *data,
                              struct smr_svm_state *s, smr_fit_report *report);

typedef struct smr_svm_problem {
    const smr_data *data;
    const smr_held_rows *rows; /* NULL: the primal reads the data as they come */
    const smr_design *design;  /* of these rows: for the interior point method; else NULL */
    const double *weight;      /* n, with the classes' weights; NULL: all 1    */
    const double *shift;       /* n_features: what is taken off the rows; NULL: 0 */
    smr_loss_id loss;          /* SMR_LOSS_HINGE or SMR_LOSS_SQUARED_HINGE     */
    double l2;                 /* infinite: w = 0                              */
    bool is_hard, fit_intercept;
    bool is_warm; /* the primal begins at the w and b that it is given */
    double tol;
    int64_t max_iter;
} smr_svm_problem;

/* What one problem came to. */
typedef struct smr_svm_part {
    double objective, gap; /* in the units of l2 |w|^2 / 2 + losses; hard: |w|^2 / 2      */
    double margin;         /* the least y f (many classes: f_y - the next)                */
    double n_support;      /* rows that w is made of, weighted, as are these:             */
    double n_met;          /* slack 0                                                     */
    double n_inside;       /* 0 < slack <= 1: within the margin, on the right side        */
    double n_wrong;        /* slack > 1: on the wrong side                                */
    int64_t n_iter;
    bool converged;
    /* Machines. */
    double b, length, tube, violation, n_bounded;
    bool is_unbounded; /* no hard margin: these two points are the same to the kernel */
    int32_t pair[2];
} smr_svm_part;

/* A slack up to this counts as 0: rows on the margin are there to rounding and to tol. */
#define SMR_SVM_SLACK 1e-3

/* Class `one` (y = 1) against the others: w (n_features), *b.  alpha: n, or NULL. */
smr_status smr_svm_two(smr_ctx *ctx, const smr_svm_problem *p, int64_t one, double *w, double *b,
                       double *alpha, smr_svm_part *out);
/* All classes in one problem: W (n_classes x n_features), b (n_classes). */
smr_status smr_svm_many(smr_ctx *ctx, const smr_svm_problem *p, bool is_sum, double *W, double *b,
                        smr_svm_part *out);

/* *shift = the columns' means (n_features), to be freed, if dense rows lie far from 0, else NULL:
 * the intercept being free, the answer is the same, and the dual takes a fraction of the passes. */
smr_status smr_svm_shift(smr_ctx *ctx, const smr_held_rows *rows, double **shift);

/* True for dense rows that the interior point method solves in less time than the dual. */
bool smr_svm_is_tall(const smr_held_rows *rows);
/* The rows in the frame that it works in; they must stay where they are. */
smr_status smr_svm_frame(smr_ctx *ctx, const smr_held_rows *rows, bool fit_intercept,
                         smr_design *design);

/* ---- between the two files: svm_hard.c ---- */

/* "row 1 of class 'a' and row 3 of class 'b'": rows of the data. */
void smr_svm_say_pair(const smr_data *data, const int64_t pair[2], smr_text *text);
/* The rows as a problem for math/optimize/dual.h. */
smr_dual_problem smr_svm_rows(const smr_svm_problem *p, const double *y);
/* The separator of largest margin, or SMR_ERR_DATA with the rows that are in the way.  w has room
 * for n_features + 1. */
smr_status smr_svm_hard(smr_ctx *ctx, const smr_svm_problem *p, int64_t one, const double *y,
                        double *w, double *alpha, smr_svm_part *out);

/* ---- kernel machines: svm_points.c, svm_machine.c, svm_kernel.c ---- */

/* The points, each the first of the rows that are the same. */
typedef struct smr_svm_points {
    smr_kernel_set set;
    int32_t *row;   /* n: of the data                     */
    double *weight; /* n: with the classes' weights       */
    double *plain;  /* n: as the data have them           */
    /* Where they are in the order of their classes, else NULL: */
    int64_t n_classes;
    int32_t *start; /* n_classes + 1: the points of each  */
    float **within; /* n_classes: K between these; NULL   */
} smr_svm_points;

/* *out is zeroed before; close accepts that. */
smr_status smr_svm_points_open(smr_ctx *ctx, const struct smr_svm_params *p, const smr_data *data,
                               smr_svm_points *out);
void smr_svm_points_close(smr_svm_points *points);

/* The points `of` of all (n), as a matrix of their own. */
typedef struct smr_svm_view {
    smr_kernel_rows base; /* first: its functions find the rest by it */
    const smr_kernel_set *set;
    const int32_t *of;
    int64_t n_first;        /* they are two spans of all, the first of so many; 0: they are not */
    const float *within[2]; /* K between the points of a span, both or neither           */
} smr_svm_view;

smr_svm_view smr_svm_view_of(const smr_svm_points *points, const int32_t *of, int64_t n);

/* Between svm_points.c and svm_share.c.  Computes K within the classes, if that is for less than
 * so many bytes; *used: how many it took. */
smr_status smr_svm_share(smr_ctx *ctx, smr_svm_points *points, double bytes, double *used);
/* Of a view that has these values: as rows.block, of all columns or of some; at: which of all
 * points the rows are, and the columns. */
smr_status smr_svm_shared_rows(smr_ctx *ctx, const smr_svm_view *v, const int32_t *row,
                               int64_t n_rows, float *out, int64_t stride);
smr_status smr_svm_shared_block(smr_ctx *ctx, const smr_svm_view *v, const int32_t *point,
                                int64_t n, float *out, int64_t stride);

typedef struct smr_svm_machine {
    const smr_kernel_rows *rows;
    int learns;            /* SMR_SVM_CLASSES ...                                  */
    const double *y;       /* n: -1 or 1; numbers; NULL: one class                 */
    const double *weight;  /* n: of rows of weight 0 nothing is learned            */
    double C, nu, epsilon; /* nu NaN: not given                                   */
    double tol, cache;     /* bytes                                               */
    int64_t max_iter;
} smr_svm_machine;

/* coef (n): y a of each point; score (n): f without b, of all points, those of weight 0 too. */
smr_status smr_svm_machine_solve(smr_ctx *ctx, const smr_svm_machine *m, double *coef,
                                 double *score, smr_svm_part *out);

/* Where the points of a machine lie in the table. */
typedef struct smr_svm_names {
    const smr_data *data;
    const int32_t *row; /* of the data, of each point                  */
    const int32_t *of;  /* the points that are the machine's; NULL: all */
} smr_svm_names;

/* The row of a machine's point. */
static inline int64_t smr_svm_row(const smr_svm_names *names, int32_t point)
{
    return names->row[names->of ? names->of[point] : point];
}

/* From 1, in the table. */
static inline int64_t smr_svm_row_number(const smr_svm_names *names, int32_t point)
{
    int64_t i = smr_svm_row(names, point);
    return (names->data->rows ? names->data->rows[i] : i) + 1;
}

/* SMR_ERR_DATA with the rows that are in the way, if the classes cannot be separated as far as the
 * kernel's rounding lets one tell. */
smr_status smr_svm_check_hulls(smr_ctx *ctx, const smr_svm_machine *m, const smr_svm_names *names);

/* Is it learned by machines over points, and not as a linear model? */
bool smr_svm_is_kernel(const struct smr_svm_params *p, smr_task task);
smr_status smr_svm_fit_kernel(smr_ctx *ctx, const struct smr_svm_params *p, const smr_data *data,
                              struct smr_svm_state *s, smr_fit_report *report);
/* What all fits report. */
void smr_svm_tell(smr_ctx *ctx, const struct smr_svm_params *p, const struct smr_svm_state *s,
                  const smr_svm_part *part, smr_fit_report *report);
smr_status smr_svm_make_parts(smr_ctx *ctx, struct smr_svm_state *s);
void smr_svm_keep_part(struct smr_svm_state *s, int64_t k, const smr_svm_part *part);

/* ---- svm_check.c ---- */

extern const smr_choice smr_svm_multis[]; /* svm.c */
smr_status smr_svm_check_params(smr_ctx *ctx, const void *params);
/* The same, of what shows in a fit alone. */
smr_status smr_svm_check_fit(smr_ctx *ctx, const struct smr_svm_params *p);
smr_status smr_svm_check_state(smr_ctx *ctx, const void *params, const void *state,
                               const smr_shape *shape);

/* ---- svm_answer.c, svm_describe.c, svm_draw.c ---- */

smr_status smr_svm_draw(smr_ctx *ctx, const void *params, const void *state, const smr_feature *in,
                        int64_t n_in, const char *prefix, smr_json *figures);

smr_status smr_svm_answer(smr_ctx *ctx, const struct smr_svm_params *p,
                          const struct smr_svm_state *s, const smr_rows *rows, smr_output output,
                          double *out, void *scratch);
int64_t smr_svm_answer_scratch(const struct smr_svm_params *p, const struct smr_svm_state *s,
                               int64_t n);
smr_status smr_svm_describe(smr_ctx *ctx, const void *params, const void *state,
                            const smr_feature *in, int64_t n_in, smr_json *into);

#endif
