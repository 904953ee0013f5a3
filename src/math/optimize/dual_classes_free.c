/* dual_classes_free.c -- the free variables of k classes all at once; see dual_classes_parts.h.
 *
 * Rows of few columns with different scales make single steps slow: each undoes a part of the
 * others.  Variables p_ic strictly between their bounds are free.  With `sum` each moves against
 * the row's own class; with `max`, where a row's variables sum to C, against the row's largest, so
 * that a row with m positive variables has m - 1 free ones.  With the reference r a variable's
 * direction is x_i (e_r - e_c)' and
 *
 *     G_a = (f_r + [r != y]) - (f_c + [c != y])                                                 (1)
 *     K_ab = (x_i'x_j + bias^2) (e_ri - e_ci)'(e_rj - e_cj).
 *
 * Free intercepts are solved for as well: with Y the rows (e_r - e_c)' and r_c = sum_i u_ic,
 *
 *     K s + Y l = -G,  Y's = -r;   b moves by l - bias^2 r.                                     (2)
 *
 * (Without them: K s = -G.)  The step is taken as far as it lowers s'(G + Y l) + s'K s / 2 with the
 * variables held at their bounds; those that reach one leave, and the rest goes on until a step
 * goes all the way.  Nothing here affects the answer, only the time: the certificate
 * looks at what came out.
 *
 * Cost: |F|^2 / 2 products of rows and |F|^3 / 6 multiply-adds per step, |F| <= MOST_FREE. */
#include "math/optimize/dual_classes_parts.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { MOST_FREE = 1024, MOST_STEPS = 60, MOST_CUTS = 40 };

struct variable {
    int64_t i, place; /* the row, and its place among the rows that have one */
    int64_t c, r;     /* class and reference                                      */
};

struct system {
    struct smr_classes *s;
    int64_t n, n_rows, ld;
    struct variable *of;   /* n                                        */
    int64_t *row;          /* n_rows                                   */
    double *rows;          /* n_rows x n_rows: x_i'x_j + bias^2        */
    double *K, *L;         /* n x n                                    */
    double *g, *step, *by; /* n: gradient, step, and as far as it goes */
    double *Z;             /* k x n: K^-1 Y                            */
    double *r, *l;         /* k                                        */
    double *M;             /* k x k: Y'K^-1 Y                          */
};

/* ---- which, and their system ------------------------------------------------------------ */

/* The reference of row i, or -1 where nothing is free. */
static int64_t reference(const struct smr_classes *s, int64_t i)
{
    int64_t best = 0, n = 0;
    if (s->opts.is_sum) return s->label[i];
    for (int64_t c = 0; c < s->k; c++) {
        n += smr_classes_p(s, i, c) > 0;
        if (smr_classes_p(s, i, c) > smr_classes_p(s, i, best)) best = c;
    }
    return n > 1 ? best : -1;
}

static bool is_free(const struct smr_classes *s, int64_t i, int64_t c, int64_t r)
{
    double p = smr_classes_p(s, i, c);
    return r >= 0 && c != r && p > 0 && (!s->opts.is_sum || p < s->d.C[i]);
}

static int64_t count_free(const struct smr_classes *s, int64_t *n_rows)
{
    int64_t n = 0;
    *n_rows = 0;
    for (int64_t q = 0; q < s->d.active; q++) {
        int64_t i = s->d.order[q], r = reference(s, i), before = n;
        for (int64_t c = 0; c < s->k; c++) n += is_free(s, i, c, r);
        *n_rows += n > before;
    }
    return n;
}

static void list_free(struct system *q)
{
    const struct smr_classes *s = q->s;
    for (int64_t a = 0; a < s->d.active; a++) {
        int64_t i = s->d.order[a], r = reference(s, i), before = q->n;
        for (int64_t c = 0; c < s->k; c++)
            if (is_free(s, i, c, r)) q->of[q->n++] = (struct variable){i, q->n_rows, c, r};
        if (q->n > before) q->row[q->n_rows++] = i;
    }
}

/* Products of the rows: one of them spread out as a vector, the others against it. */
static void multiply_rows(struct system *q, double *spread)
{
    const struct smr_dual *d = &q->s->d;
    const smr_csr *x = d->p->sparse;
    int64_t m = d->p->n_cols, n = q->n_rows;
    for (int64_t a = 0; a < n; a++) {
        int64_t i = smr_dual_row(d->p, q->row[a]);
        memset(spread, 0, (size_t)m * sizeof *spread);
        if (x)
            for (int64_t e = x->start[i]; e < x->start[i + 1]; e++)
                spread[x->column[e]] = x->value[e];
        else
            memcpy(spread, smr_dual_dense(d, q->row[a], 0), (size_t)m * sizeof *spread);
        for (int64_t b = 0; b <= a; b++) {
            int64_t j = smr_dual_row(d->p, q->row[b]), lo = x ? x->start[j] : 0;
            double dot =
                x ? smr_sparse_dot(x->start[j + 1] - lo, x->column + lo, x->value + lo, spread)
                  : smr_dot_f64(m, smr_dual_dense(d, q->row[b], 0), spread);
            q->rows[a * n + b] = q->rows[b * n + a] = dot + d->bias * d->bias;
        }
    }
}

static void fill(struct system *q)
{
    const struct smr_classes *s = q->s;
    double *f = s->f;
    for (int64_t a = 0; a < q->n; a++) {
        const struct variable *v = &q->of[a];
        int64_t y = s->label[v->i];
        if (a == 0 || q->of[a - 1].i != v->i) smr_classes_scores(s, v->i, 0, f);
        q->g[a] = f[v->r] + (v->r != y) - f[v->c] - (v->c != y);
        for (int64_t b = 0; b <= a; b++) {
            const struct variable *z = &q->of[b];
            int times = (v->r == z->r) - (v->r == z->c) - (v->c == z->r) + (v->c == z->c);
            q->K[a * q->ld + b] = q->K[b * q->ld + a] =
                times * q->rows[v->place * q->n_rows + z->place];
        }
    }
    if (s->d.p->is_free) smr_classes_balance(s, q->r);
}

/* ---- solving ---------------------------------------------------------------------------- */

/* A = L L', with a tiny addition to the diagonal so that dependent rows do no harm. */
static void factor(int64_t n, int64_t ld, const double *A, double *L)
{
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j <= i; j++) {
            double a = A[i * ld + j] - smr_dot_f64(j, L + i * ld, L + j * ld);
            double least = 1e-12 * A[i * ld + i];
            if (i == j)
                L[i * ld + i] = sqrt(smr_fmax(a + least, smr_fmax(least, DBL_MIN)));
            else
                L[i * ld + j] = a / L[j * ld + j];
        }
}

/* L L'x = x in place. */
static void solve(int64_t n, int64_t ld, const double *L, double *x)
{
    for (int64_t i = 0; i < n; i++) x[i] = (x[i] - smr_dot_f64(i, L + i * ld, x)) / L[i * ld + i];
    for (int64_t i = n - 1; i >= 0; i--) {
        x[i] /= L[i * ld + i];
        smr_axpy_f64(i, -x[i], L + i * ld, x);
    }
}

static double times_y(const struct system *q, const double *x, int64_t c)
{
    double sum = 0;
    for (int64_t a = 0; a < q->n; a++) sum += ((q->of[a].r == c) - (q->of[a].c == c)) * x[a];
    return sum;
}

/* l of (2), from K^-1 G in q->step.  False where a class has no free variable: nothing here can
 * balance it.  Y (1, ..., 1)' = 0, so l is the one that sums to 0. */
static bool solve_intercepts(struct system *q)
{
    int64_t k = q->s->k, n = q->n;
    double top = 0;
    for (int64_t c = 0; c < k; c++) {
        double *z = q->Z + c * q->ld;
        for (int64_t a = 0; a < n; a++) z[a] = (q->of[a].r == c) - (q->of[a].c == c);
        solve(n, q->ld, q->L, z);
    }
    for (int64_t c = 0; c < k; c++)
        for (int64_t d = 0; d < k; d++) {
            q->M[c * k + d] = times_y(q, q->Z + d * q->ld, c);
            if (c == d) top = smr_fmax(top, q->M[c * k + c]);
        }
    for (int64_t c = 0; c < k; c++) {
        if (!(q->M[c * k + c] > 1e-9 * top)) return false;
        q->l[c] = q->r[c] - times_y(q, q->step, c);
    }
    for (int64_t c = 0; c < k * k; c++) q->M[c] += top;
    double *L = q->M + k * k;
    factor(k, k, q->M, L);
    solve(k, k, L, q->l);
    return true;
}

/* The step s, and G + Y l in place of G. */
static void solve_all(struct system *q)
{
    int64_t k = q->s->k;
    factor(q->n, q->ld, q->K, q->L);
    memcpy(q->step, q->g, (size_t)q->n * sizeof *q->g);
    solve(q->n, q->ld, q->L, q->step);
    memset(q->l, 0, (size_t)k * sizeof *q->l);
    if (q->s->d.p->is_free && solve_intercepts(q))
        for (int64_t c = 0; c < k; c++) smr_axpy_f64(q->n, q->l[c], q->Z + c * q->ld, q->step);
    else
        memset(q->l, 0, (size_t)k * sizeof *q->l);
    for (int64_t a = 0; a < q->n; a++) {
        q->step[a] = -q->step[a];
        q->g[a] += q->l[q->of[a].r] - q->l[q->of[a].c];
    }
}

/* ---- as far as it goes ------------------------------------------------------------------ */

/* by = t step, cut where a variable meets a bound; returns whether one does. */
static bool cut_step(struct system *q, double t)
{
    const struct smr_classes *s = q->s;
    bool is_cut = false;
    for (int64_t a = 0, b; a < q->n; a = b) {
        int64_t i = q->of[a].i;
        double C = s->d.C[i], room = s->opts.is_sum ? INFINITY : smr_classes_p(s, i, q->of[a].r);
        double up = 0;
        for (b = a; b < q->n && q->of[b].i == i; b++) {
            double p = smr_classes_p(s, i, q->of[b].c), to = p + t * q->step[b];
            double end = to < 0 ? 0 : s->opts.is_sum && to > C ? C : to;
            is_cut |= end != to;
            q->by[b] = end - p;
            up += q->by[b];
        }
        if (up < room) continue;
        is_cut = true;
        for (int64_t e = a; e < b; e++) q->by[e] *= room / up; /* the reference goes to 0 */
    }
    return is_cut;
}

static double rise(const struct system *q)
{
    double sum = 0;
    for (int64_t a = 0; a < q->n; a++)
        sum += q->by[a] * (q->g[a] + 0.5 * smr_dot_f64(q->n, q->K + a * q->ld, q->by));
    return sum;
}

/* by: of the step and its quarters, the first that lowers the objective and more than the next; up
 * to the first bound every step does.  Dependent rows have steps of any length. */
static bool choose_step(struct system *q, double *t, bool *is_cut)
{
    double best = 0, next;
    *t = 1;
    for (int h = 0; h < MOST_CUTS; h++, *t *= 0.25) {
        *is_cut = cut_step(q, *t);
        next = rise(q);
        if (best < 0 && !(next < best)) {
            *t *= 4;
            *is_cut = cut_step(q, *t);
            return true;
        }
        best = smr_fmin(best, next);
        if (best < 0 && !*is_cut) return true;
    }
    return best < 0;
}

/* Takes the rows' variables and W along, and the intercepts. */
static void apply(struct system *q, double *change)
{
    struct smr_classes *s = q->s;
    int64_t k = s->k;
    for (int64_t a = 0, b; a < q->n; a = b) {
        int64_t i = q->of[a].i;
        memset(change, 0, (size_t)k * sizeof *change);
        for (b = a; b < q->n && q->of[b].i == i; b++) {
            change[q->of[b].c] -= q->by[b];
            change[q->of[b].r] += q->by[b];
        }
        for (int64_t c = 0; c < k; c++) {
            double C = !s->opts.is_sum && c == s->label[i] ? s->d.C[i] : 0, *u = &s->u[i * k + c];
            double least = 1e-14 * s->d.C[i]; /* what rounding may leave between a variable and its
                                                 bound */
            *u += change[c];
            if (fabs(*u) < least) *u = 0;
            if (!s->opts.is_sum && *u > C - least) *u = C;
            if (s->opts.is_sum && c != s->label[i] && *u < least - s->d.C[i]) *u = -s->d.C[i];
        }
        if (s->d.wide) (void)smr_dual_dense(&s->d, i, 0);
        smr_classes_move(s, i, change);
    }
}

/* Variables in the middle of their range stay; G anew from their scores. */
static void keep_free(struct system *q)
{
    const struct smr_classes *s = q->s;
    int64_t n = 0;
    for (int64_t a = 0; a < q->n; a++) {
        const struct variable *v = &q->of[a];
        bool stays =
            is_free(s, v->i, v->c, v->r) && (s->opts.is_sum || smr_classes_p(s, v->i, v->r) > 0);
        if (stays) q->of[n++] = *v;
    }
    q->n = n;
}

/* The intercepts by t of their way; with r at the end of the variables' moves. */
static void move_intercepts(struct system *q, double t)
{
    struct smr_classes *s = q->s;
    double *last = s->W + s->d.p->n_cols * s->k, bias = s->d.bias;
    if (!s->d.p->is_free) return;
    for (int64_t c = 0; c < s->k; c++) { /* last = centre + bias r, always */
        double before = s->centre[c] + bias * q->r[c];
        q->Z[c] = before + t * (q->l[c] - bias * bias * q->r[c]) / bias;
    }
    smr_classes_balance(s, q->r);
    for (int64_t c = 0; c < s->k; c++) {
        last[c] = q->l[c] != 0 ? q->Z[c] : s->centre[c] + bias * q->r[c];
        s->centre[c] = last[c] - bias * q->r[c];
    }
}

static smr_status make_room(smr_ctx *ctx, struct system *q, int64_t n, int64_t n_rows)
{
    smr_status st = SMR_OK;
    int64_t k = q->s->k;
    q->ld = n;
    TRY_NEW(q->of, n);
    TRY_NEW(q->row, n_rows);
    TRY_NEW(q->rows, n_rows * n_rows + 2 * n * n + (3 + k) * n + 2 * k * k + 3 * k);
    q->K = q->rows + n_rows * n_rows;
    q->L = q->K + n * n;
    q->g = q->L + n * n;
    q->step = q->g + n;
    q->by = q->step + n;
    q->Z = q->by + n;
    q->M = q->Z + SMR_MAX(n, 1) * k;
    q->r = q->M + 2 * k * k;
    q->l = q->r + k;
out:
    return st;
}

/* Multiply-adds of a step. */
static double cost_of(int64_t n, int64_t k)
{
    return (double)n * (double)n * ((double)n / 6 + 2 * (double)k + 10);
}

smr_status smr_classes_free(smr_ctx *ctx, struct smr_classes *s, double budget)
{
    smr_status st = SMR_OK;
    struct system q = {.s = s};
    double *spread = NULL;
    int64_t n_rows, n = count_free(s, &n_rows);
    double cost = (double)n_rows * (double)n_rows * (double)s->d.p->n_cols / 2, t;
    bool is_cut = true;
    if (n == 0 || n > MOST_FREE || cost + cost_of(n, s->k) > budget) return SMR_OK;
    TRY(make_room(ctx, &q, n, n_rows));
    TRY_NEW(spread, s->d.p->n_cols + s->k);
    list_free(&q);
    multiply_rows(&q, spread);
    for (int step = 0; step < MOST_STEPS && q.n > 0 && is_cut && cost <= budget; step++) {
        fill(&q);
        solve_all(&q);
        cost += cost_of(q.n, s->k);
        if (!choose_step(&q, &t, &is_cut)) break;
        apply(&q, spread);
        move_intercepts(&q, t);
        keep_free(&q);
    }
    s->spent += cost;
out:
    smr_free(q.of);
    smr_free(q.row);
    smr_free(q.rows);
    smr_free(spread);
    return st;
}
