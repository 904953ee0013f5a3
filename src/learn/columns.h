/* columns.h -- the head of a sentence: what a model reads from a table, and how.
 *
 * `columns` is a word whose parameters belong to the model's schema; learn/schema.c and
 * learn/bind.c, which tie a model to a table, go by them.  It is neither a stage nor a learner.
 * Places in model files and addresses count from 1, since place 0 is the head's. */
#ifndef SMR_LEARN_COLUMNS_H
#define SMR_LEARN_COLUMNS_H

#include "core/word.h"

enum { SMR_UNSEEN_MISSING = 0, SMR_UNSEEN_ERROR };
enum { SMR_DATES_DAYS = 0, SMR_DATES_PARTS };
enum {
    SMR_TARGET_AS_IS = 0,
    SMR_TARGET_STANDARDIZE,
    SMR_TARGET_LOG, /* from here on: learn/target_map.h */
    SMR_TARGET_LOG1P,
    SMR_TARGET_POWER,
    SMR_TARGET_RANK,
    SMR_TARGET_NORMAL,
};

struct smr_columns_params {
    int unseen, dates, target;
};

extern const smr_word smr_columns_word;

typedef struct smr_head {
    struct smr_columns_params columns;
    bool written; /* by the user; else these are the defaults */
} smr_head;

/* The name of a value of `columns target=`. */
const char *smr_target_how(int target);

smr_status smr_head_copy(smr_ctx *ctx, const smr_head *from, smr_head *to);

#endif
