/* test_boost_parts.c -- histograms, bundles of columns, drawn rows and Shapley values of boost. */
#include "learn/matrix_data.h"

#include "learn/trees/boost.h"

extern const smr_learner smr_boost;

enum { N = 20011, D = 13 };

/* ---- histograms ------------------------------------------------------------------------- */

struct lab {
    smr_boost_cells cells;
    uint8_t *cell;
    smr_boost_pair *pair;
    int32_t *weight, *rows, columns[D];
    smr_boost_lane lane;
    smr_boost_gradients of;
    int fields;
};

/* Multiplies whole weights into narrow pairs; wide ones get them when they are added. */
static void weigh(struct lab *l)
{
    for (int i = 0; i < N && l->of.is_narrow; i++) {
        l->weight[i] = 1 + i % SMR_BOOST_HEAVIEST;
        l->pair[i].word *= l->weight[i];
    }
    l->of.is_once = !l->of.is_narrow;
    l->of.heaviest = SMR_BOOST_HEAVIEST;
}

/* Columns of 2 .. 256 cells; pairs as large as they may be. */
static void open_lab(struct lab *l, bool narrow, bool counts)
{
    *l = (struct lab){.fields = counts ? 3 : 2};
    l->cells = (smr_boost_cells){.n_rows = N, .n_columns = D, .stride = D + 3};
    l->cells.start = calloc(D + 1, sizeof *l->cells.start);
    for (int c = 0; c < D; c++)
        l->cells.start[c + 1] = l->cells.start[c] + (c % 3 == 0 ? 256 : 2 + 11 * c);
    l->cell = calloc((size_t)N * (D + 3) + 64, 1);
    l->pair = calloc(N, sizeof *l->pair);
    l->weight = calloc(N, sizeof *l->weight);
    l->rows = calloc(N, sizeof *l->rows);
    for (int i = 0; i < N; i++) {
        for (int c = 0; c < D; c++) {
            uint64_t size = (uint64_t)(l->cells.start[c + 1] - l->cells.start[c]);
            l->cell[i * (D + 3) + c] =
                (uint8_t)(smr_random_bits(3, SMR_STREAM_TEST, (uint64_t)c, (uint64_t)i) % size);
        }
        uint64_t bits = smr_random_bits(4, SMR_STREAM_TEST, 0, (uint64_t)i);
        int64_t top = narrow ? INT64_C(1) << 17 : INT64_C(1) << 30;
        int64_t g = i % 3 ? (int64_t)(bits % (uint64_t)(2 * top)) - top : -top;
        int64_t h = i % 5    ? (int64_t)(bits >> 40) % (2 * top - 1) + 1
                    : narrow ? 2 * top
                             : 2 * top - 1;
        if (narrow)
            l->pair[i].word = g * (INT64_C(1) << 32) + h;
        else
            l->pair[i].whole.g = (int32_t)g, l->pair[i].whole.h = (int32_t)h;
        l->weight[i] = i % 7;
    }
    for (int c = 0; c < D; c++) l->columns[c] = c;
    l->cells.cell = l->cell;
    l->of = (smr_boost_gradients){
        .pair = l->pair, .weight = l->weight, .is_narrow = narrow, .counts = counts, .heaviest = 1};
    l->lane.narrow = calloc((size_t)l->cells.start[D], sizeof(int64_t));
    l->lane.wide = calloc((size_t)l->cells.start[D] * 3, sizeof(int64_t));
}

static void close_lab(struct lab *l)
{
    free(l->cells.start);
    free(l->cell);
    free(l->pair);
    free(l->weight);
    free(l->rows);
    free(l->lane.narrow);
    free(l->lane.wide);
}

/* The histogram of rows[0 .. n), or of all rows where n < 0. */
static int64_t *histogram(struct lab *l, int64_t n)
{
    int64_t n_cells = l->cells.start[D];
    int64_t *out = calloc((size_t)(n_cells * l->fields), sizeof *out);
    smr_boost_hist_add(&l->cells, l->columns, D, &l->of, n < 0 ? NULL : l->rows, 0, n < 0 ? N : n,
                       &l->lane);
    smr_boost_hist_take(&l->lane, 1, 0, n_cells, l->fields, out);
    l->lane.pending = 0;
    l->lane.is_used = l->lane.is_spilled = false;
    for (int64_t i = 0; i < n_cells; i++) assert_int_equal(l->lane.narrow[i], 0);
    for (int64_t i = 0; i < n_cells * 3; i++) assert_int_equal(l->lane.wide[i], 0);
    return out;
}

static void add_plainly(const struct lab *l, int64_t row, int64_t *out)
{
    int64_t word = l->pair[row].word, low = (int64_t)(uint32_t)word;
    int64_t times = l->of.is_once ? l->weight[row] : 1;
    for (int c = 0; c < D; c++) {
        int64_t *at = out + l->fields * (l->cells.start[c] + l->cell[row * (D + 3) + c]);
        at[0] += l->of.is_narrow ? (word - low) / (INT64_C(1) << 32) : times * l->pair[row].whole.g;
        at[1] += l->of.is_narrow ? low : times * l->pair[row].whole.h;
        if (l->fields == 3) at[2] += l->weight[row];
    }
}

static void a_childs_histogram_is_its_parents_less_its_siblings(void **unused)
{
    (void)unused;
    for (int mode = 0; mode < 6; mode++) {
        struct lab l;
        open_lab(&l, mode % 3 == 0, mode % 3 == 2);
        if (mode >= 3) weigh(&l);
        int64_t size = l.cells.start[D] * l.fields, n = 0, m = 0;
        int64_t *all = histogram(&l, -1), *truth = calloc((size_t)size, sizeof *truth);
        for (int64_t i = 0; i < N; i++) add_plainly(&l, i, truth);
        assert_memory_equal(all, truth, (size_t)size * sizeof *truth);
        for (int64_t i = 0; i < N; i++)
            if (i % 10 < 7) l.rows[n++] = (int32_t)i;
        int64_t *first = histogram(&l, n);
        for (int64_t i = 0; i < N; i++)
            if (i % 10 >= 7) l.rows[m++] = (int32_t)i;
        int64_t *second = histogram(&l, m);
        for (int64_t i = 0; i < size; i++) assert_int_equal(all[i] - first[i], second[i]);
        free(all);
        free(truth);
        free(first);
        free(second);
        close_lab(&l);
    }
}

static void some_columns_are_added_as_all_are(void **unused)
{
    (void)unused;
    struct lab l;
    open_lab(&l, true, false);
    int64_t *all = histogram(&l, -1), n_cells = l.cells.start[D];
    int64_t *some = calloc((size_t)(n_cells * 2), sizeof *some);
    int32_t columns[] = {1, 4, 5, 12};
    smr_boost_hist_add(&l.cells, columns, 4, &l.of, NULL, 0, N, &l.lane);
    smr_boost_hist_take(&l.lane, 1, 0, n_cells, 2, some);
    for (int c = 0; c < D; c++)
        for (int64_t i = 2 * l.cells.start[c]; i < 2 * l.cells.start[c + 1]; i++)
            assert_int_equal(some[i], c == 1 || c == 4 || c == 5 || c == 12 ? all[i] : 0);
    free(all);
    free(some);
    close_lab(&l);
}

/* ---- bundles ---------------------------------------------------------------------------- */

/* 40 marks of which a row has one, a constant, a number: two columns are left, and every bin of
 * every feature is found again. */
static void marks_that_exclude_each_other_share_a_column(void **unused)
{
    (void)unused;
    enum { ROWS = 5003, MARKS = 40, COLUMNS = MARKS + 2 };
    double *x = calloc((size_t)ROWS * COLUMNS, sizeof *x), y[ROWS] = {0};
    smr_ctx *ctx = check_ctx(2);
    struct matrix_data m;
    smr_bins bins = {0}, plain = {0};
    smr_boost_cells cells = {0};
    for (int i = 0; i < ROWS; i++) {
        double u = smr_random_unit(7, SMR_STREAM_TEST, 1, (uint64_t)i);
        x[i * COLUMNS + (int)(u * MARKS)] = i % 3 + 1;
        x[i * COLUMNS + MARKS] = 4;
        x[i * COLUMNS + MARKS + 1] = u;
    }
    matrix_data(&m, ROWS, COLUMNS, 1, x, y, NULL);
    check_ok(ctx, smr_bins_build(ctx, &m.data, 255, SMR_BINS_BY_ROW, &bins));
    check_ok(ctx, smr_bins_build(ctx, &m.data, 255, SMR_BINS_BY_ROW, &plain));
    check_ok(ctx, smr_boost_cells_make(ctx, &bins, &cells));
    assert_int_equal(cells.n_columns, 2);
    assert_int_equal(cells.feature[MARKS].column, -1);
    for (int i = 0; i < ROWS; i++)
        for (int j = 0; j < COLUMNS; j++) {
            const smr_boost_feature *f = &cells.feature[j];
            int bin = plain.cell[i * plain.stride + j], found = 0;
            if (f->column < 0) continue;
            uint8_t cell = cells.cell[i * cells.stride + f->column];
            bool is_common = f->is_bundled && bin == f->common;
            for (int b = 0; b < f->n_bins; b++)
                found += smr_boost_cell(f, b) == cell && !(f->is_bundled && b == f->common);
            assert_int_equal(found, !is_common); /* another's cell is this one's common bin */
            if (!is_common) assert_int_equal(cell, smr_boost_cell(f, bin));
        }
    smr_boost_cells_release(&cells);
    smr_bins_release(&bins);
    smr_bins_release(&plain);
    free(x);
    check_ctx_end(ctx);
}

/* ---- rows of a round -------------------------------------------------------------------- */

/* goss keeps every row of the largest gradients, and sums keep their expectation. */
static void rows_by_gradient_stand_for_all(void **unused)
{
    (void)unused;
    smr_ctx *ctx = check_ctx(1);
    struct smr_boost_params p = {.sampling = SMR_BOOST_GOSS, .top = 0.2, .other = 0.1, .rate = 0.5};
    smr_boost_pair *pair = calloc(N, sizeof *pair);
    uint8_t *is = calloc(N, 1);
    double *noise = random_matrix(N, 3), more = 0, all = 0, drawn = 0, least = INFINITY, most = 0;
    int64_t n[4] = {0};
    for (int i = 0; i < N; i++) {
        pair[i].real.g = (float)(noise[i] * noise[i]);
        is[i] = i % 9 == 4 ? SMR_BOOST_APART : SMR_BOOST_IN;
    }
    smr_boost_bag bag = {N, 1, pair, is};
    check_ok(ctx, smr_boost_draw_rows(ctx, &p, 1, &bag, &more));
    check_near("too early", more, 1, 0);
    check_ok(ctx, smr_boost_draw_rows(ctx, &p, 2, &bag, &more));
    check_near("more", more, 8, 1e-15);
    for (int i = 0; i < N; i++) {
        double g = (double)pair[i].real.g;
        n[is[i]]++;
        if (i % 9 == 4) assert_int_equal(is[i], SMR_BOOST_APART);
        if (is[i] == SMR_BOOST_APART) continue;
        all += g;
        drawn += is[i] == SMR_BOOST_IN ? g : is[i] == SMR_BOOST_MORE ? more * g : 0;
        if (is[i] == SMR_BOOST_IN)
            least = fmin(least, g);
        else
            most = fmax(most, g);
    }
    assert_true(most <= least);
    int64_t rows = N - n[SMR_BOOST_APART];
    check_near("top", (double)n[SMR_BOOST_IN] / (double)rows, 0.2, 1e-3);
    check_near("other", (double)n[SMR_BOOST_MORE] / (double)rows, 0.1, 1e-2);
    check_near("sum", drawn / all, 1, 0.02);
    free(pair);
    free(is);
    free(noise);
    check_ctx_end(ctx);
}

/* ---- rows kept apart -------------------------------------------------------------------- */

/* Their gradients have no part in the units of the others', however large they are. */
static void a_row_kept_apart_may_be_as_large_as_it_likes(void **unused)
{
    (void)unused;
    enum { ROWS = 40 };
    double *x = random_matrix(ROWS, 7), *y = random_matrix(ROWS, 8);
    int n_apart = 0;
    struct matrix_data m;
    matrix_data(&m, ROWS, 1, 1, x, y, NULL);
    struct fitted plain = fit_matrix(&smr_boost, "rounds=6 validation=0.3 patience=6", &m.data, 1);
    const struct smr_boost_state *want = plain.state;
    for (int i = 0; i < ROWS; i++) {
        double was = y[i];
        y[i] = 1e30;
        struct fitted f = fit_matrix(&smr_boost, "rounds=6 validation=0.3 patience=6", &m.data, 1);
        const struct smr_boost_state *got = f.state;
        if (got->curve[0] == want->curve[0]) { /* the others are what they were */
            n_apart++;
            assert_int_equal(got->n_curve, 7);
            assert_memory_equal(got->curve, want->curve, 7 * sizeof *got->curve);
        }
        end_fitted(&f);
        y[i] = was;
    }
    assert_int_equal(n_apart, want->n_validation);
    end_fitted(&plain);
    free(x);
    free(y);
}

/* ---- Shapley values --------------------------------------------------------------------- */

static void shapley_values_sum_to_the_scores(void **unused)
{
    (void)unused;
    enum { ROWS = 311, COLUMNS = 4 };
    for (int64_t classes = 0; classes <= 3; classes += classes ? 1 : 2) {
        double *x = random_matrix(ROWS * COLUMNS, 5), *y = random_matrix(ROWS, 6);
        int32_t label[ROWS];
        int64_t k = 0, scores = classes == 3 ? 3 : 1;
        struct matrix_data m;
        matrix_data(&m, ROWS, COLUMNS, 1, x, y, NULL);
        for (int i = 0; i < ROWS; i++) {
            y[i] += 2 * x[i * COLUMNS + 1] * x[i * COLUMNS];
            label[i] = (int32_t)(y[i] < -1 ? 0 : y[i] < 0.5 || classes < 3 ? 1 : 2);
        }
        if (classes) {
            m.data.task = SMR_TASK_CLASSIFY;
            m.data.label = label;
            m.data.n_classes = classes;
        }
        struct fitted f = fit_matrix(&smr_boost, "rounds=15 max_leaves=7", &m.data, 2);
        check_ok(f.ctx, smr_boost.fitted->prepare(f.ctx, f.params, f.state));
        smr_rows rows = {.n = ROWS, .d = COLUMNS, .form = SMR_FORM_F64, .x = x, .stride = COLUMNS};
        check_ok(f.ctx,
                 smr_boost.fitted->explain->shapley(f.ctx, f.params, f.state, NULL, &k, NULL));
        assert_int_equal(k, scores);
        double *values = calloc((size_t)(ROWS * k * (COLUMNS + 1)), sizeof *values);
        double *out = calloc((size_t)ROWS * 3, sizeof *out);
        check_ok(f.ctx,
                 smr_boost.fitted->explain->shapley(f.ctx, f.params, f.state, &rows, &k, values));
        check_ok(f.ctx, smr_boost.fitted->predict(f.ctx, f.params, f.state, &rows,
                                                  classes ? SMR_OUTPUT_DECISION : SMR_OUTPUT_VALUE,
                                                  out, NULL));
        for (int64_t i = 0; i < ROWS * k; i++) {
            double sum = 0;
            for (int j = 0; j <= COLUMNS; j++) sum += values[i * (COLUMNS + 1) + j];
            check_near("sum", sum, classes == 2 ? out[2 * i + 1] : out[i], 1e-10);
        }
        end_fitted(&f);
        free(values);
        free(out);
        free(x);
        free(y);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_childs_histogram_is_its_parents_less_its_siblings),
        cmocka_unit_test(some_columns_are_added_as_all_are),
        cmocka_unit_test(marks_that_exclude_each_other_share_a_column),
        cmocka_unit_test(rows_by_gradient_stand_for_all),
        cmocka_unit_test(a_row_kept_apart_may_be_as_large_as_it_likes),
        cmocka_unit_test(shapley_values_sum_to_the_scores),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
