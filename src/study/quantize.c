/* quantize.c -- see quantize.h: the picture comes in, errors are told. */
#include "study/quantize.h"

#include "kernel/kernel.h"
#include "study/quantize_parts.h"

#include <math.h>
#include <string.h>

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
                         smr_quantized *out, smr_json *into)
{
    smr_status st = SMR_OK;
    smr_block_code code = {0};
    smr_picture p = {0};
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

/* 8 bits, grey or colours. */
static smr_status make_plain(smr_ctx *ctx, const smr_quantize_opts *opts, const char *path,
                             smr_picture *p)
{
    smr_picture_how how = opts->how;
    if (!how.channels) how.channels = p->channels < 3 ? 1 : 3;
    if (smr_picture_has_opacity(p))
        smr_warn(ctx, "%s: its opacity is lost: it is quantised as it shows on white paper", path);
    if (p->bits == 16) smr_warn(ctx, "%s: its 16 bits a sample are rounded to 8", path);
    return smr_picture_fit(ctx, &how, p);
}

static smr_status quantise(smr_ctx *ctx, const char *path, int64_t bytes, smr_to_quantize *q)
{
    smr_status st = SMR_OK;
    TRY(make_plain(ctx, q->opts, path, &q->picture));
    smr_json_add_number(q->into, "width", (double)q->picture.width);
    smr_json_add_number(q->into, "height", (double)q->picture.height);
    smr_json_add_number(q->into, "channels", q->picture.channels);
    smr_json_add_number(q->into, "bytes_before", (double)bytes);
    TRY(q->opts->block_height ? smr_quantize_blocks(ctx, q) : smr_quantize_colours(ctx, q));
out:
    return st;
}

smr_status smr_quantize(smr_ctx *ctx, const char *path, const smr_quantize_opts *opts,
                        smr_quantized *out, smr_json *into)
{
    smr_status st = SMR_OK;
    smr_source *source = NULL;
    smr_to_quantize q = {.name = path, .opts = opts, .out = out, .into = into};
    char *bytes = NULL;
    int64_t n = 0;
    TRY(smr_source_open(ctx, path, &source));
    TRY(smr_source_whole(ctx, source, smr_ctx_memory_limit(ctx) / 2, &bytes, &n));
    if (smr_block_code_is(bytes, n)) {
        TRY(decode(ctx, path, bytes, n, out, into));
        goto out;
    }
    TRY(smr_picture_decode(ctx, smr_source_name(source), bytes, n, &q.picture));
    smr_json_add_string(into, "format", q.picture.format);
    TRY(quantise(ctx, path, n, &q));
out:
    smr_picture_release(&q.picture);
    smr_free(bytes);
    smr_source_close(source);
    return st;
}
