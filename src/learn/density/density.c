/* density.c -- densities of rows: Parzen windows, histograms, and parametric families.
 *
 *     parzen       p(x) = sum_i w_i K((x - x_i) / h) / (W prod_j h_j c),   W = sum_i w_i        (1)
 *     histogram    p(x) = (weight in the cell of x + a) / ((W + a M) prod_j b_j)
 *     normal, lognormal, exponential, gamma: those of maximum likelihood
 *
 * K is one of the kernels of parzen.h and c its integral.  The bandwidths h_j come from a rule,
 * from the likelihood of rows that are left out (density_search.c), or are given.  With
 * covariance=full the kernel is shaped like the covariance of the rows, C = L L':
 * y = L^-1 (x - mean) takes the place of x, one h that of all, and |L| joins the product.
 *
 * The score of a row is log p; -infinity where p is 0.  A gap in a row is integrated out
 * (density_gaps.c); training rows with a gap are left out.
 *
 * Cost: parzen keeps the rows; fitting n log n, and by likelihood about 20 times 4096 queries; a
 * query costs what its error allows (parzen.h).  The others make a pass or two, and keep a few
 * numbers for each feature; a histogram the cells that hold rows.
 *
 * References: Parzen, Annals of Mathematical Statistics 33(3), 1962; Scott, Multivariate Density
 * Estimation (1992); Silverman, Density Estimation (1986). */
#include "learn/density/density.h"

#include "core/try.h"
#include "kernel/kernel.h"
#include "math/special.h"

#include <math.h>
#include <string.h>

/* ---- parameters ------------------------------------------------------------------------- */

static const smr_choice models[] = {
    [SMR_DENSITY_PARZEN] = {"parzen", "a kernel around each row"},
    [SMR_DENSITY_HISTOGRAM] = {"histogram", "rows are counted in the cells of a grid"},
    [SMR_DENSITY_NORMAL] = {"normal", "a normal density"},
    [SMR_DENSITY_LOGNORMAL] = {"lognormal", "the logarithms are normal; numbers above 0"},
    [SMR_DENSITY_EXPONENTIAL] = {"exponential", "each feature is exponential; numbers from 0 on"},
    [SMR_DENSITY_GAMMA] = {"gamma", "each feature is gamma; numbers above 0"},
    {NULL, NULL},
};

static const smr_choice kernels[] = {
    [SMR_WINDOW_GAUSSIAN] = {"gaussian", "a normal density; the bandwidth is its deviation"},
    [SMR_WINDOW_EPANECHNIKOV] = {"epanechnikov", "1 - |u|^2, up to one bandwidth from the row"},
    [SMR_WINDOW_BALL] = {"ball", "the same everywhere, up to one bandwidth from the row"},
    [SMR_WINDOW_BOX] = {"box", "the same everywhere, up to one bandwidth in each feature"},
    {NULL, NULL},
};

static const smr_choice rules[] = {
    [SMR_DENSITY_AUTO] = {"auto", "likelihood for parzen, robust for histogram"},
    [SMR_DENSITY_SCOTT] = {"scott", "deviation W^(-1/(d+4)), W the weight of the rows, d features; "
                                    "bins 3.49 deviation W^(-1/(d+2))"},
    [SMR_DENSITY_SILVERMAN] = {"silverman", "deviation (4 / ((d+2) W))^(1/(d+4)); not for bins"},
    [SMR_DENSITY_ROBUST] = {"robust",
                            "silverman, with the distance between the quartiles / 1.349 where that "
                            "is less than the deviation; bins 2 such distances W^(-1/(d+2))"},
    [SMR_DENSITY_LIKELIHOOD] = {"likelihood", "under which rows that are left out are likeliest"},
    {NULL, NULL},
};

static const smr_choice covariances[] = {
    [SMR_DENSITY_DIAGONAL] = {"diagonal", "features are scaled one by one"},
    [SMR_DENSITY_FULL] = {"full", "the shape is that of the covariance of the rows"},
    {NULL, NULL},
};

#define P(field_) SMR_FIELD(struct smr_density_params, field_)

static const smr_param params[] = {
    {P(bandwidth), .unset = true, .min = 0, .min_open = true, .max = INFINITY, .max_open = true,
     .when = "model=parzen&covariance=diagonal", .primary = true, .search = SMR_SEARCH_LOG,
     .search_min = 1e-2, .search_max = 10, .simpler = SMR_SIMPLER_HIGH,
     .doc = "How wide the kernel is, in the units of the features: one number for all, or one for "
            "each; unset: by rule."},
    {P(model), .def = SMR_DENSITY_PARZEN, .choices = models, .search = SMR_SEARCH_VALUES,
     .doc = "What the density is made of."},
    {P(kernel), .def = SMR_WINDOW_GAUSSIAN, .choices = kernels, .when = "model=parzen",
     .search = SMR_SEARCH_VALUES, .doc = "What each row adds around itself."},
    {P(covariance), .def = SMR_DENSITY_DIAGONAL, .choices = covariances,
     .when = "model=parzen|normal|lognormal", .search = SMR_SEARCH_VALUES,
     .doc = "The shape of the kernel, or of the normal density."},
    {P(bins), .unset = true, .whole = true, .min = 1, .max = 1 << 20, .when = "model=histogram",
     .search = SMR_SEARCH_LOG, .search_min = 2, .search_max = 100, .simpler = SMR_SIMPLER_LOW,
     .doc = "Bins of each feature: one number for all, or one for each; unset: by rule."},
    {P(rule), .def = SMR_DENSITY_AUTO, .choices = rules,
     .when = "model=parzen|histogram&bandwidth=none&bins=none", .search = SMR_SEARCH_VALUES,
     .doc = "What bandwidths, or widths of bins, follow from."},
    {P(adjust), .def = 1, .min = 0, .min_open = true, .max = INFINITY, .max_open = true,
     .when = "model=parzen|histogram&bandwidth=none&bins=none", .search = SMR_SEARCH_LOG,
     .search_min = 0.1, .search_max = 10, .simpler = SMR_SIMPLER_HIGH,
     .doc = "What the rule says is multiplied by this."},
    {P(smoothing), .def = 0, .min = 0, .max = INFINITY, .max_open = true, .when = "model=histogram",
     .search = SMR_SEARCH_LOG, .search_min = 1e-3, .search_max = 10, .simpler = SMR_SIMPLER_HIGH,
     .doc = "Added to the weight in every cell of the grid."},
    {P(rtol), .def = 1e-6, .min = 0, .max = 0.1, .when = "model=parzen&kernel=gaussian",
     .doc = "A density is off by at most rtol times itself, plus atol, but for rounding; 0 and 0: "
            "every row is added up."},
    {P(atol), .def = 0, .min = 0, .max = INFINITY, .max_open = true,
     .when = "model=parzen&kernel=gaussian", .doc = "See rtol."},
};

static smr_status check_params(smr_ctx *ctx, const void *params_)
{
    const struct smr_density_params *p = params_;
    bool bins = p->model == SMR_DENSITY_HISTOGRAM;
    if (!bins || p->bins.n > 0) return SMR_OK;
    if (p->rule == SMR_DENSITY_SILVERMAN)
        return smr_fail(ctx, SMR_ERR_PARAM,
                        "density: silverman's rule is for kernels; a histogram has scott, robust "
                        "and likelihood");
    if (p->rule == SMR_DENSITY_LIKELIHOOD && p->smoothing == 0)
        return smr_fail(ctx, SMR_ERR_PARAM,
                        "density: rule=likelihood of a histogram needs smoothing above 0: without "
                        "it a row that is alone in its cell has density 0 when it is left out");
    return SMR_OK;
}

/* ---- state ------------------------------------------------------------------------------ */

#define KEPT(field_) SMR_KEPT(struct smr_density_state, field_)

static const smr_state state[] = {
    {KEPT(n_features), .is = "features", .min = 1, .doc = "Features."},
    {KEPT(total), .reals = SMR_REALS_ABOVE_0, .doc = "Weight of the training rows."},
    {KEPT(centre), .dims = {"n_features"}, .optional = true, .reals = SMR_REALS_FINITE,
     .doc = "Means; lognormal: of the logarithms."},
    {KEPT(width), .dims = {"n_features"}, .optional = true, .reals = SMR_REALS_ABOVE_0,
     .with = "model!=histogram",
     .doc = "Bandwidths (covariance=full: the factor, for each feature); deviations; scales."},
    {KEPT(shape), .dims = {"n_features"}, .optional = true, .reals = SMR_REALS_ABOVE_0,
     .with = "model=gamma", .doc = "Shapes of gamma densities."},
    {KEPT(root), .dims = {"n_features", "n_features"}, .optional = true, .reals = SMR_REALS_FINITE,
     .needs = "centre",
     .doc = "covariance=full: a lower triangle that, times its transpose, is the covariance."},
    {KEPT(n_shown), .max = SMR_DENSITY_BARS, .doc = "Parametric: bars of each feature's rows."},
    {KEPT(least), .dims = {"n_features"}, .optional = true, .with = "n_shown",
     .reals = SMR_REALS_FINITE, .doc = "The least number of each feature."},
    {KEPT(most), .dims = {"n_features"}, .optional = true, .with = "n_shown",
     .reals = SMR_REALS_FINITE, .doc = "The largest."},
    {KEPT(shown), .dims = {"n_features", "n_shown"}, .optional = true, .with = "n_shown",
     .reals = SMR_REALS_FROM_0,
     .doc = "The weight of the rows in bars between them, of one width."},
    {KEPT(n_points), .doc = "parzen: distinct training rows."},
    {KEPT(n_groups), .doc = "Groups of 16 of them."},
    {KEPT(lane), .min = 16, .max = 16, .doc = "Rows of a group."},
    {KEPT(point), .dims = {"n_groups", "n_features", "lane"}, .optional = true,
     .reals = SMR_REALS_FINITE, .with = "model=parzen",
     .doc =
         "The rows in the order of a tree, the last one repeated; covariance=full: less the mean, "
         "divided by the root."},
    {KEPT(weight), .dims = {"n_groups", "lane"}, .optional = true, .reals = SMR_REALS_FROM_0,
     .with = "model=parzen", .doc = "Their weights; 0 after the last."},
    {KEPT(n_tried), .max = 4096, .doc = "Widths that were tried, over those of the rule."},
    {KEPT(tried), .dims = {"n_tried"}, .optional = true, .with = "n_tried",
     .order = SMR_ORDER_ASCENDS, .reals = SMR_REALS_ABOVE_0, .doc = "These."},
    {KEPT(likelihood), .dims = {"n_tried"}, .optional = true, .with = "n_tried",
     .reals = SMR_REALS_NOT_NAN, .doc = "The mean log-density of rows that are left out."},
    {KEPT(n_cells), .doc = "histogram: cells that hold rows."},
    {KEPT(low), .dims = {"n_features"}, .optional = true, .reals = SMR_REALS_FINITE,
     .with = "model=histogram", .doc = "Where the first bin of each feature begins."},
    {KEPT(high), .dims = {"n_features"}, .optional = true, .reals = SMR_REALS_FINITE,
     .with = "model=histogram", .doc = "Where the last one ends."},
    {KEPT(bins), .dims = {"n_features"}, .optional = true, .min = 1, .max = 1 << 20,
     .with = "model=histogram", .doc = "Bins of each feature."},
    {KEPT(cell), .dims = {"n_cells", "n_features"}, .optional = true, .with = "model=histogram",
     .max = 1 << 20, .doc = "The bins of each cell, in lexicographic order."},
    {KEPT(count), .dims = {"n_cells"}, .optional = true, .reals = SMR_REALS_FROM_0,
     .with = "model=histogram", .doc = "The weight in each cell."},
};

static smr_status damaged(smr_ctx *ctx, const char *what)
{
    return smr_fail(ctx, SMR_ERR_FORMAT, "density: the model file is damaged: %s", what);
}

static smr_status check_points(smr_ctx *ctx, const struct smr_density_state *s)
{
    double total = 0;
    if (s->n_points < 1 || s->n_groups != (s->n_points + 15) / 16)
        return damaged(ctx, "its points do not fill their groups");
    for (int64_t i = 0; i < s->n_groups * 16; i++) {
        total += s->weight[i];
        if (i >= s->n_points && s->weight[i] != 0)
            return damaged(ctx, "there are weights after the last point");
    }
    if (!(fabs(total - s->total) <= 1e-6 * s->total))
        return damaged(ctx, "the weights of its points do not add up");
    return SMR_OK;
}

static smr_status check_cells(smr_ctx *ctx, const struct smr_density_state *s)
{
    int64_t d = s->n_features;
    double total = 0;
    if (s->n_cells < 1) return damaged(ctx, "it has no cells");
    for (int64_t j = 0; j < d; j++)
        if (!(s->high[j] - s->low[j] > SMR_DENSITY_LEAST_RANGE) ||
            s->high[j] - s->low[j] == INFINITY)
            return damaged(ctx, "a feature has no bins");
    for (int64_t c = 0; c < s->n_cells; c++) {
        int order = c == 0;
        for (int64_t j = 0; j < d; j++) {
            if (s->cell[c * d + j] >= s->bins[j]) return damaged(ctx, "a cell is not in the grid");
            if (order == 0 && c > 0) {
                int32_t before = s->cell[(c - 1) * d + j], now = s->cell[c * d + j];
                order = (now > before) - (now < before);
            }
        }
        if (order <= 0) return damaged(ctx, "its cells are not in order");
        total += s->count[c];
    }
    if (!(fabs(total - s->total) <= 1e-6 * s->total))
        return damaged(ctx, "the weights of its cells do not add up");
    return SMR_OK;
}

static smr_status check(smr_ctx *ctx, const void *params_, const void *state_,
                        const smr_shape *shape)
{
    const struct smr_density_params *p = params_;
    const struct smr_density_state *s = state_;
    bool normal = p->model == SMR_DENSITY_NORMAL || p->model == SMR_DENSITY_LOGNORMAL;
    (void)shape;
    if (!s->root != !smr_density_is_full(p) || !s->centre != !(normal || s->root))
        return damaged(ctx, "its covariance is not the one of the sentence");
    for (int64_t j = 0; s->root && j < s->n_features; j++)
        if (!(s->root[j * s->n_features + j] > 0)) return damaged(ctx, "a covariance is singular");
    if (s->n_shown != (p->model > SMR_DENSITY_HISTOGRAM ? SMR_DENSITY_BARS : 0))
        return damaged(ctx, "it has other bars than there should be");
    if (p->model != SMR_DENSITY_PARZEN && (s->n_points > 0 || s->n_groups > 0))
        return damaged(ctx, "it has points and is not made of them");
    if (p->model != SMR_DENSITY_HISTOGRAM && s->n_cells > 0)
        return damaged(ctx, "it has cells and is not made of them");
    if (p->model == SMR_DENSITY_PARZEN) return check_points(ctx, s);
    return p->model == SMR_DENSITY_HISTOGRAM ? check_cells(ctx, s) : SMR_OK;
}

void smr_density_release(void *state_)
{
    struct smr_density_state *s = state_;
    smr_parzen_release(&s->tree);
}

/* What the sum over the points, or the weight of a cell, is divided by; of normal densities, what
 * is taken from the exponent. */
static double log_norm_of(const struct smr_density_params *p, const struct smr_density_state *s)
{
    int64_t d = s->n_features;
    double sum = 0;
    for (int64_t j = 0; s->root && j < d; j++) sum += smr_log(s->root[j * d + j]);
    if (p->model > SMR_DENSITY_HISTOGRAM) return sum + 0.5 * (double)d * SMR_LOG_2PI;
    if (p->model == SMR_DENSITY_PARZEN) {
        for (int64_t j = 0; j < d; j++) sum += smr_log(s->width[j]);
        return sum + smr_log(s->total) + smr_density_volume((smr_window)p->kernel, d);
    }
    for (int64_t j = 0; j < d; j++) sum += smr_log((s->high[j] - s->low[j]) / (double)s->bins[j]);
    return sum + smr_log(s->total + p->smoothing * smr_density_all_bins(s));
}

smr_status smr_density_prepare(smr_ctx *ctx, const void *params_, void *state_)
{
    const struct smr_density_params *p = params_;
    struct smr_density_state *s = state_;
    smr_status st = SMR_OK;
    smr_density_release(s);
    s->log_norm = log_norm_of(p, s);
    if (p->model != SMR_DENSITY_PARZEN) return SMR_OK;
    TRY(smr_density_build_tree(ctx, p, s, &s->tree));
    if (p->atol > 0) s->tree.atol = p->atol * smr_exp(s->log_norm);
out:
    if (st != SMR_OK) smr_density_release(s);
    return st;
}

/* ---- predict ---------------------------------------------------------------------------- */

double smr_density_of_column(const struct smr_density_params *p, const struct smr_density_state *s,
                             int64_t j, double x)
{
    double width = s->width[j], k, z;
    switch (p->model) {
    case SMR_DENSITY_EXPONENTIAL: return x >= 0 ? -x / width - smr_log(width) : -INFINITY;
    case SMR_DENSITY_GAMMA:
        k = s->shape[j];
        if (!(x > 0)) return -INFINITY;
        return (k - 1) * smr_log(x / width) - x / width - smr_log(width) - smr_log_gamma(k);
    case SMR_DENSITY_LOGNORMAL:
        if (!(x > 0)) return -INFINITY;
        z = (smr_log(x) - s->centre[j]) / width;
        return -0.5 * (z * z + SMR_LOG_2PI) - smr_log(width) - smr_log(x);
    default: break;
    }
    z = (x - s->centre[j]) / width;
    return -0.5 * (z * z + SMR_LOG_2PI) - smr_log(width);
}

/* Normal with covariance=full; y: room for n_features. */
static double normal_at(const struct smr_density_params *p, const struct smr_density_state *s,
                        const double *x, double *y)
{
    int64_t d = s->n_features;
    double sum = 0, logs = 0;
    for (int64_t j = 0; j < d; j++) y[j] = x[j];
    for (int64_t j = 0; p->model == SMR_DENSITY_LOGNORMAL && j < d; j++) {
        if (!(x[j] > 0)) return -INFINITY;
        logs += y[j] = smr_log(x[j]);
    }
    smr_density_whiten(s, y, y);
    for (int64_t j = 0; j < d; j++) sum += y[j] * y[j];
    return -0.5 * sum - logs - s->log_norm;
}

int64_t smr_density_room(const struct smr_density_params *p, const struct smr_density_state *s)
{
    int64_t d = s->n_features;
    return 3 * d + (smr_density_is_full(p) ? d * d : 0);
}

double smr_density_at(const struct smr_density_params *p, const struct smr_density_state *s,
                      const double *x, double *room)
{
    double sum = 0;
    for (int64_t j = 0; j < s->n_features; j++)
        if (isnan(x[j])) return smr_density_with_gaps(p, s, x, room);
    if (p->model == SMR_DENSITY_PARZEN) {
        if (s->root) smr_density_whiten(s, x, room);
        return smr_parzen_log_sum(&s->tree, s->root ? room : x, -1) - s->log_norm;
    }
    if (p->model == SMR_DENSITY_HISTOGRAM) return smr_density_of_bins(p, s, x);
    if (s->root) return normal_at(p, s, x, room);
    for (int64_t j = 0; j < s->n_features; j++) sum += smr_density_of_column(p, s, j, x[j]);
    return sum;
}

static int64_t scratch_bytes(const void *params_, const void *state_, int64_t n)
{
    (void)n;
    return smr_density_room(params_, state_) * (int64_t)sizeof(double);
}

/* From here on a row takes long enough to ask with each whether the work goes on. */
#define LONG_ROW 1e6

static smr_status predict(smr_ctx *ctx, const void *params_, const void *state_,
                          const smr_rows *rows, smr_output output, double *out, void *scratch)
{
    const struct smr_density_params *p = params_;
    const struct smr_density_state *s = state_;
    smr_status st = SMR_OK;
    bool is_long = (double)s->n_points * (double)s->n_features > LONG_ROW;
    (void)output;
    for (int64_t i = 0; i < rows->n; i++) {
        out[i] = smr_density_at(p, s, (const double *)rows->x + i * rows->stride, scratch);
        if (is_long) TRY(smr_tick(ctx, NULL, 0, 1, NAN));
    }
out:
    return st;
}

/* ---- descriptor ------------------------------------------------------------------------- */

/* A rule follows the units of the features; covariances do not mind them. */
static void nature(const void *params_, smr_nature *its)
{
    const struct smr_density_params *p = params_;
    if (p->model != SMR_DENSITY_PARZEN) its->traits &= ~(unsigned)SMR_KEEPS_DATA;
    if (p->model != SMR_DENSITY_PARZEN || p->bandwidth.n == 0)
        its->traits &= ~(unsigned)SMR_SCALE_MATTERS;
    if (!smr_density_is_full(p)) its->traits &= ~(unsigned)SMR_WANTS_CONTRASTS;
}

static const smr_word about = {
    .name = "density",
    .family = "density",
    .title = "Densities",
    .brief = "How densely rows lie around a place: kernels around the rows (Parzen windows), a "
             "histogram, or a parametric density.",
    .objective = "p(x) = sum_i w_i K((x - x_i) / h) / (sum_i w_i * prod_j h_j * int K)",
    .details =
        "The score of a row is log p(x), -infinity where nothing lies in reach; low scores are "
        "outliers. It is a density of the columns in their own units, also where they were "
        "standardized before. By likelihood, the bandwidths of Scott's rule are multiplied by the "
        "factor under which rows are likeliest that are left out with their copies, one at a time "
        "(up to 4096 of them). Sums of Gaussian kernels go over a tree, and their error is bounded "
        "by "
        "rtol and atol; those of the other kernels are exact. Training rows with a gap are left "
        "out; a gap in a row that is asked about is integrated out. Categories become columns of 0 "
        "and 1. A column that never changes counts with the deviation 1e-6 (1 + |value|). "
        "covariance=full refuses columns that depend on each other. Outside the range of the "
        "training rows a histogram is 0.",
    .reference =
        "Parzen, Annals of Mathematical Statistics 33 (1962), 1065-1076; Scott, Multivariate "
        "Density Estimation (1992); Gray & Moore, SDM 2003",
    .example = "samara train density data/iris.csv --ignore species",
    .synonyms = "parzen kde kernel-density KernelDensity gaussian_kde window model=histogram "
                "histogram kernel=ball tophat",
    .params = params,
    .n_params = SMR_COUNT(params),
    .params_size = sizeof(struct smr_density_params),
    .check_params = check_params,
};

static const smr_can_draw draws = {.rows = smr_density_draw_rows};

static const smr_fitted fitted = {
    .state = state,
    .n_state = SMR_COUNT(state),
    .state_size = sizeof(struct smr_density_state),
    .gives = SMR_GIVES_SCORE,
    .prepare = smr_density_prepare,
    .check = check,
    .release = smr_density_release,
    .predict = predict,
    .scratch = scratch_bytes,
    .describe = smr_density_describe,
    .draw = smr_density_draw,
    .draws = &draws,
};

const smr_learner smr_density = {
    .word = &about,
    .tasks = SMR_DOES_DENSITY | SMR_DOES_OUTLIERS,
    .takes = SMR_TAKES_F64 | SMR_TAKES_MISSING | SMR_TAKES_WEIGHTS,
    .traits = SMR_KEEPS_DATA | SMR_SCALE_MATTERS | SMR_WANTS_CONTRASTS,
    .nature = nature,
    .fit = SMR_TRAINING(smr_density_fit),
    .fitted = &fitted,
};
