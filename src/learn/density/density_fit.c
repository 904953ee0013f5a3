/* density_fit.c -- the training rows of a density, and parametric densities.
 *
 * Rows of weight 0 and rows with a gap do not count.  Parametric densities are those of maximum
 * likelihood, the features being independent but for covariance=full:
 *
 *     normal       mean and variance, divided by the weight    lognormal   the same of log x, x > 0
 *     exponential  scale = mean, x >= 0
 *     gamma        scale = mean / k, log k - digamma(k) = log mean - mean of log x, x > 0       (1)
 *
 * (1) by Newton's method, whose start is within 2% of the answer (Minka, "Estimating a gamma
 * distribution", 2002).  A feature that never changes counts with the deviation
 * 1e-6 (1 + |value|). */
#include "core/sort.h"
#include "core/text.h"
#include "core/try.h"
#include "kernel/kernel.h"
#include "learn/density/density.h"
#include "math/factor.h"
#include "math/stats.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { BLOCK = 256 };
static const double MOST_RANGE = 1e150; /* its square is a number */

/* ---- rows ------------------------------------------------------------------------------- */

static const char *name_of(const struct smr_density_rows *rows, int64_t j, char *room, size_t n)
{
    if (rows->data->features) return rows->data->features[j].name;
    snprintf(room, n, "%lld", (long long)j);
    return room;
}

static bool has_gap(const double *x, int64_t d)
{
    for (int64_t j = 0; j < d; j++)
        if (isnan(x[j])) return true;
    return false;
}

static smr_status read_rows(smr_ctx *ctx, const smr_data *data, struct smr_density_rows *rows,
                            int64_t *n_gaps)
{
    smr_status st = SMR_OK;
    smr_reader *reader = NULL;
    int64_t d = rows->d;
    TRY(smr_reader_open(ctx, data, SMR_FORM_F64, BLOCK, &reader));
    for (int64_t lo = 0; lo < data->n_rows; lo += BLOCK) {
        smr_rows block;
        TRY(smr_reader_rows(ctx, reader, lo, SMR_MIN(lo + BLOCK, data->n_rows), &block));
        for (int64_t r = 0; r < block.n; r++) {
            const double *x = (const double *)block.x + r * block.stride;
            double weight = smr_data_weight(data, lo + r);
            if (!(weight > 0)) continue;
            if (has_gap(x, d)) {
                ++*n_gaps;
                continue;
            }
            memcpy(rows->x + rows->n * d, x, (size_t)d * sizeof *x);
            rows->w[rows->n++] = weight;
            rows->total += weight;
        }
        TRY(smr_tick(ctx, NULL, lo, data->n_rows, NAN));
    }
out:
    smr_reader_close(reader);
    return st;
}

static smr_status take_rows(smr_ctx *ctx, const smr_data *data, struct smr_density_rows *rows)
{
    smr_status st = SMR_OK;
    int64_t n_gaps = 0;
    rows->data = data;
    rows->d = data->n_features;
    if (rows->d < 1) return smr_fail(ctx, SMR_ERR_DATA, "density: there are no features");
    /* here, sorted, in units of the widths, and in the order of the tree */
    TRY(smr_memory_check(ctx, 8.0 * (double)data->n_rows * (3 * (double)rows->d + 6),
                         "density: the rows", "use fewer rows or columns"));
    TRY_NEW(rows->x, data->n_rows * rows->d);
    TRY_NEW(rows->w, data->n_rows);
    TRY(read_rows(ctx, data, rows, &n_gaps));
    if (rows->n == 0 && n_gaps > 0)
        TRY(smr_fail(ctx, SMR_ERR_DATA,
                     "density: every row has a gap, and such rows are left out; put impute before "
                     "density, or ignore the columns with most of them"));
    if (rows->n == 0) TRY(smr_fail(ctx, SMR_ERR_DATA, "density: there are no rows to learn from"));
    if (n_gaps > 0)
        smr_warn(ctx, "density: %lld of %lld rows %s a gap and %s left out", (long long)n_gaps,
                 (long long)(rows->n + n_gaps), smr_plural(n_gaps, "has", "have"),
                 smr_plural(n_gaps, "was", "were"));
out:
    return st;
}

/* ---- equal rows ---- */

struct lines {
    const double *x;
    int64_t d;
};

static int compare_lines(const void *items, int64_t a, int64_t b)
{
    const struct lines *l = items;
    for (int64_t j = 0; j < l->d; j++) {
        double u = l->x[a * l->d + j], v = l->x[b * l->d + j];
        if (u != v) return u < v ? -1 : 1;
    }
    return 0;
}

smr_status smr_density_join(smr_ctx *ctx, struct smr_density_rows *rows)
{
    smr_status st = SMR_OK;
    int64_t *order = NULL, d = rows->d, at = -1;
    double *x = NULL, *w = NULL;
    struct lines l = {rows->x, d};
    TRY_NEW(order, rows->n);
    TRY_NEW(x, rows->n * d);
    TRY_NEW(w, rows->n);
    TRY(smr_argsort(ctx, rows->n, compare_lines, &l, order));
    for (int64_t i = 0; i < rows->n; i++) {
        if (i == 0 || compare_lines(&l, order[i - 1], order[i]) != 0) {
            at++;
            for (int64_t j = 0; j < d; j++) x[at * d + j] = rows->x[order[i] * d + j] + 0.0;
        }
        w[at] += rows->w[order[i]];
    }
    rows->n = at + 1;
    smr_free(rows->x);
    smr_free(rows->w);
    rows->x = x;
    rows->w = w;
    x = w = NULL;
out:
    smr_free(order);
    smr_free(x);
    smr_free(w);
    return st;
}

/* ---- moments ---------------------------------------------------------------------------- */

smr_status smr_density_moments_of(smr_ctx *ctx, const struct smr_density_rows *rows, int less,
                                  struct smr_density_moments *of)
{
    static const double quarters[] = {0.25, 0.75};
    smr_status st = SMR_OK;
    double *column = NULL, q[2];
    TRY_NEW(column, rows->n);
    for (int64_t j = 0; j < rows->d; j++) {
        smr_numbers_summary sums;
        for (int64_t i = 0; i < rows->n; i++) column[i] = rows->x[i * rows->d + j];
        smr_summarize(rows->n, column, rows->w, &sums);
        TRY(smr_quantiles(ctx, rows->n, column, rows->w, 2, quarters, q));
        of[j].mean = sums.mean;
        of[j].quartiles = (q[1] - q[0]) / 1.3489795003921634;
        of[j].sd = sqrt(less ? sums.sample_variance : sums.variance);
        of[j].constant = !(sums.max > sums.min) || !(of[j].sd > 0);
        if (of[j].constant) of[j].sd = 1e-6 * (1 + fabs(sums.mean));
    }
out:
    smr_free(column);
    return st;
}

static smr_status refuse_singular(smr_ctx *ctx, const struct smr_density_rows *rows, int64_t at)
{
    char room[32];
    return smr_fail(ctx, SMR_ERR_DATA,
                    "density: the covariance is singular: '%s' depends on the features before it; "
                    "use covariance=diagonal, or leave columns out",
                    name_of(rows, at, room, sizeof room));
}

smr_status smr_density_find_root(smr_ctx *ctx, const struct smr_density_rows *rows,
                                 const struct smr_density_moments *of, int less, const double *sd,
                                 double *root)
{
    smr_status st = SMR_OK;
    int64_t d = rows->d, failed = -1;
    double *R = NULL;
    TRY(smr_memory_check(ctx, 24.0 * (double)d * (double)d, "density: the covariance",
                         "use covariance=diagonal, or fewer columns"));
    TRY_NEW(R, d * d);
    for (int64_t j = 0; j < d; j++) R[j + j * d] = 1;
    for (int64_t i = 0; i < rows->n; i++) {
        double w = rows->w[i] / (rows->total - less);
        for (int64_t j = 0; j < d; j++) {
            if (of[j].constant) continue;
            double u = w * (rows->x[i * d + j] - of[j].mean) / of[j].sd;
            for (int64_t k = j + 1; k < d; k++)
                if (!of[k].constant)
                    R[k + j * d] += u * (rows->x[i * d + k] - of[k].mean) / of[k].sd;
        }
        if (i % 1024 == 0) TRY(smr_tick(ctx, "covariance", i, rows->n, NAN));
    }
    TRY(smr_cholesky(ctx, d, R, d, &failed));
    for (int64_t j = 0; failed < 0 && j < d; j++)
        if (R[j + j * d] < 1e-7) failed = j;
    if (failed >= 0) TRY(refuse_singular(ctx, rows, failed));
    for (int64_t j = 0; j < d; j++)
        for (int64_t k = 0; k <= j; k++) root[j * d + k] = sd[j] * R[j + k * d];
out:
    smr_free(R);
    return st;
}

/* ---- parametric densities --------------------------------------------------------------- */

/* digamma and trigamma, by their asymptotic series from 10 on. */
static void polygammas(double x, double *di, double *tri)
{
    *di = *tri = 0;
    for (; x < 10; x += 1) {
        *di -= 1 / x;
        *tri += 1 / (x * x);
    }
    double r = 1 / x, s = r * r;
    *di += smr_log(x) - r / 2 -
           s * (1.0 / 12 - s * (1.0 / 120 - s * (1.0 / 252 - s * (1.0 / 240 - s / 132))));
    *tri += r + s / 2 +
            r * s * (1.0 / 6 - s * (1.0 / 30 - s * (1.0 / 42 - s * (1.0 / 30 - s * 5 / 66))));
}

/* (1) for `gap`, the right side. */
static double gamma_shape(double gap)
{
    double k = (3 - gap + sqrt((gap - 3) * (gap - 3) + 24 * gap)) / (12 * gap);
    for (int t = 0; t < 50; t++) {
        double di, tri;
        polygammas(k, &di, &tri);
        double next = 1 / (1 / k + (smr_log(k) - di - gap) / (k - k * k * tri));
        double change = fabs(next - k);
        k = next;
        if (!(change > 1e-15 * k)) break;
    }
    return k;
}

/* Refuses numbers below the support of the density. */
static smr_status check_support(smr_ctx *ctx, const struct smr_density_params *p,
                                const struct smr_density_rows *rows, const char *model)
{
    bool open = p->model != SMR_DENSITY_EXPONENTIAL;
    char room[32];
    for (int64_t i = 0; i < rows->n; i++)
        for (int64_t j = 0; j < rows->d; j++) {
            double x = rows->x[i * rows->d + j];
            if (open ? x > 0 : x >= 0) continue;
            return smr_fail(ctx, SMR_ERR_DATA,
                            "density: model=%s is for numbers %s, and '%s' has %g; use "
                            "model=parzen, or leave the column out",
                            model, open ? "above 0" : "from 0 on",
                            name_of(rows, j, room, sizeof room), x);
        }
    return SMR_OK;
}

static smr_status fit_gamma(smr_ctx *ctx, const struct smr_density_rows *rows,
                            const struct smr_density_moments *of, struct smr_density_state *s)
{
    smr_status st = SMR_OK;
    char room[32];
    double *logs = NULL;
    TRY_NEW(s->shape, rows->d);
    TRY_NEW(logs, rows->n);
    for (int64_t j = 0; j < rows->d; j++) {
        for (int64_t i = 0; i < rows->n; i++)
            logs[i] = smr_log(rows->x[i * rows->d + j] / of[j].mean);
        double gap = -smr_mean(rows->n, logs, rows->w);
        if (of[j].constant || !(gap > 1e-12))
            TRY(smr_fail(
                ctx, SMR_ERR_DATA,
                "density: '%s' has the same value in all rows, which no gamma density fits; "
                "leave the column out",
                name_of(rows, j, room, sizeof room)));
        s->shape[j] = gamma_shape(gap);
        s->width[j] = of[j].mean / s->shape[j];
    }
out:
    smr_free(logs);
    return st;
}

/* The rows' logarithms, in memory of their own. */
static smr_status take_logs(smr_ctx *ctx, const struct smr_density_rows *rows, double **out)
{
    *out = smr_alloc(ctx, rows->n * rows->d, sizeof **out);
    if (!*out) return SMR_ERR_NOMEM;
    smr_log_f64(rows->n * rows->d, rows->x, *out);
    return SMR_OK;
}

/* Means and deviations, and with covariance=full the root of the covariance. */
static smr_status fit_normal(smr_ctx *ctx, const struct smr_density_params *p,
                             const struct smr_density_rows *rows,
                             const struct smr_density_moments *of, struct smr_density_state *s)
{
    smr_status st = SMR_OK;
    int64_t d = rows->d;
    TRY_NEW(s->centre, d);
    for (int64_t j = 0; j < d; j++) {
        s->centre[j] = of[j].mean;
        s->width[j] = of[j].sd;
    }
    if (!smr_density_is_full(p)) goto out;
    TRY_NEW(s->root, d * d);
    TRY(smr_density_find_root(ctx, rows, of, 0, s->width, s->root));
out:
    return st;
}

/* Bars of the rows, for pictures. */
static smr_status count_bars(smr_ctx *ctx, const struct smr_density_rows *rows,
                             struct smr_density_state *s)
{
    enum { BARS = SMR_DENSITY_BARS };
    smr_status st = SMR_OK;
    int64_t d = rows->d;
    s->n_shown = BARS;
    TRY_NEW(s->least, d);
    TRY_NEW(s->most, d);
    TRY_NEW(s->shown, d * BARS);
    for (int64_t j = 0; j < d; j++) {
        s->least[j] = s->most[j] = rows->x[j];
        for (int64_t i = 1; i < rows->n; i++) {
            s->least[j] = smr_fmin(s->least[j], rows->x[i * d + j]);
            s->most[j] = smr_fmax(s->most[j], rows->x[i * d + j]);
        }
        double width = (s->most[j] - s->least[j]) / BARS;
        for (int64_t i = 0; i < rows->n && width > 0; i++) {
            int64_t k = (int64_t)((rows->x[i * d + j] - s->least[j]) / width);
            s->shown[j * BARS + SMR_MIN(k, BARS - 1)] += rows->w[i];
        }
    }
out:
    return st;
}

static smr_status fit_law(smr_ctx *ctx, const struct smr_density_params *p,
                          const struct smr_density_rows *rows, struct smr_density_state *s)
{
    static const char *const names[] = {[SMR_DENSITY_LOGNORMAL] = "lognormal",
                                        [SMR_DENSITY_EXPONENTIAL] = "exponential",
                                        [SMR_DENSITY_GAMMA] = "gamma"};
    smr_status st = SMR_OK;
    int64_t d = rows->d;
    struct smr_density_rows of_logs = *rows;
    struct smr_density_moments *of = NULL;
    double *logs = NULL;
    TRY_NEW(of, d);
    TRY_NEW(s->width, d);
    if (p->model != SMR_DENSITY_NORMAL) TRY(check_support(ctx, p, rows, names[p->model]));
    if (p->model == SMR_DENSITY_LOGNORMAL) {
        TRY(take_logs(ctx, rows, &logs));
        of_logs.x = logs;
    }
    TRY(smr_density_moments_of(ctx, &of_logs, 0, of));
    if (p->model == SMR_DENSITY_GAMMA)
        TRY(fit_gamma(ctx, rows, of, s));
    else if (p->model != SMR_DENSITY_EXPONENTIAL)
        TRY(fit_normal(ctx, p, &of_logs, of, s));
    for (int64_t j = 0; p->model == SMR_DENSITY_EXPONENTIAL && j < d; j++)
        s->width[j] = of[j].mean > 0 ? of[j].mean : of[j].sd;
out:
    smr_free(of);
    smr_free(logs);
    return st;
}

/* ---- fit -------------------------------------------------------------------------------- */

enum { MOST_NAMED = 4 };

static smr_status warn_of_constants(smr_ctx *ctx, const struct smr_density_params *p,
                                    const struct smr_density_rows *rows)
{
    smr_status st = SMR_OK;
    smr_text text = {.ctx = ctx};
    int64_t named = 0, d = rows->d;
    char room[32];
    if (p->model == SMR_DENSITY_PARZEN && p->bandwidth.n > 0) return SMR_OK;
    for (int64_t j = 0; j < d; j++) {
        bool constant = true;
        for (int64_t i = 1; i < rows->n && constant; i++)
            constant = rows->x[i * d + j] == rows->x[j];
        if (!constant || named++ >= MOST_NAMED) continue;
        smr_text_printf(&text, "%s'%s'", named > 1 ? ", " : "",
                        name_of(rows, j, room, sizeof room));
    }
    TRY(smr_text_done(&text));
    if (named > MOST_NAMED)
        smr_warn(ctx,
                 "density: %s and %lld more features never change; each counts with the deviation "
                 "1e-6 (1 + |value|)",
                 text.bytes, (long long)(named - MOST_NAMED));
    else if (named > 0)
        smr_warn(ctx,
                 "density: %s never change%s and count%s with the deviation 1e-6 (1 + |value|)",
                 text.bytes, named > 1 ? "" : "s", named > 1 ? "" : "s");
out:
    smr_text_release(&text);
    return st;
}

/* The mean log-density of the training rows, which parametric densities maximise. */
static smr_status find_mean_log(smr_ctx *ctx, const struct smr_density_params *p,
                                const struct smr_density_rows *rows,
                                const struct smr_density_state *s, double *mean)
{
    smr_status st = SMR_OK;
    double *room = NULL, *logs = NULL;
    TRY_NEW(room, smr_density_room(p, s));
    TRY_NEW(logs, rows->n);
    for (int64_t i = 0; i < rows->n; i++)
        logs[i] = smr_density_at(p, s, rows->x + i * rows->d, room);
    *mean = smr_mean(rows->n, logs, rows->w);
out:
    smr_free(room);
    smr_free(logs);
    return st;
}

/* Refuses features whose squares are no numbers. */
static smr_status check_ranges(smr_ctx *ctx, const struct smr_density_rows *rows)
{
    char room[32];
    for (int64_t j = 0; j < rows->d; j++) {
        double low = INFINITY, high = -INFINITY;
        for (int64_t i = 0; i < rows->n; i++) {
            low = smr_fmin(low, rows->x[i * rows->d + j]);
            high = smr_fmax(high, rows->x[i * rows->d + j]);
        }
        if (high - low <= MOST_RANGE && fabs(low) <= MOST_RANGE) continue;
        return smr_fail(ctx, SMR_ERR_DATA,
                        "density: '%s' goes from %g to %g, and beyond %g no density can be "
                        "computed; divide it, or leave the column out",
                        name_of(rows, j, room, sizeof room), low, high, MOST_RANGE);
    }
    return SMR_OK;
}

smr_status smr_density_fit(smr_ctx *ctx, const void *params_, const smr_data *data, void *state_,
                           smr_fit_report *report)
{
    smr_status st = SMR_OK;
    struct smr_density_params p = *(const struct smr_density_params *)params_;
    struct smr_density_state *s = state_;
    struct smr_density_rows rows = {0};
    report->converged = true;
    report->objective = NAN;
    TRY(take_rows(ctx, data, &rows));
    s->n_features = rows.d;
    s->total = rows.total;
    s->lane = SMR_WINDOW_GROUP;
    TRY(check_ranges(ctx, &rows));
    TRY(smr_density_join(ctx, &rows));
    TRY(warn_of_constants(ctx, &p, &rows));
    if (p.rule == SMR_DENSITY_AUTO)
        p.rule = p.model == SMR_DENSITY_PARZEN ? SMR_DENSITY_LIKELIHOOD : SMR_DENSITY_ROBUST;
    if (p.model == SMR_DENSITY_PARZEN)
        TRY(smr_density_fit_parzen(ctx, &p, &rows, s, report));
    else if (p.model == SMR_DENSITY_HISTOGRAM)
        TRY(smr_density_fit_bins(ctx, &p, &rows, s, report));
    else
        TRY(fit_law(ctx, &p, &rows, s));
    if (p.model <= SMR_DENSITY_HISTOGRAM) goto out;
    TRY(count_bars(ctx, &rows, s));
    TRY(smr_density_prepare(ctx, &p, s));
    TRY(find_mean_log(ctx, &p, &rows, s, &report->objective));
out:
    smr_free(rows.x);
    smr_free(rows.w);
    return st;
}
