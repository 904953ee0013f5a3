/* One digest of the results of every kernel, recorded: no compiler, optimisation level, tier or
 * processor may change a bit.
 *
 * Recorded with gcc 12.2 at -O2; the same with clang 14, with either at -O0 and -O3, and on
 * every tier.  A change here is a change of every model that samara writes: it needs a reason in
 * the change log. */
#include "numbers.h"

static uint64_t digest(uint64_t seen, const void *data, size_t size)
{
    const unsigned char *p = data;
    for (size_t i = 0; i < size; i++) seen = (seen ^ p[i]) * 0x100000001b3u; /* FNV-1a */
    return seen;
}

#define START 0xcbf29ce484222325u

static uint64_t take(uint64_t seen, double x)
{
    if (isnan(x)) x = (double)NAN; /* one NaN is as good as another */
    return digest(seen, &x, sizeof x);
}

static void check_digest(const char *what, uint64_t got, uint64_t want)
{
    if (got != want)
        fail_msg("%s on %s: got 0x%016llxu", what, smr_kernel_tier(), (unsigned long long)got);
}

static uint64_t digest_of_reductions(void)
{
    uint64_t seen = START;
    for (int64_t n = 1; n < 300; n += 7) {
        double *x = numbers_f64(n, 1), *y = numbers_f64(n, 2);
        float *u = numbers_f32(n, 1), *v = numbers_f32(n, 2);
        seen = take(take(seen, smr_dot_f64(n, x, y)), smr_sum_f64(n, x));
        seen = take(take(seen, smr_sumsq_f64(n, x, 0.3)), smr_l2sq_f64(n, x, y));
        seen = take(take(seen, smr_l1_f64(n, x, y)), smr_linf_f64(n, x, y));
        seen = take(take(seen, smr_lp_f64(n, x, y, 0.7)), smr_l2sq_f32_wide(n, u, v));
        seen = take(take(seen, (double)smr_dot_f32(n, u, v)), (double)smr_l2sq_f32(n, u, v));
        smr_axpy_f64(n, 0.77, x, y);
        smr_axpy_f32(n, 0.77f, u, v);
        seen = digest(digest(seen, y, (size_t)n * sizeof *y), v, (size_t)n * sizeof *v);
        free(x), free(y), free(u), free(v);
    }
    return seen;
}

static uint64_t digest_of_products(void)
{
    enum { M = 17, N = 45, SIZE = 611 };
    double *A = numbers_f64(M * SIZE, 3), *B = numbers_f64(N * SIZE, 4), *C = numbers_f64(M * N, 5);
    float *a = numbers_f32(M * SIZE, 3), *b = numbers_f32(N * SIZE, 4), *c = numbers_f32(M * N, 5);
    void *panels = aligned_alloc(64, (size_t)(smr_panels_size_f64(N, SIZE) + 63) / 64 * 64);
    void *work = aligned_alloc(64, (size_t)(smr_gram_work(N) + 63) / 64 * 64);
    double *G = calloc(N * N, sizeof *G);
    smr_pack_f64(N, SIZE, B, SIZE, panels);
    smr_product_f64(M, N, SIZE, A, SIZE, panels, C, N);
    smr_pack_f32(N, SIZE, b, SIZE, panels);
    smr_product_f32(M, N, SIZE, a, SIZE, panels, c, N);
    smr_gram_f64(SIZE, N, B, N, G, N, work);
    uint64_t seen = digest(START, C, M * N * sizeof *C);
    seen = digest(digest(seen, c, M * N * sizeof *c), G, N * N * sizeof *G);
    free(A), free(B), free(C), free(a), free(b), free(c), free(panels), free(work), free(G);
    return seen;
}

/* Sizes from 2^-40 to 2^9, and every special number. */
static double argument(uint64_t i)
{
    static const double special[] = {0,
                                     -0.0,
                                     1,
                                     -1,
                                     (double)INFINITY,
                                     -(double)INFINITY,
                                     (double)NAN,
                                     0x1p-1074,
                                     0x1.fffffffffffffp1023,
                                     -745.5};
    if (i < sizeof special / sizeof *special) return special[i];
    double x = ldexp(1 + uniform(2 * i), (int)(hash64(2 * i + 1) % 50) - 40);
    return hash64(3 * i) & 1 ? x : -x;
}

static uint64_t digest_of_functions(void)
{
    enum { N = 20000 };
    uint64_t seen = START;
    double *x = numbers_f64(N, 6), *y = numbers_f64(N, 7);
    for (uint64_t i = 0; i < N; i++) {
        x[i] = argument(i);
        seen = take(take(seen, smr_exp(x[i])), smr_log(fabs(x[i])));
        seen = take(take(seen, smr_log1p(x[i])), smr_expm1(x[i]));
        seen = take(take(seen, smr_tanh(x[i])), smr_pow(fabs(x[i]), argument(N - i)));
    }
    smr_exp_f64(N, x, y);
    for (int i = 0; i < N; i++) seen = take(seen, y[i]);
    smr_log_f64(N, x, y);
    for (int i = 0; i < N; i++) seen = take(seen, y[i]);
    free(x), free(y);
    return seen;
}

static void reductions_have_the_recorded_bits(void **state)
{
    (void)state;
    on_every_tier(check_digest("reductions", digest_of_reductions(), 0x5e8d758e311780a9u));
}

static void products_have_the_recorded_bits(void **state)
{
    (void)state;
    on_every_tier(check_digest("products", digest_of_products(), 0x6367e28274ab0cb0u));
}

static void functions_have_the_recorded_bits(void **state)
{
    (void)state;
    on_every_tier(check_digest("functions", digest_of_functions(), 0x9f00bc53d87d123eu));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reductions_have_the_recorded_bits),
        cmocka_unit_test(products_have_the_recorded_bits),
        cmocka_unit_test(functions_have_the_recorded_bits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
