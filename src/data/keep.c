/* keep.c -- see keep.h.
 *
 * Blocks of sparse rows are computed side by side, each into entries of its own; then they are
 * copied one after another, and each is freed as soon as it is copied.  Dense ones are written into
 * place. */
#include "data/keep.h"

#include "core/parallel.h"

#include <math.h>
#include <string.h>

enum { BLOCK = 512 };

struct keeping {
    const smr_data *data;
    smr_reader **readers; /* one per lane */
    smr_entries *parts;   /* one per block */
    smr_keep *keep;
    smr_form form;
    int64_t n_numbers; /* dense: features that are numbers */
};

static smr_status read_block(smr_ctx *ctx, const struct keeping *s, int64_t block, int lane,
                             smr_rows *rows)
{
    smr_status st = SMR_OK;
    int64_t lo = block * BLOCK, hi = smr_block_end(s->data->n_rows, BLOCK, block);
    if (!s->readers[lane]) TRY(smr_reader_open(ctx, s->data, s->form, BLOCK, &s->readers[lane]));
    TRY(smr_reader_rows(ctx, s->readers[lane], lo, hi, rows));
out:
    return st;
}

/* ---- sparse rows ------------------------------------------------------------------------ */

static smr_status keep_entries(smr_ctx *ctx, const smr_rows *rows, smr_entries *out)
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
    const struct keeping *s = arg;
    smr_rows rows;
    smr_status st = read_block(ctx, s, block, lane, &rows);
    return st == SMR_OK ? keep_entries(ctx, &rows, &s->parts[block]) : st;
}

static smr_status copy_block(smr_ctx *ctx, void *arg, int64_t block, int lane)
{
    const struct keeping *s = arg;
    smr_entries *e = &s->parts[block];
    int64_t first = block * BLOCK, at = s->keep->start[first];
    (void)ctx, (void)lane;
    memcpy(s->keep->column + at, e->column, (size_t)e->n * sizeof *e->column);
    memcpy(s->keep->value + at, e->value, (size_t)e->n * sizeof *e->value);
    /* start[first] belongs to the block before: it is set by the caller. */
    for (int64_t i = 1; i < e->n_rows; i++) s->keep->start[first + i] = at + e->start[i];
    smr_entries_release(e);
    return SMR_OK;
}

static smr_status join(smr_ctx *ctx, struct keeping *s, int64_t blocks)
{
    smr_status st = SMR_OK;
    smr_keep *to = s->keep;
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

static smr_status keep_sparse(smr_ctx *ctx, struct keeping *s, smr_data *data)
{
    smr_status st = SMR_OK;
    int64_t blocks = smr_block_count(data->n_rows, BLOCK);
    smr_keep *keep = s->keep;
    TRY_NEW(s->parts, blocks);
    TRY(smr_parallel(ctx, "computing sparse rows", blocks, compute_block, s));
    TRY(join(ctx, s, blocks));
    keep->rows = (smr_csr){.n_rows = data->n_rows,
                           .n_cols = data->n_features,
                           .start = keep->start,
                           .column = keep->column,
                           .value = keep->value};
    data->sparse = &keep->rows;
out:
    for (int64_t b = 0; s->parts && b < blocks; b++) smr_entries_release(&s->parts[b]);
    smr_free(s->parts);
    return st;
}

/* ---- dense rows ------------------------------------------------------------------------- */

static bool is_code(const smr_data *data, int64_t j)
{
    return data->features && data->features[j].kind != SMR_NUMBER;
}

static double value_at(const smr_rows *rows, int64_t at)
{
    if (rows->form == SMR_FORM_F32) return (double)((const float *)rows->x)[at];
    return ((const double *)rows->x)[at];
}

/* Numbers of a block to their places, where other columns hold codes. */
static void put_apart(const struct keeping *s, const smr_rows *rows, size_t size)
{
    int64_t n = s->data->n_rows, codes = 0, numbers = 0;
    for (int64_t j = 0; j < rows->d; j++) {
        if (is_code(s->data, j)) {
            int32_t *to = s->keep->codes + n * codes++ + rows->first;
            for (int64_t i = 0; i < rows->n; i++) {
                double code = value_at(rows, i * rows->stride + j);
                to[i] = isnan(code) ? -1 : (int32_t)code;
            }
            continue;
        }
        char *to = (char *)s->keep->block + (size_t)(rows->first * s->n_numbers + numbers++) * size;
        for (int64_t i = 0; i < rows->n; i++)
            memcpy(to + (size_t)(i * s->n_numbers) * size,
                   (const char *)rows->x + (size_t)(i * rows->stride + j) * size, size);
    }
}

static smr_status put_block(smr_ctx *ctx, void *arg, int64_t block, int lane)
{
    static const size_t sizes[] = {8, 4, 1};
    const struct keeping *s = arg;
    smr_rows rows;
    size_t size = sizes[s->form], row = (size_t)s->n_numbers * size;
    smr_status st = read_block(ctx, s, block, lane, &rows);
    if (st != SMR_OK) return st;
    rows.first = block * BLOCK;
    if (s->n_numbers < rows.d) {
        put_apart(s, &rows, size);
        return SMR_OK;
    }
    for (int64_t i = 0; i < rows.n; i++)
        memcpy((char *)s->keep->block + (size_t)(rows.first + i) * row,
               (const char *)rows.x + (size_t)(i * rows.stride) * size, row);
    return SMR_OK;
}

static void point(const struct keeping *s, const smr_data *data)
{
    static const smr_dtype dtypes[] = {SMR_F64, SMR_F32, SMR_U8};
    size_t size = smr_dtype_size(dtypes[s->form]);
    int64_t codes = 0, numbers = 0;
    for (int64_t j = 0; j < data->n_features; j++) {
        smr_feature *f = &s->keep->features[j];
        if (data->features) *f = data->features[j];
        f->part = SMR_PART_WHOLE;
        f->recode = NULL;
        if (is_code(data, j)) {
            f->dtype = SMR_I32;
            f->stride = 1;
            f->values = s->keep->codes + data->n_rows * codes++;
        } else {
            f->dtype = dtypes[s->form];
            f->stride = s->n_numbers;
            f->values = (char *)s->keep->block + (size_t)numbers++ * size;
        }
    }
}

static smr_status keep_dense(smr_ctx *ctx, struct keeping *s, smr_data *data)
{
    static const size_t sizes[] = {8, 4, 1};
    smr_status st = SMR_OK;
    smr_keep *keep = s->keep;
    int64_t n = data->n_rows, codes = data->n_features - s->n_numbers;
    keep->block = smr_alloc_raw(ctx, SMR_MAX(1, n * s->n_numbers), sizes[s->form]);
    keep->codes = keep->block ? smr_alloc_raw(ctx, SMR_MAX(1, n * codes), 4) : NULL;
    if (!keep->codes) return SMR_ERR_NOMEM;
    TRY_NEW(keep->features, data->n_features + 1);
    TRY(smr_parallel(ctx, "keeping rows", smr_block_count(n, BLOCK), put_block, s));
    point(s, data);
    data->features = keep->features;
    data->sparse = NULL;
out:
    return st;
}

/* ---- both ------------------------------------------------------------------------------- */

static bool is_there(const smr_data *data, smr_form form)
{
    smr_dense whole;
    if (data->source || data->rows) return false;
    return form == SMR_FORM_SPARSE ? data->sparse != NULL : smr_data_whole(data, form, &whole);
}

/* Entries of sparse rows are not known before they are computed. */
static smr_status check_budget(smr_ctx *ctx, const struct keeping *s)
{
    static const double sizes[] = {8, 4, 1, 0};
    double n = (double)s->data->n_rows, codes = (double)(s->data->n_features - s->n_numbers);
    double bytes = n * ((double)s->n_numbers * sizes[s->form] + 4 * codes);
    if (s->form == SMR_FORM_SPARSE) return SMR_OK;
    return smr_memory_check(ctx, bytes, "a copy of the rows", "use fewer rows or features");
}

smr_status smr_data_copy(smr_ctx *ctx, smr_data *data, smr_form form, bool must, smr_keep *keep)
{
    smr_status st = SMR_OK;
    int lanes = smr_lanes(ctx);
    struct keeping s = {.data = data, .keep = keep, .form = form};
    *keep = (smr_keep){0};
    for (int64_t j = 0; j < data->n_features; j++) s.n_numbers += !is_code(data, j);
    TRY(check_budget(ctx, &s));
    TRY_NEW(s.readers, lanes);
    TRY(form == SMR_FORM_SPARSE ? keep_sparse(ctx, &s, data) : keep_dense(ctx, &s, data));
    data->rows = NULL; /* they are kept in the data's order */
    data->source = NULL;
out:
    for (int i = 0; s.readers && i < lanes; i++) smr_reader_close(s.readers[i]);
    smr_free(s.readers);
    if (st != SMR_OK) smr_keep_release(keep);
    if (st != SMR_ERR_NOMEM || must) return st;
    smr_ctx_clear(ctx); /* then they are computed again and again */
    return SMR_OK;
}

smr_status smr_data_keep(smr_ctx *ctx, smr_data *data, smr_form form, bool must, smr_keep *keep)
{
    *keep = (smr_keep){0};
    return is_there(data, form) ? SMR_OK : smr_data_copy(ctx, data, form, must, keep);
}

void smr_keep_release(smr_keep *k)
{
    smr_free(k->start);
    smr_free(k->column);
    smr_free(k->value);
    smr_free(k->block);
    smr_free(k->codes);
    smr_free(k->features);
    *k = (smr_keep){0};
}
