/* gmm_rows.c -- rows drawn from a mixture: a component by its share, and a row of its Gaussian. */
#include "core/rng.h"
#include "core/try.h"
#include "learn/cluster/gmm.h"
#include "math/distribution.h"
#include "math/factor.h"

#include <math.h>
#include <string.h>

/* Row i of root times z is how far feature i is from the mean; by columns. */
static smr_status find_roots(smr_ctx *ctx, int covariance, const struct smr_gmm_parts *s,
                             double **out)
{
    smr_status st = SMR_OK;
    int64_t d = s->d, failed = -1;
    double *root = NULL;
    *out = NULL;
    if (covariance > SMR_GMM_TIED) return SMR_OK;
    TRY_NEW(root, s->n_shapes * d * d);
    memcpy(root, s->spread, (size_t)(s->n_shapes * d * d) * sizeof *root);
    for (int64_t c = 0; c < s->n_shapes; c++) {
        TRY(smr_cholesky(ctx, d, root + c * d * d, d, &failed));
        if (failed >= 0)
            TRY(smr_fail(ctx, SMR_ERR_NUMERIC, "gmm: the covariance of component %lld is singular",
                         (long long)c));
    }
    *out = root;
    root = NULL;
out:
    smr_free(root);
    return st;
}

static int64_t choose(const struct smr_gmm_parts *s, double at)
{
    int64_t last = 0;
    for (int64_t c = 0; c < s->k; c++) {
        if (s->share[c] <= 0) continue;
        last = c;
        if (at < s->share[c]) return c;
        at -= s->share[c];
    }
    return last; /* rounding left it */
}

smr_status smr_gmm_draw_rows(smr_ctx *ctx, const void *params_, const void *state_,
                             const smr_drawing *of, double *x, int32_t *hidden)
{
    smr_status st = SMR_OK;
    const struct smr_gmm_params *p = params_;
    struct smr_gmm_parts s = smr_gmm_parts_of(state_);
    smr_draw from = {ctx->seed, SMR_STREAM_CLOUD, 0, 0};
    int64_t d = s.d;
    double *root = NULL, *z = NULL;
    TRY_NEW(z, d);
    TRY(find_roots(ctx, p->covariance, &s, &root));
    for (int64_t i = 0; i < of->n_sequences * of->length; i++, x += of->n_in) {
        from.at = (uint64_t)i;
        from.used = 0;
        int64_t c = choose(&s, smr_draw_unit(&from));
        const double *by = root ? root + (s.n_shapes > 1 ? c : 0) * d * d : NULL;
        if (hidden) hidden[i] = (int32_t)c;
        for (int64_t j = 0; j < d; j++) z[j] = smr_draw_normal(&from);
        for (int64_t j = 0; j < d; j++) {
            double off = by ? 0 : sqrt(smr_gmm_covariance(p->covariance, &s, c, j, j)) * z[j];
            for (int64_t l = 0; by && l <= j; l++) off += by[j + l * d] * z[l];
            x[j] = s.mean[c * d + j] + off;
        }
        if (i % 4096 == 4095) TRY(smr_tick(ctx, NULL, i, of->n_sequences * of->length, NAN));
    }
out:
    smr_free(root);
    smr_free(z);
    return st;
}
