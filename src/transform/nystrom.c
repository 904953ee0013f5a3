/* nystrom.c -- features whose products are nearly a kernel, from its values with some rows.
 *
 * With landmarks L, m training rows, and K(L, L) = V diag(s) V', s descending,
 *
 *     z(x) = diag(s)^-1/2 V' K(L, x),   z(x)'z(x') = K(x, L) K(L, L)^-1 K(L, x')               (1)
 *
 * which is K(x, x') itself where phi(x) or phi(x') lies in the span of the landmarks'.  Eigenvalues
 * up to DROPPED of the largest are rounding and left out, so fewer than m features may go out; they
 * are ordered by s.  A linear learner on z is the kernel learner with K replaced by (1): nystrom
 * 500 | ridge in place of krr.
 *
 * e(x) = K(x, x) - |z(x)|^2 >= 0 is what is lost, and |K(x, x') - z(x)'z(x')|^2 <= e(x) e(x').  On
 * SAMPLE rows the fit reports sum e / sum K(x, x), the relative error of the trace, and the largest
 * e, which bounds the error of all values of K among them.
 *
 * Cost: landmarks.c; m^3 for (1); a row m values of K and m r multiply-adds.  Memory: m rows, m r
 * numbers; while it is fitted, a copy of the rows.
 *
 * Symbols: m landmarks, r features that go out, K the kernel.
 * Reference: Williams & Seeger, Using the Nystrom method to speed up kernel machines, NIPS 2000. */
#include "core/figure.h"
#include "kernel/kernel.h"
#include "learn/kernels/kernel_points.h"
#include "learn/kernels/kernel_show.h"
#include "learn/made_features.h"
#include "math/factor.h"
#include "transform/landmarks.h"

#include <math.h>
#include <string.h>

enum { SAMPLE = 1000 };
#define DROPPED 1e-12

/* ---- parameters ------------------------------------------------------------------------- */

struct nystrom_params {
    smr_kernel kernel; /* first: SMR_KERNELLED */
    int64_t landmarks;
    int choose;
};

static const smr_choice choices[] = {
    [SMR_LANDMARKS_SPREAD] = {"spread", "one by one, far from those there are, in feature space"},
    [SMR_LANDMARKS_UNIFORM] = {"uniform", "at random, all rows alike"},
    {NULL, NULL},
};

static const smr_param params[] = {
    {SMR_FIELD(struct nystrom_params, landmarks), .def = 100, .min = 1, .max = 100000,
     .primary = true, .search = SMR_SEARCH_LOG, .search_min = 10, .search_max = 1000,
     .simpler = SMR_SIMPLER_LOW,
     .doc = "Number of training rows that stand for all, and of features; at most all rows."},
    {SMR_FIELD(struct nystrom_params, kernel), .grammar = &smr_kernel_grammar, .def_text = "rbf",
     .least = 1, .most = 1,
     .doc =
         "The kernel: rbf(gamma=0.1), poly(degree=3), a sum or product of several; strings too."},
    {SMR_FIELD(struct nystrom_params, choose), .choices = choices, .search = SMR_SEARCH_VALUES,
     .doc = "How the landmarks are drawn."},
};

/* ---- state ------------------------------------------------------------------------------ */

struct nystrom_state {
    smr_kernel_points points; /* first */
    int64_t n_out, n_sample;
    double error, worst; /* NaN: there was no sample */
    double *eigenvalue, *map;
};
SMR_KERNELLED(struct nystrom_params, struct nystrom_state);

static const smr_state state[] = {
    SMR_KERNEL_KEPT(struct nystrom_state, points),
    {SMR_KEPT(struct nystrom_state, n_out), .min = 1, .most = "n_points",
     .doc = "Features that go out."},
    {SMR_KEPT(struct nystrom_state, n_sample), .min = 0, .max = SAMPLE,
     .doc = "Rows on which the error was measured."},
    {SMR_KEPT(struct nystrom_state, error),
     .doc = "What is lost of the kernel matrix' trace, as a share."},
    {SMR_KEPT(struct nystrom_state, worst), .doc = "Bound on the error of a value of the kernel."},
    {SMR_KEPT(struct nystrom_state, eigenvalue), .dims = {"n_out"}, .reals = SMR_REALS_FROM_0,
     .doc = "Eigenvalues of the landmarks' kernel matrix."},
    {SMR_KEPT(struct nystrom_state, map), .dims = {"n_out", "n_points"}, .reals = SMR_REALS_FINITE,
     .doc = "What each value of the kernel adds to each feature."},
};

/* ---- fit -------------------------------------------------------------------------------- */

/* (1) */
static smr_status find_map(smr_ctx *ctx, int64_t m, double *K, struct nystrom_state *s)
{
    smr_status st = SMR_OK;
    double *value = NULL;
    TRY_NEW(value, m);
    TRY(smr_eigen(ctx, m, K, m, value)); /* ascending */
    double least = DROPPED * value[m - 1];
    while (s->n_out < m && value[m - 1 - s->n_out] > least) s->n_out++;
    bool none = s->n_out == 0; /* all values of the kernel are 0: one feature, 0 */
    if (none) s->n_out = 1;
    TRY_NEW(s->eigenvalue, s->n_out);
    TRY_NEW(s->map, s->n_out * m);
    for (int64_t c = 0; c < s->n_out && !none; c++) {
        s->eigenvalue[c] = value[m - 1 - c];
        double by = 1 / sqrt(s->eigenvalue[c]);
        for (int64_t j = 0; j < m; j++) s->map[c * m + j] = by * K[(m - 1 - c) * m + j];
    }
out:
    smr_free(value);
    return st;
}

/* The error on rows that are drawn, by their weights. */
static smr_status measure(smr_ctx *ctx, const smr_data *data, const smr_kernel_set *set,
                          const int32_t *landmark, int64_t m, struct nystrom_state *s)
{
    smr_status st = SMR_OK;
    int64_t n = SMR_MIN(SAMPLE, data->n_rows);
    int32_t *row = NULL;
    double *K = NULL, *z = NULL, *diagonal = NULL, lost = 0, all = 0;
    TRY_NEW(row, n);
    TRY(smr_landmarks_draw(ctx, data, SMR_DRAW_SAMPLE, &n, row));
    TRY_NEW(K, n * m);
    TRY_NEW(z, s->n_out);
    TRY_NEW(diagonal, data->n_rows);
    TRY(smr_kernel_diagonal(ctx, set, diagonal));
    TRY(smr_kernel_block(ctx, set, row, n, landmark, m, K, m));
    for (int64_t i = 0; i < n; i++) {
        double own = diagonal[row[i]];
        smr_rows_times_f64(1, m, s->n_out, K + i * m, m, s->map, m, z);
        double e = smr_fmax(own - smr_dot_f64(s->n_out, z, z), 0);
        lost += e;
        all += own;
        s->worst = smr_fmax(s->worst, e);
    }
    s->n_sample = n;
    s->error = all > 0 ? lost / all : 0;
out:
    smr_free(row);
    smr_free(K);
    smr_free(z);
    smr_free(diagonal);
    return st;
}

static smr_status fit(smr_ctx *ctx, const void *params_, const smr_data *data, void *state_,
                      smr_fit_report *report)
{
    const struct nystrom_params *p = params_;
    struct nystrom_state *s = state_;
    smr_status st = SMR_OK;
    smr_kernel_set set = {0};
    int32_t *landmark = NULL;
    double *K = NULL;
    int64_t m = SMR_MIN(p->landmarks, data->n_rows);
    (void)report;
    if (data->n_rows > SMR_MAX_DIM)
        return smr_fail(ctx, SMR_ERR_SHAPE, "nystrom: %lld rows are too many",
                        (long long)data->n_rows);
    TRY(smr_memory_check(ctx, 32.0 * (double)m * (double)m, "nystrom: the landmarks' kernel matrix",
                         "use fewer landmarks"));
    TRY(smr_kernel_open(ctx, "nystrom", &p->kernel, data, SMR_KERNEL_F64, &set));
    TRY(smr_kernel_warn(ctx, "nystrom", &set, "what is negative of it is left out"));
    TRY_NEW(landmark, m);
    TRY(smr_landmarks_choose(ctx, data, &set, p->choose, &m, landmark));
    if (m == 0) { /* no row has a weight, or all values of the kernel are 0 */
        m = 1;
        TRY(smr_landmarks_draw(ctx, data, SMR_DRAW_LANDMARKS, &m, landmark));
    }
    if (m == 0) TRY(smr_fail(ctx, SMR_ERR_DATA, "nystrom: there are no training rows"));
    K = smr_alloc_raw(ctx, m * m, sizeof *K);
    if (!K) TRY(SMR_ERR_NOMEM);
    TRY(smr_kernel_block(ctx, &set, landmark, m, landmark, m, K, m));
    TRY(find_map(ctx, m, K, s));
    TRY(measure(ctx, data, &set, landmark, m, s));
    TRY(smr_kernel_keep(ctx, &set, landmark, m, &s->points));
out:
    smr_kernel_close(&set);
    smr_free(landmark);
    smr_free(K);
    return st;
}

/* ---- loading and applying --------------------------------------------------------------- */

static int64_t scratch(const void *params_, const void *state_, int64_t n)
{
    const struct nystrom_params *p = params_;
    const struct nystrom_state *s = state_;
    return smr_kernel_scratch(&p->kernel, &s->points, n, s->n_out);
}

static smr_status predict(smr_ctx *ctx, const void *params_, const void *state_,
                          const smr_rows *rows, smr_output output, double *out, void *scratch_)
{
    const struct nystrom_params *p = params_;
    const struct nystrom_state *s = state_;
    (void)output;
    return smr_kernel_apply(ctx, &p->kernel, &s->points, rows, s->map, s->n_out, out, scratch_);
}

static int64_t n_out(const void *params_, const void *state_, int64_t n_in)
{
    (void)params_, (void)n_in;
    return ((const struct nystrom_state *)state_)->n_out;
}

static smr_status outputs(smr_ctx *ctx, const void *params_, const void *state_,
                          const smr_feature *in, int64_t n_in, smr_feature *out, int64_t n)
{
    (void)params_, (void)state_, (void)in, (void)n_in;
    return smr_made_features(ctx, "nystrom_", out, n);
}

/* ---- describe --------------------------------------------------------------------------- */

static smr_status describe(smr_ctx *ctx, const void *params_, const void *state_,
                           const smr_feature *in, int64_t n_in, smr_json *into)
{
    const struct nystrom_params *p = params_;
    const struct nystrom_state *s = state_;
    smr_status st = SMR_OK;
    (void)in;
    smr_json_add_number(into, "features_in", (double)n_in);
    smr_json_add_number(into, "features_out", (double)s->n_out);
    TRY(smr_kernel_show(ctx, &p->kernel, &s->points, into));
    smr_json_add_number(into, "trace_error", s->error);
    smr_json_add_number(into, "largest_error", s->worst);
    smr_json_add_number(into, "measured_on", (double)s->n_sample);
    smr_json_add_numbers(into, "eigenvalues", s->eigenvalue, s->n_out);
out:
    return st;
}

static smr_status draw(smr_ctx *ctx, const void *params_, const void *state_, const smr_feature *in,
                       int64_t n_in, const char *prefix, smr_json *figures)
{
    const struct nystrom_state *s = state_;
    smr_status st = SMR_OK;
    smr_text name = {.ctx = ctx};
    double *number = NULL;
    (void)params_, (void)in, (void)n_in;
    TRY_NEW(number, s->n_out);
    for (int64_t c = 0; c < s->n_out; c++) number[c] = (double)c + 1;
    smr_text_printf(&name, "%seigenvalues", prefix);
    TRY(smr_text_done(&name));
    smr_json *figure = smr_figure_add(
        figures, name.bytes, "Eigenvalues of the landmarks' kernel matrix",
        "A tail that has fallen to nothing: more landmarks would hardly change the kernel.");
    smr_figure_axis(figure, "x", "feature", "linear");
    smr_figure_axis(figure, "y", "eigenvalue", s->eigenvalue[s->n_out - 1] > 0 ? "log" : "linear");
    smr_figure_series(figure, "eigenvalue", "line", s->n_out, number, s->eigenvalue);
out:
    smr_text_release(&name);
    smr_free(number);
    return st;
}

/* ---- descriptor ------------------------------------------------------------------------- */

static const smr_word about = {
    .name = "nystrom",
    .synonyms = "Nystroem",
    .family = "transform",
    .title = "Nystrom features",
    .brief = "Features whose products are nearly a kernel: a linear learner after it is nearly a "
             "kernel learner.",
    .objective = "z(x) = diag(s)^-1/2 V' K(L, x), with K(L, L) = V diag(s) V' of the landmarks L",
    .details =
        "The landmarks are training rows. choose=spread draws them one by one, with chances "
        "proportional to what the ones before leave of K(x, x), from 10000 rows or four times "
        "their number; uniform draws them all alike. Eigenvalues up to 1e-12 of the largest are "
        "left out. inspect shows how much of the kernel matrix' trace is lost, measured on up to "
        "1000 rows, and a bound on the error of any value of the kernel among them. nystrom 500 | "
        "ridge stands for krr, nystrom 500 | logistic for klogistic, where the kernel matrix of "
        "all rows would be too large. String kernels work too. Features should have comparable "
        "scales: put standardize before it.",
    .reference = "Williams & Seeger, NIPS (2000); Chen, Epperly, Tropp & Webber, Randomly pivoted "
                 "Cholesky, Comm. Pure Appl. Math. 78 (2025)",
    .example = "samara train \"standardize | nystrom 50 | ridge\" data/diabetes.csv --target "
               "progression",
    .params = params,
    .n_params = SMR_COUNT(params),
    .params_size = sizeof(struct nystrom_params),
};

static const smr_can_transform transforms = {
    .n_out = n_out,
    .outputs = outputs,
    .origins = smr_made_of_all,
    .no_inverse = "a row is not determined by how similar it is to some others",
};

static const smr_fitted fitted = {
    .state = state,
    .n_state = SMR_COUNT(state),
    .state_size = sizeof(struct nystrom_state),
    .gives = SMR_GIVES_TRANSFORM,
    .prepare = smr_kernelled_prepare,
    .check = smr_kernelled_check,
    .release = smr_kernelled_release,
    .predict = predict,
    .scratch = scratch,
    .form = smr_kernelled_form,
    .describe = describe,
    .draw = draw,
    .transform = &transforms,
};

const smr_learner smr_nystrom = {
    .word = &about,
    .tasks = SMR_DOES_TRANSFORM,
    .takes = SMR_KERNEL_TAKES | SMR_TAKES_WEIGHTS,
    .traits = SMR_KERNEL_TRAITS | SMR_DRAWS_ROWS,
    .nature = smr_kernelled_nature,
    .texts = smr_kernelled_texts,
    .fit = SMR_TRAINING(fit),
    .fitted = &fitted,
};
