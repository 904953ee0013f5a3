/* test_flow.c -- rows through stages: forms, sparse rows, gaps, rounds and learning, with stand-in
 * learners whose answers are worked out beside them. */
#include "pipeline.h"

#include "learn/chain.h"
#include "learn/flow.h"

enum { N = 23, D = 4 };

/* ---- stand-ins -------------------------------------------------------------------------- */

/* Seen by the last stage of a flow. */
static smr_form seen_form;
static int64_t seen_d;

static double at(const smr_rows *rows, int64_t i, int64_t j)
{
    if (rows->form == SMR_FORM_SPARSE) {
        for (int64_t e = rows->start[i]; e < rows->start[i + 1]; e++)
            if (rows->column[e] == j) return rows->value[e];
        return 0;
    }
    int64_t k = i * rows->stride + j;
    if (rows->form == SMR_FORM_U8) return ((const uint8_t *)rows->x)[k];
    if (rows->form == SMR_FORM_F32) return (double)((const float *)rows->x)[k];
    return ((const double *)rows->x)[k];
}

/* Turns the columns round; what comes in as bytes or floats may go out as such. */
static smr_status turn(smr_ctx *ctx, const void *params, const void *state, const smr_rows *rows,
                       smr_output output, double *out, void *scratch)
{
    (void)ctx, (void)params, (void)state, (void)output, (void)scratch;
    for (int64_t i = 0; i < rows->n; i++)
        for (int64_t j = 0; j < rows->d; j++) out[i * rows->d + j] = at(rows, i, rows->d - 1 - j);
    return SMR_OK;
}

static smr_form same_form(const void *params, const void *state, smr_form form)
{
    (void)params, (void)state;
    return form == SMR_FORM_SPARSE ? SMR_FORM_F64 : form;
}

static smr_status turn_in_form(smr_ctx *ctx, const void *params, const void *state,
                               const smr_rows *rows, smr_form form, void *out, void *scratch)
{
    (void)ctx, (void)params, (void)state, (void)scratch;
    for (int64_t i = 0; i < rows->n; i++)
        for (int64_t j = 0; j < rows->d; j++) {
            double v = at(rows, i, rows->d - 1 - j);
            if (form == SMR_FORM_U8)
                ((uint8_t *)out)[i * rows->d + j] = (uint8_t)v;
            else
                ((float *)out)[i * rows->d + j] = (float)v;
        }
    return SMR_OK;
}

static bool always(const void *params, const void *state, bool from_sparse)
{
    (void)params, (void)state, (void)from_sparse;
    return true;
}

static smr_status turn_sparse(smr_ctx *ctx, const void *params, const void *state,
                              const smr_rows *rows, smr_entries *out, void *scratch)
{
    smr_status st = SMR_OK;
    (void)params, (void)state, (void)scratch;
    for (int64_t i = 0; i < rows->n; i++) {
        TRY(smr_entries_reserve(ctx, out, rows->d));
        for (int64_t j = 0; j < rows->d; j++) smr_entries_add(out, j, at(rows, i, rows->d - 1 - j));
        smr_entries_end_row(out);
    }
out:
    return st;
}

/* sum_j (j + 1) x_j, and 1000 where it was asked after round 3. */
static smr_status add_up(smr_ctx *ctx, const void *params, const void *state, const smr_rows *rows,
                         smr_output output, double *out, void *scratch)
{
    (void)ctx, (void)params, (void)state, (void)output;
    seen_form = rows->form;
    seen_d = rows->d;
    if (scratch) memset(scratch, 7, 64);
    for (int64_t i = 0; i < rows->n; i++) {
        out[i] = 0;
        for (int64_t j = 0; j < rows->d; j++) out[i] += (double)(j + 1) * at(rows, i, j);
    }
    return SMR_OK;
}

static smr_status add_up_after(smr_ctx *ctx, const void *params, const void *state,
                               const smr_rows *rows, smr_output output, int64_t round, double *out,
                               void *scratch)
{
    smr_status st = add_up(ctx, params, state, rows, output, out, scratch);
    for (int64_t i = 0; i < rows->n; i++) out[i] += round == 3 ? 1000 : 0;
    return st;
}

static int64_t some_bytes(const void *params, const void *state, int64_t n)
{
    (void)params, (void)state, (void)n;
    return 64;
}

static smr_form narrowest(const void *state)
{
    (void)state;
    return SMR_FORM_U8;
}

static smr_form floats(const void *state)
{
    (void)state;
    return SMR_FORM_F32;
}

/* The state of what learns is a count of rows; a transform adds it to every value. */
static smr_status learn_turn(smr_ctx *ctx, const void *params, void *state, const smr_rows *rows,
                             const smr_truths *truths, double *out)
{
    smr_status st = SMR_OK;
    (void)truths;
    if (out) st = turn(ctx, params, state, rows, SMR_OUTPUT_TRANSFORM, out, NULL);
    for (int64_t i = 0; i < rows->n; i++) {
        double seen = (double)++*(int64_t *)state;
        for (int64_t j = 0; out && j < rows->d; j++) out[i * rows->d + j] += seen;
    }
    return st;
}

static smr_status learn_sum(smr_ctx *ctx, const void *params, void *state, const smr_rows *rows,
                            const smr_truths *truths, double *out)
{
    for (int64_t i = 0; i < rows->n; i++) *(int64_t *)state += (int64_t)truths->y[i];
    return add_up(ctx, params, state, rows, SMR_OUTPUT_VALUE, out, NULL);
}

enum {
    DOUBLES = SMR_TAKES_F64,
    DENSE = SMR_TAKES_F64 | SMR_TAKES_F32 | SMR_TAKES_U8,
    ALL = DENSE | SMR_TAKES_SPARSE
};

static const smr_word turn_word = {.name = "turn"}, sum_word = {.name = "sum"};
static const smr_can_transform can_turn = {.form_out = same_form, .rows = turn_in_form};
static const smr_can_transform can_widen = {0};
static const smr_can_transform can_thin = {.is_sparse = always, .append = turn_sparse};
static const smr_can_grow can_grow = {.predict_after = add_up_after};
static const smr_can_stream turn_stream = {.learn = learn_turn}, sum_stream = {.learn = learn_sum};
static const smr_fitted turning = {.predict = turn, .form = narrowest, .transform = &can_turn};
static const smr_fitted widening = {.predict = turn, .form = narrowest, .transform = &can_widen};
static const smr_fitted thinning = {.predict = turn, .form = narrowest, .transform = &can_thin};
static const smr_fitted summing = {
    .predict = add_up, .form = narrowest, .scratch = some_bytes, .rounds = &can_grow};
static const smr_fitted summing_floats = {.predict = add_up, .form = floats, .scratch = some_bytes};
static const smr_learner turns = {
    .word = &turn_word, .takes = ALL, .fitted = &turning, .stream = &turn_stream};
static const smr_learner widens = {.word = &turn_word, .takes = DENSE, .fitted = &widening};
static const smr_learner thins = {
    .word = &turn_word, .takes = DENSE, .fitted = &thinning, .stream = &turn_stream};
static const smr_learner sums = {
    .word = &sum_word, .takes = ALL, .fitted = &summing, .stream = &sum_stream};
static const smr_learner sums_doubles = {.word = &sum_word, .takes = DOUBLES, .fitted = &summing};
static const smr_learner sums_rounded = {.word = &sum_word,
                                         .takes = SMR_TAKES_F64 | SMR_TAKES_F32,
                                         .traits = SMR_ROUNDS_TO_FLOAT,
                                         .fitted = &summing_floats};

static int64_t nothing; /* a state that is there */
static smr_feature names[D] = {{.name = "a"}, {.name = "b"}, {.name = "c"}, {.name = "d"}};

static smr_stage stage_of(const smr_learner *learner, void *state)
{
    return (smr_stage){
        .learner = learner, .state = state, .n_in = D, .n_out = D, .features = names};
}

/* ---- rows ------------------------------------------------------------------------------- */

struct block {
    double f64[N * D];
    float f32[N * D];
    uint8_t u8[N * D];
    double forward[N], turned[N]; /* sums of the rows, and of the rows turned round */
};

static struct block block(void)
{
    struct block b = {0};
    for (int64_t i = 0; i < N * D; i++) {
        b.u8[i] = (uint8_t)(i % 3 ? 2 * i : 0);
        b.f64[i] = b.f32[i] = b.u8[i];
        b.forward[i / D] += (double)(i % D + 1) * b.u8[i];
        b.turned[i / D] += (double)(D - i % D) * b.u8[i];
    }
    return b;
}

static smr_rows rows_of(const struct block *b, smr_form form)
{
    const void *x[] = {b->f64, b->f32, b->u8};
    return (smr_rows){.n = N, .d = D, .form = form, .x = x[form], .stride = D};
}

static void run(smr_ctx *ctx, const smr_stage *stages, int64_t n, const smr_rows *rows,
                int64_t round, double *out)
{
    smr_flow flow;
    smr_flow_plan(stages, n, D, N, true, &flow);
    check_ok(ctx, smr_flow_open(ctx, &flow));
    check_ok(ctx, smr_flow_predict(ctx, &flow, rows, SMR_OUTPUT_VALUE, round, out));
    smr_flow_close(&flow);
}

/* ---- tests ------------------------------------------------------------------------------ */

static void bytes_and_floats_stay_what_they_are(void **state)
{
    smr_ctx *ctx = check_ctx(1);
    struct block b = block();
    smr_stage stages[] = {stage_of(&turns, &nothing), stage_of(&turns, &nothing),
                          stage_of(&sums, &nothing)};
    double out[N];
    (void)state;
    for (int form = SMR_FORM_F64; form <= SMR_FORM_U8; form++)
        for (int64_t n = 1; n <= 3; n++) {
            smr_rows rows = rows_of(&b, (smr_form)form);
            run(ctx, stages + 3 - n, n, &rows, SMR_ALL_ROUNDS, out);
            assert_int_equal(seen_form, form);
            assert_int_equal(seen_d, D);
            assert_memory_equal(out, n == 2 ? b.turned : b.forward, sizeof out);
        }
    check_ctx_end(ctx);
}

static void a_stage_gets_the_form_that_it_takes(void **state)
{
    smr_ctx *ctx = check_ctx(1);
    struct block b = block();
    struct {
        smr_learner const *first, *last;
        smr_form in, seen;
    } cases[] = {{&turns, &sums_doubles, SMR_FORM_U8, SMR_FORM_F64},
                 {&turns, &sums_doubles, SMR_FORM_F32, SMR_FORM_F64},
                 {&widens, &sums, SMR_FORM_U8, SMR_FORM_F64},
                 {&widens, &sums_rounded, SMR_FORM_F64, SMR_FORM_F32},
                 {&turns, &sums_rounded, SMR_FORM_U8, SMR_FORM_F32},
                 {&thins, &sums, SMR_FORM_U8, SMR_FORM_SPARSE},
                 {&thins, &sums_doubles, SMR_FORM_F32, SMR_FORM_F64}};
    double out[N];
    (void)state;
    for (int64_t k = 0; k < SMR_COUNT(cases); k++) {
        smr_stage stages[] = {stage_of(cases[k].first, &nothing),
                              stage_of(cases[k].last, &nothing)};
        smr_rows rows = rows_of(&b, cases[k].in);
        run(ctx, stages, 2, &rows, SMR_ALL_ROUNDS, out);
        assert_int_equal(seen_form, cases[k].seen);
        assert_memory_equal(out, b.turned, sizeof out);
    }
    check_ctx_end(ctx);
}

static void rounds_are_asked_of_the_last_stage(void **state)
{
    smr_ctx *ctx = check_ctx(1);
    struct block b = block();
    smr_stage stages[] = {stage_of(&turns, &nothing), stage_of(&sums, &nothing)};
    smr_rows rows = rows_of(&b, SMR_FORM_F64);
    double out[N];
    (void)state;
    run(ctx, stages, 2, &rows, 3, out);
    for (int64_t i = 0; i < N; i++) assert_true(out[i] == b.turned[i] + 1000);
    check_ctx_end(ctx);
}

static void gaps_are_refused_before_a_stage_that_cannot_take_them(void **state)
{
    smr_ctx *ctx = check_ctx(1);
    struct block b = block();
    smr_stage stages[] = {stage_of(&turns, &nothing), stage_of(&sums, &nothing)};
    smr_rows rows = rows_of(&b, SMR_FORM_F64);
    double out[N];
    smr_flow flow;
    (void)state;
    b.f64[5 * D] = NAN; /* comes out as column d */
    smr_flow_plan(stages, 2, D, N, true, &flow);
    check_ok(ctx, smr_flow_open(ctx, &flow));
    check_ok(ctx, smr_flow_predict(ctx, &flow, &rows, SMR_OUTPUT_VALUE, SMR_ALL_ROUNDS, out));
    flow.refuse_gaps = true;
    check_fails(ctx, smr_flow_predict(ctx, &flow, &rows, SMR_OUTPUT_VALUE, SMR_ALL_ROUNDS, out),
                SMR_ERR_DATA, "row 6, column 'd': the value is missing");
    smr_flow_close(&flow);
    check_ctx_end(ctx);
}

/* A transform has learned a row before it answers it, dense or sparse. */
static void rows_are_learned_one_after_the_other(void **state)
{
    static const smr_learner *const first[] = {&turns, &thins};
    static const smr_form forms[] = {SMR_FORM_F64, SMR_FORM_F32, SMR_FORM_U8};
    smr_ctx *ctx = check_ctx(1);
    struct block b = block();
    double y[N], out[N];
    (void)state;
    for (int64_t i = 0; i < N; i++) y[i] = (double)i;
    for (int k = 0; k < 6; k++) {
        int64_t rows_seen = 0, sum = 0;
        smr_stage stages[] = {stage_of(first[k % 2], &rows_seen), stage_of(&sums, &sum)};
        smr_truths truths = {.y = y};
        smr_rows rows = rows_of(&b, forms[k / 2]);
        smr_flow flow;
        smr_flow_plan(stages, 2, D, N, true, &flow);
        check_ok(ctx, smr_flow_open(ctx, &flow));
        check_ok(ctx, smr_flow_learn(ctx, &flow, &rows, &truths, 1, out));
        smr_flow_close(&flow);
        assert_int_equal(rows_seen, N);
        assert_int_equal(sum, N * (N - 1) / 2);
        for (int64_t i = 0; i < N; i++) /* sparse rows of this stand-in do not show the count */
            assert_true(out[i] == b.turned[i] + (k % 2 ? 0 : 10.0 * (double)(i + 1)));
    }
    check_ctx_end(ctx);
}

static void data_of_a_run_of_stages_are_read_in_any_form(void **state)
{
    static const smr_form forms[] = {SMR_FORM_F64, SMR_FORM_F32, SMR_FORM_U8, SMR_FORM_SPARSE};
    smr_ctx *ctx = check_ctx(1);
    struct block b = block();
    smr_feature in[D];
    smr_stage stages[] = {stage_of(&turns, &nothing), stage_of(&turns, &nothing),
                          stage_of(&turns, &nothing)};
    smr_data data[4] = {{.size = sizeof *data, .n_rows = N, .n_features = D, .features = in}};
    (void)state;
    for (int64_t j = 0; j < D; j++)
        in[j] = (smr_feature){.name = names[j].name,
                              .kind = SMR_NUMBER,
                              .dtype = SMR_U8,
                              .values = b.u8 + j,
                              .stride = D};
    for (int64_t s = 0; s < 3; s++) smr_chain(&data[s], &stages[s], &data[s + 1]);
    assert_ptr_equal(data[3].source, &data[0]); /* one run */
    assert_int_equal(data[3].n_stages, 3);
    assert_int_equal(smr_data_natural_form(&data[3]), SMR_FORM_U8);
    for (int f = 0; f < 4; f++) {
        smr_reader *r = NULL;
        smr_rows rows;
        check_ok(ctx, smr_reader_open(ctx, &data[3], forms[f], 7, &r));
        for (int64_t lo = 0; lo < N; lo += 7) {
            check_ok(ctx, smr_reader_rows(ctx, r, lo, SMR_MIN(N, lo + 7), &rows));
            assert_int_equal(rows.form, forms[f]);
            for (int64_t i = 0; i < rows.n; i++)
                for (int64_t j = 0; j < D; j++)
                    assert_true(at(&rows, i, j) == b.f64[(lo + i) * D + D - 1 - j]);
        }
        smr_reader_close(r);
    }
    check_ctx_end(ctx);
}

struct using
{
    smr_stage *stages;
    const smr_rows *rows;
};

static smr_status once(smr_ctx *ctx, void *arg)
{
    const struct using *u = arg;
    smr_status st = SMR_OK;
    double out[N];
    smr_flow flow;
    smr_flow_plan(u->stages, 3, D, N, true, &flow);
    TRY(smr_flow_open(ctx, &flow));
    TRY(smr_flow_predict(ctx, &flow, u->rows, SMR_OUTPUT_VALUE, SMR_ALL_ROUNDS, out));
out:
    smr_flow_close(&flow);
    return st;
}

static void failing_allocations_are_survived(void **state)
{
    smr_ctx *ctx = check_ctx(1);
    struct block b = block();
    smr_stage stages[] = {stage_of(&turns, &nothing), stage_of(&thins, &nothing),
                          stage_of(&sums, &nothing)};
    smr_rows rows = rows_of(&b, SMR_FORM_F32);
    struct using u = {stages, &rows};
    (void)state;
    assert_true(fail_each_allocation(ctx, once, &u) >= 3);
    check_ctx_end(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bytes_and_floats_stay_what_they_are),
        cmocka_unit_test(a_stage_gets_the_form_that_it_takes),
        cmocka_unit_test(rounds_are_asked_of_the_last_stage),
        cmocka_unit_test(gaps_are_refused_before_a_stage_that_cannot_take_them),
        cmocka_unit_test(rows_are_learned_one_after_the_other),
        cmocka_unit_test(data_of_a_run_of_stages_are_read_in_any_form),
        cmocka_unit_test(failing_allocations_are_survived),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
