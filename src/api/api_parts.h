/* api_parts.h -- what the public functions share. */
#ifndef SMR_API_PARTS_H
#define SMR_API_PARTS_H

#include "study/cv_ask.h"

#include <string.h>

/* What a caller says about a training set; `how` may be NULL, and so may `folds`, which were taken
 * (smr_take_opts) before. */
smr_status smr_api_set_opts(smr_ctx *ctx, const smr_train_opts *how, const smr_fold_opts *folds,
                            smr_set_opts *out);
/* A sentence, its rows and the result, of a call that judges them. */
typedef struct smr_api_work {
    smr_spec *spec;
    smr_train_set *set;
    smr_json_doc *doc;
    smr_json *root; /* of doc */
} smr_api_work;

/* `table` may be NULL: no set.  To be closed either way. */
smr_status smr_api_open(smr_ctx *ctx, const char *sentence, const smr_table *table,
                        const smr_set_opts *about, smr_api_work *work);
void smr_api_close(smr_api_work *work);

/* An option that a call does not read: is it given, what is it called, and why it is not read. */
typedef struct smr_unread {
    bool given;
    const char *name, *why;
} smr_unread;
/* Fails for the first that is given: an option is used or refused. */
smr_status smr_api_refuse(smr_ctx *ctx, const smr_unread *list, int64_t n);
/* The same for what only comparing reads of fold options. */
smr_status smr_api_refuse_league(smr_ctx *ctx, const smr_fold_opts *folds);

smr_cv_ask smr_api_ask(const smr_fold_opts *folds);
/* The document as text, for the caller. */
smr_status smr_api_hand_over(smr_ctx *ctx, smr_json_doc *doc, char **json);
/* The same even when the work is cancelled: what is known of it then. */
smr_status smr_api_hand_over_kept(smr_ctx *ctx, smr_json_doc *doc, char **json);

#endif
