/* csv_count.c -- pass 1: where the rows are.
 *
 * Each piece is counted on its own, as if it began outside quotes.  Going through the pieces in
 * order then shows where each really begins; a piece for which that made a difference is counted
 * again.  Quoted text brings itself into step at the next field, so this is seldom more than the
 * pieces whose beginning lies within quotes, and these are counted in parallel, two rounds of it;
 * what is still wrong after that is counted one by one. */
#include "data/csv_private.h"

#include <inttypes.h>
#include <stdio.h>

enum { PARALLEL_ROUNDS = 2 };

/* Where piece p begins and ends in the file. */
static int64_t piece_begin(const csv *r, int64_t p)
{
    return r->data_begin + p * r->limits.piece;
}

static int64_t piece_end(const csv *r, int64_t p)
{
    return SMR_MIN(r->size, piece_begin(r, p + 1));
}

struct counting {
    csv *r;
    const int64_t *which; /* pieces to count; NULL: all */
};

static smr_status count_piece(smr_ctx *ctx, void *arg, int64_t task, int lane_number)
{
    const struct counting *job = arg;
    csv *r = job->r;
    int64_t p = job->which ? job->which[task] : task;
    int64_t begin = piece_begin(r, p), n = piece_end(r, p) - begin;
    char *text = r->lanes[lane_number].text;
    smr_status st = smr_source_read_at(ctx, r->source, begin, text, n);
    if (st != SMR_OK) return st;
    r->kernels->count(&r->syntax, text, n, &r->pieces[p].count);
    return SMR_OK;
}

/* True when the piece was counted from a place that gives the same as `place`. */
static bool counted_from(const smr_csv_count *c, smr_csv_place place)
{
    if (c->start == place) return true;
    bool outside = place == SMR_CSV_AT_FIELD || place == SMR_CSV_IN_FIELD;
    bool counted_outside = c->start == SMR_CSV_AT_FIELD || c->start == SMR_CSV_IN_FIELD;
    return outside && counted_outside && !c->used_start;
}

/* A piece without a quote that lies in quotes as a whole is known without looking again. */
static bool lies_in_quotes(smr_csv_count *c, smr_csv_place place)
{
    if (c->has_quotes || place != SMR_CSV_IN_QUOTES || c->start == SMR_CSV_IN_QUOTES) return false;
    c->start = c->stop = SMR_CSV_IN_QUOTES;
    c->n_rows = c->n_ends = c->lines_to_last_end = 0;
    c->first_end = c->last_end = c->stray_at = -1;
    c->has_content = true;
    c->first_blank = false;
    return true;
}

/* Pieces that were counted from a wrong place, given the others' ends; sets their starts. */
static int64_t list_wrong(csv *r, int64_t from, int64_t most, int64_t *which)
{
    int64_t n = 0;
    smr_csv_place place = from ? r->pieces[from - 1].count.stop : SMR_CSV_AT_FIELD;
    for (int64_t p = from; p < r->n_pieces && n < most; p++) {
        smr_csv_count *c = &r->pieces[p].count;
        if (!counted_from(c, place) && !lies_in_quotes(c, place)) {
            c->start = place;
            which[n++] = p;
        }
        place = c->stop;
    }
    return n;
}

static smr_status count_all(csv *r)
{
    smr_status st = SMR_OK;
    smr_ctx *ctx = r->ctx;
    int64_t *which = NULL;
    struct counting job = {.r = r};
    TRY_NEW(which, r->n_pieces);
    for (int64_t p = 0; p < r->n_pieces; p++)
        r->pieces[p].count.start = p ? SMR_CSV_IN_FIELD : SMR_CSV_AT_FIELD;
    TRY(smr_parallel(ctx, "counting rows", r->n_pieces, count_piece, &job));
    job.which = which;
    for (int round = 0; round < PARALLEL_ROUNDS; round++) {
        int64_t n = list_wrong(r, 0, r->n_pieces, which);
        TRY(smr_parallel(ctx, "counting rows", n, count_piece, &job));
    }
    for (int64_t from = 0; list_wrong(r, from, 1, which) > 0; from = which[0])
        TRY(count_piece(ctx, &job, 0, 0));
out:
    smr_free(which);
    return st;
}

/* ---- putting the pieces together ---------------------------------------------------------- */

static const char *size_in_words(int64_t bytes, char out[32])
{
    int64_t mega = bytes >> 20;
    snprintf(out, 32, "%" PRId64 " %s", mega ? mega : bytes, mega ? "MiB" : "bytes");
    return out;
}

struct walk {
    int64_t line;      /* of the piece's first byte                                 */
    int64_t row_begin; /* the first byte of the row that is going on, and its line  */
    int64_t row_line;
    int64_t open_line; /* of the quote that is open, if one is                      */
    bool has_content;  /* the row that is going on is not blank                     */
};

/* True when the row that is going on passes the limit in piece p; *in_quotes: a quote is open. */
static bool is_too_long(const csv *r, const struct walk *w, int64_t p, bool *in_quotes)
{
    const smr_csv_count *c = &r->pieces[p].count;
    int64_t reach = c->first_end >= 0 ? piece_begin(r, p) + c->first_end : piece_end(r, p);
    *in_quotes = c->first_end < 0 && c->stop == SMR_CSV_IN_QUOTES;
    return reach - w->row_begin > r->limits.line_max;
}

static smr_status fail_long_row(const csv *r, const struct walk *w, bool in_quotes)
{
    char size[32];
    size_in_words(r->limits.line_max, size);
    if (in_quotes)
        return smr_fail(r->ctx, SMR_ERR_FORMAT,
                        "%s:%" PRId64 ": the quote that opens here is not closed within %s; close "
                        "it, or write a quote that belongs to the text twice",
                        r->name, w->open_line, size);
    return smr_fail(r->ctx, SMR_ERR_FORMAT,
                    "%s:%" PRId64 ": the line is longer than %s, the most that is read; is this a "
                    "table?",
                    r->name, w->row_line, size);
}

smr_status smr_csv_fail_nul(const csv *r, int64_t line)
{
    return smr_fail(r->ctx, SMR_ERR_FORMAT,
                    "%s:%" PRId64 ": holds a NUL byte, which no text has; it may be UTF-16 (write "
                    "it as UTF-8) or binary",
                    r->name, line);
}

/* Where piece p's rows are, and how the walk goes on after it. */
static void place_piece(csv *r, int64_t p, struct walk *w)
{
    piece *q = &r->pieces[p];
    const smr_csv_count *c = &q->count;
    bool completes = c->n_ends > 0 && c->first_blank && w->has_content;
    q->begin = q->end = w->row_begin;
    q->first_line = w->row_line;
    q->first_row = r->n_rows;
    q->n_rows = c->n_rows + completes;
    q->plain = q->n_rows == c->n_ends;
    r->n_rows += q->n_rows;
    if (c->n_ends > 0) {
        w->row_begin = q->end = piece_begin(r, p) + c->last_end + 1;
        w->row_line = w->line + c->lines_to_last_end;
        w->has_content = c->has_content;
    } else
        w->has_content |= c->has_content;
    w->line += c->n_lines;
    if (p == r->n_pieces - 1) { /* the file's end ends a row as well */
        q->end = r->size;
        q->plain &= w->has_content || w->row_begin == r->size;
        q->n_rows += w->has_content;
        r->n_rows += w->has_content;
    }
    r->max_piece = SMR_MAX(r->max_piece, q->end - q->begin);
}

static smr_status fail_stray(const csv *r, int64_t line)
{
    return smr_fail(r->ctx, SMR_ERR_FORMAT,
                    "%s:%" PRId64 ": text follows the closing quote of a field; write a quote that "
                    "belongs to a quoted field's text twice",
                    r->name, line);
}

static smr_status fail_unclosed(const csv *r, int64_t line)
{
    return smr_fail(r->ctx, SMR_ERR_FORMAT,
                    "%s:%" PRId64
                    ": the quote that opens here is never closed; close it, or write a "
                    "quote that belongs to the text twice",
                    r->name, line);
}

/* What pass 1 found wrong, in the order of the file; *with_quotes: a rule of quotes is broken, on
 * r->stray_line. */
static smr_status join_pieces(csv *r, bool *with_quotes)
{
    struct walk w = {.line = r->data_line, .row_begin = r->data_begin, .row_line = r->data_line};
    *with_quotes = true;
    r->n_rows = r->max_piece = 0;
    for (int64_t p = 0; p < r->n_pieces; p++) {
        const smr_csv_count *c = &r->pieces[p].count;
        bool in_quotes;
        if (c->nul_at >= 0) {
            *with_quotes = false;
            return smr_csv_fail_nul(r, w.line + c->nul_line);
        }
        if (c->stray_at >= 0) {
            r->stray_line = w.line + c->stray_line;
            return fail_stray(r, r->stray_line);
        }
        if (c->open_at >= 0) w.open_line = w.line + c->open_line;
        if (is_too_long(r, &w, p, &in_quotes)) {
            r->stray_line = w.open_line;
            *with_quotes = in_quotes;
            return fail_long_row(r, &w, in_quotes);
        }
        place_piece(r, p, &w);
    }
    if (r->n_pieces > 0 && r->pieces[r->n_pieces - 1].count.stop == SMR_CSV_IN_QUOTES) {
        r->stray_line = w.open_line;
        return fail_unclosed(r, w.open_line);
    }
    *with_quotes = false;
    return SMR_OK;
}

smr_status smr_csv_count_rows(csv *r, bool *quotes_are_plain)
{
    smr_status st = SMR_OK;
    smr_ctx *ctx = r->ctx;
    *quotes_are_plain = false;
    r->n_pieces = smr_block_count(r->size - r->data_begin, r->limits.piece);
    TRY_NEW(r->pieces, r->n_pieces);
    TRY(count_all(r));

    /* Quotes in tab-separated files are often plain characters; where they break the rules, they
     * are taken as such. */
    bool with_quotes;
    st = join_pieces(r, &with_quotes);
    if (st == SMR_ERR_FORMAT && with_quotes && r->syntax.delimiter == '\t' && r->syntax.quote) {
        smr_ctx_clear(ctx);
        *quotes_are_plain = true;
        st = SMR_OK;
    }
out:
    return st;
}
