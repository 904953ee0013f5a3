/* Gram matrices: the plain bits on every tier, rows in any blocks, the lower triangle untouched. */
#include "numbers.h"

#include "kernel/ref.h"

static void *work_for(int64_t d)
{
    void *work = aligned_alloc(64, ((size_t)smr_gram_work(d) + 63) / 64 * 64);
    assert_non_null(work);
    return work;
}

static void check_gram(int64_t n, int64_t d)
{
    int64_t ldx = d + 3, ldg = d + 2;
    double *X = numbers_f64(n * ldx, 1), *want = numbers_f64(d * ldg, 2);
    void *work = work_for(d);
    smr_ref_gram_f64(n, d, X, ldx, want, ldg);
    on_every_tier({
        double *G = numbers_f64(d * ldg, 2); /* the chain starts from what G holds */
        smr_gram_f64(n, d, X, ldx, G, ldg, work);
        for (int64_t i = 0; i < d * ldg; i++) check_same_f64("gram", i, G[i], want[i]);
        free(G);
        G = numbers_f64(d * ldg, 2);
        smr_gram_ahead_f64(n, d, X, ldx, G, ldg, work, (smr_ahead){X + n * ldx, ldx});
        for (int64_t i = 0; i < d * ldg; i++) check_same_f64("gram ahead", i, G[i], want[i]);
        free(G);
    });
    free(X), free(want), free(work);
}

static void every_width_has_the_plain_bits(void **state)
{
    (void)state;
    for (int64_t d = 1; d <= 70; d++) check_gram(19, d);
    static const int64_t wide[] = {95, 127, 159, 160, 161, 163, 167, 192, 201, 263};
    for (size_t i = 0; i < sizeof wide / sizeof *wide; i++) check_gram(7, wide[i]);
}

static void every_number_of_rows_has_the_plain_bits(void **state)
{
    (void)state;
    static const int64_t n[] = {0, 1, 2, 3, 7, 63, 127, 128, 129, 255, 256, 257, 300, 517};
    for (size_t i = 0; i < sizeof n / sizeof *n; i++) {
        check_gram(n[i], 11);
        check_gram(n[i], 50);
    }
    check_gram(261, 165);
}

static void consecutive_calls_equal_one_call(void **state)
{
    (void)state;
    enum { N = 401 };
    static const int64_t d[] = {5, 50, 171}, cuts[] = {0, 1, 130, 131, 300, N};
    for (int c = 0; c < 3; c++) {
        double *X = numbers_f64(N * d[c], 3), *G = calloc((size_t)(d[c] * d[c]), sizeof *G);
        double *H = calloc((size_t)(d[c] * d[c]), sizeof *H);
        void *work = work_for(d[c]);
        on_every_tier({
            memset(G, 0, (size_t)(d[c] * d[c]) * sizeof *G);
            memset(H, 0, (size_t)(d[c] * d[c]) * sizeof *H);
            smr_gram_f64(N, d[c], X, d[c], G, d[c], work);
            for (int b = 0; b < 5; b++)
                smr_gram_f64(cuts[b + 1] - cuts[b], d[c], X + cuts[b] * d[c], d[c], H, d[c], work);
            assert_memory_equal(G, H, (size_t)(d[c] * d[c]) * sizeof *G);
        });
        free(X), free(G), free(H), free(work);
    }
}

static void a_small_matrix_gives_worked_figures(void **state)
{
    (void)state;
    const double X[6] = {1, 2, -3, 0.5, 4, 1};
    on_every_tier({
        double G[9] = {0, 0, 0, -7, 0, 0, -7, -7, 0};
        const double want[9] = {1.25, 4, -2.5, -7, 20, -2, -7, -7, 10};
        void *work = work_for(3);
        smr_gram_f64(2, 3, X, 3, G, 3, work);
        for (int i = 0; i < 9; i++) check_same_f64("gram", i, G[i], want[i]);
        free(work);
    });
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_width_has_the_plain_bits),
        cmocka_unit_test(every_number_of_rows_has_the_plain_bits),
        cmocka_unit_test(consecutive_calls_equal_one_call),
        cmocka_unit_test(a_small_matrix_gives_worked_figures),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
