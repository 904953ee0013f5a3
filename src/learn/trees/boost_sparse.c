/* boost_sparse.c -- histograms of sparse cells: only what is away from 0 is counted.
 *
 * The sums of a column's cell 0, the bin of 0, are the node's less those of the others, exactly.
 * A split has a child without the rows of cell 0; so a column whose other cells together weigh less
 * than a leaf must can split neither this node nor any below it, and leaves the node's list.  Of a
 * text's words most leave at the root: a node's histogram has the cells of the columns that are
 * left, and what it costs to search it depends on these alone.
 *
 * A root is counted column by column, each in the nearest cache.  Below, the rows of the smaller
 * child are added, entry by entry, to the lanes; then for each column of the larger child's list,
 * the parent's, the lanes are subtracted and the column is searched, and what the smaller child
 * keeps is moved to a histogram of its own.  Lanes hold the cells of the root's list, and zeros
 * between two nodes; those of other columns share a few cells that nobody reads.
 *
 * Cost: a root takes all entries, a node those of its smaller child and the cells of its list.
 * Memory: the histograms of the leaves that wait, and a lane's. */
#include "learn/trees/boost_grow.h"

#include <string.h>

enum { UNREAD = 256, SMALLER = 1, LARGER = 2 };

/* A leaf's histogram. */
struct hist {
    int64_t n;
    int32_t *column;                /* its list, ascending                            */
    int64_t *at;                    /* of a column: its cell 1, in `cell`; at least 1 */
    int64_t *cell;                  /* fields a cell                                  */
    int64_t column_room, cell_room; /* cell_room: numbers                             */
};

struct lane {
    int64_t *cell; /* fields a cell                      */
    uint8_t *hit;  /* by column: may its cells be other than 0?  */
    int64_t room;  /* numbers of `cell`                  */
    bool is_used;
};

struct smr_boost_sparse {
    int64_t n_slots;
    int n_lanes;
    struct hist *hist; /* n_slots                                              */
    uint32_t *base;    /* by column: of its cell 1, in a lane                  */
    int32_t *column;   /* the root's list                                      */
    uint8_t *keeps;    /* by place in it: SMALLER, LARGER, or both             */
    int64_t n, n_cells;
    struct lane *lane;
    uint8_t *mark; /* by row                                               */
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
    TRY_NEW(s->base, cells->n_columns);
    TRY_NEW(s->column, cells->n_columns);
    TRY_NEW(s->keeps, cells->n_columns);
    TRY_NEW(s->mark, cells->n_rows);
    TRY_NEW(s->lane, room->n_lanes);
    s->n_lanes = room->n_lanes;
    for (int l = 0; l < s->n_lanes; l++) TRY_NEW(s->lane[l].hit, cells->n_columns);
out:
    return st;
}

void smr_boost_sparse_close(smr_boost_sparse *s)
{
    if (!s) return;
    for (int64_t i = 0; i < s->n_slots && s->hist; i++) {
        smr_free(s->hist[i].column);
        smr_free(s->hist[i].at);
        smr_free(s->hist[i].cell);
    }
    for (int l = 0; l < s->n_lanes && s->lane; l++) {
        smr_free(s->lane[l].cell);
        smr_free(s->lane[l].hit);
    }
    smr_free(s->hist);
    smr_free(s->base);
    smr_free(s->column);
    smr_free(s->keeps);
    smr_free(s->mark);
    smr_free(s->lane);
    smr_free(s);
}

/* Room for so many columns and cells; what was there is lost. */
static smr_status make_hist(smr_ctx *ctx, struct hist *h, int64_t columns, int64_t numbers)
{
    if (columns > h->column_room) {
        smr_free(h->column);
        smr_free(h->at);
        h->at = NULL;
        h->column_room = 0;
        h->column = smr_alloc_raw(ctx, columns, sizeof *h->column);
        if (!h->column) return SMR_ERR_NOMEM;
        h->at = smr_alloc_raw(ctx, columns, sizeof *h->at);
        if (!h->at) return SMR_ERR_NOMEM;
        h->column_room = columns;
    }
    if (numbers > h->cell_room) {
        smr_free(h->cell);
        h->cell_room = 0;
        h->cell = smr_alloc_raw(ctx, numbers, sizeof *h->cell);
        if (!h->cell) return SMR_ERR_NOMEM;
        h->cell_room = numbers;
    }
    return SMR_OK;
}

/* The cells that nobody reads hold what nobody wants. */
static void clear_unread(smr_boost_sparse *s, int fields)
{
    for (int l = 0; l < s->n_lanes; l++)
        if (s->lane[l].cell)
            memset(s->lane[l].cell + s->n_cells * fields, 0, UNREAD * (size_t)fields * 8);
}

/* Lanes for the cells of the root's list: zeros. */
static smr_status make_lanes(smr_ctx *ctx, smr_boost_sparse *s, int fields)
{
    int64_t numbers = (s->n_cells + UNREAD) * fields;
    for (int l = 0; l < s->n_lanes; l++) {
        struct lane *lane = &s->lane[l];
        if (numbers <= lane->room) continue;
        smr_free(lane->cell);
        lane->room = 0;
        lane->cell = smr_alloc(ctx, numbers, sizeof *lane->cell);
        if (!lane->cell) return SMR_ERR_NOMEM;
        lane->room = numbers;
    }
    return SMR_OK;
}

/* ---- rows ------------------------------------------------------------------------------- */

static inline smr_boost_sums sums_of(const smr_boost_gradients *of, int64_t row)
{
    int64_t word = of->pair[row].word, low = (int64_t)(uint32_t)word;
    smr_boost_sums s = {of->pair[row].whole.g, of->pair[row].whole.h, 0};
    if (of->is_narrow) s.g = (word - low) >> 32, s.h = low;
    if (of->counts) s.w = of->weight ? of->weight[row] : 1;
    return s;
}

/* Cells of a column, but for cell 0. */
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

/* Adds the entries of rows [lo, hi) of the room's to a lane. */
static inline __attribute__((always_inline)) void
add_entries(const smr_boost_grower *g, int64_t lo, int64_t hi, struct lane *lane, const int fields)
{
    const smr_sparse_bins *b = g->f->cells->sparse;
    const uint32_t *base = g->room->sparse->base;
    const int32_t *column = b->column;
    const uint8_t *cell = b->row_cell;
    for (int64_t i = lo; i < hi; i++) {
        int64_t row = g->room->rows[i], end = b->of_row[row + 1];
        smr_boost_sums s = sums_of(g->of, row);
        for (int64_t e = b->of_row[row]; e < end; e++) {
            int64_t *at = lane->cell + ((int64_t)base[column[e]] + cell[e] - 1) * fields;
            lane->hit[column[e]] = 1;
            at[0] += s.g;
            at[1] += s.h;
            if (fields == 3) at[2] += s.w;
        }
    }
}

static smr_status add_block(smr_ctx *ctx, void *arg, int64_t block, int number)
{
    const smr_boost_grower *g = arg;
    struct lane *lane = &g->room->sparse->lane[number];
    int64_t lo = g->leaf[0]->lo + block * SMR_BOOST_ROWS;
    int64_t hi = SMR_MIN(g->leaf[0]->hi, lo + SMR_BOOST_ROWS);
    (void)ctx;
    lane->is_used = true;
    if (g->room->fields == 3)
        add_entries(g, lo, hi, lane, 3);
    else
        add_entries(g, lo, hi, lane, 2);
    return SMR_OK;
}

/* ---- searching -------------------------------------------------------------------------- */

struct search {
    smr_boost_grower *g;
    smr_boost_sparse *s;
    struct hist *hist[2]; /* of the leaves */
    smr_boost_judge judge[2];
    int64_t least_h, least_w;
    int64_t each; /* columns of a task */
};

static void begin_search(struct search *q, smr_boost_grower *g)
{
    *q = (struct search){.g = g, .s = g->room->sparse};
    for (int side = 0; side < 2 && g->leaf[side]; side++) {
        q->judge[side] = smr_boost_judge_of(g, g->leaf[side]);
        q->hist[side] = g->leaf[side]->slot < 0 ? NULL : &q->s->hist[g->leaf[side]->slot];
    }
    smr_boost_least(&q->judge[0], &q->least_h, &q->least_w);
    for (int t = 0; t < 2 * SMR_BOOST_TASKS; t++) g->room->found[t] = (smr_boost_split){0};
}

static bool is_enough(const struct search *q, const smr_boost_sums *sums)
{
    return sums->h >= q->least_h && sums->w >= q->least_w;
}

static smr_boost_sums sum_cells(const int64_t *cell, int64_t n, int fields)
{
    smr_boost_sums sums = {0};
    for (int64_t i = 0; i < n; i++, cell += fields) {
        sums.h += cell[1];
        if (fields == 3) sums.w += cell[2];
    }
    return sums;
}

/* Column c of a leaf, whose cell 1 is `cell`. */
static void search_column(const struct search *q, int side, int32_t c, const int64_t *cell,
                          int64_t task)
{
    const smr_boost_grower *g = q->g;
    smr_boost_judge judge = q->judge[side];
    int fields = g->room->fields;
    if (g->f->p->features < 1 && !g->room->pick[side][c]) return;
    judge.monotone = g->f->monotone ? g->f->monotone[c] : 0;
    smr_boost_find(&judge, &g->f->cells->feature[c], c, cell - fields, fields,
                   &g->room->found[2 * task + side]);
}

static void share_out(struct search *q, int64_t n, int64_t *n_tasks)
{
    q->each = SMR_MAX(1, (n + SMR_BOOST_TASKS - 1) / SMR_BOOST_TASKS);
    *n_tasks = smr_block_count(n, q->each);
}

/* ---- a root ----------------------------------------------------------------------------- */

/* Which columns can split it. */
static smr_status weigh_columns(smr_ctx *ctx, void *arg, int64_t task, int lane)
{
    const struct search *q = arg;
    const smr_boost_grower *g = q->g;
    const smr_sparse_bins *b = g->f->cells->sparse;
    int64_t hi = SMR_MIN(g->room->n_columns, (task + 1) * q->each);
    (void)ctx, (void)lane;
    for (int64_t i = task * q->each; i < hi; i++) {
        int32_t c = g->room->columns[i];
        smr_boost_sums sums = {0};
        for (int64_t e = b->of_column[c]; e < b->of_column[c + 1]; e++) {
            if (!g->is_whole && !q->s->mark[b->row[e]]) continue;
            smr_boost_sums one = sums_of(g->of, b->row[e]);
            sums.h += one.h, sums.w += one.w;
        }
        q->s->keeps[i] = is_enough(q, &sums);
    }
    return SMR_OK;
}

/* The root's list, and where its cells lie. */
static smr_status list_columns(smr_ctx *ctx, struct search *q)
{
    smr_status st = SMR_OK;
    const smr_boost_cells *cells = q->g->f->cells;
    const smr_boost_room *room = q->g->room;
    smr_boost_sparse *s = q->s;
    clear_unread(s, room->fields);
    s->n = s->n_cells = 0;
    for (int64_t i = 0; i < room->n_columns; i++)
        if (s->keeps[i]) s->column[s->n++] = room->columns[i];
    for (int64_t i = 0; i < s->n; i++) s->n_cells += cells_of(cells, s->column[i]);
    TRY(make_lanes(ctx, s, room->fields));
    TRY(make_hist(ctx, q->hist[0], SMR_MAX(1, s->n), (s->n_cells + 1) * room->fields));
    for (int64_t c = 0; c < cells->n_columns; c++) s->base[c] = (uint32_t)s->n_cells;
    q->hist[0]->n = s->n;
    for (int64_t i = 0, at = 0; i < s->n; at += cells_of(cells, s->column[i++])) {
        q->hist[0]->column[i] = s->column[i];
        q->hist[0]->at[i] = at + 1;
        s->base[s->column[i]] = (uint32_t)at;
    }
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
    int64_t hi = SMR_MIN(hist->n, (task + 1) * q->each);
    (void)ctx, (void)lane;
    for (int64_t i = task * q->each; i < hi; i++) {
        int32_t c = hist->column[i];
        int64_t *cell = hist->cell + hist->at[i] * fields;
        memset(cell, 0, (size_t)(cells_of(g->f->cells, c) * fields) * sizeof *cell);
        for (int64_t e = b->of_column[c]; e < b->of_column[c + 1]; e++) {
            if (!g->is_whole && !q->s->mark[b->row[e]]) continue;
            smr_boost_sums one = sums_of(g->of, b->row[e]);
            int64_t *at = cell + (b->column_cell[e] - 1) * fields;
            at[0] += one.g;
            at[1] += one.h;
            if (fields == 3) at[2] += one.w;
        }
        search_column(q, 0, c, cell, task);
    }
    return SMR_OK;
}

smr_status smr_boost_sparse_root(smr_ctx *ctx, smr_boost_grower *g)
{
    smr_status st = SMR_OK;
    struct search q;
    int64_t n_tasks, all = g->f->cells->sparse->of_column[g->f->cells->n_columns];
    begin_search(&q, g);
    if (g->f->p->features < 1) smr_boost_draw_features(ctx, g, 0);
    mark_rows(g, 1);
    share_out(&q, g->room->n_columns, &n_tasks);
    TRY(smr_boost_run(ctx, n_tasks, all, weigh_columns, &q));
    TRY(list_columns(ctx, &q));
    share_out(&q, q.s->n, &n_tasks);
    TRY(smr_boost_run(ctx, n_tasks, all, count_columns, &q));
    smr_boost_choose(g, 0, n_tasks);
out:
    mark_rows(g, 0);
    return st;
}

/* ---- other nodes ------------------------------------------------------------------------ */

/* Sums of a column over the lanes, into the first; false: it has no entry here. */
static bool gather_lanes(const struct search *q, int32_t c, int64_t numbers)
{
    smr_boost_sparse *s = q->s;
    int64_t at = (int64_t)s->base[c] * q->g->room->fields;
    bool any = s->lane[0].hit[c];
    for (int l = 1; l < s->n_lanes; l++) {
        struct lane *lane = &s->lane[l];
        if (!lane->is_used || !lane->hit[c]) continue;
        for (int64_t k = 0; k < numbers; k++) s->lane[0].cell[at + k] += lane->cell[at + k];
        memset(lane->cell + at, 0, (size_t)numbers * sizeof *lane->cell);
        lane->hit[c] = 0;
        any = true;
    }
    return any;
}

static void clear_lane(const struct search *q, int32_t c, int64_t numbers)
{
    struct lane *lane = &q->s->lane[0];
    memset(lane->cell + (int64_t)q->s->base[c] * q->g->room->fields, 0,
           (size_t)numbers * sizeof *lane->cell);
    lane->hit[c] = 0;
}

/* The first place in a list whose column is no lower. */
static int64_t place_of(const struct hist *h, int32_t column)
{
    int64_t lo = 0, hi = h->n;
    while (lo < hi) {
        int64_t mid = (lo + hi) / 2;
        if (h->column[mid] < column)
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo;
}

/* One column of the larger child: the smaller one's sums leave its cells. */
static bool search_larger(const struct search *q, int32_t c, int64_t i, const int64_t *less,
                          int64_t task)
{
    const struct hist *hist = q->hist[1];
    int fields = q->g->room->fields;
    int64_t n = cells_of(q->g->f->cells, c), *cell = hist->cell + hist->at[i] * fields;
    if (less) {
        for (int64_t k = 0; k < n * fields; k++) cell[k] -= less[k];
        smr_boost_sums sums = sum_cells(cell, n, fields);
        if (!is_enough(q, &sums)) return false;
    }
    search_column(q, 1, c, cell, task);
    return true;
}

/* Columns of the root's list: what the smaller child keeps stays in the first lane, all else
 * there is 0 again. */
static smr_status part_columns(smr_ctx *ctx, void *arg, int64_t task, int number)
{
    const struct search *q = arg;
    smr_boost_sparse *s = q->s;
    const struct hist *larger = q->hist[1];
    int fields = q->g->room->fields;
    int64_t lo = task * q->each, hi = SMR_MIN(s->n, lo + q->each);
    int64_t i = larger ? place_of(larger, s->column[lo]) : 0;
    (void)ctx, (void)number;
    for (int64_t t = lo; t < hi; t++) {
        int32_t c = s->column[t];
        int64_t n = cells_of(q->g->f->cells, c);
        bool is_hit = gather_lanes(q, c, n * fields);
        bool is_listed = !larger || (i < larger->n && larger->column[i] == c);
        const int64_t *cell = s->lane[0].cell + (int64_t)s->base[c] * fields;
        s->keeps[t] = 0;
        if (is_hit && is_listed) {
            smr_boost_sums sums = sum_cells(cell, n, fields);
            if (is_enough(q, &sums)) s->keeps[t] |= SMALLER;
        }
        if (larger && is_listed && search_larger(q, c, i++, is_hit ? cell : NULL, task))
            s->keeps[t] |= LARGER;
        if (is_hit && !(s->keeps[t] & SMALLER)) clear_lane(q, c, n * fields);
    }
    return SMR_OK;
}

/* The lists of both children. */
static smr_status part_lists(smr_ctx *ctx, struct search *q)
{
    smr_status st = SMR_OK;
    const smr_boost_cells *cells = q->g->f->cells;
    smr_boost_sparse *s = q->s;
    struct hist *larger = q->hist[1], *smaller = q->hist[0];
    int64_t n = 0, numbers = 1, i = 0, kept = 0;
    for (int64_t t = 0; t < s->n; t++) {
        if (!(s->keeps[t] & SMALLER)) continue;
        n++;
        numbers += cells_of(cells, s->column[t]);
    }
    TRY(make_hist(ctx, smaller, SMR_MAX(1, n), numbers * q->g->room->fields));
    smaller->n = 0;
    for (int64_t t = 0, at = 1; t < s->n; t++) {
        int32_t c = s->column[t];
        if (s->keeps[t] & SMALLER) {
            smaller->column[smaller->n] = c;
            smaller->at[smaller->n++] = at;
            at += cells_of(cells, c);
        }
        if (!larger || i == larger->n || larger->column[i] != c) continue;
        larger->column[kept] = c;
        larger->at[kept] = larger->at[i++];
        kept += (s->keeps[t] & LARGER) != 0;
    }
    if (larger) larger->n = kept;
out:
    return st;
}

static smr_status search_smaller(smr_ctx *ctx, void *arg, int64_t task, int number)
{
    const struct search *q = arg;
    const struct hist *hist = q->hist[0];
    int fields = q->g->room->fields;
    int64_t hi = SMR_MIN(hist->n, (task + 1) * q->each);
    (void)ctx, (void)number;
    for (int64_t i = task * q->each; i < hi; i++) {
        int32_t c = hist->column[i];
        int64_t numbers = cells_of(q->g->f->cells, c) * fields;
        int64_t *cell = hist->cell + hist->at[i] * fields;
        memcpy(cell, q->s->lane[0].cell + (int64_t)q->s->base[c] * fields,
               (size_t)numbers * sizeof *cell);
        clear_lane(q, c, numbers);
        search_column(q, 0, c, cell, task);
    }
    return SMR_OK;
}

smr_status smr_boost_sparse_look(smr_ctx *ctx, smr_boost_grower *g)
{
    smr_status st = SMR_OK;
    struct search q;
    int64_t n = g->leaf[0]->hi - g->leaf[0]->lo, n_rows = g->f->cells->n_rows, n_tasks;
    const int64_t *of_row = g->f->cells->sparse->of_row;
    begin_search(&q, g);
    for (int side = 0; side < 2 && g->leaf[side] && g->f->p->features < 1; side++)
        smr_boost_draw_features(ctx, g, side);
    TRY(smr_boost_run(ctx, smr_block_count(n, SMR_BOOST_ROWS), n * (1 + of_row[n_rows] / n_rows),
                      add_block, g));
    share_out(&q, q.s->n, &n_tasks);
    TRY(smr_boost_run(ctx, n_tasks, 10 * q.s->n_cells, part_columns, &q));
    if (g->leaf[1]) smr_boost_choose(g, 1, n_tasks);
    TRY(part_lists(ctx, &q));
    share_out(&q, q.hist[0]->n, &n_tasks);
    TRY(smr_boost_run(ctx, n_tasks, 10 * n, search_smaller, &q));
    smr_boost_choose(g, 0, n_tasks);
    for (int l = 0; l < q.s->n_lanes; l++) q.s->lane[l].is_used = false;
out:
    return st;
}
