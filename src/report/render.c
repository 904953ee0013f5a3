/* render.c -- see render.h. */
#include "report/render.h"

#include "core/number.h"

#include <math.h>
#include <string.h>

enum { DIGITS = 6, MOST_COLUMNS = 64, WIDEST = 40, LEAST_TEXT = 12 };

/* Something to show in a line of its own: null says nothing. */
static bool is_scalar(const smr_json *v)
{
    if (v->type == SMR_JSON_NUMBER) return !isnan(v->number);
    return v->type == SMR_JSON_BOOL || v->type == SMR_JSON_STRING;
}

/* Control characters would move the cursor, or worse: they are shown as '?'. */
static void add_printable(smr_text *out, const char *text, int64_t n)
{
    for (int64_t i = 0; i < n; i++) {
        bool control = (unsigned char)text[i] < 32 || text[i] == 127;
        smr_text_add_bytes(out, control ? "?" : text + i, 1);
    }
}

void smr_render_count(const smr_json *object, const char *key, const char *noun, smr_text *out)
{
    smr_text_count(out, (int64_t)smr_json_get_number(object, key, 0), noun);
}

void smr_render_number(double x, int digits, smr_text *out)
{
    char text[SMR_NUMBER_MAX];
    int n = smr_format_rounded(x, digits, text);
    int sign = text[0] == '-';
    int length = n - sign, kept = SMR_MIN(digits, length);
    if (length < 8 || memchr(text, '.', (size_t)n) || memchr(text, 'e', (size_t)n) ||
        !isfinite(x)) {
        smr_text_add_bytes(out, text, n);
        return;
    }
    while (kept > 1 && text[sign + kept - 1] == '0') kept--;
    smr_text_add_bytes(out, text, sign + 1);
    if (kept > 1) smr_text_add(out, ".");
    smr_text_add_bytes(out, text + sign + 1, kept - 1);
    smr_text_printf(out, "e%d", length - 1);
}

void smr_render_value(const smr_json *v, smr_text *out)
{
    if (!v || v->type == SMR_JSON_NULL) {
        smr_text_add(out, "-");
    } else if (v->type == SMR_JSON_BOOL) {
        smr_text_add(out, v->number != 0 ? "yes" : "no");
    } else if (v->type == SMR_JSON_NUMBER) {
        if (isnan(v->number))
            smr_text_add(out, "-");
        else if (v->number == floor(v->number) && fabs(v->number) < 1e15)
            smr_text_number(out, v->number);
        else
            smr_render_number(v->number, DIGITS, out);
    } else if (v->type == SMR_JSON_STRING) {
        add_printable(out, v->string, v->n);
    } else {
        for (const smr_json *e = v->first; e; e = e->next) {
            if (e != v->first) smr_text_add(out, ", ");
            smr_render_value(e, out);
        }
    }
}

static void add_blanks(smr_text *out, int64_t n)
{
    for (; n > 0; n--) smr_text_add(out, " ");
}

/* Renders into `cell`, shortened to `widest` columns, and returns its width. */
static int64_t render_cell(const smr_json *v, int64_t widest, smr_text *cell)
{
    cell->length = 0;
    smr_text_add_bytes(cell, "", 0);
    smr_render_value(v, cell);
    int64_t width = smr_text_width(cell->bytes ? cell->bytes : "", cell->length);
    if (width <= widest) return width;
    int64_t kept = 0, columns = 0;
    while (columns < widest - 1) {
        kept++;
        while (kept < cell->length && ((unsigned char)cell->bytes[kept] & 0xC0) == 0x80) kept++;
        columns++;
    }
    cell->length = kept;
    smr_text_add(cell, "~");
    return widest;
}

static void add_cell(smr_text *out, const smr_json *v, int64_t width, bool right, bool last,
                     smr_text *cell)
{
    int64_t used = render_cell(v, width, cell);
    if (right) add_blanks(out, width - used);
    if (cell->bytes) smr_text_add_bytes(out, cell->bytes, cell->length);
    if (!right && !last) add_blanks(out, width - used);
}

void smr_render_pairs(const smr_json *object, int indent, smr_text *out)
{
    int64_t width = 0;
    for (const smr_json *m = object ? object->first : NULL; m; m = m->next)
        if (is_scalar(m)) width = SMR_MAX(width, smr_text_width(m->key, (int64_t)strlen(m->key)));
    for (const smr_json *m = object ? object->first : NULL; m; m = m->next) {
        if (!is_scalar(m)) continue;
        add_blanks(out, indent);
        smr_text_add(out, m->key);
        add_blanks(out, width + 2 - smr_text_width(m->key, (int64_t)strlen(m->key)));
        smr_render_value(m, out);
        smr_text_add(out, "\n");
    }
}

/* A column is numeric when no value in it is text. */
static bool numeric_column(const smr_json *rows, const char *key, int64_t most)
{
    int64_t i = 0;
    for (const smr_json *row = rows->first; row && (!most || i < most); row = row->next, i++) {
        const smr_json *v = smr_json_get(row, key);
        if (v && (v->type == SMR_JSON_STRING || v->type == SMR_JSON_ARRAY)) return false;
    }
    return true;
}

static int64_t column_width(const smr_json *rows, const char *key, int64_t most, smr_text *cell)
{
    int64_t width = smr_text_width(key, (int64_t)strlen(key)), i = 0;
    for (const smr_json *row = rows->first; row && (!most || i < most); row = row->next, i++)
        width = SMR_MAX(width, render_cell(smr_json_get(row, key), WIDEST, cell));
    return width;
}

/* The keys of all rows in the order of first appearance: a later row may have more. */
static int64_t collect_keys(const smr_json *rows, const char *keys[MOST_COLUMNS])
{
    int64_t n = 0;
    for (const smr_json *row = rows->first; row; row = row->next)
        for (const smr_json *m = row->first; m; m = m->next) {
            int64_t k = 0;
            while (k < n && strcmp(keys[k], m->key) != 0) k++;
            if (k == n && n < MOST_COLUMNS && m->type != SMR_JSON_OBJECT) keys[n++] = m->key;
        }
    return n;
}

/* ---- tables ------------------------------------------------------------------------------ */

struct table {
    const smr_json *rows;
    int indent;
    int64_t most, n; /* rows that are shown, 0: all; columns */
    const char *keys[MOST_COLUMNS];
    int64_t width[MOST_COLUMNS];
    bool right[MOST_COLUMNS];
};

static void begin_bold(smr_text *out)
{
    if (out->styled) smr_text_add(out, "\033[1m");
}

static void end_bold(smr_text *out)
{
    if (out->styled) smr_text_add(out, "\033[0m");
}

/* Columns of the screen that those of the table take. */
static int64_t total_width(const struct table *t)
{
    int64_t sum = t->indent;
    for (int64_t k = 0; k < t->n; k++) sum += t->width[k] + (k ? 2 : 0);
    return sum;
}

/* Texts are cut, the widest first, where that makes the table narrow enough; else none is. */
static void cut_texts(struct table *t, int64_t screen)
{
    int64_t whole[MOST_COLUMNS], over = total_width(t) - screen, widest = 0;
    memcpy(whole, t->width, sizeof whole);
    for (; over > 0 && widest >= 0; over--) {
        widest = -1;
        for (int64_t k = 0; k < t->n; k++) {
            int64_t head = smr_text_width(t->keys[k], (int64_t)strlen(t->keys[k]));
            bool longer = widest < 0 || t->width[k] > t->width[widest];
            if (!t->right[k] && t->width[k] > SMR_MAX(LEAST_TEXT, head) && longer) widest = k;
        }
        if (widest >= 0) t->width[widest]--;
    }
    if (widest < 0) memcpy(t->width, whole, sizeof whole);
}

static void add_head(const struct table *t, const int64_t *columns, int64_t n, smr_text *out)
{
    add_blanks(out, t->indent);
    begin_bold(out);
    for (int64_t i = 0; i < n; i++) {
        int64_t k = columns[i];
        int64_t gap = t->width[k] - smr_text_width(t->keys[k], (int64_t)strlen(t->keys[k]));
        if (i) smr_text_add(out, "  ");
        if (t->right[k]) add_blanks(out, gap);
        smr_text_add(out, t->keys[k]);
        if (!t->right[k] && i + 1 < n) add_blanks(out, gap);
    }
    end_bold(out);
    smr_text_add(out, "\n");
}

/* All rows, of some of the columns. */
static void add_columns(const struct table *t, const int64_t *columns, int64_t n, smr_text *cell,
                        smr_text *out)
{
    int64_t r = 0;
    add_head(t, columns, n, out);
    for (const smr_json *row = t->rows->first; row && (!t->most || r < t->most);
         row = row->next, r++) {
        add_blanks(out, t->indent);
        for (int64_t i = 0; i < n; i++) {
            int64_t k = columns[i];
            if (i) smr_text_add(out, "  ");
            add_cell(out, smr_json_get(row, t->keys[k]), t->width[k], t->right[k], i + 1 == n,
                     cell);
        }
        smr_text_add(out, "\n");
    }
}

/* As many columns as the screen holds, after the first, which names the rows; then the next. */
static void add_parts(const struct table *t, smr_text *cell, smr_text *out)
{
    int64_t columns[MOST_COLUMNS] = {0}, next = 1;
    do {
        int64_t n = 1, used = t->indent + t->width[0];
        while (next < t->n && (n == 1 || !out->width || used + 2 + t->width[next] <= out->width)) {
            used += 2 + t->width[next];
            columns[n++] = next++;
        }
        add_columns(t, columns, n, cell, out);
        if (next < t->n) smr_text_add(out, "\n");
    } while (next < t->n);
}

void smr_render_table(const smr_json *rows, int indent, int64_t most, smr_text *out)
{
    smr_text cell = {.ctx = out->ctx};
    struct table t = {.rows = rows, .indent = indent, .most = most};
    if (!rows || !rows->first) return;
    t.n = collect_keys(rows, t.keys);
    if (!t.n) return;
    for (int64_t k = 0; k < t.n; k++) {
        t.width[k] = column_width(rows, t.keys[k], most, &cell);
        t.right[k] = numeric_column(rows, t.keys[k], most);
    }
    if (out->width) cut_texts(&t, out->width);
    add_parts(&t, &cell, out);
    if (most && rows->n > most)
        smr_text_printf(out, "%*s... and %lld more\n", indent, "", (long long)(rows->n - most));
    if (smr_text_done(&cell) != SMR_OK) out->failed = true;
    smr_text_release(&cell);
}

/* ---- matrices ---------------------------------------------------------------------------- */

struct matrix {
    const smr_json *rows, *names;
    int indent;
    int64_t head, width; /* columns of the names of rows, and of each cell */
};

static void add_matrix_row(const struct matrix *m, const smr_json *cells, int64_t lo, int64_t hi,
                           smr_text *cell, smr_text *out)
{
    int64_t j = 0;
    for (const smr_json *v = cells->first; v && j < hi; v = v->next, j++) {
        if (j < lo) continue;
        smr_text_add(out, "  ");
        add_cell(out, v, m->width, true, false, cell);
    }
    smr_text_add(out, "\n");
}

/* Columns [lo, hi) of it. */
static void add_matrix_part(const struct matrix *m, int64_t lo, int64_t hi, smr_text *cell,
                            smr_text *out)
{
    const smr_json *name = m->names->first;
    add_blanks(out, m->indent + m->head);
    begin_bold(out);
    add_matrix_row(m, m->names, lo, hi, cell, out);
    end_bold(out);
    for (const smr_json *row = m->rows->first; row && name; row = row->next, name = name->next) {
        add_blanks(out, m->indent);
        add_cell(out, name, m->head, false, false, cell);
        add_matrix_row(m, row, lo, hi, cell, out);
    }
}

void smr_render_matrix(const smr_json *matrix, const smr_json *names, int indent, smr_text *out)
{
    smr_text cell = {.ctx = out->ctx};
    struct matrix m = {.rows = matrix, .names = names, .indent = indent};
    if (!matrix || !names) return;
    for (const smr_json *name = names->first; name; name = name->next)
        m.head = SMR_MAX(m.head, render_cell(name, WIDEST, &cell));
    m.width = m.head;
    for (const smr_json *row = matrix->first; row; row = row->next)
        for (const smr_json *v = row->first; v; v = v->next)
            m.width = SMR_MAX(m.width, render_cell(v, WIDEST, &cell));
    int64_t room = out->width - indent - m.head, n = names->n;
    int64_t per = out->width ? SMR_MAX(1, room / (m.width + 2)) : SMR_MAX(1, n);
    for (int64_t lo = 0; lo < n; lo += per) {
        if (lo) smr_text_add(out, "\n");
        add_matrix_part(&m, lo, SMR_MIN(n, lo + per), &cell, out);
    }
    if (smr_text_done(&cell) != SMR_OK) out->failed = true;
    smr_text_release(&cell);
}
