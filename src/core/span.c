/* span.c -- see span.h. */
#include "core/span.h"

#include <math.h>

/* A span inside that does not count units has no name here: one of the same name may be nested. */
static int pass(void *user, const char *what, int64_t done, int64_t total, double figure)
{
    smr_span *s = user;
    (void)total, (void)figure;
    if (what && (what == s->unit || what == s->what)) s->done = s->base + done;
    if (s->progress == pass)
        return pass(s->user, s->counts ? s->what : NULL, s->done, s->total, s->figure);
    return s->progress(s->user, s->what, s->done, s->total, s->figure);
}

static smr_span *around(const smr_ctx *ctx)
{
    return ctx->progress == pass ? ctx->progress_user : NULL;
}

bool smr_span_is_awaited(const smr_ctx *ctx, const char *what)
{
    const smr_span *s = around(ctx);
    return s && s->awaits && s->unit == what;
}

void smr_span_open(smr_ctx *ctx, smr_span *span, const char *what, int64_t total)
{
    *span = (smr_span){.what = what,
                       .unit = what,
                       .total = total,
                       .figure = NAN,
                       .counts = smr_span_is_awaited(ctx, what),
                       .progress = ctx->progress,
                       .user = ctx->progress_user};
    if (!ctx->progress) return;
    if (span->counts) around(ctx)->awaits = false;
    ctx->progress = pass;
    ctx->progress_user = span;
}

smr_status smr_span_at(smr_ctx *ctx, smr_span *span, int64_t done, double figure)
{
    span->base = span->done = done;
    span->figure = figure;
    span->awaits = false;
    return smr_tick(ctx, span->what, 0, span->total, figure);
}

smr_status smr_span_from(smr_ctx *ctx, smr_span *span, int64_t done, double figure)
{
    smr_status st = smr_span_at(ctx, span, done, figure);
    span->awaits = true;
    return st;
}

void smr_span_close(smr_ctx *ctx, smr_span *span)
{
    if (!span->progress) return;
    ctx->progress = span->progress;
    ctx->progress_user = span->user;
    span->progress = NULL;
}
