/* mend_checksum.h -- gives bytes that a fuzzer changed their right checksum, so that it reaches
 * every check after that one. */
#ifndef SMR_FUZZ_MEND_CHECKSUM_H
#define SMR_FUZZ_MEND_CHECKSUM_H

#include "core/sha256.h"
#include "model/safetensors.h"

#include <string.h>

/* Writes the checksum of the bytes where their header has room for one. */
static void mend_checksum(char *bytes, int64_t n)
{
    uint64_t header = 0;
    char hex[65];
    smr_sha256 hash;
    if (n < 8) return;
    for (int k = 7; k >= 0; k--) header = header << 8 | (uint8_t)bytes[k];
    if (header > (uint64_t)(n - 8)) return;
    int64_t at = smr_safetensors_find_checksum(bytes + 8, (int64_t)header);
    if (at < 0 || at + 64 > (int64_t)header) return;
    memset(bytes + 8 + at, '0', 64);
    smr_sha256_begin(&hash);
    smr_sha256_add(&hash, bytes, (size_t)n);
    smr_sha256_hex(&hash, hex);
    memcpy(bytes + 8 + at, hex, 64);
}

#endif
