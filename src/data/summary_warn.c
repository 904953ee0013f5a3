/* summary_warn.c -- what looks wrong about a column, one sentence each.
 *
 *     constant          one distinct value
 *     mostly missing    more than half of the rows
 *     id-like           as many distinct values as rows, and strings or whole numbers; strings
 *                       from one half of the rows on
 *     many levels       a category with more than MANY_LEVELS that is not id-like
 *     skewed            |skewness| above STRONG_SKEW, finite values
 *     duplicate         equal to an earlier column, value for value
 *
 * Only columns whose counts, extremes and mean agree are compared value for value. */
#include "data/summary.h"

#include "core/text.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

enum { MANY_LEVELS = 100, FEW_ROWS = 20, LOOKED_AT = 200, WORDS_LEAST = 3 };
static const double STRONG_SKEW = 3;

struct warner {
    const smr_table *table;
    smr_summary *summary;
    int64_t room;
};

static bool is_coded(smr_kind kind)
{
    return kind == SMR_CATEGORY || kind == SMR_TEXT;
}

/* Takes over the text. */
static smr_status add(smr_ctx *ctx, struct warner *w, smr_text *text)
{
    smr_summary *s = w->summary;
    smr_status st = SMR_OK;
    TRY(smr_text_done(text));
    if (s->n_warnings == w->room) {
        int64_t room = 2 * w->room + 8;
        char **grown = smr_realloc(ctx, s->warnings, room, sizeof *grown);
        if (!grown) TRY(SMR_ERR_NOMEM);
        s->warnings = grown;
        w->room = room;
    }
    s->warnings[s->n_warnings++] = text->bytes;
    text->bytes = NULL;
out:
    smr_text_release(text);
    return st;
}

static double share(int64_t part, int64_t whole)
{
    return whole ? 100.0 * (double)part / (double)whole : 0;
}

static bool is_id_like(const smr_column_summary *s, int64_t n_rows)
{
    if (s->n_distinct < FEW_ROWS || s->kind == SMR_DATE) return false;
    if (is_coded(s->kind)) return 2 * s->n_distinct > n_rows;
    return s->is_whole && s->n_distinct == s->n && s->n_missing == 0;
}

/* Strings of several words each, most of them distinct: letters between blanks, three or more in
 * the mean. */
static bool is_text_like(const smr_column *c, const smr_column_summary *s, int64_t n_rows)
{
    if (!is_coded(s->kind) || s->n_distinct < FEW_ROWS || 2 * s->n_distinct <= n_rows) return false;
    int64_t words = 0, n = SMR_MIN(c->levels.n, LOOKED_AT);
    for (int64_t k = 0; k < n; k++) {
        int64_t length;
        bool within = false;
        const char *text = smr_strings_get(&c->levels, k, &length);
        for (int64_t i = 0; i < length; i++) {
            bool letter =
                (uint8_t)text[i] >= 0x80 || ((text[i] | 32) >= 'a' && (text[i] | 32) <= 'z');
            bool blank = text[i] == ' ' || text[i] == '\n' || text[i] == '\t' || text[i] == '\r';
            words += letter && !within;
            within = within ? !blank : letter;
        }
    }
    return words >= WORDS_LEAST * n;
}

static smr_status warn_values(smr_ctx *ctx, struct warner *w, int64_t j)
{
    smr_status st = SMR_OK;
    const smr_column_summary *s = &w->summary->columns[j];
    const char *name = w->table->cols[j].name;
    int64_t n_rows = w->summary->n_rows;
    smr_text text = {.ctx = ctx};
    if (s->n_distinct == 0) {
        smr_text_printf(&text, "column '%.100s' has no values at all", name);
        return add(ctx, w, &text);
    }
    if (s->n_distinct == 1 && n_rows > 1) {
        smr_text_printf(&text, "column '%.100s' is constant: it says nothing about the rows", name);
        TRY(add(ctx, w, &text));
    }
    if (2 * s->n_missing > n_rows) {
        smr_text_printf(&text, "column '%.100s' is missing in ", name);
        smr_text_rounded(&text, share(s->n_missing, n_rows), 3);
        smr_text_add(&text, " % of the rows");
        TRY(add(ctx, w, &text));
    }
    if (is_text_like(&w->table->cols[j], s, n_rows)) {
        smr_text_printf(
            &text,
            "column '%.100s' holds text: \"words '%.100s' | ...\" would read it; %" PRId64
            " of %" PRId64 " values are distinct",
            name, name, s->n_distinct, n_rows - s->n_missing);
        TRY(add(ctx, w, &text));
    } else if (!w->table->cols[j].names_rows && is_id_like(s, n_rows)) {
        smr_text_printf(&text,
                        "column '%.100s' looks like an identifier of the rows: %" PRId64
                        " distinct values in %" PRId64 " rows",
                        name, s->n_distinct, n_rows);
        TRY(add(ctx, w, &text));
    } else if (is_coded(s->kind) && s->n_distinct > MANY_LEVELS) {
        smr_text_printf(&text, "column '%.100s' has %" PRId64 " different levels", name,
                        s->n_distinct);
        TRY(add(ctx, w, &text));
    }
    if (s->kind == SMR_NUMBER && s->n_infinite) {
        smr_text_printf(&text, "column '%.100s' holds %" PRId64 " infinite value%s", name,
                        s->n_infinite, smr_plural(s->n_infinite, "", "s"));
        TRY(add(ctx, w, &text));
    } else if (s->kind == SMR_NUMBER && fabs(s->skewness) > STRONG_SKEW && s->n_distinct > 2) {
        smr_text_printf(&text, "column '%.100s' is strongly skewed (skewness ", name);
        smr_text_rounded(&text, s->skewness, 3);
        smr_text_printf(&text, "); the transforms %s and ranks may suit it better",
                        s->skewness > 0 ? "log" : "power");
        TRY(add(ctx, w, &text));
    }
out:
    return st;
}

/* ---- duplicates ------------------------------------------------------------------------- */

static bool same_number(double a, double b)
{
    return a == b || (isnan(a) && isnan(b));
}

static bool could_be_equal(const smr_column_summary *a, const smr_column_summary *b)
{
    return is_coded(a->kind) == is_coded(b->kind) && a->n == b->n &&
           a->n_distinct == b->n_distinct && same_number(a->min, b->min) &&
           same_number(a->max, b->max) && same_number(a->mean, b->mean) &&
           same_number(a->sd, b->sd) && same_number(a->median, b->median);
}

static bool same_level(const smr_column *a, int32_t code_a, const smr_column *b, int32_t code_b)
{
    if (code_a < 0 || code_b < 0) return code_a < 0 && code_b < 0;
    int64_t na, nb;
    const char *sa = smr_strings_get(&a->levels, code_a, &na);
    const char *sb = smr_strings_get(&b->levels, code_b, &nb);
    return na == nb && (na == 0 || !memcmp(sa, sb, (size_t)na));
}

static bool are_equal(const smr_column *a, const smr_column *b, int64_t n_rows)
{
    bool coded = is_coded(a->kind);
    for (int64_t i = 0; i < n_rows; i++) {
        bool same = coded ? same_level(a, smr_column_code(a, i), b, smr_column_code(b, i))
                          : same_number(smr_column_number(a, i), smr_column_number(b, i));
        if (!same) return false;
    }
    return true;
}

/* A word that equal columns share. */
static uint64_t print_of(const smr_column_summary *s)
{
    double parts[] = {s->mean, s->sd, s->median, (double)s->n, (double)s->n_distinct};
    uint64_t h = is_coded(s->kind), word;
    for (int64_t k = 0; k < SMR_COUNT(parts); k++) {
        double part = isnan(parts[k]) ? 0.5 : parts[k] + 0.0;
        memcpy(&word, &part, 8);
        h = (h ^ word) * 0x9e3779b97f4a7c15u;
        h ^= h >> 32;
    }
    return h;
}

/* The first earlier column that equals column j, or -1.  bucket: chains of columns by print. */
static int64_t find_equal(const struct warner *w, int64_t j, const int64_t *next, int64_t head)
{
    int64_t found = -1;
    const smr_summary *s = w->summary;
    for (int64_t k = head; k >= 0; k = next[k])
        if (could_be_equal(&s->columns[k], &s->columns[j]) &&
            are_equal(&w->table->cols[k], &w->table->cols[j], s->n_rows))
            found = k;
    return found;
}

static smr_status warn_duplicates(smr_ctx *ctx, struct warner *w)
{
    smr_status st = SMR_OK;
    int64_t n = w->summary->n_cols, n_buckets = 64;
    int64_t *head = NULL, *next = NULL;
    while (n_buckets < n) n_buckets *= 2;
    TRY_NEW(head, n_buckets);
    TRY_NEW(next, n);
    for (int64_t k = 0; k < n_buckets; k++) head[k] = -1;
    for (int64_t j = 0; j < n; j++) {
        const smr_column_summary *s = &w->summary->columns[j];
        if (s->n_distinct < 2) continue; /* constant: said already */
        int64_t b = (int64_t)(print_of(s) & (uint64_t)(n_buckets - 1));
        int64_t twin = find_equal(w, j, next, head[b]);
        if (twin >= 0) {
            smr_text text = {.ctx = ctx};
            smr_text_printf(&text, "column '%.100s' repeats column '%.100s'",
                            w->table->cols[j].name, w->table->cols[twin].name);
            TRY(add(ctx, w, &text));
            continue;
        }
        next[j] = head[b];
        head[b] = j;
    }
out:
    smr_free(next);
    smr_free(head);
    return st;
}

smr_status smr_summary_warn(smr_ctx *ctx, const smr_table *t, smr_summary *s)
{
    smr_status st = SMR_OK;
    struct warner w = {.table = t, .summary = s};
    for (int64_t j = 0; j < t->n_cols; j++) TRY(warn_values(ctx, &w, j));
    TRY(warn_duplicates(ctx, &w));
out:
    return st;
}
