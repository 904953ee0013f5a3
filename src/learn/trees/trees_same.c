/* trees_same.c -- which features the nodes of a tree ask for, and where each was asked for last.
 *
 * Time and memory are those of the nodes: a file may say that its rows are a billion wide. */
#include "core/ctx.h"
#include "core/mem.h"
#include "core/sort.h"
#include "core/try.h"
#include "learn/trees/walk.h"

/* ---- features --------------------------------------------------------------------------- */

/* By a table of all features up to the last that is asked for. */
static smr_status place_by_table(smr_ctx *ctx, const smr_tree_step *step, int64_t n, int64_t d,
                                 int32_t *place, int64_t *count)
{
    smr_status st = SMR_OK;
    int32_t *rank = NULL;
    TRY_NEW(rank, d);
    for (int64_t i = 0; i < n; i++)
        if (smr_step_children(&step[i])) rank[smr_step_feature(&step[i])] = 1;
    *count = 0;
    for (int64_t j = 0; j < d; j++) rank[j] = rank[j] ? (int32_t)(*count)++ : -1;
    for (int64_t i = 0; i < n; i++)
        place[i] = smr_step_children(&step[i]) ? rank[smr_step_feature(&step[i])] : -1;
out:
    smr_free(rank);
    return st;
}

static int compare_features(const void *items, int64_t a, int64_t b)
{
    const smr_tree_step *step = items;
    int64_t x = smr_step_feature(&step[a]), y = smr_step_feature(&step[b]);
    return (x > y) - (x < y);
}

static smr_status place_by_order(smr_ctx *ctx, const smr_tree_step *step, int64_t n, int32_t *place,
                                 int64_t *count)
{
    smr_status st = SMR_OK;
    int64_t *order = NULL, last = -1;
    TRY_NEW(order, n);
    TRY(smr_argsort(ctx, n, compare_features, step, order));
    *count = 0;
    for (int64_t k = 0; k < n; k++) {
        const smr_tree_step *s = &step[order[k]];
        if (!smr_step_children(s)) {
            place[order[k]] = -1;
            continue;
        }
        if (smr_step_feature(s) != last) ++*count;
        last = smr_step_feature(s);
        place[order[k]] = (int32_t)(*count - 1);
    }
out:
    smr_free(order);
    return st;
}

smr_status smr_steps_features(smr_ctx *ctx, const smr_tree_step *step, int64_t n, int32_t *place,
                              int64_t *count)
{
    int64_t d = 1;
    for (int64_t i = 0; i < n; i++)
        if (smr_step_children(&step[i])) d = SMR_MAX(d, smr_step_feature(&step[i]) + 1);
    if (d <= 4 * n) return place_by_table(ctx, step, n, d, place, count);
    return place_by_order(ctx, step, n, place, count);
}

/* ---- the nearest question about the same feature ---------------------------------------- */

struct tour {
    const smr_tree_step *step;
    const int32_t *place; /* of each node's feature */
    int32_t *last;        /* of each feature: the node below the nearest edge that asked for it */
    int32_t *kept;        /* of each node: what that was before the edge above it */
    int32_t *same;
};

/* Down from node i along the edge to its child c. */
static void enter_edge(struct tour *t, int64_t i, int64_t c)
{
    t->kept[c] = t->last[t->place[i]];
    t->last[t->place[i]] = (int32_t)c;
    t->same[c] = t->place[c] >= 0 ? t->last[t->place[c]] : -1;
}

/* Over all nodes, each edge once down and once up, without a stack. */
static void go_round(struct tour *t, int64_t lo, const int32_t *parent)
{
    for (int64_t at = 0;;) {
        if (t->place[at] >= 0) { /* down */
            int64_t child = t->step[at].first - lo;
            enter_edge(t, at, child);
            at = child;
            continue;
        }
        for (; at > 0; at = parent[at]) { /* up, until there is a next child */
            int64_t up = parent[at];
            int64_t end = t->step[up].first - lo + smr_step_children(&t->step[up]);
            t->last[t->place[up]] = t->kept[at];
            if (at + 1 == end) continue;
            enter_edge(t, up, ++at);
            break;
        }
        if (at == 0) break;
    }
}

smr_status smr_trees_same(smr_ctx *ctx, const smr_trees *trees, int64_t tree, int32_t *same,
                          int32_t *parent)
{
    smr_status st = SMR_OK;
    int64_t lo = trees->root[tree], n = trees->root[tree + 1] - lo, count = 0;
    const smr_tree_step *step = trees->walk->step + lo;
    int32_t *last = NULL, *kept = NULL, *place = NULL;
    TRY_NEW(place, n);
    TRY_NEW(kept, n);
    TRY(smr_steps_features(ctx, step, n, place, &count));
    TRY_NEW(last, count + 1);
    for (int64_t j = 0; j < count; j++) last[j] = -1;
    parent[0] = same[0] = -1;
    for (int64_t i = 0; i < n; i++)
        for (int64_t c = 0; c < smr_step_children(&step[i]); c++)
            parent[step[i].first - lo + c] = (int32_t)i;
    go_round(&(struct tour){step, place, last, kept, same}, lo, parent);
out:
    smr_free(last);
    smr_free(kept);
    smr_free(place);
    return st;
}
