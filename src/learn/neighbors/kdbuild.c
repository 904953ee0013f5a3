/* kdbuild.c -- building the tree of kdtree.h.
 *
 * The points are copied into the buckets' memory, row by row, and put in order there: a range of
 * leaves is cut in two at a multiple of the leaf size, by the widest side of its box, until ranges
 * are single leaves; then each leaf is turned to coordinate order in place, and boxes are drawn
 * around leaves, groups of leaves, and so on.  Cuts fall where the implicit tree wants them: a
 * range of c subtrees becomes floor(c/2) and the rest.
 *
 * Selecting is Floyd and Rivest's: a sample narrows the range first, so that 1.5 passes suffice.
 * It has no random choices; every range is cut by one task; so the tree is the same in every run.
 *
 * Cost: 1.5 n log2(n/16) comparisons and half as many moves of a row.
 * Reference: Floyd & Rivest, Comm. ACM 18(3):165-173, 1975 (Algorithm 489). */
#include "learn/neighbors/kdtree.h"

#include "kernel/kernel.h"

#include <math.h>
#include <string.h>

enum {
    GROUP = SMR_NEAR_GROUP,
    ALONE = 1 << 15, /* points that one task cuts down to leaves */
    ROWS_A_TASK = 1 << 14,
    GROUPS_A_TASK = 64,
    BLOCK = 64,                       /* items looked through at a time while selecting */
    MAX_DEPTH = 4 * SMR_KD_LEVELS + 2 /* cuts from the root to a leaf: at most 4 a level */
};

/* Points while they are put in order: row i at x + i * width elements of `size` bytes. */
struct items {
    char *x;
    int32_t *rows;
    int64_t n, width;
    size_t size; /* of a coordinate */
};

/* Leaves [lo, hi) of subtrees that have `subtree` leaves each when full. */
struct range {
    int64_t lo, hi, subtree;
};

struct build {
    const smr_points *points;
    smr_kdtree *tree;
    struct items items;
    struct range *ranges; /* those of this round, each with room for its second half */
    double *scratch;      /* for each lane                                           */
    int64_t scratch_size; /* doubles of a lane                                       */
    int level;            /* of the boxes that are drawn                             */
};

/* ---- selecting ---- */

static inline double key(const struct items *it, int64_t i, int64_t j)
{
    const char *at = it->x + (size_t)(i * it->width + j) * it->size;
    return it->size == sizeof(double) ? *(const double *)(const void *)at
                                      : (double)*(const float *)(const void *)at;
}

static inline void swap_items(struct items *it, int64_t a, int64_t b)
{
    int32_t row = it->rows[a];
    it->rows[a] = it->rows[b];
    it->rows[b] = row;
    size_t bytes = (size_t)it->width * it->size, at = 0;
    char *x = it->x + (size_t)a * bytes, *y = it->x + (size_t)b * bytes;
    for (uint64_t s, t; at + 8 <= bytes; at += 8) {
        memcpy(&s, x + at, 8);
        memcpy(&t, y + at, 8);
        memcpy(x + at, &t, 8);
        memcpy(y + at, &s, 8);
    }
    for (uint32_t s, t; at < bytes; at += 4) {
        memcpy(&s, x + at, 4);
        memcpy(&t, y + at, 4);
        memcpy(x + at, &t, 4);
        memcpy(y + at, &s, 4);
    }
}

/* out = those i < BLOCK for which item `from` + i * step does not lie on its side of t: below it
 * when step is 1, above it when step is -1.  Without branches on the keys, which are even odds. */
static int misplaced(const struct items *it, int64_t j, int64_t from, int64_t step, double t,
                     uint8_t *out)
{
    int n = 0;
    int64_t next = step * it->width;
    if (it->size == sizeof(double)) {
        const double *x = (const double *)(const void *)it->x + from * it->width + j;
        for (int i = 0; i < BLOCK; i++, x += next) {
            out[n] = (uint8_t)i;
            n += step > 0 ? !(*x < t) : !(*x > t);
        }
    } else {
        const float *x = (const float *)(const void *)it->x + from * it->width + j;
        for (int i = 0; i < BLOCK; i++, x += next) {
            out[n] = (uint8_t)i;
            n += step > 0 ? !((double)*x < t) : !((double)*x > t);
        }
    }
    return n;
}

/* Puts item `left` where it belongs in [left, right] by coordinate j: none before it is greater,
 * none behind it less.  Answers where.  Blocks from both ends are looked through first, then what
 * is out of place is exchanged (Edelkamp & Weiss, BlockQuicksort, 2016). */
static int64_t put_in_place(struct items *it, int64_t j, int64_t left, int64_t right)
{
    uint8_t low[BLOCK], high[BLOCK];
    int n_low = 0, n_high = 0, at_low = 0, at_high = 0;
    double t = key(it, left, j);
    int64_t a = left + 1, b = right;

    while (b - a + 1 >= 2 * BLOCK) {
        if (at_low == n_low) {
            n_low = misplaced(it, j, a, 1, t, low);
            at_low = 0;
        }
        if (at_high == n_high) {
            n_high = misplaced(it, j, b, -1, t, high);
            at_high = 0;
        }
        while (at_low < n_low && at_high < n_high)
            swap_items(it, a + low[at_low++], b - high[at_high++]);
        if (at_low == n_low) a += BLOCK;
        if (at_high == n_high) b -= BLOCK;
    }
    for (;; a++, b--) {
        while (a <= b && key(it, a, j) < t) a++;
        while (a <= b && key(it, b, j) > t) b--;
        if (a >= b) break;
        swap_items(it, a, b);
    }
    swap_items(it, left, b);
    return b;
}

/* Moves the items of [left, right] so that by coordinate j none before k is greater than item k,
 * and none behind it is less. */
static void select_item(struct items *it, int64_t j, int64_t left, int64_t right, int64_t k)
{
    while (right > left) {
        if (right - left > 600) {
            double n = (double)(right - left + 1), i = (double)(k - left + 1);
            double z = smr_log(n), s = 0.5 * smr_exp(2 * z / 3);
            double sd = 0.5 * sqrt(z * s * (n - s) / n) * (i < n / 2 ? -1 : 1);
            int64_t from = (int64_t)((double)k - i * s / n + sd);
            int64_t to = (int64_t)((double)k + (n - i) * s / n + sd);
            select_item(it, j, SMR_MAX(left, from), SMR_MIN(right, to), k);
        }
        swap_items(it, left, k);
        int64_t at = put_in_place(it, j, left, right);
        if (at <= k) left = at + 1;
        if (k <= at) right = at - 1;
    }
}

/* ---- cutting ---- */

/* box: the least coordinates of items [lo, hi), then the largest. */
static void draw_box(const struct items *it, int64_t lo, int64_t hi, double *box)
{
    int64_t width = it->width;
    double *least = box, *most = box + width;
    for (int64_t j = 0; j < width; j++) least[j] = most[j] = key(it, lo, j);
    if (it->size == sizeof(double)) {
        const double *x = (const double *)(const void *)it->x + lo * width;
        for (int64_t i = lo; i < hi; i++, x += width) {
            for (int64_t j = 0; j < width; j++) {
                least[j] = x[j] < least[j] ? x[j] : least[j];
                most[j] = x[j] > most[j] ? x[j] : most[j];
            }
        }
    } else {
        const float *x = (const float *)(const void *)it->x + lo * width;
        for (int64_t i = lo; i < hi; i++, x += width) {
            for (int64_t j = 0; j < width; j++) {
                double v = (double)x[j];
                least[j] = v < least[j] ? v : least[j];
                most[j] = v > most[j] ? v : most[j];
            }
        }
    }
}

static int64_t widest_side(const double *box, int64_t width)
{
    int64_t widest = 0;
    for (int64_t j = 1; j < width; j++) {
        if (box[width + j] - box[j] > box[width + widest] - box[widest]) widest = j;
    }
    return widest;
}

/* Descends to the level at which the range holds several subtrees. */
static void find_level(struct range *r)
{
    while (r->subtree > 1 && r->hi - r->lo <= r->subtree) r->subtree /= GROUP;
}

/* Cuts a range of several subtrees in two, by the widest side of its box: *r keeps the first half,
 * *rest is the second.  Answers that side; *at is where the cut runs. */
static int64_t cut(struct items *it, struct range *r, struct range *rest, const double *box,
                   double *at)
{
    int64_t n_subtrees = (r->hi - r->lo + r->subtree - 1) / r->subtree;
    int64_t middle = r->lo + n_subtrees / 2 * r->subtree;
    int64_t from = r->lo * GROUP, to = SMR_MIN(r->hi * GROUP, it->n);

    int64_t j = widest_side(box, it->width);
    select_item(it, j, from, to - 1, middle * GROUP);
    *at = key(it, middle * GROUP, j);
    *rest = (struct range){.lo = middle, .hi = r->hi, .subtree = r->subtree};
    r->hi = middle;
    return j;
}

/* Cuts a range down to its leaves.  `box` is around it, and is drawn anew, tightly, where a level
 * of the tree begins; the memory behind it serves the halves' boxes. */
static void cut_all(struct build *b, struct range r, double *box)
{
    struct items *it = &b->items;
    struct range rest;
    int64_t subtree = r.subtree, width = it->width;
    size_t size = (size_t)(2 * width) * sizeof(double);
    double at, *half = box + 2 * width;

    if (r.hi - r.lo <= 1) return;
    find_level(&r);
    if (r.subtree != subtree) draw_box(it, r.lo * GROUP, SMR_MIN(r.hi * GROUP, it->n), box);
    int64_t j = cut(it, &r, &rest, box, &at);
    memcpy(half, box, size);
    half[width + j] = at;
    cut_all(b, r, half);
    memcpy(half, box, size);
    half[j] = at;
    cut_all(b, rest, half);
}

static bool is_long(const struct range *r)
{
    return r->hi - r->lo > ALONE / GROUP;
}

/* One cut of a long range. */
static smr_status cut_task(smr_ctx *ctx, void *arg, int64_t task, int lane)
{
    struct build *b = arg;
    struct items *it = &b->items;
    struct range *r = &b->ranges[2 * task];
    double at, *box = b->scratch + lane * b->scratch_size;
    (void)ctx;
    r[1] = (struct range){0};
    if (!is_long(r)) return SMR_OK;
    find_level(r);
    draw_box(it, r->lo * GROUP, SMR_MIN(r->hi * GROUP, it->n), box);
    cut(it, r, &r[1], box, &at);
    return SMR_OK;
}

static smr_status cut_all_task(smr_ctx *ctx, void *arg, int64_t task, int lane)
{
    struct build *b = arg;
    struct range r = b->ranges[task];
    double *box = b->scratch + lane * b->scratch_size;
    (void)ctx;
    draw_box(&b->items, r.lo * GROUP, SMR_MIN(r.hi * GROUP, b->items.n), box);
    cut_all(b, r, box);
    return SMR_OK;
}

/* Long ranges are cut once in each round, all of a round at the same time; when none is left, each
 * range is cut down to its leaves by one task. */
static smr_status put_in_order(smr_ctx *ctx, struct build *b)
{
    smr_status st = SMR_OK;
    struct range *next = NULL;
    int64_t n = 1, subtree = 1;
    while (subtree < b->tree->n_leaves) subtree *= GROUP;

    TRY_NEW(b->ranges, 2);
    b->ranges[0] = (struct range){.hi = b->tree->n_leaves, .subtree = subtree};
    for (bool again = is_long(&b->ranges[0]); again;) {
        TRY(smr_parallel(ctx, "building the tree", n, cut_task, b));
        TRY_NEW(next, 4 * n);
        int64_t n_next = 0;
        again = false;
        for (int64_t i = 0; i < 2 * n; i++) {
            if (b->ranges[i].hi == 0) continue;
            again = again || is_long(&b->ranges[i]);
            next[n_next++] = b->ranges[i];
        }
        n = n_next;
        for (int64_t i = n; again && i-- > 0;) next[2 * i] = next[i];
        smr_free(b->ranges);
        b->ranges = next;
        next = NULL;
    }
    TRY(smr_parallel(ctx, "building the tree", n, cut_all_task, b));
out:
    smr_free(next);
    smr_free(b->ranges);
    b->ranges = NULL;
    return st;
}

/* ---- leaves and boxes ---- */

/* Turns a leaf from rows to coordinates, in place.  Places behind the last point repeat it. */
static void turn_leaf(const struct items *it, int64_t leaf, double *buffer)
{
    int64_t n = SMR_MIN(GROUP, it->n - leaf * GROUP), width = it->width;
    size_t bytes = (size_t)(GROUP * width) * it->size;
    char *at = it->x + (size_t)leaf * bytes;
    memcpy(buffer, at, bytes);
    for (int64_t j = 0; j < width; j++) {
        for (int64_t i = 0; i < GROUP; i++) {
            int64_t from = SMR_MIN(i, n - 1) * width + j, to = j * GROUP + i;
            if (it->size == sizeof(double))
                ((double *)(void *)at)[to] = buffer[from];
            else
                ((float *)(void *)at)[to] = ((const float *)(const void *)buffer)[from];
        }
    }
}

/* The ends of coordinate j of the leaf. */
static void leaf_ends(const struct items *it, int64_t leaf, int64_t j, double *low, double *high)
{
    struct items turned = {.x = it->x, .width = GROUP, .size = it->size};
    *low = *high = key(&turned, leaf * it->width + j, 0);
    for (int64_t i = 1; i < GROUP; i++) {
        double x = key(&turned, leaf * it->width + j, i);
        *low = x < *low ? x : *low;
        *high = x > *high ? x : *high;
    }
}

/* The ends of coordinate j around all boxes of a group. */
static void group_ends(const double *boxes, int64_t j, double *low, double *high)
{
    const double *lows = boxes + j * 2 * GROUP, *highs = lows + GROUP;
    *low = lows[0];
    *high = highs[0];
    for (int64_t i = 1; i < GROUP; i++) {
        *low = lows[i] < *low ? lows[i] : *low;
        *high = highs[i] > *high ? highs[i] : *high;
    }
}

/* The lowest row number of a member, when its box is a single point; else -1. */
static int32_t lowest_row(const struct build *b, int64_t member, const double *box)
{
    int64_t n = SMR_MIN(GROUP, b->items.n - member * GROUP);
    for (int64_t j = 0; j < b->items.width; j++) {
        if (box[j * 2 * GROUP] != box[(j * 2 + 1) * GROUP]) return -1;
    }
    const int32_t *from = b->items.rows + member * GROUP;
    if (b->level) {
        from = b->tree->lowest[b->level - 1] + member * GROUP;
        int64_t below = b->level > 1 ? b->tree->n_groups[b->level - 2] : b->tree->n_leaves;
        n = SMR_MIN(GROUP, below - member * GROUP);
    }
    int32_t lowest = from[0];
    for (int64_t i = 1; i < n; i++) lowest = SMR_MIN(lowest, from[i]);
    return lowest;
}

/* Draws the boxes of one group of b->level.  Places without a member hold an empty box, infinitely
 * far from everything. */
static void draw_group(struct build *b, int64_t group, double *buffer)
{
    smr_kdtree *tree = b->tree;
    int64_t width = b->items.width, first = group * GROUP, size = width * 2 * GROUP;
    int64_t n = (b->level ? tree->n_groups[b->level - 1] : tree->n_leaves) - first;
    double *boxes = tree->boxes[b->level] + group * size;

    for (int64_t i = 0; i < GROUP; i++) {
        int64_t member = first + i;
        if (b->level == 0 && i < n) turn_leaf(&b->items, member, buffer);
        for (int64_t j = 0; j < width; j++) {
            double *low = boxes + j * 2 * GROUP + i, *high = low + GROUP;
            *low = INFINITY;
            *high = -INFINITY;
            if (i >= n) continue;
            if (b->level == 0)
                leaf_ends(&b->items, member, j, low, high);
            else
                group_ends(tree->boxes[b->level - 1] + member * size, j, low, high);
        }
        tree->lowest[b->level][member] = i < n ? lowest_row(b, member, boxes + i) : -1;
    }
}

static smr_status draw_task(smr_ctx *ctx, void *arg, int64_t task, int lane)
{
    struct build *b = arg;
    int64_t end = smr_block_end(b->tree->n_groups[b->level], GROUPS_A_TASK, task);
    (void)ctx;
    for (int64_t g = task * GROUPS_A_TASK; g < end; g++)
        draw_group(b, g, b->scratch + lane * b->scratch_size);
    return SMR_OK;
}

/* ---- building ---- */

static smr_status copy_task(smr_ctx *ctx, void *arg, int64_t task, int lane)
{
    struct build *b = arg;
    struct items *it = &b->items;
    double *buffer = b->scratch + lane * b->scratch_size;
    int64_t width = it->width;
    (void)ctx;
    for (int64_t i = task * ROWS_A_TASK; i < smr_block_end(it->n, ROWS_A_TASK, task); i++) {
        const double *x = smr_points_row(b->points, i, buffer);
        it->rows[i] = (int32_t)i;
        if (it->size == sizeof(double)) {
            memcpy(it->x + (size_t)(i * width) * sizeof(double), x, (size_t)width * sizeof(double));
        } else {
            float *to = (float *)(void *)it->x + i * width;
            for (int64_t j = 0; j < width; j++) to[j] = (float)x[j];
        }
    }
    return SMR_OK;
}

static smr_status allocate_levels(smr_ctx *ctx, smr_kdtree *tree, int64_t width)
{
    smr_status st = SMR_OK;
    int64_t n = tree->n_leaves;
    do {
        n = smr_block_count(n, GROUP);
        int64_t doubles = n * width * 2 * GROUP;
        tree->n_groups[tree->n_levels] = n;
        tree->boxes[tree->n_levels] = smr_alloc_raw(ctx, doubles, sizeof(double));
        if (!tree->boxes[tree->n_levels]) TRY(SMR_ERR_NOMEM);
        TRY_NEW(tree->lowest[tree->n_levels], n * GROUP);
        tree->n_levels++;
        tree->bytes += doubles * (int64_t)sizeof(double) + n * GROUP * (int64_t)sizeof(int32_t);
    } while (n > 1);
out:
    return st;
}

smr_status smr_kdtree_build(smr_ctx *ctx, const smr_points *points, smr_kdtree *tree)
{
    smr_status st = SMR_OK;
    int64_t width = points->width;
    bool wide = points->form == SMR_FORM_F64 || points->length;
    struct build b = {.points = points, .tree = tree};

    *tree =
        (smr_kdtree){.points = points, .wide = wide, .n_leaves = smr_block_count(points->n, GROUP)};
    int64_t places = tree->n_leaves * GROUP;
    b.items = (struct items){.n = points->n, .width = width, .size = wide ? 8 : 4};
    b.scratch_size = SMR_MAX(GROUP, 2 * MAX_DEPTH) * width;
    tree->bytes = places * (width * (int64_t)b.items.size + (int64_t)sizeof(int32_t));

    TRY_NEW(b.scratch, smr_lanes(ctx) * b.scratch_size);
    tree->buckets = smr_alloc_raw(ctx, places * width, b.items.size);
    if (!tree->buckets) TRY(SMR_ERR_NOMEM);
    TRY_NEW(tree->rows, places);
    TRY(allocate_levels(ctx, tree, width));
    b.items.x = tree->buckets;
    b.items.rows = tree->rows;

    TRY(smr_parallel(ctx, NULL, smr_block_count(points->n, ROWS_A_TASK), copy_task, &b));
    TRY(put_in_order(ctx, &b));
    for (b.level = 0; b.level < tree->n_levels; b.level++) {
        int64_t n_tasks = smr_block_count(tree->n_groups[b.level], GROUPS_A_TASK);
        TRY(smr_parallel(ctx, NULL, n_tasks, draw_task, &b));
    }
out:
    smr_free(b.scratch);
    if (st != SMR_OK) smr_kdtree_release(tree);
    return st;
}

double smr_kdtree_bytes(int64_t n, int64_t width, bool wide)
{
    double point = (double)width * (wide ? 8 : 4) + 4, box = (double)width * 16 / GROUP * 16 / 15;
    return ((double)n + GROUP) * (point + box);
}
