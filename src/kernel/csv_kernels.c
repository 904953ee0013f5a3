/* csv_kernels.c -- see csv_kernels.h: the choice of the tier. */
#include "kernel/csv_kernels.h"

#include "kernel/kernel.h"

#include <stddef.h>
#include <string.h>

extern const smr_csv_kernels smr_base_csv_kernels;
#if defined(__x86_64__)
extern const smr_csv_kernels smr_v3_csv_kernels, smr_v4_csv_kernels;
#endif

const smr_csv_kernels *smr_csv_kernels_tier(int i)
{
    const smr_csv_kernels *have[4] = {&smr_base_csv_kernels};
    int n = 1;
#if defined(__x86_64__)
    __builtin_cpu_init();
    bool v3 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi2");
    bool v4 = v3 && __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl") &&
              __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512cd");
    if (v3) have[n++] = &smr_v3_csv_kernels;
    if (v4) have[n++] = &smr_v4_csv_kernels;
#endif
    return i < n ? have[i] : NULL;
}

/* The same tier as the other kernels'. */
const smr_csv_kernels *smr_csv_kernels_best(void)
{
#if defined(__x86_64__)
    const char *tier = smr_kernel_tier();
    if (strncmp(tier, "x86-64-v4", 9) == 0) return &smr_v4_csv_kernels;
    if (strcmp(tier, "x86-64-v3") == 0) return &smr_v3_csv_kernels;
#endif
    return &smr_base_csv_kernels;
}

void smr_csv_syntax_init(smr_csv_syntax *x, char delimiter, char newline, bool quotes)
{
    memset(x, 0, sizeof *x);
    x->delimiter = delimiter;
    x->newline = newline;
    x->quote = quotes ? '"' : '\0';
    x->by_blanks = delimiter == ' ';
    x->kind[' '] = x->kind['\t'] = x->kind['\r'] = SMR_CSV_BLANK;
    if (x->by_blanks)
        x->kind[' '] = x->kind['\t'] = SMR_CSV_BLANK | SMR_CSV_SEPARATOR;
    else
        x->kind[(uint8_t)delimiter] = SMR_CSV_SEPARATOR;
    x->kind[(uint8_t)newline] = SMR_CSV_SEPARATOR;
}
