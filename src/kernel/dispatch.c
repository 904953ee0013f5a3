/* dispatch.c -- which tier runs: the highest that the processor has, or the one asked for.
 *
 * The choice is made at the first call and kept in one atomic pointer to a constant table; two
 * threads that choose at once choose the same.  SAMARA_TIER names a tier; a name that is unknown or
 * that this processor does not have is passed over. */
#include "kernel/kernel_table.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

struct tier {
    const char *name, *short_name;
    bool (*is_here)(void);
    const struct smr_kernels *kernels;
};

extern const struct smr_kernels smr_base_kernels;

static bool always(void)
{
    return true;
}

#if defined(__x86_64__)

extern const struct smr_kernels smr_v3_kernels, smr_v4_kernels, smr_v4_kernels_vnni;

static bool has_v3(void)
{
    __builtin_cpu_init();
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
           __builtin_cpu_supports("bmi") && __builtin_cpu_supports("bmi2");
}

static bool has_v4(void)
{
    return has_v3() && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
           __builtin_cpu_supports("avx512cd") && __builtin_cpu_supports("avx512dq") &&
           __builtin_cpu_supports("avx512vl");
}

static bool has_vnni(void)
{
    return has_v4() && __builtin_cpu_supports("avx512vnni");
}

/* Ascending: the last one that the processor has is the default. */
static const struct tier tiers[] = {
    {"baseline", "base", always, &smr_base_kernels},
    {"x86-64-v3", "v3", has_v3, &smr_v3_kernels},
    {"x86-64-v4", "v4", has_v4, &smr_v4_kernels},
    {"x86-64-v4-vnni", "vnni", has_vnni, &smr_v4_kernels_vnni},
};

#elif defined(__aarch64__)
static const struct tier tiers[] = {{"arm64", "base", always, &smr_base_kernels}};
#else
static const struct tier tiers[] = {{"baseline", "base", always, &smr_base_kernels}};
#endif

enum { N_TIERS = sizeof tiers / sizeof *tiers };

static _Atomic(const struct tier *) chosen;

static const struct tier *tier_named(const char *name)
{
    for (int t = 0; t < N_TIERS; t++)
        if ((!strcmp(tiers[t].name, name) || !strcmp(tiers[t].short_name, name)) &&
            tiers[t].is_here())
            return &tiers[t];
    return NULL;
}

static __attribute__((noinline, cold)) const struct tier *choose(void)
{
    const char *asked = getenv("SAMARA_TIER");
    const struct tier *best = asked ? tier_named(asked) : NULL, *unset = NULL;
    for (int t = N_TIERS - 1; !best; t--)
        if (tiers[t].is_here()) best = &tiers[t];
    /* Keeps what smr_kernel_use may have set meanwhile. */
    return atomic_compare_exchange_strong(&chosen, &unset, best) ? best : unset;
}

static inline const struct tier *tier(void)
{
    const struct tier *t = atomic_load_explicit(&chosen, memory_order_acquire);
    return __builtin_expect(t != NULL, 1) ? t : choose();
}

static inline const struct smr_kernels *kernels(void)
{
    return tier()->kernels;
}

const struct smr_kernels *smr_kernels_chosen(void)
{
    return kernels();
}

const char *smr_kernel_tier(void)
{
    return tier()->name;
}

bool smr_kernel_use(const char *name)
{
    const struct tier *t = tier_named(name);
    if (t) atomic_store(&chosen, t);
    return t != NULL;
}

int64_t smr_gram_work(int64_t d)
{
    int64_t groups = (d + SMR_GRAM_GROUP - 1) / SMR_GRAM_GROUP;
    return groups * SMR_GRAM_GROUP * SMR_GRAM_ROWS * (int64_t)sizeof(double);
}

double smr_dot_f64(int64_t n, const double *x, const double *y)
{
    return kernels()->dot_f64(n, x, y);
}

float smr_dot_f32(int64_t n, const float *x, const float *y)
{
    return kernels()->dot_f32(n, x, y);
}

void smr_axpy_f64(int64_t n, double a, const double *x, double *y)
{
    kernels()->axpy_f64(n, a, x, y);
}

void smr_axpy_f32(int64_t n, float a, const float *x, float *y)
{
    kernels()->axpy_f32(n, a, x, y);
}

double smr_sum_f64(int64_t n, const double *x)
{
    return kernels()->sum_f64(n, x);
}

double smr_sumsq_f64(int64_t n, const double *x, double shift)
{
    return kernels()->sumsq_f64(n, x, shift);
}

void smr_cross_f64(int64_t n, const double *x, const smr_origin *of_x, const double *y,
                   const smr_origin *of_y, const double *w, double sum[2])
{
    kernels()->cross_f64(n, x, of_x, y, of_y, w, sum);
}

void smr_crosses_f64(int64_t n, const double *x, const smr_origin *of_x, const double *y,
                     const smr_origin *of_y, const double *w, double sums[6])
{
    kernels()->crosses_f64(n, x, of_x, y, of_y, w, sums);
}

void smr_span_f64(int64_t n, const double *x, double scale, double span[4])
{
    kernels()->span_f64(n, x, scale, span);
}

void smr_powers_f64(int64_t n, const double *x, const smr_origin *of_x, double sums[4])
{
    kernels()->powers_f64(n, x, of_x, sums);
}

void smr_products_f64(int64_t n, const double *x, const smr_origin *of_x, const double *y,
                      const smr_origin *of_y, double sum[2])
{
    kernels()->products_f64(n, x, of_x, y, of_y, sum);
}

void smr_bins_f64(int64_t n, const double *x, int64_t n_cuts, const double *cuts, int32_t *code)
{
    kernels()->bins_f64(n, x, n_cuts, cuts, code);
}

double smr_l2sq_f64(int64_t n, const double *x, const double *y)
{
    return kernels()->l2sq_f64(n, x, y);
}

float smr_l2sq_f32(int64_t n, const float *x, const float *y)
{
    return kernels()->l2sq_f32(n, x, y);
}

double smr_l2sq_f32_wide(int64_t n, const float *x, const float *y)
{
    return kernels()->l2sq_f32_wide(n, x, y);
}

double smr_l2sq_f32_f64(int64_t n, const float *x, const double *y)
{
    return kernels()->l2sq_f32_f64(n, x, y);
}

double smr_l1_f64(int64_t n, const double *x, const double *y)
{
    return kernels()->l1_f64(n, x, y);
}

double smr_linf_f64(int64_t n, const double *x, const double *y)
{
    return kernels()->linf_f64(n, x, y);
}

double smr_lp_f64(int64_t n, const double *x, const double *y, double p)
{
    return kernels()->lp_f64(n, x, y, p);
}

int64_t smr_l2sq_u8(int64_t n, const uint8_t *x, const uint8_t *y)
{
    return kernels()->l2sq_u8(n, x, y);
}

void smr_product_f64(int64_t m, int64_t n, int64_t k, const double *A, int64_t lda,
                     const void *panels, double *C, int64_t ldc)
{
    kernels()->product_f64(m, n, k, A, lda, panels, C, ldc);
}

void smr_product_f32(int64_t m, int64_t n, int64_t k, const float *A, int64_t lda,
                     const void *panels, float *C, int64_t ldc)
{
    kernels()->product_f32(m, n, k, A, lda, panels, C, ldc);
}

void smr_product_add_f64(int64_t m, int64_t n, int64_t k, const double *A, int64_t lda,
                         const void *panels, double *C, int64_t ldc)
{
    kernels()->product_add_f64(m, n, k, A, lda, panels, C, ldc);
}

void smr_product_add_f32(int64_t m, int64_t n, int64_t k, const float *A, int64_t lda,
                         const void *panels, float *C, int64_t ldc)
{
    kernels()->product_add_f32(m, n, k, A, lda, panels, C, ldc);
}

void smr_solve_f64(int64_t n, const double *minus, int64_t ld, const double *diagonal,
                   double *panel)
{
    kernels()->solve_f64(n, minus, ld, diagonal, panel);
}

void smr_solve_f32(int64_t n, const float *minus, int64_t ld, const float *diagonal, float *panel)
{
    kernels()->solve_f32(n, minus, ld, diagonal, panel);
}

void smr_product_u8(int64_t m, int64_t n, int64_t k, const uint8_t *A, int64_t lda,
                    const void *panels, int32_t *C, int64_t ldc)
{
    kernels()->product_u8(m, n, k, A, lda, panels, C, ldc);
}

void smr_gram_f64(int64_t n, int64_t d, const double *X, int64_t ldx, double *G, int64_t ldg,
                  void *work)
{
    kernels()->gram_f64(n, d, X, ldx, G, ldg, work, NULL);
}

/* lint: allow arguments, those of smr_gram_f64 and one more. */
void smr_gram_ahead_f64(int64_t n, int64_t d, const double *X, int64_t ldx, double *G, int64_t ldg,
                        void *work, smr_ahead next)
{
    kernels()->gram_f64(n, d, X, ldx, G, ldg, work, &next);
}

double smr_exp(double x)
{
    return kernels()->exp(x);
}

double smr_log(double x)
{
    return kernels()->log(x);
}

double smr_log1p(double x)
{
    return kernels()->log1p(x);
}

double smr_expm1(double x)
{
    return kernels()->expm1(x);
}

double smr_pow(double x, double y)
{
    return kernels()->pow(x, y);
}

double smr_tanh(double x)
{
    return kernels()->tanh(x);
}

void smr_exp_f64(int64_t n, const double *x, double *y)
{
    kernels()->exp_f64(n, x, y);
}

void smr_log_f64(int64_t n, const double *x, double *y)
{
    kernels()->log_f64(n, x, y);
}

void smr_logistic_f64(int64_t n, const double *y, const double *f, double *value, double *slope,
                      double *curvature)
{
    kernels()->logistic_f64(n, y, f, value, slope, curvature);
}

void smr_rows_times_f64(int64_t m, int64_t d, int64_t k, const double *X, int64_t ldx,
                        const double *W, int64_t ldw, double *out)
{
    kernels()->rows_times_f64(m, d, k, X, ldx, W, ldw, out);
}

void smr_spread_f64(int64_t m, int64_t d, int64_t k, const double *X, int64_t ldx,
                    const smr_spread *of, double *out)
{
    kernels()->spread_f64(m, d, k, X, ldx, of, out);
}

/* lint: allow arguments, as of kernel.h */
void smr_whitened_f64(int64_t m, int64_t d, const double *X, int64_t ldx, const double *mean,
                      const double *W, int64_t ldw, double *out, int64_t step)
{
    kernels()->whitened_f64(m, d, X, ldx, mean, W, ldw, out, step);
}

void smr_class_sums_f64(int64_t n, int64_t d, const double *X, int64_t ldx, const int32_t *label,
                        const double *weight, const smr_class_sums *to)
{
    kernels()->class_sums_f64(n, d, X, ldx, label, weight, to);
}

void smr_mix_shares_f64(int64_t n, int64_t width, const double *weight, double faint, double *p,
                        double *total)
{
    kernels()->mix_shares_f64(n, width, weight, faint, p, total);
}

/* lint: allow arguments, as of kernel.h */
void smr_mix_sums_f64(int64_t n, int64_t d, const double *X, int64_t ldx, const double *p,
                      int64_t width, const smr_class_sums *to)
{
    kernels()->mix_sums_f64(n, d, X, ldx, p, width, to);
}

bool smr_extremes_f64(int64_t n, int64_t d, const double *X, int64_t ldx, double *least,
                      double *greatest)
{
    return kernels()->extremes_f64(n, d, X, ldx, least, greatest);
}

void smr_rows_add_f64(int64_t m, int64_t d, int64_t k, const double *X, int64_t ldx,
                      const double *R, double *G, int64_t ldg)
{
    kernels()->rows_add_f64(m, d, k, X, ldx, R, G, ldg);
}

void smr_rows_scale_f64(int64_t m, int64_t d, const double *X, int64_t ldx, const double *by,
                        double *Z, int64_t ldz)
{
    kernels()->rows_scale_f64(m, d, X, ldx, by, Z, ldz);
}

void smr_reflect_f64(int64_t m, int64_t n, double scale, double *x, const double *f, double *A,
                     int64_t lda, double *dots)
{
    kernels()->reflect_f64(m, n, scale, x, f, A, lda, dots);
}

void smr_symv_lower_f64(int64_t n, int64_t lo, int64_t hi, const double *A, int64_t lda,
                        const double *x, double *y)
{
    kernels()->symv_lower_f64(n, lo, hi, A, lda, x, y);
}

void smr_rotate_f64(int64_t m, int64_t k, const double *c, const double *s, double *A, int64_t lda)
{
    kernels()->rotate_f64(m, k, c, s, A, lda);
}

void smr_secular_sums_f64(int64_t n, const double *w, const double *away, double tau, double *out)
{
    kernels()->secular_sums_f64(n, w, away, tau, out);
}

double smr_secular_factors_f64(bool squared, int64_t n, double at, const double *from,
                               const double *tau, const double *pole)
{
    return kernels()->secular_factors_f64(squared, n, at, from, tau, pole);
}

void smr_entries_times_f64(int64_t n, const int32_t *column, const double *value, int64_t k,
                           const double *W, int64_t ldw, double *out)
{
    kernels()->entries_times_f64(n, column, value, k, W, ldw, out);
}

int64_t smr_whole_f64(int64_t n, const double *x, int32_t *out)
{
    return kernels()->whole_f64(n, x, out);
}

void smr_entries_pick_u8(int64_t n, const int32_t *column, const int32_t *times, const uint8_t *Q,
                         int64_t ldq, uint32_t *out)
{
    kernels()->entries_pick_u8(n, column, times, Q, ldq, out);
}

void smr_entries_add_f64(int64_t n, const int32_t *column, const double *value, int64_t k,
                         const double *r, double *G, int64_t ldg)
{
    kernels()->entries_add_f64(n, column, value, k, r, G, ldg);
}

int64_t smr_gini_sweep(int64_t n, const uint8_t *cell, uint32_t *counts, int64_t width,
                       const double *total, double least, double *best)
{
    return kernels()->gini_sweep(n, cell, counts, width, total, least, best);
}

int64_t smr_squeeze_f64(int64_t d, const double *x, int32_t *column, double *value)
{
    return kernels()->squeeze_f64(d, x, column, value);
}

int64_t smr_squeeze_f32(int64_t d, const float *x, int32_t *column, double *value)
{
    return kernels()->squeeze_f32(d, x, column, value);
}

int64_t smr_squeeze_u8(int64_t d, const uint8_t *x, int32_t *column, double *value)
{
    return kernels()->squeeze_u8(d, x, column, value);
}

int64_t smr_thin_sweep(const smr_thin *node, int64_t n, const uint8_t *cell, uint16_t *counts,
                       double *best)
{
    return kernels()->thin_sweep(node, n, cell, counts, best);
}

int64_t smr_thin_list(int64_t n, uint8_t *seen, uint8_t *list)
{
    return kernels()->thin_list(n, seen, list);
}

int64_t smr_thin_few(const smr_thin *node, int64_t n, const uint8_t *column, const uint32_t *id,
                     const uint16_t (*row)[SMR_THIN_CLASSES], uint8_t *cut, double *best)
{
    return kernels()->thin_few(node, n, column, id, row, cut, best);
}

float smr_gini_cuts(int64_t m, const uint32_t *entry, int64_t n, int64_t least,
                    const int32_t *total, smr_cuts *cuts)
{
    return kernels()->gini_cuts(m, entry, n, least, total, cuts);
}

void smr_shift_rows(int64_t n, int64_t d, const double *x, int64_t stride, const smr_shift *by,
                    double *Z, int64_t ldz)
{
    kernels()->shift_rows(n, d, x, stride, by, Z, ldz);
}

void smr_shift_tile(int64_t n, int64_t d, const double *x, int64_t stride, const smr_shift *by,
                    double *tile)
{
    kernels()->shift_tile(n, d, x, stride, by, tile);
}

void smr_qr_absorb(int64_t d, double *R, double *tile, const double *from, int64_t n_from)
{
    kernels()->qr_absorb(d, R, tile, from, n_from);
}

void smr_residual_tile(int64_t d, const double *X, const double *y, const double *weight,
                       const double *w_high, const double *w_low, double *sums)
{
    kernels()->residual_tile(d, X, y, weight, w_high, w_low, sums);
}

void smr_floats_add_f64(int64_t n, int64_t k, const double *a, const float *const *row, double *y)
{
    kernels()->floats_add_f64(n, k, a, row, y);
}

int64_t smr_smo_first(int64_t n, const double *v, const double *bar)
{
    return kernels()->smo_first(n, v, bar);
}

int64_t smr_smo_second(int64_t n, const smr_smo_one *one, const double *curvature, const double *v,
                       const double *bar, double *least)
{
    return kernels()->smo_second(n, one, curvature, v, bar, least);
}

void smr_smo_move(int64_t n, double by, const float *a, const float *b, double *v)
{
    kernels()->smo_move(n, by, a, b, v);
}

/* ---- alike.h ---- */

void smr_exp_f32(int64_t n, const float *x, float *y)
{
    kernels()->exp_f32(n, x, y);
}

void smr_rbf_f32(int64_t n, float gamma, float a, const float *b, float *t)
{
    kernels()->rbf_f32(n, gamma, a, b, t);
}

void smr_rbf_f64(int64_t n, double gamma, double a, const double *b, double *t)
{
    kernels()->rbf_f64(n, gamma, a, b, t);
}

float smr_l1_sum_f32(int64_t n, const float *x, const float *y)
{
    return kernels()->l1_sum_f32(n, x, y);
}

double smr_l1_sum_f64(int64_t n, const double *x, const double *y)
{
    return kernels()->l1_sum_f64(n, x, y);
}

float smr_chi2_sum_f32(int64_t n, const float *x, const float *y)
{
    return kernels()->chi2_sum_f32(n, x, y);
}

double smr_chi2_sum_f64(int64_t n, const double *x, const double *y)
{
    return kernels()->chi2_sum_f64(n, x, y);
}

void smr_entries_panel_f32(int64_t n, const int32_t *column, const float *value, const float *panel,
                           float *out)
{
    kernels()->entries_panel_f32(n, column, value, panel, out);
}

void smr_entries_panel_f64(int64_t n, const int32_t *column, const double *value,
                           const double *panel, double *out)
{
    kernels()->entries_panel_f64(n, column, value, panel, out);
}

void smr_entries_product_f32(const smr_entry_rows *A, int64_t n, int64_t k, const void *panels,
                             float *C, int64_t ldc)
{
    kernels()->entries_product_f32(A, n, k, panels, C, ldc);
}

void smr_entries_product_f64(const smr_entry_rows *A, int64_t n, int64_t k, const void *panels,
                             double *C, int64_t ldc)
{
    kernels()->entries_product_f64(A, n, k, panels, C, ldc);
}

float smr_square_chain_f32(int64_t n, const float *x)
{
    return kernels()->square_chain_f32(n, x);
}

double smr_square_chain_f64(int64_t n, const double *x)
{
    return kernels()->square_chain_f64(n, x);
}

void smr_subsequences_f64(int64_t length, double decay, const smr_string_pairs *pairs,
                          double *total)
{
    kernels()->subsequences_f64(length, decay, pairs, total);
}

int64_t smr_chain_sum_f64(int64_t steps, const smr_chain *chain, const double *from,
                          double from_sum, double least)
{
    return kernels()->chain_sum_f64(steps, chain, from, from_sum, least);
}

int64_t smr_chain_both_f64(int64_t steps, const smr_chain *a, const smr_chain *b,
                           const double *const from[2], const double from_sum[2], double least)
{
    return kernels()->chain_both_f64(steps, a, b, from, from_sum, least);
}

void smr_normals_logs_f64(int64_t n, const smr_normals *of, const double *X, int64_t ldx,
                          double *out)
{
    kernels()->normals_logs_f64(n, of, X, ldx, out);
}

void smr_normals_rows_f64(int64_t n, const smr_normals *of, const double *X, int64_t ldx,
                          double *out, double *top)
{
    kernels()->normals_rows_f64(n, of, X, ldx, out, top);
}

void smr_whites_rows_f64(int64_t n, const smr_whites *of, const double *X, int64_t ldx, double *out,
                         double *top)
{
    kernels()->whites_rows_f64(n, of, X, ldx, out, top);
}

int64_t smr_weigh_rows_f64(int64_t n, int64_t d, const double *X, int64_t ldx, const double *p,
                           int64_t step, const double *mean, double *z)
{
    return kernels()->weigh_rows_f64(n, d, X, ldx, p, step, mean, z);
}

void smr_normals_moments_f64(int64_t n, const smr_normals *of, const double *X, int64_t ldx,
                             const double *p, double *sum, double *square)
{
    kernels()->normals_moments_f64(n, of, X, ldx, p, sum, square);
}

void smr_lanes_sum_f64(int64_t n, int64_t width, const double *p, double *sum)
{
    kernels()->lanes_sum_f64(n, width, p, sum);
}

void smr_chain_max_f64(int64_t steps, const smr_chain *chain, const double *from)
{
    kernels()->chain_max_f64(steps, chain, from);
}

void smr_chain_trace_f64(int64_t steps, int64_t width, int64_t order, const double *table,
                         const double *score, int64_t state, int32_t *path)
{
    kernels()->chain_trace_f64(steps, width, order, table, score, state, path);
}

int64_t smr_chain_meet_f64(int64_t n, int64_t width, double weight, double least,
                           const double *next, double *a, const double *b, double *p)
{
    return kernels()->chain_meet_f64(n, width, weight, least, next, a, b, p);
}

void smr_gauss_plain_f64(int64_t n, int64_t d, const double *X, int64_t ld, const double *mean,
                         const double *scale, double c, double *out)
{
    kernels()->gauss_plain_f64(n, d, X, ld, mean, scale, c, out);
}

void smr_gauss_full_f64(int64_t n, int64_t d, const double *X, int64_t ld, const double *mean,
                        const double *scale, double c, double *out)
{
    kernels()->gauss_full_f64(n, d, X, ld, mean, scale, c, out);
}

/* ---- networks ---- */

void smr_bend_f32(smr_bend kind, double a, int64_t n, const float *x, float *y)
{
    kernels()->bend_f32(kind, a, n, x, y);
}

void smr_bend_back_f32(smr_bend kind, double a, int64_t n, const float *x, const float *y,
                       const float *dy, float *dx)
{
    kernels()->bend_back_f32(kind, a, n, x, y, dy, dx);
}

void smr_shares_f32(int64_t rows, int64_t c, const float *x, float *y)
{
    kernels()->shares_f32(rows, c, x, y);
}

void smr_add_f32(int64_t n, const float *x, float *y)
{
    kernels()->add_f32(n, x, y);
}

void smr_add_rows_f32(int64_t rows, int64_t n, const float *x, float *y)
{
    kernels()->add_rows_f32(rows, n, x, y);
}

void smr_put_rows_f32(int64_t rows, int64_t n, const float *x, float *y)
{
    kernels()->put_rows_f32(rows, n, x, y);
}

void smr_pool_max_f32(const smr_nn_pool *p, const float *x, float *y, int32_t *at)
{
    kernels()->pool_max_f32(p, x, y, at);
}

void smr_pool_mean_f32(const smr_nn_pool *p, const float *x, float *y)
{
    kernels()->pool_mean_f32(p, x, y);
}

void smr_pool_mean_back_f32(const smr_nn_pool *p, const float *dy, float *dx)
{
    kernels()->pool_mean_back_f32(p, dy, dx);
}

void smr_affine_f32(int64_t rows, int64_t c, const float *x, const float *scale, const float *shift,
                    float *y)
{
    kernels()->affine_f32(rows, c, x, scale, shift, y);
}

void smr_step_f32(const smr_nn_step *s, int64_t n, const float *g, float *w, float *v, float *u)
{
    kernels()->step_f32(s, n, g, w, v, u);
}

void smr_cell_f32(smr_cell_kind kind, int64_t h, float *z, const float *was, float *state, float *y)
{
    kernels()->cell_f32(kind, h, z, was, state, y);
}

void smr_cell_back_f32(smr_cell_kind kind, int64_t h, float *z, const float *was,
                       const float *state, float *dy, float *dstate)
{
    kernels()->cell_back_f32(kind, h, z, was, state, dy, dstate);
}

void smr_bend_f64(smr_bend kind, double a, int64_t n, const double *x, double *y)
{
    kernels()->bend_f64(kind, a, n, x, y);
}

void smr_bend_back_f64(smr_bend kind, double a, int64_t n, const double *x, const double *y,
                       const double *dy, double *dx)
{
    kernels()->bend_back_f64(kind, a, n, x, y, dy, dx);
}

void smr_shares_f64(int64_t rows, int64_t c, const double *x, double *y)
{
    kernels()->shares_f64(rows, c, x, y);
}

void smr_add_f64(int64_t n, const double *x, double *y)
{
    kernels()->add_f64(n, x, y);
}

void smr_add_rows_f64(int64_t rows, int64_t n, const double *x, double *y)
{
    kernels()->add_rows_f64(rows, n, x, y);
}

void smr_put_rows_f64(int64_t rows, int64_t n, const double *x, double *y)
{
    kernels()->put_rows_f64(rows, n, x, y);
}

void smr_pool_max_f64(const smr_nn_pool *p, const double *x, double *y, int32_t *at)
{
    kernels()->pool_max_f64(p, x, y, at);
}

void smr_pool_mean_f64(const smr_nn_pool *p, const double *x, double *y)
{
    kernels()->pool_mean_f64(p, x, y);
}

void smr_pool_mean_back_f64(const smr_nn_pool *p, const double *dy, double *dx)
{
    kernels()->pool_mean_back_f64(p, dy, dx);
}

void smr_affine_f64(int64_t rows, int64_t c, const double *x, const double *scale,
                    const double *shift, double *y)
{
    kernels()->affine_f64(rows, c, x, scale, shift, y);
}

void smr_step_f64(const smr_nn_step *s, int64_t n, const double *g, double *w, double *v, double *u)
{
    kernels()->step_f64(s, n, g, w, v, u);
}

void smr_cell_f64(smr_cell_kind kind, int64_t h, double *z, const double *was, double *state,
                  double *y)
{
    kernels()->cell_f64(kind, h, z, was, state, y);
}

void smr_cell_back_f64(smr_cell_kind kind, int64_t h, double *z, const double *was,
                       const double *state, double *dy, double *dstate)
{
    kernels()->cell_back_f64(kind, h, z, was, state, dy, dstate);
}

double smr_window_sum_f64(smr_window kind, int64_t d, unsigned marked, const double *points,
                          const double *weight, const smr_window_at *at)
{
    return kernels()->window_sum_f64(kind, d, marked, points, weight, at);
}

void smr_window_squares_f64(bool by_largest, int64_t d, const double *points,
                            const smr_window_at *at, double *q)
{
    kernels()->window_squares_f64(by_largest, d, points, at, q);
}

void smr_window_reach_f64(bool by_largest, int64_t d, const double *boxes, const smr_window_at *at,
                          double *least, double *largest)
{
    kernels()->window_reach_f64(by_largest, d, boxes, at, least, largest);
}

void smr_window_series_f64(const smr_window_series *series, int64_t order, const smr_window_at *at,
                           double *out)
{
    kernels()->window_series_f64(series, order, at, out);
}
