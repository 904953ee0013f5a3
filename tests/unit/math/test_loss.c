/* test_loss.c -- losses against figures of 20 digits, worked examples and their own properties. */
#include "check.h"

#include "kernel/kernel.h"
#include "math/loss.h"
#include "truth/losses.h"

#include <float.h>

static const smr_loss *loss(const char *name)
{
    const smr_loss *l = smr_loss_find(name);
    if (!l) fail_msg("no loss '%s'", name);
    return l;
}

static smr_loss_point at(const char *name, double y, double f)
{
    const smr_loss *l = loss(name);
    return smr_loss_at(l, l->param_default, y, f);
}

static void check_point(const char *what, smr_loss_point got, double v, double s, double c)
{
    check_near(what, got.value, v, 1e-15);
    check_near(what, got.slope, s, 1e-15);
    check_near(what, got.curvature, c, 1e-15);
}

static void table_is_in_order_and_complete(void **unused)
{
    (void)unused;
    for (int i = 0; i < SMR_LOSS_COUNT; i++) {
        const smr_loss *l = &smr_losses[i];
        assert_int_equal(l->id, i);
        assert_ptr_equal(smr_loss_find(l->name), l);
        assert_true(l->title && l->formula && strlen(l->formula) > 3);
        assert_int_equal(l->at != NULL, l->kind != SMR_LOSS_CLASSES);
        if (l->param)
            assert_true(l->param_default > l->param_min && l->param_default < l->param_max);
        if (!l->is_smooth) assert_non_null(l->kink);
        if (!l->is_smooth) assert_true(isinf(smr_loss_smoothness(l, l->param_default)));
    }
    assert_null(smr_loss_find("hinge_"));
}

/* |got - want| <= 4 eps |want|: relative, even where the loss is tiny; beyond the normal range to
 * the last subnormal digit. */
static void check_relative(const char *name, double y, double f, double got, double want)
{
    if (fabs(got - want) > 4 * DBL_EPSILON * fabs(want) + 1e-322)
        fail_msg("%s at y = %.17g, f = %.17g: got %.17g, wanted %.17g", name, y, f, got, want);
}

/* log y and f - log y are rounded, which moves t by eps (|f| + |log y|): the deviances move by
 * their slope in t times that. */
static void smooth_losses_match_figures_of_twenty_digits(void **unused)
{
    (void)unused;
    for (size_t i = 0; i < sizeof loss_reference / sizeof *loss_reference; i++) {
        const char *name = loss_reference[i].name;
        double y = loss_reference[i].y, f = loss_reference[i].f;
        double value = loss_reference[i].value, slope = loss_reference[i].slope;
        double curvature = loss_reference[i].curvature;
        smr_loss_point p = at(name, y, f);
        if (loss(name)->kind != SMR_LOSS_LOG_LINK) {
            check_relative(name, y, f, p.value, value);
            check_relative(name, y, f, p.slope, slope);
            check_relative(name, y, f, p.curvature, curvature);
            continue;
        }
        double moved = DBL_EPSILON * (fabs(f) + (y > 0 ? fabs(log(y)) : 0) + 2);
        double room = moved * fabs(slope) + moved * moved * curvature;
        if (fabs(p.value - value) > room + 4 * DBL_EPSILON * value)
            fail_msg("%s value at %g, %g: got %.17g, wanted %.17g", name, y, f, p.value, value);
        room = moved * curvature + 4 * DBL_EPSILON * fabs(slope);
        if (fabs(p.slope - slope) > room)
            fail_msg("%s slope at %g, %g: got %.17g, wanted %.17g", name, y, f, p.slope, slope);
        if (fabs(p.curvature - curvature) > 2 * moved * curvature + 1e-322)
            fail_msg("%s curvature at %g, %g: got %.17g, wanted %.17g", name, y, f, p.curvature,
                     curvature);
    }
}

static void worked_figures_hold(void **unused)
{
    (void)unused;
    const smr_loss *huber = loss("huber");
    /* Huber with delta 1: h(0.5), h(2), h(3) = 0.125, 1.5, 2.5. */
    check_near("huber", smr_loss_at(huber, 1, 0, 0.5).value, 0.125, 0);
    check_near("huber", smr_loss_at(huber, 1, 0, -2).value, 1.5, 0);
    check_near("huber", smr_loss_at(huber, 1, 1, 4).value, 2.5, 0);
    /* Squared error of the target 1 at 0, 10, 100. */
    check_near("squared", at("squared", 1, 0).value, 0.5, 0);
    check_near("squared", at("squared", 1, 10).value, 40.5, 0);
    check_near("squared", at("squared", 1, 100).value, 4900.5, 0);
    /* At w = 0: perceptron 0, hinge 1, logistic ln 2. */
    check_near("perceptron", at("perceptron", 1, 0).value, 0, 0);
    check_near("hinge", at("hinge", -1, 0).value, 1, 0);
    check_near("logistic", at("logistic", -1, 0).value, 0.69314718055994530942, 1e-16);
    check_near("zero_one", at("zero_one", 1, 0).value, 1, 0);
    check_near("epsilon", smr_loss_at(loss("epsilon"), 0.25, 2, 3.5).value, 1.25, 0);
    check_near("quantile", smr_loss_at(loss("quantile"), 0.9, 5, 3).value, 1.8, 1e-16);
    check_near("quantile", smr_loss_at(loss("quantile"), 0.9, 3, 5).value, 0.2, 1e-15);
}

/* The scores of a cat, a car and a frog (MISSION E7). */
static void multi_class_figures_hold(void **unused)
{
    (void)unused;
    const double f[9] = {3.2, 5.1, -1.7, 1.3, 4.9, 2.0, 2.2, 2.5, -3.1};
    const int32_t label[3] = {0, 1, 2};
    double v[3], g[9];
    smr_loss_classes(loss("hinge_sum"), 3, 3, label, f, v, g);
    check_near("cat", v[0], 2.9, 1e-15);
    check_near("car", v[1], 0, 0);
    check_near("frog", v[2], 12.9, 1e-15);
    const double slope_sum[9] = {-1, 1, 0, 0, 0, 0, 1, 1, -2};
    for (int i = 0; i < 9; i++) check_near("slope", g[i], slope_sum[i], 0);
    smr_loss_classes(loss("hinge_max"), 3, 3, label, f, v, g);
    check_near("frog", v[2], 6.6, 1e-15);
    const double slope_max[9] = {-1, 1, 0, 0, 0, 0, 0, 1, -1};
    for (int i = 0; i < 9; i++) check_near("slope", g[i], slope_max[i], 0);
    smr_loss_classes(loss("cross_entropy"), 3, 3, label, f, v, NULL);
    check_near("cat", v[0], 2.0404, 1e-4);
    check_near("car", v[1], 0.0791, 1e-3);
    check_near("frog", v[2], 6.1565, 1e-4);
    const double easy[9] = {10, -2, 3, 10, 9, 9, 10, -100, -100};
    const int32_t zero[3] = {0, 0, 0};
    smr_loss_classes(loss("cross_entropy"), 3, 3, zero, easy, v, g);
    check_near("easy", v[0] / 9.176e-4, 1, 1e-3);
    check_near("close", v[1], 0.5514, 1e-4);
    check_near("certain: 2 e^-110", v[2] / (2 * exp(-110)), 1, 1e-14);
    for (int i = 0; i < 3; i++)
        check_near("a gradient sums to 0", g[3 * i] + g[3 * i + 1] + g[3 * i + 2], 0, 1e-16);
    double p[3] = {2.2, 0, 0};
    smr_loss_softmax(3, p, p);
    check_near("softmax", p[0], 0.8186, 1e-4);
    check_near("softmax", p[1], 0.0907, 1e-3);
}

static void cross_entropy_of_two_classes_is_logistic(void **unused)
{
    (void)unused;
    for (int i = 0; i < 200; i++) {
        double f[2] = {0.37 * i - 31.7, 12.9 - 0.21 * i}, v, g[2], h[2];
        int32_t label = i % 2;
        smr_loss_point p = at("logistic", label == 0 ? 1 : -1, f[0] - f[1]);
        smr_loss_classes(loss("cross_entropy"), 1, 2, &label, f, &v, g);
        check_near("value", v, p.value, 4e-16);
        check_near("slope", g[0], p.slope, 4e-16);
        memcpy(h, f, sizeof h);
        smr_loss_classes(loss("cross_entropy"), 1, 2, &label, h, NULL, h); /* in place */
        assert_memory_equal(h, g, sizeof g);
    }
}

static void kinks_are_as_stated(void **unused)
{
    (void)unused;
    check_point("absolute", at("absolute", 2.5, 2.5), 0, 0, 0);
    check_point("quantile", at("quantile", 2.5, 2.5), 0, 0, 0);
    check_point("epsilon", smr_loss_at(loss("epsilon"), 0.5, 1, 1.5), 0, 0, 0);
    check_point("epsilon", smr_loss_at(loss("epsilon"), 0.5, 1, 0.5), 0, 0, 0);
    check_point("huber", smr_loss_at(loss("huber"), 0.5, 1, 1.5), 0.125, 0.5, 1);
    check_point("huber", smr_loss_at(loss("huber"), 0.5, 1, 0.5), 0.125, -0.5, 1);
    check_point("perceptron", at("perceptron", -1, 0), 0, 1, 0);
    check_point("hinge", at("hinge", -1, -1), 0, 0, 0);
    check_point("squared_hinge", at("squared_hinge", 1, 1), 0, 0, 0);
    check_point("zero_one", at("zero_one", 1, 5e-324), 0, 0, 0);
}

static double target_for(const smr_loss *l, int i)
{
    if (l->kind == SMR_LOSS_MARGIN) return i % 2 ? 1 : -1;
    if (l->kind == SMR_LOSS_LOG_LINK) return l->id == SMR_LOSS_POISSON ? i % 5 : 0.3 + i % 7;
    return 0.37 * (i % 11) - 1.9;
}

/* Convex losses lie above their tangents and under their chords, slopes never fall. */
static void convex_losses_are_convex(void **unused)
{
    (void)unused;
    for (int id = 0; id < SMR_LOSS_COUNT; id++) {
        const smr_loss *l = &smr_losses[id];
        if (!l->at || !l->is_convex) continue;
        for (int i = 0; i < 400; i++) {
            double y = target_for(l, i), a = -6.1 + 0.031 * i, b = a + 0.47 + 0.01 * (i % 37);
            smr_loss_point p = smr_loss_at(l, l->param_default, y, a);
            smr_loss_point q = smr_loss_at(l, l->param_default, y, b);
            smr_loss_point m = smr_loss_at(l, l->param_default, y, 0.5 * (a + b));
            double noise = 1e-14 * (1 + fabs(p.value) + fabs(q.value));
            assert_true(m.value <= 0.5 * (p.value + q.value) + noise);
            assert_true(q.value >= p.value + p.slope * (b - a) - noise);
            assert_true(q.slope >= p.slope - noise);
            assert_true(p.value >= 0 && p.curvature >= 0);
            assert_true(fabs(p.slope) <= smr_loss_lipschitz(l, l->param_default) * (1 + 1e-15));
            assert_true(p.curvature <= smr_loss_smoothness(l, l->param_default));
        }
    }
}

/* Away from kinks the slope is the limit of the value's difference quotient, and the curvature of
 * the slope's: four points, error of order step^4 and eps / step. */
static void derivatives_match_difference_quotients(void **unused)
{
    (void)unused;
    const double step = 1e-3;
    for (int id = 0; id < SMR_LOSS_COUNT; id++) {
        const smr_loss *l = &smr_losses[id];
        if (!l->at) continue;
        for (int i = 0; i < 97; i++) {
            double y = target_for(l, i), f = -2.9137 + 0.0613 * i, v[5], s[5];
            bool near_kink = false;
            for (int k = 0; k < 5; k++) {
                smr_loss_point p = smr_loss_at(l, l->param_default, y, f + (k - 2) * step);
                v[k] = p.value, s[k] = p.slope;
            }
            smr_loss_point p = smr_loss_at(l, l->param_default, y, f);
            if (l->kink) near_kink = fabs(s[4] - s[0] - 4 * step * p.curvature) > 1e-12;
            if (near_kink || l->id == SMR_LOSS_ZERO_ONE) continue;
            double d1 = (v[0] - 8 * v[1] + 8 * v[3] - v[4]) / (12 * step);
            double d2 = (s[0] - 8 * s[1] + 8 * s[3] - s[4]) / (12 * step);
            check_near(l->name, d1, p.slope, 1e-9);
            check_near(l->name, d2, p.curvature, 1e-9);
        }
    }
}

static void extremes_give_no_nan_and_mirror(void **unused)
{
    (void)unused;
    const double huge[] = {1e308, -1e308, DBL_MAX, -DBL_MAX, 1e155, -746, 745, 5e-324};
    for (int id = 0; id < SMR_LOSS_COUNT; id++) {
        const smr_loss *l = &smr_losses[id];
        for (int i = 0; l->at && i < 8; i++) {
            double y = target_for(l, 1);
            smr_loss_point p = smr_loss_at(l, l->param_default, y, huge[i]);
            if (isnan(p.value) || isnan(p.slope) || isnan(p.curvature))
                fail_msg("%s is NaN at %g", l->name, huge[i]);
            if (l->kind != SMR_LOSS_MARGIN) continue;
            smr_loss_point q = smr_loss_at(l, l->param_default, -y, -huge[i]);
            assert_true(q.value == p.value && q.slope == -p.slope && q.curvature == p.curvature);
        }
    }
    check_near("logistic", at("logistic", 1, -1e308).value, 1e308, 0);
    check_near("logistic", at("logistic", 1, -1e308).slope, -1, 0);
    check_near("huber", at("huber", 0, 1e308).value, 1.35e308, 1e-15);
    const double f[3] = {1e308, -1e308, 0};
    const int32_t label = 2;
    double v, g[3];
    smr_loss_classes(loss("cross_entropy"), 1, 3, &label, f, &v, g);
    check_near("cross_entropy", v, 1e308, 0);
    assert_true(g[0] == 1 && g[1] == 0 && g[2] == -1);
}

/* Blocks have the bits of single points, in every tier, in place, and for any length. */
static void blocks_equal_points_in_every_tier(void **unused)
{
    (void)unused;
    enum { N = 331 };
    static const char *const tiers[] = {"base", "v3", "v4"};
    double y[N], f[N], v[N], s[N], c[N], want[3 * N];
    const char *tier = smr_kernel_tier();
    for (int id = 0; id < SMR_LOSS_COUNT; id++) {
        const smr_loss *l = &smr_losses[id];
        if (!l->at) continue;
        for (int i = 0; i < N; i++) {
            y[i] = target_for(l, i);
            f[i] = i == 7 ? 1e308 : i == 8 ? -1e308 : 0.1137 * i - 17.3;
            smr_loss_point p = smr_loss_at(l, l->param_default, y[i], f[i]);
            want[i] = p.value, want[N + i] = p.slope, want[2 * N + i] = p.curvature;
        }
        for (int t = 0; t < 3; t++) {
            if (!smr_kernel_use(tiers[t])) continue;
            smr_loss_block(l, l->param_default, N, y, f, v, s, c);
            assert_memory_equal(v, want, sizeof v);
            assert_memory_equal(s, want + N, sizeof s);
            assert_memory_equal(c, want + 2 * N, sizeof c);
            memcpy(v, f, sizeof v);
            smr_loss_block(l, l->param_default, 197, y, v, NULL, v, NULL);
            assert_memory_equal(v, want + N, 197 * sizeof *v);
            assert_true(v[197] == f[197]);
        }
    }
    smr_kernel_use(tier);
}

static void wrong_targets_and_parameters_are_named(void **unused)
{
    (void)unused;
    smr_ctx *ctx = check_ctx(1);
    const double y[4] = {1, -1, 0, 1}, z[3] = {0.5, 0, -2};
    check_fails(ctx, smr_loss_check(ctx, loss("hinge"), 0, 4, y), SMR_ERR_DATA,
                "hinge: the target of row 2 is 0; it must be -1 or 1");
    check_fails(ctx, smr_loss_check(ctx, loss("poisson"), 0, 3, z), SMR_ERR_DATA, "row 2 is -2");
    check_fails(ctx, smr_loss_check(ctx, loss("gamma"), 0, 3, z), SMR_ERR_DATA, "more than 0");
    check_fails(ctx, smr_loss_check(ctx, loss("quantile"), 1, 0, y), SMR_ERR_PARAM,
                "quantile: tau = 1 is outside (0, 1)");
    check_fails(ctx, smr_loss_check(ctx, loss("huber"), NAN, 0, y), SMR_ERR_PARAM, "delta = nan");
    check_ok(ctx, smr_loss_check(ctx, loss("squared"), 0, 3, z));
    check_ctx_end(ctx);
}

static void figures_hold_the_curves(void **unused)
{
    (void)unused;
    smr_ctx *ctx = check_ctx(1);
    smr_json_doc *doc = NULL;
    check_ok(ctx, smr_json_create(ctx, &doc));
    smr_json *figures = smr_json_add_array(smr_json_root(doc), "figures");
    check_ok(ctx, smr_loss_figure(ctx, figures, loss("hinge"), 0, -2, 2, 41));
    const smr_loss *both[] = {loss("hinge"), loss("logistic"), loss("zero_one")};
    check_ok(ctx, smr_loss_compare_figure(ctx, figures, both, 3, -2, 3, 26));
    check_ok(ctx, smr_json_done(doc));
    const smr_json *first = figures->first, *series = smr_json_get(first, "series");
    assert_int_equal(series->n, 3);
    const smr_json *value = smr_json_get(series->first, "y");
    assert_int_equal(value->n, 41);
    check_near("hinge at -2", value->first->number, 3, 0);
    check_near("hinge at 2", value->last->number, 0, 0);
    assert_int_equal(smr_json_get(first->next, "series")->n, 3);
    check_fails(ctx, smr_loss_figure(ctx, figures, loss("cross_entropy"), 0, -1, 1, 9),
                SMR_ERR_UNSUPPORTED, "one score per class");
    check_fails(ctx, smr_loss_figure(ctx, figures, loss("hinge"), 0, 1, 1, 9), SMR_ERR_PARAM,
                "from < to");
    const smr_loss *mixed[] = {loss("hinge"), loss("squared")};
    check_fails(ctx, smr_loss_compare_figure(ctx, figures, mixed, 2, -1, 1, 9), SMR_ERR_PARAM,
                "different axes");
    smr_json_free(doc);
    for (int64_t n = 0;; n++) {
        check_ok(ctx, smr_json_create(ctx, &doc));
        figures = smr_json_add_array(smr_json_root(doc), "figures");
        smr_memory_fail_at(ctx, n);
        smr_status st = smr_loss_figure(ctx, figures, loss("huber"), 1.35, -2, 2, 41);
        smr_memory_fail_at(ctx, -1);
        if (st == SMR_OK) st = smr_json_done(doc);
        smr_json_free(doc);
        smr_ctx_clear(ctx);
        if (st == SMR_OK) break;
        assert_int_equal(st, SMR_ERR_NOMEM);
        assert_true(n < 1000);
    }
    check_ctx_end(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(table_is_in_order_and_complete),
        cmocka_unit_test(smooth_losses_match_figures_of_twenty_digits),
        cmocka_unit_test(worked_figures_hold),
        cmocka_unit_test(multi_class_figures_hold),
        cmocka_unit_test(cross_entropy_of_two_classes_is_logistic),
        cmocka_unit_test(kinks_are_as_stated),
        cmocka_unit_test(convex_losses_are_convex),
        cmocka_unit_test(derivatives_match_difference_quotients),
        cmocka_unit_test(extremes_give_no_nan_and_mirror),
        cmocka_unit_test(blocks_equal_points_in_every_tier),
        cmocka_unit_test(wrong_targets_and_parameters_are_named),
        cmocka_unit_test(figures_hold_the_curves),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
