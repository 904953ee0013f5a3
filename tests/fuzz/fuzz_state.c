/* The model loader again, with stand-in learners that have what others do not: strings, tensors,
 * 16-bit numbers, arrays of rank 6, and three versions with rules between them. */
#include "stand_in.h"

#include "fuzz_model.c"
