/* fuzz_idx.c -- any bytes given to the IDX reader. */
#include "fuzz_table.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    return fuzz_reader(smr_idx_read, data, size);
}
