/* member_stream.c -- members that learn from a stream: see member.h. */
#include "learn/member.h"

#include "core/number.h"
#include "learn/chain.h"
#include "learn/flow.h"
#include "learn/spec.h"
#include "learn/stages.h"
#include "learn/state.h"

#include <string.h>

/* ---- beginning -------------------------------------------------------------------------- */

/* Features that are numbers, named by their position. */
static smr_status number_features(smr_ctx *ctx, int64_t n, smr_feature **out)
{
    smr_status st = SMR_OK;
    TRY_NEW(*out, n + 1);
    for (int64_t j = 0; j < n; j++) {
        char name[SMR_NUMBER_MAX];
        smr_format_double((double)j, name);
        (*out)[j] = (smr_feature){.kind = SMR_NUMBER, .stride = 1};
        (*out)[j].name = smr_strdup(ctx, name);
        if (!(*out)[j].name) return SMR_ERR_NOMEM;
    }
out:
    return st;
}

smr_status smr_member_begin(smr_ctx *ctx, const smr_spec *spec, const smr_shape *shape,
                            smr_member *member)
{
    static const double some = 1; /* there will be weights; none is read */
    smr_status st = SMR_OK;
    smr_member m = {.shape = {.n_features = shape->n_features,
                              .task = shape->task,
                              .n_outputs = shape->n_outputs,
                              .n_classes = shape->n_classes}};
    smr_feature *numbers = NULL;
    smr_data like = {.size = sizeof like,
                     .n_features = shape->n_features,
                     .features = shape->features,
                     .task = shape->task,
                     .n_outputs = shape->n_outputs,
                     .n_classes = shape->n_classes,
                     .gaps_in_numbers = shape->gaps_in_numbers,
                     .gaps_in_categories = shape->gaps_in_categories,
                     .weight = shape->weighted ? &some : NULL};
    memcpy(m.shape.item_shape, shape->item_shape, sizeof shape->item_shape);
    memcpy(like.item_shape, shape->item_shape, sizeof shape->item_shape);
    if (!shape->features) TRY(number_features(ctx, shape->n_features, &numbers));
    if (!shape->features) like.features = numbers;
    TRY(smr_stages_begin(ctx, spec, like.features, &like, &m.stages, &m.n_stages));
    *member = m;
    m = (smr_member){0};
out:
    smr_features_free(numbers, shape->n_features);
    smr_member_release(&m);
    return st;
}

bool smr_member_learns(const smr_member *m)
{
    for (int64_t s = 0; s < m->n_stages; s++)
        if (!m->stages[s].learner->stream) return false;
    return true;
}

/* ---- learning --------------------------------------------------------------------------- */

smr_status smr_member_learn(smr_ctx *ctx, smr_member *m, const smr_rows *rows,
                            const smr_truths *truths, double *out)
{
    smr_status st = SMR_OK;
    smr_flow flow;
    smr_flow_plan(m->stages, m->n_stages, m->shape.n_features, SMR_MAX(1, rows->n), true, &flow);
    TRY(smr_flow_open(ctx, &flow));
    TRY(smr_flow_learn(ctx, &flow, rows, truths, m->shape.n_outputs, out));
out:
    smr_flow_close(&flow);
    return st;
}
