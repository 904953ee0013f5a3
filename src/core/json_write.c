/* json_write.c -- JSON values as text.  See json.h.
 *
 * The form for people keeps on one line what fits there: arrays, and objects inside arrays when
 * their members are plain.  Long arrays of numbers fill lines; everything else has a line of its
 * own.  Whether something fits is found by walking it until the line is full, so the cost is linear
 * in the size of the text times the depth. */
#include "core/json_parts.h"

#include "core/number.h"

#include <math.h>
#include <string.h>

enum { WIDTH = 100, BETWEEN_TICKS = 1024 };

struct writer {
    smr_text *out;
    int indent;    /* spaces per level; 0: all on one line */
    int64_t level; /* of the value that is being written  */
    bool asks;     /* whether the work is cancelled: then nothing more is written */
    smr_status st;
    int64_t n_values;
};

static bool is_container(const smr_json *value)
{
    return value->type == SMR_JSON_ARRAY || value->type == SMR_JSON_OBJECT;
}

/* ---- strings ---------------------------------------------------------------------------- */

/* Bytes from p that need no change. */
static int64_t plain_run(const char *p, const char *end)
{
    const char *first = p;
    while (p < end && *p != '"' && *p != '\\') {
        int n = smr_utf8_step(p, end);
        unsigned char c = (unsigned char)*p;
        bool is_control = c < 0x20 || c == 0x7F || (c == 0xC2 && n == 2 && (p[1] & 0xFF) < 0xA0);
        if (n == 0 || is_control) break;
        p += n;
    }
    return p - first;
}

/* Writes the one character at p that cannot stay as it is, and returns its bytes. */
static int add_escaped(smr_text *out, const char *p, const char *end)
{
    static const char byte[] = "\"\\\b\f\n\r\t", name[] = "\"\\bfnrt";
    const char *found = memchr(byte, *p, sizeof byte - 1);
    if (found) {
        smr_text_printf(out, "\\%c", name[found - byte]);
        return 1;
    }
    int n = smr_utf8_step(p, end);
    if (n == 0) {
        smr_text_add(out, "\xEF\xBF\xBD"); /* U+FFFD, the mark for what could not be read */
        return 1;
    }
    smr_text_printf(out, "\\u%04x", (unsigned)(n == 2 ? p[1] & 0xFF : *p));
    return n;
}

void smr_json_write_string(const char *bytes, int64_t length, smr_text *out)
{
    const char *p = bytes, *end = bytes + length;
    smr_text_add(out, "\"");
    while (p < end) {
        int64_t run = plain_run(p, end);
        smr_text_add_bytes(out, p, run);
        p += run;
        if (p < end) p += add_escaped(out, p, end);
    }
    smr_text_add(out, "\"");
}

static void add_scalar(smr_text *out, const smr_json *value)
{
    switch (value->type) {
    case SMR_JSON_BOOL: smr_text_add(out, value->number != 0 ? "true" : "false"); break;
    case SMR_JSON_STRING: smr_json_write_string(value->string, value->n, out); break;
    case SMR_JSON_NUMBER:
        if (isfinite(value->number))
            smr_text_number(out, value->number);
        else
            smr_text_add(out, "null");
        break;
    default: smr_text_add(out, "null"); break;
    }
}

/* ---- does it fit ------------------------------------------------------------------------ */

/* What is left of `room` columns after the value on one line; negative when it does not fit or
 * should not be on one line.  Strings count one column per byte: an estimate is enough. */
static int64_t room_after(const smr_json *value, int64_t room, bool in_array)
{
    char number[SMR_NUMBER_MAX];
    if (value->type == SMR_JSON_STRING) return room - value->n - 2;
    if (value->type == SMR_JSON_NUMBER) return room - smr_format_double(value->number, number);
    if (!is_container(value)) return room - 5;

    bool is_object = value->type == SMR_JSON_OBJECT;
    if (is_object && value->n && !in_array) return -1;
    room -= 2;
    for (const smr_json *child = value->first; child && room >= 0; child = child->next) {
        if (is_object && is_container(child) && child->n) return -1;
        if (is_object) room -= (int64_t)strlen(child->key) + 4;
        room = room_after(child, room - 2, !is_object);
    }
    return room;
}

/* ---- layout ----------------------------------------------------------------------------- */

static void new_line(const struct writer *w)
{
    smr_text_add(w->out, "\n");
    for (int64_t i = 0; i < w->level * w->indent; i++) smr_text_add(w->out, " ");
}

static void add_key(const struct writer *w, const smr_json *member)
{
    if (!member->key) return;
    smr_json_write_string(member->key, (int64_t)strlen(member->key), w->out);
    smr_text_add(w->out, w->indent ? ": " : ":");
}

static void add_on_one_line(const struct writer *w, const smr_json *value)
{
    if (!is_container(value)) {
        add_scalar(w->out, value);
        return;
    }
    bool is_object = value->type == SMR_JSON_OBJECT;
    smr_text_add(w->out, is_object ? "{" : "[");
    for (const smr_json *child = value->first; child; child = child->next) {
        if (is_object) add_key(w, child);
        add_on_one_line(w, child);
        if (child->next) smr_text_add(w->out, w->indent ? ", " : ",");
    }
    smr_text_add(w->out, is_object ? "}" : "]");
}

static bool all_numbers(const smr_json *array)
{
    for (const smr_json *child = array->first; child; child = child->next)
        if (child->type != SMR_JSON_NUMBER) return false;
    return array->type == SMR_JSON_ARRAY;
}

/* Numbers one after another, a new line when the line is full. */
static void add_filled(struct writer *w, const smr_json *array)
{
    int64_t line = w->out->length - w->level * w->indent;
    for (const smr_json *child = array->first; child; child = child->next) {
        add_scalar(w->out, child);
        if (!child->next) break;
        smr_text_add(w->out, ",");
        int64_t next = room_after(child->next, WIDTH - (w->out->length - line) - 2, true);
        if (next >= 0) {
            smr_text_add(w->out, " ");
            continue;
        }
        new_line(w);
        line = w->out->length - w->level * w->indent;
    }
}

/* Before a value: whether it is still wanted. */
static bool goes_on(struct writer *w)
{
    if (w->asks && w->st == SMR_OK && ++w->n_values % BETWEEN_TICKS == 0)
        w->st = smr_tick(w->out->ctx, NULL, 0, 1, NAN);
    return w->st == SMR_OK;
}

static void add_value(struct writer *w, const smr_json *value, bool in_array, int64_t used)
{
    if (!goes_on(w)) return;
    int64_t room = WIDTH - w->level * w->indent - used - 1;
    if (!is_container(value) || !value->n || room_after(value, room, in_array) >= 0) {
        add_on_one_line(w, value);
        return;
    }
    bool is_object = value->type == SMR_JSON_OBJECT;
    smr_text_add(w->out, is_object ? "{" : "[");
    w->level++;
    new_line(w);
    if (all_numbers(value)) {
        add_filled(w, value);
    } else {
        for (const smr_json *child = value->first; child && w->st == SMR_OK; child = child->next) {
            if (is_object) add_key(w, child);
            int64_t key = is_object ? (int64_t)strlen(child->key) + 4 : 0;
            add_value(w, child, !is_object, key);
            if (!child->next) break;
            smr_text_add(w->out, ",");
            new_line(w);
        }
    }
    w->level--;
    new_line(w);
    smr_text_add(w->out, is_object ? "}" : "]");
}

static smr_status write_value(const smr_json *value, int indent, bool asks, smr_text *out)
{
    struct writer w = {.out = out, .indent = indent > 0 ? indent : 0, .asks = asks};
    if (!value)
        smr_text_add(out, "null");
    else if (!w.indent)
        add_on_one_line(&w, value);
    else
        add_value(&w, value, false, 0);
    return w.st;
}

void smr_json_write(const smr_json *value, int indent, smr_text *out)
{
    write_value(value, indent, false, out);
}

smr_status smr_json_write_long(const smr_json *value, int indent, smr_text *out)
{
    smr_status st = write_value(value, indent, true, out);
    return st == SMR_OK ? smr_text_done(out) : st;
}
