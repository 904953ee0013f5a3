/* group_rows.c -- see group_rows.h.
 *
 * Rows are worked on in blocks; sums over blocks are added in their order, so that threads change
 * no bit.  An empty cluster takes the row that is farthest from its own centre. */
#include "learn/cluster/group_rows.h"

#include "core/parallel.h"
#include "core/rng.h"
#include "kernel/kernel.h"

#include <math.h>
#include <string.h>

enum { ROWS = 1024, MOST_ITER = 300, ALONE = 1 << 17 };

struct grouping {
    int64_t n, d, k, n_tasks;
    const double *x, *w;  /* n x d; n: weights, NULL: all 1 */
    double *centre, *far; /* k x d; n: squared distance to the own centre */
    int32_t *label;
    double *sum; /* n_tasks x k x (d + 1): sums and weights of a block */
    double *squares;
    int64_t *changed; /* n_tasks */
};

static double weight_of(const struct grouping *g, int64_t i)
{
    return g->w ? g->w[i] : 1;
}

/* Labels, and sums of the rows of each label. */
static smr_status label_block(smr_ctx *ctx, void *arg, int64_t task, int lane)
{
    const struct grouping *g = arg;
    int64_t end = smr_block_end(g->n, ROWS, task), d = g->d;
    double *sum = g->sum + task * g->k * (d + 1);
    (void)ctx, (void)lane;
    memset(sum, 0, (size_t)(g->k * (d + 1)) * sizeof *sum);
    g->squares[task] = 0;
    g->changed[task] = 0;
    for (int64_t i = task * ROWS; i < end; i++) {
        const double *x = g->x + i * d;
        double least = INFINITY;
        int32_t best = 0;
        for (int64_t c = 0; c < g->k; c++) {
            double square = 0;
            for (int64_t j = 0; j < d; j++) {
                double t = x[j] - g->centre[c * d + j];
                square += t * t;
            }
            if (!(square < least)) continue;
            least = square;
            best = (int32_t)c;
        }
        g->changed[task] += g->label[i] != best;
        g->label[i] = best;
        g->far[i] = least;
        double w = weight_of(g, i);
        g->squares[task] += w * least;
        for (int64_t j = 0; j < d; j++) sum[best * (d + 1) + j] += w * x[j];
        sum[best * (d + 1) + d] += w;
    }
    return SMR_OK;
}

static smr_status label_all(smr_ctx *ctx, struct grouping *g)
{
    if (g->n * g->d * g->k > ALONE) return smr_parallel(ctx, NULL, g->n_tasks, label_block, g);
    for (int64_t t = 0; t < g->n_tasks; t++) (void)label_block(ctx, g, t, 0);
    return SMR_OK;
}

/* The row in which a place on the line of all weights lies. */
static int64_t row_at(const struct grouping *g, double place)
{
    int64_t row = 0;
    while (row < g->n - 1 && (place -= weight_of(g, row)) >= 0) row++;
    return row;
}

/* k-means++: each next centre is a row drawn by its squared distance to those there are. */
static void draw_centres(const struct grouping *g, uint64_t seed, int64_t start)
{
    int64_t d = g->d;
    for (int64_t i = 0; i < g->n; i++) g->far[i] = INFINITY;
    for (int64_t c = 0; c < g->k; c++) {
        uint64_t at = (uint64_t)(start * g->k + c);
        double total = 0, left;
        int64_t row = 0;
        if (c == 0 && !g->w) {
            row = smr_random_below(seed, SMR_STREAM_START, at, 0, g->n);
        } else if (c == 0) {
            for (int64_t i = 0; i < g->n; i++) total += g->w[i];
            row = row_at(g, total * smr_random_unit(seed, SMR_STREAM_START, at, 0));
        } else {
            for (int64_t i = 0; i < g->n; i++) total += weight_of(g, i) * g->far[i];
            left = total * smr_random_unit(seed, SMR_STREAM_START, at, 1);
            while (row < g->n - 1 && (left -= weight_of(g, row) * g->far[row]) >= 0) row++;
        }
        memcpy(g->centre + c * d, g->x + row * d, (size_t)d * sizeof *g->x);
        for (int64_t i = 0; i < g->n; i++) {
            double square = smr_l2sq_f64(d, g->x + i * d, g->centre + c * d);
            if (square < g->far[i]) g->far[i] = square;
        }
    }
}

/* Means of the rows of each label. */
static void move_centres(struct grouping *g)
{
    int64_t d = g->d;
    for (int64_t c = 0; c < g->k; c++) {
        double *centre = g->centre + c * d, count = 0;
        for (int64_t t = 0; t < g->n_tasks; t++) count += g->sum[(t * g->k + c) * (d + 1) + d];
        if (!(count > 0)) {
            int64_t far = 0;
            for (int64_t i = 1; i < g->n; i++)
                if (g->far[i] > g->far[far]) far = i;
            memcpy(centre, g->x + far * d, (size_t)d * sizeof *centre);
            g->far[far] = 0;
            g->changed[0]++;
            continue;
        }
        for (int64_t j = 0; j < d; j++) {
            double sum = 0;
            for (int64_t t = 0; t < g->n_tasks; t++) sum += g->sum[(t * g->k + c) * (d + 1) + j];
            centre[j] = sum / count;
        }
    }
}

static smr_status run_once(smr_ctx *ctx, struct grouping *g, double *squares)
{
    smr_status st = SMR_OK;
    for (int64_t iter = 0; iter < MOST_ITER; iter++) {
        int64_t changed = 0;
        TRY(label_all(ctx, g));
        move_centres(g);
        *squares = 0;
        for (int64_t t = 0; t < g->n_tasks; t++) {
            changed += g->changed[t];
            *squares += g->squares[t];
        }
        TRY(smr_tick(ctx, "grouping rows", iter, MOST_ITER, NAN));
        if (changed == 0) break;
    }
out:
    return st;
}

smr_status smr_group_rows(smr_ctx *ctx, const smr_grouping *of, int32_t *label, double *squares)
{
    smr_status st = SMR_OK;
    int64_t n = of->n, d = of->d, k = of->k;
    struct grouping g = {
        .n = n, .d = d, .k = k, .x = of->x, .w = of->w, .n_tasks = smr_block_count(n, ROWS)};
    double best = INFINITY;
    TRY_NEW(g.centre, k * d);
    TRY_NEW(g.far, n);
    TRY_NEW(g.label, n);
    TRY_NEW(g.sum, g.n_tasks * k * (d + 1));
    TRY_NEW(g.squares, g.n_tasks);
    TRY_NEW(g.changed, g.n_tasks);
    for (int64_t s = 0; s < of->starts; s++) {
        double found = 0;
        for (int64_t i = 0; i < n; i++) g.label[i] = -1;
        draw_centres(&g, smr_ctx_seed(ctx), s);
        TRY(run_once(ctx, &g, &found));
        if (!(found < best)) continue;
        best = found;
        memcpy(label, g.label, (size_t)n * sizeof *label);
    }
    if (squares) *squares = best;
out:
    smr_free(g.centre);
    smr_free(g.far);
    smr_free(g.label);
    smr_free(g.sum);
    smr_free(g.squares);
    smr_free(g.changed);
    return st;
}
