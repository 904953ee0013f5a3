/* dual_kernel_set.c -- the dual over a working set, pair by pair; see dual_kernel_parts.h. */
#include "kernel/smo_kernels.h"
#include "math/optimize/dual_kernel_parts.h"

#include <math.h>

/* A curvature below this counts as this: the pair goes to a bound.  Of hard margins: K_ii + K_jj -
 * 2 K_ij up to this share of K_ii + K_jj is 0 for all that floats can tell. */
#define FLOOR 1e-12
#define SAME 2.4e-7

smr_status smr_small_dual_open(smr_ctx *ctx, bool by_class, struct smr_small_dual *s)
{
    smr_status st = SMR_OK;
    double *room = NULL;
    *s = (struct smr_small_dual){.by_class = by_class};
    TRY_NEW(room, 9 * SMR_KERNEL_SET);
    s->a = room;
    s->y = room + SMR_KERNEL_SET;
    s->most = room + 2 * SMR_KERNEL_SET;
    s->v = room + 3 * SMR_KERNEL_SET;
    s->curvature = room + 4 * SMR_KERNEL_SET;
    for (int g = 0; g < 2; g++) {
        s->up[g] = room + (5 + 2 * g) * SMR_KERNEL_SET;
        s->down[g] = room + (6 + 2 * g) * SMR_KERNEL_SET;
    }
out:
    return st;
}

void smr_small_dual_close(struct smr_small_dual *s)
{
    smr_free(s->a);
    *s = (struct smr_small_dual){0};
}

/* Which ways variable k may go. */
static void bar(struct smr_small_dual *s, int64_t k)
{
    bool grows = s->a[k]<s->most[k], falls = s->a[k]> 0, plus = s->y[k] > 0;
    int g = s->by_class && plus;
    s->up[g][k] = (plus ? grows : falls) ? 0 : -INFINITY;
    s->down[g][k] = (plus ? falls : grows) ? 0 : INFINITY;
}

static void begin(struct smr_small_dual *s)
{
    for (int64_t k = 0; k < s->padded; k++) {
        for (int g = 0; g < 2; g++) {
            s->up[g][k] = -INFINITY;
            s->down[g][k] = INFINITY;
        }
        s->curvature[k] = k < s->n ? (double)s->block[k * s->padded + k] : 0;
        if (k >= s->n) s->v[k] = 0;
        if (k < s->n) bar(s, k);
    }
}

/* The pair that lowers the objective most, as far as it is looked for; returns the violation, and
 * -infinity where no pair can move. */
static double choose(const struct smr_small_dual *s, int64_t *i, int64_t *j)
{
    double worst = -INFINITY;
    for (int g = 0; g < 1 + s->by_class; g++) {
        int64_t up = smr_smo_first(s->padded, s->v, s->up[g]), down;
        double least;
        if (up < 0) continue;
        smr_smo_one one = {.v = s->v[up],
                           .curvature = s->curvature[up],
                           .floor = FLOOR,
                           .row = s->block + up * s->padded};
        down = smr_smo_second(s->padded, &one, s->curvature, s->v, s->down[g], &least);
        if (down < 0 || !(s->v[up] - least > worst)) continue;
        worst = s->v[up] - least;
        *i = up;
        *j = down;
    }
    return worst;
}

/* How far y a of variable k may go up (sign 1) or down (sign -1). */
static double room_of(const struct smr_small_dual *s, int64_t k, double sign)
{
    return s->y[k] == sign ? s->most[k] - s->a[k] : s->a[k];
}

/* By `by` in that direction; all the way where that is the room there is. */
static void go(struct smr_small_dual *s, int64_t k, double sign, double by, double room)
{
    if (s->y[k] == sign)
        s->a[k] = by == room ? s->most[k] : s->a[k] + by;
    else
        s->a[k] = by == room ? 0 : s->a[k] - by;
    bar(s, k);
}

void smr_small_dual_solve(struct smr_small_dual *s, double tol)
{
    int64_t i = 0, j = 0;
    begin(s);
    for (s->steps = 0; s->steps < s->most_steps; s->steps++) {
        if (!(choose(s, &i, &j) > tol)) break;
        const float *row_i = s->block + i * s->padded, *row_j = s->block + j * s->padded;
        double both = s->curvature[i] + s->curvature[j], curve = both - 2 * (double)row_i[j];
        double room_i = room_of(s, i, 1), room_j = room_of(s, j, -1);
        double room = smr_fmin(room_i, room_j);
        if (isinf(room) && curve <= SAME * fabs(both)) {
            s->is_unbounded = true;
            s->pair[0] = i;
            s->pair[1] = j;
            break;
        }
        double by = smr_fmin((s->v[i] - s->v[j]) / smr_fmax(curve, FLOOR), room);
        go(s, i, 1, by, room_i);
        go(s, j, -1, by, room_j);
        smr_smo_move(s->padded, by, row_i, row_j, s->v);
    }
}
