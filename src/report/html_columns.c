/* html_columns.c -- the columns of the data: how some are distributed, and a table for each kind,
 * so that none has cells that could not be filled. */
#include "report/html_parts.h"

#include "core/sort.h"

#include <math.h>
#include <string.h>

enum { TOLD_LEVELS = 6, MOST_ROWS = 200 };

static const char *const number_keys[] = {"name",     "missing", "distinct", "mean", "sd",
                                          "min",      "q1",      "median",   "q3",   "max",
                                          "skewness", "zeros",   NULL};
static const char *const date_keys[] = {"name", "missing", "distinct", "first", "last", NULL};
static const struct column_kind {
    const char *kind, *title;
    const char *const *keys; /* NULL: levels */
} kinds[] = {{"number", "Numbers", number_keys},
             {"category", "Categories", NULL},
             {"text", "Texts", NULL},
             {"date", "Dates", date_keys}};

/* Is every column of a kind that is known here? */
static bool are_columns(const smr_json *table)
{
    for (const smr_json *c = table->first; c; c = c->next) {
        int64_t k = 0;
        const char *kind = smr_json_get_string(c, "kind", "");
        while (k < SMR_COUNT(kinds) && strcmp(kind, kinds[k].kind) != 0) k++;
        if (k == SMR_COUNT(kinds)) return false;
    }
    return true;
}

/* ---- levels ----------------------------------------------------------------------------- */

struct level {
    const smr_json *of;
    double rows;
};

static int more_rows(const void *items, int64_t i, int64_t j)
{
    const struct level *l = items;
    return l[i].rows > l[j].rows ? -1 : l[i].rows < l[j].rows;
}

/* In per cent, with one decimal. */
static double per_cent(double share)
{
    return round(1000 * share) / 10;
}

/* "male 64.8 %, female 35.2 %", the most frequent first. */
static smr_status tell_levels(smr_ctx *ctx, const smr_json *counts, double all, smr_text *out)
{
    smr_status st = SMR_OK;
    struct level *list = NULL;
    int64_t *order = NULL, n = 0;
    TRY_NEW(list, counts->n + 1);
    TRY_NEW(order, counts->n + 1);
    for (const smr_json *c = counts->first; c; c = c->next) {
        double rows = smr_json_get_number(c, "rows", 0);
        if (rows > 0) list[n++] = (struct level){smr_json_get(c, "level"), rows};
    }
    TRY(smr_argsort(ctx, n, more_rows, list, order));
    for (int64_t k = 0; k < n && k < TOLD_LEVELS; k++) {
        smr_words name = smr_words_json(list[order[k]].of);
        if (k) smr_text_add(out, ", ");
        smr_text_add_bytes(out, name.at, name.n);
        smr_text_add(out, " ");
        smr_text_number(out, per_cent(list[order[k]].rows / all));
        smr_text_add(out, " %");
    }
    if (n > TOLD_LEVELS) smr_text_printf(out, " and %lld more", (long long)(n - TOLD_LEVELS));
    TRY(smr_text_done(out));
out:
    smr_free(list);
    smr_free(order);
    return st;
}

static void copy(smr_json *row, const char *name, const smr_json *from, const char *key)
{
    const smr_json *v = smr_json_get(from, key);
    if (v) smr_json_add_copy(row, name, v);
}

static smr_status fill_levels(smr_ctx *ctx, const smr_json *column, smr_json *row)
{
    smr_status st = SMR_OK;
    smr_text levels = {.ctx = ctx};
    const smr_json *counts = smr_json_get(column, "counts");
    double all = 0;
    for (const smr_json *c = counts ? counts->first : NULL; c; c = c->next)
        all += smr_json_get_number(c, "rows", 0);
    copy(row, "name", column, "name");
    copy(row, "missing", column, "missing");
    copy(row, "levels", column, "distinct");
    copy(row, "most frequent", column, "most_frequent");
    double most = smr_json_get_number(column, "most_frequent_share", NAN);
    double n = smr_json_get_number(column, "levels", NAN); /* counts may stop before the last */
    if (!isnan(most)) smr_json_add_number(row, "its share, %", per_cent(most));
    if (counts && counts->type == SMR_JSON_ARRAY && (double)counts->n == n && all > 0) {
        TRY(tell_levels(ctx, counts, all, &levels));
        smr_json_add_string(row, "levels by share", levels.bytes ? levels.bytes : "");
    }
out:
    smr_text_release(&levels);
    return st;
}

/* ---- tables ----------------------------------------------------------------------------- */

static smr_status add_kind(struct page *p, const smr_json *table, const struct column_kind *kind)
{
    smr_status st = SMR_OK;
    smr_ctx *ctx = p->ctx;
    smr_json_doc *doc = NULL;
    TRY(smr_json_create(ctx, &doc));
    smr_json *rows = smr_json_add_array(smr_json_root(doc), "rows");
    for (const smr_json *c = table->first; c; c = c->next) {
        if (strcmp(smr_json_get_string(c, "kind", ""), kind->kind) != 0) continue;
        smr_json *row = smr_json_add_object(rows, NULL);
        for (const char *const *key = kind->keys; key && *key; key++) copy(row, *key, c, *key);
        if (!kind->keys) TRY(fill_levels(ctx, c, row));
    }
    TRY(smr_json_done(doc));
    if (rows->n == 0) goto out;
    smr_text_printf(&p->body, "<h3>%s</h3>\n", kind->title);
    smr_html_table(&p->body, rows, (struct html_caption){kind->title, true}, MOST_ROWS);
out:
    smr_json_free(doc);
    return st;
}

/* "24 of 90 columns are drawn: the target, then those that tell most about it." */
static void tell_shown(struct page *p)
{
    const smr_json *told = smr_json_get(p->root, "distributions");
    const smr_json *target = smr_json_get(smr_json_get(p->root, "target"), "name");
    bool ranked = strcmp(smr_json_get_string(told, "order", ""), "relevance") == 0;
    int64_t shown = (int64_t)smr_fmin(1e6, smr_json_get_number(told, "shown", 0));
    int64_t all = (int64_t)smr_fmin(1e9, smr_json_get_number(told, "of", 0));
    smr_text *out = &p->body;
    if (shown < 1) return;
    smr_text_add(out, "<p class=\"more\">");
    if (shown < all)
        smr_text_printf(out, "%lld of %lld columns are drawn%s", (long long)shown, (long long)all,
                        ranked ? ": " : "");
    else if (ranked)
        smr_text_add(out, "In this order: ");
    if (ranked) {
        smr_text_add(out, "the target");
        if (smr_html_says(target)) {
            smr_text_add(out, " \u2018");
            smr_html_value(out, target);
            smr_text_add(out, "\u2019");
        }
        smr_text_add(out, ", then the columns that tell most about it");
    } else {
        smr_text_add(out, shown < all ? ", the first of the table" : "In the order of the table");
    }
    smr_text_add(out, ". A bar is a number of rows.</p>\n");
}

smr_status smr_html_columns(struct page *p, const char *key, const char *title)
{
    smr_status st = SMR_OK;
    const smr_json *table = smr_json_get(p->root, key);
    if (!smr_html_is_columns(p->root, key)) return SMR_OK;
    smr_page_section(p, key, title);
    tell_shown(p);
    TRY(smr_html_multiples(p, "distribution-", NULL));
    for (int64_t k = 0; k < SMR_COUNT(kinds); k++) TRY(add_kind(p, table, &kinds[k]));
    smr_text_add(&p->body, "</section>\n");
out:
    return st;
}

/* ---- against the target ----------------------------------------------------------------- */

/* What the command prints of each column; the rest is folded away. */
static const char *const relevance_keys[] = {"name",    "kind",       "strength",  "gain", "split",
                                             "pearson", "spearman",   "cramers_v", "f",    "chi2",
                                             "p",       "spearman_p", NULL};

smr_status smr_html_relevance(struct page *p)
{
    smr_status st = SMR_OK;
    smr_ctx *ctx = p->ctx;
    smr_json_doc *doc = NULL;
    const smr_json *list = smr_json_get(p->root, "relevance");
    if (!smr_html_is_table(list)) return SMR_OK;
    TRY(smr_json_create(ctx, &doc));
    smr_json *rows = smr_json_add_array(smr_json_root(doc), "rows");
    for (const smr_json *c = list->first; c; c = c->next) {
        smr_json *row = smr_json_add_object(rows, NULL);
        for (const char *const *key = relevance_keys; *key; key++) copy(row, *key, c, *key);
    }
    TRY(smr_json_done(doc));
    smr_page_section(p, "relevance", "What tells most about the target");
    smr_html_table(&p->body, rows, (struct html_caption){"Columns by strength", true}, MOST_ROWS);
    smr_text_add(&p->body, "<details><summary>All figures</summary>\n");
    smr_html_any(&p->body, list, "relevance", UNHEADED);
    smr_text_add(&p->body, "</details>\n</section>\n");
out:
    smr_json_free(doc);
    return st;
}

bool smr_html_is_columns(const smr_json *root, const char *key)
{
    const smr_json *table = smr_json_get(root, key);
    return (strcmp(key, "table") == 0 || strcmp(key, "data_columns") == 0) &&
           smr_html_is_table(table) && are_columns(table);
}
