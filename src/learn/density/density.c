/* density.c -- Parzen windows: how densely rows lie around a place.
 *
 *     p(x) = sum_i w_i K((x - x_i) / h) / (W prod_j h_j c),   W = sum_i w_i                       (1)
 *     gaussian   K(u) = exp(-|u|^2 / 2),               c = (2 pi)^(d/2)
 *     box        K(u) = 1 where all |u_j| <= 1/2,      c = 1
 *
 * The bandwidth of feature j is h_j = f s_j.  By a rule s_j is the feature's standard deviation and
 * f = W^(-1/(d+4)) (Scott) or that times (4 / (d+2))^(1/(d+4)) (Silverman), for the box times
 * sqrt(12), so that both kernels have the same variance; by likelihood f is the one of the rule
 * times a power of two under which rows are likeliest that are left out of (1) one at a time (up to
 * 1000 of them, evenly over the order of the tree), in steps down to 2^(1/8).  A number is h_j
 * itself, for all features.
 *
 * Sums go over a tree (parzen.h) with an error of at most rtol p + atol.  A place that no box
 * reaches has the log-density -inf.
 *
 * Cost: fit n log^2 n; a row costs the points within some bandwidths, and memory is the training
 * rows.  A constant feature has no deviation: s_j = 1, with a warning.
 *
 * Reference: Scott, Multivariate density estimation (1992), 6.3; Silverman, Density estimation
 * (1986), 4.3. */
#include "kernel/kernel.h"
#include "learn/density/parzen.h"
#include "learn/learner.h"
#include "math/stats.h"

#include <math.h>
#include <string.h>

/* ---- parameters ------------------------------------------------------------------------- */

enum { BY_SCOTT = -1, BY_SILVERMAN = -2, BY_LIKELIHOOD = -3 };

struct density_params {
    int kernel;
    double bandwidth, rtol, atol;
};

static const smr_choice kernels[] = {
    [SMR_PARZEN_GAUSSIAN] = {"gaussian", "a normal density around each row"},
    [SMR_PARZEN_BOX] = {"box", "a box around each row, its sides one bandwidth long"},
    {NULL, NULL},
};

static const smr_choice rules[] = {
    {"scott", "deviation n^(-1/(d+4))"},
    {"silverman", "deviation (4 / ((d+2) n))^(1/(d+4))"},
    {"likelihood", "under which rows that are left out are likeliest"},
    {NULL, NULL},
};

static const smr_param params[] = {
    {SMR_FIELD(struct density_params, bandwidth), .def = BY_SCOTT, .min = 0, .min_open = true,
     .max = INFINITY, .max_open = true, .choices = rules, .primary = true, .search = SMR_SEARCH_LOG,
     .search_min = 1e-2, .search_max = 10,
     .doc =
         "The width of the kernel, the same for all features, or a rule that gives each its own."},
    {SMR_FIELD(struct density_params, kernel), .def = SMR_PARZEN_GAUSSIAN, .choices = kernels,
     .doc = "What each row adds around itself."},
    {SMR_FIELD(struct density_params, rtol), .def = 1e-8, .min = 0, .max = 0.1,
     .doc =
         "The error of a density is at most rtol times the density, plus atol; 0 and 0: none but "
         "rounding."},
    {SMR_FIELD(struct density_params, atol), .def = 0, .min = 0, .max = INFINITY, .max_open = true,
     .doc = "See rtol."},
};

/* ---- state ------------------------------------------------------------------------------ */

struct density_state {
    int64_t n_features, n_rows;
    double log_norm; /* log(W prod h_j c)                                   */
    double *width;   /* n_features: h_j                                     */
    double *point;   /* n_rows x n_features, over h, in the order of a tree */
    double *weight;  /* n_rows, or NULL: all 1                              */
    smr_parzen tree; /* made by prepare                                     */
};

#define KEPT(field_) SMR_KEPT(struct density_state, field_)

static const smr_state state[] = {
    {KEPT(n_features), .is = "features", .min = 1, .doc = "Features."},
    {KEPT(n_rows), .min = 1, .doc = "Rows that are kept."},
    {KEPT(log_norm), .reals = SMR_REALS_FINITE,
     .doc = "Logarithm of what the sum of kernels is divided by."},
    {KEPT(width), .dims = {"n_features"}, .reals = SMR_REALS_ABOVE_0, .doc = "Bandwidths."},
    {KEPT(point), .dims = {"n_rows", "n_features"}, .reals = SMR_REALS_FINITE,
     .doc = "The rows, over the bandwidths, in the order of a tree."},
    {KEPT(weight), .dims = {"n_rows"}, .optional = true, .reals = SMR_REALS_FROM_0,
     .doc = "Their weights; absent: all 1."},
};

static smr_status prepare(smr_ctx *ctx, const void *params_, void *state_)
{
    const struct density_params *p = params_;
    struct density_state *s = state_;
    smr_parzen_release(&s->tree);
    s->tree = (smr_parzen){.kernel = p->kernel,
                           .n = s->n_rows,
                           .d = s->n_features,
                           .x = s->point,
                           .w = s->weight,
                           .rtol = p->rtol,
                           .atol = p->atol > 0 ? p->atol * smr_exp(s->log_norm) : 0};
    return smr_parzen_build(ctx, &s->tree);
}

static void release(void *state_)
{
    struct density_state *s = state_;
    smr_parzen_release(&s->tree);
}

/* ---- fit -------------------------------------------------------------------------------- */

enum { BLOCK = 256, MOST_LEFT_OUT = 1000 };

static const double LOG_2PI = 1.8378770664093454836;

/* All rows of a weight, n_features numbers each, as they come. */
static smr_status read_rows(smr_ctx *ctx, const smr_data *data, double *x, double *w, int64_t *n)
{
    smr_status st = SMR_OK;
    smr_reader *reader = NULL;
    int64_t d = data->n_features;
    *n = 0;
    TRY(smr_reader_open(ctx, data, SMR_FORM_F64, BLOCK, &reader));
    for (int64_t lo = 0; lo < data->n_rows; lo += BLOCK) {
        smr_rows rows;
        TRY(smr_reader_rows(ctx, reader, lo, SMR_MIN(lo + BLOCK, data->n_rows), &rows));
        for (int64_t r = 0; r < rows.n; r++) {
            double weight = smr_data_weight(data, lo + r);
            if (weight == 0) continue;
            memcpy(x + *n * d, (const double *)rows.x + r * rows.stride, (size_t)d * sizeof *x);
            w[(*n)++] = weight;
        }
    }
out:
    smr_reader_close(reader);
    return st;
}

/* width[j] = the deviation of feature j. */
static smr_status deviations(smr_ctx *ctx, const smr_data *data, int64_t n, const double *x,
                             const double *w, double *width)
{
    smr_status st = SMR_OK;
    double *column = NULL;
    int64_t d = data->n_features;
    TRY_NEW(column, n + 1);
    for (int64_t j = 0; j < d; j++) {
        for (int64_t i = 0; i < n; i++) column[i] = x[i * d + j];
        double variance = smr_variance(n, column, w, 1);
        width[j] = sqrt(variance);
        if (variance > 0 && variance < INFINITY) continue;
        width[j] = 1;
        smr_warn(ctx, "density: feature '%s' has no spread; its deviation is taken as 1",
                 data->features ? data->features[j].name : "?");
    }
out:
    smr_free(column);
    return st;
}

static double rule_of(const struct density_params *p, int64_t d, double total)
{
    double power = 1 / (double)(d + 4);
    double f = smr_exp(-power * smr_log(total));
    if (p->bandwidth == BY_SILVERMAN) f *= smr_exp(power * smr_log(4 / (double)(d + 2)));
    return p->kernel == SMR_PARZEN_BOX ? f * sqrt(12) : f;
}

static double log_norm_of(const struct density_params *p, int64_t d, const double *width,
                          double total)
{
    double sum = smr_log(total);
    for (int64_t j = 0; j < d; j++) sum += smr_log(width[j]);
    return p->kernel == SMR_PARZEN_GAUSSIAN ? sum + 0.5 * (double)d * LOG_2PI : sum;
}

/* The mean log density of points that are left out, at widths that are `factor` times those of the
 * points; room: n x d. */
static smr_status left_out(smr_ctx *ctx, const struct density_params *p,
                           const struct density_state *s, double factor, double *room, double *mean)
{
    smr_status st = SMR_OK;
    double buffer[2 * SMR_PARZEN_LEAF], sum = 0, total = 0;
    int64_t n = s->n_rows, d = s->n_features, m = SMR_MIN(n, MOST_LEFT_OUT);
    smr_parzen tree = {
        .kernel = p->kernel, .n = n, .d = d, .x = room, .w = s->weight, .rtol = 1e-4};
    for (int64_t i = 0; i < n * d; i++) room[i] = s->point[i] / factor;
    TRY(smr_parzen_build(ctx, &tree));
    for (int64_t k = 0; k < m; k++) {
        int64_t i = k * n / m;
        double w = s->weight ? s->weight[i] : 1;
        sum += w * smr_parzen_log_sum(&tree, room + i * d, i, buffer);
        total += w;
        if (k % 64 == 0) TRY(smr_tick(ctx, "bandwidth", k, m, NAN));
    }
    *mean = sum / total - (double)d * smr_log(factor);
out:
    smr_parzen_release(&tree);
    return st;
}

/* The best factor 2^(k/8). */
static smr_status choose_factor(smr_ctx *ctx, const struct density_params *p,
                                const struct density_state *s, double *factor)
{
    smr_status st = SMR_OK;
    double *room = NULL, best = -INFINITY;
    int at = 0;
    TRY_NEW(room, s->n_rows * s->n_features + 1);
    for (int step = 8; step >= 1; step /= 2) {
        int centre = at, reach = step == 8 ? 3 : 1;
        for (int k = -reach; k <= reach; k++) {
            double mean;
            if (step < 8 && k == 0) continue;
            TRY(left_out(ctx, p, s, smr_exp((centre + k * step) * 0.0866433975699932), room,
                         &mean));
            if (!(mean > best)) continue;
            best = mean;
            at = centre + k * step;
        }
    }
    *factor = smr_exp(at * 0.0866433975699932); /* log(2) / 8 */
out:
    smr_free(room);
    return st;
}

/* The rows in the order of a tree, over their widths. */
static smr_status keep_points(smr_ctx *ctx, const double *x, const double *w, bool weighted,
                              struct density_state *s)
{
    smr_status st = SMR_OK;
    int64_t *order = NULL, n = s->n_rows, d = s->n_features;
    double *scaled = NULL;
    TRY_NEW(order, n);
    TRY_NEW(scaled, n * d);
    for (int64_t i = 0; i < n * d; i++) scaled[i] = x[i] / s->width[i % d];
    TRY(smr_parzen_order(ctx, n, d, scaled, order));
    TRY_NEW(s->point, n * d);
    if (weighted) TRY_NEW(s->weight, n);
    for (int64_t i = 0; i < n; i++) {
        memcpy(s->point + i * d, scaled + order[i] * d, (size_t)d * sizeof *scaled);
        if (weighted) s->weight[i] = w[order[i]];
    }
out:
    smr_free(order);
    smr_free(scaled);
    return st;
}

static smr_status fit(smr_ctx *ctx, const void *params_, const smr_data *data, void *state_,
                      smr_fit_report *report)
{
    smr_status st = SMR_OK;
    const struct density_params *p = params_;
    struct density_state *s = state_;
    double *x = NULL, *w = NULL, factor = 1;
    int64_t d = s->n_features = data->n_features;
    (void)report;
    TRY_NEW(x, data->n_rows * d + 1);
    TRY_NEW(w, data->n_rows + 1);
    TRY(read_rows(ctx, data, x, w, &s->n_rows));
    if (s->n_rows == 0) TRY(smr_fail(ctx, SMR_ERR_DATA, "density: no row has a weight"));
    double total = smr_sum_exact(s->n_rows, w);
    TRY_NEW(s->width, d);
    if (p->bandwidth < 0)
        TRY(deviations(ctx, data, s->n_rows, x, data->weight ? w : NULL, s->width));
    for (int64_t j = 0; j < d; j++)
        s->width[j] = p->bandwidth < 0 ? s->width[j] * rule_of(p, d, total) : p->bandwidth;
    TRY(keep_points(ctx, x, w, data->weight, s));
    if (p->bandwidth == BY_LIKELIHOOD && s->n_rows > 1) TRY(choose_factor(ctx, p, s, &factor));
    for (int64_t j = 0; factor != 1 && j < d; j++) s->width[j] *= factor;
    for (int64_t i = 0; factor != 1 && i < s->n_rows * d; i++) s->point[i] /= factor;
    s->log_norm = log_norm_of(p, d, s->width, total);
    TRY(prepare(ctx, p, s));
out:
    smr_free(x);
    smr_free(w);
    return st;
}

/* ---- predict ---------------------------------------------------------------------------- */

static int64_t scratch_bytes(const void *params_, const void *state_, int64_t n)
{
    const struct density_state *s = state_;
    (void)params_, (void)n;
    return (s->n_features + smr_parzen_room(&s->tree)) * (int64_t)sizeof(double);
}

static double log_density(const struct density_state *s, const double *x, double *room)
{
    for (int64_t j = 0; j < s->n_features; j++) room[j] = x[j] / s->width[j];
    return smr_parzen_log_sum(&s->tree, room, -1, room + s->n_features) - s->log_norm;
}

static smr_status predict(smr_ctx *ctx, const void *params_, const void *state_,
                          const smr_rows *rows, smr_output output, double *out, void *scratch)
{
    const struct density_state *s = state_;
    (void)ctx, (void)params_, (void)output;
    for (int64_t i = 0; i < rows->n; i++)
        out[i] = log_density(s, (const double *)rows->x + i * rows->stride, scratch);
    return SMR_OK;
}

/* ---- describe and draw ------------------------------------------------------------------ */

static smr_status describe(smr_ctx *ctx, const void *params_, const void *state_,
                           const smr_feature *in, int64_t n_in, smr_json *into)
{
    const struct density_params *p = params_;
    const struct density_state *s = state_;
    (void)ctx;
    smr_json_add_number(into, "rows", (double)s->n_rows);
    smr_json_add_number(into, "relative_error_at_most", p->rtol);
    smr_json_add_number(into, "absolute_error_at_most", p->atol);
    smr_json *list = smr_json_add_array(into, "bandwidths");
    for (int64_t j = 0; j < n_in; j++) {
        smr_json *row = smr_json_add_object(list, NULL);
        smr_json_add_string(row, "feature", in[j].name);
        smr_json_add_number(row, "bandwidth", s->width[j]);
    }
    return SMR_OK;
}

/* ---- descriptor ------------------------------------------------------------------------- */

static const smr_word about = {
    .name = "density",
    .family = "density",
    .title = "Parzen windows",
    .brief = "Estimates how densely rows lie around a place, as the mean of a kernel around each "
             "training row.",
    .objective = "p(x) = sum_i w_i K((x - x_i) / h) / (sum_i w_i prod_j h_j c)",
    .details =
        "Gives the log-density of each row as its score. A bandwidth by rule follows the deviation "
        "of each feature, so that units do not matter; a number is the same for all features. Too "
        "small a bandwidth shows every row, too large a one hides everything: likelihood tries "
        "powers of two on rows that are left out. The sums go over a tree, and their error is "
        "bounded by rtol and atol.",
    .reference =
        "Parzen, Annals of Mathematical Statistics 33 (1962), 1065-1076; Gray & Moore, SDM "
        "2003",
    .example = "samara train density data/iris.csv --task density --ignore species",
    .synonyms = "parzen kde kernel-density KernelDensity gaussian_kde window",
    .params = params,
    .n_params = SMR_COUNT(params),
    .params_size = sizeof(struct density_params),
};

static const smr_fitted fitted = {
    .state = state,
    .n_state = SMR_COUNT(state),
    .state_size = sizeof(struct density_state),
    .gives = SMR_GIVES_SCORE,
    .prepare = prepare,
    .release = release,
    .predict = predict,
    .scratch = scratch_bytes,
    .describe = describe,
};

const smr_learner smr_density = {
    .word = &about,
    .tasks = SMR_DOES_DENSITY,
    .takes = SMR_TAKES_F64 | SMR_TAKES_WEIGHTS,
    .traits = SMR_KEEPS_DATA | SMR_SCALE_MATTERS,
    .fit = SMR_TRAINING(fit),
    .fitted = &fitted,
};
