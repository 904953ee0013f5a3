/* csv_parse.c -- pass 2: fields into columns.
 *
 * A task has the rows that end in one piece of the file.  It indexes a batch of rows (the offsets
 * of all separators), checks that every row has its fields, and then goes through the batch column
 * by column, so that each inner loop knows one kind only and writes one array.  Number columns run
 * in the kernel; what that does not take (missing, quoted, long, with an exponent) comes here, one
 * field at a time.
 *
 * Rows that do not fit the plain picture (blank lines, runs of blanks as delimiter, too many or too
 * few fields) are split a byte at a time instead: the same batches, and errors with the right
 * line. */
#include "data/csv_private.h"

#include "core/number.h"
#include "data/date.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

enum { BATCH_FIELDS = 4096, INDEX_ROOM = 64 };
static const int64_t WHOLE_MAX = INT64_C(1) << 53;

/* A batch of rows, indexed. */
struct batch {
    csv *r;
    lane *l;
    const char *text;
    const uint32_t *begin, *end, *row_end; /* row_end: of the last column, without CR */
    uint32_t begin_add;
    int64_t n, first_row;
    int64_t first_line; /* of text[0] */
};

/* The first field (in the order of the file) that its column cannot take. */
struct refusal {
    int64_t row, column; /* row within the batch; -1: none */
};

/* ---- fields one at a time ----------------------------------------------------------------- */

static smr_csv_fields column_fields(const struct batch *b, int64_t j)
{
    int64_t k = b->r->n_fields;
    smr_csv_fields f = {.text = b->text,
                        .begin = b->begin + j,
                        .begin_step = k,
                        .begin_add = b->begin_add,
                        .end = b->end + j,
                        .end_step = k};
    if (j == k - 1) {
        f.end = b->row_end;
        f.end_step = 1;
    }
    return f;
}

static smr_status take_text(smr_ctx *ctx, const struct batch *b, const smr_csv_fields *f, int64_t i,
                            const char **text, int64_t *n)
{
    uint32_t begin = f->begin[i * f->begin_step] + f->begin_add, end = f->end[i * f->end_step];
    return smr_csv_text(ctx, &b->r->syntax, f->text + begin, (int64_t)end - begin, &b->l->unquoted,
                        &b->l->unquoted_room, text, n);
}

static smr_field classify(const struct batch *b, int64_t j, const char *text, int64_t n,
                          double *value, bool *has_time)
{
    int which;
    smr_field field =
        smr_field_read(&b->r->marks, b->r->columns[j].decimal, text, n, value, has_time);
    if (field == SMR_FIELD_MISSING && smr_field_is_missing(&b->r->marks, text, n, &which))
        b->l->marks_seen |= UINT64_C(1) << SMR_MIN(which, 63);
    return field;
}

static void refuse(struct refusal *first, int64_t row, int64_t j)
{
    if (first->row >= 0 && first->row <= row) return;
    *first = (struct refusal){row, j};
}

/* True for a whole number, written as one, that a double may not distinguish from its
 * neighbours. */
static bool is_large(const char *text, int64_t n)
{
    const char *end = text + n;
    int64_t value;
    for (const char *p = text + (n > 0 && (*text == '-' || *text == '+')); p < end; p++)
        if (*p < '0' || *p > '9') return false;
    if (smr_parse_int(text, end, &value) != end) return true; /* not even 64 bits hold it */
    return value > WHOLE_MAX || value < -WHOLE_MAX;
}

/* ---- numbers ------------------------------------------------------------------------------ */

/* Commas become points and points commas, so that the kernel reads decimal commas as well.  A
 * lane's text is its own: a field that the kernel does not take is turned back. */
static void exchange(const struct batch *b, const smr_csv_fields *f, int64_t i)
{
    char *p = b->l->text + (uint32_t)(f->begin[i * f->begin_step] + f->begin_add);
    for (char *end = b->l->text + f->end[i * f->end_step]; p < end; p++)
        *p = (char)(*p == ',' ? '.' : *p == '.' ? ',' : *p);
}

static void note_grouped(column_tally *t, const char *text, int64_t n, int64_t row)
{
    if (row < t->first_grouped && smr_field_is_grouped(text, n)) t->first_grouped = row;
}

/* Numbers that the kernel leaves aside: long ones, and those with an exponent. */
static bool long_number(const struct batch *b, const smr_csv_fields *f, int64_t i, double *out)
{
    const char *begin = f->text + (uint32_t)(f->begin[i * f->begin_step] + f->begin_add);
    const char *end = f->text + f->end[i * f->end_step];
    if (begin == end || *begin > '9' || b->r->marks.has_numbers) return false;
    return smr_parse_double(begin, end, out) == end && fabs(*out) < (double)WHOLE_MAX;
}

static smr_status odd_number(smr_ctx *ctx, const struct batch *b, const smr_csv_fields *f,
                             int64_t i, int64_t j, double *out, struct refusal *refused)
{
    const char *text;
    int64_t n;
    bool has_time;
    column_tally *t = &b->l->tally[j];
    if (long_number(b, f, i, &out[i])) {
        t->fields.n[SMR_FIELD_NUMBER]++;
        return SMR_OK;
    }
    smr_decimal decimal = b->r->columns[j].decimal;
    if (decimal == SMR_DECIMAL_COMMA) exchange(b, f, i);
    smr_status st = take_text(ctx, b, f, i, &text, &n);
    if (st != SMR_OK) return st;
    smr_field field = classify(b, j, text, n, &out[i], &has_time);
    t->fields.n[field]++;
    if (field == SMR_FIELD_NUMBER) {
        if (decimal == SMR_DECIMAL_COMMA) note_grouped(t, text, n, b->first_row + i);
        if (fabs(out[i]) >= (double)WHOLE_MAX && is_large(text, n)) {
            t->n_large++;
            t->first_large = SMR_MIN(t->first_large, b->first_row + i);
        }
        return SMR_OK;
    }
    out[i] = NAN;
    bool fits = field == SMR_FIELD_MISSING || field == SMR_FIELD_DASH;
    if (!fits && b->r->columns[j].forced) refuse(refused, i, j);
    return SMR_OK;
}

static bool is_padded(const struct batch *b, const smr_csv_fields *f, int64_t i)
{
    const uint8_t *kind = b->r->syntax.kind;
    uint32_t begin = f->begin[i * f->begin_step] + f->begin_add, end = f->end[i * f->end_step];
    if (begin == end) return false;
    return (kind[(uint8_t)f->text[begin]] | kind[(uint8_t)f->text[end - 1]]) & SMR_CSV_BLANK;
}

/* The same fields from i on, without blanks around them. */
static smr_csv_fields trim_fields(const struct batch *b, const smr_csv_fields *f, int64_t i)
{
    const uint8_t *kind = b->r->syntax.kind;
    smr_csv_fields t = {.text = f->text,
                        .begin = b->l->trim_begin,
                        .end = b->l->trim_end,
                        .begin_step = 1,
                        .end_step = 1};
    for (; i < b->n; i++) {
        uint32_t begin = f->begin[i * f->begin_step] + f->begin_add, end = f->end[i * f->end_step];
        while (begin < end && (kind[(uint8_t)f->text[begin]] & SMR_CSV_BLANK)) begin++;
        while (begin < end && (kind[(uint8_t)f->text[end - 1]] & SMR_CSV_BLANK)) end--;
        b->l->trim_begin[i] = begin;
        b->l->trim_end[i] = end;
    }
    return t;
}

/* Marks of --missing that read as numbers went through the kernel: compares their text. */
static smr_status strip_marks(smr_ctx *ctx, const struct batch *b, const smr_csv_fields *f,
                              int64_t from, int64_t to, int64_t j, double *out)
{
    const smr_marks *m = &b->r->marks;
    column_tally *t = &b->l->tally[j];
    bool comma = b->r->columns[j].decimal == SMR_DECIMAL_COMMA;
    for (int64_t i = from; i < to; i++)
        for (int64_t k = 0; k < m->n_numbers; k++) {
            if (out[i] != m->number[k]) continue;
            const char *text;
            int64_t n;
            bool has_time;
            if (comma) exchange(b, f, i);
            smr_status st = take_text(ctx, b, f, i, &text, &n);
            if (st != SMR_OK) return st;
            smr_field field = classify(b, j, text, n, &out[i], &has_time);
            if (comma) exchange(b, f, i);
            if (field == SMR_FIELD_NUMBER) continue;
            t->fields.n[SMR_FIELD_MISSING]++;
            t->fields.n[SMR_FIELD_NUMBER]--;
            break;
        }
    return SMR_OK;
}

static smr_status parse_numbers(smr_ctx *ctx, const struct batch *b, int64_t j,
                                struct refusal *refused)
{
    smr_status st = SMR_OK;
    smr_csv_fields f = column_fields(b, j);
    double *out = (double *)b->r->columns[j].values + b->first_row;
    column_tally *t = &b->l->tally[j];
    bool trimmed = false;
    if (b->r->columns[j].decimal == SMR_DECIMAL_COMMA)
        for (int64_t i = 0; i < b->n; i++) exchange(b, &f, i);
    for (int64_t i = 0; i < b->n;) {
        int64_t from = i;
        i = b->r->kernels->numbers(&f, from, b->n, out);
        t->fields.n[SMR_FIELD_NUMBER] += i - from;
        if (b->r->marks.has_numbers) TRY(strip_marks(ctx, b, &f, from, i, j, out));
        if (i == b->n) break;
        if (!trimmed && is_padded(b, &f, i)) {
            f = trim_fields(b, &f, i);
            trimmed = true;
            continue;
        }
        TRY(odd_number(ctx, b, &f, i++, j, out, refused));
    }
out:
    return st;
}

/* ---- dates, strings, codes ---------------------------------------------------------------- */

static smr_status parse_dates(smr_ctx *ctx, const struct batch *b, int64_t j,
                              struct refusal *refused)
{
    smr_status st = SMR_OK;
    smr_csv_fields f = column_fields(b, j);
    double *out = (double *)b->r->columns[j].values + b->first_row;
    column_tally *t = &b->l->tally[j];
    for (int64_t i = 0; i < b->n; i++) {
        const char *text;
        int64_t n;
        bool has_time = false;
        TRY(take_text(ctx, b, &f, i, &text, &n));
        smr_field field = smr_date_parse(text, n, &out[i], &has_time)
                              ? SMR_FIELD_DATE
                              : classify(b, j, text, n, &out[i], &has_time);
        t->fields.n[field]++;
        if (field == SMR_FIELD_DATE) {
            t->has_time |= has_time;
            continue;
        }
        out[i] = NAN;
        bool fits = field == SMR_FIELD_MISSING || field == SMR_FIELD_DASH;
        if (!fits && b->r->columns[j].forced) refuse(refused, i, j);
    }
out:
    return st;
}

static smr_status parse_strings(smr_ctx *ctx, const struct batch *b, int64_t j)
{
    smr_status st = SMR_OK;
    smr_csv_fields f = column_fields(b, j);
    int32_t *out = (int32_t *)b->r->columns[j].values + b->first_row;
    column_tally *t = &b->l->tally[j];
    smr_dict *d = &b->l->dicts[j];
    for (int64_t i = 0; i < b->n; i++) {
        const char *text;
        int64_t n;
        TRY(take_text(ctx, b, &f, i, &text, &n));
        TRY(smr_dict_add(ctx, d, &b->r->marks, text, n, b->first_row + i, &out[i],
                         &b->l->marks_seen));
        t->fields.n[SMR_FIELD_MISSING] += out[i] < 0;
    }
out:
    return st;
}

static smr_status parse_codes(smr_ctx *ctx, const struct batch *b, int64_t j)
{
    smr_status st = SMR_OK;
    smr_csv_fields f = column_fields(b, j);
    const column *c = &b->r->columns[j];
    int32_t *out = (int32_t *)c->values + b->first_row;
    column_tally *t = &b->l->tally[j];
    for (int64_t i = 0; i < b->n; i++) {
        const char *text;
        int64_t n;
        int which;
        TRY(take_text(ctx, b, &f, i, &text, &n));
        out[i] = smr_dict_find(&c->given, text, n);
        if (out[i] >= 0) continue;
        if (smr_field_is_missing(&b->r->marks, text, n, &which)) {
            b->l->marks_seen |= UINT64_C(1) << SMR_MIN(which, 63);
            t->fields.n[SMR_FIELD_MISSING]++;
        } else
            t->n_unseen++;
    }
out:
    return st;
}

/* Fields that are not of the kind that prevails in their column; kept to be shown. */
static smr_status parse_strays(smr_ctx *ctx, const struct batch *b, int64_t j)
{
    smr_status st = SMR_OK;
    smr_csv_fields f = column_fields(b, j);
    smr_dict *d = &b->l->dicts[j];
    smr_field usual = b->r->usual;
    for (int64_t i = 0; i < b->n; i++) {
        const char *text;
        int64_t n;
        double value;
        bool has_time;
        int32_t code;
        TRY(take_text(ctx, b, &f, i, &text, &n));
        smr_field field =
            smr_field_read(&b->r->marks, b->r->columns[j].decimal, text, n, &value, &has_time);
        if (field == usual || field == SMR_FIELD_MISSING || field == SMR_FIELD_DASH) continue;
        TRY(smr_dict_add(ctx, d, &b->r->marks, text, n, b->first_row + i, &code,
                         &b->l->marks_seen));
    }
out:
    return st;
}

/* ---- batches ------------------------------------------------------------------------------ */

static smr_status fail_refused(smr_ctx *ctx, const struct batch *b, const struct refusal *refused)
{
    const csv *r = b->r;
    const column *c = &r->columns[refused->column];
    smr_csv_fields f = column_fields(b, refused->column);
    const char *text;
    int64_t n, at = f.begin[refused->row * f.begin_step] + f.begin_add;
    smr_status st = take_text(ctx, b, &f, refused->row, &text, &n);
    if (st != SMR_OK) return st;
    double value;
    bool has_time, comma = c->decimal == SMR_DECIMAL_COMMA, number = c->kind == SMR_NUMBER;
    smr_field other = smr_field_read(&r->marks, comma ? SMR_DECIMAL_POINT : SMR_DECIMAL_FIND, text,
                                     n, &value, &has_time);
    const char *advice = "correct it, or if it stands for a missing value add --missing";
    if (number && comma && other == SMR_FIELD_NUMBER)
        advice = "numbers have decimal commas in this file; if points are meant add --decimal .";
    if (number && !comma && (other == SMR_FIELD_COMMA || other == SMR_FIELD_EITHER))
        advice = "if commas separate decimals in this file add --decimal ,";
    if (number && !comma && other == SMR_FIELD_GROUPS)
        advice = "if commas separate thousands in this file add --decimal .";
    char excerpt[SMR_EXCERPT_MAX];
    smr_excerpt(text, n, excerpt);
    bool plain = strstr(advice, "--missing") != NULL;
    return smr_fail(ctx, SMR_ERR_DATA,
                    "%s:%" PRId64 ": column '%s' must hold %s, but here it has '%s'; %s%s%s%s",
                    r->name, b->first_line + smr_csv_lines(&r->syntax, b->text, at), c->name,
                    number ? "numbers" : "dates", excerpt, advice, plain ? " '" : "",
                    plain ? excerpt : "", plain ? "'" : "");
}

static smr_status parse_batch(smr_ctx *ctx, const struct batch *b)
{
    smr_status st = SMR_OK;
    struct refusal refused = {.row = -1};
    for (int64_t j = 0; j < b->r->n_fields; j++) {
        switch (b->r->hows[j]) {
        case HOW_SKIP: break;
        case HOW_NUMBER: TRY(parse_numbers(ctx, b, j, &refused)); break;
        case HOW_DATE: TRY(parse_dates(ctx, b, j, &refused)); break;
        case HOW_STRINGS: TRY(parse_strings(ctx, b, j)); break;
        case HOW_CODES: TRY(parse_codes(ctx, b, j)); break;
        case HOW_STRAYS: TRY(parse_strays(ctx, b, j)); break;
        }
    }
    if (refused.row >= 0) TRY(fail_refused(ctx, b, &refused));
out:
    return st;
}

/* The last column's ends without CR; false if some row does not end with its k-th separator. */
static bool check_rows(const csv *r, const lane *l, const char *text, int64_t n_rows)
{
    int64_t k = r->n_fields;
    uint32_t cr = r->is_crlf;
    uint32_t bad = 0;
    const uint32_t *end = l->index + k; /* index[0] is the separator before the batch */
    for (int64_t i = 0; i < n_rows; i++, end += k) {
        bad |= text[*end] != r->syntax.newline;
        l->row_end[i] = *end - (cr & (uint32_t)(text[(int64_t)*end - 1] == '\r'));
    }
    return !bad;
}

/* Rows of a piece without blank lines, found by the kernel.  *fits is false when some row has too
 * many or too few fields; nothing is reported about it here, and nothing of such a batch is parsed:
 * each row must end with its k-th separator, and the row ends found so far must be as many as the
 * rows, so that none lies within a row. */
static smr_status parse_indexed(smr_ctx *ctx, csv *r, const piece *p, lane *l, int64_t length,
                                bool *fits)
{
    smr_status st = SMR_OK;
    int64_t k = r->n_fields, row = 0, have = 0;
    smr_csv_index state = {0};
    l->index[0] = UINT32_MAX; /* the byte before the first */
    while (row < p->n_rows) {
        int64_t want = SMR_MIN(p->n_rows - row, r->batch_rows) * k;
        have += r->kernels->index(&r->syntax, l->text, length, &state, want - have,
                                  l->index + 1 + have);
        int64_t n = have / k;
        *fits = n > 0 && state.n_ends == row + n && check_rows(r, l, l->text, n);
        if (!*fits) break;
        struct batch b = {.r = r,
                          .l = l,
                          .text = l->text,
                          .begin = l->index,
                          .begin_add = 1,
                          .end = l->index + 1,
                          .row_end = l->row_end,
                          .n = n,
                          .first_row = p->first_row + row,
                          .first_line = p->first_line};
        TRY(parse_batch(ctx, &b));
        row += n;
        have -= n * k;
        memmove(l->index, l->index + n * k, (size_t)(have + 1) * sizeof *l->index);
    }
out:
    return st;
}

static smr_status fail_ragged(smr_ctx *ctx, const csv *r, const piece *p, const lane *l,
                              int64_t row_at, int64_t n_fields)
{
    const char *row = l->text + row_at, *newline = strchr(row, r->syntax.newline);
    int64_t n = newline ? newline - row : (int64_t)strlen(row);
    bool more = n_fields > r->n_fields;
    return smr_fail(ctx, SMR_ERR_FORMAT,
                    "%s:%" PRId64 ": wanted %" PRId64 " fields as in the first row, got %" PRId64
                    " in '%s'; %s",
                    r->name, p->first_line + smr_csv_lines(&r->syntax, l->text, row_at),
                    r->n_fields, n_fields, smr_excerpt(row, n, (char[SMR_EXCERPT_MAX]){0}),
                    more ? "put fields that hold the delimiter in quotes"
                         : "is the row cut off, or the delimiter another one?");
}

/* Rows of any piece, split a byte at a time. */
static smr_status parse_split(smr_ctx *ctx, csv *r, const piece *p, lane *l, int64_t length)
{
    smr_status st = SMR_OK;
    int64_t k = r->n_fields, row = 0, fields = k, row_at = 0;
    splitter s = {.syntax = &r->syntax, .text = l->text, .n = length, .ends = true};
    while (row < p->n_rows && fields == k) {
        int64_t n = 0;
        for (; n < r->batch_rows && row + n < p->n_rows; n++) {
            if (smr_csv_split(&s, l->begin + n * k, l->end + n * k, k, &fields, &row_at) !=
                SPLIT_ROW)
                TRY(smr_fail(ctx, SMR_ERR_INTERNAL, "%s: a counted row was not found", r->name));
            if (fields != k) break;
            l->row_end[n] = l->end[n * k + k - 1];
        }
        struct batch b = {.r = r,
                          .l = l,
                          .text = l->text,
                          .begin = l->begin,
                          .end = l->end,
                          .row_end = l->row_end,
                          .n = n,
                          .first_row = p->first_row + row,
                          .first_line = p->first_line};
        TRY(parse_batch(ctx, &b));
        row += n;
    }
    if (fields != k) TRY(fail_ragged(ctx, r, p, l, row_at, fields));
out:
    return st;
}

/* The piece's text, which ends with a row; *n bytes. */
static smr_status load_piece(smr_ctx *ctx, csv *r, const piece *p, lane *l, int64_t *n)
{
    *n = p->end - p->begin;
    smr_status st = smr_source_read_at(ctx, r->source, p->begin, l->text, *n);
    if (st != SMR_OK) return st;
    if (l->text[*n - 1] != r->syntax.newline) l->text[(*n)++] = r->syntax.newline;
    memset(l->text + *n, 0, PAD_BEHIND / 2);
    return SMR_OK;
}

smr_status smr_csv_parse_piece(smr_ctx *ctx, void *arg, int64_t task, int lane_number)
{
    smr_status st = SMR_OK;
    csv *r = arg;
    piece *p = &r->pieces[task];
    lane *l = &r->lanes[lane_number];
    p->lane = lane_number;
    if (p->n_rows == 0) return SMR_OK;
    int64_t n;
    TRY(load_piece(ctx, r, p, l, &n));
    bool plain = p->plain && !r->syntax.by_blanks, fits = plain;
    if (plain) TRY(parse_indexed(ctx, r, p, l, n, &fits));
    if (fits) goto out;
    if (plain) TRY(load_piece(ctx, r, p, l, &n)); /* commas may have been exchanged in it */
    TRY(parse_split(ctx, r, p, l, n));
    if (plain) /* then some row is ragged, and parse_split has said so */
        TRY(smr_fail(ctx, SMR_ERR_INTERNAL, "%s: two ways to find the fields disagree", r->name));
out:
    return st;
}

/* ---- memory of the threads ---------------------------------------------------------------- */

const column_tally smr_csv_no_tally = {.first_large = INT64_MAX, .first_grouped = INT64_MAX};

static smr_status make_text(smr_ctx *ctx, lane *l, int64_t room)
{
    smr_free(l->block);
    l->room = 0;
    l->block = smr_alloc_raw(ctx, PAD_BEFORE + room + PAD_BEHIND, 1);
    if (!l->block) return SMR_ERR_NOMEM;
    memset(l->block, 0, PAD_BEFORE);
    l->text = l->block + PAD_BEFORE;
    l->room = room;
    return SMR_OK;
}

/* Called before pass 1, and again before pass 2 when pieces and columns are known. */
smr_status smr_csv_make_lanes(csv *r)
{
    smr_status st = SMR_OK;
    smr_ctx *ctx = r->ctx;
    int64_t room = SMR_MAX(r->limits.piece, r->max_piece), k = r->n_fields;
    if (!r->lanes) {
        r->n_lanes = smr_lanes(ctx);
        TRY_NEW(r->lanes, r->n_lanes);
    }
    for (int i = 0; i < r->n_lanes; i++)
        if (r->lanes[i].room < room) TRY(make_text(ctx, &r->lanes[i], room));
    if (!r->n_pieces || r->lanes[0].tally) goto out;
    r->batch_rows = SMR_MAX(1, BATCH_FIELDS / k);
    for (int i = 0; i < r->n_lanes; i++) {
        lane *l = &r->lanes[i];
        TRY_NEW(l->index, r->batch_rows * k + 1 + 2 * INDEX_ROOM);
        TRY_NEW(l->begin, r->batch_rows * k);
        TRY_NEW(l->end, r->batch_rows * k);
        TRY_NEW(l->row_end, r->batch_rows + INDEX_ROOM);
        TRY_NEW(l->trim_begin, r->batch_rows + INDEX_ROOM);
        TRY_NEW(l->trim_end, r->batch_rows + INDEX_ROOM);
        TRY_NEW(l->tally, k);
        TRY_NEW(l->dicts, k);
        for (int64_t j = 0; j < k; j++) l->tally[j] = smr_csv_no_tally;
    }
out:
    return st;
}

void smr_csv_free_lanes(csv *r)
{
    for (int i = 0; r->lanes && i < r->n_lanes; i++) {
        lane *l = &r->lanes[i];
        for (int64_t j = 0; l->dicts && j < r->n_fields; j++) smr_dict_release(&l->dicts[j]);
        smr_free(l->block);
        smr_free(l->index);
        smr_free(l->begin);
        smr_free(l->end);
        smr_free(l->row_end);
        smr_free(l->trim_begin);
        smr_free(l->trim_end);
        smr_free(l->unquoted);
        smr_free(l->tally);
        smr_free(l->dicts);
    }
    smr_free(r->lanes);
    r->lanes = NULL;
}

/* Sums of what the threads met, and clean counters for the next pass. */
void smr_csv_gather(csv *r)
{
    for (int64_t j = 0; j < r->n_fields; j++) {
        column *c = &r->columns[j];
        if (r->hows[j] == HOW_SKIP) continue;
        c->tally = smr_csv_no_tally;
        for (int i = 0; i < r->n_lanes; i++) {
            column_tally *t = &r->lanes[i].tally[j];
            for (int f = 0; f < SMR_FIELD_KINDS; f++) c->tally.fields.n[f] += t->fields.n[f];
            c->tally.n_unseen += t->n_unseen;
            c->tally.n_large += t->n_large;
            c->tally.first_large = SMR_MIN(c->tally.first_large, t->first_large);
            c->tally.first_grouped = SMR_MIN(c->tally.first_grouped, t->first_grouped);
            c->tally.has_time |= t->has_time;
            *t = smr_csv_no_tally;
        }
    }
    for (int i = 0; i < r->n_lanes; i++) r->marks_seen |= r->lanes[i].marks_seen;
}

smr_status smr_csv_parse(csv *r)
{
    smr_status st = smr_parallel(r->ctx, "reading rows", r->n_pieces, smr_csv_parse_piece, r);
    if (st == SMR_OK) smr_csv_gather(r);
    return st;
}
