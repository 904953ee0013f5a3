/* pieces.c -- see pieces.h and pieces_private.h. */
#include "data/pieces.h"

#include "data/formats.h"
#include "data/pieces_private.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

enum { READ_STEP = 256 << 10, LINE_MAX_DEFAULT = 64 << 20 };
static const double LATENCY = 0.1;

/* What each format does; see pieces_private.h. */
static const struct format {
    smr_format format;
    smr_status (*warm_up)(smr_ctx *ctx, smr_pieces *p, int64_t n, bool ends, int64_t *used);
    int64_t (*cut)(const smr_pieces *p);
    smr_status (*piece)(smr_ctx *ctx, smr_pieces *p, int64_t n, meanwhile *m, smr_table **out);
    smr_status (*tell_bad)(smr_ctx *ctx, smr_pieces *p);
} formats[] = {
    {SMR_FORMAT_CSV, smr_csv_warm_up, smr_csv_cut, smr_csv_piece, smr_csv_tell_bad},
    {SMR_FORMAT_LIBSVM, smr_libsvm_warm_up, smr_libsvm_cut, smr_libsvm_piece, smr_libsvm_tell_bad},
};

static const struct format *format_of(const smr_pieces *p)
{
    return &formats[p->format == SMR_FORMAT_LIBSVM];
}

smr_status smr_meanwhile_run(smr_ctx *ctx, meanwhile *m)
{
    smr_meanwhile_fn fn = m->fn;
    m->fn = NULL;
    return fn ? fn(ctx, m->arg) : SMR_OK;
}

smr_status smr_pieces_refuse(smr_ctx *ctx, smr_pieces *p, const char *row, int64_t n, int64_t line)
{
    p->bad = smr_alloc_raw(ctx, n + PAD_BEHIND, 1);
    if (!p->bad) return SMR_ERR_NOMEM;
    memcpy(p->bad, row, (size_t)n);
    memset(p->bad + n, 0, PAD_BEHIND);
    p->n_bad = n;
    p->bad_line = line;
    return SMR_OK;
}

void smr_pieces_count_skipped(smr_pieces *p, int64_t line)
{
    if (p->n_skipped++ == 0) p->first_skipped = line;
}

/* ---- bytes -------------------------------------------------------------------------------- */

static smr_status make_room(smr_ctx *ctx, smr_pieces *p, int64_t room)
{
    if (room <= p->room) return SMR_OK;
    char *text = smr_realloc(ctx, p->text, room + PAD_BEHIND, 1);
    if (!text) return SMR_ERR_NOMEM;
    p->text = text;
    p->room = room;
    return SMR_OK;
}

static smr_status read_some(smr_ctx *ctx, smr_pieces *p, int64_t most, double seconds, int64_t *got)
{
    smr_status st = smr_feed_read(ctx, p->feed, p->text + p->n, SMR_MIN(p->room, most) - p->n,
                                  seconds, got, &p->ended);
    if (st == SMR_ERR_CANCELLED || st == SMR_ERR_NOMEM) return st;
    if (st != SMR_OK) { /* reported when the rows before it are delivered */
        p->failed = st;
        memcpy(p->failure, ctx->message, sizeof p->failure);
        smr_begin(ctx);
        p->ended = true;
        *got = 0;
    }
    if (*got > 0 && (p->n == 0 || isinf(p->came_first))) p->came_first = smr_now();
    p->n += *got;
    memset(p->text + p->n, 0, PAD_BEHIND);
    return SMR_OK;
}

/* The first n bytes are delivered. */
static void consume(smr_pieces *p, int64_t n, int64_t lines)
{
    p->n -= n;
    p->line += lines;
    memmove(p->text, p->text + n, (size_t)(p->n + PAD_BEHIND));
    p->came_first = smr_now();
}

static int64_t count_lines(const smr_pieces *p, int64_t n)
{
    char newline = p->format == SMR_FORMAT_CSV ? p->reader.syntax.newline : '\n';
    int64_t lines = 0;
    const char *at = p->text, *end = p->text + n;
    while (at < end && (at = memchr(at, newline, (size_t)(end - at)))) {
        at++;
        lines++;
    }
    return lines;
}

/* Fills the text with whole rows: *cut bytes of them, 0 at the end of the stream.  The work to be
 * done meanwhile does not wait for bytes that do not come. */
static smr_status fill(smr_ctx *ctx, smr_pieces *p, meanwhile *m, int64_t *cut)
{
    smr_status st = SMR_OK;
    int64_t full = p->opts.piece_bytes, got;
    int64_t longest = p->opts.limits ? p->opts.limits->line_max : LINE_MAX_DEFAULT;
    *cut = 0;
    for (;;) {
        TRY(make_room(ctx, p, full));
        double wait = p->n == 0 && !m->fn ? INFINITY
                      : p->n == 0         ? p->opts.latency
                                  : smr_fmax(0, p->came_first + p->opts.latency - smr_now());
        if (p->n < full && !p->ended)
            TRY(read_some(ctx, p, full, wait, &got));
        else
            got = 0;
        if (got > 0 && p->n < full) continue;
        bool all = p->ended && !p->failed;
        *cut = all ? p->n : p->n > 0 ? format_of(p)->cut(p) : 0;
        if (*cut > 0 || p->ended) break;
        if (p->n >= full && full > longest) { /* the reader says that the row is too long */
            *cut = p->n;
            break;
        }
        if (p->n >= full) {
            full = 2 * full;
            continue;
        }
        TRY(smr_meanwhile_run(ctx, m)); /* a pause */
        p->came_first = INFINITY;
    }
out:
    return st;
}

/* ---- opening ------------------------------------------------------------------------------ */

/* Bytes of the warm-up: up to the line end that makes it long enough; -1: more must come. */
static int64_t warm_bytes(const smr_pieces *p, int64_t rows, int64_t most)
{
    if (p->n == 0) return p->ended ? 0 : -1; /* and there is no text yet */
    const char *at = p->text, *end = p->text + SMR_MIN(p->n, most);
    for (int64_t k = 0; k <= rows && at < end; k++) {
        const char *newline = memchr(at, '\n', (size_t)(end - at));
        if (!newline) {
            at = NULL;
            break;
        }
        at = newline + 1;
        if (k == rows) return at - p->text;
    }
    if (p->n >= most) return most;
    return p->ended ? p->n : -1;
}

static smr_status find_format(smr_ctx *ctx, smr_pieces *p)
{
    smr_status st = SMR_OK;
    const char *name = smr_feed_name(p->feed);
    p->format = p->opts.read.format;
    if (p->n == 0 && p->failed) TRY(smr_fail(ctx, p->failed, "%s", p->failure));
    if (p->n == 0) TRY(smr_fail(ctx, SMR_ERR_FORMAT, "%s: the file is empty", name));
    if (p->format == SMR_FORMAT_AUTO && p->path) p->format = smr_format_of_path(p->path);
    if (p->format == SMR_FORMAT_AUTO)
        TRY(smr_format_of_bytes(ctx, name, p->text, SMR_MIN(p->n, 4096), &p->format));
    if (p->format != SMR_FORMAT_CSV && p->format != SMR_FORMAT_LIBSVM)
        TRY(smr_fail(ctx, SMR_ERR_UNSUPPORTED,
                     "%s: is %s, and a stream is CSV, TSV or LIBSVM; 'samara convert' makes one",
                     name, smr_format_name(p->format)));
    smr_read_opts said = p->opts.read;
    if (said.header == 0) said.header = 1; /* both are wishes here: -1 is to detect it */
    TRY(smr_read_opts_suit(ctx, name, &said, p->format));
out:
    return st;
}

static smr_status warm_up(smr_ctx *ctx, smr_pieces *p)
{
    smr_status st = SMR_OK;
    int64_t rows = p->opts.warm_rows, most = p->opts.warm_bytes, n = -1, used = 0, got;
    while (used == 0) {
        while ((n = warm_bytes(p, rows, most)) < 0) {
            if (p->room - p->n < READ_STEP / 8) TRY(make_room(ctx, p, 2 * p->room + READ_STEP));
            TRY(read_some(ctx, p, p->room, INFINITY, &got));
        }
        bool ends = p->ended && n == p->n;
        if (ends && p->failed && rows > p->opts.warm_rows) /* not one whole row */
            TRY(smr_fail(ctx, p->failed, "%s", p->failure));
        if (p->format == SMR_FORMAT_AUTO) TRY(find_format(ctx, p));
        TRY(format_of(p)->warm_up(ctx, p, n, ends && !p->failed, &used));
        rows *= 2; /* no row ended there: within quotes, or a long one */
        most = SMR_MAX(most, n) * 2;
    }
    consume(p, used, p->warm_lines);
out:
    return st;
}

smr_status smr_pieces_of(smr_ctx *ctx, smr_feed *feed, const char *path,
                         const smr_pieces_opts *opts, smr_pieces **out)
{
    smr_status st = SMR_OK;
    smr_pieces *p = NULL;
    *out = NULL;
    TRY_NEW(p, 1);
    p->feed = feed;
    feed = NULL;
    p->path = path;
    p->line = 1;
    if (opts)
        p->opts = *opts;
    else
        p->opts.read.header = -1;
    if (!p->opts.warm_rows) p->opts.warm_rows = SMR_WARM_ROWS;
    if (!p->opts.warm_bytes) p->opts.warm_bytes = SMR_WARM_BYTES;
    if (!p->opts.piece_bytes) p->opts.piece_bytes = SMR_PIECE_BYTES;
    if (!(p->opts.latency > 0)) p->opts.latency = LATENCY;
    TRY(warm_up(ctx, p));
    *out = p;
    p = NULL;
out:
    smr_feed_close(feed);
    smr_pieces_close(p);
    return st;
}

smr_status smr_pieces_open(smr_ctx *ctx, const char *path, const smr_pieces_opts *opts,
                           smr_pieces **out)
{
    smr_feed *feed = NULL;
    *out = NULL;
    smr_status st = smr_feed_open(ctx, path, &feed);
    return st == SMR_OK ? smr_pieces_of(ctx, feed, path, opts, out) : st;
}

void smr_pieces_close(smr_pieces *p)
{
    if (!p) return;
    smr_feed_close(p->feed);
    smr_csv_release(&p->reader);
    smr_table_free(p->first);
    smr_free(p->text);
    smr_free(p->bad);
    smr_free(p);
}

/* ---- pieces ------------------------------------------------------------------------------- */

smr_status smr_pieces_next(smr_ctx *ctx, smr_pieces *p, smr_meanwhile_fn fn, void *arg,
                           smr_table **out)
{
    smr_status st = SMR_OK;
    meanwhile m = {fn, arg};
    int64_t cut;
    *out = NULL;
    if (p->first) {
        TRY(smr_meanwhile_run(ctx, &m));
        *out = p->first;
        p->first = NULL;
        return SMR_OK;
    }
    while (!*out && !p->bad) {
        TRY(fill(ctx, p, &m, &cut));
        if (cut == 0) break;
        int64_t lines = count_lines(p, cut); /* bad rows that are skipped shorten the text */
        TRY(format_of(p)->piece(ctx, p, cut, &m, out));
        consume(p, cut, lines);
    }
    TRY(smr_meanwhile_run(ctx, &m));
    if (!*out && p->bad) TRY(format_of(p)->tell_bad(ctx, p));
    if (!*out && p->failed) TRY(smr_fail(ctx, p->failed, "%s", p->failure));
out:
    if (st != SMR_OK) {
        smr_table_free(*out);
        *out = NULL;
    }
    return st;
}

int64_t smr_pieces_skipped(const smr_pieces *p, int64_t *first_line)
{
    if (first_line) *first_line = p->first_skipped;
    return p->n_skipped;
}

bool smr_pieces_is_file(const smr_pieces *p)
{
    return smr_feed_is_file(p->feed);
}

const char *smr_pieces_name(const smr_pieces *p)
{
    return smr_feed_name(p->feed);
}
