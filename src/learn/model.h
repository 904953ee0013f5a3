/* model.h -- a fitted model: stages, what they read, what they predict.
 *
 * Training in two steps, so that folds share the first: a training set reads a table once (schema,
 * targets, weights, usable rows), then smr_fit fits a sentence on any of its rows. */
#ifndef SMR_LEARN_MODEL_H
#define SMR_LEARN_MODEL_H

#include "learn/learner.h"
#include "learn/schema.h"
#include "learn/spec.h"
#include "learn/target.h"

/* Of rows and iterations, in files and in streams: counts stay there. */
#define SMR_MOST_COUNTED (INT64_C(1) << 53)

struct smr_model {
    smr_head head;     /* of its sentence: how columns are read */
    smr_stage *stages; /* the last may be a learner; places in files count them from 1 */
    int64_t n_stages;
    smr_schema schema;
    smr_target target;
    smr_stage *target_map; /* what was fitted in place of the targets (target_map.h); NULL: they */
    smr_feature *features; /* what the columns become, not tied to memory; names owned */
    int64_t n_features;
    uint64_t seed;
    int64_t n_rows;     /* it was fitted on                        */
    char data_hash[33]; /* of the training table's typed values    */
    smr_fit_report fit; /* of the last stage                       */
    char *summary;      /* JSON of the training measures, or NULL  */
};

/* ---- training --------------------------------------------------------------------------- */

typedef struct smr_train_set {
    const smr_table *table;
    smr_schema schema;
    smr_target target;
    bool predicts; /* the sentence ends in a learner; false: a transform, whose answers are features
                      and are not measured, whatever target it was fitted to              */
    int64_t n_unlabelled; /* rows without a target, where the learner takes them: in every fit, and
                             measured nowhere */
    int64_t *unlabelled;  /* their numbers in the table, ascending                        */
    int64_t n_rows;       /* rows whose target is known and whose weight is not 0 */
    int64_t *usable;      /* their numbers in the table, ascending; NULL: all     */
    const double *y;      /* table rows x n targets (regress)                     */
    double *owned_y;      /* the same, or NULL where y is a column of the table   */
    int32_t *label;       /* table rows (classify)                                */
    double *weight;       /* table rows, or NULL                                  */
    int64_t *group;       /* table rows, or NULL: group numbers; without a column of groups, those
                             of the sequences                                             */
    int64_t *n_missing, *n_infinite; /* of each column of the table         */
    char data_hash[33];
    double outlier_share; /* of the rows a fit may call outliers (learn/outliers.h); 0: usual    */
    bool spend;           /* see smr_set_opts */
    bool tells;           /* see smr_fit_report */
    bool keep_left_out;   /* see smr_fit_report: fits refuse a learner that does not report it */
    struct smr_checkpoint *checkpoint; /* of the next fit (learn/checkpoint.h), or NULL */
    const smr_model *warm_start;       /* where the next fit begins (learn/warm.h), or NULL */
    struct smr_trace *trace;           /* watches the last stage of the next fit (learn/trace.h) */
} smr_train_set;

typedef struct smr_set_opts {
    const char *target;           /* columns; NULL: "label" if the table has one, else none */
    const char *weight;           /* a column of row weights >= 0, or NULL                  */
    const char *group;            /* a column of groups, or NULL                            */
    const char *roles[SMR_ROLES]; /* columns, or NULL: learn/roles.h              */
    const char *ignore;           /* columns, or NULL                                       */
    const char *types;            /* "name=kind,..."                                        */
    const char *positive;
    const char *classes; /* "a,b,c", or NULL: those of the table                 */
    smr_task task;       /* SMR_TASK_NONE: decided by the rule in target.h              */
    bool keep_all;       /* every column is an input                                    */
    /* The table is no longer needed: a learner that keeps all its rows may release the table's
     * memory as it goes, and after one fit, successful or not, table and set may only be freed. */
    bool spend;
} smr_set_opts;

/* `spec`: its last learner's tasks help to decide the task. */
smr_status smr_train_set_create(smr_ctx *ctx, const smr_table *table, const smr_spec *spec,
                                const smr_set_opts *opts, smr_train_set **out);
void smr_train_set_free(smr_train_set *set);
/* Are classes to be spread evenly over parts?  Only if the classes of all usable rows are known. */
bool smr_train_set_has_strata(const smr_train_set *set);
/* Usable row i of the set as a row of the table. */
static inline int64_t smr_train_set_row(const smr_train_set *set, int64_t i)
{
    return set->usable ? set->usable[i] : i;
}

/* A column of row weights, checked: numbers >= 0, not all 0. */
smr_status smr_weights_read(smr_ctx *ctx, const smr_table *table, int64_t col, double **out);
/* The same by the column's name; without one *out is NULL. */
smr_status smr_weights_named(smr_ctx *ctx, const smr_table *table, const char *name, double **out);

/* Fits a sentence on the given rows of the table (usable ones; NULL: all that are).
 * The adapters that a stage needs (impute, onehot) are inserted. */
smr_status smr_fit(smr_ctx *ctx, const smr_spec *spec, const smr_train_set *set,
                   const int64_t *rows, int64_t n_rows, smr_model **out);

/* ---- using ------------------------------------------------------------------------------ */

/* Its stages. */
static inline const smr_stage *smr_model_stages(const smr_model *model, int64_t *n)
{
    *n = model->n_stages;
    return model->stages;
}
const smr_stage *smr_model_last(const smr_model *model);
/* What its first stage must fit. */
smr_shape smr_model_shape(const smr_model *model);
/* The kinds of output the model gives, as bits 1 << SMR_OUTPUT_*. */
unsigned smr_model_gives(const smr_model *model);
/* Fails, naming it, when the model does not give this output. */
smr_status smr_model_check_output(smr_ctx *ctx, const smr_model *model, smr_output output);
/* Columns of the output for a row. */
int64_t smr_model_width(const smr_model *model, smr_output output);

/* out: n x width, for the given rows of the table (NULL: all). */
smr_status smr_model_apply(smr_ctx *ctx, const smr_model *model, const smr_table *table,
                           const int64_t *rows, int64_t n_rows, smr_output output, double *out);

/* All rows of the table, for someone who sees warnings: also tells of what the training rows had
 * not (outside.h), once the answers are there.  round: NULL, or as smr_model_apply_after. */
smr_status smr_model_predict(smr_ctx *ctx, const smr_model *model, const smr_table *table,
                             smr_output output, const int64_t *round, double *out);

/* Models that grow in rounds (boosting, forests, bagging): how many there are, 0 for others; and
 * what the model would say after the first `round` of them.  Fails for a model without rounds, and
 * for more than it has. */
int64_t smr_model_rounds(const smr_model *model);
smr_status smr_model_check_round(smr_ctx *ctx, const smr_model *model, int64_t round);
smr_status smr_model_apply_after(smr_ctx *ctx, const smr_model *model, const smr_table *table,
                                 const int64_t *rows, int64_t n_rows, smr_output output,
                                 int64_t round, double *out);

/* What the model learned, stage by stage. */
smr_status smr_model_describe(smr_ctx *ctx, const smr_model *model, smr_json *into);
/* How one of its trees is shown (learn/model_trees.h): which, and how much; NULL: the only one, up
 * to a size that is read at a glance. */
typedef struct smr_tree_how {
    int64_t tree;         /* -1: the only one, where there is one  */
    int64_t nodes, depth; /* 0: all; -1: as usual                  */
} smr_tree_how;
smr_status smr_model_describe_as(smr_ctx *ctx, const smr_model *model, const smr_tree_how *how,
                                 smr_json *into);

/* ---- for model/ (loading) and the above ---- */

/* Fills features, n_in, n_out of every stage from the schema and the states.  length: of the file,
 * in bytes; its stages, members' too, and its columns may have this many features in all, one for
 * each byte and the following: */
enum { SMR_MODEL_ROOM = 17 << 20 };
smr_status smr_model_link(smr_ctx *ctx, smr_model *model, int64_t length);
/* Would it pass the checks of a load?  SMR_ERR_NUMERIC, and why not. */
smr_status smr_model_check(smr_ctx *ctx, const smr_model *model);
const struct smr_columns_params *smr_model_columns(const smr_model *model);

#endif
