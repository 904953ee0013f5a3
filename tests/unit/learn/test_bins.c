/* test_bins.c -- bins against what they promise: every cell is worked out again from the cuts, and
 * the cuts are judged by the values themselves. */
#include "computed.h"
#include "pipeline.h"

#include "learn/trees/bins.h"
#include "learn/trees/bins_parts.h"

#include <float.h>

static smr_data data_of(const smr_feature *features, int64_t d, int64_t n)
{
    return (smr_data){.size = sizeof(smr_data), .n_rows = n, .n_features = d, .features = features};
}

static void matrix_features(smr_feature *f, int64_t d, const double *x)
{
    for (int64_t j = 0; j < d; j++)
        f[j] = (smr_feature){.name = "x", .values = x + j, .stride = d, .dtype = SMR_F64};
}

static uint8_t cell_at(const smr_bins *b, int64_t i, int64_t j)
{
    return b->layout == SMR_BINS_BY_ROW ? b->cell[i * b->stride + j] : b->cell[j * b->stride + i];
}

/* The cell of x by the words of the header. */
static int bin_of(const smr_bins *b, int64_t j, double x)
{
    if (isnan(x)) return b->n_bins[j];
    if (b->is_category[j]) {
        int64_t code = (int64_t)x;
        if (code >= b->n_levels[j]) return b->n_bins[j];
        return b->level_bin[j] ? b->level_bin[j][code] : (int)code;
    }
    int bin = 0;
    for (int64_t k = b->first[j]; k < b->first[j + 1]; k++) bin += x > b->cut[k];
    return bin;
}

static void check_cells(const smr_bins *b, const double *x, int64_t n, int64_t d)
{
    for (int64_t j = 0; j < d; j++) {
        bool missing = false;
        for (int64_t i = 0; i < n; i++) {
            missing |= isnan(x[i * d + j]);
            if (cell_at(b, i, j) != bin_of(b, j, x[i * d + j]))
                fail_msg("row %d, feature %d (%g): cell %d, wanted %d", (int)i, (int)j,
                         x[i * d + j], cell_at(b, i, j), bin_of(b, j, x[i * d + j]));
        }
        assert_int_equal(missing, b->has_missing[j]);
    }
}

enum { N = 5003, D = 12 };

/* Columns of every shape a number can have. */
static double *shapes(smr_ctx *ctx, int64_t n)
{
    double *x = smr_alloc(ctx, n * D, sizeof *x);
    for (int64_t i = 0; i < n; i++) {
        double u = noise(i, 1), *r = x + i * D;
        r[0] = u;                                /* spread evenly                */
        r[1] = exp(40 * u);                      /* over 30 orders of magnitude  */
        r[2] = floor(100 * u);                   /* some hundred whole numbers   */
        r[3] = 7.25;                             /* constant                     */
        r[4] = u < 0.7 ? 0 : u;                  /* mostly zero                  */
        r[5] = i % 3 == 0 ? NAN : u;             /* a third is missing           */
        r[6] = NAN;                              /* only missing values          */
        r[7] = 1 + floor(400 * u) * DBL_EPSILON; /* neighbouring doubles         */
        r[8] = i % 2 ? INFINITY : -INFINITY;     /* the ends                     */
        r[9] = i % 5 == 0 ? INFINITY : DBL_MAX * u;
        r[10] = i % 2 ? 0.0 : -0.0;             /* one value                    */
        r[11] = floor(1000 * u) * DBL_TRUE_MIN; /* the smallest there are       */
    }
    return x;
}

static void cells_are_what_the_cuts_say(void **state)
{
    (void)state;
    smr_ctx *ctx = check_ctx(2);
    double *x = shapes(ctx, N);
    smr_feature f[D];
    matrix_features(f, D, x);
    smr_data data = data_of(f, D, N);
    for (int layout = 0; layout < 2; layout++) {
        smr_bins b;
        check_ok(ctx, smr_bins_build(ctx, &data, 255, (smr_bins_layout)layout, &b));
        check_cells(&b, x, N, D);
        for (int64_t j = 0; j < D; j++)
            assert_int_equal(b.first[j + 1] - b.first[j] + 1, b.n_bins[j]);
        static const int bins[D] = {255, 255, 200, 1, 255, 255, 1, 255, 2, 255, 1, 255};
        static const bool exact[D] = {0, 0, 1, 1, 0, 0, 1, 0, 1, 0, 1, 0};
        for (int64_t j = 0; j < D; j++) {
            if (b.n_bins[j] != bins[j])
                fail_msg("feature %d: %d bins, wanted %d", (int)j, b.n_bins[j], bins[j]);
            assert_int_equal(b.is_exact[j], exact[j]);
        }
        smr_bins_release(&b);
    }
    smr_free(x);
    check_ctx_end(ctx);
}

static void cuts_part_neighbouring_doubles(void **state)
{
    (void)state;
    static const double pairs[][2] = {{1, 2},
                                      {1, 1 + DBL_EPSILON},
                                      {-DBL_TRUE_MIN, DBL_TRUE_MIN},
                                      {0, DBL_TRUE_MIN},
                                      {-DBL_TRUE_MIN, 0},
                                      {-DBL_MAX, DBL_MAX},
                                      {DBL_MAX, INFINITY},
                                      {-INFINITY, -DBL_MAX},
                                      {-INFINITY, INFINITY},
                                      {3 - 2 * DBL_EPSILON, 3}};
    for (int k = 0; k < (int)SMR_COUNT(pairs); k++) {
        double cut = smr_bins_between(pairs[k][0], pairs[k][1]);
        if (!(pairs[k][0] <= cut && cut < pairs[k][1]))
            fail_msg("%.17g is not between %.17g and %.17g", cut, pairs[k][0], pairs[k][1]);
    }
    assert_true(smr_bins_between(1, 2) == 1.5);
}

/* Quantiles: no bin of a continuous feature holds more than twice its share, and a value that many
 * rows have gets a bin of its own. */
static void bins_hold_about_equally_many_rows(void **state)
{
    (void)state;
    smr_ctx *ctx = check_ctx(1);
    double *x = shapes(ctx, N);
    smr_feature f[D];
    matrix_features(f, D, x);
    smr_data data = data_of(f, D, N);
    smr_bins b;
    for (int max_bins = 2; max_bins < 256; max_bins += 23) {
        check_ok(ctx, smr_bins_build(ctx, &data, max_bins, SMR_BINS_BY_COLUMN, &b));
        int64_t count[2][256] = {{0}}, zero = bin_of(&b, 4, 0);
        for (int64_t i = 0; i < N; i++) {
            count[0][cell_at(&b, i, 0)]++;
            count[1][cell_at(&b, i, 4)]++;
        }
        for (int k = 0; k < max_bins; k++)
            assert_true(abs((int)count[0][k] - N / max_bins) <= 1 + N / max_bins / 50);
        int64_t zeros = 0;
        for (int64_t i = 0; i < N; i++) zeros += x[i * D + 4] == 0;
        assert_int_equal(count[1][zero], zeros);
        smr_bins_release(&b);
    }
    smr_free(x);
    check_ctx_end(ctx);
}

static void same_bytes_at_any_number_of_threads(void **state)
{
    (void)state;
    enum { ROWS = SMR_BINS_SAMPLE + 50021, FEW = 4 };
    smr_ctx *one = check_ctx(1);
    double *x = smr_alloc(one, (int64_t)ROWS * FEW, sizeof *x);
    for (int64_t i = 0; i < (int64_t)ROWS * FEW; i++) x[i] = noise(i, 3);
    smr_feature f[FEW];
    matrix_features(f, FEW, x);
    smr_data data = data_of(f, FEW, ROWS);
    smr_bins a, b;
    check_ok(one, smr_bins_build(one, &data, 255, SMR_BINS_BY_ROW, &a));
    for (int threads = 2; threads <= 7; threads += 5) {
        smr_ctx *ctx = check_ctx(threads);
        check_ok(ctx, smr_bins_build(ctx, &data, 255, SMR_BINS_BY_ROW, &b));
        assert_memory_equal(a.cell, b.cell, (size_t)(ROWS * a.stride));
        assert_memory_equal(a.cut, b.cut, (size_t)a.first[FEW] * sizeof *a.cut);
        smr_bins_release(&b);
        check_ctx_end(ctx);
    }
    smr_bins_release(&a);
    smr_free(x);
    check_ctx_end(one);
}

/* Values that a sample is sure to miss: still exact where they are few, not where they are many. */
static void rare_values_beyond_the_sample_are_found(void **state)
{
    (void)state;
    enum { ROWS = 2 * SMR_BINS_SAMPLE + 1, FEW = 3 };
    smr_ctx *ctx = check_ctx(2);
    double *x = smr_alloc(ctx, (int64_t)ROWS * FEW, sizeof *x);
    for (int64_t i = 0; i < ROWS; i++) {
        x[i * FEW] = (double)(i % 7);
        x[i * FEW + 1] = i % 100003 == 5 ? (double)i : 1; /* 4 of them: one or more is missed */
        x[i * FEW + 2] = i % 1009 == 5 ? (double)i : 1;   /* 397                              */
    }
    smr_feature f[FEW];
    matrix_features(f, FEW, x);
    smr_data data = data_of(f, FEW, ROWS);
    smr_bins b;
    check_ok(ctx, smr_bins_build(ctx, &data, 255, SMR_BINS_BY_COLUMN, &b));
    check_cells(&b, x, ROWS, FEW);
    assert_int_equal(b.n_bins[0], 7);
    assert_int_equal(b.n_bins[1], 5);
    assert_true(b.is_exact[0] && b.is_exact[1] && !b.is_exact[2]);
    smr_bins_release(&b);
    smr_free(x);
    check_ctx_end(ctx);
}

static void bytes_and_floats_give_the_bins_of_doubles(void **state)
{
    (void)state;
    enum { ROWS = 1201, WIDE = 67 };
    smr_ctx *ctx = check_ctx(2);
    double *x = smr_alloc(ctx, ROWS * WIDE, sizeof *x);
    float *s = smr_alloc(ctx, ROWS * WIDE, sizeof *s);
    uint8_t *u = smr_alloc(ctx, ROWS * WIDE, sizeof *u);
    int64_t rows[ROWS / 2];
    for (int64_t k = 0; k < ROWS * WIDE; k++) {
        double v = noise(k, 5);
        u[k] = (uint8_t)(k % WIDE == 3 ? 9 : k % 5 == 0 ? 0 : 130 * (v + 0.9));
        s[k] = (float)u[k];
        x[k] = (double)u[k];
    }
    for (int64_t i = 0; i < ROWS / 2; i++) rows[i] = (i * 389) % ROWS;
    smr_feature f[3][WIDE];
    matrix_features(f[0], WIDE, x);
    for (int64_t j = 0; j < WIDE; j++) {
        f[1][j] = (smr_feature){.values = s + j, .stride = WIDE, .dtype = SMR_F32};
        f[2][j] = (smr_feature){.values = u + j, .stride = WIDE, .dtype = SMR_U8};
    }
    for (int picked = 0; picked < 2; picked++) {
        smr_bins b[3];
        for (int k = 0; k < 3; k++) {
            smr_data data = data_of(f[k], WIDE, picked ? ROWS / 2 : ROWS);
            data.rows = picked ? rows : NULL;
            check_ok(ctx, smr_bins_build(ctx, &data, 200, SMR_BINS_BY_ROW, &b[k]));
        }
        for (int k = 1; k < 3; k++) {
            assert_memory_equal(b[0].cell, b[k].cell, (size_t)(b[0].n_rows * b[0].stride));
            assert_memory_equal(b[0].cut, b[k].cut, (size_t)b[0].first[WIDE] * sizeof(double));
        }
        assert_int_equal(b[2].n_bins[3], 1);
        for (int k = 0; k < 3; k++) smr_bins_release(&b[k]);
    }
    smr_free(x);
    smr_free(s);
    smr_free(u);
    check_ctx_end(ctx);
}

/* A stage that doubles its input. */
static smr_status doubled(smr_ctx *ctx, const smr_rows *in, double *out)
{
    (void)ctx;
    for (int64_t i = 0; i < in->n; i++)
        for (int64_t j = 0; j < in->d; j++)
            out[i * in->d + j] = 2 * ((const double *)in->x)[i * in->stride + j];
    return SMR_OK;
}

static void computed_data_are_binned_as_if_they_were_there(void **state)
{
    (void)state;
    enum { ROWS = SMR_BINS_SAMPLE + 3001, FEW = 3 };
    smr_ctx *ctx = check_ctx(2);
    double *x = smr_alloc(ctx, (int64_t)ROWS * FEW, sizeof *x), *y = NULL;
    for (int64_t i = 0; i < (int64_t)ROWS * FEW; i++)
        x[i] = i % FEW == 2 ? (double)(i % 100) : noise(i, 8);
    smr_feature f[2][FEW];
    matrix_features(f[0], FEW, x);
    smr_data source = data_of(f[0], FEW, ROWS);
    for (int j = 0; j < FEW; j++) f[1][j] = (smr_feature){.name = "y", .stride = 1};
    smr_data lazy = data_of(f[1], FEW, ROWS);
    static const struct computed doubling = {doubled};
    compute_data(&lazy, &source, &doubling, SMR_FORM_F64);
    smr_bins a, b;
    check_ok(ctx, smr_bins_build(ctx, &lazy, 255, SMR_BINS_BY_COLUMN, &a));
    y = smr_alloc(ctx, (int64_t)ROWS * FEW, sizeof *y);
    for (int64_t i = 0; i < (int64_t)ROWS * FEW; i++) y[i] = 2 * x[i];
    matrix_features(f[0], FEW, y);
    smr_data there = data_of(f[0], FEW, ROWS);
    check_ok(ctx, smr_bins_build(ctx, &there, 255, SMR_BINS_BY_COLUMN, &b));
    assert_memory_equal(a.cut, b.cut, (size_t)b.first[FEW] * sizeof(double));
    for (int j = 0; j < FEW; j++)
        assert_memory_equal(a.cell + j * a.stride, b.cell + j * b.stride, ROWS);
    smr_bins_release(&a);
    smr_bins_release(&b);
    smr_free(x);
    smr_free(y);
    check_ctx_end(ctx);
}

static void frequent_levels_have_bins_of_their_own(void **state)
{
    (void)state;
    enum { ROWS = 120011, LEVELS = 100000 };
    smr_ctx *ctx = check_ctx(2);
    int32_t *code = smr_alloc(ctx, ROWS, sizeof *code), *few = smr_alloc(ctx, ROWS, sizeof *few);
    for (int64_t i = 0; i < ROWS; i++) {
        code[i] = (int32_t)(i % LEVELS);
        if (i % 3 == 0) code[i] = 99000 + (int32_t)(i / 3 % 100) * 3; /* 100 frequent ones */
        few[i] = i % 11 == 0 ? -1 : (int32_t)(i % 5);
    }
    smr_feature f[2] = {
        {.kind = SMR_CATEGORY, .dtype = SMR_I32, .values = code, .stride = 1, .n_levels = LEVELS},
        {.kind = SMR_CATEGORY, .dtype = SMR_I32, .values = few, .stride = 1, .n_levels = 6}};
    smr_data data = data_of(f, 2, ROWS);
    smr_bins b;
    check_ok(ctx, smr_bins_build(ctx, &data, 255, SMR_BINS_BY_COLUMN, &b));
    assert_int_equal(b.n_bins[0], 255);
    assert_false(b.is_exact[0]);
    int64_t users[256] = {0};
    for (int64_t v = 0; v < LEVELS; v++) users[b.level_bin[0][v]]++;
    for (int k = 0; k < 254; k++) assert_int_equal(users[k], 1);
    assert_int_equal(users[254], LEVELS - 254);
    for (int k = 0; k < 100; k++) assert_true(b.level_bin[0][99000 + 3 * k] < 254);
    for (int64_t i = 0; i < ROWS; i++) assert_int_equal(b.cell[i], b.level_bin[0][code[i]]);
    assert_int_equal(b.n_bins[1], 6);
    assert_true(b.is_exact[1] && b.has_missing[1] && !b.has_missing[0] && !b.level_bin[1]);
    for (int64_t i = 0; i < ROWS; i++)
        assert_int_equal(b.cell[b.stride + i], few[i] < 0 ? 6 : few[i]);
    smr_bins_release(&b);
    smr_free(code);
    smr_free(few);
    check_ctx_end(ctx);
}

static void check_same_bins(const smr_bins *a, const smr_bins *b)
{
    assert_memory_equal(a->n_bins, b->n_bins, (size_t)a->n_features * sizeof *a->n_bins);
    assert_memory_equal(a->first, b->first, (size_t)(a->n_features + 1) * sizeof *a->first);
    assert_memory_equal(a->cut, b->cut, (size_t)a->first[a->n_features] * sizeof *a->cut);
    for (int64_t j = 0; j < a->n_features; j++) {
        assert_int_equal(a->is_exact[j], b->is_exact[j]);
        assert_int_equal(!a->level_bin[j], !b->level_bin[j]);
        if (a->level_bin[j])
            assert_memory_equal(a->level_bin[j], b->level_bin[j], (size_t)a->n_levels[j]);
    }
}

/* Numbers of every shape, bytes of 256 values, and a category of many levels. */
static void weight_two_gives_the_bins_of_the_row_twice(void **state)
{
    (void)state;
    enum { LEVELS = 700, MOST = 3 * N };
    smr_ctx *ctx = check_ctx(2);
    double *x = shapes(ctx, N), *weight = smr_alloc(ctx, N, sizeof *weight);
    int64_t *rows = smr_alloc(ctx, MOST, sizeof *rows), n = 0;
    int32_t *code = smr_alloc(ctx, N, sizeof *code);
    uint8_t *bytes = smr_alloc(ctx, N, 1);
    smr_feature f[D + 1], g[1] = {{.values = bytes, .stride = 1, .dtype = SMR_U8}};
    for (int64_t i = 0; i < N; i++) {
        weight[i] = x[i * D] > 0.2 ? 3 : 1; /* heavy where the numbers are large */
        code[i] = (int32_t)((i * i + i / 7) % LEVELS);
        bytes[i] = (uint8_t)(i % 256);
        for (int64_t r = 0; r < (int64_t)weight[i]; r++) rows[n++] = i;
    }
    matrix_features(f, D, x);
    f[D] = (smr_feature){
        .kind = SMR_CATEGORY, .dtype = SMR_I32, .values = code, .stride = 1, .n_levels = LEVELS};
    for (int k = 0; k < 2; k++) {
        smr_data one = data_of(k ? g : f, k ? 1 : D + 1, N), more = one;
        smr_bins a, b, plain;
        check_ok(ctx, smr_bins_build(ctx, &one, 200, SMR_BINS_BY_COLUMN, &plain));
        one.weight = weight;
        more.rows = rows;
        more.n_rows = n;
        check_ok(ctx, smr_bins_build(ctx, &one, 200, SMR_BINS_BY_COLUMN, &a));
        check_ok(ctx, smr_bins_build(ctx, &more, 200, SMR_BINS_BY_COLUMN, &b));
        check_same_bins(&a, &b);
        assert_true(a.cut[k ? 199 / 2 : 100] != plain.cut[k ? 199 / 2 : 100]);
        smr_bins_release(&a);
        smr_bins_release(&b);
        smr_bins_release(&plain);
    }
    smr_free(x);
    smr_free(weight);
    smr_free(rows);
    smr_free(code);
    smr_free(bytes);
    check_ctx_end(ctx);
}

/* A row of weight 0 moves no cut, and weights of which all are the same neither. */
static void weightless_rows_move_no_cut(void **state)
{
    (void)state;
    enum { ROWS = 1501, LESS = 1000 };
    smr_ctx *ctx = check_ctx(1);
    double x[ROWS], weight[ROWS], same[LESS];
    for (int64_t i = 0; i < ROWS; i++) {
        x[i] = noise(i, 4);
        weight[i] = i < LESS ? 0.25 : 0;
    }
    for (int64_t i = 0; i < LESS; i++) same[i] = 4;
    smr_feature f[1] = {{.values = x, .dtype = SMR_F64, .stride = 1}};
    smr_data all = data_of(f, 1, ROWS), less = data_of(f, 1, LESS), even = less;
    smr_bins a, b, c;
    all.weight = weight;
    even.weight = same;
    check_ok(ctx, smr_bins_build(ctx, &all, 60, SMR_BINS_BY_COLUMN, &a));
    check_ok(ctx, smr_bins_build(ctx, &less, 60, SMR_BINS_BY_COLUMN, &b));
    check_ok(ctx, smr_bins_build(ctx, &even, 60, SMR_BINS_BY_COLUMN, &c));
    check_same_bins(&a, &b);
    check_same_bins(&c, &b);
    smr_bins_release(&a);
    smr_bins_release(&b);
    smr_bins_release(&c);
    check_ctx_end(ctx);
}

static smr_status build_and_release(smr_ctx *ctx, void *arg)
{
    smr_bins b;
    smr_status st = smr_bins_build(ctx, arg, 40, SMR_BINS_BY_COLUMN, &b);
    if (st == SMR_OK) smr_bins_release(&b);
    return st;
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    enum { ROWS = 307 };
    smr_ctx *ctx = check_ctx(2);
    double x[ROWS], weight[ROWS];
    int32_t code[ROWS];
    uint8_t u[ROWS];
    for (int64_t i = 0; i < ROWS; i++) {
        x[i] = noise(i, 0);
        weight[i] = 0.5 + (double)(i % 4);
        code[i] = (int32_t)i;
        u[i] = (uint8_t)(i * 7);
    }
    smr_feature f[2] = {
        {.values = x, .dtype = SMR_F64, .stride = 1},
        {.kind = SMR_CATEGORY, .dtype = SMR_I32, .values = code, .stride = 1, .n_levels = ROWS}};
    smr_feature g[1] = {{.values = u, .dtype = SMR_U8, .stride = 1}};
    smr_data data = data_of(f, 2, ROWS), bytes = data_of(g, 1, ROWS);
    check_ok(ctx, build_and_release(ctx, &data)); /* the threads' pool stays with the context */
    assert_true(fail_each_allocation(ctx, build_and_release, &data) > 10);
    assert_true(fail_each_allocation(ctx, build_and_release, &bytes) > 10);
    data.weight = bytes.weight = weight;
    assert_true(fail_each_allocation(ctx, build_and_release, &data) > 15);
    assert_true(fail_each_allocation(ctx, build_and_release, &bytes) > 10);
    check_ctx_end(ctx);
}

static void one_row_and_no_feature_are_no_trouble(void **state)
{
    (void)state;
    smr_ctx *ctx = check_ctx(1);
    double x[2] = {3, NAN};
    smr_feature f[2];
    matrix_features(f, 2, x);
    smr_data data = data_of(f, 2, 1), none = data_of(f, 0, 1);
    smr_bins b;
    check_ok(ctx, smr_bins_build(ctx, &data, 255, SMR_BINS_BY_COLUMN, &b));
    assert_int_equal(b.n_bins[0], 1);
    assert_int_equal(cell_at(&b, 0, 0), 0);
    assert_int_equal(cell_at(&b, 0, 1), 1);
    smr_bins_release(&b);
    check_ok(ctx, smr_bins_build(ctx, &none, 255, SMR_BINS_BY_ROW, &b));
    smr_bins_release(&b);
    check_ctx_end(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cells_are_what_the_cuts_say),
        cmocka_unit_test(cuts_part_neighbouring_doubles),
        cmocka_unit_test(bins_hold_about_equally_many_rows),
        cmocka_unit_test(same_bytes_at_any_number_of_threads),
        cmocka_unit_test(rare_values_beyond_the_sample_are_found),
        cmocka_unit_test(bytes_and_floats_give_the_bins_of_doubles),
        cmocka_unit_test(computed_data_are_binned_as_if_they_were_there),
        cmocka_unit_test(frequent_levels_have_bins_of_their_own),
        cmocka_unit_test(weight_two_gives_the_bins_of_the_row_twice),
        cmocka_unit_test(weightless_rows_move_no_cut),
        cmocka_unit_test(every_allocation_may_fail),
        cmocka_unit_test(one_row_and_no_feature_are_no_trouble),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
