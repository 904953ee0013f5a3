/* test_importance.c -- sizes of trees and gains of features, as they are reported. */
#include "../../check.h"
#include "core/figure.h"
#include "learn/trees/importance.h"

static const char *const names[] = {"alpha", "beta", "gamma", "delta", "epsilon"};

static void name_features(smr_feature in[5])
{
    for (int j = 0; j < 5; j++) in[j] = (smr_feature){.name = names[j], .kind = SMR_NUMBER};
}

/* Two trees: a root with two leaves; and a three-way root, one of whose children splits again. */
static void make_trees(smr_trees *t)
{
    static int64_t root[] = {0, 3, 9};
    static int32_t split[] = {1, 0, 0, 2 << 4 | 3, 0, 1 << 4 | 1, 0, 0, 0};
    static double cut[] = {0.5, 0, 0, 3, 0, 1.5, 0, 0, 0};
    static float cover[9] = {1, 1, 1, 1, 1, 1, 1, 1, 1};
    static double value[6];
    *t = (smr_trees){.n_trees = 2,
                     .n_starts = 3,
                     .n_nodes = 9,
                     .n_leaves = 6,
                     .width = 1,
                     .n_scores = 1,
                     .root = root,
                     .split = split,
                     .cut = cut,
                     .cover = cover,
                     .value = value};
}

static void sizes_are_counted_over_all_trees(void **unused)
{
    (void)unused;
    smr_ctx *ctx = check_ctx(1);
    smr_json_doc *doc = NULL;
    smr_trees t;
    make_trees(&t);
    check_ok(ctx, smr_json_create(ctx, &doc));
    smr_json *root = smr_json_root(doc);
    check_ok(ctx, smr_trees_describe(ctx, &t, root));
    check_near("trees", smr_json_get_number(root, "trees", -1), 2, 0);
    check_near("nodes", smr_json_get_number(root, "nodes", -1), 9, 0);
    check_near("leaves", smr_json_get_number(root, "leaves", -1), 6, 0);
    check_near("depth", smr_json_get_number(root, "depth", -1), 2, 0);
    check_near("mean depth", smr_json_get_number(root, "mean_depth", -1), 1.5, 0);
    smr_json_free(doc);
    check_ctx_end(ctx);
}

static void gains_are_ranked_and_shared(void **unused)
{
    (void)unused;
    smr_ctx *ctx = check_ctx(1);
    smr_json_doc *doc = NULL;
    smr_feature in[5];
    const double gain[] = {1.5, 0, 3, 1.5, 6};
    const char *const order[] = {"epsilon", "gamma", "alpha", "delta"};
    const double share[] = {0.5, 0.25, 0.125, 0.125};
    name_features(in);
    check_ok(ctx, smr_json_create(ctx, &doc));
    smr_json *root = smr_json_root(doc), *figures = smr_json_add_array(root, "figures");
    check_ok(ctx, smr_importance_describe(ctx, gain, in, 5, root));
    check_ok(ctx, smr_importance_figure(ctx, gain, in, 5, "of.0.", figures));
    const smr_json *row = smr_json_get(root, "importance")->first;
    for (int k = 0; k < 4; k++, row = row->next) {
        assert_string_equal(smr_json_get_string(row, "feature", ""), order[k]);
        check_near("share", smr_json_get_number(row, "share", -1), share[k], 1e-15);
    }
    assert_null(row);
    check_near("not asked", smr_json_get_number(root, "features_not_asked", -1), 1, 0);
    assert_string_equal(smr_json_get_string(figures->first, "name", ""), "of.0.importance");
    smr_json_free(doc);
    check_ctx_end(ctx);
}

static void nothing_gained_is_no_picture(void **unused)
{
    (void)unused;
    smr_ctx *ctx = check_ctx(1);
    smr_json_doc *doc = NULL;
    smr_feature in[5];
    const double gain[5] = {0};
    name_features(in);
    check_ok(ctx, smr_json_create(ctx, &doc));
    smr_json *figures = smr_json_add_array(smr_json_root(doc), "figures");
    check_ok(ctx, smr_importance_figure(ctx, gain, in, 5, "", figures));
    check_ok(ctx, smr_importance_describe(ctx, gain, in, 5, smr_json_root(doc)));
    assert_int_equal(figures->n, 0);
    assert_int_equal(smr_json_get(smr_json_root(doc), "importance")->n, 0);
    smr_json_free(doc);
    check_ctx_end(ctx);
}

static smr_status tell_everything(smr_ctx *ctx)
{
    smr_json_doc *doc = NULL;
    smr_feature in[5];
    const double gain[] = {1.5, 0, 3, 1.5, 6};
    smr_trees t;
    make_trees(&t);
    name_features(in);
    smr_status st = smr_json_create(ctx, &doc);
    smr_json *root = doc ? smr_json_root(doc) : NULL;
    smr_json *figures = smr_json_add_array(root, "figures");
    if (st == SMR_OK) st = smr_trees_describe(ctx, &t, root);
    if (st == SMR_OK) st = smr_importance_describe(ctx, gain, in, 5, root);
    if (st == SMR_OK) st = smr_importance_figure(ctx, gain, in, 5, "", figures);
    smr_json_free(doc);
    return st;
}

static void every_failing_allocation_is_survived(void **unused)
{
    (void)unused;
    for (int64_t n = 0;; n++) {
        smr_ctx *ctx = check_ctx(1);
        smr_memory_fail_at(ctx, n);
        smr_status st = tell_everything(ctx);
        smr_memory_fail_at(ctx, -1);
        check_ctx_end(ctx);
        if (st == SMR_OK) break;
        assert_int_equal(st, SMR_ERR_NOMEM);
        assert_true(n < 1000);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sizes_are_counted_over_all_trees),
        cmocka_unit_test(gains_are_ranked_and_shared),
        cmocka_unit_test(nothing_gained_is_no_picture),
        cmocka_unit_test(every_failing_allocation_is_survived),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
