/* layout.h -- how the training rows lie in memory, and in the model file: as the search reads them.
 *
 * Rows lie in groups; within a group, coordinate after coordinate ("step"), each with its values
 * for all rows of the group ("lane").  So an array has the shape  groups x steps x lane:
 *
 *                      rows of a group   steps         lane
 *     plain                  16          d              16     for distances, and for the tree
 *     panels, doubles        16          d              16     the same
 *     panels, floats         32          d              32     for products (kernel.h)
 *     panels, bytes          32          ceil(d / 4)   128     for products: [row][4], less 128
 *
 * Places are positions in this order, rows of a group one after another.  Places after the last row
 * and bytes after the last coordinate are zero. */
#ifndef SMR_LEARN_NEIGHBORS_LAYOUT_H
#define SMR_LEARN_NEIGHBORS_LAYOUT_H

#include "data/data.h"
#include "kernel/near.h"

typedef struct smr_layout {
    int64_t n, d;
    smr_form form; /* U8, F32 or F64               */
    bool panels;   /* for products, else plain     */
    int64_t rows;  /* of a group                   */
    int64_t groups, steps, lane;
} smr_layout;

smr_layout smr_layout_of(smr_form form, bool panels, int64_t n, int64_t d);

/* Bytes of an element, and elements of the whole array. */
size_t smr_layout_width(const smr_layout *layout);
int64_t smr_layout_count(const smr_layout *layout);

/* Where the group that begins at `place` lies: the address of its first element. */
const void *smr_layout_at(const smr_layout *layout, const void *x, int64_t place);

/* Clears the last group, for what comes after the last row. */
void smr_layout_clear_end(const smr_layout *layout, void *x);
/* Puts n rows, of the layout's form, row-major with that stride, at `place` and after. */
void smr_layout_put(const smr_layout *layout, void *x, int64_t place, int64_t n, const void *rows,
                    int64_t stride);

/* out = the d values at that place. */
void smr_layout_row(const smr_layout *layout, const void *x, int64_t place, double *out);
/* The group of 16 places from `place` on, a multiple of 16, as plain doubles: d x 16.  Returns the
 * stored group itself, or `buffer` filled. */
const double *smr_layout_group(const smr_layout *layout, const void *x, int64_t place,
                               double *buffer);
/* True when two places hold the same values. */
bool smr_layout_same(const smr_layout *layout, const void *x, int64_t a, int64_t b);
/* True when all values are finite, and zero where there are no rows. */
bool smr_layout_sound(const smr_layout *layout, const void *x);

#endif
