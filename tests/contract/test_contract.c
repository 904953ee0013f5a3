/* Every registry entry keeps the contract: about forty checks, each for every learner and task.
 *
 * Nothing here knows a learner by name.  Which checks apply follows from its descriptor.
 * Predictions are compared at 1, 2 and 7 threads.
 *
 *     test_contract [FAMILY...]        learners of these families, or of all
 *     test_contract --but FAMILY...    learners of all others
 *
 * Under a sanitizer the checks whose answer is a comparison of bytes make fewer of them: the plain
 * build makes them all. */
#include "fixtures.h"
#include "said.h"

#include "core/number.h"
#include "data/hash.h"
#include "kernel/kernel.h"
#include "learn/chain.h"
#include "model/model_file.h"

/* Its sentence takes the numbers of column x0 for texts. */
static bool reads_text(const struct subject *s)
{
    return reads_a_text(s->learner);
}

static char *bytes_of(smr_ctx *ctx, const smr_model *m, int64_t *n)
{
    char *bytes = NULL;
    check_ok(ctx, smr_model_write(ctx, m, &bytes, n));
    return bytes;
}

static void check_same_model(smr_ctx *ctx, const char *what, const smr_model *a, const smr_model *b)
{
    int64_t n_a, n_b;
    char *x = bytes_of(ctx, a, &n_a), *y = bytes_of(ctx, b, &n_b);
    if (n_a != n_b || memcmp(x, y, (size_t)n_a) != 0) fail_msg("%s: the model files differ", what);
    smr_free(x);
    smr_free(y);
}

/* Predictions of a model trained on `train`, for `rows`. */
static double *answers(smr_ctx *ctx, const struct subject *s, const smr_table *train,
                       const smr_table *rows, int64_t *n)
{
    smr_model *m = must_train(ctx, s, train, NULL);
    double *out = fixture_predict(ctx, m, rows, n);
    smr_model_free(m);
    return out;
}

/* ---- same data, same bytes -------------------------------------------------------------- */

static void fitting_twice_gives_the_same_bytes(smr_ctx *ctx, const struct subject *s)
{
    smr_table *t = fixture(ctx, fixture_for(s->task));
    smr_model *a = must_train(ctx, s, t, NULL), *b = must_train(ctx, s, t, NULL);
    check_same_model(ctx, "two fits", a, b);
    smr_model_free(a);
    smr_model_free(b);
    smr_table_free(t);
}

static void threads_do_not_change_a_byte(smr_ctx *ctx, const struct subject *s)
{
    static const int counts[] = {1, 2, 7};
    smr_table *t = fixture_sized(ctx, fixture_for(s->task), 1537, 7);
    smr_model *first = must_train(ctx, s, t, NULL);
    int64_t n = 0, m = 0;
    double *one = fixture_predict(ctx, first, t, &n);
    for (int i = CHECK_RACES || CHECK_MEMORY ? 2 : 0; i < 3; i++) {
        smr_ctx *other = check_ctx(counts[i]);
        smr_model *model = must_train(other, s, t, NULL);
        check_same_model(ctx, "threads", first, model);
        double *many = fixture_predict(other, model, t, &m);
        check_same_bits("predictions at other threads", one, many, n);
        smr_free(many);
        smr_model_free(model);
        check_ctx_end(other);
    }
    smr_free(one);
    smr_model_free(first);
    smr_table_free(t);
}

static void cpu_tiers_do_not_change_a_byte(smr_ctx *ctx, const struct subject *s)
{
    static const char *const tiers[] = {"baseline", "x86-64-v3", "x86-64-v4", "x86-64-v4-vnni"};
    check_no_races();
    const char *best = smr_kernel_tier();
    smr_table *t = fixture_sized(ctx, fixture_for(s->task), 301, 6);
    smr_model *first = must_train(ctx, s, t, NULL);
    int64_t n = 0, m = 0;
    double *one = fixture_predict(ctx, first, t, &n);
    for (int64_t i = 0; i < SMR_COUNT(tiers); i++) {
        if ((CHECK_MEMORY && i != 1) || !smr_kernel_use(tiers[i])) continue;
        smr_model *model = must_train(ctx, s, t, NULL);
        check_same_model(ctx, tiers[i], first, model);
        double *other = fixture_predict(ctx, model, t, &m);
        check_same_bits(tiers[i], one, other, n);
        smr_free(other);
        smr_model_free(model);
    }
    assert_true(smr_kernel_use(best));
    smr_free(one);
    smr_model_free(first);
    smr_table_free(t);
}

static void saving_and_loading_keeps_everything(smr_ctx *ctx, const struct subject *s)
{
    smr_table *t = fixture(ctx, fixture_for(s->task) | WITH_CATEGORY | WITH_GAPS);
    smr_model *m = must_train(ctx, s, t, NULL), *back = NULL;
    int64_t length, n, k;
    char *bytes = bytes_of(ctx, m, &length);
    check_ok(ctx, smr_model_read(ctx, bytes, length, &back));
    check_same_model(ctx, "saved and loaded", m, back);
    double *before = fixture_predict(ctx, m, t, &n), *after = fixture_predict(ctx, back, t, &k);
    assert_int_equal(n, k);
    check_same_bits("predictions of the loaded model", before, after, n);
    smr_free(before);
    smr_free(after);
    smr_free(bytes);
    smr_model_free(m);
    smr_model_free(back);
    smr_table_free(t);
}

static void one_row_at_a_time_gives_the_same_bits(smr_ctx *ctx, const struct subject *s)
{
    smr_table *t = fixture(ctx, fixture_for(s->task));
    smr_model *m = must_train(ctx, s, t, NULL);
    smr_output output = fixture_output(m);
    smr_predictor *p = NULL;
    int64_t n, width = smr_model_width(m, output);
    double *all = fixture_predict(ctx, m, t, &n), *row = smr_alloc(ctx, width + 1, sizeof *row);
    check_ok(ctx, smr_predictor_create(ctx, m, output, &p));
    for (int64_t i = 0; i < t->n_rows; i++) {
        double x[FIXTURE_COLS];
        char text[FIXTURE_COLS][SMR_NUMBER_MAX];
        const char *cells[FIXTURE_COLS];
        check_ok(ctx, smr_model_apply(ctx, m, t, &i, 1, output, row));
        check_same_bits("a row alone", all + i * width, row, width);
        for (int64_t j = 0; j < FIXTURE_COLS; j++) {
            x[j] = smr_column_number(&t->cols[j], i);
            smr_format_double(x[j], text[j]);
            cells[j] = text[j];
        }
        check_ok(ctx, smr_predictor_cells(p, cells, row));
        check_same_bits("a row of text", all + i * width, row, width);
        if (reads_text(s)) {
            check_fails(ctx, smr_predictor_row(p, x, row), SMR_ERR_UNSUPPORTED, "is text");
            continue;
        }
        check_ok(ctx, smr_predictor_row(p, x, row));
        check_same_bits("a row through a predictor", all + i * width, row, width);
    }
    smr_predictor_free(p);
    smr_free(all);
    smr_free(row);
    smr_model_free(m);
    smr_table_free(t);
}

static void a_predictor_does_not_allocate(smr_ctx *ctx, const struct subject *s)
{
    if (reads_text(s)) return; /* words are counted in memory that grows with the text */
    smr_table *t = fixture(ctx, fixture_for(s->task));
    smr_model *m = must_train(ctx, s, t, NULL);
    smr_output output = fixture_output(m);
    smr_predictor *p = NULL;
    double x[FIXTURE_COLS] = {0.3, -0.1, 0.7, 1.9, 0.4}, out[512];
    assert_true(smr_model_width(m, output) <= 512);
    check_ok(ctx, smr_predictor_create(ctx, m, output, &p));
    check_ok(ctx, smr_predictor_row(p, x, out));
    int64_t before = ctx->memory->requests;
    for (int i = 0; i < 10; i++) check_ok(ctx, smr_predictor_row(p, x, out));
    assert_int_equal(ctx->memory->requests, before);
    smr_predictor_free(p);
    smr_model_free(m);
    smr_table_free(t);
}

static void fitting_leaves_the_data_alone(smr_ctx *ctx, const struct subject *s)
{
    smr_table *t = fixture(ctx, fixture_for(s->task) | WITH_GAPS | WITH_CATEGORY);
    uint64_t before[2], after[2];
    check_ok(ctx, smr_table_hash(ctx, t, before));
    smr_model_free(must_train(ctx, s, t, NULL));
    check_ok(ctx, smr_table_hash(ctx, t, after));
    assert_memory_equal(before, after, sizeof before);
    smr_table_free(t);
}

/* ---- columns ---------------------------------------------------------------------------- */

static void columns_are_matched_by_name(smr_ctx *ctx, const struct subject *s)
{
    static const int64_t turned[] = {4, 0, 3, 5, 2, 1}; /* features and target in another order */
    smr_table *t = fixture(ctx, fixture_for(s->task));
    smr_table *other = fixture_copy(ctx, t, NULL, t->n_rows, turned, 6);
    smr_model *m = must_train(ctx, s, t, NULL);
    int64_t n, k;
    double *a = fixture_predict(ctx, m, t, &n), *b = fixture_predict(ctx, m, other, &k);
    check_same_bits("columns in another order", a, b, n);
    smr_free(a);
    smr_free(b);
    smr_model_free(m);
    smr_table_free(other);
    smr_table_free(t);
}

static void further_columns_do_not_matter(smr_ctx *ctx, const struct subject *s)
{
    smr_table *t = fixture(ctx, fixture_for(s->task));
    smr_table *more = fixture(ctx, fixture_for(s->task) | WITH_CATEGORY | WITH_WEIGHTS);
    smr_model *m = must_train(ctx, s, t, NULL);
    int64_t n, k;
    double *a = fixture_predict(ctx, m, t, &n), *b = fixture_predict(ctx, m, more, &k);
    check_same_bits("further columns", a, b, n);
    smr_free(a);
    smr_free(b);
    smr_model_free(m);
    smr_table_free(more);
    smr_table_free(t);
}

static void missing_columns_are_named(smr_ctx *ctx, const struct subject *s)
{
    static const int64_t fewer[] = {0, 1, 3, 4, 5};
    smr_table *t = fixture(ctx, fixture_for(s->task));
    smr_table *less = fixture_copy(ctx, t, NULL, t->n_rows, fewer, 5);
    smr_model *m = must_train(ctx, s, t, NULL);
    double out[8192];
    check_fails(ctx, smr_model_apply(ctx, m, less, NULL, 0, fixture_output(m), out), SMR_ERR_STATE,
                "'x2'");
    smr_model_free(m);
    smr_table_free(less);
    smr_table_free(t);
}

static void text_in_a_number_column_is_refused(smr_ctx *ctx, const struct subject *s)
{
    smr_table *t = fixture(ctx, fixture_for(s->task));
    smr_table *other = fixture(ctx, fixture_for(s->task) | WITH_CATEGORY);
    smr_model *m = must_train(ctx, s, t, NULL);
    double out[8192];
    smr_free(other->cols[2].name); /* the category takes the place of x2 */
    other->cols[2].name = smr_strdup(ctx, "gone");
    smr_free(other->cols[5].name);
    other->cols[5].name = smr_strdup(ctx, "x2");
    check_fails(ctx, smr_model_apply(ctx, m, other, NULL, 0, fixture_output(m), out), SMR_ERR_DATA,
                "'x2'");
    smr_model_free(m);
    smr_table_free(other);
    smr_table_free(t);
}

static void categories_are_taken(smr_ctx *ctx, const struct subject *s)
{
    smr_table *t = fixture(ctx, fixture_for(s->task) | WITH_CATEGORY);
    int64_t n;
    double *out = answers(ctx, s, t, t, &n);
    for (int64_t i = 0; i < n; i++) assert_true(out[i] == out[i]);
    smr_free(out);
    smr_table_free(t);
}

static void unseen_categories_follow_the_rule(smr_ctx *ctx, const struct subject *s)
{
    char sentence[192];
    smr_table *t = fixture(ctx, fixture_for(s->task) | WITH_CATEGORY);
    smr_table *other = fixture(ctx, fixture_for(s->task) | WITH_CATEGORY);
    int64_t n;
    other->cols[5].levels.bytes[0] = 'B'; /* "Blue" was never seen */
    smr_model *m = must_train(ctx, s, t, NULL);
    if (!(s->learner->takes & SMR_TAKES_CODES) ||
        (smr_stage_takes(smr_model_last(m)) & SMR_TAKES_MISSING))
        smr_free(fixture_predict(ctx, m, other, &n));
    smr_model_free(m);
    snprintf(sentence, sizeof sentence, "columns unseen=error | %s", s->sentence);
    m = fixture_train(ctx, sentence, t, s->task, NULL);
    assert_non_null(m);
    double out[16384];
    check_fails(ctx, smr_model_apply(ctx, m, other, NULL, 0, fixture_output(m), out), SMR_ERR_DATA,
                "'Blue'");
    smr_model_free(m);
    smr_table_free(other);
    smr_table_free(t);
}

static void gaps_in_training_are_taken(smr_ctx *ctx, const struct subject *s)
{
    smr_table *t = fixture(ctx, fixture_for(s->task) | WITH_GAPS);
    int64_t n;
    double *out = answers(ctx, s, t, t, &n);
    bool passes_on =
        s->learner->fitted->gives & SMR_GIVES_TRANSFORM; /* a transform may leave gaps */
    for (int64_t i = 0; !passes_on && i < n; i++) assert_true(out[i] == out[i]);
    smr_free(out);
    smr_table_free(t);
}

static void gaps_that_training_did_not_have_are_named(smr_ctx *ctx, const struct subject *s)
{
    smr_table *t = fixture(ctx, fixture_for(s->task));
    smr_table *gaps = fixture(ctx, fixture_for(s->task) | WITH_GAPS);
    smr_model *m = must_train(ctx, s, t, NULL);
    double out[8192];
    if (!(smr_stage_takes(smr_model_last(m)) &
          SMR_TAKES_MISSING)) /* x2 is the first gap: row 10 counted from 1 */
        check_fails(ctx, smr_model_apply(ctx, m, gaps, NULL, 0, fixture_output(m), out),
                    SMR_ERR_DATA, "column 'x");
    smr_model_free(m);
    smr_table_free(gaps);
    smr_table_free(t);
}

static void infinite_numbers_are_refused(smr_ctx *ctx, const struct subject *s)
{
    smr_table *t = fixture(ctx, fixture_for(s->task));
    ((double *)t->cols[3].values)[17] = INFINITY;
    assert_null(fixture_train(ctx, s->sentence, t, s->task, NULL));
    assert_int_equal(smr_ctx_status(ctx), SMR_ERR_DATA);
    assert_non_null(strstr(smr_ctx_message(ctx), "'x3' is infinite in row 18"));
    smr_ctx_clear(ctx);
    smr_table_free(t);
}

/* ---- forms ------------------------------------------------------------------------------ */

/* The same numbers in another storage: predictions agree to a tolerance (0: bit for bit). */
static void compare_forms(smr_ctx *ctx, const struct subject *s, unsigned stored, unsigned plain,
                          double tolerance)
{
    smr_table *a = fixture(ctx, fixture_for(s->task) | stored);
    smr_table *b = fixture(ctx, fixture_for(s->task) | plain);
    int64_t n, k;
    if (stored & (AS_BYTES | AS_FLOATS)) /* the plain twin: the same values as doubles */
        for (int64_t j = 0; j < FIXTURE_COLS; j++)
            for (int64_t i = 0; i < FIXTURE_ROWS; i++)
                ((double *)b->cols[j].values)[i] = smr_column_number(&a->cols[j], i);
    double *x = answers(ctx, s, a, a, &n), *y = answers(ctx, s, b, b, &k);
    assert_int_equal(n, k);
    check_all_near("another storage", x, y, n, tolerance);
    smr_free(x);
    smr_free(y);
    smr_table_free(a);
    smr_table_free(b);
}

static void bytes_and_doubles_agree(smr_ctx *ctx, const struct subject *s)
{
    compare_forms(ctx, s, AS_BYTES, 0, 1e-9);
}

static void floats_and_doubles_agree(smr_ctx *ctx, const struct subject *s)
{
    if (reads_text(s)) return;                 /* a rounded number is another text */
    compare_forms(ctx, s, AS_FLOATS, 0, 1e-4); /* the features themselves are rounded to 6e-8 */
}

static void sparse_and_dense_agree(smr_ctx *ctx, const struct subject *s)
{
    if (reads_text(s)) return; /* sparse columns have no names */
    compare_forms(ctx, s, AS_SPARSE, SPARSE_AS_DENSE, 1e-9);
}

/* ---- weights ---------------------------------------------------------------------------- */

static void weight_two_means_the_row_twice(smr_ctx *ctx, const struct subject *s)
{
    if (s->learner->traits & SMR_DRAWS_ROWS) return; /* its own tests say what weights mean to it */
    smr_table *t = fixture(ctx, fixture_for(s->task) | WITH_WEIGHTS);
    int64_t rows[3 * FIXTURE_ROWS], n = 0, k = 0, m = 0;
    for (int64_t i = 0; i < t->n_rows; i++)
        for (int64_t r = 0; r < (int64_t)smr_column_number(&t->cols[5], i); r++) rows[n++] = i;
    smr_table *repeated = fixture_copy(ctx, t, rows, n, NULL, t->n_cols);
    smr_table *same = fixture_copy(ctx, repeated, NULL, n, NULL, t->n_cols);
    for (int64_t i = 0; i < n; i++) ((double *)same->cols[5].values)[i] = 1;
    if (!(s->learner->takes & SMR_TAKES_WEIGHTS)) {
        assert_null(fixture_train(ctx, s->sentence, t, s->task, "w"));
        assert_non_null(strstr(smr_ctx_message(ctx), "weights"));
        smr_ctx_clear(ctx);
    } else {
        smr_model *a = must_train(ctx, s, t, "w"), *b = must_train(ctx, s, same, "w");
        double *x = fixture_predict(ctx, a, t, &k), *y = fixture_predict(ctx, b, t, &m);
        check_all_near("weights and repeated rows", x, y, k, 1e-9);
        smr_free(x);
        smr_free(y);
        smr_model_free(a);
        smr_model_free(b);
    }
    smr_table_free(same);
    smr_table_free(repeated);
    smr_table_free(t);
}

static void weight_zero_means_no_row(smr_ctx *ctx, const struct subject *s)
{
    smr_table *t = fixture(ctx, fixture_for(s->task) | WITH_WEIGHTS);
    int64_t rows[FIXTURE_ROWS], n = 0, k, m;
    if (!(s->learner->takes & SMR_TAKES_WEIGHTS)) {
        smr_table_free(t);
        return;
    }
    for (int64_t i = 0; i < t->n_rows; i++) {
        double *w = (double *)t->cols[5].values + i;
        *w = i % 4 == 3 ? 0 : 1;
        if (*w > 0) rows[n++] = i;
    }
    smr_table *less = fixture_copy(ctx, t, rows, n, NULL, t->n_cols);
    smr_model *a = must_train(ctx, s, t, "w"), *b = must_train(ctx, s, less, "w");
    double *x = fixture_predict(ctx, a, t, &k), *y = fixture_predict(ctx, b, t, &m);
    check_all_near("rows of weight 0", x, y, k, 1e-12);
    smr_free(x);
    smr_free(y);
    smr_model_free(a);
    smr_model_free(b);
    smr_table_free(less);
    smr_table_free(t);
}

static void bad_weights_are_refused(smr_ctx *ctx, const struct subject *s)
{
    smr_table *t = fixture(ctx, fixture_for(s->task) | WITH_WEIGHTS);
    ((double *)t->cols[5].values)[3] = -1;
    assert_null(fixture_train(ctx, s->sentence, t, s->task, "w"));
    assert_non_null(strstr(smr_ctx_message(ctx), "row 4"));
    smr_ctx_clear(ctx);
    smr_table_free(t);
}

/* ---- edges ------------------------------------------------------------------------------ */

static void small_tables_are_answered(smr_ctx *ctx, const struct subject *s)
{
    static const int64_t sizes[][2] = {{1, 5}, {2, 1}, {3, 1}, {5, 2}, {4, 9}, {30, 1}};
    for (int k = 0; k < 6; k++) {
        smr_table *t = fixture_sized(ctx, fixture_for(s->task), sizes[k][0], sizes[k][1]);
        smr_model *m = fixture_train(ctx, s->sentence, t, s->task, NULL);
        if (m) {
            int64_t n;
            smr_free(fixture_predict(ctx, m, t, &n));
        } else if (!*smr_ctx_message(ctx)) {
            fail_msg("%d x %d: refused without a word", (int)sizes[k][0], (int)sizes[k][1]);
        }
        smr_ctx_clear(ctx);
        smr_model_free(m);
        smr_table_free(t);
    }
}

static void constant_columns_are_harmless(smr_ctx *ctx, const struct subject *s)
{
    smr_table *t = fixture(ctx, fixture_for(s->task));
    int64_t n;
    for (int64_t i = 0; i < t->n_rows; i++) {
        ((double *)t->cols[1].values)[i] = 4.25;
        ((double *)t->cols[3].values)[i] = 0;
    }
    double *out = answers(ctx, s, t, t, &n);
    for (int64_t i = 0; i < n; i++) assert_true(isfinite(out[i]));
    smr_free(out);
    smr_table_free(t);
}

static void one_class_is_refused(smr_ctx *ctx, const struct subject *s)
{
    if (s->task != SMR_TASK_CLASSIFY) return;
    smr_table *t = fixture(ctx, WITH_CLASSES);
    t->cols[5].levels.n = 1;
    memset(t->cols[5].values, 0, (size_t)t->n_rows * sizeof(int32_t));
    assert_null(fixture_train(ctx, s->sentence, t, s->task, NULL));
    assert_non_null(strstr(smr_ctx_message(ctx), "one class only, 'a'"));
    smr_ctx_clear(ctx);
    smr_table_free(t);
}

static void a_class_without_rows_is_accepted(smr_ctx *ctx, const struct subject *s)
{
    if (s->task != SMR_TASK_CLASSIFY) return;
    smr_table *t = fixture(ctx, WITH_CLASSES);
    int32_t *label = t->cols[5].values;
    int64_t n;
    for (int64_t i = 0; i < t->n_rows; i++) label[i] = label[i] == 1 ? 2 : label[i];
    double *out = answers(ctx, s, t, t, &n);
    for (int64_t i = 0; i < n; i++) assert_true(isfinite(out[i]));
    smr_free(out);
    smr_table_free(t);
}

static void rows_without_target_are_left_out(smr_ctx *ctx, const struct subject *s)
{
    if (!smr_task_of(s->task)->needs_target) return;
    smr_table *t = fixture(ctx, fixture_for(s->task));
    smr_column *y = &t->cols[5];
    int64_t rows[FIXTURE_ROWS], n = 0, k, m;
    for (int64_t i = 0; i < t->n_rows; i++)
        if (i % 5 != 2) rows[n++] = i;
    smr_table *less = fixture_copy(ctx, t, rows, n, NULL, t->n_cols);
    for (int64_t i = 2; i < t->n_rows; i += 5) {
        if (s->task == SMR_TASK_CLASSIFY)
            ((int32_t *)y->values)[i] = -1;
        else
            ((double *)y->values)[i] = NAN;
        y->n_missing++;
    }
    double *a = answers(ctx, s, t, less, &k), *b = answers(ctx, s, less, less, &m);
    check_all_near("rows without target", a, b, k, 1e-12);
    smr_free(a);
    smr_free(b);
    smr_table_free(less);
    smr_table_free(t);
}

static void order_of_rows_does_not_matter(smr_ctx *ctx, const struct subject *s)
{
    if (s->learner->traits & SMR_DRAWS_ROWS) return;
    smr_table *t = fixture(ctx, fixture_for(s->task));
    int64_t order[FIXTURE_ROWS], n, k;
    smr_random_permutation(5, SMR_STREAM_TEST, 7, FIXTURE_ROWS, order);
    smr_table *turned = fixture_copy(ctx, t, order, FIXTURE_ROWS, NULL, t->n_cols);
    double *a = answers(ctx, s, t, t, &n), *b = answers(ctx, s, turned, t, &k);
    check_all_near("rows in another order", a, b, n, 1e-9);
    smr_free(a);
    smr_free(b);
    smr_table_free(turned);
    smr_table_free(t);
}

/* ---- outputs ---------------------------------------------------------------------------- */

static void probabilities_sum_to_one_and_give_the_label(smr_ctx *ctx, const struct subject *s)
{
    if (!(s->learner->fitted->gives & SMR_GIVES_PROBA) || s->task != SMR_TASK_CLASSIFY) return;
    smr_table *t = fixture(ctx, WITH_CLASSES);
    smr_model *m = must_train(ctx, s, t, NULL);
    if (!(smr_model_gives(m) & SMR_GIVES_PROBA)) {
        smr_model_free(m);
        smr_table_free(t);
        return;
    }
    double p[3 * FIXTURE_ROWS], label[FIXTURE_ROWS];
    check_ok(ctx, smr_model_apply(ctx, m, t, NULL, 0, SMR_OUTPUT_PROBA, p));
    check_ok(ctx, smr_model_apply(ctx, m, t, NULL, 0, SMR_OUTPUT_LABEL, label));
    for (int64_t i = 0; i < t->n_rows; i++) {
        const double *row = p + 3 * i;
        int best = row[1] > row[0] ? 1 : 0;
        best = row[2] > row[best] ? 2 : best;
        check_near("sum", row[0] + row[1] + row[2], 1, 1e-12);
        for (int k = 0; k < 3; k++) assert_true(row[k] >= 0 && row[k] <= 1);
        assert_int_equal((int)label[i], best);
    }
    smr_model_free(m);
    smr_table_free(t);
}

static void outputs_it_does_not_give_are_refused(smr_ctx *ctx, const struct subject *s)
{
    smr_table *t = fixture(ctx, fixture_for(s->task));
    smr_model *m = must_train(ctx, s, t, NULL);
    double out[16384];
    for (int k = 0; k <= SMR_OUTPUT_SET; k++)
        if (!(smr_model_gives(m) & 1u << k))
            check_fails(ctx, smr_model_apply(ctx, m, t, NULL, 0, (smr_output)k, out),
                        SMR_ERR_UNSUPPORTED, "gives no");
    smr_model_free(m);
    smr_table_free(t);
}

static void several_targets_work_or_are_refused(smr_ctx *ctx, const struct subject *s)
{
    if (s->task != SMR_TASK_REGRESS) return;
    smr_table *t = fixture(ctx, 0);
    smr_set_opts opts = {.target = "t,x4", .task = SMR_TASK_REGRESS, .keep_all = true};
    smr_train_set *set = NULL;
    smr_model *m = NULL;
    check_ok(ctx, said_set(ctx, t, s->sentence, &opts, &set));
    smr_status st = said_fit(ctx, s->sentence, set, NULL, 0, &m);
    if (s->learner->traits & SMR_REFUSES_NEGATIVE) { /* x4 is below 0 somewhere */
        check_fails(ctx, st, SMR_ERR_DATA, "the target of row");
    } else if (s->learner->takes & SMR_TAKES_MANY_TARGETS) {
        double out[2 * FIXTURE_ROWS];
        assert_int_equal(st, SMR_OK);
        bool value = s->learner->fitted->gives & SMR_GIVES_VALUE; /* else features: one is enough */
        if (value) check_ok(ctx, smr_model_apply(ctx, m, t, NULL, 0, SMR_OUTPUT_VALUE, out));
        for (int64_t i = 0; i < 2 * FIXTURE_ROWS && value; i++) assert_true(isfinite(out[i]));
    } else {
        assert_int_equal(st, SMR_ERR_UNSUPPORTED);
        smr_ctx_clear(ctx);
    }
    smr_model_free(m);
    smr_train_set_free(set);
    smr_table_free(t);
}

static void standardized_targets_come_back_in_their_units(smr_ctx *ctx, const struct subject *s)
{
    if (s->task != SMR_TASK_REGRESS || !(s->learner->fitted->gives & SMR_GIVES_VALUE)) return;
    if (s->learner->traits & SMR_REFUSES_NEGATIVE) return; /* standardised ones are below 0 */
    char sentence[192];
    smr_table *t = fixture(ctx, 0);
    smr_model *m = NULL;
    int64_t n;
    double mean = 0, of_answers = 0;
    snprintf(sentence, sizeof sentence, "columns target=standardize | %s", s->sentence);
    m = fixture_train(ctx, sentence, t, s->task, NULL);
    assert_non_null(m);
    double *out = fixture_predict(ctx, m, t, &n);
    for (int64_t i = 0; i < n; i++) {
        mean += smr_column_number(&t->cols[5], i) / (double)n;
        of_answers += out[i] / (double)n;
    }
    check_near("mean of the answers", of_answers, mean,
               0.15); /* not 0, as of standardised targets */
    smr_free(out);
    smr_model_free(m);
    smr_table_free(t);
}

static void description_is_valid_json(smr_ctx *ctx, const struct subject *s)
{
    smr_table *t = fixture(ctx, fixture_for(s->task) | WITH_GAPS | WITH_CATEGORY);
    smr_model *m = must_train(ctx, s, t, NULL);
    smr_json_doc *doc = NULL, *back = NULL;
    smr_text text = {.ctx = ctx};
    check_ok(ctx, smr_json_create(ctx, &doc));
    check_ok(ctx, smr_model_describe(ctx, m, smr_json_root(doc)));
    check_ok(ctx, smr_json_done(doc));
    smr_json_write(smr_json_root(doc), 2, &text);
    check_ok(ctx, smr_json_parse(ctx, text.bytes, text.length, &back));
    assert_non_null(strstr(text.bytes, s->learner->word->name));
    smr_text_release(&text);
    smr_json_free(back);
    smr_json_free(doc);
    smr_model_free(m);
    smr_table_free(t);
}

/* ---- failing ---------------------------------------------------------------------------- */

/* Fit, save, load and predict, stopping at the first failure. */
static smr_status whole_life(smr_ctx *ctx, const struct subject *s, const smr_table *t)
{
    smr_model *m = fixture_train(ctx, s->sentence, t, s->task, NULL), *back = NULL;
    char *bytes = NULL;
    int64_t n = 0;
    double out[16384];
    smr_status st = m ? SMR_OK : smr_ctx_status(ctx);
    if (st == SMR_OK) st = smr_model_write(ctx, m, &bytes, &n);
    if (st == SMR_OK) st = smr_model_read(ctx, bytes, n, &back);
    if (st == SMR_OK) st = smr_model_apply(ctx, back, t, NULL, 0, fixture_output(back), out);
    smr_free(bytes);
    smr_model_free(m);
    smr_model_free(back);
    return st;
}

static void every_failing_allocation_is_survived(smr_ctx *unused, const struct subject *s)
{
    check_no_races();
    smr_ctx *ctx = check_ctx(1);
    smr_table *t = fixture(ctx, fixture_for(s->task) | WITH_GAPS | WITH_CATEGORY);
    int64_t held = smr_ctx_memory(ctx, NULL), n = 0;
    (void)unused;
    /* learners made of learners take many: of those after the first ones some are tried */
    for (;; n += 1 + (n > (CHECK_MEMORY ? 100 : 400) ? n / (CHECK_MEMORY ? 12 : 20) : 0)) {
        smr_memory_fail_at(ctx, n);
        smr_status st = whole_life(ctx, s, t);
        smr_memory_fail_at(ctx, -1);
        if (smr_ctx_memory(ctx, NULL) != held) fail_msg("allocation %lld leaks", (long long)n);
        if (st == SMR_OK) break;
        if (st != SMR_ERR_NOMEM)
            fail_msg("allocation %lld: status %d, %s", (long long)n, (int)st, ctx->message);
        smr_ctx_clear(ctx);
    }
    assert_true(n > 10);
    smr_table_free(t);
    check_ctx_end(ctx);
}

static void cancelling_leaves_nothing_behind(smr_ctx *unused, const struct subject *s)
{
    smr_ctx *ctx = check_ctx(2);
    smr_table *t = fixture_sized(ctx, fixture_for(s->task), 700, 4);
    (void)unused;
    smr_ctx_cancel(ctx);
    smr_model *m = fixture_train(ctx, s->sentence, t, s->task, NULL);
    if (!m) assert_int_equal(smr_ctx_status(ctx), SMR_ERR_CANCELLED);
    smr_ctx_clear(ctx);
    smr_model_free(m);
    smr_table_free(t);
    check_ctx_end(ctx);
}

/* Under a sanitizer: each of the first bytes, where the structure is, and fewer and fewer of the
 * others. */
static int64_t next_position(int64_t at)
{
    return at + (CHECK_MEMORY && at > 512 ? 13 + at / 100 : 1);
}

static void damaged_files_are_refused(smr_ctx *ctx, const struct subject *s)
{
    check_no_races();
    smr_table *t = fixture_sized(ctx, fixture_for(s->task), 17, 2);
    smr_model *m = must_train(ctx, s, t, NULL), *back = NULL;
    int64_t n;
    char *bytes = bytes_of(ctx, m, &n);
    for (int64_t cut = 0; cut < n; cut = next_position(cut)) {
        smr_status st = smr_model_read(ctx, bytes, cut, &back);
        if (st != SMR_ERR_FORMAT || back)
            fail_msg("cut at %lld: status %d", (long long)cut, (int)st);
        smr_ctx_clear(ctx);
    }
    for (int64_t at = 0; at < n; at = next_position(at)) {
        bytes[at] ^= (char)(1 << at % 8);
        smr_status st = smr_model_read(ctx, bytes, n, &back);
        if (st != SMR_ERR_FORMAT || back)
            fail_msg("byte %lld changed: status %d", (long long)at, (int)st);
        smr_ctx_clear(ctx);
        bytes[at] ^= (char)(1 << at % 8);
    }
    smr_free(bytes);
    smr_model_free(m);
    smr_table_free(t);
}

/* ---- running ---------------------------------------------------------------------------- */

static const struct check checks[] = {
    CHECK(fitting_twice_gives_the_same_bytes),
    CHECK(threads_do_not_change_a_byte),
    CHECK(cpu_tiers_do_not_change_a_byte),
    CHECK(saving_and_loading_keeps_everything),
    CHECK(one_row_at_a_time_gives_the_same_bits),
    CHECK(a_predictor_does_not_allocate),
    CHECK(fitting_leaves_the_data_alone),
    CHECK(columns_are_matched_by_name),
    CHECK(further_columns_do_not_matter),
    CHECK(missing_columns_are_named),
    CHECK(text_in_a_number_column_is_refused),
    CHECK(categories_are_taken),
    CHECK(unseen_categories_follow_the_rule),
    CHECK(gaps_in_training_are_taken),
    CHECK(gaps_that_training_did_not_have_are_named),
    CHECK(infinite_numbers_are_refused),
    CHECK(bytes_and_doubles_agree),
    CHECK(floats_and_doubles_agree),
    CHECK(sparse_and_dense_agree),
    CHECK(weight_two_means_the_row_twice),
    CHECK(weight_zero_means_no_row),
    CHECK(bad_weights_are_refused),
    CHECK(small_tables_are_answered),
    CHECK(constant_columns_are_harmless),
    CHECK(one_class_is_refused),
    CHECK(a_class_without_rows_is_accepted),
    CHECK(rows_without_target_are_left_out),
    CHECK(order_of_rows_does_not_matter),
    CHECK(probabilities_sum_to_one_and_give_the_label),
    CHECK(outputs_it_does_not_give_are_refused),
    CHECK(several_targets_work_or_are_refused),
    CHECK(standardized_targets_come_back_in_their_units),
    CHECK(description_is_valid_json),
    CHECK(every_failing_allocation_is_survived),
    CHECK(cancelling_leaves_nothing_behind),
    CHECK(damaged_files_are_refused),
};

/* The words of the command line: families that are asked for, or after --but that are not. */
static struct {
    int n;
    char **word;
} asked;

/* Recommenders read users and items, not features, and no row of numbers holds these: what is asked
 * of them beside tasks/. */
static bool is_about_features(const struct check *check)
{
    void (*const about[])(smr_ctx *, const struct subject *) = {
        one_row_at_a_time_gives_the_same_bits,
        a_predictor_does_not_allocate,
        missing_columns_are_named,
        text_in_a_number_column_is_refused,
        unseen_categories_follow_the_rule,
        gaps_that_training_did_not_have_are_named,
        infinite_numbers_are_refused,
        sparse_and_dense_agree,
    };
    for (int64_t i = 0; i < SMR_COUNT(about); i++)
        if (check->run == about[i]) return true;
    return false;
}

static bool is_asked_for(const struct check *check, const smr_learner *l, smr_task task)
{
    if (task == SMR_TASK_RECOMMEND && is_about_features(check)) return false;
    bool but = asked.n > 1 && !strcmp(asked.word[1], "--but");
    (void)check, (void)task;
    for (int i = 1 + but; i < asked.n; i++)
        if (!strcmp(asked.word[i], l->word->family)) return !but;
    return asked.n == 1 || but;
}

int main(int argc, char **argv)
{
    asked.n = argc;
    asked.word = argv;
    return run_suite(&(struct suite){.name = "contract",
                                     .checks = checks,
                                     .n_checks = SMR_COUNT(checks),
                                     .threads = 2,
                                     .is_for = is_asked_for});
}
