/* word.h -- the words of a sentence: their help, and the tables of their parameters.
 *
 * Everything that is written in a sentence and has parameters is a word: learners, the head of the
 * sentence, and whatever else is made of words.  Parsing, range checks, help, reference pages and
 * tuning's ranges come from the tables here. */
#ifndef SMR_CORE_WORD_H
#define SMR_CORE_WORD_H

#include "samara.h"

#include <math.h>

/* ---- parameters ------------------------------------------------------------------------- */

typedef enum smr_param_type {
    SMR_PARAM_REAL,   /* double                                  */
    SMR_PARAM_INT,    /* int64_t                                 */
    SMR_PARAM_BOOL,   /* bool: yes or no                         */
    SMR_PARAM_CHOICE, /* int: an index into choices              */
    SMR_PARAM_REALS,  /* smr_reals: one or more numbers          */
    SMR_PARAM_STRING, /* char *: a word or quoted text           */
    SMR_PARAM_SPECS   /* smr_specs: one or more sentences        */
} smr_param_type;

enum { SMR_REALS_MAX = 128 };

typedef struct smr_reals {
    int64_t n;
    double value[SMR_REALS_MAX];
} smr_reals;

/* Sentences of members, each read when it was set and kept in its canonical form. */
typedef struct smr_specs {
    int64_t n;
    char **text;        /* owned                                              */
    unsigned tasks;     /* SMR_DOES_* bits that all of them do; all bits if n = 0 */
    bool numbers_first; /* all of them take few whole numbers as numbers */
} smr_specs;

typedef struct smr_choice {
    const char *name;
    const char *doc; /* what it means, a phrase */
} smr_choice;

/* How tuning spreads a parameter's values when nobody says which: evenly, evenly in their
 * logarithm, or every choice (yes and no). */
typedef enum smr_search {
    SMR_SEARCH_NONE = 0,
    SMR_SEARCH_LINEAR,
    SMR_SEARCH_LOG,
    SMR_SEARCH_VALUES
} smr_search;

/* Which side of a parameter gives the simpler, stiffer model (the one-standard-error rule). */
typedef enum smr_simpler { SMR_SIMPLER_NONE = 0, SMR_SIMPLER_LOW, SMR_SIMPLER_HIGH } smr_simpler;
typedef struct smr_param {
    const char *name;
    smr_param_type type;
    size_t offset; /* in the learner's parameter struct */
    double def;    /* default of REAL, INT, BOOL, CHOICE (index), REALS (one value; NAN: none) */
    const char
        *def_text;   /* default of STRING; NULL: "".  SPECS: "(knn 5)"; NULL: none            */
    double min, max; /* REAL, INT, REALS; max 0 with min 0 means no limits are set: use INFINITY */
    bool min_open, max_open;
    const smr_choice *choices; /* ends with a row whose name is NULL */
    const char *when;          /* "name=value", of a choice also "name=one|other": read only then;
                                  given otherwise it is an error */
    smr_search search;
    double search_min, search_max; /* LINEAR and LOG */
    smr_simpler simpler;
    bool primary; /* may be given without its key; at most one */
    /* SPECS: how many sentences; least > 0 without a default means it must be given. */
    int64_t least, most;
    unsigned member_tasks; /* SPECS: the last learner must do one of these; 0: the parent's task */
    const char *doc;
} smr_param;

/* Name, offset and type come from the struct, so that the table cannot disagree with it. */
#define SMR_FIELD(type_, field_) \
    .name = #field_, .offset = offsetof(type_, field_),                                            \
    .type = _Generic(((type_ *)0)->field_,                                                         \
        double: SMR_PARAM_REAL,                                                                    \
        int64_t: SMR_PARAM_INT,                                                                    \
        bool: SMR_PARAM_BOOL,                                                                      \
        int: SMR_PARAM_CHOICE,                                                                     \
        smr_reals: SMR_PARAM_REALS,                                                                \
        char *: SMR_PARAM_STRING,                                                                  \
        smr_specs: SMR_PARAM_SPECS)

/* ---- words ---------------------------------------------------------------------------- */

/* A word of the sentence: its help, and its parameters. */
typedef struct smr_word {
    const char *name;      /* as it is written                                                */
    const char *family;    /* "linear", "neighbors", "transform" ...                          */
    const char *title;     /* "Ridge regression"                                              */
    const char *brief;     /* one sentence                                                    */
    const char *objective; /* what is minimised or computed, in plain symbols                 */
    const char *details;   /* a paragraph: method, cost, degenerate cases, ties               */
    const char *reference;
    const char *example; /* a command line that runs on data/ of the repository              */
    const smr_param *params;
    int64_t n_params;
    size_t params_size;
    /* Rules between parameters, beyond the table's ranges. */
    smr_status (*check_params)(smr_ctx *ctx, const void *params);
} smr_word;

#endif
