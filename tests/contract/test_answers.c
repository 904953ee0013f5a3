/* test_answers.c -- small tables whose answer leaves no doubt: every learner must find it.
 *
 * What looks at no feature (the family "basic") is held against nothing but a constant target. */
#include "fixtures.h"
#include "pipeline.h"

#include <string.h>

enum { N = 80 };

/* Numbers that say nothing: small, so that distances are about the rest. */
static void put_noise(smr_ctx *ctx, smr_table *t, int64_t j, const char *name)
{
    double x[N];
    for (int64_t i = 0; i < N; i++) x[i] = 0.001 * noise(i, j);
    put_numbers(ctx, t, j, name, x);
}

static void put_target(smr_ctx *ctx, smr_table *t, int64_t j, const struct subject *s,
                       const int *side, double low, double high)
{
    const char *k[N];
    double y[N];
    for (int64_t i = 0; i < N; i++) {
        k[i] = side[i] ? "yes" : "no";
        y[i] = side[i] ? high : low;
    }
    if (s->task == SMR_TASK_CLASSIFY)
        put_strings(ctx, t, j, "t", k);
    else
        put_numbers(ctx, t, j, "t", y);
}

/* Rows on the right side: of classes the label, of numbers the nearer of low and high. */
static int64_t count_right(smr_ctx *ctx, const struct subject *s, const smr_table *t,
                           const int *side, double low, double high)
{
    smr_model *m = must_train(ctx, s, t, NULL);
    bool classes = s->task == SMR_TASK_CLASSIFY;
    double *out = apply(ctx, m, t, classes ? SMR_OUTPUT_LABEL : SMR_OUTPUT_VALUE);
    int64_t right = 0;
    for (int64_t i = 0; i < N; i++) {
        int said = classes ? out[i] == 1 : out[i] > (low + high) / 2;
        right += said == side[i];
    }
    smr_free(out);
    smr_model_free(m);
    return right;
}

/* Levels whose order says nothing either: a and c are one side, b and d the other. */
static void a_category_alone_tells_the_answer(smr_ctx *ctx, const struct subject *s)
{
    static const char *const levels[] = {"a", "b", "c", "d"};
    smr_table *t = new_table(ctx, N, 4);
    const char *k[N];
    int side[N];
    for (int64_t i = 0; i < N; i++) {
        int64_t which = (i * i + i / 3) % 4;
        k[i] = levels[which];
        side[i] = (int)(which % 2);
    }
    put_noise(ctx, t, 0, "x");
    put_strings(ctx, t, 1, "k", k);
    put_noise(ctx, t, 2, "z");
    put_target(ctx, t, 3, s, side, 3, 7);
    int64_t right = count_right(ctx, s, t, side, 3, 7);
    if (right < N * 95 / 100) fail_msg("%s: %lld of %d", s->name, (long long)right, N);
    smr_table_free(t);
}

static void a_wide_gap_is_found(smr_ctx *ctx, const struct subject *s)
{
    smr_table *t = new_table(ctx, N, 3);
    double x[N];
    int side[N];
    for (int64_t i = 0; i < N; i++) {
        side[i] = (int)(i * 7 / 3 % 2);
        x[i] = (side[i] ? 4 : -4) + 0.3 * noise(i, 1);
    }
    put_noise(ctx, t, 0, "z");
    put_numbers(ctx, t, 1, "x", x);
    put_target(ctx, t, 2, s, side, 2, 10);
    assert_int_equal(count_right(ctx, s, t, side, 2, 10), N);
    smr_table_free(t);
}

static void a_constant_target_is_answered_with_it(smr_ctx *ctx, const struct subject *s)
{
    smr_table *t = new_table(ctx, N, 3);
    double y[N];
    if (s->task == SMR_TASK_REGRESS) {
        for (int64_t i = 0; i < N; i++) y[i] = 12.5;
        put_noise(ctx, t, 0, "x");
        put_noise(ctx, t, 1, "z");
        put_numbers(ctx, t, 2, "t", y);
        smr_model *m = must_train(ctx, s, t, NULL);
        double *out = apply(ctx, m, t, SMR_OUTPUT_VALUE);
        for (int64_t i = 0; i < N; i++)
            if (fabs(out[i] - 12.5) > 1e-6) fail_msg("%s: %.12g", s->name, out[i]);
        smr_free(out);
        smr_model_free(m);
    }
    smr_table_free(t);
}

/* ---- all of them ------------------------------------------------------------------------ */

static const struct check checks[] = {
    CHECK(a_category_alone_tells_the_answer),
    CHECK(a_wide_gap_is_found),
    CHECK(a_constant_target_is_answered_with_it),
};

/* The tables have a target and no texts. */
static bool is_for(const struct check *check, const smr_learner *l, smr_task task)
{
    bool looks = strcmp(l->word->family, "basic") != 0;
    return smr_task_of(task)->needs_target && (l->tasks & smr_task_of(task)->does) && !l->texts &&
           (looks || check->run == a_constant_target_is_answered_with_it);
}

int main(void)
{
    return run_suite(&(struct suite){.name = "answers",
                                     .checks = checks,
                                     .n_checks = SMR_COUNT(checks),
                                     .threads = 1,
                                     .is_for = is_for});
}
