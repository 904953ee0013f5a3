/* test_converged.c -- what says that it converged has: its objective is near that of a long, strict
 * run of the same learner, for each of its solvers and losses.
 *
 * Every learner of the registry with a parameter `tol` is fitted as it comes, and again with a
 * thousandth of tol and as many iterations as it likes.  NEAR is how far above the strict one an
 * objective that is called converged may be, relatively: the table of docs/optimisers.md. */
#include "fixtures.h"

#include "core/params.h"

#include <math.h>
#include <string.h>

#define NEAR 2e-3

/* Ends elsewhere by design: EM climbs to one of many optima, as a net descends to one, and a
 * perceptron's objective is how many mistakes its last pass made. */
static bool has_no_optimum(const smr_learner *l)
{
    return strcmp(l->word->name, "experts") == 0 || strcmp(l->word->name, "perceptron") == 0 ||
           strcmp(l->word->name, "net") == 0;
}

static const char *choice(const smr_param *p, int i)
{
    return p && p->choices ? p->choices[i].name : NULL;
}

static void make_sentence(const smr_learner *l, const char *solver, const char *loss, bool strict,
                          char *out)
{
    const smr_param *tol = smr_param_find(l->word, "tol");
    int n = snprintf(out, 240, "standardize | %s", l->word->name);
    if (solver) n += snprintf(out + n, (size_t)(240 - n), " solver=%s", solver);
    if (loss) n += snprintf(out + n, (size_t)(240 - n), " loss=%s", loss);
    if (!strict) return;
    n += snprintf(out + n, (size_t)(240 - n), " tol=%g", tol->def / 1000);
    if (smr_param_find(l->word, "passes") && (!solver || strcmp(solver, "sgd") == 0))
        n += snprintf(out + n, (size_t)(240 - n), " passes=20000");
    if (smr_param_find(l->word, "max_iter"))
        snprintf(out + n, (size_t)(240 - n), " max_iter=20000");
}

/* Fits both; returns whether the first said that it converged. */
static bool check_pair(smr_ctx *ctx, const smr_table *t, smr_task task, const char *plain,
                       const char *strict)
{
    smr_model *a = fixture_train(ctx, plain, t, task, NULL), *b = NULL;
    bool converged = a && a->fit.converged && a->fit.n_iter > 0;
    smr_ctx_clear(ctx);
    if (converged) b = fixture_train(ctx, strict, t, task, NULL);
    if (b) {
        double got = a->fit.objective, least = b->fit.objective;
        if (!(got <= least + NEAR * fabs(least) + 1e-9))
            fail_msg("%s: converged at %.9g; %s comes to %.9g", plain, got, strict, least);
    }
    smr_ctx_clear(ctx);
    smr_model_free(a);
    smr_model_free(b);
    return converged;
}

static void what_converged_is_near_the_optimum(void **state)
{
    int64_t n, count = 0;
    const smr_learner *const *all = smr_registry(&n);
    smr_ctx *ctx = check_ctx(1);
    (void)state;
    for (int64_t i = 0; i < n; i++) {
        const smr_param *solver = smr_param_find(all[i]->word, "solver");
        const smr_param *loss = smr_param_find(all[i]->word, "loss");
        if (!smr_param_find(all[i]->word, "tol") || has_no_optimum(all[i])) continue;
        for (int k = 0; k < 2; k++) {
            smr_task task = k ? SMR_TASK_REGRESS : SMR_TASK_CLASSIFY;
            if (!(all[i]->tasks & (k ? SMR_DOES_REGRESS : SMR_DOES_CLASSIFY))) continue;
            smr_table *t = fixture(ctx, fixture_for(task));
            for (int s = 0; s == 0 || choice(solver, s); s++)
                for (int l = 0; l == 0 || choice(loss, l); l++) {
                    char plain[256], strict[256];
                    make_sentence(all[i], choice(solver, s), choice(loss, l), false, plain);
                    make_sentence(all[i], choice(solver, s), choice(loss, l), true, strict);
                    count += check_pair(ctx, t, task, plain, strict);
                }
            smr_table_free(t);
        }
    }
    assert_true(count > 20);
    check_ctx_end(ctx);
}

/* Learners that minimise the same, one of them in closed form or by a certificate of its own. */
static void solvers_of_one_problem_agree(void **state)
{
    static const struct {
        const char *found, *least;
        bool classes;
    } same[] = {
        {"standardize | linear solver=sgd", "standardize | linear", false},
        {"standardize | linear solver=gd", "standardize | linear", false},
        {"linear solver=sgd", "linear", false},
        {"standardize | sgd l2=1", "standardize | ridge 1", false},
        {"standardize | sgd absolute l2=0", "standardize | lad", false},
        {"standardize | logistic solver=sgd", "standardize | logistic", true},
        {"logistic solver=sgd", "logistic", true},
        {"standardize | sgd l2=1", "standardize | logistic 1", true},
        {"standardize | sgd hinge_max l2=1", "standardize | svm multi=max l2=1", true},
        {"standardize | sgd hinge_sum l2=1", "standardize | svm multi=sum l2=1", true},
    };
    smr_ctx *ctx = check_ctx(1);
    (void)state;
    for (int i = 0; i < SMR_COUNT(same); i++) {
        smr_task task = same[i].classes ? SMR_TASK_CLASSIFY : SMR_TASK_REGRESS;
        smr_table *t = fixture(ctx, fixture_for(task));
        if (!check_pair(ctx, t, task, same[i].found, same[i].least))
            fail_msg("%s: not converged", same[i].found);
        smr_table_free(t);
    }
    check_ctx_end(ctx);
}

/* Stopped before the end, nothing says that it converged. */
static void what_was_cut_short_says_so(void **state)
{
    static const char *const cut[] = {"sgd schedule=constant passes=3",
                                      "sgd passes=1",
                                      "sgd hinge schedule=root passes=4",
                                      "sgd average=yes schedule=per_step tol=1e-9 passes=9",
                                      "logistic max_iter=1",
                                      "logistic solver=sgd passes=2",
                                      "logistic solver=gd max_iter=2",
                                      "svm max_iter=1 tol=1e-9"};
    smr_ctx *ctx = check_ctx(1);
    smr_table *t = fixture(ctx, WITH_CLASSES);
    (void)state;
    for (int i = 0; i < SMR_COUNT(cut); i++) {
        smr_model *m = fixture_train(ctx, cut[i], t, SMR_TASK_CLASSIFY, NULL);
        if (!m || m->fit.converged) fail_msg("%s: %s", cut[i], m ? "converged" : "failed");
        smr_model_free(m);
    }
    smr_table_free(t);
    check_ctx_end(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_converged_is_near_the_optimum),
        cmocka_unit_test(solvers_of_one_problem_agree),
        cmocka_unit_test(what_was_cut_short_says_so),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
