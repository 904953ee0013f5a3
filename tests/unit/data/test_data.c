/* test_data.c -- rows on request: every element type, form, row index and source, against a plain
 * matrix of doubles that is worked out beside it. */
#include "computed.h"
#include "pipeline.h"

#include "data/data.h"

enum { N = 41, D = 10, BLOCK_WIDTH = 5 };

/* A table of every storage there is, and its truth. */
struct mixed {
    double block[N][BLOCK_WIDTH]; /* features 0, 1, 2 are its columns 1, 2, 3 */
    float f32[N];
    uint8_t bytes[2 * N]; /* every second one */
    int32_t i32[N];
    int64_t i64[N];
    int32_t code[N];
    double seconds[N];
    float pair[2 * N]; /* features 9 is its right half; its left neighbour is not a feature */
    smr_feature features[D];
    smr_data data;
    double truth[N][D]; /* NaN where missing */
};

static const int32_t recode[] = {2, -1, 0, 1}; /* the table's level 1 is unknown to the model */

static void fill_values(struct mixed *m)
{
    for (int64_t i = 0; i < N; i++) {
        for (int64_t j = 0; j < BLOCK_WIDTH; j++) m->block[i][j] = noise(i, j);
        if (i % 7 == 3) m->block[i][2] = 0; /* zeros for the sparse form */
        m->f32[i] = (float)noise(i, 20);
        m->bytes[2 * i] = (uint8_t)(i * 37 % 256);
        m->bytes[2 * i + 1] = 255;
        m->i32[i] = (int32_t)(i * 1000003 - 20000000);
        m->i64[i] = i * 10000000019 - 7;
        m->code[i] = (int32_t)(i % 6) - 1; /* -1 missing, 4 beyond the map */
        m->seconds[i] = (double)(i - 20) * 86400 * 17 + 3600;
        m->pair[2 * i] = -1;
        m->pair[2 * i + 1] = (float)noise(i, 30);
    }
}

static void describe_features(struct mixed *m)
{
    static const char *const names[] = {"b1",  "b2",  "b3",   "f32",   "u8",
                                        "i32", "i64", "code", "month", "half"};
    smr_feature *f = m->features;
    for (int j = 0; j < D; j++) f[j] = (smr_feature){.name = names[j], .stride = 1};
    for (int j = 0; j < 3; j++) {
        f[j].values = &m->block[0][j + 1];
        f[j].stride = BLOCK_WIDTH;
    }
    f[3].values = m->f32, f[3].dtype = SMR_F32;
    f[4].values = m->bytes, f[4].dtype = SMR_U8, f[4].stride = 2;
    f[5].values = m->i32, f[5].dtype = SMR_I32;
    f[6].values = m->i64, f[6].dtype = SMR_I64;
    f[7].values = m->code, f[7].dtype = SMR_I32, f[7].kind = SMR_CATEGORY;
    f[7].recode = recode, f[7].n_recode = 4, f[7].n_levels = 3;
    f[8].values = m->seconds, f[8].part = SMR_PART_MONTH;
    f[9].values = m->pair + 1, f[9].dtype = SMR_F32, f[9].stride = 2;
}

static void work_out_truth(struct mixed *m)
{
    for (int64_t i = 0; i < N; i++) {
        double *t = m->truth[i];
        for (int j = 0; j < 3; j++) t[j] = m->block[i][j + 1];
        t[3] = (double)m->f32[i];
        t[4] = (double)m->bytes[2 * i];
        t[5] = (double)m->i32[i];
        t[6] = (double)m->i64[i];
        int32_t c = m->code[i];
        t[7] = c < 0 || c == 1 || c == 4 ? NAN : c == 0 ? 2 : c == 2 ? 0 : 1;
        t[8] = NAN; /* the months are checked by themselves */
        t[9] = (double)m->pair[2 * i + 1];
    }
}

static struct mixed *mixed(smr_ctx *ctx)
{
    struct mixed *m = smr_alloc(ctx, 1, sizeof *m);
    fill_values(m);
    describe_features(m);
    work_out_truth(m);
    m->data =
        (smr_data){.size = sizeof m->data, .n_rows = N, .n_features = D, .features = m->features};
    return m;
}

static const int64_t picked[] = {20, 27, 3, 3, 40, 0, 21, 22, 26, 26, 25, 19, 1, 24, 23};

static double narrowed(double x, smr_form form)
{
    return form == SMR_FORM_F32 ? (double)(float)x : x;
}

/* Value j of row r of a block, in any form. */
static double value_in(const smr_rows *rows, int64_t r, int64_t j)
{
    int64_t at = r * rows->stride + j;
    switch (rows->form) {
    case SMR_FORM_F64: return ((const double *)rows->x)[at];
    case SMR_FORM_F32: return (double)((const float *)rows->x)[at];
    case SMR_FORM_U8: return (double)((const uint8_t *)rows->x)[at];
    case SMR_FORM_SPARSE:
        for (int64_t e = rows->start[r]; e < rows->start[r + 1]; e++) {
            if (e > rows->start[r]) assert_true(rows->column[e] > rows->column[e - 1]);
            if (rows->column[e] == j) return rows->value[e];
        }
    }
    return 0;
}

static void check_same(double got, double want, int64_t i, int64_t j)
{
    if (got != want && !(isnan(got) && isnan(want)))
        fail_msg("row %d, feature %d: got %.17g, wanted %.17g", (int)i, (int)j, got, want);
}

/* Reads all rows in blocks of `block` and compares with truth (row-major, width d). */
static void check_read(smr_ctx *ctx, const smr_data *data, smr_form form, int64_t block,
                       const double *truth, int64_t d, const bool *skip)
{
    smr_reader *r = NULL;
    check_ok(ctx, smr_reader_open(ctx, data, form, block, &r));
    for (int64_t lo = 0; lo < data->n_rows; lo += block) {
        smr_rows rows;
        int64_t hi = SMR_MIN(data->n_rows, lo + block);
        check_ok(ctx, smr_reader_rows(ctx, r, lo, hi, &rows));
        assert_int_equal(rows.first, lo);
        assert_int_equal(rows.n, hi - lo);
        assert_int_equal(rows.d, d);
        assert_int_equal(rows.form, form);
        for (int64_t i = lo; i < hi; i++) {
            int64_t from = data->rows ? data->rows[i] : i;
            for (int64_t j = 0; j < d; j++)
                if (!skip || !skip[j])
                    check_same(value_in(&rows, i - lo, j), narrowed(truth[from * d + j], form), i,
                               j);
        }
    }
    smr_reader_close(r);
}

static void every_storage_is_read_in_every_form(void **state)
{
    static const smr_form forms[] = {SMR_FORM_F64, SMR_FORM_F32, SMR_FORM_SPARSE};
    static const int64_t blocks[] = {1, 7, N, 1000};
    smr_ctx *ctx = check_ctx(1);
    struct mixed *m = mixed(ctx);
    bool no_month[D] = {[8] = true}; /* checked by itself */
    (void)state;
    for (int f = 0; f < 3; f++)
        for (int b = 0; b < 4; b++) {
            m->data.rows = NULL;
            m->data.n_rows = N;
            check_read(ctx, &m->data, forms[f], blocks[b], &m->truth[0][0], D, no_month);
            m->data.rows = picked;
            m->data.n_rows = SMR_COUNT(picked);
            check_read(ctx, &m->data, forms[f], blocks[b], &m->truth[0][0], D, no_month);
        }
    smr_free(m);
    check_ctx_end(ctx);
}

static void date_parts_are_computed_on_the_way(void **state)
{
    static const int64_t rows[] = {20, 21, 22, 23, 24, 25, 26, 27};
    smr_ctx *ctx = check_ctx(1);
    struct mixed *m = mixed(ctx);
    double column[SMR_COUNT(rows)];
    (void)state;
    m->data.rows = rows;
    m->data.n_rows = SMR_COUNT(rows);
    /* 1970-01-01, -18, 02-04, 02-21, 03-10, 03-27, 04-13, 04-30 */
    static const double month[] = {1, 1, 2, 2, 3, 3, 4, 4};
    check_ok(ctx, smr_data_column(ctx, &m->data, 8, column));
    for (int i = 0; i < 8; i++) check_same(column[i], month[i], i, 8);
    smr_free(m);
    check_ctx_end(ctx);
}

static void a_column_is_read_from_every_storage(void **state)
{
    smr_ctx *ctx = check_ctx(1);
    struct mixed *m = mixed(ctx);
    double column[N];
    (void)state;
    for (int64_t j = 0; j < D; j++) {
        if (j == 8) continue;
        m->data.rows = NULL;
        m->data.n_rows = N;
        check_ok(ctx, smr_data_column(ctx, &m->data, j, column));
        for (int64_t i = 0; i < N; i++) check_same(column[i], m->truth[i][j], i, j);
        m->data.rows = picked;
        m->data.n_rows = SMR_COUNT(picked);
        check_ok(ctx, smr_data_column(ctx, &m->data, j, column));
        for (int64_t i = 0; i < m->data.n_rows; i++)
            check_same(column[i], m->truth[picked[i]][j], i, j);
    }
    smr_free(m);
    check_ctx_end(ctx);
}

/* ---- views ------------------------------------------------------------------------------ */

/* d features side by side in rows that are `stride` elements apart. */
static void lay_out(smr_feature *f, int64_t d, const void *values, smr_dtype dtype, int64_t stride)
{
    for (int64_t j = 0; j < d; j++)
        f[j] = (smr_feature){.name = "x",
                             .dtype = dtype,
                             .values = (const char *)values + (size_t)j * smr_dtype_size(dtype),
                             .stride = stride};
}

static void check_view(smr_ctx *ctx, const smr_data *data, smr_form form, size_t width,
                       int64_t stride)
{
    smr_reader *r = NULL;
    smr_dense whole = {0};
    const char *base = data->features[0].values;
    int64_t held = smr_ctx_memory(ctx, NULL);
    assert_true(smr_data_whole(data, form, &whole));
    assert_ptr_equal(whole.values, base);
    assert_int_equal(whole.n_rows, data->n_rows);
    assert_int_equal(whole.n_cols, data->n_features);
    assert_int_equal(whole.stride, stride);
    check_ok(ctx, smr_reader_open(ctx, data, form, 8, &r));
    assert_true(smr_ctx_memory(ctx, NULL) - held < 512); /* the reader itself, no buffer */
    for (int64_t lo = 0; lo + 8 <= data->n_rows; lo += 5) {
        smr_rows rows;
        check_ok(ctx, smr_reader_rows(ctx, r, lo, lo + 8, &rows));
        assert_ptr_equal(rows.x, base + (size_t)(lo * stride) * width);
        assert_int_equal(rows.stride, stride);
    }
    smr_reader_close(r);
}

static void memory_that_has_the_form_is_not_copied(void **state)
{
    static double f64[23 * 6];
    static float f32[23 * 6];
    static uint8_t u8[23 * 6];
    smr_ctx *ctx = check_ctx(1);
    smr_feature f[6];
    smr_data data = {.size = sizeof data, .n_rows = 23, .features = f};
    (void)state;
    for (int64_t d = 1; d <= 6; d++) { /* all columns of the block, or the first ones */
        data.n_features = d;
        lay_out(f, d, f64, SMR_F64, 6);
        check_view(ctx, &data, SMR_FORM_F64, 8, 6);
        lay_out(f, d, f32, SMR_F32, 6);
        check_view(ctx, &data, SMR_FORM_F32, 4, 6);
        lay_out(f, d, u8, SMR_U8, 6);
        check_view(ctx, &data, SMR_FORM_U8, 1, 6);
    }
    check_ctx_end(ctx);
}

static void other_memory_is_no_view(void **state)
{
    static double f64[23 * 6];
    int64_t rows[] = {0, 1, 2};
    smr_feature f[6];
    smr_dense whole;
    smr_csr csr = {0};
    smr_data data = {.size = sizeof data, .n_rows = 23, .n_features = 4, .features = f};
    (void)state;
    lay_out(f, 4, f64, SMR_F64, 6);
    assert_true(smr_data_whole(&data, SMR_FORM_F64, &whole));
    assert_false(smr_data_whole(&data, SMR_FORM_F32, &whole)); /* another type      */
    assert_false(smr_data_whole(&data, SMR_FORM_SPARSE, &whole));
    data.rows = rows;
    assert_false(smr_data_whole(&data, SMR_FORM_F64, &whole)); /* a row index       */
    data.rows = NULL;
    data.sparse = &csr;
    assert_false(smr_data_whole(&data, SMR_FORM_F64, &whole));
    data.sparse = NULL;
    data.n_features = 0;
    assert_false(smr_data_whole(&data, SMR_FORM_F64, &whole)); /* nothing there     */
    data.n_features = 4;
    f[2].values = f64 + 3;
    assert_false(smr_data_whole(&data, SMR_FORM_F64, &whole)); /* a hole            */
    f[2].values = f64 + 2;
    f[3].stride = 7;
    assert_false(smr_data_whole(&data, SMR_FORM_F64, &whole)); /* another block     */
    f[3].stride = 6;
    f[1].part = SMR_PART_DAYS;
    assert_false(smr_data_whole(&data, SMR_FORM_F64, &whole)); /* a date            */
    f[1].part = SMR_PART_WHOLE;
    f[0].kind = SMR_CATEGORY;
    assert_false(smr_data_whole(&data, SMR_FORM_F64, &whole)); /* codes             */
}

static void bytes_are_gathered_from_columns_and_rows(void **state)
{
    static uint8_t block[29 * 3], apart[29];
    static const int64_t rows[] = {28, 0, 13, 13, 5};
    smr_ctx *ctx = check_ctx(1);
    double truth[29 * 4];
    smr_feature f[4];
    smr_data data = {.size = sizeof data, .n_rows = 29, .n_features = 4, .features = f};
    (void)state;
    for (int64_t i = 0; i < 29; i++) {
        for (int64_t j = 0; j < 3; j++) {
            block[i * 3 + j] = (uint8_t)(i * 91 + j * 17);
            truth[i * 4 + j] = (double)block[i * 3 + j];
        }
        apart[i] = (uint8_t)(255 - i);
        truth[i * 4 + 3] = (double)apart[i];
    }
    lay_out(f, 3, block, SMR_U8, 3);
    lay_out(f + 3, 1, apart, SMR_U8, 1);
    check_read(ctx, &data, SMR_FORM_U8, 6, truth, 4, NULL);
    check_read(ctx, &data, SMR_FORM_F32, 6, truth, 4, NULL);
    check_read(ctx, &data, SMR_FORM_F64, 6, truth, 4, NULL);
    data.rows = rows;
    data.n_rows = 5;
    check_read(ctx, &data, SMR_FORM_U8, 2, truth, 4, NULL);
    check_ctx_end(ctx);
}

static void natural_form_is_the_narrowest_that_loses_nothing(void **state)
{
    static double f64[4];
    static float f32[4];
    static uint8_t u8[4];
    static int32_t i32[4];
    smr_feature f[3];
    smr_csr csr = {0};
    smr_data data = {.size = sizeof data, .n_rows = 2, .n_features = 2, .features = f}, lazy;
    (void)state;
    lay_out(f, 2, u8, SMR_U8, 2);
    assert_int_equal(smr_data_natural_form(&data), SMR_FORM_U8);
    lay_out(f + 1, 1, f32, SMR_F32, 1);
    assert_int_equal(smr_data_natural_form(&data), SMR_FORM_F32);
    lay_out(f, 2, f32, SMR_F32, 2);
    assert_int_equal(smr_data_natural_form(&data), SMR_FORM_F32);
    lay_out(f + 1, 1, i32, SMR_I32, 1);
    assert_int_equal(smr_data_natural_form(&data), SMR_FORM_F64);
    lay_out(f, 2, f64, SMR_F64, 2);
    assert_int_equal(smr_data_natural_form(&data), SMR_FORM_F64);
    lay_out(f, 2, u8, SMR_U8, 2);
    f[1].part = SMR_PART_YEAR;
    assert_int_equal(smr_data_natural_form(&data), SMR_FORM_F64);
    f[1].part = SMR_PART_WHOLE;
    data.sparse = &csr;
    assert_int_equal(smr_data_natural_form(&data), SMR_FORM_F64);
    data.sparse = NULL;
    lazy = data;
    lazy.source = &data;
    assert_int_equal(smr_data_natural_form(&lazy), SMR_FORM_F64);
}

static void bytes_are_refused_where_there_are_none(void **state)
{
    static double f64[4];
    smr_ctx *ctx = check_ctx(1);
    smr_feature f[2];
    smr_reader *r = NULL;
    smr_data data = {.size = sizeof data, .n_rows = 2, .n_features = 2, .features = f};
    (void)state;
    lay_out(f, 2, f64, SMR_F64, 2);
    check_fails(ctx, smr_reader_open(ctx, &data, SMR_FORM_U8, 2, &r), SMR_ERR_INTERNAL,
                "bytes were asked of features that are not bytes");
    assert_null(r);
    check_ctx_end(ctx);
}

/* ---- sparse rows ------------------------------------------------------------------------ */

enum { SPARSE_ROWS = 37, SPARSE_COLS = 9 };

struct sparse {
    int64_t start[SPARSE_ROWS + 1];
    int32_t column[SPARSE_ROWS * SPARSE_COLS];
    double value[SPARSE_ROWS * SPARSE_COLS];
    double truth[SPARSE_ROWS * SPARSE_COLS];
    smr_csr csr;
    smr_data data;
};

/* Two thirds zeros, some rows empty, one explicit zero. */
static struct sparse *sparse(smr_ctx *ctx)
{
    struct sparse *s = smr_alloc(ctx, 1, sizeof *s);
    int64_t at = 0;
    for (int64_t i = 0; i < SPARSE_ROWS; i++) {
        for (int64_t j = 0; j < SPARSE_COLS; j++) {
            if (i % 6 == 4 || (i * 5 + j * 7) % 3) continue;
            s->column[at] = (int32_t)j;
            s->value[at] = i == 6 && at % 2 ? 0 : noise(i, j);
            s->truth[i * SPARSE_COLS + j] = s->value[at++];
        }
        s->start[i + 1] = at;
    }
    s->csr = (smr_csr){.n_rows = SPARSE_ROWS,
                       .n_cols = SPARSE_COLS,
                       .start = s->start,
                       .column = s->column,
                       .value = s->value};
    s->data = (smr_data){.size = sizeof s->data,
                         .n_rows = SPARSE_ROWS,
                         .n_features = SPARSE_COLS,
                         .sparse = &s->csr};
    return s;
}

static void sparse_rows_are_read_in_every_form(void **state)
{
    static const smr_form forms[] = {SMR_FORM_F64, SMR_FORM_F32, SMR_FORM_SPARSE};
    static const int64_t rows[] = {36, 4, 0, 0, 17, 10, 35};
    smr_ctx *ctx = check_ctx(1);
    struct sparse *s = sparse(ctx);
    double column[SPARSE_ROWS];
    (void)state;
    for (int f = 0; f < 3; f++) {
        if (forms[f] == SMR_FORM_F32)
            for (int64_t e = 0; e < s->start[SPARSE_ROWS]; e++)
                assert_true(isfinite((float)s->value[e]));
        check_read(ctx, &s->data, forms[f], 5, s->truth, SPARSE_COLS, NULL);
        s->data.rows = rows;
        s->data.n_rows = SMR_COUNT(rows);
        check_read(ctx, &s->data, forms[f], 3, s->truth, SPARSE_COLS, NULL);
        s->data.rows = NULL;
        s->data.n_rows = SPARSE_ROWS;
    }
    check_ok(ctx, smr_data_column(ctx, &s->data, 4, column));
    for (int64_t i = 0; i < SPARSE_ROWS; i++)
        check_same(column[i], s->truth[i * SPARSE_COLS + 4], i, 4);
    smr_free(s);
    check_ctx_end(ctx);
}

static void sparse_rows_in_order_are_views(void **state)
{
    smr_ctx *ctx = check_ctx(1);
    struct sparse *s = sparse(ctx);
    smr_reader *r = NULL;
    smr_rows rows;
    (void)state;
    check_ok(ctx, smr_reader_open(ctx, &s->data, SMR_FORM_SPARSE, 10, &r));
    check_ok(ctx, smr_reader_rows(ctx, r, 11, 20, &rows));
    assert_ptr_equal(rows.start, s->start + 11);
    assert_ptr_equal(rows.column, s->column);
    assert_ptr_equal(rows.value, s->value);
    smr_reader_close(r);
    smr_free(s);
    check_ctx_end(ctx);
}

/* With every row that is spelled out, and not only with every block of them. */
static void wide_sparse_rows_are_cancelled_in_between(void **state)
{
    smr_ctx *ctx = check_ctx(1);
    struct sparse *s = sparse(ctx);
    smr_reader *r = NULL;
    smr_rows rows;
    (void)state;
    s->data.n_features = SMR_WIDE_ROW; /* as far as the entries go, the others are 0 */
    check_ok(ctx, smr_reader_open(ctx, &s->data, SMR_FORM_F64, 9, &r));
    smr_cancel_at(ctx, 8);
    check_fails(ctx, smr_reader_rows(ctx, r, 0, 9, &rows), SMR_ERR_CANCELLED, "cancelled");
    smr_cancel_at(ctx, 0);
    check_ok(ctx, smr_reader_rows(ctx, r, 0, 9, &rows));
    for (int64_t j = 0; j < SPARSE_COLS; j++)
        check_same(((const double *)rows.x)[8 * rows.stride + j], s->truth[8 * SPARSE_COLS + j], 8,
                   j);
    smr_reader_close(r);
    smr_free(s);
    check_ctx_end(ctx);
}

/* A model of 5 features meets rows of 9: those it has never seen do not count. */
static void sparse_features_beyond_the_width_are_ignored(void **state)
{
    static const smr_form forms[] = {SMR_FORM_F64, SMR_FORM_F32, SMR_FORM_SPARSE};
    static const int64_t rows[] = {36, 4, 0, 17};
    smr_ctx *ctx = check_ctx(1);
    struct sparse *s = sparse(ctx);
    double truth[SPARSE_ROWS * 5];
    (void)state;
    for (int64_t i = 0; i < SPARSE_ROWS; i++)
        for (int64_t j = 0; j < 5; j++) truth[i * 5 + j] = s->truth[i * SPARSE_COLS + j];
    s->data.n_features = 5;
    for (int f = 0; f < 3; f++) check_read(ctx, &s->data, forms[f], 8, truth, 5, NULL);
    s->data.rows = rows;
    s->data.n_rows = 4;
    for (int f = 0; f < 3; f++) check_read(ctx, &s->data, forms[f], 8, truth, 5, NULL);
    smr_reader *r = NULL;
    smr_rows got;
    check_ok(ctx, smr_reader_open(ctx, &s->data, SMR_FORM_SPARSE, 4, &r));
    check_ok(ctx, smr_reader_rows(ctx, r, 0, 4, &got));
    for (int64_t e = got.start[0]; e < got.start[4]; e++) assert_true(got.column[e] < 5);
    smr_reader_close(r);
    smr_free(s);
    check_ctx_end(ctx);
}

/* A model of 12 features meets rows of 9: the rest are zeros. */
static void sparse_rows_may_be_narrower_than_the_model(void **state)
{
    smr_ctx *ctx = check_ctx(1);
    struct sparse *s = sparse(ctx);
    static double truth[SPARSE_ROWS * 12];
    (void)state;
    for (int64_t i = 0; i < SPARSE_ROWS; i++)
        for (int64_t j = 0; j < SPARSE_COLS; j++) truth[i * 12 + j] = s->truth[i * SPARSE_COLS + j];
    s->data.n_features = 12;
    check_read(ctx, &s->data, SMR_FORM_F64, 8, truth, 12, NULL);
    check_read(ctx, &s->data, SMR_FORM_SPARSE, 8, truth, 12, NULL);
    smr_free(s);
    check_ctx_end(ctx);
}

static void a_dense_block_beyond_the_budget_is_refused(void **state)
{
    static const int64_t start[] = {0, 0, 0};
    smr_ctx *ctx = NULL;
    smr_ctx_opts opts = {.size = sizeof opts, .n_threads = 1, .memory_limit = 300000000};
    smr_reader *r = NULL;
    smr_csr csr = {.n_rows = 2, .n_cols = 40000000, .start = start};
    smr_data data = {.size = sizeof data, .n_rows = 2, .n_features = 40000000, .sparse = &csr};
    (void)state;
    assert_int_equal(smr_ctx_create(&opts, &ctx), SMR_OK);
    check_fails(ctx, smr_reader_open(ctx, &data, SMR_FORM_F64, 2, &r), SMR_ERR_NOMEM,
                "a dense block of these rows needs 640.0 MB, and the memory budget leaves");
    assert_null(r);
    check_ctx_end(ctx);
}

/* ---- stages ----------------------------------------------------------------------------- */

/* Outputs x0 + 10 x1, then x0 - x1, then 0. */
static smr_status mix(smr_ctx *ctx, const smr_rows *in, double *out)
{
    (void)ctx;
    for (int64_t i = 0; i < in->n; i++) {
        double a = value_in(in, i, 0), b = value_in(in, i, 1);
        out[3 * i] = a + 10 * b;
        out[3 * i + 1] = a - b;
        out[3 * i + 2] = 0;
    }
    return SMR_OK;
}

static smr_data lazy_over(const smr_data *source, smr_form form)
{
    static const struct computed mixing = {mix};
    static const smr_feature names[] = {{.name = "sum"}, {.name = "difference"}, {.name = "zero"}};
    smr_data data = *source;
    compute_data(&data, source, &mixing, form);
    data.n_features = 3;
    data.features = names;
    data.sparse = NULL;
    return data;
}

static void mixed_truth(const double *x, int64_t n, int64_t d, smr_form form, double *out)
{
    for (int64_t i = 0; i < n; i++) {
        double a = narrowed(x[i * d], form), b = narrowed(x[i * d + 1], form);
        out[3 * i] = a + 10 * b;
        out[3 * i + 1] = a - b;
        out[3 * i + 2] = 0;
    }
}

static void stages_are_computed_when_read(void **state)
{
    static const smr_form forms[] = {SMR_FORM_F64, SMR_FORM_F32, SMR_FORM_SPARSE};
    smr_ctx *ctx = check_ctx(1);
    struct mixed *m = mixed(ctx);
    double once[N * 3], twice[N * 3];
    (void)state;
    for (int indexed = 0; indexed < 2; indexed++) {
        m->data.rows = indexed ? picked : NULL;
        m->data.n_rows = indexed ? SMR_COUNT(picked) : N;
        for (int f = 0; f < 3; f++) { /* the form the stage takes its rows in */
            smr_data first = lazy_over(&m->data, forms[f]);
            smr_data second = lazy_over(&first, forms[f]);
            mixed_truth(&m->truth[0][0], N, D, forms[f], once);
            mixed_truth(once, N, 3, forms[f], twice);
            for (int g = 0; g < 3; g++) { /* and the form it is asked for */
                check_read(ctx, &first, forms[g], 4, once, 3, NULL);
                check_read(ctx, &second, forms[g], 4, twice, 3, NULL);
                check_read(ctx, &second, forms[g], N, twice, 3, NULL);
            }
            double column[N];
            check_ok(ctx, smr_data_column(ctx, &second, 1, column));
            for (int64_t i = 0; i < second.n_rows; i++)
                check_same(column[i], twice[(indexed ? picked[i] : i) * 3 + 1], i, 1);
        }
    }
    smr_free(m);
    check_ctx_end(ctx);
}

static void stages_read_sparse_sources(void **state)
{
    smr_ctx *ctx = check_ctx(1);
    struct sparse *s = sparse(ctx);
    double truth[SPARSE_ROWS * 3];
    (void)state;
    mixed_truth(s->truth, SPARSE_ROWS, SPARSE_COLS, SMR_FORM_F64, truth);
    for (int f = 0; f < 2; f++) {
        smr_data lazy = lazy_over(&s->data, f ? SMR_FORM_SPARSE : SMR_FORM_F64);
        check_read(ctx, &lazy, SMR_FORM_F64, 6, truth, 3, NULL);
        check_read(ctx, &lazy, SMR_FORM_SPARSE, 6, truth, 3, NULL);
    }
    smr_free(s);
    check_ctx_end(ctx);
}

static smr_status refuse(smr_ctx *ctx, const smr_rows *in, double *out)
{
    (void)in, (void)out;
    return smr_fail(ctx, SMR_ERR_NUMERIC, "no");
}

static void a_failing_stage_fails_the_reader(void **state)
{
    static const struct computed refusing = {refuse};
    smr_ctx *ctx = check_ctx(1);
    struct mixed *m = mixed(ctx);
    smr_data lazy = lazy_over(&m->data, SMR_FORM_F64), second = lazy_over(&lazy, SMR_FORM_F64);
    smr_reader *r = NULL;
    smr_rows rows;
    double column[N];
    (void)state;
    compute_data(&lazy, &m->data, &refusing, SMR_FORM_F64);
    check_ok(ctx, smr_reader_open(ctx, &second, SMR_FORM_F32, 4, &r));
    check_fails(ctx, smr_reader_rows(ctx, r, 0, 4, &rows), SMR_ERR_NUMERIC, "no");
    check_fails(ctx, smr_data_column(ctx, &second, 0, column), SMR_ERR_NUMERIC, "no");
    smr_reader_close(r);
    smr_free(m);
    check_ctx_end(ctx);
}

/* ---- missing values --------------------------------------------------------------------- */

static void check_refused(smr_ctx *ctx, const smr_data *data, smr_form form, int64_t lo, int64_t hi,
                          const char *part)
{
    smr_reader *r = NULL;
    smr_rows rows;
    check_ok(ctx, smr_reader_open(ctx, data, form, 64, &r));
    check_fails(ctx, smr_reader_rows(ctx, r, lo, hi, &rows), SMR_ERR_DATA, part);
    smr_reader_close(r);
}

static void missing_values_are_refused_by_row_and_column(void **state)
{
    static const smr_form forms[] = {SMR_FORM_F64, SMR_FORM_F32, SMR_FORM_SPARSE};
    static const int64_t rows[] = {9, 30, 5};
    static double x[40 * 3];
    static float f32[40 * 3];
    smr_ctx *ctx = check_ctx(1);
    smr_feature f[3];
    smr_data data = {
        .size = sizeof data, .n_rows = 40, .n_features = 3, .features = f, .refuse_missing = true};
    (void)state;
    for (int64_t i = 0; i < 120; i++) f32[i] = (float)(x[i] = noise(i, 3));
    x[30 * 3 + 1] = NAN;
    f32[30 * 3 + 1] = NAN;
    for (int apart = 0; apart < 2; apart++) { /* views and gathered blocks */
        for (int k = 0; k < 3; k++) {
            lay_out(f, 3, x, SMR_F64, 3);
            if (k == 1 && !apart) lay_out(f, 3, f32, SMR_F32, 3);
            f[0].name = "a", f[1].name = "weight in kg", f[2].name = "c";
            data.rows = apart ? rows : NULL;
            data.n_rows = apart ? 3 : 40;
            check_refused(ctx, &data, forms[k], 0, data.n_rows,
                          "row 31, column 'weight in kg': the value is missing (or not seen in "
                          "training), and this model was fitted without missing values there; "
                          "train with 'impute | ...' to allow them");
            smr_reader *r = NULL;
            smr_rows got;
            check_ok(ctx, smr_reader_open(ctx, &data, forms[k], 40, &r));
            check_ok(ctx, smr_reader_rows(ctx, r, 0, 1, &got)); /* rows before it are fine */
            smr_reader_close(r);
        }
    }
    check_ctx_end(ctx);
}

static void infinite_and_huge_values_are_not_missing(void **state)
{
    static double x[] = {1e308, 1e308, INFINITY, -INFINITY, 3, -1e308};
    static float f32[] = {1e38f, 3e38f, INFINITY, -INFINITY, 3, -1e38f};
    smr_ctx *ctx = check_ctx(1);
    smr_feature f[3];
    smr_reader *r = NULL;
    smr_rows rows;
    smr_data data = {
        .size = sizeof data, .n_rows = 2, .n_features = 3, .features = f, .refuse_missing = true};
    (void)state;
    lay_out(f, 3, x, SMR_F64, 3);
    check_ok(ctx, smr_reader_open(ctx, &data, SMR_FORM_F64, 2, &r));
    check_ok(ctx, smr_reader_rows(ctx, r, 0, 2, &rows));
    smr_reader_close(r);
    lay_out(f, 3, f32, SMR_F32, 3);
    check_ok(ctx, smr_reader_open(ctx, &data, SMR_FORM_F32, 2, &r));
    check_ok(ctx, smr_reader_rows(ctx, r, 0, 2, &rows));
    smr_reader_close(r);
    check_ctx_end(ctx);
}

static void missing_categories_and_sparse_entries_are_refused_too(void **state)
{
    smr_ctx *ctx = check_ctx(1);
    struct mixed *m = mixed(ctx);
    struct sparse *s = sparse(ctx);
    (void)state;
    m->data.refuse_missing = true;
    check_refused(ctx, &m->data, SMR_FORM_F64, 1, 20, "row 3, column 'code'"); /* unknown level */
    check_refused(ctx, &m->data, SMR_FORM_F64, 6, 7, "row 7, column 'code'");  /* missing       */
    s->value[s->start[8] + 1] = NAN;
    s->data.refuse_missing = true;
    char part[64];
    snprintf(part, sizeof part, "row 9, feature %d: the value is missing",
             (int)s->column[s->start[8] + 1]);
    check_refused(ctx, &s->data, SMR_FORM_SPARSE, 3, 20, part);
    check_refused(ctx, &s->data, SMR_FORM_F64, 3, 20, part);
    smr_free(s);
    smr_free(m);
    check_ctx_end(ctx);
}

static void missing_values_of_a_stage_name_the_table_row(void **state)
{
    smr_ctx *ctx = check_ctx(1);
    struct mixed *m = mixed(ctx);
    (void)state;
    m->block[21][2] = NAN; /* feature 1 */
    m->data.rows = picked;
    m->data.n_rows = SMR_COUNT(picked);
    smr_data lazy = lazy_over(&m->data, SMR_FORM_F64);
    lazy.refuse_missing = true;
    check_refused(ctx, &lazy, SMR_FORM_F64, 0, 15, "row 22, column 'sum'");
    check_refused(ctx, &lazy, SMR_FORM_F32, 0, 15, "row 22, column 'sum'");
    check_refused(ctx, &lazy, SMR_FORM_SPARSE, 0, 15, "row 22, column 'sum'");
    smr_free(m);
    check_ctx_end(ctx);
}

/* ---- memory ----------------------------------------------------------------------------- */

struct reading {
    const smr_data *data;
    smr_form form;
};

static smr_status read_all(smr_ctx *ctx, void *arg)
{
    struct reading *how = arg;
    smr_reader *r = NULL;
    smr_rows rows;
    smr_status st = smr_reader_open(ctx, how->data, how->form, 9, &r);
    for (int64_t lo = 0; st == SMR_OK && lo + 9 <= how->data->n_rows; lo += 9)
        st = smr_reader_rows(ctx, r, lo, lo + 9, &rows);
    smr_reader_close(r);
    return st;
}

static void every_failing_allocation_is_survived(void **state)
{
    static const int64_t rows[] = {5, 1, 36, 4, 0, 0, 17, 10, 35, 2, 3, 7, 8, 9, 11, 12, 13, 14};
    static const smr_form forms[] = {SMR_FORM_F64, SMR_FORM_F32, SMR_FORM_SPARSE};
    smr_ctx *ctx = check_ctx(1);
    struct mixed *m = mixed(ctx);
    struct sparse *s = sparse(ctx);
    (void)state;
    s->data.rows = rows;
    s->data.n_rows = SMR_COUNT(rows);
    smr_data first = lazy_over(&m->data, SMR_FORM_SPARSE), second = lazy_over(&first, SMR_FORM_F32);
    const smr_data *all[] = {&m->data, &s->data, &second};
    for (int d = 0; d < 3; d++)
        for (int f = 0; f < 3; f++) {
            struct reading how = {all[d], forms[f]};
            assert_true(fail_each_allocation(ctx, read_all, &how) >= 2);
        }
    smr_free(s);
    smr_free(m);
    check_ctx_end(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_storage_is_read_in_every_form),
        cmocka_unit_test(date_parts_are_computed_on_the_way),
        cmocka_unit_test(a_column_is_read_from_every_storage),
        cmocka_unit_test(memory_that_has_the_form_is_not_copied),
        cmocka_unit_test(other_memory_is_no_view),
        cmocka_unit_test(bytes_are_gathered_from_columns_and_rows),
        cmocka_unit_test(natural_form_is_the_narrowest_that_loses_nothing),
        cmocka_unit_test(bytes_are_refused_where_there_are_none),
        cmocka_unit_test(sparse_rows_are_read_in_every_form),
        cmocka_unit_test(sparse_rows_in_order_are_views),
        cmocka_unit_test(wide_sparse_rows_are_cancelled_in_between),
        cmocka_unit_test(sparse_features_beyond_the_width_are_ignored),
        cmocka_unit_test(sparse_rows_may_be_narrower_than_the_model),
        cmocka_unit_test(a_dense_block_beyond_the_budget_is_refused),
        cmocka_unit_test(stages_are_computed_when_read),
        cmocka_unit_test(stages_read_sparse_sources),
        cmocka_unit_test(a_failing_stage_fails_the_reader),
        cmocka_unit_test(missing_values_are_refused_by_row_and_column),
        cmocka_unit_test(infinite_and_huge_values_are_not_missing),
        cmocka_unit_test(missing_categories_and_sparse_entries_are_refused_too),
        cmocka_unit_test(missing_values_of_a_stage_name_the_table_row),
        cmocka_unit_test(every_failing_allocation_is_survived),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
