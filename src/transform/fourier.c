/* fourier.c -- random Fourier features: waves whose products are nearly a kernel of differences.
 *
 * A kernel K(x - x') is the mean of cos(w'(x - x')) over frequencies w with a density of their own
 * (Bochner): with m of them drawn,
 *
 *     z(x) = m^-1/2 (cos w_1'x, sin w_1'x, ..., cos w_m'x, sin w_m'x)                          (1)
 *     z(x)'z(x') = 1/m sum_j cos w_j'(x - x')
 *
 *     rbf        exp(-gamma |x - x'|^2)    w normal, with variance 2 gamma
 *     laplacian  exp(-gamma |x - x'|_1)    every component Cauchy, of scale gamma
 *
 * The error of a value of K has mean 0 and a deviation of at most sqrt(1 / 2m) for small K, less
 * near 1; fit measures it on pairs of rows.  orthogonal=yes (rbf) makes the frequencies of each
 * group of d orthogonal, each distributed as before: the error is smaller where m is not far below
 * d.  No row is kept, and what is drawn depends on the seed, m, d and gamma alone.
 *
 * Cost: a row m d multiply-adds and 2 m waves; a row's own entries where it is sparse.  Memory: m d
 * numbers; while it is fitted, a copy of the rows where gamma is found in them.
 *
 * Symbols: d features that come in, m frequencies, 2 m features that go out.
 * References: Rahimi & Recht, NIPS 2007; Sutherland & Schneider, UAI 2015 (pairs); Yu, Suresh,
 * Choromanski, Holtmann-Rice & Kumar, NIPS 2016 (orthogonal). */
#include "kernel/kernel.h"
#include "learn/kernels/kernel_points.h"
#include "learn/linear/row.h"
#include "learn/made_features.h"
#include "math/factor.h"
#include "math/trig.h"
#include "transform/landmarks.h"

#include <math.h>
#include <string.h>

enum { SAMPLE = 200 }; /* rows whose pairs are compared */
#define PI 3.14159265358979323846

/* ---- parameters ------------------------------------------------------------------------- */

struct fourier_params {
    smr_kernel kernel; /* first: SMR_KERNELLED */
    int64_t frequencies;
    bool orthogonal;
};

static const smr_param params[] = {
    {SMR_FIELD(struct fourier_params, frequencies), .def = 100, .min = 1, .max = 1000000,
     .primary = true, .search = SMR_SEARCH_LOG, .search_min = 10, .search_max = 2000,
     .simpler = SMR_SIMPLER_LOW,
     .doc = "Number of frequencies; each gives two features, a cosine and a sine."},
    {SMR_FIELD(struct fourier_params, kernel), .grammar = &smr_kernel_grammar, .def_text = "rbf",
     .least = 1, .most = 1, .doc = "The kernel: rbf(gamma=0.1) or laplacian(gamma=0.1)."},
    {SMR_FIELD(struct fourier_params, orthogonal), .def = false, .when = "kernel=rbf",
     .search = SMR_SEARCH_VALUES,
     .doc = "Make the frequencies of each group of d features orthogonal."},
};

static smr_kernel_kind kind_of(const struct fourier_params *p)
{
    return p->kernel.n == 1 && p->kernel.node[0].op == SMR_KERNEL_WORD ? p->kernel.node[0].kind
                                                                       : SMR_KERNEL_KINDS;
}

static smr_status check_params(smr_ctx *ctx, const void *params_)
{
    const struct fourier_params *p = params_;
    smr_kernel_kind kind = kind_of(p);
    if (p->kernel.n > 0 && kind != SMR_KERNEL_RBF && kind != SMR_KERNEL_LAPLACIAN)
        return smr_fail(ctx, SMR_ERR_PARAM,
                        "fourier: kernel= must be rbf or laplacian, alone, whose frequencies are "
                        "known; nystrom takes any kernel");
    return SMR_OK;
}

/* ---- state ------------------------------------------------------------------------------ */

struct fourier_state {
    int64_t n_features, n_frequencies, n_pairs;
    double gamma, error, worst;
    double *frequency;

    void *panels; /* the frequencies, packed for products */
};

static const smr_state state[] = {
    {SMR_KEPT(struct fourier_state, n_features), .is = "features", .min = 1,
     .doc = "Features that come in."},
    {SMR_KEPT(struct fourier_state, n_frequencies), .min = 1, .max = 1000000,
     .doc = "Frequencies."},
    {SMR_KEPT(struct fourier_state, n_pairs), .min = 0,
     .doc = "Pairs of rows on which the error was measured."},
    {SMR_KEPT(struct fourier_state, gamma), .reals = SMR_REALS_FROM_0,
     .doc = "gamma of the kernel, as the training data gave it."},
    {SMR_KEPT(struct fourier_state, error),
     .doc = "Root of the mean squared error of the kernel's values."},
    {SMR_KEPT(struct fourier_state, worst), .doc = "The largest error among them."},
    {SMR_KEPT(struct fourier_state, frequency), .dims = {"n_features", "n_frequencies"},
     .reals = SMR_REALS_FINITE, .doc = "Frequencies, in half turns per unit."},
};

static smr_status prepare(smr_ctx *ctx, const void *params_, void *state_)
{
    struct fourier_state *s = state_;
    int64_t m = s->n_frequencies, d = s->n_features;
    (void)params_;
    s->panels = smr_alloc(ctx, smr_panels_size_f64(m, d), 1);
    if (!s->panels) return SMR_ERR_NOMEM;
    smr_pack_columns_f64(m, d, s->frequency, m, 1, s->panels);
    return SMR_OK;
}

static void release(void *state_)
{
    smr_free(((struct fourier_state *)state_)->panels);
}

/* ---- applying: (1) ---------------------------------------------------------------------- */

/* w'x of n rows, in half turns. */
static void project(const struct fourier_state *s, const smr_rows *rows, double *turns)
{
    int64_t m = s->n_frequencies;
    if (rows->form == SMR_FORM_F64) {
        smr_product_f64(rows->n, m, s->n_features, rows->x, rows->stride, s->panels, turns, m);
        return;
    }
    for (int64_t i = 0; i < rows->n; i++) {
        int64_t at = rows->start[i];
        smr_entries_times_f64(rows->start[i + 1] - at, rows->column + at, rows->value + at, m,
                              s->frequency, m, turns + i * m);
    }
}

static int64_t scratch(const void *params_, const void *state_, int64_t n)
{
    const struct fourier_state *s = state_;
    (void)params_;
    return (8 * n * s->n_frequencies + 63) / 64 * 64;
}

static smr_status predict(smr_ctx *ctx, const void *params_, const void *state_,
                          const smr_rows *rows, smr_output output, double *out, void *scratch_)
{
    const struct fourier_state *s = state_;
    int64_t m = s->n_frequencies;
    double *turns = scratch_, by = 1 / sqrt((double)m);
    (void)ctx, (void)params_, (void)output;
    project(s, rows, turns);
    for (int64_t k = 0; k < rows->n * m; k++) {
        out[2 * k] = by * smr_cos_pi(turns[k]);
        out[2 * k + 1] = by * smr_sin_pi(turns[k]);
    }
    return SMR_OK;
}

/* ---- fit -------------------------------------------------------------------------------- */

/* Frequency j of d components, at a stride: in units of sqrt(2 gamma), or of gamma. */
static void draw_frequency(const smr_ctx *ctx, smr_kernel_kind kind, int64_t j, int64_t d,
                           double *w, int64_t stride)
{
    for (int64_t k = 0; k < d; k += 2) {
        double two[2];
        if (kind == SMR_KERNEL_RBF)
            smr_random_normals(ctx->seed, SMR_STREAM_FOURIER, (uint64_t)j, (uint64_t)k, two);
        for (int64_t c = 0; c < 2 && k + c < d; c++) {
            double u = 0x1p-54 + smr_random_unit(ctx->seed, SMR_STREAM_FOURIER, (uint64_t)j,
                                                 (uint64_t)(k + c));
            w[(k + c) * stride] =
                kind == SMR_KERNEL_RBF ? two[c] : -smr_cos_pi(u) / smr_sin_pi(u); /* Cauchy */
        }
    }
}

/* Groups of up to d frequencies: the directions of a QR factorisation of normal columns, each as
 * long as its column was, which makes it normal again. */
static smr_status draw_orthogonal(smr_ctx *ctx, struct fourier_state *s)
{
    smr_status st = SMR_OK;
    int64_t d = s->n_features, m = s->n_frequencies, wide = SMR_MIN(d, m);
    double *A = NULL, *tau = NULL, *length = NULL;
    TRY_NEW(A, d * wide);
    TRY_NEW(tau, wide);
    TRY_NEW(length, wide);
    for (int64_t first = 0; first < m; first += wide) {
        int64_t k = SMR_MIN(wide, m - first);
        TRY(smr_tick(ctx, "drawing frequencies", first, m, NAN));
        for (int64_t c = 0; c < k; c++) {
            draw_frequency(ctx, SMR_KERNEL_RBF, first + c, d, A + c * d, 1);
            length[c] = sqrt(smr_dot_f64(d, A + c * d, A + c * d));
        }
        TRY(smr_qr(ctx, d, k, A, d, tau));
        TRY(smr_qr_form(ctx, d, k, A, d, tau));
        for (int64_t c = 0; c < k; c++)
            for (int64_t j = 0; j < d; j++)
                s->frequency[j * m + first + c] = length[c] * A[c * d + j];
    }
out:
    smr_free(A);
    smr_free(tau);
    smr_free(length);
    return st;
}

static smr_status draw_all(smr_ctx *ctx, const struct fourier_params *p, struct fourier_state *s)
{
    smr_status st = SMR_OK;
    int64_t m = s->n_frequencies, d = s->n_features;
    smr_kernel_kind kind = kind_of(p);
    double unit = (kind == SMR_KERNEL_RBF ? sqrt(2 * s->gamma) : s->gamma) / PI;
    TRY_NEW(s->frequency, d * m);
    if (p->orthogonal) {
        TRY(draw_orthogonal(ctx, s));
    } else {
        for (int64_t j = 0; j < m; j++) {
            draw_frequency(ctx, kind, j, d, s->frequency + j, m);
            if (j % 64 == 0) TRY(smr_tick(ctx, "drawing frequencies", j, m, NAN));
        }
    }
    for (int64_t k = 0; k < d * m; k++) s->frequency[k] *= unit;
out:
    return st;
}

/* The rows of the sample, one after the other, through predict. */
static smr_status transform_sample(smr_ctx *ctx, const smr_data *data, const int32_t *row,
                                   int64_t n, struct fourier_state *s, double *z)
{
    smr_status st = SMR_OK;
    smr_reader *reader = NULL;
    double *turns = NULL;
    smr_rows rows;
    smr_form form = smr_data_is_sparse(data) ? SMR_FORM_SPARSE : SMR_FORM_F64;
    TRY_NEW(turns, s->n_frequencies);
    TRY(smr_reader_open(ctx, data, form, 1, &reader));
    for (int64_t i = 0; i < n; i++) {
        TRY(smr_reader_rows(ctx, reader, row[i], row[i] + 1, &rows));
        TRY(predict(ctx, NULL, s, &rows, SMR_OUTPUT_TRANSFORM, z + i * 2 * s->n_frequencies,
                    turns));
    }
out:
    smr_reader_close(reader);
    smr_free(turns);
    return st;
}

static smr_status measure(smr_ctx *ctx, const smr_data *data, const smr_kernel_set *set,
                          struct fourier_state *s)
{
    smr_status st = SMR_OK;
    int64_t n = SMR_MIN(SAMPLE, data->n_rows), m = 2 * s->n_frequencies;
    int32_t *row = NULL;
    double *K = NULL, *z = NULL, sum = 0;
    TRY_NEW(row, n);
    TRY(smr_landmarks_draw(ctx, data, SMR_DRAW_SAMPLE, &n, row));
    TRY_NEW(K, n * n);
    TRY_NEW(z, n * m);
    TRY(smr_kernel_block(ctx, set, row, n, row, n, K, n));
    TRY(prepare(ctx, NULL, s)); /* for the sample; the caller prepares anew */
    st = transform_sample(ctx, data, row, n, s, z);
    release(s);
    s->panels = NULL;
    TRY(st);
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j < i; j++) {
            double e = smr_dot_f64(m, z + i * m, z + j * m) - K[i * n + j];
            sum += e * e;
            s->worst = smr_fmax(s->worst, fabs(e));
        }
    s->n_pairs = n * (n - 1) / 2;
    s->error = s->n_pairs > 0 ? sqrt(sum / (double)s->n_pairs) : 0;
out:
    smr_free(row);
    smr_free(K);
    smr_free(z);
    return st;
}

static smr_status fit(smr_ctx *ctx, const void *params_, const smr_data *data, void *state_,
                      smr_fit_report *report)
{
    const struct fourier_params *p = params_;
    struct fourier_state *s = state_;
    smr_status st = SMR_OK;
    smr_kernel_set set = {0};
    (void)report;
    s->n_features = data->n_features;
    s->n_frequencies = p->frequencies;
    TRY(smr_memory_check(ctx, 16.0 * (double)s->n_features * (double)s->n_frequencies,
                         "fourier: the frequencies", "use fewer, or fewer features"));
    TRY(smr_kernel_open(ctx, "fourier", &p->kernel, data, SMR_KERNEL_F64, &set));
    s->gamma = set.points.gamma[0];
    TRY(draw_all(ctx, p, s));
    TRY(measure(ctx, data, &set, s));
out:
    smr_kernel_close(&set);
    return st;
}

/* ---- outputs and words ------------------------------------------------------------------ */

static int64_t n_out(const void *params_, const void *state_, int64_t n_in)
{
    (void)params_, (void)n_in;
    return 2 * ((const struct fourier_state *)state_)->n_frequencies;
}

static smr_status outputs(smr_ctx *ctx, const void *params_, const void *state_,
                          const smr_feature *in, int64_t n_in, smr_feature *out, int64_t n)
{
    (void)params_, (void)state_, (void)in, (void)n_in;
    for (int64_t c = 0; c < n; c++)
        if (smr_made_feature(ctx, c % 2 ? "sin_" : "cos_", c / 2 + 1, &out[c]) != SMR_OK)
            return SMR_ERR_NOMEM;
    return SMR_OK;
}

static smr_status describe(smr_ctx *ctx, const void *params_, const void *state_,
                           const smr_feature *in, int64_t n_in, smr_json *into)
{
    const struct fourier_params *p = params_;
    const struct fourier_state *s = state_;
    (void)ctx, (void)in;
    smr_json_add_number(into, "features_in", (double)n_in);
    smr_json_add_number(into, "features_out", 2 * (double)s->n_frequencies);
    smr_json_add_string(into, "kernel", smr_kernel_word(kind_of(p))->name);
    smr_json_add_number(into, "gamma", s->gamma);
    smr_json_add_number(into, "rms_error", s->error);
    smr_json_add_number(into, "largest_error", s->worst);
    smr_json_add_number(into, "measured_on_pairs", (double)s->n_pairs);
    return SMR_OK;
}

/* ---- descriptor ------------------------------------------------------------------------- */

static const smr_word about = {
    .name = "fourier",
    .synonyms = "rff RBFSampler",
    .family = "transform",
    .title = "Random Fourier features",
    .brief = "Random waves whose products are nearly an rbf or laplacian kernel: a linear learner "
             "after it is nearly a kernel learner.",
    .objective = "z(x) = m^-1/2 (cos w_j'x, sin w_j'x), w_j drawn from the kernel's spectrum",
    .details =
        "For exp(-gamma |x - x'|^2) the frequencies are normal with variance 2 gamma, for "
        "exp(-gamma |x - x'|_1) every component is Cauchy. They depend on the seed, the number of "
        "features and gamma alone; no row is kept, so that the model stays small however many rows "
        "it saw. The error of the kernel's values falls with the root of the number of "
        "frequencies; inspect shows it, measured on the pairs of up to 200 rows. nystrom reaches "
        "the same error with fewer features where the kernel's eigenvalues fall fast. "
        "orthogonal=yes makes the error of rbf smaller. Features should have comparable scales: "
        "put standardize before it.",
    .reference = "Rahimi & Recht, Random features for large-scale kernel machines, NIPS (2007)",
    .example = "samara train \"standardize | fourier 100 | ridge\" data/diabetes.csv --target "
               "progression",
    .params = params,
    .n_params = SMR_COUNT(params),
    .params_size = sizeof(struct fourier_params),
    .check_params = check_params,
};

static const smr_can_transform transforms = {
    .n_out = n_out,
    .outputs = outputs,
    .origins = smr_made_of_all,
    .no_inverse = "a wave has the same height in many places",
};

static const smr_fitted fitted = {
    .state = state,
    .n_state = SMR_COUNT(state),
    .state_size = sizeof(struct fourier_state),
    .gives = SMR_GIVES_TRANSFORM,
    .prepare = prepare,
    .release = release,
    .predict = predict,
    .scratch = scratch,
    .describe = describe,
    .transform = &transforms,
};

const smr_learner smr_fourier = {
    .word = &about,
    .tasks = SMR_DOES_TRANSFORM,
    .takes = SMR_TAKES_F64 | SMR_TAKES_SPARSE | SMR_TAKES_WEIGHTS,
    .traits = SMR_SCALE_MATTERS,
    .fit = SMR_TRAINING(fit),
    .fitted = &fitted,
};
