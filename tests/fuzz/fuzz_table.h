/* fuzz_table.h -- what every reader's fuzz target does: reads the bytes, and if they are a table,
 * looks at every value, compares the two ways of hashing, and summarizes. */
#ifndef SMR_TESTS_FUZZ_TABLE_H
#define SMR_TESTS_FUZZ_TABLE_H

#include "core/parallel.h"
#include "data/formats.h"
#include "data/hash.h"
#include "data/summary.h"

#include <stdlib.h>

typedef smr_status (*fuzz_read_fn)(smr_ctx *, smr_source *, const smr_read_opts *, smr_table **);

#define FUZZ_CHECK(claim)      \
    do {                       \
        if (!(claim)) abort(); \
    } while (0)

/* What the header files promise of a table. */
static inline void fuzz_check_table(const smr_table *t)
{
    FUZZ_CHECK(t->n_rows >= 1 && t->source && t->notes);
    for (int64_t j = 0; j < t->n_cols; j++) {
        const smr_column *c = &t->cols[j];
        int64_t missing = 0;
        FUZZ_CHECK(c->name && c->stride >= 1);
        for (int64_t i = 0; i < t->n_rows; i++) {
            if (c->kind == SMR_CATEGORY || c->kind == SMR_TEXT) {
                int32_t code = smr_column_code(c, i);
                FUZZ_CHECK(code >= -1 && code < c->levels.n);
                missing += code < 0;
            } else {
                double x = smr_column_number(c, i);
                missing += x != x;
            }
        }
        FUZZ_CHECK(missing == c->n_missing);
    }
    const smr_csr *x = &t->sparse;
    if (!x->n_cols) return;
    FUZZ_CHECK(x->n_rows == t->n_rows && x->start[0] == 0);
    for (int64_t i = 0; i < t->n_rows; i++) {
        FUZZ_CHECK(x->start[i + 1] >= x->start[i]);
        for (int64_t e = x->start[i]; e < x->start[i + 1]; e++) {
            FUZZ_CHECK(x->column[e] >= 0 && x->column[e] < x->n_cols);
            FUZZ_CHECK(e == x->start[i] || x->column[e] > x->column[e - 1]);
        }
    }
}

static inline int fuzz_reader(fuzz_read_fn fn, const uint8_t *data, size_t size)
{
    smr_ctx *ctx = NULL;
    smr_source *source = NULL;
    smr_table *t = NULL;
    smr_summary *summary = NULL;
    smr_ctx_opts opts = {.size = sizeof opts, .n_threads = 1, .memory_limit = 256 << 20};
    FUZZ_CHECK(smr_ctx_create(&opts, &ctx) == SMR_OK);
    FUZZ_CHECK(smr_source_memory(ctx, "fuzz", (const char *)data, (int64_t)size, &source) ==
               SMR_OK);
    smr_status st = fn(ctx, source, NULL, &t);
    FUZZ_CHECK((st == SMR_OK) == (t != NULL));
    FUZZ_CHECK((st == SMR_OK) == (smr_ctx_message(ctx)[0] == '\0'));
    if (t) {
        uint64_t h[2], plain[2];
        fuzz_check_table(t);
        FUZZ_CHECK(smr_table_hash(ctx, t, h) == SMR_OK);
        FUZZ_CHECK(smr_table_hash_plain(ctx, t, plain) == SMR_OK);
        FUZZ_CHECK(h[0] == plain[0] && h[1] == plain[1]);
        if (t->sparse.n_cols < 1 << 20) (void)smr_table_summarize(ctx, t, NULL, &summary);
        (void)smr_table_check_names(ctx, t);
    }
    smr_summary_free(summary);
    smr_table_free(t);
    smr_source_close(source);
    smr_pool_destroy(ctx);
    FUZZ_CHECK(smr_ctx_memory(ctx, NULL) == 0);
    smr_ctx_destroy(ctx);
    return 0;
}

#endif
