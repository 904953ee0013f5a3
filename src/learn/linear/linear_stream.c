/* linear_stream.c -- least squares by stochastic gradients: solver=sgd, and streams; see linear.c.
 *
 * A stream measures no residuals: rows come once, before the model that they teach. */
#include "learn/linear/linear.h"
#include "learn/linear/scores.h"

#include <string.h>

static smr_stochastic_opts opts_of(const struct smr_linear_params *p,
                                   struct smr_stochastic_params *how)
{
    *how = smr_stochastic_steps(p->schedule, p->rate, p->batch, p->passes, p->average);
    return (smr_stochastic_opts){.learner = "linear",
                                 .loss = &smr_losses[SMR_LOSS_SQUARED],
                                 .tol = 1e-4,
                                 .end = 1e-6,
                                 .fit_intercept = p->fit_intercept,
                                 .how = how};
}

smr_status smr_linear_fit_sgd(smr_ctx *ctx, const struct smr_linear_params *p, const smr_data *data,
                              struct smr_linear_state *s, smr_fit_report *report)
{
    smr_status st = SMR_OK;
    struct smr_stochastic_params how;
    smr_stochastic_opts o = opts_of(p, &how);
    smr_stochastic m = {0};
    TRY(smr_stochastic_fit(ctx, &o, data, &m, report, NULL));
    memcpy(s->coef, m.coef, (size_t)(s->n_outputs * s->n_features) * sizeof *s->coef);
    memcpy(s->intercept, m.intercept, (size_t)s->n_outputs * sizeof *s->intercept);
    TRY(smr_linear_measure(ctx, p, data, s));
out:
    smr_free(m.coef);
    smr_free(m.intercept);
    smr_free(m.optimiser);
    return st;
}

/* ---- streams ---------------------------------------------------------------------------- */

/* What was solved from all rows has no optimiser that could go on. */
static smr_status check_solver(smr_ctx *ctx, const struct smr_linear_params *p)
{
    if (p->solver == SMR_LINEAR_SGD) return SMR_OK;
    return smr_fail(ctx, SMR_ERR_PARAM,
                    "linear: solver=%s needs all rows at once; a stream is learned by "
                    "'linear solver=sgd'",
                    smr_linear_solvers[p->solver].name);
}

smr_status smr_linear_begin(smr_ctx *ctx, const void *params_, const smr_shape *shape, void *state_)
{
    const struct smr_linear_params *p = params_;
    struct smr_linear_state *s = state_;
    struct smr_stochastic_params how;
    smr_stochastic_opts o = opts_of(p, &how);
    smr_shape numbers = *shape;
    smr_status st = check_solver(ctx, p);
    if (st != SMR_OK) return st;
    if (shape->task == SMR_TASK_CLASSIFY) {
        s->n_classes = shape->n_classes;
        numbers.task = SMR_TASK_REGRESS;
        numbers.n_outputs = smr_scores_of(shape->n_classes);
    }
    return smr_stochastic_begin(ctx, &o, &numbers, &s->model);
}

smr_status smr_linear_learn(smr_ctx *ctx, const void *params_, void *state_, const smr_rows *rows,
                            const smr_truths *truths, double *out)
{
    struct smr_linear_state *s = state_;
    struct smr_stochastic_params how;
    smr_stochastic_opts o = opts_of(params_, &how);
    smr_status st = SMR_OK;
    smr_truths numbers = *truths;
    double *y = NULL;
    TRY(check_solver(ctx, params_));
    if (s->n_classes > 0) {
        TRY_NEW(y, rows->n * s->n_outputs);
        smr_linear_targets(s->n_outputs, rows->n, truths->label, y);
        numbers.y = y;
        numbers.label = NULL;
    }
    TRY(smr_stochastic_learn(ctx, &o, &s->model, rows, &numbers, out));
    for (int64_t i = 0; i < rows->n; i++) s->n_rows += truths->weight ? truths->weight[i] : 1;
    if (out && s->n_classes > 0)
        smr_classifier_spread(s->n_classes, rows->n, SMR_OUTPUT_DECISION, out);
out:
    smr_free(y);
    return st;
}

smr_status smr_linear_check_stream(smr_ctx *ctx, const struct smr_linear_params *p,
                                   const struct smr_linear_state *s)
{
    struct smr_stochastic_params how;
    smr_stochastic_opts o = opts_of(p, &how);
    return smr_stochastic_check_state(ctx, &o, &s->model);
}
