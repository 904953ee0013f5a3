/* main.c -- samara, the command: finds what was asked for and runs it.
 *
 * Exit status: 0 done, 1 data or numbers, 2 usage, 3 files, 70 a bug in samara, 130 interrupted. */
#include "args.h"
#include "commands.h"
#include "core/text.h"
#include "math/loss.h"
#include "outputs.h"
#include "plots.h"
#include "screen.h"
#include "session.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

const command cli_commands[] = {
    {"train", CMD_TRAIN, "SPEC DATA --target COL [-o MODEL]",
     "Fit a model and measure it on held-out rows.", run_train, 2, 2},
    {"predict", CMD_PREDICT, "MODEL DATA [-o OUT] [--proba] [--interval]", "Predict from raw rows.",
     run_predict, 2, 2},
    {"evaluate", CMD_EVALUATE, "MODEL DATA [--threshold T]",
     "Measure a model on rows with known answers.", run_evaluate, 2, 2},
    {"cv", CMD_CV, "SPEC DATA --target COL [--folds N] [-o OOF]",
     "Cross-validate: measures with their spread, on rows not used for fitting.", run_cv, 2, 2},
    {"compare", CMD_COMPARE, "DATA --target COL SPEC ... | --all",
     "Compare models on the same folds, and tell real differences from noise.", run_compare, 1,
     MAX_WORDS},
    {"tune", CMD_TUNE, "SPEC DATA --target COL [--over SPACE] [-o MODEL]",
     "Search for the parameters that predict best, and say how far to trust the result.", run_tune,
     2, 2},
    {"curve", CMD_CURVE, "learning|validation|training|rounds|threshold|elbow SPEC|MODEL DATA",
     "Show how the error changes with rows, a parameter, rounds, a threshold or clusters.",
     run_curve, 2, 3},
    {"explain", CMD_EXPLAIN, "importance|dependence|regions|path|shapley|proximity|maps MODEL DATA",
     "Explain a model: which columns matter and how, and why a row is predicted as it is.",
     run_explain, 3, 3},
    {"trace", CMD_TRACE, "SPEC DATA --target COL [--html FILE]",
     "Show a learner's method step by step, as a table, pictures or a page with a slider.",
     run_trace, 2, 2},
    {"bias-variance", CMD_BIAS_VARIANCE, "SPEC --generator NAME [key=value ...] | SPEC DATA",
     "Estimate bias, variance and noise of a learner by repeated sampling.", run_bias_variance, 1,
     64},
    {"stream", CMD_STREAM, "SPEC DATA|- --target COL [-o MODEL] | --from MODEL DATA|-",
     "Predict, then learn, row by row, from a file or pipe of any size.", run_stream, 1, 2},
    {"inspect", CMD_INSPECT, "MODEL [--tree K] [--rules] [--dot]",
     "Show what a model learned, in words, tables and trees.", run_inspect, 1, 1},
    {"describe", CMD_DESCRIBE, "DATA [--target COL]",
     "Describe a table: columns, types, gaps, distributions, and what each column tells about a "
     "target.",
     run_describe, 1, 1},
    {"estimate", CMD_ESTIMATE, "DATA [COL ...] [--family NAME] [--prior PRIOR]",
     "Estimate the distributions of columns: likelihood, posterior, intervals, fit.", run_estimate,
     1, MAX_WORDS},
    {"bayes-rule", CMD_BAYES_RULE,
     "--prior P --sensitivity P --specificity P | --prior P,... --likelihood P,...",
     "Compute how probable hypotheses are after what was seen.", run_bayes_rule, 0, 0},
    {"make", CMD_MAKE, "NAME [key=value ...] [-o FILE]", "Generate data: blobs, moons, linear, ...",
     run_make, 0, 64},
    {"convert", CMD_CONVERT, "IN OUT", "Convert a table from one file format to another.",
     run_convert, 1, 2},
    {"split", CMD_SPLIT, "DATA TRAIN [VALIDATION] TEST [--target COL]",
     "Split a table into files for training, validation and testing.", run_split, 3, 9},
    {"list", CMD_LIST, "[learners|transforms|generators|measures|layers|nets]",
     "List every learner, transform, generator, measure, layer and known network.", run_list, 0, 1},
    {"help", CMD_HELP, "[NAME]", "Show this page, or that of a command, a learner or a generator.",
     run_help, 0, 1},
    {"loss", CMD_LOSS, "[NAME[=PARAM] ...]", "Show losses: value, slope, curvature and picture.",
     run_loss, 0, SMR_LOSS_COUNT},
    {"matrix", CMD_MATRIX, "det|inv|solve|eigen|svd|lu|qr|cholesky|rank FILE [FILE]",
     "Do linear algebra on a table of numbers.", run_matrix, 2, 3},
    {"kernel", CMD_KERNEL, "check|gram DATA [--kernel EXPR] [-o FILE]",
     "Compute the kernel matrix of a table, and check that it is one (Mercer).", run_kernel, 2, 2},
    {"belief", CMD_BELIEF,
     "query|likeliest|separated|predict|sample|draw|edges|convert|check NETWORK ... [-o FILE]",
     "Ask a Bayesian network: probabilities given evidence, independence, rows, a picture.",
     run_belief, 2, MAX_WORDS},
    {"net", CMD_NET, "shapes NET [--input SHAPE] [--outputs N]",
     "Show a network layer by layer: shapes, parameters, work, memory, receptive fields.", run_net,
     2, 2},
    {"graph", CMD_GRAPH, "divide|cut|rows EDGES|DATA [SETTINGS|LABELS] [-o FILE]",
     "Divide a graph that is given by its edges, tell what a division cuts, link rows.", run_graph,
     2, 3},
    {"quantize", CMD_QUANTIZE, "PICTURE|CODE.vq [SETTINGS] [-k K] [--block HxW] [-o FILE]",
     "Reduce a picture to a few colours, or to a few blocks of pixels, by k-means.", run_quantize,
     1, 2},
    {"filter", CMD_FILTER, "PICTURE KERNEL [--edge zero|repeat|whole] [-o FILE.png]",
     "Filter a picture with a kernel, as a convolutional layer does.", run_filter, 2, 2},
    {"plot", CMD_PLOT, "RESULT.json [--plot FILE] [--report FILE]",
     "Draw the figures of a result that was saved with --json.", run_plot, 1, 1},
    {"completion", CMD_COMPLETION, "bash|zsh|fish", "Print a completion script for the shell.",
     run_completion, 1, 1},
    {"man", CMD_MAN, "", "Print the manual page, as troff.", run_man, 0, 0},
};
const int64_t cli_n_commands = SMR_COUNT(cli_commands);

static smr_status unknown_command(smr_ctx *ctx, const char *name)
{
    const char *names[SMR_COUNT(cli_commands)];
    for (int64_t i = 0; i < cli_n_commands; i++) names[i] = cli_commands[i].name;
    int64_t near = smr_nearest(name, names, cli_n_commands);
    if (near >= 0)
        return smr_fail(ctx, SMR_ERR_PARAM, "there is no command '%s'; did you mean '%s'?", name,
                        names[near]);
    return smr_fail(ctx, SMR_ERR_PARAM, "there is no command '%s'; 'samara help' lists them", name);
}

static smr_status print_version(smr_ctx *ctx)
{
    smr_text text = {.ctx = ctx};
    char *info = NULL;
    smr_status st = smr_build_info(ctx, &info);
    if (st == SMR_OK) {
        smr_text_printf(&text, "%s\npictures: SVG; PNG: %s\n", info, plots_png_info());
        st = session_print(ctx, &text);
    }
    smr_string_free(info);
    smr_text_release(&text);
    return st;
}

/* `samara knn --help` and `samara train --help` both show the page of that word. */
static smr_status show_help(smr_ctx *ctx, args *a)
{
    args page = {.n_words = a->n_words > 0 ? 2 : 1, .json = a->json, .help = true};
    page.words[0] = "help";
    if (a->n_words > 0)
        page.words[1] =
            strcmp(a->words[0], "help") == 0 && a->n_words > 1 ? a->words[1] : a->words[0];
    return run_help(ctx, &page);
}

static smr_status run(smr_ctx *ctx, int argc, char **argv, args *a)
{
    smr_status st = SMR_OK;
    TRY(cli_parse(ctx, argc, argv, a));
    TRY(session_configure(ctx, a));
    if (a->version) return print_version(ctx);
    if (a->help || a->n_words == 0) {
        st = show_help(ctx, a);
        if (st == SMR_OK && !a->help) st = smr_fail(ctx, SMR_ERR_PARAM, "a command is missing");
        return st;
    }
    const command *c = cli_find_command(a->words[0]);
    if (!c) return unknown_command(ctx, a->words[0]);
    TRY(cli_check(ctx, c, a, argc, argv));
    TRY(outputs_check(ctx, c, a));
    TRY(plots_check(ctx, c, a));
    TRY(c->run(ctx, a));
out:
    return st;
}

int main(int argc, char **argv)
{
    smr_ctx *ctx = NULL;
    args a = {0};
    smr_status st = session_begin(&ctx);
    if (st != SMR_OK) {
        fputs("samara: out of memory\n", stderr);
        return session_exit(st);
    }
    st = run(ctx, argc, argv, &a);
    if (st == SMR_ERR_CANCELLED) session_tell_cancelled(ctx);
    screen_clear_line();
    if (st != SMR_OK) {
        const char *message = smr_ctx_message(ctx);
        screen_say("error", *message ? message : "it failed without saying why: a bug in samara");
    }
    smr_free(a.types);
    session_end(ctx);
    if (st == SMR_ERR_CANCELLED) { /* not waiting for a factorisation that still runs */
        fflush(NULL);
        _exit(session_exit(st));
    }
    return session_exit(st);
}
