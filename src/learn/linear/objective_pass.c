/* objective_pass.c -- one pass over the rows: scores forward, loss, sums backward; see objective.h.
 *
 * A chunk of rows, a task of its own, goes block by block: scores of the block, what the loss makes
 * of them (slopes R, n x k), and R'X added to the chunk's sums while the block is still in the
 * cache.  The chunks' sums are added in their order at the end.
 *
 * With one score a dense row costs less than its way from memory.  So that memory does not rest
 * while scores and losses are computed, such a block goes in parts of some 13 KB, and the part
 * after the next is fetched between the steps: 27 ns a row of 50 doubles where the sum of them
 * takes 24, and the block in one piece 39. */
#include "learn/linear/objective_parts.h"
#include "math/optimize/column_sums.h"

#include <string.h>

struct pass {
    smr_linear_objective *o;
    enum smr_linear_work work;
    const double *w;
    double *sums, *scores;
    const struct smr_linear_curving *curving; /* adds up the Hessian too; or NULL */
};

/* ---- rows ------------------------------------------------------------------------------- */

static void squeeze(const smr_linear_objective *o, struct smr_linear_lane *lane, smr_rows *rows)
{
    int64_t n = 0;
    for (int64_t i = 0; i < rows->n; i++) {
        int64_t at = i * rows->stride;
        lane->start[i] = n;
        if (rows->form == SMR_FORM_U8)
            n += smr_squeeze_u8(o->d, (const uint8_t *)rows->x + at, lane->column + n,
                                lane->entry + n);
        else if (rows->form == SMR_FORM_F32)
            n += smr_squeeze_f32(o->d, (const float *)rows->x + at, lane->column + n,
                                 lane->entry + n);
        else
            n += smr_squeeze_f64(o->d, (const double *)rows->x + at, lane->column + n,
                                 lane->entry + n);
    }
    lane->start[rows->n] = n;
    rows->form = SMR_FORM_SPARSE;
    rows->start = lane->start;
    rows->column = lane->column;
    rows->value = lane->entry;
}

smr_status smr_linear_rows(smr_ctx *ctx, const smr_linear_objective *o, int lane, int64_t lo,
                           int64_t hi, smr_rows *out)
{
    smr_status st = smr_held_block(ctx, &o->rows, lane, lo, hi, out);
    if (st == SMR_OK && o->squeezes) squeeze(o, &o->lanes[lane], out);
    return st;
}

/* ---- scores ----------------------------------------------------------------------------- */

/* out (rows x k) = W x + b. */
static void forward(const smr_linear_objective *o, const double *w, const smr_rows *rows,
                    double *out)
{
    int64_t k = o->k, d = o->d;
    const double *b = w + k * d;
    if (rows->form != SMR_FORM_SPARSE) {
        smr_rows_times_f64(rows->n, d, k, rows->x, rows->stride, w, d, out);
    } else {
        for (int64_t i = 0; i < rows->n; i++) {
            int64_t lo = rows->start[i], n = rows->start[i + 1] - lo;
            if (o->turned)
                smr_entries_times_f64(n, rows->column + lo, rows->value + lo, k, o->weights,
                                      o->turned, out + i * k);
            else
                out[i] = smr_sparse_dot(n, rows->column + lo, rows->value + lo, w);
        }
    }
    for (int64_t i = 0; i < rows->n && o->fit_intercept; i++)
        for (int64_t c = 0; c < k; c++) out[i * k + c] += b[c];
}

/* ---- sums ------------------------------------------------------------------------------- */

static void backward_entries(const smr_linear_objective *o, const smr_rows *rows, const double *R,
                             bool squared, double *square, double *sums)
{
    for (int64_t i = 0; i < rows->n; i++) {
        int64_t lo = rows->start[i], n = rows->start[i + 1] - lo;
        const double *value = rows->value + lo;
        for (int64_t e = 0; e < n && squared; e++) square[e] = value[e] * value[e];
        if (squared) value = square;
        if (o->turned)
            smr_entries_add_f64(n, rows->column + lo, value, o->k, R + i * o->k, sums, o->turned);
        else
            smr_sparse_add(n, rows->column + lo, value, R[i], sums);
    }
}

/* Of rows whose sums are taken column by column: R alone. */
static void keep_slopes(smr_linear_objective *o, const smr_rows *rows, const double *R)
{
    for (int64_t i = 0; i < rows->n; i++)
        memcpy(o->slopes + (rows->first + i) * o->turned, R + i * o->k, (size_t)o->k * sizeof *R);
}

/* sums += R'X, and after the weights the sums of R's columns. */
static void backward(smr_linear_objective *o, const smr_rows *rows, const double *R, bool squared,
                     double *square, double *sums)
{
    int64_t k = o->k, d = o->d;
    double *b = sums + o->wide;
    if (o->by_columns) {
        keep_slopes(o, rows, R);
    } else if (rows->form == SMR_FORM_SPARSE) {
        backward_entries(o, rows, R, squared, square, sums);
    } else if (squared) {
        for (int64_t i = 0; i < rows->n; i++) {
            const double *x = (const double *)rows->x + i * rows->stride;
            for (int64_t j = 0; j < d; j++) square[i * d + j] = x[j] * x[j];
        }
        smr_rows_add_f64(rows->n, d, k, square, d, R, sums, d);
    } else {
        smr_rows_add_f64(rows->n, d, k, rows->x, rows->stride, R, sums, d);
    }
    if (k == 1) {
        b[0] += smr_sum_f64(rows->n, R);
        return;
    }
    for (int64_t i = 0; i < rows->n; i++)
        for (int64_t c = 0; c < k; c++) b[c] += R[i * k + c];
}

/* ---- what the loss makes of a block ------------------------------------------------------ */

/* R (in lane->slope), the rows' values, and what second order keeps. */
static void slopes_one(smr_linear_objective *o, struct smr_linear_lane *lane, const smr_rows *rows,
                       double *value)
{
    int64_t first = rows->first, n = rows->n;
    double *curve = o->fresh ? o->fresh + first : NULL;
    const double *weight = o->weight ? o->weight + first : NULL;
    smr_loss_block(o->loss, o->param, n, o->y + first, lane->score, value, lane->slope, curve);
    for (int64_t i = 0; i < n && weight; i++) {
        lane->slope[i] *= weight[i];
        value[i] = weight[i] == 0 ? 0 : value[i] * weight[i];
        if (curve) curve[i] *= weight[i];
    }
}

/* smr_loss_classes for cross entropy, a step for all rows of the block at a time: value (n) and the
 * gradient p - e_y in `slope` (n x k), from the scores, which are kept. */
static void softmax(const smr_linear_objective *o, struct smr_linear_lane *lane, int64_t n,
                    const int32_t *label)
{
    int64_t k = o->k;
    for (int64_t i = 0; i < n; i++) {
        const double *f = lane->score + i * k;
        double top = f[0];
        for (int64_t c = 1; c < k; c++) top = f[c] > top ? f[c] : top;
        for (int64_t c = 0; c < k; c++) lane->slope[i * k + c] = f[c] - top;
        lane->top[i] = top;
    }
    smr_exp_f64(n * k, lane->slope, lane->slope);
    for (int64_t i = 0; i < n; i++) {
        double *p = lane->slope + i * k, own = p[label[i]], others = 0;
        p[label[i]] = 0;
        for (int64_t c = 0; c < k; c++) others += p[c];
        double scale = 1 / (own + others);
        for (int64_t c = 0; c < k; c++) p[c] *= scale;
        p[label[i]] = -others * scale;
        lane->sum[i] = own + others;
    }
    smr_log_f64(n, lane->sum, lane->sum);
    for (int64_t i = 0; i < n; i++)
        lane->value[i] = lane->sum[i] + (lane->top[i] - lane->score[i * k + label[i]]);
}

static double slopes_classes(smr_linear_objective *o, struct smr_linear_lane *lane,
                             const smr_rows *rows)
{
    int64_t first = rows->first, n = rows->n, k = o->k;
    if (o->loss->id == SMR_LOSS_CROSS_ENTROPY)
        softmax(o, lane, n, o->label + first);
    else
        smr_loss_classes(o->loss, n, k, o->label + first, lane->score, lane->value, lane->slope);
    if (o->fresh) { /* probabilities */
        memcpy(o->fresh + first * k, lane->slope, (size_t)(n * k) * sizeof *o->fresh);
        for (int64_t i = 0; i < n; i++) o->fresh[(first + i) * k + o->label[first + i]] += 1;
    }
    for (int64_t i = 0; i < n && o->weight; i++) {
        double weight = o->weight[first + i];
        lane->value[i] = weight == 0 ? 0 : lane->value[i] * weight;
        for (int64_t c = 0; c < k; c++) lane->slope[i * k + c] *= weight;
    }
    return smr_sum_f64(n, lane->value);
}

/* R of the Hessian times a vector with scores z: s z, or weight p (z - p'z). */
static void bend(const smr_linear_objective *o, struct smr_linear_lane *lane, const smr_rows *rows)
{
    int64_t first = rows->first, k = o->k;
    for (int64_t i = 0; i < rows->n; i++) {
        const double *z = lane->score + i * k, *p = o->curve + (first + i) * k;
        double *R = lane->slope + i * k, mean = 0, weight = smr_linear_weight(o, first + i);
        if (o->loss->kind != SMR_LOSS_CLASSES) {
            R[0] = p[0] * z[0];
            continue;
        }
        for (int64_t c = 0; c < k; c++) mean += p[c] * z[c];
        for (int64_t c = 0; c < k; c++) R[c] = weight * p[c] * (z[c] - mean);
    }
}

/* R of the diagonal: s, or weight p (1 - p). */
static void bend_alone(const smr_linear_objective *o, struct smr_linear_lane *lane,
                       const smr_rows *rows)
{
    int64_t first = rows->first, k = o->k;
    for (int64_t i = 0; i < rows->n; i++)
        for (int64_t c = 0; c < k; c++) {
            double p = o->curve[(first + i) * k + c];
            lane->slope[i * k + c] = o->loss->kind == SMR_LOSS_CLASSES
                                         ? smr_linear_weight(o, first + i) * p * (1 - p)
                                         : p;
        }
}

/* R of plain sums: the weight, once. */
static void weigh(const smr_linear_objective *o, struct smr_linear_lane *lane, const smr_rows *rows)
{
    for (int64_t i = 0; i < rows->n; i++)
        for (int64_t c = 0; c < o->k; c++)
            lane->slope[i * o->k + c] = c == 0 ? smr_linear_weight(o, rows->first + i) : 0;
}

/* ---- the pass --------------------------------------------------------------------------- */

/* Asks for `n` rows from row `from` on, which may lie after the block.  Always inline: gcc takes a
 * function that only fetches to be pure, and leaves its calls out. */
static inline __attribute__((always_inline)) void
fetch(const smr_linear_objective *o, const smr_rows *rows, int64_t from, int64_t n)
{
    const char *at = (const char *)((const double *)rows->x + from * rows->stride);
    int64_t size = n * rows->stride * (int64_t)sizeof(double);
    for (int64_t b = 0; b < size && o->lies_in_place; b += 64) __builtin_prefetch(at + b, 0, 2);
}

/* Where row `at` of the block's rows is, or of the block that is taken after it. */
static int64_t further(const smr_linear_objective *o, const smr_rows *rows, int64_t at)
{
    return at < rows->n ? at : at + (o->every - 1) * o->run;
}

/* One score: part by part. */
static void evaluate_block(struct pass *p, struct smr_linear_lane *lane, const smr_rows *rows,
                           double *sums)
{
    smr_linear_objective *o = p->o;
    int64_t size = rows->form == SMR_FORM_F64 ? o->part : rows->n, half = size / 2;
    for (int64_t lo = 0; lo < rows->n; lo += size) {
        smr_rows part = *rows;
        int64_t ahead = lo + 2 * size;
        part.first = rows->first + lo;
        part.n = SMR_MIN(size, rows->n - lo);
        if (rows->form == SMR_FORM_F64) part.x = (const double *)rows->x + lo * rows->stride;
        forward(o, p->w, &part, lane->score);
        if (size < rows->n) fetch(o, rows, further(o, rows, ahead), half);
        slopes_one(o, lane, &part, lane->value + lo);
        if (size < rows->n) fetch(o, rows, further(o, rows, ahead + half), size - half);
        backward(o, &part, lane->slope, false, lane->square, sums);
    }
    sums[o->wide + o->k] += smr_sum_f64(rows->n, lane->value);
}

static void take_block(struct pass *p, struct smr_linear_lane *lane, const smr_rows *rows,
                       double *sums)
{
    smr_linear_objective *o = p->o;
    if (p->work == SMR_LINEAR_SCORES) {
        forward(o, p->w, rows, p->scores + rows->first * o->k);
        return;
    }
    if (p->work == SMR_LINEAR_EVALUATE && o->loss->kind != SMR_LOSS_CLASSES) {
        evaluate_block(p, lane, rows, sums);
        return;
    }
    bool squared = p->work == SMR_LINEAR_DIAGONAL || p->work == SMR_LINEAR_SQUARES;
    if (p->w) forward(o, p->w, rows, lane->score);
    switch (p->work) {
    case SMR_LINEAR_EVALUATE: sums[o->wide + o->k] += slopes_classes(o, lane, rows); break;
    case SMR_LINEAR_TIMES: bend(o, lane, rows); break;
    case SMR_LINEAR_DIAGONAL: bend_alone(o, lane, rows); break;
    default: weigh(o, lane, rows); break;
    }
    backward(o, rows, lane->slope, squared, lane->square, sums);
}

static smr_status take_chunk(smr_ctx *ctx, void *arg, int64_t task, int lane)
{
    smr_status st = SMR_OK;
    struct pass *p = arg;
    const struct smr_linear_curving *curving = p->curving;
    smr_linear_objective *o = p->o;
    double *sums = o->partial + task * o->stride;
    int64_t end = smr_block_end(o->n, o->chunk, task);
    memset(sums, 0, (size_t)o->stride * sizeof *sums);
    for (int64_t lo = smr_linear_first(o, task * o->chunk); lo < end; lo += smr_linear_step(o)) {
        smr_rows rows;
        TRY(smr_linear_rows(ctx, o, lane, lo, smr_linear_end(o, lo, end), &rows));
        rows.first = lo;
        take_block(p, &o->lanes[lane], &rows, sums);
        if (curving) smr_linear_curving_add(curving, lane, task / curving->group, &rows);
    }
out:
    return st;
}

/* The chunks that share a matrix. */
static smr_status take_group(smr_ctx *ctx, void *arg, int64_t task, int lane)
{
    smr_status st = SMR_OK;
    struct pass *p = arg;
    int64_t end = smr_block_end(p->o->n_chunks, p->curving->group, task);
    for (int64_t c = task * p->curving->group; c < end; c++) TRY(take_chunk(ctx, p, c, lane));
out:
    return st;
}

enum { RANGE = 4096 }; /* numbers that one task adds up */

/* sums of the columns [lo, hi) of turned weights, or of the numbers [lo, hi). */
static smr_status add_range(smr_ctx *ctx, void *arg, int64_t task, int lane)
{
    struct pass *p = arg;
    const smr_linear_objective *o = p->o;
    int64_t lo = task * RANGE, hi = SMR_MIN(o->wide, lo + RANGE);
    (void)ctx, (void)lane;
    for (int64_t c = 1; c < o->n_chunks; c++)
        smr_axpy_f64(hi - lo, 1, o->partial + c * o->stride + lo, o->partial + lo);
    if (!o->turned) {
        memcpy(p->sums + lo, o->partial + lo, (size_t)(hi - lo) * sizeof *p->sums);
        return SMR_OK;
    }
    for (int64_t at = lo; at < hi; at++) {
        int64_t j = at / o->turned, c = at % o->turned;
        if (c < o->k) p->sums[c * o->d + j] = o->partial[at];
    }
    return SMR_OK;
}

/* out (turned) = sum of the squares of column j's entries by the slopes of their rows. */
static void add_squares(const smr_linear_objective *o, int64_t j, double *out)
{
    const smr_columns *X = &o->columns.X;
    memset(out, 0, (size_t)o->turned * sizeof *out);
    for (int64_t e = X->start[j]; e < X->start[j + 1]; e++) {
        double square = X->value[e] * X->value[e];
        const double *R = o->slopes + X->row[e] * o->turned;
        for (int64_t c = 0; c < o->k; c++) out[c] += square * R[c];
    }
}

/* The sums of some columns. */
static smr_status add_columns(smr_ctx *ctx, void *arg, int64_t task, int lane)
{
    struct pass *p = arg;
    const smr_linear_objective *o = p->o;
    const smr_columns *X = &o->columns.X;
    double *strips = o->lanes[lane].strips;
    bool squared = p->work == SMR_LINEAR_DIAGONAL || p->work == SMR_LINEAR_SQUARES;
    int64_t lo = task * SMR_LINEAR_STRIPS, hi = smr_block_end(o->d, SMR_LINEAR_STRIPS, task);
    (void)ctx;
    for (int64_t j = lo; j < hi; j++) {
        int64_t first = X->start[j], n = X->start[j + 1] - first;
        double *out = strips + (j - lo) * o->turned;
        if (squared)
            add_squares(o, j, out);
        else
            smr_entries_times_f64(n, X->row + first, X->value + first, o->k, o->slopes, o->turned,
                                  out);
    }
    for (int64_t c = 0; c < o->k; c++)
        for (int64_t j = lo; j < hi; j++) p->sums[c * o->d + j] = strips[(j - lo) * o->turned + c];
    return SMR_OK;
}

static smr_status turn_columns(smr_ctx *ctx, void *arg, int64_t task, int lane)
{
    struct pass *p = arg;
    const smr_linear_objective *o = p->o;
    int64_t lo = task * SMR_LINEAR_STRIPS, hi = smr_block_end(o->d, SMR_LINEAR_STRIPS, task);
    (void)ctx, (void)lane;
    for (int64_t c = 0; c < o->k; c++)
        for (int64_t j = lo; j < hi; j++) o->weights[j * o->turned + c] = p->w[c * o->d + j];
    return SMR_OK;
}

/* The weights of a column next to each other, where that is wanted. */
static smr_status turn(smr_ctx *ctx, struct pass *p)
{
    if (!p->o->turned || !p->w) return SMR_OK;
    return smr_parallel(ctx, NULL, smr_block_count(p->o->d, SMR_LINEAR_STRIPS), turn_columns, p);
}

/* The chunks' sums together, in p->sums and *value. */
static smr_status add_chunks(smr_ctx *ctx, struct pass *p, double *value)
{
    smr_status st = SMR_OK;
    const smr_linear_objective *o = p->o;
    double total = 0, *sums = p->sums;
    if (o->by_columns)
        TRY(smr_parallel(ctx, NULL, smr_block_count(o->d, SMR_LINEAR_STRIPS), add_columns, p));
    else
        TRY(smr_parallel(ctx, NULL, smr_block_count(o->wide, RANGE), add_range, p));
    for (int64_t c = 0; c < o->k; c++) sums[o->k * o->d + c] = 0;
    for (int64_t t = 0; t < o->n_chunks; t++) {
        const double *rest = o->partial + t * o->stride + o->wide;
        for (int64_t c = 0; c < o->k; c++) sums[o->k * o->d + c] += rest[c];
        total += rest[o->k];
    }
    if (value) *value = total;
out:
    return st;
}

smr_status smr_linear_pass(smr_ctx *ctx, smr_linear_objective *o, enum smr_linear_work work,
                           const double *w, double *sums, double *value, double *scores)
{
    smr_status st = SMR_OK;
    struct pass p = {o, work, w, sums, scores, NULL};
    TRY(turn(ctx, &p));
    TRY(smr_parallel(ctx, NULL, o->n_chunks, take_chunk, &p));
    if (sums) TRY(add_chunks(ctx, &p, value));
out:
    return st;
}

smr_status smr_linear_pass_curved(smr_ctx *ctx, smr_linear_objective *o, const double *w,
                                  double *sums, double *value, double *H)
{
    smr_status st = SMR_OK;
    struct smr_linear_curving curving = {0};
    struct pass p = {o, SMR_LINEAR_EVALUATE, w, sums, NULL, &curving};
    TRY(turn(ctx, &p));
    TRY(smr_linear_curving_open(ctx, o, o->fresh, &curving));
    TRY(smr_parallel(ctx, NULL, curving.n_tasks, take_group, &p));
    TRY(add_chunks(ctx, &p, value));
    smr_linear_curving_settle(&curving, H);
out:
    smr_linear_curving_close(&curving);
    return st;
}
