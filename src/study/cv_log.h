/* cv_log.h -- what the fits of many rounds warn of, reported once.
 *
 * Each round writes to a list of its own, so that rounds may run side by side; afterwards every
 * distinct sentence is reported once, with the number of rounds that said it, in the order in which
 * the rounds first said it. */
#ifndef SMR_STUDY_CV_LOG_H
#define SMR_STUDY_CV_LOG_H

#include "core/ctx.h"

typedef struct smr_cv_log smr_cv_log;

smr_status smr_cv_log_create(smr_ctx *ctx, int64_t n_rounds, smr_cv_log **out);
void smr_cv_log_free(smr_cv_log *log);

/* A round's log: give smr_cv_log_hear and this to the context that the round works with. */
void *smr_cv_log_round(smr_cv_log *log, smr_ctx *ctx, int64_t round);
void smr_cv_log_hear(void *user, smr_log_level level, const char *message);

void smr_cv_log_tell(smr_ctx *ctx, const smr_cv_log *log);

#endif
