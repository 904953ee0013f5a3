/* path_trace.c -- a path of penalties in slow motion: at which penalty each coefficient leaves 0,
 * or comes back to it; see path.h. */
#include "core/text.h"
#include "learn/linear/path.h"
#include "learn/trace.h"

#include <math.h>
#include <stdio.h>

/* The coefficient of feature j at step k of the first output. */
static double value_at(const smr_path_state *s, int64_t k, int64_t j)
{
    for (int64_t e = s->path_start[k]; e < s->path_start[k + 1]; e++)
        if (s->path_column[e] == j) return s->path_value[e];
    return 0;
}

/* Penalties so far against coefficients, for the first features that are not 0 by then. */
static smr_status draw_path(smr_ctx *ctx, const smr_path_state *s, int64_t upto, smr_trace *trace)
{
    smr_status st = SMR_OK;
    double *value = NULL;
    int64_t shown = 0;
    TRY_NEW(value, upto + 1);
    smr_json *figure = smr_trace_figure(trace, "path", "Coefficients as the penalty falls", false);
    smr_json *axis = smr_figure_axis(figure, "x", "l1", "log");
    smr_json_add_number(axis, "min", s->path_l1[s->n_path - 1]);
    smr_json_add_number(axis, "max", s->path_l1[0]);
    smr_figure_axis(figure, "y", "coefficient", "linear");
    for (int64_t j = 0; j < s->n_features && shown < SMR_TRACE_NAMES; j++) {
        bool any = false;
        for (int64_t k = 0; k <= upto; k++) any |= (value[k] = value_at(s, k, j)) != 0;
        if (!any) continue;
        smr_figure_series(figure, smr_trace_feature(trace, j), "line", upto + 1, s->path_l1, value);
        shown++;
    }
out:
    smr_free(value);
    return st;
}

/* Names the features that are 0 at one of two steps and not at the other: `enter` says which. */
static smr_status name_changes(const smr_path_state *s, int64_t k, bool enter, smr_trace *trace,
                               smr_text *out)
{
    int64_t n = 0;
    for (int64_t j = 0; j < s->n_features; j++) {
        bool before = k > 0 && value_at(s, k - 1, j) != 0, now = value_at(s, k, j) != 0;
        if (now == before || now != enter) continue;
        smr_text_printf(out, "%s%s",
                        n++           ? ", "
                        : out->length ? "; "
                                      : "",
                        smr_trace_feature(trace, j));
    }
    if (n) smr_text_add(out, enter ? (n > 1 ? " enter" : " enters") : " back to 0");
    return smr_text_done(out);
}

static smr_status tell_step(smr_ctx *ctx, const smr_path_state *s, int64_t k, const char *what,
                            smr_trace *trace)
{
    int64_t shown = 0;
    if (!smr_trace_step(trace, "%s", what)) return SMR_OK;
    smr_trace_number(trace, "l1", s->path_l1[k]);
    smr_trace_number(trace, "not_0", (double)(s->path_start[k + 1] - s->path_start[k]));
    for (int64_t e = s->path_start[k]; e < s->path_start[k + 1] && shown < SMR_TRACE_NAMES; e++) {
        char key[140];
        snprintf(key, sizeof key, "w(%.100s)", smr_trace_feature(trace, s->path_column[e]));
        smr_trace_number(trace, key, s->path_value[e]);
        shown++;
    }
    return draw_path(ctx, s, k, trace);
}

smr_status smr_path_tell(smr_ctx *ctx, const smr_path_state *s, smr_trace *trace)
{
    smr_status st = SMR_OK;
    smr_text what = {.ctx = ctx};
    for (int64_t k = 0; k < s->n_path; k++) {
        what.length = 0;
        TRY(name_changes(s, k, true, trace, &what));
        TRY(name_changes(s, k, false, trace, &what));
        if (what.length) TRY(tell_step(ctx, s, k, what.bytes, trace));
    }
out:
    smr_text_release(&what);
    return st;
}

/* One penalty has no path. */
static const char *refuses(const void *params)
{
    const struct smr_path_params *p = params;
    return p->l1.n == 1 ? "one penalty makes no path: leave l1 out, or give several" : NULL;
}

const smr_can_trace smr_path_traces = {.shows = "the coefficients as they leave 0",
                                       .refuses = refuses};
