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

/* One after the other: neither reads the other's rows. */
int64_t smr_ref_chain_both_f64(int64_t steps, const smr_chain *a, const smr_chain *b,
                               const double *const from[2], const double from_sum[2], double least)
{
    int64_t made = smr_ref_chain_sum_f64(steps, a, from[0], from_sum[0], least);
    return smr_ref_chain_sum_f64(made, b, from[1], from_sum[1], least);
}

void smr_ref_normals_logs_f64(int64_t n, const smr_normals *of, const double *X, int64_t ldx,
                              double *out)
{
    int64_t width = of->width;
    for (int64_t r = 0; r < n; r++)
        for (int64_t j = 0; j < width; j++) {
            double sum = 0;
            for (int64_t k = 0; k < of->d; k++) {
                double z = (X[r * ldx + k] - of->mean[k * width + j]) * of->scale[k * width + j];
                sum = fma(z, z, sum);
            }
            out[r * width + j] = fma(-0.5, sum, of->peak[j]);
        }
}

/* Logarithms become densities over the largest of their row. */
static void finish_rows(int64_t n, int64_t states, int64_t width, double *out, double *top)
{
    for (int64_t r = 0; r < n; r++, out += width) {
        top[r] = out[0];
        for (int64_t j = 1; j < states; j++) top[r] = out[j] > top[r] ? out[j] : top[r];
        for (int64_t j = 0; j < width; j++) {
            double x = top[r] > -INFINITY ? out[j] - top[r] : 0;
            out[j] = j >= states || x < -700 ? 0 : smr_exp(x);
        }
    }
}

void smr_ref_normals_rows_f64(int64_t n, const smr_normals *of, const double *X, int64_t ldx,
                              double *out, double *top)
{
    smr_ref_normals_logs_f64(n, of, X, ldx, out);
    finish_rows(n, of->n, of->width, out, top);
}

void smr_ref_whites_rows_f64(int64_t n, const smr_whites *of, const double *X, int64_t ldx,
                             double *out, double *top)
{
    for (int64_t c = 0; c < of->width; c++) {
        if (c < of->n)
            smr_ref_whitened_f64(n, of->d, X, ldx, of->mean + c * of->d, of->white + c * of->each,
                                 of->ldw, out + c, of->width);
        for (int64_t r = 0; r < n; r++)
            out[r * of->width + c] =
                c < of->n ? of->peak[c] - 0.5 * out[r * of->width + c] : -INFINITY;
    }
    finish_rows(n, of->n, of->width, out, top);
}

int64_t smr_ref_weigh_rows_f64(int64_t n, int64_t d, const double *X, int64_t ldx, const double *p,
                               int64_t step, const double *mean, double *z)
{
    int64_t m = 0;
    for (int64_t r = 0; r < n; r++) {
        if (!(p[r * step] > 0)) continue;
        double root = sqrt(p[r * step]), *to = z + m++ * (d + 1);
        for (int64_t j = 0; j < d; j++) to[j] = root * (X[r * ldx + j] - mean[j]);
        to[d] = root;
    }
    return m;
}

void smr_ref_normals_moments_f64(int64_t n, const smr_normals *of, const double *X, int64_t ldx,
                                 const double *p, double *sum, double *square)
{
    int64_t width = of->width;
    for (int64_t r = 0; r < n; r++)
        for (int64_t k = 0; k < of->d; k++)
            for (int64_t j = 0; j < width; j++) {
                double z = X[r * ldx + k] - of->mean[k * width + j], by = p[r * width + j] * z;
                sum[k * width + j] = sum[k * width + j] + by;
                square[k * width + j] = fma(by, z, square[k * width + j]);
            }
}

void smr_ref_lanes_sum_f64(int64_t n, int64_t width, const double *p, double *sum)
{
    for (int64_t r = 0; r < n; r++)
        for (int64_t j = 0; j < width; j++) sum[j] = sum[j] + p[r * width + j];
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
