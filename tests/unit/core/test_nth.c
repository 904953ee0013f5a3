/* test_nth.c -- order statistics are those of the sorted numbers, whatever these are. */
#include "check.h"

#include "core/nth.h"
#include "core/rng.h"
#include "core/sort.h"

enum { MOST = 20011, KINDS = 8, RANKS = 9 };

/* Even, over all exponents, of both signs, few values with infinities and both zeros, one value,
 * most close together and few far away, whole numbers, ascending. */
static double value(int kind, uint64_t i)
{
    static const double few[] = {-INFINITY, -0.0, 0.0, 1e-310, -1e-310, 7, INFINITY, 7};
    double u = smr_random_unit(11, SMR_STREAM_TEST, (uint64_t)kind, i);
    switch (kind) {
    case 0: return u;
    case 1: return ldexp(u - 0.5, (int)(i % 1800) - 900);
    case 2: return (u - 0.5) * 1e308 * 1.9;
    case 3: return few[i % 8];
    case 4: return -2.385;
    case 5: return i % 977 ? 1 + u * 1e-13 : u * 1e200;
    case 6: return floor(u * 40);
    default: return (double)i - 9000.5;
    }
}

static void selected_ranks_are_those_of_a_sort(void **state)
{
    static double x[MOST], sorted[2 * MOST], kept[MOST];
    static uint64_t room[2 * MOST];
    static const int64_t sizes[] = {1, 2, 3, 255, 256, 257, 1501, 4095, 4096, 4099, MOST};
    (void)state;
    for (int kind = 0; kind < KINDS; kind++)
        for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
            int64_t n = sizes[s], rank[RANKS];
            double out[RANKS];
            for (int64_t i = 0; i < n; i++) kept[i] = sorted[i] = x[i] = value(kind, (uint64_t)i);
            for (int64_t r = 0; r < RANKS; r++) rank[r] = r * (n - 1) / (RANKS - 1);
            rank[5] = rank[4]; /* twice the same */
            const double *want = smr_sort_f64(n, sorted, sorted + n);
            for (int64_t m = 1; m <= RANKS; m += 4) {
                smr_select_f64(n, x, m, rank, room, out);
                for (int64_t r = 0; r < m; r++)
                    assert_memory_equal(&out[r], &want[rank[r]], sizeof *out);
            }
            assert_memory_equal(x, kept, (size_t)n * sizeof *x);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(selected_ranks_are_those_of_a_sort),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
