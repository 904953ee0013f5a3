/* check_csv.h -- tables from text in memory, for the tests of the CSV reader. */
#ifndef SMR_TESTS_CHECK_CSV_H
#define SMR_TESTS_CHECK_CSV_H

#include "check.h"

#include "data/csv.h"

static const smr_read_opts detect = {.header = -1};
static const smr_csv_limits usual = {.piece = 256 << 10, .line_max = 64 << 20, .tier = -1};

static inline smr_status read_bytes(smr_ctx *ctx, const char *text, int64_t n,
                                    const smr_read_opts *opts, const smr_csv_limits *limits,
                                    smr_table **out)
{
    smr_source *s = NULL;
    *out = NULL;
    smr_status st = smr_source_memory(ctx, "t.csv", text, n, &s);
    if (st == SMR_OK) st = smr_csv_read_limited(ctx, s, opts, limits, out);
    smr_source_close(s);
    return st;
}

static inline smr_status read_text(smr_ctx *ctx, const char *text, const smr_read_opts *opts,
                                   smr_table **out)
{
    return read_bytes(ctx, text, (int64_t)strlen(text), opts, &usual, out);
}

static inline smr_table *table_of(smr_ctx *ctx, const char *text)
{
    smr_table *t;
    check_ok(ctx, read_text(ctx, text, &detect, &t));
    return t;
}

/* The string of a cell of a category column; NULL when missing.  In a buffer that the next call
 * reuses. */
static inline const char *cell(const smr_table *t, int64_t j, int64_t i)
{
    static char text[4096];
    int64_t n;
    assert_true(t->cols[j].kind == SMR_CATEGORY || t->cols[j].kind == SMR_TEXT);
    int32_t code = smr_column_code(&t->cols[j], i);
    if (code < 0) return NULL;
    assert_true(code < t->cols[j].levels.n);
    const char *bytes = smr_strings_get(&t->cols[j].levels, code, &n);
    assert_true(n < (int64_t)sizeof text);
    memcpy(text, bytes, (size_t)n);
    text[n] = '\0';
    return text;
}

static inline double number(const smr_table *t, int64_t j, int64_t i)
{
    assert_true(t->cols[j].kind == SMR_NUMBER || t->cols[j].kind == SMR_DATE);
    return smr_column_number(&t->cols[j], i);
}

#define check_cell(t, j, i, wanted)                                                  \
    do {                                                                             \
        const char *got_ = cell(t, j, i);                                            \
        if (!got_ || strcmp(got_, (wanted)))                                         \
            fail_msg("row %d, column %d: got '%s', wanted '%s'", (int)(i), (int)(j), \
                     got_ ? got_ : "(missing)", (wanted));                           \
    } while (0)

#define check_note(t, part)                                                                       \
    do {                                                                                          \
        if (!strstr((t)->notes, (part))) fail_msg("notes without '%s':\n%s", (part), (t)->notes); \
    } while (0)

#endif
