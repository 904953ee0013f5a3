/* hidden_chain_sums.c -- likelihoods and chances of hidden states: both directions in one loop.
 *
 * With b_t the emissions of step t, both directions are rows times a matrix, times emissions:
 *
 *     a_t = (a_{t-1} A) b_t,    w_t = (w_{t+1} A') b_t,    a_1 = start b_1,    w_T = b_T       (1)
 *
 * and without its emissions the backward row is beta_t = w_{t+1} A'.  Then, whatever the rows are
 * scaled by,
 *
 *     P(s_t = i | o) = a_ti beta_ti / z_t,   z_t = sum_i a_ti beta_ti                          (2)
 *     P(s_t = i, s_{t+1} = j | o) = a_ti A_ij w_{t+1,j} / z_t                                (3) */
#include "core/parallel.h"
#include "core/try.h"
#include "kernel/kernel.h"
#include "math/hidden_chain_parts.h"

#include <math.h>
#include <string.h>

static const double LEAST = 1e-200, /* of a row's sum: below it, logarithms */
    LEAST_MET = 1e-280;
static const double one[1] = {1};
enum { TICK_BLOCKS = 256 };

/* ---- steps ------------------------------------------------------------------------------ */

/* A part of a sequence in one direction: rows [lo, lo + n) and where the first step comes from. */
struct part {
    int64_t lo, n;
    int order;
    const double *from; /* NULL: it is the first step of all */
    double from_sum;
    double *after, *before, *sum; /* tables, by rows in order of time; before may be NULL */
    double *shift;                /* n: logarithms that emissions were divided by; NULL: unknown */
};

/* One step from `from`, in logarithms, since it leaves next to nothing otherwise. */
static void step_in_logs(const smr_hidden_run *run, struct smr_hidden_work *w, const smr_chain *c,
                         const double *from, double from_sum, int64_t row, double *shift)
{
    const smr_hidden *h = run->h;
    double unused, most = -INFINITY, total = 0, *come = w->step, *after = c->after;
    run->seen->tell(run->seen->of, row, row + 1, true, w->room_of_one, &w->one, &unused);
    for (int64_t j = 0; j < h->width; j++) {
        double sum = 0;
        for (int64_t i = 0; i < c->n; i++) sum += from[i] * c->move[i * h->width + j];
        come[j] = sum / from_sum;
        if (c->before) c->before[j] = come[j];
        after[j] = come[j] > 0 ? smr_log(come[j]) + w->one[j] : -INFINITY;
        most = smr_fmax(most, after[j]);
    }
    *shift = most;
    for (int64_t j = 0; j < h->width; j++) {
        after[j] = most > -INFINITY ? smr_exp(after[j] - most) : come[j];
        total += after[j];
    }
    for (int64_t j = 0; j < h->n && !(total > 0); j++) after[j] = 1; /* nothing leads here */
    c->sum[0] = total > 0 ? total : (double)h->n;
}

/* How far a part has come. */
struct walk {
    const struct part *p;
    int64_t done;
    const double *from; /* NULL: at the first step of all */
    double from_sum;
};

/* The chain of its next steps. */
static smr_chain chain_of(const smr_hidden_run *run, const struct smr_hidden_work *w,
                          const struct walk *at)
{
    const smr_hidden *h = run->h;
    const struct part *p = at->p;
    int64_t row = (p->order > 0 ? 0 : p->n - 1) + at->done * p->order, width = h->width;
    bool begins = !at->from;
    return (smr_chain){.n = begins ? 1 : h->n,
                       .width = width,
                       .move = begins         ? (p->order > 0 ? h->start : h->gap)
                               : p->order > 0 ? h->move
                                              : h->back,
                       .order = p->order,
                       .emit = w->row + row,
                       .after = p->after + row * width,
                       .before = p->before ? p->before + row * width : NULL,
                       .sum = p->sum + row};
}

static void advance(struct walk *at, const smr_chain *c, int64_t made)
{
    at->done += made;
    if (made == 0) return;
    at->from = c->after + (made - 1) * c->order * c->width;
    at->from_sum = c->sum[(made - 1) * c->order];
}

/* Its next steps up to the end, or to one that is made in logarithms. */
static void walk_on(const smr_hidden_run *run, struct smr_hidden_work *w, struct walk *at)
{
    smr_chain c = chain_of(run, w, at);
    int64_t steps = at->from ? at->p->n - at->done : 1;
    const double *from = at->from ? at->from : one;
    int64_t made = smr_chain_sum_f64(steps, &c, from, at->from ? at->from_sum : 1, LEAST);
    advance(at, &c, made);
    if (made == steps) return;
    if (made > 0) c = chain_of(run, w, at);
    int64_t row = (at->p->order > 0 ? 0 : at->p->n - 1) + at->done * at->p->order;
    double unused, *shift = at->p->shift ? at->p->shift + row : &unused;
    step_in_logs(run, w, &c, at->from ? at->from : one, at->from ? at->from_sum : 1,
                 at->p->lo + row, shift);
    advance(at, &c, 1);
}

static struct walk start_walk(const struct part *p)
{
    return (struct walk){p, 0, p->from, p->from_sum};
}

static void tell_rows(const smr_hidden_run *run, struct smr_hidden_work *w, const struct part *p)
{
    run->seen->tell(run->seen->of, p->lo, p->lo + p->n, false, w->room, w->row, w->shift);
}

/* The log-likelihood that the steps of a part add. */
static double likely_of(struct smr_hidden_work *w, const struct part *p)
{
    smr_log_f64(p->n, p->sum, w->logs);
    return smr_sum_f64(p->n, w->logs) + smr_sum_f64(p->n, p->shift);
}

/* All steps of a part.  Returns the log-likelihood that they add. */
static double go(const smr_hidden_run *run, struct smr_hidden_work *w, const struct part *p)
{
    struct walk at = start_walk(p);
    tell_rows(run, w, p);
    while (at.done < p->n) walk_on(run, w, &at);
    return likely_of(w, p);
}

/* All steps of two parts that have the same rows, in both directions; what the first adds.  They
 * are made in turn, but where one begins or is made in logarithms. */
static double go_both(const smr_hidden_run *run, struct smr_hidden_work *w, const struct part *p,
                      const struct part *q)
{
    struct walk a = start_walk(p), b = start_walk(q);
    tell_rows(run, w, p);
    if (!a.from) walk_on(run, w, &a);
    if (!b.from) walk_on(run, w, &b);
    while (a.done < p->n && b.done < q->n) {
        int64_t steps = SMR_MIN(p->n - a.done, q->n - b.done);
        smr_chain c = chain_of(run, w, &a), d = chain_of(run, w, &b);
        const double *const from[2] = {a.from, b.from}, sum[2] = {a.from_sum, b.from_sum};
        int64_t made = smr_chain_both_f64(steps, &c, &d, from, sum, LEAST);
        advance(&a, &c, made);
        advance(&b, &d, made);
        if (made == steps) continue;
        walk_on(run, w, &a);
        walk_on(run, w, &b);
    }
    while (a.done < p->n) walk_on(run, w, &a);
    while (b.done < q->n) walk_on(run, w, &b);
    return likely_of(w, p);
}

/* ---- ends of long sequences ------------------------------------------------------------- */

/* Blocks [first, last) of sequence q in their order, or from the last back; what the next block
 * comes from is kept. */
static smr_status sweep(smr_ctx *ctx, smr_hidden_run *run, struct smr_hidden_work *w, int64_t q,
                        int order, int64_t first, int64_t last)
{
    smr_status st = SMR_OK;
    int64_t width = run->h->width, slot = run->slot[q], n_blocks = smr_hidden_blocks_of(run, q);
    double total = 0;
    for (int64_t done = 0; done < last - first; done++) {
        int64_t k = order > 0 ? first + done : last - 1 - done, to = k + order;
        bool begins = k == (order > 0 ? 0 : n_blocks - 1);
        struct part p = {.order = order, .after = w->after, .sum = w->sum, .shift = w->shift};
        p.n = smr_hidden_block_at(run, q, k, &p.lo);
        double *rows = order > 0 ? run->ahead : run->behind;
        double *sums = order > 0 ? run->ahead_sum : run->behind_sum;
        p.from = begins ? NULL : rows + (slot + k) * width;
        p.from_sum = sums[slot + k];
        if (done % TICK_BLOCKS == TICK_BLOCKS - 1) TRY(smr_tick(ctx, NULL, 0, 0, NAN));
        total += go(run, w, &p);
        int64_t end = order > 0 ? p.n - 1 : 0;
        if (to < 0 || to >= n_blocks) continue;
        memcpy(rows + (slot + to) * width, w->after + end * width, (size_t)width * sizeof *rows);
        sums[slot + to] = w->sum[end];
    }
    run->end[order < 0][q] = total;
out:
    return st;
}

/* ---- likelihoods ------------------------------------------------------------------------ */

struct scoring {
    smr_hidden_run *run;
    double *out;
};

static smr_status score_unit(smr_ctx *ctx, void *arg, int64_t task, int lane)
{
    struct scoring *s = arg;
    smr_hidden_run *run = s->run;
    const struct smr_hidden_unit *u = &run->unit[task];
    smr_status st = SMR_OK;
    struct smr_hidden_work *w;
    TRY(smr_hidden_work_of(ctx, run, lane, &w));
    for (int64_t q = u->first; q < u->last; q++) {
        int64_t blocks = smr_hidden_blocks_of(run, q), middle = blocks / 2;
        struct part p = {.order = 1, .after = w->after, .sum = w->sum, .shift = w->shift};
        if (u->order > 0) {
            TRY(sweep(ctx, run, w, q, 1, 0, middle));
        } else if (u->order < 0) {
            TRY(sweep(ctx, run, w, q, -1, middle, blocks));
        } else {
            p.n = smr_hidden_block_at(run, q, 0, &p.lo);
            s->out[q] = go(run, w, &p);
        }
    }
out:
    return st;
}

/* log sum_ij a_i A_ij w_j / (sums of both), where the ends of a sequence meet. */
static double join(const smr_hidden_run *run, struct smr_hidden_work *w, int64_t q)
{
    const smr_hidden *h = run->h;
    int64_t middle = run->slot[q] + smr_hidden_blocks_of(run, q) / 2, width = h->width;
    const double *a = run->ahead + middle * width, *b = run->behind + (middle - 1) * width;
    double sum = 0;
    smr_chain c = {.n = h->n,
                   .width = width,
                   .move = h->back,
                   .emit = &a,
                   .order = 1,
                   .after = w->after,
                   .sum = &sum};
    smr_chain_sum_f64(1, &c, b, run->behind_sum[middle - 1], 0);
    return smr_log(sum / run->ahead_sum[middle]);
}

smr_status smr_hidden_score(smr_ctx *ctx, smr_hidden_run *run, double *log_likelihood)
{
    smr_status st = SMR_OK;
    struct scoring s = {run, log_likelihood};
    struct smr_hidden_work *w;
    TRY(smr_parallel(ctx, NULL, run->n_units, score_unit, &s));
    TRY(smr_hidden_work_of(ctx, run, 0, &w));
    for (int64_t q = 0; q < run->n_sequences; q++)
        if (smr_hidden_blocks_of(run, q) > 1)
            log_likelihood[q] = run->end[0][q] + run->end[1][q] + join(run, w, q);
out:
    return st;
}

/* ---- chances of states ------------------------------------------------------------------ */

struct visiting {
    smr_hidden_run *run;
    const double *weight;
    smr_hidden_visitor visit;
    void *arg;
    int64_t n_tasks;
    double *log_likelihood;
};

/* Both ends of the long sequences, each to the other end. */
static smr_status sweep_unit(smr_ctx *ctx, void *arg, int64_t task, int lane)
{
    struct visiting *v = arg;
    const struct smr_hidden_unit *u = &v->run->unit[task];
    smr_status st = SMR_OK;
    struct smr_hidden_work *w;
    TRY(smr_hidden_work_of(ctx, v->run, lane, &w));
    if (u->order != 0)
        TRY(sweep(ctx, v->run, w, u->first, u->order, 0, smr_hidden_blocks_of(v->run, u->first)));
out:
    return st;
}

/* (2) for one row in which products leave next to nothing: in logarithms, or if nothing is left of
 * them either, as the forward row says. */
static void meet_in_logs(int64_t width, double weight, double next, double *a, const double *b,
                         double *p)
{
    double most = -INFINITY, total = 0, sum = 0;
    for (int64_t j = 0; j < width; j++) {
        p[j] = a[j] > 0 && b[j] > 0 ? smr_log(a[j]) + smr_log(b[j]) : -INFINITY;
        most = smr_fmax(most, p[j]);
        sum += a[j];
    }
    for (int64_t j = 0; j < width; j++)
        total += p[j] = most > -INFINITY ? smr_exp(p[j] - most) : a[j] / sum;
    for (int64_t j = 0; j < width; j++) {
        p[j] = p[j] / total * weight;
        a[j] = b[j] > 0 ? p[j] / b[j] / next : 0;
    }
}

static void meet(struct smr_hidden_work *w, int64_t width, int64_t n, double weight)
{
    int64_t r = 0;
    while (r < n) {
        r += smr_chain_meet_f64(n - r, width, weight, LEAST_MET, w->with_sum + 1 + r,
                                w->after + r * width, w->before + r * width,
                                w->posterior + r * width);
        if (r == n) break;
        meet_in_logs(width, weight, w->with_sum[1 + r], w->after + r * width, w->before + r * width,
                     w->posterior + r * width);
        r++;
    }
}

/* Block k of sequence q: both directions, and what they say together. */
static smr_hidden_block look(struct visiting *v, struct smr_hidden_work *w, int64_t q, int64_t k)
{
    smr_hidden_run *run = v->run;
    int64_t width = run->h->width, n_blocks = smr_hidden_blocks_of(run, q), slot = run->slot[q] + k;
    bool first = k == 0, last = k == n_blocks - 1;
    struct part p = {.order = 1, .after = w->after, .sum = w->sum, .shift = w->shift};
    p.n = smr_hidden_block_at(run, q, k, &p.lo);
    p.from = first ? NULL : run->ahead + slot * width;
    p.from_sum = first ? 1 : run->ahead_sum[slot];
    struct part b = {.lo = p.lo, .n = p.n, .order = -1, .after = w->with, .before = w->before};
    b.sum = w->with_sum;
    b.from = last ? NULL : run->behind + slot * width;
    b.from_sum = last ? 1 : run->behind_sum[slot];
    double likely = go_both(run, w, &p, &b);
    if (n_blocks == 1) v->log_likelihood[q] = likely;
    w->with_sum[p.n] = b.from_sum;
    if (!last) memcpy(w->with + p.n * width, b.from, (size_t)width * sizeof *b.from);
    meet(w, width, p.n, v->weight ? v->weight[q] : 1);
    return (smr_hidden_block){.sequence = q,
                              .lo = p.lo,
                              .n = p.n,
                              .is_first = first,
                              .n_moves = last ? p.n - 1 : p.n,
                              .posterior = w->posterior,
                              .from = w->after,
                              .to = w->with + width};
}

/* The sequence of block number b. */
static int64_t sequence_of(const smr_hidden_run *run, int64_t b)
{
    int64_t lo = 0, hi = run->n_sequences;
    while (hi - lo > 1) {
        int64_t mid = lo + (hi - lo) / 2;
        if (run->blocks[mid] <= b)
            lo = mid;
        else
            hi = mid;
    }
    return lo;
}

static smr_status visit_task(smr_ctx *ctx, void *arg, int64_t task, int lane)
{
    struct visiting *v = arg;
    smr_hidden_run *run = v->run;
    smr_status st = SMR_OK;
    struct smr_hidden_work *w;
    int64_t all = run->blocks[run->n_sequences];
    int64_t first = all * task / v->n_tasks, last = all * (task + 1) / v->n_tasks;
    TRY(smr_hidden_work_of(ctx, run, lane, &w));
    for (int64_t b = first; b < last; b++) {
        int64_t q = sequence_of(run, b);
        smr_hidden_block block = look(v, w, q, b - run->blocks[q]);
        block.lane = lane;
        TRY(v->visit(ctx, v->arg, task, &block));
        if ((b - first) % TICK_BLOCKS == TICK_BLOCKS - 1) TRY(smr_tick(ctx, NULL, 0, 0, NAN));
    }
out:
    return st;
}

smr_status smr_hidden_visit(smr_ctx *ctx, smr_hidden_run *run, int64_t n_tasks,
                            const double *weight, smr_hidden_visitor block, void *arg,
                            double *log_likelihood)
{
    smr_status st = SMR_OK;
    struct visiting v = {run, weight, block, arg, n_tasks, log_likelihood};
    int64_t n_long = 0;
    while (n_long < run->n_units && run->unit[n_long].order != 0) n_long++;
    TRY(smr_parallel(ctx, NULL, n_long, sweep_unit, &v));
    for (int64_t q = 0; q < run->n_sequences; q++) log_likelihood[q] = run->end[0][q];
    TRY(smr_parallel(ctx, NULL, n_tasks, visit_task, &v));
out:
    return st;
}
