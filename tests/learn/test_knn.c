/* The learner knn, through its descriptor: votes, means, weights, forms, ties, bad input. */
#include "learn/near_truth.h"
#include "whole_check.h"

#include "core/params.h"
#include "learn/learner.h"
#include "learn/neighbors/knn.h"
#include "learn/state.h"

extern const smr_learner smr_knn;

/* ---- a model over plain arrays ---- */

struct set {
    smr_data data;
    smr_feature *features;
};

static struct set set_of(smr_dtype dtype, const void *x, int64_t n, int64_t d)
{
    struct set s = {.data = {.size = sizeof s.data, .n_rows = n, .n_features = d}};
    s.features = calloc((size_t)d, sizeof *s.features);
    for (int64_t j = 0; j < d; j++)
        s.features[j] = (smr_feature){.name = j ? "other" : "first",
                                      .dtype = dtype,
                                      .values = (const char *)x + (size_t)j * smr_dtype_size(dtype),
                                      .stride = d};
    s.data.features = s.features;
    return s;
}

static struct set labelled(smr_dtype dtype, const void *x, int64_t n, int64_t d,
                           const int32_t *label, int64_t n_classes)
{
    struct set s = set_of(dtype, x, n, d);
    s.data.task = SMR_TASK_CLASSIFY;
    s.data.label = label;
    s.data.n_classes = n_classes;
    return s;
}

static struct set valued(const double *x, int64_t n, int64_t d, const double *y, int64_t n_outputs)
{
    struct set s = set_of(SMR_F64, x, n, d);
    s.data.task = SMR_TASK_REGRESS;
    s.data.y = y;
    s.data.n_outputs = n_outputs;
    return s;
}

struct fitted {
    struct smr_knn_params *params;
    struct smr_knn_state *state;
};

static smr_status fit(smr_ctx *ctx, const struct smr_knn_params *given, const smr_data *data,
                      struct fitted *f)
{
    smr_status st = SMR_OK;
    smr_fit_report report = {0};
    *f = (struct fitted){0};
    TRY(smr_params_create(ctx, smr_knn.word, (void **)&f->params));
    f->params->k = given->k;
    f->params->metric = given->metric;
    f->params->weight = given->weight;
    f->params->algorithm = given->algorithm;
    if (given->p > 0) f->params->p = given->p;
    TRY(smr_state_create(ctx, &smr_knn, (void **)&f->state));
    TRY(smr_learner_fit(ctx, &smr_knn, f->params, data, f->state, &report));
    TRY(smr_knn.fitted->prepare(ctx, f->params, f->state));
out:
    return st;
}

static void drop(struct fitted *f)
{
    smr_state_free(&smr_knn, f->state);
    smr_params_free(smr_knn.word, f->params);
    *f = (struct fitted){0};
}

/* Predicts in blocks of `block` rows of that form. */
static smr_status predict(smr_ctx *ctx, const struct fitted *f, smr_form form, const void *x,
                          int64_t n, int64_t block, double *out)
{
    static const size_t sizes[] = {8, 4, 1};
    smr_status st = SMR_OK;
    char *scratch = NULL;
    int64_t d = f->state->d, width = SMR_MAX(f->state->n_classes, f->state->n_outputs);
    TRY_NEW(scratch, smr_knn.fitted->scratch(f->params, f->state, block));
    for (int64_t r = 0; r < n; r += block) {
        smr_rows rows = {.first = r,
                         .n = SMR_MIN(block, n - r),
                         .d = d,
                         .form = form,
                         .x = (const char *)x + (size_t)(r * d) * sizes[form],
                         .stride = d};
        smr_output output = f->state->label ? SMR_OUTPUT_PROBA : SMR_OUTPUT_VALUE;
        TRY(smr_knn.fitted->predict(ctx, f->params, f->state, &rows, output, out + r * width,
                                    scratch));
    }
out:
    smr_free(scratch);
    return st;
}

/* ---- worked answers ---- */

static const double line[] = {0, 1, 3, 4, 7.5, 9}; /* six rows of one feature */
static const int32_t line_label[] = {2, 0, 0, 2, 1, 1};
static const double line_y[] = {10, 20, -5, 8, 1, 2.5};

static void expect(smr_ctx *ctx, const struct smr_knn_params *p, const smr_data *data, double query,
                   const double *want, int64_t n)
{
    double got[8];
    for (int algorithm = SMR_KNN_AUTO; algorithm <= SMR_KNN_TREE; algorithm++) {
        struct fitted f;
        struct smr_knn_params with = *p;
        with.algorithm = algorithm;
        check_ok(ctx, fit(ctx, &with, data, &f));
        check_ok(ctx, predict(ctx, &f, SMR_FORM_F64, &query, 1, 1, got));
        for (int64_t i = 0; i < n; i++) check_near("answer", got[i], want[i], 1e-15);
        drop(&f);
    }
}

static void neighbours_vote_and_ties_go_to_lower_rows(void **unused)
{
    smr_ctx *ctx = check_ctx(1);
    (void)unused;
    struct set s = labelled(SMR_F64, line, 6, 1, line_label, 4);
    expect(ctx, &(struct smr_knn_params){.k = 1}, &s.data, 0.2, (double[]){0, 0, 1, 0}, 4);
    expect(ctx, &(struct smr_knn_params){.k = 3}, &s.data, 0.2, (double[]){2 / 3., 0, 1 / 3., 0},
           4);
    /* 2 is as far from 1 as from 3, and from 0 as from 4: rows 0 to 2 come first */
    expect(ctx, &(struct smr_knn_params){.k = 3}, &s.data, 2, (double[]){2 / 3., 0, 1 / 3., 0}, 4);
    expect(ctx, &(struct smr_knn_params){.k = 1}, &s.data, 3.5, (double[]){1, 0, 0, 0}, 4);
    free(s.features);
    check_ctx_end(ctx);
}

static void targets_are_averaged(void **unused)
{
    smr_ctx *ctx = check_ctx(1);
    (void)unused;
    struct set s = valued(line, 6, 1, line_y, 1), two = valued(line, 3, 1, line_y, 2);
    expect(ctx, &(struct smr_knn_params){.k = 2}, &s.data, 8, (double[]){1.75}, 1);
    expect(ctx, &(struct smr_knn_params){.k = 2}, &two.data, 0, (double[]){2.5, 14}, 2);
    free(s.features);
    free(two.features);
    check_ctx_end(ctx);
}

static void distance_weights_are_inverse_and_exact_matches_vote_alone(void **unused)
{
    smr_ctx *ctx = check_ctx(1);
    (void)unused;
    struct smr_knn_params p = {.k = 3, .weight = SMR_KNN_DISTANCE};
    struct set s = valued(line, 6, 1, line_y, 1);
    double want = (10 / 0.25 + 20 / 0.75 - 5 / 2.75) / (1 / 0.25 + 1 / 0.75 + 1 / 2.75);
    expect(ctx, &p, &s.data, 0.25, &want, 1);
    expect(ctx, &p, &s.data, 3, (double[]){-5}, 1);
    double twice[] = {3, 3, 4};
    struct set t = valued(twice, 3, 1, line_y, 1);
    expect(ctx, &p, &t.data, 3, (double[]){15}, 1);
    free(s.features);
    free(t.features);
    check_ctx_end(ctx);
}

static void distances_far_out_of_range_still_weigh(void **unused)
{
    smr_ctx *ctx = check_ctx(1);
    (void)unused;
    struct smr_knn_params p = {.k = 2, .weight = SMR_KNN_DISTANCE};
    double tiny[] = {1e-200, 4e-200}, huge[] = {1e200, -4e200};
    struct set s = valued(tiny, 2, 1, line_y, 1), t = valued(huge, 2, 1, line_y, 1);
    expect(ctx, &p, &s.data, 0, (double[]){12}, 1); /* (10 + 20 / 4) / (1 + 1 / 4) */
    expect(ctx, &p, &t.data, 0, (double[]){12}, 1);
    free(s.features);
    free(t.features);
    check_ctx_end(ctx);
}

static void fractional_weights_fill_places(void **unused)
{
    smr_ctx *ctx = check_ctx(1);
    (void)unused;
    static const double weight[] = {0.5, 0, 1.25, 3, 0.25, 1};
    struct set s = valued(line, 6, 1, line_y, 1);
    s.data.weight = weight;
    /* from 2.9: row 2 fills 1.25 places, row 3 the other 0.75 of k = 2 */
    double want = (1.25 * -5 + 0.75 * 8) / 2;
    expect(ctx, &(struct smr_knn_params){.k = 2}, &s.data, 2.9, &want, 1);
    want = (0.25 * 1 + 1 * 2.5 + 1.75 * 8) / 3; /* from 9: rows 5, 4, and part of 3 */
    expect(ctx, &(struct smr_knn_params){.k = 3}, &s.data, 9, &want, 1);
    free(s.features);
    check_ctx_end(ctx);
}

static void note(void *user, smr_log_level level, const char *message)
{
    if (level == SMR_LOG_WARNING) snprintf(user, 200, "%s", message);
}

static void all_rows_vote_when_k_is_larger(void **unused)
{
    char said[200] = "";
    smr_ctx *ctx = check_ctx(1);
    (void)unused;
    ctx->log = note;
    ctx->log_user = said;
    struct set s = labelled(SMR_F64, line, 6, 1, line_label, 3);
    expect(ctx, &(struct smr_knn_params){.k = 50}, &s.data, 1, (double[]){2 / 6., 2 / 6., 2 / 6.},
           3);
    assert_non_null(strstr(said, "k is 50, but there are only 6 training rows"));
    free(s.features);
    check_ctx_end(ctx);
}

/* ---- properties ---- */

enum { N = 411, D = 5, M = 67, CLASSES = 4 };

static void fill(double *x, int64_t n, enum sort sort, uint64_t seed)
{
    for (int64_t i = 0; i < n * D; i++) x[i] = value_of(sort, seed, i / D, i % D);
}

static void draw_labels(int32_t *label, int64_t n)
{
    for (int64_t i = 0; i < n; i++) label[i] = (int32_t)(draw(9, i, 0) * CLASSES);
}

static void weight_two_means_the_row_twice(void **unused)
{
    smr_ctx *ctx = check_ctx(2);
    static double x[N * D], twice[3 * N * D], q[M * D], y[N], y2[3 * N], weight[N];
    static double got[M], want[M];
    (void)unused;
    fill(x, N, GRID, 1); /* many ties */
    fill(q, M, GRID, 2);
    int64_t n2 = 0;
    for (int64_t i = 0; i < N; i++) {
        y[i] = draw(3, i, 0);
        weight[i] = floor(draw(4, i, 0) * 4);
        for (int64_t c = 0; c < (int64_t)weight[i]; c++, n2++) {
            memcpy(twice + n2 * D, x + i * D, D * sizeof *x);
            y2[n2] = y[i];
        }
    }
    for (int v = 0; v < 4; v++) {
        struct smr_knn_params p = {.k = 7, .weight = v % 2, .algorithm = 1 + v / 2};
        struct set a = valued(x, N, D, y, 1), b = valued(twice, n2, D, y2, 1);
        struct fitted f, g;
        a.data.weight = weight;
        check_ok(ctx, fit(ctx, &p, &a.data, &f));
        check_ok(ctx, fit(ctx, &p, &b.data, &g));
        check_ok(ctx, predict(ctx, &f, SMR_FORM_F64, q, M, 10, got));
        check_ok(ctx, predict(ctx, &g, SMR_FORM_F64, q, M, 10, want));
        for (int64_t i = 0; i < M; i++) check_near("mean", got[i], want[i], 1e-14);
        drop(&f);
        drop(&g);
        free(a.features);
        free(b.features);
    }
    check_ctx_end(ctx);
}

/* All metrics, both weights: the same bits for each algorithm, form of rows, form of queries,
 * number of threads, and size of block. */
static void answers_do_not_depend_on_the_path(void **unused)
{
    static double x[N * D], q[M * D], first[M * CLASSES], got[M * CLASSES];
    static uint8_t xb[N * D], qb[M * D];
    static float xf[N * D], qf[M * D];
    static int32_t label[N];
    (void)unused;
    fill(x, N, BYTES, 5);
    fill(q, M, BYTES, 6);
    draw_labels(label, N);
    for (int64_t i = 0; i < N * D; i++) xb[i] = (uint8_t)(xf[i] = (float)x[i]);
    for (int64_t i = 0; i < M * D; i++) qb[i] = (uint8_t)(qf[i] = (float)q[i]);
    const void *rows[] = {x, xf, xb}, *queries[] = {q, qf, qb};

    for (int v = 0; v < 10; v++) {
        for (int path = 0; path < 18; path++) {
            smr_ctx *ctx = check_ctx(path % 3 == 0 ? 1 : path % 3 == 1 ? 2 : 7);
            struct smr_knn_params p = {
                .k = 6, .metric = v / 2, .weight = v % 2, .algorithm = path % 2 ? 1 : 2};
            struct set s = labelled((smr_dtype)(path / 6), rows[path / 6], N, D, label, CLASSES);
            struct fitted f;
            check_ok(ctx, fit(ctx, &p, &s.data, &f));
            assert_non_null(f.state->x_u8); /* whatever they came as */
            double *out = path ? got : first;
            int query = path / 2 % 3;
            check_ok(ctx, predict(ctx, &f, (smr_form)query, queries[query], M,
                                  path % 5 == 0 ? 1 : 3 + 8 * path, out));
            if (path) assert_memory_equal(got, first, sizeof got);
            drop(&f);
            free(s.features);
            check_ctx_end(ctx);
        }
    }
}

/* The same rows as bytes and, with one more that is far from all, as floats and doubles. */
static void wide_queries_meet_narrow_rows_exactly(void **unused)
{
    static double x[(N + 1) * D], q[M * D], narrow[M * CLASSES], wide[M * CLASSES];
    static int32_t label[N + 1];
    static const double far[] = {-1e6, -1e6 - 0.1};
    static const smr_form form[] = {SMR_FORM_F32, SMR_FORM_F64};
    smr_ctx *ctx = check_ctx(1);
    (void)unused;
    fill(x, N, BYTES, 5);
    for (int64_t i = 0; i < M * D; i++) q[i] = draw(7, i, 0) * 255; /* not bytes */
    draw_labels(label, N + 1);
    for (int v = 0; v < 4; v++) {
        struct smr_knn_params p = {.k = 3, .weight = 1, .algorithm = 1 + v % 2};
        struct set s = labelled(SMR_F64, x, N, D, label, CLASSES);
        struct fitted f;
        check_ok(ctx, fit(ctx, &p, &s.data, &f));
        assert_int_equal(smr_knn.fitted->form(f.state), SMR_FORM_U8);
        check_ok(ctx, predict(ctx, &f, SMR_FORM_F64, q, M, 16, narrow));
        drop(&f);
        for (int64_t j = 0; j < D; j++) x[N * D + j] = far[v / 2];
        s.data.n_rows = N + 1;
        check_ok(ctx, fit(ctx, &p, &s.data, &f));
        assert_int_equal(smr_knn.fitted->form(f.state), form[v / 2]);
        check_ok(ctx, predict(ctx, &f, SMR_FORM_F64, q, M, 16, wide));
        assert_memory_equal(narrow, wide, sizeof wide);
        drop(&f);
        free(s.features);
    }
    check_ctx_end(ctx);
}

static void rows_are_kept_in_the_narrowest_form(void **unused)
{
    smr_ctx *ctx = check_ctx(2);
    double x[] = {0, 255, 7, 31};
    int32_t label[] = {0, 1};
    (void)unused;
    for (int step = 0; step < 4; step++) {
        struct set s = labelled(SMR_F64, x, 2, 2, label, 2);
        struct fitted f;
        if (step == 1) x[3] = 256;
        if (step == 2) x[3] = -0.375;
        if (step == 3) x[3] = 0.1;
        check_ok(ctx, fit(ctx, &(struct smr_knn_params){.k = 1}, &s.data, &f));
        assert_int_equal(smr_knn.fitted->form(f.state), step == 0   ? SMR_FORM_U8
                                                        : step == 3 ? SMR_FORM_F64
                                                                    : SMR_FORM_F32);
        drop(&f);
        free(s.features);
    }
    check_ctx_end(ctx);
}

/* FIGURES, C1: labels that are 1 with probability 0.9 everywhere.  1-NN errs when row and neighbour
 * differ, 2 (0.9)(0.1) = 0.18; k-NN when the vote and the row differ. */
static void errors_come_to_the_figures_of_the_course(void **unused)
{
    enum { ROWS = 200000 };
    static const double figure[] = {0.18, 0.1224, 0.1068, 0.1022};
    smr_ctx *ctx = check_ctx(2);
    double *x = malloc(ROWS * sizeof *x), *q = malloc(ROWS * sizeof *q);
    double *proba = malloc(2 * ROWS * sizeof *proba);
    int32_t *label = malloc(ROWS * sizeof *label);
    (void)unused;
    for (int64_t i = 0; i < ROWS; i++) {
        x[i] = draw(1, i, 0);
        q[i] = draw(1, i, 1);
        label[i] = draw(1, i, 2) < 0.9;
    }
    for (int v = 0; v < 4; v++) {
        struct set s = labelled(SMR_F64, x, ROWS, 1, label, 2);
        struct fitted f;
        int64_t wrong = 0;
        check_ok(ctx, fit(ctx, &(struct smr_knn_params){.k = 2 * v + 1}, &s.data, &f));
        assert_true(f.state->search->by_tree);
        check_ok(ctx, predict(ctx, &f, SMR_FORM_F64, q, ROWS, 256, proba));
        for (int64_t i = 0; i < ROWS; i++)
            wrong += (proba[2 * i + 1] > 0.5) != (draw(1, i, 3) < 0.9);
        /* the standard error is 0.0012 at most */
        check_near("error", (double)wrong / ROWS, figure[v], 0.004);
        drop(&f);
        free(s.features);
    }
    free(label);
    free(proba);
    free(q);
    free(x);
    check_ctx_end(ctx);
}

/* ---- bad input and failures ---- */

static void values_without_distance_are_named(void **unused)
{
    smr_ctx *ctx = check_ctx(1);
    double x[] = {1, 2, 3, 4.5, 5, 6}, q[] = {1, 2, 3, NAN}, out[4];
    int32_t label[] = {0, 1, 0};
    struct smr_knn_params p = {.k = 1};
    struct fitted f;
    (void)unused;
    struct set s = labelled(SMR_F64, x, 3, 2, label, 2);
    check_ok(ctx, fit(ctx, &p, &s.data, &f));
    check_fails(ctx, predict(ctx, &f, SMR_FORM_F64, q, 2, 2, out), SMR_ERR_DATA,
                "feature 1 of row 2 is missing");
    q[3] = -INFINITY;
    check_fails(ctx, predict(ctx, &f, SMR_FORM_F64, q, 2, 1, out), SMR_ERR_DATA,
                "feature 1 of row 2 is infinite");
    drop(&f);
    x[2] = INFINITY;
    check_fails(ctx, fit(ctx, &p, &s.data, &f), SMR_ERR_DATA,
                "feature 'first' of training row 2 is infinite");
    drop(&f);
    x[2] = NAN;
    check_fails(ctx, fit(ctx, &p, &s.data, &f), SMR_ERR_DATA, "training row 2 is missing");
    drop(&f);
    s.data.n_rows = 0;
    check_fails(ctx, fit(ctx, &p, &s.data, &f), SMR_ERR_DATA, "there are no training rows");
    drop(&f);
    s.data.n_rows = 3;
    s.data.task = SMR_TASK_NONE;
    check_fails(ctx, fit(ctx, &p, &s.data, &f), SMR_ERR_PARAM, "there is no target");
    drop(&f);
    free(s.features);
    check_ctx_end(ctx);
}

static void damaged_states_are_refused(void **unused)
{
    smr_ctx *ctx = check_ctx(1);
    struct fitted f;
    (void)unused;
    struct set s = labelled(SMR_F64, line, 6, 1, line_label, 3);
    check_ok(ctx, fit(ctx, &(struct smr_knn_params){.k = 1}, &s.data, &f));
    smr_shape right = {.n_features = 1, .task = SMR_TASK_CLASSIFY, .n_outputs = 1, .n_classes = 3},
              wide = right, few = right;
    wide.n_features = 2;
    few.n_classes = 2;
    check_ok(ctx, whole_check(ctx, &smr_knn, f.params, f.state, &right));
    check_fails(ctx, whole_check(ctx, &smr_knn, f.params, f.state, &wide), SMR_ERR_FORMAT,
                "1 feature where 2 come in");
    check_fails(ctx, whole_check(ctx, &smr_knn, f.params, f.state, &few), SMR_ERR_FORMAT,
                "knn has 3 classes where 2 are the model\'s");
    f.state->label[4] = 3;
    check_fails(ctx, whole_check(ctx, &smr_knn, f.params, f.state, &right), SMR_ERR_FORMAT,
                "number 5 of its label is 3, and must lie from 0 to 2");
    f.state->label[4] = 1;
    f.state->x_f32[2] = NAN;
    check_fails(ctx, whole_check(ctx, &smr_knn, f.params, f.state, &right), SMR_ERR_FORMAT,
                "finite");
    f.state->x_f32[2] = 3;
    f.state->n_outputs = 1;
    check_fails(ctx, whole_check(ctx, &smr_knn, f.params, f.state, &right), SMR_ERR_FORMAT,
                "knn has 1 target where 0 are the model\'s");
    f.state->n_outputs = 0;
    f.state->x_f32[6] = 1; /* after the last row */
    check_fails(ctx, whole_check(ctx, &smr_knn, f.params, f.state, &right), SMR_ERR_FORMAT,
                "not zero");
    f.state->x_f32[6] = 0;
    int32_t row = f.state->order[3];
    f.state->order[3] = f.state->order[0];
    check_fails(ctx, whole_check(ctx, &smr_knn, f.params, f.state, &right), SMR_ERR_FORMAT,
                "order");
    f.state->order[3] = 6;
    check_fails(ctx, whole_check(ctx, &smr_knn, f.params, f.state, &right), SMR_ERR_FORMAT,
                "order");
    f.state->order[3] = -1;
    check_fails(ctx, whole_check(ctx, &smr_knn, f.params, f.state, &right), SMR_ERR_FORMAT,
                "order");
    f.state->order[3] = row;
    f.params->algorithm = SMR_KNN_BRUTE; /* whose panels are wider */
    check_fails(ctx, whole_check(ctx, &smr_knn, f.params, f.state, &right), SMR_ERR_FORMAT,
                "6 rows of 1 features are not laid out as 1 x 1 x 16");
    f.params->metric = SMR_METRIC_MANHATTAN; /* whose groups are those of the tree */
    check_fails(ctx, whole_check(ctx, &smr_knn, f.params, f.state, &right), SMR_ERR_FORMAT,
                "tree only");
    f.params->algorithm = SMR_KNN_AUTO;
    f.params->metric = SMR_METRIC_EUCLIDEAN;
    check_ok(ctx, whole_check(ctx, &smr_knn, f.params, f.state, &right));
    float *x = f.state->x_f32;
    f.state->x_f32 = NULL;
    check_fails(ctx, whole_check(ctx, &smr_knn, f.params, f.state, &right), SMR_ERR_FORMAT,
                "one form");
    f.state->x_f32 = x;
    drop(&f);
    free(s.features);
    check_ctx_end(ctx);
}

static void failing_allocations_are_survived(void **unused)
{
    static double x[N * D], q[M * D], out[M * CLASSES], weight[N];
    static int32_t label[N];
    smr_ctx *ctx = check_ctx(2);
    (void)unused;
    fill(x, N, UNIFORM, 5);
    fill(q, M, UNIFORM, 6);
    draw_labels(label, N);
    for (int64_t i = 0; i < N; i++) weight[i] = draw(8, i, 0) < 0.3 ? 0 : 1.5;
    for (int v = 0; v < 4; v++) {
        smr_status st = SMR_ERR_NOMEM;
        for (int64_t n = 0; st != SMR_OK; n++) {
            struct smr_knn_params p = {
                .k = 4, .algorithm = 1 + v % 2, .metric = v < 2 ? 0 : SMR_METRIC_COSINE};
            struct set s = labelled(SMR_F64, x, N, D, label, CLASSES);
            struct fitted f;
            s.data.weight = weight;
            smr_memory_fail_at(ctx, n);
            st = fit(ctx, &p, &s.data, &f);
            if (st == SMR_OK) st = predict(ctx, &f, SMR_FORM_F64, q, M, 30, out);
            smr_memory_fail_at(ctx, -1);
            assert_true(st == SMR_OK || st == SMR_ERR_NOMEM);
            smr_ctx_clear(ctx);
            drop(&f);
            free(s.features);
            assert_true(n < 200);
        }
    }
    check_ctx_end(ctx);
}

static int stop(void *user, const char *what, int64_t done, int64_t total, double figure)
{
    (void)what, (void)done, (void)total, (void)figure;
    return --*(int *)user < 0;
}

static void a_fit_can_be_cancelled(void **unused)
{
    enum { ROWS = 60000 };
    double *x = malloc(ROWS * 2 * sizeof *x);
    int32_t *label = calloc(ROWS, sizeof *label);
    (void)unused;
    for (int64_t i = 0; i < 2 * ROWS; i++) x[i] = draw(1, i, 0);
    for (int after = 0; after < 2; after++) {
        for (int algorithm = 1; algorithm <= 2; algorithm++) {
            smr_ctx *ctx = check_ctx(2);
            int left = after;
            struct fitted f;
            struct set s = labelled(SMR_F64, x, ROWS, 2, label, 1);
            ctx->progress = stop;
            ctx->progress_user = &left;
            if (after) smr_ctx_cancel(ctx);
            smr_status st =
                fit(ctx, &(struct smr_knn_params){.k = 3, .algorithm = algorithm}, &s.data, &f);
            assert_int_equal(st, SMR_ERR_CANCELLED);
            drop(&f);
            free(s.features);
            check_ctx_end(ctx);
        }
    }
    free(label);
    free(x);
}

static void inspect_says_how_neighbours_are_found(void **unused)
{
    smr_ctx *ctx = check_ctx(1);
    struct fitted f;
    smr_json_doc *doc;
    (void)unused;
    struct set s = labelled(SMR_F64, line, 6, 1, line_label, 4);
    check_ok(ctx, fit(ctx, &(struct smr_knn_params){.k = 2, .algorithm = 2}, &s.data, &f));
    check_ok(ctx, smr_json_create(ctx, &doc));
    smr_json *root = smr_json_root(doc);
    check_ok(ctx, smr_knn.fitted->describe(ctx, f.params, f.state, s.features, 1, root));
    check_ok(ctx, smr_json_done(doc));
    assert_string_equal(smr_json_get_string(root, "algorithm", ""), "tree");
    assert_string_equal(smr_json_get_string(root, "stored_as", ""), "float");
    assert_true(smr_json_get_number(root, "rows", 0) == 6);
    assert_true(smr_json_get_number(root, "stored_bytes", 0) == 24);
    assert_true(smr_json_get_number(smr_json_get(root, "tree"), "leaves", 0) == 1);
    const smr_json *counts = smr_json_get(root, "class_weights");
    assert_int_equal(counts->n, 4);
    assert_true(counts->first->number == 2 && counts->last->number == 0);
    smr_json_free(doc);
    drop(&f);
    free(s.features);
    check_ctx_end(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(neighbours_vote_and_ties_go_to_lower_rows),
        cmocka_unit_test(targets_are_averaged),
        cmocka_unit_test(distance_weights_are_inverse_and_exact_matches_vote_alone),
        cmocka_unit_test(distances_far_out_of_range_still_weigh),
        cmocka_unit_test(fractional_weights_fill_places),
        cmocka_unit_test(all_rows_vote_when_k_is_larger),
        cmocka_unit_test(weight_two_means_the_row_twice),
        cmocka_unit_test(answers_do_not_depend_on_the_path),
        cmocka_unit_test(wide_queries_meet_narrow_rows_exactly),
        cmocka_unit_test(rows_are_kept_in_the_narrowest_form),
        cmocka_unit_test(errors_come_to_the_figures_of_the_course),
        cmocka_unit_test(values_without_distance_are_named),
        cmocka_unit_test(damaged_states_are_refused),
        cmocka_unit_test(failing_allocations_are_survived),
        cmocka_unit_test(a_fit_can_be_cancelled),
        cmocka_unit_test(inspect_says_how_neighbours_are_found),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
