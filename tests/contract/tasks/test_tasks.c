/* test_tasks.c -- what every learner of clusters, sequences, recommendations and densities keeps,
 * and every one that takes rows without a label.  Nothing here knows a learner by name but where
 * its figures are worked out; the stand-ins make sure that each task has one. */
#include "standins.h"
#include "tables.h"

#include "core/sha256.h"
#include "model/safetensors.h"
#include "study/cv.h"

/* Calls `then` for each output that the model gives. */
static void each_output(smr_ctx *ctx, const smr_model *a, const smr_model *b, const smr_table *ta,
                        const smr_table *tb, const int64_t *order, const char *what)
{
    for (int o = 0; o <= SMR_OUTPUT_SCORE; o++) {
        smr_output output = (smr_output)o;
        if (!(smr_model_gives(a) & 1u << o)) continue;
        int64_t width = smr_model_width(a, output);
        double *x = apply(ctx, a, ta, output), *y = apply(ctx, b, tb, output);
        for (int64_t i = 0; i < tb->n_rows; i++)
            check_bits(what, x + (order ? order[i] : i) * width, y + i * width, width);
        smr_free(x);
        smr_free(y);
    }
}

static void threads(smr_ctx *ctx, const struct subject *s)
{
    static const int counts[] = {2, 7};
    smr_table *t = task_table(ctx, NULL, s->task == SMR_TASK_CLASSIFY, false);
    smr_model *one = must_train(ctx, s, t);
    for (int k = 0; k < 2; k++) {
        smr_ctx *other = check_ctx(counts[k]);
        smr_model *many = must_train(other, s, t);
        check_same_model(ctx, "threads", one, many);
        each_output(other, one, many, t, t, NULL, "answers at other threads");
        smr_model_free(many);
        check_ctx_end(other);
    }
    smr_model_free(one);
    smr_table_free(t);
}

static void threads_do_not_change_a_byte(void **state)
{
    (void)state;
    assert_true(each_subject(threads) >= 9); /* the stand-ins alone */
}

static void saved(smr_ctx *ctx, const struct subject *s)
{
    smr_table *t = task_table(ctx, NULL, s->task == SMR_TASK_CLASSIFY, false);
    smr_model *m = must_train(ctx, s, t), *back = NULL;
    char *bytes = NULL;
    int64_t n;
    check_ok(ctx, smr_model_write(ctx, m, &bytes, &n));
    check_ok(ctx, smr_model_read(ctx, bytes, n, &back));
    check_same_model(ctx, "saved and loaded", m, back);
    assert_int_equal(back->target.held, m->target.held);
    each_output(ctx, m, back, t, t, NULL, "answers of the loaded model");
    smr_free(bytes);
    smr_model_free(m);
    smr_model_free(back);
    smr_table_free(t);
}

static void saving_and_loading_keeps_everything(void **state)
{
    (void)state;
    each_subject(saved);
}

/* The rows of one sequence, or a single row where there are none. */
static int64_t unit_of(const smr_table *t, const struct subject *s, int64_t i, int64_t *rows)
{
    int64_t n = 0;
    if (!s->opts.roles[SMR_ROLE_SEQUENCE]) return rows[0] = i, 1;
    for (int64_t k = 0; k < t->n_rows; k++)
        if (smr_column_code(&t->cols[WALK], k) == smr_column_code(&t->cols[WALK], i)) rows[n++] = k;
    return n;
}

static void blocks(smr_ctx *ctx, const struct subject *s)
{
    smr_table *t = task_table(ctx, NULL, false, false);
    smr_model *m = must_train(ctx, s, t);
    int64_t rows[ROWS];
    double one[ROWS * 8];
    for (int o = 0; o <= SMR_OUTPUT_SCORE; o++) {
        smr_output output = (smr_output)o;
        if (!(smr_model_gives(m) & 1u << o)) continue;
        int64_t width = smr_model_width(m, output);
        assert_true(width <= 8);
        double *all = apply(ctx, m, t, output);
        for (int64_t i = 0; i < ROWS; i += 3) {
            int64_t n = unit_of(t, s, i, rows);
            check_ok(ctx, smr_model_apply(ctx, m, t, rows, n, output, one));
            for (int64_t k = 0; k < n; k++)
                check_bits("a unit alone", all + rows[k] * width, one + k * width, width);
        }
        smr_free(all);
    }
    smr_model_free(m);
    smr_table_free(t);
}

static void blocks_leave_no_trace(void **state)
{
    (void)state;
    each_subject(blocks);
}

static void shuffled(smr_ctx *ctx, const struct subject *s)
{
    int64_t order[ROWS];
    if (!s->opts.roles[SMR_ROLE_SEQUENCE]) return;
    for (int64_t i = 0; i < ROWS; i++) order[i] = (i * 29 + 5) % ROWS;
    smr_table *t = task_table(ctx, NULL, false, false), *u = task_table(ctx, order, false, false);
    smr_model *a = must_train(ctx, s, t), *b = must_train(ctx, s, u);
    memcpy(b->data_hash, a->data_hash, sizeof a->data_hash);
    check_same_model(ctx, "rows in another order", a, b);
    each_output(ctx, a, b, t, u, order, "answers to rows in another order");
    smr_model_free(a);
    smr_model_free(b);
    smr_table_free(t);
    smr_table_free(u);
}

static void the_order_of_a_tables_rows_does_not_matter_to_sequences(void **state)
{
    (void)state;
    each_subject(shuffled);
}

static void cut(smr_ctx *ctx, const struct subject *s)
{
    int64_t rows[ROWS];
    double out[ROWS * 8];
    smr_train_set *set = NULL;
    smr_model *none = NULL;
    if (!s->opts.roles[SMR_ROLE_SEQUENCE]) return;
    smr_table *t = task_table(ctx, NULL, false, false);
    smr_model *m = must_train(ctx, s, t);
    int64_t n = unit_of(t, s, 4, rows);
    check_ok(ctx, said_set(ctx, t, s->learner->word->name, &s->opts, &set));
    check_fails(ctx, said_fit(ctx, s->learner->word->name, set, rows, n - 1, &none), SMR_ERR_DATA,
                "a sequence is read whole");
    check_fails(ctx, smr_model_apply(ctx, m, t, rows + 1, n - 1, SMR_OUTPUT_LABEL, out),
                SMR_ERR_DATA, "belongs to a sequence in column 'walk' whose other rows are taken");
    smr_train_set_free(set);
    smr_model_free(m);
    smr_table_free(t);
}

static void rows_that_cut_a_sequence_are_refused(void **state)
{
    (void)state;
    each_subject(cut);
}

static void held(smr_ctx *ctx, const struct subject *s)
{
    smr_table *t = task_table(ctx, NULL, false, false), *u = task_table(ctx, NULL, true, true);
    smr_model *a = must_train(ctx, s, t);
    if (a->target.held) {
        smr_model *b = must_train(ctx, s, u);
        smr_target_release(&b->target);
        check_ok(ctx, smr_target_copy(ctx, &a->target, &b->target));
        memcpy(b->data_hash, a->data_hash, sizeof a->data_hash);
        check_same_model(ctx, "another held target", a, b);
        smr_model_free(b);
    }
    assert_int_equal(a->target.held, s->opts.target && !smr_task_of(s->task)->may_learn_target);
    smr_model_free(a);
    smr_table_free(t);
    smr_table_free(u);
}

static void a_target_that_is_held_back_reaches_no_fit(void **state)
{
    (void)state;
    each_subject(held);
}

static void doubled(smr_ctx *ctx, const struct subject *s)
{
    int64_t rows[3 * ROWS], n = 0;
    struct subject weighted = *s;
    if (!(s->learner->takes & SMR_TAKES_WEIGHTS) || s->opts.roles[SMR_ROLE_SEQUENCE]) return;
    smr_table *t = task_table(ctx, NULL, false, false);
    for (int64_t i = 0; i < ROWS; i++)
        for (int64_t k = 0; k < 1 + i % 3; k++) rows[n++] = i;
    weighted.opts.weight = "w";
    smr_train_set *set = NULL;
    smr_model *a = must_train(ctx, &weighted, t), *b = NULL;
    check_ok(ctx, said_set(ctx, t, s->learner->word->name, &s->opts, &set));
    check_ok(ctx, said_fit(ctx, s->learner->word->name, set, rows, n, &b));
    smr_output output = smr_model_gives(a) & SMR_GIVES_SCORE   ? SMR_OUTPUT_SCORE
                        : smr_model_gives(a) & SMR_GIVES_VALUE ? SMR_OUTPUT_VALUE
                                                               : SMR_OUTPUT_DECISION;
    int64_t width = smr_model_width(a, output);
    double *x = apply(ctx, a, t, output), *y = apply(ctx, b, t, output);
    for (int64_t i = 0; i < ROWS * width; i++) check_near("weights", x[i], y[i], 1e-9);
    smr_free(x);
    smr_free(y);
    smr_train_set_free(set);
    smr_model_free(a);
    smr_model_free(b);
    smr_table_free(t);
}

static void a_weight_is_a_number_of_rows(void **state)
{
    (void)state;
    each_subject(doubled);
}

static void unlabelled(smr_ctx *ctx, const struct subject *s)
{
    smr_train_set *set = NULL;
    smr_cv_plan *plan = NULL;
    smr_model *m = NULL;
    int64_t train[ROWS], n_train, n_test, measured = 0;
    const int64_t *test;
    if (s->task != SMR_TASK_CLASSIFY) return;
    smr_table *t = task_table(ctx, NULL, true, false);
    check_ok(ctx, said_set(ctx, t, s->learner->word->name, &s->opts, &set));
    assert_int_equal(set->n_unlabelled, 16); /* rows 3, 8 .. 78 */
    assert_int_equal(set->n_rows, ROWS - 16);
    check_ok(ctx, smr_cv_plan_create(ctx, set, NULL, &plan));
    for (int64_t r = 0; r < smr_cv_rounds(plan); r++) {
        smr_cv_round(plan, r, train, &n_train, &test, &n_test);
        for (int64_t i = 0; i < n_test; i++) assert_true(set->label[test[i]] >= 0);
        check_ok(ctx, said_fit(ctx, s->learner->word->name, set, train, n_train, &m));
        assert_int_equal(m->n_rows, n_train + 16);
        smr_model_free(m);
        measured += n_test;
    }
    assert_int_equal(measured, set->n_rows);
    smr_cv_plan_free(plan);
    smr_train_set_free(set);
    smr_table_free(t);
}

static void rows_without_a_label_are_in_every_training_part_and_measured_nowhere(void **state)
{
    (void)state;
    each_subject(unlabelled);
}

static void sequences(smr_ctx *ctx, const struct subject *s)
{
    smr_train_set *set = NULL;
    smr_cv_plan *plan = NULL;
    int64_t train[ROWS], n_train, n_test;
    const int64_t *test;
    if (!s->opts.roles[SMR_ROLE_SEQUENCE]) return;
    smr_table *t = task_table(ctx, NULL, false, false);
    const smr_column *walk = &t->cols[WALK];
    check_ok(ctx, said_set(ctx, t, s->learner->word->name, &s->opts, &set));
    check_ok(ctx, smr_cv_plan_create(ctx, set, NULL, &plan));
    for (int64_t r = 0; r < smr_cv_rounds(plan); r++) {
        smr_cv_round(plan, r, train, &n_train, &test, &n_test);
        for (int64_t i = 0; i < n_train; i++)
            for (int64_t k = 0; k < n_test; k++)
                assert_int_not_equal(smr_column_code(walk, train[i]),
                                     smr_column_code(walk, test[k]));
    }
    smr_cv_plan_free(plan);
    plan = NULL;
    smr_cv_opts ordered = {.kind = SMR_CV_ORDERED};
    check_fails(ctx, smr_cv_plan_create(ctx, set, &ordered, &plan), SMR_ERR_PARAM,
                "rounds in order of time may cut a sequence");
    smr_train_set_free(set);
    set = NULL;
    smr_set_opts grouped = s->opts;
    grouped.group = "what";
    check_fails(ctx, said_set(ctx, t, s->learner->word->name, &grouped, &set), SMR_ERR_DATA,
                "a sequence lies in one group");
    smr_table_free(t);
}

static void folds_hold_sequences_whole(void **state)
{
    (void)state;
    each_subject(sequences);
}

/* ---- users and items -------------------------------------------------------------------- */

static void unknown(smr_ctx *quiet, const struct subject *s)
{
    struct heard heard;
    static const char *const who[] = {"u1", "nobody", NULL}, *const what[] = {"i1", "i1", "i9"};
    const double rating[] = {1, 2, 3};
    if (s->task != SMR_TASK_RECOMMEND) return;
    (void)quiet;
    smr_ctx *ctx = hearing_ctx(&heard);
    smr_table *t = task_table(ctx, NULL, false, false), *u = new_table(ctx, 3, 3);
    put_strings(ctx, u, 0, "who", who);
    put_strings(ctx, u, 1, "what", what);
    put_numbers(ctx, u, 2, "rating", rating);
    smr_model *m = must_train(ctx, s, t);
    check_silent(&heard);
    smr_output output = smr_model_gives(m) & SMR_GIVES_VALUE ? SMR_OUTPUT_VALUE : SMR_OUTPUT_SCORE;
    double *out = apply(ctx, m, u, output);
    for (int i = 0; i < 3; i++) assert_true(isfinite(out[i]));
    check_heard(&heard, "2 of 3 rows have a missing user in column 'who', or one");
    check_heard(&heard, "1 of 3 rows has a missing item in column 'what', or one");
    smr_free(out);
    smr_model_free(m);
    smr_table_free(t);
    smr_table_free(u);
    smr_ctx_destroy(ctx);
}

static void unknown_users_and_items_are_told(void **state)
{
    (void)state;
    each_subject(unknown);
}

static void best_items(smr_ctx *ctx, const struct subject *s)
{
    int32_t item[ITEMS + 1];
    double score[ITEMS + 1];
    const smr_can_rank *rank = s->learner->fitted->rank;
    if (!rank) return;
    smr_table *t = task_table(ctx, NULL, false, false);
    smr_model *m = must_train(ctx, s, t);
    const smr_stage *last = smr_model_last(m);
    for (int64_t user = -1; user < USERS; user++) {
        bool skip[ITEMS] = {false, true};
        int64_t n = ITEMS + 1;
        check_ok(ctx, rank->best(ctx, last->params, last->state, user, skip, &n, item, score));
        assert_int_equal(n, ITEMS - 1);
        for (int64_t k = 0; k < n; k++) {
            assert_int_not_equal(item[k], 1);
            assert_true(!k || score[k - 1] > score[k] ||
                        (score[k - 1] == score[k] && item[k - 1] < item[k]));
        }
        const int32_t *had = rank->had ? rank->had(last->params, last->state, user, &n) : NULL;
        assert_true(user >= 0 || n == 0 || !had);
        for (int64_t k = 1; had && k < n; k++) assert_true(had[k - 1] < had[k]);
    }
    smr_model_free(m);
    smr_table_free(t);
}

static void the_best_items_come_first_and_ties_go_to_the_lower(void **state)
{
    (void)state;
    each_subject(best_items);
}

/* ---- memory ----------------------------------------------------------------------------- */

struct attempt {
    const struct subject *s;
    const smr_table *table;
};

static smr_status train_save_load_and_predict(smr_ctx *ctx, void *arg)
{
    const struct attempt *a = arg;
    smr_status st = SMR_OK;
    smr_model *m = NULL, *back = NULL;
    char *bytes = NULL;
    int64_t n = 0;
    double *out = NULL;
    TRY(try_train(ctx, a->s->learner->word->name, a->table, &a->s->opts, &m));
    TRY(smr_model_write(ctx, m, &bytes, &n));
    TRY(smr_model_read(ctx, bytes, n, &back));
    smr_output output = smr_model_gives(m) & SMR_GIVES_LABEL   ? SMR_OUTPUT_LABEL
                        : smr_model_gives(m) & SMR_GIVES_VALUE ? SMR_OUTPUT_VALUE
                                                               : SMR_OUTPUT_SCORE;
    TRY_NEW(out, ROWS * smr_model_width(back, output));
    TRY(smr_model_apply(ctx, back, a->table, NULL, 0, output, out));
out:
    smr_free(out);
    smr_free(bytes);
    smr_model_free(m);
    smr_model_free(back);
    return st;
}

static void memory(smr_ctx *ctx, const struct subject *s)
{
    smr_table *t = task_table(ctx, NULL, s->task == SMR_TASK_CLASSIFY, false);
    struct attempt a = {s, t};
    assert_true(fail_each_allocation(ctx, train_save_load_and_predict, &a) > 20);
    smr_table_free(t);
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    check_no_races();
    each_subject(memory);
}

/* ---- files ------------------------------------------------------------------------------ */

static void change(char *bytes, int64_t n, const char *from, const char *to)
{
    size_t length = strlen(from);
    for (int64_t i = 0; i + (int64_t)length <= n; i++)
        if (memcmp(bytes + i, from, length) == 0) {
            memcpy(bytes + i, to, length);
            return;
        }
    fail_msg("the file has no '%s'", from);
}

/* The checksum as it should be after a change. */
static void seal(char *bytes, int64_t n)
{
    uint64_t header = 0;
    char sum[65];
    smr_sha256 s;
    for (int k = 7; k >= 0; k--) header = header << 8 | (uint8_t)bytes[k];
    int64_t at = smr_safetensors_find_checksum(bytes + 8, (int64_t)header);
    assert_true(at >= 0);
    memset(bytes + 8 + at, '0', 64);
    smr_sha256_begin(&s);
    smr_sha256_add(&s, bytes, (size_t)n);
    smr_sha256_hex(&s, sum);
    memcpy(bytes + 8 + at, sum, 64);
}

static void damaged_roles_and_targets_are_refused(void **state)
{
    static const struct {
        const char *task, *from, *to, *said;
    } cases[] = {
        {"z_steps", "\\\"roles\\\":{\\\"sequence", "\\\"roles\\\":{\\\"sequense",
         "the roles of columns"},
        {"z_cluster", "\\\"held\\\":true", "\\\"help\\\":true", "do not fit its task"},
        {"z_cluster", "\\\"task\\\":\\\"cluster", "\\\"task\\\":\\\"clutter", "lacks a part"},
        {"z_rate", "u0u1u2", "u0u0u2", "the names of its users"},
    };
    smr_ctx *ctx = check_ctx(1);
    (void)state;
    for (int64_t k = 0; k < SMR_COUNT(cases); k++) {
        const smr_learner *l = smr_registry_find(cases[k].task);
        smr_task task = l->tasks & SMR_DOES_SEQUENCE    ? SMR_TASK_SEQUENCE
                        : l->tasks & SMR_DOES_RECOMMEND ? SMR_TASK_RECOMMEND
                                                        : SMR_TASK_CLUSTER;
        struct subject s = subject_of(l, task, true);
        smr_table *t = task_table(ctx, NULL, false, false);
        smr_model *m = must_train(ctx, &s, t), *back = NULL;
        char *bytes = NULL;
        int64_t n;
        check_ok(ctx, smr_model_write(ctx, m, &bytes, &n));
        change(bytes, n, cases[k].from, cases[k].to);
        seal(bytes, n);
        check_fails(ctx, smr_model_read(ctx, bytes, n, &back), SMR_ERR_FORMAT, cases[k].said);
        smr_free(bytes);
        smr_model_free(m);
        smr_table_free(t);
    }
    check_ctx_end(ctx);
}

/* ---- from outside ----------------------------------------------------------------------- */

static void the_library_is_told_which_columns_have_roles(void **state)
{
    smr_ctx *ctx = check_ctx(1);
    smr_table *t = task_table(ctx, NULL, false, false);
    smr_model *m = NULL;
    smr_train_opts steps = {.size = sizeof steps,
                            .target = "class",
                            .ignore = "who,what,rating,w",
                            .sequence = "walk",
                            .time = "minute"};
    smr_train_opts rates = {.size = sizeof rates,
                            .target = "rating",
                            .ignore = "x,y,class,walk,minute,w",
                            .user = "who",
                            .item = "what"};
    (void)state;
    check_ok(ctx, smr_train(ctx, "z_steps", t, &steps, &m));
    assert_string_equal(m->schema.roles[SMR_ROLE_SEQUENCE].name, "walk");
    assert_string_equal(m->schema.roles[SMR_ROLE_TIME].name, "minute");
    smr_model_free(m);
    check_ok(ctx, smr_train(ctx, "z_rate", t, &rates, &m));
    assert_int_equal(m->schema.roles[SMR_ROLE_USER].levels.n, USERS);
    assert_int_equal(m->schema.roles[SMR_ROLE_ITEM].levels.n, ITEMS);
    smr_model_free(m);
    rates.size = offsetof(smr_train_opts, user); /* an older caller */
    check_fails(ctx, smr_train(ctx, "z_rate", t, &rates, &m), SMR_ERR_PARAM, "--user and --item");
    smr_table_free(t);
    check_ctx_end(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(threads_do_not_change_a_byte),
        cmocka_unit_test(saving_and_loading_keeps_everything),
        cmocka_unit_test(blocks_leave_no_trace),
        cmocka_unit_test(the_order_of_a_tables_rows_does_not_matter_to_sequences),
        cmocka_unit_test(rows_that_cut_a_sequence_are_refused),
        cmocka_unit_test(a_target_that_is_held_back_reaches_no_fit),
        cmocka_unit_test(a_weight_is_a_number_of_rows),
        cmocka_unit_test(rows_without_a_label_are_in_every_training_part_and_measured_nowhere),
        cmocka_unit_test(folds_hold_sequences_whole),
        cmocka_unit_test(unknown_users_and_items_are_told),
        cmocka_unit_test(the_best_items_come_first_and_ties_go_to_the_lower),
        cmocka_unit_test(every_allocation_may_fail),
        cmocka_unit_test(damaged_roles_and_targets_are_refused),
        cmocka_unit_test(the_library_is_told_which_columns_have_roles),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
