/* information.c -- see information.h. */
#include "math/information.h"

#include "core/ctx.h"
#include "kernel/kernel.h"
#include "math/dd.h"

static const double LN2 = 0.69314718055994530942;

static double sum_of(int64_t n, const double *p, int64_t stride)
{
    dd sum = {0, 0};
    for (int64_t i = 0; i < n; i++) dd_add(&sum, p[i * stride]);
    return dd_value(sum);
}

/* sum += p log(total / p) */
static void add_term(dd *sum, double p, double total)
{
    if (p > 0 && p < total) dd_add_product(sum, p, smr_log(total / p));
}

double smr_entropy(int64_t n, const double *p)
{
    double total = sum_of(n, p, 1);
    dd sum = {0, 0};
    if (!(total > 0)) return NAN;
    for (int64_t i = 0; i < n; i++) add_term(&sum, p[i], total);
    return dd_value(sum) / total / LN2;
}

double smr_cross_entropy(int64_t n, const double *p, const double *q)
{
    double all_p = sum_of(n, p, 1), all_q = sum_of(n, q, 1);
    dd sum = {0, 0};
    if (!(all_p > 0 && all_q > 0)) return NAN;
    for (int64_t i = 0; i < n; i++) {
        if (!(p[i] > 0)) continue;
        if (!(q[i] > 0)) return INFINITY;
        dd_add_product(&sum, p[i], smr_log(all_q / q[i]));
    }
    return dd_value(sum) / all_p / LN2;
}

double smr_kl_divergence(int64_t n, const double *p, const double *q)
{
    double all_p = sum_of(n, p, 1), all_q = sum_of(n, q, 1);
    dd sum = {0, 0};
    if (!(all_p > 0 && all_q > 0)) return NAN;
    for (int64_t i = 0; i < n; i++) {
        if (!(p[i] > 0)) continue;
        if (!(q[i] > 0)) return INFINITY;
        dd_add_product(&sum, p[i], smr_log((p[i] / all_p) / (q[i] / all_q)));
    }
    return smr_fmax(0, dd_value(sum) / all_p / LN2);
}

/* The mean of the two divergences from the distribution in the middle. */
double smr_js_divergence(int64_t n, const double *p, const double *q)
{
    double all_p = sum_of(n, p, 1), all_q = sum_of(n, q, 1);
    dd sum = {0, 0};
    if (!(all_p > 0 && all_q > 0)) return NAN;
    for (int64_t i = 0; i < n; i++) {
        double a = p[i] / all_p, b = q[i] / all_q, middle = 0.5 * (a + b);
        if (a > 0) dd_add_product(&sum, 0.5 * a, smr_log(a / middle));
        if (b > 0) dd_add_product(&sum, 0.5 * b, smr_log(b / middle));
    }
    return smr_fmax(0, dd_value(sum) / LN2);
}

double smr_gini(int64_t n, const double *p)
{
    double total = sum_of(n, p, 1);
    dd sum = {0, 0};
    if (!(total > 0)) return NAN;
    for (int64_t i = 0; i < n; i++) dd_add_product(&sum, p[i] / total, 1 - p[i] / total);
    return dd_value(sum);
}

double smr_misclassification(int64_t n, const double *p)
{
    double total = sum_of(n, p, 1), most = 0;
    if (!(total > 0)) return NAN;
    for (int64_t i = 0; i < n; i++) most = smr_fmax(most, p[i]);
    return 1 - most / total;
}

smr_information smr_information_of(int64_t n_x, int64_t n_y, const double *count)
{
    double total = sum_of(n_x * n_y, count, 1);
    dd x = {0, 0}, y = {0, 0}, joint = {0, 0}, y_given_x = {0, 0}, x_given_y = {0, 0};
    if (!(total > 0)) return (smr_information){NAN, NAN, NAN, NAN, NAN, NAN, NAN};
    for (int64_t j = 0; j < n_y; j++) {
        double column = sum_of(n_x, count + j, n_y);
        add_term(&y, column, total);
        for (int64_t i = 0; i < n_x; i++) add_term(&x_given_y, count[i * n_y + j], column);
    }
    for (int64_t i = 0; i < n_x; i++) {
        double row = sum_of(n_y, count + i * n_y, 1);
        add_term(&x, row, total);
        for (int64_t j = 0; j < n_y; j++) {
            add_term(&y_given_x, count[i * n_y + j], row);
            add_term(&joint, count[i * n_y + j], total);
        }
    }
    dd gain = dd_minus(y, y_given_x);
    double unit = total * LN2, bits = smr_fmax(0, dd_value(gain) / unit),
           split = dd_value(x) / unit;
    return (smr_information){.x = split,
                             .y = dd_value(y) / unit,
                             .joint = dd_value(joint) / unit,
                             .y_given_x = dd_value(y_given_x) / unit,
                             .x_given_y = dd_value(x_given_y) / unit,
                             .gain = bits,
                             .gain_ratio = split > 0 ? bits / split : NAN};
}

/* Parts are compared with the whole through the row of column sums above them. */
double smr_impurity_gain(double (*impurity)(int64_t n, const double *p), int64_t n_x, int64_t n_y,
                         const double *count, double *whole)
{
    dd parts = {0, 0};
    for (int64_t j = 0; j < n_y; j++) whole[j] = sum_of(n_x, count + j, n_y);
    double total = sum_of(n_y, whole, 1);
    if (!(total > 0)) return NAN;
    for (int64_t i = 0; i < n_x; i++) {
        double row = sum_of(n_y, count + i * n_y, 1);
        if (row > 0) dd_add_product(&parts, row / total, impurity(n_y, count + i * n_y));
    }
    return impurity(n_y, whole) - dd_value(parts);
}
