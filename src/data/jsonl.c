/* jsonl.c -- JSON lines: one object per line, its members the columns.
 *
 * Members of a nested object are columns of their own, named "outer.inner".  An array is
 * refused, since no column holds lists, unless the column is left out.  Keys come in any order,
 * and a row may lack some (collect.h).  Blank lines are passed over.
 *
 * Memory: the table, one line, and the line's values. */
#include "core/json.h"
#include "core/text.h"
#include "data/collect.h"
#include "data/formats.h"
#include "data/infer.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { STEP = 1 << 20, LONGEST = 64 << 20, TICK_LINES = 1024 };

struct jsonl {
    smr_source *source;
    const char *name;
    smr_collector *into;
    char *text; /* from the beginning of a line */
    int64_t n, room;
    int64_t line;
    smr_text path; /* "outer.inner" */
};

static smr_status take_value(smr_ctx *ctx, struct jsonl *r, const smr_json *v);

static smr_status take_members(smr_ctx *ctx, struct jsonl *r, const smr_json *object)
{
    smr_status st = SMR_OK;
    int64_t before = r->path.length;
    for (const smr_json *v = object->first; v; v = v->next) {
        if (before) smr_text_add(&r->path, ".");
        smr_text_add(&r->path, v->key);
        TRY(smr_text_done(&r->path));
        TRY(take_value(ctx, r, v));
        r->path.length = before;
    }
out:
    return st;
}

static smr_status take_value(smr_ctx *ctx, struct jsonl *r, const smr_json *v)
{
    int64_t j;
    if (v->type == SMR_JSON_OBJECT) return take_members(ctx, r, v);
    smr_status st = smr_collect_column(ctx, r->into, r->path.bytes, r->path.length, &j);
    if (st != SMR_OK) return st;
    switch (v->type) {
    case SMR_JSON_NULL: return smr_collect_gap(ctx, r->into, j);
    case SMR_JSON_BOOL: return smr_collect_bool(ctx, r->into, j, v->number != 0);
    case SMR_JSON_NUMBER: return smr_collect_number(ctx, r->into, j, v->number);
    case SMR_JSON_STRING: return smr_collect_string(ctx, r->into, j, v->string, v->n);
    case SMR_JSON_ARRAY:
    case SMR_JSON_OBJECT: break;
    }
    if (!smr_collect_wants(r->into, j)) return SMR_OK;
    char excerpt[SMR_EXCERPT_MAX];
    smr_excerpt(r->path.bytes, r->path.length, excerpt);
    return smr_fail(ctx, SMR_ERR_FORMAT,
                    "%s:%" PRId64
                    ": '%s' is an array, and no column holds lists; leave it out with "
                    "--type %s=ignore",
                    r->name, r->line, excerpt, excerpt);
}

/* "byte 17 of the JSON text: ..." becomes "file:3:18: ...". */
static smr_status fail_line(smr_ctx *ctx, const struct jsonl *r, const char *text, smr_status st)
{
    char said[SMR_MESSAGE_MAX];
    static const char before[] = "byte ", between[] = " of the JSON text: ";
    snprintf(said, sizeof said, "%s", smr_ctx_message(ctx));
    smr_begin(ctx); /* it is said again, with its place in the file */
    const char *advice = text[0] == '['
                             ? "; JSON lines are objects, one per line: jq -c '.[]' makes them"
                             : "; each line is one whole object: jq -c . makes such lines";
    const char *rest = strstr(said, between);
    if (strncmp(said, before, strlen(before)) != 0 || !rest)
        return smr_fail(ctx, st, "%s:%" PRId64 ": %s%s", r->name, r->line, said, advice);
    int64_t byte = 0;
    for (const char *p = said + strlen(before); *p >= '0' && *p <= '9'; p++)
        byte = 10 * byte + (*p - '0');
    return smr_fail(ctx, st, "%s:%" PRId64 ":%" PRId64 ": %s%s", r->name, r->line, byte + 1,
                    rest + strlen(between), advice);
}

static bool is_blank(const char *text, int64_t n)
{
    for (int64_t i = 0; i < n; i++)
        if (text[i] != ' ' && text[i] != '\t' && text[i] != '\r') return false;
    return true;
}

static smr_status take_line(smr_ctx *ctx, struct jsonl *r, const char *text, int64_t n)
{
    smr_status st = SMR_OK;
    smr_json_doc *doc = NULL;
    r->line++;
    if (r->line % TICK_LINES == 0) TRY(smr_tick(ctx, "reading rows", r->line, 0, NAN));
    if (r->line == 1 && n >= 3 && !memcmp(text, "\xef\xbb\xbf", 3)) text += 3, n -= 3;
    if (is_blank(text, n)) goto out;
    st = smr_json_parse(ctx, text, n, &doc);
    if (st == SMR_ERR_FORMAT) st = fail_line(ctx, r, text, st);
    if (st != SMR_OK) goto out;
    const smr_json *root = smr_json_root(doc);
    if (root->type != SMR_JSON_OBJECT)
        TRY(smr_fail(
            ctx, SMR_ERR_FORMAT, "%s:%" PRId64 ": is not an object {...}; %s", r->name, r->line,
            root->type == SMR_JSON_ARRAY
                ? "JSON lines are objects, one per line: jq -c '.[]' makes them of an array"
                : "each line of JSON lines is one"));
    TRY(smr_collect_row(ctx, r->into, r->line));
    r->path.length = 0;
    TRY(take_members(ctx, r, root));
out:
    smr_json_free(doc);
    return st;
}

/* Lines that are whole; `ends`: the last one needs no line feed. */
static smr_status take_lines(smr_ctx *ctx, struct jsonl *r, bool ends)
{
    smr_status st = SMR_OK;
    int64_t at = 0;
    while (at < r->n) {
        const char *feed = memchr(r->text + at, '\n', (size_t)(r->n - at));
        if (!feed && !ends) break;
        int64_t end = feed ? feed - r->text : r->n;
        TRY(take_line(ctx, r, r->text + at, end - at));
        at = end + (feed != NULL);
    }
    r->n -= at;
    if (r->n) memmove(r->text, r->text + at, (size_t)r->n);
out:
    return st;
}

static smr_status make_room(smr_ctx *ctx, struct jsonl *r)
{
    if (r->room - r->n >= STEP) return SMR_OK;
    if (r->n > LONGEST)
        return smr_fail(ctx, SMR_ERR_FORMAT,
                        "%s:%" PRId64 ": the line is longer than %d MB; is it one object per line?",
                        r->name, r->line + 1, LONGEST >> 20);
    int64_t room = 2 * r->room + STEP;
    char *moved = smr_realloc(ctx, r->text, room, 1);
    if (!moved) return SMR_ERR_NOMEM;
    r->text = moved;
    r->room = room;
    return SMR_OK;
}

smr_status smr_jsonl_read(smr_ctx *ctx, smr_source *source, const smr_read_opts *opts,
                          smr_table **out)
{
    smr_status st = SMR_OK;
    struct jsonl r = {.source = source, .name = smr_source_name(source), .path = {.ctx = ctx}};
    smr_text notes = {.ctx = ctx};
    static const smr_read_opts defaults = {.header = -1};
    int64_t got = 1;
    *out = NULL;
    if (!opts) opts = &defaults;
    TRY(smr_source_rewind(ctx, source));
    TRY(smr_collector_create(ctx, r.name, "line", opts, &r.into));
    while (got > 0) {
        TRY(make_room(ctx, &r));
        TRY(smr_source_read(ctx, source, r.text + r.n, r.room - r.n, &got));
        r.n += got;
        TRY(take_lines(ctx, &r, got == 0));
    }
    smr_text_add(&notes, "format: jsonl\n");
    TRY(smr_collect_table(ctx, r.into, &notes, out));
    if ((*out)->n_rows == 0) TRY(smr_fail(ctx, SMR_ERR_FORMAT, "%s: has no rows", r.name));
out:
    if (st != SMR_OK) {
        smr_table_free(*out);
        *out = NULL;
    }
    smr_text_release(&notes);
    smr_text_release(&r.path);
    smr_collector_free(r.into);
    smr_free(r.text);
    return st;
}
