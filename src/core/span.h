/* span.h -- progress of work that is made of parts, each of which may report its own.
 *
 * While a span is open, whatever happens inside it is reported as the span's progress: its name,
 * and how many of its units are done.  So a line on a screen goes from 0 to 100 % once, whatever
 * the parts are and how often they begin anew.  Spans nest: the outermost is the one that shows.
 * smr_parallel with a name is a span, whose units are its tasks. */
#ifndef SMR_CORE_SPAN_H
#define SMR_CORE_SPAN_H

#include "core/ctx.h"

typedef struct smr_span {
    const char *what;
    const char *unit; /* the name of spans inside that count its units; `what` unless it is set */
    int64_t base, done, total;
    double figure;
    bool awaits;              /* the next span of that name inside counts units, from `base` on */
    bool counts;              /* it counts those of the span that it is in                      */
    smr_progress_fn progress; /* whom it reports to; NULL: nobody */
    void *user;
} smr_span;

/* Until it is closed, `span` stays where it is.  Names are compared as pointers. */
void smr_span_open(smr_ctx *ctx, smr_span *span, const char *what, int64_t total);
/* So many units are done: a tick (ctx.h). */
smr_status smr_span_at(smr_ctx *ctx, smr_span *span, int64_t done, double figure);
/* The same; and what comes next is a span of more units. */
smr_status smr_span_from(smr_ctx *ctx, smr_span *span, int64_t done, double figure);
/* Also where it was not opened, if it is 0. */
void smr_span_close(smr_ctx *ctx, smr_span *span);

/* Is a span of this name awaited? */
bool smr_span_is_awaited(const smr_ctx *ctx, const char *what);

#endif
