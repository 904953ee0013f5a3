/* Fuzzes the piecewise reader: no crash, no leak; the same rows and the same end (status, message,
 * bad rows) however the stream is cut and by any number of threads; and where the whole file is
 * read in the same manner (delimiter, header, quotes, kinds), the pieces put together are its
 * table.
 *
 * The first byte chooses the options, the rest is the stream. */
#include "core/parallel.h"
#include "core/text.h"
#include "data/pieces.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool holds, const char *what)
{
    if (holds) return;
    fprintf(stderr, "violated: %s\n", what);
    abort();
}

struct told {
    smr_status status;
    char message[SMR_MESSAGE_MAX];
    smr_text head, rows; /* names and kinds; every cell       */
    char manner[512];    /* delimiter, header, quotes         */
    int64_t n_skipped;
    smr_ctx *ctx;
};

static smr_ctx *make_ctx(int n_threads)
{
    smr_ctx *ctx = NULL;
    smr_ctx_opts opts = {
        .size = sizeof opts, .n_threads = n_threads, .memory_limit = INT64_C(1) << 28};
    require(smr_ctx_create(&opts, &ctx) == SMR_OK, "a context");
    return ctx;
}

static void tell_head(const smr_table *t, struct told *out)
{
    const char *end = t->notes ? strstr(t->notes, "columns:") : NULL;
    if (end) snprintf(out->manner, sizeof out->manner, "%.*s", (int)(end - t->notes), t->notes);
    for (int64_t j = 0; j < t->n_cols; j++)
        smr_text_printf(&out->head, "%s/%d ", t->cols[j].name, (int)t->cols[j].kind);
}

static void tell_rows(const smr_table *t, struct told *out)
{
    for (int64_t i = 0; i < t->n_rows; i++)
        for (int64_t j = 0; j < t->n_cols; j++) {
            const smr_column *c = &t->cols[j];
            int64_t n;
            if (c->kind == SMR_NUMBER || c->kind == SMR_DATE) {
                smr_text_number(&out->rows, smr_column_number(c, i));
            } else if (smr_column_code(c, i) >= 0) {
                require(smr_column_code(c, i) < c->levels.n, "a code of a level");
                const char *s = smr_strings_get(&c->levels, smr_column_code(c, i), &n);
                smr_text_printf(&out->rows, "%lld:", (long long)n);
                smr_text_add_bytes(&out->rows, s, n);
            } else
                smr_text_add(&out->rows, "?");
            smr_text_add(&out->rows, j + 1 < t->n_cols ? "," : "\n");
        }
}

static void end(struct told *out)
{
    snprintf(out->message, sizeof out->message, "%s", smr_ctx_message(out->ctx));
    require(out->status != SMR_ERR_INTERNAL, out->message);
    require(out->status != SMR_ERR_NOMEM, "memory that the input justifies");
    require(out->status == SMR_OK || out->message[0], "a message");
    require(smr_text_done(&out->rows) == SMR_OK, "room");
}

static struct told in_pieces(const char *text, int64_t n, smr_pieces_opts opts, int64_t step,
                             int n_threads)
{
    struct told t = {.ctx = make_ctx(n_threads)};
    smr_feed *feed = NULL;
    smr_pieces *p = NULL;
    smr_table *table = NULL;
    t.head.ctx = t.rows.ctx = t.ctx;
    require(smr_feed_memory(t.ctx, "fuzz", text, n, step, &feed) == SMR_OK, "a feed");
    t.status = smr_pieces_of(t.ctx, feed, NULL, &opts, &p);
    for (bool first = true; t.status == SMR_OK; first = false) {
        t.status = smr_pieces_next(t.ctx, p, NULL, NULL, &table);
        if (!table) break;
        require(table->n_rows > 0, "a piece has rows");
        if (first) tell_head(table, &t);
        tell_rows(table, &t);
        smr_table_free(table);
        table = NULL;
    }
    if (p) t.n_skipped = smr_pieces_skipped(p, NULL);
    smr_pieces_close(p);
    end(&t);
    return t;
}

static struct told whole(const char *text, int64_t n, const smr_read_opts *opts)
{
    struct told t = {.ctx = make_ctx(1)};
    smr_source *s = NULL;
    smr_table *table = NULL;
    t.head.ctx = t.rows.ctx = t.ctx;
    require(smr_source_memory(t.ctx, "fuzz", text, n, &s) == SMR_OK, "a source");
    t.status = smr_csv_read(t.ctx, s, opts, &table);
    if (table) {
        tell_head(table, &t);
        tell_rows(table, &t);
    }
    smr_table_free(table);
    smr_source_close(s);
    end(&t);
    return t;
}

static bool same_text(const smr_text *a, const smr_text *b)
{
    return a->length == b->length && (!a->length || !memcmp(a->bytes, b->bytes, (size_t)a->length));
}

static void release(struct told *t)
{
    smr_text_release(&t->head);
    smr_text_release(&t->rows);
    smr_pool_destroy(t->ctx);
    require(smr_ctx_memory(t->ctx, NULL) == 0, "nothing held");
    smr_ctx_destroy(t->ctx);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < 1 || size > 1 << 15) return 0;
    uint8_t choice = data[0];
    const char *text = (const char *)data + 1;
    int64_t n = (int64_t)size - 1;
    smr_pieces_opts opts = {.read = {.format = SMR_FORMAT_CSV, .header = choice % 3 - 1},
                            .warm_rows = 1 + (choice >> 2 & 7),
                            .piece_bytes = 1 << 16,
                            .skip_bad = choice & 32};
    struct told first = in_pieces(text, n, opts, 0, 1);
    opts.piece_bytes = 1 + (choice >> 6) * 20;
    struct told other = in_pieces(text, n, opts, 1 + choice % 5, choice & 128 ? 2 : 1);
    if (first.status != other.status || strcmp(first.message, other.message))
        fprintf(stderr, "%d '%s'\n%d '%s'\n", (int)first.status, first.message, (int)other.status,
                other.message);
    require(first.status == other.status && !strcmp(first.message, other.message), "the same end");
    require(first.n_skipped == other.n_skipped, "the same bad rows");
    require(same_text(&first.head, &other.head), "the same columns");
    require(same_text(&first.rows, &other.rows), "the same rows");
    struct told all = whole(text, n, &opts.read);
    bool alike = first.status == SMR_OK && all.status == SMR_OK && first.n_skipped == 0 &&
                 same_text(&first.head, &all.head) && !strcmp(first.manner, all.manner);
    if (alike) require(same_text(&first.rows, &all.rows), "the rows of the whole file");
    release(&all);
    release(&other);
    release(&first);
    return 0;
}
