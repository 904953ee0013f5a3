/* net_sequences.c -- rows that are steps of sequences: see net.h.
 *
 * Training cuts each sequence into windows of `steps` rows, the last one shorter; a window begins
 * without a memory, so that gradients reach back to its first row (truncated back-propagation).
 * In each epoch the windows of a longer sequence begin elsewhere, or what is learned would be those
 * windows; with patience they stay, so that no row is both trained on and kept apart.
 * Prediction goes through a sequence window by window.  Where every layer carries what it needs
 * from step to step, the memory goes on from window to window, and the answer to a row depends on
 * all rows before it; else, and with memory=window, windows are those of training. */
#include "core/rng.h"
#include "learn/neural/net.h"

#include <string.h>

enum { USUAL_STEPS = 50 };

/* ---- training --------------------------------------------------------------------------- */

int64_t smr_net_steps(const struct smr_net_params *p, const smr_data *data)
{
    int64_t longest = 1;
    if (!data->border) return 0;
    if (p->steps > 0) return p->steps;
    for (int64_t q = 0; q < data->n_sequences; q++)
        longest = SMR_MAX(longest, data->border[q + 1] - data->border[q]);
    return SMR_MIN(longest, USUAL_STEPS);
}

smr_status smr_net_windows_open(smr_ctx *ctx, const smr_data *data, int64_t steps,
                                struct smr_net_windows *out)
{
    smr_status st = SMR_OK;
    *out = (struct smr_net_windows){.steps = steps, .n = data->n_rows};
    if (!steps) return SMR_OK;
    int64_t n = 0;
    for (int64_t q = 0; q < data->n_sequences; q++)
        n += smr_block_count(data->border[q + 1] - data->border[q], steps);
    TRY_NEW(out->lo, n + 1);
    TRY_NEW(out->begin, n + 1);
    TRY_NEW(out->end, n + 1);
    out->n = 0;
    for (int64_t q = 0; q < data->n_sequences; q++)
        for (int64_t lo = data->border[q]; lo < data->border[q + 1]; lo += steps) {
            out->begin[out->n] = data->border[q];
            out->end[out->n] = data->border[q + 1];
            out->lo[out->n++] = lo;
        }
    out->lo[n] = data->n_rows;
out:
    return st;
}

void smr_net_windows_release(struct smr_net_windows *windows)
{
    smr_free(windows->lo);
    smr_free(windows->begin);
    smr_free(windows->end);
    *windows = (struct smr_net_windows){0};
}

/* The next window begins where one ends. */
int64_t smr_net_window_end(const struct smr_net_windows *windows, int64_t i)
{
    return windows->lo ? windows->lo[i + 1] : i + 1;
}

int64_t smr_net_window_begin(const struct smr_net_windows *windows, int64_t i)
{
    return windows->lo ? windows->lo[i] : i;
}

/* Where window i begins: all windows of a sequence slide by the same number of rows, up to half a
 * window, and stay in it. */
static int64_t begin_of(const struct smr_net_windows *windows, const struct smr_net_slide *slide,
                        int64_t i)
{
    int64_t steps = windows->steps, last = windows->end[i] - steps, half = steps / 2;
    if (!slide || last <= windows->begin[i]) return windows->lo[i];
    int64_t by = smr_random_below(slide->seed, SMR_STREAM_AUGMENT, 2 * (uint64_t)slide->epoch,
                                  (uint64_t)windows->begin[i], 2 * half + 1) -
                 half;
    return SMR_MAX(windows->begin[i], SMR_MIN(windows->lo[i] + by, last));
}

struct smr_net_taken smr_net_windows_take(const struct smr_net_windows *windows,
                                          const struct smr_net_slide *slide, const int64_t *unit,
                                          int64_t n, int64_t *rows, int32_t *lengths)
{
    int64_t steps = windows->steps, counted = 0;
    if (!windows->lo) return (struct smr_net_taken){unit, n, n, NULL};
    for (int64_t i = 0; i < n; i++) {
        int64_t lo = begin_of(windows, slide, unit[i]);
        int64_t hi = SMR_MIN(lo + steps, windows->end[unit[i]]);
        for (int64_t t = 0; t < steps; t++) rows[i * steps + t] = lo + t < hi ? lo + t : -1;
        lengths[i] = (int32_t)(hi - lo);
        counted += hi - lo;
    }
    return (struct smr_net_taken){rows, n * steps, counted, lengths};
}

/* ---- predicting ------------------------------------------------------------------------- */

/* A sequence that is under way: the rows from `at` to `end` are still to be answered. */
struct lane {
    int64_t at, end;
};

/* What predicting sequences needs of scratch. */
struct plan {
    int64_t lanes, x, y, length, state, lane, machine, all;
};

static int64_t round_up(int64_t bytes)
{
    return (bytes + 63) / 64 * 64;
}

static struct plan plan_of(const struct smr_net_state *s, int64_t rows)
{
    const struct smr_net *net = s->net;
    int64_t n = SMR_MAX(1, SMR_MIN(rows, net->machine->chunk)), at = 0;
    int64_t machine = smr_nn_scratch(net->machine);
    if (net->stepper) machine = SMR_MAX(machine, smr_nn_scratch(net->stepper));
    struct plan plan = {.lanes = n};
    plan.x = at;
    at += round_up(n * s->steps * s->n_features * (int64_t)sizeof(float));
    plan.length = at;
    at += round_up(n * (int64_t)sizeof(int32_t));
    plan.lane = at;
    at += round_up(n * (int64_t)sizeof(struct lane));
    plan.state = at;
    at += round_up(n * (net->machine->state_bytes + 64));
    plan.machine = at;
    plan.all = at + machine;
    return plan;
}

int64_t smr_net_sequences_scratch(const struct smr_net_state *s, int64_t n)
{
    return plan_of(s, n).all;
}

/* Where the rows of a block come from, and where their scores go. */
struct walk {
    const struct smr_net_state *s;
    const smr_rows *rows;
    struct plan plan;
    char *room;
    int64_t next; /* sequence */
    float *scores;
    smr_net_scores_fn *put;
    void *to;
};

static struct lane *lanes_of(const struct walk *w)
{
    return (struct lane *)(void *)(w->room + w->plan.lane);
}

/* The next sequence of the block that has rows; without borders each row is one. */
static bool next_sequence(struct walk *w, struct lane *out)
{
    const smr_rows *rows = w->rows;
    int64_t n = rows->border ? rows->n_sequences : rows->n;
    while (w->next < n) {
        int64_t q = w->next++;
        *out = rows->border ? (struct lane){rows->border[q] - rows->border[0],
                                            rows->border[q + 1] - rows->border[0]}
                            : (struct lane){q, q + 1};
        if (out->at < out->end) return true;
    }
    return false;
}

static float number_at(const smr_rows *rows, int64_t at)
{
    if (rows->form == SMR_FORM_F32) return ((const float *)rows->x)[at];
    if (rows->form == SMR_FORM_U8) return ((const uint8_t *)rows->x)[at];
    return (float)((const double *)rows->x)[at];
}

/* `steps` rows of each of n lanes through the machine. */
static smr_status go_on(smr_ctx *ctx, struct walk *w, const smr_nn_machine *m, int64_t steps,
                        int64_t n)
{
    smr_status st = SMR_OK;
    struct lane *lane = lanes_of(w);
    int64_t d = w->s->n_features, k = w->s->n_scores;
    float *x = (float *)(void *)(w->room + w->plan.x);
    int32_t *length = (int32_t *)(void *)(w->room + w->plan.length);
    void *state = w->s->net->carries ? w->room + w->plan.state : NULL;
    for (int64_t i = 0; i < n; i++) {
        length[i] = (int32_t)SMR_MIN(steps, lane[i].end - lane[i].at);
        for (int64_t t = 0; t < steps; t++)
            for (int64_t j = 0; j < d; j++)
                x[(i * steps + t) * d + j] =
                    t < length[i] ? number_at(w->rows, (lane[i].at + t) * w->rows->stride + j) : 0;
    }
    const float *y = smr_nn_answer_on(m, x, n, length, state, w->room + w->plan.machine);
    for (int64_t i = 0; i < n; i++) {
        for (int64_t t = 0; t < length[i]; t++)
            TRY(w->put(ctx, w->s, w->rows, lane[i].at + t, y + (i * steps + t) * k, w->to));
        lane[i].at += length[i];
    }
out:
    return st;
}

/* Lanes whose sequence is done take the next one; those that are left without close up. */
static int64_t fill_lanes(struct walk *w, int64_t n)
{
    struct lane *lane = lanes_of(w);
    int64_t each = w->s->net->machine->state_bytes, kept = 0;
    char *state = w->room + w->plan.state;
    for (int64_t i = 0; i < w->plan.lanes; i++) {
        struct lane now = i < n ? lane[i] : (struct lane){0};
        if (now.at < now.end) {
            if (kept < i) memcpy(state + kept * each, state + i * each, (size_t)each);
        } else {
            if (!next_sequence(w, &now)) continue;
            memset(state + kept * each, 0, (size_t)each);
        }
        lane[kept++] = now;
    }
    return kept;
}

smr_status smr_net_sequences_predict(smr_ctx *ctx, const struct smr_net_state *s,
                                     const smr_rows *rows, smr_net_scores_fn *put, void *to,
                                     void *scratch)
{
    smr_status st = SMR_OK;
    const struct smr_net *net = s->net;
    struct walk w = {
        .s = s, .rows = rows, .plan = plan_of(s, rows->n), .room = scratch, .put = put, .to = to};
    int64_t n = 0;
    while ((n = fill_lanes(&w, n)) > 0) {
        const struct lane *lane = lanes_of(&w);
        int64_t longest = 0;
        for (int64_t i = 0; i < n; i++) longest = SMR_MAX(longest, lane[i].end - lane[i].at);
        /* A few steps alone cost less than a window hardly filled; the bits are the same. */
        if (net->stepper && longest * 4 < s->steps)
            TRY(go_on(ctx, &w, net->stepper, 1, n));
        else
            TRY(go_on(ctx, &w, net->machine, s->steps, n));
    }
out:
    return st;
}
