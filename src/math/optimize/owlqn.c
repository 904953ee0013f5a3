/* owlqn.c -- orthant-wise L-BFGS for f(w) + sum_j l1_j |w_j|; see optimize.h.
 *
 * Within an orthant the penalty is linear.  At w the sub-gradient of least norm is
 *
 *     v_j = g_j + l1_j sign(w_j)                       if w_j != 0
 *           g_j - l1_j, g_j + l1_j or 0                if w_j = 0 and g_j > l1_j, < -l1_j, else (1)
 *
 * Weights with w_j = v_j = 0 stay.  The direction of the others is -H v, H from the parts of the
 * pairs that are theirs (the pairs from the gradients of f alone): the inverse of what f's second
 * derivatives are there, which a part of the inverse of all is not.  A weight at 0 may only go
 * along -v, and otherwise loses its component; the others may go either way, so they keep theirs
 * (in the paper all weights lose those against -v, and a badly scaled f takes many times the
 * iterations), unless the direction would not lead down.  Points on the way are projected on the
 * orthant of w, or where w_j = 0 of -v, so that weights become exactly zero; the step is halved
 * until the decrease is 1e-4 of v'(w - w_new).  When (1) is 0, w is the minimum.
 *
 * Cost: as lbfgs.c, and a copy of the pairs per iteration.  Reference: Andrew & Gao, ICML 2007. */
#include "math/optimize/pairs.h"

#include <math.h>
#include <string.h>

enum { MAX_HALVINGS = 50 };

struct orthant {
    struct smr_run run;
    struct smr_pairs pairs, part; /* all, and of the weights that move */
    int64_t *moves;               /* these                             */
    const double *l1;
    double *w, *g, *w_new, *g_new, *v, *d;
    double f; /* with the penalty */
};

static double penalty(int64_t n, const double *l1, const double *w)
{
    double sum = 0;
    for (int64_t j = 0; j < n; j++) sum += l1[j] * fabs(w[j]);
    return sum;
}

/* v of (1); returns |v|. */
static double least_subgradient(const struct orthant *o)
{
    int64_t n = o->run.objective->n;
    for (int64_t j = 0; j < n; j++) {
        double g = o->g[j], c = o->l1[j];
        if (o->w[j] != 0)
            o->v[j] = g + (o->w[j] > 0 ? c : -c);
        else
            o->v[j] = g > c ? g - c : g < -c ? g + c : 0;
    }
    return smr_norm(n, o->v);
}

/* The pairs' parts of the weights that move, oldest first; some have no curvature there. */
static void take_parts(struct orthant *o, int64_t m)
{
    const struct smr_pairs *all = &o->pairs;
    struct smr_pairs *part = &o->part;
    int64_t n = all->n;
    part->n = m;
    smr_pairs_forget(part);
    for (int64_t k = all->count; k >= 1; k--) {
        int64_t i = (all->next - k + all->memory) % all->memory;
        double *s = part->s + part->count * m, *y = part->y + part->count * m;
        for (int64_t a = 0; a < m; a++) {
            s[a] = all->s[i * n + o->moves[a]];
            y[a] = all->y[i * n + o->moves[a]];
        }
        double sy = smr_dot_f64(m, s, y);
        if (!(sy > 1e-8 * smr_norm(m, s) * smr_norm(m, y)) || !isfinite(1 / sy)) continue;
        part->rho[part->count++] = 1 / sy;
    }
    part->next = part->count % part->memory;
}

/* d = -H v over the weights that move. */
static void times_part(struct orthant *o)
{
    int64_t n = o->run.objective->n, m = 0;
    double *v = o->w_new, *d = o->g_new; /* both are free until the search */
    for (int64_t j = 0; j < n; j++)
        if (o->w[j] != 0 || o->v[j] != 0) o->moves[m++] = j;
    take_parts(o, m);
    for (int64_t a = 0; a < m; a++) v[a] = o->v[o->moves[a]];
    smr_pairs_times(&o->part, v, d);
    memset(o->d, 0, (size_t)n * sizeof *o->d);
    for (int64_t a = 0; a < m; a++) o->d[o->moves[a]] = -d[a];
}

/* Takes out what is not allowed: components against -v, of weights at 0 or of all; returns -v'd. */
static double align(struct orthant *o, bool all)
{
    double down = 0;
    for (int64_t j = 0; j < o->run.objective->n; j++) {
        bool may_turn = !all && (o->w[j] != 0 || o->l1[j] == 0);
        if (!may_turn && !(o->d[j] * o->v[j] < 0)) o->d[j] = 0;
        down -= o->d[j] * o->v[j];
    }
    return down;
}

static void choose_direction(struct orthant *o)
{
    int64_t n = o->run.objective->n;
    times_part(o);
    if (align(o, false) > 1e-10 * smr_norm(n, o->v) * smr_norm(n, o->d)) return;
    if (align(o, true) > 0) return;
    smr_pairs_forget(&o->pairs);
    for (int64_t j = 0; j < n; j++) o->d[j] = -o->v[j];
}

/* w_new = w + a d projected on the orthant; returns v'(w_new - w), which is negative. */
static double project_step(const struct orthant *o, double a)
{
    double slope = 0;
    for (int64_t j = 0; j < o->run.objective->n; j++) {
        double side = o->w[j] != 0 ? o->w[j] : -o->v[j], x = o->w[j] + a * o->d[j];
        o->w_new[j] = x * side > 0 || o->l1[j] == 0 ? x : 0;
        slope += o->v[j] * (o->w_new[j] - o->w[j]);
    }
    return slope;
}

/* *step is 0 if none is found. */
static smr_status search(smr_ctx *ctx, struct orthant *o, double norm, double *step)
{
    smr_status st = SMR_OK;
    int64_t n = o->run.objective->n;
    double a = o->pairs.count > 0 ? 1 : smr_fmin(1, 1 / norm), f = 0;
    *step = 0;
    for (int k = 0; k < MAX_HALVINGS; k++, a *= isfinite(f) ? 0.5 : 0.1) {
        double slope = project_step(o, a);
        TRY(smr_run_evaluate(ctx, &o->run, o->w_new, &f, o->g_new));
        f += penalty(n, o->l1, o->w_new);
        if (!(f <= o->f + 1e-4 * slope) || !(f < o->f || slope < 0) || !smr_all_finite(n, o->g_new))
            continue;
        *step = a;
        o->f = f;
        break;
    }
out:
    return st;
}

static smr_status iterate(smr_ctx *ctx, struct orthant *o, double *norm, bool *over)
{
    smr_status st = SMR_OK;
    double step = 0;
    for (int attempt = 0; attempt < 2 && step == 0; attempt++) {
        bool had_pairs = o->pairs.count > 0;
        choose_direction(o);
        TRY(search(ctx, o, *norm, &step));
        if (!had_pairs) break;
        if (step == 0) smr_pairs_forget(&o->pairs);
    }
    if (step == 0) {
        *over = true;
        smr_run_end(&o->run, SMR_WHY_ROUNDING);
        goto out;
    }
    smr_pairs_add(&o->pairs, o->w, o->w_new, o->g, o->g_new);
    SMR_SWAP(o->w, o->w_new);
    SMR_SWAP(o->g, o->g_new);
    *norm = least_subgradient(o);
    TRY(smr_run_reached(ctx, &o->run, o->run.out->iterations + 1, o->f, *norm, step, over));
out:
    return st;
}

smr_status smr_owlqn(smr_ctx *ctx, const smr_objective *objective, const double *l1, int64_t memory,
                     const smr_optimize_opts *opts, double *w, smr_optimize_result *out)
{
    smr_status st = SMR_OK;
    int64_t n = objective->n;
    double *block = NULL;
    struct orthant o = {.l1 = l1};
    bool over = false;
    smr_run_begin(&o.run, objective, opts, out);
    TRY(smr_pairs_init(ctx, &o.pairs, n, memory));
    TRY(smr_pairs_init(ctx, &o.part, n, memory));
    TRY_NEW(o.moves, n);
    TRY_NEW(block, 6 * n);
    o.w = block, o.g = block + n, o.w_new = block + 2 * n, o.g_new = block + 3 * n;
    o.v = block + 4 * n, o.d = block + 5 * n;
    memcpy(o.w, w, (size_t)n * sizeof *w);
    TRY(smr_run_evaluate(ctx, &o.run, o.w, &o.f, o.g));
    o.f += penalty(n, l1, o.w);
    double norm = least_subgradient(&o);
    TRY(smr_run_reached(ctx, &o.run, 0, o.f, norm, 0, &over));
    while (!over) TRY(iterate(ctx, &o, &norm, &over));
    memcpy(w, o.w, (size_t)n * sizeof *w);
out:
    smr_free(block);
    smr_free(o.moves);
    smr_pairs_release(&o.pairs);
    smr_pairs_release(&o.part);
    return st;
}
