/* apart.c -- see apart.h. */
#include "data/apart.h"

#include "core/parallel.h"

#include <string.h>

enum { BLOCK = 1024 };

struct moving {
    const smr_table *from;
    smr_column *to; /* those that are copied have values of their own */
};

static bool is_mixed(const smr_column *c)
{
    return c->dtype == SMR_F64 && c->stride > 1;
}

/* A block of rows of all columns: what is fetched for one of them serves the others. */
static smr_status move_block(smr_ctx *ctx, void *arg, int64_t block, int lane)
{
    const struct moving *m = arg;
    int64_t lo = block * BLOCK, hi = SMR_MIN(m->from->n_rows, lo + BLOCK);
    (void)ctx, (void)lane;
    for (int64_t j = 0; j < m->from->n_cols; j++) {
        const smr_column *c = &m->from->cols[j];
        const double *x = c->values;
        double *y = m->to[j].values;
        if (!is_mixed(c)) continue;
        for (int64_t i = lo; i < hi; i++) y[i] = x[i * c->stride];
    }
    return SMR_OK;
}

smr_status smr_apart_open(smr_ctx *ctx, const smr_table *table, smr_apart *out)
{
    smr_status st = SMR_OK;
    int64_t n = 0;
    *out = (smr_apart){.table = *table};
    for (int64_t j = 0; j < table->n_cols; j++) n += is_mixed(&table->cols[j]);
    if (n < 2 || (double)n * (double)table->n_rows * 8 > SMR_APART_BYTES) return SMR_OK;
    TRY_NEW(out->cols, table->n_cols);
    memcpy(out->cols, table->cols, (size_t)table->n_cols * sizeof *out->cols);
    out->values = smr_alloc_raw(ctx, n * table->n_rows, sizeof *out->values);
    if (!out->values) TRY(SMR_ERR_NOMEM);
    double *next = out->values;
    for (int64_t j = 0; j < table->n_cols; j++) {
        if (!is_mixed(&table->cols[j])) continue;
        out->cols[j].values = next;
        out->cols[j].stride = 1;
        next += table->n_rows;
    }
    struct moving m = {.from = table, .to = out->cols};
    TRY(smr_parallel(ctx, NULL, smr_block_count(table->n_rows, BLOCK), move_block, &m));
    out->table.cols = out->cols;
out:
    return st;
}

void smr_apart_close(smr_apart *apart)
{
    smr_free(apart->cols);
    smr_free(apart->values);
    *apart = (smr_apart){0};
}
