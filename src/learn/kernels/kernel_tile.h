/* kernel_tile.h -- blocks of kernel values, one after the other: what kernel_block.c (training, on
 * all threads) and kernel_predict.c have in common.
 *
 * A tile is K between some rows of one side and some of another, computed in float or in double
 * (kernel_tile.inl, once for each): products of the rows against packed points, then the formulas
 * of the words, then the operations of the expression, on tiles that fit the second-level cache. */
#ifndef SMR_LEARN_KERNELS_KERNEL_TILE_H
#define SMR_LEARN_KERNELS_KERNEL_TILE_H

#include "learn/kernels/kernel_points.h"
#include "learn/kernels/kernel_strings.h"

enum {
    SMR_TILE_ROWS = 64,
    SMR_TILE_COLUMNS = 256, /* a multiple of a panel's columns in both types */
    SMR_TILE_GROUP = 16,    /* rows that a sparse one meets at once          */
    SMR_KERNEL_DEPTH = 80   /* tiles at once, of the deepest expression      */
};

/* What prepare builds.  `real` is double where `wide`, else float. */
struct smr_kernel_ready {
    bool wide;
    size_t size;   /* of real */
    const void *x; /* n x d: the points' array, or own_x */
    void *own_x;
    const void *value; /* of sparse points, in the same way */
    void *own_value;
    void *panels;       /* points, packed, sparse ones too unless they are wide; NULL: no word
                           multiplies them */
    void *norm;         /* n: |x|^2, one chain  */
    void *f;            /* n_scalings x n       */
    int64_t n_scalings; /* of the expression    */
    int64_t depth;      /* tiles at once        */
    smr_text_set *text; /* n_words; empty where a word reads numbers */
    int64_t n_words;
};

/* Rows of training or prediction, or points, as one side of a tile. */
typedef struct smr_kernel_side {
    int64_t n;
    const void *x; /* dense: n x d of real, or NULL */
    const void *panels;
    const int64_t *start; /* sparse: row r is number smr_side_at(side, r) of these */
    const int32_t *column;
    const void *value;
    const smr_rows *rows; /* sparse points meet these rows, as they come; NULL: value holds real */
    const void *norm;     /* n */
    const void *f;        /* n_scalings x f_stride */
    int64_t f_stride;
    const int32_t *place; /* n, of points: precomputed */
    const int32_t *index; /* sparse and texts: which one row r is; NULL: first + r */
    int64_t first;
    const smr_text_set *text; /* n_words */
} smr_kernel_side;

static inline int64_t smr_side_at(const smr_kernel_side *side, int64_t r)
{
    return side->index ? side->index[r] : side->first + r;
}

/* Element j of row r of a dense block. */
static inline double smr_rows_number(const smr_rows *rows, int64_t r, int64_t j)
{
    int64_t at = r * rows->stride + j;
    return rows->form == SMR_FORM_F64   ? ((const double *)rows->x)[at]
           : rows->form == SMR_FORM_F32 ? (double)((const float *)rows->x)[at]
                                        : (double)((const uint8_t *)rows->x)[at];
}

/* Which tile: rows row .. row + m - 1 of A, columns column .. column + w - 1 of B, a multiple of 32
 * from the side's first; m and w at most those above. */
typedef struct smr_kernel_tile {
    const smr_kernel *kernel;
    const smr_kernel_points *points;
    const smr_kernel_side *A, *B;
    int64_t row, m, column, w;
    bool lower; /* both sides are all points, and entries right of the diagonal are not needed */
    void *out;  /* real: row a at out + a * ld */
    int64_t ld;
    smr_text_room *room; /* of texts; NULL: the heap */
    void *work; /* smr_tile_work bytes, of which the first SMR_TILE_GROUP d real are 0 where the
                   points are sparse without panels, and are left so */
} smr_kernel_tile;

int64_t smr_tile_work(const smr_kernel_points *points);
int64_t smr_tile_room(const smr_kernel_points *points); /* real, before the tiles on the way */

/* Packs the sparse points index[lo] .. index[hi - 1] (NULL: lo ..) as rows lo .. of panels. */
smr_status smr_kernel_pack_entries(smr_ctx *ctx, const smr_kernel_points *points,
                                   const int32_t *index, int64_t lo, int64_t hi, void *panels);
/* Do all words of numbers multiply them? */
bool smr_kernel_is_of_products(const smr_kernel *kernel);

smr_status smr_tile_f32(smr_ctx *ctx, const smr_kernel_tile *t);
smr_status smr_tile_f64(smr_ctx *ctx, const smr_kernel_tile *t);
static inline smr_status smr_tile(smr_ctx *ctx, const smr_kernel_tile *t)
{
    return t->points->ready->wide ? smr_tile_f64(ctx, t) : smr_tile_f32(ctx, t);
}

/* out[r] = K(row r, row r) for the rows of one side, up to SMR_TILE_COLUMNS; fills f of the side's
 * rows on the way where `f` is given (n_scalings x f_stride, as side->f). */
smr_status smr_self_f32(smr_ctx *ctx, const smr_kernel_tile *t, void *f);
smr_status smr_self_f64(smr_ctx *ctx, const smr_kernel_tile *t, void *f);
static inline smr_status smr_self(smr_ctx *ctx, const smr_kernel_tile *t, void *f)
{
    return t->points->ready->wide ? smr_self_f64(ctx, t, f) : smr_self_f32(ctx, t, f);
}

/* All points as a side. */
smr_kernel_side smr_kernel_side_of(const smr_kernel_points *points);

/* Is the longest row too long for floats, or too short? */
bool smr_kernel_is_out_of_floats(const smr_kernel_points *points);
/* Would floats lose too much?  Of points whose gamma is found. */
bool smr_kernel_needs_double(const smr_kernel *kernel, const smr_kernel_points *points);

/* Of smr_kernel_rows. */
smr_status smr_kernel_block_f32(smr_ctx *ctx, const smr_kernel_rows *rows, const int32_t *row,
                                int64_t n_rows, const int32_t *column, int64_t n_columns,
                                float *out, int64_t stride);

/* Number of a scaling among the scalings. */
int64_t smr_scaling_number(const smr_kernel *kernel, int64_t node);

#endif
