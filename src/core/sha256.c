/* sha256.c -- see sha256.h.
 *
 * The compression function exists in plain C and with the SHA instructions of x86, about five times
 * as fast.  The CPU is asked at the first call and the answer kept in an atomic, since a virtual
 * machine takes longer to ask than to compress a kilobyte; threads that ask at once are told the
 * same.  Names follow FIPS 180-4: a .. h, W, K. */
#include "core/sha256.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <string.h>

#if defined(__x86_64__)
#include <cpuid.h>
#include <immintrin.h>
#endif

/* The fractional parts of the cube roots of the first 64 primes. */
static const uint32_t K[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

/* ---- plain C ---------------------------------------------------------------------------- */

static uint32_t rotate(uint32_t x, int n)
{
    return x >> n | x << (32 - n);
}

static void expand(uint32_t W[64], const uint8_t *block)
{
    for (int t = 0; t < 16; t++)
        W[t] = (uint32_t)block[4 * t] << 24 | (uint32_t)block[4 * t + 1] << 16 |
               (uint32_t)block[4 * t + 2] << 8 | (uint32_t)block[4 * t + 3];
    for (int t = 16; t < 64; t++) {
        uint32_t s0 = rotate(W[t - 15], 7) ^ rotate(W[t - 15], 18) ^ W[t - 15] >> 3;
        uint32_t s1 = rotate(W[t - 2], 17) ^ rotate(W[t - 2], 19) ^ W[t - 2] >> 10;
        W[t] = W[t - 16] + s0 + W[t - 7] + s1;
    }
}

void smr_sha256_plain(uint32_t h[8], const uint8_t *blocks, size_t n_blocks)
{
    uint32_t W[64], v[8]; /* v: a .. h, of which round t finds a at -t modulo 8 */
    for (; n_blocks; n_blocks--, blocks += 64) {
        expand(W, blocks);
        memcpy(v, h, sizeof v);
#pragma GCC unroll 8
        for (int t = 0; t < 64; t++) {
            uint32_t a = v[-t & 7], b = v[(1 - t) & 7], c = v[(2 - t) & 7];
            uint32_t e = v[(4 - t) & 7], f = v[(5 - t) & 7], g = v[(6 - t) & 7];
            uint32_t S1 = rotate(e, 6) ^ rotate(e, 11) ^ rotate(e, 25), choose = g ^ (e & (f ^ g));
            uint32_t t1 = v[(7 - t) & 7] + S1 + choose + K[t] + W[t];
            uint32_t S0 = rotate(a, 2) ^ rotate(a, 13) ^ rotate(a, 22);
            v[(3 - t) & 7] += t1;
            v[(7 - t) & 7] = t1 + S0 + ((a & b) | (c & (a | b)));
        }
        for (int i = 0; i < 8; i++) h[i] += v[i];
    }
}

/* ---- SHA instructions ------------------------------------------------------------------- */

#if defined(__x86_64__)

/* Two registers hold the state as the instructions want it: (a b e f) and (c d g h). */
__attribute__((target("sha,sse4.1"))) static void compress_sha(uint32_t h[8], const uint8_t *blocks,
                                                               size_t n_blocks)
{
    const __m128i big_endian = _mm_set_epi64x(0x0c0d0e0f08090a0b, 0x0405060700010203);
    __m128i cdab = _mm_shuffle_epi32(_mm_loadu_si128((const __m128i *)(const void *)h), 0xB1);
    __m128i efgh = _mm_shuffle_epi32(_mm_loadu_si128((const __m128i *)(const void *)(h + 4)), 0x1B);
    __m128i abef = _mm_alignr_epi8(cdab, efgh, 8), cdgh = _mm_blend_epi16(efgh, cdab, 0xF0);

    for (; n_blocks; n_blocks--, blocks += 64) {
        __m128i W[4], old_abef = abef, old_cdgh = cdgh;
        for (int i = 0; i < 4; i++)
            W[i] = _mm_shuffle_epi8(
                _mm_loadu_si128((const __m128i *)(const void *)(blocks + 16 * i)), big_endian);
#pragma GCC unroll 16
        for (int r = 0; r < 16; r++) { /* rounds 4r .. 4r+3, and W for 16 rounds later */
            __m128i now = W[r & 3], last = W[(r + 3) & 3];
            __m128i kw =
                _mm_add_epi32(now, _mm_loadu_si128((const __m128i *)(const void *)(K + 4 * r)));
            cdgh = _mm_sha256rnds2_epu32(cdgh, abef, kw);
            abef = _mm_sha256rnds2_epu32(abef, cdgh, _mm_shuffle_epi32(kw, 0x0E));
            __m128i next = _mm_add_epi32(_mm_sha256msg1_epu32(now, W[(r + 1) & 3]),
                                         _mm_alignr_epi8(last, W[(r + 2) & 3], 4));
            W[r & 3] = _mm_sha256msg2_epu32(next, last);
        }
        abef = _mm_add_epi32(abef, old_abef);
        cdgh = _mm_add_epi32(cdgh, old_cdgh);
    }
    __m128i feba = _mm_shuffle_epi32(abef, 0x1B), dchg = _mm_shuffle_epi32(cdgh, 0xB1);
    _mm_storeu_si128((__m128i *)(void *)h, _mm_blend_epi16(feba, dchg, 0xF0));
    _mm_storeu_si128((__m128i *)(void *)(h + 4), _mm_alignr_epi8(dchg, feba, 8));
}

static bool has_sha(void)
{
    unsigned a, b, c, d;
    if (!__get_cpuid(1, &a, &b, &c, &d) || !(c & bit_SSE4_1)) return false;
    return __get_cpuid_count(7, 0, &a, &b, &c, &d) && (b & 1u << 29);
}

#endif

typedef void compress_fn(uint32_t h[8], const uint8_t *blocks, size_t n_blocks);

static compress_fn *fastest(void)
{
#if defined(__x86_64__)
    static _Atomic(compress_fn *) chosen;
    compress_fn *f = atomic_load_explicit(&chosen, memory_order_relaxed);
    if (f) return f;
    f = has_sha() ? compress_sha : smr_sha256_plain;
    atomic_store_explicit(&chosen, f, memory_order_relaxed);
    return f;
#else
    return smr_sha256_plain;
#endif
}

/* ---- the calls -------------------------------------------------------------------------- */

void smr_sha256_begin(smr_sha256 *s)
{
    /* The fractional parts of the square roots of the first eight primes. */
    static const uint32_t first[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                      0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
    memcpy(s->h, first, sizeof first);
    s->length = 0;
    s->compress = fastest();
}

void smr_sha256_add(smr_sha256 *s, const void *bytes, size_t length)
{
    const uint8_t *p = bytes;
    size_t held = s->length % 64;
    s->length += length;
    if (held) {
        size_t n = length < 64 - held ? length : 64 - held;
        if (n) memcpy(s->block + held, p, n);
        if (held + n < 64) return;
        s->compress(s->h, s->block, 1);
        p += n;
        length -= n;
    }
    if (length >= 64) s->compress(s->h, p, length / 64);
    if (length % 64) memcpy(s->block, p + length / 64 * 64, length % 64);
}

void smr_sha256_hex(smr_sha256 *s, char out[65])
{
    static const uint8_t pad[64] = {0x80};
    static const char digit[] = "0123456789abcdef";
    uint64_t bits = s->length * 8;
    uint8_t tail[8];
    for (int i = 0; i < 8; i++) tail[i] = (uint8_t)(bits >> (56 - 8 * i));
    smr_sha256_add(s, pad, 1 + (119 - s->length % 64) % 64); /* up to 56 modulo 64 */
    smr_sha256_add(s, tail, sizeof tail);
    for (int i = 0; i < 64; i++) out[i] = digit[s->h[i / 8] >> (28 - 4 * (i % 8)) & 15];
    out[64] = '\0';
}
