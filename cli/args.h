/* args.h -- what was typed: words and options, in any order.
 *
 * One table describes every option: parsing, help, completion and the man page read it. */
#ifndef SMR_CLI_ARGS_H
#define SMR_CLI_ARGS_H

#include "core/ctx.h"

#include <limits.h>

enum { MAX_WORDS = 256, MAX_OPTIONS = 160, MAX_PLOTS = 64 };

/* Commands, as bits of an option's `commands`. */
enum {
    CMD_TRAIN = 1 << 0,
    CMD_PREDICT = 1 << 1,
    CMD_EVALUATE = 1 << 2,
    CMD_INSPECT = 1 << 3,
    CMD_DESCRIBE = 1 << 4,
    CMD_MAKE = 1 << 5,
    CMD_CONVERT = 1 << 6,
    CMD_LIST = 1 << 7,
    CMD_HELP = 1 << 8,
    CMD_MATRIX = 1 << 9,
    CMD_COMPLETION = 1 << 10,
    CMD_MAN = 1 << 11,
    CMD_CV = 1 << 12,
    CMD_TUNE = 1 << 13,
    CMD_COMPARE = 1 << 14,
    CMD_CURVE = 1 << 15,
    CMD_BIAS_VARIANCE = 1 << 16,
    CMD_EXPLAIN = 1 << 17,
    CMD_PLOT = 1 << 18,
    CMD_LOSS = 1 << 19,
    CMD_STREAM = 1 << 20,
    CMD_SPLIT = 1 << 21,
    CMD_TRACE = 1 << 22,
    CMD_KERNEL = 1 << 23,
    CMD_BELIEF = 1 << 24,
    CMD_ESTIMATE = 1 << 25,
    CMD_BAYES_RULE = 1 << 26,
    CMD_NET = 1 << 27,
    CMD_GRAPH = 1 << 28,
    CMD_QUANTIZE = 1 << 29,
    CMD_FILTER = 1 << 30,
    CMD_ALL = INT_MAX,
    /* those that fit, that fit again and again, that read a table, that show tables */
    CMD_FOLDS = CMD_CV | CMD_TUNE | CMD_COMPARE | CMD_CURVE,
    CMD_FITS = CMD_TRAIN | CMD_FOLDS,
    CMD_READS = CMD_FITS | CMD_PREDICT | CMD_EVALUATE | CMD_DESCRIBE | CMD_CONVERT | CMD_MATRIX |
                CMD_SPLIT | CMD_EXPLAIN | CMD_BIAS_VARIANCE | CMD_TRACE | CMD_KERNEL |
                CMD_ESTIMATE | CMD_GRAPH,
    /* those whose result can be drawn */
    CMD_DRAWS = CMD_FITS | CMD_EVALUATE | CMD_INSPECT | CMD_DESCRIBE | CMD_EXPLAIN |
                CMD_BIAS_VARIANCE | CMD_PLOT | CMD_LOSS | CMD_STREAM | CMD_TRACE | CMD_KERNEL |
                CMD_BELIEF | CMD_ESTIMATE | CMD_NET | CMD_GRAPH | CMD_QUANTIZE | CMD_FILTER,
    CMD_SHOWS = CMD_INSPECT | CMD_DESCRIBE | CMD_EVALUATE | CMD_FOLDS | CMD_EXPLAIN | CMD_TRACE,
};

typedef struct args {
    const char *words[MAX_WORDS]; /* the command first */
    int n_words;
    const char *target, *weight, *group, *sequence, *time_column, *user, *item, *ignore, *positive,
        *missing, *labels, *format;
    const char *threshold, *oob;
    const char *checkpoint;
    double checkpoint_every; /* NaN: not given */
    bool goes_on;            /* train --resume */
    const char *warm_start;
    const char *test, *test_labels, *output, *task, *delimiter, *decimal, *header, *keep, *query,
        *shares;
    const char *report, *plots[MAX_PLOTS]; /* as given: FILE or NAME=FILE */
    int n_plots;
    char *types; /* all --type, joined with commas; owned */
    int64_t seed, threads, rows;
    double memory, holdout;                  /* holdout NaN: not given */
    bool given[MAX_OPTIONS];                 /* i: option i of the table was given */
    const char *order_by, *strata, *measure; /* folds */
    int64_t folds, repeats, trials, nested;  /* -1: not given */
    const char *over, *search, *validation, *time, *log, *resume; /* tune */
    bool one_se;
    double confidence; /* NaN: not given */
    bool leave_one_out, ordered, all, no_stop;
    /* curve, bias-variance, explain */
    const char *columns, *sizes, *generator, *noise, *layer;
    int64_t grid, ice, use_rows, samples, test_rows, bag; /* -1: not given */
    /* reading trees */
    int64_t tree, row, nearest, depth; /* -1: not given */
    bool rules, dot;
    int64_t rounds;                       /* predict; -1: not given */
    const char *kernel;                   /* kernel */
    const char *law, *prior, *likelihood; /* estimate, bayes-rule */
    double sensitivity, specificity;      /* bayes-rule; NaN: not given */
    const char *input;                    /* net */
    int64_t outputs;                      /* -1: not given */
    /* pictures, quantize, filter */
    const char *size, *fit, *space, *block, *palette, *edge, *values;
    bool grey, dither, flip;
    int64_t colours, stride; /* -1: not given */
    /* trace */
    const char *html, *frames;
    int64_t steps; /* -1: not given */
    /* stream */
    const char *from, *predictions, *classes, *bad;
    int64_t save_every, every, window, passes, warm_up; /* -1: not given */
    double latency;                                     /* NaN: not given */
    bool no_learn;
    bool json, quiet, help, version, proba, decision, score, interval, inverse;
    bool verbose;
} args;

typedef enum option_kind {
    OPT_FLAG,
    OPT_TEXT,
    OPT_COUNT,
    OPT_REAL,
    OPT_SIZE,
    OPT_TYPES,
    OPT_PLOTS
} option_kind;

typedef struct option {
    const char *name; /* without the dashes */
    char letter;      /* 0: none */
    option_kind kind;
    size_t offset;
    unsigned commands;
    const char *value; /* what the value is called in help; NULL for a flag */
    const char *doc;
} option;

extern const option cli_options[];
extern const int64_t cli_n_options;

typedef struct command {
    const char *name;
    unsigned bit;
    const char *usage; /* the words after the name */
    const char *brief;
    smr_status (*run)(smr_ctx *ctx, args *a);
    int least_words, most_words; /* after the command */
} command;

extern const command cli_commands[];
extern const int64_t cli_n_commands;

/* What an option is for in a command, where some command means something else by it than most. */
const char *cli_option_doc(const option *o, unsigned command_bit);

/* Fills `a`; a wrong option is answered with the nearest right one. */
smr_status cli_parse(smr_ctx *ctx, int argc, char **argv, args *a);
const command *cli_find_command(const char *name);
/* Checks the number of words and that every option given belongs to the command. */
smr_status cli_check(smr_ctx *ctx, const command *c, const args *a, int argc, char **argv);
/* The first option given that says how a table's file is read; NULL: none. */
const char *cli_file_option(const args *a);
/* "64M", "2g", "1.5GB", plain bytes. */
bool cli_read_size(const char *text, double *bytes);

#endif
