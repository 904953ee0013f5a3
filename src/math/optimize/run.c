/* run.c -- see run.h. */
#include "math/optimize/run.h"

#include "kernel/kernel.h"

#include <float.h>
#include <math.h>
#include <string.h>

const char *smr_why_words(smr_why why)
{
    static const char *const words[] = {
        [SMR_WHY_GRADIENT] = "the gradient is small enough",
        [SMR_WHY_PROGRESS] = "the objective no longer falls",
        [SMR_WHY_GAP] = "the duality gap is small enough",
        [SMR_WHY_ROUNDING] = "no step lowers the objective within rounding",
        [SMR_WHY_ITERATIONS] = "the most iterations allowed were made",
        [SMR_WHY_STOPPED] = "it was asked to stop",
        [SMR_WHY_DIVERGED] = "the objective grows: the step is too long",
        [SMR_WHY_UNBOUNDED] = "the objective has no minimum",
        [SMR_WHY_NOT_FINITE] = "the objective is not finite",
    };
    return words[why];
}

void smr_run_begin(struct smr_run *run, const smr_objective *objective,
                   const smr_optimize_opts *opts, smr_optimize_result *out)
{
    memset(run, 0, sizeof *run);
    run->objective = objective;
    if (opts) run->opts = *opts;
    if (run->opts.max_iter == 0) run->opts.max_iter = 1000;
    if (run->opts.tol == 0) run->opts.tol = 1e-6;
    run->out = out;
    *out = (smr_optimize_result){.why = SMR_WHY_ITERATIONS};
}

smr_status smr_run_evaluate(smr_ctx *ctx, struct smr_run *run, const double *w, double *f,
                            double *g)
{
    run->out->evaluations++;
    return run->objective->evaluate(ctx, run->objective->self, w, f, g);
}

void smr_run_end(struct smr_run *run, smr_why why)
{
    run->out->why = why;
    run->out->converged = why <= SMR_WHY_GAP;
}

/* Whether the point ends the run, and why. */
static bool is_over(struct smr_run *run, int64_t iteration, double f, double gradient, smr_why *why)
{
    const smr_optimize_opts *o = &run->opts;
    double fall = run->before - f;
    if (!isfinite(f) || !isfinite(gradient))
        *why = f < SMR_UNBOUNDED ? SMR_WHY_UNBOUNDED : SMR_WHY_NOT_FINITE;
    else if (f < SMR_UNBOUNDED)
        *why = SMR_WHY_UNBOUNDED;
    else if (gradient <= run->limit)
        *why = SMR_WHY_GRADIENT;
    else if (iteration > 0 && o->f_tol > 0 && fall >= 0 && fall <= o->f_tol * smr_fmax(1, fabs(f)))
        *why = SMR_WHY_PROGRESS;
    else if (iteration >= o->max_iter)
        *why = SMR_WHY_ITERATIONS;
    else
        return false;
    return true;
}

smr_status smr_run_reached(smr_ctx *ctx, struct smr_run *run, int64_t iteration, double f,
                           double gradient, double step, bool *done)
{
    const smr_optimize_opts *o = &run->opts;
    smr_why why;
    if (iteration == 0) run->limit = o->tol * (o->scale > 0 ? o->scale : gradient);
    run->out->iterations = iteration;
    run->out->f = f;
    run->out->gradient = gradient;
    *done = is_over(run, iteration, f, gradient, &why);
    run->before = f;
    if (*done) smr_run_end(run, why);
    if (o->each) {
        smr_iteration now = {iteration, run->out->evaluations, f, gradient, step, run->at};
        if (!o->each(o->user, &now) && !*done) {
            *done = true;
            smr_run_end(run, SMR_WHY_STOPPED);
        }
    }
    return smr_tick(ctx, o->what ? o->what : "optimising", iteration, o->max_iter, f);
}

double smr_norm(int64_t n, const double *x)
{
    double square = smr_dot_f64(n, x, x), top = 0, sum = 0;
    if (square > 1e-290 && square < 1e290) return sqrt(square);
    for (int64_t i = 0; i < n; i++) {
        if (!(fabs(x[i]) <= DBL_MAX)) return fabs(x[i]);
        top = smr_fmax(top, fabs(x[i]));
    }
    if (top == 0) return 0;
    for (int64_t i = 0; i < n; i++) sum += (x[i] / top) * (x[i] / top);
    return top * sqrt(sum);
}

bool smr_all_finite(int64_t n, const double *x)
{
    for (int64_t i = 0; i < n; i++)
        if (!isfinite(x[i])) return false;
    return true;
}
