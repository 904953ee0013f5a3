/* cmd_help.c -- samara help: the commands, one command, a learner or a generator. */
#include "commands.h"
#include "core/synonyms.h"
#include "core/text.h"
#include "data/generate.h"
#include "learn/columns.h"
#include "learn/registry.h"
#include "nn/layer.h"
#include "report/catalog.h"
#include "report/learners.h"
#include "screen.h"
#include "session.h"

#include <string.h>

static void show_option(const option *o, unsigned command_bit, smr_text *out)
{
    char head[64] = "";
    smr_text line = {.ctx = out->ctx};
    smr_text_printf(&line, "--%s%s%s", o->name, o->value ? " " : "", o->value ? o->value : "");
    if (line.bytes && line.length < (int64_t)sizeof head)
        memcpy(head, line.bytes, (size_t)line.length + 1);
    smr_text_release(&line);
    enum { DOC = 32 }; /* where what it does begins */
    int used = 6 + (int)strlen(head);
    smr_text_printf(out, "  %c%c  %s", o->letter ? '-' : ' ', o->letter ? o->letter : ' ', head);
    if (used + 2 > DOC) smr_text_add(out, "\n");
    smr_text_printf(out, "%*s", used + 2 > DOC ? DOC : DOC - used, "");
    smr_text_wrap(out, cli_option_doc(o, command_bit), DOC, DOC, smr_help_width(out));
    smr_text_add(out, "\n");
}

static void show_overview(smr_text *out)
{
    enum { BRIEF = 23 };
    smr_text_add(out, "samara - machine learning in C\n\n");
    for (int64_t i = 0; i < cli_n_commands; i++) {
        smr_text_printf(out, "  samara %-13s ", cli_commands[i].name);
        smr_text_wrap(out, cli_commands[i].brief, BRIEF, BRIEF, smr_help_width(out));
        smr_text_add(out, "\n");
    }
    smr_text_add(
        out,
        "\nA model is a sentence:  knn 5   standardize | knn 5   poly 3 | ridge 0.1\n"
        "DATA is CSV or TSV (- for standard input), JSON lines, LIBSVM, ARFF, NPY, IDX or SQLite;\n"
        "files may be compressed with gzip, zstd or xz.\n\n"
        "  samara train \"standardize | knn 5\" data/iris.csv --target species -o iris.smr\n"
        "  samara predict iris.smr data/iris.csv --proba\n\n"
        "'samara help NAME' explains a command or a learner; 'samara list' names them all.\n");
}

/* What belief does, and what a query looks like. */
static const char belief_forms[] =
    "  query NETWORK [QUERY]       probabilities; of every variable without a query\n"
    "  likeliest NETWORK [QUERY]   the levels that are likeliest together\n"
    "  separated NETWORK A B [given C ...]\n"
    "                              are A and B independent, and along which paths not\n"
    "  predict NETWORK DATA COL    a column of each row, given the others\n"
    "  sample NETWORK ROWS         rows drawn from the network\n"
    "  draw NETWORK [QUERY]        the graph with probabilities, given what the query gives\n"
    "  edges NETWORK               the edges, as 'bayesnet graph=' takes them\n"
    "  convert IN OUT              to BIF if OUT ends in .bif, else to samara's own form\n"
    "  check NETWORK               sizes, and the memory that exact answers take\n\n"
    "  NETWORK is a network file, BIF, or a model of bayesnet. A QUERY is \"P(A, B=yes | C=no)\";\n"
    "  * in place of A stands for every variable.\n\n"
    "Examples\n"
    "  samara belief query data/networks/asia.txt \"P(lung | xray=yes, dysp=yes)\"\n"
    "  samara belief separated data/networks/asia.txt asia smoke given dysp\n"
    "  samara belief draw data/networks/asia.txt \"P(* | smoke=yes)\" -o asia.svg\n";

/* The learners from whose models rows can be drawn. */
static void add_those_that_draw(smr_text *out)
{
    smr_text names = {.ctx = out->ctx};
    int64_t n, count = 0;
    const smr_learner *const *all = smr_registry(&n);
    for (int64_t i = 0; i < n; i++)
        if (all[i]->fitted->draws)
            smr_text_printf(&names, "%s%s", count++ ? ", " : "", all[i]->word->name);
    if (smr_text_done(&names) == SMR_OK)
        smr_text_add(out, names.bytes);
    else
        out->failed = true;
    smr_text_release(&names);
}

static void show_command(const command *c, smr_text *out)
{
    smr_text_printf(out, "samara %s %s\n\n  %s\n\n", c->name, c->usage, c->brief);
    if (c->bit == CMD_BELIEF) smr_text_printf(out, "%s\n", belief_forms);
    smr_text_add(out, "Options\n");
    for (int64_t i = 0; i < cli_n_options; i++)
        if (cli_options[i].commands & c->bit) show_option(&cli_options[i], c->bit, out);
    if (c->bit == CMD_MAKE) {
        smr_text_add(out, "\nGenerators\n");
        smr_report_generator_names(out);
        smr_text_add(
            out, "\nModels\n  samara make MODEL rows=N draws rows from a model that says how they "
                 "come about;\n  of sequences: sequences=N length=N. Learners: ");
        add_those_that_draw(out);
        smr_text_add(out, "\n");
    }
    if (c->bit == CMD_KERNEL) {
        smr_text_add(out, "\nKernels\n");
        smr_report_kernel_names(out);
    }
}

static smr_status unknown_topic(smr_ctx *ctx, const char *name)
{
    const char *names[256];
    int64_t n = 0, n_learners, n_generators;
    const smr_generator *const *generators = smr_generators(&n_generators);
    const smr_learner *const *all = smr_registry(&n_learners);
    for (int64_t i = 0; i < cli_n_commands; i++) names[n++] = cli_commands[i].name;
    for (int64_t i = 0; i < n_learners && n < SMR_COUNT(names); i++)
        names[n++] = all[i]->word->name;
    for (int64_t i = 0; i < n_generators && n < SMR_COUNT(names); i++)
        names[n++] = generators[i]->name;
    if (n < SMR_COUNT(names)) names[n++] = smr_columns_word.name;
    int64_t near = smr_nearest(name, names, n);
    char called[SMR_SYNONYM_MAX];
    const char *same = smr_learner_called(name, called) ? called : near >= 0 ? names[near] : NULL;
    if (same)
        return smr_fail(ctx, SMR_ERR_PARAM, "there is no help on '%s'; did you mean '%s'?", name,
                        same);
    return smr_fail(ctx, SMR_ERR_PARAM,
                    "there is no help on '%s'; 'samara list' names what there is", name);
}

static void command_as_json(const command *c, smr_json *to)
{
    smr_json_add_string(to, "name", c->name);
    smr_json_add_string(to, "usage", c->usage);
    smr_json_add_string(to, "brief", c->brief);
    smr_json *list = smr_json_add_array(to, "options");
    for (int64_t i = 0; i < cli_n_options; i++) {
        const option *o = &cli_options[i];
        char letter[2] = {o->letter, '\0'};
        if (!(o->commands & c->bit)) continue;
        smr_json *row = smr_json_add_object(list, NULL);
        smr_json_add_string(row, "name", o->name);
        if (o->letter) smr_json_add_string(row, "letter", letter);
        if (o->value) smr_json_add_string(row, "value", o->value);
        smr_json_add_string(row, "doc", cli_option_doc(o, c->bit));
    }
}

/* The commands with their options: one, or all (NULL). */
static smr_status commands_as_json(smr_ctx *ctx, const command *only)
{
    smr_status st = SMR_OK;
    smr_json_doc *doc = NULL;
    TRY(smr_json_create(ctx, &doc));
    smr_json *root = smr_json_root(doc);
    smr_json_add_string(root, "command", "help");
    smr_json *list = smr_json_add_array(root, "commands");
    for (int64_t i = 0; i < cli_n_commands; i++)
        if (!only || only == &cli_commands[i])
            command_as_json(&cli_commands[i], smr_json_add_object(list, NULL));
    TRY(session_print_json(ctx, root));
out:
    smr_json_free(doc);
    return st;
}

/* A learner or a generator; without either the head of a sentence. */
static smr_status word_as_json(smr_ctx *ctx, const smr_learner *learner,
                               const smr_generator *generator)
{
    smr_status st = SMR_OK;
    smr_json_doc *doc = NULL;
    TRY(smr_json_create(ctx, &doc));
    smr_json *root = smr_json_root(doc);
    if (learner)
        TRY(smr_report_learner(ctx, learner, root));
    else if (generator)
        smr_report_generator(generator, root);
    else
        TRY(smr_report_word(ctx, &smr_columns_word, root));
    TRY(session_print_json(ctx, root));
out:
    smr_json_free(doc);
    return st;
}

/* What a name may mean: a word can be a learner, a layer of networks and a command at once. */
typedef struct meanings {
    const command *command;
    const smr_learner *learner;
    const smr_generator *generator;
    const smr_layer *layer;
    bool head;
} meanings;

static meanings meanings_of(const char *name)
{
    return (meanings){.command = cli_find_command(name),
                      .learner = smr_registry_find(name),
                      .generator = smr_generator_find(name),
                      .layer = smr_layer_find(name),
                      .head = strcmp(name, smr_columns_word.name) == 0};
}

/* Between the pages of one name. */
static void and_then(const char *what, const char *name, smr_text *out)
{
    if (out->length) smr_text_printf(out, "\n%s %s\n\n", what, name);
}

static smr_status show_meanings(smr_ctx *ctx, const meanings *m, const char *name, smr_text *out)
{
    smr_status st = SMR_OK;
    if (m->learner)
        TRY(smr_report_help(ctx, m->learner, out));
    else if (m->head)
        TRY(smr_report_word_help(&smr_columns_word, out));
    else if (m->generator)
        smr_report_generator_help(m->generator, out);
    if (m->layer) {
        and_then("The layer", name, out);
        TRY(smr_report_word_help(&m->layer->word, out));
    }
    if (m->command) {
        and_then("The command", name, out);
        show_command(m->command, out);
    }
    if (!out->length) TRY(unknown_topic(ctx, name));
out:
    return st;
}

/* `samara net --help` asks for the command, `samara help net` for all that has this name. */
smr_status run_help(smr_ctx *ctx, args *a)
{
    smr_status st = SMR_OK;
    smr_text text = screen_text(ctx);
    const char *name = a->n_words > 1 ? a->words[1] : NULL;
    meanings m = name ? meanings_of(name) : (meanings){0};
    if (a->help && m.command) m = (meanings){.command = m.command};
    bool word = m.learner || m.head || m.generator;
    if (a->json && word) return word_as_json(ctx, m.learner, m.learner ? NULL : m.generator);
    if (a->json && (!name || m.command)) return commands_as_json(ctx, m.command);
    if (name)
        TRY(show_meanings(ctx, &m, name, &text));
    else
        show_overview(&text);
    TRY(session_print(ctx, &text));
out:
    smr_text_release(&text);
    return st;
}
