/* hidden_chain_path.c -- the likeliest path of hidden states: Viterbi's recursion in logarithms.
 *
 *     f_t(j) = log b_t(j) + max_i (f_{t-1}(i) + log A_ij)                                      (1)
 *     e_t(i) = log b_t(i) + max_j (log A_ij + e_{t+1}(j))                                      (2)
 *
 * A sequence of one block goes forward by (1) and is traced back.  A long one is begun at both
 * ends; where they meet, the best state is the largest f_t(i) + max_j (log A_ij + e_{t+1}(j)), and
 * from there each end is traced to its own end.  No table of places is kept: the state before is
 * found again from the rows, for the one state that the path has. */
#include "core/parallel.h"
#include "core/try.h"
#include "kernel/kernel.h"
#include "math/hidden_chain_parts.h"

#include <math.h>
#include <string.h>

enum { TICK_BLOCKS = 256 };
static const double zero[1] = {0};

static double largest(int64_t n, const double *x)
{
    double top = x[0];
    for (int64_t j = 1; j < n; j++) top = smr_fmax(top, x[j]);
    return top;
}

/* The first row from `row` on, in its order, that no state can be in; it counts as a gap. */
static int64_t mend(const smr_hidden *h, const smr_chain *c, const double *from, int64_t n_rows,
                    int64_t row, int order, double *table)
{
    int64_t width = h->width;
    while (row >= 0 && row < n_rows && largest(width, table + row * width) > -INFINITY) {
        from = table + row * width;
        row += order;
    }
    double *at = table + row * width;
    const double *none = h->log_gap;
    smr_chain step = *c;
    step.emit = &none;
    step.after = at;
    step.order = 1;
    if (from == zero) step.n = 1;
    smr_chain_max_f64(1, &step, from);
    if (largest(width, at) == -INFINITY) memcpy(at, h->log_gap, (size_t)width * sizeof *at);
    return row;
}

/* The table of block k of sequence q, in this direction, into w->after. */
static int64_t climb(const smr_hidden_run *run, struct smr_hidden_work *w, int64_t q, int64_t k,
                     int order)
{
    const smr_hidden *h = run->h;
    int64_t width = h->width, n_blocks = smr_hidden_blocks_of(run, q), lo, slot = run->slot[q] + k;
    int64_t n = smr_hidden_block_at(run, q, k, &lo), at = order > 0 ? 0 : n - 1;
    bool begins = k == (order > 0 ? 0 : n_blocks - 1);
    const double *from = (order > 0 ? run->ahead : run->behind) + slot * width;
    smr_chain c = {.n = h->n, .width = width, .order = order};
    run->seen->tell(run->seen->of, lo, lo + n, true, w->room, w->row, w->shift);
    c.move = order > 0 ? h->log_move : h->log_back;
    int64_t done = 0;
    while (done < n) {
        int64_t row = at + done * order;
        smr_chain step = c;
        step.emit = w->row + row;
        step.after = w->after + row * width;
        int64_t steps = n - done;
        if (begins) {
            step.n = steps = 1;
            step.move = order > 0 ? h->log_start : h->log_gap;
            from = zero;
        }
        smr_chain_max_f64(steps, &step, from);
        done += steps;
        int64_t end = at + (done - 1) * order;
        if (largest(width, w->after + end * width) == -INFINITY)
            done = (mend(h, &step, from, n, row, order, w->after) - at) * order + 1;
        from = w->after + (at + (done - 1) * order) * width;
        begins = false;
    }
    return n;
}

/* Blocks [first, last) of sequence q; what the next one comes from is kept, less its largest. */
static smr_status sweep(smr_ctx *ctx, smr_hidden_run *run, struct smr_hidden_work *w, int64_t q,
                        int order, int64_t first, int64_t last)
{
    smr_status st = SMR_OK;
    int64_t width = run->h->width, n_blocks = smr_hidden_blocks_of(run, q);
    for (int64_t done = 0; done < last - first; done++) {
        int64_t k = order > 0 ? first + done : last - 1 - done, to = k + order;
        if (done % TICK_BLOCKS == TICK_BLOCKS - 1) TRY(smr_tick(ctx, NULL, 0, 0, NAN));
        int64_t n = climb(run, w, q, k, order);
        const double *end = w->after + (order > 0 ? n - 1 : 0) * width;
        double top = largest(width, end);
        if (to < 0 || to >= n_blocks) continue;
        double *kept = (order > 0 ? run->ahead : run->behind) + (run->slot[q] + to) * width;
        for (int64_t j = 0; j < width; j++) kept[j] = end[j] - top;
    }
out:
    return st;
}

/* ---- the path --------------------------------------------------------------------------- */

struct pathing {
    smr_hidden_run *run;
    int32_t *path; /* of row border[0] + i */
    int64_t *met;  /* of each sequence: the state where its ends meet */
};

static smr_status climb_unit(smr_ctx *ctx, void *arg, int64_t task, int lane)
{
    struct pathing *p = arg;
    smr_hidden_run *run = p->run;
    const struct smr_hidden_unit *u = &run->unit[task];
    smr_status st = SMR_OK;
    struct smr_hidden_work *w;
    int64_t width = run->h->width;
    TRY(smr_hidden_work_of(ctx, run, lane, &w));
    for (int64_t q = u->first; q < u->last; q++) {
        int64_t blocks = smr_hidden_blocks_of(run, q), at = run->border[q] - run->border[0];
        if (u->order > 0) TRY(sweep(ctx, run, w, q, 1, 0, blocks / 2));
        if (u->order < 0) TRY(sweep(ctx, run, w, q, -1, blocks / 2, blocks));
        if (u->order || blocks == 0) continue;
        int64_t n = climb(run, w, q, 0, 1);
        double *end = w->after + (n - 1) * width;
        smr_chain_trace_f64(1, width, -1, end, run->h->log_gap, 0, p->path + at + n - 1);
        smr_chain_trace_f64(n - 1, width, -1, end - width, run->h->log_back, p->path[at + n - 1],
                            p->path + at + n - 2);
    }
out:
    return st;
}

/* The state of the last step of the first end of sequence q. */
static int64_t join(const smr_hidden_run *run, struct smr_hidden_work *w, int64_t q)
{
    const smr_hidden *h = run->h;
    int64_t middle = run->slot[q] + smr_hidden_blocks_of(run, q) / 2, width = h->width;
    const double *none = h->log_gap;
    int32_t state = 0;
    smr_chain c = {.n = h->n,
                   .width = width,
                   .move = h->log_back,
                   .emit = &none,
                   .order = 1,
                   .after = w->after};
    smr_chain_max_f64(1, &c, run->behind + (middle - 1) * width);
    smr_chain_trace_f64(1, width, 1, run->ahead + middle * width, w->after, 0, &state);
    return state;
}

/* From where the ends of a long sequence met to one of its ends. */
static smr_status trace_unit(smr_ctx *ctx, void *arg, int64_t task, int lane)
{
    struct pathing *p = arg;
    smr_hidden_run *run = p->run;
    const struct smr_hidden_unit *u = &run->unit[task];
    smr_status st = SMR_OK;
    struct smr_hidden_work *w;
    int64_t q = u->first, width = run->h->width, blocks = smr_hidden_blocks_of(run, q);
    int64_t middle = blocks / 2, state = p->met[q], lo;
    TRY(smr_hidden_work_of(ctx, run, lane, &w));
    for (int64_t done = 0; done < (u->order > 0 ? middle : blocks - middle); done++) {
        int64_t k = u->order > 0 ? middle - 1 - done : middle + done;
        if (done % TICK_BLOCKS == TICK_BLOCKS - 1) TRY(smr_tick(ctx, NULL, 0, 0, NAN));
        int64_t n = climb(run, w, q, k, u->order);
        smr_hidden_block_at(run, q, k, &lo);
        int32_t *path = p->path + lo - run->border[0];
        if (u->order < 0) {
            smr_chain_trace_f64(n, width, 1, w->after, run->h->log_move, state, path);
            state = path[n - 1];
            continue;
        }
        int64_t known = done == 0; /* the state of the last row is */
        if (known) path[n - 1] = (int32_t)state;
        smr_chain_trace_f64(n - known, width, -1, w->after + (n - 1 - known) * width,
                            run->h->log_back, state, path + n - 1 - known);
        state = path[0];
    }
out:
    return st;
}

smr_status smr_hidden_path(smr_ctx *ctx, smr_hidden_run *run, int32_t *path)
{
    smr_status st = SMR_OK;
    struct pathing p = {.run = run, .path = path};
    struct smr_hidden_work *w;
    int64_t n_long = 0;
    while (n_long < run->n_units && run->unit[n_long].order != 0) n_long++;
    TRY_NEW(p.met, run->n_sequences);
    TRY(smr_parallel(ctx, NULL, run->n_units, climb_unit, &p));
    TRY(smr_hidden_work_of(ctx, run, 0, &w));
    for (int64_t u = 0; u < n_long; u += 2)
        p.met[run->unit[u].first] = join(run, w, run->unit[u].first);
    TRY(smr_parallel(ctx, NULL, n_long, trace_unit, &p));
out:
    smr_free(p.met);
    return st;
}
