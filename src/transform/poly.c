/* poly.c -- powers and products of features.
 *
 *     all products x_1^a_1 ... x_d^a_d with 1 <= a_1 + ... + a_d <= degree                  (1)
 *
 * or, with interactions=yes, those with every a_j <= 1.  Terms are ordered by degree, then as words
 * over the features; there is no constant, since learners have their own.  Each term is an earlier
 * term times one feature, so a row costs one multiplication per term.  There are C(d + degree,
 * degree)
 * - 1 terms; past a million the fit refuses.
 *
 * Symbols: d features that come in, terms that go out. */
#include "core/text.h"
#include "learn/learner.h"

#include <string.h>

enum { MOST_TERMS = 1000000 };

/* ---- parameters ------------------------------------------------------------------------- */

struct poly_params {
    int64_t degree;
    bool interactions;
};

static const smr_param params[] = {
    {SMR_FIELD(struct poly_params, degree), .def = 2, .min = 1, .max = 100, .primary = true,
     .search = SMR_SEARCH_LINEAR, .search_min = 1, .search_max = 5, .simpler = SMR_SIMPLER_LOW,
     .doc = "Highest total degree of a term; the number of terms grows quickly with it."},
    {SMR_FIELD(struct poly_params, interactions), .def = false, .search = SMR_SEARCH_VALUES,
     .doc = "Only products of different features, no powers."},
};

/* ---- state ------------------------------------------------------------------------------ */

struct poly_state {
    int64_t n_features;
    /* Derived: term t is terms[parent[t]] * x[feature[t]]; a parent of -1 means x alone. */
    int64_t n_terms;
    int64_t *parent;
    int32_t *feature;
};

static const smr_state state[] = {
    {SMR_KEPT(struct poly_state, n_features), .is = "features", .min = 1,
     .doc = "Features that come in."},
};

static void release(void *state_)
{
    struct poly_state *s = state_;
    smr_free(s->parent);
    smr_free(s->feature);
}

/* Number of terms (1), or of those with distinct features; MOST_TERMS + 1 when more. */
static int64_t count_terms(int64_t d, int64_t degree, bool interactions)
{
    double total = 0, of_degree = 1;
    for (int64_t k = 1; k <= degree; k++) {
        double ways = interactions ? (double)(d - k + 1) : (double)(d + k - 1);
        if (ways <= 0) break;
        of_degree = of_degree * ways / (double)k;
        total += of_degree;
        if (total > MOST_TERMS) return MOST_TERMS + 1;
    }
    return (int64_t)(total + 0.5);
}

/* Extends every term of the last degree by the features not before its own last one. */
static smr_status prepare(smr_ctx *ctx, const void *params_, void *state_)
{
    const struct poly_params *p = params_;
    struct poly_state *s = state_;
    int64_t d = s->n_features, n = count_terms(d, p->degree, p->interactions);
    smr_status st = SMR_OK;
    if (n > MOST_TERMS)
        return smr_fail(
            ctx, SMR_ERR_PARAM,
            "poly: degree %lld of %lld features gives more than %d terms; lower the degree, "
            "use interactions=yes, or fewer features",
            (long long)p->degree, (long long)d, MOST_TERMS);
    TRY_NEW(s->parent, n);
    TRY_NEW(s->feature, n);
    for (int64_t j = 0; j < d; j++) {
        s->parent[j] = -1;
        s->feature[j] = (int32_t)j;
    }
    int64_t at = d, begin = 0;
    for (int64_t k = 2; k <= p->degree && at < n; k++) {
        int64_t end = at;
        for (int64_t t = begin; t < end; t++)
            for (int64_t j = s->feature[t] + p->interactions; j < d; j++) {
                s->parent[at] = t;
                s->feature[at++] = (int32_t)j;
            }
        begin = end;
    }
    s->n_terms = n;
out:
    return st;
}

/* ---- fit -------------------------------------------------------------------------------- */

static smr_status fit(smr_ctx *ctx, const void *params_, const smr_data *data, void *state_,
                      smr_fit_report *report)
{
    (void)ctx, (void)params_, (void)report;
    ((struct poly_state *)state_)->n_features = data->n_features;
    return SMR_OK;
}

/* Nothing is learned: a stream needs only the number of features. */
static smr_status begin(smr_ctx *ctx, const void *params_, const smr_shape *shape, void *state_)
{
    (void)ctx, (void)params_;
    ((struct poly_state *)state_)->n_features = shape->n_features;
    return SMR_OK;
}

/* ---- predict: (1) ----------------------------------------------------------------------- */

static smr_status predict(smr_ctx *ctx, const void *params_, const void *state_,
                          const smr_rows *rows, smr_output output, double *out, void *scratch)
{
    const struct poly_state *s = state_;
    (void)ctx, (void)params_, (void)output, (void)scratch;
    for (int64_t i = 0; i < rows->n; i++) {
        const double *x = (const double *)rows->x + i * rows->stride;
        double *row = out + i * s->n_terms;
        memcpy(row, x, (size_t)s->n_features * sizeof *x);
        for (int64_t t = s->n_features; t < s->n_terms; t++)
            row[t] = row[s->parent[t]] * x[s->feature[t]];
    }
    return SMR_OK;
}

static int64_t n_out(const void *params_, const void *state_, int64_t n_in)
{
    (void)params_, (void)n_in;
    return ((const struct poly_state *)state_)->n_terms;
}

/* "a^2*b": the features of the term in ascending order, with their powers. */
static void name_term(const struct poly_state *s, const smr_feature *in, int64_t t, smr_text *out)
{
    int32_t used[100];
    int n = 0;
    for (int64_t at = t; at >= 0; at = s->parent[at]) used[n++] = s->feature[at];
    for (int i = n - 1; i >= 0;) {
        int power = 1;
        while (i - power >= 0 && used[i - power] == used[i]) power++;
        if (i < n - 1) smr_text_add(out, "*");
        smr_text_add(out, in[used[i]].name);
        if (power > 1) smr_text_printf(out, "^%d", power);
        i -= power;
    }
}

static smr_status learn(smr_ctx *ctx, const void *params_, void *state_, const smr_rows *rows,
                        const smr_truths *truths, double *out)
{
    (void)truths;
    if (!out) return SMR_OK;
    return predict(ctx, params_, state_, rows, SMR_OUTPUT_TRANSFORM, out, NULL);
}

static smr_status outputs(smr_ctx *ctx, const void *params_, const void *state_,
                          const smr_feature *in, int64_t n_in, smr_feature *out, int64_t n)
{
    const struct poly_state *s = state_;
    (void)params_, (void)n_in;
    for (int64_t t = 0; t < n; t++) {
        smr_text name = {.ctx = ctx};
        name_term(s, in, t, &name);
        if (smr_text_done(&name) != SMR_OK) {
            smr_text_release(&name);
            return SMR_ERR_NOMEM;
        }
        out[t].kind = SMR_NUMBER;
        out[t].name = name.bytes;
    }
    return SMR_OK;
}

static smr_status describe(smr_ctx *ctx, const void *params_, const void *state_,
                           const smr_feature *in, int64_t n_in, smr_json *into)
{
    const struct poly_state *s = state_;
    (void)ctx, (void)params_, (void)in;
    smr_json_add_number(into, "features_in", (double)n_in);
    smr_json_add_number(into, "terms_out", (double)s->n_terms);
    return SMR_OK;
}

/* ---- descriptor ------------------------------------------------------------------------- */

static const smr_word about = {
    .name = "poly",
    .synonyms = "polynomial PolynomialFeatures",
    .family = "transform",
    .title = "Polynomial features",
    .brief = "Adds powers and products of the features up to a degree.",
    .objective = "all products of features of total degree 1 to degree",
    .details =
        "Terms are named after their features, as in a^2*b. There is no constant term, as linear "
        "learners have an intercept. If the degree is high, put standardize before it.",
    .reference = "Gergonne, The application of the method of least squares to the interpolation of "
                 "sequences, 1815",
    .example =
        "samara train \"standardize | poly 2 | ridge 1\" data/diabetes.csv --target progression",
    .params = params,
    .n_params = SMR_COUNT(params),
    .params_size = sizeof(struct poly_params),
};

/* A power is of one feature, a product of several. */
static void origins(const void *params_, const void *state_, int64_t n_in, int64_t *from, int64_t n)
{
    const struct poly_state *s = state_;
    (void)params_, (void)n_in;
    for (int64_t t = 0; t < n; t++) {
        bool is_power = s->parent[t] < 0 || from[s->parent[t]] == s->feature[t];
        from[t] = is_power ? s->feature[t] : -1;
    }
}

static const smr_can_transform transforms = {
    .origins = origins,
    .n_out = n_out,
    .outputs = outputs,
    .no_inverse = "products of features that were changed on their own belong to no row",
};

static const smr_fitted fitted = {
    .state = state,
    .n_state = SMR_COUNT(state),
    .state_size = sizeof(struct poly_state),
    .gives = SMR_GIVES_TRANSFORM,
    .prepare = prepare,
    .release = release,
    .predict = predict,
    .describe = describe,
    .transform = &transforms,
};

static const smr_can_stream streams = {
    .begin = SMR_TRAINING(begin),
    .learn = SMR_TRAINING(learn),
};

const smr_learner smr_poly = {
    .word = &about,
    .tasks = SMR_DOES_TRANSFORM,
    .takes = SMR_TAKES_F64 | SMR_TAKES_WEIGHTS | SMR_TAKES_MISSING,
    .traits = SMR_PASSES_CONTRASTS,
    .fit = SMR_TRAINING(fit),
    .fitted = &fitted,
    .stream = SMR_TRAINING(&streams),
};
