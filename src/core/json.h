/* json.h -- JSON values: read strictly, built without failing at every step, written.
 *
 * All values of one document live and die with it.  Builders return NULL when memory runs out and
 * accept NULL as a parent, so a caller builds everything and asks once (smr_json_done).
 *
 * Reading is strict RFC 8259: UTF-8 only, no duplicate keys, no NUL in a key, no number beyond a
 * double's range, no trailing bytes, at most 64 levels.  Memory is at most 80 bytes for each byte
 * of text (and a few thousand), whatever the text. */
#ifndef SMR_CORE_JSON_H
#define SMR_CORE_JSON_H

#include "core/text.h"

typedef enum smr_json_type {
    SMR_JSON_NULL,
    SMR_JSON_BOOL,
    SMR_JSON_NUMBER,
    SMR_JSON_STRING,
    SMR_JSON_ARRAY,
    SMR_JSON_OBJECT
} smr_json_type;

typedef struct smr_json smr_json;
typedef struct smr_json_doc smr_json_doc;

struct smr_json {
    smr_json_type type;
    smr_json_doc *doc;
    const char *key; /* in an object; NUL-terminated; else NULL                             */
    smr_json *next;  /* the next member or element                                          */
    smr_json *first, *last;
    int64_t n;          /* members or elements; bytes of a string                            */
    double number;      /* NUMBER, and BOOL as 0 or 1                                        */
    const char *string; /* STRING: UTF-8, NUL-terminated; may hold NULs when read: use n      */
};

/* An empty document; its root is an object. */
smr_status smr_json_create(smr_ctx *ctx, smr_json_doc **out);
/* Reads a whole text.  Fails with the byte position and what was expected. */
smr_status smr_json_parse(smr_ctx *ctx, const char *text, int64_t length, smr_json_doc **out);
void smr_json_free(smr_json_doc *doc);
smr_json *smr_json_root(smr_json_doc *doc);
/* SMR_OK, or SMR_ERR_NOMEM when some builder call failed. */
smr_status smr_json_done(const smr_json_doc *doc);

/* Builders.  `key` names the member when the parent is an object (each name once: the caller sees
 * to that) and is NULL when it is an array.  Strings are copied.  A number that is not finite is
 * written as null.  Whole numbers are exact up to 2^53: larger ones belong in strings. */
smr_json *smr_json_add_object(smr_json *parent, const char *key);
smr_json *smr_json_add_array(smr_json *parent, const char *key);
smr_json *smr_json_add_number(smr_json *parent, const char *key, double value);
smr_json *smr_json_add_string(smr_json *parent, const char *key, const char *value);
smr_json *smr_json_add_bytes(smr_json *parent, const char *key, const char *value, int64_t length);
/* Turns a value into a string of these bytes, in place. */
void smr_json_set_bytes(smr_json *value, const char *bytes, int64_t length);
smr_json *smr_json_add_bool(smr_json *parent, const char *key, bool value);
smr_json *smr_json_add_null(smr_json *parent, const char *key);
/* An array of n numbers. */
smr_json *smr_json_add_numbers(smr_json *parent, const char *key, const double *values, int64_t n);
/* A deep copy of a value of any document that does not hold the parent. */
smr_json *smr_json_add_copy(smr_json *parent, const char *key, const smr_json *value);

/* Member of an object by name, or NULL (also for NULL and non-objects). */
const smr_json *smr_json_get(const smr_json *object, const char *key);
/* Member's value when it is there and of that type, else the fallback. */
double smr_json_get_number(const smr_json *object, const char *key, double fallback);
const char *smr_json_get_string(const smr_json *object, const char *key, const char *fallback);
bool smr_json_get_bool(const smr_json *object, const char *key, bool fallback);

/* Appends the value as text.  indent 0: one line; 2: the form for people, short arrays on one line.
 * The same tree gives the same bytes; bytes that are not UTF-8 become U+FFFD; a NULL value is
 * null. */
void smr_json_write(const smr_json *value, int indent, smr_text *out);
/* The same, asked in between whether the work is cancelled, and smr_text_done. */
smr_status smr_json_write_long(const smr_json *value, int indent, smr_text *out);

#endif
