/* html_choice.c -- what a command chose, at the top of its page: the winner of a search with what
 * speaks for and against it, or the league of a comparison, and its scores by round. */
#include "report/draw_parts.h"
#include "report/html_parts.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { ACROSS = 12 }; /* rounds that stand side by side */

static bool is_search(const smr_json *root)
{
    return smr_json_get_string(smr_json_get(root, "winner"), "spec", NULL) != NULL;
}

static bool is_league(const smr_json *root)
{
    return smr_html_is_table(smr_json_get(root, "league")) &&
           smr_json_get_string(root, "best", NULL) != NULL;
}

/* The rows have a score for each model of the league. */
static bool has_rounds(const smr_json *root)
{
    const smr_json *rounds = smr_json_get(root, "by_round"), *league = smr_json_get(root, "league");
    if (!is_league(root) || !smr_html_is_table(rounds)) return false;
    for (const smr_json *row = rounds->first; row; row = row->next) {
        const smr_json *scores = smr_json_get(row, "scores");
        if (!scores || scores->type != SMR_JSON_ARRAY || scores->n != league->n) return false;
    }
    return true;
}

/* Rounds of one model with many measures each, few enough to stand side by side. */
static bool are_few_rounds(const smr_json *root)
{
    const smr_json *rounds = smr_json_get(root, "by_round");
    if (is_league(root) || !smr_html_is_table(rounds) || rounds->n > ACROSS) return false;
    for (const smr_json *row = rounds->first; row; row = row->next)
        for (const smr_json *m = row->first; m; m = m->next)
            if (!smr_html_is_scalar(m)) return false;
    return rounds->first->n > rounds->n;
}

bool smr_html_is_choice(const smr_json *root, const char *key)
{
    static const char *const of_search[] = {"winner", "scores", "optimism"};
    for (int64_t i = 0; is_search(root) && i < SMR_COUNT(of_search); i++)
        if (strcmp(key, of_search[i]) == 0) return true;
    if (strcmp(key, "by_round") == 0 && (has_rounds(root) || are_few_rounds(root))) return true;
    return is_league(root) && (strcmp(key, "league") == 0 || strcmp(key, "best") == 0);
}

/* ---- a search --------------------------------------------------------------------------- */

static void add_winner(struct page *p)
{
    static const char *const without[] = {"spec", "params", NULL};
    const smr_json *winner = smr_json_get(p->root, "winner");
    const smr_json *params = smr_json_get(winner, "params");
    const smr_json *scores = smr_json_get(p->root, "scores");
    const smr_json *words = smr_json_get(smr_json_get(p->root, "optimism"), "text");
    smr_text *out = &p->body;
    smr_page_section(p, "winner", "Winner");
    if (smr_html_says(words)) {
        smr_text_add(out, "<p>");
        smr_html_value(out, words);
        smr_text_add(out, "</p>\n");
    } else {
        smr_text_add(out, "<p>No rows were held out. The validation score is the best of many, so "
                          "it is too optimistic.</p>\n");
    }
    smr_text_add(out, "<div class=\"asis\">\n");
    if (params && params->type == SMR_JSON_OBJECT) smr_html_pairs(out, params, NULL);
    smr_text_add(out, "</div>\n");
    smr_html_pairs(out, winner, without);
    if (smr_html_is_table(scores)) {
        smr_text caption = {.ctx = p->ctx};
        smr_text_printf(&caption, "%s of the winner and of the original sentence",
                        smr_json_get_string(p->root, "measure", "Score"));
        struct html_caption said = {caption.bytes ? caption.bytes : "", false};
        smr_html_table(out, scores, said, 0);
        out->failed |= caption.failed;
        smr_text_release(&caption);
    }
    smr_text_add(out, "</section>\n");
}

/* ---- a league --------------------------------------------------------------------------- */

/* "0.953 to 0.981" as a member of a row, where there are both. */
static void add_span(smr_json *row, const char *name, const smr_json *from, const char *low,
                     const char *high)
{
    double lo = smr_json_get_number(from, low, NAN), hi = smr_json_get_number(from, high, NAN);
    char a[TICK_TEXT], b[TICK_TEXT], both[2 * TICK_TEXT + 8];
    if (isnan(lo) || isnan(hi)) {
        smr_json_add_null(row, name);
        return;
    }
    smr_plot_number(lo, a);
    smr_plot_number(hi, b);
    snprintf(both, sizeof both, "%s to %s", a, b);
    smr_json_add_string(row, name, both);
}

static void add_copy(smr_json *row, const char *name, const smr_json *from, const char *key)
{
    const smr_json *v = smr_json_get(from, key);
    if (v) smr_json_add_copy(row, name, v);
}

/* What decides. */
static void fill_league(const smr_json *root, smr_json *rows)
{
    const char *measure = smr_json_get_string(root, "measure", "mean");
    for (const smr_json *c = smr_json_get(root, "league")->first; c; c = c->next) {
        smr_json *row = smr_json_add_object(rows, NULL);
        add_copy(row, "rank", c, "rank");
        add_copy(row, "model", c, "model");
        add_copy(row, measure, c, "mean");
        add_span(row, "interval", c, "low", "high");
        add_copy(row, "behind", c, "behind");
        add_copy(row, "p", c, "p");
        add_copy(row, "verdict", c, "verdict");
    }
}

/* The rest of what is known of each, folded away. */
static void fill_details(const smr_json *root, smr_json *rows)
{
    for (const smr_json *c = smr_json_get(root, "league")->first; c; c = c->next) {
        smr_json *row = smr_json_add_object(rows, NULL);
        add_copy(row, "model", c, "model");
        add_copy(row, "sd", c, "sd");
        add_span(row, "interval of behind", c, "behind_low", "behind_high");
        add_copy(row, "beat the best", c, "won");
        add_copy(row, "came first", c, "wins");
        smr_json_add_number(row, "fit ms", 1e3 * smr_json_get_number(c, "fit_seconds", NAN));
        smr_json_add_number(row, "predict ms",
                            1e3 * smr_json_get_number(c, "predict_seconds", NAN));
    }
}

/* "Best: knn 5; not clearly better than: ridge, linear." */
static void add_outcome(const smr_json *root, smr_text *out)
{
    int64_t n = 0;
    smr_text_add(out, "<p>Best: <b>");
    smr_html_value(out, smr_json_get(root, "best"));
    smr_text_add(out, "</b>");
    for (const smr_json *c = smr_json_get(root, "league")->first; c; c = c->next) {
        const char *verdict = smr_json_get_string(c, "verdict", "");
        if (strcmp(verdict, "within noise") != 0 && strcmp(verdict, "same") != 0) continue;
        smr_text_add(out, n++ ? ", " : "; not clearly better than: ");
        smr_html_value(out, smr_json_get(c, "model"));
    }
    smr_text_add(out, ".</p>\n");
}

/* Sentences with all their parameters, folded. */
static void add_sentences(const smr_json *league, smr_text *out)
{
    bool any = false;
    for (const smr_json *c = league->first; c; c = c->next) {
        const smr_json *spec = smr_json_get(c, "spec");
        if (!smr_html_says(spec)) continue;
        if (!any) smr_text_add(out, "<details><summary>The sentences in full</summary>\n<ul>\n");
        any = true;
        smr_text_add(out, "<li><code>");
        smr_html_value(out, spec);
        smr_text_add(out, "</code></li>\n");
    }
    if (any) smr_text_add(out, "</ul></details>\n");
}

static smr_status add_league(struct page *p)
{
    smr_status st = SMR_OK;
    smr_ctx *ctx = p->ctx;
    smr_json_doc *doc = NULL;
    smr_text *out = &p->body;
    double confidence = smr_json_get_number(p->root, "confidence", NAN);
    TRY(smr_json_create(ctx, &doc));
    smr_json *rows = smr_json_add_array(smr_json_root(doc), "rows");
    smr_json *details = smr_json_add_array(smr_json_root(doc), "details");
    if (rows) fill_league(p->root, rows);
    if (details) fill_details(p->root, details);
    TRY(smr_json_done(doc));
    smr_page_section(p, "league", "The models, best first");
    add_outcome(p->root, out);
    smr_html_table(out, rows, (struct html_caption){"League of the models", true}, 0);
    smr_text_add(out, "<p class=\"more\">Mean over the rounds");
    if (!isnan(confidence)) {
        char number[TICK_TEXT];
        smr_plot_number(100 * confidence, number);
        smr_text_printf(out, " with its %s %% interval", number);
    }
    smr_text_add(out, "; behind: how much worse than the best model; p: how likely such a "
                      "difference is by chance alone, corrected for the number of models.</p>\n"
                      "<details><summary>Spread, rounds won and times</summary>\n");
    smr_html_table(out, details, (struct html_caption){"More about each model", true}, 0);
    smr_text_add(out, "<p class=\"more\">Beat the best: in this many rounds it was better than the "
                      "best model; came first: in this many no model was better; times are means "
                      "over the rounds.</p></details>\n");
    add_sentences(smr_json_get(p->root, "league"), out);
    smr_text_add(out, "</section>\n");
out:
    smr_json_free(doc);
    return st;
}

/* The name of a column: the model's, with its place where an earlier one is called the same. */
static void add_score(smr_json *row, const smr_json *model, int64_t place, const smr_json *score)
{
    char name[256];
    const char *words = smr_json_get_string(model, "model", "model");
    size_t n = strnlen(words, sizeof name - 32);
    memcpy(name, words, n);
    name[n] = '\0';
    if (smr_json_get(row, name)) snprintf(name + n, 32, " (%lld)", (long long)place);
    smr_json_add_copy(row, name, score);
}

/* A row for each round, a column for each model. */
static void fill_rounds(const smr_json *root, smr_json *rows)
{
    const smr_json *from = smr_json_get(root, "by_round")->first;
    for (; rows && from; from = from->next) {
        smr_json *row = smr_json_add_object(rows, NULL);
        int64_t place = 1;
        for (const smr_json *m = from->first; m; m = m->next)
            if (smr_html_is_scalar(m)) smr_json_add_copy(row, m->key, m);
        const smr_json *model = smr_json_get(root, "league")->first;
        const smr_json *score = smr_json_get(from, "scores")->first;
        for (; row && model; model = model->next, score = score->next)
            add_score(row, model, place++, score);
    }
}

/* The value of round r, from 1, times `unit`. */
static void add_round(smr_json *row, int64_t r, const smr_json *value, double unit)
{
    char name[32];
    snprintf(name, sizeof name, "%s%lld", r == 1 ? "round " : "", (long long)r);
    if (value && value->type == SMR_JSON_NUMBER)
        smr_json_add_number(row, name, unit * value->number);
    else
        smr_json_add_null(row, name);
}

/* A row for each model, a column for each round. */
static void fill_models(const smr_json *root, smr_json *rows)
{
    const smr_json *model = smr_json_get(root, "league")->first;
    for (int64_t place = 0; rows && model; model = model->next, place++) {
        smr_json *row = smr_json_add_object(rows, NULL);
        const smr_json *from = smr_json_get(root, "by_round")->first;
        add_copy(row, "model", model, "model");
        for (int64_t r = 1; from; from = from->next, r++) {
            const smr_json *score = smr_json_get(from, "scores")->first;
            for (int64_t k = 0; k < place; k++) score = score->next;
            add_round(row, r, score, 1);
        }
    }
}

/* A row for each measure of the rounds of one model, a column for each round. */
static void fill_measures(const smr_json *root, smr_json *rows)
{
    const smr_json *rounds = smr_json_get(root, "by_round");
    for (const smr_json *m = rounds->first->first; rows && m; m = m->next) {
        int64_t r = 1;
        if (strcmp(m->key, "round") == 0) continue;
        smr_json *row = smr_json_add_object(rows, NULL);
        bool fit = strcmp(m->key, "fit_seconds") == 0;
        bool time = fit || strcmp(m->key, "predict_seconds") == 0;
        smr_json_add_string(row, "measure", !time ? m->key : fit ? "fit ms" : "predict ms");
        for (const smr_json *from = rounds->first; from; from = from->next)
            add_round(row, r++, smr_json_get(from, m->key), time ? 1e3 : 1);
    }
}

smr_status smr_html_rounds(struct page *p)
{
    smr_status st = SMR_OK;
    smr_ctx *ctx = p->ctx;
    smr_json_doc *doc = NULL;
    enum { MOST = 200 };
    bool league = has_rounds(p->root);
    if (!league && !are_few_rounds(p->root)) return SMR_OK;
    TRY(smr_json_create(ctx, &doc));
    smr_json *rows = smr_json_add_array(smr_json_root(doc), "rows");
    if (!league)
        fill_measures(p->root, rows);
    else if (smr_json_get(p->root, "by_round")->n <= ACROSS)
        fill_models(p->root, rows);
    else
        fill_rounds(p->root, rows);
    TRY(smr_json_done(doc));
    smr_page_section(p, "by_round", "By round");
    smr_text_add(&p->body, "<div class=\"asis\">\n");
    smr_html_table(&p->body, rows, (struct html_caption){"Scores by round", true}, MOST);
    smr_text_add(&p->body, "</div>\n</section>\n");
out:
    smr_json_free(doc);
    return st;
}

smr_status smr_html_choice(struct page *p)
{
    if (is_search(p->root)) add_winner(p);
    return is_league(p->root) ? add_league(p) : SMR_OK;
}
