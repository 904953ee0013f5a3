/* html_model.c -- the model of a page: its sentence as a row of stages, and what each learned. */
#include "report/html_parts.h"

#include <string.h>

enum { MOST_ROWS = 50 };

/* The next stage of a sentence: up to a bar outside brackets and quotes. */
static smr_words next_stage(const char **at)
{
    const char *p = *at;
    while (*p == ' ') p++;
    const char *from = p;
    int depth = 0;
    char quote = '\0';
    for (; *p && !(*p == '|' && depth == 0 && !quote); p++) {
        if (quote) {
            if (*p == quote) quote = '\0';
        } else if (*p == '\'' || *p == '"') {
            quote = *p;
        } else if (*p == '(') {
            depth++;
        } else if (*p == ')' && depth > 0) {
            depth--;
        }
    }
    const char *end = p;
    while (end > from && end[-1] == ' ') end--;
    *at = *p ? p + 1 : p;
    return (smr_words){from, end - from};
}

smr_words smr_html_learner(const char *sentence)
{
    smr_words last = {"", 0};
    while (*sentence) {
        smr_words stage = next_stage(&sentence);
        if (stage.n) last = stage;
    }
    int64_t n = 0;
    while (n < last.n && last.at[n] != ' ') n++;
    return (smr_words){last.at, n};
}

static void add_pipeline(const char *sentence, smr_text *out)
{
    smr_text_add(out, "<ol class=\"pipeline\" aria-label=\"stages\">\n");
    while (*sentence) {
        smr_words stage = next_stage(&sentence);
        int64_t n = 0;
        while (n < stage.n && stage.at[n] != ' ') n++;
        if (stage.n == 0) continue;
        smr_text_add(out, "<li><code>");
        smr_xml_add(out, (smr_words){stage.at, n});
        smr_text_add(out, "<span>");
        smr_xml_add(out, (smr_words){stage.at + n, stage.n - n});
        smr_text_add(out, "</span></code></li>\n");
    }
    smr_text_add(out, "</ol>\n");
}

/* A fit without iterations has nothing to say about them. */
static bool tells_fit(const smr_json *fit)
{
    bool iterated = smr_json_get_number(fit, "iterations", 1) > 0;
    return fit && fit->type == SMR_JSON_OBJECT && fit->first &&
           (iterated || !smr_json_get_bool(fit, "converged", true));
}

void smr_html_model(struct page *p)
{
    const char *spec = smr_json_get_string(p->root, "spec", NULL);
    const char *won = smr_json_get_string(smr_json_get(p->root, "winner"), "spec", NULL);
    const smr_json *fit = smr_json_get(p->root, "fit"), *model = smr_json_get(p->root, "model");
    if (!spec && !won && !tells_fit(fit) && !smr_html_says(model)) return;
    smr_page_section(p, "model", "Model");
    if (won || spec) add_pipeline(won ? won : spec, &p->body);
    if (won && spec && strcmp(won, spec) != 0) {
        smr_text_add(&p->body, "<p class=\"more\">as given: <code>");
        smr_xml_string(&p->body, spec);
        smr_text_add(&p->body, "</code></p>\n");
    }
    if (tells_fit(fit)) smr_html_pairs(&p->body, fit, NULL);
    if (smr_html_says(model)) {
        smr_text_add(&p->body, "<dl>\n");
        smr_html_pair(&p->body, "file", model);
        smr_text_add(&p->body, "</dl>\n");
    }
    smr_text_add(&p->body, "</section>\n");
}

/* ---- what it learned -------------------------------------------------------------------- */

static const char *const in_head[] = {"stage", "title", "sentence", "inserted", NULL};

static bool says_more(const smr_json *stage)
{
    for (const smr_json *m = stage->first; m; m = m->next) {
        bool head = false;
        for (const char *const *key = in_head; *key; key++) head |= strcmp(*key, m->key) == 0;
        if (!head && smr_html_says(m)) return true;
    }
    return false;
}

static void add_stage_name(const smr_json *stage, smr_text *out)
{
    smr_html_value(out, smr_json_get(stage, "stage"));
    if (!smr_html_says(smr_json_get(stage, "title"))) return;
    smr_text_add(out, ": ");
    smr_html_value(out, smr_json_get(stage, "title"));
}

/* The lines of a tree, as they are. */
static bool is_tree(const smr_json *v)
{
    return strcmp(v->key, "tree_text") == 0 && v->type == SMR_JSON_ARRAY;
}

static void add_tree(const smr_json *lines, smr_text *out)
{
    smr_text_add(out, "<h4>Tree</h4>\n<pre class=\"tree\" tabindex=\"0\">");
    for (const smr_json *line = lines->first; line; line = line->next) {
        smr_xml_add(out, smr_words_json(line));
        smr_text_add(out, "\n");
    }
    smr_text_add(out, "</pre>\n");
}

static void add_stage_values(const smr_json *stage, smr_text *out)
{
    static const char *const apart[] = {"stage",    "title",     "sentence",
                                        "inserted", "tree_text", NULL};
    smr_html_pairs(out, stage, apart);
    for (const smr_json *m = stage->first; m; m = m->next) {
        if (strcmp(m->key, "members") == 0) continue;
        if (is_tree(m)) {
            add_tree(m, out);
        } else if (smr_html_is_table(m)) {
            smr_text_add(out, "<h4>");
            smr_html_heading(out, m->key);
            smr_text_add(out, "</h4>\n");
            smr_html_table(out, m, (struct html_caption){m->key, true}, MOST_ROWS);
        } else if (!smr_html_is_short(m)) {
            smr_html_any(out, m, m->key, 4);
        }
    }
}

/* The stage that predicts is in plain sight; those before it, and members, are folded. */
static void add_stage(const smr_json *stage, const char *member, bool folded, smr_text *out)
{
    if (!says_more(stage)) return;
    smr_text_add(out, folded ? "<details><summary>" : "<h3>");
    if (*member) {
        smr_xml_add(out, smr_words_of(member));
        smr_text_add(out, " ");
    }
    add_stage_name(stage, out);
    smr_text_add(out, folded ? "</summary>\n" : "</h3>\n");
    add_stage_values(stage, out);
    const smr_json *members = smr_json_get(stage, "members");
    for (const smr_json *m = smr_html_is_table(members) ? members->first : NULL; m; m = m->next) {
        const smr_json *inner = smr_json_get(m, "stages");
        for (const smr_json *s = smr_html_is_table(inner) ? inner->first : NULL; s; s = s->next)
            add_stage(s, smr_json_get_string(m, "member", ""), true, out);
    }
    if (folded) smr_text_add(out, "</details>\n");
}

void smr_html_learned(struct page *p)
{
    const smr_json *stages = smr_json_get(p->root, "stages");
    bool any = false;
    if (!smr_html_is_table(stages)) return;
    for (const smr_json *s = stages->first; s; s = s->next) any |= says_more(s);
    if (!any) return;
    smr_page_section(p, "learned", "What the model learned");
    add_stage(stages->last, "", false, &p->body);
    for (const smr_json *s = stages->first; s && s != stages->last; s = s->next)
        add_stage(s, "", true, &p->body);
    smr_text_add(&p->body, "</section>\n");
}
