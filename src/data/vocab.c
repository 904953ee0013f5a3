/* vocab.c -- see vocab.h. */
#include "data/vocab.h"

#include <string.h>

void smr_vocab_release(smr_vocab *d)
{
    if (!d->lent) smr_free(d->strings.start);
    if (!d->lent) smr_free(d->strings.bytes);
    smr_free(d->slot);
    *d = (smr_vocab){0};
}

static uint64_t hash_bytes(const char *text, int64_t n)
{
    uint64_t h = 0x9e3779b97f4a7c15u ^ (uint64_t)n;
    for (; n > 0; text += 8, n -= 8) {
        uint64_t w = 0;
        memcpy(&w, text, (size_t)SMR_MIN(8, n));
        h = (h ^ w) * 0xbf58476d1ce4e5b9u;
        h ^= h >> 29;
    }
    return h;
}

/* The slot that holds the string, or the empty one where it belongs. */
static int64_t slot_of(const smr_vocab *d, const char *text, int64_t n)
{
    int64_t mask = d->n_slots - 1;
    int64_t at = (int64_t)(hash_bytes(text, n) & (uint64_t)mask);
    for (; d->slot[at]; at = (at + 1) & mask) {
        int64_t length;
        const char *known = smr_strings_get(&d->strings, d->slot[at] - 1, &length);
        if (length == n && (n == 0 || !memcmp(known, text, (size_t)n))) break;
    }
    return at;
}

static smr_status grow_slots(smr_ctx *ctx, smr_vocab *d)
{
    int64_t n_slots = SMR_MAX(64, 2 * d->n_slots);
    int32_t *slot = smr_alloc(ctx, n_slots, sizeof *slot);
    if (!slot) return SMR_ERR_NOMEM;
    smr_free(d->slot);
    d->slot = slot;
    d->n_slots = n_slots;
    for (int64_t i = 0; i < d->strings.n; i++) {
        int64_t length;
        const char *text = smr_strings_get(&d->strings, i, &length);
        d->slot[slot_of(d, text, length)] = (int32_t)(i + 1);
    }
    return SMR_OK;
}

static smr_status make_room(smr_ctx *ctx, smr_vocab *d, int64_t more_bytes)
{
    smr_strings *s = &d->strings;
    int64_t used = s->n ? s->start[s->n] : 0;
    if (2 * (s->n + 1) > d->n_slots) {
        smr_status st = grow_slots(ctx, d);
        if (st != SMR_OK) return st;
    }
    if (s->n + 2 > d->string_room) {
        int64_t room = 2 * d->string_room + 16;
        int64_t *start = smr_realloc(ctx, s->start, room, sizeof *start);
        if (!start) return SMR_ERR_NOMEM;
        s->start = start;
        s->start[0] = 0;
        d->string_room = room;
    }
    if (!s->bytes || used + more_bytes > d->byte_room) {
        int64_t room = 2 * d->byte_room + more_bytes + 64;
        char *bytes = smr_realloc(ctx, s->bytes, room, 1);
        if (!bytes) return SMR_ERR_NOMEM;
        s->bytes = bytes;
        d->byte_room = room;
    }
    return SMR_OK;
}

smr_status smr_vocab_add(smr_ctx *ctx, smr_vocab *d, const char *text, int64_t n, int32_t *code)
{
    smr_strings *s = &d->strings;
    smr_status st = SMR_OK;
    if (d->n_slots && (*code = smr_vocab_find(d, text, n)) >= 0) return SMR_OK;
    if (s->n == INT32_MAX)
        TRY(smr_fail(ctx, SMR_ERR_DATA, "more than %d distinct strings in one column", INT32_MAX));
    TRY(make_room(ctx, d, n));
    d->slot[slot_of(d, text, n)] = (int32_t)(s->n + 1);
    if (n) memcpy(s->bytes + s->start[s->n], text, (size_t)n);
    s->start[s->n + 1] = s->start[s->n] + n;
    *code = (int32_t)s->n++;
out:
    return st;
}

int32_t smr_vocab_find(const smr_vocab *d, const char *text, int64_t n)
{
    return d->n_slots ? d->slot[slot_of(d, text, n)] - 1 : -1;
}

smr_status smr_vocab_fill(smr_ctx *ctx, smr_vocab *d, const smr_strings *s)
{
    smr_status st = SMR_OK;
    for (int64_t i = 0; i < s->n; i++) {
        int64_t length;
        int32_t code;
        const char *text = smr_strings_get(s, i, &length);
        TRY(smr_vocab_add(ctx, d, text, length, &code));
    }
out:
    return st;
}

smr_status smr_vocab_over(smr_ctx *ctx, const smr_strings *s, smr_vocab *d, int64_t *twin)
{
    int64_t n_slots = 64;
    *d = (smr_vocab){.strings = *s, .lent = true};
    *twin = -1;
    while (n_slots < 2 * s->n) n_slots *= 2;
    d->slot = smr_alloc(ctx, n_slots, sizeof *d->slot);
    if (!d->slot) return SMR_ERR_NOMEM;
    d->n_slots = n_slots;
    for (int64_t i = 0; i < s->n; i++) {
        int64_t length;
        const char *text = smr_strings_get(s, i, &length);
        int32_t *slot = &d->slot[slot_of(d, text, length)];
        if (*slot && *twin < 0) *twin = i;
        if (!*slot) *slot = (int32_t)(i + 1);
    }
    return SMR_OK;
}

smr_status smr_strings_copy(smr_ctx *ctx, const smr_strings *s, const int64_t *order,
                            smr_strings *out)
{
    smr_status st = SMR_OK;
    *out = (smr_strings){.n = s->n};
    TRY_NEW(out->start, s->n + 1);
    TRY_NEW(out->bytes, s->n ? s->start[s->n] : 0);
    for (int64_t r = 0; r < s->n; r++) {
        int64_t length;
        const char *text = smr_strings_get(s, order ? order[r] : r, &length);
        if (length) memcpy(out->bytes + out->start[r], text, (size_t)length);
        out->start[r + 1] = out->start[r] + length;
    }
out:
    if (st != SMR_OK) {
        smr_free(out->start);
        smr_free(out->bytes);
        *out = (smr_strings){0};
    }
    return st;
}

smr_status smr_vocab_sorted(smr_ctx *ctx, const smr_vocab *d, smr_strings *out, int32_t *recode)
{
    smr_status st = SMR_OK;
    int64_t *order = NULL;
    TRY_NEW(order, d->strings.n);
    TRY(smr_levels_order(ctx, &d->strings, order));
    TRY(smr_strings_copy(ctx, &d->strings, order, out));
    for (int64_t r = 0; r < d->strings.n; r++) recode[order[r]] = (int32_t)r;
out:
    smr_free(order);
    return st;
}
