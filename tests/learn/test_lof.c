/* test_lof.c -- local outlier factors.
 *
 * Truth: scikit-learn (tests/truth/thinness.py); (1) and (2) of lof.c in their plainest form, with
 * weights and copies. */
#include "pipeline.h"

#include "learn/answer.h"
#include "learn/outliers.h"
#include "metric/metric.h"
#include "truth/thinness.h"

enum { N = 60 };

static smr_model *learn(smr_ctx *ctx, const char *sentence, const smr_table *t, const char *weight)
{
    smr_set_opts opts = {.task = SMR_TASK_OUTLIERS, .weight = weight, .keep_all = true};
    smr_train_set *set = NULL;
    smr_model *m = NULL;
    check_ok(ctx, said_set(ctx, t, sentence, &opts, &set));
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

/* ---- scikit-learn ------------------------------------------------------------------------ */

/* The columns of numbers, of the rows first, first + step ... */
static smr_table *some_rows(smr_ctx *ctx, const smr_table *of, int64_t first, int64_t step)
{
    int64_t n = (of->n_rows - first + step - 1) / step, d = 0;
    double *x = smr_alloc(ctx, n, sizeof *x);
    for (int64_t j = 0; j < of->n_cols; j++) d += of->cols[j].kind == SMR_NUMBER;
    smr_table *t = new_table(ctx, n, d);
    d = 0;
    for (int64_t j = 0; j < of->n_cols; j++) {
        if (of->cols[j].kind != SMR_NUMBER) continue;
        for (int64_t i = 0; i < n; i++) x[i] = smr_column_number(&of->cols[j], first + i * step);
        put_numbers(ctx, t, d++, of->cols[j].name, x);
    }
    smr_free(x);
    return t;
}

/* The area under the curve of the cells that are malignant, the second class. */
static double area_of(smr_ctx *ctx, const smr_table *cells, const double *score)
{
    smr_set_opts opts = {.task = SMR_TASK_OUTLIERS, .target = "diagnosis", .keep_all = true};
    smr_train_set *set = NULL;
    double area = NAN;
    check_ok(ctx, said_set(ctx, cells, "lof", &opts, &set));
    smr_found_input in = {.n = cells->n_rows,
                          .label = set->label,
                          .n_classes = 2,
                          .outlying = set->target.positive,
                          .score = score};
    check_ok(ctx, smr_outliers_auc(ctx, &in, &area));
    smr_train_set_free(set);
    return area;
}

/* Both sum roundings of distances near 1000: 1e-9 is far above these, and far below any two rows'
 * difference. */
static void factors_are_scikit_learns(void **unused)
{
    static const char *const ways[] = {"tree", "brute"};
    smr_ctx *ctx = check_ctx(2);
    smr_table *cells = NULL;
    (void)unused;
    check_ok(ctx, smr_table_open(ctx, "data/breast_cancer.csv", NULL, &cells));
    smr_table *all = some_rows(ctx, cells, 0, 1);
    smr_table *even = some_rows(ctx, cells, 0, 2), *odd = some_rows(ctx, cells, 1, 2);
    for (size_t k = 0; k < SMR_COUNT(lof_areas); k++)
        for (int way = 0; way < 2; way++) {
            char sentence[80];
            snprintf(sentence, sizeof sentence, "%s algorithm=%s", lof_areas[k].words, ways[way]);
            smr_model *m = learn(ctx, sentence, all, NULL),
                      *of_even = learn(ctx, sentence, even, 0);
            double *own = scores_of(ctx, m, all), *fresh = scores_of(ctx, of_even, odd);
            for (size_t r = 0; r < SMR_COUNT(lof_scores); r++) {
                if (lof_scores[r].sentence != (int64_t)k) continue;
                check_near("own factor", own[lof_scores[r].row], lof_scores[r].own, 1e-9);
                if (lof_scores[r].fresh > -9)
                    check_near("new factor", fresh[lof_scores[r].row / 2], lof_scores[r].fresh,
                               1e-9);
            }
            check_near("area", area_of(ctx, cells, own), lof_areas[k].area, 1e-9);
            smr_free(own);
            smr_free(fresh);
            smr_model_free(m);
            smr_model_free(of_even);
        }
    smr_table_free(all);
    smr_table_free(even);
    smr_table_free(odd);
    smr_table_free(cells);
    check_ctx_end(ctx);
}

/* ---- the plain form ---------------------------------------------------------------------- */

/* Row q's neighbours among others, in order: *n of them, and what they count. */
static void neighbours(const double *x, const double *w, double q, double k, int64_t *of,
                       double *count, int64_t *n)
{
    bool used[N] = {false};
    double itself = 1;
    *n = 0;
    while (k > 0) {
        int64_t best = -1;
        for (int64_t i = 0; i < N; i++)
            if (!used[i] && w[i] > 0 && (best < 0 || fabs(x[i] - q) < fabs(x[best] - q))) best = i;
        if (best < 0) return;
        used[best] = true;
        double own = x[best] == q ? SMR_MIN(itself, w[best]) : 0;
        itself -= own;
        of[*n] = best;
        count[*n] = SMR_MIN(w[best] - own, k);
        k -= w[best] - own;
        ++*n;
    }
}

static void plain_factors(const double *x, const double *w, double k, double *factor)
{
    double far[N], reach[N], mean = 0, rows = 0;
    int64_t of[N], n;
    double count[N];
    for (int64_t i = 0; i < N; i++) {
        neighbours(x, w, x[i], k, of, count, &n);
        far[i] = fabs(x[of[n - 1]] - x[i]);
        if (w[i] > 0) mean += far[i], rows++;
    }
    for (int turn = 0; turn < 2; turn++)
        for (int64_t i = 0; i < N; i++) {
            double sum = 0, inverse = 0, all = 0;
            neighbours(x, w, x[i], k, of, count, &n);
            for (int64_t r = 0; r < n; r++) {
                all += count[r];
                sum += count[r] * fmax(far[of[r]], fabs(x[of[r]] - x[i]));
                if (turn == 1 && count[r] > 0) inverse += count[r] / reach[of[r]];
            }
            if (turn == 0)
                reach[i] = fmax(sum / all, 1e-10 * mean / rows);
            else
                factor[i] = reach[i] * inverse / all;
        }
}

/* Whole numbers in which many rows are copies, so that some neighbourhoods have no width. */
static void copies_and_weights_count_as_they_are_defined(void **unused)
{
    double x[N], w[N], want[N];
    smr_ctx *ctx = check_ctx(1);
    (void)unused;
    for (int64_t i = 0; i < N; i++) {
        x[i] = i % 7 == 0 ? 2 : (double)(i * i * 37 % 101) / 4;
        w[i] = i % 5 == 4 ? 0.5 : (double)(i % 4);
    }
    for (int weighted = 0; weighted < 2; weighted++)
        for (int tree = 0; tree < 2; tree++) {
            double one[N];
            for (int64_t i = 0; i < N; i++) one[i] = weighted ? w[i] : 1;
            smr_table *t = new_table(ctx, N, 2);
            put_numbers(ctx, t, 0, "x", x);
            put_numbers(ctx, t, 1, "w", one);
            smr_model *m =
                learn(ctx, tree ? "lof 4 algorithm=tree" : "lof 4 algorithm=brute", t, "w");
            double *score = scores_of(ctx, m, t);
            plain_factors(x, one, 4, want);
            for (int64_t i = 0; i < N; i++)
                check_near("factor", -score[i], want[i], 1e-12 * want[i]);
            smr_free(score);
            smr_model_free(m);
            smr_table_free(t);
        }
    check_ctx_end(ctx);
}

/* A unit of 1e-200 or 1e150 changes nothing, copies of one row are all alike, and so is a row
 * alone. */
static void degenerate_rows_have_finite_factors(void **unused)
{
    struct heard heard;
    smr_ctx *ctx = hearing_ctx(&heard);
    double x[N], base[N];
    (void)unused;
    for (int turn = 0; turn < 3; turn++) {
        const double units[] = {1, 0x1p-600, 0x1p500};
        for (int64_t i = 0; i < N; i++) x[i] = units[turn] * (double)(i < 30 ? 1 : i * i);
        smr_table *t = new_table(ctx, N, 1);
        put_numbers(ctx, t, 0, "x", x);
        smr_model *m = learn(ctx, "lof 5 metric=manhattan", t, NULL);
        double *score = scores_of(ctx, m, t);
        for (int64_t i = 0; i < N; i++) {
            assert_true(isfinite(score[i]));
            if (turn == 0) base[i] = score[i];
            check_near("in another unit", score[i], base[i], 1e-12 * fabs(base[i]));
        }
        check_near("a copy", score[3], -1, 1e-12);
        smr_free(score);
        smr_model_free(m);
        smr_table_free(t);
    }
    check_silent(&heard);
    for (int64_t n = 1; n <= 3; n += 2) {
        for (int64_t i = 0; i < N; i++) x[i] = 7;
        smr_table *t = new_table(ctx, n, 1);
        put_numbers(ctx, t, 0, "x", x);
        smr_model *m = learn(ctx, "lof", t, NULL);
        double *score = scores_of(ctx, m, t);
        for (int64_t i = 0; i < n; i++) check_near("alike", score[i], -1, 1e-12);
        smr_free(score);
        smr_model_free(m);
        smr_table_free(t);
    }
    check_heard(&heard, "lof: k is 20, but there are only 3 training rows; all of them count");
    check_ctx_end(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(factors_are_scikit_learns),
        cmocka_unit_test(copies_and_weights_count_as_they_are_defined),
        cmocka_unit_test(degenerate_rows_have_finite_factors),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
