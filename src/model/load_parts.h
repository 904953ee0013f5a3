/* load_parts.h -- what the files of the loader share.
 *
 *     load.c           metadata, files, the order of it all
 *     load_state.c     the rows of a state table
 *     load_members.c   members: stages inside a state */
#ifndef SMR_MODEL_LOAD_PARTS_H
#define SMR_MODEL_LOAD_PARTS_H

#include "data/image.h"
#include "learn/versions.h"
#include "model/safetensors.h"

/* What is read from, and how much of it was explained so far. */
typedef struct smr_loading {
    const smr_safetensors *file;
    smr_image *image;        /* that the tensors lie in                 */
    smr_versions versions;   /* of the learners that wrote it           */
    smr_json_doc *members;   /* of the metadata, or NULL                */
    const smr_json **member; /* those, as they come                   */
    int64_t *by_path;        /* their numbers by ascending path       */
    int64_t used_tensors, used_members;
    int depth;
} smr_loading;

/* "the model file is damaged: WHAT" */
smr_status smr_load_damaged(smr_ctx *ctx, const char *what);

/* "12 0.25 yes": iterations, objective (may be nan), converged. */
smr_status smr_load_fit(smr_ctx *ctx, const char *text, smr_fit_report *fit);
/* The training curve, if there is one: as long as its iterations demand, in a block of at least
 * `room` numbers. */
smr_status smr_load_curve(smr_ctx *ctx, smr_loading *l, int64_t room, smr_fit_report *fit);
/* Fails where the file holds something that nothing asked for. */
smr_status smr_load_all_used(smr_ctx *ctx, const smr_loading *l);

/* A sentence and which of its stages were inserted; head: NULL for a member, which has none. */
smr_status smr_load_sentence(smr_ctx *ctx, smr_loading *l, const char *sentence,
                             const char *inserted, smr_head *head, smr_stage **stages, int64_t *n);

/* The states of n stages.  path: what comes before a stage's number in a tensor's name; first: the
 * number of the first stage. */
smr_status smr_load_stages(smr_ctx *ctx, smr_loading *l, smr_stage *stages, int64_t first,
                           int64_t n, smr_text *path);

/* The members that the metadata list; and what this made. */
smr_status smr_load_list(smr_ctx *ctx, smr_loading *l);
void smr_load_list_release(smr_loading *l);

/* The members of a row.  path: the row's. */
smr_status smr_load_members(smr_ctx *ctx, smr_loading *l, const smr_learner *of,
                            const smr_state *row, void *state, smr_text *path);

#endif
