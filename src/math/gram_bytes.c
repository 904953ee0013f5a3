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
    COLUMNS = 112,                  /* of T's rows in a product: whole tiles on every tier      */
    PANEL = 32,                     /* columns of a panel of bytes: products begin at one       */
    STEP = 4,                       /* rows that lie next to each other in a panel              */
    STEPS = SMR_BYTES_BLOCK / STEP, /* of a block                                               */
    PLACES = SMR_BYTES_BLOCK + 64,  /* bytes from a row of T to the next: not a power of two    */
    TILE = 8                        /* steps that are turned at a time                          */
};

typedef uint8_t bytes16 __attribute__((vector_size(16)));
typedef uint16_t pairs8 __attribute__((vector_size(16)));

struct lane {
    int64_t *sum, *gram; /* d, d x d: above the diagonal           */
    uint8_t *turned;     /* d x PLACES                             */
    int32_t *product;    /* COLUMNS x d                            */
    uint8_t *panels;     /* as smr_pack_u8 makes them of T's rows  */
    uint8_t *rows;       /* STEP x (d, up to whole panels)         */
};

struct pass {
    int64_t n, d;
    smr_byte_rows_fn rows;
    void *arg;
    struct lane *lanes;
};

static int64_t whole_panels(int64_t d)
{
    return (d + PANEL - 1) / PANEL;
}

/* ---- turning ---------------------------------------------------------------------------- */

/* 16 columns of four rows, next to each other: to[j][r] = row[r][j] - 128. */
static void put_together(const uint8_t *const row[STEP], int64_t at, uint8_t *to)
{
    bytes16 x[STEP];
    pairs8 half[STEP];
    for (int r = 0; r < STEP; r++) memcpy(&x[r], row[r] + at, sizeof x[r]);
    for (int r = 0; r < STEP; r++) x[r] ^= (uint8_t)0x80;
    for (int r = 0; r < STEP; r += 2) {
        half[r] = (pairs8)__builtin_shufflevector(x[r], x[r + 1], 0, 16, 1, 17, 2, 18, 3, 19, 4, 20,
                                                  5, 21, 6, 22, 7, 23);
        half[r + 1] = (pairs8)__builtin_shufflevector(x[r], x[r + 1], 8, 24, 9, 25, 10, 26, 11, 27,
                                                      12, 28, 13, 29, 14, 30, 15, 31);
    }
    for (int r = 0; r < 2; r++) {
        pairs8 low = __builtin_shufflevector(half[r], half[r + 2], 0, 8, 1, 9, 2, 10, 3, 11);
        pairs8 high = __builtin_shufflevector(half[r], half[r + 2], 4, 12, 5, 13, 6, 14, 7, 15);
        memcpy(to + 32 * r, &low, sizeof low);
        memcpy(to + 32 * r + 16, &high, sizeof high);
    }
}

/* The panels of T, from the rows as they lie.  What is after the last row or column is 0, but for
 * the sign that a panel's bytes have: the product has 0 beside the first, and leaves the other
 * out. */
static void fill_panels(struct lane *l, int64_t n, int64_t d, const uint8_t *x, int64_t stride)
{
    int64_t width = whole_panels(d) * PANEL, steps = (n + STEP - 1) / STEP;
    for (int64_t s = 0; s < steps; s++) {
        const uint8_t *row[STEP];
        for (int64_t r = 0; r < STEP; r++) {
            uint8_t *copy = l->rows + r * width;
            bool there = s * STEP + r < n;
            row[r] = x + (s * STEP + r) * stride;
            if (there && width == d) continue;
            memset(copy, 0, (size_t)width);
            if (there) memcpy(copy, row[r], (size_t)d);
            row[r] = copy;
        }
        for (int64_t p = 0; p < width / PANEL; p++)
            for (int64_t j = 0; j < PANEL; j += 16)
                put_together(row, p * PANEL + j, l->panels + ((p * steps + s) * PANEL + j) * STEP);
    }
}

/* T, from its panels: four bytes at a time. */
static void fill_turned(struct lane *l, int64_t n, int64_t d)
{
    int64_t steps = (n + STEP - 1) / STEP;
    for (int64_t p = 0; p < whole_panels(d); p++)
        for (int64_t s0 = 0; s0 < steps; s0 += TILE) {
            int64_t s1 = SMR_MIN(steps, s0 + TILE), j1 = SMR_MIN(PANEL, d - p * PANEL);
            for (int64_t j = 0; j < j1; j++) {
                uint8_t *to = l->turned + (p * PANEL + j) * PLACES;
                for (int64_t s = s0; s < s1; s++) {
                    uint32_t four;
                    memcpy(&four, l->panels + ((p * steps + s) * PANEL + j) * STEP, sizeof four);
                    four ^= UINT32_C(0x80808080);
                    memcpy(to + s * STEP, &four, sizeof four);
                }
            }
        }
}

/* ---- sums ------------------------------------------------------------------------------- */

static void add_products(struct lane *l, int64_t n, int64_t d)
{
    int64_t panel = smr_panels_size_u8(PANEL, n);
    for (int64_t i0 = 0; i0 < d; i0 += COLUMNS) {
        int64_t rows = SMR_MIN(COLUMNS, d - i0), from = i0 / PANEL * PANEL, width = d - from;
        smr_product_u8(rows, width, n, l->turned + i0 * PLACES, PLACES,
                       l->panels + from / PANEL * panel, l->product, width);
        for (int64_t i = i0; i < i0 + rows; i++) {
            const int32_t *C = l->product + (i - i0) * width - from;
            for (int64_t j = i; j < d; j++) l->gram[i * d + j] += C[j];
        }
    }
    for (int64_t j = 0; j < d; j++) {
        uint32_t sum = 0;
        for (int64_t i = 0; i < n; i++) sum += l->turned[j * PLACES + i];
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
    fill_panels(l, hi - lo, p->d, x, stride);
    fill_turned(l, hi - lo, p->d);
    add_products(l, hi - lo, p->d);
    return SMR_OK;
}

static smr_status lane_create(smr_ctx *ctx, int64_t d, struct lane *l)
{
    smr_status st = SMR_OK;
    TRY_NEW(l->sum, d);
    TRY_NEW(l->gram, d * d);
    TRY_NEW(l->turned, d * PLACES);
    TRY_NEW(l->product, COLUMNS * d);
    TRY_NEW(l->panels, smr_panels_size_u8(d, SMR_BYTES_BLOCK));
    TRY_NEW(l->rows, STEP * whole_panels(d) * PANEL);
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
    smr_free(l->rows);
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
