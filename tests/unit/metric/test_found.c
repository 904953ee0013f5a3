/* test_found.c -- measures of clusters, sequences and densities, beside worked figures and those of
 * scikit-learn (tests/truth/clusters.py). */
#include "check.h"

#include "core/rng.h"
#include "metric/metric.h"

#include <math.h>

#include "truth/clusters.h"

enum { N = 23, D = 3, K = 4 };

/* The same numbers as in found.py: small fractions, exact in both. */
static void fill(double *x, int32_t *found, int32_t *label)
{
    for (int64_t i = 0; i < N; i++) {
        found[i] = (int32_t)(i * 7 / 3 % K);
        label[i] = (int32_t)((i * 5 / 2 + i % 4) % 3);
        for (int64_t j = 0; j < D; j++)
            x[i * D + j] = (double)((i * 37 + j * 11) % 17) / 8 + found[i] * (double)(j + 1);
    }
}

static double measured(smr_ctx *ctx, const char *name, smr_task task, const smr_found_input *in)
{
    const smr_measure *m = smr_measure_find(name, task);
    double value;
    assert_non_null(m);
    check_ok(ctx, smr_measures_found(ctx, &m, 1, in, &value));
    return value;
}

static void clusters_are_measured_as_scikit_learn_does(void **state)
{
    static const char *const names[] = {
        "adjusted_rand", "nmi", "purity", "silhouette", "davies_bouldin", "calinski_harabasz"};
    double x[N * D];
    int32_t found[N], label[N];
    smr_ctx *ctx = check_ctx(1);
    (void)state;
    fill(x, found, label);
    smr_found_input in = {
        .n = N, .found = found, .n_found = K, .label = label, .n_classes = 3, .x = x, .d = D};
    for (int64_t k = 0; k < SMR_COUNT(names); k++)
        check_near(names[k], measured(ctx, names[k], SMR_TASK_CLUSTER, &in), figures[k], 1e-13);
    check_ctx_end(ctx);
}

/* The cases of clusters.py, in its order: who is in which cluster, and of which class. */
static void make_edge(int64_t edge, int32_t *found, int32_t *label, double *weight)
{
    for (int64_t i = 0; i < N; i++) {
        bool one = edge == 0 || edge == 2, own = edge == 3 || edge == 5;
        found[i] = one ? 0 : own ? (int32_t)i : found[i];
        label[i] = edge == 1 || edge == 2 ? 0 : edge == 4 || edge == 5 ? (int32_t)i : label[i];
        if (edge == 6) found[i] = i == 7 ? 0 : 2 + (int32_t)(i % 2); /* 1 has no rows */
        if (edge == 7 && i % 5 == 0) found[i] = K;                   /* noise: one more */
        weight[i] = edge == 8 ? (double)(1 + i % 3) : 1;
    }
}

static void the_edges_are_those_of_scikit_learn(void **state)
{
    static const char *const names[] = {
        "adjusted_rand", "nmi", "purity", "silhouette", "davies_bouldin", "calinski_harabasz"};
    double x[N * D], weight[N];
    int32_t found[N], label[N];
    smr_ctx *ctx = check_ctx(1);
    (void)state;
    for (int64_t e = 0; e < SMR_COUNT(edges); e++) {
        fill(x, found, label);
        make_edge(e, found, label, weight);
        smr_found_input in = {.n = N,
                              .found = found,
                              .n_found = N,
                              .label = label,
                              .n_classes = N,
                              .x = x,
                              .d = D,
                              .weight = e == 8 ? weight : NULL};
        for (int64_t k = 0; k < SMR_COUNT(names); k++) {
            double value = measured(ctx, names[k], SMR_TASK_CLUSTER, &in);
            if (isnan(edges[e].figure[k]) != isnan(value))
                fail_msg("%s, %s: %g", edges[e].what, names[k], value);
            if (!isnan(value)) check_near(edges[e].what, value, edges[e].figure[k], 1e-12);
        }
    }
    check_ctx_end(ctx);
}

/* Weights are numbers of rows: where there are no more of them than clusters, or than one, pairs
 * and spreads have no meaning; shares of the rows have. */
static void weights_that_are_less_than_rows_leave_shares_alone(void **state)
{
    static const char *const none[] = {"adjusted_rand", "silhouette", "davies_bouldin",
                                       "calinski_harabasz"};
    double x[N * D], weight[N];
    int32_t found[N], label[N];
    smr_ctx *ctx = check_ctx(1);
    (void)state;
    fill(x, found, label);
    for (int64_t i = 0; i < N; i++) weight[i] = 0.03125;
    smr_found_input in = {.n = N,
                          .found = found,
                          .n_found = K,
                          .label = label,
                          .n_classes = 3,
                          .x = x,
                          .d = D,
                          .weight = weight};
    for (int64_t k = 0; k < SMR_COUNT(none); k++)
        assert_true(isnan(measured(ctx, none[k], SMR_TASK_CLUSTER, &in)));
    check_near("nmi", measured(ctx, "nmi", SMR_TASK_CLUSTER, &in), figures[1], 1e-13);
    check_near("purity", measured(ctx, "purity", SMR_TASK_CLUSTER, &in), figures[2], 1e-15);
    check_ctx_end(ctx);
}

/* Two clusters of two classes: pairs together in both 1 + 0, in clusters 3 + 1, in classes 3 + 1,
 * of 10; e = 4 * 4 / 10, so that (2 - 1.6) / (4 - 1.6) = 1 / 6 where n is 3 + 2. */
static void the_adjusted_rand_index_is_the_worked_one(void **state)
{
    const int32_t found[] = {0, 0, 0, 1, 1}, label[] = {0, 0, 1, 1, 1};
    smr_ctx *ctx = check_ctx(1);
    (void)state;
    smr_found_input in = {.n = 5, .found = found, .n_found = 2, .label = label, .n_classes = 2};
    check_near("rand", measured(ctx, "adjusted_rand", SMR_TASK_CLUSTER, &in), 0.4 / 2.4, 1e-15);
    check_near("purity", measured(ctx, "purity", SMR_TASK_CLUSTER, &in), 0.8, 1e-15);
    double matrix[4];
    check_ok(ctx, smr_contingency(ctx, &in, matrix));
    const double wanted[] = {2, 0, 1, 2}; /* class 0: 2 and 0; class 1: 1 and 2 */
    for (int k = 0; k < 4; k++) assert_true(matrix[k] == wanted[k]);
    check_ctx_end(ctx);
}

static void the_names_of_clusters_do_not_matter(void **state)
{
    double x[N * D];
    int32_t found[N], label[N], other[N];
    smr_ctx *ctx = check_ctx(1);
    (void)state;
    fill(x, found, label);
    for (int64_t i = 0; i < N; i++) other[i] = (found[i] + 1) % K;
    smr_found_input in = {.n = N, .found = found, .n_found = K, .label = other, .n_classes = K};
    check_near("rand", measured(ctx, "adjusted_rand", SMR_TASK_CLUSTER, &in), 1, 1e-15);
    check_near("nmi", measured(ctx, "nmi", SMR_TASK_CLUSTER, &in), 1, 1e-14);
    assert_true(measured(ctx, "purity", SMR_TASK_CLUSTER, &in) == 1);
    check_ctx_end(ctx);
}

static void a_weight_is_a_number_of_rows(void **state)
{
    static const char *const names[] = {
        "adjusted_rand", "nmi", "purity", "silhouette", "davies_bouldin", "calinski_harabasz"};
    double x[N * D], weight[N], twice[3 * N * D];
    int32_t found[N], label[N], many_found[3 * N], many_label[3 * N];
    int64_t n = 0;
    smr_ctx *ctx = check_ctx(1);
    (void)state;
    fill(x, found, label);
    for (int64_t i = 0; i < N; i++) {
        weight[i] = (double)(1 + i % 3);
        for (int64_t k = 0; k < 1 + i % 3; k++, n++) {
            memcpy(twice + n * D, x + i * D, D * sizeof *x);
            many_found[n] = found[i];
            many_label[n] = label[i];
        }
    }
    smr_found_input a = {.n = N,
                         .found = found,
                         .n_found = K,
                         .label = label,
                         .n_classes = 3,
                         .x = x,
                         .d = D,
                         .weight = weight};
    smr_found_input b = {.n = n,
                         .found = many_found,
                         .n_found = K,
                         .label = many_label,
                         .n_classes = 3,
                         .x = twice,
                         .d = D};
    for (int64_t k = 0; k < SMR_COUNT(names); k++)
        check_near(names[k], measured(ctx, names[k], SMR_TASK_CLUSTER, &a),
                   measured(ctx, names[k], SMR_TASK_CLUSTER, &b), 1e-12);
    check_ctx_end(ctx);
}

static void what_the_input_lacks_is_undefined(void **state)
{
    double x[N * D];
    int32_t found[N], label[N];
    smr_ctx *ctx = check_ctx(1);
    (void)state;
    fill(x, found, label);
    smr_found_input in = {.n = N, .found = found, .n_found = K};
    assert_true(isnan(measured(ctx, "adjusted_rand", SMR_TASK_CLUSTER, &in)));
    assert_true(isnan(measured(ctx, "silhouette", SMR_TASK_CLUSTER, &in)));
    for (int64_t i = 0; i < N; i++) found[i] = 2; /* one cluster alone has no neighbour */
    in.x = x;
    in.d = D;
    assert_true(isnan(measured(ctx, "silhouette", SMR_TASK_CLUSTER, &in)));
    assert_true(isnan(measured(ctx, "davies_bouldin", SMR_TASK_CLUSTER, &in)));
    assert_true(isnan(measured(ctx, "calinski_harabasz", SMR_TASK_CLUSTER, &in)));
    for (int64_t i = 0; i < N; i++) label[i] = -1;
    in.label = label;
    in.n_classes = 3;
    assert_true(isnan(measured(ctx, "purity", SMR_TASK_CLUSTER, &in)));
    found[3] = K;
    double value;
    const smr_measure *m = smr_measure_find("purity", SMR_TASK_CLUSTER);
    check_fails(ctx, smr_measures_found(ctx, &m, 1, &in, &value), SMR_ERR_DATA,
                "row 4: there is no cluster or state 4");
    found[3] = 0;
    label[6] = 3;
    check_fails(ctx, smr_measures_found(ctx, &m, 1, &in, &value), SMR_ERR_DATA,
                "row 7: there is no class 3");
    label[6] = 0;
    double weight[N] = {1, -1};
    in.weight = weight;
    check_fails(ctx, smr_measures_found(ctx, &m, 1, &in, &value), SMR_ERR_DATA,
                "row 2: a weight is a number >= 0");
    in.weight = NULL;
    m = smr_measure_find("accuracy", SMR_TASK_CLASSIFY);
    check_fails(ctx, smr_measures_found(ctx, &m, 1, &in, &value), SMR_ERR_PARAM,
                "accuracy does not measure what a model found by itself");
    check_ctx_end(ctx);
}

/* Steps 3 + 2 + 1 in three sequences: right are 2 of 3, both, none; one class is not known. */
static void steps_and_sequences_are_counted(void **state)
{
    const int32_t found[] = {0, 1, 1, 0, 0, 1}, label[] = {0, 1, 0, 0, -1, 0};
    const int64_t sequence[] = {0, 0, 0, 1, 1, 2};
    const double score[] = {-6, -6, -6, -1, -1, -0.5};
    smr_ctx *ctx = check_ctx(1);
    (void)state;
    smr_found_input in = {.n = 6,
                          .found = found,
                          .n_found = 2,
                          .label = label,
                          .n_classes = 2,
                          .score = score,
                          .sequence = sequence,
                          .n_sequences = 3};
    check_near("steps", measured(ctx, "accuracy", SMR_TASK_SEQUENCE, &in), 3.0 / 5, 1e-15);
    check_near("whole", measured(ctx, "sequence_accuracy", SMR_TASK_SEQUENCE, &in), 1.0 / 3, 1e-15);
    check_near("likely", measured(ctx, "log_likelihood", SMR_TASK_SEQUENCE, &in), -7.5 / 6, 1e-15);
    const double weight[] = {1, 0, 0, 3, 0, 0};
    in.weight = weight;
    check_near("density", measured(ctx, "log_density", SMR_TASK_DENSITY, &in), -9.0 / 4, 1e-15);
    check_ctx_end(ctx);
}

/* Scores of outliers are low; equal ones count half. */
static void outliers_are_ranked_by_low_scores(void **state)
{
    static const double score[] = {-9, -5, -5, -2, -1, -7};
    static const int32_t label[] = {1, 1, 0, 0, 2, -1}, found[] = {1, 0, 1, 0, 0, 1};
    smr_ctx *ctx = check_ctx(1);
    (void)state;
    smr_found_input in = {.n = 6,
                          .found = found,
                          .n_found = 2,
                          .label = label,
                          .n_classes = 3,
                          .outlying = 1,
                          .score = score};
    /* outliers -9 and -5; others -5, -2, -1: 3 + 2.5 of 6 pairs */
    check_near("auc", measured(ctx, "auc", SMR_TASK_OUTLIERS, &in), 5.5 / 6, 1e-15);
    check_near("ap", measured(ctx, "average_precision", SMR_TASK_OUTLIERS, &in),
               0.5 * 1 + 0.5 * 2 / 3, 1e-15);
    check_near("precision", measured(ctx, "precision", SMR_TASK_OUTLIERS, &in), 0.5, 1e-15);
    check_near("recall", measured(ctx, "recall", SMR_TASK_OUTLIERS, &in), 0.5, 1e-15);
    in.outlying = 3; /* all but class 0, the first of the most frequent: -9, -5, -1 */
    check_near("auc", measured(ctx, "auc", SMR_TASK_OUTLIERS, &in), 3.5 / 6, 1e-15);
    const double weight[] = {1, 1, 4, 1, 2, 1};
    in.weight = weight;
    check_near("weighted", measured(ctx, "auc", SMR_TASK_OUTLIERS, &in), (5 + 1 + 0.5 * 4) / 20,
               1e-15);
    in.outlying = 2;
    in.n = 4; /* none of them */
    assert_true(isnan(measured(ctx, "auc", SMR_TASK_OUTLIERS, &in)));
    assert_true(isnan(measured(ctx, "recall", SMR_TASK_OUTLIERS, &in)));
    check_ctx_end(ctx);
}

/* Above 4000 rows a sample: near the figure of all, the same at any number of threads. */
static void many_rows_are_sampled(void **state)
{
    enum { MANY = 6000 };
    static double x[MANY];
    static int32_t found[MANY];
    double value[2];
    (void)state;
    for (int64_t i = 0; i < MANY; i++) {
        found[i] = (int32_t)(i % 2);
        x[i] = 4 * found[i] + smr_random_unit(3, SMR_STREAM_TEST, 1, (uint64_t)i);
    }
    for (int k = 0; k < 2; k++) {
        smr_ctx *ctx = check_ctx(k ? 7 : 1);
        smr_found_input in = {.n = MANY, .found = found, .n_found = 2, .x = x, .d = 1, .seed = 5};
        value[k] = measured(ctx, "silhouette", SMR_TASK_CLUSTER, &in);
        check_ctx_end(ctx);
    }
    assert_memory_equal(&value[0], &value[1], sizeof value[0]);
    check_near("two far clusters", value[0], 1 - (1.0 / 3) / 4, 0.01);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(clusters_are_measured_as_scikit_learn_does),
        cmocka_unit_test(the_edges_are_those_of_scikit_learn),
        cmocka_unit_test(weights_that_are_less_than_rows_leave_shares_alone),
        cmocka_unit_test(the_adjusted_rand_index_is_the_worked_one),
        cmocka_unit_test(the_names_of_clusters_do_not_matter),
        cmocka_unit_test(a_weight_is_a_number_of_rows),
        cmocka_unit_test(what_the_input_lacks_is_undefined),
        cmocka_unit_test(steps_and_sequences_are_counted),
        cmocka_unit_test(outliers_are_ranked_by_low_scores),
        cmocka_unit_test(many_rows_are_sampled),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
