/* generate_numbers.c -- targets that are numbers: linear and sparse models, Friedman's functions, a
 * sine, a polynomial, the swiss roll.
 *
 * References: Friedman, "Multivariate adaptive regression splines", Ann. Statist. 19 (1991), and
 * Breiman, "Bagging predictors", Mach. Learn. 24 (1996), for friedman1..3. */
#include "data/generate_parts.h"

#include <inttypes.h>
#include <math.h>

static const double PI = 3.14159265358979323846;

#define N_ROWS(def_) .def = def_, .min = 1, .max = SMR_MAX_ROWS, .doc = "Number of rows."
#define NOISE(def_) \
    .def = def_, .min = 0, .max = 1e9, .doc = "Standard deviation of the normal noise on y."

/* ---- linear --------------------------------------------------------------------------- */

struct linear {
    int64_t n, d;
    double noise, intercept;
    smr_make_list coefficients;
    int64_t collinear;
};

static smr_status plan_linear(smr_ctx *ctx, smr_making *m, void *params)
{
    const struct linear *p = params;
    smr_status st = SMR_OK;
    if (p->coefficients.n > 0 && p->coefficients.n != p->d)
        return smr_fail(ctx, SMR_ERR_PARAM,
                        "linear: coefficients has %" PRId64 " number%s for d=%" PRId64 " column%s",
                        p->coefficients.n, smr_plural(p->coefficients.n, "", "s"), p->d,
                        smr_plural(p->d, "", "s"));
    if (p->collinear >= p->d)
        return smr_fail(ctx, SMR_ERR_PARAM,
                        "linear: collinear=%" PRId64 " leaves no free column of d=%" PRId64,
                        p->collinear, p->d);
    m->n = p->n;
    m->d = p->d;
    TRY(smr_making_shared(ctx, m, p->d));
    for (int64_t j = 0; j < p->d; j++)
        m->shared[j] = p->coefficients.n > 0 ? p->coefficients.value[j]
                                             : 20 * draw_unit(m, DRAW_SHARED, 0, j) - 10;
    smr_making_note(m, "coefficients", -1, p->d, m->shared);
    smr_making_note(m, "intercept", -1, 1, &p->intercept);
    smr_making_note(m, "noise", -1, 1, &p->noise);
out:
    return st;
}

/* start + w' x, added in this order. */
static double linear_sum(const smr_making *m, int64_t d, double start, const double *x)
{
    for (int64_t j = 0; j < d; j++) start += m->shared[j] * x[j];
    return start;
}

static void linear_truth(const smr_making *m, const void *params, const double *x, double *f)
{
    const struct linear *p = params;
    *f = linear_sum(m, p->d, p->intercept, x);
}

/* Column free + j is the sum of the free columns j and j + 1, counted round. */
static void linear_row(const smr_making *m, const void *params, int64_t i, double *x, double *y)
{
    const struct linear *p = params;
    int64_t available = p->d - p->collinear;
    double sum = p->intercept + p->noise * draw_normal(m, DRAW_NOISE, i);
    draw_normals(m, DRAW_X, i, available, x);
    for (int64_t j = 0; j < p->collinear; j++)
        x[available + j] = x[j % available] + x[(j + 1) % available];
    *y = linear_sum(m, p->d, sum, x);
}

static const smr_make_param linear_params[] = {
    {MAKE_FIELD(struct linear, n), N_ROWS(200)},
    {MAKE_FIELD(struct linear, d), .def = 5, .min = 1, .max = SMR_MAX_COLUMNS,
     .doc = "Number of columns, all standard normal."},
    {MAKE_FIELD(struct linear, noise), NOISE(1)},
    {MAKE_FIELD(struct linear, intercept), .def = 0, .min = -1e9, .max = 1e9,
     .doc = "The intercept."},
    {MAKE_FIELD(struct linear, coefficients), .min = -1e9, .max = 1e9,
     .doc = "d numbers, separated by commas; by default uniform in [-10, 10]."},
    {MAKE_FIELD(struct linear, collinear), .def = 0, .min = 0, .max = SMR_MAX_COLUMNS,
     .doc = "Number of columns, the last ones, that are exact sums of two earlier ones."},
};

/* ---- sparse linear -------------------------------------------------------------------- */

struct sparse {
    int64_t n, d, informative;
    double noise;
};

static smr_status plan_sparse(smr_ctx *ctx, smr_making *m, void *params)
{
    const struct sparse *p = params;
    int64_t *columns = NULL;
    smr_status st = SMR_OK;
    if (p->informative > p->d)
        return smr_fail(ctx, SMR_ERR_PARAM,
                        "sparse_linear: informative=%" PRId64 " of d=%" PRId64 " column%s; raise d",
                        p->informative, p->d, smr_plural(p->d, "", "s"));
    m->n = p->n;
    m->d = p->d;
    TRY(smr_making_shared(ctx, m, p->d));
    TRY_NEW(columns, p->d);
    smr_random_permutation(m->seed, SMR_STREAM_GENERATE, draw_key(DRAW_SHARED, 1), p->d, columns);
    for (int64_t k = 0; k < p->informative; k++) {
        double size = 1 + 9 * draw_unit(m, DRAW_SHARED, k, 2);
        m->shared[columns[k]] = draw_below(m, DRAW_SHARED, k, 3, 2) ? size : -size;
    }
    smr_making_note(m, "coefficients", -1, p->d, m->shared);
    smr_making_note(m, "noise", -1, 1, &p->noise);
out:
    smr_free(columns);
    return st;
}

static void sparse_row(const smr_making *m, const void *params, int64_t i, double *x, double *y)
{
    const struct sparse *p = params;
    draw_normals(m, DRAW_X, i, p->d, x);
    *y = linear_sum(m, p->d, p->noise * draw_normal(m, DRAW_NOISE, i), x);
}

static void sparse_truth(const smr_making *m, const void *params, const double *x, double *f)
{
    const struct sparse *p = params;
    *f = linear_sum(m, p->d, 0, x);
}

static const smr_make_param sparse_params[] = {
    {MAKE_FIELD(struct sparse, n), N_ROWS(200)},
    {MAKE_FIELD(struct sparse, d), .def = 100, .min = 1, .max = SMR_MAX_COLUMNS,
     .doc = "Number of columns, all standard normal."},
    {MAKE_FIELD(struct sparse, informative), .def = 5, .min = 0, .max = SMR_MAX_COLUMNS,
     .doc = "Number of columns whose coefficient is not 0; its size is then 1 to 10."},
    {MAKE_FIELD(struct sparse, noise), NOISE(1)},
};

/* ---- Friedman's functions ------------------------------------------------------------- */

struct friedman {
    int64_t n, d;
    double noise;
};

static smr_status plan_friedman(smr_ctx *ctx, smr_making *m, void *params)
{
    const struct friedman *p = params;
    (void)ctx;
    m->n = p->n;
    m->d = p->d ? p->d : 4;
    smr_making_note(m, "noise", -1, 1, &p->noise);
    return SMR_OK;
}

static void friedman1_truth(const smr_making *m, const void *params, const double *x, double *f)
{
    (void)m, (void)params;
    *f = 10 * smr_sin_pi(x[0] * x[1]) + 20 * (x[2] - 0.5) * (x[2] - 0.5) + 10 * x[3] + 5 * x[4];
}

static void friedman1_row(const smr_making *m, const void *params, int64_t i, double *x, double *y)
{
    const struct friedman *p = params;
    for (int64_t j = 0; j < m->d; j++) x[j] = draw_unit(m, DRAW_X, i, j);
    friedman1_truth(m, params, x, y);
    *y += p->noise * draw_normal(m, DRAW_NOISE, i);
}

/* The alternating-current circuit of friedman2 and 3: reactance x1 x2 - 1/(x1 x3). */
static double reactance(const double *x)
{
    return x[1] * x[2] - 1 / (x[1] * x[3]);
}

static void draw_circuit(const smr_making *m, int64_t i, double *x)
{
    x[0] = 100 * draw_unit(m, DRAW_X, i, 0);
    x[1] = 40 * PI + 520 * PI * draw_unit(m, DRAW_X, i, 1);
    x[2] = draw_unit(m, DRAW_X, i, 2);
    x[3] = 1 + 10 * draw_unit(m, DRAW_X, i, 3);
}

static void friedman2_truth(const smr_making *m, const void *params, const double *x, double *f)
{
    (void)m, (void)params;
    *f = sqrt(x[0] * x[0] + reactance(x) * reactance(x));
}

static void friedman3_truth(const smr_making *m, const void *params, const double *x, double *f)
{
    (void)m, (void)params;
    *f = smr_atan(reactance(x) / x[0]);
}

static void friedman2_row(const smr_making *m, const void *params, int64_t i, double *x, double *y)
{
    const struct friedman *p = params;
    draw_circuit(m, i, x);
    friedman2_truth(m, params, x, y);
    *y += p->noise * draw_normal(m, DRAW_NOISE, i);
}

static void friedman3_row(const smr_making *m, const void *params, int64_t i, double *x, double *y)
{
    const struct friedman *p = params;
    draw_circuit(m, i, x);
    friedman3_truth(m, params, x, y);
    *y += p->noise * draw_normal(m, DRAW_NOISE, i);
}

static const smr_make_param friedman1_params[] = {
    {MAKE_FIELD(struct friedman, n), N_ROWS(200)},
    {MAKE_FIELD(struct friedman, d), .def = 10, .min = 5, .max = SMR_MAX_COLUMNS,
     .doc = "Number of columns, uniform in [0, 1]; those after the fifth do not matter."},
    {MAKE_FIELD(struct friedman, noise), NOISE(1)},
};

static const smr_make_param friedman2_params[] = {
    {MAKE_FIELD(struct friedman, n), N_ROWS(200)},
    {MAKE_FIELD(struct friedman, noise), NOISE(125)},
};

static const smr_make_param friedman3_params[] = {
    {MAKE_FIELD(struct friedman, n), N_ROWS(200)},
    {MAKE_FIELD(struct friedman, noise), NOISE(0.1)},
};

/* ---- curves --------------------------------------------------------------------------- */

struct line {
    int64_t n;
    double noise;
    double periods;             /* sine */
    smr_make_list coefficients; /* poly */
};

static smr_status plan_line(smr_ctx *ctx, smr_making *m, void *params)
{
    const struct line *p = params;
    (void)ctx;
    m->n = p->n;
    m->d = 1;
    if (p->coefficients.n)
        smr_making_note(m, "coefficients", -1, p->coefficients.n, p->coefficients.value);
    smr_making_note(m, "noise", -1, 1, &p->noise);
    return SMR_OK;
}

static void sine_truth(const smr_making *m, const void *params, const double *x, double *f)
{
    const struct line *p = params;
    (void)m;
    *f = smr_sin_pi(2 * p->periods * x[0]);
}

static void poly_truth(const smr_making *m, const void *params, const double *x, double *f)
{
    const struct line *p = params;
    (void)m;
    *f = 0;
    for (int64_t k = p->coefficients.n; k-- > 0;) *f = *f * x[0] + p->coefficients.value[k];
}

static void sine_row(const smr_making *m, const void *params, int64_t i, double *x, double *y)
{
    const struct line *p = params;
    x[0] = draw_unit(m, DRAW_X, i, 0);
    sine_truth(m, params, x, y);
    *y += p->noise * draw_normal(m, DRAW_NOISE, i);
}

static void poly_row(const smr_making *m, const void *params, int64_t i, double *x, double *y)
{
    const struct line *p = params;
    x[0] = 2 * draw_unit(m, DRAW_X, i, 0) - 1;
    poly_truth(m, params, x, y);
    *y += p->noise * draw_normal(m, DRAW_NOISE, i);
}

static const smr_make_param sine_params[] = {
    {MAKE_FIELD(struct line, n), N_ROWS(100)},
    {MAKE_FIELD(struct line, noise), NOISE(0.1)},
    {MAKE_FIELD(struct line, periods), .def = 1, .min = 0, .max = 1e6,
     .doc = "Number of periods in [0, 1]."},
};

static const smr_make_param poly_params[] = {
    {MAKE_FIELD(struct line, n), N_ROWS(100)},
    {MAKE_FIELD(struct line, noise), NOISE(0.1)},
    {MAKE_FIELD(struct line, coefficients), .def_list = "1,-2,0.5,3", .min = -1e9, .max = 1e9,
     .doc = "Coefficients of 1, x, x^2, ..., separated by commas."},
};

struct roll {
    int64_t n;
    double noise;
};

static smr_status plan_roll(smr_ctx *ctx, smr_making *m, void *params)
{
    const struct roll *p = params;
    (void)ctx;
    m->n = p->n;
    m->d = 3;
    return SMR_OK;
}

static void roll_row(const smr_making *m, const void *params, int64_t i, double *x, double *y)
{
    const struct roll *p = params;
    double turn = 1.5 * (1 + 2 * draw_unit(m, DRAW_X, i, 0)), t = PI * turn, z[3];
    draw_normals(m, DRAW_NOISE, i, 3, z);
    x[0] = t * smr_cos_pi(turn) + p->noise * z[0];
    x[1] = 21 * draw_unit(m, DRAW_X, i, 1) + p->noise * z[1];
    x[2] = t * smr_sin_pi(turn) + p->noise * z[2];
    *y = t;
}

static const smr_make_param roll_params[] = {
    {MAKE_FIELD(struct roll, n), N_ROWS(1000)},
    {MAKE_FIELD(struct roll, noise), .def = 0, .min = 0, .max = 1e6,
     .doc = "Standard deviation of the noise on the three coordinates."},
};

/* ---- the descriptors ------------------------------------------------------------------ */

#define NUMBERS(struct_, rows_, plan_, row_, truth_)                         \
    .task = SMR_TASK_REGRESS, .params = rows_, .n_params = SMR_COUNT(rows_), \
    .params_size = sizeof(struct struct_), .plan = plan_, .row = row_, .truth = truth_

const smr_generator smr_make_linear = {
    .name = "linear",
    .title = "A linear model",
    .doc = "y = intercept + w' x + noise; the notes give w.",
    NUMBERS(linear, linear_params, plan_linear, linear_row, linear_truth),
};

const smr_generator smr_make_sparse_linear = {
    .name = "sparse_linear",
    .title = "A linear model with few relevant columns",
    .doc = "y = w' x + noise, most of w is 0; the notes give w.",
    NUMBERS(sparse, sparse_params, plan_sparse, sparse_row, sparse_truth),
};

const smr_generator smr_make_friedman1 = {
    .name = "friedman1",
    .title = "Friedman's first function",
    .doc = "y = 10 sin(pi x0 x1) + 20 (x2 - 1/2)^2 + 10 x3 + 5 x4 + noise.",
    NUMBERS(friedman, friedman1_params, plan_friedman, friedman1_row, friedman1_truth),
};

const smr_generator smr_make_friedman2 = {
    .name = "friedman2",
    .title = "Friedman's second function",
    .doc = "y = sqrt(x0^2 + (x1 x2 - 1/(x1 x3))^2) + noise: the impedance of a circuit.",
    NUMBERS(friedman, friedman2_params, plan_friedman, friedman2_row, friedman2_truth),
};

const smr_generator smr_make_friedman3 = {
    .name = "friedman3",
    .title = "Friedman's third function",
    .doc = "y = atan((x1 x2 - 1/(x1 x3)) / x0) + noise: the phase of a circuit.",
    NUMBERS(friedman, friedman3_params, plan_friedman, friedman3_row, friedman3_truth),
};

const smr_generator smr_make_sine = {
    .name = "sine",
    .title = "A sine wave",
    .doc = "y = sin(2 pi periods x0) + noise, x0 uniform in [0, 1].",
    NUMBERS(line, sine_params, plan_line, sine_row, sine_truth),
};

const smr_generator smr_make_poly = {
    .name = "poly",
    .title = "A polynomial",
    .doc = "y = c0 + c1 x0 + c2 x0^2 + ... + noise, x0 uniform in [-1, 1].",
    NUMBERS(line, poly_params, plan_line, poly_row, poly_truth),
};

const smr_generator smr_make_swissroll = {
    .name = "swissroll",
    .title = "The Swiss roll",
    .doc = "(t cos t, 21 v, t sin t), t in [1.5 pi, 4.5 pi]; the target is t, the position along "
           "the roll.",
    NUMBERS(roll, roll_params, plan_roll, roll_row, NULL),
};
