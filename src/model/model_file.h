/* model_file.h -- model files: see docs/model-file.md for the format.
 *
 * The public functions smr_model_save, _load, _write and _read (samara.h) live here. */
#ifndef SMR_MODEL_MODEL_FILE_H
#define SMR_MODEL_MODEL_FILE_H

#include "learn/model.h"
#include "model/safetensors.h"

/* The highest format number this library writes; it reads this one and older ones.
 *     1   every learner has version 1
 *     2   the metadata field "versions" says which do not
 * A file gets the lowest number that holds it, so that older samaras read what they can. */
enum { SMR_MODEL_FORMAT = 2 };
/* The training curve: optional, so that files without it stay what they were. */
#define SMR_CURVE_TENSOR "fit.curve"

/* As smr_model_save, to the end even when the work is cancelled: for what would be lost then. */
smr_status smr_model_keep(smr_ctx *ctx, const smr_model *model, const char *path);

/* The arrays of a model as its file has them, in no particular order.  Names are owned, values are
 * the model's. */
smr_status smr_model_tensors(smr_ctx *ctx, const smr_model *model, smr_file_tensor **out,
                             int64_t *n);
/* Accepts NULL. */
void smr_model_tensors_free(smr_file_tensor *tensors, int64_t n);

/* Metadata values for schema and target, as JSON text. */
smr_status smr_schema_to_json(smr_ctx *ctx, const smr_schema *schema, smr_text *out);
smr_status smr_schema_from_json(smr_ctx *ctx, const char *text, smr_schema *out);
smr_status smr_target_to_json(smr_ctx *ctx, const smr_target *target, smr_text *out);
smr_status smr_target_from_json(smr_ctx *ctx, const char *text, smr_target *out);

#endif
