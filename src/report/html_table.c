/* html_table.c -- tables, matrices and pairs of a page.
 *
 * Numbers of one column have the same number of decimals, as many as any of them needs for four
 * digits and no more than they have, so that the points line up; where their sizes
 * differ too much for that, each has four digits of its own. */
#include "report/draw_parts.h"
#include "report/html_parts.h"

#include <math.h>
#include <string.h>

enum { MANY = 9, MOST_COLUMNS = 64, OWN_DIGITS = -1, MOST_DECIMALS = 7 };

static const double LEAST_FIXED = 1e-4; /* below this, four digits take more than MOST_DECIMALS */

struct html_column {
    const char *key, *inner; /* inner: member of an object in the cell, or NULL            */
    bool numeric;
    int decimals; /* OWN_DIGITS: each number as it needs                                   */
};

struct html_columns {
    int64_t n;
    bool full; /* there are more                                                           */
    struct html_column at[MOST_COLUMNS];
};

static const smr_json *cell_of(const smr_json *row, const struct html_column *c)
{
    const smr_json *v = smr_json_get(row, c->key);
    return c->inner ? smr_json_get(v, c->inner) : v;
}

static void add_column(struct html_columns *c, const char *key, const char *inner)
{
    for (int64_t k = 0; k < c->n; k++) {
        const struct html_column *o = &c->at[k];
        bool same = !inner == !o->inner && (!inner || strcmp(inner, o->inner) == 0);
        if (same && strcmp(o->key, key) == 0) return;
    }
    if (c->n < MOST_COLUMNS)
        c->at[c->n++] = (struct html_column){key, inner, true, OWN_DIGITS};
    else
        c->full = true;
}

/* Some row has something to show there that is not a table. */
static bool says_something(const smr_json *rows, const struct html_column *c)
{
    for (const smr_json *row = rows->first; row; row = row->next) {
        const smr_json *v = cell_of(row, c);
        if (smr_html_says(v) && v->type != SMR_JSON_OBJECT && !smr_html_is_table(v) &&
            !smr_html_is_matrix(v))
            return true;
    }
    return false;
}

/* The keys of all rows in the order of first appearance; those that say nothing in any row and
 * those that hold tables are left out. */
static void collect_columns(const smr_json *rows, struct html_columns *c)
{
    enum { LOOKED_AT = 1000 };
    int64_t i = 0, kept = 0;
    for (const smr_json *row = rows->first; row && i < LOOKED_AT; row = row->next, i++)
        for (const smr_json *m = row->first; m; m = m->next) {
            if (smr_html_is_table(m) || smr_html_is_matrix(m)) continue;
            if (m->type != SMR_JSON_OBJECT) add_column(c, m->key, NULL);
            for (const smr_json *e = m->type == SMR_JSON_OBJECT ? m->first : NULL; e; e = e->next)
                if (smr_html_is_scalar(e)) add_column(c, m->key, e->key);
        }
    for (int64_t k = 0; k < c->n; k++)
        if (says_something(rows, &c->at[k])) c->at[kept++] = c->at[k];
    c->n = kept;
}

/* The decimals that four digits of a number need; fewer only where it has no more. */
static int decimals_of(double size)
{
    int d = 0;
    double unit = 1;
    for (; d < MOST_DECIMALS && size * unit < 999.5; d++) unit *= 10;
    double k = nearbyint(size * unit);
    if (fabs(size * unit - k) > 1e-9 * k) return d;
    for (; d > 0 && fmod(k, 10) == 0; k /= 10) d--;
    return d;
}

static void judge_column(const smr_json *rows, struct html_column *c)
{
    double least = INFINITY, most = 0;
    bool any = false;
    int decimals = 0;
    for (const smr_json *row = rows->first; row; row = row->next) {
        const smr_json *v = cell_of(row, c);
        if (!smr_html_says(v)) continue;
        if (v->type != SMR_JSON_NUMBER) {
            c->numeric = false;
            return;
        }
        double size = fabs(v->number);
        any = true;
        decimals = SMR_MAX(decimals, decimals_of(size));
        most = smr_fmax(most, size);
        if (size > 0) least = smr_fmin(least, size);
    }
    c->numeric = any;
    bool mixed = least < LEAST_FIXED || most >= 30 * least || most >= 1e6;
    c->decimals = decimals ? (mixed ? OWN_DIGITS : decimals) : (most < 1e9 ? 0 : OWN_DIGITS);
}

static void add_number(smr_text *out, double x, int decimals)
{
    char text[TICK_TEXT];
    if (decimals == OWN_DIGITS && fabs(x) >= LEAST_FIXED && fabs(x) < 1000)
        smr_plot_fixed(x, decimals_of(fabs(x)), text);
    else if (decimals == OWN_DIGITS || x == 0)
        smr_plot_number(x, text);
    else
        smr_plot_fixed(x, decimals, text);
    smr_text_add(out, text);
}

static void add_cell(smr_text *out, const smr_json *v, const struct html_column *c, bool head)
{
    const char *tag = head ? "th" : "td";
    int64_t length = v && v->type == SMR_JSON_STRING ? v->n : 0;
    const char *klass = length > 30 ? " class=\"text\"" : length > 14 ? " class=\"words\"" : "";
    smr_text_printf(out, "<%s%s%s>", tag, head ? " scope=\"row\"" : "",
                    c->numeric ? " class=\"n\"" : klass);
    if (v && v->type == SMR_JSON_NUMBER && smr_html_says(v) && c->numeric)
        add_number(out, v->number, c->decimals);
    else if (v && v->type == SMR_JSON_STRING && strcmp(c->key, "measure") == 0)
        smr_html_name(out, v->string);
    else
        smr_html_value(out, v);
    smr_text_printf(out, "</%s>", tag);
}

/* Tables may be wider than a telephone: they scroll by themselves, with the keyboard too. */
void smr_html_open_table(smr_text *out, struct html_caption caption, const char *klass)
{
    smr_text_add(out, "<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"");
    smr_xml_string(out, caption.words);
    smr_text_printf(out, "\"><table%s><caption%s>", klass, caption.quiet ? " class=\"quiet\"" : "");
    smr_xml_string(out, caption.words);
    smr_text_add(out, "</caption>\n<thead><tr>");
}

static void add_heads(smr_text *out, const struct html_columns *c, bool keyed)
{
    if (keyed) smr_text_add(out, "<td></td>");
    for (int64_t k = 0; k < c->n; k++) {
        smr_text_printf(out, "<th scope=\"col\"%s>", c->at[k].numeric ? " class=\"n\"" : "");
        bool named = c->at[k].inner && strcmp(c->at[k].key, "params") == 0; /* by itself */
        if (!named) smr_html_name(out, c->at[k].key);
        if (c->at[k].inner) {
            smr_text_add(out, named ? "" : " ");
            smr_html_name(out, c->at[k].inner);
        }
        smr_text_add(out, "</th>");
    }
    smr_text_add(out, "</tr></thead>\n<tbody>\n");
}

/* What of a table is not on the page; columns: those that are, 0: all. */
static void tell_cut(smr_text *out, int64_t shown, int64_t all, int64_t columns)
{
    if (shown < all)
        smr_text_printf(out, "<p class=\"more\">The first %lld of %lld row%s.</p>\n",
                        (long long)shown, (long long)all, smr_plural(all, "", "s"));
    if (columns)
        smr_text_printf(out,
                        "<p class=\"more\">The first %lld columns; the result as JSON has all."
                        "</p>\n",
                        (long long)columns);
}

void smr_html_table(smr_text *out, const smr_json *rows, struct html_caption caption, int64_t most)
{
    struct html_columns c = {0};
    int64_t i = 0;
    bool keyed = rows->type == SMR_JSON_OBJECT;
    collect_columns(rows, &c);
    if (c.n == 0) return;
    for (int64_t k = 0; k < c.n; k++) judge_column(rows, &c.at[k]);
    smr_html_open_table(out, caption, c.n > MANY ? " class=\"dense\"" : "");
    add_heads(out, &c, keyed);
    for (const smr_json *row = rows->first; row && (!most || i < most); row = row->next, i++) {
        smr_text_add(out, "<tr>");
        if (keyed) {
            smr_text_add(out, "<th scope=\"row\">");
            smr_html_name(out, row->key);
            smr_text_add(out, "</th>");
        }
        for (int64_t k = 0; k < c.n; k++)
            add_cell(out, cell_of(row, &c.at[k]), &c.at[k], k == 0 && !keyed);
        smr_text_add(out, "</tr>\n");
    }
    smr_text_add(out, "</tbody></table></div>\n");
    tell_cut(out, i, rows->n, c.full ? c.n : 0);
}

void smr_html_matrix(smr_text *out, const smr_json *matrix, struct html_caption caption)
{
    enum { MOST = 60 };
    int64_t i = 0;
    bool wide = false;
    smr_html_open_table(out, caption, "");
    smr_text_add(out, "</tr></thead>\n<tbody>\n");
    for (const smr_json *row = matrix->first; row && i < MOST; row = row->next, i++) {
        int64_t j = 0;
        smr_text_add(out, "<tr>");
        wide |= row->n > MOST;
        for (const smr_json *v = row->first; v && j < MOST; v = v->next, j++) {
            smr_text_add(out, "<td class=\"n\">");
            smr_html_value(out, v);
            smr_text_add(out, "</td>");
        }
        smr_text_add(out, "</tr>\n");
    }
    smr_text_add(out, "</tbody></table></div>\n");
    tell_cut(out, i, matrix->n, wide ? MOST : 0);
}

/* ---- pairs ------------------------------------------------------------------------------ */

static bool is_listed(const char *const *list, const char *key)
{
    for (; list && *list; list++)
        if (strcmp(*list, key) == 0) return true;
    return false;
}

bool smr_html_is_short(const smr_json *v)
{
    if (smr_html_is_scalar(v)) return true;
    if (v->type == SMR_JSON_OBJECT && v->n > 4) return false;
    for (const smr_json *e = v->first; e; e = e->next)
        if (!smr_html_is_scalar(e)) return false;
    return true;
}

void smr_html_pairs(smr_text *out, const smr_json *object, const char *const *without)
{
    bool any = false;
    for (const smr_json *m = object->first; m; m = m->next) {
        if (!smr_html_says(m) || !smr_html_is_short(m) || is_listed(without, m->key)) continue;
        if (!any) smr_text_add(out, "<dl>\n");
        any = true;
        smr_html_pair(out, m->key, m);
    }
    if (any) smr_text_add(out, "</dl>\n");
}

/* Does some row have a list under this key?  Then it is a column, and its tables are in the
 * cells. */
static bool is_column(const smr_json *rows, const char *key)
{
    for (const smr_json *row = rows->first; row; row = row->next) {
        const smr_json *v = smr_json_get(row, key);
        if (smr_html_says(v) && !smr_html_is_table(v) && !smr_html_is_matrix(v)) return true;
    }
    return false;
}

/* Tables in the cells of a table come below it, each under the name of its row. */
static void add_inner_tables(smr_text *out, const smr_json *rows, int level)
{
    enum { MOST = 40 };
    int64_t i = 0;
    for (const smr_json *row = rows->first; row && i < MOST; row = row->next, i++)
        for (const smr_json *m = row->first; m; m = m->next) {
            if (!smr_html_is_table(m) && !smr_html_is_matrix(m)) continue;
            if (is_column(rows, m->key)) continue;
            const smr_json *first = row->first;
            int depth = SMR_MIN(level + 1, 6);
            smr_text_printf(out, "<h%d>", depth);
            if (row->key) {
                smr_html_heading(out, row->key);
                smr_text_add(out, ": ");
            } else if (first != m && smr_html_is_scalar(first)) {
                smr_html_value(out, first);
                smr_text_add(out, ": ");
            }
            smr_html_name(out, m->key);
            smr_text_printf(out, "</h%d>\n", depth);
            smr_html_any(out, m, m->key, UNHEADED);
        }
}

void smr_html_any(smr_text *out, const smr_json *v, const char *key, int level)
{
    enum { ROWS = 200 };
    int depth = SMR_MIN(level, 6);
    if (!smr_html_says(v)) return;
    smr_text caption = {.ctx = out->ctx};
    smr_text_add_bytes(&caption, key, (int64_t)strlen(key));
    for (int64_t i = 0; i < caption.length && caption.bytes; i++)
        if (caption.bytes[i] == '_') caption.bytes[i] = ' ';
    struct html_caption words = {caption.bytes ? caption.bytes : "", true};
    if (level != UNHEADED) {
        smr_text_printf(out, "<h%d>", depth);
        smr_html_heading(out, key);
        smr_text_printf(out, "</h%d>\n", depth);
    }
    if (smr_html_is_table(v)) {
        smr_html_table(out, v, words, ROWS);
        add_inner_tables(out, v, level == UNHEADED ? 2 : level);
    } else if (smr_html_is_matrix(v)) {
        smr_html_matrix(out, v, words);
    } else if (v->type == SMR_JSON_OBJECT) {
        smr_html_pairs(out, v, NULL);
        for (const smr_json *m = v->first; m; m = m->next)
            if (!smr_html_is_short(m))
                smr_html_any(out, m, m->key, level == UNHEADED ? 3 : level + 1);
    } else {
        smr_text_add(out, "<p>");
        smr_html_value(out, v);
        smr_text_add(out, "</p>\n");
    }
    if (caption.failed) out->failed = true;
    smr_text_release(&caption);
}
