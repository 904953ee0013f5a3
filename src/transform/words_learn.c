/* words_learn.c -- the vocabulary of the training texts: see words.h.
 *
 * The rows are cut into at most CHUNKS chunks, whose words are counted side by side and put
 * together in the chunks' order; which words stay depends on the sums alone, and they are sorted
 * bytewise: the same vocabulary at any thread count. */
#include "core/parallel.h"
#include "core/sort.h"
#include "transform/words.h"

#include <string.h>

enum { CHUNKS = 16, BLOCK = 256 };

struct tally {
    double count;     /* how often the word was met, weighted */
    double documents; /* weight of the rows that hold it      */
    int64_t last;     /* the last such row, plus 1            */
};

struct book {
    smr_wordbook words;
    struct tally *tally;
    int64_t room;
};

struct learning {
    const struct smr_words_params *params;
    const struct smr_words_state *state;
    const smr_data *data;
    int64_t chunk;      /* rows                                */
    struct book *books; /* chunks x n_texts                    */
};

static void release_book(struct book *b)
{
    smr_wordbook_release(&b->words);
    smr_free(b->tally);
    *b = (struct book){0};
}

static smr_status tally_of(smr_ctx *ctx, struct book *b, const char *bytes, int32_t n,
                           struct tally **out)
{
    smr_status st = SMR_OK;
    int32_t word = 0;
    int64_t before = b->words.n;
    TRY(smr_wordbook_add(ctx, &b->words, bytes, n, &word));
    if (b->words.n > b->room) {
        int64_t room = 2 * b->room + 512;
        struct tally *more = smr_realloc(ctx, b->tally, room, sizeof *more);
        if (!more) return SMR_ERR_NOMEM;
        b->tally = more;
        b->room = room;
    }
    *out = &b->tally[word];
    if (b->words.n > before) **out = (struct tally){0};
out:
    return st;
}

/* ---- counting ----------------------------------------------------------------------------- */

static smr_status count_text(smr_ctx *ctx, const struct learning *l, struct book *b, int64_t row,
                             const char *text, int64_t length)
{
    smr_status st = SMR_OK;
    double w = smr_data_weight(l->data, row);
    smr_tokens walk;
    const char *gram;
    int32_t bytes;
    smr_tokens_begin(&walk, &l->state->rule, text, length);
    while (smr_tokens_next(&walk, &gram, &bytes)) {
        struct tally *t;
        TRY(tally_of(ctx, b, gram, bytes, &t));
        t->count += w;
        if (t->last == row + 1) continue;
        t->documents += w;
        t->last = row + 1;
    }
out:
    return st;
}

static smr_status count_chunk(smr_ctx *ctx, void *arg, int64_t c, int lane)
{
    const struct learning *l = arg;
    smr_status st = SMR_OK;
    smr_reader *reader = NULL;
    int64_t hi = smr_block_end(l->data->n_rows, l->chunk, c), n_texts = l->state->n_texts;
    smr_form form = smr_data_is_sparse(l->data) ? SMR_FORM_SPARSE : SMR_FORM_F64;
    (void)lane;
    TRY(smr_reader_open(ctx, l->data, form, BLOCK, &reader));
    for (int64_t lo = c * l->chunk; lo < hi; lo += BLOCK) {
        smr_rows rows;
        TRY(smr_reader_rows(ctx, reader, lo, SMR_MIN(hi, lo + BLOCK), &rows));
        for (int64_t i = 0; i < rows.n; i++)
            for (int64_t k = 0; k < n_texts; k++) {
                int64_t length = 0;
                const char *text = smr_words_text(l->state, &rows, i, k, &length);
                if (text) TRY(count_text(ctx, l, &l->books[c * n_texts + k], lo + i, text, length));
            }
    }
out:
    smr_reader_close(reader);
    return st;
}

/* Adds the words of `from`, which is released, to `to`. */
static smr_status join(smr_ctx *ctx, struct book *from, struct book *to)
{
    smr_status st = SMR_OK;
    for (int64_t w = 0; w < from->words.n; w++) {
        struct tally *t;
        int64_t begin = from->words.start[w];
        TRY(tally_of(ctx, to, (const char *)from->words.bytes + begin,
                     (int32_t)(from->words.start[w + 1] - begin), &t));
        t->count += from->tally[w].count;
        t->documents += from->tally[w].documents;
    }
    release_book(from);
out:
    return st;
}

/* ---- choosing ----------------------------------------------------------------------------- */

/* Words by their bytes: 8 of them first, as a number. */
struct order {
    const struct book *book;
    const int64_t *word; /* of the candidates */
    const uint64_t *key;
};

static int compare_words(const void *items, int64_t a, int64_t b)
{
    const struct order *o = items;
    const smr_wordbook *w = &o->book->words;
    if (o->key[a] != o->key[b]) return o->key[a] < o->key[b] ? -1 : 1;
    int64_t at = w->start[o->word[a]], bt = w->start[o->word[b]];
    int64_t an = w->start[o->word[a] + 1] - at, bn = w->start[o->word[b] + 1] - bt;
    int order = memcmp(w->bytes + at, w->bytes + bt, (size_t)SMR_MIN(an, bn));
    return order ? order : (an > bn) - (an < bn);
}

static uint64_t key_of(const smr_wordbook *w, int64_t word)
{
    uint64_t key = 0;
    int64_t begin = w->start[word], n = w->start[word + 1] - begin;
    for (int64_t i = 0; i < 8; i++) key = key << 8 | (i < n ? w->bytes[begin + i] : 0);
    return key;
}

/* word[0..*n): sorted bytewise. */
static smr_status sort_words(smr_ctx *ctx, const struct book *b, int64_t n, int64_t *word)
{
    smr_status st = SMR_OK;
    int64_t *order = NULL, *sorted = NULL;
    uint64_t *key = NULL;
    TRY_NEW(order, n + 1);
    TRY_NEW(sorted, n + 1);
    TRY_NEW(key, n + 1);
    for (int64_t i = 0; i < n; i++) key[i] = key_of(&b->words, word[i]);
    struct order items = {.book = b, .word = word, .key = key};
    TRY(smr_argsort(ctx, n, compare_words, &items, order));
    for (int64_t i = 0; i < n; i++) sorted[i] = word[order[i]];
    memcpy(word, sorted, (size_t)n * sizeof *word);
out:
    smr_free(order);
    smr_free(sorted);
    smr_free(key);
    return st;
}

/* The `most` of the sorted words that are met most often; among equals the earlier. */
static smr_status keep_frequent(smr_ctx *ctx, const struct book *b, int64_t most, int64_t *word,
                                int64_t *n)
{
    smr_status st = SMR_OK;
    double *rarity = NULL;
    int64_t *order = NULL, at = 0;
    bool *keep = NULL;
    if (most == 0 || *n <= most) return SMR_OK;
    TRY_NEW(rarity, *n);
    TRY_NEW(order, *n);
    TRY_NEW(keep, *n);
    for (int64_t i = 0; i < *n; i++) rarity[i] = -b->tally[word[i]].count;
    TRY(smr_argsort_f64(ctx, *n, rarity, order));
    for (int64_t r = 0; r < most; r++) keep[order[r]] = true;
    for (int64_t i = 0; i < *n; i++)
        if (keep[i]) word[at++] = word[i];
    *n = at;
out:
    smr_free(rarity);
    smr_free(order);
    smr_free(keep);
    return st;
}

static smr_status choose(smr_ctx *ctx, const struct learning *l, const struct book *b,
                         int64_t **words, int64_t *n)
{
    const struct smr_words_params *p = l->params;
    smr_status st = SMR_OK;
    double most = p->max_share * l->state->rows * (1 + 1e-12), least = (double)p->min_count;
    int64_t *word = NULL, m = 0;
    TRY_NEW(word, b->words.n + 1);
    for (int64_t w = 0; w < b->words.n; w++)
        if (b->tally[w].documents >= least * (1 - 1e-12) && b->tally[w].documents <= most)
            word[m++] = w;
    TRY(sort_words(ctx, b, m, word));
    TRY(keep_frequent(ctx, b, p->max_features, word, &m));
    *words = word;
    *n = m;
    word = NULL;
out:
    smr_free(word);
    return st;
}

/* ---- the state ---------------------------------------------------------------------------- */

static smr_status fail_empty(smr_ctx *ctx, const struct learning *l, int64_t met)
{
    const struct smr_words_params *p = l->params;
    if (met == 0)
        return smr_fail(
            ctx, SMR_ERR_DATA, "words: the texts of the training rows hold no %s at all%s",
            p->unit == SMR_UNIT_WORD ? "word" : "character", *p->stop ? " but stop words" : "");
    return smr_fail(ctx, SMR_ERR_DATA,
                    "words: none of the %lld distinct words is left: min_count=%lld and max_share "
                    "leave none; lower the one, raise the other",
                    (long long)met, (long long)p->min_count);
}

/* Copies the chosen words of all texts, one text after another. */
static smr_status keep_words(smr_ctx *ctx, const struct learning *l, int64_t *const *words,
                             struct smr_words_state *s)
{
    smr_status st = SMR_OK;
    for (int64_t k = 0; k < s->n_texts; k++)
        for (int64_t i = 0; i < s->first[k + 1] - s->first[k]; i++) {
            const smr_wordbook *b = &l->books[k].words;
            s->n_bytes += b->start[words[k][i] + 1] - b->start[words[k][i]];
        }
    s->n_starts = s->n_words + 1;
    TRY_NEW(s->start, s->n_starts);
    TRY_NEW(s->bytes, s->n_bytes);
    TRY_NEW(s->documents, s->n_words);
    TRY_NEW(s->counts, s->n_words);
    for (int64_t k = 0; k < s->n_texts; k++) {
        const struct book *b = &l->books[k];
        for (int64_t w = s->first[k]; w < s->first[k + 1]; w++) {
            int64_t from = words[k][w - s->first[k]], begin = b->words.start[from];
            int64_t n = b->words.start[from + 1] - begin;
            memcpy(s->bytes + s->start[w], b->words.bytes + begin, (size_t)n);
            s->start[w + 1] = s->start[w] + n;
            s->documents[w] = b->tally[from].documents;
            s->counts[w] = b->tally[from].count;
        }
    }
out:
    return st;
}

static smr_status learn_words(smr_ctx *ctx, struct learning *l, struct smr_words_state *s)
{
    smr_status st = SMR_OK;
    int64_t n = l->data->n_rows, met = 0, chunks = 0, **words = NULL;
    l->chunk = SMR_MAX(BLOCK, smr_block_count(n, CHUNKS));
    chunks = smr_block_count(n, l->chunk);
    TRY_NEW(l->books, chunks * s->n_texts + 1);
    TRY_NEW(words, s->n_texts);
    TRY(smr_parallel(ctx, "counting words", chunks, count_chunk, l));
    for (int64_t b = s->n_texts; b < chunks * s->n_texts; b++)
        TRY(join(ctx, &l->books[b], &l->books[b % s->n_texts]));
    for (int64_t k = 0; k < s->n_texts; k++) {
        int64_t kept = 0;
        met += l->books[k].words.n;
        TRY(choose(ctx, l, &l->books[k], &words[k], &kept));
        s->first[k + 1] = s->first[k] + kept;
    }
    s->n_words = s->first[s->n_texts];
    st = s->n_words ? keep_words(ctx, l, words, s) : fail_empty(ctx, l, met);
out:
    for (int64_t b = 0; l->books && b < chunks * s->n_texts; b++) release_book(&l->books[b]);
    for (int64_t k = 0; words && k < s->n_texts; k++) smr_free(words[k]);
    smr_free(l->books);
    smr_free(words);
    return st;
}

/* ---- buckets ------------------------------------------------------------------------------ */

/* Weight of the rows that reach each bucket: one thread, in the order of the rows. */
static smr_status count_buckets(smr_ctx *ctx, const struct learning *l, struct smr_words_state *s)
{
    smr_status st = SMR_OK;
    smr_reader *reader = NULL;
    smr_entries e = {0};
    struct smr_words_params plain = *l->params;
    smr_form form = smr_data_is_sparse(l->data) ? SMR_FORM_SPARSE : SMR_FORM_F64;
    plain.weight = SMR_WEIGHT_COUNT;
    plain.norm = SMR_NORM_NONE;
    TRY_NEW(s->documents, s->n_words);
    TRY(smr_reader_open(ctx, l->data, form, BLOCK, &reader));
    for (int64_t lo = 0; lo < l->data->n_rows; lo += BLOCK) {
        smr_rows rows;
        TRY(smr_tick(ctx, "counting words", lo, l->data->n_rows, NAN));
        TRY(smr_reader_rows(ctx, reader, lo, SMR_MIN(l->data->n_rows, lo + BLOCK), &rows));
        TRY(smr_entries_begin(ctx, &e, rows.n));
        TRY(smr_words_append(ctx, &plain, s, &rows, &e, NULL));
        for (int64_t i = 0; i < rows.n; i++)
            for (int64_t at = e.start[i]; at < e.start[i + 1]; at++)
                if (e.column[at] >= s->n_kept)
                    s->documents[e.column[at] - s->n_kept] += smr_data_weight(l->data, lo + i);
    }
out:
    smr_entries_release(&e);
    smr_reader_close(reader);
    return st;
}

smr_status smr_words_learn(smr_ctx *ctx, const struct smr_words_params *p, const smr_data *data,
                           struct smr_words_state *s)
{
    struct learning l = {.params = p, .state = s, .data = data};
    s->rows = 0;
    for (int64_t i = 0; i < data->n_rows; i++) s->rows += smr_data_weight(data, i);
    if (!p->hash) return learn_words(ctx, &l, s);
    return p->weight == SMR_WEIGHT_TFIDF ? count_buckets(ctx, &l, s) : SMR_OK;
}
