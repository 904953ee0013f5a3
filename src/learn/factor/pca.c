/* pca.c -- principal components: the directions in which rows vary most.
 *
 * With mean m and covariance C = sum w (x - m)(x - m)' / (W - 1), W = sum w, the components are the
 * unit eigenvectors of C, of largest variance first:
 *
 *     C v_i = l_i v_i,  l_1 >= l_2 >= ...,  v_i'v_j = 0,     z_i = v_i'(x - m)                 (1)
 *
 * Of all sets of k directions they keep the most variance, and x^ = m + sum z_i v_i is nearest to x
 * on average.  whiten divides z_i by the root of l_i.  Signs: of the entries of v_i that are as
 * large as the largest (to 1e-9), the first is positive.
 *
 * How well a row fits, its score:
 *
 *     error      -|x - x^|^2                                                                  (2)
 *     distance   -sum z_i^2 / l_i, the squared Mahalanobis distance within the plane          (3)
 *     density    log p(x), p normal with mean m and covariance sum l_i v_i v_i' in the plane, and
 *                s in each direction off it, s the mean of what variance is left (Tipping &
 *                Bishop's probabilistic components); the task density gives this          (4)
 *
 *     log p(x) = -1/2 [d log 2 pi + sum log l_i + (d - k) log s + sum z_i^2 / l_i + |x - x^|^2 / s]
 *
 * How (1) is solved: pca_fit.c chooses among singular values, the covariance, random projections
 * and Lanczos by the shape; sparse rows are never made dense.  Variances up to rounding of the
 * largest are none: components that are asked for beyond the rank are left out, with a warning.  A
 * constant feature has weight 0.
 *
 * Cost of a row: k d multiply-adds, twice that for a score.
 * Symbols: n rows, d features, k components, W the rows' weight.
 * References: Pearson, Phil. Mag. 2 (1901); Hotelling, J. Educ. Psychol. 24 (1933); Tipping &
 * Bishop, J. R. Stat. Soc. B 61 (1999); Halko, Martinsson & Tropp, SIAM Review 53 (2011). */
#include "learn/factor/pca.h"

#include "core/text.h"
#include "kernel/kernel.h"
#include "learn/made_features.h"

#include <float.h>
#include <math.h>
#include <string.h>

#define LOG_2_PI 1.8378770664093454836

/* ---- parameters ------------------------------------------------------------------------- */

static const smr_choice counts[] = {
    {"all", "every direction in which the rows vary"},
    {"cv", "the number under which rows that are held back are likeliest"},
    {NULL, NULL},
};

static const smr_choice solvers[] = {
    [SMR_PCA_AUTO] = {"auto", "by the shape of the data"},
    [SMR_PCA_SVD] = {"svd", "singular values of all rows: every digit, and the most work"},
    [SMR_PCA_COVARIANCE] = {"covariance",
                            "eigenvalues of the covariance, or of the rows' products"},
    [SMR_PCA_RANDOM] = {"random", "a few passes over the rows with random vectors"},
    [SMR_PCA_LANCZOS] = {"lanczos", "passes over the rows until the components are there"},
    {NULL, NULL},
};

static const smr_choice scores[] = {
    [SMR_PCA_BY_ERROR] = {"error", "the squared distance from its reconstruction, negated"},
    [SMR_PCA_BY_DISTANCE] = {"distance", "the squared Mahalanobis distance among the components, "
                                         "negated"},
    [SMR_PCA_BY_DENSITY] = {"density", "the log-density of probabilistic components"},
    {NULL, NULL},
};

#define P(field_) SMR_FIELD(struct smr_pca_params, field_)

static const smr_param params[] = {
    {P(k), .def = 0.95, .min = 0, .max = SMR_MAX_DIM, .min_open = true, .choices = counts,
     .primary = true, .search = SMR_SEARCH_LINEAR, .search_min = 0.5, .search_max = 0.99,
     .simpler = SMR_SIMPLER_LOW,
     .doc = "How many components: a number from 1 on; below 1 the share of the variance that they "
            "hold together."},
    {P(whiten), .def = false, .doc = "Divide each component by its standard deviation."},
    {P(solver), .choices = solvers, .when = "k!=cv", .fit_only = true,
     .doc = "How the components are found."},
    {P(passes), .def = 5, .min = 2, .max = 1000, .when = "solver=random", .fit_only = true,
     .doc = "How often the rows are passed over."},
    {P(tol), .def = 1e-8, .min = 1e-13, .max = 1, .when = "solver=lanczos", .fit_only = true,
     .doc = "How far C v may be from a multiple of v, in units of the largest variance."},
    {P(folds), .def = 5, .min = 2, .max = 1000, .when = "k=cv", .fit_only = true,
     .doc = "Into how many parts the rows are divided for k=cv."},
    {P(score), .choices = scores, .doc = "What the score of a row is."},
};

static smr_status check_params(smr_ctx *ctx, const void *params_)
{
    const struct smr_pca_params *p = params_;
    if (p->k < 1 || p->k == floor(p->k)) return SMR_OK;
    smr_text k = {.ctx = ctx};
    smr_text_number(&k, p->k);
    smr_status st = smr_text_done(&k);
    if (st == SMR_OK)
        st = smr_fail(ctx, SMR_ERR_PARAM,
                      "pca: k=%s is neither a whole number of components nor a share below 1",
                      k.bytes);
    smr_text_release(&k);
    return st;
}

/* ---- state ------------------------------------------------------------------------------ */

#define KEPT(field_) SMR_KEPT(struct smr_pca_state, field_)

static const smr_state state[] = {
    {KEPT(n_features), .is = "features", .min = 1, .doc = "Features that come in."},
    {KEPT(n_out), .min = 1, .most = "features", .doc = "Components."},
    {KEPT(route), .min = SMR_PCA_SVD, .max = SMR_PCA_LANCZOS, .doc = "How they were found."},
    {KEPT(scores), .min = SMR_PCA_BY_ERROR, .max = SMR_PCA_BY_DENSITY,
     .doc = "What the score of a row is: error, distance or density."},
    {KEPT(weight), .reals = SMR_REALS_FROM_0, .doc = "Weight of the rows."},
    {KEPT(total), .reals = SMR_REALS_FROM_0, .doc = "Variance of all features together."},
    {KEPT(noise), .reals = SMR_REALS_FROM_0,
     .doc = "Mean variance of the directions without a component; 0: none is left."},
    {KEPT(mean), .dims = {"n_features"}, .reals = SMR_REALS_FINITE, .doc = "Means."},
    {KEPT(component), .dims = {"n_out", "n_features"}, .reals = SMR_REALS_FINITE,
     .doc = "Components: orthonormal rows."},
    {KEPT(variance), .dims = {"n_out"}, .reals = SMR_REALS_FROM_0, .doc = "Their variances."},
    {KEPT(shift), .dims = {"n_out"}, .reals = SMR_REALS_FINITE,
     .doc = "Products of the mean with the components."},
    {KEPT(n_known), .min = 0, .doc = "Variances that are known."},
    {KEPT(known), .dims = {"n_known"}, .reals = SMR_REALS_FROM_0, .optional = true,
     .with = "n_known", .doc = "Variances, also of directions that are not kept."},
    {KEPT(n_tried), .min = 0, .doc = "Numbers of components that were tried."},
    {KEPT(tried), .dims = {"n_tried"}, .optional = true, .with = "n_tried",
     .doc = "Log-density of rows that were held back."},
    {KEPT(tried_error), .dims = {"n_tried"}, .optional = true, .with = "n_tried",
     .doc = "Its standard error."},
    {KEPT(n_sample), .min = 0, .doc = "Rows kept for pictures."},
    {KEPT(n_plane), .min = 0, .max = 2, .most = "n_out", .doc = "Their components."},
    {KEPT(sample), .dims = {"n_sample", "n_plane"}, .reals = SMR_REALS_FINITE, .optional = true,
     .with = "n_sample", .doc = "Components of some rows, for pictures."},
    {KEPT(n_item), .min = 0, .max = 4, .doc = "4, or 0: rows are not items."},
    {KEPT(item), .dims = {"n_item"}, .min = 0, .optional = true, .with = "n_item",
     .doc = "The shape of a row as an item."},
    {KEPT(n_room), .min = 0, .most = "features", .doc = "From a stream: room in the basis."},
    {KEPT(n_basis), .min = 0, .most = "n_room", .doc = "From a stream: directions in it."},
    {KEPT(basis), .dims = {"n_room", "n_features"}, .reals = SMR_REALS_FINITE, .optional = true,
     .with = "n_room", .doc = "From a stream: orthonormal rows."},
    {KEPT(scatter), .dims = {"n_room", "n_room"}, .reals = SMR_REALS_FINITE, .optional = true,
     .with = "n_room", .doc = "From a stream: sums of squares and products in the basis."},
    {KEPT(squares), .reals = SMR_REALS_FROM_0,
     .doc = "From a stream: the sum of squares of all features."},
};

/* ---- predict ---------------------------------------------------------------------------- */

/* (1) and (2) for a group of dense rows; R: as many rows of d. */
static void project_dense(const struct smr_pca_state *s, const smr_rows *rows, double *z,
                          double *off, double *R)
{
    int64_t d = s->n_features, k = s->n_out;
    for (int64_t i = 0; i < rows->n; i++) {
        const double *x = (const double *)rows->x + i * rows->stride;
        for (int64_t j = 0; j < d; j++) R[i * d + j] = x[j] - s->mean[j];
    }
    smr_rows_times_f64(rows->n, d, k, R, d, s->component, d, z);
    for (int64_t i = 0; off && i < rows->n; i++) {
        for (int64_t c = 0; c < k; c++)
            smr_axpy_f64(d, -z[i * k + c], s->component + c * d, R + i * d);
        off[i] = smr_sumsq_f64(d, R + i * d, 0);
    }
}

/* |x - m|^2 of a sparse row, from its entries. */
static double from_mean(const struct smr_pca_state *s, const smr_rows *rows, int64_t i, double mean)
{
    double sum = mean;
    for (int64_t e = rows->start[i]; e < rows->start[i + 1]; e++)
        sum += rows->value[e] * (rows->value[e] - 2 * s->mean[rows->column[e]]);
    return sum;
}

static void project_sparse(const struct smr_pca_state *s, const smr_rows *rows, double *z,
                           double *off)
{
    int64_t d = s->n_features, k = s->n_out;
    double mean = off ? smr_sumsq_f64(d, s->mean, 0) : 0;
    for (int64_t i = 0; i < rows->n; i++) {
        double *to = z + i * k;
        for (int64_t c = 0; c < k; c++) {
            const double *v = s->component + c * d;
            double sum = 0;
            for (int64_t e = rows->start[i]; e < rows->start[i + 1]; e++)
                sum += rows->value[e] * v[rows->column[e]];
            to[c] = sum - s->shift[c];
        }
        if (off) off[i] = smr_fmax(0, from_mean(s, rows, i, mean) - smr_sumsq_f64(k, to, 0));
    }
}

void smr_pca_project(const struct smr_pca_state *s, const smr_rows *rows, double *z, double *off,
                     double *work)
{
    for (int64_t lo = 0; lo < rows->n; lo += SMR_PCA_GROUP) {
        smr_rows some = smr_rows_slice(rows, lo, SMR_MIN(rows->n, lo + SMR_PCA_GROUP));
        double *to = z + lo * s->n_out, *far = off ? off + lo : NULL;
        if (rows->form == SMR_FORM_SPARSE)
            project_sparse(s, &some, to, far);
        else
            project_dense(s, &some, to, far, work);
    }
}

/* (3) */
static double distance(const struct smr_pca_state *s, const double *z)
{
    double sum = 0;
    for (int64_t c = 0; c < s->n_out; c++)
        if (s->variance[c] > 0) sum += z[c] * z[c] / s->variance[c];
    return sum;
}

/* A stream may not have come to a variance yet; a fit sees to it that there is one. */
static double above_0(const struct smr_pca_state *s, double variance)
{
    return smr_fmax(variance, smr_fmax(1e-14 * s->total, DBL_MIN));
}

/* What all rows have in common in (4), doubled and negated. */
static double common(const struct smr_pca_state *s)
{
    int64_t rest = s->n_features - s->n_out;
    double sum = (double)s->n_features * LOG_2_PI;
    for (int64_t c = 0; c < s->n_out; c++) sum += smr_log(above_0(s, s->variance[c]));
    return rest > 0 ? sum + (double)rest * smr_log(above_0(s, s->noise)) : sum;
}

static void score_rows(const struct smr_pca_state *s, int64_t n, const double *z, const double *off,
                       double *out)
{
    double base = s->scores == SMR_PCA_BY_DENSITY ? common(s) : 0;
    bool rest = s->n_out < s->n_features;
    for (int64_t i = 0; i < n; i++) {
        if (s->scores == SMR_PCA_BY_ERROR) {
            out[i] = -off[i];
            continue;
        }
        out[i] = -distance(s, z + i * s->n_out);
        if (s->scores == SMR_PCA_BY_DENSITY)
            out[i] = 0.5 * (out[i] - base - (rest ? off[i] / above_0(s, s->noise) : 0));
    }
}

smr_status smr_pca_predict(smr_ctx *ctx, const void *params_, const void *state_,
                           const smr_rows *rows, smr_output output, double *out, void *scratch)
{
    const struct smr_pca_params *p = params_;
    const struct smr_pca_state *s = state_;
    int64_t k = s->n_out, d = s->n_features;
    double *work = scratch;
    (void)ctx;
    if (output == SMR_OUTPUT_SCORE) {
        double *off = work + SMR_PCA_GROUP * d, *z = off + rows->n;
        smr_pca_project(s, rows, z, off, work);
        score_rows(s, rows->n, z, off, out);
        return SMR_OK;
    }
    smr_pca_project(s, rows, out, NULL, work);
    for (int64_t c = 0; p->whiten && c < k; c++) {
        double by = s->variance[c] > 0 ? 1 / sqrt(s->variance[c]) : 0;
        for (int64_t i = 0; i < rows->n; i++) out[i * k + c] *= by;
    }
    return SMR_OK;
}

static int64_t scratch_bytes(const void *params_, const void *state_, int64_t n)
{
    const struct smr_pca_state *s = state_;
    (void)params_;
    return (SMR_PCA_GROUP * s->n_features + n * (s->n_out + 1)) * (int64_t)sizeof(double);
}

/* x^ */
static smr_status inverse(smr_ctx *ctx, const void *params_, const void *state_,
                          const smr_rows *rows, double *out, void *scratch)
{
    const struct smr_pca_params *p = params_;
    const struct smr_pca_state *s = state_;
    int64_t d = s->n_features;
    (void)ctx, (void)scratch;
    for (int64_t i = 0; i < rows->n; i++) {
        const double *z = (const double *)rows->x + i * rows->stride;
        double *to = out + i * d;
        memcpy(to, s->mean, (size_t)d * sizeof *to);
        for (int64_t c = 0; c < s->n_out; c++)
            smr_axpy_f64(d, p->whiten ? z[c] * sqrt(s->variance[c]) : z[c], s->component + c * d,
                         to);
    }
    return SMR_OK;
}

/* ---- outputs ---------------------------------------------------------------------------- */

static int64_t n_out(const void *params_, const void *state_, int64_t n_in)
{
    (void)params_, (void)n_in;
    return ((const struct smr_pca_state *)state_)->n_out;
}

static smr_status outputs(smr_ctx *ctx, const void *params_, const void *state_,
                          const smr_feature *in, int64_t n_in, smr_feature *out, int64_t n)
{
    (void)params_, (void)state_, (void)in, (void)n_in;
    return smr_made_features(ctx, "pc", out, n);
}

/* ---- descriptor ------------------------------------------------------------------------- */

static const smr_word about = {
    .name = "pca",
    .synonyms = "PCA principal-components karhunen-loeve svd TruncatedSVD IncrementalPCA PPCA",
    .family = "factor",
    .title = "Principal components",
    .brief = "The few directions in which rows vary most, in place of the features.",
    .objective = "unit directions v_1, v_2 ... at right angles, each of the largest variance that "
                 "those before leave: C v = l v, C the covariance; z = V'(x - mean)",
    .details =
        "k is a number of components, a share of the variance (0.95: as many as hold 95 %), all, "
        "or cv: by cross-validated log-density. The route goes by the shape of the data: singular "
        "values of small tables, the covariance, Lanczos for sparse and for wide ones, random "
        "projections for huge ones; inspect names it. Sparse rows are not made dense. Of the "
        "weights that are as large as a component's largest, the first is positive. Constant "
        "columns have weight 0; components beyond the rank are left out with a warning. "
        "predict --score gives minus the squared distance from the reconstruction (score=error), "
        "minus the squared Mahalanobis distance (distance), or the log-density (density): low for "
        "rows unlike the others. With --task density it is a probabilistic model, measured by the "
        "log-density of held-out rows. In a stream the components follow the rows so far. Features "
        "should have comparable scales: put standardize before it, unless they share a unit.",
    .reference = "Pearson, Phil. Mag. 2 (1901); Tipping & Bishop, J. R. Stat. Soc. B 61 (1999); "
                 "Halko, Martinsson & Tropp, SIAM Review 53 (2011)",
    .example = "samara train \"standardize | pca 2 | knn 5\" data/wine.csv --target cultivar",
    .params = params,
    .n_params = SMR_COUNT(params),
    .params_size = sizeof(struct smr_pca_params),
    .check_params = check_params,
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
    .state_size = sizeof(struct smr_pca_state),
    .gives = SMR_GIVES_TRANSFORM | SMR_GIVES_SCORE,
    .predict = smr_pca_predict,
    .scratch = scratch_bytes,
    .describe = smr_pca_describe,
    .draw = smr_pca_draw,
    .transform = &transforms,
};

static const smr_can_stream streams = {
    .begin = SMR_TRAINING(smr_pca_begin),
    .learn = SMR_TRAINING(smr_pca_learn),
};

static const smr_can_trace traces = {.shows = "the components one by one"};

static void nature(const void *params_, smr_nature *its)
{
    const struct smr_pca_params *p = params_;
    if (p->k != SMR_PCA_CV) its->traits &= ~(unsigned)SMR_DRAWS_ROWS;
}

const smr_learner smr_pca = {
    .word = &about,
    .tasks = SMR_DOES_TRANSFORM | SMR_DOES_DENSITY | SMR_DOES_OUTLIERS,
    .takes = SMR_TAKES_F64 | SMR_TAKES_SPARSE | SMR_TAKES_WEIGHTS,
    .traits = SMR_SCALE_MATTERS | SMR_DRAWS_ROWS | SMR_TRANSFORMS_FIRST,
    .nature = nature,
    .fit = SMR_TRAINING(smr_pca_fit),
    .fitted = &fitted,
    .stream = SMR_TRAINING(&streams),
    .trace = SMR_TRAINING(&traces),
};
