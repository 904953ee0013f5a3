/* draw_sheet.c -- drawings without axes: what they are called above, a note below, and the
 * element around them.  In a page title and note stand outside. */
#include "report/draw_parts.h"

#include <math.h>

static const double FONT = 12, BOLD = 1.12, LINE = 17, TITLE_LINE = 21;

void smr_sheet_read(const smr_json *figure, bool inside, struct sheet *s)
{
    *s = (struct sheet){.name = smr_words_json(smr_json_get(figure, "name")),
                        .title = smr_words_json(smr_json_get(figure, "title")),
                        .note = smr_words_json(smr_json_get(figure, "note")),
                        .pad = inside ? 2 : 16,
                        .inside = inside};
}

static int count_lines(smr_words words, double width)
{
    int n = 0;
    while (n < MOST_LINES && smr_words_line(&words, width).n > 0) n++;
    return n;
}

double smr_sheet_open(struct sheet *s, double wanted)
{
    s->room = smr_fmax(wanted, s->inside ? 200 : 360);
    s->w = ceil(s->room + 2 * s->pad);
    if (s->inside) return s->pad;
    return s->pad + TITLE_LINE * count_lines(s->title, s->room / (16 * BOLD)) + 6;
}

void smr_sheet_close(struct sheet *s, double y)
{
    if (!s->inside) y += 8 + LINE * count_lines(s->note, s->room / FONT);
    s->h = ceil(y + s->pad);
}

void smr_sheet_begin(const struct sheet *s, smr_text *out)
{
    if (!s->inside) smr_svg_head(out);
    smr_svg_begin(out, s->w, s->h, s->title.n ? s->title : s->name, true);
}

void smr_sheet_words(const struct sheet *s, smr_text *out)
{
    if (s->inside) return;
    smr_svg_paper(out, s->w, s->h);
    double room = s->w - 2 * s->pad, y = s->pad + 14;
    smr_words rest = s->title;
    for (int k = count_lines(rest, room / (16 * BOLD)); k > 0; k--, y += TITLE_LINE)
        smr_svg_text(out, s->pad, y, smr_words_line(&rest, room / (16 * BOLD)), 1e6,
                     " class=\"ink\" font-size=\"16\" font-weight=\"600\"");
    rest = s->note;
    int n = count_lines(rest, room / FONT);
    y = s->h - s->pad - LINE * n + 12;
    for (int k = 0; k < n; k++, y += LINE)
        smr_svg_text(out, s->pad, y, smr_words_line(&rest, room / FONT), 1e6, "");
}
