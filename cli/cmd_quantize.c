/* cmd_quantize.c -- samara quantize: a picture in few colours, or as few blocks of pixels. */
#include "commands.h"
#include "core/number.h"
#include "outputs.h"
#include "report/render.h"
#include "session.h"
#include "study/quantize.h"

#include <string.h>

static void show_sizes(const smr_json *root, smr_text *out)
{
    static const struct {
        const char *key, *words;
    } rows[] = {{"mse", "mean squared error"},
                {"psnr", "PSNR, dB"},
                {"bytes_before", "bytes before"},
                {"bytes", "bytes after"},
                {"bits_per_pixel", "bits per pixel"},
                {"code_bits_per_pixel", "of numbers, unpacked"},
                {"book_bits_per_pixel", "of the book, unpacked"},
                {"bytes_png", "bytes as a PNG"}};
    for (int64_t i = 0; i < SMR_COUNT(rows); i++) {
        const smr_json *v = smr_json_get(root, rows[i].key);
        if (!v) continue;
        smr_text_printf(out, "  %-22s ", rows[i].words);
        if (v->type == SMR_JSON_NUMBER)
            smr_text_rounded(out, v->number, strncmp(rows[i].key, "bytes", 5) == 0 ? 15 : 5);
        else
            smr_text_add(out, "no error");
        smr_text_add(out, "\n");
    }
}

static void show(const smr_json *root, int64_t most, smr_text *out)
{
    (void)most;
    smr_text_printf(out, "%s: %lld x %lld pixels, ", smr_json_get_string(root, "data", ""),
                    (long long)smr_json_get_number(root, "width", 0),
                    (long long)smr_json_get_number(root, "height", 0));
    if (smr_json_get(root, "colours"))
        smr_text_printf(out, "%lld of %lld colours%s\n",
                        (long long)smr_json_get_number(root, "colours", 0),
                        (long long)smr_json_get_number(root, "colours_before", 0),
                        smr_json_get_bool(root, "dither", false) ? ", dithered" : "");
    else if (smr_json_get(root, "blocks_before"))
        smr_text_printf(out, "%lld of %lld blocks of %lld x %lld\n",
                        (long long)smr_json_get_number(root, "blocks", 0),
                        (long long)smr_json_get_number(root, "blocks_before", 0),
                        (long long)smr_json_get_number(root, "block_height", 0),
                        (long long)smr_json_get_number(root, "block_width", 0));
    else
        smr_text_printf(out, "out of a book of %lld blocks\n",
                        (long long)smr_json_get_number(root, "blocks", 0));
    show_sizes(root, out);
    const smr_json *palette = smr_json_get(root, "palette");
    if (palette && palette->n <= 32) smr_render_table(palette, 2, 0, out);
}

/* "4x4" */
static smr_status read_block(smr_ctx *ctx, const char *text, smr_quantize_opts *o)
{
    const char *end = text + strlen(text), *at = smr_parse_int(text, end, &o->block_height);
    if (at && at < end && *at == 'x') at = smr_parse_int(at + 1, end, &o->block_width);
    if (at != end || o->block_height < 1 || o->block_width < 1)
        return smr_fail(ctx, SMR_ERR_PARAM,
                        "--block: '%s' is not height x width of a block, such as 4x4", text);
    return SMR_OK;
}

static smr_status read_opts(smr_ctx *ctx, const args *a, smr_quantize_opts *o)
{
    smr_status st = SMR_OK;
    if (a->block) TRY(read_block(ctx, a->block, o));
    if (a->colours == 0) TRY(smr_fail(ctx, SMR_ERR_PARAM, "k: 1 or more, not 0"));
    o->k = a->colours > 0 ? a->colours : 0;
    o->picture_size = a->size;
    o->picture_fit = a->fit;
    o->grey = a->grey;
    o->settings = a->n_words > 2 ? a->words[2] : NULL;
    o->dither = a->dither;
    o->lab = a->space && strcmp(a->space, "lab") == 0;
    if (a->space && !o->lab && strcmp(a->space, "rgb") != 0)
        TRY(smr_fail(ctx, SMR_ERR_PARAM, "--space: rgb or lab, not '%s'", a->space));
    if (a->block && a->space)
        TRY(smr_fail(ctx, SMR_ERR_PARAM, "--space is for colours, and --block is given"));
out:
    return st;
}

static smr_status check_names(smr_ctx *ctx, const args *a)
{
    bool code = a->output && outputs_ends_in(a->output, ".vq");
    if (code && !a->block)
        return smr_fail(ctx, SMR_ERR_PARAM,
                        "%s: a .vq file holds blocks: give --block 4x4, or a "
                        "name that ends in .png",
                        a->output);
    if (a->output && !code && !outputs_ends_in(a->output, ".png"))
        return smr_fail(ctx, SMR_ERR_PARAM, "%s: the name must end in .png%s", a->output,
                        a->block ? ", or for the code in .vq" : "");
    if (a->palette && !outputs_ends_in(a->palette, ".png"))
        return smr_fail(ctx, SMR_ERR_PARAM, "%s: the name must end in .png", a->palette);
    return SMR_OK;
}

/* A code has its blocks already. */
static smr_status check_decoding(smr_ctx *ctx, const args *a, const smr_json *root)
{
    if (smr_json_get(root, "format") || !(a->palette || a->space)) return SMR_OK;
    return smr_fail(ctx, SMR_ERR_PARAM,
                    "%s: is a code of blocks, and becomes a picture as it is; --%s is for pictures",
                    a->words[1], a->palette ? "palette" : "space");
}

smr_status run_quantize(smr_ctx *ctx, args *a)
{
    smr_status st = SMR_OK;
    smr_json_doc *doc = NULL;
    smr_quantized q;
    smr_quantize_opts opts = {.size = sizeof opts};
    smr_quantized_init(ctx, &q);
    TRY(read_opts(ctx, a, &opts));
    TRY(check_names(ctx, a));
    TRY(smr_json_create(ctx, &doc));
    smr_json *root = smr_json_root(doc);
    smr_json_add_string(root, "command", "quantize");
    smr_json_add_string(root, "data", a->words[1]);
    TRY(smr_quantize(ctx, a->words[1], &opts, &q, root));
    TRY(check_decoding(ctx, a, root));
    session_add_warnings(root);
    if (a->output)
        TRY(outputs_write(ctx, a->output,
                          outputs_ends_in(a->output, ".vq") ? &q.code : &q.picture));
    if (a->palette) TRY(outputs_write(ctx, a->palette, &q.palette));
    TRY(session_finish(ctx, a, root, show));
    if (a->output) TRY(session_wrote(ctx, a, a->output));
    if (a->palette) TRY(session_wrote(ctx, a, a->palette));
out:
    smr_json_free(doc);
    smr_quantized_release(&q);
    return st;
}
