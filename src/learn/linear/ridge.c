/* ridge.c -- linear least squares with an L2 penalty, for one penalty or a whole path.
 *
 * Minimises over w and b (b = 0 without fit_intercept), for every output,
 *
 *     J(w, b) = 1/2 sum_i weight_i (y_i - b - x_i' w)^2 + l2 1/2 |w|^2                          (1)
 *
 * The intercept is not penalised.  One decomposition of the centred features serves every penalty
 * (spectrum.h); of several, the one with the least leave-one-out error is taken, the larger of
 * equals, and the model keeps the whole path.  path=N makes N penalties, equally spaced in their
 * logarithm from 10 down to 1e-6 times the largest eigenvalue of Xc'Xc.
 * Cost: n d^2 multiply-adds and an eigen decomposition of order d; leave-one-out another n d^2;
 * n <= d: singular values of the rows, n^2 d.  Memory: tiles of rows and some d x d matrices.
 * l2 = 0 gives least squares of minimum norm.
 *
 * Symbols: n rows, d features, q outputs, w d, X n x d, Xc its centred columns.
 * References: Hoerl & Kennard, Technometrics 12(1):55-67, 1970; Golub, Heath & Wahba, Technometrics
 * 21(2):215-223, 1979 (leave-one-out in closed form). */
#include "kernel/kernel.h"
#include "learn/linear/affine.h"
#include "learn/linear/coef_path.h"
#include "learn/linear/held_rows.h"
#include "learn/linear/penalties.h"
#include "learn/linear/spectrum.h"

#include <math.h>
#include <string.h>

/* ---- parameters ------------------------------------------------------------------------- */

struct ridge_params {
    smr_reals l2;
    int64_t path;
    bool fit_intercept;
};

static const smr_param params[] = {
    {SMR_FIELD(struct ridge_params, l2), .def = 1, .min = 0, .max = INFINITY, .max_open = true,
     .search = SMR_SEARCH_LOG, .search_min = 1e-4, .search_max = 1e4, .simpler = SMR_SIMPLER_HIGH,
     .primary = true, .when = "path=none",
     .doc = "Weight of the penalty 1/2 |w|^2; given several values (0.1,1,10), the one with the "
            "lowest leave-one-out error is used."},
    {SMR_FIELD(struct ridge_params, path), .unset = true, .none = "0", .min = 1,
     .max = SMR_REALS_MAX,
     .doc = "Instead of l2, try this many penalties, from one that shrinks all coefficients to one "
            "that hardly does; unset: use l2."},
    {SMR_FIELD(struct ridge_params, fit_intercept), .def = true,
     .doc = "Fit the intercept b, which is not penalised."},
};

/* ---- state ------------------------------------------------------------------------------ */

struct ridge_state {
    int64_t n_features, n_outputs, n_path;
    int64_t method;
    double n_rows, l2, df;
    double *coef, *intercept;
    double *rss, *tss;
    double *path_l2, *path_df;
    double *path_loo;  /* NULL for a single penalty */
    double *path_coef; /* NULL for a single penalty */
};

static const smr_state state[] = {
    {SMR_KEPT(struct ridge_state, n_features), .is = "features", .min = 0, .doc = "Features."},
    {SMR_KEPT(struct ridge_state, n_outputs), .is = "targets", .min = 1, .doc = "Targets."},
    {SMR_KEPT(struct ridge_state, n_path), .min = 1, .max = SMR_REALS_MAX, .doc = "Penalties."},
    {SMR_KEPT(struct ridge_state, method), .min = SMR_LSTSQ_GRAM, .max = SMR_LSTSQ_SVD,
     .doc = "How it was solved: 1 gram, 2 qr, 3 svd."},
    {SMR_KEPT(struct ridge_state, n_rows), .doc = "Sum of the rows' weights."},
    {SMR_KEPT(struct ridge_state, l2), .doc = "The penalty in use."},
    {SMR_KEPT(struct ridge_state, df), .doc = "Its effective degrees of freedom."},
    {SMR_KEPT(struct ridge_state, coef), .dims = {"n_outputs", "n_features"},
     .doc = "Coefficients w."},
    {SMR_KEPT(struct ridge_state, intercept), .dims = {"n_outputs"}, .doc = "Intercepts b."},
    {SMR_KEPT(struct ridge_state, rss), .dims = {"n_outputs"}, .doc = "Squared residuals."},
    {SMR_KEPT(struct ridge_state, tss), .dims = {"n_outputs"},
     .doc = "Squared targets, around their mean when there is an intercept."},
    {SMR_KEPT(struct ridge_state, path_l2), .dims = {"n_path"}, .doc = "Penalties tried."},
    {SMR_KEPT(struct ridge_state, path_df), .dims = {"n_path"},
     .doc = "Effective degrees of freedom of each."},
    {SMR_KEPT(struct ridge_state, path_loo), .dims = {"n_path"}, .optional = true,
     .doc = "Mean squared leave-one-out error of each."},
    {SMR_KEPT(struct ridge_state, path_coef), .dims = {"n_path", "n_outputs", "n_features"},
     .optional = true, .doc = "Coefficients of each."},
};

/* ---- fit -------------------------------------------------------------------------------- */

static double smallest(const struct ridge_params *p)
{
    double least = p->l2.value[0];
    for (int64_t i = 1; i < p->l2.n; i++) least = smr_fmin(least, p->l2.value[i]);
    return p->path != SMR_UNSET_INT ? -1 : least;
}

static smr_status make_room(smr_ctx *ctx, const smr_data *data, const struct ridge_params *p,
                            struct ridge_state *s)
{
    smr_status st = SMR_OK;
    int64_t d = data->n_features, q = data->n_outputs;
    s->n_features = d;
    s->n_outputs = q;
    s->n_path = p->path != SMR_UNSET_INT ? p->path : p->l2.n;
    TRY_NEW(s->coef, q * d);
    TRY_NEW(s->intercept, q);
    TRY_NEW(s->rss, q);
    TRY_NEW(s->tss, q);
    TRY_NEW(s->path_l2, s->n_path);
    TRY_NEW(s->path_df, s->n_path);
    if (s->n_path > 1) {
        TRY_NEW(s->path_loo, s->n_path);
        TRY_NEW(s->path_coef, s->n_path * q * d);
    }
out:
    return st;
}

static void choose_penalties(const struct ridge_params *p, const smr_spectrum *spectrum,
                             struct ridge_state *s)
{
    double largest = smr_spectrum_largest(spectrum);
    for (int64_t c = 0; c < s->n_path; c++) {
        if (p->path == SMR_UNSET_INT) {
            s->path_l2[c] = p->l2.value[c];
        } else {
            double at = s->n_path > 1 ? (double)c / (double)(s->n_path - 1) : 1;
            s->path_l2[c] = (largest > 0 ? largest : 1) * smr_pow(10, 1 - 7 * at);
        }
        s->path_df[c] = smr_spectrum_df(spectrum, s->path_l2[c]);
        for (int64_t k = 0; k < s->n_outputs && s->path_coef; k++)
            smr_spectrum_coef(spectrum, s->path_l2[c], k,
                              s->path_coef + (c * s->n_outputs + k) * s->n_features);
    }
}

static smr_penalties penalties_of(const struct ridge_state *s)
{
    return (smr_penalties){s->n_path, s->path_l2, s->path_loo};
}

static void keep(const smr_spectrum *spectrum, int64_t chosen, struct ridge_state *s)
{
    int64_t d = s->n_features;
    s->l2 = s->path_l2[chosen];
    s->df = s->path_df[chosen];
    s->method = spectrum->method;
    s->n_rows = spectrum->weight;
    for (int64_t k = 0; k < s->n_outputs; k++) {
        double *w = s->coef + k * d;
        smr_spectrum_coef(spectrum, s->l2, k, w);
        s->intercept[k] =
            spectrum->centred ? spectrum->mean[d + k] - smr_dot_f64(d, spectrum->mean, w) : 0;
        s->rss[k] = smr_spectrum_rss(spectrum, s->l2, k);
        s->tss[k] = spectrum->tss[k];
    }
}

static smr_status fit(smr_ctx *ctx, const void *params_, const smr_data *data, void *state_,
                      smr_fit_report *report)
{
    const struct ridge_params *p = params_;
    struct ridge_state *s = state_;
    smr_status st = SMR_OK;
    smr_held_rows rows = {0};
    smr_spectrum spectrum = {0};
    int64_t chosen = 0;

    TRY(smr_held_source(ctx, "ridge", data, &rows));
    TRY(make_room(ctx, data, p, s));
    TRY(smr_spectrum_create(ctx, &rows.source, p->fit_intercept, smallest(p), &spectrum));
    choose_penalties(p, &spectrum, s);
    if (s->n_path > 1) {
        TRY(smr_spectrum_leave_one_out(ctx, &spectrum, &rows.source, s->n_path, s->path_l2,
                                       s->path_loo));
        smr_penalties penalties = penalties_of(s);
        chosen = smr_penalties_best(&penalties);
    }
    keep(&spectrum, chosen, s);
    report->objective = 0;
    for (int64_t k = 0; k < s->n_outputs; k++) { /* (1) */
        const double *w = s->coef + k * s->n_features;
        report->objective += (s->rss[k] + s->l2 * smr_dot_f64(s->n_features, w, w)) / 2;
    }
    report->converged = true;
out:
    smr_spectrum_release(&spectrum);
    smr_held_close(&rows);
    return st;
}

/* ---- predict ---------------------------------------------------------------------------- */

static smr_status predict(smr_ctx *ctx, const void *params_, const void *state_,
                          const smr_rows *rows, smr_output output, double *out, void *scratch)
{
    const struct ridge_state *s = state_;
    (void)ctx, (void)params_, (void)output, (void)scratch;
    smr_affine_predict(s->n_features, s->n_outputs, s->coef, s->intercept, rows, out);
    return SMR_OK;
}

/* ---- describe --------------------------------------------------------------------------- */

static void describe_output(const void *params_, const void *state_, int64_t k,
                            const smr_feature *in, smr_json *into)
{
    const struct ridge_params *p = params_;
    const struct ridge_state *s = state_;
    smr_json_add_number(into, "r2", 1 - s->rss[k] / s->tss[k]);
    smr_affine_describe(s->n_features, s->coef + k * s->n_features,
                        p->fit_intercept ? &s->intercept[k] : NULL, in, into);
}

static void describe_path(const struct ridge_state *s, smr_json *into)
{
    int64_t size = s->n_outputs * s->n_features;
    smr_json *list = smr_json_add_array(into, "path");
    for (int64_t c = 0; c < s->n_path; c++) {
        smr_json *row = smr_json_add_object(list, NULL);
        smr_json_add_number(row, "l2", s->path_l2[c]);
        smr_json_add_number(row, "df", s->path_df[c]);
        smr_json_add_number(row, "leave_one_out_mse", s->path_loo ? s->path_loo[c] : NAN);
        smr_json *w = smr_json_add_array(row, "coefficients");
        for (int64_t j = 0; j < size && s->path_coef; j++)
            smr_json_add_number(w, NULL, s->path_coef[c * size + j]);
    }
}

static smr_status describe(smr_ctx *ctx, const void *params_, const void *state_,
                           const smr_feature *in, int64_t n_in, smr_json *into)
{
    static const char *const methods[] = {"", "gram", "qr", "svd"};
    const struct ridge_params *p = params_;
    const struct ridge_state *s = state_;
    (void)ctx, (void)n_in;
    smr_json_add_string(into, "method", methods[s->method]);
    smr_json_add_number(into, "rows", s->n_rows);
    smr_json_add_number(into, "l2", s->l2);
    smr_json_add_number(into, "df", s->df);
    smr_affine_outputs(s->n_outputs, describe_output, p, s, in, into);
    if (s->n_path > 1) describe_path(s, into);
    return SMR_OK;
}

/* ---- pictures --------------------------------------------------------------------------- */

struct one_output {
    const struct ridge_state *s;
    int64_t k;
};

static double coef_at(const void *self, int64_t step, int64_t feature)
{
    const struct one_output *o = self;
    return o->s->path_coef[(step * o->s->n_outputs + o->k) * o->s->n_features + feature];
}

static smr_status draw(smr_ctx *ctx, const void *params_, const void *state_, const smr_feature *in,
                       int64_t n_in, const char *prefix, smr_json *figures)
{
    const struct ridge_state *s = state_;
    smr_status st = SMR_OK;
    smr_text name = {.ctx = ctx};
    (void)params_, (void)n_in;
    for (int64_t k = 0; k < s->n_outputs && s->path_coef; k++) {
        struct one_output one = {s, k};
        smr_coef_path path = {.n_steps = s->n_path,
                              .n_features = s->n_features,
                              .penalty = s->path_l2,
                              .axis = "l2",
                              .chosen = s->l2,
                              .self = &one,
                              .coef = coef_at};
        name.length = 0;
        smr_text_printf(&name, "%spath", prefix);
        if (s->n_outputs > 1) smr_text_printf(&name, "_%lld", (long long)k);
        TRY(smr_text_done(&name));
        TRY(smr_coef_path_draw(ctx, &path, in, name.bytes, figures));
    }
    smr_penalties penalties = penalties_of(s);
    if (s->path_coef && s->path_loo)
        TRY(smr_penalties_draw(ctx, &penalties, s->l2, prefix, figures));
out:
    smr_text_release(&name);
    return st;
}

/* ---- descriptor ------------------------------------------------------------------------- */

static const smr_word about = {
    .name = "ridge",
    .synonyms = "tikhonov RidgeCV",
    .family = "linear",
    .title = "Ridge regression",
    .brief = "Linear least squares with an L2 penalty on the weights.",
    .objective = "1/2 sum weight (y - b - x'w)^2 + l2 1/2 |w|^2",
    .details =
        "One eigendecomposition serves every penalty. Of several values of l2, the one with the "
        "smallest leave-one-out error, computed in closed form, is taken, and inspect shows the "
        "path. The intercept is not penalised. Features should have comparable scales: put "
        "standardize before it.",
    .reference = "Hoerl & Kennard, Technometrics 12 (1970)",
    .example =
        "samara train \"standardize | ridge path=20\" data/diabetes.csv --target progression",
    .params = params,
    .n_params = SMR_COUNT(params),
    .params_size = sizeof(struct ridge_params),
};

static const smr_can_explain explains = {.linear_at = SMR_LINEAR_AT(struct ridge_state, n_outputs)};

static const smr_fitted fitted = {
    .state = state,
    .n_state = SMR_COUNT(state),
    .state_size = sizeof(struct ridge_state),
    .gives = SMR_GIVES_VALUE,
    .predict = predict,
    .describe = describe,
    .draw = draw,
    .explain = &explains,
};

/* A penalty, or several to choose from, holds the coefficients. */
static void nature(const void *params_, smr_nature *its)
{
    const struct ridge_params *p = params_;
    if (p->path != SMR_UNSET_INT || p->l2.n != 1 || p->l2.value[0] > 0)
        its->traits &= ~(unsigned)SMR_FITS_FREELY;
}

const smr_learner smr_ridge = {
    .word = &about,
    .tasks = SMR_DOES_REGRESS,
    .takes = SMR_TAKES_F64 | SMR_TAKES_SPARSE | SMR_TAKES_WEIGHTS | SMR_TAKES_MANY_TARGETS,
    .traits = SMR_SCALE_MATTERS | SMR_PLAIN | SMR_FITS_FREELY,
    .nature = nature,
    .fit = SMR_TRAINING(fit),
    .fitted = &fitted,
};
