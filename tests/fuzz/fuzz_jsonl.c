/* fuzz_jsonl.c -- any bytes given to the reader of JSON lines. */
#include "fuzz_table.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    return fuzz_reader(smr_jsonl_read, data, size);
}
