/* krr.c -- kernel ridge regression, for one penalty or a whole path.
 *
 * Minimises over functions f of the kernel's space H and b (b = 0 without fit_intercept), for every
 * output,
 *
 *     J(f, b) = 1/2 sum_i weight_i (y_i - b - f(x_i))^2 + l2 1/2 |f|^2                         (1)
 *
 * The optimum is f(x) = sum_j alpha_j K(x, x_j): what ridge finds on features phi with
 * phi(x)'phi(x') = K(x, x'), which need not be written down.  The intercept is not penalised and
 * found exactly, not by centring alone.  krr_solve.c has the linear system, and leave-one-out
 * errors in closed form: of several penalties the one with the least is taken, the larger of
 * equals.  path=N makes N penalties, equally spaced in their logarithm from 10 down to 1e-6 times
 * the largest eigenvalue of W^1/2 K W^1/2.
 *
 * Cost: n^2 values of K and n^3 / 6 multiply-adds (Cholesky); up to SMR_KRR_FEW penalties n^3 / 2
 * each, more about 5 n^3 (eigenvalues).  Memory: n^2 doubles, half as much more for more than
 * SMR_KRR_SMALL rows, two or three times that for several penalties; asked for before anything is
 * computed.  The model holds the training rows.
 *
 * Degenerate cases: rows of weight 0 are left out.  A kernel that is not positive semi-definite may
 * have no minimum: where K + l2 W^-1 is not positive definite, the fit says so; among several
 * penalties such a one loses.
 *
 * Symbols: n rows, q outputs, alpha q x n, W weights.
 * References: Saunders, Gammerman & Vovk, ICML 1998; Cawley & Talbot, Neural Networks 17:1467-1475,
 * 2004. */
#include "kernel/kernel.h"
#include "learn/kernels/kernel_points.h"
#include "learn/kernels/kernel_show.h"
#include "learn/kernels/krr_solve.h"
#include "learn/linear/affine.h"
#include "learn/linear/penalties.h"

#include <math.h>
#include <string.h>

/* ---- parameters ------------------------------------------------------------------------- */

struct krr_params {
    smr_kernel kernel; /* first: SMR_KERNELLED */
    smr_reals l2;
    int64_t path;
    bool fit_intercept;
};

static const smr_param params[] = {
    {SMR_FIELD(struct krr_params, l2), .def = 1, .min = 0, .min_open = true, .max = INFINITY,
     .max_open = true, .search = SMR_SEARCH_LOG, .search_min = 1e-4, .search_max = 1e3,
     .simpler = SMR_SIMPLER_HIGH, .primary = true, .when = "path=none",
     .doc = "Weight of the penalty 1/2 |f|^2; given several values (0.1,1,10), the one with the "
            "lowest leave-one-out error is used."},
    {SMR_FIELD(struct krr_params, path), .unset = true, .none = "0", .min = 1, .max = SMR_REALS_MAX,
     .doc = "Instead of l2, try this many penalties, from one that flattens f to one that hardly "
            "does; unset: use l2."},
    {SMR_FIELD(struct krr_params, kernel), .grammar = &smr_kernel_grammar, .def_text = "rbf",
     .least = 1, .most = 1,
     .doc = "The kernel: rbf(gamma=0.1), poly(degree=3), a sum or product of several."},
    {SMR_FIELD(struct krr_params, fit_intercept), .def = true,
     .doc = "Fit the intercept b, which is not penalised."},
};

/* ---- state ------------------------------------------------------------------------------ */

struct krr_state {
    smr_kernel_points points; /* first */
    int64_t n_outputs, n_path;
    double n_rows, l2;
    double df, loo; /* NaN: not computed */
    double *coef, *intercept;
    double *rss, *tss;
    double *path_l2, *path_df, *path_loo; /* NULL for a single penalty */
};
SMR_KERNELLED(struct krr_params, struct krr_state);

static const smr_state state[] = {
    SMR_KERNEL_KEPT(struct krr_state, points),
    {SMR_KEPT(struct krr_state, n_outputs), .is = "targets", .min = 1, .doc = "Targets."},
    {SMR_KEPT(struct krr_state, n_path), .min = 1, .max = SMR_REALS_MAX, .doc = "Penalties."},
    {SMR_KEPT(struct krr_state, n_rows), .reals = SMR_REALS_FROM_0,
     .doc = "Sum of the rows' weights."},
    {SMR_KEPT(struct krr_state, l2), .reals = SMR_REALS_ABOVE_0, .doc = "The penalty in use."},
    {SMR_KEPT(struct krr_state, df), .doc = "Its effective degrees of freedom; NaN: not computed."},
    {SMR_KEPT(struct krr_state, loo),
     .doc = "Its mean squared leave-one-out error; NaN: not computed."},
    {SMR_KEPT(struct krr_state, coef), .dims = {"n_outputs", "n_points"}, .reals = SMR_REALS_FINITE,
     .doc = "Coefficients alpha."},
    {SMR_KEPT(struct krr_state, intercept), .dims = {"n_outputs"}, .reals = SMR_REALS_FINITE,
     .doc = "Intercepts b."},
    {SMR_KEPT(struct krr_state, rss), .dims = {"n_outputs"}, .doc = "Squared residuals."},
    {SMR_KEPT(struct krr_state, tss), .dims = {"n_outputs"},
     .doc = "Squared targets, around their mean when there is an intercept."},
    {SMR_KEPT(struct krr_state, path_l2), .dims = {"n_path"}, .optional = true,
     .reals = SMR_REALS_ABOVE_0, .doc = "Penalties tried."},
    {SMR_KEPT(struct krr_state, path_df), .dims = {"n_path"}, .optional = true, .with = "path_l2",
     .doc = "Effective degrees of freedom of each."},
    {SMR_KEPT(struct krr_state, path_loo), .dims = {"n_path"}, .optional = true, .with = "path_l2",
     .doc = "Mean squared leave-one-out error of each."},
};

/* ---- fit -------------------------------------------------------------------------------- */

/* The rows of a weight above 0: the others have no part in the optimum. */
struct rows {
    int64_t n;
    int32_t *index; /* NULL: all of them */
    double *weight; /* NULL: all 1       */
    double *y;      /* n x q             */
};

static smr_status gather_rows(smr_ctx *ctx, const smr_data *data, struct rows *r)
{
    smr_status st = SMR_OK;
    int64_t q = data->n_outputs, at = 0;
    for (int64_t i = 0; i < data->n_rows; i++) r->n += smr_data_weight(data, i) > 0;
    if (r->n == 0) return smr_fail(ctx, SMR_ERR_DATA, "krr: there are no training rows");
    if (data->n_rows > SMR_MAX_DIM)
        return smr_fail(ctx, SMR_ERR_SHAPE, "krr: %lld rows are too many", (long long)data->n_rows);
    if (r->n < data->n_rows) TRY_NEW(r->index, r->n);
    if (data->weight) TRY_NEW(r->weight, r->n);
    TRY_NEW(r->y, r->n * q);
    for (int64_t i = 0; i < data->n_rows; i++) {
        if (!(smr_data_weight(data, i) > 0)) continue;
        if (r->index) r->index[at] = (int32_t)i;
        if (r->weight) r->weight[at] = data->weight[i];
        memcpy(r->y + at++ * q, data->y + i * q, (size_t)q * sizeof *r->y);
    }
out:
    return st;
}

static smr_status make_room(smr_ctx *ctx, int64_t n, int64_t q, const struct krr_params *p,
                            struct krr_state *s)
{
    smr_status st = SMR_OK;
    s->n_outputs = q;
    s->n_path = p->path != SMR_UNSET_INT ? p->path : p->l2.n;
    TRY_NEW(s->coef, q * n);
    TRY_NEW(s->intercept, q);
    TRY_NEW(s->rss, q);
    TRY_NEW(s->tss, q);
    if (s->n_path > 1 || p->path != SMR_UNSET_INT) {
        TRY_NEW(s->path_l2, s->n_path);
        TRY_NEW(s->path_df, s->n_path);
        TRY_NEW(s->path_loo, s->n_path);
    }
out:
    return st;
}

/* How many penalties the system is prepared for: a path needs the largest eigenvalue. */
static int64_t n_solves(const struct krr_params *p)
{
    return p->path != SMR_UNSET_INT ? SMR_KRR_FEW + 1 : p->l2.n;
}

static void choose_penalties(const struct krr_params *p, const smr_krr_system *system,
                             struct krr_state *s)
{
    for (int64_t c = 0; c < s->n_path; c++) {
        if (p->path == SMR_UNSET_INT) {
            s->path_l2[c] = p->l2.value[c];
        } else {
            double largest = smr_krr_largest(system);
            double at = s->n_path > 1 ? (double)c / (double)(s->n_path - 1) : 1;
            s->path_l2[c] = (largest > 0 ? largest : 1) * smr_pow(10, 1 - 7 * at);
        }
    }
}

static smr_penalties penalties_of(const struct krr_state *s)
{
    return (smr_penalties){s->n_path, s->path_l2, s->path_loo};
}

static smr_status refuse(smr_ctx *ctx, const struct krr_params *p, double l2)
{
    smr_text text = {.ctx = ctx};
    smr_text_number(&text, l2);
    const char *given = smr_text_done(&text) == SMR_OK ? text.bytes : "this l2";
    smr_status st =
        smr_fail(ctx, SMR_ERR_NUMERIC,
                 "krr: the kernel matrix plus l2 = %s is not positive definite: %s", given,
                 smr_kernel_has_mercer_form(&p->kernel)
                     ? "the penalty is lost in the rounding of the kernel's values; raise l2"
                     : "this kernel is not positive semi-definite; raise l2, or take one that is");
    smr_text_release(&text);
    return st;
}

/* Solves for every penalty, and for the one that is taken last. */
static smr_status solve(smr_ctx *ctx, const struct krr_params *p, smr_krr_system *system,
                        struct krr_state *s, double *norm)
{
    smr_status st = SMR_OK;
    smr_krr_answer a = {.coef = s->coef, .intercept = s->intercept, .rss = s->rss};
    int64_t chosen = -1;
    s->l2 = p->l2.value[0];
    if (s->path_l2 || system->n <= SMR_KRR_SMALL) TRY_NEW(a.diagonal, system->n);
    if (s->path_l2) {
        choose_penalties(p, system, s);
        for (int64_t c = 0; c < s->n_path; c++) {
            TRY(smr_tick(ctx, "trying penalties", c, s->n_path, NAN));
            TRY(smr_krr_solve(ctx, system, s->path_l2[c], &a));
            s->path_df[c] = a.df;
            s->path_loo[c] = a.loo;
            chosen = c;
        }
        smr_penalties penalties = penalties_of(s);
        s->l2 = s->path_l2[smr_penalties_best(&penalties)];
    }
    if (chosen < 0 || s->path_l2[chosen] != s->l2) TRY(smr_krr_solve(ctx, system, s->l2, &a));
    if (a.failed_at >= 0) TRY(refuse(ctx, p, s->l2));
    s->df = a.df;
    s->loo = a.loo;
    *norm = a.norm;
out:
    smr_free(a.diagonal);
    return st;
}

static smr_status check_finite(smr_ctx *ctx, const struct krr_state *s)
{
    for (int64_t i = 0; i < s->n_outputs * s->points.n; i++)
        if (!isfinite(s->coef[i]))
            return smr_fail(ctx, SMR_ERR_NUMERIC,
                            "krr: a coefficient is not finite: the kernel's values or the targets "
                            "are too large; rescale the columns");
    return SMR_OK;
}

static smr_status fit(smr_ctx *ctx, const void *params_, const smr_data *data, void *state_,
                      smr_fit_report *report)
{
    const struct krr_params *p = params_;
    struct krr_state *s = state_;
    smr_status st = SMR_OK;
    struct rows r = {0};
    smr_kernel_set set = {0};
    smr_krr_system system = {0};
    double *K = NULL, norm = 0;

    TRY(gather_rows(ctx, data, &r));
    TRY(smr_kernel_fits(ctx, "krr", r.n, smr_krr_bytes(r.n, n_solves(p))));
    TRY(smr_kernel_open(ctx, "krr", &p->kernel, data, SMR_KERNEL_F64, &set));
    TRY(smr_kernel_warn(ctx, "krr", &set, "a best model needs an l2 above its size"));
    K = smr_alloc_raw(ctx, r.n * r.n, sizeof *K);
    if (!K) TRY(SMR_ERR_NOMEM);
    TRY(r.index ? smr_kernel_block(ctx, &set, r.index, r.n, r.index, r.n, K, r.n)
                : smr_kernel_gram(ctx, &set, K, r.n));
    TRY(smr_kernel_keep(ctx, &set, r.index, r.n, &s->points));
    smr_kernel_close(&set);
    TRY(make_room(ctx, r.n, data->n_outputs, p, s));
    TRY(smr_krr_open(ctx, r.n, s->n_outputs, r.y, r.weight, p->fit_intercept, K, &system));
    TRY(smr_krr_prepare(ctx, &system, n_solves(p)));
    TRY(solve(ctx, p, &system, s, &norm));
    TRY(check_finite(ctx, s));
    s->n_rows = system.total;
    memcpy(s->tss, system.tss, (size_t)s->n_outputs * sizeof *s->tss);
    report->objective = s->l2 * norm / 2; /* (1) */
    for (int64_t k = 0; k < s->n_outputs; k++) report->objective += s->rss[k] / 2;
    report->converged = true;
out:
    smr_krr_close(&system);
    smr_kernel_close(&set);
    smr_free(K);
    smr_free(r.index);
    smr_free(r.weight);
    smr_free(r.y);
    return st;
}

/* ---- loading and predicting ------------------------------------------------------------- */

static int64_t scratch(const void *params_, const void *state_, int64_t n)
{
    const struct krr_params *p = params_;
    const struct krr_state *s = state_;
    return smr_kernel_scratch(&p->kernel, &s->points, n, s->n_outputs);
}

static smr_status predict(smr_ctx *ctx, const void *params_, const void *state_,
                          const smr_rows *rows, smr_output output, double *out, void *scratch_)
{
    const struct krr_params *p = params_;
    const struct krr_state *s = state_;
    smr_status st = SMR_OK;
    (void)output;
    TRY(smr_kernel_apply(ctx, &p->kernel, &s->points, rows, s->coef, s->n_outputs, out, scratch_));
    for (int64_t i = 0; i < rows->n; i++)
        for (int64_t k = 0; k < s->n_outputs; k++) out[i * s->n_outputs + k] += s->intercept[k];
out:
    return st;
}

/* ---- describe --------------------------------------------------------------------------- */

static void describe_output(const void *params_, const void *state_, int64_t k,
                            const smr_feature *in, smr_json *into)
{
    const struct krr_state *s = state_;
    (void)params_, (void)in;
    smr_json_add_number(into, "r2", 1 - s->rss[k] / s->tss[k]);
    smr_json_add_number(into, "intercept", s->intercept[k]);
}

static smr_status describe(smr_ctx *ctx, const void *params_, const void *state_,
                           const smr_feature *in, int64_t n_in, smr_json *into)
{
    const struct krr_params *p = params_;
    const struct krr_state *s = state_;
    smr_status st = SMR_OK;
    (void)n_in;
    TRY(smr_kernel_show(ctx, &p->kernel, &s->points, into));
    smr_json_add_number(into, "rows", s->n_rows);
    smr_json_add_number(into, "l2", s->l2);
    if (!isnan(s->df)) {
        smr_json_add_number(into, "df", s->df);
        smr_json_add_number(into, "leave_one_out_mse", s->loo);
    }
    smr_affine_outputs(s->n_outputs, describe_output, p, s, in, into);
    if (!s->path_l2) goto out;
    smr_json *list = smr_json_add_array(into, "path");
    for (int64_t c = 0; c < s->n_path; c++) {
        smr_json *row = smr_json_add_object(list, NULL);
        smr_json_add_number(row, "l2", s->path_l2[c]);
        smr_json_add_number(row, "df", s->path_df[c]);
        smr_json_add_number(row, "leave_one_out_mse", s->path_loo[c]);
    }
out:
    return st;
}

static smr_status draw(smr_ctx *ctx, const void *params_, const void *state_, const smr_feature *in,
                       int64_t n_in, const char *prefix, smr_json *figures)
{
    const struct krr_state *s = state_;
    smr_penalties penalties = penalties_of(s);
    (void)params_, (void)in, (void)n_in;
    return s->path_l2 ? smr_penalties_draw(ctx, &penalties, s->l2, prefix, figures) : SMR_OK;
}

/* ---- descriptor ------------------------------------------------------------------------- */

static const smr_word about = {
    .name = "krr",
    .synonyms = "kernel_ridge KernelRidge",
    .family = "kernel",
    .title = "Kernel ridge regression",
    .brief = "Ridge regression on the features of a kernel, which are never written down.",
    .objective = "1/2 sum weight (y - b - f(x))^2 + l2 1/2 |f|^2, f(x) = sum_j alpha_j K(x, x_j)",
    .details =
        "The exact optimum, by Cholesky's factorisation of the kernel matrix of all rows: n^2 "
        "numbers of memory, which are asked for first, and n^3 / 6 multiplications. It equals "
        "ridge on features whose products are the kernel's values. Of several values of l2, or a "
        "path, the one with the smallest leave-one-out error, computed in closed form, is taken; "
        "for up to 2000 rows that error is shown for a single l2 too. Above 6 penalties an "
        "eigendecomposition serves all of them. The intercept is not penalised. The model holds "
        "the training rows. Features should have comparable scales: put standardize before it. "
        "For more rows than memory allows: nystrom 500 | ridge.",
    .reference = "Saunders, Gammerman & Vovk, Ridge regression learning algorithm in dual "
                 "variables, ICML (1998)",
    .example = "samara train \"standardize | krr path=20\" data/diabetes.csv --target progression",
    .params = params,
    .n_params = SMR_COUNT(params),
    .params_size = sizeof(struct krr_params),
};

static const smr_fitted fitted = {
    .state = state,
    .n_state = SMR_COUNT(state),
    .state_size = sizeof(struct krr_state),
    .gives = SMR_GIVES_VALUE,
    .prepare = smr_kernelled_prepare,
    .check = smr_kernelled_check,
    .release = smr_kernelled_release,
    .predict = predict,
    .scratch = scratch,
    .form = smr_kernelled_form,
    .describe = describe,
    .draw = draw,
};

/* n^3: it is compared with others where it is named. */
static const smr_comparing compared = {.stands_aside = true};

const smr_learner smr_krr = {
    .word = &about,
    .tasks = SMR_DOES_REGRESS,
    .takes = SMR_KERNEL_TAKES | SMR_TAKES_WEIGHTS | SMR_TAKES_MANY_TARGETS,
    .traits = SMR_KERNEL_TRAITS,
    .nature = smr_kernelled_nature,
    .texts = smr_kernelled_texts,
    .fit = SMR_TRAINING(fit),
    .fitted = &fitted,
    .comparing = &compared,
};
