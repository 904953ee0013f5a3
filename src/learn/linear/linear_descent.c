/* linear_descent.c -- least squares by gradient descent; see linear.c.
 *
 * With more rows than features (and at most GRAM of them) one pass sums G = Xc'Xc and c = Xc'y, and
 * a step costs d^2 whatever the number of rows:
 *
 *     f(w) = (y'y - 2 c'w + w'G w) / 2,   grad f = G w - c,                                     (1)
 *
 * b = mean(y) - mean(x)'w being the best one for each w, so descent runs over w alone.  Else every
 * step reads the rows (objective.h), and b is a variable like the others.  L, the largest
 * eigenvalue of the Hessian, comes from power iteration: a fixed step converges below 2 / L. */
#include "kernel/kernel.h"
#include "learn/linear/affine.h"
#include "learn/linear/descent.h"
#include "learn/linear/held_rows.h"
#include "learn/linear/linear.h"
#include "learn/linear/objective.h"
#include "learn/linear/start.h"
#include "math/gram_folds.h"

#include <math.h>
#include <string.h>

enum { GRAM = 4096, GRAM_SPARSE = 512, POWERS = 1000 };

/* ---- (1) -------------------------------------------------------------------------------- */

struct quadratic {
    int64_t d, q;
    double *mean, *gram; /* d + q, (d + q)^2 */
};

static const double *output_row(const struct quadratic *f, int64_t k)
{
    return f->gram + (f->d + k) * (f->d + f->q);
}

static smr_status evaluate(smr_ctx *ctx, void *self, const double *w, double *value, double *g)
{
    const struct quadratic *f = self;
    int64_t d = f->d, m = d + f->q;
    (void)ctx;
    *value = 0;
    for (int64_t k = 0; k < f->q; k++) {
        const double *c = output_row(f, k), *v = w + k * d;
        double *slope = g + k * d, sum = c[d + k];
        for (int64_t i = 0; i < d; i++) {
            double Gw = smr_dot_f64(d, f->gram + i * m, v);
            slope[i] = Gw - c[i];
            sum += v[i] * (Gw - 2 * c[i]);
        }
        *value += sum / 2;
    }
    return SMR_OK;
}

static smr_status times(smr_ctx *ctx, void *self, const double *w, const double *v, double *out)
{
    const struct quadratic *f = self;
    int64_t d = f->d, m = d + f->q;
    (void)ctx, (void)w;
    for (int64_t k = 0; k < f->q; k++)
        for (int64_t i = 0; i < d; i++) out[k * d + i] = smr_dot_f64(d, f->gram + i * m, v + k * d);
    return SMR_OK;
}

/* ---- descent ---------------------------------------------------------------------------- */

/* L by power iteration from a vector without symmetries; 0 for a Hessian that is 0. */
static smr_status largest_curvature(smr_ctx *ctx, const smr_objective *f, double *v, double *next,
                                    double *out)
{
    smr_status st = SMR_OK;
    double before = 0, value;
    *out = 0;
    if (f->n == 0) return SMR_OK;
    for (int64_t i = 0; i < f->n; i++) v[i] = 1 + 0.37 * (double)((i * 7 + 3) % 11);
    TRY(f->evaluate(ctx, f->self, v, &value, next)); /* `prepare` follows on it */
    if (f->prepare) TRY(f->prepare(ctx, f->self, v));
    for (int p = 0; p < POWERS; p++) {
        double length = sqrt(smr_dot_f64(f->n, v, v));
        if (!(length > 0 && isfinite(length))) break;
        for (int64_t i = 0; i < f->n; i++) v[i] /= length;
        TRY(f->hessian_times(ctx, f->self, v, v, next));
        *out = smr_dot_f64(f->n, v, next);
        if (fabs(*out - before) <= 1e-12 * *out) break;
        before = *out;
        memcpy(v, next, (size_t)f->n * sizeof *v);
        TRY(smr_tick(ctx, "measuring the curvature", p, POWERS, *out));
    }
out:
    return st;
}

static void warn(smr_ctx *ctx, const struct smr_linear_params *p, const struct smr_linear_state *s,
                 const smr_optimize_result *r)
{
    smr_text text = {.ctx = ctx};
    bool too_long = r->why == SMR_WHY_DIVERGED || r->why == SMR_WHY_NOT_FINITE;
    if (r->converged || r->why == SMR_WHY_ROUNDING) return;
    if (too_long) {
        smr_text_add(&text, "linear: step=");
        smr_text_number(&text, s->step);
        smr_text_add(&text, " is too long: the objective grows. Steps below 2 / L = ");
        smr_text_rounded(&text, 2 / s->curvature, 6);
        smr_text_add(&text, " converge; step=0 takes 1 / L");
    } else {
        smr_text_printf(&text, "linear: not converged after %lld iteration%s (the gradient is ",
                        (long long)r->iterations, smr_plural(r->iterations, "", "s"));
        smr_text_rounded(&text, r->gradient, 3);
        smr_text_printf(&text, "); raise max_iter%s, or put standardize before it",
                        p->rule == SMR_STEP_BARZILAI ? "" : ", take rule=barzilai");
    }
    if (smr_text_done(&text) == SMR_OK) smr_warn(ctx, "%s", text.bytes);
    smr_text_release(&text);
}

/* Minimises f from w: 0, or what an earlier fit found. */
static smr_status descend(smr_ctx *ctx, const struct smr_linear_params *p, const smr_objective *f,
                          smr_descent *watched, double *w, struct smr_linear_state *s,
                          smr_fit_report *report)
{
    smr_status st = SMR_OK;
    double *v = NULL;
    smr_linear_telling course = {
        .ctx = ctx, .report = report, .watched = report->trace ? watched : NULL};
    smr_optimize_opts opts = {.max_iter = p->max_iter,
                              .tol = p->tol,
                              .what = "gradient descent",
                              .each = smr_linear_tell,
                              .user = &course};
    smr_optimize_result r;
    TRY_NEW(v, 2 * f->n + 1);
    TRY(largest_curvature(ctx, f, v, v + f->n, &s->curvature));
    if (report->is_warm) TRY(smr_linear_scale(ctx, f, NULL, &opts.scale));
    bool chosen = p->rule == SMR_STEP_FIXED && p->step == 0;
    s->step = chosen ? (s->curvature > 0 ? 1 / s->curvature : 1) : p->step;
    smr_gd_opts how = {(smr_step_rule)p->rule, s->step};
    TRY(smr_gradient_descent(ctx, f, how, &opts, w, &r));
    TRY(course.status);
    if (course.watched) TRY(smr_descent_tell(ctx, watched, w));
    s->gradient = smr_fmax(s->gradient, r.gradient);
    s->why = r.why;
    report->converged &= r.converged || r.why == SMR_WHY_ROUNDING;
    report->objective = r.f;
    warn(ctx, p, s, &r);
out:
    smr_free(v);
    return st;
}

/* The best intercept for each w. */
static void of_means(const void *self, const double *w, double *coef, double *b)
{
    const struct quadratic *f = self;
    memcpy(coef, w, (size_t)(f->q * f->d) * sizeof *w);
    for (int64_t k = 0; k < f->q; k++)
        b[k] = f->mean[f->d + k] - smr_dot_f64(f->d, f->mean, w + k * f->d);
}

/* One score: the variables are its coefficients, then its intercept, where there is one. */
static void as_they_are(const void *self, const double *w, double *coef, double *b)
{
    const smr_objective *f = self;
    memcpy(coef, w, (size_t)f->n * sizeof *w);
    (void)b; /* it follows on the coefficients */
}

static smr_status by_gram(smr_ctx *ctx, const struct smr_linear_params *p, const smr_data *data,
                          struct smr_linear_state *s, smr_fit_report *report)
{
    smr_status st = SMR_OK;
    smr_held_rows rows = {0};
    smr_gram_folds sums = {0};
    struct quadratic f = {s->n_features, s->n_outputs, NULL, NULL};
    int64_t d = f.d, m = d + f.q;
    TRY(smr_held_source(ctx, "linear", data, &rows));
    TRY(smr_gram_folds_compute(ctx, &rows.source, p->fit_intercept, NULL, 1, &sums));
    TRY_NEW(f.mean, m);
    TRY_NEW(f.gram, m * m);
    s->n_rows = smr_gram_folds_join(&sums, -1, f.mean, f.gram);
    smr_objective o = {.n = f.q * d, .self = &f, .evaluate = evaluate, .hessian_times = times};
    smr_descent watched = {report->trace, &o, f.q, d, of_means, &f, 0, 0, NULL};
    st = descend(ctx, p, &o, &watched, s->coef, s, report);
    smr_descent_release(&watched);
    TRY(st);
    for (int64_t k = 0; k < f.q; k++) {
        const double *w = s->coef + k * d;
        s->intercept[k] = p->fit_intercept ? f.mean[d + k] - smr_dot_f64(d, f.mean, w) : 0;
        s->rss[k] = smr_gram_folds_error(&sums, 0, d, k, w, s->intercept[k]);
        s->tss[k] = output_row(&f, k)[d + k];
    }
out:
    smr_free(f.gram);
    smr_free(f.mean);
    smr_gram_folds_release(&sums);
    smr_held_close(&rows);
    return st;
}

/* One output after the other: the variables are w, then b. */
static smr_status by_rows(smr_ctx *ctx, const struct smr_linear_params *p, const smr_data *data,
                          struct smr_linear_state *s, smr_fit_report *report)
{
    smr_status st = SMR_OK;
    smr_linear_objective *o = NULL;
    int64_t d = s->n_features, q = s->n_outputs;
    double *y = NULL, *w = NULL, total = 0;
    TRY_NEW(y, data->n_rows);
    for (int64_t k = 0; k < q; k++) {
        for (int64_t i = 0; i < data->n_rows; i++) y[i] = data->y[i * q + k];
        smr_linear_problem problem = {.data = data,
                                      .loss = &smr_losses[SMR_LOSS_SQUARED],
                                      .y = y,
                                      .fit_intercept = p->fit_intercept,
                                      .second_order = true};
        TRY(smr_linear_objective_open(ctx, "linear", &problem, &o));
        smr_free(w);
        TRY_NEW(w, d + 1);
        memcpy(w, s->coef + k * d, (size_t)d * sizeof *w);
        if (p->fit_intercept) w[d] = s->intercept[k];
        smr_descent watched = {report->trace, smr_linear_function(o), 1, d,
                               as_they_are,   smr_linear_function(o), 0, 0,
                               NULL};
        st = descend(ctx, p, smr_linear_function(o), &watched, w, s, report);
        smr_descent_release(&watched);
        TRY(st);
        memcpy(s->coef + k * d, w, (size_t)d * sizeof *w);
        s->intercept[k] = p->fit_intercept ? w[d] : 0;
        total += report->objective;
        smr_linear_objective_close(o);
        o = NULL;
    }
    report->objective = total;
    TRY(smr_linear_measure(ctx, p, data, s));
out:
    smr_linear_objective_close(o);
    smr_free(w);
    smr_free(y);
    return st;
}

smr_status smr_linear_descend(smr_ctx *ctx, const struct smr_linear_params *p, const smr_data *data,
                              struct smr_linear_state *s, smr_fit_report *report)
{
    int64_t most = smr_data_is_sparse(data) ? GRAM_SPARSE : GRAM;
    report->objective = 0;
    report->converged = true;
    smr_linear_start(report, data, s->n_outputs, s->coef, s->intercept);
    if (data->n_rows > data->n_features && data->n_features <= most)
        return by_gram(ctx, p, data, s, report);
    return by_rows(ctx, p, data, s, report);
}

/* ---- measures --------------------------------------------------------------------------- */

struct measuring {
    struct smr_linear_state *state;
    const double *mean; /* n_outputs                  */
    double *out;        /* SMR_ROWS_BLOCK x n_outputs */
};

static smr_status measure_block(smr_ctx *ctx, void *arg, const smr_rows *rows,
                                const smr_truths *truths)
{
    const struct measuring *m = arg;
    struct smr_linear_state *s = m->state;
    int64_t q = s->n_outputs;
    (void)ctx;
    smr_affine_predict(s->n_features, q, s->coef, s->intercept, rows, m->out);
    for (int64_t i = 0; i < rows->n * q; i++) {
        double off = truths->y[i] - m->out[i], from_mean = truths->y[i] - m->mean[i % q];
        double weight = truths->weight ? truths->weight[i / q] : 1;
        s->rss[i % q] += weight * off * off;
        s->tss[i % q] += weight * from_mean * from_mean;
    }
    return SMR_OK;
}

smr_status smr_linear_measure(smr_ctx *ctx, const struct smr_linear_params *p, const smr_data *data,
                              struct smr_linear_state *s)
{
    smr_status st = SMR_OK;
    int64_t q = s->n_outputs, n = data->n_rows;
    double *out = NULL, *mean = NULL;
    TRY_NEW(out, SMR_ROWS_BLOCK * q);
    TRY_NEW(mean, q);
    s->n_rows = 0;
    for (int64_t i = 0; i < n; i++) {
        s->n_rows += smr_data_weight(data, i);
        for (int64_t k = 0; k < q; k++) mean[k] += smr_data_weight(data, i) * data->y[i * q + k];
    }
    for (int64_t k = 0; k < q; k++) mean[k] = p->fit_intercept ? mean[k] / s->n_rows : 0;
    struct measuring m = {s, mean, out};
    TRY(smr_held_walk(ctx, data, smr_held_form(data), NULL, n, measure_block, &m));
out:
    smr_free(mean);
    smr_free(out);
    return st;
}
