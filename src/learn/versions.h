/* versions.h -- which version of each learner wrote a file, and what its sentences mean today.
 *
 * A file is written by one samara, so one number per learner says everything, wherever the learner
 * occurs: in a stage, in a member, in a sentence that is a parameter.  A learner that the file does
 * not name has version 1. */
#ifndef SMR_LEARN_VERSIONS_H
#define SMR_LEARN_VERSIONS_H

#include "learn/spec.h"

typedef struct smr_versions {
    int64_t n;
    struct smr_version_of {
        const smr_learner *learner;
        int version; /* above 1 */
        bool used;   /* asked for */
    } * of;
} smr_versions;

/* Accepts a zeroed one. */
void smr_versions_release(smr_versions *versions);

/* ---- writing ---- */

/* {"knn":2,"sgd":3}: learners of the stages and of the head's (NULL: none), their members and their
 * sentences whose version is above 1; nothing is appended where there is none. */
smr_status smr_versions_write(smr_ctx *ctx, const smr_stage *head, const smr_stage *stages,
                              int64_t n, smr_text *out);

/* ---- reading ---- */

/* Reads what smr_versions_write wrote (NULL: nothing), and refuses a learner that this samara does
 * not know, or whose version is newer than the one it has. */
smr_status smr_versions_read(smr_ctx *ctx, const char *text, smr_versions *out);
int smr_versions_get(smr_versions *versions, const smr_learner *learner);
/* Was every one of them asked for? */
bool smr_versions_all_used(const smr_versions *versions);

/* A canonical sentence of those versions as one of today, by the learners' old_params. */
smr_status smr_versions_translate(smr_ctx *ctx, smr_versions *versions, const char *sentence,
                                  smr_text *out);

#endif
