/* logistic_dual.c -- logistic regression by coordinate descent on the dual.
 *
 * On sparse rows of many columns a pass over the rows one by one gains more than a step with all of
 * them (math/optimize/dual.h; more than two classes: dual_softmax.h).  tol is the duality gap over
 * the objective: a certificate. */
#include "learn/linear/held_rows.h"
#include "learn/linear/logistic.h"
#include "learn/linear/start.h"
#include "math/optimize/dual_softmax.h"

#include <string.h>

/* The curve has a point a pass: a round of several tells all of theirs, one of less than a pass
 * corrects the last. */
static bool tell(void *user, const smr_dual_result *now)
{
    smr_linear_telling *t = user;
    smr_fit_report *r = t->report;
    while (t->status == SMR_OK && (!r->curve || r->n_iter < now->passes))
        t->status = smr_fit_step(t->ctx, r, now->objective);
    if (t->status == SMR_OK) r->curve[r->n_curve - 1] = now->objective;
    return t->status == SMR_OK;
}

/* f->w from the rows, in the dual. */
static smr_status solve_two(smr_ctx *ctx, struct smr_logistic_fit *f, const smr_held_rows *rows,
                            smr_linear_telling *telling, smr_dual_result *dual)
{
    smr_status st = SMR_OK;
    double *y = NULL, *w = NULL;
    TRY_NEW(y, f->data->n_rows);
    TRY_NEW(w, f->d + 1);
    for (int64_t i = 0; i < f->data->n_rows; i++) y[i] = f->data->label[i] ? 1 : -1;
    smr_dual_problem problem = smr_held_dual(rows, y, f->weight, f->p->fit_intercept);
    smr_dual_opts opts = {.loss = SMR_LOSS_LOGISTIC,
                          .l2 = f->l2,
                          .tol = f->p->tol,
                          .max_passes = f->p->max_iter,
                          .what = "fitting logistic",
                          .each = tell,
                          .user = telling};
    TRY(smr_dual_coordinate(ctx, &problem, &opts, w, NULL, dual));
    memcpy(f->w, w, (size_t)f->n * sizeof *w);
out:
    smr_free(y);
    smr_free(w);
    return st;
}

static smr_status solve_many(smr_ctx *ctx, struct smr_logistic_fit *f, const smr_held_rows *rows,
                             smr_linear_telling *telling, smr_dual_result *dual)
{
    smr_status st = SMR_OK;
    double *b = NULL;
    TRY_NEW(b, f->k);
    smr_dual_problem problem = smr_held_dual(rows, NULL, f->weight, f->p->fit_intercept);
    smr_softmax_opts opts = {.l2 = f->l2,
                             .tol = f->p->tol,
                             .max_passes = f->p->max_iter,
                             .what = "fitting logistic",
                             .each = tell,
                             .user = telling};
    TRY(smr_dual_softmax(ctx, &problem, f->data->label, f->k, &opts, f->w, b, dual));
    if (f->p->fit_intercept) memcpy(f->w + f->k * f->d, b, (size_t)f->k * sizeof *b);
out:
    smr_free(b);
    return st;
}

bool smr_logistic_has_dual(const smr_data *data, int64_t k)
{
    return k == 1 || (k <= SMR_SOFTMAX_CLASSES && smr_data_is_sparse(data));
}

smr_status smr_logistic_dual(smr_ctx *ctx, struct smr_logistic_fit *f, smr_optimize_result *result)
{
    smr_status st = SMR_OK;
    smr_held_rows rows = {0};
    smr_dual_result dual = {0};
    smr_linear_telling telling = {.ctx = ctx, .report = f->report};
    if (!smr_logistic_has_dual(f->data, f->k) || !(f->l2 > 0))
        return smr_fail(ctx, SMR_ERR_PARAM,
                        "logistic: solver=dual needs l2 > 0, and two classes or sparse rows of at "
                        "most %d; take solver=auto",
                        SMR_SOFTMAX_CLASSES);
    TRY(smr_held_all(ctx, "logistic", f->data, &rows));
    TRY(f->k == 1 ? solve_two(ctx, f, &rows, &telling, &dual)
                  : solve_many(ctx, f, &rows, &telling, &dual));
    TRY(telling.status);
    (void)tell(&telling, &dual); /* the round that ended it */
    TRY(telling.status);
    result->f = dual.objective;
    result->iterations = f->report->n_iter;
    result->converged = dual.converged;
    result->why = dual.converged ? SMR_WHY_GAP : SMR_WHY_ITERATIONS;
out:
    smr_held_close(&rows);
    return st;
}
