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

/* "csv", "tsv", "libsvm", "arff", "npy", "idx"; NULL and "auto" mean SMR_FORMAT_AUTO. */
smr_status smr_format_by_name(smr_ctx *ctx, const char *name, smr_format *out);

#endif
