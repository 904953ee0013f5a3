/* test_adaboost.c -- boosting: its worked figures, its bounds, and each round by hand.
 *
 * Truth: the figures of the notes (errors, alphas and weights of ten points); the rounds made again
 * here with plain weights and the members' own sentences; the identity of loss and product of Z. */
#include "learn/boosting_data.h"

#include "data/row_subset.h"
#include "kernel/kernel.h"
#include "learn/chain.h"
#include "learn/ensemble/adaboost.h"
#include "learn/spec.h"
#include "pipeline.h"

extern const smr_learner smr_adaboost;

/* ---- rounds with members that say what they are told ------------------------------------ */

enum { MOST = 4096 };

struct told {
    smr_data data;
    struct smr_adaboost_params params;
    struct smr_adaboost_state state;
    struct smr_boosting b;
    smr_ctx *ctx;
    int32_t label[MOST];
};

/* n rows of k classes, row i of class i % k; all weights 1. */
static struct told *tell_members(int64_t n, int64_t k, int64_t rounds)
{
    struct told *t = calloc(1, sizeof *t);
    assert_true(t && n <= MOST);
    t->ctx = check_ctx(1);
    t->params = (struct smr_adaboost_params){.rounds = rounds, .rate = 1};
    t->data = (smr_data){.n_rows = n, .task = SMR_TASK_CLASSIFY, .label = t->label, .n_classes = k};
    t->b = (struct smr_boosting){.params = &t->params,
                                 .state = &t->state,
                                 .data = &t->data,
                                 .n = n,
                                 .n_present = k,
                                 .total = (double)n};
    t->state.n_classes = k;
    t->state.n_levels = SMR_ADABOOST_LEVELS;
    t->state.present = calloc((size_t)k, sizeof *t->state.present);
    for (int64_t c = 0; c < k; c++) t->state.present[c] = 1;
    for (int64_t i = 0; i < n; i++) t->label[i] = (int32_t)(i % k);
    size_t r = (size_t)rounds;
    t->state.alpha = calloc(r, sizeof(double));
    t->state.error = calloc(r, sizeof(double));
    t->state.ln_loss = calloc(r, sizeof(double));
    t->state.ln_bound = calloc(r, sizeof(double));
    t->state.train_error = calloc(r, sizeof(double));
    t->state.mark = calloc(SMR_ADABOOST_MARKS, sizeof(int64_t));
    t->state.margin = calloc(SMR_ADABOOST_MARKS * SMR_ADABOOST_LEVELS, sizeof(double));
    t->b.ln_weight = calloc((size_t)n, sizeof(double));
    t->b.weight = calloc((size_t)n, sizeof(double));
    t->b.answers = calloc((size_t)(n * k), sizeof(double));
    t->b.score = calloc((size_t)(n * k), sizeof(double));
    smr_adaboost_weigh(&t->b);
    return t;
}

static void end_told(struct told *t)
{
    free(t->state.present);
    free(t->state.alpha);
    free(t->state.error);
    free(t->state.ln_loss);
    free(t->state.ln_bound);
    free(t->state.train_error);
    free(t->state.mark);
    free(t->state.margin);
    free(t->b.ln_weight);
    free(t->b.weight);
    free(t->b.answers);
    free(t->b.score);
    check_ctx_end(t->ctx);
    free(t);
}

/* Round r of a member that is wrong on rows [lo, hi): it names the next class. */
static int wrong_on(struct told *t, int64_t r, int64_t lo, int64_t hi)
{
    int stop = 0;
    for (int64_t i = 0; i < t->b.n; i++) {
        bool wrong = i >= lo && i < hi;
        t->b.answers[i] = (double)((t->label[i] + wrong) % t->state.n_classes);
    }
    check_ok(t->ctx, smr_adaboost_classes_round(t->ctx, &t->b, r, &stop));
    smr_adaboost_weigh(&t->b);
    smr_adaboost_classes_note(&t->b, r);
    return stop;
}

static void alphas_are_those_of_the_notes(void **unused)
{
    static const int64_t wrong[] = {30, 21, 14};
    static const double alpha[] = {0.4236, 0.6625, 0.9076};
    (void)unused;
    for (int k = 0; k < 3; k++) {
        struct told *t = tell_members(100, 2, 1);
        wrong_on(t, 0, 0, wrong[k]);
        check_near("error", t->state.error[0], (double)wrong[k] / 100, 1e-15);
        check_near("alpha", t->state.alpha[0], alpha[k], 5e-5); /* four digits are given */
        end_told(t);
    }
}

/* Ten points, three new ones wrong in each round. */
static void ten_points_get_the_weights_of_the_notes(void **unused)
{
    static const double error[] = {3 / 10., 3 / 14., 3 / 22.};
    static const double alpha[] = {0.4236, 0.6496, 0.9229};
    struct told *t = tell_members(10, 2, 3);
    double w[10];
    (void)unused;
    for (int64_t r = 0; r < 3; r++) {
        wrong_on(t, r, 3 * r, 3 * r + 3);
        check_near("error", t->state.error[r], error[r], 1e-14);
        check_near("alpha", t->state.alpha[r], alpha[r], 5e-5);
        for (int64_t i = 0; i < 10; i++) w[i] = t->b.weight[i] / 10; /* with sum 1 */
        double last = 0;
        for (int64_t i = 3 * r; i < 3 * r + 3; i++) last += w[i];
        check_near("the last member is wrong on half of the weight", last, 0.5, 1e-14);
        if (r == 0)
            for (int64_t i = 0; i < 10; i++)
                check_near("weight", w[i], i < 3 ? 1 / 6. : 1 / 14., 1e-14);
        if (r == 1)
            for (int64_t i = 0; i < 10; i++)
                check_near("weight", w[i], i < 3 ? 7 / 66. : i < 6 ? 1 / 6. : 1 / 22., 1e-14);
    }
    check_near("product of Z", smr_exp(t->state.ln_bound[2]), 0.5162, 5e-5);
    check_near("loss", t->state.ln_loss[2], t->state.ln_bound[2], 1e-14);
    check_near("training error", t->state.train_error[2], 0, 0);
    end_told(t);
}

static void margins_are_votes_for_less_votes_against(void **unused)
{
    struct told *t = tell_members(10, 2, 3);
    double a[3], sum = 0;
    (void)unused;
    for (int64_t r = 0; r < 3; r++) wrong_on(t, r, 3 * r, 3 * r + 3);
    for (int64_t r = 0; r < 3; r++) sum += a[r] = t->state.alpha[r];
    check_ok(t->ctx, smr_adaboost_margins(t->ctx, &t->b, 2));
    assert_int_equal(t->state.n_marks, 1);
    assert_int_equal(t->state.mark[0], 3);
    const double *q =
        t->state.margin; /* three rows each, ascending, and one that is always right */
    check_near("least", q[0], (sum - 2 * a[2]) / sum, 1e-14);
    check_near("a quarter", q[25], (sum - 2 * a[2]) / sum, 1e-14);
    check_near("half", q[50], (sum - 2 * a[1]) / sum, 1e-14);
    check_near("most", q[85], (sum - 2 * a[0]) / sum, 1e-14);
    check_near("greatest", q[100], 1, 1e-14);
    end_told(t);
}

static void of_many_classes_the_last_member_ends_at_chance(void **unused)
{
    (void)unused;
    for (int64_t k = 3; k < 7; k++) {
        struct told *t = tell_members(211, k, 1);
        double wrong = 0;
        wrong_on(t, 0, 5, 102);
        double e = 97. / 211;
        check_near("alpha", t->state.alpha[0], (log((1 - e) / e) + log((double)k - 1)) / 2, 1e-14);
        for (int64_t i = 5; i < 102; i++) wrong += t->b.weight[i] / 211;
        check_near("error of guessing", wrong, 1 - 1 / (double)k, 1e-13);
        end_told(t);
    }
}

/* A thousandth of a per cent wrong, other rows in each round: the loss falls to e^-16000. */
static void thousands_of_rounds_do_not_underflow(void **unused)
{
    enum { ROUNDS = 4000 };
    struct told *t = tell_members(MOST, 2, ROUNDS);
    (void)unused;
    for (int64_t r = 0; r < ROUNDS; r++) {
        int64_t lo = (r * 1013) % (MOST - 3);
        assert_int_equal(wrong_on(t, r, lo, lo + 2), SMR_ADABOOST_DONE);
    }
    double sum = 0;
    for (int64_t i = 0; i < MOST; i++) {
        assert_true(t->b.weight[i] >= 0 && isfinite(t->b.weight[i]));
        sum += t->b.weight[i];
    }
    check_near("weights", sum, MOST, 1e-12);
    assert_true(t->state.ln_loss[ROUNDS - 1] < -2000);
    check_near("loss and product of Z", t->state.ln_loss[ROUNDS - 1], t->state.ln_bound[ROUNDS - 1],
               1e-10); /* a sum of 4000 logarithms */
    end_told(t);
}

static void a_member_at_chance_or_without_an_error_ends_it(void **unused)
{
    struct told *t = tell_members(100, 2, 5);
    int stop = 0;
    (void)unused;
    assert_int_equal(wrong_on(t, 0, 0, 30), SMR_ADABOOST_DONE);
    smr_adaboost_classes_round(t->ctx, &t->b, 1, &stop); /* the same answers again */
    assert_int_equal(stop, SMR_ADABOOST_CHANCE);
    assert_int_equal(wrong_on(t, 1, 0, 0), SMR_ADABOOST_PERFECT);
    check_near("it outvotes the first", t->state.alpha[1], 1 + t->state.alpha[0], 1e-15);
    check_near("training error", t->state.train_error[1], 0, 0);
    end_told(t);
}

/* ---- members that are fitted ------------------------------------------------------------ */

/* The answers of a sentence fitted with these weights. */
static void said_with(smr_ctx *ctx, const char *sentence, const smr_data *data,
                      const double *weight, smr_output output, double *out)
{
    smr_data mine = *data;
    mine.weight = weight;
    smr_member m = train(ctx, sentence, &mine);
    check_ok(ctx, smr_member_apply(ctx, &m, data, output, out));
    smr_member_release(&m);
}

static void divide(double *w, double total)
{
    double sum = 0;
    for (int64_t i = 0; i < N; i++) sum += w[i];
    for (int64_t i = 0; i < N; i++) w[i] *= total / sum;
}

static double total_of(const struct problem *p)
{
    double sum = 0;
    for (int64_t i = 0; i < N; i++) sum += p->weight[i];
    return sum;
}

enum { ROUNDS = 6 };

/* Plain weights, multiplied and divided by their sum in every round. */
static void discrete_rounds_are_those_made_by_hand(void **unused)
{
    static const char *const of = "logistic l2=3";
    struct problem p;
    smr_ctx *ctx = check_ctx(1);
    double w[N], said[N], f[N * 3], decision[N * 3], vote[N * 3] = {0};
    (void)unused;
    for (int64_t k = 2; k <= 3; k++) {
        make_problem(&p, k);
        memcpy(w, p.weight, sizeof w);
        memset(vote, 0, sizeof vote);
        smr_member m = train(ctx, "adaboost 6 rate=0.7 of=(logistic l2=3)", &p.m.data);
        const struct smr_adaboost_state *s = smr_member_last(&m)->state;
        assert_true(s->n_rounds >= 3); /* of three classes the next is at chance */
        for (int64_t r = 0; r < s->n_rounds; r++) {
            double wrong = 0, all = 0;
            said_with(ctx, of, &p.m.data, w, SMR_OUTPUT_LABEL, said);
            for (int64_t i = 0; i < N; i++) {
                all += w[i];
                if ((int32_t)said[i] != p.label[i]) wrong += w[i];
            }
            double e = wrong / all, a = 0.7 * (log((1 - e) / e) + log((double)k - 1)) / 2;
            check_near("error", s->error[r], e, 1e-9); /* logistic stops at 1e-6 of its gradient */
            check_near("alpha", s->alpha[r], a, 1e-8);
            for (int64_t i = 0; i < N; i++) {
                vote[i * k + (int64_t)said[i]] += a;
                if ((int32_t)said[i] != p.label[i]) w[i] *= exp(2 * a);
            }
            divide(w, total_of(&p));
        }
        check_ok(ctx, smr_member_apply(ctx, &m, &p.m.data, SMR_OUTPUT_DECISION, decision));
        for (int64_t i = 0; i < N; i++)
            for (int64_t c = 0; c < k; c++) {
                double mean = 0;
                for (int64_t d = 0; d < k; d++) mean += 2 * vote[i * k + d] / (double)k;
                f[i * k + c] = (double)(k - 1) * (2 * vote[i * k + c] - mean);
                check_near("decision", decision[i * k + c], f[i * k + c], 1e-7);
            }
        smr_member_release(&m);
        end_problem(&p);
    }
    check_ctx_end(ctx);
}

static void real_rounds_are_those_made_by_hand(void **unused)
{
    static const char *const of = "logistic l2=30";
    struct problem p;
    smr_ctx *ctx = check_ctx(1);
    double w[N], proba[N * 3], f[N * 3], out[N * 3];
    (void)unused;
    for (int64_t k = 2; k <= 3; k++) {
        make_problem(&p, k);
        memcpy(w, p.weight, sizeof w);
        memset(f, 0, sizeof f);
        smr_member m = train(ctx, "adaboost 6 method=real of=(logistic l2=30)", &p.m.data);
        const struct smr_adaboost_state *s = smr_member_last(&m)->state;
        assert_int_equal(s->n_rounds, ROUNDS);
        for (int r = 0; r < ROUNDS; r++) {
            said_with(ctx, of, &p.m.data, w, SMR_OUTPUT_PROBA, proba);
            for (int64_t i = 0; i < N; i++) {
                double mean = 0, *q = proba + i * k;
                for (int64_t c = 0; c < k; c++) mean += log(q[c]) / (double)k;
                for (int64_t c = 0; c < k; c++)
                    f[i * k + c] += (double)(k - 1) * (log(q[c]) - mean);
                w[i] *= exp(-(log(q[p.label[i]]) - mean));
            }
            divide(w, total_of(&p));
        }
        check_ok(ctx, smr_member_apply(ctx, &m, &p.m.data, SMR_OUTPUT_DECISION, out));
        for (int64_t i = 0; i < N * k; i++) check_near("decision", out[i], f[i], 1e-6);
        check_ok(ctx, smr_member_apply(ctx, &m, &p.m.data, SMR_OUTPUT_PROBA, out));
        for (int64_t i = 0; i < N; i++) {
            double sum = 0;
            for (int64_t c = 0; c < k; c++) sum += exp(f[i * k + c] / (double)(k - 1));
            for (int64_t c = 0; c < k; c++)
                check_near("probability", out[i * k + c], exp(f[i * k + c] / (double)(k - 1)) / sum,
                           1e-6);
        }
        smr_member_release(&m);
        end_problem(&p);
    }
    check_ctx_end(ctx);
}

/* The smallest value whose share of the weights, with all below it, is half or more. */
static double median_by_hand(const double *v, const double *a, int n)
{
    double all = 0, best = INFINITY;
    for (int t = 0; t < n; t++) all += a[t];
    for (int t = 0; t < n; t++) {
        double upto = 0;
        for (int u = 0; u < n; u++) upto += v[u] <= v[t] ? a[u] : 0;
        if (upto >= all / 2 && v[t] < best) best = v[t];
    }
    return best;
}

/* A target times a power of two, up to some 1e300, is answered with that power, bit by bit: nothing
 * overflows on the way, whatever the loss. */
static void large_targets_are_boosted_as_small_ones(void **unused)
{
    enum { LARGE_ROWS = 97, COLUMNS = 3 };
    static const char *const losses[] = {"linear", "square", "exponential"};
    static double x[LARGE_ROWS * COLUMNS], y[2][LARGE_ROWS], out[2][LARGE_ROWS];
    (void)unused;
    for (uint64_t i = 0; i < LARGE_ROWS; i++) {
        for (uint64_t j = 0; j < COLUMNS; j++)
            x[i * COLUMNS + j] = smr_random_unit(8, SMR_STREAM_TEST, i, j);
        y[0][i] = x[i * COLUMNS] * 2 - 1 + 0.4 * (x[i * COLUMNS + 1] > 0.5);
        y[1][i] = ldexp(y[0][i], 996);
    }
    for (int l = 0; l < 3; l++) {
        char sentence[96];
        snprintf(sentence, sizeof sentence, "adaboost 12 loss=%s of=(tree max_depth=3)", losses[l]);
        for (int k = 0; k < 2; k++) {
            smr_ctx *ctx = check_ctx(1);
            smr_feature features[COLUMNS];
            smr_member m = {0};
            for (int j = 0; j < COLUMNS; j++)
                features[j] = (smr_feature){
                    .name = "x", .kind = SMR_NUMBER, .values = x + j, .stride = COLUMNS};
            smr_data data = {.size = sizeof data,
                             .n_rows = LARGE_ROWS,
                             .n_features = COLUMNS,
                             .features = features,
                             .task = SMR_TASK_REGRESS,
                             .n_outputs = 1,
                             .y = y[k]};
            check_ok(ctx, said_member(ctx, sentence, &data, &m, NULL));
            check_ok(ctx, smr_member_apply(ctx, &m, &data, SMR_OUTPUT_VALUE, out[k]));
            smr_member_release(&m);
            check_ctx_end(ctx);
        }
        for (int i = 0; i < LARGE_ROWS; i++)
            if (!(out[1][i] == ldexp(out[0][i], 996)))
                fail_msg("%s, row %d: %.17g and %.17g", losses[l], i, out[0][i], out[1][i]);
    }
}

static void rounds_for_numbers_are_those_made_by_hand(void **unused)
{
    static const char *const words[] = {"linear", "square", "exponential"};
    struct problem p;
    smr_ctx *ctx = check_ctx(1);
    double w[N], said[ROUNDS][N], a[ROUNDS], out[N], v[ROUNDS];
    (void)unused;
    make_problem(&p, 0);
    for (int kind = 0; kind < 3; kind++) {
        char sentence[96];
        snprintf(sentence, sizeof sentence, "adaboost 6 loss=%s of=(knn 3)", words[kind]);
        memcpy(w, p.weight, sizeof w);
        smr_member m = train(ctx, sentence, &p.m.data);
        const struct smr_adaboost_state *s = smr_member_last(&m)->state;
        int rounds = (int)s->n_rounds;
        assert_true(rounds >= 3);
        for (int r = 0; r < rounds; r++) {
            double most = 0, mean = 0, loss[N];
            said_with(ctx, "knn 3", &p.m.data, w, SMR_OUTPUT_VALUE, said[r]);
            for (int64_t i = 0; i < N; i++) most = fmax(most, fabs(said[r][i] - p.y[i]));
            for (int64_t i = 0; i < N; i++) {
                loss[i] = fabs(said[r][i] - p.y[i]) / most;
                if (kind == 1) loss[i] *= loss[i];
                if (kind == 2) loss[i] = 1 - exp(-loss[i]);
                mean += w[i] * loss[i] / total_of(&p);
            }
            double beta = mean / (1 - mean);
            a[r] = log(1 / beta);
            check_near("mean loss", s->error[r], mean, 1e-12);
            check_near("alpha", s->alpha[r], a[r], 1e-11);
            for (int64_t i = 0; i < N; i++) w[i] *= pow(beta, 1 - loss[i]);
            divide(w, total_of(&p));
        }
        check_ok(ctx, smr_member_apply(ctx, &m, &p.m.data, SMR_OUTPUT_VALUE, out));
        for (int64_t i = 0; i < N; i++) {
            for (int r = 0; r < rounds; r++) v[r] = said[r][i];
            check_near("median", out[i], median_by_hand(v, a, rounds), 1e-9);
        }
        smr_member_release(&m);
    }
    end_problem(&p);
    check_ctx_end(ctx);
}

static void weighted_medians_split_the_weight(void **unused)
{
    (void)unused;
    for (int n = 1; n < 40; n++) {
        double *v = random_matrix(n, (uint64_t)n), *a = random_matrix(n, (uint64_t)n + 100);
        for (int t = 0; t < n; t++) {
            a[t] = fabs(a[t]) + 0.01;
            if (t % 3 == 1) v[t] = v[t - 1];
        }
        double want = median_by_hand(v, a, n);
        check_near("median", smr_weighted_median(n, v, a), want, 0);
        for (int t = 1; t < n; t++) assert_true(v[t] >= v[t - 1]);
        free(v);
        free(a);
    }
    double v[] = {4, 1}, a[] = {1, 1};
    check_near("a tie goes to the lower", smr_weighted_median(2, v, a), 1, 0);
}

static void loss_is_the_product_of_z_and_bounds_the_error(void **unused)
{
    struct problem p;
    smr_ctx *ctx = check_ctx(1);
    double out[N * 2];
    (void)unused;
    make_problem(&p, 2);
    static const char *const sentences[] = {"adaboost 40 of=(logistic l2=5)",
                                            "adaboost 40 method=real of=(logistic l2=5)",
                                            "adaboost 40 step=fixed alpha=0.05 of=(logistic l2=5)"};
    for (int k = 0; k < 3; k++) {
        smr_member m = train(ctx, sentences[k], &p.m.data);
        const struct smr_adaboost_state *s = smr_member_last(&m)->state;
        double gamma = 0.5, loss = 0;
        for (int64_t t = 0; t < s->n_rounds; t++) {
            check_near("loss", s->ln_loss[t], s->ln_bound[t], 1e-10);
            assert_true(s->train_error[t] <= exp(s->ln_bound[t]) + 1e-12);
            gamma = fmin(gamma, 0.5 - s->error[t]);
            if (k == 0) assert_true(s->ln_bound[t] <= -2 * gamma * gamma * (double)(t + 1) + 1e-12);
        }
        check_ok(ctx, smr_member_apply(ctx, &m, &p.m.data, SMR_OUTPUT_DECISION, out));
        for (int64_t i = 0; i < N; i++)
            loss += p.weight[i] / total_of(&p) * exp(-out[2 * i + p.label[i]]);
        check_near("loss of the decisions", loss, exp(s->ln_loss[s->n_rounds - 1]), 1e-10);
        smr_member_release(&m);
    }
    end_problem(&p);
    check_ctx_end(ctx);
}

/* ---- rounds ----------------------------------------------------------------------------- */

static void after(const smr_member *m, smr_ctx *ctx, const struct problem *p, smr_output output,
                  int64_t round, double *out)
{
    const smr_stage *last = smr_member_last(m);
    smr_rows rows = {.n = N, .d = D, .form = SMR_FORM_F64, .x = p->x, .stride = D};
    void *scratch = smr_alloc(ctx, smr_adaboost_scratch(last->params, last->state, N), 1);
    check_ok(ctx, smr_adaboost.fitted->rounds->predict_after(ctx, last->params, last->state, &rows,
                                                             output, round, out, scratch));
    smr_free(scratch);
}

static void first_rounds_are_those_of_a_shorter_fit(void **unused)
{
    smr_ctx *ctx = check_ctx(1);
    double whole[N * 3], part[N * 3];
    (void)unused;
    for (int64_t k = 0; k <= 3; k += 3) {
        struct problem p;
        make_problem(&p, k);
        smr_output output = k ? SMR_OUTPUT_PROBA : SMR_OUTPUT_VALUE;
        smr_member m = train(ctx, "adaboost 9 of=(knn 5)", &p.m.data);
        const struct smr_adaboost_state *s = smr_member_last(&m)->state;
        for (int64_t r = 1; r <= s->n_rounds; r++) {
            char sentence[64];
            snprintf(sentence, sizeof sentence, "adaboost %lld of=(knn 5)", (long long)r);
            smr_member fewer = train(ctx, sentence, &p.m.data);
            check_ok(ctx, smr_member_apply(ctx, &fewer, &p.m.data, output, whole));
            after(&m, ctx, &p, output, r, part);
            assert_memory_equal(whole, part, sizeof(double) * (size_t)(k ? N * k : N));
            smr_member_release(&fewer);
        }
        after(&m, ctx, &p, output, 0, part);
        if (k) check_near("before the first", part[5], 1 / 3., 1e-15);
        if (!k) check_near("before the first", part[5], s->start, 0);
        smr_member_release(&m);
        end_problem(&p);
    }
    check_ctx_end(ctx);
}

/* ---- ends ------------------------------------------------------------------------------- */

static void a_first_member_at_chance_is_an_error_that_says_so(void **unused)
{
    double x[] = {0, 0, 1, 1, 0, 0, 1, 1}; /* each point with both labels */
    struct matrix_data m;
    int32_t label[] = {0, 1, 0, 1, 0, 1, 0, 1};
    smr_member member = {0};
    smr_ctx *ctx = check_ctx(1);
    (void)unused;
    matrix_data(&m, 8, 1, 1, x, NULL, NULL);
    m.data.task = SMR_TASK_CLASSIFY;
    m.data.label = label;
    m.data.n_classes = 2;
    check_fails(ctx, said_member(ctx, "adaboost of=(logistic)", &m.data, &member, NULL),
                SMR_ERR_DATA,
                "logistic, is no better than chance: it gets 0.5 of the weight wrong");
    check_fails(ctx, said_member(ctx, "adaboost method=real of=(logistic)", &m.data, &member, NULL),
                SMR_ERR_DATA, "no better than chance");
    check_ctx_end(ctx);
}

static void separable_rows_need_one_member(void **unused)
{
    struct problem p;
    struct heard heard;
    smr_ctx *ctx = hearing_ctx(&heard);
    (void)unused;
    make_problem(&p, 2);
    for (int64_t i = 0; i < N; i++) p.label[i] = p.x[i * D + 1] > 0.1;
    smr_member m = train(ctx, "adaboost of=(logistic l2=1e-4)", &p.m.data);
    const struct smr_adaboost_state *s = smr_member_last(&m)->state;
    assert_int_equal(s->n_rounds, 1);
    assert_int_equal(s->stopped, SMR_ADABOOST_PERFECT);
    check_near("alpha", s->alpha[0], 1, 0);
    check_heard(&heard, "adaboost: the first learner makes no error on its rows");
    smr_member_release(&m);
    end_problem(&p);
    check_ctx_end(ctx);
}

static void constant_targets_and_exact_fits_need_one_member(void **unused)
{
    struct problem p;
    smr_ctx *ctx = check_ctx(1);
    double out[N];
    (void)unused;
    make_problem(&p, 0);
    for (int k = 0; k < 2; k++) {
        for (int64_t i = 0; i < N; i++) p.y[i] = k ? 3 * p.x[i * D] - 7 * p.x[i * D + 2] + 1 : 5;
        smr_member m = train(ctx, "adaboost of=(linear)", &p.m.data);
        const struct smr_adaboost_state *s = smr_member_last(&m)->state;
        assert_int_equal(s->n_rounds, 1);
        assert_int_equal(s->stopped, SMR_ADABOOST_PERFECT);
        check_ok(ctx, smr_member_apply(ctx, &m, &p.m.data, SMR_OUTPUT_VALUE, out));
        for (int64_t i = 0; i < N; i++) check_near("value", out[i], p.y[i], 1e-12);
        smr_member_release(&m);
    }
    end_problem(&p);
    check_ctx_end(ctx);
}

static void absent_classes_change_nothing_and_are_never_chosen(void **unused)
{
    struct problem p;
    smr_ctx *ctx = check_ctx(1);
    double two[N * 2], four[N * 4];
    (void)unused;
    make_problem(&p, 2);
    static const char *const sentences[] = {"adaboost 5 of=(knn 9)",
                                            "adaboost 5 method=real of=(knn 9)"};
    for (int k = 0; k < 2; k++) {
        for (int64_t i = 0; i < N; i++) p.label[i] %= 2;
        p.m.data.n_classes = 2;
        smr_member m = train(ctx, sentences[k], &p.m.data);
        check_ok(ctx, smr_member_apply(ctx, &m, &p.m.data, SMR_OUTPUT_PROBA, two));
        smr_member_release(&m);
        for (int64_t i = 0; i < N; i++) p.label[i] += 2 * p.label[i]; /* classes 0 and 3 of four */
        p.m.data.n_classes = 4;
        m = train(ctx, sentences[k], &p.m.data);
        check_ok(ctx, smr_member_apply(ctx, &m, &p.m.data, SMR_OUTPUT_PROBA, four));
        for (int64_t i = 0; i < N; i++) {
            check_near("probability", four[4 * i + 3], two[2 * i + 1], 1e-14);
            check_near("absent", four[4 * i + 1] + four[4 * i + 2], 0, 0);
        }
        check_ok(ctx, smr_member_apply(ctx, &m, &p.m.data, SMR_OUTPUT_DECISION, four));
        for (int64_t i = 0; i < N; i++)
            assert_true(four[4 * i + 1] < fmin(four[4 * i], four[4 * i + 3]));
        smr_member_release(&m);
        for (int64_t i = 0; i < N; i++) p.label[i] /= 3;
    }
    end_problem(&p);
    check_ctx_end(ctx);
}

static void one_class_is_always_chosen(void **unused)
{
    struct problem p;
    smr_ctx *ctx = check_ctx(1);
    double out[N * 2];
    (void)unused;
    make_problem(&p, 2);
    for (int64_t i = 0; i < N; i++) p.label[i] = 1;
    smr_member m = train(ctx, "adaboost of=(knn 3)", &p.m.data);
    check_ok(ctx, smr_member_apply(ctx, &m, &p.m.data, SMR_OUTPUT_PROBA, out));
    for (int64_t i = 0; i < N; i++) check_near("probability", out[2 * i + 1], 1, 0);
    smr_member_release(&m);
    end_problem(&p);
    check_ctx_end(ctx);
}

static void real_boosting_asks_for_probabilities(void **unused)
{
    struct problem p;
    smr_member member = {0};
    smr_ctx *ctx = check_ctx(1);
    (void)unused;
    make_problem(&p, 2);
    check_fails(ctx,
                said_member(ctx, "adaboost method=real of=(perceptron)", &p.m.data, &member, NULL),
                SMR_ERR_PARAM, "needs probabilities, which perceptron does not give");
    check_fails(ctx, said_member(ctx, "adaboost of=(poly 2)", &p.m.data, &member, NULL),
                SMR_ERR_PARAM, "poly can transform; a learner that can classify");
    for (int64_t i = 0; i < N; i++) p.weight[i] = 0;
    check_fails(ctx, said_member(ctx, "adaboost of=(knn)", &p.m.data, &member, NULL), SMR_ERR_DATA,
                "sum to zero");
    end_problem(&p);
    check_ctx_end(ctx);
}

/* ---- weights and draws ------------------------------------------------------------------ */

static void a_row_of_weight_two_is_the_row_twice(void **unused)
{
    struct problem p;
    smr_ctx *ctx = check_ctx(1);
    double weighted[N * 2], repeated[N * 2], w[N];
    int64_t rows[2 * N], n = 0;
    smr_subset twice = {0};
    (void)unused;
    make_problem(&p, 2);
    for (int64_t i = 0; i < N; i++) {
        w[i] = 1 + (double)(i % 3 == 0);
        for (int64_t k = 0; k < 1 + (i % 3 == 0); k++) rows[n++] = i;
    }
    p.m.data.weight = w;
    smr_member m = train(ctx, "adaboost 7 of=(logistic l2=2)", &p.m.data);
    check_ok(ctx, smr_member_apply(ctx, &m, &p.m.data, SMR_OUTPUT_DECISION, weighted));
    smr_member_release(&m);
    p.m.data.weight = NULL;
    check_ok(ctx, smr_subset_make(ctx, &p.m.data, rows, n, NULL, &twice));
    m = train(ctx, "adaboost 7 of=(logistic l2=2)", &twice.data);
    check_ok(ctx, smr_member_apply(ctx, &m, &p.m.data, SMR_OUTPUT_DECISION, repeated));
    for (int64_t i = 0; i < 2 * N; i++) check_near("decision", weighted[i], repeated[i], 1e-6);
    smr_member_release(&m);
    smr_subset_release(&twice);
    end_problem(&p);
    check_ctx_end(ctx);
}

static void drawn_rows_depend_on_the_seed_alone(void **unused)
{
    struct problem p;
    double out[3][N * 2];
    (void)unused;
    make_problem(&p, 2);
    for (int k = 0; k < 3; k++) {
        smr_ctx *ctx = check_ctx(k == 1 ? 3 : 1);
        ctx->seed = k == 2 ? 5 : 0;
        smr_member m = train(ctx, "adaboost 5 resample=yes of=(standardize | knn 7)", &p.m.data);
        check_ok(ctx, smr_member_apply(ctx, &m, &p.m.data, SMR_OUTPUT_DECISION, out[k]));
        smr_member_release(&m);
        check_ctx_end(ctx);
    }
    assert_memory_equal(out[0], out[1], sizeof out[0]);
    assert_memory_not_equal(out[0], out[2], sizeof out[0]);
    end_problem(&p);
}

static void turned_labels_are_among_the_heaviest_rows(void **unused)
{
    static const int64_t turned[] = {17, 64, 140};
    struct problem p;
    smr_ctx *ctx = check_ctx(1);
    (void)unused;
    make_problem(&p, 2);
    for (int64_t i = 0; i < N; i++) p.label[i] = p.x[i * D] + 0.4 * p.x[i * D + 1] > 0;
    for (int k = 0; k < 3; k++) { /* far from the border, and on the wrong side of it */
        p.x[turned[k] * D] = k % 2 ? 3 : -3;
        p.label[turned[k]] = k % 2 == 0;
    }
    smr_member m = train(ctx, "adaboost 8 of=(logistic)", &p.m.data);
    const struct smr_adaboost_state *s = smr_member_last(&m)->state;
    assert_true(s->n_heavy >= 5);
    for (int k = 0; k < 3; k++) {
        bool found = false;
        for (int j = 0; j < 5; j++) found |= s->heavy_row[j] == turned[k];
        assert_true(found);
    }
    smr_member_release(&m);
    end_problem(&p);
    check_ctx_end(ctx);
}

static void what_fits_share_is_not_handed_through_stages(void **unused)
{
    struct problem p;
    smr_ctx *ctx = check_ctx(1);
    smr_shared shared = {0};
    smr_data behind;
    smr_subset some = {0}, all = {0};
    int64_t rows[] = {3, 1, 2};
    (void)unused;
    make_problem(&p, 2);
    p.m.data.shared = &shared;
    smr_member m = train(ctx, "standardize | logistic", &p.m.data);
    smr_chain(&p.m.data, &m.stages[0], &behind);
    assert_null(behind.shared);
    check_ok(ctx, smr_subset_make(ctx, &p.m.data, rows, 3, NULL, &some));
    assert_null(some.data.shared);
    check_ok(ctx, smr_subset_make(ctx, &p.m.data, NULL, N, NULL, &all));
    assert_ptr_equal(all.data.shared, &shared);
    smr_subset_release(&some);
    smr_subset_release(&all);
    smr_member_release(&m);
    end_problem(&p);
    check_ctx_end(ctx);
}

static smr_status fit_some(smr_ctx *ctx, void *arg)
{
    const struct problem *p = arg;
    smr_member m = {0};
    smr_status st = said_member(ctx, "adaboost 3 resample=yes of=(knn 3)", &p->m.data, &m, NULL);
    smr_member_release(&m);
    if (st != SMR_OK) return st;
    st = said_member(ctx, "adaboost 3 method=real of=(logistic)", &p->m.data, &m, NULL);
    smr_member_release(&m);
    return st;
}

static void failing_allocations_are_survived(void **unused)
{
    struct problem p;
    smr_ctx *ctx = check_ctx(1);
    (void)unused;
    make_problem(&p, 3);
    assert_true(fail_each_allocation(ctx, fit_some, &p) > 40);
    end_problem(&p);
    check_ctx_end(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(alphas_are_those_of_the_notes),
        cmocka_unit_test(ten_points_get_the_weights_of_the_notes),
        cmocka_unit_test(margins_are_votes_for_less_votes_against),
        cmocka_unit_test(of_many_classes_the_last_member_ends_at_chance),
        cmocka_unit_test(thousands_of_rounds_do_not_underflow),
        cmocka_unit_test(a_member_at_chance_or_without_an_error_ends_it),
        cmocka_unit_test(discrete_rounds_are_those_made_by_hand),
        cmocka_unit_test(real_rounds_are_those_made_by_hand),
        cmocka_unit_test(large_targets_are_boosted_as_small_ones),
        cmocka_unit_test(rounds_for_numbers_are_those_made_by_hand),
        cmocka_unit_test(weighted_medians_split_the_weight),
        cmocka_unit_test(loss_is_the_product_of_z_and_bounds_the_error),
        cmocka_unit_test(first_rounds_are_those_of_a_shorter_fit),
        cmocka_unit_test(a_first_member_at_chance_is_an_error_that_says_so),
        cmocka_unit_test(separable_rows_need_one_member),
        cmocka_unit_test(constant_targets_and_exact_fits_need_one_member),
        cmocka_unit_test(absent_classes_change_nothing_and_are_never_chosen),
        cmocka_unit_test(one_class_is_always_chosen),
        cmocka_unit_test(real_boosting_asks_for_probabilities),
        cmocka_unit_test(a_row_of_weight_two_is_the_row_twice),
        cmocka_unit_test(drawn_rows_depend_on_the_seed_alone),
        cmocka_unit_test(turned_labels_are_among_the_heaviest_rows),
        cmocka_unit_test(what_fits_share_is_not_handed_through_stages),
        cmocka_unit_test(failing_allocations_are_survived),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
