/* cmd_man.c -- samara man: the manual page as troff, from the tables alone. */
#include "commands.h"
#include "core/params.h"
#include "core/text.h"
#include "learn/columns.h"
#include "learn/registry.h"
#include "session.h"

/* Text with troff's special characters made harmless. */
static void add_plain(smr_text *out, const char *text)
{
    for (const char *c = text; *c; c++) {
        if (*c == '\\')
            smr_text_add(out, "\\e");
        else if (*c == '-')
            smr_text_add(out, "\\-");
        else if ((*c == '.' || *c == '\'') && (c == text || c[-1] == '\n'))
            smr_text_printf(out, "\\&%c", *c);
        else
            smr_text_add_bytes(out, c, 1);
    }
}

static void add_item(smr_text *out, const char *head, const char *tail, const char *body)
{
    smr_text_add(out, ".TP\n.B ");
    add_plain(out, head);
    if (tail && *tail) {
        smr_text_add(out, " ");
        add_plain(out, tail);
    }
    smr_text_add(out, "\n");
    add_plain(out, body);
    smr_text_add(out, "\n");
}

static void add_option(smr_text *out, const option *o)
{
    smr_text head = {.ctx = out->ctx};
    if (o->letter) smr_text_printf(&head, "-%c, ", o->letter);
    smr_text_printf(&head, "--%s", o->name);
    add_item(out, head.bytes ? head.bytes : "", o->value, o->doc);
    for (int64_t i = 0; i < cli_n_commands; i++)
        if (cli_option_doc(o, cli_commands[i].bit) != o->doc) {
            smr_text_add(out, "In ");
            add_plain(out, cli_commands[i].name);
            smr_text_add(out, ": ");
            add_plain(out, cli_option_doc(o, cli_commands[i].bit));
            smr_text_add(out, "\n");
        }
    smr_text_release(&head);
}

static void add_word(smr_text *out, const smr_word *word)
{
    smr_text_add(out, ".SS ");
    smr_text_printf(out, "%s\n", word->name);
    add_plain(out, word->brief);
    smr_text_add(out, "\n.PP\n");
    add_plain(out, word->objective);
    smr_text_add(out, "\n");
    for (int64_t i = 0; i < word->n_params; i++) {
        smr_text tail = {.ctx = out->ctx};
        smr_text_add(&tail, "in ");
        smr_param_write_range(&word->params[i], &tail);
        smr_text_add(&tail, ", default ");
        smr_param_write_default(&word->params[i], &tail);
        add_item(out, word->params[i].name, tail.bytes, word->params[i].doc);
        smr_text_release(&tail);
    }
}

smr_status run_man(smr_ctx *ctx, args *a)
{
    smr_text out = {.ctx = ctx};
    int64_t n;
    const smr_learner *const *all = smr_registry(&n);
    (void)a;
    smr_text_printf(
        &out,
        ".TH SAMARA 1 \"\" \"samara %s\" \"User Commands\"\n.SH NAME\nsamara \\- machine "
        "learning in C\n.SH SYNOPSIS\n",
        smr_version());
    for (int64_t i = 0; i < cli_n_commands; i++) {
        smr_text_printf(&out, ".B samara %s\n", cli_commands[i].name);
        add_plain(&out, *cli_commands[i].usage ? cli_commands[i].usage : "");
        smr_text_add(&out, "\n.br\n");
    }
    smr_text_add(&out, ".SH COMMANDS\n");
    for (int64_t i = 0; i < cli_n_commands; i++)
        add_item(&out, cli_commands[i].name, NULL, cli_commands[i].brief);
    smr_text_add(&out, ".SH OPTIONS\n");
    for (int64_t i = 0; i < cli_n_options; i++) add_option(&out, &cli_options[i]);
    smr_text_add(&out,
                 ".SH MODELS\nA model is a sentence: stages divided by bars, each a name with "
                 "parameters, as in \"standardize | knn 5\".\n");
    add_word(&out, &smr_columns_word);
    for (int64_t i = 0; i < n; i++) add_word(&out, all[i]->word);
    smr_text_add(
        &out,
        ".SH EXIT STATUS\n0 done, 1 data or numbers, 2 usage, 3 files, 70 a bug in samara, "
        "130 interrupted.\n.SH EXAMPLES\n.nf\n"
        "samara train \"standardize | knn 5\" data/iris.csv \\-\\-target species \\-o iris.smr\n"
        "samara predict iris.smr data/iris.csv \\-\\-proba\n.fi\n");
    smr_status st = session_print(ctx, &out);
    smr_text_release(&out);
    return st;
}
