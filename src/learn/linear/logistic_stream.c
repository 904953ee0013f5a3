/* logistic_stream.c -- the learner logistic by stochastic gradients: solver=sgd, and streams. */
#include "learn/linear/logistic.h"
#include "learn/linear/scores.h"
#include "learn/present.h"

#include <math.h>

/* For two classes the loss of classes becomes the logistic one, with one score. */
static smr_stochastic_opts opts_of(const struct smr_logistic_params *p,
                                   struct smr_stochastic_params *how)
{
    *how = smr_stochastic_steps(p->schedule, p->rate, p->batch, p->passes, p->average);
    return (smr_stochastic_opts){.learner = "logistic",
                                 .loss = &smr_losses[SMR_LOSS_CROSS_ENTROPY],
                                 .l1 = p->l1,
                                 .l2 = p->l2,
                                 .tol = smr_fmax(p->tol, 1e-4),
                                 .end = p->tol,
                                 .fit_intercept = p->fit_intercept,
                                 .ease = "raise l2 or tol",
                                 .how = how};
}

/* What the objective adds to the loss.  Two classes that alone have rows have halves of one score,
 * whose square is that of both twice. */
static double penalty(const struct smr_logistic_params *p, const struct smr_logistic_state *s)
{
    double ones = 0, squares = 0;
    int64_t n_present = 0;
    for (int64_t c = 0; c < s->n_scores; c++) n_present += s->intercept[c] != SMR_ABSENT;
    for (int64_t i = 0; i < s->n_scores * s->n_features; i++) {
        ones += fabs(s->coef[i]);
        squares += s->coef[i] * s->coef[i];
    }
    if (s->n_scores > 2 && n_present == 2) squares *= 2;
    return p->l1 * ones + p->l2 / 2 * squares;
}

smr_status smr_logistic_fit_sgd(smr_ctx *ctx, const struct smr_logistic_params *p,
                                const smr_data *data, struct smr_logistic_state *s,
                                smr_fit_report *report)
{
    struct smr_stochastic_params how;
    smr_stochastic_opts o = opts_of(p, &how);
    smr_status st = smr_stochastic_fit(ctx, &o, data, &s->model, report, NULL);
    s->n_classes = data->n_classes;
    s->solver = SMR_LOGISTIC_SGD;
    s->df = NAN;
    if (st != SMR_OK) return st;
    s->deviance = 2 * smr_fmax(0, report->objective - penalty(p, s));
    return SMR_OK;
}

smr_status smr_logistic_begin(smr_ctx *ctx, const void *params_, const smr_shape *shape,
                              void *state_)
{
    const struct smr_logistic_params *p = params_;
    struct smr_logistic_state *s = state_;
    struct smr_stochastic_params how;
    smr_stochastic_opts o = opts_of(p, &how);
    if (p->solver != SMR_LOGISTIC_AUTO && p->solver != SMR_LOGISTIC_SGD)
        return smr_fail(ctx, SMR_ERR_PARAM,
                        "logistic: a stream is learned by solver=sgd; leave the solver out");
    if (p->class_weight != SMR_CLASS_WEIGHT_NONE)
        return smr_fail(
            ctx, SMR_ERR_PARAM,
            "logistic: class_weight=balanced needs all rows at once, which a stream does not have");
    smr_status st = smr_stochastic_begin(ctx, &o, shape, &s->model);
    s->n_classes = shape->n_classes;
    s->solver = SMR_LOGISTIC_SGD;
    s->deviance = s->null_deviance = s->df = NAN;
    return st;
}

smr_status smr_logistic_learn(smr_ctx *ctx, const void *params_, void *state_, const smr_rows *rows,
                              const smr_truths *truths, double *out)
{
    struct smr_logistic_state *s = state_;
    struct smr_stochastic_params how;
    smr_stochastic_opts o = opts_of(params_, &how);
    smr_status st = smr_stochastic_learn(ctx, &o, &s->model, rows, truths, out);
    if (st != SMR_OK) return st;
    for (int64_t i = 0; i < rows->n; i++) s->n_rows += truths->weight ? truths->weight[i] : 1;
    if (out) smr_classifier_spread(s->n_classes, rows->n, SMR_OUTPUT_PROBA, out);
    return SMR_OK;
}

smr_status smr_logistic_check_stream(smr_ctx *ctx, const struct smr_logistic_params *p,
                                     const struct smr_logistic_state *s)
{
    struct smr_stochastic_params how;
    smr_stochastic_opts o = opts_of(p, &how);
    return smr_stochastic_check_state(ctx, &o, &s->model);
}
