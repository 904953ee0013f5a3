/* Probabilities that come true: the three maps against other programs (tests/truth/calibration.py;
 * on real tables tests/truth/ensembles.py), brute force and optimality conditions; the learner
 * against its parts put together by hand. */
#include "pipeline.h"

#include "data/read.h"
#include "data/split.h"
#include "kernel/kernel.h"
#include "learn/uncertain/calibrate.h"
#include "model/model_file.h"
#include "truth/calibration.h"
#include "whole_check.h"

enum { N = 37 };

static const double *const x = score_x;
static const int32_t *const y = score_y;

static double whole_weight(int64_t i)
{
    return (double)(1 + (i * 7) % 3);
}

static void fit_platt(const smr_scored *rows, double *a, double *b)
{
    smr_platt p;
    double before;
    int steps = 0;
    smr_platt_begin(rows, &p);
    do {
        before = p.loss;
        smr_platt_step(&p);
        assert_true(p.loss <= before); /* never uphill */
        assert_true(++steps < 100);
    } while (!p.converged);
    smr_platt_end(&p, a, b);
}

/* ---- Platt ------------------------------------------------------------------------------ */

static void platt_matches_scikit_learn(void **state)
{
    smr_scored rows = {.n = N, .x = x, .stride = 1, .label = y, .yes = 1};
    double a, b;
    (void)state;
    fit_platt(&rows, &a, &b);
    check_near("a", a, score_platt[0], 1e-7);
    check_near("b", b, score_platt[1], 1e-7);
}

/* The gradient of the smoothed cross-entropy, with answers smoothed as Platt says, is 0. */
static void platt_is_at_its_optimum(void **state)
{
    double w[N], a, b, g1 = 0, g0 = 0, positive = 0, total = 0;
    (void)state;
    for (int64_t i = 0; i < N; i++) {
        w[i] = 0.3 + smr_random_unit(4, SMR_STREAM_TEST, 1, (uint64_t)i);
        total += w[i];
        positive += y[i] ? w[i] : 0;
    }
    smr_scored rows = {.n = N, .x = x, .stride = 1, .label = y, .yes = 1, .weight = w};
    fit_platt(&rows, &a, &b);
    for (int64_t i = 0; i < N; i++) {
        double t = y[i] ? (positive + 1) / (positive + 2) : 1 / (total - positive + 2);
        double p = 1 / (1 + exp(-(a * x[i] + b)));
        g1 += w[i] * (p - t) * x[i];
        g0 += w[i] * (p - t);
    }
    check_near("slope's derivative", g1, 0, 1e-8);
    check_near("bias's derivative", g0, 0, 1e-8);
}

static void platt_weight_two_is_the_row_twice(void **state)
{
    double w[N], twice[3 * N], a, b, c, d;
    int32_t label[3 * N];
    int64_t n = 0;
    (void)state;
    for (int64_t i = 0; i < N; i++) {
        w[i] = whole_weight(i);
        for (int64_t r = 0; r < (int64_t)w[i]; r++, n++) {
            twice[n] = x[i];
            label[n] = y[i];
        }
    }
    smr_scored rows = {.n = N, .x = x, .stride = 1, .label = y, .yes = 1, .weight = w};
    smr_scored repeated = {.n = n, .x = twice, .stride = 1, .label = label, .yes = 1};
    fit_platt(&rows, &a, &b);
    fit_platt(&repeated, &c, &d);
    check_near("a", a, c, 1e-10);
    check_near("b", b, d, 1e-10);
}

/* p(x) is the same function whatever unit the scores have. */
static void platt_does_not_depend_on_the_scores_unit(void **state)
{
    double moved[N], a, b, c, d;
    (void)state;
    for (int64_t i = 0; i < N; i++) moved[i] = 1e6 + 4096 * x[i];
    smr_scored rows = {.n = N, .x = x, .stride = 1, .label = y, .yes = 1};
    smr_scored other = {.n = N, .x = moved, .stride = 1, .label = y, .yes = 1};
    fit_platt(&rows, &a, &b);
    fit_platt(&other, &c, &d);
    for (int64_t i = 0; i < N; i++)
        check_near("p", smr_sigmoid(c * moved[i] + d), smr_sigmoid(a * x[i] + b), 1e-8);
}

static void platt_degenerate_scores_stay_finite(void **state)
{
    static const double same[4] = {2.5, 2.5, 2.5, 2.5}, apart[4] = {-1, -2, 5, 7};
    static const int32_t label[4] = {0, 0, 1, 1}, none[4] = {0, 0, 0, 0};
    double a, b;
    (void)state;
    smr_scored equal = {.n = 4, .x = same, .stride = 1, .label = label, .yes = 1};
    fit_platt(&equal, &a, &b);
    check_near("equal scores: p", smr_sigmoid(a * 2.5 + b), 0.5, 1e-9);
    smr_scored clear = {.n = 4, .x = apart, .stride = 1, .label = label, .yes = 1};
    fit_platt(&clear, &a, &b);
    assert_true(isfinite(a) && isfinite(b) && a > 0);
    smr_scored never = {.n = 4, .x = apart, .stride = 1, .label = none, .yes = 1};
    fit_platt(&never, &a, &b);
    check_near("no yes: p = 1 / (4 + 2)", smr_sigmoid(a * 1 + b), 1.0 / 6, 1e-6);
}

/* ---- isotonic --------------------------------------------------------------------------- */

static void isotonic_matches_scikit_learn(void **state)
{
    smr_ctx *ctx = check_ctx(1);
    double w[N];
    (void)state;
    for (int64_t i = 0; i < N; i++) w[i] = whole_weight(i);
    for (int k = 0; k < 2; k++) {
        smr_scored rows = {
            .n = N, .x = x, .stride = 1, .label = y, .yes = 1, .weight = k ? w : NULL};
        int64_t n = 0;
        double *kx = NULL, *ky = NULL;
        check_ok(ctx, smr_isotonic_fit(ctx, &rows, &n, &kx, &ky));
        for (int i = 0; i < 10; i++)
            check_near("isotonic", smr_isotonic(n, kx, ky, isotonic_at[i]), isotonic_told[k][i],
                       1e-12);
        smr_free(kx);
        smr_free(ky);
    }
    check_ctx_end(ctx);
}

/* Kept away from 0 and 1 by 1 / (W + 2), W the weight of the rows with that value, but not past the
 * next value: by the values of all rows, ascending. */
static void kept_away(int64_t n, const double *w, const double *v, double *out)
{
    double low = 0, high = 0, after = 1, before = 0;
    for (int64_t i = 0; i < n; i++) {
        if (v[i] == v[0])
            low += w[i];
        else
            after = fmin(after, v[i]);
        if (v[i] == v[n - 1])
            high += w[i];
        else
            before = fmax(before, v[i]);
    }
    for (int64_t i = 0; i < n; i++) {
        out[i] = v[i];
        if (v[i] == v[0]) out[i] = fmax(out[i], fmin(1 / (low + 2), after));
        if (v[i] == v[n - 1]) out[i] = fmin(out[i], fmax(1 - 1 / (high + 2), before));
    }
}

/* Brute force: the value at position i is max over s <= i of min over e >= i of the mean of s..e
 * (the min-max formula of isotonic regression), over distinct scores. */
static void isotonic_is_the_minmax_of_means(void **state)
{
    int moved = 0;
    smr_ctx *ctx = check_ctx(1);
    (void)state;
    for (uint64_t round = 0; round < 40; round++) {
        enum { M = 23 };
        double s[M], w[M], value[M], kept[M];
        int32_t label[M];
        for (int64_t i = 0; i < M; i++) {
            s[i] = (double)i; /* distinct and sorted: ties have their own test */
            w[i] = 0.1 + smr_random_unit(round, SMR_STREAM_TEST, 3, (uint64_t)i);
            label[i] = smr_random_unit(round, SMR_STREAM_TEST, 4, (uint64_t)i) < (double)i / M;
        }
        smr_scored rows = {.n = M, .x = s, .stride = 1, .label = label, .yes = 1, .weight = w};
        int64_t n = 0;
        double *kx = NULL, *ky = NULL;
        check_ok(ctx, smr_isotonic_fit(ctx, &rows, &n, &kx, &ky));
        for (int64_t i = 0; i < M; i++) {
            double best = -1;
            for (int64_t b = 0; b <= i; b++) {
                double least = 2;
                for (int64_t e = i; e < M; e++) {
                    double up = 0, down = 0;
                    for (int64_t j = b; j <= e; j++) {
                        up += w[j] * label[j];
                        down += w[j];
                    }
                    least = fmin(least, up / down);
                }
                best = fmax(best, least);
            }
            value[i] = i > 0 && fabs(best - value[i - 1]) < 1e-14 ? value[i - 1] : best;
        }
        kept_away(M, w, value, kept);
        for (int64_t i = 0; i < M; i++) {
            check_near("min-max", smr_isotonic(n, kx, ky, s[i]), kept[i], 1e-12);
            assert_true(kept[i] > 0 && kept[i] < 1 && (i == 0 || kept[i] >= kept[i - 1]));
            moved += kept[i] != value[i];
        }
        smr_free(kx);
        smr_free(ky);
    }
    assert_true(moved > 100);
    check_ctx_end(ctx);
}

static void isotonic_ties_are_one_row_and_order_is_kept(void **state)
{
    static const double s[6] = {1, 1, 1, 2, 2, 3};
    static const int32_t label[6] = {1, 0, 0, 1, 0, 1};
    smr_ctx *ctx = check_ctx(1);
    smr_scored rows = {.n = 6, .x = s, .stride = 1, .label = label, .yes = 1};
    int64_t n = 0;
    double *kx = NULL, *ky = NULL;
    (void)state;
    check_ok(ctx, smr_isotonic_fit(ctx, &rows, &n, &kx, &ky));
    assert_int_equal(n, 3);
    check_near("mean of ties", ky[0], 1.0 / 3, 1e-15);
    check_near("mean of ties", ky[1], 0.5, 1e-15);
    check_near("between", smr_isotonic(n, kx, ky, 1.5), (1.0 / 3 + 0.5) / 2, 1e-15);
    check_near("before all", smr_isotonic(n, kx, ky, -7), 1.0 / 3, 1e-15);
    check_near("after all: 1 row is sure of 2/3", smr_isotonic(n, kx, ky, 70), 2.0 / 3, 1e-15);
    smr_free(kx);
    smr_free(ky);
    check_ctx_end(ctx);
}

/* ---- temperature ------------------------------------------------------------------------ */

static void temperature_is_where_the_slope_changes_sign(void **state)
{
    enum { K = 3, ROWS = 91 };
    smr_ctx *ctx = check_ctx(1);
    double z[ROWS * K], beta = 0, slope, curvature, below, above;
    int32_t label[ROWS];
    smr_logits rows = {.n = ROWS, .k = K, .z = z, .label = label};
    (void)state;
    for (int64_t i = 0; i < ROWS; i++) {
        label[i] = (int32_t)(i % K);
        for (int64_t c = 0; c < K; c++) z[i * K + c] = 3 * noise(i, c) + (c == i % K ? 1.5 : 0);
    }
    check_ok(ctx, smr_temperature_fit(ctx, &rows, &beta, NULL, NULL));
    assert_true(beta > 0.05 && beta < 2);
    (void)smr_temperature_loss(&rows, beta * 0.999, &below, &curvature);
    (void)smr_temperature_loss(&rows, beta * 1.001, &above, &curvature);
    assert_true(below < 0 && above > 0);
    double at = smr_temperature_loss(&rows, beta, &slope, &curvature);
    check_near("slope", slope, 0, 1e-9);
    double h = 1e-4, up, down; /* the derivatives against differences */
    up = smr_temperature_loss(&rows, beta + h, &slope, &below);
    down = smr_temperature_loss(&rows, beta - h, &slope, &below);
    check_near("curvature", (up - 2 * at + down) / (h * h), curvature, 1e-4);
    /* scores twice as large: half the beta */
    for (int64_t i = 0; i < ROWS * K; i++) z[i] *= 2;
    check_ok(ctx, smr_temperature_fit(ctx, &rows, &above, NULL, NULL));
    check_near("scaled", 2 * above, beta, 1e-9);
    check_ctx_end(ctx);
}

static void temperature_of_useless_and_of_perfect_scores(void **state)
{
    static const double wrong[6] = {1, 0, 0, 1, 2, 0}, right[6] = {2, 0, 0, 1, 3, 0};
    static const int32_t label[3] = {1, 0, 1}, good[3] = {0, 1, 0};
    smr_ctx *ctx = check_ctx(1);
    double beta = NAN;
    smr_logits bad = {.n = 3, .k = 2, .z = wrong, .label = label};
    smr_logits fine = {.n = 3, .k = 2, .z = right, .label = good};
    (void)state;
    check_ok(ctx, smr_temperature_fit(ctx, &bad, &beta, NULL, NULL));
    assert_true(beta == 0);
    check_ok(ctx, smr_temperature_fit(ctx, &fine, &beta, NULL, NULL));
    check_near("the least margin, 1, errs with 1 / 5", smr_sigmoid(-beta), 0.2, 1e-12);
    check_ctx_end(ctx);
}

/* ---- several classes, as CalibratedClassifierCV ------------------------------------------ */

static void classes_against_the_rest_match_scikit_learn(void **state)
{
    const int32_t *label = three_labels;
    smr_ctx *ctx = check_ctx(1);
    double s[3 * N], a[3], b[3], *kx[3], *ky[3];
    int64_t n[3];
    (void)state;
    for (int64_t i = 0; i < N; i++)
        for (int64_t k = 0; k < 3; k++)
            s[3 * i + k] = round((sin(0.9 * (double)i + (double)k) * 2 +
                                  0.3 * cos(5.1 * (double)i * (double)k)) *
                                 1e4) /
                           1e4;
    for (int32_t k = 0; k < 3; k++) {
        smr_scored rows = {.n = N, .x = s + k, .stride = 3, .label = label, .yes = k};
        fit_platt(&rows, &a[k], &b[k]);
        check_ok(ctx, smr_isotonic_fit(ctx, &rows, &n[k], &kx[k], &ky[k]));
    }
    for (int r = 0; r < 5; r++) {
        double p[3], q[3], P = 0, Q = 0;
        for (int k = 0; k < 3; k++) {
            double at = s[3 * three_shown[r] + k];
            P += p[k] = smr_sigmoid(a[k] * at + b[k]);
            Q += q[k] = smr_isotonic(n[k], kx[k], ky[k], at);
        }
        for (int k = 0; k < 3; k++) {
            check_near("sigmoid", p[k] / P, three_platt[r][k], 1e-6);
            check_near("isotonic", q[k] / Q, three_isotonic[r][k], 1e-12);
        }
    }
    for (int k = 0; k < 3; k++) {
        smr_free(kx[k]);
        smr_free(ky[k]);
    }
    check_ctx_end(ctx);
}

/* ---- the learner ------------------------------------------------------------------------ */

enum { ROWS = 203 };

/* Two noisy classes told apart by two of three numbers, with a category and gaps. */
static smr_table *noisy(smr_ctx *ctx, int64_t n_classes, bool gaps)
{
    static const char *const names[] = {"a", "b", "c"}, *const colours[] = {"red", "blue", NULL};
    const char *label[ROWS], *colour[ROWS];
    double v[3][ROWS];
    smr_table *t = new_table(ctx, ROWS, 5);
    for (int64_t i = 0; i < ROWS; i++) {
        for (int64_t j = 0; j < 3; j++) v[j][i] = noise(i, j);
        double s = v[0][i] + v[1][i] + 1.3 * noise(i, 7);
        int64_t k = s < -0.4 ? 0 : s < 0.5 ? 1 : 2;
        label[i] = names[k % n_classes];
        colour[i] = colours[(i * i) % 3 == 2 && gaps ? 2 : i % 2];
        if (gaps && i % 9 == 4) v[2][i] = NAN;
    }
    put_numbers(ctx, t, 0, "u", v[0]);
    put_numbers(ctx, t, 1, "v", v[1]);
    put_numbers(ctx, t, 2, "w", v[2]);
    put_strings(ctx, t, 3, "colour", colour);
    put_strings(ctx, t, 4, "k", label);
    return t;
}

static const struct smr_calibrate_state *state_of(const smr_model *m)
{
    return smr_model_last(m)->state;
}

/* The parts by hand: folds of data/split.h, a model for each fold, the map of its answers. */
static void it_is_the_map_of_out_of_fold_scores(void **state)
{
    static const char of[] = "standardize | knn 7 weight=distance";
    smr_ctx *ctx = check_ctx(2);
    smr_table *t = noisy(ctx, 2, true);
    smr_train_set *set = NULL;
    smr_set_opts opts = {.target = "k", .keep_all = true};
    smr_parts parts = {0};
    double p[2 * ROWS], s[ROWS], a, b;
    int64_t train[ROWS];
    (void)state;
    check_ok(ctx, said_set(ctx, t, of, &opts, &set));
    smr_split_rows rows = {.n = ROWS,
                           .label = set->label,
                           .n_classes = 2,
                           .seed = ctx->seed,
                           .repetition = INT64_C(1) << 40};
    check_ok(ctx, smr_split_folds(ctx, &rows, 4, &parts));
    for (int64_t f = 0; f < 4; f++) {
        smr_model *m = NULL;
        int64_t n = smr_parts_without(&parts, f, train), size = smr_part_size(&parts, f);
        check_ok(ctx, said_fit(ctx, of, set, train, n, &m));
        check_ok(ctx,
                 smr_model_apply(ctx, m, t, smr_part_rows(&parts, f), size, SMR_OUTPUT_PROBA, p));
        for (int64_t i = 0; i < size; i++) {
            double q = fmin(fmax(p[2 * i + 1], 1.0 / (ROWS + 2)), 1 - 1.0 / (ROWS + 2));
            s[smr_part_rows(&parts, f)[i]] = log(q / (1 - q));
        }
        smr_model_free(m);
    }
    smr_scored scored = {.n = ROWS, .x = s, .stride = 1, .label = set->label, .yes = 1};
    fit_platt(&scored, &a, &b);
    smr_model *whole = train_on(ctx, of, t, "k");
    smr_model *m =
        train_on(ctx, "calibrate folds=4 of=(standardize | knn 7 weight=distance)", t, "k");
    double *plain = apply(ctx, whole, t, SMR_OUTPUT_PROBA),
           *got = apply(ctx, m, t, SMR_OUTPUT_PROBA);
    check_near("a", state_of(m)->a[0], a, 1e-9);
    check_near("b", state_of(m)->b[0], b, 1e-9);
    for (int64_t i = 0; i < ROWS; i++) {
        double q = fmin(fmax(plain[2 * i + 1], 1.0 / (ROWS + 2)), 1 - 1.0 / (ROWS + 2));
        check_near("p", got[2 * i + 1], smr_sigmoid(a * log(q / (1 - q)) + b), 1e-9);
        check_near("sum", got[2 * i] + got[2 * i + 1], 1, 1e-15);
    }
    smr_free(plain);
    smr_free(got);
    smr_model_free(m);
    smr_model_free(whole);
    smr_parts_release(&parts);
    smr_train_set_free(set);
    smr_table_free(t);
    check_ctx_end(ctx);
}

/* On the rows of the calibration no method makes the log loss worse by more than the smoothing of
 * their answers costs (1 / W per class), and here it makes it better: knn 5 is far too sure. */
static void log_loss_gets_better_on_the_calibration_rows(void **state)
{
    static const char *const methods[] = {"platt", "isotonic", "temperature"};
    smr_ctx *ctx = check_ctx(1);
    (void)state;
    for (int64_t k = 2; k <= 3; k++) {
        smr_table *t = noisy(ctx, k, false);
        for (int i = 0; i < 3; i++) {
            char sentence[64];
            snprintf(sentence, sizeof sentence, "calibrate %s of=(knn 5)", methods[i]);
            smr_model *m = train_on(ctx, sentence, t, "k");
            const struct smr_calibrate_state *s = state_of(m);
            if (!(s->loss_after < s->loss_before))
                fail_msg("%s, %d classes: %g -> %g", methods[i], (int)k, s->loss_before,
                         s->loss_after);
            if (i != 1) assert_true(m->fit.n_iter > 0 && m->fit.n_curve > 0 && m->fit.converged);
            for (int64_t p = 1; p < m->fit.n_curve && i == 0; p++)
                assert_true(m->fit.curve[p] <= m->fit.curve[p - 1]);
            smr_model_free(m);
        }
        smr_table_free(t);
    }
    check_ctx_end(ctx);
}

/* The order of the rows by a class's probability stays: a temperature keeps the labels too. */
static void a_temperature_keeps_labels_and_a_sigmoid_the_order(void **state)
{
    smr_ctx *ctx = check_ctx(1);
    smr_table *t = noisy(ctx, 3, true), *two = noisy(ctx, 2, true);
    (void)state;
    smr_model *plain = train_on(ctx, "knn 9", t, "k");
    smr_model *warm = train_on(ctx, "calibrate temperature of=(knn 9)", t, "k");
    double *a = apply(ctx, plain, t, SMR_OUTPUT_LABEL), *b = apply(ctx, warm, t, SMR_OUTPUT_LABEL);
    for (int64_t i = 0; i < ROWS; i++) assert_true(a[i] == b[i]);
    smr_model *second = train_on(ctx, "knn 9", two, "k");
    smr_model *platt = train_on(ctx, "calibrate of=(knn 9)", two, "k");
    double *p = apply(ctx, second, two, SMR_OUTPUT_PROBA),
           *q = apply(ctx, platt, two, SMR_OUTPUT_PROBA);
    for (int64_t i = 1; i < ROWS; i++) {
        double before = p[2 * i + 1] - p[1], after = q[2 * i + 1] - q[1];
        assert_true(before == 0 ? after == 0 : before * after > 0);
    }
    smr_free(a);
    smr_free(b);
    smr_free(p);
    smr_free(q);
    smr_model_free(plain);
    smr_model_free(warm);
    smr_model_free(second);
    smr_model_free(platt);
    smr_table_free(t);
    smr_table_free(two);
    check_ctx_end(ctx);
}

/* Rows come in pairs of a group that are the same: if a pair were split, its other half would give
 * the answer away, and nearest neighbours would look perfect. */
static void groups_are_not_split(void **state)
{
    enum { PAIRS = 40 };
    smr_ctx *ctx = check_ctx(1);
    smr_table *t = new_table(ctx, 2 * PAIRS, 3);
    double v[2 * PAIRS], g[2 * PAIRS], k[2 * PAIRS];
    smr_model *m = NULL;
    (void)state;
    for (int64_t i = 0; i < 2 * PAIRS; i++) {
        v[i] = noise(i / 2, 1);
        g[i] = (double)(i / 2);
        k[i] = noise(i / 2, 2) > 0.1; /* has nothing to do with v */
    }
    put_numbers(ctx, t, 0, "v", v);
    put_numbers(ctx, t, 1, "g", g);
    put_numbers(ctx, t, 2, "k", k);
    smr_set_opts grouped = {
        .target = "k", .group = "g", .task = SMR_TASK_CLASSIFY, .keep_all = true};
    smr_set_opts loose = {
        .target = "k", .ignore = "g", .task = SMR_TASK_CLASSIFY, .keep_all = true};
    check_ok(ctx, try_train(ctx, "calibrate of=(knn 1)", t, &grouped, &m));
    assert_true(state_of(m)->a[0] < 0.1); /* its own answers are worth nothing */
    smr_model_free(m);
    check_ok(ctx, try_train(ctx, "calibrate of=(knn 1)", t, &loose, &m));
    assert_true(state_of(m)->a[0] > 0.3);
    smr_model_free(m);
    smr_table_free(t);
    check_ctx_end(ctx);
}

/* A learner that gives decision scores: x0 for the first class, x1 for the second. */
static smr_status predict_scores(smr_ctx *ctx, const void *params, const void *state_,
                                 const smr_rows *rows, smr_output output, double *out,
                                 void *scratch)
{
    (void)ctx, (void)params, (void)state_, (void)scratch;
    assert_int_equal(output, SMR_OUTPUT_DECISION);
    for (int64_t i = 0; i < rows->n; i++)
        memcpy(out + 2 * i, (const double *)rows->x + i * rows->stride, 2 * sizeof *out);
    return SMR_OK;
}

static const smr_word about = {
    .name = "scorer",
};

static const smr_fitted fitted = {
    .gives = SMR_GIVES_DECISION,
    .predict = predict_scores,
};

static const smr_learner scorer = {
    .word = &about,
    .tasks = SMR_DOES_CLASSIFY,
    .takes = SMR_TAKES_F64,
    .fitted = &fitted,
};
extern const smr_learner smr_calibrate;

/* Two classes: the map reads the second's score less the first's; a temperature reads both. */
static void decision_scores_are_mapped_as_they_are(void **state)
{
    static const double scores[3][2] = {{0.5, 2}, {1, -1}, {3, 3}};
    smr_ctx *ctx = check_ctx(1);
    smr_stage stage = {.learner = &scorer, .n_in = 2};
    smr_member member = {
        .stages = &stage,
        .n_stages = 1,
        .shape = {.n_features = 2, .task = SMR_TASK_CLASSIFY, .n_outputs = 1, .n_classes = 2}};
    double a = 0.75, b = -0.25, out[6];
    struct smr_calibrate_state s = {.n_classes = 2,
                                    .n_maps = 1,
                                    .n_offsets = 2,
                                    .from_scores = 1,
                                    .beta = 0.5,
                                    .floor = 0.01,
                                    .a = &a,
                                    .b = &b,
                                    .of = {.n = 1, .member = &member}};
    struct smr_calibrate_params p = {.method = SMR_CALIBRATE_PLATT};
    smr_rows rows = {.n = 3, .d = 2, .form = SMR_FORM_F64, .x = scores, .stride = 2};
    char *scratch = smr_alloc(ctx, smr_calibrate.fitted->scratch(&p, &s, 3), 1);
    (void)state;
    check_ok(ctx, whole_check(ctx, &smr_calibrate, &p, &s, &member.shape));
    check_ok(ctx,
             smr_calibrate.fitted->predict(ctx, &p, &s, &rows, SMR_OUTPUT_PROBA, out, scratch));
    for (int i = 0; i < 3; i++) {
        double f = a * (scores[i][1] - scores[i][0]) + b;
        check_near("platt", out[2 * i + 1], 1 / (1 + exp(-f)), 1e-15);
    }
    p.method = SMR_CALIBRATE_TEMPERATURE;
    check_ok(ctx,
             smr_calibrate.fitted->predict(ctx, &p, &s, &rows, SMR_OUTPUT_PROBA, out, scratch));
    for (int i = 0; i < 3; i++)
        check_near("temperature", out[2 * i], 1 / (1 + exp(0.5 * (scores[i][1] - scores[i][0]))),
                   1e-15);
    smr_free(scratch);
    check_ctx_end(ctx);
}

/* What a fold's member says of its rows, for all rows. */
static void by_folds(smr_ctx *ctx, const char *of, const smr_table *t, smr_output output,
                     double *out, int32_t *label)
{
    smr_train_set *set = NULL;
    smr_set_opts opts = {.target = "k", .keep_all = true};
    smr_parts parts = {0};
    double p[2 * ROWS];
    int64_t train[ROWS];
    check_ok(ctx, said_set(ctx, t, of, &opts, &set));
    smr_split_rows rows = {.n = ROWS,
                           .label = set->label,
                           .n_classes = 2,
                           .seed = ctx->seed,
                           .repetition = INT64_C(1) << 40};
    check_ok(ctx, smr_split_folds(ctx, &rows, 5, &parts));
    for (int64_t f = 0; f < 5; f++) {
        smr_model *m = NULL;
        int64_t n = smr_parts_without(&parts, f, train), size = smr_part_size(&parts, f);
        check_ok(ctx, said_fit(ctx, of, set, train, n, &m));
        check_ok(ctx, smr_model_apply(ctx, m, t, smr_part_rows(&parts, f), size, output, p));
        for (int64_t i = 0; i < size; i++)
            memcpy(out + 2 * smr_part_rows(&parts, f)[i], p + 2 * i, 2 * sizeof *p);
        smr_model_free(m);
    }
    memcpy(label, set->label, sizeof(int32_t) * ROWS);
    smr_parts_release(&parts);
    smr_train_set_free(set);
}

static double loss_at_temperature(const double *decision, const int32_t *label, double T)
{
    double loss = 0;
    for (int64_t i = 0; i < ROWS; i++)
        loss += log1p(exp((label[i] ? -1 : 1) * decision[2 * i + 1] / T));
    return loss;
}

/* Where dT log-loss is 0, by thirds. */
static double best_temperature(const double *decision, const int32_t *label)
{
    double lo = 0.01, hi = 100;
    for (int k = 0; k < 200; k++) {
        double a = lo + (hi - lo) / 3, b = hi - (hi - lo) / 3;
        if (loss_at_temperature(decision, label, a) < loss_at_temperature(decision, label, b))
            hi = b;
        else
            lo = a;
    }
    return (lo + hi) / 2;
}

/* logistic gives -f and f, f the log-odds.  inspect shows the a of 1 / (1 + exp(-(a f + b))) and
 * the T of 1 / (1 + exp(-f / T)), steps by f, and the log loss of the learner's own
 * probabilities. */
static void numbers_that_are_shown_belong_to_the_decision_score(void **state)
{
    static const char of[] = "standardize | logistic 1";
    static const char *const methods[] = {"platt", "isotonic", "temperature"};
    smr_ctx *ctx = check_ctx(2);
    smr_table *t = noisy(ctx, 2, false);
    double decision[2 * ROWS], told[2 * ROWS], s[ROWS], a, b, loss = 0, low = INFINITY;
    int32_t label[ROWS];
    (void)state;
    by_folds(ctx, of, t, SMR_OUTPUT_DECISION, decision, label);
    by_folds(ctx, of, t, SMR_OUTPUT_PROBA, told, label);
    for (int64_t i = 0; i < ROWS; i++) {
        s[i] = decision[2 * i + 1];
        low = fmin(low, s[i]);
        loss -= log(told[2 * i + label[i]]) / ROWS;
    }
    smr_scored scored = {.n = ROWS, .x = s, .stride = 1, .label = label, .yes = 1};
    fit_platt(&scored, &a, &b);
    for (int k = 0; k < 3; k++) {
        char sentence[64];
        snprintf(sentence, sizeof sentence, "calibrate %s of=(%s)", methods[k], of);
        smr_model *m = train_on(ctx, sentence, t, "k");
        smr_json_doc *doc = NULL;
        check_ok(ctx, smr_json_create(ctx, &doc));
        const smr_stage *last = smr_model_last(m);
        smr_json *root = smr_json_root(doc);
        check_ok(ctx, smr_calibrate_describe(ctx, last->params, last->state, NULL, 0, root));
        check_near("before", smr_json_get_number(root, "log_loss_before", NAN), loss, 1e-10);
        const smr_json *row = smr_json_get(root, k == 0 ? "sigmoids" : "steps");
        if (k == 2) {
            check_near("T", smr_json_get_number(root, "temperature", NAN),
                       best_temperature(decision, label), 1e-6);
        } else if (k == 1) {
            check_near("least score", smr_json_get_number(row->first, "score", NAN), low, 1e-9);
        } else {
            check_near("a", smr_json_get_number(row->first, "a", NAN), a, 1e-8);
            check_near("b", smr_json_get_number(row->first, "b", NAN), b, 1e-8);
        }
        smr_json_free(doc);
        smr_model_free(m);
    }
    smr_table_free(t);
    check_ctx_end(ctx);
}

static void mistakes_are_named(void **state)
{
    smr_ctx *ctx = check_ctx(1);
    smr_table *t = noisy(ctx, 2, false);
    smr_set_opts opts = {.target = "k", .keep_all = true};
    smr_model *m = NULL;
    (void)state;
    check_fails(ctx, try_train(ctx, "calibrate", t, &opts, &m), SMR_ERR_PARAM,
                "calibrate: of is missing: it names the learner that calibrate is made of, as in "
                "of=(bayes)");
    check_fails(ctx, try_train(ctx, "calibrate of=(ridge)", t, &opts, &m), SMR_ERR_PARAM,
                "calibrate of=(ridge): ridge can regress; a learner that can classify "
                "is needed here");
    check_fails(ctx, try_train(ctx, "calibrate folds=0 of=(knn)", t, &opts, &m), SMR_ERR_PARAM,
                "calibrate: folds = 0 is outside [2, 1000]");
    check_fails(ctx, try_train(ctx, "calibrate folds=999 of=(knn)", t, &opts, &m), SMR_ERR_DATA,
                "999 parts cannot be made of 203 rows");
    smr_table_free(t);
    check_ctx_end(ctx);
}

static void the_map_is_drawn(void **state)
{
    smr_ctx *ctx = check_ctx(1);
    smr_table *t = noisy(ctx, 3, false);
    (void)state;
    smr_model *m = train_on(ctx, "conformal of=(calibrate isotonic of=(knn))", t, "k");
    smr_json_doc *doc = NULL;
    check_ok(ctx, smr_json_create(ctx, &doc));
    check_ok(ctx, smr_model_describe(ctx, m, smr_json_root(doc)));
    check_ok(ctx, smr_json_done(doc));
    const smr_json *figures = smr_json_get(smr_json_root(doc), "figures");
    assert_non_null(figures);
    assert_int_equal(figures->n, 1);
    assert_string_equal(smr_json_get_string(figures->first, "name", ""), "of.0.calibration_map");
    const smr_json *series = smr_json_get(figures->first, "series");
    assert_int_equal(series->n, 3);
    double before = -1; /* it never falls */
    for (const smr_json *v = smr_json_get(series->first, "y")->first; v; v = v->next) {
        assert_true(v->number >= before && v->number <= 1);
        before = v->number;
    }
    smr_json_free(doc);
    smr_model_free(m);
    smr_table_free(t);
    check_ctx_end(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(platt_matches_scikit_learn),
        cmocka_unit_test(platt_is_at_its_optimum),
        cmocka_unit_test(platt_weight_two_is_the_row_twice),
        cmocka_unit_test(platt_does_not_depend_on_the_scores_unit),
        cmocka_unit_test(platt_degenerate_scores_stay_finite),
        cmocka_unit_test(isotonic_matches_scikit_learn),
        cmocka_unit_test(isotonic_is_the_minmax_of_means),
        cmocka_unit_test(isotonic_ties_are_one_row_and_order_is_kept),
        cmocka_unit_test(temperature_is_where_the_slope_changes_sign),
        cmocka_unit_test(temperature_of_useless_and_of_perfect_scores),
        cmocka_unit_test(classes_against_the_rest_match_scikit_learn),
        cmocka_unit_test(it_is_the_map_of_out_of_fold_scores),
        cmocka_unit_test(log_loss_gets_better_on_the_calibration_rows),
        cmocka_unit_test(a_temperature_keeps_labels_and_a_sigmoid_the_order),
        cmocka_unit_test(groups_are_not_split),
        cmocka_unit_test(decision_scores_are_mapped_as_they_are),
        cmocka_unit_test(numbers_that_are_shown_belong_to_the_decision_score),
        cmocka_unit_test(mistakes_are_named),
        cmocka_unit_test(the_map_is_drawn),
    };
    return cmocka_run_group_tests_name("calibrate", tests, NULL, NULL);
}
