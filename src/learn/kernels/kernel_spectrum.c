/* kernel_spectrum.c -- words that two strings share: spectrum and wspectrum.
 *
 * Words of one length are numbered once, for all points; a string is then a sparse row of counts,
 * and K a product of two, exact as long as it is below 2^53.
 *
 * With mismatches, word x of s and y of t, which differ in h places, count for as many words as are
 * within m of both.  Such a word w keeps, of the k - h places where x and y agree, all but i, which
 * can be C(k-h, i) (A-1)^i ways with an alphabet of A symbols, and has in the other h places x in
 * p, y in q and neither in the rest:
 *
 *     N(h) = sum over i, p, q of C(k-h, i) (A-1)^i h! / (p! q! (h-p-q)!) (A-2)^(h-p-q),     (1)
 *     i + h - p <= m,   i + h - q <= m.
 *
 * It is 0 for h > 2 m.  A is the number of distinct bytes in the points.  Cost: for a pair of
 * strings their entries; with mismatches the product of their numbers of words. */
#include "learn/kernels/kernel_strings.h"

#include "core/sort.h"

#include <math.h>
#include <string.h>

enum { MOST_WORD = 64 };

/* ---- counts ----------------------------------------------------------------------------- */

/* Words that no point holds, of one string: where they were met first. */
struct strange {
    int32_t *at; /* mask + 1 places in a table; 0: free, else 1 + the place in `others` */
    uint64_t mask;
};

static uint64_t hash_of(const char *word, int64_t n)
{
    uint64_t h = 14695981039346656037u;
    for (int64_t i = 0; i < n; i++) h = (h ^ (unsigned char)word[i]) * 1099511628211u;
    return h ^ h >> 29;
}

/* The place of a word in others; new ones go to *n_others. */
static int32_t place_of(struct strange *t, const smr_spectra *own, const char *word,
                        int64_t *n_others)
{
    uint64_t h = hash_of(word, own->length) & t->mask;
    while (t->at[h] && memcmp(own->others[t->at[h] - 1], word, (size_t)own->length) != 0)
        h = (h + 1) & t->mask;
    if (!t->at[h]) {
        own->others[*n_others] = word;
        t->at[h] = (int32_t)++ * n_others;
    }
    return t->at[h] - 1;
}

/* Codes of the words of a string, in their order; *n of them.  known NULL: those of the points. */
static smr_status code_words(smr_ctx *ctx, const smr_piece *s, const smr_spectra *known,
                             smr_spectra *own, struct strange *t, uint64_t *code, int64_t *n,
                             int64_t *n_others)
{
    smr_status st = SMR_OK;
    *n = SMR_MAX(0, s->n - own->length + 1);
    if (known) memset(t->at, 0, (t->mask + 1) * sizeof *t->at);
    for (int64_t i = 0; i < *n; i++) {
        int32_t id = known ? smr_vocab_find(&known->words, s->at + i, own->length) : -1;
        if (!known)
            TRY(smr_vocab_add(ctx, &own->words, s->at + i, own->length, &id));
        else if (id < 0)
            id = (int32_t)known->words.strings.n + place_of(t, own, s->at + i, n_others);
        code[i] = (uint64_t)id;
    }
out:
    return st;
}

static smr_status open_counts(smr_ctx *ctx, const smr_text_set *set, const smr_spectra *known,
                              smr_spectra *own)
{
    smr_status st = SMR_OK;
    int64_t total = 0;
    for (int64_t i = 0; i < set->n; i++) total += SMR_MAX(0, set->piece[i].n - own->length + 1);
    TRY_TAKE(set->room, own->start, set->n + 1);
    TRY_TAKE(set->room, own->id, total + 1);
    TRY_TAKE(set->room, own->count, total + 1);
    if (known) TRY_TAKE(set->room, own->others, total + 1);
out:
    return st;
}

/* Counts of one length for all strings of a set; known: those of the points, or NULL. */
static smr_status count_words(smr_ctx *ctx, const smr_text_set *set, const smr_spectra *known,
                              smr_spectra *own)
{
    smr_status st = SMR_OK;
    uint64_t *code = NULL;
    struct strange t = {.mask = 15};
    int64_t at = 0, n, n_others = 0;
    TRY(open_counts(ctx, set, known, own));
    size_t used = set->room ? set->room->used : 0;
    while ((int64_t)t.mask < 2 * set->longest && known) t.mask = 2 * t.mask + 1;
    TRY_TAKE(set->room, code, 2 * set->longest + 1);
    TRY_TAKE(set->room, t.at, (int64_t)t.mask + 1);
    for (int64_t i = 0; i < set->n; i++) {
        TRY(code_words(ctx, &set->piece[i], known, own, &t, code, &n, &n_others));
        const uint64_t *sorted = smr_sort_keys(n, code, code + n);
        for (int64_t k = 0; k < n; k++) {
            bool again = k > 0 && sorted[k] == sorted[k - 1];
            if (!again) own->id[at++] = (int32_t)sorted[k];
            own->count[at - 1] += 1;
        }
        own->start[i + 1] = at;
        if (i % 1024 == 0) TRY(smr_tick(ctx, "words of texts", i, set->n, NAN));
    }
    smr_text_give(set->room, code);
    smr_text_give(set->room, t.at);
    smr_text_rewind(set->room, used);
    return SMR_OK;
out:
    smr_text_give(set->room, code);
    smr_text_give(set->room, t.at);
    return st;
}

/* b_k of wspectrum; of spectrum 1. */
static double weight_of(const smr_kernel_node *node, int64_t length)
{
    double l = (double)node->params->length;
    if (node->kind == SMR_KERNEL_SPECTRUM) return 1;
    return 2 * (l - (double)length + 1) / (l * (l + 1));
}

/* ---- mismatches ------------------------------------------------------------------------- */

/* The words of (1) with i changes outside the h places. */
static double count_words_of(const double *choose, int64_t h, int64_t m, int64_t i, double A)
{
    double sum = 0;
    int64_t low = SMR_MAX(0, i + h - m);
    for (int64_t p = low; p <= h; p++)
        for (int64_t q = low; p + q <= h; q++) {
            double ways = choose[h * (MOST_WORD + 1) + p] * choose[(h - p) * (MOST_WORD + 1) + q];
            for (int64_t t = 0; t < h - p - q; t++) ways *= A - 2;
            sum += ways;
        }
    return sum;
}

/* N(0) .. N(k) of (1). */
static void count_neighbours(int64_t k, int64_t m, int64_t symbols, double *N)
{
    double A = (double)SMR_MAX(symbols, 2), choose[MOST_WORD + 1][MOST_WORD + 1] = {{0}};
    for (int64_t n = 0; n <= k; n++)
        for (int64_t r = 0; r <= n; r++)
            choose[n][r] = r == 0 || r == n ? 1 : choose[n - 1][r - 1] + choose[n - 1][r];
    for (int64_t h = 0; h <= k; h++) {
        N[h] = 0;
        for (int64_t i = 0; i <= SMR_MIN(m, k - h) && h <= 2 * m; i++) {
            double ways = choose[k - h][i];
            for (int64_t t = 0; t < i; t++) ways *= A - 1;
            N[h] += ways * count_words_of(choose[0], h, m, i, A);
        }
    }
}

/* The bytes of a word by its id. */
static const char *word_at(const smr_spectra *known, const smr_spectra *own, int32_t id)
{
    int64_t n = known->words.strings.n, length;
    return id < n ? smr_strings_get(&known->words.strings, id, &length) : own->others[id - n];
}

struct near {
    const smr_spectra *known, *A, *B; /* words of all points, of either side */
    const double *N;
    int64_t k, most; /* differences past which N is 0 */
};

static double near_value(const struct near *x, int64_t a, int64_t b)
{
    double sum = 0;
    for (int64_t i = x->A->start[a]; i < x->A->start[a + 1]; i++) {
        const char *u = word_at(x->known, x->A, x->A->id[i]);
        double part = 0;
        for (int64_t j = x->B->start[b]; j < x->B->start[b + 1]; j++) {
            const char *v = word_at(x->known, x->B, x->B->id[j]);
            int64_t h = 0;
            for (int64_t c = 0; c < x->k && h <= x->most; c++) h += u[c] != v[c];
            if (h <= x->most) part += x->B->count[j] * x->N[h];
        }
        sum += x->A->count[i] * part;
    }
    return sum;
}

/* ---- values ----------------------------------------------------------------------------- */

static double square_sum(const smr_spectra *s, int64_t i)
{
    double sum = 0;
    for (int64_t e = s->start[i]; e < s->start[i + 1]; e++) sum += s->count[e] * s->count[e];
    return sum;
}

static bool allows_mismatch(const smr_kernel_node *node)
{
    return node->kind == SMR_KERNEL_SPECTRUM && node->params->mismatch > 0;
}

static struct near near_of(const smr_kernel_node *node, const smr_text_set *known, double *N)
{
    const struct smr_kernel_params *p = node->params;
    count_neighbours(p->k, p->mismatch, known->n_symbols, N);
    return (struct near){
        .known = known->spectra, .N = N, .k = p->k, .most = SMR_MIN(2 * p->mismatch, p->k)};
}

smr_status smr_spectrum_make(smr_ctx *ctx, const smr_kernel_node *node, const smr_text_set *known,
                             smr_text_set *set)
{
    smr_status st = SMR_OK;
    bool weighted = node->kind == SMR_KERNEL_WSPECTRUM;
    double N[MOST_WORD + 1];
    set->n_spectra = weighted ? node->params->length : 1;
    TRY_TAKE(set->room, set->spectra, set->n_spectra);
    for (int64_t k = 0; k < set->n_spectra; k++) {
        smr_spectra *own = &set->spectra[k];
        own->length = weighted ? k + 1 : node->params->k;
        TRY(count_words(ctx, set, known ? &known->spectra[k] : NULL, own));
        for (int64_t i = 0; i < set->n; i++)
            set->self[i] += weight_of(node, own->length) * square_sum(own, i);
    }
    if (!allows_mismatch(node)) return SMR_OK;
    struct near near = near_of(node, known ? known : set, N);
    near.A = near.B = set->spectra;
    for (int64_t i = 0; i < set->n; i++) {
        set->self[i] = near_value(&near, i, i);
        TRY(smr_tick(ctx, "words of texts", i, set->n, NAN));
    }
out:
    return st;
}

/* A row of counts lies open in `dense` while the columns run through it. */
static void add_products(const smr_text_tile *t, int64_t k, double *dense)
{
    const smr_spectra *A = &t->A->spectra[k], *B = &t->B->spectra[k];
    double weight = weight_of(t->node, B->length);
    int64_t n = B->words.strings.n;
    for (int64_t a = 0; a < t->m; a++) {
        int64_t row = t->row[a];
        for (int64_t e = A->start[row]; e < A->start[row + 1]; e++)
            if (A->id[e] < n) dense[A->id[e]] = A->count[e];
        for (int64_t b = 0; b < t->w; b++) {
            int64_t column = t->column[b];
            double sum = 0;
            if (t->lower && column > row) continue;
            for (int64_t e = B->start[column]; e < B->start[column + 1]; e++)
                sum += B->count[e] * dense[B->id[e]];
            t->out[a * t->ld + b] += weight * sum;
        }
        for (int64_t e = A->start[row]; e < A->start[row + 1]; e++)
            if (A->id[e] < n) dense[A->id[e]] = 0;
    }
}

smr_status smr_spectrum_values(smr_ctx *ctx, const smr_text_tile *t)
{
    smr_status st = SMR_OK;
    double *dense = NULL, N[MOST_WORD + 1];
    int64_t most = 0;
    for (int64_t a = 0; a < t->m; a++) memset(t->out + a * t->ld, 0, (size_t)t->w * sizeof(double));
    if (allows_mismatch(t->node)) {
        struct near near = near_of(t->node, t->B, N);
        near.A = t->A->spectra;
        near.B = t->B->spectra;
        for (int64_t a = 0; a < t->m; a++) {
            for (int64_t b = 0; b < t->w; b++)
                if (!t->lower || t->column[b] <= t->row[a])
                    t->out[a * t->ld + b] = near_value(&near, t->row[a], t->column[b]);
            TRY(smr_tick(ctx, NULL, 0, 0, NAN));
        }
        return SMR_OK;
    }
    for (int64_t k = 0; k < t->B->n_spectra; k++)
        most = SMR_MAX(most, t->B->spectra[k].words.strings.n);
    size_t used = t->room ? t->room->used : 0;
    TRY_TAKE(t->room, dense, most + 1);
    for (int64_t k = 0; k < t->B->n_spectra; k++) add_products(t, k, dense);
    smr_text_give(t->room, dense);
    smr_text_rewind(t->room, used);
out:
    return st;
}
