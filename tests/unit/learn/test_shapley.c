/* Shapley values of trees: against the definition, with every subset of the features tried; against
 * xgboost; and what they must sum to. */
#include "trees_random.h"

#include "learn/trees/shapley.h"
#include "learn/trees/walk.h"
#include "truth/boosters.h"

/* v(S): the mean answer where only the features of the set are known, weighted by cover. */
static void mean_answer(const smr_sapling *s, int64_t node, const double *x, unsigned known,
                        bool is_shared, double weight, double *out)
{
    const smr_sprout *at = &s->node[node];
    int64_t k = n_children(at), c = -1;
    if (k == 0) {
        for (int64_t j = 0; j < s->width; j++) out[j] += weight * s->value[node * s->width + j];
        return;
    }
    if (known >> at->feature & 1) {
        c = way(s, at, x[at->feature]);
        if (c < 0 && !is_shared) c = missing_way(s, at);
    }
    if (c >= 0) {
        mean_answer(s, at->child + c, x, known, is_shared, weight, out);
        return;
    }
    double sum = 0;
    for (c = 0; c < k; c++) sum += s->node[at->child + c].cover;
    for (c = 0; c < k; c++) {
        double share = sum > 0 ? s->node[at->child + c].cover / sum : 1 / (double)k;
        mean_answer(s, at->child + c, x, known, is_shared, weight * share, out);
    }
}

enum { WIDTH_MOST = 3, N_SETS = 1 << D };

/* phi[width x (D + 1)] by the definition. */
static void by_definition(const smr_sapling *s, const double *x, bool is_shared, double *phi)
{
    static const double factorial[] = {1, 1, 2, 6, 24, 120, 720, 5040};
    static double v[N_SETS][WIDTH_MOST];
    memset(v, 0, sizeof v);
    for (unsigned set = 0; set < N_SETS; set++) mean_answer(s, 0, x, set, is_shared, 1, v[set]);
    for (int64_t h = 0; h < s->width; h++) {
        double *at = phi + h * (D + 1);
        at[D] += v[0][h];
        for (unsigned set = 0; set < N_SETS; set++) {
            int size = __builtin_popcount(set);
            for (int j = 0; j < D; j++)
                if (!(set >> j & 1))
                    at[j] += factorial[size] * factorial[D - 1 - size] / factorial[D] *
                             (v[set | 1u << j][h] - v[set][h]);
        }
    }
}

enum { N_TREES = 6, N_ROWS = 19 };

static void check_against_definition(int64_t width, int64_t n_scores, bool is_shared)
{
    smr_ctx *ctx = check_ctx(2);
    smr_trees trees = {.width = width, .n_scores = n_scores, .is_shared = is_shared};
    smr_sapling saplings[N_TREES];
    static double x[N_ROWS * D], out[N_ROWS * WIDTH_MOST * (D + 1)], score[N_ROWS * WIDTH_MOST];
    grow_trees(ctx, &trees, saplings, N_TREES);
    for (int64_t i = 0; i < N_ROWS; i++) make_row(x + i * D, 0.2);
    memset(out, 0, sizeof out);
    memset(score, 0, sizeof score);
    smr_rows rows = {.n = N_ROWS, .d = D, .form = SMR_FORM_F64, .x = x, .stride = D};
    check_ok(ctx, smr_trees_shapley(ctx, &trees, &rows, 0, N_TREES, out));
    smr_trees_sum(&trees, &rows, 0, N_TREES, score);
    for (int64_t i = 0; i < N_ROWS; i++) {
        double want[WIDTH_MOST * (D + 1)] = {0};
        for (int64_t t = 0; t < N_TREES; t++)
            by_definition(&saplings[t], x + i * D, is_shared,
                          want + (width < n_scores ? t % n_scores : 0) * (D + 1));
        for (int64_t k = 0; k < n_scores; k++) {
            const double *got = out + (i * n_scores + k) * (D + 1);
            double sum = 0;
            for (int64_t j = 0; j <= D; j++) {
                check_near("value", got[j], want[k * (D + 1) + j], 1e-13);
                sum += got[j];
            }
            check_near("sum", sum, score[i * n_scores + k], 1e-13);
        }
    }
    for (int64_t t = 0; t < N_TREES; t++) smr_sapling_release(&saplings[t]);
    release(&trees);
    check_ctx_end(ctx);
}

static void values_are_those_of_the_definition(void **unused)
{
    (void)unused;
    for (int cuts = 0; cuts < 2; cuts++) {
        only_cuts = cuts;
        check_against_definition(1, 1, false);
        check_against_definition(3, 3, false);
        check_against_definition(1, 3, false);
    }
    only_cuts = false;
}

static void a_row_that_goes_all_ways_learns_nothing_there(void **unused)
{
    (void)unused;
    check_against_definition(1, 1, true);
    check_against_definition(2, 2, true);
}

/* ---- a peer ------------------------------------------------------------------------------ */

static void add_peer_tree(smr_ctx *ctx, smr_trees *trees, const struct peer_node *node, int64_t n)
{
    smr_sapling s;
    int32_t first;
    smr_sapling_begin(&s, 1);
    check_ok(ctx, smr_sapling_nodes(ctx, &s, n, &first));
    for (int64_t i = 0; i < n; i++) {
        s.value[i] = node[i].cut;
        s.node[i].cover = node[i].cover;
        if (node[i].feature < 0) continue;
        s.node[i] = (smr_sprout){.kind = SMR_SPLIT_CUT,
                                 .feature = node[i].feature,
                                 .cut = node[i].cut,
                                 .missing_first = node[i].missing_first,
                                 .child = node[i].child,
                                 .cover = node[i].cover};
    }
    check_ok(ctx, smr_trees_add(ctx, trees, &s, NULL));
    smr_sapling_release(&s);
}

static void values_are_those_of_xgboost(void **unused)
{
    (void)unused;
    smr_ctx *ctx = check_ctx(1);
    smr_trees trees = {.width = 1, .n_scores = 1};
    double out[6 * 5] = {0};
    add_peer_tree(ctx, &trees, first_tree, SMR_COUNT(first_tree));
    add_peer_tree(ctx, &trees, second_tree, SMR_COUNT(second_tree));
    check_ok(ctx, smr_trees_prepare(ctx, &trees));
    smr_rows rows = {.n = 6, .d = 4, .form = SMR_FORM_F64, .x = peer_rows, .stride = 4};
    check_ok(ctx, smr_trees_shapley(ctx, &trees, &rows, 0, 2, out));
    for (int64_t i = 0; i < 30; i++) /* floats of size 1 */
        check_near("value", out[i], peer_values[i / 5][i % 5], 1e-6);
    release(&trees);
    check_ctx_end(ctx);
}

/* ---- deep trees -------------------------------------------------------------------------- */

/* A chain: node i asks for feature i mod d and stops there with share 1/3. */
static void grow_chain(smr_ctx *ctx, smr_trees *trees, int64_t length, int64_t d)
{
    smr_sapling s;
    int32_t first;
    double cover = 1e9;
    smr_sapling_begin(&s, 1);
    check_ok(ctx, smr_sapling_nodes(ctx, &s, 1 + 2 * length, &first));
    for (int32_t i = 0; i < length; i++) {
        int32_t at = i ? 2 * i : 0, child = 2 * i + 1;
        s.node[at] = (smr_sprout){.kind = SMR_SPLIT_CUT,
                                  .feature = i % (int32_t)d,
                                  .child = child,
                                  .cut = (double)i / 1000,
                                  .cover = cover};
        s.node[child].cover = cover / 3;
        s.node[child + 1].cover = cover *= 2.0 / 3;
    }
    for (int64_t i = 0; i < s.n; i++) s.value[i] = unit();
    check_ok(ctx, smr_trees_add(ctx, trees, &s, NULL));
    check_ok(ctx, smr_trees_prepare(ctx, trees));
    smr_sapling_release(&s);
}

static void values_of_deep_trees_sum_to_the_score(void **unused)
{
    (void)unused;
    enum { LONG = 500, WIDE = 131 };
    smr_ctx *ctx = check_ctx(1);
    static double x[3 * WIDE], out[3 * (WIDE + 1)], score[3];
    const int64_t widths[] = {1, 2, 13, WIDE};
    for (size_t k = 0; k < SMR_COUNT(widths); k++) {
        int64_t d = widths[k];
        smr_trees trees = {.width = 1, .n_scores = 1};
        grow_chain(ctx, &trees, LONG, d);
        for (int64_t i = 0; i < 3 * d; i++) x[i] = 0.4 * unit();
        memset(out, 0, sizeof out);
        memset(score, 0, sizeof score);
        smr_rows rows = {.n = 3, .d = d, .form = SMR_FORM_F64, .x = x, .stride = d};
        check_ok(ctx, smr_trees_shapley(ctx, &trees, &rows, 0, 1, out));
        smr_trees_sum(&trees, &rows, 0, 1, score);
        for (int64_t i = 0; i < 3; i++) {
            double sum = 0;
            for (int64_t j = 0; j <= d; j++) sum += out[i * (d + 1) + j];
            check_near("sum", sum, score[i], 1e-12);
        }
        release(&trees);
    }
    check_ctx_end(ctx);
}

/* A share of a third at each of 100,000 questions: what is known of the covers underflows on the
 * way, and no value may. */
static void values_of_endless_chains_are_numbers(void **unused)
{
    (void)unused;
    enum { LONG = 100000 };
    smr_ctx *ctx = check_ctx(1);
    for (int shared = 0; shared < 2; shared++)
        for (int64_t d = 1; d <= 3; d++) {
            smr_trees trees = {.width = 1, .n_scores = 1, .is_shared = shared};
            double x[3] = {shared ? NAN : 1e9, 1e9, -1}, out[4] = {0}, score = 0;
            grow_chain(ctx, &trees, shared ? SMR_TREE_SHARED_DEPTH : LONG, d);
            smr_rows rows = {.n = 1, .d = d, .form = SMR_FORM_F64, .x = x, .stride = d};
            check_ok(ctx, smr_trees_shapley(ctx, &trees, &rows, 0, 1, out));
            smr_trees_sum(&trees, &rows, 0, 1, &score);
            double sum = 0;
            for (int64_t j = 0; j <= d; j++) {
                assert_true(isfinite(out[j]));
                sum += out[j];
            }
            check_near("sum", sum, score, 1e-9); /* LONG products, each rounded */
            release(&trees);
        }
    check_ctx_end(ctx);
}

/* m questions about m features, each of which sends a share z on; only the last leaf says anything,
 * and the row comes there.  All features do the same, so each has the m-th part of 1 - z^m. */
static void many_features_that_do_the_same_share_alike(void **unused)
{
    (void)unused;
    enum { MOST = 3001 };
    const int64_t many[] = {1, 63, 132, 133, 700, MOST};
    const double share[] = {0.25, 0.5, 0.984375, 1023.0 / 1024};
    static double x[MOST], out[MOST + 1];
    smr_ctx *ctx = check_ctx(1);
    for (size_t k = 0; k < SMR_COUNT(many) * SMR_COUNT(share); k++) {
        int64_t m = many[k / SMR_COUNT(share)];
        double z = share[k % SMR_COUNT(share)], stays = exp((double)m * log(z));
        smr_trees trees = {.width = 1, .n_scores = 1};
        smr_sapling s;
        int32_t first;
        smr_sapling_begin(&s, 1);
        check_ok(ctx, smr_sapling_nodes(ctx, &s, 1 + 2 * m, &first));
        for (int32_t i = 0; i < m; i++) {
            s.node[2 * i].kind = SMR_SPLIT_CUT;
            s.node[2 * i].feature = i;
            s.node[2 * i].child = 2 * i + 1;
            s.node[2 * i + 1].cover = 1 - z;
            s.node[2 * i + 2].cover = z;
        }
        s.value[2 * m] = 1;
        check_ok(ctx, smr_trees_add(ctx, &trees, &s, NULL));
        check_ok(ctx, smr_trees_prepare(ctx, &trees));
        for (int64_t j = 0; j < m; j++) x[j] = 1;
        memset(out, 0, sizeof out);
        smr_rows rows = {.n = 1, .d = m, .form = SMR_FORM_F64, .x = x, .stride = m};
        check_ok(ctx, smr_trees_shapley(ctx, &trees, &rows, 0, 1, out));
        for (int64_t j = 0; j < m; j++) /* m factors, each rounded */
            check_near("value", out[j] * (double)m, 1 - stays, 1e-15 * (double)(m + 10));
        check_near("base", out[m], stays, 1e-12);
        smr_sapling_release(&s);
        release(&trees);
    }
    check_ctx_end(ctx);
}

/* Two questions about features that a file calls the first and the last of 2^27. */
static void features_far_apart_take_no_memory(void **unused)
{
    (void)unused;
    enum { FAR = (1 << 27) - 1 };
    smr_ctx *ctx = check_ctx(1);
    smr_trees trees = {.width = 1, .n_scores = 1};
    smr_sapling s;
    int32_t first, same[5], parent[5];
    const int32_t want[5] = {-1, 1, -1, -1, -1};
    smr_sapling_begin(&s, 1);
    check_ok(ctx, smr_sapling_nodes(ctx, &s, 5, &first));
    s.node[0] = (smr_sprout){.kind = SMR_SPLIT_CUT, .feature = FAR, .child = 1, .cover = 2};
    s.node[1] = (smr_sprout){.kind = SMR_SPLIT_CUT, .feature = FAR, .child = 3, .cover = 1};
    check_ok(ctx, smr_trees_add(ctx, &trees, &s, NULL));
    smr_sapling_release(&s);
    check_ok(ctx, smr_ctx_set_memory_limit(ctx, 1 << 20));
    check_ok(ctx, smr_trees_prepare(ctx, &trees));
    assert_int_equal(trees.walk->n_used, 1);
    assert_int_equal(trees.walk->used[0], FAR);
    check_ok(ctx, smr_trees_same(ctx, &trees, 0, same, parent));
    assert_memory_equal(same, want, sizeof want);
    release(&trees);
    check_ctx_end(ctx);
}

/* Questions about one feature along a chain, and beside each of them one about another: the nearest
 * question about that one is found without going up to the root each time. */
static void a_feature_that_was_never_asked_before_is_known_at_once(void **unused)
{
    (void)unused;
    enum { LONG = 100000 };
    smr_ctx *ctx = check_ctx(1);
    smr_trees trees = {.width = 1, .n_scores = 1};
    smr_sapling s;
    int32_t first;
    smr_sapling_begin(&s, 1);
    check_ok(ctx, smr_sapling_nodes(ctx, &s, 1 + 4 * LONG, &first));
    for (int32_t i = 0; i < LONG; i++) {
        int32_t at = i ? 4 * i - 2 : 0, child = 4 * i + 1;
        s.node[at] = (smr_sprout){
            .kind = SMR_SPLIT_CUT, .feature = 0, .child = child, .cut = -1, .cover = 1e9};
        s.node[child] = (smr_sprout){
            .kind = SMR_SPLIT_CUT, .feature = 1, .child = child + 2, .cut = 0.5, .cover = 2};
        s.node[child + 1].cover = 1e9;
        s.node[child + 2].cover = s.node[child + 3].cover = 1;
        s.value[child + 1] = 1;
        s.value[child + 2] = 8;
    }
    check_ok(ctx, smr_trees_add(ctx, &trees, &s, NULL));
    check_ok(ctx, smr_trees_prepare(ctx, &trees));
    double x[2] = {0, 0}, out[3] = {0}, score = 0;
    smr_rows rows = {.n = 1, .d = 2, .form = SMR_FORM_F64, .x = x, .stride = 2};
    check_ok(ctx, smr_trees_shapley(ctx, &trees, &rows, 0, 1, out));
    smr_trees_sum(&trees, &rows, 0, 1, &score);
    check_near("score", score, 1, 0);
    check_near("sum", out[0] + out[1] + out[2], score, 1e-9);
    smr_sapling_release(&s);
    release(&trees);
    check_ctx_end(ctx);
}

/* ---- properties -------------------------------------------------------------------------- */

static void threads_and_blocks_do_not_change_the_bits(void **unused)
{
    (void)unused;
    enum { SIZE = 41 * (D + 1) };
    static double x[41 * D], out[3][SIZE];
    const int threads[] = {1, 2, 7};
    smr_ctx *ctx = check_ctx(1);
    smr_trees trees = {.width = 1, .n_scores = 1};
    smr_sapling saplings[N_TREES];
    grow_trees(ctx, &trees, saplings, N_TREES);
    for (int64_t i = 0; i < 41; i++) make_row(x + i * D, 0.1);
    memset(out, 0, sizeof out);
    for (int k = 0; k < 3; k++) {
        smr_ctx *other = check_ctx(threads[k]);
        for (int64_t i = 0; i < 41; i += 40 - 13 * k) {
            smr_rows rows = {
                .n = SMR_MIN(40 - 13 * k, 41 - i), .d = D, .x = x + i * D, .stride = D};
            check_ok(other,
                     smr_trees_shapley(other, &trees, &rows, 0, N_TREES, out[k] + i * (D + 1)));
        }
        check_ctx_end(other);
        assert_memory_equal(out[k], out[0], sizeof out[0]);
    }
    for (int64_t t = 0; t < N_TREES; t++) smr_sapling_release(&saplings[t]);
    release(&trees);
    check_ctx_end(ctx);
}

static void memory_that_is_refused_is_survived(void **unused)
{
    (void)unused;
    for (int64_t n = 0;; n++) {
        smr_ctx *ctx = check_ctx(1);
        smr_trees trees = {.width = 1, .n_scores = 1};
        double x[D] = {0.3, -0.2, 0.7, -0.9, 3, 17, 2}, out[D + 1] = {0};
        smr_sapling saplings[2];
        uint64_t at = draws;
        grow_trees(ctx, &trees, saplings, 2);
        draws = at;
        smr_memory_fail_at(ctx, n);
        smr_rows rows = {.n = 1, .d = D, .x = x, .stride = D};
        smr_status st = smr_trees_shapley(ctx, &trees, &rows, 0, 2, out);
        smr_memory_fail_at(ctx, -1);
        for (int64_t t = 0; t < 2; t++) smr_sapling_release(&saplings[t]);
        release(&trees);
        check_ctx_end(ctx);
        if (st == SMR_OK) {
            assert_true(n > 20);
            break;
        }
        assert_int_equal(st, SMR_ERR_NOMEM);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_are_those_of_the_definition),
        cmocka_unit_test(a_row_that_goes_all_ways_learns_nothing_there),
        cmocka_unit_test(values_are_those_of_xgboost),
        cmocka_unit_test(values_of_deep_trees_sum_to_the_score),
        cmocka_unit_test(values_of_endless_chains_are_numbers),
        cmocka_unit_test(many_features_that_do_the_same_share_alike),
        cmocka_unit_test(features_far_apart_take_no_memory),
        cmocka_unit_test(a_feature_that_was_never_asked_before_is_known_at_once),
        cmocka_unit_test(threads_and_blocks_do_not_change_the_bits),
        cmocka_unit_test(memory_that_is_refused_is_survived),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
