/* huber_fit.c -- see huber_fit.h. */
#include "learn/linear/huber_fit.h"

#include "core/rng.h"
#include "kernel/kernel.h"
#include "learn/linear/start.h"
#include "math/stats.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { SAMPLE_LEAST = 2000, SAMPLE_A_COLUMN = 40, MAX_HALVINGS = 40 };
static const double FLOOR = 1e-10;   /* of the target's spread: less is an exact fit */
static const double NOTHING = 1e-10; /* a pull too small for another step       */

/* What a pass sums. */
enum { COST, SQUARES, WEIGHT_OUT, WEIGHT_IN, SUMS };

struct huber {
    const smr_huber_problem *problem;
    const smr_design *design;
    int64_t n, p;
    double *y, *weight; /* n                                                        */
    double total;       /* of the weights                                           */
    double floor;       /* of s                                                     */
    double *beta, s;
    double *r;               /* n                                                  */
    uint8_t *is_in, *was_in; /* n: at the point seen last; those that G sums       */
    double *sums;            /* SUMS + 2 p: (COST ..), inliers' and outliers' sums */
    double *G, *L;           /* p x p                                              */
    double largest;          /* entry that G's diagonal had since it was summed    */
    double *gradient, *step; /* p + 1: (w, b), s                                   */
    double *trial;           /* p                                                  */
    double f;
};

/* ---- one pass --------------------------------------------------------------------------- */

struct pass {
    struct huber *h;
    const double *beta;
    double s;
    bool with_gram;
};

/* psi = r / s or its bound, the inliers' and the outliers' apart. */
static void look_at(void *arg, const smr_design_block *b, double *partial)
{
    struct pass *t = arg;
    struct huber *h = t->h;
    double psi[2 * SMR_ROWS_BLOCK], in[SMR_ROWS_BLOCK], *r = h->r + b->first;
    double eps = h->problem->epsilon, bound = eps * t->s, inverse = 1 / t->s;
    const double *weight = h->weight + b->first, *y = h->y + b->first;
    double cost = 0, squares = 0, weight_in = 0, weight_out = 0;
    smr_block_scores(b, t->beta, r);
    for (int64_t i = 0; i < b->n; i++) { /* without branches: nothing predicts which rows are in */
        double e = y[i] - r[i], size = fabs(e), w = weight[i];
        bool is_in = size <= bound;
        double inner = w * e * inverse, outer = copysign(w * eps, e);
        r[i] = e;
        h->is_in[b->first + i] = is_in;
        psi[2 * i] = is_in ? inner : 0;
        psi[2 * i + 1] = is_in ? 0 : outer;
        cost += is_in ? inner * e / 2 : w * eps * (size - bound / 2);
        squares += psi[2 * i] * e * inverse;
        weight_in += is_in ? w : 0;
        weight_out += is_in ? 0 : w;
    }
    partial[COST] += cost;
    partial[SQUARES] += squares;
    partial[WEIGHT_IN] += weight_in;
    partial[WEIGHT_OUT] += weight_out;
    smr_block_sums(b, 2, psi, partial + SUMS);
    if (!t->with_gram) return;
    for (int64_t i = 0; i < b->n; i++) in[i] = h->is_in[b->first + i] ? weight[i] : 0;
    smr_block_gram(b, in, partial + SUMS + 2 * h->p);
}

static double penalty(const struct huber *h, const double *beta)
{
    double sum = 0;
    for (int64_t k = 0; k < h->design->n_kept; k++) {
        double w = beta[k] * h->design->scale[k];
        sum += w * w;
    }
    return h->problem->l2 * sum / 2;
}

/* f and the sums at (beta, s); with_gram: G of the inliers too. */
static smr_status look(smr_ctx *ctx, struct huber *h, const double *beta, double s, bool with_gram,
                       double *f)
{
    smr_status st = SMR_OK;
    int64_t p = h->p, width = SUMS + 2 * p;
    double *all = NULL;
    struct pass t = {.h = h, .beta = beta, .s = s, .with_gram = with_gram};
    TRY_NEW(all, width + (with_gram ? p * p : 0));
    TRY(smr_design_pass(ctx, h->design, look_at, NULL, &t, width + (with_gram ? p * p : 0), all));
    if (!isfinite(all[COST])) TRY(smr_design_explain(ctx, h->design));
    memcpy(h->sums, all, (size_t)width * sizeof *all);
    *f = all[COST] + (h->problem->joint ? h->total * s / 2 : 0) + penalty(h, beta);
    if (!with_gram) goto out;
    memcpy(h->G, all + width, (size_t)(p * p) * sizeof *all);
    memcpy(h->was_in, h->is_in, (size_t)h->n);
    for (int64_t k = 0; k < p; k++) h->largest = smr_fmax(h->largest, h->G[k * p + k]);
out:
    smr_free(all);
    return st;
}

static void find_gradient(struct huber *h)
{
    const double *in = h->sums + SUMS, *out = in + h->p;
    double eps = h->problem->epsilon;
    for (int64_t k = 0; k < h->p; k++) h->gradient[k] = -(in[k] + out[k]);
    for (int64_t k = 0; k < h->design->n_kept; k++) {
        double scale = h->design->scale[k];
        h->gradient[k] += h->problem->l2 * scale * scale * h->beta[k];
    }
    h->gradient[h->p] =
        (h->total - h->sums[SQUARES] - eps * eps * h->sums[WEIGHT_OUT]) / 2; /* joint only */
}

/* ---- the inliers' matrix ---------------------------------------------------------------- */

/* G += by z z' of the rows that are in `now` and not in `before` (sum). */
static smr_status add_changed(smr_ctx *ctx, struct huber *h, const uint8_t *now,
                              const uint8_t *before, double by, double *sum)
{
    smr_status st = SMR_OK;
    int64_t n = 0, square = h->p * h->p, *rows = NULL;
    double *weight = NULL;
    for (int64_t i = 0; i < h->n; i++) n += now[i] & !before[i];
    TRY_NEW(rows, n);
    TRY_NEW(weight, n);
    n = 0;
    for (int64_t i = 0; i < h->n; i++) {
        if (!(now[i] & !before[i]) || h->weight[i] == 0) continue;
        rows[n] = i;
        weight[n++] = h->weight[i];
    }
    TRY(smr_design_gram_of(ctx, h->design, n, rows, weight, sum));
    smr_axpy_f64(square, by, sum, h->G);
out:
    smr_free(rows);
    smr_free(weight);
    return st;
}

/* G follows is_in: by the rows that changed where they are few, else anew; anew also where so much
 * has left that its rounding would show. */
static smr_status update_matrix(smr_ctx *ctx, struct huber *h)
{
    smr_status st = SMR_OK;
    int64_t p = h->p, changed = 0;
    double *sum = NULL, f;
    bool worn = false;
    for (int64_t i = 0; i < h->n; i++) changed += h->is_in[i] != h->was_in[i];
    if (changed == 0) goto out;
    if (changed <= h->n / 3) {
        TRY_NEW(sum, p * p);
        TRY(add_changed(ctx, h, h->is_in, h->was_in, 1, sum));
        TRY(add_changed(ctx, h, h->was_in, h->is_in, -1, sum));
        memcpy(h->was_in, h->is_in, (size_t)h->n);
        for (int64_t k = 0; k < p; k++) worn |= !(h->G[k * p + k] > 1e-6 * sum[k * p + k]);
    }
    if (changed > h->n / 3 || worn) TRY(look(ctx, h, h->beta, h->s, true, &f));
out:
    smr_free(sum);
    return st;
}

/* ---- Newton ----------------------------------------------------------------------------- */

/* L = factor of (3) without its last row and column, which are eliminated when s is free. */
static smr_status factor(smr_ctx *ctx, struct huber *h, bool free_scale, bool *found)
{
    smr_status st = SMR_OK;
    int64_t p = h->p;
    const double *in = h->sums + SUMS;
    double *H = NULL, squares = h->sums[SQUARES], mu = 0;
    TRY_NEW(H, p * p);
    for (int64_t k = 0; k < p; k++)
        for (int64_t l = k; l < p; l++) {
            double g = h->G[k * p + l] / h->s;
            if (free_scale) g -= in[k] * in[l] / (h->s * squares);
            H[k * p + l] = H[l * p + k] = g;
        }
    for (int64_t k = 0; k < h->design->n_kept; k++)
        H[k * p + k] += h->problem->l2 * h->design->scale[k] * h->design->scale[k];
    TRY(smr_design_factor(ctx, p, H, h->L, &mu));
    *found = mu >= 0;
out:
    smr_free(H);
    return st;
}

/* step = -(3)^-1 gradient; *promise = gradient' step, negative. */
static smr_status find_step(smr_ctx *ctx, struct huber *h, double *promise, bool *found)
{
    smr_status st = SMR_OK;
    int64_t p = h->p;
    const double *in = h->sums + SUMS;
    double squares = h->sums[SQUARES];
    bool free_scale = h->problem->joint && squares > 0 && (h->s > h->floor || h->gradient[p] < 0);
    TRY(factor(ctx, h, free_scale, found));
    if (!*found) goto out;
    for (int64_t k = 0; k < p; k++) {
        h->step[k] = -h->gradient[k];
        if (free_scale) h->step[k] += in[k] * h->gradient[p] / squares;
    }
    TRY(smr_design_solve(ctx, p, h->L, h->step));
    h->step[p] = 0;
    if (free_scale)
        h->step[p] = -(h->gradient[p] + smr_dot_f64(p, in, h->step) / h->s) * h->s / squares;
    *promise = smr_dot_f64(p, h->gradient, h->step) + h->gradient[p] * h->step[p];
    *found = isfinite(*promise) && *promise < 0;
out:
    return st;
}

/* s of (2) for the residuals as they are: sum weight min(r^2 / s^2, epsilon^2) = total.  From above
 * each round lowers s, and counts more rows as outliers. */
static double scale_of(const struct huber *h)
{
    double eps = h->problem->epsilon, sum = 0, s;
    for (int64_t i = 0; i < h->n; i++) sum += h->weight[i] * h->r[i] * h->r[i];
    s = sqrt(sum / h->total);
    for (int k = 0; k < 100 && s > h->floor; k++) {
        double squares = 0, rest = h->total;
        for (int64_t i = 0; i < h->n; i++) {
            bool is_in = fabs(h->r[i]) <= eps * s;
            squares += is_in ? h->weight[i] * h->r[i] * h->r[i] : 0;
            rest -= is_in ? 0 : h->weight[i] * eps * eps;
        }
        double next = rest > 0 ? sqrt(squares / rest) : s / 10;
        if (!(next < s * (1 - 1e-3))) break;
        s = next;
    }
    return smr_fmax(s, h->floor);
}

/* The gradient's largest entry; 1 is what all rows pull together at most. */
static double pull_of(struct huber *h)
{
    double size = 0;
    find_gradient(h);
    for (int64_t k = 0; k < h->p; k++) size = smr_fmax(size, fabs(h->gradient[k]));
    if (h->problem->joint && h->s > h->floor) size = smr_fmax(size, fabs(h->gradient[h->p]));
    return size / (h->problem->epsilon * h->total);
}

/* Halves the step, at most `halvings` times, until f falls or, where rounding hides that, the pull
 * does; *moved is false if it never does. */
static smr_status search(smr_ctx *ctx, struct huber *h, double promise, int halvings, bool *moved)
{
    smr_status st = SMR_OK;
    double a = 1, noise = 10 * DBL_EPSILON * fabs(h->f), pull = pull_of(h), f, s = h->s;
    double *beta = h->beta;
    *moved = false;
    for (int k = 0; k <= halvings && !*moved; k++, a /= 2) {
        double to = smr_fmax(smr_fmax(s + a * h->step[h->p], s / 10), h->floor);
        memcpy(h->trial, beta, (size_t)h->p * sizeof *h->trial);
        smr_axpy_f64(h->p, a, h->step, h->trial);
        h->beta = h->trial;
        h->s = h->problem->joint ? to : s;
        TRY(look(ctx, h, h->beta, h->s, false, &f));
        *moved = f <= h->f + 1e-4 * a * promise ||
                 (-a * promise <= noise && f <= h->f + noise && pull_of(h) < pull);
        h->beta = beta;
    }
    if (*moved) {
        memcpy(h->beta, h->trial, (size_t)h->p * sizeof *h->beta);
        h->f = f;
    } else {
        h->s = s;
        TRY(look(ctx, h, h->beta, h->s, false, &f)); /* back to where it stood */
    }
out:
    h->beta = beta;
    return st;
}

/* Do the inliers say too little about some direction that rows pull in? */
static bool lacks_inliers(const struct huber *h)
{
    double most = h->problem->epsilon * h->total;
    for (int64_t k = 0; k < h->p; k++)
        if (h->G[k * h->p + k] < 1e-9 * h->total && fabs(h->gradient[k]) > h->problem->tol * most)
            return true;
    return false;
}

/* Far from the minimum a Newton step may be no good: too few inliers, or inliers that all miss by
 * the same, where (2) is flat towards smaller s and residuals.  Then beta moves by least squares
 * with the weights min(1, epsilon s / |r|), and s for the new residuals: neither can raise f, and
 * the pair converges (Huber & Ronchetti, 7.8). */
static smr_status reweigh(smr_ctx *ctx, struct huber *h, bool *moved)
{
    smr_status st = SMR_OK;
    int64_t p = h->p;
    double *weight = NULL, *H = NULL, bound = h->problem->epsilon * h->s, mu = 0, promise, f, s;
    TRY_NEW(weight, h->n);
    TRY_NEW(H, p * p);
    for (int64_t i = 0; i < h->n; i++)
        weight[i] = h->weight[i] * smr_fmin(1, bound / smr_fmax(fabs(h->r[i]), bound));
    find_gradient(h);
    TRY(smr_design_gram(ctx, h->design, weight, h->r, H, h->step));
    for (int64_t k = 0; k < p * p; k++) H[k] /= h->s;
    for (int64_t k = 0; k < h->design->n_kept; k++)
        H[k * p + k] += h->problem->l2 * h->design->scale[k] * h->design->scale[k];
    TRY(smr_design_factor(ctx, p, H, h->L, &mu));
    for (int64_t k = 0; k < p; k++) h->step[k] = -h->gradient[k];
    h->step[p] = 0;
    if (mu >= 0) TRY(smr_design_solve(ctx, p, h->L, h->step));
    promise = smr_dot_f64(p, h->gradient, h->step);
    if (mu >= 0 && promise < 0) TRY(search(ctx, h, promise, MAX_HALVINGS, moved));
    if (!h->problem->joint) goto out;
    s = scale_of(h);
    TRY(look(ctx, h, h->beta, s, false, &f));
    if (f < h->f) {
        *moved |= f < h->f - 1e-14 * fabs(h->f);
        h->f = f;
        h->s = s;
    } else {
        TRY(look(ctx, h, h->beta, h->s, false, &f));
    }
out:
    smr_free(H);
    smr_free(weight);
    return st;
}

static smr_status newton(smr_ctx *ctx, struct huber *h, smr_fit_report *report, smr_huber_fit *out)
{
    smr_status st = SMR_OK;
    TRY(look(ctx, h, h->beta, h->s, true, &h->f));
    while (!out->converged && out->n_iter < h->problem->max_iter) {
        double promise = 0;
        bool found = false, moved = false, flat = pull_of(h) <= h->problem->tol;
        out->converged = flat; /* one more step makes it flatter still */
        if (flat && pull_of(h) <= NOTHING) break;
        if (!lacks_inliers(h)) TRY(find_step(ctx, h, &promise, &found));
        if (found) TRY(search(ctx, h, promise, 2, &moved));
        if (!moved && !flat) TRY(reweigh(ctx, h, &moved));
        if (!moved) break;
        if (!flat) TRY(update_matrix(ctx, h));
        out->n_iter++;
        if (report) TRY(smr_fit_step(ctx, report, h->f));
        TRY(smr_tick(ctx, "fitting huber", out->n_iter, h->problem->max_iter, h->f));
    }
out:
    return st;
}

/* ---- many columns ----------------------------------------------------------------------- */

/* v = (beta, log s). */
static smr_status evaluate(smr_ctx *ctx, void *self, const double *v, double *f, double *g)
{
    struct huber *h = self;
    double s = h->problem->joint ? smr_fmax(smr_exp(v[h->p]), h->floor) : 1;
    memcpy(h->beta, v, (size_t)h->p * sizeof *v);
    smr_status st = look(ctx, h, h->beta, s, false, f);
    if (st != SMR_OK) return st;
    h->s = s;
    find_gradient(h);
    memcpy(g, h->gradient, (size_t)h->p * sizeof *g);
    if (h->problem->joint) g[h->p] = s * h->gradient[h->p];
    return SMR_OK;
}

static smr_status lbfgs(smr_ctx *ctx, struct huber *h, smr_fit_report *report, smr_huber_fit *out)
{
    smr_status st = SMR_OK;
    double *v = NULL, f = 0;
    smr_linear_telling w = {.ctx = ctx, .report = report};
    smr_objective o = {.n = h->p + h->problem->joint, .self = h, .evaluate = evaluate};
    smr_optimize_opts opts = {.max_iter = h->problem->max_iter,
                              .tol = h->problem->tol,
                              .scale = h->problem->epsilon * h->total,
                              .what = "fitting huber",
                              .each = smr_linear_tell,
                              .user = &w};
    smr_optimize_result result = {0};
    TRY_NEW(v, h->p + 1);
    memcpy(v, h->beta, (size_t)h->p * sizeof *v);
    v[h->p] = smr_log(h->s);
    TRY(smr_lbfgs(ctx, &o, 0, &opts, v, &result));
    TRY(w.status);
    memcpy(h->beta, v, (size_t)h->p * sizeof *v);
    h->s = h->problem->joint ? smr_fmax(smr_exp(v[h->p]), h->floor) : 1;
    TRY(look(ctx, h, h->beta, h->s, false, &f)); /* residuals and inliers of the answer */
    h->f = f;
    out->n_iter = result.iterations;
    out->converged = result.converged || result.why == SMR_WHY_ROUNDING;
out:
    smr_free(v);
    return st;
}

/* ---- the start -------------------------------------------------------------------------- */

/* Rows for a first look: one of each of m equal parts, at random. */
static int64_t sampled_row(const struct huber *h, int64_t m, int64_t k)
{
    double at = (double)k + smr_random_unit(0, SMR_STREAM_START, 1, (uint64_t)k);
    return SMR_MIN((int64_t)(at * ((double)h->n / (double)m)), h->n - 1);
}

/* FLOOR times the median distance of some targets from their median (the mean, if that is 0). */
static smr_status find_floor(smr_ctx *ctx, struct huber *h)
{
    smr_status st = SMR_OK;
    int64_t m = SMR_MIN(h->n, SAMPLE_LEAST), count = 0;
    double *y = NULL, half = 0.5, middle = 0, spread = 0, sum = 0, largest = 0;
    TRY_NEW(y, m);
    for (int64_t k = 0; k < m; k++) {
        int64_t i = m == h->n ? k : sampled_row(h, m, k);
        if (h->weight[i] > 0) y[count++] = h->y[i];
    }
    if (count > 0) TRY(smr_quantiles(ctx, count, y, NULL, 1, &half, &middle));
    for (int64_t k = 0; k < count; k++) {
        y[k] = fabs(y[k] - middle);
        sum += y[k];
    }
    if (count > 0) TRY(smr_quantiles(ctx, count, y, NULL, 1, &half, &spread));
    for (int64_t i = 0; i < h->n; i++) largest = smr_fmax(largest, fabs(h->y[i]));
    if (spread == 0 && count > 0) spread = sum / (double)count;
    if (spread == 0) spread = largest > 0 ? largest : 1;
    h->floor = FLOOR * spread;
out:
    smr_free(y);
    return st;
}

/* Least squares with the penalty; with very many columns the mean. */
static smr_status start_plain(smr_ctx *ctx, struct huber *h)
{
    smr_status st = SMR_OK;
    int64_t p = h->p;
    double mu = 0, sum = 0;
    for (int64_t i = 0; i < h->n; i++) {
        h->r[i] = h->weight[i] * h->y[i];
        sum += h->r[i];
    }
    if (p > SMR_HUBER_DENSE) {
        if (h->design->intercept) h->beta[p - 1] = sum / h->total;
    } else {
        TRY(smr_design_gram(ctx, h->design, h->weight, h->r, h->G, h->beta));
        for (int64_t k = 0; k < h->design->n_kept; k++)
            h->G[k * p + k] += h->problem->l2 * h->design->scale[k] * h->design->scale[k];
        TRY(smr_design_factor(ctx, p, h->G, h->L, &mu));
        if (mu >= 0) TRY(smr_design_solve(ctx, p, h->L, h->beta));
        for (int64_t k = 0; k < p; k++)
            if (mu < 0 || !isfinite(h->beta[k])) h->beta[k] = 0;
    }
    TRY(smr_design_scores(ctx, h->design, h->beta, h->r));
    for (int64_t i = 0; i < h->n; i++) h->r[i] = h->y[i] - h->r[i];
    h->s = h->problem->joint ? scale_of(h) : 1;
out:
    return st;
}

/* The fit to a sample, where there are many times as many rows. */
static smr_status start_sampled(smr_ctx *ctx, struct huber *h, int64_t m)
{
    smr_status st = SMR_OK;
    smr_held_rows sample = {0};
    smr_huber_problem problem = *h->problem;
    smr_huber_fit fit = {0};
    int64_t *rows = NULL, d = h->problem->data->n_features;
    TRY_NEW(rows, m);
    TRY_NEW(fit.w, d + 1);
    TRY_NEW(fit.error, d + 1);
    for (int64_t k = 0; k < m; k++) rows[k] = sampled_row(h, m, k);
    TRY(smr_held_some(ctx, h->problem->data, rows, m, &sample));
    problem.data = &sample.data;
    problem.l2 *= (double)m / (double)h->n;
    problem.tol = smr_fmax(problem.tol, 1e-3);
    TRY(smr_huber_solve(ctx, &problem, NULL, NULL, &fit));
    smr_design_beta(h->design, fit.w, fit.b, h->beta);
    h->s = h->problem->joint ? smr_fmax(fit.sigma, h->floor) : 1;
out:
    smr_held_close(&sample);
    smr_free(fit.error);
    smr_free(fit.w);
    smr_free(rows);
    return st;
}

static smr_status start(smr_ctx *ctx, struct huber *h)
{
    int64_t m = SMR_MAX(SMR_MAX(SAMPLE_LEAST, SAMPLE_A_COLUMN * h->p), h->n / 20);
    bool is_large = h->n >= 5 * m && h->p <= SMR_HUBER_DENSE && !h->problem->data->weight;
    return is_large ? start_sampled(ctx, h, m) : start_plain(ctx, h);
}

/* ---- the answer ------------------------------------------------------------------------- */

/* Fewer rows within the threshold than twice the coefficients, of many: m, the density of the
 * residuals near 0, is then a matter of which rows the fit goes through. */
static bool is_sparse(const struct huber *h)
{
    double in = h->sums[WEIGHT_IN];
    return in < 2 * (double)h->p && in < 0.5 * h->total;
}

/* Variances K v / m H^-1 G H^-1 with H = G + l2 s: v the mean square of psi (its denominator less
 * p), m the inliers' share, K = 1 + p (1 - m) / (m total); Huber & Ronchetti, (7.85). */
static smr_status find_errors(smr_ctx *ctx, struct huber *h, smr_huber_fit *out)
{
    smr_status st = SMR_OK;
    int64_t p = h->p;
    const smr_design *D = h->design;
    double mu = 0, *C = NULL, *a = NULL, s = h->s, eps = h->problem->epsilon;
    double share = h->sums[WEIGHT_IN] / h->total, df = h->total - (double)p;
    double squares = h->sums[SQUARES] + eps * eps * h->sums[WEIGHT_OUT];
    double K = 1 + (double)p / h->total * (1 - share) / share;
    double factor_ = K * squares / df / share * s * s;
    TRY_NEW(C, p * p);
    TRY_NEW(a, 2 * p);
    out->is_sparse = is_sparse(h);
    TRY(smr_design_inverse_between(ctx, D, h->G, h->problem->l2 * s, C, &mu));
    for (int64_t k = 0; k < D->n_kept; k++) {
        double variance = factor_ * C[k * p + k];
        bool known = df > 0 && mu >= 0 && !out->is_sparse;
        out->error[D->kept[k]] = known ? D->scale[k] * sqrt(variance) : NAN;
        a[k] = -D->scale[k] * D->shift[k];
    }
    if (!D->intercept) goto out;
    a[p - 1] = 1;
    for (int64_t k = 0; k < p; k++) a[p + k] = smr_dot_f64(p, C + k * p, a);
    bool known = df > 0 && mu >= 0 && !out->is_sparse;
    out->b_error = known ? sqrt(factor_ * smr_dot_f64(p, a, a + p)) : NAN;
out:
    smr_free(a);
    smr_free(C);
    return st;
}

static smr_status make_room(smr_ctx *ctx, struct huber *h)
{
    smr_status st = SMR_OK;
    int64_t n = h->n, p = h->p, square = p <= SMR_HUBER_DENSE ? p * p : 0;
    const smr_data *data = h->problem->data;
    TRY_NEW(h->y, n);
    TRY_NEW(h->weight, n);
    TRY_NEW(h->r, n);
    TRY_NEW(h->is_in, n);
    TRY_NEW(h->was_in, n);
    TRY_NEW(h->beta, p + 1);
    TRY_NEW(h->trial, p + 1);
    TRY_NEW(h->gradient, p + 1);
    TRY_NEW(h->step, p + 1);
    TRY_NEW(h->sums, SUMS + 2 * p);
    TRY_NEW(h->G, square);
    TRY_NEW(h->L, square);
    for (int64_t i = 0; i < n; i++) {
        h->y[i] = data->y[i * data->n_outputs + h->problem->output];
        h->weight[i] = smr_data_weight(data, i);
        h->total += h->weight[i];
    }
out:
    return st;
}

static void release(struct huber *h)
{
    void *all[] = {h->y,     h->weight,   h->r,    h->is_in, h->was_in, h->beta,
                   h->trial, h->gradient, h->step, h->sums,  h->G,      h->L};
    for (int64_t i = 0; i < SMR_COUNT(all); i++) smr_free(all[i]);
}

static smr_status solve(smr_ctx *ctx, struct huber *h, smr_fit_report *report, smr_huber_fit *out)
{
    smr_status st = SMR_OK;
    bool dense = h->p <= SMR_HUBER_DENSE;
    TRY(make_room(ctx, h));
    TRY(find_floor(ctx, h));
    TRY(start(ctx, h));
    TRY(dense ? newton(ctx, h, report, out) : lbfgs(ctx, h, report, out));
    smr_design_coef(h->design, h->beta, out->w, &out->b);
    out->sigma = h->s;
    out->objective = h->f;
    out->outliers = h->sums[WEIGHT_OUT] / h->total;
    out->collapsed = h->problem->joint && h->s <= h->floor;
    out->b_error = h->design->intercept ? NAN : 0;
    for (int64_t j = 0; j < h->problem->data->n_features; j++) out->error[j] = NAN;
    if (dense && report) TRY(find_errors(ctx, h, out));
out:
    return st;
}

smr_status smr_huber_solve(smr_ctx *ctx, const smr_huber_problem *problem, smr_design *design,
                           smr_fit_report *report, smr_huber_fit *out)
{
    smr_status st = SMR_OK;
    smr_design own = {0};
    struct huber h = {.problem = problem, .n = problem->data->n_rows};
    if (!design) {
        TRY(smr_design_open(ctx, problem->data, problem->intercept, &own));
        TRY(smr_design_frame(ctx, &own));
    }
    h.design = design ? design : &own;
    h.p = h.design->p;
    TRY(solve(ctx, &h, report, out));
out:
    release(&h);
    smr_design_close(&own);
    return st;
}
