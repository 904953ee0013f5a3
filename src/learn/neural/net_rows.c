/* net_rows.c -- the rows of a fit as floats, and batches of them: see net.h. */
#include "core/rng.h"
#include "learn/neural/net.h"
#include "math/special.h"

#include <float.h>
#include <string.h>

enum { BLOCK = 1024, GATHERED = 16, FEW = 1 << 16 };

static smr_form form_of(const smr_data *data)
{
    return smr_data_natural_form(data) == SMR_FORM_U8 ? SMR_FORM_U8 : SMR_FORM_F32;
}

double smr_net_rows_bytes(const smr_data *data)
{
    smr_form form = form_of(data);
    smr_dense whole;
    if (smr_data_whole(data, form, &whole)) return 0;
    return (double)data->n_rows * (double)data->n_features * (form == SMR_FORM_U8 ? 1 : 4);
}

void smr_net_rows_release(struct smr_net_rows *rows)
{
    smr_free(rows->own);
    *rows = (struct smr_net_rows){0};
}

/* ---- reading ---------------------------------------------------------------------------- */

struct reading {
    const smr_data *data;
    smr_form form;
    bool gaps;
    smr_reader **reader;
    char *to;
};

static smr_status refuse(smr_ctx *ctx, const struct reading *r, int64_t i, int64_t j, float x)
{
    const smr_feature *f = r->data->features ? &r->data->features[j] : NULL;
    int64_t row = (r->data->rows ? r->data->rows[i] : i) + 1;
    if (f && f->name)
        return smr_fail(ctx, SMR_ERR_DATA,
                        "net: row %lld, column '%s': %s, and net needs finite numbers below 3.4e38",
                        (long long)row, f->name, x != x ? "the value is missing" : "too large");
    return smr_fail(ctx, SMR_ERR_DATA,
                    "net: row %lld, column %lld: %s, and net needs finite numbers below 3.4e38",
                    (long long)row, (long long)j + 1,
                    x != x ? "the value is missing" : "too large");
}

static smr_status check_finite(smr_ctx *ctx, const struct reading *r, const smr_rows *rows)
{
    const float *x = rows->x;
    for (int64_t i = 0; i < rows->n; i++)
        for (int64_t j = 0; j < rows->d; j++) {
            float v = x[i * rows->stride + j];
            if (v != v && r->gaps) continue;
            if (!(v >= -FLT_MAX && v <= FLT_MAX)) return refuse(ctx, r, rows->first + i, j, v);
        }
    return SMR_OK;
}

static smr_status read_block(smr_ctx *ctx, void *arg, int64_t task, int lane)
{
    const struct reading *r = arg;
    smr_status st = SMR_OK;
    smr_rows rows;
    int64_t d = r->data->n_features, lo = task * BLOCK;
    size_t each = r->form == SMR_FORM_U8 ? 1 : sizeof(float), width = (size_t)d * each;
    if (!r->reader[lane]) TRY(smr_reader_open(ctx, r->data, r->form, BLOCK, &r->reader[lane]));
    TRY(smr_reader_rows(ctx, r->reader[lane], lo, smr_block_end(r->data->n_rows, BLOCK, task),
                        &rows));
    rows.first = lo;
    if (r->form == SMR_FORM_F32) TRY(check_finite(ctx, r, &rows));
    for (int64_t i = 0; r->to && i < rows.n; i++)
        memcpy(r->to + (size_t)(lo + i) * width,
               (const char *)rows.x + (size_t)(i * rows.stride) * each, width);
out:
    return st;
}

smr_status smr_net_rows_open(smr_ctx *ctx, const smr_data *data, bool gaps,
                             struct smr_net_rows *out)
{
    smr_status st = SMR_OK;
    struct reading r = {.data = data, .form = form_of(data), .gaps = gaps};
    smr_dense whole;
    bool is_view = smr_data_whole(data, r.form, &whole);
    *out = (struct smr_net_rows){.is_bytes = r.form == SMR_FORM_U8, .stride = data->n_features};
    TRY_NEW(r.reader, smr_lanes(ctx));
    if (is_view) {
        out->x = whole.values;
        out->stride = whole.stride;
    } else {
        out->own = r.to =
            smr_alloc_raw(ctx, data->n_rows * data->n_features + 64, out->is_bytes ? 1 : 4);
        if (!out->own) TRY(SMR_ERR_NOMEM);
        out->x = out->own;
    }
    if (is_view && out->is_bytes) goto out;
    TRY(smr_parallel(ctx, "reading", smr_block_count(data->n_rows, BLOCK), read_block, &r));
out:
    for (int lane = 0; r.reader && lane < smr_lanes(ctx); lane++)
        if (r.reader[lane]) smr_reader_close(r.reader[lane]);
    smr_free(r.reader);
    return st;
}

/* ---- batches ---------------------------------------------------------------------------- */

struct gathering {
    const struct smr_net_rows *rows;
    const struct smr_net_batch *batch;
};

/* Row i of the batch as it is. */
static void copy_row(const struct gathering *g, int64_t i)
{
    const struct smr_net_rows *rows = g->rows;
    int64_t from = g->batch->number[i] * rows->stride, d = g->batch->d;
    const uint8_t *bytes = rows->x;
    const float *floats = rows->x;
    float *f = (float *)g->batch->to + i * d;
    double *wide = (double *)g->batch->to + i * d;
    if (g->batch->real == SMR_REAL_F64)
        for (int64_t j = 0; j < d; j++)
            wide[j] = rows->is_bytes ? (double)bytes[from + j] : (double)floats[from + j];
    else if (rows->is_bytes)
        for (int64_t j = 0; j < d; j++) f[j] = (float)bytes[from + j];
    else
        memcpy(f, floats + from, (size_t)d * sizeof *f);
}

static float number_at(const struct smr_net_rows *rows, int64_t at)
{
    return rows->is_bytes ? (float)((const uint8_t *)rows->x)[at] : ((const float *)rows->x)[at];
}

double smr_net_number(const struct smr_net_rows *rows, int64_t i, int64_t j)
{
    return (double)number_at(rows, i * rows->stride + j);
}

/* The picture moved by up to `shift` pixels, and mirrored. */
static void move_row(const struct gathering *g, int64_t i, const uint32_t draw[4])
{
    const struct smr_net_change *how = g->batch->change;
    int64_t h = how->item.h, w = how->item.w, c = how->item.c, range = 2 * how->shift + 1;
    int64_t down = (int64_t)(((uint64_t)draw[0] * (uint64_t)range) >> 32) - how->shift;
    int64_t right = (int64_t)(((uint64_t)draw[1] * (uint64_t)range) >> 32) - how->shift;
    int64_t from = g->batch->number[i] * g->rows->stride;
    bool mirrored = how->flip && draw[2] & 1;
    float *to = (float *)g->batch->to + i * g->batch->d;
    for (int64_t r = 0; r < h; r++)
        for (int64_t s = 0; s < w; s++, to += c) {
            int64_t row = r - down, column = (mirrored ? w - 1 - s : s) - right;
            bool inside = row >= 0 && row < h && column >= 0 && column < w;
            for (int64_t k = 0; k < c; k++)
                to[k] = inside ? number_at(g->rows, from + (row * w + column) * c + k) : 0;
        }
}

/* Two numbers of the stream belong to a row and epoch: its moves, and its noise. */
static void gather_row(const struct gathering *g, int64_t i)
{
    const struct smr_net_change *how = g->batch->change;
    uint32_t draw[4];
    int64_t d = g->batch->d, row = g->batch->number[i];
    float *to = (float *)g->batch->to + i * d;
    if (row < 0) {
        size_t each = smr_real_size(g->batch->real);
        memset((char *)g->batch->to + (size_t)(i * d) * each, 0, (size_t)d * each);
        return;
    }
    if (!how) {
        copy_row(g, i);
        return;
    }
    smr_philox(how->seed, SMR_STREAM_AUGMENT, 2 * (uint64_t)how->epoch, (uint64_t)row, draw);
    move_row(g, i, draw);
    for (int64_t j = 0; how->noise > 0 && j < d; j++) {
        double u = smr_random_unit(how->seed, SMR_STREAM_AUGMENT, 2 * (uint64_t)how->epoch + 1,
                                   (uint64_t)(row * d + j));
        to[j] = (float)((double)to[j] + how->noise * smr_normal_quantile(u + 0x1p-54));
    }
}

static smr_status gather_some(smr_ctx *ctx, void *arg, int64_t task, int lane)
{
    const struct gathering *g = arg;
    (void)ctx;
    (void)lane;
    for (int64_t i = task * GATHERED; i < smr_block_end(g->batch->n, GATHERED, task); i++)
        gather_row(g, i);
    return SMR_OK;
}

smr_status smr_net_rows_gather(smr_ctx *ctx, const struct smr_net_rows *rows,
                               const struct smr_net_batch *batch)
{
    struct gathering g = {rows, batch};
    if (batch->n * batch->d >= FEW || batch->change)
        return smr_parallel(ctx, NULL, smr_block_count(batch->n, GATHERED), gather_some, &g);
    for (int64_t i = 0; i < batch->n; i++) gather_row(&g, i);
    return SMR_OK;
}
