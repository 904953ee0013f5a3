/* safetensors.h -- the container of model files: named tensors and string metadata.
 *
 *     bytes 0 .. 7      length H of the header, little-endian
 *     8 .. 8 + H        header: JSON {"__metadata__": {key: string ...},
 *                                     name: {"dtype", "shape", "data_offsets": [begin, end]} ...}
 *     8 + H ..          data: the tensors one after another, little-endian, up to the end
 *
 * Written here: the header is padded with spaces until the data begin at a multiple of 64; tensors
 * whose lengths in bytes are multiples of 64 come first, then the others, both by descending
 * element size, then by descending length, then by name, so that each is aligned; metadata keys are
 * sorted; the metadata field "sha256" holds the hash of the whole file with that field's 64 digits
 * as '0'; every NaN, of 64, 32 or 16 bits, is the quiet one without a sign.  The same contents give
 * the same bytes.
 *
 * Read here: everything is checked before anything is used.  Files of other writers are read as
 * long as their tensors have the types of smr_dtype, at most 6 dimensions and aligned data; the
 * checksum is a call of its own.  Nothing here knows what the tensors mean. */
#ifndef SMR_MODEL_SAFETENSORS_H
#define SMR_MODEL_SAFETENSORS_H

#include "core/ctx.h"
#include "core/view.h"

typedef struct smr_file_tensor {
    const char *name;
    smr_dtype dtype;
    int n_dims; /* 0: a single number */
    int64_t shape[SMR_RANK_MAX];
    int64_t n;        /* elements; ignored in writing, which goes by the shape */
    const void *data; /* in the machine's byte order */
} smr_file_tensor;

typedef struct smr_file_meta {
    const char *key, *value; /* UTF-8 without NUL */
} smr_file_meta;

/* ---- writing ---- */

/* Receives the bytes of the file, piece by piece in order. */
typedef smr_status (*smr_put_fn)(smr_ctx *ctx, void *user, const void *bytes, int64_t n);

/* Who receives them.  Between two pieces it is asked whether the work is cancelled, unless the file
 * is what keeps the work after that. */
typedef struct smr_receiver {
    smr_put_fn put;
    void *user;
    bool to_the_end; /* even when it is cancelled */
} smr_receiver;

/* Writes a file without holding it in memory.  Names and keys are given in any order, each once;
 * the key "sha256" and the name "__metadata__" are taken. */
smr_status smr_safetensors_write(smr_ctx *ctx, const smr_file_tensor *tensors, int64_t n_tensors,
                                 const smr_file_meta *meta, int64_t n_meta, const smr_receiver *to);

/* The same into one block of *length bytes, which the caller frees with smr_free. */
smr_status smr_safetensors_bytes(smr_ctx *ctx, const smr_file_tensor *tensors, int64_t n_tensors,
                                 const smr_file_meta *meta, int64_t n_meta, void **bytes,
                                 int64_t *length);

/* ---- reading ---- */

typedef struct smr_safetensors {
    int64_t n_tensors, n_meta;
    smr_file_tensor *tensors; /* in the order of the file; data points into the block */
    smr_file_meta *meta;      /* in the order of the header                            */
    int64_t *by_name;         /* tensor numbers by ascending name                      */
    struct smr_json_doc *doc; /* owns the strings                                      */
} smr_safetensors;

/* Checks the field "sha256" against the bytes.  A file without it fails as that of another writer.
 * To be called before smr_safetensors_read, which may change the byte order in the block. */
smr_status smr_safetensors_check(smr_ctx *ctx, const void *block, int64_t length);

/* Reads a file that lies in memory.  `block` must be aligned to 64 bytes (smr_alloc), be nobody
 * else's, and stay until the result is released: tensors point into it. */
smr_status smr_safetensors_read(smr_ctx *ctx, void *block, int64_t length, smr_safetensors *out);
/* Accepts a zeroed one. */
void smr_safetensors_release(smr_safetensors *file);

/* The tensor or the metadata value of that name, or NULL. */
const smr_file_tensor *smr_safetensors_get(const smr_safetensors *file, const char *name);
const char *smr_safetensors_meta(const smr_safetensors *file, const char *key);
/* The position in by_name of the first name that is not before this one; n_tensors: there is
 * none. */
int64_t smr_safetensors_first(const smr_safetensors *file, const char *name);

/* ---- shared by the two ---- */

/* Where the 64 digits of the checksum are in a header, or -1. */
int64_t smr_safetensors_find_checksum(const char *header, int64_t length);
/* "F64", "F32" ... by smr_dtype. */
const char *smr_safetensors_dtype_name(smr_dtype dtype);
/* Elements of a shape, or -1 when a dimension is negative or their number (zeros left out) times
 * `size` passes 2^53. */
int64_t smr_safetensors_elements(const int64_t *shape, int n_dims, size_t size);

#endif
