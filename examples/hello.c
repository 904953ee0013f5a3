/* hello.c -- a context, and what a failure looks like.
 *
 *     cc hello.c $(pkg-config --cflags --libs samara) -o hello
 */
#include <samara.h>

#include <stdio.h>

int main(void)
{
    smr_ctx *ctx = NULL;
    smr_ctx_opts opts = {.size = sizeof opts, .n_threads = 2, .seed = 7};
    if (smr_ctx_create(&opts, &ctx) != SMR_OK) {
        fprintf(stderr, "no memory for a context\n");
        return 1;
    }
    int64_t peak = 0;
    printf("holding %lld bytes\n", (long long)smr_ctx_memory(ctx, &peak));
    smr_ctx_destroy(ctx);
    return 0;
}
