/* packing.c -- see packing.h. */
#include "data/packing.h"

#include <string.h>
#include <strings.h>

#ifndef SMR_NO_ZLIB
extern const smr_codec smr_gzip_codec;
#define GZIP &smr_gzip_codec
#else
#define GZIP NULL
#endif

/* Weak: an archive's member is not linked for their sake, and they are then NULL. */
#if !defined(SMR_PREDICT_ONLY) && defined(__ELF__)
extern const smr_codec smr_zstd_codec __attribute__((weak));
extern const smr_codec smr_xz_codec __attribute__((weak));
#define ZSTD &smr_zstd_codec
#define XZ &smr_xz_codec
#else
#define ZSTD NULL
#define XZ NULL
#endif

static const smr_packing packings[] = {
    {"gzip", ".gz", "\x1f\x8b", 2, "gzip -dc", GZIP},
    {"zstd", ".zst", "\x28\xb5\x2f\xfd", 4, "zstd -dc", ZSTD},
    {"xz", ".xz", "\xfd\x37\x7a\x58\x5a", 5, "xz -dc", XZ},
};

const smr_packing *smr_packings(int64_t *n)
{
    *n = SMR_COUNT(packings);
    return packings;
}

const smr_packing *smr_packing_of(const char *bytes, int64_t n, bool *more)
{
    *more = false;
    for (int64_t k = 0; k < SMR_COUNT(packings); k++) {
        int64_t length = packings[k].n_magic, known = SMR_MIN(n, length);
        if (known && memcmp(bytes, packings[k].magic, (size_t)known) != 0) continue;
        if (n >= length) return &packings[k];
        *more = true;
    }
    return NULL;
}

const smr_packing *smr_packing_of_path(const char *path)
{
    size_t n = strlen(path);
    for (int64_t k = 0; k < SMR_COUNT(packings); k++) {
        size_t m = strlen(packings[k].ending);
        if (n > m && !strcasecmp(path + n - m, packings[k].ending)) return &packings[k];
    }
    return NULL;
}

int64_t smr_packed_ending(const char *path)
{
    const smr_packing *p = smr_packing_of_path(path);
    return p ? (int64_t)strlen(p->ending) : 0;
}

smr_status smr_packing_codec(smr_ctx *ctx, const smr_packing *packing, const char *name,
                             const smr_codec **out)
{
    *out = packing->codec;
    if (*out) return SMR_OK;
    return smr_fail(ctx, SMR_ERR_UNSUPPORTED,
                    "%s: this build reads and writes no %s; %s unpacks it", name, packing->name,
                    packing->unpacks);
}
