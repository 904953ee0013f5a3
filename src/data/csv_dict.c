/* csv_dict.c -- see csv_dict.h. */
#include "data/csv_dict.h"

#include "core/int128.h"

#include <string.h>

enum { EMPTY_SLOT = INT32_MIN, FIRST_SLOTS = 32, FIRST_STRINGS = 8, FIRST_BYTES = 128 };
enum { FIRST_MARK = -2 }; /* mark number w has the code FIRST_MARK - w */

/* ---- hashing ------------------------------------------------------------------------------ */

static uint64_t mix(uint64_t a, uint64_t b)
{
    smr_u128 product = (smr_u128)a * b;
    return (uint64_t)product ^ (uint64_t)(product >> 64);
}

static uint64_t load_4(const char *text)
{
    uint32_t x;
    memcpy(&x, text, 4);
    return x;
}

/* 1 to 8 bytes as a number, different for different bytes, without reading past them. */
static uint64_t load_short(const char *text, int64_t n)
{
    if (n >= 4) return load_4(text) | load_4(text + n - 4) << 32;
    return (uint8_t)text[0] | (uint64_t)(uint8_t)text[n >> 1] << 8 |
           (uint64_t)(uint8_t)text[n - 1] << 16;
}

/* Eight bytes at a time through a folded 64 x 64 -> 128 bit product; never stored, so the order of
 * the bytes in memory does not matter. */
static uint64_t hash_text(const char *text, int64_t n)
{
    static const uint64_t odd_1 = UINT64_C(0x9e3779b97f4a7c15);
    static const uint64_t odd_2 = UINT64_C(0xd6e8feb86659fd93);
    uint64_t h = (uint64_t)n * odd_2 + odd_1;
    for (; n > 8; text += 8, n -= 8) {
        uint64_t x;
        memcpy(&x, text, 8);
        h = mix(h ^ x, odd_1);
    }
    return n > 0 ? mix(h ^ load_short(text, n), odd_2) : mix(h, odd_2);
}

static bool is_equal(const char *a, const char *b, int64_t n)
{
    if (n > 8) return !memcmp(a, b, (size_t)n);
    return n == 0 || load_short(a, n) == load_short(b, n);
}

/* ---- growing ------------------------------------------------------------------------------ */

static smr_status grow_slots(smr_ctx *ctx, smr_dict *d, int64_t least)
{
    int64_t n = d->n_slots ? 2 * d->n_slots : FIRST_SLOTS;
    while (n < least) n *= 2;
    smr_dict_slot *slots = smr_alloc_raw(ctx, n, sizeof *slots);
    if (!slots) return SMR_ERR_NOMEM;
    for (int64_t i = 0; i < n; i++) slots[i].code = EMPTY_SLOT;
    for (int64_t i = 0; i < d->n_slots; i++) {
        const smr_dict_slot *s = &d->slots[i];
        if (s->code == EMPTY_SLOT) continue;
        int64_t at = (int64_t)s->hash & (n - 1);
        while (slots[at].code != EMPTY_SLOT) at = (at + 1) & (n - 1);
        slots[at] = *s;
    }
    smr_free(d->slots);
    d->slots = slots;
    d->n_slots = n;
    return SMR_OK;
}

static smr_status grow_bytes(smr_ctx *ctx, char **bytes, int64_t *room, int64_t wanted)
{
    if (wanted <= *room) return SMR_OK;
    int64_t n = SMR_MAX(SMR_MAX(2 * *room, wanted), FIRST_BYTES);
    char *moved = smr_realloc(ctx, *bytes, n, 1);
    if (!moved) return SMR_ERR_NOMEM;
    *bytes = moved;
    *room = n;
    return SMR_OK;
}

static smr_status grow_strings(smr_ctx *ctx, smr_dict *d)
{
    if (d->strings.n < d->room) return SMR_OK;
    int64_t n = d->room ? 2 * d->room : FIRST_STRINGS;
    if (d->strings.n >= INT32_MAX)
        return smr_fail(ctx, SMR_ERR_DATA, "a column has more than %d distinct strings", INT32_MAX);
    int64_t *start = smr_realloc(ctx, d->strings.start, n + 1, sizeof *start);
    if (!start) return SMR_ERR_NOMEM;
    if (!d->strings.start) start[0] = 0;
    d->strings.start = start;
    smr_dict_entry *entries = smr_realloc(ctx, d->entries, n, sizeof *entries);
    if (!entries) return SMR_ERR_NOMEM;
    d->entries = entries;
    d->room = n;
    return SMR_OK;
}

void smr_dict_release(smr_dict *d)
{
    smr_free(d->slots);
    smr_free(d->strings.start);
    smr_free(d->strings.bytes);
    smr_free(d->entries);
    *d = (smr_dict){0};
}

/* ---- finding and adding ------------------------------------------------------------------- */

/* True when the slot holds this string.  `marks` may be NULL where the table has none. */
static bool holds(const smr_dict *d, const smr_marks *marks, int32_t code, const char *text,
                  int64_t n)
{
    if (code >= 0) {
        const int64_t *start = d->strings.start + code;
        return start[1] - start[0] == n &&
               (n == 0 || is_equal(d->strings.bytes + start[0], text, n));
    }
    const char *mark = smr_mark_text(marks, FIRST_MARK - code);
    return (int64_t)strlen(mark) == n && is_equal(mark, text, n);
}

/* The slot of the string, or the empty one where it belongs.  There is always an empty one. */
static smr_dict_slot *probe(const smr_dict *d, const smr_marks *marks, uint64_t hash,
                            const char *text, int64_t n)
{
    uint32_t upper = (uint32_t)(hash >> 32);
    int64_t at = (int64_t)upper & (d->n_slots - 1);
    for (;; at = (at + 1) & (d->n_slots - 1)) {
        smr_dict_slot *s = &d->slots[at];
        if (s->code == EMPTY_SLOT) return s;
        if (s->hash == upper && holds(d, marks, s->code, text, n)) return s;
    }
}

static smr_status add_string(smr_ctx *ctx, smr_dict *d, smr_dict_slot *s, const char *text,
                             int64_t n)
{
    smr_status st = SMR_OK;
    TRY(grow_strings(ctx, d));
    int64_t at = d->strings.start[d->strings.n];
    TRY(grow_bytes(ctx, &d->strings.bytes, &d->bytes_room, at + n));
    if (n) memcpy(d->strings.bytes + at, text, (size_t)n);
    s->code = (int32_t)d->strings.n++;
    d->strings.start[d->strings.n] = at + n;
    d->entries[s->code] = (smr_dict_entry){.first_row = INT64_MAX};
out:
    return st;
}

/* Room for one more, at most half full. */
static smr_status make_room(smr_ctx *ctx, smr_dict *d)
{
    return 2 * (d->n_used + 1) > d->n_slots ? grow_slots(ctx, d, 0) : SMR_OK;
}

static void fill_slot(smr_dict *d, smr_dict_slot *s, uint64_t hash)
{
    s->hash = (uint32_t)(hash >> 32);
    d->n_used++;
}

/* A string that is met for the first time.  A mark with blanks around it stays out of the table. */
static smr_status add_new(smr_ctx *ctx, smr_dict *d, const smr_marks *marks, smr_dict_slot *s,
                          const char *text, int64_t n, uint64_t *marks_seen)
{
    int which;
    if (!smr_field_is_missing(marks, text, n, &which)) return add_string(ctx, d, s, text, n);
    *marks_seen |= UINT64_C(1) << SMR_MIN(which, 63);
    if ((int64_t)strlen(smr_mark_text(marks, which)) == n) s->code = FIRST_MARK - which;
    return SMR_OK;
}

smr_status smr_dict_add(smr_ctx *ctx, smr_dict *d, const smr_marks *marks, const char *text,
                        int64_t n, int64_t row, int32_t *code, uint64_t *marks_seen)
{
    smr_status st = SMR_OK;
    TRY(make_room(ctx, d));
    uint64_t hash = hash_text(text, n);
    smr_dict_slot *s = probe(d, marks, hash, text, n);
    if (__builtin_expect(s->code == EMPTY_SLOT, 0)) {
        TRY(add_new(ctx, d, marks, s, text, n, marks_seen));
        if (s->code != EMPTY_SLOT) fill_slot(d, s, hash);
    }
    *code = SMR_MAX(s->code, -1);
    if (s->code >= 0) {
        smr_dict_entry *e = &d->entries[s->code];
        if (e->count++ == 0) e->first_row = row; /* rows of one thread ascend */
    }
out:
    return st;
}

smr_status smr_dict_merge(smr_ctx *ctx, smr_dict *d, const smr_marks *marks, const char *text,
                          int64_t n, const smr_dict_entry *entry, int32_t *code)
{
    smr_status st = SMR_OK;
    TRY(make_room(ctx, d));
    uint64_t hash = hash_text(text, n);
    smr_dict_slot *s = probe(d, marks, hash, text, n);
    if (s->code == EMPTY_SLOT) {
        TRY(add_string(ctx, d, s, text, n));
        fill_slot(d, s, hash);
    }
    smr_dict_entry *e = &d->entries[s->code];
    e->count += entry->count;
    e->first_row = SMR_MIN(e->first_row, entry->first_row);
    *code = s->code;
out:
    return st;
}

smr_status smr_dict_reserve(smr_ctx *ctx, smr_dict *d, int64_t n)
{
    int64_t wanted = 2 * (d->n_used + n + 1);
    return wanted > d->n_slots ? grow_slots(ctx, d, wanted) : SMR_OK;
}

void smr_dict_expect(const smr_dict *d, const char *text, int64_t n)
{
    if (!d->n_slots) return;
    uint32_t upper = (uint32_t)(hash_text(text, n) >> 32);
    __builtin_prefetch(&d->slots[(int64_t)upper & (d->n_slots - 1)]);
}

int32_t smr_dict_find(const smr_dict *d, const char *text, int64_t n)
{
    if (!d->n_slots) return -1;
    const smr_dict_slot *s = probe(d, NULL, hash_text(text, n), text, n);
    return SMR_MAX(s->code, -1);
}
