/* jtree.c -- the tree of cliques: which there are, how they hang together, and its memory. */
#include "learn/graphical/jtree.h"

#include "learn/graphical/jtree_order.h"

#include <math.h>
#include <string.h>

/* Cliques before they are numbered: those of the elimination that lie in no other. */
struct draft {
    int64_t n;
    int64_t *place; /* of a node in the order                                  */
    int32_t *next;  /* clique k -> the one of its neighbour that goes first; -1 */
    int32_t *rep;   /* the clique that it lies in                              */
    int32_t *link;  /* towards the root                                        */
    int64_t *depth;
    int32_t *sorted; /* kept cliques, the deepest first */
    int64_t n_kept;
};

static void draft_release(struct draft *d)
{
    smr_free(d->place);
    smr_free(d->next);
    smr_free(d->rep);
    smr_free(d->link);
    smr_free(d->depth);
    smr_free(d->sorted);
}

static int64_t near_count(const smr_eliminated *e, int64_t k)
{
    return e->near_at[k + 1] - e->near_at[k];
}

/* Clique k without its own node lies in that of its neighbour p that goes next; p's lies in k's
 * where it is as large as that. */
static void find_cliques(const smr_eliminated *e, struct draft *d)
{
    for (int64_t k = 0; k < d->n; k++) d->place[e->order[k]] = k;
    for (int64_t k = 0; k < d->n; k++) {
        int64_t first = -1;
        for (int64_t a = e->near_at[k]; a < e->near_at[k + 1]; a++)
            if (first < 0 || d->place[e->near[a]] < first) first = d->place[e->near[a]];
        d->next[k] = (int32_t)first;
        d->rep[k] = (int32_t)k;
    }
    for (int64_t k = 0; k < d->n; k++) {
        int32_t p = d->next[k];
        if (p >= 0 && d->rep[p] == p && near_count(e, p) + 1 == near_count(e, k))
            d->rep[p] = d->rep[k];
    }
    for (int64_t k = 0; k < d->n; k++) {
        int32_t p = d->next[k];
        while (p >= 0 && d->rep[p] == k) p = d->next[p];
        d->link[k] = p < 0 ? -1 : d->rep[p];
        d->n_kept += d->rep[k] == k;
    }
}

static bool clique_has(const smr_eliminated *e, int64_t k, int64_t node)
{
    if (e->order[k] == node) return true;
    for (int64_t a = e->near_at[k]; a < e->near_at[k + 1]; a++)
        if (e->near[a] == node) return true;
    return false;
}

/* The kept clique with all of them; they are joined, so there is one. */
static int64_t find_root(const smr_eliminated *e, const struct draft *d, const int32_t *together,
                         int64_t n)
{
    int64_t root = -1;
    for (int64_t k = 0; k < d->n; k++) {
        bool all = d->rep[k] == k;
        for (int64_t a = 0; all && a < n; a++) all = clique_has(e, k, together[a]);
        if (all) root = k;
    }
    return root;
}

/* All links lead to the root; parts of the graph that nothing connects hang there too. */
static void hang(struct draft *d, int64_t root)
{
    int32_t at = (int32_t)root, next = d->link[root];
    d->link[root] = -1;
    while (next >= 0) {
        int32_t after = d->link[next];
        d->link[next] = at;
        at = next;
        next = after;
    }
    for (int64_t k = 0; k < d->n; k++)
        if (d->rep[k] == k && d->link[k] < 0 && k != root) d->link[k] = (int32_t)root;
}

/* The deepest cliques first, so that every one comes before the one it is linked to. */
static void sort_cliques(struct draft *d)
{
    int64_t deepest = 0, m = 0;
    for (int64_t k = 0; k < d->n; k++) {
        d->depth[k] = 0;
        if (d->rep[k] != k) continue;
        for (int64_t at = d->link[k]; at >= 0; at = d->link[at]) d->depth[k]++;
        deepest = SMR_MAX(deepest, d->depth[k]);
    }
    for (int64_t depth = deepest; depth >= 0; depth--)
        for (int64_t k = 0; k < d->n; k++)
            if (d->rep[k] == k && d->depth[k] == depth) d->sorted[m++] = (int32_t)k;
}

static smr_status draft_make(smr_ctx *ctx, const smr_eliminated *e, int64_t n,
                             const int32_t *together, int64_t n_together, struct draft *d)
{
    smr_status st = SMR_OK;
    d->n = n;
    TRY_NEW(d->place, n);
    TRY_NEW(d->next, n);
    TRY_NEW(d->rep, n);
    TRY_NEW(d->link, n);
    TRY_NEW(d->depth, n);
    TRY_NEW(d->sorted, n);
    find_cliques(e, d);
    hang(d, find_root(e, d, together, n_together));
    sort_cliques(d);
out:
    return st;
}

/* ---- variables of the cliques ----------------------------------------------------------- */

/* Puts a node among its neighbours, which ascend. */
static int64_t list_variables(const smr_eliminated *e, int64_t k, int32_t *out)
{
    int64_t n = 0;
    bool put = false;
    for (int64_t a = e->near_at[k]; a < e->near_at[k + 1]; a++) {
        if (!put && e->near[a] > e->order[k]) {
            out[n++] = e->order[k];
            put = true;
        }
        out[n++] = e->near[a];
    }
    if (!put) out[n++] = e->order[k];
    return n;
}

static smr_status list_cliques(smr_ctx *ctx, const smr_eliminated *e, struct draft *d, smr_jtree *t)
{
    smr_status st = SMR_OK;
    int64_t total = 0;
    t->n_cliques = d->n_kept;
    for (int64_t c = 0; c < t->n_cliques; c++) total += near_count(e, d->sorted[c]) + 1;
    TRY_NEW(t->var_at, t->n_cliques + 1);
    TRY_NEW(t->var, total);
    TRY_NEW(t->up, t->n_cliques);
    for (int64_t c = 0; c < t->n_cliques; c++) {
        d->place[d->sorted[c]] = c; /* from now on: the number of a kept clique */
        t->var_at[c + 1] = t->var_at[c] + list_variables(e, d->sorted[c], t->var + t->var_at[c]);
    }
    for (int64_t c = 0; c < t->n_cliques; c++) {
        int32_t link = d->link[d->sorted[c]];
        t->up[c] = link < 0 ? -1 : (int32_t)d->place[link];
    }
out:
    return st;
}

static double cells_of(const smr_jtree *t, int64_t c)
{
    double cells = 1;
    for (int64_t v = t->var_at[c]; v < t->var_at[c + 1]; v++)
        cells *= (double)t->of->levels[t->var[v]];
    return cells;
}

/* The smallest clique that holds a family. */
static smr_status find_homes(smr_ctx *ctx, smr_jtree *t)
{
    smr_status st = SMR_OK;
    const smr_dag *dag = &t->of->dag;
    bool *in = NULL;
    double *least = NULL;
    TRY_NEW(in, dag->n);
    TRY_NEW(least, dag->n);
    TRY_NEW(t->home, dag->n);
    for (int64_t c = 0; c < t->n_cliques; c++) {
        double cells = cells_of(t, c);
        for (int64_t v = t->var_at[c]; v < t->var_at[c + 1]; v++) in[t->var[v]] = true;
        for (int64_t v = t->var_at[c]; v < t->var_at[c + 1]; v++) {
            int64_t i = t->var[v];
            bool all = least[i] == 0 || cells < least[i];
            for (int64_t p = dag->start[i]; all && p < dag->start[i + 1]; p++)
                all = in[dag->parent[p]];
            if (!all) continue;
            least[i] = cells;
            t->home[i] = (int32_t)c;
        }
        for (int64_t v = t->var_at[c]; v < t->var_at[c + 1]; v++) in[t->var[v]] = false;
    }
out:
    smr_free(in);
    smr_free(least);
    return st;
}

/* The variables that a clique shares with the one above it. */
static int64_t shared(const smr_jtree *t, int64_t c, int32_t *out)
{
    int64_t n = 0, b = t->var_at[t->up[c]], end = t->var_at[t->up[c] + 1];
    for (int64_t a = t->var_at[c]; a < t->var_at[c + 1]; a++) {
        while (b < end && t->var[b] < t->var[a]) b++;
        if (b < end && t->var[b] == t->var[a]) out[n++] = t->var[a];
    }
    return n;
}

static void add_up(const smr_jtree *t, int32_t *shares, smr_jtree_plan *plan)
{
    *plan = (smr_jtree_plan){0};
    for (int64_t c = 0; c < t->n_cliques; c++) {
        double cells = cells_of(t, c), message = 1;
        plan->cells += cells;
        plan->largest = smr_fmax(plan->largest, cells);
        plan->widest = SMR_MAX(plan->widest, t->var_at[c + 1] - t->var_at[c]);
        plan->bytes += cells * 20;
        if (t->up[c] < 0) continue;
        int64_t n = shared(t, c, shares);
        for (int64_t a = 0; a < n; a++) message *= (double)t->of->levels[shares[a]];
        plan->bytes += message * 16 + cells_of(t, t->up[c]) * 4;
    }
    for (int64_t i = 0; i < t->of->dag.n; i++) plan->bytes += cells_of(t, t->home[i]) * 4;
}

/* ---- cells ------------------------------------------------------------------------------ */

/* map[cell of clique c] = sum over its variables of level * stride[variable]. */
static void map_cells(const smr_jtree *t, int64_t c, const int64_t *stride, int64_t *digit,
                      int32_t *map)
{
    int64_t n = t->var_at[c + 1] - t->var_at[c], at = 0;
    int64_t cells = t->cell_at[c + 1] - t->cell_at[c];
    const int32_t *var = t->var + t->var_at[c];
    memset(digit, 0, (size_t)n * sizeof *digit);
    for (int64_t cell = 0; cell < cells; cell++) {
        map[cell] = (int32_t)at;
        for (int64_t v = n - 1; v >= 0; v--) {
            at += stride[var[v]];
            if (++digit[v] < t->of->levels[var[v]]) break;
            at -= stride[var[v]] * t->of->levels[var[v]];
            digit[v] = 0;
        }
    }
}

struct mapping {
    int64_t *stride, *digit; /* n; all strides 0 between uses */
    int32_t *shares;
};

static void map_messages(smr_jtree *t, struct mapping *m)
{
    for (int64_t c = 0; c + 1 < t->n_cliques; c++) {
        int64_t n = shared(t, c, m->shares), cells = 1;
        for (int64_t a = n - 1; a >= 0; a--) {
            m->stride[m->shares[a]] = cells;
            cells *= t->of->levels[m->shares[a]];
        }
        map_cells(t, c, m->stride, m->digit, t->own + t->cell_at[c]);
        map_cells(t, t->up[c], m->stride, m->digit, t->over + t->over_at[c]);
        for (int64_t a = 0; a < n; a++) m->stride[m->shares[a]] = 0;
    }
}

static void map_families(smr_jtree *t, struct mapping *m)
{
    const smr_dag *dag = &t->of->dag;
    for (int64_t i = 0; i < dag->n; i++) {
        int64_t below = t->of->levels[i], c = t->home[i], step = 1;
        m->stride[i] = 1;
        for (int64_t p = dag->start[i + 1] - 1; p >= dag->start[i]; p--) {
            m->stride[dag->parent[p]] = below;
            below *= t->of->levels[dag->parent[p]];
        }
        map_cells(t, c, m->stride, m->digit, t->from + t->from_at[i]);
        m->stride[i] = 0;
        for (int64_t p = dag->start[i]; p < dag->start[i + 1]; p++) m->stride[dag->parent[p]] = 0;
        for (int64_t v = t->var_at[c + 1] - 1; t->var[v] != i; v--)
            step *= t->of->levels[t->var[v]];
        t->step[i] = step;
    }
}

static smr_status place_cells(smr_ctx *ctx, smr_jtree *t, struct mapping *m)
{
    smr_status st = SMR_OK;
    int64_t n = t->of->dag.n;
    TRY_NEW(t->cell_at, t->n_cliques + 1);
    TRY_NEW(t->sep_at, t->n_cliques + 1);
    TRY_NEW(t->over_at, t->n_cliques + 1);
    TRY_NEW(t->from_at, n + 1);
    TRY_NEW(t->step, n);
    for (int64_t c = 0; c < t->n_cliques; c++)
        t->cell_at[c + 1] = t->cell_at[c] + (int64_t)cells_of(t, c);
    for (int64_t c = 0; c < t->n_cliques; c++) {
        int64_t cells = 0, above = 0;
        if (t->up[c] >= 0) {
            int64_t k = shared(t, c, m->shares);
            for (cells = 1; k > 0; k--) cells *= t->of->levels[m->shares[k - 1]];
            above = t->cell_at[t->up[c] + 1] - t->cell_at[t->up[c]];
        }
        t->sep_at[c + 1] = t->sep_at[c] + cells;
        t->over_at[c + 1] = t->over_at[c] + above;
    }
    for (int64_t i = 0; i < n; i++)
        t->from_at[i + 1] = t->from_at[i] + t->cell_at[t->home[i] + 1] - t->cell_at[t->home[i]];
    TRY_NEW(t->own, t->cell_at[t->n_cliques]);
    TRY_NEW(t->over, t->over_at[t->n_cliques]);
    TRY_NEW(t->from, t->from_at[n]);
    TRY_NEW(t->base, t->cell_at[t->n_cliques]);
out:
    return st;
}

/* ---- all of it -------------------------------------------------------------------------- */

static smr_status lay_out(smr_ctx *ctx, const smr_tables *tables, const int32_t *together,
                          int64_t n_together, smr_jtree *t, smr_jtree_plan *plan, struct mapping *m)
{
    smr_status st = SMR_OK;
    smr_eliminated e = {0};
    struct draft d = {0};
    t->of = tables;
    TRY(smr_eliminate(ctx, tables, together, n_together, &e));
    TRY(draft_make(ctx, &e, tables->dag.n, together, n_together, &d));
    TRY(list_cliques(ctx, &e, &d, t));
    TRY(find_homes(ctx, t));
    TRY_NEW(m->shares, tables->dag.n);
    add_up(t, m->shares, plan);
out:
    draft_release(&d);
    smr_eliminated_release(&e);
    return st;
}

smr_status smr_jtree_plan_for(smr_ctx *ctx, const smr_tables *tables, const int32_t *together,
                              int64_t n_together, smr_jtree_plan *plan)
{
    smr_jtree t = {0};
    struct mapping m = {0};
    smr_status st = lay_out(ctx, tables, together, n_together, &t, plan, &m);
    smr_free(m.shares);
    smr_jtree_release(&t);
    return st;
}

smr_status smr_jtree_make_within(smr_ctx *ctx, double most, const smr_tables *tables,
                                 const int32_t *together, int64_t n_together, const char *hint,
                                 smr_jtree *out)
{
    smr_status st = SMR_OK;
    smr_jtree_plan plan;
    struct mapping m = {0};
    *out = (smr_jtree){0};
    TRY(lay_out(ctx, tables, together, n_together, out, &plan, &m));
    TRY(smr_memory_check(ctx, plan.bytes, "exact inference", hint));
    if (plan.bytes > most)
        TRY(smr_fail(ctx, SMR_ERR_NOMEM,
                     "exact inference needs %.1f MB, and may take %.1f MB here; %s",
                     plan.bytes / 1e6, most / 1e6, hint));
    if (plan.largest > (double)(INT32_MAX / 2))
        TRY(smr_fail(ctx, SMR_ERR_NOMEM, "exact inference needs a clique of %lld variables; %s",
                     (long long)plan.widest, hint));
    TRY_NEW(m.stride, tables->dag.n);
    TRY_NEW(m.digit, tables->dag.n);
    TRY(place_cells(ctx, out, &m));
    map_messages(out, &m);
    map_families(out, &m);
    smr_jtree_refresh(out);
out:
    smr_free(m.stride);
    smr_free(m.digit);
    smr_free(m.shares);
    if (st != SMR_OK) smr_jtree_release(out);
    return st;
}

smr_status smr_jtree_make(smr_ctx *ctx, const smr_tables *tables, const int32_t *together,
                          int64_t n_together, const char *hint, smr_jtree *out)
{
    return smr_jtree_make_within(ctx, INFINITY, tables, together, n_together, hint, out);
}

void smr_jtree_release(smr_jtree *t)
{
    smr_free(t->var_at);
    smr_free(t->var);
    smr_free(t->cell_at);
    smr_free(t->up);
    smr_free(t->sep_at);
    smr_free(t->own);
    smr_free(t->over_at);
    smr_free(t->over);
    smr_free(t->home);
    smr_free(t->step);
    smr_free(t->from_at);
    smr_free(t->from);
    smr_free(t->base);
    *t = (smr_jtree){0};
}
