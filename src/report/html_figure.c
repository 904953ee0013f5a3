/* html_figure.c -- the figures of a page: drawn twice, for wide and for narrow screens, and given
 * as a table.  The style sheet shows the one that fits, so that text has its size on both.  Many of
 * a kind are drawn once, small, side by side. */
#include "report/draw.h"
#include "report/html_parts.h"

#include <string.h>

static const double WIDE = 520, NARROW = 340, SMALL = 320, SMALL_HEIGHT = 216;
enum { TABLE_ROWS = 400 };

static smr_status add_drawing(struct page *p, const smr_json *figure, double width, double height,
                              const char *attributes)
{
    smr_figure_opts opts = {.width = width, .height = height, .inside = true};
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
    bool whole = smr_json_get(figure, "tree") || smr_json_get(figure, "graph") ||
                 smr_json_get(figure, "tiles");
    smr_text_add(&p->body, whole ? "<figure class=\"whole\">\n<h3>" : "<figure>\n<h3>");
    smr_xml_add(&p->body, smr_words_json(smr_json_get(figure, "title")));
    smr_text_add(&p->body, "</h3>\n");
    if (whole) { /* as wide as it is, on any screen */
        TRY(add_drawing(p, figure, 0, 0, "class=\"scroll\" tabindex=\"0\""));
    } else {
        TRY(add_drawing(p, figure, WIDE, 0, "class=\"wide\""));
        TRY(add_drawing(p, figure, NARROW, 0, "class=\"narrow\""));
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

/* The next figure from f on whose name begins like this. */
static const smr_json *next_named(const smr_json *f, const char *prefix)
{
    while (f && strncmp(smr_json_get_string(f, "name", ""), prefix, strlen(prefix)) != 0)
        f = f->next;
    return f;
}

static const smr_json *first_figure(const smr_json *root)
{
    const smr_json *figures = smr_json_get(root, "figures");
    return figures && figures->type == SMR_JSON_ARRAY ? figures->first : NULL;
}

bool smr_html_has_figure(const smr_json *root, const char *prefix)
{
    return next_named(first_figure(root), prefix) != NULL;
}

/* A section of its own shows it. */
static bool is_elsewhere(const smr_json *root, const smr_json *figure)
{
    static const char *const keys[] = {"importance", "dependence"};
    for (int64_t k = 0; k < SMR_COUNT(keys); k++)
        if (next_named(figure, keys[k]) == figure && smr_html_is_leaning(root, keys[k]))
            return true;
    return next_named(figure, "distribution-") == figure && smr_html_is_columns(root, "table");
}

smr_status smr_html_some_figures(struct page *p, const char *prefix)
{
    smr_status st = SMR_OK;
    smr_text_add(&p->body, "<div class=\"figures\">\n");
    for (const smr_json *f = next_named(first_figure(p->root), prefix); f;
         f = next_named(f->next, prefix))
        TRY(add_figure(p, f));
    smr_text_add(&p->body, "</div>\n");
out:
    return st;
}

/* The title without these first words. */
static smr_words without(smr_words title, const char *words)
{
    int64_t n = words ? (int64_t)strlen(words) : 0;
    if (n && title.n > n && memcmp(title.at, words, (size_t)n) == 0)
        return (smr_words){title.at + n, title.n - n};
    return title;
}

static smr_status add_small(struct page *p, const smr_json *figure, const char *leave_out)
{
    smr_status st = SMR_OK;
    const smr_json *note = smr_json_get(figure, "note");
    smr_text_add(&p->body, "<figure class=\"small\">\n<h4>");
    smr_xml_add(&p->body, without(smr_words_json(smr_json_get(figure, "title")), leave_out));
    smr_text_add(&p->body, "</h4>\n");
    TRY(add_drawing(p, figure, SMALL, SMALL_HEIGHT, "class=\"one\""));
    if (smr_html_says(note) && !leave_out) {
        smr_text_add(&p->body, "<figcaption>");
        smr_xml_add(&p->body, smr_words_json(note));
        smr_text_add(&p->body, "</figcaption>\n");
    }
    TRY(add_table(p, figure));
    smr_text_add(&p->body, "</figure>\n");
out:
    return st;
}

smr_status smr_html_multiples(struct page *p, const char *prefix, const char *leave_out)
{
    smr_status st = SMR_OK;
    const smr_json *f = next_named(first_figure(p->root), prefix);
    if (!f) return SMR_OK;
    smr_text_add(&p->body, "<div class=\"multiples\">\n");
    for (; f; f = next_named(f->next, prefix)) TRY(add_small(p, f, leave_out));
    smr_text_add(&p->body, "</div>\n");
out:
    return st;
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
                                 "Each row is a true class, each column a predicted one.");
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
    int64_t n = 0;
    for (const smr_json *f = first_figure(p->root); f; f = f->next) n += !is_elsewhere(p->root, f);
    TRY(smr_json_create(ctx, &doc));
    smr_json *more = smr_json_add_array(smr_json_root(doc), "figures");
    if (!smr_html_has_figure(p->root, "confusion"))
        add_confusion(more, smr_json_get(smr_json_get(p->root, "measures"), "confusion"),
                      smr_json_get(p->root, "classes"));
    TRY(smr_json_done(doc));
    if (n + more->n == 0) goto out;
    smr_page_section(p, "figures", "Figures");
    smr_text_add(&p->body, "<div class=\"figures\">\n");
    for (const smr_json *f = more->first; f; f = f->next) TRY(add_figure(p, f));
    for (const smr_json *f = first_figure(p->root); f; f = f->next)
        if (!is_elsewhere(p->root, f)) TRY(add_figure(p, f));
    smr_text_add(&p->body, "</div>\n</section>\n");
out:
    smr_json_free(doc);
    return st;
}
