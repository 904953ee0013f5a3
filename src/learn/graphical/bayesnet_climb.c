/* bayesnet_climb.c -- the graph by hill climbing.
 *
 * With N_ijk the weight of rows in which node i has level k and its parents their combination j,
 *
 *     BIC = sum_i s_i,   s_i = sum_jk N_ijk log(N_ijk / N_ij) - (log N)/2 q_i (r_i - 1)        (1)
 *
 * Adding, removing or reversing an edge changes one or two of the s_i.  Beginning without edges,
 * the change that raises the sum most is made until none does; of equal ones the first: by kind,
 * child and parent.  Where rows have gaps, a family counts the rows that have all of it, and its
 * first term is scaled to all rows.  The scores of all families that differ by one parent from
 * those of the graph are kept, and what was scored once is looked up: a change costs one pass over
 * the rows for each node.  An edge whose penalty alone makes s_i worse is not counted at all.
 *
 * From a graph that no change makes better, the search goes on for some changes, a detour: the best
 * of those whose edge was not changed just before is made, though it makes the graph worse.  Where
 * that leads to a better graph than the best so far, the detour begins anew; else the best is
 * kept (tabu search).
 *
 * A restart draws some changes from the best graph found, and climbs and detours again.
 * References: Heckerman, Geiger & Chickering, Machine Learning 20 (1995) 197-243; Glover, ORSA
 * Journal on Computing 1 (1989) 190-206. */
#include "learn/graphical/bayesnet_climb.h"
#include "core/rng.h"
#include "core/try.h"
#include "kernel/kernel.h"

#include <math.h>
#include <string.h>

enum { ADD, REMOVE, REVERSE };

/* ---- climbing --------------------------------------------------------------------------- */

/* Is there a way from a to b? */
static bool leads_to(const struct smr_bn_climb *c, int64_t a, int64_t b, bool *seen, int32_t *stack)
{
    int64_t n = 0;
    memset(seen, 0, (size_t)c->n * sizeof *seen);
    stack[n++] = (int32_t)b;
    seen[b] = true;
    while (n > 0) {
        int64_t at = stack[--n];
        if (at == a) return true;
        for (int64_t k = 0; k < c->g->n_parents[at]; k++) {
            int32_t up = c->g->parent[at * c->g->most + k];
            if (seen[up]) continue;
            seen[up] = true;
            stack[n++] = up;
        }
    }
    return false;
}

struct step {
    int kind;
    int64_t from, to;
    double gain;
};

/* Would the graph stay without cycles?  A reversal may not leave another way. */
static bool is_allowed(struct smr_bn_climb *c, const struct step *s, bool *seen, int32_t *stack)
{
    if (s->kind == REMOVE) return true;
    if (s->kind == ADD) return !leads_to(c, s->to, s->from, seen, stack);
    smr_bn_graph_remove(c->g, s->from, s->to);
    bool other = leads_to(c, s->from, s->to, seen, stack);
    smr_bn_graph_add(c->g, s->from, s->to);
    return !other;
}

/* An edge and its reverse often score the same: sums that differ by rounding alone are equal, or
 * the names of the levels would decide. */
static void consider(struct smr_bn_climb *c, struct step s, double slack, bool *seen,
                     int32_t *stack, struct step *best)
{
    if (s.gain > best->gain + slack && is_allowed(c, &s, seen, stack)) *best = s;
}

/* The best change that gains more than `least`; -INFINITY: the best that there is. */
static struct step find_step(struct smr_bn_climb *c, double least, double slack, bool *seen,
                             int32_t *stack)
{
    struct step best = {.gain = least, .from = -1};
    for (int kind = ADD; kind <= REVERSE; kind++)
        for (int64_t to = 0; to < c->n; to++)
            for (int64_t from = 0; from < c->n; from++) {
                double gain = c->other[to * c->n + from] - c->now[to];
                if (from == to || smr_bn_graph_has(c->g, from, to) != (kind != ADD)) continue;
                if (least < 0 && c->rest[to * c->n + from] > c->made) continue;
                if (kind == REVERSE) gain += c->other[from * c->n + to] - c->now[from];
                consider(c, (struct step){kind, from, to, gain}, slack, seen, stack, &best);
            }
    return best;
}

static smr_status take_step(smr_ctx *ctx, struct smr_bn_climb *c, const struct step *s)
{
    smr_status st = SMR_OK;
    c->made++;
    c->rest[s->to * c->n + s->from] = c->rest[s->from * c->n + s->to] = c->made + 1 + c->n / 2;
    if (s->kind == ADD)
        smr_bn_graph_add(c->g, s->from, s->to);
    else
        smr_bn_graph_remove(c->g, s->from, s->to);
    if (s->kind == REVERSE) smr_bn_graph_add(c->g, s->to, s->from);
    TRY(smr_bn_rescore(ctx, c, s->to));
    if (s->kind == REVERSE) TRY(smr_bn_rescore(ctx, c, s->from));
out:
    return st;
}

static double total(const struct smr_bn_climb *c)
{
    double sum = 0;
    for (int64_t i = 0; i < c->n; i++) sum += c->now[i];
    return sum;
}

static smr_status climb_up(smr_ctx *ctx, struct smr_bn_climb *c, bool *seen, int32_t *stack,
                           smr_fit_report *report)
{
    smr_status st = SMR_OK;
    for (int64_t step = 0;; step++) {
        struct step s = find_step(c, 0, 1e-9 * fabs(total(c)), seen, stack);
        if (s.from < 0) break;
        TRY(take_step(ctx, c, &s));
        TRY(smr_tick(ctx, "edges", step, 0, total(c)));
        if (report) TRY(smr_fit_step(ctx, report, -total(c) / c->rows->total));
    }
out:
    return st;
}

static void copy_graph(const struct smr_bn_graph *from, struct smr_bn_graph *to)
{
    memcpy(to->parent, from->parent, (size_t)(from->n * from->most) * sizeof *to->parent);
    memcpy(to->n_parents, from->n_parents, (size_t)from->n * sizeof *to->n_parents);
}

/* The graph again, and what depends on it. */
static smr_status go_back(smr_ctx *ctx, struct smr_bn_climb *c, const struct smr_bn_graph *to)
{
    smr_status st = SMR_OK;
    copy_graph(to, c->g);
    for (int64_t i = 0; i < c->n; i++) TRY(smr_bn_rescore(ctx, c, i));
out:
    return st;
}

/* Climbs, and then on as far as `detour` changes that lead to no better graph. */
static smr_status climb_on(smr_ctx *ctx, struct smr_bn_climb *c, int64_t detour, bool *seen,
                           int32_t *stack, smr_fit_report *report)
{
    smr_status st = SMR_OK;
    struct smr_bn_graph best = {0};
    TRY(climb_up(ctx, c, seen, stack, report));
    if (detour == 0) goto out;
    double most = total(c);
    TRY(smr_bn_graph_make(ctx, c->n, c->g->most, &best));
    copy_graph(c->g, &best);
    for (int64_t k = 0; k < detour; k++) {
        struct step s = find_step(c, -INFINITY, 1e-9 * fabs(most), seen, stack);
        if (s.from < 0) break;
        TRY(take_step(ctx, c, &s));
        TRY(smr_tick(ctx, "edges", k, detour, total(c)));
        if (!(total(c) > most + 1e-9 * fabs(most))) continue;
        TRY(climb_up(ctx, c, seen, stack, NULL));
        most = total(c);
        copy_graph(c->g, &best);
        if (report) TRY(smr_fit_step(ctx, report, -most / c->rows->total));
        k = -1;
    }
    TRY(go_back(ctx, c, &best));
out:
    smr_bn_graph_release(&best);
    return st;
}

/* A few changes drawn at random, those that are allowed. */
static smr_status shake(smr_ctx *ctx, struct smr_bn_climb *c, int64_t restart, bool *seen,
                        int32_t *stack)
{
    smr_status st = SMR_OK;
    for (int64_t k = 0; k < 4 + c->n / 4; k++) {
        uint64_t a = (uint64_t)restart, b = 2 * (uint64_t)k;
        struct step s = {.kind = ADD};
        s.from = smr_random_below(ctx->seed, SMR_STREAM_EDGES, a, b, c->n);
        s.to = smr_random_below(ctx->seed, SMR_STREAM_EDGES, a, b + 1, c->n);
        if (s.from == s.to) continue;
        if (smr_bn_graph_has(c->g, s.from, s.to)) s.kind = REMOVE;
        if (s.kind == ADD &&
            (c->g->n_parents[s.to] == c->g->most || !(c->other[s.to * c->n + s.from] > -INFINITY)))
            continue;
        if (is_allowed(c, &s, seen, stack)) TRY(take_step(ctx, c, &s));
    }
out:
    return st;
}

static smr_status restart_often(smr_ctx *ctx, struct smr_bn_climb *c, int64_t restarts,
                                int64_t detour, bool *seen, int32_t *stack)
{
    smr_status st = SMR_OK;
    struct smr_bn_graph best = {0};
    double most = total(c);
    TRY(smr_bn_graph_make(ctx, c->n, c->g->most, &best));
    copy_graph(c->g, &best);
    for (int64_t r = 1; r <= restarts; r++) {
        TRY(go_back(ctx, c, &best));
        TRY(shake(ctx, c, r, seen, stack));
        TRY(climb_on(ctx, c, detour, seen, stack, NULL));
        if (!(total(c) > most + 1e-9 * fabs(most))) continue;
        most = total(c);
        copy_graph(c->g, &best);
    }
    copy_graph(&best, c->g);
out:
    smr_bn_graph_release(&best);
    return st;
}

smr_status smr_bn_graph_climb(smr_ctx *ctx, const struct smr_bayesnet_params *p,
                              const struct smr_bn_rows *rows, smr_fit_report *report,
                              struct smr_bn_graph *g)
{
    smr_status st = SMR_OK;
    int64_t n = rows->n_nodes;
    struct smr_bn_climb c = {.rows = rows, .g = g, .n = n, .n_slots = 1024};
    bool *seen = NULL;
    int32_t *stack = NULL;
    c.half_log = smr_log(smr_fmax(rows->total, 1)) / 2;
    TRY(smr_memory_check(ctx, 16.0 * (double)n * (double)n,
                         "bayesnet: a score for each pair of "
                         "columns",
                         "structure=naive needs none"));
    TRY_NEW(c.now, n);
    TRY_NEW(c.other, n * n);
    TRY_NEW(c.rest, n * n);
    TRY_NEW(c.base, rows->n);
    TRY_NEW(c.cache, c.n_slots);
    TRY_NEW(seen, n);
    TRY_NEW(stack, n);
    for (int64_t i = 0; i < n; i++) {
        TRY(smr_tick(ctx, "pairs of columns", i, n, NAN));
        TRY(smr_bn_rescore(ctx, &c, i));
    }
    TRY(climb_on(ctx, &c, p->detour, seen, stack, report));
    if (p->restarts) TRY(restart_often(ctx, &c, p->restarts, p->detour, seen, stack));
out:
    smr_free(c.now);
    smr_free(c.other);
    smr_free(c.rest);
    smr_free(c.base);
    smr_free(c.cache);
    smr_free(seen);
    smr_free(stack);
    return st;
}
