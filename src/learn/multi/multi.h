/* multi.h -- many classes from learners for two: what ova and ovo share.
 *
 * A problem is a pair of classes: the second against the first, or against all others.  Its member
 * is fitted on the rows of the two (all rows), with class 1 the pair's second.  Only classes that
 * have rows make problems; two classes are passed to one member as they are. */
#ifndef SMR_LEARN_MULTI_MULTI_H
#define SMR_LEARN_MULTI_MULTI_H

#include "learn/member.h"

struct smr_multi_state {
    int64_t n_classes, n_members;
    int64_t as_it_is;      /* 1: two classes, one member that knows them                       */
    int64_t *first;        /* n_members: class 0 of the member; -1: all except `second`        */
    int64_t *second;       /* n_members: class 1 of the member                                 */
    int64_t *present;      /* n_classes: 1 where the class had rows                            */
    double *member_weight; /* n_members: weight of the rows it was fitted on                   */
    smr_members of;
};

/* Rows of the state table. */
#define SMR_MULTI_STATE                                                                            \
    {SMR_KEPT(struct smr_multi_state, n_classes), .is = "classes", .min = 2, .doc = "Classes."},   \
        {SMR_KEPT(struct smr_multi_state, n_members), .min = 0,                                    \
         .doc = "Problems of two classes."},                                                       \
        {SMR_KEPT(struct smr_multi_state, as_it_is), .min = 0, .max = 1,                           \
         .doc = "1 if there are two classes, which are passed on as they are."},                   \
        {SMR_KEPT(struct smr_multi_state, first),                                                  \
         .with = "n_members",                                                                      \
         .min = -1,                                                                                \
         .below = "n_classes",                                                                     \
         .dims = {"n_members"},                                                                    \
         .optional = true,                                                                         \
         .doc = "Class 0 of each problem; -1: all except the other."},                             \
        {SMR_KEPT(struct smr_multi_state, second),                                                 \
         .with = "n_members",                                                                      \
         .below = "n_classes",                                                                     \
         .dims = {"n_members"},                                                                    \
         .optional = true,                                                                         \
         .doc = "Class 1 of each problem."},                                                       \
        {SMR_KEPT(struct smr_multi_state, present), .max = 1, .dims = {"n_classes"},               \
         .doc = "1 for classes that had rows."},                                                   \
        {SMR_KEPT(struct smr_multi_state, member_weight), .with = "n_members",                     \
         .dims = {"n_members"}, .optional = true, .doc = "Weight of the rows of each problem."},   \
    {                                                                                              \
        SMR_KEPT(struct smr_multi_state, of), .dims = {"n_members"}, .doc = "The learners fitted." \
    }

/* Fits a member for each class against the rest, or for each pair of classes. */
smr_status smr_multi_fit(smr_ctx *ctx, const char *learner, const smr_specs *of,
                         const smr_data *data, bool in_pairs, struct smr_multi_state *s,
                         smr_fit_report *report);

/* Does every member give it (there is at least one)? */
bool smr_multi_gives(const struct smr_multi_state *s, smr_output output);
/* What their table cannot say: pairs as ova or ovo have them, members of two classes. */
smr_status smr_multi_check(smr_ctx *ctx, const char *learner, const struct smr_multi_state *s,
                           bool in_pairs);

/* Bytes: two answers per row, and what the hungriest member needs. */
int64_t smr_multi_scratch(const struct smr_multi_state *s, int64_t n);
/* scores[i * stride] of member m: for class 1 less for class 0, halved, so that a decision (-f, f)
 * gives f, and probabilities lie in [-1/2, 1/2].  PROBA: the probability of class 1. */
smr_status smr_multi_score(smr_ctx *ctx, const struct smr_multi_state *s, int64_t m,
                           const smr_rows *rows, smr_output output, double *scores, int64_t stride,
                           void *scratch);
/* Two classes: what the member says. */
smr_status smr_multi_hand_on(smr_ctx *ctx, const struct smr_multi_state *s, const smr_rows *rows,
                             smr_output output, double *out, void *scratch);

/* A descriptor's `describe`: the problems. */
smr_status smr_multi_describe(smr_ctx *ctx, const void *params, const void *state,
                              const smr_feature *in, int64_t n_in, smr_json *into);

#endif
