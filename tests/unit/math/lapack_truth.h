/* lapack_truth.h -- LAPACK as an independent truth, on machines that have it: samara itself does
 * not use it.  A test that needs it calls lapack_or_skip() first. */
#ifndef SMR_TESTS_LAPACK_TRUTH_H
#define SMR_TESTS_LAPACK_TRUTH_H

#include "check.h"

#include <dlfcn.h>

static inline void *lapack_library(void)
{
    static void *library; /* stays open to the end, as threads of it may */
    if (library) return library;
    /* One thread: what several share in a library that is not compiled with ThreadSanitizer looks
     * like a race to it. */
    setenv("OPENBLAS_NUM_THREADS", "1", 1);
    setenv("OMP_NUM_THREADS", "1", 1);
    library = dlopen("liblapack.so.3", RTLD_NOW | RTLD_LOCAL);
    return library;
}

/* A routine of it; skips the test where there is none. */
static inline void *lapack_symbol(const char *name)
{
    void *found = lapack_library() ? dlsym(lapack_library(), name) : NULL;
    if (!found) skip();
    return found;
}

/* ISO C has no cast from an object pointer to a function pointer; POSIX promises equal sizes. */
#define LAPACK_ROUTINE(type, variable, name)       \
    type variable = NULL;                          \
    do {                                           \
        void *found_ = lapack_symbol(name);        \
        memcpy(&variable, &found_, sizeof found_); \
    } while (0)

#endif
