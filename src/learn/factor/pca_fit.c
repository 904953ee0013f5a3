/* pca_fit.c -- which route a fit takes, how many components are kept, and what is kept of them.
 *
 * auto goes by the shape alone, with n rows, d features and r the smaller of the two:
 *
 *     sparse rows   covariance up to SPARSE_COLUMNS features, then Lanczos
 *     dense rows    singular values up to SMALL numbers and SMALL_SIDE, where nothing costs much;
 *                   else the covariance up to r = SIDE, and where many components are wanted;
 *                   else Lanczos, and random where even one pass over HUGE numbers is long
 *
 * Without a number of components all variances are computed, which is what the covariance does; a
 * share of the variance of more features than that is looked for by Lanczos with 32, 64 ...
 * components until they have it. */
#include "core/number.h"
#include "data/keep.h"
#include "kernel/kernel.h"
#include "learn/factor/pca.h"
#include "transform/moments.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum {
    SPARSE_COLUMNS = 1024,
    SMALL_SIDE = 256,
    SMALL = 1 << 20,
    SIDE = 1500,
    FIRST = 32, /* components that a share is looked for with */
    SHOWN = 300 /* rows kept for pictures                     */
};
#define HUGE_SIZE 1e9

/* ---- the route -------------------------------------------------------------------------- */

static int64_t choose_route(const struct smr_pca_work *w)
{
    int64_t r = SMR_MIN(w->n, w->d);
    bool counted = w->p->k >= 1, few = counted && w->p->k * 10 <= (double)r;
    bool any = w->p->k > 0 && w->p->k < 1;
    if (w->p->k == SMR_PCA_CV) return SMR_PCA_COVARIANCE;
    if (w->p->solver != SMR_PCA_AUTO) return w->p->solver;
    if (w->is_sparse)
        return w->d <= SPARSE_COLUMNS || w->p->k == SMR_PCA_ALL ? SMR_PCA_COVARIANCE
                                                                : SMR_PCA_LANCZOS;
    if (w->n * w->d <= SMALL && r <= SMALL_SIDE) return SMR_PCA_SVD;
    if (r <= SIDE || !(few || any)) return SMR_PCA_COVARIANCE;
    return few && (double)w->n * (double)w->d > HUGE_SIZE ? SMR_PCA_RANDOM : SMR_PCA_LANCZOS;
}

void smr_pca_note_spread(struct smr_pca_work *w, int64_t j, double sd)
{
    w->constant[j] = sd <= 8 * DBL_EPSILON * fabs(w->mean[j]);
}

/* Means, and the variance of all features together, where the route does not find them itself. */
static smr_status find_means(smr_ctx *ctx, struct smr_pca_work *w)
{
    smr_status st = SMR_OK;
    double *sd = NULL, *weight = NULL;
    bool finite = true;
    TRY_NEW(sd, w->d);
    TRY_NEW(weight, w->d);
    TRY(smr_moments(ctx, &w->data, w->mean, sd, weight));
    w->total = 0;
    for (int64_t j = 0; j < w->d; j++) {
        w->total += sd[j] * sd[j] * (w->weight / w->divisor);
        finite = finite && isfinite(w->mean[j]) && isfinite(sd[j]);
        smr_pca_note_spread(w, j, sd[j]);
    }
    if (!finite) {
        smr_held_rows held = {.given = &w->data};
        TRY(smr_held_explain(ctx, &held));
        TRY(smr_fail(ctx, SMR_ERR_NUMERIC, "pca: variances overflow: rescale the columns"));
    }
out:
    smr_free(sd);
    smr_free(weight);
    return st;
}

int64_t smr_pca_count(const struct smr_pca_work *w, double k)
{
    int64_t rank = 0, enough = 0;
    double sum = 0;
    while (rank < w->n_pairs && w->value[rank] > w->rounding * w->value[0]) rank++;
    if (k >= 1 || k == SMR_PCA_ALL) return k >= 1 && k < (double)rank ? (int64_t)k : rank;
    while (enough < rank && sum < k * w->total * (1 - 1e-12)) sum += w->value[enough++];
    return sum < k * w->total * (1 - 1e-9) && rank == w->n_pairs ? 0 : enough;
}

static void drop_pairs(struct smr_pca_work *w)
{
    smr_free(w->value);
    smr_free(w->vector);
    w->value = w->vector = NULL;
}

static smr_status by_passes(smr_ctx *ctx, struct smr_pca_work *w)
{
    smr_status st = SMR_OK;
    smr_keep keep = {0};
    int64_t r = SMR_MIN(w->n, w->d), wanted = FIRST;
    if (w->data.source) TRY(smr_data_keep(ctx, &w->data, smr_held_form(&w->data), false, &keep));
    TRY(find_means(ctx, w));
    if (w->p->k >= 1) wanted = (int64_t)SMR_MIN(w->p->k, (double)r);
    if (w->p->k == SMR_PCA_ALL) wanted = r;
    for (wanted = SMR_MIN(wanted, r);; wanted = SMR_MIN(2 * wanted, r)) {
        drop_pairs(w);
        TRY(smr_pca_by_passes(ctx, w, wanted));
        if (wanted == r || smr_pca_count(w, w->p->k) > 0) break;
    }
out:
    smr_keep_release(&keep);
    return st;
}

static smr_status find_pairs(smr_ctx *ctx, struct smr_pca_work *w)
{
    smr_status st = SMR_OK;
    w->route = choose_route(w);
    if (w->route == SMR_PCA_SVD) {
        TRY(find_means(ctx, w));
        TRY(smr_pca_by_svd(ctx, w));
    } else if (w->route == SMR_PCA_COVARIANCE) {
        int64_t wanted = w->p->k >= 1 ? (int64_t)SMR_MIN(w->p->k, (double)w->d) : 0;
        if (w->n < w->d && !w->is_sparse) TRY(find_means(ctx, w));
        TRY(smr_pca_by_covariance(ctx, w, wanted));
    } else {
        TRY(by_passes(ctx, w));
    }
out:
    return st;
}

/* ---- what is kept ----------------------------------------------------------------------- */

void smr_pca_sign(int64_t d, double *v)
{
    double largest = 0;
    int64_t at = 0;
    for (int64_t j = 0; j < d; j++) largest = smr_fmax(largest, fabs(v[j]));
    while (at < d && fabs(v[at]) < largest * (1 - 1e-9)) at++;
    bool turn = at < d && v[at] < 0;
    for (int64_t j = 0; turn && j < d; j++) v[j] = v[j] == 0 ? 0 : -v[j];
}

double smr_pca_noise(const struct smr_pca_state *s)
{
    double left = s->total;
    for (int64_t c = 0; c < s->n_out; c++) left -= s->variance[c];
    if (s->n_out >= s->n_features || !(left > 1e-13 * s->total)) return 0;
    return left / (double)(s->n_features - s->n_out);
}

static smr_status keep_pairs(smr_ctx *ctx, const struct smr_pca_work *w, int64_t count,
                             struct smr_pca_state *s)
{
    smr_status st = SMR_OK;
    int64_t d = w->d;
    s->n_out = SMR_MAX(1, count);
    TRY_NEW(s->component, s->n_out * d);
    TRY_NEW(s->variance, s->n_out);
    TRY_NEW(s->shift, s->n_out);
    TRY_NEW(s->known, w->n_values);
    memcpy(s->component, w->vector, (size_t)(count * d) * sizeof *s->component);
    if (count == 0) s->component[0] = 1; /* nothing varies: a direction, and no variance */
    memcpy(s->variance, w->value, (size_t)count * sizeof *s->variance);
    memcpy(s->known, w->value, (size_t)w->n_values * sizeof *s->known);
    s->n_known = w->n_values;
    for (int64_t c = 0; c < s->n_out; c++) {
        double *v = s->component + c * d;
        for (int64_t j = 0; j < d && count; j++)
            if (w->constant[j]) v[j] = 0;
        smr_pca_sign(d, v);
        s->shift[c] = smr_dot_f64(d, s->mean, v);
    }
    s->total = w->total;
    s->noise = smr_pca_noise(s);
out:
    return st;
}

/* Some rows, evenly spread, as points of a picture. */
static smr_status keep_sample(smr_ctx *ctx, const struct smr_pca_work *w, struct smr_pca_state *s)
{
    smr_status st = SMR_OK;
    smr_held_rows held = {0};
    int64_t n = SMR_MIN(SHOWN, w->n);
    double *z = NULL, *work = NULL;
    s->n_plane = SMR_MIN(2, s->n_out);
    TRY_NEW(s->sample, n * s->n_plane);
    TRY_NEW(z, s->n_out);
    TRY_NEW(work, SMR_PCA_GROUP * w->d);
    TRY(smr_held_open(ctx, &w->data, smr_held_form(&w->data), 1, &held));
    for (int64_t t = 0; t < n; t++) {
        smr_rows row;
        int64_t i = t * w->n / n;
        if (!(smr_data_weight(&w->data, i) > 0)) continue;
        TRY(smr_held_block(ctx, &held, 0, i, i + 1, &row));
        smr_pca_project(s, &row, z, NULL, work);
        memcpy(s->sample + s->n_sample++ * s->n_plane, z, (size_t)s->n_plane * sizeof *z);
    }
out:
    smr_held_close(&held);
    smr_free(z);
    smr_free(work);
    return st;
}

static smr_status keep_items(smr_ctx *ctx, const smr_data *data, struct smr_pca_state *s)
{
    smr_status st = SMR_OK;
    if (data->item_shape[0] == 0) return SMR_OK;
    s->n_item = 4;
    TRY_NEW(s->item, 4);
    memcpy(s->item, data->item_shape, 4 * sizeof *s->item);
out:
    return st;
}

/* ---- fit -------------------------------------------------------------------------------- */

static smr_status check(smr_ctx *ctx, const struct smr_pca_params *p, struct smr_pca_work *w)
{
    smr_status st = SMR_OK;
    if (w->n < 1) return smr_fail(ctx, SMR_ERR_DATA, "pca: no rows to fit");
    if (w->d < 1) return smr_fail(ctx, SMR_ERR_DATA, "pca: there are no features");
    TRY(smr_held_check_weights(ctx, "pca", 0, w->n, w->data.weight, &w->weight));
    if (!(w->weight > 0))
        TRY(smr_fail(ctx, SMR_ERR_DATA, "pca: no rows to fit: all weights are 0"));
    w->divisor = w->weight > 1 ? w->weight - 1 : w->weight;
    if (w->data.task == SMR_TASK_DENSITY && p->score != SMR_PCA_BY_ERROR)
        TRY(smr_fail(ctx, SMR_ERR_PARAM,
                     "pca: the score of a density is its logarithm; leave score out"));
out:
    return st;
}

static void tell_rank(smr_ctx *ctx, const struct smr_pca_work *w, int64_t count)
{
    char k[SMR_NUMBER_MAX];
    if (w->p->k < 1 || (double)count >= w->p->k) return;
    smr_format_double(w->p->k, k);
    smr_warn(ctx,
             "pca: k=%s, and the variance of %lld row%s of %lld feature%s lies in %lld "
             "direction%s; this many components are kept",
             k, (long long)w->n, smr_plural(w->n, "", "s"), (long long)w->d,
             smr_plural(w->d, "", "s"), (long long)count, smr_plural(count, "", "s"));
}

static smr_status check_density(smr_ctx *ctx, const struct smr_pca_state *s)
{
    if (s->scores != SMR_PCA_BY_DENSITY || s->noise > 0) return SMR_OK;
    if (s->n_out == s->n_features && s->variance[s->n_out - 1] > 0) return SMR_OK;
    if (s->n_out == 1)
        return smr_fail(ctx, SMR_ERR_DATA,
                        "pca: one component holds all the variance of %lld features, and rows off "
                        "its line have no density; take --task outliers and score=error",
                        (long long)s->n_features);
    return smr_fail(ctx, SMR_ERR_DATA,
                    "pca: %lld components hold all the variance of %lld features, and rows off "
                    "their plane have no density; keep fewer, such as k=%lld",
                    (long long)s->n_out, (long long)s->n_features, (long long)s->n_out - 1);
}

smr_status smr_pca_fit(smr_ctx *ctx, const void *params_, const smr_data *data, void *state_,
                       smr_fit_report *report)
{
    const struct smr_pca_params *p = params_;
    struct smr_pca_state *s = state_;
    smr_status st = SMR_OK;
    struct smr_pca_work w = {.p = p, .data = *data, .report = report};
    int64_t count = 0;
    w.data.spend = NULL; /* rows are read again */
    w.n = data->n_rows;
    w.d = data->n_features;
    w.is_sparse = smr_data_is_sparse(data);
    TRY(check(ctx, p, &w));
    TRY_NEW(s->mean, w.d);
    TRY_NEW(w.constant, w.d);
    w.mean = s->mean;
    TRY(find_pairs(ctx, &w));
    w.data = *data;
    if (p->k == SMR_PCA_CV)
        TRY(smr_pca_choose(ctx, &w, s, &count));
    else
        count = smr_pca_count(&w, p->k);
    if (count == 0 && p->k < 1) count = smr_pca_count(&w, SMR_PCA_ALL);
    tell_rank(ctx, &w, count);
    s->n_features = w.d;
    s->weight = w.weight;
    s->route = w.route;
    s->scores = data->task == SMR_TASK_DENSITY ? SMR_PCA_BY_DENSITY : p->score;
    TRY(keep_pairs(ctx, &w, count, s));
    if (!(s->total > 0) && p->k < 1) /* of a number tell_rank has spoken */
        smr_warn(ctx, "pca: no feature varies: one component of variance 0 is kept");
    TRY(check_density(ctx, s));
    TRY(keep_sample(ctx, &w, s));
    TRY(keep_items(ctx, data, s));
    TRY(smr_pca_watch(ctx, s, data, report));
out:
    drop_pairs(&w);
    smr_free(w.constant);
    return st;
}
