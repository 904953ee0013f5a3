/* pieces_libsvm.c -- LIBSVM a piece at a time: whole lines, each a row of its own.
 *
 * The warm-up settles how many features there are; a feature that comes later with a larger number
 * is delivered, and left out by code that learned from the warm-up. */
#include "data/formats.h"
#include "data/libsvm.h"
#include "data/pieces_private.h"

#include <inttypes.h>
#include <string.h>

int64_t smr_libsvm_cut(const smr_pieces *p)
{
    int64_t n = p->n;
    while (n > 0 && p->text[n - 1] != '\n') n--;
    return n;
}

static smr_status make_table(smr_ctx *ctx, const smr_pieces *p, smr_libsvm_rows *r, smr_table **out)
{
    smr_status st = SMR_OK;
    smr_table *t = NULL;
    TRY(smr_table_new(ctx, r->n_rows, 1, &t));
    TRY(smr_libsvm_give_column(ctx, t, 0, "label", &r->label));
    int64_t n_cols = SMR_MAX(r->n_cols, p->n_features);
    if (n_cols > 0) {
        t->sparse = (smr_csr){.n_rows = r->n_rows,
                              .n_cols = n_cols,
                              .start = r->start,
                              .column = r->column,
                              .value = r->value};
        r->start = NULL;
        r->column = NULL;
        r->value = NULL;
    }
    t->source = smr_strdup(ctx, smr_feed_name(p->feed));
    if (!t->source) TRY(SMR_ERR_NOMEM);
    *out = t;
    t = NULL;
out:
    smr_table_free(t);
    return st;
}

static smr_status read_lines(smr_ctx *ctx, const smr_pieces *p, const char *text, int64_t n,
                             int64_t line, smr_table **out)
{
    smr_status st = SMR_OK;
    smr_libsvm_rows rows = {0};
    *out = NULL;
    TRY(smr_libsvm_parse(ctx, NULL, text, n, smr_feed_name(p->feed), line, &rows));
    if (rows.n_rows > 0) TRY(make_table(ctx, p, &rows, out));
out:
    smr_libsvm_release(&rows);
    return st;
}

/* As smr_csv_sift, line by line: *good bytes are left. */
static smr_status sift_lines(smr_ctx *ctx, smr_pieces *p, int64_t n, int64_t line, int64_t *good)
{
    smr_status st = SMR_OK;
    *good = 0;
    for (int64_t at = 0; at < n; line++) {
        const char *newline = memchr(p->text + at, '\n', (size_t)(n - at));
        int64_t next = newline ? newline - p->text + 1 : n;
        smr_table *one = NULL;
        st = read_lines(ctx, p, p->text + at, next - at, line, &one);
        smr_table_free(one);
        if (st == SMR_OK) {
            memmove(p->text + *good, p->text + at, (size_t)(next - at));
            *good += next - at;
        } else if (st != SMR_ERR_FORMAT && st != SMR_ERR_DATA) {
            break;
        } else {
            smr_begin(ctx);
            st = SMR_OK;
            if (!p->opts.skip_bad) {
                st = smr_pieces_refuse(ctx, p, p->text + at, next - at, line);
                break;
            }
            smr_pieces_count_skipped(p, line);
        }
        at = next;
    }
    return st;
}

smr_status smr_libsvm_warm_up(smr_ctx *ctx, smr_pieces *p, int64_t n, bool ends, int64_t *used)
{
    smr_status st = SMR_OK;
    int64_t whole = n, good;
    while (!ends && whole > 0 && p->text[whole - 1] != '\n') whole--;
    *used = 0;
    if (whole == 0) return SMR_OK;
    for (int64_t i = 0; i < whole; i++) p->warm_lines += p->text[i] == '\n';
    st = read_lines(ctx, p, p->text, whole, 1, &p->first);
    if (p->opts.skip_bad && (st == SMR_ERR_FORMAT || st == SMR_ERR_DATA)) {
        smr_begin(ctx);
        TRY(sift_lines(ctx, p, whole, 1, &good));
        TRY(read_lines(ctx, p, p->text, good, 1, &p->first));
    }
    if (st != SMR_OK) goto out;
    if (!p->first)
        TRY(smr_fail(ctx, SMR_ERR_FORMAT, "%s: no rows; a LIBSVM line is 'label index:value ...'",
                     smr_feed_name(p->feed)));
    TRY(smr_table_apply_rules(ctx, p->first, &p->opts.read));
    p->n_features = p->first->sparse.n_cols;
    *used = whole;
out:
    return st;
}

struct reading {
    smr_pieces *p;
    int64_t n;
    meanwhile *m;
    smr_status met;
    smr_table *table;
};

static smr_status read_task(smr_ctx *ctx, void *arg, int64_t task, int lane_number)
{
    struct reading *job = arg;
    (void)lane_number;
    if (task == 0) return job->met = smr_meanwhile_run(ctx, job->m);
    return read_lines(ctx, job->p, job->p->text, job->n, job->p->line, &job->table);
}

smr_status smr_libsvm_piece(smr_ctx *ctx, smr_pieces *p, int64_t n, meanwhile *m, smr_table **out)
{
    smr_status st = SMR_OK;
    struct reading job = {.p = p, .n = n, .m = m, .met = SMR_OK};
    int64_t good;
    st = smr_parallel(ctx, NULL, 2, read_task, &job);
    if (job.met == SMR_OK && (st == SMR_ERR_FORMAT || st == SMR_ERR_DATA)) {
        smr_begin(ctx);
        TRY(sift_lines(ctx, p, n, p->line, &good));
        if (good > 0) TRY(read_lines(ctx, p, p->text, good, p->line, &job.table));
    }
    if (st != SMR_OK) goto out;
    if (job.table) TRY(smr_table_apply_rules(ctx, job.table, &p->opts.read));
    *out = job.table;
    job.table = NULL;
out:
    smr_table_free(job.table);
    return st;
}

smr_status smr_libsvm_tell_bad(smr_ctx *ctx, smr_pieces *p)
{
    smr_table *table = NULL;
    smr_status st = read_lines(ctx, p, p->bad, p->n_bad, p->bad_line, &table);
    smr_table_free(table);
    return st != SMR_OK ? st
                        : smr_fail(ctx, SMR_ERR_FORMAT, "%s:%" PRId64 ": the row does not fit",
                                   smr_feed_name(p->feed), p->bad_line);
}
