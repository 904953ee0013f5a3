/* dag_separated.c -- d-separation, with the paths that show it. */
#include "learn/graphical/dag.h"

enum { MOST_STEPS = 200000 }; /* of the search for paths that are blocked */

/* The graph with its edges both ways. */
struct both_ways {
    const smr_dag *dag;
    int64_t *start; /* children of node i: child[start[i] .. start[i+1]) */
    int32_t *child;
};

static smr_status turn(smr_ctx *ctx, const smr_dag *dag, struct both_ways *g)
{
    smr_status st = SMR_OK;
    g->dag = dag;
    TRY_NEW(g->start, dag->n + 2);
    TRY_NEW(g->child, dag->start[dag->n]);
    for (int64_t e = 0; e < dag->start[dag->n]; e++) g->start[dag->parent[e] + 2]++;
    for (int64_t i = 0; i < dag->n; i++) g->start[i + 2] += g->start[i + 1];
    for (int64_t i = 0; i < dag->n; i++)
        for (int64_t e = dag->start[i]; e < dag->start[i + 1]; e++)
            g->child[g->start[dag->parent[e] + 1]++] = (int32_t)i;
out:
    return st;
}

/* opens[i]: i is given, or one of its descendants is: a collider at i lets through. */
static void mark_openers(const struct both_ways *g, const bool *given, bool *opens, int32_t *stack)
{
    int64_t n = 0;
    for (int64_t i = 0; i < g->dag->n; i++) {
        if (!given[i] || opens[i]) continue;
        opens[i] = true;
        stack[n++] = (int32_t)i;
        while (n > 0) {
            int64_t at = stack[--n];
            for (int64_t e = g->dag->start[at]; e < g->dag->start[at + 1]; e++) {
                int32_t up = g->dag->parent[e];
                if (opens[up]) continue;
                opens[up] = true;
                stack[n++] = up;
            }
        }
    }
}

/* May a path go through `at`, coming along an edge into it (down) or out of it, and leaving
 * likewise? */
static bool passes(int64_t at, bool came_down, bool goes_down, const bool *given, const bool *opens)
{
    if (came_down && !goes_down) return opens[at]; /* -> at <- */
    return !given[at];
}

/* ---- open paths ------------------------------------------------------------------------- */

/* States 2 i + d: node i, reached along an edge into it (d = 1) or against one (d = 0). */
struct search {
    const struct both_ways *g;
    const bool *given, *opens;
    int64_t *from; /* 2 n: the state before, plus 1; 0: not reached */
    int64_t *queue;
    int64_t n_queue;
};

static void reach(struct search *s, int64_t state, int64_t from)
{
    if (s->from[state]) return;
    s->from[state] = from + 1;
    s->queue[s->n_queue++] = state;
}

static void step_on(struct search *s, int64_t state, bool is_start)
{
    int64_t at = state / 2;
    bool down = state % 2;
    const smr_dag *dag = s->g->dag;
    if (is_start || passes(at, down, false, s->given, s->opens))
        for (int64_t e = dag->start[at]; e < dag->start[at + 1]; e++)
            reach(s, 2 * (int64_t)dag->parent[e], state);
    if (is_start || passes(at, down, true, s->given, s->opens))
        for (int64_t c = s->g->start[at]; c < s->g->start[at + 1]; c++)
            reach(s, 2 * (int64_t)s->g->child[c] + 1, state);
}

static smr_status keep_trail(smr_ctx *ctx, smr_separation *out, int64_t n, const int32_t *node,
                             int64_t blocked_at)
{
    smr_status st = SMR_OK;
    smr_trail *trail = &out->trail[out->n_trails];
    TRY_NEW(trail->node, n);
    for (int64_t k = 0; k < n; k++) trail->node[k] = node[k];
    trail->n = n;
    trail->blocked_at = blocked_at;
    out->n_trails++;
out:
    return st;
}

/* A shortest open walk, if there is any.  It meets no node twice: the part between the two visits
 * could be left out, for whoever went down from a node and came up to it again turned at a collider
 * below, which opens the node itself. */
static smr_status find_open(smr_ctx *ctx, struct search *s, int64_t a, int64_t b, int32_t *path,
                            smr_separation *out)
{
    int64_t end = -1, n = 0;
    s->from[2 * a] = -1;
    s->queue[s->n_queue++] = 2 * a;
    for (int64_t q = 0; q < s->n_queue && end < 0; q++) {
        if (s->queue[q] / 2 == b)
            end = s->queue[q];
        else
            step_on(s, s->queue[q], q == 0);
    }
    out->separated = end < 0;
    if (end < 0) return SMR_OK;
    for (int64_t state = end;; state = s->from[state] - 1) {
        path[n++] = (int32_t)(state / 2);
        if (state == 2 * a) break;
    }
    for (int64_t k = 0; k < n / 2; k++) {
        int32_t held = path[k];
        path[k] = path[n - 1 - k];
        path[n - 1 - k] = held;
    }
    return keep_trail(ctx, out, n, path, -1);
}

/* ---- blocked paths ---------------------------------------------------------------------- */

/* A path as it grows: node[k], and the number of the neighbour that comes next. */
struct growth {
    const struct both_ways *g;
    int32_t *node;
    int64_t *next;
    bool *on;
    int64_t n, steps;
};

/* Neighbour k of a node: its parents, then its children; -1: none. */
static int64_t neighbour(const struct both_ways *g, int64_t at, int64_t k)
{
    int64_t up = smr_dag_n_parents(g->dag, at);
    if (k < up) return g->dag->parent[g->dag->start[at] + k];
    k += g->start[at] - up;
    return k < g->start[at + 1] ? g->child[k] : -1;
}

static int64_t find_block(const struct both_ways *g, const int32_t *node, int64_t n,
                          const bool *given, const bool *opens)
{
    for (int64_t k = 1; k + 1 < n; k++) {
        bool came_down = smr_dag_has_edge(g->dag, node[k - 1], node[k]);
        bool goes_down = smr_dag_has_edge(g->dag, node[k], node[k + 1]);
        if (!passes(node[k], came_down, goes_down, given, opens)) return k;
    }
    return -1;
}

static smr_status find_blocked(smr_ctx *ctx, struct growth *p, int64_t a, int64_t b,
                               const bool *given, const bool *opens, smr_separation *out)
{
    smr_status st = SMR_OK;
    p->node[0] = (int32_t)a;
    p->n = 1;
    p->on[a] = true;
    while (p->n > 0) {
        int64_t at = p->node[p->n - 1], to = neighbour(p->g, at, p->next[p->n - 1]++);
        if (to < 0) {
            p->on[at] = false;
            p->next[--p->n] = 0;
        } else if (to == b) {
            if (out->n_trails == SMR_MOST_TRAILS) break;
            p->node[p->n] = (int32_t)b;
            int64_t where = find_block(p->g, p->node, p->n + 1, given, opens);
            TRY(keep_trail(ctx, out, p->n + 1, p->node, where));
        } else if (!p->on[to]) {
            p->on[to] = true;
            p->node[p->n++] = (int32_t)to;
        }
        if (++p->steps == MOST_STEPS) break;
    }
    out->more = p->n > 0;
out:
    return st;
}

smr_status smr_dag_separated(smr_ctx *ctx, const smr_dag *dag, int64_t a, int64_t b,
                             const bool *given, smr_separation *out)
{
    smr_status st = SMR_OK;
    struct both_ways g = {0};
    struct search s = {.g = &g, .given = given};
    struct growth p = {.g = &g};
    bool *opens = NULL;
    int32_t *stack = NULL;
    *out = (smr_separation){0};
    TRY(turn(ctx, dag, &g));
    TRY_NEW(opens, dag->n);
    TRY_NEW(stack, 2 * dag->n + 1);
    TRY_NEW(s.from, 2 * dag->n);
    TRY_NEW(s.queue, 2 * dag->n);
    TRY_NEW(p.node, dag->n + 1);
    TRY_NEW(p.next, dag->n + 1);
    TRY_NEW(p.on, dag->n);
    mark_openers(&g, given, opens, stack);
    s.opens = opens;
    TRY(find_open(ctx, &s, a, b, stack, out));
    if (out->separated) TRY(find_blocked(ctx, &p, a, b, given, opens, out));
out:
    smr_free(g.start);
    smr_free(g.child);
    smr_free(opens);
    smr_free(stack);
    smr_free(s.from);
    smr_free(s.queue);
    smr_free(p.node);
    smr_free(p.next);
    smr_free(p.on);
    if (st != SMR_OK) smr_separation_release(out);
    return st;
}

void smr_separation_release(smr_separation *s)
{
    for (int64_t k = 0; k < s->n_trails; k++) smr_free(s->trail[k].node);
    *s = (smr_separation){0};
}

bool smr_trail_collides(const smr_dag *dag, const smr_trail *trail, int64_t k)
{
    return smr_dag_has_edge(dag, trail->node[k - 1], trail->node[k]) &&
           smr_dag_has_edge(dag, trail->node[k + 1], trail->node[k]);
}
