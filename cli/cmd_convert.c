/* cmd_convert.c -- samara convert: read one format, write another. */
#include "commands.h"
#include "report/render.h"
#include "session.h"

smr_status run_convert(smr_ctx *ctx, args *a)
{
    smr_status st = SMR_OK;
    smr_table *table = NULL;
    smr_json_doc *doc = NULL;
    const char *to = a->output ? a->output : a->n_words > 2 ? a->words[2] : NULL;
    if (!to || (a->output && a->n_words > 2))
        return smr_fail(ctx, SMR_ERR_PARAM, "convert needs one file to read and one to write");
    TRY(session_read(ctx, a, a->words[1], &table));
    TRY(smr_table_save(ctx, table, to));
    if (a->json) {
        TRY(smr_json_create(ctx, &doc));
        smr_json *root = smr_json_root(doc);
        smr_json_add_string(root, "command", "convert");
        smr_json_add_string(root, "from", a->words[1]);
        smr_json_add_string(root, "to", to);
        smr_json_add_number(root, "rows", (double)table->n_rows);
        smr_json_add_number(root, "columns", (double)(table->n_cols + table->sparse.n_cols));
        session_add_warnings(root);
        TRY(session_print_json(ctx, root));
    }
    TRY(session_wrote(ctx, a, to));
out:
    smr_json_free(doc);
    smr_table_free(table);
    return st;
}
