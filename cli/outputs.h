/* outputs.h -- the files a command writes: none of them twice, none that it reads. */
#ifndef SMR_CLI_OUTPUTS_H
#define SMR_CLI_OUTPUTS_H

#include "args.h"
#include "core/text.h"

/* Refuses a command line that names one file as two outputs, or as an output and as what it is made
 * from, by whatever paths.  Called before any work. */
smr_status outputs_check(smr_ctx *ctx, const command *c, const args *a);

/* The file of a --plot, which is FILE or NAME=FILE. */
const char *outputs_plot_path(const char *text);

bool outputs_ends_in(const char *path, const char *ending);
/* Writes a whole file, or leaves what was there. */
smr_status outputs_write(smr_ctx *ctx, const char *path, const smr_text *bytes);

#endif
