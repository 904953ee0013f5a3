/* rng.c -- see rng.h. */
#include "core/rng.h"

#include "core/int128.h"

enum { ROUNDS = 10, AHEAD = 32 };
static const uint32_t M0 = 0xD2511F53u, M1 = 0xCD9E8D57u; /* multipliers of the paper  */
static const uint32_t W0 = 0x9E3779B9u, W1 = 0xBB67AE85u; /* key schedule: golden ratio, sqrt 3 */

/* The counter is (a, b); the key is the seed folded with the stream.  Streams are mixed into the
 * seed by an odd multiplier, so that stream s of seed k is not stream s' of a nearby seed. */
void smr_philox(uint64_t seed, smr_stream stream, uint64_t a, uint64_t b, uint32_t out[4])
{
    uint64_t key = seed ^ ((uint64_t)stream * 0x9E3779B97F4A7C15u);
    uint32_t k0 = (uint32_t)key, k1 = (uint32_t)(key >> 32);
    uint32_t c0 = (uint32_t)b, c1 = (uint32_t)(b >> 32), c2 = (uint32_t)a, c3 = (uint32_t)(a >> 32);

    for (int round = 0; round < ROUNDS; round++) {
        uint64_t p0 = (uint64_t)M0 * c0, p1 = (uint64_t)M1 * c2;
        uint32_t n0 = (uint32_t)(p1 >> 32) ^ c1 ^ k0, n2 = (uint32_t)(p0 >> 32) ^ c3 ^ k1;
        c0 = n0;
        c1 = (uint32_t)p1;
        c2 = n2;
        c3 = (uint32_t)p0;
        k0 += W0;
        k1 += W1;
    }
    out[0] = c0;
    out[1] = c1;
    out[2] = c2;
    out[3] = c3;
}

uint64_t smr_random_bits(uint64_t seed, smr_stream stream, uint64_t a, uint64_t b)
{
    uint32_t r[4];
    smr_philox(seed, stream, a, b, r);
    return (uint64_t)r[1] << 32 | r[0];
}

double smr_random_unit(uint64_t seed, smr_stream stream, uint64_t a, uint64_t b)
{
    return (double)(smr_random_bits(seed, stream, a, b) >> 11) * 0x1p-53;
}

/* Lemire's multiply-and-reject; further words of the same counter block replace a rejected one,
 * and after those the counter's high half. */
int64_t smr_random_below(uint64_t seed, smr_stream stream, uint64_t a, uint64_t b, int64_t n)
{
    uint64_t range = (uint64_t)n, least = range; /* until the exact bound, below it, is needed */
    for (uint64_t attempt = 0;; attempt++) {
        uint32_t r[4];
        smr_philox(seed ^ (attempt << 32), stream, a, b, r);
        for (int i = 0; i < 4; i += 2) {
            uint64_t bits = (uint64_t)r[i + 1] << 32 | r[i];
            smr_u128 product = (smr_u128)bits * range;
            if ((uint64_t)product < least) least = (0 - range) % range;
            if ((uint64_t)product >= least) return (int64_t)(product >> 64);
        }
    }
}

/* The first 64 bits of the counters (a, b), (a, b - 1), ...: smr_random_bits of AHEAD of them, side
 * by side. */
static void bits_ahead(uint64_t seed, smr_stream stream, uint64_t a, uint64_t b,
                       uint64_t bits[AHEAD])
{
    uint64_t key = seed ^ ((uint64_t)stream * 0x9E3779B97F4A7C15u);
    uint32_t k0 = (uint32_t)key, k1 = (uint32_t)(key >> 32);
    uint32_t c0[AHEAD], c1[AHEAD], c2[AHEAD], c3[AHEAD];
    for (int k = 0; k < AHEAD; k++) {
        c0[k] = (uint32_t)(b - (uint64_t)k);
        c1[k] = (uint32_t)((b - (uint64_t)k) >> 32);
        c2[k] = (uint32_t)a;
        c3[k] = (uint32_t)(a >> 32);
    }
    for (int round = 0; round < ROUNDS; round++, k0 += W0, k1 += W1)
        for (int k = 0; k < AHEAD; k++) {
            uint64_t p0 = (uint64_t)M0 * c0[k], p1 = (uint64_t)M1 * c2[k];
            c0[k] = (uint32_t)(p1 >> 32) ^ c1[k] ^ k0;
            c1[k] = (uint32_t)p1;
            c2[k] = (uint32_t)(p0 >> 32) ^ c3[k] ^ k1;
            c3[k] = (uint32_t)p0;
        }
    for (int k = 0; k < AHEAD; k++) bits[k] = (uint64_t)c1[k] << 32 | c0[k];
}

/* What item i, i - 1, ... changes places with: smr_random_below of each, of which few need more
 * than the first bits.  They are drawn ahead of the exchanges, so that what lies far apart in
 * memory is on its way when it is needed. */
static int64_t draw_ahead(uint64_t seed, smr_stream stream, uint64_t a, int64_t i,
                          int64_t with[AHEAD])
{
    uint64_t bits[AHEAD];
    int64_t n = i < AHEAD ? i : AHEAD;
    bits_ahead(seed, stream, a, (uint64_t)i, bits);
    for (int64_t k = 0; k < n; k++) {
        uint64_t b = (uint64_t)(i - k), range = b + 1;
        smr_u128 product = (smr_u128)bits[k] * range;
        with[k] = (uint64_t)product >= range ? (int64_t)(product >> 64)
                                             : smr_random_below(seed, stream, a, b, i - k + 1);
    }
    return n;
}

void smr_random_permutation(uint64_t seed, smr_stream stream, uint64_t a, int64_t n, int64_t *order)
{
    int64_t with[AHEAD];
    for (int64_t i = 0; i < n; i++) order[i] = i;
    for (int64_t i = n - 1, drawn; i > 0; i -= drawn) {
        drawn = draw_ahead(seed, stream, a, i, with);
        for (int64_t k = 0; k < drawn; k++) __builtin_prefetch(order + with[k], 1);
        for (int64_t k = 0; k < drawn; k++) {
            int64_t t = order[i - k];
            order[i - k] = order[with[k]];
            order[with[k]] = t;
        }
    }
}

void smr_random_shuffle(uint64_t seed, smr_stream stream, uint64_t a, int64_t n, int64_t width,
                        double *x)
{
    int64_t with[AHEAD];
    for (int64_t i = n - 1, drawn; i > 0; i -= drawn) {
        drawn = draw_ahead(seed, stream, a, i, with);
        for (int64_t k = 0; k < drawn; k++) __builtin_prefetch(x + with[k] * width, 1);
        for (int64_t k = 0; k < drawn; k++) {
            double *p = x + (i - k) * width, *q = x + with[k] * width;
            for (int64_t j = 0; j < width; j++) {
                double t = p[j];
                p[j] = q[j];
                q[j] = t;
            }
        }
    }
}
