/* draw_frame.c -- everything in a drawing except the data: shades, grid, axes, legend, words. */
#include "report/draw_parts.h"

#include <math.h>
#include <string.h>

void smr_area_open(const struct frame *f, smr_text *out)
{
    smr_text_add(out, "<g transform=\"translate(");
    smr_svg_length(out, f->left);
    smr_text_add(out, " ");
    smr_svg_length(out, f->top);
    smr_text_add(out, ")\">\n");
}

/* ---- behind the data -------------------------------------------------------------------- */

static void draw_shades(const struct frame *f, const struct plot *p, smr_text *out)
{
    for (int64_t i = 0; i < p->n_shades; i++) {
        double from = smr_fmax(0, smr_area_x(f, p, p->shades[i].from));
        double to = smr_fmin(f->w, smr_area_x(f, p, p->shades[i].to));
        if (!(to > from)) continue;
        smr_svg_rect(out, from, 0, to - from, f->h);
        smr_text_printf(out, " class=\"shade\" fill-opacity=\"%s\"><title>", i % 2 ? ".14" : ".07");
        smr_xml_add(out, p->shades[i].label);
        smr_text_add(out, "</title></rect>\n");
    }
}

/* Faint lines at the ticks of the axis that numbers are read from; at those of both for clouds of
 * points and where one unit of x is one of y. */
static void draw_grid(const struct frame *f, const struct plot *p, smr_text *out)
{
    bool lone_points = p->n_series > 0;
    for (int64_t i = 0; i < p->n_series; i++)
        lone_points &= p->series[i].kind == PLOT_POINTS && !p->series[i].low;
    bool across = p->y.scale != SCALE_NAMES;
    bool down = p->x.scale != SCALE_NAMES &&
                (p->across || lone_points || p->x.equal || p->y.equal || !across);
    if (p->has_cells) return;
    smr_text_add(out, "<path class=\"grid\" fill=\"none\" d=\"");
    for (int64_t i = 0; i < f->yt.n && across; i++) {
        double y = (1 - f->yt.at[i].place) * f->h;
        if (!f->yt.at[i].minor) smr_svg_line(out, 0, y, f->w, y);
    }
    for (int64_t i = 0; i < f->xt.n && down; i++) {
        double x = f->xt.at[i].place * f->w;
        if (!f->xt.at[i].minor) smr_svg_line(out, x, 0, x, f->h);
    }
    smr_text_add(out, "\"/>\n");
}

static void draw_mark(const struct frame *f, const struct plot *p, int64_t i, smr_text *out)
{
    const struct plot_mark *m = &p->marks[i];
    double x = m->kind == MARK_VLINE ? smr_area_x(f, p, m->at) : 0;
    double y = m->kind == MARK_HLINE ? smr_area_y(f, p, m->at) : 0;
    if (isnan(x) || isnan(y) || x < -1 || x > f->w + 1 || y < -1 || y > f->h + 1) return;
    smr_text_printf(out,
                    "<path class=\"mark\" fill=\"none\" stroke-width=\"1.5\" "
                    "stroke-dasharray=\"%s\" d=\"",
                    smr_series_dash(1 + (int)(i % 4)));
    if (m->kind == MARK_VLINE) {
        smr_svg_line(out, x, -3, x, f->h);
    } else if (m->kind == MARK_HLINE) {
        smr_svg_line(out, 0, y, f->w, y);
    } else { /* y = x, as far as both axes go */
        double from = smr_fmax(p->x.from, p->y.from), to = smr_fmin(p->x.to, p->y.to);
        if (from < to)
            smr_svg_line(out, smr_area_x(f, p, from), smr_area_y(f, p, from), smr_area_x(f, p, to),
                         smr_area_y(f, p, to));
    }
    smr_text_add(out, "\"><title>");
    smr_xml_add(out, m->label);
    smr_text_add(out, "</title></path>\n");
}

void smr_area_draw_back(const struct frame *f, const struct plot *p, smr_text *out)
{
    smr_area_open(f, out);
    draw_shades(f, p, out);
    draw_grid(f, p, out);
    for (int64_t i = 0; i < p->n_marks && !p->has_cells; i++) draw_mark(f, p, i, out);
    smr_text_add(out, "</g>\n");
}

/* ---- axes ------------------------------------------------------------------------------- */

/* The line that bars and curves stand on: at zero where it is on the axis, else at the edge. */
static void draw_axis_lines(const struct frame *f, const struct plot *p, smr_text *out)
{
    smr_text_add(out, "<path class=\"axis\" fill=\"none\" d=\"");
    if (p->has_hbars) {
        double x = p->x.scale == SCALE_LINEAR ? smr_area_x(f, p, 0) : 0;
        if (!(x >= 0 && x <= f->w)) x = 0;
        smr_svg_line(out, x, 0, x, f->h);
    } else if (!p->has_cells) {
        double y = p->has_bars && p->y.scale == SCALE_LINEAR ? smr_area_y(f, p, 0) : f->h;
        if (!(y >= 0 && y <= f->h)) y = f->h;
        smr_svg_line(out, 0, y, f->w, y);
    }
    for (int64_t i = 0; i < f->xt.n && p->x.scale != SCALE_NAMES && !p->has_hbars; i++) {
        double x = f->xt.at[i].place * f->w;
        smr_svg_line(out, x, f->h, x, f->h + (f->xt.at[i].minor ? 3 : 5));
    }
    for (int64_t i = 0; i < f->yt.n && (p->y.scale == SCALE_LOG || p->has_cells); i++) {
        double y = (1 - f->yt.at[i].place) * f->h;
        if (f->yt.at[i].minor || p->y.scale == SCALE_LINEAR)
            smr_svg_line(out, f->yt.at[i].minor ? -3 : -5, y, 0, y);
    }
    smr_text_add(out, "\"/>\n");
}

static void draw_slanted(const struct frame *f, const struct plot_tick *t, smr_text *out)
{
    smr_text_add(out, "<g transform=\"translate(");
    smr_svg_length(out, t->place * f->w + 4);
    smr_text_add(out, " ");
    smr_svg_length(out, f->h + 13);
    smr_text_add(out, ") rotate(-45)\">");
    smr_svg_text(out, 0, 0, t->words, f->slant_room, "");
    smr_text_add(out, "</g>");
}

static void draw_folded(const struct frame *f, const struct plot *p, const struct plot_tick *t,
                        smr_text *out)
{
    double room = f->w / (double)SMR_MAX(p->x.n_names, 1) - 8;
    smr_words rest = t->words;
    for (int k = 0; k < 2; k++) {
        smr_words line = smr_words_line(&rest, room / 12);
        if (line.n) smr_svg_text(out, t->place * f->w, f->h + 19 + 15 * k, line, f->w, "");
    }
}

static void draw_x_texts(const struct frame *f, const struct plot *p, smr_text *out)
{
    smr_text_printf(out, "<g text-anchor=\"%s\">", f->slanted ? "end" : "middle");
    for (int64_t i = 0; i < f->xt.n; i++) {
        const struct plot_tick *t = &f->xt.at[i];
        if (t->minor) continue;
        if (f->slanted)
            draw_slanted(f, t, out);
        else if (f->folded)
            draw_folded(f, p, t, out);
        else
            smr_svg_text(out, t->place * f->w, f->h + 19, t->words, f->w, "");
    }
    smr_text_add(out, "</g>\n");
    if (!p->x.label.n) return;
    smr_text label = {.ctx = out->ctx};
    smr_text_add_bytes(&label, p->x.label.at, p->x.label.n);
    if (p->x.scale != SCALE_NAMES) smr_text_add(&label, " \u2192");
    double y = f->h + f->below + 14;
    double need = 12 * smr_words_width((smr_words){label.bytes, label.length});
    double room = f->width - 2 * f->pad, x = f->w; /* to the right end, or from the left edge */
    bool over = need > f->left - f->pad + f->w;
    smr_svg_text(out, over ? f->pad - f->left : x, y, (smr_words){label.bytes, label.length}, room,
                 over ? " class=\"ink\"" : " text-anchor=\"end\" class=\"ink\"");
    if (label.failed) out->failed = true;
    smr_text_release(&label);
}

static void draw_y_texts(const struct frame *f, const struct plot *p, smr_text *out)
{
    smr_text_add(out, "<g text-anchor=\"end\">");
    for (int64_t i = 0; i < f->yt.n; i++) {
        const struct plot_tick *t = &f->yt.at[i];
        double y = (p->y.down ? t->place : 1 - t->place) * f->h;
        if (!t->minor) smr_svg_text(out, -8, y + 4, t->words, f->name_room + 0.1, "");
    }
    smr_text_add(out, "</g>\n");
}

/* ---- words ------------------------------------------------------------------------------ */

static void draw_y_label(const struct frame *f, const struct plot *p, smr_text *out)
{
    if (!p->y.label.n) return;
    smr_text label = {.ctx = out->ctx};
    if (p->y.scale != SCALE_NAMES) smr_text_add(&label, "\u2191 ");
    smr_text_add_bytes(&label, p->y.label.at, p->y.label.n);
    smr_svg_text(out, f->pad, f->ylabel_y + 12, (smr_words){label.bytes, label.length},
                 f->width - 2 * f->pad, " class=\"ink\"");
    smr_text_add(out, "\n");
    if (label.failed) out->failed = true;
    smr_text_release(&label);
}

static void draw_title(const struct frame *f, smr_text *out)
{
    for (int i = 0; i < f->n_title; i++)
        smr_svg_text(out, f->pad, f->title_y + 14 + 21 * i, f->title[i], 1e6,
                     " class=\"ink\" font-size=\"16\" font-weight=\"600\"");
    if (f->n_title) smr_text_add(out, "\n");
}

static void draw_legend(const struct frame *f, const struct plot *p, smr_text *out)
{
    for (int64_t i = 0; i < f->n_legend; i++) {
        const struct legend_item *item = &f->legend[i];
        smr_series_sign(p, item, out);
        if (item->klass == -2) continue; /* it has written its numbers */
        smr_svg_text(out, item->x + 28, item->y + 12, item->words, item->width - 27.9,
                     " class=\"ink\"");
        smr_text_add(out, "\n");
    }
}

static void draw_notes(const struct frame *f, smr_text *out)
{
    double y = f->note_y + 12;
    for (int i = 0; i < f->n_note; i++, y += 17) smr_svg_text(out, f->pad, y, f->note[i], 1e6, "");
    if (f->remark[0]) smr_svg_text(out, f->pad, y, smr_words_of(f->remark), 1e6, "");
}

void smr_area_draw_front(const struct frame *f, const struct plot *p, smr_text *out)
{
    smr_area_open(f, out);
    for (int64_t i = 0; i < p->n_marks && p->has_cells; i++) draw_mark(f, p, i, out);
    draw_axis_lines(f, p, out);
    draw_x_texts(f, p, out);
    draw_y_texts(f, p, out);
    for (int64_t i = 0; i < f->n_strip; i++) {
        const struct strip_item *s = &f->strips[i];
        smr_svg_text(out, s->x, -8 - 16 * s->row, s->words, s->width, " text-anchor=\"middle\"");
    }
    if (!p->has_data)
        smr_svg_text(out, f->w / 2, f->h / 2, smr_words_of("no data"), f->w,
                     " text-anchor=\"middle\"");
    smr_text_add(out, "</g>\n");
    draw_title(f, out);
    draw_legend(f, p, out);
    draw_y_label(f, p, out);
    draw_notes(f, out);
}
