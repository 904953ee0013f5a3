/* test_answers.c -- small tables whose answer leaves no doubt: every learner must find it.
 *
 * What looks at no feature (the family "basic") is held against nothing but a constant target. */
#include "fixtures.h"
#include "pipeline.h"

#include <string.h>

enum { N = 80 };

struct subject {
    const smr_learner *learner;
    smr_task task;
    char name[160];
};

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

static smr_model *train(smr_ctx *ctx, const struct subject *s, const smr_table *t)
{
    char sentence[128];
    sentence_of(s->learner, s->task, sentence, sizeof sentence);
    smr_model *m = fixture_train(ctx, sentence, t, s->task, NULL);
    if (!m) fail_msg("%s: %s", sentence, smr_ctx_message(ctx));
    return m;
}

/* Rows on the right side: of classes the label, of numbers the nearer of low and high. */
static int64_t count_right(smr_ctx *ctx, const struct subject *s, const smr_table *t,
                           const int *side, double low, double high)
{
    smr_model *m = train(ctx, s, t);
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
static void a_category_alone_tells_the_answer(const struct subject *s)
{
    static const char *const levels[] = {"a", "b", "c", "d"};
    smr_ctx *ctx = check_ctx(1);
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
    check_ctx_end(ctx);
}

static void a_wide_gap_is_found(const struct subject *s)
{
    smr_ctx *ctx = check_ctx(1);
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
    check_ctx_end(ctx);
}

static void a_constant_target_is_answered_with_it(const struct subject *s)
{
    smr_ctx *ctx = check_ctx(1);
    smr_table *t = new_table(ctx, N, 3);
    double y[N];
    if (s->task == SMR_TASK_REGRESS) {
        for (int64_t i = 0; i < N; i++) y[i] = 12.5;
        put_noise(ctx, t, 0, "x");
        put_noise(ctx, t, 1, "z");
        put_numbers(ctx, t, 2, "t", y);
        smr_model *m = train(ctx, s, t);
        double *out = apply(ctx, m, t, SMR_OUTPUT_VALUE);
        for (int64_t i = 0; i < N; i++)
            if (fabs(out[i] - 12.5) > 1e-6) fail_msg("%s: %.12g", s->name, out[i]);
        smr_free(out);
        smr_model_free(m);
    }
    smr_table_free(t);
    check_ctx_end(ctx);
}

/* ---- all of them ------------------------------------------------------------------------ */

struct check {
    const char *name;
    void (*run)(const struct subject *s);
    bool of_features; /* not for who looks at none */
};

static const struct check checks[] = {
    {"a_category_alone_tells_the_answer", a_category_alone_tells_the_answer, true},
    {"a_wide_gap_is_found", a_wide_gap_is_found, true},
    {"a_constant_target_is_answered_with_it", a_constant_target_is_answered_with_it, false},
};

struct job {
    struct subject subject;
    const struct check *check;
};

static void run_job(void **state)
{
    const struct job *job = *state;
    job->check->run(&job->subject);
}

int main(void)
{
    static struct job jobs[400];
    static struct CMUnitTest tests[400];
    int64_t n_learners;
    const smr_learner *const *all = smr_registry(&n_learners);
    int n = 0;
    for (int64_t i = 0; i < n_learners; i++)
        for (int k = SMR_TASK_CLASSIFY; k <= SMR_TASK_REGRESS; k++)
            for (int64_t c = 0; c < SMR_COUNT(checks); c++) {
                if (!(all[i]->tasks & smr_task_of((smr_task)k)->does) || all[i]->texts) continue;
                if (checks[c].of_features && strcmp(all[i]->word->family, "basic") == 0) continue;
                jobs[n] = (struct job){.subject = {.learner = all[i], .task = (smr_task)k},
                                       .check = &checks[c]};
                snprintf(jobs[n].subject.name, sizeof jobs[n].subject.name, "%s %s: %s",
                         all[i]->word->name, smr_task_name((smr_task)k), checks[c].name);
                tests[n] = (struct CMUnitTest){jobs[n].subject.name, run_job, NULL, NULL, &jobs[n]};
                n++;
            }
    return _cmocka_run_group_tests("answers", tests, (size_t)n, NULL, NULL);
}
