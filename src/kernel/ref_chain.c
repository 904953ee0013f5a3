/* ref_chain.c -- the plain forms of kernel/chain_kernels.h: see ref.h. */
#include "kernel/ref.h"

#include <math.h>

/* Eight lanes, folded in halves. */
static double fold(int64_t width, const double *x)
{
    double lane[8];
    for (int l = 0; l < 8; l++) {
        lane[l] = x[l];
        for (int64_t j = l + 8; j < width; j += 8) lane[l] = lane[l] + x[j];
    }
    for (int half = 4; half; half /= 2)
        for (int l = 0; l < half; l++) lane[l] = lane[l] + lane[l + half];
    return lane[0];
}

int64_t smr_ref_chain_sum_f64(int64_t steps, const smr_chain *c, const double *from,
                              double from_sum, double least)
{
    for (int64_t s = 0; s < steps; s++) {
        double *row = c->after + s * c->order * c->width, scale = 1 / from_sum;
        const double *emit = c->emit[s * c->order];
        for (int64_t j = 0; j < c->width; j++) {
            double sum[4] = {0};
            for (int64_t i = 0; i < c->n; i++)
                sum[i % 4] = fma(from[i], c->move[i * c->width + j], sum[i % 4]);
            double come = ((sum[0] + sum[1]) + (sum[2] + sum[3])) * scale;
            if (c->before) c->before[s * c->order * c->width + j] = come;
            row[j] = come * emit[j];
        }
        from_sum = fold(c->width, row);
        if (!(from_sum > least)) return s;
        c->sum[s * c->order] = from_sum;
        from = row;
    }
    return steps;
}

void smr_ref_chain_max_f64(int64_t steps, const smr_chain *c, const double *from)
{
    for (int64_t s = 0; s < steps; s++) {
        double *row = c->after + s * c->order * c->width;
        for (int64_t j = 0; j < c->width; j++) {
            double best = -INFINITY;
            for (int64_t i = 0; i < c->n; i++) {
                double x = from[i] + c->move[i * c->width + j];
                best = x > best ? x : best;
            }
            row[j] = best + c->emit[s * c->order][j];
        }
        from = row;
    }
}

void smr_ref_chain_trace_f64(int64_t steps, int64_t width, int64_t order, const double *table,
                             const double *score, int64_t state, int32_t *path)
{
    for (int64_t s = 0; s < steps; s++) {
        const double *row = table + s * order * width, *to = score + state * width;
        int64_t best = 0;
        for (int64_t i = 1; i < width; i++)
            if (row[i] + to[i] > row[best] + to[best]) best = i;
        path[s * order] = (int32_t)(state = best);
    }
}

int64_t smr_ref_chain_meet_f64(int64_t n, int64_t width, double weight, double least,
                               const double *next, double *a, const double *b, double *p)
{
    for (int64_t r = 0; r < n; r++, a += width, b += width, p += width) {
        for (int64_t j = 0; j < width; j++) p[j] = a[j] * b[j];
        double z = fold(width, p);
        if (!(z > least)) return r;
        for (int64_t j = 0; j < width; j++) {
            p[j] = p[j] * (weight / z);
            a[j] = a[j] * (weight / z / next[r]);
        }
    }
    return n;
}

void smr_ref_gauss_plain_f64(int64_t n, int64_t d, const double *X, int64_t ld, const double *mean,
                             const double *scale, double c, double *out)
{
    for (int64_t i = 0; i < n; i++) {
        double sum = 0;
        for (int64_t k = 0; k < d; k++) {
            double z = (X[k * ld + i] - mean[k]) * scale[k];
            sum = sum + z * z;
        }
        out[i] = c - 0.5 * sum;
    }
}

void smr_ref_gauss_full_f64(int64_t n, int64_t d, const double *X, int64_t ld, const double *mean,
                            const double *scale, double c, double *out)
{
    for (int64_t i = 0; i < n; i++) {
        double sum = 0;
        for (int64_t k = 0; k < d; k++) {
            double z = 0;
            for (int64_t l = 0; l <= k; l++) z = z + (X[l * ld + i] - mean[l]) * scale[k * d + l];
            sum = sum + z * z;
        }
        out[i] = c - 0.5 * sum;
    }
}
