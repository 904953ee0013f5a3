/* json_read.c -- reads JSON strictly (RFC 8259).  See json.h.
 *
 * Recursive descent, at most SMR_JSON_DEPTH levels.  Each value costs one smr_json and each string
 * its bytes and a NUL.  Strings are looked through eight bytes at a time.  Duplicate keys are found
 * when an object is complete: a few are compared with each other, many are sorted by a hash of
 * theirs and where it is equal by themselves: n log n comparisons whatever the keys are. */
#include "core/json_parts.h"
#include "core/number.h"

#include <math.h>
#include <string.h>

enum { BETWEEN_TICKS = 1024 }; /* values */

struct reader {
    smr_ctx *ctx;
    smr_json_doc *doc;
    const char *text, *at, *end;
    int depth;
    bool has_nul;     /* the last string                   */
    int64_t n_values; /* read so far in objects and arrays */
};

/* ---- what went wrong -------------------------------------------------------------------- */

/* Fails at the current byte: "byte 17 of the JSON text: expected a value, found '}'". */
static smr_status expected(struct reader *r, const char *what)
{
    long long byte = r->at - r->text;
    if (r->at >= r->end)
        return smr_fail(r->ctx, SMR_ERR_FORMAT,
                        "byte %lld of the JSON text: expected %s, but it ends here", byte, what);
    unsigned char c = (unsigned char)*r->at;
    if (c > ' ' && c < 0x7F)
        return smr_fail(r->ctx, SMR_ERR_FORMAT,
                        "byte %lld of the JSON text: expected %s, found '%c'", byte, what, c);
    return smr_fail(r->ctx, SMR_ERR_FORMAT,
                    "byte %lld of the JSON text: expected %s, found byte %d", byte, what, c);
}

static smr_status refuse(struct reader *r, const char *at, const char *why)
{
    return smr_fail(r->ctx, SMR_ERR_FORMAT, "byte %lld of the JSON text: %s",
                    (long long)(at - r->text), why);
}

/* ---- pieces ----------------------------------------------------------------------------- */

static void skip_space(struct reader *r)
{
    while (r->at < r->end && (*r->at == ' ' || *r->at == '\n' || *r->at == '\r' || *r->at == '\t'))
        r->at++;
}

static bool next_is(const struct reader *r, char c)
{
    return r->at < r->end && *r->at == c;
}

static bool is_digit(const struct reader *r)
{
    return r->at < r->end && *r->at >= '0' && *r->at <= '9';
}

static smr_status read_word(struct reader *r, const char *word)
{
    for (; *word; word++, r->at++)
        if (!next_is(r, *word)) return expected(r, "true, false or null");
    return SMR_OK;
}

/* From the point on; all of it makes the number. */
static smr_status read_fraction(struct reader *r, const char *first, double *number)
{
    if (next_is(r, '.')) {
        r->at++;
        if (!is_digit(r)) return expected(r, "a digit after the point");
        while (is_digit(r)) r->at++;
    }
    if (next_is(r, 'e') || next_is(r, 'E')) {
        r->at++;
        if (next_is(r, '+') || next_is(r, '-')) r->at++;
        if (!is_digit(r)) return expected(r, "a digit of the exponent");
        while (is_digit(r)) r->at++;
    }
    smr_parse_double(first, r->at, number);
    if (isinf(*number)) return refuse(r, first, "a number is too large for a double");
    return SMR_OK;
}

/* Checks the grammar, which is narrower than smr_parse_double's. */
static smr_status read_number(struct reader *r, double *number)
{
    enum { EXACT = 15 }; /* digits */
    const char *first = r->at;
    int64_t whole = 0;
    if (next_is(r, '-')) r->at++;
    if (!is_digit(r)) return expected(r, "a digit");
    if (next_is(r, '0'))
        r->at++;
    else
        for (int n = 0; is_digit(r); r->at++, n++)
            if (n < EXACT) whole = 10 * whole + (*r->at - '0');
    if (is_digit(r)) return refuse(r, first, "a number must not begin with 0");
    bool ends = !next_is(r, '.') && !next_is(r, 'e') && !next_is(r, 'E');
    if (!ends || *first == '-' || r->at - first > EXACT) return read_fraction(r, first, number);
    *number = (double)whole;
    return SMR_OK;
}

/* ---- strings ---------------------------------------------------------------------------- */

static smr_status read_hex4(struct reader *r, unsigned *code)
{
    *code = 0;
    for (int i = 0; i < 4; i++, r->at++) {
        char c = r->at < r->end ? *r->at : '\0';
        unsigned digit = c >= '0' && c <= '9'   ? (unsigned)(c - '0')
                         : c >= 'a' && c <= 'f' ? (unsigned)(c - 'a' + 10)
                         : c >= 'A' && c <= 'F' ? (unsigned)(c - 'A' + 10)
                                                : 16;
        if (digit > 15) return expected(r, "four hexadecimal digits after \\u");
        *code = *code * 16 + digit;
    }
    return SMR_OK;
}

static char *put_utf8(char *out, unsigned code)
{
    if (code < 0x80) {
        *out++ = (char)code;
    } else if (code < 0x800) {
        *out++ = (char)(0xC0 | code >> 6);
        *out++ = (char)(0x80 | (code & 0x3F));
    } else if (code < 0x10000) {
        *out++ = (char)(0xE0 | code >> 12);
        *out++ = (char)(0x80 | (code >> 6 & 0x3F));
        *out++ = (char)(0x80 | (code & 0x3F));
    } else {
        *out++ = (char)(0xF0 | code >> 18);
        *out++ = (char)(0x80 | (code >> 12 & 0x3F));
        *out++ = (char)(0x80 | (code >> 6 & 0x3F));
        *out++ = (char)(0x80 | (code & 0x3F));
    }
    return out;
}

/* \uXXXX, or the two of a surrogate pair; `at` is after the u. */
static smr_status read_unicode(struct reader *r, char **out)
{
    const char *first = r->at - 2;
    unsigned code, low;
    smr_status st = read_hex4(r, &code);
    if (st != SMR_OK) return st;
    if (code >= 0xDC00 && code <= 0xDFFF)
        return refuse(r, first, "a low surrogate without its high one");
    if (code >= 0xD800 && code <= 0xDBFF) {
        if (r->end - r->at < 2 || r->at[0] != '\\' || r->at[1] != 'u')
            return refuse(r, first, "a high surrogate without its low one");
        r->at += 2;
        st = read_hex4(r, &low);
        if (st != SMR_OK) return st;
        if (low < 0xDC00 || low > 0xDFFF)
            return refuse(r, first, "a high surrogate without its low one");
        code = 0x10000 + ((code - 0xD800) << 10) + (low - 0xDC00);
    }
    r->has_nul = r->has_nul || code == 0;
    *out = put_utf8(*out, code);
    return SMR_OK;
}

/* An escape sequence; `at` is after the backslash. */
static smr_status read_escape(struct reader *r, char **out)
{
    static const char name[] = "\"\\/bfnrt", meaning[] = "\"\\/\b\f\n\r\t";
    const char *found = r->at < r->end ? memchr(name, *r->at, sizeof name - 1) : NULL;
    if (found) {
        *(*out)++ = meaning[found - name];
        r->at++;
        return SMR_OK;
    }
    if (!next_is(r, 'u')) return expected(r, "one of \"\\/bfnrtu after the backslash");
    r->at++;
    return read_unicode(r, out);
}

/* The closing quote of a string that begins at p, or the end. */
static const char *find_quote(const char *p, const char *end)
{
    while (p < end && *p != '"') p += *p == '\\' && end - p > 1 ? 2 : 1;
    return p;
}

/* The top bit of each byte of x that is a quote, a backslash, a control character or not ASCII.
 * Right up to the first of these, whose borrow may spoil those after it. */
static uint64_t not_plain(uint64_t x)
{
    const uint64_t each = UINT64_C(0x0101010101010101);
    uint64_t quote = (x ^ each * '"') - each, backslash = (x ^ each * '\\') - each;
    return (x | (x - each * ' ') | quote | backslash) & each * 0x80;
}

/* Past the ASCII at p that stands for itself, most of what strings hold. */
static const char *skip_plain(const char *p, const char *end)
{
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    for (; end - p >= 8; p += 8) {
        uint64_t x;
        memcpy(&x, p, sizeof x);
        x = not_plain(x);
        if (x) return p + (__builtin_ctzll(x) >> 3);
    }
#endif
    while (p < end && (unsigned char)(*p - ' ') < 0x80 - ' ' && *p != '"' && *p != '\\') p++;
    return p;
}

/* A string that is not plain, from its first byte.  The decoded text is never longer than its
 * source, so the room is known beforehand. */
static smr_status read_escaped(struct reader *r, const char **string, int64_t *length)
{
    int64_t room = find_quote(r->at, r->end) - r->at;
    char *bytes = smr_json_memory(r->doc, room + 1), *out = bytes;
    if (!bytes) return SMR_ERR_NOMEM;
    for (;;) {
        size_t plain = (size_t)(skip_plain(r->at, r->end) - r->at);
        memcpy(out, r->at, plain);
        out += plain;
        r->at += plain;
        if (next_is(r, '"')) break;
        if (r->at >= r->end) return expected(r, "the closing quote of a string");
        if ((unsigned char)*r->at < ' ')
            return refuse(r, r->at, "a control character in a string must be escaped");
        if (*r->at == '\\') {
            r->at++;
            smr_status st = read_escape(r, &out);
            if (st != SMR_OK) return st;
            continue;
        }
        int n = smr_utf8_step(r->at, r->end);
        if (!n) return refuse(r, r->at, "the string is not valid UTF-8");
        for (; n > 0; n--) *out++ = *r->at++;
    }
    r->at++;
    *out = '\0';
    *string = bytes;
    *length = out - bytes;
    return SMR_OK;
}

static smr_status read_string(struct reader *r, const char **string, int64_t *length)
{
    if (!next_is(r, '"')) return expected(r, "a string");
    r->at++;
    r->has_nul = false;
    const char *end = skip_plain(r->at, r->end);
    if (end == r->end || *end != '"') return read_escaped(r, string, length);
    int64_t n = end - r->at;
    char *bytes = smr_json_memory(r->doc, n + 1);
    if (!bytes) return SMR_ERR_NOMEM;
    memcpy(bytes, r->at, (size_t)n);
    bytes[n] = '\0';
    r->at = end + 1;
    *string = bytes;
    *length = n;
    return SMR_OK;
}

/* ---- objects and arrays ----------------------------------------------------------------- */

/* A member and a hash of its key. */
struct hashed {
    uint64_t hash;
    const char *key;
};

static struct hashed hashed(const char *key)
{
    struct hashed h = {UINT64_C(0xcbf29ce484222325), key};
    for (const char *c = key; *c; c++) h.hash = (h.hash ^ (uint8_t)*c) * UINT64_C(0x100000001b3);
    return h;
}

static int compare(const struct hashed *a, const struct hashed *b)
{
    return a->hash == b->hash ? strcmp(a->key, b->key) : a->hash < b->hash ? -1 : 1;
}

/* Merges the sorted runs a[lo, mid) and a[mid, hi) into b[lo, hi). */
static void merge(const struct hashed *a, struct hashed *b, int64_t lo, int64_t mid, int64_t hi)
{
    int64_t i = lo, j = mid;
    for (int64_t k = lo; k < hi; k++)
        b[k] = j >= hi || (i < mid && compare(&a[i], &a[j]) <= 0) ? a[i++] : a[j++];
}

static const char *duplicate_by_sorting(struct hashed *a, struct hashed *b, int64_t n)
{
    for (int64_t run = 1; run < n; run *= 2) {
        for (int64_t lo = 0; lo < n; lo += 2 * run)
            merge(a, b, lo, SMR_MIN(lo + run, n), SMR_MIN(lo + 2 * run, n));
        struct hashed *t = a;
        a = b;
        b = t;
    }
    for (int64_t i = 1; i < n; i++)
        if (compare(&a[i - 1], &a[i]) == 0) return a[i].key;
    return NULL;
}

static const char *duplicate_of_few(const smr_json *object)
{
    for (const smr_json *a = object->first; a; a = a->next)
        for (const smr_json *b = a->next; b; b = b->next)
            if (*a->key == *b->key && strcmp(a->key, b->key) == 0) return a->key;
    return NULL;
}

static smr_status find_duplicate(struct reader *r, const smr_json *object, const char **key)
{
    enum { FEW = 12 };
    int64_t n = object->n, i = 0;
    if (n <= FEW) {
        *key = duplicate_of_few(object);
        return SMR_OK;
    }
    struct hashed *order = smr_alloc_raw(r->ctx, 2 * n, sizeof *order);
    if (!order) return SMR_ERR_NOMEM;
    for (const smr_json *m = object->first; m; m = m->next) order[i++] = hashed(m->key);
    *key = duplicate_by_sorting(order, order + n, n);
    smr_free(order);
    return SMR_OK;
}

static smr_status refuse_duplicates(struct reader *r, const smr_json *object)
{
    const char *key = NULL;
    smr_status st = find_duplicate(r, object, &key);
    if (st != SMR_OK || !key) return st;
    return smr_fail(r->ctx, SMR_ERR_FORMAT,
                    "the object that ends at byte %lld of the JSON text has the key '%.200s' twice",
                    (long long)(r->at - r->text), key);
}

static smr_status read_value(struct reader *r, smr_json **out);

static smr_status read_member(struct reader *r, smr_json *object)
{
    const char *first = r->at, *key = NULL;
    int64_t length = 0;
    smr_json *value = NULL;
    smr_status st = read_string(r, &key, &length);
    if (st != SMR_OK) return st;
    if (r->has_nul) return refuse(r, first, "a key must not hold a NUL");
    skip_space(r);
    if (!next_is(r, ':')) return expected(r, "':' after a key");
    r->at++;
    skip_space(r);
    st = read_value(r, &value);
    if (st != SMR_OK) return st;
    value->key = key;
    smr_json_append(object, value);
    return SMR_OK;
}

static smr_status read_element(struct reader *r, smr_json *array)
{
    smr_json *value = NULL;
    smr_status st = read_value(r, &value);
    if (st == SMR_OK) smr_json_append(array, value);
    return st;
}

/* The inside of an object or array, up to and including its closing bracket. */
static smr_status read_container(struct reader *r, smr_json *into)
{
    bool is_object = into->type == SMR_JSON_OBJECT;
    char close = is_object ? '}' : ']';
    if (r->depth == SMR_JSON_DEPTH) return refuse(r, r->at, "nested deeper than 64 levels");
    r->depth++;
    r->at++;
    skip_space(r);
    if (!next_is(r, close)) {
        for (;;) {
            smr_status st = is_object ? read_member(r, into) : read_element(r, into);
            if (st == SMR_OK && ++r->n_values % BETWEEN_TICKS == 0)
                st = smr_tick(r->ctx, NULL, 0, 1, NAN);
            if (st != SMR_OK) return st;
            skip_space(r);
            if (!next_is(r, ',')) break;
            r->at++;
            skip_space(r);
        }
        if (!next_is(r, close)) return expected(r, is_object ? "',' or '}'" : "',' or ']'");
    }
    r->at++;
    r->depth--;
    return is_object ? refuse_duplicates(r, into) : SMR_OK;
}

/* False: no value begins like that. */
static bool find_type(char first, smr_json_type *type)
{
    switch (first) {
    case '{': *type = SMR_JSON_OBJECT; break;
    case '[': *type = SMR_JSON_ARRAY; break;
    case '"': *type = SMR_JSON_STRING; break;
    case 't':
    case 'f': *type = SMR_JSON_BOOL; break;
    case 'n': *type = SMR_JSON_NULL; break;
    default: *type = SMR_JSON_NUMBER; return first == '-' || (first >= '0' && first <= '9');
    }
    return true;
}

static smr_status read_value(struct reader *r, smr_json **out)
{
    smr_json_type type;
    if (r->at >= r->end || !find_type(*r->at, &type)) return expected(r, "a value");
    char first = *r->at;
    smr_json *value = smr_json_new_value(r->doc, type);
    if (!value) return SMR_ERR_NOMEM;
    *out = value;
    switch (value->type) {
    case SMR_JSON_OBJECT:
    case SMR_JSON_ARRAY: return read_container(r, value);
    case SMR_JSON_STRING: return read_string(r, &value->string, &value->n);
    case SMR_JSON_BOOL:
        value->number = first == 't';
        return read_word(r, first == 't' ? "true" : "false");
    case SMR_JSON_NULL: return read_word(r, "null");
    case SMR_JSON_NUMBER: break;
    }
    return read_number(r, &value->number);
}

smr_status smr_json_parse(smr_ctx *ctx, const char *text, int64_t length, smr_json_doc **out)
{
    struct reader r = {.ctx = ctx, .text = text, .at = text, .end = text + length};
    smr_json *root = NULL;
    smr_status st = SMR_OK;
    *out = NULL;
    r.doc = smr_json_new(ctx);
    if (!r.doc) return SMR_ERR_NOMEM;

    skip_space(&r);
    TRY(read_value(&r, &root));
    skip_space(&r);
    if (r.at < r.end) TRY(expected(&r, "the end after the value"));
    smr_json_set_root(r.doc, root);
    *out = r.doc;
    r.doc = NULL;
out:
    smr_json_free(r.doc);
    return st;
}
