/* Random numbers: the published answers, no bias, no relation between streams. */
#include "check.h"

#include "core/rng.h"

/* kat_vectors of Random123 1.09 (Salmon et al.), philox4x32 with 10 rounds: counter, key, answer.
 * Here the counter is (b, a), low word first, and stream 0 leaves the seed as the key. */
static void philox_gives_the_published_answers(void **state)
{
    (void)state;
    static const struct {
        uint32_t counter[4], key[2], answer[4];
    } row[] = {
        {{0, 0, 0, 0}, {0, 0}, {0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}},
        {{0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff},
         {0xffffffff, 0xffffffff},
         {0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}},
        {{0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344},
         {0xa4093822, 0x299f31d0},
         {0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}},
    };
    for (int64_t i = 0; i < SMR_COUNT(row); i++) {
        const uint32_t *c = row[i].counter, *k = row[i].key;
        uint64_t seed = (uint64_t)k[1] << 32 | k[0], b = (uint64_t)c[1] << 32 | c[0];
        uint64_t a = (uint64_t)c[3] << 32 | c[2];
        uint32_t got[4];
        smr_philox(seed, SMR_STREAM_TEST, a, b, got);
        assert_memory_equal(got, row[i].answer, sizeof got);
        assert_true(smr_random_bits(seed, SMR_STREAM_TEST, a, b) ==
                    ((uint64_t)got[1] << 32 | got[0]));
    }
}

static void units_lie_in_0_1_and_are_uniform(void **state)
{
    (void)state;
    enum { N = 200000, CELLS = 100 };
    int64_t count[CELLS] = {0};
    double sum = 0, product = 0, before = 0.5;
    for (uint64_t i = 0; i < N; i++) {
        double u = smr_random_unit(42, SMR_STREAM_SPLIT, 7, i);
        assert_true(u >= 0 && u < 1);
        count[(int)(u * CELLS)]++;
        sum += u;
        product += (u - 0.5) * (before - 0.5);
        before = u;
    }
    double chi2 = 0;
    for (int i = 0; i < CELLS; i++) chi2 += pow((double)count[i] - N / CELLS, 2) / (N / CELLS);
    /* 99 degrees of freedom: mean 99, deviation 14; five deviations either way. */
    assert_true(chi2 > 29 && chi2 < 169);
    check_near("mean", sum / N, 0.5, 5 / sqrt(12.0 * N));
    check_near("serial covariance", product / N, 0, 5.0 / 12 / sqrt(N));
}

static void whole_numbers_below_a_limit_have_no_bias(void **state)
{
    (void)state;
    for (uint64_t i = 0; i < 100; i++) assert_int_equal(smr_random_below(1, 0, 0, i, 1), 0);
    int64_t count[7] = {0};
    for (uint64_t i = 0; i < 70000; i++) count[smr_random_below(9, SMR_STREAM_SPLIT, 3, i, 7)]++;
    for (int i = 0; i < 7; i++) assert_in_range(count[i], 10000 - 500, 10000 + 500);

    /* With n = 3 * 2^61 a plain remainder would give the lower third twice as often. */
    int64_t n = INT64_C(3) << 61, third[3] = {0};
    for (uint64_t i = 0; i < 30000; i++) {
        int64_t r = smr_random_below(11, SMR_STREAM_SPLIT, 5, i, n);
        assert_true(r >= 0 && r < n);
        third[r / (n / 3)]++;
    }
    for (int i = 0; i < 3; i++) assert_in_range(third[i], 10000 - 450, 10000 + 450);
}

static void every_permutation_is_equally_likely(void **state)
{
    (void)state;
    enum { TRIES = 48000 };
    int64_t count[256] = {0}, order[1009];
    for (uint64_t t = 0; t < TRIES; t++) {
        smr_random_permutation(2, SMR_STREAM_SPLIT, t, 4, order);
        count[order[0] * 64 + order[1] * 16 + order[2] * 4 + order[3]]++;
    }
    int seen = 0;
    for (int i = 0; i < 256; i++) {
        if (!count[i]) continue;
        seen++;
        assert_in_range(count[i], 2000 - 220, 2000 + 220); /* five deviations of sqrt(1917) */
    }
    assert_int_equal(seen, 24);

    int fixed = 0;
    bool is_there[1009] = {false};
    smr_random_permutation(2, SMR_STREAM_SPLIT, 1, 1009, order);
    for (int i = 0; i < 1009; i++) {
        assert_in_range(order[i], 0, 1008);
        assert_false(is_there[order[i]]);
        is_there[order[i]] = true;
        fixed += order[i] == i;
    }
    assert_in_range(fixed, 0, 7); /* Poisson of mean 1 */
    smr_random_permutation(2, SMR_STREAM_SPLIT, 1, 0, order);
}

/* Bits of two draws that differ in one argument agree half the time. */
/* Draws made ahead are those of smr_random_below, and a shuffle is the permutation's. */
static void a_shuffle_is_its_permutation_and_both_are_fisher_and_yatess(void **state)
{
    enum { MOST = 1009, WIDTH = 3 };
    static const int64_t sizes[] = {0, 1, 2, 31, 32, 33, 34, 65, MOST};
    int64_t order[MOST], plain[MOST];
    double x[MOST * WIDTH];
    (void)state;
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
        int64_t n = sizes[s];
        for (int64_t i = 0; i < n; i++) plain[i] = i;
        for (int64_t i = n - 1; i > 0; i--) {
            int64_t j = smr_random_below(5, SMR_STREAM_TEST, UINT64_C(7) << 40, (uint64_t)i, i + 1);
            int64_t t = plain[i];
            plain[i] = plain[j];
            plain[j] = t;
        }
        for (int64_t i = 0; i < n * WIDTH; i++) x[i] = (double)i;
        smr_random_permutation(5, SMR_STREAM_TEST, UINT64_C(7) << 40, n, order);
        smr_random_shuffle(5, SMR_STREAM_TEST, UINT64_C(7) << 40, n, WIDTH, x);
        for (int64_t i = 0; i < n; i++) {
            assert_int_equal(order[i], plain[i]);
            for (int64_t j = 0; j < WIDTH; j++)
                assert_true(x[i * WIDTH + j] == (double)(plain[i] * WIDTH + j));
        }
    }
}

static void seeds_streams_and_counters_are_unrelated(void **state)
{
    (void)state;
    int64_t agree[4] = {0}, total = 64 * 4000;
    for (uint64_t i = 0; i < 4000; i++) {
        uint64_t x = smr_random_bits(i, SMR_STREAM_SPLIT, i, i);
        agree[0] += __builtin_popcountll(~(x ^ smr_random_bits(i + 1, SMR_STREAM_SPLIT, i, i)));
        agree[1] += __builtin_popcountll(~(x ^ smr_random_bits(i, SMR_STREAM_GENERATE, i, i)));
        agree[2] += __builtin_popcountll(~(x ^ smr_random_bits(i, SMR_STREAM_SPLIT, i + 1, i)));
        agree[3] += __builtin_popcountll(~(x ^ smr_random_bits(i, SMR_STREAM_SPLIT, i, i + 1)));
    }
    for (int i = 0; i < 4; i++)
        check_near("agreement", (double)agree[i] / (double)total, 0.5, 2.5 / sqrt((double)total));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(philox_gives_the_published_answers),
        cmocka_unit_test(units_lie_in_0_1_and_are_uniform),
        cmocka_unit_test(whole_numbers_below_a_limit_have_no_bias),
        cmocka_unit_test(every_permutation_is_equally_likely),
        cmocka_unit_test(a_shuffle_is_its_permutation_and_both_are_fisher_and_yatess),
        cmocka_unit_test(seeds_streams_and_counters_are_unrelated),
    };
    return cmocka_run_group_tests_name("rng", tests, NULL, NULL);
}
