/* tree_parts.h -- growing one tree: what its parts share.
 *
 * Features are codes (tree_codes.c): whole numbers in the order of the values.  Weights and targets
 * are whole numbers too (tree_target.c), so that sums are exact: they depend neither on the order
 * of the rows nor on whether a histogram was counted or subtracted, and splits that divide the rows
 * alike have gains that are equal bit for bit.
 *
 * A tally is what a set of rows weighs: for classes `width` = n_classes sums of weights, for
 * numbers width = 1 + n_outputs: the weight, and the sums of weight x target. */
#ifndef SMR_LEARN_TREES_TREE_PARTS_H
#define SMR_LEARN_TREES_TREE_PARTS_H

#include "core/parallel.h"
#include "learn/trees/bins.h"
#include "learn/trees/tree.h"

/* ---- features as codes ------------------------------------------------------------------ */

enum { SMR_TREE_ROW = 0x7fffffff }; /* in `order` the highest bit says: the last of its code */

/* Codes of sparse rows (tree_sparse.c): a cell without an entry has the code of 0. */
typedef struct smr_tree_sparse {
    int64_t d;
    bool is_part;       /* zero and is_wide are another's                                */
    uint32_t *zero;     /* d: the code of 0                                              */
    bool *is_wide;      /* d: a dense copy would have it in `wide`                       */
    int64_t *of_column; /* d + 1: entries of a column, by code and then by row           */
    int32_t *row;       /* of these                                                      */
    uint32_t *code;     /* of these                                                      */
    int64_t *of_row;    /* n + 1: entries of a row, by column                            */
    int32_t *column;    /* of these                                                      */
    uint32_t *cell;     /* of these: the code                                            */
} smr_tree_sparse;

void smr_tree_sparse_free(smr_tree_sparse *sparse);

static inline uint32_t smr_tree_sparse_code(const smr_tree_sparse *s, int64_t j, int64_t row)
{
    int64_t end = s->of_row[row + 1], at = smr_find_column(s->column, s->of_row[row], end, j);
    return at < end && s->column[at] == j ? s->cell[at] : s->zero[j];
}

typedef struct smr_tree_codes {
    int64_t n, d;
    int search;              /* as asked for: what else would be built                           */
    smr_bins bins;           /* by column: of features that have no `wide`                       */
    const uint8_t **narrow;  /* d: the code of each row in a byte, or NULL                    */
    uint32_t **wide;         /* d: the code of each row, where a byte does not hold it; or NULL  */
    uint32_t **order;        /* d: wide numbers: the rows by ascending code, and SMR_TREE_ROW     */
    double **value;          /* d: the value of each code; NULL: bins have the cuts              */
    int64_t *n_codes;        /* d: a missing value is code n_codes                               */
    int64_t *n_levels;       /* d: of categories                                                 */
    bool *is_category;       /* d                                                                */
    int64_t n_rounded;       /* features with more values than bins                              */
    int64_t *first_cell;     /* d + 1: of a feature in a histogram; wide ones have none          */
    smr_tree_sparse *sparse; /* not NULL: instead of narrow, wide and order */
} smr_tree_codes;

/* Numbers that a byte does not hold (tree_ranks.c): the column x of feature j, whose bins are known
 * and whose `wide` there is; when all have begun, their codes, values and orders. */
smr_status smr_tree_rank_begin(smr_ctx *ctx, smr_tree_codes *codes, int64_t j, const double *x);
smr_status smr_tree_rank(smr_ctx *ctx, smr_tree_codes *codes);
/* *own: the caller frees them; else they are kept in data->shared. */
smr_status smr_tree_codes_get(smr_ctx *ctx, const smr_data *data, int search, bool may_be_sparse,
                              const smr_tree_codes **out, smr_tree_codes **own);
void smr_tree_codes_free(void *codes);
/* The number between codes c and c + 1; and the code c in [a, b), with rows at a and b and none
 * between them, whose cut lies nearest to the middle. */
double smr_tree_cut(const smr_tree_codes *codes, int64_t j, int64_t c);
int64_t smr_tree_middle(const smr_tree_codes *codes, int64_t j, int64_t a, int64_t b);

static inline uint32_t smr_tree_code(const smr_tree_codes *codes, int64_t j, int64_t row)
{
    if (codes->sparse) return smr_tree_sparse_code(codes->sparse, j, row);
    return codes->wide[j] ? codes->wide[j][row] : codes->narrow[j][row];
}

/* ---- weights and targets ---------------------------------------------------------------- */

typedef struct smr_tree_target {
    int64_t n, n_classes, n_outputs; /* n_classes 0: numbers                               */
    int64_t width;                   /* of a tally                                          */
    int64_t leaf_width;              /* of an answer                                        */
    const int32_t *label;
    const double *y;
    int64_t *w;  /* n: weight x scale, whole; at least 1 where there is weight           */
    int64_t *wy; /* n x n_outputs: w x (y - middle) x y_scale                            */
    double scale, y_scale;
    int64_t total; /* sum of w                                                             */
    bool is_unit;  /* every w is 1                                                         */
    bool is_small; /* squares of sums of w are whole numbers of 63 bits                    */
} smr_tree_target;

smr_status smr_tree_target_make(smr_ctx *ctx, const char *name,
                                const struct smr_tree_params *params, const smr_data *data,
                                smr_tree_target *out);
void smr_tree_target_release(smr_tree_target *target);

/* ---- the plan: what all nodes of a tree share ------------------------------------------- */

typedef struct smr_tree_plan {
    const struct smr_tree_params *params;
    const smr_tree_codes *codes;
    const smr_tree_target *target;
    int criterion;
    int64_t min_split, min_leaf; /* x scale                                                */
    double *xlogx;               /* of whole numbers below n_xlogx                          */
    int64_t n_xlogx;
    uint64_t seed;
    struct smr_trace *trace; /* who watches; NULL: nobody */
} smr_tree_plan;

smr_status smr_tree_plan_make(smr_ctx *ctx, const struct smr_tree_params *params,
                              const smr_tree_codes *codes, const smr_tree_target *target,
                              int criterion, smr_tree_plan *out);
void smr_tree_plan_release(smr_tree_plan *plan);

/* How deep the tree may become. */
static inline int64_t smr_tree_most_depth(const smr_tree_plan *plan)
{
    const struct smr_tree_params *p = plan->params;
    int64_t asked = p->max_depth > 0 ? p->max_depth : SMR_MAX_DIM;
    return p->missing == SMR_TREE_FRACTION ? SMR_MIN(asked, SMR_TREE_SHARED_DEPTH) : asked;
}

/* Some rows for themselves: what their codes and targets are, close together in memory.  Row i of
 * the part is row[i] of the plan it was made from. */
typedef struct smr_tree_part {
    smr_tree_plan plan;
    smr_tree_codes codes;
    smr_tree_target target;
    void *blocks[8]; /* owned */
    smr_tree_sparse *sparse;
} smr_tree_part;

smr_status smr_tree_part_make(smr_ctx *ctx, const smr_tree_plan *plan, const int32_t *row,
                              int64_t n, const int32_t *active, int64_t n_active,
                              smr_tree_part *out);
void smr_tree_part_release(smr_tree_part *part);

/* ---- work ------------------------------------------------------------------------------- */

/* Tasks of one kind, for one node. */
typedef struct smr_tree_work {
    smr_task_fn fn;
    void *arg;
    int64_t n_tasks;
} smr_tree_work;

/* That of several nodes, handed out together. */
smr_status smr_tree_run(smr_ctx *ctx, const smr_tree_work *work, int64_t n);

/* ---- judging ---------------------------------------------------------------------------- */

/* Weight of a tally. */
int64_t smr_tree_weight(const smr_tree_target *target, const int64_t *tally);
/* From whole numbers to the units of the criterion. */
double smr_tree_unit(const smr_tree_plan *plan);
/* p-value of the chi-square test that children and classes are independent. */
double smr_tree_chi2(const smr_tree_target *target, int64_t n_children, const int64_t *tallies);

/* ---- searching -------------------------------------------------------------------------- */

/* The rows of a node, gathered: row i of the node is row[i] of the data. */
typedef struct smr_tree_node_rows {
    int64_t n, weight;
    const int32_t *row;
    const int32_t *place;  /* sparse codes: by row of the data, its number here; -1: none */
    const int32_t *label;  /* n; or                           */
    const int64_t *w, *wy; /* n, n x n_outputs; with two classes wy is w, negative for the second */
    const int64_t *total;  /* its tally                       */
    const int64_t *center; /* n_outputs                       */
    double good;           /* of all of them                  */
    const int32_t *active; /* features that may differ here   */
    int64_t n_active;
    const int64_t *cells; /* histograms of narrow features; NULL: sort */
    bool is_root;         /* its rows are all rows, in order  */
    uint64_t key;         /* of its random numbers            */
    /* absolute error: rows by target, for each output */
    const int32_t *y_rank;
    const double *y_sorted;
} smr_tree_node_rows;

typedef struct smr_tree_pick {
    double gain;  /* of good; -inf: no split                                                 */
    double info;  /* gain_ratio: what the split itself tells, x weight                       */
    double score; /* the search's own                                                        */
    int32_t feature, kind;
    int64_t before, after; /* CUT: codes on either side of it; after -1: none                 */
    bool missing_first;    /* where no value is missing too: the heavier child                   */
    bool is_constant;      /* no two values differ                                               */
    int64_t order, prefix; /* SET: how the levels were ordered, how many go first             */
} smr_tree_pick;

/* Memory of one lane. */
typedef struct smr_tree_scratch {
    int64_t room;
    uint64_t *key, *spare;          /* room                                               */
    int64_t *left, *right, *gone;   /* width: first, second, missing                      */
    int64_t *a, *b;                 /* width                                              */
    int64_t *zeros;                 /* width: rows without an entry                       */
    int64_t *groups, *group_weight; /* of categories: tallies and weights, by level       */
    uint32_t *group_code;
    double *group_key;
    int64_t *group_order;
    int64_t group_room;
    double *cost;   /* absolute error: 2 x room                           */
    double *sum_wy; /* room + 1, and                                      */
    int64_t *sum_w; /* room + 1: of a tree of sums                        */
} smr_tree_scratch;

smr_status smr_tree_scratch_make(smr_ctx *ctx, const smr_tree_plan *plan, int64_t room,
                                 smr_tree_scratch *out);
void smr_tree_scratch_release(smr_tree_scratch *scratch);
/* Room for n levels of a category. */
smr_status smr_tree_scratch_groups(smr_ctx *ctx, const smr_tree_plan *plan, int64_t n,
                                   smr_tree_scratch *scratch);

/* Sorts by code, then by number; returns where the result is, key or spare. */
uint64_t *smr_tree_sort(uint64_t *key, uint64_t *spare, int64_t n, int64_t n_codes);
/* Keys code << 32 | i of feature j, in order. */
uint64_t *smr_tree_keys(const smr_tree_plan *plan, const smr_tree_node_rows *rows, int64_t j,
                        smr_tree_scratch *s);
/* out = tally of the rows of keys [lo, hi). */
void smr_tree_tally_keys(const smr_tree_plan *plan, const smr_tree_node_rows *rows,
                         const uint64_t *key, int64_t lo, int64_t hi, int64_t *out);

/* The best split of one feature. */
smr_status smr_tree_search_feature(smr_ctx *ctx, const smr_tree_plan *plan,
                                   const smr_tree_node_rows *rows, int64_t j, smr_tree_scratch *s,
                                   smr_tree_pick *pick);
void smr_tree_scan_cells(const smr_tree_plan *plan, const smr_tree_node_rows *rows, int64_t j,
                         smr_tree_scratch *s, smr_tree_pick *pick);
void smr_tree_scan_keys(const smr_tree_plan *plan, const smr_tree_node_rows *rows, int64_t j,
                        const uint64_t *key, smr_tree_scratch *s, smr_tree_pick *pick);
/* The same for sparse codes. */
void smr_tree_scan_sparse(const smr_tree_plan *plan, const smr_tree_node_rows *rows, int64_t j,
                          smr_tree_scratch *s, smr_tree_pick *pick);
/* The same, faster, where gini, whole weights and no missing values allow it; else false. */
bool smr_tree_gini_cells(const smr_tree_plan *plan, const smr_tree_node_rows *rows, int64_t j,
                         smr_tree_scratch *s, smr_tree_pick *pick);
bool smr_tree_gini_rows(const smr_tree_plan *plan, const smr_tree_node_rows *rows, int64_t j,
                        smr_tree_scratch *s, smr_tree_pick *pick);
bool smr_tree_gini_pair(const smr_tree_plan *plan, const smr_tree_node_rows *rows, int64_t j,
                        smr_tree_pick *pick);
smr_status smr_tree_scan_category(smr_ctx *ctx, const smr_tree_plan *plan,
                                  const smr_tree_node_rows *rows, int64_t j, smr_tree_scratch *s,
                                  smr_tree_pick *pick);
/* The n levels that occur, group_code[group_order[0 ..)] by their mean target. */
smr_status smr_tree_levels_by_mean(smr_ctx *ctx, const smr_tree_plan *plan,
                                   const smr_tree_node_rows *rows, int64_t j, smr_tree_scratch *s,
                                   int64_t *n);
/* Absolute error, numbers and categories. */
smr_status smr_tree_scan_absolute(smr_ctx *ctx, const smr_tree_plan *plan,
                                  const smr_tree_node_rows *rows, int64_t j, smr_tree_scratch *s,
                                  smr_tree_pick *pick);
/* Absolute error of all rows of a node around their median, x weight. */
double smr_tree_absolute(const smr_tree_plan *plan, const smr_tree_node_rows *rows,
                         smr_tree_scratch *s);
/* After the search, for a SET: bits of the levels that go first, n_levels of them. */
smr_status smr_tree_set_of(smr_ctx *ctx, const smr_tree_plan *plan, const smr_tree_node_rows *rows,
                           const smr_tree_pick *pick, smr_tree_scratch *s, uint32_t *words);

/* ties=random: a node's key says how its features are drawn, and the keys of its children; the root
 * has SMR_TREE_ROOT_KEY.  Is feature a taken, and not b, where both gain the same? */
enum { SMR_TREE_ROOT_KEY = 1 };
uint64_t smr_tree_child_key(const smr_tree_plan *plan, uint64_t key, int64_t child);
bool smr_tree_prefers(const smr_tree_plan *plan, uint64_t key, int64_t a, int64_t b);

/* picks[n_active], by lanes; the same for several nodes; and the number of the best, or -1. */
typedef struct smr_tree_searching {
    const smr_tree_node_rows *rows;
    smr_tree_pick *picks;
} smr_tree_searching;

smr_status smr_tree_search(smr_ctx *ctx, const smr_tree_plan *plan, const smr_tree_node_rows *rows,
                           smr_tree_scratch *lanes, smr_tree_pick *picks);
smr_status smr_tree_search_all(smr_ctx *ctx, const smr_tree_plan *plan,
                               const smr_tree_searching *of, int64_t n, smr_tree_scratch *lanes);
int64_t smr_tree_choose(const smr_tree_plan *plan, const smr_tree_node_rows *rows,
                        const smr_tree_pick *picks);

/* ---- histograms ------------------------------------------------------------------------- */

/* Cells of all narrow features; 0: they would take too much memory. */
int64_t smr_tree_cells(const smr_tree_plan *plan);
/* Do these rows fill them well enough? */
bool smr_tree_is_dense(const smr_tree_plan *plan, int64_t n, const int32_t *active,
                       int64_t n_active);
/* Rows that are to be counted; then, where `from` is not NULL, their counts are taken from it. */
typedef struct smr_tree_counting {
    const smr_tree_plan *plan;
    const int32_t *row, *active;
    int64_t n, n_active;
    int64_t *cells, *from;
} smr_tree_counting;

smr_tree_work smr_tree_count(smr_tree_counting *counting);

/* ---- growing ---------------------------------------------------------------------------- */

typedef struct smr_tree_grown {
    smr_sapling sapling;
    uint32_t *code; /* of each node that is a CUT: rows up to this code go first */
    int64_t room;
} smr_tree_grown;

/* The tree of n rows of the data; gains in it are weight x impurity. */
smr_status smr_tree_grow(smr_ctx *ctx, const smr_tree_plan *plan, const int32_t *row, int64_t n,
                         smr_tree_grown *out);
void smr_tree_grown_release(smr_tree_grown *grown);
/* The child that a row of the data goes to, from an inner node. */
int32_t smr_tree_step(const smr_tree_plan *plan, const smr_tree_grown *grown, int32_t node,
                      int64_t row);

/* Rows and features of a node, and where it is. */
typedef struct smr_tree_place {
    const int32_t *row;
    int64_t n;
    const int32_t *active; /* NULL: all features */
    int64_t n_active, depth;
    uint64_t key; /* of its random numbers */
} smr_tree_place;

/* The tree below a node, where lists serve (tree_lists.c).  *served: false where a value is
 * missing, and `out` is as it was. */
bool smr_tree_lists_serve(const smr_tree_plan *plan, const smr_tree_place *at);
smr_status smr_tree_lists_grow(smr_ctx *ctx, const smr_tree_plan *plan, const smr_tree_place *at,
                               smr_tree_grown *out, bool *served);

/* ---- pruning ---------------------------------------------------------------------------- */

/* Loss of an answer for a row: 0 or 1 for classes; squared or absolute error. */
double smr_tree_loss(const smr_tree_plan *plan, const double *value, int64_t row);
/* Held-out rows decide: a subtree goes where its root would not do worse. */
smr_status smr_tree_prune_reduced(smr_ctx *ctx, const smr_tree_plan *plan, const int32_t *row,
                                  int64_t n, smr_tree_grown *grown);
/* Upper confidence limits of the errors decide. */
smr_status smr_tree_prune_pessimistic(smr_ctx *ctx, const smr_tree_plan *plan, double confidence,
                                      smr_tree_grown *grown);
/* alpha[n]: the penalty at which each node becomes a leaf, a leaf's is 0; per unit of weight. */
smr_status smr_tree_weakest_links(smr_ctx *ctx, const smr_tree_plan *plan,
                                  const smr_tree_grown *grown, double *alpha);
void smr_tree_prune_at(smr_tree_grown *grown, const double *node_alpha, double alpha);
/* prune=cost: the sequence into the state, and the chosen tree. */
smr_status smr_tree_prune_cost(smr_ctx *ctx, const smr_tree_plan *plan, const smr_data *data,
                               const int32_t *row, int64_t n, smr_tree_grown *grown,
                               struct smr_tree_state *state);

#endif
