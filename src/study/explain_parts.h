/* explain_parts.h -- what the files of explain share. */
#ifndef SMR_STUDY_EXPLAIN_PARTS_H
#define SMR_STUDY_EXPLAIN_PARTS_H

#include "learn/views.h"
#include "study/answers.h"
#include "study/explain.h"

/* A table that shares everything with another except single columns. */
typedef struct smr_column_view {
    smr_table table;
    smr_column *cols;
} smr_column_view;

smr_status smr_view_open(smr_ctx *ctx, const smr_table *table, smr_column_view *out);
void smr_view_close(smr_column_view *view);

/* One input of the model, in the table at hand. */
typedef struct smr_asked {
    int64_t input; /* number among the model's inputs */
    int64_t col;   /* column of the table             */
    const smr_input *in;
} smr_asked;

/* The columns that `text` names (NULL: all inputs), each an input of the model. */
smr_status smr_asked_find(smr_ctx *ctx, const smr_model *model, const smr_table *table,
                          const char *text, smr_asked **out, int64_t *n);

/* Some values of an input. */
typedef struct smr_grid {
    int64_t n;
    double *number; /* number, date; NULL for a category        */
    int32_t *code;  /* category: of the model's levels; else NULL */
} smr_grid;

smr_status smr_grid_room(smr_ctx *ctx, const smr_input *in, int64_t n, smr_grid *out);
void smr_grid_release(smr_grid *grid);
/* The levels of a category; for a number the n quantiles 0 .. 1 of the rows' values, each once. */
smr_status smr_grid_quantiles(smr_ctx *ctx, const smr_asked *of, const smr_sample *sample,
                              const int64_t *rows, int64_t n_rows, int64_t n, smr_grid *out);
/* The levels of a category; for a number the centres of n equal cells from the least value to the
 * largest, widened by the share `margin` on both sides. */
smr_status smr_grid_cells(smr_ctx *ctx, const smr_asked *of, const smr_sample *sample,
                          const int64_t *rows, int64_t n_rows, int64_t n, double margin,
                          smr_grid *out);
/* Makes a column give the rows value k; step 0: the same one to all rows, 1: k, k + 1, ... */
void smr_grid_put(const smr_input *in, const smr_grid *grid, int64_t k, int64_t step,
                  smr_column *col);
/* Adds value k: a number, or the text of a level or a date. */
void smr_grid_json(smr_ctx *ctx, const smr_input *in, const smr_grid *grid, int64_t k,
                   smr_json *into, const char *key);
/* Where value k is on its axis: the number, the year and its part, or the level's place. */
double smr_grid_place(const smr_input *in, const smr_grid *grid, int64_t k);
/* The axis of an input; with cells, its ends are the cells' ends. */
smr_json *smr_grid_axis(const smr_input *in, const smr_grid *grid, bool cells, smr_json *figure,
                        const char *which);

/* The columns of a prediction that are shown: classes, or targets. */
enum { SMR_SHOWN_MAX = 20, SMR_MOST_GRID = 1000, SMR_MOST_PAIR_GRID = 200 };
typedef struct smr_shown {
    smr_output output;
    int64_t width, n;
    int64_t at[SMR_SHOWN_MAX]; /* of the prediction                                  */
    char *name[SMR_SHOWN_MAX]; /* "p(setosa)", "score(setosa)", "predicted"; owned   */
} smr_shown;

/* The number of the class that --positive names. */
smr_status smr_explain_class(smr_ctx *ctx, const smr_target *target, const char *name, int64_t *k);
smr_status smr_shown_find(smr_ctx *ctx, const smr_model *model, const char *positive,
                          smr_shown *out);
void smr_shown_release(smr_shown *shown);
/* *out (owned by the caller): "form", or "form(name)" where there is a name. */
smr_status smr_explain_output_name(smr_ctx *ctx, const char *form, const char *name, int64_t length,
                                   char **out);

/* Rows of the sample, at most this many (0: all): drawn at random, ascending. */
smr_status smr_explain_rows(smr_ctx *ctx, const smr_sample *sample, int64_t most, int64_t **rows,
                            int64_t *n);

/* *data (owned by the caller; n_stages entries): what each stage reads from these rows. */
smr_status smr_explain_chain(smr_ctx *ctx, const smr_model *model, const smr_binding *binding,
                             const int64_t *rows, int64_t n, smr_data **data);
/* Adds "predicted": the label or the values that the whole model gives for a row, from 0. */
smr_status smr_explain_predicted(smr_ctx *ctx, const smr_model *model, const smr_table *table,
                                 int64_t row, smr_json *into);
/* Does the table have a row of this number, from 1? */
smr_status smr_explain_check_row(smr_ctx *ctx, const smr_table *table, int64_t row);

smr_status smr_explain_importance(smr_ctx *ctx, const smr_model *model, const smr_sample *sample,
                                  const smr_explain_how *how, smr_json *into);
smr_status smr_explain_dependence(smr_ctx *ctx, const smr_model *model, const smr_sample *sample,
                                  const smr_explain_how *how, smr_json *into);
smr_status smr_explain_regions(smr_ctx *ctx, const smr_model *model, const smr_sample *sample,
                               const smr_explain_how *how, smr_json *into);
smr_status smr_explain_path(smr_ctx *ctx, const smr_model *model, const smr_sample *sample,
                            const smr_explain_how *how, smr_json *into);
smr_status smr_explain_shapley(smr_ctx *ctx, const smr_model *model, const smr_sample *sample,
                               const smr_explain_how *how, smr_json *into);
smr_status smr_explain_proximity(smr_ctx *ctx, const smr_model *model, const smr_sample *sample,
                                 const smr_explain_how *how, smr_json *into);
smr_status smr_explain_maps(smr_ctx *ctx, const smr_model *model, const smr_sample *sample,
                            const smr_explain_how *how, smr_json *into);

/* ---- linear models (explain_linear.c) ---- */

/* The scores of a linear model as sums over columns. */
typedef struct smr_linear_parts {
    const smr_model *model;
    smr_linear_view view;
    smr_binding binding;
    smr_data *data; /* what each stage reads                                               */
    int64_t n;      /* rows                                                                */
    int64_t *input; /* of each feature                                                     */
    double *score;  /* n x n_scores                                                        */
    smr_output output;
    bool serves; /* the scores make the model's answers, each feature from one column     */
} smr_linear_parts;

/* Tries it with the rows of `a`, whose answers the model gave as `predicted`. */
smr_status smr_linear_parts_open(smr_ctx *ctx, const smr_model *model, const smr_table *table,
                                 const smr_answers *a, const double *predicted,
                                 smr_linear_parts *out);
void smr_linear_parts_close(smr_linear_parts *of);
/* part (n x rows x n_scores) = what each of n inputs adds to the scores. */
smr_status smr_linear_parts_of(smr_ctx *ctx, const smr_linear_parts *of, const int64_t *inputs,
                               int64_t n, double *part);
/* out (rows x answers) = the answers when a part is shuffled among the rows by the permutation of
 * this key (SMR_STREAM_EXPLAIN); work: rows x n_scores. */
void smr_linear_parts_shuffle(const smr_linear_parts *of, const double *part, uint64_t seed,
                              uint64_t key, double *work, double *out);

#endif
