/* libsvm.c -- a LIBSVM file into a table: number columns "label" and, where rows have one, "qid",
 * and a sparse block whose column j is the file's index j + 1.
 *
 * A plain file is parsed in place, read twice from the page cache (libsvm_parse.c).  A stream
 * (gzip) is taken in batches of whole lines, about BATCH bytes each, whose results are joined at
 * the end.  Either way memory stays below twice what is stored, apart from the batch of text. */
#define _GNU_SOURCE /* memrchr */
#include "data/libsvm.h"

#include "data/formats.h"
#include "data/scan.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

enum { FIRST_ROOM = 1 << 20, BATCH = 16 << 20 };

struct stream {
    smr_source *source;
    char *text;
    int64_t length, room;
    int64_t line;           /* number of the first line in text */
    smr_libsvm_rows *parts; /* one per batch                    */
    int64_t n_parts, part_room;
};

static smr_status grow(smr_ctx *ctx, void **block, int64_t *room, int64_t want, size_t size)
{
    void *grown = smr_realloc(ctx, *block, want, size);
    if (!grown) return SMR_ERR_NOMEM;
    *block = grown;
    *room = want;
    return SMR_OK;
}

/* Parses the whole lines of the text, or all of it, and keeps the rest. */
static smr_status take_batch(smr_ctx *ctx, struct stream *s, bool at_end)
{
    smr_status st = SMR_OK;
    const char *newline = s->length ? memrchr(s->text, '\n', (size_t)s->length) : NULL;
    int64_t size = at_end ? s->length : newline ? newline + 1 - s->text : 0;
    if (size == 0) return SMR_OK;
    if (s->n_parts == s->part_room)
        TRY(grow(ctx, (void **)&s->parts, &s->part_room, 2 * s->part_room + 8, sizeof *s->parts));
    smr_libsvm_rows *part = &s->parts[s->n_parts];
    TRY(smr_libsvm_parse(ctx, NULL, s->text, size, smr_source_name(s->source), s->line, part));
    s->n_parts++;
    s->line += part->n_lines;
    s->length -= size;
    memmove(s->text, s->text + size, (size_t)s->length);
out:
    return st;
}

static smr_status read_batches(smr_ctx *ctx, struct stream *s)
{
    smr_status st = SMR_OK;
    s->line = 1;
    TRY(grow(ctx, (void **)&s->text, &s->room, FIRST_ROOM, 1));
    for (int64_t got = 1; got > 0;) {
        if (s->length == s->room && s->room >= BATCH) TRY(take_batch(ctx, s, false));
        if (s->length == s->room) TRY(grow(ctx, (void **)&s->text, &s->room, 2 * s->room, 1));
        TRY(smr_source_read(ctx, s->source, s->text + s->length, s->room - s->length, &got));
        s->length += got;
    }
    TRY(take_batch(ctx, s, true));
out:
    return st;
}

static smr_status measure(smr_ctx *ctx, const struct stream *s, smr_libsvm_rows *sum)
{
    smr_status st = SMR_OK;
    bool has_qid = false;
    for (int64_t k = 0; k < s->n_parts; k++) {
        const smr_libsvm_rows *p = &s->parts[k];
        sum->n_rows += p->n_rows;
        sum->n_entries += p->n_entries;
        sum->n_lines += p->n_lines;
        sum->n_cols = SMR_MAX(sum->n_cols, p->n_cols);
        has_qid |= p->qid != NULL;
    }
    TRY_NEW(sum->label, sum->n_rows);
    TRY_NEW(sum->start, sum->n_rows + 1);
    TRY_NEW(sum->column, sum->n_entries);
    TRY_NEW(sum->value, sum->n_entries);
    if (has_qid) TRY_NEW(sum->qid, sum->n_rows);
out:
    return st;
}

/* Copies the parts one after another, releasing each when it is copied. */
static smr_status join(smr_ctx *ctx, struct stream *s, smr_libsvm_rows *out)
{
    smr_status st = SMR_OK;
    if (s->n_parts == 1) {
        *out = s->parts[0];
        s->n_parts = 0;
        return SMR_OK;
    }
    TRY(measure(ctx, s, out));
    int64_t row = 0, entry = 0;
    for (int64_t k = 0; k < s->n_parts; k++) {
        smr_libsvm_rows *p = &s->parts[k];
        memcpy(out->label + row, p->label, (size_t)p->n_rows * sizeof *p->label);
        memcpy(out->column + entry, p->column, (size_t)p->n_entries * sizeof *p->column);
        memcpy(out->value + entry, p->value, (size_t)p->n_entries * sizeof *p->value);
        for (int64_t i = 0; i < p->n_rows; i++) {
            out->start[row + i + 1] = entry + p->start[i + 1];
            if (out->qid) out->qid[row + i] = p->qid ? p->qid[i] : NAN;
        }
        row += p->n_rows;
        entry += p->n_entries;
        smr_libsvm_release(p);
    }
out:
    return st;
}

static smr_status read_stream(smr_ctx *ctx, smr_source *source, smr_libsvm_rows *out)
{
    smr_status st = SMR_OK;
    struct stream s = {.source = source};
    TRY(read_batches(ctx, &s));
    smr_free(s.text);
    s.text = NULL;
    TRY(join(ctx, &s, out));
out:
    for (int64_t k = 0; k < s.n_parts; k++) smr_libsvm_release(&s.parts[k]);
    smr_free(s.parts);
    smr_free(s.text);
    return st;
}

/* ---- the table -------------------------------------------------------------------------- */

static int64_t count_missing(const double *x, int64_t n)
{
    int64_t missing = 0;
    for (int64_t i = 0; i < n; i++) missing += isnan(x[i]) != 0;
    return missing;
}

smr_status smr_libsvm_give_column(smr_ctx *ctx, smr_table *t, int64_t j, const char *name,
                                  double **values)
{
    smr_column *c = &t->cols[j];
    c->name = smr_strdup(ctx, name);
    if (!c->name) return SMR_ERR_NOMEM;
    c->values = *values;
    c->owns_values = true;
    c->n_missing = count_missing(*values, t->n_rows);
    *values = NULL;
    return SMR_OK;
}

static smr_status make_table(smr_ctx *ctx, smr_source *source, smr_libsvm_rows *r, smr_table **out)
{
    smr_status st = SMR_OK;
    smr_table *t = NULL;
    smr_text notes = {.ctx = ctx};
    TRY(smr_table_new(ctx, r->n_rows, r->qid ? 2 : 1, &t));
    TRY(smr_libsvm_give_column(ctx, t, 0, "label", &r->label));
    smr_text_printf(&notes,
                    "format: libsvm\nrows: %" PRId64 "\nfeatures: %" PRId64
                    " (indices from 1)\nentries: %" PRId64 "\n",
                    r->n_rows, r->n_cols, r->n_entries);
    if (r->qid) {
        smr_text_printf(&notes, "qid: column 'qid'\n");
        TRY(smr_libsvm_give_column(ctx, t, 1, "qid", &r->qid));
    }
    if (r->n_cols > 0) {
        t->sparse = (smr_csr){.n_rows = r->n_rows,
                              .n_cols = r->n_cols,
                              .start = r->start,
                              .column = r->column,
                              .value = r->value};
        r->start = NULL;
        r->column = NULL;
        r->value = NULL;
    }
    TRY(smr_table_sign(t, source, &notes));
    *out = t;
    t = NULL;
out:
    smr_text_release(&notes);
    smr_table_free(t);
    return st;
}

smr_status smr_libsvm_read(smr_ctx *ctx, smr_source *source, const smr_read_opts *opts,
                           smr_table **out)
{
    smr_status st = SMR_OK;
    smr_libsvm_rows rows = {0};
    int64_t size = smr_source_size(source);
    (void)opts;
    *out = NULL;
    if (size >= 0)
        TRY(smr_libsvm_parse(ctx, source, NULL, size, smr_source_name(source), 1, &rows));
    else
        TRY(read_stream(ctx, source, &rows));
    if (rows.n_rows == 0)
        TRY(smr_fail(ctx, SMR_ERR_FORMAT, "%s: no rows; a LIBSVM line is 'label index:value ...'",
                     smr_source_name(source)));
    TRY(make_table(ctx, source, &rows, out));
out:
    smr_libsvm_release(&rows);
    return st;
}
