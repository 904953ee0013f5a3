/* Growing and pruning of tree and stump: figures of the notes, scikit-learn's sequences, weights,
 * missing values, depth, and bad input. */
#include "learn/tree_data.h"
#include "said.h"

#include "data/read.h"
#include "learn/registry.h"
#include "learn/trees/tree_parts.h"
#include "truth/trees.h"

/* ---- figures of the notes ---- */

/* All 2^n rows of n bits, labelled by f(bits set). */
static struct set *bits(int64_t n, int32_t (*f)(int ones, int64_t n))
{
    struct set *s = set_new((int64_t)1 << n, n, 2);
    for (int64_t i = 0; i < s->n; i++) {
        for (int64_t j = 0; j < n; j++) s->x[i * n + j] = (double)(i >> j & 1);
        s->label[i] = f(__builtin_popcountll((unsigned long long)i), n);
    }
    return s;
}

static int32_t parity(int ones, int64_t n)
{
    (void)n;
    return ones % 2;
}

static int32_t majority(int ones, int64_t n)
{
    return 2 * ones > n;
}

static void parity_needs_all_leaves_and_majority_six(void **unused)
{
    static const int criteria[] = {SMR_TREE_GINI, SMR_TREE_ENTROPY, SMR_TREE_ERROR};
    smr_ctx *ctx = check_ctx(1);
    struct smr_tree_params p = defaults();
    (void)unused;
    for (int c = 0; c < 3; c++) {
        p.criterion = criteria[c];
        for (int64_t n = 1; n <= 7; n++) {
            struct set *s = bits(n, parity);
            struct smr_tree_state *state = fit_to(ctx, p, s);
            assert_int_equal(state->trees.n_leaves, (int64_t)1 << n);
            assert_true(share_right(state, s) == 1);
            drop(state);
            set_free(s);
        }
        struct set *s = bits(3, majority);
        struct smr_tree_state *state = fit_to(ctx, p, s);
        assert_int_equal(state->trees.n_leaves, 6);
        drop(state);
        set_free(s);
    }
    check_ctx_end(ctx);
}

/* Both gains are 0 at the root; a tree that asks for gain stays a leaf. */
static void xor_is_learned_through_a_split_that_gains_nothing(void **unused)
{
    smr_ctx *ctx = check_ctx(1);
    struct smr_tree_params p = defaults();
    struct set *s = bits(2, parity);
    (void)unused;
    struct smr_tree_state *state = fit_to(ctx, p, s);
    check_near("gain at the root", state->gain[0], 0, 1e-15);
    check_near("gain below it", state->gain[1], 2, 1e-15); /* 4 rows x 1/2 */
    assert_true(share_right(state, s) == 1);
    drop(state);
    p.min_gain = 1e-9;
    state = fit_to(ctx, p, s);
    assert_int_equal(state->trees.n_nodes, 1);
    drop(state);
    set_free(s);
    check_ctx_end(ctx);
}

/* All 32 rows of 5 bits; the label is x5, flipped with probability 1/4: a full tree learns the
 * flips, tests at (3/4)^2 + (1/4)^2 = 62.5 %; one node tests at 75 %. */
static void a_full_tree_learns_the_noise(void **unused)
{
    enum { SEEDS = 400 };
    smr_ctx *ctx = check_ctx(1);
    double full = 0, one = 0;
    (void)unused;
    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        struct set *s = bits(5, parity);
        for (int64_t i = 0; i < 32; i++)
            s->label[i] = (int32_t)(i >> 4 & 1) ^ (random_of(seed, 1, i) < 0.25);
        struct smr_tree_params p = defaults();
        struct smr_tree_state *all = fit_to(ctx, p, s);
        assert_true(share_right(all, s) == 1);
        p.max_depth = 1;
        struct smr_tree_state *stump = fit_to(ctx, p, s);
        bool right = smr_trees_node(&stump->trees, 0).feature == 4;
        for (int64_t i = 0; i < 32; i++)
            s->label[i] = (int32_t)(i >> 4 & 1) ^ (random_of(seed, 2, i) < 0.25);
        full += share_right(all, s) / SEEDS;
        one += right ? share_right(stump, s) / SEEDS : 0.75 / SEEDS;
        drop(all);
        drop(stump);
        set_free(s);
    }
    check_near("full tree on new labels", full, 0.625, 0.02);
    check_near("one node on new labels", one, 0.75, 0.02);
    check_ctx_end(ctx);
}

/* ---- scikit-learn (tests/truth/trees.py) ---- */

static void check_path(const char *file, const char *target, const char *sentence, int64_t n,
                       const double *alpha, const double *impurity)
{
    smr_ctx *ctx = check_ctx(1);
    smr_table *t = NULL;
    check_ok(ctx, smr_table_open(ctx, file, NULL, &t));
    smr_model *m = train_on(ctx, sentence, t, target);
    const struct smr_tree_state *s = m->stages[m->n_stages - 1].state;
    assert_int_equal(s->n_path, n);
    for (int64_t i = 0; i < n; i++) {
        check_near("alpha", s->path_alpha[i], alpha[i], 1e-10);
        check_near("impurity", s->path_impurity[i], impurity[i], 1e-10);
        assert_true(s->path_leaves[i] == (double)(n - i));
    }
    smr_model_free(m);
    smr_table_free(t);
    check_ctx_end(ctx);
}

static void pruning_sequences_are_those_of_scikit_learn(void **unused)
{
    (void)unused;
    check_path("data/iris.csv", "species", "tree min_leaf=5 prune=cost", SMR_COUNT(iris_path[0]),
               iris_path[0], iris_path[1]);
    check_path("data/diabetes.csv", "progression", "tree min_leaf=40 prune=cost",
               SMR_COUNT(diabetes_path[0]), diabetes_path[0], diabetes_path[1]);
}

/* Trained on the rows whose number is not a multiple of 4, judged on the others (or, `on_train`, on
 * its own). */
static double judged(const char *file, const char *target, const char *sentence, bool on_train,
                     double (*judge)(double got, double want))
{
    smr_ctx *ctx = check_ctx(1);
    smr_table *t = NULL;
    smr_train_set *set = NULL;
    smr_model *m = NULL;
    smr_set_opts opts = {.target = target, .keep_all = true};
    check_ok(ctx, smr_table_open(ctx, file, NULL, &t));
    int64_t n = t->n_rows, n_train = 0, column = smr_table_find(t, target), n_judged = 0;
    int64_t *train = calloc((size_t)n, sizeof *train);
    for (int64_t i = 0; i < n; i++)
        if (i % 4) train[n_train++] = i;
    check_ok(ctx, said_set(ctx, t, sentence, &opts, &set));
    check_ok(ctx, said_fit(ctx, sentence, set, train, n_train, &m));
    bool classify = m->target.task == SMR_TASK_CLASSIFY;
    double *out = apply(ctx, m, t, classify ? SMR_OUTPUT_LABEL : SMR_OUTPUT_VALUE), sum = 0;
    for (int64_t i = 0; i < n; i++) {
        const smr_column *y = &t->cols[column];
        double want = y->kind == SMR_CATEGORY ? smr_column_code(y, i) : smr_column_number(y, i);
        if ((i % 4 != 0) != on_train) continue;
        sum += judge(out[i], want);
        n_judged++;
    }
    smr_free(out);
    free(train);
    smr_model_free(m);
    smr_train_set_free(set);
    smr_table_free(t);
    check_ctx_end(ctx);
    return sum / (double)n_judged;
}

static double is_right(double got, double want)
{
    return got == want;
}

static double distance(double got, double want)
{
    return fabs(got - want);
}

/* Equal gains are settled by the seed there and by the lower feature here: four deviations over
 * the seeds, and one row. */
static void accuracy_is_that_of_scikit_learn(void **unused)
{
    (void)unused;
    for (int k = 0; k < (int)SMR_COUNT(tree_accuracies); k++)
        check_near(
            tree_accuracies[k].table,
            judged(tree_accuracies[k].table, tree_accuracies[k].target, "tree", false, is_right),
            tree_accuracies[k].mean, 4 * tree_accuracies[k].sd + 1 / tree_accuracies[k].n_judged);
    check_near(
        "diabetes, absolute error",
        judged("data/diabetes.csv", "progression", "tree 3 criterion=absolute", true, distance),
        diabetes_absolute, 1e-9);
}

/* ---- what must not matter ---- */

static struct set *mixed(uint64_t seed, int64_t n, int64_t n_classes)
{
    struct set *s = set_new(n, 4, n_classes);
    s->levels[3] = 5;
    for (int64_t i = 0; i < n; i++) {
        for (int64_t j = 0; j < 3; j++) s->x[4 * i + j] = random_of(seed, j, i);
        if (random_of(seed, 5, i) < 0.1) s->x[4 * i + 1] = NAN;
        s->x[4 * i + 3] = floor(5 * random_of(seed, 6, i));
        double signal = s->x[4 * i] + (s->x[4 * i + 3] == 2) + 0.3 * random_of(seed, 7, i);
        s->label[i] = (int32_t)fmin((double)n_classes - 1, signal * 1.5);
        s->y[i] = signal;
    }
    return s;
}

static void monotone_transforms_do_not_change_the_partition(void **unused)
{
    smr_ctx *ctx = check_ctx(1);
    (void)unused;
    for (int64_t classes = 0; classes <= 3; classes += 3) {
        struct set *s = mixed(11, 613, classes), *turned = mixed(11, 613, classes);
        struct smr_tree_params p = defaults();
        p.max_depth = 6;
        for (int64_t i = 0; i < s->n; i++) {
            turned->x[4 * i] = exp(5 * s->x[4 * i]);
            turned->x[4 * i + 2] = 1e6 * s->x[4 * i + 2] - 3;
        }
        struct smr_tree_state *a = fit_to(ctx, p, s), *b = fit_to(ctx, p, turned);
        double *x = say(a, s), *y = say(b, turned);
        assert_int_equal(a->trees.n_nodes, b->trees.n_nodes);
        assert_memory_equal(a->trees.split, b->trees.split,
                            (size_t)a->trees.n_nodes * sizeof *a->trees.split);
        assert_memory_equal(x, y, (size_t)(s->n * a->trees.width) * sizeof *x);
        free(x);
        free(y);
        drop(a);
        drop(b);
        set_free(s);
        set_free(turned);
    }
    check_ctx_end(ctx);
}

/* Of equal columns the first is asked. */
static void order_of_columns_breaks_ties_only(void **unused)
{
    smr_ctx *ctx = check_ctx(1);
    struct smr_tree_params p = defaults();
    struct set *s = set_new(200, 3, 2);
    (void)unused;
    p.max_depth = 1;
    for (int64_t i = 0; i < s->n; i++) {
        s->x[3 * i] = random_of(2, 0, i);
        s->x[3 * i + 1] = s->x[3 * i + 2] = random_of(2, 1, i);
        s->label[i] = s->x[3 * i + 1] > 0.4;
    }
    struct smr_tree_state *a = fit_to(ctx, p, s);
    assert_int_equal(smr_trees_node(&a->trees, 0).feature, 1);
    drop(a);
    set_free(s);
    check_ctx_end(ctx);
}

static void same_bytes_at_any_number_of_threads(void **unused)
{
    static const int threads[] = {2, 7};
    static const int missing[] = {SMR_TREE_DIRECTION, SMR_TREE_FRACTION};
    smr_ctx *ctx = check_ctx(1);
    (void)unused;
    for (int k = 0; k < 4; k++) {
        struct smr_tree_params p = defaults();
        struct set *s = mixed(5, 2503, k % 2 ? 3 : 0);
        p.missing = missing[k / 2];
        p.prune = SMR_TREE_COST;
        struct smr_tree_state *one = fit_to(ctx, p, s);
        for (int t = 0; t < 2; t++) {
            smr_ctx *other = check_ctx(threads[t]);
            struct smr_tree_state *many = fit_to(other, p, s);
            size_t nodes = (size_t)one->trees.n_nodes;
            assert_int_equal(one->trees.n_nodes, many->trees.n_nodes);
            assert_memory_equal(one->trees.split, many->trees.split, nodes * 4);
            assert_memory_equal(one->trees.cut, many->trees.cut, nodes * 8);
            assert_memory_equal(one->path_error, many->path_error, (size_t)one->n_path * 8);
            drop(many);
            check_ctx_end(other);
        }
        drop(one);
        set_free(s);
    }
    check_ctx_end(ctx);
}

/* ---- weights, limits, stopping ---- */

static void limits_are_kept(void **unused)
{
    smr_ctx *ctx = check_ctx(1);
    struct set *s = mixed(3, 997, 3);
    (void)unused;
    struct smr_tree_params p = defaults();
    p.max_leaves = 9;
    struct smr_tree_state *state = fit_to(ctx, p, s);
    assert_int_equal(state->trees.n_leaves, 9);
    drop(state);
    p = defaults();
    p.min_leaf = 37;
    state = fit_to(ctx, p, s);
    assert_true(state->trees.n_leaves > 3);
    for (int64_t i = 0; i < state->trees.n_nodes; i++) assert_true(state->trees.cover[i] >= 37);
    drop(state);
    p = defaults();
    p.min_split = 101;
    state = fit_to(ctx, p, s);
    for (int64_t i = 0; i < state->trees.n_nodes; i++)
        assert_true(smr_trees_node(&state->trees, i).kind == SMR_SPLIT_LEAF ||
                    state->trees.cover[i] >= 101);
    drop(state);
    p = defaults();
    p.min_gain = 0.05;
    state = fit_to(ctx, p, s);
    assert_true(state->trees.n_leaves > 1 && state->trees.n_leaves < 40);
    drop(state);
    set_free(s);
    check_ctx_end(ctx);
}

/* Labels that nothing explains: the test lets about its level of the splits pass. */
static void chi_square_stops_at_noise(void **unused)
{
    smr_ctx *ctx = check_ctx(1);
    int64_t split = 0;
    (void)unused;
    for (uint64_t seed = 0; seed < 300; seed++) {
        struct set *s = set_new(200, 1, 2);
        struct smr_tree_params p = defaults();
        for (int64_t i = 0; i < s->n; i++) {
            s->x[i] = random_of(seed, 1, i) < 0.5; /* one possible split: the test is not biased */
            s->label[i] = random_of(seed, 2, i) < 0.5;
        }
        p.chi2 = 0.05;
        struct smr_tree_state *state = fit_to(ctx, p, s);
        split += state->trees.n_leaves > 1;
        drop(state);
        set_free(s);
    }
    check_near("share of splits of noise", (double)split / 300, 0.05, 0.03);
    /* 30 of 50 against 20 of 50: chi-square 4, p 0.0455 */
    struct set *s = set_new(100, 1, 2);
    for (int64_t i = 0; i < 100; i++) {
        s->x[i] = i < 50;
        s->label[i] = (i % 50) < (i < 50 ? 30 : 20);
    }
    for (int k = 0; k < 2; k++) {
        struct smr_tree_params p = defaults();
        p.chi2 = k ? 0.046 : 0.045;
        struct smr_tree_state *state = fit_to(ctx, p, s);
        assert_int_equal(state->trees.n_leaves, 1 + k);
        drop(state);
    }
    set_free(s);
    check_ctx_end(ctx);
}

/* A class of a tenth of the rows counts as much as the other. */
static void balanced_classes_weigh_the_same(void **unused)
{
    smr_ctx *ctx = check_ctx(1);
    struct smr_tree_params p = defaults();
    struct set *s = set_new(100, 1, 2);
    (void)unused;
    for (int64_t i = 0; i < 100; i++) s->label[i] = i < 10;
    p.class_weight = SMR_CLASS_WEIGHT_BALANCED;
    struct smr_tree_state *state = fit_to(ctx, p, s);
    check_near("share of the rare class", state->trees.value[1], 0.5, 1e-12);
    check_near("cover", state->trees.cover[0], 100, 1e-12);
    drop(state);
    set_free(s);
    check_ctx_end(ctx);
}

static void absolute_error_gives_medians(void **unused)
{
    smr_ctx *ctx = check_ctx(1);
    struct smr_tree_params p = defaults();
    static const double y[] = {5, 1, 2, 100, 7, 8}, w[] = {1, 1, 1, 1, 1, 4};
    struct set *s = set_new(6, 1, 0);
    (void)unused;
    p.criterion = SMR_TREE_ABSOLUTE;
    memcpy(s->y, y, sizeof y);
    struct smr_tree_state *state = fit_to(ctx, p, s);
    check_near("median", state->trees.value[0], 6, 0);
    drop(state);
    memcpy(s->weight, w, sizeof w);
    state = fit_to(ctx, p, s);
    check_near("weighted median", state->trees.value[0], 8, 0);
    drop(state);
    set_free(s);
    check_ctx_end(ctx);
}

/* ---- missing values ---- */

/* C4.5: a row without a value goes both ways, by the weights of the known ones. */
static void fractions_of_rows_go_all_ways(void **unused)
{
    smr_ctx *ctx = check_ctx(1);
    struct smr_tree_params p = defaults();
    struct set *s = set_new(7, 1, 2);
    static const double x[] = {1, 1, 1, 2, 2, 2, NAN};
    static const int32_t label[] = {0, 0, 0, 1, 1, 0, 1};
    (void)unused;
    memcpy(s->x, x, sizeof x);
    memcpy(s->label, label, sizeof label);
    p.missing = SMR_TREE_FRACTION;
    struct smr_tree_state *state = fit_to(ctx, p, s);
    double *out = say(state, s);
    assert_int_equal(state->trees.n_leaves, 2);
    check_near("weight of the first leaf", state->trees.cover[1], 3.5, 1e-6);
    check_near("share in the first leaf", out[0], 3 / 3.5, 1e-9);
    check_near("share in the second leaf", out[2 * 3], 1 / 3.5, 1e-9);
    check_near("share of the row that goes both ways", out[2 * 6], 4 / 7., 1e-9);
    free(out);
    drop(state);
    set_free(s);
    s = mixed(8, 301, 3); /* a split is counted with what it gains of the known rows, and adds up */
    state = fit_to(ctx, p, s);
    double leaves = 0;
    for (int64_t i = 0; i < state->trees.n_nodes; i++)
        if (smr_trees_node(&state->trees, i).kind == SMR_SPLIT_LEAF)
            leaves += (double)state->trees.cover[i];
    check_near("weight of all leaves", leaves, 301, 1e-4);
    drop(state);
    set_free(s);
    check_ctx_end(ctx);
}

/* What is missing only when predicting goes to the heavier child; so does a level not seen. */
static void values_missing_only_later_go_to_the_heavier_child(void **unused)
{
    smr_ctx *ctx = check_ctx(1);
    struct smr_tree_params p = defaults();
    (void)unused;
    for (int category = 0; category < 2; category++) {
        for (int heavy = 0; heavy < 2; heavy++) {
            struct set *s = set_new(10, 1, 2);
            s->levels[0] = category ? 3 : 0; /* level 2 does not occur */
            for (int64_t i = 0; i < 10; i++) {
                s->x[i] = heavy ? i >= 3 : i >= 7;
                s->label[i] = s->x[i] > 0;
            }
            struct smr_tree_state *state = fit_to(ctx, p, s);
            s->x[0] = NAN;
            s->x[1] = category ? 2 : NAN;
            double *out = say(state, s);
            check_near("missing", out[heavy], 1, 0);
            check_near("not seen", out[2 + heavy], 1, 0);
            free(out);
            drop(state);
            set_free(s);
        }
    }
    check_ctx_end(ctx);
}

/* ---- pruning ---- */

static void pruning_cuts_noise_away(void **unused)
{
    static const int ways[] = {SMR_TREE_REDUCED, SMR_TREE_PESSIMISTIC, SMR_TREE_COST};
    smr_ctx *ctx = check_ctx(1);
    struct set *s = set_new(600, 3, 2), *test = set_new(2000, 3, 2);
    (void)unused;
    for (int part = 0; part < 2; part++) {
        struct set *t = part ? test : s;
        for (int64_t i = 0; i < t->n; i++) {
            for (int64_t j = 0; j < 3; j++) t->x[3 * i + j] = random_of(40 + (uint64_t)part, j, i);
            bool in = t->x[3 * i] > 0.5 && t->x[3 * i + 1] > 0.3;
            t->label[i] = in != (random_of(40 + (uint64_t)part, 9, i) < 0.2);
        }
    }
    struct smr_tree_params p = defaults();
    struct smr_tree_state *full = fit_to(ctx, p, s);
    double before = share_right(full, test);
    assert_true(before < 0.72);
    for (int k = 0; k < 3; k++) {
        p.prune = ways[k];
        struct smr_tree_state *state = fit_to(ctx, p, s);
        double after = share_right(state, test);
        assert_true(state->trees.n_leaves < full->trees.n_leaves / 2);
        assert_true(after > before + (k == 1 ? 0.02 : 0.05));
        if (ways[k] == SMR_TREE_COST) assert_true(state->trees.n_leaves <= 6 && after > 0.78);
        drop(state);
    }
    drop(full);
    set_free(s);
    set_free(test);
    check_ctx_end(ctx);
}

/* Quinlan's C4.5, p. 42: U(0, 6) = 0.206, U(0, 9) = 0.143, U(0, 1) = 0.750, U(1, 16) = 0.157 at
 * 25 %: leaves of 6, 9 and 1 rows are charged 3.273 errors, and one leaf in their place 2.512. */
static void pessimistic_pruning_follows_quinlan(void **unused)
{
    smr_ctx *ctx = check_ctx(1);
    struct smr_tree_params p = defaults();
    struct set *s = set_new(16, 1, 2);
    (void)unused;
    s->levels[0] = 3;
    for (int64_t i = 0; i < 16; i++) {
        s->x[i] = i < 6 ? 0 : i < 15 ? 1 : 2;
        s->label[i] = i == 15;
    }
    p.categories = SMR_TREE_MULTIWAY;
    struct smr_tree_state *state = fit_to(ctx, p, s);
    assert_int_equal(state->trees.n_leaves, 3);
    drop(state);
    p.prune = SMR_TREE_PESSIMISTIC;
    state = fit_to(ctx, p, s);
    assert_int_equal(state->trees.n_leaves, 1);
    assert_int_equal(state->grown_leaves, 3);
    drop(state);
    set_free(s);
    check_ctx_end(ctx);
}

/* By definition: the smallest (R(t) - R(T_t)) / (|T_t| - 1) falls, again and again. */
static void weakest_links_fall_in_their_order(void **unused)
{
    smr_ctx *ctx = check_ctx(1);
    (void)unused;
    for (uint64_t seed = 0; seed < 20; seed++) {
        enum { NODES = 41 };
        smr_tree_grown g = {0};
        double alpha[NODES], got[NODES];
        int32_t first = 0;
        smr_sapling_begin(&g.sapling, 1);
        check_ok(ctx, smr_sapling_nodes(ctx, &g.sapling, 1, &first));
        while (g.sapling.n < NODES) {
            int64_t at = (int64_t)((double)g.sapling.n * random_of(seed, 1, g.sapling.n));
            if (g.sapling.node[at].kind != SMR_SPLIT_LEAF) {
                for (at = 0; g.sapling.node[at].kind != SMR_SPLIT_LEAF;) at++;
            }
            check_ok(ctx, smr_sapling_nodes(ctx, &g.sapling, 2, &first));
            g.sapling.node[at].kind = SMR_SPLIT_CUT;
            g.sapling.node[at].child = first;
            g.sapling.node[at].n_children = 2;
            g.sapling.node[at].gain =
                seed % 2 ? random_of(seed, 2, at) : floor(4 * random_of(seed, 2, at));
        }
        g.sapling.node[0].cover = 1;
        check_ok(ctx, smr_tree_weakest_links(ctx, NULL, &g, got));
        bool leaf[NODES], gone[NODES] = {0};
        for (int64_t t = 0; t < NODES; t++) {
            leaf[t] = g.sapling.node[t].kind == SMR_SPLIT_LEAF;
            alpha[t] = 0;
        }
        double now = 0;
        while (!leaf[0]) {
            double gain[NODES] = {0}, leaves[NODES], least = INFINITY;
            for (int64_t t = NODES - 1; t >= 0; t--) {
                const smr_sprout *node = &g.sapling.node[t];
                leaves[t] = 1;
                if (leaf[t]) continue;
                gain[t] = node->gain + gain[node->child] + gain[node->child + 1];
                leaves[t] = leaves[node->child] + leaves[node->child + 1];
                if (!gone[t]) least = fmin(least, gain[t] / (leaves[t] - 1));
            }
            now = fmax(now, least);
            for (int64_t t = 0; t < NODES; t++) {
                const smr_sprout *node = &g.sapling.node[t];
                bool falls =
                    !leaf[t] && !gone[t] && gain[t] / (leaves[t] - 1) <= least * (1 + 1e-12);
                if (!falls && !gone[t]) continue;
                if (!leaf[t]) alpha[t] = now;
                leaf[t] = true;
                for (int32_t c = 0; c < node->n_children; c++) gone[node->child + c] = true;
            }
        }
        for (int64_t t = 0; t < NODES; t++) check_near("alpha of a node", got[t], alpha[t], 1e-9);
        smr_tree_grown_release(&g);
    }
    check_ctx_end(ctx);
}

/* ---- depth and bad input ---- */

/* Alternating classes: every split cuts off one row, and the tree is as deep as there are rows. */
static void deep_trees_need_no_deep_stack(void **unused)
{
    check_no_races();
    smr_ctx *ctx = check_ctx(1);
    struct smr_tree_params p = defaults();
    struct set *s = set_new(5001, 1, 2);
    (void)unused;
    for (int64_t i = 0; i < s->n; i++) {
        s->x[i] = (double)i;
        s->label[i] = (int32_t)(i % 2);
    }
    p.prune = SMR_TREE_COST;
    p.alpha = 0;
    struct smr_tree_state *state = fit_to(ctx, p, s);
    assert_int_equal(state->grown_leaves, s->n);
    assert_true(share_right(state, s) == 1);
    drop(state);
    set_free(s);
    smr_tree_grown g = {0}; /* and links of a chain of 100,000 */
    int32_t first = 0, at = 0;
    double *alpha = calloc(200001, sizeof *alpha);
    smr_sapling_begin(&g.sapling, 1);
    check_ok(ctx, smr_sapling_nodes(ctx, &g.sapling, 1, &first));
    for (int64_t k = 0; k < 100000; k++, at = first) {
        check_ok(ctx, smr_sapling_nodes(ctx, &g.sapling, 2, &first));
        g.sapling.node[at] = (smr_sprout){.kind = SMR_SPLIT_CUT,
                                          .child = first,
                                          .n_children = 2,
                                          .gain = (double)(k % 7),
                                          .cover = 1};
    }
    check_ok(ctx, smr_tree_weakest_links(ctx, NULL, &g, alpha));
    for (int64_t t = 1; t < g.sapling.n; t++) assert_true(alpha[t] <= alpha[0]);
    free(alpha);
    smr_tree_grown_release(&g);
    check_ctx_end(ctx);
}

static void a_hundred_thousand_levels_are_taken(void **unused)
{
    smr_ctx *ctx = check_ctx(2);
    (void)unused;
    for (int ways = 0; ways < 2; ways++) {
        struct smr_tree_params p = defaults();
        struct set *s = set_new(100000, 2, 2);
        s->levels[0] = 100000;
        for (int64_t i = 0; i < s->n; i++) {
            s->x[2 * i] = (double)(s->n - 1 - i);
            s->x[2 * i + 1] = random_of(6, 1, i);
            s->label[i] = random_of(6, 2, i) < 0.4;
        }
        p.categories = ways ? SMR_TREE_MULTIWAY : SMR_TREE_BINARY;
        struct smr_tree_state *state = fit_to(ctx, p, s);
        assert_int_equal(state->trees.n_leaves, ways ? 100000 : 2); /* the levels tell it all */
        assert_true(share_right(state, s) == 1);
        drop(state);
        set_free(s);
    }
    check_ctx_end(ctx);
}

/* Numbers: each row is told apart in the end, by the other feature where levels would need sets
 * that are larger than the data. */
static void sets_of_many_levels_stay_smaller_than_the_data(void **unused)
{
    smr_ctx *ctx = check_ctx(1);
    struct set *s = set_new(20011, 2, 0);
    (void)unused;
    s->levels[0] = 10007;
    for (int64_t i = 0; i < s->n; i++) {
        s->x[2 * i] = (double)(i * 4001 % 10007);
        s->x[2 * i + 1] = random_of(8, 1, i);
        s->y[i] = random_of(8, 2, i) + random_of(8, 3, i * 4001 % 10007);
    }
    struct smr_tree_state *state = fit_to(ctx, defaults(), s);
    assert_true(state->trees.n_words > 0);
    assert_true(state->trees.n_words < 10 * s->n);
    assert_true(state->trees.n_leaves > s->n * 99 / 100);
    drop(state);
    set_free(s);
    check_ctx_end(ctx);
}

static void what_cannot_be_told_apart_is_one_leaf(void **unused)
{
    smr_ctx *ctx = check_ctx(1);
    (void)unused;
    for (int kind = 0; kind < 4; kind++) { /* constant, one row, identical rows, all missing */
        for (int64_t classes = 0; classes <= 2; classes += 2) {
            struct set *s = set_new(kind == 1 ? 1 : 8, 3, classes);
            struct smr_tree_params p = defaults();
            s->levels[2] = 4;
            for (int64_t i = 0; i < s->n; i++) {
                for (int64_t j = 0; j < 3; j++) s->x[3 * i + j] = kind == 3 ? NAN : 2;
                s->label[i] = (int32_t)(i % 2);
                s->y[i] = (double)(i % 2);
            }
            for (int prune = 0; prune < 4; prune++) {
                if (prune == SMR_TREE_PESSIMISTIC && !classes) continue;
                p.prune = prune;
                struct smr_tree_state *state = fit_to(ctx, p, s);
                assert_int_equal(state->trees.n_nodes, 1);
                double want = s->n == 1 ? 0 : 0.5;
                check_near("answer", state->trees.value[classes ? 1 : 0], want,
                           prune == SMR_TREE_REDUCED ? 0.2 : 0);
                drop(state);
            }
            set_free(s);
        }
    }
    check_ctx_end(ctx);
}

static void what_makes_no_sense_is_refused(void **unused)
{
    smr_ctx *ctx = check_ctx(1);
    struct smr_tree_state *state = NULL;
    struct set *s = mixed(1, 40, 2), *numbers = mixed(1, 40, 0);
    struct smr_tree_params p = defaults();
    (void)unused;
    p.criterion = SMR_TREE_SQUARED;
    check_fails(ctx, try_fit(ctx, &p, set_data(s), &state), SMR_ERR_PARAM,
                "criterion=squared is for numbers, and the target has classes");
    p.criterion = SMR_TREE_GINI;
    check_fails(ctx, try_fit(ctx, &p, set_data(numbers), &state), SMR_ERR_PARAM,
                "criterion=gini is for classes");
    p = defaults();
    p.prune = SMR_TREE_PESSIMISTIC;
    check_fails(ctx, try_fit(ctx, &p, set_data(numbers), &state), SMR_ERR_PARAM, "pessimistic");
    p = defaults();
    for (int64_t i = 0; i < s->n; i++) s->weight[i] = 0;
    check_fails(ctx, try_fit(ctx, &p, set_data(s), &state), SMR_ERR_DATA, "sum to zero");
    for (int64_t i = 0; i < s->n; i++) s->weight[i] = 1e38;
    check_fails(ctx, try_fit(ctx, &p, set_data(s), &state), SMR_ERR_NUMERIC, "divide them");
    set_free(s);
    set_free(numbers);
    check_ctx_end(ctx);
}

/* ---- memory ---- */

struct attempt {
    struct smr_tree_params p;
    struct set *s;
};

static smr_status fit_once(smr_ctx *ctx, void *arg)
{
    struct attempt *a = arg;
    struct smr_tree_state *state = NULL;
    smr_status st = try_fit(ctx, &a->p, &a->s->data, &state);
    if (state) drop(state);
    return st;
}

static void every_failing_allocation_is_survived(void **unused)
{
    smr_ctx *ctx = check_ctx(1);
    (void)unused;
    for (int k = 0; k < 6; k++) {
        struct attempt a = {.p = defaults(), .s = mixed(4, k == 5 ? 700 : 60, k % 2 ? 3 : 0)};
        if (k == 0) a.p.criterion = SMR_TREE_ABSOLUTE;
        if (k == 1) a.p.missing = SMR_TREE_FRACTION;
        if (k == 2) a.p.prune = SMR_TREE_COST;
        if (k == 3) a.p.prune = SMR_TREE_REDUCED;
        if (k == 4) a.p.max_leaves = 6;
        a.p.categories = k == 3 ? SMR_TREE_MULTIWAY : SMR_TREE_BINARY;
        a.p.max_depth = k == 5 ? 3 : 4;
        for (int64_t i = 0; i < 9 && k == 4; i++) a.s->weight[i] = 0;
        set_data(a.s);
        assert_true(fail_each_allocation(ctx, fit_once, &a) > 20);
        set_free(a.s);
    }
    check_ctx_end(ctx);
}

/* Fitted again with other weights, it finds its codes. */
static void codes_are_kept_for_the_next_fit(void **unused)
{
    smr_ctx *ctx = check_ctx(1);
    struct set *s = mixed(9, 501, 2);
    struct smr_tree_params p = defaults();
    smr_shared shared = {0};
    smr_data data = *set_data(s);
    struct smr_tree_state *a = NULL, *b = NULL;
    (void)unused;
    p.max_depth = 1;
    data.shared = &shared;
    check_ok(ctx, try_fit(ctx, &p, &data, &a));
    const void *kept = shared.kept;
    assert_non_null(kept);
    drop(a);
    for (int64_t i = 0; i < s->n; i++) s->weight[i] = i % 3 ? random_of(9, 50, i) : 0;
    check_ok(ctx, try_fit(ctx, &p, &data, &a));
    assert_ptr_equal(kept, shared.kept);
    check_ok(ctx, try_fit(ctx, &p, set_data(s), &b));
    assert_int_equal(a->trees.split[0], b->trees.split[0]);
    check_near("gain", total_gain(a), total_gain(b), 1e-9);
    drop(a);
    drop(b);
    shared.release(shared.kept);
    set_free(s);
    check_ctx_end(ctx);
}

/* sign(theta1 (x_k - theta0)) */
static void a_stump_is_one_question(void **unused)
{
    smr_ctx *ctx = check_ctx(1);
    static const double x[] = {3, 1, 4, 1.5, 9, 2.6}, y[] = {1, 0, 1, 0, 1, 0};
    static const char *const names[] = {"x"};
    smr_table *t = new_table(ctx, 6, 2);
    (void)unused;
    put_numbers(ctx, t, 0, names[0], x);
    put_numbers(ctx, t, 1, "t", y);
    smr_model *m = NULL;
    smr_set_opts opts = {.target = "t", .task = SMR_TASK_CLASSIFY, .keep_all = true};
    check_ok(ctx, try_train(ctx, "stump", t, &opts, &m));
    const struct smr_tree_state *s = m->stages[m->n_stages - 1].state;
    assert_int_equal(s->trees.n_nodes, 3);
    check_near("theta0", s->trees.cut[0], 2.8, 1e-15);
    smr_model_free(m);
    smr_table_free(t);
    check_ctx_end(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(parity_needs_all_leaves_and_majority_six),
        cmocka_unit_test(xor_is_learned_through_a_split_that_gains_nothing),
        cmocka_unit_test(a_full_tree_learns_the_noise),
        cmocka_unit_test(pruning_sequences_are_those_of_scikit_learn),
        cmocka_unit_test(accuracy_is_that_of_scikit_learn),
        cmocka_unit_test(monotone_transforms_do_not_change_the_partition),
        cmocka_unit_test(order_of_columns_breaks_ties_only),
        cmocka_unit_test(same_bytes_at_any_number_of_threads),
        cmocka_unit_test(limits_are_kept),
        cmocka_unit_test(chi_square_stops_at_noise),
        cmocka_unit_test(balanced_classes_weigh_the_same),
        cmocka_unit_test(absolute_error_gives_medians),
        cmocka_unit_test(fractions_of_rows_go_all_ways),
        cmocka_unit_test(values_missing_only_later_go_to_the_heavier_child),
        cmocka_unit_test(pruning_cuts_noise_away),
        cmocka_unit_test(pessimistic_pruning_follows_quinlan),
        cmocka_unit_test(weakest_links_fall_in_their_order),
        cmocka_unit_test(deep_trees_need_no_deep_stack),
        cmocka_unit_test(a_hundred_thousand_levels_are_taken),
        cmocka_unit_test(sets_of_many_levels_stay_smaller_than_the_data),
        cmocka_unit_test(what_cannot_be_told_apart_is_one_leaf),
        cmocka_unit_test(what_makes_no_sense_is_refused),
        cmocka_unit_test(every_failing_allocation_is_survived),
        cmocka_unit_test(codes_are_kept_for_the_next_fit),
        cmocka_unit_test(a_stump_is_one_question),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
