/* Kernels as text: what is read, the canonical form, mistakes with their place, addresses. */
#include "check.h"

#include "core/params.h"
#include "learn/kernels/kernel_expr.h"

static void written(smr_ctx *ctx, const char *text, char *out, size_t room)
{
    smr_kernel k = {0};
    smr_text canonical = {.ctx = ctx};
    check_ok(ctx, smr_kernel_read(ctx, text, &k));
    smr_kernel_write(&k, &canonical);
    snprintf(out, room, "%s", canonical.bytes);
    smr_text_release(&canonical);
    smr_kernel_free(&k);
}

static void expressions_have_a_canonical_form(void **state)
{
    static const char *const cases[][2] = {
        {"linear", "linear"},
        {"rbf", "rbf(gamma=scale)"},
        {" rbf ( gamma = .5 ) ", "rbf(gamma=0.5)"},
        {"2*rbf(gamma=0.1) + poly(degree=2)*linear",
         "2*rbf(gamma=0.1) + poly(degree=2 gamma=scale coef0=1)*linear"},
        {"poly(2, gamma=auto, coef0=0)", "poly(degree=2 gamma=auto coef0=0)"},
        {"(linear+1)^3", "(linear + 1)^3"},
        {"((linear))", "linear"},
        {"linear + (rbf(gamma=1) + cosine)", "linear + (rbf(gamma=1) + cosine)"},
        {"(linear*2)*cosine", "linear*2*cosine"},
        {"linear*(2*cosine)", "linear*(2*cosine)"},
        {"(linear^2)^3", "(linear^2)^3"},
        {"exp(2*linear)", "exp(2*linear)"},
        {"normalize( soften(linear) + damp(cosine) )", "normalize(soften(linear) + damp(cosine))"},
        {"linear - rbf(gamma=1)", "linear + -1*rbf(gamma=1)"},
        {"linear - 2*cosine", "linear + -2*cosine"},
        {"-linear", "-1*linear"},
        {"- -2*linear", "2*linear"},
        {"linear*-3", "linear*-3"},
        {"1e-3*linear", "0.001*linear"},
        {"'linear + 1'", "linear + 1"},
        {"\"spectrum(k=3 column='a ''b''')\"",
         "spectrum(k=3 mismatch=0 normal=yes column=\"a 'b'\")"},
        {"subsequence(5)", "subsequence(length=5 decay=0.5 normal=yes)"},
        {"wspectrum(4 normal=no column=seq)", "wspectrum(length=4 normal=no column=seq)"},
        {"precomputed^2 + 1", "precomputed^2 + 1"},
    };
    smr_ctx *ctx = check_ctx(1);
    char once[300], twice[300];
    (void)state;
    for (int i = 0; i < SMR_COUNT(cases); i++) {
        written(ctx, cases[i][0], once, sizeof once);
        assert_string_equal(once, cases[i][1]);
        written(ctx, once, twice, sizeof twice);
        assert_string_equal(once, twice);
    }
    check_ctx_end(ctx);
}

static void mistakes_are_shown_with_their_place(void **state)
{
    static const char *const cases[][2] = {
        {"", "in kernel \"\" at character 1: the kernel is missing"},
        {"2*rbg",
         "in kernel \"2*rbg\" at character 3: there is no kernel 'rbg'; did you mean 'rbf'?"},
        {"gaussian", "at character 1: there is no kernel 'gaussian'; did you mean 'rbf'?"},
        {"quux", "there is no kernel 'quux'; 'samara help kernel' shows those there are"},
        {"rbf(gamma=0)",
         "at character 11: rbf: gamma = 0 is outside (0, inf), scale, auto or median"},
        {"rbf(gamma=-2)", "rbf: gamma = -2 is outside (0, inf)"},
        {"rbf(gamma=meadian)", "did you mean 'median'?"},
        {"rbf(sigma=1)", "at character 5: rbf has no parameter 'sigma'"},
        {"rbf(gama=1)", "rbf has no parameter 'gama'; did you mean 'gamma'?"},
        {"rbf(gamma=1 gamma=2)", "at character 19: this is given twice"},
        {"rbf(0.1)", "at character 5: a setting is written name=value"},
        {"rbf(gamma=)", "at character 11: a value is missing"},
        {"rbf(gamma=1", "at character 4: this parenthesis is never closed"},
        {"(linear + 1", "at character 1: this parenthesis is never closed"},
        {"linear + ", "at character 10: a kernel is expected here, as rbf or linear"},
        {"linear rbf", "at character 8: an operator (+ - * ^) is expected here"},
        {"linear)", "at character 7: an operator (+ - * ^) is expected here"},
        {"(linear rbf)", "at character 9: an operator (+ - * ^) or ')' is expected here"},
        {"linear^0", "at character 8: a power is a whole number from 1 to 64"},
        {"linear^x", "a power is a whole number from 1 to 64"},
        {"exp linear", "at character 5: a kernel in parentheses is expected after exp"},
        {"3", "a number alone is not a kernel"},
        {"1e999*linear", "at character 1: this is not a finite number"},
        {"precomputed + linear", "precomputed cannot be combined with other kernels"},
        {"normalize(precomputed)", "precomputed cannot be scaled"},
        {"spectrum(k=2 mismatch=2)", "at character 9: spectrum: mismatch=2 must be below k=2"},
        {"spectrum(column='x)", "at character 17: this quote is never closed"},
    };
    smr_ctx *ctx = check_ctx(1);
    (void)state;
    for (int i = 0; i < SMR_COUNT(cases); i++) {
        smr_kernel k = {0};
        check_fails(ctx, smr_kernel_read(ctx, cases[i][0], &k), SMR_ERR_PARAM, cases[i][1]);
        assert_int_equal(k.n, 0);
    }
    check_ctx_end(ctx);
}

static void deep_expressions_are_refused(void **state)
{
    smr_ctx *ctx = check_ctx(1);
    smr_kernel k = {0};
    char text[9000] = "";
    (void)state;
    for (int i = 0; i < 40; i++) strcat(text, "(");
    check_fails(ctx, smr_kernel_read(ctx, text, &k), SMR_ERR_PARAM, "nested too deeply");
    strcpy(text, "linear");
    for (int i = 0; i < 900; i++) strcat(text, "+linear");
    check_fails(ctx, smr_kernel_read(ctx, text, &k), SMR_ERR_PARAM, "too many kernels");
    check_ctx_end(ctx);
}

/* ---- in a learner ----------------------------------------------------------------------- */

struct machine {
    smr_kernel kernel;
    double C;
};

static const smr_param table[] = {
    {SMR_FIELD(struct machine, kernel), .grammar = &smr_kernel_grammar, .def_text = "rbf",
     .least = 1, .most = 1, .doc = "d"},
    {SMR_FIELD(struct machine, C), .def = 1, .min = 0, .max = INFINITY, .doc = "d"},
};

static const smr_word about = {.name = "machine",
                               .params = table,
                               .n_params = SMR_COUNT(table),
                               .params_size = sizeof(struct machine)};

static void a_parameter_holds_copies_and_writes_an_expression(void **state)
{
    smr_ctx *ctx = check_ctx(1);
    void *p = NULL, *q = NULL;
    smr_inner inner;
    smr_text text = {.ctx = ctx};
    (void)state;
    check_ok(ctx, smr_params_create(ctx, &about, &p));
    check_ok(ctx, smr_param_set(ctx, &about, p, &table[0], "linear*2 + rbf(gamma=3)"));
    check_ok(ctx, smr_params_copy(ctx, &about, p, &q));
    assert_true(smr_kernel_grammar.find(q, 1, &inner));
    assert_string_equal(inner.word->name, "rbf");
    assert_int_equal(inner.place, 2);
    check_ok(ctx, smr_param_set(ctx, inner.word, inner.params, &inner.word->params[0], "0.5"));
    assert_false(smr_kernel_grammar.find(q, 2, &inner));
    smr_word_write(&about, q, &text);
    assert_string_equal(text.bytes, "machine kernel=(linear*2 + rbf(gamma=0.5)) C=1");
    text.length = 0;
    smr_word_write(&about, p, &text);
    assert_string_equal(text.bytes, "machine kernel=(linear*2 + rbf(gamma=3)) C=1");
    smr_text_release(&text);
    smr_params_free(&about, p);
    smr_params_free(&about, q);
    check_ctx_end(ctx);
}

static void mercer_kernels_are_known_by_their_form(void **state)
{
    static const struct {
        const char *text;
        bool mercer, texts, numbers;
    } cases[] = {
        {"2*rbf + exp(linear)^2", true, false, true},
        {"poly(coef0=-1)", false, false, true},
        {"sigmoid", false, false, true},
        {"linear - rbf", false, false, true},
        {"normalize(spectrum)", true, true, false},
        {"spectrum*rbf", true, true, true},
        {"precomputed", false, false, true},
    };
    smr_ctx *ctx = check_ctx(1);
    (void)state;
    for (int i = 0; i < SMR_COUNT(cases); i++) {
        smr_kernel k = {0};
        check_ok(ctx, smr_kernel_read(ctx, cases[i].text, &k));
        assert_int_equal(smr_kernel_has_mercer_form(&k), cases[i].mercer);
        assert_int_equal(smr_kernel_reads_texts(&k), cases[i].texts);
        assert_int_equal(smr_kernel_reads_numbers(&k), cases[i].numbers);
        smr_nature its = {.takes = SMR_KERNEL_TAKES, .traits = SMR_SCALE_MATTERS};
        smr_kernel_nature(&k, &its);
        assert_int_equal(!!(its.takes & SMR_TAKES_TEXT), cases[i].texts);
        assert_int_equal(!!(its.takes & SMR_TAKES_SPARSE), !cases[i].texts);
        smr_kernel_free(&k);
    }
    check_ctx_end(ctx);
}

static void text_columns_are_those_that_are_named(void **state)
{
    static const char *const cases[][2] = {{"rbf", NULL},
                                           {"spectrum", ""},
                                           {"spectrum(column=a)*rbf", "a"},
                                           {"spectrum(column=a) + subsequence(column=b)", "a,b"},
                                           {"spectrum(column=a) + spectrum(4 column=a)", "a"}};
    smr_ctx *ctx = check_ctx(1);
    (void)state;
    for (int i = 0; i < SMR_COUNT(cases); i++) {
        smr_kernel k = {0};
        check_ok(ctx, smr_kernel_read(ctx, cases[i][0], &k));
        const char *got = smr_kernel_texts(&k);
        assert_true(!got == !cases[i][1]);
        if (got) assert_string_equal(got, cases[i][1]);
        smr_kernel_free(&k);
    }
    check_ctx_end(ctx);
}

static void failing_allocations_leave_nothing(void **state)
{
    smr_ctx *ctx = check_ctx(1);
    smr_status st = SMR_ERR_NOMEM;
    (void)state;
    for (int64_t at = 0; st != SMR_OK; at++) {
        smr_kernel k = {0}, copy = {0};
        smr_memory_fail_at(ctx, at);
        st = smr_kernel_read(ctx, "'rbf + spectrum(column=a)*exp(linear) + wspectrum(column=b)'",
                             &k);
        if (st == SMR_OK) st = smr_kernel_grammar.copy(ctx, &k, &copy);
        smr_memory_fail_at(ctx, -1);
        assert_true(st == SMR_OK || st == SMR_ERR_NOMEM);
        smr_ctx_clear(ctx);
        smr_kernel_free(&k);
        smr_kernel_free(&copy);
    }
    check_ctx_end(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(expressions_have_a_canonical_form),
        cmocka_unit_test(mistakes_are_shown_with_their_place),
        cmocka_unit_test(deep_expressions_are_refused),
        cmocka_unit_test(a_parameter_holds_copies_and_writes_an_expression),
        cmocka_unit_test(mercer_kernels_are_known_by_their_form),
        cmocka_unit_test(text_columns_are_those_that_are_named),
        cmocka_unit_test(failing_allocations_leave_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
