/* flow_back.c -- rows back through fitted stages: see flow.h.
 *
 * Room, in order: two buffers that the stages write in turn, and the scratch of the hungriest. */
#include "learn/flow.h"

enum { BLOCK_BYTES = 4 << 20, LEAST_ROWS = 16, MOST_ROWS = 256 };

static int64_t round_up(int64_t bytes)
{
    return (bytes + 63) / 64 * 64;
}

smr_status smr_flow_check_back(smr_ctx *ctx, const smr_stage *stages, int64_t n)
{
    for (int64_t s = n - 1; s >= 0; s--) {
        const smr_learner *l = stages[s].learner;
        const smr_can_transform *t = l->fitted->transform;
        if (t && t->inverse) continue;
        return smr_fail(ctx, SMR_ERR_UNSUPPORTED, "stage %lld, %s, cannot be undone: %s",
                        (long long)s + 1, l->word->name,
                        t && t->no_inverse ? t->no_inverse : "it has no inverse");
    }
    return SMR_OK;
}

int64_t smr_flow_block_back(const smr_stage *stages, int64_t n)
{
    int64_t d = 1;
    for (int64_t s = 0; s < n; s++) d = SMR_MAX(d, SMR_MAX(stages[s].n_in, stages[s].n_out));
    return SMR_MIN(MOST_ROWS, SMR_MAX(LEAST_ROWS, BLOCK_BYTES / (8 * d)));
}

void smr_flow_plan_back(const smr_stage *stages, int64_t n, int64_t rows, smr_flow *out)
{
    int64_t most = 0, width[2] = {0, 0};
    for (int64_t s = 0; s < n; s++) {
        const smr_fitted *f = stages[s].learner->fitted;
        if (f->scratch) most = SMR_MAX(most, f->scratch(stages[s].params, stages[s].state, rows));
        width[s % 2] = SMR_MAX(width[s % 2], stages[s].n_in);
    }
    *out = (smr_flow){.stages = stages, .n = n, .rows = rows};
    out->odd = round_up(8 * rows * width[0]);
    out->scratch = out->odd + round_up(8 * rows * width[1]);
    out->bytes = out->scratch + round_up(most);
}

smr_status smr_flow_back(smr_ctx *ctx, smr_flow *f, smr_rows *rows)
{
    smr_status st = SMR_OK;
    for (int64_t s = f->n - 1; s >= 0; s--) {
        const smr_stage *stage = &f->stages[s];
        double *out = (double *)(void *)(f->room + (s % 2 ? f->odd : f->even));
        TRY(stage->learner->fitted->transform->inverse(ctx, stage->params, stage->state, rows, out,
                                                       f->room + f->scratch));
        rows->x = out;
        rows->d = rows->stride = stage->n_in;
    }
out:
    return st;
}
