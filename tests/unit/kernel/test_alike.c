/* The inner loops of kernel machines: bits of their plain forms on every tier, and the error of the
 * exponential in float. */
#include "check.h"

#include "core/rng.h"
#include "kernel/ref.h"

enum { N = 77, D = 45 };

static double number(int a, int64_t i)
{
    return smr_random_unit(2, SMR_STREAM_TEST, (uint64_t)a, (uint64_t)i) * 3;
}

static void fill(double *x, float *f, int a, int64_t n)
{
    for (int64_t i = 0; i < n; i++) f[i] = (float)(x[i] = i % 5 == a ? 0 : number(a, i));
}

static void check_sums(int64_t n)
{
    double x[N], y[N], a = number(9, n);
    float fx[N], fy[N], g[N];
    fill(x, fx, 1, n);
    fill(y, fy, 2, n);
    x[0] = y[0] = fx[0] = fy[0] = 0; /* 0 / 0 */
    assert_true(smr_l1_sum_f64(n, x, y) == smr_ref_l1_sum_f64(n, x, y));
    assert_true(smr_l1_sum_f32(n, fx, fy) == smr_ref_l1_sum_f32(n, fx, fy));
    assert_true(smr_chi2_sum_f64(n, x, y) == smr_ref_chi2_sum_f64(n, x, y));
    assert_true(smr_chi2_sum_f32(n, fx, fy) == smr_ref_chi2_sum_f32(n, fx, fy));
    assert_true(smr_square_chain_f64(n, x) == smr_ref_square_chain_f64(n, x));
    assert_true(smr_square_chain_f32(n, fx) == smr_ref_square_chain_f32(n, fx));
    memcpy(g, fy, sizeof g);
    smr_rbf_f32(n, 0.7f, (float)a, fx, g);
    for (int64_t i = 0; i < n; i++) {
        float square = ((float)a + fx[i]) - 2 * fy[i], want = -0.7f * (square > 0 ? square : 0);
        smr_exp_f32(1, &want, &want);
        assert_true(g[i] == want);
    }
    double w[N];
    memcpy(w, y, sizeof w);
    smr_rbf_f64(n, 0.7, a, x, w);
    for (int64_t i = 0; i < n; i++) {
        double square = (a + x[i]) - 2 * y[i];
        assert_true(w[i] == smr_exp(-0.7 * (square > 0 ? square : 0)));
    }
}

static void check_entries(int64_t n)
{
    double value[N], panel[16 * D], got[16], want[16];
    float fvalue[N], fpanel[16 * D], fgot[16], fwant[16];
    int32_t column[N];
    fill(value, fvalue, 3, n);
    fill(panel, fpanel, 4, 16 * D);
    for (int64_t e = 0; e < n; e++) column[e] = (int32_t)(e * 7 % D);
    smr_entries_panel_f64(n, column, value, panel, got);
    smr_ref_entries_panel_f64(n, column, value, panel, want);
    assert_memory_equal(got, want, sizeof got);
    smr_entries_panel_f32(n, column, fvalue, fpanel, fgot);
    smr_ref_entries_panel_f32(n, column, fvalue, fpanel, fwant);
    assert_memory_equal(fgot, fwant, sizeof fgot);
}

/* Sparse rows of every length up to D against n packed ones: the bits of the dense product. */
static void check_entry_products(int64_t n)
{
    enum { M = 9 };
    double x[M * D] = {0}, value[M * D], b[N * D], got[M * N], want[M * N];
    float fx[M * D] = {0}, fvalue[M * D], fb[N * D], fgot[M * N], fwant[M * N];
    int32_t column[M * D];
    int64_t start[M + 1] = {0};
    static char panels[2 * (N + 40) * D * 8] __attribute__((aligned(64)));
    fill(b, fb, 7, n * D);
    for (int64_t i = 0, e = 0; i < M; i++) {
        for (int32_t j = 0; j < D; j++) {
            if (number(8, i * D + j) * (M - 1) >= 3 * (double)i) continue;
            column[e] = j;
            value[e] = x[i * D + j] = number(9, i * D + j) - 1.5;
            fvalue[e++] = fx[i * D + j] = (float)x[i * D + j];
        }
        start[i + 1] = e;
    }
    assert_true(start[1] == 0 && start[M] - start[M - 1] == D);
    assert_true(smr_panels_size_f64(n, D) <= (int64_t)sizeof panels);
    smr_pack_f64(n, D, b, D, panels);
    smr_entries_product_f64(&(smr_entry_rows){M, start, column, value}, n, D, panels, got, N);
    smr_product_f64(M, n, D, x, D, panels, want, N);
    for (int64_t i = 0; i < M; i++) assert_memory_equal(got + i * N, want + i * N, n * 8);
    smr_pack_f32(n, D, fb, D, panels);
    smr_entries_product_f32(&(smr_entry_rows){M, start, column, fvalue}, n, D, panels, fgot, N);
    smr_product_f32(M, n, D, fx, D, panels, fwant, N);
    for (int64_t i = 0; i < M; i++) assert_memory_equal(fgot + i * N, fwant + i * N, n * 4);
}

static void check_strings(int64_t length, int64_t m, int64_t n)
{
    enum { L = SMR_SUBSEQUENCE_LANES };
    double outer[20 * L], inner[20 * L], work[20 * L * 12], got[L], want[L];
    smr_string_pairs p = {.n_outer = m, .n_inner = n, .outer = outer, .inner = inner, .work = work};
    for (int64_t i = 0; i < m * L; i++) outer[i] = floor(number(5, i));
    for (int64_t i = 0; i < n * L; i++) inner[i] = i % 11 == 3 ? -2 : floor(number(6, i));
    smr_subsequences_f64(length, 0.6, &p, got);
    smr_ref_subsequences_f64(length, 0.6, &p, want);
    assert_memory_equal(got, want, sizeof got);
}

static void tiers_have_the_bits_of_the_plain_forms(void **state)
{
    static const char *const tiers[] = {"base", "v3", "v4"};
    (void)state;
    for (int t = 0; t < SMR_COUNT(tiers); t++) {
        if (!smr_kernel_use(tiers[t])) continue;
        for (int64_t n = 1; n <= N; n += 4) check_sums(n);
        for (int64_t n = 0; n <= N; n += 11) check_entries(n);
        for (int64_t n = 1; n <= N; n += 4) check_entry_products(n);
        for (int64_t length = 1; length <= 11; length++) check_strings(length, 17, 13);
        check_strings(3, 0, 5);
    }
}

static void the_exponential_in_float_is_near(void **state)
{
    double worst = 0;
    (void)state;
    for (double x = -87; x < 88.5; x += 0.001373) {
        float in = (float)x, got;
        smr_exp_f32(1, &in, &got);
        long double want = expl((long double)in);
        float at = (float)want;
        double unit = (double)(nextafterf(at, INFINITY) - at);
        worst = fmax(worst, (double)fabsl((long double)got - want) / unit);
    }
    assert_true(worst < 1.5);
    float special[] = {0, -INFINITY, INFINITY, -1000, 1000, -103}, out[6];
    smr_exp_f32(6, special, out);
    assert_true(out[0] == 1 && out[1] == 0 && out[3] == 0);
    assert_true(isinf(out[2]) && isinf(out[4]) && out[5] > 0);
    special[0] = NAN;
    smr_exp_f32(1, special, out);
    assert_true(isnan(out[0]));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tiers_have_the_bits_of_the_plain_forms),
        cmocka_unit_test(the_exponential_in_float_is_near),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
