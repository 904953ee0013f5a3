/* objective.c -- opening, and the functions that math/optimize.h calls; see objective.h. */
#include "learn/linear/objective.h"

#include "learn/linear/objective_parts.h"

#include <math.h>
#include <string.h>

/* ---- the function ------------------------------------------------------------------------ */

/* sum over classes of variable j of the weights, or of b (j = d). */
static double together(const smr_linear_objective *o, const double *w, int64_t j)
{
    double sum = 0;
    for (int64_t c = 0; c < o->k; c++) sum += j < o->d ? w[c * o->d + j] : w[o->k * o->d + c];
    return sum;
}

/* The columns whose classes `pinned` holds together: [first, last). */
static int64_t pinned_from(const smr_linear_objective *o)
{
    return o->pinned_weights ? 0 : o->pinned ? o->d : o->d + o->fit_intercept;
}

static void pin(const smr_linear_objective *o, const double *w, double *f, double *out)
{
    for (int64_t j = pinned_from(o); j < o->d + o->fit_intercept; j++) {
        double sum = together(o, w, j);
        if (f) *f += sum * sum / 2;
        for (int64_t c = 0; c < o->k; c++) out[j < o->d ? c * o->d + j : o->k * o->d + c] += sum;
    }
}

static bool all_finite(int64_t n, const double *x)
{
    bool is = true;
    for (int64_t i = 0; i < n; i++) is &= isfinite(x[i]) != 0;
    return is;
}

/* The evaluation's sums and *f, and the rows' part of the Hessian. */
static smr_status find_hessian(smr_ctx *ctx, smr_linear_objective *o, const double *w, double *f)
{
    smr_status st = SMR_OK;
    int64_t n = o->function.n;
    o->wants_hessian = o->has_found = false;
    if (!o->found) TRY_NEW(o->found, n * n);
    if (!o->at) TRY_NEW(o->at, n);
    memset(o->found, 0, (size_t)(n * n) * sizeof *o->found);
    TRY(smr_linear_pass_curved(ctx, o, w, o->sums, f, o->found));
    memcpy(o->at, w, (size_t)n * sizeof *w);
    o->has_found = true;
out:
    return st;
}

static smr_status evaluate(smr_ctx *ctx, void *self, const double *w, double *f, double *g)
{
    smr_linear_objective *o = self;
    smr_status st = SMR_OK;
    int64_t n_weights = o->k * o->d, n = o->function.n;
    if (o->wants_hessian)
        TRY(find_hessian(ctx, o, w, f));
    else
        TRY(smr_linear_pass(ctx, o, SMR_LINEAR_EVALUATE, w, o->sums, f, NULL));
    if (!o->is_checked && !(isfinite(*f) && all_finite(n, o->sums))) {
        o->is_checked = true;
        TRY(smr_held_explain(ctx, &o->rows));
    }
    memcpy(g, o->sums, (size_t)n * sizeof *g);
    smr_axpy_f64(n_weights, o->l2, w, g);
    *f += o->l2 / 2 * smr_dot_f64(n_weights, w, w);
    pin(o, w, f, g);
    if (o->seen) memcpy(o->seen, w, (size_t)n * sizeof *w);
    o->has_fresh = o->seen != NULL;
out:
    return st;
}

static smr_status prepare(smr_ctx *ctx, void *self, const double *w)
{
    smr_linear_objective *o = self;
    double *fresh = o->fresh;
    (void)ctx, (void)w;
    o->fresh = o->curve;
    o->curve = fresh;
    o->has_fresh = false;
    return SMR_OK;
}

static smr_status hessian_times(smr_ctx *ctx, void *self, const double *w, const double *v,
                                double *out)
{
    smr_linear_objective *o = self;
    smr_status st = SMR_OK;
    (void)w;
    TRY(smr_linear_pass(ctx, o, SMR_LINEAR_TIMES, v, o->sums, NULL, NULL));
    memcpy(out, o->sums, (size_t)o->function.n * sizeof *out);
    smr_axpy_f64(o->k * o->d, o->l2, v, out);
    pin(o, v, NULL, out);
out:
    return st;
}

static smr_status hessian_diagonal(smr_ctx *ctx, void *self, const double *w, double *h)
{
    smr_linear_objective *o = self;
    smr_status st = SMR_OK;
    (void)w;
    TRY(smr_linear_pass(ctx, o, SMR_LINEAR_DIAGONAL, NULL, o->sums, NULL, NULL));
    memcpy(h, o->sums, (size_t)o->function.n * sizeof *h);
    for (int64_t i = 0; i < o->k * o->d; i++) h[i] += o->l2;
    for (int64_t j = pinned_from(o); j < o->d + o->fit_intercept; j++)
        for (int64_t c = 0; c < o->k; c++) h[j < o->d ? c * o->d + j : o->k * o->d + c] += 1;
out:
    return st;
}

/* H of the rows becomes that of (1). */
static void add_penalty(const smr_linear_objective *o, double *H)
{
    int64_t n = o->function.n, k = o->k, d = o->d;
    for (int64_t i = 0; i < k * d; i++) H[i * n + i] += o->l2;
    for (int64_t j = pinned_from(o); j < d + o->fit_intercept; j++)
        for (int64_t c = 0; c < k; c++)
            for (int64_t e = 0; e < k; e++) {
                int64_t row = j < d ? c * d + j : k * d + c, column = j < d ? e * d + j : k * d + e;
                H[row * n + column] += 1;
            }
}

static bool has_hessian(const smr_linear_objective *o, const double *w)
{
    return o->has_found && memcmp(o->at, w, (size_t)o->function.n * sizeof *w) == 0;
}

static smr_status hessian(smr_ctx *ctx, void *self, const double *w, double *H)
{
    smr_linear_objective *o = self;
    smr_status st = SMR_OK;
    size_t size = (size_t)(o->function.n * o->function.n) * sizeof *H;
    if (has_hessian(o, w)) {
        memcpy(H, o->found, size);
    } else {
        memset(H, 0, size);
        TRY(smr_linear_hessian(ctx, o, H));
    }
    add_penalty(o, H);
out:
    return st;
}

smr_status smr_linear_hessian_at(smr_ctx *ctx, smr_linear_objective *o, const double *w, double *H)
{
    smr_status st = SMR_OK;
    double value, *g = NULL;
    size_t size = (size_t)o->function.n * sizeof *w;
    bool is_fresh = o->has_fresh && memcmp(o->seen, w, size) == 0;
    if (has_hessian(o, w)) return hessian(ctx, o, w, H);
    if (!is_fresh) {
        TRY_NEW(g, o->function.n);
        TRY(evaluate(ctx, o, w, &value, g));
    }
    TRY(prepare(ctx, o, w));
    TRY(hessian(ctx, o, w, H));
out:
    smr_free(g);
    return st;
}

int64_t smr_linear_take_every(smr_linear_objective *o, int64_t every)
{
    int64_t step = o->run * every;
    o->every = every;
    o->has_fresh = o->has_found = false;
    if (o->by_columns) memset(o->slopes, 0, (size_t)(o->n * o->turned) * sizeof *o->slopes);
    return o->n / step * o->run + SMR_MIN(o->run, o->n % step);
}

void smr_linear_want_hessian(smr_linear_objective *o)
{
    o->wants_hessian = o->function.hessian != NULL && !o->by_columns;
}

int64_t smr_linear_run(const smr_linear_objective *o)
{
    return o->run;
}

bool smr_linear_has_hessian(const smr_linear_objective *o, const double *w)
{
    return has_hessian(o, w);
}

smr_status smr_linear_scores(smr_ctx *ctx, smr_linear_objective *o, const double *w, double *scores)
{
    return smr_linear_pass(ctx, o, SMR_LINEAR_SCORES, w, NULL, NULL, scores);
}

smr_status smr_linear_moments(smr_ctx *ctx, smr_linear_objective *o, double *mean, double *square,
                              double *total)
{
    smr_status st = SMR_OK;
    TRY(smr_linear_pass(ctx, o, SMR_LINEAR_SUM, NULL, o->sums, NULL, NULL));
    *total = o->sums[o->k * o->d];
    for (int64_t j = 0; j < o->d; j++) mean[j] = o->sums[j] / *total;
    TRY(smr_linear_pass(ctx, o, SMR_LINEAR_SQUARES, NULL, o->sums, NULL, NULL));
    for (int64_t j = 0; j < o->d; j++) square[j] = o->sums[j] / *total;
out:
    return st;
}

/* ---- opening ---------------------------------------------------------------------------- */

static smr_status check_weights(smr_ctx *ctx, const smr_linear_objective *o)
{
    double sum = 0;
    smr_status st = smr_held_check_weights(ctx, o->learner, 0, o->n, o->weight, &sum);
    if (st == SMR_OK && !(sum > 0))
        st = smr_fail(ctx, SMR_ERR_DATA, "%s: all weights are 0: no row counts", o->learner);
    return st;
}

enum { FILLED = 1 << 16 }; /* rows of a task */

/* -1 and 1 for the classes. */
static smr_status fill_margins(smr_ctx *ctx, void *arg, int64_t task, int lane)
{
    smr_linear_objective *o = arg;
    (void)ctx, (void)lane;
    for (int64_t i = task * FILLED; i < smr_block_end(o->n, FILLED, task); i++)
        o->own_y[i] = 2 * (double)(o->data->label[i] > 0) - 1;
    return SMR_OK;
}

/* Targets of a loss with one score. */
static smr_status find_targets(smr_ctx *ctx, smr_linear_objective *o, const smr_linear_problem *p)
{
    smr_status st = SMR_OK;
    const smr_data *data = p->data;
    bool from_labels = !p->y && o->loss->kind == SMR_LOSS_MARGIN && data->label;
    bool from_column = !p->y && !from_labels && data->y && data->n_outputs > 1;
    o->y = p->y ? p->y : data->y;
    if (from_labels || from_column) {
        TRY_NEW(o->own_y, o->n);
        if (from_labels)
            TRY(smr_parallel(ctx, NULL, smr_block_count(o->n, FILLED), fill_margins, o));
        for (int64_t i = 0; i < o->n && from_column; i++)
            o->own_y[i] = data->y[i * data->n_outputs];
        o->y = o->own_y;
    }
    if (!o->y) TRY(smr_fail(ctx, SMR_ERR_DATA, "%s: a target is needed", o->learner));
    TRY(smr_loss_check(ctx, o->loss, o->param, from_labels ? 0 : o->n, o->y));
out:
    return st;
}

static smr_status find_labels(smr_ctx *ctx, smr_linear_objective *o)
{
    const smr_data *data = o->data;
    o->label = data->label;
    if (!o->label || o->k < 1)
        return smr_fail(ctx, SMR_ERR_DATA, "%s: classes are needed as the target", o->learner);
    return SMR_OK;
}

/* Are dense rows mostly zeros?  Asked of up to 256 rows, spread evenly. */
static smr_status count_zeros(smr_ctx *ctx, const smr_data *data, smr_form form, bool *many)
{
    enum { SAMPLE = 256 };
    smr_status st = SMR_OK;
    smr_data quiet = *data; /* without the search for missing values */
    smr_reader *reader = NULL;
    int32_t *column = NULL;
    double *value = NULL;
    int64_t n = SMR_MIN(SAMPLE, data->n_rows), d = data->n_features, count = 0;
    TRY_NEW(column, d + 16);
    TRY_NEW(value, d + 16);
    quiet.refuse_missing = false;
    TRY(smr_reader_open(ctx, &quiet, form, 1, &reader));
    for (int64_t s = 0; s < n; s++) {
        smr_rows row;
        int64_t i = s * data->n_rows / n;
        TRY(smr_reader_rows(ctx, reader, i, i + 1, &row));
        count += form == SMR_FORM_U8    ? smr_squeeze_u8(d, row.x, column, value)
                 : form == SMR_FORM_F32 ? smr_squeeze_f32(d, row.x, column, value)
                                        : smr_squeeze_f64(d, row.x, column, value);
    }
    *many = (double)count < 0.3 * (double)n * (double)d;
out:
    smr_reader_close(reader);
    smr_free(value);
    smr_free(column);
    return st;
}

/* Sparse rows of many columns: sums of each chunk would be most of the work and of the memory where
 * all of them hold more numbers than the rows have slopes.  Then the slopes of all rows are kept,
 * and the sums are taken column by column. */
enum { LEAST_CHUNKS = 8, LEAST_WIDE = 1 << 16 };

static smr_status choose_form(smr_ctx *ctx, smr_linear_objective *o)
{
    smr_status st = SMR_OK;
    o->form = smr_data_is_sparse(o->data) ? SMR_FORM_SPARSE : SMR_FORM_F64;
    if (o->form == SMR_FORM_F64 && !o->data->source && o->k >= 4 && o->d > 0) {
        smr_form natural = smr_data_natural_form(o->data);
        TRY(count_zeros(ctx, o->data, natural, &o->squeezes));
        if (o->squeezes) o->form = natural;
    }
    smr_dense dense;
    o->lies_in_place = o->form == SMR_FORM_F64 && smr_data_whole(o->data, SMR_FORM_F64, &dense);
    bool entries = o->squeezes || o->form == SMR_FORM_SPARSE;
    o->turned = entries && o->k > 1 ? (o->k + 7) / 8 * 8 : 0;
    o->by_columns = o->turned && !o->squeezes && o->n <= INT32_MAX && o->k * o->d >= LEAST_WIDE &&
                    LEAST_CHUNKS * o->d > o->n;
out:
    return st;
}

/* Rows of a block: 128 KB of doubles, so that the way back finds them in the second cache, and
 * enough of them to pay for reading and writing the sums.  Chunks: a function of the sizes
 * alone. */
static void cut(smr_linear_objective *o)
{
    int64_t d = SMR_MAX(1, o->d), k = o->k;
    int64_t rows = SMR_MIN(256, SMR_MAX((128 << 10) / (8 * d), k > 1 ? 48 : 16));
    o->block = (rows + 7) / 8 * 8;
    o->run = SMR_MIN(o->block, 128);
    o->part = SMR_MIN(o->block, SMR_MAX(8, (13 << 10) / (8 * d) / 8 * 8));
    o->wide = o->by_columns ? 0 : o->turned ? o->d * o->turned : k * o->d;
    o->stride = (o->wide + k + 1 + 7) / 8 * 8;
    int64_t most = SMR_MIN(64, SMR_MAX(LEAST_CHUNKS, (1 << 20) / o->stride));
    int64_t least = SMR_MAX(1, (1 << 16) / (d * k * o->block)); /* blocks of a chunk */
    int64_t n_blocks = smr_block_count(o->n, o->block);
    int64_t blocks = SMR_MAX(least, smr_block_count(n_blocks, most));
    o->chunk = blocks * o->block;
    o->n_chunks = smr_block_count(o->n, o->chunk);
}

static smr_status open_lane(smr_ctx *ctx, smr_linear_objective *o, struct smr_linear_lane *lane)
{
    smr_status st = SMR_OK;
    TRY_NEW(lane->score, o->block * o->k);
    TRY_NEW(lane->slope, o->block * o->k);
    TRY_NEW(lane->value, o->block);
    TRY_NEW(lane->top, o->block);
    TRY_NEW(lane->sum, o->block);
    TRY_NEW(lane->start, o->block + 1);
    if (o->squeezes) {
        TRY_NEW(lane->column, o->block * o->d + 16);
        TRY_NEW(lane->entry, o->block * o->d + 16);
    }
    bool dense = o->form == SMR_FORM_F64 && !o->squeezes;
    TRY_NEW(lane->square, dense ? o->block * o->d : o->d + 8);
    if (o->by_columns) TRY_NEW(lane->strips, SMR_LINEAR_STRIPS * o->turned);
out:
    return st;
}

static smr_status make_room(smr_ctx *ctx, smr_linear_objective *o, bool second_order)
{
    smr_status st = SMR_OK;
    TRY_NEW(o->partial, o->n_chunks * o->stride);
    TRY_NEW(o->sums, o->k * o->d + o->k);
    if (o->turned) TRY_NEW(o->weights, o->d * o->turned);
    if (o->by_columns) {
        TRY_NEW(o->slopes, o->n * o->turned);
        TRY(smr_by_column_open(ctx, o->data, NULL, "take fewer columns", &o->columns));
    }
    if (second_order) {
        TRY_NEW(o->seen, o->function.n);
        TRY_NEW(o->fresh, o->n * o->k);
        TRY_NEW(o->curve, o->n * o->k);
    }
    TRY(smr_held_open(ctx, o->data, o->form, o->block, &o->rows));
    TRY_NEW(o->lanes, smr_lanes(ctx));
    o->n_lanes = smr_lanes(ctx); /* those that are not open yet are all NULL */
    for (int i = 0; i < o->n_lanes; i++) TRY(open_lane(ctx, o, &o->lanes[i]));
out:
    return st;
}

smr_status smr_linear_objective_open(smr_ctx *ctx, const char *learner, const smr_linear_problem *p,
                                     smr_linear_objective **out)
{
    smr_status st = SMR_OK;
    smr_linear_objective *o = NULL;
    const smr_data *data = p->data;
    bool classes = p->loss->kind == SMR_LOSS_CLASSES;
    *out = NULL;
    if (data->n_rows < 1) return smr_fail(ctx, SMR_ERR_DATA, "%s: no rows to fit", learner);
    TRY_NEW(o, 1);
    o->learner = learner, o->data = data;
    o->loss = p->loss, o->param = p->param, o->l2 = p->l2;
    o->fit_intercept = p->fit_intercept;
    o->pinned = (p->pinned || p->pinned_weights) && classes;
    o->pinned_weights = p->pinned_weights && classes;
    o->every = 1;
    o->n = data->n_rows, o->d = data->n_features;
    o->k = classes ? data->n_classes : 1;
    o->weight = p->weight ? p->weight : data->weight;
    TRY(check_weights(ctx, o));
    TRY(classes ? find_labels(ctx, o) : find_targets(ctx, o, p));
    TRY(choose_form(ctx, o));
    cut(o);
    bool second = p->second_order && p->loss->is_smooth;
    o->function = (smr_objective){.n = o->k * (o->d + o->fit_intercept),
                                  .self = o,
                                  .evaluate = evaluate,
                                  .prepare = second ? prepare : NULL,
                                  .hessian_times = second ? hessian_times : NULL,
                                  .hessian_diagonal = second ? hessian_diagonal : NULL,
                                  .hessian = second ? hessian : NULL};
    TRY(make_room(ctx, o, second));
    *out = o;
    o = NULL;
out:
    smr_linear_objective_close(o);
    return st;
}

void smr_linear_objective_close(smr_linear_objective *o)
{
    if (!o) return;
    for (int i = 0; o->lanes && i < o->n_lanes; i++) {
        struct smr_linear_lane *lane = &o->lanes[i];
        smr_free(lane->score);
        smr_free(lane->slope);
        smr_free(lane->value);
        smr_free(lane->top);
        smr_free(lane->sum);
        smr_free(lane->start);
        smr_free(lane->column);
        smr_free(lane->entry);
        smr_free(lane->square);
        smr_free(lane->strips);
    }
    smr_free(o->lanes);
    smr_held_close(&o->rows);
    smr_by_column_close(&o->columns);
    smr_free(o->slopes);
    smr_free(o->partial);
    smr_free(o->sums);
    smr_free(o->weights);
    smr_free(o->seen);
    smr_free(o->fresh);
    smr_free(o->curve);
    smr_free(o->found);
    smr_free(o->at);
    smr_free(o->own_y);
    smr_free(o);
}

const smr_objective *smr_linear_function(const smr_linear_objective *o)
{
    return &o->function;
}

int64_t smr_linear_n_scores(const smr_linear_objective *o)
{
    return o->k;
}

void smr_linear_set_l2(smr_linear_objective *o, double l2)
{
    o->l2 = l2;
}
