/* tree_lists.c -- a subtree grown from lists: for each feature its rows in the order of the codes.
 *
 * The lists are made once, by counting, and divided with the rows at each split, which keeps their
 * order: nothing is sorted or counted again below.  An entry holds its code, its row and its class
 * (kernel.h, smr_gini_cuts); rows of code 0, the most frequent one where most values are 0, have
 * none.  The cuts of a feature are judged in single precision first, and those that come near the
 * best are judged again as tree_gini.c does it, so that the tree is the same bit for bit.
 *
 * Where it serves: thresholds by gini, weights of 1, at most 16 classes, narrow features without
 * missing values, at most MOST_ROWS rows.  Cost: for each level of the tree and entry one step;
 * memory 4 bytes for each value above 0. */
#include "learn/trees/tree_grow.h"

#include "kernel/kernel.h"
#include "learn/trees/tree_score.h"

#include <math.h>
#include <string.h>

enum { MOST_ROWS = 16384, MOST_CELLS = 1 << 26, CODES = 256, TICK = 64 };

static const double NEARLY = 1 - 4e-6; /* the kernel's error, four times */

/* Entries first .. first + n - 1 are those of a node. */
struct list {
    int32_t feature;
    int32_t first, n;
};

struct branch {
    int32_t node;
    int64_t depth, lo, n;
    uint64_t key;      /* of its random numbers */
    struct list *list; /* owned: of features that differ here */
    int64_t n_lists;
    int32_t total[SMR_CUT_CLASSES];
    double good;
    smr_tree_pick pick;
    double score; /* of the pick */
    bool is_open;
};

struct grower {
    const smr_tree_plan *plan;
    const int32_t *row; /* of the plan, by number here */
    int64_t n;
    smr_tree_grown *out;
    uint32_t *entry, *apart;
    smr_cuts cuts;
    uint8_t *side, *class;  /* by number */
    int32_t *order, *spare; /* numbers, node by node */
    int32_t *named;         /* rows of one node, as the plan names them */
    struct branch *stack;
    int64_t depth_room, n_waiting;
};

bool smr_tree_lists_serve(const smr_tree_plan *plan, const smr_tree_place *at)
{
    const smr_tree_codes *codes = plan->codes;
    if (plan->trace || codes->sparse || plan->criterion != SMR_TREE_GINI ||
        !plan->target->is_unit || at->n > MOST_ROWS || at->n * at->n_active > MOST_CELLS ||
        plan->target->n_classes > SMR_CUT_CLASSES || plan->params->missing == SMR_TREE_FRACTION ||
        plan->params->max_leaves > 0)
        return false;
    for (int64_t a = 0; a < at->n_active; a++) {
        int64_t j = at->active ? at->active[a] : a;
        if (codes->wide[j] || codes->is_category[j]) return false;
    }
    return true;
}

/* ---- memory ---- */

static void release_branch(struct branch *b)
{
    smr_free(b->list);
    *b = (struct branch){0};
}

static void release(struct grower *g)
{
    for (int64_t i = 0; i < g->n_waiting; i++) release_branch(&g->stack[i]);
    smr_free(g->stack);
    smr_free(g->entry);
    smr_free(g->apart);
    smr_free(g->cuts.score);
    smr_free(g->cuts.square);
    smr_free(g->cuts.dot);
    smr_free(g->side);
    smr_free(g->class);
    smr_free(g->order);
    smr_free(g->spare);
    smr_free(g->named);
}

static smr_status make(smr_ctx *ctx, struct grower *g, int64_t n_active)
{
    smr_status st = SMR_OK;
    int64_t room = g->n + SMR_CUT_SPARE;
    TRY_NEW(g->apart, room);
    TRY_NEW(g->cuts.score, room);
    TRY_NEW(g->cuts.square, room);
    TRY_NEW(g->cuts.dot, room);
    TRY_NEW(g->side, g->n);
    TRY_NEW(g->class, g->n);
    TRY_NEW(g->order, g->n);
    TRY_NEW(g->spare, g->n);
    TRY_NEW(g->named, g->n);
    /* pages that no entry reaches are never touched */
    g->entry = smr_alloc_raw(ctx, g->n * n_active + SMR_CUT_SPARE, sizeof *g->entry);
    if (!g->entry) TRY(SMR_ERR_NOMEM);
    for (int64_t i = 0; i < g->n; i++) {
        g->class[i] = (uint8_t)g->plan->target->label[g->row[i]];
        g->order[i] = (int32_t)i;
    }
out:
    return st;
}

/* ---- lists ---- */

/* The list of feature j at `to`, codes descending; its length, or -1 where a value is missing. */
static int64_t write_list(struct grower *g, int64_t j, uint32_t *to)
{
    const uint8_t *code = g->plan->codes->narrow[j];
    int64_t missing = g->plan->codes->n_codes[j], at = 0;
    uint8_t *copy = (uint8_t *)g->spare;
    uint32_t count[CODES] = {0};
    for (int64_t i = 0; i < g->n; i++) count[copy[i] = code[g->row[i]]]++;
    if (missing < CODES && count[missing] > 0) return -1;
    for (int c = CODES - 1; c > 0; c--) {
        uint32_t here = count[c];
        count[c] = (uint32_t)at;
        at += here;
    }
    count[0] = (uint32_t)at; /* written, and written over by what follows */
    for (int64_t i = 0; i < g->n; i++) {
        uint32_t c = copy[i];
        to[count[c]] = c << 24 | (uint32_t)i << 8 | g->class[i];
        count[c] += c != 0;
    }
    return at;
}

static bool is_constant(const struct grower *g, const struct list *l, int64_t n)
{
    if (l->n == 0) return true;
    return l->n == n && g->entry[l->first] >> 24 == g->entry[l->first + l->n - 1] >> 24;
}

static smr_status write_lists(smr_ctx *ctx, struct grower *g, const smr_tree_place *place,
                              struct branch *root, bool *served)
{
    smr_status st = SMR_OK;
    int64_t at = 0;
    TRY_NEW(root->list, SMR_MAX(1, place->n_active));
    for (int64_t a = 0; a < place->n_active; a++) {
        int32_t j = place->active ? place->active[a] : (int32_t)a;
        int64_t n = write_list(g, j, g->entry + at);
        *served = n >= 0;
        if (!*served) return SMR_OK;
        struct list l = {j, (int32_t)at, (int32_t)n};
        if (is_constant(g, &l, g->n)) continue;
        root->list[root->n_lists++] = l;
        at += n;
    }
    memset(g->entry + at, 0, SMR_CUT_SPARE * sizeof *g->entry);
out:
    return st;
}

/* Entries of the second side go after those of the first; returns how many the first has. */
static int64_t part_list(const struct grower *g, uint32_t *entry, int64_t n)
{
    int64_t first = 0, second = 0;
    for (int64_t i = 0; i < n; i++) { /* without a branch */
        uint32_t e = entry[i], is_second = g->side[e >> 8 & 0xffff];
        entry[first] = e;
        g->apart[second] = e;
        first += !is_second;
        second += is_second;
    }
    memcpy(entry + first, g->apart, (size_t)second * sizeof *entry);
    return first;
}

/* The same where the others are not needed. */
static int64_t keep_side(const struct grower *g, uint32_t *entry, int64_t n, uint8_t side)
{
    int64_t kept = 0;
    for (int64_t i = 0; i < n; i++) {
        uint32_t e = entry[i];
        entry[kept] = e;
        kept += g->side[e >> 8 & 0xffff] == side;
    }
    return kept;
}

/* ---- cuts ---- */

/* The best cut among those that come near `least`, by what tree_gini.c compares; the lowest of
 * equals, which is the last one. */
static void judge_again(const struct grower *g, const struct list *l, float least, struct branch *b)
{
    const smr_cuts *cuts = &g->cuts;
    const uint32_t *entry = g->entry + l->first;
    int64_t at = -1, all = 0, squares_left = 0;
    double best = -INFINITY;
    for (int c = 0; c < SMR_CUT_CLASSES; c++) all += (int64_t)b->total[c] * b->total[c];
    for (int64_t i = 0; i < l->n; i++) {
        if (cuts->score[i] < least || cuts->score[i] == 0) continue;
        int64_t sum = all - 2 * (int64_t)cuts->dot[i] + cuts->square[i];
        double right = (double)(i + 1), left = (double)(b->n - i - 1);
        double score = ((double)sum * right + (double)cuts->square[i] * left) / (left * right);
        if (score < best) continue;
        best = score;
        squares_left = sum;
        at = i;
    }
    int64_t right = at + 1, left = b->n - right;
    double score = (double)squares_left / (double)left + (double)cuts->square[at] / (double)right;
    double gain = score - b->good;
    bool is_drawn =
        gain == b->pick.gain && smr_tree_prefers(g->plan, b->key, l->feature, b->pick.feature);
    if (gain <= b->pick.gain && !is_drawn) return;
    b->score = score;
    b->pick = (smr_tree_pick){.gain = gain,
                              .feature = l->feature,
                              .kind = SMR_SPLIT_CUT,
                              .before = right < l->n ? entry[right] >> 24 : 0,
                              .after = entry[at] >> 24,
                              .missing_first = left >= right};
}

/* Takes the list to those of the branch, where its values differ, and its best cut. */
static void search(struct grower *g, struct list l, struct branch *b)
{
    if (is_constant(g, &l, b->n)) return;
    b->list[b->n_lists++] = l;
    float most =
        smr_gini_cuts(l.n, g->entry + l.first, b->n, g->plan->min_leaf, b->total, &g->cuts);
    if (most > 0 && (double)most >= b->score * NEARLY)
        judge_again(g, &l, (float)((double)most * NEARLY), b);
}

/* ---- nodes ---- */

/* Says what the node says, and whether it may be split. */
static smr_status settle(smr_ctx *ctx, struct grower *g, struct branch *b)
{
    smr_status st = SMR_OK;
    const smr_tree_plan *plan = g->plan;
    int64_t tally[SMR_CUT_CLASSES] = {0};
    bool stops = false;
    for (int64_t i = 0; i < b->n; i++) {
        int32_t number = g->order[b->lo + i];
        g->named[i] = g->row[number];
        tally[g->class[number]]++;
    }
    smr_tree_share share = {.row = g->named, .n = b->n};
    TRY(smr_tree_settle(ctx, plan, &share, g->out, b->node, &stops));
    for (int c = 0; c < SMR_CUT_CLASSES; c++) b->total[c] = (int32_t)tally[c];
    b->good = smr_tree_gini(plan, tally, b->n);
    b->pick.gain = b->score = -INFINITY;
    b->is_open = !stops && b->depth < smr_tree_most_depth(plan);
out:
    return st;
}

static smr_status wait_for(smr_ctx *ctx, struct grower *g, struct branch *b)
{
    if (!b->is_open || b->pick.gain == -INFINITY) return SMR_OK;
    if (g->n_waiting == g->depth_room) {
        int64_t room = 2 * g->depth_room + 16;
        struct branch *more = g->stack ? smr_realloc(ctx, g->stack, room, sizeof *more)
                                       : smr_alloc(ctx, room, sizeof *more);
        if (!more) return SMR_ERR_NOMEM;
        g->stack = more;
        g->depth_room = room;
    }
    g->stack[g->n_waiting++] = *b;
    *b = (struct branch){0};
    return SMR_OK;
}

/* side[] of the rows of a node; how many go second. */
static int64_t take_sides(struct grower *g, const struct branch *b, uint32_t cut)
{
    const struct list *l = b->list;
    int64_t second = 0;
    while (l->feature != b->pick.feature) l++;
    for (int64_t i = 0; i < b->n; i++) g->side[g->order[b->lo + i]] = 0;
    for (; second < l->n && g->entry[l->first + second] >> 24 > cut; second++)
        g->side[g->entry[l->first + second] >> 8 & 0xffff] = 1;
    return second;
}

static void part_rows(struct grower *g, const struct branch *b)
{
    int32_t *order = g->order + b->lo;
    int64_t first = 0, second = 0;
    for (int64_t i = 0; i < b->n; i++) {
        int32_t number = order[i];
        uint8_t is_second = g->side[number];
        order[first] = number;
        g->spare[second] = number;
        first += !is_second;
        second += is_second;
    }
    memcpy(order + first, g->spare, (size_t)second * sizeof *order);
}

/* May the split be made?  Its node. */
static bool is_allowed(const struct grower *g, const struct branch *b, smr_sprout *split)
{
    const struct smr_tree_params *p = g->plan->params;
    const smr_tree_target *t = g->plan->target;
    int64_t tallies[2 * SMR_CUT_CLASSES] = {0};
    split->gain = smr_fmax(0, b->pick.gain * smr_tree_unit(g->plan));
    if (split->gain < p->min_gain * split->cover * (1 - 1e-12)) return false;
    if (p->chi2 <= 0) return true;
    for (int64_t i = 0; i < b->n; i++) {
        int32_t number = g->order[b->lo + i];
        tallies[g->side[number] * t->width + g->class[number]]++;
    }
    return smr_tree_chi2(t, 2, tallies) <= p->chi2;
}

/* The lists of both children, searched while they are at hand. */
static smr_status part_lists(smr_ctx *ctx, struct grower *g, const struct branch *b,
                             struct branch pair[2])
{
    smr_status st = SMR_OK;
    for (int c = 0; c < 2; c++) {
        if (!pair[c].is_open) continue;
        pair[c].list = smr_alloc_raw(ctx, b->n_lists, sizeof *pair[c].list);
        if (!pair[c].list) TRY(SMR_ERR_NOMEM);
    }
    for (int64_t a = 0; a < b->n_lists; a++) {
        struct list l = b->list[a], first = l, second = l;
        uint32_t *entry = g->entry + l.first;
        if (pair[0].is_open && pair[1].is_open) {
            first.n = (int32_t)part_list(g, entry, l.n);
            second.first += first.n;
            second.n -= first.n;
            search(g, first, &pair[0]);
            search(g, second, &pair[1]);
        } else {
            uint8_t open = pair[1].is_open;
            l.n = (int32_t)keep_side(g, entry, l.n, open);
            search(g, l, &pair[open]);
        }
    }
out:
    return st;
}

static smr_status split(smr_ctx *ctx, struct grower *g, struct branch *b)
{
    smr_status st = SMR_OK;
    const smr_tree_codes *codes = g->plan->codes;
    int32_t j = b->pick.feature, first = 0;
    int64_t code = smr_tree_middle(codes, j, b->pick.before, b->pick.after);
    struct branch pair[2] = {{0}, {0}};
    smr_sprout node = {.kind = SMR_SPLIT_CUT,
                       .feature = j,
                       .missing_first = b->pick.missing_first,
                       .n_children = 2,
                       .cut = smr_tree_cut(codes, j, code),
                       .cover = g->out->sapling.node[b->node].cover};
    int64_t second = take_sides(g, b, (uint32_t)code);
    if (!is_allowed(g, b, &node)) return SMR_OK;
    TRY(smr_tree_grown_nodes(ctx, g->out, 2, &first));
    node.child = first;
    g->out->sapling.node[b->node] = node;
    g->out->code[b->node] = (uint32_t)code;
    part_rows(g, b);
    for (int c = 0; c < 2; c++) {
        pair[c].node = first + c;
        pair[c].depth = b->depth + 1;
        pair[c].lo = b->lo + (c ? b->n - second : 0);
        pair[c].n = c ? second : b->n - second;
        pair[c].key = smr_tree_child_key(g->plan, b->key, c);
        TRY(settle(ctx, g, &pair[c]));
    }
    if (pair[0].is_open || pair[1].is_open) TRY(part_lists(ctx, g, b, pair));
    int larger = pair[1].n > pair[0].n; /* waits longer, so that few wait at a time */
    TRY(wait_for(ctx, g, &pair[larger]));
    TRY(wait_for(ctx, g, &pair[!larger]));
out:
    release_branch(&pair[0]);
    release_branch(&pair[1]);
    return st;
}

static smr_status grow(smr_ctx *ctx, struct grower *g)
{
    smr_status st = SMR_OK;
    struct branch b = {0};
    for (int64_t done = 1; g->n_waiting > 0; done++) {
        b = g->stack[--g->n_waiting];
        TRY(split(ctx, g, &b));
        release_branch(&b);
        if (done % TICK == 0) TRY(smr_tick(ctx, NULL, done, 0, NAN));
    }
out:
    release_branch(&b);
    return st;
}

smr_status smr_tree_lists_grow(smr_ctx *ctx, const smr_tree_plan *plan, const smr_tree_place *at,
                               smr_tree_grown *out, bool *served)
{
    smr_status st = SMR_OK;
    struct grower g = {.plan = plan, .row = at->row, .n = at->n, .out = out};
    struct branch root = {.depth = at->depth, .n = at->n, .key = at->key};
    struct list *lists = NULL;
    int64_t n_lists = 0;
    *served = true;
    TRY(make(ctx, &g, at->n_active));
    TRY(write_lists(ctx, &g, at, &root, served));
    if (!*served) goto out;
    smr_sapling_begin(&out->sapling, plan->target->leaf_width);
    TRY(smr_tree_grown_nodes(ctx, out, 1, &root.node));
    TRY(settle(ctx, &g, &root));
    lists = root.list;
    n_lists = root.n_lists;
    TRY_NEW(root.list, SMR_MAX(1, n_lists));
    root.n_lists = 0;
    for (int64_t a = 0; a < n_lists && root.is_open; a++) search(&g, lists[a], &root);
    TRY(wait_for(ctx, &g, &root));
    TRY(grow(ctx, &g));
out:
    smr_free(lists);
    release_branch(&root);
    release(&g);
    return st;
}
