/* Splits of tree against brute force: every threshold, every set of levels, missing values on both
 * sides, for every criterion. */
#include "learn/tree_data.h"

#include "math/information.h"
#include "truth/stats.h"

#include <float.h>

/* ---- brute force ---- */

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* weight x impurity of the rows with side[i] == which. */
static double cost_of(const struct set *s, int criterion, const int *side, int which)
{
    double count[8] = {0}, w = 0, wy = 0, cost = 0, y[256];
    int64_t n = 0;
    for (int64_t i = 0; i < s->n; i++) {
        if (side[i] != which) continue;
        if (s->n_classes) count[s->label[i]] += s->weight[i];
        w += s->weight[i];
        wy += s->weight[i] * s->y[i];
        for (int64_t r = 0; r < (int64_t)s->weight[i]; r++) y[n++] = s->y[i];
    }
    if (w == 0) return 0;
    if (criterion == SMR_TREE_GINI) return w * smr_gini(s->n_classes, count);
    if (criterion == SMR_TREE_ENTROPY) return w * smr_entropy(s->n_classes, count);
    if (criterion == SMR_TREE_ERROR) return w * smr_misclassification(s->n_classes, count);
    qsort(y, (size_t)n, sizeof *y, by_value);
    for (int64_t r = 0; r < n; r++)
        cost += criterion == SMR_TREE_ABSOLUTE ? fabs(y[r] - y[n / 2])
                                               : (y[r] - wy / w) * (y[r] - wy / w);
    return cost;
}

static double weight_on(const struct set *s, const int *side, int which)
{
    double w = 0;
    for (int64_t i = 0; i < s->n; i++) w += side[i] == which ? s->weight[i] : 0;
    return w;
}

/* The gain of a split, or -1 where a child is lighter than it may be. */
static double gain_of(const struct set *s, int criterion, const int *side, double min_leaf)
{
    int all[256] = {0};
    for (int c = 0; c < 2; c++)
        if (weight_on(s, side, c) < fmax(min_leaf, 1)) return -1;
    return cost_of(s, criterion, all, 0) - cost_of(s, criterion, side, 0) -
           cost_of(s, criterion, side, 1);
}

/* Over all splits of feature j. */
static double best_of(const struct set *s, int64_t j, int criterion, double min_leaf)
{
    double best = -1;
    int side[256];
    int64_t tests = s->levels[j] ? (int64_t)1 << s->levels[j] : s->n + 1;
    for (int64_t t = 0; t < tests; t++) {
        for (int missing = 0; missing < 2; missing++) {
            double cut = s->levels[j] ? 0 : t < s->n ? s->x[t * s->d + j] : INFINITY;
            for (int64_t i = 0; i < s->n; i++) {
                double v = s->x[i * s->d + j];
                side[i] = isnan(v) ? missing : s->levels[j] ? !(t >> (int)v & 1) : !(v <= cut);
            }
            best = fmax(best, gain_of(s, criterion, side, min_leaf));
        }
    }
    return best;
}

/* ---- random tables ---- */

static struct set *random_set(uint64_t seed, int64_t n_classes)
{
    int64_t n = 5 + (int64_t)(17 * random_of(seed, 0, 0));
    struct set *s = set_new(n, 3, n_classes);
    s->levels[2] = 2 + (int64_t)(5 * random_of(seed, 0, 1));
    for (int64_t i = 0; i < n; i++) {
        s->x[i * 3] = floor(6 * random_of(seed, 1, i));
        s->x[i * 3 + 1] = random_of(seed, 2, i);
        s->x[i * 3 + 2] = floor((double)s->levels[2] * random_of(seed, 3, i));
        for (int64_t j = 0; j < 3; j++)
            if (seed % 3 == 1 && random_of(seed, 4 + j, i) < 0.2) s->x[i * 3 + j] = NAN;
        s->label[i] = (int32_t)floor((double)n_classes * random_of(seed, 8, i));
        s->y[i] = seed % 2 ? floor(10 * random_of(seed, 9, i)) : random_of(seed, 9, i);
        s->weight[i] = seed % 5 == 2 ? 1 + floor(3 * random_of(seed, 10, i)) : 1;
    }
    return s;
}

static void compare(smr_ctx *ctx, struct set *s, int criterion, double min_leaf, int search)
{
    struct smr_tree_params p = defaults();
    double best = -1, got;
    p.criterion = criterion;
    p.max_depth = 1;
    p.min_leaf = min_leaf;
    p.search = search;
    for (int64_t j = 0; j < s->d; j++) best = fmax(best, best_of(s, j, criterion, min_leaf));
    struct smr_tree_state *state = fit_to(ctx, p, s);
    got = total_gain(state);
    if (state->trees.n_leaves == 1) /* pure, or no split is allowed */
        assert_true(best < 1e-9);
    else
        check_near("gain of the split", got, best, 1e-9);
    drop(state);
}

static void every_criterion_finds_the_best_of_all_splits(void **unused)
{
    static const int criteria[] = {SMR_TREE_GINI, SMR_TREE_ENTROPY, SMR_TREE_ERROR,
                                   SMR_TREE_SQUARED};
    smr_ctx *ctx = check_ctx(1);
    (void)unused;
    for (uint64_t seed = 0; seed < 120; seed++) {
        for (int c = 0; c < 4; c++) {
            bool classes = criteria[c] != SMR_TREE_SQUARED;
            struct set *s = random_set(seed, classes ? 2 + (int64_t)seed % 3 : 0);
            compare(ctx, s, criteria[c], seed % 4 == 3 ? 3 : 0, seed % 2 ? SMR_TREE_EXACT : 0);
            set_free(s);
        }
    }
    check_ctx_end(ctx);
}

/* Sets of levels are a heuristic by absolute error: the numbers alone. */
static void absolute_error_finds_the_best_threshold(void **unused)
{
    smr_ctx *ctx = check_ctx(1);
    (void)unused;
    for (uint64_t seed = 0; seed < 150; seed++) {
        struct set *s = random_set(seed, 0);
        s->levels[2] = 0;
        compare(ctx, s, SMR_TREE_ABSOLUTE, seed % 4 == 3 ? 2 : 0, 0);
        set_free(s);
    }
    check_ctx_end(ctx);
}

/* More levels than are tried in all sets, two classes and squared error: still the best set. */
static void many_levels_are_ordered_by_their_mean(void **unused)
{
    smr_ctx *ctx = check_ctx(1);
    (void)unused;
    for (uint64_t seed = 0; seed < 12; seed++) {
        struct set *s = set_new(90, 1, seed % 2 ? 2 : 0);
        s->levels[0] = 12;
        for (int64_t i = 0; i < s->n; i++) {
            s->x[i] = floor(12 * random_of(seed, 1, i));
            s->y[i] = random_of(seed, 2, i) + sin(s->x[i]);
            s->label[i] = random_of(seed, 3, i) < 0.5 + 0.3 * sin(s->x[i]);
        }
        compare(ctx, s, seed % 2 ? SMR_TREE_ENTROPY : SMR_TREE_SQUARED, 0, 0);
        set_free(s);
    }
    check_ctx_end(ctx);
}

/* Wide codes (more than 255 values): the root is searched in the kept order, below by sorting. */
static void wide_features_are_split_exactly(void **unused)
{
    smr_ctx *ctx = check_ctx(1);
    struct smr_tree_params p = defaults();
    (void)unused;
    p.max_depth = 2;
    for (int regress = 0; regress < 2; regress++) {
        struct set *s = set_new(700, 2, regress ? 0 : 3);
        for (int64_t i = 0; i < s->n; i++) {
            s->x[2 * i] = random_of(1, 1, i);
            s->x[2 * i + 1] = i % 7 == 3 ? NAN : random_of(1, 2, i);
            s->label[i] = (int32_t)(3 * random_of(1, 3, i) * s->x[2 * i]);
            s->y[i] = random_of(1, 3, i) + (i % 7 == 3 ? 1 : s->x[2 * i + 1] > 0.7);
        }
        struct smr_tree_state *exact = fit_to(ctx, p, s);
        assert_int_equal(exact->n_rounded, 0);
        p.search = SMR_TREE_HISTOGRAM;
        struct smr_tree_state *binned = fit_to(ctx, p, s);
        assert_int_equal(binned->n_rounded, 2);
        assert_true(total_gain(binned) <= total_gain(exact) * (1 + 1e-9));
        assert_true(total_gain(binned) > 0.9 * total_gain(exact));
        p.search = SMR_TREE_SEARCH_AUTO;
        drop(exact);
        drop(binned);
        set_free(s);
    }
    check_ctx_end(ctx);
}

/* The quick ways (bytes, counted, weight 1) and the general one (weights that are not whole
 * numbers) give the same tree: the gini of half a row is half of it. */
static void every_way_of_searching_gives_the_same_tree(void **unused)
{
    smr_ctx *ctx = check_ctx(2);
    struct smr_tree_params p = defaults();
    (void)unused;
    for (int kind = 0; kind < 3; kind++) {
        struct set *s = set_new(3001, 9, 5);
        for (int64_t i = 0; i < s->n; i++) {
            for (int64_t j = 0; j < s->d; j++)
                s->x[i * s->d + j] = floor((kind == 1 ? 256 : 30) * random_of(3, j, i));
            if (kind == 2) s->x[i * s->d + 3] = random_of(3, 77, i) < 0.1 ? NAN : 4;
            s->label[i] = (int32_t)(5 * random_of(3, 20, i) * s->x[i * s->d] / 256.);
        }
        struct smr_tree_state *one = fit_to(ctx, p, s);
        for (int64_t i = 0; i < s->n; i++) s->weight[i] = 2;
        struct smr_tree_state *two = fit_to(ctx, p, s);
        for (int64_t i = 0; i < s->n; i++) s->weight[i] = 0.375;
        struct smr_tree_state *part = fit_to(ctx, p, s);
        p.max_leaves = SMR_MAX_DIM;
        struct smr_tree_state *best_first = fit_to(ctx, p, s);
        p.max_leaves = 0;
        assert_int_equal(one->trees.n_nodes, two->trees.n_nodes);
        assert_int_equal(one->trees.n_nodes, part->trees.n_nodes);
        assert_int_equal(one->trees.n_nodes, best_first->trees.n_nodes);
        size_t splits = (size_t)one->trees.n_nodes * sizeof(int32_t);
        assert_memory_equal(one->trees.split, two->trees.split, splits);
        assert_memory_equal(one->trees.split, part->trees.split, splits);
        assert_memory_equal(one->trees.split, best_first->trees.split, splits);
        assert_memory_equal(one->trees.cut, part->trees.cut, 2 * splits);
        drop(one);
        drop(two);
        drop(part);
        drop(best_first);
        set_free(s);
    }
    check_ctx_end(ctx);
}

/* ---- play tennis ---- */

static struct set *play_tennis(void)
{
    static const int64_t levels[] = {3, 3, 2, 2};
    struct set *s = set_new(14, 4, 2);
    for (int64_t i = 0; i < 14; i++) {
        for (int64_t j = 0; j < 4; j++) s->x[4 * i + j] = tennis[i][j];
        s->label[i] = tennis[i][4];
    }
    for (int64_t j = 0; j < 4; j++) s->levels[j] = levels[j];
    return s;
}

/* Quinlan 1986: outlook 0.246 bits; below it humidity (sunny) and windy (rain) decide. */
static void id3_learns_to_play_tennis(void **unused)
{
    smr_ctx *ctx = check_ctx(1);
    struct set *s = play_tennis();
    struct smr_tree_params p = defaults();
    (void)unused;
    p.criterion = SMR_TREE_ENTROPY;
    p.categories = SMR_TREE_MULTIWAY;
    struct smr_tree_state *state = fit_to(ctx, p, s);
    check_near("entropy of play", state->impurity, tennis_bits[0], 1e-12);
    check_near("gain of outlook", state->gain[0] / 14, tennis_bits[1], 1e-12);
    check_near("gain of humidity among 5 sunny rows", state->gain[2] / 5, tennis_bits[2], 1e-12);
    check_near("gain of windy among 5 rainy rows", state->gain[3] / 5, tennis_bits[3], 1e-12);
    check_near("gain of temperature", state->gain[1], 0, 0);
    assert_int_equal(state->trees.n_leaves, 5);
    assert_true(share_right(state, s) == 1);
    smr_tree_node root = smr_trees_node(&state->trees, 0);
    assert_int_equal(root.kind, SMR_SPLIT_WAYS);
    assert_int_equal(root.feature, 0);
    assert_int_equal(root.n_children, 3);
    drop(state);
    p.criterion = SMR_TREE_GAIN_RATIO; /* 0.156 of outlook is the largest ratio, too */
    state = fit_to(ctx, p, s);
    assert_int_equal(smr_trees_node(&state->trees, 0).feature, 0);
    assert_int_equal(state->trees.n_leaves, 5);
    drop(state);
    set_free(s);
    check_ctx_end(ctx);
}

/* A column of its own value for each row gains most, and by its ratio nothing does less. */
static void gain_ratio_passes_by_identifiers(void **unused)
{
    smr_ctx *ctx = check_ctx(1);
    struct smr_tree_params p = defaults();
    struct set *s = set_new(40, 2, 2);
    (void)unused;
    s->levels[0] = 40;
    s->levels[1] = 2;
    for (int64_t i = 0; i < 40; i++) {
        s->x[2 * i] = (double)i;
        s->x[2 * i + 1] = i % 2 == (i % 8 == 0);
        s->label[i] = (int32_t)(i % 2);
    }
    p.categories = SMR_TREE_MULTIWAY;
    p.criterion = SMR_TREE_ENTROPY;
    struct smr_tree_state *gain = fit_to(ctx, p, s);
    assert_int_equal(smr_trees_node(&gain->trees, 0).feature, 0);
    drop(gain);
    for (int64_t i = 0; i < 40; i++)
        s->x[2 * i + 1] = (double)(i % 2); /* its gain is the mean at least */
    p.criterion = SMR_TREE_GAIN_RATIO;
    gain = fit_to(ctx, p, s);
    assert_int_equal(smr_trees_node(&gain->trees, 0).feature, 1);
    drop(gain);
    set_free(s);
    check_ctx_end(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_criterion_finds_the_best_of_all_splits),
        cmocka_unit_test(absolute_error_finds_the_best_threshold),
        cmocka_unit_test(many_levels_are_ordered_by_their_mean),
        cmocka_unit_test(wide_features_are_split_exactly),
        cmocka_unit_test(every_way_of_searching_gives_the_same_tree),
        cmocka_unit_test(id3_learns_to_play_tennis),
        cmocka_unit_test(gain_ratio_passes_by_identifiers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
