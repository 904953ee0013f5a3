/* secular.c -- see secular.h.
 *
 * A root between poles l and r = l + 1 (for the last root: right of both) is found by rational
 * interpolation.  At the midpoint the sign of f tells the nearer pole, the origin; there the terms
 * of l and r are kept and the rest of f is a constant, which gives the first tau.  Then at each tau
 *
 *     f(tau + eta) ~ c + s / (D_l - eta) + S / (D_r - eta),     D_i = delta_i - delta_origin - tau
 *
 * where the nearer pole's term is the true one, and c and the farther pole's weight are such that
 * value and slope agree: Li's "fixed weight".  Where that shrinks f too little, as with more poles
 * close beyond the nearer one, the terms left and right of the root are modelled by their own pole
 * each: Li's "middle way".  The root of either model is that of a quadratic.  Every value of f
 * narrows an interval, and a step that leaves it is replaced by a bisection (of the exponent, where
 * the ends differ much).  The first interval comes from (1) itself: with the origin's term alone on
 * one side and only the terms that enlarge it on the other,
 *
 *     |tau| >= rho z_origin^2 / (that sum at the midpoint).
 *
 * It ends where f is less than the rounding of its own sum, or where f is small and the step so
 * short that its square is below rounding. */
#include "math/secular.h"

#include "core/parallel.h"
#include "kernel/kernel.h"

#include <float.h>
#include <math.h>

enum { MAX_STEPS = 120, ROOTS = 16 };
static const double ENOUGH = 4 * DBL_EPSILON; /* of the sum of sizes of f's terms */
static const double SHORT = 0x1p-27;          /* of tau                           */
static const double NEAR = 0x1p-20;           /* of that sum                      */
static const double SHRINKS = 0.1;            /* f, in a step of the right model  */
enum { PATIENCE = 24, EVERY = 3 };            /* then some steps are bisections   */
enum { FEW = 128 };                           /* poles: not worth waking a thread */

/* What the tasks share. */
struct secular_pass {
    const smr_secular *s;
    const smr_secular_roots *to;
    const double *w;    /* rho z_i^2                     */
    const double *from; /* d[origin[j]]                  */
    double *away;       /* lanes x n: delta_i - delta_origin */
};

/* One root on its way: poles l and r, whose terms are apart from the sums over the others. */
struct search {
    int64_t n, l;
    bool is_last;
    const double *w, *away;
    double f, size;           /* size: 1 + sum |w_i / gap_i|          */
    double left, right, rest; /* sums over the others; 1 + both       */
    double slope[2];          /* of the others, left and right        */
};

/* f and its parts at tau. */
static void evaluate(struct search *q, double tau)
{
    int64_t l = q->l, r = l + 1;
    double left[2], right[2];
    smr_secular_sums_f64(l, q->w, q->away, tau, left);
    smr_secular_sums_f64(q->n - r - 1, q->w + r + 1, q->away + r + 1, tau, right);
    double at_l = q->w[l] / (q->away[l] - tau), at_r = q->w[r] / (q->away[r] - tau);
    q->left = left[0];
    q->right = right[0];
    q->slope[0] = left[1];
    q->slope[1] = right[1];
    q->rest = 1 + (q->left + q->right);
    q->f = q->rest + (at_l + at_r);
    q->size = 1 - q->left + q->right - at_l + fabs(at_r);
}

/* The root of c x^2 - p x + q that is wanted: the one between the poles or, for the last root,
 * beyond them; where rounding leaves none, something that the interval will refuse. */
static double solve_model(bool is_last, double c, double p, double q)
{
    double disc = p * p - 4 * q * c, root = disc > 0 ? sqrt(disc) : 0;
    if (is_last) return p >= 0 ? (p + root) / (2 * c) : 2 * q / (p - root);
    return p <= 0 ? (p - root) / (2 * c) : 2 * q / (p + root);
}

/* The first tau: the root of rest + w_l / (a - x) + w_r / (b - x). */
static double first_root(const struct search *q, double a, double b)
{
    double c = q->rest, s = q->w[q->l], S = q->w[q->l + 1];
    return solve_model(q->is_last, c, c * (a + b) + s + S, c * a * b + s * b + S * a);
}

/* The step from tau, by fixed weight or the middle way. */
static double model_step(const struct search *q, int64_t origin, double tau, bool middle)
{
    int64_t l = q->l, r = l + 1;
    double at_l = q->away[l] - tau, at_r = q->away[r] - tau;
    double far = origin == l ? at_r : at_l;
    double below = (middle ? at_l : far) * q->slope[0], above = (middle ? at_r : far) * q->slope[1];
    double c = q->rest - (below + above);
    double weights =
        q->w[l] + q->w[r] + ((middle ? at_l : far) * below + (middle ? at_r : far) * above);
    return solve_model(q->is_last, c, c * (at_l + at_r) + weights, at_l * at_r * q->f);
}

/* A number between lo and hi, which have one sign. */
static double between(double lo, double hi)
{
    double a = fabs(lo), b = fabs(hi);
    if (a > 4 * b || b > 4 * a) return copysign(sqrt(a) * sqrt(b), lo);
    return lo + (hi - lo) / 2;
}

/* Steps from tau, with f(lo) <= 0 <= f(hi). */
static smr_status iterate(smr_ctx *ctx, struct search *q, int64_t origin, double lo, double hi,
                          double *root)
{
    double tau = *root, last = INFINITY;
    bool middle = false;
    for (int t = 0; t < MAX_STEPS; t++) {
        bool tires = t >= PATIENCE && t % EVERY == 0;
        if (tires || !(tau > lo && tau < hi)) tau = between(lo, hi);
        evaluate(q, tau);
        *root = tau;
        if (!(fabs(q->f) > ENOUGH * q->size)) return SMR_OK;
        if (q->f < 0)
            lo = tau;
        else
            hi = tau;
        if (hi - lo <= 2 * DBL_EPSILON * fabs(tau)) return SMR_OK;
        if (fabs(q->f) > SHRINKS * last) middle = !middle;
        last = fabs(q->f);
        double step = model_step(q, origin, tau, middle), next = tau + step;
        bool is_short = fabs(step) <= SHORT * fabs(tau) && last <= NEAR * q->size;
        if (is_short && next >= lo && next <= hi) {
            *root = next;
            return SMR_OK;
        }
        tau = next;
    }
    return smr_fail(ctx, SMR_ERR_NUMERIC,
                    "root %lld of a secular equation of order %lld was not "
                    "found in %d steps",
                    (long long)q->l, (long long)q->n, (int)MAX_STEPS);
}

static void set_away(const smr_secular *s, int64_t origin, double *away)
{
    const double *d = s->d;
    double from = d[origin];
    if (s->squared)
        for (int64_t i = 0; i < s->n; i++) away[i] = (d[i] - from) * (d[i] + from);
    else
        for (int64_t i = 0; i < s->n; i++) away[i] = d[i] - from;
}

static smr_status find_inner(smr_ctx *ctx, const struct secular_pass *p, int64_t j, double *away)
{
    const smr_secular *s = p->s;
    struct search q = {.n = s->n, .l = j, .w = p->w, .away = away};
    double gap = smr_secular_between(s, j + 1, j), lo, hi;
    set_away(s, j, away);
    evaluate(&q, gap / 2);
    int64_t origin = q.f >= 0 ? j : j + 1;
    if (origin == j) {
        lo = p->w[j] / (1 + q.right + p->w[j + 1] / (gap / 2));
        hi = gap / 2;
        p->to->tau[j] = first_root(&q, 0, gap);
    } else {
        lo = -gap / 2;
        hi = -p->w[j + 1] / (p->w[j] / (gap / 2) - q.left);
        p->to->tau[j] = first_root(&q, -gap, 0);
        set_away(s, j + 1, away);
    }
    /* Rounding of the bounds themselves. */
    lo *= lo > 0 ? 1 - 0x1p-40 : 1 + 0x1p-40;
    hi *= hi > 0 ? 1 + 0x1p-40 : 1 - 0x1p-40;
    p->to->origin[j] = origin;
    return iterate(ctx, &q, origin, lo, hi, &p->to->tau[j]);
}

static smr_status find_last(smr_ctx *ctx, const struct secular_pass *p, double *away)
{
    const smr_secular *s = p->s;
    int64_t n = s->n;
    double total = 0, *tau = &p->to->tau[n - 1];
    p->to->origin[n - 1] = n - 1;
    for (int64_t i = 0; i < n; i++) total += p->w[i];
    *tau = total;
    if (n == 1) return SMR_OK;
    struct search q = {.n = n, .l = n - 2, .w = p->w, .away = away, .is_last = true};
    set_away(s, n - 1, away);
    evaluate(&q, total / 2);
    *tau = first_root(&q, away[n - 2], 0);
    return iterate(ctx, &q, n - 1, p->w[n - 1] * (1 - 0x1p-40), total * (1 + 0x1p-40), tau);
}

static smr_status find_roots(smr_ctx *ctx, void *arg, int64_t task, int lane)
{
    const struct secular_pass *p = arg;
    int64_t n = p->s->n, end = smr_block_end(n, ROOTS, task);
    double *away = p->away + lane * n;
    smr_status st = SMR_OK;
    for (int64_t j = task * ROOTS; j < end && st == SMR_OK; j++)
        st = j + 1 < n ? find_inner(ctx, p, j, away) : find_last(ctx, p, away);
    return st;
}

/* Equation (2): below i the pole of factor j is j, then j + 1. */
static double weight_of(const struct secular_pass *p, int64_t i)
{
    const smr_secular *s = p->s;
    int64_t n = s->n;
    const double *tau = p->to->tau;
    double product =
        smr_secular_factors_f64(s->squared, i, s->d[i], p->from, tau, s->d) *
        smr_secular_factors_f64(s->squared, n - 1 - i, s->d[i], p->from + i, tau + i, s->d + i + 1);
    double last = -smr_secular_gap(s, i, p->to->origin[n - 1], tau[n - 1]);
    return copysign(sqrt(product) * sqrt(last) / sqrt(s->rho), s->z[i]);
}

static smr_status find_weights(smr_ctx *ctx, void *arg, int64_t task, int lane)
{
    (void)ctx, (void)lane;
    const struct secular_pass *p = arg;
    int64_t end = smr_block_end(p->s->n, ROOTS, task);
    for (int64_t i = task * ROOTS; i < end; i++) p->to->zh[i] = weight_of(p, i);
    return SMR_OK;
}

smr_status smr_secular_solve(smr_ctx *ctx, const smr_secular *s, const smr_secular_roots *to)
{
    smr_status st = SMR_OK;
    int64_t n = s->n, n_tasks = smr_block_count(n, ROOTS), lanes = n <= FEW ? 1 : smr_lanes(ctx);
    if (n <= 0) return SMR_OK;
    double *work = smr_alloc_raw(ctx, (lanes + 2) * n, sizeof *work);
    if (!work) return SMR_ERR_NOMEM;
    double *w = work, *from = work + n;
    struct secular_pass p = {s, to, w, from, work + 2 * n};
    for (int64_t i = 0; i < n; i++) w[i] = s->rho * (s->z[i] * s->z[i]);
    if (n <= FEW) {
        for (int64_t t = 0; t < n_tasks; t++) TRY(find_roots(ctx, &p, t, 0));
    } else {
        TRY(smr_parallel(ctx, NULL, n_tasks, find_roots, &p));
    }
    for (int64_t j = 0; j < n; j++) from[j] = s->d[to->origin[j]];
    if (n <= FEW) {
        for (int64_t t = 0; t < n_tasks; t++) TRY(find_weights(ctx, &p, t, 0));
    } else {
        TRY(smr_parallel(ctx, NULL, n_tasks, find_weights, &p));
    }
out:
    smr_free(work);
    return st;
}

void smr_secular_vector(const smr_secular *s, const smr_secular_roots *roots, int64_t j, double *v)
{
    const double *d = s->d, *zh = roots->zh;
    double tau = roots->tau[j], from = d[roots->origin[j]];
    if (s->squared)
        for (int64_t i = 0; i < s->n; i++) v[i] = zh[i] / ((d[i] - from) * (d[i] + from) - tau);
    else
        for (int64_t i = 0; i < s->n; i++) v[i] = zh[i] / ((d[i] - from) - tau);
}
