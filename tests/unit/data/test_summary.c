/* Summaries against numpy and scipy, hard cases of moments, warnings; the hash of a table. */
#include "formats_check.h"

#include "data/hash.h"
#include "data/summary.h"
#include "data/vocab.h"
#include "truth/stats.h"

static smr_column number_column(const double *x, const char *name)
{
    return (smr_column){.name = (char *)(uintptr_t)name,
                        .dtype = SMR_F64,
                        .stride = 1,
                        .values = (void *)(uintptr_t)x};
}

/* ---- moments and quartiles ---- */

/* summary_y of tests/truth/stats.py with a gap. */
static void numbers_agree_with_numpy_and_scipy(void **state)
{
    (void)state;
    smr_ctx *ctx = check_ctx(1);
    double y[8];
    for (int i = 0; i < 8; i++) y[i] = i == 2 ? NAN : summary_y[i - (i > 2)];
    smr_column c = number_column(y, "y");
    smr_column_summary s;
    check_ok(ctx, smr_column_summarize(ctx, &c, 8, &s));
    assert_int_equal(s.n, 7);
    assert_int_equal(s.n_missing, 1);
    assert_int_equal(s.n_distinct, 6);
    assert_int_equal(s.n_zero, 0);
    assert_false(s.is_whole);
    check_near("mean", s.mean, summary[0], 1e-15);
    check_near("sd", s.sd, summary[1], 1e-15);
    check_near("skewness", s.skewness, summary[2], 1e-15);
    check_near("min", s.min, summary_quartiles[0], 0);
    check_near("q1", s.q1, summary_quartiles[1], 0);
    check_near("median", s.median, summary_quartiles[2], 0);
    check_near("q3", s.q3, summary_quartiles[3], 1e-15);
    check_near("max", s.max, summary_quartiles[4], 0);
    check_ctx_end(ctx);
}

/* Sums of squares without a shift lose every digit here: the answer is exact arithmetic's.
 * x = 1e15 + {4, 7, 13, 16}: mean 1e15 + 10, sd sqrt(30), skewness 0. */
static void a_large_offset_costs_no_digits(void **state)
{
    (void)state;
    smr_ctx *ctx = check_ctx(1);
    double x[] = {1e15 + 4, 1e15 + 7, 1e15 + 13, 1e15 + 16};
    smr_column c = number_column(x, "x");
    smr_column_summary s;
    check_ok(ctx, smr_column_summarize(ctx, &c, 4, &s));
    assert_true(s.mean == 1e15 + 10);
    check_near("sd", s.sd, sqrt(30), 1e-15);
    check_near("skewness", s.skewness, 0, 1e-15);
    assert_true(s.is_whole);
    check_ctx_end(ctx);
}

static void huge_and_tiny_numbers_neither_overflow_nor_vanish(void **state)
{
    (void)state;
    smr_ctx *ctx = check_ctx(1);
    double huge[] = {1e308, 1.2e308, 1.4e308}, tiny[] = {1e-310, 3e-310, 5e-310};
    smr_column c = number_column(huge, "x");
    smr_column_summary s;
    check_ok(ctx, smr_column_summarize(ctx, &c, 3, &s));
    check_near("mean", s.mean / 1e308, 1.2, 1e-15);
    check_near("sd", s.sd / 1e308, 0.2, 1e-15);
    c = number_column(tiny, "x");
    check_ok(ctx, smr_column_summarize(ctx, &c, 3, &s));
    check_near("mean", s.mean * 1e300 * 1e10, 3, 1e-10); /* subnormal: 5e-324 apart */
    check_near("sd", s.sd * 1e300 * 1e10, 2, 1e-10);
    check_ctx_end(ctx);
}

static void infinite_empty_single_and_constant_columns_have_answers(void **state)
{
    (void)state;
    smr_ctx *ctx = check_ctx(1);
    double x[] = {-0.0, INFINITY, 0.0, 3}, constant[] = {2.5, 2.5, NAN}, none[] = {NAN, NAN};
    smr_column c = number_column(x, "x");
    smr_column_summary s;
    check_ok(ctx, smr_column_summarize(ctx, &c, 4, &s));
    assert_true(s.mean == INFINITY && isnan(s.sd) && s.max == INFINITY && s.median == 1.5);
    assert_int_equal(s.n_infinite, 1);
    assert_int_equal(s.n_zero, 2);
    assert_int_equal(s.n_distinct, 3); /* -0 is 0 */
    assert_false(s.is_whole);
    c = number_column(constant, "x");
    check_ok(ctx, smr_column_summarize(ctx, &c, 3, &s));
    assert_true(s.mean == 2.5 && s.sd == 0 && isnan(s.skewness) && s.n_distinct == 1);
    c = number_column(none, "x");
    check_ok(ctx, smr_column_summarize(ctx, &c, 2, &s));
    assert_true(s.n == 0 && isnan(s.mean) && isnan(s.median) && s.n_distinct == 0);
    check_ok(ctx, smr_column_summarize(ctx, &c, 0, &s));
    assert_true(s.n == 0 && s.n_missing == 0);
    c = number_column(constant, "x");
    check_ok(ctx, smr_column_summarize(ctx, &c, 1, &s));
    assert_true(s.mean == 2.5 && isnan(s.sd) && s.q1 == 2.5);
    check_ctx_end(ctx);
}

/* Signs, exponents and ties in all orders: compared with counting. */
static void sorting_by_radix_finds_every_order_statistic(void **state)
{
    (void)state;
    enum { N = 4001 }; /* (N - 1) / 4 is whole: the quartiles are values */
    smr_ctx *ctx = check_ctx(1);
    static double x[N];
    uint64_t z = 99;
    for (int i = 0; i < N; i++) {
        z = z * 6364136223846793005u + 1442695040888963407u;
        x[i] = ldexp((double)(int64_t)(z >> 40) - 8388608, (int)(z >> 20) % 40);
        if (i % 7 == 0) x[i] = (double)(int)(z >> 60) - 8;
    }
    smr_column c = number_column(x, "x");
    smr_column_summary s;
    check_ok(ctx, smr_column_summarize(ctx, &c, N, &s));
    double q[] = {s.min, s.q1, s.median, s.q3, s.max};
    for (int k = 0; k < 5; k++) {
        int below = 0, at = 0, place = k * (N - 1) / 4;
        for (int i = 0; i < N; i++) below += x[i] < q[k], at += x[i] == q[k];
        assert_true(below <= place && place < below + at);
    }
    int distinct = 0;
    for (int i = 0; i < N; i++) {
        int j = 0;
        while (x[j] != x[i]) j++;
        distinct += j == i;
    }
    assert_int_equal(s.n_distinct, distinct);
    check_ctx_end(ctx);
}

static void whole_table_summary_equals_column_by_column(void **state)
{
    (void)state;
    enum { N = 1511, D = 21 };
    static float x[N * D];
    for (int i = 0; i < N * D; i++) x[i] = i % 13 == 5 ? NAN : (float)(i * 7919 % 10007) / 8;
    for (int threads = 1; threads <= 3; threads += 2) {
        smr_ctx *ctx = check_ctx(threads);
        smr_dense X = {x, SMR_F32, N, D, D};
        smr_table *t = NULL;
        smr_summary *s = NULL;
        check_ok(ctx, smr_table_view(ctx, &X, NULL, &t));
        check_ok(ctx, smr_table_summarize(ctx, t, NULL, &s));
        for (int j = 0; j < D; j++) {
            smr_column_summary one;
            check_ok(ctx, smr_column_summarize(ctx, &t->cols[j], N, &one));
            assert_memory_equal(&one, &s->columns[j], sizeof one);
        }
        smr_summary_free(s);
        smr_table_free(t);
        check_ctx_end(ctx);
    }
}

/* ---- categories, sparse blocks, warnings ---- */

static void levels_are_counted(void **state)
{
    (void)state;
    smr_ctx *ctx = check_ctx(1);
    smr_table *t = NULL;
    smr_summary *s = NULL;
    check_ok(ctx, read_text(ctx, smr_arff_read,
                            "@attribute c {z,unused,b,a}\n@attribute d date yyyy-MM-dd\n@data\n"
                            "b,2020-01-02\na,2019-05-06\n?,?\na,2021-01-01\nb,2019-05-06\nz,?\n",
                            &t));
    check_ok(ctx, smr_table_summarize(ctx, t, NULL, &s));
    const smr_column_summary *c = &s->columns[0], *d = &s->columns[1];
    int64_t want[] = {1, 0, 2, 2};
    assert_int_equal(c->n_levels, 4);
    assert_memory_equal(c->level_count, want, sizeof want);
    assert_int_equal(c->most_frequent, 2); /* the first of equals */
    assert_int_equal(c->n_distinct, 3);
    assert_int_equal(c->n_missing, 1);
    assert_true(d->min == 18022.0 * 86400 && d->max == 18628.0 * 86400); /* date -d ... +%s */
    smr_summary_free(s);
    smr_table_free(t);
    check_ctx_end(ctx);
}

static void sparse_blocks_are_counted(void **state)
{
    (void)state;
    smr_ctx *ctx = check_ctx(1);
    smr_table *t = NULL;
    smr_summary *s = NULL;
    check_ok(ctx, read_text(ctx, smr_libsvm_read, "1 2:0.5 7:-3\n0\n1 2:nan 3:9\n", &t));
    check_ok(ctx, smr_table_summarize(ctx, t, NULL, &s));
    assert_int_equal(s->n_entries, 4);
    assert_int_equal(s->n_sparse_missing, 1);
    assert_int_equal(s->n_empty_features, 4);
    assert_int_equal(s->n_empty_rows, 1);
    assert_true(s->sparse_min == -3 && s->sparse_max == 9);
    smr_summary_free(s);
    smr_table_free(t);
    check_ctx_end(ctx);
}

static bool warns(const smr_summary *s, const char *part)
{
    for (int64_t k = 0; k < s->n_warnings; k++)
        if (strstr(s->warnings[k], part)) return true;
    return false;
}

static void what_looks_wrong_is_said(void **state)
{
    (void)state;
    smr_ctx *ctx = check_ctx(2);
    smr_text text = {.ctx = ctx};
    smr_table *t = NULL;
    smr_summary *s = NULL;
    smr_text_add(&text, "@attribute same numeric\n@attribute id numeric\n@attribute name string\n"
                        "@attribute gone numeric\n@attribute twin {u,v}\n@attribute twin2 {v,u}\n"
                        "@attribute long numeric\n@attribute town string\n@attribute fine numeric\n"
                        "@attribute none numeric\n@attribute inf numeric\n@attribute fine2 "
                        "numeric\n@data\n");
    for (int i = 0; i < 400; i++)
        smr_text_printf(&text, "7,%d,n%d,%s,%s,%s,%d,t%d,%d.5,?,%s,%d.5\n", i * 3, i,
                        i % 5   ? "?"
                        : i % 2 ? "1"
                                : "2",
                        i % 3 ? "u" : "v", i % 3 ? "u" : "v", i == 9 ? 100000 : i % 10, i % 150,
                        i % 50,
                        i == 3  ? "inf"
                        : i % 2 ? "1"
                                : "0",
                        i % 50);
    check_ok(ctx, read_bytes(ctx, smr_arff_read, text.bytes, text.length, &t));
    check_ok(ctx, smr_table_summarize(ctx, t, NULL, &s));
    assert_true(warns(s, "column 'same' is constant"));
    assert_true(warns(s, "column 'id' looks like an identifier of the rows: 400 distinct"));
    assert_true(warns(s, "column 'name' looks like an identifier"));
    assert_true(warns(s, "column 'gone' is missing in 80 % of the rows"));
    assert_true(warns(s, "column 'twin2' repeats column 'twin'")); /* by name, not by code */
    assert_true(warns(s, "column 'long' is strongly skewed (skewness 19.9)"));
    assert_true(warns(s, "column 'town' has 150 different levels"));
    assert_true(warns(s, "column 'none' has no values at all"));
    assert_true(warns(s, "column 'inf' holds 1 infinite value"));
    assert_true(warns(s, "column 'fine2' repeats column 'fine'"));
    assert_false(warns(s, "column 'fine' "));
    assert_int_equal(s->n_warnings, 10);
    smr_summary_free(s);
    smr_table_free(t);
    smr_text_release(&text);
    check_ctx_end(ctx);
}

static void summarizing_survives_failing_memory(void **state)
{
    (void)state;
    for (int64_t k = 0;; k++) {
        smr_ctx *ctx = check_ctx(1);
        smr_table *t = NULL;
        smr_summary *s = NULL;
        check_ok(ctx, read_text(ctx, smr_arff_read,
                                "@attribute a numeric\n@attribute b numeric\n@attribute c {x,y}\n"
                                "@data\n1,1,x\n1,1,x\n1,1,y\n",
                                &t));
        smr_memory_fail_at(ctx, k);
        smr_status st = smr_table_summarize(ctx, t, NULL, &s);
        smr_summary_free(s);
        smr_table_free(t);
        check_ctx_end(ctx);
        if (st == SMR_OK) break;
        assert_int_equal(st, SMR_ERR_NOMEM);
    }
}

/* ---- hash ---- */

enum { ROWS = 2503, COLS = 11 };

static void fill(double *x)
{
    for (int i = 0; i < ROWS * COLS; i++)
        x[i] = i % 19 == 4 ? NAN : (double)(i * 7919 % 10007) / 64 - 20;
}

static void hash_knows_neither_layout_nor_threads_nor_cpu(void **state)
{
    (void)state;
    static double x[ROWS * COLS], columns[COLS][ROWS], wide[ROWS * (COLS + 5)];
    uint64_t first[2], h[2];
    fill(x);
    for (int i = 0; i < ROWS; i++)
        for (int j = 0; j < COLS; j++) columns[j][i] = wide[i * (COLS + 5) + j] = x[i * COLS + j];
    columns[4][0] = -NAN; /* element 4 is NaN: its sign and payload do not matter */
    for (int threads = 1; threads <= 7; threads += 3) {
        smr_ctx *ctx = check_ctx(threads);
        smr_dense X = {x, SMR_F64, ROWS, COLS, COLS}, W = {wide, SMR_F64, ROWS, COLS, COLS + 5};
        smr_table *a = NULL, *b = NULL, *c = NULL;
        check_ok(ctx, smr_table_view(ctx, &X, NULL, &a));
        check_ok(ctx, smr_table_view(ctx, &X, NULL, &b));
        check_ok(ctx, smr_table_view(ctx, &W, NULL, &c));
        for (int j = 0; j < COLS; j++) {
            b->cols[j].values = columns[j];
            b->cols[j].stride = 1;
        }
        check_ok(ctx, smr_table_scan(ctx, a, threads == 1 ? first : h));
        for (int j = 0; j < COLS; j++) {
            int64_t missing = 0;
            for (int i = 0; i < ROWS; i++) missing += isnan(columns[j][i]) != 0;
            assert_int_equal(a->cols[j].n_missing, missing);
        }
        smr_table *all[] = {a, b, c};
        for (int k = 0; k < 3; k++) {
            check_ok(ctx, smr_table_hash(ctx, all[k], h));
            assert_memory_equal(h, first, sizeof h);
            check_ok(ctx, smr_table_hash_plain(ctx, all[k], h));
            assert_memory_equal(h, first, sizeof h);
            smr_table_free(all[k]);
        }
        check_ctx_end(ctx);
    }
}

/* Narrow types in rows and in columns, every tail length of the wide loops. */
static void hash_is_the_same_for_every_dtype_and_width(void **state)
{
    (void)state;
    static const smr_dtype dtypes[] = {SMR_F64, SMR_F32, SMR_U8, SMR_I32};
    static char x[61 * 13 * 8], column[61 * 8];
    for (size_t i = 0; i < sizeof x; i++) x[i] = (char)(i * 167 + i / 256);
    smr_ctx *ctx = check_ctx(1);
    for (int k = 0; k < 4; k++)
        for (int d = 1; d <= 13; d++) {
            int64_t n = 49 + d;
            n = n > 61 ? 61 : n;
            smr_dense X = {x, dtypes[k], n, d, d};
            smr_table *t = NULL;
            uint64_t fast[2], plain[2];
            check_ok(ctx, smr_table_view(ctx, &X, NULL, &t));
            check_ok(ctx, smr_table_hash(ctx, t, fast));
            check_ok(ctx, smr_table_hash_plain(ctx, t, plain));
            assert_memory_equal(fast, plain, sizeof fast);
            size_t size = smr_dtype_size(dtypes[k]);
            for (int64_t i = 0; i < n; i++)
                memcpy(column + (size_t)i * size, x + (size_t)(i * d + d / 2) * size, size);
            t->cols[d / 2].values = column;
            t->cols[d / 2].stride = 1;
            check_ok(ctx, smr_table_hash(ctx, t, plain));
            assert_memory_equal(fast, plain, sizeof fast);
            smr_table_free(t);
        }
    check_ctx_end(ctx);
}

static void hash_notices_every_change(void **state)
{
    (void)state;
    static double x[ROWS * COLS];
    smr_ctx *ctx = check_ctx(2);
    smr_dense X = {x, SMR_F64, ROWS, COLS, COLS};
    smr_table *t = NULL;
    uint64_t first[2], h[2];
    fill(x);
    check_ok(ctx, smr_table_view(ctx, &X, NULL, &t));
    check_ok(ctx, smr_table_hash(ctx, t, first));
    for (int k = 0; k < 200; k++) { /* one bit of one value */
        int at = k * 137 % (ROWS * COLS);
        if (isnan(x[at])) continue;
        uint64_t u;
        double old = x[at];
        memcpy(&u, &old, 8);
        u ^= 1ull << (k % 52);
        memcpy(&x[at], &u, 8);
        check_ok(ctx, smr_table_hash(ctx, t, h));
        assert_true(h[0] != first[0] && h[1] != first[1]);
        x[at] = old;
    }
    for (int k = 0; k < 100; k++) { /* two rows of a column change places */
        double *a = &x[(k * 17) * COLS + 3], *b = &x[(k * 17 + 1 + k % 5) * COLS + 3], swap = *a;
        if (!(*a != *b)) continue;
        *a = *b;
        *b = swap;
        check_ok(ctx, smr_table_hash(ctx, t, h));
        assert_true((isnan(*a) && isnan(*b)) || h[0] != first[0]);
        *b = *a;
        *a = swap;
    }
    smr_column swap = t->cols[1]; /* two columns change places */
    t->cols[1] = t->cols[6];
    t->cols[6] = swap;
    check_ok(ctx, smr_table_hash(ctx, t, h));
    assert_true(h[0] != first[0] && h[1] != first[1]);
    t->cols[6] = t->cols[1];
    t->cols[1] = swap;
    t->n_rows--;
    check_ok(ctx, smr_table_hash(ctx, t, h));
    assert_true(h[0] != first[0] && h[1] != first[1]);
    t->n_rows++;
    t->cols[2].kind = SMR_DATE;
    check_ok(ctx, smr_table_hash(ctx, t, h));
    assert_true(h[0] != first[0] && h[1] != first[1]);
    t->cols[2].kind = SMR_NUMBER;
    check_ok(ctx, smr_table_hash(ctx, t, h));
    assert_memory_equal(h, first, sizeof h);
    smr_table_free(t);
    check_ctx_end(ctx);
}

static void hash_of(smr_ctx *ctx, read_fn fn, const char *text, uint64_t h[2])
{
    smr_table *t = NULL;
    check_ok(ctx, read_text(ctx, fn, text, &t));
    check_ok(ctx, smr_table_hash(ctx, t, h));
    smr_table_free(t);
}

static void hash_covers_levels_and_sparse_blocks(void **state)
{
    (void)state;
    smr_ctx *ctx = check_ctx(1);
    static const char *const svm[] = {"1 2:3\n0 5:7\n", "1 2:3 5:7\n0\n", "1 2:3\n0 4:7\n",
                                      "1 2:3\n0 5:8\n", "1 2:3\n1 5:7\n"};
    static const char *const arff[] = {
        "@attribute a {x,y}\n@data\nx\ny\n", "@attribute a {x,z}\n@data\nx\nz\n",
        "@attribute a {xy,''}\n@data\nxy\n''\n", "@attribute a {y,x}\n@data\nx\ny\n"};
    uint64_t h[9][2];
    for (int k = 0; k < 5; k++) hash_of(ctx, smr_libsvm_read, svm[k], h[k]);
    for (int k = 0; k < 4; k++) hash_of(ctx, smr_arff_read, arff[k], h[5 + k]);
    for (int a = 0; a < 9; a++)
        for (int b = 0; b < a; b++) assert_true(h[a][0] != h[b][0] && h[a][1] != h[b][1]);
    check_ctx_end(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_agree_with_numpy_and_scipy),
        cmocka_unit_test(a_large_offset_costs_no_digits),
        cmocka_unit_test(huge_and_tiny_numbers_neither_overflow_nor_vanish),
        cmocka_unit_test(infinite_empty_single_and_constant_columns_have_answers),
        cmocka_unit_test(sorting_by_radix_finds_every_order_statistic),
        cmocka_unit_test(whole_table_summary_equals_column_by_column),
        cmocka_unit_test(levels_are_counted),
        cmocka_unit_test(sparse_blocks_are_counted),
        cmocka_unit_test(what_looks_wrong_is_said),
        cmocka_unit_test(summarizing_survives_failing_memory),
        cmocka_unit_test(hash_knows_neither_layout_nor_threads_nor_cpu),
        cmocka_unit_test(hash_is_the_same_for_every_dtype_and_width),
        cmocka_unit_test(hash_notices_every_change),
        cmocka_unit_test(hash_covers_levels_and_sparse_blocks),
    };
    return cmocka_run_group_tests_name("summary", tests, NULL, NULL);
}
