/* draw_series.c -- lines, steps, points, bands and bars.
 *
 * A series is one path, or a few: points of any number are drawn as dots of one path.  Where more
 * points fall on a pixel than can be seen, the file does not grow with them: a line keeps the
 * first, lowest, highest and last point of each column of pixels, a cloud one point per pixel. */
#include "report/draw_parts.h"

#include <math.h>
#include <string.h>

enum { SHAPES = 7, MARKED = 25, CROWD = 1500, HALOED = 400 };

const char *smr_series_dash(int i)
{
    static const char *const dashes[] = {"", "7 4", "2 3", "9 3 2 3", "4 2"};
    return dashes[i % SMR_COUNT(dashes)];
}

/* A line of few points shows them, and is told from others by their shape instead of dashes. */
static bool is_marked(const struct plot_series *s)
{
    return s->n <= MARKED && s->kind == PLOT_LINE;
}

static bool is_points(const struct plot_series *s)
{
    return s->kind == PLOT_POINTS || s->kind == PLOT_HPOINTS;
}

static void add_point(smr_text *out, double x, double y)
{
    smr_svg_length(out, x);
    smr_text_add(out, " ");
    smr_svg_length(out, y);
}

static void move_to(smr_text *out, double x, double y)
{
    smr_text_add(out, "M");
    add_point(out, x, y);
}

/* ---- markers ---------------------------------------------------------------------------- */

/* Shapes drawn by a stroke: the dot and the two crosses; the others are filled. */
static bool is_stroked(int shape)
{
    return shape == 0 || shape >= 5;
}

static void add_polygon(smr_text *out, double x, double y, const double (*corner)[2], int n)
{
    for (int i = 0; i < n; i++) {
        smr_text_add(out, i ? " " : "M");
        add_point(out, x + corner[i][0], y + corner[i][1]);
    }
    smr_text_add(out, "z");
}

static void add_marker(smr_text *out, int shape, double x, double y, double r)
{
    const double s = 0.88 * r, t = 1.2 * r;
    const double square[4][2] = {{-s, -s}, {s, -s}, {s, s}, {-s, s}};
    const double up[3][2] = {{0, -t}, {t, 0.8 * t}, {-t, 0.8 * t}};
    const double diamond[4][2] = {{0, -t}, {t, 0}, {0, t}, {-t, 0}};
    const double down[3][2] = {{0, t}, {t, -0.8 * t}, {-t, -0.8 * t}};
    switch (shape) {
    case 0:
        move_to(out, x, y);
        smr_text_add(out, "h0");
        break;
    case 1: add_polygon(out, x, y, square, 4); break;
    case 2: add_polygon(out, x, y, up, 3); break;
    case 3: add_polygon(out, x, y, diamond, 4); break;
    case 4: add_polygon(out, x, y, down, 3); break;
    case 5:
        smr_svg_line(out, x - s, y - s, x + s, y + s);
        smr_svg_line(out, x - s, y + s, x + s, y - s);
        break;
    default: smr_svg_line(out, x - r, y, x + r, y); smr_svg_line(out, x, y - r, x, y + r);
    }
}

static void open_markers(smr_text *out, int shape, double r, bool halo)
{
    double stroke = shape == 0 ? 2 * r : is_stroked(shape) ? 2 : 0;
    if (halo) stroke += 2.4;
    bool fill = !is_stroked(shape) && !halo;
    smr_text_printf(out, "<path fill=\"%s\"%s", fill ? "currentColor" : "none",
                    halo ? " class=\"halo\"" : "");
    if (!halo && is_stroked(shape)) smr_text_add(out, " stroke=\"currentColor\"");
    if (stroke > 0) {
        smr_svg_attr(out, "stroke-width", stroke);
        smr_text_add(out, " stroke-linecap=\"round\"");
    }
    smr_text_add(out, " d=\"");
}

/* ---- lines ------------------------------------------------------------------------------ */

struct place {
    double x, y;
};

struct pen {
    smr_text *out;
    bool down; /* a line was begun                                               */
    bool step; /* the value holds until the next point                           */
    int64_t n; /* points of the line so far                                      */
    struct place last;
    double column; /* of pixels; points of one column wait                           */
    struct place low, high, end;
    int64_t waiting;
};

static void draw_to(struct pen *pen, struct place to)
{
    if (!pen->down) {
        move_to(pen->out, to.x, to.y);
    } else if (pen->step) {
        smr_text_add(pen->out, "H");
        smr_svg_length(pen->out, to.x);
        smr_text_add(pen->out, "V");
        smr_svg_length(pen->out, to.y);
    } else if (fabs(to.x - pen->last.x) < 0.05 && fabs(to.y - pen->last.y) < 0.05) {
        return;
    } else {
        smr_text_add(pen->out, pen->n == 1 ? "L" : " ");
        add_point(pen->out, to.x, to.y);
    }
    pen->down = true;
    pen->n++;
    pen->last = to;
}

static void flush(struct pen *pen)
{
    if (pen->waiting > 1) {
        bool low_first = pen->low.x <= pen->high.x;
        draw_to(pen, low_first ? pen->low : pen->high);
        draw_to(pen, low_first ? pen->high : pen->low);
    }
    if (pen->waiting > 0) draw_to(pen, pen->end);
    pen->waiting = 0;
}

/* As draw_to, with the points of one column of pixels brought down to four. */
static void draw_thinned(struct pen *pen, struct place to)
{
    if (pen->waiting && floor(to.x) != pen->column) flush(pen);
    if (!pen->waiting) {
        pen->column = floor(to.x);
        pen->low = pen->high = to;
        draw_to(pen, to);
    }
    if (to.y > pen->low.y) pen->low = to;
    if (to.y < pen->high.y) pen->high = to;
    pen->end = to;
    pen->waiting++;
}

static void lift(struct pen *pen)
{
    flush(pen);
    if (pen->n == 1) smr_text_add(pen->out, "h0"); /* a point alone is a dot */
    pen->down = false;
    pen->n = 0;
}

/* The lines of this one series. */
static int64_t pieces_of(const struct plot_series *s)
{
    int64_t n = 0;
    bool in_gap = true;
    for (int64_t i = 0; i < s->n; i++) {
        bool gap = isnan(s->x[i]) || isnan(s->y[i]);
        n += in_gap && !gap;
        in_gap = gap;
    }
    return n;
}

/* Many curves under one name are what the others stand out from: they are thin. */
static bool is_bundle(const struct plot_series *s)
{
    enum { BUNDLE = 5 };
    return s->n > MARKED && pieces_of(s) >= BUNDLE;
}

static void draw_line(const struct frame *f, const struct plot *p, const struct plot_series *s,
                      smr_text *out)
{
    struct pen pen = {.out = out, .step = s->kind == PLOT_STEP};
    const char *dash = is_marked(s) ? "" : smr_series_dash(s->colour);
    smr_text_printf(out,
                    "<path fill=\"none\" stroke=\"currentColor\" stroke-width=\"%s\" "
                    "stroke-linejoin=\"round\" stroke-linecap=\"round\"",
                    is_bundle(s) ? "1\" stroke-opacity=\".45" : "2");
    if (*dash) smr_text_printf(out, " stroke-dasharray=\"%s\"", dash);
    smr_text_add(out, " d=\"");
    for (int64_t i = 0; i < s->n; i++) {
        struct place to = {smr_area_x(f, p, s->x[i]), smr_area_y(f, p, s->y[i])};
        if (isnan(to.x) || isnan(to.y))
            lift(&pen);
        else if (s->n > CROWD && !pen.step)
            draw_thinned(&pen, to);
        else
            draw_to(&pen, to);
    }
    lift(&pen);
    smr_text_add(out, "\"/>\n");
}

/* ---- points ----------------------------------------------------------------------------- */

static double radius_of(const struct plot_series *s)
{
    if (s->kind == PLOT_LINE) return 3.2;
    return s->n <= 60 ? 3.8 : s->n <= 600 ? 2.8 : 1.8;
}

static bool in_area(const struct frame *f, double x, double y)
{
    return x > -0.5 && x < f->w + 0.5 && y > -0.5 && y < f->h + 0.5;
}

static void draw_markers(const struct frame *f, const struct plot *p, const struct plot_series *s,
                         smr_text *out)
{
    int shape = s->colour % SHAPES;
    double r = radius_of(s);
    for (int halo = s->n <= HALOED; halo >= 0; halo--) {
        open_markers(out, shape, r, halo);
        for (int64_t i = 0; i < s->n; i++) {
            double x = smr_area_x(f, p, s->x[i]), y = smr_area_y(f, p, s->y[i]);
            if (in_area(f, x, y)) add_marker(out, shape, x, y, r);
        }
        smr_text_add(out, "\"/>\n");
    }
}

/* A circle that leaves room for a marker. */
static void add_ring(smr_text *out, double x, double y)
{
    const double r = 6.5;
    move_to(out, x - r, y);
    for (int half = 0; half < 2; half++)
        smr_text_printf(out, "a6.5 6.5 0 1 0 %s 0", half == 0 ? "13" : "-13");
}

static void open_rings(smr_text *out)
{
    smr_text_add(out, "<path fill=\"none\" stroke=\"currentColor\" stroke-width=\"1.5\" d=\"");
}

static void draw_rings(const struct frame *f, const struct plot *p, const struct plot_series *s,
                       smr_text *out)
{
    open_rings(out);
    for (int64_t i = 0; i < s->n; i++) {
        double x = smr_area_x(f, p, s->x[i]), y = smr_area_y(f, p, s->y[i]);
        if (in_area(f, x, y)) add_ring(out, x, y);
    }
    smr_text_add(out, "\"/>\n");
}

/* One point per pixel: what lies under it cannot be seen. */
static smr_status draw_crowd(smr_ctx *ctx, const struct frame *f, const struct plot *p,
                             const struct plot_series *s, smr_text *out)
{
    smr_status st = SMR_OK;
    int64_t w = (int64_t)f->w + 1, h = (int64_t)f->h + 1;
    unsigned char *taken = NULL;
    int shape = s->colour % SHAPES;
    TRY_NEW(taken, w * h);
    smr_text_add(out, "<g opacity=\".75\">");
    open_markers(out, shape, radius_of(s), false);
    for (int64_t i = 0; i < s->n; i++) {
        double x = smr_area_x(f, p, s->x[i]), y = smr_area_y(f, p, s->y[i]);
        if (!in_area(f, x, y)) continue;
        int64_t at = (int64_t)smr_fmax(0, y) * w + (int64_t)smr_fmax(0, x);
        if (at >= w * h || taken[at]) continue;
        taken[at] = 1;
        add_marker(out, shape, nearbyint(x), nearbyint(y), radius_of(s));
    }
    smr_text_add(out, "\"/></g>\n");
out:
    smr_free(taken);
    return st;
}

/* ---- whiskers, bands -------------------------------------------------------------------- */

/* From low to high, across the position `at`. */
static void add_whisker(smr_text *out, double at, double low, double high, bool across)
{
    const double cap = 3;
    if (isnan(at) || isnan(low) || isnan(high)) return;
    if (across) {
        smr_svg_line(out, low, at, high, at);
        smr_svg_line(out, low, at - cap, low, at + cap);
        smr_svg_line(out, high, at - cap, high, at + cap);
    } else {
        smr_svg_line(out, at, low, at, high);
        smr_svg_line(out, at - cap, low, at + cap, low);
        smr_svg_line(out, at - cap, high, at + cap, high);
    }
}

/* offset: how far a bar lies beside its position. */
static void draw_whiskers(const struct frame *f, const struct plot *p, const struct plot_series *s,
                          double offset, smr_text *out)
{
    bool across = smr_plot_is_across(s->kind);
    bool bar = s->kind == PLOT_HBARS || s->kind == PLOT_BARS;
    if (!s->low) return;
    smr_text_printf(out, "<path fill=\"none\"%s stroke-width=\"1.5\" d=\"",
                    bar ? " class=\"whisk\"" : " stroke=\"currentColor\"");
    for (int64_t i = 0; i < s->n; i++) {
        if (across)
            add_whisker(out, smr_area_y(f, p, s->y[i]) + offset, smr_area_x(f, p, s->low[i]),
                        smr_area_x(f, p, s->high[i]), true);
        else
            add_whisker(out, smr_area_x(f, p, s->x[i]) + offset, smr_area_y(f, p, s->low[i]),
                        smr_area_y(f, p, s->high[i]), false);
    }
    smr_text_add(out, "\"/>\n");
}

static bool in_band(const struct frame *f, const struct plot *p, const struct plot_series *s,
                    int64_t i)
{
    return !isnan(smr_area_x(f, p, s->x[i])) && !isnan(smr_area_y(f, p, s->low[i])) &&
           !isnan(smr_area_y(f, p, s->high[i]));
}

static void draw_band(const struct frame *f, const struct plot *p, const struct plot_series *s,
                      smr_text *out)
{
    if (!s->low) return;
    smr_text_add(out, "<path fill=\"currentColor\" fill-opacity=\".18\" d=\"");
    for (int64_t i = 0; i < s->n; i++) {
        if (!in_band(f, p, s, i)) continue;
        int64_t end = i;
        while (end < s->n && in_band(f, p, s, end)) end++;
        for (int64_t k = i; k < end; k++) {
            smr_text_add(out, k == i ? "M" : " ");
            add_point(out, smr_area_x(f, p, s->x[k]), smr_area_y(f, p, s->high[k]));
        }
        for (int64_t k = end - 1; k >= i; k--) {
            smr_text_add(out, " ");
            add_point(out, smr_area_x(f, p, s->x[k]), smr_area_y(f, p, s->low[k]));
        }
        smr_text_add(out, "z");
        i = end;
    }
    smr_text_add(out, "\"/>\n");
}

/* ---- bars ------------------------------------------------------------------------------- */

/* The room of one position for all bars that stand there. */
static double slot_of(const struct frame *f, const struct plot *p, bool across)
{
    const struct plot_axis *a = across ? &p->y : &p->x;
    double length = across ? f->h : f->w, gap = INFINITY;
    if (a->scale == SCALE_NAMES)
        return 0.74 * smr_fmin(length / (a->to - a->from), across ? 34 : 90);
    for (int64_t k = 0; k < p->n_series; k++) {
        const struct plot_series *s = &p->series[k];
        if (s->kind != PLOT_BARS && s->kind != PLOT_HBARS) continue;
        const double *at = across ? s->y : s->x;
        for (int64_t i = 1; i < s->n; i++) {
            double d = fabs(smr_axis_place(a, at[i]) - smr_axis_place(a, at[i - 1])) * length;
            if (d > 0) gap = smr_fmin(gap, d);
        }
    }
    return smr_fmax(1, isfinite(gap) ? smr_fmin(gap * 0.94, length) : 0.2 * length);
}

static void add_bar(smr_text *out, double x1, double y1, double x2, double y2)
{
    move_to(out, smr_fmin(x1, x2), smr_fmin(y1, y2));
    smr_text_add(out, "h");
    smr_svg_length(out, fabs(x2 - x1));
    smr_text_add(out, "v");
    smr_svg_length(out, fabs(y2 - y1));
    smr_text_add(out, "h");
    smr_svg_length(out, -fabs(x2 - x1));
    smr_text_add(out, "z");
}

static void draw_bars(const struct frame *f, const struct plot *p, const struct plot_series *s,
                      smr_text *out)
{
    bool across = s->kind == PLOT_HBARS;
    int64_t n = 0, mine = 0;
    for (int64_t k = 0; k < p->n_series; k++) {
        if (p->series[k].kind != s->kind) continue;
        if (&p->series[k] < s) mine++;
        n++;
    }
    double slot = slot_of(f, p, across), width = slot / (double)n;
    double offset = ((double)mine + 0.5) * width - slot / 2;
    double half = smr_fmax(0.3, n > 1 ? 0.46 * width : width / 2);
    double base = across ? smr_area_x(f, p, p->x.scale == SCALE_LOG ? p->x.from : 0)
                         : smr_area_y(f, p, p->y.scale == SCALE_LOG ? p->y.from : 0);
    smr_text_add(out, "<path fill=\"currentColor\" d=\"");
    for (int64_t i = 0; i < s->n; i++) {
        double x = smr_area_x(f, p, s->x[i]), y = smr_area_y(f, p, s->y[i]);
        if (isnan(x) || isnan(y)) continue;
        if (across)
            add_bar(out, base, y + offset - half, x, y + offset + half);
        else
            add_bar(out, x + offset - half, base, x + offset + half, y);
    }
    smr_text_add(out, "\"/>\n");
    draw_whiskers(f, p, s, offset, out);
}

/* ---- all -------------------------------------------------------------------------------- */

static smr_status draw_one(smr_ctx *ctx, const struct frame *f, const struct plot *p,
                           const struct plot_series *s, smr_text *out)
{
    switch (s->kind) {
    case PLOT_CELLS: return smr_cells_draw(ctx, f, p, s, out);
    case PLOT_LINE:
    case PLOT_STEP:
        draw_whiskers(f, p, s, 0, out);
        draw_line(f, p, s, out);
        break;
    case PLOT_POINTS:
    case PLOT_HPOINTS: draw_whiskers(f, p, s, 0, out); break;
    case PLOT_BAND: draw_band(f, p, s, out); break;
    case PLOT_BARS:
    case PLOT_HBARS: draw_bars(f, p, s, out); break;
    case PLOT_RINGS: draw_rings(f, p, s, out); break;
    case PLOT_KINDS: break;
    }
    return SMR_OK;
}

static void open_series(smr_text *out, const struct plot_series *s)
{
    smr_text_printf(out, "<g class=\"s%d\">", s->colour % PLOT_COLOURS + 1);
}

smr_status smr_series_draw(smr_ctx *ctx, const struct frame *f, const struct plot *p, smr_text *out)
{
    /* what covers most comes first */
    static const enum plot_kind order[] = {PLOT_CELLS,  PLOT_BAND,    PLOT_BARS,
                                           PLOT_HBARS,  PLOT_STEP,    PLOT_LINE,
                                           PLOT_POINTS, PLOT_HPOINTS, PLOT_RINGS};
    smr_status st = SMR_OK;
    for (int64_t k = 0; k < SMR_COUNT(order); k++)
        for (int64_t i = 0; i < p->n_series; i++) {
            const struct plot_series *s = &p->series[i];
            if (s->kind != order[k] || (is_points(s) && !s->low)) continue;
            open_series(out, s);
            TRY(draw_one(ctx, f, p, s, out));
            smr_text_add(out, "</g>\n");
        }
out:
    return st;
}

smr_status smr_points_draw(smr_ctx *ctx, const struct frame *f, const struct plot *p, smr_text *out)
{
    smr_status st = SMR_OK;
    smr_area_open(f, out);
    for (int64_t i = 0; i < p->n_series; i++) {
        const struct plot_series *s = &p->series[i];
        if (!is_points(s) && !is_marked(s)) continue;
        open_series(out, s);
        if (s->n > CROWD)
            TRY(draw_crowd(ctx, f, p, s, out));
        else
            draw_markers(f, p, s, out);
        smr_text_add(out, "</g>\n");
    }
    smr_text_add(out, "</g>\n");
out:
    return st;
}

/* ---- legend ----------------------------------------------------------------------------- */

static void sign_of_line(const struct plot_series *s, double x, double y, smr_text *out)
{
    const char *dash = is_marked(s) ? "" : smr_series_dash(s->colour);
    smr_text_printf(out, "<path fill=\"none\" stroke=\"currentColor\" stroke-width=\"%s\"",
                    is_bundle(s) ? "1\" stroke-opacity=\".45" : "2");
    if (*dash) smr_text_printf(out, " stroke-dasharray=\"%s\"", dash);
    smr_text_add(out, " d=\"");
    smr_svg_line(out, x, y + 8, x + 22, y + 8);
    smr_text_add(out, "\"/>");
    if (!is_marked(s)) return;
    open_markers(out, s->colour % SHAPES, 3.2, false);
    add_marker(out, s->colour % SHAPES, x + 11, y + 8, 3.2);
    smr_text_add(out, "\"/>");
}

static void add_swatch(smr_text *out, double x, double y, double width, const char *more)
{
    smr_text_printf(out, "<path %s d=\"", more);
    add_bar(out, x, y, x + width, y + 12);
    smr_text_add(out, "\"/>");
}

static void sign_of_series(const struct plot_series *s, double x, double y, smr_text *out)
{
    if (s->kind == PLOT_BAND) {
        add_swatch(out, x, y + 2, 22, "fill=\"currentColor\" fill-opacity=\".18\"");
    } else if (s->kind == PLOT_BARS || s->kind == PLOT_HBARS) {
        add_swatch(out, x + 5, y + 2, 12, "fill=\"currentColor\"");
    } else if (s->kind == PLOT_RINGS) {
        open_rings(out);
        add_ring(out, x + 11, y + 8);
        smr_text_add(out, "\"/>");
    } else if (is_points(s)) {
        open_markers(out, s->colour % SHAPES, 3.8, false);
        add_marker(out, s->colour % SHAPES, x + 11, y + 8, 3.8);
        smr_text_add(out, "\"/>");
    } else {
        sign_of_line(s, x, y, out);
    }
}

/* Shades from the smallest to the largest number, and the two. */
static void sign_of_ramp(const struct plot_series *s, const struct legend_item *item, smr_text *out)
{
    char lo_text[TICK_TEXT], hi_text[TICK_TEXT];
    double lo, hi;
    smr_text words = {.ctx = out->ctx};
    smr_cells_range(s, &lo, &hi);
    smr_plot_number(lo, lo_text);
    smr_plot_number(hi, hi_text);
    for (int i = 0; i < 6; i++) { /* of both signs on one scale, as the cells */
        double v = lo + (hi - lo) * i / 5, most = smr_fmax(fabs(lo), fabs(hi));
        int tenths = most > 0 && isfinite(v) ? (int)nearbyint(10 * fabs(v) / most) : 10;
        smr_text_printf(out, "<g fill-opacity=\"%s%d\">", tenths == 10 ? "" : "0.",
                        tenths == 10 ? 1 : tenths);
        add_swatch(out, item->x + 12 * i, item->y + 2, 12,
                   v < 0 ? "class=\"cool\"" : "class=\"heat\"");
        smr_text_add(out, "</g>");
    }
    smr_text_printf(&words, "%s to %s", lo_text, hi_text);
    if (item->words.n) smr_text_add(&words, " ");
    smr_text_add_bytes(&words, item->words.at, item->words.n);
    smr_svg_text(out, item->x + 78, item->y + 12, (smr_words){words.bytes, words.length},
                 item->width - 78, " class=\"ink\"");
    if (words.failed) out->failed = true;
    smr_text_release(&words);
}

static void sign_of_mark(int mark, const struct legend_item *item, smr_text *out)
{
    smr_text_printf(out,
                    "<path class=\"mark\" fill=\"none\" stroke-width=\"1.5\" "
                    "stroke-dasharray=\"%s\" d=\"",
                    smr_series_dash(1 + mark % 4));
    smr_svg_line(out, item->x, item->y + 8, item->x + 22, item->y + 8);
    smr_text_add(out, "\"/>");
}

void smr_series_sign(const struct plot *p, const struct legend_item *item, smr_text *out)
{
    if (item->series < 0) {
        sign_of_mark(-1 - item->series, item, out);
        return;
    }
    const struct plot_series *s = &p->series[item->series];
    int colour = item->klass >= 0 ? (int)(item->klass % PLOT_COLOURS) : s->colour % PLOT_COLOURS;
    smr_text_printf(out, "<g class=\"s%d\">", colour + 1);
    if (item->klass == -2) {
        sign_of_ramp(s, item, out);
    } else if (item->klass >= 0) {
        add_swatch(out, item->x + 5, item->y + 2, 12, "fill=\"currentColor\" fill-opacity=\".3\"");
    } else {
        for (int64_t i = 0; i < p->n_series; i++) /* a line together with its band */
            if (p->series[i].kind != PLOT_CELLS && p->series[i].colour == s->colour)
                sign_of_series(&p->series[i], item->x, item->y, out);
    }
    smr_text_add(out, "</g>");
}
