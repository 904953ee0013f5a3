/* Intervals and sets: exact coverage by enumeration, empirical coverage within its band on made and
 * real data, nesting, the formulas of the scores. */
#include "pipeline.h"

#include "data/split.h"
#include "learn/uncertain/conformal_quantile.h"
#include "metric/metric.h"
#include "truth/ensembles.h"

/* ---- the quantile ----------------------------------------------------------------------- */

static smr_status quantile(smr_ctx *ctx, int64_t n, const double *score, const double *weight,
                           double coverage, double *q, double *total)
{
    smr_tested rows = {.n = n, .score = score, .weight = weight};
    return smr_conformal_quantile(ctx, &rows, coverage, q, total);
}

/* n + 1 exchangeable values without ties: whichever is the new one, it is at most q in exactly
 * ceil((n + 1) coverage) of n + 1 cases, or in all where q is infinite. */
static void coverage_is_exact_by_enumeration(void **state)
{
    static const double coverages[] = {0.1, 0.25, 0.5, 0.7, 0.8, 0.9, 0.95};
    smr_ctx *ctx = check_ctx(1);
    (void)state;
    for (int64_t n = 1; n <= 30; n++)
        for (int c = 0; c < 7; c++) {
            double all[31], others[30], q;
            int64_t covered = 0, wanted = 0;
            for (int64_t i = 0; i <= n; i++) all[i] = noise(i, c);
            for (int64_t out = 0; out <= n; out++) {
                int64_t m = 0;
                for (int64_t i = 0; i <= n; i++)
                    if (i != out) others[m++] = all[i];
                check_ok(ctx, quantile(ctx, n, others, NULL, coverages[c], &q, NULL));
                covered += all[out] <= q;
            }
            while ((double)wanted < (double)(n + 1) * coverages[c] - 1e-9) wanted++;
            assert_int_equal(covered, wanted); /* n + 1 of n + 1 where it is infinite */
        }
    check_ctx_end(ctx);
}

static void the_least_number_of_rows_is_the_first_finite_one(void **state)
{
    static const double coverages[] = {0.5, 0.75, 0.8, 0.9, 0.95, 0.99};
    static const double least[] = {1, 3, 4, 9, 19, 99};
    smr_ctx *ctx = check_ctx(1);
    double s[99], q;
    (void)state;
    for (int64_t i = 0; i < 99; i++) s[i] = noise(i, 3);
    for (int c = 0; c < 6; c++) {
        int64_t n = (int64_t)least[c];
        assert_true(smr_conformal_least(coverages[c]) == least[c]);
        check_ok(ctx, quantile(ctx, n, s, NULL, coverages[c], &q, NULL));
        assert_true(isfinite(q));
        check_ok(ctx, quantile(ctx, n - 1, s, NULL, coverages[c], &q, NULL));
        assert_true(q == INFINITY);
    }
    check_ctx_end(ctx);
}

static void weight_two_is_the_row_twice(void **state)
{
    smr_ctx *ctx = check_ctx(1);
    double s[20], w[20], repeated[60], a, b, weight;
    int64_t n = 0;
    (void)state;
    for (int64_t i = 0; i < 20; i++) {
        s[i] = noise(i, 5);
        w[i] = (double)(i % 4);
        for (int64_t r = 0; r < i % 4; r++) repeated[n++] = s[i];
    }
    for (double c = 0.05; c < 1; c += 0.07) {
        check_ok(ctx, quantile(ctx, 20, s, w, c, &a, &weight));
        check_ok(ctx, quantile(ctx, n, repeated, NULL, c, &b, NULL));
        assert_true(a == b && weight == (double)n);
    }
    check_ctx_end(ctx);
}

/* ---- empirical coverage ----------------------------------------------------------------- */

/* Rows of a made table: y = x0^2 + x1 + noise whose size grows with x1, class by y. */
static smr_table *make_table(smr_ctx *ctx, uint64_t seed, int64_t n, bool classes)
{
    static const char *const names[] = {"low", "middle", "high"};
    double *v = smr_alloc(ctx, 4 * n, sizeof *v);
    const char **label = smr_alloc(ctx, n, sizeof *label);
    smr_table *t = new_table(ctx, n, 3);
    for (int64_t i = 0; i < n; i++) {
        double u[4];
        for (uint64_t j = 0; j < 4; j++)
            u[j] = 2 * smr_random_unit(seed, SMR_STREAM_TEST, 60 + j, (uint64_t)i) - 1;
        v[i] = u[0];
        v[n + i] = u[1];
        v[2 * n + i] = u[0] * u[0] + u[1] + (1.1 + u[1]) * (u[2] + u[3]);
        label[i] = names[v[2 * n + i] < -0.3 ? 0 : v[2 * n + i] < 0.8 ? 1 : 2];
    }
    put_numbers(ctx, t, 0, "a", v);
    put_numbers(ctx, t, 1, "b", v + n);
    if (classes)
        put_strings(ctx, t, 2, "y", label);
    else
        put_numbers(ctx, t, 2, "y", v + 2 * n);
    smr_free(v);
    smr_free(label);
    return t;
}

/* Share of the rows whose answer lies within, and the mean width or size. */
static double coverage_on(smr_ctx *ctx, const smr_model *m, const smr_table *t, const int64_t *rows,
                          int64_t n, double *size)
{
    bool classify = m->target.task == SMR_TASK_CLASSIFY;
    smr_output output = classify ? SMR_OUTPUT_SET : SMR_OUTPUT_INTERVAL;
    int64_t width = smr_model_width(m, output);
    double *out = smr_alloc(ctx, n * width, sizeof *out), *y = smr_alloc(ctx, n, sizeof *y);
    double *all = smr_alloc(ctx, t->n_rows, sizeof *all), covered;
    int32_t *label = smr_alloc(ctx, t->n_rows, sizeof *label);
    int32_t *mine = smr_alloc(ctx, n, sizeof *mine);
    check_ok(ctx, smr_model_apply(ctx, m, t, rows, n, output, out));
    check_ok(ctx, classify ? smr_target_labels(ctx, &m->target, t, label)
                           : smr_target_values(ctx, &m->target, t, all));
    for (int64_t i = 0; i < n; i++) {
        y[i] = all[rows ? rows[i] : i];
        mine[i] = label[rows ? rows[i] : i];
    }
    if (classify) {
        smr_set_input in = {.n = n, .n_classes = width, .label = mine, .set = out};
        smr_set_measures s = smr_set_measure(&in);
        covered = s.coverage;
        *size = s.size;
    } else {
        smr_interval_input in = {.n = n, .n_outputs = 1, .y = y, .interval = out, .promised = 0.9};
        smr_interval_measures s = smr_interval_measure(&in);
        covered = s.coverage;
        *size = s.width;
    }
    smr_free(out);
    smr_free(y);
    smr_free(all);
    smr_free(label);
    smr_free(mine);
    return covered;
}

/* Given the test rows of the fit, coverage is Beta(k, n + 1 - k) with k = ceil((n + 1) coverage);
 * measured on m more rows it has the variance below around k / (n + 1).  Ties (as of a learner with
 * few distinct probabilities) can only raise it. */
struct band {
    double mean, sd;
};

static struct band band_of(double coverage, int64_t n, int64_t m)
{
    double k = ceil((double)(n + 1) * coverage - 1e-9), p = k / (double)(n + 1);
    return (struct band){.mean = p,
                         .sd = sqrt(p * (1 - p) * (1 / (double)(n + 2) + 1 / (double)m))};
}

static void check_band(const char *what, const double *got, int rounds, struct band b, bool ties)
{
    double mean = 0;
    for (int r = 0; r < rounds; r++) {
        if (got[r] < b.mean - 4 * b.sd || (!ties && got[r] > b.mean + 4 * b.sd))
            fail_msg("%s, round %d: coverage %.4f, wanted %.4f -+ %.4f", what, r, got[r], b.mean,
                     4 * b.sd);
        mean += got[r] / rounds;
    }
    double sd = b.sd / sqrt(rounds);
    if (mean < b.mean - 3 * sd || (!ties && mean > b.mean + 3 * sd))
        fail_msg("%s: mean coverage %.4f, wanted %.4f -+ %.4f", what, mean, b.mean, 3 * sd);
}

static void coverage_lies_in_its_band_on_made_data(void **state)
{
    static const struct {
        const char *sentence;
        bool classes, ties;
        double coverage;
    } cases[] = {{"conformal 0.9 of=(ridge)", false, false, 0.9},
                 {"conformal 0.8 of=(knn 9)", false, false, 0.8},
                 {"conformal 0.9 score=scaled of=(poly 2 | linear)", false, false, 0.9},
                 {"conformal 0.9 score=scaled of=(ridge) spread=(knn 25)", false, false, 0.9},
                 {"conformal 0.7 of=(calibrate of=(knn 15 weight=distance))", true, false, 0.7},
                 {"conformal 0.9 score=adaptive of=(knn 15)", true, true, 0.9},
                 {"conformal 0.9 by_class=yes of=(knn 15)", true, true, 0.9}};
    enum { ROUNDS = 12, TRAIN = 600, TEST = 900 };
    smr_ctx *ctx = check_ctx(2);
    (void)state;
    for (int64_t c = 0; c < SMR_COUNT(cases); c++) {
        double got[ROUNDS], size;
        for (int r = 0; r < ROUNDS; r++) {
            smr_table *t = make_table(ctx, (uint64_t)(100 * c + r), TRAIN + TEST, cases[c].classes);
            smr_train_set *set = NULL;
            smr_model *m = NULL;
            smr_set_opts opts = {.target = "y", .keep_all = true};
            int64_t rows[TRAIN + TEST];
            for (int64_t i = 0; i < TRAIN + TEST; i++) rows[i] = i;
            ctx->seed = (uint64_t)r;
            check_ok(ctx, said_set(ctx, t, cases[c].sentence, &opts, &set));
            check_ok(ctx, said_fit(ctx, cases[c].sentence, set, rows, TRAIN, &m));
            got[r] = coverage_on(ctx, m, t, rows + TRAIN, TEST, &size);
            assert_true(isfinite(size));
            smr_model_free(m);
            smr_train_set_free(set);
            smr_table_free(t);
        }
        check_band(cases[c].sentence, got, ROUNDS, band_of(cases[c].coverage, TRAIN / 4, TEST),
                   cases[c].ties);
    }
    check_ctx_end(ctx);
}

static void coverage_lies_in_its_band_on_real_data(void **state)
{
    static const struct {
        const char *path, *target, *sentence;
        double coverage;
        bool ties;
    } cases[] = {
        {"data/diabetes.csv", "progression", "conformal 0.8 of=(standardize | ridge 1)", 0.8,
         false},
        {"data/iris.csv", "species", "conformal 0.9 score=adaptive of=(knn 9)", 0.9, true},
        {"data/breast_cancer.csv", NULL, "conformal 0.9 of=(standardize | knn 15)", 0.9, true}};
    enum { ROUNDS = 20 };
    smr_ctx *ctx = check_ctx(2);
    (void)state;
    for (int64_t c = 0; c < SMR_COUNT(cases); c++) {
        smr_table *t = NULL;
        double got[ROUNDS], size, half = 0.5;
        struct band b = {0};
        check_ok(ctx, smr_table_open(ctx, cases[c].path, NULL, &t));
        smr_train_set *set = NULL;
        smr_set_opts opts = {.target = cases[c].target ? cases[c].target : "last"};
        check_ok(ctx, said_set(ctx, t, cases[c].sentence, &opts, &set));
        for (int r = 0; r < ROUNDS; r++) {
            smr_parts parts = {0};
            smr_model *m = NULL;
            smr_split_rows of = {.n = t->n_rows, .seed = 77, .repetition = r};
            ctx->seed = (uint64_t)r;
            check_ok(ctx, smr_split_holdout(ctx, &of, &half, 1, &parts));
            check_ok(ctx, said_fit(ctx, cases[c].sentence, set, smr_part_rows(&parts, 0),
                                   smr_part_size(&parts, 0), &m));
            got[r] =
                coverage_on(ctx, m, t, smr_part_rows(&parts, 1), smr_part_size(&parts, 1), &size);
            b = band_of(cases[c].coverage, smr_part_size(&parts, 0) / 4, smr_part_size(&parts, 1));
            smr_model_free(m);
            smr_parts_release(&parts);
        }
        check_band(cases[c].path, got, ROUNDS, b, cases[c].ties);
        smr_train_set_free(set);
        smr_table_free(t);
    }
    check_ctx_end(ctx);
}

/* Which of five groups is tested on is drawn; the quantile of each was computed elsewhere. */
static void the_quantile_is_that_of_the_group_held_out(void **state)
{
    smr_ctx *ctx = check_ctx(1);
    smr_table *t = NULL;
    smr_model *m = NULL;
    smr_set_opts opts = {.target = "progression",
                         .group = "part",
                         .ignore = "ward,glucose,weight,visits",
                         .keep_all = true};
    bool seen[5] = {0};
    (void)state;
    check_ok(ctx, smr_table_open(ctx, "tests/truth/patients.csv", NULL, &t));
    for (uint64_t seed = 0; seed < 20; seed++) {
        ctx->seed = seed;
        check_ok(ctx, try_train(ctx, "conformal 0.9 share=0.2 of=(ridge 1)", t, &opts, &m));
        double *value = apply(ctx, m, t, SMR_OUTPUT_VALUE);
        double *interval = apply(ctx, m, t, SMR_OUTPUT_INTERVAL);
        double q = interval[1] - value[0];
        int near = 0;
        for (int k = 1; k < 5; k++)
            if (fabs(q - conformal_quantiles[k]) < fabs(q - conformal_quantiles[near])) near = k;
        check_near("quantile", q, conformal_quantiles[near], 1e-8);
        seen[near] = true;
        smr_free(value);
        smr_free(interval);
        smr_model_free(m);
    }
    for (int k = 0; k < 5; k++) assert_true(seen[k]); /* each with 1 - 0.8^20 = 0.99 */
    smr_table_free(t);
    check_ctx_end(ctx);
}

/* With by_class every class has its coverage, also the rare one that a common quantile neglects. */
static void by_class_holds_within_each_class(void **state)
{
    enum { TRAIN = 900, TEST = 1500 };
    smr_ctx *ctx = check_ctx(1);
    smr_table *t = make_table(ctx, 5, TRAIN + TEST, true);
    smr_train_set *set = NULL;
    smr_set_opts opts = {.target = "y", .keep_all = true};
    static const char sentence[] = "conformal 0.8 by_class=yes of=(knn 21)";
    int64_t rows[TRAIN + TEST];
    double out[3 * TEST];
    smr_model *m = NULL;
    (void)state;
    for (int64_t i = 0; i < TRAIN + TEST; i++) rows[i] = i;
    check_ok(ctx, said_set(ctx, t, sentence, &opts, &set));
    check_ok(ctx, said_fit(ctx, sentence, set, rows, TRAIN, &m));
    check_ok(ctx, smr_model_apply(ctx, m, t, rows + TRAIN, TEST, SMR_OUTPUT_SET, out));
    for (int32_t k = 0; k < 3; k++) {
        double in = 0, of = 0;
        for (int64_t i = 0; i < TEST; i++)
            if (set->label[TRAIN + i] == k) {
                of++;
                in += out[3 * i + k];
            }
        struct band b = band_of(0.8, (int64_t)(of * TRAIN / TEST / 4), (int64_t)of);
        if (fabs(in / of - b.mean) > 4 * b.sd)
            fail_msg("class %d: %.3f of %.0f", (int)k, in / of, of);
    }
    smr_model_free(m);
    smr_train_set_free(set);
    smr_table_free(t);
    check_ctx_end(ctx);
}

/* ---- shapes ----------------------------------------------------------------------------- */

static void more_coverage_holds_less(void **state)
{
    static const char *const scores[] = {"absolute", "scaled", "proba", "adaptive"};
    smr_ctx *ctx = check_ctx(1);
    (void)state;
    for (int k = 0; k < 4; k++) {
        smr_table *t = make_table(ctx, 9, 400, k >= 2);
        double *before = NULL;
        for (int c = 1; c <= 9; c++) {
            char sentence[96];
            snprintf(sentence, sizeof sentence, "conformal 0.%d score=%s of=(knn 12)", c,
                     scores[k]);
            smr_model *m = train_on(ctx, sentence, t, "y");
            double *now = apply(ctx, m, t, k >= 2 ? SMR_OUTPUT_SET : SMR_OUTPUT_INTERVAL);
            int64_t width = k >= 2 ? 3 : 2;
            for (int64_t i = 0; before && i < width * t->n_rows; i++) {
                bool low = k < 2 && i % 2 == 0;
                assert_true(low ? now[i] <= before[i] : now[i] >= before[i]);
            }
            smr_free(before);
            before = now;
            smr_model_free(m);
        }
        smr_free(before);
        smr_table_free(t);
    }
    check_ctx_end(ctx);
}

/* The learner's own answers pass through; intervals lie around them, sets follow the formulas. */
static void answers_are_the_members_own(void **state)
{
    smr_ctx *ctx = check_ctx(1);
    smr_table *t = make_table(ctx, 31, 401, true);
    (void)state;
    smr_model *sure = train_on(ctx, "conformal 0.8 of=(knn 11)", t, "y");
    smr_model *adaptive = train_on(ctx, "conformal 0.8 score=adaptive of=(knn 11)", t, "y");
    double *p = apply(ctx, sure, t, SMR_OUTPUT_PROBA),
           *q = apply(ctx, adaptive, t, SMR_OUTPUT_PROBA);
    double *a = apply(ctx, sure, t, SMR_OUTPUT_SET), *b = apply(ctx, adaptive, t, SMR_OUTPUT_SET);
    double least_in = 2, most_out = -1;
    for (int64_t i = 0; i < t->n_rows; i++) {
        int64_t top = 0, size = 0;
        for (int64_t k = 0; k < 3; k++) {
            double above = 0;
            assert_true(p[3 * i + k] == q[3 * i + k]); /* the same split, the same member */
            if (a[3 * i + k] != 0)
                least_in = fmin(least_in, p[3 * i + k]);
            else
                most_out = fmax(most_out, p[3 * i + k]);
            for (int64_t j = 0; j < 3; j++)
                if (p[3 * i + j] > p[3 * i + k]) {
                    above += p[3 * i + j];
                    assert_true(b[3 * i + j] >= b[3 * i + k]); /* the more probable come first */
                }
            if (above == 0) top = k;
            size += b[3 * i + k] != 0;
        }
        assert_true(size >= 1 && b[3 * i + top] == 1);
    }
    assert_true(least_in > most_out); /* one threshold for all rows */
    smr_free(p);
    smr_free(q);
    smr_free(a);
    smr_free(b);
    smr_model_free(sure);
    smr_model_free(adaptive);
    smr_table_free(t);
    check_ctx_end(ctx);
}

static void scaled_intervals_are_wider_where_errors_are_greater(void **state)
{
    smr_ctx *ctx = check_ctx(1);
    smr_table *t = make_table(ctx, 8, 1201, false);
    double narrow = 0, wide = 0, n_narrow = 0, n_wide = 0;
    (void)state;
    smr_model *m =
        train_on(ctx, "conformal score=scaled of=(poly 2 | ridge) spread=(ridge)", t, "y");
    smr_model *plain = train_on(ctx, "conformal score=absolute of=(poly 2 | ridge)", t, "y");
    double *in = apply(ctx, m, t, SMR_OUTPUT_INTERVAL), *v = apply(ctx, m, t, SMR_OUTPUT_VALUE);
    double *even = apply(ctx, plain, t, SMR_OUTPUT_INTERVAL);
    for (int64_t i = 0; i < t->n_rows; i++) {
        double b = smr_column_number(&t->cols[1], i), width = in[2 * i + 1] - in[2 * i];
        check_near("centre", (in[2 * i] + in[2 * i + 1]) / 2, v[i], 1e-12);
        check_near("one width", even[2 * i + 1] - even[2 * i], even[1] - even[0], 1e-12);
        if (b < -0.5) narrow += width, n_narrow++;
        if (b > 0.5) wide += width, n_wide++;
    }
    assert_true(wide / n_wide >
                2 * narrow / n_narrow); /* the errors' sizes are about 0.35 : 1.85 */
    smr_free(in);
    smr_free(v);
    smr_free(even);
    smr_model_free(m);
    smr_model_free(plain);
    smr_table_free(t);
    check_ctx_end(ctx);
}

/* A spread that only fits noise, 40 columns on 120 rows, says 0 or less for many rows: intervals
 * must not pay for it. */
static void a_spread_of_noise_does_not_widen_all_intervals(void **state)
{
    enum { N = 160, D = 40 };
    static const char *const sentence[] = {"conformal score=absolute of=(ridge)",
                                           "conformal score=scaled of=(ridge)"};
    smr_ctx *ctx = check_ctx(1);
    smr_table *t = new_table(ctx, N, D + 1);
    double x[N], width[2] = {0, 0};
    (void)state;
    for (int64_t j = 0; j <= D; j++) {
        char name[16];
        for (int64_t i = 0; i < N; i++) x[i] = noise(i, 100 + j) + noise(i, 200 + j) * noise(i, 7);
        snprintf(name, sizeof name, j < D ? "x%d" : "y", (int)j);
        put_numbers(ctx, t, j, name, x);
    }
    for (int k = 0; k < 2; k++) {
        smr_model *m = train_on(ctx, sentence[k], t, "y");
        double *ends = apply(ctx, m, t, SMR_OUTPUT_INTERVAL);
        for (int64_t i = 0; i < N; i++) width[k] += (ends[2 * i + 1] - ends[2 * i]) / N;
        smr_free(ends);
        smr_model_free(m);
    }
    if (!(width[1] < 1.3 * width[0])) fail_msg("%g wide, absolute %g", width[1], width[0]);
    smr_table_free(t);
    check_ctx_end(ctx);
}

/* Intervals of standardised targets come back in their units. */
static void intervals_come_back_in_their_units(void **state)
{
    smr_ctx *ctx = check_ctx(1);
    smr_table *t = make_table(ctx, 12, 300, false);
    (void)state;
    smr_model *a = train_on(ctx, "conformal of=(linear)", t, "y");
    smr_model *b = train_on(ctx, "columns target=standardize | conformal of=(linear)", t, "y");
    double *x = apply(ctx, a, t, SMR_OUTPUT_INTERVAL), *y = apply(ctx, b, t, SMR_OUTPUT_INTERVAL);
    for (int64_t i = 0; i < 2 * t->n_rows; i++) check_near("end", y[i], x[i], 1e-10);
    smr_free(x);
    smr_free(y);
    smr_model_free(a);
    smr_model_free(b);
    smr_table_free(t);
    check_ctx_end(ctx);
}

/* ---- too few rows, and mistakes --------------------------------------------------------- */

static void keep_message(void *user, smr_log_level level, const char *message)
{
    (void)level;
    snprintf(user, 1024, "%s", message);
}

static void too_few_rows_give_infinite_intervals_and_a_warning(void **state)
{
    smr_ctx *ctx = check_ctx(1);
    smr_table *t = make_table(ctx, 3, 20, false), *k = make_table(ctx, 3, 20, true);
    char said[1024] = "";
    (void)state;
    ctx->log = keep_message;
    ctx->log_user = said;
    smr_model *m = train_on(ctx, "conformal 0.9 of=(linear)", t, "y");
    assert_string_equal(said,
                        "conformal: 5 test rows are too few for a coverage of 0.9, which needs 9, "
                        "so all intervals are infinite; lower the coverage or raise share (now "
                        "0.25); at this share 36 rows in all suffice");
    double *x = apply(ctx, m, t, SMR_OUTPUT_INTERVAL);
    for (int64_t i = 0; i < t->n_rows; i++)
        assert_true(x[2 * i] == -INFINITY && x[2 * i + 1] == INFINITY);
    smr_free(x);
    smr_model_free(m);
    m = train_on(ctx, "conformal 0.9 of=(knn 3)", k, "y");
    assert_non_null(strstr(said, "every set contains all classes"));
    x = apply(ctx, m, k, SMR_OUTPUT_SET);
    for (int64_t i = 0; i < 3 * k->n_rows; i++) assert_true(x[i] == 1);
    smr_free(x);
    smr_model_free(m);
    m = train_on(ctx, "conformal 0.7 by_class=yes of=(knn 3)", k, "y");
    assert_non_null(strstr(said, "classes have too few test rows"));
    smr_model_free(m);
    smr_table_free(t);
    smr_table_free(k);
    check_ctx_end(ctx);
}

static void mistakes_are_named(void **state)
{
    smr_ctx *ctx = check_ctx(1);
    smr_table *t = make_table(ctx, 3, 50, false), *k = make_table(ctx, 3, 50, true);
    smr_set_opts opts = {.target = "y", .keep_all = true};
    smr_model *m = NULL;
    (void)state;
    check_fails(ctx, try_train(ctx, "conformal 1.5 of=(knn)", t, &opts, &m), SMR_ERR_PARAM,
                "conformal: coverage = 1.5 is outside (0, 1)");
    check_fails(ctx, try_train(ctx, "conformal", t, &opts, &m), SMR_ERR_PARAM, "of is missing");
    check_fails(ctx, try_train(ctx, "conformal of=(ridge)", k, &opts, &m), SMR_ERR_DATA,
                "holds text, and conformal of=(ridge) predicts numbers");
    check_fails(ctx, try_train(ctx, "conformal score=proba of=(knn)", t, &opts, &m), SMR_ERR_PARAM,
                "score=proba is for classes; use absolute or scaled");
    check_fails(ctx, try_train(ctx, "conformal score=scaled of=(knn)", k, &opts, &m), SMR_ERR_PARAM,
                "score=scaled is for numbers; use proba or adaptive");
    check_fails(ctx, try_train(ctx, "conformal by_class=yes of=(knn)", t, &opts, &m), SMR_ERR_PARAM,
                "by_class is for classes, and the target has numbers");
    check_fails(ctx, try_train(ctx, "conformal of=(knn) spread=(knn)", t, &opts, &m), SMR_ERR_PARAM,
                "spread is used only with score=scaled");
    smr_table_free(t);
    smr_table_free(k);
    check_ctx_end(ctx);
}

static smr_status train_scaled(smr_ctx *ctx, void *arg)
{
    smr_set_opts opts = {.target = "y", .keep_all = true};
    smr_model *m = NULL;
    smr_status st = try_train(ctx, "conformal 0.5 score=scaled of=(knn 3)", arg, &opts, &m);
    smr_model_free(m);
    return st;
}

static void failing_allocations_leave_nothing(void **state)
{
    smr_ctx *ctx = check_ctx(1);
    smr_table *t = make_table(ctx, 3, 20, false);
    (void)state;
    assert_true(fail_each_allocation(ctx, train_scaled, t) > 100);
    smr_table_free(t);
    check_ctx_end(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(coverage_is_exact_by_enumeration),
        cmocka_unit_test(the_least_number_of_rows_is_the_first_finite_one),
        cmocka_unit_test(weight_two_is_the_row_twice),
        cmocka_unit_test(coverage_lies_in_its_band_on_made_data),
        cmocka_unit_test(coverage_lies_in_its_band_on_real_data),
        cmocka_unit_test(the_quantile_is_that_of_the_group_held_out),
        cmocka_unit_test(by_class_holds_within_each_class),
        cmocka_unit_test(more_coverage_holds_less),
        cmocka_unit_test(answers_are_the_members_own),
        cmocka_unit_test(scaled_intervals_are_wider_where_errors_are_greater),
        cmocka_unit_test(a_spread_of_noise_does_not_widen_all_intervals),
        cmocka_unit_test(intervals_come_back_in_their_units),
        cmocka_unit_test(too_few_rows_give_infinite_intervals_and_a_warning),
        cmocka_unit_test(mistakes_are_named),
        cmocka_unit_test(failing_allocations_leave_nothing),
    };
    return cmocka_run_group_tests_name("conformal", tests, NULL, NULL);
}
