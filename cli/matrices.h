/* matrices.h -- tables of numbers as matrices, for the commands that compute with them. */
#ifndef SMR_CLI_MATRICES_H
#define SMR_CLI_MATRICES_H

#include "args.h"
#include "core/json.h"

struct matrix {
    int64_t n_rows, n_cols;
    double *x; /* row-major, owned */
};

/* A table without a header, unless --header yes. */
smr_status matrices_read(smr_ctx *ctx, const args *a, const char *path, struct matrix *m);
smr_status matrices_need_square(smr_ctx *ctx, const struct matrix *m, const char *what);
/* Adds the rows as arrays.  st: of what computed them; where that failed, nothing is added. */
smr_status matrices_add_rows(smr_ctx *ctx, smr_status st, smr_json *into, const char *key,
                             const double *x, int64_t n_rows, int64_t n_cols);

#endif
