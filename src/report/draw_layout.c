/* draw_layout.c -- how much room each part of a drawing takes.
 *
 * From the top: title, legend, label of the y axis, labels of shades and vertical marks, the plot
 * area, ticks and label of the x axis, note.  The plot area takes what the others leave, so no
 * text lies on data or on other text, whatever its length. */
#include "report/draw_parts.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const double FONT = 12, TITLE = 16, BOLD = 1.12, SLANT = 0.7071;
static const double LINE = 17, TITLE_LINE = 21, LEGEND_LINE = 20, STRIP_LINE = 16;
static const double SIGN = 28, LEGEND_GAP = 16;

double smr_area_x(const struct frame *f, const struct plot *p, double x)
{
    double at = smr_axis_place(&p->x, x);
    return smr_fmax(-2e4, smr_fmin(2e4, at * f->w)) + (isnan(at) ? NAN : 0);
}

double smr_area_y(const struct frame *f, const struct plot *p, double y)
{
    double at = smr_axis_place(&p->y, y);
    if (isnan(at)) return NAN;
    return smr_fmax(-2e4, smr_fmin(2e4, (p->y.down ? at : 1 - at) * f->h));
}

void smr_area_release(struct frame *f)
{
    smr_free(f->legend);
    smr_free(f->strips);
    f->legend = NULL;
    f->strips = NULL;
}

/* ---- legend ----------------------------------------------------------------------------- */

static bool is_series_name(const struct plot *p, smr_words words)
{
    for (int64_t i = 0; i < p->n_series; i++) {
        const struct plot_series *s = &p->series[i];
        if (s->kind != PLOT_CELLS && s->name.n == words.n &&
            memcmp(s->name.at, words.at, (size_t)words.n) == 0)
            return true;
    }
    return false;
}

static void add_item(struct frame *f, int series, int64_t klass, smr_words words)
{
    f->legend[f->n_legend++] =
        (struct legend_item){.series = series, .klass = klass, .words = words};
}

static void add_cells_items(struct frame *f, const struct plot *p, int i)
{
    enum { MOST_CLASSES = 40 };
    const struct plot_series *s = &p->series[i];
    int64_t k = 0;
    if (!s->classes && (!s->text || s->nx > 12)) add_item(f, i, -2, s->name);
    for (const smr_json *e = s->classes ? s->classes->first : NULL; e && k < MOST_CLASSES;
         e = e->next, k++)
        if (!is_series_name(p, smr_words_json(e))) add_item(f, i, k, smr_words_json(e));
}

/* What the signs mean: series by name, classes of cells, lines at a height. */
static smr_status collect_legend(smr_ctx *ctx, const struct plot *p, struct frame *f)
{
    int64_t most = p->n_series + p->n_marks;
    for (int64_t i = 0; i < p->n_series; i++)
        if (p->series[i].classes) most += p->series[i].classes->n;
    f->legend = smr_alloc(ctx, most, sizeof *f->legend);
    if (!f->legend) return SMR_ERR_NOMEM;
    for (int64_t i = 0; i < p->n_series; i++) {
        const struct plot_series *s = &p->series[i];
        if (s->kind == PLOT_CELLS)
            add_cells_items(f, p, (int)i);
        else if (s->heads && s->name.n > 0)
            add_item(f, (int)i, -1, s->name);
    }
    for (int64_t m = 0; m < p->n_marks; m++)
        if (p->marks[m].kind != MARK_VLINE && p->marks[m].label.n > 0)
            add_item(f, -1 - (int)m, -1, p->marks[m].label);
    bool alone = f->n_legend == 1 && f->legend[0].series >= 0 && f->legend[0].klass == -1;
    if (alone && p->n_colours < 2) f->n_legend = 0; /* one series is what the title says */
    return SMR_OK;
}

/* Rows from y on, as wide as the content; returns where they end. */
static double place_legend(struct frame *f, double width, double y)
{
    double x = 0;
    for (int64_t i = 0; i < f->n_legend; i++) {
        struct legend_item *item = &f->legend[i];
        double ramp = item->klass == -2 ? 150 : 0;
        double need = SIGN + ramp + FONT * smr_words_width(item->words);
        item->width = smr_fmin(need, width);
        if (x > 0 && x + item->width > width) {
            x = 0;
            y += LEGEND_LINE;
        }
        item->x = f->pad + x;
        item->y = y;
        x += item->width + LEGEND_GAP;
    }
    return f->n_legend ? y + LEGEND_LINE + 8 : y;
}

/* ---- labels above the plot -------------------------------------------------------------- */

/* A row in which nothing of [x - width / 2, x + width / 2] is taken, or -1. */
static int free_row(const struct frame *f, double x, double width)
{
    for (int row = 0; row < MOST_STRIPS; row++) {
        bool taken = false;
        for (int64_t i = 0; i < f->n_strip; i++) {
            const struct strip_item *s = &f->strips[i];
            if (s->row == row && fabs(s->x - x) < (s->width + width) / 2 + 8) taken = true;
        }
        if (!taken) return row;
    }
    return -1;
}

static void add_strip(struct frame *f, smr_words words, double x, double room)
{
    double width = smr_fmin(room, FONT * smr_words_width(words) + 2);
    if (words.n == 0 || width < 24 || isnan(x)) return;
    x = smr_fmax(width / 2, smr_fmin(f->w - width / 2, x));
    int row = free_row(f, x, width);
    if (row < 0) return;
    f->n_strips = SMR_MAX(f->n_strips, row + 1);
    f->strips[f->n_strip++] = (struct strip_item){words, x, width, row};
}

static void place_strips(const struct plot *p, struct frame *f)
{
    f->n_strip = 0;
    f->n_strips = 0;
    for (int64_t i = 0; i < p->n_shades; i++) {
        double from = smr_fmax(0, smr_area_x(f, p, p->shades[i].from));
        double to = smr_fmin(f->w, smr_area_x(f, p, p->shades[i].to));
        add_strip(f, p->shades[i].label, (from + to) / 2, to > from ? f->w : 0);
    }
    for (int64_t i = 0; i < p->n_marks; i++)
        if (p->marks[i].kind == MARK_VLINE)
            add_strip(f, p->marks[i].label, smr_area_x(f, p, p->marks[i].at), f->w);
}

/* ---- axes ------------------------------------------------------------------------------- */

static double widest(const struct plot_ticks *ticks)
{
    double width = 0;
    for (int64_t i = 0; i < ticks->n; i++)
        if (!ticks->at[i].minor)
            width = smr_fmax(width, FONT * smr_words_width(ticks->at[i].words));
    return width;
}

static double widest_name(const struct plot_axis *a)
{
    double width = FONT * 0.65 * (1 + (double)(a->n_names > 9) + (double)(a->n_names > 99));
    for (int64_t i = 0; i < a->n_names && a->names; i++)
        width = smr_fmax(width, FONT * smr_words_width(a->names[i]));
    return width;
}

static void lay_y_axis(const struct plot *p, struct frame *f)
{
    bool names = p->y.scale == SCALE_NAMES;
    double pitch = names ? 15 : p->y.scale == SCALE_LOG ? 26 : 46;
    smr_axis_ticks(&p->y,
                   (int)smr_fmax(f->h < 100   ? 2
                                 : f->h < 150 ? 4
                                              : 5,
                                 f->h / pitch + 0.5),
                   &f->yt);
    f->name_room =
        names ? smr_fmin(widest_name(&p->y), 0.38 * (f->width - 2 * f->pad)) : widest(&f->yt);
    f->left = f->pad + f->name_room + 8;
}

/* Whether the texts of the ticks, each around its place, stay apart. */
static bool ticks_fit(const struct plot_ticks *ticks, double w)
{
    double end = -INFINITY;
    for (int64_t i = 0; i < ticks->n; i++) {
        const struct plot_tick *t = &ticks->at[i];
        if (t->minor) continue;
        double half = FONT * smr_words_width(t->words) / 2;
        if (t->place * w - half < end + 8) return false;
        end = t->place * w + half;
    }
    return true;
}

/* Whether every name fits into two lines of `room`. */
static bool names_fold(const struct plot_axis *a, double room)
{
    for (int64_t i = 0; i < a->n_names; i++) {
        smr_words rest = a->names ? a->names[i] : smr_words_of("");
        for (int k = 0; k < 2; k++) {
            smr_words line = smr_words_line(&rest, room / FONT);
            if (FONT * smr_words_width(line) > room) return false;
            if (rest.n > 0 && rest.at[0] != ' ') return false; /* within a word */
        }
        if (rest.n > 0) return false;
    }
    return true;
}

/* How far slanted names stick out to the left of the drawing. */
static double slant_over(const struct frame *f)
{
    double over = 0;
    for (int64_t i = 0; i < f->xt.n; i++) {
        double length = smr_fmin(FONT * smr_words_width(f->xt.at[i].words), f->slant_room);
        over = smr_fmax(over, length * SLANT - f->xt.at[i].place * f->w - f->left + f->pad + 4);
    }
    return over;
}

/* Names side by side where they fit, else in two lines, else slanted, else every n-th. */
static void lay_x_names(const struct plot *p, struct frame *f)
{
    double n = (double)SMR_MAX(p->x.n_names, 1), wide = widest_name(&p->x);
    bool fits = wide + 6 <= f->w / n;
    f->folded = !fits && n <= 16 && names_fold(&p->x, f->w / n - 8);
    f->slanted = !fits && !f->folded;
    int most = f->slanted ? (int)smr_fmax(1, f->w / 17) : (int)n;
    smr_axis_ticks(&p->x, most, &f->xt);
    if (!f->slanted) return;
    f->slant_room = smr_fmin(wide, 120);
    double over = slant_over(f);
    if (over <= 0) return;
    f->slant_room = smr_fmax(f->slant_room - over / SLANT, smr_fmin(f->slant_room, 96));
    over = slant_over(f); /* what shorter names do not gain, a wider margin does */
    f->left += smr_fmax(0, over);
    f->w -= smr_fmax(0, over);
}

static void lay_x_axis(const struct plot *p, struct frame *f)
{
    f->slanted = f->folded = false;
    if (p->x.scale == SCALE_NAMES) {
        lay_x_names(p, f);
        return;
    }
    int most = (int)smr_fmax(2, f->w / (p->x.scale == SCALE_LOG ? 40 : 56));
    do {
        smr_axis_ticks(&p->x, most, &f->xt);
    } while (!ticks_fit(&f->xt, f->w) && --most > 0);
}

/* Half of the last number may stick out past the end of the axis. */
static double room_right(const struct plot *p, const struct frame *f)
{
    double over = 4;
    for (int64_t i = 0; i < f->xt.n && p->x.scale != SCALE_NAMES; i++) {
        const struct plot_tick *t = &f->xt.at[i];
        if (t->minor) continue;
        double half = FONT * smr_words_width(t->words) / 2;
        over = smr_fmax(over, half - (1 - t->place) * f->w);
    }
    return over;
}

/* ---- the plot area ---------------------------------------------------------------------- */

static double own_height(const struct plot *p, double width)
{
    double h = smr_fmax(170, smr_fmin(330, 0.56 * width));
    double bars = 0;
    for (int64_t i = 0; i < p->n_series; i++) bars += p->series[i].kind == PLOT_HBARS;
    if (p->y.scale == SCALE_NAMES && !p->has_cells) {
        double pitch = smr_fmax(24, 12 + 12 * bars);
        h = smr_fmax(60, smr_fmin(1200, pitch * (double)p->y.n_names));
    }
    return h;
}

/* Cells between names are at most twice as wide as high, and not larger than a number needs. */
static void shape_cells(const struct plot *p, struct frame *f, bool fixed)
{
    bool names = p->x.scale == SCALE_NAMES && p->y.scale == SCALE_NAMES;
    if (!p->has_cells || !names || fixed) return;
    double nx = (double)SMR_MAX(p->x.n_names, 1), ny = (double)SMR_MAX(p->y.n_names, 1);
    double wide = smr_fmin(f->w / nx, 104), high = smr_fmin(wide, 52);
    high = smr_fmin(high, smr_fmax(14, 640 / ny));
    f->w = smr_fmin(wide, 2 * high) * nx;
    f->h = smr_fmax(24, high * ny);
}

/* One unit of x as long as one of y. */
static void shape_equal(const struct plot *p, struct frame *f, bool fixed)
{
    if (!(p->x.equal || p->y.equal) || p->x.scale != SCALE_LINEAR || p->y.scale != SCALE_LINEAR)
        return;
    double ratio = (p->y.to - p->y.from) / (p->x.to - p->x.from);
    if (!(ratio > 0.05 && ratio < 20)) return;
    double most = fixed ? f->h : smr_fmin(420, smr_fmax(300, 0.7 * f->width));
    f->h = smr_fmin(most, f->w * ratio);
    f->w = f->h / ratio;
}

static int wrap(smr_words words, double width, smr_words *lines)
{
    int n = 0;
    while (n < MOST_LINES) {
        smr_words line = smr_words_line(&words, width);
        if (line.n == 0) break;
        lines[n++] = line;
    }
    return n;
}

/* Everything around a plot area of height f->h; f->height is what comes out. */
static void lay_out(const struct plot *p, struct frame *f, bool fixed, bool inside)
{
    double width = f->width - 2 * f->pad, y = f->pad;
    f->title_y = y;
    f->n_title = inside ? 0 : wrap(p->title, width / (TITLE * BOLD), f->title);
    if (f->n_title) y += TITLE_LINE * f->n_title + 6;
    y = place_legend(f, width, y);
    f->ylabel_y = y;
    if (p->y.label.n) y += LINE + 6;
    lay_y_axis(p, f);
    double right = 4;
    for (int pass = 0; pass < 4; pass++) { /* a narrower axis may have other numbers */
        f->w = smr_fmax(40, f->width - f->left - f->pad - right);
        lay_x_axis(p, f);
        right = smr_fmax(right, room_right(p, f));
    }
    shape_cells(p, f, fixed);
    shape_equal(p, f, fixed);
    lay_x_axis(p, f);
    place_strips(p, f);
    f->top = y + STRIP_LINE * f->n_strips + 4;
    f->below = 8 + (f->slanted ? f->slant_room * SLANT + 12 : f->folded ? 1.85 * LINE : LINE);
    y = f->top + f->h + f->below;
    if (p->x.label.n) y += LINE + 2;
    f->note_y = y + 8;
    f->n_note = inside ? 0 : wrap(p->note, width / FONT, f->note);
    int lines = f->n_note + (f->remark[0] != '\0');
    if (lines) y += 8 + LINE * lines;
    f->height = ceil(y + (inside ? 2 : f->pad - 4));
}

smr_status smr_area_make(smr_ctx *ctx, const struct plot *p, const smr_figure_opts *opts,
                         struct frame *f)
{
    smr_status st = SMR_OK;
    *f = (struct frame){.width = opts->width > 0 ? smr_fmax(200, opts->width) : 640,
                        .pad = opts->inside ? 0 : 16};
    TRY_NEW(f->strips, p->n_shades + p->n_marks + 1);
    TRY(collect_legend(ctx, p, f));
    if (p->n_dropped > 0)
        snprintf(f->remark, sizeof f->remark, "Left out: %lld %s not above 0, on a log axis.",
                 (long long)p->n_dropped, p->n_dropped == 1 ? "value" : "values");
    bool fixed = opts->height > 0;
    f->h = own_height(p, f->width - 2 * f->pad);
    for (int pass = 0; pass < 3; pass++) { /* the ticks' texts follow from the height */
        lay_out(p, f, fixed && pass > 0, opts->inside);
        if (fixed && pass < 2) f->h = smr_fmax(40, f->h + opts->height - f->height);
    }
    if (fixed) f->height = smr_fmax(f->height, opts->height);
out:
    return st;
}
