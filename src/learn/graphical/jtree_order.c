/* jtree_order.c -- in which order nodes are eliminated: min-fill and min-weight.
 *
 * The graph is a matrix of bits.  The fill of a node is the number of pairs of its neighbours that
 * are not neighbours of each other; after a node is gone, only those of its neighbours and of
 * theirs change.  Cost O(n d^2 / 64) words for each node of d neighbours. */
#include "learn/graphical/jtree_order.h"

#include <math.h>
#include <string.h>

struct graph {
    int64_t n, words; /* of a row */
    uint64_t *bit;
    bool *gone;
    double *weight, *fill; /* cells of the clique; edges that would be added */
    const int64_t *levels;
    bool by_fill;
};

static uint64_t *row_of(const struct graph *g, int64_t i)
{
    return g->bit + i * g->words;
}

static void join(struct graph *g, int64_t i, int64_t j)
{
    if (i == j) return;
    row_of(g, i)[j / 64] |= (uint64_t)1 << (j % 64);
    row_of(g, j)[i / 64] |= (uint64_t)1 << (i % 64);
}

/* The next neighbour after j, or n. */
static int64_t next_of(const struct graph *g, const uint64_t *row, int64_t j)
{
    for (j++; j < g->n; j = (j / 64 + 1) * 64) {
        uint64_t rest = row[j / 64] >> (j % 64);
        if (rest) return j + __builtin_ctzll(rest);
    }
    return g->n;
}

static void measure(struct graph *g, int64_t i)
{
    const uint64_t *row = row_of(g, i);
    double weight = (double)g->levels[i];
    int64_t missing = 0;
    for (int64_t j = next_of(g, row, -1); j < g->n; j = next_of(g, row, j)) {
        const uint64_t *other = row_of(g, j);
        weight *= (double)g->levels[j];
        for (int64_t w = 0; w < g->words; w++) missing += __builtin_popcountll(row[w] & ~other[w]);
        missing--; /* j itself */
    }
    g->weight[i] = weight;
    int64_t pairs = missing / 2;
    g->fill[i] = (double)pairs;
}

static int64_t choose(const struct graph *g)
{
    int64_t best = -1;
    for (int64_t i = 0; i < g->n; i++) {
        if (g->gone[i]) continue;
        if (best < 0) {
            best = i;
            continue;
        }
        const double *first = g->by_fill ? g->fill : g->weight;
        const double *then = g->by_fill ? g->weight : g->fill;
        if (first[i] < first[best] || (first[i] == first[best] && then[i] < then[best])) best = i;
    }
    return best;
}

/* Takes node i out; its neighbours are joined, and what changed is measured again. */
static void take_out(struct graph *g, int64_t i, const int32_t *near, int64_t n_near, bool *stale)
{
    uint64_t *row = row_of(g, i);
    for (int64_t a = 0; a < n_near; a++) {
        uint64_t *other = row_of(g, near[a]);
        for (int64_t w = 0; w < g->words; w++) other[w] |= row[w];
        other[near[a] / 64] &= ~((uint64_t)1 << (near[a] % 64));
        other[i / 64] &= ~((uint64_t)1 << (i % 64));
    }
    g->gone[i] = true;
    memset(stale, 0, (size_t)g->n * sizeof *stale);
    for (int64_t a = 0; a < n_near; a++) {
        const uint64_t *other = row_of(g, near[a]);
        stale[near[a]] = true;
        if (g->fill[i] > 0) /* no edge was added: only the neighbours lost one */
            for (int64_t j = next_of(g, other, -1); j < g->n; j = next_of(g, other, j))
                stale[j] = true;
    }
    for (int64_t j = 0; j < g->n; j++)
        if (stale[j] && !g->gone[j]) measure(g, j);
    memset(row, 0, (size_t)g->words * sizeof *row);
}

static void moralise(struct graph *g, const smr_dag *dag, const int32_t *together, int64_t n)
{
    memset(g->bit, 0, (size_t)(g->n * g->words) * sizeof *g->bit);
    for (int64_t i = 0; i < g->n; i++) {
        g->gone[i] = false;
        for (int64_t e = dag->start[i]; e < dag->start[i + 1]; e++) {
            join(g, i, dag->parent[e]);
            for (int64_t f = dag->start[i]; f < e; f++) join(g, dag->parent[f], dag->parent[e]);
        }
    }
    for (int64_t a = 0; a < n; a++)
        for (int64_t b = 0; b < a; b++) join(g, together[a], together[b]);
    for (int64_t i = 0; i < g->n; i++) measure(g, i);
}

static smr_status run(smr_ctx *ctx, struct graph *g, bool *stale, smr_eliminated *out)
{
    smr_status st = SMR_OK;
    int64_t room = 4 * g->n + 16, n = 0;
    TRY_NEW(out->order, g->n);
    TRY_NEW(out->near_at, g->n + 1);
    TRY_NEW(out->near, room);
    for (int64_t k = 0; k < g->n; k++) {
        int64_t i = choose(g);
        const uint64_t *row = row_of(g, i);
        if (n + g->n > room) {
            room = 2 * room + g->n;
            int32_t *near = smr_realloc(ctx, out->near, room, sizeof *near);
            if (!near) TRY(SMR_ERR_NOMEM);
            out->near = near;
        }
        for (int64_t j = next_of(g, row, -1); j < g->n; j = next_of(g, row, j))
            out->near[n++] = (int32_t)j;
        out->order[k] = (int32_t)i;
        out->near_at[k + 1] = n;
        out->cells += g->weight[i];
        take_out(g, i, out->near + out->near_at[k], n - out->near_at[k], stale);
        if (k % 64 == 0) TRY(smr_tick(ctx, "elimination", k, g->n, NAN));
    }
out:
    return st;
}

void smr_eliminated_release(smr_eliminated *e)
{
    smr_free(e->order);
    smr_free(e->near_at);
    smr_free(e->near);
    *e = (smr_eliminated){0};
}

smr_status smr_eliminate(smr_ctx *ctx, const smr_tables *tables, const int32_t *together,
                         int64_t n_together, smr_eliminated *out)
{
    smr_status st = SMR_OK;
    int64_t n = tables->dag.n;
    struct graph g = {.n = n, .words = (n + 63) / 64, .levels = tables->levels, .by_fill = true};
    smr_eliminated other = {0};
    bool *stale = NULL;
    *out = (smr_eliminated){0};
    TRY(smr_memory_check(ctx, (double)n * (double)g.words * 8, "the graph as a matrix",
                         "use fewer columns"));
    TRY_NEW(g.bit, n * g.words);
    TRY_NEW(g.gone, n);
    TRY_NEW(g.weight, n);
    TRY_NEW(g.fill, n);
    TRY_NEW(stale, n);
    moralise(&g, &tables->dag, together, n_together);
    TRY(run(ctx, &g, stale, out));
    g.by_fill = false;
    moralise(&g, &tables->dag, together, n_together);
    TRY(run(ctx, &g, stale, &other));
    if (other.cells < out->cells) {
        smr_eliminated held = *out;
        *out = other;
        other = held;
    }
out:
    smr_free(g.bit);
    smr_free(g.gone);
    smr_free(g.weight);
    smr_free(g.fill);
    smr_free(stale);
    smr_eliminated_release(&other);
    if (st != SMR_OK) smr_eliminated_release(out);
    return st;
}
