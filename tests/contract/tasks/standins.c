/* standins.c -- clusters, densities and rows without a label: see standins.h. */
#include "standins.h"

#include "core/text.h"

#include <math.h>
#include <string.h>

smr_status standin_rows(smr_ctx *ctx, const smr_data *data, double **out)
{
    smr_status st = SMR_OK;
    smr_reader *reader = NULL;
    int64_t d = data->n_features;
    TRY_NEW(*out, data->n_rows * d + 1);
    TRY(smr_reader_open(ctx, data, SMR_FORM_F64, 64, &reader));
    for (int64_t lo = 0; lo < data->n_rows; lo += 64) {
        smr_rows rows;
        int64_t hi = SMR_MIN(lo + 64, data->n_rows);
        TRY(smr_reader_rows(ctx, reader, lo, hi, &rows));
        for (int64_t i = lo; i < hi; i++)
            memcpy(*out + i * d, standin_row(&rows, i - lo), (size_t)d * sizeof **out);
    }
out:
    smr_reader_close(reader);
    return st;
}

static double distance(const double *a, const double *b, int64_t d)
{
    double sum = 0;
    for (int64_t j = 0; j < d; j++) sum += (a[j] - b[j]) * (a[j] - b[j]);
    return sum;
}

static int64_t nearest(const double *x, const double *centre, int64_t k, int64_t d)
{
    int64_t best = 0;
    for (int64_t c = 1; c < k; c++)
        if (distance(x, centre + c * d, d) < distance(x, centre + best * d, d)) best = c;
    return best;
}

/* Each centre becomes the weighted mean of the rows that belong to it; owner -1: to none. */
static smr_status move(smr_ctx *ctx, const smr_data *data, const double *x, const int64_t *owner,
                       double *centre, int64_t k)
{
    smr_status st = SMR_OK;
    double *weight = NULL, *sum = NULL;
    int64_t d = data->n_features;
    TRY_NEW(weight, k);
    TRY_NEW(sum, k * d + 1);
    for (int64_t i = 0; i < data->n_rows; i++) {
        if (owner[i] < 0) continue;
        double w = smr_data_weight(data, i);
        weight[owner[i]] += w;
        for (int64_t j = 0; j < d; j++) sum[owner[i] * d + j] += w * x[i * d + j];
    }
    for (int64_t c = 0; c < k; c++)
        for (int64_t j = 0; weight[c] > 0 && j < d; j++)
            centre[c * d + j] = sum[c * d + j] / weight[c];
out:
    smr_free(weight);
    smr_free(sum);
    return st;
}

/* ---- centres: what z_cluster and z_self find -------------------------------------------- */

struct centres {
    int64_t k, d;
    double *centre;
};

static const smr_state centres_state[] = {
    {SMR_KEPT(struct centres, k), .min = 1, .doc = "Centres."},
    {SMR_KEPT(struct centres, d), .min = 1, .doc = "Features."},
    {SMR_KEPT(struct centres, centre), .dims = {"k", "d"}, .doc = "Where they are."},
};

static smr_status check_centres(smr_ctx *ctx, const void *params, const void *state_,
                                const smr_shape *shape)
{
    const struct centres *s = state_;
    (void)params;
    if (s->d == shape->n_features && (!shape->n_classes || s->k == shape->n_classes)) return SMR_OK;
    return smr_fail(ctx, SMR_ERR_FORMAT, "the model file is damaged: its centres do not fit");
}

static smr_status predict_centres(smr_ctx *ctx, const void *params, const void *state_,
                                  const smr_rows *rows, smr_output output, double *out,
                                  void *scratch)
{
    const struct centres *s = state_;
    (void)ctx, (void)params, (void)scratch;
    for (int64_t i = 0; i < rows->n; i++) {
        const double *x = standin_row(rows, i);
        double near = distance(x, s->centre + nearest(x, s->centre, s->k, s->d) * s->d, s->d);
        double *to = out + i * s->k, sum = 0;
        if (output == SMR_OUTPUT_SCORE) {
            out[i] = -sqrt(near);
            continue;
        }
        for (int64_t c = 0; c < s->k; c++) {
            double far = distance(x, s->centre + c * s->d, s->d);
            to[c] = output == SMR_OUTPUT_PROBA       ? (1 + near) / (1 + far)
                    : output == SMR_OUTPUT_TRANSFORM ? sqrt(far)
                                                     : -sqrt(far);
            sum += to[c];
        }
        for (int64_t c = 0; output == SMR_OUTPUT_PROBA && c < s->k; c++) to[c] /= sum;
    }
    return SMR_OK;
}

static int64_t count_centres(const void *params, const void *state)
{
    (void)params;
    return ((const struct centres *)state)->k;
}

static int64_t n_out(const void *params, const void *state, int64_t n_in)
{
    (void)n_in;
    return count_centres(params, state);
}

static smr_status outputs(smr_ctx *ctx, const void *params, const void *state,
                          const smr_feature *in, int64_t n_in, smr_feature *out, int64_t n)
{
    smr_status st = SMR_OK;
    (void)params, (void)state, (void)in, (void)n_in;
    for (int64_t c = 0; c < n; c++) {
        smr_text name = {.ctx = ctx};
        smr_text_printf(&name, "distance%lld", (long long)c);
        st = smr_text_done(&name);
        out[c].kind = SMR_NUMBER;
        out[c].name = name.bytes;
        if (st != SMR_OK) {
            smr_text_release(&name);
            out[c].name = NULL;
            return st;
        }
    }
    return st;
}

/* ---- z_cluster -------------------------------------------------------------------------- */

struct cluster_params {
    int64_t k;
};

static const smr_param cluster_params[] = {
    {SMR_FIELD(struct cluster_params, k), .def = 2, .min = 1, .max = 99, .primary = true,
     .search = SMR_SEARCH_LINEAR, .search_min = 2, .search_max = 4, .doc = "Clusters."},
};

/* The first k distinct rows, fewer where there are fewer. */
static void first_rows(const double *x, int64_t n, int64_t most, struct centres *s)
{
    for (int64_t i = 0; i < n && s->k < most; i++) {
        const double *row = x + i * s->d;
        if (s->k &&
            distance(row, s->centre + nearest(row, s->centre, s->k, s->d) * s->d, s->d) <= 0)
            continue;
        memcpy(s->centre + s->k++ * s->d, row, (size_t)s->d * sizeof *row);
    }
}

static smr_status fit_cluster(smr_ctx *ctx, const void *params_, const smr_data *data, void *state_,
                              smr_fit_report *report)
{
    const struct cluster_params *p = params_;
    struct centres *s = state_;
    smr_status st = SMR_OK;
    double *x = NULL;
    int64_t *owner = NULL;
    s->d = data->n_features;
    report->objective = 0;
    TRY_NEW(s->centre, p->k * s->d);
    TRY_NEW(owner, data->n_rows);
    TRY(standin_rows(ctx, data, &x));
    first_rows(x, data->n_rows, p->k, s);
    for (int64_t i = 0; i < data->n_rows; i++)
        owner[i] = nearest(x + i * s->d, s->centre, s->k, s->d);
    TRY(move(ctx, data, x, owner, s->centre, s->k));
    for (int64_t i = 0; i < data->n_rows; i++)
        report->objective +=
            smr_data_weight(data, i) * distance(x + i * s->d, s->centre + owner[i] * s->d, s->d);
out:
    smr_free(x);
    smr_free(owner);
    return st;
}

static const smr_can_transform cluster_transforms = {
    .n_out = n_out, .outputs = outputs, .no_inverse = "distances do not tell the row"};
static const smr_can_cluster cluster_counts = {.count = count_centres};
static const smr_fitted clusters = {
    .state = centres_state,
    .n_state = SMR_COUNT(centres_state),
    .state_size = sizeof(struct centres),
    .gives = SMR_GIVES_PROBA | SMR_GIVES_DECISION | SMR_GIVES_SCORE | SMR_GIVES_TRANSFORM,
    .check = check_centres,
    .predict = predict_centres,
    .transform = &cluster_transforms,
    .clusters = &cluster_counts,
};
static const smr_word cluster_word = {
    .name = "z_cluster",
    .family = "standin",
    .title = "Clusters of a stand-in",
    .brief = "The first distinct rows as centres, moved once.",
    .objective = "argmin |x - c|",
    .example = "samara train z_cluster data/iris.csv",
    .params = cluster_params,
    .n_params = SMR_COUNT(cluster_params),
    .params_size = sizeof(struct cluster_params),
};
const smr_learner smr_z_cluster = {
    .word = &cluster_word,
    .tasks = SMR_DOES_CLUSTER | SMR_DOES_TRANSFORM,
    .takes = SMR_TAKES_F64 | SMR_TAKES_WEIGHTS,
    .traits = SMR_SCALE_MATTERS | SMR_DRAWS_ROWS,
    .fit = fit_cluster,
    .fitted = &clusters,
};

/* ---- z_self ----------------------------------------------------------------------------- */

static smr_status fit_self(smr_ctx *ctx, const void *params, const smr_data *data, void *state_,
                           smr_fit_report *report)
{
    struct centres *s = state_;
    smr_status st = SMR_OK;
    double *x = NULL;
    int64_t *owner = NULL;
    (void)params, (void)report;
    s->d = data->n_features;
    s->k = data->n_classes;
    TRY_NEW(s->centre, s->k * s->d);
    TRY_NEW(owner, data->n_rows);
    TRY(standin_rows(ctx, data, &x));
    for (int64_t i = 0; i < data->n_rows; i++) owner[i] = data->label[i];
    TRY(move(ctx, data, x, owner, s->centre, s->k));
    for (int64_t i = 0; i < data->n_rows; i++)
        if (owner[i] < 0) owner[i] = nearest(x + i * s->d, s->centre, s->k, s->d);
    TRY(move(ctx, data, x, owner, s->centre, s->k));
out:
    smr_free(x);
    smr_free(owner);
    return st;
}

static const smr_fitted means = {
    .state = centres_state,
    .n_state = SMR_COUNT(centres_state),
    .state_size = sizeof(struct centres),
    .gives = SMR_GIVES_PROBA | SMR_GIVES_DECISION,
    .check = check_centres,
    .predict = predict_centres,
};
static const smr_word self_word = {
    .name = "z_self",
    .family = "standin",
    .title = "Class means of a stand-in",
    .brief = "The nearest class mean; rows without a label move the means.",
    .objective = "argmin |x - mean|",
    .example = "samara train z_self data/iris.csv --target species",
};
const smr_learner smr_z_self = {
    .word = &self_word,
    .tasks = SMR_DOES_CLASSIFY,
    .takes = SMR_TAKES_F64 | SMR_TAKES_WEIGHTS | SMR_TAKES_UNLABELLED,
    .traits = SMR_SCALE_MATTERS,
    .fit = fit_self,
    .fitted = &means,
};

/* ---- z_density -------------------------------------------------------------------------- */

struct gauss {
    int64_t d;
    double *mean, *variance;
};

static const smr_state gauss_state[] = {
    {SMR_KEPT(struct gauss, d), .min = 1, .doc = "Features."},
    {SMR_KEPT(struct gauss, mean), .dims = {"d"}, .doc = "Means."},
    {SMR_KEPT(struct gauss, variance), .dims = {"d"}, .doc = "Variances."},
};

static smr_status fit_gauss(smr_ctx *ctx, const void *params, const smr_data *data, void *state_,
                            smr_fit_report *report)
{
    struct gauss *s = state_;
    smr_status st = SMR_OK;
    double *x = NULL, total = 0;
    int64_t d = s->d = data->n_features;
    (void)params, (void)report;
    TRY_NEW(s->mean, d);
    TRY_NEW(s->variance, d);
    TRY(standin_rows(ctx, data, &x));
    for (int64_t i = 0; i < data->n_rows; i++) total += smr_data_weight(data, i);
    for (int64_t j = 0; j < d; j++) {
        for (int64_t i = 0; i < data->n_rows; i++)
            s->mean[j] += smr_data_weight(data, i) * x[i * d + j] / total;
        for (int64_t i = 0; i < data->n_rows; i++) {
            double off = x[i * d + j] - s->mean[j];
            s->variance[j] += smr_data_weight(data, i) * off * off / total;
        }
        s->variance[j] += 1e-9;
    }
out:
    smr_free(x);
    return st;
}

static smr_status check_gauss(smr_ctx *ctx, const void *params, const void *state_,
                              const smr_shape *shape)
{
    const struct gauss *s = state_;
    (void)params;
    for (int64_t j = 0; j < s->d; j++)
        if (!(s->variance[j] > 0))
            return smr_fail(ctx, SMR_ERR_FORMAT, "the model file is damaged: a variance");
    if (s->d == shape->n_features) return SMR_OK;
    return smr_fail(ctx, SMR_ERR_FORMAT, "the model file is damaged: its features");
}

static smr_status predict_gauss(smr_ctx *ctx, const void *params, const void *state_,
                                const smr_rows *rows, smr_output output, double *out, void *scratch)
{
    const struct gauss *s = state_;
    (void)ctx, (void)params, (void)output, (void)scratch;
    for (int64_t i = 0; i < rows->n; i++) {
        out[i] = 0;
        for (int64_t j = 0; j < s->d; j++) {
            double off = standin_row(rows, i)[j] - s->mean[j];
            out[i] -= 0.5 * (off * off / s->variance[j] + log(6.283185307179586 * s->variance[j]));
        }
    }
    return SMR_OK;
}

static const smr_fitted gauss = {
    .state = gauss_state,
    .n_state = SMR_COUNT(gauss_state),
    .state_size = sizeof(struct gauss),
    .gives = SMR_GIVES_SCORE,
    .check = check_gauss,
    .predict = predict_gauss,
};
static const smr_word gauss_word = {
    .name = "z_density",
    .family = "standin",
    .title = "A density of a stand-in",
    .brief = "A Gaussian for each feature.",
    .objective = "sum_j log N(x_j; mean_j, variance_j)",
    .example = "samara train z_density data/iris.csv",
};
const smr_learner smr_z_density = {
    .word = &gauss_word,
    .tasks = SMR_DOES_DENSITY,
    .takes = SMR_TAKES_F64 | SMR_TAKES_WEIGHTS,
    .fit = fit_gauss,
    .fitted = &gauss,
};
