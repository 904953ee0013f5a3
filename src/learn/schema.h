/* schema.h -- what a model reads from a table, and how: the work of the head of a sentence.
 *
 * A schema is inferred once, from the whole training table: which columns are inputs, of which
 * kind, with which categories in which order.  It is saved with the model, and binds the model to
 * any later table by the columns' names: a category never seen in training follows the rule of
 * `columns unseen=`, a missing column is an error that names it, further columns do not matter. */
#ifndef SMR_LEARN_SCHEMA_H
#define SMR_LEARN_SCHEMA_H

#include "core/json.h"
#include "data/data.h"
#include "learn/columns.h"
#include "learn/roles.h"

typedef struct smr_input {
    char *name; /* owned */
    smr_kind kind;
    smr_strings levels; /* category: code k is level k; owned */
    bool has_missing;   /* some training value was missing */
    bool has_time;      /* date */
    bool has_range;     /* number: what it was in the training rows is known (ranges.h) */
    double least, greatest;
} smr_input;

typedef struct smr_schema {
    int64_t n_inputs;
    smr_input *inputs;
    int64_t n_sparse; /* features of the CSR block, after the inputs; 0: none    */
    int64_t n_aside;
    char **aside; /* names of the columns that were set aside; owned             */
    int64_t item_shape[4];
    bool decimal_comma; /* the table's file had decimal commas: later files are read so too */
    smr_role_column roles[SMR_ROLES];
} smr_schema;

/* What the user said about columns, beyond what the table shows. */
typedef struct smr_schema_opts {
    const bool *skip;          /* n_cols: not an input (target, weight, ignored ...); NULL: none  */
    const int64_t *n_missing;  /* n_cols: missing values                                          */
    const int64_t *n_infinite; /* n_cols: infinite values                                         */
    const char *types; /* "name=category,other=number,...": kinds that overrule the rules below   */
    bool keep_all;     /* no first-hour rules: every column is an input                           */
    bool reads_text;   /* some stage makes features from texts: columns that look like texts are  */
    const char *roles[SMR_ROLES]; /* columns that have one; they are not inputs, and there need not
                                     be others */
    const char *texts; /* then: only these columns are, by name, comma-separated; NULL: any       */
} smr_schema_opts;

/* Infers the inputs.  First-hour rules, each with a warning that names the flag that overrules it:
 * strings with more than half their values distinct (names, free text) and whole numbers that are
 * all distinct and look like identifiers are set aside.  Such strings are inputs of kind text where
 * a stage reads texts. */
smr_status smr_schema_infer(smr_ctx *ctx, const smr_table *table, const smr_schema_opts *opts,
                            smr_schema *out);
smr_status smr_schema_copy(smr_ctx *ctx, const smr_schema *from, smr_schema *to);
void smr_schema_release(smr_schema *schema);

/* The features that the schema's inputs become (dates may become several); freed by
 * smr_features_free. */
smr_status smr_schema_features(smr_ctx *ctx, const smr_schema *schema,
                               const struct smr_columns_params *params, smr_feature **out,
                               int64_t *n);

/* at[j] = the table's column of input j, or -1. */
void smr_schema_find_columns(const smr_schema *schema, const smr_table *table, int64_t *at);

/* input[f] = the input that feature f of these is, or is a part of; -1: a sparse one. */
void smr_schema_inputs_of(const smr_schema *schema, const struct smr_columns_params *params,
                          int64_t *input);

/* The shape of the items, where these features are their elements and nothing else; else zeros. */
void smr_schema_items(const smr_schema *schema, int64_t n_features, int64_t out[4]);

/* A schema tied to the memory of one table. */
typedef struct smr_binding {
    smr_data data;         /* features and n_rows; no targets                                    */
    smr_feature *features; /* data.features; names owned                                         */
    int64_t n_features;
    void **owned; /* recode maps and converted codes */
    int64_t n_owned;
    const smr_strings **texts; /* data.texts                        */
    int64_t n_texts;
    smr_strings *made; /* of these, numbers that are read as texts  */
    int64_t n_made;
} smr_binding;

smr_status smr_schema_bind(smr_ctx *ctx, const smr_schema *schema,
                           const struct smr_columns_params *params, const smr_table *table,
                           smr_binding *out);
/* The same with smr_schema_features of this schema at hand: where all inputs are sparse, which says
 * nothing about one table, they are held instead of being made again. */
smr_status smr_schema_bind_as(smr_ctx *ctx, const smr_schema *schema,
                              const struct smr_columns_params *params, const smr_table *table,
                              smr_feature *features, int64_t n, smr_binding *out);
void smr_binding_release(smr_binding *binding);

/* ---- strings ---- */
void smr_strings_release(smr_strings *s);
/* Adds the strings as an array. */
void smr_strings_to_json(smr_json *into, const char *key, const smr_strings *s);
/* Index of a string, or -1; the strings are in no particular order. */
int64_t smr_strings_find(const smr_strings *s, const char *text, int64_t length);
/* place[i] (of->n): the index in `in` of string i of `of`, or -1; for any number of strings. */
smr_status smr_strings_places(smr_ctx *ctx, const smr_strings *of, const smr_strings *in,
                              int32_t *place);

/* Codes of a number column taken as categories: *levels are its distinct values in ascending order,
 * as text; codes[n_rows] is allocated, -1 where missing. */
smr_status smr_codes_from_numbers(smr_ctx *ctx, const smr_column *col, int64_t n_rows,
                                  int64_t most_levels, smr_strings *levels, int32_t **codes);

#endif
