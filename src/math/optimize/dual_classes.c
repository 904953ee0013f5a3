/* dual_classes.c -- see dual_classes.h.
 *
 * In units of l2, C_i = weight_i / l2, w_c = sum_i u_ic x_i and sum_c u_ic = 0.  With
 * g_c = f_c - f_y + [c != y]:
 *
 *     max  p_c = C [c = y] - u_c >= 0;  D = sum_i u_iy - |W|^2 / 2;
 *          row's gap  sum_c p_c (max g - g_c)
 *     sum  p_c = -u_c in [0, C], c != y; D = sum_i u_iy - |W|^2 / 2;
 *          row's gap  sum_{c != y} (C - p_c) max(g_c, 0) + p_c max(-g_c, 0)
 *
 * Each row's gap is >= 0 and their sum is the problem's, plus sum_c r_c (b_c best - b_c) with
 * r_c = sum_i u_ic where the intercepts are free.
 *
 * The row's problem with A = |x|^2, u the old and v the new variables, is
 *     min  A |v|^2 / 2 + (f + [c != y] - A u)'v   over what is allowed.
 * max: v_c = min(C [c = y], (t - h_c) / A), h = f + [c != y] - A u, t such that sum_c v_c = 0.
 * sum: p_c = clip(s_c - S, 0, C), s_c = p_c(old) + S(old) + g_c / A, S such that S = sum_c p_c. */
#include "math/optimize/dual_classes.h"

#include "core/number.h"
#include "math/optimize/dual_classes_parts.h"

#include <math.h>
#include <string.h>

/* Classes up to which sums over them are made in place. */
enum { FEW_CLASSES = 32 };
enum { BLOCK = 256, MOST_PASSES = 4, MOST_LOOKS = 100000, FEW_PASSES = 12 };

/* ---- rows ------------------------------------------------------------------------------- */

/* to += by x, of k numbers: for a few classes a call would cost more than the sum. */
static inline void add_to(int64_t k, double by, const double *restrict x, double *restrict to)
{
    if (k > FEW_CLASSES) {
        smr_axpy_f64(k, by, x, to);
        return;
    }
    for (int64_t c = 0; c < k; c++) to[c] += by * x[c];
}

void smr_classes_scores(const struct smr_classes *s, int64_t i, int lane, double *f)
{
    const smr_dual_problem *p = s->d.p;
    int64_t k = s->k;
    const double *last = s->W + p->n_cols * k;
    for (int64_t c = 0; c < k; c++) f[c] = s->d.bias * last[c];
    if (p->sparse) {
        int64_t r = smr_dual_row(p, i);
        for (int64_t e = p->sparse->start[r]; e < p->sparse->start[r + 1]; e++)
            add_to(k, p->sparse->value[e], s->W + p->sparse->column[e] * k, f);
        return;
    }
    const double *x = smr_dual_dense(&s->d, i, lane);
    for (int64_t j = 0; j < p->n_cols; j++)
        if (x[j] != 0) add_to(k, x[j], s->W + j * k, f);
}

void smr_classes_move(struct smr_classes *s, int64_t i, const double *by)
{
    const smr_dual_problem *p = s->d.p;
    int64_t k = s->k;
    s->d.out->updates++;
    add_to(k, s->d.bias, by, s->W + p->n_cols * k);
    if (p->sparse) {
        int64_t r = smr_dual_row(p, i);
        for (int64_t e = p->sparse->start[r]; e < p->sparse->start[r + 1]; e++)
            add_to(k, p->sparse->value[e], by, s->W + p->sparse->column[e] * k);
        return;
    }
    const double *x = s->d.wide ? s->d.wide : smr_dual_dense(&s->d, i, 0);
    for (int64_t j = 0; j < p->n_cols; j++)
        if (x[j] != 0) add_to(k, x[j], by, s->W + j * k);
}

void smr_classes_balance(const struct smr_classes *s, double *r)
{
    memset(r, 0, (size_t)s->k * sizeof *r);
    for (int64_t i = 0; i < s->d.p->n_rows; i++)
        for (int64_t c = 0; c < s->k; c++) r[c] += s->u[i * s->k + c];
}

/* ---- the row's problem ------------------------------------------------------------------ */

/* max: v from h (which is lost).  The largest thresholds are taken one by one. */
static void solve_max(int64_t k, int64_t y, double C, double A, const double *h, double *order,
                      double *v)
{
    memcpy(order, h, (size_t)k * sizeof *h);
    order[y] += A * C;
    for (int64_t i = 1; i < k; i++) { /* k is small: insertion sort, descending */
        double x = order[i];
        int64_t j = i;
        for (; j > 0 && order[j - 1] < x; j--) order[j] = order[j - 1];
        order[j] = x;
    }
    double sum = order[0] - A * C;
    int64_t r = 1;
    for (; r < k && sum < (double)r * order[r]; r++) sum += order[r];
    double t = sum / (double)r;
    double others = 0; /* the sum is 0 without rounding, so that a row that is not needed is at 0 */
    for (int64_t c = 0; c < k; c++) {
        if (c == y) continue;
        v[c] = smr_fmin(0, (t - h[c]) / A);
        others -= v[c];
    }
    v[y] = smr_fmin(C, others);
}

static double clip(double x, double top)
{
    return x < 0 ? 0 : x > top ? top : x;
}

/* sum: the S with S = sum_c clip(s_c - S, 0, C): Newton's steps, halving where they leave the
 * bracket; exact once no variable changes its side. */
static double solve_sum(int64_t k, int64_t y, double C, const double *s)
{
    double low = 0, high = 0, S;
    for (int64_t c = 0; c < k; c++)
        if (c != y) high += clip(s[c], C);
    S = 0.5 * high;
    for (int step = 0; step < 200 && high > low; step++) {
        double sum = 0;
        int64_t n_free = 0;
        for (int64_t c = 0; c < k; c++) {
            double x = s[c] - S;
            if (c == y) continue;
            sum += clip(x, C);
            n_free += x > 0 && x < C;
        }
        double miss = sum - S, next = S + miss / (double)(1 + n_free);
        if (miss > 0)
            low = S;
        else
            high = S;
        if (fabs(miss) <= 1e-16 * (1 + high)) break;
        if (!(next > low && next < high)) next = 0.5 * (low + high);
        if (next == S) break;
        S = next;
    }
    return S;
}

/* Updates row i; returns its violation: A times the largest change of a variable. */
static double visit(struct smr_classes *s, int64_t i)
{
    int64_t k = s->k, y = s->label[i];
    double *f = s->f, *h = f + k, *v = f + 2 * k, *order = f + 3 * k;
    double *u = s->u + i * k, A = s->d.size[i], C = s->d.C[i], most = 0;
    smr_classes_scores(s, i, 0, f);
    if (s->opts.is_sum) {
        double total = 0;
        for (int64_t c = 0; c < k; c++) h[c] = -u[c] + u[y] + (1 + f[c] - f[y]) / A;
        double S = solve_sum(k, y, C, h);
        for (int64_t c = 0; c < k; c++) v[c] = c == y ? 0 : -clip(h[c] - S, C);
        for (int64_t c = 0; c < k; c++) total -= v[c];
        v[y] = total;
    } else {
        for (int64_t c = 0; c < k; c++) h[c] = f[c] + (c != y) - A * u[c];
        solve_max(k, y, C, A, h, order, v);
    }
    for (int64_t c = 0; c < k; c++) {
        double change = v[c] - u[c];
        u[c] = v[c];
        v[c] = change;
        most = smr_fmax(most, fabs(change));
    }
    if (most * A > 1e-15) smr_classes_move(s, i, v);
    return most * A;
}

/* ---- the certificate -------------------------------------------------------------------- */

struct tally {
    double loss, excess, margin;
};

struct certificate {
    struct smr_classes *s;
    struct tally *tally; /* by block */
};

static smr_status certify_block(smr_ctx *ctx, void *arg, int64_t task, int lane)
{
    struct certificate *z = arg;
    struct smr_classes *s = z->s;
    struct tally *t = &z->tally[task];
    int64_t k = s->k;
    double *f = s->f + lane * 4 * k;
    (void)ctx;
    t->margin = INFINITY;
    for (int64_t i = task * BLOCK; i < smr_block_end(s->d.p->n_rows, BLOCK, task); i++) {
        const double *u = s->u + i * k;
        double C = s->d.C[i], top = 0, sum = 0, excess = 0, rival = -INFINITY;
        int64_t y = s->label[i];
        s->d.score[i] = 0;
        if (!(C > 0)) continue;
        smr_classes_scores(s, i, lane, f);
        for (int64_t c = 0; c < k; c++) {
            if (c == y) continue;
            double g = 1 + f[c] - f[y];
            top = smr_fmax(top, g);
            sum += smr_fmax(g, 0);
            rival = smr_fmax(rival, f[c]);
            if (s->opts.is_sum) excess += g > 0 ? (C + u[c]) * g : u[c] * g;
        }
        for (int64_t c = 0; c < k && !s->opts.is_sum; c++)
            excess += c == y ? (C - u[c]) * top : -u[c] * (top - (1 + f[c] - f[y]));
        s->d.score[i] = excess;
        t->loss += C * (s->opts.is_sum ? sum : top);
        t->excess += excess;
        t->margin = smr_fmin(t->margin, f[y] - rival);
    }
    return SMR_OK;
}

/* sum_c |r_c| times how far an intercept can be from the best. */
static double imbalance(const struct smr_classes *s, double objective)
{
    double longest = 0, sum = 0, far = 0;
    const double *last = s->W + s->d.p->n_cols * s->k;
    if (!s->d.p->is_free) return 0;
    for (int64_t i = 0; i < s->d.p->n_rows; i++) longest = smr_fmax(longest, s->d.size[i]);
    for (int64_t c = 0; c < s->k; c++) {
        sum += fabs(last[c] - s->centre[c]) / s->d.bias;
        far = smr_fmax(far, fabs(s->d.bias * last[c]));
    }
    return sum * (far + (double)s->k * (1 + 2 * sqrt(2 * objective * longest)));
}

static smr_status certify(smr_ctx *ctx, struct smr_classes *s)
{
    smr_status st = SMR_OK;
    int64_t n_blocks = smr_block_count(s->d.p->n_rows, BLOCK), m = s->d.p->n_cols * s->k;
    struct certificate z = {.s = s};
    double half = 0.5 * smr_dot_f64(m, s->W, s->W), loss = 0, excess = 0;
    TRY_NEW(z.tally, n_blocks);
    TRY(smr_parallel(ctx, NULL, n_blocks, certify_block, &z));
    s->d.out->margin = INFINITY;
    for (int64_t b = 0; b < n_blocks; b++) {
        loss += z.tally[b].loss;
        excess += z.tally[b].excess;
        s->d.out->margin = smr_fmin(s->d.out->margin, z.tally[b].margin);
    }
    s->d.out->objective = s->opts.l2 * (half + loss);
    s->d.out->gap = s->opts.l2 * (excess + imbalance(s, half + loss));
out:
    smr_free(z.tally);
    return st;
}

/* ---- the passes ------------------------------------------------------------------------- */

static bool is_at_zero(const struct smr_classes *s, int64_t i)
{
    for (int64_t c = 0; c < s->k; c++)
        if (s->u[i * s->k + c] != 0) return false;
    return true;
}

/* Rows with a variable in use, or with a gap of their own, come into play. */
static void review(struct smr_classes *s)
{
    s->d.active = 0;
    for (int64_t q = 0; q < s->d.n_live; q++) {
        int64_t i = s->d.order[q];
        if (s->d.score[i] == 0 && is_at_zero(s, i)) continue;
        s->d.order[q] = s->d.order[s->d.active];
        s->d.order[s->d.active++] = i;
    }
}

/* Free intercepts: the centre goes where they are; see dual.h. */
static void recentre(struct smr_classes *s)
{
    double *last = s->W + s->d.p->n_cols * s->k, *r = s->f;
    if (!s->d.p->is_free) return;
    smr_classes_balance(s, r);
    for (int64_t c = 0; c < s->k; c++) {
        s->centre[c] = last[c];
        last[c] += s->d.bias * r[c];
    }
}

/* The most by which recentring would move the scores. */
static double recentring(const struct smr_classes *s)
{
    const double *last = s->W + s->d.p->n_cols * s->k;
    double most = 0;
    for (int64_t c = 0; s->d.p->is_free && c < s->k; c++)
        most = smr_fmax(most, fabs(s->d.bias * (last[c] - s->centre[c])));
    return most;
}

/* Passes over the rows in play until the violation is below the threshold, or the round's visits
 * are spent. */
static smr_status play(smr_ctx *ctx, struct smr_classes *s, double threshold, int64_t visits,
                       double *worst)
{
    smr_status st = SMR_OK;
    struct smr_dual *d = &s->d;
    int64_t end = SMR_MIN(d->out->visits + visits, s->opts.max_passes * d->n_live);
    *worst = d->active > 0 ? INFINITY : 0;
    while (*worst > threshold && d->out->visits < end) {
        *worst = 0;
        smr_dual_shuffle(ctx, d, d->rounds++);
        for (int64_t a = 0; a < d->active; a++) {
            if (a + 2 < d->active) smr_dual_prefetch(d, d->order[a + 2]);
            *worst = smr_fmax(*worst, visit(s, d->order[a]));
        }
        d->out->visits += d->active;
        d->out->passes = SMR_MIN((d->out->visits + d->n_live - 1) / d->n_live, s->opts.max_passes);
        TRY(smr_tick(ctx, s->opts.what ? s->opts.what : "dual coordinate descent", d->out->passes,
                     s->opts.max_passes, (double)d->active));
    }
out:
    return st;
}

/* Multiply-adds that joint steps may take: as many as the visits did. */
static double budget(const struct smr_classes *s)
{
    const smr_csr *x = s->d.p->sparse;
    double entries = (double)s->d.p->n_cols;
    if (x) entries = (double)(x->start[x->n_rows] - x->start[0]) / smr_fmax(1, (double)x->n_rows);
    return 2 * (double)s->d.out->visits * (entries + 1) * (double)s->k - s->spent + 1e8;
}

static smr_status descend(smr_ctx *ctx, struct smr_classes *s)
{
    smr_status st = SMR_OK;
    smr_dual_result *out = s->d.out;
    double threshold = 1, worst;
    int64_t visits = 1;
    bool tried = false;
    s->d.opts.tol = s->opts.tol;
    for (int64_t look = 0; look < MOST_LOOKS; look++) {
        TRY(play(ctx, s, threshold, visits, &worst));
        TRY(certify(ctx, s));
        out->converged = out->gap <= s->opts.tol * out->objective;
        if (out->converged || out->passes >= s->opts.max_passes) break;
        if (s->opts.each && !s->opts.each(s->opts.user, out)) break;
        review(s);
        if (worst <= smr_fmax(threshold, 0.5 * recentring(s))) recentre(s);
        worst = isfinite(worst) ? worst : threshold;
        if (!tried && out->passes >= FEW_PASSES && smr_classes_interior_cost(s) <= budget(s)) {
            TRY(smr_classes_interior(ctx, s));
            tried = true;
        }
        TRY(smr_classes_free(ctx, s, budget(s)));
        threshold =
            smr_fmax(smr_fmax(worst * smr_dual_next(&s->d, out->gap), 0.1 * recentring(s)), 1e-15);
        visits = SMR_MIN(3 * SMR_MAX(visits, s->d.active),
                         SMR_MAX(MOST_PASSES * s->d.active, 2 * s->d.n_live));
    }
out:
    return st;
}

/* ---- set-up ----------------------------------------------------------------------------- */

/* A row without entries leaves W alone: its variables are at once what they must be. */
static void settle_empty_row(struct smr_classes *s, int64_t i)
{
    double *u = s->u + i * s->k, C = s->d.C[i];
    int64_t y = s->label[i], rival = y == 0 ? 1 : 0;
    for (int64_t c = 0; c < s->k; c++)
        if (c != y && (s->opts.is_sum || c == rival)) {
            u[c] = -C;
            u[y] += C;
        }
}

static void measure_rows(struct smr_classes *s)
{
    struct smr_dual *d = &s->d;
    const smr_csr *x = d->p->sparse;
    double sum = 0;
    for (int64_t i = 0; i < d->p->n_rows; i++) {
        int64_t r = smr_dual_row(d->p, i), n = x ? x->start[r + 1] - x->start[r] : d->p->n_cols;
        const double *v = x ? x->value + x->start[r] : smr_dual_dense(d, i, 0);
        d->size[i] = smr_dot_f64(n, v, v);
        d->C[i] = (d->p->weight ? d->p->weight[i] : 1) / s->opts.l2;
        sum += d->size[i];
    }
    double mean = sum / (double)SMR_MAX(d->p->n_rows, 1);
    d->bias = !d->p->is_free ? 0 : mean > 0 ? sqrt(mean) : 1;
    for (int64_t i = 0; i < d->p->n_rows; i++) {
        d->size[i] += d->bias * d->bias;
        if (d->size[i] > 0 && d->C[i] > 0) d->order[d->n_live++] = i;
        if (d->size[i] == 0) settle_empty_row(s, i);
    }
    d->active = d->n_live;
}

static smr_status make_room(smr_ctx *ctx, struct smr_classes *s)
{
    smr_status st = SMR_OK;
    int64_t n = s->d.p->n_rows, d = s->d.p->n_cols, lanes = smr_lanes(ctx);
    TRY_NEW(s->d.size, 3 * n);
    TRY_NEW(s->d.order, n);
    TRY_NEW(s->u, n * s->k);
    TRY_NEW(s->W, (d + 2) * s->k);
    TRY_NEW(s->f, lanes * 4 * s->k);
    if (!s->d.p->sparse && !smr_dual_is_plain(s->d.p)) TRY_NEW(s->d.wide, lanes * d);
    s->d.C = s->d.size + n;
    s->d.score = s->d.C + n;
    s->centre = s->W + (d + 1) * s->k;
out:
    return st;
}

smr_status smr_dual_classes(smr_ctx *ctx, const smr_dual_problem *problem, const int32_t *label,
                            int64_t k, const smr_classes_opts *opts, double *W, double *b,
                            smr_dual_result *out)
{
    smr_status st = SMR_OK;
    int64_t d = problem->n_cols;
    char text[SMR_NUMBER_MAX];
    struct smr_classes s = {.d = {.p = problem, .out = out}, .label = label, .k = k, .opts = *opts};
    *out = (smr_dual_result){0};
    if (!(opts->l2 > 0) || !isfinite(opts->l2)) {
        smr_format_double(opts->l2, text);
        TRY(smr_fail(ctx, SMR_ERR_PARAM, "the dual needs a penalty l2 > 0, not %s", text));
    }
    if (s.opts.tol == 0) s.opts.tol = 1e-3;
    if (s.opts.max_passes == 0) s.opts.max_passes = 1000;
    TRY(make_room(ctx, &s));
    measure_rows(&s);
    TRY(descend(ctx, &s));
    for (int64_t i = 0; i < problem->n_rows; i++) out->n_support += !is_at_zero(&s, i);
    for (int64_t c = 0; c < k; c++) {
        for (int64_t j = 0; j < d; j++) W[c * d + j] = s.W[j * k + c];
        b[c] = s.d.bias * s.W[d * k + c];
    }
out:
    smr_free(s.d.size);
    smr_free(s.d.order);
    smr_free(s.d.wide);
    smr_free(s.u);
    smr_free(s.W);
    smr_free(s.f);
    return st;
}
