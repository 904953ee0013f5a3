/* A whole weight counts as that many rows, in every loss: the trees are the same, though many
 * splits of these rows are equally good, and another rounding of a gradient would choose others. */
#include "learn/matrix_data.h"
#include "learn/trees/boost.h"

extern const smr_learner smr_boost;

enum { D = 4 };

/* Rows of few values, and data over them. */
struct rows {
    int64_t n;
    double *x, *y, *weight;
    int32_t *label;
    struct matrix_data m;
};

static void alloc_rows(struct rows *r, int64_t n)
{
    *r = (struct rows){.n = n};
    r->x = calloc((size_t)(n * D), sizeof *r->x);
    r->y = calloc((size_t)n, sizeof *r->y);
    r->weight = calloc((size_t)n, sizeof *r->weight);
    r->label = calloc((size_t)n, sizeof *r->label);
}

static void free_rows(struct rows *r)
{
    free(r->x);
    free(r->y);
    free(r->weight);
    free(r->label);
}

static void set_data(struct rows *r, int64_t classes, bool weighted)
{
    matrix_data(&r->m, r->n, D, 1, r->x, classes ? NULL : r->y, weighted ? r->weight : NULL);
    if (!classes) return;
    r->m.data.task = SMR_TASK_CLASSIFY;
    r->m.data.label = r->label;
    r->m.data.n_classes = classes;
}

/* Weights 0 .. heaviest. */
static void make(struct rows *r, int64_t n, int64_t classes, int64_t heaviest)
{
    double *noise = random_matrix(n * (D + 2), 71);
    alloc_rows(r, n);
    for (int64_t i = 0; i < n; i++) {
        const double *z = noise + i * (D + 2);
        double *x = r->x + i * D;
        for (int j = 0; j < D; j++) x[j] = floor((double)(4 + 3 * j) * z[j]);
        double f = sin(x[0] / 2) + 0.01 * x[1] * x[2] + 0.1 * x[3] + z[D];
        r->y[i] = floor(fabs(4 * f));
        r->label[i] = (int32_t)SMR_MIN(SMR_MAX(floor(f + 1), 0), (double)(classes - 1));
        r->weight[i] = floor(fmod(97 * fabs(z[D + 1]), (double)heaviest + 1));
    }
    free(noise);
    set_data(r, classes, true);
}

/* Each row as often as it weighs. */
static void repeat(const struct rows *from, int64_t classes, struct rows *to)
{
    double all = 0;
    int64_t n = 0;
    for (int64_t i = 0; i < from->n; i++) all += from->weight[i];
    alloc_rows(to, (int64_t)all);
    for (int64_t i = 0; i < from->n; i++)
        for (double k = 0; k < from->weight[i]; k++, n++) {
            memcpy(to->x + n * D, from->x + i * D, D * sizeof(double));
            to->y[n] = from->y[i];
            to->label[n] = from->label[i];
        }
    set_data(to, classes, false);
}

static void check_repeated(const char *words, int64_t n, int64_t classes, int64_t heaviest)
{
    struct rows a, b;
    make(&a, n, classes, heaviest);
    repeat(&a, classes, &b);
    struct fitted f = fit_matrix(&smr_boost, words, &a.m.data, 2);
    struct fitted g = fit_matrix(&smr_boost, words, &b.m.data, 1);
    const smr_trees *t = &((struct smr_boost_state *)f.state)->trees;
    const smr_trees *u = &((struct smr_boost_state *)g.state)->trees;
    assert_int_equal(t->n_nodes, u->n_nodes);
    assert_memory_equal(t->split, u->split, (size_t)t->n_nodes * sizeof *t->split);
    assert_memory_equal(t->cut, u->cut, (size_t)t->n_nodes * sizeof *t->cut);
    /* Leaves of few rows add numbers, in another order where rows are repeated. */
    for (int64_t i = 0; i < t->n_leaves; i++) check_near(words, t->value[i], u->value[i], 1e-12);
    if (b.n > 5000) assert_memory_equal(t->value, u->value, (size_t)t->n_leaves * sizeof *t->value);
    end_fitted(&f);
    end_fitted(&g);
    free_rows(&a);
    free_rows(&b);
}

static void whole_weights_repeat_rows_of_classes(void **unused)
{
    (void)unused;
    static const char *const words[] = {"rounds=25", "rounds=25 min_leaf=3", "rounds=9 min_leaf=12",
                                        "rounds=12 growth=level l1=0.3"};
    for (int w = 0; w < SMR_COUNT(words); w++)
        for (int64_t classes = 2; classes < 4; classes++) {
            check_repeated(words[w], 1203, classes, 3);
            check_repeated(words[w], 3907, classes, 3);  /* in a narrow word */
            check_repeated(words[w], 907, classes, 101); /* too heavy for one */
        }
    check_repeated("rounds=25 loss=exponential", 1203, 2, 3);
}

static void whole_weights_repeat_rows_of_numbers(void **unused)
{
    (void)unused;
    static const char *const words[] = {"rounds=25", "rounds=25 loss=poisson",
                                        "rounds=9 loss=poisson min_leaf=3",
                                        "rounds=9 loss=absolute"};
    for (int w = 0; w < SMR_COUNT(words); w++) {
        check_repeated(words[w], 1203, 0, 3);
        check_repeated(words[w], 3907, 0, 3);
        check_repeated(words[w], 907, 0, 101);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(whole_weights_repeat_rows_of_classes),
        cmocka_unit_test(whole_weights_repeat_rows_of_numbers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
