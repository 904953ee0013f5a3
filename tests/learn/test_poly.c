/* test_poly.c -- powers and products: recorded values of scikit-learn, orders, names, counts. */
#include "pipeline.h"
#include "truth/features.h"

static const char *const abcd[] = {"a", "b", "c", "d", "y"};

static void check_terms(const char *sentence, const double *wanted, const char *const *names,
                        int64_t terms)
{
    smr_ctx *ctx = check_ctx(1);
    smr_table *t = matrix_table(ctx, 2, 4, poly_rows[0], abcd);
    smr_model *m = train_on(ctx, sentence, t, NULL);
    double *out = apply(ctx, m, t, SMR_OUTPUT_TRANSFORM);
    assert_int_equal(smr_model_width(m, SMR_OUTPUT_TRANSFORM), terms);
    for (int64_t k = 0; k < terms; k++) {
        assert_string_equal(m->stages[0].features[k].name, names[k]);
        for (int i = 0; i < 2; i++)
            check_near(names[k], out[i * terms + k], wanted[i * terms + k], 4e-16);
    }
    smr_free(out);
    smr_model_free(m);
    smr_table_free(t);
    check_ctx_end(ctx);
}

static void degree_3_in_4_variables_agrees_with_scikit_learn(void **state)
{
    (void)state;
    check_terms("poly 3", poly_cubic[0], poly_cubic_names, 34); /* 35 with the constant */
}

static void interactions_agree_with_scikit_learn(void **state)
{
    (void)state;
    check_terms("poly 3 interactions=yes", poly_products[0], poly_products_names, 14);
}

static int64_t terms(int64_t d, const char *sentence)
{
    smr_ctx *ctx = check_ctx(1);
    double x[200];
    smr_table *t = NULL;
    for (int64_t j = 0; j < 200; j++) x[j] = noise(j, 0);
    smr_dense view = {.values = x, .dtype = SMR_F64, .n_rows = 2, .n_cols = d, .stride = d};
    check_ok(ctx, smr_table_view(ctx, &view, NULL, &t));
    smr_model *m = train_on(ctx, sentence, t, NULL);
    int64_t n = smr_model_width(m, SMR_OUTPUT_TRANSFORM);
    smr_model_free(m);
    smr_table_free(t);
    check_ctx_end(ctx);
    return n;
}

/* C(d + p, p) - 1 terms; without powers the sum of C(d, k) for k = 1 .. p. */
static void counts_follow_the_formula(void **state)
{
    (void)state;
    assert_int_equal(terms(4, "poly 3"), 34);
    assert_int_equal(terms(100, "poly 2"), 5150); /* 100 + 5,050 distinct products (F1) */
    assert_int_equal(terms(1, "poly 100"), 100);
    assert_int_equal(terms(7, "poly 1"), 7);
    assert_int_equal(terms(2, "poly 9"), 54);
    assert_int_equal(terms(5, "poly 5 interactions=yes"), 31);
    assert_int_equal(terms(3, "poly 50 interactions=yes"), 7); /* no more than all three */
    assert_int_equal(terms(1, "poly 2 interactions=yes"), 1);
}

static void too_many_terms_are_refused(void **state)
{
    smr_ctx *ctx = check_ctx(1);
    double x[200];
    smr_table *t = NULL;
    smr_model *m = NULL;
    smr_dense view = {.values = x, .dtype = SMR_F64, .n_rows = 2, .n_cols = 100, .stride = 100};
    (void)state;
    for (int j = 0; j < 200; j++) x[j] = noise(j, 0);
    check_ok(ctx, smr_table_view(ctx, &view, NULL, &t));
    check_fails(ctx, try_train(ctx, "poly 4", t, &(smr_set_opts){.keep_all = true}, &m),
                SMR_ERR_PARAM,
                "poly: degree 4 of 100 features gives more than 1000000 terms; lower the degree, "
                "use interactions=yes, or fewer features");
    check_fails(ctx, try_train(ctx, "poly 100", t, &(smr_set_opts){.keep_all = true}, &m),
                SMR_ERR_PARAM, "more than 1000000 terms");
    check_fails(ctx, try_train(ctx, "poly 0", t, &(smr_set_opts){.keep_all = true}, &m),
                SMR_ERR_PARAM, "poly: degree = 0 is outside [1, 100]");
    assert_null(m);
    smr_table_free(t);
    check_ctx_end(ctx);
}

/* Row by row, every term is the product that its name says. */
static void high_powers_are_what_their_names_say(void **state)
{
    smr_ctx *ctx = check_ctx(1);
    smr_table *t = matrix_table(ctx, 1, 2, (double[]){2, -3}, abcd);
    smr_model *m = train_on(ctx, "poly 20", t, NULL);
    double *out = apply(ctx, m, t, SMR_OUTPUT_TRANSFORM);
    int64_t n = smr_model_width(m, SMR_OUTPUT_TRANSFORM), k = 0;
    (void)state;
    assert_int_equal(n, 230);
    for (int degree = 1; degree <= 20; degree++)
        for (int b = 0; b <= degree; b++, k++) {
            char name[32];
            int a = degree - b;
            const char *star = a && b ? "*" : "";
            char left[16] = "", right[16] = "";
            if (a) snprintf(left, sizeof left, a > 1 ? "a^%d" : "a", a);
            if (b) snprintf(right, sizeof right, b > 1 ? "b^%d" : "b", b);
            snprintf(name, sizeof name, "%s%s%s", left, star, right);
            assert_string_equal(m->stages[0].features[k].name, name);
            assert_true(out[k] == pow(2, a) * pow(-3, b)); /* exact below 2^53 */
        }
    smr_free(out);
    smr_model_free(m);
    smr_table_free(t);
    check_ctx_end(ctx);
}

static void missing_values_spread_to_their_products_only(void **state)
{
    smr_ctx *ctx = check_ctx(1);
    smr_table *t = matrix_table(ctx, 2, 2, (double[]){2, 5, NAN, 3}, abcd);
    smr_model *m = train_on(ctx, "poly 2", t, NULL);
    double *out = apply(ctx, m, t, SMR_OUTPUT_TRANSFORM);
    static const double wanted[] = {NAN, 3, NAN, NAN, 9}; /* a b a^2 a*b b^2 */
    (void)state;
    for (int k = 0; k < 5; k++) check_near("term", out[5 + k], wanted[k], 0);
    smr_free(out);
    smr_model_free(m);
    smr_table_free(t);
    check_ctx_end(ctx);
}

/* x1^2 + 2 x2^2 is linear in the terms (F1); degree 9 on 10 points leaves no error (D3). */
static void polynomials_fit_what_they_contain(void **state)
{
    smr_ctx *ctx = check_ctx(1);
    double x[40 * 3], curve[10 * 2];
    (void)state;
    for (int i = 0; i < 40; i++) {
        x[3 * i] = noise(i, 0);
        x[3 * i + 1] = noise(i, 1);
        x[3 * i + 2] = x[3 * i] * x[3 * i] + 2 * x[3 * i + 1] * x[3 * i + 1];
    }
    for (int i = 0; i < 10; i++) curve[2 * i] = i / 4.5 - 1, curve[2 * i + 1] = noise(i, 7);
    static const char *const names[] = {"x1", "x2", "y"}, *const two[] = {"x", "y"};
    smr_table *t = matrix_table(ctx, 40, 3, x, names), *c = matrix_table(ctx, 10, 2, curve, two);
    smr_model *m = train_on(ctx, "poly 2 | linear", t, "y"),
              *n = train_on(ctx, "poly 9 | linear", c, "y");
    double *p = apply(ctx, m, t, SMR_OUTPUT_VALUE), *q = apply(ctx, n, c, SMR_OUTPUT_VALUE);
    for (int i = 0; i < 40; i++) check_near("quadratic", p[i], x[3 * i + 2], 1e-12);
    for (int i = 0; i < 10; i++) check_near("degree 9", q[i], curve[2 * i + 1], 1e-9);
    smr_free(p);
    smr_free(q);
    smr_model_free(m);
    smr_model_free(n);
    smr_table_free(t);
    smr_table_free(c);
    check_ctx_end(ctx);
}

static smr_status train_once(smr_ctx *ctx, void *table)
{
    smr_model *m = NULL;
    smr_status st = try_train(ctx, "poly 3", table, &(smr_set_opts){.keep_all = true}, &m);
    smr_model_free(m);
    return st;
}

static void failing_allocations_leave_nothing(void **state)
{
    smr_ctx *ctx = check_ctx(1);
    smr_table *t = matrix_table(ctx, 2, 4, poly_rows[0], abcd);
    (void)state;
    assert_true(fail_each_allocation(ctx, train_once, t) > 50);
    smr_table_free(t);
    check_ctx_end(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(degree_3_in_4_variables_agrees_with_scikit_learn),
        cmocka_unit_test(interactions_agree_with_scikit_learn),
        cmocka_unit_test(counts_follow_the_formula),
        cmocka_unit_test(too_many_terms_are_refused),
        cmocka_unit_test(high_powers_are_what_their_names_say),
        cmocka_unit_test(missing_values_spread_to_their_products_only),
        cmocka_unit_test(polynomials_fit_what_they_contain),
        cmocka_unit_test(failing_allocations_leave_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
