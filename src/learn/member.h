/* member.h -- learners made of learners: fitted pipelines inside a learner's state.
 *
 * A member is what a sentence becomes when it is fitted on the data that its parent got: stages,
 * with the imputation and the one-hot coding that *this* member needs, so that one member may work
 * on category codes and its neighbour on indicators.  Its sentence has no head: it reads the
 * parent's rows.  A learner declares members with two table rows,
 *
 *     {SMR_FIELD(struct p, of), .grammar = &smr_sentences, .least = 1, .most = 1, .doc = ...}
 *     {SMR_KEPT(struct s, of), .doc = ...}
 *
 * the sentences (smr_specs) and what is fitted (smr_members), and gets parsing, saving, loading,
 * release, inspect and the checks of all that from them.  In fit it calls smr_member_fit on the
 * data or on a subset of its rows (data/row_subset.h); in predict smr_member_predict on the block
 * it was given; its scratch function adds smr_member_scratch. */
#ifndef SMR_LEARN_MEMBER_H
#define SMR_LEARN_MEMBER_H

#include "core/parallel.h"
#include "learn/specs.h"

enum { SMR_MEMBER_DEPTH = 16 }; /* the most levels of members in members */

/* Makes room for n members, none of them fitted. */
smr_status smr_members_create(smr_ctx *ctx, int64_t n, smr_members *out);
/* Accepts a zeroed one. */
void smr_members_release(smr_members *members);
void smr_member_release(smr_member *member);

/* Fits a sentence on the data: any smr_data, lazily computed ones and subsets included.  *member is
 * zeroed or released before. report NULL: not wanted. */
smr_status smr_member_fit(smr_ctx *ctx, const smr_spec *spec, const smr_data *data,
                          smr_member *member, smr_fit_report *report);
/* What members of this sentence, which are silent, would say of categories with rare levels: codes
 * all rows as the sentence does, and warns. */
smr_status smr_member_warn_of_levels(smr_ctx *ctx, const smr_spec *spec, const smr_data *data);
/* For members over features of their own, such as other members' answers: keeps the features'
 * names with the member, since the parent's features are not its own.  The first n_own are numbers;
 * those after them, if there are any, are the parent's, all of them. */
smr_status smr_member_keep_features(smr_ctx *ctx, smr_member *member, const smr_data *data,
                                    int64_t n_own);
/* Does it read the parent's features, alone or after its own? */
bool smr_member_reads_parent(const smr_member *member);

/* Runs fn for members 0 .. n - 1: many side by side, each with one thread, few one after another,
 * each with all threads. */
smr_status smr_members_each(smr_ctx *ctx, const char *what, int64_t n, smr_task_fn fn, void *arg);
/* Adds to a failure which member it was: "(while fitting of.2, knn k=5)". */
void smr_member_blame(smr_ctx *ctx, smr_status status, const char *name, int64_t k,
                      const smr_spec *spec);
/* What the fits of these members report together: iterations are summed; a warning counts those
 * that did not converge, and says which of their parameters to raise. */
void smr_members_sum_up(smr_ctx *ctx, const char *learner, const smr_members *of,
                        const smr_fit_report *reports, smr_fit_report *report);

/* ---- predicting ------------------------------------------------------------------------- */

/* What it gives: bits 1 << SMR_OUTPUT_*, LABEL among them where it can be derived. */
unsigned smr_member_gives(const smr_member *member);
/* Values for a row. */
int64_t smr_member_width(const smr_member *member, smr_output output);
const smr_stage *smr_member_last(const smr_member *member);

/* Bytes of scratch for up to n rows; a multiple of 64. */
int64_t smr_member_scratch(const smr_member *member, int64_t n);
/* Room in a scratch for answers, n rows of `width` doubles; a multiple of 64. */
static inline int64_t smr_answers_bytes(int64_t n, int64_t width)
{
    return (8 * n * width + 63) / 64 * 64;
}
/* Predicts for a block in any form; out: n x width.  It allocates nothing, except for sparse rows
 * that one stage hands to another.  The bits are those that the member's sentence gives as a model
 * of its own.  A missing value that a stage after the first cannot take is an error that names it;
 * for the first stage the parent's reader refuses them. */
smr_status smr_member_predict(smr_ctx *ctx, const smr_member *member, const smr_rows *rows,
                              smr_output output, double *out, void *scratch);

/* Predicts for all rows of the data, in parallel; for fits. */
smr_status smr_member_apply(smr_ctx *ctx, const smr_member *member, const smr_data *data,
                            smr_output output, double *out);

/* ---- streams ---------------------------------------------------------------------------- */

/* Begins a sentence in place of fitting it.  shape: as the parent's begin got it. */
smr_status smr_member_begin(smr_ctx *ctx, const smr_spec *spec, const smr_shape *shape,
                            smr_member *member);
/* Do all its stages learn from a stream? */
bool smr_member_learns(const smr_member *member);
/* Learns from a block in any form; out: its answer to each row before that row was learned.  The
 * transforms before the last stage answer each row with what they learned from it. */
smr_status smr_member_learn(smr_ctx *ctx, smr_member *member, const smr_rows *rows,
                            const smr_truths *truths, double *out);

/* ---- reporting -------------------------------------------------------------------------- */

/* A row of a table about members: {"learner": "of.3", "is": "knn"}; returns it for more. */
smr_json *smr_member_tell(smr_json *table, const smr_members *of, int64_t k);

/* ---- for stages.c and the model file ---------------------------------------------------- */

/* Links every member of a stage: its own stages, recursively.  in: the features the stage reads, of
 * this shape. */
smr_status smr_members_link(smr_ctx *ctx, const smr_stage *stage, const smr_feature *in,
                            const smr_shape *shape);
/* Checks them as they were checked then; shape: what the stage reads. */
smr_status smr_members_check(smr_ctx *ctx, const smr_stage *stage, const smr_shape *shape);

#endif
