/* How small the leaves of boost may be where min_leaf is not set: for numbers 20 rows, or a tenth
 * of a small table's, by weight; for classes there is no such limit. */
#include "learn/matrix_data.h"
#include "learn/trees/boost.h"

extern const smr_learner smr_boost;

enum { D = 3 };

/* Rows whose targets depend on them, and weights that sum to *all; NULL: none. */
struct made {
    double *x, *y, *weight;
    int32_t *label;
    struct matrix_data m;
};

static void make(struct made *s, int64_t n, uint64_t seed, double *all)
{
    s->x = random_matrix(n * D, seed);
    s->y = random_matrix(n, seed + 1);
    s->weight = random_matrix(n, seed + 2);
    s->label = calloc((size_t)n, sizeof *s->label);
    for (int64_t i = 0; i < n; i++) {
        const double *x = s->x + i * D;
        s->y[i] = floor(fabs(6 * sin(2 * x[0]) + 3 * x[1] * x[2] + s->y[i])); /* counts, too */
        s->label[i] = s->y[i] > 2;
        s->weight[i] = 0.25 + fabs(s->weight[i]);
        if (all) *all += s->weight[i];
    }
    matrix_data(&s->m, n, D, 1, s->x, s->y, all ? s->weight : NULL);
}

static void drop(struct made *s)
{
    free(s->x);
    free(s->y);
    free(s->weight);
    free(s->label);
}

static void check_same(const smr_data *data, const char *a, const char *b, double *least)
{
    struct fitted f = fit_matrix(&smr_boost, a, data, 1), g = fit_matrix(&smr_boost, b, data, 1);
    const smr_trees *t = &((struct smr_boost_state *)f.state)->trees;
    const smr_trees *u = &((struct smr_boost_state *)g.state)->trees;
    assert_int_equal(t->n_nodes, u->n_nodes);
    assert_memory_equal(t->cut, u->cut, (size_t)t->n_nodes * sizeof *t->cut);
    assert_memory_equal(t->value, u->value, (size_t)t->n_leaves * sizeof *t->value);
    *least = INFINITY;
    for (int64_t i = 0; i < t->n_nodes; i++) *least = fmin(*least, t->cover[i]);
    end_fitted(&f);
    end_fitted(&g);
}

static void check_leaves(const char *words, int64_t n, bool weighted)
{
    double all = 0, least;
    char same[96];
    struct made s;
    make(&s, n, 500, weighted ? &all : NULL);
    double limit = fmin(20, (weighted ? all : (double)n) / 10);
    snprintf(same, sizeof same, "%s min_leaf=%.17g", words, limit);
    check_same(&s.m.data, words, same, &least);
    assert_true(least > limit * (1 - 1e-6) && least < limit + 3);
    drop(&s);
}

static void leaves_of_numbers_hold_twenty_rows(void **unused)
{
    (void)unused;
    static const char *const words[] = {"rounds=30", "rounds=30 loss=poisson",
                                        "rounds=30 loss=absolute", "rounds=30 sampling=goss"};
    for (int w = 0; w < SMR_COUNT(words); w++)
        for (int weighted = 0; weighted < (w < 3 ? 2 : 1); weighted++)
            check_leaves(words[w], 907, weighted);
}

static void leaves_of_few_numbers_hold_a_tenth_of_them(void **unused)
{
    (void)unused;
    static const char *const words[] = {"rounds=30", "rounds=30 loss=poisson"};
    for (int w = 0; w < SMR_COUNT(words); w++)
        for (int weighted = 0; weighted < 2; weighted++) check_leaves(words[w], 87, weighted);
}

/* What a validation part takes away counts for nothing: 151 of 201 rows are left. */
static void rows_kept_apart_do_not_count(void **unused)
{
    (void)unused;
    double least;
    struct made s;
    make(&s, 201, 511, NULL);
    check_same(&s.m.data, "rounds=30 patience=30 validation=0.25",
               "rounds=30 patience=30 validation=0.25 min_leaf=15.1", &least);
    assert_true(least >= 16 && least < 19);
    drop(&s);
}

static void leaves_of_classes_have_no_such_limit(void **unused)
{
    (void)unused;
    double least;
    struct made s;
    make(&s, 907, 523, NULL);
    s.m.data.task = SMR_TASK_CLASSIFY;
    s.m.data.label = s.label;
    s.m.data.n_classes = 2;
    s.m.data.y = NULL;
    check_same(&s.m.data, "rounds=30", "rounds=30 min_leaf=1", &least);
    assert_true(least < 10);
    drop(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(leaves_of_numbers_hold_twenty_rows),
        cmocka_unit_test(leaves_of_few_numbers_hold_a_tenth_of_them),
        cmocka_unit_test(rows_kept_apart_do_not_count),
        cmocka_unit_test(leaves_of_classes_have_no_such_limit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
