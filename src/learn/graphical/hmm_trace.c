/* hmm_trace.c -- the passes of EM, and what forward sums and Viterbi's recursion know after each
 * step of a sequence.
 *
 *     sum_t(j)  = P(o_1 .. o_t, s_t = j) = b_j(o_t) sum_i sum_{t-1}(i) move[i][j]              (1)
 *     best_t(j) = max over s_1 .. s_{t-1} of P(o_1 .. o_t, s_1 .. s_t, s_t = j)                (2)
 *
 * Here as logarithms, without scaling, beside the answers of the model itself: the likeliest path,
 * and the chances of each state given the whole sequence. */
#include "core/try.h"
#include "kernel/kernel.h"
#include "learn/graphical/hmm.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { TOLD_STATES = 6 };
static const double SMALLEST = -600; /* log-likelihood of a sequence that is told without logs */

/* ---- passes of EM ----------------------------------------------------------------------- */

/* Probabilities by name, as many as a trace names: "move(0 to 1)", then "0: walk". */
static void tell_tables(const struct smr_hmm_state *s, smr_trace *t)
{
    char key[320], a[64], b[64];
    int64_t n = s->n_states;
    for (int64_t k = 0; n * n <= SMR_TRACE_NAMES && k < n * n; k++) {
        smr_hmm_state_name(s->n_names ? &s->names : NULL, k / n, a, sizeof a);
        smr_hmm_state_name(s->n_names ? &s->names : NULL, k % n, b, sizeof b);
        snprintf(key, sizeof key, "%s to %s", a, b);
        smr_trace_number(t, key, s->move[k]);
    }
    if (n * s->n_numbers > SMR_TRACE_NAMES || s->n_mix > 1) return;
    for (int64_t k = 0; k < n * s->n_numbers; k++) {
        smr_hmm_state_name(s->n_names ? &s->names : NULL, k / s->n_numbers, a, sizeof a);
        snprintf(key, sizeof key, "%s: mean %.200s", a,
                 smr_trace_feature(t, s->number[k % s->n_numbers]));
        smr_trace_number(t, key, s->mean[k]);
    }
}

smr_status smr_hmm_tell_pass(smr_ctx *ctx, const struct smr_hmm_fit *f, int64_t start, int64_t pass,
                             double value)
{
    smr_status st = SMR_OK;
    smr_trace *t = f->report->trace;
    if (!smr_trace_step(t, "start %lld, pass %lld", (long long)start + 1, (long long)pass))
        return SMR_OK;
    smr_trace_number(t, "start", (double)start + 1);
    smr_trace_number(t, "pass", (double)pass);
    smr_trace_number(t, "objective", value);
    tell_tables(f->s, t);
    TRY(smr_hmm_draw_moves(ctx, f->s,
                           smr_trace_figure(t, "moves", "Which state follows which", false)));
out:
    return st;
}

/* ---- a sequence ------------------------------------------------------------------------- */

struct telling {
    const struct smr_hmm_state *s;
    smr_trace *t;
    smr_hidden_seen seen;
    int64_t n, width;
    double *sum, *best;         /* n x width: logarithms of (1) and (2)    */
    double *chance;             /* n x n_states                            */
    double *comes;              /* width                                   */
    int32_t *path;              /* n                                       */
    double likely, log_of_path; /* of the sequence; of the path and it     */
    bool logs;
};

static double log_of_sum(int64_t n, const double *x)
{
    double top = -INFINITY, sum = 0;
    for (int64_t i = 0; i < n; i++) top = smr_fmax(top, x[i]);
    for (int64_t i = 0; i < n && top > -INFINITY; i++) sum += smr_exp(x[i] - top);
    return top > -INFINITY ? top + smr_log(sum) : top;
}

/* to (n): what comes from the row before, of the largest or of all; step 0: from the start. */
static void come(struct telling *w, const double *before, bool largest, double *to)
{
    const smr_hidden *h = w->s->chain;
    for (int64_t j = 0; j < w->s->n_states; j++) {
        double top = -INFINITY;
        for (int64_t i = 0; before && i < w->s->n_states; i++) {
            w->comes[i] = before[i] + h->log_move[i * w->width + j];
            top = smr_fmax(top, w->comes[i]);
        }
        to[j] = !before ? h->log_start[j] : largest ? top : log_of_sum(w->s->n_states, w->comes);
    }
}

/* (1) and (2) for all steps; a step that no state can have made says nothing, as in the model. */
static void recur(struct telling *w, void *room)
{
    int64_t n = w->s->n_states;
    for (int64_t t = 0; t < w->n; t++) {
        const double *row;
        double unused, *sum = w->sum + t * w->width, *best = w->best + t * w->width;
        bool may = false;
        w->seen.tell(w->seen.of, t, t + 1, true, room, &row, &unused);
        come(w, t ? sum - w->width : NULL, false, sum);
        come(w, t ? best - w->width : NULL, true, best);
        for (int64_t j = 0; j < n; j++) may |= sum[j] + row[j] > -INFINITY;
        for (int64_t j = 0; j < n && may; j++) {
            sum[j] += row[j];
            best[j] += row[j];
        }
    }
    const double *last = w->best + (w->n - 1) * w->width;
    w->log_of_path = -INFINITY;
    for (int64_t j = 0; j < n; j++) w->log_of_path = smr_fmax(w->log_of_path, last[j]);
    if (w->likely == -INFINITY) w->log_of_path = -INFINITY;
}

static smr_status keep_chances(smr_ctx *ctx, void *arg, int64_t task, const smr_hidden_block *b)
{
    struct telling *w = arg;
    int64_t n = w->s->n_states;
    (void)ctx, (void)task;
    for (int64_t i = 0; i < b->n; i++)
        memcpy(w->chance + (b->lo + i) * n, b->posterior + i * w->width,
               (size_t)n * sizeof *w->chance);
    return SMR_OK;
}

/* The level, or the number, of feature j in a row. */
static void tell_seen(struct telling *w, const double *x)
{
    const struct smr_hmm_state *s = w->s;
    for (int64_t c = 0; c < SMR_MIN(s->n_symbols, TOLD_STATES); c++) {
        const smr_feature *in = &w->t->features[s->symbol[c]];
        int64_t length = 0, level = isnan(x[s->symbol[c]]) ? -1 : (int64_t)x[s->symbol[c]];
        const char *text = level >= 0 && in->levels && level < in->n_levels
                               ? smr_strings_get(in->levels, level, &length)
                               : "";
        smr_trace_text(w->t, smr_trace_feature(w->t, s->symbol[c]), "%.*s",
                       (int)SMR_MIN(length, 100), text);
    }
    for (int64_t k = 0; k < SMR_MIN(s->n_numbers, TOLD_STATES); k++)
        smr_trace_number(w->t, smr_trace_feature(w->t, s->number[k]), x[s->number[k]]);
}

static void tell_states(struct telling *w, const char *what, bool plain, const double *row)
{
    char key[160], name[64];
    for (int64_t j = 0; j < SMR_MIN(w->s->n_states, TOLD_STATES); j++) {
        smr_hmm_state_name(w->s->n_names ? &w->s->names : NULL, j, name, sizeof name);
        snprintf(key, sizeof key, "%s%s(%s)", plain || !w->logs ? "" : "log ", what, name);
        smr_trace_number(w->t, key, plain || w->logs ? row[j] : smr_exp(row[j]));
    }
}

static void tell_step(struct telling *w, int64_t t, const double *x)
{
    char name[64];
    if (!smr_trace_step(w->t, "step %lld", (long long)t + 1)) return;
    tell_seen(w, x);
    tell_states(w, "sum", false, w->sum + t * w->width);
    tell_states(w, "best", false, w->best + t * w->width);
    tell_states(w, "chance", true, w->chance + t * w->s->n_states);
    smr_hmm_state_name(w->s->n_names ? &w->s->names : NULL, w->path[t], name, sizeof name);
    smr_trace_text(w->t, "path", "%s", name);
}

/* What the recursions end in, and the chances of the states over the steps. */
static smr_status tell_end(smr_ctx *ctx, struct telling *w)
{
    smr_status st = SMR_OK;
    int64_t n = w->s->n_states;
    double *place = NULL, *chance = NULL;
    if (!w->logs) {
        smr_trace_end(w->t, "all paths together have %.6g, the likeliest %.6g", smr_exp(w->likely),
                      smr_exp(w->log_of_path));
    } else {
        smr_trace_end(w->t, "all paths together have e^%.6g, the likeliest e^%.6g", w->likely,
                      w->log_of_path);
    }
    TRY_NEW(place, w->n);
    TRY_NEW(chance, w->n);
    smr_json *figure =
        smr_trace_figure(w->t, "chances", "Chance of each state, given all steps", false);
    smr_figure_axis(figure, "x", "step", "linear");
    smr_figure_axis(figure, "y", "chance", "linear");
    for (int64_t j = 0; j < SMR_MIN(n, TOLD_STATES); j++) {
        char name[64];
        smr_hmm_state_name(w->s->n_names ? &w->s->names : NULL, j, name, sizeof name);
        for (int64_t t = 0; t < w->n; t++) {
            place[t] = (double)t + 1;
            chance[t] = w->chance[t * n + j];
        }
        smr_figure_series(figure, name, "line", w->n, place, chance);
    }
out:
    smr_free(place);
    smr_free(chance);
    return st;
}

/* The model's own answers to the sequence. */
static smr_status answer(smr_ctx *ctx, struct telling *w, const int64_t border[2])
{
    smr_status st = SMR_OK;
    smr_hidden_run *run = NULL;
    TRY(smr_hidden_open(ctx, w->s->chain, &w->seen, 1, border, &run));
    TRY(smr_hidden_path(ctx, run, w->path));
    TRY(smr_hidden_visit(ctx, run, 1, NULL, keep_chances, w, &w->likely));
    w->logs = w->likely < SMALLEST;
out:
    smr_hidden_close(run);
    return st;
}

smr_status smr_hmm_tell_sequence(smr_ctx *ctx, const void *params, const void *state,
                                 const smr_rows *rows, smr_trace *trace)
{
    const struct smr_hmm_state *s = state;
    smr_status st = SMR_OK;
    struct smr_hmm_steps steps = {s->emits, rows->x, rows->stride};
    struct telling w = {
        .s = s, .t = trace, .seen = smr_hmm_seen(&steps), .n = rows->n, .width = s->emits->width};
    const int64_t border[2] = {0, rows->n};
    char *room = NULL;
    (void)params;
    TRY_NEW(w.sum, w.n * w.width);
    TRY_NEW(w.best, w.n * w.width);
    TRY_NEW(w.chance, w.n * s->n_states);
    TRY_NEW(w.comes, w.width);
    TRY_NEW(w.path, w.n);
    TRY_NEW(room, w.seen.room);
    TRY(answer(ctx, &w, border));
    recur(&w, room);
    for (int64_t t = 0; t < w.n; t++) tell_step(&w, t, (const double *)rows->x + t * rows->stride);
    TRY(tell_end(ctx, &w));
out:
    smr_free(w.sum);
    smr_free(w.best);
    smr_free(w.chance);
    smr_free(w.comes);
    smr_free(w.path);
    smr_free(room);
    return st;
}
