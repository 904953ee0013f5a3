/* kdorder.c -- putting points in the order of the tree of kdtree.h.
 *
 * In place, row by row: a range of leaves is cut in two at a multiple of the leaf size, by the
 * widest side of its box, until ranges are single leaves; then each leaf is turned to coordinate
 * order.  Cuts fall where the implicit tree wants them: a range of c subtrees becomes floor(c/2)
 * and the rest.
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
    LEAVES_A_TASK = 1 << 10,
    BLOCK = 64,                       /* items looked through at a time while selecting */
    MAX_DEPTH = 4 * SMR_KD_LEVELS + 2 /* cuts from the root to a leaf: at most 4 per level */
};

/* Points while they are put in order: row i at x + i * width elements of that form. */
struct items {
    char *x;
    int32_t *rows;
    double *length; /* what to divide rows by; NULL: nothing */
    int64_t n, width;
    smr_form form;
    size_t size; /* of a coordinate */
};

/* Leaves [lo, hi) of subtrees that have `subtree` leaves each when full. */
struct range {
    int64_t lo, hi, subtree;
};

struct build {
    struct items items;
    int64_t n_leaves;
    struct range *ranges; /* those of this round, each with room for its second half */
    double *scratch;      /* for each lane                                           */
    int64_t scratch_size; /* doubles of a lane                                       */
};

/* ---- selecting ---- */

static inline double key(const struct items *it, int64_t i, int64_t j)
{
    int64_t at = i * it->width + j;
    double x = it->form == SMR_FORM_F64   ? ((const double *)(const void *)it->x)[at]
               : it->form == SMR_FORM_F32 ? (double)((const float *)(const void *)it->x)[at]
                                          : (double)((const uint8_t *)it->x)[at];
    return it->length ? x / it->length[i] : x;
}

static inline void swap_items(struct items *it, int64_t a, int64_t b)
{
    int32_t row = it->rows[a];
    it->rows[a] = it->rows[b];
    it->rows[b] = row;
    if (it->length) {
        double length = it->length[a];
        it->length[a] = it->length[b];
        it->length[b] = length;
    }
    size_t bytes = (size_t)it->width * it->size, at = 0;
    char *x = it->x + (size_t)a * bytes, *y = it->x + (size_t)b * bytes;
    for (uint64_t s, t; at + 8 <= bytes; at += 8) {
        memcpy(&s, x + at, 8);
        memcpy(&t, y + at, 8);
        memcpy(x + at, &t, 8);
        memcpy(y + at, &s, 8);
    }
    for (uint32_t s, t; at + 4 <= bytes; at += 4) {
        memcpy(&s, x + at, 4);
        memcpy(&t, y + at, 4);
        memcpy(x + at, &t, 4);
        memcpy(y + at, &s, 4);
    }
    for (char s; at < bytes; at++) {
        s = x[at];
        x[at] = y[at];
        y[at] = s;
    }
}

/* out = those i < BLOCK for which item `from` + i * step does not lie on its side of t: below it
 * when step is 1, above it when step is -1.  Without branches on the keys, which would be
 * mispredicted half the time. */
static int misplaced(const struct items *it, int64_t j, int64_t from, int64_t step, double t,
                     uint8_t *out)
{
    int n = 0;
    int64_t next = step * it->width;
    if (it->length || it->form == SMR_FORM_U8) {
        for (int i = 0; i < BLOCK; i++, from += step) {
            double x = key(it, from, j);
            out[n] = (uint8_t)i;
            n += step > 0 ? !(x < t) : !(x > t);
        }
    } else if (it->form == SMR_FORM_F64) {
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
 * none after it less.  Returns where.  Blocks from both ends are looked through first, then what
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
 * and none after it is less. */
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
    if (it->form == SMR_FORM_F64 && !it->length) {
        const double *x = (const double *)(const void *)it->x + lo * width;
        for (int64_t i = lo; i < hi; i++, x += width) {
            for (int64_t j = 0; j < width; j++) {
                least[j] = x[j] < least[j] ? x[j] : least[j];
                most[j] = x[j] > most[j] ? x[j] : most[j];
            }
        }
        return;
    }
    for (int64_t i = lo; i < hi; i++) {
        for (int64_t j = 0; j < width; j++) {
            double x = key(it, i, j);
            least[j] = x < least[j] ? x : least[j];
            most[j] = x > most[j] ? x : most[j];
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
 * *rest is the second.  Returns that side; *at is where the cut runs. */
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
 * of the tree begins; the memory after it serves the halves' boxes. */
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
    while (subtree < b->n_leaves) subtree *= GROUP;

    TRY_NEW(b->ranges, 2);
    b->ranges[0] = (struct range){.hi = b->n_leaves, .subtree = subtree};
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

/* ---- leaves ---- */

/* Turns a leaf from rows to coordinates, in place, zeros after the last point. */
static void turn_leaf(const struct items *it, int64_t leaf, void *buffer)
{
    int64_t n = SMR_MIN(GROUP, it->n - leaf * GROUP), width = it->width;
    size_t bytes = (size_t)(GROUP * width) * it->size;
    char *at = it->x + (size_t)leaf * bytes;
    memcpy(buffer, at, (size_t)(n * width) * it->size);
    if (n < GROUP) memset(at, 0, bytes);
    for (int64_t j = 0; j < width; j++) {
        for (int64_t i = 0; i < n; i++) {
            int64_t from = i * width + j, to = j * GROUP + i;
            if (it->form == SMR_FORM_F64)
                ((double *)(void *)at)[to] = ((const double *)buffer)[from];
            else if (it->form == SMR_FORM_F32)
                ((float *)(void *)at)[to] = ((const float *)buffer)[from];
            else
                ((uint8_t *)at)[to] = ((const uint8_t *)buffer)[from];
        }
    }
}

static smr_status turn_task(smr_ctx *ctx, void *arg, int64_t task, int lane)
{
    struct build *b = arg;
    int64_t end = smr_block_end(b->n_leaves, LEAVES_A_TASK, task);
    (void)ctx;
    for (int64_t leaf = task * LEAVES_A_TASK; leaf < end; leaf++)
        turn_leaf(&b->items, leaf, b->scratch + lane * b->scratch_size);
    return SMR_OK;
}

/* The lengths of the rows; 1 for a row of zeros, which has no direction. */
static smr_status measure_task(smr_ctx *ctx, void *arg, int64_t task, int lane)
{
    struct build *b = arg;
    struct items *it = &b->items, plain = *it;
    double *row = b->scratch + lane * b->scratch_size;
    int64_t end = smr_block_end(it->n, LEAVES_A_TASK, task);
    (void)ctx;
    plain.length = NULL;
    for (int64_t i = task * LEAVES_A_TASK; i < end; i++) {
        for (int64_t j = 0; j < it->width; j++) row[j] = key(&plain, i, j);
        double length = smr_length_of(it->width, row);
        it->length[i] = length > 0 ? length : 1;
    }
    return SMR_OK;
}

smr_status smr_kdtree_order(smr_ctx *ctx, const smr_layout *layout, bool by_angle, void *x,
                            int32_t *rows)
{
    smr_status st = SMR_OK;
    struct build b = {.n_leaves = layout->groups};
    struct items *it = &b.items;

    *it = (struct items){.x = x, .rows = rows, .n = layout->n, .width = layout->d};
    it->form = layout->form;
    it->size = smr_layout_width(layout);
    for (int64_t i = 0; i < it->n; i++) rows[i] = (int32_t)i;
    b.scratch_size = SMR_MAX(GROUP, 2 * MAX_DEPTH) * it->width;
    TRY_NEW(b.scratch, smr_lanes(ctx) * b.scratch_size);
    if (by_angle) {
        TRY_NEW(it->length, it->n);
        TRY(smr_parallel(ctx, NULL, smr_block_count(it->n, LEAVES_A_TASK), measure_task, &b));
    }
    TRY(put_in_order(ctx, &b));
    TRY(smr_parallel(ctx, NULL, smr_block_count(b.n_leaves, LEAVES_A_TASK), turn_task, &b));
out:
    smr_free(it->length);
    smr_free(b.scratch);
    return st;
}
