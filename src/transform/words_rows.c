/* words_rows.c -- rows of word counts: see words.h.
 *
 * The numbers of a text's words are collected after the finished entries of the output itself,
 * sorted, and run together; so a row costs nothing that grows with the vocabulary. */
#include "kernel/kernel.h"
#include "transform/words.h"

#include <string.h>

/* ---- texts -------------------------------------------------------------------------------- */

/* Input j of row i, in a dense or a sparse block. */
static double input_at(const smr_rows *rows, int64_t i, int64_t j)
{
    if (rows->form != SMR_FORM_SPARSE) return ((const double *)rows->x)[i * rows->stride + j];
    for (int64_t e = rows->start[i]; e < rows->start[i + 1] && rows->column[e] <= j; e++)
        if (rows->column[e] == j) return rows->value[e];
    return 0;
}

const char *smr_words_text(const struct smr_words_state *s, const smr_rows *rows, int64_t i,
                           int64_t k, int64_t *length)
{
    if (s->text[k] >= rows->n_texts) return NULL;
    const smr_strings *strings = rows->texts[s->text[k]];
    double code = input_at(rows, i, s->text_input[k]);
    if (!(code >= 0 && code < (double)strings->n)) return NULL;
    return smr_strings_get(strings, (int64_t)code, length);
}

/* ---- numbers in order --------------------------------------------------------------------- */

static void insert_sort(uint32_t *a, int64_t n)
{
    for (int64_t i = 1; i < n; i++) {
        uint32_t x = a[i];
        int64_t j = i;
        for (; j > 0 && a[j - 1] > x; j--) a[j] = a[j - 1];
        a[j] = x;
    }
}

/* By bytes, from the lowest: as many passes as the largest number has bytes. */
static void radix_sort(uint32_t *a, uint32_t *spare, int64_t n)
{
    uint32_t all = 0, *from = a, *to = spare;
    for (int64_t i = 0; i < n; i++) all |= a[i];
    for (int shift = 0; shift < 32 && all >> shift; shift += 8) {
        int64_t at[257] = {0};
        for (int64_t i = 0; i < n; i++) at[(from[i] >> shift & 255) + 1]++;
        for (int b = 0; b < 256; b++) at[b + 1] += at[b];
        for (int64_t i = 0; i < n; i++) to[at[from[i] >> shift & 255]++] = from[i];
        uint32_t *swap = from;
        from = to;
        to = swap;
    }
    if (from != a) memcpy(a, from, (size_t)n * sizeof *a);
}

/* ---- one text ----------------------------------------------------------------------------- */

/* The numbers of its n-grams, after the finished entries.  With hash: twice the bucket, plus 1
 * where the sign is negative. */
static smr_status collect(smr_ctx *ctx, const struct smr_words_params *p,
                          const struct smr_words_state *s, int64_t k, const char *text,
                          int64_t length, smr_entries *out, int64_t *n)
{
    smr_status st = SMR_OK;
    smr_tokens walk;
    const char *gram;
    int32_t bytes;
    int64_t m = 0, room = out->room - out->n - 1;
    smr_tokens_begin(&walk, &s->rule, text, length);
    while (smr_tokens_next(&walk, &gram, &bytes)) {
        uint64_t hash = smr_word_hash(gram, bytes);
        int64_t word = p->hash ? 2 * smr_words_bucket(hash, p->hash) + (int64_t)(hash & 1)
                               : smr_wordbook_find(&s->books[k], gram, bytes, hash);
        if (word < 0) continue;
        if (m >= room) {
            TRY(smr_entries_reserve(ctx, out, 2 * m + 64));
            room = out->room - out->n - 1;
        }
        out->column[out->n + m++] = (int32_t)word;
    }
    *n = m;
out:
    return st;
}

/* Runs equal numbers together: entries from out->n on, as plain counts; their number. */
static int64_t run_together(const struct smr_words_params *p, int64_t n, int64_t offset,
                            smr_entries *out)
{
    uint32_t *a = (uint32_t *)(out->column + out->n);
    double *value = out->value + out->n;
    int64_t m = 0;
    if (n > 48)
        radix_sort(a, (uint32_t *)(void *)value, n);
    else
        insert_sort(a, n);
    for (int64_t i = 0; i < n;) {
        uint32_t word = p->hash ? a[i] / 2 : a[i];
        double count = 0;
        for (; i < n && (p->hash ? a[i] / 2 : a[i]) == word; i++)
            count += p->hash && a[i] % 2 ? -1 : 1;
        if (count == 0) continue; /* signs that cancel */
        out->column[out->n + m] = (int32_t)(word + offset);
        value[m++] = count;
    }
    return m;
}

static double weighed(const struct smr_words_params *p, const struct smr_words_state *s,
                      double count, double all, int64_t word)
{
    switch (p->weight) {
    case SMR_WEIGHT_BINARY: return 1;
    case SMR_WEIGHT_TF: return count / all;
    case SMR_WEIGHT_LOG: return copysign(1 + smr_log(fabs(count)), count);
    case SMR_WEIGHT_TFIDF: return count * s->idf[word];
    default: return count;
    }
}

static void normalize(const struct smr_words_params *p, double *value, int64_t m)
{
    bool l1 = p->norm == SMR_NORM_L1;
    double sum = 0;
    if (p->norm == SMR_NORM_NONE || (p->norm == SMR_NORM_AUTO && p->weight != SMR_WEIGHT_TFIDF))
        return;
    for (int64_t i = 0; i < m; i++) sum += l1 ? fabs(value[i]) : value[i] * value[i];
    double length = l1 ? sum : sqrt(sum);
    for (int64_t i = 0; i < m; i++) value[i] /= length;
}

static smr_status append_text(smr_ctx *ctx, const struct smr_words_params *p,
                              const struct smr_words_state *s, int64_t k, const char *text,
                              int64_t length, smr_entries *out)
{
    smr_status st = SMR_OK;
    int64_t n = 0, offset = s->n_kept + s->first[k];
    TRY(collect(ctx, p, s, k, text, length, out, &n));
    int64_t m = run_together(p, n, offset, out);
    double *value = out->value + out->n;
    for (int64_t i = 0; i < m; i++)
        value[i] = weighed(p, s, value[i], (double)n, out->column[out->n + i] - s->n_kept);
    normalize(p, value, m);
    out->n += m;
out:
    return st;
}

/* ---- rows --------------------------------------------------------------------------------- */

/* What is not text passes through, before the words. */
static smr_status append_kept(smr_ctx *ctx, const struct smr_words_state *s, const smr_rows *rows,
                              int64_t i, smr_entries *out)
{
    smr_status st = SMR_OK;
    if (rows->form != SMR_FORM_SPARSE) {
        const double *x = (const double *)rows->x + i * rows->stride;
        TRY(smr_entries_reserve(ctx, out, s->n_kept));
        for (int64_t j = 0; j < s->n_kept; j++) smr_entries_add(out, j, x[s->kept[j]]);
        return SMR_OK;
    }
    TRY(smr_entries_reserve(ctx, out, rows->start[i + 1] - rows->start[i]));
    int64_t j = 0;
    for (int64_t e = rows->start[i]; e < rows->start[i + 1]; e++) {
        while (j < s->n_kept && s->kept[j] < rows->column[e]) j++;
        if (j < s->n_kept && s->kept[j] == rows->column[e]) smr_entries_add(out, j, rows->value[e]);
    }
out:
    return st;
}

smr_status smr_words_append(smr_ctx *ctx, const void *params_, const void *state_,
                            const smr_rows *rows, smr_entries *out, void *scratch)
{
    const struct smr_words_params *p = params_;
    const struct smr_words_state *s = state_;
    smr_status st = SMR_OK;
    (void)scratch;
    for (int64_t i = 0; i < rows->n; i++) {
        TRY(append_kept(ctx, s, rows, i, out));
        for (int64_t k = 0; k < s->n_texts; k++) {
            int64_t length = 0;
            const char *text = smr_words_text(s, rows, i, k, &length);
            if (text) TRY(append_text(ctx, p, s, k, text, length, out));
        }
        smr_entries_end_row(out);
    }
out:
    return st;
}

smr_status smr_words_predict(smr_ctx *ctx, const void *params_, const void *state_,
                             const smr_rows *rows, smr_output output, double *out, void *scratch)
{
    const struct smr_words_state *s = state_;
    smr_status st = SMR_OK;
    smr_entries e = {0};
    int64_t d = s->n_kept + s->n_words;
    (void)output;
    TRY(smr_entries_begin(ctx, &e, rows->n));
    TRY(smr_words_append(ctx, params_, state_, rows, &e, scratch));
    memset(out, 0, (size_t)(rows->n * d) * sizeof *out);
    for (int64_t i = 0; i < rows->n; i++)
        for (int64_t at = e.start[i]; at < e.start[i + 1]; at++)
            out[i * d + e.column[at]] = e.value[at];
out:
    smr_entries_release(&e);
    return st;
}
