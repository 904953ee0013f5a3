/* word.h -- the words of a sentence: their help, and the tables of their parameters.
 *
 * Everything that is written in a sentence and has parameters is a word: learners, the head of the
 * sentence, and whatever else is made of words.  Parsing, range checks, help, reference pages and
 * tuning's ranges come from the tables here. */
#ifndef SMR_CORE_WORD_H
#define SMR_CORE_WORD_H

#include "core/text.h"
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
    SMR_PARAM_PHRASE  /* what its grammar reads                  */
} smr_param_type;

/* A whole number that is unset. */
#define SMR_UNSET_INT INT64_MIN

enum { SMR_REALS_MAX = 128 };

typedef struct smr_reals {
    int64_t n;
    double value[SMR_REALS_MAX];
} smr_reals;

typedef struct smr_choice {
    const char *name;
    const char *doc; /* what it means, a phrase */
} smr_choice;

/* How tuning spreads a parameter's values when none are given: evenly, evenly in their
 * logarithm, or every choice (yes and no). */
typedef enum smr_search {
    SMR_SEARCH_NONE = 0,
    SMR_SEARCH_LINEAR,
    SMR_SEARCH_LOG,
    SMR_SEARCH_VALUES
} smr_search;

/* Which side of a parameter gives the simpler, stiffer model (the one-standard-error rule). */
typedef enum smr_simpler { SMR_SIMPLER_NONE = 0, SMR_SIMPLER_LOW, SMR_SIMPLER_HIGH } smr_simpler;

struct smr_word;
struct smr_param;

/* A word inside a phrase, with its parameters: what an address leads to. */
typedef struct smr_inner {
    const struct smr_word *word;
    void *params;
    int64_t phrase; /* the number of the phrase that it is in, from 0          */
    int64_t place;  /* its place there, as addresses count: the first word is 1 */
} smr_inner;

/* How to read a parameter whose text is not a value but a phrase made of words.  `at` is the field;
 * zeroed it is empty, and may be released.  A phrase in parentheses is passed with them. */
typedef struct smr_grammar {
    size_t size; /* of the field */
    /* What *at held is released if reading succeeds, and stays if it fails.  saved: the text
     * comes out of a model file, where words may have parameters that are not read. */
    smr_status (*read)(smr_ctx *ctx, const struct smr_word *word, const struct smr_param *param,
                       const char *text, bool saved, void *at);
    void (*write)(const void *at, smr_text *out);
    /* *to is empty. */
    smr_status (*copy)(smr_ctx *ctx, const void *from, void *to);
    void (*release)(void *at);
    /* How many phrases there are. */
    int64_t (*count)(const void *at);
    /* Is the whole phrase this word alone, of n letters, with its settings or without?  For
     * conditions (smr_param.when); NULL: none asks. */
    bool (*is)(const void *at, const char *word, size_t n);
    /* Word i of all of them, in their order; false: there are no more. */
    bool (*find)(const void *at, int64_t i, smr_inner *out);
    const char *one, *several; /* what is allowed there, in words: "a sentence (...)" */
    const char *noun;          /* the type of such a parameter, for programs: "specs"  */
    const char *example;       /* a phrase that may be given there: "(tree 2)"         */
    /* Its text is an expression: without quotes it goes on over the signs + - * ^ and parentheses
     * that follow directly, kernel=2*rbf(gamma=0.1). */
    bool expression;
} smr_grammar;

typedef struct smr_param {
    const char *name;
    smr_param_type type;
    size_t offset;        /* in the word's parameter struct                                */
    double def;           /* default of REAL, INT, BOOL, CHOICE (index), REALS (one value) */
    const char *def_text; /* default of STRING; NULL: "".  PHRASE: "(knn 5)"; NULL: none   */
    /* PHRASE that is unset: what a fit takes in its place, for classes and for numbers; the fitted
     * model's sentence has it written out (learn/task_params.h). */
    const char *def_classes, *def_numbers;
    /* It has no default: until it is set, it is NAN, SMR_UNSET_INT, -1 (a choice), NULL, or empty.
     * The word none unsets it.  Not for BOOL. */
    bool unset;
    const char *none; /* unset: how sentences write that, "0"; NULL: it is left out               */
    double min, max;  /* REAL, INT, REALS; max 0 with min 0 means no limits are set: use INFINITY */
    bool min_open, max_open;
    bool whole; /* REAL, REALS: whole numbers                                                   */
    /* Ends with a row whose name is NULL.  REAL or REALS, of a range without numbers below 0:
     * words that may be given in place of a number; the first is held as -1, the second as -2,
     * and so on, which may also be the default. */
    const smr_choice *choices;
    /* Read only under this condition; given otherwise it is an error.  "name=value", for a choice
     * also "name=one|other"; "name=none": that is unset or empty; "name=0", "name>0", "name=cv":
     * the value of a number, or a word in its place; "name<2", "name!=1": how many a list or phrase
     * holds; "name=word": a phrase is this word alone; "name!=value": not this choice, or word.
     * All of several must hold: "name=value&other=none". */
    const char *when;
    /* SMR_DOES_*: read only in these tasks; 0: in all.  The task is known when a model is fitted,
     * and then anything but the default is an error (learn/task_params.h). */
    unsigned tasks;
    bool fit_only;        /* a stream does not read it, and refuses anything but the default */
    bool no_target;       /* the same of a fit to a target, of a learner that can do without one */
    const char *but_when; /* no_target: read under this condition nevertheless, as in `when` */
    bool of_numbers;      /* read only where a feature that comes in is a number; the same */
    smr_search search;
    double search_min, search_max; /* LINEAR and LOG */
    smr_simpler simpler;
    bool primary; /* may be given without its key; at most one */
    /* PHRASE: its grammar, and how many phrases; least > 0 without a default means it must be
     * given. */
    const smr_grammar *grammar;
    int64_t least, most;
    unsigned member_tasks; /* sentences: the last learner must do one of these; 0: the parent's
                              task */
    const char *doc;
} smr_param;

/* Where the name in a condition ends. */
#define SMR_WHEN_SIGNS "=<>!"

/* Are its values whole numbers? */
static inline bool smr_param_is_whole(const smr_param *p)
{
    return p->type == SMR_PARAM_INT || p->whole;
}

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
        default: SMR_PARAM_PHRASE)

/* ---- words ---------------------------------------------------------------------------- */

/* A word of the sentence: its help, and its parameters. */
typedef struct smr_word {
    const char *name; /* as it is written                                                */
    const char
        *synonyms; /* what it is called elsewhere, with blanks between: "rf RandomForest"; names
                      after a `key=value` mean it with that parameter; NULL: none known */
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
