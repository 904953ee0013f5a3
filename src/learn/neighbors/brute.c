/* brute.c -- see brute.h; the float way is in brute_float.c.
 *
 * Bytes: |q-t|^2 = |q|^2 + |t|^2 - 2 q t in whole numbers, so bounds are the distance itself.  For
 * cosine, q t / |q||t| is off by no more than a few units of the last place, and so is the squared
 * distance 2 - 2 cos of the rounded unit rows that points.h describes.
 *
 * A batch of few queries cannot fill the product's tiles: it is a stream of all panels through the
 * processor.  When the context has threads to spare, such a batch is cut by strips instead. */
#include "learn/neighbors/brute.h"

#include "kernel/kernel.h"
#include "kernel/kernel_table.h"
#include "learn/neighbors/brute_parts.h"

#include <math.h>
#include <string.h>

enum {
    STRIP_ROWS = 256,
    STRIP_VALUES = 1 << 20, /* a strip of very wide rows is shorter                  */
    BYTES_WIDTH = 16384,    /* |t|^2 - 2 q t stays within 31 bits                    */
    FEW = 4,                /* queries that are cut by strips                        */
    N_PARTS = 8,            /* into this many parts                                  */
    WORTH = 1 << 20         /* values from which that pays                           */
};

static bool by_products(const smr_points *points)
{
    return smr_points_kind(points) == SMR_NEAR_L2;
}

/* ---- building ---- */

/* |t|^2 of the rows of one panel of bytes. */
static void panel_squares(const smr_layout *l, const uint8_t *panel, int32_t *sum)
{
    int64_t whole = l->d / SMR_STEP_U8;
    for (int64_t i = 0; i < l->rows; i++) sum[i] = 0;
    for (int64_t s = 0; s < whole; s++) {
        const uint8_t *x = panel + s * l->lane;
        for (int64_t i = 0; i < SMR_PANEL_U8; i++) {
            for (int64_t b = 0; b < SMR_STEP_U8; b++) {
                int32_t v = x[i * SMR_STEP_U8 + b] ^ 0x80;
                sum[i] += v * v;
            }
        }
    }
    for (int64_t j = whole * SMR_STEP_U8; j < l->d; j++) {
        const uint8_t *x = panel + whole * l->lane + j % SMR_STEP_U8;
        for (int64_t i = 0; i < SMR_PANEL_U8; i++) {
            int32_t v = x[i * SMR_STEP_U8] ^ 0x80;
            sum[i] += v * v;
        }
    }
}

static smr_status square_task(smr_ctx *ctx, void *arg, int64_t strip, int lane)
{
    smr_brute *b = arg;
    const smr_points *p = b->points;
    int64_t end = smr_block_end(p->n, b->strip, strip);
    (void)ctx, (void)lane;
    for (int64_t at = strip * b->strip; at < end; at += SMR_PANEL_U8) {
        int32_t sum[SMR_PANEL_U8];
        panel_squares(&p->layout, smr_layout_at(&p->layout, p->x, at), sum);
        for (int64_t i = at; i < SMR_MIN(end, at + SMR_PANEL_U8); i++) b->square[i] = sum[i - at];
    }
    return SMR_OK;
}

static smr_status build_scale(smr_ctx *ctx, smr_brute *b)
{
    smr_status st = SMR_OK;
    const smr_points *p = b->points;
    TRY_NEW(b->scale, p->n);
    for (int64_t i = 0; i < p->n; i++)
        b->scale[i] = p->length[i] > 0 ? (float)(1 / p->length[i]) : 0;
    b->bytes += p->n * (int64_t)sizeof *b->scale;
out:
    return st;
}

static smr_status build_bytes(smr_ctx *ctx, smr_brute *b)
{
    smr_status st = SMR_OK;
    b->has_bytes = true;
    if (b->points->length) return SMR_OK;
    TRY_NEW(b->square, b->points->n);
    b->bytes += b->points->n * (int64_t)sizeof *b->square;
    TRY(smr_parallel(ctx, NULL, b->n_strips, square_task, b));
out:
    return st;
}

static int64_t strip_rows(const smr_points *points)
{
    int64_t rows = STRIP_VALUES / SMR_MAX(1, points->width) / 32 * 32;
    return SMR_MAX(32, SMR_MIN(STRIP_ROWS, rows));
}

smr_status smr_brute_build(smr_ctx *ctx, const smr_points *points, smr_brute *b)
{
    smr_status st = SMR_OK;
    *b = (smr_brute){.points = points, .strip = strip_rows(points)};
    b->n_strips = smr_block_count(points->n, b->strip);
    if (!by_products(points)) return SMR_OK;
    if (points->length) TRY(build_scale(ctx, b));
    if (points->layout.form == SMR_FORM_U8 && points->d <= BYTES_WIDTH) TRY(build_bytes(ctx, b));
    TRY(smr_brute_build_floats(ctx, b));
out:
    if (st != SMR_OK) smr_brute_release(b);
    return st;
}

void smr_brute_release(smr_brute *b)
{
    smr_free(b->square);
    smr_free(b->scale);
    smr_free(b->center);
    smr_free(b->base);
    *b = (smr_brute){0};
}

/* ---- a batch and its scratch ---- */

/* Hands out pieces of a block, or measures when there is none. */
struct slab {
    char *at;
    int64_t size;
};

static void *piece(struct slab *slab, int64_t bytes)
{
    void *here = slab->at ? slab->at + slab->size : NULL;
    slab->size += smr_block_count(bytes, 64) * 64;
    return here;
}

/* What one worker needs for m queries. */
static void lay_out(struct slab *slab, const smr_brute *b, int64_t m, struct smr_batch *batch)
{
    int64_t w = b->points->width;
    bool products = by_products(b->points);
    batch->hits = piece(slab, b->strip * (int64_t)sizeof(int32_t));
    batch->tile = products ? piece(slab, m * b->strip * (int64_t)sizeof(float)) : NULL;
    batch->packed = NULL;
    if (products && b->can_float && !b->plain && m > FEW)
        batch->packed = piece(slab, smr_panels_size_f32(b->strip, w));
    batch->wide = piece(slab, SMR_NEAR_GROUP * w * (int64_t)sizeof(double));
}

/* What the batch as a whole needs. */
static void lay_out_queries(struct slab *slab, const smr_brute *b, int64_t m,
                            struct smr_batch *batch)
{
    bool products = by_products(b->points) && b->can_float;
    batch->floats = products ? piece(slab, m * b->points->width * (int64_t)sizeof(float)) : NULL;
    batch->square = piece(slab, m * (int64_t)sizeof(double));
}

/* Room for the parts of a batch that is cut by strips. */
static void lay_out_part(struct slab *slab, const smr_brute *b, int64_t m, int64_t K,
                         struct smr_batch *batch, char **memory, double **buffer)
{
    lay_out(slab, b, m, batch);
    batch->nearest = piece(slab, m * (int64_t)sizeof(smr_near_set));
    *memory = piece(slab, m * smr_near_size(K));
    *buffer = piece(slab, 2 * b->points->width * (int64_t)sizeof(double));
}

static bool worth_cutting(const smr_brute *b, int64_t m)
{
    return m <= FEW && b->n_strips >= N_PARTS &&
           (double)b->points->n * (double)b->points->width >= WORTH;
}

int64_t smr_brute_scratch(const smr_brute *b, int64_t m, int64_t K)
{
    struct slab slab = {0}, parts = {0};
    struct smr_batch batch;
    char *memory;
    double *buffer;
    lay_out_queries(&slab, b, m, &batch);
    lay_out(&slab, b, m, &batch);
    int64_t few = SMR_MIN(m, FEW);
    if (worth_cutting(b, few)) {
        lay_out_queries(&parts, b, few, &batch);
        for (int t = 0; t < N_PARTS; t++) lay_out_part(&parts, b, few, K, &batch, &memory, &buffer);
    }
    return SMR_MAX(slab.size, parts.size) + 64;
}

/* ---- searching ---- */

/* Whole numbers: those with |q|^2 + |t|^2 - 2 q t within the limit. */
static void offer_squares(struct smr_batch *batch, int64_t i, int64_t first, int64_t n)
{
    const smr_brute *b = batch->brute;
    smr_near_set *nearest = &batch->nearest[i];
    const int32_t *product = (const int32_t *)batch->tile + i * b->strip;
    const int32_t *square = b->square + first;
    bool full = nearest->n_top == nearest->K && b->points->metric == SMR_METRIC_EUCLIDEAN;
    double room = floor(smr_near_limit(nearest)) - batch->square[i] - full; /* ties come too late */
    int32_t limit = room < INT32_MAX ? (int32_t)room : INT32_MAX;

    if (room < INT32_MIN) return;
    int64_t n_hits = nearest->kernels->scan_i32(n, product, square, limit, batch->hits);
    for (int64_t h = 0; h < n_hits; h++) {
        int64_t j = batch->hits[h];
        double distance = batch->square[i] + ((double)square[j] - 2.0 * (double)product[j]);
        if (b->points->metric == SMR_METRIC_MINKOWSKI) {
            if (distance > smr_near_limit(nearest)) continue;
            distance = smr_query_distance(&nearest->query, first + j);
        }
        smr_near_add(nearest, first + j, distance, distance, true);
    }
}

/* Cosine: those with q t / |t| >= |q| (1 - limit / 2), less what single precision may lose. */
static void offer_angles(struct smr_batch *batch, int64_t i, int64_t first, int64_t n)
{
    const smr_brute *b = batch->brute;
    smr_near_set *nearest = &batch->nearest[i];
    const int32_t *product = (const int32_t *)batch->tile + i * b->strip;
    double length = sqrt(batch->square[i]), low, up;
    float limit = (float)(length * (1 - nearest->bound / 2 - 1e-6));

    int64_t n_hits =
        nearest->kernels->scan_scaled_i32(n, product, b->scale + first, limit, batch->hits);
    for (int64_t h = 0; h < n_hits; h++) {
        int64_t j = batch->hits[h];
        smr_query_angle_bounds(&nearest->query, first + j, (double)product[j] / length, &low, &up);
        smr_near_add(nearest, first + j, low, up, false);
    }
}

static void strip_of_bytes(struct smr_batch *batch, int64_t strip)
{
    const smr_brute *b = batch->brute;
    int64_t first = strip * b->strip, d = b->points->d;
    int64_t n = smr_block_end(b->points->n, b->strip, strip) - first;
    smr_product_u8(batch->m, n, d, batch->bytes, batch->stride,
                   smr_layout_at(&b->points->layout, b->points->x, first), batch->tile, b->strip);
    for (int64_t i = 0; i < batch->m; i++) {
        if (b->scale)
            offer_angles(batch, i, first, n);
        else
            offer_squares(batch, i, first, n);
    }
}

/* Each query reads the 16 rows of a group while they are in the nearest cache. */
static void strip_directly(struct smr_batch *batch, int64_t strip)
{
    const smr_brute *b = batch->brute;
    int64_t end = smr_block_end(b->points->n, b->strip, strip);
    for (int64_t at = strip * b->strip; at < end; at += SMR_NEAR_GROUP)
        for (int64_t i = 0; i < batch->m; i++) {
            smr_near_set *nearest = &batch->nearest[i];
            smr_near_add_group(nearest, at, smr_near_limit(nearest), batch->wide);
        }
}

static smr_status search_strips(smr_ctx *ctx, struct smr_batch *batch, int64_t lo, int64_t hi)
{
    smr_status st = SMR_OK;
    for (int64_t i = 0; i < batch->m; i++) batch->nearest[i].ascending = true;
    for (int64_t s = lo; s < hi; s++) {
        TRY(smr_tick(ctx, NULL, s, hi, NAN));
        if (batch->way == SMR_WAY_BYTES)
            strip_of_bytes(batch, s);
        else if (batch->way == SMR_WAY_FLOATS)
            TRY(smr_batch_strip_floats(ctx, batch, s));
        else
            strip_directly(batch, s);
    }
out:
    return st;
}

/* Squares of byte queries; false when one is zero and the angle to it has no meaning. */
static bool take_bytes(struct smr_batch *batch)
{
    const smr_brute *b = batch->brute;
    if (!b->has_bytes || !batch->bytes) return false;
    for (int64_t i = 0; i < batch->m; i++) {
        const uint8_t *q = batch->bytes + i * batch->stride;
        int64_t sum = 0;
        for (int64_t j = 0; j < b->points->d; j++) sum += (int64_t)q[j] * q[j];
        batch->square[i] = (double)sum;
        if (b->scale && sum == 0) return false;
    }
    return true;
}

static smr_brute_way choose_way(struct smr_batch *batch)
{
    if (!by_products(batch->brute->points)) return SMR_WAY_DIRECT;
    if (take_bytes(batch)) return SMR_WAY_BYTES;
    /* Centring a strip for a few queries takes longer than comparing it with them. */
    if (!batch->brute->plain && batch->m <= FEW) return SMR_WAY_DIRECT;
    return smr_batch_floats(batch) ? SMR_WAY_FLOATS : SMR_WAY_DIRECT;
}

/* ---- few queries, cut by strips ---- */

static smr_status part_task(smr_ctx *ctx, void *arg, int64_t task, int lane)
{
    struct smr_batch *part = (struct smr_batch *)arg + task;
    int64_t n = part->brute->n_strips;
    (void)lane;
    return search_strips(ctx, part, n * task / N_PARTS, n * (task + 1) / N_PARTS);
}

static smr_status search_parts(smr_ctx *ctx, struct smr_batch *whole, struct slab *slab)
{
    smr_status st = SMR_OK;
    struct smr_batch parts[N_PARTS];
    int64_t K = whole->nearest[0].K;
    for (int t = 0; t < N_PARTS; t++) {
        char *memory;
        double *buffer;
        parts[t] = *whole;
        lay_out_part(slab, whole->brute, whole->m, K, &parts[t], &memory, &buffer);
        for (int64_t i = 0; i < whole->m; i++) {
            smr_query query = whole->nearest[i].query;
            query.buffer = buffer;
            smr_near_begin(&parts[t].nearest[i], &query, K, memory + i * smr_near_size(K));
        }
    }
    TRY(smr_parallel(ctx, NULL, N_PARTS, part_task, parts));
    for (int t = 0; t < N_PARTS; t++) {
        for (int64_t i = 0; i < whole->m; i++) {
            const smr_near_set *from = &parts[t].nearest[i];
            for (int64_t r = 0; r < from->n; r++)
                smr_near_add(&whole->nearest[i], from->kept[r].place, from->kept[r].low,
                             from->kept[r].up, from->kept[r].sharp);
        }
    }
out:
    return st;
}

smr_status smr_brute_search(smr_ctx *ctx, const smr_brute *brute, int64_t m, smr_near_set *nearest,
                            const uint8_t *bytes, int64_t stride, void *scratch)
{
    struct slab slab = {.at = (char *)(((uintptr_t)scratch + 63) / 64 * 64)};
    struct smr_batch batch = {
        .brute = brute, .m = m, .nearest = nearest, .bytes = bytes, .stride = stride};
    lay_out_queries(&slab, brute, m, &batch);
    batch.way = choose_way(&batch);
    if (ctx->n_threads > 1 && worth_cutting(brute, m)) return search_parts(ctx, &batch, &slab);
    lay_out(&slab, brute, m, &batch);
    return search_strips(ctx, &batch, 0, brute->n_strips);
}
