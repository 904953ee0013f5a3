/* store.c -- see store.h.
 *
 * Blocks of rows are computed side by side, each into entries of its own; then they are copied one
 * behind the other, and each is freed as soon as it is copied. */
#include "learn/store.h"

#include "core/parallel.h"

#include <string.h>

enum { BLOCK = 512 };

struct storing {
    const smr_data *data;
    smr_reader **readers; /* one a lane */
    smr_entries *parts;   /* one a block */
    smr_store *store;
};

static smr_status keep_rows(smr_ctx *ctx, const smr_rows *rows, smr_entries *out)
{
    smr_status st = SMR_OK;
    int64_t lo = rows->start[0], n = rows->start[rows->n] - lo;
    TRY(smr_entries_begin(ctx, out, rows->n));
    TRY(smr_entries_reserve(ctx, out, n));
    memcpy(out->column, rows->column + lo, (size_t)n * sizeof *out->column);
    memcpy(out->value, rows->value + lo, (size_t)n * sizeof *out->value);
    for (int64_t i = 0; i < rows->n; i++) out->start[i + 1] = rows->start[i + 1] - lo;
    out->n_rows = rows->n;
    out->n = n;
out:
    return st;
}

static smr_status compute_block(smr_ctx *ctx, void *arg, int64_t block, int lane)
{
    const struct storing *s = arg;
    smr_status st = SMR_OK;
    smr_rows rows;
    int64_t lo = block * BLOCK, hi = smr_block_end(s->data->n_rows, BLOCK, block);
    if (!s->readers[lane])
        TRY(smr_reader_open(ctx, s->data, SMR_FORM_SPARSE, BLOCK, &s->readers[lane]));
    TRY(smr_reader_rows(ctx, s->readers[lane], lo, hi, &rows));
    TRY(keep_rows(ctx, &rows, &s->parts[block]));
out:
    return st;
}

static smr_status copy_block(smr_ctx *ctx, void *arg, int64_t block, int lane)
{
    const struct storing *s = arg;
    smr_entries *e = &s->parts[block];
    int64_t first = block * BLOCK, at = s->store->start[first];
    (void)ctx, (void)lane;
    memcpy(s->store->column + at, e->column, (size_t)e->n * sizeof *e->column);
    memcpy(s->store->value + at, e->value, (size_t)e->n * sizeof *e->value);
    /* start[first] belongs to the block before: it is set by the caller. */
    for (int64_t i = 1; i < e->n_rows; i++) s->store->start[first + i] = at + e->start[i];
    smr_entries_release(e);
    return SMR_OK;
}

static smr_status join(smr_ctx *ctx, struct storing *s, int64_t blocks)
{
    smr_status st = SMR_OK;
    smr_store *to = s->store;
    int64_t n = s->data->n_rows, total = 0;
    TRY_NEW(to->start, n + 1);
    for (int64_t b = 0; b < blocks; b++) {
        to->start[b * BLOCK] = total;
        total += s->parts[b].n;
    }
    to->start[n] = total;
    to->column = smr_alloc_raw(ctx, total + 1, sizeof *to->column);
    to->value = to->column ? smr_alloc_raw(ctx, total + 1, sizeof *to->value) : NULL;
    if (!to->value) return SMR_ERR_NOMEM;
    TRY(smr_parallel(ctx, NULL, blocks, copy_block, s));
out:
    return st;
}

smr_status smr_store_rows(smr_ctx *ctx, smr_data *data, smr_store *store)
{
    smr_status st = SMR_OK;
    int lanes = smr_lanes(ctx);
    int64_t blocks = smr_block_count(data->n_rows, BLOCK);
    struct storing s = {.data = data, .store = store};
    *store = (smr_store){0};
    TRY_NEW(s.readers, lanes);
    TRY_NEW(s.parts, blocks);
    TRY(smr_parallel(ctx, "computing sparse rows", blocks, compute_block, &s));
    TRY(join(ctx, &s, blocks));
    store->rows = (smr_csr){.n_rows = data->n_rows,
                            .n_cols = data->n_features,
                            .start = store->start,
                            .column = store->column,
                            .value = store->value};
    data->sparse = &store->rows;
    data->rows = NULL; /* the store has them in the data's order */
    data->source = NULL;
out:
    for (int i = 0; s.readers && i < lanes; i++) smr_reader_close(s.readers[i]);
    for (int64_t b = 0; s.parts && b < blocks; b++) smr_entries_release(&s.parts[b]);
    smr_free(s.readers);
    smr_free(s.parts);
    return st;
}

void smr_store_release(smr_store *store)
{
    smr_free(store->start);
    smr_free(store->column);
    smr_free(store->value);
    *store = (smr_store){0};
}
