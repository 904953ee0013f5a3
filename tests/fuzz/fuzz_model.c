/* The model loader, and everything that a loaded model can do.
 *
 * Files are changed as files (mutate_model.h).  Bytes that the mutator did not write get their
 * right checksum first, so that the fuzzer reaches every check after it.  What passes them all is
 * used (use_model.h).  SMR_FUZZ_SHARE in the environment tells at the end how many did. */
#include "mutate_model.h"
#include "use_model.h"

#include "learn/state.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { MEMORY_PER_BYTE = 50, MEMORY_PER_FEATURE = 400 };

/* Where the corpus is replayed as a test, every file is used in every way: tools/fuzz_replay.c. */
extern const int fuzz_uses_all __attribute__((weak));

static smr_status read_model(smr_ctx *ctx, const uint8_t *data, size_t size, smr_model **out)
{
    if (was_written(data, size)) return smr_model_read(ctx, (const char *)data, (int64_t)size, out);
    char *bytes = smr_strndup(ctx, (const char *)data, size);
    mend_checksum(bytes, (int64_t)size);
    smr_status st = smr_model_read(ctx, bytes, (int64_t)size, out);
    smr_free(bytes);
    return st;
}

/* Features that come in and that stages give, members' too. */
static int64_t declared(const smr_stage *stages, int64_t n)
{
    int64_t sum = 0;
    for (int64_t s = 0; s < n; s++) {
        const smr_fitted *f = stages[s].learner->fitted;
        sum += stages[s].n_in + stages[s].n_out;
        for (int64_t i = 0; i < f->n_state; i++) {
            const smr_members *m = smr_state_members(&f->state[i], stages[s].state);
            for (int64_t k = 0; m && k < m->n; k++)
                sum += declared(m->member[k].stages, m->member[k].n_stages);
        }
    }
    return sum;
}

/* What docs/model-file.md promises. */
static void check_memory(smr_ctx *ctx, const smr_model *m, size_t size)
{
    int64_t peak, features = m->n_features + declared(m->stages, m->n_stages);
    smr_ctx_memory(ctx, &peak);
    if (peak > MEMORY_PER_BYTE * (int64_t)size + MEMORY_PER_FEATURE * features + (64 << 10)) {
        fprintf(stderr, "loading %zu bytes with %lld features took %lld\n", size,
                (long long)features, (long long)peak);
        abort();
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    smr_ctx *ctx = NULL;
    smr_ctx_opts opts = {.size = sizeof opts, .n_threads = 1, .memory_limit = 64 << 20};
    smr_model *m = NULL;
    if (size > 100000 || smr_ctx_create(&opts, &ctx) != SMR_OK) return 0;
    smr_status st = read_model(ctx, data, size, &m);
    count_file(st == SMR_OK);
    if (st == SMR_OK) {
        check_memory(ctx, m, size);
        remember_good(data, size);
        use_model(ctx, m, &fuzz_uses_all ? USES - 1 : some_uses(data, size));
    } else if (!*smr_ctx_message(ctx) || m) {
        abort();
    }
    smr_model_free(m);
    if (smr_ctx_memory(ctx, NULL) != 0) abort();
    smr_ctx_destroy(ctx);
    return 0;
}
