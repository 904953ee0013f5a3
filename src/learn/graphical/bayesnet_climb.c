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
 * A restart draws some changes from the best graph found and climbs again.
 * Reference: Heckerman, Geiger & Chickering, Machine Learning 20 (1995) 197-243. */
#include "core/parallel.h"
#include "core/rng.h"
#include "kernel/kernel.h"
#include "learn/graphical/bayesnet.h"

#include <math.h>
#include <string.h>

enum { ADD, REMOVE, REVERSE, KEY = SMR_BN_MOST_PARENTS + 2 };

struct cached {
    int32_t key[KEY]; /* child + 1, then parents, then -1; child 0: free */
    double score;
};

struct climb {
    const struct smr_bn_rows *rows;
    struct smr_bn_graph *g;
    int64_t n;
    double half_log; /* (log N) / 2                                            */
    double *now;     /* n: s_i                                                 */
    double *other;   /* n x n: s_child with this parent added or removed; -inf */
    int64_t *base;   /* n rows: the combination of a child's parents           */
    struct cached *cache;
    int64_t n_slots, n_cached;
    int64_t n_passes;
};

/* ---- families that were scored ---------------------------------------------------------- */

static int64_t slot_of(const struct climb *c, const int32_t *key)
{
    uint64_t hash = 0;
    for (int k = 0; k < KEY; k++) {
        hash = (hash ^ (uint64_t)(uint32_t)key[k]) * UINT64_C(0x9E3779B97F4A7C15);
        hash ^= hash >> 29;
    }
    int64_t at = (int64_t)(hash % (uint64_t)c->n_slots);
    while (c->cache[at].key[0] && memcmp(c->cache[at].key, key, KEY * sizeof *key) != 0)
        at = (at + 1) % c->n_slots;
    return at;
}

static smr_status keep_score(smr_ctx *ctx, struct climb *c, const int32_t *key, double score)
{
    if (2 * (c->n_cached + 1) > c->n_slots) {
        struct cached *old = c->cache;
        int64_t n = c->n_slots;
        struct cached *more = smr_alloc(ctx, 2 * n, sizeof *more);
        if (!more) return SMR_ERR_NOMEM;
        c->cache = more;
        c->n_slots = 2 * n;
        for (int64_t i = 0; i < n; i++)
            if (old[i].key[0]) c->cache[slot_of(c, old[i].key)] = old[i];
        smr_free(old);
    }
    struct cached *at = &c->cache[slot_of(c, key)];
    c->n_cached += !at->key[0];
    memcpy(at->key, key, sizeof at->key);
    at->score = score;
    return SMR_OK;
}

/* The family of a child with `parent` added, or removed if it is one; -1: as it is. */
static int64_t make_key(const struct climb *c, int64_t child, int64_t parent, int32_t *key)
{
    const int32_t *list = c->g->parent + child * c->g->most;
    int64_t n = 0;
    bool put = parent < 0;
    key[0] = (int32_t)child + 1;
    for (int64_t k = 0; k < c->g->n_parents[child]; k++) {
        if (list[k] == parent) {
            put = true;
            continue;
        }
        if (!put && list[k] > parent) {
            key[1 + n++] = (int32_t)parent;
            put = true;
        }
        key[1 + n++] = list[k];
    }
    if (!put) key[1 + n++] = (int32_t)parent;
    for (int64_t k = n + 1; k < KEY; k++) key[k] = -1;
    return n;
}

/* ---- scores ----------------------------------------------------------------------------- */

static double penalty(const struct climb *c, const int32_t *key, int64_t n)
{
    double q = (double)(c->rows->levels[key[0] - 1] - 1);
    for (int64_t k = 0; k < n; k++) q *= (double)c->rows->levels[key[1 + k]];
    return c->half_log * q;
}

static double sum_family(const double *count, int64_t rows, int64_t levels, double *used)
{
    double sum = 0;
    for (int64_t j = 0; j < rows; j++) {
        double n = 0;
        for (int64_t k = 0; k < levels; k++) n += count[j * levels + k];
        if (!(n > 0)) continue;
        for (int64_t k = 0; k < levels; k++) {
            double m = count[j * levels + k];
            if (m > 0) sum += m * smr_log(m / n);
        }
        *used += n;
    }
    return sum;
}

/* One pass: the combination of `base` (NULL: 0) with the levels of one more parent (-1: none). */
static smr_status score_with(smr_ctx *ctx, const struct climb *c, int64_t child, int64_t combos,
                             const int64_t *base, int64_t more, double *out)
{
    smr_status st = SMR_OK;
    const struct smr_bn_rows *rows = c->rows;
    int64_t levels = rows->levels[child], wide = more < 0 ? 1 : rows->levels[more];
    const int32_t *y = rows->code + child * rows->n;
    const int32_t *x = more < 0 ? y : rows->code + more * rows->n;
    double *count = NULL, used = 0;
    TRY_NEW(count, combos * wide * levels);
    for (int64_t r = 0; r < rows->n; r++) {
        int64_t at = base ? base[r] : 0, add = more < 0 ? 0 : x[r];
        if ((at | add | y[r]) < 0) continue;
        count[(at * wide + add) * levels + y[r]] += smr_bn_weight(rows, r);
    }
    *out = sum_family(count, combos * wide, levels, &used);
    if (used > 0 && used < rows->total) *out *= rows->total / used;
out:
    smr_free(count);
    return st;
}

/* base[r] = the combination of these parents in row r, or -1. */
static void combine(const struct climb *c, const int32_t *parent, int64_t n, int64_t skip,
                    int64_t *base)
{
    const struct smr_bn_rows *rows = c->rows;
    memset(base, 0, (size_t)rows->n * sizeof *base);
    for (int64_t k = 0; k < n; k++) {
        const int32_t *x = rows->code + (int64_t)parent[k] * rows->n;
        int64_t levels = rows->levels[parent[k]];
        if (parent[k] == skip) continue;
        for (int64_t r = 0; r < rows->n; r++)
            base[r] = base[r] < 0 || x[r] < 0 ? -1 : base[r] * levels + x[r];
    }
}

static int64_t count_combos(const struct climb *c, const int32_t *parent, int64_t n, int64_t skip)
{
    int64_t combos = 1;
    for (int64_t k = 0; k < n; k++)
        if (parent[k] != skip) combos *= c->rows->levels[parent[k]];
    return combos;
}

/* One child's families: task a adds or removes parent a; task n leaves them as they are. */
struct scoring {
    struct climb *c;
    int64_t child, combos;
};

static smr_status score_task(smr_ctx *ctx, void *arg, int64_t a, int lane)
{
    smr_status st = SMR_OK;
    struct scoring *s = arg;
    struct climb *c = s->c;
    int64_t child = s->child, n_parents = c->g->n_parents[child];
    const int32_t *list = c->g->parent + child * c->g->most;
    double *to = a < c->n ? &c->other[child * c->n + a] : &c->now[child], sum = 0;
    int64_t *base = NULL;
    int32_t key[KEY];
    (void)lane;
    if (a == child || !isnan(*to)) return SMR_OK; /* known */
    bool removes = a < c->n && smr_bn_graph_has(c->g, a, child);
    int64_t n = make_key(c, child, a < c->n ? a : -1, key);
    if (removes) {
        TRY_NEW(base, c->rows->n);
        combine(c, list, n_parents, a, base);
        TRY(score_with(ctx, c, child, count_combos(c, list, n_parents, a), base, -1, &sum));
    } else {
        TRY(score_with(ctx, c, child, s->combos, n_parents ? c->base : NULL, a < c->n ? a : -1,
                       &sum));
    }
    *to = sum - penalty(c, key, n);
out:
    smr_free(base);
    return st;
}

/* All that depend on the parents of a child: looked up, ruled out, or counted. */
static smr_status rescore(smr_ctx *ctx, struct climb *c, int64_t child)
{
    smr_status st = SMR_OK;
    struct scoring s = {.c = c, .child = child};
    int64_t n_parents = c->g->n_parents[child];
    const int32_t *list = c->g->parent + child * c->g->most;
    int32_t key[KEY];
    s.combos = count_combos(c, list, n_parents, -1);
    if (n_parents) combine(c, list, n_parents, -1, c->base);
    make_key(c, child, -1, key);
    int64_t at = slot_of(c, key);
    c->now[child] = c->cache[at].key[0] ? c->cache[at].score : NAN;
    TRY(score_task(ctx, &s, c->n, 0));
    TRY(keep_score(ctx, c, key, c->now[child]));
    for (int64_t a = 0; a < c->n; a++) {
        double *to = &c->other[child * c->n + a];
        *to = -INFINITY;
        if (a == child) continue;
        bool removes = smr_bn_graph_has(c->g, a, child);
        if (!removes && n_parents == c->g->most) continue;
        int64_t n = make_key(c, child, a, key);
        if (!removes && -penalty(c, key, n) <= c->now[child]) continue;
        at = slot_of(c, key);
        *to = c->cache[at].key[0] ? c->cache[at].score : NAN;
        c->n_passes += isnan(*to);
    }
    TRY(smr_parallel(ctx, NULL, c->n, score_task, &s));
    for (int64_t a = 0; a < c->n; a++) {
        double score = c->other[child * c->n + a];
        if (!(score > -INFINITY)) continue;
        make_key(c, child, a, key);
        TRY(keep_score(ctx, c, key, score));
    }
out:
    return st;
}

/* ---- climbing --------------------------------------------------------------------------- */

/* Is there a way from a to b? */
static bool leads_to(const struct climb *c, int64_t a, int64_t b, bool *seen, int32_t *stack)
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
static bool is_allowed(struct climb *c, const struct step *s, bool *seen, int32_t *stack)
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
static void consider(struct climb *c, struct step s, double slack, bool *seen, int32_t *stack,
                     struct step *best)
{
    if (s.gain > best->gain + slack && is_allowed(c, &s, seen, stack)) *best = s;
}

static struct step find_step(struct climb *c, double slack, bool *seen, int32_t *stack)
{
    struct step best = {.gain = 0, .from = -1};
    for (int kind = ADD; kind <= REVERSE; kind++)
        for (int64_t to = 0; to < c->n; to++)
            for (int64_t from = 0; from < c->n; from++) {
                double gain = c->other[to * c->n + from] - c->now[to];
                if (from == to || smr_bn_graph_has(c->g, from, to) != (kind != ADD)) continue;
                if (kind == REVERSE) gain += c->other[from * c->n + to] - c->now[from];
                consider(c, (struct step){kind, from, to, gain}, slack, seen, stack, &best);
            }
    return best;
}

static smr_status take_step(smr_ctx *ctx, struct climb *c, const struct step *s)
{
    smr_status st = SMR_OK;
    if (s->kind == ADD)
        smr_bn_graph_add(c->g, s->from, s->to);
    else
        smr_bn_graph_remove(c->g, s->from, s->to);
    if (s->kind == REVERSE) smr_bn_graph_add(c->g, s->to, s->from);
    TRY(rescore(ctx, c, s->to));
    if (s->kind == REVERSE) TRY(rescore(ctx, c, s->from));
out:
    return st;
}

static double total(const struct climb *c)
{
    double sum = 0;
    for (int64_t i = 0; i < c->n; i++) sum += c->now[i];
    return sum;
}

static smr_status climb_up(smr_ctx *ctx, struct climb *c, bool *seen, int32_t *stack,
                           smr_fit_report *report)
{
    smr_status st = SMR_OK;
    for (int64_t step = 0;; step++) {
        struct step s = find_step(c, 1e-9 * fabs(total(c)), seen, stack);
        if (s.from < 0) break;
        TRY(take_step(ctx, c, &s));
        TRY(smr_tick(ctx, "edges", step, 0, total(c)));
        if (report) TRY(smr_fit_step(ctx, report, -total(c) / c->rows->total));
    }
out:
    return st;
}

/* A few changes drawn at random, those that are allowed. */
static smr_status shake(smr_ctx *ctx, struct climb *c, int64_t restart, bool *seen, int32_t *stack)
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

static void copy_graph(const struct smr_bn_graph *from, struct smr_bn_graph *to)
{
    memcpy(to->parent, from->parent, (size_t)(from->n * from->most) * sizeof *to->parent);
    memcpy(to->n_parents, from->n_parents, (size_t)from->n * sizeof *to->n_parents);
}

static smr_status restart_often(smr_ctx *ctx, struct climb *c, int64_t restarts, bool *seen,
                                int32_t *stack)
{
    smr_status st = SMR_OK;
    struct smr_bn_graph best = {0};
    double most = total(c);
    TRY(smr_bn_graph_make(ctx, c->n, c->g->most, &best));
    copy_graph(c->g, &best);
    for (int64_t r = 1; r <= restarts; r++) {
        copy_graph(&best, c->g);
        for (int64_t i = 0; i < c->n; i++) TRY(rescore(ctx, c, i));
        TRY(shake(ctx, c, r, seen, stack));
        TRY(climb_up(ctx, c, seen, stack, NULL));
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
    struct climb c = {.rows = rows, .g = g, .n = n, .n_slots = 1024};
    bool *seen = NULL;
    int32_t *stack = NULL;
    c.half_log = smr_log(smr_fmax(rows->total, 1)) / 2;
    TRY(smr_memory_check(ctx, 8.0 * (double)n * (double)n,
                         "bayesnet: a score for each pair of "
                         "columns",
                         "structure=naive needs none"));
    TRY_NEW(c.now, n);
    TRY_NEW(c.other, n * n);
    TRY_NEW(c.base, rows->n);
    TRY_NEW(c.cache, c.n_slots);
    TRY_NEW(seen, n);
    TRY_NEW(stack, n);
    for (int64_t i = 0; i < n; i++) {
        TRY(smr_tick(ctx, "pairs of columns", i, n, NAN));
        TRY(rescore(ctx, &c, i));
    }
    TRY(climb_up(ctx, &c, seen, stack, report));
    if (p->restarts) TRY(restart_often(ctx, &c, p->restarts, seen, stack));
out:
    smr_free(c.now);
    smr_free(c.other);
    smr_free(c.base);
    smr_free(c.cache);
    smr_free(seen);
    smr_free(stack);
    return st;
}
