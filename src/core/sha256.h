/* sha256.h -- SHA-256 (FIPS 180-4). */
#ifndef SMR_CORE_SHA256_H
#define SMR_CORE_SHA256_H

#include <stddef.h>
#include <stdint.h>

typedef struct smr_sha256 {
    uint32_t h[8];
    uint64_t length;
    uint8_t block[64];
    void (*compress)(uint32_t h[8], const uint8_t *blocks, size_t n_blocks);
} smr_sha256;

void smr_sha256_begin(smr_sha256 *s);
void smr_sha256_add(smr_sha256 *s, const void *bytes, size_t length);
/* 64 lower-case hexadecimal digits and a NUL. */
void smr_sha256_hex(smr_sha256 *s, char out[65]);

/* The compression in plain C, which runs on every CPU and which tests compare with: h <- h with n
 * blocks of 64 bytes. */
void smr_sha256_plain(uint32_t h[8], const uint8_t *blocks, size_t n_blocks);

#endif
