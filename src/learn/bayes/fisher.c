/* fisher.c -- the directions in which classes lie farthest apart: a transform.
 *
 * With the scatter within classes, SW = sum_k sum_i w (x - mean_k)(x - mean_k)', and between them,
 * SB = sum_k W_k (mean_k - mean)(mean_k - mean)', the directions are
 *
 *     SB v = value SW v,  v' SW v / (W - classes) = 1,   values descending                      (1)
 *
 * so that the features z = V' (x - mean) have variance 1 within classes and are uncorrelated there.
 * At most classes - 1 values are not 0.  The sign of a direction makes its largest entry positive.
 * Back: x = mean + S V z, S = SW / (W - classes), the likeliest row with these features (2).
 *
 * Cost: n d^2 / 2 + O(d^3).  A singular SW is shrunk: shrinkage s replaces S by (1 - s) S + s v I.
 * Reference: Fisher, Annals of Eugenics 7:179-188, 1936; Rao, J. R. Stat. Soc. B 10:159-203, 1948. */
#include "core/text.h"
#include "kernel/kernel.h"
#include "learn/bayes/class_scatter.h"
#include "learn/learner.h"
#include "learn/linear/affine.h"
#include "math/factor.h"

#include <math.h>
#include <string.h>

/* ---- parameters ------------------------------------------------------------------------- */

struct fisher_params {
    int64_t k;
    double shrinkage;
};

static const smr_param params[] = {
    {SMR_FIELD(struct fisher_params, k), .unset = true, .min = 1, .max = SMR_MAX_DIM,
     .primary = true,
     .doc = "Directions to keep, the most telling first; unset: all, one less than "
            "there are classes."},
    {SMR_FIELD(struct fisher_params, shrinkage), .def = 0, .min = 0, .max = 1,
     .search = SMR_SEARCH_LINEAR, .search_min = 0, .search_max = 0.9, .simpler = SMR_SIMPLER_HIGH,
     .doc = "How far the covariance within classes is moved towards equal variances without "
            "correlations."},
};

/* ---- state ------------------------------------------------------------------------------ */

struct fisher_state {
    int64_t n_features, n_out;
    double *mean;      /* n_features                                          */
    double *direction; /* n_out x n_features                                  */
    double *back;      /* n_out x n_features: S v                             */
    double *value;     /* n_out: variance between classes over that within    */
    double share;      /* of all values that the ones that are kept have      */
};

#define KEPT(field_) SMR_KEPT(struct fisher_state, field_)

static const smr_state state[] = {
    {KEPT(n_features), .is = "features", .min = 1, .doc = "Features that come in."},
    {KEPT(n_out), .min = 1, .most = "features", .doc = "Features that go out."},
    {KEPT(mean), .dims = {"n_features"}, .reals = SMR_REALS_FINITE, .doc = "Mean of all rows."},
    {KEPT(direction), .dims = {"n_out", "n_features"}, .reals = SMR_REALS_FINITE,
     .doc = "Directions."},
    {KEPT(back), .dims = {"n_out", "n_features"}, .reals = SMR_REALS_FINITE,
     .doc = "What a unit of each feature changes, on the way back."},
    {KEPT(value), .dims = {"n_out"}, .reals = SMR_REALS_FROM_0,
     .doc = "Variance between classes over that within."},
    {KEPT(share), .reals = SMR_REALS_SHARE, .doc = "Share of all such variance."},
};

/* ---- fit -------------------------------------------------------------------------------- */

struct scatters {
    double *within, *between; /* d x d */
    double *means;            /* classes x d */
    double total;
    int64_t present;
};

static smr_status find_scatters(smr_ctx *ctx, const smr_class_scatter *c, struct scatters *s,
                                double *mean)
{
    smr_status st = SMR_OK;
    int64_t d = c->data->n_features, k = c->data->n_classes;
    double *one = NULL;
    TRY_NEW(one, d * d);
    TRY_NEW(s->within, d * d);
    TRY_NEW(s->between, d * d);
    TRY_NEW(s->means, k * d);
    for (int64_t g = 0; g < k; g++) {
        if (c->weight[g] == 0) continue;
        TRY(smr_class_scatter_find(ctx, c, g, s->means + g * d, one));
        for (int64_t e = 0; e < d * d; e++) s->within[e] += one[e];
        s->total += c->weight[g];
        s->present++;
    }
    for (int64_t g = 0; g < k; g++)
        for (int64_t j = 0; j < d; j++) mean[j] += c->weight[g] / s->total * s->means[g * d + j];
    for (int64_t g = 0; g < k; g++)
        for (int64_t i = 0; i < d; i++)
            for (int64_t j = 0; j < d; j++)
                s->between[i * d + j] += c->weight[g] * (s->means[g * d + i] - mean[i]) *
                                         (s->means[g * d + j] - mean[j]);
out:
    smr_free(one);
    return st;
}

/* S = SW / (W - classes), shrunk; SB in the same units. */
static void scale(const struct fisher_params *p, int64_t d, struct scatters *s)
{
    double divisor = s->total - (double)s->present, v = 0;
    if (!(divisor > 0)) divisor = s->total;
    for (int64_t i = 0; i < d; i++) v += s->within[i * d + i] / divisor / (double)d;
    for (int64_t i = 0; i < d; i++)
        for (int64_t j = 0; j < d; j++) {
            int64_t e = i * d + j;
            s->within[e] =
                (1 - p->shrinkage) * (s->within[e] / divisor) + (i == j ? p->shrinkage * v : 0);
            s->between[e] /= divisor;
        }
}

/* v, with its largest entry positive, and S v. */
static void keep_direction(int64_t d, const double *v, const double *within, double *direction,
                           double *back)
{
    int64_t largest = 0;
    for (int64_t j = 1; j < d; j++)
        if (fabs(v[j]) > fabs(v[largest])) largest = j;
    double sign = v[largest] < 0 ? -1 : 1;
    for (int64_t j = 0; j < d; j++) direction[j] = sign * v[j];
    for (int64_t j = 0; j < d; j++) back[j] = smr_dot_f64(d, within + j * d, direction);
}

static smr_status solve(smr_ctx *ctx, const struct fisher_params *p, struct scatters *x,
                        struct fisher_state *s)
{
    smr_status st = SMR_OK;
    int64_t d = s->n_features, most = SMR_MIN(d, x->present - 1);
    double *value = NULL, *S = NULL, all = 0, kept = 0;
    TRY_NEW(value, d);
    TRY_NEW(S, d * d);
    memcpy(S, x->within, (size_t)(d * d) * sizeof *S);
    st = smr_eigen_general(ctx, d, x->between, d, S, d, value);
    if (st == SMR_ERR_NUMERIC) {
        smr_begin(ctx);
        st = smr_fail(ctx, SMR_ERR_DATA,
                      "fisher: the covariance within classes is singular: a column is constant in "
                      "every class or depends on others; use shrinkage=0.1, or leave columns out");
    }
    TRY(st);
    s->n_out = p->k == SMR_UNSET_INT ? most : p->k;
    TRY_NEW(s->direction, s->n_out * d);
    TRY_NEW(s->back, s->n_out * d);
    TRY_NEW(s->value, s->n_out);
    for (int64_t c = 0; c < most; c++) all += smr_fmax(0, value[d - 1 - c]);
    for (int64_t c = 0; c < s->n_out; c++) {
        s->value[c] = smr_fmax(0, value[d - 1 - c]);
        kept += s->value[c];
        keep_direction(d, x->between + (d - 1 - c) * d, x->within, s->direction + c * d,
                       s->back + c * d);
    }
    s->share = all > 0 ? smr_fmin(1, kept / all) : 1;
out:
    smr_free(value);
    smr_free(S);
    return st;
}

static smr_status fit(smr_ctx *ctx, const void *params_, const smr_data *data_, void *state_,
                      smr_fit_report *report)
{
    const struct fisher_params *p = params_;
    struct fisher_state *s = state_;
    smr_status st = SMR_OK;
    smr_data data = *data_;
    smr_class_scatter c = {0};
    struct scatters x = {0};
    int64_t d = data.n_features;
    (void)report;
    data.spend = NULL;
    TRY(smr_class_scatter_open(ctx, "fisher", &data, &c));
    if (d < 1) TRY(smr_fail(ctx, SMR_ERR_DATA, "fisher: there are no features"));
    s->n_features = d;
    TRY_NEW(s->mean, d);
    TRY(find_scatters(ctx, &c, &x, s->mean));
    if (x.present < 2)
        TRY(smr_fail(ctx, SMR_ERR_DATA,
                     "fisher: all rows have the same class; rows of at least two are needed"));
    int64_t most = SMR_MIN(d, x.present - 1);
    if (p->k != SMR_UNSET_INT && p->k > most)
        TRY(smr_fail(ctx, SMR_ERR_PARAM,
                     "fisher: k=%lld, and %lld classes of %lld column%s have %lld direction%s",
                     (long long)p->k, (long long)x.present, (long long)d, smr_plural(d, "", "s"),
                     (long long)most, smr_plural(most, "", "s")));
    scale(p, d, &x);
    TRY(solve(ctx, p, &x, s));
out:
    smr_free(x.within);
    smr_free(x.between);
    smr_free(x.means);
    smr_class_scatter_close(&c);
    return st;
}

/* ---- apply -------------------------------------------------------------------------------- */

static smr_status predict(smr_ctx *ctx, const void *params_, const void *state_,
                          const smr_rows *rows, smr_output output, double *out, void *scratch)
{
    const struct fisher_state *s = state_;
    int64_t d = s->n_features;
    double *z = scratch;
    (void)ctx, (void)params_, (void)output;
    for (int64_t i = 0; i < rows->n; i++) {
        const double *x = (const double *)rows->x + i * rows->stride;
        for (int64_t j = 0; j < d; j++) z[j] = x[j] - s->mean[j];
        smr_rows_times_f64(1, d, s->n_out, z, d, s->direction, d, out + i * s->n_out);
    }
    return SMR_OK;
}

/* (2) */
static smr_status inverse(smr_ctx *ctx, const void *params_, const void *state_,
                          const smr_rows *rows, double *out, void *scratch)
{
    const struct fisher_state *s = state_;
    (void)ctx, (void)params_, (void)scratch;
    for (int64_t i = 0; i < rows->n; i++) {
        const double *z = (const double *)rows->x + i * rows->stride;
        double *to = out + i * s->n_features;
        memcpy(to, s->mean, (size_t)s->n_features * sizeof *to);
        for (int64_t c = 0; c < s->n_out; c++)
            smr_axpy_f64(s->n_features, z[c], s->back + c * s->n_features, to);
    }
    return SMR_OK;
}

static int64_t scratch_bytes(const void *params_, const void *state_, int64_t n)
{
    (void)params_, (void)n;
    return ((const struct fisher_state *)state_)->n_features * (int64_t)sizeof(double);
}

static int64_t n_out(const void *params_, const void *state_, int64_t n_in)
{
    (void)params_, (void)n_in;
    return ((const struct fisher_state *)state_)->n_out;
}

static smr_status outputs(smr_ctx *ctx, const void *params_, const void *state_,
                          const smr_feature *in, int64_t n_in, smr_feature *out, int64_t n)
{
    (void)params_, (void)state_, (void)in, (void)n_in;
    for (int64_t c = 0; c < n; c++) {
        smr_text name = {.ctx = ctx};
        smr_text_printf(&name, "fisher_%lld", (long long)c + 1);
        if (smr_text_done(&name) != SMR_OK) {
            smr_text_release(&name);
            return SMR_ERR_NOMEM;
        }
        out[c].kind = SMR_NUMBER;
        out[c].name = name.bytes;
    }
    return SMR_OK;
}

static void origins(const void *params_, const void *state_, int64_t n_in, int64_t *from, int64_t n)
{
    (void)params_, (void)state_;
    for (int64_t c = 0; c < n; c++) from[c] = n_in == 1 ? 0 : -1;
}

/* ---- describe --------------------------------------------------------------------------- */

static smr_status describe(smr_ctx *ctx, const void *params_, const void *state_,
                           const smr_feature *in, int64_t n_in, smr_json *into)
{
    const struct fisher_state *s = state_;
    (void)ctx, (void)params_;
    smr_json_add_number(into, "features_in", (double)n_in);
    smr_json_add_number(into, "features_out", (double)s->n_out);
    smr_json_add_number(into, "share", s->share);
    smr_json_add_numbers(into, "between_over_within", s->value, s->n_out);
    smr_json *list = smr_json_add_array(into, "directions");
    for (int64_t c = 0; c < s->n_out; c++)
        for (int64_t j = 0; j < s->n_features; j++) {
            char name[32];
            smr_json *row = smr_json_add_object(list, NULL);
            smr_json_add_number(row, "direction", (double)c + 1);
            smr_json_add_string(row, "feature", smr_affine_name(in, j, name));
            smr_json_add_number(row, "weight", s->direction[c * s->n_features + j]);
        }
    return SMR_OK;
}

/* ---- descriptor ------------------------------------------------------------------------- */

static const smr_word about = {
    .name = "fisher",
    .synonyms = "discriminant FDA",
    .family = "transform",
    .title = "Fisher's directions",
    .brief = "The few directions in which the classes lie farthest apart, measured by their spread "
             "within.",
    .objective = "directions v with SB v = value SW v: largest variance between classes over that "
                 "within, v' SW v / (rows - classes) = 1",
    .details =
        "The linear discriminant as a transform: k classes give at most k - 1 features, of "
        "variance 1 and without correlation within classes, the most telling first. It is fitted "
        "to classes; a numeric target is refused. If the covariance within classes is singular, "
        "shrinkage helps. The largest weight of each direction is positive. gauss shared "
        "classifies with the same directions.",
    .reference = "Fisher, Annals of Eugenics 7 (1936); Rao, J. R. Stat. Soc. B 10 (1948)",
    .example = "samara train \"fisher 2 | knn 5\" data/wine.csv --target cultivar",
    .params = params,
    .n_params = SMR_COUNT(params),
    .params_size = sizeof(struct fisher_params),
};

static const smr_can_transform transforms = {
    .n_out = n_out,
    .outputs = outputs,
    .origins = origins,
    .inverse = inverse,
    .approximates = true,
};

static const smr_fitted fitted = {
    .state = state,
    .n_state = SMR_COUNT(state),
    .state_size = sizeof(struct fisher_state),
    .gives = SMR_GIVES_TRANSFORM,
    .predict = predict,
    .scratch = scratch_bytes,
    .describe = describe,
    .transform = &transforms,
};

static void nature(const void *params_, smr_nature *its)
{
    if (((const struct fisher_params *)params_)->shrinkage == 0)
        its->traits &= ~(unsigned)SMR_SCALE_MATTERS;
}

const smr_learner smr_fisher = {
    .word = &about,
    .tasks = SMR_DOES_TRANSFORM,
    .takes = SMR_TAKES_F64 | SMR_TAKES_WEIGHTS,
    .traits = SMR_NEEDS_TARGET | SMR_SCALE_MATTERS | SMR_WANTS_CONTRASTS,
    .nature = nature,
    .fit = SMR_TRAINING(fit),
    .fitted = &fitted,
};
