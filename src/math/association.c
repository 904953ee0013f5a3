/* association.c -- see association.h. */
#include "math/association.h"

#include "core/sort.h"
#include "math/dd.h"
#include "math/special.h"

#include <math.h>

smr_status smr_chi_square_of(smr_ctx *ctx, int64_t n_x, int64_t n_y, const double *count,
                             smr_chi_square *out)
{
    smr_status st = SMR_OK;
    double *row = NULL, *column = NULL, total = 0, r = 0, s = 0;
    dd sum = {0, 0};
    *out = (smr_chi_square){NAN, NAN, NAN, NAN};
    TRY_NEW(row, n_x + 1);
    TRY_NEW(column, n_y + 1);
    for (int64_t i = 0; i < n_x; i++)
        for (int64_t j = 0; j < n_y; j++) {
            row[i] += count[i * n_y + j];
            column[j] += count[i * n_y + j];
        }
    for (int64_t j = 0; j < n_y; j++) {
        total += column[j];
        s += column[j] > 0;
    }
    for (int64_t i = 0; i < n_x; i++) {
        r += row[i] > 0;
        for (int64_t j = 0; j < n_y; j++) {
            double expected = row[i] * column[j] / total, gap = count[i * n_y + j] - expected;
            if (expected > 0) dd_add(&sum, gap * gap / expected);
        }
    }
    if (r < 2 || s < 2) goto out;
    out->statistic = dd_value(sum);
    out->df = (r - 1) * (s - 1);
    out->p = smr_chi2_upper(out->statistic, out->df);
    out->v = smr_fmin(1, sqrt(out->statistic / (total * (SMR_MIN(r, s) - 1))));
out:
    smr_free(row);
    smr_free(column);
    return st;
}

struct group {
    dd weight, sum;
    double mean;
};

enum { FEW_GROUPS = 64 };

/* Weights and sums of few groups where all rows count once: of rows in turn in two places, since
 * the same group often comes twice in a row.  A row without a group or a value is in the last. */
static void add_few_groups(int64_t n, const int32_t *code, int64_t n_groups, const double *y,
                           struct group *groups)
{
    dd sum[2][FEW_GROUPS + 1] = {{{0, 0}}};
    int64_t count[2][FEW_GROUPS + 1] = {{0}};
    for (int64_t i = 0; i < n; i++) {
        int64_t g = code[i] < 0 || isnan(y[i]) ? FEW_GROUPS : code[i];
        count[i & 1][g]++;
        dd_add(&sum[i & 1][g], y[i]);
    }
    for (int64_t g = 0; g < n_groups; g++) {
        groups[g].weight.hi = (double)(count[0][g] + count[1][g]);
        groups[g].sum = dd_plus(sum[0][g], sum[1][g]);
    }
}

static void add_plain_rows(int64_t n, const int32_t *code, int64_t n_groups, const double *y,
                           struct group *groups)
{
    if (n_groups <= FEW_GROUPS) {
        add_few_groups(n, code, n_groups, y, groups);
        return;
    }
    for (int64_t i = 0; i < n; i++) {
        if (code[i] < 0 || isnan(y[i])) continue;
        groups[code[i]].weight.hi++;
        dd_add(&groups[code[i]].sum, y[i]);
    }
}

/* w (y - the mean of its group)^2 of a row, or 0. */
static inline double spread_of(int32_t code, const struct group *groups, double y, double w)
{
    if (code < 0 || isnan(y) || w == 0) return 0;
    double gap = y - groups[code].mean;
    return w * gap * gap;
}

/* The sum of these, in four that wait for their own last step only. */
static dd add_within(int64_t n, const int32_t *code, const struct group *groups, const double *y,
                     const double *weight)
{
    dd a = {0, 0}, b = a, c = a, d = a;
    int64_t i = 0;
    for (; !weight && i + 3 < n; i += 4) {
        dd_add(&a, spread_of(code[i], groups, y[i], 1));
        dd_add(&b, spread_of(code[i + 1], groups, y[i + 1], 1));
        dd_add(&c, spread_of(code[i + 2], groups, y[i + 2], 1));
        dd_add(&d, spread_of(code[i + 3], groups, y[i + 3], 1));
    }
    for (; i < n; i++) dd_add(&a, spread_of(code[i], groups, y[i], weight ? weight[i] : 1));
    return dd_plus(dd_plus(a, b), dd_plus(c, d));
}

/* Weights and means of the groups; the mean of all rows is returned, their weight in *total. */
static double find_means(int64_t n, const int32_t *code, int64_t n_groups, const double *y,
                         const double *weight, struct group *groups, double *total)
{
    dd all = {0, 0}, sum = {0, 0};
    if (!weight) add_plain_rows(n, code, n_groups, y, groups);
    for (int64_t i = 0; weight && i < n; i++) {
        if (code[i] < 0 || isnan(y[i]) || weight[i] == 0) continue;
        dd_add(&groups[code[i]].weight, weight[i]);
        dd_add_product(&groups[code[i]].sum, weight[i], y[i]);
    }
    for (int64_t k = 0; k < n_groups; k++) {
        double w = dd_value(groups[k].weight);
        groups[k].mean = w > 0 ? dd_value(groups[k].sum) / w : 0;
        dd_add(&all, w);
        dd_add(&sum, dd_value(groups[k].sum));
    }
    *total = dd_value(all);
    return dd_value(sum) / *total;
}

smr_status smr_anova_of(smr_ctx *ctx, int64_t n, const int32_t *code, int64_t n_groups,
                        const double *y, const double *weight, smr_anova *out)
{
    smr_status st = SMR_OK;
    struct group *groups = NULL;
    double total, k = 0;
    dd between = {0, 0};
    *out = (smr_anova){NAN, NAN, NAN, NAN, NAN, NAN};
    TRY_NEW(groups, n_groups + 1);
    double mean = find_means(n, code, n_groups, y, weight, groups, &total);
    dd within = add_within(n, code, groups, y, weight);
    for (int64_t g = 0; g < n_groups; g++) {
        double w = dd_value(groups[g].weight), gap = groups[g].mean - mean;
        k += w > 0;
        if (w > 0) dd_add(&between, w * gap * gap);
    }
    double b = dd_value(between), e = dd_value(within);
    if (k < 2 || !(b + e > 0)) goto out;
    out->eta2 = b / (b + e);
    if (!(total > k)) goto out;
    out->df1 = k - 1;
    out->df2 = total - k;
    out->adjusted = 1 - (e / (total - k)) / ((b + e) / (total - 1));
    out->f = e > 0 ? (b / out->df1) / (e / out->df2) : INFINITY;
    out->p = e > 0 ? smr_f_upper(out->f, out->df1, out->df2) : 0;
out:
    smr_free(groups);
    return st;
}

double smr_pairwise_correlation(int64_t n, const double *x, const double *y)
{
    dd sx = {0, 0}, sy = {0, 0}, xx = {0, 0}, yy = {0, 0}, xy = {0, 0};
    double m = 0;
    for (int64_t i = 0; i < n; i++) {
        if (isnan(x[i]) || isnan(y[i])) continue;
        dd_add(&sx, x[i]);
        dd_add(&sy, y[i]);
        m++;
    }
    double mean_x = dd_value(sx) / m, mean_y = dd_value(sy) / m;
    for (int64_t i = 0; i < n; i++) {
        if (isnan(x[i]) || isnan(y[i])) continue;
        double a = x[i] - mean_x, b = y[i] - mean_y;
        dd_add(&xx, a * a);
        dd_add(&yy, b * b);
        dd_add(&xy, a * b);
    }
    double scale = sqrt(dd_value(xx)) * sqrt(dd_value(yy));
    return scale > 0 ? smr_fmax(-1, smr_fmin(1, dd_value(xy) / scale)) : NAN;
}

double smr_correlation_p(double r, double n)
{
    if (isnan(r) || !(n > 2)) return NAN;
    if (fabs(r) >= 1) return 0;
    return smr_t_two_sided(r * sqrt((n - 2) / ((1 - r) * (1 + r))), n - 2);
}

smr_status smr_midranks(smr_ctx *ctx, int64_t n, const double *x, const double *weight,
                        const int64_t *order, double *rank)
{
    smr_status st = SMR_OK;
    int64_t *own = NULL;
    double below = 0;
    if (!order) {
        TRY_NEW(own, n);
        TRY(smr_argsort_f64(ctx, n, x, own));
        order = own;
    }
    for (int64_t r = 0, end; r < n; r = end) {
        double level = 0;
        for (end = r; end < n && (x[order[end]] == x[order[r]] || end == r); end++)
            level += weight ? weight[order[end]] : 1;
        for (int64_t k = r; k < end; k++)
            rank[order[k]] = isnan(x[order[k]]) ? NAN : below + 0.5 * (level + 1);
        below += level;
    }
out:
    smr_free(own);
    return st;
}
