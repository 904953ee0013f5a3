/* cmd_completion.c -- samara completion: a script for bash, zsh or fish, from the tables alone. */
#include "commands.h"
#include "core/text.h"
#include "data/generate.h"
#include "learn/columns.h"
#include "learn/registry.h"
#include "metric/metric.h"
#include "session.h"

#include <string.h>

static void add_names(smr_text *out, bool commands, bool learners)
{
    int64_t n;
    const smr_learner *const *all = smr_registry(&n);
    for (int64_t i = 0; commands && i < cli_n_commands; i++)
        smr_text_printf(out, "%s ", cli_commands[i].name);
    for (int64_t i = 0; learners && i < n; i++) smr_text_printf(out, "%s ", all[i]->word->name);
    if (learners) smr_text_printf(out, "%s ", smr_columns_word.name);
}

static void add_generators(smr_text *out)
{
    int64_t n;
    const smr_generator *const *all = smr_generators(&n);
    for (int64_t i = 0; i < n; i++) smr_text_printf(out, "%s ", all[i]->name);
}

/* Each name once: tasks share some. */
static void add_measures(smr_text *out)
{
    int64_t n;
    const smr_measure *all = smr_measures(&n);
    for (int64_t i = 0; i < n; i++) {
        int64_t before = 0;
        while (strcmp(all[before].name, all[i].name) != 0) before++;
        if (before == i) smr_text_printf(out, "%s ", all[i].name);
    }
}

/* Options whose values are names that samara knows; of a list, the last one is completed. */
static const struct {
    const char *option;
    void (*add)(smr_text *out);
    bool is_list;
} known[] = {{"measure", add_measures, true}, {"generator", add_generators, false}};

/* "learning|validation|..." before the first blank of a command's usage are its first words; 0:
 * there is no such choice. */
static size_t choices_of(const command *c)
{
    size_t n = strspn(c->usage, "abcdefghijklmnopqrstuvwxyz|-");
    bool ends = c->usage[n] == ' ' || c->usage[n] == ']' || c->usage[n] == '\0';
    return n && ends && memchr(c->usage, '|', n) ? n : 0;
}

/* What may stand after a command's name, apart from files. */
static void add_first_words(smr_text *out, const command *c)
{
    const char *usage = c->usage;
    command inner = *c;
    if (*usage == '[') inner.usage = usage + 1;
    size_t n = choices_of(&inner);
    for (size_t i = 0; i < n; i++)
        smr_text_add_bytes(out, inner.usage[i] == '|' ? " " : inner.usage + i, 1);
    if (n) smr_text_add(out, " ");
    if (c->bit == CMD_MAKE || c->bit == CMD_HELP) add_generators(out);
    if (c->bit & (CMD_TRAIN | CMD_HELP | CMD_CV | CMD_TUNE | CMD_STREAM | CMD_BIAS_VARIANCE))
        add_names(out, false, true);
    if (c->bit == CMD_HELP) add_names(out, true, false);
}

static void add_options(smr_text *out, unsigned bit)
{
    for (int64_t i = 0; i < cli_n_options; i++)
        if (cli_options[i].commands & bit) smr_text_printf(out, "--%s ", cli_options[i].name);
}

static void for_bash(smr_text *out)
{
    smr_text_add(out, "# samara completion for bash: samara completion bash > "
                      "~/.local/share/bash-completion/completions/samara\n"
                      "_samara() {\n"
                      "    local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]}\n"
                      "    local options= words= before=\n"
                      "    if [ \"$COMP_CWORD\" = 1 ]; then\n"
                      "        COMPREPLY=($(compgen -W \"");
    add_names(out, true, false);
    smr_text_add(out, "\" -- \"$cur\")); return\n    fi\n    case $prev in\n");
    for (int64_t i = 0; i < SMR_COUNT(known); i++) {
        bool list = known[i].is_list;
        smr_text_printf(out, "    --%s) %sCOMPREPLY=($(compgen %s-W \"", known[i].option,
                        list ? "[[ $cur == *,* ]] && before=${cur%,*},; " : "",
                        list ? "-P \"$before\" " : "");
        known[i].add(out);
        smr_text_printf(out, "\" -- \"%s\")); return ;;\n", list ? "${cur##*,}" : "$cur");
    }
    smr_text_add(out, "    esac\n    case ${COMP_WORDS[1]} in\n");
    for (int64_t i = 0; i < cli_n_commands; i++) {
        smr_text_printf(out, "    %s) options=\"", cli_commands[i].name);
        add_options(out, cli_commands[i].bit);
        smr_text_add(out, "\" words=\"");
        add_first_words(out, &cli_commands[i]);
        smr_text_add(out, "\" ;;\n");
    }
    smr_text_add(out, "    esac\n"
                      "    if [[ $cur == -* ]]; then\n"
                      "        COMPREPLY=($(compgen -W \"$options\" -- \"$cur\"))\n"
                      "    elif [ \"$COMP_CWORD\" = 2 ]; then\n"
                      "        COMPREPLY=($(compgen -W \"$words\" -- \"$cur\") $(compgen -f -- "
                      "\"$cur\"))\n"
                      "    else\n"
                      "        COMPREPLY=($(compgen -f -- \"$cur\"))\n"
                      "    fi\n"
                      "}\n"
                      "complete -o filenames -F _samara samara\n");
}

/* Single quotes inside a single-quoted shell word. */
static void add_quoted(smr_text *out, const char *text)
{
    for (; *text; text++) {
        if (*text == '\'')
            smr_text_add(out, "'\\''");
        else
            smr_text_add_bytes(out, text, 1);
    }
}

static void for_zsh(smr_text *out)
{
    smr_text_add(
        out,
        "#compdef samara\n# samara completion for zsh: put it as _samara into a folder of $fpath\n"
        "_samara() {\n    local -a commands\n    commands=(\n");
    for (int64_t i = 0; i < cli_n_commands; i++) {
        smr_text_printf(out, "        '%s:", cli_commands[i].name);
        add_quoted(out, cli_commands[i].brief);
        smr_text_add(out, "'\n");
    }
    smr_text_add(out, "    )\n"
                      "    if (( CURRENT == 2 )); then _describe command commands; return; fi\n"
                      "    case $words[CURRENT-1] in\n");
    for (int64_t i = 0; i < SMR_COUNT(known); i++) {
        smr_text_printf(out, "    --%s) %scompadd -- ", known[i].option,
                        known[i].is_list ? "compset -P '*,'; " : "");
        known[i].add(out);
        smr_text_add(out, "; return ;;\n");
    }
    smr_text_add(out, "    esac\n    case $words[2] in\n");
    for (int64_t i = 0; i < cli_n_commands; i++) {
        smr_text_printf(out, "    %s) if [[ $words[CURRENT] == -* ]]; then compadd -- ",
                        cli_commands[i].name);
        add_options(out, cli_commands[i].bit);
        smr_text_add(out, "; return; fi\n        (( CURRENT == 3 )) && compadd -- ");
        add_first_words(out, &cli_commands[i]);
        smr_text_add(out, ";;\n");
    }
    smr_text_add(out, "    esac\n    _files\n}\n_samara \"$@\"\n");
}

/* The names that an option's value may be, where samara knows them. */
static void add_known(smr_text *out, const char *name)
{
    for (int64_t i = 0; i < SMR_COUNT(known); i++) {
        if (strcmp(known[i].option, name) != 0) continue;
        smr_text_add(out, known[i].is_list ? " -xa '(__fish_append , " : " -xa '");
        known[i].add(out);
        smr_text_add(out, known[i].is_list ? ")'" : "'");
    }
}

static void for_fish(smr_text *out)
{
    smr_text_add(out, "# samara completion for fish: samara completion fish > "
                      "~/.config/fish/completions/samara.fish\n");
    for (int64_t i = 0; i < cli_n_commands; i++) {
        smr_text_printf(out, "complete -c samara -n __fish_use_subcommand -a %s -d '",
                        cli_commands[i].name);
        add_quoted(out, cli_commands[i].brief);
        smr_text_add(out, "'\n");
        for (int64_t k = 0; k < cli_n_options; k++) {
            const option *o = &cli_options[k];
            if (!(o->commands & cli_commands[i].bit)) continue;
            smr_text_printf(out,
                            "complete -c samara -n '__fish_seen_subcommand_from %s' -l %s%s -d '",
                            cli_commands[i].name, o->name, o->value ? " -r" : "");
            add_quoted(out, cli_option_doc(o, cli_commands[i].bit));
            smr_text_add(out, "'");
            add_known(out, o->name);
            smr_text_add(out, "\n");
        }
        smr_text_printf(out, "complete -c samara -n '__fish_seen_subcommand_from %s' -a '",
                        cli_commands[i].name);
        add_first_words(out, &cli_commands[i]);
        smr_text_add(out, "'\n");
    }
}

smr_status run_completion(smr_ctx *ctx, args *a)
{
    smr_text text = {.ctx = ctx};
    const char *shell = a->words[1];
    smr_status st = SMR_OK;
    if (strcmp(shell, "bash") == 0)
        for_bash(&text);
    else if (strcmp(shell, "zsh") == 0)
        for_zsh(&text);
    else if (strcmp(shell, "fish") == 0)
        for_fish(&text);
    else
        st = smr_fail(ctx, SMR_ERR_PARAM,
                      "there is no completion for '%s'; choose bash, zsh or fish", shell);
    if (st == SMR_OK) st = session_print(ctx, &text);
    smr_text_release(&text);
    return st;
}
