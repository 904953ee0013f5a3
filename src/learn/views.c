/* views.c -- see views.h. */
#include "learn/views.h"

#include <string.h>

static const void *at(const smr_stage *stage, size_t offset)
{
    return (const char *)stage->state + offset;
}

static double *array_at(const smr_stage *stage, size_t offset)
{
    return *(double *const *)at(stage, offset);
}

smr_linear_view smr_stage_linear(const smr_stage *stage)
{
    const smr_can_explain *can = smr_explains(stage->learner);
    const smr_linear_at *where = &can->linear_at;
    if (!stage->state) return (smr_linear_view){0};
    if (where->is_there)
        return (smr_linear_view){*(const int64_t *)at(stage, where->n_scores),
                                 *(const int64_t *)at(stage, where->n_features),
                                 array_at(stage, where->w), array_at(stage, where->b)};
    return can->linear ? can->linear(stage->params, stage->state) : (smr_linear_view){0};
}

void smr_stage_set_linear(const smr_stage *stage, const double *w, const double *b)
{
    const smr_linear_at *where = &smr_explains(stage->learner)->linear_at;
    smr_linear_view view = smr_stage_linear(stage);
    memcpy(array_at(stage, where->w), w, (size_t)(view.n_scores * view.n_features) * sizeof *w);
    memcpy(array_at(stage, where->b), b, (size_t)view.n_scores * sizeof *b);
}

const double *smr_stage_importances(const smr_stage *stage)
{
    const smr_can_explain *can = smr_explains(stage->learner);
    return can->importances && stage->state ? can->importances(stage->params, stage->state) : NULL;
}

void smr_stage_origins(const smr_stage *stage, int64_t n_in, int64_t *from, int64_t n_out)
{
    const smr_can_transform *can = stage->learner->fitted->transform;
    if (can->keeps) {
        smr_kept kept = can->keeps(stage->state);
        for (int64_t j = 0; j < n_out; j++) from[j] = kept.column[j];
    } else if (can->origins)
        can->origins(stage->params, stage->state, n_in, from, n_out);
    else
        for (int64_t j = 0; j < n_out; j++) from[j] = n_in == n_out ? j : -1;
}

smr_status smr_stages_origins(smr_ctx *ctx, const smr_stage *stages, int64_t n, int64_t n_in,
                              int64_t **from, int64_t *n_out)
{
    smr_status st = SMR_OK;
    int64_t *before = NULL, *now = NULL, width = n_in;
    TRY_NEW(before, n_in);
    for (int64_t j = 0; j < n_in; j++) before[j] = j;
    for (int64_t s = 0; s < n; s++) {
        int64_t next = stages[s].n_out;
        TRY_NEW(now, next);
        smr_stage_origins(&stages[s], width, now, next);
        for (int64_t j = 0; j < next; j++) now[j] = now[j] < 0 ? -1 : before[now[j]];
        smr_free(before);
        before = now;
        now = NULL;
        width = next;
    }
    *from = before;
    *n_out = width;
    before = NULL;
out:
    smr_free(before);
    smr_free(now);
    return st;
}
