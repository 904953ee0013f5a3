/* render.c -- see render.h. */
#include "report/render.h"

#include "core/number.h"

#include <math.h>
#include <string.h>

enum { DIGITS = 6, MOST_COLUMNS = 64, WIDEST = 40 };

int64_t smr_render_width(const char *text, int64_t length)
{
    int64_t n = 0;
    for (int64_t i = 0; i < length; i++) n += ((unsigned char)text[i] & 0xC0) != 0x80;
    return n;
}

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

/* Renders into `cell`, shortened to WIDEST columns, and returns its width. */
static int64_t render_cell(const smr_json *v, smr_text *cell)
{
    cell->length = 0;
    smr_text_add_bytes(cell, "", 0);
    smr_render_value(v, cell);
    int64_t width = smr_render_width(cell->bytes ? cell->bytes : "", cell->length);
    if (width <= WIDEST) return width;
    int64_t kept = 0, columns = 0;
    while (columns < WIDEST - 1) {
        kept++;
        while (kept < cell->length && ((unsigned char)cell->bytes[kept] & 0xC0) == 0x80) kept++;
        columns++;
    }
    cell->length = kept;
    smr_text_add(cell, "~");
    return WIDEST;
}

static void add_cell(smr_text *out, const smr_json *v, int64_t width, bool right, smr_text *cell)
{
    int64_t used = render_cell(v, cell);
    if (right) add_blanks(out, width - used);
    if (cell->bytes) smr_text_add_bytes(out, cell->bytes, cell->length);
    if (!right) add_blanks(out, width - used);
}

void smr_render_pairs(const smr_json *object, int indent, smr_text *out)
{
    int64_t width = 0;
    for (const smr_json *m = object ? object->first : NULL; m; m = m->next)
        if (is_scalar(m)) width = SMR_MAX(width, smr_render_width(m->key, (int64_t)strlen(m->key)));
    for (const smr_json *m = object ? object->first : NULL; m; m = m->next) {
        if (!is_scalar(m)) continue;
        add_blanks(out, indent);
        smr_text_add(out, m->key);
        add_blanks(out, width + 2 - smr_render_width(m->key, (int64_t)strlen(m->key)));
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
    int64_t width = smr_render_width(key, (int64_t)strlen(key)), i = 0;
    for (const smr_json *row = rows->first; row && (!most || i < most); row = row->next, i++)
        width = SMR_MAX(width, render_cell(smr_json_get(row, key), cell));
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

void smr_render_table(const smr_json *rows, int indent, int64_t most, smr_text *out)
{
    const char *keys[MOST_COLUMNS];
    int64_t width[MOST_COLUMNS], n, i = 0;
    bool right[MOST_COLUMNS];
    smr_text cell = {.ctx = out->ctx};
    if (!rows || !rows->first) return;
    n = collect_keys(rows, keys);
    for (int64_t k = 0; k < n; k++) {
        width[k] = column_width(rows, keys[k], most, &cell);
        right[k] = numeric_column(rows, keys[k], most);
    }
    add_blanks(out, indent);
    for (int64_t k = 0; k < n; k++) {
        int64_t gap = width[k] - smr_render_width(keys[k], (int64_t)strlen(keys[k]));
        if (k) smr_text_add(out, "  ");
        if (right[k]) add_blanks(out, gap);
        smr_text_add(out, keys[k]);
        if (!right[k] && k + 1 < n) add_blanks(out, gap);
    }
    smr_text_add(out, "\n");
    for (const smr_json *row = rows->first; row && (!most || i < most); row = row->next, i++) {
        add_blanks(out, indent);
        for (int64_t k = 0; k < n; k++) {
            if (k) smr_text_add(out, "  ");
            bool last = k + 1 == n;
            add_cell(out, smr_json_get(row, keys[k]), last && !right[k] ? 0 : width[k], right[k],
                     &cell);
        }
        smr_text_add(out, "\n");
    }
    if (rows->n > i)
        smr_text_printf(out, "%*s... and %lld more\n", indent, "", (long long)(rows->n - i));
    if (smr_text_done(&cell) != SMR_OK) out->failed = true;
    smr_text_release(&cell);
}

void smr_render_matrix(const smr_json *matrix, const smr_json *names, int indent, smr_text *out)
{
    smr_text cell = {.ctx = out->ctx};
    int64_t head = 0, width = 0;
    if (!matrix || !names) return;
    for (const smr_json *name = names->first; name; name = name->next)
        head = SMR_MAX(head, render_cell(name, &cell));
    width = head;
    for (const smr_json *row = matrix->first; row; row = row->next)
        for (const smr_json *v = row->first; v; v = v->next)
            width = SMR_MAX(width, render_cell(v, &cell));
    add_blanks(out, indent + head);
    for (const smr_json *name = names->first; name; name = name->next) {
        smr_text_add(out, "  ");
        add_cell(out, name, width, true, &cell);
    }
    smr_text_add(out, "\n");
    const smr_json *name = names->first;
    for (const smr_json *row = matrix->first; row && name; row = row->next, name = name->next) {
        add_blanks(out, indent);
        add_cell(out, name, head, false, &cell);
        for (const smr_json *v = row->first; v; v = v->next) {
            smr_text_add(out, "  ");
            add_cell(out, v, width, true, &cell);
        }
        smr_text_add(out, "\n");
    }
    if (smr_text_done(&cell) != SMR_OK) out->failed = true;
    smr_text_release(&cell);
}
