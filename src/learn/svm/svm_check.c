/* svm_check.c -- parameters that do not go together, and states from a file; see svm_parts.h. */
#include "core/text.h"
#include "learn/linear/scores.h"
#include "learn/svm/svm_parts.h"

/* ---- parameters ------------------------------------------------------------------------- */

/* What makes it machines over points. */
static const char *what_of(const struct smr_svm_params *p)
{
    return !smr_kernel_is_linear(&p->kernel) ? "another kernel"
           : !isnan(p->nu)                   ? "nu"
           : p->proba                        ? "proba=yes"
                                             : "multi=ovo";
}

static smr_status refuse_no_price(smr_ctx *ctx, const struct smr_svm_params *p)
{
    return smr_fail(ctx, SMR_ERR_PARAM,
                    "svm: %s is for kernel=linear, and not with %s; take a C above 0",
                    isnan(p->l2) ? "C=0" : "l2=inf", what_of(p));
}

/* Values that machines over points (svm_kernel.c) do not have. */
static smr_status check_kernel(smr_ctx *ctx, const struct smr_svm_params *p)
{
    if (p->multi == SMR_SVM_SUM || p->multi == SMR_SVM_MAX)
        return smr_fail(
            ctx, SMR_ERR_PARAM,
            "svm: multi=%s is for kernel=linear, and not with %s; take multi=ovo or ova",
            smr_svm_multis[p->multi].name, what_of(p));
    if (p->C == 0 && isnan(p->l2)) return refuse_no_price(ctx, p);
    return SMR_OK;
}

smr_status smr_svm_check_params(smr_ctx *ctx, const void *params_)
{
    const struct smr_svm_params *p = params_;
    bool is_hard = smr_svm_is_hard(p);
    if (smr_svm_is_kernel(p, SMR_TASK_CLASSIFY)) return check_kernel(ctx, p);
    if (p->solver == SMR_SVM_PRIMAL && p->loss != SMR_SVM_SQUARED_HINGE)
        return smr_fail(ctx, SMR_ERR_PARAM,
                        "svm: solver=primal needs a smooth loss: loss=squared_hinge");
    if (p->solver == SMR_SVM_PRIMAL && is_hard)
        return smr_fail(ctx, SMR_ERR_PARAM,
                        "svm: a hard margin has no solver=primal; leave it out");
    if (p->solver == SMR_SVM_INTERIOR && (p->loss != SMR_SVM_HINGE || is_hard))
        return smr_fail(ctx, SMR_ERR_PARAM,
                        "svm: solver=interior goes with loss=hinge and margin=soft");
    if (p->loss == SMR_SVM_SQUARED_HINGE && is_hard)
        return smr_fail(ctx, SMR_ERR_PARAM,
                        "svm: a hard margin pays no loss; leave loss=squared_hinge out");
    bool in_one = p->multi == SMR_SVM_SUM || p->multi == SMR_SVM_MAX;
    if (in_one && p->solver == SMR_SVM_INTERIOR)
        return smr_fail(ctx, SMR_ERR_PARAM, "svm: solver=interior goes with multi=ova, not %s",
                        smr_svm_multis[p->multi].name);
    if (in_one && p->loss == SMR_SVM_SQUARED_HINGE)
        return smr_fail(ctx, SMR_ERR_PARAM, "svm: multi=%s goes with loss=hinge",
                        smr_svm_multis[p->multi].name);
    if (in_one && is_hard)
        return smr_fail(ctx, SMR_ERR_PARAM, "svm: margin=hard goes with multi=ova, not %s",
                        smr_svm_multis[p->multi].name);
    return SMR_OK;
}

/* What models of earlier versions may have been given, and a fit is not. */
smr_status smr_svm_check_fit(smr_ctx *ctx, const struct smr_svm_params *p)
{
    if (smr_svm_is_hard(p) && p->class_weight != SMR_CLASS_WEIGHT_NONE)
        return smr_fail(ctx, SMR_ERR_PARAM,
                        "svm: a hard margin weighs no class; leave class_weight=balanced out");
    if (smr_svm_is_kernel(p, SMR_TASK_CLASSIFY) && smr_svm_C(p) == 0)
        return refuse_no_price(ctx, p);
    return SMR_OK;
}

/* ---- state ------------------------------------------------------------------------------ */

/* How many machines n classes may have: pairs of some of them, or one each. */
static bool are_machines_of(const struct smr_svm_state *s)
{
    int64_t m = s->n_machines;
    if (s->learns != SMR_SVM_CLASSES) return m == 1 && !s->first && !s->second;
    if (!s->first || !s->second) return false;
    for (int64_t k = 0; k < m; k++)
        if (s->first[k] == s->second[k] || (s->first[k] < 0) != (s->first[0] < 0) ||
            (m == 1 && s->first[k] < 0))
            return false;
    return true;
}

smr_status smr_svm_check_state(smr_ctx *ctx, const void *params_, const void *state_,
                               const smr_shape *shape)
{
    const struct smr_svm_params *p = params_;
    const struct smr_svm_state *s = state_;
    bool is_linear = s->n_machines == 0;
    if (is_linear && (s->n_scores < 1 || s->n_scores != smr_scores_of(shape->n_classes)))
        return smr_fail(ctx, SMR_ERR_FORMAT, "svm has %lld score%s for %lld classes",
                        (long long)s->n_scores, smr_plural(s->n_scores, "", "s"),
                        (long long)shape->n_classes);
    if (is_linear && s->n_parts != 1 && s->n_parts != s->n_scores)
        return smr_fail(ctx, SMR_ERR_FORMAT, "svm has %lld problem%s for %lld score%s",
                        (long long)s->n_parts, smr_plural(s->n_parts, "", "s"),
                        (long long)s->n_scores, smr_plural(s->n_scores, "", "s"));
    if (is_linear) return SMR_OK;
    bool classes = s->learns == SMR_SVM_CLASSES;
    bool weights = s->n_scores == 1 && s->learns == SMR_SVM_NUMBERS && s->points.n == 0 &&
                   smr_kernel_is_linear(&p->kernel);
    if (s->n_parts != s->n_machines || (s->n_scores != 0 && !weights) || !are_machines_of(s) ||
        s->n_classes != (classes ? shape->n_classes : 0) ||
        classes != (shape->task == SMR_TASK_CLASSIFY) ||
        (s->n_platt != 0 && s->n_platt != s->n_machines) ||
        (s->n_platt > 0) != (classes && p->proba))
        return smr_fail(ctx, SMR_ERR_FORMAT,
                        "svm has machines that do not fit its target, problems or parameters");
    return weights ? SMR_OK : smr_kernel_check(ctx, "svm", &p->kernel, &s->points, shape);
}
