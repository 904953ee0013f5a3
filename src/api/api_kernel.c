/* api_kernel.c -- kernel matrices of tables. */
#include "api/api_parts.h"
#include "core/text.h"
#include "study/kernel_matrix.h"

#include <string.h>

smr_status smr_table_kernel(smr_ctx *ctx, const smr_table *table, const char *kernel,
                            const char *ignore, double *K)
{
    smr_status st = SMR_OK;
    smr_set_opts opts = {.ignore = ignore};
    double *made = NULL;
    int64_t n = 0;
    smr_begin_call(ctx);
    if (!table || !kernel || !K)
        TRY(smr_fail(ctx, SMR_ERR_PARAM,
                     "a kernel matrix is made of a table, by a kernel such as \"rbf\", into room "
                     "for a number of every two rows: one of them is NULL"));
    TRY(smr_kernel_matrix(ctx, table, kernel, &opts, &made, &n, NULL));
    if (n != table->n_rows)
        TRY(smr_fail(ctx, SMR_ERR_DATA,
                     "%lld of %lld rows %s no label, which is taken for the target; ignore that "
                     "column",
                     (long long)(table->n_rows - n), (long long)table->n_rows,
                     smr_plural(table->n_rows - n, "has", "have")));
    memcpy(K, made, (size_t)(n * n) * sizeof *K);
out:
    smr_free(made);
    return st;
}

smr_status smr_kernel_is_mercer(smr_ctx *ctx, int64_t n, const double *K, bool *mercer,
                                double *asymmetry, double *smallest)
{
    smr_mercer found;
    smr_begin_call(ctx);
    if (n > 0 && !K)
        return smr_fail(ctx, SMR_ERR_PARAM, "the kernel matrix of %lld rows is NULL", (long long)n);
    smr_status st = smr_mercer_of(ctx, n, K, &found);
    if (st != SMR_OK) return st;
    if (mercer) *mercer = found.symmetric && found.positive;
    if (asymmetry) *asymmetry = found.asymmetry;
    if (smallest) *smallest = found.smallest;
    return SMR_OK;
}
