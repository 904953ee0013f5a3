/* test_proximity.c -- rows by leaf: worked trees, and a matrix of all pairs counted plainly. */
#include "check.h"

#include "learn/trees/proximity.h"

#include <math.h>

enum { N = 61, TREES = 7, LEAVES = 9, K = 4 };

static uint64_t state_ = 12345;

static int64_t below(int64_t n)
{
    state_ = state_ * 6364136223846793005u + 1442695040888963407u;
    return (int64_t)((state_ >> 33) % (uint64_t)n);
}

/* A tree of one cut: x <= cut. */
static void add_stump(smr_ctx *ctx, smr_trees *trees, double cut)
{
    smr_sapling s;
    int32_t first;
    smr_sapling_begin(&s, 1);
    check_ok(ctx, smr_sapling_nodes(ctx, &s, 3, &first));
    s.node[0] = (smr_sprout){.kind = SMR_SPLIT_CUT, .cut = cut, .child = 1, .n_children = 2};
    check_ok(ctx, smr_trees_add(ctx, trees, &s, NULL));
    smr_sapling_release(&s);
}

/* Cuts at 1, 2, 3, 4 and rows 0.5, 1.5, 2.5, 4.5: of the trees 1/4 part the first two, 2/4 the
 * first and the third, and all four the first and the last. */
static void stumps_part_rows_by_the_cuts_between_them(void **unused)
{
    (void)unused;
    smr_ctx *ctx = check_ctx(1);
    smr_trees trees = {.width = 1, .n_scores = 1};
    smr_proximity p;
    double x[] = {0.5, 1.5, 2.5, 4.5};
    smr_rows rows = {.n = 4, .d = 1, .form = SMR_FORM_F64, .x = x, .stride = 1};
    static const int32_t want[4][4] = {{4, 3, 2, 0}, {3, 4, 3, 1}, {2, 3, 4, 2}, {0, 1, 2, 4}};
    for (int cut = 1; cut <= 4; cut++) add_stump(ctx, &trees, cut);
    check_ok(ctx, smr_trees_prepare(ctx, &trees));
    check_ok(ctx, smr_proximity_room(ctx, &trees, 4, &p));
    smr_trees_leaves(&trees, &rows, 0, 4, p.leaf);
    check_ok(ctx, smr_proximity_list(ctx, &p));
    for (int64_t i = 0; i < 4; i++) {
        int32_t together[4] = {0}, met[4];
        int64_t n = smr_proximity_count(&p, i, together, met), n_want = 0;
        for (int64_t j = 0; j < 4; j++) {
            assert_int_equal(together[j], want[i][j]);
            n_want += want[i][j] > 0;
        }
        assert_int_equal(n, n_want);
    }
    smr_mate mate[4 * 2];
    double squares[4], odd[4];
    check_ok(ctx, smr_proximity_nearest(ctx, &p, NULL, 0, NULL, 2, mate, squares));
    assert_int_equal(mate[0].row, 1);
    assert_int_equal(mate[1].row, 2);
    assert_int_equal(mate[2].row, 0); /* rows 0 and 2 are as near to row 1 */
    assert_int_equal(mate[3].row, 2);
    check_near("squares", squares[0], (16 + 9 + 4) / 16.0, 0);
    check_near("squares", squares[3], (1 + 4 + 16) / 16.0, 0);
    /* n / squares: 64/29, 64/35, 64/33, 64/21; the median is that of the 2nd and 3rd smallest. */
    check_ok(ctx, smr_proximity_outliers(ctx, 4, squares, NULL, 0, odd));
    double raw[] = {64 / 29.0, 64 / 35.0, 64 / 33.0, 64 / 21.0};
    double median = (raw[0] + raw[2]) / 2, spread = 0;
    for (int i = 0; i < 4; i++) spread += fabs(raw[i] - median) / 4;
    for (int i = 0; i < 4; i++) check_near("outlier", odd[i], (raw[i] - median) / spread, 1e-12);
    smr_proximity_release(&p);
    smr_trees_free(&trees);
    check_ctx_end(ctx);
}

/* Leaves at random: tree t has leaves t * LEAVES ... */
static void fill(smr_proximity *p)
{
    for (int64_t i = 0; i < N; i++)
        for (int64_t t = 0; t < TREES; t++)
            p->leaf[i * TREES + t] = (int32_t)(t * LEAVES + below(1 + below(LEAVES)));
}

static void nearest_rows_are_those_of_the_plain_matrix(void **unused)
{
    (void)unused;
    smr_mate first[N * K];
    double first_squares[N];
    static int together[N][N];
    for (int threads = 1; threads <= 7; threads += 3) {
        smr_ctx *ctx = check_ctx(threads);
        smr_trees trees = {.n_trees = TREES, .n_leaves = TREES * LEAVES};
        smr_proximity p;
        smr_mate mate[N * K];
        double squares[N];
        int32_t group[N];
        state_ = 99;
        check_ok(ctx, smr_proximity_room(ctx, &trees, N, &p));
        fill(&p);
        for (int i = 0; i < N; i++) group[i] = (int32_t)below(3);
        for (int i = 0; i < N; i++)
            for (int j = 0; j < N; j++) {
                together[i][j] = 0;
                for (int t = 0; t < TREES; t++)
                    together[i][j] += p.leaf[i * TREES + t] == p.leaf[j * TREES + t];
            }
        check_ok(ctx, smr_proximity_list(ctx, &p));
        check_ok(ctx, smr_proximity_nearest(ctx, &p, NULL, 0, group, K, mate, squares));
        for (int i = 0; i < N; i++) {
            double sum = 0;
            bool taken[N] = {0};
            assert_int_equal(together[i][i], TREES);
            for (int j = 0; j < N; j++) {
                assert_int_equal(together[i][j], together[j][i]);
                if (group[i] == group[j]) sum += pow(together[i][j] / (double)TREES, 2);
            }
            check_near("squares", squares[i], sum, 1e-12);
            for (int k = 0; k < K; k++) {
                int best = -1;
                for (int j = 0; j < N; j++)
                    if (j != i && !taken[j] && together[i][j] > 0 &&
                        (best < 0 || together[i][j] > together[i][best]))
                        best = j;
                assert_int_equal(mate[i * K + k].row, best);
                if (best < 0) continue;
                taken[best] = true;
                assert_int_equal(mate[i * K + k].together, together[i][best]);
            }
        }
        int64_t asked[] = {17, 3};
        smr_mate two[2 * K];
        check_ok(ctx, smr_proximity_nearest(ctx, &p, asked, 2, group, K, two, NULL));
        assert_memory_equal(two, mate + 17 * K, sizeof two / 2);
        assert_memory_equal(two + K, mate + 3 * K, sizeof two / 2);
        if (threads == 1) memcpy(first, mate, sizeof mate);
        if (threads == 1) memcpy(first_squares, squares, sizeof squares);
        assert_memory_equal(first, mate, sizeof mate);
        assert_memory_equal(first_squares, squares, sizeof squares);
        smr_proximity_release(&p);
        check_ctx_end(ctx);
    }
}

static void outliers_are_measured_within_their_group(void **unused)
{
    (void)unused;
    smr_ctx *ctx = check_ctx(1);
    /* Group 0: n / squares = 3, 3, 3 all alike; group 1: 4, 2, 1, 0.5; -1: no class. */
    double squares[] = {1, 1, 1, 1, 2, 4, 8, 5}, odd[8];
    int32_t group[] = {0, 1, 0, 0, 1, 1, 1, -1};
    squares[1] = 1, squares[2] = squares[3] = 1;
    check_ok(ctx, smr_proximity_outliers(ctx, 8, squares, group, 2, odd));
    check_near("alike", odd[0], 0, 0);
    check_near("alike", odd[3], 0, 0);
    double spread = (2.5 + 0.5 + 0.5 + 1) / 4; /* about 1.5 */
    check_near("largest", odd[1], 2.5 / spread, 1e-12);
    check_near("middle", odd[4], 0.5 / spread, 1e-12);
    check_near("least", odd[6], -1 / spread, 1e-12);
    assert_true(isnan(odd[7]));
    check_ctx_end(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(stumps_part_rows_by_the_cuts_between_them),
        cmocka_unit_test(nearest_rows_are_those_of_the_plain_matrix),
        cmocka_unit_test(outliers_are_measured_within_their_group),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
