/* dual.c -- dual coordinate descent for the hinge losses; see dual.h.
 *
 * In units of l2 the dual is   max sum_i (a_i - e_i a_i^2 / 2) - |w|^2 / 2,  0 <= a_i <= U_i:
 *
 *     hinge          U_i = C_i,  e_i = 0
 *     squared hinge  U_i = inf,  e_i = 1 / (2 C_i)
 *
 * A pass visits the rows in play; for each, with G = y_i w'x_i - 1 + e_i a_i and its projection PG
 * (0 where a bound holds a_i back), a_i <- clip(a_i - G / (|x_i|^2 + e_i)).  A row at a bound whose
 * G exceeds the largest violation of the pass before is set aside.  When max PG - min PG of a pass
 * is below a threshold the gap is computed, over all rows and by all threads; if it is not small
 * enough the threshold shrinks, and rows that were set aside wrongly come back into play. */
#include "math/optimize/dual.h"

#include "core/number.h"
#include "math/optimize/dual_parts.h"

#include <math.h>
#include <string.h>

enum { BLOCK = 1024 };

void smr_dual_shuffle(const smr_ctx *ctx, struct smr_dual *d, int64_t pass)
{
    uint32_t bits[4] = {0};
    for (int64_t i = 0; i + 1 < d->active; i++) {
        if (i % 4 == 0) smr_philox(ctx->seed, SMR_STREAM_DUAL, (uint64_t)pass, (uint64_t)i, bits);
        uint64_t left = (uint64_t)(d->active - i); /* at most 2^31: 32 bits choose fairly enough */
        int64_t j = i + (int64_t)((bits[i % 4] * left) >> 32), row = d->order[i];
        d->order[i] = d->order[j];
        d->order[j] = row;
    }
}

/* ---- the certificate -------------------------------------------------------------------- */

struct certificate {
    const struct smr_dual *d;
    double (*dual_part)(const struct smr_dual *d, int64_t i);
    double *loss, *dual; /* by block */
};

static smr_status certify_block(smr_ctx *ctx, void *arg, int64_t task, int lane)
{
    struct certificate *c = arg;
    const struct smr_dual *d = c->d;
    int64_t lo = task * BLOCK, n = smr_block_end(d->p->n_rows, BLOCK, task) - lo;
    double loss[BLOCK] = {0};
    (void)ctx, (void)lane;
    for (int64_t i = lo; i < lo + n; i++) {
        d->score[i] = smr_dual_score(d, i);
        c->dual[task] += c->dual_part(d, i);
    }
    smr_loss_block(&smr_losses[d->opts.loss], 0, n, d->p->y + lo, d->score + lo, loss, NULL, NULL);
    for (int64_t i = 0; i < n; i++)
        if (d->C[lo + i] > 0) c->loss[task] += d->C[lo + i] * loss[i];
    return SMR_OK;
}

smr_status smr_dual_certify(smr_ctx *ctx, const struct smr_dual *d,
                            double (*dual_part)(const struct smr_dual *d, int64_t i),
                            double *objective, double *gap)
{
    smr_status st = SMR_OK;
    int64_t n_blocks = smr_block_count(d->p->n_rows, BLOCK), m = d->p->n_cols + (d->p->bias != 0);
    double *sums = NULL, loss = 0, dual = 0;
    TRY_NEW(sums, 2 * n_blocks);
    struct certificate c = {d, dual_part, sums, sums + n_blocks};
    TRY(smr_parallel(ctx, NULL, n_blocks, certify_block, &c));
    for (int64_t b = 0; b < n_blocks; b++) {
        loss += c.loss[b];
        dual += c.dual[b];
    }
    double half = 0.5 * smr_dot_f64(m, d->w, d->w);
    *objective = d->opts.l2 * (half + loss);
    *gap = d->opts.l2 * fmax(half + loss - (dual - half), 0);
out:
    smr_free(sums);
    return st;
}

/* ---- the passes ------------------------------------------------------------------------- */

/* e_i */
static double curve_of(const struct smr_dual *d, int64_t i)
{
    return d->opts.loss == SMR_LOSS_SQUARED_HINGE ? 0.5 / d->C[i] : 0;
}

static double hinge_part(const struct smr_dual *d, int64_t i)
{
    double a = d->alpha[i];
    return a == 0 ? 0 : a - 0.5 * curve_of(d, i) * a * a;
}

struct limits {
    double top, bottom; /* a row at a bound is set aside beyond these          */
    double max, min;    /* of PG in this pass                                  */
};

/* Visits the row at place s; true if it was set aside. */
static inline bool visit(struct smr_dual *d, int64_t i, bool is_squared, struct limits *m)
{
    double a = d->alpha[i], C = d->C[i], e = is_squared ? 0.5 / C : 0,
           U = is_squared ? INFINITY : C;
    double y = d->p->y[i], G = y * smr_dual_score(d, i) - 1 + e * a, PG = G;
    if (a == 0) {
        if (G > m->top) return true;
        PG = G < 0 ? G : 0;
    } else if (a == U) {
        if (G < m->bottom) return true;
        PG = G > 0 ? G : 0;
    }
    m->max = PG > m->max ? PG : m->max;
    m->min = PG < m->min ? PG : m->min;
    if (PG > 1e-15 || PG < -1e-15) {
        double next = a - G / (d->size[i] + e);
        next = next < 0 ? 0 : next > U ? U : next;
        d->alpha[i] = next;
        smr_dual_move(d, i, (next - a) * y);
    }
    return false;
}

static void make_pass(struct smr_dual *d, bool is_squared, struct limits *m)
{
    m->max = -INFINITY;
    m->min = INFINITY;
    for (int64_t s = 0; s < d->active; s++) {
        int64_t i = d->order[s];
        if (s + 2 < d->active) smr_dual_prefetch(d, d->order[s + 2]);
        if (!visit(d, i, is_squared, m)) continue;
        d->active--;
        d->order[s] = d->order[d->active];
        d->order[d->active] = i;
        s--;
    }
}

/* After a certificate: rows that were set aside and violate their condition come back into play.
 * Returns max PG - min PG over all rows. */
static double review(struct smr_dual *d, int64_t n_live)
{
    double top = -INFINITY, bottom = INFINITY;
    for (int64_t s = 0; s < n_live; s++) {
        int64_t i = d->order[s];
        double a = d->alpha[i], e = curve_of(d, i), G = d->p->y[i] * d->score[i] - 1 + e * a;
        if (a == 0)
            G = fmin(G, 0);
        else if (a == d->C[i] && d->opts.loss == SMR_LOSS_HINGE)
            G = fmax(G, 0);
        top = fmax(top, G);
        bottom = fmin(bottom, G);
        if (s < d->active || G == 0) continue;
        d->order[s] = d->order[d->active];
        d->order[d->active++] = i;
    }
    return top - bottom;
}

static smr_status hinge_passes(smr_ctx *ctx, struct smr_dual *d, int64_t n_live)
{
    smr_status st = SMR_OK;
    smr_dual_result *out = d->out;
    struct limits m = {INFINITY, -INFINITY, 0, 0};
    bool is_squared = d->opts.loss == SMR_LOSS_SQUARED_HINGE;
    double threshold = 0.1;
    while (!out->converged) {
        if (out->passes > 0 && (out->passes >= d->opts.max_passes || m.max - m.min <= threshold)) {
            TRY(smr_dual_certify(ctx, d, hinge_part, &out->objective, &out->gap));
            double spread = review(d, n_live);
            out->converged = smr_dual_is_done(d, spread);
            if (out->passes >= d->opts.max_passes || spread <= 1e-15) break;
            threshold = fmin(threshold, spread) * smr_dual_next(d);
            if (out->converged) break;
        }
        smr_dual_shuffle(ctx, d, out->passes);
        make_pass(d, is_squared, &m);
        out->passes++;
        m.top = m.max <= 0 ? INFINITY : m.max;
        m.bottom = m.min >= 0 ? -INFINITY : m.min;
        TRY(smr_tick(ctx, d->opts.what ? d->opts.what : "dual coordinate descent", out->passes,
                     d->opts.max_passes, (double)d->active));
    }
out:
    return st;
}

/* ---- set-up ----------------------------------------------------------------------------- */

static double square_of_row(const smr_dual_problem *p, int64_t i)
{
    double bias = p->bias * p->bias;
    if (!p->sparse)
        return smr_dot_f64(p->n_cols, p->dense + i * p->stride, p->dense + i * p->stride) + bias;
    const double *value = p->sparse->value + p->sparse->start[i];
    return smr_dot_f64(p->sparse->start[i + 1] - p->sparse->start[i], value, value) + bias;
}

static smr_status check(smr_ctx *ctx, const smr_dual_problem *p, const smr_dual_opts *opts)
{
    char text[SMR_NUMBER_MAX];
    if (!(opts->l2 > 0) || !isfinite(opts->l2)) {
        smr_format_double(opts->l2, text);
        return smr_fail(ctx, SMR_ERR_PARAM, "the dual needs a penalty l2 > 0, not %s", text);
    }
    if (opts->loss != SMR_LOSS_HINGE && opts->loss != SMR_LOSS_SQUARED_HINGE &&
        opts->loss != SMR_LOSS_LOGISTIC)
        return smr_fail(ctx, SMR_ERR_UNSUPPORTED, "there is no dual of the loss %s here",
                        smr_losses[opts->loss].name);
    return smr_loss_check(ctx, &smr_losses[opts->loss], 0, p->n_rows, p->y);
}

struct set_up {
    struct smr_dual *d;
    bool *is_float; /* by block: all its values are floats */
};

/* |x_i|^2 and C_i of a block of rows, and its packed copy. */
static smr_status set_up_block(smr_ctx *ctx, void *arg, int64_t task, int lane)
{
    struct set_up *u = arg;
    struct smr_dual *d = u->d;
    const smr_csr *s = d->p->sparse;
    int64_t lo = task * BLOCK, hi = smr_block_end(d->p->n_rows, BLOCK, task);
    (void)ctx, (void)lane;
    for (int64_t i = lo; i < hi; i++) {
        d->size[i] = square_of_row(d->p, i);
        d->C[i] = (d->p->weight ? d->p->weight[i] : 1) / d->opts.l2;
    }
    u->is_float[task] = d->packed != NULL;
    for (int64_t e = s ? s->start[lo] : 0; u->is_float[task] && e < s->start[hi]; e++) {
        d->packed[e] = (struct smr_entry){s->column[e], (float)s->value[e]};
        u->is_float[task] = (double)d->packed[e].value == s->value[e];
    }
    return SMR_OK;
}

/* Sizes, bounds and, if all values are floats, d->packed: sums over it have the same bits. */
static smr_status set_up(smr_ctx *ctx, struct smr_dual *d)
{
    smr_status st = SMR_OK;
    const smr_csr *s = d->p->sparse;
    int64_t n_blocks = smr_block_count(d->p->n_rows, BLOCK);
    struct set_up u = {.d = d};
    TRY_NEW(u.is_float, n_blocks);
    if (s && !d->opts.is_lean) {
        d->packed = smr_alloc_raw(ctx, s->start[d->p->n_rows], sizeof *d->packed);
        if (!d->packed) st = SMR_ERR_NOMEM;
        if (!d->packed) goto out;
    }
    TRY(smr_parallel(ctx, NULL, n_blocks, set_up_block, &u));
    for (int64_t b = 0; b < n_blocks && d->packed; b++)
        if (!u.is_float[b]) {
            smr_free(d->packed);
            d->packed = NULL;
        }
out:
    smr_free(u.is_float);
    return st;
}

/* Rows that count come first in `order`: returns how many.  A row without entries or weight leaves
 * w alone; its variable is at once what it must be: U_i (hinge), 1 / e_i, or C_i / 2 (logistic). */
static int64_t line_up(struct smr_dual *d)
{
    int64_t n_live = 0, n = d->p->n_rows, last = n;
    for (int64_t i = 0; i < n; i++) {
        bool counts = d->size[i] > 0 && d->C[i] > 0;
        if (!counts)
            d->alpha[i] = d->opts.loss == SMR_LOSS_HINGE           ? d->C[i]
                          : d->opts.loss == SMR_LOSS_SQUARED_HINGE ? 2 * d->C[i]
                                                                   : 0.5 * d->C[i];
        d->order[counts ? n_live++ : --last] = i;
    }
    d->active = n_live;
    return n_live;
}

static smr_status start(smr_ctx *ctx, struct smr_dual *d, const double *alpha)
{
    smr_status st = SMR_OK;
    bool is_logistic = d->opts.loss == SMR_LOSS_LOGISTIC;
    if (is_logistic) TRY_NEW(d->rest, d->p->n_rows);
    for (int64_t s = 0; s < d->active; s++) {
        int64_t i = d->order[s];
        double top = d->opts.loss == SMR_LOSS_SQUARED_HINGE ? INFINITY : d->C[i];
        double a = d->opts.warm ? fmin(fmax(alpha[i], 0), top) : 0;
        if (is_logistic) {
            double least =
                fmin(1e-3 * d->C[i], 1e-8); /* the open interval's ends are not allowed */
            a = fmin(fmax(a, least), d->C[i] - least);
            d->rest[i] = d->C[i] - a;
        }
        d->alpha[i] = a;
        if (a != 0) smr_dual_move(d, i, a * d->p->y[i]);
    }
out:
    return st;
}

smr_status smr_dual_coordinate(smr_ctx *ctx, const smr_dual_problem *problem,
                               const smr_dual_opts *opts, double *w, double *alpha,
                               smr_dual_result *out)
{
    smr_status st = SMR_OK;
    int64_t n = problem->n_rows, m = problem->n_cols + (problem->bias != 0);
    struct smr_dual d = {.p = problem, .opts = *opts, .w = w, .out = out};
    *out = (smr_dual_result){0};
    TRY(check(ctx, problem, opts));
    if (d.opts.tol == 0) d.opts.tol = 1e-3;
    if (d.opts.max_passes == 0) d.opts.max_passes = 1000;
    TRY_NEW(d.alpha, 4 * n);
    TRY_NEW(d.order, n);
    d.size = d.alpha + n;
    d.C = d.size + n;
    d.score = d.C + n;
    memset(w, 0, (size_t)m * sizeof *w);
    TRY(set_up(ctx, &d));
    int64_t n_live = line_up(&d);
    TRY(start(ctx, &d, alpha));
    TRY(opts->loss == SMR_LOSS_LOGISTIC ? smr_dual_logistic(ctx, &d)
                                        : hinge_passes(ctx, &d, n_live));
    for (int64_t i = 0; i < n; i++) out->n_support += d.alpha[i] > 0;
    if (alpha) memcpy(alpha, d.alpha, (size_t)n * sizeof *alpha);
out:
    smr_free(d.alpha);
    smr_free(d.order);
    smr_free(d.rest);
    smr_free(d.packed);
    return st;
}
