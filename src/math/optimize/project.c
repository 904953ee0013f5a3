/* project.c -- see project.h.
 *
 * The projection on the simplex is max(w - tau, 0) for the one tau at which it sums to `total`.
 * Michelot's rule finds it from below: tau = (sum of the entries above tau - total) / (how many),
 * over and over, until no entry falls away; that is exact after at most n passes.
 * References: Michelot, J. Optim. Theory Appl. 50(1):195-200, 1986; Duchi, Shalev-Shwartz, Singer &
 * Chandra, ICML 2008 (the l1 ball). */
#include "math/optimize/project.h"

#include "math/optimize/run.h"

#include <math.h>
#include <string.h>

void smr_soft_threshold(int64_t n, double t, double *w)
{
    for (int64_t j = 0; j < n; j++) w[j] = smr_shrink(w[j], t);
}

void smr_project_nonnegative(int64_t n, double *w)
{
    for (int64_t j = 0; j < n; j++) w[j] = w[j] > 0 ? w[j] : 0;
}

void smr_project_box(int64_t n, const double *low, const double *high, double *w)
{
    for (int64_t j = 0; j < n; j++) {
        if (high && w[j] > high[j]) w[j] = high[j];
        if (low && w[j] < low[j]) w[j] = low[j];
    }
}

void smr_project_l2_ball(int64_t n, double radius, double *w)
{
    double norm = smr_norm(n, w);
    if (!(norm > radius)) return;
    for (int64_t j = 0; j < n; j++) w[j] *= radius / norm;
}

/* tau such that max((x - top) - tau, 0) sums to total, x = w or |w|, top the largest x: what is
 * left over lies within `total` of the top, so differences to it lose no digits for any w. */
static double simplex_threshold(int64_t n, double total, bool is_signed, const double *w,
                                double *top)
{
    double tau = -INFINITY;
    *top = -INFINITY;
    for (int64_t j = 0; j < n; j++) *top = smr_fmax(*top, is_signed ? w[j] : fabs(w[j]));
    for (int64_t before = n + 1;;) {
        double sum = 0;
        int64_t count = 0;
        for (int64_t j = 0; j < n; j++) {
            double x = (is_signed ? w[j] : fabs(w[j])) - *top;
            if (!(x > tau)) continue;
            sum += x;
            count++;
        }
        if (count == 0 || count >= before) return tau;
        before = count;
        tau = (sum - total) / (double)count;
    }
}

void smr_project_simplex(int64_t n, double total, double *w)
{
    double top, tau = simplex_threshold(n, total, true, w, &top);
    for (int64_t j = 0; j < n; j++) w[j] = smr_fmax((w[j] - top) - tau, 0);
}

void smr_project_l1_ball(int64_t n, double radius, double *w)
{
    double sum = 0, top;
    for (int64_t j = 0; j < n; j++) sum += fabs(w[j]);
    if (!(sum > radius)) return;
    double tau = simplex_threshold(n, radius, false, w, &top);
    for (int64_t j = 0; j < n; j++) w[j] = copysign(smr_fmax((fabs(w[j]) - top) - tau, 0), w[j]);
}

/* ---- as smr_proximal -------------------------------------------------------------------- */

static void copy(int64_t n, const double *v, double *out)
{
    if (out != v) memcpy(out, v, (size_t)n * sizeof *v);
}

static void apply_elastic(const void *self, int64_t n, double step, const double *v, double *out)
{
    const smr_elastic_penalty *p = self;
    for (int64_t j = 0; j < n; j++)
        out[j] =
            smr_shrink(v[j], p->l1 ? step * p->l1[j] : 0) / (1 + (p->l2 ? step * p->l2[j] : 0));
}

static double value_elastic(const void *self, int64_t n, const double *w)
{
    const smr_elastic_penalty *p = self;
    double sum = 0;
    for (int64_t j = 0; j < n; j++) {
        if (p->l1) sum += p->l1[j] * fabs(w[j]);
        if (p->l2) sum += 0.5 * p->l2[j] * w[j] * w[j];
    }
    return sum;
}

static void apply_box(const void *self, int64_t n, double step, const double *v, double *out)
{
    const smr_box *box = self;
    (void)step;
    copy(n, v, out);
    smr_project_box(n, box->low, box->high, out);
}

static void apply_nonnegative(const void *self, int64_t n, double step, const double *v,
                              double *out)
{
    (void)self, (void)step;
    copy(n, v, out);
    smr_project_nonnegative(n, out);
}

static void apply_simplex(const void *self, int64_t n, double step, const double *v, double *out)
{
    (void)step;
    copy(n, v, out);
    smr_project_simplex(n, *(const double *)self, out);
}

static void apply_l2_ball(const void *self, int64_t n, double step, const double *v, double *out)
{
    (void)step;
    copy(n, v, out);
    smr_project_l2_ball(n, *(const double *)self, out);
}

static void apply_l1_ball(const void *self, int64_t n, double step, const double *v, double *out)
{
    (void)step;
    copy(n, v, out);
    smr_project_l1_ball(n, *(const double *)self, out);
}

smr_proximal smr_proximal_elastic(const smr_elastic_penalty *penalty)
{
    return (smr_proximal){penalty, apply_elastic, value_elastic};
}

smr_proximal smr_proximal_box(const smr_box *box)
{
    return (smr_proximal){box, apply_box, NULL};
}

smr_proximal smr_proximal_nonnegative(void)
{
    return (smr_proximal){NULL, apply_nonnegative, NULL};
}

smr_proximal smr_proximal_simplex(const double *total)
{
    return (smr_proximal){total, apply_simplex, NULL};
}

smr_proximal smr_proximal_l2_ball(const double *radius)
{
    return (smr_proximal){radius, apply_l2_ball, NULL};
}

smr_proximal smr_proximal_l1_ball(const double *radius)
{
    return (smr_proximal){radius, apply_l1_ball, NULL};
}
