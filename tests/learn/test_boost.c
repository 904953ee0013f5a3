/* test_boost.c -- the learner boost: worked figures, brute force, properties, XGBoost's figures. */
#include "learn/matrix_data.h"

#include "data/read.h"
#include "learn/trees/boost.h"
#include "truth/boosters.h"

extern const smr_learner smr_boost;

/* ---- helpers ---------------------------------------------------------------------------- */

static struct fitted boost(const char *words, const smr_data *data, int threads)
{
    struct fitted f = fit_matrix(&smr_boost, words, data, threads);
    check_ok(f.ctx, smr_boost.fitted->prepare(f.ctx, f.params, f.state));
    return f;
}

static const struct smr_boost_state *state_of(const struct fitted *f)
{
    return f->state;
}

static void ask(const struct fitted *f, int64_t n, int64_t d, const double *x, smr_output output,
                int64_t round, double *out)
{
    smr_rows rows = {.n = n, .d = d, .form = SMR_FORM_F64, .x = x, .stride = d};
    const smr_fitted *by = smr_boost.fitted;
    smr_status st = round < 0 ? by->predict(f->ctx, f->params, f->state, &rows, output, out, NULL)
                              : by->rounds->predict_after(f->ctx, f->params, f->state, &rows,
                                                          output, round, out, NULL);
    check_ok(f->ctx, st);
}

/* A matrix, targets that depend on it, and data over both. */
struct made {
    int64_t n, d;
    double *x, *y, *weight;
    int32_t *label;
    struct matrix_data m;
};

/* classes 0: numbers. */
static struct made *make(int64_t n, int64_t d, int64_t classes, uint64_t seed)
{
    struct made *made = calloc(1, sizeof *made);
    assert_non_null(made);
    made->n = n, made->d = d;
    made->x = random_matrix(n * d, seed);
    made->y = random_matrix(n, seed + 1);
    made->weight = random_matrix(n, seed + 2);
    made->label = calloc((size_t)n, sizeof *made->label);
    for (int64_t i = 0; i < n; i++) {
        const double *x = made->x + i * d;
        double f = sin(2 * x[0]) + (d > 2 ? x[1] * x[2] : 0) + 0.5 * x[d - 1];
        made->y[i] = 3 * f + made->y[i];
        made->weight[i] = 0.25 + fabs(made->weight[i]);
        int64_t c = (int64_t)floor(made->y[i] / 2 + (double)classes / 2);
        made->label[i] = classes ? (int32_t)SMR_MIN(SMR_MAX(c, 0), classes - 1) : 0;
    }
    matrix_data(&made->m, n, d, 1, made->x, made->y, NULL);
    made->m.data.refuse_missing = false;
    if (classes) {
        made->m.data.task = SMR_TASK_CLASSIFY;
        made->m.data.label = made->label;
        made->m.data.n_classes = classes;
        made->m.data.y = NULL;
        made->m.data.n_outputs = 1;
    }
    return made;
}

static void end_made(struct made *s)
{
    free(s->x);
    free(s->y);
    free(s->weight);
    free(s->label);
    free(s);
}

/* ---- figures ---------------------------------------------------------------------------- */

/* FIGURES I4: of sum (w - r)^2 + lambda |w| the best w is sign(S) max(|S| - lambda/2, 0) / n; our
 * loss is half the square, so l1 = lambda / 2.  One split, on whose sides the residuals from the
 * mean 2 are (-3, -1) and (1.5, 0.5, 2). */
static void leaf_values_are_the_course_figures(void **unused)
{
    (void)unused;
    double x[] = {0, 0, 1, 1, 1}, y[] = {-1, 1, 3.5, 2.5, 4}, out[5];
    static const double lambdas[] = {0, 1, 3, 7};
    for (int k = 0; k < 4; k++) {
        char words[128];
        struct matrix_data m;
        matrix_data(&m, 5, 1, 1, x, y, NULL);
        snprintf(words, sizeof words, "rounds=1 rate=1 l2=0 l1=%g", lambdas[k] / 2);
        struct fitted f = boost(words, &m.data, 1);
        ask(&f, 5, 1, x, SMR_OUTPUT_VALUE, -1, out);
        double half = lambdas[k] / 2;
        check_near("first", out[0], 2 - fmax(4 - half, 0) / 2, 1e-7);
        check_near("second", out[3], 2 + fmax(4 - half, 0) / 3, 1e-7);
        end_fitted(&f);
    }
}

/* ---- brute force ------------------------------------------------------------------------ */

enum { BN = 61, BD = 7 };

struct brute {
    const double *x, *g, *h;
    double l1, l2, min_child;
    int leaf[BN]; /* of each row */
};

static double brute_score(const struct brute *b, double G, double H)
{
    double size = fabs(G) - b->l1;
    return size > 0 ? size * size / (H + b->l2) / 2 : 0;
}

/* The best split of a leaf: feature, cut, where missing values go. */
struct brute_split {
    double gain, cut;
    int feature;
    bool missing_first;
};

static bool brute_goes(const struct brute *b, int i, const struct brute_split *s)
{
    double v = b->x[i * BD + s->feature];
    return isnan(v) ? s->missing_first : v <= s->cut;
}

static struct brute_split brute_best(const struct brute *b, int leaf)
{
    struct brute_split best = {0};
    for (int j = 0; j < BD; j++)
        for (int at = 0; at < BN; at++)
            for (int missing = 0; missing < 2; missing++) {
                struct brute_split s = {0, b->x[at * BD + j], j, missing};
                double G[2] = {0}, H[2] = {0};
                if (b->leaf[at] != leaf || isnan(s.cut)) continue;
                for (int i = 0; i < BN; i++) {
                    if (b->leaf[i] != leaf) continue;
                    G[brute_goes(b, i, &s)] += b->g[i];
                    H[brute_goes(b, i, &s)] += b->h[i];
                }
                if (!(H[0] > 0 && H[1] > 0) || H[0] < b->min_child || H[1] < b->min_child) continue;
                s.gain = brute_score(b, G[0], H[0]) + brute_score(b, G[1], H[1]) -
                         brute_score(b, G[0] + G[1], H[0] + H[1]);
                if (s.gain > best.gain + 1e-9) best = s;
            }
    return best;
}

/* Leaf-wise, every split of every leaf tried: the number of leaves. */
static int brute_tree(struct brute *b, int max_leaves)
{
    int n = 1;
    while (n < max_leaves) {
        struct brute_split best = {0};
        int which = -1;
        for (int l = 0; l < n; l++) {
            struct brute_split s = brute_best(b, l);
            if (s.gain > best.gain + 1e-9) best = s, which = l;
        }
        if (which < 0) break;
        for (int i = 0; i < BN; i++)
            if (b->leaf[i] == which && !brute_goes(b, i, &best)) b->leaf[i] = n;
        n++;
    }
    return n;
}

/* Columns: numbers, numbers with gaps, few values, and three marks that exclude each other, which
 * the histograms keep in one column. */
static double *brute_matrix(uint64_t seed)
{
    double *x = random_matrix((int64_t)BN * BD, seed);
    for (int i = 0; i < BN; i++) {
        double *r = x + i * BD;
        if (i % 5 == 2) r[1] = NAN;
        r[2] = floor(2 * r[2]);
        int mark = (int)floor(fabs(r[3]) * 7) % 6;
        for (int k = 0; k < 3; k++) r[3 + k] = mark == k;
        if (i % 11 == 0) r[6] = NAN;
    }
    return x;
}

static void one_round_is_what_trying_every_split_gives(void **unused)
{
    (void)unused;
    static const double l1s[] = {0, 0.5}, l2s[] = {1, 0.01};
    for (uint64_t seed = 1; seed <= 12; seed++) {
        double *x = brute_matrix(seed), *y = random_matrix(BN, seed + 50), out[BN], mean = 0;
        double g[BN], h[BN];
        for (int i = 0; i < BN; i++) y[i] += 2 * x[i * BD + 3] - (isnan(x[i * BD + 1]) ? 1.5 : 0);
        for (int i = 0; i < BN; i++) mean += y[i] / BN;
        for (int i = 0; i < BN; i++) g[i] = mean - y[i], h[i] = 1;
        struct brute b = {
            .x = x, .g = g, .h = h, .l1 = l1s[seed % 2], .l2 = l2s[seed / 2 % 2], .min_child = 3};
        int leaves = brute_tree(&b, 6);
        char words[160];
        snprintf(words, sizeof words,
                 "rounds=1 rate=1 max_leaves=6 min_leaf=1 min_child=3 l1=%g l2=%g", b.l1, b.l2);
        struct matrix_data m;
        matrix_data(&m, BN, BD, 1, x, y, NULL);
        m.data.refuse_missing = false;
        struct fitted f = boost(words, &m.data, 1);
        ask(&f, BN, BD, x, SMR_OUTPUT_VALUE, -1, out);
        assert_int_equal(state_of(&f)->trees.n_leaves, leaves);
        for (int i = 0; i < BN; i++) {
            double G = 0, H = 0;
            for (int k = 0; k < BN; k++)
                if (b.leaf[k] == b.leaf[i]) G += g[k], H += h[k];
            double w = fabs(G) > b.l1 ? -copysign(fabs(G) - b.l1, G) / (H + b.l2) : 0;
            check_near("value", out[i], mean + w, 1e-6);
        }
        end_fitted(&f);
        free(x);
        free(y);
    }
}

/* Without smoothing and penalties the ordered cuts hold the best of all subsets of the levels. */
static void a_category_is_split_into_the_best_of_all_subsets(void **unused)
{
    (void)unused;
    enum { N = 83, LEVELS = 7 };
    for (uint64_t seed = 1; seed <= 8; seed++) {
        double *noise = random_matrix(2 * N, seed), y[N], out[N], code[N];
        int32_t codes[N];
        double mean = 0, best = 0, value[2] = {0};
        unsigned best_set = 0;
        for (int i = 0; i < N; i++) {
            codes[i] = (int32_t)floor(fabs(noise[i]) * 13) % LEVELS;
            y[i] = noise[N + i] + (codes[i] * 5 % LEVELS > 3 ? 1 : 0);
            code[i] = codes[i];
            mean += y[i] / N;
        }
        for (unsigned set = 1; set + 1 < 1u << LEVELS; set++) {
            double S[2] = {0}, n[2] = {0};
            for (int i = 0; i < N; i++)
                S[set >> codes[i] & 1] += y[i] - mean, n[set >> codes[i] & 1]++;
            if (n[0] == 0 || n[1] == 0) continue;
            double gain = S[0] * S[0] / n[0] + S[1] * S[1] / n[1];
            if (gain <= best + 1e-12) continue;
            best = gain, best_set = set;
            value[0] = S[0] / n[0], value[1] = S[1] / n[1];
        }
        smr_feature feature = {.name = "level",
                               .kind = SMR_CATEGORY,
                               .dtype = SMR_I32,
                               .values = codes,
                               .stride = 1,
                               .n_levels = LEVELS};
        smr_data data = {.size = sizeof data,
                         .n_rows = N,
                         .n_features = 1,
                         .features = &feature,
                         .task = SMR_TASK_REGRESS,
                         .n_outputs = 1,
                         .y = y};
        struct fitted f = boost("rounds=1 rate=1 max_leaves=2 l2=0 smooth=0", &data, 1);
        ask(&f, N, 1, code, SMR_OUTPUT_VALUE, -1, out);
        for (int i = 0; i < N; i++)
            check_near("value", out[i], mean + value[best_set >> codes[i] & 1], 1e-6);
        end_fitted(&f);
        free(noise);
    }
}

/* ---- losses ----------------------------------------------------------------------------- */

static void slopes_are_differences_of_the_losses(void **unused)
{
    (void)unused;
    enum { N = 37, K = 3 };
    static const enum smr_boost_loss losses[] = {
        SMR_BOOST_SQUARED,  SMR_BOOST_ABSOLUTE, SMR_BOOST_HUBER,
        SMR_BOOST_QUANTILE, SMR_BOOST_POISSON,  SMR_BOOST_GAMMA,
        SMR_BOOST_LOGISTIC, SMR_BOOST_SOFTMAX,  SMR_BOOST_EXPONENTIAL};
    double *noise = random_matrix(3 * N, 5), y[N], weight[N];
    int32_t label[N];
    for (int l = 0; l < SMR_COUNT(losses); l++) {
        bool classes = losses[l] >= SMR_BOOST_LOGISTIC;
        int64_t k = losses[l] == SMR_BOOST_SOFTMAX ? K : 1;
        double score[N * K], value[N], up[N], down[N], step = 1e-5;
        smr_boost_pair pair[N * K], unused_pair[N * K];
        for (int i = 0; i < N; i++) {
            y[i] =
                losses[l] == SMR_BOOST_POISSON ? floor(3 * fabs(noise[i])) : 0.1 + fabs(noise[i]);
            label[i] = (int32_t)(i % (k > 1 ? K : 2));
            weight[i] = 0.5 + i % 4;
        }
        smr_boost_target t = {.loss = losses[l],
                              .param = 0.6,
                              .n = N,
                              .k = k,
                              .y = classes ? NULL : y,
                              .label = classes ? label : NULL,
                              .weight = weight};
        for (int64_t i = 0; i < N * k; i++) score[i] = noise[N + i % (2 * N)];
        smr_boost_slopes(&t, 0, N, score, value, pair);
        for (int64_t c = 0; c < k; c++) {
            for (int64_t i = 0; i < N; i++) score[i * k + c] += step;
            smr_boost_slopes(&t, 0, N, score, up, unused_pair);
            for (int64_t i = 0; i < N; i++) score[i * k + c] -= 2 * step;
            smr_boost_slopes(&t, 0, N, score, down, unused_pair);
            for (int64_t i = 0; i < N; i++) score[i * k + c] += step;
            for (int64_t i = 0; i < N; i++) {
                double g = (up[i] - down[i]) / (2 * step);
                double h = (up[i] - 2 * value[i] + down[i]) / (step * step);
                check_near("g", (double)pair[c * N + i].real.g, g, 1e-5);
                if (smr_boost_is_flat(losses[l])) h = weight[i];
                if (k > 1) h *= (double)K / (K - 1);
                check_near("h", (double)pair[c * N + i].real.h, h, 2e-4);
            }
        }
    }
    free(noise);
}

/* G and H alone give the minimum of the whole loss of a leaf, with its penalties. */
static void steps_of_curved_losses_are_exact_minima(void **unused)
{
    (void)unused;
    static const enum smr_boost_loss losses[] = {SMR_BOOST_POISSON, SMR_BOOST_GAMMA,
                                                 SMR_BOOST_EXPONENTIAL};
    enum { N = 23 };
    double *noise = random_matrix(2 * N, 8), y[N];
    int32_t label[N];
    for (int l = 0; l < 3; l++)
        for (int o = 0; o < 4; o++) {
            double l1 = o & 1 ? 0.7 : 0, l2 = o & 2 ? 2 : 0.1, G = 0, H = 0, score[N], value[N];
            smr_boost_pair pair[N];
            for (int i = 0; i < N; i++) y[i] = 0.5 + fabs(noise[i]), label[i] = noise[i] > -0.9;
            for (int i = 0; i < N; i++) score[i] = 0.3 * noise[N + i];
            smr_boost_target t = {.loss = losses[l],
                                  .n = N,
                                  .k = 1,
                                  .y = l < 2 ? y : NULL,
                                  .label = l < 2 ? NULL : label};
            smr_boost_slopes(&t, 0, N, score, value, pair);
            for (int i = 0; i < N; i++) G += (double)pair[i].real.g, H += (double)pair[i].real.h;
            double w = smr_boost_step(losses[l], G, H, l1, l2), J[3];
            for (int at = 0; at < 3; at++) {
                double v = w + (at - 1) * 1e-3, moved[N];
                for (int i = 0; i < N; i++) moved[i] = score[i] + v;
                smr_boost_slopes(&t, 0, N, moved, value, NULL);
                J[at] = l1 * fabs(v) + l2 / 2 * v * v;
                for (int i = 0; i < N; i++) J[at] += value[i];
            }
            assert_true(J[1] < J[0] && J[1] < J[2]);
        }
    free(noise);
}

static void every_loss_falls_with_every_round(void **unused)
{
    (void)unused;
    static const char *const of_numbers[] = {"squared",        "absolute", "huber",
                                             "quantile q=0.8", "poisson",  "gamma"};
    static const char *const of_classes[] = {"logistic", "exponential"};
    char words[128];
    for (int l = 0; l < 9; l++) {
        struct made *s = make(307, 5, l < 6 ? 0 : l == 8 ? 4 : 2, 11);
        for (int i = 0; i < s->n && l < 6; i++)
            s->y[i] = l < 4 ? s->y[i] : l == 4 ? floor(fabs(3 * s->y[i])) : 0.1 + fabs(s->y[i]);
        if (l % 2) s->m.data.weight = s->weight;
        for (int rate = 0; rate < 2; rate++) {
            snprintf(words, sizeof words, "rounds=40 max_leaves=8 rate=%s loss=%s",
                     rate && l != 8 ? "0.5" : "0.1",
                     l < 6    ? of_numbers[l]
                     : l == 8 ? "softmax"
                              : of_classes[l - 6]);
            struct fitted f = boost(words, &s->m.data, 1);
            const struct smr_boost_state *st = state_of(&f);
            assert_int_equal(st->n_curve, 41);
            for (int64_t t = 1; t < st->n_curve; t++)
                if (!(st->curve[t] < st->curve[t - 1] * (1 + 1e-9)))
                    fail_msg("%s: round %d: %.9g after %.9g", words, (int)t, st->curve[t],
                             st->curve[t - 1]);
            assert_true(st->curve[40] < 0.8 * st->curve[0]);
            end_fitted(&f);
        }
        end_made(s);
    }
}

/* The constants of least loss: moving any of them raises the first loss. */
static void the_start_is_the_best_constant(void **unused)
{
    (void)unused;
    static const char *const losses[] = {"squared",  "absolute", "huber",
                                         "quantile", "poisson",  "gamma"};
    for (int l = 0; l < 6; l++) {
        struct made *s = make(101, 3, 0, 21);
        char words[64];
        for (int i = 0; i < s->n; i++) s->y[i] = 0.2 + fabs(s->y[i]);
        s->m.data.weight = s->weight;
        snprintf(words, sizeof words, "rounds=1 loss=%s", losses[l]);
        struct fitted f = boost(words, &s->m.data, 1);
        const struct smr_boost_state *st = state_of(&f);
        smr_boost_target t = {.loss = (enum smr_boost_loss)st->loss,
                              .param = st->param,
                              .n = s->n,
                              .k = 1,
                              .y = s->y,
                              .weight = s->weight};
        double J[3];
        for (int at = 0; at < 3; at++) {
            double score[101], value[101];
            for (int i = 0; i < s->n; i++) score[i] = st->base[0] + (at - 1) * 0.02;
            smr_boost_slopes(&t, 0, s->n, score, value, NULL);
            J[at] = 0;
            for (int i = 0; i < s->n; i++) J[at] += value[i];
        }
        assert_true(J[1] <= J[0] && J[1] <= J[2]);
        end_fitted(&f);
        end_made(s);
    }
}

/* ---- properties ------------------------------------------------------------------------- */

static void monotone_features_never_turn(void **unused)
{
    (void)unused;
    check_no_races();
    enum { D = 4, POINTS = 60 };
    static const char *const more[] = {"", " loss=absolute", " growth=level max_depth=5",
                                       " rows=0.6 loss=huber"};
    for (int o = 0; o < 4; o++) {
        struct made *s = make(1501, D, 0, 31 + (uint64_t)o);
        char words[160];
        snprintf(words, sizeof words, "rounds=60 rate=0.3 l2=0.1 monotone=+x0,-x3%s", more[o]);
        struct fitted f = boost(words, &s->m.data, 1), free_ = boost("rounds=60", &s->m.data, 1);
        int turns = 0;
        for (int64_t row = 0; row < 40; row++) {
            double grid[POINTS * D], out[POINTS];
            for (int which = 0; which < 2; which++) {
                int j = which ? 3 : 0;
                for (int p = 0; p < POINTS; p++) {
                    memcpy(grid + p * D, s->x + row * D, sizeof(double) * D);
                    grid[p * D + j] = -3 + 6.0 * p / POINTS;
                }
                ask(&f, POINTS, D, grid, SMR_OUTPUT_VALUE, -1, out);
                for (int p = 1; p < POINTS; p++)
                    assert_true(which ? out[p] <= out[p - 1] : out[p] >= out[p - 1]);
                ask(&free_, POINTS, D, grid, SMR_OUTPUT_VALUE, -1, out);
                for (int p = 1; p < POINTS; p++)
                    turns += which ? out[p] > out[p - 1] : out[p] < out[p - 1];
            }
        }
        assert_true(turns > 0); /* without the constraint it does turn */
        end_fitted(&f);
        end_fitted(&free_);
        end_made(s);
    }
}

static void weight_two_is_the_row_twice(void **unused)
{
    (void)unused;
    enum { N = 211, D = 4 };
    static const char *const words[] = {"rounds=20 min_leaf=6", "rounds=20 loss=absolute",
                                        "rounds=20 loss=huber",
                                        "rounds=20 loss=poisson min_leaf=5"};
    for (int o = 0; o < 4; o++) {
        struct made *s = make(N, D, 0, 41);
        double *x = calloc(2 * N * D, sizeof *x), *y = calloc(2 * N, sizeof *y);
        double out[N], twice[N];
        int64_t n = 0;
        for (int i = 0; i < N; i++) {
            s->y[i] = o == 3 ? floor(fabs(s->y[i])) : s->y[i];
            s->weight[i] = i % 3 ? 1 : 2;
            for (int k = 0; k < (i % 3 ? 1 : 2); k++, n++) {
                memcpy(x + n * D, s->x + i * D, sizeof(double) * D);
                y[n] = s->y[i];
            }
        }
        struct matrix_data m;
        matrix_data(&m, n, D, 1, x, y, NULL);
        s->m.data.weight = s->weight;
        struct fitted f = boost(words[o], &s->m.data, 1), g = boost(words[o], &m.data, 1);
        ask(&f, N, D, s->x, SMR_OUTPUT_VALUE, -1, out);
        ask(&g, N, D, s->x, SMR_OUTPUT_VALUE, -1, twice);
        for (int i = 0; i < N; i++) check_near(words[o], out[i], twice[i], 1e-5);
        end_fitted(&f);
        end_fitted(&g);
        free(x);
        free(y);
        end_made(s);
    }
}

static void early_stopping_keeps_the_rounds_of_least_validation_loss(void **unused)
{
    (void)unused;
    struct made *s = make(901, 4, 2, 51);
    for (int i = 0; i < s->n; i += 7) s->label[i] = 1 - s->label[i];
    struct fitted f = boost("rounds=400 rate=0.3 patience=8 validation=0.25", &s->m.data, 2);
    const struct smr_boost_state *st = state_of(&f);
    int64_t best = 0;
    for (int64_t t = 1; t < st->n_curve; t++)
        if (st->watched[t] < st->watched[best]) best = t;
    assert_true(st->n_curve - 1 < 400);
    assert_int_equal(st->n_rounds, best);
    assert_int_equal(st->n_curve - 1, best + 8);
    assert_int_equal(st->trees.n_trees, best);
    check_near("validation rows", st->n_validation, 225, 1);
    end_fitted(&f);
    end_made(s);
}

static void staged_predictions_follow_the_training_curve(void **unused)
{
    (void)unused;
    for (int k = 0; k < 2; k++) {
        struct made *s = make(301, 4, k ? 3 : 0, 61);
        double *out = calloc((size_t)s->n * 3, sizeof *out),
               *last = calloc((size_t)s->n * 3, sizeof *last);
        struct fitted f = boost("rounds=12", &s->m.data, 1);
        smr_output output = k ? SMR_OUTPUT_PROBA : SMR_OUTPUT_VALUE;
        assert_int_equal(smr_boost.fitted->rounds->count(f.params, f.state), 12);
        for (int64_t t = 0; t <= 12; t++) {
            double loss = 0;
            ask(&f, s->n, s->d, s->x, output, t, out);
            for (int64_t i = 0; i < s->n; i++)
                loss += k ? -log(out[i * 3 + s->label[i]])
                          : (out[i] - s->y[i]) * (out[i] - s->y[i]) / 2;
            check_near("loss", loss / (double)s->n, state_of(&f)->curve[t], 1e-9);
        }
        ask(&f, s->n, s->d, s->x, output, -1, last);
        assert_memory_equal(out, last, sizeof(double) * (size_t)(s->n * (k ? 3 : 1)));
        end_fitted(&f);
        free(out);
        free(last);
        end_made(s);
    }
}

static void check_same(const struct fitted *a, const struct fitted *b)
{
    const struct smr_boost_state *s = a->state, *t = b->state;
    assert_int_equal(s->trees.n_nodes, t->trees.n_nodes);
    size_t nodes = (size_t)s->trees.n_nodes;
    assert_memory_equal(s->trees.split, t->trees.split, nodes * sizeof *s->trees.split);
    assert_memory_equal(s->trees.cut, t->trees.cut, nodes * sizeof *s->trees.cut);
    assert_memory_equal(s->trees.cover, t->trees.cover, nodes * sizeof *s->trees.cover);
    assert_memory_equal(s->trees.value, t->trees.value,
                        (size_t)s->trees.n_leaves * sizeof *s->trees.value);
    assert_memory_equal(s->curve, t->curve, (size_t)s->n_curve * sizeof *s->curve);
}

static void the_number_of_threads_changes_no_bit(void **unused)
{
    (void)unused;
    static const char *const words[] = {"rounds=6", "rounds=6 rows=0.7 columns=0.6 features=0.5",
                                        "rounds=14 rate=0.3 sampling=goss",
                                        "rounds=5 min_leaf=20 growth=level", "rounds=9 patience=2"};
    for (int o = 0; o < SMR_COUNT(words); o++)
        for (int k = CHECK_LESS ? o % 3 : 0; k < (CHECK_LESS ? o % 3 + 1 : 3); k++) {
            struct made *s = make(CHECK_RACES ? 17011 : 30011, 6, k == 0 ? 0 : k + 1, 71);
            if (o % 2) s->m.data.weight = s->weight;
            for (int64_t i = 0; i < s->n * s->d; i += 13) s->x[i] = NAN;
            struct fitted one = boost(words[o], &s->m.data, 1);
            assert_true(state_of(&one)->trees.n_trees > 0);
            for (int threads = CHECK_LESS ? 7 : 2; threads <= 7; threads += 5) {
                struct fitted more = boost(words[o], &s->m.data, threads);
                check_same(&one, &more);
                end_fitted(&more);
            }
            end_fitted(&one);
            end_made(s);
        }
}

/* More leaves than histograms are kept for (273 of 240 KB here): children are counted instead, and
 * other ones by either way of growing, which agree when nothing limits them. */
static void leaves_without_histograms_change_nothing(void **unused)
{
    (void)unused;
    check_no_sanitizer();
    struct made *s = make(3001, 60, 0, 83);
    struct fitted f = boost("rounds=1 max_leaves=0 min_leaf=1 l2=0", &s->m.data, 1);
    struct fitted g = boost("rounds=1 growth=level max_depth=1000 min_leaf=1 l2=0", &s->m.data, 2);
    assert_true(state_of(&f)->trees.n_leaves > 1500);
    check_same(&f, &g);
    end_fitted(&f);
    end_fitted(&g);
    end_made(s);
}

/* Rounding gradients to 18 bits costs nothing that can be seen: the same fit with wide numbers
 * (forced by a minimum size) has the same loss. */
/* A row's second derivative is at most 1/4, of 3 classes 3/8: then no rows need be counted.  With
 * weights of 1 they are. */
static void min_child_stands_for_min_leaf(void **unused)
{
    (void)unused;
    const char *words[] = {"rounds=8 min_leaf=20 min_child=5", "rounds=8 min_leaf=9 min_child=2"};
    for (int w = 0; w < 2; w++)
        for (int64_t k = 2; k <= 3; k++) {
            struct made *s = make(1901, 7, k, 300 + (uint64_t)w);
            struct fitted f = boost(words[w], &s->m.data, 2);
            for (int64_t i = 0; i < s->n; i++) s->weight[i] = 1;
            s->m.data.weight = s->weight;
            struct fitted g = boost(words[w], &s->m.data, 2);
            check_same(&f, &g);
            for (int64_t i = 0; i < state_of(&f)->trees.n_nodes; i++)
                assert_true(state_of(&f)->trees.cover[i] >= (w ? 9 : 20));
            end_fitted(&f);
            end_fitted(&g);
            end_made(s);
        }
}

static void narrow_numbers_lose_no_accuracy(void **unused)
{
    (void)unused;
    struct made *s = make(40009, 8, 2, 81);
    struct fitted narrow = boost("rounds=30 min_leaf=1", &s->m.data, 2);
    struct fitted wide = boost("rounds=30 min_leaf=1.0001 min_child=1", &s->m.data, 2);
    double a = state_of(&narrow)->curve[30], b = state_of(&wide)->curve[30];
    check_near("loss", a / b, 1, 1e-3);
    end_fitted(&narrow);
    end_fitted(&wide);
    end_made(s);
}

/* Of loss=exponential the step of a pure leaf is about log H: what rounding adds to H - |G| = 0
 * would shorten it. */
static void narrow_numbers_leave_pure_leaves_pure(void **unused)
{
    (void)unused;
    enum { N = 20011, D = 3 };
    struct made *s = make(N, D, 2, 83);
    double *a = calloc(N * 2, sizeof *a), *b = calloc(N * 2, sizeof *b);
    for (int64_t i = 0; i < N; i++) {
        double *x = s->x + i * D;
        for (int64_t j = 0; j < D; j++) x[j] = rint(2 * x[j]) / 2; /* no leaf of one row */
        s->label[i] = x[0] > 0.5 || (x[0] > 0 && x[1] > 0.25);     /* the leaves are pure */
    }
    struct fitted narrow = boost("rounds=4 loss=exponential", &s->m.data, 2);
    struct fitted wide = boost("rounds=4 loss=exponential min_leaf=1.0001", &s->m.data, 2);
    ask(&narrow, N, D, s->x, SMR_OUTPUT_DECISION, -1, a);
    ask(&wide, N, D, s->x, SMR_OUTPUT_DECISION, -1, b);
    for (int64_t i = 0; i < N; i++) check_near("score", a[i], b[i], 1e-3);
    end_fitted(&narrow);
    end_fitted(&wide);
    free(a);
    free(b);
    end_made(s);
}

/* ---- a peer ----------------------------------------------------------------------------- */

/* Rows 0, 1, 2 of four train, row 3 tests: mean log loss, or root mean squared error, on both, is
 * within four deviations of the peer's. */
static void check_peer(const char *path, const char *target, const double *mean, const double *sd)
{
    smr_ctx *ctx = check_ctx(1);
    smr_table *t = NULL;
    check_ok(ctx, smr_table_open(ctx, path, NULL, &t));
    int64_t at = smr_table_find(t, target), d = t->n_cols - 1, n = t->n_rows, m = 0;
    bool classes = t->cols[at].kind == SMR_CATEGORY;
    double *x = calloc((size_t)(n * d), sizeof *x), *y = calloc((size_t)n, sizeof *y);
    double *out = calloc((size_t)(2 * n), sizeof *out);
    int32_t *label = calloc((size_t)n, sizeof *label);
    for (int pass = 0; pass < 2; pass++) /* the training rows first */
        for (int64_t i = 0; i < n; i++) {
            if ((i % 4 == 3) != pass) continue;
            for (int64_t j = 0, k = 0; j <= d; j++)
                if (j != at) x[m * d + k++] = smr_column_number(&t->cols[j], i);
            if (classes)
                label[m] = ((const int32_t *)t->cols[at].values)[i];
            else
                y[m] = smr_column_number(&t->cols[at], i);
            m++;
        }
    int64_t n_train = n - n / 4;
    struct matrix_data data;
    matrix_data(&data, n_train, d, 1, x, y, NULL);
    if (classes) {
        data.data.task = SMR_TASK_CLASSIFY;
        data.data.label = label;
        data.data.n_classes = 2;
        data.data.y = NULL;
    }
    struct fitted f = boost("min_leaf=1", &data.data, 1); /* as XGBoost */
    ask(&f, n, d, x, classes ? SMR_OUTPUT_PROBA : SMR_OUTPUT_VALUE, -1, out);
    double loss[2] = {0};
    for (int64_t i = 0; i < n; i++)
        loss[i >= n_train] +=
            classes ? -log(out[2 * i + label[i]]) : (out[i] - y[i]) * (out[i] - y[i]);
    loss[0] /= (double)n_train;
    loss[1] /= (double)(n - n_train);
    for (int k = 0; k < 2 && !classes; k++) loss[k] = sqrt(loss[k]);
    for (int k = 0; k < 2; k++)
        if (fabs(loss[k] - mean[k]) > 4 * sd[k])
            fail_msg("%s: %.5f, XGBoost %.5f -+ %.5f", path, loss[k], mean[k], 4 * sd[k]);
    end_fitted(&f);
    free(x);
    free(y);
    free(out);
    free(label);
    smr_table_free(t);
    check_ctx_end(ctx);
}

static void losses_are_those_of_xgboost(void **unused)
{
    (void)unused;
    for (int k = 0; k < SMR_COUNT(xgboost_losses); k++)
        check_peer(xgboost_losses[k].table, xgboost_losses[k].target, xgboost_losses[k].mean,
                   xgboost_losses[k].sd);
}

/* ---- degenerate ------------------------------------------------------------------------- */

static void degenerate_data_give_the_constant(void **unused)
{
    (void)unused;
    double x[] = {1, 1, 1, 1}, y[] = {1, 2, 3, 6}, out[8];
    int32_t label[] = {0, 1, 1, 1}, same[] = {1, 1, 1, 1};
    struct matrix_data m;
    matrix_data(&m, 4, 1, 1, x, y, NULL);
    struct fitted f = boost("", &m.data, 1);
    ask(&f, 4, 1, x, SMR_OUTPUT_VALUE, -1, out);
    check_near("constant feature", out[2], 3, 1e-15);
    assert_int_equal(state_of(&f)->n_rounds, 0);
    end_fitted(&f);
    matrix_data(&m, 1, 1, 1, x, y + 3, NULL);
    f = boost("", &m.data, 1);
    ask(&f, 1, 1, x, SMR_OUTPUT_VALUE, -1, out);
    check_near("one row", out[0], 6, 1e-15);
    end_fitted(&f);
    double z[] = {1, 2, 3, 4}, constant[] = {5, 5, 5, 5};
    matrix_data(&m, 4, 1, 1, z, constant, NULL);
    f = boost("", &m.data, 1);
    ask(&f, 4, 1, z, SMR_OUTPUT_VALUE, -1, out);
    check_near("constant target", out[3], 5, 1e-15);
    end_fitted(&f);
    matrix_data(&m, 4, 1, 1, x, NULL, NULL);
    m.data.task = SMR_TASK_CLASSIFY;
    m.data.n_classes = 2;
    m.data.label = label;
    f = boost("", &m.data, 1);
    ask(&f, 4, 1, x, SMR_OUTPUT_PROBA, -1, out);
    check_near("identical rows, unlike labels", out[1], 0.75, 1e-15);
    end_fitted(&f);
    m.data.label = same;
    f = boost("", &m.data, 1);
    ask(&f, 4, 1, x, SMR_OUTPUT_PROBA, -1, out);
    check_near("one class", out[1], 1, 0);
    end_fitted(&f);
    m.data.n_classes = 3;
    f = boost("", &m.data, 1);
    ask(&f, 2, 1, x, SMR_OUTPUT_PROBA, -1, out);
    check_near("classes without rows", out[0], 0, 0);
    check_near("the one with rows", out[1], 1, 0);
    end_fitted(&f);
}

static void a_class_without_rows_stays_impossible(void **unused)
{
    (void)unused;
    struct made *s = make(203, 3, 3, 91);
    double *out = calloc((size_t)s->n * 4, sizeof *out);
    s->m.data.n_classes = 4;
    struct fitted f = boost("rounds=10", &s->m.data, 1);
    ask(&f, s->n, s->d, s->x, SMR_OUTPUT_PROBA, -1, out);
    for (int64_t i = 0; i < s->n; i++) {
        check_near("absent", out[4 * i + 3], 0, 0);
        check_near("sum", out[4 * i] + out[4 * i + 1] + out[4 * i + 2], 1, 1e-14);
    }
    end_fitted(&f);
    free(out);
    end_made(s);
}

static void a_hundred_thousand_levels_are_fitted(void **unused)
{
    (void)unused;
    enum { N = 120011, LEVELS = 100000 };
    int32_t *codes = calloc(N, sizeof *codes);
    double *y = calloc(N, sizeof *y), ask_for[] = {3, 7, 99999, NAN}, out[4];
    for (int i = 0; i < N; i++) {
        codes[i] = i % 3 == 0 ? i % 6 : (int32_t)(((int64_t)i * 7919) % LEVELS);
        y[i] = codes[i] == 3 ? 5 : codes[i] == 0 ? -5 : 0;
    }
    smr_feature feature = {.name = "level",
                           .kind = SMR_CATEGORY,
                           .dtype = SMR_I32,
                           .values = codes,
                           .stride = 1,
                           .n_levels = LEVELS};
    smr_data data = {.size = sizeof data,
                     .n_rows = N,
                     .n_features = 1,
                     .features = &feature,
                     .task = SMR_TASK_REGRESS,
                     .n_outputs = 1,
                     .y = y};
    struct fitted f = boost("rounds=5 rate=1", &data, 2);
    ask(&f, 4, 1, ask_for, SMR_OUTPUT_VALUE, -1, out);
    check_near("a frequent level", out[0], 5, 0.01);
    check_near("a rare one", out[1], 0, 0.05);
    assert_true(isfinite(out[2]) && isfinite(out[3]));
    end_fitted(&f);
    free(codes);
    free(y);
}

static void check_refused(const struct made *s, const char *words, const char *part)
{
    smr_ctx *ctx = check_ctx(1);
    void *params = make_params(ctx, &smr_boost, words), *state = NULL;
    smr_fit_report report = {0};
    check_ok(ctx, smr_state_create(ctx, &smr_boost, &state));
    smr_status st = smr_learner_fit(ctx, &smr_boost, params, &s->m.data, state, &report);
    if (st == SMR_OK || !strstr(smr_ctx_message(ctx), part))
        fail_msg("%s: status %d, '%s'; wanted '%s'", words, (int)st, smr_ctx_message(ctx), part);
    smr_fit_report_release(&report);
    smr_state_free(&smr_boost, state);
    smr_params_free(smr_boost.word, params);
    check_ctx_end(ctx);
}

static void what_cannot_be_fitted_is_refused(void **unused)
{
    (void)unused;
    struct made *s = make(31, 3, 0, 95);
    check_refused(s, "loss=logistic", "is for classes, and the target is a number");
    check_refused(s, "loss=poisson", "loss=poisson needs numbers >= 0");
    check_refused(s, "monotone=+x9", "monotone names 'x9', which is not a feature; did you mean");
    check_refused(s, "monotone=x1", "each name has a sign before it");
    s->m.features[1].kind = SMR_CATEGORY;
    check_refused(s, "monotone=-x1", "a category: only numbers rise and fall");
    s->m.features[1].kind = SMR_NUMBER;
    for (int i = 0; i < s->n; i++) s->weight[i] = 0;
    s->m.data.weight = s->weight;
    check_refused(s, "", "all weights are 0: no row counts");
    s->weight[4] = -1;
    check_refused(s, "", "the weight of row 5 is not a finite number >= 0");
    s->m.data.weight = NULL;
    s->y[2] = 1e200;
    check_refused(s, "", "the target of row 3 is beyond 1e30");
    end_made(s);
    s = make(31, 3, 4, 95);
    check_refused(s, "loss=logistic", "is for two classes, and there are 4; use loss=softmax");
    check_refused(s, "loss=huber", "is for numbers, and the target is a class");
    check_refused(s, "monotone=+x1", "monotone needs one score to rise or fall");
    end_made(s);
}

static void failing_allocations_are_survived(void **unused)
{
    (void)unused;
    struct made *s = make(61, 3, 0, 97), *t = make(61, 3, 3, 98);
    check_failing_fits(&smr_boost, "rounds=2 max_leaves=3 monotone=+x1 loss=absolute", &s->m.data);
    check_failing_fits(&smr_boost, "rounds=3 max_leaves=3 patience=2 min_leaf=2 rows=0.9",
                       &t->m.data);
    end_made(s);
    end_made(t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(leaf_values_are_the_course_figures),
        cmocka_unit_test(one_round_is_what_trying_every_split_gives),
        cmocka_unit_test(a_category_is_split_into_the_best_of_all_subsets),
        cmocka_unit_test(slopes_are_differences_of_the_losses),
        cmocka_unit_test(steps_of_curved_losses_are_exact_minima),
        cmocka_unit_test(every_loss_falls_with_every_round),
        cmocka_unit_test(the_start_is_the_best_constant),
        cmocka_unit_test(monotone_features_never_turn),
        cmocka_unit_test(weight_two_is_the_row_twice),
        cmocka_unit_test(early_stopping_keeps_the_rounds_of_least_validation_loss),
        cmocka_unit_test(staged_predictions_follow_the_training_curve),
        cmocka_unit_test(the_number_of_threads_changes_no_bit),
        cmocka_unit_test(leaves_without_histograms_change_nothing),
        cmocka_unit_test(min_child_stands_for_min_leaf),
        cmocka_unit_test(narrow_numbers_lose_no_accuracy),
        cmocka_unit_test(narrow_numbers_leave_pure_leaves_pure),
        cmocka_unit_test(losses_are_those_of_xgboost),
        cmocka_unit_test(degenerate_data_give_the_constant),
        cmocka_unit_test(a_class_without_rows_stays_impossible),
        cmocka_unit_test(a_hundred_thousand_levels_are_fitted),
        cmocka_unit_test(what_cannot_be_fitted_is_refused),
        cmocka_unit_test(failing_allocations_are_survived),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
