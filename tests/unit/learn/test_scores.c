/* Scores of linear classifiers: decisions and probabilities by hand, class weights, checks. */
#include "check.h"

#include "kernel/kernel.h"
#include "learn/linear/scores.h"

static smr_rows dense(int64_t n, int64_t d, const double *x)
{
    return (smr_rows){.n = n, .d = d, .form = SMR_FORM_F64, .x = x, .stride = d};
}

/* f = 0.5 - 2 + 3 = 1.5, and far out on both sides. */
static void two_classes_have_one_score(void **state)
{
    (void)state;
    double coef[] = {1, -2}, intercept[] = {0.5}, out[6];
    double x[] = {3, 1, 800, 0, -800, 0};
    smr_linear_classifier m = {2, 2, coef, intercept};
    smr_rows rows = dense(3, 2, x);
    smr_classifier_predict(&m, &rows, SMR_OUTPUT_DECISION, out);
    check_near("f", out[1], 1.5, 0);
    check_near("-f", out[0], -1.5, 0);
    smr_classifier_predict(&m, &rows, SMR_OUTPUT_PROBA, out);
    check_near("p", out[1], 1 / (1 + exp(-1.5)), 1e-15);
    check_near("1 - p", out[0], 1 / (1 + exp(1.5)), 1e-15);
    check_near("sure", out[3], 1, 0);
    assert_true(out[2] == 0 || (out[2] > 0 && out[2] < 1e-300));
    check_near("surely not", out[4], 1, 0);
}

/* softmax(2.2, 0, 0) of the course: 0.8186, 0.0907, 0.0907; its loss 0.2002. */
static void several_classes_have_a_score_each(void **state)
{
    (void)state;
    double coef[] = {2.2, 0, 0}, intercept[] = {0, 0, 0}, x[] = {1}, out[3];
    smr_linear_classifier m = {3, 1, coef, intercept};
    smr_rows rows = dense(1, 1, x);
    smr_classifier_predict(&m, &rows, SMR_OUTPUT_PROBA, out);
    check_near("p", out[0], 0.8186, 5e-5);
    check_near("p", out[1], 0.0907, 5e-5);
    check_near("loss", -log(out[0]), 0.2002, 5e-5);
    smr_classifier_predict(&m, &rows, SMR_OUTPUT_DECISION, out);
    check_near("f", out[0], 2.2, 0);
}

static void sparse_rows_score_as_dense_ones(void **state)
{
    (void)state;
    double coef[] = {1.5, -2.25, 0.5, 3, 0.25, -1, 2, 8, 0.75}, intercept[] = {0.5, -1, 2};
    double x[] = {0, 4, 0, 2, 0, -3}, value[] = {4, 2, -3}, got[6], want[6];
    int64_t start[] = {0, 1, 3};
    int32_t column[] = {1, 0, 2};
    smr_linear_classifier m = {3, 3, coef, intercept};
    smr_rows rows = dense(2, 3, x), sparse = {.n = 2,
                                              .d = 3,
                                              .form = SMR_FORM_SPARSE,
                                              .start = start,
                                              .column = column,
                                              .value = value};
    smr_classifier_predict(&m, &rows, SMR_OUTPUT_DECISION, want);
    smr_classifier_predict(&m, &sparse, SMR_OUTPUT_DECISION, got);
    for (int i = 0; i < 6; i++) check_near("score", got[i], want[i], 0);
}

static void balanced_classes_weigh_the_same(void **state)
{
    (void)state;
    smr_ctx *ctx = check_ctx(1);
    int32_t label[] = {0, 2, 2, 2, 0, 2};
    double given[] = {1, 2, 1, 0, 1, 5}, *own = NULL, sum[3] = {0};
    smr_data data = {
        .size = sizeof data, .n_rows = 6, .label = label, .n_classes = 3, .weight = given};
    check_ok(ctx, smr_classifier_weights(ctx, "test", &data, SMR_CLASS_WEIGHT_NONE, &own));
    assert_null(own);
    check_ok(ctx, smr_classifier_weights(ctx, "test", &data, SMR_CLASS_WEIGHT_BALANCED, &own));
    for (int i = 0; i < 6; i++) sum[label[i]] += own[i];
    check_near("class 0", sum[0], 5, 1e-15);
    check_near("class 2", sum[2], 5, 1e-15);
    check_near("within a class", own[5] / own[1], 2.5, 1e-15);
    check_near("weight 0 stays", own[3], 0, 0);
    smr_free(own);
    check_ctx_end(ctx);
}

static void one_class_and_bad_weights_are_refused(void **state)
{
    (void)state;
    smr_ctx *ctx = check_ctx(1);
    int32_t label[] = {1, 1, 0};
    double weight[] = {1, 1, 0}, count[2];
    smr_data data = {
        .size = sizeof data, .n_rows = 3, .label = label, .n_classes = 2, .weight = weight};
    check_fails(ctx, smr_classifier_check_classes(ctx, "test", &data, count), SMR_ERR_DATA,
                "test: all rows have the same class; rows of at least two are needed");
    weight[2] = 0.25;
    check_ok(ctx, smr_classifier_check_classes(ctx, "test", &data, count));
    check_near("count", count[0], 0.25, 0);
    weight[1] = -1;
    check_fails(ctx, smr_classifier_check_classes(ctx, "test", &data, count), SMR_ERR_DATA,
                "the weight of row 2");
    weight[0] = weight[1] = weight[2] = 0;
    check_fails(ctx, smr_classifier_check_classes(ctx, "test", &data, count), SMR_ERR_DATA,
                "all weights are 0");
    data.n_rows = 0;
    check_fails(ctx, smr_classifier_check_classes(ctx, "test", &data, count), SMR_ERR_DATA,
                "no rows");
    check_ctx_end(ctx);
}

static void coefficients_are_told_by_class(void **state)
{
    (void)state;
    smr_ctx *ctx = check_ctx(1);
    smr_json_doc *doc = NULL;
    double coef[] = {1, 2, 3}, intercept[] = {4, 5, 6};
    smr_linear_classifier m = {3, 1, coef, intercept};
    check_ok(ctx, smr_json_create(ctx, &doc));
    smr_classifier_describe(&m, true, NULL, NULL, NULL, smr_json_root(doc));
    const smr_json *list = smr_json_get(smr_json_root(doc), "coefficients");
    assert_int_equal(list->n, 6);
    check_near("class", smr_json_get_number(list->last, "class", -1), 2, 0);
    check_near("estimate", smr_json_get_number(list->last, "estimate", -1), 3, 0);
    assert_string_equal(smr_json_get_string(list->first, "feature", ""), "(intercept)");
    smr_json_free(doc);
    check_ctx_end(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(two_classes_have_one_score),
        cmocka_unit_test(several_classes_have_a_score_each),
        cmocka_unit_test(sparse_rows_score_as_dense_ones),
        cmocka_unit_test(balanced_classes_weigh_the_same),
        cmocka_unit_test(one_class_and_bad_weights_are_refused),
        cmocka_unit_test(coefficients_are_told_by_class),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
