/* test_tree_threads.c -- trees are the same bytes at 1, 2, 7 and 16 threads, and however their
 * leaves are handed out: few classes and many, large nodes and small ones. */
#include "learn/matrix_data.h"

#include "learn/trees/boost.h"
#include "learn/trees/tree.h"

extern const smr_learner smr_boost, smr_tree;

static const int threads[] = {2, 7, 16};

/* ---- data ------------------------------------------------------------------------------- */

struct table {
    int64_t n, d, n_classes;
    double *x, *y, *weight;
    int32_t *label;
    struct matrix_data m;
};

/* n_classes 0: numbers.  The second feature has few values, the third is mostly 0. */
static struct table *make_table(int64_t n, int64_t d, int64_t n_classes, uint64_t seed)
{
    struct table *t = calloc(1, sizeof *t);
    assert_non_null(t);
    *t = (struct table){.n = n, .d = d, .n_classes = n_classes};
    t->x = random_matrix(n * d, seed);
    t->y = random_matrix(n, seed + 1);
    t->weight = random_matrix(n, seed + 2);
    t->label = calloc((size_t)n, sizeof *t->label);
    assert_non_null(t->label);
    for (int64_t i = 0; i < n; i++) {
        double *x = t->x + i * d;
        x[1] = floor(4 * x[1]);
        x[2] = x[2] > 1.1 ? x[2] : 0;
        t->y[i] = 0.7 * t->y[i] + sin(3 * x[0]) * x[3] + 0.31 * x[1] + (x[2] > 0);
        t->weight[i] = 0.3 + fabs(t->weight[i]);
        double c = (double)n_classes * (0.5 + t->y[i] / 5);
        t->label[i] = n_classes ? (int32_t)smr_fmin(smr_fmax(c, 0), (double)n_classes - 1) : 0;
    }
    matrix_data(&t->m, n, d, 1, t->x, t->y, NULL);
    t->m.data.refuse_missing = false;
    if (n_classes == 0) return t;
    t->m.data.task = SMR_TASK_CLASSIFY;
    t->m.data.label = t->label;
    t->m.data.n_classes = n_classes;
    t->m.data.y = NULL;
    return t;
}

static void end_table(struct table *t)
{
    free(t->x);
    free(t->y);
    free(t->weight);
    free(t->label);
    free(t);
}

/* ---- lanes ------------------------------------------------------------------------------ */

static struct smr_ctx lanes[16];

/* Stands in for the pool: as many lanes as are asked for, on any machine, and tasks go to other
 * ones each time. */
static smr_status hand_round(smr_ctx *ctx, const char *what, int64_t n_tasks, smr_task_fn fn,
                             void *arg)
{
    static int64_t turn;
    (void)what;
    if (n_tasks == 1) return fn(ctx, arg, 0, 0);
    for (int64_t task = 0; task < n_tasks; task++) {
        int lane = (int)((5 * task + turn++) % ctx->n_threads);
        lanes[lane].n_threads = 1;
        lanes[lane].seed = ctx->seed;
        lanes[lane].memory = ctx->memory;
        lanes[lane].parent = ctx;
        smr_status st = fn(&lanes[lane], arg, task, lane);
        if (st != SMR_OK) return st;
    }
    return SMR_OK;
}

/* by_hand: with that in place of threads. */
static struct fitted fit_by(const smr_learner *learner, const char *words, const smr_data *data,
                            int n_threads, bool by_hand)
{
    struct fitted f = {.ctx = check_ctx(n_threads), .learner = learner};
    if (by_hand) f.ctx->stand_in = hand_round;
    f.params = make_params(f.ctx, learner, words);
    check_ok(f.ctx, smr_state_create(f.ctx, learner, &f.state));
    check_ok(f.ctx, smr_learner_fit(f.ctx, learner, f.params, data, f.state, &f.report));
    return f;
}

/* ---- are they the same? ----------------------------------------------------------------- */

static void same_numbers(const double *a, const double *b, int64_t n)
{
    assert_int_equal(!a, !b);
    if (a) assert_memory_equal(a, b, (size_t)n * sizeof *a);
}

static void same_trees(const smr_trees *a, const smr_trees *b)
{
    assert_int_equal(a->n_trees, b->n_trees);
    assert_int_equal(a->n_nodes, b->n_nodes);
    assert_int_equal(a->n_leaves, b->n_leaves);
    size_t n = (size_t)a->n_nodes;
    assert_memory_equal(a->root, b->root, (size_t)(a->n_trees + 1) * sizeof *a->root);
    assert_memory_equal(a->split, b->split, n * sizeof *a->split);
    assert_memory_equal(a->cover, b->cover, n * sizeof *a->cover);
    same_numbers(a->cut, b->cut, a->n_nodes);
    same_numbers(a->value, b->value, a->n_leaves * a->width);
}

static void same_boost(const struct fitted *one, const struct fitted *other)
{
    const struct smr_boost_state *a = one->state, *b = other->state;
    same_trees(&a->trees, &b->trees);
    assert_int_equal(a->n_curve, b->n_curve);
    same_numbers(a->curve, b->curve, a->n_curve);
    same_numbers(a->watched, b->watched, a->n_curve);
    same_numbers(a->base, b->base, a->n_base);
    same_numbers(a->gain, b->gain, a->n_features);
    same_numbers(a->splits, b->splits, a->n_features);
    same_numbers(a->covered, b->covered, a->n_features);
}

static void same_tree(const struct fitted *one, const struct fitted *other)
{
    const struct smr_tree_state *a = one->state, *b = other->state;
    same_trees(&a->trees, &b->trees);
    assert_int_equal(a->n_path, b->n_path);
    same_numbers(a->gain, b->gain, a->n_features);
    same_numbers(a->path_alpha, b->path_alpha, a->n_path);
    same_numbers(a->path_impurity, b->path_impurity, a->n_path);
    same_numbers(a->path_error, b->path_error, a->n_path);
}

/* ---- boost ------------------------------------------------------------------------------ */

static void check_boost(const char *words, const struct table *t, int64_t least_leaves)
{
    struct fitted one = fit_matrix(&smr_boost, words, &t->m.data, 1);
    const struct smr_boost_state *s = one.state;
    assert_true(s->trees.n_leaves >= least_leaves * s->trees.n_trees);
    for (int i = 0; i < 2 * SMR_COUNT(threads); i++) {
        struct fitted many = fit_by(&smr_boost, words, &t->m.data, threads[i / 2], i % 2);
        same_boost(&one, &many);
        end_fitted(&many);
    }
    end_fitted(&one);
}

/* Trees of 3 and 7 classes are grown by 16 lanes together, those of 23 by each lane alone. */
static void boosted_classes_are_the_same_at_any_number_of_threads(void **unused)
{
    static const int64_t classes[] = {2, 3, 7, 23};
    static const char *const words[] = {"rounds=3 max_leaves=31",
                                        "rounds=2 max_leaves=150 min_leaf=3",
                                        "rounds=2 growth=level max_depth=8",
                                        "rounds=3 rows=0.6 columns=0.7 features=0.6 max_leaves=24",
                                        "rounds=4 patience=2 rate=0.4 max_leaves=13"};
    (void)unused;
    check_no_races();
    for (int k = 0; k < SMR_COUNT(classes); k++)
        for (int w = 0; w < SMR_COUNT(words); w++) {
            struct table *t = make_table(w % 2 ? 5003 : 40009, 7, classes[k], 17);
            if (w % 2) t->m.data.weight = t->weight;
            check_boost(words[w], t, 3);
            end_table(t);
        }
}

/* Few rows: their sums are those of the numbers themselves, in the order of the rows. */
static void boosted_few_rows_are_the_same_at_any_number_of_threads(void **unused)
{
    static const char *const words[] = {"rounds=5 max_leaves=40", "rounds=5 loss=absolute",
                                        "rounds=4 growth=level max_depth=20"};
    (void)unused;
    for (int w = 0; w < SMR_COUNT(words); w++)
        for (int64_t n = 509; n < 4099; n += 1789) {
            struct table *t = make_table(n, 5, 0, 29);
            t->m.data.weight = t->weight;
            check_boost(words[w], t, 3);
            end_table(t);
        }
}

/* Where features are drawn for each node, no leaf is split ahead of its turn.  A share of 0.999
 * of 7 features is all of them: so the two ways are compared, and every limit of the leaves ends
 * the tree at another place of the splits ahead. */
static void splits_ahead_of_their_turn_are_those_in_turn(void **unused)
{
    (void)unused;
    for (int64_t k = 0; k <= 3; k += 3)
        for (int leaves = 2; leaves <= 40; leaves += leaves < 12 ? 1 : 7) {
            struct table *t = make_table(9001, 7, k, 41);
            char ahead[64], in_turn[64];
            t->m.data.weight = t->weight;
            snprintf(ahead, sizeof ahead, "rounds=2 max_leaves=%d", leaves);
            snprintf(in_turn, sizeof in_turn, "%s features=0.999", ahead);
            struct fitted a = fit_matrix(&smr_boost, ahead, &t->m.data, leaves % 3 + 1);
            struct fitted b = fit_matrix(&smr_boost, in_turn, &t->m.data, 1);
            same_boost(&a, &b);
            end_fitted(&a);
            end_fitted(&b);
            end_table(t);
        }
}

/* There are fewer histograms (some 260, of 64 columns) than leaves: then leaves are not split
 * ahead, and some are counted. */
static void few_histograms_split_the_same_leaves(void **unused)
{
    (void)unused;
    check_no_races();
    struct table *t = make_table(6007, 64, 3, 47);
    check_boost("rounds=1 max_leaves=500 min_leaf=1 min_child=0.001", t, 400);
    end_table(t);
}

/* ---- tree ------------------------------------------------------------------------------- */

static void check_tree(const char *words, const struct table *t)
{
    struct fitted one = fit_matrix(&smr_tree, words, &t->m.data, 1);
    for (int i = 0; i < 2 * SMR_COUNT(threads); i++) {
        struct fitted many = fit_by(&smr_tree, words, &t->m.data, threads[i / 2], i % 2);
        same_tree(&one, &many);
        end_fitted(&many);
    }
    end_fitted(&one);
}

/* Rows enough for subtrees of subtrees: 16 x 8 x 512 at the most, and fewer where nodes are
 * uneven.  Several threads split large nodes in step (tree_front.c), one does so in turn. */
static void trees_are_the_same_at_any_number_of_threads(void **unused)
{
    static const int64_t classes[] = {0, 2, 3, 23};
    (void)unused;
    check_no_races();
    for (int k = 0; k < SMR_COUNT(classes); k++) {
        struct table *t = make_table(40009, 5, classes[k], 53);
        if (k % 2) t->m.data.weight = t->weight;
        for (int64_t i = 0; i < t->n * t->d && k < 2; i += 17) t->x[i] = NAN;
        check_tree(k == 2 ? "prune=cost folds=2" : "ties=random", t);
        end_table(t);
    }
}

/* Sets of levels, and children by level, which are not divided by blocks; rows without a value; and
 * refused splits, after their rows were counted and before they are moved. */
static void large_nodes_of_every_kind_are_the_same_in_step(void **unused)
{
    static const char *const words[] = {"", "categories=multiway", "chi2=0.01 min_leaf=3",
                                        "criterion=error min_gain=0.001",
                                        "class_weight=balanced criterion=gain_ratio"};
    enum { ROWS = 9001, LEVELS = 6 };
    (void)unused;
    check_no_races();
    for (int w = 0; w < SMR_COUNT(words); w++) {
        struct table *t = make_table(ROWS, 5, 3, 61);
        t->m.features[4].kind = SMR_CATEGORY;
        t->m.features[4].n_levels = LEVELS;
        for (int64_t i = 0; i < ROWS; i++) {
            double level = floor(1.5 * (t->x[i * 5 + 4] + 2));
            t->x[i * 5 + 4] = smr_fmin(smr_fmax(level, 0), LEVELS - 1);
            if (i % 11 == 0) t->x[i * 5] = NAN;
        }
        check_tree(words[w], t);
        end_table(t);
    }
}

/* The best leaf first, which no task does, ends with the same tree if nothing limits it. */
static void subtrees_are_what_one_stack_gives(void **unused)
{
    (void)unused;
    for (int64_t k = 0; k <= 3; k += 3) {
        struct table *t = make_table(4099, 5, k, 59);
        struct fitted tasks = fit_matrix(&smr_tree, "min_leaf=2", &t->m.data, 16);
        struct fitted best_first =
            fit_matrix(&smr_tree, "min_leaf=2 max_leaves=100000", &t->m.data, 1);
        const struct smr_tree_state *s = tasks.state;
        assert_true(s->trees.n_leaves > 300);
        same_tree(&tasks, &best_first);
        end_fitted(&tasks);
        end_fitted(&best_first);
        end_table(t);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(boosted_classes_are_the_same_at_any_number_of_threads),
        cmocka_unit_test(boosted_few_rows_are_the_same_at_any_number_of_threads),
        cmocka_unit_test(splits_ahead_of_their_turn_are_those_in_turn),
        cmocka_unit_test(few_histograms_split_the_same_leaves),
        cmocka_unit_test(trees_are_the_same_at_any_number_of_threads),
        cmocka_unit_test(large_nodes_of_every_kind_are_the_same_in_step),
        cmocka_unit_test(subtrees_are_what_one_stack_gives),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
