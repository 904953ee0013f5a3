/* isolation_fit.c -- which rows the trees draw, and the trees; see isolation.c.
 *
 * All draws are functions of seed and tree, so that the rows that any tree needs are known before
 * the first is grown: they alone are read. */
#include "core/parallel.h"
#include "core/rng.h"
#include "core/sort.h"
#include "data/row_subset.h"
#include "learn/trees/isolation.h"

#include <math.h>
#include <string.h>

enum { BLOCK = 256, WAVE = 64 /* trees that are grown before they are added */ };

/* Draws of a tree: what they are for, in the upper bits of their number. */
enum { OF_PIECE = 0, OF_PLACE = 1 };
static const uint64_t PURPOSE = UINT64_C(1) << 62;

/* ---- which rows ------------------------------------------------------------------------- */

struct line {
    int64_t n, pieces;
    double *end; /* n: where each row's weight ends; NULL: all have 1 */
    double length;
    uint64_t seed;
};

static smr_status lay_out(smr_ctx *ctx, const smr_data *data, struct line *l)
{
    smr_status st = SMR_OK;
    int64_t n = l->n = data->n_rows, some = 0;
    bool plain = true;
    double total = 0;
    l->seed = ctx->seed;
    for (int64_t i = 0; i < n && plain; i++) plain = smr_data_weight(data, i) == 1;
    l->pieces = n;
    l->length = 1;
    if (plain) goto out;
    TRY_NEW(l->end, n + 1);
    for (int64_t i = 0; i < n; i++) {
        double w = smr_data_weight(data, i);
        total += w;
        some += w > 0;
        l->end[i] = total;
    }
    if (!(total > 0 && total < INFINITY))
        TRY(smr_fail(ctx, SMR_ERR_DATA, "isolation: all weights are 0: no row counts"));
    l->pieces = SMR_MAX(some, (int64_t)smr_fmin(floor(total + 0.5), 0x1p52));
    l->length = total / (double)l->pieces;
out:
    return st;
}

/* The row at a place in a piece. */
static int64_t row_at(const struct line *l, int64_t tree, int64_t piece)
{
    if (!l->end) return piece;
    double u = smr_random_unit(l->seed, SMR_STREAM_ISOLATE, (uint64_t)tree,
                               OF_PLACE * PURPOSE | (uint64_t)piece);
    double at = ((double)piece + u) * l->length;
    int64_t lo = 0, hi = l->n - 1; /* the first row that ends after it */
    while (lo < hi) {
        int64_t middle = lo + (hi - lo) / 2;
        if (l->end[middle] > at)
            hi = middle;
        else
            lo = middle + 1;
    }
    while (lo > 0 && l->end[lo] == l->end[lo - 1]) lo--; /* rounding: not a row of weight 0 */
    return lo;
}

/* m different pieces of all, as Floyd draws them: seen is a table of 2^bits places, all -1. */
static void draw_pieces(const struct line *l, int64_t tree, int64_t m, int bits, int64_t *seen,
                        int64_t *row)
{
    int64_t mask = ((int64_t)1 << bits) - 1;
    for (int64_t k = 0; k <= mask; k++) seen[k] = -1;
    for (int64_t k = 0; k < m; k++) {
        int64_t top = l->pieces - m + k;
        int64_t piece = smr_random_below(l->seed, SMR_STREAM_ISOLATE, (uint64_t)tree,
                                         OF_PIECE * PURPOSE | (uint64_t)k << 8, top + 1);
        for (int again = 0; again < 2; again++) {
            int64_t at = (int64_t)((uint64_t)piece * UINT64_C(0x9e3779b97f4a7c15) >> (64 - bits));
            while (seen[at] >= 0 && seen[at] != piece) at = (at + 1) & mask;
            if (seen[at] < 0) {
                seen[at] = piece;
                break;
            }
            piece = top; /* drawn before: top itself cannot have been */
        }
        row[k] = row_at(l, tree, piece);
    }
}

/* rows[tree * m ...]: those of each tree. */
static smr_status draw_rows(smr_ctx *ctx, const struct line *l, int64_t trees, int64_t m,
                            int64_t *rows)
{
    smr_status st = SMR_OK;
    int64_t *seen = NULL;
    int bits = 2;
    while (((int64_t)1 << bits) < 2 * m) bits++;
    TRY_NEW(seen, (int64_t)1 << bits);
    for (int64_t t = 0; t < trees; t++) draw_pieces(l, t, m, bits, seen, rows + t * m);
out:
    smr_free(seen);
    return st;
}

/* ---- their values ----------------------------------------------------------------------- */

/* The distinct ones of n row numbers, ascending; *m of them. */
static smr_status distinct(smr_ctx *ctx, const int64_t *rows, int64_t n, int64_t **out, int64_t *m)
{
    smr_status st = SMR_OK;
    uint64_t *a = NULL, *b = NULL;
    TRY_NEW(a, n);
    TRY_NEW(b, n);
    TRY_NEW(*out, n);
    for (int64_t i = 0; i < n; i++) a[i] = (uint64_t)rows[i];
    const uint64_t *sorted = smr_sort_keys(n, a, b);
    *m = 0;
    for (int64_t i = 0; i < n; i++)
        if (i == 0 || sorted[i] != sorted[i - 1]) (*out)[(*m)++] = (int64_t)sorted[i];
out:
    smr_free(a);
    smr_free(b);
    return st;
}

static smr_status take_entries(smr_ctx *ctx, const smr_rows *block, int64_t lo,
                               struct smr_isolation_rows *r)
{
    smr_status st = SMR_OK;
    int64_t at = r->start[lo], n = block->start[block->n] - block->start[0];
    int32_t *column = smr_realloc(ctx, r->column, at + n + 1, sizeof *column);
    if (!column) return SMR_ERR_NOMEM;
    r->column = column;
    double *value = smr_realloc(ctx, r->value, at + n + 1, sizeof *value);
    if (!value) return SMR_ERR_NOMEM;
    r->value = value;
    if (n > 0) memcpy(column + at, block->column + block->start[0], (size_t)n * sizeof *column);
    if (n > 0) memcpy(value + at, block->value + block->start[0], (size_t)n * sizeof *value);
    for (int64_t i = 0; i < block->n; i++)
        r->start[lo + i + 1] = at + block->start[i + 1] - block->start[0];
    return st;
}

static smr_status read_rows(smr_ctx *ctx, const smr_data *data, struct smr_isolation_rows *r)
{
    smr_status st = SMR_OK;
    smr_reader *reader = NULL;
    bool sparse = smr_data_natural_form(data) == SMR_FORM_SPARSE;
    r->n = data->n_rows;
    r->d = data->n_features;
    r->features = data->features;
    if (!sparse)
        TRY(smr_memory_check(ctx, 8.0 * (double)r->n * (double)r->d, "isolation: drawing its rows",
                             "draw fewer with sample= or trees="));
    if (sparse)
        TRY_NEW(r->start, r->n + 1);
    else
        TRY_NEW(r->x, r->n * r->d + 1);
    TRY(smr_reader_open(ctx, data, sparse ? SMR_FORM_SPARSE : SMR_FORM_F64, BLOCK, &reader));
    for (int64_t lo = 0; lo < r->n; lo += BLOCK) {
        smr_rows block;
        TRY(smr_reader_rows(ctx, reader, lo, SMR_MIN(lo + BLOCK, r->n), &block));
        if (sparse) TRY(take_entries(ctx, &block, lo, r));
        for (int64_t i = 0; !sparse && i < block.n; i++)
            memcpy(r->x + (lo + i) * r->d, (const double *)block.x + i * block.stride,
                   (size_t)r->d * sizeof *r->x);
        TRY(smr_tick(ctx, "reading rows", lo, r->n, NAN));
    }
out:
    smr_reader_close(reader);
    return st;
}

static void release_rows(struct smr_isolation_rows *r)
{
    smr_free(r->x);
    smr_free(r->start);
    smr_free(r->column);
    smr_free(r->value);
}

/* ---- trees ------------------------------------------------------------------------------ */

struct growing {
    const struct smr_isolation_rows *rows;
    const int64_t *drawn, *row; /* of all trees; the distinct ones */
    int64_t m, first;
    uint64_t seed;
    smr_sapling sapling[WAVE];
};

static int64_t place_of(const int64_t *row, int64_t n, int64_t wanted)
{
    int64_t lo = 0, hi = n - 1;
    while (lo < hi) {
        int64_t middle = lo + (hi - lo) / 2;
        if (row[middle] >= wanted)
            hi = middle;
        else
            lo = middle + 1;
    }
    return lo;
}

static smr_status grow_tree(smr_ctx *ctx, void *arg, int64_t task, int lane)
{
    struct growing *g = arg;
    smr_status st = SMR_OK;
    int64_t tree = g->first + task;
    int32_t *of = NULL;
    (void)lane;
    TRY_NEW(of, g->m);
    for (int64_t k = 0; k < g->m; k++)
        of[k] = (int32_t)place_of(g->row, g->rows->n, g->drawn[tree * g->m + k]);
    TRY(smr_isolation_grow(ctx, g->rows, g->seed, tree, g->m, of, &g->sapling[task]));
out:
    smr_free(of);
    return st;
}

static smr_status grow_all(smr_ctx *ctx, struct growing *g, int64_t trees, smr_trees *out)
{
    smr_status st = SMR_OK;
    for (g->first = 0; g->first < trees; g->first += WAVE) {
        int64_t n = SMR_MIN(WAVE, trees - g->first);
        TRY(smr_parallel(ctx, "trees", n, grow_tree, g));
        for (int64_t k = 0; k < n; k++) {
            TRY(smr_trees_add(ctx, out, &g->sapling[k], NULL));
            smr_sapling_release(&g->sapling[k]);
        }
    }
out:
    for (int64_t k = 0; k < WAVE; k++) smr_sapling_release(&g->sapling[k]);
    return st;
}

smr_status smr_isolation_fit(smr_ctx *ctx, const void *params, const smr_data *data, void *state_,
                             smr_fit_report *report)
{
    const struct smr_isolation_params *p = params;
    struct smr_isolation_state *s = state_;
    smr_status st = SMR_OK;
    struct line line = {0};
    struct smr_isolation_rows rows = {0};
    struct growing *g = NULL;
    smr_subset subset = {0};
    int64_t *drawn = NULL, *row = NULL, n_row = 0;
    if (data->n_features < 1)
        return smr_fail(ctx, SMR_ERR_DATA, "isolation: there are no features");
    TRY(lay_out(ctx, data, &line));
    int64_t m = s->drawn = SMR_MIN(p->sample, line.pieces);
    if (m < 1) TRY(smr_fail(ctx, SMR_ERR_DATA, "isolation: there are no rows to learn from"));
    s->n_features = data->n_features;
    s->form = smr_data_natural_form(data);
    s->trees.width = s->trees.n_scores = 1;
    TRY(smr_memory_check(ctx, 40.0 * (double)m * (double)p->trees, "isolation: drawing its rows",
                         "draw fewer with sample= or trees="));
    TRY_NEW(drawn, m * p->trees);
    TRY(draw_rows(ctx, &line, p->trees, m, drawn));
    TRY(distinct(ctx, drawn, m * p->trees, &row, &n_row));
    if (n_row > INT32_MAX)
        TRY(smr_fail(ctx, SMR_ERR_SHAPE, "isolation: %lld rows drawn are too many",
                     (long long)n_row));
    TRY(smr_subset_make(ctx, data, row, n_row, NULL, &subset));
    TRY(read_rows(ctx, &subset.data, &rows));
    TRY_NEW(g, 1);
    *g = (struct growing){.rows = &rows, .drawn = drawn, .row = row, .m = m, .seed = ctx->seed};
    TRY(grow_all(ctx, g, p->trees, &s->trees));
    report->converged = true;
    report->objective = NAN;
out:
    smr_free(g);
    release_rows(&rows);
    smr_subset_release(&subset);
    smr_free(drawn);
    smr_free(row);
    smr_free(line.end);
    return st;
}
