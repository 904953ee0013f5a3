/* fuzz_arff.c -- any bytes given to the ARFF reader. */
#include "fuzz_table.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    return fuzz_reader(smr_arff_read, data, size);
}
