/* cmd_belief.c -- samara belief: questions to a Bayesian network, from a file or a trained model.
 *
 *     query NETWORK ["P(A | B=yes)"]      probabilities; of every variable without a query
 *     likeliest NETWORK ["P(A | B=yes)"]  the levels that are likeliest together
 *     separated NETWORK A B [given C ...] are A and B independent, and along which paths not?
 *     predict NETWORK DATA COL            a column given the others, gaps allowed
 *     sample NETWORK N                    rows drawn from it
 *     draw NETWORK ["P(* | B=yes)"]       the graph with marginals, as SVG
 *     edges NETWORK                       as `bayesnet graph=` takes them
 *     convert NETWORK OUT                 .bif, or samara's own form
 *     check NETWORK                       sizes, and the memory of exact inference */
#include "args.h"
#include "belief_show.h"
#include "commands.h"
#include "core/number.h"
#include "data/read.h"
#include "learn/graphical/network_figure.h"
#include "outputs.h"
#include "plots.h"
#include "report/draw.h"
#include "report/render.h"
#include "session.h"
#include "study/belief.h"

#include <string.h>

/* ---- small ones ------------------------------------------------------------------------- */

static void show_check(const smr_json *root, int64_t most, smr_text *out)
{
    static const char *const keys[] = {"variables",      "edges",        "parameters",
                                       "largest_table",  "most_parents", "largest_clique",
                                       "inference_bytes"};
    (void)most;
    for (int k = 0; k < SMR_COUNT(keys); k++) {
        smr_text_printf(out, "%-16s ", keys[k]);
        smr_text_number(out, smr_json_get_number(root, keys[k], 0));
        smr_text_add(out, "\n");
    }
}

static smr_status check(smr_ctx *ctx, const smr_network *net, smr_json *root)
{
    smr_status st = SMR_OK;
    smr_tables tables = smr_net_tables(net);
    smr_jtree_plan plan;
    int64_t parameters = 0, largest = 0, parents = 0;
    for (int64_t i = 0; i < net->n; i++) {
        int64_t cells = net->at[i + 1] - net->at[i];
        largest = SMR_MAX(largest, cells);
        parameters += cells / net->levels[i] * (net->levels[i] - 1);
        parents = SMR_MAX(parents, net->start[i + 1] - net->start[i]);
    }
    TRY(smr_jtree_plan_for(ctx, &tables, NULL, 0, &plan));
    smr_json_add_number(root, "variables", (double)net->n);
    smr_json_add_number(root, "edges", (double)net->start[net->n]);
    smr_json_add_number(root, "parameters", (double)parameters);
    smr_json_add_number(root, "largest_table", (double)largest);
    smr_json_add_number(root, "most_parents", (double)parents);
    smr_json_add_number(root, "largest_clique", plan.largest);
    smr_json_add_number(root, "inference_bytes", plan.bytes);
out:
    return st;
}

static void show_edges(const smr_json *root, int64_t most, smr_text *out)
{
    (void)most;
    smr_text_printf(out, "%s\n", smr_json_get_string(root, "edges", ""));
}

static smr_status edges(smr_ctx *ctx, const smr_network *net, smr_json *root)
{
    smr_text text = {.ctx = ctx};
    smr_net_write_edges(net, &text);
    smr_status st = smr_text_done(&text);
    if (st == SMR_OK) smr_json_add_string(root, "edges", text.bytes ? text.bytes : "");
    smr_text_release(&text);
    return st;
}

static void show_nothing(const smr_json *root, int64_t most, smr_text *out)
{
    (void)root, (void)most, (void)out;
}

static smr_status convert(smr_ctx *ctx, const args *a, const smr_network *net, smr_json *root)
{
    smr_status st = SMR_OK;
    TRY(smr_net_save(ctx, net, a->words[3]));
    smr_json_add_string(root, "output", a->words[3]);
    smr_json_add_number(root, "variables", (double)net->n);
    if (strcmp(a->words[3], "-") == 0) goto out;
    TRY(a->json ? session_finish(ctx, a, root, show_nothing) : session_wrote(ctx, a, a->words[3]));
out:
    return st;
}

/* The query, or all variables. */
static const char *query_of(const args *a)
{
    return a->n_words > 3 ? a->words[3] : "P(*)";
}

/* A B [given] C ... */
static smr_status separated(smr_ctx *ctx, const args *a, const smr_network *net, smr_json *root)
{
    int first = a->n_words > 5 && strcmp(a->words[5], "given") == 0 ? 6 : 5;
    return smr_belief_separated(ctx, net, a->words[3], a->words[4],
                                (const char *const *)a->words + first,
                                SMR_MAX(0, a->n_words - first), root);
}

static smr_status predict(smr_ctx *ctx, const args *a, const smr_network *net)
{
    smr_status st = SMR_OK;
    smr_table *table = NULL, *answer = NULL;
    TRY(smr_table_read(ctx, a->words[3], NULL, &table));
    TRY(smr_belief_predict(ctx, net, table, a->words[4], a->proba, &answer));
    TRY(smr_table_write(ctx, answer, a->output ? a->output : "-", SMR_FORMAT_AUTO));
    if (a->output) TRY(session_wrote(ctx, a, a->output));
out:
    smr_table_free(table);
    smr_table_free(answer);
    return st;
}

static smr_status sample(smr_ctx *ctx, const args *a, const smr_network *net)
{
    smr_status st = SMR_OK;
    smr_table *rows = NULL;
    int64_t n = 0;
    const char *text = a->words[3], *end = text + strlen(text);
    if (smr_parse_int(text, end, &n) != end || n < 1)
        TRY(smr_fail(ctx, SMR_ERR_PARAM, "'%s' is not a number of rows: belief sample NETWORK 1000",
                     text));
    TRY(smr_net_sample(ctx, net, n, &rows));
    TRY(smr_table_write(ctx, rows, a->output ? a->output : "-", SMR_FORMAT_AUTO));
    if (a->output) TRY(session_wrote(ctx, a, a->output));
out:
    smr_table_free(rows);
    return st;
}

/* To -o, or to standard output. */
static smr_status draw(smr_ctx *ctx, const args *a, const smr_network *net, smr_json *root)
{
    smr_status st = SMR_OK;
    smr_net_query q = {0};
    smr_text svg = {.ctx = ctx};
    smr_json *figures = smr_json_add_array(root, "figures");
    if (a->n_words > 3) TRY(smr_net_query_read(ctx, net, a->words[3], &q));
    TRY(smr_net_figure(ctx, net, q.evidence, "graph", figures));
    TRY(smr_figure_svg(ctx, figures->first, NULL, &svg));
    if (!a->output)
        TRY(session_print(ctx, &svg));
    else if (outputs_ends_in(a->output, ".png"))
        TRY(plots_write_png(ctx, &svg, a->output));
    else
        TRY(outputs_write(ctx, a->output, &svg));
    if (a->output) TRY(session_wrote(ctx, a, a->output));
out:
    smr_net_query_release(&q);
    smr_text_release(&svg);
    return st;
}

/* ---- dispatch --------------------------------------------------------------------------- */

enum { QUERY, LIKELIEST, SEPARATED, PREDICT, SAMPLE, DRAW, EDGES, CONVERT, CHECK };

static const struct action {
    const char *name, *usage;
    int least, most;                            /* words after the network */
    bool output, samples, seed, proba, figures; /* the options that it reads */
    bool json;
} actions[] = {
    [QUERY] = {"query", "NETWORK [\"P(A | B=yes)\"]", 0, 1, false, true, true, false, true, true},
    [LIKELIEST] = {"likeliest", "NETWORK [\"P(A | B=yes)\"]", 0, 1, false, false, false, false,
                   false, true},
    [SEPARATED] = {"separated", "NETWORK A B [given C ...]", 2, MAX_WORDS, false, false, false,
                   false, false, true},
    [PREDICT] = {"predict", "NETWORK DATA COL", 2, 2, true, false, false, true, false, false},
    [SAMPLE] = {"sample", "NETWORK ROWS", 1, 1, true, false, true, false, false, false},
    [DRAW] = {"draw", "NETWORK [\"P(* | B=yes)\"]", 0, 1, true, false, false, false, false, false},
    [EDGES] = {"edges", "NETWORK", 0, 0, false, false, false, false, false, true},
    [CONVERT] = {"convert", "NETWORK OUT", 1, 1, false, false, false, false, false, true},
    [CHECK] = {"check", "NETWORK", 0, 0, false, false, false, false, false, true},
};

static bool was_given(const args *a, const char *name)
{
    for (int64_t i = 0; i < cli_n_options; i++)
        if (strcmp(cli_options[i].name, name) == 0) return a->given[i];
    return false;
}

/* What an action does not read is refused. */
static smr_status check_options(smr_ctx *ctx, const args *a, const struct action *is)
{
    const struct {
        const char *name;
        bool read;
    } options[] = {{"output", is->output}, {"samples", is->samples}, {"seed", is->seed},
                   {"proba", is->proba},   {"plot", is->figures},    {"report", is->figures},
                   {"json", is->json}};
    for (int64_t k = 0; k < SMR_COUNT(options); k++)
        if (!options[k].read && was_given(a, options[k].name))
            return smr_fail(ctx, SMR_ERR_PARAM, "--%s is not for 'belief %s'", options[k].name,
                            is->name);
    if (is->seed && is->samples && was_given(a, "seed") && !was_given(a, "samples"))
        return smr_fail(ctx, SMR_ERR_PARAM,
                        "--seed is for answers from samples; --samples N asks for them");
    if (was_given(a, "samples") && a->samples < 1)
        return smr_fail(ctx, SMR_ERR_PARAM, "--samples must be at least 1");
    int more = a->n_words - 3;
    if (more < is->least || more > is->most)
        return smr_fail(ctx, SMR_ERR_PARAM, "usage: samara belief %s %s", is->name, is->usage);
    return SMR_OK;
}

static smr_status run(smr_ctx *ctx, args *a, int which, smr_json *root)
{
    smr_status st = SMR_OK;
    smr_network net = {0};
    bool is_raw;
    TRY(smr_belief_open(ctx, a->words[2], &net, &is_raw));
    if (which == PREDICT && !is_raw)
        TRY(smr_fail(ctx, SMR_ERR_UNSUPPORTED,
                     "%s transforms columns before the network, so raw rows do not fit it; 'samara "
                     "predict' predicts its target",
                     a->words[2]));
    switch (which) {
    case QUERY:
        TRY(smr_belief_ask(ctx, &net, query_of(a), a->samples, true, root));
        TRY(session_finish(ctx, a, root, belief_show_query));
        break;
    case LIKELIEST:
        TRY(smr_belief_likeliest(ctx, &net, query_of(a), root));
        TRY(session_finish(ctx, a, root, belief_show_likeliest));
        break;
    case SEPARATED:
        TRY(separated(ctx, a, &net, root));
        TRY(session_finish(ctx, a, root, belief_show_separated));
        break;
    case PREDICT: TRY(predict(ctx, a, &net)); break;
    case SAMPLE: TRY(sample(ctx, a, &net)); break;
    case DRAW: TRY(draw(ctx, a, &net, root)); break;
    case EDGES:
        TRY(edges(ctx, &net, root));
        TRY(session_finish(ctx, a, root, show_edges));
        break;
    case CONVERT: TRY(convert(ctx, a, &net, root)); break;
    default: TRY(check(ctx, &net, root)); TRY(session_finish(ctx, a, root, show_check));
    }
out:
    smr_net_release(&net);
    return st;
}

smr_status run_belief(smr_ctx *ctx, args *a)
{
    smr_status st = SMR_OK;
    smr_json_doc *doc = NULL;
    const char *names[SMR_COUNT(actions)];
    int which = -1;
    for (int k = 0; k < SMR_COUNT(actions); k++) {
        names[k] = actions[k].name;
        if (strcmp(names[k], a->words[1]) == 0) which = k;
    }
    if (which < 0) {
        int64_t near = smr_nearest(a->words[1], names, SMR_COUNT(names));
        return smr_fail(
            ctx, SMR_ERR_PARAM,
            "there is no 'belief %s'; choose query, likeliest, separated, predict, sample, draw, "
            "edges, convert or check%s%s%s",
            a->words[1], near >= 0 ? "; did you mean '" : "", near >= 0 ? names[near] : "",
            near >= 0 ? "'?" : "");
    }
    TRY(check_options(ctx, a, &actions[which]));
    TRY(smr_json_create(ctx, &doc));
    smr_json_add_string(smr_json_root(doc), "command", "belief");
    smr_json_add_string(smr_json_root(doc), "action", actions[which].name);
    TRY(run(ctx, a, which, smr_json_root(doc)));
out:
    smr_json_free(doc);
    return st;
}
