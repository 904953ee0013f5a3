/* sgd_sparse.c -- sparse steps: only the entries of the gradient are touched; see sgd_steps.h.
 *
 * plain: w = scale v.  A step multiplies scale by 1 - a l2 and changes the touched v; when scale
 * has become small it is folded into v.  The sum of the points w_t for the average is
 * fold * v + sum: a step that moves v by delta takes fold * delta from sum (so that the sum is
 * unchanged) and adds scale to fold (so that it includes the new point).  The l1 penalty owed since
 * a weight was last touched is paid when it is next touched or read; until then the average does
 * not know of it.
 *
 * adagrad: a weight untouched for k steps has missed k times w <- shrink(c w, p), c = 1 - r l2,
 * p = r l1, with the same r each time; on one side of zero that is
 *
 *     c^k w - p (1 + c + ... + c^(k-1)),   stopped at zero                                     (1)
 *
 * (exact for a constant schedule; else the rate of the step that catches up is taken).  Its average
 * is kept like plain's, with scale 1. */
#include "math/optimize/sgd_steps.h"

#include "kernel/kernel.h"
#include "math/optimize/project.h"

#include <math.h>
#include <string.h>

static bool is_plain(const smr_sgd_state *s)
{
    return s->opts.method == SMR_SGD_PLAIN;
}

/* ---- plain ------------------------------------------------------------------------------ */

/* Moves v_j so that the sum of past points stays as it is. */
static inline void move_plain(smr_sgd_state *s, int64_t j, double by)
{
    s->w[j] += by;
    if (s->sum) s->sum[j] -= s->head[SMR_HEAD_FOLD] * by;
}

static inline void settle_plain(smr_sgd_state *s, int64_t j)
{
    double scale = s->head[SMR_HEAD_SCALE], owed = s->head[SMR_HEAD_OWED];
    double w = scale * s->w[j], before = w;
    if (w > 0)
        w = smr_fmax(0, w - (owed + s->paid[j]));
    else if (w < 0)
        w = smr_fmin(0, w + (owed - s->paid[j]));
    if (w == before) return;
    s->paid[j] += w - before;
    move_plain(s, j, w == 0 ? -s->w[j] : (w - before) / scale);
}

/* v = factor * v and scale = 1, with the sum of past points written out. */
static void fold_scale(smr_sgd_state *s, double factor)
{
    for (int64_t j = 0; j < s->n; j++) {
        if (s->sum) s->sum[j] += s->head[SMR_HEAD_FOLD] * s->w[j];
        s->w[j] *= factor;
    }
    s->head[SMR_HEAD_FOLD] = 0;
    s->head[SMR_HEAD_SCALE] = 1;
}

double smr_sgd_begin_step(smr_sgd_state *s, double a)
{
    double *h = s->head, keep = 1 - a * s->opts.l2;
    h[SMR_HEAD_STEP]++;
    h[SMR_HEAD_SCALE] *= smr_fmax(keep, 0);
    if (h[SMR_HEAD_SCALE] < 1e-5) fold_scale(s, h[SMR_HEAD_SCALE]);
    h[SMR_HEAD_OWED] += a * s->opts.l1;
    return -a / h[SMR_HEAD_SCALE];
}

void smr_sgd_add(smr_sgd_state *s, int64_t at, int64_t n, double factor, const double *x)
{
    smr_axpy_f64(n, factor, x, s->w + at);
    if (s->sum) smr_axpy_f64(n, -s->head[SMR_HEAD_FOLD] * factor, x, s->sum + at);
    for (int64_t j = at; s->paid && j < at + n; j++) settle_plain(s, j);
}

void smr_sgd_add_sparse(smr_sgd_state *s, int64_t at, int64_t n, const int32_t *index,
                        double factor, const double *x)
{
    double *w = s->w + at;
    if (!s->paid && !s->sum) {
        for (int64_t e = 0; e < n; e++) w[index[e]] += factor * x[e];
        return;
    }
    for (int64_t e = 0; e < n; e++) {
        move_plain(s, at + index[e], factor * x[e]);
        if (s->paid) settle_plain(s, at + index[e]);
    }
}

void smr_sgd_end_step(smr_sgd_state *s)
{
    if (!s->sum || s->head[SMR_HEAD_STEP] < s->opts.average_from) return;
    s->head[SMR_HEAD_COUNT]++;
    s->head[SMR_HEAD_FOLD] += s->head[SMR_HEAD_SCALE];
}

/* ---- adagrad ---------------------------------------------------------------------------- */

static double rate_of(const smr_sgd_state *s, int64_t j, double a)
{
    return a / (sqrt(s->second[j]) + s->opts.epsilon);
}

/* Brings weight j up to step t by (1). */
static void settle_adagrad(smr_sgd_state *s, int64_t j, double t)
{
    double k = t - s->seen[j], w = s->w[j];
    s->seen[j] = t;
    if (w == 0 || k == 0) return;
    double a = smr_schedule_rate(&s->opts.schedule, smr_fmax(t, 1), s->head[SMR_HEAD_FACTOR]);
    double r = rate_of(s, j, a), c = smr_fmax(0, 1 - r * s->opts.l2), p = r * s->opts.l1;
    double ck = s->opts.l2 == 0 ? 1 : smr_pow(c, k), parts = c < 1 ? (1 - ck) / (1 - c) : k;
    s->w[j] = smr_shrink(ck * w, p * parts);
}

static void step_adagrad(smr_sgd_state *s, double a, double t, int64_t n, const int32_t *index,
                         const double *g)
{
    for (int64_t e = 0; e < n; e++) {
        int64_t j = index[e];
        double before = s->w[j];
        if (s->seen) settle_adagrad(s, j, t - 1);
        s->second[j] += g[e] * g[e];
        double r = rate_of(s, j, a), w = s->w[j] - r * g[e];
        if (s->seen) {
            w = smr_shrink(smr_fmax(0, 1 - r * s->opts.l2) * w, r * s->opts.l1);
            s->seen[j] = t;
        }
        s->w[j] = w;
        if (s->sum) s->sum[j] -= s->head[SMR_HEAD_FOLD] * (w - before);
    }
}

/* ---- both ------------------------------------------------------------------------------- */

static void settle(smr_sgd_state *s, int64_t j)
{
    double before = s->w[j];
    if (s->paid) settle_plain(s, j);
    if (!s->seen) return;
    settle_adagrad(s, j, s->head[SMR_HEAD_STEP]);
    if (s->sum) s->sum[j] -= s->head[SMR_HEAD_FOLD] * (s->w[j] - before);
}

double smr_sgd_score_sparse(smr_sgd_state *s, int64_t n, const int32_t *index, const double *value)
{
    double a = 0, b = 0;
    int64_t e = 0;
    if (s->paid || s->seen)
        for (int64_t i = 0; i < n; i++) settle(s, index[i]);
    for (; e + 2 <= n; e += 2) {
        a += value[e] * s->w[index[e]];
        b += value[e + 1] * s->w[index[e + 1]];
    }
    if (e < n) a += value[e] * s->w[index[e]];
    return s->head[SMR_HEAD_SCALE] * (a + b);
}

void smr_sgd_step_sparse(smr_sgd_state *s, int64_t n, const int32_t *index, const double *g)
{
    double t = s->head[SMR_HEAD_STEP] + 1;
    double a = smr_schedule_rate(&s->opts.schedule, t, s->head[SMR_HEAD_FACTOR]);
    if (is_plain(s)) {
        smr_sgd_add_sparse(s, 0, n, index, smr_sgd_begin_step(s, a), g);
    } else {
        s->head[SMR_HEAD_STEP] = t;
        step_adagrad(s, a, t, n, index, g);
    }
    smr_sgd_end_step(s);
}

void smr_sgd_weights(smr_sgd_state *s, double *w)
{
    if (s->opts.is_sparse)
        for (int64_t j = 0; j < s->n; j++) settle(s, j);
    for (int64_t j = 0; j < s->n; j++) w[j] = s->head[SMR_HEAD_SCALE] * s->w[j];
}

void smr_sgd_average(smr_sgd_state *s, double *w)
{
    const double *h = s->head;
    smr_sgd_weights(s, w);
    if (!s->sum || h[SMR_HEAD_COUNT] == 0) return;
    for (int64_t j = 0; j < s->n; j++)
        w[j] = s->opts.is_sparse ? (h[SMR_HEAD_FOLD] * s->w[j] + s->sum[j]) / h[SMR_HEAD_COUNT]
                                 : s->sum[j];
}
