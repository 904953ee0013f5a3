/* fuzz_picture.c -- any bytes given as a picture: a PNG, JPEG or Netpbm file, or a code of blocks;
 * what is read is brought to another size, written as a PNG and read again. */
#include "fuzz_table.h"

#include "data/block_code.h"
#include "data/items.h"
#include "data/picture.h"

#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned seed);
size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max_size);

static uint32_t crc_of(const uint8_t *bytes, size_t n)
{
    uint32_t crc = ~(uint32_t)0;
    for (size_t i = 0; i < n; i++) {
        crc ^= bytes[i];
        for (int k = 0; k < 8; k++) crc = crc >> 1 ^ (crc & 1 ? 0xedb88320U : 0);
    }
    return ~crc;
}

/* Any change, and then the checksum of every PNG chunk made good, past which nothing else comes. */
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned seed)
{
    size_t n = LLVMFuzzerMutate(data, size, max_size), at = 8;
    (void)seed;
    if (n < 8 || memcmp(data, "\x89PNG", 4) != 0) return n;
    while (n - at >= 12) {
        size_t length = (size_t)data[at] << 24 | (size_t)data[at + 1] << 16 |
                        (size_t)data[at + 2] << 8 | data[at + 3];
        if (length > n - at - 12) break;
        uint32_t crc = crc_of(data + at + 4, length + 4);
        for (size_t k = 0; k < 4; k++) data[at + 8 + length + k] = (uint8_t)(crc >> (24 - 8 * k));
        at += length + 12;
    }
    return n;
}

static void use_picture(smr_ctx *ctx, smr_picture *p)
{
    smr_picture_how how = {.height = 5, .width = 7, .channels = 3, .crop = p->width & 1};
    smr_picture again = {0};
    smr_text out = {.ctx = ctx};
    FUZZ_CHECK(p->height >= 1 && p->width >= 1 && p->channels >= 1 && p->channels <= 4);
    FUZZ_CHECK(p->bits == 8 || p->bits == 16);
    if (smr_picture_fit(ctx, &how, p) != SMR_OK) return;
    smr_png png = {.height = 5, .width = 7, .channels = 3, .values = p->values};
    FUZZ_CHECK(smr_png_write(ctx, &png, &out) == SMR_OK);
    FUZZ_CHECK(smr_picture_decode(ctx, "again", out.bytes, out.length, &again) == SMR_OK);
    FUZZ_CHECK(memcmp(again.values, p->values, 5 * 7 * 3) == 0);
    smr_picture_release(&again);
    smr_text_release(&out);
}

static void use_code(smr_ctx *ctx, smr_block_code *code)
{
    smr_picture p = {0};
    smr_text out = {.ctx = ctx};
    if (smr_block_code_paint(ctx, code, &p) == SMR_OK)
        FUZZ_CHECK(smr_block_code_write(ctx, code, &out) == SMR_OK);
    smr_text_release(&out);
    smr_picture_release(&p);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    smr_ctx *ctx = NULL;
    smr_picture p = {0};
    smr_block_code code = {0};
    smr_status st;
    smr_ctx_opts opts = {.size = sizeof opts, .n_threads = 1, .memory_limit = 32 << 20};
    FUZZ_CHECK(smr_ctx_create(&opts, &ctx) == SMR_OK);
    if (smr_block_code_is((const char *)data, (int64_t)size)) {
        st = smr_block_code_read(ctx, "fuzz", (const char *)data, (int64_t)size, &code);
        if (st == SMR_OK) use_code(ctx, &code);
    } else {
        st = smr_picture_decode(ctx, "fuzz", (const char *)data, (int64_t)size, &p);
        FUZZ_CHECK((st == SMR_OK) == (p.values != NULL));
        if (st == SMR_OK) use_picture(ctx, &p);
    }
    FUZZ_CHECK(st == SMR_OK || *smr_ctx_message(ctx));
    smr_block_code_release(&code);
    smr_picture_release(&p);
    smr_pool_destroy(ctx);
    FUZZ_CHECK(smr_ctx_memory(ctx, NULL) == 0);
    smr_ctx_destroy(ctx);
    return 0;
}
