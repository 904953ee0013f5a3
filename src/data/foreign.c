/* foreign.c -- see foreign.h.  Linked only where something is that needs it: the static command
 * opens no libraries. */
#include "data/foreign.h"

#include <dlfcn.h>
#include <string.h>

smr_status smr_foreign_open(smr_ctx *ctx, const char *file, const char *what, const char *package,
                            void **library)
{
    *library = dlopen(file, RTLD_NOW | RTLD_LOCAL);
    if (*library) return SMR_OK;
    return smr_fail(ctx, SMR_ERR_UNSUPPORTED,
                    "%s needs %s, which is not there: install the package %s", what, file, package);
}

smr_status smr_foreign_find(smr_ctx *ctx, void *library, const char *name, void *function)
{
    void *found = dlsym(library, name);
    if (!found)
        return smr_fail(ctx, SMR_ERR_UNSUPPORTED, "the library that is installed has no %s", name);
    memcpy(function, &found, sizeof found);
    return SMR_OK;
}

void smr_foreign_close(void *library)
{
    if (library) dlclose(library);
}
