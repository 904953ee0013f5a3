/* csv_dict.c -- see csv_dict.h. */
#include "data/csv_dict.h"

#include "core/int128.h"

#include <string.h>

enum { EMPTY_SLOT = INT32_MIN, FIRST_SLOTS = 32, FIRST_STRINGS = 8, FIRST_BYTES = 128 };
enum { MARK = -1 };

/* ---- hashing ------------------------------------------------------------------------------ */

static uint64_t mix(uint64_t a, uint64_t b)
{
    smr_u128 product = (smr_u128)a * b;
    return (uint64_t)product ^ (uint64_t)(product >> 64);
}

/* The first n < 8 bytes as a number, without reading behind them. */
static uint64_t load_part(const char *text, int64_t n)
{
    uint64_t x = 0;
    memcpy(&x, text, (size_t)n);
    return x;
}

/* Eight bytes at a time through a folded 64 x 64 -> 128 bit product; never stored, so the order of
 * the bytes in memory does not matter. */
static uint64_t hash_text(const char *text, int64_t n)
{
    static const uint64_t odd_1 = UINT64_C(0x9e3779b97f4a7c15),
                          odd_2 = UINT64_C(0xd6e8feb86659fd93);
    uint64_t h = (uint64_t)n * odd_2 + odd_1;
    for (; n >= 8; text += 8, n -= 8) {
        uint64_t x;
        memcpy(&x, text, 8);
        h = mix(h ^ x, odd_1);
    }
    if (n > 0) h = mix(h ^ load_part(text, n), odd_1);
    return mix(h, odd_2);
}

/* ---- growing ------------------------------------------------------------------------------ */

static smr_status grow_slots(smr_ctx *ctx, smr_dict *d)
{
    int64_t n = d->n_slots ? 2 * d->n_slots : FIRST_SLOTS;
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
    smr_free(d->mark_bytes);
    *d = (smr_dict){0};
}

/* ---- finding and adding ------------------------------------------------------------------- */

/* The slot of the string, or the empty one where it belongs.  There is always an empty one. */
static smr_dict_slot *probe(const smr_dict *d, uint64_t hash, const char *text, int64_t n)
{
    int64_t at = (int64_t)(hash >> 32) & (d->n_slots - 1);
    for (;; at = (at + 1) & (d->n_slots - 1)) {
        smr_dict_slot *s = &d->slots[at];
        if (s->code == EMPTY_SLOT) return s;
        if (s->hash != (uint32_t)(hash >> 32) || s->length != n) continue;
        const char *bytes = s->code == MARK ? d->mark_bytes : d->strings.bytes;
        if (n == 0 || !memcmp(bytes + s->start, text, (size_t)n)) return s;
    }
}

static smr_status add_mark(smr_ctx *ctx, smr_dict *d, smr_dict_slot *s, const char *text, int64_t n)
{
    smr_status st = grow_bytes(ctx, &d->mark_bytes, &d->mark_room, d->mark_length + n);
    if (st != SMR_OK) return st;
    if (n) memcpy(d->mark_bytes + d->mark_length, text, (size_t)n);
    s->start = d->mark_length;
    s->code = MARK;
    d->mark_length += n;
    return SMR_OK;
}

static smr_status add_string(smr_ctx *ctx, smr_dict *d, smr_dict_slot *s, const char *text,
                             int64_t n)
{
    smr_status st = SMR_OK;
    TRY(grow_strings(ctx, d));
    int64_t at = d->strings.start[d->strings.n];
    TRY(grow_bytes(ctx, &d->strings.bytes, &d->bytes_room, at + n));
    if (n) memcpy(d->strings.bytes + at, text, (size_t)n);
    s->start = at;
    s->code = (int32_t)d->strings.n++;
    d->strings.start[d->strings.n] = at + n;
    d->entries[s->code] = (smr_dict_entry){.first_row = INT64_MAX};
out:
    return st;
}

/* Room for one more, at most half full. */
static smr_status make_room(smr_ctx *ctx, smr_dict *d)
{
    return 2 * (d->n_used + 1) > d->n_slots ? grow_slots(ctx, d) : SMR_OK;
}

static void fill_slot(smr_dict *d, smr_dict_slot *s, uint64_t hash, int64_t n)
{
    s->hash = (uint32_t)(hash >> 32);
    s->length = n;
    d->n_used++;
}

smr_status smr_dict_add(smr_ctx *ctx, smr_dict *d, const smr_marks *marks, const char *text,
                        int64_t n, int64_t row, int32_t *code, uint64_t *marks_seen)
{
    smr_status st = SMR_OK;
    TRY(make_room(ctx, d));
    uint64_t hash = hash_text(text, n);
    smr_dict_slot *s = probe(d, hash, text, n);
    if (__builtin_expect(s->code == EMPTY_SLOT, 0)) {
        int which;
        const char *t = text;
        int64_t m = n;
        while (m > 0 && (t[0] == ' ' || t[0] == '\t')) t++, m--;
        while (m > 0 && (t[m - 1] == ' ' || t[m - 1] == '\t')) m--;
        if (smr_field_is_missing(marks, t, m, &which)) {
            TRY(add_mark(ctx, d, s, text, n));
            *marks_seen |= UINT64_C(1) << SMR_MIN(which, 63);
        } else
            TRY(add_string(ctx, d, s, text, n));
        fill_slot(d, s, hash, n);
    }
    *code = s->code;
    if (s->code >= 0) {
        smr_dict_entry *e = &d->entries[s->code];
        e->count++;
        if (row < e->first_row) e->first_row = row;
    }
out:
    return st;
}

smr_status smr_dict_merge(smr_ctx *ctx, smr_dict *d, const char *text, int64_t n,
                          const smr_dict_entry *entry, int32_t *code)
{
    smr_status st = SMR_OK;
    TRY(make_room(ctx, d));
    uint64_t hash = hash_text(text, n);
    smr_dict_slot *s = probe(d, hash, text, n);
    if (s->code == EMPTY_SLOT) {
        TRY(add_string(ctx, d, s, text, n));
        fill_slot(d, s, hash, n);
    }
    smr_dict_entry *e = &d->entries[s->code];
    e->count += entry->count;
    e->first_row = SMR_MIN(e->first_row, entry->first_row);
    *code = s->code;
out:
    return st;
}

int32_t smr_dict_find(const smr_dict *d, const char *text, int64_t n)
{
    if (!d->n_slots) return -1;
    const smr_dict_slot *s = probe(d, hash_text(text, n), text, n);
    return s->code == EMPTY_SLOT ? -1 : s->code;
}
