/* mutant.h -- a model file in pieces that can be changed: its tensors, their shapes and numbers. */
#ifndef SMR_FUZZ_MUTANT_H
#define SMR_FUZZ_MUTANT_H

#include "mend_checksum.h"

#include "core/mem.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* The mutator itself is not what is looked at: without instruments it takes a third of the time. */
#ifdef __clang__
#pragma clang attribute push(__attribute__((no_sanitize("address", "undefined", "coverage"))), \
                             apply_to = function)
#endif

enum { MUTATED_TENSORS = 256, MUTATED_META = 24, MUTATED_NAME = 200, MUTATED_ROOM = 1 << 19 };

/* A file whose names, texts and numbers lie in one room, from its beginning: what is replaced stays
 * where it is until the mutant is made anew.  A change that finds no room is not made. */
struct mutant {
    uint64_t random;
    int64_t n_tensors, n_meta;
    smr_file_tensor tensor[MUTATED_TENSORS];
    smr_file_meta meta[MUTATED_META];
    bool renamed; /* names may occur twice                               */
    bool alone;   /* nothing of other files may be put into it           */
    size_t used;
    _Alignas(16) char room[MUTATED_ROOM];
};

static uint64_t roll(struct mutant *m, uint64_t n)
{
    m->random ^= m->random << 13;
    m->random ^= m->random >> 7;
    m->random ^= m->random << 17;
    return n ? (m->random >> 11) % n : 0;
}

/* `room` bytes, of which the first are a copy and the others 0; NULL: there is no room. */
static void *copy_of(struct mutant *m, const void *from, size_t n, size_t room)
{
    size_t whole = (room + 16) / 16 * 16;
    if (whole > MUTATED_ROOM - m->used) return NULL;
    char *to = m->room + m->used;
    m->used += whole;
    if (n) memcpy(to, from, SMR_MIN(n, room));
    if (n < whole) memset(to + n, 0, whole - n);
    if (room < n) memset(to + room, 0, whole - room);
    return to;
}

static char *copy_text(struct mutant *m, const char *text)
{
    return copy_of(m, text, strlen(text), strlen(text));
}

static int64_t elements(const smr_file_tensor *t)
{
    return smr_safetensors_elements(t->shape, t->n_dims, 8);
}

static void let_go(struct mutant *m)
{
    m->n_tensors = m->n_meta = 0;
    m->used = 0;
    m->renamed = m->alone = false;
}

static void add_tensor(struct mutant *m, const smr_file_tensor *from, const char *name)
{
    if (m->n_tensors == MUTATED_TENSORS || strlen(name) >= MUTATED_NAME) return;
    size_t n = (size_t)elements(from) * smr_dtype_size(from->dtype);
    smr_file_tensor *t = &m->tensor[m->n_tensors];
    *t = *from;
    t->name = copy_text(m, name);
    t->data = copy_of(m, from->data, n, n);
    if (t->name && t->data) m->n_tensors++;
}

static bool open_mutant(const uint8_t *data, size_t size, struct mutant *m)
{
    smr_ctx *ctx = NULL;
    smr_ctx_opts opts = {.size = sizeof opts, .n_threads = 1, .memory_limit = 64 << 20};
    smr_safetensors file = {0};
    let_go(m);
    if (size > 100000 || smr_ctx_create(&opts, &ctx) != SMR_OK) return false;
    void *block = smr_alloc(ctx, (int64_t)size + 1, 1);
    if (block) memcpy(block, data, size);
    bool read = block && smr_safetensors_read(ctx, block, (int64_t)size, &file) == SMR_OK;
    for (int64_t k = 0; read && k < file.n_tensors; k++)
        add_tensor(m, &file.tensors[k], file.tensors[k].name);
    for (int64_t k = 0; read && k < file.n_meta && m->n_meta < MUTATED_META; k++) {
        if (strcmp(file.meta[k].key, "sha256") == 0) continue;
        smr_file_meta one = {copy_text(m, file.meta[k].key), copy_text(m, file.meta[k].value)};
        if (one.key && one.value) m->meta[m->n_meta++] = one;
    }
    smr_safetensors_release(&file);
    smr_free(block);
    smr_ctx_destroy(ctx);
    return read;
}

/* ---- numbers ---------------------------------------------------------------------------- */

static int64_t odd_whole(struct mutant *m, int64_t was)
{
    static const int64_t odd[] = {0,
                                  1,
                                  -1,
                                  2,
                                  3,
                                  7,
                                  8,
                                  16,
                                  31,
                                  32,
                                  64,
                                  255,
                                  256,
                                  1000,
                                  65535,
                                  1 << 20,
                                  INT32_MAX,
                                  INT32_MIN,
                                  INT64_MAX,
                                  INT64_MIN,
                                  INT64_C(1) << 32,
                                  INT64_C(1) << 53,
                                  -2};
    switch (roll(m, 5)) {
    case 0: return (int64_t)((uint64_t)was + 1);
    case 1: return (int64_t)((uint64_t)was - 1);
    case 2: return (int64_t)((uint64_t)was ^ (UINT64_C(1) << roll(m, 64)));
    default: return odd[roll(m, SMR_COUNT(odd))];
    }
}

static double odd_real(struct mutant *m, double was)
{
    static const double odd[] = {0,         -0.0,  1,      -1,     0.5,    2,   NAN,    INFINITY,
                                 -INFINITY, 1e300, -1e300, 1e-300, 5e-324, 1e9, 0x1p31, 0x1p53,
                                 0x1p63,    1e-9,  255,    256,    3,      1.5};
    switch (roll(m, 5)) {
    case 0: return -was;
    case 1: return 2 * was;
    case 2: return was + (roll(m, 2) ? 1 : -1);
    default: return odd[roll(m, SMR_COUNT(odd))];
    }
}

static void set_element(struct mutant *m, smr_file_tensor *t, int64_t i)
{
    void *data = (void *)(uintptr_t)t->data;
    switch (t->dtype) {
    case SMR_F64: ((double *)data)[i] = odd_real(m, ((double *)data)[i]); break;
    case SMR_F32:
        ((float *)data)[i] =
            (float)smr_fmin(1e38, smr_fmax(-1e38, odd_real(m, (double)((float *)data)[i])));
        break;
    case SMR_I64: ((int64_t *)data)[i] = odd_whole(m, ((int64_t *)data)[i]); break;
    case SMR_I32: ((int32_t *)data)[i] = (int32_t)odd_whole(m, ((int32_t *)data)[i]); break;
    case SMR_U8: ((uint8_t *)data)[i] = (uint8_t)odd_whole(m, ((uint8_t *)data)[i]); break;
    default: ((uint16_t *)data)[i] = (uint16_t)roll(m, 65536); break;
    }
}

static smr_file_tensor *any_tensor(struct mutant *m)
{
    return m->n_tensors ? &m->tensor[roll(m, (uint64_t)m->n_tensors)] : NULL;
}

/* A whole number by itself is mostly the size of arrays, which then do not fit: change_size. */
static smr_file_tensor *any_array(struct mutant *m)
{
    smr_file_tensor *t = any_tensor(m);
    for (int tries = 0; t && tries < 5 && !t->n_dims && t->dtype == SMR_I64; tries++)
        t = any_tensor(m);
    return t;
}

static void change_numbers(struct mutant *m)
{
    smr_file_tensor *t = any_array(m);
    int64_t n = t ? elements(t) : 0;
    for (uint64_t k = 1 + (roll(m, 4) == 0 ? roll(m, 8) : 0); n > 0 && k > 0; k--)
        set_element(m, t, (int64_t)roll(m, (uint64_t)n));
}

/* One number of the tensor becomes another of it: indices and orders that may be. */
static void shuffle_numbers(struct mutant *m)
{
    smr_file_tensor *t = any_tensor(m);
    int64_t n = t ? elements(t) : 0;
    if (n < 2) return;
    size_t size = smr_dtype_size(t->dtype);
    char *data = (char *)(uintptr_t)t->data;
    size_t a = roll(m, (uint64_t)n), b = roll(m, (uint64_t)n);
    if (a != b) memcpy(data + a * size, data + b * size, size);
}

/* ---- tensors ---------------------------------------------------------------------------- */

static void drop_tensor(struct mutant *m, int64_t k)
{
    m->tensor[k] = m->tensor[--m->n_tensors];
}

static void give_shape(struct mutant *m, smr_file_tensor *t, int rank, const int64_t *shape)
{
    smr_file_tensor now = *t;
    size_t size = smr_dtype_size(t->dtype), had = (size_t)elements(t) * size;
    now.n_dims = rank;
    memset(now.shape, 0, sizeof now.shape);
    memcpy(now.shape, shape, (size_t)rank * sizeof *shape);
    int64_t n = elements(&now);
    if (n < 0 || n > 4096) return;
    now.data = copy_of(m, t->data, had, (size_t)n * size);
    if (!now.data) return;
    *t = now;
}

static int64_t odd_length(struct mutant *m, int64_t was)
{
    static const int64_t odd[] = {0, 1, 2, 3, 4, 8, 16, 33};
    if (roll(m, 64) == 0) return INT32_MAX; /* an array that has none of something else fits it */
    switch (roll(m, 4)) {
    case 0: return was + 1;
    case 1: return SMR_MAX(0, was - 1);
    case 2: return 2 * was;
    default: return odd[roll(m, SMR_COUNT(odd))];
    }
}

static void change_shape(struct mutant *m)
{
    smr_file_tensor *t = any_tensor(m);
    int64_t shape[SMR_RANK_MAX] = {0};
    if (!t) return;
    memcpy(shape, t->shape, sizeof shape);
    int rank = t->n_dims;
    if (rank && roll(m, 4)) {
        uint64_t k = roll(m, (uint64_t)rank);
        shape[k] = odd_length(m, shape[k]);
    } else if (rank && roll(m, 2)) {
        rank--;
    } else if (rank < SMR_RANK_MAX) {
        shape[rank++] = (int64_t)roll(m, 3);
    }
    give_shape(m, t, rank, shape);
}

static void change_type(struct mutant *m)
{
    static const smr_dtype other[SMR_DTYPES] = {
        [SMR_F64] = SMR_I64, [SMR_I64] = SMR_F64,  [SMR_F32] = SMR_I32, [SMR_I32] = SMR_F32,
        [SMR_U8] = SMR_U8,   [SMR_F16] = SMR_BF16, [SMR_BF16] = SMR_F16};
    smr_file_tensor *t = any_tensor(m);
    if (t) t->dtype = other[t->dtype];
}

/* "1.knn." of "1.knn.x": what a number and the arrays it measures have in common. */
static size_t stage_of(const char *name)
{
    const char *dot = strrchr(name, '.');
    return dot ? (size_t)(dot + 1 - name) : 0;
}

/* A whole number and the lengths of its stage's arrays that are as long as it says. */
static void change_size(struct mutant *m)
{
    smr_file_tensor *t = any_tensor(m);
    for (int tries = 0; t && tries < 20 && (t->n_dims || t->dtype != SMR_I64); tries++)
        t = any_tensor(m);
    if (!t || t->n_dims || t->dtype != SMR_I64) return;
    int64_t was = *(const int64_t *)t->data;
    if (was < 0 || was > 4096) return;
    int64_t now = odd_length(m, was);
    bool everywhere = roll(m, 3) == 0; /* other stages and other numbers too */
    size_t n = everywhere ? 0 : stage_of(t->name);
    for (int64_t k = 0; k < m->n_tensors; k++) {
        smr_file_tensor *one = &m->tensor[k];
        int64_t shape[SMR_RANK_MAX];
        bool fits = false;
        if (strncmp(one->name, t->name, n) != 0 || roll(m, 16) == 0) continue;
        memcpy(shape, one->shape, sizeof shape);
        for (int d = 0; d < one->n_dims; d++)
            if (shape[d] == was || shape[d] == was + 1) {
                shape[d] += now - was;
                fits = shape[d] >= 0;
            }
        if (fits) give_shape(m, one, one->n_dims, shape);
        if (one != t && !one->n_dims && one->dtype == SMR_I64 &&
            (*(const int64_t *)one->data == was || *(const int64_t *)one->data == was + 1) &&
            roll(m, 2))
            *(int64_t *)(uintptr_t)one->data += now - was;
    }
    *(int64_t *)(uintptr_t)t->data = now;
}

#ifdef __clang__
#pragma clang attribute pop
#endif

#endif
