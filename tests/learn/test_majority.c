/* test_majority.c -- weighted majority: worked rounds, the bounds against an adversary, fits and
 * streams against their parts.
 *
 * Truth: six rounds worked by hand; the bounds' own formulas; members fitted and led by hand. */
#include "learn/matrix_data.h"
#include "pipeline.h"

#include "data/row_subset.h"
#include "data/split.h"
#include "learn/ensemble/majority.h"
#include "learn/out_of_fold.h"

extern const smr_learner smr_majority;

/* ---- rounds ----------------------------------------------------------------------------- */

struct game {
    smr_ctx *ctx;
    struct smr_majority_params params;
    struct smr_majority_state state;
    double room[SMR_MAJORITY_EXPERTS], votes[8];
};

static void start(struct game *g, int method, double beta, int64_t n_classes, int64_t k)
{
    *g = (struct game){.ctx = check_ctx(1), .params = {.method = method, .beta = beta}};
    check_ok(g->ctx, smr_majority_begin(g->ctx, n_classes, k, &g->state));
}

static void end(struct game *g)
{
    smr_free(g->state.loss);
    smr_free(g->state.curve);
    check_ctx_end(g->ctx);
}

static void play_round(struct game *g, const double *answers, int32_t truth, double weight)
{
    smr_majority_round(&g->params, &g->state, answers, truth, weight, g->room, g->votes);
}

/* The master's mistakes that the bound is about. */
static double counted(const struct game *g)
{
    return g->params.method == SMR_MAJORITY_VOTE ? g->state.mistakes : g->state.expected;
}

static const double worked[6][3] = {{1, 0, 0}, {0, 1, 1}, {1, 1, 0},
                                    {0, 0, 1}, {0, 0, 1}, {1, 0, 0}};
static const int32_t truth[6] = {1, 1, 0, 1, 0, 0};

/* Weights 1 1 1, then 1 1/2 1/2 (a tie, which the lower class wins), 1/2 1/2 1/2, 1/4 1/4 1/2 (a
 * tie), 1/8 1/8 1/2, 1/8 1/8 1/4, at the end 1/16 1/8 1/4. */
static void six_rounds_are_as_worked_by_hand(void **unused)
{
    static const double masters[6] = {1, 2, 3, 4, 5, 5};
    struct game g;
    double share[3];
    (void)unused;
    start(&g, SMR_MAJORITY_VOTE, 0.5, 2, 3);
    for (int t = 0; t < 6; t++) {
        play_round(&g, worked[t], truth[t], 1);
        check_near("mistakes", g.state.mistakes, masters[t], 0);
    }
    check_near("first expert", g.state.loss[0], 4, 0);
    check_near("second expert", g.state.loss[1], 3, 0);
    check_near("third expert", g.state.loss[2], 2, 0);
    smr_majority_weights(&g.params, &g.state, share);
    check_near("share", share[0], 1.0 / 7, 1e-15);
    check_near("share", share[1], 2.0 / 7, 1e-15);
    check_near("share", share[2], 4.0 / 7, 1e-15);
    check_near("bound", smr_majority_bound(&g.params, &g.state), 2.4094208396532095 * (2 + log2(3)),
               1e-14);
    end(&g);
}

/* Shares of the wrong: 2/3, 1/2, 2/3, 1/2, 2/3, 1/4. */
static void expected_mistakes_are_as_worked_by_hand(void **unused)
{
    struct game g;
    (void)unused;
    start(&g, SMR_MAJORITY_RANDOM, 0.5, 2, 3);
    for (int t = 0; t < 6; t++) play_round(&g, worked[t], truth[t], 1);
    check_near("expected", g.state.expected, 3.25, 1e-15);
    check_near("bound", smr_majority_bound(&g.params, &g.state), (log(3) + 2 * log(2)) / (1 - 0.5),
               1e-14);
    end(&g);
}

static void other_factors_have_other_constants(void **unused)
{
    static const double betas[] = {0.01, 0.25, 0.5, 0.77, 0.99};
    static const int64_t experts[] = {1, 2, 10, 64};
    (void)unused;
    for (int b = 0; b < 5; b++)
        for (int j = 0; j < 4; j++) {
            struct game g;
            double beta = betas[b], k = (double)experts[j], m = 13;
            start(&g, SMR_MAJORITY_VOTE, beta, 2, experts[j]);
            g.state.rounds = 100;
            g.state.heaviest = 1;
            for (int64_t e = 0; e < experts[j]; e++) g.state.loss[e] = m + (double)(e % 3);
            check_near("bound", smr_majority_bound(&g.params, &g.state),
                       (log2(k) + m * log2(1 / beta)) / log2(2 / (1 + beta)), 1e-13);
            end(&g);
        }
}

static double unit(uint64_t a, uint64_t b)
{
    return smr_random_unit(7, SMR_STREAM_TEST, a, b);
}

/* The adversary knows the votes, and lets the class with the least weight be the truth; a second
 * one lets the plurality err. */
static int32_t worst_truth(const struct game *g, const double *answers)
{
    double share[SMR_MAJORITY_EXPERTS], votes[8];
    int32_t worst = 0, best = 0;
    smr_majority_weights(&g->params, &g->state, share);
    smr_majority_votes(&g->state, share, answers, votes);
    for (int32_t c = 1; c < g->state.n_classes; c++) {
        if (votes[c] < votes[worst]) worst = c;
        if (votes[c] > votes[best]) best = c;
    }
    if (g->params.method != SMR_MAJORITY_VOTE) return worst;
    for (int32_t c = (int32_t)g->state.n_classes - 1; c >= 0; c--) /* the next best may go on */
        if (c != best && votes[c] > 0) return c;
    return worst;
}

static void no_sequence_breaks_the_bound(void **unused)
{
    static const int64_t experts[] = {1, 2, 3, 7, 20};
    static const double betas[] = {0.5, 0.1, 0.9, 0.7};
    int n = 0;
    (void)unused;
    for (int method = 0; method < 3; method++)
        for (int j = 0; j < 5; j++)
            for (int how = 0; how < 12; how++, n++) {
                struct game g;
                start(&g, method, betas[how % 4], 2 + how % 3, experts[j]);
                if (method == SMR_MAJORITY_HEDGE && how % 4) g.state.fixed_rate = betas[how % 4];
                for (uint64_t t = 0; t < 300; t++) {
                    double answers[SMR_MAJORITY_EXPERTS];
                    double weight = how < 6 ? 1 : 3 * unit((uint64_t)n + 900, t);
                    int64_t K = g.state.n_classes;
                    int32_t y = (int32_t)smr_random_below(7, SMR_STREAM_TEST, (uint64_t)n, t, K);
                    for (int64_t e = 0; e < experts[j]; e++) {
                        uint64_t key = 1000 + (uint64_t)(n * 64 + e);
                        bool right = unit(key, t) < 0.5 + 0.4 * (double)(e % 5) / 4;
                        answers[e] = right ? y : (double)(int64_t)(unit(key, t + 400) * (double)K);
                    }
                    if (how % 2) y = worst_truth(&g, answers);
                    play_round(&g, answers, y, weight);
                    double bound = smr_majority_bound(&g.params, &g.state);
                    if (counted(&g) > bound * (1 + 1e-12))
                        fail_msg("method %d, %d experts, way %d, round %d: %g mistakes above %g",
                                 method, (int)experts[j], how, (int)t, counted(&g), bound);
                }
                end(&g);
            }
}

static void hedge_promises_what_theory_does(void **unused)
{
    enum { T = 400, K = 5 };
    (void)unused;
    for (int known = 0; known < 2; known++) {
        struct game g;
        start(&g, SMR_MAJORITY_HEDGE, 0, 2, K);
        if (known) g.state.fixed_rate = sqrt(8 * log(K) / T);
        for (uint64_t t = 0; t < T; t++) {
            double answers[K];
            for (uint64_t e = 0; e < K; e++) answers[e] = unit(e, t) < 0.5;
            play_round(&g, answers, worst_truth(&g, answers), 1);
        }
        double above = smr_majority_bound(&g.params, &g.state) - smr_majority_best(&g.state, NULL);
        if (known)
            check_near("regret", above, sqrt(T * log(K) / 2), 1e-12);
        else
            assert_true(above <= sqrt(T * log(K)) && above > 0.9 * sqrt(T * log(K)));
        assert_true(g.state.expected - smr_majority_best(&g.state, NULL) <= above);
        end(&g);
    }
}

static void curves_keep_every_other_point_when_they_are_full(void **unused)
{
    enum { T = 1030 };
    static double masters[T + 1], firsts[T + 1];
    struct game g;
    (void)unused;
    start(&g, SMR_MAJORITY_VOTE, 0.5, 2, 3);
    for (int t = 0; t < T; t++) {
        double answers[3];
        for (uint64_t e = 0; e < 3; e++) answers[e] = unit(e + 5, (uint64_t)t) < 0.5;
        play_round(&g, answers, unit(4, (uint64_t)t) < 0.5, 1);
        masters[t + 1] = g.state.mistakes;
        firsts[t + 1] = g.state.loss[0];
    }
    assert_int_equal(g.state.every, 8);
    assert_int_equal(g.state.n_points, T / 8);
    for (int64_t i = 0; i < g.state.n_points; i++) {
        check_near("master", g.state.curve[i * 4 + 3], masters[8 * (i + 1)], 0);
        check_near("first expert", g.state.curve[i * 4], firsts[8 * (i + 1)], 0);
    }
    end(&g);
}

/* ---- fits ------------------------------------------------------------------------------- */

enum { N = 83, D = 3, C = 3 };

struct problem {
    struct matrix_data m;
    double *x, weight[N];
    int32_t label[N];
};

static void make_problem(struct problem *p)
{
    double *noise = random_matrix(N, 5);
    p->x = random_matrix(N * D, 6);
    for (int64_t i = 0; i < N; i++) {
        const double *r = p->x + i * D;
        double s = r[0] - 0.7 * r[1] + 0.5 * noise[i];
        p->label[i] = s < -0.4 ? 0 : s < 0.5 ? 1 : 2;
        p->weight[i] = 0.5 + 0.25 * (double)(i % 5);
    }
    matrix_data(&p->m, N, D, 1, p->x, NULL, NULL);
    p->m.data.task = SMR_TASK_CLASSIFY;
    p->m.data.label = p->label;
    p->m.data.n_classes = C;
    free(noise);
}

static const char *const experts[] = {"knn k=1", "sgd hinge passes=3", "standardize | logistic"};

/* The mistakes of a fit are those of out-of-fold answers played in the order of the rows, and the
 * experts that are kept are fitted on all rows. */
static void fits_judge_experts_on_rows_they_do_not_know(void **unused)
{
    struct problem p;
    double answers[3][N], own[N], kept[N], votes[C * N], weight[3] = {1, 1, 1};
    double mistakes = 0, sum = 0;
    (void)unused;
    make_problem(&p);
    p.m.data.weight = p.weight;
    smr_ctx *ctx = check_ctx(2);
    smr_member model = {0};
    check_ok(ctx, said_member(ctx,
                              "majority beta=0.7 folds=4 of=(knn k=1),(sgd hinge passes=3),"
                              "(standardize | logistic)",
                              &p.m.data, &model, NULL));
    const struct smr_majority_state *s = smr_member_last(&model)->state;
    for (int e = 0; e < 3; e++) {
        smr_member one = {0};
        check_ok(ctx,
                 said_out_of_fold(ctx, experts[e], &p.m.data, 4, SMR_OUTPUT_LABEL, answers[e]));
        check_ok(ctx, said_member(ctx, experts[e], &p.m.data, &one, NULL));
        check_ok(ctx, smr_member_apply(ctx, &one, &p.m.data, SMR_OUTPUT_LABEL, own));
        check_ok(ctx, smr_member_apply(ctx, &s->of.member[e], &p.m.data, SMR_OUTPUT_LABEL, kept));
        assert_memory_equal(own, kept, sizeof own);
        smr_member_release(&one);
    }
    for (int64_t i = 0; i < N; i++) {
        double of[C] = {0};
        int best = 0;
        for (int e = 0; e < 3; e++) of[(int)answers[e][i]] += weight[e];
        for (int c = 1; c < C; c++)
            if (of[c] > of[best]) best = c;
        mistakes += best != p.label[i] ? p.weight[i] : 0;
        for (int e = 0; e < 3; e++)
            if ((int)answers[e][i] != p.label[i]) weight[e] *= pow(0.7, p.weight[i]);
    }
    check_near("mistakes", s->mistakes, mistakes, 1e-13);
    for (int e = 0; e < 3; e++) sum += weight[e];
    check_ok(ctx, smr_member_apply(ctx, &model, &p.m.data, SMR_OUTPUT_PROBA, votes));
    check_ok(ctx, smr_member_apply(ctx, &s->of.member[1], &p.m.data, SMR_OUTPUT_LABEL, kept));
    for (int64_t i = 0; i < N; i++)
        assert_true(votes[i * C + (int)kept[i]] >= weight[1] / sum - 1e-9);
    smr_member_release(&model);
    check_ctx_end(ctx);
    free(p.x);
}

static smr_status try_fit(smr_ctx *ctx, void *arg)
{
    smr_member model = {0};
    smr_status st =
        said_member(ctx, "majority hedge folds=2 of=(sgd passes=2),(knn 3)", arg, &model, NULL);
    smr_member_release(&model);
    return st;
}

static void failing_allocations_are_survived(void **unused)
{
    struct problem p;
    (void)unused;
    make_problem(&p);
    smr_ctx *ctx = check_ctx(1);
    assert_true(fail_each_allocation(ctx, try_fit, &p.m.data) > 50);
    check_ctx_end(ctx);
    free(p.x);
}

static void one_row_leaves_the_weights_equal(void **unused)
{
    struct problem p;
    struct heard heard;
    double share[2];
    (void)unused;
    make_problem(&p);
    p.m.data.n_rows = 1;
    smr_ctx *ctx = hearing_ctx(&heard);
    smr_member model = {0};
    check_ok(ctx, said_member(ctx, "majority hedge of=(knn 1),(knn 3)", &p.m.data, &model, NULL));
    check_heard(&heard, "one row gives no round to judge the experts by");
    const smr_stage *stage = smr_member_last(&model);
    smr_majority_weights(stage->params, stage->state, share);
    check_near("share", share[0], 0.5, 0);
    smr_member_release(&model);
    check_ctx_end(ctx);
    free(p.x);
}

/* ---- streams ---------------------------------------------------------------------------- */

static smr_rows rows_of(const struct problem *p, int64_t lo, int64_t hi)
{
    return (smr_rows){
        .first = lo, .n = hi - lo, .d = D, .form = SMR_FORM_F64, .x = p->x + lo * D, .stride = D};
}

/* Each expert as a stream of its own; the master from their labels. */
static void experts_learn_along_as_they_would_alone(void **unused)
{
    static const char *const of[] = {"perceptron", "standardize | sgd", "sgd hinge"};
    struct problem p;
    double scores[N * C], out[N * C], mistakes[3] = {0};
    (void)unused;
    make_problem(&p);
    smr_ctx *ctx = check_ctx(1);
    smr_shape shape = {.n_features = D, .task = SMR_TASK_CLASSIFY, .n_outputs = 1, .n_classes = C};
    smr_truths truths = {.label = p.label};
    smr_rows rows = rows_of(&p, 0, N);
    smr_member model = {0};
    check_ok(ctx, said_member_begin(ctx, "majority of=(perceptron),(standardize | sgd),(sgd hinge)",
                                    &shape, &model));
    assert_true(smr_member_learns(&model));
    check_ok(ctx, smr_member_learn(ctx, &model, &rows, &truths, out));
    const struct smr_majority_state *s = smr_member_last(&model)->state;
    for (int e = 0; e < 3; e++) {
        smr_member one = {0};
        check_ok(ctx, said_member_begin(ctx, of[e], &shape, &one));
        check_ok(ctx, smr_member_learn(ctx, &one, &rows, &truths, scores));
        for (int64_t i = 0; i < N; i++) {
            int best = 0;
            for (int c = 1; c < C; c++)
                if (scores[i * C + c] > scores[i * C + best]) best = c;
            mistakes[e] += best != p.label[i];
        }
        check_near("mistakes of an expert", s->loss[e], mistakes[e], 0);
        smr_member_release(&one);
    }
    assert_int_equal(s->rounds, N);
    double wrong = 0;
    for (int64_t i = 0; i < N; i++) {
        int best = 0;
        for (int c = 1; c < C; c++)
            if (out[i * C + c] > out[i * C + best]) best = c;
        wrong += best != p.label[i];
    }
    check_near("mistakes of the master", s->mistakes, wrong, 0);
    smr_member_release(&model);
    check_ctx_end(ctx);
    free(p.x);
}

static void a_fitted_model_goes_on_by_its_weights(void **unused)
{
    struct problem p;
    double before[N], after[N], out[N * C];
    (void)unused;
    make_problem(&p);
    smr_ctx *ctx = check_ctx(1);
    smr_member model = {0};
    check_ok(ctx, said_member(ctx, "majority of=(knn 1),(standardize | sgd passes=2)", &p.m.data,
                              &model, NULL));
    struct smr_majority_state *s = smr_member_last(&model)->state;
    smr_truths truths = {.label = p.label};
    smr_rows rows = rows_of(&p, 3, 40);
    truths.label += 3;
    double known = s->loss[0], other = s->loss[1];
    check_ok(ctx, smr_member_apply(ctx, &s->of.member[1], &p.m.data, SMR_OUTPUT_LABEL, before));
    check_ok(ctx, smr_member_learn(ctx, &model, &rows, &truths, out));
    check_ok(ctx, smr_member_apply(ctx, &s->of.member[1], &p.m.data, SMR_OUTPUT_LABEL, after));
    assert_memory_equal(before, after, sizeof before);
    for (int64_t i = 3; i < 40; i++) other += (int)before[i] != p.label[i];
    check_near("the nearest neighbour knows these rows", s->loss[0], known, 0);
    check_near("the other does not", s->loss[1], other, 0);
    assert_int_equal(s->rounds, N + 37);
    smr_member_release(&model);
    check_ctx_end(ctx);
    free(p.x);
}

static void experts_that_cannot_stream_are_named(void **unused)
{
    smr_ctx *ctx = check_ctx(1);
    smr_member model = {0};
    smr_shape shape = {.n_features = D, .task = SMR_TASK_CLASSIFY, .n_outputs = 1, .n_classes = C};
    (void)unused;
    check_fails(ctx, said_member_begin(ctx, "majority of=(sgd),(knn 3)", &shape, &model),
                SMR_ERR_UNSUPPORTED, "knn needs all rows at once");
    smr_member_release(&model);
    check_ctx_end(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(six_rounds_are_as_worked_by_hand),
        cmocka_unit_test(expected_mistakes_are_as_worked_by_hand),
        cmocka_unit_test(other_factors_have_other_constants),
        cmocka_unit_test(no_sequence_breaks_the_bound),
        cmocka_unit_test(hedge_promises_what_theory_does),
        cmocka_unit_test(curves_keep_every_other_point_when_they_are_full),
        cmocka_unit_test(fits_judge_experts_on_rows_they_do_not_know),
        cmocka_unit_test(failing_allocations_are_survived),
        cmocka_unit_test(one_row_leaves_the_weights_equal),
        cmocka_unit_test(experts_learn_along_as_they_would_alone),
        cmocka_unit_test(a_fitted_model_goes_on_by_its_weights),
        cmocka_unit_test(experts_that_cannot_stream_are_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
