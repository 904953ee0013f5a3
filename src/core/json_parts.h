/* json_parts.h -- what json.c gives to json_read.c: memory and values of a document; and a
 * string of JSON alone, for code that writes without one. */
#ifndef SMR_CORE_JSON_PARTS_H
#define SMR_CORE_JSON_PARTS_H

#include "core/json.h"

enum { SMR_JSON_DEPTH = 64 };

/* A document without a root. */
smr_json_doc *smr_json_new(smr_ctx *ctx);
void smr_json_set_root(smr_json_doc *doc, smr_json *root);
/* n bytes that live as long as the document, or NULL. */
void *smr_json_memory(smr_json_doc *doc, int64_t n);
/* A value without a parent; NULL when memory runs out. */
smr_json *smr_json_new_value(smr_json_doc *doc, smr_json_type type);
void smr_json_append(smr_json *parent, smr_json *child);

/* Appends the bytes as a JSON string: in quotes, escaped; what is not UTF-8 becomes U+FFFD. */
void smr_json_write_string(const char *bytes, int64_t length, smr_text *out);

#endif
