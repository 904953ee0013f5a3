/* product.c -- see product.h.
 *
 * The kernel (smr_product_add) takes C's columns as its rows: C' += B' A', with A's rows packed
 * into panels and B's columns read where they are, or from a turned copy where B is a transpose.
 *
 * The loops, outermost first: WIDE columns of C, whose part of B is turned; STEPS of k; TALL rows,
 * packed into panels; tasks of ROWS x COLUMNS entries of C.  Turning, packing and multiplying are
 * parallel regions each.  A small product runs through the same steps with memory of the stack. */
#include "math/product.h"

#include "core/parallel.h"
#include "kernel/kernel.h"
#include "kernel/table.h"

#include <string.h>

enum { STEPS = 256, TALL = 2048, WIDE = 4096, PACK_ROWS = 128, TURN_COLUMNS = 64 };
/* A turned column's room: an odd number of cache lines, so that columns do not share sets. */
enum { TURN_PITCH = STEPS + 8 };
/* On the diagonal of a lower triangle, DIAGONAL columns are computed apart, with the few rows that
 * share their panels. */
enum { DIAGONAL = 28, DIAGONAL_ROWS = 96 };
enum { SMALL_BYTES = 24 * 1024 };
static const double FEW_FLOPS = 4e5; /* not worth waking a thread */

#define real double
#define K(name) name##_f64
#define GRID smr_grid
#define UPDATE smr_update
#define RUN smr_update_run
#define PANEL SMR_PANEL_F64
#include "math/product.inl"
#undef real
#undef K
#undef GRID
#undef UPDATE
#undef RUN
#undef PANEL

#define real float
#define K(name) name##_f32
#define GRID smr_grid_f32
#define UPDATE smr_update_f32
#define RUN smr_update_run_f32
#define PANEL SMR_PANEL_F32
#include "math/product.inl"
