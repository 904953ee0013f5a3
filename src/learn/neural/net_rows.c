/* net_rows.c -- the rows of a fit as floats, and batches of them: see net.h. */
#include "data/keep.h"
#include "learn/neural/net.h"

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

smr_status smr_net_rows_open(smr_ctx *ctx, const smr_data *data, struct smr_net_rows *out)
{
    smr_status st = SMR_OK;
    struct reading r = {.data = data, .form = form_of(data)};
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
    const int64_t *number;
    int64_t d, n;
    smr_real real;
    void *to;
};

static void gather_row(const struct gathering *g, int64_t i)
{
    const struct smr_net_rows *rows = g->rows;
    int64_t from = g->number[i] * rows->stride, d = g->d;
    const uint8_t *bytes = rows->x;
    const float *floats = rows->x;
    float *f = (float *)g->to + i * d;
    double *wide = (double *)g->to + i * d;
    if (g->real == SMR_REAL_F64)
        for (int64_t j = 0; j < d; j++)
            wide[j] = rows->is_bytes ? (double)bytes[from + j] : (double)floats[from + j];
    else if (rows->is_bytes)
        for (int64_t j = 0; j < d; j++) f[j] = (float)bytes[from + j];
    else
        memcpy(f, floats + from, (size_t)d * sizeof *f);
}

static smr_status gather_some(smr_ctx *ctx, void *arg, int64_t task, int lane)
{
    const struct gathering *g = arg;
    (void)ctx;
    (void)lane;
    for (int64_t i = task * GATHERED; i < smr_block_end(g->n, GATHERED, task); i++)
        gather_row(g, i);
    return SMR_OK;
}

smr_status smr_net_rows_gather(smr_ctx *ctx, const struct smr_net_rows *rows, int64_t d,
                               const int64_t *number, int64_t n, smr_real real, void *to)
{
    struct gathering g = {.rows = rows, .number = number, .d = d, .n = n, .real = real, .to = to};
    if (n * d >= FEW) return smr_parallel(ctx, NULL, smr_block_count(n, GATHERED), gather_some, &g);
    for (int64_t i = 0; i < n; i++) gather_row(&g, i);
    return SMR_OK;
}
