/* draw_tree.c -- figures of nodes (core/figure.h): boxes with their lines and bars, and the answers
 * that lead from one to the next.
 *
 * From the top: title, what the colours mean, the tree, note.  A box is as wide as its words, up to
 * a limit beyond which they are shortened; the answer is above the box it leads to and is part
 * of the room that the layout keeps free, so no text lies on other text.  The drawing is as wide as
 * the tree; a page scrolls it. */
#include "report/draw_parts.h"

#include <math.h>
#include <stdio.h>

static const double FONT = 12, BOLD = 1.12, LINE = 17;
static const double MOST_WORDS = 280, PAD_X = 10, PAD_Y = 7, BAR = 8, ANSWER = 17, GAP = 16;
static const double DROP = 34, SIGN = 18, LEGEND_GAP = 16;
enum { MOST_NODES = 2000, NODE_LINES = 6, MOST_CLASSES = 1000 };

struct node {
    smr_words edge, line[NODE_LINES];
    int n_lines;
    const smr_json *bars;
    double share, shade, rows, more; /* NaN: not given */
    bool leaf;
    int64_t depth;
    double w, h, y; /* of the box; its upper edge */
};

struct tree {
    int64_t n, n_levels, n_classes;
    struct node *node;
    int64_t *parent;
    double *x, *width; /* middles, and the room of box and answer */
    double *level_h;   /* n: height of each level                 */
    smr_words *classes;
    int *colour; /* of each class                         */
    bool others; /* some share the last colour            */
    struct sheet sheet;
    double top; /* where the root is */
};

bool smr_figure_is_tree(const smr_json *figure)
{
    const smr_json *list = smr_json_get(figure, "tree");
    return list && list->type == SMR_JSON_ARRAY;
}

/* ---- reading ---------------------------------------------------------------------------- */

static smr_status no_tree(smr_ctx *ctx, const char *why)
{
    return smr_fail(ctx, SMR_ERR_PARAM, "a figure of a tree cannot be drawn: %s", why);
}

static double finite_number(const smr_json *object, const char *key)
{
    double v = smr_json_get_number(object, key, NAN);
    return isfinite(v) ? v : NAN;
}

static smr_status read_node(smr_ctx *ctx, const smr_json *json, int64_t i, struct tree *t)
{
    struct node *node = &t->node[i];
    const smr_json *lines = smr_json_get(json, "lines");
    double parent = smr_json_get_number(json, "parent", -1);
    if (json->type != SMR_JSON_OBJECT) return no_tree(ctx, "a node is no object");
    if ((i == 0) != (parent == -1) || !(parent < (double)i) || parent < -1 ||
        parent != floor(parent))
        return no_tree(ctx, "the first node has no parent, every other one before it");
    t->parent[i] = (int64_t)parent;
    node->depth = i ? t->node[t->parent[i]].depth + 1 : 0;
    node->edge = smr_words_json(smr_json_get(json, "edge"));
    node->bars = smr_json_get(json, "bars");
    if (node->bars && node->bars->type != SMR_JSON_ARRAY) node->bars = NULL;
    node->share = smr_fmax(0, smr_fmin(1, finite_number(json, "share")));
    node->shade = smr_fmax(-1, smr_fmin(1, finite_number(json, "shade")));
    if (isnan(finite_number(json, "shade"))) node->shade = NAN;
    node->rows = finite_number(json, "rows");
    node->more = finite_number(json, "more");
    node->leaf = smr_json_get_bool(json, "leaf", false);
    for (const smr_json *e = lines ? lines->first : NULL; e && node->n_lines < NODE_LINES;
         e = e->next)
        node->line[node->n_lines++] = smr_words_json(e);
    t->n_levels = SMR_MAX(t->n_levels, node->depth + 1);
    return SMR_OK;
}

/* Eight colours: of more classes the seven with the largest bars at the root have their own. */
static void give_colours(struct tree *t)
{
    const smr_json *e = t->n ? t->node[0].bars ? t->node[0].bars->first : NULL : NULL;
    t->others = t->n_classes > PLOT_COLOURS;
    for (int64_t k = 0; k < t->n_classes; k++) t->colour[k] = t->others ? PLOT_COLOURS - 1 : (int)k;
    if (!t->others) return;
    for (int c = 0; c < PLOT_COLOURS - 1; c++) {
        int64_t best = -1, k = 0;
        double most = -1;
        const smr_json *v = e;
        for (; k < t->n_classes; k++, v = v ? v->next : NULL) {
            double share = v && v->type == SMR_JSON_NUMBER ? v->number : 0;
            if (t->colour[k] == PLOT_COLOURS - 1 && share > most) {
                best = k;
                most = share;
            }
        }
        if (best >= 0) t->colour[best] = c;
    }
}

static smr_status read_tree(smr_ctx *ctx, const smr_json *figure, struct tree *t)
{
    smr_status st = SMR_OK;
    const smr_json *list = smr_json_get(figure, "tree"), *names = smr_json_get(figure, "classes");
    int64_t i = 0;
    if (list->n == 0) return no_tree(ctx, "it has no nodes");
    if (list->n > MOST_NODES) return no_tree(ctx, "it has more than 2000 nodes");
    if (names && (names->type != SMR_JSON_ARRAY || names->n > MOST_CLASSES))
        return no_tree(ctx, "the classes are no list of at most 1000 names");
    t->n_classes = names ? names->n : 0;
    TRY_NEW(t->node, list->n);
    TRY_NEW(t->parent, list->n);
    TRY_NEW(t->x, list->n);
    TRY_NEW(t->width, list->n);
    TRY_NEW(t->level_h, list->n);
    TRY_NEW(t->classes, t->n_classes + 1);
    TRY_NEW(t->colour, t->n_classes + 1);
    for (const smr_json *e = list->first; e; e = e->next, i++) TRY(read_node(ctx, e, i, t));
    t->n = list->n;
    i = 0;
    for (const smr_json *e = names ? names->first : NULL; e; e = e->next)
        t->classes[i++] = smr_words_json(e);
    give_colours(t);
out:
    return st;
}

static void release_tree(struct tree *t)
{
    smr_free(t->node);
    smr_free(t->parent);
    smr_free(t->x);
    smr_free(t->width);
    smr_free(t->level_h);
    smr_free(t->classes);
    smr_free(t->colour);
}

/* ---- layout ----------------------------------------------------------------------------- */

static double words_room(smr_words words, bool bold)
{
    return smr_fmin(MOST_WORDS, FONT * (bold ? BOLD : 1) * smr_words_width(words) + 1);
}

static void say_more(const struct node *node, char out[TICK_TEXT + 24])
{
    char number[TICK_TEXT];
    smr_plot_number(node->more, number);
    snprintf(out, TICK_TEXT + 24, "\u2026 %s more nodes", number);
}

static void size_box(struct tree *t, int64_t i)
{
    struct node *node = &t->node[i];
    double wide = 46;
    char more[TICK_TEXT + 24];
    for (int k = 0; k < node->n_lines; k++)
        wide = smr_fmax(wide, words_room(node->line[k], k == 0));
    if (node->more > 0) {
        say_more(node, more);
        wide = smr_fmax(wide, words_room(smr_words_of(more), false));
    }
    node->w = ceil(wide + 2 * PAD_X);
    node->h = 2 * PAD_Y + LINE * (node->n_lines + (node->more > 0)) + (node->bars ? BAR + 3 : 0);
    t->width[i] = smr_fmax(node->w, words_room(node->edge, false) + 6);
}

/* The height that the words around the tree take, before and after. */
static double legend_rows(const struct tree *t, double width)
{
    double x = 0, rows = 1;
    for (int64_t k = 0; k < t->n_classes; k++) {
        if (t->others && t->colour[k] == PLOT_COLOURS - 1) continue;
        double need = SIGN + words_room(t->classes[k], false);
        if (x > 0 && x + need > width) {
            x = 0;
            rows++;
        }
        x += need + LEGEND_GAP;
    }
    if (t->others && x + SIGN + 50 > width) rows++;
    return t->n_classes ? rows : 0;
}

static smr_status lay_out(smr_ctx *ctx, struct tree *t)
{
    smr_status st = SMR_OK;
    double right = 0;
    for (int64_t i = 0; i < t->n; i++) {
        size_box(t, i);
        double *level = &t->level_h[t->node[i].depth];
        *level = smr_fmax(*level, t->node[i].h + (i ? ANSWER : 0));
    }
    TRY(smr_tidy(ctx, t->n, t->parent, t->width, GAP, t->x, &right));
    double y = smr_sheet_open(&t->sheet, right);
    y += LINE * legend_rows(t, t->sheet.room) + (t->n_classes ? 10 : 0);
    t->top = y;
    for (int64_t i = 0; i < t->n; i++) t->x[i] += t->sheet.pad + (t->sheet.room - right) / 2;
    for (int64_t d = 0; d < t->n_levels; d++) {
        double high = t->level_h[d];
        t->level_h[d] = y + (d ? ANSWER : 0);
        y += high + (d + 1 < t->n_levels ? DROP : 0);
    }
    for (int64_t i = 0; i < t->n; i++) t->node[i].y = t->level_h[t->node[i].depth];
    smr_sheet_close(&t->sheet, y);
out:
    return st;
}

/* ---- drawing ---------------------------------------------------------------------------- */

static void draw_edge(const struct tree *t, int64_t i, smr_text *out)
{
    const struct node *to = &t->node[i], *from = &t->node[t->parent[i]];
    double x1 = t->x[t->parent[i]], y1 = from->y + from->h, x2 = t->x[i];
    double y2 = to->y - (to->edge.n ? ANSWER : 0), bend = (y1 + y2) / 2;
    const double at[] = {x1, y1, x1, bend, x2, bend, x2, y2};
    smr_text_add(out, "<path class=\"axis\" fill=\"none\" stroke-opacity=\".55\"");
    smr_svg_attr(out, "stroke-width", 1 + 9 * (isnan(to->share) ? 0 : to->share));
    smr_text_add(out, " d=\"");
    for (int k = 0; k < 4; k++) {
        smr_text_add(out, k == 0 ? "M" : k == 1 ? "C" : " ");
        smr_svg_length(out, at[2 * k]);
        smr_text_add(out, " ");
        smr_svg_length(out, at[2 * k + 1]);
    }
    smr_text_add(out, "\"/>\n");
}

/* What pointing at the box shows: the names of the classes with their rows. */
static void add_counts(const struct tree *t, const struct node *node, smr_text *out)
{
    const smr_json *v = node->bars ? node->bars->first : NULL;
    char number[TICK_TEXT];
    for (int64_t k = 0; v && k < t->n_classes; k++, v = v->next) {
        if (v->type != SMR_JSON_NUMBER || !(v->number > 0)) continue;
        smr_plot_number(isnan(node->rows) ? v->number : v->number * node->rows, number);
        smr_text_add(out, "\n");
        smr_xml_add(out, t->classes[k]);
        smr_text_printf(out, ": %s", number);
    }
}

/* Shares of the classes side by side. */
static void draw_bars(const struct tree *t, int64_t i, smr_text *out)
{
    const struct node *node = &t->node[i];
    double sum = 0, x = t->x[i] - node->w / 2 + PAD_X, room = node->w - 2 * PAD_X;
    double y = node->y + node->h - PAD_Y - BAR + 2;
    int64_t k = 0;
    for (const smr_json *v = node->bars->first; v; v = v->next)
        if (v->type == SMR_JSON_NUMBER && v->number > 0 && isfinite(v->number)) sum += v->number;
    if (!(sum > 0) || !isfinite(sum)) return;
    for (const smr_json *v = node->bars->first; v; v = v->next, k++) {
        if (v->type != SMR_JSON_NUMBER || !(v->number > 0) || !isfinite(v->number)) continue;
        double w = room * v->number / sum;
        int colour = k < t->n_classes ? t->colour[k] : PLOT_COLOURS - 1;
        smr_text_printf(out, "<g class=\"s%d\">", colour + 1);
        smr_svg_rect(out, x, y, w, BAR);
        smr_text_add(out, " fill=\"currentColor\"/></g>");
        x += w;
    }
    smr_text_add(out, "\n");
}

static void draw_frame_of(const struct tree *t, int64_t i, smr_text *out)
{
    const struct node *node = &t->node[i];
    double left = t->x[i] - node->w / 2, round = node->leaf ? 9 : 2;
    for (int pass = 0; pass < (isnan(node->shade) ? 1 : 2); pass++) {
        smr_svg_rect(out, left, node->y, node->w, node->h);
        smr_svg_attr(out, "rx", round);
        if (pass == 0) {
            smr_text_printf(out, " class=\"bg axis\"%s/>\n",
                            node->more > 0 ? " stroke-dasharray=\"4 3\"" : "");
            continue;
        }
        smr_text_printf(out, " class=\"%s\"", node->shade < 0 ? "cool" : "heat");
        int cents = (int)nearbyint(fabs(node->shade) * 100);
        smr_text_printf(out, " fill-opacity=\"%d.%02d\"/>\n", cents / 100, cents % 100);
    }
}

static void draw_box(const struct tree *t, int64_t i, smr_text *out)
{
    const struct node *node = &t->node[i];
    double y = node->y + PAD_Y + 12.5;
    char more[TICK_TEXT + 24];
    smr_text_add(out, "<g text-anchor=\"middle\"><title>");
    for (int k = 0; k < node->n_lines; k++) {
        if (k) smr_text_add(out, "\n");
        smr_xml_add(out, node->line[k]);
    }
    add_counts(t, node, out);
    smr_text_add(out, "</title>\n");
    draw_frame_of(t, i, out);
    for (int k = 0; k < node->n_lines; k++, y += LINE) {
        bool bold = k == 0 && node->leaf;
        smr_svg_text(out, t->x[i], y, node->line[k], MOST_WORDS / (k == 0 ? BOLD : 1),
                     bold                            ? " class=\"ink\" font-weight=\"600\""
                     : k == 0 || !isnan(node->shade) ? " class=\"ink\""
                                                     : "");
        smr_text_add(out, "\n");
    }
    if (node->more > 0) {
        say_more(node, more);
        smr_svg_text(out, t->x[i], y, smr_words_of(more), MOST_WORDS,
                     " class=\"ink\" font-style=\"italic\"");
    }
    if (node->bars) draw_bars(t, i, out);
    if (node->edge.n) smr_svg_text(out, t->x[i], node->y - 5, node->edge, MOST_WORDS, "");
    smr_text_add(out, "</g>\n");
}

static void draw_legend_item(double x, double y, int colour, smr_words words, smr_text *out)
{
    smr_text_printf(out, "<g class=\"s%d\">", colour + 1);
    smr_svg_rect(out, x, y + 2, 12, 11);
    smr_text_add(out, " fill=\"currentColor\"/></g>");
    smr_svg_text(out, x + SIGN, y + 12, words, MOST_WORDS, " class=\"ink\"");
    smr_text_add(out, "\n");
}

static void draw_legend(const struct tree *t, smr_text *out)
{
    double width = t->sheet.w - 2 * t->sheet.pad, x = 0;
    double y = t->top - LINE * legend_rows(t, width) - 10;
    for (int64_t k = 0; k < t->n_classes; k++) {
        if (t->others && t->colour[k] == PLOT_COLOURS - 1) continue;
        double need = SIGN + words_room(t->classes[k], false);
        if (x > 0 && x + need > width) {
            x = 0;
            y += LINE;
        }
        draw_legend_item(t->sheet.pad + x, y, t->colour[k], t->classes[k], out);
        x += need + LEGEND_GAP;
    }
    if (t->others && x + SIGN + 50 > width) {
        x = 0;
        y += LINE;
    }
    if (t->others)
        draw_legend_item(t->sheet.pad + x, y, PLOT_COLOURS - 1, smr_words_of("others"), out);
}

/* What is read to someone who does not see the drawing. */
static void describe(const struct tree *t, smr_text *out)
{
    enum { TOLD = 15 };
    smr_text_printf(out, "<desc>A tree of %lld node%s on %lld level%s.", (long long)t->n,
                    smr_plural(t->n, "", "s"), (long long)t->n_levels,
                    smr_plural(t->n_levels, "", "s"));
    for (int64_t i = 0; i < t->n && i < TOLD; i++) {
        const struct node *node = &t->node[i];
        smr_text_printf(out, " Node %lld", (long long)i);
        if (i) smr_text_printf(out, ", below %lld", (long long)t->parent[i]);
        if (node->edge.n) smr_text_add(out, ", ");
        smr_xml_add(out, node->edge);
        for (int k = 0; k < node->n_lines; k++) {
            smr_text_add(out, k ? ", " : ": ");
            smr_xml_add(out, node->line[k]);
        }
        smr_text_add(out, ".");
    }
    smr_text_add(out, "</desc>");
}

smr_status smr_tree_svg(smr_ctx *ctx, const smr_json *figure, const smr_figure_opts *opts,
                        smr_text *out)
{
    smr_status st = SMR_OK;
    struct tree t = {0};
    smr_sheet_read(figure, opts->inside, &t.sheet);
    TRY(read_tree(ctx, figure, &t));
    TRY(lay_out(ctx, &t));
    smr_sheet_begin(&t.sheet, out);
    describe(&t, out);
    smr_sheet_words(&t.sheet, out);
    draw_legend(&t, out);
    for (int64_t i = 1; i < t.n; i++) draw_edge(&t, i, out);
    for (int64_t i = 0; i < t.n; i++) draw_box(&t, i, out);
    smr_text_add(out, "</svg>\n");
    TRY(smr_text_done(out));
out:
    release_tree(&t);
    return st;
}

/* ---- as rows ---------------------------------------------------------------------------- */

smr_status smr_tree_table(smr_ctx *ctx, const smr_json *figure, smr_json *rows)
{
    smr_status st = SMR_OK;
    struct tree t = {0};
    static const char *const keys[] = {"text", "counts", "line 3", "line 4", "line 5", "line 6"};
    TRY(read_tree(ctx, figure, &t));
    for (int64_t i = 0; i < t.n; i++) {
        const struct node *node = &t.node[i];
        smr_json *row = smr_json_add_object(rows, NULL);
        smr_json_add_number(row, "node", (double)i);
        if (i)
            smr_json_add_number(row, "below", (double)t.parent[i]);
        else
            smr_json_add_null(row, "below");
        smr_json_add_bytes(row, "answer", node->edge.at, node->edge.n);
        for (int k = 0; k < node->n_lines; k++)
            smr_json_add_bytes(row, keys[k], node->line[k].at, node->line[k].n);
    }
    st = smr_json_done(rows->doc);
out:
    release_tree(&t);
    return st;
}
