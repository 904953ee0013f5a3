/* Tree models: what is grown is what is walked, by a plain recursive walk through the sapling; and
 * arrays that a file could hold are refused or safe. */
#include "trees_random.h"

/* ---- walking ----------------------------------------------------------------------------- */

enum { N_TREES = 9, N_ROWS = 211, STRIDE = D + 2 };

/* Scores of trees [lo, N_TREES) for rows of which a share of cells is missing. */
static void check_rows(const smr_trees *trees, const smr_sapling *saplings, int64_t lo,
                       double missing)
{
    static double x[N_ROWS * STRIDE], out[N_ROWS * 8], want[8];
    int64_t k_scores = trees->n_scores;
    for (int64_t i = 0; i < N_ROWS; i++) make_row(x + i * STRIDE, missing);
    for (int64_t i = 0; i < N_ROWS * 8; i++) out[i] = 0.25;
    smr_rows rows = {.n = N_ROWS, .d = D, .form = SMR_FORM_F64, .x = x, .stride = STRIDE};
    smr_trees_sum(trees, &rows, lo, N_TREES, out);
    for (int64_t i = 0; i < N_ROWS; i++) {
        for (int64_t k = 0; k < k_scores; k++) want[k] = 0.25;
        for (int64_t t = lo; t < N_TREES; t++)
            answer(&saplings[t], 0, x + i * STRIDE, trees->is_shared, 1,
                   want + (trees->width < k_scores ? t % k_scores : 0));
        for (int64_t k = 0; k < k_scores; k++)
            check_near("score", out[i * k_scores + k], want[k], trees->is_shared ? 1e-14 : 0);
    }
}

static void check_model(int64_t width, int64_t n_scores, bool is_shared)
{
    smr_ctx *ctx = check_ctx(1);
    for (int cuts = 0; cuts < 2; cuts++) {
        smr_trees trees = {.width = width, .n_scores = n_scores, .is_shared = is_shared};
        smr_sapling saplings[N_TREES];
        only_cuts = cuts;
        grow_trees(ctx, &trees, saplings, N_TREES);
        check_rows(&trees, saplings, 1, 0);
        check_rows(&trees, saplings, 1, 0.2);
        check_rows(&trees, saplings, 1, 0.002);
        check_rows(&trees, saplings, N_TREES - 1, 0.2); /* too few to look at all cells */
        for (int64_t t = 0; t < N_TREES; t++) smr_sapling_release(&saplings[t]);
        release(&trees);
    }
    only_cuts = false;
    check_ctx_end(ctx);
}

static void a_walk_comes_to_the_leaf_of_the_sapling(void **unused)
{
    (void)unused;
    check_model(1, 1, false);
    check_model(1, 3, false);
    check_model(5, 5, false);
}

static void a_shared_row_gets_the_weighted_mean_of_its_leaves(void **unused)
{
    (void)unused;
    check_model(1, 1, true);
    check_model(4, 4, true);
}

static void check_forms(bool cuts)
{
    smr_ctx *ctx = check_ctx(1);
    smr_trees trees = {.width = 1, .n_scores = 1};
    smr_sapling saplings[N_TREES];
    static double x[N_ROWS * D], out[3][N_ROWS];
    static float single[N_ROWS * D];
    static uint8_t byte[N_ROWS * D];
    static int32_t leaf[3][N_ROWS * N_TREES];
    only_cuts = cuts;
    grow_trees(ctx, &trees, saplings, N_TREES);
    for (int64_t i = 0; i < N_ROWS * D; i++) {
        byte[i] = (uint8_t)below(2 + i % D);
        single[i] = (float)(x[i] = byte[i]);
    }
    memset(out, 0, sizeof out);
    const void *at[] = {x, single, byte};
    for (int f = 0; f < 3; f++) {
        smr_rows rows = {.n = N_ROWS, .d = D, .form = (smr_form)f, .x = at[f], .stride = D};
        smr_trees_sum(&trees, &rows, 0, N_TREES, out[f]);
        smr_trees_leaves(&trees, &rows, 0, N_TREES, leaf[f]);
        assert_memory_equal(out[f], out[0], sizeof out[0]);
        assert_memory_equal(leaf[f], leaf[0], sizeof leaf[0]);
    }
    for (int64_t i = 0; i < N_ROWS; i++) {
        double sum = 0;
        for (int64_t t = 0; t < N_TREES; t++) sum += trees.value[leaf[0][i * N_TREES + t]];
        check_near("sum of its leaves", out[0][i], sum, 0);
    }
    for (int64_t t = 0; t < N_TREES; t++) smr_sapling_release(&saplings[t]);
    release(&trees);
    check_ctx_end(ctx);
}

static void all_forms_come_to_the_same_leaves(void **unused)
{
    (void)unused;
    check_forms(true);
    check_forms(false);
}

/* In blocks of 1, 2, 4, 7 ... rows. */
static void a_row_alone_gets_the_bits_it_gets_in_company(void **unused)
{
    (void)unused;
    smr_ctx *ctx = check_ctx(1);
    static double x[N_ROWS * D], out[N_ROWS], alone[N_ROWS];
    for (int trial = 0; trial < 6; trial++) {
        smr_trees trees = {.width = 1, .n_scores = 1, .is_shared = trial == 5};
        smr_sapling saplings[N_TREES];
        only_cuts = trial % 2;
        grow_trees(ctx, &trees, saplings, N_TREES);
        for (int64_t i = 0; i < N_ROWS; i++) make_row(x + i * D, trial < 2 ? 0 : 0.01 * trial);
        for (int64_t step = 1; step < 2 * N_ROWS; step += 1 + step / 2) {
            memset(out, 0, sizeof out);
            for (int64_t i = 0; i < N_ROWS; i += step) {
                int64_t n = SMR_MIN(step, N_ROWS - i);
                smr_rows rows = {.n = n, .d = D, .form = SMR_FORM_F64, .x = x + i * D, .stride = D};
                smr_trees_sum(&trees, &rows, 0, N_TREES, out + i);
            }
            if (step == 1) memcpy(alone, out, sizeof out);
            assert_memory_equal(out, alone, sizeof out);
        }
        for (int64_t t = 0; t < N_TREES; t++) smr_sapling_release(&saplings[t]);
        release(&trees);
    }
    only_cuts = false;
    check_ctx_end(ctx);
}

static void a_code_that_is_no_level_goes_the_way_of_the_missing(void **unused)
{
    (void)unused;
    smr_ctx *ctx = check_ctx(1);
    smr_trees trees = {.width = 1, .n_scores = 1};
    smr_sapling s;
    int32_t first;
    smr_sapling_begin(&s, 1);
    check_ok(ctx, smr_sapling_nodes(ctx, &s, 5, &first));
    s.node[0] = (smr_sprout){.kind = SMR_SPLIT_WAYS, .feature = 0, .n_children = 4, .child = 1};
    for (int32_t c = 0; c < 4; c++) {
        s.node[1 + c].cover = c == 2 ? 9.5 : 3;
        s.value[1 + c] = c;
    }
    check_ok(ctx, smr_trees_add(ctx, &trees, &s, NULL));
    check_ok(ctx, smr_trees_prepare(ctx, &trees));
    double x[] = {0, 1, 2, 3, 4, -1, 1e300, INFINITY, -INFINITY, NAN, -0.0, 3.5};
    double want[] = {0, 1, 2, 3, 2, 2, 2, 2, 2, 2, 0, 3}, out[12] = {0};
    smr_rows rows = {.n = 12, .d = 1, .form = SMR_FORM_F64, .x = x, .stride = 1};
    smr_trees_sum(&trees, &rows, 0, 1, out);
    for (int64_t i = 0; i < 12; i++) check_near("child", out[i], want[i], 0);
    smr_sapling_release(&s);
    release(&trees);
    check_ctx_end(ctx);
}

/* ---- looking ----------------------------------------------------------------------------- */

static void nodes_and_gains_are_those_of_the_sapling(void **unused)
{
    (void)unused;
    smr_ctx *ctx = check_ctx(1);
    smr_trees trees = {.width = 2, .n_scores = 2};
    smr_sapling s[3];
    double gain[D] = {0}, want_gain[D] = {0}, sum = 0, want_sum = 0;
    for (int64_t t = 0; t < 3; t++) {
        grow(ctx, &s[t], 2, 40);
        check_ok(ctx, smr_trees_add(ctx, &trees, &s[t], gain));
    }
    check_ok(ctx, smr_trees_prepare(ctx, &trees));
    for (int64_t t = 0; t < 3; t++) {
        /* Side by side down both: pairs of (node of the arrays, node of the sapling). */
        int64_t pairs[1000][2] = {{trees.root[t], 0}}, n = 1;
        for (int64_t i = 0; i < n; i++) {
            smr_tree_node got = smr_trees_node(&trees, pairs[i][0]);
            const smr_sprout *want = &s[t].node[pairs[i][1]];
            assert_int_equal(pairs[i][0], trees.root[t] + i);
            assert_int_equal(got.kind, want->kind);
            assert_int_equal(got.n_children, n_children(want));
            check_near("cover", got.cover, (double)(float)want->cover, 0);
            if (want->kind == SMR_SPLIT_LEAF) {
                assert_memory_equal(trees.value + 2 * got.leaf, s[t].value + 2 * pairs[i][1], 16);
                continue;
            }
            want_gain[want->feature] += want->gain;
            assert_int_equal(got.feature, want->feature);
            assert_int_equal(got.missing_first, want->missing_first);
            if (want->kind == SMR_SPLIT_CUT) check_near("cut", got.cut, want->cut, 0);
            if (want->kind == SMR_SPLIT_SET) {
                assert_int_equal(got.n_words, want->n_words);
                assert_memory_equal(got.words, s[t].words + want->set, 4 * (size_t)got.n_words);
            }
            for (int64_t c = 0; c < got.n_children; c++, n++) {
                pairs[n][0] = got.child + c;
                pairs[n][1] = want->child + c;
            }
        }
        assert_int_equal(trees.root[t] + n, trees.root[t + 1]);
    }
    for (int64_t j = 0; j < D; j++) {
        sum += gain[j];
        want_sum += want_gain[j];
        check_near("gain", gain[j], want_gain[j], 0);
    }
    assert_true(sum > 0 && sum == want_sum);
    for (int64_t t = 0; t < 3; t++) smr_sapling_release(&s[t]);
    release(&trees);
    check_ctx_end(ctx);
}

/* Packed one by one and put together, trees are what adding them makes; leaves have the numbers
 * that were given. */
static void appended_trees_are_added_trees(void **unused)
{
    (void)unused;
    smr_ctx *ctx = check_ctx(1);
    smr_trees added = {.width = 2, .n_scores = 2}, joined = {.width = 2, .n_scores = 2};
    for (int64_t t = 0; t < 9; t++) {
        smr_trees one = {.width = 2, .n_scores = 2};
        smr_sapling s;
        int32_t leaf[1000];
        grow(ctx, &s, 2, 40);
        assert_in_range(s.n, 1, 1000);
        check_ok(ctx, smr_sapling_leaves(ctx, &s, leaf));
        check_ok(ctx, smr_trees_add(ctx, &added, &s, NULL));
        check_ok(ctx, smr_trees_add(ctx, &one, &s, NULL));
        check_ok(ctx, smr_trees_append(ctx, &joined, &one));
        int64_t n_leaves = 0;
        for (int64_t i = 0; i < s.n; i++) {
            if (leaf[i] < 0) continue;
            n_leaves++;
            assert_memory_equal(one.value + 2 * leaf[i], s.value + 2 * i, 16);
        }
        assert_int_equal(n_leaves, one.n_leaves);
        smr_trees_free(&one);
        smr_sapling_release(&s);
    }
    assert_int_equal(joined.n_trees, 9);
    assert_int_equal(joined.n_starts, 10);
    assert_int_equal(joined.n_nodes, added.n_nodes);
    assert_int_equal(joined.n_leaves, added.n_leaves);
    assert_int_equal(joined.n_words, added.n_words);
    assert_true(added.n_words > 0);
    size_t n = (size_t)added.n_nodes;
    assert_memory_equal(joined.root, added.root, 10 * sizeof *added.root);
    assert_memory_equal(joined.split, added.split, n * sizeof *added.split);
    assert_memory_equal(joined.cut, added.cut, n * sizeof *added.cut);
    assert_memory_equal(joined.cover, added.cover, n * sizeof *added.cover);
    assert_memory_equal(joined.value, added.value, (size_t)added.n_leaves * 16);
    assert_memory_equal(joined.words, added.words, (size_t)added.n_words * 4);
    smr_trees_free(&added);
    smr_trees_free(&joined);
    check_ctx_end(ctx);
}

static void values_of_inner_nodes_are_means_of_leaves(void **unused)
{
    (void)unused;
    smr_ctx *ctx = check_ctx(1);
    smr_trees trees = {.width = 1, .n_scores = 1};
    smr_sapling s;
    int32_t first;
    double *value = NULL;
    smr_sapling_begin(&s, 1);
    check_ok(ctx, smr_sapling_nodes(ctx, &s, 5, &first));
    s.node[0] = (smr_sprout){.kind = SMR_SPLIT_CUT, .cut = 0.5, .child = 1, .cover = 10};
    s.node[2] = (smr_sprout){.kind = SMR_SPLIT_CUT, .cut = 1.5, .child = 3, .cover = 6};
    s.node[1].cover = 4;
    s.node[3].cover = 1;
    s.node[4].cover = 5;
    s.value[1] = 2.5;
    s.value[3] = -3;
    s.value[4] = 9;
    check_ok(ctx, smr_trees_add(ctx, &trees, &s, NULL));
    check_ok(ctx, smr_trees_prepare(ctx, &trees));
    check_ok(ctx, smr_trees_values(ctx, &trees, 0, &value));
    double want[] = {(4 * 2.5 + 1 * -3 + 5 * 9) / 10, 2.5, (-3 + 45) / 6.0, -3, 9};
    for (int64_t i = 0; i < 5; i++) check_near("value", value[i], want[i], 1e-15);
    smr_free(value);
    smr_sapling_release(&s);
    release(&trees);
    check_ctx_end(ctx);
}

static void no_tree_at_all_adds_nothing(void **unused)
{
    (void)unused;
    smr_ctx *ctx = check_ctx(1);
    smr_trees trees = {.width = 1, .n_scores = 1};
    double x = 3, out = 1.5;
    check_ok(ctx, smr_trees_prepare(ctx, &trees));
    assert_non_null(trees.root);
    assert_non_null(trees.value);
    check_ok(ctx, smr_trees_check(ctx, "tree", &trees, &shape));
    smr_rows rows = {.n = 1, .d = 1, .x = &x, .stride = 1};
    smr_trees_sum(&trees, &rows, 0, 0, &out);
    check_near("score", out, 1.5, 0);
    release(&trees);
    check_ctx_end(ctx);
}

static void memory_that_is_refused_is_survived(void **unused)
{
    (void)unused;
    for (int64_t n = 0;; n++) {
        smr_ctx *ctx = check_ctx(1);
        smr_trees trees = {.width = 2, .n_scores = 2, .is_shared = 1};
        smr_sapling s[3];
        double *value = NULL;
        smr_status st = SMR_OK;
        uint64_t at = draws;
        for (int64_t t = 0; t < 3; t++) grow(ctx, &s[t], 2, 20);
        smr_memory_fail_at(ctx, n);
        for (int64_t t = 0; t < 3 && st == SMR_OK; t++)
            st = smr_trees_add(ctx, &trees, &s[t], NULL);
        if (st == SMR_OK) st = smr_trees_prepare(ctx, &trees);
        if (st == SMR_OK) st = smr_trees_values(ctx, &trees, 2, &value);
        smr_memory_fail_at(ctx, -1);
        smr_free(value);
        for (int64_t t = 0; t < 3; t++) smr_sapling_release(&s[t]);
        release(&trees);
        check_ctx_end(ctx);
        if (st == SMR_OK) {
            assert_true(n > 8);
            break;
        }
        assert_int_equal(st, SMR_ERR_NOMEM);
        draws = at;
    }
}

/* ---- hostile arrays ---------------------------------------------------------------------- */

static smr_trees copy_of(smr_ctx *ctx, const smr_trees *t)
{
    smr_trees c = *t;
    c.walk = NULL;
    c.root = smr_alloc(ctx, t->n_starts, sizeof *t->root);
    c.split = smr_alloc(ctx, t->n_nodes, sizeof *t->split);
    c.cut = smr_alloc(ctx, t->n_nodes, sizeof *t->cut);
    c.cover = smr_alloc(ctx, t->n_nodes, sizeof *t->cover);
    c.value = smr_alloc(ctx, t->n_leaves * t->width, sizeof *t->value);
    c.words = smr_alloc(ctx, t->n_words, sizeof *t->words);
    memcpy(c.root, t->root, (size_t)t->n_starts * sizeof *t->root);
    memcpy(c.split, t->split, (size_t)t->n_nodes * sizeof *t->split);
    memcpy(c.cut, t->cut, (size_t)t->n_nodes * sizeof *t->cut);
    memcpy(c.cover, t->cover, (size_t)t->n_nodes * sizeof *t->cover);
    memcpy(c.value, t->value, (size_t)(t->n_leaves * t->width) * sizeof *t->value);
    if (t->n_words) memcpy(c.words, t->words, (size_t)t->n_words * sizeof *t->words);
    return c;
}

/* 0 SET of feature 4 -> 1, 2; 1 WAYS of feature 6, 3 children -> 3, 4, 5; 2 SET of feature 5 -> 6,
 * 7; 3 .. 7 leaves; then a tree of one cut. */
static void two_trees(smr_ctx *ctx, smr_trees *trees)
{
    smr_sapling s;
    int32_t first;
    int64_t words;
    *trees = (smr_trees){.width = 1, .n_scores = 1};
    smr_sapling_begin(&s, 1);
    check_ok(ctx, smr_sapling_nodes(ctx, &s, 8, &first));
    check_ok(ctx, smr_sapling_words(ctx, &s, 4, &words));
    s.words[1] = 5;
    s.node[0] = (smr_sprout){.kind = SMR_SPLIT_SET, .feature = 4, .n_words = 2, .child = 1};
    s.node[1] = (smr_sprout){.kind = SMR_SPLIT_WAYS, .feature = 6, .n_children = 3, .child = 3};
    s.node[2] =
        (smr_sprout){.kind = SMR_SPLIT_SET, .feature = 5, .set = 2, .n_words = 2, .child = 6};
    check_ok(ctx, smr_trees_add(ctx, trees, &s, NULL));
    smr_sapling_release(&s);
    smr_sapling_begin(&s, 1);
    check_ok(ctx, smr_sapling_nodes(ctx, &s, 3, &first));
    s.node[0] = (smr_sprout){.kind = SMR_SPLIT_CUT, .feature = 3, .cut = 0.7, .child = 1};
    check_ok(ctx, smr_trees_add(ctx, trees, &s, NULL));
    smr_sapling_release(&s);
}

enum field { ROOT, SPLIT, CUT, COVER, LEAVES, WORDS, TREES, WIDTH };

static const struct {
    enum field field;
    int64_t at;
    double value;
    const char *message;
} hostile[] = {
    {SPLIT, 0, 4 * 16 + 4, "split is impossible at node 0"}, /* no such kind       */
    {SPLIT, 8, 4 * 16 + 7, "split is impossible at node 8"}, /* nor this           */
    {SPLIT, 8, 7 * 16 + 1, "feature does not fit the data at node 8"},
    {SPLIT, 8, -15, "feature does not fit the data at node 8"},        /* negative             */
    {SPLIT, 0, 3 * 16 + 2, "feature does not fit the data at node 0"}, /* a set of a number */
    {SPLIT, 7, 3 * 16 + 1, "split is impossible at node 7"},           /* children past its end */
    {SPLIT, 8, 0, "no way leads to node 9"},         /* nodes left over          */
    {SPLIT, 3, 16, "split is impossible at node 3"}, /* a leaf with a feature */
    {CUT, 8, NAN, "split is impossible at node 8"},
    {CUT, 0, -1, "split is impossible at node 0"},
    {CUT, 0, 1, "split is impossible at node 0"}, /* words before the first */
    {CUT, 0, 0.5, "split is impossible at node 0"},
    {CUT, 2, 4, "split is impossible at node 2"}, /* out of words       */
    {CUT, 2, 1e300, "split is impossible at node 2"},
    {CUT, 2, 0, "split is impossible at node 2"}, /* the same words     */
    {CUT, 2, NAN, "split is impossible at node 2"},
    {CUT, 1, 0, "split is impossible at node 1"}, /* no children        */
    {CUT, 1, 2, "no way leads to node 7"},
    {CUT, 1, 4, "split is impossible at node 2"}, /* none left for node 2 */
    {CUT, 1, 6, "split is impossible at node 1"},
    {CUT, 1, INFINITY, "split is impossible at node 1"},
    {COVER, 4, -1, "cover is not a finite number from 0 up at node 4"},
    {COVER, 4, NAN, "cover is not a finite number from 0 up at node 4"},
    {COVER, 4, INFINITY, "cover is not a finite number from 0 up at node 4"},
    {ROOT, 0, 1, "starts of the trees do not fit their number"},
    {ROOT, 1, 0, "end of tree 0"},
    {ROOT, 1, 12, "end of tree 0"},
    {ROOT, 1, 7, "split is impossible at node 2"},
    {ROOT, 1, 9, "no way leads to node 8"},
    {ROOT, 2, 1e15, "end of tree 1"},
    {ROOT, 2, -5, "end of tree 1"},
    {LEAVES, 0, 6, "split is impossible at node 10"},
    {LEAVES, 0, 8, "number of leaves is not 8"},
    {WORDS, 0, 2, "split is impossible at node 2"},
    {TREES, 0, 1, "starts of the trees do not fit their number"},
    {WIDTH, 0, 2, "wrong number of values, 2"},
};

static void hostile_arrays_are_refused(void **unused)
{
    (void)unused;
    smr_ctx *ctx = check_ctx(1);
    smr_trees good;
    two_trees(ctx, &good);
    check_ok(ctx, smr_trees_check(ctx, "tree", &good, &shape));
    for (size_t i = 0; i < SMR_COUNT(hostile); i++) {
        smr_trees bad = copy_of(ctx, &good);
        int64_t at = hostile[i].at;
        double v = hostile[i].value;
        switch (hostile[i].field) {
        case ROOT: bad.root[at] = (int64_t)v; break;
        case SPLIT: bad.split[at] = (int32_t)v; break;
        case CUT: bad.cut[at] = v; break;
        case COVER: bad.cover[at] = (float)v; break;
        case LEAVES: bad.n_leaves = (int64_t)v; break;
        case WORDS: bad.n_words = (int64_t)v; break;
        case TREES: bad.n_trees = (int64_t)v; break;
        case WIDTH: bad.width = (int64_t)v; break;
        }
        check_fails(ctx, smr_trees_check(ctx, "tree", &bad, &shape), SMR_ERR_FORMAT,
                    hostile[i].message);
        release(&bad);
    }
    release(&good);
    check_ctx_end(ctx);
}

/* A chain of n questions: each leads to a leaf, the next one, and at the end to two leaves; every
 * leaf has one row. */
static void grow_chain(smr_ctx *ctx, smr_trees *trees, int64_t n)
{
    smr_sapling s;
    int32_t first;
    smr_sapling_begin(&s, 1);
    check_ok(ctx, smr_sapling_nodes(ctx, &s, 1 + 2 * n, &first));
    for (int32_t i = 0; i < n; i++) {
        int32_t at = 2 * i, child = 2 * i + 1;
        s.node[at] = (smr_sprout){
            .kind = SMR_SPLIT_CUT, .feature = i % 4, .child = child, .cover = (double)(n + 1 - i)};
        s.node[child].cover = s.node[child + 1].cover = 1;
        s.value[child] = i;
        s.value[child + 1] = (double)n;
    }
    *trees = (smr_trees){.width = 1, .n_scores = 1, .is_shared = 1};
    check_ok(ctx, smr_trees_add(ctx, trees, &s, NULL));
    smr_sapling_release(&s);
}

/* Rows that go all ways come to each node once: a walk from each leaf to the root would take
 * billions of steps here.  A deeper tree is refused. */
static void a_row_that_goes_all_ways_comes_to_each_node_once(void **unused)
{
    (void)unused;
    enum { ROWS = 2000, LONG = SMR_TREE_SHARED_DEPTH };
    smr_ctx *ctx = check_ctx(1);
    smr_trees trees;
    static double x[ROWS * D], out[ROWS];
    static int32_t leaf[ROWS];
    for (int64_t i = 0; i < ROWS * D; i++) x[i] = NAN;
    smr_rows rows = {.n = ROWS, .d = D, .form = SMR_FORM_F64, .x = x, .stride = D};
    grow_chain(ctx, &trees, LONG);
    check_ok(ctx, smr_trees_check(ctx, "tree", &trees, &shape));
    check_ok(ctx, smr_trees_prepare(ctx, &trees));
    smr_trees_sum(&trees, &rows, 0, 1, out);
    for (int i = 0; i < ROWS; i++) check_near("mean", out[i], LONG / 2.0, 1e-11);
    smr_trees_leaves(&trees, &rows, 0, 1, leaf);
    for (int i = 1; i < ROWS; i++) assert_int_equal(leaf[i], leaf[0]);
    release(&trees);
    grow_chain(ctx, &trees, LONG + 1);
    check_fails(ctx, smr_trees_check(ctx, "tree", &trees, &shape), SMR_ERR_FORMAT,
                "rows that go all ways go too deep in tree 0");
    trees.is_shared = 0;
    check_ok(ctx, smr_trees_check(ctx, "tree", &trees, &shape));
    release(&trees);
    check_ctx_end(ctx);
}

static void random_damage_is_refused_or_harmless(void **unused)
{
    (void)unused;
    smr_ctx *ctx = check_ctx(1);
    smr_trees good = {.width = 2, .n_scores = 2, .is_shared = 1};
    smr_sapling saplings[N_TREES];
    double x[3 * D], out[6];
    int32_t leaf[3 * N_TREES];
    int64_t n_passed = 0;
    grow_trees(ctx, &good, saplings, N_TREES);
    for (int64_t trial = 0; trial < 4000; trial++) {
        smr_trees bad = copy_of(ctx, &good);
        bad.is_shared = trial % 2;
        for (int64_t hits = 1 + below(3); hits > 0; hits--) {
            int64_t node = below(bad.n_nodes);
            switch (below(5)) {
            case 0: bad.split[node] ^= (int32_t)(1u << below(32)); break;
            case 1: bad.cut[node] = (double)below(40) - 2; break;
            case 2: bad.root[below(bad.n_starts)] += below(7) - 3; break;
            case 3: bad.cut[node] = below(2) ? NAN : 1e12 * unit(); break;
            default: bad.split[node] = bad.split[below(bad.n_nodes)];
            }
        }
        if (smr_trees_check(ctx, "tree", &bad, &shape) == SMR_OK) {
            n_passed++;
            check_ok(ctx, smr_trees_prepare(ctx, &bad));
            for (int64_t i = 0; i < 3; i++) make_row(x + i * D, 0.2);
            smr_rows rows = {.n = 3, .d = D, .form = SMR_FORM_F64, .x = x, .stride = D};
            memset(out, 0, sizeof out);
            smr_trees_sum(&bad, &rows, 0, bad.n_trees, out);
            smr_trees_leaves(&bad, &rows, 0, bad.n_trees, leaf);
            for (int64_t i = 0; i < 3 * N_TREES; i++) assert_in_range(leaf[i], 0, bad.n_leaves - 1);
        }
        smr_ctx_clear(ctx);
        release(&bad);
    }
    assert_in_range(n_passed, 100, 3900);
    for (int64_t t = 0; t < N_TREES; t++) smr_sapling_release(&saplings[t]);
    release(&good);
    check_ctx_end(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_walk_comes_to_the_leaf_of_the_sapling),
        cmocka_unit_test(a_shared_row_gets_the_weighted_mean_of_its_leaves),
        cmocka_unit_test(all_forms_come_to_the_same_leaves),
        cmocka_unit_test(a_row_alone_gets_the_bits_it_gets_in_company),
        cmocka_unit_test(a_code_that_is_no_level_goes_the_way_of_the_missing),
        cmocka_unit_test(nodes_and_gains_are_those_of_the_sapling),
        cmocka_unit_test(appended_trees_are_added_trees),
        cmocka_unit_test(values_of_inner_nodes_are_means_of_leaves),
        cmocka_unit_test(no_tree_at_all_adds_nothing),
        cmocka_unit_test(memory_that_is_refused_is_survived),
        cmocka_unit_test(hostile_arrays_are_refused),
        cmocka_unit_test(a_row_that_goes_all_ways_comes_to_each_node_once),
        cmocka_unit_test(random_damage_is_refused_or_harmless),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
