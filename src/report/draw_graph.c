/* draw_graph.c -- figures of boxes and arrows (core/figure.h): a name, and under it the shares of
 * its levels as bars.
 *
 * From the top: title, the graph, note.  A box is as wide as its words, which are shortened beyond
 * a limit; arrows go through gaps that the layout keeps for them.  A box that is given is framed in
 * another colour. */
#include "report/draw_parts.h"

#include <math.h>
#include <stdio.h>

static const double FONT = 12, BOLD = 1.12, LINE = 17, SMALL = 10.5, SMALL_LINE = 14;
static const double MOST_NAME = 180, MOST_LEVEL = 90, PAD_X = 9, PAD_Y = 6, GAP = 18, DROP = 44;
static const double BAR_W = 46, SHARE_W = 38;
enum { MOST_NODES = 2000, MOST_EDGES = 6000, MOST_LEVELS = 5 };

struct box {
    smr_words label;
    const smr_json *levels, *bars;
    int64_t n_levels, n_shown;
    bool given;
    double w, h, level_w;
};

struct graph {
    int64_t n;
    struct box *box;
    int32_t *from, *to;
    double *width, *top, *high; /* of boxes; of layers: upper edge, height */
    struct layers l;
    struct sheet sheet;
};

bool smr_figure_is_graph(const smr_json *figure)
{
    const smr_json *list = smr_json_get(figure, "graph");
    return list && list->type == SMR_JSON_ARRAY;
}

/* ---- reading ---------------------------------------------------------------------------- */

static smr_status no_graph(smr_ctx *ctx, const char *why)
{
    return smr_fail(ctx, SMR_ERR_PARAM, "a figure of a graph cannot be drawn: %s", why);
}

static const smr_json *list_of(const smr_json *object, const char *key)
{
    const smr_json *list = smr_json_get(object, key);
    return list && list->type == SMR_JSON_ARRAY ? list : NULL;
}

static smr_status read_box(smr_ctx *ctx, const smr_json *json, int64_t i, struct graph *g)
{
    struct box *b = &g->box[i];
    const smr_json *parents = list_of(json, "parents");
    if (json->type != SMR_JSON_OBJECT) return no_graph(ctx, "a node is no object");
    b->label = smr_words_json(smr_json_get(json, "label"));
    b->levels = list_of(json, "levels");
    b->bars = list_of(json, "bars");
    b->n_levels = b->levels ? b->levels->n : 0;
    b->n_shown = b->n_levels > MOST_LEVELS ? MOST_LEVELS - 1 : b->n_levels;
    b->given = smr_json_get_bool(json, "given", false);
    for (const smr_json *e = parents ? parents->first : NULL; e; e = e->next) {
        if (e->type != SMR_JSON_NUMBER || !(e->number >= 0) || !(e->number < (double)g->n) ||
            e->number != floor(e->number) || e->number == (double)i)
            return no_graph(ctx, "a parent is not the number of another node");
        if (g->l.n_edges == MOST_EDGES) return no_graph(ctx, "it has more than 6000 arrows");
        g->from[g->l.n_edges] = (int32_t)e->number;
        g->to[g->l.n_edges++] = (int32_t)i;
    }
    return SMR_OK;
}

static smr_status read_graph(smr_ctx *ctx, const smr_json *figure, struct graph *g)
{
    smr_status st = SMR_OK;
    const smr_json *list = smr_json_get(figure, "graph");
    int64_t i = 0;
    if (list->n == 0) return no_graph(ctx, "it has no nodes");
    if (list->n > MOST_NODES) return no_graph(ctx, "it has more than 2000 nodes");
    g->n = list->n;
    TRY_NEW(g->box, g->n);
    TRY_NEW(g->width, g->n);
    TRY_NEW(g->from, MOST_EDGES);
    TRY_NEW(g->to, MOST_EDGES);
    for (const smr_json *e = list->first; e; e = e->next, i++) TRY(read_box(ctx, e, i, g));
out:
    return st;
}

static void release_graph(struct graph *g)
{
    smr_layers_release(&g->l);
    smr_free(g->box);
    smr_free(g->width);
    smr_free(g->from);
    smr_free(g->to);
    smr_free(g->top);
    smr_free(g->high);
}

/* ---- layout ----------------------------------------------------------------------------- */

static void size_box(struct box *b)
{
    double name = smr_fmin(MOST_NAME, FONT * BOLD * smr_words_width(b->label) + 1);
    const smr_json *e = b->levels ? b->levels->first : NULL;
    for (int64_t k = 0; e && k < b->n_shown; k++, e = e->next)
        b->level_w = smr_fmax(b->level_w, SMALL * smr_words_width(smr_words_json(e)) + 1);
    b->level_w = smr_fmin(MOST_LEVEL, smr_fmax(b->level_w, 20));
    double rows = b->n_levels ? b->level_w + (b->bars ? 6 + BAR_W + SHARE_W : 0) : 0;
    b->w = ceil(smr_fmax(name, rows) + 2 * PAD_X);
    b->h = 2 * PAD_Y + LINE + SMALL_LINE * (double)(b->n_shown + (b->n_shown < b->n_levels));
}

static smr_status lay_out(smr_ctx *ctx, struct graph *g)
{
    smr_status st = SMR_OK;
    for (int64_t i = 0; i < g->n; i++) {
        size_box(&g->box[i]);
        g->width[i] = g->box[i].w;
    }
    g->l.n = g->n;
    g->l.from = g->from;
    g->l.to = g->to;
    g->l.width = g->width;
    TRY(smr_layers_find(ctx, GAP, &g->l));
    TRY_NEW(g->top, g->l.n_layers);
    TRY_NEW(g->high, g->l.n_layers);
    for (int64_t i = 0; i < g->n; i++)
        g->high[g->l.layer[i]] = smr_fmax(g->high[g->l.layer[i]], g->box[i].h);
    double y = smr_sheet_open(&g->sheet, g->l.right);
    for (int64_t d = 0; d < g->l.n_layers; d++) {
        g->top[d] = y;
        y += g->high[d] + (d + 1 < g->l.n_layers ? DROP : 0);
    }
    for (int64_t i = 0; i < g->l.n_all; i++)
        g->l.x[i] += g->sheet.pad + (g->sheet.room - g->l.right) / 2;
    smr_sheet_close(&g->sheet, y);
out:
    return st;
}

/* ---- drawing ---------------------------------------------------------------------------- */

/* Upper edge of what is at a place: a box in the middle of its layer, or the layer's own. */
static double upper(const struct graph *g, int64_t i)
{
    int64_t d = g->l.layer[i];
    return g->top[d] + (i < g->n ? (g->high[d] - g->box[i].h) / 2 : 0);
}

static double lower(const struct graph *g, int64_t i)
{
    int64_t d = g->l.layer[i];
    return i < g->n ? upper(g, i) + g->box[i].h : g->top[d] + g->high[d];
}

static void add_point(smr_text *out, const char *sign, double x, double y)
{
    smr_text_add(out, sign);
    smr_svg_length(out, x);
    smr_text_add(out, " ");
    smr_svg_length(out, y);
}

/* Between boxes of other heights it goes straight down, and bends only between layers, so that it
 * meets no box beside. */
static void draw_arrow(const struct graph *g, int64_t e, smr_text *out)
{
    const struct layers *l = &g->l;
    int64_t at = l->from[e];
    double x = l->x[at], y = lower(g, at);
    smr_text_add(out, "<path class=\"axis\" fill=\"none\" stroke-width=\"1.3\" d=\"");
    add_point(out, "M", x, y);
    y = g->top[l->layer[at]] + g->high[l->layer[at]];
    add_point(out, "L", x, y);
    for (int64_t k = l->chain[e]; k <= l->chain[e + 1]; k++) {
        bool last = k == l->chain[e + 1];
        at = last ? l->to[e] : l->n + k;
        double x2 = l->x[at], y2 = g->top[l->layer[at]] - (last ? 8 : 0), bend = (y + y2) / 2;
        add_point(out, "C", x, bend);
        add_point(out, " ", x2, bend);
        add_point(out, " ", x2, y2);
        x = x2;
        y = last ? upper(g, at) - 8 : lower(g, at);
        add_point(out, "L", x, y);
    }
    add_point(out, "M", x - 4, y);
    add_point(out, "L", x, y + 7);
    add_point(out, "L", x + 4, y);
    smr_text_add(out, "\"/>\n");
}

static double share_of(const smr_json *v)
{
    return v && v->type == SMR_JSON_NUMBER && v->number >= 0 && v->number <= 1 ? v->number : NAN;
}

static void draw_level(const struct box *b, double left, double y, smr_words level, double share,
                       smr_text *out)
{
    char text[TICK_TEXT + 4], number[TICK_TEXT];
    double x = left + PAD_X + b->level_w + 6;
    smr_svg_text(out, left + PAD_X, y, level, 1.2 * b->level_w + 2, " font-size=\"10.5\"");
    if (isnan(share)) return;
    smr_text_printf(out, "<g class=\"s%d\">", b->given ? 2 : 1);
    smr_svg_rect(out, x, y - 8, BAR_W * share, 8);
    smr_text_add(out, " fill=\"currentColor\"/></g>");
    smr_plot_fixed(100 * share, share < 0.9995 ? 1 : 0, number); /* 100.0 would meet the bar */
    snprintf(text, sizeof text, "%s%%", number);
    smr_svg_text(out, x + BAR_W + SHARE_W, y, smr_words_of(text), 60,
                 " font-size=\"10.5\" text-anchor=\"end\"");
}

static void draw_box(const struct graph *g, int64_t i, smr_text *out)
{
    const struct box *b = &g->box[i];
    double left = g->l.x[i] - b->w / 2, y = upper(g, i);
    const smr_json *level = b->levels ? b->levels->first : NULL;
    const smr_json *bar = b->bars ? b->bars->first : NULL;
    char more[48];
    smr_text_add(out, b->given ? "<g class=\"s2\">" : "");
    smr_svg_rect(out, left, y, b->w, b->h);
    smr_text_add(out, " rx=\"4\" fill=\"none\"");
    smr_text_add(out, b->given ? " stroke=\"currentColor\" stroke-width=\"2\"/></g>"
                               : " class=\"axis\"/>");
    smr_svg_text(out, g->l.x[i], y + PAD_Y + 12, b->label, MOST_NAME / BOLD,
                 " class=\"ink\" font-weight=\"600\" text-anchor=\"middle\"");
    y += PAD_Y + LINE + 10;
    for (int64_t k = 0; level && k < b->n_shown; k++, y += SMALL_LINE) {
        draw_level(b, left, y, smr_words_json(level), share_of(bar), out);
        level = level->next;
        bar = bar ? bar->next : NULL;
    }
    if (b->n_shown < b->n_levels) {
        snprintf(more, sizeof more, "\u2026 %lld more", (long long)(b->n_levels - b->n_shown));
        smr_svg_text(out, left + PAD_X, y, smr_words_of(more), MOST_NAME,
                     " font-size=\"10.5\" font-style=\"italic\"");
    }
    smr_text_add(out, "\n");
}

/* What is read to someone who does not see the drawing. */
static void describe(const struct graph *g, smr_text *out)
{
    enum { TOLD = 30 };
    smr_text_printf(out, "<desc>A graph of %lld node%s and %lld arrow%s.", (long long)g->n,
                    smr_plural(g->n, "", "s"), (long long)g->l.n_edges,
                    smr_plural(g->l.n_edges, "", "s"));
    for (int64_t e = 0; e < g->l.n_edges && e < TOLD; e++) {
        smr_text_add(out, " ");
        smr_xml_add(out, g->box[g->from[e]].label);
        smr_text_add(out, " to ");
        smr_xml_add(out, g->box[g->to[e]].label);
        smr_text_add(out, ".");
    }
    smr_text_add(out, "</desc>");
}

smr_status smr_graph_svg(smr_ctx *ctx, const smr_json *figure, const smr_figure_opts *opts,
                         smr_text *out)
{
    smr_status st = SMR_OK;
    struct graph g = {0};
    smr_sheet_read(figure, opts->inside, &g.sheet);
    TRY(read_graph(ctx, figure, &g));
    TRY(lay_out(ctx, &g));
    smr_sheet_begin(&g.sheet, out);
    describe(&g, out);
    smr_sheet_words(&g.sheet, out);
    for (int64_t e = 0; e < g.l.n_edges; e++) draw_arrow(&g, e, out);
    for (int64_t i = 0; i < g.n; i++) draw_box(&g, i, out);
    smr_text_add(out, "</svg>\n");
    TRY(smr_text_done(out));
out:
    release_graph(&g);
    return st;
}

/* ---- as rows ---------------------------------------------------------------------------- */

smr_status smr_graph_table(smr_ctx *ctx, const smr_json *figure, smr_json *rows)
{
    smr_status st = SMR_OK;
    struct graph g = {0};
    smr_text parents = {.ctx = ctx};
    TRY(read_graph(ctx, figure, &g));
    for (int64_t i = 0, e = 0; i < g.n; i++) {
        smr_json *row = smr_json_add_object(rows, NULL);
        smr_json_add_bytes(row, "node", g.box[i].label.at, g.box[i].label.n);
        parents.length = 0;
        smr_text_add(&parents, "");
        for (bool some = false; e < g.l.n_edges && g.to[e] == i; e++, some = true) {
            if (some) smr_text_add(&parents, ", ");
            smr_text_add_bytes(&parents, g.box[g.from[e]].label.at, g.box[g.from[e]].label.n);
        }
        TRY(smr_text_done(&parents));
        smr_json_add_bytes(row, "parents", parents.bytes ? parents.bytes : "", parents.length);
        smr_json_add_number(row, "levels", (double)g.box[i].n_levels);
    }
    st = smr_json_done(rows->doc);
out:
    smr_text_release(&parents);
    release_graph(&g);
    return st;
}
