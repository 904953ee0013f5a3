/* knn_rows.c -- the training rows, copied into the narrowest form that holds them exactly.
 *
 * The data say what they are stored as; their values may still be narrower (bytes in a CSV file are
 * read as doubles).  So the values are looked at: the first rows, and if those are narrow, all. */
#include "learn/neighbors/knn.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { BLOCK_VALUES = 1 << 16 };

struct keeping {
    const smr_data *data;
    struct smr_knn_state *state;
    int64_t block;
    smr_form read;       /* the form in which rows are read           */
    smr_form keep;       /* and kept                                  */
    smr_form *narrowest; /* looking: of each block                    */
    int64_t *at;         /* copying: where each row goes, -1 nowhere; NULL: to its own number */
    smr_reader **readers;
};

static smr_status read_block(smr_ctx *ctx, struct keeping *k, int64_t block, int lane,
                             smr_rows *rows)
{
    smr_status st = SMR_OK;
    smr_reader **reader = &k->readers[lane];
    int64_t end = smr_block_end(k->data->n_rows, k->block, block);
    if (!*reader) TRY(smr_reader_open(ctx, k->data, k->read, k->block, reader));
    TRY(smr_reader_rows(ctx, *reader, block * k->block, end, rows));
out:
    return st;
}

/* ---- looking ---- */

static double value_at(const struct keeping *k, const smr_rows *rows, int64_t r, int64_t j)
{
    int64_t at = r * rows->stride + j;
    return k->read == SMR_FORM_F64 ? ((const double *)rows->x)[at]
                                   : (double)((const float *)rows->x)[at];
}

static smr_form narrowest_of(double x)
{
    if (x >= 0 && x <= 255 && x == floor(x)) return SMR_FORM_U8;
    return fabs(x) <= (double)FLT_MAX && (double)(float)x == x ? SMR_FORM_F32 : SMR_FORM_F64;
}

static smr_status look(smr_ctx *ctx, void *arg, int64_t block, int lane)
{
    struct keeping *k = arg;
    smr_status st = SMR_OK;
    smr_rows rows;
    TRY(read_block(ctx, k, block, lane, &rows));
    smr_form form = SMR_FORM_U8;
    for (int64_t r = 0; r < rows.n && form > k->read; r++) {
        for (int64_t j = 0; j < rows.d; j++)
            form = SMR_MIN(form, narrowest_of(value_at(k, &rows, r, j)));
    }
    k->narrowest[block] = SMR_MAX(form, k->read);
out:
    return st;
}

static smr_status find_form(smr_ctx *ctx, struct keeping *k)
{
    smr_status st = SMR_OK;
    int64_t n_blocks = smr_block_count(k->data->n_rows, k->block);
    k->keep = k->read;
    if (k->read == SMR_FORM_U8) return SMR_OK;
    TRY_NEW(k->narrowest, n_blocks);
    TRY(look(ctx, k, 0, 0));
    if (k->narrowest[0] == k->read) return SMR_OK;
    TRY(smr_parallel(ctx, "looking at rows", n_blocks, look, k));
    k->keep = SMR_FORM_U8;
    for (int64_t b = 0; b < n_blocks; b++) k->keep = SMR_MIN(k->keep, k->narrowest[b]);
out:
    return st;
}

/* ---- copying ---- */

static smr_status refuse(smr_ctx *ctx, const smr_data *data, int64_t row, int64_t j, double x)
{
    const char *what = isnan(x) ? "missing" : "infinite";
    if (data->features)
        return smr_fail(ctx, SMR_ERR_DATA,
                        "knn: feature '%s' of training row %lld is %s; distances need numbers",
                        data->features[j].name, (long long)row + 1, what);
    return smr_fail(ctx, SMR_ERR_DATA,
                    "knn: feature %lld of training row %lld is %s; distances need numbers",
                    (long long)j, (long long)row + 1, what);
}

/* Row r into place `at`; the answer says whether all its values are finite. */
static bool store_row(const struct keeping *k, const smr_rows *rows, int64_t r, int64_t at)
{
    struct smr_knn_state *s = k->state;
    int64_t d = s->d;
    double check = 0; /* stays 0 when all are finite: 0 times infinity is none */
    if (k->keep == SMR_FORM_U8) {
        for (int64_t j = 0; j < d; j++) s->x_u8[at * d + j] = (uint8_t)value_at(k, rows, r, j);
    } else if (k->keep == SMR_FORM_F32) {
        for (int64_t j = 0; j < d; j++) {
            double x = value_at(k, rows, r, j);
            s->x_f32[at * d + j] = (float)x;
            check += x * 0;
        }
    } else {
        const double *x = (const double *)rows->x + r * rows->stride;
        for (int64_t j = 0; j < d; j++) {
            s->x_f64[at * d + j] = x[j];
            check += x[j] * 0;
        }
    }
    return check == 0;
}

static smr_status copy_row(smr_ctx *ctx, const struct keeping *k, const smr_rows *rows, int64_t r)
{
    int64_t row = rows->first + r, at = k->at ? k->at[row] : row, d = k->state->d, j = 0;
    if (at < 0) return SMR_OK;
    if (k->read == SMR_FORM_U8) {
        memcpy(k->state->x_u8 + at * d, (const uint8_t *)rows->x + r * rows->stride, (size_t)d);
        return SMR_OK;
    }
    if (store_row(k, rows, r, at)) return SMR_OK;
    while (isfinite(value_at(k, rows, r, j))) j++;
    return refuse(ctx, k->data, row, j, value_at(k, rows, r, j));
}

static smr_status copy_block(smr_ctx *ctx, void *arg, int64_t block, int lane)
{
    struct keeping *k = arg;
    smr_status st = SMR_OK;
    smr_rows rows;
    TRY(read_block(ctx, k, block, lane, &rows));
    for (int64_t r = 0; r < rows.n; r++) TRY(copy_row(ctx, k, &rows, r));
out:
    return st;
}

/* Where each row goes, when rows of weight zero are left out. */
static smr_status number_rows(smr_ctx *ctx, struct keeping *k)
{
    smr_status st = SMR_OK;
    int64_t at = 0;
    if (k->state->n == k->data->n_rows) return SMR_OK;
    TRY_NEW(k->at, k->data->n_rows);
    for (int64_t i = 0; i < k->data->n_rows; i++)
        k->at[i] = smr_data_weight(k->data, i) > 0 ? at++ : -1;
out:
    return st;
}

static smr_status make_room(smr_ctx *ctx, struct keeping *k)
{
    static const size_t sizes[] = {8, 4, 1};
    struct smr_knn_state *s = k->state;
    smr_status st = SMR_OK;
    double bytes = (double)s->n * (double)s->d * (double)sizes[k->keep];
    TRY(smr_memory_check(ctx, bytes, "knn, which keeps the training rows,",
                         "train on fewer rows, or on fewer features"));
    void *x = smr_alloc_raw(ctx, s->n * s->d, sizes[k->keep]);
    if (!x) return SMR_ERR_NOMEM;
    if (k->keep == SMR_FORM_U8)
        s->x_u8 = x;
    else if (k->keep == SMR_FORM_F32)
        s->x_f32 = x;
    else
        s->x_f64 = x;
out:
    return st;
}

smr_status smr_knn_keep_rows(smr_ctx *ctx, const smr_data *data, struct smr_knn_state *state)
{
    smr_status st = SMR_OK;
    struct keeping k = {.data = data, .state = state, .read = smr_data_natural_form(data)};
    int n_lanes = smr_lanes(ctx);
    k.block = SMR_MAX(1, BLOCK_VALUES / SMR_MAX(1, data->n_features));
    TRY_NEW(k.readers, n_lanes);
    TRY(number_rows(ctx, &k));
    TRY(find_form(ctx, &k));
    TRY(make_room(ctx, &k));
    TRY(smr_parallel(ctx, "keeping rows", smr_block_count(data->n_rows, k.block), copy_block, &k));
out:
    for (int i = 0; k.readers && i < n_lanes; i++) smr_reader_close(k.readers[i]);
    smr_free(k.readers);
    smr_free(k.at);
    smr_free(k.narrowest);
    return st;
}
