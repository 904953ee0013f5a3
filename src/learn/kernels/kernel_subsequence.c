/* kernel_subsequence.c -- the subsequence kernel of pairs of strings, eight at a time.
 *
 * The recursion is kernel/tier/subsequence.c's.  Of a pair the shorter string is the outer one, of
 * two of the same length the one that comes first bytewise, so that K(s, t) and K(t, s) are the
 * same bits.  Pairs are taken in the order of their lengths: the eight of a batch are as long as
 * the longest of them.  Cost: length |s| |t| for a pair. */
#include "learn/kernels/kernel_strings.h"

#include "core/sort.h"
#include "kernel/alike.h"
#include "kernel/kernel.h"

#include <string.h>

enum { LANES = SMR_SUBSEQUENCE_LANES };

/* Symbols after the end of the outer and the inner string: no byte, and not the same. */
#define NO_OUTER (-1.0)
#define NO_INNER (-2.0)

/* A batch, with room for strings of up to n_outer and n_inner symbols. */
struct batch {
    smr_string_pairs pairs;
    double *outer, *inner, *work;
};

static smr_status open_batch(smr_ctx *ctx, smr_text_room *room, int64_t length, int64_t longest,
                             struct batch *b)
{
    smr_status st = SMR_OK;
    TRY_TAKE(room, b->outer, longest * LANES + 1);
    TRY_TAKE(room, b->inner, longest * LANES + 1);
    TRY_TAKE(room, b->work, longest * LANES * (length - 1) + 1);
    b->pairs = (smr_string_pairs){.outer = b->outer, .inner = b->inner, .work = b->work};
out:
    return st;
}

static void close_batch(const smr_text_room *room, struct batch *b)
{
    smr_text_give(room, b->outer);
    smr_text_give(room, b->inner);
    smr_text_give(room, b->work);
}

static void put_symbols(const smr_piece *s, int lane, int64_t n, double none, double *to)
{
    for (int64_t i = 0; i < n; i++)
        to[i * LANES + lane] = i < s->n ? (double)(unsigned char)s->at[i] : none;
}

static bool comes_first(const smr_piece *s, const smr_piece *t)
{
    if (s->n != t->n) return s->n < t->n;
    return s->n == 0 || memcmp(s->at, t->at, (size_t)s->n) <= 0;
}

/* Values of up to 8 pairs; outer[l] comes first. */
static void run_batch(const struct smr_kernel_params *p, struct batch *b, int n,
                      const smr_piece *const *outer, const smr_piece *const *inner, double *value)
{
    const smr_piece none = {"", 0};
    double scale = 1;
    b->pairs.n_outer = b->pairs.n_inner = 0;
    for (int l = 0; l < n; l++) {
        b->pairs.n_outer = SMR_MAX(b->pairs.n_outer, outer[l]->n);
        b->pairs.n_inner = SMR_MAX(b->pairs.n_inner, inner[l]->n);
    }
    for (int l = 0; l < LANES; l++) {
        put_symbols(l < n ? outer[l] : &none, l, b->pairs.n_outer, NO_OUTER, b->outer);
        put_symbols(l < n ? inner[l] : &none, l, b->pairs.n_inner, NO_INNER, b->inner);
    }
    smr_subsequences_f64(p->length, p->decay, &b->pairs, value);
    for (int64_t i = 0; i < 2 * p->length; i++) scale *= p->decay;
    for (int l = 0; l < LANES; l++) value[l] *= scale;
}

smr_status smr_subsequence_selves(smr_ctx *ctx, const smr_kernel_node *node, smr_text_set *set)
{
    smr_status st = SMR_OK;
    struct batch b = {0};
    double value[LANES];
    const smr_piece *piece[LANES];
    size_t used = set->room ? set->room->used : 0;
    TRY(open_batch(ctx, set->room, node->params->length, set->longest, &b));
    for (int64_t i = 0; i < set->n; i += LANES) {
        int n = (int)SMR_MIN(LANES, set->n - i);
        for (int l = 0; l < n; l++) piece[l] = &set->piece[i + l];
        run_batch(node->params, &b, n, piece, piece, value);
        for (int l = 0; l < n; l++) set->self[i + l] = value[l];
        TRY(smr_tick(ctx, "subsequences", i, set->n, NAN));
    }
out:
    close_batch(set->room, &b);
    smr_text_rewind(set->room, used);
    return st;
}

/* The pairs of a tile, the shortest first.  A key has the lengths of outer and inner string. */
static smr_status sort_pairs(smr_ctx *ctx, const smr_text_tile *t, smr_placed **room,
                             const smr_placed **order, int64_t *n)
{
    smr_status st = SMR_OK;
    *n = 0;
    TRY_TAKE(t->room, *room, 2 * t->m * t->w + 2);
    for (int64_t a = 0; a < t->m; a++)
        for (int64_t b = 0; b < t->w; b++) {
            uint64_t s = (uint64_t)t->A->piece[t->row[a]].n;
            uint64_t u = (uint64_t)t->B->piece[t->column[b]].n;
            if (t->lower && t->column[b] > t->row[a]) continue;
            (*room)[(*n)++] =
                (smr_placed){.key = s < u ? s << 32 | u : u << 32 | s, .row = a * t->w + b};
        }
    *order = smr_sort_placed(*n, *room);
out:
    return st;
}

smr_status smr_subsequence_values(smr_ctx *ctx, const smr_text_tile *t)
{
    smr_status st = SMR_OK;
    struct batch batch = {0};
    smr_placed *room = NULL;
    const smr_placed *order = NULL;
    const smr_piece *outer[LANES], *inner[LANES];
    int64_t n = 0, longest = 0;
    double value[LANES];
    size_t used = t->room ? t->room->used : 0;
    for (int64_t a = 0; a < t->m; a++) longest = SMR_MAX(longest, t->A->piece[t->row[a]].n);
    for (int64_t b = 0; b < t->w; b++) longest = SMR_MAX(longest, t->B->piece[t->column[b]].n);
    TRY(open_batch(ctx, t->room, t->node->params->length, longest, &batch));
    TRY(sort_pairs(ctx, t, &room, &order, &n));
    for (int64_t i = 0; i < n; i += LANES) {
        int count = (int)SMR_MIN(LANES, n - i);
        for (int l = 0; l < count; l++) {
            const smr_piece *s = &t->A->piece[t->row[order[i + l].row / t->w]];
            const smr_piece *u = &t->B->piece[t->column[order[i + l].row % t->w]];
            bool first = comes_first(s, u);
            outer[l] = first ? s : u;
            inner[l] = first ? u : s;
        }
        run_batch(t->node->params, &batch, count, outer, inner, value);
        for (int l = 0; l < count; l++) {
            int64_t at = order[i + l].row;
            t->out[at / t->w * t->ld + at % t->w] = value[l];
        }
        if (i % (64 * LANES) == 0) TRY(smr_tick(ctx, NULL, 0, 0, NAN));
    }
out:
    smr_text_give(t->room, room);
    close_batch(t->room, &batch);
    smr_text_rewind(t->room, used);
    return st;
}
