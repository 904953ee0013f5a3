/* draw_parts.h -- what the files of the drawing share.  Private to report/draw*.c.
 *
 *     draw_read.c     JSON -> struct plot           (checks, numbers as arrays)
 *     draw_axis.c     ranges, places and ticks of one axis
 *     draw_layout.c   how much room each part takes: struct plot -> struct frame
 *     draw_frame.c    everything except the data: title, legend, axes, notes
 *     draw_series.c   lines, points, bars, bands
 *     draw_cells.c    grids of numbers or classes
 *     draw.c          the <svg> element around them
 *     draw_sheet.c    the same of drawings without axes, with their title and note
 *     draw_table.c    the same numbers as rows
 *     draw_tree.c     figures of nodes in place of series, and their rows
 *     draw_tidy.c     where the boxes of a tree lie
 *     draw_graph.c    figures of boxes and arrows, and their rows
 *     draw_layers.c   where those boxes lie
 *     draw_tiles.c    figures of pictures side by side, and their rows
 *     draw_pixels.c   pixels in a drawing
 *
 * Lengths are pixels of CSS.  Inside the plot area (0, 0) is its upper left corner. */
#ifndef SMR_REPORT_DRAW_PARTS_H
#define SMR_REPORT_DRAW_PARTS_H

#include "report/draw.h"
#include "report/draw_text.h"

enum { PLOT_COLOURS = 8, MOST_TICKS = 120, TICK_TEXT = 48, MOST_STRIPS = 3, MOST_LINES = 6 };

enum plot_kind {
    PLOT_LINE,
    PLOT_STEP,
    PLOT_POINTS,
    PLOT_BAND,
    PLOT_BARS,
    PLOT_HBARS,
    PLOT_HPOINTS,
    PLOT_CELLS,
    PLOT_RINGS,
    PLOT_KINDS
};
enum plot_scale { SCALE_LINEAR, SCALE_LOG, SCALE_NAMES };
enum mark_kind { MARK_VLINE, MARK_HLINE, MARK_DIAGONAL };

extern const char *const smr_plot_kinds[PLOT_KINDS];

/* Does a series of this kind have its values on the x axis? */
bool smr_plot_is_across(enum plot_kind kind);

struct plot_axis {
    smr_words label;
    enum plot_scale scale;
    smr_words *names; /* scale names */
    int64_t n_names;
    double min, max;   /* as asked for; NaN: not asked for                             */
    double from, to;   /* as drawn, from < to                                          */
    double lfrom, lto; /* scale log: their logarithms                                 */
    bool whole;        /* shows whole numbers: no ticks between them */
    bool equal, down;  /* down: counts from the top                                    */
};

struct plot_series {
    smr_words name;
    enum plot_kind kind;
    int64_t n;
    double *x, *y;           /* NaN: a gap.  hbars, hpoints: x the value, y the position   */
    double *low, *high;      /* NULL: none                                                 */
    int64_t nx, ny;          /* cells: y[row * nx + column]                                */
    const smr_json *classes; /* cells: names of the classes, or NULL for numbers       */
    bool text;               /* cells: the number is written                               */
    int colour;              /* from 0: the place among the names of series                */
    bool heads;              /* the first of its name                                      */
};

struct plot_mark {
    enum mark_kind kind;
    double at;
    smr_words label;
};

struct plot_shade {
    double from, to;
    smr_words label;
};

struct plot {
    smr_words name, title, note;
    struct plot_axis x, y;
    struct plot_series *series;
    struct plot_mark *marks;
    struct plot_shade *shades;
    int64_t n_series, n_marks, n_shades;
    int n_colours;     /* names of series                                             */
    int64_t n_dropped; /* values that a log axis cannot show                          */
    bool has_cells, has_bars, has_hbars, has_data;
    bool across;     /* some series has its values on the x axis                            */
    void *blocks[8]; /* owned                                                       */
    int n_blocks;
};

/* Fails with SMR_ERR_PARAM where the object is not a figure.  Release it in any case. */
smr_status smr_plot_read(smr_ctx *ctx, const smr_json *figure, struct plot *out);
void smr_plot_release(struct plot *p);

/* ---- axes ---- */

/* Sets from and to so that [lo, hi] fits (lo > hi: no data), with round ends. */
void smr_axis_fit(struct plot_axis *axis, double lo, double hi);
/* Where v lies: 0 at `from`, 1 at `to`; NaN where it has no place. */
double smr_axis_place(const struct plot_axis *axis, double v);

struct plot_tick {
    double place;    /* 0 .. 1 */
    bool minor;      /* no text, no grid line */
    smr_words words; /* points to `text`, or to a name */
    char text[TICK_TEXT];
};

struct plot_ticks {
    int64_t n;
    struct plot_tick at[MOST_TICKS];
};

/* About `most` ticks with text, at least the one that a range must have. */
void smr_axis_ticks(const struct plot_axis *axis, int most, struct plot_ticks *out);
/* x for people: 4 digits and all before the point, thousands apart, an exponent where it is very
 * large or small. */
void smr_plot_number(double x, char out[TICK_TEXT]);
/* x with exactly that many decimals (at most 9), thousands apart; |x| < 1e9. */
void smr_plot_fixed(double x, int decimals, char out[TICK_TEXT]);

/* ---- layout ---- */

struct legend_item {
    int series;    /* index, or -1 - mark                                                */
    int64_t klass; /* of cells with classes; -1: none                                  */
    smr_words words;
    double x, y, width; /* upper left corner; of all                                   */
};

struct strip_item {
    smr_words words;
    double x, width; /* middle of the text; its room                                   */
    int row;
};

struct frame {
    double width, height, pad;
    double left, top, w, h; /* the plot area                                           */
    double title_y, ylabel_y, note_y;
    smr_words title[MOST_LINES], note[MOST_LINES];
    int n_title, n_note, n_strips;
    struct legend_item *legend;
    struct strip_item *strips; /* labels of shades, then of vertical marks             */
    int64_t n_legend, n_strip;
    bool slanted;      /* names below the x axis                                             */
    bool folded;       /* names below the x axis in two lines                                */
    double below;      /* from the plot area to the label of the x axis                      */
    double slant_room; /* longest text of a slanted name                             */
    double name_room;  /* longest name of the y axis                                 */
    char remark[96];   /* what was left out, or ""                                   */
    struct plot_ticks xt, yt;
};

smr_status smr_area_make(smr_ctx *ctx, const struct plot *p, const smr_figure_opts *opts,
                         struct frame *f);
void smr_area_release(struct frame *f);

/* Places in the plot area, in pixels; NaN where there is none. */
double smr_area_x(const struct frame *f, const struct plot *p, double x);
double smr_area_y(const struct frame *f, const struct plot *p, double y);

/* ---- writing ---- */

/* A length with at most one decimal. */
void smr_svg_length(smr_text *out, double v);
/* " name=\"v\"". */
void smr_svg_attr(smr_text *out, const char *name, double v);
/* A rectangle, open for more attributes. */
void smr_svg_rect(smr_text *out, double x, double y, double w, double h);
/* <text> at (x, y); where it is wider than `room` it is shortened, with the whole text as its
 * title.  `more` are further attributes, or "". */
void smr_svg_text(smr_text *out, double x, double y, smr_words words, double room,
                  const char *more);
void smr_svg_line(smr_text *out, double x1, double y1, double x2, double y2);

/* <g> whose (0, 0) is the corner of the plot area. */
void smr_area_open(const struct frame *f, smr_text *out);
void smr_area_draw_back(const struct frame *f, const struct plot *p, smr_text *out);
void smr_area_draw_front(const struct frame *f, const struct plot *p, smr_text *out);
smr_status smr_series_draw(smr_ctx *ctx, const struct frame *f, const struct plot *p,
                           smr_text *out);
smr_status smr_points_draw(smr_ctx *ctx, const struct frame *f, const struct plot *p,
                           smr_text *out);
smr_status smr_cells_draw(smr_ctx *ctx, const struct frame *f, const struct plot *p,
                          const struct plot_series *s, smr_text *out);
/* The sign of a series in the legend, in a box of 22 x 12 at (x, y). */
void smr_series_sign(const struct plot *p, const struct legend_item *item, smr_text *out);
/* Dashes of the line number i, "" for none. */
const char *smr_series_dash(int i);
/* The numbers that cells show: *lo .. *hi, with 0 among them. */
void smr_cells_range(const struct plot_series *s, double *lo, double *hi);

/* The element with its title, up to where its description goes; sized: with width and height.
 * Before it comes the first line of a file, and after it, in a file, the colours and the paper. */
void smr_svg_head(smr_text *out);
void smr_svg_begin(smr_text *out, double width, double height, smr_words title, bool sized);
void smr_svg_paper(smr_text *out, double width, double height);

/* ---- drawings without axes ---- */

struct sheet {
    smr_words name, title, note;
    double w, h, pad, room; /* of the drawing; its edge; between the edges */
    bool inside;
};

void smr_sheet_read(const smr_json *figure, bool inside, struct sheet *s);
/* Where the drawing begins, below the title; at least `wanted` wide. */
double smr_sheet_open(struct sheet *s, double wanted);
/* It ends at y. */
void smr_sheet_close(struct sheet *s, double y);
/* The element up to where its description goes; after that paper, title and note. */
void smr_sheet_begin(const struct sheet *s, smr_text *out);
void smr_sheet_words(const struct sheet *s, smr_text *out);

/* ---- trees ---- */

/* Is it a figure of nodes? */
bool smr_figure_is_tree(const smr_json *figure);
smr_status smr_tree_svg(smr_ctx *ctx, const smr_json *figure, const smr_figure_opts *opts,
                        smr_text *out);
smr_status smr_tree_table(smr_ctx *ctx, const smr_json *figure, smr_json *rows);

/* Sets x, the middles of n boxes, so that boxes of one depth are at least `gap` apart, children are
 * in their order and parents in the middle above them; the leftmost edge is 0, *right the rightmost
 * one.  parent: of each box, before it; -1 for the first. */
smr_status smr_tidy(smr_ctx *ctx, int64_t n, const int64_t *parent, const double *width, double gap,
                    double *x, double *right);

/* ---- graphs ---- */

bool smr_figure_is_graph(const smr_json *figure);
smr_status smr_graph_svg(smr_ctx *ctx, const smr_json *figure, const smr_figure_opts *opts,
                         smr_text *out);
smr_status smr_graph_table(smr_ctx *ctx, const smr_json *figure, smr_json *rows);

/* A graph without cycles in layers: every edge leads down, and one over several layers goes through
 * a place of its own in each of those between, so that it meets no box. */
struct layers {
    int64_t n, n_edges; /* nodes; edges from[e] -> to[e] */
    const int32_t *from, *to;
    const double *width; /* n */
    /* found: */
    int64_t n_layers, n_all; /* n_all: nodes, then places of edges */
    int64_t *layer;          /* n_all                              */
    double *x;               /* n_all: middles                     */
    int64_t *chain;          /* n_edges + 1: places of edge e are n + chain[e] ... */
    double right;            /* the leftmost edge is 0             */
};

/* Release it in any case; a cycle is SMR_ERR_PARAM. */
smr_status smr_layers_find(smr_ctx *ctx, double gap, struct layers *l);
void smr_layers_release(struct layers *l);

/* ---- tiles ---- */

bool smr_figure_is_tiles(const smr_json *figure);
smr_status smr_tiles_svg(smr_ctx *ctx, const smr_json *figure, const smr_figure_opts *opts,
                         smr_text *out);
smr_status smr_tiles_table(smr_ctx *ctx, const smr_json *figure, smr_json *rows);

/* Bytes of grey (channels 1) or red, green, blue (3), row by row from the top, each pixel `times`
 * as large, as an <image> whose box is (x, y, w, h). */
struct pixels {
    const uint8_t *values;
    int64_t height, width, times;
    int channels;
};

smr_status smr_pixels_draw(smr_ctx *ctx, const struct pixels *p, const double box[4],
                           smr_text *out);

/* The colours of all drawings as rules of CSS. */
void smr_draw_style(bool dark, smr_text *out);

#endif
