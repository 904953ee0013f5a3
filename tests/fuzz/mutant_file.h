/* mutant_file.h -- mutants as files: written with offsets and checksum, and kept where they were
 * loaded. */
#ifndef SMR_FUZZ_MUTANT_FILE_H
#define SMR_FUZZ_MUTANT_FILE_H

#include "mutant.h"

/* See mutant.h. */
#ifdef __clang__
#pragma clang attribute push(__attribute__((no_sanitize("address", "undefined", "coverage"))), \
                             apply_to = function)
#endif

/* The mutant that the mutator made last, and which file it became. */
static struct mutant mutant_now;
static struct {
    int64_t place; /* of what it was made of among the good ones; -1: it is none of them */
    size_t size, at;
    char checksum[64];
} mutant_written = {.place = -1};

/* ---- writing ---------------------------------------------------------------------------- */

struct mutant_text {
    char *at, *end;
    bool fits;
};

static void put_bytes(struct mutant_text *t, const void *bytes, size_t n)
{
    t->fits = t->fits && n <= (size_t)(t->end - t->at);
    if (!t->fits || !n) return;
    memcpy(t->at, bytes, n);
    t->at += n;
}

static void put(struct mutant_text *t, const char *text)
{
    put_bytes(t, text, strlen(text));
}

static void put_whole(struct mutant_text *t, int64_t n)
{
    char digits[24];
    int at = sizeof digits;
    uint64_t rest = (uint64_t)n;
    do {
        digits[--at] = (char)('0' + rest % 10);
        rest /= 10;
    } while (rest);
    put_bytes(t, digits + at, sizeof digits - (size_t)at);
}

static void put_string(struct mutant_text *t, const char *text)
{
    put(t, "\"");
    while (*text) {
        size_t n = 0;
        while ((uint8_t)text[n] >= ' ' && text[n] != '"' && text[n] != '\\') n++;
        put_bytes(t, text, n);
        text += n;
        if (!*text) break;
        uint8_t c = (uint8_t)*text++;
        char escaped[] = {'\\', 'u', '0', '0', "01"[c >> 4 & 1], "0123456789abcdef"[c & 15]};
        if (c >= ' ') escaped[1] = (char)c;
        put_bytes(t, escaped, c < ' ' ? sizeof escaped : 2);
    }
    put(t, "\"");
}

static void put_tensor(struct mutant_text *t, const smr_file_tensor *one, int64_t from, int64_t to)
{
    put(t, ",");
    put_string(t, one->name);
    put(t, ":{\"dtype\":\"");
    put(t, smr_safetensors_dtype_name(one->dtype));
    put(t, "\",\"shape\":[");
    for (int k = 0; k < one->n_dims; k++) {
        if (k) put(t, ",");
        put_whole(t, one->shape[k]);
    }
    put(t, "],\"data_offsets\":[");
    put_whole(t, from);
    put(t, ",");
    put_whole(t, to);
    put(t, "]}");
}

static size_t bytes_in(const smr_file_tensor *t)
{
    return (size_t)elements(t) * smr_dtype_size(t->dtype);
}

static void put_header(struct mutant_text *t, const struct mutant *m)
{
    int64_t at = 0;
    put(t, "{\"__metadata__\":{\"sha256\":\"");
    mutant_written.at = (size_t)(t->at - t->end); /* from the end, until the beginning is known */
    put(t, "0000000000000000000000000000000000000000000000000000000000000000\"");
    for (int64_t k = 0; k < m->n_meta; k++) {
        put(t, ",");
        put_string(t, m->meta[k].key);
        put(t, ":");
        put_string(t, m->meta[k].value);
    }
    put(t, "}");
    for (int64_t k = 0; k < m->n_tensors; k++) {
        int64_t n = (int64_t)bytes_in(&m->tensor[k]);
        put_tensor(t, &m->tensor[k], at, at + n);
        at += n;
    }
    put(t, "}");
}

/* The widest elements first, so that all are aligned: a mutant is in the order of its file. */
static void settle(struct mutant *m)
{
    static smr_file_tensor by_size[MUTATED_TENSORS];
    int64_t n = 0;
    for (size_t size = 8; size; size /= 2)
        for (int64_t k = 0; k < m->n_tensors; k++)
            if (smr_dtype_size(m->tensor[k].dtype) == size) by_size[n++] = m->tensor[k];
    memcpy(m->tensor, by_size, (size_t)n * sizeof *by_size);
}

/* Its length; 0: there is no room for it. */
static size_t write_mutant(struct mutant *m, uint8_t *out, size_t room)
{
    struct mutant_text t = {(char *)out + 8, (char *)out + room, room > 8};
    smr_sha256 hash;
    char digits[65];
    if (!t.fits) return 0;
    settle(m);
    put_header(&t, m);
    while (t.fits && (t.at - (char *)out) % 64) put(&t, " ");
    uint64_t header = (uint64_t)(t.at - (char *)out - 8);
    for (int k = 0; k < 8; k++) out[k] = (uint8_t)(header >> (8 * k));
    for (int64_t k = 0; k < m->n_tensors; k++)
        put_bytes(&t, m->tensor[k].data, bytes_in(&m->tensor[k]));
    if (!t.fits) return 0;
    mutant_written.at += room;
    mutant_written.size = (size_t)(t.at - (char *)out);
    smr_sha256_begin(&hash);
    smr_sha256_add(&hash, out, mutant_written.size);
    smr_sha256_hex(&hash, digits);
    memcpy(mutant_written.checksum, digits, 64);
    memcpy(out + mutant_written.at, digits, 64);
    return mutant_written.size;
}

/* Are these bytes the file that was written last, of mutant_now? */
static bool was_written(const uint8_t *data, size_t size)
{
    return size > 0 && size == mutant_written.size &&
           memcmp(data + mutant_written.at, mutant_written.checksum, 64) == 0;
}

/* ---- files that were loaded ------------------------------------------------------------- */

/* Most changes of a file that is refused are refused too, so that mutants are made of files that
 * were loaded.  Each file that the fuzzer began with has a place of its own, where what was made of
 * it takes its turn, so that no learner dies out. */
enum { MUTATED_GOOD = 512, MUTATED_LARGE = 24000 };

struct mutant_kept {
    int64_t n_tensors, n_meta;
    size_t size;             /* nearly that of its file */
    smr_file_tensor *tensor; /* and, in the same block, all that it points to */
    smr_file_meta *meta;
};

static struct {
    struct mutant_kept first, now;
} mutant_good[MUTATED_GOOD];
static uint64_t mutant_n_good, mutant_n_seen;

static const void *move(char **at, const void *from, size_t n)
{
    char *to = *at;
    if (n) memcpy(to, from, n);
    *at += (n + 15) / 16 * 16;
    return to;
}

/* False: it is too large, and what was kept before stays. */
static bool keep(struct mutant_kept *k, const struct mutant *m)
{
    size_t tensors = (size_t)m->n_tensors * sizeof *m->tensor;
    size_t metas = (size_t)m->n_meta * sizeof *m->meta, size = tensors + metas + 32;
    for (int64_t i = 0; i < m->n_tensors; i++)
        size += strlen(m->tensor[i].name) + 32 + bytes_in(&m->tensor[i]);
    for (int64_t i = 0; i < m->n_meta; i++)
        size += strlen(m->meta[i].key) + strlen(m->meta[i].value) + 34;
    char *block = size <= MUTATED_LARGE + tensors ? malloc(size) : NULL;
    if (!block) return false;
    free(k->tensor);
    *k = (struct mutant_kept){m->n_tensors, m->n_meta, size, (void *)block,
                              (void *)(block + (tensors + 15) / 16 * 16)};
    char *at = (char *)k->meta + (metas + 15) / 16 * 16;
    for (int64_t i = 0; i < m->n_tensors; i++) {
        k->tensor[i] = m->tensor[i];
        k->tensor[i].name = move(&at, m->tensor[i].name, strlen(m->tensor[i].name) + 1);
        k->tensor[i].data = move(&at, m->tensor[i].data, bytes_in(&m->tensor[i]));
    }
    for (int64_t i = 0; i < m->n_meta; i++) {
        k->meta[i].key = move(&at, m->meta[i].key, strlen(m->meta[i].key) + 1);
        k->meta[i].value = move(&at, m->meta[i].value, strlen(m->meta[i].value) + 1);
    }
    return true;
}

static void restore(struct mutant *m, const struct mutant_kept *k)
{
    let_go(m);
    for (int64_t i = 0; i < k->n_tensors; i++) add_tensor(m, &k->tensor[i], k->tensor[i].name);
    for (int64_t i = 0; i < k->n_meta; i++) {
        smr_file_meta one = {copy_text(m, k->meta[i].key), copy_text(m, k->meta[i].value)};
        if (one.key && one.value) m->meta[m->n_meta++] = one;
    }
}

/* One of the places: each gets the same share of the time, so that a file that is twice as large as
 * another is taken half as often. */
static int64_t any_good(struct mutant *m)
{
    enum { SMALL = 1024, TRIES = 64 };
    uint64_t place = 0;
    for (int k = 0; k < TRIES; k++) {
        place = roll(m, mutant_n_good);
        if (roll(m, mutant_good[place].now.size) < SMALL) break;
    }
    return (int64_t)place;
}

/* A file was loaded: it takes the place of what it was made of, now and then, or gets one. */
static void remember_good(const uint8_t *data, size_t size)
{
    static struct mutant m;
    if (was_written(data, size)) {
        if (mutant_written.place >= 0 && mutant_n_seen++ % 8 == 0)
            keep(&mutant_good[mutant_written.place].now, &mutant_now);
        return;
    }
    mutant_n_seen++;
    uint64_t place = mutant_n_good; /* when all are taken, any: each file has the same chance */
    if (place == MUTATED_GOOD)
        place = mutant_n_seen * UINT64_C(0x9E3779B97F4A7C15) % (mutant_n_seen + 1);
    if (place >= MUTATED_GOOD || size > MUTATED_LARGE || !open_mutant(data, size, &m)) return;
    keep(&mutant_good[place].first, &m);
    keep(&mutant_good[place].now, &m);
    if (place == mutant_n_good && mutant_good[place].first.tensor) mutant_n_good++;
}

#ifdef __clang__
#pragma clang attribute pop
#endif

#endif
