/* Subtrees grown from lists: the tree that the search node by node gives, bit for bit.  With a
 * limit on leaves, however high, nodes are split by falling gain, and no list serves. */
#include "learn/tree_data.h"

#include "learn/trees/tree_parts.h"

/* Bytes of which a share is 0, columns that are constant, classes that go with some columns. */
static struct set *bytes(uint64_t seed, int64_t n, int64_t d, int64_t classes, double zeros)
{
    struct set *s = set_new(n, d, classes);
    for (int64_t i = 0; i < n; i++) {
        double sum = 0;
        for (int64_t j = 0; j < d; j++) {
            int64_t values = j % 5 == 4 ? 2 : j % 3 == 2 ? 9 : 256;
            double v = floor((double)values * random_of(seed, j, i));
            if (random_of(seed, d + j, i) < zeros) v = 0;
            s->x[i * d + j] = j == 1 ? 0 : j == 6 ? 17 : v;
            if (j % 4 == 0) sum += s->x[i * d + j] / 256;
        }
        sum = sum / ((double)(d + 3) / 4) + 0.3 * random_of(seed, 2 * d, i);
        s->label[i] = (int32_t)fmin((double)classes - 1, sum * (double)classes);
    }
    return s;
}

static void check_same(const struct smr_tree_state *a, const struct smr_tree_state *b)
{
    size_t nodes = (size_t)a->trees.n_nodes, leaves = (size_t)a->trees.n_leaves;
    assert_int_equal(a->trees.n_nodes, b->trees.n_nodes);
    assert_memory_equal(a->trees.split, b->trees.split, nodes * sizeof *a->trees.split);
    assert_memory_equal(a->trees.cut, b->trees.cut, nodes * sizeof *a->trees.cut);
    assert_memory_equal(a->trees.value, b->trees.value,
                        leaves * (size_t)a->trees.width * sizeof *a->trees.value);
    for (int64_t j = 0; j < a->n_features; j++) check_near("gain", b->gain[j], a->gain[j], 1e-12);
}

static void check_nodes(smr_ctx *ctx, struct smr_tree_params p, struct set *s)
{
    struct smr_tree_state *lists = fit_to(ctx, p, s);
    p.max_leaves = SMR_MAX_DIM;
    struct smr_tree_state *nodes = fit_to(ctx, p, s);
    assert_true(lists->trees.n_nodes > 1);
    check_same(lists, nodes);
    drop(lists);
    drop(nodes);
}

static void lists_give_the_tree_of_the_search_node_by_node(void **unused)
{
    static const int64_t rows[] = {2, 3, 17, 33, 511, 1031};
    static const int64_t classes[] = {2, 3, 10, 16, 17};
    smr_ctx *ctx = check_ctx(2);
    (void)unused;
    for (int k = 0; k < 30; k++) {
        struct set *s =
            bytes((uint64_t)k, rows[k % 6], 5 + 4 * (k % 3), classes[k % 5], 0.1 * (k % 8));
        s->label[0] = 0;
        s->label[1] = 1;
        for (int64_t j = 0; j < 2; j++) s->x[j * s->d] = (double)j;
        check_nodes(ctx, defaults(), s);
        set_free(s);
    }
    check_ctx_end(ctx);
}

/* Above a million cells the root is searched by histograms, and its subtrees are tasks. */
static void large_tables_hand_their_subtrees_to_lists(void **unused)
{
    smr_ctx *ctx = check_ctx(2);
    (void)unused;
    struct set *s = bytes(77, 34001, 31, 4, 0.5);
    struct smr_tree_params p = defaults();
    p.max_depth = 9;
    assert_true(s->n * s->d > 1 << 20);
    check_nodes(ctx, p, s);
    set_free(s);
    check_ctx_end(ctx);
}

static void limits_hold_in_lists(void **unused)
{
    smr_ctx *ctx = check_ctx(1);
    (void)unused;
    for (int k = 0; k < 5; k++) {
        struct set *s = bytes(9, 1501, 11, 5, 0.4);
        struct smr_tree_params p = defaults();
        if (k == 0) p.min_leaf = 13;
        if (k == 1) p.min_split = 57;
        if (k == 2) p.max_depth = 4;
        if (k == 3) p.min_gain = 0.01;
        if (k == 4) p.chi2 = 1e-4;
        check_nodes(ctx, p, s);
        struct smr_tree_state *some = fit_to(ctx, p, s), *all = fit_to(ctx, defaults(), s);
        assert_true(some->trees.n_nodes < all->trees.n_nodes);
        drop(some);
        drop(all);
        set_free(s);
    }
    check_ctx_end(ctx);
}

static void one_missing_value_is_enough_to_do_without_lists(void **unused)
{
    smr_ctx *ctx = check_ctx(1);
    struct set *s = bytes(11, 801, 9, 3, 0.4);
    (void)unused;
    s->x[800 * s->d + 5] = NAN;
    check_nodes(ctx, defaults(), s);
    set_free(s);
    check_ctx_end(ctx);
}

static void threads_do_not_change_lists(void **unused)
{
    static const int threads[] = {2, 7};
    struct set *s = bytes(12, 20011, 60, 10, 0.5);
    smr_ctx *ctx = check_ctx(1);
    (void)unused;
    struct smr_tree_state *one = fit_to(ctx, defaults(), s);
    for (int t = 0; t < 2; t++) {
        smr_ctx *other = check_ctx(threads[t]);
        struct smr_tree_state *many = fit_to(other, defaults(), s);
        size_t nodes = (size_t)one->trees.n_nodes;
        assert_int_equal(one->trees.n_nodes, many->trees.n_nodes);
        assert_memory_equal(one->trees.split, many->trees.split, nodes * 4);
        assert_memory_equal(one->trees.cut, many->trees.cut, nodes * 8);
        assert_memory_equal(one->gain, many->gain, (size_t)one->n_features * 8);
        drop(many);
        check_ctx_end(other);
    }
    drop(one);
    set_free(s);
    check_ctx_end(ctx);
}

static smr_status fit_once(smr_ctx *ctx, void *arg)
{
    struct set *s = arg;
    struct smr_tree_params p = defaults();
    struct smr_tree_state *state = NULL;
    smr_status st = try_fit(ctx, &p, &s->data, &state);
    if (state) drop(state);
    return st;
}

static void every_failing_allocation_is_survived(void **unused)
{
    smr_ctx *ctx = check_ctx(1);
    struct set *s = bytes(13, 103, 7, 3, 0.4);
    (void)unused;
    set_data(s);
    assert_true(fail_each_allocation(ctx, fit_once, s) > 20);
    set_free(s);
    check_ctx_end(ctx);
}

/* ---- ties ---- */

/* Eight columns that say the same.  By default the first is asked; with ties=random each seed asks
 * another one, by lists as node by node, and the answers are the same. */
static void equal_features_are_drawn_where_that_is_asked(void **unused)
{
    smr_ctx *ctx = check_ctx(1);
    int asked[8] = {0};
    (void)unused;
    struct set *s = set_new(203, 8, 2);
    for (int64_t i = 0; i < s->n; i++) {
        for (int64_t j = 0; j < 8; j++) s->x[i * 8 + j] = (double)(i % 29);
        s->label[i] = (int32_t)(i % 29 > 11);
    }
    struct smr_tree_params p = defaults();
    struct smr_tree_state *first = fit_to(ctx, p, s);
    assert_int_equal(first->trees.split[0] >> 4, 0);
    p.ties = SMR_TREE_TIES_RANDOM;
    for (uint64_t seed = 0; seed < 200; seed++) {
        ctx->seed = seed;
        struct smr_tree_state *lists = fit_to(ctx, p, s);
        p.max_leaves = SMR_MAX_DIM;
        struct smr_tree_state *nodes = fit_to(ctx, p, s);
        p.max_leaves = 0;
        assert_int_equal(lists->trees.split[0], nodes->trees.split[0]);
        assert_true(lists->trees.cut[0] == first->trees.cut[0]);
        asked[lists->trees.split[0] >> 4]++;
        drop(lists);
        drop(nodes);
    }
    for (int j = 0; j < 8; j++) assert_in_range(asked[j], 10, 45); /* 25 of each on average */
    drop(first);
    set_free(s);
    check_ctx_end(ctx);
}

/* Below the root too, and in tasks as in lists: the draw depends on the way to the node alone. */
static void draws_do_not_depend_on_the_way_of_searching(void **unused)
{
    check_no_races();
    smr_ctx *ctx = check_ctx(2);
    (void)unused;
    for (int k = 0; k < 2; k++) {
        struct set *s = bytes(14, k ? 35003 : 907, 31, 5, 0.5);
        for (int64_t i = 0; i < s->n; i++)
            for (int64_t j = 0; j < 10; j++) s->x[i * 31 + 20 + j] = s->x[i * 31 + j];
        struct smr_tree_params p = defaults();
        p.max_depth = 8;
        struct smr_tree_state *first = fit_to(ctx, p, s);
        p.ties = SMR_TREE_TIES_RANDOM;
        struct smr_tree_state *drawn = fit_to(ctx, p, s);
        size_t splits = (size_t)drawn->trees.n_nodes * sizeof *drawn->trees.split;
        assert_true(first->trees.n_nodes != drawn->trees.n_nodes ||
                    memcmp(first->trees.split, drawn->trees.split, splits) != 0);
        drop(first);
        drop(drawn);
        check_nodes(ctx, p, s);
        set_free(s);
    }
    check_ctx_end(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lists_give_the_tree_of_the_search_node_by_node),
        cmocka_unit_test(large_tables_hand_their_subtrees_to_lists),
        cmocka_unit_test(limits_hold_in_lists),
        cmocka_unit_test(one_missing_value_is_enough_to_do_without_lists),
        cmocka_unit_test(threads_do_not_change_lists),
        cmocka_unit_test(equal_features_are_drawn_where_that_is_asked),
        cmocka_unit_test(draws_do_not_depend_on_the_way_of_searching),
        cmocka_unit_test(every_failing_allocation_is_survived),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
