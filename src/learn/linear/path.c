/* path.c -- see path.h. */
#include "learn/linear/path.h"

#include "core/number.h"
#include "data/split.h"
#include "kernel/kernel.h"
#include "learn/linear/path_parts.h"

#include <math.h>
#include <string.h>

/* ---- penalties -------------------------------------------------------------------------- */

void smr_path_nature(const void *params_, smr_nature *its)
{
    const struct smr_path_params *p = params_;
    bool is_free = p->l1.n == 1 && p->l1.value[0] == 0 && (p->l2.n == 0 || p->l2.value[0] == 0);
    if (!is_free) its->traits &= ~(unsigned)SMR_FITS_FREELY;
}

smr_status smr_path_check_params(smr_ctx *ctx, const char *learner, const struct smr_path_params *p)
{
    if (p->path == SMR_UNSET_INT || p->l1.n == 0) return SMR_OK;
    return smr_fail(ctx, SMR_ERR_PARAM,
                    "%s: path=%lld and %lld value%s of l1 are given; use one or the other", learner,
                    (long long)p->path, (long long)p->l1.n, smr_plural(p->l1.n, "", "s"));
}

static void sort_descending(int64_t n, double *x)
{
    for (int64_t i = 1; i < n; i++)
        for (int64_t j = i; j > 0 && x[j] > x[j - 1]; j--) {
            double t = x[j];
            x[j] = x[j - 1];
            x[j - 1] = t;
        }
}

/* What l1 is to be divided by to be a number like l2: on a path the target's standard deviation,
 * since an l1 that fits grows with the target, and an l2 does not.  Values that are given are taken
 * as numbers. */
static double target_unit(const struct smr_path_work *w, int64_t k)
{
    double sd = sqrt(w->tss[k] / w->weight);
    return w->ask->l1.n == 0 && sd > 0 && isfinite(sd) ? sd : 1;
}

void smr_path_penalties(const struct smr_path_work *w, int64_t k, double l1_max)
{
    const struct smr_path_params *ask = w->ask;
    int64_t n = w->n_path;
    double unit = target_unit(w, k);
    double *l1 = w->l1 + k * n, *l2 = w->l2 + k * n;
    if (!(l1_max > 0)) l1_max = 1; /* a constant target: every penalty gives zeros */
    for (int64_t c = 0; c < n; c++) {
        double at = n > 1 ? (double)c / (double)(n - 1) : 1;
        l1[c] = ask->l1.n ? ask->l1.value[c] : c == 0 ? l1_max : l1_max * smr_pow(ask->ratio, at);
    }
    if (ask->l1.n) sort_descending(n, l1);
    for (int64_t c = 0; c < n; c++)
        l2[c] = w->ridge >= 0 ? w->ridge : l1[c] / unit * (1 - ask->mix) / ask->mix;
}

void smr_path_drop_noise(int64_t n_path, int64_t d, const double *size, double yy, double *B)
{
    for (int64_t i = 0; i < n_path * d; i++)
        if (B[i] * B[i] * size[i % d] <= 1e-24 * yy) B[i] = 0;
}

/* ---- folds ------------------------------------------------------------------------------ */

/* fold[i] of every row; *n_folds is made smaller where there are too few rows or groups. */
static smr_status assign_folds(smr_ctx *ctx, const smr_data *data, int64_t n_folds, int32_t *fold)
{
    smr_status st = SMR_OK;
    smr_parts parts = {0};
    smr_split_rows of = {.n = data->n_rows, .group = data->group, .seed = ctx->seed};
    TRY(smr_split_folds(ctx, &of, n_folds, &parts));
    for (int64_t f = 0; f < n_folds; f++)
        for (int64_t i = 0; i < smr_part_size(&parts, f); i++)
            fold[smr_part_rows(&parts, f)[i]] = (int32_t)f;
out:
    smr_parts_release(&parts);
    return st;
}

/* Mean and standard error over the folds that have weight. */
static void summarise(const struct smr_path_work *w, smr_path_state *s)
{
    for (int64_t i = 0; i < w->q * w->n_path; i++) {
        int64_t k = i / w->n_path, c = i % w->n_path, n = 0;
        const double *error = w->error + k * w->n_folds * w->n_path + c;
        double mean = 0, square = 0;
        for (int64_t f = 0; f < w->n_folds; f++) {
            if (isnan(error[f * w->n_path])) continue;
            mean += error[f * w->n_path];
            n++;
        }
        mean /= (double)n;
        for (int64_t f = 0; f < w->n_folds; f++) {
            double e = error[f * w->n_path] - mean;
            if (!isnan(e)) square += e * e;
        }
        s->cv_error[i] = mean;
        s->cv_se[i] = n > 1 ? sqrt(square / (double)(n - 1) / (double)n) : NAN;
    }
}

/* The least error, the strongest penalty of equals; with one_se the strongest penalty whose error
 * is within one standard error of that.  Without validation the weakest. */
static int64_t choose(const struct smr_path_params *ask, const smr_path_state *s, int64_t k)
{
    int64_t best = 0;
    if (!s->cv_error) return s->n_path - 1;
    const double *error = s->cv_error + k * s->n_path, *se = s->cv_se + k * s->n_path;
    for (int64_t c = 1; c < s->n_path; c++)
        if (error[c] < error[best] || (isnan(error[best]) && !isnan(error[c]))) best = c;
    for (int64_t c = 0; c < best && ask->one_se; c++)
        if (error[c] <= error[best] + se[best]) return c;
    return best;
}

/* ---- keeping ---------------------------------------------------------------------------- */

static smr_status make_room(smr_ctx *ctx, const struct smr_path_work *w, smr_path_state *s)
{
    smr_status st = SMR_OK;
    int64_t q = w->q, n = w->n_path;
    TRY_NEW(s->coef, q * w->d);
    TRY_NEW(s->intercept, q);
    TRY_NEW(s->l1, q);
    TRY_NEW(s->l2, q);
    TRY_NEW(s->gap, q);
    TRY_NEW(s->objective, q);
    TRY_NEW(s->rss, q);
    TRY_NEW(s->tss, q);
    TRY_NEW(s->chosen, q);
    TRY_NEW(s->path_l1, q * n);
    TRY_NEW(s->path_l2, q * n);
    TRY_NEW(s->path_objective, q * n);
    TRY_NEW(s->path_gap, q * n);
    TRY_NEW(s->path_start, q * n + 1);
    if (w->n_folds > 0) {
        TRY_NEW(s->cv_error, q * n);
        TRY_NEW(s->cv_se, q * n);
    }
out:
    return st;
}

/* The nonzeros of all steps. */
static smr_status keep_path(smr_ctx *ctx, const struct smr_path_work *w, smr_path_state *s)
{
    smr_status st = SMR_OK;
    int64_t n = 0, steps = w->q * w->n_path, e = 0;
    for (int64_t i = 0; i < steps * w->d; i++) n += w->B[i] != 0;
    s->n_starts = steps + 1;
    s->n_entries = n;
    TRY_NEW(s->path_column, n);
    TRY_NEW(s->path_value, n);
    for (int64_t i = 0; i < steps; i++) {
        const double *b = w->B + i * w->d;
        for (int64_t j = 0; j < w->d; j++) {
            if (b[j] == 0) continue;
            s->path_column[e] = (int32_t)j;
            s->path_value[e++] = b[j];
        }
        s->path_start[i + 1] = e;
        s->path_l1[i] = w->l1[i];
        s->path_l2[i] = w->l2[i];
        s->path_gap[i] = w->at[i].gap;
        s->path_objective[i] = w->at[i].objective;
        s->sweeps += w->at[i].sweeps;
    }
out:
    return st;
}

double smr_path_rss(const smr_path_state *s, int64_t at)
{
    double size = 0, square = 0;
    for (int64_t e = s->path_start[at]; e < s->path_start[at + 1]; e++) {
        size += fabs(s->path_value[e]);
        square += s->path_value[e] * s->path_value[e];
    }
    double rss = 2 * (s->path_objective[at] - s->path_l1[at] * size) - s->path_l2[at] * square;
    return smr_fmax(rss, 0);
}

static void keep_chosen(const struct smr_path_work *w, smr_path_state *s, int64_t k)
{
    int64_t d = w->d, at = k * w->n_path + s->chosen[k];
    double *coef = s->coef + k * d;
    memcpy(coef, w->B + at * d, (size_t)d * sizeof *coef);
    s->intercept[k] = w->ask->fit_intercept ? w->mean[d + k] - smr_dot_f64(d, w->mean, coef) : 0;
    s->l1[k] = s->path_l1[at];
    s->l2[k] = s->path_l2[at];
    s->gap[k] = s->path_gap[at];
    s->rss[k] = smr_path_rss(s, at);
    s->tss[k] = w->tss[k];
    s->objective[k] = s->path_objective[at];
}

/* ---- warnings --------------------------------------------------------------------------- */

/* The error still falls where the path ends: in the last step a quarter as much as in the mean of
 * all steps.  Where penalties are weak enough it levels out. */
static bool ends_too_early(const struct smr_path_work *w, const smr_path_state *s, int64_t k)
{
    int64_t last = w->n_path - 1;
    const double *error = s->cv_error ? s->cv_error + k * w->n_path : NULL;
    if (!error || last < 1 || w->ask->l1.n > 0 || s->chosen[k] != last) return false;
    return (double)last * (error[last - 1] - error[last]) > 0.25 * (error[0] - error[last]);
}

static void warn_of_end(smr_ctx *ctx, const struct smr_path_work *w, const smr_path_state *s)
{
    char ratio[SMR_NUMBER_MAX];
    smr_format_rounded(w->ask->ratio * 1e-3, 3, ratio);
    for (int64_t k = 0; k < w->q; k++)
        if (ends_too_early(w, s, k)) {
            smr_warn(ctx,
                     "%s: the path ends at its weakest penalty, and the error still falls there: "
                     "lower ratio, as in ratio=%s",
                     w->learner, ratio);
            return;
        }
}

static void warn(smr_ctx *ctx, const struct smr_path_work *w, const smr_path_state *s)
{
    const char *learner = w->learner;
    int64_t open = 0;
    char a[32], b[32];
    for (int64_t i = 0; i < w->q * w->n_path; i++) open += !w->at[i].converged;
    if (open > 0)
        smr_warn(ctx,
                 "%s: %lld of %lld penalties had not converged after %lld sweep%s (inspect shows "
                 "their duality gaps); raise max_iter or l1, or put standardize before it",
                 learner, (long long)open, (long long)(w->q * w->n_path),
                 (long long)w->ask->max_iter, smr_plural(w->ask->max_iter, "", "s"));
    for (int64_t k = 0; k < w->q; k++) {
        if (!(w->tss[k] > 0))
            smr_warn(ctx, "%s: target %lld is constant: all coefficients are 0", learner,
                     (long long)k + 1);
        if (w->twin[k] >= 0)
            smr_warn(ctx,
                     "%s: '%s' and '%s' say the same thing, and the penalty does not choose "
                     "between them: any split of the weight between them fits equally well; drop "
                     "one, or use elastic or ridge, which share it evenly",
                     learner, smr_affine_name(w->data->features, w->of[k], a),
                     smr_affine_name(w->data->features, w->twin[k], b));
    }
    warn_of_end(ctx, w, s);
}

/* ---- fit -------------------------------------------------------------------------------- */

static bool use_gram(const smr_data *data)
{
    int64_t most = smr_data_is_sparse(data) ? SMR_PATH_GRAM_SPARSE : SMR_PATH_GRAM;
    return data->n_rows > data->n_features && data->n_features <= most;
}

static smr_status begin(smr_ctx *ctx, struct smr_path_work *w)
{
    smr_status st = SMR_OK;
    TRY_NEW(w->mean, w->d + w->q);
    TRY_NEW(w->tss, w->q);
    TRY_NEW(w->l1, w->q * w->n_path);
    TRY_NEW(w->l2, w->q * w->n_path);
    TRY(smr_memory_check(ctx, 8.0 * (double)(w->q * w->n_path) * (double)w->d,
                         "the coefficients of the path", "ask for fewer penalties"));
    TRY_NEW(w->B, w->q * w->n_path * w->d);
    TRY_NEW(w->at, w->q * w->n_path);
    TRY_NEW(w->error, w->q * w->n_folds * w->n_path);
    TRY_NEW(w->of, w->q);
    TRY_NEW(w->twin, w->q);
    for (int64_t k = 0; k < w->q; k++) w->of[k] = w->twin[k] = -1;
out:
    return st;
}

static void end(struct smr_path_work *w)
{
    smr_free(w->mean);
    smr_free(w->tss);
    smr_free(w->l1);
    smr_free(w->l2);
    smr_free(w->B);
    smr_free(w->at);
    smr_free(w->error);
    smr_free(w->of);
    smr_free(w->twin);
}

static smr_status keep(smr_ctx *ctx, const struct smr_path_work *w, smr_path_state *s,
                       smr_fit_report *report)
{
    smr_status st = SMR_OK;
    TRY(make_room(ctx, w, s));
    TRY(keep_path(ctx, w, s));
    if (w->n_folds > 0) summarise(w, s);
    s->n_rows = w->weight;
    report->objective = 0;
    report->converged = true;
    report->n_iter = s->sweeps;
    for (int64_t k = 0; k < w->q; k++) {
        s->chosen[k] = choose(w->ask, s, k);
        keep_chosen(w, s, k);
        report->objective += s->objective[k];
        report->converged &= w->at[k * w->n_path + s->chosen[k]].converged;
    }
    warn(ctx, w, s);
out:
    return st;
}

/* Without a share of l1 there is no l2: the lasso. */
static double ridge_of(const struct smr_path_params *p)
{
    if (!(p->mix > 0)) return 0;
    return p->l2.n ? p->l2.value[0] : -1;
}

smr_status smr_path_fit(smr_ctx *ctx, const void *params, const smr_data *data, void *state,
                        smr_fit_report *report)
{
    smr_status st = SMR_OK;
    const struct smr_path_params *ask = params;
    smr_path_state *s = state;
    smr_held_rows rows = {0};
    int32_t *fold = NULL;
    struct smr_path_work w = {.learner = report->learner->word->name,
                              .ask = ask,
                              .ridge = ridge_of(ask),
                              .data = data,
                              .rows = &rows};
    w.d = s->n_features = data->n_features;
    w.q = s->n_outputs = data->n_outputs;
    w.n_path = s->n_path = ask->l1.n                    ? ask->l1.n
                           : ask->path != SMR_UNSET_INT ? ask->path
                                                        : SMR_PATH_DEFAULT;
    w.n_folds = w.n_path > 1 ? SMR_MIN(ask->folds, data->n_rows) : 0;
    w.n_folds = s->n_folds = w.n_folds > 1 ? w.n_folds : 0;
    s->method = use_gram(data) ? SMR_PATH_BY_GRAM : SMR_PATH_BY_COLUMNS;
    TRY(smr_held_source(ctx, w.learner, data, &rows));
    TRY(begin(ctx, &w));
    if (w.n_folds > 0) {
        TRY_NEW(fold, data->n_rows);
        TRY(assign_folds(ctx, data, w.n_folds, fold));
        w.fold = fold;
    }
    TRY(s->method == SMR_PATH_BY_GRAM ? smr_path_by_gram(ctx, &w) : smr_path_by_columns(ctx, &w));
    TRY(keep(ctx, &w, s, report));
    if (report->trace) TRY(smr_path_tell(ctx, s, report->trace));
out:
    end(&w);
    smr_free(fold);
    smr_held_close(&rows);
    return st;
}

static smr_status predict(smr_ctx *ctx, const void *params_, const void *state_,
                          const smr_rows *rows, smr_output output, double *out, void *scratch)
{
    const smr_path_state *s = state_;
    (void)ctx, (void)params_, (void)output, (void)scratch;
    smr_affine_predict(s->n_features, s->n_outputs, s->coef, s->intercept, rows, out);
    return SMR_OK;
}

/* ---- what is fitted --------------------------------------------------------------------- */

#define KEPT(field_) SMR_KEPT(smr_path_state, field_)

static const smr_state table[] = {
    {KEPT(n_features), .is = "features", .min = 0, .doc = "Features."},
    {KEPT(n_outputs), .is = "targets", .min = 1, .doc = "Targets."},
    {KEPT(n_path), .min = 1, .doc = "Penalties."},
    {KEPT(n_folds), .min = 0, .doc = "Folds that chose the penalty; 0: none did."},
    {KEPT(n_starts), .is = "n_outputs * n_path + 1", .min = 2,
     .doc = "One more than the steps of all paths."},
    {KEPT(n_entries), .min = 0, .doc = "Nonzero coefficients of all paths."},
    {KEPT(method), .min = SMR_PATH_BY_GRAM, .max = SMR_PATH_BY_COLUMNS,
     .doc = "How it was solved: 1 gram, 2 columns."},
    {KEPT(sweeps), .min = 0, .doc = "Sweeps of coordinate descent over all paths."},
    {KEPT(n_rows), .doc = "Sum of the rows' weights."},
    {KEPT(coef), .dims = {"n_outputs", "n_features"}, .doc = "Coefficients w."},
    {KEPT(intercept), .dims = {"n_outputs"}, .doc = "Intercepts b."},
    {KEPT(l1), .dims = {"n_outputs"}, .doc = "The penalty in use, of |w|_1."},
    {KEPT(l2), .dims = {"n_outputs"}, .doc = "The penalty in use, of 1/2 |w|^2."},
    {KEPT(gap), .dims = {"n_outputs"},
     .doc = "Duality gap: a bound on how far the objective is above its minimum."},
    {KEPT(objective), .dims = {"n_outputs"}, .doc = "The objective."},
    {KEPT(rss), .dims = {"n_outputs"}, .doc = "Squared residuals."},
    {KEPT(tss), .dims = {"n_outputs"},
     .doc = "Squared targets, around their mean when there is an intercept."},
    {KEPT(chosen), .below = "n_path", .dims = {"n_outputs"}, .doc = "The step of the path in use."},
    {KEPT(path_l1), .dims = {"n_outputs", "n_path"}, .doc = "Penalties of |w|_1."},
    {KEPT(path_l2), .dims = {"n_outputs", "n_path"}, .doc = "Penalties of 1/2 |w|^2."},
    {KEPT(path_objective), .dims = {"n_outputs", "n_path"}, .doc = "Objective at each penalty."},
    {KEPT(path_gap), .dims = {"n_outputs", "n_path"}, .doc = "Duality gap at each penalty."},
    {KEPT(cv_error), .dims = {"n_outputs", "n_path"}, .optional = true,
     .doc = "Cross-validated mean squared error at each penalty."},
    {KEPT(cv_se), .with = "cv_error", .dims = {"n_outputs", "n_path"}, .optional = true,
     .doc = "Standard error of that, over the folds."},
    {KEPT(path_start), .below = "n_entries", .order = SMR_ORDER_STARTS, .dims = {"n_starts"},
     .doc = "Where each step's coefficients begin among the entries."},
    {KEPT(path_column), .below = "n_features", .dims = {"n_entries"},
     .doc = "Features of these coefficients."},
    {KEPT(path_value), .dims = {"n_entries"}, .doc = "Values of these coefficients."},
};

static const smr_can_explain explains = {.linear_at = SMR_LINEAR_AT(smr_path_state, n_outputs)};

const smr_fitted smr_path_fitted = {
    .state = table,
    .n_state = SMR_COUNT(table),
    .state_size = sizeof(smr_path_state),
    .gives = SMR_GIVES_VALUE,
    .predict = predict,
    .describe = smr_path_describe,
    .draw = smr_path_draw,
    .explain = &explains,
};
