/* test_boost_absent.c -- boost and classes that no row has. */
#include "learn/matrix_data.h"

#include "learn/trees/boost.h"

extern const smr_learner smr_boost;

enum { N = 240, D = 4, ALL = 6 };

static void ask(const struct fitted *f, const double *x, double *out)
{
    smr_rows rows = {.n = N, .d = D, .form = SMR_FORM_F64, .x = x, .stride = D};
    check_ok(f->ctx, smr_boost.fitted->prepare(f->ctx, f->params, f->state));
    check_ok(f->ctx, smr_boost.fitted->predict(f->ctx, f->params, f->state, &rows, SMR_OUTPUT_PROBA,
                                               out, NULL));
}

/* Class numbers as they are, and as if others without a row stood among them: the same answers, to
 * the rounding of a sum over more classes. */
static void check_classes(const char *words, int64_t classes)
{
    static const int32_t place[] = {1, 3, 4};
    double *x = random_matrix(N * D, 71), *noise_ = random_matrix(N, 72);
    double few[N * 3], more[N * ALL];
    int32_t label[N], spread[N];
    struct matrix_data m;
    for (int i = 0; i < N; i++) {
        double s = sin(2 * x[i * D]) + x[i * D + 1] * x[i * D + 2] + 0.3 * noise_[i];
        label[i] = s < -0.3 ? 0 : classes == 2 || s < 0.4 ? 1 : 2;
        spread[i] = place[label[i]];
    }
    matrix_data(&m, N, D, 1, x, noise_, NULL);
    smr_data data = m.data;
    data.task = SMR_TASK_CLASSIFY;
    data.y = NULL;
    data.label = label;
    data.n_classes = classes;
    struct fitted f = fit_matrix(&smr_boost, words, &data, 1);
    ask(&f, x, few);
    data.label = spread;
    data.n_classes = ALL;
    struct fitted g = fit_matrix(&smr_boost, words, &data, 3);
    ask(&g, x, more);
    smr_shape shape = {.n_features = D, .task = SMR_TASK_CLASSIFY, .n_classes = ALL};
    check_ok(g.ctx, smr_boost.fitted->check(g.ctx, g.params, g.state, &shape));
    for (int i = 0; i < N; i++)
        for (int c = 0; c < ALL; c++) {
            int64_t at = -1;
            for (int64_t p = 0; p < classes; p++) at = place[p] == c ? p : at;
            if (at < 0)
                assert_true(more[i * ALL + c] == 0);
            else
                check_near("p", more[i * ALL + c], few[i * classes + at], 1e-14);
        }
    end_fitted(&f);
    end_fitted(&g);
    free(noise_);
    free(x);
}

static void a_class_without_rows_changes_no_answer(void **unused)
{
    static const char *const words[] = {"rounds=12", "rounds=9 columns=0.5 rows=0.6 patience=2",
                                        "rounds=8 class_weight=balanced l2=3"};
    (void)unused;
    for (int k = 0; k < SMR_COUNT(words); k++)
        for (int64_t classes = 2; classes <= 3; classes++) check_classes(words[k], classes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_class_without_rows_changes_no_answer),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
