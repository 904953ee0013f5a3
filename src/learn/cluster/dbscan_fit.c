/* dbscan_fit.c -- core rows, the clusters that they make, and rows at their edge: dbscan.c.
 *
 * Sets of linked rows are trees of places: up[i] is a lower place of the same set, or i.  Two sets
 * become one when the higher top is hung under the lower one, by a single exchange, so that threads
 * need not wait for each other, and the top of a finished set is its lowest place whoever came
 * first.
 *
 * A leaf or group is joined once all its core rows are known to be in one set; then it is passed
 * over by rows of that set, which leaves few distances to compute where rows lie densely. */
#include "core/number.h"
#include "learn/cluster/dbscan.h"
#include "math/dd.h"

#include <math.h>
#include <stdatomic.h>
#include <string.h>

enum { GROUP = SMR_SITES_LANE, LEAVES_A_TASK = 16, BLOCK = LEAVES_A_TASK * GROUP };

/* ---- (1): core rows --------------------------------------------------------------------- */

struct counting {
    const struct smr_dbscan_work *w;
    double sum;
    dd parts; /* where weights are fractions */
};

static bool add_up(void *arg, int64_t leaf, unsigned mask)
{
    struct counting *c = arg;
    const struct smr_dbscan_work *w = c->w;
    if (!w->tree.rows.w) {
        c->sum += __builtin_popcount(mask);
        return c->sum < w->p->min_rows;
    }
    for (; mask; mask &= mask - 1) {
        double weight = smr_dbscan_weight(w, leaf * GROUP + __builtin_ctz(mask));
        if (w->whole)
            c->sum += weight;
        else
            dd_add_product(&c->parts, weight, 1);
    }
    return !w->whole || c->sum < w->p->min_rows;
}

static smr_status find_core(smr_ctx *ctx, void *arg, int64_t task, int lane)
{
    struct smr_dbscan_work *w = arg;
    const smr_points *p = &w->tree.search.points;
    int64_t end = smr_block_end(w->tree.rows.n, BLOCK, task);
    double *q = w->room + lane * w->a_room, *room = q + w->tree.rows.d;
    struct counting c = {.w = w};
    smr_site_walk walk = {
        .search = &w->tree.search, .radius = w->s->eps, .found = add_up, .arg = &c};
    (void)ctx;
    for (int64_t i = task * BLOCK; i < end; i++) {
        smr_layout_row(&p->layout, p->x, i, q);
        c.sum = 0;
        c.parts = (dd){0};
        smr_site_walk_from(&walk, q, room);
        if (!w->whole) c.sum = dd_value(c.parts);
        w->core[i] = c.sum >= w->p->min_rows;
    }
    return SMR_OK;
}

/* ---- (2): sets of core rows ------------------------------------------------------------- */

struct linking {
    struct smr_dbscan_work *w;
    _Atomic int32_t *up;
    int32_t *first[SMR_KD_LEVELS + 1];          /* lowest core place of each leaf, group ...; -1 */
    _Atomic uint8_t *joined[SMR_KD_LEVELS + 1]; /* all of them are in one set                   */
    int64_t n[SMR_KD_LEVELS + 1];
    int n_levels; /* leaves included */
};

static int32_t top_of(_Atomic int32_t *up, int32_t i)
{
    for (;;) {
        int32_t above = atomic_load_explicit(&up[i], memory_order_relaxed);
        if (above == i) return i;
        int32_t next = atomic_load_explicit(&up[above], memory_order_relaxed);
        /* one who is told late hangs it lower than it could, but in the same set */
        if (next != above) atomic_store_explicit(&up[i], next, memory_order_relaxed);
        i = next;
    }
}

static void link_places(_Atomic int32_t *up, int32_t a, int32_t b)
{
    for (;;) {
        a = top_of(up, a);
        b = top_of(up, b);
        if (a == b) return;
        int32_t low = SMR_MIN(a, b), high = SMR_MAX(a, b), was = high;
        if (atomic_compare_exchange_strong_explicit(&up[high], &was, low, memory_order_relaxed,
                                                    memory_order_relaxed))
            return;
    }
}

struct reaching {
    struct linking *l;
    int32_t from;
};

static bool is_linked(void *arg, int level, int64_t member)
{
    struct reaching *r = arg;
    struct linking *l = r->l;
    int32_t first = l->first[level + 1][member];
    if (first < 0) return true;
    return atomic_load_explicit(&l->joined[level + 1][member], memory_order_relaxed) &&
           top_of(l->up, first) == top_of(l->up, r->from);
}

/* Marks the groups above a leaf whose parts are all joined, and in one set. */
static void join_above(struct linking *l, int64_t member)
{
    for (int level = 1; level < l->n_levels; level++) {
        member /= GROUP;
        if (atomic_load_explicit(&l->joined[level][member], memory_order_relaxed)) return;
        int64_t lo = member * GROUP, hi = SMR_MIN(lo + GROUP, l->n[level - 1]);
        int32_t top = top_of(l->up, l->first[level][member]);
        for (int64_t m = lo; m < hi; m++) {
            int32_t first = l->first[level - 1][m];
            if (first < 0) continue;
            if (!atomic_load_explicit(&l->joined[level - 1][m], memory_order_relaxed)) return;
            if (top_of(l->up, first) != top) return;
        }
        atomic_store_explicit(&l->joined[level][member], 1, memory_order_relaxed);
    }
}

static bool reach(void *arg, int64_t leaf, unsigned mask)
{
    struct reaching *r = arg;
    struct linking *l = r->l;
    unsigned core = 0;
    int64_t lo = leaf * GROUP, hi = SMR_MIN(lo + GROUP, l->w->tree.rows.n);
    for (int64_t i = lo; i < hi; i++) core |= (unsigned)l->w->core[i] << (i - lo);
    mask &= core;
    for (unsigned left = mask; left; left &= left - 1)
        link_places(l->up, r->from, (int32_t)(lo + __builtin_ctz(left)));
    if (mask == core && !atomic_load_explicit(&l->joined[0][leaf], memory_order_relaxed)) {
        atomic_store_explicit(&l->joined[0][leaf], 1, memory_order_relaxed);
        join_above(l, leaf);
    }
    return true;
}

static smr_status link_block(smr_ctx *ctx, void *arg, int64_t task, int lane)
{
    struct linking *l = arg;
    struct smr_dbscan_work *w = l->w;
    const smr_points *p = &w->tree.search.points;
    int64_t end = smr_block_end(w->tree.rows.n, BLOCK, task);
    double *q = w->room + lane * w->a_room, *room = q + w->tree.rows.d;
    struct reaching r = {l, 0};
    smr_site_walk walk = {.search = &w->tree.search,
                          .radius = w->s->eps,
                          .skip = is_linked,
                          .found = reach,
                          .arg = &r};
    (void)ctx;
    for (int64_t i = task * BLOCK; i < end; i++) {
        if (!w->core[i]) continue;
        r.from = (int32_t)i;
        smr_layout_row(&p->layout, p->x, i, q);
        smr_site_walk_from(&walk, q, room);
    }
    return SMR_OK;
}

static void release_linking(struct linking *l)
{
    for (int k = 0; k < l->n_levels; k++) {
        smr_free(l->first[k]);
        smr_free((void *)l->joined[k]);
    }
    smr_free((void *)l->up);
}

static smr_status begin_linking(smr_ctx *ctx, struct smr_dbscan_work *w, struct linking *l)
{
    smr_status st = SMR_OK;
    const smr_kdtree *tree = &w->tree.search.tree;
    int64_t n = w->tree.rows.n;
    *l = (struct linking){.w = w};
    TRY_NEW(l->up, n);
    for (int64_t i = 0; i < n; i++) atomic_init(&l->up[i], (int32_t)i);
    for (int k = 0; k <= tree->n_levels; k++) {
        l->n[k] = k ? tree->n_groups[k - 1] : tree->n_leaves;
        l->n_levels = k + 1;
        TRY_NEW(l->first[k], l->n[k]);
        TRY_NEW(l->joined[k], l->n[k]);
        int64_t below = k ? l->n[k - 1] : n;
        for (int64_t m = 0; m < l->n[k]; m++) l->first[k][m] = -1;
        for (int64_t m = below - 1; m >= 0; m--) {
            int32_t first = k ? l->first[k - 1][m] : w->core[m] ? (int32_t)m : -1;
            if (first >= 0) l->first[k][m / GROUP] = first;
        }
    }
out:
    return st;
}

/* Numbers the sets by the lowest row number of their core rows. */
static smr_status number_sets(smr_ctx *ctx, struct smr_dbscan_work *w, _Atomic int32_t *up)
{
    smr_status st = SMR_OK;
    int64_t n = w->tree.rows.n;
    int32_t *place = NULL, *number = NULL;
    TRY_NEW(place, n);
    TRY_NEW(number, n);
    for (int64_t i = 0; i < n; i++) {
        place[w->tree.order[i]] = (int32_t)i;
        number[i] = w->home[i] = -1;
    }
    for (int64_t row = 0; row < n; row++) {
        int32_t i = place[row];
        if (!w->core[i]) continue;
        int32_t top = top_of(up, i);
        if (number[top] < 0) number[top] = (int32_t)w->s->n_clusters++;
        w->home[i] = number[top];
    }
out:
    smr_free(place);
    smr_free(number);
    return st;
}

/* ---- (3): rows at the edge -------------------------------------------------------------- */

struct edges {
    struct smr_dbscan_work *w;
    struct linking *l;
    int32_t lowest;
};

static bool has_no_core(void *arg, int level, int64_t member)
{
    const struct edges *e = arg;
    return e->l->first[level + 1][member] < 0;
}

static bool note_core(void *arg, int64_t leaf, unsigned mask)
{
    struct edges *e = arg;
    for (; mask; mask &= mask - 1) {
        int64_t i = leaf * GROUP + __builtin_ctz(mask);
        if (!e->w->core[i]) continue;
        if (e->lowest < 0 || e->w->home[i] < e->lowest) e->lowest = e->w->home[i];
    }
    return e->lowest != 0;
}

static smr_status find_edges(smr_ctx *ctx, void *arg, int64_t task, int lane)
{
    struct edges e = *(struct edges *)arg;
    struct smr_dbscan_work *w = e.w;
    const smr_points *p = &w->tree.search.points;
    int64_t end = smr_block_end(w->tree.rows.n, BLOCK, task);
    double *q = w->room + lane * w->a_room, *room = q + w->tree.rows.d;
    smr_site_walk walk = {.search = &w->tree.search,
                          .radius = w->s->eps,
                          .skip = has_no_core,
                          .found = note_core,
                          .arg = &e};
    (void)ctx;
    for (int64_t i = task * BLOCK; i < end; i++) {
        if (w->core[i]) continue;
        e.lowest = -1;
        smr_layout_row(&p->layout, p->x, i, q);
        smr_site_walk_from(&walk, q, room);
        w->home[i] = e.lowest;
    }
    return SMR_OK;
}

static smr_status find_clusters(smr_ctx *ctx, struct smr_dbscan_work *w)
{
    smr_status st = SMR_OK;
    struct linking l = {0};
    int64_t n_tasks = smr_block_count(w->tree.rows.n, BLOCK);
    TRY_NEW(w->core, w->tree.rows.n);
    TRY_NEW(w->home, w->tree.rows.n);
    TRY(smr_parallel(ctx, "looking for core rows", n_tasks, find_core, w));
    TRY(begin_linking(ctx, w, &l));
    TRY(smr_parallel(ctx, "linking core rows", n_tasks, link_block, &l));
    TRY(number_sets(ctx, w, l.up));
    struct edges e = {w, &l, -1};
    TRY(smr_parallel(ctx, "looking for edges", n_tasks, find_edges, &e));
out:
    release_linking(&l);
    return st;
}

/* ---- what is kept ----------------------------------------------------------------------- */

static smr_status keep_core(smr_ctx *ctx, struct smr_dbscan_work *w)
{
    smr_status st = SMR_OK;
    struct smr_dbscan_state *s = w->s;
    const smr_points *p = &w->tree.search.points;
    int64_t n = w->tree.rows.n, d = w->tree.rows.d, n_core = 0, at = 0;
    int32_t *place = NULL, *home = NULL;
    double *x = NULL;
    for (int64_t i = 0; i < n; i++) n_core += w->core[i];
    TRY_NEW(place, n);
    TRY_NEW(home, n_core + 1);
    TRY_NEW(x, smr_block_count(n_core, GROUP) * GROUP * d);
    for (int64_t i = 0; i < n; i++) place[w->tree.order[i]] = (int32_t)i;
    for (int64_t row = 0; row < n; row++) {
        int32_t i = place[row];
        if (!w->core[i]) continue;
        smr_layout_row(&p->layout, p->x, i, x + at * d);
        home[at++] = w->home[i];
    }
    double *given = x;
    x = NULL;
    TRY(smr_sites_keep(ctx, n_core, d, given, home, &s->sites));
out:
    smr_free(place);
    smr_free(home);
    smr_free(x);
    return st;
}

static smr_status keep_sums(smr_ctx *ctx, struct smr_dbscan_work *w)
{
    smr_status st = SMR_OK;
    struct smr_dbscan_state *s = w->s;
    int32_t *place = NULL;
    if (s->n_clusters > 0) TRY_NEW(s->size, s->n_clusters);
    TRY_NEW(place, w->tree.rows.n);
    for (int64_t i = 0; i < w->tree.rows.n; i++) place[w->tree.order[i]] = (int32_t)i;
    for (int64_t row = 0; row < w->tree.rows.n; row++) {
        int64_t i = place[row];
        double weight = smr_dbscan_weight(w, i);
        s->n_rows += weight;
        *(w->core[i] ? &s->n_core : w->home[i] >= 0 ? &s->n_edge : &s->n_noise) += weight;
        if (w->home[i] >= 0) s->size[w->home[i]] += weight;
    }
out:
    smr_free(place);
    return st;
}

static void tell_noise(smr_ctx *ctx, const struct smr_dbscan_work *w)
{
    const struct smr_dbscan_state *s = w->s;
    char eps[SMR_NUMBER_MAX], rows[SMR_NUMBER_MAX];
    smr_format_rounded(s->eps, 4, eps);
    smr_format_rounded(w->p->min_rows, 6, rows);
    if (s->n_clusters == 0)
        smr_warn(ctx,
                 "dbscan: no row has a weight of %s within eps %s, so all rows are noise; raise "
                 "eps or lower min_rows",
                 rows, eps);
    else if (s->n_noise > 0.5 * s->n_rows)
        smr_warn(ctx,
                 "dbscan: more than half of the rows are noise with eps %s; raise eps, or "
                 "standardize first",
                 eps);
}

/* ---- fit -------------------------------------------------------------------------------- */

static smr_status make_room(smr_ctx *ctx, struct smr_dbscan_work *w)
{
    smr_status st = SMR_OK;
    const smr_site_rows *r = &w->tree.rows;
    w->whole = true;
    for (int64_t i = 0; r->w && i < r->n; i++)
        w->whole = w->whole && r->w[i] == floor(r->w[i]) && r->w[i] < 0x1p20;
    w->a_room = smr_block_count(2 * r->d, 8) * 8;
    TRY_NEW(w->room, smr_lanes(ctx) * w->a_room);
out:
    return st;
}

smr_status smr_dbscan_fit(smr_ctx *ctx, const void *params_, const smr_data *data, void *state_,
                          smr_fit_report *report)
{
    struct smr_dbscan_work w = {.p = params_, .s = state_};
    smr_status st = SMR_OK;
    TRY(smr_site_tree_make(ctx, "dbscan", data, (smr_metric_name)w.p->metric, &w.tree));
    TRY(make_room(ctx, &w));
    w.s->eps = w.p->eps;
    TRY(smr_dbscan_curve(ctx, &w));
    TRY(find_clusters(ctx, &w));
    TRY(keep_core(ctx, &w));
    TRY(keep_sums(ctx, &w));
    TRY(smr_cluster_view_of_tree(ctx, &w.tree, w.home, w.s->n_clusters, &w.s->view));
    tell_noise(ctx, &w);
    report->objective = NAN;
    report->converged = true;
out:
    smr_site_tree_release(&w.tree);
    smr_free(w.core);
    smr_free(w.home);
    smr_free(w.room);
    return st;
}
