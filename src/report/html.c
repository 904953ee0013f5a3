/* html.c -- see html.h.
 *
 * Order: title, main measures beside the baseline's, what was chosen among many, warnings, what was
 * fitted and on what, measures, columns (where they are what was asked for), what the model leans
 * on, what was learned, figures, every other table of the result, how it was run, and the JSON
 * itself. */
#include "report/html.h"
#include "report/html_parts.h"

#include <string.h>

/* Members of the root that a section of its own shows; the others come under "More". */
static const char *const about_model[] = {"spec", "stages", "fit", NULL};
static const char *const about_data[] = {"data",    "task",     "target",      "columns",
                                         "rows",    "features", "measured_on", "measured_rows",
                                         "classes", "test",     "positive",    NULL};
static const char *const about_run[] = {"seed",
                                        "threads",
                                        "read_seconds",
                                        "fit_seconds",
                                        "predict_seconds",
                                        "seconds",
                                        "peak_memory_bytes",
                                        NULL};
static const char *const about_plan[] = {"kind",    "folds",      "repeats", "rounds", "stratified",
                                         "grouped", "confidence", "measure", "better", NULL};
static const char *const elsewhere[] = {"command",   "model",        "measures", "intervals",
                                        "figures",   "warnings",     "advice",   "distributions",
                                        "relevance", "json_version", NULL};

static bool is_one_of(const char *const *list, const char *key)
{
    for (; *list; list++)
        if (strcmp(*list, key) == 0) return true;
    return false;
}

void smr_page_section(struct page *p, const char *id, const char *title)
{
    smr_text_add(&p->nav, "<li><a href=\"#");
    smr_xml_string(&p->nav, id);
    smr_text_add(&p->nav, "\">");
    smr_html_heading(&p->nav, title);
    smr_text_add(&p->nav, "</a></li>\n");
    smr_text_add(&p->body, "<section id=\"");
    smr_xml_string(&p->body, id);
    smr_text_add(&p->body, "\">\n<h2>");
    smr_html_heading(&p->body, title);
    smr_text_add(&p->body, "</h2>\n");
}

/* ---- title ------------------------------------------------------------------------------ */

/* What comes after the last slash. */
static smr_words file_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return smr_words_of(slash && slash[1] ? slash + 1 : path);
}

/* "knn, cross-validated on iris.csv". */
static void add_title(const smr_json *root, smr_text *out)
{
    static const struct {
        const char *command, *before, *after;
    } forms[] = {
        {"train", "", " trained on "},
        {"evaluate", "", " evaluated on "},
        {"cv", "", " cross-validated on "},
        {"tune", "Search for the best ", " on "},
        {"compare", "Models compared on ", NULL},
        {"curve", "Curves of ", " on "},
        {"explain", "What ", " makes of "},
        {"bias-variance", "Bias and variance of ", NULL},
        {"describe", "What is in ", NULL},
    };
    const char *command = smr_json_get_string(root, "command", "result");
    const char *model = smr_json_get_string(root, "model", NULL);
    const char *data = smr_json_get_string(root, "data", NULL);
    const char *spec = smr_json_get_string(root, "spec", NULL);
    smr_words subject = {"", 0};
    if (spec) subject = smr_html_learner(spec);
    if (subject.n == 0 && model) subject = file_name(model);
    int64_t k = 0;
    while (k < SMR_COUNT(forms) && strcmp(forms[k].command, command) != 0) k++;
    if (k == SMR_COUNT(forms)) {
        smr_html_heading(out, command);
        return;
    }
    smr_text_add(out, forms[k].before);
    if (forms[k].after || !data) {
        if (subject.n == 0) subject = smr_words_of(*forms[k].before ? "model" : "A model");
        smr_xml_add(out, subject);
        if (data) smr_text_add(out, forms[k].after ? forms[k].after : "");
    }
    if (data) smr_xml_add(out, file_name(data));
}

/* *any: something comes before it. */
static void add_amount(const smr_json *root, const char *key, const char *word, bool *any,
                       smr_text *out)
{
    const smr_json *v = smr_json_get(root, key);
    if (!v || v->type != SMR_JSON_NUMBER) return;
    if (*any) smr_text_add(out, " \u00b7 ");
    *any = true;
    smr_html_value(out, v);
    smr_text_printf(out, " %s%s", word, v->number != 1 ? "s" : "");
}

/* "classify species . 150 rows . 4 features . measured on 30 held-out rows". */
static void add_about(const smr_json *root, smr_text *out)
{
    static const struct {
        const char *on, *one, *many;
    } places[] = {{"holdout", "held-out row", "held-out rows"},
                  {"test", "row of a test file", "rows of a test file"},
                  {"train", "the training row itself, which flatters the model",
                   "the training rows themselves, which flatters the model"}};
    const smr_json *target = smr_json_get(root, "target"), *task = smr_json_get(root, "task");
    const char *on = smr_json_get_string(root, "measured_on", "");
    bool any = smr_html_says(task);
    smr_text_add(out, "<p class=\"about\">");
    if (smr_html_says(task)) smr_html_heading(out, smr_json_get_string(root, "task", ""));
    if (smr_html_says(task) && smr_html_says(target)) {
        smr_text_add(out, " ");
        smr_html_value(out, target);
    }
    add_amount(root, "rows", "row", &any, out);
    add_amount(root, "features", "feature", &any, out);
    for (int64_t i = 0; i < SMR_COUNT(places); i++)
        if (strcmp(places[i].on, on) == 0) {
            const smr_json *rows = smr_json_get(root, "measured_rows");
            smr_text_add(out, " \u00b7 measured on ");
            if (rows && strcmp(on, "train") != 0) {
                smr_html_value(out, rows);
                smr_text_add(out, " ");
            }
            bool one = rows && rows->type == SMR_JSON_NUMBER && rows->number == 1;
            smr_text_add(out, one ? places[i].one : places[i].many);
        }
    smr_text_add(out, "</p>\n");
}

/* ---- sections --------------------------------------------------------------------------- */

static bool is_among(const smr_json *strings, const smr_json *one)
{
    for (const smr_json *s = strings ? strings->first : NULL; s; s = s->next)
        if (s->type == SMR_JSON_STRING && s->n == one->n && strcmp(s->string, one->string) == 0)
            return true;
    return false;
}

static void add_warning(struct page *p, const smr_json *words, int64_t *n)
{
    if (!words || words->type != SMR_JSON_STRING) return;
    if (++*n == 1)
        smr_text_add(&p->body, "<div class=\"warnings\" role=\"note\">\n<h2>To be careful about"
                               "</h2>\n<ul>\n");
    smr_text_add(&p->body, "<li>");
    smr_html_value(&p->body, words);
    smr_text_add(&p->body, "</li>\n");
}

/* Warnings of the run, and advice about the data that is not among them. */
static void add_warnings(struct page *p)
{
    const smr_json *warnings = smr_json_get(p->root, "warnings");
    const smr_json *advice = smr_json_get(p->root, "advice");
    int64_t n = 0;
    if (warnings && warnings->type != SMR_JSON_ARRAY) warnings = NULL;
    for (const smr_json *w = warnings ? warnings->first : NULL; w; w = w->next)
        add_warning(p, w, &n);
    for (const smr_json *a = smr_html_is_table(advice) ? advice->first : NULL; a; a = a->next) {
        const smr_json *words = smr_json_get(a, "message");
        if (words && !is_among(warnings, words)) add_warning(p, words, &n);
    }
    if (n) smr_text_add(&p->body, "</ul></div>\n");
}

/* Those members of the root as pairs, under a heading. */
static void add_pairs(struct page *p, const char *id, const char *title, const char *const *keys)
{
    bool any = false;
    for (const char *const *key = keys; *key; key++) {
        const smr_json *v = smr_json_get(p->root, *key);
        if (!smr_html_says(v) || !smr_html_is_short(v)) continue;
        if (!any) {
            smr_page_section(p, id, title);
            smr_text_add(&p->body, "<dl>\n");
        }
        any = true;
        smr_html_pair(&p->body, *key, v);
    }
    if (any) smr_text_add(&p->body, "</dl>\n</section>\n");
}

static bool is_shown(const struct page *p, const smr_json *m)
{
    bool pair = is_one_of(about_data, m->key) || is_one_of(about_run, m->key) ||
                is_one_of(about_plan, m->key);
    return is_one_of(elsewhere, m->key) || smr_html_is_choice(p->root, m->key) ||
           smr_html_is_beside(p->root, m->key) || smr_html_is_leaning(p->root, m->key) ||
           smr_html_is_columns(p->root, m->key) || is_one_of(about_model, m->key) ||
           (pair && smr_html_is_short(m));
}

/* The titles of sections; a key that is not here is its own title. */
static const char *title_of(const char *key)
{
    static const struct {
        const char *key, *title;
    } titles[] = {
        {"best", "The best trial"},
        {"correlations", "Correlated columns"},
        {"data_columns", "Columns of the data"},
        {"decomposition", "Parts of the error"},
        {"failed", "Models that failed"},
        {"importance", "What the model leans on"},
        {"league", "The models, best first"},
        {"nested", "The whole search, repeated"},
        {"read_as", "How the file was read"},
        {"saved", "Decision threshold of the saved model"},
        {"scores", "Scores"},
        {"scoring", "How trials are scored"},
        {"search", "The search"},
        {"space", "What was searched"},
        {"start", "The original sentence"},
        {"table", "Columns of the data"},
        {"test", "On rows the search never saw"},
        {"threshold", "Decision threshold"},
        {"top", "The best trials"},
        {"trials", "All trials"},
    };
    for (int64_t i = 0; i < SMR_COUNT(titles); i++)
        if (strcmp(titles[i].key, key) == 0) return titles[i].title;
    return key;
}

/* Every table and object that no section knows has one of its own; what is left are pairs. */
static void add_others(struct page *p)
{
    for (const smr_json *m = p->root->first; m; m = m->next) {
        if (is_shown(p, m) || smr_html_is_scalar(m) || !smr_html_says(m)) continue;
        bool list = m->type == SMR_JSON_ARRAY && !smr_html_is_table(m) && !smr_html_is_matrix(m);
        if (list) continue;
        smr_page_section(p, m->key, title_of(m->key));
        smr_html_any(&p->body, m, m->key, UNHEADED);
        smr_text_add(&p->body, "</section>\n");
    }
}

static void add_rest(struct page *p)
{
    bool any = false;
    for (const smr_json *m = p->root->first; m; m = m->next) {
        bool table = smr_html_is_table(m) || smr_html_is_matrix(m) || m->type == SMR_JSON_OBJECT;
        if (is_shown(p, m) || table || !smr_html_says(m)) continue;
        if (!any) {
            smr_page_section(p, "more", "Everything else");
            smr_text_add(&p->body, "<dl>\n");
        }
        any = true;
        smr_html_pair(&p->body, m->key, m);
    }
    if (any) smr_text_add(&p->body, "</dl>\n</section>\n");
}

static smr_status add_json(struct page *p)
{
    enum { MOST_BYTES = 2000000 };
    smr_text json = {.ctx = p->ctx};
    smr_page_section(p, "json", "The result as JSON");
    smr_json_write(p->root, 2, &json);
    smr_status st = smr_text_done(&json);
    if (st == SMR_OK && json.length > MOST_BYTES) {
        smr_text_printf(&p->body,
                        "<p class=\"more\">It has %lld bytes, too many for a page; the "
                        "option --json prints it.</p>\n",
                        (long long)json.length);
    } else if (st == SMR_OK) {
        smr_text_add(&p->body,
                     "<details class=\"raw\"><summary>Show</summary>\n<pre tabindex=\"0\">");
        smr_xml_add(&p->body, (smr_words){json.bytes, json.length});
        smr_text_add(&p->body, "</pre></details>\n");
    }
    smr_text_add(&p->body, "</section>\n");
    smr_text_release(&json);
    return st;
}

/* ---- the page --------------------------------------------------------------------------- */

static void add_frame(const struct page *p, smr_text *out)
{
    smr_text_add(out, "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
                      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
                      "<meta name=\"generator\" content=\"samara\">\n<title>");
    add_title(p->root, out);
    smr_text_add(out, "</title>\n");
    smr_html_style(out);
    smr_text_add(out, "</head>\n<body>\n<a class=\"skip\" href=\"#main\">Skip to the content</a>\n"
                      "<header>\n<p class=\"kicker\">samara ");
    smr_xml_string(out, smr_json_get_string(p->root, "command", ""));
    smr_text_add(out, "</p>\n<h1>");
    add_title(p->root, out);
    smr_text_add(out, "</h1>\n");
    add_about(p->root, out);
    smr_text_add(out, "<nav aria-label=\"sections\"><ul>\n");
    if (p->nav.bytes) smr_text_add_bytes(out, p->nav.bytes, p->nav.length);
    smr_text_add(out, "</ul></nav>\n</header>\n<main id=\"main\">\n");
    if (p->body.bytes) smr_text_add_bytes(out, p->body.bytes, p->body.length);
    smr_text_printf(out,
                    "</main>\n<footer>Made by samara %s. The same data, sentence and seed give "
                    "the same figures.</footer>\n</body>\n</html>\n",
                    smr_version());
}

smr_status smr_report_html(smr_ctx *ctx, const smr_json *root, smr_text *out)
{
    smr_status st = SMR_OK;
    struct page p = {.ctx = ctx, .root = root, .body = {.ctx = ctx}, .nav = {.ctx = ctx}};
    if (!root || root->type != SMR_JSON_OBJECT)
        return smr_fail(ctx, SMR_ERR_PARAM, "a report is made from a JSON object");
    smr_html_tiles(&p);
    TRY(smr_html_choice(&p));
    add_warnings(&p);
    smr_text_add(&p.body, "<div class=\"columns\">\n");
    smr_html_model(&p);
    add_pairs(&p, "data", "Data", about_data);
    smr_text_add(&p.body, "</div>\n");
    smr_html_measures(&p);
    TRY(smr_html_columns(&p, "table", title_of("table")));
    TRY(smr_html_leans(&p));
    smr_html_learned(&p);
    TRY(smr_html_figures(&p));
    TRY(smr_html_relevance(&p));
    TRY(smr_html_rounds(&p));
    add_others(&p);
    TRY(smr_html_columns(&p, "data_columns", title_of("data_columns")));
    add_pairs(&p, "plan", "How it was measured", about_plan);
    add_rest(&p);
    add_pairs(&p, "run", "Run", about_run);
    TRY(add_json(&p));
    TRY(smr_text_done(&p.body));
    TRY(smr_text_done(&p.nav));
    add_frame(&p, out);
    TRY(smr_text_done(out));
out:
    smr_text_release(&p.body);
    smr_text_release(&p.nav);
    return st;
}
