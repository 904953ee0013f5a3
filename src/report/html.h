/* html.h -- a command's result as one self-contained page.
 *
 * The page needs no network, no script and no font of its own; it is light or dark as the reader's
 * system is, and it prints well.  It is made from the JSON alone, section by section for what is
 * known by its key, in tables and pairs for everything else, so that nothing of a result is left
 * out.  The same JSON gives the same bytes. */
#ifndef SMR_REPORT_HTML_H
#define SMR_REPORT_HTML_H

#include "core/json.h"

/* Appends the page of a result (the root object that a command prints with --json). */
smr_status smr_report_html(smr_ctx *ctx, const smr_json *root, smr_text *out);

#endif
