/* test_stack.c -- a learner that learns from what others say.
 *
 * Truth: the parts put together by hand; properties; on real tables tests/truth/ensembles.py
 * (test_truth.c). */
#include "ensemble_data.h"
#include "said.h"

#include "data/split.h"
#include "learn/ensemble/stack.h"
#include "whole_check.h"

static const struct smr_stack_state *state_of(const smr_model *m)
{
    return smr_model_last(m)->state;
}

/* One column a learner: that of the other class is 1 less it. */
static void two_classes_have_one_column_a_learner(void **state)
{
    smr_ctx *ctx = check_ctx(1);
    smr_table *t = mixed(ctx, 2, false);
    (void)state;
    smr_model *m = train_on(ctx, "stack of=(knn 9),(baseline) final=(logistic 1)", t, "k");
    assert_int_equal(state_of(m)->n_inputs, 2);
    smr_model_free(m);
    smr_table_free(t);
    check_ctx_end(ctx);
}

/* The answers that the final learner sees are out of fold: a learner that knows its rows by heart
 * (1-NN on noise) looks perfect on them and is worth nothing, and the final learner finds out. */
static void a_learner_that_knows_rows_by_heart_gets_no_credit(void **state)
{
    enum { ROWS = 400 };
    static const char *const names[] = {"x", "z", "y"};
    smr_ctx *ctx = check_ctx(1);
    double v[ROWS * 3];
    (void)state;
    for (int64_t i = 0; i < ROWS; i++) {
        v[3 * i] = noise(i, 1);
        v[3 * i + 1] = noise(i, 2); /* says nothing, but tells the rows apart */
        v[3 * i + 2] = v[3 * i] + 0.5 * noise(i, 3);
    }
    smr_table *t = matrix_table(ctx, ROWS, 3, v, names);
    smr_model *m = train_on(ctx, "stack of=(linear),(knn 1) final=(linear)", t, "y");
    smr_model *good = train_on(ctx, "linear", t, "y");
    double *got = apply(ctx, m, t, SMR_OUTPUT_VALUE), *line = apply(ctx, good, t, SMR_OUTPUT_VALUE);
    double near = 0, exact = 0;
    for (int64_t i = 0; i < ROWS; i++) {
        near += fabs(got[i] - line[i]) / ROWS;
        exact += fabs(got[i] - v[3 * i + 2]) / ROWS;
    }
    if (!(near < 0.25 * exact)) fail_msg("%g from the line, %g from the noise", near, exact);
    assert_true(state_of(m)->error[1] > 1.5 * state_of(m)->error[0]);
    smr_free(got);
    smr_free(line);
    smr_model_free(m);
    smr_model_free(good);
    smr_table_free(t);
    check_ctx_end(ctx);
}

/* With one learner that is right, the others do not matter. */
static void a_perfect_learner_is_believed(void **state)
{
    enum { ROWS = 60 };
    static const char *const names[] = {"a", "b", "y"};
    smr_ctx *ctx = check_ctx(1);
    double v[ROWS * 3];
    (void)state;
    for (int64_t i = 0; i < ROWS; i++) {
        v[3 * i] = noise(i, 1);
        v[3 * i + 1] = noise(i, 2);
        v[3 * i + 2] = 2 * v[3 * i] - 3 * v[3 * i + 1] + 1;
    }
    smr_table *t = matrix_table(ctx, ROWS, 3, v, names);
    smr_model *m = train_on(ctx, "stack of=(knn 3),(linear) final=(linear)", t, "y");
    double *got = apply(ctx, m, t, SMR_OUTPUT_VALUE);
    for (int64_t i = 0; i < ROWS; i++) check_near("y", got[i], v[3 * i + 2], 1e-9);
    smr_free(got);
    smr_model_free(m);
    smr_table_free(t);
    check_ctx_end(ctx);
}

/* The parts by hand: out-of-fold answers as a table of their own, and the final learner on it. */
static void it_is_the_final_learner_on_answers_out_of_fold(void **state)
{
    static const char *const of[] = {"knn 7", "logistic 1"};
    static const char *const names[] = {"knn: no",      "knn: yes",      "knn: maybe",
                                        "logistic: no", "logistic: yes", "logistic: maybe"};
    static const char *const sorted[] = {"maybe", "no", "yes"};
    smr_ctx *ctx = check_ctx(1);
    smr_table *t = mixed(ctx, 3, true);
    smr_train_set *set = NULL;
    smr_set_opts opts = {.target = "k", .keep_all = true};
    smr_parts parts = {0};
    double z[MIXED_ROWS * 6], asked[MIXED_ROWS * 6], p[3 * MIXED_ROWS];
    const char *label[MIXED_ROWS];
    int64_t train[MIXED_ROWS];
    (void)state;
    check_ok(ctx, said_set(ctx, t, "knn", &opts, &set));
    smr_split_rows rows = {.n = MIXED_ROWS,
                           .label = set->label,
                           .n_classes = 3,
                           .seed = ctx->seed,
                           .repetition = INT64_C(1) << 40};
    check_ok(ctx, smr_split_folds(ctx, &rows, 4, &parts));
    for (int k = 0; k < 2; k++) {
        for (int64_t f = 0; f < 4; f++) {
            smr_model *m = NULL;
            const int64_t *part = smr_part_rows(&parts, f);
            int64_t n = smr_parts_without(&parts, f, train), size = smr_part_size(&parts, f);
            check_ok(ctx, said_fit(ctx, of[k], set, train, n, &m));
            check_ok(ctx, smr_model_apply(ctx, m, t, part, size, SMR_OUTPUT_PROBA, p));
            for (int64_t i = 0; i < size; i++)
                for (int c = 0; c < 3; c++) z[6 * part[i] + 3 * k + c] = p[3 * i + c];
            smr_model_free(m);
        }
        smr_model *whole = train_on(ctx, of[k], t, "k");
        check_ok(ctx, smr_model_apply(ctx, whole, t, NULL, 0, SMR_OUTPUT_PROBA, p));
        for (int64_t i = 0; i < MIXED_ROWS; i++)
            for (int c = 0; c < 3; c++) asked[6 * i + 3 * k + c] = p[3 * i + c];
        smr_model_free(whole);
    }
    for (int64_t i = 0; i < MIXED_ROWS; i++) label[i] = sorted[set->label[i]];
    smr_table *answers = new_table(ctx, MIXED_ROWS, 7),
              *seen = matrix_table(ctx, MIXED_ROWS, 6, asked, names);
    for (int64_t j = 0; j < 6; j++) {
        double column[MIXED_ROWS];
        for (int64_t i = 0; i < MIXED_ROWS; i++) column[i] = z[6 * i + j];
        put_numbers(ctx, answers, j, names[j], column);
    }
    put_strings(ctx, answers, 6, "k", label);
    smr_model *final = train_on(ctx, "logistic 0.1", answers, "k");
    smr_model *m =
        train_on(ctx, "stack folds=4 of=(knn 7),(logistic 1) final=(logistic 0.1)", t, "k");
    double *want = apply(ctx, final, seen, SMR_OUTPUT_PROBA),
           *got = apply(ctx, m, t, SMR_OUTPUT_PROBA);
    for (int64_t i = 0; i < 3 * MIXED_ROWS; i++) check_near("p", got[i], want[i], 1e-9);
    smr_free(want);
    smr_free(got);
    smr_model_free(final);
    smr_model_free(m);
    smr_table_free(answers);
    smr_table_free(seen);
    smr_parts_release(&parts);
    smr_train_set_free(set);
    smr_table_free(t);
    check_ctx_end(ctx);
}

/* "knn: yes", and with two of a name their places too; features passed through keep their names. */
static void answers_are_named_by_learner_and_class(void **state)
{
    static const char *const want[] = {
        "of.0 knn: yes", "logistic: yes", "of.2 knn: yes", "u", "v", "w", "colour"};
    smr_ctx *ctx = check_ctx(1);
    smr_table *t = mixed(ctx, 2, false);
    (void)state;
    smr_model *m = train_on(
        ctx, "stack passthrough=yes of=(knn 3),(logistic 1),(standardize | knn 9)", t, "k");
    for (int r = 0; r < 2; r++) {
        smr_model *back = reloaded(ctx, m);
        const smr_member *final = &state_of(back)->final.member[0];
        assert_int_equal(final->shape.n_features, 7);
        for (int j = 0; j < 7; j++) assert_string_equal(final->features[j].name, want[j]);
        assert_int_equal(final->features[6].kind, SMR_CATEGORY);
        assert_int_equal(final->features[6].n_levels, 3);
        assert_string_equal(final->stages[0].learner->word->name,
                            "onehot"); /* logistic's own adapter */
        smr_model_free(m);
        m = back;
    }
    smr_model_free(m);
    smr_table_free(t);
    check_ctx_end(ctx);
}

/* Pass-through of features in memory, through a row index, and computed by a stage: the same. */
static void features_pass_through_however_they_are_kept(void **state)
{
    static const char sentence[] = "stack passthrough=yes of=(ridge 1),(knn 3) final=(ridge 1)";
    static const char behind[] =
        "standardize center=no scale=no | stack passthrough=yes of=(ridge 1),(knn 3) final=(ridge "
        "1)";
    smr_ctx *ctx = check_ctx(1);
    smr_table *t = mixed(ctx, 0, true);
    smr_train_set *set = NULL;
    smr_set_opts opts = {.target = "y", .keep_all = true};
    int64_t rows[MIXED_ROWS];
    smr_model *indexed = NULL;
    (void)state;
    smr_model *plain = train_on(ctx, sentence, t, "y"), *computed = train_on(ctx, behind, t, "y");
    check_same_answers(ctx, plain, computed, t, SMR_OUTPUT_VALUE, 1e-9);
    /* The same rows in their order, but as a list with the last one twice and then left out. */
    check_ok(ctx, said_set(ctx, t, sentence, &opts, &set));
    for (int64_t i = 0; i < MIXED_ROWS; i++) rows[i] = MIXED_ROWS - 1 - i;
    check_ok(ctx, said_fit(ctx, sentence, set, rows, MIXED_ROWS - 3, &indexed));
    double *x = apply(ctx, indexed, t, SMR_OUTPUT_VALUE),
           *y = apply(ctx, plain, t, SMR_OUTPUT_VALUE);
    double apart = 0, spread = 0;
    for (int64_t i = 0; i < MIXED_ROWS; i++) {
        apart += fabs(x[i] - y[i]);
        spread += fabs(y[i]);
    }
    assert_true(apart < 0.1 * spread); /* other folds, nearly the same rows */
    smr_free(x);
    smr_free(y);
    smr_model_free(indexed);
    smr_model_free(computed);
    smr_model_free(plain);
    smr_train_set_free(set);
    smr_table_free(t);
    check_ctx_end(ctx);
}

/* Sparse rows stay sparse, and give what their dense twins give. */
static void sparse_features_pass_through(void **state)
{
    enum { ROWS = 83, COLS = 6 };
    static const char *const names[] = {"0", "1", "2", "3", "4", "5", "y"};
    smr_ctx *ctx = check_ctx(2);
    double v[ROWS * (COLS + 1)];
    smr_table *dense, *sparse = new_table(ctx, ROWS, 1);
    smr_csr *csr = &sparse->sparse;
    int64_t *start = smr_alloc(ctx, ROWS + 1, sizeof *start), n = 0;
    int32_t *column = smr_alloc(ctx, ROWS * COLS, sizeof *column);
    double *value = smr_alloc(ctx, ROWS * COLS, sizeof *value), y[ROWS];
    (void)state;
    for (int64_t i = 0; i < ROWS; i++) {
        double *row = v + i * (COLS + 1);
        for (int64_t j = 0; j < COLS; j++) {
            row[j] = (i + 2 * j) % 3 ? 0 : noise(i, j);
            if (row[j] == 0) continue;
            column[n] = (int32_t)j;
            value[n++] = row[j];
        }
        start[i + 1] = n;
        y[i] = row[COLS] = row[0] - 2 * row[3] + 0.3 * noise(i, 11);
    }
    dense = matrix_table(ctx, ROWS, COLS + 1, v, names);
    put_numbers(ctx, sparse, 0, "y", y);
    *csr = (smr_csr){ROWS, COLS, start, column, value};
    static const char *const sentences[] = {
        "stack passthrough=yes of=(ridge 1),(knn 5) final=(ridge 1)",
        "stack of=(ridge 1),(knn 5) final=(knn 3)",
        "stack passthrough=yes of=(ridge 1),(knn 5) final=(knn 3)",
    };
    for (int i = 0; i < 3; i++) {
        smr_model *a = train_on(ctx, sentences[i], dense, "y");
        smr_model *b = train_on(ctx, sentences[i], sparse, "y");
        smr_model *back = reloaded(ctx, b);
        double *p = apply(ctx, a, dense, SMR_OUTPUT_VALUE);
        double *q = apply(ctx, back, sparse, SMR_OUTPUT_VALUE);
        for (int64_t r = 0; r < ROWS; r++) check_near("sparse", q[r], p[r], 1e-9);
        smr_free(p);
        smr_free(q);
        smr_model_free(a);
        smr_model_free(b);
        smr_model_free(back);
    }
    smr_table_free(dense);
    smr_table_free(sparse);
    check_ctx_end(ctx);
}

/* Scores where there are no probabilities, half their difference for two classes. */
static void decisions_are_taken_where_there_are_no_probabilities(void **state)
{
    smr_ctx *ctx = check_ctx(1);
    smr_table *t = mixed(ctx, 2, false);
    (void)state;
    smr_model *m = train_on(ctx, "stack of=(knn 5),(svm)", t, "k");
    assert_int_equal(state_of(m)->asked[0], SMR_OUTPUT_PROBA);
    assert_int_equal(state_of(m)->asked[1], SMR_OUTPUT_DECISION);
    smr_model_free(m);
    m = train_on(ctx, "stack inputs=decision of=(svm),(logistic 1)", t, "k");
    assert_int_equal(state_of(m)->asked[1], SMR_OUTPUT_DECISION);
    smr_model_free(m);
    smr_table_free(t);
    check_ctx_end(ctx);
}

/* DESIGN.md: `stack of=(forest),(svm)` gives native codes to the one and one-hot to the other. */
static void one_learner_reads_codes_and_the_other_indicators(void **state)
{
    smr_ctx *ctx = check_ctx(2);
    smr_table *t = mixed(ctx, 2, true);
    (void)state;
    smr_model *m = train_on(ctx, "stack of=(forest 10),(svm),(tree) final=(tree)", t, "k");
    const smr_members *of = &state_of(m)->of;
    assert_int_equal(of->member[0].n_stages, 1); /* categories and gaps as they are */
    assert_int_equal(of->member[2].n_stages, 1);
    assert_string_equal(of->member[1].stages[0].learner->word->name, "impute");
    assert_string_equal(of->member[1].stages[1].learner->word->name, "onehot");
    smr_model *back = reloaded(ctx, m);
    check_same_answers(ctx, m, back, t, SMR_OUTPUT_PROBA, 0);
    smr_model_free(back);
    smr_model_free(m);
    smr_table_free(t);
    check_ctx_end(ctx);
}

/* What cross-validation around a stack says of pure noise: no better than guessing. */
static void cross_validation_around_it_stays_honest(void **state)
{
    enum { ROWS = 240 };
    smr_ctx *ctx = check_ctx(2);
    smr_table *t = new_table(ctx, ROWS, 3);
    double u[ROWS], v[ROWS];
    const char *label[ROWS];
    smr_train_set *set = NULL;
    smr_set_opts opts = {.target = "k", .keep_all = true};
    smr_parts parts = {0};
    int64_t train[ROWS], right = 0;
    (void)state;
    for (int64_t i = 0; i < ROWS; i++) {
        u[i] = noise(i, 4);
        v[i] = noise(i, 5);
        label[i] = smr_random_unit(77, SMR_STREAM_TEST, 3, (uint64_t)i) < 0.5 ? "a" : "b";
    }
    put_numbers(ctx, t, 0, "u", u);
    put_numbers(ctx, t, 1, "v", v);
    put_strings(ctx, t, 2, "k", label);
    static const char sentence[] = "bag 5 of=(stack folds=3 of=(knn 1),(logistic 1))";
    check_ok(ctx, said_set(ctx, t, sentence, &opts, &set));
    smr_split_rows rows = {.n = ROWS, .label = set->label, .n_classes = 2};
    check_ok(ctx, smr_split_folds(ctx, &rows, 4, &parts));
    for (int64_t f = 0; f < 4; f++) {
        smr_model *m = NULL;
        double said[ROWS];
        int64_t n = smr_parts_without(&parts, f, train), size = smr_part_size(&parts, f);
        check_ok(ctx, said_fit(ctx, sentence, set, train, n, &m));
        check_ok(ctx, smr_model_apply(ctx, m, t, smr_part_rows(&parts, f), size, SMR_OUTPUT_LABEL,
                                      said));
        for (int64_t i = 0; i < size; i++)
            right += said[i] == (double)set->label[smr_part_rows(&parts, f)[i]];
        smr_model_free(m);
    }
    double share = (double)right / ROWS, sd = 0.5 / sqrt(ROWS);
    if (fabs(share - 0.5) > 4 * sd) fail_msg("%g of noise was learned", share);
    smr_parts_release(&parts);
    smr_train_set_free(set);
    smr_table_free(t);
    check_ctx_end(ctx);
}

static void mistakes_are_explained(void **state)
{
    smr_ctx *ctx = check_ctx(1);
    smr_table *classes = mixed(ctx, 2, false), *numbers = mixed(ctx, 0, false);
    (void)state;
    check_refused(ctx, "stack of=(knn),(logistic) final=(ridge)", classes, "k", SMR_ERR_PARAM,
                  "the final learner, ridge");
    check_refused(ctx, "stack of=(knn) final=(logistic)", numbers, "y", SMR_ERR_PARAM,
                  "the target has numbers, and the final learner");
    check_refused(ctx, "stack inputs=proba of=(svm)", classes, "k", SMR_ERR_UNSUPPORTED,
                  "svm gives no probabilities; take its scores with inputs=auto, or calibrate it");
    check_refused(ctx, "stack inputs=decision of=(knn)", classes, "k", SMR_ERR_UNSUPPORTED,
                  "knn gives no decision scores");
    check_refused(ctx, "stack of=(linear),(poisson)", numbers, "y", SMR_ERR_DATA,
                  "(while fitting of.1, poisson");
    check_refused(ctx, "stack folds=1 of=(knn)", classes, "k", SMR_ERR_PARAM, "folds");
    check_refused(ctx, "stack folds=1000 of=(knn)", classes, "k", SMR_ERR_DATA, "1000");
    smr_table_free(classes);
    smr_table_free(numbers);
    check_ctx_end(ctx);
}

/* Constant targets, and a target of several columns. */
static void odd_targets_are_learned(void **state)
{
    enum { ROWS = 41 };
    static const char *const names[] = {"a", "b", "y", "z"};
    smr_ctx *ctx = check_ctx(1);
    double v[ROWS * 4];
    (void)state;
    for (int64_t i = 0; i < ROWS; i++) {
        v[4 * i] = noise(i, 1);
        v[4 * i + 1] = noise(i, 2);
        v[4 * i + 2] = 3.5;
        v[4 * i + 3] = v[4 * i] - v[4 * i + 1];
    }
    smr_table *t = matrix_table(ctx, ROWS, 4, v, names);
    smr_model *m = train_on(ctx, "columns | stack of=(knn 3),(ridge 1)", t, "y");
    double *flat = apply(ctx, m, t, SMR_OUTPUT_VALUE);
    for (int64_t i = 0; i < ROWS; i++) check_near("constant", flat[i], 3.5, 1e-9);
    smr_model_free(m);
    smr_free(flat);
    m = train_on(ctx, "stack of=(linear),(knn 3) final=(linear)", t, "y,z");
    assert_int_equal(state_of(m)->n_inputs, 4);
    double *two = apply(ctx, m, t, SMR_OUTPUT_VALUE);
    for (int64_t i = 0; i < ROWS; i++) {
        check_near("first target", two[2 * i], 3.5, 1e-8);
        check_near("second target", two[2 * i + 1], v[4 * i + 3], 1e-8);
    }
    smr_free(two);
    smr_model_free(m);
    smr_table_free(t);
    check_ctx_end(ctx);
}

static void lives_are_the_same_everywhere(void **state)
{
    (void)state;
    check_life("stack of=(knn 5),(logistic 1),(svm),(knn 1)", mixed, 3);
    check_life("stack passthrough=yes folds=3 of=(knn 5),(logistic 1) final=(knn 9)", mixed, 2);
    check_life("stack passthrough=yes of=(ridge 1),(knn 3) final=(bag 5 columns=0.5 of=(knn 3))",
               mixed, 0);
    check_life("bag 6 parts=2 of=(stack folds=2 of=(knn 3),(logistic 1))", mixed, 2);
}

static void every_failing_allocation_is_survived(void **state)
{
    smr_ctx *ctx = check_ctx(1);
    smr_table *t = mixed(ctx, 2, true), *y = mixed(ctx, 0, true);
    struct life a = {"stack passthrough=yes folds=2 of=(knn 3) final=(knn 1)", "k", t};
    struct life b = {"standardize | stack passthrough=yes folds=2 of=(knn 3) final=(ridge)", "y",
                     y};
    (void)state;
    assert_true(fail_each_allocation(ctx, live, &a) > 50);
    assert_true(fail_each_allocation(ctx, live, &b) > 50);
    smr_table_free(t);
    smr_table_free(y);
    check_ctx_end(ctx);
}

/* States that do not hold together are refused when a file is read. */
static void states_that_do_not_hold_together_are_refused(void **state)
{
    smr_ctx *ctx = check_ctx(1);
    smr_table *t = mixed(ctx, 2, false);
    smr_model *m = train_on(ctx, "stack of=(knn 5),(logistic 1)", t, "k");
    const smr_stage *last = smr_model_last(m);
    struct smr_stack_state s = *state_of(m), *real = last->state;
    smr_shape shape = smr_model_shape(m), other = shape;
    int64_t asked[2] = {SMR_OUTPUT_PROBA, SMR_OUTPUT_LABEL};
    (void)state;
    check_ok(ctx, whole_check(ctx, last->learner, last->params, &s, &shape));
    other.n_classes = 3;
    check_fails(ctx, whole_check(ctx, last->learner, last->params, &s, &other), SMR_ERR_FORMAT,
                "stack has 2 classes where 3 are the model\'s");
    s.n_inputs = 3;
    check_fails(ctx, whole_check(ctx, last->learner, last->params, &s, &shape), SMR_ERR_FORMAT,
                "its n_inputs is 3, and must be 2");
    s = *real;
    s.passes = 1;
    check_fails(ctx, whole_check(ctx, last->learner, last->params, &s, &shape), SMR_ERR_FORMAT,
                "does not fit the others");
    s = *real;
    s.asked = asked;
    check_fails(ctx, whole_check(ctx, last->learner, last->params, &s, &shape), SMR_ERR_FORMAT,
                "learner 1 does not give what it needs");
    smr_model_free(m);
    smr_table_free(t);
    check_ctx_end(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(two_classes_have_one_column_a_learner),
        cmocka_unit_test(a_learner_that_knows_rows_by_heart_gets_no_credit),
        cmocka_unit_test(a_perfect_learner_is_believed),
        cmocka_unit_test(it_is_the_final_learner_on_answers_out_of_fold),
        cmocka_unit_test(answers_are_named_by_learner_and_class),
        cmocka_unit_test(features_pass_through_however_they_are_kept),
        cmocka_unit_test(sparse_features_pass_through),
        cmocka_unit_test(decisions_are_taken_where_there_are_no_probabilities),
        cmocka_unit_test(one_learner_reads_codes_and_the_other_indicators),
        cmocka_unit_test(cross_validation_around_it_stays_honest),
        cmocka_unit_test(mistakes_are_explained),
        cmocka_unit_test(odd_targets_are_learned),
        cmocka_unit_test(lives_are_the_same_everywhere),
        cmocka_unit_test(every_failing_allocation_is_survived),
        cmocka_unit_test(states_that_do_not_hold_together_are_refused),
    };
    return cmocka_run_group_tests_name("stack", tests, NULL, NULL);
}
