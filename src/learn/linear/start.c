/* start.c -- see start.h. */
#include "learn/linear/start.h"

#include "kernel/kernel.h"
#include "learn/linear/descent.h"
#include "learn/views.h"

#include <math.h>
#include <string.h>

/* The old feature of that name, sought from `next` on, as features mostly keep their order; -1:
 * none. */
static int64_t find(const smr_feature *in, int64_t n, const char *name, int64_t next)
{
    for (int64_t k = 0; k < n; k++) {
        int64_t j = (next + k) % n;
        if (in[j].name && strcmp(in[j].name, name) == 0) return j;
    }
    return -1;
}

/* Scores that both have: those of classes where there is one each, else all or none. */
static int64_t shared_scores(const smr_linear_view *old, const smr_data *data, int64_t q)
{
    bool one_each = data->task == SMR_TASK_CLASSIFY && old->n_scores > 1 && q > 1;
    return one_each ? SMR_MIN(old->n_scores, q) : old->n_scores == q ? q : 0;
}

bool smr_linear_start(smr_fit_report *report, const smr_data *data, int64_t q, double *w, double *b)
{
    const smr_warm_start *from = report->warm;
    if (!from || from->stage->learner != report->learner) return false;
    smr_linear_view old = smr_stage_linear(from->stage);
    const smr_feature *names = from->shape->features;
    int64_t d = data->n_features, n = old.w ? shared_scores(&old, data, q) : 0, at = -1, found = 0;
    bool named = names && data->features;
    if (n == 0 || (!named && old.n_features != d)) return false;
    for (int64_t j = 0; j < d; j++) {
        const char *name = named ? data->features[j].name : NULL;
        at = !named ? j : name ? find(names, old.n_features, name, at + 1) : -1;
        for (int64_t k = 0; k < n && at >= 0; k++) w[k * d + j] = old.w[k * old.n_features + at];
        found += at >= 0;
    }
    if (found == 0 && d > 0) return false;
    for (int64_t k = 0; k < n && old.b; k++) b[k] = old.b[k];
    return report->is_warm = true;
}

smr_status smr_linear_scale(smr_ctx *ctx, const smr_objective *f, const double *l1, double *scale)
{
    smr_status st = SMR_OK;
    double *w = NULL, value = 0;
    TRY_NEW(w, 2 * f->n + 1);
    double *g = w + f->n;
    TRY(f->evaluate(ctx, f->self, w, &value, g));
    for (int64_t i = 0; i < f->n && l1; i++) g[i] = smr_fmax(0, fabs(g[i]) - l1[i]);
    *scale = sqrt(smr_dot_f64(f->n, g, g));
out:
    smr_free(w);
    return st;
}

bool smr_linear_tell(void *user, const smr_iteration *now)
{
    smr_linear_telling *t = user;
    if (now->iteration == 0)
        t->at_start = now->gradient;
    else if (t->report)
        t->status = smr_fit_step(t->ctx, t->report, now->f);
    if (t->watched && t->status == SMR_OK) t->status = smr_descent_note(t->ctx, t->watched, now);
    return t->status == SMR_OK;
}
