/* cifar.c -- the binary files of CIFAR-10 and CIFAR-100: records without a header.
 *
 *     CIFAR-10     label (0 .. 9)                               | 1024 red | 1024 green | 1024 blue
 *     CIFAR-100    coarse label (0 .. 19) | label (0 .. 99)     | the same
 *
 * each colour 32 rows of 32.  Items are 32 x 32 x 3, and the label is the last column; of
 * CIFAR-100 the fine one, unless the coarse ones are asked for, since either would tell the other.
 * Reference: Krizhevsky, Learning multiple layers of features from tiny images, 2009. */
#include "data/formats.h"
#include "data/items.h"

#include <inttypes.h>
#include <string.h>

enum { SIDE = 32, PLANE = SIDE * SIDE, SAMPLES = 3 * PLANE };

struct kind {
    const char *name;
    int labels, take; /* labels of a record, the one that is taken */
    uint8_t classes[2];
};

static const struct kind *kind_of(smr_format format)
{
    static const struct kind kinds[] = {{"cifar10", 1, 0, {10, 0}},
                                        {"cifar100", 2, 1, {20, 100}},
                                        {"cifar100-coarse", 2, 0, {20, 100}}};
    return &kinds[format == SMR_FORMAT_CIFAR10 ? 0 : format == SMR_FORMAT_CIFAR100 ? 1 : 2];
}

bool smr_cifar_names(const char *name, bool training)
{
    bool is = !strncmp(name, "data_batch", 10) || (!training && !strncmp(name, "test_batch", 10));
    return is && strstr(name, ".bin");
}

struct gathering {
    const struct kind *kind;
    int64_t n;
    uint8_t *values, *label;
};

/* Colours of a pixel side by side. */
static void weave(const uint8_t *planes, uint8_t *to)
{
    for (int64_t i = 0; i < PLANE; i++)
        for (int64_t c = 0; c < 3; c++) to[3 * i + c] = planes[c * PLANE + i];
}

static smr_status grow(smr_ctx *ctx, struct gathering *g, int64_t more)
{
    uint8_t *values = smr_realloc(ctx, g->values, g->n + more, SAMPLES);
    if (!values) return SMR_ERR_NOMEM;
    g->values = values;
    uint8_t *label = smr_realloc(ctx, g->label, g->n + more, 1);
    if (!label) return SMR_ERR_NOMEM;
    g->label = label;
    return SMR_OK;
}

static smr_status add_records(smr_ctx *ctx, struct gathering *g, smr_source *source)
{
    smr_status st = SMR_OK;
    const struct kind *k = g->kind;
    char *bytes = NULL;
    int64_t length = 0, size = k->labels + SAMPLES;
    TRY(smr_source_whole(ctx, source, smr_ctx_memory_limit(ctx) / 2, &bytes, &length));
    if (length == 0 || length % size)
        TRY(smr_fail(ctx, SMR_ERR_FORMAT,
                     "%s: %" PRId64 " bytes are not whole records of %s, which have %" PRId64
                     "; the file is truncated, or another",
                     smr_source_name(source), length, k->name, size));
    int64_t n = length / size;
    TRY(grow(ctx, g, n));
    for (int64_t i = 0; i < n; i++) {
        const uint8_t *record = (const uint8_t *)bytes + i * size;
        for (int l = 0; l < k->labels; l++) {
            if (record[l] >= k->classes[l])
                TRY(smr_fail(ctx, SMR_ERR_FORMAT,
                             "%s: record %" PRId64 " has label %d, and in %s labels are 0 to %d; "
                             "this is another file",
                             smr_source_name(source), i, record[l], k->name, k->classes[l] - 1));
        }
        g->label[g->n + i] = record[k->take];
        weave(record + k->labels, g->values + (g->n + i) * SAMPLES);
    }
    g->n += n;
out:
    smr_free(bytes);
    return st;
}

static smr_status make_table(smr_ctx *ctx, struct gathering *g, const char *source, smr_table **out)
{
    smr_status st = SMR_OK;
    smr_items items = {.n_rows = g->n, .shape = {SIDE, SIDE, 3}, .dtype = SMR_U8};
    smr_table *t = NULL;
    smr_text notes = {.ctx = ctx};
    items.values = g->values;
    g->values = NULL;
    TRY(smr_items_table(ctx, &items, 1, &t));
    TRY(smr_items_label(ctx, t, SAMPLES, "label", &g->label));
    smr_text_printf(&notes, "format: %s\npixels: 32 x 32\nchannels: red, green, blue\nbits: 8\n",
                    g->kind->name);
    TRY(smr_items_sign(t, source, &notes));
    *out = t;
    t = NULL;
out:
    smr_text_release(&notes);
    smr_table_free(t);
    smr_free(items.values);
    return st;
}

static void release(struct gathering *g)
{
    smr_free(g->values);
    smr_free(g->label);
}

smr_status smr_cifar_read(smr_ctx *ctx, smr_source *source, const smr_read_opts *opts,
                          smr_table **out)
{
    smr_status st = SMR_OK;
    bool said = opts && opts->format != SMR_FORMAT_AUTO;
    struct gathering g = {.kind = kind_of(said ? opts->format : SMR_FORMAT_CIFAR10)};
    *out = NULL;
    TRY(add_records(ctx, &g, source));
    TRY(make_table(ctx, &g, smr_source_name(source), out));
out:
    release(&g);
    return st;
}

smr_status smr_cifar_table(smr_ctx *ctx, const char *const *paths, int64_t n, smr_format format,
                           const char *source, smr_table **out)
{
    smr_status st = SMR_OK;
    struct gathering g = {.kind = kind_of(format)};
    smr_source *file = NULL;
    *out = NULL;
    for (int64_t k = 0; k < n; k++) {
        TRY(smr_source_open(ctx, paths[k], &file));
        TRY(add_records(ctx, &g, file));
        smr_source_close(file);
        file = NULL;
    }
    TRY(make_table(ctx, &g, source, out));
out:
    smr_source_close(file);
    release(&g);
    return st;
}
