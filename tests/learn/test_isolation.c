/* test_isolation.c -- isolation forests, and the threshold that makes outliers of scores, whoever
 * gives them.
 *
 * Truth: scikit-learn's trees and areas over seeds (tests/truth/isolation.py); copies of rows;
 * distances to all rows, sorted. */
#include "pipeline.h"

#include "learn/answer.h"
#include "learn/outliers.h"
#include "learn/trees/isolation.h"
#include "metric/metric.h"
#include "truth/isolation.h"

#include <float.h>

static smr_train_set *set_of(smr_ctx *ctx, const char *sentence, const smr_table *t,
                             const char *target, const char *weight)
{
    smr_set_opts opts = {
        .task = SMR_TASK_OUTLIERS, .target = target, .weight = weight, .keep_all = true};
    smr_train_set *set = NULL;
    check_ok(ctx, said_set(ctx, t, sentence, &opts, &set));
    return set;
}

static smr_model *learn(smr_ctx *ctx, const char *sentence, const smr_table *t, const char *target,
                        const char *weight)
{
    smr_train_set *set = set_of(ctx, sentence, t, target, weight);
    smr_model *m = NULL;
    check_ok(ctx, said_fit(ctx, sentence, set, NULL, 0, &m));
    smr_train_set_free(set);
    return m;
}

static double *scores_of(smr_ctx *ctx, const smr_model *m, const smr_table *t)
{
    double *score = smr_alloc(ctx, t->n_rows + 1, sizeof *score);
    assert_non_null(score);
    check_ok(ctx, smr_model_apply(ctx, m, t, NULL, 0, SMR_OUTPUT_SCORE, score));
    return score;
}

/* ---- scores ------------------------------------------------------------------------------ */

static void usual_ways_are_harmonic_sums(void **unused)
{
    (void)unused;
    for (size_t k = 0; k < SMR_COUNT(isolation_size); k++)
        check_near("c", smr_isolation_usual(isolation_size[k]), isolation_usual[k],
                   1e-10 * (1 + isolation_usual[k])); /* the sum's series ends at m^-2 */
}

/* The area under the curve of malignant cells, by the measure that evaluate shows. */
static double area_of(smr_ctx *ctx, const smr_train_set *set, const double *score)
{
    double area = NAN;
    smr_found_input in = {.n = set->table->n_rows,
                          .label = set->label,
                          .n_classes = set->target.classes.n,
                          .outlying = set->target.positive,
                          .score = score};
    check_ok(ctx, smr_outliers_auc(ctx, &in, &area));
    return area;
}

enum { SEEDS = 20 };

/* Means over as many seeds as the peer's: their difference has a deviation of sd sqrt(2 / SEEDS),
 * and five of these are hardly ever left by one of 60 rows. */
static void scores_and_areas_are_scikit_learns(void **unused)
{
    (void)unused;
    for (size_t k = 0; k < SMR_COUNT(isolation_areas); k++) {
        smr_ctx *ctx = check_ctx(2);
        smr_table *t = NULL;
        char sentence[64];
        double area = 0, five = 5 * sqrt(2.0 / SEEDS);
        check_ok(ctx, smr_table_open(ctx, "data/breast_cancer.csv", NULL, &t));
        double *mean = smr_alloc(ctx, t->n_rows, sizeof *mean);
        assert_non_null(mean);
        snprintf(sentence, sizeof sentence, "isolation sample=%d", (int)isolation_areas[k].sample);
        smr_train_set *set = set_of(ctx, sentence, t, "diagnosis", NULL);
        assert_int_equal(set->target.positive, 1); /* malignant: rarer than benign */
        for (uint64_t seed = 0; seed < SEEDS; seed++) {
            smr_model *m = NULL;
            smr_ctx_set_seed(ctx, seed);
            check_ok(ctx, said_fit(ctx, sentence, set, NULL, 0, &m));
            double *score = scores_of(ctx, m, t);
            for (int64_t i = 0; i < t->n_rows; i++) mean[i] += score[i] / SEEDS;
            area += area_of(ctx, set, score) / SEEDS;
            smr_free(score);
            smr_model_free(m);
        }
        check_near("area", area, isolation_areas[k].mean, five * isolation_areas[k].sd);
        for (size_t r = 0; r < SMR_COUNT(isolation_scores); r++)
            if (isolation_scores[r].sample == isolation_areas[k].sample)
                check_near("score", mean[isolation_scores[r].row], isolation_scores[r].mean,
                           five * isolation_scores[r].sd);
        smr_free(mean);
        smr_train_set_free(set);
        smr_table_free(t);
        check_ctx_end(ctx);
    }
}

/* ---- weights, copies, gaps --------------------------------------------------------------- */

enum { N = 77 };
static const char *const names[] = {"a", "b", "c", "w"};

/* Columns a and b, a category c, and the weights w: 0, 1 or 2; or each row as often as it weighs
 * (copies).  Column b has gaps. */
static smr_table *rows_of(smr_ctx *ctx, bool copies, bool gaps)
{
    double x[3][2 * N], w[2 * N];
    const char *level[2 * N];
    int64_t n = 0;
    for (int64_t i = 0; i < N; i++)
        for (int64_t c = 0; c < (copies ? i % 3 : 1); c++) {
            x[0][n] = noise(i, 0) + (i == 50 ? 9 : 0);
            x[1][n] = gaps && i % 5 == 3 ? NAN : 1e3 * noise(i, 1);
            level[n] = i % 11 == 0 ? "rare" : i % 2 ? "odd" : "even";
            w[n++] = (double)(i % 3);
        }
    smr_table *t = new_table(ctx, n, copies ? 3 : 4);
    put_numbers(ctx, t, 0, names[0], x[0]);
    put_numbers(ctx, t, 1, names[1], x[1]);
    put_strings(ctx, t, 2, names[2], level);
    if (!copies) put_numbers(ctx, t, 3, names[3], w);
    return t;
}

/* A tree that draws all rows is the same tree. */
static void weight_2_is_the_row_twice(void **unused)
{
    smr_ctx *ctx = check_ctx(2);
    (void)unused;
    for (int gaps = 0; gaps < 2; gaps++) {
        smr_table *once = rows_of(ctx, false, gaps), *copies = rows_of(ctx, true, gaps);
        smr_model *a = learn(ctx, "isolation", once, NULL, "w");
        smr_model *b = learn(ctx, "isolation", copies, NULL, NULL);
        double *x = scores_of(ctx, a, copies), *y = scores_of(ctx, b, copies);
        for (int64_t i = 0; i < copies->n_rows; i++) check_near("score", x[i], y[i], 0);
        check_near("threshold", a->target.threshold, b->target.threshold, 0);
        smr_free(x);
        smr_free(y);
        smr_model_free(a);
        smr_model_free(b);
        smr_table_free(once);
        smr_table_free(copies);
    }
    check_ctx_end(ctx);
}

static void a_far_row_is_the_first_outlier(void **unused)
{
    smr_ctx *ctx = check_ctx(1);
    smr_table *t = rows_of(ctx, true, true);
    smr_model *m = learn(ctx, "isolation", t, NULL, NULL);
    double *x = scores_of(ctx, m, t);
    int64_t least = 0;
    (void)unused;
    for (int64_t i = 0; i < t->n_rows; i++) {
        if (x[i] < x[least]) least = i;
        assert_true(x[i] > -1 && x[i] < 0);
    }
    assert_true(smr_column_number(&t->cols[0], least) > 8);
    smr_free(x);
    smr_model_free(m);
    smr_table_free(t);
    check_ctx_end(ctx);
}

static void rows_that_are_alike_have_minus_a_half(void **unused)
{
    smr_ctx *ctx = check_ctx(1);
    double same[5] = {7.25, 7.25, 7.25, 7.25, 7.25};
    (void)unused;
    for (int64_t n = 1; n <= 5; n += 4) {
        smr_table *t = new_table(ctx, n, 1);
        put_numbers(ctx, t, 0, "a", same);
        smr_model *m = learn(ctx, "isolation", t, NULL, NULL);
        double *x = scores_of(ctx, m, t), label[5];
        check_ok(ctx, smr_model_apply(ctx, m, t, NULL, 0, SMR_OUTPUT_LABEL, label));
        for (int64_t i = 0; i < n; i++) {
            check_near("score", x[i], -0.5, 1e-15);
            check_near("label", label[i], 0, 0);
        }
        smr_free(x);
        smr_model_free(m);
        smr_table_free(t);
    }
    check_ctx_end(ctx);
}

/* ---- the threshold ----------------------------------------------------------------------- */

static double threshold_of(smr_ctx *ctx, int64_t n, const double *score, const double *weight,
                           double share)
{
    double t = NAN;
    check_ok(ctx, smr_outlier_threshold(ctx, n, score, weight, share, &t));
    return t;
}

static void at_most_the_share_of_the_weight_is_below_the_threshold(void **unused)
{
    static const double score[] = {5, 1, 3, 1, 7}, weight[] = {1, 2, 1, 0, 4};
    static const double nothing[] = {-INFINITY, 2, -INFINITY}, huge[] = {-INFINITY, -INFINITY};
    static const double near[] = {1, 1 + DBL_EPSILON};
    smr_ctx *ctx = check_ctx(1);
    (void)unused;
    check_near("0.1", threshold_of(ctx, 5, score, NULL, 0.1), 1, 0);
    check_near("0.2", threshold_of(ctx, 5, score, NULL, 0.2), 1, 0); /* both rows of 1, or none */
    check_near("0.4", threshold_of(ctx, 5, score, NULL, 0.4), 2, 0);
    check_near("0.6", threshold_of(ctx, 5, score, NULL, 0.6), 4, 0);
    check_near("1", threshold_of(ctx, 5, score, NULL, 1), 6, 0);
    check_near("weighted", threshold_of(ctx, 5, score, weight, 0.25), 2, 0);
    check_near("weighted", threshold_of(ctx, 5, score, weight, 0.24), 1, 0);
    check_near("impossible", threshold_of(ctx, 3, nothing, NULL, 0.7), 2, 0);
    check_near("impossible", threshold_of(ctx, 2, huge, NULL, 0.7), -DBL_MAX, 0);
    check_near("neighbours", threshold_of(ctx, 2, near, NULL, 0.5), 1 + DBL_EPSILON, 0);
    check_near("a third", threshold_of(ctx, 3, (double[]){1, 2, 3}, NULL, 1.0 / 3), 1.5, 0);
    check_ctx_end(ctx);
}

/* The same columns, whoever gives the scores. */
static void every_learner_of_scores_finds_outliers(void **unused)
{
    static const char *const sentences[] = {"isolation",     "pca 1",
                                            "gmm 2",         "density",
                                            "knn 3",         "standardize | knn 3 metric=manhattan",
                                            "svm kernel=rbf"};
    smr_ctx *ctx = check_ctx(2);
    smr_table *t = rows_of(ctx, true, false);
    (void)unused;
    for (size_t k = 0; k < SMR_COUNT(sentences); k++) {
        smr_train_set *set = set_of(ctx, sentences[k], t, NULL, NULL);
        smr_model *m = NULL;
        smr_table *answer = NULL;
        int64_t n = 0;
        set->outlier_share = 0.1;
        check_ok(ctx, said_fit(ctx, sentences[k], set, NULL, 0, &m));
        assert_int_equal(smr_model_gives(m), SMR_GIVES_SCORE | SMR_GIVES_LABEL);
        check_ok(ctx, smr_answer_create(ctx, m, t, SMR_OUTPUT_LABEL, &answer));
        assert_string_equal(answer->cols[0].name, "outlier");
        double *x = scores_of(ctx, m, t);
        for (int64_t i = 0; i < t->n_rows; i++) {
            int32_t code = smr_column_code(&answer->cols[0], i);
            assert_int_equal(code, x[i] < m->target.threshold);
            n += code;
        }
        if (!(n <= t->n_rows / 10 && n >= t->n_rows / 10 - 2)) /* ties stay together */
            fail_msg("%s: %lld of %lld rows", sentences[k], (long long)n, (long long)t->n_rows);
        smr_free(x);
        smr_table_free(answer);
        smr_model_free(m);
        smr_train_set_free(set);
    }
    smr_table_free(t);
    check_ctx_end(ctx);
}

/* As a program asks for them. */
static void a_share_and_a_score_are_taken_as_thresholds(void **unused)
{
    smr_ctx *ctx = check_ctx(2);
    smr_table *t = NULL;
    smr_train_opts how = {.size = sizeof how, .target = "diagnosis", .threshold = "share=0.25"};
    (void)unused;
    check_ok(ctx, smr_table_open(ctx, "data/breast_cancer.csv", NULL, &t));
    double *label = smr_alloc(ctx, t->n_rows, sizeof *label);
    for (int k = 0; k < 3; k++) {
        static const int64_t wanted[] = {142, 0, 569}; /* a quarter of 569; nobody; everybody */
        smr_model *m = NULL;
        int64_t n = 0;
        how.threshold = k == 2 ? "0" : "share=0.25";
        check_ok(ctx, smr_train(ctx, "isolation", t, &how, &m));
        assert_int_equal(smr_model_task(m), SMR_TASK_OUTLIERS);
        if (k == 1) check_ok(ctx, smr_model_set_threshold(ctx, m, -1));
        check_ok(ctx, smr_predict(ctx, m, t, SMR_OUTPUT_LABEL, label));
        for (int64_t i = 0; i < t->n_rows; i++) n += label[i] == 1;
        assert_int_equal(n, wanted[k]);
        smr_model_free(m);
    }
    smr_free(label);
    smr_table_free(t);
    check_ctx_end(ctx);
}

/* ---- distances to neighbours -------------------------------------------------------------- */

/* (3) of knn.c, from the distances to all rows. */
static double far_among(int64_t n, const double *x, const double *w, double q, double k)
{
    bool used[40] = {false};
    double itself = 1, last = 0;
    for (int64_t turn = 0; turn < n && k > 0; turn++) {
        int64_t best = -1;
        for (int64_t i = 0; i < n; i++)
            if (!used[i] && w[i] > 0 && (best < 0 || fabs(x[i] - q) < fabs(x[best] - q))) best = i;
        if (best < 0) break;
        used[best] = true;
        last = fabs(x[best] - q);
        double own = last == 0 ? SMR_MIN(itself, w[best]) : 0;
        itself -= own;
        k -= w[best] - own;
    }
    return last;
}

static void knn_scores_are_distances_to_the_kth_other_row(void **unused)
{
    double x[40], w[40];
    smr_ctx *ctx = check_ctx(1);
    (void)unused;
    for (int64_t i = 0; i < 40; i++) {
        x[i] = i % 7 == 0 ? 2 : floor(64 * noise(i, 3)) / 4;
        w[i] = i % 5 == 4 ? 0.5 : (double)(i % 4);
    }
    for (int weighted = 0; weighted < 2; weighted++)
        for (int tree = 0; tree < 2; tree++) {
            double one[40];
            for (int64_t i = 0; i < 40; i++) one[i] = weighted ? w[i] : 1;
            smr_table *t = new_table(ctx, 40, 2);
            put_numbers(ctx, t, 0, "x", x);
            put_numbers(ctx, t, 1, "w", one);
            smr_model *m =
                learn(ctx, tree ? "knn 4 algorithm=tree" : "knn 4 algorithm=brute", t, NULL, "w");
            double *score = scores_of(ctx, m, t);
            for (int64_t i = 0; i < 40; i++)
                check_near("distance", -score[i], far_among(40, x, one, x[i], 4), 0);
            smr_free(score);
            smr_model_free(m);
            smr_table_free(t);
        }
    check_ctx_end(ctx);
}

/* ---- what is refused --------------------------------------------------------------------- */

static void a_table_without_weight_is_refused(void **unused)
{
    static const double a[] = {1, 2, 3}, w[] = {0, 0, 0};
    smr_ctx *ctx = check_ctx(1);
    smr_table *t = new_table(ctx, 3, 2);
    smr_set_opts opts = {.weight = "w", .keep_all = true};
    smr_model *m = NULL;
    (void)unused;
    put_numbers(ctx, t, 0, "a", a);
    put_numbers(ctx, t, 1, "w", w);
    assert_int_not_equal(try_train(ctx, "isolation", t, &opts, &m), SMR_OK);
    assert_null(m);
    smr_table_free(t);
    smr_ctx_clear(ctx);
    check_ctx_end(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(usual_ways_are_harmonic_sums),
        cmocka_unit_test(scores_and_areas_are_scikit_learns),
        cmocka_unit_test(weight_2_is_the_row_twice),
        cmocka_unit_test(a_far_row_is_the_first_outlier),
        cmocka_unit_test(rows_that_are_alike_have_minus_a_half),
        cmocka_unit_test(at_most_the_share_of_the_weight_is_below_the_threshold),
        cmocka_unit_test(every_learner_of_scores_finds_outliers),
        cmocka_unit_test(a_share_and_a_score_are_taken_as_thresholds),
        cmocka_unit_test(knn_scores_are_distances_to_the_kth_other_row),
        cmocka_unit_test(a_table_without_weight_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
