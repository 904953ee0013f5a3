/* kernel_show.c -- what inspect tells about a fitted kernel, and what is asked before a large
 * one. */
#include "learn/kernels/kernel_show.h"

#include <stdio.h>

smr_status smr_kernel_show(smr_ctx *ctx, const smr_kernel *kernel, const smr_kernel_points *points,
                           smr_json *into)
{
    smr_status st = SMR_OK;
    smr_text text = {.ctx = ctx};
    smr_kernel_write(kernel, &text);
    TRY(smr_text_done(&text));
    smr_json_add_string(into, "kernel", text.bytes);
    smr_json_add_number(into, "points", (double)points->n);
    bool any = false;
    for (int64_t w = 0; w < points->n_words; w++) any = any || points->gamma[w] > 0;
    if (any) {
        smr_json *list = smr_json_add_array(into, "gamma");
        for (int64_t w = 0; w < points->n_words; w++)
            smr_json_add_number(list, NULL, points->gamma[w] > 0 ? points->gamma[w] : NAN);
    }
out:
    smr_text_release(&text);
    return st;
}

smr_status smr_kernel_fits(smr_ctx *ctx, const char *who, int64_t n, double bytes)
{
    char what[128];
    snprintf(what, sizeof what, "%s: the kernel matrix of %lld rows", who, (long long)n);
    return smr_memory_check(
        ctx, bytes, what, "use fewer rows, or approximate it: nystrom 500 before a linear learner");
}
