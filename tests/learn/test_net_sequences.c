/* test_net_sequences.c -- nets over rows that are steps of sequences: what is learned needs a
 * memory; windows, cuts and blocks leave the bits; weights, stops, and what cannot be. */
#include "pipeline.h"

#include "learn/checkpoint.h"
#include "learn/neural/net.h"
#include "model/model_file.h"

/* ---- tables ----------------------------------------------------------------------------- */

/* Sequence q has 1 + 13 q mod 29 steps, in no order; what a step answers is what was seen two steps
 * before it (at first "x"). */
static smr_table *echoes(smr_ctx *ctx, int64_t n_sequences, bool numbers)
{
    static const char *const sees[] = {"x", "y", "z"};
    smr_text text = {.ctx = ctx};
    smr_text_add(&text, "walk,time,w,a,t\n");
    for (int64_t q = 0; q < n_sequences; q++) {
        int64_t n = 1 + 13 * q % 29;
        for (int64_t t = n - 1; t >= 0; t--) {
            int now = (int)smr_random_below(4, SMR_STREAM_TEST, (uint64_t)q, (uint64_t)t, 3);
            int64_t b = t - 2;
            int was =
                b < 0 ? 0 : (int)smr_random_below(4, SMR_STREAM_TEST, (uint64_t)q, (uint64_t)b, 3);
            smr_text_printf(&text, "w%lld,%lld,%d,%s,", (long long)q, (long long)t,
                            1 + (int)(q % 2), sees[now]);
            if (numbers)
                smr_text_printf(&text, "%d\n", 100 + 10 * was);
            else
                smr_text_printf(&text, "%s\n", sees[was]);
        }
    }
    check_ok(ctx, smr_text_done(&text));
    smr_table *t = table_of(ctx, text.bytes);
    smr_text_release(&text);
    return t;
}

static smr_set_opts opts_of(bool numbers, const char *weight)
{
    smr_set_opts opts = {.target = "t",
                         .task = numbers ? SMR_TASK_REGRESS : SMR_TASK_CLASSIFY,
                         .ignore = weight ? NULL : "w",
                         .weight = weight,
                         .keep_all = true};
    opts.roles[SMR_ROLE_SEQUENCE] = "walk";
    opts.roles[SMR_ROLE_TIME] = "time";
    return opts;
}

static smr_model *fit(smr_ctx *ctx, const char *sentence, const smr_table *t, bool numbers)
{
    smr_model *m = NULL;
    smr_set_opts opts = opts_of(numbers, NULL);
    check_ok(ctx, try_train(ctx, sentence, t, &opts, &m));
    return m;
}

static const struct smr_net_state *state_of(const smr_model *m)
{
    return m->stages[m->n_stages - 1].state;
}

/* ---- learning --------------------------------------------------------------------------- */

static double share_right(smr_ctx *ctx, const smr_model *m, const smr_table *t)
{
    double *label = apply(ctx, m, t, SMR_OUTPUT_LABEL);
    const int32_t *want = t->cols[4].values;
    int64_t right = 0;
    for (int64_t i = 0; i < t->n_rows; i++) right += (int32_t)label[i] == want[i];
    smr_free(label);
    return (double)right / (double)t->n_rows;
}

static void memories_are_learned(void **state)
{
    (void)state;
    static const char *const nets[] = {
        "net (embed 3 4 | lstm 12) rate=0.02 epochs=60 tol=0",
        "net (embed 3 4 | gru 12) rate=0.02 epochs=60 tol=0",
        "net (rnn 16) rate=0.02 epochs=60 tol=0 steps=12",
        "net (embed 3 4 | gru 8 direction=both | rnn 8) rate=0.02 epochs=60 tol=0",
        "net (rnn 8) method=lbfgs epochs=200"};
    smr_ctx *ctx = check_ctx(2);
    smr_table *t = echoes(ctx, 60, false), *numbers = echoes(ctx, 60, true);
    for (int64_t k = 0; k < SMR_COUNT(nets); k++) {
        smr_model *m = fit(ctx, nets[k], t, false);
        double right = share_right(ctx, m, t);
        if (right < 0.97) fail_msg("%s is right of %.3f", nets[k], right);
        smr_model_free(m);
    }
    /* Without a memory a step knows nothing of those before. */
    smr_model *blind = fit(ctx, "net (embed 3 4 | dense 12 | tanh) epochs=60", t, false);
    assert_true(share_right(ctx, blind, t) < 0.6);
    smr_model_free(blind);
    smr_model *m = fit(ctx, "net (embed 3 4 | gru 12) rate=0.02 epochs=80 tol=0", numbers, true);
    double *y = apply(ctx, m, numbers, SMR_OUTPUT_VALUE), square = 0;
    for (int64_t i = 0; i < numbers->n_rows; i++) {
        double e = y[i] - ((const double *)numbers->cols[4].values)[i];
        square += e * e;
    }
    assert_true(sqrt(square / (double)numbers->n_rows) < 1);
    smr_free(y);
    smr_model_free(m);
    smr_table_free(t);
    smr_table_free(numbers);
    check_ctx_end(ctx);
}

static bool models_are_equal(smr_ctx *ctx, const smr_model *a, const smr_model *b)
{
    char *one = NULL, *two = NULL;
    int64_t n = 0, m = 0;
    check_ok(ctx, smr_model_write(ctx, a, &one, &n));
    check_ok(ctx, smr_model_write(ctx, b, &two, &m));
    bool equal = n == m && memcmp(one, two, (size_t)n) == 0;
    smr_free(one);
    smr_free(two);
    return equal;
}

static const char *const tried[] = {
    "net (embed 3 4 | lstm 70 direction=both | dropout 0.2 | gru 9) epochs=3 steps=7 noise=0",
    "net (rnn 6 direction=backward | norm) epochs=4 patience=2 validation=0.3",
    "net (gru 5 | residual (dense 5 | tanh)) epochs=3 steps=5 method=nesterov clip=0.1 noise=0.1",
};

static void threads_do_not_change_a_bit(void **state)
{
    (void)state;
    static const int threads[] = {1, 2, 7};
    for (int64_t k = 0; k < SMR_COUNT(tried); k++) {
        char *first = NULL;
        int64_t size = 0;
        for (int i = 0; i < SMR_COUNT(threads); i++) {
            smr_ctx *ctx = check_ctx(threads[i]);
            smr_table *t = echoes(ctx, 40, false);
            smr_model *m = fit(ctx, tried[k], t, false);
            char *bytes = NULL;
            int64_t n = 0;
            check_ok(ctx, smr_model_write(ctx, m, &bytes, &n));
            if (i == 0) {
                first = malloc((size_t)n);
                memcpy(first, bytes, (size_t)n);
                size = n;
            }
            assert_int_equal(n, size);
            assert_memory_equal(bytes, first, (size_t)n);
            smr_free(bytes);
            smr_model_free(m);
            smr_table_free(t);
            check_ctx_end(ctx);
        }
        free(first);
    }
}

/* ---- weights and changes ----------------------------------------------------------------- */

/* A sequence of weight 2 is the sequence twice. */
static void a_weight_is_so_many_sequences(void **state)
{
    (void)state;
    static const char sentence[] =
        "net (embed 3 3 | gru 4) epochs=6 batch=1000000 method=sgd rate=0.1 tol=0 decay=0.01";
    smr_ctx *ctx = check_ctx(1);
    smr_table *t = echoes(ctx, 20, false);
    smr_text text = {.ctx = ctx};
    smr_text_add(&text, "walk,time,w,a,t\n");
    static const char *const sees[] = {"x", "y", "z"};
    for (int64_t i = 0; i < t->n_rows; i++)
        for (int64_t k = 0; k < (int64_t)((const double *)t->cols[2].values)[i]; k++)
            smr_text_printf(&text, "%lldq%d,%g,1,%s,%s\n", (long long)k,
                            ((const int32_t *)t->cols[0].values)[i],
                            ((const double *)t->cols[1].values)[i],
                            sees[((const int32_t *)t->cols[3].values)[i]],
                            sees[((const int32_t *)t->cols[4].values)[i]]);
    check_ok(ctx, smr_text_done(&text));
    smr_table *twice = table_of(ctx, text.bytes);
    smr_text_release(&text);
    smr_set_opts opts = opts_of(false, "w");
    smr_model *a = NULL;
    check_ok(ctx, try_train(ctx, sentence, t, &opts, &a));
    smr_model *b = fit(ctx, sentence, twice, false);
    double *p = apply(ctx, a, t, SMR_OUTPUT_PROBA), *q = apply(ctx, b, t, SMR_OUTPUT_PROBA);
    for (int64_t i = 0; i < 3 * t->n_rows; i++) check_near("probability", p[i], q[i], 1e-5);
    smr_free(p);
    smr_free(q);
    smr_model_free(a);
    smr_model_free(b);
    smr_table_free(t);
    smr_table_free(twice);
    check_ctx_end(ctx);
}

/* Windows slide with the epoch, all rows come in some, and none leaves its sequence. */
static void windows_begin_elsewhere_in_each_epoch(void **state)
{
    (void)state;
    enum { ROWS = 47, STEPS = 6, EPOCHS = 60 };
    static const int64_t border[] = {0, 5, 11, 40, 47};
    smr_ctx *ctx = check_ctx(1);
    smr_data data = {.n_rows = ROWS, .border = border, .n_sequences = 4};
    struct smr_net_windows w;
    check_ok(ctx, smr_net_windows_open(ctx, &data, STEPS, &w));
    assert_int_equal(w.n, 1 + 1 + 5 + 2);
    int seen[ROWS] = {0}, begun[ROWS] = {0}, full = 0;
    for (int64_t epoch = 0; epoch < EPOCHS; epoch++)
        for (int64_t i = 0; i < w.n; i++) {
            struct smr_net_slide slide = {3, epoch};
            int64_t rows[STEPS];
            int32_t length;
            struct smr_net_taken its = smr_net_windows_take(&w, &slide, &i, 1, rows, &length);
            assert_true(its.n == STEPS && its.counted == length && its.number == rows);
            for (int t = 0; t < STEPS; t++) {
                assert_true(t < length ? rows[t] == rows[0] + t : rows[t] == -1);
                if (t < length) assert_true(rows[t] >= w.begin[i] && rows[t] < w.end[i]);
                if (t < length) seen[rows[t]]++;
            }
            begun[rows[0]]++;
            full += length == STEPS;
        }
    for (int i = 0; i < ROWS; i++) assert_true(seen[i] >= EPOCHS / 4);
    for (int i = 11; i < 35; i++) assert_true(begun[i] > 0);
    assert_int_equal(begun[0], EPOCHS);
    assert_int_equal(begun[5], EPOCHS);
    assert_int_equal(full, EPOCHS * (1 + 5 + 2));
    smr_net_windows_release(&w);
    check_ctx_end(ctx);
}

/* ---- predicting ------------------------------------------------------------------------- */

/* Each sequence by itself, and row by row as far as it goes: the bits of all at once. */
static void a_sequence_is_answered_as_many_are(void **state)
{
    (void)state;
    static const char *const nets[] = {"net (embed 3 4 | lstm 9 | dense 4 | relu) epochs=2 steps=6",
                                       "net (gru 5 direction=both) epochs=2 steps=6"};
    smr_ctx *ctx = check_ctx(1);
    smr_table *t = echoes(ctx, 40, false);
    for (int64_t k = 0; k < SMR_COUNT(nets); k++) {
        smr_model *m = fit(ctx, nets[k], t, false);
        assert_int_equal(state_of(m)->steps, 6);
        double *all = apply(ctx, m, t, SMR_OUTPUT_PROBA), one[3 * 64];
        int64_t rows[64];
        for (int64_t lo = 0; lo < t->n_rows;) {
            int64_t hi = lo, n = 0;
            const int32_t *walk = t->cols[0].values;
            while (hi < t->n_rows && walk[hi] == walk[lo]) rows[n++] = hi++;
            check_ok(ctx, smr_model_apply(ctx, m, t, rows, n, SMR_OUTPUT_PROBA, one));
            assert_memory_equal(one, all + 3 * lo, (size_t)(3 * n) * sizeof *one);
            lo = hi;
        }
        smr_free(all);
        smr_model_free(m);
    }
    smr_table_free(t);
    check_ctx_end(ctx);
}

/* Where layers carry what they need, windows are a matter of training alone. */
static void prediction_does_not_forget_between_windows(void **state)
{
    (void)state;
    smr_ctx *ctx = check_ctx(1);
    smr_table *t = echoes(ctx, 30, false);
    smr_model *m = fit(ctx, "net (embed 3 4 | lstm 7 | gru 6) epochs=1 steps=29", t, false);
    double *want = apply(ctx, m, t, SMR_OUTPUT_PROBA);
    for (int64_t steps = 1; steps < 29; steps += 5) {
        struct smr_net_state *s = m->stages[m->n_stages - 1].state;
        const smr_stage *stage = &m->stages[m->n_stages - 1];
        s->steps = s->height = steps;
        check_ok(ctx, stage->learner->fitted->prepare(ctx, stage->params, s));
        double *got = apply(ctx, m, t, SMR_OUTPUT_PROBA);
        assert_memory_equal(got, want, (size_t)(3 * t->n_rows) * sizeof *got);
        smr_free(got);
    }
    smr_free(want);
    smr_model_free(m);
    smr_table_free(t);
    check_ctx_end(ctx);
}

/* memory=window: a window is answered as a sequence of its own is. */
static void windows_may_be_all_that_is_remembered(void **state)
{
    (void)state;
    smr_ctx *ctx = check_ctx(1);
    smr_table *t = echoes(ctx, 30, false);
    smr_model *m = fit(ctx, "net (embed 3 4 | gru 6) epochs=1 steps=5 memory=window", t, false);
    double *all = apply(ctx, m, t, SMR_OUTPUT_PROBA);
    smr_table *cut = echoes(ctx, 30, false);
    const double *time = t->cols[1].values;
    smr_text text = {.ctx = ctx};
    smr_text_add(&text, "walk,time,w,a,t\n");
    for (int64_t i = 0; i < t->n_rows; i++)
        smr_text_printf(&text, "q%dw%d,%g,1,%c,%c\n", ((const int32_t *)t->cols[0].values)[i],
                        (int)time[i] / 5, time[i], "xyz"[((const int32_t *)t->cols[3].values)[i]],
                        "xyz"[((const int32_t *)t->cols[4].values)[i]]);
    check_ok(ctx, smr_text_done(&text));
    smr_table_free(cut);
    cut = table_of(ctx, text.bytes);
    smr_text_release(&text);
    double *parts = apply(ctx, m, cut, SMR_OUTPUT_PROBA);
    assert_memory_equal(all, parts, (size_t)(3 * t->n_rows) * sizeof *all);
    smr_free(all);
    smr_free(parts);
    smr_model_free(m);
    smr_table_free(t);
    smr_table_free(cut);
    check_ctx_end(ctx);
}

/* Windows of rows: fixed steps, symbols of one row, filled up; without memory for one of them. */
static void rows_may_hold_whole_sequences(void **state)
{
    (void)state;
    enum { N = 300 };
    smr_ctx *ctx = check_ctx(2);
    smr_text text = {.ctx = ctx};
    smr_text_add(&text, "a,b,c,d,e,t\n");
    for (int64_t i = 0; i < N; i++) {
        int64_t n = 1 + i % 5, sum = 0;
        for (int64_t k = 0; k < 5; k++) {
            int64_t s = smr_random_below(6, SMR_STREAM_TEST, (uint64_t)i, (uint64_t)k, 4);
            smr_text_printf(&text, "%lld,", k < n ? (long long)s : -1);
            sum = k == n - 1 ? s : sum;
        }
        smr_text_printf(&text, "s%lld\n", (long long)sum); /* the last symbol */
    }
    check_ok(ctx, smr_text_done(&text));
    smr_table *t = table_of(ctx, text.bytes);
    smr_text_release(&text);
    static const char *const nets[] = {
        "net (embed 4 6 | gru 10 | last) rate=0.02 epochs=60 tol=0",
        "net (embed 4 6 | lstm 8 direction=both give=last) rate=0.02 epochs=60 tol=0"};
    for (int64_t k = 0; k < SMR_COUNT(nets); k++) {
        smr_set_opts opts = {.target = "t", .task = SMR_TASK_CLASSIFY, .keep_all = true};
        smr_model *m = NULL;
        check_ok(ctx, try_train(ctx, nets[k], t, &opts, &m));
        double *p = apply(ctx, m, t, SMR_OUTPUT_LABEL), one[4];
        int64_t right = 0;
        for (int64_t i = 0; i < N; i++)
            right += (int32_t)p[i] == ((const int32_t *)t->cols[5].values)[i];
        assert_true(right >= 0.98 * N);
        double *all = apply(ctx, m, t, SMR_OUTPUT_PROBA);
        smr_predictor *row = NULL;
        check_ok(ctx, smr_predictor_create(ctx, m, SMR_OUTPUT_PROBA, &row));
        smr_memory_fail_at(ctx, 0);
        for (int64_t i = 0; i < N; i++) {
            double x[5];
            for (int64_t j = 0; j < 5; j++) x[j] = ((const double *)t->cols[j].values)[i];
            check_ok(ctx, smr_predictor_row(row, x, one));
            assert_memory_equal(one, all + 4 * i, sizeof one);
        }
        smr_memory_fail_at(ctx, -1);
        smr_predictor_free(row);
        smr_free(all);
        smr_free(p);
        smr_model_free(m);
    }
    smr_table_free(t);
    check_ctx_end(ctx);
}

/* ---- what cannot be ---------------------------------------------------------------------- */

static void refuse(const char *sentence, bool of_sequences, const char *says)
{
    smr_ctx *ctx = check_ctx(1);
    smr_table *t = echoes(ctx, 10, false);
    smr_model *m = NULL;
    smr_set_opts opts = opts_of(false, NULL);
    if (!of_sequences)
        opts = (smr_set_opts){.target = "t", .ignore = "w,walk,time", .keep_all = true};
    smr_status st = try_train(ctx, sentence, t, &opts, &m);
    assert_true(st == SMR_ERR_PARAM || st == SMR_ERR_DATA);
    if (!strstr(smr_ctx_message(ctx), says))
        fail_msg("'%s' does not say '%s'", smr_ctx_message(ctx), says);
    smr_ctx_clear(ctx);
    smr_table_free(t);
    check_ctx_end(ctx);
}

static void what_cannot_be_trained_is_refused_by_name(void **state)
{
    (void)state;
    refuse("net (gru 3) steps=9", false,
           "net: steps=9 cuts sequences, and these rows are alone; --sequence names the column");
    refuse("net (gru 3) memory=window", false,
           "net: memory=window is of sequences, and these rows are alone");
    refuse("net (gru 3) input=1,3", true,
           "net: input makes a picture or a sequence of a row, and these rows are steps");
    refuse("net (embed 3 2 | gru 3 | last) steps=8", true,
           "net: rows are steps of sequences, and each is answered: no layer may end or shorten "
           "the sequence, and of 8 steps that come in the last layer answers 1");
    refuse("net (embed 3 2 | conv 2 3,1) steps=8", true,
           "of 8 steps that come in the last layer answers 6");
    refuse("net (gru 2) shift=1", true, "net: shift changes pictures");
    refuse("net (embed 3 2 | lstm 4) ", false,
           "layer 2 (lstm units=4 direction=forward give=all forget=1), on 2: a vector of 2");
    refuse("net (lstm 4) input=3,1", false,
           "net: the last layer answers each of the 3 steps of a row, and a row has one answer; "
           "put last, mean or max before it, or give=last");
    refuse("net (embed 2 2 | lstm 4)", true,
           "column 'a': 2 is no symbol of layer 1 (embed1), which knows 0 .. 1, and -1 for none; "
           "give it more symbols, or number them from 0");
    refuse("net (gru 3 give=some)", true, "some");
    refuse("net (gru 3 direction=up)", true, "up");
}

static void numbers_that_are_no_symbols_are_refused(void **state)
{
    (void)state;
    smr_ctx *ctx = check_ctx(1);
    smr_model *m = NULL;
    smr_table *t = table_of(ctx, "a,b,t\n1,2,x\n0,1.5,y\n1,1,x\n0,0,y\n");
    smr_set_opts opts = {.target = "t", .task = SMR_TASK_CLASSIFY, .keep_all = true};
    check_fails(ctx, try_train(ctx, "net (embed 3 2 | mean)", t, &opts, &m), SMR_ERR_DATA,
                "net: row 2, column 'b': 1.5 is no symbol of layer 1 (embed1)");
    smr_table_free(t);
    check_ctx_end(ctx);
}

static void windows_that_do_not_fit_memory_are_told(void **state)
{
    (void)state;
    smr_ctx *ctx = check_ctx(1);
    smr_table *t = echoes(ctx, 300, false);
    smr_set_opts opts = opts_of(false, NULL);
    smr_model *m = NULL;
    check_ok(ctx, smr_ctx_set_memory_limit(ctx, smr_ctx_memory(ctx, NULL) + (16 << 20)));
    smr_status st =
        try_train(ctx, "net (embed 3 8 | lstm 64) batch=300 steps=29 epochs=1", t, &opts, &m);
    assert_int_equal(st, SMR_ERR_NOMEM);
    assert_non_null(
        strstr(smr_ctx_message(ctx), "net: training with batches of 300 windows needs"));
    long long fits = 0;
    const char *at = strstr(smr_ctx_message(ctx), "; batch=");
    assert_true(at && sscanf(at, "; batch=%lld fits", &fits) == 1 && fits > 10 && fits < 300);
    smr_ctx_clear(ctx);
    char sentence[100];
    snprintf(sentence, sizeof sentence, "net (embed 3 8 | lstm 64) batch=%lld steps=29 epochs=1",
             fits);
    check_ok(ctx, try_train(ctx, sentence, t, &opts, &m));
    smr_model_free(m);
    smr_table_free(t);
    check_ctx_end(ctx);
}

static void states_that_lie_are_refused(void **state)
{
    (void)state;
    smr_ctx *ctx = check_ctx(1);
    smr_table *t = echoes(ctx, 12, false);
    smr_model *m = fit(ctx, "net (embed 3 2 | lstm 4) epochs=1 steps=6", t, false);
    struct smr_net_state *s = m->stages[m->n_stages - 1].state;
    check_ok(ctx, smr_model_check(ctx, m));
    s->steps = 5;
    check_fails(ctx, smr_model_check(ctx, m), SMR_ERR_NUMERIC,
                "its windows have 5 steps and 6 rows");
    s->steps = 0;
    check_fails(ctx, smr_model_check(ctx, m), SMR_ERR_NUMERIC, "its pictures have");
    s->steps = 2000000;
    check_fails(ctx, smr_model_check(ctx, m), SMR_ERR_NUMERIC, "steps");
    s->steps = 6;
    s->weights.tensor[2].shape[1] = 3;
    check_fails(ctx, smr_model_check(ctx, m), SMR_ERR_NUMERIC, "lstm1.recurrent do not have");
    s->weights.tensor[2].shape[1] = 4;
    check_ok(ctx, smr_model_check(ctx, m));
    smr_model_free(m);
    smr_table_free(t);
    check_ctx_end(ctx);
}

static void a_model_that_is_read_is_the_model(void **state)
{
    (void)state;
    smr_ctx *ctx = check_ctx(1);
    smr_table *t = echoes(ctx, 12, false);
    smr_model *m = fit(ctx, tried[0], t, false), *back = NULL;
    char *bytes = NULL;
    int64_t n = 0;
    check_ok(ctx, smr_model_write(ctx, m, &bytes, &n));
    check_ok(ctx, smr_model_read(ctx, bytes, n, &back));
    assert_true(models_are_equal(ctx, m, back));
    double *a = apply(ctx, m, t, SMR_OUTPUT_PROBA), *b = apply(ctx, back, t, SMR_OUTPUT_PROBA);
    assert_memory_equal(a, b, (size_t)(3 * t->n_rows) * sizeof *a);
    smr_free(a);
    smr_free(b);
    smr_free(bytes);
    smr_model_free(m);
    smr_model_free(back);
    smr_table_free(t);
    check_ctx_end(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(memories_are_learned),
        cmocka_unit_test(threads_do_not_change_a_bit),
        cmocka_unit_test(a_weight_is_so_many_sequences),
        cmocka_unit_test(windows_begin_elsewhere_in_each_epoch),
        cmocka_unit_test(a_sequence_is_answered_as_many_are),
        cmocka_unit_test(prediction_does_not_forget_between_windows),
        cmocka_unit_test(windows_may_be_all_that_is_remembered),
        cmocka_unit_test(rows_may_hold_whole_sequences),
        cmocka_unit_test(what_cannot_be_trained_is_refused_by_name),
        cmocka_unit_test(numbers_that_are_no_symbols_are_refused),
        cmocka_unit_test(windows_that_do_not_fit_memory_are_told),
        cmocka_unit_test(states_that_lie_are_refused),
        cmocka_unit_test(a_model_that_is_read_is_the_model),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
