/* tree_children.c -- a split carried out: rows to children, children to those that wait.
 *
 * Rows keep their order.  Children lie in the parent's part of the array of rows, one after
 * another; with missing=fraction (C4.5) they have rows of their own, and a row without a value goes
 * to every child with its share of the known weight.  A child without rows says what its parent
 * says.
 *
 * For two children the histogram of the smaller is counted and the larger gets the difference. */
#include "learn/trees/tree_grow.h"

#include "learn/trees/tree_score.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { NOWHERE = SMR_TREE_NOWHERE };

/* ---- which child ---- */

static bool bit_of(const uint32_t *words, int64_t code)
{
    return words[code / 32] >> code % 32 & 1;
}

int32_t smr_tree_child_of(const smr_sprout *node, const uint32_t *words, uint32_t cut,
                          uint32_t code, int64_t n_codes)
{
    if ((int64_t)code >= n_codes) return NOWHERE;
    if (node->kind == SMR_SPLIT_CUT) return code > cut;
    if (node->kind == SMR_SPLIT_WAYS) return (int32_t)code;
    return !bit_of(words + node->set, code);
}

static int32_t heaviest(const smr_sapling *s, const smr_sprout *node)
{
    int32_t best = 0;
    for (int32_t c = 1; c < node->n_children; c++)
        if (s->node[node->child + c].cover > s->node[node->child + best].cover) best = c;
    return best;
}

int32_t smr_tree_step(const smr_tree_plan *plan, const smr_tree_grown *grown, int32_t node,
                      int64_t row)
{
    const smr_sprout *at = &grown->sapling.node[node];
    uint32_t code = smr_tree_code(plan->codes, at->feature, row);
    int32_t child = smr_tree_child_of(at, grown->sapling.words, grown->code[node], code,
                                      plan->codes->n_codes[at->feature]);
    if (child == NOWHERE)
        child = at->kind == SMR_SPLIT_WAYS ? heaviest(&grown->sapling, at) : !at->missing_first;
    return at->child + child;
}

/* ---- the split itself ---- */

/* What the search picked, as a node; its set of levels. */
static smr_status write_split(smr_ctx *ctx, smr_tree_engine *e, const smr_tree_waiting *w,
                              smr_sprout *node, uint32_t *cut)
{
    smr_status st = SMR_OK;
    const smr_tree_codes *codes = e->plan->codes;
    const smr_tree_pick *p = &w->pick;
    int64_t levels = codes->n_levels[p->feature];
    node->kind = p->kind;
    node->feature = p->feature;
    node->missing_first = p->missing_first;
    node->n_children = p->kind == SMR_SPLIT_WAYS ? (int32_t)levels : 2;
    if (p->kind == SMR_SPLIT_CUT) {
        bool is_all = p->after < 0; /* every value against none */
        int64_t code = is_all ? codes->n_codes[p->feature] - 1
                              : smr_tree_middle(codes, p->feature, p->before, p->after);
        node->cut = is_all ? DBL_MAX : smr_tree_cut(codes, p->feature, code);
        *cut = (uint32_t)code;
    }
    if (p->kind != SMR_SPLIT_SET) return SMR_OK;
    node->n_words = (levels + 31) / 32;
    TRY(smr_sapling_words(ctx, &e->out->sapling, node->n_words, &node->set));
    TRY(smr_tree_set_of(ctx, e->plan, &e->at, p, &e->lanes[0], e->out->sapling.words + node->set));
out:
    return st;
}

static smr_status more(smr_ctx *ctx, int64_t **block, int64_t *room, int64_t n)
{
    if (n <= *room) return SMR_OK;
    smr_free(*block);
    *block = smr_alloc(ctx, n, sizeof **block);
    *room = *block ? n : 0;
    return *block ? SMR_OK : SMR_ERR_NOMEM;
}

/* side[i], count[c] and the children's tallies (known rows only where rows are divided). */
static void take_sides(smr_tree_engine *e, const smr_sprout *node, uint32_t cut)
{
    const smr_tree_plan *plan = e->plan;
    const smr_tree_target *t = plan->target;
    const uint32_t *words = e->out->sapling.words;
    int64_t k = node->n_children, q = t->n_outputs, n_codes = plan->codes->n_codes[node->feature];
    int64_t *weight = e->count + k;
    for (int64_t i = 0; i < e->at.n; i++) {
        uint32_t code = smr_tree_code(plan->codes, node->feature, e->at.row[i]);
        e->side[i] = smr_tree_child_of(node, words, cut, code, n_codes);
        if (e->side[i] != NOWHERE) weight[e->side[i]] += e->w[i];
    }
    int32_t where = !node->missing_first;
    for (int32_t c = 0; c < k && node->kind == SMR_SPLIT_WAYS; c++)
        where = c == 0 || weight[c] > weight[where] ? c : where;
    bool divided = plan->params->missing == SMR_TREE_FRACTION;
    for (int64_t i = 0; i < e->at.n; i++) {
        if (e->side[i] == NOWHERE && divided) continue;
        if (e->side[i] == NOWHERE) e->side[i] = where;
        int64_t *tally = e->tallies + e->side[i] * t->width;
        e->count[e->side[i]]++;
        if (t->n_classes > 0) {
            tally[e->label[i]] += e->w[i];
            continue;
        }
        tally[0] += e->w[i];
        for (int64_t o = 0; o < q; o++) tally[1 + o] += e->wy[i * q + o];
    }
}

/* What the split gained, in the units of the criterion x weight. */
static double gain_of(const smr_tree_engine *e, const smr_tree_waiting *w, int64_t n_children)
{
    const smr_tree_plan *plan = e->plan;
    double gain = w->pick.gain;
    if (plan->criterion == SMR_TREE_ERROR) {
        gain = 0;
        int64_t *whole = e->lanes[0].a;
        memset(whole, 0, (size_t)plan->target->width * sizeof *whole);
        for (int64_t c = 0; c < n_children; c++) {
            const int64_t *tally = e->tallies + c * plan->target->width;
            gain += (double)smr_tree_most(plan, tally);
            for (int64_t k = 0; k < plan->target->width; k++) whole[k] += tally[k];
        }
        gain -= (double)smr_tree_most(plan, whole);
    }
    gain *= smr_tree_unit(plan);
    return gain > 0 ? gain : 0;
}

/* ---- rows of the children ---- */

/* In place: child c has rows [start[c], start[c] + count[c]) of its parent's. */
static void part_rows(smr_tree_engine *e, smr_tree_waiting *w, int64_t k)
{
    int64_t *start = e->count + 2 * k, at = 0;
    for (int64_t c = 0; c < k; c++) {
        start[c] = at;
        at += e->count[c];
    }
    for (int64_t i = 0; i < w->n; i++) e->spare[start[e->side[i]]++] = w->row[i];
    memcpy(w->row, e->spare, (size_t)w->n * sizeof *w->row);
    for (int64_t c = 0; c < k; c++) start[c] -= e->count[c];
}

/* Child c with rows of its own: the known ones, and a share of every other. */
static smr_status divide_rows(smr_ctx *ctx, const smr_tree_engine *e, const smr_tree_waiting *w,
                              int64_t k, int32_t c, smr_tree_waiting *child)
{
    smr_status st = SMR_OK;
    int64_t gone = 0, known = 0;
    const int64_t *weight = e->count + k;
    for (int64_t i = 0; i < w->n; i++) gone += e->side[i] == NOWHERE;
    for (int64_t o = 0; o < k; o++) known += weight[o];
    double share = (double)weight[c] / (double)known;
    TRY_NEW(child->w, e->count[c] + gone);
    child->row = smr_alloc(ctx, e->count[c] + gone, sizeof *child->row);
    if (!child->row) TRY(SMR_ERR_NOMEM);
    for (int64_t i = 0; i < w->n; i++) {
        int64_t part = (int64_t)rint((double)e->w[i] * share);
        if (e->side[i] == NOWHERE && part < 1) continue;
        if (e->side[i] != NOWHERE && e->side[i] != c) continue;
        child->row[child->n] = w->row[i];
        child->w[child->n++] = e->side[i] == NOWHERE ? part : e->w[i];
    }
out:
    return st;
}

static smr_status add_child(smr_ctx *ctx, smr_tree_engine *e, smr_tree_waiting *w, int64_t k,
                            int32_t c, smr_tree_waiting *child)
{
    smr_status st = SMR_OK;
    smr_sapling *s = &e->out->sapling;
    int64_t width = s->width;
    int32_t node = s->node[w->node].child + c;
    bool stops = true;
    *child = (smr_tree_waiting){.node = node, .depth = w->depth + 1, .n = e->count[c]};
    child->key = smr_tree_child_key(e->plan, w->key, c);
    if (e->count[c] == 0) {
        memcpy(s->value + node * width, s->value + w->node * width,
               (size_t)width * sizeof *s->value);
        return SMR_OK;
    }
    child->row = w->row + (w->w ? 0 : e->count[2 * k + c]);
    if (w->w) {
        child->row = NULL;
        child->n = 0;
        TRY(divide_rows(ctx, e, w, k, c, child));
    }
    smr_tree_share share = {child->row, child->n, child->w,
                            w->w ? NULL : e->tallies + c * e->plan->target->width};
    TRY(smr_tree_settle(ctx, e->plan, &share, e->out, node, &stops));
    if (child->depth >= smr_tree_most_depth(e->plan)) stops = true;
    if (stops || w->n_active == 0) {
        smr_tree_waiting_release(child);
        return SMR_OK;
    }
    smr_hold(w->active);
    child->active = w->active;
    child->n_active = w->n_active;
out:
    if (st != SMR_OK) smr_tree_waiting_release(child);
    return st;
}

/* ---- histograms of the children ---- */

/* Both of two children wait, or one does: the larger takes its parent's histogram.  The smaller is
 * to be counted: *counting, or its cells are NULL. */
static smr_status begin_share(smr_ctx *ctx, smr_tree_desk *desk, smr_tree_counting *counting)
{
    smr_tree_engine *e = desk->e;
    smr_tree_waiting *w = desk->w, *pair = desk->pair;
    const smr_tree_plan *plan = e->plan;
    const int64_t *start = e->count + 4; /* of two children: count, weight, start */
    int larger = e->count[1] > e->count[0], smaller = !larger;
    counting->cells = NULL;
    if (w->w || !w->cells || e->best_first || !pair[larger].active) return SMR_OK;
    if (pair[larger].n <= e->small) return SMR_OK; /* both become tasks */
    if (!smr_tree_is_dense(plan, pair[larger].n, w->active, w->n_active)) return SMR_OK;
    *counting = (smr_tree_counting){.plan = plan,
                                    .row = w->row + start[smaller],
                                    .n = e->count[smaller],
                                    .active = w->active,
                                    .n_active = w->n_active,
                                    .cells = smr_tree_take_cells(ctx, e),
                                    .from = w->cells};
    return counting->cells ? SMR_OK : SMR_ERR_NOMEM;
}

static void end_share(smr_tree_desk *desk, smr_tree_counting *counting)
{
    const smr_tree_engine *e = desk->e;
    smr_tree_waiting *w = desk->w, *pair = desk->pair;
    if (!counting->cells) return;
    int larger = e->count[1] > e->count[0], smaller = !larger;
    pair[larger].cells = w->cells;
    w->cells = NULL;
    if (!pair[smaller].active ||
        !smr_tree_is_dense(e->plan, pair[smaller].n, w->active, w->n_active))
        return;
    pair[smaller].cells = counting->cells;
    counting->cells = NULL;
}

static smr_status share_cells(smr_ctx *ctx, smr_tree_desk *desk, int64_t n)
{
    smr_status st = SMR_OK;
    smr_tree_counting counting[SMR_TREE_DESKS];
    smr_tree_work work[SMR_TREE_DESKS];
    int64_t n_work = 0;
    for (int64_t i = 0; i < n; i++) counting[i].cells = NULL;
    for (int64_t i = 0; i < n; i++) {
        if (!desk[i].splits || desk[i].split.n_children != 2) continue;
        TRY(begin_share(ctx, &desk[i], &counting[i]));
        if (counting[i].cells) work[n_work++] = smr_tree_count(&counting[i]);
    }
    if (n_work > 0) TRY(smr_tree_run(ctx, work, n_work));
    for (int64_t i = 0; i < n; i++) end_share(&desk[i], &counting[i]);
out:
    for (int64_t i = 0; i < n; i++) smr_tree_give_cells(desk[i].e, &counting[i].cells);
    return st;
}

/* ---- waiting ---- */

smr_status smr_tree_push(smr_ctx *ctx, smr_tree_waiting **list, int64_t *n, int64_t *room,
                         smr_tree_waiting *w)
{
    if (*n == *room) {
        int64_t size = SMR_MAX(16, 2 * *room);
        smr_tree_waiting *larger = *list ? smr_realloc(ctx, *list, size, sizeof **list)
                                         : smr_alloc(ctx, size, sizeof **list);
        if (!larger) return SMR_ERR_NOMEM;
        *list = larger;
        *room = size;
    }
    (*list)[(*n)++] = *w;
    *w = (smr_tree_waiting){0};
    return SMR_OK;
}

static smr_status wait_for(smr_ctx *ctx, smr_tree_engine *at, smr_tree_waiting *child)
{
    smr_tree_engine *e = at->home;
    if (!child->active) return SMR_OK;
    if (e->best_first) { /* its gain says when it is split; the parent is done with e->at */
        smr_tree_desk desk = {.e = e, .w = child};
        smr_status st = smr_tree_gather(ctx, &desk, 1);
        if (st == SMR_OK) st = smr_tree_evaluate(ctx, &desk, 1);
        smr_tree_give_cells(e, &child->cells);
        if (st != SMR_OK) return st;
    }
    if (child->n <= e->small && !child->w) {
        smr_tree_give_cells(e, &child->cells);
        return smr_tree_push(ctx, &e->later, &e->n_later, &e->later_room, child);
    }
    return smr_tree_push(ctx, &e->stack, &e->n, &e->room, child);
}

/* The smaller is split first: no more histograms are alive than log2 of the rows. */
static smr_status wait_for_pair(smr_ctx *ctx, smr_tree_desk *desk)
{
    smr_status st = SMR_OK;
    int larger = desk->e->count[1] > desk->e->count[0];
    TRY(wait_for(ctx, desk->e, &desk->pair[larger]));
    TRY(wait_for(ctx, desk->e, &desk->pair[!larger]));
out:
    return st;
}

static smr_status make_many(smr_ctx *ctx, smr_tree_engine *e, smr_tree_waiting *w, int64_t k)
{
    smr_status st = SMR_OK;
    smr_tree_waiting child = {0};
    int64_t first = e->n; /* evaluating one overwrites the counts: all are made first */
    bool best_first = e->best_first;
    e->best_first = false;
    for (int32_t c = 0; c < k; c++) {
        TRY(add_child(ctx, e, w, k, c, &child));
        TRY(wait_for(ctx, e, &child));
    }
    for (int64_t i = first; i < e->n && best_first; i++) {
        smr_tree_desk desk = {.e = e, .w = &e->stack[i]};
        TRY(smr_tree_gather(ctx, &desk, 1));
        TRY(smr_tree_evaluate(ctx, &desk, 1));
    }
out:
    e->best_first = best_first;
    smr_tree_waiting_release(&child);
    return st;
}

/* What is to be split, and room for what its children have. */
static smr_status begin_split(smr_ctx *ctx, smr_tree_desk *desk)
{
    smr_status st = SMR_OK;
    smr_tree_engine *e = desk->e;
    int64_t most = e->plan->params->max_leaves, width = e->plan->target->width;
    desk->splits = false;
    if (desk->w->pick.gain == -INFINITY) return SMR_OK;
    desk->split = (smr_sprout){.cover = e->out->sapling.node[desk->w->node].cover};
    desk->cut = 0;
    TRY(write_split(ctx, e, desk->w, &desk->split, &desk->cut));
    int64_t k = desk->split.n_children;
    if (most > 0 && e->n_leaves + k - 1 > most) return SMR_OK;
    TRY(more(ctx, &e->tallies, &e->tallies_room, k * width));
    TRY(more(ctx, &e->count, &e->count_room, 3 * k));
    memset(e->count, 0, (size_t)(3 * k) * sizeof *e->count);
    memset(e->tallies, 0, (size_t)(k * width) * sizeof *e->tallies);
    desk->splits = true;
out:
    return st;
}

/* May it be?  Then it is the node. */
static smr_status accept(smr_ctx *ctx, smr_tree_desk *desk)
{
    smr_status st = SMR_OK;
    smr_tree_engine *e = desk->e;
    const struct smr_tree_params *p = e->plan->params;
    smr_sprout *split = &desk->split;
    int64_t k = split->n_children;
    int32_t first = 0;
    split->gain = gain_of(e, desk->w, k);
    desk->splits = split->gain >= p->min_gain * split->cover * (1 - 1e-12) &&
                   !(p->chi2 > 0 && smr_tree_chi2(e->plan->target, k, e->tallies) > p->chi2);
    if (!desk->splits) return SMR_OK;
    TRY(smr_tree_grown_nodes(ctx, e->out, k, &first));
    split->child = first;
    e->out->sapling.node[desk->w->node] = *split;
    e->out->code[desk->w->node] = desk->cut;
    e->n_leaves += k - 1;
out:
    return st;
}

static smr_status make_children(smr_ctx *ctx, smr_tree_desk *desk)
{
    smr_status st = SMR_OK;
    smr_tree_engine *e = desk->e;
    int64_t k = desk->split.n_children;
    if (!desk->w->w && !smr_tree_divides(desk)) part_rows(e, desk->w, k);
    if (k != 2) return make_many(ctx, e, desk->w, k);
    for (int32_t c = 0; c < 2; c++) TRY(add_child(ctx, e, desk->w, 2, c, &desk->pair[c]));
out:
    return st;
}

smr_status smr_tree_split(smr_ctx *ctx, smr_tree_desk *desk, int64_t n)
{
    smr_status st = SMR_OK;
    for (int64_t i = 0; i < n; i++) {
        desk[i].pair[0] = desk[i].pair[1] = (smr_tree_waiting){0};
        TRY(begin_split(ctx, &desk[i]));
        if (desk[i].splits && !smr_tree_divides(&desk[i]))
            take_sides(desk[i].e, &desk[i].split, desk[i].cut);
    }
    TRY(smr_tree_divide(ctx, desk, n));
    for (int64_t i = 0; i < n; i++)
        if (desk[i].splits) TRY(accept(ctx, &desk[i]));
    TRY(smr_tree_move(ctx, desk, n));
    for (int64_t i = 0; i < n; i++)
        if (desk[i].splits) TRY(make_children(ctx, &desk[i]));
    TRY(share_cells(ctx, desk, n));
    for (int64_t i = 0; i < n; i++)
        if (desk[i].splits && desk[i].split.n_children == 2) TRY(wait_for_pair(ctx, &desk[i]));
out:
    for (int64_t i = 0; i < n; i++) {
        smr_free(desk[i].part);
        desk[i].part = NULL;
        smr_tree_waiting_release(&desk[i].pair[0]);
        smr_tree_waiting_release(&desk[i].pair[1]);
    }
    return st;
}
