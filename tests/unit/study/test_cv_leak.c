/* test_cv_leak.c -- nothing about a measured row reaches the fit.
 *
 * Every value of the rows that a round measures is changed: features, targets, weights, which of
 * them are missing.  The training set is then made anew from the changed table, schema and all,
 * and the round fitted again: the model file must have the same bytes, apart from the hash of the
 * whole table.  This for every learner and transform of the registry, and for pipelines.  That
 * the check can fail is shown by changing a single fitted value. */
#include "cv_tables.h"
#include "said_study.h"

#include "learn/registry.h"
#include "model/model_file.h"
#include "sentence.h"

enum { ROWS = 83, ROUNDS = 3 };

/* Another value of the same kind in row i of every column. */
static void disturb(smr_table *t, int64_t i)
{
    for (int64_t j = 0; j < t->n_cols; j++) {
        smr_column *col = &t->cols[j];
        if (col->kind == SMR_CATEGORY) {
            int32_t *code = (int32_t *)col->values + i;
            *code = (int32_t)((*code + 1) % col->levels.n); /* -1: no longer missing */
            continue;
        }
        double *x = (double *)col->values + i, was = *x;
        if (strcmp(col->name, "w") == 0)
            *x = was + 2;
        else if (strcmp(col->name, "c") == 0)
            *x = isnan(was) ? 1e5 : NAN;
        else
            *x = 1e4 * noise(i, 40 + j);
    }
}

/* The column of weights, or NULL for a sentence that begins with what does not take them. */
static const char *weights_of(const char *sentence)
{
    char name[64];
    size_t length = strcspn(sentence, " ");
    assert_true(length < sizeof name);
    memcpy(name, sentence, length);
    name[length] = '\0';
    const smr_learner *first = smr_registry_find(name);
    return !first || first->takes & SMR_TAKES_WEIGHTS ? "w" : NULL;
}

static char *model_bytes(smr_ctx *ctx, const smr_table *t, const char *target, const char *sentence,
                         const int64_t *rows, int64_t n, int64_t *length)
{
    smr_train_set *set = cv_set(ctx, t, target, NULL, weights_of(sentence));
    smr_model *model = NULL;
    char *bytes = NULL;
    check_ok(ctx, said_fit(ctx, sentence, set, rows, n, &model));
    memset(model->data_hash, '0', sizeof model->data_hash - 1);
    check_ok(ctx, smr_model_write(ctx, model, &bytes, length));
    smr_model_free(model);
    smr_train_set_free(set);
    return bytes;
}

static bool same_model(smr_ctx *ctx, const smr_table *a, const smr_table *b, const char *target,
                       const char *sentence, const int64_t *rows, int64_t n)
{
    int64_t n_a = 0, n_b = 0;
    char *x = model_bytes(ctx, a, target, sentence, rows, n, &n_a);
    char *y = model_bytes(ctx, b, target, sentence, rows, n, &n_b);
    bool same = n_a == n_b && memcmp(x, y, (size_t)n_a) == 0;
    smr_string_free(x);
    smr_string_free(y);
    return same;
}

/* For learners of a logarithm; a table that is positive stays as it is. */
static void make_positive(smr_table *t, const char *target)
{
    double *y = t->cols[smr_table_find(t, target)].values;
    for (int64_t i = 0; i < t->n_rows; i++) y[i] = fmax(fabs(y[i]), 1e-3);
}

static void check_no_leak_of(const char *target, const char *sentence, bool positive)
{
    smr_ctx *ctx = check_ctx(1);
    smr_table *t = cv_table(ctx, ROWS);
    if (positive) make_positive(t, target);
    smr_train_set *set = cv_set(ctx, t, target, NULL, weights_of(sentence));
    smr_cv_plan *plan = cv_plan(ctx, set, (smr_cv_opts){.folds = ROUNDS});
    int64_t train[ROWS], n_train, n_test;
    const int64_t *test;
    for (int64_t r = 0; r < ROUNDS; r++) {
        smr_table *other = cv_table(ctx, ROWS);
        smr_cv_round(plan, r, train, &n_train, &test, &n_test);
        for (int64_t i = 0; i < n_test; i++) disturb(other, test[i]);
        if (positive) make_positive(other, target);
        if (!same_model(ctx, t, other, target, sentence, train, n_train))
            fail_msg("'%s' of %s learns from the rows that round %d measures", sentence, target,
                     (int)r);
        disturb(other, train[r]);
        if (positive) make_positive(other, target);
        if (same_model(ctx, t, other, target, sentence, train, n_train))
            fail_msg("'%s' of %s does not notice another training row", sentence, target);
        smr_table_free(other);
    }
    smr_cv_plan_free(plan);
    smr_train_set_free(set);
    smr_table_free(t);
    check_ctx_end(ctx);
}

static void check_no_leak(const char *target, const char *sentence)
{
    check_no_leak_of(target, sentence, false);
}

static void every_learner_sees_its_training_rows_only(void **state)
{
    int64_t n, n_checked = 0;
    const smr_learner *const *all = smr_registry(&n);
    (void)state;
    for (int64_t i = 0; i < n; i++) {
        const smr_learner *l = all[i];
        char sentence[128];
        sentence_of(l, SMR_TASK_CLASSIFY, sentence, sizeof sentence);
        if (l->tasks & SMR_DOES_CLASSIFY) check_no_leak("k", sentence);
        sentence_of(l, SMR_TASK_REGRESS, sentence, sizeof sentence);
        if (l->tasks & SMR_DOES_REGRESS)
            check_no_leak_of("y", sentence, l->traits & SMR_REFUSES_NEGATIVE);
        n_checked += (l->tasks & (SMR_DOES_CLASSIFY | SMR_DOES_REGRESS)) != 0;
    }
    assert_true(n_checked >= 3);
}

static void every_transform_sees_its_training_rows_only(void **state)
{
    int64_t n, n_checked = 0;
    const smr_learner *const *all = smr_registry(&n);
    char sentence[128];
    (void)state;
    for (int64_t i = 0; i < n; i++) {
        if (!(all[i]->fitted->gives & SMR_GIVES_TRANSFORM)) continue;
        if (all[i]->texts) continue; /* test_words.c: these tables have none */
        snprintf(sentence, sizeof sentence, "%s | knn", all[i]->word->name);
        check_no_leak("k", sentence);
        snprintf(sentence, sizeof sentence, "%s | ridge", all[i]->word->name);
        check_no_leak("y", sentence);
        n_checked++;
    }
    assert_true(n_checked >= 4);
}

static void pipelines_see_their_training_rows_only(void **state)
{
    (void)state;
    check_no_leak("y", "standardize | poly 2 | ridge 0.1");
    check_no_leak("y", "impute | onehot | standardize | knn 3 weight=distance");
    check_no_leak("y", "columns target=standardize | impute number=median | standardize | linear");
    check_no_leak("k", "onehot max_levels=1 | impute | poly 2 | standardize | knn 7");
}

/* Answers of the rows that round 0 measures are replaced: its predictions stay, others change. */
static void a_run_predicts_without_the_answers(void **state)
{
    static const struct {
        const char *target, *sentence;
    } cases[] = {{"y", "standardize | ridge 0.1"}, {"k", "standardize | knn 3"}};
    (void)state;
    for (int64_t c = 0; c < SMR_COUNT(cases); c++) {
        smr_ctx *ctx = check_ctx(2);
        smr_table *t = cv_table(ctx, ROWS);
        smr_train_set *set = cv_set(ctx, t, cases[c].target, NULL, NULL);
        smr_cv_plan *plan = cv_plan(ctx, set, (smr_cv_opts){.folds = ROUNDS});
        smr_cv_run_opts how = {.keep_predictions = true};
        smr_cv_scores before, after;
        int64_t changed = 0;
        check_ok(ctx, said_cv(ctx, cases[c].sentence, set, plan, &how, &before));
        if (set->y) assert_ptr_equal(set->y, t->cols[4].values); /* the set reads the column */
        for (int64_t i = 0; i < ROWS; i++) {
            if (before.round_of[i] != 0) continue;
            double *y = (double *)(uintptr_t)set->y; /* a view of the table */
            if (y) y[i] = 50 * noise(i, 77);
            if (set->label) set->label[i] = (set->label[i] + 1) % 3;
        }
        check_ok(ctx, said_cv(ctx, cases[c].sentence, set, plan, &how, &after));
        for (int64_t i = 0; i < ROWS; i++) {
            bool same =
                memcmp(before.prediction + i * before.width, after.prediction + i * after.width,
                       (size_t)before.width * sizeof(double)) == 0;
            if (before.round_of[i] == 0) assert_true(same);
            changed += !same;
        }
        assert_true(changed > 10);
        assert_true(before.score[0] != after.score[0]);
        smr_cv_scores_release(&before);
        smr_cv_scores_release(&after);
        smr_cv_plan_free(plan);
        smr_train_set_free(set);
        smr_table_free(t);
        check_ctx_end(ctx);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_learner_sees_its_training_rows_only),
        cmocka_unit_test(every_transform_sees_its_training_rows_only),
        cmocka_unit_test(pipelines_see_their_training_rows_only),
        cmocka_unit_test(a_run_predicts_without_the_answers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
