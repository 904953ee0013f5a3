/* block_code.c -- see block_code.h. */
#include "data/block_code.h"

#include "data/picture_parts.h"
#ifndef SMR_NO_ZLIB
#include "data/zlib_lend.h"
#endif

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { HEADER = 26, VERSION = 1, MOST_BLOCK = 256, MOST_DEFLATED = 1032 };
static const char MAGIC[] = "SMRBLOCK";

int smr_block_bits(const smr_block_code *c)
{
    int bits = 0;
    while ((int64_t)1 << bits < c->n) bits++;
    return bits;
}

void smr_block_code_release(smr_block_code *c)
{
    smr_free(c->book);
    smr_free(c->place);
    *c = (smr_block_code){0};
}

bool smr_block_code_is(const char *bytes, int64_t n)
{
    return n >= 8 && !memcmp(bytes, MAGIC, 8);
}

smr_status smr_block_code_paint(smr_ctx *ctx, const smr_block_code *c, smr_picture *out)
{
    smr_status st = SMR_OK;
    int64_t across = smr_blocks_across(c), row = c->block_width * c->channels;
    *out = (smr_picture){.format = "blocks",
                         .height = c->height,
                         .width = c->width,
                         .channels = c->channels,
                         .bits = 8};
    TRY(smr_picture_take(ctx, out));
    uint8_t *to = out->values;
    for (int64_t y = 0; y < c->height; y++)
        for (int64_t x = 0; x < c->width; x += c->block_width) {
            int64_t b = c->place[y / c->block_height * across + x / c->block_width];
            int64_t n = SMR_MIN(c->block_width, c->width - x) * c->channels;
            memcpy(to + (y * c->width + x) * c->channels,
                   c->book + b * smr_block_samples(c) + y % c->block_height * row, (size_t)n);
        }
out:
    return st;
}

#ifndef SMR_NO_ZLIB

/* ---- writing ------------------------------------------------------------------------------ */

static int64_t packed_bytes(const smr_block_code *c)
{
    return (smr_blocks_in(c) * smr_block_bits(c) + 7) / 8;
}

static void put_number(uint8_t *to, int bytes, int64_t x)
{
    for (int k = 0; k < bytes; k++) to[k] = (uint8_t)(x >> (8 * (bytes - 1 - k)));
}

static smr_status deflate_all(smr_ctx *ctx, const uint8_t *bytes, int64_t n, smr_text *out)
{
    enum { STEP = 16 << 10, LEVEL = 9 };
    smr_status st = SMR_OK;
    z_stream z = {0};
    char *buffer = NULL;
    bool begun = false;
    int answer = Z_OK;
    TRY_NEW(buffer, STEP);
    smr_zlib_lend(ctx, &z);
    if (deflateInit(&z, LEVEL) != Z_OK) TRY(SMR_ERR_NOMEM);
    begun = true;
    z.next_in = (z_const Bytef *)(uintptr_t)bytes;
    z.avail_in = (uInt)n;
    while (answer == Z_OK) {
        z.next_out = (Bytef *)buffer;
        z.avail_out = STEP;
        answer = deflate(&z, Z_FINISH);
        smr_text_add_bytes(out, buffer, STEP - z.avail_out);
    }
    if (answer != Z_STREAM_END) TRY(smr_fail(ctx, SMR_ERR_INTERNAL, "zlib could not pack blocks"));
    TRY(smr_text_done(out));
out:
    if (begun) deflateEnd(&z);
    smr_free(buffer);
    return st;
}

smr_status smr_block_code_write(smr_ctx *ctx, const smr_block_code *c, smr_text *out)
{
    smr_status st = SMR_OK;
    uint8_t header[HEADER] = {0}, *plain = NULL;
    int64_t book = c->n * smr_block_samples(c), n = book + packed_bytes(c);
    int bits = smr_block_bits(c);
    if (n > UINT32_MAX) TRY(smr_fail(ctx, SMR_ERR_UNSUPPORTED, "the code has more than 4 GB"));
    memcpy(header, MAGIC, 8);
    header[8] = VERSION;
    header[9] = (uint8_t)c->channels;
    put_number(header + 10, 4, c->width);
    put_number(header + 14, 4, c->height);
    put_number(header + 18, 2, c->block_height);
    put_number(header + 20, 2, c->block_width);
    put_number(header + 22, 4, c->n);
    TRY_NEW(plain, n + 1);
    memcpy(plain, c->book, (size_t)book);
    for (int64_t i = 0; i < smr_blocks_in(c); i++)
        for (int b = 0; b < bits; b++) {
            int64_t at = i * bits + b;
            plain[book + at / 8] |= (uint8_t)((c->place[i] >> (bits - 1 - b) & 1) << (7 - at % 8));
        }
    smr_text_add_bytes(out, (const char *)header, HEADER);
    TRY(deflate_all(ctx, plain, n, out));
out:
    smr_free(plain);
    return st;
}

/* ---- reading ------------------------------------------------------------------------------ */

static smr_status damaged(smr_ctx *ctx, const char *name, const char *what)
{
    return smr_fail(ctx, SMR_ERR_FORMAT, "%s: a damaged code of blocks: %s", name, what);
}

static smr_status read_header(smr_ctx *ctx, const char *name, const uint8_t *b, int64_t n,
                              smr_block_code *c)
{
    if (n < HEADER) return damaged(ctx, name, "it is truncated");
    if (!smr_block_code_is((const char *)b, n) || b[8] != VERSION)
        return smr_fail(ctx, SMR_ERR_FORMAT, "%s: not a code of blocks of version %d", name,
                        VERSION);
    c->channels = b[9];
    c->width = smr_big_endian(b + 10, 4);
    c->height = smr_big_endian(b + 14, 4);
    c->block_height = smr_big_endian(b + 18, 2);
    c->block_width = smr_big_endian(b + 20, 2);
    c->n = smr_big_endian(b + 22, 4);
    if ((c->channels != 1 && c->channels != 3) || c->block_height < 1 || c->block_width < 1 ||
        c->block_height > MOST_BLOCK || c->block_width > MOST_BLOCK || c->n < 1 ||
        c->n > SMR_MAX_DIM)
        return damaged(ctx, name, "its header has sizes that no code has");
    return SMR_OK;
}

static smr_status inflate_all(smr_ctx *ctx, const char *name, const uint8_t *bytes, int64_t n,
                              uint8_t *to, int64_t n_to)
{
    z_stream z = {0};
    smr_zlib_lend(ctx, &z);
    if (inflateInit(&z) != Z_OK) return smr_fail(ctx, SMR_ERR_NOMEM, "%s: no memory", name);
    z.next_in = (z_const Bytef *)(uintptr_t)bytes;
    z.avail_in = (uInt)n;
    z.next_out = to;
    z.avail_out = (uInt)n_to;
    int answer = inflate(&z, Z_FINISH);
    bool whole = answer == Z_STREAM_END && z.avail_in == 0 && z.avail_out == 0;
    inflateEnd(&z);
    if (whole) return SMR_OK;
    if (answer == Z_MEM_ERROR) return smr_fail(ctx, SMR_ERR_NOMEM, "%s: no memory", name);
    return damaged(ctx, name, "its packed bytes are cut off, changed or followed by others");
}

static smr_status take_places(smr_ctx *ctx, const char *name, const uint8_t *packed,
                              smr_block_code *c)
{
    int bits = smr_block_bits(c);
    for (int64_t i = 0; i < smr_blocks_in(c); i++) {
        int64_t place = 0;
        for (int64_t at = i * bits; at < (i + 1) * bits; at++)
            place = place << 1 | (packed[at / 8] >> (7 - at % 8) & 1);
        if (place >= c->n) return damaged(ctx, name, "it names a block that is not in the book");
        c->place[i] = (int32_t)place;
    }
    return SMR_OK;
}

/* Memory for what the header promises, after the file was found to be long enough for it. */
static smr_status take_memory(smr_ctx *ctx, const char *name, int64_t n, smr_block_code *c,
                              uint8_t **plain, int64_t *length)
{
    smr_status st = SMR_OK;
    char what[400];
    smr_picture shape = {
        .height = c->height, .width = c->width, .channels = c->channels, .bits = 8};
    double blocks = ((double)c->width / (double)c->block_width + 1) *
                    ((double)c->height / (double)c->block_height + 1);
    double book = (double)c->n * (double)smr_block_samples(c);
    if (book > (double)MOST_DEFLATED * (double)n) TRY(damaged(ctx, name, "it is truncated"));
    TRY(smr_picture_check_size(ctx, name, &shape, 0));
    snprintf(what, sizeof what, "%.300s: the code of blocks", name);
    TRY(smr_memory_check(ctx, 2 * book + 8 * blocks, what, "raise --memory"));
    *length = c->n * smr_block_samples(c) + packed_bytes(c);
    if ((double)*length > (double)MOST_DEFLATED * (double)n || *length > UINT32_MAX)
        TRY(damaged(ctx, name, "it is truncated"));
    TRY_NEW(*plain, *length + 1);
    TRY_NEW(c->book, c->n * smr_block_samples(c));
    TRY_NEW(c->place, smr_blocks_in(c));
out:
    return st;
}

smr_status smr_block_code_read(smr_ctx *ctx, const char *name, const char *bytes, int64_t n,
                               smr_block_code *out)
{
    smr_status st = SMR_OK;
    const uint8_t *b = (const uint8_t *)bytes;
    uint8_t *plain = NULL;
    int64_t length = 0;
    *out = (smr_block_code){0};
    TRY(read_header(ctx, name, b, n, out));
    TRY(take_memory(ctx, name, n, out, &plain, &length));
    TRY(inflate_all(ctx, name, b + HEADER, n - HEADER, plain, length));
    memcpy(out->book, plain, (size_t)(out->n * smr_block_samples(out)));
    TRY(take_places(ctx, name, plain + out->n * smr_block_samples(out), out));
out:
    smr_free(plain);
    if (st != SMR_OK) smr_block_code_release(out);
    return st;
}

#else

static smr_status lacks_zlib(smr_ctx *ctx)
{
    return smr_fail(ctx, SMR_ERR_UNSUPPORTED, "codes of blocks need zlib, which is not built in");
}

smr_status smr_block_code_write(smr_ctx *ctx, const smr_block_code *c, smr_text *out)
{
    (void)c;
    (void)out;
    return lacks_zlib(ctx);
}

smr_status smr_block_code_read(smr_ctx *ctx, const char *name, const char *bytes, int64_t n,
                               smr_block_code *out)
{
    (void)name;
    (void)bytes;
    (void)n;
    *out = (smr_block_code){0};
    return lacks_zlib(ctx);
}

#endif
