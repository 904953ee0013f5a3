/* gauss_rows.c -- rows drawn from Gaussian classes: a class by its prior, a row of its cloud. */
#include "learn/bayes/gauss.h"
#include "math/distribution.h"
#include "math/factor.h"

#include <math.h>
#include <string.h>

/* Roots of whole covariances, by columns; NULL: columns are apart. */
static smr_status find_roots(smr_ctx *ctx, int covariance, const struct smr_gauss_state *s,
                             double **out)
{
    smr_status st = SMR_OK;
    int64_t d = s->n_features, size = d * d, failed = -1;
    double *root = NULL;
    *out = NULL;
    if (covariance > SMR_GAUSS_SHARED) return SMR_OK;
    TRY_NEW(root, s->n_groups * size);
    memcpy(root, s->cov, (size_t)(s->n_groups * size) * sizeof *root);
    for (int64_t g = 0; g < s->n_groups; g++) {
        if (s->n_groups > 1 && s->weight[g] == 0) continue; /* never drawn */
        TRY(smr_cholesky(ctx, d, root + g * size, d, &failed));
        if (failed >= 0)
            TRY(smr_fail(ctx, SMR_ERR_NUMERIC, "gauss: covariance %lld is singular",
                         (long long)g + 1));
    }
    *out = root;
    root = NULL;
out:
    smr_free(root);
    return st;
}

smr_status smr_gauss_draw_rows(smr_ctx *ctx, const void *params_, const void *state_,
                               const smr_drawing *of, double *x, int32_t *hidden)
{
    smr_status st = SMR_OK;
    const struct smr_gauss_params *p = params_;
    const struct smr_gauss_state *s = state_;
    smr_class_prior how = {p->prior, &p->priors};
    smr_draw from = {ctx->seed, SMR_STREAM_CLOUD, 0, 0};
    int64_t d = s->n_features, n = of->n_sequences * of->length;
    double *root = NULL, *z = NULL, *base = NULL;
    TRY_NEW(z, d);
    TRY_NEW(base, s->n_classes);
    smr_class_prior_log(how, s->n_classes, s->weight, base);
    TRY(find_roots(ctx, p->covariance, s, &root));
    for (int64_t i = 0; i < n; i++, x += of->n_in) {
        from.at = (uint64_t)i;
        from.used = 0;
        int64_t k = smr_class_prior_draw(s->n_classes, base, smr_draw_unit(&from));
        int64_t g = s->n_groups > 1 ? k : 0;
        hidden[i] = (int32_t)k;
        for (int64_t j = 0; j < d; j++) z[j] = smr_draw_normal(&from);
        for (int64_t j = 0; j < d; j++) {
            double off = root ? 0 : sqrt(s->cov[g * s->n_sides + (s->n_sides == 1 ? 0 : j)]) * z[j];
            for (int64_t l = 0; root && l <= j; l++) off += root[(g * d + l) * d + j] * z[l];
            x[j] = s->mean[k * d + j] + (s->used[j] ? off : 0);
        }
        if (i % 4096 == 4095) TRY(smr_tick(ctx, NULL, i, n, NAN));
    }
out:
    smr_free(root);
    smr_free(z);
    smr_free(base);
    return st;
}
