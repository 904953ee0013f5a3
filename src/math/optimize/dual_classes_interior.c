/* dual_classes_interior.c -- an interior point of k classes' problem; see dual_classes_parts.h.
 *
 * Where the rows are long against 1 / sqrt(C) and their columns of different scales, the best
 * variables are many steps of |x|^-2 away from 0, and each is in the others' way.  An interior
 * point method goes there in some thirty iterations, however the columns are scaled.  With z = (W,
 * b), f = z'(x, 1) and the row's complementary pairs
 *
 *     sum  p s = mu, (C - p) e = mu,  s - e = f_y - f_c - 1               for each c != y,
 *     max  p s = mu,  s = t - (f_c - f_y + [c != y]), sum_c p_c = C       for each c,
 *
 * a Newton step has du = e - M df for each row, M and e as below, and
 *
 *     (I_W + sum_i (x, 1)(x, 1)' (x) M_i) dz = sum_i (x, 1) (x) (u_i + e_i) - (W, 0).           (1)
 *
 * mu is a tenth of what it is on average, until the pairs' sum is a small part of tol P.  Then a
 * variable is at a bound if its distance over C is below the other number of its pair; the caller's
 * steps go on from there, and the certificate judges.
 *
 * Cost: n (d + 1)^2 k^2 / 2 + (d + 1)^3 k^3 / 6 multiply-adds per iteration.
 * Reference: Ferris & Munson, SIAM J. Optim. 13:783-804, 2003. */
#include "math/optimize/dual_classes_parts.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { MOST_ITERATIONS = 80 };

struct interior {
    struct smr_classes *s;
    int64_t k, d, D;           /* D = (d + 1) k                                  */
    double *z, *dz;            /* D: feature by feature, the intercepts last     */
    double *S, *L;             /* D x D, the lower triangle                      */
    double *p, *slack, *extra; /* n x k: p, s, e                                 */
    double *dp, *ds, *de;      /* n x k                                          */
    double *t, *dt;            /* n, max                                         */
    double *x, *f, *M, *e;     /* d + 1, k, k x k, k                             */
    double mu;
};

static bool is_pair(const struct interior *o, int64_t i, int64_t c)
{
    return !o->s->opts.is_sum || c != o->s->label[i];
}

static bool is_live(const struct interior *o, int64_t i)
{
    return smr_dual_counts(&o->s->d, i);
}

/* x = (x_i, 1) */
static void take_row(struct interior *o, int64_t i)
{
    const smr_dual_problem *p = o->s->d.p;
    if (p->sparse) {
        int64_t r = smr_dual_row(p, i);
        memset(o->x, 0, (size_t)o->d * sizeof *o->x);
        for (int64_t a = p->sparse->start[r]; a < p->sparse->start[r + 1]; a++)
            o->x[p->sparse->column[a]] = p->sparse->value[a];
    } else {
        memcpy(o->x, smr_dual_dense(&o->s->d, i, 0), (size_t)o->d * sizeof *o->x);
    }
    o->x[o->d] = p->is_free ? 1 : 0;
}

/* to = v'(x, 1), v as z. */
static void take_scores(const struct interior *o, const double *v, double *to)
{
    memset(to, 0, (size_t)o->k * sizeof *to);
    for (int64_t j = 0; j <= o->d; j++)
        for (int64_t c = 0; c < o->k; c++) to[c] += o->x[j] * v[j * o->k + c];
}

static void begin(struct interior *o)
{
    for (int64_t i = 0; i < o->s->d.p->n_rows; i++) {
        double C = o->s->d.C[i];
        if (!is_live(o, i)) continue;
        if (o->t) o->t[i] = 2;
        for (int64_t c = 0; c < o->k; c++) {
            int64_t at = i * o->k + c;
            o->p[at] = o->s->opts.is_sum ? C / 2 : C / (double)o->k;
            o->slack[at] = o->s->opts.is_sum || c != o->s->label[i] ? 1 : 2;
            o->extra[at] = 2;
        }
    }
}

/* The sum of all pairs' products, and their number. */
static double products(const struct interior *o, int64_t *n)
{
    double sum = 0;
    *n = 0;
    for (int64_t i = 0; i < o->s->d.p->n_rows; i++)
        for (int64_t c = 0; is_live(o, i) && c < o->k; c++) {
            int64_t at = i * o->k + c;
            if (!is_pair(o, i, c)) continue;
            sum += o->p[at] * o->slack[at];
            *n += 1 + o->s->opts.is_sum;
            if (o->s->opts.is_sum) sum += (o->s->d.C[i] - o->p[at]) * o->extra[at];
        }
    return sum;
}

/* sum: dp = e_c - (df_y - df_c) / theta */
static void row_of_sum(struct interior *o, int64_t i)
{
    int64_t k = o->k, y = o->s->label[i];
    double C = o->s->d.C[i];
    for (int64_t c = 0; c < k; c++) {
        int64_t at = i * k + c;
        if (c == y) continue;
        double p = o->p[at], w = 1 / (o->slack[at] / p + o->extra[at] / (C - p));
        double by = w * (o->mu / p - o->mu / (C - p) - (o->f[y] - o->f[c] - 1));
        o->e[y] += by;
        o->e[c] -= by;
        o->M[y * k + y] += w;
        o->M[c * k + c] += w;
        o->M[y * k + c] -= w;
        o->M[c * k + y] -= w;
    }
}

/* What g + its slack must add up to at the new point, less t. */
static double miss(const struct interior *o, int64_t i, int64_t c)
{
    int64_t y = o->s->label[i];
    return o->mu / o->p[i * o->k + c] - o->t[i] + o->f[c] - o->f[y] + (c != y);
}

/* max: dp_c = w_c (miss_c + df_c - dt), w = p / s, with sum_c dp_c = C - sum_c p_c. */
static void row_of_max(struct interior *o, int64_t i)
{
    int64_t k = o->k;
    double all = 0, mean = 0, left = o->s->d.C[i];
    for (int64_t c = 0; c < k; c++) {
        double w = o->p[i * k + c] / o->slack[i * k + c];
        all += w;
        mean += w * miss(o, i, c);
        left -= o->p[i * k + c];
    }
    for (int64_t c = 0; c < k; c++) {
        double w = o->p[i * k + c] / o->slack[i * k + c];
        o->e[c] = -w * (miss(o, i, c) - (mean - left) / all);
        for (int64_t b = 0; b < k; b++) {
            double v = o->p[i * k + b] / o->slack[i * k + b];
            o->M[c * k + b] = (b == c ? w : 0) - w * v / all;
        }
    }
}

/* M, e and f of row i, whose x is taken. */
static void take_system(struct interior *o, int64_t i)
{
    memset(o->M, 0, (size_t)(o->k * o->k) * sizeof *o->M);
    memset(o->e, 0, (size_t)o->k * sizeof *o->e);
    take_scores(o, o->z, o->f);
    if (o->s->opts.is_sum)
        row_of_sum(o, i);
    else
        row_of_max(o, i);
}

static double u_of(const struct interior *o, int64_t i, int64_t c)
{
    int64_t k = o->k, y = o->s->label[i];
    double sum = 0;
    if (!o->s->opts.is_sum) return (c == y ? o->s->d.C[i] : 0) - o->p[i * k + c];
    if (c != y) return -o->p[i * k + c];
    for (int64_t b = 0; b < k; b++) sum += b != y ? o->p[i * k + b] : 0;
    return sum;
}

/* S += (x, 1)(x, 1)' (x) M and dz += (x, 1) (x) (u + e) of row i. */
static void add_row(struct interior *o, int64_t i)
{
    int64_t k = o->k;
    for (int64_t c = 0; c < k; c++) o->e[c] += u_of(o, i, c);
    for (int64_t a = 0; a < o->D; a++) {
        int64_t j = a / k, c = a % k;
        double *to = o->S + a * o->D, x = o->x[j];
        if (x == 0) continue;
        o->dz[a] += x * o->e[c];
        for (int64_t h = 0; h <= j; h++)
            for (int64_t b = 0; b < k; b++) to[h * k + b] += x * o->x[h] * o->M[c * k + b];
    }
}

/* S and the right side of (1), in dz. */
static void fill(struct interior *o)
{
    int64_t k = o->k, D = o->D;
    memset(o->S, 0, (size_t)(D * D) * sizeof *o->S);
    memset(o->dz, 0, (size_t)D * sizeof *o->dz);
    for (int64_t i = 0; i < o->s->d.p->n_rows; i++) {
        if (!is_live(o, i)) continue;
        take_row(o, i);
        take_system(o, i);
        add_row(o, i);
    }
    for (int64_t a = 0; a < o->d * k; a++) {
        o->S[a * D + a] += 1;
        o->dz[a] -= o->z[a];
    }
    double top = 0; /* only differences of intercepts count: theirs is the sum that stays */
    for (int64_t a = o->d * k; a < D; a++) top = smr_fmax(top, o->S[a * D + a]);
    for (int64_t a = o->d * k; a < D; a++)
        for (int64_t b = o->d * k; b <= a; b++) o->S[a * D + b] += top > 0 ? top : a == b;
}

/* S dz = dz. */
static void solve(struct interior *o)
{
    int64_t D = o->D;
    double *L = o->L, *x = o->dz;
    for (int64_t i = 0; i < D; i++)
        for (int64_t j = 0; j <= i; j++) {
            double a = o->S[i * D + j] - smr_dot_f64(j, L + i * D, L + j * D);
            if (i == j)
                L[i * D + i] = sqrt(smr_fmax(a, 1e-14 * o->S[i * D + i] + DBL_MIN));
            else
                L[i * D + j] = a / L[j * D + j];
        }
    for (int64_t i = 0; i < D; i++) x[i] = (x[i] - smr_dot_f64(i, L + i * D, x)) / L[i * D + i];
    for (int64_t i = D - 1; i >= 0; i--) {
        x[i] /= L[i * D + i];
        smr_axpy_f64(i, -x[i], L + i * D, x);
    }
}

static double room(double at, double by)
{
    return by < 0 ? -at / by : INFINITY;
}

/* The other directions; returns how far all stay positive. */
static double follow(struct interior *o, double *df)
{
    int64_t k = o->k;
    double far = INFINITY;
    for (int64_t i = 0; i < o->s->d.p->n_rows; i++) {
        int64_t y = o->s->label[i];
        double C = o->s->d.C[i], all = 0;
        if (!is_live(o, i)) continue;
        take_row(o, i);
        take_system(o, i);
        take_scores(o, o->dz, df);
        for (int64_t c = 0; c < k && !o->s->opts.is_sum; c++) {
            double w = o->p[i * k + c] / o->slack[i * k + c];
            all += w;
            if (c == 0) o->dt[i] = 0;
            o->dt[i] += w * (miss(o, i, c) + df[c] - df[y]) + o->p[i * k + c];
        }
        if (!o->s->opts.is_sum) o->dt[i] = (o->dt[i] - C) / all;
        for (int64_t c = 0; c < k; c++) {
            int64_t at = i * k + c;
            double p = o->p[at], slack = o->slack[at], extra = o->extra[at], by;
            if (!is_pair(o, i, c)) continue;
            if (o->s->opts.is_sum) {
                double w = 1 / (slack / p + extra / (C - p));
                by = w * (o->mu / p - o->mu / (C - p) - (o->f[y] + df[y] - o->f[c] - df[c] - 1));
                o->de[at] = o->mu / (C - p) - extra + extra / (C - p) * by;
                far = smr_fmin(far, smr_fmin(room(C - p, -by), room(extra, o->de[at])));
            } else {
                by = p / slack * (miss(o, i, c) + df[c] - df[y] - o->dt[i]);
            }
            o->dp[at] = by;
            o->ds[at] = o->mu / p - slack - slack / p * by;
            far = smr_fmin(far, smr_fmin(room(p, by), room(slack, o->ds[at])));
        }
    }
    return far;
}

static void go(struct interior *o, double t)
{
    for (int64_t a = 0; a < o->D; a++) o->z[a] += t * o->dz[a];
    for (int64_t i = 0; i < o->s->d.p->n_rows; i++) {
        if (!is_live(o, i)) continue;
        if (o->t) o->t[i] += t * o->dt[i];
        for (int64_t c = 0; c < o->k; c++) {
            int64_t at = i * o->k + c;
            o->p[at] += t * o->dp[at];
            o->slack[at] += t * o->ds[at];
            o->extra[at] += t * o->de[at];
        }
    }
}

/* The row's p with what is at a bound put there. */
static void settle(struct interior *o, int64_t i)
{
    int64_t k = o->k, most = 0;
    double *p = o->p + i * k, C = o->s->d.C[i], left = C;
    for (int64_t c = 0; c < k; c++) {
        if (p[c] / C < o->slack[i * k + c]) p[c] = 0;
        if (o->s->opts.is_sum && (C - p[c]) / C < o->extra[i * k + c]) p[c] = C;
        if (p[c] > p[most]) most = c;
    }
    for (int64_t c = 0; c < k; c++) left -= c != most ? p[c] : 0;
    if (!o->s->opts.is_sum) p[most] = smr_fmax(0, left);
}

/* u, W and the intercepts from p and z. */
static void hand_over(struct interior *o)
{
    struct smr_classes *s = o->s;
    int64_t k = o->k;
    double *last = s->W + o->d * k, *change = o->e;
    memset(s->W, 0, (size_t)((o->d + 1) * k) * sizeof *s->W);
    for (int64_t i = 0; i < s->d.p->n_rows; i++) {
        if (!is_live(o, i)) continue;
        settle(o, i);
        for (int64_t c = 0; c < k; c++) s->u[i * k + c] = change[c] = u_of(o, i, c);
        if (s->d.wide) (void)smr_dual_dense(&s->d, i, 0);
        smr_classes_move(s, i, change);
    }
    if (!s->d.p->is_free) return;
    smr_classes_balance(s, change);
    for (int64_t c = 0; c < k; c++) {
        last[c] = o->z[o->d * k + c] / s->d.bias;
        s->centre[c] = last[c] - s->d.bias * change[c];
    }
}

static smr_status make_room(smr_ctx *ctx, struct interior *o, double **block)
{
    smr_status st = SMR_OK;
    int64_t n = o->s->d.p->n_rows, k = o->k, m = n * k;
    TRY_NEW(*block, 2 * o->D + 2 * o->D * o->D + 6 * m + 2 * n + o->d + 1 + 3 * k + k * k);
    o->z = *block, o->dz = o->z + o->D;
    o->S = o->dz + o->D, o->L = o->S + o->D * o->D;
    o->p = o->L + o->D * o->D, o->slack = o->p + m, o->extra = o->slack + m;
    o->dp = o->extra + m, o->ds = o->dp + m, o->de = o->ds + m;
    double *rest = o->de + m;
    if (!o->s->opts.is_sum) o->t = rest, o->dt = rest + n;
    o->x = rest + 2 * n, o->f = o->x + o->d + 1, o->e = o->f + k, o->M = o->e + 2 * k;
out:
    return st;
}

double smr_classes_interior_cost(const struct smr_classes *s)
{
    double D = (double)((s->d.p->n_cols + 1) * s->k);
    return 30 * D * D * ((double)s->d.n_live / 2 + D / 6);
}

smr_status smr_classes_interior(smr_ctx *ctx, struct smr_classes *s)
{
    smr_status st = SMR_OK;
    int64_t d = s->d.p->n_cols, n;
    struct interior o = {.s = s, .k = s->k, .d = d, .D = (d + 1) * s->k};
    double *block = NULL, sum;
    TRY(make_room(ctx, &o, &block));
    begin(&o);
    for (int step = 0;; step++) {
        sum = products(&o, &n);
        if (!isfinite(sum)) goto out; /* numbers too large: the visits go on from where they were */
        if (s->opts.l2 * sum <= 1e-3 * s->opts.tol * s->d.out->objective) break;
        if (step == MOST_ITERATIONS) break;
        o.mu = 0.1 * sum / (double)n;
        fill(&o);
        solve(&o);
        go(&o, smr_fmin(1, 0.995 * follow(&o, o.e + s->k)));
        TRY(smr_tick(ctx, s->opts.what ? s->opts.what : "interior point", step, MOST_ITERATIONS,
                     sum));
    }
    s->spent += smr_classes_interior_cost(s);
    hand_over(&o);
    s->d.active = s->d.n_live;
out:
    smr_free(block);
    return st;
}
