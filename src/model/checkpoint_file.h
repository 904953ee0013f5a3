/* checkpoint_file.h -- checkpoints in a file: see learn/checkpoint.h for what they are, and
 * docs/model-file.md for the format. */
#ifndef SMR_MODEL_CHECKPOINT_FILE_H
#define SMR_MODEL_CHECKPOINT_FILE_H

#include "learn/checkpoint.h"

#define SMR_CHECKPOINT_FORMAT "samara checkpoint 1"

/* resume: continues from the file if there is one; without it an existing file is refused, so that
 * no work is lost by a forgotten word. */
smr_status smr_checkpoint_create(smr_ctx *ctx, const char *path, double seconds, bool resume,
                                 smr_checkpoint **out);
/* Leaves the file; accepts NULL. */
void smr_checkpoint_free(smr_checkpoint *c);
/* Removes the file, if there is one: the work is done. */
void smr_checkpoint_remove(smr_checkpoint *c);

#endif
