/* knn_rows.c -- the training rows, copied into the narrowest form that holds them exactly, and laid
 * out as they are searched: blocks are read, converted, and put where they belong, so that there is
 * only one copy of the rows.  For the tree they are put in order in place.
 *
 * The data say what they are stored as; their values may still be narrower (bytes in a CSV file are
 * read as doubles).  So the values are looked at: the first rows, and if those are narrow, all. */
#include "learn/neighbors/knn.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum {
    BLOCK_VALUES = 1 << 16,
    GROUP_ROWS = 32,      /* a block holds whole groups of every layout */
    SPEND_BYTES = 4 << 20 /* kept rows between two releases of the table's */
};

struct keeping {
    const smr_data *data;
    struct smr_knn_state *state;
    int64_t block;
    smr_form read;       /* the form in which rows are read           */
    smr_form keep;       /* and kept                                  */
    smr_form *narrowest; /* looking: of each block                    */
    smr_layout layout;   /* copying                                   */
    bool row_major;      /* copying for the tree                      */
    int64_t first;       /* copying: the block of task 0              */
    char *x;
    char *buffer; /* for each lane: a block of rows as they are kept */
    int64_t *at;  /* copying: where each row goes, -1 nowhere; NULL: to its own number */
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

static smr_status refuse(smr_ctx *ctx, const char *who, const smr_data *data, int64_t row,
                         int64_t j, double x)
{
    const char *what = isnan(x) ? "missing" : "infinite";
    if (data->features)
        return smr_fail(ctx, SMR_ERR_DATA,
                        "%s: feature '%s' of training row %lld is %s; distances need numbers", who,
                        data->features[j].name, (long long)row + 1, what);
    return smr_fail(ctx, SMR_ERR_DATA,
                    "%s: feature %lld of training row %lld is %s; distances need numbers", who,
                    (long long)j, (long long)row + 1, what);
}

/* True when all values are finite. */
static bool is_finite(const struct keeping *k, const smr_rows *rows, int64_t r)
{
    const char *x = rows->x;
    uint32_t bad = 0;
    for (int64_t j = 0; k->read == SMR_FORM_F32 && j < rows->d; j++) {
        uint32_t bits, all = 0x7f800000;
        memcpy(&bits, x + (size_t)(r * rows->stride + j) * sizeof bits, sizeof bits);
        bad |= (bits & all) == all;
    }
    for (int64_t j = 0; k->read == SMR_FORM_F64 && j < rows->d; j++) {
        uint64_t bits, all = 0x7ff0000000000000;
        memcpy(&bits, x + (size_t)(r * rows->stride + j) * sizeof bits, sizeof bits);
        bad |= (bits & all) == all;
    }
    return bad == 0;
}

/* Row r in the form in which it is kept. */
static void convert_row(const struct keeping *k, const smr_rows *rows, int64_t r, char *out)
{
    int64_t d = rows->d;
    if (k->keep == k->read)
        memcpy(out,
               (const char *)rows->x + (size_t)(r * rows->stride) * smr_layout_width(&k->layout),
               (size_t)d * smr_layout_width(&k->layout));
    else if (k->keep == SMR_FORM_U8)
        for (int64_t j = 0; j < d; j++) ((uint8_t *)out)[j] = (uint8_t)value_at(k, rows, r, j);
    else
        for (int64_t j = 0; j < d; j++) ((float *)(void *)out)[j] = (float)value_at(k, rows, r, j);
}

static void put_rows(const struct keeping *k, int64_t at, int64_t n, const char *rows)
{
    size_t row = (size_t)k->layout.d * smr_layout_width(&k->layout);
    if (k->row_major)
        memcpy(k->x + (size_t)at * row, rows, (size_t)n * row);
    else
        smr_layout_put(&k->layout, k->x, at, n, rows, k->layout.d);
}

static smr_status copy_block(smr_ctx *ctx, void *arg, int64_t task, int lane)
{
    struct keeping *k = arg;
    smr_status st = SMR_OK;
    int64_t block = k->first + task;
    size_t row = (size_t)k->layout.d * smr_layout_width(&k->layout);
    char *buffer = k->buffer + (size_t)(lane * k->block) * row;
    smr_rows rows;
    TRY(read_block(ctx, k, block, lane, &rows));
    for (int64_t r = 0; r < rows.n; r++) {
        int64_t number = rows.first + r, j = 0;
        if (k->at && k->at[number] < 0) continue;
        if (!is_finite(k, &rows, r)) {
            while (isfinite(value_at(k, &rows, r, j))) j++;
            TRY(refuse(ctx, k->state->who, k->data, number, j, value_at(k, &rows, r, j)));
        }
        convert_row(k, &rows, r, buffer + (size_t)r * row);
        if (k->at) put_rows(k, k->at[number], 1, buffer + (size_t)r * row);
    }
    if (!k->at) put_rows(k, rows.first, rows.n, buffer);
out:
    return st;
}

/* All rows, in order of their blocks; where the table may be spent, in several strokes, after each
 * of which the table's memory for the rows now kept is released. */
static smr_status copy_rows(smr_ctx *ctx, struct keeping *k)
{
    smr_status st = SMR_OK;
    int64_t n = k->data->n_rows, n_blocks = smr_block_count(n, k->block), stroke = n_blocks;
    int64_t bytes = k->block * k->layout.d * (int64_t)smr_layout_width(&k->layout);
    if (k->data->spend) stroke = SMR_MAX(4, SPEND_BYTES / SMR_MAX(1, bytes));
    for (k->first = 0; k->first < n_blocks; k->first += stroke) {
        int64_t end = SMR_MIN(k->first + stroke, n_blocks);
        TRY(smr_parallel(ctx, "keeping rows", end - k->first, copy_block, k));
        if (k->data->spend)
            smr_table_spend(k->data->spend, k->first * k->block, SMR_MIN(end * k->block, n));
    }
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

static smr_status make_room(smr_ctx *ctx, struct keeping *k, struct smr_knn_plan plan)
{
    struct smr_knn_state *s = k->state;
    smr_status st = SMR_OK;
    smr_layout *l = &k->layout;
    *l = smr_layout_of(k->keep, plan.panels, s->n, s->d);
    int64_t count = smr_layout_count(l);
    TRY(smr_memory_check(ctx, (double)count * (double)smr_layout_width(l),
                         "knn, which keeps the training rows,",
                         "train on fewer rows, or on fewer features"));
    k->x = smr_alloc_raw(ctx, count, smr_layout_width(l));
    if (!k->x) return SMR_ERR_NOMEM;
    s->groups = l->groups;
    s->steps = l->steps;
    s->lane = l->lane;
    if (k->keep == SMR_FORM_U8)
        s->x_u8 = (uint8_t *)k->x;
    else if (k->keep == SMR_FORM_F32)
        s->x_f32 = (float *)(void *)k->x;
    else
        s->x_f64 = (double *)(void *)k->x;
    smr_layout_clear_end(l, k->x);
    k->row_major = plan.by_tree;
    k->buffer = smr_alloc_raw(ctx, smr_lanes(ctx) * k->block * s->d, smr_layout_width(l));
    if (!k->buffer) st = SMR_ERR_NOMEM;
out:
    return st;
}

static void close_readers(const smr_ctx *ctx, struct keeping *k)
{
    for (int i = 0; k->readers && i < smr_lanes(ctx); i++) smr_reader_close(k->readers[i]);
    smr_free(k->readers);
    smr_free(k->buffer);
    k->readers = NULL;
    k->buffer = NULL;
}

smr_status smr_knn_keep_rows(smr_ctx *ctx, const smr_data *data, struct smr_knn_plan plan,
                             struct smr_knn_state *state)
{
    smr_status st = SMR_OK;
    struct keeping k = {.data = data, .state = state, .read = smr_data_natural_form(data)};
    k.block = SMR_MAX(1, BLOCK_VALUES / SMR_MAX(1, data->n_features) / GROUP_ROWS) * GROUP_ROWS;
    TRY_NEW(k.readers, smr_lanes(ctx));
    TRY(number_rows(ctx, &k));
    TRY(find_form(ctx, &k));
    TRY(make_room(ctx, &k, plan));
    TRY(copy_rows(ctx, &k));
    close_readers(ctx, &k);
    if (plan.by_tree) {
        TRY_NEW(state->order, state->n);
        TRY(smr_kdtree_order(ctx, &k.layout, plan.metric == SMR_METRIC_COSINE, k.x, state->order));
    }
out:
    close_readers(ctx, &k);
    smr_free(k.at);
    smr_free(k.narrowest);
    return st;
}
