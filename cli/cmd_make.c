/* cmd_make.c -- samara make: tables made to measure, whose truth is known. */
#include "commands.h"
#include "core/number.h"
#include "data/generate.h"
#include "data/types.h"
#include "learn/draw_rows.h"
#include "report/catalog.h"
#include "session.h"

#include <stdio.h>
#include <string.h>

static smr_status tell(smr_ctx *ctx, const args *a, const smr_table *table)
{
    smr_status st = SMR_OK;
    smr_json_doc *doc = NULL;
    TRY(smr_json_create(ctx, &doc));
    smr_json *root = smr_json_root(doc);
    smr_json_add_string(root, "command", "make");
    smr_json_add_string(root, "name", a->words[1]);
    smr_json_add_number(root, "rows", (double)table->n_rows);
    smr_json_add_number(root, "columns", (double)table->n_cols);
    smr_json_add_number(root, "seed", (double)a->seed);
    if (table->notes) smr_json_add_string(root, "notes", table->notes);
    smr_json_add_string(root, "output", a->output);
    session_add_warnings(root);
    TRY(session_print_json(ctx, root));
out:
    smr_json_free(doc);
    return st;
}

static smr_status tell_names(smr_ctx *ctx)
{
    smr_json_doc *doc = NULL;
    smr_status st = smr_json_create(ctx, &doc);
    if (st == SMR_OK) {
        smr_json_add_string(smr_json_root(doc), "command", "make");
        smr_report_generators(smr_json_root(doc));
        st = session_print_json(ctx, smr_json_root(doc));
    }
    smr_json_free(doc);
    return st;
}

static smr_status read_count(smr_ctx *ctx, const smr_setting *s, int64_t *out)
{
    const char *end = s->value + strlen(s->value);
    if (smr_parse_int(s->value, end, out) == end && *out >= 1 && *out <= 1000000000) return SMR_OK;
    return smr_fail(ctx, SMR_ERR_PARAM, "%s=%s: a whole number from 1 to 1000000000", s->key,
                    s->value);
}

/* Rows that a model draws: samara make MODEL rows=N, or [sequences=N] [length=N]. */
static smr_status draw_from_model(smr_ctx *ctx, const args *a, smr_table **out)
{
    smr_status st = SMR_OK;
    smr_model *model = NULL;
    smr_settings settings = {0};
    int64_t sequences = 1, length = 100;
    TRY(smr_settings_parse(ctx, (const char *const *)a->words + 2, a->n_words - 2, &settings));
    TRY(smr_model_load(ctx, a->words[1], &model));
    bool steps = model->target.task == SMR_TASK_SEQUENCE;
    for (int64_t k = 0; k < settings.n; k++) {
        const smr_setting *s = &settings.list[k];
        bool is_length = strcmp(s->key, steps ? "length" : "rows") == 0;
        if (!is_length && !(steps && strcmp(s->key, "sequences") == 0))
            TRY(smr_fail(ctx, SMR_ERR_PARAM, "make MODEL has no '%s'; it takes %s", s->key,
                         steps ? "sequences=N and length=N" : "rows=N"));
        for (int64_t before = 0; before < k; before++)
            if (strcmp(settings.list[before].key, s->key) == 0)
                TRY(smr_fail(ctx, SMR_ERR_PARAM, "%s is given twice", s->key));
        TRY(read_count(ctx, s, is_length ? &length : &sequences));
    }
    TRY(smr_model_draw(ctx, model, sequences, length, out));
out:
    smr_settings_release(&settings);
    smr_model_free(model);
    return st;
}

/* Does the word name a file, and no generator? */
static bool is_file(const char *word)
{
    FILE *file = smr_generator_find(word) ? NULL : fopen(word, "rb");
    if (file) fclose(file);
    return file != NULL;
}

smr_status run_make(smr_ctx *ctx, args *a)
{
    smr_status st = SMR_OK;
    smr_table *table = NULL;
    smr_text text = {.ctx = ctx};
    smr_format format = SMR_FORMAT_AUTO;
    if (a->n_words < 2 && (a->output || a->format)) {
        st = smr_fail(ctx, SMR_ERR_PARAM,
                      "make needs the NAME of what to make: samara make "
                      "NAME [key=value ...] [-o FILE]");
        goto out;
    }
    if (a->n_words < 2 && a->json) return tell_names(ctx);
    if (a->n_words < 2) {
        smr_text_add(&text, "samara make NAME [key=value ...] -o FILE\n\n");
        smr_report_generator_names(&text);
        TRY(session_print(ctx, &text));
        goto out;
    }
    if (a->json && !a->output) {
        st = smr_fail(ctx, SMR_ERR_PARAM, "make --json tells about the run; the rows need -o FILE");
        goto out;
    }
    TRY(smr_format_by_name(ctx, a->format, &format));
    if (is_file(a->words[1]))
        TRY(draw_from_model(ctx, a, &table));
    else
        TRY(smr_table_make(ctx, a->words[1], (const char *const *)a->words + 2, a->n_words - 2,
                           &table));
    TRY(smr_table_write(ctx, table, a->output ? a->output : "-", format));
    if (a->json) {
        TRY(tell(ctx, a, table));
    } else if (!a->quiet && a->output) {
        smr_text_printf(&text, "%s: ", a->output);
        smr_text_count(&text, table->n_rows, "row");
        smr_text_add(&text, ", ");
        smr_text_count(&text, table->n_cols, "column");
        smr_text_printf(&text, "\n%s", table->notes ? table->notes : "");
        TRY(session_print(ctx, &text));
    }
out:
    smr_text_release(&text);
    smr_table_free(table);
    return st;
}
