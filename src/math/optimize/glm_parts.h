/* glm_parts.h -- what the files glm_*.c share: the local quadratic (1) of glm_columns.c. */
#ifndef SMR_MATH_OPTIMIZE_GLM_PARTS_H
#define SMR_MATH_OPTIMIZE_GLM_PARTS_H

#include "math/optimize/column_sums.h"
#include "math/optimize/elastic_gap.h"
#include "math/optimize/run.h"

#include <math.h>

/* A sparse column; its rows ascend. */
struct smr_glm_column {
    int64_t n;
    const int32_t *row;
    const double *value;
};

struct smr_glm_chunk;

/* The columns that are copied out of sparse rows; see glm_rows.c. */
struct smr_glm_picked {
    int64_t n_parts; /* of the rows                                    */
    double *sums;    /* n_parts x d                                    */
    int32_t *count;  /* n_parts x d: entries that a part has of a column */
    bool is_counted;
    int32_t *place; /* d: a column's number among the copied ones, or -1 */
    struct smr_glm_column *column;
    int64_t n, first_new;         /* copied columns; those from first_new on are being copied ... */
    int64_t *at;                  /* ... to n_parts x (n - first_new) places ...                  */
    struct smr_glm_chunk *chunks; /* ... of the first of these                            */
};

/* G = X_A' diag(h) X_A of some columns A, with the offset's after them; see glm_matrix.c. */
struct smr_glm_matrix {
    int64_t k, d;      /* columns in A; with the offset's */
    bool *is_in;       /* of all columns: is it in A?     */
    int64_t *index, q; /* A, the q heavy columns first    */
    double *G, *K;     /* d x d; K: room for it factored  */
};

struct smr_glm_work {
    struct smr_run run;
    const smr_glm *m;
    int64_t n, d;
    struct smr_glm_picked picked;
    double *l1, *l2, *b, *g, *D, *curve; /* d: g = x_j's, curve of (1)      */
    double *z, *z_new, *s, *h, *values;  /* n                                   */
    double *along; /* n: X D; before, while dense columns are swept, v         */
    struct smr_glm_row {
        double v, h;
    } * row;           /* n: of sparse columns, side by side as they are read; else NULL */
    int64_t *index, k; /* the columns that may move: all that are not 0, and some more   */
    double offset, D_offset, f, enough;
    struct smr_glm_matrix gram; /* k = 0: none */
    bool serves;                /* did its last step go well? */
};

/* How many sweeps it takes to gain no more than `goal` in one, if gains go on as from `before` to
 * `gained`. */
static inline double smr_glm_sweeps_left(double before, double gained, double goal)
{
    return gained < before ? smr_log(gained / goal) / smr_log(before / gained) : INFINITY;
}

/* ---- glm_rows.c ---- */

smr_status smr_glm_rows_open(smr_ctx *ctx, struct smr_glm_work *t);
void smr_glm_rows_close(struct smr_glm_work *t);
/* t->g = X's of all columns. */
smr_status smr_glm_slopes(smr_ctx *ctx, struct smr_glm_work *t);
/* z += X b, of all columns. */
void smr_glm_scores(struct smr_glm_work *t, const double *b, double *z);
/* Copies those of the columns t->index that are not yet copied; if there are any, and `ahead`,
 * those too that are near to moving. */
smr_status smr_glm_pick(smr_ctx *ctx, struct smr_glm_work *t, bool ahead);

/* Are the entries of column j at hand? */
static inline bool smr_glm_has_column(const struct smr_glm_work *t, int64_t j)
{
    return !t->m->sparse || t->picked.place[j] >= 0;
}

/* Of sparse columns. */
static inline struct smr_glm_column smr_glm_column(const struct smr_glm_work *t, int64_t j)
{
    const smr_columns *X = t->m->X;
    if (t->m->sparse) return t->picked.column[t->picked.place[j]];
    int64_t lo = X->start[j];
    return (struct smr_glm_column){X->start[j + 1] - lo, X->row + lo, X->value + lo};
}

/* ---- glm_local.c ---- */

/* Does the matrix serve on, and are nearly all columns in play among its own? */
bool smr_glm_keeps_gram(const struct smr_glm_work *t);
/* D = about the minimum of (1); z_new its t.  By a matrix that is kept, or made: its columns are in
 * play too, afterwards. */
smr_status smr_glm_solve_local(smr_ctx *ctx, struct smr_glm_work *t);

/* ---- glm_matrix.c ---- */

smr_status smr_glm_matrix_make(smr_ctx *ctx, const struct smr_glm_work *t,
                               struct smr_glm_matrix *m);
/* Accepts an empty one. */
void smr_glm_matrix_release(struct smr_glm_matrix *m);

/* ---- glm_gram.c ---- */

/* Is it worth going on with the Gram matrix of the columns that may move? */
bool smr_glm_has_gram(const struct smr_glm_work *t);
/* D and D_offset = about the minimum of (1) over the columns A of t->gram, from where they are: up
 * to `gap` in its value, or a hundredth of what the first sweep gains.  slope (d) and of_offset:
 * the slopes of (1) where D of A and D_offset are 0. */
smr_status smr_glm_gram(smr_ctx *ctx, struct smr_glm_work *t, const double *slope, double of_offset,
                        double gap);

#endif
