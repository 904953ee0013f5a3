/* draw_tiles.c -- figures of pictures side by side (core/figure.h), each with its label below.
 *
 * Tiles of one figure have one scale, so that they can be compared; a pixel is a whole number of
 * pixels of the drawing, where the tiles are small enough.  Signed numbers are white at 0, and
 * have the colours of heat and cool where they are largest. */
#include "report/draw_parts.h"

#include <math.h>

static const double LABEL = 10.5, LABEL_LINE = 14, GAP = 8, USUAL_WIDTH = 608, USUAL_TILE = 84,
                    MOST_LABEL = 108, MOST_SCALE = 16;
enum { MOST_TILES = 1024, MOST_SIDE = 4096, MOST_VALUES = 1 << 24 };

struct tile {
    smr_words label;
    const smr_json *value;
    int64_t height, width, n; /* n: numbers */
    int channels;
    double least, most, mean; /* of its numbers; NaN: it has none */
};

struct tiles {
    int64_t n, largest; /* numbers of the largest */
    struct tile *tile;
    uint8_t *bytes; /* 3 x largest */
    double from, to;
    bool is_signed;
    struct sheet sheet;
    double scale, cell_w, cell_h; /* of the drawing for a pixel; of a tile with its label */
    double top;                   /* where the first tiles are */
    int64_t across;
};

bool smr_figure_is_tiles(const smr_json *figure)
{
    const smr_json *list = smr_json_get(figure, "tiles");
    return list && list->type == SMR_JSON_ARRAY;
}

/* ---- reading ------------------------------------------------------------------------------ */

static smr_status no_tiles(smr_ctx *ctx, const char *why)
{
    return smr_fail(ctx, SMR_ERR_PARAM, "a figure of tiles cannot be drawn: %s", why);
}

/* A whole number 1 .. most, or 0. */
static int64_t size_at(const smr_json *json, const char *key, double usual, int64_t most)
{
    double v = smr_json_get_number(json, key, usual);
    return v >= 1 && v <= (double)most && v == floor(v) ? (int64_t)v : 0;
}

static smr_status read_tile(smr_ctx *ctx, const smr_json *json, struct tile *t)
{
    double sum = 0;
    int64_t n = 0;
    if (json->type != SMR_JSON_OBJECT) return no_tiles(ctx, "a tile is no object");
    t->label = smr_words_json(smr_json_get(json, "label"));
    t->value = smr_json_get(json, "value");
    t->height = size_at(json, "height", 0, MOST_SIDE);
    t->width = size_at(json, "width", 0, MOST_SIDE);
    t->channels = (int)size_at(json, "channels", 1, 3);
    if (!t->height || !t->width) return no_tiles(ctx, "a side of a tile is not 1 to 4096 pixels");
    if (t->channels != 1 && t->channels != 3)
        return no_tiles(ctx, "a tile has neither one channel nor three");
    t->n = t->height * t->width * t->channels;
    if (!t->value || t->value->type != SMR_JSON_ARRAY || t->value->n != t->n)
        return no_tiles(ctx, "a tile does not have as many values as pixels");
    t->least = t->most = t->mean = NAN;
    for (const smr_json *e = t->value->first; e; e = e->next) {
        if (e->type != SMR_JSON_NUMBER || !isfinite(e->number)) continue;
        t->least = n ? smr_fmin(t->least, e->number) : e->number;
        t->most = n ? smr_fmax(t->most, e->number) : e->number;
        sum += e->number;
        n++;
    }
    if (n) t->mean = sum / (double)n;
    return SMR_OK;
}

static void find_range(const smr_json *figure, struct tiles *t)
{
    double least = INFINITY, most = -INFINITY;
    for (int64_t i = 0; i < t->n; i++) {
        if (isnan(t->tile[i].least)) continue;
        least = smr_fmin(least, t->tile[i].least);
        most = smr_fmax(most, t->tile[i].most);
    }
    t->from = smr_json_get_number(figure, "from", least);
    t->to = smr_json_get_number(figure, "to", most);
    t->is_signed = smr_json_get_bool(figure, "signed", false);
    if (t->is_signed) t->to = smr_fmax(fabs(t->from), fabs(t->to));
    if (t->is_signed) t->from = -t->to;
    if (!(t->from < t->to) || !isfinite(t->to - t->from)) t->to = t->from + 1; /* all are one */
}

static smr_status read_tiles(smr_ctx *ctx, const smr_json *figure, struct tiles *t)
{
    smr_status st = SMR_OK;
    const smr_json *list = smr_json_get(figure, "tiles");
    int64_t i = 0, sum = 0;
    if (list->n == 0) return no_tiles(ctx, "it has none");
    if (list->n > MOST_TILES) return no_tiles(ctx, "it has more than 1024");
    t->n = list->n;
    TRY_NEW(t->tile, t->n);
    for (const smr_json *e = list->first; e; e = e->next, i++) {
        TRY(read_tile(ctx, e, &t->tile[i]));
        t->largest = SMR_MAX(t->largest, t->tile[i].n);
        sum += t->tile[i].n;
    }
    if (sum > MOST_VALUES) TRY(no_tiles(ctx, "it has more than 16,777,216 values"));
    find_range(figure, t);
    TRY_NEW(t->bytes, 3 * t->largest);
out:
    return st;
}

static void release_tiles(struct tiles *t)
{
    smr_free(t->tile);
    smr_free(t->bytes);
}

/* ---- layout ------------------------------------------------------------------------------- */

/* A whole number of pixels for each, or the share that fits the largest into the drawing. */
static double scale_of(const struct tiles *t, int64_t side, double room)
{
    double tile = smr_fmin(USUAL_TILE, room);
    if (t->n == 1) tile = smr_fmin(room, 3 * USUAL_TILE);
    double scale = tile / (double)side;
    if (scale >= 1) return smr_fmin(MOST_SCALE, floor(scale));
    return smr_fmin(1, room / (double)side);
}

static void lay_out(struct tiles *t, double width)
{
    double room =
        smr_fmax(120, (width > 0 ? width : USUAL_WIDTH + 2 * t->sheet.pad) - 2 * t->sheet.pad);
    int64_t h = 1, w = 1;
    double label = 0;
    for (int64_t i = 0; i < t->n; i++) {
        h = SMR_MAX(h, t->tile[i].height);
        w = SMR_MAX(w, t->tile[i].width);
        label = smr_fmax(label, LABEL * smr_words_width(t->tile[i].label) + 1);
    }
    t->scale = scale_of(t, SMR_MAX(h, w), room);
    t->cell_w = smr_fmax(ceil(t->scale * (double)w), smr_fmin(label, MOST_LABEL));
    t->cell_h = ceil(t->scale * (double)h) + (label > 0 ? LABEL_LINE + 2 : 0);
    t->across = SMR_MAX(1, (int64_t)((room + GAP) / (t->cell_w + GAP)));
    int64_t square = (int64_t)ceil(sqrt((double)t->n));
    if (label == 0 && square * 2 <= t->across) t->across = SMR_MIN(t->across, square * 2);
    t->across = SMR_MIN(t->across, t->n);
    int64_t down = (t->n + t->across - 1) / t->across;
    t->top = smr_sheet_open(&t->sheet, (double)t->across * (t->cell_w + GAP) - GAP);
    smr_sheet_close(&t->sheet, t->top + (double)down * (t->cell_h + GAP) - GAP);
}

/* ---- drawing ------------------------------------------------------------------------------ */

/* Heat and cool of the light paper. */
static uint8_t tint(double share, int channel)
{
    static const double above[] = {0x1d, 0x63, 0x96}, below[] = {0x8a, 0x47, 0x19};
    double end = share < 0 ? below[channel] : above[channel];
    return (uint8_t)nearbyint(255 + (end - 255) * fabs(share));
}

/* The tile's numbers as bytes; gaps are white.  Returns the channels. */
static int make_bytes(const struct tiles *t, const struct tile *tile)
{
    bool tints = t->is_signed && tile->channels == 1;
    int64_t i = 0;
    for (const smr_json *e = tile->value->first; e; e = e->next, i++) {
        bool gap = e->type != SMR_JSON_NUMBER || isnan(e->number);
        double v = gap ? (tints ? 0 : t->to) : smr_fmax(t->from, smr_fmin(t->to, e->number));
        double share = (v - t->from) / (t->to - t->from);
        for (int k = 0; tints && k < 3; k++) t->bytes[3 * i + k] = tint(2 * share - 1, k);
        if (!tints) t->bytes[i] = (uint8_t)nearbyint(255 * share);
    }
    return tints ? 3 : tile->channels;
}

/* Pictures that are shown larger are made as large as on a screen of twice the pixels. */
static int64_t times_of(double scale)
{
    return scale >= 2 ? 2 * (int64_t)scale : 1;
}

static smr_status draw_tile(smr_ctx *ctx, const struct tiles *t, int64_t i, smr_text *out)
{
    const struct tile *tile = &t->tile[i];
    int64_t row = i / t->across, column = i % t->across;
    double x = t->sheet.pad + (double)column * (t->cell_w + GAP);
    double y = t->top + (double)row * (t->cell_h + GAP);
    double w = t->scale * (double)tile->width, h = t->scale * (double)tile->height;
    const struct pixels pixels = {t->bytes, tile->height, tile->width, times_of(t->scale),
                                  make_bytes(t, tile)};
    const double box[4] = {x + floor((t->cell_w - w) / 2), y, w, h};
    smr_status st = smr_pixels_draw(ctx, &pixels, box, out);
    smr_svg_rect(out, box[0], y, w, h);
    smr_text_add(out, " class=\"grid\" fill=\"none\"/>");
    if (tile->label.n)
        smr_svg_text(out, x + t->cell_w / 2, y + t->cell_h - 4, tile->label, t->cell_w * 12 / LABEL,
                     " font-size=\"10.5\" text-anchor=\"middle\"");
    smr_text_add(out, "\n");
    return st;
}

/* What is read to someone who does not see the drawing. */
static void describe(const struct tiles *t, smr_text *out)
{
    enum { TOLD = 40 };
    char from[TICK_TEXT], to[TICK_TEXT];
    smr_plot_number(t->from, from);
    smr_plot_number(t->to, to);
    smr_text_printf(out, "<desc>%lld picture%s, values from %s to %s.", (long long)t->n,
                    smr_plural(t->n, "", "s"), from, to);
    for (int64_t i = 0; i < t->n && i < TOLD; i++) {
        if (t->tile[i].label.n == 0) continue;
        smr_text_add(out, " ");
        smr_xml_add(out, t->tile[i].label);
        smr_text_add(out, ".");
    }
    smr_text_add(out, "</desc>");
}

smr_status smr_tiles_svg(smr_ctx *ctx, const smr_json *figure, const smr_figure_opts *opts,
                         smr_text *out)
{
    smr_status st = SMR_OK;
    struct tiles t = {0};
    smr_sheet_read(figure, opts->inside, &t.sheet);
    TRY(read_tiles(ctx, figure, &t));
    lay_out(&t, opts->width);
    smr_sheet_begin(&t.sheet, out);
    describe(&t, out);
    smr_sheet_words(&t.sheet, out);
    for (int64_t i = 0; i < t.n; i++) TRY(draw_tile(ctx, &t, i, out));
    smr_text_add(out, "</svg>\n");
    TRY(smr_text_done(out));
out:
    release_tiles(&t);
    return st;
}

/* ---- as rows ------------------------------------------------------------------------------ */

static void add_number(smr_json *row, const char *key, double v)
{
    if (isnan(v))
        smr_json_add_null(row, key);
    else
        smr_json_add_number(row, key, v);
}

smr_status smr_tiles_table(smr_ctx *ctx, const smr_json *figure, smr_json *rows)
{
    smr_status st = SMR_OK;
    struct tiles t = {0};
    TRY(read_tiles(ctx, figure, &t));
    for (int64_t i = 0; i < t.n; i++) {
        const struct tile *tile = &t.tile[i];
        smr_json *row = smr_json_add_object(rows, NULL);
        smr_json_add_number(row, "picture", (double)(i + 1));
        if (tile->label.n) smr_json_add_bytes(row, "label", tile->label.at, tile->label.n);
        smr_json_add_number(row, "height", (double)tile->height);
        smr_json_add_number(row, "width", (double)tile->width);
        add_number(row, "least", tile->least);
        add_number(row, "mean", tile->mean);
        add_number(row, "largest", tile->most);
    }
    st = smr_json_done(rows->doc);
out:
    release_tiles(&t);
    return st;
}
