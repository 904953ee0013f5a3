/* fuzz_npy.c -- any bytes given to the NPY reader. */
#include "fuzz_table.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    return fuzz_reader(smr_npy_read, data, size);
}
