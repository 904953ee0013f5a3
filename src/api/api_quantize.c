/* api_quantize.c -- pictures in few colours, or as few blocks of pixels. */
#include "api/api_parts.h"
#include "study/quantize.h"

#include <string.h>

/* Of the file, or of the bytes where there is no path. */
static smr_status quantise(smr_ctx *ctx, const char *path, const char *bytes, int64_t length,
                           const smr_quantize_opts *opts, smr_quantized **out, char **json)
{
    smr_quantize_opts o = {.size = sizeof o};
    smr_status st = SMR_OK;
    smr_json_doc *doc = NULL;
    smr_quantized *made = NULL;
    TRY(SMR_TAKE_OPTS(ctx, smr_quantize_opts, opts, &o));
    TRY(smr_json_create(ctx, &doc));
    smr_json *root = smr_json_root(doc);
    TRY_NEW(made, 1);
    smr_quantized_init(ctx, made);
    TRY(path ? smr_quantize(ctx, path, &o, made, root)
             : smr_quantize_bytes(ctx, "picture", bytes, length, &o, made, root));
    if (json) TRY(smr_api_hand_over(ctx, doc, json));
    *out = made;
    made = NULL;
out:
    smr_json_free(doc);
    smr_quantized_free(made);
    return st;
}

smr_status smr_quantize_open(smr_ctx *ctx, const char *path, const smr_quantize_opts *opts,
                             smr_quantized **out, char **json)
{
    smr_begin_call(ctx);
    *out = NULL;
    if (json) *json = NULL;
    if (!path) return smr_fail(ctx, SMR_ERR_PARAM, "quantize: the name of the picture is NULL");
    return quantise(ctx, path, NULL, 0, opts, out, json);
}

smr_status smr_quantize_read(smr_ctx *ctx, const char *bytes, int64_t length,
                             const smr_quantize_opts *opts, smr_quantized **out, char **json)
{
    smr_begin_call(ctx);
    *out = NULL;
    if (json) *json = NULL;
    if (!bytes || length < 0)
        return smr_fail(ctx, SMR_ERR_PARAM,
                        "quantize: a picture has bytes and a length of 0 or more");
    return quantise(ctx, NULL, bytes, length, opts, out, json);
}

void smr_quantized_free(smr_quantized *quantized)
{
    if (!quantized) return;
    smr_quantized_release(quantized);
    smr_free(quantized);
}

const char *smr_quantized_file(const smr_quantized *quantized, smr_quantized_part part,
                               int64_t *length)
{
    const smr_text *const files[] = {&quantized->picture, &quantized->code, &quantized->palette};
    *length = 0;
    if ((unsigned)part > SMR_QUANTIZED_PALETTE || !files[part]->length) return NULL;
    *length = files[part]->length;
    return files[part]->bytes;
}

smr_status smr_quantized_pixels(smr_ctx *ctx, const smr_quantized *quantized, int64_t size[3],
                                uint8_t *pixels)
{
    smr_status st = SMR_OK;
    smr_picture p = {0};
    const smr_text *file = &quantized->picture;
    smr_begin_call(ctx);
    TRY(smr_picture_decode(ctx, "picture", file->bytes, file->length, &p));
    size[0] = p.height;
    size[1] = p.width;
    size[2] = p.channels;
    if (pixels) memcpy(pixels, p.values, (size_t)smr_picture_samples(&p));
out:
    smr_picture_release(&p);
    return st;
}
