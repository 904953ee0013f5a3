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
 * A numeric target is cut into SLICES slices of equal weight, which take the place of classes:
 * sliced inverse regression (Li).  A column that never changes has weight 0; another that depends
 * on those before it within the classes has none either, if it depends on them altogether, and is
 * refused if not, as it alone would tell the classes apart.  shrinkage s replaces S by
 * (1 - s) S + s diag(S); auto, the default, takes Ledoit and Wolf's s and a least variance, so that
 * nothing is refused (class_within.h).
 *
 * Cost: n d^2 / 2 + O(d^3).
 * References: Fisher, Annals of Eugenics 7:179-188, 1936; Rao, J. R. Stat. Soc. B 10:159-203, 1948;
 * Li, J. Am. Stat. Assoc. 86(414):316-327, 1991. */
#include "core/sort.h"
#include "kernel/kernel.h"
#include "learn/bayes/class_scatter.h"
#include "learn/bayes/class_within.h"
#include "learn/learner.h"
#include "learn/linear/affine.h"
#include "learn/made_features.h"
#include "math/factor.h"

#include <math.h>
#include <string.h>

enum { SLICES = 10 };
/* A column of which the others leave less than this share of its variance depends on them. */
#define DEPENDENT 1e-11
/* Deviations below this share of a value are rounding. */
#define ROUNDING 1e-13

/* ---- parameters -------------------------------------------------------------------------- */

struct fisher_params {
    int64_t k;
    double shrinkage;
};

/* shrinkage=auto, as a word in place of a number is held */
#define AUTO (-1.0)

static const smr_choice amounts[] = {
    {"auto", "Ledoit and Wolf's amount"},
    {NULL, NULL},
};

static const smr_param params[] = {
    {SMR_FIELD(struct fisher_params, k), .unset = true, .min = 1, .max = SMR_MAX_DIM,
     .primary = true,
     .doc = "Directions to keep, the most telling first; unset: all, one less than "
            "there are classes or slices."},
    {SMR_FIELD(struct fisher_params, shrinkage), .def = AUTO, .min = 0, .max = 1,
     .choices = amounts, .search = SMR_SEARCH_LINEAR, .search_min = 0, .search_max = 1,
     .simpler = SMR_SIMPLER_HIGH,
     .doc = "How far the covariance within classes is moved towards its variances, that is, the "
            "correlations towards 0."},
};

/* ---- state ------------------------------------------------------------------------------- */

struct fisher_state {
    int64_t n_features, n_out;
    double *mean;      /* n_features                                          */
    double *direction; /* n_out x n_features                                  */
    double *back;      /* n_out x n_features: S v                             */
    double *value;     /* n_out: variance between classes over that within    */
    double share;      /* of all values that the ones that are kept have      */
    double shrunk;     /* how far the covariance within classes was moved     */
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
    {KEPT(shrunk), .reals = SMR_REALS_SHARE, .doc = "Shrinkage of the covariance within classes."},
};

/* ---- fit --------------------------------------------------------------------------------- */

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
static smr_status scale(smr_ctx *ctx, const struct fisher_params *p, const smr_class_scatter *c,
                        struct scatters *s, double *shrunk)
{
    smr_status st = SMR_OK;
    int64_t d = c->data->n_features;
    double divisor = s->total - (double)s->present;
    smr_class_means means = {c->data->n_classes, d, c->weight, s->means};
    smr_class_sample rows = {0};
    if (!(divisor > 0)) divisor = s->total;
    for (int64_t e = 0; e < d * d; e++) {
        s->within[e] /= divisor;
        s->between[e] /= divisor;
    }
    *shrunk = p->shrinkage;
    if (p->shrinkage == AUTO) {
        TRY(smr_class_sample_take(ctx, c->data, SMR_SAMPLE_ROWS, &rows));
        TRY(smr_within_amount(ctx, &means, &rows, s->within, divisor, shrunk));
        smr_within_floor(&means, s->within, d + 1);
    }
    smr_within_shrink(d, *shrunk, s->within);
out:
    smr_class_sample_release(&rows);
    return st;
}

/* ---- columns that are independent of each other ------------------------------------------ */

struct choice {
    int64_t n;
    int64_t *column; /* n of d                                                      */
    double *L;       /* d x d: rows of the factor of their correlations within        */
    double *factor;  /* d                                                           */
    double *root;    /* d: deviations within                                        */
};

/* What the columns before leave of column i, within (S) and between (B), in its own units. */
static double left_of(const struct choice *c, int64_t d, const double *S, const double *B,
                      int64_t i, double *between)
{
    double *row = c->L + c->n * d, left = 1;
    for (int64_t a = 0; a < c->n; a++) {
        int64_t j = c->column[a];
        double r = S[i * d + j] / c->root[i] / c->root[j];
        row[a] = (r - smr_dot_f64(a, row, c->L + a * d)) / c->L[a * d + a];
        left -= row[a] * row[a];
    }
    for (int64_t a = c->n - 1; a >= 0; a--) { /* what column i is made of */
        double f = row[a];
        for (int64_t b = a + 1; b < c->n; b++) f -= c->factor[b] * c->L[b * d + a];
        c->factor[a] = f / c->L[a * d + a];
    }
    *between = B[i * d + i] / c->root[i] / c->root[i];
    for (int64_t a = 0; a < c->n; a++) {
        int64_t j = c->column[a];
        *between -= 2 * c->factor[a] * B[i * d + j] / c->root[i] / c->root[j];
        for (int64_t b = 0; b < c->n; b++)
            *between += c->factor[a] * c->factor[b] * B[j * d + c->column[b]] / c->root[j] /
                        c->root[c->column[b]];
    }
    return left;
}

static smr_status refuse(smr_ctx *ctx, const smr_data *data, int64_t i)
{
    char name[32];
    return smr_fail(ctx, SMR_ERR_DATA,
                    "fisher: the covariance within classes is singular: '%s' is constant there, or "
                    "depends on the columns before it, but not altogether; use shrinkage=auto, or "
                    "leave it out",
                    smr_affine_name(data->features, i, name));
}

static smr_status choose(smr_ctx *ctx, const smr_data *data, const struct scatters *x,
                         const double *mean, struct choice *c)
{
    smr_status st = SMR_OK;
    int64_t d = data->n_features;
    TRY_NEW(c->column, d);
    TRY_NEW(c->L, (d + 1) * d);
    TRY_NEW(c->factor, d);
    TRY_NEW(c->root, d);
    for (int64_t i = 0; i < d; i++) {
        double noise = ROUNDING * fabs(mean[i]), between;
        c->root[i] = sqrt(x->within[i * d + i]);
        if (c->root[i] <= noise) {
            if (sqrt(x->between[i * d + i]) > 10 * noise) TRY(refuse(ctx, data, i));
            continue;
        }
        double left = left_of(c, d, x->within, x->between, i, &between);
        if (left > DEPENDENT) {
            c->L[c->n * d + c->n] = sqrt(left);
            c->column[c->n++] = i;
        } else if (between > 1e-6) {
            TRY(refuse(ctx, data, i));
        }
    }
out:
    return st;
}

static void release_choice(struct choice *c)
{
    smr_free(c->column);
    smr_free(c->L);
    smr_free(c->factor);
    smr_free(c->root);
}

/* ---- directions -------------------------------------------------------------------------- */

/* v of the chosen columns, with its largest entry positive, and S v. */
static void keep_direction(int64_t d, const struct choice *c, const double *v, const double *within,
                           double *direction, double *back)
{
    int64_t largest = 0;
    for (int64_t a = 1; a < c->n; a++)
        if (fabs(v[a]) > fabs(v[largest])) largest = a;
    double sign = v[largest] < 0 ? -1 : 1;
    for (int64_t a = 0; a < c->n; a++) direction[c->column[a]] = sign * v[a];
    for (int64_t j = 0; j < d; j++) back[j] = smr_dot_f64(d, within + j * d, direction);
}

/* (1) in the chosen columns. */
static smr_status solve(smr_ctx *ctx, const struct scatters *x, const struct choice *c,
                        int64_t most, struct fisher_state *s)
{
    smr_status st = SMR_OK;
    int64_t d = s->n_features, n = c->n;
    double *value = NULL, *S = NULL, *B = NULL, all = 0, kept = 0;
    TRY_NEW(value, n);
    TRY_NEW(S, n * n);
    TRY_NEW(B, n * n);
    TRY_NEW(s->direction, s->n_out * d);
    TRY_NEW(s->back, s->n_out * d);
    TRY_NEW(s->value, s->n_out);
    for (int64_t a = 0; a < n; a++)
        for (int64_t b = 0; b < n; b++) {
            S[a * n + b] = x->within[c->column[a] * d + c->column[b]];
            B[a * n + b] = x->between[c->column[a] * d + c->column[b]];
        }
    TRY(smr_eigen_general(ctx, n, B, n, S, n, value));
    for (int64_t e = 0; e < SMR_MIN(most, n); e++) all += smr_fmax(0, value[n - 1 - e]);
    for (int64_t e = 0; e < SMR_MIN(s->n_out, n); e++) {
        s->value[e] = smr_fmax(0, value[n - 1 - e]);
        kept += s->value[e];
        keep_direction(d, c, B + (n - 1 - e) * n, x->within, s->direction + e * d, s->back + e * d);
    }
    s->share = all > 0 ? smr_fmin(1, kept / all) : 1;
out:
    smr_free(value);
    smr_free(S);
    smr_free(B);
    return st;
}

/* ---- targets ----------------------------------------------------------------------------- */

/* Slices of a numeric target: equal weights, equal numbers in one slice. */
static smr_status slice(smr_ctx *ctx, smr_data *data, int32_t **own)
{
    smr_status st = SMR_OK;
    int64_t n = data->n_rows, *order = NULL, first = 0;
    double total = 0, below = 0;
    if (data->n_outputs != 1 || !data->y)
        TRY(smr_fail(ctx, SMR_ERR_UNSUPPORTED, "fisher: one target is needed"));
    TRY_NEW(*own, n);
    TRY_NEW(order, n);
    TRY(smr_argsort_f64(ctx, n, data->y, order));
    for (int64_t i = 0; i < n; i++) total += smr_data_weight(data, i);
    while (first < n) {
        int64_t last = first;
        double here = 0;
        for (; last < n && data->y[order[last]] == data->y[order[first]]; last++)
            here += smr_data_weight(data, order[last]);
        if (last == first) TRY(smr_fail(ctx, SMR_ERR_DATA, "fisher: a target is not a number"));
        double at = total > 0 ? (below + here / 2) / total : 0;
        for (int64_t i = first; i < last; i++)
            (*own)[order[i]] = (int32_t)SMR_MIN(SLICES - 1, (int64_t)(SLICES * at));
        below += here;
        first = last;
    }
    data->label = *own;
    data->n_classes = SLICES;
    data->classes = NULL;
out:
    smr_free(order);
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
    struct choice chosen = {0};
    int32_t *slices = NULL;
    int64_t d = data.n_features, most;
    (void)report;
    data.spend = NULL;
    if (!data.label) TRY(slice(ctx, &data, &slices));
    TRY(smr_class_scatter_open(ctx, "fisher", &data, &c));
    if (d < 1) TRY(smr_fail(ctx, SMR_ERR_DATA, "fisher: there are no features"));
    s->n_features = d;
    TRY_NEW(s->mean, d);
    TRY(find_scatters(ctx, &c, &x, s->mean));
    if (x.present < 2)
        TRY(smr_fail(ctx, SMR_ERR_DATA,
                     "fisher: all rows have the same class; rows of at least two are needed"));
    most = SMR_MIN(d, x.present - 1);
    if (p->k != SMR_UNSET_INT && p->k > most)
        TRY(smr_fail(ctx, SMR_ERR_PARAM,
                     "fisher: k=%lld, and %lld %s of %lld column%s have %lld direction%s",
                     (long long)p->k, (long long)x.present, slices ? "slices" : "classes",
                     (long long)d, smr_plural(d, "", "s"), (long long)most,
                     smr_plural(most, "", "s")));
    s->n_out = p->k == SMR_UNSET_INT ? most : p->k;
    TRY(scale(ctx, p, &c, &x, &s->shrunk));
    TRY(choose(ctx, &data, &x, s->mean, &chosen));
    TRY(solve(ctx, &x, &chosen, most, s));
out:
    release_choice(&chosen);
    smr_free(x.within);
    smr_free(x.between);
    smr_free(x.means);
    smr_free(slices);
    smr_class_scatter_close(&c);
    return st;
}

/* ---- apply ------------------------------------------------------------------------------- */

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
    return smr_made_features(ctx, "fisher_", out, n);
}

/* ---- describe ---------------------------------------------------------------------------- */

static smr_status describe(smr_ctx *ctx, const void *params_, const void *state_,
                           const smr_feature *in, int64_t n_in, smr_json *into)
{
    const struct fisher_state *s = state_;
    (void)ctx, (void)params_;
    smr_json_add_number(into, "features_in", (double)n_in);
    smr_json_add_number(into, "features_out", (double)s->n_out);
    smr_json_add_number(into, "share", s->share);
    smr_json_add_number(into, "shrinkage", s->shrunk);
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

/* ---- descriptor -------------------------------------------------------------------------- */

static const smr_word about = {
    .name = "fisher",
    .synonyms = "discriminant FDA SIR",
    .family = "transform",
    .title = "Fisher's directions",
    .brief = "The few directions in which the classes lie farthest apart, measured by their spread "
             "within.",
    .objective = "directions v with SB v = value SW v: largest variance between classes over that "
                 "within, v' SW v / (rows - classes) = 1",
    .details =
        "The linear discriminant as a transform: k classes give at most k - 1 features, of "
        "variance 1 and (but for shrinkage) without correlation within classes, the most telling "
        "first. A numeric "
        "target is cut into ten slices of equal weight in place of classes (sliced inverse "
        "regression). A column that never changes has weight 0. shrinkage=auto moves the "
        "covariance "
        "within classes towards its variances by Ledoit and Wolf's amount, so that few rows and "
        "columns that depend on each other do no harm; with shrinkage=0 a column that depends on "
        "others has weight 0, or is refused if it alone would tell the classes apart. The largest "
        "weight of each direction is positive. gauss shared classifies with the same directions.",
    .reference = "Fisher, Annals of Eugenics 7 (1936); Rao, J. R. Stat. Soc. B 10 (1948)",
    .example = "samara train \"fisher 2 | knn 5\" data/wine.csv --target cultivar",
    .params = params,
    .n_params = SMR_COUNT(params),
    .params_size = sizeof(struct fisher_params),
};

static const smr_can_transform transforms = {
    .n_out = n_out,
    .outputs = outputs,
    .origins = smr_made_of_all,
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

const smr_learner smr_fisher = {
    .word = &about,
    .tasks = SMR_DOES_TRANSFORM,
    .takes = SMR_TAKES_F64 | SMR_TAKES_WEIGHTS,
    .traits = SMR_NEEDS_TARGET | SMR_WANTS_CONTRASTS,
    .fit = SMR_TRAINING(fit),
    .fitted = &fitted,
};
