/* svm_machine.c -- one kernel machine as a dual problem; see svm_parts.h.
 *
 *     classes   min 1/2 a'Qa - sum a,            0 <= a_i <= C w_i,  y'a = 0                    (1)
 *     with nu   min 1/2 a'Qa,                    0 <= a_i <= w_i,    sum of a = nu W / 2 in each
 *               class; then f, b are divided by r, the f at the margin                          (2)
 *     numbers   min 1/2 |w|^2 + epsilon sum (a + a*) - z'(a - a*),  0 <= a, a* <= C w_i, sums
 *               of a and a* equal                                                               (3)
 *     with nu   the same without epsilon, both sums C nu W / 2: epsilon is found                (4)
 *     one class min 1/2 a'Ka,                    0 <= a_i <= w_i,    sum of a = nu W            (5)
 *
 * W is the sum of the weights w.  References: Schoelkopf, Smola, Williamson & Bartlett, Neural
 * Computation 12:1207-1245, 2000 (2, 4); Schoelkopf et al., Neural Computation 13:1443-1471, 2001
 * (5); Chang & Lin, ACM TIST 2(27), 2011. */
#include "core/number.h"
#include "learn/svm/svm_parts.h"
#include "math/optimize/dual_kernel.h"

#include <string.h>

/* The variables of a problem: one for each point, of numbers a second one for a*. */
struct variables {
    int64_t n;
    int32_t *point;
    double *y, *p, *most, *a;
};

static smr_status make_variables(smr_ctx *ctx, const smr_svm_machine *m, struct variables *v)
{
    smr_status st = SMR_OK;
    int64_t n = m->rows->n;
    bool is_hard = isinf(m->C), is_scaled = isnan(m->nu) || m->learns == SMR_SVM_NUMBERS;
    v->n = m->learns == SMR_SVM_NUMBERS ? 2 * n : n;
    TRY_NEW(v->point, v->n);
    TRY_NEW(v->y, 4 * v->n);
    v->p = v->y + v->n;
    v->most = v->p + v->n;
    v->a = v->most + v->n;
    for (int64_t t = 0; t < v->n; t++) {
        int64_t i = t % n;
        double weight = m->weight ? m->weight[i] : 1;
        v->point[t] = (int32_t)i;
        v->most[t] = !(weight > 0) ? 0 : is_hard ? INFINITY : is_scaled ? m->C * weight : weight;
        v->y[t] = m->learns == SMR_SVM_NUMBERS ? (t < n ? 1 : -1) : m->y ? m->y[i] : 1;
        if (m->learns == SMR_SVM_NUMBERS)
            v->p[t] = (isnan(m->nu) ? m->epsilon : 0) - v->y[t] * m->y[i];
        else
            v->p[t] = isnan(m->nu) ? -1 : 0;
    }
out:
    return st;
}

/* With nu: the first variables of each sign are as large as they may be, until they sum to what
 * nu asks for. */
static smr_status fill(smr_ctx *ctx, const smr_svm_machine *m, struct variables *v)
{
    double room[2] = {0, 0}, left[2];
    for (int64_t t = 0; t < v->n; t++) room[v->y[t] > 0] += v->most[t];
    if (m->learns == SMR_SVM_CLASSES) {
        double most = 2 * smr_fmin(room[0], room[1]) / (room[0] + room[1]);
        if (m->nu > most) {
            char nu[SMR_NUMBER_MAX], text[SMR_NUMBER_MAX];
            smr_format_double(m->nu, nu);
            smr_format_double(most, text);
            return smr_fail(ctx, SMR_ERR_DATA,
                            "svm: nu=%s is more than the smaller class has room for: at most %s "
                            "here",
                            nu, text);
        }
        left[0] = left[1] = 0.5 * m->nu * (room[0] + room[1]);
    } else {
        left[0] = left[1] = m->nu * room[1] * (m->learns == SMR_SVM_NUMBERS ? 0.5 : 1);
    }
    for (int64_t t = 0; t < v->n; t++) {
        double *rest = &left[v->y[t] > 0];
        v->a[t] = smr_fmin(v->most[t], *rest);
        *rest -= v->a[t];
    }
    return SMR_OK;
}

/* ---- figures ---------------------------------------------------------------------------- */

/* Rows by what they cost: of classes 1 - y f, of numbers what lies outside the tube, of one class
 * what lies below 0. */
static void tally(const smr_svm_machine *m, const double *score, smr_svm_part *out)
{
    out->margin = INFINITY;
    for (int64_t i = 0; i < m->rows->n; i++) {
        double weight = m->weight ? m->weight[i] : 1, f = score[i] + out->b, slack;
        if (!(weight > 0)) continue;
        if (m->learns == SMR_SVM_CLASSES) {
            out->margin = smr_fmin(out->margin, m->y[i] * f);
            slack = 1 - m->y[i] * f;
        } else if (m->learns == SMR_SVM_NUMBERS) {
            slack = fabs(m->y[i] - f) - out->tube;
        } else {
            out->margin = smr_fmin(out->margin, f);
            slack = -f;
        }
        bool is_wrong = m->learns != SMR_SVM_CLASSES || slack > 1;
        *(slack <= SMR_SVM_SLACK ? &out->n_met
          : is_wrong             ? &out->n_wrong
                                 : &out->n_inside) += weight;
    }
    if (isinf(out->margin)) out->margin = 0;
}

static void count(const smr_svm_machine *m, const struct variables *v, smr_svm_part *out)
{
    for (int64_t t = 0; t < v->n; t++) {
        double weight = m->weight ? m->weight[v->point[t]] : 1;
        if (!(v->a[t] > 0)) continue;
        out->n_support += weight;
        if (v->a[t] >= v->most[t]) out->n_bounded += weight;
    }
}

/* From the solution to f: with nu the scale, and for numbers the tube, come out of the two b. */
static void conclude(const smr_svm_machine *m, const struct variables *v,
                     const smr_kernel_dual_result *r, double *coef, double *score,
                     smr_svm_part *out)
{
    int64_t n = m->rows->n;
    double scale = 1, l2 = isinf(m->C) ? 1 : 1 / m->C;
    for (int64_t t = 0; t < v->n; t++) coef[v->point[t]] += v->y[t] * v->a[t];
    out->b = 0.5 * (r->b[0] + r->b[1]);
    out->tube = m->epsilon;
    if (!isnan(m->nu) && m->learns == SMR_SVM_NUMBERS) out->tube = 0.5 * (r->b[1] - r->b[0]);
    if (!isnan(m->nu) && m->learns == SMR_SVM_CLASSES) scale = 0.5 * (r->b[0] - r->b[1]);
    if (!(scale > 0)) scale = 1;
    if (m->learns == SMR_SVM_ONE) out->b = r->b[1];
    for (int64_t i = 0; i < n; i++) {
        coef[i] /= scale;
        score[i] /= scale;
    }
    out->b /= scale;
    out->length = sqrt(smr_fmax(r->square, 0)) / scale;
    if (!isnan(m->nu) && m->learns != SMR_SVM_NUMBERS) l2 = 1;
    out->gap = l2 * r->gap;
    out->objective = l2 * (r->gap - r->objective);
    out->violation = r->violation;
    out->n_iter = r->rounds;
    out->converged = r->converged;
    count(m, v, out);
    tally(m, score, out);
}

/* Hard margins: w and b so that the least margin is 1, and what that costs. */
static void harden(const smr_svm_machine *m, double dual, double *coef, double *score,
                   smr_svm_part *out)
{
    if (!(out->margin > 0)) return;
    double scale = out->margin;
    for (int64_t i = 0; i < m->rows->n; i++) {
        coef[i] /= scale;
        score[i] /= scale;
    }
    out->b /= scale;
    out->length /= scale;
    out->margin = 1;
    out->objective = 0.5 * out->length * out->length;
    out->gap = smr_fmax(out->objective - dual, 0);
    out->n_met += out->n_inside + out->n_wrong;
    out->n_inside = out->n_wrong = 0;
}

smr_status smr_svm_machine_solve(smr_ctx *ctx, const smr_svm_machine *m, double *coef,
                                 double *score, smr_svm_part *out)
{
    smr_status st = SMR_OK;
    struct variables v = {0};
    smr_kernel_dual_result result;
    bool has_nu = !isnan(m->nu);
    *out = (smr_svm_part){0};
    memset(coef, 0, (size_t)m->rows->n * sizeof *coef);
    TRY(make_variables(ctx, m, &v));
    if (has_nu) TRY(fill(ctx, m, &v));
    smr_kernel_dual problem = {.rows = m->rows,
                               .n = v.n,
                               .point = v.point,
                               .y = v.y,
                               .p = v.p,
                               .most = v.most,
                               .by_class = has_nu && m->learns != SMR_SVM_ONE};
    double steps = (double)m->max_iter * (double)m->rows->n;
    smr_kernel_dual_opts opts = {.tol = m->tol,
                                 .max_steps = steps < 0x1p62 ? (int64_t)steps : 0,
                                 .cache_bytes = m->cache,
                                 .is_warm = has_nu,
                                 .score = score,
                                 .what = "svm"};
    TRY(smr_kernel_dual_solve(ctx, &problem, &opts, v.a, &result));
    conclude(m, &v, &result, coef, score, out);
    out->is_unbounded = result.is_unbounded;
    for (int k = 0; k < 2; k++) out->pair[k] = v.point[result.pair[k]];
    if (isinf(m->C) && !out->is_unbounded) harden(m, -result.objective, coef, score, out);
out:
    smr_free(v.point);
    smr_free(v.y);
    return st;
}
