/* html_measure.c -- the measures of a page: a few as tiles, all as tables. */
#include "metric/metric.h"
#include "report/draw_parts.h"
#include "report/html_parts.h"

#include <math.h>
#include <string.h>

/* The measures that people ask for first. */
static const char *const first_asked[] = {"accuracy", "f1",  "auc",       "log_loss", "r2",
                                          "rmse",     "mae", "median_ae", NULL};

/* A measure as a number, or as {"mean": ., "low": ., "high": .}. */
static double figure_of(const smr_json *m)
{
    if (m && m->type == SMR_JSON_NUMBER) return m->number;
    return smr_json_get_number(m, "mean", NAN);
}

static void add_span(smr_text *out, const smr_json *m)
{
    char low[TICK_TEXT], high[TICK_TEXT];
    double from = smr_json_get_number(m, "low", NAN), to = smr_json_get_number(m, "high", NAN);
    if (isnan(from) || isnan(to)) return;
    smr_plot_number(from, low);
    smr_plot_number(to, high);
    smr_text_printf(out, "<p class=\"span\">%s to %s</p>", low, high);
}

static void add_tile(smr_text *out, const char *key, const smr_json *m)
{
    char number[TICK_TEXT];
    const smr_measure *known = smr_measure_find(key, SMR_TASK_CLASSIFY);
    if (!known) known = smr_measure_find(key, SMR_TASK_REGRESS);
    smr_plot_number(figure_of(m), number);
    smr_text_add(out, "<li><p class=\"what\">");
    smr_html_heading(out, key);
    smr_text_printf(out, "</p><p class=\"figure\">%s</p>", number);
    add_span(out, m);
    if (known && !smr_json_get(m, "low"))
        smr_text_printf(out, "<p class=\"span\">%s is better</p>",
                        known->higher_is_better ? "higher" : "lower");
    smr_text_add(out, "</li>\n");
}

void smr_html_tiles(struct page *p)
{
    enum { MOST = 4 };
    const smr_json *measures = smr_json_get(p->root, "measures");
    int n = 0;
    for (const char *const *key = first_asked; *key && n < MOST; key++) {
        const smr_json *m = smr_json_get(measures, *key);
        if (isnan(figure_of(m))) continue;
        if (n++ == 0) smr_text_add(&p->body, "<ul class=\"tiles\" aria-label=\"main measures\">\n");
        add_tile(&p->body, *key, m);
    }
    if (n) smr_text_add(&p->body, "</ul>\n");
}

static void open_measures(smr_text *out)
{
    smr_html_open_table(out, (struct html_caption){"All measures", true}, " class=\"measures\"");
    smr_text_add(out, "<th scope=\"col\">measure</th><th scope=\"col\" class=\"n\">value</th>"
                      "<th scope=\"col\">meaning</th></tr></thead>\n<tbody>\n");
}

/* name, value, what it means: for measures that are plain numbers. */
static void add_plain_measures(smr_text *out, const smr_json *measures)
{
    bool any = false;
    for (const smr_json *m = measures->first; m; m = m->next) {
        if (m->type != SMR_JSON_NUMBER || isnan(m->number)) continue;
        const smr_measure *known = smr_measure_find(m->key, SMR_TASK_CLASSIFY);
        if (!known) known = smr_measure_find(m->key, SMR_TASK_REGRESS);
        if (!any) open_measures(out);
        any = true;
        smr_text_add(out, "<tr><th scope=\"row\">");
        smr_html_name(out, m->key);
        smr_text_add(out, "</th><td class=\"n\">");
        smr_html_value(out, m);
        smr_text_add(out, "</td><td class=\"doc\">");
        if (known) smr_xml_string(out, known->doc);
        smr_text_add(out, "</td></tr>\n");
    }
    if (any) smr_text_add(out, "</tbody></table></div>\n");
}

/* Members that are objects with a mean: the rows of one table. */
static bool are_summaries(const smr_json *measures)
{
    for (const smr_json *m = measures->first; m; m = m->next)
        if (m->type != SMR_JSON_OBJECT || !smr_json_get(m, "mean")) return false;
    return measures->first != NULL;
}

void smr_html_measures(struct page *p)
{
    const smr_json *measures = smr_json_get(p->root, "measures");
    if (!smr_html_says(measures) || smr_html_is_scalar(measures)) return;
    smr_page_section(p, "measures", "Measures");
    smr_text *out = &p->body;
    if (measures->type != SMR_JSON_OBJECT) {
        smr_html_any(out, measures, "measures", 7);
    } else if (are_summaries(measures)) {
        struct html_caption words = {"Mean over the rounds, with its spread and its interval",
                                     false};
        smr_html_table(out, measures, words, 0);
    } else {
        add_plain_measures(out, measures);
        smr_text_add(out, "<div class=\"columns\">\n");
        for (const smr_json *m = measures->first; m; m = m->next) {
            if (smr_html_is_scalar(m) || strcmp(m->key, "confusion") == 0) continue;
            smr_text_add(out, "<div>\n");
            smr_html_any(out, m, m->key, 3);
            smr_text_add(out, "</div>\n");
        }
        smr_text_add(out, "</div>\n");
    }
    smr_text_add(out, "</section>\n");
}
