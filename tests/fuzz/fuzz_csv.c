/* Fuzzes the CSV reader: no crash, no leak, no memory that the input does not justify, and the same
 * answer (status, message, table) however the text is cut, by any number of threads, in any tier.
 *
 * The first byte chooses the options, the rest is the file. */
#include "core/parallel.h"
#include "data/csv.h"
#include "kernel/csv_kernels.h"

#include <math.h>
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

struct answer {
    smr_status status;
    char message[SMR_MESSAGE_MAX];
    smr_table *table;
    smr_ctx *ctx;
};

static struct answer answer_of(const char *text, int64_t n, const smr_read_opts *opts,
                               smr_csv_limits limits, int n_threads)
{
    struct answer a = {0};
    smr_source *s = NULL;
    smr_ctx_opts ctx_opts = {
        .size = sizeof ctx_opts, .n_threads = n_threads, .memory_limit = INT64_C(1) << 28};
    require(smr_ctx_create(&ctx_opts, &a.ctx) == SMR_OK, "a context");
    require(smr_source_memory(a.ctx, "fuzz", text, n, &s) == SMR_OK, "a source");
    a.status = smr_csv_read_limited(a.ctx, s, opts, &limits, &a.table);
    snprintf(a.message, sizeof a.message, "%s", smr_ctx_message(a.ctx));
    require((a.status == SMR_OK) == (a.table != NULL), "a table or a failure");
    require(a.status != SMR_ERR_INTERNAL, a.message);
    require(a.status != SMR_ERR_NOMEM, "memory that the input justifies");
    require(a.status == SMR_OK || a.message[0], "a message");
    smr_source_close(s);
    return a;
}

static void require_same_column(const smr_column *p, const smr_column *q, int64_t n_rows)
{
    require(!strcmp(p->name, q->name), "same names");
    require(p->kind == q->kind && p->dtype == q->dtype, "same kinds");
    require(p->n_missing == q->n_missing && p->n_unseen == q->n_unseen, "same missing");
    require(p->has_time == q->has_time, "same times");
    require(!memcmp(p->values, q->values, (size_t)n_rows * smr_dtype_size(p->dtype)),
            "same values");
    require(p->levels.n == q->levels.n, "same levels");
    int64_t missing = 0;
    for (int64_t i = 0; i < n_rows; i++)
        missing += p->dtype == SMR_F64 ? isnan(smr_column_number(p, i)) : smr_column_code(p, i) < 0;
    require(missing == p->n_missing + p->n_unseen, "a right count of missing values");
    if (p->levels.n)
        require(!memcmp(p->levels.bytes, q->levels.bytes, (size_t)p->levels.start[p->levels.n]),
                "same strings");
}

static void require_same(const struct answer *a, const struct answer *b)
{
    if (a->status != b->status || strcmp(a->message, b->message))
        fprintf(stderr, "%d '%s'\n%d '%s'\n", (int)a->status, a->message, (int)b->status,
                b->message);
    require(a->status == b->status && !strcmp(a->message, b->message), "same status and message");
    if (!a->table) return;
    require(a->table->n_rows == b->table->n_rows && a->table->n_cols == b->table->n_cols,
            "same size");
    require(!strcmp(a->table->notes, b->table->notes), "same notes");
    for (int64_t j = 0; j < a->table->n_cols; j++)
        require_same_column(&a->table->cols[j], &b->table->cols[j], a->table->n_rows);
}

static void release(struct answer *a)
{
    smr_table_free(a->table);
    smr_pool_destroy(a->ctx);
    require(smr_ctx_memory(a->ctx, NULL) == 0, "nothing held");
    smr_ctx_destroy(a->ctx);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < 1 || size > 1 << 16) return 0;
    uint8_t choice = data[0];
    const char *text = (const char *)data + 1;
    int64_t n = (int64_t)size - 1;
    static const char delimiters[] = {0, 0, ',', ' '};
    static const char decimals[] = {0, ',', '.', 0};
    int64_t start[] = {0, 1, 3};
    char bytes[] = "abc";
    smr_strings levels = {.n = 2, .start = start, .bytes = bytes};
    smr_column_rule rules[] = {{.name = "#0", .kind = SMR_NUMBER},
                               {.name = "#-1", .kind = SMR_CATEGORY, .levels = &levels}};
    smr_read_opts opts = {.header = choice % 3 - 1,
                          .delimiter = delimiters[choice >> 2 & 3],
                          .decimal = decimals[choice >> 2 & 3],
                          .missing = choice & 16 ? "-9,x" : NULL,
                          .rules = rules,
                          .n_rules = choice >> 5 & 3 ? (choice >> 5 & 3) - 1 : 0};
    smr_csv_limits whole = {.piece = 1 << 18, .line_max = 1 << 17, .tier = -1};
    struct answer first = answer_of(text, n, &opts, whole, 1);
    for (int k = 0; k < 3; k++) {
        static const int64_t cuts[] = {1, 7, 64};
        if (n > 4096 && k == 0) continue;
        smr_csv_limits cut = {.piece = cuts[k], .line_max = 1 << 17, .tier = 0};
        while (cut.tier < k && smr_csv_kernels_tier(cut.tier + 1)) cut.tier++;
        struct answer other = answer_of(text, n, &opts, cut, k == 2 && choice & 128 ? 2 : 1);
        require_same(&first, &other);
        release(&other);
    }
    release(&first);
    return 0;
}
