/* lbfgs.c -- L-BFGS; see optimize.h.
 *
 * The direction d = -H g is made from the last m pairs s = w' - w, y = g' - g by two loops over
 * them, around H_0 = (s'y / y'y) I of the last pair.  Pairs without positive curvature,
 * s'y <= 1e-12 |s| |y|, are left out.  The step satisfies the strong Wolfe conditions (search.c).
 * If none is found the pairs are forgotten and steepest descent is tried once; if that finds none
 * either, rounding has the last word.
 *
 * Cost: 4 m n multiply-adds per iteration besides about one evaluation; (2 m + 5) n numbers.
 * Reference: Liu & Nocedal, Math. Programming 45:503-528, 1989. */
#include "math/optimize/pairs.h"

#include <math.h>
#include <string.h>

/* The direction, its slope g'd (made steepest descent where it is not downhill), and the first step
 * to try. */
static double choose_direction(struct smr_pairs *pairs, const double *g, double norm, double *d,
                               double *first)
{
    int64_t n = pairs->n;
    smr_pairs_times(pairs, g, d);
    for (int64_t i = 0; i < n; i++) d[i] = -d[i];
    double slope = smr_dot_f64(n, g, d);
    if (!(slope < 0) || !isfinite(slope)) {
        smr_pairs_forget(pairs);
        for (int64_t i = 0; i < n; i++) d[i] = -g[i];
        slope = -norm * norm;
    }
    *first = pairs->count > 0 ? 1 : smr_fmin(1, 1 / norm);
    return slope;
}

static smr_status iterate(smr_ctx *ctx, struct smr_run *run, struct smr_pairs *pairs, double **w,
                          double **g, struct smr_search *s, double *d, bool *over)
{
    smr_status st = SMR_OK;
    int64_t n = run->objective->n, iteration = run->out->iterations;
    bool found = false;
    double norm = smr_norm(n, *g);
    for (int attempt = 0; attempt < 2; attempt++) {
        bool had_pairs = pairs->count > 0;
        s->slope = choose_direction(pairs, *g, norm, d, &s->step);
        s->w = *w;
        TRY(smr_search_step(ctx, run, s, &found));
        if (found || s->step > 0 || !had_pairs) break;
        smr_pairs_forget(pairs);
    }
    if (s->step == 0) {
        *over = true;
        smr_run_end(run, SMR_WHY_ROUNDING);
        goto out;
    }
    smr_pairs_add(pairs, *w, s->w_new, *g, s->g_new);
    SMR_SWAP(*w, s->w_new);
    SMR_SWAP(*g, s->g_new);
    s->f = s->f_new;
    TRY(smr_run_reached(ctx, run, iteration + 1, s->f, smr_norm(n, *g), s->step, over));
out:
    return st;
}

smr_status smr_lbfgs(smr_ctx *ctx, const smr_objective *objective, int64_t memory,
                     const smr_optimize_opts *opts, double *w, smr_optimize_result *out)
{
    smr_status st = SMR_OK;
    int64_t n = objective->n;
    double *block = NULL;
    struct smr_run run;
    struct smr_pairs pairs = {0};
    bool over = false;
    smr_run_begin(&run, objective, opts, out);
    TRY(smr_pairs_init(ctx, &pairs, n, memory));
    TRY_NEW(block, 5 * n);
    double *v = block, *g = block + n, *d = block + 2 * n;
    struct smr_search s = {
        .d = d, .w_new = block + 3 * n, .g_new = block + 4 * n, .curvature = 0.9};
    memcpy(v, w, (size_t)n * sizeof *w);
    TRY(smr_run_evaluate(ctx, &run, v, &s.f, g));
    TRY(smr_run_reached(ctx, &run, 0, s.f, smr_norm(n, g), 0, &over));
    while (!over) TRY(iterate(ctx, &run, &pairs, &v, &g, &s, d, &over));
    memcpy(w, v, (size_t)n * sizeof *w);
out:
    smr_free(block);
    smr_pairs_release(&pairs);
    return st;
}
