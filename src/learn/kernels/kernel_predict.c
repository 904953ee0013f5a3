/* kernel_predict.c -- K between rows that come in and the points: see kernel_points.h.
 *
 * Rows are taken some at a time, in the type and with the centre of the points, and meet the points
 * tile by tile.  Nothing of it depends on how many rows come together. */
#include "learn/kernels/kernel_tile.h"

#include "kernel/alike.h"
#include "kernel/kernel.h"

#include <math.h>
#include <string.h>

enum { ROWS = SMR_TILE_ROWS, COLUMNS = SMR_TILE_COLUMNS };

/* The scratch, piece after piece. */
struct desk {
    char *work;         /* of tiles                     */
    char *x;            /* ROWS x d of real             */
    char *norm;         /* ROWS of real                 */
    char *f;            /* n_scalings x ROWS of real    */
    char *tile;         /* ROWS x COLUMNS of real       */
    double *wide, *sum; /* ROWS x COLUMNS; ROWS x n_outputs */
    smr_text_room room; /* of one row's texts; size 0: the points have none */
};

static char *piece(char *base, int64_t *used, int64_t bytes)
{
    char *at = base ? base + *used : NULL;
    *used += (bytes + 63) / 64 * 64;
    return at;
}

/* The sets of one row's texts, and their values with a tile of points. */
static int64_t text_room(const smr_kernel *k, const smr_kernel_points *p)
{
    int64_t bytes = 0;
    if (p->n_texts == 0) return 0;
    for (int64_t i = 0; i < k->n; i++) {
        const smr_kernel_node *node = &k->node[i];
        if (node->op == SMR_KERNEL_WORD && smr_kernel_is_of_text(node->kind))
            bytes += smr_text_room_for(node, &p->ready->text[node->leaf], COLUMNS);
    }
    return bytes + (p->ready->n_words + 1) * (int64_t)sizeof(smr_text_set) + 128;
}

/* base NULL: only measures. */
static int64_t lay_out(const smr_kernel *k, const smr_kernel_points *p, int64_t n_outputs,
                       char *base, struct desk *desk)
{
    const struct smr_kernel_ready *r = p->ready;
    int64_t used = 0, size = (int64_t)r->size;
    desk->work = piece(base, &used, smr_tile_work(p));
    desk->x = piece(base, &used, p->n_starts ? 0 : ROWS * p->d * size);
    desk->norm = piece(base, &used, COLUMNS * size);
    desk->f = piece(base, &used, r->n_scalings * ROWS * size);
    desk->tile = piece(base, &used, ROWS * COLUMNS * size);
    desk->wide = (double *)(void *)piece(base, &used, ROWS * COLUMNS * (int64_t)sizeof(double));
    desk->sum = (double *)(void *)piece(base, &used, ROWS * n_outputs * (int64_t)sizeof(double));
    desk->room = (smr_text_room){.size = (size_t)text_room(k, p)};
    desk->room.base = piece(base, &used, (int64_t)desk->room.size);
    return used;
}

int64_t smr_kernel_scratch(const smr_kernel *kernel, const smr_kernel_points *p, int64_t n,
                           int64_t n_outputs)
{
    struct desk desk;
    (void)n;
    return lay_out(kernel, p, n_outputs, NULL, &desk);
}

/* ---- rows as a side --------------------------------------------------------------------- */

static void put_real(const struct smr_kernel_ready *r, void *x, int64_t j, double value)
{
    if (r->wide)
        ((double *)x)[j] = value;
    else
        ((float *)x)[j] = (float)value;
}

/* Row `at` less the centre, without its texts.  Points that are floats meet rows rounded to float,
 * also where they are multiplied in double. */
static void take_row(const smr_kernel_points *p, const smr_rows *rows, int64_t at, void *x)
{
    const struct smr_kernel_ready *r = p->ready;
    int64_t t = 0, to = 0, e = rows->form == SMR_FORM_SPARSE ? rows->start[at] : 0;
    for (int64_t j = 0; j < rows->d; j++) {
        double value = 0;
        if (t < p->n_texts && p->text_feature[t] == j) {
            t++;
            continue;
        }
        if (rows->form != SMR_FORM_SPARSE)
            value = smr_rows_number(rows, at, j);
        else if (e < rows->start[at + 1] && rows->column[e] == j)
            value = rows->value[e++];
        if (p->center) value -= p->center[to];
        put_real(r, x, to++, p->x_f32 ? (double)(float)value : value);
    }
}

static double norm_of_sparse(const smr_kernel_points *p, const smr_rows *rows, int64_t at)
{
    float sum32 = 0;
    double sum64 = 0;
    int64_t lo = rows->form == SMR_FORM_SPARSE ? rows->start[at] : 0;
    int64_t hi = rows->form == SMR_FORM_SPARSE ? rows->start[at + 1] : rows->d;
    for (int64_t e = lo; e < hi; e++) {
        double x = rows->form == SMR_FORM_SPARSE ? rows->value[e] : smr_rows_number(rows, at, e);
        if (p->value_f32) x = (double)(float)x;
        sum32 = fmaf((float)x, (float)x, sum32);
        sum64 = fma(x, x, sum64);
    }
    return p->ready->wide ? sum64 : (double)sum32;
}

static void take_rows(const smr_kernel_points *p, const smr_rows *rows, int64_t first,
                      const struct desk *desk, smr_kernel_side *side)
{
    const struct smr_kernel_ready *r = p->ready;
    for (int64_t i = 0; i < side->n; i++) {
        char *x = desk->x + (size_t)(i * p->d) * r->size;
        if (p->start) {
            put_real(r, desk->norm, i, norm_of_sparse(p, rows, first + i));
            continue;
        }
        take_row(p, rows, first + i, x);
        if (r->wide)
            ((double *)(void *)desk->norm)[i] = smr_square_chain_f64(p->d, (void *)x);
        else
            ((float *)(void *)desk->norm)[i] = smr_square_chain_f32(p->d, (void *)x);
    }
    side->norm = desk->norm;
    side->x = p->start ? NULL : desk->x;
    side->rows = p->start ? rows : NULL;
    side->start = rows->start;
    side->first = p->start ? first : 0;
}

/* The strings of some rows that word `leaf` reads. */
static smr_status take_texts(smr_ctx *ctx, const smr_kernel_node *node, const smr_kernel_points *p,
                             const smr_rows *rows, int64_t first, int64_t n, smr_text_room *room,
                             smr_text_set *out)
{
    smr_status st = SMR_OK;
    smr_piece *at = NULL;
    int64_t text = p->word_text[node->leaf], feature = p->text_feature[text];
    if (p->text_number[text] >= rows->n_texts)
        return smr_fail(ctx, SMR_ERR_STATE, "%s: the rows have %lld texts, and text %d is read",
                        smr_kernel_word(node->kind)->name, (long long)rows->n_texts,
                        (int)p->text_number[text]);
    const smr_strings *strings = rows->texts[p->text_number[text]];
    TRY_TAKE(room, at, n + 1);
    for (int64_t i = 0; i < n; i++) {
        double code = smr_rows_number(rows, first + i, feature);
        at[i].at = "";
        if (code >= 0) at[i].at = smr_strings_get(strings, (int64_t)code, &at[i].n);
    }
    st = smr_text_set_make(ctx, node, n, at, &p->ready->text[node->leaf], room, out);
out:
    return st;
}

static smr_status open_side(smr_ctx *ctx, const smr_kernel *k, const smr_kernel_points *p,
                            const smr_rows *rows, int64_t first, struct desk *desk,
                            smr_kernel_side *side, smr_text_set *text)
{
    smr_status st = SMR_OK;
    const struct smr_kernel_ready *r = p->ready;
    if (p->d > 0) take_rows(p, rows, first, desk, side);
    for (int64_t i = 0; i < k->n; i++)
        if (k->node[i].op == SMR_KERNEL_WORD && smr_kernel_is_of_text(k->node[i].kind))
            TRY(take_texts(ctx, &k->node[i], p, rows, first, side->n, &desk->room,
                           &text[k->node[i].leaf]));
    side->text = text;
    if (r->n_scalings == 0) return SMR_OK;
    side->f = desk->f;
    side->f_stride = ROWS;
    smr_kernel_tile t = {.kernel = k,
                         .points = p,
                         .B = side,
                         .w = side->n,
                         .out = desk->tile,
                         .ld = COLUMNS,
                         .work = desk->work};
    TRY(smr_self(ctx, &t, desk->f));
out:
    return st;
}

static smr_status open_texts(smr_ctx *ctx, const smr_kernel_points *p, struct desk *desk,
                             smr_text_set **out)
{
    smr_status st = SMR_OK;
    desk->room.used = 0;
    *out = NULL;
    if (p->n_texts) TRY_TAKE(&desk->room, *out, p->ready->n_words + 1);
out:
    return st;
}

static void close_side(const smr_kernel_points *p, const struct desk *desk, smr_text_set *text)
{
    for (int64_t i = 0; text && i < p->ready->n_words; i++) smr_text_set_release(&text[i]);
    smr_text_give(&desk->room, text);
}

/* What becomes of tiles. */
struct use {
    const double *coef; /* apply                */
    int64_t n_outputs;
    int64_t lo, hi; /* points               */
    double *out;    /* of the first row     */
    int64_t stride;
};

static void widen_tile(const smr_kernel_points *p, const smr_kernel_tile *t, double *out,
                       int64_t stride)
{
    for (int64_t a = 0; a < t->m; a++)
        for (int64_t b = 0; b < t->w; b++)
            out[a * stride + b] = p->ready->wide ? ((const double *)t->out)[a * t->ld + b]
                                                 : (double)((const float *)t->out)[a * t->ld + b];
}

static void add_up(const struct use *use, const smr_kernel_points *p, const smr_kernel_tile *t,
                   const struct desk *desk, double *out)
{
    widen_tile(p, t, desk->wide, COLUMNS);
    smr_rows_times_f64(t->m, t->w, use->n_outputs, desk->wide, COLUMNS, use->coef + t->column, p->n,
                       desk->sum);
    for (int64_t i = 0; i < t->m * use->n_outputs; i++) out[i] += desk->sum[i];
}

/* Rows first .. first + m - 1 against the points. */
static smr_status meet(smr_ctx *ctx, const smr_kernel *k, const smr_kernel_points *p,
                       const smr_rows *rows, int64_t first, const struct use *use,
                       struct desk *desk)
{
    smr_status st = SMR_OK;
    smr_text_set *text = NULL;
    smr_kernel_side A = {.n = SMR_MIN(ROWS, rows->n - first)}, B = smr_kernel_side_of(p);
    double *out = use->out + first * use->stride;
    TRY(open_texts(ctx, p, desk, &text));
    TRY(open_side(ctx, k, p, rows, first, desk, &A, text));
    if (use->coef) memset(out, 0, (size_t)(A.n * use->n_outputs) * sizeof *out);
    for (int64_t lo = use->lo; lo < use->hi; lo += COLUMNS) {
        smr_kernel_tile t = {.kernel = k,
                             .points = p,
                             .A = &A,
                             .B = &B,
                             .m = A.n,
                             .column = lo,
                             .w = SMR_MIN(COLUMNS, use->hi - lo),
                             .out = desk->tile,
                             .ld = COLUMNS,
                             .room = &desk->room,
                             .work = desk->work};
        TRY(smr_tile(ctx, &t));
        if (use->coef)
            add_up(use, p, &t, desk, out);
        else
            widen_tile(p, &t, out + lo - use->lo, use->stride);
    }
out:
    close_side(p, desk, text);
    return st;
}

static smr_status meet_all(smr_ctx *ctx, const smr_kernel *k, const smr_kernel_points *p,
                           const smr_rows *rows, const struct use *use, void *scratch)
{
    smr_status st = SMR_OK;
    struct desk desk;
    lay_out(k, p, use->n_outputs, scratch, &desk);
    if (p->n_starts) memset(desk.work, 0, (size_t)(SMR_TILE_GROUP * p->d) * p->ready->size);
    for (int64_t first = 0; first < rows->n; first += ROWS)
        TRY(meet(ctx, k, p, rows, first, use, &desk));
out:
    return st;
}

smr_status smr_kernel_apply(smr_ctx *ctx, const smr_kernel *k, const smr_kernel_points *p,
                            const smr_rows *rows, const double *coef, int64_t n_outputs,
                            double *out, void *scratch)
{
    struct use use = {
        .coef = coef, .n_outputs = n_outputs, .hi = p->n, .out = out, .stride = n_outputs};
    return meet_all(ctx, k, p, rows, &use, scratch);
}

/* lint: allow arguments, those of smr_kernel_apply with a range of points. */
smr_status smr_kernel_cross(smr_ctx *ctx, const smr_kernel *k, const smr_kernel_points *p,
                            const smr_rows *rows, int64_t lo, int64_t hi, double *out,
                            int64_t stride, void *scratch)
{
    struct use use = {.lo = lo, .hi = hi, .out = out, .stride = stride};
    return meet_all(ctx, k, p, rows, &use, scratch);
}

smr_status smr_kernel_self(smr_ctx *ctx, const smr_kernel *k, const smr_kernel_points *p,
                           const smr_rows *rows, double *out, void *scratch)
{
    smr_status st = SMR_OK;
    struct desk desk;
    smr_text_set *text = NULL;
    lay_out(k, p, 0, scratch, &desk);
    for (int64_t first = 0; first < rows->n; first += ROWS) {
        smr_kernel_side side = {.n = SMR_MIN(ROWS, rows->n - first)};
        TRY(open_texts(ctx, p, &desk, &text));
        TRY(open_side(ctx, k, p, rows, first, &desk, &side, text));
        smr_kernel_tile t = {.kernel = k,
                             .points = p,
                             .B = &side,
                             .m = 1,
                             .w = side.n,
                             .out = desk.tile,
                             .ld = COLUMNS,
                             .work = desk.work};
        TRY(smr_self(ctx, &t, desk.f));
        widen_tile(p, &t, out + first, 0);
        close_side(p, &desk, text);
        text = NULL;
    }
out:
    close_side(p, &desk, text);
    return st;
}
