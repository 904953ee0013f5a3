/* online.h -- models that learn from a stream: predict a row, then learn from it.
 *
 * A model begins without rows, from what some first rows say about columns and classes.  It is then
 * given tables, as they come; in each, the rows' truths are taken and every row is judged before
 * any is learned:
 *
 *     to learn     it has a target and a weight above 0
 *     to predict   its target is missing, or its weight is 0
 *     bad          a class that the model does not know, a target without the logarithm that is
 *                  learned, an invalid weight, an infinite value, a gap that some stage cannot
 *                  take, with columns unseen=error a new category
 *
 * Row i is answered by what was learned from the rows before it, and the transforms' part of row i
 * itself.  The same rows in other tables give the same bits.
 *
 * A clusterer needs no target: row i is answered by its cluster and its score (for k-means minus
 * the squared distance from the nearest centre; NaN for the first row).
 *
 * Memory: some blocks of 256 rows, and the answers of one table. */
#ifndef SMR_LEARN_ONLINE_H
#define SMR_LEARN_ONLINE_H

#include "learn/model.h"

/* Does the task's stream have no target? */
static inline bool smr_online_finds(smr_task task)
{
    return task == SMR_TASK_CLUSTER;
}
/* Can the sentence learn from a stream?  If not, the message names what can. */
smr_status smr_online_check(smr_ctx *ctx, const smr_spec *spec);
/* A model that has seen no row: columns, task and classes are those of the set. */
smr_status smr_online_begin(smr_ctx *ctx, const smr_spec *spec, const smr_train_set *set,
                            smr_model **out);

typedef enum smr_online_state { SMR_ROW_LEARN = 0, SMR_ROW_PREDICT, SMR_ROW_BAD } smr_online_state;

/* The rows of the table at hand. */
typedef struct smr_online_rows {
    int64_t n;
    smr_output output;        /* PROBA, else DECISION, else VALUE; LABEL: clusters                */
    int64_t width;            /* of it; 2 for clusters: LABEL and SCORE                           */
    double *score;            /* n x width: answers to the rows that were learned or predicted    */
    const int32_t *label;     /* classify: n, -1 where unknown; else NULL                         */
    const double *y;          /* regress: n x targets, NaN where unknown; else NULL               */
    const double *weight;     /* n, or NULL                                                       */
    const uint8_t *state;     /* n: smr_online_state                                              */
    int64_t n_bad, first_bad; /* first_bad = n: none                                          */
    const char *why;          /* the first bad row, in a sentence                             */
    int64_t n_unseen;         /* category values that training never saw                      */
} smr_online_rows;

typedef struct smr_online smr_online;

typedef struct smr_online_opts {
    const char *weight; /* a column, or NULL              */
    bool only_predict;  /* nothing is learned             */
} smr_online_opts;

/* Over a model, which learning changes and which must outlive it. */
smr_status smr_online_create(smr_ctx *ctx, smr_model *model, const smr_online_opts *opts,
                             smr_online **out);
void smr_online_free(smr_online *online); /* accepts NULL */
/* Begins a table, which must live until the next one; before: rows of the stream before it, for
 * messages. */
smr_status smr_online_take(smr_ctx *ctx, smr_online *online, const smr_table *table, int64_t before,
                           const smr_online_rows **rows);
/* Goes through its rows [lo, hi) in order: each once.  Bad ones are passed over. */
smr_status smr_online_go(smr_ctx *ctx, smr_online *online, int64_t lo, int64_t hi);
/* Lets go of the table, before it is freed. */
void smr_online_rest(smr_online *online);

#endif
