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

static void move_numbers(void *x, size_t size, const int32_t *index, int64_t n)
{
    char *at = x;
    for (int64_t i = 0; at && i < n; i++)
        memmove(at + (size_t)i * size, at + (size_t)index[i] * size, size);
}

static void move_entries(smr_kernel_points *p, const int32_t *index, int64_t n)
{
    int64_t to = 0;
    for (int64_t i = 0; i < n; i++) {
        int64_t from = p->start[index[i]], count = p->start[index[i] + 1] - from;
        memmove(p->column + to, p->column + from, (size_t)count * sizeof *p->column);
        if (p->value_f32)
            memmove(p->value_f32 + to, p->value_f32 + from, (size_t)count * sizeof(float));
        if (p->value_f64)
            memmove(p->value_f64 + to, p->value_f64 + from, (size_t)count * sizeof(double));
        p->start[i] = to; /* index[i] >= i: what is read lies further on */
        to += count;
    }
    p->start[n] = p->n_entries = to;
    p->n_starts = n + 1;
}

smr_status smr_kernel_narrow(smr_ctx *ctx, smr_kernel_set *set, const int32_t *index, int64_t n)
{
    smr_kernel_points *p = &set->points;
    smr_kernel_release(p);
    move_numbers(p->x_f32, (size_t)p->d * sizeof(float), index, n);
    move_numbers(p->x_f64, (size_t)p->d * sizeof(double), index, n);
    if (p->start) move_entries(p, index, n);
    p->n = set->rows.n = n;
    return smr_kernel_prepare(ctx, set->kernel, p);
}

smr_status smr_kernel_some(smr_ctx *ctx, const smr_kernel_set *set, const int32_t *index, int64_t n,
                           smr_kernel_set *out)
{
    smr_status st = SMR_OK;
    smr_kernel_set from = *set; /* with an index, keep only reads */
    *out = (smr_kernel_set){.rows = set->rows, .kernel = set->kernel};
    out->rows.n = n;
    TRY(smr_kernel_keep(ctx, &from, index, n, &out->points));
    TRY(smr_kernel_prepare(ctx, set->kernel, &out->points));
out:
    return st;
}

double smr_kernel_some_bytes(const smr_kernel_set *set, int64_t n)
{
    const smr_kernel_points *p = &set->points;
    const struct smr_kernel_ready *r = p->ready;
    double number = (double)r->size * (r->own_x || r->own_value ? 1.5 : 1), share;
    share = p->n > 0 ? (double)n / (double)p->n : 0;
    double held = p->start ? (double)p->n_entries * (number + sizeof *p->column)
                           : (double)p->n * (double)p->d * number;
    double panels = r->panels ? (double)p->n * (double)p->d * (double)r->size : 0;
    return share * (held + panels) + 16 * (double)n;
}
