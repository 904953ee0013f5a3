/* libsvm_parse.c -- rows of "label index:value ...", read in parallel into compressed rows.
 *
 *     +1 qid:3 2:0.5 17:-1e-3     # a comment
 *
 * The text is cut into chunks of CHUNK bytes.  A first pass counts newlines and colons in each: at
 * most as many rows and entries can begin before a chunk, which gives every chunk its own place in
 * the final arrays, its first line number, and its bounds (from the first newline in it to the
 * first newline in a later one).  The second pass parses all chunks at once, straight into place.
 * Where blank lines, comments or qid made a chunk smaller than its bound, the chunks after it are
 * moved up at the end.
 *
 * Memory: the results (12 bytes per entry, 16 per row, and 8 per row for qid until it is known that
 * there is none) and CHUNK bytes per lane; a longer line needs its own length.
 *
 * Format: Chang & Lin, LIBSVM, ACM TIST 2(3):27, 2011; qid: Joachims, SVM-light. */
#include "data/libsvm.h"

#include "core/parallel.h"
#include "data/scan.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

enum { CHUNK = 512 << 10 };

struct chunk {
    int64_t newlines, colons;         /* in its CHUNK bytes                                   */
    int64_t first_newline;            /* offset in the batch, or -1                           */
    int64_t colons_before;            /* colons before that newline                           */
    int64_t from, to;                 /* its lines: bytes [from, to) of the batch             */
    int64_t line;                     /* number of the first                                  */
    int64_t row, entry;               /* where its results begin                              */
    int64_t n_rows, n_entries, width; /* its results; width is the largest index              */
    bool has_qid;
};

struct batch {
    smr_source *source; /* NULL: the text is in memory  */
    const char *text;
    int64_t size;
    int64_t first_line;
    const char *name;
    struct chunk *chunks;
    int64_t n_chunks;
    char **buffer; /* one per lane */
    int64_t *room;
    smr_libsvm_rows *result;
};

void smr_libsvm_release(smr_libsvm_rows *r)
{
    smr_free(r->label);
    smr_free(r->qid);
    smr_free(r->start);
    smr_free(r->column);
    smr_free(r->value);
    *r = (smr_libsvm_rows){0};
}

/* ---- first pass: count ------------------------------------------------------------------ */

typedef uint8_t bytes16 __attribute__((vector_size(16)));

static int64_t count_lanes(bytes16 v)
{
    int64_t sum = 0;
    for (int k = 0; k < 16; k++) sum += v[k];
    return sum;
}

/* Adds the newlines and colons of text[0..n). */
static void count_marks(const char *text, int64_t n, int64_t *newlines, int64_t *colons)
{
    int64_t i = 0;
    while (n - i >= 16) {
        bytes16 a = {0}, b = {0};
        int64_t stop = SMR_MIN(n - 15, i + 16 * 255); /* a byte counts to 255 */
        for (; i < stop; i += 16) {
            bytes16 v;
            memcpy(&v, text + i, 16);
            a -= (bytes16)(v == '\n');
            b -= (bytes16)(v == ':');
        }
        *newlines += count_lanes(a);
        *colons += count_lanes(b);
    }
    for (; i < n; i++) {
        *newlines += text[i] == '\n';
        *colons += text[i] == ':';
    }
}

/* Bytes [from, to) of the batch, with a newline and zeros after them, in the lane's buffer. */
static smr_status fetch(smr_ctx *ctx, struct batch *b, int lane, int64_t from, int64_t to,
                        const char **text)
{
    int64_t n = to - from;
    if (n + SMR_SCAN_PAD > b->room[lane]) {
        smr_free(b->buffer[lane]);
        b->room[lane] = 0;
        b->buffer[lane] = smr_alloc_raw(ctx, n + SMR_SCAN_PAD, 1);
        if (!b->buffer[lane]) return SMR_ERR_NOMEM;
        b->room[lane] = n + SMR_SCAN_PAD;
    }
    char *out = b->buffer[lane];
    if (b->source) {
        smr_status st = smr_source_read_at(ctx, b->source, from, out, n);
        if (st != SMR_OK) return st;
    } else {
        memcpy(out, b->text + from, (size_t)n);
    }
    memset(out + n, 0, SMR_SCAN_PAD);
    out[n] = '\n';
    *text = out;
    return SMR_OK;
}

static smr_status count_chunk(smr_ctx *ctx, void *arg, int64_t task, int lane)
{
    struct batch *b = arg;
    struct chunk *c = &b->chunks[task];
    int64_t from = task * CHUNK, to = SMR_MIN(b->size, from + CHUNK);
    const char *text = NULL;
    smr_status st = SMR_OK;
    TRY(fetch(ctx, b, lane, from, to, &text));
    int64_t n = to - from;
    const char *newline = memchr(text, '\n', (size_t)n);
    int64_t head = newline ? newline - text : n;
    int64_t none = 0;
    count_marks(text, head, &none, &c->colons_before);
    c->first_newline = newline ? from + head : -1;
    c->colons = c->colons_before;
    count_marks(text + head, n - head, &c->newlines, &c->colons);
out:
    return st;
}

/* From the counts: the bounds, first line and place of every chunk.  Chunk 0 begins at the batch's
 * first byte; a chunk without a newline has no line of its own. */
static void place_chunks(struct batch *b, int64_t *rows, int64_t *entries)
{
    int64_t newlines = 0, colons = 0;
    struct chunk *open = NULL;
    for (int64_t k = 0; k < b->n_chunks; k++) {
        struct chunk *c = &b->chunks[k];
        if (k == 0 || c->first_newline >= 0) {
            c->from = k == 0 ? 0 : c->first_newline + 1;
            c->row = k == 0 ? 0 : newlines + 1;
            c->entry = k == 0 ? 0 : colons + c->colons_before;
            c->line = b->first_line + c->row;
            if (open) open->to = c->from;
            open = c;
        }
        newlines += c->newlines;
        colons += c->colons;
    }
    if (open) open->to = b->size;
    *rows = newlines + 1;
    *entries = colons;
}

/* ---- second pass: parse ----------------------------------------------------------------- */

/* The place of a chunk in the parse. */
struct cursor {
    struct batch *batch;
    struct chunk *chunk;
    const char *end;
    int64_t line;
    int64_t row, entry; /* the next to fill */
};

static bool is_blank(char c)
{
    return c == ' ' || c == '\t';
}

/* A token ends at a blank, at the end of the line, or where a comment begins. */
static bool ends_token(char c)
{
    return c == ' ' || c == '\n' || c == '\t' || c == '\r' || c == '#';
}

static smr_status bad(smr_ctx *ctx, const struct cursor *k, const char *at, const char *what)
{
    char shown[48];
    return smr_fail(ctx, SMR_ERR_FORMAT, "%s:%" PRId64 ": '%s' %s", k->batch->name, k->line,
                    smr_scan_show(at, k->end, shown), what);
}

static smr_status bad_pair(smr_ctx *ctx, const struct cursor *k, const char *at, int64_t last)
{
    uint64_t index;
    const char *p = smr_scan_unsigned(at, &index);
    if (p == at)
        return bad(ctx, k, at, "is not an index:value pair; an index is a whole number from 1");
    if (*p != ':' && !(*p >= '0' && *p <= '9'))
        return bad(ctx, k, at, "has no colon between index and value; write index:value");
    if (index == 0 && *p == ':')
        return bad(ctx, k, at, "has index 0; LIBSVM indices begin at 1: add 1 to all");
    if (*p != ':' || index > INT32_MAX) return bad(ctx, k, at, "has an index beyond 2147483647");
    if ((int64_t)index - 1 == last) return bad(ctx, k, at, "repeats the index before it");
    if ((int64_t)index - 1 < last)
        return bad(ctx, k, at, "has a smaller index than the pair before it; sort each row");
    return bad(ctx, k, at, "has a value that is not a number");
}

static smr_status parse_label(smr_ctx *ctx, struct cursor *k, const char **at)
{
    const char *p = *at;
    double label;
    const char *q = smr_scan_double(p, k->end, &label);
    if (q && *q == ',')
        return bad(ctx, k, p, "gives several labels to one row; one label per row can be read");
    if (q && *q == ':')
        return bad(ctx, k, p, "is where the label belongs; begin each line with a label");
    if (!q || !ends_token(*q)) return bad(ctx, k, p, "is not a label; a label is a number");
    k->batch->result->label[k->row] = label;
    *at = q;
    return SMR_OK;
}

static smr_status parse_qid(smr_ctx *ctx, struct cursor *k, const char **at)
{
    smr_libsvm_rows *r = k->batch->result;
    const char *p = *at;
    while (is_blank(*p)) p++;
    r->qid[k->row] = NAN;
    if (k->end - p > 4 && !memcmp(p, "qid:", 4)) {
        int64_t qid;
        const char *q = smr_parse_int(p + 4, k->end, &qid);
        if (!q || !ends_token(*q)) return bad(ctx, k, p, "has a qid that is not a whole number");
        r->qid[k->row] = (double)qid;
        k->chunk->has_qid = true;
        p = q;
    }
    *at = p;
    return SMR_OK;
}

/* The pairs of one line, up to its newline or comment: the loop that the time goes into. */
static smr_status parse_pairs(smr_ctx *ctx, struct cursor *k, const char **at)
{
    smr_libsvm_rows *r = k->batch->result;
    const char *p = *at, *end = k->end;
    int32_t *column = r->column + k->entry;
    double *value = r->value + k->entry;
    int64_t n = 0, last = -1;
    for (;;) {
        while (is_blank(*p)) p++;
        if (*p == '\n' || *p == '#' || *p == '\r') break;
        uint64_t index;
        const char *q = smr_scan_unsigned(p, &index);
        int64_t j = (int64_t)index - 1;
        if (q == p || *q != ':' || j <= last || j >= INT32_MAX) return bad_pair(ctx, k, p, last);
        q = smr_scan_double(q + 1, end, &value[n]);
        if (!q || !ends_token(*q)) return bad_pair(ctx, k, p, last);
        column[n++] = (int32_t)j;
        last = j;
        p = q;
    }
    k->entry += n;
    k->chunk->width = SMR_MAX(k->chunk->width, last + 1);
    *at = p;
    return SMR_OK;
}

static smr_status parse_line(smr_ctx *ctx, struct cursor *k, const char **at)
{
    smr_libsvm_rows *r = k->batch->result;
    const char *p = *at;
    smr_status st = SMR_OK;
    while (is_blank(*p)) p++;
    if (*p != '\n' && *p != '\r' && *p != '#') {
        TRY(parse_label(ctx, k, &p));
        TRY(parse_qid(ctx, k, &p));
        TRY(parse_pairs(ctx, k, &p));
        k->row++;
        r->start[k->row] = k->entry;
    }
    if (*p == '#') p = memchr(p, '\n', (size_t)(k->end - p) + 1);
    if (*p == '\r' && p[1] != '\n' && p + 1 < k->end)
        TRY(bad(ctx, k, p + 1, "follows a carriage return without a line feed"));
    if (*p == '\r') p++;
    *at = p + 1;
out:
    return st;
}

static smr_status parse_chunk(smr_ctx *ctx, void *arg, int64_t task, int lane)
{
    struct batch *b = arg;
    struct chunk *c = &b->chunks[task];
    const char *p = NULL;
    smr_status st = SMR_OK;
    if (c->to <= c->from) return SMR_OK;
    TRY(fetch(ctx, b, lane, c->from, c->to, &p));
    struct cursor k = {.batch = b,
                       .chunk = c,
                       .end = p + (c->to - c->from),
                       .line = c->line,
                       .row = c->row,
                       .entry = c->entry};
    for (; p < k.end; k.line++) TRY(parse_line(ctx, &k, &p));
    c->n_rows = k.row - c->row;
    c->n_entries = k.entry - c->entry;
out:
    return st;
}

/* Moves every chunk's rows and entries up, after those of the chunk before it. */
static void close_gaps(struct batch *b)
{
    smr_libsvm_rows *r = b->result;
    int64_t row = 0, entry = 0;
    for (int64_t k = 0; k < b->n_chunks; k++) {
        struct chunk *c = &b->chunks[k];
        int64_t shift = c->entry - entry;
        if (row != c->row) {
            size_t n = (size_t)c->n_rows;
            memmove(r->label + row, r->label + c->row, n * sizeof *r->label);
            memmove(r->qid + row, r->qid + c->row, n * sizeof *r->qid);
        }
        if (shift) {
            size_t n = (size_t)c->n_entries;
            memmove(r->column + entry, r->column + c->entry, n * sizeof *r->column);
            memmove(r->value + entry, r->value + c->entry, n * sizeof *r->value);
        }
        for (int64_t i = 1; (shift || row != c->row) && i <= c->n_rows; i++)
            r->start[row + i] = r->start[c->row + i] - shift;
        row += c->n_rows;
        entry += c->n_entries;
        r->n_cols = SMR_MAX(r->n_cols, c->width);
    }
    r->start[0] = 0;
    r->n_rows = row;
    r->n_entries = entry;
}

/* Shrinks the arrays when the bound was more than an eighth too large. */
static smr_status shrink(smr_ctx *ctx, void **block, int64_t bound, int64_t n, size_t size)
{
    if (bound - n <= n / 8 + 1024) return SMR_OK;
    void *smaller = smr_realloc(ctx, *block, n, size);
    if (!smaller) return SMR_ERR_NOMEM;
    *block = smaller;
    return SMR_OK;
}

static smr_status tighten(smr_ctx *ctx, struct batch *b, int64_t rows, int64_t entries)
{
    smr_libsvm_rows *r = b->result;
    smr_status st = SMR_OK;
    bool has_qid = false;
    for (int64_t k = 0; k < b->n_chunks; k++) has_qid |= b->chunks[k].has_qid;
    if (!has_qid) {
        smr_free(r->qid);
        r->qid = NULL;
    } else {
        TRY(shrink(ctx, (void **)&r->qid, rows, r->n_rows, sizeof *r->qid));
    }
    TRY(shrink(ctx, (void **)&r->label, rows, r->n_rows, sizeof *r->label));
    TRY(shrink(ctx, (void **)&r->start, rows + 1, r->n_rows + 1, sizeof *r->start));
    TRY(shrink(ctx, (void **)&r->column, entries, r->n_entries, sizeof *r->column));
    TRY(shrink(ctx, (void **)&r->value, entries, r->n_entries, sizeof *r->value));
out:
    return st;
}

static void *raw(smr_ctx *ctx, int64_t n, size_t size, smr_status *st)
{
    void *block = *st == SMR_OK ? smr_alloc_raw(ctx, n, size) : NULL;
    if (!block) *st = SMR_ERR_NOMEM;
    return block;
}

static smr_status make_room(smr_ctx *ctx, smr_libsvm_rows *r, int64_t rows, int64_t entries)
{
    smr_status st = SMR_OK;
    r->label = raw(ctx, rows, sizeof *r->label, &st);
    r->qid = raw(ctx, rows, sizeof *r->qid, &st);
    r->start = raw(ctx, rows + 1, sizeof *r->start, &st);
    r->column = raw(ctx, entries, sizeof *r->column, &st);
    r->value = raw(ctx, entries, sizeof *r->value, &st);
    return st;
}

smr_status smr_libsvm_parse(smr_ctx *ctx, smr_source *source, const char *text, int64_t size,
                            const char *name, int64_t first_line, smr_libsvm_rows *out)
{
    smr_status st = SMR_OK;
    int64_t rows, entries;
    int lanes = smr_lanes(ctx);
    struct batch b = {.source = source,
                      .text = text,
                      .size = size,
                      .name = name,
                      .first_line = first_line,
                      .n_chunks = smr_block_count(size, CHUNK),
                      .result = out};
    *out = (smr_libsvm_rows){0};
    TRY_NEW(b.chunks, b.n_chunks);
    TRY_NEW(b.buffer, lanes);
    TRY_NEW(b.room, lanes);
    TRY(smr_parallel(ctx, NULL, b.n_chunks, count_chunk, &b));
    place_chunks(&b, &rows, &entries);
    TRY(make_room(ctx, out, rows, entries));
    TRY(smr_parallel(ctx, "reading", b.n_chunks, parse_chunk, &b));
    close_gaps(&b);
    out->n_lines = rows - 1;
    TRY(tighten(ctx, &b, rows, entries));
out:
    for (int k = 0; b.buffer && k < lanes; k++) smr_free(b.buffer[k]);
    smr_free(b.buffer);
    smr_free(b.room);
    smr_free(b.chunks);
    if (st != SMR_OK) smr_libsvm_release(out);
    return st;
}
