/* The model loader, and everything that a loaded model can do.
 *
 * Files are changed as files (mutate_model.h).  Bytes that the mutator did not write get their
 * right checksum first, so that the fuzzer reaches every check after it.  What passes them all is
 * used (use_model.h).  tally.h counts them. */
#include "arena.h"
#include "mutate_model.h"
#include "tally.h"
#include "use_model.h"
#include "watch.h"

#include "learn/graphical/bayesnet.h"
#include "learn/state.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { MEMORY_PER_BYTE = 50, MEMORY_PER_FEATURE = 400, SIBLINGS = 31 };

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

/* Bytes of the cliques of a network that answers exactly. */
static double cliques(smr_ctx *ctx, const smr_stage *stage)
{
    smr_jtree_plan plan = {0};
    const struct smr_bayesnet_params *p = stage->params;
    const struct smr_bayesnet_state *s = stage->state;
    if (strcmp(stage->learner->word->name, "bayesnet") != 0 || p->inference != SMR_BN_EXACT)
        return 0;
    int32_t target = (int32_t)s->n_features;
    if (smr_jtree_plan_for(ctx, &s->ready->tables, &target, 1, &plan) != SMR_OK) abort();
    return plan.bytes;
}

/* Features that come in and that stages give, members' too; counts their learners. */
static int64_t declared(smr_ctx *ctx, const smr_stage *stages, int64_t n, double *more)
{
    int64_t sum = 0;
    for (int64_t s = 0; s < n; s++) {
        const smr_fitted *f = stages[s].learner->fitted;
        sum += stages[s].n_in + stages[s].n_out;
        count_learner(stages[s].learner->word->name);
        *more += cliques(ctx, &stages[s]);
        for (int64_t i = 0; i < f->n_state; i++) {
            const smr_members *m = smr_state_members(&f->state[i], stages[s].state);
            for (int64_t k = 0; m && k < m->n; k++)
                sum += declared(ctx, m->member[k].stages, m->member[k].n_stages, more);
        }
    }
    return sum;
}

/* What docs/model-file.md promises. */
static void check_memory(smr_ctx *ctx, const smr_model *m, size_t size)
{
    int64_t peak, features = m->n_features;
    double more = 64 << 10;
    smr_ctx_memory(ctx, &peak);
    features += declared(ctx, m->stages, m->n_stages, &more);
    more += (double)(MEMORY_PER_BYTE * (int64_t)size + MEMORY_PER_FEATURE * features);
    if ((double)peak > more) {
        fprintf(stderr, "loading %zu bytes with %lld features took %lld\n", size,
                (long long)features, (long long)peak);
        abort();
    }
}

/* Which of the files that a run tries is the last: where SMR_FUZZ_LAST says. */
static void note_last(const uint8_t *data, size_t size)
{
    static bool asked;
    static const char *path;
    if (!asked) path = getenv("SMR_FUZZ_LAST");
    asked = true;
    FILE *f = path ? fopen(path, "wb") : NULL;
    if (!f) return;
    (void)fwrite(data, 1, size, f);
    fclose(f);
}

static uint64_t hash_of(const uint8_t *data, size_t size)
{
    uint64_t h = UINT64_C(0xcbf29ce484222325);
    for (size_t i = 0; i < size; i += 1 + size / 512) h = (h ^ data[i]) * UINT64_C(0x100000001b3);
    for (size_t i = size - SMR_MIN(size, 64); i < size; i++)
        h = (h ^ data[i]) * UINT64_C(0x100000001b3);
    return h ^ h >> 29;
}

/* Was it loaded?  Then it was also used. */
static bool try_file(const uint8_t *data, size_t size, uint64_t die)
{
    smr_ctx *ctx = NULL;
    smr_ctx_opts opts = {.size = sizeof opts, .n_threads = 1, .memory_limit = 64 << 20};
    smr_model *m = NULL;
    if (!&fuzz_uses_all) {
        watch();
        arena_begin(&opts);
    }
    if (smr_ctx_create(&opts, &ctx) != SMR_OK) return false;
    smr_status st = read_model(ctx, data, size, &m);
    count_file(st == SMR_OK);
    if (st == SMR_OK) {
        check_memory(ctx, m, size);
        remember_good(data, size);
        if (&fuzz_uses_all)
            use_in_all_ways(ctx, m);
        else
            use_in_some_way(ctx, m, die);
    } else if (!*smr_ctx_message(ctx) || m) {
        abort();
    }
    smr_model_free(m);
    if (smr_ctx_memory(ctx, NULL) != 0) abort();
    smr_ctx_destroy(ctx);
    return st == SMR_OK;
}

/* A file that is loaded is followed by some mutants of it: to be called takes the fuzzer as long as
 * to load a small one. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static uint8_t file[1 << 16];
    if (size > 100000) return 0;
    note_last(data, size);
    uint64_t die = hash_of(data, size);
    bool more = try_file(data, size, die) && !&fuzz_uses_all && begin_siblings(data, size);
    for (uint64_t k = 1; more && k <= SIBLINGS; k++) {
        size_t made = next_sibling(die + k, file, sizeof file);
        if (!made) continue;
        note_last(file, made);
        (void)try_file(file, made, hash_of(file, made));
    }
    return 0;
}
