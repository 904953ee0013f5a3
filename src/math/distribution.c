/* distribution.c -- see distribution.h: families by name, and draws. */
#include "math/distribution.h"
#include "kernel/kernel.h"
#include "math/trig.h"

#include <string.h>

static const smr_family *const FAMILIES[] = {
    &smr_family_bernoulli,   &smr_family_beta,    &smr_family_binomial, &smr_family_chi2,
    &smr_family_exponential, &smr_family_gamma,   &smr_family_gaussian, &smr_family_inverse_gamma,
    &smr_family_poisson,     &smr_family_student,
};

const smr_family *smr_family_find(const char *name)
{
    for (int64_t k = 0; k < SMR_COUNT(FAMILIES); k++)
        if (strcmp(FAMILIES[k]->name, name) == 0) return FAMILIES[k];
    return NULL;
}

smr_law smr_law_of(const smr_family *family, double a, double b, double c)
{
    return (smr_law){family, {a, b, c}};
}

smr_status smr_law_check(smr_ctx *ctx, const smr_family *family, const double *p, int64_t n)
{
    int64_t which = 0;
    if (n != family->n_params)
        return smr_fail(ctx, SMR_ERR_PARAM, "%s has %lld parameter%s, but %lld %s given",
                        family->name, (long long)family->n_params, family->n_params == 1 ? "" : "s",
                        (long long)n, n == 1 ? "is" : "are");
    const char *wrong = family->wrong(p, &which);
    if (!wrong) return SMR_OK;
    return smr_fail(ctx, SMR_ERR_PARAM, "%s of %s is %g; it is %s", family->params[which],
                    family->name, p[which], wrong);
}

double smr_law_log_density(const smr_law *law, double x)
{
    return isnan(x) ? NAN : dd_value(law->family->log_density(law->p, x));
}

double smr_law_density(const smr_law *law, double x)
{
    if (isnan(x)) return NAN;
    dd log_density = law->family->log_density(law->p, x);
    return isinf(log_density.hi) ? (log_density.hi > 0 ? INFINITY : 0) : smr_exp_dd(log_density);
}

smr_tail smr_law_tail(const smr_law *law, double x, bool upper)
{
    return isnan(x) ? (smr_tail){NAN, NAN} : law->family->tail(law->p, x, upper);
}

double smr_law_quantile(const smr_law *law, double tail, bool upper)
{
    return tail >= 0 && tail <= 1 ? law->family->quantile(law->p, tail, upper) : NAN;
}

/* ---- draws ------------------------------------------------------------------------------ */

double smr_draw_unit(smr_draw *d)
{
    uint64_t bits = smr_random_bits(d->seed, d->stream, d->at, d->used++);
    return ((double)(bits >> 11) + 0.5) * 0x1p-53;
}

double smr_draw_normal(smr_draw *d)
{
    double z[2];
    smr_random_normals(d->seed, d->stream, d->at, d->used++, z);
    return z[0];
}

/* d v with v = (1 + c z)^3, where log u < z^2/2 + d - d v + d log v; a shape below 1 is one above,
 * times u^(1/shape). */
double smr_draw_log_gamma(smr_draw *d, double shape)
{
    double boost = shape < 1 ? smr_log(smr_draw_unit(d)) / shape : 0;
    double k = (shape < 1 ? shape + 1 : shape) - 1.0 / 3, c = 1 / sqrt(9 * k);
    for (;;) {
        double z = smr_draw_normal(d), u = smr_draw_unit(d), root = 1 + c * z;
        if (!(root > 0)) continue;
        double v = root * root * root, log_v = 3 * smr_log(root);
        if (smr_log(u) < 0.5 * z * z + k - k * v + k * log_v) return smr_log(k) + log_v + boost;
    }
}

double smr_law_draw(const smr_law *law, uint64_t seed, smr_stream stream, uint64_t at)
{
    smr_draw d = {.seed = seed, .stream = stream, .at = at};
    return law->family->draw(law->p, &d);
}
