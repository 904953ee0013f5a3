/* gmm_tables.c -- densities of rows in all components of a mixture.
 *
 *     l_c = log share_c - d/2 log 2 pi - log |L_c| - 1/2 |L_c^-1 (x - mean_c)|^2               (1)
 *
 * L_c L_c' the covariance.  Where it joins features, L_c^-1 is a lower triangle; else components
 * are lanes. */
#include "core/try.h"
#include "kernel/kernel.h"
#include "learn/cluster/gmm.h"
#include "math/covariance.h"

#include <math.h>
#include <string.h>

static const double HALF_LOG_2PI = 0.91893853320467274178;

void smr_gmm_shapes(int covariance, int64_t k, int64_t d, struct smr_gmm_parts *out)
{
    bool one = covariance == SMR_GMM_TIED, none = covariance == SMR_GMM_UNIT;
    bool joins = covariance == SMR_GMM_FULL || one;
    out->k = k;
    out->d = d;
    out->n_shapes = none ? 0 : one ? 1 : k;
    out->n_spread = none ? 0 : joins ? d * d : covariance == SMR_GMM_DIAGONAL ? d : 1;
}

struct smr_gmm_parts smr_gmm_parts_of(const struct smr_gmm_state *s)
{
    return (struct smr_gmm_parts){s->k,     s->n_features, s->n_shapes, s->n_spread,
                                  s->share, s->mean,       s->spread};
}

double smr_gmm_covariance(int covariance, const struct smr_gmm_parts *parts, int64_t c, int64_t i,
                          int64_t j)
{
    if (covariance == SMR_GMM_UNIT) return i == j; /* which keeps no spread */
    const double *spread = parts->spread + (parts->n_shapes > 1 ? c : 0) * parts->n_spread;
    switch (covariance) {
    case SMR_GMM_DIAGONAL: return i == j ? spread[i] : 0;
    case SMR_GMM_SPHERICAL: return i == j ? spread[0] : 0;
    default: return spread[i * parts->d + j];
    }
}

double smr_gmm_free(int covariance, const struct smr_gmm_parts *parts)
{
    double d = (double)parts->d, shapes = (double)parts->n_shapes;
    double each = covariance == SMR_GMM_FULL || covariance == SMR_GMM_TIED
                      ? d * (d + 1) / 2
                      : (double)parts->n_spread;
    return (double)parts->k * (d + 1) - 1 + shapes * each;
}

/* ---- tables ----------------------------------------------------------------------------- */

void smr_gmm_tables_free(struct smr_gmm_tables *t)
{
    if (!t) return;
    smr_free(t->white);
    smr_free(t->peak);
    smr_free(t->lanes);
    smr_free(t);
}

smr_status smr_gmm_tables_create(smr_ctx *ctx, int covariance, const struct smr_gmm_parts *parts,
                                 struct smr_gmm_tables **out)
{
    smr_status st = SMR_OK;
    struct smr_gmm_tables *t = NULL;
    int64_t d = parts->d;
    TRY_NEW(t, 1);
    t->parts = parts;
    t->width = (parts->k + SMR_CHAIN_PAD - 1) / SMR_CHAIN_PAD * SMR_CHAIN_PAD;
    t->ldw = (d + 7) / 8 * 8;
    t->whitens = covariance == SMR_GMM_FULL || covariance == SMR_GMM_TIED;
    TRY_NEW(t->peak, t->width);
    if (t->whitens) {
        TRY_NEW(t->white, parts->n_shapes * d * t->ldw);
    } else {
        TRY_NEW(t->lanes, 2 * d * t->width);
        t->normals =
            (smr_normals){d, parts->k, t->width, t->lanes, t->lanes + d * t->width, t->peak};
    }
    *out = t;
    t = NULL;
out:
    smr_gmm_tables_free(t);
    return st;
}

/* Shapes that join features; *log_det: of each. */
static smr_status fill_white(smr_ctx *ctx, struct smr_gmm_tables *t)
{
    smr_status st = SMR_OK;
    const struct smr_gmm_parts *s = t->parts;
    double log_det = 0;
    for (int64_t c = 0; c < s->k; c++) {
        int64_t failed = -1;
        if (c < s->n_shapes)
            TRY(smr_covariance_whiten(ctx, s->d, s->spread + c * s->n_spread,
                                      t->white + c * s->d * t->ldw, t->ldw, &log_det, &failed));
        if (failed >= 0)
            TRY(smr_fail(
                ctx, SMR_ERR_NUMERIC,
                "gmm: the covariance of component %lld is singular at feature %lld; take a "
                "larger floor, or covariance=diagonal",
                (long long)c, (long long)failed + 1));
        t->peak[c] -= log_det;
    }
out:
    return st;
}

static void fill_lanes(int covariance, struct smr_gmm_tables *t)
{
    const struct smr_gmm_parts *s = t->parts;
    int64_t d = s->d, width = t->width;
    double *mean = t->lanes, *scale = mean + d * width;
    for (int64_t c = 0; c < s->k; c++)
        for (int64_t j = 0; j < d; j++) {
            double variance = smr_gmm_covariance(covariance, s, c, j, j);
            mean[j * width + c] = s->mean[c * d + j];
            scale[j * width + c] = 1 / sqrt(variance);
            t->peak[c] -= 0.5 * smr_log(variance);
        }
}

smr_status smr_gmm_tables_fill(smr_ctx *ctx, int covariance, struct smr_gmm_tables *t)
{
    const struct smr_gmm_parts *s = t->parts;
    for (int64_t c = 0; c < t->width; c++)
        t->peak[c] = c < s->k ? smr_log(s->share[c]) - (double)s->d * HALF_LOG_2PI : -INFINITY;
    if (t->whitens) return fill_white(ctx, t);
    fill_lanes(covariance, t);
    return SMR_OK;
}

/* ---- rows ------------------------------------------------------------------------------- */

void smr_gmm_rows(const struct smr_gmm_tables *t, int64_t n, const double *X, int64_t ldx,
                  double *p, double *top)
{
    const struct smr_gmm_parts *s = t->parts;
    int64_t each = s->n_shapes > 1 ? s->d * t->ldw : 0;
    smr_whites whites = {s->d, s->k, t->width, t->ldw, each, s->mean, t->white, t->peak};
    if (t->whitens)
        smr_whites_rows_f64(n, &whites, X, ldx, p, top);
    else
        smr_normals_rows_f64(n, &t->normals, X, ldx, p, top);
}
