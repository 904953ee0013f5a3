/* dual_kernel_rows.c -- rows of a kernel matrix in memory; see dual_kernel_parts.h. */
#include "core/parallel.h"
#include "kernel/smo_kernels.h"
#include "math/optimize/dual_kernel_parts.h"

#include <string.h>

/* Bytes of rows that are computed together, and how many these are at least and at most; columns
 * of a task. */
enum { AT_WORK = 32 << 20, LEAST = 16, MOST = 512, COLUMNS = 2048 };

/* ---- which rows are here ---- */

smr_status smr_row_cache_open(smr_ctx *ctx, const smr_kernel_rows *rows, double bytes,
                              struct smr_row_cache *out)
{
    smr_status st = SMR_OK;
    int64_t n = rows->n;
    double row = (double)SMR_MAX(n, 1) * (double)sizeof(float), fit = bytes / row;
    *out = (struct smr_row_cache){.rows = rows, .n = n, .newest = -1, .oldest = -1};
    out->n_slots = fit < (double)n ? (int64_t)fit : n;
    out->group_rows = SMR_MAX(LEAST, SMR_MIN(MOST, (int64_t)(AT_WORK / row)));
    TRY_NEW(out->slot_of, n);
    TRY_NEW(out->point_of, out->n_slots);
    TRY_NEW(out->newer, out->n_slots);
    TRY_NEW(out->older, out->n_slots);
    TRY_NEW(out->stamp, out->n_slots);
    TRY_NEW(out->group, smr_block_count(out->n_slots, out->group_rows));
    for (int64_t i = 0; i < n; i++) out->slot_of[i] = -1;
out:
    return st;
}

void smr_row_cache_close(struct smr_row_cache *c)
{
    for (int64_t g = 0; c->group && g < smr_block_count(c->n_slots, c->group_rows); g++)
        smr_free(c->group[g]);
    smr_free(c->group);
    smr_free(c->slot_of);
    smr_free(c->point_of);
    smr_free(c->newer);
    smr_free(c->older);
    smr_free(c->stamp);
    smr_free(c->aside);
    *c = (struct smr_row_cache){0};
}

static float *row_in(const struct smr_row_cache *c, int32_t slot)
{
    return c->group[slot / c->group_rows] + (slot % c->group_rows) * c->n;
}

static void take_out(struct smr_row_cache *c, int32_t s)
{
    *(c->newer[s] >= 0 ? &c->older[c->newer[s]] : &c->newest) = c->older[s];
    *(c->older[s] >= 0 ? &c->newer[c->older[s]] : &c->oldest) = c->newer[s];
}

static void put_first(struct smr_row_cache *c, int32_t s)
{
    c->newer[s] = -1;
    c->older[s] = c->newest;
    *(c->newest >= 0 ? &c->newer[c->newest] : &c->oldest) = s;
    c->newest = s;
    c->stamp[s] = c->now;
}

/* The row of a point that is here, now the newest; or NULL. */
static const float *look_up(struct smr_row_cache *c, int32_t point)
{
    int32_t s = c->slot_of[point];
    if (s < 0) return NULL;
    take_out(c, s);
    put_first(c, s);
    return row_in(c, s);
}

static void give(struct smr_row_cache *c, int32_t slot, int32_t point)
{
    c->slot_of[point] = slot;
    c->point_of[slot] = point;
    put_first(c, slot);
}

/* The row of the oldest point, now another's; NULL: all are in use. */
static float *claim(struct smr_row_cache *c, int32_t point)
{
    int32_t s = c->oldest;
    if (s < 0 || c->stamp[s] == c->now) return NULL;
    c->slot_of[c->point_of[s]] = -1;
    take_out(c, s);
    give(c, s, point);
    return row_in(c, s);
}

/* Rows that were never used, one after the other in memory, in *row; how many, 0: none are left. */
static smr_status unused(smr_ctx *ctx, struct smr_row_cache *c, float **row, int64_t *n)
{
    smr_status st = SMR_OK;
    int64_t g = c->n_used / c->group_rows, first = g * c->group_rows;
    int64_t size = SMR_MIN(c->group_rows, c->n_slots - first);
    *n = first + size - c->n_used;
    if (*n <= 0) goto out;
    if (!c->group[g]) c->group[g] = smr_alloc_raw(ctx, size * c->n, sizeof **c->group);
    if (!c->group[g]) TRY(SMR_ERR_NOMEM);
    *row = row_in(c, (int32_t)c->n_used);
out:
    return st;
}

/* ---- a square block ---- */

struct gather {
    const int32_t *point;
    int64_t n, ld, n_new;
    float *block;
    const float **row; /* n: NULL: not here          */
    const float *own;  /* n_new x n_new              */
    int32_t *new_at;   /* n: its place in own, or -1 */
};

/* Row a up to the diagonal, from the one of the two rows that is here. */
static smr_status gather_row(smr_ctx *ctx, void *arg, int64_t a, int lane)
{
    struct gather *g = arg;
    float *to = g->block + a * g->ld;
    int32_t i = g->point[a];
    (void)ctx, (void)lane;
    for (int64_t b = 0; b <= a; b++)
        to[b] = g->row[a]   ? g->row[a][g->point[b]]
                : g->row[b] ? g->row[b][i]
                            : g->own[g->new_at[a] * g->n_new + g->new_at[b]];
    return SMR_OK;
}

/* Rows TILE task .. of the upper triangle, from the lower one. */
enum { TILE = 32 };

static smr_status mirror(smr_ctx *ctx, void *arg, int64_t task, int lane)
{
    struct gather *g = arg;
    int64_t lo = task * TILE, hi = smr_block_end(g->n, TILE, task);
    (void)ctx, (void)lane;
    for (int64_t b = lo; b < g->n; b += TILE)
        for (int64_t a = lo; a < hi; a++)
            for (int64_t k = SMR_MAX(b, a + 1); k < SMR_MIN(b + TILE, g->n); k++)
                g->block[a * g->ld + k] = g->block[k * g->ld + a];
    return SMR_OK;
}

smr_status smr_row_cache_block(smr_ctx *ctx, struct smr_row_cache *cache, const int32_t *point,
                               int64_t n, float *block, int64_t ld)
{
    smr_status st = SMR_OK;
    struct gather g = {.point = point, .n = n, .ld = ld, .block = block};
    int32_t *new_at = NULL, *new = NULL;
    float *own = NULL;
    const float **row = NULL;
    TRY_NEW(row, n);
    TRY_NEW(new_at, n);
    TRY_NEW(new, n);
    cache->now++;
    for (int64_t a = 0; a < n; a++) {
        row[a] = look_up(cache, point[a]);
        new_at[a] = -1;
        if (row[a]) continue;
        new_at[a] = (int32_t)g.n_new;
        new[g.n_new++] = point[a];
    }
    TRY_NEW(own, g.n_new * g.n_new);
    if (g.n_new > 0)
        TRY(cache->rows->block(ctx, cache->rows, new, g.n_new, new, g.n_new, own, g.n_new));
    g.row = row;
    g.own = own;
    g.new_at = new_at;
    TRY(smr_parallel(ctx, NULL, n, gather_row, &g));
    TRY(smr_parallel(ctx, NULL, smr_block_count(n, TILE), mirror, &g));
out:
    smr_free(row);
    smr_free(new_at);
    smr_free(new);
    smr_free(own);
    return st;
}

/* ---- sums of rows ---- */

struct batch {
    int64_t n_points, n, n_new;
    const double *by;
    const float *row[SMR_KERNEL_SET];
    int32_t new[SMR_KERNEL_SET]; /* points whose rows were computed, from `at` on */
    float *keep[SMR_KERNEL_SET]; /* where these are to be copied; NULL: nowhere   */
    float *at;
    double *F;
};

static smr_status add_columns(smr_ctx *ctx, void *arg, int64_t task, int lane)
{
    struct batch *b = arg;
    int64_t lo = task * COLUMNS, n = smr_block_end(b->n_points, COLUMNS, task) - lo;
    const float *row[SMR_KERNEL_SET];
    (void)ctx, (void)lane;
    for (int64_t r = 0; r < b->n; r++) row[r] = b->row[r] + lo;
    smr_floats_add_f64(n, b->n, b->by, row, b->F + lo);
    for (int64_t k = 0; k < b->n_new; k++)
        if (b->keep[k])
            memcpy(b->keep[k] + lo, b->at + k * b->n_points + lo, (size_t)n * sizeof(float));
    return SMR_OK;
}

/* Where the next rows are computed: in their places while some were never used, else aside. */
static smr_status find_room(smr_ctx *ctx, struct smr_row_cache *c, float **at, int64_t *room,
                            bool *aside)
{
    smr_status st = SMR_OK;
    TRY(unused(ctx, c, at, room));
    *aside = *room <= 0;
    if (!*aside) goto out;
    if (!c->aside) c->aside = smr_alloc_raw(ctx, c->group_rows * c->n, sizeof *c->aside);
    if (!c->aside) TRY(SMR_ERR_NOMEM);
    *at = c->aside;
    *room = c->group_rows;
out:
    return st;
}

/* The rows from r on that can be at hand together. */
static smr_status fetch(smr_ctx *ctx, struct smr_row_cache *c, const int32_t *point, int64_t r,
                        int64_t n, struct batch *b)
{
    smr_status st = SMR_OK;
    int64_t room;
    bool aside;
    TRY(find_room(ctx, c, &b->at, &room, &aside));
    c->now++;
    b->n = b->n_new = 0;
    for (; r + b->n < n && b->n < SMR_KERNEL_SET; b->n++) {
        int32_t i = point[r + b->n];
        b->row[b->n] = look_up(c, i);
        if (b->row[b->n]) continue;
        if (b->n_new == room) break;
        b->row[b->n] = b->at + b->n_new * c->n;
        b->new[b->n_new++] = i;
        if (!aside) give(c, (int32_t)c->n_used++, i);
    }
    if (b->n_new > 0) TRY(c->rows->block(ctx, c->rows, b->new, b->n_new, NULL, c->n, b->at, c->n));
    /* Only now, so that no row of this batch makes place for another. */
    for (int64_t k = 0; k < b->n_new; k++) b->keep[k] = aside ? claim(c, b->new[k]) : NULL;
    c->n_entries += b->n_new * c->n;
out:
    return st;
}

smr_status smr_row_cache_add(smr_ctx *ctx, struct smr_row_cache *cache, const int32_t *point,
                             const double *by, int64_t n, double *F)
{
    smr_status st = SMR_OK;
    struct batch *b = NULL;
    TRY_NEW(b, 1);
    *b = (struct batch){.n_points = cache->n, .F = F};
    for (int64_t r = 0; r < n; r += b->n) {
        TRY(fetch(ctx, cache, point, r, n, b));
        b->by = by + r;
        TRY(smr_parallel(ctx, NULL, smr_block_count(cache->n, COLUMNS), add_columns, b));
    }
out:
    smr_free(b);
    return st;
}
