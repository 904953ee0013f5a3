/* select_columns.c -- paths of l1 penalties over columns: classes, and more features than a Gram
 * matrix has room for; see select_linear.c.
 *
 * For each output by itself, at falling penalties l1 and from the answer before,
 *
 *     min over w, b   sum_i weight_i loss(y_i, b + x_i'w) + l1 |w|_1                            (1)
 *
 * with the logistic loss for classes (each against the rest where there are more than two) and half
 * the square for numbers, by smr_glm_columns.  Folds go along, left out by weights of 0, at
 * penalties times the share of the weight that the others have; their error is the loss of the rows
 * that were left out.  A path ends early where the error has not fallen for PATIENCE steps, or
 * enough features are in.
 * Memory: a copy of the entries by columns, and w and b of each output and fold. */
#include "core/parallel.h"
#include "core/span.h"
#include "data/by_column.h"
#include "kernel/kernel.h"
#include "math/gram.h"
#include "transform/select_path.h"

#include <math.h>
#include <string.h>

enum { PATIENCE = 8 };

struct walk {
    struct smr_select_path *path;
    smr_by_column columns;
    const smr_loss *loss;
    int64_t n, d, q, n_fits; /* rows, columns, outputs; fits of a step and output: folds + 1 */
    double *y;               /* q x n: -1 and 1 for classes                                  */
    double *w, *b;           /* q x n_fits x d, q x n_fits                                   */
    double *weight, *share;  /* n_fits x n: 0 in the fold; n_fits                            */
    double *scale;           /* q: of the gradient without any weight                        */
    double *error;           /* q x n_fits, of one step                                      */
    double *scores;          /* lanes x n                                                    */
    double l1;               /* of the step                                                  */
};

/* ---- what is fitted --------------------------------------------------------------------- */

static smr_status make_weights(smr_ctx *ctx, struct walk *k)
{
    smr_status st = SMR_OK;
    const smr_data *data = k->path->data;
    double total = 0;
    TRY_NEW(k->weight, k->n_fits * k->n);
    TRY_NEW(k->share, k->n_fits);
    for (int64_t f = 0; f < k->n_fits; f++) {
        double *weight = k->weight + f * k->n;
        for (int64_t i = 0; i < k->n; i++) {
            bool is_out = f > 0 && k->path->fold[i] == f - 1;
            weight[i] = is_out ? 0 : smr_data_weight(data, i);
            k->share[f] += weight[i];
        }
        if (f == 0) total = k->share[0];
        k->share[f] = total > 0 ? k->share[f] / total : 0;
    }
out:
    return st;
}

/* The smallest penalty without any weight, over all outputs: the largest |x_j'r| at the offset's
 * own optimum, r being the targets around their mean (logistic: of 0 and 1). */
static smr_status find_most(smr_ctx *ctx, struct walk *k, double *most)
{
    smr_status st = SMR_OK;
    double *r = NULL, *slope = NULL;
    TRY_NEW(r, k->n);
    TRY_NEW(slope, k->d);
    *most = 0;
    for (int64_t c = 0; c < k->q; c++) {
        double mean = 0, total = 0;
        const double *y = k->y + c * k->n;
        for (int64_t i = 0; i < k->n; i++) {
            r[i] = k->path->of_classes ? (y[i] + 1) / 2 : y[i];
            mean += k->weight[i] * r[i];
            total += k->weight[i];
        }
        mean = total > 0 ? mean / total : 0;
        for (int64_t i = 0; i < k->n; i++) r[i] = k->weight[i] * (r[i] - mean);
        TRY(smr_columns_times(ctx, &k->columns.X, r, slope));
        k->scale[c] = sqrt(smr_dot_f64(k->d, slope, slope));
        for (int64_t j = 0; j < k->d; j++) *most = smr_fmax(*most, fabs(slope[j]));
    }
out:
    smr_free(r);
    smr_free(slope);
    return st;
}

static smr_status open_walk(smr_ctx *ctx, struct walk *k)
{
    smr_status st = SMR_OK;
    const smr_data *data = k->path->data;
    k->loss = &smr_losses[k->path->of_classes ? SMR_LOSS_LOGISTIC : SMR_LOSS_SQUARED];
    k->n = data->n_rows;
    k->d = data->n_features;
    k->q = data->n_outputs;
    k->n_fits = 1 + k->path->n_folds;
    TRY(smr_by_column_open(ctx, data, NULL, "put select by=correlation before it", &k->columns));
    TRY_NEW(k->y, k->q * k->n);
    for (int64_t c = 0; c < k->q; c++)
        for (int64_t i = 0; i < k->n; i++) {
            double y = data->y[i * k->q + c];
            k->y[c * k->n + i] = k->path->of_classes ? (y > 0 ? 1 : -1) : y;
        }
    TRY(make_weights(ctx, k));
    TRY_NEW(k->w, k->q * k->n_fits * k->d);
    TRY_NEW(k->b, k->q * k->n_fits);
    TRY_NEW(k->error, k->q * k->n_fits);
    TRY_NEW(k->scale, k->q);
    TRY_NEW(k->scores, smr_lanes(ctx) * k->n);
out:
    return st;
}

static void close_walk(struct walk *k)
{
    smr_by_column_close(&k->columns);
    smr_free(k->y);
    smr_free(k->w);
    smr_free(k->b);
    smr_free(k->weight);
    smr_free(k->share);
    smr_free(k->scale);
    smr_free(k->error);
    smr_free(k->scores);
}

/* ---- steps ------------------------------------------------------------------------------ */

/* Loss of the rows of fold f - 1 under w and b. */
static double left_out(const struct walk *k, int64_t f, const double *y, const double *w, double b,
                       double *z)
{
    const smr_columns *X = &k->columns.X;
    double sum = 0;
    for (int64_t i = 0; i < k->n; i++) z[i] = b;
    for (int64_t j = 0; j < k->d; j++) {
        if (w[j] == 0) continue;
        if (X->dense) smr_axpy_f64(k->n, w[j], X->dense + j * X->stride, z);
        for (int64_t e = X->dense ? 0 : X->start[j]; !X->dense && e < X->start[j + 1]; e++)
            z[X->row[e]] += w[j] * X->value[e];
    }
    for (int64_t i = 0; i < k->n; i++)
        if (k->path->fold[i] == f - 1)
            sum += smr_data_weight(k->path->data, i) * smr_loss_at(k->loss, 0, y[i], z[i]).value;
    return sum;
}

/* One fit of the step: an output, all rows or all but a fold. */
static smr_status fit_one(smr_ctx *ctx, void *arg, int64_t task, int lane)
{
    struct walk *k = arg;
    int64_t c = task / k->n_fits, f = task % k->n_fits;
    double *w = k->w + task * k->d, *b = k->b + task;
    const double *y = k->y + c * k->n;
    smr_glm glm = {.X = &k->columns.X,
                   .loss = k->loss,
                   .y = y,
                   .weight = k->weight + f * k->n,
                   .has_offset = true};
    smr_elastic_opts penalty = {.l1 = k->l1 * k->share[f]};
    smr_optimize_opts opts = {
        .tol = 1e-5, .scale = k->scale[c], .max_iter = 100, .what = "choosing features"};
    smr_optimize_result result;
    if (!(k->scale[c] > 0 && k->share[f] > 0)) return SMR_OK;
    smr_status st = smr_glm_columns(ctx, &glm, &penalty, &opts, w, b, &result);
    if (st == SMR_OK && f > 0) k->error[task] = left_out(k, f, y, w, *b, k->scores + lane * k->n);
    return st;
}

/* Step i: what is in, and the error. */
static smr_status make_step(smr_ctx *ctx, struct walk *k, int64_t i, int64_t *n_in)
{
    smr_status st = SMR_OK;
    struct smr_select_path *p = k->path;
    bool *in = p->in + i * p->n_features;
    k->l1 = p->l1[i];
    TRY(smr_parallel(ctx, NULL, k->q * k->n_fits, fit_one, k));
    *n_in = 0;
    for (int64_t c = 0; c < k->q; c++) {
        const double *w = k->w + c * k->n_fits * k->d;
        for (int64_t j = 0; j < k->d; j++)
            if (w[j] != 0) in[p->feature[j]] = true;
        for (int64_t f = 1; f < k->n_fits; f++) p->error[i] += k->error[c * k->n_fits + f];
    }
    for (int64_t j = 0; j < p->n_features; j++) *n_in += in[j];
    p->n_steps = i + 1;
out:
    return st;
}

smr_status smr_select_walk(smr_ctx *ctx, struct smr_select_path *path)
{
    smr_status st = SMR_OK;
    struct walk k = {.path = path};
    double most = 0;
    int64_t best = 0, n_in = 0;
    static const char what[] = "choosing features";
    smr_span span = {0};
    TRY(open_walk(ctx, &k));
    TRY(find_most(ctx, &k, &most));
    smr_select_penalties(path, most);
    smr_span_open(ctx, &span, what, SMR_SELECT_STEPS);
    for (int64_t i = 0; i < SMR_SELECT_STEPS; i++) {
        TRY(smr_span_at(ctx, &span, i, NAN));
        TRY(make_step(ctx, &k, i, &n_in));
        if (path->n_folds > 0 && path->error[i] < path->error[best]) best = i;
        if (path->n_folds > 0 && i - best >= PATIENCE) break;
        if (path->most_in > 0 && n_in >= path->most_in) break;
    }
    path->n_fits = path->n_steps * k.q * k.n_fits;
out:
    smr_span_close(ctx, &span);
    close_walk(&k);
    return st;
}
