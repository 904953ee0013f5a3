/* types.h -- "price=number,zip=category,note=ignore" as rules for a reader. */
#ifndef SMR_DATA_TYPES_H
#define SMR_DATA_TYPES_H

#include "data/read.h"

typedef struct smr_rule_list {
    smr_column_rule *rules;
    int64_t n;
    char *text; /* the names, each NUL-terminated; owned */
} smr_rule_list;

/* NULL or "" gives no rules.  A name may be quoted ("a,b"=number).  An unknown kind is an error. */
smr_status smr_rules_parse(smr_ctx *ctx, const char *types, smr_rule_list *out);
void smr_rules_release(smr_rule_list *list);

/* What a caller of the library or of the command says about a file, in the form that a reader
 * takes; release the rules afterwards, even when it fails. */
smr_status smr_read_opts_from(smr_ctx *ctx, const smr_open_opts *from, smr_read_opts *out,
                              smr_rule_list *rules);

/* "number", "category", "text", "date". */
const char *smr_kind_name(smr_kind kind);
/* "csv", "tsv", "jsonl", "libsvm", "arff", "npy", "idx", "sqlite"; NULL and "auto" mean
 * SMR_FORMAT_AUTO. */
smr_status smr_format_by_name(smr_ctx *ctx, const char *name, smr_format *out);

#endif
