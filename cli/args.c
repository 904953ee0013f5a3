/* args.c -- see args.h. */
#include "args.h"

#include "core/number.h"
#include "core/text.h"

#include <math.h>
#include <string.h>

#define AT(field) offsetof(args, field)
#define TEXT(n, f, c, v, d)            \
    {                                  \
        n, 0, OPT_TEXT, AT(f), c, v, d \
    }

const option cli_options[] = {
    {"output", 'o', OPT_TEXT, AT(output),
     CMD_TRAIN | CMD_TUNE | CMD_CV | CMD_PREDICT | CMD_MAKE | CMD_CONVERT | CMD_DESCRIBE |
         CMD_MATRIX | CMD_STREAM | CMD_INSPECT | CMD_KERNEL | CMD_BELIEF | CMD_GRAPH |
         CMD_QUANTIZE | CMD_FILTER,
     "FILE", "Write the result to FILE; it replaces the old file whole or not at all."},
    {"target", 't', OPT_TEXT, AT(target),
     CMD_FITS | CMD_EVALUATE | CMD_DESCRIBE | CMD_BIAS_VARIANCE | CMD_STREAM | CMD_SPLIT |
         CMD_TRACE | CMD_KERNEL | CMD_GRAPH,
     "COL",
     "What to predict: a column's name, its position from 0, last, or several with commas. "
     "\"columns "
     "target=log | ...\" fits its logarithm (samara help columns)."},
    TEXT("task", task,
         CMD_FITS | CMD_DESCRIBE | CMD_BIAS_VARIANCE | CMD_STREAM | CMD_SPLIT | CMD_TRACE, "TASK",
         "The task, to override samara's choice: classify, regress, cluster, sequence, recommend, "
         "density or outliers."),
    TEXT("weight", weight,
         CMD_FITS | CMD_EVALUATE | CMD_EXPLAIN | CMD_DESCRIBE | CMD_STREAM | CMD_TRACE |
             CMD_ESTIMATE | CMD_GRAPH,
         "COL", "Column of row weights; a weight of 2 counts the row twice."),
    TEXT("group", group, CMD_FITS | CMD_BIAS_VARIANCE | CMD_SPLIT, "COL",
         "Keep rows of one group on the same side of every split."),
    TEXT("sequence", sequence, CMD_FITS | CMD_TRACE, "COL",
         "Rows with the same value form a sequence, which splits keep whole."),
    TEXT("time-column", time_column, CMD_FITS | CMD_TRACE, "COL",
         "Column that orders the rows of a sequence, or tells when a rating was given; by default "
         "the file's order."),
    TEXT("user", user, CMD_FITS, "COL", "Column of users, for recommenders."),
    TEXT("item", item, CMD_FITS, "COL", "Column of items, for recommenders."),
    TEXT("ignore", ignore,
         CMD_FITS | CMD_DESCRIBE | CMD_BIAS_VARIANCE | CMD_STREAM | CMD_TRACE | CMD_KERNEL |
             CMD_GRAPH,
         "COL,...", "Columns to leave out."),
    TEXT("kernel", kernel, CMD_KERNEL, "EXPR",
         "The kernel: \"2*rbf(gamma=0.1) + linear\"; without it DATA is the matrix itself."),
    TEXT("input", input, CMD_NET, "SHAPE",
         "Shape of an item: 3x224x224 is channels x height x width, 784 a vector."),
    {"outputs", 0, OPT_COUNT, AT(outputs), CMD_NET, "N",
     "Classes, or numbers to predict: what the last layer gives."},
    TEXT("family", law, CMD_ESTIMATE, "NAME",
         "bernoulli, categorical, exponential, gaussian, poisson, or multivariate-gaussian for all "
         "columns together; by default each column's values decide."),
    TEXT(
        "prior", prior, CMD_ESTIMATE | CMD_BAYES_RULE, "PRIOR",
        "\"beta A B\", \"dirichlet A\", \"gamma SHAPE RATE\", \"nig MEAN STRENGTH SHAPE SCALE\" or "
        "\"niw MEAN STRENGTH DF SCALE\"; flat by default."),
    TEXT("likelihood", likelihood, CMD_BAYES_RULE, "P,...",
         "How probable what was seen is under each hypothesis."),
    {"sensitivity", 0, OPT_REAL, AT(sensitivity), CMD_BAYES_RULE, "P",
     "How probable a positive test is where the hypothesis is true."},
    {"specificity", 0, OPT_REAL, AT(specificity), CMD_BAYES_RULE, "P",
     "How probable a negative test is where it is not."},
    TEXT("positive", positive, CMD_FITS | CMD_EXPLAIN | CMD_STREAM, "CLASS",
         "The class whose precision and recall are reported; the last by default."),
    TEXT("threshold", threshold, CMD_TRAIN | CMD_EVALUATE | CMD_PREDICT, "T",
         "For two classes: the score from which a row is positive; or cost=FP:FN, recall=R, "
         "precision=P, fpr=F, f1, youden."),
    TEXT("oob", oob, CMD_TRAIN, "FILE",
         "Write out-of-bag predictions (forest) to FILE: each row by the trees grown without it."),
    TEXT("checkpoint", checkpoint, CMD_TRAIN, "FILE",
         "Save the progress of a long fit (boost, forest, adaboost, bag, net) to FILE until it is "
         "done."),
    {"every", 0, OPT_REAL, AT(checkpoint_every), CMD_TRAIN, "SECONDS",
     "Time between two checkpoints, 60 by default."},
    {"resume", 0, OPT_FLAG, AT(goes_on), CMD_TRAIN, NULL,
     "Continue from the checkpoint, if there is one."},
    TEXT("warm-start", warm_start, CMD_TRAIN, "MODEL",
         "Start from a saved model with the same learner, columns and classes (linear, logistic, "
         "sgd, svm)."),
    {"type", 0, OPT_TYPES, AT(types), CMD_READS | CMD_STREAM, "COL=KIND",
     "Read a column as number, category, text, date or ignore; may be repeated."},
    TEXT("missing", missing, CMD_READS | CMD_STREAM, "MARK,...",
         "Additional texts that mean a missing value."),
    TEXT("format", format, CMD_READS | CMD_MAKE | CMD_STREAM, "F",
         "csv, jsonl, libsvm, arff, npy, idx, sqlite, picture, cifar10 or cifar100, if the file's "
         "name "
         "does not tell."),
    TEXT("delimiter", delimiter, CMD_READS | CMD_STREAM, "C",
         "The CSV delimiter: one character, or tab, space, comma, semicolon."),
    TEXT("decimal", decimal, CMD_READS | CMD_STREAM, "C",
         "Decimal separator of a CSV file: a point or a comma; detected by default."),
    TEXT("header", header, CMD_READS | CMD_STREAM, "yes|no",
         "Whether the first row of a CSV file holds names."),
    TEXT("query", query, CMD_READS, "SELECT",
         "Read the result of an SQL query on an SQLite database; DATA?TABLE reads one of its "
         "tables."),
    TEXT("labels", labels, CMD_READS, "FILE", "The labels of an IDX image file."),
    TEXT("size", size, CMD_READS | CMD_QUANTIZE | CMD_FILTER, "[CHANNELSx]HEIGHTxWIDTH",
         "Bring pictures to this size: 28x28, or 3x32x32 in colours, 1x28x28 in grey."),
    TEXT("fit", fit, CMD_READS | CMD_QUANTIZE | CMD_FILTER, "stretch|crop",
         "How pictures get the size: stretched, the default, or their middle cut out."),
    {"grey", 0, OPT_FLAG, AT(grey), CMD_READS | CMD_QUANTIZE | CMD_FILTER, NULL,
     "Take pictures as grey."},
    TEXT("test", test, CMD_TRAIN | CMD_TUNE, "FILE",
         "Measure on these rows instead of a held-out part."),
    TEXT("test-labels", test_labels, CMD_TRAIN | CMD_TUNE, "FILE",
         "The labels of --test, for IDX."),
    {"holdout", 0, OPT_REAL, AT(holdout), CMD_TRAIN | CMD_TUNE, "SHARE",
     "Share of the rows held out to measure on, 0.2 by default; 0 holds none out."},
    TEXT("shares", shares, CMD_SPLIT, "S,...",
         "Share of the rows in each file after the first, which has the rest; 0.2 each by "
         "default."),
    TEXT("over", over, CMD_TUNE | CMD_CURVE | CMD_BIAS_VARIANCE, "SPACE",
         "What to vary: \"k=1,3,5 weight=*\", \"l2=1e-3..1e3\"; tune: or auto, the default."),
    TEXT("search", search, CMD_TUNE, "HOW",
         "grid, random or halving; grid by default, random with auto or --trials."),
    {"trials", 0, OPT_COUNT, AT(trials), CMD_TUNE, "N",
     "Number of random points of the space to try; 50 by default."},
    TEXT("validation", validation, CMD_TUNE, "SHARE|FILE",
         "Score trials on a share of the rows, or on the rows of a file, instead of by folds."),
    {"one-se", 0, OPT_FLAG, AT(one_se), CMD_TUNE, NULL,
     "Take the simplest candidate within one standard error of the best."},
    {"nested", 0, OPT_COUNT, AT(nested), CMD_TUNE, "N",
     "Nested cross-validation: repeat the whole search in N folds, to judge the search rather than "
     "one winner."},
    TEXT("time", time, CMD_TUNE | CMD_COMPARE, "60s|5m|1h",
         "End after this time, with the best or what is finished by then."),
    {"log", 0, OPT_TEXT, AT(log), CMD_TUNE | CMD_COMPARE, "FILE",
     "Write each trial to a new file as soon as it is done."},
    TEXT("resume", resume, CMD_TUNE | CMD_COMPARE | CMD_STREAM, "FILE",
         "Continue the search from its log."),
    {"no-stop", 0, OPT_FLAG, AT(no_stop), CMD_COMPARE, NULL,
     "With --all: do not stop learners that are worse than the baseline after two rounds."},
    {"proba", 'p', OPT_FLAG, AT(proba), CMD_PREDICT | CMD_STREAM | CMD_BELIEF, NULL,
     "Add the probability of every class."},
    {"decision", 0, OPT_FLAG, AT(decision), CMD_PREDICT, NULL, "Add the score of every class."},
    {"score", 0, OPT_FLAG, AT(score), CMD_PREDICT, NULL,
     "Add how well each row fits: of a sequence its log-likelihood."},
    {"interval", 0, OPT_FLAG, AT(interval), CMD_PREDICT, NULL,
     "Add the ends of each prediction's interval, or its set of classes (conformal models)."},
    {"inverse", 0, OPT_FLAG, AT(inverse), CMD_PREDICT, NULL,
     "DATA holds the features of a model of transforms, or those before the last stage of another: "
     "give back the columns that they were made from."},
    {"rounds", 0, OPT_COUNT, AT(rounds), CMD_PREDICT, "N",
     "Use the first N rounds of boosting, a forest or bagging alone."},
    TEXT("keep", keep, CMD_PREDICT, "COL,...",
         "Columns of DATA to copy in front of the predictions; all for all."),
    {"folds", 'k', OPT_COUNT, AT(folds), CMD_FOLDS, "N", "Number of folds, 5 by default."},
    {"colours", 'k', OPT_COUNT, AT(colours), CMD_QUANTIZE, "K",
     "How many colours, 16 by default; with --block how many blocks, 256 by default."},
    TEXT("space", space, CMD_QUANTIZE, "rgb|lab",
         "Where colours are near: in red, green and blue, the default, or as eyes see them "
         "(CIELAB)."),
    {"dither", 0, OPT_FLAG, AT(dither), CMD_QUANTIZE, NULL,
     "Spread the error of each pixel over its neighbours (Floyd and Steinberg)."},
    TEXT("block", block, CMD_QUANTIZE, "HEIGHTxWIDTH",
         "Quantise blocks of pixels, such as 4x4, in place of single colours."),
    TEXT("palette", palette, CMD_QUANTIZE, "FILE",
         "Write a picture of the colours, or with --block of the blocks, to FILE.png."),
    TEXT(
        "edge", edge, CMD_FILTER, "zero|repeat|whole",
        "What lies beyond the edge: 0, the default, the edge again, or only where the whole kernel "
        "lies in the picture, which then becomes smaller."),
    {"stride", 0, OPT_COUNT, AT(stride), CMD_FILTER, "N",
     "Move the kernel by so many pixels at a time, 1 by default."},
    {"flip", 0, OPT_FLAG, AT(flip), CMD_FILTER, NULL,
     "Turn the kernel by half a turn first: a convolution as mathematics defines it."},
    TEXT("values", values, CMD_FILTER, "clip|stretch|size",
         "How numbers become pixels: cut off at 0 and 255, the default, from the least to the "
         "greatest, or without their signs."),
    {"repeats", 0, OPT_COUNT, AT(repeats), CMD_FOLDS | CMD_EXPLAIN, "N",
     "How many times to repeat with new folds, 1 by default."},
    {"leave-one-out", 0, OPT_FLAG, AT(leave_one_out), CMD_FOLDS, NULL,
     "Leave out one row at a time, or with --group one group."},
    {"ordered", 0, OPT_FLAG, AT(ordered), CMD_FOLDS | CMD_SPLIT, NULL,
     "Rows are in order of time: fit on the past, measure on what follows."},
    TEXT("order-by", order_by, CMD_FOLDS | CMD_SPLIT, "COL",
         "Like --ordered, by a column of numbers or dates."),
    TEXT("strata", strata, CMD_FOLDS | CMD_SPLIT, "yes|no",
         "Whether to stratify: every fold gets its share of each class; yes by default."),
    {"confidence", 0, OPT_REAL, AT(confidence), CMD_CV | CMD_COMPARE | CMD_ESTIMATE, "SHARE",
     "Confidence level of the intervals, 0.95 by default."},
    TEXT("measure", measure, CMD_FOLDS | CMD_EXPLAIN, "NAME,...",
         "The measures to report, or to decide by."),
    {"all", 0, OPT_FLAG, AT(all), CMD_COMPARE, NULL,
     "Every learner that suits the task, with its defaults."},
    TEXT("columns", columns, CMD_EXPLAIN, "COL,...", "The columns to look at; all by default."),
    {"grid", 0, OPT_COUNT, AT(grid), CMD_EXPLAIN, "N",
     "Points along a column: 40 by default, 20 for a pair, 100 for regions; at most 1000."},
    {"ice", 0, OPT_COUNT, AT(ice), CMD_EXPLAIN, "N",
     "Dependence: also show the curves of N single rows."},
    {"use-rows", 0, OPT_COUNT, AT(use_rows), CMD_EXPLAIN, "N",
     "Use at most N rows of DATA, drawn at random."},
    {"row", 0, OPT_COUNT, AT(row), CMD_EXPLAIN | CMD_TRACE, "N",
     "Path, maps: the row of DATA to follow, counted from 1, the first by default; shapley: the "
     "one row to explain; proximity: whose nearest rows are shown; all by default."},
    TEXT("layer", layer, CMD_EXPLAIN, "NAME,...",
         "Maps: the layers of the net to show; all that give pictures by default."),
    {"nearest", 0, OPT_COUNT, AT(nearest), CMD_EXPLAIN, "N",
     "Proximity: how many nearest rows to show of each, 5 by default."},
    {"tree", 0, OPT_COUNT, AT(tree), CMD_INSPECT | CMD_EXPLAIN, "K",
     "In a model of many trees: the tree to read, counted from 0."},
    {"depth", 0, OPT_COUNT, AT(depth), CMD_INSPECT, "N",
     "How many levels of a tree to show; 0 for all."},
    {"rules", 0, OPT_FLAG, AT(rules), CMD_INSPECT, NULL,
     "Show a tree as if-then rules, those that cover the most rows first."},
    {"dot", 0, OPT_FLAG, AT(dot), CMD_INSPECT, NULL,
     "Print a tree as a graph for graphviz; with -o to a file."},
    TEXT("sizes", sizes, CMD_CURVE, "S,...",
         "Learning curve: shares of a round's training rows, or numbers of rows."),
    TEXT("generator", generator, CMD_BIAS_VARIANCE, "NAME",
         "Draw the samples with this generator, whose truth is known."),
    TEXT("noise", noise, CMD_BIAS_VARIANCE, "S", "The generator's noise, as its setting noise=S."),
    {"samples", 0, OPT_COUNT, AT(samples), CMD_BIAS_VARIANCE | CMD_BELIEF, "N",
     "Training samples to draw, 200 by default."},
    {"test-rows", 0, OPT_COUNT, AT(test_rows), CMD_BIAS_VARIANCE, "N",
     "Points to predict, the same for all samples: 1000 by default, or a third of a file."},
    {"bag", 0, OPT_COUNT, AT(bag), CMD_BIAS_VARIANCE, "M",
     "Also fit M bootstrap replicates of each sample and show what their mean gains."},
    TEXT("from", from, CMD_STREAM, "MODEL", "Begin with a saved model, in place of a sentence."),
    TEXT("classes", classes, CMD_TRAIN | CMD_STREAM | CMD_BAYES_RULE, "A,B,...",
         "All classes of the target, where the first rows may not have them."),
    {"warm-up", 0, OPT_COUNT, AT(warm_up), CMD_STREAM, "N",
     "First lines that settle columns, kinds and classes, 10000 by default."},
    TEXT("bad", bad, CMD_STREAM | CMD_READS, "stop|skip",
         "What happens at a picture of a folder that cannot be read: an error (the default), or it "
         "is "
         "left out."),
    {"every", 0, OPT_COUNT, AT(every), CMD_STREAM, "N",
     "Report the error every N rows; by default after 1000, 2000, 4000 ... rows."},
    {"window", 0, OPT_COUNT, AT(window), CMD_STREAM, "N",
     "How many latest rows have their error reported beside that of all, 1000 by default."},
    TEXT("predictions", predictions, CMD_STREAM, "FILE",
         "Write what was predicted for each row before it was learned; - is standard output."),
    {"save-every", 0, OPT_COUNT, AT(save_every), CMD_STREAM, "N",
     "Save the model after every N rows, and at the end."},
    {"passes", 0, OPT_COUNT, AT(passes), CMD_STREAM, "N",
     "How many times to read the file, 1 by default."},
    {"latency", 0, OPT_REAL, AT(latency), CMD_STREAM, "SECONDS",
     "How long rows of a pipe may wait for others, 0.1 by default."},
    {"no-learn", 0, OPT_FLAG, AT(no_learn), CMD_STREAM, NULL,
     "Only predict, with --from: for data larger than memory."},
    {"steps", 0, OPT_COUNT, AT(steps), CMD_TRACE, "N",
     "Keep the first N steps, 200 by default, and their end; all are counted."},
    TEXT("html", html, CMD_TRACE, "FILE",
         "Write a page with a slider that goes through the steps."),
    TEXT("frames", frames, CMD_TRACE, "FOLDER",
         "Draw the pictures of every step as SVG files in a new or empty folder."),
    {"rows", 'n', OPT_COUNT, AT(rows), CMD_SHOWS | CMD_BIAS_VARIANCE, "N",
     "Show at most N rows of each table; 0 for all."},
    {"plot", 0, OPT_PLOTS, AT(plots), CMD_DRAWS, "[NAME=]FILE",
     "Draw the figure NAME (by default that of the file's name) as .svg or .png; may be repeated."},
    TEXT("report", report, CMD_DRAWS, "FILE",
         "Write the result as one HTML page with its figures and tables."),
    {"seed", 's', OPT_COUNT, AT(seed),
     CMD_FITS | CMD_MAKE | CMD_BIAS_VARIANCE | CMD_EXPLAIN | CMD_STREAM | CMD_SPLIT | CMD_TRACE |
         CMD_BELIEF | CMD_QUANTIZE,
     "N", "Seed of all random numbers; 0 by default."},
    {"threads", 'j', OPT_COUNT, AT(threads), CMD_ALL, "N",
     "Number of threads, all of the machine's by default. Results do not depend on it."},
    {"memory", 0, OPT_SIZE, AT(memory), CMD_ALL, "SIZE", "Memory limit, such as 500M or 2G."},
    {"json", 0, OPT_FLAG, AT(json), CMD_ALL & ~(CMD_MAN | CMD_COMPLETION), NULL,
     "Print one JSON object with everything the text shows."},
    {"quiet", 'q', OPT_FLAG, AT(quiet), CMD_ALL, NULL,
     "No progress, no warnings, no text except results."},
    {"verbose", 'v', OPT_FLAG, AT(verbose), CMD_ALL, NULL, "Print more about what is being done."},
    {"help", 'h', OPT_FLAG, AT(help), CMD_ALL, NULL, "Show help, for a command or a learner too."},
    {"version", 'V', OPT_FLAG, AT(version), CMD_ALL, NULL,
     "Show the version and what was built in."},
};
const int64_t cli_n_options = SMR_COUNT(cli_options);
_Static_assert(SMR_COUNT(cli_options) <= MAX_OPTIONS, "args.given has room for every option");

const char *cli_option_doc(const option *o, unsigned command_bit)
{
    static const struct {
        const char *name;
        unsigned command_bit;
        const char *doc;
    } apart[] = {
        {"repeats", CMD_EXPLAIN, "Importance: how often to shuffle each column, 10 by default."},
        {"target", CMD_EVALUATE, "For a clustering: the column of known classes to compare with."},
        {"classes", CMD_TRAIN, "All classes of the target, if DATA may lack some."},
        {"classes", CMD_BAYES_RULE, "Names of the hypotheses."},
        {"prior", CMD_BAYES_RULE,
         "How probable the hypothesis is beforehand; of several, one number each, with commas."},
        {"log", CMD_COMPARE, "Write each model's scores to a new file as soon as it is done."},
        {"resume", CMD_COMPARE, "Continue the comparison from its log."},
        {"resume", CMD_STREAM, "Continue where the stream that saved this model stopped."},
        {"output", CMD_INSPECT, "Write the graph of --dot to FILE."},
        {"target", CMD_SPLIT, "The column whose classes are spread evenly over the parts."},
        {"task", CMD_SPLIT, "classify or regress, where samara's rule is not wanted."},
        {"ordered", CMD_SPLIT, "The first file has the past, the last one the latest rows."},
        {"strata", CMD_SPLIT, "Whether every part has its share of each class; yes by default."},
        {"row", CMD_TRACE,
         "Neighbours: the row of DATA that is asked about, from 1; the first by default."},
        {"samples", CMD_BELIEF,
         "Query: answer from N weighted samples, with standard errors, not exactly."},
        {"proba", CMD_BELIEF, "Predict: add the probability of every level."},
        {"output", CMD_BELIEF, "Predict, sample, draw: write to FILE, not to standard output."},
        {"bad", CMD_STREAM,
         "What happens at a bad row: the stream stops (the default), or the row is left out."},
        {"output", CMD_QUANTIZE,
         "Write FILE.png, the picture in fewer colours, or with --block FILE.vq, its code."},
        {"rows", CMD_BIAS_VARIANCE, "Rows of a sample, 100 by default, or half of a file's."},
    };
    for (int64_t i = 0; i < SMR_COUNT(apart); i++)
        if (apart[i].command_bit == command_bit && strcmp(apart[i].name, o->name) == 0)
            return apart[i].doc;
    return o->doc;
}

/* A name or a letter may mean different things in different commands: the option of this command,
 * or else the first of that name. */
static const option *find_option(const char *name, size_t length, const command *c)
{
    const option *first = NULL;
    for (int64_t i = 0; i < cli_n_options; i++) {
        const option *o = &cli_options[i];
        if (strlen(o->name) != length || memcmp(o->name, name, length) != 0) continue;
        if (!first) first = o;
        if (c && o->commands & c->bit) return o;
    }
    return first;
}

static const option *find_letter(char letter, const command *c)
{
    const option *first = NULL;
    for (int64_t i = 0; i < cli_n_options; i++) {
        const option *o = &cli_options[i];
        if (!letter || o->letter != letter) continue;
        if (!first) first = o;
        if (c && o->commands & c->bit) return o;
    }
    return first;
}

static smr_status unknown_option(smr_ctx *ctx, const char *text)
{
    const char *names[MAX_OPTIONS];
    char name[64] = "";
    size_t n = strcspn(text + 2, "=");
    for (int64_t i = 0; i < cli_n_options; i++) names[i] = cli_options[i].name;
    if (n < sizeof name) memcpy(name, text + 2, n);
    int64_t near = smr_nearest(name, names, cli_n_options);
    if (near >= 0)
        return smr_fail(ctx, SMR_ERR_PARAM, "there is no option '%s'; did you mean '--%s'?", text,
                        names[near]);
    return smr_fail(ctx, SMR_ERR_PARAM, "there is no option '%s'; 'samara help' lists them", text);
}

bool cli_read_size(const char *text, double *bytes)
{
    const char *end = text + strlen(text), *at = smr_parse_double(text, end, bytes);
    if (!at || !(*bytes > 0)) return false;
    double unit = 1;
    if (*at == 'k' || *at == 'K') unit = 1e3;
    if (*at == 'm' || *at == 'M') unit = 1e6;
    if (*at == 'g' || *at == 'G') unit = 1e9;
    if (*at == 't' || *at == 'T') unit = 1e12;
    if (unit > 1) at++;
    if (*at == 'i') {
        unit = unit == 1e3 ? 1024.0 : unit == 1e6 ? 0x1p20 : unit == 1e9 ? 0x1p30 : 0x1p40;
        at++;
    }
    if (*at == 'b' || *at == 'B') at++;
    *bytes *= unit;
    return *at == '\0';
}

static smr_status join_types(smr_ctx *ctx, char **types, const char *value)
{
    smr_text joined = {.ctx = ctx};
    if (*types) {
        smr_text_add(&joined, *types);
        smr_text_add(&joined, ",");
    }
    smr_text_add(&joined, value);
    if (smr_text_done(&joined) != SMR_OK) return SMR_ERR_NOMEM;
    smr_free(*types);
    *types = joined.bytes;
    return SMR_OK;
}

/* A value that is not of the option's kind, or a whole number that no machine word holds. */
static smr_status wrong_value(smr_ctx *ctx, const option *o, const char *value)
{
    size_t n = strlen(value);
    if (o->kind == OPT_COUNT && n > 0 && strspn(value, "0123456789") == n)
        return smr_fail(ctx, SMR_ERR_PARAM, "--%s: %s is too large", o->name, value);
    return smr_fail(ctx, SMR_ERR_PARAM, "--%s: '%s' is not a %s", o->name, value,
                    o->kind == OPT_COUNT  ? "whole number >= 0"
                    : o->kind == OPT_SIZE ? "size, such as 500M or 2G"
                                          : "number");
}

static smr_status set_option(smr_ctx *ctx, args *a, const option *o, const char *value)
{
    char *at = (char *)a + o->offset;
    bool *given = &a->given[o - cli_options];
    bool again = o->kind == OPT_FLAG || o->kind == OPT_TYPES || o->kind == OPT_PLOTS;
    if (*given && !again) return smr_fail(ctx, SMR_ERR_PARAM, "--%s is given twice", o->name);
    *given = true;
    const char *end = value ? value + strlen(value) : NULL;
    bool good = true;
    switch (o->kind) {
    case OPT_FLAG: *(bool *)at = true; break;
    case OPT_TEXT: *(const char **)(void *)at = value; break;
    case OPT_PLOTS:
        if (a->n_plots == MAX_PLOTS)
            return smr_fail(ctx, SMR_ERR_PARAM, "--plot: at most %d in one call", MAX_PLOTS);
        a->plots[a->n_plots++] = value;
        break;
    case OPT_TYPES: return join_types(ctx, (char **)(void *)at, value);
    case OPT_COUNT:
        good =
            smr_parse_int(value, end, (int64_t *)(void *)at) == end && *(int64_t *)(void *)at >= 0;
        break;
    case OPT_REAL:
        good = smr_parse_double(value, end, (double *)(void *)at) == end &&
               !isnan(*(double *)(void *)at);
        break;
    case OPT_SIZE: good = cli_read_size(value, (double *)(void *)at); break;
    }
    return good ? SMR_OK : wrong_value(ctx, o, value);
}

/* One argument that begins with a dash; takes the next one as its value where it needs one. */
static smr_status read_option(smr_ctx *ctx, args *a, const command *c, int argc, char **argv,
                              int *i)
{
    const char *text = argv[*i], *value = NULL;
    const option *o = NULL;
    if (text[1] == '-') {
        size_t n = strcspn(text + 2, "=");
        o = find_option(text + 2, n, c);
        if (text[2 + n] == '=') value = text + 3 + n;
        if (!o) return unknown_option(ctx, text);
    } else {
        o = find_letter(text[1], c);
        if (!o)
            return smr_fail(ctx, SMR_ERR_PARAM, "there is no option '%s'; 'samara help' lists them",
                            text);
        if (text[2]) value = text + 2 + (text[2] == '=');
    }
    if (o->kind == OPT_FLAG && value)
        return smr_fail(ctx, SMR_ERR_PARAM, "--%s takes no value, but '%s' was given", o->name,
                        value);
    if (o->kind != OPT_FLAG && !value) {
        if (*i + 1 >= argc)
            return smr_fail(ctx, SMR_ERR_PARAM, "--%s needs a value: %s", o->name, o->value);
        value = argv[++*i];
    }
    return set_option(ctx, a, o, value);
}

smr_status cli_parse(smr_ctx *ctx, int argc, char **argv, args *a)
{
    bool only_words = false;
    const command *c = NULL;
    for (int i = 1; i < argc && !c; i++) c = cli_find_command(argv[i]);
    *a = (args){.holdout = NAN,
                .checkpoint_every = NAN,
                .rows = -1,
                .folds = -1,
                .repeats = -1,
                .trials = -1,
                .nested = -1,
                .grid = -1,
                .ice = -1,
                .use_rows = -1,
                .samples = -1,
                .test_rows = -1,
                .rounds = -1,
                .steps = -1,
                .bag = -1,
                .tree = -1,
                .outputs = -1,
                .row = -1,
                .nearest = -1,
                .depth = -1,
                .save_every = -1,
                .every = -1,
                .window = -1,
                .passes = -1,
                .warm_up = -1,
                .colours = -1,
                .stride = -1,
                .latency = NAN,
                .sensitivity = NAN,
                .specificity = NAN,
                .confidence = NAN};
    for (int i = 1; i < argc; i++) {
        const char *text = argv[i];
        if (!only_words && strcmp(text, "--") == 0) {
            only_words = true;
        } else if (!only_words && text[0] == '-' && text[1]) {
            smr_status st = read_option(ctx, a, c, argc, argv, &i);
            if (st != SMR_OK) return st;
        } else if (a->n_words == MAX_WORDS) {
            return smr_fail(ctx, SMR_ERR_PARAM, "too many words");
        } else {
            a->words[a->n_words++] = text;
        }
    }
    return SMR_OK;
}

const command *cli_find_command(const char *name)
{
    for (int64_t i = 0; i < cli_n_commands; i++)
        if (strcmp(cli_commands[i].name, name) == 0) return &cli_commands[i];
    return NULL;
}

static smr_status check_applies(smr_ctx *ctx, const command *c, const char *text)
{
    const option *o =
        text[1] == '-' ? find_option(text + 2, strcspn(text + 2, "="), c) : find_letter(text[1], c);
    if (o && !(o->commands & c->bit))
        return smr_fail(ctx, SMR_ERR_PARAM,
                        "%s does not take --%s; 'samara help %s' lists what it takes", c->name,
                        o->name, c->name);
    return SMR_OK;
}

smr_status cli_check(smr_ctx *ctx, const command *c, const args *a, int argc, char **argv)
{
    int words = a->n_words - 1;
    for (int i = 1; i < argc; i++) {
        const char *text = argv[i];
        if (strcmp(text, "--") == 0) break;
        if (text[0] != '-' || !text[1]) continue;
        smr_status st = check_applies(ctx, c, text);
        if (st != SMR_OK) return st;
        const option *o = text[1] == '-' ? find_option(text + 2, strcspn(text + 2, "="), c)
                                         : find_letter(text[1], c);
        bool apart = text[1] == '-' ? !strchr(text, '=') : !text[2];
        if (o && o->kind != OPT_FLAG && apart) i++; /* its value */
    }
    if (words < c->least_words)
        return smr_fail(ctx, SMR_ERR_PARAM, "%s needs more words: samara %s %s", c->name, c->name,
                        c->usage);
    if (words > c->most_words)
        return smr_fail(ctx, SMR_ERR_PARAM,
                        "%s does not know what to do with '%s'; usage: samara %s %s", c->name,
                        a->words[c->most_words + 1], c->name, c->usage);
    return SMR_OK;
}

const char *cli_file_option(const args *a)
{
    const struct {
        const char *name;
        bool given;
    } options[] = {{"type", a->types != NULL},
                   {"missing", a->missing != NULL},
                   {"format", a->format != NULL},
                   {"delimiter", a->delimiter != NULL},
                   {"decimal", a->decimal != NULL},
                   {"header", a->header != NULL},
                   {"query", a->query != NULL},
                   {"labels", a->labels != NULL},
                   {"size", a->size != NULL},
                   {"fit", a->fit != NULL},
                   {"grey", a->grey},
                   {"bad", a->bad != NULL}};
    for (int64_t i = 0; i < SMR_COUNT(options); i++)
        if (options[i].given) return options[i].name;
    return NULL;
}
