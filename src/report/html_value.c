/* html_value.c -- names and values of a page. */
#include "learn/task.h"
#include "metric/metric.h"
#include "report/draw_parts.h"
#include "report/html_parts.h"

#include <math.h>
#include <string.h>

/* What a key that is short for something is called on the page. */
struct word {
    const char *key, *words;
};

static const char *find_word(const char *key, const struct word *list)
{
    for (; list->key; list++)
        if (strcmp(key, list->key) == 0) return list->words;
    return NULL;
}

static const char *title_of(const char *key)
{
    const smr_measure *m = NULL;
    for (int task = 0; !m && task < SMR_TASKS; task++) m = smr_measure_find(key, (smr_task)task);
    if (m) return m->title;
    return find_word(key, (const struct word[]){{"chi2", "Chi squared"},
                                                {"cramers_v", "Cram\u00e9r's V"},
                                                {"mcfadden_r2", "McFadden's R squared"},
                                                {"aic", "AIC"},
                                                {"bic", "BIC"},
                                                {NULL, NULL}});
}

void smr_html_name(smr_text *out, const char *key)
{
    const char *title = title_of(key);
    if (title) {
        smr_xml_string(out, title);
        return;
    }
    for (const char *p = key; *p;) { /* underscores between letters are blanks */
        size_t n = strcspn(p, "_");
        smr_xml_add(out, (smr_words){p, (int64_t)n});
        p += n;
        if (*p == '_') {
            smr_text_add(out, p > key && p[1] ? " " : "_");
            p++;
        }
    }
}

void smr_html_heading(smr_text *out, const char *key)
{
    char first[2] = {key[0], '\0'};
    if (title_of(key) || first[0] < 'a' || first[0] > 'z') {
        smr_html_name(out, key);
        return;
    }
    first[0] = (char)(first[0] - 'a' + 'A');
    smr_text_add(out, first);
    smr_html_name(out, key + 1);
}

/* ---- pairs ------------------------------------------------------------------------------ */

static bool ends_in(const char *key, const char *end)
{
    size_t n = strlen(key), m = strlen(end);
    return n > m && strcmp(key + n - m, end) == 0;
}

static void add_amount(smr_text *out, double x, const char *unit)
{
    char number[TICK_TEXT];
    smr_plot_number(x, number);
    smr_text_printf(out, "%s %s", number, unit);
}

static void add_seconds(smr_text *out, double s)
{
    if (s > 0 && s < 0.1)
        add_amount(out, s < 1e-4 ? s * 1e6 : s * 1e3, s < 1e-4 ? "\u00b5s" : "ms");
    else
        add_amount(out, s, "s");
}

static void add_bytes(smr_text *out, double b)
{
    static const char *const units[] = {"bytes", "kB", "MB", "GB", "TB"};
    int u = 0;
    for (; b >= 1000 && u < 4; u++) b /= 1000;
    add_amount(out, b, units[u]);
}

/* Where there is room for the whole words. */
static const struct word pair_words[] = {{"data", "file"},
                                         {"df", "degrees of freedom"},
                                         {"equal", "trials with this score"},
                                         {"from_log", "taken from the log"},
                                         {"on", "measured on"},
                                         {"same", "points drawn twice"},
                                         {"sd", "standard deviation"},
                                         {"se", "standard error"},
                                         {"spec", "sentence"},
                                         {NULL, NULL}};

void smr_html_pair(smr_text *out, const char *key, const smr_json *v)
{
    const char *words = find_word(key, pair_words);
    bool number = v && v->type == SMR_JSON_NUMBER && smr_html_says(v);
    bool seconds = number && ends_in(key, "_seconds"), bytes = number && ends_in(key, "_bytes");
    char name[64] = "";
    size_t n = strlen(key) - (seconds ? 8 : bytes ? 6 : 0);
    memcpy(name, key, SMR_MIN(n, sizeof name - 1));
    bool is_long =
        v && ((v->type == SMR_JSON_STRING && v->n > 18) || (v->type == SMR_JSON_ARRAY && v->n > 3));
    smr_text_add(out, is_long ? "<div class=\"long\"><dt>" : "<div><dt>");
    smr_html_name(out, words ? words : seconds || bytes ? name : key);
    smr_text_add(out, seconds ? " time</dt><dd>" : "</dt><dd>");
    if (seconds)
        add_seconds(out, v->number);
    else if (bytes)
        add_bytes(out, v->number);
    else
        smr_html_value(out, v);
    smr_text_add(out, "</dd></div>\n");
}

/* ---- values ----------------------------------------------------------------------------- */

bool smr_html_is_scalar(const smr_json *v)
{
    return v && v->type != SMR_JSON_ARRAY && v->type != SMR_JSON_OBJECT;
}

bool smr_html_says(const smr_json *v)
{
    if (!v || v->type == SMR_JSON_NULL) return false;
    if (v->type == SMR_JSON_NUMBER) return !isnan(v->number);
    if (v->type == SMR_JSON_STRING || v->type == SMR_JSON_ARRAY || v->type == SMR_JSON_OBJECT)
        return v->n > 0;
    return true;
}

bool smr_html_is_table(const smr_json *v)
{
    if (!v || smr_html_is_scalar(v) || !v->first) return false;
    for (const smr_json *e = v->first; e; e = e->next)
        if (e->type != SMR_JSON_OBJECT) return false;
    return true;
}

bool smr_html_is_matrix(const smr_json *v)
{
    if (!v || v->type != SMR_JSON_ARRAY || !v->first) return false;
    for (const smr_json *e = v->first; e; e = e->next)
        if (e->type != SMR_JSON_ARRAY) return false;
    return true;
}

/* Between numbers with commas in them a comma would be misread. */
static const char *between(const smr_json *list)
{
    for (const smr_json *e = list->first; e; e = e->next)
        if (e->type == SMR_JSON_NUMBER && fabs(e->number) >= 9999.5) return "; ";
    return ", ";
}

void smr_html_value(smr_text *out, const smr_json *v)
{
    enum { SHOWN = 40 };
    char number[TICK_TEXT];
    int64_t i = 0;
    if (!smr_html_says(v)) {
        smr_text_add(out, "<span class=\"none\">\u2013</span>");
    } else if (v->type == SMR_JSON_BOOL) {
        smr_text_add(out, v->number != 0 ? "yes" : "no");
    } else if (v->type == SMR_JSON_NUMBER) {
        smr_plot_number(v->number, number);
        smr_text_add(out, number);
    } else if (v->type == SMR_JSON_STRING) {
        smr_xml_add(out, (smr_words){v->string, v->n});
    } else {
        for (const smr_json *e = v->first; e && i < SHOWN; e = e->next, i++) {
            if (i) smr_text_add(out, between(v));
            if (e->key) {
                smr_html_name(out, e->key);
                smr_text_add(out, " ");
            }
            smr_html_value(out, e);
        }
        if (v->n > SHOWN) smr_text_printf(out, " and %lld more", (long long)(v->n - SHOWN));
    }
}
