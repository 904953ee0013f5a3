/* test_multi.c -- ova and ovo: what they make of their members' answers.
 *
 * Truth: the members themselves, fitted on the pairs of classes by hand, and for the coupling the
 * conditions of its optimum and pairwise probabilities that agree exactly. */
#include "learn/matrix_data.h"
#include "said.h"

#include "data/row_subset.h"
#include "learn/member.h"
#include "learn/spec.h"

extern const smr_learner smr_ova, smr_ovo;

enum { N = 97, D = 3, K = 4 };

struct problem {
    struct matrix_data m;
    double *x, *weight;
    int32_t label[N];
};

static void make_problem(struct problem *p, int64_t n_classes)
{
    double *noise = random_matrix(N, 12);
    p->x = random_matrix(N * D, 31);
    p->weight = random_matrix(N, 13);
    for (int64_t i = 0; i < N; i++) {
        const double *r = p->x + i * D;
        double s = r[0] - 0.6 * r[1] + 0.7 * noise[i];
        p->label[i] = (int32_t)(s > 0) + (r[2] + 0.3 * noise[i] > 0.2 ? 2 : 0);
        if (n_classes == 2) p->label[i] %= 2;
        p->weight[i] = 0.5 + fabs(p->weight[i]);
    }
    matrix_data(&p->m, N, D, 1, p->x, NULL, NULL);
    p->m.data.task = SMR_TASK_CLASSIFY;
    p->m.data.label = p->label;
    p->m.data.n_classes = n_classes;
    free(noise);
}

static void end_problem(struct problem *p)
{
    free(p->x);
    free(p->weight);
}

/* A meta-learner with its sentence. */
struct model {
    smr_ctx *ctx;
    smr_member member;
};

static struct model train(const char *sentence, const smr_data *data, int threads)
{
    struct model m = {.ctx = check_ctx(threads)};
    check_ok(m.ctx, said_member(m.ctx, sentence, data, &m.member, NULL));
    return m;
}

static void answers(const struct model *m, const smr_data *data, smr_output output, double *out)
{
    check_ok(m->ctx, smr_member_apply(m->ctx, &m->member, data, output, out));
}

static void end_model(struct model *m)
{
    smr_member_release(&m->member);
    check_ctx_end(m->ctx);
}

/* Answers of class 1 of a learner fitted on classes a (or all but b) and b. */
static void pair_answers(const char *sentence, const struct problem *p, int a, int b,
                         smr_output output, double *out)
{
    smr_ctx *ctx = check_ctx(1);
    int64_t rows[N], n = 0;
    int32_t label[N];
    double both[2 * N];
    smr_member member = {0};
    smr_subset subset = {0};
    for (int64_t i = 0; i < N; i++)
        if (a < 0 || p->label[i] == a || p->label[i] == b) {
            rows[n] = i;
            label[n++] = p->label[i] == b;
        }
    smr_subset_with with = {.task = SMR_TASK_CLASSIFY, .label = label, .n_classes = 2};
    check_ok(ctx, smr_subset_make(ctx, &p->m.data, rows, n, &with, &subset));
    check_ok(ctx, said_member(ctx, sentence, &subset.data, &member, NULL));
    check_ok(ctx, smr_member_apply(ctx, &member, &p->m.data, output, both));
    for (int64_t i = 0; i < N; i++) out[i] = both[2 * i + 1];
    smr_member_release(&member);
    smr_subset_release(&subset);
    check_ctx_end(ctx);
}

/* ---- one against all -------------------------------------------------------------------- */

static void ova_scores_are_those_of_its_members(void **unused)
{
    static const char *const of = "sgd hinge passes=5";
    struct problem p;
    double out[K * N], own[N];
    (void)unused;
    make_problem(&p, K);
    p.m.data.weight = p.weight;
    struct model m = train("ova of=(sgd hinge passes=5)", &p.m.data, 2);
    assert_false(smr_member_gives(&m.member) & SMR_GIVES_PROBA);
    answers(&m, &p.m.data, SMR_OUTPUT_DECISION, out);
    for (int c = 0; c < K; c++) {
        pair_answers(of, &p, -1, c, SMR_OUTPUT_DECISION, own);
        for (int64_t i = 0; i < N; i++) check_near("score", out[i * K + c], own[i], 0);
    }
    end_model(&m);
    end_problem(&p);
}

static void ova_probabilities_are_divided_by_their_sum(void **unused)
{
    struct problem p;
    double out[K * N], own[K][N];
    (void)unused;
    make_problem(&p, K);
    struct model m = train("ova of=(knn 7)", &p.m.data, 1);
    answers(&m, &p.m.data, SMR_OUTPUT_PROBA, out);
    for (int c = 0; c < K; c++) pair_answers("knn 7", &p, -1, c, SMR_OUTPUT_PROBA, own[c]);
    for (int64_t i = 0; i < N; i++) {
        double sum = 0;
        for (int c = 0; c < K; c++) sum += own[c][i];
        for (int c = 0; c < K; c++) check_near("share", out[i * K + c], own[c][i] / sum, 1e-15);
    }
    end_model(&m);
    end_problem(&p);
}

/* ---- one against one -------------------------------------------------------------------- */

static void ovo_counts_the_pairs_that_a_class_wins(void **unused)
{
    static const char *const of = "sgd hinge passes=5";
    struct problem p;
    double out[K * N], pair[N], votes[K * N] = {0}, sum[K * N] = {0};
    (void)unused;
    make_problem(&p, K);
    struct model m = train("ovo of=(sgd hinge passes=5)", &p.m.data, 2);
    answers(&m, &p.m.data, SMR_OUTPUT_DECISION, out);
    for (int a = 0; a < K; a++)
        for (int b = a + 1; b < K; b++) {
            pair_answers(of, &p, a, b, SMR_OUTPUT_DECISION, pair);
            for (int64_t i = 0; i < N; i++) {
                votes[i * K + (pair[i] > 0 ? b : a)]++;
                sum[i * K + b] += pair[i];
                sum[i * K + a] -= pair[i];
            }
        }
    for (int64_t i = 0; i < N * K; i++) {
        assert_true(fabs(out[i] - votes[i]) < 1.0 / 3);
        check_near("decision", out[i], votes[i] + sum[i] / (3 * (fabs(sum[i]) + 1)), 1e-12);
    }
    end_model(&m);
    end_problem(&p);
}

/* The coupled p is where the gradient of sum (r_ba p_a - r_ab p_b)^2 is the same for all classes:
 * nothing that keeps the sum 1 lowers it. */
static void coupled_probabilities_are_optimal(void **unused)
{
    struct problem p;
    double out[K * N], pair[K][K][N];
    (void)unused;
    make_problem(&p, K);
    struct model m = train("ovo of=(sgd logistic passes=5)", &p.m.data, 1);
    answers(&m, &p.m.data, SMR_OUTPUT_PROBA, out);
    for (int a = 0; a < K; a++)
        for (int b = a + 1; b < K; b++) {
            pair_answers("sgd logistic passes=5", &p, a, b, SMR_OUTPUT_PROBA, pair[b][a]);
            for (int64_t i = 0; i < N; i++) pair[a][b][i] = 1 - pair[b][a][i];
        }
    for (int64_t i = 0; i < N; i++) {
        double g[K] = {0}, sum = 0;
        for (int a = 0; a < K; a++) {
            sum += out[i * K + a];
            for (int b = 0; b < K; b++)
                if (a != b)
                    g[a] += pair[b][a][i] *
                            (pair[b][a][i] * out[i * K + a] - pair[a][b][i] * out[i * K + b]);
        }
        check_near("sum", sum, 1, 1e-12);
        for (int a = 1; a < K; a++) check_near("gradient", g[a], g[0], 1e-9);
    }
    end_model(&m);
    end_problem(&p);
}

static void votes_may_be_asked_for(void **unused)
{
    struct problem p;
    (void)unused;
    make_problem(&p, K);
    struct model a = train("ovo of=(knn 7)", &p.m.data, 1);
    struct model b = train("ovo of=(knn 7) by=votes", &p.m.data, 1);
    assert_true(smr_member_gives(&a.member) & SMR_GIVES_PROBA);
    assert_false(smr_member_gives(&b.member) & SMR_GIVES_PROBA);
    end_model(&a);
    end_model(&b);
    end_problem(&p);
}

/* ---- both ------------------------------------------------------------------------------- */

static void two_classes_are_handed_on(void **unused)
{
    static const char *const meta[] = {"ova of=(sgd logistic passes=5)",
                                       "ovo of=(sgd logistic passes=5)"};
    struct problem p;
    double out[2 * N], own[2 * N];
    (void)unused;
    make_problem(&p, 2);
    struct model alone = train("sgd logistic passes=5", &p.m.data, 1);
    for (int k = 0; k < 2; k++)
        for (int o = 0; o < 2; o++) {
            smr_output output = o ? SMR_OUTPUT_PROBA : SMR_OUTPUT_DECISION;
            struct model m = train(meta[k], &p.m.data, 1);
            answers(&m, &p.m.data, output, out);
            answers(&alone, &p.m.data, output, own);
            assert_memory_equal(out, own, sizeof out);
            end_model(&m);
        }
    end_model(&alone);
    end_problem(&p);
}

static void absent_classes_are_never_chosen(void **unused)
{
    static const char *const meta[] = {"ova of=(knn 5)", "ovo of=(knn 5)",
                                       "ova of=(sgd hinge passes=3)",
                                       "ovo of=(sgd hinge passes=3)"};
    struct problem p;
    double out[K * N];
    (void)unused;
    make_problem(&p, K);
    for (int left = 3; left >= 1; left--) { /* classes that have rows */
        for (int64_t i = 0; i < N; i++) p.label[i] %= left;
        for (int k = 0; k < 4; k++) {
            struct model m = train(meta[k], &p.m.data, 1);
            bool has = smr_member_gives(&m.member) & SMR_GIVES_PROBA;
            answers(&m, &p.m.data, has ? SMR_OUTPUT_PROBA : SMR_OUTPUT_DECISION, out);
            for (int64_t i = 0; i < N; i++)
                for (int c = 0; c < left; c++)
                    for (int d = left; d < K; d++)
                        assert_true(out[i * K + d] < out[i * K + c] ||
                                    (has && out[i * K + d] == 0));
            end_model(&m);
        }
    }
    end_problem(&p);
}

static void failing_allocations_are_survived(void **unused)
{
    struct problem p;
    smr_ctx *ctx = check_ctx(1);
    int64_t before = smr_ctx_memory(ctx, NULL), n = 0;
    (void)unused;
    make_problem(&p, K);
    for (bool done = false; !done; n++) {
        smr_member member = {0};
        smr_memory_fail_at(ctx, n);
        smr_status st = said_member(ctx, "ovo of=(sgd hinge passes=2)", &p.m.data, &member, NULL);
        smr_memory_fail_at(ctx, -1);
        smr_member_release(&member);
        assert_int_equal(smr_ctx_memory(ctx, NULL), before);
        done = st == SMR_OK;
        if (!done) assert_int_equal(st, SMR_ERR_NOMEM);
        smr_ctx_clear(ctx);
    }
    assert_true(n > 30);
    end_problem(&p);
    check_ctx_end(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ova_scores_are_those_of_its_members),
        cmocka_unit_test(ova_probabilities_are_divided_by_their_sum),
        cmocka_unit_test(ovo_counts_the_pairs_that_a_class_wins),
        cmocka_unit_test(coupled_probabilities_are_optimal),
        cmocka_unit_test(votes_may_be_asked_for),
        cmocka_unit_test(two_classes_are_handed_on),
        cmocka_unit_test(absent_classes_are_never_chosen),
        cmocka_unit_test(failing_allocations_are_survived),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
