/* fuzz_libsvm.c -- any bytes given to the LIBSVM reader. */
#include "fuzz_table.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    return fuzz_reader(smr_libsvm_read, data, size);
}
