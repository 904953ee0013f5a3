/* html_measure.c -- the measures of a page: a few as tiles, all as tables. */
#include "learn/task.h"
#include "metric/metric.h"
#include "report/draw_parts.h"
#include "report/html_parts.h"

#include <math.h>
#include <string.h>

/* The measures that people ask for first. */
static const char *const first_asked[] = {"accuracy", "f1",  "auc",       "log_loss", "rmse",
                                          "r2",       "mae", "median_ae", NULL};

static const smr_measure *find_measure(const char *key)
{
    const smr_measure *m = NULL;
    for (int task = 0; !m && task < SMR_TASKS; task++) m = smr_measure_find(key, (smr_task)task);
    return m;
}

/* A measure as a number, or as {"mean": ., "low": ., "high": .}. */
static double figure_of(const smr_json *m)
{
    if (m && m->type == SMR_JSON_NUMBER) return m->number;
    return smr_json_get_number(m, "mean", NAN);
}

/* The interval of a measure: in it, or in the result's "intervals". */
static bool span_of(const smr_json *root, const char *key, const smr_json *m, double span[2])
{
    const smr_json *pair = smr_json_get(smr_json_get(root, "intervals"), key);
    span[0] = smr_json_get_number(m, "low", NAN);
    span[1] = smr_json_get_number(m, "high", NAN);
    if (pair && pair->type == SMR_JSON_ARRAY && pair->n == 2) {
        span[0] = pair->first->type == SMR_JSON_NUMBER ? pair->first->number : NAN;
        span[1] = pair->last->type == SMR_JSON_NUMBER ? pair->last->number : NAN;
    }
    return !isnan(span[0]) && !isnan(span[1]);
}

static void add_span(smr_text *out, const double span[2])
{
    char low[TICK_TEXT], high[TICK_TEXT];
    smr_plot_number(span[0], low);
    smr_plot_number(span[1], high);
    smr_text_printf(out, "%s to %s", low, high);
}

/* "baseline (always the mean): 75.72": what the same measure is without any model. */
static void add_beside(const char *what, double value, smr_text *out)
{
    static const char prefix[] = "baseline: ";
    char number[TICK_TEXT];
    if (isnan(value)) return;
    if (strncmp(what, prefix, sizeof prefix - 1) == 0) what += sizeof prefix - 1;
    smr_plot_number(value, number);
    smr_text_add(out, "<p class=\"beside\">baseline (");
    smr_xml_string(out, what);
    smr_text_printf(out, "): <b>%s</b></p>", number);
}

static void add_tile(const smr_json *root, const smr_json *m, smr_text *out)
{
    const smr_json *baseline = smr_json_get(root, "baseline");
    if (!baseline) baseline = smr_json_get(smr_json_get(root, "test"), "baseline");
    bool unseen = !smr_json_get(root, "measures") && smr_json_get(root, "test");
    char number[TICK_TEXT];
    double span[2];
    const smr_measure *known = find_measure(m->key);
    smr_plot_number(figure_of(m), number);
    smr_text_add(out, "<li><p class=\"what\">");
    smr_html_heading(out, m->key);
    smr_text_printf(out, "</p><p class=\"figure\">%s</p><p class=\"span\">", number);
    if (span_of(root, m->key, m, span))
        add_span(out, span);
    else if (unseen)
        smr_text_add(out, "on rows not used in the search");
    else if (known)
        smr_text_printf(out, "%s is better", known->higher_is_better ? "higher" : "lower");
    smr_text_add(out, "</p>");
    add_beside(smr_json_get_string(baseline, "what", "no model"),
               figure_of(smr_json_get(baseline, m->key)), out);
    smr_text_add(out, "</li>\n");
}

/* The object whose numbers come first: the measures, those on rows that a search never saw, or the
 * parts of an error. */
static const smr_json *main_numbers(const smr_json *root, bool *all)
{
    const smr_json *m = smr_json_get(root, "measures");
    *all = false;
    if (!m) m = smr_json_get(smr_json_get(root, "test"), "measures");
    if (m) return m;
    *all = true;
    return smr_json_get(root, "decomposition");
}

/* The winner of a league, where the result is one. */
static void add_best(const smr_json *root, smr_text *out)
{
    const smr_json *best = smr_json_get(root, "best"), *league = smr_json_get(root, "league");
    const smr_json *first = smr_html_is_table(league) ? league->first : NULL;
    char number[TICK_TEXT];
    double span[2];
    if (!best || best->type != SMR_JSON_STRING || isnan(figure_of(first))) return;
    smr_plot_number(figure_of(first), number);
    smr_text_add(out, "<ul class=\"tiles\" aria-label=\"the best\">\n<li><p class=\"what\">");
    smr_html_heading(out, smr_json_get_string(root, "measure", "score"));
    smr_text_add(out, " of ");
    smr_html_value(out, best);
    smr_text_printf(out, "</p><p class=\"figure\">%s</p><p class=\"span\">", number);
    if (span_of(NULL, "", first, span)) add_span(out, span);
    smr_text_add(out, "</p>");
    for (const smr_json *c = league->first; c; c = c->next) /* the one that is no sentence */
        if (smr_json_get(c, "spec") && smr_json_get(c, "spec")->type == SMR_JSON_NULL)
            add_beside(smr_json_get_string(c, "model", ""), figure_of(c), out);
    smr_text_add(out, "</li>\n</ul>\n");
}

/* A measure that suits the model's loss stands before the usual ones. */
static const smr_json *suited_of(const smr_json *numbers)
{
    const smr_json *m = numbers ? numbers->first : NULL;
    const smr_measure *known = m && m->key ? find_measure(m->key) : NULL;
    return known && (known->on_request || known->level > 0) ? m : NULL;
}

void smr_html_tiles(struct page *p)
{
    enum { MOST = 4 };
    const smr_json *chosen[MOST];
    bool all = false;
    const smr_json *numbers = main_numbers(p->root, &all);
    int n = 0;
    const smr_json *deciding = smr_json_get(numbers, smr_json_get_string(p->root, "measure", ""));
    if (!deciding) deciding = suited_of(numbers);
    if (!isnan(figure_of(deciding))) chosen[n++] = deciding;
    for (const char *const *key = first_asked; *key && n < MOST && !all; key++) {
        const smr_json *m = smr_json_get(numbers, *key);
        if (!isnan(figure_of(m)) && m != deciding) chosen[n++] = m;
    }
    for (const smr_json *m = all && numbers ? numbers->first : NULL; m && n < MOST; m = m->next)
        if (m->key && m != deciding && !isnan(figure_of(m))) chosen[n++] = m;
    if (n) smr_text_add(&p->body, "<ul class=\"tiles\" aria-label=\"main figures\">\n");
    for (int i = 0; i < n; i++) add_tile(p->root, chosen[i], &p->body);
    if (n) smr_text_add(&p->body, "</ul>\n");
    if (!n) add_best(p->root, &p->body);
}

static void open_measures(smr_text *out, bool spans, bool baseline)
{
    smr_html_open_table(out, (struct html_caption){"All measures", true}, " class=\"measures\"");
    smr_text_add(out, "<th scope=\"col\">measure</th><th scope=\"col\" class=\"n\">value</th>");
    if (spans) smr_text_add(out, "<th scope=\"col\" class=\"n\">interval</th>");
    if (baseline) smr_text_add(out, "<th scope=\"col\" class=\"n\">baseline</th>");
    smr_text_add(out, "<th scope=\"col\">meaning</th></tr></thead>\n<tbody>\n");
}

/* Name, value, interval, what it means: for measures that are plain numbers. */
static void add_plain_measures(const smr_json *root, const smr_json *measures, smr_text *out)
{
    bool any = false, spans = smr_html_says(smr_json_get(root, "intervals"));
    const smr_json *baseline = smr_json_get(root, "baseline");
    double span[2];
    for (const smr_json *m = measures->first; m; m = m->next) {
        if (m->type != SMR_JSON_NUMBER || isnan(m->number)) continue;
        const smr_measure *known = find_measure(m->key);
        if (!any) open_measures(out, spans, baseline);
        any = true;
        smr_text_add(out, "<tr><th scope=\"row\">");
        smr_html_name(out, m->key);
        smr_text_add(out, "</th><td class=\"n\">");
        smr_html_value(out, m);
        smr_text_add(out, spans ? "</td><td class=\"n\">" : "");
        if (spans && span_of(root, m->key, m, span)) add_span(out, span);
        if (baseline) {
            const smr_json *other = smr_json_get(baseline, m->key);
            smr_text_add(out, "</td><td class=\"n\">");
            if (other) smr_html_value(out, other);
        }
        smr_text_add(out, "</td><td class=\"doc\">");
        if (known) smr_xml_string(out, known->doc);
        smr_text_add(out, "</td></tr>\n");
    }
    if (any) smr_text_add(out, "</tbody></table></div>\n");
}

/* How sure the intervals are, and what the baseline is. */
static void add_notes(const smr_json *root, smr_text *out)
{
    double share = smr_json_get_number(smr_json_get(root, "intervals"), "confidence", NAN);
    const smr_json *baseline = smr_json_get(root, "baseline");
    const char *what = smr_json_get_string(baseline, "what", NULL);
    const char *from = smr_json_get_string(baseline, "from", NULL);
    double value = smr_json_get_number(baseline, "value", NAN);
    char number[TICK_TEXT];
    if (isnan(share) && !what) return;
    smr_text_add(out, "<p class=\"more\">");
    if (!isnan(share)) {
        smr_plot_number(100 * share, number);
        smr_text_printf(out, "The intervals are %s %% confidence intervals. ", number);
    }
    if (what) {
        smr_text_add(out, "Baseline: ");
        smr_xml_string(out, what);
    }
    if (what && !isnan(value)) {
        smr_plot_number(value, number);
        smr_text_printf(out, ", %s", number);
    }
    if (what && from) {
        smr_text_add(out, ", taken from ");
        smr_xml_string(out, from);
    }
    smr_text_add(out, what ? ".</p>\n" : "</p>\n");
}

/* Members that are objects with a mean: the rows of one table. */
static bool are_summaries(const smr_json *measures)
{
    for (const smr_json *m = measures->first; m; m = m->next)
        if (m->type != SMR_JSON_OBJECT || !smr_json_get(m, "mean")) return false;
    return measures->first != NULL;
}

bool smr_html_is_beside(const smr_json *root, const char *key)
{
    const smr_json *measures = smr_json_get(root, "measures");
    return strcmp(key, "baseline") == 0 && smr_html_says(measures) &&
           measures->type == SMR_JSON_OBJECT &&
           smr_json_get_string(smr_json_get(root, key), "what", NULL);
}

void smr_html_measures(struct page *p)
{
    const smr_json *measures = smr_json_get(p->root, "measures");
    if (!smr_html_says(measures) || smr_html_is_scalar(measures)) return;
    smr_page_section(p, "measures", "Measures");
    smr_text *out = &p->body;
    if (measures->type != SMR_JSON_OBJECT) {
        smr_html_any(out, measures, "measures", UNHEADED);
    } else if (are_summaries(measures)) {
        struct html_caption words = {
            "Means over the rounds with their standard deviation and interval", false};
        smr_html_table(out, measures, words, 0);
        add_notes(p->root, out);
    } else {
        add_plain_measures(p->root, measures, out);
        add_notes(p->root, out);
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
