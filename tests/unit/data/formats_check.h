/* formats_check.h -- reading from strings, files in a temporary folder, and tables compared. */
#ifndef SMR_TESTS_FORMATS_CHECK_H
#define SMR_TESTS_FORMATS_CHECK_H

#include "check.h"
#include "data/formats.h"

#include <unistd.h>

typedef smr_status (*read_fn)(smr_ctx *, smr_source *, const smr_read_opts *, smr_table **);

/* Reads n bytes with one reader; the messages name the file "in". */
static inline smr_status read_bytes(smr_ctx *ctx, read_fn fn, const char *bytes, int64_t n,
                                    smr_table **out)
{
    smr_source *source = NULL;
    *out = NULL;
    smr_status st = smr_source_memory(ctx, "in", bytes, n, &source);
    if (st == SMR_OK) st = fn(ctx, source, NULL, out);
    smr_source_close(source);
    return st;
}

static inline smr_status read_text(smr_ctx *ctx, read_fn fn, const char *text, smr_table **out)
{
    return read_bytes(ctx, fn, text, (int64_t)strlen(text), out);
}

/* Reading fails at every single allocation without a leak, and then succeeds. */
static inline void check_survives_failing_memory(read_fn fn, const char *bytes, int64_t n)
{
    for (int64_t k = 0;; k++) {
        smr_ctx *ctx = check_ctx(1);
        smr_table *t = NULL;
        smr_memory_fail_at(ctx, k);
        smr_status st = read_bytes(ctx, fn, bytes, n, &t);
        if (st != SMR_OK) {
            assert_int_equal(st, SMR_ERR_NOMEM);
            assert_null(t);
        }
        smr_table_free(t);
        check_ctx_end(ctx);
        if (st == SMR_OK) break;
        assert_true(k < 10000);
    }
}

/* A folder that is removed at the end. */
struct folder {
    char path[64];
};

static inline struct folder folder_make(void)
{
    struct folder f = {"/tmp/samara-test-XXXXXX"};
    assert_non_null(mkdtemp(f.path));
    return f;
}

static inline const char *folder_file(const struct folder *f, const char *name)
{
    static char path[4][160];
    static int next;
    char *p = path[next++ % 4];
    snprintf(p, sizeof path[0], "%s/%s", f->path, name);
    return p;
}

static inline void folder_write(const struct folder *f, const char *name, const void *bytes,
                                size_t n)
{
    FILE *file = fopen(folder_file(f, name), "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, n, file), n);
    assert_int_equal(fclose(file), 0);
}

static inline void folder_remove(const struct folder *f)
{
    char command[128];
    snprintf(command, sizeof command, "rm -r '%s'", f->path);
    assert_int_equal(system(command), 0);
}

/* ---- comparing ---- */

static inline void check_same_strings(const smr_strings *a, const smr_strings *b)
{
    assert_int_equal(a->n, b->n);
    for (int64_t k = 0; k < a->n; k++) {
        int64_t na, nb;
        const char *sa = smr_strings_get(a, k, &na), *sb = smr_strings_get(b, k, &nb);
        assert_int_equal(na, nb);
        assert_memory_equal(sa, sb, (size_t)na);
    }
}

static inline uint64_t bits_of(double x)
{
    uint64_t u;
    memcpy(&u, &x, 8);
    return isnan(x) ? 1 : u;
}

/* Columns hold the same, bit for bit; the storage may differ. */
static inline void check_same_column(const smr_column *a, const smr_column *b, int64_t n)
{
    assert_string_equal(a->name, b->name);
    assert_int_equal(a->kind, b->kind);
    assert_int_equal(a->n_missing, b->n_missing);
    bool coded = a->kind == SMR_CATEGORY || a->kind == SMR_TEXT;
    if (coded) check_same_strings(&a->levels, &b->levels);
    if (a->kind == SMR_DATE) assert_int_equal(a->has_time, b->has_time);
    for (int64_t i = 0; i < n; i++) {
        if (coded ? smr_column_code(a, i) != smr_column_code(b, i)
                  : bits_of(smr_column_number(a, i)) != bits_of(smr_column_number(b, i)))
            fail_msg("column %s, row %d: %.17g is not %.17g", a->name, (int)i,
                     smr_column_number(a, i), smr_column_number(b, i));
    }
}

static inline void check_same_table(const smr_table *a, const smr_table *b)
{
    assert_int_equal(a->n_rows, b->n_rows);
    assert_int_equal(a->n_cols, b->n_cols);
    for (int64_t j = 0; j < a->n_cols; j++) check_same_column(&a->cols[j], &b->cols[j], a->n_rows);
    assert_int_equal(a->sparse.n_cols, b->sparse.n_cols);
    if (!a->sparse.n_cols) return;
    int64_t n = a->sparse.start[a->n_rows];
    assert_memory_equal(a->sparse.start, b->sparse.start,
                        (size_t)(a->n_rows + 1) * sizeof(int64_t));
    assert_memory_equal(a->sparse.column, b->sparse.column, (size_t)n * sizeof(int32_t));
    for (int64_t e = 0; e < n; e++)
        assert_true(bits_of(a->sparse.value[e]) == bits_of(b->sparse.value[e]));
}

static inline void check_level(const smr_column *c, int64_t k, const char *want)
{
    int64_t n;
    const char *s = smr_strings_get(&c->levels, k, &n);
    assert_int_equal(n, strlen(want));
    assert_memory_equal(s, want, (size_t)n);
}

#endif
