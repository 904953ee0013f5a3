/* test_views.c -- what learners tell of themselves to those who do not know their names: the linear
 * view, importances, where features come from, which needs and traits are met. */
#include "fixtures.h"
#include "pipeline.h"

#include "kernel/kernel.h"
#include "learn/adapter.h"
#include "learn/chain.h"
#include "learn/flow.h"
#include "learn/spec.h"
#include "learn/views.h"

enum { N = FIXTURE_ROWS, D = FIXTURE_COLS, MOST = 8 };

/* Scores of the fixture's rows by the view, against what the model answers. */
static void check_scores(smr_ctx *ctx, const struct subject *s, const smr_model *m,
                         const smr_table *t)
{
    const smr_stage *last = &m->stages[m->n_stages - 1];
    smr_linear_view view = smr_stage_linear(last);
    double said[N * MOST], x[N * D];
    bool classify = s->task == SMR_TASK_CLASSIFY, logs = s->learner->traits & SMR_REFUSES_NEGATIVE;
    assert_non_null(view.w);
    assert_int_equal(view.n_features, last->n_in);
    assert_int_equal(view.n_features, D);
    check_ok(ctx, smr_model_apply(ctx, m, t, NULL, N,
                                  classify ? SMR_OUTPUT_DECISION : SMR_OUTPUT_VALUE, said));
    for (int64_t j = 0; j < D; j++)
        for (int64_t i = 0; i < N; i++) x[i * D + j] = ((const double *)t->cols[j].values)[i];
    for (int64_t i = 0; i < N; i++)
        for (int64_t k = 0; k < view.n_scores; k++) {
            double f = view.b ? view.b[k] : 0, size = fabs(f);
            for (int64_t j = 0; j < D; j++) {
                f += view.w[k * D + j] * x[i * D + j];
                size += fabs(view.w[k * D + j] * x[i * D + j]);
            }
            double want = said[i * view.n_scores + k];
            check_near("score", logs ? smr_exp(f) : f, want, 1e-10 * (1 + size) * (1 + fabs(want)));
        }
}

static void the_linear_view_gives_the_scores(smr_ctx *ctx, const struct subject *s)
{
    const smr_can_explain *can = smr_explains(s->learner);
    if ((!can->linear && !can->linear_at.is_there) || s->task == SMR_TASK_NONE) return;
    smr_table *t = fixture(ctx, fixture_for(s->task));
    smr_model *m = must_train(ctx, s, t, NULL);
    /* A learner that is linear for classes may be made of rows for numbers, and one whose borders
     * are planes with some parameters may have others as it is. */
    bool must = s->task == SMR_TASK_CLASSIFY && can->linear_at.is_there;
    if (must || smr_stage_linear(smr_model_last(m)).w) check_scores(ctx, s, m, t);
    smr_model_free(m);
    smr_table_free(t);
}

static void coefficients_that_are_given_predict(smr_ctx *ctx, const struct subject *s)
{
    const smr_can_explain *can = smr_explains(s->learner);
    if (!can->linear_at.is_there || s->task == SMR_TASK_NONE) return;
    smr_table *t = fixture(ctx, fixture_for(s->task));
    smr_model *m = must_train(ctx, s, t, NULL);
    smr_stage *last = &m->stages[m->n_stages - 1];
    smr_linear_view view = smr_stage_linear(last);
    double w[MOST * D], b[MOST];
    for (int64_t i = 0; i < view.n_scores * D; i++) w[i] = 0.01 * (double)(i % 7) - 0.02;
    for (int64_t k = 0; k < view.n_scores; k++) b[k] = 0.5 + (double)k;
    if (s->task == SMR_TASK_CLASSIFY || view.w) {
        smr_stage_set_linear(last, w, b);
        view = smr_stage_linear(last);
        for (int64_t i = 0; i < view.n_scores * D; i++) assert_true(view.w[i] == w[i]);
        check_scores(ctx, s, m, t);
    }
    smr_model_free(m);
    smr_table_free(t);
}

static void importances_are_gains(smr_ctx *ctx, const struct subject *s)
{
    if (!smr_explains(s->learner)->importances || s->task == SMR_TASK_NONE) return;
    smr_table *t = fixture(ctx, fixture_for(s->task));
    smr_model *m = must_train(ctx, s, t, NULL);
    const double *gain = smr_stage_importances(&m->stages[m->n_stages - 1]);
    double sum = 0;
    assert_non_null(gain);
    for (int64_t j = 0; j < m->stages[m->n_stages - 1].n_in; j++) {
        assert_true(gain[j] >= 0 && isfinite(gain[j]));
        sum += gain[j];
    }
    assert_true(sum > 0);
    smr_model_free(m);
    smr_table_free(t);
}

/* Another value in feature j changes outputs of feature j alone, or of several features. */
static void check_origins(smr_ctx *ctx, const smr_stage *stage, const int64_t *from)
{
    int64_t d = stage->n_in, n = stage->n_out;
    double x[2][16] = {{0}}, *out[2];
    assert_true(d <= 16);
    for (int k = 0; k < 2; k++) out[k] = calloc((size_t)n + 1, sizeof(double));
    for (int64_t j = 0; j < d; j++) {
        for (int64_t i = 0; i < d; i++) x[0][i] = x[1][i] = 1;
        x[1][j] = 0;
        for (int k = 0; k < 2; k++) {
            smr_rows row = {.n = 1, .d = d, .form = SMR_FORM_F64, .x = x[k], .stride = d};
            check_ok(ctx, smr_stage_transform(ctx, stage, &row, SMR_FORM_F64, out[k], NULL));
        }
        for (int64_t o = 0; o < n; o++)
            if (from[o] >= 0 && from[o] != j) assert_true(out[0][o] == out[1][o]);
    }
    for (int k = 0; k < 2; k++) free(out[k]);
}

static void features_come_from_where_it_is_said(smr_ctx *ctx, const struct subject *s)
{
    if (!smr_transforms(s->learner)) return;
    unsigned with = fixture_for(s->task);
    if (s->learner->takes & SMR_TAKES_CODES) with |= WITH_CATEGORY;
    smr_table *t = fixture(ctx, with);
    smr_model *m = must_train(ctx, s, t, NULL);
    const smr_stage *last = &m->stages[m->n_stages - 1];
    int64_t *from = NULL, n = 0;
    check_ok(ctx, smr_stages_origins(ctx, last, 1, last->n_in, &from, &n));
    assert_int_equal(n, last->n_out);
    for (int64_t j = 0; j < n; j++) assert_true(from[j] >= -1 && from[j] < last->n_in);
    if (!reads_a_text(s->learner) && !last->learner->fitted->scratch)
        check_origins(ctx, last, from);
    smr_free(from);
    smr_model_free(m);
    smr_table_free(t);
}

/* ---- back ------------------------------------------------------------------------------- */

static void compare_rows(const char *name, const char *what, const double *a, const double *b,
                         int64_t n)
{
    for (int64_t i = 0; i < n; i++)
        if (!(isnan(a[i]) && isnan(b[i])) && !(fabs(a[i] - b[i]) <= 1e-12 * (1 + fabs(b[i]))))
            fail_msg("%s, %s: value %lld is %.17g and %.17g", name, what, (long long)i, a[i], b[i]);
}

/* What came into a transform comes back, unless it approximates; and whatever comes back, with gaps
 * filled or not, is transformed again to the same features. */
static void check_back(smr_ctx *ctx, const struct subject *s, unsigned with)
{
    smr_table *t = fixture(ctx, with);
    smr_model *m = must_train(ctx, s, t, NULL);
    smr_stage *last = &m->stages[m->n_stages - 1];
    const smr_can_transform *can = s->learner->fitted->transform;
    int64_t d = last->n_in, n = last->n_out;
    assert_int_equal(m->n_stages, 1);
    double *x = smr_alloc(ctx, N * d, sizeof *x), *back = smr_alloc(ctx, N * d, sizeof *back);
    double *z = smr_alloc(ctx, N * n, sizeof *z), *again = smr_alloc(ctx, N * n, sizeof *again);
    smr_flow flow;
    for (int64_t j = 0; j < d; j++)
        for (int64_t i = 0; i < N; i++) {
            const smr_column *c = &t->cols[j];
            int32_t code = c->kind == SMR_CATEGORY ? smr_column_code(c, i) : 0;
            x[i * d + j] = c->kind != SMR_CATEGORY ? smr_column_number(c, i)
                           : code < 0              ? NAN
                                                   : (double)code;
        }
    smr_flow_plan_back(last, 1, N, &flow);
    check_ok(ctx, smr_flow_open(ctx, &flow));
    smr_rows in = {.n = N, .d = d, .form = SMR_FORM_F64, .x = x, .stride = d};
    check_ok(ctx, smr_stage_transform(ctx, last, &in, SMR_FORM_F64, z, flow.room + flow.scratch));
    smr_rows rows = {.n = N, .d = n, .form = SMR_FORM_F64, .x = z, .stride = n};
    check_ok(ctx, smr_flow_back(ctx, &flow, &rows));
    assert_true(rows.n == N && rows.d == d && rows.stride == d);
    memcpy(back, rows.x, (size_t)(N * d) * sizeof *back);
    if (!can->approximates && !(with & WITH_GAPS))
        compare_rows(s->name, "there and back", back, x, N * d);
    in.x = back;
    check_ok(ctx,
             smr_stage_transform(ctx, last, &in, SMR_FORM_F64, again, flow.room + flow.scratch));
    if (!can->approximates) compare_rows(s->name, "there, back and there", again, z, N * n);
    smr_flow_close(&flow);
    smr_free(x);
    smr_free(back);
    smr_free(z);
    smr_free(again);
    smr_model_free(m);
    smr_table_free(t);
}

static void transforms_are_undone_or_say_why_not(smr_ctx *ctx, const struct subject *s)
{
    const smr_can_transform *can = s->learner->fitted->transform;
    if (!can) return;
    assert_true(!can->inverse != !can->no_inverse);
    assert_false(can->approximates && !can->inverse);
    if (!can->inverse) return;
    unsigned takes = s->learner->takes, with = fixture_for(s->task);
    unsigned category = takes & SMR_TAKES_CODES ? WITH_CATEGORY : 0;
    check_back(ctx, s, with);
    check_back(ctx, s, with | category);
    if (takes & SMR_TAKES_MISSING) check_back(ctx, s, with | category | WITH_GAPS);
}

/* With any parameters a learner is a part of what it may be; tests of all learners go by that. */
static void the_defaults_are_a_part_of_what_a_learner_may_be(smr_ctx *ctx, const struct subject *s)
{
    smr_nature is;
    const smr_learner *l = s->learner;
    check_ok(ctx, smr_nature_by_default(ctx, l, &is));
    assert_true((is.tasks & ~l->tasks) == 0 && is.tasks);
    assert_true((is.takes & ~l->takes) == 0 && is.takes & SMR_TAKES_FORMS);
    assert_true((is.traits & ~l->traits) == 0);
}

/* ---- of the registry -------------------------------------------------------------------- */

static void each_need_is_met_by_one_transform(void **unused)
{
    int64_t n;
    const smr_learner *const *all = smr_registry(&n);
    (void)unused;
    for (int need = SMR_NEED_NONE + 1; need < SMR_NEEDS; need++) {
        int count = 0;
        for (int64_t i = 0; i < n; i++)
            count += smr_transforms(all[i]) && (int)all[i]->fitted->transform->adapts == need;
        assert_int_equal(count, 1);
    }
}

static int count_trait(unsigned does, unsigned trait)
{
    int64_t n;
    const smr_learner *const *all = smr_registry(&n);
    int count = 0;
    for (int64_t i = 0; i < n; i++) count += (all[i]->tasks & does) && (all[i]->traits & trait);
    return count;
}

static void one_learner_of_a_task_is_plain(void **unused)
{
    static const smr_task tasks[] = {SMR_TASK_CLASSIFY, SMR_TASK_REGRESS};
    (void)unused;
    assert_int_equal(count_trait(SMR_DOES_CLASSIFY, SMR_PLAIN), 1);
    assert_int_equal(count_trait(SMR_DOES_REGRESS, SMR_PLAIN), 1);
    assert_int_equal(count_trait(SMR_DOES_REGRESS, SMR_LEAST_SQUARES), 1);
    for (int k = 0; k < 2; k++) {
        const smr_learner *l = smr_registry_trait(tasks[k], SMR_PLAIN);
        const smr_param *penalty = smr_param_primary(l->word);
        assert_non_null(penalty);
        assert_true(penalty->type == SMR_PARAM_REAL || penalty->type == SMR_PARAM_REALS);
        assert_true(penalty->def == 1 && penalty->simpler == SMR_SIMPLER_HIGH);
        assert_true(smr_explains(l)->linear_at.is_there);
    }
}

static void an_adapter_is_written_for_what_comes_next(void **unused)
{
    smr_ctx *ctx = check_ctx(1);
    smr_text plain = {.ctx = ctx}, sparse = {.ctx = ctx};
    (void)unused;
    check_ok(ctx, smr_adapter_write(ctx, SMR_NEED_SCALED, &(smr_tailor){0}, &plain));
    check_ok(ctx, smr_adapter_write(ctx, SMR_NEED_SCALED, &(smr_tailor){.sparse = true}, &sparse));
    assert_string_equal(plain.bytes, "standardize center=yes scale=yes");
    assert_string_equal(sparse.bytes, "standardize center=no scale=yes");
    smr_text_release(&plain);
    smr_text_release(&sparse);
    check_ctx_end(ctx);
}

static smr_status write_adapter(smr_ctx *ctx, void *arg)
{
    smr_text text = {.ctx = ctx};
    (void)arg;
    smr_tailor next = {.share = 0.5, .draw = 3};
    smr_status st = smr_adapter_write(ctx, SMR_NEED_DRAWN, &next, &text);
    smr_text_release(&text);
    return st;
}

static smr_status find_origins(smr_ctx *ctx, void *arg)
{
    const smr_model *m = arg;
    int64_t *from = NULL, n = 0;
    smr_status st = smr_stages_origins(ctx, m->stages, m->n_stages - 1, m->n_features, &from, &n);
    if (st == SMR_OK) {
        for (int64_t j = 0; j < D; j++) assert_int_equal(from[j], j);
        for (int64_t j = D; j < n; j++) assert_true(from[j] == -1);
    }
    smr_free(from);
    return st;
}

static void failing_allocations_are_survived(void **unused)
{
    smr_ctx *ctx = check_ctx(1);
    (void)unused;
    assert_true(fail_each_allocation(ctx, write_adapter, NULL) > 0);
    smr_table *t = fixture(ctx, 0);
    smr_model *m = fixture_train(ctx, "standardize | poly 2 interactions=yes | standardize | ridge",
                                 t, SMR_TASK_REGRESS, NULL);
    assert_non_null(m);
    assert_true(fail_each_allocation(ctx, find_origins, m) > 0);
    smr_model_free(m);
    smr_table_free(t);
    check_ctx_end(ctx);
}

/* ---- running ---------------------------------------------------------------------------- */

static const struct check checks[] = {
    CHECK(the_linear_view_gives_the_scores),
    CHECK(coefficients_that_are_given_predict),
    CHECK(importances_are_gains),
    CHECK(features_come_from_where_it_is_said),
    CHECK(transforms_are_undone_or_say_why_not),
    CHECK(the_defaults_are_a_part_of_what_a_learner_may_be),
};

int main(void)
{
    static const struct CMUnitTest of_the_registry[] = {
        cmocka_unit_test(each_need_is_met_by_one_transform),
        cmocka_unit_test(one_learner_of_a_task_is_plain),
        cmocka_unit_test(an_adapter_is_written_for_what_comes_next),
        cmocka_unit_test(failing_allocations_are_survived),
    };
    return run_suite(&(struct suite){.name = "views",
                                     .checks = checks,
                                     .n_checks = SMR_COUNT(checks),
                                     .threads = 1,
                                     .others = of_the_registry,
                                     .n_others = SMR_COUNT(of_the_registry)});
}
