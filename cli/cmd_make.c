/* cmd_make.c -- samara make: tables made to measure, whose truth is known. */
#include "commands.h"
#include "data/types.h"
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
