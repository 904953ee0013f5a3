/* plots.h -- --plot and --report: what a result looks like, in files. */
#ifndef SMR_CLI_PLOTS_H
#define SMR_CLI_PLOTS_H

#include "args.h"
#include "core/json.h"
#include "learn/model.h"

/* Before the work: every file can be written, has a name that says what it is, and is neither
 * asked for twice nor read by the command; and the figure is one that the command can draw, where
 * that is known beforehand. */
smr_status plots_check(smr_ctx *ctx, const command *c, const args *a);
/* The same when the target is known: are the figures asked for drawn of such a one? */
smr_status plots_check_target(smr_ctx *ctx, const args *a, const smr_target *target);
/* And for figures of a table's columns. */
smr_status plots_check_columns(smr_ctx *ctx, const args *a, const smr_table *table);
/* And where there are several figures, whose names begin so. */
smr_status plots_check_stem(smr_ctx *ctx, const args *a, const char *stem);
/* After it: draws the figures asked for and writes the page.  Each file appears whole or not. */
smr_status plots_write(smr_ctx *ctx, const args *a, const smr_json *root);

/* SVG -> PNG at twice its size, on white; SMR_ERR_UNSUPPORTED where the build has no librsvg. */
smr_status plots_write_png(smr_ctx *ctx, const smr_text *svg, const char *path);
/* "librsvg 2.54.7", or what is missing. */
const char *plots_png_info(void);
bool plots_have_png(void);

#endif
