/* kernel_matrix.h -- the kernel matrix of a table, and whether it is one of a Mercer kernel. */
#ifndef SMR_STUDY_KERNEL_MATRIX_H
#define SMR_STUDY_KERNEL_MATRIX_H

#include "core/json.h"
#include "learn/model.h"

/* K (n x n) of the table's rows, owned by the caller; n is how many there are.  text: the
 * expression (learn/kernels/kernel_expr.h).  The columns are read as learners read them: categories
 * are coded, the target and what opts leave out are not features; gaps are refused.  *form: the
 * expression as it was understood, gamma as found; owned; NULL: not wanted. */
smr_status smr_kernel_matrix(smr_ctx *ctx, const smr_table *table, const char *text,
                             const smr_set_opts *opts, double **K, int64_t *n, char **form);

typedef struct smr_mercer {
    double asymmetry;         /* the largest |K_ij - K_ji|                        */
    int64_t row, column;      /* where, from 1                                   */
    double smallest, largest; /* eigenvalues of the symmetric part        */
    double least;             /* below which an eigenvalue is not 0 to rounding */
    bool symmetric, positive; /* exactly or to rounding                   */
} smr_mercer;

/* symmetric: to 1e-8 of the largest |K_ij|.  positive: no eigenvalue is below -n 2^-50 times the
 * one of largest magnitude, which is what rounding K and its factorisation may do. */
smr_status smr_mercer_of(smr_ctx *ctx, int64_t n, const double *K, smr_mercer *out);

/* Adds figure "kernel", a heat map; beyond `most` rows of the matrix some, evenly. */
void smr_kernel_figure(smr_ctx *ctx, int64_t n, const double *K, int64_t most, const char *title,
                       smr_json *figures);

#endif
