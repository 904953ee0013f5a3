/* roles_file.h -- the names of users and items in a model file: tensors, since they may be
 * millions.
 *
 *     schema.user.start   I64, n + 1: name k has bytes start[k] .. start[k+1] - 1
 *     schema.user.bytes   U8: the names, UTF-8, one after another
 *
 * and the same for items.  The schema's JSON says which columns have roles. */
#ifndef SMR_MODEL_ROLES_FILE_H
#define SMR_MODEL_ROLES_FILE_H

#include "learn/roles.h"
#include "model/safetensors.h"

enum { SMR_ROLE_TENSORS = 4 };

/* Adds at most SMR_ROLE_TENSORS of them at tensors[*n]; their names are made with smr_strdup, their
 * data belong to the roles. */
smr_status smr_roles_to_tensors(smr_ctx *ctx, const smr_role_column roles[SMR_ROLES],
                                smr_file_tensor *tensors, int64_t *n);
/* Fills the levels of the roles that have a name, with every check; *used grows by the tensors
 * read. */
smr_status smr_roles_from_tensors(smr_ctx *ctx, const smr_safetensors *file,
                                  smr_role_column roles[SMR_ROLES], int64_t *used);

#endif
