/* session.h -- what commands share: the context with its log and progress, reading, showing. */
#ifndef SMR_CLI_SESSION_H
#define SMR_CLI_SESSION_H

#include "args.h"
#include "core/json.h"
#include "data/table.h"

/* A context whose warnings go to standard error and are kept for --json, whose progress is drawn
 * where standard error is a terminal, and which Ctrl-C cancels. */
smr_status session_begin(smr_ctx **ctx);
/* The options that were parsed: threads, memory, seed, quiet. */
smr_status session_configure(smr_ctx *ctx, const args *a);
/* The message of a command that was interrupted: how far it was, and that no file was written;
 * where more is said already (what was kept), it stays. */
void session_tell_cancelled(smr_ctx *ctx);
void session_end(smr_ctx *ctx);
/* While it is muted, what is said is neither shown nor kept. */
void session_mute(bool yes);
/* From now on warnings are shown after the result, not before it. */
void session_result_first(void);
bool session_is_verbose(void);
bool session_is_quiet(void);

/* Adds the members of a result from the library, and frees the result. */
smr_status session_add_result(smr_ctx *ctx, char *json, smr_json *into);
/* Adds "warnings": those of this run, in order. */
void session_add_warnings(smr_json *into);

/* The exit status for a status of the library. */
int session_exit(smr_status status);

/* Peak memory of the process in bytes (VmHWM), or the context's own where that is not known. */
double session_peak_memory(const smr_ctx *ctx);

/* The reading options of the command line. */
smr_status session_read_opts(smr_ctx *ctx, const args *a, smr_open_opts *opts);
/* Reads a table with them, by inference, or with a model's schema. */
smr_status session_read(smr_ctx *ctx, const args *a, const char *path, smr_table **out);
smr_status session_read_for(smr_ctx *ctx, const args *a, const smr_model *model, const char *path,
                            smr_table **out);

/* Prints to standard output; a failure (a full disk, a closed pipe) is an error. */
smr_status session_print(smr_ctx *ctx, const smr_text *text);
/* Puts the version of the promise (docs/json.md) in front of its members. */
smr_status session_print_json(smr_ctx *ctx, smr_json *value);

/* How a command shows its result in words: at most `most` rows of a table, 0 for all. */
typedef void (*session_show)(const smr_json *root, int64_t most, smr_text *out);
/* Ends a command: its result as JSON or in words, as the options say, then its pictures and its
 * page (plots.h). */
smr_status session_finish(smr_ctx *ctx, const args *a, smr_json *root, session_show show);
/* The same, with the result in a file; NULL or "-": standard output. */
smr_status session_finish_in(smr_ctx *ctx, const args *a, smr_json *root, session_show show,
                             const char *path);

/* Says on one line that a file was written; not with --quiet, --json, nor of standard output. */
smr_status session_wrote(smr_ctx *ctx, const args *a, const char *path);

/* True when `word` names a file, or is "-". */
bool session_is_file(const char *word);

#endif
