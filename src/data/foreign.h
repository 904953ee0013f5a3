/* foreign.h -- libraries that are opened when they are needed: libzstd, liblzma, libsqlite3.
 *
 * Their headers give the types; a program that meets no such file loads none of them, and one that
 * was built with them runs where they are not installed. */
#ifndef SMR_DATA_FOREIGN_H
#define SMR_DATA_FOREIGN_H

#include "core/ctx.h"

/* The library `file`, until smr_foreign_close.  what: what needs it, for the message; package:
 * where it comes from. */
smr_status smr_foreign_open(smr_ctx *ctx, const char *file, const char *what, const char *package,
                            void **library);
/* Its function `name`, written to *function, a pointer to a function. */
smr_status smr_foreign_find(smr_ctx *ctx, void *library, const char *name, void *function);
/* Accepts NULL. */
void smr_foreign_close(void *library);

/* With a list LIST(X) of X(name): struct fields of the functions' types, and finding them all. */
#define SMR_FOREIGN_FIELD(name) __typeof__(&name) name;
#define SMR_FOREIGN_FIND(name) TRY(smr_foreign_find(ctx, library, #name, &calls->name));

#endif
