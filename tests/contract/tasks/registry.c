/* registry.c -- the product's registry, with the stand-ins at its end.  It defines every name of
 * the library's own, so that the archive's is not linked. */
#include "standins.h"

#define SMR_MORE_LEARNERS(X) STANDINS(X)
#include "../../../src/learn/registry.c"
