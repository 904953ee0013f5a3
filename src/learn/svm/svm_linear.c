/* svm_linear.c -- svm with kernel=linear, for classes: see svm.c and svm_parts.h. */
#include "core/parallel.h"
#include "kernel/kernel.h"
#include "learn/effort.h"
#include "learn/linear/frame.h"
#include "learn/linear/scores.h"
#include "learn/linear/start.h"
#include "learn/present.h"
#include "learn/svm/svm_parts.h"

#include <string.h>

enum { MOST_LISTED = 100 };

static bool is_ova(const struct smr_svm_params *p)
{
    return p->multi == SMR_SVM_OVA || p->multi == SMR_SVM_MULTI_AUTO;
}

static smr_status make_room(smr_ctx *ctx, const smr_data *data, const struct smr_svm_params *p,
                            struct smr_svm_state *s)
{
    smr_status st = SMR_OK;
    s->n_features = data->n_features;
    s->n_scores = smr_scores_of(data->n_classes);
    s->n_parts = is_ova(p) ? s->n_scores : 1;
    TRY_NEW(s->coef, s->n_scores * s->n_features);
    TRY_NEW(s->intercept, s->n_scores);
    TRY(smr_svm_make_parts(ctx, s));
out:
    return st;
}

/* The problems of the classes that have rows, in the places of theirs among all classes. */
static smr_status spread(smr_ctx *ctx, const smr_data *all, const struct smr_svm_params *p,
                         const smr_present *present, const struct smr_svm_state *own,
                         struct smr_svm_state *s)
{
    smr_status st = SMR_OK;
    TRY(make_room(ctx, all, p, s));
    smr_present_spread(present, s->n_scores, s->n_features, own->coef, own->intercept, SMR_ABSENT,
                       s->coef, s->intercept);
    for (int64_t c = 0; c < s->n_parts; c++) {
        int64_t at = own->n_parts == 1 ? 0 : present->place[c];
        if (s->n_parts > 1 && present->place[c] < 0) continue;
        smr_svm_keep_part(s, c,
                          &(smr_svm_part){.objective = own->objective[at],
                                          .gap = own->gap[at],
                                          .margin = own->margin[at],
                                          .n_support = own->n_support[at],
                                          .n_met = own->n_met[at],
                                          .n_inside = own->n_inside[at],
                                          .n_wrong = own->n_wrong[at]});
    }
out:
    return st;
}

/* Two classes: the support vectors, if they are few enough for people to look at. */
static smr_status list_support(smr_ctx *ctx, const smr_data *data, const double *alpha,
                               struct smr_svm_state *s)
{
    smr_status st = SMR_OK;
    int64_t n = 0;
    for (int64_t i = 0; i < data->n_rows; i++) n += alpha[i] > 0;
    if (n == 0 || n > MOST_LISTED) goto out;
    TRY_NEW(s->listed, n);
    TRY_NEW(s->alpha, n);
    for (int64_t i = 0; i < data->n_rows; i++) {
        if (!(alpha[i] > 0)) continue;
        s->listed[s->n_listed] = data->rows ? data->rows[i] : i;
        s->alpha[s->n_listed++] = alpha[i];
    }
out:
    return st;
}

struct ova {
    const smr_svm_problem *problem;
    struct smr_svm_state *s;
    smr_svm_part *part; /* by class */
};

static smr_status fit_class(smr_ctx *ctx, void *arg, int64_t task, int lane)
{
    struct ova *o = arg;
    (void)lane;
    return smr_svm_two(ctx, o->problem, task, o->s->coef + task * o->s->n_features,
                       &o->s->intercept[task], NULL, &o->part[task]);
}

static smr_status fit_two(smr_ctx *ctx, const smr_svm_problem *problem, struct smr_svm_state *s,
                          smr_svm_part *part)
{
    smr_status st = SMR_OK;
    double *alpha = NULL;
    TRY_NEW(alpha, problem->data->n_rows);
    TRY(smr_svm_two(ctx, problem, 1, s->coef, s->intercept, alpha, part));
    TRY(list_support(ctx, problem->data, alpha, s));
out:
    smr_free(alpha);
    return st;
}

/* All problems, their figures in part. */
static smr_status solve(smr_ctx *ctx, const struct smr_svm_params *p,
                        const smr_svm_problem *problem, struct smr_svm_state *s, smr_svm_part *part)
{
    struct ova ova = {problem, s, part};
    if (s->n_scores == 1) return fit_two(ctx, problem, s, part);
    if (problem->design) { /* whose passes all threads share */
        smr_status st = SMR_OK;
        for (int64_t c = 0; c < s->n_scores && st == SMR_OK; c++) st = fit_class(ctx, &ova, c, 0);
        return st;
    }
    if (is_ova(p)) return smr_parallel(ctx, "svm", s->n_scores, fit_class, &ova);
    return smr_svm_many(ctx, problem, p->multi == SMR_SVM_SUM, s->coef, s->intercept, part);
}

static bool is_primal(const struct smr_svm_params *p, const smr_data *data)
{
    if (p->solver != SMR_SVM_AUTO) return p->solver == SMR_SVM_PRIMAL;
    return p->loss == SMR_SVM_SQUARED_HINGE && !smr_svm_is_hard(p) && !data->sparse;
}

static bool is_interior(const struct smr_svm_params *p, const smr_held_rows *rows)
{
    if (p->solver != SMR_SVM_AUTO) return p->solver == SMR_SVM_INTERIOR;
    return p->loss == SMR_SVM_HINGE && !smr_svm_is_hard(p) && is_ova(p) && smr_svm_is_tall(rows);
}

/* Begins at an earlier fit, where there is one. */
static smr_status start(smr_ctx *ctx, smr_fit_report *report, const smr_data *data,
                        const smr_present *present, int64_t n_classes, struct smr_svm_state *s,
                        bool *is_warm)
{
    smr_status st = SMR_OK;
    int64_t q = smr_scores_of(n_classes);
    double *coef = NULL, *intercept = NULL;
    TRY_NEW(coef, q * s->n_features);
    TRY_NEW(intercept, q);
    *is_warm = smr_linear_start(report, data, q, coef, intercept);
    if (*is_warm)
        smr_present_gather(present, q, s->n_features, coef, intercept, s->coef, s->intercept);
out:
    smr_free(coef);
    smr_free(intercept);
    return st;
}

/* Each problem makes some ten passes over the rows. */
static void tell_effort(smr_ctx *ctx, const smr_data *data, const struct smr_svm_state *s)
{
    double length = (double)(smr_data_is_sparse(data) ? 8 : data->n_features);
    smr_effort_tell(
        ctx, &(smr_effort){.learner = "svm",
                           .each = 20 * (double)data->n_rows * (length + 8) * (double)s->n_scores,
                           .most = 1,
                           .least = 1,
                           .advice = s->n_scores > 100 ? "each class is told from all others: join "
                                                         "classes, or take knn or tree"
                                                       : "take fewer rows"});
}

/* On classes that all have rows, or on two. */
static smr_status fit_classes(smr_ctx *ctx, const struct smr_svm_params *p, const smr_data *data,
                              const smr_present *present, int64_t n_classes,
                              struct smr_svm_state *s, smr_fit_report *report)
{
    smr_status st = SMR_OK;
    smr_held_rows rows = {0};
    smr_svm_part *part = NULL;
    double *own = NULL, *shift = NULL;
    bool is_far = false;
    smr_design design = {0};
    smr_svm_problem problem = {
        .data = data,
        .loss = p->loss == SMR_SVM_HINGE ? SMR_LOSS_HINGE : SMR_LOSS_SQUARED_HINGE,
        .l2 = isnan(p->l2) ? 1 / p->C : p->l2,
        .is_hard = smr_svm_is_hard(p),
        .fit_intercept = p->fit_intercept,
        .tol = isnan(p->tol) ? 1e-4 : p->tol,
        .max_iter = p->max_iter,
    };

    TRY(smr_classifier_weights(ctx, "svm", data, p->class_weight, &own));
    problem.weight = own ? own : data->weight;
    TRY(make_room(ctx, data, p, s));
    TRY_NEW(part, s->n_parts);
    if (p->solver == SMR_SVM_AUTO && p->fit_intercept) TRY(smr_linear_is_far(ctx, data, &is_far));
    if (is_far || !is_primal(p, data)) {
        TRY(smr_held_all(ctx, "svm", data, &rows));
        problem.rows = &rows;
        if (is_interior(p, &rows)) {
            TRY(smr_svm_frame(ctx, &rows, p->fit_intercept, &design));
            problem.design = &design;
        } else if (!rows.is_sparse && !problem.is_hard && p->fit_intercept)
            TRY(smr_svm_shift(ctx, &rows, &shift));
        problem.shift = shift;
    }
    if (!problem.rows) TRY(start(ctx, report, data, present, n_classes, s, &problem.is_warm));
    tell_effort(ctx, data, s);
    TRY(solve(ctx, p, &problem, s, part));
    double sum = smr_sum_f64(s->n_scores, s->intercept);
    for (int64_t i = 0; i < s->n_scores * s->n_features; i++) sum += s->coef[i];
    if (!isfinite(sum))
        TRY(smr_fail(ctx, SMR_ERR_NUMERIC, "svm: sums of squares overflow: rescale the columns"));
    for (int64_t k = 0; k < s->n_parts; k++) smr_svm_keep_part(s, k, &part[k]);
    smr_svm_tell(ctx, p, s, part, report);
out:
    smr_design_close(&design);
    smr_held_close(&rows);
    smr_free(part);
    smr_free(own);
    smr_free(shift);
    return st;
}

smr_status smr_svm_fit_linear(smr_ctx *ctx, const struct smr_svm_params *p, const smr_data *data,
                              struct smr_svm_state *s, smr_fit_report *report)
{
    struct smr_svm_state own = {0};
    smr_status st = SMR_OK;
    smr_present present = {0};
    TRY(smr_classifier_check_classes(ctx, "svm", data, NULL));
    TRY(smr_present_find(ctx, data, &present));
    TRY(fit_classes(ctx, p, &present.data, &present, data->n_classes, present.is_all ? s : &own,
                    report));
    if (!present.is_all) TRY(spread(ctx, data, p, &present, &own, s));
out:
    smr_svm_release(&own);
    smr_present_release(&present);
    return st;
}
