/* density_search.c -- the bandwidth under which rows that are left out are likeliest.
 *
 *     CV(f) = sum_i w_i log p_f(x_i without row i) / sum_i w_i                                  (1)
 *
 * p_f having the widths h_j f, without row i being without its copies too: or f = 0 would be best
 * as soon as two rows are equal.  The sums go over all points, or over MOST_LEFT_OUT of them that
 * lie evenly in the order of the tree.
 *
 * f goes through powers of two around 1, on to either side while that end is the best, and then by
 * golden sections between the neighbours of the best, down to 2^(1/64).  Where kernels end, CV is
 * -infinity as long as some row has no other in reach.
 *
 * Reference: Habbema, Hermans & van den Broek, Compstat 1974; Duin, IEEE Trans. Computers 25(11),
 * 1976. */
#include "core/parallel.h"
#include "core/try.h"
#include "kernel/kernel.h"
#include "learn/density/density.h"

#include <math.h>
#include <string.h>

enum {
    GROUP = SMR_WINDOW_GROUP,
    MOST_LEFT_OUT = 4096,
    QUERIES_A_TASK = 64,
    LEAST_POWER = -20, /* of two: how far f goes */
    MOST_POWER = 10,
    MOST_TRIED = 64
};

static const double LOG_2 = 0.693147180559945309417232121458;
static const double GOLDEN = 0.381966011250105151795413165634; /* 1 - 1 / 1.618 */
static const double NARROW = 1.0 / 64;

struct search {
    struct smr_density_state *s;
    smr_parzen *tree;
    smr_fit_report *report;
    double *width;        /* n_features */
    double *sum, *weight; /* of each task */
    double *x;            /* for each lane: a point */
    int64_t n_left_out;
    double tried[MOST_TRIED], mean[MOST_TRIED]; /* powers of two, and CV */
    int n_tried;
    double best, at; /* CV, power */
};

static smr_status leave_out(smr_ctx *ctx, void *arg, int64_t task, int lane)
{
    struct search *f = arg;
    const struct smr_density_state *s = f->s;
    int64_t d = s->n_features, end = smr_block_end(f->n_left_out, QUERIES_A_TASK, task);
    double *x = f->x + lane * d;
    (void)ctx;
    f->sum[task] = f->weight[task] = 0;
    for (int64_t k = task * QUERIES_A_TASK; k < end; k++) {
        int64_t i = (int64_t)((double)k * (double)s->n_points / (double)f->n_left_out);
        double w = s->weight[i], left = f->tree->total - w;
        for (int64_t j = 0; j < d; j++) x[j] = s->point[(i / GROUP * d + j) * GROUP + i % GROUP];
        f->sum[task] += w * (smr_parzen_log_sum(f->tree, x, i) - smr_log(left));
        f->weight[task] += w;
    }
    return SMR_OK;
}

/* CV(2^power), without what does not depend on it. */
static smr_status try_power(smr_ctx *ctx, struct search *f, double power)
{
    smr_status st = SMR_OK;
    int64_t d = f->s->n_features, tasks = smr_block_count(f->n_left_out, QUERIES_A_TASK);
    double factor = smr_exp(power * LOG_2), sum = 0, weight = 0, volume;
    for (int64_t j = 0; j < d; j++) f->width[j] = f->s->width[j] * factor;
    TRY(smr_parzen_widen(ctx, f->tree, f->width));
    TRY(smr_parallel(ctx, NULL, tasks, leave_out, f));
    for (int64_t t = 0; t < tasks; t++) {
        sum += f->sum[t];
        weight += f->weight[t];
    }
    volume = smr_density_volume(f->tree->kind, d);
    for (int64_t j = 0; j < d; j++) volume += smr_log(f->width[j]);
    for (int64_t j = 0; f->s->root && j < d; j++) volume += smr_log(f->s->root[j * d + j]);
    double mean = sum / weight - volume;
    f->tried[f->n_tried] = power;
    f->mean[f->n_tried++] = mean;
    if (mean > f->best) {
        f->best = mean;
        f->at = power;
    }
    TRY(smr_fit_step(ctx, f->report, f->best > -INFINITY ? f->best : NAN));
    TRY(smr_tick(ctx, "bandwidth", f->n_tried, MOST_TRIED, mean));
out:
    return st;
}

/* Powers -2 .. 2, and beyond while an end is the best, or nothing is likely yet. */
static smr_status bracket(smr_ctx *ctx, struct search *f)
{
    smr_status st = SMR_OK;
    int low = -2, high = 2;
    for (int k = low; k <= high; k++) TRY(try_power(ctx, f, k));
    while (f->best == -INFINITY && high < MOST_POWER) TRY(try_power(ctx, f, ++high));
    while (f->at == low && low > LEAST_POWER) TRY(try_power(ctx, f, --low));
    while (f->at == high && high < MOST_POWER) TRY(try_power(ctx, f, ++high));
out:
    return st;
}

/* Golden sections between at - 1 and at + 1. */
static smr_status narrow(smr_ctx *ctx, struct search *f)
{
    smr_status st = SMR_OK;
    double low = f->at - 1, high = f->at + 1, a, b;
    int at_a, at_b;
    a = low + GOLDEN * (high - low);
    b = high - GOLDEN * (high - low);
    TRY(try_power(ctx, f, a));
    at_a = f->n_tried - 1;
    TRY(try_power(ctx, f, b));
    at_b = f->n_tried - 1;
    while (high - low > NARROW) {
        if (f->mean[at_a] >= f->mean[at_b]) {
            high = b;
            b = a;
            at_b = at_a;
            a = low + GOLDEN * (high - low);
            TRY(try_power(ctx, f, a));
            at_a = f->n_tried - 1;
        } else {
            low = a;
            a = b;
            at_a = at_b;
            b = high - GOLDEN * (high - low);
            TRY(try_power(ctx, f, b));
            at_b = f->n_tried - 1;
        }
    }
out:
    return st;
}

/* What was tried, by ascending factor. */
static smr_status keep_tried(smr_ctx *ctx, const struct search *f)
{
    smr_status st = SMR_OK;
    struct smr_density_state *s = f->s;
    TRY_NEW(s->tried, f->n_tried);
    TRY_NEW(s->likelihood, f->n_tried);
    s->n_tried = f->n_tried;
    for (int k = 0; k < f->n_tried; k++) {
        int at = k;
        for (; at > 0 && s->tried[at - 1] > f->tried[k]; at--) {
            s->tried[at] = s->tried[at - 1];
            s->likelihood[at] = s->likelihood[at - 1];
        }
        s->tried[at] = f->tried[k];
        s->likelihood[at] = f->mean[k];
    }
    for (int k = 0; k < f->n_tried; k++) s->tried[k] = smr_exp(s->tried[k] * LOG_2);
out:
    return st;
}

smr_status smr_density_search(smr_ctx *ctx, struct smr_density_state *s, smr_parzen *tree,
                              double *factor, smr_fit_report *report)
{
    smr_status st = SMR_OK;
    struct search f = {.s = s, .tree = tree, .report = report, .best = -INFINITY};
    *factor = 1;
    if (s->n_points < 2) {
        smr_warn(ctx, "density: all rows are equal, so none can be left out; the bandwidth is that "
                      "of rule=scott");
        return SMR_OK;
    }
    f.n_left_out = SMR_MIN(s->n_points, MOST_LEFT_OUT);
    TRY_NEW(f.width, s->n_features);
    TRY_NEW(f.x, smr_lanes(ctx) * s->n_features);
    TRY_NEW(f.sum, smr_block_count(f.n_left_out, QUERIES_A_TASK));
    TRY_NEW(f.weight, smr_block_count(f.n_left_out, QUERIES_A_TASK));
    tree->rtol = 1e-6;
    TRY(bracket(ctx, &f));
    if (f.best == -INFINITY) {
        smr_warn(ctx, "density: some row has no other in reach, whatever the bandwidth; it is that "
                      "of rule=scott");
    } else {
        TRY(narrow(ctx, &f));
        report->converged = f.at > LEAST_POWER && f.at < MOST_POWER;
    }
    TRY(keep_tried(ctx, &f));
    *factor = smr_exp(f.at * LOG_2);
out:
    smr_free(f.width);
    smr_free(f.x);
    smr_free(f.sum);
    smr_free(f.weight);
    return st;
}
