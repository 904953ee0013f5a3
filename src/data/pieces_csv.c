/* pieces_csv.c -- CSV a piece at a time: the reader of csv.h, whose columns the warm-up settled,
 * over one piece of text after another.
 *
 * Strings keep the levels of their piece, in order: code that has a list of levels maps them. */
#include "data/pieces_private.h"

#include "core/text.h"

#include <inttypes.h>
#include <string.h>

/* ---- warm-up ------------------------------------------------------------------------------ */

/* Bytes of whole rows in text[0 .. n), which begins with a row. */
static int64_t whole_rows(const csv *r, const char *text, int64_t n)
{
    const smr_csv_syntax *x = &r->syntax;
    if (n == 0) return 0;
    if (!x->quote || !memchr(text, x->quote, (size_t)n)) {
        while (n > 0 && text[n - 1] != x->newline) n--;
        return n;
    }
    smr_csv_count c = {.start = SMR_CSV_AT_FIELD};
    r->kernels->count(x, text, n, &c);
    return c.last_end + 1;
}

int64_t smr_csv_cut(const smr_pieces *p)
{
    return whole_rows(&p->reader, p->text, p->n);
}

/* The columns' names, of which the table that was handed over has taken the last copy. */
static smr_status name_columns(smr_ctx *ctx, csv *r, const smr_table *like)
{
    smr_status st = SMR_OK;
    int64_t at = 0;
    for (int64_t j = 0; j < r->n_fields; j++) {
        column *c = &r->columns[j];
        if (!c->wanted) continue;
        c->name = smr_strdup(ctx, like->cols[at++].name);
        if (!c->name) TRY(SMR_ERR_NOMEM);
    }
out:
    return st;
}

static smr_status read_whole(smr_ctx *ctx, smr_pieces *p, int64_t n)
{
    smr_status st = SMR_OK;
    csv *r = &p->reader;
    TRY(smr_source_memory(ctx, smr_feed_name(p->feed), p->text, n, &r->source));
    r->size = n;
    TRY(smr_csv_whole(r));
out:
    smr_source_close(r->source);
    r->source = NULL;
    return st;
}

/* A warm-up whose bad rows are to be left out is read again without them. */
static smr_status read_without_bad(smr_ctx *ctx, smr_pieces *p, int64_t n)
{
    smr_status st = SMR_OK;
    csv *r = &p->reader;
    csv_good good;
    int64_t from = r->data_begin;
    p->warm_lines = smr_csv_lines(&r->syntax, p->text, n); /* of the text as it came */
    TRY(smr_csv_sift(ctx, p, from, n, r->data_line, &good));
    smr_csv_release(r);
    TRY(smr_csv_begin(ctx, smr_feed_name(p->feed), &p->opts.read, p->opts.limits, r));
    TRY(read_whole(ctx, p, from + good.n));
out:
    return st;
}

/* A warm-up with a bad row ends before it, if enough rows do: these are delivered, and the bad one
 * is reported when it comes.  *n: the bytes used; else `st` and its message stay. */
static smr_status read_until_bad(smr_ctx *ctx, smr_pieces *p, smr_status st, int64_t *n)
{
    csv *r = &p->reader;
    csv_good good;
    int64_t from = r->data_begin;
    smr_text said = {.ctx = ctx};
    smr_text_add(&said, smr_ctx_message(ctx));
    smr_begin(ctx);
    smr_status sifted = smr_csv_sift(ctx, p, from, *n, r->data_line, &good);
    if (sifted != SMR_OK || smr_text_done(&said) != SMR_OK) {
        st = sifted != SMR_OK ? sifted : SMR_ERR_NOMEM;
    } else if (good.bad_at < 0 ||
               smr_csv_lines(&r->syntax, p->text + from, good.n) < SMR_WARM_LEAST) {
        st = smr_fail(ctx, st, "%s", said.bytes);
    } else {
        smr_csv_release(r);
        st = smr_csv_begin(ctx, smr_feed_name(p->feed), &p->opts.read, p->opts.limits, r);
        if (st == SMR_OK) st = read_whole(ctx, p, from + good.n);
        p->warm_lines = good.bad_line - 1;
        *n = good.bad_at;
    }
    smr_text_release(&said);
    return st;
}

smr_status smr_csv_warm_up(smr_ctx *ctx, smr_pieces *p, int64_t n, bool ends, int64_t *used)
{
    smr_status st = SMR_OK;
    csv *r = &p->reader;
    *used = 0;
    smr_csv_release(r);
    TRY(smr_csv_begin(ctx, smr_feed_name(p->feed), &p->opts.read, p->opts.limits, r));
    if (!ends) { /* only whole rows are read: find the last one */
        TRY(smr_source_memory(ctx, smr_feed_name(p->feed), p->text, n, &r->source));
        r->size = n;
        st = smr_csv_sniff(r, true);
        smr_source_close(r->source);
        r->source = NULL;
        if (st != SMR_OK && n < r->limits.line_max) { /* the first row may end later */
            smr_begin(ctx);
            return SMR_OK;
        }
        if (st != SMR_OK) goto out;
        int64_t whole = whole_rows(r, p->text + r->data_begin, n - r->data_begin);
        if (whole == 0) return SMR_OK;
        n = r->data_begin + whole;
        smr_csv_release(r);
        TRY(smr_csv_begin(ctx, smr_feed_name(p->feed), &p->opts.read, p->opts.limits, r));
    }
    st = read_whole(ctx, p, n);
    if (p->opts.skip_bad && r->columns && (st == SMR_ERR_FORMAT || st == SMR_ERR_DATA)) {
        smr_begin(ctx);
        st = read_without_bad(ctx, p, n);
    } else if (r->columns && (st == SMR_ERR_FORMAT || st == SMR_ERR_DATA)) {
        st = read_until_bad(ctx, p, st, &n);
    }
    if (st != SMR_OK) goto out;
    if (!p->warm_lines) p->warm_lines = smr_csv_lines(&r->syntax, p->text, n);
    p->first = r->table;
    r->table = NULL;
    TRY(name_columns(ctx, r, p->first));
    for (int64_t j = 0; j < r->n_fields; j++) r->columns[j].forced = true; /* kinds are settled */
    *used = n;
out:
    return st;
}

/* ---- later pieces ------------------------------------------------------------------------- */

struct parsing {
    csv *r;
    meanwhile *m;
    smr_status met; /* what the work beside it returned */
};

/* Task 0 is what the caller does with the piece before; the others are parts of this one. */
static smr_status parse_task(smr_ctx *ctx, void *arg, int64_t task, int lane_number)
{
    struct parsing *job = arg;
    if (task == 0) return job->met = smr_meanwhile_run(ctx, job->m);
    return smr_csv_parse_piece(ctx, job->r, task - 1, lane_number);
}

static void forget_piece(csv *r)
{
    smr_free(r->pieces);
    r->pieces = NULL;
    r->n_pieces = 0;
    smr_table_free(r->table);
    r->table = NULL;
    for (int64_t j = 0; j < r->n_fields; j++) {
        smr_csv_free_levels(r, &r->columns[j]);
        r->columns[j].done = false;
        for (int i = 0; r->lanes && r->lanes[0].dicts && i < r->n_lanes; i++) {
            smr_dict_release(&r->lanes[i].dicts[j]);
            r->lanes[i].tally[j] = smr_csv_no_tally;
        }
    }
}

/* The text as a table, all rows or none.  *met: the work beside it failed, not the reading. */
static smr_status read_text(smr_ctx *ctx, csv *r, const char *text, int64_t n, int64_t line,
                            meanwhile *m, bool *met, smr_table **out)
{
    smr_status st = SMR_OK;
    struct parsing job = {.r = r, .m = m, .met = SMR_OK};
    bool plain, again;
    *out = NULL;
    *met = false;
    r->ctx = ctx;
    forget_piece(r);
    TRY(smr_source_memory(ctx, r->name, text, n, &r->source));
    r->size = n;
    r->data_begin = 0;
    r->data_line = line;
    TRY(smr_csv_count_rows(r, &plain));
    if (plain)
        TRY(smr_fail(ctx, SMR_ERR_FORMAT, "%s:%" PRId64 ": quotes that do not match", r->name,
                     r->stray_line));
    if (r->n_rows == 0) goto out;
    TRY(smr_csv_make_table(r));
    TRY(smr_csv_make_lanes(r));
    for (int64_t j = 0; j < r->n_fields; j++) r->hows[j] = smr_csv_how(&r->columns[j]);
    st = smr_parallel(ctx, NULL, r->n_pieces + 1, parse_task, &job);
    *met = job.met != SMR_OK;
    if (st != SMR_OK) goto out;
    smr_csv_gather(r);
    TRY(smr_csv_sort_levels(r));
    TRY(smr_csv_judge(r, &again));
    TRY(smr_csv_hand_over(r));
    *out = r->table;
    r->table = NULL;
    TRY(name_columns(ctx, r, *out));
    (*out)->source = smr_strdup(ctx, r->name);
    if (!(*out)->source) TRY(SMR_ERR_NOMEM);
out:
    smr_source_close(r->source);
    r->source = NULL;
    if (st != SMR_OK) {
        smr_table_free(*out);
        *out = NULL;
    }
    return st;
}

static bool is_about_rows(smr_status st)
{
    return st == SMR_ERR_FORMAT || st == SMR_ERR_DATA;
}

smr_status smr_csv_piece(smr_ctx *ctx, smr_pieces *p, int64_t n, meanwhile *m, smr_table **out)
{
    smr_status st = SMR_OK;
    csv *r = &p->reader;
    csv_good good;
    bool met;
    st = read_text(ctx, r, p->text, n, p->line, m, &met, out);
    if (st == SMR_OK || met || !is_about_rows(st)) return st;
    smr_begin(ctx);
    TRY(smr_csv_sift(ctx, p, 0, n, p->line, &good));
    if (good.bad_at >= 0)
        TRY(smr_pieces_refuse(ctx, p, p->text + good.bad_at, good.bad_n, good.bad_line));
    if (good.n > 0) TRY(read_text(ctx, r, p->text, good.n, p->line, m, &met, out));
out:
    return st;
}

smr_status smr_csv_tell_bad(smr_ctx *ctx, smr_pieces *p)
{
    smr_status st = SMR_OK;
    csv *r = &p->reader;
    smr_table *table = NULL;
    meanwhile nothing = {0};
    bool met, again, other;
    TRY(smr_csv_is_header(ctx, p, p->bad, p->n_bad, &again, &other));
    if (again)
        TRY(smr_fail(ctx, SMR_ERR_FORMAT,
                     "%s:%" PRId64 ": the header occurs again; a stream has one, at its beginning: "
                     "remove this line, or add --bad skip",
                     r->name, p->bad_line));
    if (other)
        TRY(smr_fail(ctx, SMR_ERR_FORMAT,
                     "%s:%" PRId64
                     ": another header comes here ('%s'); the columns of a stream must stay the "
                     "same: begin a new stream with --from MODEL, or add --bad skip",
                     r->name, p->bad_line,
                     smr_excerpt(p->bad, p->n_bad - (p->bad[p->n_bad - 1] == r->syntax.newline),
                                 (char[SMR_EXCERPT_MAX]){0})));
    TRY(read_text(ctx, r, p->bad, p->n_bad, p->bad_line, &nothing, &met, &table));
    st = smr_fail(ctx, SMR_ERR_FORMAT, "%s:%" PRId64 ": the row does not fit the columns", r->name,
                  p->bad_line);
out:
    smr_table_free(table);
    return st;
}
