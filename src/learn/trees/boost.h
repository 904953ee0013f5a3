/* boost.h -- the parts of the learner boost: losses, cells, histograms, splits, growing, rounds.
 *
 * Numbers that threads add are whole numbers, so that their sums do not depend on the order of
 * addition: a row's gradient g and curvature h are multiplied by powers of two and rounded once per
 * tree.  Two widths:
 *
 *     narrow  |g| < 2^17, h < 2^18: both in one 64-bit word, g in its upper half, which one
 *             addition adds; a histogram of such words is unpacked before 2^14 rows are in it
 *     wide    |g|, h < 2^30: two additions; for few rows, and where the largest gradient is so far
 *             above the mean that narrow ones would lose small ones (heavy weights, rare classes)
 *
 * Whole weights are multiplied in after the rounding, so that a row of weight 2 adds what two rows
 * add, to the bit: of equal splits, the same one is chosen.  Into a narrow word as long as none is
 * above SMR_BOOST_HEAVIEST; else when the row is added.  Other weights are multiplied in before.
 *
 * Histograms of nodes hold 64-bit sums of either.  As the sums are exact, a child's histogram that
 * is its parent's less its sibling's has the bits of one that was counted. */
#ifndef SMR_LEARN_TREES_BOOST_H
#define SMR_LEARN_TREES_BOOST_H

#include "learn/trees/bins_sparse.h"
#include "learn/trees/trees.h"

/* ---- the learner ------------------------------------------------------------------------ */

enum smr_boost_loss {
    SMR_BOOST_AUTO,
    SMR_BOOST_SQUARED,
    SMR_BOOST_ABSOLUTE,
    SMR_BOOST_HUBER,
    SMR_BOOST_QUANTILE,
    SMR_BOOST_POISSON,
    SMR_BOOST_GAMMA,
    SMR_BOOST_LOGISTIC,
    SMR_BOOST_SOFTMAX,
    SMR_BOOST_EXPONENTIAL
};

/* Stands for minus infinity among scores: a class without rows, a mean of 0. */
#define SMR_BOOST_NEVER 1e30

enum { SMR_BOOST_BY_LEAF, SMR_BOOST_BY_LEVEL };
enum { SMR_BOOST_UNIFORM, SMR_BOOST_GOSS };

struct smr_boost_params {
    int64_t rounds;
    double rate;
    int loss;
    double q, delta;
    int growth;
    int64_t max_leaves, max_depth;
    double min_leaf, min_child, min_gain, l1, l2;
    int sampling;
    double rows, top, other;
    double columns, features;
    double smooth;
    char *monotone;
    int64_t max_bins;
    int64_t patience;
    double validation;
    int class_weight;
};

struct smr_boost_state {
    smr_trees trees;                       /* first: smr_trees_prepare_state */
    int64_t n_features, n_classes, n_base; /* n_base: scores of a row */
    int64_t loss;
    double param; /* of the loss: q, or delta as used */
    double n_rows, n_validation;
    int64_t n_rounds;                /* kept                                                */
    int64_t n_curve;                 /* rounds that were fitted, and the start: their losses */
    double *base;                    /* n_base                                              */
    double *curve, *watched;         /* n_curve: mean loss; watched: of the validation part */
    double *gain, *splits, *covered; /* n_features                                      */
};

extern const smr_choice smr_boost_losses[];

/* For inspect. */
smr_status smr_boost_describe(smr_ctx *ctx, const void *params, const void *state,
                              const smr_feature *in, int64_t n_in, smr_json *into);
smr_status smr_boost_figures(smr_ctx *ctx, const void *params, const void *state,
                             const smr_feature *in, int64_t n_in, const char *prefix,
                             smr_json *figures);

/* The whole fit, and how it stops and goes on. */
extern const smr_can_resume smr_boost_resume;
smr_status smr_boost_fit(smr_ctx *ctx, const void *params, const smr_data *data, void *state,
                         smr_fit_report *report);

/* ---- losses ----------------------------------------------------------------------------- */

/* What the rows should be.  Scores are n x k, row-major. */
typedef struct smr_boost_target {
    enum smr_boost_loss loss;
    double param;
    int64_t n, k;
    const double *y;
    const int32_t *label;
    const double *weight; /* NULL: all 1 */
    bool is_once;         /* g and h are of the row once, whatever its weight */
    double *exact;        /* k x n x 2, of few rows: g and h as they are; NULL: not wanted */
} smr_boost_target;

/* A row's gradient and curvature, times its weight or once; then as whole numbers. */
typedef struct smr_boost_pair {
    union {
        struct {
            float h, g;
        } real;
        struct {
            int32_t h, g; /* wide */
        } whole;
        int64_t word; /* narrow: g 2^32 + h */
    };
} smr_boost_pair;

/* Fails where a target is outside the loss's domain. */
smr_status smr_boost_check_target(smr_ctx *ctx, const smr_boost_target *t);
/* delta of huber where none is given: the 0.9-quantile of |y - median|. */
smr_status smr_boost_delta(smr_ctx *ctx, const smr_boost_target *t, double *delta);
/* base (k): the constant scores of least loss over the rows whose `part` is 0 (NULL: all). */
smr_status smr_boost_base(smr_ctx *ctx, const smr_boost_target *t, const uint8_t *part,
                          double *base);

enum { SMR_BOOST_BLOCK = 2048 }; /* rows of a call */

/* Rows [lo, hi), at most SMR_BOOST_BLOCK, with these scores: value[hi - lo] receives their weighted
 * losses, pair[c * n + i] their derivatives.  Either may be NULL. */
void smr_boost_slopes(const smr_boost_target *t, int64_t lo, int64_t hi, const double *score,
                      double *value, smr_boost_pair *pair);

/* Is a row's curvature its weight? */
bool smr_boost_is_flat(enum smr_boost_loss loss);
/* Are leaf values found from the rows themselves, not from the sums of g and h? */
bool smr_boost_refits(enum smr_boost_loss loss);
/* The best step of a leaf whose rows have sums G and H, penalised by l1 |w| + l2 / 2 w^2. */
double smr_boost_step(enum smr_boost_loss loss, double G, double H, double l1, double l2);
/* The best step of a leaf with these n residuals y - f, which it reorders.  weight NULL: all 1. */
double smr_boost_refit(const smr_boost_target *t, int64_t n, double *residual, double *weight);

/* ---- cells ------------------------------------------------------------------------------ */

/* Where a feature's bins lie.  Alone in its column its cells are its bins.  Features of which no
 * row has two out of their common bins share a column: cell 0 is "all common", and bin b != common
 * has cell first + b, less 1 after common. */
typedef struct smr_boost_feature {
    int32_t column; /* -1: constant, takes no part */
    int32_t first, common;
    int32_t n_bins; /* including that of missing values, where there are any */
    bool has_missing, is_category, is_bundled;
} smr_boost_feature;

typedef struct smr_boost_cells {
    int64_t n_rows, n_columns, n_features, stride;
    const smr_sparse_bins *sparse; /* NULL: dense.  Else column j is feature j, alone, and its
                                      common bin that of 0; `cell` and `stride` mean nothing */
    const uint8_t *cell;           /* row-major */
    uint8_t *own;                  /* NULL: cell belongs to the bins */
    int64_t *start;                /* n_columns + 1: of the column's cells in a histogram */
    smr_boost_feature *feature;
    int32_t *by_column; /* features, column by column */
    int64_t *of_column; /* n_columns + 1: in by_column */
} smr_boost_cells;

/* Leaves constant features out and bundles those that exclude each other; frees the bins' cells if
 * it has made its own. */
smr_status smr_boost_cells_make(smr_ctx *ctx, smr_bins *bins, smr_boost_cells *out);
/* For sparse rows, whose bins they go on reading. */
smr_status smr_boost_cells_sparse(smr_ctx *ctx, const smr_sparse_bins *bins, smr_boost_cells *out);
void smr_boost_cells_release(smr_boost_cells *cells);

/* The cell of a feature's bin. */
static inline int32_t smr_boost_cell(const smr_boost_feature *f, int32_t bin)
{
    if (!f->is_bundled) return bin;
    return bin == f->common ? 0 : f->first + bin - (bin > f->common);
}

/* ---- histograms ------------------------------------------------------------------------- */

/* Sums of a node, of a bin. */
typedef struct smr_boost_sums {
    int64_t g, h, w;
} smr_boost_sums;

/* The largest weight that is multiplied into narrow words. */
enum { SMR_BOOST_HEAVIEST = 15 };

/* The gradients of one tree: what it takes to turn sums into numbers. */
typedef struct smr_boost_gradients {
    const smr_boost_pair *pair; /* by row                                                */
    const int32_t *weight;      /* by row, whole; NULL: not counted, or all 1            */
    bool is_narrow, counts;     /* counts: sums of weights are kept beside g and h       */
    bool is_once;               /* wide pairs are of the row once, and count `weight` times */
    int64_t heaviest;           /* narrow: rows of weight 1 that one may stand for, >= 1 */
    double g_unit, h_unit, w_unit;
} smr_boost_gradients;

/* What a row adds to the sums. */
static inline smr_boost_sums smr_boost_row_sums(const smr_boost_gradients *of, int64_t row)
{
    int64_t word = of->pair[row].word, low = (int64_t)(uint32_t)word;
    int64_t weight = of->weight ? of->weight[row] : 1, times = of->is_once ? weight : 1;
    smr_boost_sums s = {times * of->pair[row].whole.g, times * of->pair[row].whole.h, 0};
    if (of->is_narrow) s.g = (word - low) >> 32, s.h = low;
    if (of->counts) s.w = weight;
    return s;
}

typedef struct smr_boost_lane {
    int64_t *narrow; /* a word per cell                      */
    int64_t *wide;   /* fields per cell                      */
    int64_t pending; /* rows in narrow                       */
    bool is_used, is_spilled;
} smr_boost_lane;

/* Adds rows to a lane: row[0 .. n), or with row NULL those from `from` on. */
void smr_boost_hist_add(const smr_boost_cells *cells, const int32_t *columns, int64_t n_columns,
                        const smr_boost_gradients *of, const int32_t *row, int64_t from, int64_t n,
                        smr_boost_lane *lane);
/* out[cells lo .. hi) = sums of the lanes, which are then 0 there.  fields: 2, or 3 with w. */
void smr_boost_hist_take(smr_boost_lane *lanes, int n_lanes, int64_t lo, int64_t hi, int fields,
                         int64_t *out);

/* Adds the sums of the lane's cells [lo, hi) to *sums. */
void smr_boost_hist_sum(const smr_boost_lane *lane, int64_t lo, int64_t hi, int fields,
                        smr_boost_sums *sums);

/* ---- splits ----------------------------------------------------------------------------- */

typedef struct smr_boost_split {
    double gain; /* 0: none; what the penalised objective falls by, to second order */
    int32_t feature;
    int32_t bin; /* numbers: bins up to this one go to the first child */
    bool is_set; /* categories: those of `first` do                    */
    bool missing_first;
    uint32_t first[8]; /* bins of the first child, for numbers too           */
    smr_boost_sums left;
    double step[2]; /* values of the children, within the bounds          */
} smr_boost_split;

/* What the splits of one node are judged by. */
typedef struct smr_boost_judge {
    const smr_boost_gradients *of;
    double l1, l2, min_gain, min_child, min_leaf, smooth;
    bool is_flat;     /* h is the weight: min_leaf applies to it */
    double low, high; /* bounds of the values                     */
    int monotone;     /* of the feature: -1, 0, 1                 */
    smr_boost_sums all;
} smr_boost_judge;

/* What a child must weigh, in whole numbers: its h, and where weights are counted its w. */
void smr_boost_least(const smr_boost_judge *j, int64_t *h, int64_t *w);
/* The value of a leaf with these sums. */
double smr_boost_value(const smr_boost_judge *j, double G, double H);
/* Replaces *best where the feature has a better split, or an equal one of a lower number.
 * hist: of its column. */
void smr_boost_find(const smr_boost_judge *judge, const smr_boost_feature *f, int32_t number,
                    const int64_t *hist, int fields, smr_boost_split *best);

/* Does split a replace b? */
bool smr_boost_replaces(const smr_boost_judge *judge, const smr_boost_split *a,
                        const smr_boost_split *b);

/* Sparse columns: what their splits can gain, at a glance.  The child without the rows of the bin
 * of 0 has sums G and H in the units of the loss; over all cuts that leave it enough. */
typedef struct smr_boost_reach {
    double low, high; /* of G                                          */
    double most;      /* of H; infinite: not known                     */
    double best;      /* of G^2 / (H + l2)                             */
} smr_boost_reach;

/* What a glance asks of a node. */
typedef struct smr_boost_glance {
    const smr_boost_judge *judge;
    double G, H, before, least;
    int64_t least_h;
    bool is_plain; /* else every column is looked at closely */
} smr_boost_glance;

smr_boost_glance smr_boost_glance_at(const smr_boost_judge *judge);
/* May a column of this reach have a split that replaces `best`? */
bool smr_boost_may_reach(const smr_boost_glance *glance, const smr_boost_reach *reach,
                         const smr_boost_split *best);
/* The same by its cells, all except cell 0, and its reach.  used: bit k is 0 only where cell k + 1
 * is empty. */
bool smr_boost_look_over(const smr_boost_glance *glance, const smr_boost_feature *f,
                         const int64_t *cell, const uint64_t used[4], int fields,
                         const smr_boost_split *best, smr_boost_reach *reach);

/* ---- growing ---------------------------------------------------------------------------- */

/* What all trees of a fit share. */
typedef struct smr_boost_forest {
    const struct smr_boost_params *p;
    const smr_bins *bins;
    const smr_boost_cells *cells;
    const signed char *monotone;   /* n_features; NULL: none */
    const double *weight;          /* n_rows; NULL: all 1    */
    int64_t max_leaves, max_depth; /* resolved: no limit is a large number */
    double min_leaf;               /* resolved */
    bool is_flat;
} smr_boost_forest;

/* A leaf of the tree that is grown, or was: rows[lo .. hi). */
typedef struct smr_boost_leaf {
    int32_t node;
    int64_t depth, lo, hi;
    int64_t slot;  /* of its histogram; -1: not kept */
    int64_t ahead; /* the split that was made ahead; -1: none */
    bool is_open;
    double low, high;
    smr_boost_sums sums;
    smr_boost_split best;
} smr_boost_leaf;

/* A split that was made before its turn (boost_ahead.c). */
enum { SMR_BOOST_MOST_AHEAD = 8, SMR_BOOST_AHEAD_TASKS = 4 };
typedef struct smr_boost_ahead {
    bool is_taken, goes_on; /* goes_on: its children may be split */
    int64_t number, slot;   /* of the leaf; for the histogram of the smaller child */
    int32_t column;
    uint32_t goes[8];        /* cells that go to the first child */
    smr_boost_leaf child[2]; /* which have no nodes yet */
    bool is_sought;          /* their splits are sought by tasks, which found these: */
    smr_boost_split found[SMR_BOOST_AHEAD_TASKS][2];
} smr_boost_ahead;

typedef struct smr_boost_sparse smr_boost_sparse; /* boost_sparse.c */

/* Room to grow a tree in; one for each tree that is grown at the same time. */
typedef struct smr_boost_room {
    int n_lanes;
    smr_boost_lane *lanes;
    smr_boost_sparse *sparse; /* histograms of sparse cells; else NULL */
    int fields;
    int32_t *rows, *scratch; /* n_rows: row numbers, node by node */
    int64_t n_slots;
    int64_t **slot;     /* histograms, made when first needed */
    int32_t *free_slot; /* a stack */
    int64_t n_free;
    smr_boost_leaf *leaf;
    int64_t n_leaves, leaf_room;
    int32_t *queue; /* open leaves: a heap, the next one to be split first */
    int64_t n_queue;
    smr_boost_ahead ahead[SMR_BOOST_MOST_AHEAD];
    uint32_t (*goes)[8]; /* by node: the cells that go to its first child */
    int32_t *at;         /* by node: its column; for a leaf, -1 - its number in `leaf` */
    int64_t node_room;
    int32_t *columns; /* those that are active */
    int64_t n_columns;
    bool *is_active, *pick[2]; /* features: of the tree, of its two newest nodes */
    smr_boost_split *found;    /* tasks x 2 */
    int64_t *count;            /* blocks */
    int64_t *order;            /* features, for drawing some of them */
} smr_boost_room;

smr_status smr_boost_room_open(smr_ctx *ctx, const smr_boost_forest *f, int fields, int n_lanes,
                               smr_boost_room *room);
void smr_boost_room_close(smr_boost_room *room);

/* A tree that is to be grown on room->rows[0 .. n) (is_all: these are 0 .. n-1) into `sapling`
 * (empty), whose leaves are room->leaf; their values are left to the caller.  tree: its number, for
 * drawing. */
typedef struct smr_boost_seed {
    const smr_boost_gradients *of;
    int64_t n, tree;
    bool is_all;
    smr_boost_room *room;
    smr_sapling *sapling;
} smr_boost_seed;

/* Grows trees side by side, by all lanes together; each comes out as it would alone. */
smr_status smr_boost_grow(smr_ctx *ctx, const smr_boost_forest *f, const smr_boost_seed *seed,
                          int64_t n_seeds);
/* The leaf (its number in room->leaf) that a row comes to. */
int64_t smr_boost_walk(const smr_boost_cells *cells, const smr_boost_room *room,
                       const smr_sapling *sapling, int64_t row);

/* What a row is in a round: it takes part, it is kept apart for validation, it was not drawn, or it
 * was drawn to stand for others. */
enum { SMR_BOOST_IN, SMR_BOOST_APART, SMR_BOOST_OUT, SMR_BOOST_MORE };

typedef struct smr_boost_bag {
    int64_t n, k;
    const smr_boost_pair *pair; /* k x n, not yet rounded */
    uint8_t *is;                /* n; NULL: all are in    */
} smr_boost_bag;

/* Draws the rows of a round, except those kept apart; *more: what a row that stands for others is
 * multiplied by. */
smr_status smr_boost_draw_rows(smr_ctx *ctx, const struct smr_boost_params *p, int64_t round,
                               const smr_boost_bag *bag, double *more);

/* monotone="+age,-price": one sign per feature; *out NULL where the text is empty. */
smr_status smr_boost_monotone(smr_ctx *ctx, const char *text, const smr_data *data,
                              signed char **out);

#endif
