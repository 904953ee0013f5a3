/* bayesnet_score.c -- the scores of families, (1) of bayesnet_climb.c: counted once, then looked
 * up. */
#include "core/parallel.h"
#include "core/try.h"
#include "kernel/kernel.h"
#include "learn/graphical/bayesnet_climb.h"

#include <math.h>
#include <string.h>

/* ---- families that were scored ---------------------------------------------------------- */

static int64_t slot_of(const struct smr_bn_climb *c, const int32_t *key)
{
    uint64_t hash = 0;
    for (int k = 0; k < SMR_BN_KEY; k++) {
        hash = (hash ^ (uint64_t)(uint32_t)key[k]) * UINT64_C(0x9E3779B97F4A7C15);
        hash ^= hash >> 29;
    }
    int64_t at = (int64_t)(hash % (uint64_t)c->n_slots);
    while (c->cache[at].key[0] && memcmp(c->cache[at].key, key, SMR_BN_KEY * sizeof *key) != 0)
        at = (at + 1) % c->n_slots;
    return at;
}

static smr_status keep_score(smr_ctx *ctx, struct smr_bn_climb *c, const int32_t *key, double score)
{
    if (2 * (c->n_cached + 1) > c->n_slots) {
        struct smr_bn_cached *old = c->cache;
        int64_t n = c->n_slots;
        struct smr_bn_cached *more = smr_alloc(ctx, 2 * n, sizeof *more);
        if (!more) return SMR_ERR_NOMEM;
        c->cache = more;
        c->n_slots = 2 * n;
        for (int64_t i = 0; i < n; i++)
            if (old[i].key[0]) c->cache[slot_of(c, old[i].key)] = old[i];
        smr_free(old);
    }
    struct smr_bn_cached *at = &c->cache[slot_of(c, key)];
    c->n_cached += !at->key[0];
    memcpy(at->key, key, sizeof at->key);
    at->score = score;
    return SMR_OK;
}

/* The family of a child with `parent` added, or removed if it is one; -1: as it is. */
static int64_t make_key(const struct smr_bn_climb *c, int64_t child, int64_t parent, int32_t *key)
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
    for (int64_t k = n + 1; k < SMR_BN_KEY; k++) key[k] = -1;
    return n;
}

/* ---- scores ----------------------------------------------------------------------------- */

static double penalty(const struct smr_bn_climb *c, const int32_t *key, int64_t n)
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
static smr_status score_with(smr_ctx *ctx, const struct smr_bn_climb *c, int64_t child,
                             int64_t combos, const int64_t *base, int64_t more, double *out)
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
static void combine(const struct smr_bn_climb *c, const int32_t *parent, int64_t n, int64_t skip,
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

static int64_t count_combos(const struct smr_bn_climb *c, const int32_t *parent, int64_t n,
                            int64_t skip)
{
    int64_t combos = 1;
    for (int64_t k = 0; k < n; k++)
        if (parent[k] != skip) combos *= c->rows->levels[parent[k]];
    return combos;
}

/* One child's families: task a adds or removes parent a; task n leaves them as they are. */
struct scoring {
    struct smr_bn_climb *c;
    int64_t child, combos;
};

static smr_status score_task(smr_ctx *ctx, void *arg, int64_t a, int lane)
{
    smr_status st = SMR_OK;
    struct scoring *s = arg;
    struct smr_bn_climb *c = s->c;
    int64_t child = s->child, n_parents = c->g->n_parents[child];
    const int32_t *list = c->g->parent + child * c->g->most;
    double *to = a < c->n ? &c->other[child * c->n + a] : &c->now[child], sum = 0;
    int64_t *base = NULL;
    int32_t key[SMR_BN_KEY];
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

smr_status smr_bn_rescore(smr_ctx *ctx, struct smr_bn_climb *c, int64_t child)
{
    smr_status st = SMR_OK;
    struct scoring s = {.c = c, .child = child};
    int64_t n_parents = c->g->n_parents[child];
    const int32_t *list = c->g->parent + child * c->g->most;
    int32_t key[SMR_BN_KEY];
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
