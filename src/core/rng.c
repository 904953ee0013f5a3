/* rng.c -- see rng.h. */
#include "core/rng.h"

#include "core/int128.h"

enum { ROUNDS = 10 };
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
    uint64_t range = (uint64_t)n, least = (0 - range) % range;
    for (uint64_t attempt = 0;; attempt++) {
        uint32_t r[4];
        smr_philox(seed ^ (attempt << 32), stream, a, b, r);
        for (int i = 0; i < 4; i += 2) {
            uint64_t bits = (uint64_t)r[i + 1] << 32 | r[i];
            smr_u128 product = (smr_u128)bits * range;
            if ((uint64_t)product >= least) return (int64_t)(product >> 64);
        }
    }
}

void smr_random_permutation(uint64_t seed, smr_stream stream, uint64_t a, int64_t n, int64_t *order)
{
    for (int64_t i = 0; i < n; i++) order[i] = i;
    for (int64_t i = n - 1; i > 0; i--) {
        int64_t j = smr_random_below(seed, stream, a, (uint64_t)i, i + 1);
        int64_t t = order[i];
        order[i] = order[j];
        order[j] = t;
    }
}
