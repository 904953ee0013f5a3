/* test_bayes.c -- naive Bayes: worked figures, factors of 0, gaps, kinds, streams, words.
 *
 * Truth: tables counted by hand; the limit of ever smaller smoothing; a fit for a stream. */
#include "pipeline.h"

#include "core/json.h"
#include "kernel/kernel.h"
#include "learn/bayes/bayes.h"
#include "learn/online.h"

/* ---- help -------------------------------------------------------------------------------- */

static const struct smr_bayes_state *state_of(const smr_model *m)
{
    return smr_model_last(m)->state;
}

/* P(level | class) of feature j. */
static double share(const smr_model *m, int64_t j, int64_t level, int64_t k)
{
    const struct smr_bayes_state *s = state_of(m);
    const struct smr_bayes_tables *t = s->tables;
    return smr_exp(t->cell[(s->start[j] + level) * t->ld + k] - t->norm[j * t->ld + k]);
}

static double prior(const smr_model *m, int64_t k)
{
    return smr_exp(state_of(m)->tables->base[k]);
}

static double parameters(smr_ctx *ctx, const smr_model *m)
{
    const smr_stage *last = smr_model_last(m);
    smr_json_doc *doc = NULL;
    check_ok(ctx, smr_json_create(ctx, &doc));
    check_ok(ctx, smr_bayes_describe(ctx, last->params, last->state, NULL, last->n_in,
                                     smr_json_root(doc)));
    double n = smr_json_get_number(smr_json_root(doc), "parameters", NAN);
    smr_json_free(doc);
    return n;
}

/* ---- worked figures ---------------------------------------------------------------------- */

static const char *const sport[6][4] = {
    {"sunny", "sunny", "rainy", "sunny"}, {"warm", "warm", "cold", "warm"},
    {"normal", "high", "high", "high"},   {"strong", "strong", "strong", "strong"},
    {"warm", "warm", "warm", "cool"},     {"same", "same", "change", "change"},
};
static const char *const sport_names[6] = {"sky", "temp", "humid", "wind", "water", "forecast"};
static const char *const enjoys[4] = {"yes", "yes", "no", "yes"};

static smr_table *sport_table(smr_ctx *ctx)
{
    smr_table *t = new_table(ctx, 4, 7);
    for (int j = 0; j < 6; j++) put_strings(ctx, t, j, sport_names[j], sport[j]);
    put_strings(ctx, t, 6, "enjoy", enjoys);
    return t;
}

/* Levels are sorted: high, normal; cool, warm; change, same; no, yes. */
static void enjoy_sport_is_as_counted(void **unused)
{
    smr_ctx *ctx = check_ctx(1);
    smr_table *t = sport_table(ctx);
    smr_model *m = train_on(ctx, "bayes 0", t, "enjoy");
    (void)unused;
    check_near("P(yes)", prior(m, 1), 0.75, 1e-15);
    check_near("P(sunny|yes)", share(m, 0, 1, 1), 1, 1e-15);
    check_near("P(high|yes)", share(m, 2, 0, 1), 2.0 / 3, 1e-15);
    check_near("P(warm water|yes)", share(m, 4, 1, 1), 2.0 / 3, 1e-15);
    check_near("P(same|yes)", share(m, 5, 1, 1), 2.0 / 3, 1e-15);
    double *p = apply(ctx, m, t, SMR_OUTPUT_PROBA);
    for (int i = 0; i < 4; i++) check_near("P(yes|row)", p[2 * i + 1], i != 2, 1e-15);
    smr_free(p);
    smr_model_free(m);
    smr_table_free(t);
    check_ctx_end(ctx);
}

/* Six attributes of two values and a class: 2 d + 1 parameters. */
static void bits_have_two_parameters_a_column_and_one_more(void **unused)
{
    smr_ctx *ctx = check_ctx(1);
    smr_table *t = new_table(ctx, 4, 7);
    static const double zero[4] = {0, 0, 1, 0};
    (void)unused;
    for (int j = 0; j < 6; j++) put_numbers(ctx, t, j, sport_names[j], zero);
    put_strings(ctx, t, 6, "enjoy", enjoys);
    smr_model *m = train_on(ctx, "bayes", t, "enjoy");
    check_near("parameters", parameters(ctx, m), 13, 0);
    smr_model_free(m);
    smr_table_free(t);
    check_ctx_end(ctx);
}

/* P(y=1) = 3/5, P(x=1|1) = 2/3 2/3 2/3 0, P(x=1|0) = 1/2 1/2 1/2 1. */
static void five_rows_of_four_bits_are_as_worked_by_hand(void **unused)
{
    static const double x[4][5] = {
        {1, 1, 0, 1, 0}, {1, 1, 0, 1, 0}, {1, 1, 0, 1, 0}, {0, 0, 0, 1, 1}};
    static const double asked[4][5] = {{1, 1}, {1, 0}, {1, 0}, {1, 0}};
    static const char *const y[5] = {"1", "1", "1", "0", "0"};
    static const char *const names[4] = {"a", "b", "c", "d"};
    smr_ctx *ctx = check_ctx(1);
    smr_table *t = new_table(ctx, 5, 5), *other = new_table(ctx, 5, 5);
    (void)unused;
    for (int j = 0; j < 4; j++) {
        put_numbers(ctx, t, j, names[j], x[j]);
        put_numbers(ctx, other, j, names[j], asked[j]);
    }
    put_strings(ctx, t, 4, "y", y);
    put_strings(ctx, other, 4, "y", y);
    smr_model *m = train_on(ctx, "bayes 0", t, "y");
    check_near("P(1)", prior(m, 1), 0.6, 1e-15);
    for (int j = 0; j < 3; j++) {
        check_near("P(x=1|1)", share(m, j, 1, 1), 2.0 / 3, 1e-15);
        check_near("P(x=1|0)", share(m, j, 1, 0), 0.5, 1e-15);
    }
    check_near("P(x=1|1)", share(m, 3, 1, 1), 0, 0);
    check_near("P(x=1|0)", share(m, 3, 1, 0), 1, 1e-15);
    smr_model_free(m);
    m = train_on(ctx, "bayes 1", t, "y");
    double *p = apply(ctx, m, other, SMR_OUTPUT_PROBA);
    check_near("P(1|1111)", p[1], 0.4087, 5e-5); /* the digits that were given */
    check_near("P(1|1000)", p[3], 0.7866, 5e-5);
    smr_free(p);
    smr_model_free(m);
    smr_table_free(t);
    smr_table_free(other);
    check_ctx_end(ctx);
}

/* ---- smoothing 0 ------------------------------------------------------------------------- */

enum { N = 61 };

/* Levels and bits of which some never occur in a class. */
static smr_table *holes(smr_ctx *ctx)
{
    static const char *const levels[] = {"a", "b", "c", "d", "e"};
    const char *k[N], *y[N];
    double bit[N], other[N];
    smr_table *t = new_table(ctx, N, 4);
    for (int i = 0; i < N; i++) {
        int c = i % 3;
        y[i] = c == 0 ? "p" : c == 1 ? "q" : "r";
        k[i] = levels[(i / 3) % (c + 2) + (c == 1)];
        bit[i] = c == 2 ? (i / 9) % 2 : c;
        other[i] = c == 1 ? 0 : (i / 6) % 2;
    }
    put_strings(ctx, t, 0, "k", k);
    put_numbers(ctx, t, 1, "bit", bit);
    put_numbers(ctx, t, 2, "other", other);
    put_strings(ctx, t, 3, "y", y);
    return t;
}

/* All combinations of values, also those that every class rules out. */
static smr_table *combinations(smr_ctx *ctx)
{
    static const char *const levels[] = {"a", "b", "c", "d", "e"};
    const char *k[20], *y[20];
    double bit[20], other[20];
    smr_table *t = new_table(ctx, 20, 4);
    for (int i = 0; i < 20; i++) {
        k[i] = levels[i % 5];
        bit[i] = i / 5 % 2;
        other[i] = i / 10;
        y[i] = i % 3 == 0 ? "p" : i % 3 == 1 ? "q" : "r";
    }
    put_strings(ctx, t, 0, "k", k);
    put_numbers(ctx, t, 1, "bit", bit);
    put_numbers(ctx, t, 2, "other", other);
    put_strings(ctx, t, 3, "y", y);
    return t;
}

static void factors_of_zero_are_the_limit_of_small_smoothing(void **unused)
{
    smr_ctx *ctx = check_ctx(1);
    smr_table *t = holes(ctx), *asked = combinations(ctx);
    smr_model *none = train_on(ctx, "bayes 0", t, "y"), *some = train_on(ctx, "bayes 1e-9", t, "y");
    double *p = apply(ctx, none, asked, SMR_OUTPUT_PROBA);
    double *q = apply(ctx, some, asked, SMR_OUTPUT_PROBA);
    int ruled_out = 0;
    (void)unused;
    for (int i = 0; i < 60; i++) {
        check_near("limit", p[i], q[i], 1e-7); /* 1e-9 over shares of 1/21 and more */
        ruled_out += p[i] == 0;
    }
    assert_in_range(ruled_out, 10, 50);
    smr_free(p);
    smr_free(q);
    smr_model_free(none);
    smr_model_free(some);
    smr_table_free(t);
    smr_table_free(asked);
    check_ctx_end(ctx);
}

static void shares_of_zero_are_said(void **unused)
{
    struct heard heard;
    smr_ctx *ctx = hearing_ctx(&heard);
    smr_table *t = holes(ctx);
    (void)unused;
    smr_model_free(train_on(ctx, "bayes 1e-9", t, "y"));
    check_silent(&heard);
    smr_model_free(train_on(ctx, "bayes 0", t, "y"));
    check_heard(&heard, "bayes: with smoothing=0, ");
    check_heard(&heard, " of 24 shares are 0, such as that of 'k' = 'c' in class 'p': a row that "
                        "has it is hardly of that class; smoothing=1 rules nothing out");
    smr_table_free(t);
    check_ctx_end(ctx);
}

static void counts_of_zero_are_the_limit_too(void **unused)
{
    smr_ctx *ctx = check_ctx(1);
    smr_table *t = holes(ctx), *asked = combinations(ctx);
    static const char *const models[] = {"multinomial", "complement"};
    (void)unused;
    for (int c = 0; c < 2; c++) {
        char none[64], some[64];
        snprintf(none, sizeof none, "bayes 0 model=%s", models[c]);
        snprintf(some, sizeof some, "bayes 1e-9 model=%s", models[c]);
        smr_model *a = train_on(ctx, none, t, "y"), *b = train_on(ctx, some, t, "y");
        double *p = apply(ctx, a, asked, SMR_OUTPUT_PROBA);
        double *q = apply(ctx, b, asked, SMR_OUTPUT_PROBA);
        for (int i = 0; i < 60;
             i++) /* e, never seen, is coded by shares: 1e-9^share is not small */
            if (i / 3 % 5 != 4) check_near(models[c], p[i], q[i], 1e-6);
        smr_free(p);
        smr_free(q);
        smr_model_free(a);
        smr_model_free(b);
    }
    smr_table_free(t);
    smr_table_free(asked);
    check_ctx_end(ctx);
}

/* ---- what is skipped --------------------------------------------------------------------- */

static void a_level_never_seen_counts_as_a_gap(void **unused)
{
    static const char *const seen[20] = {"a", "z", NULL, "b"};
    smr_ctx *ctx = check_ctx(1);
    smr_table *t = holes(ctx), *asked = combinations(ctx), *new = new_table(ctx, 20, 3);
    smr_model *m = train_on(ctx, "bayes", t, "y");
    double bit[20] = {1, 1, 1, 1}, other[20] = {0, NAN, NAN, NAN};
    (void)unused;
    put_strings(ctx, new, 0, "k", seen);
    put_numbers(ctx, new, 1, "bit", bit);
    put_numbers(ctx, new, 2, "other", other);
    double *p = apply(ctx, m, new, SMR_OUTPUT_PROBA);
    for (int k = 0; k < 3; k++) check_near("never seen", p[3 + k], p[6 + k], 0);
    assert_true(fabs(p[9] - p[6]) > 1e-3);
    double want[3], sum = 0; /* by hand: priors and the bit alone */
    for (int k = 0; k < 3; k++) sum += want[k] = prior(m, k) * share(m, 1, 1, k);
    for (int k = 0; k < 3; k++) check_near("bit alone", p[6 + k], want[k] / sum, 1e-14);
    smr_free(p);
    smr_model_free(m);
    smr_table_free(t);
    smr_table_free(asked);
    smr_table_free(new);
    check_ctx_end(ctx);
}

static void kinds_are_read_off_the_table(void **unused)
{
    smr_ctx *ctx = check_ctx(1);
    smr_table *t = new_table(ctx, N, 5);
    const char *k[N], *y[N];
    double bit[N], number[N], gaps[N];
    (void)unused;
    for (int i = 0; i < N; i++) {
        k[i] = i % 4 ? "u" : "v";
        y[i] = i % 2 ? "p" : "q";
        bit[i] = i % 5 == 0 ? NAN : i % 3 == 0;
        number[i] = i % 7;
        gaps[i] = i == 3 ? 1 : i == 5 ? 0 : NAN;
    }
    put_strings(ctx, t, 0, "k", k);
    put_numbers(ctx, t, 1, "bit", bit);
    put_numbers(ctx, t, 2, "number", number);
    put_numbers(ctx, t, 3, "gaps", gaps);
    put_strings(ctx, t, 4, "y", y);
    smr_model *m = train_on(ctx, "bayes", t, "y");
    static const uint8_t want[4] = {SMR_BAYES_LEVELS, SMR_BAYES_BIT, SMR_BAYES_NUMBER,
                                    SMR_BAYES_BIT};
    assert_memory_equal(state_of(m)->kind, want, 4);
    smr_model_free(m);
    smr_table_free(t);
    check_ctx_end(ctx);
}

/* ---- sparse rows ------------------------------------------------------------------------- */

enum { ROWS = 2100, WORDS = 60, IN_ROW = 5, GROUPS = 11, ENTRIES = ROWS * IN_ROW };

struct words {
    int64_t start[ROWS + 1];
    int32_t column[ENTRIES];
    double value[ENTRIES], y[ROWS], dense[ROWS * WORDS];
};

/* All values are 1 or, in `parts`, fractions; one near the end is `last`. */
static void write_words(struct words *w, bool parts, double last)
{
    memset(w, 0, sizeof *w);
    for (int i = 0; i < ROWS; i++) {
        w->y[i] = i * 7 % 13 % GROUPS; /* some classes have twice as many rows */
        w->start[i + 1] = w->start[i] + IN_ROW;
        for (int e = 0; e < IN_ROW; e++) {
            int at = i * IN_ROW + e, j = e * (WORDS / IN_ROW) + (i * i + 3 * e) % (WORDS / IN_ROW);
            w->column[at] = j;
            w->value[at] = parts ? 0.1 + fabs(noise(i, e)) : 1;
            if (at == ENTRIES - 7) w->value[at] = last;
            w->dense[i * WORDS + j] = w->value[at];
        }
    }
}

static smr_model *train_classes(smr_ctx *ctx, const smr_table *t)
{
    smr_set_opts how = {.target = "y", .keep_all = true, .task = SMR_TASK_CLASSIFY};
    smr_model *m = NULL;
    check_ok(ctx, try_train(ctx, "bayes", t, &how, &m));
    return m;
}

static void check_same_as_dense(smr_ctx *ctx, const struct words *w, const smr_table *sparse,
                                const smr_model *m)
{
    smr_table *t = NULL;
    check_ok(ctx, smr_table_from_matrix(ctx, w->dense, ROWS, WORDS, w->y, &t));
    smr_model *n = train_classes(ctx, t);
    double *p = apply(ctx, m, sparse, SMR_OUTPUT_PROBA), *q = apply(ctx, n, t, SMR_OUTPUT_PROBA);
    assert_memory_equal(state_of(m)->kind, state_of(n)->kind, WORDS);
    for (int i = 0; i < GROUPS * ROWS; i++) check_near("as dense", p[i], q[i], 1e-9);
    smr_free(p);
    smr_free(q);
    smr_model_free(n);
    smr_table_free(t);
}

/* Rows are counted before it is known that they are counts: what comes late still decides.  The
 * rows of a class are added in their order, whatever the threads. */
static void sparse_rows_are_counts_if_all_of_them_are(void **unused)
{
    static const struct {
        bool parts;
        double last;
        int kind;
    } cases[] = {
        {true, 0.3, SMR_BAYES_COUNT}, {false, 1, SMR_BAYES_BIT},     {false, 2, SMR_BAYES_COUNT},
        {true, -1, SMR_BAYES_NUMBER}, {true, NAN, SMR_BAYES_NUMBER}, {true, 0, SMR_BAYES_COUNT},
        {false, -1, SMR_BAYES_BIT},
    };
    struct words *w = malloc(sizeof *w);
    double *sum = malloc(GROUPS * WORDS * sizeof *sum);
    (void)unused;
    assert_non_null(w);
    assert_non_null(sum);
    for (size_t c = 0; c < 3 * sizeof cases / sizeof *cases; c++) {
        static const int threads[3] = {1, 2, 7};
        smr_ctx *ctx = check_ctx(threads[c % 3]);
        smr_table *t = NULL;
        write_words(w, cases[c / 3].parts, cases[c / 3].last);
        check_ok(ctx,
                 smr_table_from_csr(ctx, ROWS, WORDS, w->start, w->column, w->value, w->y, &t));
        smr_model *m = train_classes(ctx, t);
        const struct smr_bayes_state *s = state_of(m);
        assert_int_equal(s->kind[0], cases[c / 3].kind);
        check_same_as_dense(ctx, w, t, m);
        memset(sum, 0, GROUPS * WORDS * sizeof *sum);
        for (int e = 0; e < ENTRIES; e++)
            sum[(int)w->y[e / IN_ROW] * WORDS + w->column[e]] += w->value[e];
        if (s->kind[0] == SMR_BAYES_COUNT)
            assert_memory_equal(s->count, sum, GROUPS * WORDS * sizeof *sum);
        smr_model_free(m);
        smr_table_free(t);
        check_ctx_end(ctx);
    }
    free(sum);
    free(w);
}

/* Far from 0 the squares of values would have lost their spread. */
static void numbers_far_from_zero_keep_their_digits(void **unused)
{
    smr_ctx *ctx = check_ctx(2);
    smr_table *near = new_table(ctx, N, 3), *far = new_table(ctx, N, 3);
    double x[2][N], shifted[2][N];
    const char *y[N];
    (void)unused;
    for (int i = 0; i < N; i++) {
        y[i] = i % 3 ? "p" : "q";
        for (int j = 0; j < 2; j++) {
            x[j][i] = floor(1024 * (noise(i, j) + 0.3 * (i % 3))) / 1024; /* exact when shifted */
            shifted[j][i] = x[j][i] + 1e11;
        }
    }
    for (int j = 0; j < 2; j++) {
        put_numbers(ctx, near, j, j ? "b" : "a", x[j]);
        put_numbers(ctx, far, j, j ? "b" : "a", shifted[j]);
    }
    put_strings(ctx, near, 2, "y", y);
    put_strings(ctx, far, 2, "y", y);
    smr_model *m = train_on(ctx, "bayes", near, "y"), *n = train_on(ctx, "bayes", far, "y");
    double *p = apply(ctx, m, near, SMR_OUTPUT_PROBA), *q = apply(ctx, n, far, SMR_OUTPUT_PROBA);
    for (int i = 0; i < 2 * N; i++) check_near("probability", q[i], p[i], 1e-4);
    smr_free(p);
    smr_free(q);
    smr_model_free(m);
    smr_model_free(n);
    smr_table_free(near);
    smr_table_free(far);
    check_ctx_end(ctx);
}

/* ---- refusals ---------------------------------------------------------------------------- */

static void what_cannot_be_is_refused_by_name(void **unused)
{
    smr_ctx *ctx = check_ctx(1);
    smr_table *t = new_table(ctx, N, 2);
    double x[N];
    const char *y[N];
    smr_model *m = NULL;
    smr_set_opts opts = {.target = "y", .keep_all = true};
    (void)unused;
    for (int i = 0; i < N; i++) {
        x[i] = i == 17 ? -2.5 : i;
        y[i] = i % 2 ? "p" : "q";
    }
    put_numbers(ctx, t, 0, "x", x);
    put_strings(ctx, t, 1, "y", y);
    check_fails(ctx, try_train(ctx, "bayes model=multinomial", t, &opts, &m), SMR_ERR_DATA,
                "'x' is -2.5 in row 18, and counts are not negative");
    check_fails(ctx, try_train(ctx, "bayes model=categorical", t, &opts, &m), SMR_ERR_DATA,
                "'x' is a number, and model=categorical takes categories");
    check_fails(ctx, try_train(ctx, "bayes priors=0.2,0.3,0.5", t, &opts, &m), SMR_ERR_PARAM,
                "priors has 3 numbers, and there are 2 classes");
    check_fails(ctx, try_train(ctx, "bayes priors=0.2,0.3", t, &opts, &m), SMR_ERR_PARAM,
                "priors sum to 0.5; they must sum to 1");
    check_fails(ctx, try_train(ctx, "bayes model=gaussian smoothing=2", t, &opts, &m),
                SMR_ERR_PARAM, "smoothing");
    x[3] = 1e200;
    smr_table *large = new_table(ctx, N, 2);
    put_numbers(ctx, large, 0, "x", x);
    put_strings(ctx, large, 1, "y", y);
    check_fails(ctx, try_train(ctx, "bayes", large, &opts, &m), SMR_ERR_DATA,
                "column 'x' has values that are infinite or too large to be squared");
    smr_table_free(large);
    smr_table_free(t);
    check_ctx_end(ctx);
}

/* ---- streams ----------------------------------------------------------------------------- */

/* Learned row by row, what is known is what a fit of all rows knows. */
static void a_stream_knows_what_a_fit_knows(void **unused)
{
    static const char *const sentences[] = {"bayes", "bayes 0.3 model=bernoulli",
                                            "bayes 0.3 model=multinomial",
                                            "bayes 0.3 model=complement"};
    smr_ctx *ctx = check_ctx(1);
    enum { D = 3 };
    double X[N * D], y[N];
    (void)unused;
    for (int i = 0; i < N; i++) {
        y[i] = i % 3;
        for (int j = 0; j < D; j++) X[i * D + j] = floor(4 * fabs(noise(i, j)) + (i % 3 == j));
    }
    smr_table *t = NULL;
    check_ok(ctx, smr_table_from_matrix(ctx, X, N, D, y, &t));
    for (size_t c = 0; c < sizeof sentences / sizeof *sentences; c++) {
        smr_train_set *set = NULL;
        smr_model *online = NULL, *whole = NULL;
        smr_set_opts how = {.target = "y", .keep_all = true, .task = SMR_TASK_CLASSIFY};
        check_ok(ctx, said_set(ctx, t, sentences[c], &how, &set));
        check_ok(ctx, said_online(ctx, sentences[c], set, &online));
        smr_online *o = NULL;
        const smr_online_rows *rows;
        check_ok(ctx, smr_online_create(ctx, online, NULL, &o));
        check_ok(ctx, smr_online_take(ctx, o, t, 0, &rows));
        check_ok(ctx, smr_online_go(ctx, o, 0, N));
        smr_online_free(o);
        check_ok(ctx, said_fit(ctx, sentences[c], set, NULL, 0, &whole));
        double *p = apply(ctx, online, t, SMR_OUTPUT_PROBA);
        double *q = apply(ctx, whole, t, SMR_OUTPUT_PROBA);
        for (int i = 0; i < 3 * N; i++) check_near(sentences[c], p[i], q[i], 1e-11);
        smr_free(p);
        smr_free(q);
        smr_model_free(online);
        smr_model_free(whole);
        smr_train_set_free(set);
    }
    smr_table_free(t);
    check_ctx_end(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(enjoy_sport_is_as_counted),
        cmocka_unit_test(bits_have_two_parameters_a_column_and_one_more),
        cmocka_unit_test(five_rows_of_four_bits_are_as_worked_by_hand),
        cmocka_unit_test(factors_of_zero_are_the_limit_of_small_smoothing),
        cmocka_unit_test(shares_of_zero_are_said),
        cmocka_unit_test(counts_of_zero_are_the_limit_too),
        cmocka_unit_test(a_level_never_seen_counts_as_a_gap),
        cmocka_unit_test(kinds_are_read_off_the_table),
        cmocka_unit_test(sparse_rows_are_counts_if_all_of_them_are),
        cmocka_unit_test(numbers_far_from_zero_keep_their_digits),
        cmocka_unit_test(what_cannot_be_is_refused_by_name),
        cmocka_unit_test(a_stream_knows_what_a_fit_knows),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
