/* trial_log.h -- the log of a search or of a comparison: JSON lines, a header and a line per trial.
 *
 *     {"samara":"tune","version":...,"sentence":...,"space":...,...}        all that decides scores
 *     {"trial":3,"sentence":"knn k=5 ...","share":1,"params":{...},"scores":[0.9,...],"seconds":.}
 *     {"trial":4,"sentence":"knn k=900 ...","share":1,"params":{...},"error":"..."}
 *
 * The header's "samara" says whose log it is; a trial may have further members under "more", which
 * belong to whoever wrote them.  A line is written in one piece when its trial is finished, in the
 * order in which trials finish.  Work that ended in the middle is continued from its log: a
 * last line without its end is cut off, finished trials are taken as they are, and a log whose
 * header differs is refused with the member that differs.  Numbers are written so that they read
 * back exactly. */
#ifndef SMR_STUDY_TRIAL_LOG_H
#define SMR_STUDY_TRIAL_LOG_H

#include "core/json.h"
#include "learn/model.h"

typedef struct smr_trial_log smr_trial_log;

/* A finished trial as the log has it. */
typedef struct smr_logged {
    int64_t n_scores;
    double *score; /* NULL: it failed     */
    char *error;
    double seconds;
    const smr_json *more; /* NULL: none          */
    smr_json_doc *doc;    /* that `more` lies in */
} smr_logged;

/* Begins a log at `path`, which must not exist, or (resume) continues the one that is there.
 * header: an object of strings and numbers.  Fails before any work when the file cannot be
 * written. */
smr_status smr_trial_log_open(smr_ctx *ctx, const char *path, bool resume, const smr_json *header,
                              int64_t n_rounds, smr_trial_log **out);
/* Accepts NULL. */
void smr_trial_log_close(smr_trial_log *log);
const char *smr_trial_log_path(const smr_trial_log *log);

/* *found: the trial of this sentence on this share of the rows, or NULL. */
smr_status smr_trial_log_find(smr_ctx *ctx, const smr_trial_log *log, const char *sentence,
                              double share, const smr_logged **found);
/* The member "scores" of a line: what is infinite as "inf" or "-inf", what is undefined as null. */
void smr_trial_log_scores(const double *score, int64_t n, smr_json *line);
/* Appends a line.  Safe from several threads at once. */
smr_status smr_trial_log_write(smr_ctx *ctx, smr_trial_log *log, const smr_json *line);

/* Begins a header with what every log is about: who writes it ("tune", "compare"), the version of
 * samara, the data, target, task and seed; and ends it with the rows and columns that the options
 * made of the data, which differ whenever another member does, and say less. */
void smr_trial_log_header(const smr_ctx *ctx, const char *who, const smr_train_set *set,
                          smr_json *header);
void smr_trial_log_header_rows(const smr_train_set *set, smr_json *header);

/* For tests and fuzzing: reads the text of a log as resuming does.  *kept: bytes up to the end of
 * the last whole line. */
smr_status smr_trial_log_read(smr_ctx *ctx, const char *name, const char *text, int64_t length,
                              const smr_json *header, int64_t n_rounds, smr_trial_log **out,
                              int64_t *kept);

#endif
