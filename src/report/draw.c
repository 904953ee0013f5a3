/* draw.c -- the <svg> element around a figure, its colours, and the writing of SVG.
 *
 * Elements carry classes, never colours; smr_draw_style gives the classes their colours, once for
 * light and once for dark.  A page includes the rules once, a file of its own carries them.  No
 * ids are used, so that any number of drawings fit in one page, and no variables of CSS,
 * which librsvg does not know.  Drawing the same figure gives the same bytes. */
#include "report/draw.h"
#include "report/draw_parts.h"

#include <math.h>
#include <string.h>

/* ---- writing ---------------------------------------------------------------------------- */

void smr_svg_length(smr_text *out, double v)
{
    char text[32];
    int n = 0;
    v = smr_fmax(-1e7, smr_fmin(1e7, v));
    int64_t tenths = (int64_t)nearbyint(v * 10);
    if (tenths < 0) text[n++] = '-';
    uint64_t size = (uint64_t)(tenths < 0 ? -tenths : tenths);
    char digits[24];
    int k = 0;
    for (uint64_t whole = size / 10; whole || k == 0; whole /= 10)
        digits[k++] = (char)('0' + whole % 10);
    while (k > 0) text[n++] = digits[--k];
    if (size % 10) {
        text[n++] = '.';
        text[n++] = (char)('0' + size % 10);
    }
    smr_text_add_bytes(out, text, n);
}

void smr_svg_attr(smr_text *out, const char *name, double v)
{
    smr_text_add(out, " ");
    smr_text_add(out, name);
    smr_text_add(out, "=\"");
    smr_svg_length(out, v);
    smr_text_add(out, "\"");
}

void smr_svg_rect(smr_text *out, double x, double y, double w, double h)
{
    smr_text_add(out, "<rect");
    smr_svg_attr(out, "x", x);
    smr_svg_attr(out, "y", y);
    smr_svg_attr(out, "width", w);
    smr_svg_attr(out, "height", h);
}

void smr_svg_text(smr_text *out, double x, double y, smr_words words, double room, const char *more)
{
    bool cut = false;
    smr_words shown = smr_words_fit(words, room / 12, &cut);
    smr_text_add(out, "<text");
    smr_svg_attr(out, "x", x);
    smr_svg_attr(out, "y", y);
    smr_text_add(out, more);
    smr_text_add(out, ">");
    if (cut) {
        smr_text_add(out, "<title>");
        smr_xml_add(out, words);
        smr_text_add(out, "</title>");
    }
    smr_xml_add(out, shown);
    smr_text_add(out, cut ? "\u2026</text>" : "</text>");
}

void smr_svg_line(smr_text *out, double x1, double y1, double x2, double y2)
{
    smr_text_add(out, "M");
    smr_svg_length(out, x1);
    smr_text_add(out, " ");
    smr_svg_length(out, y1);
    if (y1 == y2) {
        smr_text_add(out, "H");
        smr_svg_length(out, x2);
    } else if (x1 == x2) {
        smr_text_add(out, "V");
        smr_svg_length(out, y2);
    } else {
        smr_text_add(out, "L");
        smr_svg_length(out, x2);
        smr_text_add(out, " ");
        smr_svg_length(out, y2);
    }
}

/* ---- colours ---------------------------------------------------------------------------- */

/* Against the paper: text 4.5 : 1, marks 3 : 1, and the fullest shades of heat and cool (numbers
 * above and below zero) still 4.5 : 1 against the ink.  The eight colours stay apart for the common
 * kinds of colour blindness: they differ in lightness where they do not in hue (after Okabe and
 * Ito 2002). */
static const struct theme {
    const char *paper, *ink, *muted, *grid, *axis, *mark, *shade, *heat, *cool;
    const char *series[PLOT_COLOURS];
} themes[2] = {
    {"#ffffff",
     "#1a1f26",
     "#565f6b",
     "#e4e7eb",
     "#8a939e",
     "#6b7480",
     "#5b6675",
     "#6aa6d6",
     "#eaa275",
     {"#0072b2", "#d55e00", "#00835f", "#b5549a", "#8a6d00", "#4a4f57", "#6a51c9", "#8f3b1b"}},
    {"#14181d",
     "#e8ecf1",
     "#a5afbb",
     "#2b323b",
     "#6c7783",
     "#94a0ad",
     "#8fa0b3",
     "#1d6396",
     "#8a4719",
     {"#5cb8ee", "#ff9152", "#2fc79a", "#ea9fd0", "#e6bf4a", "#c3cad2", "#b3a1ff", "#e08a66"}},
};

static void add_rule(smr_text *out, const char *selector, const char *property, const char *value)
{
    smr_text_printf(out, ".smr %s{%s:%s}", selector, property, value);
}

void smr_draw_style(bool dark, smr_text *out)
{
    const struct theme *t = &themes[dark];
    add_rule(out, "text", "fill", t->muted);
    add_rule(out, ".ink", "fill", t->ink);
    add_rule(out, ".bg", "fill", t->paper);
    add_rule(out, ".halo", "stroke", t->paper);
    add_rule(out, ".grid", "stroke", t->grid);
    add_rule(out, ".axis", "stroke", t->axis);
    add_rule(out, ".mark", "stroke", t->mark);
    add_rule(out, ".whisk", "stroke", t->ink);
    add_rule(out, ".shade", "fill", t->shade);
    add_rule(out, ".heat", "fill", t->heat);
    add_rule(out, ".cool", "fill", t->cool);
    for (int i = 0; i < PLOT_COLOURS; i++)
        smr_text_printf(out, ".smr .s%d{color:%s}", i + 1, t->series[i]);
    smr_text_add(out, "\n");
}

/* ---- the element ------------------------------------------------------------------------ */

static void describe_axis(const char *which, const struct plot_axis *a, smr_text *out)
{
    char from[TICK_TEXT], to[TICK_TEXT];
    smr_text_printf(out, " The %s axis", which);
    if (a->label.n) {
        smr_text_add(out, " shows ");
        smr_xml_add(out, a->label);
    }
    if (a->scale == SCALE_NAMES) {
        smr_text_printf(out, ", with %lld name%s.", (long long)a->n_names,
                        smr_plural(a->n_names, "", "s"));
        return;
    }
    smr_plot_number(a->from, from);
    smr_plot_number(a->to, to);
    smr_text_printf(out, " from %s to %s%s.", from, to,
                    a->scale == SCALE_LOG ? " on a log scale" : "");
}

/* What is read to someone who does not see the drawing. */
static void describe(const struct plot *p, smr_text *out)
{
    enum { TOLD = 12 };
    smr_text_add(out, "<desc>");
    if (!p->has_data) smr_text_add(out, "There are no data.");
    for (int64_t i = 0; i < p->n_series && i < TOLD; i++) {
        const struct plot_series *s = &p->series[i];
        smr_text_add(out, i ? ", " : "Series: ");
        if (s->name.n) {
            smr_xml_add(out, s->name);
            smr_text_add(out, " ");
        }
        smr_text_printf(out, "(%s, %lld value%s)", smr_plot_kinds[s->kind], (long long)s->n,
                        smr_plural(s->n, "", "s"));
    }
    if (p->n_series > TOLD) smr_text_printf(out, " and %lld more", (long long)(p->n_series - TOLD));
    smr_text_add(out, p->n_series ? "." : "");
    describe_axis("x", &p->x, out);
    describe_axis("y", &p->y, out);
    smr_text_add(out, " ");
    smr_xml_add(out, p->note);
    smr_text_add(out, "</desc>");
}

void smr_svg_begin(smr_text *out, double width, double height, smr_words title, bool sized)
{
    smr_text_add(out, "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"smr\" role=\"img\"");
    if (sized) {
        smr_svg_attr(out, "width", width);
        smr_svg_attr(out, "height", height);
    }
    smr_text_add(out, " viewBox=\"0 0 ");
    smr_svg_length(out, width);
    smr_text_add(out, " ");
    smr_svg_length(out, height);
    smr_text_add(out, "\" font-family=\"system-ui, -apple-system, 'Segoe UI', Roboto, 'Helvetica "
                      "Neue', 'Noto Sans', Arial, sans-serif\" font-size=\"12\">");
    smr_text_add(out, "<title>");
    smr_xml_add(out, title);
    smr_text_add(out, "</title>");
}

void smr_svg_head(smr_text *out)
{
    smr_text_add(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
}

void smr_svg_paper(smr_text *out, double width, double height)
{
    smr_text_add(out, "\n<style>");
    smr_draw_style(false, out);
    smr_text_add(out, "@media screen and (prefers-color-scheme:dark){");
    smr_draw_style(true, out);
    smr_text_add(out, "}</style>\n<rect class=\"bg\"");
    smr_svg_attr(out, "width", width);
    smr_svg_attr(out, "height", height);
    smr_text_add(out, "/>\n");
}

static void open_element(const struct plot *p, const struct frame *f, bool inside, smr_text *out)
{
    if (!inside) smr_svg_head(out);
    smr_svg_begin(out, f->width, f->height, p->title.n ? p->title : p->name, !inside);
    describe(p, out);
    if (!inside) smr_svg_paper(out, f->width, f->height);
}

/* The data.  Areas and lines are cut off at the plot area; points are not, so that one on the edge
 * is whole. */
static smr_status draw_data(smr_ctx *ctx, const struct plot *p, const struct frame *f,
                            smr_text *out)
{
    const double edge = 1.5;
    smr_text_add(out, "<svg");
    smr_svg_attr(out, "x", f->left - edge);
    smr_svg_attr(out, "y", f->top - edge);
    smr_svg_attr(out, "width", f->w + 2 * edge);
    smr_svg_attr(out, "height", f->h + 2 * edge);
    smr_text_add(out, " viewBox=\"");
    smr_svg_length(out, -edge);
    smr_text_add(out, " ");
    smr_svg_length(out, -edge);
    smr_text_add(out, " ");
    smr_svg_length(out, f->w + 2 * edge);
    smr_text_add(out, " ");
    smr_svg_length(out, f->h + 2 * edge);
    smr_text_add(out, "\">\n");
    smr_status st = smr_series_draw(ctx, f, p, out);
    smr_text_add(out, "</svg>\n");
    return st == SMR_OK ? smr_points_draw(ctx, f, p, out) : st;
}

smr_status smr_figure_svg(smr_ctx *ctx, const smr_json *figure, const smr_figure_opts *opts,
                          smr_text *out)
{
    static const smr_figure_opts usual = {0};
    smr_status st = SMR_OK;
    struct plot p = {0};
    struct frame f = {0};
    if (!opts) opts = &usual;
    if (smr_figure_is_tree(figure)) return smr_tree_svg(ctx, figure, opts, out);
    if (smr_figure_is_graph(figure)) return smr_graph_svg(ctx, figure, opts, out);
    if (smr_figure_is_tiles(figure)) return smr_tiles_svg(ctx, figure, opts, out);
    TRY(smr_plot_read(ctx, figure, &p));
    TRY(smr_area_make(ctx, &p, opts, &f));
    open_element(&p, &f, opts->inside, out);
    smr_area_draw_back(&f, &p, out);
    TRY(draw_data(ctx, &p, &f, out));
    smr_area_draw_front(&f, &p, out);
    smr_text_add(out, "</svg>\n");
    TRY(smr_text_done(out));
out:
    smr_area_release(&f);
    smr_plot_release(&p);
    return st;
}
