/* logistic_solve.c -- the optimisers of the learner logistic, and which of them is taken.
 *
 * Newton on many rows begins at the answer for a part of them, and goes on with the Hessian found
 * there as long as that serves.  With l1, few variables have a dense Hessian, two classes of many
 * in sparse rows a copy of the entries by columns.  L-BFGS and OWL-QN work in the frame of the
 * standardised features (frame.h); gradient descent shows the plain course of the method and takes
 * none. */
#include "data/by_column.h"
#include "kernel/kernel.h"
#include "learn/linear/decrement.h"
#include "learn/linear/descent.h"
#include "learn/linear/frame.h"
#include "learn/linear/held_rows.h"
#include "learn/linear/logistic.h"
#include "learn/linear/start.h"
#include "math/optimize/coordinate.h"

#include <math.h>
#include <string.h>

/* The dense Hessian is used up to this many variables, and while it costs at most this many times
 * the multiply-adds of an evaluation. */
enum { MOST_VARIABLES = 1000, MOST_RATIO = 500 };
/* Iterations of L-BFGS before auto changes to Newton by conjugate gradients. */
enum { A_WHILE = 300 };
enum { ROUNDS = 3 }; /* of going on where the curvature does not agree with the gradient */
#define ROUNDING \
    1e-12 /* of the null model's objective: nothing smaller is asked of a certificate */

bool smr_logistic_is_small(int64_t k, int64_t d)
{
    return k * (d + 1) <= MOST_VARIABLES && (d + 1) * (k + 1) / 2 <= MOST_RATIO;
}

enum smr_logistic_solver smr_logistic_choose(const struct smr_logistic_params *p,
                                             const smr_data *data, int64_t k)
{
    bool small = smr_logistic_is_small(k, data->n_features);
    bool dual = smr_logistic_has_dual(data, k) && p->l2 > 0 && data->sparse && !data->source;
    if (p->solver != SMR_LOGISTIC_AUTO) return (enum smr_logistic_solver)p->solver;
    bool by_columns = k == 1 && smr_data_is_sparse(data);
    if (p->l1 > 0) return small || by_columns ? SMR_LOGISTIC_COORDINATE : SMR_LOGISTIC_OWLQN;
    return small ? SMR_LOGISTIC_NEWTON : dual ? SMR_LOGISTIC_DUAL : SMR_LOGISTIC_LBFGS;
}

static bool goes_by_columns(const struct smr_logistic_fit *f)
{
    return f->solver == SMR_LOGISTIC_COORDINATE && f->k == 1 && !smr_logistic_is_small(f->k, f->d);
}

bool smr_logistic_has_start(const struct smr_logistic_fit *f)
{
    return f->solver != SMR_LOGISTIC_DUAL && !goes_by_columns(f);
}

/* auto: L-BFGS that has not come to the end after a while is followed by Newton's method. */
static bool may_change(const struct smr_logistic_fit *f)
{
    return f->p->solver == SMR_LOGISTIC_AUTO && f->solver == SMR_LOGISTIC_LBFGS &&
           f->p->max_iter > A_WHILE;
}

smr_status smr_logistic_open(smr_ctx *ctx, struct smr_logistic_fit *f)
{
    const struct smr_logistic_params *p = f->p;
    bool curved = f->solver == SMR_LOGISTIC_NEWTON || f->solver == SMR_LOGISTIC_TRUST ||
                  may_change(f) || (f->solver == SMR_LOGISTIC_COORDINATE && f->k > 1) ||
                  smr_logistic_is_small(f->k, f->d);
    smr_linear_problem problem = {
        .data = f->data,
        .loss = &smr_losses[f->k == 1 ? SMR_LOSS_LOGISTIC : SMR_LOSS_CROSS_ENTROPY],
        .weight = f->weight,
        .l2 = f->l2,
        .fit_intercept = p->fit_intercept,
        .second_order = curved,
        .pinned = p->fit_intercept,
        .pinned_weights = p->l1 == 0 && p->l2 == 0};
    return smr_linear_objective_open(ctx, "logistic", &problem, &f->o);
}

/* ---- Newton with a Hessian that is kept ------------------------------------------------- */

/* A Hessian is given again as long as its steps shorten the gradient tenfold: near the minimum, and
 * with that of a large part of the rows, an evaluation of its own costs less than a new one.  Any
 * positive definite matrix leads to the same minimum.  What a step showed of the gradient's change
 * is worked in by the formula of Broyden, Fletcher, Goldfarb and Shanno.  The evaluation that will
 * most likely be the last, going by how the steps shortened the gradient, also makes the Hessian:
 * it is wanted at the answer, and reading the rows costs as much as the rest of an evaluation. */
struct keeping {
    smr_objective function;
    const smr_objective *inner;
    smr_linear_objective *o;
    double *H;   /* n x n */
    double *at;  /* 5 n: the point before and its gradient, those of the last evaluation, room */
    double norm; /* |g| of the point before */
    double now;  /* of the point evaluated last */
    double expected; /* of the point after the next step; INFINITY: not known */
    double end;      /* |g| at which it ends */
};

static smr_status evaluate_kept(smr_ctx *ctx, void *self, const double *w, double *f, double *g)
{
    struct keeping *k = self;
    if (k->expected <= 2 * k->end) smr_linear_want_hessian(k->o);
    smr_status st = k->inner->evaluate(ctx, k->inner->self, w, f, g);
    if (st != SMR_OK) return st;
    int64_t n = k->inner->n;
    k->now = sqrt(smr_dot_f64(n, g, g));
    memcpy(k->at + 2 * n, w, (size_t)n * sizeof *w);
    memcpy(k->at + 3 * n, g, (size_t)n * sizeof *g);
    return SMR_OK;
}

/* H += y y' / y's - H s s'H / s'H s for the last step s and the gradient's change y. */
static void learn_step(struct keeping *k)
{
    int64_t n = k->inner->n;
    double *s = k->at, *y = s + n, *Hs = s + 4 * n;
    for (int64_t i = 0; i < 2 * n; i++) s[i] = k->at[2 * n + i] - s[i];
    for (int64_t i = 0; i < n; i++) Hs[i] = smr_dot_f64(n, k->H + i * n, s);
    double ys = smr_dot_f64(n, y, s), sHs = smr_dot_f64(n, s, Hs);
    if (!(ys > 0.1 * sHs) || !(sHs > 0)) return;
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j < n; j++) k->H[i * n + j] += y[i] * y[j] / ys - Hs[i] * Hs[j] / sHs;
}

static smr_status hessian_kept(smr_ctx *ctx, void *self, const double *w, double *H)
{
    struct keeping *k = self;
    smr_status st = SMR_OK;
    size_t size = (size_t)(k->inner->n * k->inner->n) * sizeof *H;
    if (!(k->now <= 0.1 * k->norm) || smr_linear_has_hessian(k->o, w))
        TRY(smr_linear_hessian_at(ctx, k->o, w, k->H));
    else if (isfinite(k->norm))
        learn_step(k);
    memcpy(k->at, k->at + 2 * k->inner->n, 2 * (size_t)k->inner->n * sizeof *k->at);
    memcpy(H, k->H, size);
    k->expected = isfinite(k->norm) ? k->now * smr_fmin(1, k->now / k->norm) : INFINITY;
    k->norm = k->now;
out:
    return st;
}

/* Newton from f->w, whose Hessian, scaled to all rows, is in H (n x n). */
static smr_status newton_keeping(smr_ctx *ctx, const struct smr_logistic_fit *f, double *H,
                                 const smr_optimize_opts *opts, smr_optimize_result *result)
{
    smr_status st = SMR_OK;
    const smr_objective *inner = smr_linear_function(f->o);
    struct keeping k = {.inner = inner,
                        .o = f->o,
                        .H = H,
                        .norm = INFINITY,
                        .expected = INFINITY,
                        .end = opts->tol * opts->scale};
    k.function = (smr_objective){
        .n = inner->n, .self = &k, .evaluate = evaluate_kept, .hessian = hessian_kept};
    TRY_NEW(k.at, 5 * inner->n);
    TRY(smr_newton(ctx, &k.function, opts, f->w, result));
out:
    smr_free(k.at);
    return st;
}

/* ---- a start from some of the rows ------------------------------------------------------ */

/* Every s-th run of rows: at least 100 rows a variable, and 10000. */
static int64_t sample_step(const struct smr_logistic_fit *f)
{
    int64_t least = SMR_MAX(10000, 100 * f->n);
    return f->taken / least < 4 ? 1 : SMR_MIN(10, f->taken / least);
}

/* The objective becomes that of these rows. */
static void take(struct smr_logistic_fit *f)
{
    f->taken = smr_linear_take_every(f->o, f->every);
    smr_linear_set_l2(f->o, f->l2);
}

static bool has_all_classes(const struct smr_logistic_fit *f)
{
    int64_t k = SMR_MAX(2, f->k), found = 0, run = smr_linear_run(f->o), n = f->data->n_rows;
    for (int64_t c = 0; c < k; c++) {
        bool is = false;
        for (int64_t lo = 0; lo < n && !is; lo += run * f->every)
            for (int64_t i = lo; i < SMR_MIN(n, lo + run); i++)
                is |= f->data->label[i] == c && (!f->weight || f->weight[i] > 0);
        found += is;
    }
    return found == k;
}

static smr_status solve_by_newton(smr_ctx *ctx, struct smr_logistic_fit *f, smr_optimize_opts *opts,
                                  smr_optimize_result *result);

/* w = the answer for a part of the rows, found the same way, and the Hessian there; *scale = |g| at
 * zero; both as they would be on all rows.  *scale stays 0 where there is no such start. */
static smr_status start_from_sample(smr_ctx *ctx, struct smr_logistic_fit *f, double *H,
                                    double *scale)
{
    smr_status st = SMR_OK;
    struct smr_logistic_fit part = *f;
    smr_linear_telling telling = {.ctx = ctx};
    smr_optimize_opts opts = {
        .max_iter = 20, .what = "fitting a part", .each = smr_linear_tell, .user = &telling};
    smr_optimize_result result;
    part.every = f->every * sample_step(f);
    part.taken = smr_linear_take_every(f->o, part.every);
    double ratio = (double)f->taken / (double)part.taken;
    part.l2 = f->l2 / ratio;
    take(&part);
    /* The gradient of all rows at the part's answer is about sqrt(n / rows) of that at zero. */
    opts.tol = 0.2 * sqrt((double)f->n / (double)part.taken);
    if (!has_all_classes(&part)) goto out;
    TRY(solve_by_newton(ctx, &part, &opts, &result));
    if (result.converged) {
        TRY(smr_linear_hessian_at(ctx, part.o, f->w, H));
        for (int64_t i = 0; i < f->n * f->n; i++) H[i] *= ratio;
        *scale = (opts.scale > 0 ? opts.scale : telling.at_start) * ratio;
    } else {
        memset(f->w, 0, (size_t)f->n * sizeof *f->w);
    }
out:
    take(f);
    return st;
}

/* ---- the solvers ------------------------------------------------------------------------ */

/* l1 of each variable of the frame: that of w over the scale. */
static smr_status solve_in_frame(smr_ctx *ctx, struct smr_logistic_fit *f, smr_optimize_opts *opts,
                                 smr_optimize_result *result)
{
    smr_status st = SMR_OK;
    smr_linear_frame frame = {0};
    double *l1 = NULL;
    TRY(smr_linear_frame_open(ctx, f->o, f->data, f->p->l2, f->k == 1 ? 0.2 : 0.1, &frame));
    if (f->is_warm) smr_linear_frame_enter(&frame, f->w, f->w);
    if (f->solver == SMR_LOGISTIC_LBFGS) {
        if (f->is_warm) TRY(smr_linear_scale(ctx, &frame.function, NULL, &opts->scale));
        TRY(smr_lbfgs(ctx, &frame.function, 0, opts, f->w, result));
    } else {
        TRY_NEW(l1, f->n);
        for (int64_t i = 0; i < f->k * f->d; i++) l1[i] = f->p->l1 / frame.scale[i % f->d];
        if (f->is_warm) TRY(smr_linear_scale(ctx, &frame.function, l1, &opts->scale));
        TRY(smr_owlqn(ctx, &frame.function, l1, 0, opts, f->w, result));
    }
    smr_linear_frame_leave(&frame, f->w, f->w);
out:
    smr_free(l1);
    smr_linear_frame_close(&frame);
    return st;
}

/* Two classes of more features than a Hessian has room for: local quadratics on the columns, which
 * sparse rows in memory give one by one. */
static smr_status solve_by_columns(smr_ctx *ctx, struct smr_logistic_fit *f,
                                   const smr_optimize_opts *opts, smr_optimize_result *result)
{
    smr_status st = SMR_OK;
    smr_held_rows rows = {0};
    smr_by_column columns = {0};
    double *y = NULL, intercept = 0;
    int64_t n = f->data->n_rows;
    TRY_NEW(y, n);
    for (int64_t i = 0; i < n; i++) y[i] = f->data->label[i] ? 1 : -1;
    smr_glm glm = {.loss = &smr_losses[SMR_LOSS_LOGISTIC],
                   .y = y,
                   .weight = f->weight,
                   .has_offset = f->p->fit_intercept};
    if (smr_data_is_sparse(f->data)) TRY(smr_held_all(ctx, "logistic", f->data, &rows));
    if (rows.is_sparse && n <= INT32_MAX) {
        smr_dual_problem held = smr_held_dual(&rows, y, f->weight, false);
        glm.sparse = held.sparse, glm.rows = held.rows, glm.n_rows = n;
    } else {
        TRY(smr_by_column_open(ctx, f->data, NULL, "use solver=owlqn", &columns));
        glm.X = &columns.X;
    }
    smr_elastic_opts penalty = {.l1 = f->p->l1, .l2 = f->p->l2};
    TRY(smr_glm_columns(ctx, &glm, &penalty, opts, f->w, &intercept, result));
    if (f->p->fit_intercept) f->w[f->d] = intercept;
out:
    smr_free(y);
    smr_held_close(&rows);
    smr_by_column_close(&columns);
    return st;
}

/* The penalty is outside the objective here; the intercepts have none. */
static smr_status solve_by_coordinates(smr_ctx *ctx, struct smr_logistic_fit *f,
                                       smr_optimize_opts *opts, smr_optimize_result *result)
{
    smr_status st = SMR_OK;
    double *factor = NULL;
    if (goes_by_columns(f)) return solve_by_columns(ctx, f, opts, result);
    TRY_NEW(factor, f->n);
    smr_linear_set_l2(f->o, 0);
    for (int64_t i = 0; i < f->k * f->d; i++) factor[i] = f->p->l1;
    if (f->is_warm) TRY(smr_linear_scale(ctx, smr_linear_function(f->o), factor, &opts->scale));
    for (int64_t i = 0; i < f->k * f->d; i++) factor[i] = 1;
    smr_elastic_opts penalty = {
        .l1 = f->p->l1, .l2 = f->p->l2, .l1_factor = factor, .l2_factor = factor};
    TRY(smr_proximal_newton(ctx, smr_linear_function(f->o), &penalty, opts, f->w, result));
    smr_linear_set_l2(f->o, f->p->l2);
out:
    smr_free(factor);
    return st;
}

static smr_status solve_by_newton(smr_ctx *ctx, struct smr_logistic_fit *f, smr_optimize_opts *opts,
                                  smr_optimize_result *result)
{
    smr_status st = SMR_OK;
    double *H = NULL;
    opts->scale = 0;
    if (f->is_warm) {
        TRY(smr_linear_scale(ctx, smr_linear_function(f->o), NULL, &opts->scale));
        return smr_newton(ctx, smr_linear_function(f->o), opts, f->w, result);
    }
    if (sample_step(f) > 1 && !smr_data_is_sparse(f->data)) {
        TRY_NEW(H, f->n * f->n);
        TRY(start_from_sample(ctx, f, H, &opts->scale));
    }
    if (opts->scale > 0)
        TRY(newton_keeping(ctx, f, H, opts, result));
    else
        TRY(smr_newton(ctx, smr_linear_function(f->o), opts, f->w, result));
out:
    smr_free(H);
    return st;
}

static double total_weight(const struct smr_logistic_fit *f)
{
    double sum = 0;
    for (int64_t i = 0; i < f->data->n_rows; i++) sum += f->weight ? f->weight[i] : 1;
    return sum;
}

/* The variables are the coefficients of all scores, then their intercepts. */
static void as_they_are(const void *self, const double *w, double *coef, double *b)
{
    const struct smr_logistic_fit *f = self;
    memcpy(coef, w, (size_t)(f->k * f->d) * sizeof *w);
    for (int64_t c = 0; c < f->k; c++) b[c] = f->p->fit_intercept ? w[f->k * f->d + c] : 0;
}

static smr_status solve_by_descent(smr_ctx *ctx, struct smr_logistic_fit *f,
                                   const smr_optimize_opts *opts, smr_optimize_result *result)
{
    smr_status st = SMR_OK;
    const smr_objective *F = smr_linear_function(f->o);
    bool fixed = f->p->step > 0;
    smr_gd_opts how = {.rule = fixed ? SMR_STEP_FIXED : SMR_STEP_ARMIJO,
                       .step = fixed ? f->p->step / total_weight(f) : 0};
    smr_descent watched = {f->report->trace, F, f->k, f->d, as_they_are, f, 0, 0, NULL};
    smr_linear_telling *telling = opts->user;
    if (f->report->trace) telling->watched = &watched;
    TRY(smr_gradient_descent(ctx, F, how, opts, f->w, result));
    TRY(telling->status);
    if (f->report->trace) TRY(smr_descent_tell(ctx, &watched, f->w));
out:
    telling->watched = NULL;
    smr_descent_release(&watched);
    return st;
}

static smr_status run(smr_ctx *ctx, struct smr_logistic_fit *f, smr_optimize_opts *opts,
                      smr_optimize_result *result)
{
    smr_status st = SMR_OK;
    const smr_objective *F = smr_linear_function(f->o);
    if (f->is_warm) TRY(smr_linear_scale(ctx, F, NULL, &opts->scale));
    switch (f->solver) {
    case SMR_LOGISTIC_NEWTON: TRY(solve_by_newton(ctx, f, opts, result)); break;
    case SMR_LOGISTIC_TRUST: TRY(smr_trust_newton(ctx, F, opts, f->w, result)); break;
    case SMR_LOGISTIC_DUAL: TRY(smr_logistic_dual(ctx, f, result)); break;
    case SMR_LOGISTIC_COORDINATE: TRY(solve_by_coordinates(ctx, f, opts, result)); break;
    case SMR_LOGISTIC_GD: TRY(solve_by_descent(ctx, f, opts, result)); break;
    default: TRY(solve_in_frame(ctx, f, opts, result)); break;
    }
out:
    return st;
}

/* Counts of words differ so much in size that no frame makes the problem round: L-BFGS then walks a
 * long valley, which Newton's steps do not see. */
static smr_status run_on(smr_ctx *ctx, struct smr_logistic_fit *f, smr_optimize_opts *opts,
                         smr_optimize_result *result)
{
    smr_status st = SMR_OK;
    int64_t most = opts->max_iter;
    const smr_objective *F = smr_linear_function(f->o);
    if (may_change(f)) opts->max_iter = A_WHILE;
    TRY(run(ctx, f, opts, result));
    if (result->why != SMR_WHY_ITERATIONS || !may_change(f)) goto out;
    int64_t before = result->iterations;
    if (smr_data_is_sparse(f->data))
        smr_info(ctx, "logistic: rows of unlike lengths, as counts are, take hundreds of "
                      "iterations; of one length (words weight=tfidf, or norm=l2) some tens");
    opts->max_iter = most - before;
    TRY(smr_linear_scale(ctx, F, NULL, &opts->scale));
    TRY(smr_trust_newton(ctx, F, opts, f->w, result));
    result->iterations += before;
out:
    return st;
}

/* ---- the certificate -------------------------------------------------------------------- */

/* Where the Hessian is affordable it has to agree that J is near its least.  Along columns that are
 * nearly combinations of others the gradient is small while J still falls. */
static smr_status certify(smr_ctx *ctx, struct smr_logistic_fit *f)
{
    smr_status st = SMR_OK;
    f->above = 0;
    if (!smr_logistic_is_small(f->k, f->d) || f->solver == SMR_LOGISTIC_DUAL) return SMR_OK;
    if (!f->H) TRY_NEW(f->H, SMR_MAX(1, f->n * f->n));
    TRY(smr_linear_above(ctx, f->o, f->w, f->p->l1, f->k * f->d, f->H, &f->above));
out:
    return st;
}

static bool is_certain(const struct smr_logistic_fit *f)
{
    return f->above <= smr_fmax(f->p->tol, ROUNDING) * f->null;
}

static bool has_come_to_an_end(const smr_optimize_result *r)
{
    return r->converged || r->why == SMR_WHY_ROUNDING;
}

/* Goes on with a smaller tol, a few times, until the Hessian agrees: where classes are separated it
 * never does.  gd keeps to the course that was asked for. */
static smr_status run_to_the_end(smr_ctx *ctx, struct smr_logistic_fit *f, smr_optimize_opts *opts,
                                 smr_optimize_result *result)
{
    smr_status st = SMR_OK;
    TRY(run_on(ctx, f, opts, result));
    if (!has_come_to_an_end(result)) goto out;
    TRY(certify(ctx, f));
    for (int round = 0; round < ROUNDS && !is_certain(f); round++) {
        int64_t before = result->iterations, left = f->p->max_iter - before;
        if (f->solver == SMR_LOGISTIC_GD || left == 0) break;
        f->is_warm = true;
        opts->max_iter = SMR_MIN(left, 2 * before + 20);
        opts->tol /= 10;
        TRY(run(ctx, f, opts, result));
        bool moved = result->iterations > 0;
        result->iterations += before;
        result->converged = true; /* as it had before, by the gradient */
        if (!moved) break;
        TRY(certify(ctx, f));
    }
out:
    return st;
}

/* What makes it converge sooner. */
static const char *advice(const struct smr_logistic_fit *f)
{
    bool sparse = smr_data_is_sparse(f->data);
    if (sparse && f->p->l1 > 0)
        return "raise l1, or give rows one length (words weight=tfidf, or norm=l2)";
    if (sparse) return "raise l2, or give rows one length (words weight=tfidf, or norm=l2)";
    return f->p->l1 > 0 ? "put standardize before it, or raise l1"
                        : "put standardize before it, or raise l2";
}

smr_status smr_logistic_solve(smr_ctx *ctx, struct smr_logistic_fit *f)
{
    smr_status st = SMR_OK;
    smr_linear_telling telling = {.ctx = ctx, .report = f->report};
    smr_optimize_opts opts = {.max_iter = f->p->max_iter,
                              .tol = f->p->tol,
                              .what = "fitting logistic",
                              .each = smr_linear_tell,
                              .user = &telling};
    smr_optimize_result result = {0};
    TRY(run_to_the_end(ctx, f, &opts, &result));
    TRY(telling.status);
    f->report->objective = result.f;
    f->report->n_iter = result.iterations;
    f->report->converged = has_come_to_an_end(&result) && is_certain(f);
    if (result.why == SMR_WHY_NOT_FINITE && f->solver != SMR_LOGISTIC_GD)
        TRY(smr_fail(ctx, SMR_ERR_NUMERIC,
                     "logistic: the features are so large that sums of squares overflow: rescale "
                     "the columns"));
    if (result.why == SMR_WHY_DIVERGED || result.why == SMR_WHY_NOT_FINITE)
        smr_warn(ctx, "logistic: %s; take a smaller step, or another solver",
                 smr_why_words(result.why));
    else if (!has_come_to_an_end(&result))
        smr_warn(ctx, "logistic: not converged after %lld iteration%s; raise max_iter, %s",
                 (long long)result.iterations, smr_plural(result.iterations, "", "s"), advice(f));
out:
    return st;
}
