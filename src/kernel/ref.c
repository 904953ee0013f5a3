/* ref.c -- the plain kernels.  Slow on purpose: one loop, one formula. */
#include "kernel/ref.h"

#include "kernel/kernel.h"

#include <math.h>

#define real float
#define K(name) name##_f32
#define FMA fmaf
#include "kernel/ref.inl"
#undef real
#undef K
#undef FMA

#define real double
#define K(name) name##_f64
#define FMA fma
#include "kernel/ref.inl"

double smr_ref_sum_f64(int64_t n, const double *x)
{
    double lane[LANES_f64] = {0};
    for (int64_t i = 0; i < n; i++) lane[i % LANES_f64] += x[i];
    return fold_f64(lane);
}

/* Each product and each sum with its exact error. */
void smr_ref_cross_f64(int64_t n, const double *x, const smr_origin *of_x, const double *y,
                       const smr_origin *of_y, const double *w, double sum[2])
{
    for (int64_t i = 0; i < n; i++) {
        double a = (x[i] * of_x->scale - of_x->hi) - of_x->lo;
        double b = (y[i] * of_y->scale - of_y->hi) - of_y->lo;
        if (w && w[i] == 0) continue;
        if (w) a = w[i] * a;
        double product = a * b, total = sum[0] + product, back = total - sum[0];
        sum[1] += (sum[0] - (total - back)) + (product - back);
        sum[1] += fma(a, b, -product);
        sum[0] = total;
    }
}

/* sum += x + beyond, in two parts. */
static void add_in_two(double sum[2], double x, double beyond)
{
    double total = sum[0] + x, back = total - sum[0];
    sum[1] += ((sum[0] - (total - back)) + (x - back)) + beyond;
    sum[0] = total;
}

static void fold_in_two(double lane[8][2], double sum[2])
{
    sum[0] = sum[1] = 0;
    for (int l = 0; l < 8; l++) add_in_two(sum, lane[l][0], lane[l][1]);
}

void smr_ref_span_f64(int64_t n, const double *x, double scale, double span[4])
{
    double lane[8][2] = {{0}};
    span[2] = span[3] = x[0];
    for (int64_t i = 0; i < n; i++) {
        add_in_two(lane[i % 8], x[i] * scale, 0);
        if (x[i] < span[2]) span[2] = x[i];
        if (x[i] > span[3]) span[3] = x[i];
    }
    fold_in_two(lane, span);
}

void smr_ref_powers_f64(int64_t n, const double *x, const smr_origin *of_x, double sums[4])
{
    double lane[2][8][2] = {{{0}}};
    for (int64_t i = 0; i < n; i++) {
        double a = (x[i] * of_x->scale - of_x->hi) - of_x->lo, square = a * a, cube = square * a;
        add_in_two(lane[0][i % 8], square, fma(a, a, -square));
        add_in_two(lane[1][i % 8], cube, fma(square, a, -cube));
    }
    for (int k = 0; k < 2; k++) fold_in_two(lane[k], sums + 2 * k);
}

void smr_ref_products_f64(int64_t n, const double *x, const smr_origin *of_x, const double *y,
                          const smr_origin *of_y, double sum[2])
{
    double lane[8][2] = {{0}};
    for (int64_t i = 0; i < n; i++) {
        double a = (x[i] * of_x->scale - of_x->hi) - of_x->lo;
        double b = (y[i] * of_y->scale - of_y->hi) - of_y->lo, product = a * b;
        add_in_two(lane[i % 8], product, fma(a, b, -product));
    }
    fold_in_two(lane, sum);
}

void smr_ref_bins_f64(int64_t n, const double *x, int64_t n_cuts, const double *cuts, int32_t *code)
{
    for (int64_t i = 0; i < n; i++) {
        code[i] = 0;
        for (int64_t c = 0; c < n_cuts; c++) code[i] += cuts[c] <= x[i];
    }
}

double smr_ref_sumsq_f64(int64_t n, const double *x, double shift)
{
    double lane[LANES_f64] = {0};
    for (int64_t i = 0; i < n; i++)
        lane[i % LANES_f64] = fma(x[i] - shift, x[i] - shift, lane[i % LANES_f64]);
    return fold_f64(lane);
}

double smr_ref_l2sq_f32_wide(int64_t n, const float *x, const float *y)
{
    double lane[LANES_f64] = {0};
    for (int64_t i = 0; i < n; i++) {
        double d = (double)x[i] - (double)y[i];
        lane[i % LANES_f64] = fma(d, d, lane[i % LANES_f64]);
    }
    return fold_f64(lane);
}

double smr_ref_l2sq_f32_f64(int64_t n, const float *x, const double *y)
{
    double lane[LANES_f64] = {0};
    for (int64_t i = 0; i < n; i++) {
        double d = (double)x[i] - y[i];
        lane[i % LANES_f64] = fma(d, d, lane[i % LANES_f64]);
    }
    return fold_f64(lane);
}

double smr_ref_l1_f64(int64_t n, const double *x, const double *y)
{
    double lane[LANES_f64] = {0};
    for (int64_t i = 0; i < n; i++) lane[i % LANES_f64] += fabs(x[i] - y[i]);
    return fold_f64(lane);
}

double smr_ref_linf_f64(int64_t n, const double *x, const double *y)
{
    double largest = 0;
    for (int64_t i = 0; i < n; i++) {
        double d = fabs(x[i] - y[i]);
        if (isnan(d)) return d;
        if (d > largest) largest = d;
    }
    return largest;
}

double smr_ref_lp_f64(int64_t n, const double *x, const double *y, double p)
{
    double lane[8] = {0};
    for (int64_t i = 0; i < n; i++) lane[i % 8] += smr_pow(fabs(x[i] - y[i]), p);
    for (int half = 4; half > 0; half /= 2)
        for (int l = 0; l < half; l++) lane[l] += lane[l + half];
    return lane[0];
}

int64_t smr_ref_l2sq_u8(int64_t n, const uint8_t *x, const uint8_t *y)
{
    int64_t sum = 0;
    for (int64_t i = 0; i < n; i++) sum += (x[i] - y[i]) * (x[i] - y[i]);
    return sum;
}

/* lint: allow arguments, the shape of a BLAS product. */
void smr_ref_product_u8(int64_t m, int64_t n, int64_t k, const uint8_t *A, int64_t lda,
                        const uint8_t *B, int64_t ldb, int32_t *C, int64_t ldc)
{
    for (int64_t i = 0; i < m; i++)
        for (int64_t j = 0; j < n; j++) {
            int32_t sum = 0;
            for (int64_t t = 0; t < k; t++) sum += A[i * lda + t] * B[j * ldb + t];
            C[i * ldc + j] = sum;
        }
}

void smr_ref_gram_f64(int64_t n, int64_t d, const double *X, int64_t ldx, double *G, int64_t ldg)
{
    for (int64_t i = 0; i < d; i++)
        for (int64_t j = i; j < d; j++)
            for (int64_t r = 0; r < n; r++)
                G[i * ldg + j] = fma(X[r * ldx + i], X[r * ldx + j], G[i * ldg + j]);
}

/* lint: allow arguments, the shape of a BLAS product. */
void smr_ref_rows_times_f64(int64_t m, int64_t d, int64_t k, const double *X, int64_t ldx,
                            const double *W, int64_t ldw, double *out)
{
    for (int64_t i = 0; i < m; i++)
        for (int64_t c = 0; c < k; c++) {
            double lane[8] = {0};
            for (int64_t j = 0; j < padded_f64(d); j++) {
                double x = j < d ? X[i * ldx + j] : 0, w = j < d ? W[c * ldw + j] : 0;
                lane[j % 8] = fma(x, w, lane[j % 8]);
            }
            for (int half = 4; half > 0; half /= 2)
                for (int l = 0; l < half; l++) lane[l] += lane[l + half];
            out[i * k + c] = lane[0];
        }
}

void smr_ref_spread_f64(int64_t m, int64_t d, int64_t k, const double *X, int64_t ldx,
                        const smr_spread *of, double *out)
{
    for (int64_t i = 0; i < m; i++)
        for (int64_t c = 0; c < k; c++) {
            double sum = 0;
            for (int64_t j = 0; j < d; j++) {
                double t = (X[i * ldx + j] - of->mean[j * of->ld + c]) * of->scale[j * of->ld + c];
                sum = fma(t, t, sum);
            }
            out[i * k + c] = sum;
        }
}

/* lint: allow arguments, as of kernel.h */
void smr_ref_whitened_f64(int64_t m, int64_t d, const double *X, int64_t ldx, const double *mean,
                          const double *W, int64_t ldw, double *out, int64_t step)
{
    for (int64_t i = 0; i < m; i++) {
        double lane[8] = {0};
        for (int64_t a = 0; a < d; a++) {
            double t = 0;
            for (int64_t j = 0; j <= a; j++) t = fma(X[i * ldx + j] - mean[j], W[j * ldw + a], t);
            lane[a % 8] = fma(t, t, lane[a % 8]);
        }
        for (int half = 4; half > 0; half /= 2)
            for (int l = 0; l < half; l++) lane[l] += lane[l + half];
        out[i * step] = lane[0];
    }
}

void smr_ref_class_sums_f64(int64_t n, int64_t d, const double *X, int64_t ldx,
                            const int32_t *label, const double *weight, const smr_class_sums *to)
{
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j < d; j++) {
            int64_t at = label[i] * to->ld + j;
            double t = X[i * ldx + j] - to->shift[at], u = (weight ? weight[i] : 1) * t;
            to->sum[at] += u;
            to->square[at] = fma(u, t, to->square[at]);
        }
}

void smr_ref_mix_shares_f64(int64_t n, int64_t width, const double *weight, double faint, double *p,
                            double *total)
{
    for (int64_t i = 0; i < n; i++, p += width) {
        double lane[8] = {0};
        for (int64_t j = 0; j < width; j++) lane[j % 8] += p[j];
        for (int half = 4; half > 0; half /= 2)
            for (int l = 0; l < half; l++) lane[l] += lane[l + half];
        total[i] = lane[0];
        double by = (weight ? weight[i] : 1) / lane[0], least = faint * lane[0];
        for (int64_t j = 0; j < width; j++) p[j] = p[j] >= least ? p[j] * by : 0;
    }
}

/* lint: allow arguments, as of kernel.h */
void smr_ref_mix_sums_f64(int64_t n, int64_t d, const double *X, int64_t ldx, const double *p,
                          int64_t width, const smr_class_sums *to)
{
    for (int64_t i = 0; i < n; i++)
        for (int64_t c = 0; c < to->k; c++)
            for (int64_t j = 0; j < d && p[i * width + c] > 0; j++) {
                int64_t at = c * to->ld + j;
                double t = X[i * ldx + j] - to->shift[at], u = p[i * width + c] * t;
                to->sum[at] += u;
                to->square[at] = fma(u, t, to->square[at]);
            }
}

bool smr_ref_extremes_f64(int64_t n, int64_t d, const double *X, int64_t ldx, double *least,
                          double *greatest)
{
    bool finite = true;
    for (int64_t j = 0; j < d; j++) {
        double sum = 0;
        for (int64_t i = 0; i < n; i++) {
            double x = X[i * ldx + j];
            if (x < least[j]) least[j] = x;
            if (x > greatest[j]) greatest[j] = x;
            sum += x;
        }
        finite &= isfinite(sum) != 0;
    }
    return finite;
}

/* lint: allow arguments, the shape of a BLAS product. */
void smr_ref_rows_add_f64(int64_t m, int64_t d, int64_t k, const double *X, int64_t ldx,
                          const double *R, double *G, int64_t ldg)
{
    for (int64_t i = 0; i < m; i++)
        for (int64_t c = 0; c < k; c++)
            for (int64_t j = 0; j < d; j++)
                G[c * ldg + j] = fma(R[i * k + c], X[i * ldx + j], G[c * ldg + j]);
}

void smr_ref_reflect_f64(int64_t m, int64_t n, double scale, double *x, const double *f, double *A,
                         int64_t lda, double *dots)
{
    for (int64_t i = 0; i < m; i++) x[i] *= scale;
    for (int64_t c = 0; c < n; c++) {
        double lane[8] = {0};
        for (int64_t i = 0; i < m; i++) {
            A[i + c * lda] = fma(f[c], x[i], A[i + c * lda]);
            lane[i % 8] = fma(A[i], A[i + c * lda], lane[i % 8]);
        }
        for (int half = 4; half > 0; half /= 2)
            for (int l = 0; l < half; l++) lane[l] += lane[l + half];
        dots[c] = lane[0];
    }
}

void smr_ref_symv_lower_f64(int64_t n, int64_t lo, int64_t hi, const double *A, int64_t lda,
                            const double *x, double *y)
{
    for (int64_t j = lo; j < hi; j += 8) {
        double lane[8][8] = {{0}}; /* of a column */
        for (int64_t r = j; r < n; r++)
            for (int64_t four = j; four < j + 8; four += 4) {
                double sum = 0;
                for (int64_t c = four; c < four + 4; c++) {
                    double a = c < n && r >= c ? A[c * lda + r] : 0, by = c < n ? x[c] : 0;
                    double *to = &lane[c - j][(r - j) % 8];
                    sum = c == four ? a * by : fma(a, by, sum);
                    *to = fma(r > c ? a : 0, x[r], *to);
                }
                y[r] += sum;
            }
        for (int64_t c = j; c < j + 8 && c < n; c++) {
            double *sum = lane[c - j];
            for (int half = 4; half > 0; half /= 2)
                for (int l = 0; l < half; l++) sum[l] += sum[l + half];
            y[c] += sum[0];
        }
    }
}

void smr_ref_rotate_f64(int64_t m, int64_t k, const double *c, const double *s, double *A,
                        int64_t lda)
{
    for (int64_t t = 0; t < k; t++)
        for (int64_t i = 0; i < m; i++) {
            double x = A[t * lda + i], y = A[(t + 1) * lda + i];
            A[t * lda + i] = c[t] * x + s[t] * y;
            A[(t + 1) * lda + i] = c[t] * y - s[t] * x;
        }
}

void smr_ref_secular_sums_f64(int64_t n, const double *w, const double *away, double tau,
                              double *out)
{
    double a[8] = {0}, b[8] = {0};
    for (int64_t i = 0; i < n; i++) {
        double r = 1 / (away[i] - tau), t = w[i] * r;
        a[i % 8] += t;
        b[i % 8] += t * r;
    }
    for (int half = 4; half > 0; half /= 2)
        for (int l = 0; l < half; l++) {
            a[l] += a[l + half];
            b[l] += b[l + half];
        }
    out[0] = a[0];
    out[1] = b[0];
}

double smr_ref_secular_factors_f64(bool squared, int64_t n, double at, const double *from,
                                   const double *tau, const double *pole)
{
    double lane[8] = {1, 1, 1, 1, 1, 1, 1, 1};
    for (int64_t j = 0; j < n; j++) {
        double top = at - from[j], bottom = at - pole[j];
        if (squared) {
            top *= at + from[j];
            bottom *= at + pole[j];
        }
        lane[j % 8] *= (top - tau[j]) / bottom;
    }
    for (int half = 4; half > 0; half /= 2)
        for (int l = 0; l < half; l++) lane[l] *= lane[l + half];
    return lane[0];
}

void smr_ref_entries_times_f64(int64_t n, const int32_t *column, const double *value, int64_t k,
                               const double *W, int64_t ldw, double *out)
{
    for (int64_t c = 0; c < k; c++) {
        double sum[2] = {0};
        for (int64_t e = 0; e < n; e++)
            sum[e % 2] = fma(value[e], W[column[e] * ldw + c], sum[e % 2]);
        out[c] = sum[0] + sum[1];
    }
}

int64_t smr_ref_whole_f64(int64_t n, const double *x, int32_t *out)
{
    int64_t sum = 0;
    for (int64_t i = 0; i < n; i++) {
        if (!(x[i] >= 1 && x[i] <= INT32_MAX) || x[i] != floor(x[i])) return -1;
        sum += out[i] = (int32_t)x[i];
    }
    return sum;
}

void smr_ref_entries_pick_u8(int64_t n, const int32_t *column, const int32_t *times,
                             const uint8_t *Q, int64_t ldq, uint32_t *out)
{
    for (int64_t c = 0; c < ldq; c++) {
        out[c] = 0;
        for (int64_t e = 0; e < n; e++) out[c] += (uint32_t)times[e] * Q[column[e] * ldq + c];
    }
}

void smr_ref_entries_add_f64(int64_t n, const int32_t *column, const double *value, int64_t k,
                             const double *r, double *G, int64_t ldg)
{
    for (int64_t e = 0; e < n; e++)
        for (int64_t c = 0; c < k; c++)
            G[column[e] * ldg + c] = fma(value[e], r[c], G[column[e] * ldg + c]);
}

int64_t smr_ref_gini_sweep(int64_t n, const uint8_t *cell, uint32_t *counts, int64_t width,
                           const double *total, double least, double *best)
{
    int64_t left[16] = {0}, found = -1;
    for (int64_t k = 0; k < n; k++) {
        int64_t nl = 0, nr = 0, first = 0, rest = 0;
        for (int64_t c = 0; c < width; c++) {
            left[c] += counts[cell[k] * width + c];
            counts[cell[k] * width + c] = 0;
            int64_t right = (int64_t)total[c] - left[c];
            nl += left[c];
            nr += right;
            first += left[c] * left[c];
            rest += right * right;
        }
        double over = (double)first * (double)nr + (double)rest * (double)nl;
        double under = (double)nl * (double)nr;
        bool enough = (double)nl >= least && (double)nr >= least;
        if (over > *best * under && enough && over / under > *best) {
            *best = over / under;
            found = k;
        }
    }
    return found;
}

/* ---- least squares (kernel/qr_kernels.h) ---- */

enum { ROWS = SMR_QR_ROWS, LANES = SMR_QR_LANES };

void smr_ref_shift_tile(int64_t n, int64_t d, const double *x, int64_t stride, const smr_shift *by,
                        double *tile)
{
    for (int64_t j = 0; j < d; j++)
        for (int64_t i = 0; i < ROWS; i++) {
            double root = by->root && i < n ? by->root[i] : 1;
            tile[j * ROWS + i] =
                i < n ? (x[i * stride + j] - by->shift[j]) * by->scale[j] * root : 0;
        }
}

static double fold_lanes(double *lane)
{
    for (int half = LANES / 2; half > 0; half /= 2)
        for (int l = 0; l < half; l++) lane[l] += lane[l + half];
    return lane[0];
}

static double dot_column(const double *a, const double *b)
{
    double lane[LANES] = {0};
    for (int i = 0; i < ROWS; i++) lane[i % LANES] = fma(a[i], b[i], lane[i % LANES]);
    return fold_lanes(lane);
}

/* The reflector v = (v0; t) that makes t vanish against the diagonal; false: t is zero already. */
struct reflector {
    const double *t;
    double v0, g;
};

static bool make_reflector(double *diagonal, const double *t, struct reflector *h)
{
    double sq = dot_column(t, t), alpha = *diagonal;
    if (sq == 0 || alpha * alpha + sq < 0x1p-900) return false;
    *diagonal = -copysign(sqrt(alpha * alpha + sq), alpha);
    h->t = t;
    h->v0 = alpha - *diagonal;
    h->g = -1 / (*diagonal * h->v0);
    return true;
}

/* What a reflector takes off a column whose product with t is ta. */
static double reflect_top(const struct reflector *h, double *Rkj, double ta)
{
    double f = h->g * (h->v0 * *Rkj + ta);
    *Rkj -= f * h->v0;
    return f;
}

static void reflect_column(const struct reflector *h, double f, double *a)
{
    for (int i = 0; i < ROWS; i++) a[i] = fma(-f, h->t[i], a[i]);
}

void smr_ref_qr_absorb(int64_t d, double *R, double *tile)
{
    for (int64_t k = 0; k < d; k++) {
        struct reflector first, second;
        const double *t = tile + k * ROWS, *u = t + ROWS;
        double *next = tile + (k + 1) * ROWS;
        if (!make_reflector(&R[k * d + k], t, &first)) continue;
        if (k + 1 == d) break;
        reflect_column(&first, reflect_top(&first, &R[k * d + k + 1], dot_column(t, next)), next);
        bool two = make_reflector(&R[(k + 1) * d + k + 1], u, &second);
        double tu = dot_column(t, u);
        for (int64_t j = k + 2; j < d; j++) { /* the second's product with a - f t, from a */
            double *a = tile + j * ROWS, ta = dot_column(t, a), ua = dot_column(u, a);
            double f = reflect_top(&first, &R[k * d + j], ta);
            reflect_column(&first, f, a);
            if (two)
                reflect_column(&second, reflect_top(&second, &R[(k + 1) * d + j], ua - f * tu), a);
        }
        k += two;
    }
}

/* (high, low) += a + more. */
static void add_pair(double *high, double *low, double a, double more)
{
    double s = *high + a, b = s - *high;
    *low += ((*high - (s - b)) + (a - b)) + more;
    *high = s;
}

void smr_ref_residual_tile(int64_t d, const double *X, const double *y, const double *weight,
                           const double *w_high, const double *w_low, double *sums)
{
    double total[LANES] = {0}, rest[LANES] = {0};
    for (int i = 0; i < ROWS; i++) {
        double high = y[i], low = 0;
        for (int64_t j = 0; j < d; j++) {
            double a = X[j * ROWS + i], p = a * -w_high[j];
            add_pair(&high, &low, p, fma(a, -w_high[j], -p) + a * -w_low[j]);
        }
        double h = high + low, l = low - (h - high);
        double p = h * weight[i], e = fma(h, weight[i], -p) + l * weight[i], sq = h * p;
        add_pair(&total[i % LANES], &rest[i % LANES], sq, fma(h, p, -sq) + h * e + l * p);
        for (int64_t j = 0; j < d; j++) {
            double *sum = sums + j * 2 * LANES + i % LANES, a = X[j * ROWS + i], ap = a * p;
            add_pair(sum, sum + LANES, ap, fma(a, p, -ap) + a * e);
        }
    }
    for (int l = 0; l < LANES; l++)
        add_pair(&sums[d * 2 * LANES + l], &sums[d * 2 * LANES + LANES + l], total[l], rest[l]);
}

void smr_ref_floats_add_f64(int64_t n, int64_t k, const double *a, const float *const *row,
                            double *y)
{
    for (int64_t j = 0; j < n; j++)
        for (int64_t r = 0; r < k; r++) y[j] = fma(a[r], (double)row[r][j], y[j]);
}

int64_t smr_ref_smo_first(int64_t n, const double *v, const double *bar)
{
    int64_t at = -1;
    double best = -INFINITY;
    for (int64_t k = 0; k < n; k++)
        if (v[k] + bar[k] > best) {
            best = v[k] + bar[k];
            at = k;
        }
    return at;
}

int64_t smr_ref_smo_second(int64_t n, const smr_smo_one *one, const double *curvature,
                           const double *v, const double *bar, double *least)
{
    int64_t at = -1;
    double best = 0;
    *least = INFINITY;
    for (int64_t k = 0; k < n; k++) {
        double x = v[k] + bar[k], away = one->v - x;
        double c = one->curvature + curvature[k] - 2 * (double)one->row[k];
        if (x < *least) *least = x;
        if (!(c > one->floor)) c = one->floor;
        if (away > 0 && away * away / c > best) {
            best = away * away / c;
            at = k;
        }
    }
    return at;
}

void smr_ref_smo_move(int64_t n, double by, const float *a, const float *b, double *v)
{
    for (int64_t k = 0; k < n; k++) v[k] = fma(-by, (double)a[k] - (double)b[k], v[k]);
}
