/* klogistic_solve.c -- the optimum of kernel logistic regression, by Newton's method in the
 * kernel's own space.
 *
 * With f = K alpha + b at the rows, R the derivatives of their losses in f, times their weights,
 * and D the second derivatives (a k x k block for a row of k classes),
 *
 *     J = sum weight loss + l2 / 2 alpha' K alpha                                              (1)
 *
 * has in the space of functions the gradient sum_i g_i K(x_i, .), g = R + l2 alpha, and for b 1'R.
 * Its length is measured there, |g|^2 = g' K g + (1'R)^2: kernels of nearly the same values lose
 * nothing by that, while K itself would be squared in the derivatives by alpha.  Newton's step
 * (p, s) solves
 *
 *     l2 p + D (K p + s) = -g,   1' D (K p + s) = -1'R                                         (2)
 *
 * whose left side is symmetric in that product, so that conjugate gradients solve it: each of
 * their steps is one product of K, for all scores together, n^2 q multiply-adds.  They end when the
 * residual is some share of |g|, less the nearer the optimum is; the step is halved until J falls.
 * It ends when |g| is tol times what it is for alpha = 0 and the best b, computed anew from alpha:
 * then J is above its least by at most |g|^2 / (2 l2) where there is no intercept. */
#include "learn/kernels/klogistic_solve.h"

#include "core/parallel.h"
#include "kernel/kernel.h"

#include <math.h>
#include <string.h>

enum { MOST_CG = 1000, MOST_HALVINGS = 40 };
#define WORK 1e6       /* multiply-adds that a task has at least */
#define ROUNDING 1e-13 /* of |g|^2 at the start: what rounding may make of 0 */
#define SLACK 1e-14    /* of J: what rounding may add to it                  */

/* alpha-part q x n, then b-part q. */
struct vector {
    double *a, *b;
    double *Ka; /* q x n: K a */
};

struct work {
    const smr_klogistic_problem *p;
    struct vector at, step, rest, toward; /* the point; p of (2); CG's residual and direction */
    double *f, *trial;                    /* q x n                                            */
    double *R, *P, *h;  /* q x n: derivatives; probabilities, or curvatures of two classes; D u */
    double *y;          /* two classes: n, -1 or 1                                            */
    double *value;      /* n                                                                  */
    int64_t block;      /* rows of K that a task takes                                        */
    double *loose;      /* lanes x block x q                                                  */
    const double *from; /* of a product                                                       */
    double *to;
};

/* ---- products ---------------------------------------------------------------------------- */

static smr_status product_task(smr_ctx *ctx, void *arg, int64_t task, int lane)
{
    struct work *w = arg;
    int64_t n = w->p->n, q = w->p->q, lo = task * w->block;
    int64_t m = smr_block_end(n, w->block, task) - lo;
    double *out = w->loose + lane * w->block * q;
    (void)ctx;
    smr_rows_times_f64(m, n, q, w->p->K + lo * n, n, w->from, n, out);
    for (int64_t i = 0; i < m; i++)
        for (int64_t c = 0; c < q; c++) w->to[c * n + lo + i] = out[i * q + c];
    return SMR_OK;
}

/* v.Ka = K v.a */
static smr_status multiply(smr_ctx *ctx, struct work *w, struct vector *v)
{
    w->from = v->a;
    w->to = v->Ka;
    return smr_parallel(ctx, NULL, smr_block_count(w->p->n, w->block), product_task, w);
}

static double inner(const struct work *w, const struct vector *x, const struct vector *y)
{
    return smr_dot_f64(w->p->n * w->p->q, x->a, y->Ka) + smr_dot_f64(w->p->q, x->b, y->b);
}

static void add(const struct work *w, double by, const struct vector *x, struct vector *y)
{
    smr_axpy_f64(w->p->n * w->p->q, by, x->a, y->a);
    smr_axpy_f64(w->p->n * w->p->q, by, x->Ka, y->Ka);
    smr_axpy_f64(w->p->q, by, x->b, y->b);
}

/* f = Ka + b */
static void scores(const struct work *w, const struct vector *v, double *f)
{
    for (int64_t c = 0; c < w->p->q; c++)
        for (int64_t i = 0; i < w->p->n; i++) f[c * w->p->n + i] = v->Ka[c * w->p->n + i] + v->b[c];
}

/* ---- losses ------------------------------------------------------------------------------ */

/* The loss of row i of several classes; its probabilities, if they are wanted. */
static double row_loss(const struct work *w, const double *f, int64_t i, double *prob)
{
    int64_t n = w->p->n, q = w->p->q;
    double most = f[i], sum = 0;
    for (int64_t c = 1; c < q; c++) most = smr_fmax(most, f[c * n + i]);
    for (int64_t c = 0; c < q; c++) {
        double e = smr_exp(f[c * n + i] - most);
        sum += e;
        if (prob) prob[c * n + i] = e;
    }
    for (int64_t c = 0; prob && c < q; c++) prob[c * n + i] /= sum;
    return smr_log(sum) + most - f[w->p->label[i] * n + i];
}

static double loss_of(struct work *w, const double *f)
{
    int64_t n = w->p->n;
    double sum = 0;
    if (w->p->q == 1)
        smr_logistic_f64(n, w->y, f, w->value, NULL, NULL);
    else
        for (int64_t i = 0; i < n; i++) w->value[i] = row_loss(w, f, i, NULL);
    for (int64_t i = 0; i < n; i++) sum += w->p->weight[i] * w->value[i];
    return sum;
}

/* R and what D needs, at f. */
static void differentiate(struct work *w)
{
    int64_t n = w->p->n, q = w->p->q;
    const double *weight = w->p->weight;
    if (q == 1) {
        smr_logistic_f64(n, w->y, w->f, NULL, w->R, w->P);
        for (int64_t i = 0; i < n; i++) {
            w->R[i] *= weight[i];
            w->P[i] *= weight[i];
        }
        return;
    }
    for (int64_t i = 0; i < n; i++) {
        row_loss(w, w->f, i, w->P);
        for (int64_t c = 0; c < q; c++)
            w->R[c * n + i] = weight[i] * (w->P[c * n + i] - (w->p->label[i] == c));
    }
}

/* h = D u, u = v.Ka + v.b; returns u' h. */
static double curve(struct work *w, const struct vector *v)
{
    int64_t n = w->p->n, q = w->p->q;
    double total = 0;
    for (int64_t i = 0; i < n && q == 1; i++) {
        double u = v->Ka[i] + v->b[0];
        w->h[i] = w->P[i] * u;
        total += u * w->h[i];
    }
    for (int64_t i = 0; i < n && q > 1; i++) {
        double mean = 0;
        for (int64_t c = 0; c < q; c++) mean += w->P[c * n + i] * (v->Ka[c * n + i] + v->b[c]);
        for (int64_t c = 0; c < q; c++) {
            double u = v->Ka[c * n + i] + v->b[c];
            w->h[c * n + i] = w->p->weight[i] * w->P[c * n + i] * (u - mean);
            total += u * w->h[c * n + i];
        }
    }
    return total;
}

/* ---- a step of Newton: (2) by conjugate gradients ---------------------------------------- */

/* step = (2)'s, to a residual of `enough` of `rest`, which is -g on entry; rho = |g|^2. */
static smr_status find_step(smr_ctx *ctx, struct work *w, double rho, double enough,
                            double rounding, bool *indefinite)
{
    smr_status st = SMR_OK;
    int64_t n = w->p->n, q = w->p->q, size = n * q;
    double target = enough * enough * rho;
    struct vector *p = &w->toward, *r = &w->rest;
    memset(w->step.a, 0, (size_t)size * sizeof *p->a);
    memset(w->step.Ka, 0, (size_t)size * sizeof *p->a);
    memset(w->step.b, 0, (size_t)q * sizeof *p->a);
    memcpy(p->a, r->a, (size_t)size * sizeof *p->a);
    memcpy(p->Ka, r->Ka, (size_t)size * sizeof *p->a);
    memcpy(p->b, r->b, (size_t)q * sizeof *p->a);
    for (int64_t t = 0; t < MOST_CG && rho > target; t++) {
        double along = curve(w, p), square = smr_dot_f64(size, p->a, p->Ka);
        double curvature = w->p->l2 * square + along;
        TRY(smr_tick(ctx, "a step of Newton", t, 0, NAN));
        if (square < -rounding || !(curvature > 0)) {
            *indefinite = square < -rounding;
            break;
        }
        double by = rho / curvature, before = rho;
        add(w, by, p, &w->step);
        smr_axpy_f64(size, -by * w->p->l2, p->a, r->a);
        smr_axpy_f64(size, -by, w->h, r->a);
        for (int64_t c = 0; w->p->intercept && c < q; c++)
            r->b[c] -= by * smr_sum_f64(n, w->h + c * n);
        TRY(multiply(ctx, w, r));
        rho = inner(w, r, r);
        double turn = smr_fmax(rho, 0) / before;
        for (int64_t i = 0; i < size; i++) {
            p->a[i] = r->a[i] + turn * p->a[i];
            p->Ka[i] = r->Ka[i] + turn * p->Ka[i];
        }
        for (int64_t c = 0; c < q; c++) p->b[c] = r->b[c] + turn * p->b[c];
    }
out:
    return st;
}

/* Goes along the step as far as J falls by 1e-4 of what the slope promises, to rounding. */
static bool go(struct work *w, double slope, double *J)
{
    int64_t size = w->p->n * w->p->q;
    double l2 = w->p->l2, t = 1;
    double aKa = smr_dot_f64(size, w->at.a, w->at.Ka);
    double aKp = smr_dot_f64(size, w->step.a, w->at.Ka);
    double pKp = smr_dot_f64(size, w->step.a, w->step.Ka);
    scores(w, &w->step, w->h);
    for (int k = 0; k < MOST_HALVINGS; k++, t /= 2) {
        memcpy(w->trial, w->f, (size_t)size * sizeof *w->f);
        smr_axpy_f64(size, t, w->h, w->trial);
        double now = loss_of(w, w->trial) + l2 / 2 * (aKa + 2 * t * aKp + t * t * pKp);
        if (!(now <= *J + 1e-4 * t * slope + SLACK * fabs(*J))) continue;
        add(w, t, &w->step, &w->at);
        *J = now;
        return true;
    }
    return false;
}

/* ---- all steps --------------------------------------------------------------------------- */

/* alpha = 0, and the intercepts that fit the classes' shares. */
static void start(struct work *w, smr_klogistic_answer *out)
{
    const smr_klogistic_problem *p = w->p;
    double total = 0, mean = 0, of_1 = 0;
    for (int64_t i = 0; i < p->n; i++) {
        total += p->weight[i];
        of_1 += p->label[i] == 1 ? p->weight[i] : 0;
        if (w->y) w->y[i] = p->label[i] == 1 ? 1 : -1;
    }
    for (int64_t c = 0; p->intercept && c < p->q && p->q > 1; c++) {
        double count = 0;
        for (int64_t i = 0; i < p->n; i++) count += p->label[i] == c ? p->weight[i] : 0;
        w->at.b[c] = smr_log(count / total);
        mean += w->at.b[c] / (double)p->q;
    }
    for (int64_t c = 0; p->q > 1 && c < p->q; c++) w->at.b[c] -= mean;
    if (p->q == 1 && p->intercept) w->at.b[0] = smr_log(of_1 / (total - of_1));
    scores(w, &w->at, w->f);
    out->null_loss = loss_of(w, w->f);
}

/* R, D and -g, with its product, at the point; |g|^2. */
static smr_status look(smr_ctx *ctx, struct work *w, double *rho)
{
    smr_status st = SMR_OK;
    int64_t n = w->p->n, q = w->p->q;
    TRY(multiply(ctx, w, &w->at));
    scores(w, &w->at, w->f);
    differentiate(w);
    for (int64_t i = 0; i < n * q; i++) w->rest.a[i] = -w->R[i] - w->p->l2 * w->at.a[i];
    for (int64_t c = 0; c < q; c++)
        w->rest.b[c] = w->p->intercept ? -smr_sum_f64(n, w->R + c * n) : 0;
    TRY(multiply(ctx, w, &w->rest));
    *rho = inner(w, &w->rest, &w->rest);
out:
    return st;
}

static smr_status iterate(smr_ctx *ctx, struct work *w, smr_fit_report *report,
                          smr_klogistic_answer *out)
{
    smr_status st = SMR_OK;
    const smr_klogistic_problem *p = w->p;
    int64_t size = p->n * p->q;
    double rho, first, J = out->null_loss;
    bool is_lost = false;
    TRY(look(ctx, w, &rho));
    first = rho;
    for (int64_t t = 0;; t++) {
        double share = first > 0 ? sqrt(smr_fmax(rho, 0) / first) : 0;
        out->gradient = share;
        out->indefinite = out->indefinite || rho < -ROUNDING * first || first < 0;
        out->converged = share <= p->tol && !out->indefinite;
        if (out->converged || out->indefinite || is_lost || t == p->max_iter) break;
        TRY(smr_tick(ctx, "Newton's method", t, p->max_iter, J));
        TRY(find_step(ctx, w, rho, smr_fmin(0.1, sqrt(share)), ROUNDING * first, &out->indefinite));
        double slope = 0; /* <g, step>; g is gone, but R and alpha are there */
        for (int64_t i = 0; i < size; i++) slope += (w->R[i] + p->l2 * w->at.a[i]) * w->step.Ka[i];
        for (int64_t c = 0; p->intercept && c < p->q; c++)
            slope += w->step.b[c] * smr_sum_f64(p->n, w->R + c * p->n);
        if (!(slope < 0) || !go(w, slope, &J)) break;
        double before = rho;
        TRY(smr_fit_step(ctx, report, J));
        TRY(look(ctx, w, &rho));
        is_lost = -slope < SLACK * fabs(J) && !(rho < before / 4); /* the limit of doubles */
    }
    out->norm = smr_dot_f64(size, w->at.a, w->at.Ka);
    out->loss = loss_of(w, w->f);
    out->objective = out->loss + p->l2 / 2 * out->norm;
    memcpy(out->alpha, w->at.a, (size_t)size * sizeof *w->f);
    memcpy(out->b, w->at.b, (size_t)p->q * sizeof *w->f);
out:
    return st;
}

static smr_status new_vector(smr_ctx *ctx, const smr_klogistic_problem *p, struct vector *v)
{
    smr_status st = SMR_OK;
    TRY_NEW(v->a, p->n * p->q);
    TRY_NEW(v->Ka, p->n * p->q);
    TRY_NEW(v->b, p->q);
out:
    return st;
}

static void free_vector(struct vector *v)
{
    smr_free(v->a);
    smr_free(v->Ka);
    smr_free(v->b);
}

smr_status smr_klogistic_solve(smr_ctx *ctx, const smr_klogistic_problem *p, smr_fit_report *report,
                               smr_klogistic_answer *out)
{
    smr_status st = SMR_OK;
    struct work w = {.p = p};
    int64_t size = p->n * p->q;
    TRY(new_vector(ctx, p, &w.at));
    TRY(new_vector(ctx, p, &w.step));
    TRY(new_vector(ctx, p, &w.rest));
    TRY(new_vector(ctx, p, &w.toward));
    TRY_NEW(w.f, size);
    TRY_NEW(w.trial, size);
    TRY_NEW(w.R, size);
    TRY_NEW(w.P, size);
    TRY_NEW(w.h, size);
    TRY_NEW(w.value, p->n);
    w.block = 1 + (int64_t)(WORK / (double)size);
    TRY_NEW(w.loose, smr_lanes(ctx) * w.block * p->q);
    if (p->q == 1) TRY_NEW(w.y, p->n);
    start(&w, out);
    TRY(iterate(ctx, &w, report, out));
out:
    free_vector(&w.at);
    free_vector(&w.step);
    free_vector(&w.rest);
    free_vector(&w.toward);
    smr_free(w.f);
    smr_free(w.trial);
    smr_free(w.R);
    smr_free(w.P);
    smr_free(w.h);
    smr_free(w.value);
    smr_free(w.loose);
    smr_free(w.y);
    return st;
}
