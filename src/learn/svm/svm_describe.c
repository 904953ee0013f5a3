/* svm_describe.c -- figures of svm's problems, for the state, the report and inspect; see
 * svm_parts.h. */
#include "core/text.h"
#include "kernel/kernel.h"
#include "learn/linear/affine.h"
#include "learn/linear/scores.h"
#include "learn/svm/svm_parts.h"

/* ---- the state -------------------------------------------------------------------------- */

smr_status smr_svm_make_parts(smr_ctx *ctx, struct smr_svm_state *s)
{
    smr_status st = SMR_OK;
    TRY_NEW(s->objective, s->n_parts);
    TRY_NEW(s->gap, s->n_parts);
    TRY_NEW(s->margin, s->n_parts);
    TRY_NEW(s->n_support, s->n_parts);
    TRY_NEW(s->n_met, s->n_parts);
    TRY_NEW(s->n_inside, s->n_parts);
    TRY_NEW(s->n_wrong, s->n_parts);
out:
    return st;
}

void smr_svm_keep_part(struct smr_svm_state *s, int64_t k, const smr_svm_part *part)
{
    s->objective[k] = part->objective;
    s->gap[k] = part->gap;
    s->margin[k] = part->margin;
    s->n_support[k] = part->n_support;
    s->n_met[k] = part->n_met;
    s->n_inside[k] = part->n_inside;
    s->n_wrong[k] = part->n_wrong;
}

void smr_svm_release(struct smr_svm_state *s)
{
    smr_free(s->coef);
    smr_free(s->intercept);
    smr_free(s->objective);
    smr_free(s->gap);
    smr_free(s->margin);
    smr_free(s->n_support);
    smr_free(s->n_met);
    smr_free(s->n_inside);
    smr_free(s->n_wrong);
    smr_free(s->listed);
    smr_free(s->alpha);
}

/* ---- the report ------------------------------------------------------------------------- */

void smr_svm_tell(smr_ctx *ctx, const struct smr_svm_params *p, const struct smr_svm_state *s,
                  const smr_svm_part *part, smr_fit_report *report)
{
    int64_t n_short = 0;
    report->objective = 0;
    report->converged = true;
    for (int64_t k = 0; k < s->n_parts; k++) {
        report->objective += part[k].objective;
        report->n_iter = SMR_MAX(report->n_iter, part[k].n_iter);
        report->converged &= part[k].converged;
        n_short += !part[k].converged;
    }
    if (n_short > 0)
        smr_warn(ctx,
                 "svm: %lld of %lld problem%s did not reach tol in %lld passes; put standardize "
                 "before it, lower C, or raise max_iter or tol",
                 (long long)n_short, (long long)s->n_parts, smr_plural(s->n_parts, "", "s"),
                 (long long)p->max_iter);
}

/* ---- inspect ---------------------------------------------------------------------------- */

static const char *const learns[] = {"classes", "numbers", "one class"};

static void describe_linear(const struct smr_svm_state *s, int64_t k, smr_json *into)
{
    const double *w = s->coef + k * s->n_features;
    double length = sqrt(smr_dot_f64(s->n_features, w, w));
    bool has_width = s->n_parts == s->n_scores; /* one w a problem */
    if (has_width) smr_json_add_number(into, "width", 2 / length);
    smr_json_add_number(into, "functional_margin", s->margin[k]);
    if (has_width) smr_json_add_number(into, "geometric_margin", s->margin[k] / length);
}

static void describe_machine(const struct smr_svm_state *s, int64_t k, smr_json *into)
{
    if (s->learns == SMR_SVM_CLASSES) {
        smr_json_add_number(into, "width", 2 / s->length[k]);
        smr_json_add_number(into, "functional_margin", s->margin[k]);
        smr_json_add_number(into, "geometric_margin", s->margin[k] / s->length[k]);
    }
    if (s->learns == SMR_SVM_NUMBERS) smr_json_add_number(into, "epsilon", s->tube[k]);
    if (smr_svm_has_points(s)) smr_json_add_number(into, "intercept", s->offset[k]);
    smr_json_add_number(into, "kkt_violation", s->violation[k]);
}

static void describe_part(const struct smr_svm_state *s, int64_t k, smr_json *into)
{
    (s->n_machines > 0 ? describe_machine : describe_linear)(s, k, into);
    smr_json_add_number(into, "objective", s->objective[k]);
    smr_json_add_number(into, "dual", s->objective[k] - s->gap[k]);
    smr_json_add_number(into, "gap", s->gap[k]);
    smr_json_add_number(into, "support_vectors", s->n_support[k]);
    if (s->n_machines > 0) {
        smr_json_add_number(into, "free", s->n_support[k] - s->n_bounded[k]);
        smr_json_add_number(into, "bounded", s->n_bounded[k]);
    }
    smr_json_add_number(into, "slack_0", s->n_met[k]);
    if (s->n_machines > 0 && s->learns != SMR_SVM_CLASSES) {
        smr_json_add_number(into, "slack_above_0", s->n_wrong[k]);
        return;
    }
    smr_json_add_number(into, "slack_0_to_1", s->n_inside[k]);
    smr_json_add_number(into, "slack_above_1", s->n_wrong[k]);
}

static void describe_support(const struct smr_svm_state *s, smr_json *into)
{
    smr_json *list = smr_json_add_array(into, "support");
    for (int64_t i = 0; i < s->n_listed; i++) {
        smr_json *row = smr_json_add_object(list, NULL);
        smr_json_add_number(row, "row", (double)s->listed[i] + 1);
        smr_json_add_number(row, "alpha", s->alpha[i]);
    }
}

static void describe_problems(const struct smr_svm_state *s, smr_json *into)
{
    smr_json *list = smr_json_add_array(into, "problems");
    for (int64_t k = 0; k < s->n_parts; k++) {
        smr_json *row = smr_json_add_object(list, NULL);
        bool is_pair = s->n_machines > 0 && s->first[k] >= 0;
        smr_json_add_number(row, "class", (double)(s->n_machines > 0 ? s->second[k] : k));
        if (is_pair) smr_json_add_number(row, "against", (double)s->first[k]);
        describe_part(s, k, row);
    }
}

smr_status smr_svm_describe(smr_ctx *ctx, const void *params_, const void *state_,
                            const smr_feature *in, int64_t n_in, smr_json *into)
{
    const struct smr_svm_params *p = params_;
    const struct smr_svm_state *s = state_;
    smr_status st = SMR_OK;
    smr_text kernel = {.ctx = ctx};
    bool is_hard = smr_svm_is_hard(p), is_kernel = s->n_machines > 0;
    (void)n_in;
    smr_kernel_write(&p->kernel, &kernel);
    TRY(smr_text_done(&kernel));
    smr_json_add_string(into, "kernel", kernel.bytes);
    if (is_kernel) smr_json_add_string(into, "learns", learns[s->learns]);
    if (!is_kernel)
        smr_json_add_string(into, "loss",
                            is_hard                    ? "none: hard margin"
                            : p->loss == SMR_SVM_HINGE ? "hinge"
                                                       : "squared_hinge");
    if (is_kernel && !isnan(p->nu)) smr_json_add_number(into, "nu", p->nu);
    if (!is_hard && (!is_kernel || s->learns == SMR_SVM_NUMBERS || isnan(p->nu)) &&
        s->learns != SMR_SVM_ONE)
        smr_json_add_number(into, "C", smr_svm_C(p));
    if (smr_svm_has_points(s)) smr_json_add_number(into, "points", (double)s->points.n);
    if (s->n_parts == 1)
        describe_part(s, 0, into);
    else
        describe_problems(s, into);
    if (s->n_listed > 0) describe_support(s, into);
    if (!is_kernel) {
        smr_linear_classifier m = {.n_classes = s->n_scores == 1 ? 2 : s->n_scores,
                                   .n_features = s->n_features,
                                   .coef = s->coef,
                                   .intercept = s->intercept};
        smr_classifier_describe(&m, p->fit_intercept, in, NULL, NULL, into);
    }
    if (is_kernel && s->n_scores == 1)
        smr_affine_describe(s->n_features, s->coef, s->intercept, in, into);
out:
    smr_text_release(&kernel);
    return st;
}
