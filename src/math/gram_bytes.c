/* gram_bytes.c -- see gram_bytes.h.
 *
 * A block of rows is turned, so that each column is a row of bytes, and multiplied with itself
 * above the diagonal: C (int32) = T T'.  A block's sums stay below 2^31, and are added to the
 * lane's, of 64 bits. */
#include "math/gram_bytes.h"

#include "core/int128.h"
#include "kernel/kernel.h"

#include <string.h>

enum {
    COLUMNS = 112, /* of T's rows in a product: whole tiles on every tier           */
    PANEL = 32,    /* columns of a panel of bytes: products begin at one            */
    TILE = 32      /* bytes each way that are turned at a time                      */
};

struct lane {
    int64_t *sum, *gram; /* d, d x d: above the diagonal                          */
    uint8_t *turned;     /* d x SMR_BYTES_BLOCK                                   */
    int32_t *product;    /* COLUMNS x d                                           */
    void *panels;
};

struct pass {
    int64_t n, d;
    smr_byte_rows_fn rows;
    void *arg;
    struct lane *lanes;
};

/* T: d rows of n bytes, ld apart. */
static void turn(int64_t n, int64_t d, const uint8_t *x, int64_t stride, uint8_t *T, int64_t ld)
{
    for (int64_t i0 = 0; i0 < n; i0 += TILE)
        for (int64_t j0 = 0; j0 < d; j0 += TILE) {
            int64_t i1 = SMR_MIN(n, i0 + TILE), j1 = SMR_MIN(d, j0 + TILE);
            for (int64_t j = j0; j < j1; j++)
                for (int64_t i = i0; i < i1; i++) T[j * ld + i] = x[i * stride + j];
        }
}

static void add_products(struct lane *l, int64_t n, int64_t d)
{
    int64_t panel = smr_panels_size_u8(PANEL, n);
    smr_pack_u8(d, n, l->turned, SMR_BYTES_BLOCK, l->panels);
    for (int64_t i0 = 0; i0 < d; i0 += COLUMNS) {
        int64_t rows = SMR_MIN(COLUMNS, d - i0), from = i0 / PANEL * PANEL, width = d - from;
        smr_product_u8(rows, width, n, l->turned + i0 * SMR_BYTES_BLOCK, SMR_BYTES_BLOCK,
                       (const char *)l->panels + from / PANEL * panel, l->product, width);
        for (int64_t i = i0; i < i0 + rows; i++) {
            const int32_t *C = l->product + (i - i0) * width - from;
            for (int64_t j = i; j < d; j++) l->gram[i * d + j] += C[j];
        }
    }
    for (int64_t j = 0; j < d; j++) {
        int64_t sum = 0;
        for (int64_t i = 0; i < n; i++) sum += l->turned[j * SMR_BYTES_BLOCK + i];
        l->sum[j] += sum;
    }
}

static smr_status sum_block(smr_ctx *ctx, void *arg, int64_t task, int lane)
{
    const struct pass *p = arg;
    struct lane *l = &p->lanes[lane];
    int64_t lo = task * SMR_BYTES_BLOCK, hi = smr_block_end(p->n, SMR_BYTES_BLOCK, task);
    int64_t stride = 0;
    const uint8_t *x = NULL;
    smr_status st = p->rows(ctx, p->arg, lane, lo, hi, &x, &stride);
    if (st != SMR_OK) return st;
    turn(hi - lo, p->d, x, stride, l->turned, SMR_BYTES_BLOCK);
    add_products(l, hi - lo, p->d);
    return SMR_OK;
}

static smr_status lane_create(smr_ctx *ctx, int64_t d, struct lane *l)
{
    smr_status st = SMR_OK;
    TRY_NEW(l->sum, d);
    TRY_NEW(l->gram, d * d);
    TRY_NEW(l->turned, d * SMR_BYTES_BLOCK);
    TRY_NEW(l->product, COLUMNS * d);
    l->panels = smr_alloc(ctx, smr_panels_size_u8(d, SMR_BYTES_BLOCK), 1);
    if (!l->panels) st = SMR_ERR_NOMEM;
out:
    return st;
}

static void lane_release(struct lane *l)
{
    smr_free(l->sum);
    smr_free(l->gram);
    smr_free(l->turned);
    smr_free(l->product);
    smr_free(l->panels);
}

/* (1) of all lanes' sums, in the first one's. */
static void finish(const struct pass *p, int n_lanes, double *mean, double *gram)
{
    int64_t d = p->d, *sum = p->lanes[0].sum;
    double n = (double)p->n;
    for (int t = 1; t < n_lanes; t++) {
        for (int64_t j = 0; j < d; j++) sum[j] += p->lanes[t].sum[j];
        for (int64_t e = 0; e < d * d; e++) p->lanes[0].gram[e] += p->lanes[t].gram[e];
    }
    for (int64_t i = 0; i < d; i++) {
        mean[i] = (double)sum[i] / n;
        for (int64_t j = i; j < d; j++) {
            smr_i128 all = (smr_i128)p->lanes[0].gram[i * d + j] * p->n;
            gram[i * d + j] = gram[j * d + i] = (double)(all - (smr_i128)sum[i] * sum[j]) / n;
        }
    }
}

smr_status smr_gram_bytes(smr_ctx *ctx, int64_t n, int64_t d, smr_byte_rows_fn rows, void *arg,
                          double *mean, double *gram)
{
    smr_status st = SMR_OK;
    int n_lanes = smr_lanes(ctx);
    struct pass p = {.n = n, .d = d, .rows = rows, .arg = arg};
    double room = (double)d * (8.0 * (double)d + 4.0 * COLUMNS + 2.0 * SMR_BYTES_BLOCK);
    TRY(smr_memory_check(ctx, room * n_lanes, "the Gram matrix of these columns",
                         "use fewer features"));
    TRY_NEW(p.lanes, n_lanes);
    for (int t = 0; t < n_lanes; t++) TRY(lane_create(ctx, d, &p.lanes[t]));
    TRY(smr_parallel(ctx, "summing products", smr_block_count(n, SMR_BYTES_BLOCK), sum_block, &p));
    finish(&p, n_lanes, mean, gram);
out:
    for (int t = 0; p.lanes && t < n_lanes; t++) lane_release(&p.lanes[t]);
    smr_free(p.lanes);
    return st;
}
