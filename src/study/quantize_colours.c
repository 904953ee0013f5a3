/* quantize_colours.c -- a picture in few colours. */
#include "core/figure.h"
#include "core/parallel.h"
#include "core/sort.h"
#include "learn/cluster/kmeans_code.h"
#include "math/colour.h"
#include "study/quantize_parts.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { MOST = 256, ALL_COLOURS = 1 << 24, WORD = 64 };

struct work {
    const smr_to_quantize *q;
    int64_t n;       /* colours that occur, in order of red, green, blue */
    double *place;   /* n x 3: in the space                              */
    double *count;   /* n: pixels                                        */
    int32_t *colour; /* of each pixel: which of them                     */
    int32_t *label;  /* of each colour: which of the palette             */
    int64_t k;       /* colours of the palette                           */
    uint8_t palette[3 * MOST];
    double palette_place[3 * MOST];
    uint8_t *index;  /* of each pixel                                    */
    uint8_t *values; /* the picture                                      */
    smr_code_fit fit;
};

static void release(struct work *w)
{
    smr_free(w->place);
    smr_free(w->count);
    smr_free(w->colour);
    smr_free(w->label);
    smr_free(w->index);
    smr_free(w->values);
}

static void place_of(const struct work *w, const double rgb[3], double out[3])
{
    if (w->q->opts->lab)
        smr_lab_of_rgb(rgb, out);
    else
        memcpy(out, rgb, 3 * sizeof *out);
}

/* ---- the colours that occur ---------------------------------------------------------------- */

static uint32_t colour_at(const smr_picture *p, int64_t i)
{
    const uint8_t *v = p->values;
    if (p->channels == 1) return v[i] * 0x10101U;
    return (uint32_t)(v[3 * i] << 16 | v[3 * i + 1] << 8 | v[3 * i + 2]);
}

static int64_t rank_of(const uint64_t *seen, const int32_t *before, uint32_t colour)
{
    uint64_t below = seen[colour / WORD] & (((uint64_t)1 << colour % WORD) - 1);
    return before[colour / WORD] + __builtin_popcountll(below);
}

static smr_status gather(smr_ctx *ctx, struct work *w)
{
    smr_status st = SMR_OK;
    const smr_picture *p = &w->q->picture;
    int64_t n_pixels = p->height * p->width, n_words = ALL_COLOURS / WORD;
    uint64_t *seen = NULL;
    int32_t *before = NULL;
    TRY_NEW(seen, n_words);
    TRY_NEW(before, n_words);
    TRY_NEW(w->colour, n_pixels);
    for (int64_t i = 0; i < n_pixels; i++) {
        uint32_t c = colour_at(p, i);
        seen[c / WORD] |= (uint64_t)1 << c % WORD;
    }
    for (int64_t k = 0; k < n_words; k++) {
        before[k] = (int32_t)w->n;
        w->n += __builtin_popcountll(seen[k]);
    }
    TRY_NEW(w->place, 3 * w->n);
    TRY_NEW(w->count, w->n);
    TRY_NEW(w->label, w->n);
    for (int64_t i = 0; i < n_pixels; i++) {
        uint32_t c = colour_at(p, i);
        int64_t at = rank_of(seen, before, c);
        w->colour[i] = (int32_t)at;
        if (w->count[at]++ > 0) continue;
        const double rgb[] = {c >> 16, c >> 8 & 255, c & 255};
        place_of(w, rgb, w->place + 3 * at);
    }
out:
    smr_free(seen);
    smr_free(before);
    return st;
}

/* ---- the palette --------------------------------------------------------------------------- */

static uint8_t rounded(double x)
{
    return (uint8_t)(x < 0 ? 0 : x > 255 ? 255 : x + 0.5);
}

/* Darkest first; none twice. */
static smr_status keep_palette(smr_ctx *ctx, struct work *w, int64_t n, const uint8_t *rgb)
{
    smr_status st = SMR_OK;
    double *light = NULL;
    int64_t *order = NULL;
    TRY_NEW(light, n);
    TRY_NEW(order, n);
    for (int64_t c = 0; c < n; c++) { /* of equal lightness by colour */
        const uint8_t *v = rgb + 3 * c;
        light[c] = (299.0 * v[0] + 587.0 * v[1] + 114.0 * v[2]) * 0x1p24 +
                   (v[0] * 65536.0 + v[1] * 256.0 + v[2]);
    }
    TRY(smr_argsort_f64(ctx, n, light, order));
    w->k = 0;
    for (int64_t r = 0; r < n; r++) {
        const uint8_t *v = rgb + 3 * order[r];
        if (w->k && !memcmp(w->palette + 3 * (w->k - 1), v, 3)) continue;
        const double at[] = {v[0], v[1], v[2]};
        memcpy(w->palette + 3 * w->k, v, 3);
        place_of(w, at, w->palette_place + 3 * w->k++);
    }
out:
    smr_free(light);
    smr_free(order);
    return st;
}

/* The mean of each cluster, as a screen shows it. */
static smr_status take_means(smr_ctx *ctx, struct work *w, int64_t k)
{
    double sum[3 * MOST] = {0}, count[MOST] = {0};
    uint8_t rgb[3 * MOST];
    int64_t n = 0;
    for (int64_t i = 0; i < w->n; i++) {
        int32_t c = w->label[i];
        count[c] += w->count[i];
        for (int e = 0; e < 3; e++) sum[3 * c + e] += w->count[i] * w->place[3 * i + e];
    }
    for (int64_t c = 0; c < k; c++) {
        if (count[c] == 0) continue;
        double mean[3], shown[3];
        for (int e = 0; e < 3; e++) mean[e] = sum[3 * c + e] / count[c];
        memcpy(shown, mean, sizeof shown);
        if (w->q->opts->lab) smr_rgb_of_lab(mean, shown);
        for (int e = 0; e < 3; e++) rgb[3 * n + e] = rounded(shown[e]);
        n++;
    }
    return keep_palette(ctx, w, n, rgb);
}

static smr_status find_palette(smr_ctx *ctx, struct work *w)
{
    smr_status st = SMR_OK;
    int64_t k = w->q->k;
    smr_table *t = NULL;
    uint8_t few[3 * MOST];
    if (w->n <= k) { /* all of them */
        for (int64_t i = 0; i < w->q->picture.height * w->q->picture.width; i++) {
            uint32_t c = colour_at(&w->q->picture, i);
            for (int e = 0; e < 3; e++) few[3 * w->colour[i] + e] = (uint8_t)(c >> (16 - 8 * e));
        }
        w->fit.converged = true;
        return keep_palette(ctx, w, w->n, few);
    }
    smr_dense view = {
        .values = w->place, .dtype = SMR_F64, .n_rows = w->n, .n_cols = 3, .stride = 3};
    TRY(smr_table_view(ctx, &view, w->count, &t));
    TRY(smr_kmeans_code(ctx, t, "y", k, w->q->opts->settings, w->label, &w->fit));
    TRY(take_means(ctx, w, k));
out:
    smr_table_free(t);
    return st;
}

/* ---- pixels -------------------------------------------------------------------------------- */

static int32_t nearest(const struct work *w, const double x[3])
{
    int32_t best = 0;
    double least = INFINITY;
    for (int64_t c = 0; c < w->k; c++) {
        double d = 0;
        for (int e = 0; e < 3; e++) {
            double off = x[e] - w->palette_place[3 * c + e];
            d += off * off;
        }
        if (d >= least) continue;
        least = d;
        best = (int32_t)c;
    }
    return best;
}

enum { CHUNK = 4096 };

static smr_status assign_chunk(smr_ctx *ctx, void *arg, int64_t task, int lane)
{
    struct work *w = arg;
    (void)ctx;
    (void)lane;
    for (int64_t i = task * CHUNK; i < smr_block_end(w->n, CHUNK, task); i++)
        w->label[i] = nearest(w, w->place + 3 * i);
    return SMR_OK;
}

static smr_status assign(smr_ctx *ctx, struct work *w)
{
    smr_status st = SMR_OK;
    int64_t n = w->q->picture.height * w->q->picture.width;
    TRY(smr_parallel(ctx, "colours", smr_block_count(w->n, CHUNK), assign_chunk, w));
    for (int64_t i = 0; i < n; i++) w->index[i] = (uint8_t)w->label[w->colour[i]];
out:
    return st;
}

/* Errors of a row and of the one below, with a pixel at each end. */
static smr_status dither(smr_ctx *ctx, struct work *w)
{
    smr_status st = SMR_OK;
    const smr_picture *p = &w->q->picture;
    int64_t row = 3 * (p->width + 2);
    double *here = NULL, *below = NULL;
    TRY_NEW(here, row);
    TRY_NEW(below, row);
    for (int64_t y = 0; y < p->height; y++) {
        TRY(smr_tick(ctx, "dithering", y, p->height, NAN));
        for (int64_t x = 0; x < p->width; x++) {
            uint32_t c = colour_at(p, y * p->width + x);
            double want[3], place[3];
            double *at = here + 3 * (x + 1), *under = below + 3 * (x + 1);
            for (int e = 0; e < 3; e++) {
                want[e] = (c >> (16 - 8 * e) & 255) + at[e];
                want[e] = want[e] < 0 ? 0 : want[e] > 255 ? 255 : want[e];
            }
            place_of(w, want, place);
            int32_t k = nearest(w, place);
            w->index[y * p->width + x] = (uint8_t)k;
            for (int e = 0; e < 3; e++) {
                double off = want[e] - w->palette[3 * k + e];
                at[3 + e] += off * (7.0 / 16);
                under[e - 3] += off * (3.0 / 16);
                under[e] += off * (5.0 / 16);
                under[3 + e] += off * (1.0 / 16);
            }
        }
        memcpy(here, below, (size_t)row * sizeof *here);
        memset(below, 0, (size_t)row * sizeof *below);
    }
out:
    smr_free(here);
    smr_free(below);
    return st;
}

/* ---- what is written and told ---------------------------------------------------------------- */

/* A row of squares. */
static smr_status write_palette(smr_ctx *ctx, const struct work *w)
{
    enum { SIDE = 24, ACROSS = 16 };
    smr_status st = SMR_OK;
    int64_t across = SMR_MIN(w->k, ACROSS), down = (w->k + ACROSS - 1) / ACROSS;
    int64_t width = SIDE * across, height = SIDE * down;
    uint8_t *values = NULL;
    TRY_NEW(values, 3 * width * height);
    for (int64_t i = 0; i < width * height; i++) {
        int64_t c = i / width / SIDE * ACROSS + i % width / SIDE;
        for (int e = 0; e < 3; e++) values[3 * i + e] = c < w->k ? w->palette[3 * c + e] : 255;
    }
    smr_png png = {.height = height, .width = width, .channels = 3, .values = values};
    TRY(smr_png_write(ctx, &png, &w->q->out->palette));
out:
    smr_free(values);
    return st;
}

static smr_status write_picture(smr_ctx *ctx, struct work *w)
{
    smr_status st = SMR_OK;
    const smr_picture *p = &w->q->picture;
    int64_t n = p->height * p->width;
    uint8_t *colours = NULL;
    smr_png png = {.height = p->height,
                   .width = p->width,
                   .channels = 1,
                   .values = w->index,
                   .palette = w->palette,
                   .n_colours = (int)w->k};
    smr_picture want = {.height = p->height, .width = p->width, .channels = 3, .bits = 8};
    TRY_NEW(colours, 3 * n);
    TRY_NEW(w->values, p->channels * n);
    for (int64_t i = 0; i < n; i++) {
        memcpy(colours + 3 * i, w->palette + 3 * w->index[i], 3);
        memcpy(w->values + p->channels * i, colours + 3 * i, (size_t)p->channels);
    }
    want.values = colours;
    TRY(smr_png_write(ctx, &png, &w->q->out->picture));
    TRY(smr_quantize_read_back(ctx, &w->q->out->picture, &want));
out:
    smr_free(colours);
    return st;
}

static void name_of(const uint8_t *rgb, char out[8])
{
    snprintf(out, 8, "#%02x%02x%02x", rgb[0], rgb[1], rgb[2]);
}

static void draw(const struct work *w, const double *share, const char (*names)[8],
                 smr_json *figures)
{
    enum { SHOWN = 64 };
    smr_json *figure = smr_figure_add(figures, "shares", "Pixels of each colour of the palette",
                                      "Colours from dark to light.");
    smr_figure_axis(figure, "x", "share of the pixels", "linear");
    smr_json *list = smr_json_add_array(smr_figure_axis(figure, "y", "colour", "names"), "names");
    int64_t n = SMR_MIN(w->k, SHOWN);
    for (int64_t c = 0; c < n; c++) smr_json_add_string(list, NULL, names[c]);
    smr_figure_series(figure, "share", "hbars", n, share, NULL);
}

static smr_status tell(smr_ctx *ctx, const struct work *w)
{
    smr_status st = SMR_OK;
    const smr_to_quantize *q = w->q;
    int64_t n = q->picture.height * q->picture.width;
    double *share = NULL;
    char(*names)[8] = NULL;
    TRY_NEW(share, w->k);
    TRY_NEW(names, w->k);
    for (int64_t i = 0; i < n; i++) share[w->index[i]]++;
    for (int64_t c = 0; c < w->k; c++) share[c] /= (double)n;
    smr_json_add_number(q->into, "colours_before", (double)w->n);
    smr_json_add_number(q->into, "colours", (double)w->k);
    smr_json_add_string(q->into, "space", q->opts->lab ? "lab" : "rgb");
    smr_json_add_bool(q->into, "dither", q->opts->dither);
    smr_json_add_number(q->into, "iterations", (double)w->fit.n_iter);
    smr_json_add_bool(q->into, "converged", w->fit.converged);
    smr_json_add_number(q->into, "bytes", (double)q->out->picture.length);
    smr_json_add_number(q->into, "bits_per_pixel",
                        8.0 * (double)q->out->picture.length / (double)n);
    smr_quantize_tell_error(q, w->values);
    smr_json *list = smr_json_add_array(q->into, "palette");
    for (int64_t c = 0; c < w->k; c++) {
        smr_json *row = smr_json_add_object(list, NULL);
        name_of(w->palette + 3 * c, names[c]);
        smr_json_add_string(row, "colour", names[c]);
        smr_json_add_number(row, "share", share[c]);
    }
    draw(w, share, (const char(*)[8])names, smr_json_add_array(q->into, "figures"));
out:
    smr_free(share);
    smr_free(names);
    return st;
}

smr_status smr_quantize_colours(smr_ctx *ctx, const smr_to_quantize *q)
{
    smr_status st = SMR_OK;
    struct work *w = NULL;
    if (q->k < 1 || q->k > MOST)
        return smr_fail(ctx, SMR_ERR_PARAM,
                        "k: 1 to %d colours, which a palette can hold, not %lld", MOST,
                        (long long)q->k);
    TRY_NEW(w, 1);
    w->q = q;
    TRY(gather(ctx, w));
    TRY(find_palette(ctx, w));
    TRY_NEW(w->index, q->picture.height * q->picture.width);
    TRY(q->opts->dither ? dither(ctx, w) : assign(ctx, w));
    TRY(write_picture(ctx, w));
    TRY(write_palette(ctx, w));
    TRY(tell(ctx, w));
out:
    if (w) release(w);
    smr_free(w);
    return st;
}
