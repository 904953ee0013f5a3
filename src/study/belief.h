/* belief.h -- what a Bayesian network is asked, by `samara belief` and in C: files and models of
 * networks, and answers as JSON and tables. */
#ifndef SMR_STUDY_BELIEF_H
#define SMR_STUDY_BELIEF_H

#include "learn/graphical/network_query.h"
#include "learn/model.h"

/* Answers from this many samples where exact ones do not fit. */
enum { SMR_BELIEF_SAMPLES = 100000 };

/* The network that a model has learned.  `path` names the model in messages; NULL: "this model".
 * *is_raw (NULL: not wanted): its variables are the columns of raw rows. */
smr_status smr_belief_of_model(smr_ctx *ctx, const smr_model *model, const char *path,
                               smr_network *out, bool *is_raw);
/* From a network file, or a model file of such a model. */
smr_status smr_belief_open(smr_ctx *ctx, const char *path, smr_network *out, bool *is_raw);

/* A query in words, answered exactly, or with `samples` > 0 from that many: "query", "method",
 * "probabilities" and more; with `figures` the graph. */
smr_status smr_belief_ask(smr_ctx *ctx, const smr_network *net, const char *query, int64_t samples,
                          bool figures, smr_json *root);
/* The likeliest levels of the variables of a query together, "*" being all: "levels",
 * "probability" given the evidence. */
smr_status smr_belief_likeliest(smr_ctx *ctx, const smr_network *net, const char *query,
                                smr_json *root);
/* Are two variables separated by others?  "separated", and "paths" that say so. */
smr_status smr_belief_separated(smr_ctx *ctx, const smr_network *net, const char *a, const char *b,
                                const char *const *given, int64_t n_given, smr_json *root);
/* For each row of a table the likeliest level of one variable given its other columns, and with
 * `proba` the probabilities of all levels. */
smr_status smr_belief_predict(smr_ctx *ctx, const smr_network *net, const smr_table *table,
                              const char *variable, bool proba, smr_table **out);

#endif
