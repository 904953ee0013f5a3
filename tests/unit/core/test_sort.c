/* Sorting: a permutation, ascending, equals in their order, NaN last. */
#include "check.h"

#include "core/rng.h"
#include "core/sort.h"

/* a before b in the order that sort.h states. */
static bool in_order(double a, double b, int64_t i, int64_t j)
{
    if (isnan(a) || isnan(b)) return isnan(a) == isnan(b) ? i < j : isnan(b);
    return a == b ? i < j : a < b;
}

enum { KINDS = 10 }; /* after them: NaN and infinities */

static double value(int kind, uint64_t i)
{
    uint64_t bits = smr_random_bits(5, SMR_STREAM_TEST, (uint64_t)kind, i);
    double x;
    switch (kind) {
    case 0: memcpy(&x, &bits, sizeof x); return x; /* any bit pattern: NaN, inf, subnormal */
    case 1: return (double)(bits % 7) - 3;         /* many equals */
    case 2: return bits % 3 ? -0.0 : 0.0;
    case 3: return -(double)i;
    case 4: return 1.0 / (double)(1 + bits % 100000) - 0.25;
    case 5: return i ? 1e9 + 1e-3 * (double)(bits % 1000000) : -1e300; /* close, and one far away */
    case 6: return 1.7e9 + 1e-6 * (double)(bits % (UINT64_C(1) << 40));
    case 7: return (double)(bits % 30011) / 1000 - 9.5;      /* decimals */
    case 8: return i == 900 ? 1e-7 : (double)(bits % 5) / 8; /* all but one are */
    case 9: return i % 2 ? 1 + 0x1p-52 * (double)(bits % 9) : -1 - 0x1p-52 * (double)(bits % 99);
    default: return bits % 5 ? NAN : bits % 2 ? -INFINITY : INFINITY;
    }
}

static void order_is_ascending_and_stable_at_every_size(void **state)
{
    (void)state;
    smr_ctx *ctx = check_ctx(1);
    static double x[5000];
    static int64_t order[5000];
    static const int64_t sizes[] = {1, 2, 3, 17, 47, 48, 64, 255, 700, 2047, 2048, 2049, 5000};
    for (int kind = 0; kind <= KINDS; kind++)
        for (int64_t s = 0; s < SMR_COUNT(sizes); s++) {
            int64_t n = sizes[s];
            for (int64_t i = 0; i < n; i++) x[i] = value(kind, (uint64_t)i);
            check_ok(ctx, smr_argsort_f64(ctx, n, x, order));
            static int8_t seen[5000];
            memset(seen, 0, sizeof seen);
            for (int64_t i = 0; i < n; i++) {
                assert_in_range(order[i], 0, n - 1);
                assert_int_equal(seen[order[i]]++, 0);
                if (i && !in_order(x[order[i - 1]], x[order[i]], order[i - 1], order[i]))
                    fail_msg("kind %d, n %lld: rows %lld and %lld are out of order", kind,
                             (long long)n, (long long)order[i - 1], (long long)order[i]);
            }
        }
    check_ok(ctx, smr_argsort_f64(ctx, 0, NULL, NULL));
    check_ctx_end(ctx);
}

static void values_alone_have_the_order_of_rows(void **state)
{
    (void)state;
    smr_ctx *ctx = check_ctx(1);
    static double x[5000], y[5000], spare[5000];
    static int64_t order[5000];
    static const int64_t sizes[] = {0, 1, 2, 3, 47, 48, 700, 2047, 2048, 5000};
    for (int kind = 1; kind < KINDS; kind++) /* those without NaN */
        for (int64_t s = 0; s < SMR_COUNT(sizes); s++) {
            int64_t n = sizes[s];
            for (int64_t i = 0; i < n; i++) x[i] = y[i] = value(kind, (uint64_t)i);
            check_ok(ctx, smr_argsort_f64(ctx, n, x, order));
            const double *sorted = smr_sort_f64(n, y, spare);
            for (int64_t i = 0; i < n; i++) {
                assert_true(sorted[i] == x[order[i]]);
                assert_true(sorted[i] != 0 || !signbit(sorted[i]));
            }
        }
    check_ctx_end(ctx);
}

/* Rows with a mark where a value begins, also where most numbers are close and few far away, which
 * makes runs of rows that words do not tell apart. */
static void rows_are_marked_where_values_begin(void **state)
{
    enum { N = 70001 };
    static double x[N];
    static uint32_t order[N];
    static uint64_t room[2 * N];
    static const int64_t sizes[] = {1, 2, 3, 47, 48, 2047, 2048, N};
    (void)state;
    for (int kind = 0; kind <= KINDS; kind++)
        for (int64_t s = 0; s < SMR_COUNT(sizes); s++) {
            int64_t n = sizes[s], distinct = 0;
            for (int64_t i = 0; i < n; i++) x[i] = value(kind, (uint64_t)i);
            int64_t told = smr_sort_rows(n, x, order, room);
            for (int64_t r = 0; r < n; r++) {
                int64_t row = (int64_t)(order[r] & ~SMR_NEW_VALUE);
                int64_t before = r ? (int64_t)(order[r - 1] & ~SMR_NEW_VALUE) : -1;
                bool begins =
                    r == 0 || !(x[row] == x[before] || (isnan(x[row]) && isnan(x[before])));
                if (r) assert_true(in_order(x[before], x[row], before, row));
                assert_int_equal((order[r] & SMR_NEW_VALUE) != 0, begins);
                distinct += begins;
            }
            assert_int_equal(told, distinct);
        }
}

static int by_length(const void *items, int64_t a, int64_t b)
{
    const char *const *word = items;
    return (int)strlen(word[a]) - (int)strlen(word[b]);
}

static void any_comparison_sorts_stably(void **state)
{
    (void)state;
    smr_ctx *ctx = check_ctx(1);
    static const char *const word[] = {"ridge", "knn", "tree", "svm", "lasso", "pca", "net"};
    static const int64_t want[] = {1, 3, 5, 6, 2, 0, 4};
    int64_t order[7];
    for (int64_t n = 0; n <= 7; n++) {
        check_ok(ctx, smr_argsort(ctx, n, by_length, word, order));
        int64_t k = 0;
        for (int64_t i = 0; i < 7; i++)
            if (want[i] < n) assert_int_equal(order[k++], want[i]);
    }
    smr_memory_fail_at(ctx, 0);
    check_fails(ctx, smr_argsort(ctx, 7, by_length, word, order), SMR_ERR_NOMEM, "memory");
    check_ctx_end(ctx);
}

static void refused_memory_is_told(void **state)
{
    (void)state;
    smr_ctx *ctx = check_ctx(1);
    static double x[2500];
    static int64_t order[2500];
    smr_memory_fail_at(ctx, 0);
    check_fails(ctx, smr_argsort_f64(ctx, 2500, x, order), SMR_ERR_NOMEM, "out of memory");
    smr_memory_fail_at(ctx, -1);
    check_ctx_end(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(order_is_ascending_and_stable_at_every_size),
        cmocka_unit_test(values_alone_have_the_order_of_rows),
        cmocka_unit_test(rows_are_marked_where_values_begin),
        cmocka_unit_test(any_comparison_sorts_stably),
        cmocka_unit_test(refused_memory_is_told),
    };
    return cmocka_run_group_tests_name("sort", tests, NULL, NULL);
}
