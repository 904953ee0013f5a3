/* kernel_points.h -- a fitted kernel: the points that a learner keeps, and K between them and rows.
 *
 * A learner embeds an smr_kernel_points in its state and has its rows in its state table:
 *
 *     struct p { smr_kernel kernel; ... };
 *     struct s { smr_kernel_points points; double *coef; ... };
 *     SMR_KERNELLED(struct p, struct s);
 *     static const smr_state state[] = {
 *         SMR_KERNEL_KEPT(struct s, points),
 *         {SMR_KEPT(struct s, coef), .dims = {"n_scores", "n_points"}, ...}, ...
 *
 * fit opens a set on the training data, solves over its `rows` (floats, by blocks) or its Gram
 * matrix in double, and keeps the points that matter.  predict applies coefficients to K.  Where
 * kernel and points come first, the functions smr_kernelled_... are the descriptor's.
 *
 * The value of K for two points does not depend on the block in which it is computed, nor on
 * threads, tier, memory or which of the two comes first: same bits.  Rows of prediction meet the
 * points as training points met each other: K(row i of the training data, point) has the bits of
 * the training block in the same precision.
 *
 * Numbers.  Of vectors x with n_features numbers the points are kept as floats or doubles, by the
 * precision that the learner asks for, dense, or sparse where the data are sparse and wide
 * (SMR_KERNEL_WIDE), or sparse enough for the kernel's products to be those of entries
 * (SMR_KERNEL_THIN).  Of dense points kernels of differences alone (rbf, laplacian) see x - c, c
 * the mean of the training rows; then |x - x'|^2 = |x|^2 + |x'|^2 - 2 x x' loses no digits that
 * matter: where in
 * float it would lose more than 2^-12 of K (a large gamma |x|^2), blocks of floats are
 * computed in double and rounded.
 *
 * Texts.  A string kernel reads the text column that it names, or the only one there is.  Every
 * text must be read by some word, and numbers must be: else fit refuses, naming the columns. */
#ifndef SMR_LEARN_KERNELS_KERNEL_POINTS_H
#define SMR_LEARN_KERNELS_KERNEL_POINTS_H

#include "learn/kernels/kernel_expr.h"
#include "math/kernel_rows.h"

/* Sparse points stay sparse from this many features on, and where no more than one number of
 * SMR_KERNEL_THIN is an entry. */
enum { SMR_KERNEL_WIDE = 2048, SMR_KERNEL_THIN = 4 };

typedef enum smr_kernel_precision { SMR_KERNEL_F32, SMR_KERNEL_F64 } smr_kernel_precision;

/* What a learner keeps; the arrays that it does not need are NULL. */
typedef struct smr_kernel_points {
    int64_t n;        /* points                                                        */
    int64_t d;        /* numbers of a point                                            */
    int64_t n_texts;  /* strings of a point                                            */
    int64_t n_words;  /* of the expression                                             */
    int64_t n_starts; /* n + 1 where they are sparse, else 0                           */
    int64_t n_entries;
    int64_t n_strings; /* n n_texts                                                    */
    double *gamma;     /* n_words: as the training data gave it; 0 where it has none   */
    double reach;      /* the largest |x|^2 of the training rows, after c              */
    double *center;    /* d: c; NULL: 0                                                */
    float *x_f32;      /* n x d                                                        */
    double *x_f64;
    int64_t *start; /* n_starts                                                        */
    int32_t *column;
    float *value_f32; /* n_entries                                                     */
    double *value_f64;
    int32_t *text_feature; /* n_texts: which feature, ascending                        */
    int32_t *text_number;  /* n_texts: which of the table's texts                      */
    int32_t *word_text;    /* n_words: which of the texts it reads, -1: numbers        */
    smr_strings strings;   /* of point 0, of point 1 ...                               */
    int32_t *place;        /* n: precomputed: the feature that is K(x, point)          */

    struct smr_kernel_ready *ready; /* what prepare builds */
} smr_kernel_points;

#define SMR_KERNEL_ROW_(since_, type_, points_, field_, name_, state_type_) \
    .since = (since_), .name = (name_), .type = (state_type_),              \
    .offset = offsetof(type_, points_.field_)

/* The rows of a state table; sizes for others: "n_points".  SINCE: in files of this version of the
 * learner and later ones.  All arrays are optional: a model that keeps no points, as of weights,
 * leaves them out. */
#define SMR_KERNEL_KEPT(T, P) SMR_KERNEL_KEPT_SINCE(0, T, P)
#define SMR_KERNEL_KEPT_SINCE(V, T, P)                                                           \
    {SMR_KERNEL_ROW_(V, T, P, n, "n_points", SMR_STATE_INT), .doc = "Points that are kept."},    \
        {SMR_KERNEL_ROW_(V, T, P, n_texts, "point_texts", SMR_STATE_INT), .most = "features",    \
         .doc = "Texts of a point."},                                                            \
        {SMR_KERNEL_ROW_(V, T, P, d, "point_numbers", SMR_STATE_INT), .most = "features",        \
         .doc = "Numbers of a point."},                                                          \
        {SMR_KERNEL_ROW_(V, T, P, n_words, "kernel_words", SMR_STATE_INT), .min = 0, .max = 256, \
         .doc = "Kernels in the expression."},                                                   \
        {SMR_KERNEL_ROW_(V, T, P, n_starts, "point_starts", SMR_STATE_INT),                      \
         .most = "n_points + 1", .doc = "n_points + 1 where the points are sparse, else 0."},    \
        {SMR_KERNEL_ROW_(V, T, P, n_entries, "point_entries", SMR_STATE_INT), .max = 0x1p53,     \
         .doc = "Entries of sparse points."},                                                    \
        {SMR_KERNEL_ROW_(V, T, P, n_strings, "point_strings", SMR_STATE_INT),                    \
         .is = "n_points * point_texts", .max = 0x1p53, .doc = "Texts of all points."},          \
        {SMR_KERNEL_ROW_(V, T, P, gamma, "kernel_gamma", SMR_STATE_F64S),                        \
         .with = "kernel_words",                                                                 \
         .dims = {"kernel_words"},                                                               \
         .optional = true,                                                                       \
         .reals = SMR_REALS_FROM_0,                                                              \
         .doc = "gamma of each kernel, as the training data gave it."},                          \
        {SMR_KERNEL_ROW_(V, T, P, reach, "kernel_reach", SMR_STATE_REAL),                        \
         .reals = SMR_REALS_FROM_0, .doc = "Largest squared length of a training row."},         \
        {SMR_KERNEL_ROW_(V, T, P, center, "point_center", SMR_STATE_F64S),                       \
         .dims = {"point_numbers"}, .optional = true, .reals = SMR_REALS_FINITE,                 \
         .doc = "What is subtracted from a row."},                                               \
        {SMR_KERNEL_ROW_(V, T, P, x_f32, "points_f32", SMR_STATE_F32S),                          \
         .dims = {"n_points", "point_numbers"}, .optional = true, .reals = SMR_REALS_FINITE,     \
         .doc = "The points, in single precision."},                                             \
        {SMR_KERNEL_ROW_(V, T, P, x_f64, "points_f64", SMR_STATE_F64S),                          \
         .dims = {"n_points", "point_numbers"}, .optional = true, .reals = SMR_REALS_FINITE,     \
         .doc = "The points, in double precision."},                                             \
        {SMR_KERNEL_ROW_(V, T, P, start, "point_start", SMR_STATE_I64S),                         \
         .dims = {"point_starts"},                                                               \
         .optional = true,                                                                       \
         .below = "point_entries",                                                               \
         .order = SMR_ORDER_STARTS,                                                              \
         .doc = "Sparse points: where the entries of each begin."},                              \
        {SMR_KERNEL_ROW_(V, T, P, column, "point_column", SMR_STATE_I32S),                       \
         .dims = {"point_entries"}, .optional = true, .below = "point_numbers",                  \
         .doc = "Feature of each entry."},                                                       \
        {SMR_KERNEL_ROW_(V, T, P, value_f32, "point_value_f32", SMR_STATE_F32S),                 \
         .dims = {"point_entries"}, .optional = true, .reals = SMR_REALS_FINITE,                 \
         .doc = "Value of each entry, in single precision."},                                    \
        {SMR_KERNEL_ROW_(V, T, P, value_f64, "point_value_f64", SMR_STATE_F64S),                 \
         .dims = {"point_entries"}, .optional = true, .reals = SMR_REALS_FINITE,                 \
         .doc = "Value of each entry, in double precision."},                                    \
        {SMR_KERNEL_ROW_(V, T, P, text_feature, "text_feature", SMR_STATE_I32S),                 \
         .with = "point_texts",                                                                  \
         .dims = {"point_texts"},                                                                \
         .optional = true,                                                                       \
         .below = "features",                                                                    \
         .order = SMR_ORDER_ASCENDS,                                                             \
         .doc = "Which feature a text is."},                                                     \
        {SMR_KERNEL_ROW_(V, T, P, text_number, "text_number", SMR_STATE_I32S),                   \
         .with = "point_texts", .dims = {"point_texts"}, .optional = true,                       \
         .doc = "Which of the table's texts it is."},                                            \
        {SMR_KERNEL_ROW_(V, T, P, word_text, "word_text", SMR_STATE_I32S),                       \
         .with = "kernel_words",                                                                 \
         .dims = {"kernel_words"},                                                               \
         .optional = true,                                                                       \
         .min = -1,                                                                              \
         .below = "point_texts",                                                                 \
         .doc = "Which text each kernel reads; -1: numbers."},                                   \
        {SMR_KERNEL_ROW_(V, T, P, strings, "point_string", SMR_STATE_STRINGS),                   \
         .with = "point_strings",                                                                \
         .dims = {"point_strings"},                                                              \
         .optional = true,                                                                       \
         .raw = true,                                                                            \
         .doc = "The texts of the points."},                                                     \
    {                                                                                            \
        SMR_KERNEL_ROW_(V, T, P, place, "point_place", SMR_STATE_I32S),                          \
            .dims = {"n_points"}, .optional = true, .below = "features",                         \
            .doc = "Precomputed: the feature that holds K with it."                              \
    }

/* ---- training ---- */

/* All rows of the training data, as points, and K between them.  precision: of what is kept, and of
 * prediction. */
typedef struct smr_kernel_set {
    smr_kernel_rows rows; /* first: its functions find the set by it; floats */
    const smr_kernel *kernel;
    smr_kernel_points points;
} smr_kernel_set;

/* who: the learner, for messages.  NaN, negative numbers under chi2, a precomputed matrix that is
 * not square or not symmetric, and columns that no kernel reads are refused by name.  *out is
 * zeroed before; close accepts that. */
smr_status smr_kernel_open(smr_ctx *ctx, const char *who, const smr_kernel *kernel,
                           const smr_data *data, smr_kernel_precision precision,
                           smr_kernel_set *out);
void smr_kernel_close(smr_kernel_set *set);
/* The same in two steps, between which the points can be made fewer or put in another order; then
 * row, of point i the row in the data, is for messages. */
smr_status smr_kernel_collect(smr_ctx *ctx, const char *who, const smr_kernel *kernel,
                              const smr_data *data, smr_kernel_precision precision,
                              smr_kernel_set *out);
smr_status smr_kernel_start(smr_ctx *ctx, const char *who, smr_kernel_set *set, const int32_t *row);

/* Multiplications that a value of K takes, about. */
double smr_kernel_cost(const smr_kernel_set *set);

/* Warns where the matrix of some of the points has an eigenvalue below 0, unless the expression
 * shows that it cannot; then: what follows from it. */
smr_status smr_kernel_warn(smr_ctx *ctx, const char *who, const smr_kernel_set *set,
                           const char *then);

/* K (n x n, row i at K + i * ld) in double, on all threads; full, exactly symmetric.  Sets of
 * either precision: the points' own is what counts. */
smr_status smr_kernel_gram(smr_ctx *ctx, const smr_kernel_set *set, double *K, int64_t ld);
/* The same for chosen points: out[a * stride + b] = K(row[a], column[b]); NULL: 0, 1, ... */
smr_status smr_kernel_block(smr_ctx *ctx, const smr_kernel_set *set, const int32_t *row,
                            int64_t n_rows, const int32_t *column, int64_t n_columns, double *out,
                            int64_t stride);
/* out[a * stride + b] = K(row[a], first + b), as set->rows gives it. */
smr_status smr_kernel_span(smr_ctx *ctx, const smr_kernel_set *set, const int32_t *row,
                           int64_t n_rows, int64_t first, int64_t n, float *out, int64_t stride);
/* K(i, i) of all points in double. */
smr_status smr_kernel_diagonal(smr_ctx *ctx, const smr_kernel_set *set, double *out);

/* Keeps n of the points, in the order of index, in a learner's state; index NULL: all, moved out of
 * the set, which can then only be closed. */
smr_status smr_kernel_keep(smr_ctx *ctx, smr_kernel_set *set, const int32_t *index, int64_t n,
                           smr_kernel_points *out);

/* Of points of numbers alone (neither texts nor a precomputed matrix): first[i] = the first point
 * that is the same as point i, bit for bit, and whose mark is. */
bool smr_kernel_is_of_numbers(const smr_kernel_set *set);
smr_status smr_kernel_twins(smr_ctx *ctx, const smr_kernel_set *set, const double *mark,
                            int32_t *first);
/* Leaves these n alone, in this order, of points that are not started.  Values of K keep their
 * bits. */
smr_status smr_kernel_narrow(smr_ctx *ctx, smr_kernel_set *set, const int32_t *index, int64_t n);

/* ---- a stream ---- */

/* No points yet, of rows of this shape: in double, without a centre, sparse where there are
 * SMR_KERNEL_WIDE features and no texts.  A gamma that rows would have to tell, and a matrix that
 * is given, are refused. */
smr_status smr_kernel_begin(smr_ctx *ctx, const char *who, const smr_kernel *kernel,
                            const smr_shape *shape, smr_kernel_points *out);
/* Row i of a block becomes the last point; point i goes.  Of points in double, which are to be
 * prepared again after it. */
smr_status smr_kernel_add(smr_ctx *ctx, const char *who, const smr_kernel *kernel,
                          const smr_rows *rows, int64_t i, smr_kernel_points *points);
void smr_kernel_drop(smr_kernel_points *points, int64_t i);

/* ---- after fit and load ---- */

/* For prepare, release and check of the contract.  release frees what prepare built alone: the
 * arrays belong to the state table. */
smr_status smr_kernel_prepare(smr_ctx *ctx, const smr_kernel *kernel, smr_kernel_points *points);
void smr_kernel_release(smr_kernel_points *points);
smr_status smr_kernel_check(smr_ctx *ctx, const char *who, const smr_kernel *kernel,
                            const smr_kernel_points *points, const smr_shape *shape);
/* The form in which predict likes its rows. */
smr_form smr_kernel_form(const smr_kernel_points *points);

/* For the descriptor of a learner whose parameters begin with the kernel and whose state begins
 * with the points. */
#define SMR_KERNELLED(P, S)                                                 \
    _Static_assert(offsetof(P, kernel) == 0 && offsetof(S, points) == 0 &&  \
                       sizeof((P *)0)->kernel == sizeof(smr_kernel) &&      \
                       sizeof((S *)0)->points == sizeof(smr_kernel_points), \
                   "smr_kernelled_... find the kernel and the points there")
smr_status smr_kernelled_prepare(smr_ctx *ctx, const void *params, void *state);
smr_status smr_kernelled_check(smr_ctx *ctx, const void *params, const void *state,
                               const smr_shape *shape);
void smr_kernelled_release(void *state);
smr_form smr_kernelled_form(const void *state);
void smr_kernelled_nature(const void *params, smr_nature *its);
const char *smr_kernelled_texts(const void *params);

/* ---- prediction: serial, on prepared points, rows in any form that is taken ---- */

/* Bytes of scratch for blocks of up to n rows, and n_outputs for smr_kernel_apply. */
int64_t smr_kernel_scratch(const smr_kernel *kernel, const smr_kernel_points *points, int64_t n,
                           int64_t n_outputs);
/* out[i * n_outputs + c] = sum_j K(row i, point j) coef[c * n_points + j], summed in double, in
 * blocks of points. */
smr_status smr_kernel_apply(smr_ctx *ctx, const smr_kernel *kernel, const smr_kernel_points *points,
                            const smr_rows *rows, const double *coef, int64_t n_outputs,
                            double *out, void *scratch);
/* out[i * stride + j - lo] = K(row i, point j), lo <= j < hi; lo is a multiple of 32. */
smr_status smr_kernel_cross(smr_ctx *ctx, const smr_kernel *kernel, const smr_kernel_points *points,
                            const smr_rows *rows, int64_t lo, int64_t hi, double *out,
                            int64_t stride, void *scratch);
/* out[i] = K(row i, row i). */
smr_status smr_kernel_self(smr_ctx *ctx, const smr_kernel *kernel, const smr_kernel_points *points,
                           const smr_rows *rows, double *out, void *scratch);

#endif
