/* kmeans_bounds.c -- which rows need not be looked at: bounds of their distances, which centres
 * that moved little cannot have passed.
 *
 * Each row keeps u, at least its distance from its centre, and l, at most its distance from every
 * other one.  When centres move,
 *
 *     u += |move of its own|,    l -= the largest |move| of another                             (1)
 *
 * and a row with u < l keeps its centre.  Where u is not small enough it is measured anew if that
 * costs little beside what it may save; the rows that are left are gathered and compared with all
 * centres.  Bounds are floats, rounded outward by more than any distance's own rounding, so labels
 * are those that all distances would give.  Sums change by the rows that change, exactly, so that
 * nothing else depends on the bounds either.
 *
 * Cost of a row that keeps its centre: 12 bytes and a few operations, whatever k and d.
 * Reference: Hamerly, SIAM Int. Conf. on Data Mining (2010). */
#include "kernel/kernel.h"
#include "learn/cluster/kmeans.h"

#include <math.h>
#include <string.h>

#define UP (1 + 0x1p-21f)
#define DOWN (1 - 0x1p-21f)

enum {
    BOUNDED_FROM = 24,
    MEASURED_FROM = 64 /* centres from which on it is worth to measure u anew */
};

struct smr_km_bounds {
    float *up, *down; /* n */
    float *moved;     /* k: how far each centre moved              */
    double *last;     /* k x d: the centres that the bounds are of */
    bool known;
    float most, next; /* of moved, the largest two */
    int64_t furthest; /* whose the largest is      */
};

/* ---- whether they are kept --------------------------------------------------------------- */

/* By the sizes alone: where a row costs more than its bounds, and bounds hold. */
static bool worth_it(const struct smr_km_work *w)
{
    const struct smr_km_rows *r = &w->rows;
    if (r->way != SMR_KM_FLOATS && r->way != SMR_KM_BYTES) return false;
    if (!(r->unit > 0x1p-90 && r->unit < 0x1p90)) return false; /* floats hold them */
    if (w->p->solver != SMR_KM_ANY) return w->p->solver == SMR_KM_BOUNDS;
    return w->k >= BOUNDED_FROM && r->n >= 1000;
}

smr_status smr_km_bounds_create(smr_ctx *ctx, struct smr_km_work *w)
{
    smr_status st = SMR_OK;
    struct smr_km_bounds *b = NULL;
    if (!worth_it(w)) return SMR_OK;
    TRY_NEW(b, 1);
    w->bounds = b;
    TRY_NEW(b->up, w->rows.n);
    TRY_NEW(b->down, w->rows.n);
    TRY_NEW(b->moved, w->k);
    TRY_NEW(b->last, w->k * w->rows.d);
    TRY(smr_km_lanes_gather(ctx, &w->rows, w->lanes));
out:
    return st;
}

void smr_km_bounds_free(struct smr_km_bounds *b)
{
    if (!b) return;
    smr_free(b->up);
    smr_free(b->down);
    smr_free(b->moved);
    smr_free(b->last);
    smr_free(b);
}

void smr_km_bounds_forget(struct smr_km_bounds *b)
{
    if (b) b->known = false;
}

/* ---- (1) -------------------------------------------------------------------------------- */

static void measure_moves(struct smr_km_work *w)
{
    struct smr_km_bounds *b = w->bounds;
    int64_t d = w->rows.d;
    b->most = b->next = 0;
    b->furthest = 0;
    for (int64_t c = 0; c < w->k && b->known; c++) {
        float moved = (float)sqrt(smr_l2sq_f64(d, w->centre + c * d, b->last + c * d)) * UP;
        b->moved[c] = moved;
        if (moved > b->most) {
            b->next = b->most;
            b->most = moved;
            b->furthest = c;
        } else if (moved > b->next) {
            b->next = moved;
        }
    }
    memcpy(b->last, w->centre, (size_t)(w->k * d) * sizeof *b->last);
}

/* Bounds of the n rows of the list, or from lo on, that were compared with all.  In floats, whose
 * roundings here come to less than three doubts. */
static void set_bounds(const struct smr_km_work *w, int64_t lo, const int64_t *list, int64_t n,
                       const struct smr_km_lane *l)
{
    const struct smr_km_rows *r = &w->rows;
    float *up = w->bounds->up, *down = w->bounds->down, unit = (float)(1 / r->unit);
    for (int64_t e = 0; e < n; e++) {
        int64_t i = list ? list[e] : lo + e;
        float square = r->square[i], least = l->least[e], second = l->second[e];
        float doubt = smr_km_doubt_f32(r, &w->centres, square, l->at[e]);
        if (second - least <= 2 * doubt) second = least; /* it was decided which is nearer */
        float high = square + least + 6 * doubt, low = square + second - 5 * doubt;
        up[i] = sqrtf(high > 0 ? high : 0) * unit * UP;
        down[i] = sqrtf(low > 0 ? low : 0) * unit * DOWN;
    }
}

/* Rows of the block that may change, in l->list; their number. */
static int64_t pass_over(const struct smr_km_work *w, int64_t lo, int64_t hi, struct smr_km_lane *l)
{
    struct smr_km_bounds *b = w->bounds;
    const struct smr_km_rows *r = &w->rows;
    int64_t n = 0;
    for (int64_t i = lo; i < hi; i++) {
        int64_t c = w->label[i];
        float up = (b->up[i] + b->moved[c]) * UP;
        float down = (b->down[i] - (c == b->furthest ? b->next : b->most)) * DOWN;
        b->up[i] = up;
        b->down[i] = down;
        l->list[n] = i;
        n += !(up < down);
    }
    if (w->k < MEASURED_FROM || n > (hi - lo) / 2) return n;
    int64_t left = 0;
    for (int64_t e = 0; e < n; e++) {
        int64_t i = l->list[e], c = w->label[i];
        double D = smr_km_distance(r, i, w->centre + c * r->d, 0, l->row);
        b->up[i] = (float)sqrt(D) * UP;
        l->list[left] = i;
        left += !(b->up[i] < b->down[i]);
    }
    return left;
}

static void bounded_block(struct smr_km_work *w, int64_t block, struct smr_km_lane *l)
{
    const struct smr_km_rows *r = &w->rows;
    int64_t lo = block * r->block, hi = smr_block_end(r->n, r->block, block), n = hi - lo, m = 0;
    bool whole = !w->bounds->known;
    if (!whole) {
        n = pass_over(w, lo, hi, l);
        whole = n > (hi - lo) / 4 * 3;
    }
    if (whole) {
        n = hi - lo;
        smr_km_nearest(r, &w->centres, lo, hi, l);
    } else {
        smr_km_nearest_of(r, &w->centres, n, l);
    }
    set_bounds(w, lo, whole ? NULL : l->list, n, l);
    for (int64_t e = 0; e < n; e++) {
        int64_t i = whole ? lo + e : l->list[e];
        int32_t to = l->at[e], from = w->label[i];
        if (to == from) continue;
        l->move[m++] = (smr_row_move){i, from, to};
        w->label[i] = to;
    }
    smr_km_count_moves(r, m, l);
}

smr_status smr_km_assign_bounded(smr_ctx *ctx, struct smr_km_work *w)
{
    smr_status st = SMR_OK;
    measure_moves(w);
    smr_km_centres_set(&w->rows, w->centre, &w->centres);
    TRY(smr_km_visit(ctx, w, bounded_block));
    w->bounds->known = true;
    TRY(smr_km_gather(ctx, w));
out:
    return st;
}
