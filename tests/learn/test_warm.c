/* test_warm.c -- a fit that begins where another ended: it needs fewer steps to the same answer,
 * takes what matches by name, and says whether it did. */
#include "learn/matrix_data.h"
#include "pipeline.h"

#include "learn/registry.h"
#include "learn/views.h"

enum { N = 151, D = 5 };

struct problem {
    struct matrix_data m;
    double *x, y[N];
    int32_t label[N];
};

static void make(struct problem *p, int64_t n_classes)
{
    double *noise = random_matrix(N, 12);
    p->x = random_matrix(N * D, 11);
    for (int64_t i = 0; i < N; i++) {
        double s = noise[i];
        for (int64_t j = 0; j < D; j++) s += (double)(j - 1) * p->x[i * D + j];
        p->y[i] = s;
        p->label[i] = (int32_t)(n_classes == 2 ? s > 0 : s > 2 ? 2 : s > -1);
    }
    free(noise);
    matrix_data(&p->m, N, D, 1, p->x, p->y, NULL);
    if (n_classes == 0) return;
    p->m.data.task = SMR_TASK_CLASSIFY;
    p->m.data.label = p->label;
    p->m.data.n_classes = n_classes;
    p->m.data.y = NULL;
    p->m.data.n_outputs = 0;
}

static smr_shape shape_of(const smr_data *data)
{
    return (smr_shape){.n_features = data->n_features,
                       .task = data->task,
                       .n_outputs = data->n_outputs,
                       .n_classes = data->n_classes,
                       .features = data->features};
}

static struct fitted fit_from(const struct fitted *old, const smr_shape *shape, const char *name,
                              const char *words, const smr_data *data)
{
    struct fitted f = {.ctx = check_ctx(1), .learner = smr_registry_find(name)};
    smr_stage stage = {.learner = old->learner, .params = old->params, .state = old->state};
    smr_warm_start warm = {.stage = &stage, .shape = shape};
    f.report.warm = &warm;
    f.params = make_params(f.ctx, f.learner, words);
    check_ok(f.ctx, smr_state_create(f.ctx, f.learner, &f.state));
    check_ok(f.ctx, smr_learner_fit(f.ctx, f.learner, f.params, data, f.state, &f.report));
    f.report.warm = NULL;
    return f;
}

static smr_linear_view view_of(const struct fitted *f)
{
    smr_stage stage = {.learner = f->learner, .params = f->params, .state = f->state};
    return smr_stage_linear(&stage);
}

static void a_fit_goes_on_from_its_answer(void **unused)
{
    static const struct {
        const char *name, *words;
        int64_t n_classes;
    } cases[] = {
        {"logistic", "solver=newton", 2},
        {"logistic", "solver=newton l2=0.01", 3},
        {"logistic", "solver=lbfgs", 3},
        {"logistic", "solver=trust", 2},
        {"logistic", "solver=gd", 2},
        {"logistic", "l1=2 solver=coordinate", 2},
        {"logistic", "l1=2 solver=owlqn", 3},
        {"linear", "solver=gd", 0},
        {"linear", "solver=gd rule=backtracking fit_intercept=no", 0},
        {"svm", "loss=squared_hinge solver=primal", 2},
        {"svm", "loss=squared_hinge solver=primal", 3},
    };
    (void)unused;
    for (int64_t k = 0; k < SMR_COUNT(cases); k++) {
        struct problem p;
        make(&p, cases[k].n_classes);
        smr_shape shape = shape_of(&p.m.data);
        const smr_learner *l = smr_registry_find(cases[k].name);
        assert_true(l->traits & SMR_WARM_STARTS);
        struct fitted cold = fit_matrix(l, cases[k].words, &p.m.data, 1);
        struct fitted warm = fit_from(&cold, &shape, cases[k].name, cases[k].words, &p.m.data);
        assert_false(cold.report.is_warm);
        assert_true(warm.report.is_warm && warm.report.converged);
        if (warm.report.n_iter > SMR_MAX(1, cold.report.n_iter / 3))
            fail_msg("%s %s: %lld steps from its own answer, %lld from 0", cases[k].name,
                     cases[k].words, (long long)warm.report.n_iter, (long long)cold.report.n_iter);
        check_near("objective", warm.report.objective, cold.report.objective,
                   1e-9 * fabs(cold.report.objective));
        end_fitted(&warm);
        end_fitted(&cold);
        free(p.x);
    }
}

/* Passes of stochastic gradients begin where others ended: the first is as good as the last was. */
static void stochastic_passes_begin_at_the_old_weights(void **unused)
{
    static const struct {
        const char *name, *words;
        int64_t n_classes;
    } cases[] = {{"sgd", "average=yes", 3},
                 {"sgd", "loss=huber", 0},
                 {"logistic", "solver=sgd", 2},
                 {"linear", "solver=sgd", 0}};
    (void)unused;
    for (int64_t k = 0; k < SMR_COUNT(cases); k++) {
        struct problem p;
        make(&p, cases[k].n_classes);
        smr_shape shape = shape_of(&p.m.data);
        struct fitted cold =
            fit_matrix(smr_registry_find(cases[k].name), cases[k].words, &p.m.data, 1);
        struct fitted warm = fit_from(&cold, &shape, cases[k].name, cases[k].words, &p.m.data);
        assert_true(warm.report.is_warm);
        assert_true(warm.report.curve[0] < cold.report.curve[0]);
        end_fitted(&warm);
        end_fitted(&cold);
        free(p.x);
    }
}

/* Solvers that begin at no coefficients do as they always do, and do not say otherwise. */
static void what_cannot_begin_there_begins_as_ever(void **unused)
{
    static const struct {
        const char *name, *words;
        int64_t n_classes;
    } cases[] = {{"logistic", "solver=dual", 2},
                 {"svm", "solver=dual", 2},
                 {"linear", "", 0},
                 {"ridge", "l2=2", 0}};
    (void)unused;
    for (int64_t k = 0; k < SMR_COUNT(cases); k++) {
        struct problem p;
        make(&p, cases[k].n_classes);
        smr_shape shape = shape_of(&p.m.data);
        struct fitted cold =
            fit_matrix(smr_registry_find(cases[k].name), cases[k].words, &p.m.data, 1);
        struct fitted warm = fit_from(&cold, &shape, cases[k].name, cases[k].words, &p.m.data);
        assert_false(warm.report.is_warm);
        assert_memory_equal(view_of(&warm).w, view_of(&cold).w, D * sizeof(double));
        end_fitted(&warm);
        end_fitted(&cold);
        free(p.x);
    }
}

/* A model of other features, in another order: those that both have are taken by name. */
static void features_are_matched_by_name(void **unused)
{
    struct problem p;
    (void)unused;
    make(&p, 0);
    smr_shape shape = shape_of(&p.m.data);
    struct fitted cold = fit_matrix(smr_registry_find("linear"), "solver=gd", &p.m.data, 1);
    smr_feature other[D];
    for (int64_t j = 0; j < D; j++) other[j] = p.m.features[(j + 2) % D];
    smr_data data = p.m.data;
    data.features = other;
    struct fitted turned =
        fit_from(&cold, &shape, "linear", "solver=gd max_iter=1 rule=fixed", &data);
    assert_true(turned.report.is_warm);
    for (int64_t j = 0; j < D; j++)
        check_near("weight", view_of(&turned).w[j], view_of(&cold).w[(j + 2) % D], 1e-6);
    end_fitted(&turned);
    for (int64_t j = 0; j < D; j++) other[j].name = "new";
    struct fitted strange = fit_from(&cold, &shape, "linear", "solver=gd", &data);
    assert_false(strange.report.is_warm);
    end_fitted(&strange);
    /* without names by position, where there are as many */
    shape.features = NULL;
    struct fitted by_place = fit_from(&cold, &shape, "linear", "solver=gd", &p.m.data);
    assert_true(by_place.report.is_warm);
    end_fitted(&by_place);
    data = p.m.data;
    data.n_features = D - 1;
    struct fitted fewer = fit_from(&cold, &shape, "linear", "solver=gd", &data);
    assert_false(fewer.report.is_warm);
    end_fitted(&fewer);
    end_fitted(&cold);
    free(p.x);
}

/* Classes that came later have no coefficients yet; two classes have one score and are not a start
 * for three. */
static void classes_are_matched_by_number(void **unused)
{
    struct problem p, q;
    (void)unused;
    make(&p, 3);
    make(&q, 3);
    smr_shape shape = shape_of(&p.m.data);
    struct fitted three = fit_matrix(smr_registry_find("logistic"), "solver=newton", &p.m.data, 1);
    for (int64_t i = 0; i < N; i += 4) q.label[i] = 3;
    q.m.data.n_classes = 4;
    struct fitted four = fit_from(&three, &shape, "logistic", "solver=newton", &q.m.data);
    struct fitted cold = fit_matrix(smr_registry_find("logistic"), "solver=newton", &q.m.data, 1);
    assert_true(four.report.is_warm && four.report.converged);
    check_near("objective", four.report.objective, cold.report.objective,
               1e-8 * cold.report.objective);
    end_fitted(&cold);
    end_fitted(&four);
    for (int64_t i = 0; i < N; i++) q.label[i] = q.label[i] > 0;
    q.m.data.n_classes = 2;
    struct fitted two = fit_from(&three, &shape, "logistic", "solver=newton", &q.m.data);
    assert_false(two.report.is_warm);
    end_fitted(&two);
    struct fitted another = fit_from(&three, &shape, "sgd", "passes=3", &p.m.data);
    assert_false(another.report.is_warm); /* not the same learner */
    end_fitted(&another);
    end_fitted(&three);
    free(p.x);
    free(q.x);
}

/* A class that had no rows has a score that says so: it is not a place to begin. */
static void a_class_that_had_no_rows_begins_at_0(void **unused)
{
    struct problem p, q;
    (void)unused;
    make(&p, 3);
    make(&q, 3);
    smr_shape shape = shape_of(&p.m.data);
    for (int64_t i = 0; i < N; i++) p.label[i] = p.label[i] == 2 ? 0 : p.label[i];
    struct fitted less = fit_matrix(smr_registry_find("logistic"), "solver=lbfgs", &p.m.data, 1);
    struct fitted all = fit_from(&less, &shape, "logistic", "solver=lbfgs", &q.m.data);
    struct fitted cold = fit_matrix(smr_registry_find("logistic"), "solver=lbfgs", &q.m.data, 1);
    assert_true(all.report.is_warm && all.report.converged);
    check_near("objective", all.report.objective, cold.report.objective,
               1e-8 * cold.report.objective);
    end_fitted(&cold);
    end_fitted(&all);
    end_fitted(&less);
    free(p.x);
    free(q.x);
}

struct again {
    const struct fitted *old;
    const smr_data *data;
    const smr_shape *shape;
};

static smr_status try_again(smr_ctx *ctx, void *arg)
{
    const struct again *a = arg;
    const smr_learner *l = a->old->learner;
    void *state = NULL;
    smr_stage stage = {.learner = l, .params = a->old->params, .state = a->old->state};
    smr_warm_start warm = {.stage = &stage, .shape = a->shape};
    smr_fit_report report = {.warm = &warm};
    smr_status st = smr_state_create(ctx, l, &state);
    if (st == SMR_OK) st = smr_learner_fit(ctx, l, a->old->params, a->data, state, &report);
    smr_fit_report_release(&report);
    smr_state_free(l, state);
    return st;
}

static void failing_allocations_are_survived(void **unused)
{
    struct problem p;
    smr_ctx *ctx = check_ctx(1);
    (void)unused;
    make(&p, 3);
    smr_shape shape = shape_of(&p.m.data);
    struct fitted cold = fit_matrix(smr_registry_find("logistic"), "", &p.m.data, 1);
    struct again a = {&cold, &p.m.data, &shape};
    assert_true(fail_each_allocation(ctx, try_again, &a) > 0);
    end_fitted(&cold);
    free(p.x);
    check_ctx_end(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_fit_goes_on_from_its_answer),
        cmocka_unit_test(stochastic_passes_begin_at_the_old_weights),
        cmocka_unit_test(what_cannot_begin_there_begins_as_ever),
        cmocka_unit_test(features_are_matched_by_name),
        cmocka_unit_test(classes_are_matched_by_number),
        cmocka_unit_test(a_class_that_had_no_rows_begins_at_0),
        cmocka_unit_test(failing_allocations_are_survived),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
