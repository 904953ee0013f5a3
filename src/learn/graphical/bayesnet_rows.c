/* bayesnet_rows.c -- rows drawn from a learned network: levels, parents first.  Of a number the
 * model knows bins alone: it is uniform in its bin; the outermost end where training rows did. */
#include "core/parallel.h"
#include "core/rng.h"
#include "learn/graphical/bayesnet.h"
#include "learn/graphical/network_weighting.h"

#include <math.h>

enum { BLOCK = 4096 }; /* rows of a task */

struct drawing {
    const struct smr_bayesnet_state *s;
    const smr_drawing *of;
    double *x;
    int32_t *hidden, *level; /* level: n_nodes for each lane */
    int64_t n;
};

/* A number of this level, u of the way through its bin. */
static double place_in(const struct drawing *w, int64_t j, int32_t level, double u)
{
    const double *cut = w->s->cut + w->s->cut_at[j], *range = w->of->range + 2 * j;
    int64_t n = w->s->cut_at[j + 1] - w->s->cut_at[j];
    double low = level > 0 ? cut[level - 1] : n ? smr_fmin(range[0], cut[0]) : range[0];
    double high = level < n ? cut[level] : n ? smr_fmax(range[1], cut[n - 1]) : range[1];
    double x = low + u * (high - low);
    return level < n && x >= high ? low : x; /* its end is the next bin's */
}

static smr_status draw_block(smr_ctx *ctx, void *arg, int64_t task, int lane)
{
    const struct drawing *w = arg;
    const struct smr_bayesnet_state *s = w->s;
    int32_t *level = w->level + lane * s->n_nodes;
    int64_t hi = smr_block_end(w->n, BLOCK, task), d = s->n_features;
    for (int64_t i = task * BLOCK; i < hi; i++) {
        double *x = w->x + i * w->of->n_in;
        smr_net_draw(&s->ready->tables, s->ready->order, ctx->seed, (uint64_t)i, NULL, level);
        for (int64_t j = 0; j < d; j++) {
            bool is_level = isnan(w->of->range[2 * j]);
            double u = smr_random_unit(ctx->seed, SMR_STREAM_CLOUD, (uint64_t)i, (uint64_t)j);
            x[j] = is_level ? level[j] : place_in(w, j, level[j], u);
        }
        w->hidden[i] = s->present[level[d]];
    }
    return SMR_OK;
}

smr_status smr_bayesnet_draw_rows(smr_ctx *ctx, const void *params_, const void *state_,
                                  const smr_drawing *of, double *x, int32_t *hidden)
{
    smr_status st = SMR_OK;
    const struct smr_bayesnet_state *s = state_;
    struct drawing w = {s, of, x, hidden, NULL, of->n_sequences * of->length};
    (void)params_;
    for (int64_t j = 0; j < s->n_features; j++)
        if (s->cut_at[j + 1] > s->cut_at[j] && isnan(of->range[2 * j]))
            TRY(smr_fail(ctx, SMR_ERR_PARAM,
                         "bayesnet: where the outermost bins of feature %lld end is not known, so "
                         "that no rows can be drawn; train again from a table whose numbers are "
                         "columns of their own",
                         (long long)j + 1));
    TRY_NEW(w.level, smr_lanes(ctx) * s->n_nodes);
    TRY(smr_parallel(ctx, "drawing", smr_block_count(w.n, BLOCK), draw_block, &w));
out:
    smr_free(w.level);
    return st;
}
