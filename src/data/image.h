/* image.h -- a file in memory, for arrays that stay where the file has them.
 *
 * A regular file of 1 MiB or more is mapped: nothing is copied, pages come when they are touched,
 * and the system may drop them and read them again.  Everything else -- small files, gzip, short
 * pipes, files that others may write, file systems that cannot map -- is read into one block; what
 * a long pipe delivers lies in an unnamed file (data/file.h), which is mapped.  Either way the
 * bytes are private: writing to them changes no file.
 *
 * What a mapping needs: the file must not be changed in place while the image is held.  Replacing
 * it by renaming another over it is safe, and so is removing it: the image keeps the old contents.
 * If it is shortened in place, touching the lost pages ends the process (SIGBUS).  Hence files
 * that belong to a user other than this one and root, or that everybody may write, are never
 * mapped.
 *
 * Accounting: a block counts as memory of the context; a mapping does not, since its pages are the
 * file's. */
#ifndef SMR_DATA_IMAGE_H
#define SMR_DATA_IMAGE_H

#include "core/ctx.h"

typedef struct smr_image smr_image;

/* At most `most` bytes; "-" is standard input. */
smr_status smr_image_open(smr_ctx *ctx, const char *path, int64_t most, smr_image **out);
/* A private copy of bytes that lie in memory. */
smr_status smr_image_copy(smr_ctx *ctx, const void *bytes, int64_t length, smr_image **out);

/* The bytes, aligned to 64, and their number. */
char *smr_image_bytes(const smr_image *image);
int64_t smr_image_length(const smr_image *image);
bool smr_image_is_mapped(const smr_image *image);
/* Does p point into the image, or at its end, where an empty array may lie?  Accepts NULL. */
bool smr_image_has(const smr_image *image, const void *p);

/* One more holder; the image goes with the last smr_image_free.  Both accept NULL. */
smr_image *smr_image_hold(smr_image *image);
void smr_image_free(smr_image *image);

#endif
