/* density_bins.c -- histograms: how many rows lie in each cell of a grid.
 *
 *     p(x) = (weight in the cell of x + a) / ((W + a M) prod_j b_j),  a = smoothing             (1)
 *
 * within the range of the training rows and 0 outside; M cells in all, b_j the width of a bin of
 * feature j.  Bins are closed below and open above, but for the last.  With d features their
 * width is at most
 *
 *     scott   3.49 s_j W^(-1/(d+2))            s_j the deviation of feature j
 *     robust  2 Q_j W^(-1/(d+2))               Q_j the distance between its quartiles (Freedman and
 *                                              Diaconis); scott where that is 0
 *
 * and by likelihood a multiple of the latter, under which rows that are left out, with their
 * copies, are likeliest.  Only cells that hold something are kept, so that many features cost no
 * more than the rows. */
#include "core/sort.h"
#include "core/try.h"
#include "kernel/kernel.h"
#include "learn/density/density.h"

#include <math.h>
#include <string.h>

enum { MOST_BINS = 1 << 20, STEPS = 33 };

struct grid {
    const struct smr_density_rows *rows;
    const double *low, *high;
    int64_t *bins;  /* d */
    int32_t *cell;  /* n x d: of each row             */
    int64_t *order; /* n: rows by their cells         */
};

/* The bin of x in [low, high], whose edges are low + k width; -1: in none. */
static int64_t bin_of(double x, double low, double high, int64_t bins)
{
    double width = (high - low) / (double)bins;
    if (!(x >= low && x <= high)) return -1;
    int64_t at = SMR_MIN((int64_t)((x - low) / width), bins - 1);
    if (at > 0 && x < low + (double)at * width) return at - 1;
    return at < bins - 1 && x >= low + (double)(at + 1) * width ? at + 1 : at;
}

static int compare_cells(const void *items, int64_t a, int64_t b)
{
    const struct grid *g = items;
    int64_t d = g->rows->d;
    for (int64_t j = 0; j < d; j++) {
        int32_t u = g->cell[a * d + j], v = g->cell[b * d + j];
        if (u != v) return u < v ? -1 : 1;
    }
    return 0;
}

/* ---- how wide --------------------------------------------------------------------------- */

static smr_status take_numbers(smr_ctx *ctx, const smr_reals *given, struct grid *g)
{
    int64_t d = g->rows->d;
    if (given->n != 1 && given->n != d)
        return smr_fail(ctx, SMR_ERR_PARAM,
                        "density: bins has %lld numbers, and there are %lld features; give one "
                        "number, or one for each feature",
                        (long long)given->n, (long long)d);
    for (int64_t j = 0; j < d; j++) g->bins[j] = (int64_t)given->value[given->n == 1 ? 0 : j];
    return SMR_OK;
}

static void cut(struct grid *g, const double *widest, double factor)
{
    for (int64_t j = 0; j < g->rows->d; j++) {
        double range = g->high[j] - g->low[j], n = ceil(range / (widest[j] * factor));
        g->bins[j] = n >= 1 ? (int64_t)smr_fmin(n, MOST_BINS) : 1;
    }
}

/* Every row's cell, and the rows in their order. */
static smr_status find_cells(smr_ctx *ctx, struct grid *g)
{
    int64_t d = g->rows->d;
    for (int64_t j = 0; j < d; j++) {
        for (int64_t i = 0; i < g->rows->n; i++)
            g->cell[i * d + j] =
                (int32_t)bin_of(g->rows->x[i * d + j], g->low[j], g->high[j], g->bins[j]);
    }
    return smr_argsort(ctx, g->rows->n, compare_cells, g, g->order);
}

static double all_bins(int64_t d, const int64_t *bins)
{
    double all = 1;
    for (int64_t j = 0; j < d; j++) all *= (double)bins[j];
    return all;
}

double smr_density_all_bins(const struct smr_density_state *s)
{
    return all_bins(s->n_features, s->bins);
}

/* The mean log-density of rows that are left out with their copies.  Rows are distinct. */
static double left_out(const struct grid *g, double smoothing)
{
    const struct smr_density_rows *rows = g->rows;
    double all = all_bins(rows->d, g->bins), sum = 0, volume = 0;
    for (int64_t j = 0; j < rows->d; j++)
        volume += smr_log((g->high[j] - g->low[j]) / (double)g->bins[j]);
    for (int64_t lo = 0, hi; lo < rows->n; lo = hi) {
        double count = 0;
        for (hi = lo; hi < rows->n && compare_cells(g, g->order[lo], g->order[hi]) == 0; hi++)
            count += rows->w[g->order[hi]];
        for (int64_t k = lo; k < hi; k++) {
            double w = rows->w[g->order[k]];
            sum +=
                w * (smr_log(count - w + smoothing) - smr_log(rows->total - w + smoothing * all));
        }
    }
    return sum / rows->total - volume;
}

/* Factors 2^(k/4) of the widths, from 1/16 to 16. */
static smr_status search(smr_ctx *ctx, const struct smr_density_params *p, struct grid *g,
                         const double *widest, struct smr_density_state *s, smr_fit_report *report)
{
    smr_status st = SMR_OK;
    double best = -INFINITY;
    int at = 0;
    TRY_NEW(s->tried, STEPS);
    TRY_NEW(s->likelihood, STEPS);
    s->n_tried = STEPS;
    for (int k = 0; k < STEPS; k++) {
        int finer = k - STEPS / 2;
        s->tried[k] = smr_exp(finer * 0.25 * 0.693147180559945309);
        cut(g, widest, s->tried[k]);
        TRY(find_cells(ctx, g));
        s->likelihood[k] = left_out(g, p->smoothing);
        if (s->likelihood[k] > best) {
            best = s->likelihood[k];
            at = k;
        }
        TRY(smr_fit_step(ctx, report, best));
        TRY(smr_tick(ctx, "widths of bins", k, STEPS, s->likelihood[k]));
    }
    report->converged = at > 0 && at < STEPS - 1;
    cut(g, widest, s->tried[at]);
out:
    return st;
}

static smr_status choose_bins(smr_ctx *ctx, const struct smr_density_params *p, struct grid *g,
                              struct smr_density_state *s, smr_fit_report *report)
{
    smr_status st = SMR_OK;
    int64_t d = g->rows->d;
    struct smr_density_moments *of = NULL;
    double *widest = NULL;
    TRY_NEW(of, d);
    TRY_NEW(widest, d);
    TRY(smr_density_moments_of(ctx, g->rows, g->rows->total > 1, of));
    double f = smr_exp(-smr_log(g->rows->total) / (double)(d + 2));
    for (int64_t j = 0; j < d; j++) {
        bool robust = p->rule != SMR_DENSITY_SCOTT && of[j].quartiles > 0;
        widest[j] = f * (robust ? 2 * 1.3489795003921634 * of[j].quartiles : 3.49 * of[j].sd);
    }
    if (p->rule == SMR_DENSITY_LIKELIHOOD)
        TRY(search(ctx, p, g, widest, s, report));
    else
        cut(g, widest, p->adjust);
out:
    smr_free(of);
    smr_free(widest);
    return st;
}

/* ---- fit -------------------------------------------------------------------------------- */

static smr_status count_cells(smr_ctx *ctx, const struct grid *g, struct smr_density_state *s)
{
    smr_status st = SMR_OK;
    int64_t n = g->rows->n, d = g->rows->d, at = -1;
    TRY(find_cells(ctx, (struct grid *)g));
    for (int64_t i = 0; i < n; i++)
        s->n_cells += i == 0 || compare_cells(g, g->order[i - 1], g->order[i]) != 0;
    TRY_NEW(s->cell, s->n_cells * d);
    TRY_NEW(s->count, s->n_cells);
    for (int64_t i = 0; i < n; i++) {
        int64_t row = g->order[i];
        if (i == 0 || compare_cells(g, g->order[i - 1], row) != 0)
            memcpy(s->cell + ++at * d, g->cell + row * d, (size_t)d * sizeof *s->cell);
        s->count[at] += g->rows->w[row];
    }
out:
    return st;
}

/* low and high of every feature; one that hardly varies has a bin of its own width around it. */
static void find_ranges(const struct smr_density_rows *rows, double *low, double *high)
{
    for (int64_t j = 0; j < rows->d; j++) {
        low[j] = INFINITY;
        high[j] = -INFINITY;
        for (int64_t i = 0; i < rows->n; i++) {
            low[j] = smr_fmin(low[j], rows->x[i * rows->d + j]);
            high[j] = smr_fmax(high[j], rows->x[i * rows->d + j]);
        }
        if (high[j] - low[j] > SMR_DENSITY_LEAST_RANGE) continue;
        double half = 0.5e-6 * (1 + fabs(low[j]));
        low[j] -= half;
        high[j] += half;
    }
}

smr_status smr_density_fit_bins(smr_ctx *ctx, const struct smr_density_params *p,
                                struct smr_density_rows *rows, struct smr_density_state *s,
                                smr_fit_report *report)
{
    smr_status st = SMR_OK;
    struct grid g = {.rows = rows};
    TRY_NEW(s->low, rows->d);
    TRY_NEW(s->high, rows->d);
    TRY_NEW(s->bins, rows->d);
    TRY_NEW(g.cell, rows->n * rows->d);
    TRY_NEW(g.order, rows->n);
    find_ranges(rows, s->low, s->high);
    g.low = s->low;
    g.high = s->high;
    g.bins = s->bins;
    if (p->bins.n > 0)
        TRY(take_numbers(ctx, &p->bins, &g));
    else
        TRY(choose_bins(ctx, p, &g, s, report));
    TRY(count_cells(ctx, &g, s));
out:
    smr_free(g.cell);
    smr_free(g.order);
    return st;
}

/* ---- answers ---------------------------------------------------------------------------- */

int64_t smr_density_bin(const struct smr_density_state *s, int64_t j, double x)
{
    return bin_of(x, s->low[j], s->high[j], s->bins[j]);
}

/* Weight in the cell of x; NAN: it is in none. */
static double weight_at(const struct smr_density_state *s, const double *x)
{
    int64_t d = s->n_features, lo = 0, hi = s->n_cells;
    for (int64_t j = 0; j < d; j++)
        if (smr_density_bin(s, j, x[j]) < 0) return NAN;
    while (lo < hi) {
        int64_t mid = lo + (hi - lo) / 2;
        int order = 0;
        for (int64_t j = 0; j < d && order == 0; j++) {
            int64_t at = smr_density_bin(s, j, x[j]);
            int32_t of = s->cell[mid * d + j];
            order = of < at ? -1 : of > at;
        }
        if (order == 0) return s->count[mid];
        if (order < 0)
            lo = mid + 1;
        else
            hi = mid;
    }
    return 0;
}

double smr_density_of_bins(const struct smr_density_params *p, const struct smr_density_state *s,
                           const double *x)
{
    double weight = weight_at(s, x) + p->smoothing;
    return weight > 0 ? smr_log(weight) - s->log_norm : -INFINITY;
}
