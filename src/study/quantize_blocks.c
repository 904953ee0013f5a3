/* quantize_blocks.c -- a picture as few blocks of pixels. */
#include "learn/cluster/kmeans_code.h"
#include "study/quantize_parts.h"

#include <string.h>

enum { MOST = 65536 };

/* The blocks of the picture as rows; past its edge the edge is repeated. */
static smr_status cut(smr_ctx *ctx, const smr_picture *p, const smr_block_code *c, uint8_t **out)
{
    int64_t across = smr_blocks_across(c), n = smr_blocks_in(c), ch = p->channels;
    uint8_t *rows = smr_alloc_raw(ctx, n * smr_block_samples(c), 1), *to = rows;
    if (!rows) return SMR_ERR_NOMEM;
    for (int64_t b = 0; b < n; b++)
        for (int64_t i = 0; i < c->block_height; i++)
            for (int64_t j = 0; j < c->block_width; j++, to += ch) {
                int64_t y = SMR_MIN(b / across * c->block_height + i, p->height - 1);
                int64_t x = SMR_MIN(b % across * c->block_width + j, p->width - 1);
                memcpy(to, (uint8_t *)p->values + (y * p->width + x) * ch, (size_t)ch);
            }
    *out = rows;
    return SMR_OK;
}

/* Blocks of the book are the means of those that they stand for, rounded; none is without any. */
static smr_status take_means(smr_ctx *ctx, const uint8_t *rows, int64_t k, smr_block_code *c)
{
    smr_status st = SMR_OK;
    int64_t n = smr_blocks_in(c), d = smr_block_samples(c);
    int64_t *sum = NULL, *count = NULL;
    int32_t *number = NULL;
    TRY_NEW(sum, k * d);
    TRY_NEW(count, k);
    TRY_NEW(number, k);
    TRY_NEW(c->book, k * d);
    for (int64_t i = 0; i < n; i++) {
        count[c->place[i]]++;
        for (int64_t e = 0; e < d; e++) sum[c->place[i] * d + e] += rows[i * d + e];
    }
    c->n = 0;
    for (int64_t b = 0; b < k; b++) {
        if (!count[b]) continue;
        for (int64_t e = 0; e < d; e++)
            c->book[c->n * d + e] = (uint8_t)((sum[b * d + e] + count[b] / 2) / count[b]);
        number[b] = (int32_t)c->n++;
    }
    for (int64_t i = 0; i < n; i++) c->place[i] = number[c->place[i]];
out:
    smr_free(sum);
    smr_free(count);
    smr_free(number);
    return st;
}

/* The book as a picture: blocks in rows, white between them. */
static smr_status draw_book(smr_ctx *ctx, const smr_block_code *c, smr_text *out)
{
    smr_status st = SMR_OK;
    int64_t across = 1, ch = c->channels;
    while (across * across < c->n) across++;
    int64_t down = (c->n + across - 1) / across;
    int64_t width = across * (c->block_width + 1) + 1, height = down * (c->block_height + 1) + 1;
    uint8_t *values = NULL;
    TRY_NEW(values, width * height * ch);
    memset(values, 255, (size_t)(width * height * ch));
    for (int64_t b = 0; b < c->n; b++)
        for (int64_t i = 0; i < c->block_height; i++) {
            int64_t y = b / across * (c->block_height + 1) + 1 + i;
            int64_t x = b % across * (c->block_width + 1) + 1;
            memcpy(values + (y * width + x) * ch,
                   c->book + (b * c->block_height + i) * c->block_width * ch,
                   (size_t)(c->block_width * ch));
        }
    smr_png png = {.height = height, .width = width, .channels = (int)ch, .values = values};
    TRY(smr_png_write(ctx, &png, out));
out:
    smr_free(values);
    return st;
}

/* Reads the code's file back and shows the picture of that. */
static smr_status write_files(smr_ctx *ctx, const smr_to_quantize *q, const smr_block_code *c)
{
    smr_status st = SMR_OK;
    smr_block_code back = {0};
    smr_picture shown = {0}, again = {0};
    TRY(smr_block_code_write(ctx, c, &q->out->code));
    TRY(smr_block_code_read(ctx, "what would be written", q->out->code.bytes, q->out->code.length,
                            &back));
    TRY(smr_block_code_paint(ctx, c, &shown));
    TRY(smr_block_code_paint(ctx, &back, &again));
    if (memcmp(shown.values, again.values, (size_t)smr_picture_samples(&shown)) != 0)
        TRY(smr_fail(ctx, SMR_ERR_INTERNAL, "the code that was written reads back as another"));
    smr_png png = {.height = shown.height,
                   .width = shown.width,
                   .channels = shown.channels,
                   .values = shown.values};
    TRY(smr_png_write(ctx, &png, &q->out->picture));
    TRY(smr_quantize_read_back(ctx, &q->out->picture, &shown));
    TRY(draw_book(ctx, c, &q->out->palette));
    smr_quantize_tell_error(q, shown.values);
out:
    smr_block_code_release(&back);
    smr_picture_release(&shown);
    smr_picture_release(&again);
    return st;
}

static void tell(const smr_to_quantize *q, const smr_block_code *c, const smr_code_fit *fit)
{
    double pixels = (double)c->height * (double)c->width;
    double code = (double)smr_blocks_in(c) * smr_block_bits(c);
    double book = 8.0 * (double)(c->n * smr_block_samples(c));
    smr_json_add_number(q->into, "block_height", (double)c->block_height);
    smr_json_add_number(q->into, "block_width", (double)c->block_width);
    smr_json_add_number(q->into, "blocks_before", (double)smr_blocks_in(c));
    smr_json_add_number(q->into, "blocks", (double)c->n);
    smr_json_add_number(q->into, "iterations", (double)fit->n_iter);
    smr_json_add_bool(q->into, "converged", fit->converged);
    smr_json_add_number(q->into, "code_bits_per_pixel", code / pixels);
    smr_json_add_number(q->into, "book_bits_per_pixel", book / pixels);
    smr_json_add_number(q->into, "bytes", (double)q->out->code.length);
    smr_json_add_number(q->into, "bits_per_pixel", 8 * (double)q->out->code.length / pixels);
    smr_json_add_number(q->into, "bytes_png", (double)q->out->picture.length);
}

static smr_status check(smr_ctx *ctx, const smr_to_quantize *q, const smr_block_code *c)
{
    int64_t k = q->k, n = smr_blocks_in(c);
    if (k < 1 || k > MOST)
        return smr_fail(ctx, SMR_ERR_PARAM, "k: 1 to %d blocks, not %lld", MOST, (long long)k);
    if (k > n)
        return smr_fail(ctx, SMR_ERR_DATA,
                        "%s: %lld x %lld pixels have %lld blocks of %lld x %lld, of which k = %lld "
                        "cannot be made; give smaller blocks or a smaller k",
                        q->name, (long long)c->width, (long long)c->height, (long long)n,
                        (long long)c->block_height, (long long)c->block_width, (long long)k);
    return SMR_OK;
}

smr_status smr_quantize_blocks(smr_ctx *ctx, const smr_to_quantize *q)
{
    smr_status st = SMR_OK;
    const smr_picture *p = &q->picture;
    smr_block_code c = {.height = p->height,
                        .width = p->width,
                        .channels = p->channels,
                        .block_height = q->opts->block_height,
                        .block_width = q->opts->block_width};
    smr_code_fit fit = {0};
    smr_table *t = NULL;
    uint8_t *rows = NULL;
    TRY(check(ctx, q, &c));
    TRY(cut(ctx, p, &c, &rows));
    TRY_NEW(c.place, smr_blocks_in(&c));
    smr_dense view = {.values = rows,
                      .dtype = SMR_U8,
                      .n_rows = smr_blocks_in(&c),
                      .n_cols = smr_block_samples(&c),
                      .stride = smr_block_samples(&c)};
    TRY(smr_table_view(ctx, &view, NULL, &t));
    TRY(smr_kmeans_code(ctx, t, NULL, q->k, q->opts->settings, c.place, &fit));
    TRY(take_means(ctx, rows, q->k, &c));
    TRY(write_files(ctx, q, &c));
    tell(q, &c, &fit);
out:
    smr_table_free(t);
    smr_free(rows);
    smr_block_code_release(&c);
    return st;
}
