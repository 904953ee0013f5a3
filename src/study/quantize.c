/* quantize.c -- see quantize.h: the picture comes in, errors are told. */
#include "study/quantize.h"

#include "kernel/kernel.h"
#include "study/quantize_parts.h"

#include <math.h>
#include <string.h>

enum { COLOURS = 16, BLOCKS = 256, MOST_SIDE = 256 };

void smr_quantized_init(smr_ctx *ctx, smr_quantized *q)
{
    q->picture = q->code = q->palette = (smr_text){.ctx = ctx};
}

void smr_quantized_release(smr_quantized *q)
{
    smr_text_release(&q->picture);
    smr_text_release(&q->code);
    smr_text_release(&q->palette);
}

void smr_quantize_tell_error(const smr_to_quantize *q, const uint8_t *values)
{
    const uint8_t *was = q->picture.values;
    int64_t n = smr_picture_samples(&q->picture), sum = 0;
    for (int64_t i = 0; i < n; i++) {
        int off = was[i] - values[i];
        sum += off * off;
    }
    double mse = (double)sum / (double)n;
    smr_json_add_number(q->into, "mse", mse);
    if (sum > 0)
        smr_json_add_number(q->into, "psnr", 10 * smr_log(255.0 * 255.0 / mse) / smr_log(10));
    else
        smr_json_add_null(q->into, "psnr");
}

smr_status smr_quantize_read_back(smr_ctx *ctx, const smr_text *file, const smr_picture *want)
{
    smr_status st = SMR_OK;
    smr_picture got = {0};
    TRY(smr_picture_decode(ctx, "what would be written", file->bytes, file->length, &got));
    bool same = got.height == want->height && got.width == want->width &&
                got.channels == want->channels && got.bits == 8 &&
                !memcmp(got.values, want->values, (size_t)smr_picture_samples(want));
    if (!same)
        TRY(smr_fail(ctx, SMR_ERR_INTERNAL,
                     "the picture that was written reads back as "
                     "another"));
out:
    smr_picture_release(&got);
    return st;
}

/* A code of blocks as the picture that it stands for. */
static smr_status decode(smr_ctx *ctx, const char *path, const char *bytes, int64_t n,
                         const smr_quantize_opts *o, smr_quantized *out, smr_json *into)
{
    smr_status st = SMR_OK;
    smr_block_code code = {0};
    smr_picture p = {0};
    if (o->k || o->settings || o->block_height || o->block_width || o->lab || o->dither ||
        o->grey || o->picture_size || o->picture_fit)
        TRY(smr_fail(ctx, SMR_ERR_PARAM,
                     "%s: is a code of blocks, and becomes a picture as it is; give no settings",
                     path));
    TRY(smr_block_code_read(ctx, path, bytes, n, &code));
    TRY(smr_block_code_paint(ctx, &code, &p));
    smr_png png = {
        .height = p.height, .width = p.width, .channels = p.channels, .values = p.values};
    TRY(smr_png_write(ctx, &png, &out->picture));
    TRY(smr_quantize_read_back(ctx, &out->picture, &p));
    smr_json_add_number(into, "width", (double)p.width);
    smr_json_add_number(into, "height", (double)p.height);
    smr_json_add_number(into, "blocks", (double)code.n);
    smr_json_add_number(into, "block_height", (double)code.block_height);
    smr_json_add_number(into, "block_width", (double)code.block_width);
    smr_json_add_number(into, "bytes_before", (double)n);
    smr_json_add_number(into, "bytes", (double)out->picture.length);
out:
    smr_picture_release(&p);
    smr_block_code_release(&code);
    return st;
}

/* What is wrong with any picture. */
static smr_status check(smr_ctx *ctx, const smr_quantize_opts *o, smr_picture_how *how)
{
    smr_status st = SMR_OK;
    int64_t h = o->block_height, w = o->block_width;
    TRY(smr_picture_how_read(ctx, o->picture_size, o->picture_fit, o->grey, how));
    if (!h && !w) return SMR_OK;
    if (h < 1 || w < 1 || h > MOST_SIDE || w > MOST_SIDE)
        TRY(smr_fail(ctx, SMR_ERR_PARAM, "block: sides are 1 to %d pixels, not %lld x %lld",
                     MOST_SIDE, (long long)h, (long long)w));
    if (o->lab || o->dither)
        TRY(smr_fail(ctx, SMR_ERR_PARAM, "%s is for colours, and blocks of pixels are wanted",
                     o->lab ? "space lab" : "dither"));
out:
    return st;
}

static smr_status quantise(smr_ctx *ctx, const char *path, int64_t bytes, smr_picture_how how,
                           smr_to_quantize *q)
{
    smr_status st = SMR_OK;
    TRY(smr_picture_make_plain(ctx, path, "quantised", how, &q->picture));
    smr_json_add_number(q->into, "width", (double)q->picture.width);
    smr_json_add_number(q->into, "height", (double)q->picture.height);
    smr_json_add_number(q->into, "channels", q->picture.channels);
    smr_json_add_number(q->into, "bytes_before", (double)bytes);
    TRY(q->opts->block_height ? smr_quantize_blocks(ctx, q) : smr_quantize_colours(ctx, q));
out:
    return st;
}

smr_status smr_quantize_bytes(smr_ctx *ctx, const char *name, const char *bytes, int64_t length,
                              const smr_quantize_opts *opts, smr_quantized *out, smr_json *into)
{
    smr_status st = SMR_OK;
    smr_picture_how how;
    smr_to_quantize q = {.name = name, .opts = opts, .out = out, .into = into};
    q.k = opts->k ? opts->k : opts->block_height ? BLOCKS : COLOURS;
    if (smr_block_code_is(bytes, length)) return decode(ctx, name, bytes, length, opts, out, into);
    TRY(check(ctx, opts, &how));
    TRY(smr_picture_decode(ctx, name, bytes, length, &q.picture));
    smr_json_add_string(into, "format", q.picture.format);
    TRY(quantise(ctx, name, length, how, &q));
out:
    smr_picture_release(&q.picture);
    return st;
}

smr_status smr_quantize(smr_ctx *ctx, const char *path, const smr_quantize_opts *opts,
                        smr_quantized *out, smr_json *into)
{
    smr_status st = SMR_OK;
    smr_source *source = NULL;
    char *bytes = NULL;
    int64_t n = 0;
    TRY(smr_source_open(ctx, path, &source));
    TRY(smr_source_whole(ctx, source, smr_ctx_memory_limit(ctx) / 2, &bytes, &n));
    TRY(smr_quantize_bytes(ctx, smr_source_name(source), bytes, n, opts, out, into));
out:
    smr_free(bytes);
    smr_source_close(source);
    return st;
}
