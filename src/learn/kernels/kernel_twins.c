/* kernel_twins.c -- points that are the same, and sets of some points: see kernel_points.h. */
#include "learn/kernels/kernel_tile.h"

#include "core/parallel.h"

#include <string.h>

/* ---- which points are the same ---------------------------------------------------------- */

/* What a point is, piece by piece: its numbers, or its entries; its mark. */
struct bytes {
    const void *at;
    size_t n;
};

enum { PIECES = 3, BLOCK = 64 };

static struct bytes piece_of(const smr_kernel_points *p, const double *mark, int64_t i, int k)
{
    int64_t lo = p->start ? p->start[i] : i * p->d, n = p->start ? p->start[i + 1] - lo : p->d;
    bool narrow = p->x_f32 || p->value_f32;
    size_t size = narrow ? sizeof(float) : sizeof(double);
    const char *x = p->x_f32       ? (const char *)p->x_f32
                    : p->x_f64     ? (const char *)p->x_f64
                    : p->value_f32 ? (const char *)p->value_f32
                                   : (const char *)p->value_f64;
    if (k == 0) return (struct bytes){mark + i, sizeof *mark};
    if (k == 1)
        return n > 0 ? (struct bytes){x + (size_t)lo * size, (size_t)n * size}
                     : (struct bytes){"", 0};
    return p->start ? (struct bytes){p->column + lo, (size_t)n * sizeof *p->column}
                    : (struct bytes){"", 0};
}

static uint64_t hash_of(const smr_kernel_points *p, const double *mark, int64_t i)
{
    uint64_t hash = 1;
    for (int k = 0; k < PIECES; k++) {
        struct bytes b = piece_of(p, mark, i, k);
        for (size_t j = 0; j < b.n; j += 8) {
            uint64_t word = 0;
            memcpy(&word, (const char *)b.at + j, b.n - j < 8 ? b.n - j : 8);
            hash = (hash ^ word) * UINT64_C(0x9e3779b97f4a7c15);
            hash ^= hash >> 29;
        }
    }
    return hash;
}

static bool is_same(const smr_kernel_points *p, const double *mark, int64_t i, int64_t j)
{
    for (int k = 0; k < PIECES; k++) {
        struct bytes a = piece_of(p, mark, i, k), b = piece_of(p, mark, j, k);
        if (a.n != b.n || memcmp(a.at, b.at, a.n) != 0) return false;
    }
    return true;
}

struct hashing {
    const smr_kernel_points *points;
    const double *mark;
    uint64_t *hash;
};

static smr_status hash_task(smr_ctx *ctx, void *arg, int64_t task, int lane)
{
    const struct hashing *h = arg;
    (void)ctx, (void)lane;
    for (int64_t i = task * BLOCK; i < smr_block_end(h->points->n, BLOCK, task); i++)
        h->hash[i] = hash_of(h->points, h->mark, i);
    return SMR_OK;
}

smr_status smr_kernel_twins(smr_ctx *ctx, const smr_kernel_set *set, const double *mark,
                            int32_t *first)
{
    smr_status st = SMR_OK;
    const smr_kernel_points *p = &set->points;
    int64_t size = 16;
    int32_t *table = NULL;
    uint64_t *hash = NULL;
    while (size < 2 * p->n) size *= 2;
    TRY_NEW(table, size); /* the point + 1; 0: nothing */
    TRY_NEW(hash, p->n);
    struct hashing h = {p, mark, hash};
    TRY(smr_parallel(ctx, NULL, smr_block_count(p->n, BLOCK), hash_task, &h));
    for (int64_t i = 0; i < p->n; i++) {
        uint64_t at = hash[i] & (uint64_t)(size - 1);
        for (; table[at] != 0; at = (at + 1) & (uint64_t)(size - 1)) {
            int32_t other = table[at] - 1;
            if (hash[other] == hash[i] && is_same(p, mark, i, other)) break;
        }
        if (table[at] == 0) table[at] = (int32_t)(i + 1);
        first[i] = table[at] - 1;
    }
out:
    smr_free(table);
    smr_free(hash);
    return st;
}

/* ---- some points ------------------------------------------------------------------------ */

bool smr_kernel_is_of_numbers(const smr_kernel_set *set)
{
    return set->points.n_texts == 0 && !set->points.place;
}

/* x (n rows of `size` bytes) so that row i is what row order[i] was; order is used up. */
static smr_status permute(smr_ctx *ctx, char *x, size_t size, int64_t n, int32_t *order)
{
    char *row = smr_alloc_raw(ctx, (int64_t)size + 1, 1);
    if (!row) return SMR_ERR_NOMEM;
    for (int64_t i = 0; i < n; i++) {
        int64_t at = i;
        if (order[i] == i) continue;
        memcpy(row, x + (size_t)i * size, size);
        for (int64_t from = order[at]; from != i; from = order[at]) {
            memcpy(x + (size_t)at * size, x + (size_t)from * size, size);
            order[at] = (int32_t)at;
            at = from;
        }
        memcpy(x + (size_t)at * size, row, size);
        order[at] = (int32_t)at;
    }
    smr_free(row);
    return SMR_OK;
}

/* Dense points stay where they are: those that go come last. */
static smr_status narrow_dense(smr_ctx *ctx, smr_kernel_points *p, const int32_t *index, int64_t n)
{
    smr_status st = SMR_OK;
    int32_t *order = NULL;
    bool *kept = NULL;
    TRY_NEW(order, p->n);
    TRY_NEW(kept, p->n);
    for (int64_t i = 0; i < n; i++) {
        order[i] = index[i];
        kept[index[i]] = true;
    }
    for (int64_t i = 0, at = n; i < p->n; i++)
        if (!kept[i]) order[at++] = (int32_t)i;
    TRY(p->x_f32 ? permute(ctx, (char *)p->x_f32, (size_t)p->d * sizeof(float), p->n, order)
                 : permute(ctx, (char *)p->x_f64, (size_t)p->d * sizeof(double), p->n, order));
    p->n = n;
out:
    smr_free(order);
    smr_free(kept);
    return st;
}

smr_status smr_kernel_narrow(smr_ctx *ctx, smr_kernel_set *set, const int32_t *index, int64_t n)
{
    smr_status st = SMR_OK;
    smr_kernel_set kept = {.rows = set->rows, .kernel = set->kernel};
    kept.rows.n = n;
    if (set->points.x_f32 || set->points.x_f64) {
        TRY(narrow_dense(ctx, &set->points, index, n));
        set->rows.n = n;
        return SMR_OK;
    }
    TRY(smr_kernel_keep(ctx, set, index, n, &kept.points));
    smr_kernel_close(set);
    *set = kept;
    kept = (smr_kernel_set){0};
out:
    smr_kernel_close(&kept);
    return st;
}
