/* design.h -- the design matrix of some data, read a block of rows at a time, by all threads.
 *
 * Row i is z_i = ((x_i - shift) * scale, 1): the kept columns at comparable size, then a one for
 * the intercept where there is one; p numbers.  Sparse rows stay sparse and are not shifted.
 * Nothing but blocks of rows is copied: lanes x 2 x SMR_ROWS_BLOCK x p numbers.  The data is read
 * again for each pass.  Where no column's mean is large against its spread, dense rows are read
 * where they lie, and shift and scale are applied to what is multiplied with them.
 *
 * A pass cuts the rows into chunks that depend on their number alone; each chunk sums into a
 * partial result of its own, and these are added in order: same bits at any thread count. */
#ifndef SMR_LEARN_LINEAR_DESIGN_H
#define SMR_LEARN_LINEAR_DESIGN_H

#include "learn/linear/held_rows.h"

typedef struct smr_design {
    smr_held_rows rows;
    int64_t n, p, n_kept;
    bool intercept, sparse;
    bool direct;           /* dense rows are not shaped */
    int64_t *kept;         /* n_kept columns of the data                        */
    int32_t *place;        /* sparse: a column's position among the kept, or -1 */
    double *shift, *scale; /* n_kept                                            */
    double *blocks;        /* lanes x 2 x SMR_ROWS_BLOCK x p                           */
    int64_t work_size;
    char *work; /* lanes x work_size: for the product kernel                    */
} smr_design;

/* Rows [first, first + n), at most SMR_ROWS_BLOCK. */
typedef struct smr_design_block {
    const smr_design *design;
    int64_t first, n;
    const double *z; /* n x p; NULL: sparse, or direct            */
    smr_rows rows;   /* as the reader gives them                  */
    double *scratch; /* dense: SMR_ROWS_BLOCK x p                 */
    void *work;
} smr_design_block;

/* All columns, neither shifted nor scaled, until smr_design_frame or smr_design_drop. */
smr_status smr_design_open(smr_ctx *ctx, const smr_data *data, bool intercept, smr_design *out);
void smr_design_close(smr_design *design);
/* shift = mean, scale = 1 / (root mean square from it, a power of two near it), both of some blocks
 * of the rows; scale 1 for a constant column. */
smr_status smr_design_frame(smr_ctx *ctx, smr_design *design);
/* Always fails: it names the value that is not finite, or says that sums overflow. */
smr_status smr_design_explain(smr_ctx *ctx, const smr_design *design);
/* Leaves out these columns of the data, ascending. */
void smr_design_drop(smr_design *design, int64_t n, const int64_t *columns);

/* ---- one block ---- */
/* out[r] = z_r' beta; sums (k x p) += sum_r u[r * k + c] z_r for c < k <= SMR_SUMS_MOST, in one
 * reading of the rows; upper triangle of G (p x p) += sum_r weight[r] z_r z_r', rows of weight 0
 * skipped. */
enum { SMR_SUMS_MOST = 4 };
void smr_block_scores(const smr_design_block *b, const double *beta, double *out);
void smr_block_sums(const smr_design_block *b, int64_t k, const double *u, double *sums);
void smr_block_gram(const smr_design_block *b, const double *weight, double *G);

/* ---- all rows ---- */
/* Called for every block of rows; adds to `partial`, `width` numbers of its chunk. */
typedef void (*smr_design_fn)(void *arg, const smr_design_block *block, double *partial);
/* out (width) = the sum of all partial results; width 0: there are none.  `skip`, if any, says
 * which blocks need not be read. */
smr_status smr_design_pass(smr_ctx *ctx, const smr_design *design, smr_design_fn fn,
                           bool (*skip)(const void *arg, int64_t lo, int64_t hi), void *arg,
                           int64_t width, double *out);
/* out (n) = Z beta. */
smr_status smr_design_scores(smr_ctx *ctx, const smr_design *design, const double *beta,
                             double *out);
/* out (p) = Z' u. */
smr_status smr_design_sums(smr_ctx *ctx, const smr_design *design, const double *u, double *out);
/* G (p x p, symmetric) = Z' diag(weight) Z; sums (p) = Z' u. */
smr_status smr_design_gram(smr_ctx *ctx, const smr_design *design, const double *weight,
                           const double *u, double *G, double *sums);
/* Upper triangle of G (p x p) = sum over these rows, ascending, of weight z z'; for rows that are
 * few among all. */
smr_status smr_design_gram_of(smr_ctx *ctx, const smr_design *design, int64_t n,
                              const int64_t *rows, const double *weight, double *G);
/* z (p) = row i.  Not for several threads at once. */
smr_status smr_design_row(smr_ctx *ctx, const smr_design *design, int64_t i, double *z);

/* beta of the design <-> coefficients w (all columns of the data; 0 for those left out) and b. */
void smr_design_coef(const smr_design *design, const double *beta, double *w, double *b);
void smr_design_beta(const smr_design *design, const double *w, double b, double *beta);

/* Cholesky of a symmetric G (p x p) that should be positive definite, as G + mu diag G, mu the
 * first of 0, 1e-14, 1e-12 ... 1 that leaves no pivot below 1e-13 of its diagonal; *mu is -1 if
 * none does.  L (p x p) receives the factor. */
smr_status smr_design_factor(smr_ctx *ctx, int64_t p, const double *G, double *L, double *mu);
/* x = (L L')^-1 x. */
smr_status smr_design_solve(smr_ctx *ctx, int64_t p, const double *L, double *x);
/* C (p x p) = H^-1 G H^-1 with H = G + l2 on the columns' own scale (not on the intercept); G's
 * upper triangle is read.  *mu as above.  Rows and columns of C are NaN where the data do not
 * determine the coefficient. */
smr_status smr_design_inverse_between(smr_ctx *ctx, const smr_design *design, const double *G,
                                      double l2, double *C, double *mu);

/* Warns "learner: 2 of 6 columns add nothing to the others: 'e', 'f'. " and `what`. */
smr_status smr_design_warn_columns(smr_ctx *ctx, const char *learner, const smr_data *data,
                                   int64_t n, const int64_t *columns, const char *what);

#endif
