/* density_kernels.c -- Parzen windows: bandwidths by rule, and the points as the tree keeps them.
 *
 * Equal rows become one point that weighs as much, so that weight 2 is the row twice, and a row
 * that is left out takes its copies along.  With W the weight of all rows and d features,
 *
 *     scott      h_j = s_j W^(-1/(d+4))                       s_j the deviation of feature j
 *     silverman  h_j = s_j (4 / ((d+2) W))^(1/(d+4))
 *     robust     as silverman, with the smaller of s_j and the quartiles' distance / 1.349
 *
 * for the Gaussian kernel; the others get widths with which they have the same variance.
 * likelihood begins at scott's. */
#include "core/try.h"
#include "kernel/kernel.h"
#include "learn/density/density.h"
#include "math/special.h"

#include <math.h>
#include <string.h>

enum { GROUP = SMR_WINDOW_GROUP };

static const double LOG_PI = 1.14472988584940017414342735135;

double smr_density_volume(smr_window kernel, int64_t d)
{
    double half = 0.5 * (double)d, ends = kernel == SMR_WINDOW_EPANECHNIKOV ? 1 : 0;
    if (kernel == SMR_WINDOW_GAUSSIAN) return half * SMR_LOG_2PI;
    if (kernel == SMR_WINDOW_BOX) return (double)d * 0.693147180559945309417232121458;
    /* int (1 - |u|^2)^m over the unit ball = pi^(d/2) Gamma(m + 1) / Gamma(d/2 + m + 1) */
    return half * LOG_PI - smr_log_gamma(half + ends + 1);
}

/* The deviation of each coordinate of a kernel of width 1. */
static double deviation_of(smr_window kernel, int64_t d)
{
    switch (kernel) {
    case SMR_WINDOW_GAUSSIAN: return 1;
    case SMR_WINDOW_EPANECHNIKOV: return 1 / sqrt((double)d + 4);
    case SMR_WINDOW_BALL: return 1 / sqrt((double)d + 2);
    case SMR_WINDOW_BOX: break;
    }
    return 1 / sqrt(3);
}

static double rule_of(const struct smr_density_params *p, int64_t d, double total)
{
    double power = 1 / (double)(d + 4), f = smr_exp(-power * smr_log(total));
    if (p->rule == SMR_DENSITY_SILVERMAN || p->rule == SMR_DENSITY_ROBUST)
        f *= smr_exp(power * smr_log(4 / (double)(d + 2)));
    return f / deviation_of((smr_window)p->kernel, d);
}

/* ---- bandwidths ------------------------------------------------------------------------- */

static smr_status take_numbers(smr_ctx *ctx, const smr_reals *given, int64_t d, double *width)
{
    if (given->n != 1 && given->n != d)
        return smr_fail(ctx, SMR_ERR_PARAM,
                        "density: bandwidth has %lld numbers, and there are %lld features; give "
                        "one number, or one for each feature",
                        (long long)given->n, (long long)d);
    for (int64_t j = 0; j < d; j++) width[j] = given->value[given->n == 1 ? 0 : j];
    return SMR_OK;
}

/* width, and with covariance=full centre and root, in which all widths are the same. */
static smr_status find_widths(smr_ctx *ctx, const struct smr_density_params *p,
                              const struct smr_density_rows *rows, struct smr_density_state *s)
{
    smr_status st = SMR_OK;
    int64_t d = rows->d;
    int less = rows->total > 1;
    double *sd = NULL;
    struct smr_density_moments *of = NULL;
    if (p->bandwidth.n > 0) return take_numbers(ctx, &p->bandwidth, d, s->width);
    TRY_NEW(sd, d);
    TRY_NEW(of, d);
    TRY(smr_density_moments_of(ctx, rows, less, of));
    double f = rule_of(p, d, rows->total);
    for (int64_t j = 0; j < d; j++) {
        bool robust = p->rule == SMR_DENSITY_ROBUST && of[j].quartiles > 0;
        sd[j] = robust ? smr_fmin(of[j].sd, of[j].quartiles) : of[j].sd;
        s->width[j] = smr_density_is_full(p) ? f : f * sd[j];
    }
    if (!smr_density_is_full(p)) goto out;
    TRY_NEW(s->centre, d);
    TRY_NEW(s->root, d * d);
    for (int64_t j = 0; j < d; j++) s->centre[j] = of[j].mean;
    TRY(smr_density_find_root(ctx, rows, of, less, sd, s->root));
out:
    smr_free(sd);
    smr_free(of);
    return st;
}

void smr_density_whiten(const struct smr_density_state *s, const double *x, double *y)
{
    int64_t d = s->n_features;
    for (int64_t i = 0; i < d; i++) {
        double left = x[i] - s->centre[i];
        for (int64_t k = 0; k < i; k++) left = fma(-s->root[i * d + k], y[k], left);
        y[i] = left / s->root[i * d + i];
    }
}

/* ---- points ----------------------------------------------------------------------------- */

/* Point and weight of the state, in the order of a tree. */
static smr_status keep_points(smr_ctx *ctx, const struct smr_density_rows *rows,
                              struct smr_density_state *s)
{
    smr_status st = SMR_OK;
    int64_t n = rows->n, d = rows->d;
    int32_t *order = NULL;
    TRY_NEW(order, n);
    TRY(smr_parzen_order(ctx, n, d, rows->x, s->width, order));
    s->n_points = n;
    s->n_groups = (n + GROUP - 1) / GROUP;
    s->lane = GROUP;
    TRY_NEW(s->point, s->n_groups * d * GROUP);
    TRY_NEW(s->weight, s->n_groups * GROUP);
    for (int64_t i = 0; i < s->n_groups * GROUP; i++) {
        int64_t from = order[SMR_MIN(i, n - 1)];
        for (int64_t j = 0; j < d; j++)
            s->point[(i / GROUP * d + j) * GROUP + i % GROUP] = rows->x[from * d + j];
        if (i < n) s->weight[i] = rows->w[from];
    }
out:
    smr_free(order);
    return st;
}

smr_status smr_density_build_tree(smr_ctx *ctx, const struct smr_density_params *p,
                                  const struct smr_density_state *s, smr_parzen *tree)
{
    smr_status st = SMR_OK;
    *tree = (smr_parzen){.kind = (smr_window)p->kernel,
                         .n = s->n_points,
                         .d = s->n_features,
                         .n_groups = s->n_groups,
                         .point = s->point,
                         .weight = s->weight,
                         .rtol = p->rtol};
    TRY(smr_parzen_build(ctx, tree));
    TRY(smr_parzen_widen(ctx, tree, s->width));
out:
    return st;
}

smr_status smr_density_fit_parzen(smr_ctx *ctx, const struct smr_density_params *p,
                                  struct smr_density_rows *rows, struct smr_density_state *s,
                                  smr_fit_report *report)
{
    smr_status st = SMR_OK;
    smr_parzen tree = {0};
    double factor = 1;
    TRY_NEW(s->width, rows->d);
    TRY(find_widths(ctx, p, rows, s));
    for (int64_t i = 0; s->root && i < rows->n; i++)
        smr_density_whiten(s, rows->x + i * rows->d, rows->x + i * rows->d);
    TRY(keep_points(ctx, rows, s));
    if (p->bandwidth.n > 0) goto out;
    if (p->rule == SMR_DENSITY_LIKELIHOOD) {
        TRY(smr_density_build_tree(ctx, p, s, &tree));
        TRY(smr_density_search(ctx, s, &tree, &factor, report));
    }
    for (int64_t j = 0; j < rows->d; j++) s->width[j] *= factor * p->adjust;
out:
    smr_parzen_release(&tree);
    return st;
}
