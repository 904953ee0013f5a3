/* kernel_twins.c -- points that are the same, and sets of some points: see kernel_points.h. */
#include "learn/kernels/kernel_tile.h"

#include <string.h>

/* ---- which points are the same ---------------------------------------------------------- */

/* What a point is, piece by piece: its numbers, or its entries; its mark. */
struct bytes {
    const void *at;
    size_t n;
};

enum { PIECES = 3 };

static struct bytes piece_of(const smr_kernel_points *p, const double *mark, int64_t i, int k)
{
    const struct smr_kernel_ready *r = p->ready;
    int64_t lo = p->start ? p->start[i] : i * p->d, n = p->start ? p->start[i + 1] - lo : p->d;
    if (k == 0) return (struct bytes){mark + i, sizeof *mark};
    if (k == 1)
        return (struct bytes){(const char *)(p->start ? r->value : r->x) + (size_t)lo * r->size,
                              (size_t)n * r->size};
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
    for (int64_t i = 0; i < p->n; i++) {
        hash[i] = hash_of(p, mark, i);
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

smr_status smr_kernel_narrow(smr_ctx *ctx, smr_kernel_set *set, const int32_t *index, int64_t n)
{
    smr_status st = SMR_OK;
    smr_kernel_set kept = {.rows = set->rows, .kernel = set->kernel};
    kept.rows.n = n;
    smr_kernel_release(&set->points);
    TRY(smr_kernel_keep(ctx, set, index, n, &kept.points));
    smr_kernel_close(set);
    *set = kept;
    kept = (smr_kernel_set){0};
    TRY(smr_kernel_prepare(ctx, set->kernel, &set->points));
out:
    smr_kernel_close(&kept);
    return st;
}
