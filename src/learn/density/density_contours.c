/* density_contours.c -- where a function on a grid crosses a level, as lines.
 *
 * Marching squares: a level crosses sides of the grid's squares, each at most once, at a place that
 * is interpolated; within a square the crossings are joined in pairs.  Every side belongs to two
 * squares at most, so that the pairs make lines, closed or from edge to edge. */
#include "core/try.h"
#include "learn/density/density_picture.h"

#include <math.h>

enum { NONE = -1 };

struct tracing {
    const struct smr_density_grid *g;
    double level;
    int64_t n_sides; /* across: side (i, j) - (i + 1, j) at j nx + i; up: n + ... */
    int64_t (*next)[2];
    bool *seen;
};

static double value_at(const struct tracing *t, int64_t i, int64_t j)
{
    return t->g->value[j * t->g->nx + i];
}

static int64_t across(const struct tracing *t, int64_t i, int64_t j)
{
    return j * t->g->nx + i;
}

static int64_t up(const struct tracing *t, int64_t i, int64_t j)
{
    return t->g->nx * t->g->ny + j * t->g->nx + i;
}

static void join(struct tracing *t, int64_t a, int64_t b)
{
    t->next[a][t->next[a][0] != NONE] = b;
    t->next[b][t->next[b][0] != NONE] = a;
}

static void cross_square(struct tracing *t, int64_t i, int64_t j)
{
    bool in[4] = {value_at(t, i, j) >= t->level, value_at(t, i + 1, j) >= t->level,
                  value_at(t, i + 1, j + 1) >= t->level, value_at(t, i, j + 1) >= t->level};
    int64_t side[4] = {across(t, i, j), up(t, i + 1, j), across(t, i, j + 1), up(t, i, j)};
    int64_t crossed[4];
    int n = 0;
    for (int k = 0; k < 4; k++)
        if (in[k] != in[(k + 1) % 4]) crossed[n++] = side[k];
    if (n == 2) join(t, crossed[0], crossed[1]);
    if (n < 4) return;
    double middle = 0.25 * (value_at(t, i, j) + value_at(t, i + 1, j) + value_at(t, i + 1, j + 1) +
                            value_at(t, i, j + 1));
    bool same = (middle >= t->level) == in[0]; /* corners 0 and 2 hang together */
    join(t, crossed[0], crossed[same ? 1 : 3]);
    join(t, crossed[2], crossed[same ? 3 : 1]);
}

static void place_of(const struct tracing *t, int64_t side, double *x, double *y)
{
    const struct smr_density_grid *g = t->g;
    bool is_up = side >= g->nx * g->ny;
    int64_t at = is_up ? side - g->nx * g->ny : side, i = at % g->nx, j = at / g->nx;
    double a = value_at(t, i, j), b = is_up ? value_at(t, i, j + 1) : value_at(t, i + 1, j);
    double part = (t->level - a) / (b - a);
    *x = g->x[i] + (is_up ? 0 : part * (g->x[i + 1] - g->x[i]));
    *y = g->y[j] + (is_up ? part * (g->y[j + 1] - g->y[j]) : 0);
}

/* The line through a side, from there on; then a gap. */
static int64_t follow(struct tracing *t, int64_t side, double *x, double *y, int64_t n)
{
    int64_t first = side, before = NONE;
    do {
        t->seen[side] = true;
        place_of(t, side, &x[n], &y[n]);
        n++;
        int64_t next = t->next[side][0] != before ? t->next[side][0] : t->next[side][1];
        before = side;
        side = next;
    } while (side != NONE && !t->seen[side]);
    if (side == first) {
        x[n] = x[n - 1];
        place_of(t, first, &x[n], &y[n]);
        n++;
    }
    x[n] = y[n] = NAN;
    return n + 1;
}

smr_status smr_density_contour(smr_ctx *ctx, const struct smr_density_grid *g, double level,
                               int64_t *n, double **x, double **y)
{
    smr_status st = SMR_OK;
    struct tracing t = {.g = g, .level = level, .n_sides = 2 * g->nx * g->ny};
    *n = 0;
    TRY_NEW(t.next, t.n_sides);
    TRY_NEW(t.seen, t.n_sides);
    TRY_NEW(*x, 3 * t.n_sides);
    TRY_NEW(*y, 3 * t.n_sides);
    for (int64_t k = 0; k < t.n_sides; k++) t.next[k][0] = t.next[k][1] = NONE;
    for (int64_t j = 0; j + 1 < g->ny; j++)
        for (int64_t i = 0; i + 1 < g->nx; i++) cross_square(&t, i, j);
    for (int ends = 1; ends >= 0; ends--) /* lines that end at the edge first */
        for (int64_t k = 0; k < t.n_sides; k++) {
            bool crossed = t.next[k][0] != NONE, is_end = crossed && t.next[k][1] == NONE;
            if (crossed && !t.seen[k] && (is_end || !ends)) *n = follow(&t, k, *x, *y, *n);
        }
out:
    smr_free(t.next);
    smr_free(t.seen);
    return st;
}
