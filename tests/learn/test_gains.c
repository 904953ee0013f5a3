/* test_gains.c -- importances of ensembles of trees: a stump has one feature, so that of boosted
 * stumps the shares are sums of alphas; shares of a bag are means of the trees' shares. */
#include "learn/matrix_data.h"
#include "pipeline.h"

#include "learn/ensemble/adaboost.h"
#include "learn/ensemble/bag.h"
#include "learn/ensemble/gains.h"

enum { N = 211, D = 6 };

struct problem {
    struct matrix_data m;
    double x[N * D];
    int32_t label[N];
    char names[D][8];
};

static void make(struct problem *p)
{
    for (uint64_t i = 0; i < N; i++) {
        double s = 0;
        for (uint64_t j = 0; j < D; j++) {
            p->x[i * D + j] = smr_random_unit(3, SMR_STREAM_TEST, i, j);
            s += (double)(j % 4) * p->x[i * D + j];
        }
        p->label[i] = s + smr_random_unit(3, SMR_STREAM_TEST, i, 77) > 3.4;
    }
    matrix_data(&p->m, N, D, 1, p->x, NULL, NULL);
    p->m.data.task = SMR_TASK_CLASSIFY;
    p->m.data.label = p->label;
    p->m.data.n_classes = 2;
}

static const double *gains_in(const smr_member *m)
{
    const smr_stage *last = smr_member_last(m);
    for (int64_t i = 0; i < last->learner->fitted->n_state; i++)
        if (!strcmp(last->learner->fitted->state[i].name, "gain"))
            return smr_state_values(&last->learner->fitted->state[i], last->state);
    fail_msg("no gains");
    return NULL;
}

static void boosted_stumps_share_their_alphas(void **unused)
{
    struct problem p;
    smr_ctx *ctx = check_ctx(1);
    smr_member m = {0};
    double *gain = NULL, want[D] = {0}, total = 0;
    (void)unused;
    make(&p);
    check_ok(ctx, said_member(ctx, "adaboost 25 of=(stump)", &p.m.data, &m, NULL));
    const struct smr_adaboost_state *s = smr_member_last(&m)->state;
    for (int64_t t = 0; t < s->n_rounds; t++) {
        const double *own = gains_in(&s->of.member[t]);
        total += s->alpha[t];
        for (int j = 0; j < D; j++)
            if (own[j] > 0) want[j] += s->alpha[t];
    }
    check_ok(ctx, smr_members_gain(ctx, &s->of, s->alpha, D, &gain));
    assert_non_null(gain);
    for (int j = 0; j < D; j++) check_near("share", gain[j], want[j] / total, 1e-14);
    smr_free(gain);
    smr_member_release(&m);
    check_ctx_end(ctx);
}

static void bags_of_some_columns_find_their_features(void **unused)
{
    struct problem p;
    smr_ctx *ctx = check_ctx(1);
    smr_member m = {0};
    double *gain = NULL, sum = 0;
    (void)unused;
    make(&p);
    check_ok(ctx, said_member(ctx, "bag 9 columns=0.5 of=(tree max_depth=3)", &p.m.data, &m, NULL));
    const struct smr_bag_state *s = smr_member_last(&m)->state;
    check_ok(ctx, smr_members_gain(ctx, &s->of, s->weight, D, &gain));
    assert_non_null(gain);
    for (int j = 0; j < D; j++) sum += gain[j];
    check_near("all shares", sum, 1, 1e-12);
    assert_true(gain[3] > gain[0] && gain[3] > gain[4]); /* that which counts against those that
                                                            do not */
    smr_free(gain);
    smr_member_release(&m);
    check_ctx_end(ctx);
}

/* What the levels of a category gain, coded by the member, is the category's. */
static void levels_gain_for_their_category(void **unused)
{
    struct problem p;
    int32_t code[N];
    smr_ctx *ctx = check_ctx(1);
    smr_member m = {0};
    double *gain = NULL, sum = 0;
    (void)unused;
    make(&p);
    for (int64_t i = 0; i < N; i++) {
        code[i] = (int32_t)(i % 5);
        p.label[i] = code[i] == 1 || code[i] == 4;
    }
    p.m.features[2] = (smr_feature){.name = "colour",
                                    .kind = SMR_CATEGORY,
                                    .dtype = SMR_I32,
                                    .values = code,
                                    .stride = 1,
                                    .n_levels = 5};
    check_ok(ctx, said_member(ctx, "bag 5 of=(onehot | tree)", &p.m.data, &m, NULL));
    const struct smr_bag_state *s = smr_member_last(&m)->state;
    check_ok(ctx, smr_members_gain(ctx, &s->of, s->weight, D, &gain));
    assert_non_null(gain);
    for (int j = 0; j < D; j++) sum += gain[j];
    check_near("all shares", sum, 1, 1e-12);
    check_near("the category's", gain[2], 1, 1e-12);
    smr_free(gain);
    smr_member_release(&m);
    check_ctx_end(ctx);
}

static void members_that_count_no_gains_have_none(void **unused)
{
    static const char *const sentences[] = {"bag 3 of=(logistic)", "bag 3 of=(poly 2 | tree)"};
    struct problem p;
    (void)unused;
    make(&p);
    for (int k = 0; k < 2; k++) {
        smr_ctx *ctx = check_ctx(1);
        smr_member m = {0};
        double *gain = NULL;
        check_ok(ctx, said_member(ctx, sentences[k], &p.m.data, &m, NULL));
        const struct smr_bag_state *s = smr_member_last(&m)->state;
        check_ok(ctx, smr_members_gain(ctx, &s->of, s->weight, D, &gain));
        assert_null(gain);
        smr_member_release(&m);
        check_ctx_end(ctx);
    }
}

static smr_status try_gain(smr_ctx *ctx, void *arg)
{
    double *gain = NULL;
    smr_status st = smr_members_gain(ctx, arg, NULL, D, &gain);
    smr_free(gain);
    return st;
}

static void failing_allocations_are_survived(void **unused)
{
    struct problem p;
    smr_ctx *ctx = check_ctx(1);
    smr_member m = {0};
    (void)unused;
    make(&p);
    check_ok(ctx, said_member(ctx, "bag 3 of=(stump)", &p.m.data, &m, NULL));
    const struct smr_bag_state *s = smr_member_last(&m)->state;
    smr_members of = s->of;
    assert_true(fail_each_allocation(ctx, try_gain, &of) > 0);
    smr_member_release(&m);
    check_ctx_end(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(boosted_stumps_share_their_alphas),
        cmocka_unit_test(bags_of_some_columns_find_their_features),
        cmocka_unit_test(levels_gain_for_their_category),
        cmocka_unit_test(members_that_count_no_gains_have_none),
        cmocka_unit_test(failing_allocations_are_survived),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
