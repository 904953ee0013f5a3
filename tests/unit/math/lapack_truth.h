/* lapack_truth.h -- LAPACK as an independent truth, where the machine that tests has it. */
#ifndef SMR_TESTS_LAPACK_TRUTH_H
#define SMR_TESTS_LAPACK_TRUTH_H

#include <dlfcn.h>
#include <stdbool.h>
#include <stddef.h>

/* The function of that name, or NULL. */
static inline void *lapack_symbol(const char *name)
{
    static void *library;
    if (!library) library = dlopen("liblapack.so.3", RTLD_NOW | RTLD_LOCAL);
    return library ? dlsym(library, name) : NULL;
}

static inline bool lapack_here(void)
{
    return lapack_symbol("dgesdd_") != NULL;
}

#endif
