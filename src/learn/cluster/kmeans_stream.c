/* kmeans_stream.c -- centres of the rows so far, one row after another.
 *
 * The first rows wait: until there are WAIT k of them the centres are the first k.  Then they are
 * clustered, from the row furthest from those chosen so far, and so on, and forgotten; from there
 * on a row of weight w moves the nearest centre,
 *
 *     W_c += w,    c += w / W_c (x - c)                                                         (1)
 *
 * so that each centre is a mean of rows (MacQueen; the same as mini-batches of one row, Sculley
 * 2010).  Cutting the rows into other blocks changes
 * nothing. */
#include "kernel/kernel.h"
#include "learn/cluster/kmeans.h"

#include <math.h>
#include <string.h>

enum { WAIT = 10, LEAST_WAIT = 50, TURNS = 30 };

smr_status smr_kmeans_begin(smr_ctx *ctx, const void *params_, const smr_shape *shape, void *state_)
{
    const struct smr_kmeans_params *p = params_;
    struct smr_kmeans_state *s = state_;
    smr_status st = SMR_OK;
    int64_t d = shape->n_features;
    double room = 8 * (double)d * ((WAIT + 1) * (double)p->k + LEAST_WAIT);
    TRY(smr_memory_check(ctx, room, "kmeans: the rows that a start waits for",
                         "use fewer clusters"));
    s->n_features = d;
    s->n_clusters = p->k;
    s->n_out = p->gives == SMR_KM_NEAREST ? d : p->k;
    s->metric = SMR_KM_EUCLIDEAN;
    s->error = NAN;
    s->n_plane = 2;
    s->y_feature = d > 1 ? 1 : -1;
    s->n_wait = SMR_MAX(LEAST_WAIT, WAIT * p->k);
    TRY_NEW(s->centre, p->k * d);
    TRY_NEW(s->share, p->k);
    TRY_NEW(s->spread, p->k);
    TRY_NEW(s->waiting, s->n_wait * d);
    TRY_NEW(s->waiting_weight, s->n_wait);
out:
    return st;
}

static int64_t nearest(const struct smr_kmeans_state *s, const double *x)
{
    int64_t at = 0, d = s->n_features;
    double least = INFINITY;
    for (int64_t c = 0; c < s->n_clusters; c++) {
        double D = smr_l2sq_f64(d, x, s->centre + c * d);
        if (!(D < least)) continue;
        least = D;
        at = c;
    }
    return at;
}

/* ---- the start -------------------------------------------------------------------------- */

static void choose_first(struct smr_kmeans_state *s, double *near)
{
    int64_t d = s->n_features, at = 0;
    for (int64_t c = 0; c < s->n_clusters; c++) {
        memcpy(s->centre + c * d, s->waiting + at * d, (size_t)d * sizeof *s->centre);
        int64_t far = 0;
        for (int64_t i = 0; i < s->n_waiting; i++) {
            double D = smr_l2sq_f64(d, s->waiting + i * d, s->centre + c * d);
            near[i] = c ? smr_fmin(near[i], D) : D;
            if (near[i] > near[far]) far = i;
        }
        at = far;
    }
}

/* One turn over the rows that wait; whether a label changed. */
static bool turn(struct smr_kmeans_state *s, double *label, double *sum)
{
    int64_t d = s->n_features, changed = 0;
    memset(sum, 0, (size_t)(s->n_clusters * d) * sizeof *sum);
    memset(s->share, 0, (size_t)s->n_clusters * sizeof *s->share);
    for (int64_t i = 0; i < s->n_waiting; i++) {
        int64_t c = nearest(s, s->waiting + i * d);
        changed += label[i] != (double)c;
        label[i] = (double)c;
        s->share[c] += s->waiting_weight[i];
        smr_axpy_f64(d, s->waiting_weight[i], s->waiting + i * d, sum + c * d);
    }
    for (int64_t c = 0; c < s->n_clusters; c++)
        for (int64_t j = 0; j < d && s->share[c] > 0; j++)
            s->centre[c * d + j] = sum[c * d + j] / s->share[c];
    return changed > 0;
}

static smr_status start(smr_ctx *ctx, struct smr_kmeans_state *s)
{
    smr_status st = SMR_OK;
    double *near = NULL, *sum = NULL;
    TRY_NEW(near, s->n_waiting);
    TRY_NEW(sum, s->n_clusters * s->n_features);
    choose_first(s, near);
    for (int64_t i = 0; i < s->n_waiting; i++) near[i] = -1;
    for (int t = 0; t < TURNS && turn(s, near, sum); t++) continue;
    smr_free(s->waiting);
    smr_free(s->waiting_weight);
    s->waiting = s->waiting_weight = NULL;
    s->n_wait = s->n_waiting = 0;
out:
    smr_free(near);
    smr_free(sum);
    return st;
}

/* ---- rows ------------------------------------------------------------------------------- */

static void spread(const smr_rows *rows, int64_t i, double *x)
{
    if (rows->form != SMR_FORM_SPARSE) {
        memcpy(x, (const double *)rows->x + i * rows->stride, (size_t)rows->d * sizeof *x);
        return;
    }
    memset(x, 0, (size_t)rows->d * sizeof *x);
    for (int64_t e = rows->start[i]; e < rows->start[i + 1]; e++)
        x[rows->column[e]] = rows->value[e];
}

static void wait_for_more(struct smr_kmeans_state *s, double w, const double *x)
{
    int64_t d = s->n_features, at = s->n_waiting++;
    memcpy(s->waiting + at * d, x, (size_t)d * sizeof *x);
    s->waiting_weight[at] = w;
    for (int64_t c = at; c < s->n_clusters && (at == 0 || c == at); c++) {
        memcpy(s->centre + c * d, x, (size_t)d * sizeof *x);
        s->share[c] = c == at ? w : 0;
    }
}

static smr_status learn_row(smr_ctx *ctx, struct smr_kmeans_state *s, double w, const double *x)
{
    int64_t d = s->n_features;
    s->weight += w;
    if (s->n_wait > 0) {
        wait_for_more(s, w, x);
        return s->n_waiting == s->n_wait ? start(ctx, s) : SMR_OK;
    }
    int64_t c = nearest(s, x);
    double *centre = s->centre + c * d;
    s->share[c] += w;
    for (int64_t j = 0; j < d; j++) centre[j] += w / s->share[c] * (x[j] - centre[j]);
    return SMR_OK;
}

smr_status smr_kmeans_learn(smr_ctx *ctx, const void *params, void *state_, const smr_rows *rows,
                            const smr_truths *truths, double *out)
{
    struct smr_kmeans_state *s = state_;
    smr_status st = SMR_OK;
    double *x = NULL;
    void *scratch = NULL;
    smr_kmeans_release(s); /* the centres move */
    TRY_NEW(x, s->n_features);
    scratch = smr_alloc(ctx, smr_kmeans_scratch(params, s, 1), 1);
    if (!scratch) TRY(SMR_ERR_NOMEM);
    for (int64_t i = 0; i < rows->n; i++) {
        double w = truths->weight ? truths->weight[i] : 1;
        spread(rows, i, x);
        if (w > 0) TRY(learn_row(ctx, s, w, x));
        if (!out) continue;
        smr_rows row = smr_rows_slice(rows, i, i + 1);
        TRY(smr_kmeans_predict(ctx, params, s, &row, SMR_OUTPUT_TRANSFORM, out + i * s->n_out,
                               scratch));
    }
out:
    smr_free(x);
    smr_free(scratch);
    return st;
}
