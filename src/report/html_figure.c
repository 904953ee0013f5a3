/* html_figure.c -- the figures of a page: drawn twice, for wide and for narrow screens, and given
 * as a table.  The style sheet shows the one that fits, so that text has its size on both. */
#include "report/draw.h"
#include "report/html_parts.h"

#include <string.h>

static const double WIDE = 520, NARROW = 340;
enum { TABLE_ROWS = 400 };

static smr_status add_drawing(struct page *p, const smr_json *figure, double width,
                              const char *attributes)
{
    smr_figure_opts opts = {.width = width, .inside = true};
    smr_text_printf(&p->body, "<div %s>", attributes);
    smr_status st = smr_figure_svg(p->ctx, figure, &opts, &p->body);
    smr_text_add(&p->body, "</div>\n");
    return st;
}

static smr_status add_table(struct page *p, const smr_json *figure)
{
    smr_status st = SMR_OK;
    smr_ctx *ctx = p->ctx;
    smr_json_doc *doc = NULL;
    const char *title = smr_json_get_string(figure, "title", "figure");
    TRY(smr_json_create(ctx, &doc));
    smr_json *rows = smr_json_add_array(smr_json_root(doc), "rows");
    TRY(smr_json_done(doc));
    TRY(smr_figure_table(ctx, figure, rows));
    if (rows->n == 0) goto out;
    smr_text_add(&p->body, "<details><summary>Show as a table</summary>\n");
    smr_html_table(&p->body, rows, (struct html_caption){title, true}, TABLE_ROWS);
    smr_text_add(&p->body, "</details>\n");
out:
    smr_json_free(doc);
    return st;
}

static smr_status add_figure(struct page *p, const smr_json *figure)
{
    smr_status st = SMR_OK;
    const smr_json *note = smr_json_get(figure, "note");
    bool tree = smr_json_get(figure, "tree");
    smr_text_add(&p->body, tree ? "<figure class=\"whole\">\n<h3>" : "<figure>\n<h3>");
    smr_xml_add(&p->body, smr_words_json(smr_json_get(figure, "title")));
    smr_text_add(&p->body, "</h3>\n");
    if (tree) { /* as wide as it is, on any screen */
        TRY(add_drawing(p, figure, 0, "class=\"scroll\" tabindex=\"0\""));
    } else {
        TRY(add_drawing(p, figure, WIDE, "class=\"wide\""));
        TRY(add_drawing(p, figure, NARROW, "class=\"narrow\""));
    }
    if (smr_html_says(note)) {
        smr_text_add(&p->body, "<figcaption>");
        smr_xml_add(&p->body, smr_words_json(note));
        smr_text_add(&p->body, "</figcaption>\n");
    }
    TRY(add_table(p, figure));
    smr_text_add(&p->body, "</figure>\n");
out:
    return st;
}

static bool has_figure(const smr_json *figures, const char *name)
{
    for (const smr_json *f = figures ? figures->first : NULL; f; f = f->next)
        if (strcmp(smr_json_get_string(f, "name", ""), name) == 0) return true;
    return false;
}

/* The confusion matrix, where the result has one but no figure of it. */
static void add_confusion(smr_json *figures, const smr_json *matrix, const smr_json *names)
{
    enum { MOST = 60 };
    if (!smr_html_is_matrix(matrix) || !names || names->type != SMR_JSON_ARRAY ||
        names->n != matrix->n || names->n > MOST)
        return;
    for (const smr_json *row = matrix->first; row; row = row->next)
        if (row->n != names->n) return;
    smr_json *f = smr_figure_add(figures, "confusion", "Confusion",
                                 "A row is the true class, a column the predicted one.");
    smr_json_add_copy(smr_figure_axis(f, "x", "predicted class", "names"), "names", names);
    smr_json_add_copy(smr_figure_axis(f, "y", "true class", "names"), "names", names);
    smr_json *cells = smr_json_add_object(smr_json_add_array(f, "series"), NULL);
    smr_json_add_string(cells, "name", "rows");
    smr_json_add_string(cells, "kind", "cells");
    smr_json_add_number(cells, "nx", (double)names->n);
    smr_json_add_number(cells, "ny", (double)names->n);
    smr_json *values = smr_json_add_array(cells, "value");
    for (const smr_json *row = matrix->first; row; row = row->next)
        for (const smr_json *v = row->first; v; v = v->next)
            smr_json_add_number(values, NULL, v->number);
    smr_json_add_bool(cells, "text", true);
}

smr_status smr_html_figures(struct page *p)
{
    smr_status st = SMR_OK;
    smr_ctx *ctx = p->ctx;
    smr_json_doc *doc = NULL;
    const smr_json *figures = smr_json_get(p->root, "figures");
    if (figures && figures->type != SMR_JSON_ARRAY) figures = NULL;
    TRY(smr_json_create(ctx, &doc));
    smr_json *more = smr_json_add_array(smr_json_root(doc), "figures");
    if (!has_figure(figures, "confusion"))
        add_confusion(more, smr_json_get(smr_json_get(p->root, "measures"), "confusion"),
                      smr_json_get(p->root, "classes"));
    TRY(smr_json_done(doc));
    if ((!figures || figures->n == 0) && more->n == 0) goto out;
    smr_page_section(p, "figures", "Figures");
    smr_text_add(&p->body, "<div class=\"figures\">\n");
    for (const smr_json *f = more->first; f; f = f->next) TRY(add_figure(p, f));
    for (const smr_json *f = figures ? figures->first : NULL; f; f = f->next) TRY(add_figure(p, f));
    smr_text_add(&p->body, "</div>\n</section>\n");
out:
    smr_json_free(doc);
    return st;
}
