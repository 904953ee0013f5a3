/* cmd_estimate.c -- samara estimate: the distributions of columns, and their parameters. */
#include "commands.h"
#include "plots.h"
#include "report/render.h"
#include "session.h"

#include <math.h>
#include <string.h>

/* "beta 4 2", or the words of a prior that has no name. */
static void show_law(const char *what, const smr_json *law, smr_text *out)
{
    enum { SHOWN = 8 };
    if (!law) return;
    smr_text_printf(out, "  %-10s ", what);
    if (law->type == SMR_JSON_STRING) {
        smr_render_value(law, out);
        smr_text_add(out, "\n");
        return;
    }
    const smr_json *list = smr_json_get(law, "parameters");
    int64_t k = 0;
    smr_text_add(out, smr_json_get_string(law, "name", ""));
    for (const smr_json *v = list ? list->first : NULL; v && k < SHOWN; v = v->next, k++) {
        smr_text_add(out, " ");
        smr_text_rounded(out, v->number, 6);
    }
    if (list && list->n > SHOWN) smr_text_add(out, " ...");
    if (smr_json_get(law, "improper"))
        smr_text_add(out, strcmp(what, "prior") == 0 ? " (improper: a limit of priors, not one)"
                                                     : " (improper: the rows leave it without "
                                                       "intervals)");
    smr_text_add(out, "\n");
}

static void show_fit(const smr_json *fit, smr_text *out)
{
    static const char *const keys[] = {"statistic", "expected", "df", "p"};
    if (!fit) return;
    smr_text_printf(out, "  fit: %s", smr_json_get_string(fit, "test", ""));
    for (int k = 0; k < SMR_COUNT(keys); k++) {
        const smr_json *v = smr_json_get(fit, keys[k]);
        if (!v || v->type != SMR_JSON_NUMBER) continue;
        const char *bound = k == 3 ? smr_json_get_string(fit, "p_is", "") : "";
        smr_text_printf(out, ", %s %s%s", keys[k], bound, *bound ? " " : "");
        smr_text_rounded(out, v->number, 4);
    }
    smr_text_add(out, "\n    (");
    smr_text_wrap(out, smr_json_get_string(fit, "means", ""), 5, 5,
                  out->width ? out->width - 1 : 0);
    smr_text_add(out, ")\n");
}

/* The table of parameters, its columns under words that people know; `unbiased` if it differs. */
static void show_parameters(const smr_json *list, smr_text *out)
{
    static const char *const keys[] = {
        "parameter",     "ml",           "unbiased",      "map",
        "mean",          "credible_low", "credible_high", "confident_low",
        "confident_high"};
    static const char *const heads[] = {
        "parameter",     "ML", "unbiased",        "MAP",  "post. mean",
        "credible from", "to", "confidence from", "up to"};
    smr_json_doc *doc = NULL;
    if (smr_json_create(out->ctx, &doc) != SMR_OK) {
        out->failed = true;
        return;
    }
    bool unbiased = false;
    for (const smr_json *from = list->first; from; from = from->next)
        unbiased |=
            smr_json_get_number(from, "unbiased", NAN) != smr_json_get_number(from, "ml", NAN);
    smr_json *rows = smr_json_add_array(smr_json_root(doc), "rows");
    for (const smr_json *from = list->first; from; from = from->next) {
        smr_json *row = smr_json_add_object(rows, NULL);
        for (int k = 0; k < SMR_COUNT(keys); k++) {
            const smr_json *v = smr_json_get(from, keys[k]);
            if (v && (k != 2 || unbiased)) smr_json_add_copy(row, heads[k], v);
        }
    }
    if (smr_json_done(doc) == SMR_OK)
        smr_render_table(rows, 2, 0, out);
    else
        out->failed = true;
    smr_json_free(doc);
}

static void show_one(const smr_json *e, smr_text *out)
{
    const smr_json *columns = smr_json_get(e, "columns"), *gaps = smr_json_get(e, "gaps");
    smr_text_add(out, "\n");
    if (!columns) smr_text_add(out, smr_json_get_string(e, "column", ""));
    for (const smr_json *c = columns ? columns->first : NULL; c; c = c->next) {
        smr_render_value(c, out);
        smr_text_add(out, c->next ? ", " : "");
    }
    smr_text_printf(out, ": %s", smr_json_get_string(e, "family", ""));
    if (!columns) smr_text_printf(out, " (%s)", smr_json_get_string(e, "because", ""));
    smr_text_add(out, ", ");
    smr_render_count(e, "rows", "row", out);
    if (gaps) {
        smr_text_add(out, ", ");
        smr_text_count(out, (int64_t)gaps->number, "gap");
        smr_text_add(out, " left out");
    }
    smr_text_add(out, "\n");
    show_parameters(smr_json_get(e, "parameters"), out);
    show_law("prior", smr_json_get(e, "prior"), out);
    show_law("posterior", smr_json_get(e, "posterior"), out);
    const smr_json *log_likelihood = smr_json_get(e, "log_likelihood");
    if (log_likelihood) {
        smr_text_printf(out, "  %-10s ", "log likelihood");
        smr_render_value(log_likelihood, out);
        const smr_json *plain = smr_json_get(e, "likelihood");
        if (plain && plain->number > 0) {
            smr_text_add(out, " (likelihood ");
            smr_text_rounded(out, plain->number, 6);
            smr_text_add(out, ")");
        }
        smr_text_add(out, "\n");
    }
    const char *note = smr_json_get_string(e, "note", NULL);
    if (note) smr_text_printf(out, "  %s\n", note);
    show_fit(smr_json_get(e, "fit"), out);
}

static void show(const smr_json *root, int64_t most, smr_text *out)
{
    (void)most;
    smr_text_printf(out, "%s: ", smr_json_get_string(root, "data", ""));
    smr_render_count(root, "rows", "row", out);
    smr_text_add(out, "; intervals of ");
    smr_text_rounded(out, 100 * smr_json_get_number(root, "level", 0), 6);
    smr_text_add(out, "%\n");
    for (const smr_json *e = smr_json_get(root, "estimates")->first; e; e = e->next)
        show_one(e, out);
}

smr_status run_estimate(smr_ctx *ctx, args *a)
{
    smr_status st = SMR_OK;
    smr_table *table = NULL;
    smr_json_doc *doc = NULL;
    smr_text columns = {.ctx = ctx};
    char *json = NULL;
    smr_estimate_opts opts = {.size = sizeof opts,
                              .family = a->law,
                              .prior = a->prior,
                              .weight = a->weight,
                              .level = isnan(a->confidence) ? 0 : a->confidence,
                              .figures = true};
    if (a->confidence == 0)
        return smr_fail(ctx, SMR_ERR_PARAM, "--confidence: 0 is not between 0 and 1");
    for (int w = 2; w < a->n_words; w++) {
        if (w > 2) smr_text_add(&columns, ",");
        smr_text_add(&columns, a->words[w]);
    }
    TRY(smr_text_done(&columns));
    TRY(session_read(ctx, a, a->words[1], &table));
    TRY(smr_json_create(ctx, &doc));
    smr_json *root = smr_json_root(doc);
    smr_json_add_string(root, "command", "estimate");
    smr_json_add_string(root, "data", a->words[1]);
    smr_json_add_number(root, "rows", (double)table->n_rows);
    TRY(smr_estimate(ctx, table, columns.bytes, &opts, &json));
    TRY(session_add_result(ctx, json, root));
    session_add_warnings(root);
    TRY(session_finish(ctx, a, root, show));
out:
    smr_text_release(&columns);
    smr_json_free(doc);
    smr_table_free(table);
    return st;
}
