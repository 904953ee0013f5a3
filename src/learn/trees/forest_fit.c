/* forest_fit.c -- many trees: one per task, in waves, and what their left-out rows say.
 *
 * Trees of a wave are grown side by side and packed as the model has them, then added to it in
 * their order.  The votes of rows outside the bags are summed by blocks of rows, each in the order
 * of the trees, so that nothing depends on how many trees a wave has.
 * Memory besides data and model: the cells twice, 12 bytes and 8 per class for the votes of a row,
 * 36 bytes per row and thread, and for each of WAVE_PER_LANE trees per thread 4 bytes per row and
 * the packed tree. */
#include "core/number.h"
#include "core/parallel.h"
#include "core/span.h"
#include "core/text.h"
#include "kernel/kernel.h"
#include "learn/checkpoint.h"
#include "learn/trees/forest_parts.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum {
    WAVE_PER_LANE = 8, /* trees                                                  */
    WAVE_LEAST = 16,   /* so that lanes seldom wait for the last                 */
    KEPT_PER_LANE = 2, /* the same with a checkpoint, which is written between waves */
    BLOCK = 4096,      /* rows                                                    */
    SMALL = 4096,      /* xlogx of whole numbers below this                       */
    NEAR_MOST = 8192,  /* rows of a node that is copied together                  */
    NEAR_BYTES = 8 << 20,
    LARGE = 400 /* exponent of targets whose squares, times weights, may leave the doubles */
};
static const double UNITS = 1 << 27; /* of all weights, where they are not whole */

/* ---- the plan --------------------------------------------------------------------------- */

static const char WHAT[] = "trees";

struct turn_job {
    struct smr_forest_plan *plan;
};

static smr_status turn_block(smr_ctx *ctx, void *arg, int64_t task, int lane)
{
    struct smr_forest_plan *plan = ((struct turn_job *)arg)->plan;
    int64_t lo = task * BLOCK, hi = smr_block_end(plan->bins.n_rows, BLOCK, task);
    (void)ctx, (void)lane;
    smr_forest_transpose(plan->bins.cell + lo, plan->bins.stride, NULL, plan->bins.n_features,
                         hi - lo, plan->by_row + lo * plan->row_stride, plan->row_stride);
    return SMR_OK;
}

static smr_status make_cells(smr_ctx *ctx, struct smr_forest_plan *plan)
{
    smr_status st = SMR_OK;
    int64_t n = plan->data->n_rows, d = plan->data->n_features;
    TRY(smr_bins_build(ctx, plan->data, plan->p->max_bins, SMR_BINS_BY_COLUMN, &plan->bins));
    plan->row_stride = (d + 15) / 16 * 16;
    plan->by_row = smr_alloc_raw(ctx, (n + 16) * plan->row_stride, 1);
    if (!plan->by_row) return SMR_ERR_NOMEM;
    struct turn_job job = {plan};
    if (d > 0) TRY(smr_parallel(ctx, NULL, smr_block_count(n, BLOCK), turn_block, &job));
    plan->near_rows[1] = SMR_MIN(n, SMR_MAX(64, SMR_MIN(NEAR_MOST, NEAR_BYTES / SMR_MAX(1, d))));
    plan->near_rows[2] = SMR_MIN(n, SMR_MAX(64, plan->near_rows[1] / 16));
out:
    return st;
}

/* Weights in units: whole ones as they are, others in 2^27 parts of their sum. */
static smr_status weigh_rows(smr_ctx *ctx, struct smr_forest_plan *plan)
{
    smr_status st = SMR_OK;
    const smr_data *data = plan->data;
    int64_t n = data->n_rows;
    double *of_class = NULL, all = 0;
    bool whole = true;
    TRY_NEW(plan->weight, n);
    plan->unit = 1;
    if (plan->classify && plan->p->class_weight == SMR_CLASS_WEIGHT_BALANCED) {
        TRY_NEW(of_class, plan->width);
        smr_class_balance(data, of_class);
    }
    for (int64_t i = 0; i < n; i++) {
        double w = smr_data_weight(data, i) * (of_class ? of_class[data->label[i]] : 1);
        all += w;
        whole = whole && w == floor(w);
        plan->weight[i] = w > 0;
    }
    if (!(all > 0)) {
        st = smr_fail(ctx, SMR_ERR_DATA, "forest: all weights are 0: no row counts");
        goto out;
    }
    if (!plan->classify) goto out;
    if (!whole || all > UNITS) plan->unit = all / UNITS;
    for (int64_t i = 0; i < n; i++) {
        double w = smr_data_weight(data, i) * (of_class ? of_class[data->label[i]] : 1);
        plan->weight[i] = w > 0 ? (uint32_t)SMR_MAX(1, floor(w / plan->unit + 0.5)) : 0;
    }
out:
    smr_free(of_class);
    return st;
}

static smr_status refuse_targets(smr_ctx *ctx, int64_t trees, double limit)
{
    smr_text number = {.ctx = ctx};
    smr_text_rounded(&number, limit, 3);
    smr_status st = smr_text_done(&number);
    if (st == SMR_OK)
        st = smr_fail(ctx, SMR_ERR_DATA,
                      "forest: sums over %lld trees of targets beyond %s overflow; divide the "
                      "target by a constant",
                      (long long)trees, number.bytes);
    smr_text_release(&number);
    return st;
}

/* Targets whose squares would overflow, or all vanish, are scaled by a power of two: the trees are
 * the same.  Importances stay in that unit, which a warning names. */
static smr_status scale_targets(smr_ctx *ctx, struct smr_forest_plan *plan)
{
    smr_status st = SMR_OK;
    int64_t n = plan->data->n_rows * plan->width;
    double largest = 0, limit = DBL_MAX / 4 / (double)plan->p->trees;
    for (int64_t i = 0; i < n; i++) largest = smr_fmax(largest, fabs(plan->data->y[i]));
    if (!(largest <= limit)) return refuse_targets(ctx, plan->p->trees, limit);
    plan->y = plan->data->y;
    plan->min_gain = plan->p->min_gain;
    if (largest == 0) return SMR_OK;
    int exponent = ilogb(largest);
    if (exponent > -LARGE && exponent < LARGE) return SMR_OK;
    plan->scale = exponent;
    if (plan->min_gain > 0) plan->min_gain = ldexp(plan->min_gain, -2 * exponent);
    TRY_NEW(plan->scaled, n);
    for (int64_t i = 0; i < n; i++) plan->scaled[i] = ldexp(plan->data->y[i], -exponent);
    plan->y = plan->scaled;
    smr_warn(ctx,
             "forest: squares of the target %s: the out-of-bag error is reported only if it is a "
             "number, and importances are those of the target divided by 2^%d",
             exponent > 0 ? "overflow" : "vanish", exponent);
out:
    return st;
}

static smr_status make_plan(smr_ctx *ctx, const struct smr_forest_params *p, const smr_data *data,
                            struct smr_forest_plan *plan)
{
    smr_status st = SMR_OK;
    plan->p = p;
    plan->data = data;
    plan->seed = ctx->seed;
    plan->classify = data->task == SMR_TASK_CLASSIFY;
    plan->bagged = p->bootstrap == SMR_FOREST_BAG_YES ||
                   (p->bootstrap == SMR_FOREST_BAG_AUTO && p->mode == SMR_FOREST_RANDOM);
    plan->entropy = plan->classify && p->criterion == SMR_FOREST_ENTROPY;
    plan->width = plan->classify ? data->n_classes : data->n_outputs;
    plan->pitch = plan->width <= 8 ? 8 : plan->width <= 16 ? 16 : plan->width;
    plan->min_gain = p->min_gain;
    if (!plan->classify) TRY(scale_targets(ctx, plan));
    TRY(smr_forest_per_node(ctx, p->features, plan->classify, data->n_features, &plan->per_node));
    TRY(weigh_rows(ctx, plan));
    plan->min_leaf = p->min_leaf / plan->unit;
    plan->min_split = p->min_split / plan->unit;
    if (plan->unit != 1) { /* rounded weights may fall short */
        plan->min_leaf *= 1 - 1e-6;
        plan->min_split *= 1 - 1e-6;
    }
    if (plan->entropy) {
        TRY_NEW(plan->xlogx, SMALL);
        for (int64_t k = 2; k < SMALL; k++) plan->xlogx[k] = (double)k * smr_log((double)k);
    }
    TRY(make_cells(ctx, plan));
out:
    return st;
}

static void release_plan(struct smr_forest_plan *plan)
{
    smr_bins_release(&plan->bins);
    smr_free(plan->by_row);
    smr_free(plan->weight);
    smr_free(plan->scaled);
    smr_free(plan->xlogx);
}

/* ---- a wave of trees -------------------------------------------------------------------- */

/* What is left of a tree once it is grown. */
struct slot {
    smr_trees tree;
    double *gain;     /* n_features                   */
    int32_t *leaf;    /* n_rows, where there are bags */
    double *permuted; /* n_features, where asked for  */
    double left_out;  /* weight of its left-out rows  */
};

struct wave {
    const struct smr_forest_plan *plan;
    int64_t first;             /* tree */
    int64_t n, size;           /* trees; at most */
    struct slot *slot;         /* size */
    struct smr_grower *grower; /* lanes */
    int lanes;
    /* rows outside the bags */
    double *votes;  /* n_rows x width */
    int32_t *voted; /* n_rows: trees  */
    double *cost;   /* n_rows         */
    double *error;  /* blocks x size  */
    double *weight; /* blocks x size  */
    bool is_torn;   /* some of its trees are in the model, and not all of their votes counted */
};

/* Nodes of the sapling become leaves of the packed tree. */
static smr_status name_leaves(smr_ctx *ctx, const struct smr_grower *g, int32_t *leaf)
{
    smr_status st = SMR_OK;
    int32_t *name = NULL;
    TRY_NEW(name, g->sapling.n);
    TRY(smr_sapling_leaves(ctx, &g->sapling, name));
    for (int64_t i = 0; i < g->plan->data->n_rows; i++)
        if (leaf[i] >= 0) leaf[i] = name[leaf[i]];
out:
    smr_free(name);
    return st;
}

static smr_status grow_tree(smr_ctx *ctx, void *arg, int64_t task, int lane)
{
    struct wave *wave = arg;
    smr_status st = SMR_OK;
    struct smr_grower *g = &wave->grower[lane];
    struct slot *slot = &wave->slot[task];
    if (!g->plan) TRY(smr_grower_begin(ctx, wave->plan, g));
    TRY(smr_forest_grow(ctx, g, wave->first + task));
    if (slot->leaf) smr_forest_walk(g, slot->leaf);
    if (slot->permuted)
        TRY(smr_forest_permute(ctx, g, slot->leaf, slot->permuted, &slot->left_out));
    if (slot->leaf) TRY(name_leaves(ctx, g, slot->leaf));
    for (int64_t k = 0; wave->plan->scale && k < g->sapling.n * g->sapling.width; k++)
        g->sapling.value[k] = ldexp(g->sapling.value[k], wave->plan->scale);
    slot->tree.width = slot->tree.n_scores = wave->plan->width;
    TRY(smr_trees_add(ctx, &slot->tree, &g->sapling, slot->gain));
out:
    return st;
}

/* What the votes so far cost on row i. */
static double cost_of(const struct wave *wave, int64_t i)
{
    const smr_data *data = wave->plan->data;
    int64_t width = wave->plan->width, best = 0;
    const double *votes = wave->votes + i * width;
    if (wave->plan->classify) {
        for (int64_t k = 1; k < width; k++)
            if (votes[k] > votes[best]) best = k;
        return best != data->label[i];
    }
    double sum = 0;
    for (int64_t k = 0; k < width; k++) {
        double mean = ldexp(votes[k] / wave->voted[i], -wave->plan->scale);
        double e = mean - wave->plan->y[i * width + k];
        sum += e * e / (double)width;
    }
    return sum;
}

static smr_status count_votes(smr_ctx *ctx, void *arg, int64_t task, int lane)
{
    struct wave *wave = arg;
    const smr_data *data = wave->plan->data;
    int64_t width = wave->plan->width, end = smr_block_end(data->n_rows, BLOCK, task);
    (void)ctx, (void)lane;
    for (int64_t t = 0; t < wave->n; t++) {
        const struct slot *slot = &wave->slot[t];
        double error = 0, weight = 0;
        for (int64_t i = task * BLOCK; i < end; i++) {
            int32_t leaf = slot->leaf[i];
            if (leaf >= 0) {
                const double *value = slot->tree.value + leaf * width;
                for (int64_t k = 0; k < width; k++) wave->votes[i * width + k] += value[k];
                wave->voted[i]++;
                wave->cost[i] = cost_of(wave, i);
            }
            double w = wave->voted[i] ? smr_data_weight(data, i) : 0;
            error += w * wave->cost[i];
            weight += w;
        }
        wave->error[task * wave->size + t] = error;
        wave->weight[task * wave->size + t] = weight;
    }
    return SMR_OK;
}

/* A square in the target's own unit; NaN where no number is that large, or that small. */
static double unscaled(const struct smr_forest_plan *plan, double square)
{
    double x = ldexp(square, 2 * plan->scale);
    return isfinite(x) && (x != 0) == (square != 0) ? x : NAN;
}

static smr_status tell_errors(smr_ctx *ctx, struct wave *wave, struct smr_forest_state *s)
{
    smr_status st = SMR_OK;
    int64_t blocks = smr_block_count(wave->plan->data->n_rows, BLOCK);
    double all = 0;
    for (int64_t i = 0; i < wave->plan->data->n_rows; i++)
        all += smr_data_weight(wave->plan->data, i);
    TRY(smr_parallel(ctx, NULL, blocks, count_votes, wave));
    for (int64_t t = 0; t < wave->n; t++) {
        double error = 0, weight = 0;
        for (int64_t b = 0; b < blocks; b++) {
            error += wave->error[b * wave->size + t];
            weight += wave->weight[b * wave->size + t];
        }
        s->oob_error = weight > 0 ? unscaled(wave->plan, error / weight) : NAN;
        s->oob_curve[wave->first + t] = s->oob_error;
        s->oob_share = weight / all;
    }
out:
    return st;
}

static void clear_slots(struct wave *wave)
{
    for (int64_t t = 0; wave->slot && t < wave->size; t++) {
        smr_trees_free(&wave->slot[t].tree);
        smr_free(wave->slot[t].gain);
        smr_free(wave->slot[t].leaf);
        smr_free(wave->slot[t].permuted);
        wave->slot[t] = (struct slot){0};
    }
}

static smr_status grow_wave(smr_ctx *ctx, struct wave *wave, struct smr_forest_state *s,
                            smr_fit_report *report)
{
    smr_status st = SMR_OK;
    const struct smr_forest_plan *plan = wave->plan;
    for (int64_t t = 0; t < wave->n; t++) {
        TRY_NEW(wave->slot[t].gain, plan->data->n_features);
        if (plan->bagged) TRY_NEW(wave->slot[t].leaf, plan->data->n_rows);
        if (s->permuted) TRY_NEW(wave->slot[t].permuted, plan->data->n_features);
    }
    TRY(smr_parallel(ctx, WHAT, wave->n, grow_tree, wave));
    wave->is_torn = true;
    for (int64_t t = 0; t < wave->n; t++) {
        const struct slot *slot = &wave->slot[t];
        TRY(smr_trees_append(ctx, &s->trees, &slot->tree));
        for (int64_t j = 0; j < s->n_features; j++) s->gain[j] += slot->gain[j];
        for (int64_t j = 0; slot->permuted && slot->left_out > 0 && j < s->n_features; j++)
            s->permuted[j] += slot->permuted[j] / slot->left_out / (double)plan->p->trees;
    }
    if (plan->bagged) TRY(tell_errors(ctx, wave, s));
    for (int64_t t = 0; t < wave->n; t++)
        TRY(smr_fit_step(ctx, report, plan->bagged ? s->oob_curve[wave->first + t] : NAN));
    wave->is_torn = false;
out:
    clear_slots(wave);
    return st;
}

/* ---- the forest ------------------------------------------------------------------------- */

static smr_status begin_wave(smr_ctx *ctx, const struct smr_forest_plan *plan, bool is_kept,
                             struct wave *wave)
{
    smr_status st = SMR_OK;
    int64_t n = plan->data->n_rows, blocks = smr_block_count(n, BLOCK);
    wave->plan = plan;
    wave->lanes = smr_lanes(ctx);
    wave->size =
        is_kept ? KEPT_PER_LANE * wave->lanes : SMR_MAX(WAVE_LEAST, WAVE_PER_LANE * wave->lanes);
    wave->size = SMR_MIN(plan->p->trees, wave->size);
    TRY_NEW(wave->grower, wave->lanes);
    TRY_NEW(wave->slot, wave->size);
    if (!plan->bagged) goto out;
    TRY_NEW(wave->votes, n * plan->width);
    TRY_NEW(wave->voted, n);
    TRY_NEW(wave->cost, n);
    TRY_NEW(wave->error, blocks * wave->size);
    TRY_NEW(wave->weight, blocks * wave->size);
out:
    return st;
}

static void end_wave(struct wave *wave)
{
    for (int k = 0; wave->grower && k < wave->lanes; k++) smr_grower_end(&wave->grower[k]);
    clear_slots(wave);
    smr_free(wave->grower);
    smr_free(wave->slot);
    smr_free(wave->votes);
    smr_free(wave->voted);
    smr_free(wave->cost);
    smr_free(wave->error);
    smr_free(wave->weight);
}

static smr_status begin_state(smr_ctx *ctx, const struct smr_forest_plan *plan,
                              struct smr_forest_state *s)
{
    smr_status st = SMR_OK;
    s->n_features = plan->data->n_features;
    s->n_classes = plan->classify ? plan->width : 0;
    s->n_outputs = plan->classify ? 0 : plan->width;
    s->form = smr_data_natural_form(plan->data);
    s->per_node = plan->per_node;
    s->trees.width = s->trees.n_scores = plan->width;
    for (int64_t j = 0; j < s->n_features; j++) s->n_rounded += !plan->bins.is_exact[j];
    s->n_curve = plan->bagged ? plan->p->trees : 0;
    s->oob_error = s->oob_share = NAN;
    TRY_NEW(s->gain, s->n_features);
    if (s->n_curve) TRY_NEW(s->oob_curve, s->n_curve);
    if (plan->p->importance == SMR_FOREST_PERMUTATION) TRY_NEW(s->permuted, s->n_features);
out:
    return st;
}

/* The mean vote of each row goes to the report. */
static void tell_left_out(struct wave *wave, smr_fit_report *report)
{
    int64_t width = wave->plan->width;
    for (int64_t i = 0; i < wave->plan->data->n_rows; i++)
        for (int64_t k = 0; k < width; k++)
            wave->votes[i * width + k] /= wave->voted[i]; /* 0 / 0: not known */
    report->left_out = wave->votes;
    report->left_out_by = wave->voted;
    wave->votes = NULL;
    wave->voted = NULL;
}

/* Wave after wave, from where a checkpoint was left. */
static smr_status grow_all(smr_ctx *ctx, struct wave *wave, struct smr_forest_state *s,
                           smr_fit_report *report)
{
    smr_status st = SMR_OK;
    int64_t trees = wave->plan->p->trees;
    struct smr_forest_work work = {.state = s,
                                   .n_rows = wave->plan->data->n_rows,
                                   .n_trees = trees,
                                   .votes = wave->votes,
                                   .voted = wave->voted,
                                   .cost = wave->cost};
    smr_span span;
    smr_span_open(ctx, &span, WHAT, trees);
    TRY(smr_checkpoint_begin(ctx, report, &work));
    while (s->trees.n_trees < trees) {
        wave->first = s->trees.n_trees;
        wave->n = SMR_MIN(wave->size, trees - wave->first);
        TRY(smr_span_from(ctx, &span, wave->first, s->oob_error));
        TRY(grow_wave(ctx, wave, s, report));
        if (s->trees.n_trees < trees)
            TRY(smr_checkpoint_at(ctx, report, s->trees.n_trees, trees, &work));
    }
out:
    smr_span_close(ctx, &span);
    if (s->trees.n_trees > 0 && !wave->is_torn)
        st = smr_checkpoint_end(ctx, report, st, s->trees.n_trees, trees, &work);
    return st;
}

smr_status smr_forest_fit(smr_ctx *ctx, const void *params, const smr_data *data, void *state,
                          smr_fit_report *report)
{
    const struct smr_forest_params *p = params;
    struct smr_forest_state *s = state;
    smr_status st = SMR_OK;
    struct smr_forest_plan plan = {0};
    struct wave *wave = NULL;
    TRY_NEW(wave, 1);
    TRY(make_plan(ctx, p, data, &plan));
    if (report->keep_left_out && !plan.bagged) {
        st = smr_fail(ctx, SMR_ERR_PARAM,
                      "forest: without bags no row is left out of a tree; set bootstrap=yes to "
                      "have out-of-bag predictions");
        goto out;
    }
    TRY(begin_state(ctx, &plan, s));
    TRY(begin_wave(ctx, &plan, report->checkpoint != NULL, wave));
    TRY(grow_all(ctx, wave, s, report));
    if (report->keep_left_out) tell_left_out(wave, report);
    report->converged = true;
out:
    if (wave) end_wave(wave);
    smr_free(wave);
    release_plan(&plan);
    return st;
}

smr_status smr_forest_per_node(smr_ctx *ctx, const char *features, bool classify, int64_t d,
                               int64_t *out)
{
    double n = (double)d, share = 0;
    const char *end = features + strlen(features);
    bool is_auto = strcmp(features, "auto") == 0;
    if (strcmp(features, "sqrt") == 0 || (is_auto && classify))
        *out = (int64_t)sqrt(n);
    else if (strcmp(features, "third") == 0 || is_auto)
        *out = d / 3;
    else if (strcmp(features, "log2") == 0)
        for (*out = 0; d >> (*out + 1) > 0;) ++*out;
    else if (strcmp(features, "all") == 0)
        *out = d;
    else if (smr_parse_double(features, end, &share) == end && share > 0 && share <= 1)
        *out = (int64_t)(share * n);
    else
        return smr_fail(ctx, SMR_ERR_PARAM,
                        "forest: features=%s is none of auto, sqrt, log2, third, all, or a share "
                        "of the features above 0 and up to 1",
                        features);
    *out = SMR_MIN(d, SMR_MAX(1, *out));
    return SMR_OK;
}
