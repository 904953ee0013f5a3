/* test_hmm.c -- hidden Markov models.
 *
 * Truth: tables counted and sequences answered by products of dense matrices
 * (tests/truth/hidden_states.py); the model of rainy days, whose numbers the counts of
 * data/rainy_days.csv are; a casino whose dice are known; the derivatives that are 0 at a
 * maximum. */
#include "pipeline.h"

#include "learn/draw_rows.h"
#include "learn/graphical/hmm.h"
#include "truth/hidden_states.h"

enum { N = 418, ROLLS = 3000, TURNS = 50 };

static double unit(uint64_t a, uint64_t b)
{
    return smr_random_unit(23, SMR_STREAM_TEST, a, b);
}

static double normal(uint64_t a, uint64_t b)
{
    double sum = -6;
    for (uint64_t k = 0; k < 12; k++) sum += unit(1000 * a + k, b);
    return sum;
}

static struct smr_hmm_state *state_of(const smr_model *m)
{
    return smr_model_last(m)->state;
}

static smr_model *train(smr_ctx *ctx, const char *sentence, const smr_table *t, const char *target)
{
    smr_set_opts opts = {.target = target, .task = SMR_TASK_SEQUENCE, .keep_all = true};
    smr_model *m = NULL;
    if (!target) opts.ignore = t->cols[t->n_cols - 1].name; /* what was hidden */
    opts.roles[SMR_ROLE_SEQUENCE] = "walk";
    check_ok(ctx, try_train(ctx, sentence, t, &opts, &m));
    return m;
}

static double *answer(smr_ctx *ctx, const smr_model *m, const smr_table *t, smr_output output)
{
    double *out = smr_alloc(ctx, t->n_rows * smr_model_width(m, output) + 1, sizeof *out);
    check_ok(ctx, smr_model_apply(ctx, m, t, NULL, 0, output, out));
    return out;
}

/* ---- counted tables --------------------------------------------------------------------- */

static smr_table *wards(smr_ctx *ctx)
{
    static const char *const names[] = {"a", "b", "c"}, *const sexes[] = {"f", "m"};
    static char walk[N][8];
    const char *sequence[N], *ward[N], *sex[N];
    double x[N];
    smr_table *t = new_table(ctx, N, 6);
    for (int64_t j = 0; j < 3; j++) {
        static const char *const columns[] = {"bmi", "bp", "s5"};
        for (int i = 0; i < N; i++) x[i] = HMM_X[i][j];
        put_numbers(ctx, t, j, columns[j], x);
    }
    for (int i = 0; i < N; i++) {
        snprintf(walk[i], sizeof walk[i], "w%d", HMM_SEQUENCE[i]);
        sequence[i] = walk[i];
        ward[i] = names[HMM_WARD[i]];
        sex[i] = sexes[HMM_SEX[i]];
    }
    put_strings(ctx, t, 3, "sex", sex);
    put_strings(ctx, t, 4, "walk", sequence);
    put_strings(ctx, t, 5, "ward", ward);
    return t;
}

static void check_wards(smr_ctx *ctx, const char *sentence, const double *score,
                        const double (*chance)[3], const int *path)
{
    smr_table *t = wards(ctx);
    smr_model *m = train(ctx, sentence, t, "ward");
    double *scores = answer(ctx, m, t, SMR_OUTPUT_SCORE), *p = answer(ctx, m, t, SMR_OUTPUT_PROBA);
    double *labels = answer(ctx, m, t, SMR_OUTPUT_LABEL);
    for (int i = 0; i < N; i += 9) {
        check_near("score", scores[i], score[i / 9], 1e-11);
        for (int j = 0; j < 3; j++) check_near("chance", p[3 * i + j], chance[i / 9][j], 1e-10);
    }
    for (int i = 0; i < N; i++) assert_int_equal((int)labels[i], path[i]);
    smr_free(scores);
    smr_free(p);
    smr_free(labels);
    smr_model_free(m);
    smr_table_free(t);
}

static void counted_tables_answer_as_products_of_matrices_do(void **state)
{
    smr_ctx *ctx = check_ctx(2);
    (void)state;
    check_wards(ctx, "hmm smoothing=0.5", HMM_PLAIN_SCORE, HMM_PLAIN_CHANCE, HMM_PLAIN_PATH);
    check_wards(ctx, "hmm smoothing=0.5 covariance=full", HMM_FULL_SCORE, HMM_FULL_CHANCE,
                HMM_FULL_PATH);
    check_ctx_end(ctx);
}

/* ---- rainy days ------------------------------------------------------------------------- */

static smr_model *rainy(smr_ctx *ctx, const char *sentence)
{
    smr_table *t = NULL;
    smr_model *m = NULL;
    smr_train_opts how = {
        .size = sizeof how, .target = "weather", .sequence = "week", .time = "day"};
    check_ok(ctx, smr_table_open(ctx, "data/rainy_days.csv", NULL, &t));
    check_ok(ctx, smr_train(ctx, sentence, t, &how, &m));
    smr_table_free(t);
    return m;
}

/* Three days, and what was seen; "": nothing. */
static double score_days(smr_ctx *ctx, const smr_model *m, const char *const *seen, int64_t n,
                         double *labels)
{
    static const double week[] = {1, 1, 1, 1}, day[] = {1, 2, 3, 4};
    smr_table *t = new_table(ctx, n, 3);
    put_numbers(ctx, t, 0, "week", week);
    put_numbers(ctx, t, 1, "day", day);
    put_strings(ctx, t, 2, "activity", seen);
    double *score = answer(ctx, m, t, SMR_OUTPUT_SCORE), first = score[0];
    if (labels) check_ok(ctx, smr_model_apply(ctx, m, t, NULL, 0, SMR_OUTPUT_LABEL, labels));
    for (int64_t i = 1; i < n; i++) assert_true(score[i] == first);
    smr_free(score);
    smr_table_free(t);
    return first;
}

static void counting_rainy_days_gives_the_textbooks_model(void **state)
{
    static const double start[] = {0.6, 0.4}, move[] = {0.7, 0.3, 0.4, 0.6};
    static const double emit[] = {0.5, 0.4, 0.1, 0.1, 0.3, 0.6};
    static const char *const seen[] = {"clean", "shop", "walk"};
    smr_ctx *ctx = check_ctx(1);
    smr_model *m = rainy(ctx, "hmm smoothing=0");
    struct smr_hmm_state *s = state_of(m);
    double labels[3];
    (void)state;
    for (int k = 0; k < 2; k++) check_near("start", s->start[k], start[k], 1e-15);
    for (int k = 0; k < 4; k++) check_near("move", s->move[k], move[k], 1e-15);
    for (int k = 0; k < 6; k++) check_near("emit", s->emit[k], emit[k], 1e-15);
    check_near("P(O)", exp(score_days(ctx, m, seen, 3, labels)), 0.03628, 1e-14);
    for (int k = 0; k < 3; k++) assert_int_equal((int)labels[k], k / 2);
    smr_model_free(m);
    m = rainy(ctx, "hmm smoothing=1");
    s = state_of(m);
    check_near("smoothed", s->emit[0], 61.0 / 123, 1e-15);
    check_near("smoothed", s->move[0], 71.0 / 102, 1e-15);
    check_near("smoothed", s->start[0], 19.0 / 32, 1e-15);
    smr_model_free(m);
    check_ctx_end(ctx);
}

/* A gap is the sum over what might have been seen; a symbol of which training knew nothing too. */
static void a_gap_and_an_unseen_symbol_are_no_evidence(void **state)
{
    static const char *const days[] = {"clean", "shop", "walk"};
    smr_ctx *ctx = check_ctx(1);
    smr_model *m = rainy(ctx, "hmm smoothing=0");
    double sum = 0;
    (void)state;
    for (int k = 0; k < 3; k++) {
        const char *const seen[] = {"clean", days[k], "walk"};
        sum += exp(score_days(ctx, m, seen, 3, NULL));
    }
    const char *const gap[] = {"clean", NULL, "walk"}, *const other[] = {"clean", "dance", "walk"};
    check_near("gap", exp(score_days(ctx, m, gap, 3, NULL)), sum, 1e-14);
    check_near("unseen", exp(score_days(ctx, m, other, 3, NULL)), sum, 1e-14);
    const char *const nothing[] = {NULL, NULL, NULL, NULL};
    check_near("nothing", score_days(ctx, m, nothing, 4, NULL), 0, 1e-15);
    const char *const one[] = {"walk"};
    check_near("one step", exp(score_days(ctx, m, one, 1, NULL)), 0.6 * 0.1 + 0.4 * 0.6, 1e-15);
    smr_model_free(m);
    check_ctx_end(ctx);
}

/* Walk, shop.  The four weathers: rainy rainy 0.6 0.1 0.7 0.4 = 0.0168, rainy sunny 0.6 0.1 0.3 0.3
 * = 0.0054, sunny rainy 0.4 0.6 0.4 0.4 = 0.0384, sunny sunny 0.4 0.6 0.6 0.3 = 0.0432; in all
 * 0.1038.  The likeliest has two sunny days, but the second day was rainy with 0.0552 / 0.1038. */
static void the_likeliest_path_is_not_that_of_the_likeliest_states(void **state)
{
    static const char *const seen[] = {"walk", "shop"};
    static const double chances[] = {0.0222 / 0.1038, 0.0816 / 0.1038, 0.0552 / 0.1038,
                                     0.0486 / 0.1038};
    static const double week[] = {1, 1}, day[] = {1, 2};
    smr_ctx *ctx = check_ctx(1);
    (void)state;
    for (int posterior = 0; posterior < 2; posterior++) {
        smr_model *m = rainy(ctx, posterior ? "hmm smoothing=0 decode=posterior"
                                            : "hmm smoothing=0 decode=viterbi");
        double labels[2];
        check_near("P(O)", exp(score_days(ctx, m, seen, 2, labels)), 0.1038, 1e-15);
        assert_int_equal((int)labels[0], 1);
        assert_int_equal((int)labels[1], posterior ? 0 : 1);
        smr_table *t = new_table(ctx, 2, 3);
        put_numbers(ctx, t, 0, "week", week);
        put_numbers(ctx, t, 1, "day", day);
        put_strings(ctx, t, 2, "activity", seen);
        double *p = answer(ctx, m, t, SMR_OUTPUT_PROBA);
        for (int k = 0; k < 4; k++) check_near("chance", p[k], chances[k], 1e-15);
        smr_free(p);
        smr_table_free(t);
        smr_model_free(m);
    }
    check_ctx_end(ctx);
}

/* ---- EM --------------------------------------------------------------------------------- */

/* Two dice, one loaded: six in half the rolls; columns roll, walk, die. */
static smr_table *casino(smr_ctx *ctx)
{
    static const char *const faces[] = {"1", "2", "3", "4", "5", "6"};
    static char walk[ROLLS][8];
    const char *roll[ROLLS], *sequence[ROLLS], *die[ROLLS];
    bool loaded = false;
    for (int i = 0; i < ROLLS; i++) {
        double u = unit(1, (uint64_t)i), v = unit(2, (uint64_t)i);
        if (i % (ROLLS / TURNS) == 0) loaded = u < 0.3;
        loaded = loaded ? u >= 0.1 : u < 0.05;
        roll[i] = faces[loaded ? (v < 0.5 ? 5 : (int)((v - 0.5) * 10)) : (int)(v * 6)];
        snprintf(walk[i], sizeof walk[i], "t%02d", i / (ROLLS / TURNS));
        sequence[i] = walk[i];
        die[i] = loaded ? "loaded" : "fair";
    }
    smr_table *t = new_table(ctx, ROLLS, 3);
    put_strings(ctx, t, 0, "roll", roll);
    put_strings(ctx, t, 1, "walk", sequence);
    put_strings(ctx, t, 2, "die", die);
    return t;
}

static void the_loaded_die_is_found(void **state)
{
    smr_ctx *ctx = check_ctx(2);
    smr_table *t = casino(ctx);
    smr_model *m = train(ctx, "hmm 2 restarts=6", t, NULL);
    struct smr_hmm_state *s = state_of(m);
    int bad = s->emit[5] > s->emit[11] ? 0 : 1;
    int64_t right = 0;
    double *labels = answer(ctx, m, t, SMR_OUTPUT_LABEL);
    (void)state;
    /* Some 1000 rolls of the loaded die and 2000 of the other: deviations of 0.016 and 0.008, and
     * about twice that since nobody says which is which. */
    check_near("six of the loaded die", s->emit[6 * bad + 5], 0.5, 0.06);
    for (int k = 0; k < 6; k++) check_near("fair", s->emit[6 * (1 - bad) + k], 1.0 / 6, 0.04);
    check_near("stays", s->move[3 * bad], 0.9, 0.05);
    for (int64_t i = 0; i < ROLLS; i++)
        right += ((int)labels[i] == bad) == (smr_column_code(&t->cols[2], i) == 1);
    assert_true(right > ROLLS * 3 / 4);
    smr_free(labels);
    smr_model_free(m);
    smr_table_free(t);
    check_ctx_end(ctx);
}

/* Three states of two numbers and a symbol, with gaps; the last column is what was hidden. */
static smr_table *walks(smr_ctx *ctx, int64_t n, bool gaps)
{
    static const char *const kinds[] = {"p", "q", "r"}, *const hidden[] = {"x", "y", "z"};
    char(*walk)[8] = calloc((size_t)n, sizeof *walk);
    const char **sequence = calloc((size_t)n, sizeof *sequence);
    const char **kind = calloc((size_t)n, sizeof *kind), **was = calloc((size_t)n, sizeof *was);
    double *a = calloc((size_t)n, sizeof *a), *b = calloc((size_t)n, sizeof *b);
    int at = 0;
    for (int64_t i = 0; i < n; i++) {
        double u = unit(5, (uint64_t)i);
        if (i % 40 == 0)
            at = (int)(u * 3);
        else if (u < 0.15)
            at = (at + 1) % 3;
        a[i] = 3 * at + 0.7 * normal(6, (uint64_t)i);
        b[i] = at * at - 0.5 * a[i] + normal(7, (uint64_t)i);
        if (gaps && i % 7 == 2) a[i] = NAN;
        kind[i] =
            gaps && i % 11 == 5 ? NULL : kinds[unit(8, (uint64_t)i) < 0.6 ? at : (int)(u * 3)];
        snprintf(walk[i], sizeof walk[i], "w%d", (int)(i / 40));
        sequence[i] = walk[i];
        was[i] = hidden[at];
    }
    smr_table *t = new_table(ctx, n, 5);
    put_numbers(ctx, t, 0, "a", a);
    put_numbers(ctx, t, 1, "b", b);
    put_strings(ctx, t, 2, "kind", kind);
    put_strings(ctx, t, 3, "walk", sequence);
    put_strings(ctx, t, 4, "was", was);
    free(walk);
    free(sequence);
    free(kind);
    free(was);
    free(a);
    free(b);
    return t;
}

static void the_objective_never_falls(void **state)
{
    static const char *const sentences[] = {
        "hmm 3 tol=0 max_iter=60",
        "hmm 3 covariance=full tol=0 max_iter=60",
        "hmm 3 mixtures=3 tol=0 max_iter=60",
        "hmm 4 moves=step smoothing=0 tol=0 max_iter=60",
        "hmm 3 moves=cycle mixtures=2 covariance=full tol=0 max_iter=60",
        "hmm 3 smoothing=2 floor=0.2 tol=0 max_iter=60"};
    smr_ctx *ctx = check_ctx(2);
    (void)state;
    for (int gaps = 0; gaps < 2; gaps++) {
        smr_table *t = walks(ctx, 600, gaps);
        for (int k = 0; k < SMR_COUNT(sentences); k++) {
            smr_model *m = train(ctx, sentences[k], t, NULL);
            const struct smr_hmm_state *s = state_of(m);
            assert_true(s->n_curve > 10);
            /* Sums of 600 rounded logarithms: some units of the last place. */
            for (int64_t i = 1; i < s->n_curve; i++)
                if (s->curve[i] < s->curve[i - 1] - 1e-11 * fabs(s->curve[i]))
                    fail_msg("%s: iteration %lld: from %.17g to %.17g", sentences[k], (long long)i,
                             s->curve[i - 1], s->curve[i]);
            assert_true(s->curve[s->n_curve - 1] > s->curve[0]);
            smr_model_free(m);
        }
        smr_table_free(t);
    }
    check_ctx_end(ctx);
}

/* Log-likelihood of all sequences after *x was changed to this. */
static double likely_with(smr_ctx *ctx, smr_model *m, const smr_table *t, double *x, double value)
{
    const smr_stage *last = smr_model_last(m);
    double was = *x, sum = 0;
    *x = value;
    check_ok(ctx, last->learner->fitted->prepare(ctx, last->params, last->state));
    double *score = answer(ctx, m, t, SMR_OUTPUT_SCORE);
    for (int64_t i = 0; i < t->n_rows; i += 40) sum += score[i];
    smr_free(score);
    *x = was;
    return sum;
}

/* At a maximum the derivatives by means and variances are 0, and those by probabilities are equal,
 * where these are not 0: their differences leave the sum as it is. */
static void derivatives_are_zero_where_em_ends(void **state)
{
    smr_ctx *ctx = check_ctx(1);
    smr_table *t = walks(ctx, 600, false);
    smr_model *m = train(ctx, "hmm 3 smoothing=0 tol=0 max_iter=3000", t, NULL);
    struct smr_hmm_state *s = state_of(m);
    const double h = 1e-5;
    (void)state;
    for (int k = 0; k < 6; k++) {
        double *x = &s->mean[k];
        double up = likely_with(ctx, m, t, x, *x + h), down = likely_with(ctx, m, t, x, *x - h);
        check_near("by a mean", (up - down) / (2 * h), 0, 2e-4);
        x = &s->spread[k];
        up = likely_with(ctx, m, t, x, *x + h), down = likely_with(ctx, m, t, x, *x - h);
        check_near("by a variance", (up - down) / (2 * h), 0, 2e-4);
    }
    for (int i = 0; i < 3; i++) {
        double slope[3], first = NAN;
        for (int j = 0; j < 3; j++) {
            double *x = &s->move[3 * i + j];
            double up = likely_with(ctx, m, t, x, *x + h), down = likely_with(ctx, m, t, x, *x - h);
            slope[j] = (up - down) / (2 * h);
            if (*x < 0.01) continue;
            if (isnan(first)) first = slope[j];
            check_near("by moves", slope[j] / first, 1, 1e-5);
        }
    }
    smr_model_free(m);
    smr_table_free(t);
    check_ctx_end(ctx);
}

static void a_missing_number_is_integrated_over(void **state)
{
    static const double a[] = {2.5, NAN, NAN}, b[] = {NAN, 1.5, NAN};
    static const char *const kind[] = {NULL, NULL, "q"}, *const walk[] = {"1", "2", "3"};
    smr_ctx *ctx = check_ctx(1);
    smr_table *t = walks(ctx, 600, true), *one = new_table(ctx, 3, 4);
    smr_model *m = train(ctx, "hmm", t, "was");
    const struct smr_hmm_state *s = state_of(m);
    (void)state;
    put_numbers(ctx, one, 0, "a", a);
    put_numbers(ctx, one, 1, "b", b);
    put_strings(ctx, one, 2, "kind", kind);
    put_strings(ctx, one, 3, "walk", walk);
    double *score = answer(ctx, m, one, SMR_OUTPUT_SCORE);
    for (int i = 0; i < 3; i++) {
        double sum = 0;
        for (int j = 0; j < 3; j++) {
            double p = s->start[j];
            for (int k = 0; k < 2; k++) {
                double x = k ? b[i] : a[i], v = s->spread[2 * j + k], off = x - s->mean[2 * j + k];
                if (!isnan(x)) p *= exp(-off * off / (2 * v)) / sqrt(6.283185307179586 * v);
            }
            if (kind[i]) p *= s->emit[3 * j + 1];
            sum += p;
        }
        check_near("score", exp(score[i]), sum, 1e-13);
    }
    smr_free(score);
    smr_model_free(m);
    smr_table_free(t);
    smr_table_free(one);
    check_ctx_end(ctx);
}

/* ---- moves, weights ----------------------------------------------------------------------- */

static void moves_that_are_not_allowed_never_happen(void **state)
{
    static const struct {
        const char *sentence;
        int may[9];
    } tried[] = {{"hmm 3 moves=forward", {1, 1, 1, 0, 1, 1, 0, 0, 1}},
                 {"hmm 3 moves=step", {1, 1, 0, 0, 1, 1, 0, 0, 1}},
                 {"hmm 3 moves=cycle", {1, 1, 0, 0, 1, 1, 1, 0, 1}},
                 {"hmm 3 allow='0>0, 0>2,2>1,1>1,1>0'", {1, 0, 1, 1, 1, 0, 0, 1, 0}}};
    smr_ctx *ctx = check_ctx(1);
    smr_table *t = walks(ctx, 400, false);
    (void)state;
    for (int k = 0; k < SMR_COUNT(tried); k++) {
        smr_model *m = train(ctx, tried[k].sentence, t, NULL);
        const struct smr_hmm_state *s = state_of(m);
        double *labels = answer(ctx, m, t, SMR_OUTPUT_LABEL);
        for (int e = 0; e < 9; e++) assert_int_equal(s->move[e] > 0, tried[k].may[e]);
        for (int64_t i = 1; i < 400; i++)
            if (i % 40) assert_true(tried[k].may[3 * (int)labels[i - 1] + (int)labels[i]]);
        if (k < 2) assert_true(s->start[0] == 1 && labels[40] == 0);
        smr_free(labels);
        smr_model_free(m);
    }
    smr_table_free(t);
    check_ctx_end(ctx);
}

/* The level of a row, as a string that ends. */
static const char *level_of(const smr_column *column, int64_t i, char out[16])
{
    int64_t length;
    const char *level = smr_strings_get(&column->levels, smr_column_code(column, i), &length);
    snprintf(out, 16, "%.*s", (int)length, level);
    return out;
}

/* Columns of doubles w = 1 + the walk's number modulo 3, and the same walks 1, 2 or 3 times. */
static void a_weight_is_a_number_of_sequences(void **state)
{
    smr_ctx *ctx = check_ctx(1);
    smr_table *t = walks(ctx, 400, false), *many = new_table(ctx, 800, 5);
    smr_table *weighed = new_table(ctx, 400, 6);
    double x[800], y[800], w[400];
    const char *kind[800], *walk[800], *was[800];
    static char names[800][16], words[2][800][16];
    int64_t n = 0;
    (void)state;
    for (int64_t i = 0; i < 400; i++) w[i] = (double)(1 + i / 40 % 3);
    for (int64_t copy = 0; copy < 3; copy++)
        for (int64_t i = 0; i < 400; i++) {
            if (copy >= (int64_t)w[i]) continue;
            x[n] = smr_column_number(&t->cols[0], i);
            y[n] = smr_column_number(&t->cols[1], i);
            kind[n] = level_of(&t->cols[2], i, words[0][n]);
            snprintf(names[n], sizeof names[n], "%d-%d", (int)(i / 40), (int)copy);
            walk[n] = names[n];
            was[n] = level_of(&t->cols[4], i, words[1][n]);
            n++;
        }
    many->n_rows = n;
    weighed->n_rows = 400; /* the first copy of every walk comes first */
    for (int k = 0; k < 2; k++) {
        smr_table *to = k ? weighed : many;
        put_numbers(ctx, to, 0, "a", x);
        put_numbers(ctx, to, 1, "b", y);
        put_strings(ctx, to, 2, "kind", kind);
        put_strings(ctx, to, 3, "walk", walk);
        put_strings(ctx, to, 4, "was", was);
    }
    put_numbers(ctx, weighed, 5, "w", w);
    smr_set_opts opts = {
        .target = "was", .weight = "w", .task = SMR_TASK_SEQUENCE, .keep_all = true};
    opts.roles[SMR_ROLE_SEQUENCE] = "walk";
    smr_model *a = NULL, *b = train(ctx, "hmm covariance=full", many, "was");
    check_ok(ctx, try_train(ctx, "hmm covariance=full", weighed, &opts, &a));
    const struct smr_hmm_state *s = state_of(a), *r = state_of(b);
    for (int k = 0; k < 9; k++) check_near("moves", s->move[k], r->move[k], 1e-14);
    for (int k = 0; k < 9; k++) check_near("symbols", s->emit[k], r->emit[k], 1e-14);
    for (int k = 0; k < 6; k++) check_near("means", s->mean[k], r->mean[k], 1e-12);
    for (int k = 0; k < 12; k++) check_near("covariances", s->spread[k], r->spread[k], 1e-11);
    check_near("likelihood", s->log_likelihood, r->log_likelihood, 1e-12);
    smr_model_free(a);
    a = NULL;
    ((double *)(uintptr_t)weighed->cols[5].values)[41] = 7;
    check_fails(ctx, try_train(ctx, "hmm", weighed, &opts, &a), SMR_ERR_DATA,
                "a sequence has one weight, in each of its rows");
    smr_model_free(b);
    smr_table_free(t);
    smr_table_free(many);
    smr_table_free(weighed);
    check_ctx_end(ctx);
}

/* ---- drawing ------------------------------------------------------------------------------ */

/* A model of sequences that a model has drawn is that model. */
static void what_is_drawn_has_the_models_tables(void **state)
{
    smr_ctx *ctx = check_ctx(1);
    smr_model *m = rainy(ctx, "hmm smoothing=0"), *back = NULL;
    const struct smr_hmm_state *s = state_of(m);
    smr_table *t = NULL;
    smr_train_opts how = {
        .size = sizeof how, .target = "weather", .sequence = "week", .time = "day"};
    (void)state;
    check_ok(ctx, smr_model_draw(ctx, m, 3000, 7, &t));
    assert_int_equal(t->n_rows, 21000);
    assert_int_equal(t->n_cols, 4);
    check_ok(ctx, smr_train(ctx, "hmm smoothing=0", t, &how, &back));
    const struct smr_hmm_state *r = state_of(back);
    /* Shares of 3000 starts and some 9000 moves and steps: four deviations. */
    for (int k = 0; k < 2; k++) check_near("start", r->start[k], s->start[k], 0.036);
    for (int k = 0; k < 4; k++) check_near("move", r->move[k], s->move[k], 0.02);
    for (int k = 0; k < 6; k++) check_near("emit", r->emit[k], s->emit[k], 0.02);
    smr_model_free(m);
    smr_model_free(back);
    smr_table_free(t);
    check_ctx_end(ctx);
}

static void drawn_numbers_have_the_models_moments(void **state)
{
    static const char *const sentences[] = {"hmm", "hmm covariance=full"};
    smr_ctx *ctx = check_ctx(1);
    smr_table *t = walks(ctx, 600, false);
    (void)state;
    for (int k = 0; k < 2; k++) {
        smr_model *m = train(ctx, sentences[k], t, "was"), *back;
        smr_table *u = NULL;
        check_ok(ctx, smr_model_draw(ctx, m, 400, 50, &u));
        back = train(ctx, sentences[k], u, "was");
        const struct smr_hmm_state *s = state_of(m), *r = state_of(back);
        /* Some 6000 rows of each state: deviations of a mean and of a variance are 0.013 and 0.018
         * of the state's own; five of these. */
        for (int i = 0; i < 6; i++) check_near("mean", r->mean[i], s->mean[i], 0.1);
        for (int64_t i = 0; i < 3 * s->n_spread; i++)
            check_near("spread", r->spread[i], s->spread[i], 0.15);
        smr_model_free(m);
        smr_model_free(back);
        smr_table_free(u);
    }
    smr_model *m = train(ctx, "standardize | hmm", t, "was");
    smr_table *u = NULL;
    check_fails(ctx, smr_model_draw(ctx, m, 2, 2, &u), SMR_ERR_PARAM,
                "changes its columns before hmm learns from them");
    smr_model_free(m);
    smr_table_free(t);
    check_ctx_end(ctx);
}

/* ---- what is refused, and told ------------------------------------------------------------ */

static void what_cannot_be_is_refused(void **state)
{
    smr_ctx *ctx = check_ctx(1);
    smr_table *t = walks(ctx, 200, false);
    smr_set_opts opts = {.target = "was", .task = SMR_TASK_SEQUENCE, .keep_all = true};
    smr_model *m = NULL;
    (void)state;
    check_fails(ctx, try_train(ctx, "hmm", t, &opts, &m), SMR_ERR_PARAM,
                "hmm reads sequences: name the column");
    opts.roles[SMR_ROLE_SEQUENCE] = "walk";
    check_fails(ctx, try_train(ctx, "hmm 3", t, &opts, &m), SMR_ERR_PARAM,
                "k=3 is for fits without a target, whose classes are what is fitted");
    check_fails(ctx, try_train(ctx, "hmm restarts=3", t, &opts, &m), SMR_ERR_PARAM,
                "restarts=3 is for fits without a target");
    check_fails(ctx, try_train(ctx, "hmm max_iter=5", t, &opts, &m), SMR_ERR_PARAM,
                "hmm: max_iter=5 is for fits without a target, or with mixtures>1, whose classes");
    check_fails(ctx, try_train(ctx, "hmm tol=0.1", t, &opts, &m), SMR_ERR_PARAM,
                "hmm: tol=0.1 is for fits without a target, or with mixtures>1, whose classes");
    check_ok(ctx, try_train(ctx, "hmm mixtures=2 max_iter=5 tol=0.1", t, &opts, &m));
    smr_model_free(m);
    check_fails(ctx, try_train(ctx, "hmm moves=step", t, &opts, &m), SMR_ERR_DATA,
                "which `moves` does not allow");
    check_fails(ctx, try_train(ctx, "hmm allow='x>y,y>w'", t, &opts, &m), SMR_ERR_PARAM,
                "allow has 'y>w'");
    opts.target = NULL;
    opts.ignore = "was";
    check_fails(ctx, try_train(ctx, "hmm 2 allow='0>1,1'", t, &opts, &m), SMR_ERR_PARAM,
                "states, 0 to 1, with commas between");
    check_fails(ctx, try_train(ctx, "hmm 2 allow='0>1'", t, &opts, &m), SMR_ERR_DATA,
                "no path of states that `moves` allows");
    ((double *)(uintptr_t)t->cols[1].values)[17] = INFINITY;
    check_fails(ctx, try_train(ctx, "hmm 2", t, &opts, &m), SMR_ERR_DATA,
                "column 'b' is infinite in row 18");
    ((double *)(uintptr_t)t->cols[1].values)[17] = 1e200;
    check_fails(ctx, try_train(ctx, "hmm 2", t, &opts, &m), SMR_ERR_DATA,
                "the squares of 'b' are too large for doubles");
    smr_table_free(t);
    check_ctx_end(ctx);
}

/* A class without a row: no path comes to it. */
static void a_state_that_cannot_be_reached_is_told(void **state)
{
    struct heard heard;
    smr_ctx *ctx = hearing_ctx(&heard);
    smr_table *t = walks(ctx, 200, false);
    smr_set_opts opts = {.target = "was", .task = SMR_TASK_SEQUENCE, .keep_all = true};
    smr_train_set *set = NULL;
    smr_model *m = NULL;
    int64_t rows[200], n = 0;
    (void)state;
    opts.roles[SMR_ROLE_SEQUENCE] = "walk";
    for (int64_t i = 0; i < 200; i++)
        if (i / 40 == 1) rows[n++] = i;
    int32_t *codes = (int32_t *)(uintptr_t)t->cols[4].values;
    for (int64_t i = 0; i < n; i++) codes[rows[i]] = codes[rows[i]] == 2 ? 1 : codes[rows[i]];
    check_ok(ctx, said_set(ctx, t, "hmm smoothing=0", &opts, &set));
    check_ok(ctx, said_fit(ctx, "hmm smoothing=0", set, rows, n, &m));
    check_heard(&heard, "no path comes to state 'z'");
    smr_model_free(m);
    smr_train_set_free(set);
    smr_table_free(t);
    smr_ctx_destroy(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(counted_tables_answer_as_products_of_matrices_do),
        cmocka_unit_test(counting_rainy_days_gives_the_textbooks_model),
        cmocka_unit_test(a_gap_and_an_unseen_symbol_are_no_evidence),
        cmocka_unit_test(the_likeliest_path_is_not_that_of_the_likeliest_states),
        cmocka_unit_test(the_loaded_die_is_found),
        cmocka_unit_test(the_objective_never_falls),
        cmocka_unit_test(derivatives_are_zero_where_em_ends),
        cmocka_unit_test(a_missing_number_is_integrated_over),
        cmocka_unit_test(moves_that_are_not_allowed_never_happen),
        cmocka_unit_test(a_weight_is_a_number_of_sequences),
        cmocka_unit_test(what_is_drawn_has_the_models_tables),
        cmocka_unit_test(drawn_numbers_have_the_models_moments),
        cmocka_unit_test(what_cannot_be_is_refused),
        cmocka_unit_test(a_state_that_cannot_be_reached_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
