/* test_factor.c -- factorised ratings.
 *
 * Truth: numpy's alternating regressions from many starts (tests/truth/factors.py); a step by hand;
 * ratings that have two factors and no noise; copies of rows. */
#include "pipeline.h"

#include "learn/recommend/factor/ratings.h"
#include "truth/factors.h"

#include <string.h>

/* One fit of ratings in arrays, without a table. */
struct fit {
    struct smr_factor_params p;
    struct smr_factor_state s;
    smr_fit_report report;
    smr_data data;
};

static struct fit by(int method, int64_t k)
{
    struct fit f = {.p = {.k = k,
                          .max_iter = 50,
                          .method = method,
                          .l2 = 0.1,
                          .l2_bias = 0.01,
                          .rate = 0.02,
                          .tol = 1e-4,
                          .init = 0.5}};
    return f;
}

static void give(struct fit *f, int64_t n, const int32_t *user, const int32_t *item,
                 const double *rating, const double *weight)
{
    f->data = (smr_data){.size = sizeof f->data,
                         .n_rows = n,
                         .roles = {.user = user, .item = item},
                         .y = rating,
                         .weight = weight,
                         .n_outputs = 1,
                         .task = SMR_TASK_RECOMMEND};
    for (int64_t i = 0; i < n; i++) {
        f->data.n_users = SMR_MAX(f->data.n_users, user[i] + 1);
        f->data.n_items = SMR_MAX(f->data.n_items, item[i] + 1);
    }
}

static smr_status run(smr_ctx *ctx, struct fit *f)
{
    return smr_factor_fit(ctx, &f->p, &f->data, &f->s, &f->report);
}

static void drop(struct fit *f)
{
    struct smr_factor_state *s = &f->s;
    void *const all[] = {s->user_bias, s->item_bias, s->user,  s->item, s->rated,
                         s->item_mean, s->rmse,      s->start, s->had};
    for (size_t i = 0; i < SMR_COUNT(all); i++) smr_free(all[i]);
    smr_fit_report_release(&f->report);
}

/* ---- steps ------------------------------------------------------------------------------ */

/* theta -= a e (1, q, p) with e = said - rating, all of them from before. */
static void a_step_goes_by_the_values_before_it(void **unused)
{
    (void)unused;
    double b = 0.5, c = -0.25, p[2] = {1, 2}, q[2] = {0.5, -1};
    const double none[4] = {0}, some[4] = {0.1, 0.2, 0.3, 0.4};
    /* said 3 + 0.5 - 0.25 + 0.5 - 2 = 1.75, rating 4, e = -2.25, a = 0.1 */
    smr_factor_step(2, 0.1, 2.25, none, &b, &c, p, q);
    check_near("b", b, 0.725, 1e-15);
    check_near("c", c, -0.025, 1e-15);
    check_near("p1", p[0], 1.1125, 1e-15);
    check_near("p2", p[1], 1.775, 1e-15);
    check_near("q1", q[0], 0.725, 1e-15);
    check_near("q2", q[1], -0.55, 1e-15);
    smr_factor_step(2, 0.1, 0, some, &b, &c, p, q);
    check_near("b shrinks", b, 0.725 * 0.99, 1e-15);
    check_near("c shrinks", c, -0.025 * 0.98, 1e-15);
    check_near("p shrinks", p[0], 1.1125 * 0.97, 1e-15);
    check_near("q shrinks", q[1], -0.55 * 0.96, 1e-15);
}

/* ---- the optimum ------------------------------------------------------------------------ */

enum { RATINGS = SMR_COUNT(factors_rating) };

/* The best of some seeds: (2) has more than one minimum. */
static void check_optimum(smr_ctx *ctx, int penalty, double least, const double *said)
{
    double best = INFINITY, off = INFINITY;
    for (uint64_t seed = 0; seed < 12; seed++) {
        struct fit f = by(SMR_FACTOR_ALS, 2);
        f.p.penalty = penalty;
        f.p.l2 = 0.05;
        f.p.l2_bias = 0.02;
        f.p.tol = 1e-15;
        f.p.max_iter = 200000;
        ctx->seed = seed;
        give(&f, RATINGS, factors_user, factors_item, factors_rating, factors_weight);
        check_ok(ctx, run(ctx, &f));
        assert_true(f.report.converged);
        if (f.report.objective < best) {
            best = f.report.objective;
            off = 0;
            for (int64_t i = 0; i < RATINGS; i++)
                off = fmax(off,
                           fabs(smr_factor_rate(&f.s, factors_user[i], factors_item[i]) - said[i]));
        }
        drop(&f);
    }
    check_near("objective", best, least, 1e-8 * least);
    check_near("ratings", off, 0, 1e-4); /* near a minimum the ratings move by the root of it */
}

static void the_least_objective_is_numpys(void **unused)
{
    (void)unused;
    smr_ctx *ctx = check_ctx(2);
    check_optimum(ctx, SMR_FACTOR_PER_RATING, factors_per_rating_objective, factors_per_rating);
    check_optimum(ctx, SMR_FACTOR_PLAIN, factors_plain_objective, factors_plain);
    check_ctx_end(ctx);
}

static void the_objective_never_rises(void **unused)
{
    (void)unused;
    smr_ctx *ctx = check_ctx(1);
    struct fit f = by(SMR_FACTOR_ALS, 3);
    f.p.tol = 0;
    give(&f, RATINGS, factors_user, factors_item, factors_rating, factors_weight);
    check_ok(ctx, run(ctx, &f));
    assert_true(f.report.n_curve >= 10);
    for (int64_t i = 1; i < f.report.n_curve; i++) /* but for rounding */
        assert_true(f.report.curve[i] <= f.report.curve[i - 1] * (1 + 1e-14));
    drop(&f);
    check_ctx_end(ctx);
}

/* ---- ratings without noise -------------------------------------------------------------- */

enum { USERS = 60, ITEMS = 40, PAIRS = USERS * ITEMS };

struct ratings {
    int32_t user[PAIRS], item[PAIRS];
    double r[PAIRS];
    int64_t n; /* the first are learned from */
};

static double truth_of(int64_t u, int64_t i)
{
    return 3 + 0.5 * noise(u, 0) + 0.4 * noise(i, 1) + noise(u, 2) * noise(i, 3) +
           0.7 * noise(u, 4) * noise(i, 5);
}

static struct ratings *make_ratings(void)
{
    static struct ratings all;
    int64_t held = PAIRS;
    all.n = 0;
    for (int64_t e = 0; e < PAIRS; e++) {
        int64_t u = e / ITEMS, i = e % ITEMS, at = (7 * u + 3 * i) % 10 < 7 ? all.n++ : --held;
        all.user[at] = (int32_t)u;
        all.item[at] = (int32_t)i;
        all.r[at] = truth_of(u, i);
    }
    return &all;
}

/* Root mean squared error of the pairs that were held back. */
static double error_of(const struct ratings *all, const struct fit *f)
{
    double sum = 0;
    for (int64_t e = all->n; e < PAIRS; e++) {
        double off = smr_factor_rate(&f->s, all->user[e], all->item[e]) - all->r[e];
        sum += off * off;
    }
    return sqrt(sum / (double)(PAIRS - all->n));
}

static void factors_without_noise_are_found(void **unused)
{
    (void)unused;
    smr_ctx *ctx = check_ctx(2);
    struct ratings *all = make_ratings();
    struct fit als = by(SMR_FACTOR_ALS, 2), sgd = by(SMR_FACTOR_SGD, 2);
    als.p.l2 = als.p.l2_bias = 1e-9;
    als.p.tol = 1e-12;
    sgd.p.l2 = sgd.p.l2_bias = 0;
    als.p.max_iter = sgd.p.max_iter = 5000;
    sgd.p.rate = 0.05;
    sgd.p.tol = 0;
    give(&als, all->n, all->user, all->item, all->r, NULL);
    give(&sgd, all->n, all->user, all->item, all->r, NULL);
    check_ok(ctx, run(ctx, &als));
    check_ok(ctx, run(ctx, &sgd));
    check_near("als", error_of(all, &als), 0, 1e-3);
    check_near("sgd", error_of(all, &sgd), 0, 1e-3);
    drop(&als);
    drop(&sgd);
    check_ctx_end(ctx);
}

/* ---- the same bits ---------------------------------------------------------------------- */

static void check_alike(const struct fit *a, const struct fit *b)
{
    const struct smr_factor_state *s = &a->s, *t = &b->s;
    assert_int_equal(s->n_steps, t->n_steps);
    assert_memory_equal(s->user, t->user, (size_t)(s->n_users * s->k) * sizeof *s->user);
    assert_memory_equal(s->item, t->item, (size_t)(s->n_items * s->k) * sizeof *s->item);
    assert_memory_equal(s->user_bias, t->user_bias, (size_t)s->n_users * sizeof *s->user_bias);
    assert_memory_equal(s->item_bias, t->item_bias, (size_t)s->n_items * sizeof *s->item_bias);
    assert_memory_equal(s->rmse, t->rmse, (size_t)s->n_steps * sizeof *s->rmse);
}

/* Other threads, and rows in another order. */
static void threads_and_order_change_nothing(void **unused)
{
    static const int threads[] = {1, 2, 7};
    (void)unused;
    struct ratings *all = make_ratings();
    static struct ratings other;
    for (int64_t e = 0; e < all->n; e++) {
        int64_t from = (e * 997 + 13) % all->n;
        other.user[e] = all->user[from];
        other.item[e] = all->item[from];
        other.r[e] = all->r[from];
    }
    assert_true(all->n % 997 != 0 && all->n > 4 * 256); /* a permutation; more than one block */
    for (int method = SMR_FACTOR_ALS; method <= SMR_FACTOR_SGD; method++) {
        struct fit f[3];
        smr_ctx *ctx[3];
        for (int k = 0; k < 3; k++) {
            const struct ratings *of = k == 2 ? &other : all;
            ctx[k] = check_ctx(threads[k]);
            f[k] = by(method, 5);
            give(&f[k], all->n, of->user, of->item, of->r, NULL);
            check_ok(ctx[k], run(ctx[k], &f[k]));
            if (k) check_alike(&f[0], &f[k]);
        }
        for (int k = 0; k < 3; k++) {
            drop(&f[k]);
            check_ctx_end(ctx[k]);
        }
    }
}

static void weight_2_is_the_rating_twice(void **unused)
{
    static int32_t user[2 * RATINGS], item[2 * RATINGS];
    static double rating[2 * RATINGS], two[RATINGS];
    struct heard heard;
    (void)unused;
    smr_ctx *ctx = hearing_ctx(&heard);
    for (int64_t i = 0; i < 2 * RATINGS; i++) {
        user[i] = factors_user[i % RATINGS];
        item[i] = factors_item[i % RATINGS];
        rating[i] = factors_rating[i % RATINGS];
        two[i % RATINGS] = 2;
    }
    struct fit a = by(SMR_FACTOR_ALS, 2), b = by(SMR_FACTOR_ALS, 2);
    a.p.tol = b.p.tol = 1e-14;
    a.p.max_iter = b.p.max_iter = 100000;
    give(&a, RATINGS, user, item, rating, two);
    give(&b, 2 * RATINGS, user, item, rating, NULL);
    check_ok(ctx, run(ctx, &a));
    check_silent(&heard);
    check_ok(ctx, run(ctx, &b));
    check_silent(&heard);
    assert_int_equal(a.s.repeated, 0);
    assert_int_equal(b.s.repeated, RATINGS);
    for (int64_t i = 0; i < RATINGS; i++)
        check_near("rating", smr_factor_rate(&a.s, user[i], item[i]),
                   smr_factor_rate(&b.s, user[i], item[i]), 1e-5);
    assert_int_equal(a.s.n_had, RATINGS);
    assert_int_equal(b.s.n_had, RATINGS);
    drop(&a);
    drop(&b);
    smr_ctx_destroy(ctx);
}

/* ---- odd tables ------------------------------------------------------------------------- */

static void of_ratings_at_times_the_latest_counts(void **unused)
{
    const int32_t user[] = {0, 0, 1, 1}, item[] = {0, 0, 0, 1};
    const double rating[] = {5, 1, 2, 3}, time[] = {7, 3, 1, 2};
    struct heard heard;
    (void)unused;
    smr_ctx *ctx = hearing_ctx(&heard);
    struct fit f = by(SMR_FACTOR_ALS, 0);
    give(&f, 4, user, item, rating, NULL);
    f.data.roles.time = time;
    check_ok(ctx, run(ctx, &f));
    check_heard(&heard, "the latest rating counts; 1 earlier one is left out");
    check_near("mean", f.s.mean, (5 + 2 + 3) / 3.0, 1e-15);
    check_near("of the item", f.s.item_mean[0], 3.5, 1e-15);
    drop(&f);
    smr_ctx_destroy(ctx);
}

static void equal_ratings_and_one_user_are_learned(void **unused)
{
    const int32_t user[] = {0, 0, 0}, item[] = {0, 1, 2};
    const double equal[] = {2.7, 2.7, 2.7}, rating[] = {1, 2, 6};
    (void)unused;
    for (int method = SMR_FACTOR_ALS; method <= SMR_FACTOR_SGD; method++) {
        smr_ctx *ctx = check_ctx(1);
        struct fit a = by(method, 0), b = by(method, 2);
        give(&a, 3, user, item, equal, NULL);
        give(&b, 3, user, item, rating, NULL);
        b.p.max_iter = 2000;
        b.p.tol = 1e-9;
        check_ok(ctx, run(ctx, &a));
        check_ok(ctx, run(ctx, &b));
        assert_true(a.report.converged);
        assert_true(smr_factor_rate(&a.s, 0, 1) == 2.7 && smr_factor_rate(&a.s, -1, -1) == 2.7);
        check_near("mean", smr_factor_rate(&b.s, -1, -1), 3, 1e-15);
        assert_true(smr_factor_rate(&b.s, 0, 0) < smr_factor_rate(&b.s, 0, 1));
        assert_true(smr_factor_rate(&b.s, 0, 1) < smr_factor_rate(&b.s, 0, 2));
        check_near("unknown user", smr_factor_rate(&b.s, -1, 2), 3 + b.s.item_bias[2], 1e-15);
        check_near("unknown item", smr_factor_rate(&b.s, 0, -1), 3 + b.s.user_bias[0], 1e-15);
        drop(&a);
        drop(&b);
        check_ctx_end(ctx);
    }
}

static void what_it_cannot_learn_from_is_refused(void **unused)
{
    const int32_t user[] = {0, 1, -1}, item[] = {0, 1, 0}, nobody[] = {-1, -1, -1};
    const double rating[] = {1, 5, 3}, nothing[] = {0, 0, 0}, huge[] = {1e9, -1e9, 0};
    const smr_feature extra = {.name = "pages"};
    struct heard heard;
    (void)unused;
    smr_ctx *ctx = hearing_ctx(&heard);
    struct fit f = by(SMR_FACTOR_ALS, 2);
    give(&f, 3, user, item, rating, NULL);
    check_ok(ctx, run(ctx, &f));
    check_heard(&heard, "1 rating is without a user or an item; it is left out");
    drop(&f);

    f = by(SMR_FACTOR_ALS, 2);
    give(&f, 3, user, item, rating, NULL);
    f.data.roles.item = NULL;
    check_fails(ctx, run(ctx, &f), SMR_ERR_PARAM, "--user and --item");
    f.data.roles.item = item;
    f.data.y = NULL;
    check_fails(ctx, run(ctx, &f), SMR_ERR_PARAM, "name their column with --target");
    f.data.y = rating;
    f.data.n_features = 1;
    f.data.features = &extra;
    check_fails(ctx, run(ctx, &f), SMR_ERR_PARAM, "column 'pages' is a feature");
    f.data.n_features = 0;
    f.data.weight = nothing;
    check_fails(ctx, run(ctx, &f), SMR_ERR_DATA, "a weight above 0");
    drop(&f);

    f = by(SMR_FACTOR_SGD, 2);
    give(&f, 3, nobody, nobody, rating, NULL);
    f.data.n_users = f.data.n_items = 1;
    check_fails(ctx, run(ctx, &f), SMR_ERR_DATA, "no rating has a user");
    drop(&f);

    f = by(SMR_FACTOR_SGD, 2);
    f.p.rate = 1;
    f.p.tol = 0;
    give(&f, 2, user, item, huge, NULL);
    check_fails(ctx, run(ctx, &f), SMR_ERR_NUMERIC, "the steps run away in epoch");
    drop(&f);
    smr_ctx_destroy(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_step_goes_by_the_values_before_it),
        cmocka_unit_test(the_least_objective_is_numpys),
        cmocka_unit_test(the_objective_never_rises),
        cmocka_unit_test(factors_without_noise_are_found),
        cmocka_unit_test(threads_and_order_change_nothing),
        cmocka_unit_test(weight_2_is_the_rating_twice),
        cmocka_unit_test(of_ratings_at_times_the_latest_counts),
        cmocka_unit_test(equal_ratings_and_one_user_are_learned),
        cmocka_unit_test(what_it_cannot_learn_from_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
