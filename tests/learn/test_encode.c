/* test_encode.c -- categories as means of the target and as buckets: worked figures, no row that
 * sees its own target, what is refused.
 *
 * Figures: worked ones here; tests/truth/transforms.py has those of the formulas on real tables. */
#include "matrix_data.h"
#include "pipeline.h"

#include "learn/chain.h"
#include "learn/registry.h"
#include "learn/state.h"

static void check_codes(const char *sentence, smr_table *t, const char *weight,
                        const double *wanted, int64_t n)
{
    smr_ctx *ctx = check_ctx(1);
    smr_model *m = NULL;
    bool numbers = t->cols[1].kind == SMR_NUMBER;
    smr_set_opts opts = {.target = "y",
                         .weight = weight,
                         .keep_all = true,
                         .task = numbers ? SMR_TASK_REGRESS : SMR_TASK_CLASSIFY};
    check_ok(ctx, try_train(ctx, sentence, t, &opts, &m));
    double *z = apply(ctx, m, t, SMR_OUTPUT_TRANSFORM);
    for (int64_t i = 0; i < n; i++) check_near(sentence, z[i], wanted[i], 1e-14);
    smr_free(z);
    smr_model_free(m);
    check_ctx_end(ctx);
}

/* a: 1, 3; b: 5, 5, 11; c and a gap: 8, 2.  All: 35 / 7 = 5. */
static smr_table *small_table(smr_ctx *ctx)
{
    smr_table *t = new_table(ctx, 7, 3);
    put_strings(ctx, t, 0, "k", (const char *[]){"a", "b", "a", "b", "c", NULL, "b"});
    put_numbers(ctx, t, 1, "y", (double[]){1, 5, 3, 5, 8, 2, 11});
    put_numbers(ctx, t, 2, "w", (double[]){1, 1, 1, 1, 1, 1, 1});
    return t;
}

static void levels_become_means_drawn_to_the_mean_of_all(void **state)
{
    smr_ctx *ctx = check_ctx(1);
    smr_table *t = small_table(ctx);
    (void)state;
    /* w passes: every second feature is 1 */
    check_codes("encode 0", t, NULL, (double[]){2, 1, 7, 1, 2, 1, 7, 1, 8, 1, 5, 1, 7, 1}, 14);
    check_codes("encode 2", t, NULL, (double[]){3.5, 1, 6.2, 1, 3.5, 1, 6.2, 1, 6, 1, 5, 1, 6.2, 1},
                14);
    check_codes("encode 2 missing=level", t, NULL,
                (double[]){3.5, 1, 6.2, 1, 3.5, 1, 6.2, 1, 6, 1, 4, 1, 6.2, 1}, 14);
    smr_table_free(t);
    check_ctx_end(ctx);
}

/* Levels 1, 3 | 5, 5, 11 | 8, and a gap, 2, as one more: n = 7, L = 4, within = 2 + 24,
 * noise = 26 / 3; between = 2 * 9 + 3 * 4 + 9 + 9 = 48, apart = (48 - 26) / (7 - 15 / 7). */
static void smoothing_is_what_the_levels_say(void **state)
{
    smr_ctx *ctx = check_ctx(1);
    smr_table *t = small_table(ctx);
    double noise = 26.0 / 3, apart = 22 / (7 - 15.0 / 7), a = noise / apart;
    double code_a = (4 + 5 * a) / (2 + a), code_b = (21 + 5 * a) / (3 + a);
    (void)state;
    check_codes("encode", t, NULL,
                (double[]){code_a, 1, code_b, 1, code_a, 1, code_b, 1, (8 + 5 * a) / (1 + a), 1, 5},
                11);
    smr_table_free(t);
    check_ctx_end(ctx);
}

static void classes_become_shares(void **state)
{
    smr_ctx *ctx = check_ctx(1);
    smr_table *t = new_table(ctx, 6, 2);
    (void)state;
    put_strings(ctx, t, 0, "k", (const char *[]){"a", "a", "a", "b", "b", "b"});
    put_strings(ctx, t, 1, "y", (const char *[]){"no", "yes", "yes", "no", "no", "no"});
    check_codes("encode 0", t, NULL, (double[]){2.0 / 3, 2.0 / 3, 2.0 / 3, 0, 0, 0}, 6);
    smr_table_free(t);
    t = new_table(ctx, 6, 2);
    put_strings(ctx, t, 0, "k", (const char *[]){"a", "a", "a", "b", "b", "b"});
    put_strings(ctx, t, 1, "y", (const char *[]){"p", "q", "r", "p", "p", "q"});
    check_codes("encode 0", t, NULL,
                (double[]){1.0 / 3, 1.0 / 3, 1.0 / 3, 1.0 / 3, 1.0 / 3, 1.0 / 3}, 6);
    smr_model *m = train_on(ctx, "encode", t, "y");
    assert_string_equal(m->stages[0].features[0].name, "k:p");
    assert_string_equal(m->stages[0].features[2].name, "k:r");
    smr_model_free(m);
    smr_table_free(t);
    check_ctx_end(ctx);
}

/* ---- training rows ---------------------------------------------------------------------- */

enum { N = 60, LEVELS = 6 };

/* What training rows are given, with these targets. */
static void encode_training(const char *words, const double *y, const int64_t *group, double *out)
{
    smr_ctx *ctx = check_ctx(1);
    const smr_learner *l = smr_registry_find("encode");
    int32_t code[N];
    struct matrix_data m;
    smr_fit_report report = {0};
    void *params = make_params(ctx, l, words), *state = NULL;
    for (int i = 0; i < N; i++) code[i] = i * 5 % LEVELS;
    matrix_data(&m, N, 1, 1, NULL, y, NULL);
    m.features[0] = (smr_feature){.name = "k",
                                  .kind = SMR_CATEGORY,
                                  .dtype = SMR_I32,
                                  .values = code,
                                  .stride = 1,
                                  .n_levels = LEVELS};
    m.data.group = group;
    check_ok(ctx, smr_state_create(ctx, l, &state));
    check_ok(ctx, smr_learner_fit(ctx, l, params, &m.data, state, &report));
    check_ok(ctx, l->fitted->transform->training(ctx, params, state, &m.data));
    double x[N];
    for (int i = 0; i < N; i++) x[i] = code[i];
    smr_rows rows = {.n = N, .d = 1, .form = SMR_FORM_F64, .x = x, .stride = 1};
    check_ok(ctx, l->fitted->predict(ctx, params, state, &rows, SMR_OUTPUT_TRANSFORM, out, NULL));
    check_ok(ctx, l->fitted->transform->training(ctx, params, state, NULL));
    smr_state_free(l, state);
    smr_params_free(l->word, params);
    check_ctx_end(ctx);
}

/* Another target of row 7 changes what other rows of its level see, but not what it sees itself. */
static void no_row_sees_its_own_target(void **state)
{
    static const char *const sentences[] = {"smooth=0", "smooth=3", "folds=2", "folds=10"};
    double y[N], before[N], after[N];
    (void)state;
    for (int i = 0; i < N; i++) y[i] = 3 * noise(i, 1) + i * 5 % LEVELS;
    for (int k = 0; k < SMR_COUNT(sentences); k++) {
        int changed = 0;
        encode_training(sentences[k], y, NULL, before);
        y[7] += 1000;
        encode_training(sentences[k], y, NULL, after);
        y[7] -= 1000;
        check_near(sentences[k], after[7], before[7], 1e-9);
        for (int i = 0; i < N; i++) changed += fabs(after[i] - before[i]) > 1;
        assert_true(changed >= 4 && changed < N);
    }
}

/* Nor those of its group. */
static void no_row_sees_its_group(void **state)
{
    double y[N], before[N], after[N];
    int64_t group[N];
    (void)state;
    for (int i = 0; i < N; i++) y[i] = noise(i, 2), group[i] = i / 6;
    encode_training("smooth=0", y, group, before);
    y[13] += 1000;
    encode_training("smooth=0", y, group, after);
    for (int i = 12; i < 18; i++) check_near("group", after[i], before[i], 1e-9);
}

/* A category of two rows a level tells nothing about noise: a model that saw its own targets would
 * explain half of it. */
static void noise_is_not_learned(void **state)
{
    enum { ROWS = 400 };
    static char names[ROWS][8];
    static const char *levels[ROWS];
    static double y[ROWS];
    smr_ctx *ctx = check_ctx(1);
    smr_table *t = new_table(ctx, ROWS, 2);
    (void)state;
    for (int i = 0; i < ROWS; i++) {
        snprintf(names[i], sizeof names[i], "l%d", i / 2);
        levels[i] = names[i];
        y[i] = noise(i, 5);
    }
    put_strings(ctx, t, 0, "k", levels);
    put_numbers(ctx, t, 1, "y", y);
    smr_model *m = train_on(ctx, "encode 0 | linear", t, "y");
    double *f = apply(ctx, m, t, SMR_OUTPUT_VALUE), mean = 0, all = 0, spread = 0;
    for (int i = 0; i < ROWS; i++) mean += y[i] / ROWS;
    for (int i = 0; i < ROWS; i++) {
        all += (y[i] - mean) * (y[i] - mean);
        spread += (f[i] - mean) * (f[i] - mean);
    }
    assert_true(spread < 0.05 * all);
    smr_free(f);
    smr_model_free(m);
    smr_table_free(t);
    check_ctx_end(ctx);
}

/* ---- hash ------------------------------------------------------------------------------- */

/* Sparse rows of many buckets are the dense rows of few, value by value; a text that training never
 * saw has its bucket, an unseen category has none. */
static void every_value_has_a_bucket(void **state)
{
    smr_ctx *ctx = check_ctx(1);
    smr_table *t = new_table(ctx, 4, 3), *u = new_table(ctx, 2, 3);
    const char *seen[] = {"p", "q", NULL, "a longer value"}, *later[] = {"p", "never seen"};
    (void)state;
    put_strings(ctx, t, 0, "k", seen);
    put_strings(ctx, t, 1, "l", seen);
    put_numbers(ctx, t, 2, "x", (double[]){1.5, 0, 2, 3});
    put_strings(ctx, u, 0, "k", later);
    put_strings(ctx, u, 1, "l", later);
    put_numbers(ctx, u, 2, "x", (double[]){1.5, 7});
    static const struct {
        const char *sentence;
        double sum[2]; /* of magnitudes, of the later rows */
    } cases[] = {{"hash 65536", {3.5, 7}},
                 {"hash 65536 column=k", {1.5, 0}},
                 {"hash 65536 column=\"k,l\"", {3.5, 9}},
                 {"hash 100000 sign=no", {3.5, 7}}};
    for (int k = 0; k < SMR_COUNT(cases); k++) {
        smr_model *m = NULL;
        smr_set_opts opts = {.keep_all = true};
        check_ok(ctx, try_train(ctx, cases[k].sentence, t, &opts, &m));
        int64_t width = smr_model_width(m, SMR_OUTPUT_TRANSFORM);
        double *z = apply(ctx, m, u, SMR_OUTPUT_TRANSFORM), sum[2] = {0}, least = 0;
        for (int64_t j = 0; j < 2 * width; j++) {
            if (isnan(z[j])) continue;
            sum[j / width] += fabs(z[j]);
            least = smr_fmin(least, z[j]);
        }
        if (k != 1)
            for (int i = 0; i < 2; i++) check_near(cases[k].sentence, sum[i], cases[k].sum[i], 0);
        if (strstr(cases[k].sentence, "sign=no")) assert_true(least == 0);
        smr_free(z);
        smr_model_free(m);
    }
    smr_table_free(t);
    smr_table_free(u);
    check_ctx_end(ctx);
}

/* Both ways to give rows have the same bits, with collisions that cancel. */
static void sparse_and_dense_rows_are_the_same(void **state)
{
    enum { ROWS = 300, COLS = 16, BUCKETS = 256 };
    smr_ctx *ctx = check_ctx(1);
    smr_table *t = new_table(ctx, ROWS, COLS);
    static char text[ROWS * COLS][8];
    const char *cells[ROWS];
    char name[COLS][8];
    (void)state;
    for (int j = 0; j < COLS; j++) {
        for (int i = 0; i < ROWS; i++) {
            snprintf(text[i * COLS + j], 8, "v%d", (i * (j + 3) + j) % 40);
            cells[i] = text[i * COLS + j];
        }
        snprintf(name[j], sizeof name[j], "k%d", j);
        put_strings(ctx, t, j, name[j], cells);
    }
    smr_model *m = train_on(ctx, "hash 256", t, NULL);
    const smr_stage *s = &m->stages[0];
    assert_true(smr_stage_is_sparse(s, false));
    double x[COLS], z[BUCKETS];
    int64_t zeros = 0;
    smr_entries e = {0};
    for (int i = 0; i < ROWS; i++) {
        for (int j = 0; j < COLS; j++) x[j] = smr_column_code(&t->cols[j], i);
        smr_rows row = {.n = 1, .d = COLS, .form = SMR_FORM_F64, .x = x, .stride = COLS};
        check_ok(ctx, smr_stage_transform(ctx, s, &row, SMR_FORM_F64, z, NULL));
        check_ok(ctx, smr_entries_begin(ctx, &e, 1));
        check_ok(ctx, smr_stage_append(ctx, s, &row, &e, NULL));
        for (int64_t k = 0; k < e.n; k++) {
            assert_true(k == 0 || e.column[k] > e.column[k - 1]);
            assert_true(e.value[k] == z[e.column[k]] && e.value[k] != 0);
            z[e.column[k]] = 0;
        }
        for (int b = 0; b < BUCKETS; b++) assert_true(z[b] == 0);
        zeros += COLS - e.n;
    }
    assert_true(zeros > 0); /* some did share a bucket */
    smr_entries_release(&e);
    smr_model_free(m);
    smr_table_free(t);
    check_ctx_end(ctx);
}

/* ---- refusals --------------------------------------------------------------------------- */

static void what_cannot_be_is_refused_in_words(void **state)
{
    static const struct {
        const char *sentence, *target, *says;
    } cases[] = {
        {"encode column=x", "y", "encode: 'x' is no category; --type 'x=category' makes it one"},
        {"encode column=k,z", "y", "encode: of the columns 'k,z' only 1 comes in"},
        {"hash column=z", "y", "z"},
        {"encode folds=1", "y", "folds"},
    };
    smr_ctx *ctx = check_ctx(1);
    smr_table *t = new_table(ctx, 3, 3);
    (void)state;
    put_strings(ctx, t, 0, "k", (const char *[]){"x", "y", "x"});
    put_numbers(ctx, t, 1, "x", (double[]){5, -2, 3});
    put_numbers(ctx, t, 2, "y", (double[]){5.5, -2.5, 3});
    for (int k = 0; k < SMR_COUNT(cases); k++) {
        smr_model *m = NULL;
        smr_set_opts opts = {.target = cases[k].target, .keep_all = true};
        smr_status st = try_train(ctx, cases[k].sentence, t, &opts, &m);
        if (st == SMR_OK || !strstr(smr_ctx_message(ctx), cases[k].says))
            fail_msg("%s: '%s'", cases[k].sentence, smr_ctx_message(ctx));
        smr_ctx_clear(ctx);
    }
    smr_table_free(t);
    check_ctx_end(ctx);
}

static smr_status train_once(smr_ctx *ctx, void *table)
{
    smr_model *m = NULL;
    smr_set_opts opts = {.target = "y", .keep_all = true};
    smr_status st = try_train(ctx, "encode | ridge", table, &opts, &m);
    smr_model_free(m);
    return st;
}

static void failing_allocations_leave_nothing(void **state)
{
    smr_ctx *ctx = check_ctx(1);
    smr_table *t = small_table(ctx);
    (void)state;
    assert_true(fail_each_allocation(ctx, train_once, t) > 10);
    smr_table_free(t);
    check_ctx_end(ctx);
}

/* ---- from a stream ---------------------------------------------------------------------- */

enum { ROWS = 61 };

/* Two categories with gaps, a number, weights, and a target far from 0 or of three classes. */
static smr_table *long_table(smr_ctx *ctx, bool classes)
{
    static const char *const k[] = {"a", "b", "c", "d", NULL}, *const y[] = {"x", "y", "z"};
    static const char *first[ROWS], *second[ROWS], *class[ROWS];
    static double x[ROWS], w[ROWS], number[ROWS];
    smr_table *t = new_table(ctx, ROWS, 5);
    for (int64_t i = 0; i < ROWS; i++) {
        int64_t a = i * i % 5, b = i / 3 % 3;
        first[i] = k[a];
        second[i] = k[b];
        x[i] = noise(i, 1);
        w[i] = 1 + (double)(i % 2);
        number[i] = 1e4 + (double)(a * a) + 3 * (double)b + 2 * noise(i, 2);
        class[i] = y[(a + (noise(i, 3) > 0.4)) % 3];
    }
    put_strings(ctx, t, 0, "k", first);
    put_numbers(ctx, t, 1, "x", x);
    put_strings(ctx, t, 2, "l", second);
    put_numbers(ctx, t, 3, "w", w);
    if (classes)
        put_strings(ctx, t, 4, "y", class);
    else
        put_numbers(ctx, t, 4, "y", number);
    return t;
}

/* Each row has the codes of a fit to the rows before it, and in the end those of a fit to all. */
static void check_stream(const char *sentence, bool classes)
{
    smr_ctx *ctx = check_ctx(1);
    smr_table *t = long_table(ctx, classes);
    smr_set_opts opts = {.target = "y",
                         .weight = "w",
                         .keep_all = true,
                         .task = classes ? SMR_TASK_CLASSIFY : SMR_TASK_REGRESS};
    smr_train_set *set = NULL;
    smr_spec *spec = NULL;
    void *state = NULL;
    int64_t rows[ROWS], width = classes ? 7 : 3;
    double seen[7], wanted[7];
    check_ok(ctx, said_set(ctx, t, sentence, &opts, &set));
    check_ok(ctx, smr_spec_parse(ctx, sentence, &spec));
    const smr_learner *l = spec->steps[0].learner;
    const void *params = spec->steps[0].params;
    smr_feature in[3] = {{.kind = SMR_CATEGORY, .n_levels = 4, .name = "k"},
                         {.kind = SMR_NUMBER, .name = "x"},
                         {.kind = SMR_CATEGORY, .n_levels = 3, .name = "l"}};
    smr_shape shape = {
        .n_features = 3, .features = in, .n_outputs = !classes, .n_classes = classes ? 3 : 0};
    check_ok(ctx, smr_state_create(ctx, l, &state));
    check_ok(ctx, l->stream->begin(ctx, params, &shape, state));
    for (int64_t i = 0; i <= ROWS; i++) {
        smr_model *m = NULL;
        if (i > 0) check_ok(ctx, said_fit(ctx, sentence, set, rows, i, &m));
        for (int64_t r = i < ROWS ? i : 0; r <= i && r < ROWS; r++) {
            double x[3] = {smr_column_code(&t->cols[0], r), smr_column_number(&t->cols[1], r),
                           smr_column_code(&t->cols[2], r)};
            if (x[0] < 0) x[0] = NAN;
            smr_rows row = {.n = 1, .d = 3, .form = SMR_FORM_F64, .x = x, .stride = 3};
            smr_truths truths = {.y = set->y ? set->y + r : NULL,
                                 .label = set->label ? set->label + r : NULL,
                                 .weight = set->weight + r};
            if (i < ROWS)
                check_ok(ctx, l->stream->learn(ctx, params, state, &row, &truths, seen));
            else
                check_ok(ctx, l->fitted->predict(ctx, params, state, &row, SMR_OUTPUT_TRANSFORM,
                                                 seen, NULL));
            if (i == 0) continue;
            check_ok(ctx, smr_model_apply(ctx, m, t, &r, 1, SMR_OUTPUT_TRANSFORM, wanted));
            for (int64_t k = 0; k < width; k++) check_near(sentence, seen[k], wanted[k], 1e-9);
        }
        if (i < ROWS) rows[i] = i;
        smr_model_free(m);
    }
    smr_state_free(l, state);
    smr_spec_free(spec);
    smr_train_set_free(set);
    smr_table_free(t);
    check_ctx_end(ctx);
}

static void a_stream_encodes_rows_by_those_before_them(void **state)
{
    (void)state;
    check_stream("encode", false);
    check_stream("encode", true);
    check_stream("encode 3 missing=level", false);
    check_stream("encode 0.5", true);
}

/* A fitted one has no sums to go on from. */
static void a_fit_does_not_go_on_as_a_stream(void **state)
{
    smr_ctx *ctx = check_ctx(1);
    smr_table *t = small_table(ctx);
    smr_model *m = NULL;
    smr_set_opts opts = {.target = "y", .keep_all = true, .task = SMR_TASK_REGRESS};
    double x[2] = {0, 1}, y = 1, out[2];
    smr_rows row = {.n = 1, .d = 2, .form = SMR_FORM_F64, .x = x, .stride = 2};
    (void)state;
    check_ok(ctx, try_train(ctx, "encode", t, &opts, &m));
    const smr_stage *s = &m->stages[0];
    check_fails(
        ctx, s->learner->stream->learn(ctx, s->params, s->state, &row, &(smr_truths){.y = &y}, out),
        SMR_ERR_STATE,
        "this encode was fitted on a whole table, and knows no running means; begin a new "
        "model with 'samara stream'");
    smr_model_free(m);
    smr_table_free(t);
    check_ctx_end(ctx);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(levels_become_means_drawn_to_the_mean_of_all),
        cmocka_unit_test(smoothing_is_what_the_levels_say),
        cmocka_unit_test(classes_become_shares),
        cmocka_unit_test(no_row_sees_its_own_target),
        cmocka_unit_test(no_row_sees_its_group),
        cmocka_unit_test(noise_is_not_learned),
        cmocka_unit_test(every_value_has_a_bucket),
        cmocka_unit_test(sparse_and_dense_rows_are_the_same),
        cmocka_unit_test(what_cannot_be_is_refused_in_words),
        cmocka_unit_test(a_stream_encodes_rows_by_those_before_them),
        cmocka_unit_test(a_fit_does_not_go_on_as_a_stream),
        cmocka_unit_test(failing_allocations_leave_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
