/* boost_fit.c -- the rounds: slopes at the present scores, whole numbers, trees, new scores.
 *
 *     scores f = base
 *     each round: g, h of every row at f; trees, one or one per class, whose leaves lower
 *         sum g w + h/2 w^2 + penalties most; f += rate w
 *
 * One pass over the rows gives losses, g and h; the next one rounds these (boost.h).  Trees of the
 * classes are grown side by side, each by one thread; where that left threads idle, all threads
 * grow them in step.  With early stopping, a share of the rows is kept apart: bins know them, trees
 * do not; rounds end when their loss has not fallen for `patience` rounds; the best are kept.
 *
 * Memory besides the cells: a row takes 16 bytes per class (score, g and h), 8 for each tree that
 * is grown at the same time, 4 where weights are whole or counted, 1 where rows are drawn or kept
 * apart, and 8 where leaves are refitted. */
#include "learn/trees/boost.h"

#include "core/parallel.h"
#include "data/split.h"
#include "learn/checkpoint.h"
#include "learn/linear/scores.h"
#include "learn/out_of_fold.h"
#include "learn/present.h"
#include "learn/trees/boost_extent.h"
#include "learn/trees/boost_kept.h"

#include <math.h>
#include <string.h>

enum { FEW_ROWS = 4096, NARROW_G = 17, NARROW_H = 18, WIDE = 30, AHEAD = 64, PIECE = 4096 };
/* min_leaf of numbers where it is not set: a number of rows, or a share of all. */
#define USUAL_LEAF 20.0
#define USUAL_SHARE 0.1
/* Narrow numbers if the mean is at least this part of the largest. */
#define SPREAD 1024.0
/* Histograms of trees that are grown together. */
#define TOGETHER_BYTES 134217728.0

/* Whole weights that are multiplied in as such add up to no more than this: sums of wide numbers
 * have 63 bits. */
#define MOST_ROWS 4294967296.0

struct fit {
    const struct smr_boost_params *p;
    const smr_data *data;
    struct smr_boost_state *s;
    int64_t n, k;
    smr_boost_target target;
    double *own_weight;
    smr_bins bins;          /* of dense rows, or        */
    smr_sparse_bins sparse; /* of sparse ones           */
    smr_boost_cells cells;
    smr_boost_forest forest;
    signed char *monotone;
    uint8_t *bag; /* NULL: all rows are in */
    double *score;
    smr_boost_pair *pair; /* k x n */
    int32_t *whole_weight;
    double w_unit;
    bool counts;
    double rows;             /* whole weights: rows of weight 1 that would be the same; else n */
    int64_t heaviest;        /* whole weights: the largest of them; else 1                     */
    smr_boost_gradients *of; /* k */
    int64_t together;        /* trees that all lanes grow together; 0: each lane grows its own */
    int64_t n_rooms;
    smr_boost_room *room;
    double *residual, *residual_weight; /* refitted leaves */
    smr_sapling *sapling;               /* (rounds x k) */
    int64_t n_saplings, sapling_room;
    int64_t n_blocks;
    double *value;            /* n_blocks x 2: losses of rows that are in, and kept apart */
    smr_boost_extent *extent; /* n_blocks x k */
    double more;              /* what a row that stands for more is multiplied by */
    double weight_in, weight_apart;
    int64_t round, best; /* best: by the validation part */
    /* With a checkpoint: where the round at hand began. */
    bool is_kept;       /* there is such a place                    */
    bool goes_on;       /* the loss of the round at hand was kept   */
    double *score_then; /* n x k                                    */
    int64_t round_then; /* which `best` may not pass either         */
    struct smr_boost_kept trees_then;
};

/* ---- start ------------------------------------------------------------------------------ */

static smr_status resolve_loss(smr_ctx *ctx, struct fit *f)
{
    int loss = f->p->loss;
    bool classes = f->data->task == SMR_TASK_CLASSIFY;
    int64_t k = f->data->n_classes;
    bool of_classes =
        loss == SMR_BOOST_LOGISTIC || loss == SMR_BOOST_SOFTMAX || loss == SMR_BOOST_EXPONENTIAL;
    if (loss == SMR_BOOST_AUTO)
        loss = !classes ? SMR_BOOST_SQUARED : k > 2 ? SMR_BOOST_SOFTMAX : SMR_BOOST_LOGISTIC;
    else if (of_classes != classes)
        return smr_fail(ctx, SMR_ERR_PARAM, "boost: loss=%s is for %s, and the target is %s",
                        smr_boost_losses[loss].name, of_classes ? "classes" : "numbers",
                        classes ? "a class" : "a number");
    else if (of_classes && loss != SMR_BOOST_SOFTMAX && k > 2)
        return smr_fail(ctx, SMR_ERR_PARAM,
                        "boost: loss=%s is for two classes, and there are %lld; use loss=softmax",
                        smr_boost_losses[loss].name, (long long)k);
    else if (loss == SMR_BOOST_SOFTMAX && k <= 2)
        loss = SMR_BOOST_LOGISTIC;
    f->target.loss = (enum smr_boost_loss)loss;
    f->target.param = loss == SMR_BOOST_QUANTILE ? f->p->q : f->p->delta;
    return SMR_OK;
}

static smr_status set_target(smr_ctx *ctx, struct fit *f)
{
    smr_status st = SMR_OK;
    const smr_data *data = f->data;
    if (data->n_rows < 1) return smr_fail(ctx, SMR_ERR_DATA, "boost: no rows to fit");
    bool classes = data->task == SMR_TASK_CLASSIFY;
    if (classes ? !data->label : !data->y)
        return smr_fail(ctx, SMR_ERR_DATA, "boost: a target is needed");
    TRY(resolve_loss(ctx, f));
    f->n = data->n_rows;
    f->k = classes ? smr_scores_of(data->n_classes) : 1;
    if (classes)
        TRY(smr_classifier_weights(ctx, "boost", data, f->p->class_weight, &f->own_weight));
    f->target.n = f->n;
    f->target.k = f->k;
    f->target.y = classes ? NULL : data->y;
    f->target.label = classes ? data->label : NULL;
    f->target.weight = f->own_weight ? f->own_weight : data->weight;
    TRY(smr_boost_check_target(ctx, &f->target));
    if (f->target.loss == SMR_BOOST_HUBER && f->p->delta == 0)
        TRY(smr_boost_delta(ctx, &f->target, &f->target.param));
    TRY(smr_boost_monotone(ctx, f->p->monotone, data, &f->monotone));
    if (f->monotone && f->k > 1)
        TRY(smr_fail(ctx, SMR_ERR_PARAM,
                     "boost: monotone needs one score to rise or fall, and %lld classes have %lld",
                     (long long)data->n_classes, (long long)f->k));
out:
    return st;
}

/* Marks the rows that are kept apart. */
static smr_status keep_apart(smr_ctx *ctx, struct fit *f)
{
    smr_status st = SMR_OK;
    smr_parts parts = {0};
    const struct smr_boost_params *p = f->p;
    if (p->patience > 0 || p->rows < 1 || p->sampling == SMR_BOOST_GOSS) TRY_NEW(f->bag, f->n);
    if (p->patience > 0) {
        smr_split_rows of = smr_data_split_rows(ctx, f->data);
        TRY(smr_split_holdout(ctx, &of, &p->validation, 1, &parts));
        const int64_t *rows = smr_part_rows(&parts, 1);
        for (int64_t i = 0; i < smr_part_size(&parts, 1); i++) f->bag[rows[i]] = SMR_BOOST_APART;
    }
    for (int64_t i = 0; i < f->n; i++) {
        double w = f->target.weight ? f->target.weight[i] : 1;
        if (f->bag && f->bag[i])
            f->weight_apart += w;
        else
            f->weight_in += w;
    }
    if (!(f->weight_in > 0) || (p->patience > 0 && !(f->weight_apart > 0)))
        TRY(smr_fail(ctx, SMR_ERR_DATA,
                     "boost: all rows of a part have the weight 0; set patience=0 to fit without a "
                     "validation part"));
out:
    smr_parts_release(&parts);
    return st;
}

/* What min_leaf is where it is not set.  Squared errors overfit in leaves of few rows, and a small
 * table needs leaves of fewer than a large one; the second derivatives of classes fall where the
 * model is sure, so that min_child limits their leaves. */
static double usual_leaf(const struct fit *f)
{
    if (f->data->task == SMR_TASK_CLASSIFY) return 1;
    return smr_fmin(USUAL_LEAF, USUAL_SHARE * f->weight_in);
}

/* Does min_child imply min_leaf?  A row's h is at most 1/4 (for k classes k/(k-1) 1/4), so a leaf
 * that reaches min_child has at least min_child / that rows.  Rounding h to whole numbers adds less
 * than one more row would, as long as there are so few rows. */
static bool is_implied(const struct fit *f)
{
    const struct smr_boost_params *p = f->p;
    double k = (double)f->k, most = INFINITY;
    if (f->target.loss == SMR_BOOST_LOGISTIC) most = 0.25;
    if (f->target.loss == SMR_BOOST_SOFTMAX) most = 0.25 * k / (k - 1);
    double least = f->forest.min_leaf;
    return (!f->target.weight || f->target.is_once) && p->sampling != SMR_BOOST_GOSS &&
           least <= FEW_ROWS && least == floor(least) && most * least <= p->min_child;
}

/* Are the weights whole numbers, so that a row can count as that many rows?  Rows that are drawn by
 * their gradients cannot. */
static void ask_if_whole(struct fit *f)
{
    const double *w = f->target.weight;
    double top = 1, sum = 0;
    bool is_whole = w && f->p->sampling != SMR_BOOST_GOSS;
    for (int64_t i = 0; i < f->n && is_whole; i++) {
        is_whole = w[i] == floor(w[i]);
        top = smr_fmax(top, w[i]), sum += w[i];
    }
    f->target.is_once = is_whole && sum <= MOST_ROWS && top <= INT32_MAX;
    f->rows = f->target.is_once ? sum : (double)f->n;
    f->heaviest = f->target.is_once ? (int64_t)top : 1;
}

/* Weights as whole numbers: where they are, and where minimum sizes ask for them. */
static smr_status count_weights(smr_ctx *ctx, struct fit *f)
{
    smr_status st = SMR_OK;
    const double *w = f->target.weight;
    double top = 0;
    int e;
    ask_if_whole(f);
    f->w_unit = 1;
    f->forest.min_leaf = isnan(f->p->min_leaf) ? usual_leaf(f) : f->p->min_leaf;
    f->counts = f->forest.min_leaf > 1 && !f->forest.is_flat && !is_implied(f);
    if (!w || !(f->counts || f->target.is_once)) return SMR_OK;
    TRY_NEW(f->whole_weight, f->n);
    for (int64_t i = 0; i < f->n; i++) top = smr_fmax(top, w[i]);
    frexp(top, &e);
    if (!f->target.is_once) f->w_unit = ldexp(1, e - WIDE);
    for (int64_t i = 0; i < f->n; i++) f->whole_weight[i] = (int32_t)rint(w[i] / f->w_unit);
out:
    return st;
}

static void set_forest(struct fit *f)
{
    const struct smr_boost_params *p = f->p;
    bool by_level = p->growth == SMR_BOOST_BY_LEVEL;
    f->forest = (smr_boost_forest){.p = p,
                                   .bins = &f->bins,
                                   .cells = &f->cells,
                                   .monotone = f->monotone,
                                   .weight = f->target.weight};
    f->forest.is_flat = smr_boost_is_flat(f->target.loss) && p->sampling != SMR_BOOST_GOSS;
    f->forest.max_leaves = by_level || p->max_leaves == 0 ? SMR_MAX(1, f->n) : p->max_leaves;
    f->forest.max_leaves = SMR_MIN(f->forest.max_leaves, SMR_MAX(1, f->n));
    f->forest.max_depth = p->max_depth > 0 ? p->max_depth : by_level ? 6 : INT64_MAX;
}

/* How many trees of a round all lanes grow together.  Many classes give each lane trees of its own
 * (0), unless more than a fifth of the time would pass waiting for the last of them; so do more
 * lanes than processors, which would wait for one another in every step.  Either way a tree is the
 * same. */
static int64_t grown_together(const smr_ctx *ctx, const struct fit *f)
{
    int64_t lanes = smr_lanes_at_once(ctx), n_cells = f->cells.start[f->cells.n_columns];
    if (f->k == 1) return 1;
    if (5 * f->k >= 4 * lanes * smr_block_count(f->k, lanes) || f->cells.sparse) return 0;
    /* of histograms */
    double each = 8.0 * (double)(smr_lanes(ctx) * n_cells * (f->counts ? 4 : 3)) + 1;
    int64_t most = (int64_t)smr_fmax(1, smr_fmin((double)lanes, TOGETHER_BYTES / each));
    return smr_block_count(f->k, smr_block_count(f->k, most)); /* about as many each time */
}

static smr_status make_rooms(smr_ctx *ctx, struct fit *f)
{
    smr_status st = SMR_OK;
    f->together = grown_together(ctx, f);
    f->n_rooms = f->together > 0 ? f->together : smr_lanes(ctx);
    TRY_NEW(f->room, f->n_rooms);
    if (smr_boost_refits(f->target.loss)) {
        TRY_NEW(f->residual, f->n);
        if (f->target.weight) TRY_NEW(f->residual_weight, f->n);
    }
out:
    return st;
}

/* Bins of the rows: of sparse ones as they are, if that takes less memory than a byte per cell. */
static smr_status make_cells(smr_ctx *ctx, bool keeps, struct fit *f)
{
    smr_status st = SMR_OK;
    int64_t *count = NULL, n_entries = 0, d = f->data->n_features;
    TRY(smr_sparse_bins_pay(ctx, f->data, &count));
    for (int64_t j = 0; j < d && count; j++) n_entries += count[j];
    double cells = count ? 23.0 * (double)n_entries : 2.0 * (double)f->n * (double)d;
    double bytes = cells + (double)f->n * ((keeps ? 24.0 : 16.0) * (double)f->k + 32);
    TRY(smr_memory_check(ctx, bytes, "boost", "fit on a part of the rows"));
    if (count) {
        TRY(smr_sparse_bins_build(ctx, f->data, f->p->max_bins, count, &f->sparse));
        TRY(smr_boost_cells_sparse(ctx, &f->sparse, &f->cells));
        f->forest.bins = &f->sparse.bins;
    } else {
        TRY(smr_bins_build(ctx, f->data, f->p->max_bins, SMR_BINS_BY_ROW, &f->bins));
        TRY(smr_boost_cells_make(ctx, &f->bins, &f->cells));
    }
out:
    smr_free(count);
    return st;
}

static smr_status begin_scores(smr_ctx *ctx, void *arg, int64_t block, int lane)
{
    struct fit *f = arg;
    int64_t lo = block * SMR_BOOST_BLOCK, hi = SMR_MIN(f->n, lo + SMR_BOOST_BLOCK);
    (void)ctx, (void)lane;
    for (int64_t i = lo; i < hi; i++)
        for (int64_t c = 0; c < f->k; c++) f->score[i * f->k + c] = f->s->base[c];
    return SMR_OK;
}

/* keeps: the scores twice, for checkpoints. */
static smr_status open_fit(smr_ctx *ctx, bool keeps, struct fit *f)
{
    smr_status st = SMR_OK;
    struct smr_boost_state *s = f->s;
    TRY(set_target(ctx, f));
    set_forest(f);
    TRY(keep_apart(ctx, f));
    TRY(count_weights(ctx, f));
    s->n_features = f->data->n_features;
    s->n_classes = f->data->task == SMR_TASK_CLASSIFY ? f->data->n_classes : 0;
    s->n_base = f->k;
    s->loss = f->target.loss;
    s->param = f->target.param;
    s->n_rows = f->weight_in;
    s->n_validation = f->weight_apart;
    TRY_NEW(s->base, f->k);
    TRY_NEW(s->gain, s->n_features);
    TRY_NEW(s->splits, s->n_features);
    TRY_NEW(s->covered, s->n_features);
    TRY(smr_boost_base(ctx, &f->target, f->bag, s->base));
    TRY(make_cells(ctx, keeps, f));
    f->n_blocks = smr_block_count(f->n, SMR_BOOST_BLOCK);
    TRY_NEW(f->score, f->n * f->k);
    TRY_NEW(f->pair, f->n * f->k);
    if (f->rows <= FEW_ROWS) TRY_NEW(f->target.exact, 2 * f->n * f->k);
    TRY_NEW(f->of, f->k);
    TRY_NEW(f->value, 2 * f->n_blocks);
    TRY_NEW(f->extent, f->n_blocks * f->k);
    TRY(make_rooms(ctx, f));
    TRY(smr_parallel(ctx, NULL, f->n_blocks, begin_scores, f));
out:
    return st;
}

static void close_fit(struct fit *f)
{
    for (int64_t r = 0; r < f->n_rooms && f->room; r++) smr_boost_room_close(&f->room[r]);
    for (int64_t i = 0; i < f->n_saplings; i++) smr_sapling_release(&f->sapling[i]);
    smr_boost_cells_release(&f->cells);
    smr_bins_release(&f->bins);
    smr_sparse_bins_release(&f->sparse);
    smr_free(f->sapling);
    smr_free(f->room);
    smr_free(f->residual);
    smr_free(f->residual_weight);
    smr_free(f->own_weight);
    smr_free(f->monotone);
    smr_free(f->bag);
    smr_free(f->score);
    smr_free(f->pair);
    smr_free(f->target.exact);
    smr_free(f->whole_weight);
    smr_free(f->of);
    smr_free(f->value);
    smr_free(f->extent);
    smr_free(f->score_then);
    smr_boost_kept_free(&f->trees_then);
}

/* ---- slopes ----------------------------------------------------------------------------- */

static smr_status find_slopes(smr_ctx *ctx, void *arg, int64_t block, int lane)
{
    struct fit *f = arg;
    int64_t lo = block * SMR_BOOST_BLOCK, hi = SMR_MIN(f->n, lo + SMR_BOOST_BLOCK);
    double value[SMR_BOOST_BLOCK];
    const uint8_t *bag = f->bag ? f->bag + lo : NULL;
    (void)ctx, (void)lane;
    smr_boost_slopes(&f->target, lo, hi, f->score, value, f->pair);
    smr_boost_sum_losses(value, bag, hi - lo, &f->value[2 * block], &f->value[2 * block + 1]);
    for (int64_t c = 0; c < f->k; c++) {
        const smr_boost_pair *pair = f->pair + c * f->n + lo;
        smr_boost_extent *e = &f->extent[block * f->k + c];
        const int32_t *weight = f->target.is_once ? f->whole_weight + lo : NULL;
        smr_boost_measure(pair, bag, weight, hi - lo, e);
    }
    return SMR_OK;
}

/* Units of a class, from what its blocks found. */
static smr_status choose_units(smr_ctx *ctx, struct fit *f, int64_t c)
{
    smr_boost_extent all = {0};
    int e_g, e_h;
    for (int64_t b = 0; b < f->n_blocks; b++) {
        const smr_boost_extent *e = &f->extent[b * f->k + c];
        all.g = smr_fmax(all.g, e->g), all.h = smr_fmax(all.h, e->h);
        all.g_sum += e->g_sum, all.h_sum += e->h_sum;
    }
    if (!isfinite(all.g) || !isfinite(all.h))
        return smr_fail(ctx, SMR_ERR_NUMERIC,
                        "boost: a gradient is not finite in round %lld; lower rate, or scale the "
                        "target or the weights down",
                        (long long)f->round + 1);
    double n = f->rows;
    bool is_even = all.g_sum * SPREAD >= all.g * n && all.h_sum * SPREAD >= all.h * n;
    bool is_short = !f->counts && n > FEW_ROWS && is_even;
    bool is_narrow = is_short && f->heaviest <= SMR_BOOST_HEAVIEST;
    smr_boost_gradients *of = &f->of[c];
    *of = (smr_boost_gradients){.pair = f->pair + c * f->n,
                                .weight = f->whole_weight,
                                .is_narrow = is_narrow,
                                .counts = f->counts,
                                .is_once = f->target.is_once && !is_narrow,
                                .heaviest = f->heaviest,
                                .w_unit = f->w_unit};
    frexp(all.g * f->more, &e_g);
    frexp(all.h * f->more, &e_h);
    of->g_unit = all.g > 0 ? ldexp(1, e_g - (is_short ? NARROW_G : WIDE)) : 1;
    of->h_unit = all.h > 0 ? ldexp(1, e_h - (is_short ? NARROW_H : WIDE)) : 1;
    /* Here |g| = h, and a pure leaf's step hangs on H - |G| being 0. */
    if (f->target.loss == SMR_BOOST_EXPONENTIAL) of->h_unit = of->g_unit;
    return SMR_OK;
}

/* To whole numbers, in place.  A row that counts has h >= 1.  The units were not chosen for rows
 * kept apart or of weight 0, whose numbers may be larger than any whole number. */
static void round_pairs(const struct fit *f, const smr_boost_gradients *of, int64_t c, int64_t lo,
                        int64_t hi)
{
    smr_boost_pair *pair = f->pair + c * f->n;
    const double *weight = f->target.weight;
    const int32_t *times = f->target.is_once && of->is_narrow ? f->whole_weight : NULL;
    double by_g = 1 / of->g_unit, by_h = 1 / of->h_unit;
    for (int64_t i = lo; i < hi; i++) {
        if ((f->bag && f->bag[i] == SMR_BOOST_APART) || (weight && weight[i] == 0)) {
            pair[i].word = 0;
            continue;
        }
        double more = f->bag && f->bag[i] == SMR_BOOST_MORE ? f->more : 1;
        int64_t g = (int64_t)rint((double)pair[i].real.g * more * by_g);
        int64_t h = (int64_t)rint((double)pair[i].real.h * more * by_h);
        if (h < 1) h = 1;
        if (of->is_narrow) {
            pair[i].word = (times ? times[i] : 1) * (g * (INT64_C(1) << 32) + h);
        } else {
            pair[i].whole.g = (int32_t)g;
            pair[i].whole.h = (int32_t)h;
        }
    }
}

static smr_status round_block(smr_ctx *ctx, void *arg, int64_t block, int lane)
{
    struct fit *f = arg;
    int64_t lo = block * SMR_BOOST_BLOCK, hi = SMR_MIN(f->n, lo + SMR_BOOST_BLOCK);
    (void)ctx, (void)lane;
    for (int64_t c = 0; c < f->k; c++) round_pairs(f, &f->of[c], c, lo, hi);
    return SMR_OK;
}

/* ---- trees ------------------------------------------------------------------------------ */

/* The rows that a tree is grown on, some of them drawn; their number. */
static int64_t list_drawn(const struct fit *f, int32_t *rows)
{
    int64_t n = 0;
    for (int64_t i = 0; i < f->n; i++) {
        rows[n] = (int32_t)i;
        n += f->bag[i] == SMR_BOOST_IN || f->bag[i] == SMR_BOOST_MORE;
    }
    return n;
}

struct planting {
    smr_boost_room *room;
    smr_sapling *sapling;
    int64_t c; /* class */
};

/* Some rows of a leaf. */
struct piece {
    const struct planting *tree;
    int64_t leaf, lo, hi;
};

/* Trees of some classes, planted together. */
struct plot {
    struct fit *f;
    struct planting *tree;
    int64_t n;
    int n_lanes;
    struct piece *piece;
    int64_t n_pieces;
};

/* Sums of a leaf: those of the whole numbers, or for few rows those of the numbers themselves. */
static void sum_leaf(const struct fit *f, const smr_boost_room *room, const smr_boost_leaf *leaf,
                     int64_t c, double *G, double *H)
{
    const double *exact = f->target.exact ? f->target.exact + 2 * c * f->n : NULL;
    *G = exact ? 0 : (double)leaf->sums.g * f->of[c].g_unit;
    *H = exact ? 0 : (double)leaf->sums.h * f->of[c].h_unit;
    for (int64_t i = leaf->lo; i < leaf->hi && exact; i++) {
        int64_t row = room->rows[i];
        double more = f->bag && f->bag[row] == SMR_BOOST_MORE ? f->more : 1;
        if (f->target.is_once) more *= f->whole_weight[row];
        *G += more * exact[2 * row];
        *H += more * exact[2 * row + 1];
    }
}

static double leaf_step(const struct fit *f, const smr_boost_room *room, const smr_boost_leaf *leaf,
                        int64_t c)
{
    if (!smr_boost_refits(f->target.loss)) {
        double G, H;
        sum_leaf(f, room, leaf, c, &G, &H);
        return smr_boost_step(f->target.loss, G, H, f->p->l1, f->p->l2);
    }
    double *r = f->residual + leaf->lo;
    double *w = f->residual_weight ? f->residual_weight + leaf->lo : NULL;
    for (int64_t i = leaf->lo; i < leaf->hi; i++) {
        int64_t row = room->rows[i];
        r[i - leaf->lo] = f->target.y[row] - f->score[row];
        if (w) w[i - leaf->lo] = f->target.weight[row];
    }
    return smr_boost_refit(&f->target, leaf->hi - leaf->lo, r, w);
}

/* Cuts the leaves into pieces; whole ones where the value is found from the rows. */
static smr_status cut_leaves(smr_ctx *ctx, struct plot *plot)
{
    smr_status st = SMR_OK;
    bool is_whole = plot->f->target.exact || smr_boost_refits(plot->f->target.loss);
    int64_t most = 0, block = is_whole ? plot->f->n : PIECE;
    for (int64_t i = 0; i < plot->n; i++)
        most += plot->tree[i].room->n_leaves + smr_block_count(plot->f->n, block);
    TRY_NEW(plot->piece, most);
    for (int64_t i = 0; i < plot->n; i++)
        for (int64_t l = 0; l < plot->tree[i].room->n_leaves; l++) {
            const smr_boost_leaf *leaf = &plot->tree[i].room->leaf[l];
            int64_t lo = leaf->lo;
            do {
                int64_t hi = SMR_MIN(leaf->hi, lo + block);
                plot->piece[plot->n_pieces++] = (struct piece){&plot->tree[i], l, lo, hi};
                lo = hi;
            } while (lo < leaf->hi);
        }
out:
    return st;
}

/* The value of a leaf, and the scores of some of its rows. */
static smr_status settle(smr_ctx *ctx, void *arg, int64_t task, int lane)
{
    const struct plot *plot = arg;
    const struct piece *piece = &plot->piece[task];
    const struct planting *t = piece->tree;
    struct fit *f = plot->f;
    const smr_boost_leaf *leaf = &t->room->leaf[piece->leaf];
    double step = leaf_step(f, t->room, leaf, t->c);
    double value = f->p->rate * smr_fmin(smr_fmax(step, leaf->low), leaf->high);
    (void)ctx, (void)lane;
    if (piece->lo == leaf->lo) t->sapling->value[leaf->node] = value;
    const int32_t *rows = t->room->rows;
    double *score = f->score + t->c;
    for (int64_t i = piece->lo; i < piece->hi; i++) {
        if (i + AHEAD < piece->hi) __builtin_prefetch(&score[rows[i + AHEAD] * f->k], 1, 1);
        score[rows[i] * f->k] += value;
    }
    return SMR_OK;
}

/* Scores of the rows of a block that a tree was not grown on. */
static smr_status settle_others(smr_ctx *ctx, void *arg, int64_t task, int lane)
{
    const struct plot *plot = arg;
    struct fit *f = plot->f;
    const struct planting *t = &plot->tree[task / f->n_blocks];
    int64_t block = task % f->n_blocks;
    int64_t lo = block * SMR_BOOST_BLOCK, hi = SMR_MIN(f->n, lo + SMR_BOOST_BLOCK);
    (void)ctx, (void)lane;
    for (int64_t i = lo; i < hi; i++) {
        if (f->bag[i] == SMR_BOOST_IN || f->bag[i] == SMR_BOOST_MORE) continue;
        int64_t leaf = smr_boost_walk(&f->cells, t->room, t->sapling, i);
        f->score[i * f->k + t->c] += t->sapling->value[t->room->leaf[leaf].node];
    }
    return SMR_OK;
}

/* All rows of a block. */
static smr_status list_block(smr_ctx *ctx, void *arg, int64_t task, int lane)
{
    const struct plot *plot = arg;
    int64_t n_blocks = plot->f->n_blocks, block = task % n_blocks;
    int64_t lo = block * SMR_BOOST_BLOCK, hi = SMR_MIN(plot->f->n, lo + SMR_BOOST_BLOCK);
    int32_t *rows = plot->tree[task / n_blocks].room->rows;
    (void)ctx, (void)lane;
    for (int64_t i = lo; i < hi; i++) rows[i] = (int32_t)i;
    return SMR_OK;
}

/* The rows that the trees are grown on, and their number. */
static smr_status list_rows(smr_ctx *ctx, struct plot *plot, int64_t *n)
{
    struct fit *f = plot->f;
    *n = f->n;
    if (!f->bag) return smr_parallel(ctx, NULL, plot->n * f->n_blocks, list_block, plot);
    *n = list_drawn(f, plot->tree[0].room->rows);
    for (int64_t i = 1; i < plot->n; i++)
        memcpy(plot->tree[i].room->rows, plot->tree[0].room->rows, (size_t)*n * sizeof(int32_t));
    return SMR_OK;
}

static smr_status grow_plot(smr_ctx *ctx, struct plot *plot)
{
    smr_status st = SMR_OK;
    struct fit *f = plot->f;
    smr_boost_seed *seed = NULL;
    int64_t n = 0;
    TRY_NEW(seed, plot->n);
    TRY(list_rows(ctx, plot, &n));
    for (int64_t i = 0; i < plot->n; i++) {
        const struct planting *t = &plot->tree[i];
        seed[i] = (smr_boost_seed){.of = &f->of[t->c],
                                   .n = n,
                                   .tree = f->round * f->k + t->c,
                                   .is_all = n == f->n,
                                   .room = t->room,
                                   .sapling = t->sapling};
    }
    TRY(smr_boost_grow(ctx, &f->forest, seed, plot->n));
    TRY(cut_leaves(ctx, plot));
    TRY(smr_parallel(ctx, NULL, plot->n_pieces, settle, plot));
    if (f->bag) TRY(smr_parallel(ctx, NULL, plot->n * f->n_blocks, settle_others, plot));
out:
    smr_free(plot->piece);
    smr_free(seed);
    return st;
}

/* The room of a tree, if it is not open yet. */
static smr_status open_room(smr_ctx *ctx, void *arg, int64_t task, int lane)
{
    const struct plot *plot = arg;
    smr_boost_room *room = plot->tree[task].room;
    (void)lane;
    if (room->rows) return SMR_OK;
    return smr_boost_room_open(ctx, &plot->f->forest, plot->f->counts ? 3 : 2, plot->n_lanes, room);
}

/* The trees of the classes c .. c + n, in rooms of this context. */
static smr_status plant_some(smr_ctx *ctx, struct fit *f, int64_t c, int64_t n,
                             smr_boost_room *room)
{
    smr_status st = SMR_OK;
    struct plot plot = {.f = f, .n = n, .n_lanes = smr_lanes(ctx)};
    bool all_open = true;
    TRY_NEW(plot.tree, n);
    for (int64_t i = 0; i < n; i++) {
        struct planting *t = &plot.tree[i];
        *t = (struct planting){.room = &room[i], .c = c + i};
        t->sapling = &f->sapling[f->n_saplings + t->c];
        smr_sapling_begin(t->sapling, 1);
        all_open &= room[i].rows != NULL;
    }
    if (!all_open) TRY(smr_parallel(ctx, NULL, n, open_room, &plot));
    TRY(grow_plot(ctx, &plot));
out:
    smr_free(plot.tree);
    return st;
}

/* The tree of class c, by one lane. */
static smr_status plant(smr_ctx *ctx, void *arg, int64_t c, int lane)
{
    struct fit *f = arg;
    return plant_some(ctx, f, c, 1, &f->room[lane]);
}

/* Room for more trees. */
static smr_status make_tree_room(smr_ctx *ctx, struct fit *f, int64_t more)
{
    if (f->n_saplings + more <= f->sapling_room) return SMR_OK;
    int64_t room = SMR_MAX(2 * f->sapling_room, SMR_MAX(f->n_saplings + more, 32 * f->k));
    smr_sapling *grown = smr_realloc(ctx, f->sapling, room, sizeof *grown);
    if (!grown) return SMR_ERR_NOMEM;
    f->sapling = grown;
    f->sapling_room = room;
    return SMR_OK;
}

/* One tree, or one per class; *grew: is any more than a root? */
static smr_status plant_round(smr_ctx *ctx, struct fit *f, bool *grew)
{
    smr_status st = make_tree_room(ctx, f, f->k);
    if (st != SMR_OK) return st;
    memset(f->sapling + f->n_saplings, 0, (size_t)f->k * sizeof *f->sapling);
    int64_t at = f->n_saplings;
    if (f->together == 0) st = smr_parallel(ctx, NULL, f->k, plant, f);
    for (int64_t c = 0; c < f->k && f->together > 0 && st == SMR_OK; c += f->together)
        st = plant_some(ctx, f, c, SMR_MIN(f->together, f->k - c), f->room);
    f->n_saplings += f->k;
    *grew = false;
    for (int64_t c = 0; c < f->k; c++) *grew |= f->sapling[at + c].n > 1;
    return st;
}

/* ---- rounds ----------------------------------------------------------------------------- */

static smr_status keep_loss(smr_ctx *ctx, struct fit *f, smr_fit_report *report)
{
    smr_status st = SMR_OK;
    struct smr_boost_state *s = f->s;
    double in = 0, apart = 0;
    for (int64_t b = 0; b < f->n_blocks; b++) in += f->value[2 * b], apart += f->value[2 * b + 1];
    s->curve[s->n_curve] = in / f->weight_in;
    if (s->watched) s->watched[s->n_curve] = apart / f->weight_apart;
    s->n_curve++;
    if (f->round > 0) TRY(smr_fit_step(ctx, report, s->curve[f->round]));
out:
    return st;
}

/* Is every tree grown on the same rows and features, so that where one finds no split none will? */
static bool draws_nothing(const struct smr_boost_params *p)
{
    return p->rows >= 1 && p->columns >= 1 && p->features >= 1 && p->sampling == SMR_BOOST_UNIFORM;
}

/* ---- checkpoints ------------------------------------------------------------------------ */

/* A round begins: its trees will change the scores, and may be cancelled in the middle.  Losses and
 * report change only when it is over. */
static smr_status mark_round(smr_ctx *ctx, struct fit *f, smr_fit_report *report)
{
    smr_status st = SMR_OK;
    if (!report->checkpoint) return SMR_OK;
    if (!f->score_then) TRY_NEW(f->score_then, f->n * f->k);
    memcpy(f->score_then, f->score, (size_t)(f->n * f->k) * sizeof *f->score);
    f->round_then = f->round;
    f->is_kept = true;
    TRY(smr_checkpoint_at(ctx, report, f->round, f->p->rounds, f));
out:
    return st;
}

static smr_status suspend(smr_ctx *ctx, void *work, void *kept_)
{
    struct fit *f = work;
    struct smr_boost_kept *kept = kept_;
    smr_status st = smr_boost_pack(ctx, f->sapling, f->round_then * f->k, &f->trees_then);
    if (st != SMR_OK) return st;
    *kept = f->trees_then;
    kept->round = f->round_then;
    kept->best = f->best;
    kept->n_rows = f->n;
    kept->n_scores = f->k;
    kept->n_curve = f->round_then + 1;
    kept->score = f->score_then;
    kept->curve = f->s->curve;
    kept->watched = f->s->watched;
    return SMR_OK;
}

static smr_status resume(smr_ctx *ctx, void *kept_, void *work)
{
    smr_status st = SMR_OK;
    struct fit *f = work;
    struct smr_boost_state *s = f->s;
    const struct smr_boost_kept *kept = kept_;
    if (kept->n_rows != f->n || kept->n_scores != f->k || kept->round >= f->p->rounds ||
        kept->best > kept->round || kept->n_curve != kept->round + 1 ||
        kept->n_starts != kept->round * f->k + 1 || !kept->watched != !s->watched)
        return smr_fail(ctx, SMR_ERR_FORMAT,
                        "boost: the rounds of the checkpoint do not fit the data");
    TRY(make_tree_room(ctx, f, kept->n_starts - 1));
    TRY(smr_boost_unpack(ctx, kept, s->n_features, f->sapling, &f->n_saplings));
    memcpy(f->score, kept->score, (size_t)(f->n * f->k) * sizeof *f->score);
    memcpy(s->curve, kept->curve, (size_t)kept->n_curve * sizeof *s->curve);
    if (s->watched) memcpy(s->watched, kept->watched, (size_t)kept->n_curve * sizeof *s->watched);
    s->n_curve = kept->n_curve;
    f->round = kept->round;
    f->best = kept->best;
    f->goes_on = true;
out:
    return st;
}

const smr_can_resume smr_boost_resume = {.state = smr_boost_kept_state,
                                         .n_state = SMR_BOOST_KEPT,
                                         .state_size = sizeof(struct smr_boost_kept),
                                         .suspend = suspend,
                                         .resume = resume};

/* ---- the whole -------------------------------------------------------------------------- */

static smr_status do_rounds(smr_ctx *ctx, struct fit *f, smr_fit_report *report)
{
    smr_status st = SMR_OK;
    const struct smr_boost_params *p = f->p;
    struct smr_boost_state *s = f->s;
    bool grew = true;
    TRY(smr_checkpoint_begin(ctx, report, f));
    for (;; f->round++) {
        TRY(smr_parallel(ctx, NULL, f->n_blocks, find_slopes, f));
        if (!f->goes_on) TRY(keep_loss(ctx, f, report));
        f->goes_on = false;
        if (s->watched && s->watched[f->round] < s->watched[f->best]) f->best = f->round;
        if (f->round == p->rounds || f->cells.n_columns == 0) break;
        if (s->watched && f->round - f->best >= p->patience) break;
        TRY(mark_round(ctx, f, report));
        TRY(smr_tick(ctx, "boosting", f->round, p->rounds, s->curve[f->round]));
        TRY(smr_boost_draw_rows(ctx, p, f->round, &(smr_boost_bag){f->n, f->k, f->pair, f->bag},
                                &f->more));
        for (int64_t c = 0; c < f->k; c++) TRY(choose_units(ctx, f, c));
        TRY(smr_parallel(ctx, NULL, f->n_blocks, round_block, f));
        TRY(plant_round(ctx, f, &grew));
        if (grew || !draws_nothing(p)) continue;
        for (int64_t c = 0; c < f->k; c++) smr_sapling_release(&f->sapling[--f->n_saplings]);
        break;
    }
    s->n_rounds = s->watched ? f->best : f->n_saplings / f->k;
    report->converged = true;
    if (f->cells.n_columns == 0)
        smr_warn(ctx,
                 "boost: all features are constant, so the model predicts the same for every row");
    else if (f->n_saplings / f->k < p->rounds && !s->watched)
        smr_info(ctx, "boost: no split gains after round %lld of %lld; it stops there",
                 (long long)s->n_rounds, (long long)p->rounds);
    else if (s->watched)
        smr_info(ctx, "boost: keeps %lld of %lld rounds, where the validation part's loss is least",
                 (long long)s->n_rounds, (long long)(f->n_saplings / f->k));
out:
    if (f->is_kept) st = smr_checkpoint_end(ctx, report, st, f->round_then, p->rounds, f);
    return st;
}

/* The kept trees into the model, and what the features did in them. */
static smr_status keep_trees(smr_ctx *ctx, struct fit *f)
{
    smr_status st = SMR_OK;
    f->s->trees.width = 1;
    f->s->trees.n_scores = f->k;
    for (int64_t t = 0; t < f->s->n_rounds * f->k; t++)
        TRY(smr_boost_keep_tree(ctx, f->s, &f->sapling[t]));
out:
    return st;
}

/* ---- classes without rows --------------------------------------------------------------- */

/* A score for every class: of two that have rows the second has the odds, and the first 0. */
static smr_status keep_all_classes(smr_ctx *ctx, struct fit *f, const smr_present *p, int64_t k)
{
    smr_status st = SMR_OK;
    struct smr_boost_state *s = f->s;
    smr_sapling flat = {0};
    double *base = NULL;
    int32_t root;
    TRY_NEW(base, k);
    smr_sapling_begin(&flat, 1);
    TRY(smr_sapling_nodes(ctx, &flat, 1, &root));
    flat.node[0].cover = f->weight_in;
    for (int64_t c = 0; c < k; c++) {
        int32_t at = p->n == 2 ? p->place[c] - 1 : p->place[c];
        base[c] = p->place[c] < 0 ? -SMR_BOOST_NEVER : at < 0 ? 0 : s->base[at];
    }
    smr_free(s->base);
    s->base = base;
    base = NULL;
    s->loss = SMR_BOOST_SOFTMAX;
    s->n_classes = s->n_base = s->trees.n_scores = k;
    s->trees.width = 1;
    for (int64_t t = 0; t < s->n_rounds * k; t++) {
        int32_t at = p->n == 2 ? p->place[t % k] - 1 : p->place[t % k];
        TRY(smr_boost_keep_tree(ctx, s, at < 0 ? &flat : &f->sapling[t / k * f->k + at]));
    }
out:
    smr_sapling_release(&flat);
    smr_free(base);
    return st;
}

smr_status smr_boost_fit(smr_ctx *ctx, const void *params_, const smr_data *data, void *state_,
                         smr_fit_report *report)
{
    smr_status st = SMR_OK;
    smr_present present = {.data = *data, .is_all = true};
    struct fit f = {.p = params_, .data = &present.data, .s = state_, .more = 1};
    bool takes_many = f.p->loss == SMR_BOOST_AUTO || f.p->loss == SMR_BOOST_SOFTMAX;
    if (data->task == SMR_TASK_CLASSIFY && data->label && takes_many)
        TRY(smr_present_find(ctx, data, &present));
    TRY(open_fit(ctx, report->checkpoint != NULL, &f));
    TRY_NEW(f.s->curve, f.p->rounds + 1);
    if (f.p->patience > 0) TRY_NEW(f.s->watched, f.p->rounds + 1);
    TRY(do_rounds(ctx, &f, report));
    TRY(present.is_all ? keep_trees(ctx, &f)
                       : keep_all_classes(ctx, &f, &present, data->n_classes));
out:
    close_fit(&f);
    smr_present_release(&present);
    return st;
}
