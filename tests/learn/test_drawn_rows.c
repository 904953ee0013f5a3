/* test_drawn_rows.c -- rows drawn from models of classes and of networks.
 *
 * Truth: the model itself.  Shares, means and tables of many drawn rows are those of the model
 * within five of their deviations, and a model that is fitted to them is the same again. */
#include "pipeline.h"

#include "core/rng.h"
#include "learn/bayes/bayes.h"
#include "learn/bayes/gauss.h"
#include "learn/draw_rows.h"
#include "learn/graphical/bayesnet.h"

enum { N = 240, DRAWN = 40000 };

static const void *state_of(const smr_model *m)
{
    return smr_model_last(m)->state;
}

/* Two numbers that go together, a bit and a category, in three classes of different sizes; `hue` of
 * a row of class z is never blue. */
static smr_table *things(smr_ctx *ctx, bool all)
{
    double a[N], b[N], bit[N];
    const char *hue[N], *y[N];
    smr_table *t = new_table(ctx, N, all ? 5 : 3);
    for (int i = 0; i < N; i++) {
        int k = i % 6 == 0 ? 2 : i % 3 == 0;
        a[i] = noise(i, 1) * (1 + k) + 2 * k;
        b[i] = 0.6 * a[i] + noise(i, 2) - k;
        bit[i] = (i / 6) % 5 < 1 + k;
        hue[i] = (i / 7) % 4 == 0 ? "red" : k < 2 && (i / 5) % 3 == 0 ? "blue" : "green";
        y[i] = k == 0 ? "x" : k == 1 ? "y" : "z";
    }
    put_numbers(ctx, t, 0, "a", a);
    put_numbers(ctx, t, 1, "b", b);
    if (all) put_numbers(ctx, t, 2, "bit", bit);
    if (all) put_strings(ctx, t, 3, "hue", hue);
    put_strings(ctx, t, all ? 4 : 2, "kind", y);
    return t;
}

static smr_table *draw(smr_ctx *ctx, const smr_model *m, int64_t n)
{
    smr_table *t = NULL;
    check_ok(ctx, smr_model_draw(ctx, m, 1, n, &t));
    assert_int_equal(t->n_rows, n);
    assert_string_equal(t->cols[0].name, m->target.names[0]);
    for (int64_t j = 0; j < m->schema.n_inputs; j++)
        assert_string_equal(t->cols[j + 1].name, m->schema.inputs[j].name);
    return t;
}

/* Five deviations of a share of DRAWN / 6 rows and more. */
static void check_share(const char *what, double is, double want)
{
    check_near(what, is, want, 5 * sqrt(0.25 * 6 / DRAWN));
}

static void naive_bayes_draws_what_it_has_learned(void **unused)
{
    smr_ctx *ctx = check_ctx(2);
    smr_table *t = things(ctx, true);
    smr_model *m = train_on(ctx, "bayes smoothing=0", t, "kind");
    smr_table *u = draw(ctx, m, DRAWN);
    smr_model *back = train_on(ctx, "bayes smoothing=0", u, "kind");
    const struct smr_bayes_state *s = state_of(m), *r = state_of(back);
    (void)unused;
    assert_int_equal(s->n_cells, r->n_cells);
    for (int64_t k = 0; k < 3; k++) {
        check_share("prior", r->weight[k] / DRAWN, s->weight[k] / N);
        for (int64_t c = 0; c < s->n_cells; c++) {
            double share = s->count[k * s->n_cells + c] / s->weight[k];
            double drawn = r->count[k * s->n_cells + c] / r->weight[k];
            if (share == 0) assert_true(drawn == 0);
            check_share("share", drawn, share);
        }
        for (int64_t j = 0; j < s->n_numbers; j++) {
            int64_t at = k * s->n_numbers + j;
            double sd = sqrt(s->square[at] / s->weight[k]), n = r->weight[k];
            check_near("mean", (r->mean[at] - s->mean[at]) / sd, 0, 5 / sqrt(n));
            /* var_smoothing adds at most 1e-4 of the variance of all rows */
            check_near("sd", sqrt(r->square[at] / n) / sd, 1, 5 / sqrt(2 * n) + 1e-3);
        }
    }
    smr_model_free(m);
    smr_model_free(back);
    smr_table_free(t);
    smr_table_free(u);
    check_ctx_end(ctx);
}

static void gaussian_classes_draw_their_clouds(void **unused)
{
    static const char *const shapes[] = {"full", "shared", "diagonal", "spherical"};
    smr_ctx *ctx = check_ctx(2);
    smr_table *t = things(ctx, false);
    (void)unused;
    for (int shape = 0; shape < 4; shape++) {
        char words[80];
        snprintf(words, sizeof words, "gauss %s shrinkage=0 priors=0.25,0.25,0.5", shapes[shape]);
        smr_model *m = train_on(ctx, words, t, "kind");
        smr_table *u = draw(ctx, m, DRAWN);
        smr_model *back = train_on(ctx, words, u, "kind");
        const struct smr_gauss_state *s = state_of(m), *r = state_of(back);
        for (int k = 0; k < 3; k++) check_share("prior", r->weight[k] / DRAWN, k == 2 ? 0.5 : 0.25);
        double sides[4] = {0};
        for (int64_t e = 0; e < s->n_groups * s->n_sides; e++) {
            int64_t g = e / s->n_sides, i = e % s->n_sides;
            const double *S = s->cov + g * s->n_sides;
            double top = s->n_sides == 4 ? sqrt(S[i / 2 * 3] * S[i % 2 * 3]) : S[i];
            /* a variance of DRAWN / 4 rows has a deviation of sqrt(2 / n) of its own */
            check_near(shapes[shape], (r->cov[e] - s->cov[e]) / top, 0, 5 * sqrt(8.0 / DRAWN));
            sides[i] += S[i];
        }
        for (int e = 0; e < 6; e++)
            check_near("mean", r->mean[e], s->mean[e],
                       5 * sqrt((sides[0] + sides[1] + sides[3]) * 4 / DRAWN));
        smr_model_free(m);
        smr_model_free(back);
        smr_table_free(u);
    }
    smr_table_free(t);
    check_ctx_end(ctx);
}

/* Levels by their tables; numbers uniform in their bins, the outermost as far as the training rows
 * went. */
static void networks_draw_levels_and_places_in_bins(void **unused)
{
    static const char words[] =
        "bayesnet smoothing=0 bins=4 graph='target -> a, target -> hue, hue -> bit'";
    smr_ctx *ctx = check_ctx(2);
    smr_table *t = things(ctx, true);
    smr_model *m = train_on(ctx, words, t, "kind");
    const struct smr_bayesnet_state *s = state_of(m);
    smr_table *u = draw(ctx, m, DRAWN);
    int64_t rows[4] = {0}, n_cuts = s->cut_at[1];
    double sum[4] = {0}, joint[3][3] = {{0}}, all[3] = {0};
    (void)unused;
    assert_int_equal(n_cuts, 3);
    double low = m->schema.inputs[0].least, high = m->schema.inputs[0].greatest;
    for (int64_t i = 0; i < DRAWN; i++) {
        double x = smr_column_number(&u->cols[1], i);
        int32_t level = smr_bn_level(s, 0, x), k = ((const int32_t *)u->cols[0].values)[i];
        int32_t hue = ((const int32_t *)u->cols[4].values)[i];
        assert_true(x >= low && x <= high);
        rows[level]++;
        sum[level] += x;
        joint[k][hue]++;
        all[k]++;
    }
    for (int b = 0; b < 4; b++) {
        double from = b ? s->cut[b - 1] : low, to = b < 3 ? s->cut[b] : high;
        double mean = sum[b] / (double)rows[b], width = to - from;
        assert_true(rows[b] > DRAWN / 8);
        check_near("middle", (mean - (from + to) / 2) / width, 0, 5 / sqrt(12 * (double)rows[b]));
    }
    const double *p = s->p; /* tables follow each other: a, b, bit, hue, target */
    for (int64_t j = 0; j < 3; j++) {
        int64_t cells = s->levels[j];
        for (int64_t e = s->start[j]; e < s->start[j + 1]; e++) cells *= s->levels[s->parent[e]];
        p += cells;
    }
    for (int k = 0; k < 3; k++)
        for (int h = 0; h < 3; h++)
            check_share("P(hue | kind)", joint[k][h] / all[k], p[3 * k + h]);
    smr_model_free(m);
    smr_table_free(t);
    smr_table_free(u);
    check_ctx_end(ctx);
}

static void drawn_rows_are_the_same_on_any_threads(void **unused)
{
    static const char *const words[] = {"bayes", "gauss", "bayesnet"};
    (void)unused;
    for (int w = 0; w < 3; w++) {
        double first[3 * 9000];
        for (int threads = 1; threads <= 7; threads += threads == 1 ? 1 : 5) {
            smr_ctx *ctx = check_ctx(threads);
            smr_table *t = things(ctx, false), *u;
            smr_model *m = train_on(ctx, words[w], t, "kind");
            u = draw(ctx, m, 9000);
            for (int64_t e = 0; e < 3 * 9000; e++) {
                double x = smr_column_number(&u->cols[e / 9000], e % 9000);
                if (threads == 1) first[e] = x;
                assert_true(x == first[e]);
            }
            smr_model_free(m);
            smr_table_free(t);
            smr_table_free(u);
            check_ctx_end(ctx);
        }
    }
}

static void what_cannot_be_drawn_is_refused(void **unused)
{
    smr_ctx *ctx = check_ctx(1);
    smr_table *t = things(ctx, false), *u = NULL;
    smr_column *cols = t->cols;
    (void)unused;
    for (int64_t i = 0; i < N; i++)
        for (int j = 0; j < 2; j++) ((double *)(uintptr_t)cols[j].values)[i] = (double)(i % 5);
    smr_model *m = train_on(ctx, "bayes model=multinomial", t, "kind");
    check_fails(ctx, smr_model_draw(ctx, m, 1, 2, &u), SMR_ERR_PARAM,
                "counts of words have probabilities once it is known how many words a row has");
    smr_model_free(m);
    m = train_on(ctx, "bayesnet", t, "kind");
    m->schema.inputs[0].has_range = false; /* a file from before ranges were kept */
    check_fails(ctx, smr_model_draw(ctx, m, 1, 2, &u), SMR_ERR_PARAM,
                "bayesnet: where the outermost bins of feature 1 end is not known");
    smr_model_free(m);
    m = train_on(ctx, "tree", t, "kind");
    check_fails(ctx, smr_model_draw(ctx, m, 1, 2, &u), SMR_ERR_PARAM,
                "a tree model does not say how rows come about");
    smr_model_free(m);
    smr_table_free(t);
    check_ctx_end(ctx);
}

static void memory_may_fail_while_rows_are_drawn(void **unused)
{
    static const char *const words[] = {"bayes", "gauss", "bayesnet"};
    (void)unused;
    for (int w = 0; w < 3; w++) {
        smr_ctx *ctx = check_ctx(2);
        smr_table *t = things(ctx, false), *u;
        smr_model *m = train_on(ctx, words[w], t, "kind");
        for (int64_t at = 0;; at++) {
            u = NULL;
            smr_memory_fail_at(ctx, at);
            smr_status st = smr_model_draw(ctx, m, 1, 20, &u);
            smr_memory_fail_at(ctx, -1);
            if (st == SMR_OK) break;
            assert_int_equal(st, SMR_ERR_NOMEM);
            assert_null(u);
        }
        smr_table_free(u);
        smr_model_free(m);
        smr_table_free(t);
        check_ctx_end(ctx);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(naive_bayes_draws_what_it_has_learned),
        cmocka_unit_test(gaussian_classes_draw_their_clouds),
        cmocka_unit_test(networks_draw_levels_and_places_in_bins),
        cmocka_unit_test(drawn_rows_are_the_same_on_any_threads),
        cmocka_unit_test(what_cannot_be_drawn_is_refused),
        cmocka_unit_test(memory_may_fail_while_rows_are_drawn),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
