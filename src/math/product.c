/* product.c -- see product.h.
 *
 * The kernel (smr_product_add) takes C's columns as its rows: C' += B' A', with A's rows packed
 * into panels and B's columns read where they are, or from a turned copy where B is a transpose.
 *
 * The loops, outermost first: WIDE columns of C, whose part of B is turned; STEPS of k; TALL rows,
 * packed into panels; tasks of ROWS x COLUMNS entries of C.  Turning, packing and multiplying are
 * parallel regions each.  A small product runs through the same steps with memory on the stack. */
#include "math/product.h"

#include "core/parallel.h"
#include "kernel/kernel.h"
#include "kernel/kernel_table.h"

#include <string.h>

enum { STEPS = 256, TALL = 2048, WIDE = 4096, PACK_ROWS = 128, TURN_COLUMNS = 64 };
enum { ROOM = STEPS * TALL }; /* elements of A or B that are packed at a time */
/* With few columns a task takes whole rows; with a handful only they are packed. */
enum { ALONE_ROWS = 128, ALONE_COLUMNS = 128, THIN = 4, THIN_ROWS = 256 };
/* On the diagonal of a lower triangle, DIAGONAL columns are computed apart, with the few rows that
 * share their panels. */
enum { DIAGONAL = 28, DIAGONAL_ROWS = 96 };
enum { SMALL_BYTES = 24 * 1024 };
static const double FEW_FLOPS = 4e5; /* not worth waking a thread */

/* At least this many bytes, whatever they hold; NULL with the message set. */
static void *take_room(smr_ctx *ctx, smr_room *room, int64_t bytes)
{
    if (room->size >= bytes) return room->bytes;
    smr_free(room->bytes);
    *room = (smr_room){smr_alloc_raw(ctx, bytes, 1), bytes};
    if (!room->bytes) room->size = 0;
    return room->bytes;
}

#define real double
#define K(name) name##_f64
#define GRID smr_grid
#define UPDATE smr_update
#define RUN smr_update_run
#define RUN_IN smr_update_in
#define PANEL SMR_PANEL_F64
#define THIN_ADD_f64 smr_rows_add_f64
#include "math/product.inl"
#undef real
#undef K
#undef GRID
#undef UPDATE
#undef RUN
#undef RUN_IN
#undef PANEL

/* G[c*ldg + j] += R[i*k + c] X[i*ldx + j]. */
static void thin_add_f32(int64_t m, int64_t d, int64_t k, const float *X, int64_t ldx,
                         const float *R, float *G, int64_t ldg)
{
    for (int64_t i = 0; i < m; i++)
        for (int64_t c = 0; c < k; c++) smr_axpy_f32(d, R[i * k + c], X + i * ldx, G + c * ldg);
}

#define real float
#define K(name) name##_f32
#define GRID smr_grid_f32
#define UPDATE smr_update_f32
#define RUN smr_update_run_f32
#define RUN_IN smr_update_in_f32
#define PANEL SMR_PANEL_F32
#define THIN_ADD_f32 thin_add_f32
#include "math/product.inl"
