/* mend_checksum.h -- how model files and checkpoints are fuzzed: bytes that were changed get their
 * right checksum, so that the fuzzer reaches every check after that one, and half of the changes
 * put a number that is seldom expected in the place of another one. */
#ifndef SMR_FUZZ_MEND_CHECKSUM_H
#define SMR_FUZZ_MEND_CHECKSUM_H

#include "core/rng.h"
#include "core/sha256.h"
#include "model/safetensors.h"

#include <math.h>
#include <string.h>

/* Bytes of the header, after the first 8; -1: there are not as many. */
static int64_t header_size(const char *bytes, int64_t n)
{
    uint64_t size = 0;
    if (n < 8) return -1;
    for (int k = 7; k >= 0; k--) size = size << 8 | (uint8_t)bytes[k];
    return size > (uint64_t)(n - 8) ? -1 : (int64_t)size;
}

/* Writes the checksum of the bytes where their header has room for one. */
static void mend_checksum(char *bytes, int64_t n)
{
    int64_t header = header_size(bytes, n);
    char hex[65];
    smr_sha256 hash;
    if (header < 0) return;
    int64_t at = smr_safetensors_find_checksum(bytes + 8, header);
    if (at < 0 || at + 64 > header) return;
    memset(bytes + 8 + at, '0', 64);
    smr_sha256_begin(&hash);
    smr_sha256_add(&hash, bytes, (size_t)n);
    smr_sha256_hex(&hash, hex);
    memcpy(bytes + 8 + at, hex, 64);
}

/* ---- numbers that are seldom expected --------------------------------------------------- */

#ifdef FUZZING_BUILD_MODE_UNSAFE_FOR_PRODUCTION /* clang's, under -fsanitize=fuzzer */

size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t most);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned seed);

/* In the place of the number of 1, 4 or 8 bytes at `at`. */
static void put_number(uint8_t *at, int64_t size, unsigned which)
{
    static const double reals[] = {INFINITY, -INFINITY, NAN, 1e308, -1e308, 1e31, -1, 5e-324, 0.5};
    static const int64_t wholes[] = {INT64_MAX, INT64_MIN, INT32_MAX, INT32_MIN, UINT32_MAX, -1,
                                     0,         1,         2,         3,         1 << 20};
    double real = reals[which % 9];
    float small = (float)real;
    int64_t whole = wholes[which % 11];
    const void *from = which % 2 || size == 1 ? (void *)&whole : size == 4 ? (void *)&small : &real;
    memcpy(at, from, (size_t)size);
}

/* Every second time a number among the tensors, else whatever libFuzzer likes. */
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned seed)
{
    static const int64_t sizes[] = {8, 8, 4, 1};
    uint64_t bits = smr_random_bits(seed, SMR_STREAM_TEST, 0, 0);
    int64_t header = header_size((const char *)data, (int64_t)size), of = sizes[bits / 2 % 4];
    int64_t n = header < 0 ? 0 : ((int64_t)size - 8 - header) / of;
    if (bits % 2 || n <= 0) return LLVMFuzzerMutate(data, size, most);
    int64_t k = (int64_t)(bits / 8 % (uint64_t)n);
    put_number(data + 8 + header + k * of, of, (unsigned)(bits >> 48));
    return size;
}

#endif
#endif
