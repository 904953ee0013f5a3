/* The search space: never crashes, refuses with a sentence, and what it accepts reads back as the
 * same space with the same values.  The first byte chooses the model's sentence. */
#include "study/space.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_again(smr_ctx *ctx, const smr_space *a)
{
    smr_space *b = NULL;
    if (smr_space_parse(ctx, a->spec, a->text, &b) != SMR_OK) abort();
    if (strcmp(a->text, b->text) != 0 || a->n_dims != b->n_dims) abort();
    for (int64_t d = 0; d < a->n_dims; d++) {
        if (a->dims[d].n_values != b->dims[d].n_values || a->dims[d].n_values < 1) abort();
        for (int64_t i = 0; i < a->dims[d].n_values; i++)
            if (strcmp(a->dims[d].values[i], b->dims[d].values[i]) != 0) abort();
    }
    smr_space_free(b);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const sentences[] = {"standardize | knn 3", "poly 2 | poly | ridge",
                                            "calibrate of=(standardize | knn)",
                                            "impute constant value=3 | ridge"};
    smr_ctx *ctx = NULL;
    smr_ctx_opts opts = {.size = sizeof opts, .n_threads = 1};
    smr_spec *spec = NULL;
    smr_space *space = NULL;
    if (size < 1 || size > 1024 || smr_ctx_create(&opts, &ctx) != SMR_OK) return 0;
    char *over = smr_strndup(ctx, (const char *)data + 1, size - 1);
    if (smr_spec_parse(ctx, sentences[data[0] % 4], &spec) != SMR_OK) abort();
    if (smr_space_parse(ctx, spec, over, &space) == SMR_OK) {
        smr_space_points points = {0};
        double grid = 1;
        check_again(ctx, space);
        for (int64_t d = 0; d < space->n_dims; d++) grid *= (double)space->dims[d].n_values;
        if (smr_space_draw(ctx, space, 3, &points) != SMR_OK || points.n < 1) abort();
        smr_space_points_release(&points);
        if (grid <= 64 && (smr_space_grid(ctx, space, &points) != SMR_OK || points.n < 1)) abort();
        smr_space_points_release(&points);
    } else if (!*smr_ctx_message(ctx)) {
        abort(); /* refused without a word */
    }
    smr_space_free(space);
    smr_spec_free(spec);
    smr_free(over);
    if (smr_ctx_memory(ctx, NULL) != 0) abort();
    smr_ctx_destroy(ctx);
    return 0;
}
