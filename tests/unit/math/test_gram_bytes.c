/* test_gram_bytes.c -- the Gram matrix of bytes against sums in 128 bits, to the last bit. */
#include "math/gram_bytes.h"

#include "check.h"
#include "core/int128.h"
#include "core/rng.h"
#include "kernel/kernel.h"
#include "pipeline.h"

struct bytes {
    int64_t n, d, stride;
    uint8_t *x;
};

static smr_status give(smr_ctx *ctx, void *arg, int lane, int64_t lo, int64_t hi, const uint8_t **x,
                       int64_t *stride)
{
    const struct bytes *b = arg;
    (void)ctx, (void)lane;
    assert_true(hi - lo <= SMR_BYTES_BLOCK && hi <= b->n);
    *x = b->x + lo * b->stride;
    *stride = b->stride;
    return SMR_OK;
}

static struct bytes bytes_new(int64_t n, int64_t d, int64_t stride, bool full)
{
    struct bytes b = {n, d, stride, malloc((size_t)(n * stride))};
    assert_non_null(b.x);
    for (int64_t i = 0; i < n * stride; i++)
        b.x[i] = full ? 255 : (uint8_t)smr_random_bits(3, SMR_STREAM_TEST, (uint64_t)i, 0);
    return b;
}

static void check_bytes(smr_ctx *ctx, const struct bytes *b)
{
    int64_t d = b->d, n = b->n;
    double *mean = malloc((size_t)d * sizeof *mean), *G = malloc((size_t)(d * d) * sizeof *G);
    assert_true(mean && G);
    check_ok(ctx, smr_gram_bytes(ctx, n, d, give, (void *)(uintptr_t)b, mean, G));
    for (int64_t j = 0; j < d; j++)
        for (int64_t k = 0; k < d; k++) {
            smr_i128 sum = 0, sj = 0, sk = 0;
            for (int64_t i = 0; i < n; i++) {
                int64_t x = b->x[i * b->stride + j], y = b->x[i * b->stride + k];
                sum += x * y, sj += x, sk += y;
            }
            double want = (double)(sum * n - sj * sk) / (double)n;
            if (G[j * d + k] != want || mean[j] != (double)sj / (double)n)
                fail_msg("%d x %d, entry %d,%d: %.17g, wanted %.17g", (int)n, (int)d, (int)j,
                         (int)k, G[j * d + k], want);
        }
    free(mean), free(G);
}

static void every_entry_is_exact(void **state)
{
    static const int64_t shapes[][3] = {{1, 1, 1},       {3, 2, 2},      {5, 33, 40},
                                        {1023, 7, 9},    {1025, 31, 31}, {37, 113, 113},
                                        {130, 225, 230}, {4097, 5, 5}};
    (void)state;
    smr_ctx *ctx = check_ctx(2);
    for (int64_t s = 0; s < SMR_COUNT(shapes); s++)
        for (int full = 0; full < 2; full++) {
            struct bytes b = bytes_new(shapes[s][0], shapes[s][1], shapes[s][2], full);
            check_bytes(ctx, &b);
            free(b.x);
        }
    check_ctx_end(ctx);
}

static void every_tier_and_number_of_threads_agrees(void **state)
{
    static const char *const tiers[] = {"base", "v3", "v4", "vnni"};
    (void)state;
    const char *own = smr_kernel_tier();
    struct bytes b = bytes_new(2500, 45, 45, false);
    for (int t = 0; t < 4; t++) {
        if (!smr_kernel_use(tiers[t])) continue;
        for (int threads = 1; threads < 8; threads += 3) {
            smr_ctx *ctx = check_ctx(threads);
            check_bytes(ctx, &b);
            check_ctx_end(ctx);
        }
    }
    assert_true(smr_kernel_use(own));
    free(b.x);
}

static smr_status attempt(smr_ctx *ctx, void *arg)
{
    double mean[9], G[81];
    return smr_gram_bytes(ctx, 2100, 9, give, arg, mean, G);
}

static void memory_that_fails_leaves_nothing_held(void **state)
{
    (void)state;
    smr_ctx *ctx = check_ctx(1);
    struct bytes b = bytes_new(2100, 9, 9, false);
    assert_true(fail_each_allocation(ctx, attempt, &b) > 4);
    free(b.x);
    check_ctx_end(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_entry_is_exact),
        cmocka_unit_test(every_tier_and_number_of_threads_agrees),
        cmocka_unit_test(memory_that_fails_leaves_nothing_held),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
