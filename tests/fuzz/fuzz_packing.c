/* fuzz_packing.c -- any bytes unpacked as gzip, zstd and xz, in steps of odd sizes: no crash, no
 * leak, an end or a sentence, and at most a bounded number of bytes. */
#include "core/parallel.h"
#include "data/packing.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define FUZZ_CHECK(claim)      \
    do {                       \
        if (!(claim)) abort(); \
    } while (0)

enum { ROOM = 4099, MOST = 1 << 22 };

static void unpack(smr_ctx *ctx, const smr_codec *codec, const char *bytes, int64_t n, int64_t step)
{
    void *state = NULL;
    static char out[ROOM];
    smr_pack_io io = {.in = bytes};
    int64_t given = 0, total = 0;
    bool ended = false;
    smr_status st = codec->unpacker(ctx, "fuzz", &state);
    while (st == SMR_OK && !ended && total < MOST) {
        if (io.n_in == 0) {
            io.n_in = SMR_MIN(step, n - given);
            io.in = bytes + given;
            given += io.n_in;
        }
        io.in_ends = given == n;
        io.out = out;
        io.room = ROOM;
        st = codec->unpack(ctx, state, &io, &ended);
        FUZZ_CHECK(io.room >= 0 && io.room <= ROOM && io.n_in >= 0);
        total += ROOM - io.room;
    }
    FUZZ_CHECK((st == SMR_OK) == (smr_ctx_message(ctx)[0] == '\0'));
    FUZZ_CHECK(st != SMR_ERR_INTERNAL);
    codec->free_unpacker(state);
    smr_ctx_clear(ctx);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    smr_ctx *ctx = NULL;
    int64_t count;
    smr_ctx_opts opts = {.size = sizeof opts, .n_threads = 1, .memory_limit = 64 << 20};
    if (size < 1) return 0;
    FUZZ_CHECK(smr_ctx_create(&opts, &ctx) == SMR_OK);
    const smr_packing *all = smr_packings(&count);
    for (int64_t k = 0; k < count; k++)
        if (all[k].codec)
            unpack(ctx, all[k].codec, (const char *)data + 1, (int64_t)size - 1, 1 + 7 * data[0]);
    smr_pool_destroy(ctx);
    FUZZ_CHECK(smr_ctx_memory(ctx, NULL) == 0);
    smr_ctx_destroy(ctx);
    return 0;
}
