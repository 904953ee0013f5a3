/* kernel_ready.c -- what is built of kept points before they are used: see kernel_points.h. */
#include "learn/kernels/kernel_tile.h"

#include "core/parallel.h"
#include "kernel/alike.h"
#include "kernel/kernel.h"

#include <string.h>

/* gamma |x|^2 past which a difference of floats would lose more than 2^-12 of an exponential: a
 * float holds |x|^2 to about 2^-22 of it. */
#define NARROW_MOST 1024

int64_t smr_scaling_number(const smr_kernel *k, int64_t node)
{
    int64_t n = 0;
    for (int64_t i = 0; i < node; i++) n += k->node[i].op == SMR_KERNEL_SCALING;
    return n;
}

static int64_t depth_of(const smr_kernel *k)
{
    int64_t top = 0, most = 1;
    for (int64_t i = 0; i < k->n; i++) {
        smr_kernel_op op = k->node[i].op;
        top += op == SMR_KERNEL_WORD || op == SMR_KERNEL_CONSTANT;
        top -= op == SMR_KERNEL_SUM || op == SMR_KERNEL_PRODUCT;
        most = SMR_MAX(most, top);
    }
    return most;
}

/* Squares beyond these would be lost in floats. */
#define SQUARE_LEAST 1e-24
#define SQUARE_MOST 1e30

bool smr_kernel_is_out_of_floats(const smr_kernel_points *p)
{
    return p->reach > SQUARE_MOST || (p->reach > 0 && p->reach < SQUARE_LEAST);
}

bool smr_kernel_needs_double(const smr_kernel *k, const smr_kernel_points *p)
{
    if (p->x_f64 || p->value_f64 || p->n == 0) return true; /* points of a stream are doubles */
    if (smr_kernel_is_out_of_floats(p)) return true;
    for (int64_t i = 0; i < k->n; i++)
        if (k->node[i].op == SMR_KERNEL_WORD && k->node[i].kind == SMR_KERNEL_RBF &&
            p->gamma[k->node[i].leaf] * p->reach > NARROW_MOST)
            return true;
    return !smr_kernel_reads_numbers(k) || smr_kernel_has(k, SMR_KERNEL_PRECOMPUTED);
}

static bool multiplies(const smr_kernel *k)
{
    for (int64_t i = 0; i < k->n; i++) {
        const smr_kernel_node *n = &k->node[i];
        if (n->op == SMR_KERNEL_WORD && !smr_kernel_is_of_text(n->kind) &&
            n->kind != SMR_KERNEL_LAPLACIAN && n->kind != SMR_KERNEL_CHI2 &&
            n->kind != SMR_KERNEL_PRECOMPUTED)
            return true;
    }
    return false;
}

bool smr_kernel_is_of_products(const smr_kernel *k)
{
    return multiplies(k) && !smr_kernel_has(k, SMR_KERNEL_LAPLACIAN) &&
           !smr_kernel_has(k, SMR_KERNEL_CHI2) && !smr_kernel_has(k, SMR_KERNEL_PRECOMPUTED);
}

int64_t smr_tile_room(const smr_kernel_points *p)
{
    int64_t entries = SMR_TILE_ROWS * p->d, size = (int64_t)p->ready->size;
    if (!p->n_starts) return 0;
    if (!p->ready->panels) return SMR_TILE_GROUP * p->d;
    return (8 * (SMR_TILE_ROWS + 1) + entries * (4 + size) + 63) / 64 * 64 / size;
}

int64_t smr_tile_work(const smr_kernel_points *p)
{
    const struct smr_kernel_ready *r = p->ready;
    return (smr_tile_room(p) + r->depth * SMR_TILE_ROWS * SMR_TILE_COLUMNS) * (int64_t)r->size;
}

/* ---- numbers ---------------------------------------------------------------------------- */

/* The array in the type that is computed in: itself, or a copy. */
static smr_status widen(smr_ctx *ctx, int64_t n, const float *narrow, const double *wide,
                        bool to_double, const void **out, void **own)
{
    smr_status st = SMR_OK;
    double *copy = NULL;
    *out = wide ? (const void *)wide : narrow;
    if (!narrow || !to_double) return SMR_OK;
    TRY_NEW(copy, n + 1);
    for (int64_t i = 0; i < n; i++) copy[i] = (double)narrow[i];
    *out = *own = copy;
out:
    return st;
}

/* Sparse points, dense for as long as it takes to pack them. */
smr_status smr_kernel_pack_entries(smr_ctx *ctx, const smr_kernel_points *p, const int32_t *index,
                                   int64_t lo, int64_t hi, void *panels)
{
    smr_status st = SMR_OK;
    const struct smr_kernel_ready *r = p->ready;
    char *x = NULL;
    TRY_NEW(x, (hi - lo) * p->d * (int64_t)r->size);
    for (int64_t i = lo; i < hi; i++) {
        int64_t at = index ? index[i] : i, to = (i - lo) * p->d;
        for (int64_t e = p->start[at]; e < p->start[at + 1]; e++)
            if (r->wide)
                ((double *)(void *)x)[to + p->column[e]] = ((const double *)r->value)[e];
            else
                ((float *)(void *)x)[to + p->column[e]] = ((const float *)r->value)[e];
    }
    if (r->wide)
        smr_pack_f64(hi - lo, p->d, (void *)x, p->d,
                     (char *)panels + smr_panels_size_f64(lo, p->d));
    else
        smr_pack_f32(hi - lo, p->d, (void *)x, p->d,
                     (char *)panels + smr_panels_size_f32(lo, p->d));
out:
    smr_free(x);
    return st;
}

struct packing {
    const smr_kernel_points *points;
    struct smr_kernel_ready *ready;
};

/* |x|^2 of some points, and their panels. */
static smr_status pack_task(smr_ctx *ctx, void *arg, int64_t task, int lane)
{
    const struct packing *work = arg;
    const smr_kernel_points *p = work->points;
    struct smr_kernel_ready *r = work->ready;
    int64_t lo = task * SMR_TILE_COLUMNS, hi = smr_block_end(p->n, SMR_TILE_COLUMNS, task);
    (void)lane;
    for (int64_t i = lo; i < hi; i++) {
        int64_t at = p->start ? p->start[i] : i * p->d;
        int64_t n = p->start ? p->start[i + 1] - at : p->d;
        const void *x = p->start ? r->value : r->x;
        if (r->wide)
            ((double *)r->norm)[i] = smr_square_chain_f64(n, (const double *)x + at);
        else
            ((float *)r->norm)[i] = smr_square_chain_f32(n, (const float *)x + at);
    }
    if (r->panels && p->start) return smr_kernel_pack_entries(ctx, p, NULL, lo, hi, r->panels);
    if (r->panels && r->wide)
        smr_pack_f64(hi - lo, p->d, (const double *)r->x + lo * p->d, p->d,
                     (char *)r->panels + smr_panels_size_f64(lo, p->d));
    else if (r->panels)
        smr_pack_f32(hi - lo, p->d, (const float *)r->x + lo * p->d, p->d,
                     (char *)r->panels + smr_panels_size_f32(lo, p->d));
    return SMR_OK;
}

static smr_status prepare_numbers(smr_ctx *ctx, const smr_kernel *k, smr_kernel_points *p)
{
    smr_status st = SMR_OK;
    struct smr_kernel_ready *r = p->ready;
    TRY(widen(ctx, p->n * p->d, p->x_f32, p->x_f64, r->wide, &r->x, &r->own_x));
    TRY(widen(ctx, p->n_entries, p->value_f32, p->value_f64, r->wide, &r->value, &r->own_value));
    if (!multiplies(k)) return SMR_OK;
    r->norm = smr_alloc(ctx, p->n + 1, r->size);
    if (!r->norm) return SMR_ERR_NOMEM;
    if (r->x || (p->start && p->d < SMR_KERNEL_WIDE && smr_kernel_is_of_products(k))) {
        int64_t bytes = r->wide ? smr_panels_size_f64(p->n, p->d) : smr_panels_size_f32(p->n, p->d);
        r->panels = smr_alloc_raw(ctx, bytes + 64, 1);
        if (!r->panels) return SMR_ERR_NOMEM;
    }
    struct packing work = {p, r};
    TRY(smr_parallel(ctx, NULL, smr_block_count(p->n, SMR_TILE_COLUMNS), pack_task, &work));
out:
    return st;
}

/* ---- texts ------------------------------------------------------------------------------ */

static smr_status prepare_texts(smr_ctx *ctx, const smr_kernel *k, smr_kernel_points *p)
{
    smr_status st = SMR_OK;
    struct smr_kernel_ready *r = p->ready;
    r->n_words = k->n_words;
    TRY_NEW(r->text, k->n_words + 1);
    for (int64_t i = 0; i < k->n; i++) {
        const smr_kernel_node *node = &k->node[i];
        smr_piece *piece = NULL;
        if (node->op != SMR_KERNEL_WORD || !smr_kernel_is_of_text(node->kind)) continue;
        TRY_NEW(piece, p->n + 1);
        for (int64_t j = 0; j < p->n; j++)
            piece[j].at = smr_strings_get(&p->strings, j * p->n_texts + p->word_text[node->leaf],
                                          &piece[j].n);
        TRY(smr_text_set_make(ctx, node, p->n, piece, NULL, NULL, &r->text[node->leaf]));
    }
out:
    return st;
}

/* ---- scalings --------------------------------------------------------------------------- */

smr_kernel_side smr_kernel_side_of(const smr_kernel_points *p)
{
    const struct smr_kernel_ready *r = p->ready;
    return (smr_kernel_side){.n = p->n,
                             .x = r->x,
                             .panels = r->panels,
                             .start = p->start,
                             .column = p->column,
                             .value = r->value,
                             .norm = r->norm,
                             .f = r->f,
                             .f_stride = p->n,
                             .place = p->place,
                             .text = r->text};
}

static smr_status prepare_scalings(smr_ctx *ctx, const smr_kernel *k, smr_kernel_points *p)
{
    smr_status st = SMR_OK;
    struct smr_kernel_ready *r = p->ready;
    char *work = NULL, *out = NULL;
    r->n_scalings = smr_scaling_number(k, k->n);
    if (r->n_scalings == 0) return SMR_OK;
    r->f = smr_alloc(ctx, r->n_scalings * p->n + 1, r->size);
    if (!r->f) return SMR_ERR_NOMEM;
    TRY_NEW(work, smr_tile_work(p));
    TRY_NEW(out, SMR_TILE_COLUMNS * (int64_t)sizeof(double));
    smr_kernel_side side = smr_kernel_side_of(p);
    for (int64_t lo = 0; lo < p->n; lo += SMR_TILE_COLUMNS) {
        smr_kernel_tile t = {.kernel = k,
                             .points = p,
                             .B = &side,
                             .column = lo,
                             .w = SMR_MIN(SMR_TILE_COLUMNS, p->n - lo),
                             .out = out,
                             .ld = SMR_TILE_COLUMNS,
                             .work = work};
        TRY(smr_self(ctx, &t, r->f));
    }
out:
    smr_free(work);
    smr_free(out);
    return st;
}

smr_status smr_kernel_prepare(smr_ctx *ctx, const smr_kernel *k, smr_kernel_points *p)
{
    smr_status st = SMR_OK;
    struct smr_kernel_ready *r = NULL;
    if (p->ready) return SMR_OK; /* fit has done it */
    TRY_NEW(r, 1);
    p->ready = r;
    r->wide = smr_kernel_needs_double(k, p);
    r->size = r->wide ? sizeof(double) : sizeof(float);
    r->depth = depth_of(k);
    TRY(prepare_numbers(ctx, k, p));
    TRY(prepare_texts(ctx, k, p));
    TRY(prepare_scalings(ctx, k, p));
out:
    if (st != SMR_OK) smr_kernel_release(p);
    return st;
}

void smr_kernel_release(smr_kernel_points *p)
{
    struct smr_kernel_ready *r = p->ready;
    if (!r) return;
    for (int64_t i = 0; r->text && i < r->n_words; i++) smr_text_set_release(&r->text[i]);
    smr_free(r->text);
    smr_free(r->own_x);
    smr_free(r->own_value);
    smr_free(r->panels);
    smr_free(r->norm);
    smr_free(r->f);
    smr_free(r);
    p->ready = NULL;
}
