/* density_gaps.c -- rows with gaps: the density of the features that are there.
 *
 * What is missing is integrated out.  Kernels lose the missing coordinates: normal ones stay
 * normal, boxes boxes, and (1 - |u|^2)^m over d features becomes, but for its integral,
 *
 *     (1 - |u'|^2)^(m + k/2)   over the d - k that are there                                    (1)
 *
 * Sums then go over all points.  A row without any number has the density 1. */
#include "kernel/kernel.h"
#include "learn/density/density.h"
#include "math/special.h"

#include <math.h>

enum { GROUP = SMR_WINDOW_GROUP };

static const double LOG_PI = 1.14472988584940017414342735135;

/* The features that are there. */
struct there {
    int64_t n, *at;
    double *x;    /* n             */
    double *root; /* n x n, by rows: of their covariance, covariance=full */
    double *y;    /* n: room       */
};

/* Their covariance L_o L_o', factored in place; root has room for n x n.  It has a root since the
 * whole has one. */
static void find_root(const struct smr_density_state *s, struct there *t)
{
    int64_t d = s->n_features;
    for (int64_t a = 0; a < t->n; a++)
        for (int64_t b = 0; b <= a; b++) {
            int64_t most = SMR_MIN(t->at[a], t->at[b]);
            double left = 0;
            for (int64_t k = 0; k <= most; k++)
                left += s->root[t->at[a] * d + k] * s->root[t->at[b] * d + k];
            for (int64_t k = 0; k < b; k++) left -= t->root[a * t->n + k] * t->root[b * t->n + k];
            t->root[a * t->n + b] =
                a == b ? sqrt(smr_fmax(left, 1e-300)) : left / t->root[b * t->n + b];
        }
}

/* |root^-1 y|^2; y is used up. */
static double squared(const struct there *t)
{
    double sum = 0;
    for (int64_t a = 0; a < t->n; a++) {
        for (int64_t k = 0; k < a; k++) t->y[a] -= t->root[a * t->n + k] * t->y[k];
        t->y[a] /= t->root[a * t->n + a];
        sum += t->y[a] * t->y[a];
    }
    return sum;
}

/* q of point i: squared distance over the widths, or the largest square. */
static double distance(const struct smr_density_params *p, const struct smr_density_state *s,
                       const struct there *t, int64_t i)
{
    int64_t d = s->n_features;
    const double *point = s->point + i / GROUP * d * GROUP + i % GROUP;
    double q = 0;
    for (int64_t a = 0; a < t->n; a++) {
        int64_t j = t->at[a];
        if (s->root) {
            t->y[a] = t->x[a] - s->centre[j];
            for (int64_t k = 0; k <= j; k++) t->y[a] -= s->root[j * d + k] * point[k * GROUP];
            continue;
        }
        double u = (t->x[a] - point[j * GROUP]) / s->width[j];
        q = p->kernel == SMR_WINDOW_BOX ? smr_fmax(q, u * u) : q + u * u;
    }
    return s->root ? squared(t) / (s->width[0] * s->width[0]) : q;
}

/* log of the kernel, and of its integral over what is there, with widths 1. */
static double log_kernel(const struct smr_density_params *p, double q, double power)
{
    if (p->kernel == SMR_WINDOW_GAUSSIAN) return -0.5 * q;
    if (p->kernel == SMR_WINDOW_BOX) return q <= 1 ? 0 : -INFINITY;
    return q < 1 ? power * smr_log1p(-q) : -INFINITY;
}

static double log_volume(const struct smr_density_params *p, int64_t n, double power)
{
    double half = 0.5 * (double)n;
    if (p->kernel == SMR_WINDOW_GAUSSIAN || p->kernel == SMR_WINDOW_BOX)
        return smr_density_volume((smr_window)p->kernel, n);
    return half * LOG_PI + smr_log_gamma(power + 1) - smr_log_gamma(half + power + 1);
}

static double parzen_with_gaps(const struct smr_density_params *p,
                               const struct smr_density_state *s, struct there *t)
{
    double power =
        (p->kernel == SMR_WINDOW_EPANECHNIKOV ? 1 : 0) + 0.5 * (double)(s->n_features - t->n);
    double norm = smr_log(s->total) + log_volume(p, t->n, power), sum = 0, most = -INFINITY;
    for (int64_t a = 0; a < t->n; a++)
        norm += smr_log(s->width[t->at[a]]) + (s->root ? smr_log(t->root[a * t->n + a]) : 0);
    for (int64_t i = 0; i < s->n_points; i++) {
        double k = log_kernel(p, distance(p, s, t, i), power),
               w = s->weight[i / GROUP * GROUP + i % GROUP];
        if (k == -INFINITY || !(w > 0)) continue;
        if (k > most) {
            sum = most > -INFINITY ? sum * smr_exp(most - k) : 0;
            most = k;
        }
        sum += w * smr_exp(k - most);
    }
    return sum > 0 ? smr_log(sum) + most - norm : -INFINITY;
}

static double bins_with_gaps(const struct smr_density_params *p, const struct smr_density_state *s,
                             const struct there *t)
{
    double weight = 0, others = smr_density_all_bins(s), norm = 0;
    for (int64_t a = 0; a < t->n; a++) {
        int64_t j = t->at[a];
        if (smr_density_bin(s, j, t->x[a]) < 0) return -INFINITY;
        others /= (double)s->bins[j];
        norm += smr_log((s->high[j] - s->low[j]) / (double)s->bins[j]);
    }
    for (int64_t c = 0; c < s->n_cells; c++) {
        bool same = true;
        for (int64_t a = 0; a < t->n && same; a++)
            same = s->cell[c * s->n_features + t->at[a]] == smr_density_bin(s, t->at[a], t->x[a]);
        if (same) weight += s->count[c];
    }
    weight += p->smoothing * others;
    if (!(weight > 0)) return -INFINITY;
    return smr_log(weight) - smr_log(s->total + p->smoothing * smr_density_all_bins(s)) - norm;
}

static double normal_with_gaps(const struct smr_density_params *p,
                               const struct smr_density_state *s, struct there *t)
{
    bool logs = p->model == SMR_DENSITY_LOGNORMAL;
    double sum = 0;
    for (int64_t a = 0; a < t->n; a++) {
        if (logs && !(t->x[a] > 0)) return -INFINITY;
        double x = logs ? smr_log(t->x[a]) : t->x[a];
        if (logs) sum -= x;
        t->y[a] = x - s->centre[t->at[a]];
        sum -= smr_log(t->root[a * t->n + a]) + 0.5 * SMR_LOG_2PI;
    }
    return sum - 0.5 * squared(t);
}

double smr_density_with_gaps(const struct smr_density_params *p, const struct smr_density_state *s,
                             const double *x, double *room)
{
    int64_t d = s->n_features;
    struct there t = {.x = room, .y = room + d, .at = (int64_t *)(void *)(room + 2 * d)};
    t.root = room + 3 * d;
    for (int64_t j = 0; j < d; j++)
        if (!isnan(x[j])) {
            t.at[t.n] = j;
            t.x[t.n++] = x[j];
        }
    if (t.n == 0) return 0;
    if (s->root) find_root(s, &t);
    if (p->model == SMR_DENSITY_PARZEN) return parzen_with_gaps(p, s, &t);
    if (p->model == SMR_DENSITY_HISTOGRAM) return bins_with_gaps(p, s, &t);
    if (s->root) return normal_with_gaps(p, s, &t);
    double sum = 0;
    for (int64_t a = 0; a < t.n; a++) sum += smr_density_of_column(p, s, t.at[a], t.x[a]);
    return sum;
}
