/* kernel_block.c -- K between training points, on all threads: see kernel_points.h.
 *
 * A block is cut into tiles; each is computed by one thread (kernel_tile.h), so that threads share
 * no result and the bits of an entry depend on its two points alone. */
#include "learn/kernels/kernel_tile.h"

#include "core/parallel.h"
#include "kernel/alike.h"
#include "kernel/kernel.h"

#include <string.h>

/* ---- chosen points ---------------------------------------------------------------------- */

/* A side of chosen points: what the products read is copied together. */
struct gathered {
    smr_kernel_side side;
    const smr_kernel_points *points;
    const int32_t *index;
    char *x, *panels, *norm, *f;
    int32_t *place;
};

static void copy_one(const struct gathered *g, int64_t i)
{
    const smr_kernel_points *p = g->points;
    const struct smr_kernel_ready *r = p->ready;
    int64_t at = g->index[i];
    size_t size = r->size;
    if (g->x)
        memcpy(g->x + (size_t)(i * p->d) * size, (const char *)r->x + (size_t)(at * p->d) * size,
               (size_t)p->d * size);
    if (g->norm)
        memcpy(g->norm + (size_t)i * size, (const char *)r->norm + (size_t)at * size, size);
    for (int64_t s = 0; s < r->n_scalings; s++)
        memcpy(g->f + (size_t)(s * g->side.n + i) * size,
               (const char *)r->f + (size_t)(s * p->n + at) * size, size);
    if (g->place) g->place[i] = p->place[at];
}

static smr_status gather_task(smr_ctx *ctx, void *arg, int64_t task, int lane)
{
    const struct gathered *g = arg;
    const smr_kernel_points *p = g->points;
    int64_t lo = task * SMR_TILE_COLUMNS, hi = smr_block_end(g->side.n, SMR_TILE_COLUMNS, task);
    (void)lane;
    for (int64_t i = lo; i < hi; i++) copy_one(g, i);
    if (g->panels && p->start) return smr_kernel_pack_entries(ctx, p, g->index, lo, hi, g->panels);
    if (g->panels && p->ready->wide)
        smr_pack_f64(hi - lo, p->d, (const double *)(const void *)g->x + lo * p->d, p->d,
                     g->panels + smr_panels_size_f64(lo, p->d));
    else if (g->panels)
        smr_pack_f32(hi - lo, p->d, (const float *)(const void *)g->x + lo * p->d, p->d,
                     g->panels + smr_panels_size_f32(lo, p->d));
    return SMR_OK;
}

static void release_gathered(struct gathered *g)
{
    smr_free(g->x);
    smr_free(g->panels);
    smr_free(g->norm);
    smr_free(g->f);
    smr_free(g->place);
}

/* index NULL: all points, and nothing is copied. */
static smr_status gather(smr_ctx *ctx, const smr_kernel_points *p, const int32_t *index, int64_t n,
                         bool columns, struct gathered *g)
{
    smr_status st = SMR_OK;
    const struct smr_kernel_ready *r = p->ready;
    int64_t size = (int64_t)r->size;
    *g = (struct gathered){.side = smr_kernel_side_of(p), .points = p, .index = index};
    g->side.n = n;
    if (!index) return SMR_OK;
    if (r->x) TRY_NEW(g->x, (n * p->d + 1) * size);
    if (r->norm) TRY_NEW(g->norm, (n + 1) * size);
    if (r->f) TRY_NEW(g->f, (r->n_scalings * n + 1) * size);
    if (p->place) TRY_NEW(g->place, n + 1);
    if (columns && r->panels)
        TRY_NEW(g->panels,
                64 + (r->wide ? smr_panels_size_f64(n, p->d) : smr_panels_size_f32(n, p->d)));
    TRY(smr_parallel(ctx, NULL, smr_block_count(n, SMR_TILE_COLUMNS), gather_task, g));
    g->side.x = g->x;
    g->side.norm = g->norm;
    g->side.f = g->f;
    g->side.f_stride = n;
    g->side.place = g->place;
    g->side.panels = g->panels;
    g->side.index = index;
out:
    return st;
}

/* ---- blocks ----------------------------------------------------------------------------- */

struct block {
    const smr_kernel_set *set;
    const smr_kernel_side *A, *B;
    int64_t from, to;        /* columns of B */
    int64_t across, aligned; /* tiles from left to right; the first begins here, at a panel */
    int64_t high;            /* rows of a tile: few where strings make them long work */
    char *work;              /* of each lane             */
    char *tile;              /* of each lane             */
    int64_t work_size;
    float *narrow; /* one of them               */
    double *wide;
    int64_t stride;
    bool mirror; /* what is right of the diagonal is what is left of it */
};

enum { TILE = SMR_TILE_ROWS * SMR_TILE_COLUMNS, TEXT_ROWS = 8, PANEL = 32 };

static void put(const struct block *k, const smr_kernel_tile *t)
{
    bool wide = k->set->points.ready->wide;
    const double *from64 = t->out;
    const float *from32 = t->out;
    for (int64_t a = 0; a < t->m; a++)
        for (int64_t b = 0; b < t->w; b++) {
            int64_t i = t->row + a, j = t->column + b - k->from;
            if (j < 0 || (k->mirror && j > i)) continue;
            double x = wide ? from64[a * t->ld + b] : (double)from32[a * t->ld + b];
            if (k->narrow) k->narrow[i * k->stride + j] = (float)x;
            if (k->wide) k->wide[i * k->stride + j] = x;
            if (k->mirror) k->wide[j * k->stride + i] = x;
        }
}

/* Are tiles that begin at this column computed where they belong? */
static bool is_direct(const struct block *k, int64_t column)
{
    return k->narrow && !k->set->points.ready->wide && column >= k->from;
}

static smr_status block_task(smr_ctx *ctx, void *arg, int64_t task, int lane)
{
    const struct block *k = arg;
    int64_t row = task / k->across * k->high;
    int64_t column = k->aligned + task % k->across * SMR_TILE_COLUMNS;
    bool direct = is_direct(k, column);
    smr_status st = SMR_OK;
    if (k->mirror && column > row + k->high - 1) return SMR_OK;
    smr_kernel_tile t = {.kernel = k->set->kernel,
                         .points = &k->set->points,
                         .A = k->A,
                         .B = k->B,
                         .row = row,
                         .m = SMR_MIN(k->high, k->A->n - row),
                         .column = column,
                         .w = SMR_MIN(SMR_TILE_COLUMNS, k->to - column),
                         .lower = k->mirror,
                         .ld = SMR_TILE_COLUMNS,
                         .work = k->work + lane * k->work_size};
    if (!direct) t.out = k->tile + lane * (TILE * (int64_t)sizeof(double));
    if (direct) {
        t.out = k->narrow + row * k->stride + column - k->from;
        t.ld = k->stride;
    }
    TRY(smr_tile(ctx, &t));
    if (!direct) put(k, &t);
out:
    return st;
}

static smr_status run(smr_ctx *ctx, struct block *k)
{
    smr_status st = SMR_OK;
    const smr_kernel_points *p = &k->set->points;
    k->high = p->n_texts ? TEXT_ROWS : SMR_TILE_ROWS;
    int64_t down = smr_block_count(k->A->n, k->high), lanes = smr_lanes(ctx);
    k->aligned = k->from / PANEL * PANEL;
    k->across = smr_block_count(k->to - k->aligned, SMR_TILE_COLUMNS);
    k->work_size = (smr_tile_work(p) + 63) / 64 * 64;
    k->work = smr_alloc_raw(ctx, k->work_size * lanes, 1);
    if (!k->work) return SMR_ERR_NOMEM;
    if (p->start && !p->ready->panels) memset(k->work, 0, (size_t)(k->work_size * lanes));
    if (!is_direct(k, k->aligned)) TRY_NEW(k->tile, TILE * (int64_t)sizeof(double) * lanes);
    /* A block of chosen rows is a step of something that tells its own progress. */
    const char *what = k->A->index ? NULL : "kernel";
    TRY(smr_parallel(ctx, what, down * k->across, block_task, k));
out:
    smr_free(k->work);
    smr_free(k->tile);
    return st;
}

/* column NULL: n_columns from `first` on. */
static smr_status between(smr_ctx *ctx, const struct block *of, const int32_t *row, int64_t n_rows,
                          const int32_t *column, int64_t first, int64_t n_columns)
{
    smr_status st = SMR_OK;
    struct block k = *of;
    struct gathered A = {0}, B = {0};
    TRY(gather(ctx, &k.set->points, row, n_rows, false, &A));
    TRY(gather(ctx, &k.set->points, column, n_columns, true, &B));
    k.A = &A.side;
    k.B = &B.side;
    k.from = column ? 0 : first;
    k.to = k.from + n_columns;
    TRY(run(ctx, &k));
out:
    release_gathered(&A);
    release_gathered(&B);
    return st;
}

smr_status smr_kernel_block_f32(smr_ctx *ctx, const smr_kernel_rows *rows, const int32_t *row,
                                int64_t n_rows, const int32_t *column, int64_t n_columns,
                                float *out, int64_t stride)
{
    struct block k = {.set = (const smr_kernel_set *)rows, .narrow = out, .stride = stride};
    return between(ctx, &k, row, n_rows, column, 0, n_columns);
}

smr_status smr_kernel_span(smr_ctx *ctx, const smr_kernel_set *set, const int32_t *row,
                           int64_t n_rows, int64_t first, int64_t n, float *out, int64_t stride)
{
    struct block k = {.set = set, .narrow = out, .stride = stride};
    return between(ctx, &k, row, n_rows, NULL, first, n);
}

smr_status smr_kernel_block(smr_ctx *ctx, const smr_kernel_set *set, const int32_t *row,
                            int64_t n_rows, const int32_t *column, int64_t n_columns, double *out,
                            int64_t stride)
{
    struct block k = {.set = set, .wide = out, .stride = stride};
    return between(ctx, &k, row, n_rows, column, 0, n_columns);
}

smr_status smr_kernel_gram(smr_ctx *ctx, const smr_kernel_set *set, double *K, int64_t ld)
{
    struct block k = {.set = set, .wide = K, .stride = ld, .mirror = true};
    return between(ctx, &k, NULL, set->points.n, NULL, 0, set->points.n);
}

smr_status smr_kernel_diagonal(smr_ctx *ctx, const smr_kernel_set *set, double *out)
{
    smr_status st = SMR_OK;
    const smr_kernel_points *p = &set->points;
    const struct smr_kernel_ready *r = p->ready;
    char *work = NULL, *tile = NULL, *f = NULL;
    smr_kernel_side side = smr_kernel_side_of(p);
    TRY_NEW(work, smr_tile_work(p));
    TRY_NEW(tile, SMR_TILE_COLUMNS * (int64_t)sizeof(double));
    TRY_NEW(f, (r->n_scalings * p->n + 1) * (int64_t)r->size);
    for (int64_t lo = 0; lo < p->n; lo += SMR_TILE_COLUMNS) {
        smr_kernel_tile t = {.kernel = set->kernel,
                             .points = p,
                             .B = &side,
                             .column = lo,
                             .w = SMR_MIN(SMR_TILE_COLUMNS, p->n - lo),
                             .out = tile,
                             .ld = SMR_TILE_COLUMNS,
                             .work = work};
        TRY(smr_self(ctx, &t, f));
        for (int64_t b = 0; b < t.w; b++)
            out[lo + b] = r->wide ? ((const double *)(const void *)tile)[b]
                                  : (double)((const float *)(const void *)tile)[b];
    }
out:
    smr_free(work);
    smr_free(tile);
    smr_free(f);
    return st;
}
