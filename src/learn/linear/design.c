/* design.c -- see design.h. */
#include "learn/linear/design.h"

#include "core/text.h"
#include "kernel/kernel.h"
#include "learn/linear/affine.h"
#include "math/factor.h"

#include <math.h>
#include <string.h>

enum {
    MAX_CHUNKS = 64,       /* enough for any machine to share          */
    MIN_CHUNK = 1024,      /* rows                                     */
    MAX_PARTIAL = 1 << 24, /* numbers in all partial results together  */
    SAMPLED = 16           /* blocks that choose shift and scale       */
};

/* A mean of more than this many spreads would cost digits if it were subtracted from sums. */
static const double FAR = 64;

/* ---- open and close --------------------------------------------------------------------- */

static smr_status make_room(smr_ctx *ctx, smr_design *out)
{
    smr_status st = SMR_OK;
    int64_t d = out->n_kept, lanes = smr_lanes(ctx);
    TRY_NEW(out->kept, d + 1);
    TRY_NEW(out->shift, d + 1);
    TRY_NEW(out->scale, d + 1);
    for (int64_t j = 0; j < d; j++) {
        out->kept[j] = j;
        out->scale[j] = 1;
    }
    if (out->sparse) {
        TRY_NEW(out->place, d + 1);
        for (int64_t j = 0; j < d; j++) out->place[j] = (int32_t)j;
    } else {
        TRY_NEW(out->blocks, lanes * 2 * SMR_ROWS_BLOCK * out->p);
        out->work_size = smr_gram_work(out->p);
        TRY_NEW(out->work, lanes * out->work_size);
    }
out:
    return st;
}

smr_status smr_design_open(smr_ctx *ctx, const smr_data *data, bool intercept, smr_design *out)
{
    smr_status st = SMR_OK;
    *out = (smr_design){.n = data->n_rows, .n_kept = data->n_features, .intercept = intercept};
    out->p = out->n_kept + intercept;
    out->sparse = data->sparse && !data->source;
    TRY(smr_held_open(ctx, data, out->sparse ? SMR_FORM_SPARSE : SMR_FORM_F64, SMR_ROWS_BLOCK,
                      &out->rows));
    TRY(make_room(ctx, out));
out:
    if (st != SMR_OK) smr_design_close(out);
    return st;
}

void smr_design_close(smr_design *design)
{
    smr_held_close(&design->rows);
    smr_free(design->work);
    smr_free(design->blocks);
    smr_free(design->place);
    smr_free(design->scale);
    smr_free(design->shift);
    smr_free(design->kept);
    *design = (smr_design){0};
}

void smr_design_drop(smr_design *design, int64_t n, const int64_t *columns)
{
    int64_t to = 0, next = 0;
    for (int64_t k = 0; k < design->n_kept; k++) {
        if (next < n && columns[next] == design->kept[k]) {
            if (design->place) design->place[design->kept[k]] = -1;
            next++;
            continue;
        }
        design->kept[to] = design->kept[k];
        design->shift[to] = design->shift[k];
        design->scale[to] = design->scale[k];
        if (design->place) design->place[design->kept[k]] = (int32_t)to;
        to++;
    }
    design->direct &= n == 0; /* columns are gathered */
    design->n_kept = to;
    design->p = to + design->intercept;
}

/* ---- one block -------------------------------------------------------------------------- */

static double sparse_score(const smr_design_block *b, int64_t r, const double *beta)
{
    const smr_design *D = b->design;
    double s = D->intercept ? beta[D->n_kept] : 0;
    for (int64_t e = b->rows.start[r]; e < b->rows.start[r + 1]; e++) {
        int32_t k = D->place[b->rows.column[e]];
        if (k >= 0) s += b->rows.value[e] * D->scale[k] * beta[k];
    }
    return s;
}

static const double *raw_row(const smr_design_block *b, int64_t r)
{
    return (const double *)b->rows.x + r * b->rows.stride;
}

/* z' beta = x' (scale beta) + the rest */
static void direct_scores(const smr_design_block *b, const double *beta, double *out)
{
    const smr_design *D = b->design;
    double *w = b->scratch, rest = D->intercept ? beta[D->n_kept] : 0;
    for (int64_t k = 0; k < D->n_kept; k++) {
        w[k] = D->scale[k] * beta[k];
        rest -= D->shift[k] * w[k];
    }
    smr_rows_times_f64(b->n, D->n_kept, 1, b->rows.x, b->rows.stride, w, D->n_kept, out);
    for (int64_t r = 0; r < b->n; r++) out[r] += rest;
}

void smr_block_scores(const smr_design_block *b, const double *beta, double *out)
{
    int64_t p = b->design->p;
    if (b->design->direct) {
        direct_scores(b, beta, out);
        return;
    }
    for (int64_t r = 0; r < b->n; r++)
        out[r] = b->z ? smr_dot_f64(p, b->z + r * p, beta) : sparse_score(b, r, beta);
}

static void direct_sums(const smr_design_block *b, int64_t k, const double *u, double *sums)
{
    const smr_design *D = b->design;
    int64_t d = D->n_kept;
    double *raw = b->scratch;
    memset(raw, 0, (size_t)(k * d) * sizeof *raw);
    smr_rows_add_f64(b->n, d, k, b->rows.x, b->rows.stride, u, raw, d);
    for (int64_t c = 0; c < k; c++, sums += D->p, raw += d) {
        double total = 0;
        for (int64_t r = 0; r < b->n; r++) total += u[r * k + c];
        for (int64_t j = 0; j < d; j++) sums[j] += (raw[j] - D->shift[j] * total) * D->scale[j];
        if (D->intercept) sums[d] += total;
    }
}

/* sums += by z_r of a block that is not direct. */
static void add_row(const smr_design_block *b, int64_t r, double by, double *sums)
{
    const smr_design *D = b->design;
    if (b->z) {
        smr_axpy_f64(D->p, by, b->z + r * D->p, sums);
        return;
    }
    if (D->intercept) sums[D->n_kept] += by;
    for (int64_t e = b->rows.start[r]; e < b->rows.start[r + 1]; e++) {
        int32_t k = D->place[b->rows.column[e]];
        if (k >= 0) sums[k] += by * b->rows.value[e] * D->scale[k];
    }
}

void smr_block_sums(const smr_design_block *b, int64_t k, const double *u, double *sums)
{
    if (b->design->direct) {
        direct_sums(b, k, u, sums);
        return;
    }
    for (int64_t r = 0; r < b->n; r++)
        for (int64_t c = 0; c < k; c++)
            if (u[r * k + c] != 0) add_row(b, r, u[r * k + c], sums + c * b->design->p);
}

/* Columns ascend within a row, and so do their places: pairs fall into the upper triangle. */
static void sparse_gram_row(const smr_design_block *b, int64_t r, double weight, double *G)
{
    const smr_design *D = b->design;
    int64_t end = b->rows.start[r + 1], p = D->p;
    for (int64_t e = b->rows.start[r]; e < end; e++) {
        int32_t k = D->place[b->rows.column[e]];
        if (k < 0) continue;
        double v = weight * b->rows.value[e] * D->scale[k];
        for (int64_t f = e; f < end; f++) {
            int32_t l = D->place[b->rows.column[f]];
            if (l >= 0) G[k * p + l] += v * b->rows.value[f] * D->scale[l];
        }
        if (D->intercept) G[k * p + D->n_kept] += v;
    }
    if (D->intercept) G[p * p - 1] += weight;
}

/* to = root * z of the row x; scales are powers of two, so the order of products is free. */
static void shape_row(const smr_design *D, const double *restrict x, double root,
                      double *restrict to)
{
    const double *restrict shift = D->shift, *restrict scale = D->scale;
    if (D->n_kept == D->rows.data.n_features)
        for (int64_t k = 0; k < D->n_kept; k++) to[k] = (x[k] - shift[k]) * scale[k] * root;
    else
        for (int64_t k = 0; k < D->n_kept; k++)
            to[k] = (x[D->kept[k]] - shift[k]) * scale[k] * root;
    if (D->intercept) to[D->n_kept] = root;
}

void smr_block_gram(const smr_design_block *b, const double *weight, double *G)
{
    const smr_design *D = b->design;
    int64_t p = D->p, count = 0;
    for (int64_t r = 0; r < b->n; r++) {
        if (weight[r] == 0) continue;
        if (D->sparse) {
            sparse_gram_row(b, r, weight[r], G);
            continue;
        }
        double *to = b->scratch + count++ * p, root = sqrt(weight[r]);
        if (!b->z) {
            shape_row(D, raw_row(b, r), root, to);
            continue;
        }
        for (int64_t k = 0; k < p; k++) to[k] = b->z[r * p + k] * root;
    }
    smr_ahead next = {NULL, 0};
    if (D->direct && count > b->n / 2) next = (smr_ahead){raw_row(b, b->n), b->rows.stride};
    if (count > 0) smr_gram_ahead_f64(count, p, b->scratch, p, G, p, b->work, next);
}

/* ---- passes ----------------------------------------------------------------------------- */

static smr_status read_block(smr_ctx *ctx, const smr_design *D, int lane, int64_t lo, int64_t hi,
                             smr_design_block *b)
{
    *b = (smr_design_block){.design = D, .first = lo, .n = hi - lo};
    smr_status st = smr_held_block(ctx, &D->rows, lane, lo, hi, &b->rows);
    if (st != SMR_OK || D->sparse) return st;
    double *z = D->blocks + (int64_t)lane * 2 * SMR_ROWS_BLOCK * D->p;
    b->scratch = z + SMR_ROWS_BLOCK * D->p;
    b->work = D->work + lane * D->work_size;
    if (D->direct) return SMR_OK;
    for (int64_t r = 0; r < b->n; r++) shape_row(D, raw_row(b, r), 1, z + r * D->p);
    b->z = z;
    return SMR_OK;
}

struct pass {
    const smr_design *design;
    smr_design_fn fn;
    bool (*skip)(const void *arg, int64_t lo, int64_t hi);
    void *arg;
    int64_t width, chunk;
    double *partials; /* n_chunks x width */
};

/* How many chunks there may be where each has `width` numbers. */
static int64_t most_chunks(int64_t width)
{
    return SMR_MIN(MAX_CHUNKS, SMR_MAX(1, MAX_PARTIAL / SMR_MAX(width, 1)));
}

/* That many rows and as many more as fill their last block. */
static int64_t whole_blocks(int64_t rows)
{
    return SMR_MAX(1, smr_block_count(rows, SMR_ROWS_BLOCK)) * SMR_ROWS_BLOCK;
}

static smr_status run_chunk(smr_ctx *ctx, void *arg, int64_t c, int lane)
{
    struct pass *p = arg;
    smr_status st = SMR_OK;
    int64_t end = smr_block_end(p->design->n, p->chunk, c);
    for (int64_t lo = c * p->chunk; lo < end; lo += SMR_ROWS_BLOCK) {
        int64_t hi = SMR_MIN(end, lo + SMR_ROWS_BLOCK);
        smr_design_block block;
        if (p->skip && p->skip(p->arg, lo, hi)) continue;
        TRY(read_block(ctx, p->design, lane, lo, hi, &block));
        p->fn(p->arg, &block, p->partials + c * p->width);
    }
out:
    return st;
}

smr_status smr_design_pass(smr_ctx *ctx, const smr_design *design, smr_design_fn fn,
                           bool (*skip)(const void *arg, int64_t lo, int64_t hi), void *arg,
                           int64_t width, double *out)
{
    smr_status st = SMR_OK;
    struct pass p = {.design = design, .fn = fn, .skip = skip, .arg = arg, .width = width};
    p.chunk = whole_blocks(SMR_MAX(MIN_CHUNK, smr_block_count(design->n, most_chunks(width))));
    int64_t n_chunks = smr_block_count(design->n, p.chunk);
    TRY_NEW(p.partials, n_chunks * width + 1);
    TRY(smr_parallel(ctx, NULL, n_chunks, run_chunk, &p));
    for (int64_t k = 0; k < width; k++) out[k] = 0;
    for (int64_t c = 0; c < n_chunks && width > 0; c++)
        smr_axpy_f64(width, 1, p.partials + c * width, out);
out:
    smr_free(p.partials);
    return st;
}

struct simple {
    const double *in, *weight;
    double *out;
    int64_t p;
};

static void scores_of(void *arg, const smr_design_block *b, double *partial)
{
    struct simple *s = arg;
    (void)partial;
    smr_block_scores(b, s->in, s->out + b->first);
}

static void sums_of(void *arg, const smr_design_block *b, double *partial)
{
    struct simple *s = arg;
    smr_block_sums(b, 1, s->in + b->first, partial);
}

static void gram_of(void *arg, const smr_design_block *b, double *partial)
{
    struct simple *s = arg;
    smr_block_gram(b, s->weight + b->first, partial);
    smr_block_sums(b, 1, s->in + b->first, partial + s->p * s->p);
}

smr_status smr_design_scores(smr_ctx *ctx, const smr_design *design, const double *beta,
                             double *out)
{
    struct simple s = {.in = beta, .out = out};
    return smr_design_pass(ctx, design, scores_of, NULL, &s, 0, NULL);
}

smr_status smr_design_sums(smr_ctx *ctx, const smr_design *design, const double *u, double *out)
{
    struct simple s = {.in = u};
    return smr_design_pass(ctx, design, sums_of, NULL, &s, design->p, out);
}

smr_status smr_design_gram(smr_ctx *ctx, const smr_design *design, const double *weight,
                           const double *u, double *G, double *sums)
{
    smr_status st = SMR_OK;
    int64_t p = design->p;
    double *both = NULL;
    struct simple s = {.in = u, .weight = weight, .p = p};
    TRY_NEW(both, p * p + p);
    TRY(smr_design_pass(ctx, design, gram_of, NULL, &s, p * p + p, both));
    for (int64_t k = 0; k < p; k++)
        for (int64_t l = k; l < p; l++) G[k * p + l] = G[l * p + k] = both[k * p + l];
    memcpy(sums, both + p * p, (size_t)p * sizeof *sums);
out:
    smr_free(both);
    return st;
}

struct some {
    const smr_design *design;
    int64_t n, group;
    const int64_t *rows;
    const double *weight;
    double *partials; /* groups x p x p */
};

/* A block's worth of rows that lie here and there: shaped next to each other, then multiplied. */
static smr_status gram_of_some(smr_ctx *ctx, const struct some *s, int lane, int64_t lo, int64_t hi,
                               double *G)
{
    const smr_design *D = s->design;
    smr_design_block b = {0};
    for (int64_t k = lo; k < hi; k++) {
        int64_t i = s->rows[k];
        smr_status st = read_block(ctx, D, lane, i, i + 1, &b);
        if (st != SMR_OK) return st;
        if (D->sparse) {
            sparse_gram_row(&b, 0, s->weight[k], G);
            continue;
        }
        double *to = b.scratch + (k - lo) * D->p, root = sqrt(s->weight[k]);
        if (D->direct)
            shape_row(D, raw_row(&b, 0), root, to);
        else
            for (int64_t j = 0; j < D->p; j++) to[j] = b.z[j] * root;
    }
    if (!D->sparse) smr_gram_f64(hi - lo, D->p, b.scratch, D->p, G, D->p, b.work);
    return SMR_OK;
}

static smr_status run_some(smr_ctx *ctx, void *arg, int64_t task, int lane)
{
    const struct some *s = arg;
    int64_t p = s->design->p, end = smr_block_end(s->n, s->group, task);
    smr_status st = SMR_OK;
    for (int64_t lo = task * s->group; lo < end; lo += SMR_ROWS_BLOCK)
        TRY(gram_of_some(ctx, s, lane, lo, SMR_MIN(end, lo + SMR_ROWS_BLOCK),
                         s->partials + task * p * p));
out:
    return st;
}

smr_status smr_design_gram_of(smr_ctx *ctx, const smr_design *design, int64_t n,
                              const int64_t *rows, const double *weight, double *G)
{
    smr_status st = SMR_OK;
    int64_t square = design->p * design->p, most = most_chunks(square);
    struct some s = {.design = design, .n = n, .rows = rows, .weight = weight};
    s.group = whole_blocks(smr_block_count(n, most));
    int64_t n_groups = smr_block_count(n, s.group);
    TRY_NEW(s.partials, n_groups * square + 1);
    TRY(smr_parallel(ctx, NULL, n_groups, run_some, &s));
    memset(G, 0, (size_t)square * sizeof *G);
    for (int64_t g = 0; g < n_groups; g++) smr_axpy_f64(square, 1, s.partials + g * square, G);
out:
    smr_free(s.partials);
    return st;
}

smr_status smr_design_row(smr_ctx *ctx, const smr_design *design, int64_t i, double *z)
{
    smr_design_block b;
    smr_status st = read_block(ctx, design, 0, i, i + 1, &b);
    if (st != SMR_OK) return st;
    if (b.z) memcpy(z, b.z, (size_t)design->p * sizeof *z);
    if (design->direct) shape_row(design, raw_row(&b, 0), 1, z);
    if (!design->sparse) return SMR_OK;
    double one = 1;
    memset(z, 0, (size_t)design->p * sizeof *z);
    smr_block_sums(&b, 1, &one, z);
    return SMR_OK;
}

/* ---- the frame -------------------------------------------------------------------------- */

/* Of dense rows some blocks tell enough. */
static bool not_sampled(const void *arg, int64_t lo, int64_t hi)
{
    const smr_design *D = arg;
    int64_t blocks = smr_block_count(D->n, SMR_ROWS_BLOCK), every = SMR_MAX(1, blocks / SAMPLED);
    (void)hi;
    return !D->sparse && lo / SMR_ROWS_BLOCK % every != 0;
}

/* partial: sums of weight (x - shift) and of its square, for each kept column; of the weight. */
static void moments_of(void *arg, const smr_design_block *b, double *partial)
{
    const smr_design *D = b->design;
    (void)arg;
    for (int64_t r = 0; r < b->n; r++) {
        double weight = smr_data_weight(&D->rows.data, b->first + r);
        partial[2 * D->n_kept] += weight;
        if (D->sparse) {
            for (int64_t e = b->rows.start[r]; e < b->rows.start[r + 1]; e++) {
                double v = b->rows.value[e];
                partial[2 * b->rows.column[e]] += weight * v;
                partial[2 * b->rows.column[e] + 1] += weight * v * v;
            }
            continue;
        }
        const double *z = b->z + r * D->p;
        for (int64_t k = 0; k < D->n_kept; k++) {
            partial[2 * k] += weight * z[k];
            partial[2 * k + 1] += weight * z[k] * z[k];
        }
    }
}

static double near_inverse(double x)
{
    int e = 0;
    if (!isfinite(x) || x <= 0) return 1;
    (void)frexp(x, &e);
    return ldexp(1, -SMR_MIN(SMR_MAX(e, -1000), 1000));
}

smr_status smr_design_explain(smr_ctx *ctx, const smr_design *D)
{
    smr_status st = smr_held_explain(ctx, &D->rows);
    if (st != SMR_OK) return st;
    return smr_fail(ctx, SMR_ERR_NUMERIC, "sums of squares overflow: rescale the columns");
}

smr_status smr_design_frame(smr_ctx *ctx, smr_design *D)
{
    smr_status st = SMR_OK;
    int64_t d = D->n_kept;
    double *sums = NULL, *first = NULL, weight = 0, seen;
    bool is_centred = true;
    TRY_NEW(sums, 2 * d + 1);
    TRY_NEW(first, D->p + 1);
    TRY(smr_design_row(ctx, D, 0, first));
    for (int64_t j = 0; j < d && !D->sparse && D->intercept; j++) D->shift[j] = first[j];
    for (int64_t i = 0; i < D->n; i++) weight += smr_data_weight(&D->rows.data, i);
    if (!(weight > 0)) TRY(smr_fail(ctx, SMR_ERR_DATA, "no rows to fit: all weights are 0"));
    TRY(smr_design_pass(ctx, D, moments_of, not_sampled, D, 2 * d + 1, sums));
    seen = sums[2 * d] > 0 ? sums[2 * d] : 1;
    for (int64_t j = 0; j < d; j++) {
        double mean = D->sparse || !D->intercept ? 0 : sums[2 * j] / seen;
        double square = sums[2 * j + 1] / seen - mean * mean;
        if (!isfinite(sums[2 * j + 1])) TRY(smr_design_explain(ctx, D));
        D->shift[j] += mean;
        D->scale[j] = near_inverse(sqrt(smr_fmax(square, 0)));
        is_centred &= fabs(D->shift[j] * D->scale[j]) <= FAR;
    }
    D->direct = !D->sparse && is_centred;
out:
    smr_free(first);
    smr_free(sums);
    return st;
}

void smr_design_coef(const smr_design *D, const double *beta, double *w, double *b)
{
    double origin = D->intercept ? beta[D->n_kept] : 0;
    for (int64_t j = 0; j < D->rows.data.n_features; j++) w[j] = 0;
    for (int64_t k = 0; k < D->n_kept; k++) {
        double v = beta[k] * D->scale[k];
        w[D->kept[k]] = v;
        origin -= v * D->shift[k];
    }
    *b = origin;
}

void smr_design_beta(const smr_design *D, const double *w, double b, double *beta)
{
    double origin = b;
    for (int64_t k = 0; k < D->n_kept; k++) {
        beta[k] = w[D->kept[k]] / D->scale[k];
        origin += w[D->kept[k]] * D->shift[k];
    }
    if (D->intercept) beta[D->n_kept] = origin;
}

/* ---- solving ---------------------------------------------------------------------------- */

static bool pivots_are_sound(int64_t p, const double *G, const double *L)
{
    for (int64_t k = 0; k < p; k++) {
        double pivot = L[k * p + k];
        if (!(pivot * pivot > 1e-13 * G[k * p + k])) return false;
    }
    return true;
}

smr_status smr_design_factor(smr_ctx *ctx, int64_t p, const double *G, double *L, double *mu)
{
    smr_status st = SMR_OK;
    bool found = false;
    int64_t failed_at = -1;
    *mu = -1;
    for (double try = 0; !found && try <= 1; try = try == 0 ? 1e-14 : 100 * try) {
        memcpy(L, G, (size_t)(p * p) * sizeof *L);
        for (int64_t k = 0; k < p; k++)
            if (!isfinite(G[k * p + k])) goto out;
        for (int64_t k = 0; k < p && try > 0; k++)
            L[k * p + k] = G[k * p + k] > 0 ? G[k * p + k] * (1 + try) : 1;
        TRY(smr_cholesky(ctx, p, L, p, &failed_at));
        found = failed_at < 0 && pivots_are_sound(p, G, L);
        if (found) *mu = try;
    }
out:
    return st;
}

smr_status smr_design_solve(smr_ctx *ctx, int64_t p, const double *L, double *x)
{
    return smr_cholesky_solve(ctx, p, 1, L, p, x, p);
}

/* NaN for what only mu made determinate: there the inverse is about 1 / mu. */
static smr_status blot_unknown(smr_ctx *ctx, int64_t p, const double *G, const double *H,
                               const double *L, double *C)
{
    smr_status st = SMR_OK;
    double *unit = NULL;
    TRY_NEW(unit, p);
    for (int64_t k = 0; k < p; k++) {
        for (int64_t l = 0; l < p; l++) unit[l] = l == k;
        TRY(smr_design_solve(ctx, p, L, unit));
        if (G[k * p + k] > 0 && unit[k] * H[k * p + k] < 1e9) continue;
        for (int64_t l = 0; l < p; l++) C[k * p + l] = C[l * p + k] = NAN;
    }
out:
    smr_free(unit);
    return st;
}

smr_status smr_design_inverse_between(smr_ctx *ctx, const smr_design *design, const double *G,
                                      double l2, double *C, double *mu)
{
    smr_status st = SMR_OK;
    int64_t p = design->p;
    double *H = NULL, *L = NULL;
    TRY_NEW(H, p * p);
    TRY_NEW(L, p * p);
    for (int64_t k = 0; k < p; k++)
        for (int64_t l = k; l < p; l++)
            H[k * p + l] = H[l * p + k] = C[k * p + l] = C[l * p + k] = G[k * p + l];
    for (int64_t k = 0; k < design->n_kept; k++)
        H[k * p + k] += l2 * design->scale[k] * design->scale[k];
    TRY(smr_design_factor(ctx, p, H, L, mu));
    if (*mu < 0) goto out;
    for (int round = 0; round < 2; round++) { /* H^-1 G, then H^-1 of its transpose */
        TRY(smr_cholesky_solve(ctx, p, p, L, p, C, p));
        for (int64_t k = 0; k < p; k++)
            for (int64_t l = 0; l < k; l++) {
                double swap = C[k * p + l];
                C[k * p + l] = C[l * p + k];
                C[l * p + k] = swap;
            }
    }
    if (*mu > 0) TRY(blot_unknown(ctx, p, G, H, L, C));
out:
    smr_free(L);
    smr_free(H);
    return st;
}

/* ---- words ------------------------------------------------------------------------------ */

smr_status smr_design_warn_columns(smr_ctx *ctx, const char *learner, const smr_data *data,
                                   int64_t n, const int64_t *columns, const char *what)
{
    enum { SHOWN = 5 };
    smr_status st = SMR_OK;
    smr_text text = {.ctx = ctx};
    smr_text_printf(&text, "%s: %lld of %lld columns add nothing to the others:", learner,
                    (long long)n, (long long)data->n_features);
    for (int64_t i = 0; i < SMR_MIN(n, SHOWN); i++) {
        char name[32];
        smr_text_printf(&text, "%s '%s'", i > 0 ? "," : "",
                        smr_affine_name(data->features, columns[i], name));
    }
    if (n > SHOWN) smr_text_printf(&text, " and %lld more", (long long)n - SHOWN);
    smr_text_printf(&text, ". %s", what);
    TRY(smr_text_done(&text));
    smr_warn(ctx, "%s", text.bytes);
out:
    smr_text_release(&text);
    return st;
}
