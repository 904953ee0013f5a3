/* dual_free.c -- dual coordinate descent: the free variables all at once; see dual_parts.h.
 *
 * Where few variables are free (strictly between their bounds), as on dense rows of few columns,
 * single steps converge slowly and a joint one is cheap.  With F the free variables, G their
 * gradient and K = (y_i y_j (x_i'x_j + bias^2) + c_i [i = j]) over F, the step K s = -G is taken up
 * to the first bound; a variable that reaches one leaves F, G <- G + t K s, and so on until a step
 * goes all the way.  Each step lowers the dual's objective, so nothing here affects the answer,
 * only the time.
 *
 * Cost: |F|^2 products of rows, |F|^3 / 6 multiply-adds per step. */
#include "math/optimize/dual_parts.h"

#include <float.h>
#include <math.h>
#include <string.h>

struct system {
    int64_t n;
    int64_t *row;   /* n: which rows            */
    double *K, *L;  /* n x n, ld = room          */
    double *g, *s;  /* n: gradient, step         */
    double *before; /* n: a when it began        */
    int64_t room;
};

static double curve_of(const struct smr_dual *d, int64_t i)
{
    return d->opts.loss == SMR_LOSS_SQUARED_HINGE ? 0.5 / d->C[i] : 0;
}

static bool is_free(const struct smr_dual *d, int64_t i)
{
    return d->alpha[i] > 0 && (d->opts.loss == SMR_LOSS_SQUARED_HINGE || d->alpha[i] < d->C[i]);
}

/* K from the rows: one of them spread out as a vector, the others against it. */
static void fill(struct smr_dual *d, struct system *q, double *spread)
{
    struct smr_dual to = *d;
    smr_dual_result none = {0};
    int64_t m = d->p->n_cols;
    to.w = spread;
    to.out = &none;
    for (int64_t a = 0; a < q->n; a++) {
        int64_t i = q->row[a];
        memset(spread, 0, (size_t)(m + 1) * sizeof *spread);
        if (to.wide) (void)smr_dual_dense(&to, i, 0);
        smr_dual_move(&to, i, 1);
        for (int64_t b = 0; b <= a; b++) {
            int64_t j = q->row[b];
            double k = d->p->y[i] * d->p->y[j] * smr_dual_score(&to, j, 0);
            q->K[a * q->room + b] = q->K[b * q->room + a] = k + (a == b ? curve_of(d, i) : 0);
        }
        q->g[a] = d->p->y[i] * d->score[i] - 1 + curve_of(d, i) * d->alpha[i];
        q->before[a] = d->alpha[i];
    }
}

/* K = L L', with a tiny addition to the diagonal so that dependent rows do no harm. */
static void factor(struct system *q)
{
    int64_t n = q->n, ld = q->room;
    double *L = q->L;
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j <= i; j++) {
            double k = q->K[i * ld + j] - smr_dot_f64(j, L + i * ld, L + j * ld);
            double least = 1e-12 * q->K[i * ld + i];
            if (i == j)
                L[i * ld + i] = sqrt(smr_fmax(k + least, smr_fmax(least, DBL_MIN)));
            else
                L[i * ld + j] = k / L[j * ld + j];
        }
}

/* K s = -g with the factor at hand. */
static void solve(const struct system *q, const double *g, double *s)
{
    int64_t n = q->n, ld = q->room;
    const double *L = q->L;
    for (int64_t i = 0; i < n; i++) s[i] = (-g[i] - smr_dot_f64(i, L + i * ld, s)) / L[i * ld + i];
    for (int64_t i = n - 1; i >= 0; i--) {
        for (int64_t j = i + 1; j < n; j++) s[i] -= L[j * ld + i] * s[j];
        s[i] /= L[i * ld + i];
    }
}

/* Takes variable a out of the system. */
static void leave(struct system *q, int64_t a)
{
    int64_t last = --q->n, ld = q->room;
    if (a == last) return;
    for (int64_t b = 0; b < last; b++)
        if (b != a) q->K[a * ld + b] = q->K[b * ld + a] = q->K[last * ld + b];
    q->K[a * ld + a] = q->K[last * ld + last];
    q->row[a] = q->row[last];
    q->g[a] = q->g[last];
}

/* One step; true if it met a bound, and there is more to do. */
static bool step(struct smr_dual *d, struct system *q)
{
    double t = 1;
    int64_t met = -1;
    bool is_squared = d->opts.loss == SMR_LOSS_SQUARED_HINGE;
    factor(q);
    solve(q, q->g, q->s);
    for (int64_t a = 0; a < q->n; a++) {
        double at = d->alpha[q->row[a]], top = is_squared ? INFINITY : d->C[q->row[a]];
        double room = q->s[a] < 0 ? -at / q->s[a] : q->s[a] > 0 ? (top - at) / q->s[a] : INFINITY;
        if (!(room < t)) continue;
        t = room;
        met = a;
    }
    for (int64_t a = 0; a < q->n; a++) {
        int64_t i = q->row[a];
        double top = is_squared ? INFINITY : d->C[i], to = d->alpha[i] + t * q->s[a];
        d->alpha[i] = to < 0 ? 0 : to > top ? top : to;
        if (a == met) d->alpha[i] = q->s[a] < 0 ? 0 : top;
        q->g[a] += t * smr_dot_f64(q->n, q->K + a * q->room, q->s);
    }
    if (met >= 0) leave(q, met);
    return met >= 0 && q->n > 0;
}

/* A free intercept with the free variables, exactly: K s + l y = -G and y's = -r, with
 * r = sum_i a_i y_i, make every free margin right and the variables balance; the intercept moves by
 * l - bias^2 r.  False, with nothing changed, where a bound is in the way. */
static bool solve_with_intercept(struct smr_dual *d, struct system *q, double *sign, double *along)
{
    double r = 0, top = 0, down = 0, *v = &d->w[d->p->n_cols];
    bool is_squared = d->opts.loss == SMR_LOSS_SQUARED_HINGE;
    if (!d->p->is_free) return false;
    for (int64_t i = 0; i < d->p->n_rows; i++) r += d->alpha[i] * d->p->y[i];
    for (int64_t a = 0; a < q->n; a++) sign[a] = d->p->y[q->row[a]];
    factor(q);
    solve(q, q->g, q->s);
    solve(q, sign, along);
    for (int64_t a = 0; a < q->n; a++) {
        top += sign[a] * q->s[a];
        down += sign[a] * along[a];
    }
    double l = (-r - top) / down;
    if (!isfinite(l)) return false;
    for (int64_t a = 0; a < q->n; a++) {
        double to = d->alpha[q->row[a]] + (q->s[a] += l * along[a]);
        if (!(to >= 0 && (is_squared || to <= d->C[q->row[a]]))) return false;
    }
    for (int64_t a = 0; a < q->n; a++) d->alpha[q->row[a]] += q->s[a];
    *v += l / d->bias; /* the rows' moves take bias r off again */
    d->centre = *v - d->bias * r;
    return true;
}

smr_status smr_dual_free(smr_ctx *ctx, struct smr_dual *d)
{
    smr_status st = SMR_OK;
    struct system q = {0};
    int64_t *all = NULL, n = 0;
    double *spread = NULL;
    for (int64_t s = 0; s < d->active; s++) n += is_free(d, d->order[s]);
    if (n == 0 || n > SMR_DUAL_FREE) return SMR_OK;
    q.room = n;
    TRY_NEW(all, 2 * n);
    TRY_NEW(q.K, 2 * n * n + 5 * n);
    TRY_NEW(spread, d->p->n_cols + 1);
    q.row = all + n;
    q.L = q.K + n * n;
    q.g = q.L + n * n;
    q.s = q.g + n;
    q.before = q.s + n;
    for (int64_t s = 0; s < d->active; s++)
        if (is_free(d, d->order[s])) q.row[q.n++] = d->order[s];
    memcpy(all, q.row, (size_t)n * sizeof *all);
    fill(d, &q, spread);
    if (!solve_with_intercept(d, &q, q.before + n, q.before + 2 * n))
        for (int64_t k = 0; k < n && step(d, &q); k++) continue;
    for (int64_t a = 0; a < n; a++) {
        int64_t i = all[a];
        if (d->alpha[i] == q.before[a]) continue;
        if (d->wide) (void)smr_dual_dense(d, i, 0);
        smr_dual_move(d, i, (d->alpha[i] - q.before[a]) * d->p->y[i]);
    }
out:
    smr_free(all);
    smr_free(q.K);
    smr_free(spread);
    return st;
}
