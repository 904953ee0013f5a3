/* draw_cells.c -- grids of numbers or classes over the whole plot area.
 *
 * Cells without text are merged: runs of one shade in a row, and equal runs of rows below one
 * another, become one rectangle; all rectangles of a shade are one path.  A region of 200 x 200
 * cells with a smooth border takes a few kilobytes. */
#include "report/draw_parts.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { SHADES = 32, MOST_CLASSES = 1000, NONE = -1 };

void smr_cells_range(const struct plot_series *s, double *lo, double *hi)
{
    *lo = INFINITY;
    *hi = -INFINITY;
    for (int64_t i = 0; i < s->n; i++) {
        if (isnan(s->y[i])) continue;
        *lo = smr_fmin(*lo, s->y[i]);
        *hi = smr_fmax(*hi, s->y[i]);
    }
    if (!(*lo <= *hi)) *lo = *hi = 0;
    if (*lo > 0) *lo = 0;
    if (*hi < 0) *hi = 0;
}

/* How full the colour of v is: -1 .. 1.  Numbers of one sign run from 0 to the largest; where both
 * signs are there, zero is the paper and each sign has its colour, on one scale. */
static double share_of(double v, double lo, double hi)
{
    double most = smr_fmax(fabs(lo), fabs(hi));
    return most > 0 ? smr_fmax(-1, smr_fmin(1, v / most)) : 0;
}

/* ---- merged cells ----------------------------------------------------------------------- */

static int shade_of(const struct plot_series *s, int64_t i, double lo, double hi)
{
    if (isnan(s->y[i])) return NONE;
    double share = share_of(s->y[i], lo, hi);
    int shade = (int)nearbyint((SHADES - 1) * fabs(share));
    if (!s->classes) return share < 0 && shade > 0 ? SHADES + shade : shade;
    double k = s->y[i];
    return k >= 0 && k < (double)s->classes->n && k < MOST_CLASSES ? (int)k : NONE;
}

struct edge {
    double w, h; /* of a cell */
};

static void add_block(smr_text *out, const struct edge *e, const int64_t at[4], int64_t ny,
                      bool down)
{
    double x1 = (double)at[0] * e->w, x2 = (double)at[1] * e->w;
    double y1 = (double)at[2] * e->h, y2 = (double)at[3] * e->h;
    if (!down) { /* row 0 is the lowest */
        y1 = ((double)ny - (double)at[3]) * e->h;
        y2 = ((double)ny - (double)at[2]) * e->h;
    }
    smr_text_add(out, "M");
    smr_svg_length(out, x1);
    smr_text_add(out, " ");
    smr_svg_length(out, y1);
    smr_text_add(out, "H");
    smr_svg_length(out, x2);
    smr_text_add(out, "V");
    smr_svg_length(out, y2);
    smr_text_add(out, "H");
    smr_svg_length(out, x1);
    smr_text_add(out, "z");
}

/* Whether row r has the run [from, to) of that shade, as a whole run. */
static bool has_run(const int *row, int64_t nx, int64_t from, int64_t to, int shade)
{
    if ((from > 0 && row[from - 1] == shade) || (to < nx && row[to] == shade)) return false;
    for (int64_t c = from; c < to; c++)
        if (row[c] != shade) return false;
    return true;
}

/* The rectangles of one shade; a run that continues one of the row above is part of it. */
static void add_blocks(const struct plot_series *s, const int *shades, int shade,
                       const struct edge *e, bool down, smr_text *out)
{
    for (int64_t r = 0; r < s->ny; r++) {
        const int *row = shades + r * s->nx;
        for (int64_t c = 0; c < s->nx; c++) {
            if (row[c] != shade) continue;
            int64_t end = c, below = r + 1;
            while (end < s->nx && row[end] == shade) end++;
            if (r == 0 || !has_run(row - s->nx, s->nx, c, end, shade)) {
                while (below < s->ny && has_run(shades + below * s->nx, s->nx, c, end, shade))
                    below++;
                const int64_t at[4] = {c, end, r, below};
                add_block(out, e, at, s->ny, down);
            }
            c = end;
        }
    }
}

/* The colour of a class is that of the series of its name, else its number. */
static int colour_of(const struct plot *p, const struct plot_series *s, int klass)
{
    const smr_json *name = s->classes->first;
    for (int k = 0; k < klass && name; k++) name = name->next;
    smr_words words = smr_words_json(name);
    for (int64_t i = 0; i < p->n_series && words.n; i++)
        if (p->series[i].kind != PLOT_CELLS && p->series[i].name.n == words.n &&
            memcmp(p->series[i].name.at, words.at, (size_t)words.n) == 0)
            return p->series[i].colour % PLOT_COLOURS;
    return klass % PLOT_COLOURS;
}

static void open_shade(const struct plot *p, const struct plot_series *s, int shade, smr_text *out)
{
    if (s->classes)
        smr_text_printf(out, "<g class=\"s%d\" fill=\"currentColor\" fill-opacity=\".3\">",
                        colour_of(p, s, shade) + 1);
    else {
        int hundredths = 4 + (96 * (shade % SHADES) + (SHADES - 1) / 2) / (SHADES - 1);
        smr_text_printf(out, "<g class=\"%s\" fill-opacity=\"%d.%02d\">",
                        shade < SHADES ? "heat" : "cool", hundredths / 100, hundredths % 100);
    }
    smr_text_add(out, "<path shape-rendering=\"crispEdges\" d=\"");
}

static smr_status draw_merged(smr_ctx *ctx, const struct frame *f, const struct plot *p,
                              const struct plot_series *s, smr_text *out)
{
    smr_status st = SMR_OK;
    int *shades = NULL, n_shades = s->classes ? MOST_CLASSES : 2 * SHADES;
    unsigned char used[MOST_CLASSES] = {0};
    double lo, hi;
    struct edge e = {f->w / (double)s->nx, f->h / (double)s->ny};
    TRY_NEW(shades, s->n);
    smr_cells_range(s, &lo, &hi);
    for (int64_t i = 0; i < s->n; i++) {
        shades[i] = shade_of(s, i, lo, hi);
        if (shades[i] >= 0) used[shades[i]] = 1;
    }
    for (int k = 0; k < n_shades; k++) {
        if (!used[k]) continue;
        open_shade(p, s, k, out);
        add_blocks(s, shades, k, &e, p->y.down, out);
        smr_text_add(out, "\"/></g>\n");
    }
out:
    smr_free(shades);
    return st;
}

/* ---- cells with numbers ----------------------------------------------------------------- */

/* True when every number has room in its cell. */
static bool numbers_fit(const struct plot_series *s, double w, double h)
{
    char text[TICK_TEXT];
    if (h < 15 || s->n > 4000) return false;
    for (int64_t i = 0; i < s->n; i++) {
        smr_plot_number(s->y[i], text);
        if (12 * smr_words_width(smr_words_of(text)) > w - 5) return false;
    }
    return true;
}

static void draw_cell(smr_text *out, const double box[4], double share)
{
    int hundredths = (int)nearbyint(5 + 95 * fabs(share));
    static const char *const names[] = {"x", "y", "width", "height"};
    smr_text_add(out, "<rect");
    for (int k = 0; k < 4; k++) smr_svg_attr(out, names[k], box[k]);
    smr_text_printf(out, " class=\"%s\" fill-opacity=\"%d.%02d\"/>", share < 0 ? "cool" : "heat",
                    hundredths / 100, hundredths % 100);
}

static void draw_numbers(const struct frame *f, const struct plot *p, const struct plot_series *s,
                         smr_text *out)
{
    double w = f->w / (double)s->nx, h = f->h / (double)s->ny, lo, hi;
    char text[TICK_TEXT];
    smr_cells_range(s, &lo, &hi);
    for (int part = 0; part < 2; part++) { /* all shades, then all numbers */
        smr_text_add(out, part ? "<g text-anchor=\"middle\">\n" : "<g>\n");
        for (int64_t i = 0; i < s->n; i++) {
            int64_t r = i / s->nx, c = i % s->nx;
            double x = (double)c * w, y = (double)(p->y.down ? r : s->ny - 1 - r) * h;
            const double box[4] = {x + 0.5, y + 0.5, w - 1, h - 1};
            if (isnan(s->y[i])) continue;
            if (part == 0) {
                draw_cell(out, box, share_of(s->y[i], lo, hi));
                continue;
            }
            smr_plot_number(s->y[i], text);
            smr_svg_text(out, x + w / 2, y + h / 2 + 4, smr_words_of(text), w,
                         s->y[i] != 0 ? " class=\"ink\"" : "");
        }
        smr_text_add(out, "</g>\n");
    }
}

smr_status smr_cells_draw(smr_ctx *ctx, const struct frame *f, const struct plot *p,
                          const struct plot_series *s, smr_text *out)
{
    bool text = s->text && !s->classes;
    if (text && numbers_fit(s, f->w / (double)s->nx, f->h / (double)s->ny)) {
        draw_numbers(f, p, s, out);
        return SMR_OK;
    }
    return draw_merged(ctx, f, p, s, out);
}
