/* forest_grow.c -- one tree: nodes from a stack, the left child first.
 *
 * Large nodes read the columns of bins, in which their rows are in ascending order.  When a node
 * has few rows, its cells are copied together, column by column, from the rows of bins, and once
 * more when it has still fewer; the whole tree below it then works within the cache.
 * With max_leaves the open node of largest gain is split next, and nothing is copied. */
#include "learn/trees/forest_parts.h"

#include <math.h>
#include <string.h>

enum { NO_DEPTH = INT32_MAX, SET_WORDS = 4, SIDE = 16, LINE = 64, PAUSE = 1 << 18 };

/* Before a loop over vectors that are to stay in registers. */
#ifdef __clang__
#define UNROLL _Pragma("clang loop unroll(full)")
#else
#define UNROLL _Pragma("GCC unroll 16")
#endif

/* ---- copies of few rows ----------------------------------------------------------------- */

typedef uint8_t bytes16 __attribute__((vector_size(16)));

/* One of four shuffles, like cards, the upper half of the rows between the lower: together byte c
 * of x[r] becomes byte r of x[c]. */
static inline __attribute__((always_inline)) void shuffle(const bytes16 *x, bytes16 *y)
{
    UNROLL for (int r = 0; r < 8; r++)
    {
        bytes16 a = x[r], b = x[r + 8];
        y[2 * r] =
            __builtin_shufflevector(a, b, 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23);
        y[2 * r + 1] = __builtin_shufflevector(a, b, 8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29,
                                               14, 30, 15, 31);
    }
}

static inline void turn(const uint8_t *const *from, int64_t j, uint8_t *out, int64_t out_stride)
{
    bytes16 x[SIDE], y[SIDE];
    UNROLL for (int r = 0; r < SIDE; r++) memcpy(&x[r], from[r] + j, SIDE);
    shuffle(x, y);
    shuffle(y, x);
    shuffle(x, y);
    shuffle(y, x);
    UNROLL for (int c = 0; c < SIDE; c++) memcpy(out + (j + c) * out_stride, &x[c], SIDE);
}

static void find_rows(const uint8_t *in, int64_t in_stride, const uint32_t *row, int64_t n,
                      int64_t i, const uint8_t **from)
{
    for (int64_t r = 0; r < SIDE; r++) {
        int64_t at = SMR_MIN(n - 1, i + r);
        from[r] = in + (row ? (int64_t)row[at] : at) * in_stride;
    }
}

void smr_forest_transpose(const uint8_t *in, int64_t in_stride, const uint32_t *row, int64_t n,
                          int64_t d, uint8_t *out, int64_t out_stride)
{
    const uint8_t *from[SIDE], *next[SIDE];
    find_rows(in, in_stride, row, n, 0, from);
    for (int64_t i = 0; i < n; i += SIDE) {
        find_rows(in, in_stride, row, n, i + SIDE, next);
        for (int64_t j = 0; j < d; j += SIDE) {
            if (j % LINE == 0)
                for (int r = 0; r < SIDE; r++) __builtin_prefetch(next[r] + j);
            turn(from, j, out + i, out_stride);
        }
        memcpy(from, next, sizeof from);
    }
}

static void copy_near(struct smr_grower *g, int level, int64_t lo, int64_t hi)
{
    const struct smr_forest_plan *plan = g->plan;
    int64_t n = hi - lo, stride = (n + 15) / 16 * 16;
    if (stride % 64 == 0) stride += 16; /* columns in one set of the cache */
    smr_forest_transpose(plan->by_row, plan->row_stride, g->row + lo, n, plan->bins.n_features,
                         g->near[level].cell, stride);
    for (int64_t i = lo; i < hi; i++) g->id[i] = (uint32_t)(i - lo);
    g->near[level].stride = stride;
    g->near[level].end = hi;
    g->level = level;
}

/* Back to the copy that the node is in, or on to a smaller one: that pays where most features will
 * be asked for below. */
static void choose_cells(struct smr_grower *g, int64_t lo, int64_t hi)
{
    const struct smr_forest_plan *plan = g->plan;
    int64_t n = hi - lo;
    while (g->level > 0 && lo >= g->near[g->level].end) g->level--;
    if (plan->p->max_leaves == 0 && plan->per_node * n >= 2 * plan->bins.n_features) {
        int level = n <= plan->near_rows[2] ? 2 : n <= plan->near_rows[1] ? 1 : 0;
        if (level > g->level) copy_near(g, level, lo, hi);
    }
    g->cell = g->level ? g->near[g->level].cell : plan->bins.cell;
    g->stride = g->level ? g->near[g->level].stride : plan->bins.stride;
}

/* ---- nodes ------------------------------------------------------------------------------ */

static smr_status add_nodes(smr_ctx *ctx, struct smr_grower *g, int64_t n, int32_t *first)
{
    smr_status st = smr_sapling_nodes(ctx, &g->sapling, n, first);
    if (st != SMR_OK) return st;
    if (g->sapling.n > g->knot_room) {
        int64_t room = 2 * g->sapling.n;
        struct smr_forest_knot *knot = smr_realloc(ctx, g->knot, room, sizeof *knot);
        if (!knot) return SMR_ERR_NOMEM;
        g->knot = knot;
        g->knot_room = room;
    }
    for (int64_t i = 0; i < n; i++) g->knot[*first + i] = (struct smr_forest_knot){.feature = -1};
    return SMR_OK;
}

static smr_status push(smr_ctx *ctx, struct smr_grower *g, const struct smr_forest_node *node)
{
    if (g->n_stack == g->stack_room) {
        int64_t room = 2 * g->stack_room + 64;
        struct smr_forest_node *stack = smr_realloc(ctx, g->stack, room, sizeof *stack);
        if (!stack) return SMR_ERR_NOMEM;
        g->stack = stack;
        g->stack_room = room;
    }
    g->stack[g->n_stack++] = *node;
    return SMR_OK;
}

static struct smr_forest_cut cut_of(const smr_bins *bins, const struct smr_forest_split *s)
{
    int32_t turn = s->missing_first ? SMR_FOREST_CELLS - bins->n_bins[s->feature] : 0;
    return (struct smr_forest_cut){(uint8_t)turn, (uint8_t)(s->bin + turn)};
}

/* For a category, which cells go first. */
static void directions(const smr_bins *bins, const struct smr_forest_split *s, uint8_t *goes)
{
    int32_t n = bins->n_bins[s->feature];
    for (int b = 0; b < n; b++) {
        uint64_t bit = (uint64_t)1 << b % 64;
        goes[b] = s->occurs[b / 64] & bit ? (s->set[b / 64] & bit) != 0 : s->missing_first;
    }
    goes[n] = s->missing_first;
}

/* Items that go first (by `goes`, or by the cut where it is NULL) come first, all in their order;
 * returns where the others begin. */
static inline __attribute__((always_inline)) int64_t divide(struct smr_grower *g, int64_t lo,
                                                            int64_t hi, int64_t feature,
                                                            const uint8_t *goes,
                                                            struct smr_forest_cut cut)
{
    const uint8_t *cell = g->cell + feature * g->stride;
    int64_t first = lo, then = 0;
    for (int64_t i = lo; i < hi; i++) {
        struct smr_item item = g->item[i];
        uint32_t id = g->id[i], row = g->row[i];
        int64_t yes = goes ? goes[cell[id]] : (uint8_t)(cell[id] + cut.turn) <= cut.last;
        g->item[first] = g->spare_item[then] = item;
        g->id[first] = g->spare_id[then] = id;
        g->row[first] = g->spare_row[then] = row;
        first += yes;
        then += 1 - yes;
    }
    memcpy(g->item + first, g->spare_item, (size_t)then * sizeof *g->item);
    memcpy(g->id + first, g->spare_id, (size_t)then * sizeof *g->id);
    memcpy(g->row + first, g->spare_row, (size_t)then * sizeof *g->row);
    return first;
}

static smr_status keep_levels(smr_ctx *ctx, struct smr_grower *g, int32_t node,
                              const struct smr_forest_split *s, const uint8_t *goes)
{
    const smr_bins *bins = &g->plan->bins;
    const uint8_t *bin_of = bins->level_bin[s->feature];
    int64_t levels = bins->n_levels[s->feature], words = SMR_MAX(1, (levels + 31) / 32), at = 0;
    smr_status st = smr_sapling_words(ctx, &g->sapling, words, &at);
    if (st != SMR_OK) return st;
    for (int64_t v = 0; v < levels; v++)
        if (goes[bin_of ? bin_of[v] : v]) g->sapling.words[at + v / 32] |= (uint32_t)1 << v % 32;
    g->sapling.node[node].kind = SMR_SPLIT_SET;
    g->sapling.node[node].set = at;
    g->sapling.node[node].n_words = words;

    if (g->n_sets == g->set_room) {
        int64_t room = 2 * g->set_room + 16;
        uint64_t *sets = smr_realloc(ctx, g->sets, room * SET_WORDS, sizeof *sets);
        if (!sets) return SMR_ERR_NOMEM;
        g->sets = sets;
        g->set_room = room;
    }
    uint64_t *set = g->sets + g->n_sets * SET_WORDS;
    memset(set, 0, SET_WORDS * sizeof *set);
    for (int b = 0; b <= bins->n_bins[s->feature]; b++)
        set[b / 64] |= (uint64_t)(goes[b] != 0) << b % 64;
    g->knot[node].is_set = true;
    g->knot[node].by.set = (int32_t)g->n_sets++;
    return SMR_OK;
}

/* The node becomes a split; its children are new leaves. */
static smr_status split_node(smr_ctx *ctx, struct smr_grower *g, const struct smr_forest_node *at,
                             struct smr_forest_split *s, int64_t *middle, int32_t *child)
{
    smr_status st = SMR_OK;
    const smr_bins *bins = &g->plan->bins;
    uint8_t goes[SMR_FOREST_CELLS + 1];
    int32_t n_bins = bins->n_bins[s->feature];
    if (s->is_set) directions(bins, s, goes);
    *middle = s->is_set ? divide(g, at->lo, at->hi, s->feature, goes, (struct smr_forest_cut){0})
                        : divide(g, at->lo, at->hi, s->feature, NULL, cut_of(bins, s));
    if (!s->missing_here) { /* what is missing later goes where most rows go */
        s->missing_first = *middle - at->lo >= at->hi - *middle;
        if (s->is_set) directions(bins, s, goes);
    }
    TRY(add_nodes(ctx, g, 2, child));
    smr_sprout *node = &g->sapling.node[at->node];
    node->kind = SMR_SPLIT_CUT;
    node->feature = (int32_t)s->feature;
    node->missing_first = s->missing_first;
    node->child = *child;
    node->n_children = 2;
    node->gain = s->gain * g->plan->unit;
    g->knot[at->node] = (struct smr_forest_knot){.feature = (int32_t)s->feature,
                                                 .child = (uint32_t)*child & INT32_MAX,
                                                 .by.cut = cut_of(bins, s)};
    if (s->is_set)
        TRY(keep_levels(ctx, g, at->node, s, goes));
    else
        node->cut = s->bin < n_bins - 1 ? bins->cut[bins->first[s->feature] + s->bin] : INFINITY;
out:
    return st;
}

/* Weighs the node, and finds its split; gain -1: it stays a leaf. */
static void look_at(struct smr_grower *g, const struct smr_forest_node *at,
                    struct smr_forest_split *s)
{
    const struct smr_forest_plan *plan = g->plan;
    int64_t max_depth = plan->p->max_depth;
    double *value = g->sapling.value + at->node * g->sapling.width, weight = 0;
    bool alike = plan->classify ? smr_forest_weigh_classes(g, at->lo, at->hi, value, &weight)
                                : smr_forest_weigh_numbers(g, at->lo, at->hi, value, &weight);
    g->sapling.node[at->node].cover = weight;
    *s = (struct smr_forest_split){.gain = -1};
    double in_units = plan->classify ? (double)g->weight : weight;
    if (alike || at->hi - at->lo < 2 || at->depth >= (max_depth ? max_depth : NO_DEPTH)) return;
    if (in_units < plan->min_split || in_units < 2 * plan->min_leaf) return;
    while (g->n_constant > at->n_constant) g->is_constant[g->constant[--g->n_constant]] = false;
    choose_cells(g, at->lo, at->hi);
    smr_forest_at(g, at->node);
    smr_forest_find(g, at->lo, at->hi, s);
    double all = g->sapling.node[0].cover;
    if (s->gain * plan->unit < plan->min_gain * all) s->gain = -1;
}

/* ---- trees ------------------------------------------------------------------------------ */

/* Large trees can be stopped, too: asks after every PAUSE rows that were looked at. */
static smr_status pause_after(smr_ctx *ctx, int64_t rows, int64_t *work)
{
    *work += rows;
    if (*work < PAUSE) return SMR_OK;
    *work = 0;
    return smr_tick(ctx, NULL, 0, 1, NAN);
}

static smr_status grow_down(smr_ctx *ctx, struct smr_grower *g)
{
    smr_status st = SMR_OK;
    int64_t work = 0;
    while (g->n_stack > 0) {
        struct smr_forest_node at = g->stack[--g->n_stack];
        struct smr_forest_split s;
        int64_t middle = 0;
        int32_t child = 0;
        TRY(pause_after(ctx, at.hi - at.lo, &work));
        look_at(g, &at, &s);
        if (s.gain < 0) continue;
        TRY(split_node(ctx, g, &at, &s, &middle, &child));
        TRY(push(ctx, g,
                 &(struct smr_forest_node){.lo = middle,
                                           .hi = at.hi,
                                           .node = child + 1,
                                           .depth = at.depth + 1,
                                           .n_constant = g->n_constant}));
        TRY(push(ctx, g,
                 &(struct smr_forest_node){.lo = at.lo,
                                           .hi = middle,
                                           .node = child,
                                           .depth = at.depth + 1,
                                           .n_constant = g->n_constant}));
    }
out:
    return st;
}

/* The open node of largest gain, among equals the lowest, leaves the stack. */
static bool take_best(struct smr_grower *g, struct smr_forest_node *out)
{
    int64_t best = -1;
    for (int64_t k = 0; k < g->n_stack; k++) {
        double gain = g->stack[k].split.gain;
        if (gain >= 0 &&
            (best < 0 || gain > g->stack[best].split.gain ||
             (gain == g->stack[best].split.gain && g->stack[k].node < g->stack[best].node)))
            best = k;
    }
    if (best < 0) return false;
    *out = g->stack[best];
    g->stack[best] = g->stack[--g->n_stack];
    return true;
}

static smr_status grow_best(smr_ctx *ctx, struct smr_grower *g)
{
    smr_status st = SMR_OK;
    struct smr_forest_node at;
    int64_t work = 0;
    look_at(g, &g->stack[0], &g->stack[0].split);
    for (int64_t leaves = 1; leaves < g->plan->p->max_leaves && take_best(g, &at); leaves++) {
        int64_t middle = 0;
        int32_t child = 0;
        TRY(pause_after(ctx, at.hi - at.lo, &work));
        TRY(split_node(ctx, g, &at, &at.split, &middle, &child));
        for (int c = 0; c < 2; c++) {
            struct smr_forest_node next = {.lo = c ? middle : at.lo,
                                           .hi = c ? at.hi : middle,
                                           .node = child + c,
                                           .depth = at.depth + 1};
            look_at(g, &next, &next.split);
            TRY(push(ctx, g, &next));
        }
    }
out:
    return st;
}

smr_status smr_forest_grow(smr_ctx *ctx, struct smr_grower *g, int64_t tree)
{
    smr_status st = SMR_OK;
    int32_t root = 0;
    g->tree = tree;
    g->n_stack = g->n_sets = 0;
    g->sapling.n = g->sapling.n_words = 0; /* its room serves again */
    g->sapling.width = g->plan->width;
    g->n_constant = 0;
    memset(g->is_constant, 0, (size_t)g->plan->bins.n_features);
    for (int64_t j = 0; j < g->plan->bins.n_features; j++) g->order[j] = (int32_t)j;
    smr_forest_draw_bag(g);
    g->level = 0;
    g->near[1].end = g->near[2].end = 0; /* nothing is copied for this tree */
    TRY(add_nodes(ctx, g, 1, &root));
    TRY(push(ctx, g, &(struct smr_forest_node){.lo = 0, .hi = g->n_items, .node = root}));
    TRY(g->plan->p->max_leaves > 0 ? grow_best(ctx, g) : grow_down(ctx, g));
out:
    return st;
}

/* ---- room ------------------------------------------------------------------------------- */

static smr_status room_for_classes(smr_ctx *ctx, struct smr_grower *g)
{
    smr_status st = SMR_OK;
    int64_t width = g->plan->width;
    TRY_NEW(g->table[0], SMR_FOREST_CELLS * g->plan->pitch);
    TRY_NEW(g->table[1], SMR_FOREST_CELLS * g->plan->pitch);
    if (g->plan->pitch <= SMR_THIN_CLASSES && !g->plan->entropy)
        TRY_NEW(g->narrow, SMR_FOREST_TABLES * SMR_FOREST_NARROW);
    TRY_NEW(g->total, width);
    TRY_NEW(g->left, width);
    TRY_NEW(g->classes, width);
out:
    return st;
}

static smr_status room_for_numbers(smr_ctx *ctx, struct smr_grower *g)
{
    smr_status st = SMR_OK;
    int64_t width = g->plan->width, n = g->plan->data->n_rows;
    TRY_NEW(g->sums, SMR_FOREST_CELLS * (1 + width));
    TRY_NEW(g->item_weight, n);
    TRY_NEW(g->item_y, n * width);
    TRY_NEW(g->mean, width);
    TRY_NEW(g->first, 1 + width);
    TRY_NEW(g->all, 1 + width);
out:
    return st;
}

smr_status smr_grower_begin(smr_ctx *ctx, const struct smr_forest_plan *plan, struct smr_grower *g)
{
    smr_status st = SMR_OK;
    int64_t n = plan->data->n_rows, d = plan->bins.n_features;
    *g = (struct smr_grower){.plan = plan};
    TRY_NEW(g->item, n);
    TRY_NEW(g->spare_item, n);
    TRY_NEW(g->id, n);
    TRY_NEW(g->spare_id, n);
    TRY_NEW(g->row, n);
    TRY_NEW(g->spare_row, n);
    TRY_NEW(g->count, n);
    TRY_NEW(g->order, d);
    TRY_NEW(g->constant, d);
    TRY_NEW(g->is_constant, d);
    for (int level = 1; level < 3; level++) {
        g->near[level].cell = smr_alloc_raw(ctx, (plan->near_rows[level] + 32) * (d + 15), 1);
        if (!g->near[level].cell) return SMR_ERR_NOMEM;
    }
    TRY(plan->classify ? room_for_classes(ctx, g) : room_for_numbers(ctx, g));
out:
    return st;
}

void smr_grower_end(struct smr_grower *g)
{
    void *const blocks[] = {
        g->knot,     g->sets,        g->item,  g->spare_item, g->id,           g->spare_id,
        g->row,      g->spare_row,   g->stack, g->count,      g->order,        g->table[0],
        g->table[1], g->total,       g->left,  g->classes,    g->sums,         g->item_weight,
        g->item_y,   g->mean,        g->first, g->all,        g->near[1].cell, g->near[2].cell,
        g->constant, g->is_constant, g->narrow};
    for (int k = 0; k < (int)SMR_COUNT(blocks); k++) smr_free(blocks[k]);
    smr_sapling_release(&g->sapling);
    *g = (struct smr_grower){0};
}
