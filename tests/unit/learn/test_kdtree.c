/* The searches of learn/neighbors, tree and brute force, against naive search. */
#include "learn/near_truth.h"

#include "kernel/kernel.h"
#include "learn/neighbors/brute.h"
#include "learn/neighbors/kdtree.h"

/* ---- exact comparison ---- */

static void exact_comparison_sees_what_double_cannot(void **unused)
{
    (void)unused;
    double q[2] = {0, 0}, a[2] = {1, 0x1p-40}, b[2] = {1, 0};
    assert_int_equal(smr_exact_compare(SMR_NEAR_L2, 2, q, a, b), 1); /* 1 + 2^-80 against 1 */
    assert_int_equal(smr_exact_compare(SMR_NEAR_L2, 2, q, b, a), -1);
    assert_int_equal(smr_exact_compare(SMR_NEAR_L2, 2, q, a, a), 0);
    assert_int_equal(smr_exact_compare(SMR_NEAR_LINF, 2, q, a, b), 0);

    double c[2] = {0x1p-1000, 1e300}, d[2] = {0, 1e300}, e[2] = {0x1p-1074, 1e300};
    assert_int_equal(smr_exact_compare(SMR_NEAR_L2, 2, q, c, d), 1);
    assert_int_equal(smr_exact_compare(SMR_NEAR_L1, 2, q, c, d), 1);
    assert_int_equal(smr_exact_compare(SMR_NEAR_L2, 2, q, d, e), -1);
    assert_int_equal(smr_exact_compare(SMR_NEAR_L1, 2, q, d, e), -1);

    double top[1] = {1.7e308}, bottom[1] = {-1.7e308}, lower[1] = {-1.6e308};
    assert_int_equal(smr_exact_compare(SMR_NEAR_LINF, 1, top, bottom, lower), 1);
    assert_int_equal(smr_exact_compare(SMR_NEAR_L1, 1, top, bottom, lower), 1);
    assert_int_equal(smr_exact_compare(SMR_NEAR_L2, 1, top, lower, bottom), -1);
}

static void exact_comparison_agrees_with_quad_precision(void **unused)
{
    (void)unused;
    for (int64_t i = 0; i < 3000; i++) {
        double q[3], a[3], b[3];
        for (int64_t j = 0; j < 3; j++) { /* few bits, so that 113 bits hold the sums exactly */
            q[j] = floor(ldexp(draw(1, i, j), 40)) - 0x1p39;
            a[j] = floor(ldexp(draw(2, i, j), 40)) - 0x1p39;
            b[j] =
                i % 3 ? 2 * q[j] - a[j] : floor(ldexp(draw(3, i, j), 40)); /* the same distance */
            if (i % 3 == 2 && j == 1) b[j] += draw(4, i, 0) < 0.5 ? 1 : -1;
        }
        for (int kind = 0; kind < 3; kind++) {
            quad x = true_distance((smr_near_kind)kind, 3, q, a);
            quad y = true_distance((smr_near_kind)kind, 3, q, b);
            int got = smr_exact_compare((smr_near_kind)kind, 3, q, a, b);
            assert_int_equal(got, (x > y) - (x < y));
        }
    }
}

static void values_of_few_places_need_no_rounding(void **unused)
{
    (void)unused;
    smr_places p = SMR_PLACES_NONE;
    double whole[] = {3, -255, 0, 96}, tenth[] = {0.1}, halves[] = {0.5, 1.5};
    smr_places_add(&p, 4, whole);
    assert_int_equal(p.low, 0);
    assert_int_equal(p.high, 8);
    assert_true(smr_exact_fits(SMR_NEAR_L2, 1000, p));
    smr_places_add(&p, 2, halves);
    assert_int_equal(p.low, -1);
    smr_places_add(&p, 1, tenth);
    assert_false(smr_exact_fits(SMR_NEAR_L2, 1000, p));
}

/* ---- searches ---- */

/* The same rows twice: laid out for brute force, and in the order of the tree. */
struct search {
    smr_points points, ordered;
    int64_t n, d;
    smr_kdtree tree;
    smr_brute brute;
    double *x;
    int32_t *rows;
};

static void build(smr_ctx *ctx, struct search *s, enum sort sort, smr_form form, uint64_t seed)
{
    smr_points *p = &s->points, *o = &s->ordered;
    s->x = malloc((size_t)(s->n * s->d) * sizeof(double));
    for (int64_t i = 0; i < s->n * s->d; i++) s->x[i] = value_of(sort, seed, i / s->d, i % s->d);
    void *stored = in_form(form, s->n * s->d, s->x);
    *o = *p;
    p->layout = smr_layout_of(form, smr_points_kind(p) == SMR_NEAR_L2, s->n, s->d);
    o->layout = smr_layout_of(form, false, s->n, s->d);
    size_t width = smr_layout_width(&p->layout);
    char *panels = malloc((size_t)smr_layout_count(&p->layout) * width);
    char *leaves = malloc((size_t)smr_layout_count(&o->layout) * width);
    s->rows = malloc((size_t)s->n * sizeof *s->rows);

    smr_layout_clear_end(&p->layout, panels);
    int64_t half = s->n / 64 * 32; /* whole groups, then the rest */
    smr_layout_put(&p->layout, panels, 0, half, stored, s->d);
    smr_layout_put(&p->layout, panels, half, s->n - half,
                   (char *)stored + (size_t)(half * s->d) * width, s->d);
    memcpy(leaves, stored, (size_t)(s->n * s->d) * width);
    check_ok(ctx,
             smr_kdtree_order(ctx, &o->layout, p->metric == SMR_METRIC_COSINE, leaves, s->rows));
    assert_true(smr_layout_sound(&p->layout, panels));
    assert_true(smr_layout_sound(&o->layout, leaves));
    free(stored);
    p->x = panels;
    o->x = leaves;
    o->rows = s->rows;
    check_ok(ctx, smr_points_prepare(ctx, p));
    check_ok(ctx, smr_points_prepare(ctx, o));
    check_ok(ctx, smr_kdtree_build(ctx, o, &s->tree));
    check_ok(ctx, smr_brute_build(ctx, p, &s->brute));
}

static void tear_down(struct search *s)
{
    smr_brute_release(&s->brute);
    smr_kdtree_release(&s->tree);
    smr_points_release(&s->points);
    smr_points_release(&s->ordered);
    free((void *)(uintptr_t)s->points.x);
    free((void *)(uintptr_t)s->ordered.x);
    free(s->rows);
    free(s->x);
}

static void expect_rows(const char *what, enum sort sort, const smr_near_set *got,
                        const struct truth *want, bool ordered)
{
    const smr_points *p = got->query.points;
    bool *found = calloc((size_t)p->n, sizeof *found);
    for (int64_t i = 0; i < got->K; i++) found[got->kept[i].row] = true;
    for (int64_t i = 0; i < got->K; i++) {
        bool right = found[want[i].row] && (!ordered || got->kept[i].row == want[i].row);
        if (!right)
            fail_msg("%s: %s, metric %d, form %d, n %lld, d %lld, K %lld: neighbour %lld is row "
                     "%lld, got %d",
                     what, sort_name[sort], (int)p->metric, (int)p->layout.form, (long long)p->n,
                     (long long)p->d, (long long)got->K, (long long)i, (long long)want[i].row,
                     (int)got->kept[i].row);
    }
    free(found);
}

/* Queries: rows of the same sort, every third one a training row. */
static void search_both(smr_ctx *ctx, struct search *s, enum sort sort, int64_t m, int64_t K,
                        uint64_t seed)
{
    const smr_points *p = &s->points;
    double *q = calloc((size_t)(m * p->width), sizeof *q);
    double *buffer = calloc((size_t)(2 * p->width), sizeof *buffer);
    uint8_t *bytes = calloc((size_t)(m * p->d), 1);
    smr_near_set *set = calloc((size_t)m, sizeof *set), by_tree;
    char *memory = calloc((size_t)(m + 1), (size_t)smr_near_size(K));
    void *scratch = malloc((size_t)smr_brute_scratch(&s->brute, m, K));
    bool ordered = seed % 2, are_bytes = p->layout.form == SMR_FORM_U8 && sort == BYTES;

    for (int64_t i = 0; i < m; i++) {
        smr_query query;
        for (int64_t j = 0; j < p->d; j++) {
            double x = value_of(sort, seed + 77, i, j);
            if (i % 3 == 1) x = s->x[i * 31 % p->n * p->d + j];
            q[i * p->width + j] = x;
            bytes[i * p->d + j] = are_bytes ? (uint8_t)x : 0;
        }
        smr_points_query(p, q + i * p->width);
        smr_query_begin(&query, p, q + i * p->width, buffer);
        smr_near_begin(&set[i], &query, K, memory + i * smr_near_size(K));
    }
    check_ok(ctx, smr_brute_search(ctx, &s->brute, m, set, are_bytes && seed % 3 ? bytes : NULL,
                                   p->d, scratch));
    for (int64_t i = 0; i < m; i++) {
        struct truth *want = true_order(p, q + i * p->width);
        smr_near_finish(&set[i], ordered);
        expect_rows("brute", sort, &set[i], want, ordered);
        smr_query query;
        smr_query_begin(&query, &s->ordered, q + i * p->width, buffer);
        smr_near_begin(&by_tree, &query, K, memory + m * smr_near_size(K));
        smr_kdtree_search(&s->tree, &by_tree);
        smr_near_finish(&by_tree, ordered);
        expect_rows("tree", sort, &by_tree, want, ordered);
        free(want);
    }
    free(scratch);
    free(memory);
    free(set);
    free(bytes);
    free(buffer);
    free(q);
}

static const struct {
    smr_metric_name metric;
    double p;
} metrics[] = {{SMR_METRIC_EUCLIDEAN, 0}, {SMR_METRIC_MANHATTAN, 0},   {SMR_METRIC_CHEBYSHEV, 0},
               {SMR_METRIC_COSINE, 0},    {SMR_METRIC_MINKOWSKI, 1.3}, {SMR_METRIC_MINKOWSKI, 3.7}};

static void run_searches(smr_ctx *ctx, int64_t n_rounds, int64_t largest)
{
    for (int64_t round = 0; round < n_rounds; round++) {
        uint64_t seed = (uint64_t)round + 100;
        enum sort sort = (enum sort)(round % N_SORTS);
        smr_form form = (smr_form)(round / N_SORTS % 2);
        if (sort == BYTES && round / N_SORTS % 3) form = SMR_FORM_U8;
        if (sort == HUGE_VALUES || sort == TINY_VALUES) form = SMR_FORM_F64;
        int which = (int)(round / 4 % 6);
        struct search s = {.n = 1 + (int64_t)(draw(seed, 1, 1) * (double)largest),
                           .d = 1 + (int64_t)(draw(seed, 1, 2) * 20),
                           .points = {.metric = metrics[which].metric, .p = metrics[which].p}};
        build(ctx, &s, sort, form, seed);
        int64_t n = s.n;
        search_both(ctx, &s, sort, 7, SMR_MIN(n, 5), seed);
        search_both(ctx, &s, sort, 3, 1 + (int64_t)(draw(seed, 1, 3) * (double)n), seed + 1);
        tear_down(&s);
    }
}

static void tree_and_brute_force_find_the_true_neighbours(void **unused)
{
    check_no_races();
    smr_ctx *ctx = check_ctx(1);
    (void)unused;
    run_searches(ctx, CHECK_MEMORY ? 180 : 450, 300);
    check_ctx_end(ctx);
}

static void searches_of_large_sets_run_on_threads(void **unused)
{
    smr_ctx *ctx = check_ctx(3);
    (void)unused;
    struct search s = {.n = 83003, .d = 3};
    build(ctx, &s, DECIMAL, SMR_FORM_F64, 5);
    search_both(ctx, &s, DECIMAL, 4, 9, 6);
    tear_down(&s);
    s = (struct search){.n = 70001, .d = 17};
    build(ctx, &s, BYTES, SMR_FORM_U8, 5);
    search_both(ctx, &s, BYTES, 2, 11, 6);
    if (!CHECK_LESS) search_both(ctx, &s, BYTES, 2, 11, 7);
    search_both(ctx, &s, DECIMAL, 3, 5, 7); /* queries that are not bytes */
    tear_down(&s);
    check_ctx_end(ctx);
}

static void every_tier_finds_the_same(void **unused)
{
    check_no_races();
    static const char *const tiers[] = {"baseline", "x86-64-v3", "x86-64-v4", "arm64"};
    char before[32];
    (void)unused;
    snprintf(before, sizeof before, "%s", smr_kernel_tier());
    for (int t = 0; t < SMR_COUNT(tiers); t++) {
        if (!smr_kernel_use(tiers[t])) continue;
        smr_ctx *ctx = check_ctx(2);
        run_searches(ctx, 90, 120);
        check_ctx_end(ctx);
    }
    assert_true(smr_kernel_use(before));
}

static void many_equal_rows_are_taken_by_number(void **unused)
{
    smr_ctx *ctx = check_ctx(1);
    (void)unused;
    struct search s = {.n = 5000, .d = 2};
    build(ctx, &s, REPEATED, SMR_FORM_F64, 3); /* seven different rows */
    search_both(ctx, &s, REPEATED, 6, 40, 3);
    tear_down(&s);
    check_ctx_end(ctx);
}

/* ---- the tree ---- */

static void tree_holds_every_row_once_within_its_boxes(void **unused)
{
    smr_ctx *ctx = check_ctx(2);
    (void)unused;
    for (int64_t n = 1; n < 90000; n = n * 3 + 14) {
        struct search s = {.n = n, .d = 3};
        build(ctx, &s, CLUSTERS, SMR_FORM_F64, 11);
        bool *seen = calloc((size_t)n, 1);
        for (int64_t i = 0; i < n; i++) {
            int64_t row = s.rows[i], leaf = i / 16;
            assert_false(seen[row]);
            seen[row] = true;
            for (int64_t j = 0; j < 3; j++) {
                double x = ((const double *)s.ordered.x)[(leaf * 3 + j) * 16 + i % 16];
                assert_true(x == s.x[row * 3 + j]);
                int64_t at = leaf;
                for (int l = 0; l < s.tree.n_levels; l++, at /= 16) {
                    const double *box =
                        (const double *)s.tree.boxes[l] + (at / 16 * 3 + j) * 32 + at % 16;
                    assert_true(box[0] <= x && x <= box[16]);
                }
            }
        }
        free(seen);
        tear_down(&s);
    }
    check_ctx_end(ctx);
}

static void tree_is_the_same_at_any_number_of_threads(void **unused)
{
    (void)unused;
    smr_ctx *one = check_ctx(1), *seven = check_ctx(7);
    struct search a = {.n = 70003, .d = 4}, b = a;
    build(one, &a, UNIFORM, SMR_FORM_F32, 21);
    build(seven, &b, UNIFORM, SMR_FORM_F32, 21);
    assert_memory_equal(a.rows, b.rows, 70003 * sizeof(int32_t));
    assert_memory_equal(a.ordered.x, b.ordered.x, 70003 / 16 * 16 * 4 * sizeof(float));
    tear_down(&a);
    tear_down(&b);
    check_ctx_end(one);
    check_ctx_end(seven);
}

static void cosine_is_one_less_the_cosine(void **unused)
{
    smr_ctx *ctx = check_ctx(1);
    double rows[] = {3, 4, -1, 0, 0, 0, 6, 8}, q[3] = {4, 3, 0}, buffer[6], x[32] = {0};
    smr_points p = {
        .layout = smr_layout_of(SMR_FORM_F64, true, 4, 2), .x = x, .metric = SMR_METRIC_COSINE};
    smr_query query;
    (void)unused;
    smr_layout_put(&p.layout, x, 0, p.layout.n, rows, 2);
    check_ok(ctx, smr_points_prepare(ctx, &p));
    smr_points_query(&p, q);
    smr_query_begin(&query, &p, q, buffer);
    check_near("24/25", smr_query_meant(&query, 0), 1 - 24.0 / 25, 1e-15);
    check_near("-4/5", smr_query_meant(&query, 1), 1 + 4.0 / 5, 1e-15);
    check_near("a row of zeros", smr_query_meant(&query, 2), 1, 1e-15);
    assert_true(smr_query_meant(&query, 3) == smr_query_meant(&query, 0)); /* twice the row */
    q[0] = q[1] = 0;
    smr_points_query(&p, q);
    assert_true(smr_query_meant(&query, 2) == 0);
    smr_points_release(&p);
    check_ctx_end(ctx);
}

static void minkowski_distance_survives_large_powers(void **unused)
{
    smr_ctx *ctx = check_ctx(1);
    double rows[] = {3e100, -4e100, 1e-100, 2e-100}, q[2] = {0, 0}, buffer[4], x[32] = {0};
    smr_points p = {.layout = smr_layout_of(SMR_FORM_F64, true, 2, 2),
                    .x = x,
                    .metric = SMR_METRIC_MINKOWSKI,
                    .p = 50};
    smr_query query;
    (void)unused;
    smr_layout_put(&p.layout, x, 0, p.layout.n, rows, 2);
    check_ok(ctx, smr_points_prepare(ctx, &p));
    smr_query_begin(&query, &p, q, buffer);
    check_near("huge", smr_query_distance(&query, 0) / 1e100, 4 * pow(1 + pow(0.75, 50), 1.0 / 50),
               1e-14);
    check_near("tiny", smr_query_distance(&query, 1) / 1e-100, 2 * pow(1 + pow(0.5, 50), 1.0 / 50),
               1e-14);
    check_ctx_end(ctx);
}

static void failing_allocations_are_survived(void **unused)
{
    smr_ctx *ctx = check_ctx(2);
    (void)unused;
    double *x = malloc(40000 * 2 * sizeof *x);
    int32_t *rows = malloc(40000 * sizeof *rows);
    for (int tree = 0; tree < 2; tree++) {
        smr_status st = SMR_ERR_NOMEM;
        for (int64_t n = 0; st != SMR_OK; n++) {
            smr_points p = {.layout = smr_layout_of(SMR_FORM_F64, !tree, 40000, 2),
                            .x = x,
                            .metric = n % 2 ? SMR_METRIC_COSINE : SMR_METRIC_EUCLIDEAN};
            smr_kdtree t = {0};
            smr_brute b = {0};
            for (int64_t i = 0; i < 80000; i++) x[i] = value_of(UNIFORM, 1, i, 0);
            smr_memory_fail_at(ctx, n / 2);
            st = smr_points_prepare(ctx, &p);
            if (st == SMR_OK && tree) st = smr_kdtree_order(ctx, &p.layout, n % 2, x, rows);
            if (st == SMR_OK)
                st = tree ? smr_kdtree_build(ctx, &p, &t) : smr_brute_build(ctx, &p, &b);
            smr_memory_fail_at(ctx, -1);
            assert_true(st == SMR_OK || st == SMR_ERR_NOMEM);
            smr_kdtree_release(&t);
            smr_brute_release(&b);
            smr_points_release(&p);
            smr_ctx_clear(ctx);
            if (st == SMR_OK && n % 2 == 0) st = SMR_ERR_NOMEM; /* the other metric asks for more */
            assert_true(n < 200);
        }
    }
    free(rows);
    free(x);
    check_ctx_end(ctx);
}

/* ---- layouts ---- */

static void layouts_give_back_what_was_put(void **unused)
{
    (void)unused;
    for (int v = 0; v < 60; v++) {
        int64_t n = 1 + (int64_t)(draw(1, v, 0) * 90), d = 1 + (int64_t)(draw(2, v, 0) * 11);
        smr_form form = (smr_form)(v % 3);
        smr_layout l = smr_layout_of(form, v / 3 % 2, n, d);
        double *rows = malloc((size_t)(n * d) * sizeof *rows), got[12], group[12 * 16];
        for (int64_t i = 0; i < n * d; i++) rows[i] = value_of(BYTES, (uint64_t)v, i, 0);
        char *stored = in_form(form, n * d, rows);
        size_t width = smr_layout_width(&l), bytes = (size_t)smr_layout_count(&l) * width;
        char *x = malloc(bytes), *y = malloc(bytes);
        memset(x, 0x55, bytes);
        memset(y, 0x55, bytes);
        smr_layout_clear_end(&l, x);
        smr_layout_clear_end(&l, y);
        smr_layout_put(&l, x, 0, n, stored, d);
        for (int64_t i = n; i-- > 0;)
            smr_layout_put(&l, y, i, 1, stored + (size_t)(i * d) * width, d);
        assert_memory_equal(x, y, bytes);
        assert_true(smr_layout_sound(&l, x));
        for (int64_t i = 0; i < n; i++) {
            smr_layout_row(&l, x, i, got);
            const double *g = smr_layout_group(&l, x, i / 16 * 16, group);
            for (int64_t j = 0; j < d; j++) {
                assert_true(got[j] == rows[i * d + j]);
                assert_true(g[j * 16 + i % 16] == rows[i * d + j]);
            }
            assert_true(smr_layout_same(&l, x, i, 0) ==
                        (memcmp(rows, rows + i * d, (size_t)d * sizeof *rows) == 0));
        }
        if (n % l.rows) {
            x[bytes - 1] = 1;
            assert_false(smr_layout_sound(&l, x));
        }
        free(y);
        free(x);
        free(stored);
        free(rows);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(exact_comparison_sees_what_double_cannot),
        cmocka_unit_test(exact_comparison_agrees_with_quad_precision),
        cmocka_unit_test(values_of_few_places_need_no_rounding),
        cmocka_unit_test(tree_and_brute_force_find_the_true_neighbours),
        cmocka_unit_test(searches_of_large_sets_run_on_threads),
        cmocka_unit_test(every_tier_finds_the_same),
        cmocka_unit_test(many_equal_rows_are_taken_by_number),
        cmocka_unit_test(tree_holds_every_row_once_within_its_boxes),
        cmocka_unit_test(tree_is_the_same_at_any_number_of_threads),
        cmocka_unit_test(cosine_is_one_less_the_cosine),
        cmocka_unit_test(minkowski_distance_survives_large_powers),
        cmocka_unit_test(failing_allocations_are_survived),
        cmocka_unit_test(layouts_give_back_what_was_put),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
