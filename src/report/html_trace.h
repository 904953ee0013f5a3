/* html_trace.h -- the steps of a learner as one page with a slider.
 *
 * Like the report, the page is one file that needs no network.  Its script, which shows one step at
 * a time, is the only one that samara writes; without it, and on paper, all steps follow each
 * other. */
#ifndef SMR_REPORT_HTML_TRACE_H
#define SMR_REPORT_HTML_TRACE_H

#include "core/json.h"
#include "core/text.h"

/* Appends the page of what `samara trace --json` prints. */
smr_status smr_trace_html(smr_ctx *ctx, const smr_json *root, smr_text *out);
/* Of more steps than are kept: "the first 200 are", "the first 200 and the last are". */
void smr_trace_kept(const smr_json *root, smr_text *out);

#endif
