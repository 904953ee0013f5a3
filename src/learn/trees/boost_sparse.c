/* boost_sparse.c -- histograms of sparse cells: only what is away from 0 is counted.
 *
 * The sums of a column's cell 0, the bin of 0, are the node's less those of the others, exactly.
 * A split has a child without the rows of cell 0; so a column whose other cells together weigh less
 * than the least weight of a leaf can split neither this node nor any below it, and leaves the
 * node's list.  Most words of a text leave at the root; a node's histogram has the cells of the
 * columns that are left.
 *
 * A root is counted column by column, each in the nearest cache.  Below, the entries of the smaller
 * child's rows are gone through twice: first each column's sums show which columns stay on its
 * list; then each entry leaves the parent's histogram, which becomes the larger child's, and comes
 * to the smaller one's.  A column is searched only where its reach (boost_glance.c) does not rule
 * it out; what it loses widens its reach until it is looked at again.
 *
 * Cost: a root takes all entries, another node those of the smaller child's rows, a few steps for
 * each column of its list, and the cells of those that may split it.
 * Memory: the histograms of the leaves that wait. */
#include "learn/trees/boost_grow.h"

#include <math.h>
#include <string.h>

enum { WORK = 30000 /* entries and columns of a task */ };

/* A leaf's histogram. */
struct hist {
    int64_t n;
    int32_t *column;                /* its list, ascending                            */
    int64_t *at;                    /* of a column: its cell 1, in `cell`; at least 1 */
    smr_boost_sums *sums;           /* of a column: its cells, without cell 0         */
    smr_boost_reach *reach;         /* of a column                                    */
    uint64_t (*used)[4];            /* of a column: bit k is 0 only where cell k + 1 is empty */
    int64_t *cell;                  /* fields per cell                                */
    int64_t column_room, cell_room; /* cell_room: numbers                     */
};

struct smr_boost_sparse {
    int64_t n_slots;
    struct hist *hist;    /* n_slots                                                   */
    int32_t *column;      /* the root's list                                           */
    int64_t n;            /* of these                                                  */
    int32_t *place;       /* by column: in the list that is worked on; -1: none        */
    smr_boost_sums *lost; /* by place: sums of the smaller child's rows, |g| in g      */
    int64_t *to;          /* by place: in the smaller child's list, or -1              */
    uint8_t *keeps;       /* by place: does it stay on the list?                       */
    uint8_t *mark;        /* by row                                                    */
};

/* ---- room ------------------------------------------------------------------------------- */

smr_status smr_boost_sparse_open(smr_ctx *ctx, const smr_boost_forest *f, smr_boost_room *room)
{
    smr_status st = SMR_OK;
    const smr_boost_cells *cells = f->cells;
    smr_boost_sparse *s = NULL;
    TRY_NEW(s, 1);
    room->sparse = s;
    TRY_NEW(s->hist, room->n_slots);
    s->n_slots = room->n_slots;
    TRY_NEW(s->column, cells->n_columns);
    TRY_NEW(s->place, cells->n_columns);
    TRY_NEW(s->lost, cells->n_columns);
    TRY_NEW(s->to, cells->n_columns);
    TRY_NEW(s->keeps, cells->n_columns);
    TRY_NEW(s->mark, cells->n_rows);
out:
    return st;
}

static void free_lists(struct hist *h)
{
    smr_free(h->column);
    smr_free(h->at);
    smr_free(h->sums);
    smr_free(h->reach);
    smr_free(h->used);
}

void smr_boost_sparse_close(smr_boost_sparse *s)
{
    if (!s) return;
    for (int64_t i = 0; i < s->n_slots && s->hist; i++) {
        free_lists(&s->hist[i]);
        smr_free(s->hist[i].cell);
    }
    smr_free(s->hist);
    smr_free(s->column);
    smr_free(s->place);
    smr_free(s->lost);
    smr_free(s->to);
    smr_free(s->keeps);
    smr_free(s->mark);
    smr_free(s);
}

/* Room for this many columns and numbers; what was there is lost. */
static smr_status make_hist(smr_ctx *ctx, struct hist *h, int64_t columns, int64_t numbers)
{
    if (columns > h->column_room) {
        free_lists(h);
        h->column_room = 0;
        h->column = smr_alloc_raw(ctx, columns, sizeof *h->column);
        h->at = smr_alloc_raw(ctx, columns, sizeof *h->at);
        h->sums = smr_alloc_raw(ctx, columns, sizeof *h->sums);
        h->reach = smr_alloc_raw(ctx, columns, sizeof *h->reach);
        h->used = smr_alloc_raw(ctx, columns, sizeof *h->used);
        if (!h->column || !h->at || !h->sums || !h->reach || !h->used) return SMR_ERR_NOMEM;
        h->column_room = columns;
    }
    if (numbers > h->cell_room) {
        smr_free(h->cell);
        h->cell_room = 0;
        h->cell = smr_alloc_raw(ctx, numbers, sizeof *h->cell);
        if (!h->cell) return SMR_ERR_NOMEM;
        h->cell_room = numbers;
    }
    h->n = 0;
    return SMR_OK;
}

/* One more column, of `cells` cells, after those before it. */
static void put_column(struct hist *h, int32_t column, int64_t at, const smr_boost_sums *sums)
{
    h->column[h->n] = column;
    h->at[h->n] = at;
    h->sums[h->n] = *sums;
    memset(h->used[h->n], 0, sizeof h->used[h->n]);
    h->reach[h->n++] = (smr_boost_reach){.most = INFINITY};
}

/* ---- rows ------------------------------------------------------------------------------- */

static inline void add_to(int64_t *at, int64_t g, int64_t h, int64_t w, int fields)
{
    at[0] += g;
    at[1] += h;
    if (fields == 3) at[2] += w;
}

/* Cells of a column, except cell 0. */
static inline int64_t cells_of(const smr_boost_cells *cells, int32_t c)
{
    return cells->feature[c].n_bins - 1;
}

const uint8_t *smr_boost_sparse_mark(const smr_boost_grower *g, int32_t column)
{
    const smr_sparse_bins *b = g->f->cells->sparse;
    uint8_t *mark = g->room->sparse->mark;
    for (int64_t e = b->of_column[column]; e < b->of_column[column + 1]; e++)
        mark[b->row[e]] = b->column_cell[e];
    return mark;
}

void smr_boost_sparse_unmark(const smr_boost_grower *g, int32_t column)
{
    const smr_sparse_bins *b = g->f->cells->sparse;
    uint8_t *mark = g->room->sparse->mark;
    for (int64_t e = b->of_column[column]; e < b->of_column[column + 1]; e++) mark[b->row[e]] = 0;
}

/* The bytes of the rows of the root, where these are not all. */
static void mark_rows(const smr_boost_grower *g, uint8_t is_in)
{
    for (int64_t i = g->lo; i < g->hi && !g->is_whole; i++)
        g->room->sparse->mark[g->room->rows[i]] = is_in;
}

/* ---- searching -------------------------------------------------------------------------- */

struct search {
    smr_boost_grower *g;
    smr_boost_sparse *s;
    struct hist *hist[2]; /* of the leaves: the smaller one, and the larger one or NULL */
    smr_boost_judge judge[2];
    smr_boost_glance glance[2];
    int64_t least_h, least_w;
    const int32_t *list; /* columns that are worked on: the larger one's, or the root's */
    int64_t n, each;     /* of these; of a task                                         */
};

static void begin_search(smr_ctx *ctx, struct search *q, smr_boost_grower *g)
{
    *q = (struct search){.g = g, .s = g->room->sparse};
    for (int side = 0; side < 2 && g->leaf[side]; side++) {
        q->judge[side] = smr_boost_judge_of(g, g->leaf[side]);
        q->glance[side] = smr_boost_glance_at(&q->judge[side]);
        q->hist[side] = &q->s->hist[g->leaf[side]->slot];
        if (g->f->p->features < 1) smr_boost_draw_features(ctx, g, side);
    }
    smr_boost_least(&q->judge[0], &q->least_h, &q->least_w);
    for (int t = 0; t < 2 * SMR_BOOST_TASKS; t++) g->room->found[t] = (smr_boost_split){0};
}

/* Tasks for this much work on a list. */
static int64_t share_out(struct search *q, const int32_t *list, int64_t n, int64_t work)
{
    int64_t n_tasks = SMR_MIN(SMR_BOOST_TASKS, SMR_MAX(1, work / WORK));
    q->list = list;
    q->n = n;
    q->each = SMR_MAX(1, (n + n_tasks - 1) / n_tasks);
    return smr_block_count(n, q->each);
}

static bool is_enough(const struct search *q, const smr_boost_sums *sums)
{
    return sums->h >= q->least_h && sums->w >= q->least_w;
}

/* Column i of a leaf's list. */
static void search_column(const struct search *q, int side, int64_t i, int64_t task)
{
    const smr_boost_grower *g = q->g;
    const smr_boost_glance *glance = &q->glance[side];
    const struct hist *hist = q->hist[side];
    int32_t c = hist->column[i];
    const smr_boost_feature *f = &g->f->cells->feature[c];
    smr_boost_split *best = &g->room->found[2 * task + side];
    int fields = g->room->fields;
    const int64_t *cell = hist->cell + hist->at[i] * fields;
    if (g->f->p->features < 1 && !g->room->pick[side][c]) return;
    if (!smr_boost_may_reach(glance, &hist->reach[i], best)) return;
    if (!smr_boost_look_over(glance, f, cell, hist->used[i], fields, best, &hist->reach[i])) return;
    smr_boost_judge judge = q->judge[side];
    judge.monotone = g->f->monotone ? g->f->monotone[c] : 0;
    smr_boost_find(&judge, f, c, cell - fields, fields, best);
}

/* ---- a root ----------------------------------------------------------------------------- */

/* What its columns weigh. */
static smr_status weigh_columns(smr_ctx *ctx, void *arg, int64_t task, int lane)
{
    const struct search *q = arg;
    const smr_boost_grower *g = q->g;
    const smr_sparse_bins *b = g->f->cells->sparse;
    int64_t hi = SMR_MIN(q->n, (task + 1) * q->each);
    (void)ctx, (void)lane;
    for (int64_t i = task * q->each; i < hi; i++) {
        int32_t c = q->list[i];
        smr_boost_sums sums = {0};
        for (int64_t e = b->of_column[c]; e < b->of_column[c + 1]; e++) {
            if (!g->is_whole && !q->s->mark[b->row[e]]) continue;
            smr_boost_sums one = smr_boost_row_sums(g->of, b->row[e]);
            sums.h += one.h, sums.w += one.w;
        }
        q->s->lost[i] = sums;
    }
    return SMR_OK;
}

/* The root's list, and room for its cells. */
static smr_status list_columns(smr_ctx *ctx, struct search *q)
{
    smr_status st = SMR_OK;
    const smr_boost_cells *cells = q->g->f->cells;
    smr_boost_sparse *s = q->s;
    int64_t n_cells = 1, at = 1;
    s->n = 0;
    for (int64_t i = 0; i < q->n; i++) {
        if (!is_enough(q, &s->lost[i])) continue;
        s->column[s->n++] = q->list[i];
        n_cells += cells_of(cells, q->list[i]);
    }
    TRY(make_hist(ctx, q->hist[0], SMR_MAX(1, s->n), n_cells * q->g->room->fields));
    for (int64_t i = 0; i < q->n; i++) {
        if (!is_enough(q, &s->lost[i])) continue;
        put_column(q->hist[0], q->list[i], at, &s->lost[i]);
        at += cells_of(cells, q->list[i]);
    }
    for (int64_t c = 0; c < cells->n_columns; c++) s->place[c] = -1;
out:
    return st;
}

/* Counts columns of the list, and searches them. */
static smr_status count_columns(smr_ctx *ctx, void *arg, int64_t task, int lane)
{
    const struct search *q = arg;
    const smr_boost_grower *g = q->g;
    const smr_sparse_bins *b = g->f->cells->sparse;
    const struct hist *hist = q->hist[0];
    int fields = g->room->fields;
    int64_t hi = SMR_MIN(q->n, (task + 1) * q->each);
    (void)ctx, (void)lane;
    for (int64_t i = task * q->each; i < hi; i++) {
        int32_t c = hist->column[i];
        int64_t *cell = hist->cell + hist->at[i] * fields;
        memset(cell, 0, (size_t)(cells_of(g->f->cells, c) * fields) * sizeof *cell);
        for (int64_t e = b->of_column[c]; e < b->of_column[c + 1]; e++) {
            if (!g->is_whole && !q->s->mark[b->row[e]]) continue;
            smr_boost_sums one = smr_boost_row_sums(g->of, b->row[e]);
            int64_t k = b->column_cell[e] - 1;
            add_to(cell + k * fields, one.g, one.h, one.w, fields);
            hist->used[i][k / 64] |= UINT64_C(1) << k % 64;
        }
        search_column(q, 0, i, task);
    }
    return SMR_OK;
}

smr_status smr_boost_sparse_root(smr_ctx *ctx, smr_boost_grower *g)
{
    smr_status st = SMR_OK;
    struct search q;
    int64_t n_tasks, all = g->f->cells->sparse->of_column[g->f->cells->n_columns];
    begin_search(ctx, &q, g);
    mark_rows(g, 1);
    n_tasks = share_out(&q, g->room->columns, g->room->n_columns, all);
    TRY(smr_boost_run(ctx, n_tasks, all, weigh_columns, &q));
    TRY(list_columns(ctx, &q));
    n_tasks = share_out(&q, q.s->column, q.s->n, all);
    TRY(smr_boost_run(ctx, n_tasks, all, count_columns, &q));
    smr_boost_choose(g, 0, n_tasks);
out:
    mark_rows(g, 0);
    return st;
}

/* ---- other nodes ------------------------------------------------------------------------ */

/* Entries of a row whose columns are those of a task. */
struct piece {
    int64_t row, from, to;
};

/* Of row i of the room, and of places [lo, hi) of the list. */
static struct piece piece_of(const struct search *q, int64_t i, int64_t lo, int64_t hi)
{
    const smr_sparse_bins *b = q->g->f->cells->sparse;
    int64_t row = q->g->room->rows[i];
    struct piece p = {row, b->of_row[row], b->of_row[row + 1]};
    if (lo > 0) p.from = smr_find_column(b->column, p.from, p.to, q->list[lo]);
    if (hi < q->n) p.to = smr_find_column(b->column, p.from, p.to, q->list[hi]);
    return p;
}

/* What the columns of a task lose. */
static smr_status sum_entries(smr_ctx *ctx, void *arg, int64_t task, int lane)
{
    const struct search *q = arg;
    const smr_boost_leaf *leaf = q->g->leaf[0];
    const int32_t *column = q->g->f->cells->sparse->column, *place = q->s->place;
    smr_boost_sums *lost = q->s->lost;
    int64_t lo = task * q->each, hi = SMR_MIN(q->n, lo + q->each);
    (void)ctx, (void)lane;
    memset(lost + lo, 0, (size_t)(hi - lo) * sizeof *lost);
    for (int64_t i = leaf->lo; i < leaf->hi; i++) {
        struct piece r = piece_of(q, i, lo, hi);
        smr_boost_sums one = smr_boost_row_sums(q->g->of, r.row);
        int64_t size = one.g < 0 ? -one.g : one.g;
        for (int64_t e = r.from; e < r.to; e++) {
            int32_t p = place[column[e]];
            if (p < 0) continue;
            lost[p].g += size;
            lost[p].h += one.h;
            lost[p].w += one.w;
        }
    }
    return SMR_OK;
}

/* The smaller child's list. */
static smr_status list_smaller(smr_ctx *ctx, struct search *q)
{
    smr_status st = SMR_OK;
    const smr_boost_cells *cells = q->g->f->cells;
    smr_boost_sparse *s = q->s;
    int64_t n = 0, n_cells = 1, at = 1;
    for (int64_t p = 0; p < q->n; p++) {
        s->to[p] = is_enough(q, &s->lost[p]) ? n++ : -1;
        if (s->to[p] >= 0) n_cells += cells_of(cells, q->list[p]);
    }
    TRY(make_hist(ctx, q->hist[0], SMR_MAX(1, n), n_cells * q->g->room->fields));
    for (int64_t p = 0; p < q->n; p++) {
        if (s->to[p] < 0) continue;
        put_column(q->hist[0], q->list[p], at, &s->lost[p]);
        at += cells_of(cells, q->list[p]);
    }
out:
    return st;
}

/* Entries of the task's columns: from the larger child's cells to the smaller one's. */
static inline __attribute__((always_inline)) void move_entries(const struct search *q, int64_t lo,
                                                               int64_t hi, const int fields)
{
    const smr_sparse_bins *b = q->g->f->cells->sparse;
    const smr_boost_leaf *leaf = q->g->leaf[0];
    const struct hist *small = q->hist[0], *large = q->hist[1];
    for (int64_t i = leaf->lo; i < leaf->hi; i++) {
        struct piece r = piece_of(q, i, lo, hi);
        smr_boost_sums one = smr_boost_row_sums(q->g->of, r.row);
        for (int64_t e = r.from; e < r.to; e++) {
            int32_t p = q->s->place[b->column[e]];
            if (p < 0) continue;
            int64_t to = q->s->to[p], k = b->row_cell[e] - 1;
            if (large)
                add_to(large->cell + (large->at[p] + k) * fields, -one.g, -one.h, -one.w, fields);
            if (to < 0) continue;
            add_to(small->cell + (small->at[to] + k) * fields, one.g, one.h, one.w, fields);
            small->used[to][k / 64] |= UINT64_C(1) << k % 64;
        }
    }
}

/* A column that has lost sums of rows reaches farther: G by |g|, and where H falls by h, not below
 * what a child must weigh, G^2 / (H + l2) by what the root of it grows. */
static void widen(const struct search *q, const smr_boost_sums *lost, smr_boost_reach *r)
{
    const smr_boost_judge *j = &q->judge[1];
    double g = (double)lost->g * j->of->g_unit, h = (double)lost->h * j->of->h_unit;
    double least = (double)q->least_h * j->of->h_unit + j->l2;
    double root = sqrt(r->best * (1 + h / least)) + g / sqrt(least);
    r->low -= g;
    r->high += g;
    r->best = root * root;
}

/* The column of places [lo, hi) that reached farthest: what it gains rules others out, so it is
 * looked at before them. */
static void search_best(const struct search *q, int64_t lo, int64_t hi, int64_t task)
{
    const smr_boost_reach *reach = q->hist[1]->reach;
    int64_t first = lo;
    for (int64_t p = lo; p < hi; p++)
        if (reach[p].best > reach[first].best) first = p;
    search_column(q, 1, first, task);
}

static void search_larger(const struct search *q, int64_t p, int64_t task)
{
    const smr_boost_sums *lost = &q->s->lost[p];
    smr_boost_sums *sums = &q->hist[1]->sums[p];
    sums->h -= lost->h, sums->w -= lost->w;
    q->s->keeps[p] = is_enough(q, sums);
    if (!q->s->keeps[p]) return;
    if (lost->g > 0 || lost->h > 0) widen(q, lost, &q->hist[1]->reach[p]);
    search_column(q, 1, p, task);
}

static smr_status part_columns(smr_ctx *ctx, void *arg, int64_t task, int lane)
{
    const struct search *q = arg;
    const struct hist *small = q->hist[0];
    int fields = q->g->room->fields;
    int64_t lo = task * q->each, hi = SMR_MIN(q->n, lo + q->each);
    (void)ctx, (void)lane;
    for (int64_t p = lo; p < hi; p++) {
        int64_t to = q->s->to[p], n = cells_of(q->g->f->cells, q->list[p]) * fields;
        if (to >= 0) memset(small->cell + small->at[to] * fields, 0, (size_t)n * sizeof(int64_t));
    }
    if (fields == 3)
        move_entries(q, lo, hi, 3);
    else
        move_entries(q, lo, hi, 2);
    if (q->hist[1]) search_best(q, lo, hi, task);
    for (int64_t p = lo; p < hi; p++) {
        if (q->hist[1]) search_larger(q, p, task);
        if (q->s->to[p] >= 0) search_column(q, 0, q->s->to[p], task);
    }
    return SMR_OK;
}

/* Columns that cannot split the larger child leave its list. */
static void shorten(const struct search *q)
{
    struct hist *h = q->hist[1];
    int64_t kept = 0;
    for (int64_t p = 0; p < h->n; p++) {
        h->column[kept] = h->column[p];
        h->at[kept] = h->at[p];
        h->sums[kept] = h->sums[p];
        h->reach[kept] = h->reach[p];
        memmove(h->used[kept], h->used[p], sizeof h->used[p]);
        kept += q->s->keeps[p];
    }
    h->n = kept;
}

smr_status smr_boost_sparse_look(smr_ctx *ctx, smr_boost_grower *g)
{
    smr_status st = SMR_OK;
    struct search q;
    smr_boost_sparse *s = g->room->sparse;
    int64_t n = g->leaf[0]->hi - g->leaf[0]->lo, n_rows = g->f->cells->n_rows;
    begin_search(ctx, &q, g);
    const struct hist *larger = q.hist[1];
    int64_t work = n * (1 + g->f->cells->sparse->of_row[n_rows] / n_rows);
    int64_t n_tasks = share_out(&q, larger ? larger->column : s->column, larger ? larger->n : s->n,
                                work + (larger ? larger->n : 0));
    for (int64_t p = 0; p < q.n; p++) s->place[q.list[p]] = (int32_t)p;
    TRY(smr_boost_run(ctx, n_tasks, work, sum_entries, &q));
    TRY(list_smaller(ctx, &q));
    TRY(smr_boost_run(ctx, n_tasks, 4 * work, part_columns, &q));
    for (int64_t p = 0; p < q.n; p++) s->place[q.list[p]] = -1;
    if (larger) shorten(&q);
    for (int side = 0; side < 2 && g->leaf[side]; side++) smr_boost_choose(g, side, n_tasks);
out:
    return st;
}
