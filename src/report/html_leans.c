/* html_leans.c -- what the model leans on: the importance of the columns, once, as a chart with
 * what the chart cannot show below it, and the curves of the most important ones. */
#include "report/draw_parts.h"
#include "report/html_parts.h"

#include <stdio.h>
#include <string.h>

bool smr_html_is_leaning(const smr_json *root, const char *key)
{
    bool known = strcmp(key, "importance") == 0 || strcmp(key, "dependence") == 0;
    return known && smr_html_is_table(smr_json_get(root, key)) && smr_html_has_figure(root, key);
}

static void add_count(smr_text *out, const smr_json *of, const char *key, const char *word)
{
    const smr_json *v = smr_json_get(of, key);
    smr_html_value(out, v);
    smr_text_printf(out, " %s%s", word, smr_json_get_number(of, key, 0) == 1 ? "" : "s");
}

/* "88 rows", "1000 rows drawn from 8141". */
static void add_rows(smr_text *out, const smr_json *entry)
{
    add_count(out, entry, "rows", "row");
    if (!smr_json_get(entry, "drawn_from")) return;
    smr_text_add(out, " drawn from ");
    smr_html_value(out, smr_json_get(entry, "drawn_from"));
}

/* Columns of the figure of this name. */
static int64_t bars_of(const smr_json *root, const char *name)
{
    const smr_json *f = smr_json_get(root, "figures");
    for (f = f ? f->first : NULL; f; f = f->next)
        if (strcmp(smr_json_get_string(f, "name", ""), name) == 0) {
            const smr_json *names = smr_json_get(smr_json_get(f, "y"), "names");
            return names ? names->n : 0;
        }
    return 0;
}

static void add_importance(struct page *p, const smr_json *entry, bool first)
{
    const smr_json *columns = smr_json_get(entry, "columns");
    const char *measure = smr_json_get_string(entry, "measure", "");
    char name[128] = "importance";
    smr_text *out = &p->body;
    if (!first) snprintf(name, sizeof name, "importance-%.100s", measure);
    smr_text_add(out, "<p>With all columns as they are: ");
    smr_html_name(out, measure);
    smr_text_add(out, " ");
    smr_html_value(out, smr_json_get(entry, "unshuffled"));
    smr_text_add(out, " on ");
    add_rows(out, entry);
    smr_text_add(out, ". Each column was then shuffled ");
    add_count(out, entry, "repeats", "time");
    smr_text_add(out, ".</p>\n");
    if (smr_html_is_table(columns) && columns->n > bars_of(p->root, name)) {
        smr_text_printf(out, "<details><summary>All %lld columns</summary>\n",
                        (long long)columns->n);
        smr_html_table(out, columns, (struct html_caption){"Importance of all columns", true}, 0);
        smr_text_add(out, "</details>\n");
    }
}

/* Which columns were drawn, of what. */
static void tell_curves(struct page *p, const smr_json *list)
{
    const smr_json *importance = smr_json_get(p->root, "importance");
    const smr_json *columns =
        importance && importance->first ? smr_json_get(importance->first, "columns") : NULL;
    smr_text *out = &p->body;
    smr_text_add(out, "<p>");
    if (columns && columns->n > list->n)
        smr_text_printf(out, "Drawn for the %lld most important of %lld columns: t",
                        (long long)list->n, (long long)columns->n);
    else
        smr_text_add(out, "T");
    smr_text_add(out, "he mean prediction over ");
    add_rows(out, list->first);
    smr_text_add(out, ", with the column set to the same value in every row.");
    smr_text_add(out, list->n > 1 ? " All curves share one scale.</p>\n" : "</p>\n");
}

smr_status smr_html_leans(struct page *p)
{
    smr_status st = SMR_OK;
    const smr_json *list = smr_json_get(p->root, "importance");
    bool importance = smr_html_is_leaning(p->root, "importance");
    bool dependence = smr_html_is_leaning(p->root, "dependence");
    if (!importance && !dependence) return SMR_OK;
    smr_page_section(p, "importance",
                     importance ? "What the model leans on" : "How predictions change");
    for (const smr_json *e = importance ? list->first : NULL; e; e = e->next)
        add_importance(p, e, e == list->first);
    if (importance) TRY(smr_html_some_figures(p, "importance"));
    list = smr_json_get(p->root, "dependence");
    if (dependence && importance)
        smr_text_add(&p->body, "<h3>How predictions change with these columns</h3>\n");
    bool pair = dependence && smr_json_get(list->first, "with");
    if (dependence && !pair) {
        tell_curves(p, list);
        TRY(smr_html_multiples(p, "dependence", "Partial dependence on "));
    } else if (dependence) {
        TRY(smr_html_some_figures(p, "dependence"));
    }
    smr_text_add(&p->body, "</section>\n");
out:
    return st;
}
