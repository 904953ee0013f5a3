/* save_parts.h -- what saving a model and keeping a checkpoint share: tensors and metadata that
 * become a file. */
#ifndef SMR_MODEL_SAVE_PARTS_H
#define SMR_MODEL_SAVE_PARTS_H

#include "learn/learner.h"
#include "model/safetensors.h"

enum { SMR_SAVING_META = 16 }; /* the most fields */

typedef struct smr_saving {
    smr_file_tensor *tensors; /* names owned */
    int64_t n_tensors;
    smr_json_doc *members; /* path -> what the file says about that member */
    int64_t n_members;
    smr_file_meta meta[SMR_SAVING_META];
    smr_text values[SMR_SAVING_META];
    int64_t n_meta;
    bool to_the_end; /* written even when the work is cancelled: the file is what keeps it */
} smr_saving;

/* A field of the metadata; its value is written to the text that is returned. */
smr_text *smr_saving_meta(smr_ctx *ctx, smr_saving *s, const char *key);
/* "12 0.25 yes": iterations, objective, converged. */
void smr_saving_fit(const smr_fit_report *fit, smr_text *out);
/* The states of n stages, the number of the first of which is `first`, that of the head's stage, 0,
 * where there is one (NULL: none), and the training curve.  Their arrays are not copied. */
smr_status smr_saving_stages(smr_ctx *ctx, const smr_stage *head, const smr_stage *stages,
                             int64_t first, int64_t n, const smr_fit_report *fit, smr_saving *s);
/* After all fields: the members, and nothing ran out of memory. */
smr_status smr_saving_finish(smr_ctx *ctx, smr_saving *s);
/* The file, whole or not at all: a temporary one is removed when it fails or is cancelled. */
smr_status smr_saving_write(smr_ctx *ctx, const smr_saving *s, const char *path);
void smr_saving_release(smr_saving *s);

#endif
