/* wordbook.c -- see wordbook.h. */
#include "transform/wordbook.h"

#include <string.h>

static inline uint64_t load8(const void *p)
{
    uint64_t x;
    memcpy(&x, p, sizeof x);
    return x;
}

static inline uint64_t load4(const void *p)
{
    uint32_t x;
    memcpy(&x, p, sizeof x);
    return x;
}

static inline uint64_t mix(uint64_t h)
{
    h *= 0xbf58476d1ce4e5b9u;
    return h ^ h >> 32;
}

/* Whole words of 8 bytes, the last of them ending with the text: no byte past it is read. */
uint64_t smr_word_hash(const char *bytes, int32_t n)
{
    const unsigned char *p = (const unsigned char *)bytes;
    uint64_t h = 0x9e3779b97f4a7c15u * ((uint64_t)n + 1);
    if (n >= 8) {
        for (int32_t i = 0; i + 8 <= n; i += 8) h = mix(h ^ load8(p + i));
        if (n & 7) h = mix(h ^ load8(p + n - 8));
    } else if (n >= 4) {
        h = mix(h ^ (load4(p) | load4(p + n - 4) << 32));
    } else if (n > 0) {
        h = mix(h ^ (p[0] | (uint64_t)p[n / 2] << 8 | (uint64_t)p[n - 1] << 16));
    }
    h *= 0x94d049bb133111ebu;
    return h ^ h >> 29;
}

enum { SHORT = 7 };

/* Distinct for distinct short words, and never the same for a short and a long one. */
static inline uint64_t key_of(const char *bytes, int32_t n, uint64_t hash)
{
    const unsigned char *p = (const unsigned char *)bytes;
    uint64_t length = (uint64_t)n;
    if (n > SHORT) return UINT64_C(1) << 63 | (length & 0xfff) << 51 | hash >> 13;
    if (n >= 4) return length << 56 | load4(p) | load4(p + n - 4) << 8 * (n - 4);
    if (n == 0) return 0;
    return length << 56 | p[0] | (uint64_t)p[n / 2] << 8 * (n / 2) |
           (uint64_t)p[n - 1] << 8 * (n - 1);
}

/* n >= 8 */
static inline bool same_bytes(const uint8_t *a, const char *b, int32_t n)
{
    for (int32_t i = 0; i + 8 <= n; i += 8)
        if (load8(a + i) != load8(b + i)) return false;
    return load8(a + n - 8) == load8(b + n - 8);
}

void smr_wordbook_release(smr_wordbook *book)
{
    smr_free(book->slots);
    smr_free(book->own_start);
    smr_free(book->own_bytes);
    *book = (smr_wordbook){0};
}

/* The slot of the word, or the free one where it belongs. */
static smr_wordslot *slot_of(const smr_wordbook *book, const char *bytes, int32_t n, uint64_t hash)
{
    uint64_t mask = (uint64_t)book->n_slots - 1, at = hash & mask;
    uint64_t key = key_of(bytes, n, hash);
    for (; book->slots[at].word; at = (at + 1) & mask) {
        if (book->slots[at].key != key) continue;
        if (n <= SHORT || same_bytes(book->bytes + book->slots[at].begin, bytes, n)) break;
    }
    return &book->slots[at];
}

int32_t smr_wordbook_find(const smr_wordbook *book, const char *bytes, int32_t n, uint64_t hash)
{
    return book->n ? slot_of(book, bytes, n, hash)->word - 1 : -1;
}

/* What the slot of word w holds. */
static smr_wordslot slot_for(const smr_wordbook *book, int64_t w, uint64_t hash)
{
    int64_t begin = book->start[w];
    int32_t n = (int32_t)(book->start[w + 1] - begin);
    return (smr_wordslot){.key = key_of((const char *)book->bytes + begin, n, hash),
                          .begin = (uint32_t)begin,
                          .word = (int32_t)(w + 1)};
}

static smr_status rebuild(smr_ctx *ctx, smr_wordbook *book, int64_t n_slots)
{
    smr_wordslot *slots = smr_alloc(ctx, n_slots, sizeof *slots);
    if (!slots) return SMR_ERR_NOMEM;
    smr_free(book->slots);
    book->slots = slots;
    book->n_slots = n_slots;
    for (int64_t w = 0; w < book->n; w++) {
        const char *bytes = (const char *)book->bytes + book->start[w];
        int32_t n = (int32_t)(book->start[w + 1] - book->start[w]);
        uint64_t hash = smr_word_hash(bytes, n);
        smr_wordslot *slot = slot_of(book, bytes, n, hash);
        if (!slot->word) *slot = slot_for(book, w, hash);
    }
    return SMR_OK;
}

static smr_status make_room(smr_ctx *ctx, smr_wordbook *book, int32_t more)
{
    smr_status st = SMR_OK;
    int64_t used = book->n ? book->own_start[book->n] : 0;
    if (book->n == INT32_MAX - 1 || used + more > UINT32_MAX)
        return smr_fail(
            ctx, SMR_ERR_DATA,
            "words: more than %d distinct words, or 4 GB of them; use hash=", INT32_MAX - 1);
    if (2 * (book->n + 1) > book->n_slots)
        TRY(rebuild(ctx, book, SMR_MAX(1024, 2 * book->n_slots)));
    if (book->n + 2 > book->start_room) {
        int64_t room = 2 * book->start_room + 512;
        int64_t *start = smr_realloc(ctx, book->own_start, room, sizeof *start);
        if (!start) return SMR_ERR_NOMEM;
        if (!book->own_start) start[0] = 0;
        book->start = book->own_start = start;
        book->start_room = room;
    }
    if (used + more > book->byte_room) {
        int64_t room = 2 * book->byte_room + more + 4096;
        uint8_t *bytes = smr_realloc(ctx, book->own_bytes, room, 1);
        if (!bytes) return SMR_ERR_NOMEM;
        book->bytes = book->own_bytes = bytes;
        book->byte_room = room;
    }
out:
    return st;
}

smr_status smr_wordbook_add(smr_ctx *ctx, smr_wordbook *book, const char *bytes, int32_t n,
                            int32_t *word)
{
    smr_status st = SMR_OK;
    uint64_t hash = smr_word_hash(bytes, n);
    *word = smr_wordbook_find(book, bytes, n, hash);
    if (*word >= 0) return SMR_OK;
    TRY(make_room(ctx, book, n));
    int64_t begin = book->own_start[book->n];
    memcpy(book->own_bytes + begin, bytes, (size_t)n);
    book->own_start[book->n + 1] = begin + n;
    *slot_of(book, bytes, n, hash) = slot_for(book, book->n, hash);
    *word = (int32_t)book->n++;
out:
    return st;
}

smr_status smr_wordbook_over(smr_ctx *ctx, int64_t n, const int64_t *start, const uint8_t *bytes,
                             smr_wordbook *out)
{
    int64_t n_slots = 64;
    if (start[n] > UINT32_MAX)
        return smr_fail(ctx, SMR_ERR_DATA, "words: more than 4 GB of words; use hash=");
    *out = (smr_wordbook){.n = n, .start = start, .bytes = bytes};
    while (n_slots < 2 * n) n_slots *= 2;
    return rebuild(ctx, out, n_slots);
}
