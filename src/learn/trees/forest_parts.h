/* forest_parts.h -- between the files that grow a forest.
 *
 * A plan is what all trees share.  A grower is one lane's room for growing one tree after another.
 * The rows of a tree are items in an array that splits divide in place, keeping the order; a node
 * is a stretch of it.  Classes are counted in whole numbers: weights are rounded to multiples of
 * `unit`, so that sums do not depend on any order and squares of sums fit 64 bits. */
#ifndef SMR_LEARN_TREES_FOREST_PARTS_H
#define SMR_LEARN_TREES_FOREST_PARTS_H

#include "kernel/kernel.h"
#include "learn/trees/bins.h"
#include "learn/trees/forest.h"

enum {
    SMR_FOREST_CELLS = 256, /* the most bins of a feature, with the one of missing values */
    SMR_FOREST_TABLES = 4,  /* the most features counted at a time                      */
    /* of a table of 16 bits; one line more puts equal cells of two at different places in a page */
    SMR_FOREST_NARROW = SMR_FOREST_CELLS * SMR_THIN_CLASSES + 32,
    SMR_FOREST_FEW = 12 /* items of a node whose cells are sorted, not counted      */
};

/* What a row is worth in a tree: its class (numbers: its row), and its weight in units (numbers:
 * how often it was drawn). */
struct smr_item {
    uint32_t what, weight;
};

struct smr_forest_plan {
    const struct smr_forest_params *p;
    const smr_data *data;
    smr_bins bins;      /* by column                                                        */
    uint8_t *by_row;    /* the same cells: row i at i * row_stride                          */
    int64_t row_stride; /* a multiple of 8                                                  */
    bool classify, bagged, entropy;
    int64_t width;        /* classes or outputs                                               */
    int64_t pitch;        /* classes: of a cell in the histogram; 8 or 16 where they fit         */
    int64_t per_node;     /* features to try                                                  */
    int64_t near_rows[3]; /* nodes of at most this many rows are copied together, once and twice */
    uint64_t seed;
    double unit;      /* classes: weight of a row = weight[row] * unit                    */
    uint32_t *weight; /* n_rows, 0: left out                                              */
    const double *y;  /* numbers: n_rows x width, times 2^-scale                          */
    double *scaled;   /* the same, where they are not the data's                          */
    int scale;        /* 0, or so that squares neither overflow nor vanish                */
    double min_gain;  /* of squares scaled like that                                      */
    double *xlogx;    /* entropy: of small whole numbers                                  */
    double min_split, min_leaf; /* classes: in units                                           */
};

/* Between two waves of trees: the state, and the votes of rows outside the bags, where there are
 * bags. */
struct smr_forest_work {
    struct smr_forest_state *state;
    int64_t n_rows, n_trees; /* n_trees: wanted */
    double *votes;           /* n_rows x width  */
    int32_t *voted;          /* n_rows: trees   */
    double *cost;            /* n_rows          */
};

/* A node's best split so far. */
struct smr_forest_split {
    double gain; /* -1: none                                                   */
    int64_t feature;
    int32_t bin;  /* numbers: bins up to this one go first             */
    int32_t next; /* the first one in the node that does not; -1: bin is final */
    bool missing_first;
    bool missing_here; /* some values were missing: the direction is learned */
    bool is_set;
    uint64_t set[4];    /* categories: bins that go first                    */
    uint64_t occurs[4]; /* categories: bins in the node                      */
};

/* Which cells go first where they are numbers: those with (uint8_t)(cell + turn) <= last.  A cell
 * of missing values that goes first is turned to 0, in front of the others. */
struct smr_forest_cut {
    uint8_t turn, last;
};

/* A node as the walk through bins needs it. */
struct smr_forest_knot {
    int32_t feature; /* -1: leaf */
    uint32_t child : 31, is_set : 1;
    union {
        struct smr_forest_cut cut;
        int32_t set; /* categories: in sets, 4 words each */
    } by;
};

/* A node to be split. */
struct smr_forest_node {
    int64_t lo, hi; /* items */
    int32_t node;
    int32_t depth;
    int32_t n_constant;            /* this many of smr_grower.constant, the first, are constant
                                      here */
    struct smr_forest_split split; /* growing by best gain */
};

struct smr_grower {
    const struct smr_forest_plan *plan;
    int64_t tree;
    smr_sapling sapling;
    struct smr_forest_knot *knot; /* sapling.n */
    int64_t knot_room;
    uint64_t *sets;
    int64_t n_sets, set_room;

    /* items, in the order of the nodes */
    struct smr_item *item, *spare_item;
    uint32_t *id, *spare_id; /* where their cells are */
    uint32_t *row, *spare_row;
    int64_t n_items;
    struct smr_forest_node *stack;
    int64_t n_stack, stack_room;
    uint32_t *count; /* n_rows: how often drawn */

    const uint8_t *cell; /* feature j, item with this id: cell[j * stride + id] */
    int64_t stride;
    int level; /* of copies: 0 none, 1 the larger, 2 the smaller */
    struct {
        uint8_t *cell;
        int64_t stride, end; /* items before it are copied */
    } near[3];

    int32_t *order; /* features, drawn from the front        */
    /* Features that are known to be constant in the node at hand: those found in the nodes above
     * it, in that order, then those found in it.  What a node found stays until one that is not
     * below it takes its place: by best gain nothing is kept. */
    int32_t *constant;
    int32_t n_constant;
    uint8_t *is_constant; /* n_features                            */
    uint8_t seen[SMR_FOREST_TABLES]
                [SMR_FOREST_CELLS]; /* of two features at a time                            */
    /* cells that are seen, ascending, without the missing one */
    uint8_t present[SMR_FOREST_CELLS + SMR_THIN_SPARE];
    int n_present;
    bool missing_here;

    /* classes */
    uint32_t *table[2]; /* cells x pitch, zero between features            */
    uint32_t *counts;   /* the one of the feature at hand                  */
    int64_t *total;     /* width                                             */
    double wide[16];    /* the same, where pitch is 8 or 16                  */
    int64_t *left;      /* width                                             */
    int32_t *classes;   /* those in the node                                 */
    int64_t n_classes, weight, squares;
    double node_score;
    /* classes, by Gini's index, in nodes of small weight (is_thin) */
    bool is_thin;
    smr_thin thin;
    uint16_t *narrow; /* tables of cells x SMR_THIN_CLASSES, zero between features */
    uint32_t few_id[SMR_THIN_FEW];
    uint16_t few_row[SMR_THIN_FEW][SMR_THIN_CLASSES];
    /* numbers */
    double *sums;                 /* cells x (1 + width), zero between features */
    double *item_weight, *item_y; /* of a node's items, about its mean          */
    double *mean, *first;         /* width; 1 + width                           */
    double *all;                  /* 1 + width                                  */
    double spread;                /* sum of squares about the mean              */

    /* random numbers of (tree, node) */
    uint64_t draw_at;
    uint32_t draws[4];
    int n_draws;
};

/* ---- forest_random.c -------------------------------------------------------------------- */

void smr_forest_at(struct smr_grower *g, int64_t node);
/* Uniform in [0, n), 1 <= n < 2^32; uniform in [0, 1). */
uint32_t smr_forest_below(struct smr_grower *g, uint32_t n);
double smr_forest_unit(struct smr_grower *g);
/* Draws the bag of the tree: count, and items from it. */
void smr_forest_draw_bag(struct smr_grower *g);

/* ---- forest_classes.c, forest_numbers.c: how good is a split -------------------------------- */

/* Weighs a node's items: value (width numbers) and weight; true: they are all alike. */
bool smr_forest_weigh_classes(struct smr_grower *g, int64_t lo, int64_t hi, double *value,
                              double *weight);
bool smr_forest_weigh_numbers(struct smr_grower *g, int64_t lo, int64_t hi, double *value,
                              double *weight);
/* Adds feature j (and with classes another, `with`, unless it is -1, to the second histogram) of n
 * items from lo on to the histogram, and marks the cells that are seen. */
void smr_forest_fill_classes(struct smr_grower *g, int64_t j, int64_t with, int64_t lo, int64_t n);
void smr_forest_fill_numbers(struct smr_grower *g, int64_t j, int64_t lo, int64_t n);
/* Tries to separate cells order[0 .. k] from the others, k in [from, to), n cells in all; missing:
 * the cell of missing values, which go first or not, or -1 when there are none.  Returns the best k
 * if its gain is above *gain. */
int smr_forest_scan_classes(struct smr_grower *g, const uint8_t *order, int from, int to,
                            int missing, bool missing_first, double *gain);
int smr_forest_scan_numbers(struct smr_grower *g, const uint8_t *order, int from, int to,
                            int missing, bool missing_first, double *gain);
/* By Gini's index, the best of all cuts between the cells present, none of which is missing; the
 * histogram is empty afterwards. */
int smr_forest_sweep_classes(struct smr_grower *g, double *gain);
/* The same in a node whose weight fits 16 bits: whether it does, and what the sweeps need. */
void smr_forest_begin_thin(struct smr_grower *g, int64_t lo, int64_t n);
void smr_forest_fill_thin(struct smr_grower *g, const int64_t *j, int m, int64_t lo, int64_t n);
int smr_forest_sweep_thin(struct smr_grower *g, int table, double *gain);
/* What sorts a category's levels: classes, the share of class k; numbers, the mean of output k. */
double smr_forest_level_class(const struct smr_grower *g, int cell, int64_t k);
double smr_forest_level_number(const struct smr_grower *g, int cell, int64_t k);

/* ---- forest_split.c, forest_grow.c, forest_bag.c ------------------------------------------- */

/* The best split among features drawn for the node; gain -1: none. */
void smr_forest_find(struct smr_grower *g, int64_t lo, int64_t hi, struct smr_forest_split *best);
/* forest_few.c: tries a feature of numbers by sorting the cells of a node of at most SMR_FOREST_FEW
 * items; the split by Gini's index is the one that a histogram finds.  False: it was not tried,
 * because values are missing. */
bool smr_forest_try_few(struct smr_grower *g, int64_t j, int64_t lo, int64_t n,
                        struct smr_forest_split *best);
/* What a split must exceed to gain as much as the best one so far, of another feature; -1: any
 * gain. */
double smr_forest_equal(const struct smr_grower *g, double gain);
void smr_forest_is_constant(struct smr_grower *g, int64_t j);

smr_status smr_grower_begin(smr_ctx *ctx, const struct smr_forest_plan *plan, struct smr_grower *g);
void smr_grower_end(struct smr_grower *g);
/* Grows tree number `tree`; its sapling and knots stay until the next. */
smr_status smr_forest_grow(smr_ctx *ctx, struct smr_grower *g, int64_t tree);
/* out[j * out_stride + i] = byte j of row[i], i < n (row NULL: of row i), by blocks of 16 x 16:
 * what lies beyond n and d, up to multiples of 16, is written and read too. */
void smr_forest_transpose(const uint8_t *in, int64_t in_stride, const uint32_t *row, int64_t n,
                          int64_t d, uint8_t *out, int64_t out_stride);
/* leaf[row]: the node that each row outside the bag comes to; -1: it is in the bag, or has no
 * weight. */
void smr_forest_walk(const struct smr_grower *g, int32_t *leaf);
/* permuted[j]: by how much the tree's error on these rows grows when feature j is shuffled among
 * them, in weight; and their weight. */
smr_status smr_forest_permute(smr_ctx *ctx, struct smr_grower *g, const int32_t *leaf,
                              double *permuted, double *weight);

#endif
