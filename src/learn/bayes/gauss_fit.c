/* gauss_fit.c -- means and covariances of Gaussian classes; see gauss.c for what is computed. */
#include "core/text.h"
#include "kernel/kernel.h"
#include "learn/bayes/class_moments.h"
#include "learn/bayes/class_scatter.h"
#include "learn/bayes/gauss.h"
#include "learn/linear/affine.h"
#include "math/gram.h"

#include <math.h>
#include <string.h>

/* A column of which the others leave less than this share of its variance depends on them. */
#define DEPENDENT 1e-11
/* A factor of a dependency, in standard deviations, that is worth naming. */
#define NAMED 1e-4
enum { MOST_NAMED = 4 };

static smr_status make_room(smr_ctx *ctx, const struct smr_gauss_params *p, const smr_data *data,
                            struct smr_gauss_state *s)
{
    smr_status st = SMR_OK;
    int64_t d = data->n_features;
    if (d < 1) return smr_fail(ctx, SMR_ERR_DATA, "gauss: there are no features");
    s->n_features = d;
    s->n_classes = data->n_classes;
    s->n_groups = p->covariance == SMR_GAUSS_SHARED ? 1 : s->n_classes;
    s->n_sides = p->covariance <= SMR_GAUSS_SHARED     ? d * d
                 : p->covariance == SMR_GAUSS_DIAGONAL ? d
                                                       : 1;
    TRY(smr_memory_check(ctx, 8.0 * (double)s->n_groups * (double)s->n_sides * 3,
                         "gauss: the covariances", "use covariance=diagonal, or fewer columns"));
    TRY_NEW(s->used, d);
    TRY_NEW(s->weight, s->n_classes);
    TRY_NEW(s->mean, s->n_classes * d);
    TRY_NEW(s->cov, s->n_groups * s->n_sides);
    TRY_NEW(s->shrunk, s->n_groups);
    TRY_NEW(s->divisor, s->n_groups);
out:
    return st;
}

/* ---- a covariance that is singular ------------------------------------------------------- */

/* Cholesky's first failing pivot of the correlations: *failed, -1 if there is none; R becomes
 * the factor, by rows. */
static void find_dependent(int64_t d, double *R, int64_t *failed)
{
    *failed = -1;
    for (int64_t i = 0; i < d && *failed < 0; i++)
        for (int64_t j = 0; j <= i; j++) {
            double left = R[i * d + j] - smr_dot_f64(j, R + i * d, R + j * d);
            if (j < i)
                R[i * d + j] = left / R[j * d + j];
            else if (left > DEPENDENT)
                R[i * d + i] = sqrt(left);
            else
                *failed = i;
        }
}

/* "'c' depends on 'a' and 'b'": the factors of column f are L_f' (L^-1), by back substitution. */
static void name_dependent(const smr_data *data, int64_t d, const double *L, int64_t f,
                           double *factor, smr_text *text)
{
    char name[32];
    int64_t named = 0, more = 0;
    for (int64_t j = f - 1; j >= 0; j--) {
        double left = L[f * d + j];
        for (int64_t i = j + 1; i < f; i++) left -= factor[i] * L[i * d + j];
        factor[j] = left / L[j * d + j];
    }
    smr_text_printf(text, "'%s' depends on", smr_affine_name(data->features, f, name));
    for (int64_t j = 0; j < f; j++) {
        if (fabs(factor[j]) < NAMED) continue;
        if (named < MOST_NAMED)
            smr_text_printf(text, "%s '%s'", named ? "," : "",
                            smr_affine_name(data->features, j, name));
        else
            more++;
        named++;
    }
    if (more > 0) smr_text_printf(text, " and %lld more", (long long)more);
}

static void whose(const smr_data *data, int64_t k, smr_text *text)
{
    char name[64];
    if (k < 0) {
        smr_text_add(text, "the shared covariance");
        return;
    }
    smr_class_name(data, k, name);
    smr_text_printf(text, "the covariance of class %s", name);
}

/* Refuses S, of class k or (-1) of all, if it is singular. */
static smr_status refuse_singular(smr_ctx *ctx, const smr_data *data, int64_t k, const double *S)
{
    smr_status st = SMR_OK;
    int64_t d = data->n_features, failed = -1, constant = -1;
    double *R = NULL, *factor = NULL;
    smr_text text = {.ctx = ctx};
    TRY_NEW(R, d * d);
    TRY_NEW(factor, d);
    for (int64_t i = 0; i < d; i++) {
        if (!(S[i * d + i] > 0) && constant < 0) constant = i;
        for (int64_t j = 0; j < d; j++)
            R[i * d + j] = S[i * d + j] / sqrt(S[i * d + i]) / sqrt(S[j * d + j]);
    }
    if (constant < 0) find_dependent(d, R, &failed);
    if (constant < 0 && failed < 0) goto out;
    smr_text_add(&text, "gauss: ");
    whose(data, k, &text);
    smr_text_add(&text, " is singular: ");
    if (constant >= 0) {
        char name[32];
        smr_text_printf(&text, "'%s' has the same value in all of its rows",
                        smr_affine_name(data->features, constant, name));
    } else {
        name_dependent(data, d, R, failed, factor, &text);
    }
    TRY(smr_text_done(&text));
    st = smr_fail(ctx, SMR_ERR_DATA, "%s; use shrinkage=auto%s, or leave columns out", text.bytes,
                  k < 0 ? " or covariance=diagonal" : ", covariance=shared or bayes");
out:
    smr_text_release(&text);
    smr_free(factor);
    smr_free(R);
    return st;
}

/* ---- columns that never change ----------------------------------------------------------- */

/* Deviations below this share of a value are rounding. */
#define ROUNDING 1e-13

/* used[j] = does column j change? */
static smr_status find_used(smr_ctx *ctx, const smr_data *data, struct smr_gauss_state *s)
{
    smr_status st = SMR_OK;
    smr_reader *reader = NULL;
    int64_t d = s->n_features, open = d;
    double *first = NULL;
    bool any = false;
    TRY_NEW(first, d);
    TRY(smr_reader_open(ctx, data, SMR_FORM_F64, SMR_ROWS_BLOCK, &reader));
    for (int64_t lo = 0; lo < data->n_rows && open > 0; lo += SMR_ROWS_BLOCK) {
        smr_rows rows;
        TRY(smr_reader_rows(ctx, reader, lo, SMR_MIN(data->n_rows, lo + SMR_ROWS_BLOCK), &rows));
        for (int64_t i = 0; i < rows.n; i++) {
            const double *x = (const double *)rows.x + i * rows.stride;
            if (smr_data_weight(data, lo + i) == 0) continue;
            if (!any) memcpy(first, x, (size_t)d * sizeof *x);
            any = true;
            for (int64_t j = 0; j < d; j++) {
                if (s->used[j] || x[j] == first[j]) continue;
                s->used[j] = 1;
                open--;
            }
        }
        TRY(smr_tick(ctx, NULL, lo, data->n_rows, NAN));
    }
out:
    smr_reader_close(reader);
    smr_free(first);
    return st;
}

/* They have zeros in a scatter matrix, and so has a column that is constant in these rows but for
 * rounding. */
static void leave_out(const struct smr_gauss_state *s, const double *mean, double weight,
                      double *scatter)
{
    int64_t d = s->n_features;
    for (int64_t i = 0; i < d; i++) {
        double noise = ROUNDING * fabs(mean[i]);
        bool is_noise = scatter[i * d + i] <= weight * noise * noise;
        if (s->used[i] && !is_noise) continue;
        for (int64_t j = 0; j < d; j++) scatter[i * d + j] = scatter[j * d + i] = 0;
    }
}

/* ---- shrinkage --------------------------------------------------------------------------- */

/* (3), of a scatter matrix of rows that weigh `weight` together; n columns are in use. */
static double ledoit_wolf(int64_t d, double n, const double *scatter, double weight, double fourth)
{
    double trace = 0, square = 0;
    for (int64_t i = 0; i < d; i++) trace += scatter[i * d + i] / weight;
    square = smr_dot_f64(d * d, scatter, scatter) / weight / weight;
    double v = trace / n, delta = (square - 2 * v * trace + n * v * v) / n;
    double b = (fourth / weight - square) / (n * weight);
    if (!(b > 0)) return 0;
    return delta > 0 ? smr_fmin(1, b / delta) : 1;
}

/* S = scatter / divisor, moved towards v I; 1 for a column that is not in use. */
static void shrink(const struct smr_gauss_state *s, double n, double *S, double divisor, double by)
{
    int64_t d = s->n_features;
    double v = 0;
    for (int64_t i = 0; i < d; i++) v += S[i * d + i] / divisor / n;
    for (int64_t i = 0; i < d; i++)
        for (int64_t j = 0; j < d; j++) {
            double *at = &S[i * d + j];
            *at = (1 - by) * (*at / divisor) + (i == j ? by * v : 0);
            if (i == j && !s->used[i]) *at = 1;
        }
}

/* ---- matrices ---------------------------------------------------------------------------- */

static smr_status too_few(smr_ctx *ctx, const smr_class_scatter *c, int64_t k, int64_t d)
{
    char name[64];
    int64_t n = c->n_rows[k];
    smr_class_name(c->data, k, name);
    return smr_fail(ctx, SMR_ERR_DATA,
                    "gauss: class %s has %lld row%s, and a full covariance of %lld column%s needs "
                    "at least %lld; use shrinkage=auto, covariance=shared or bayes",
                    name, (long long)n, smr_plural(n, "", "s"), (long long)d,
                    smr_plural(d, "", "s"), (long long)d + 1);
}

static smr_status finish(smr_ctx *ctx, const struct smr_gauss_params *p, const smr_data *data,
                         int64_t k, double weight, double fourth, struct smr_gauss_state *s)
{
    int64_t g = k < 0 ? 0 : k, d = s->n_features, n = 0;
    double *S = s->cov + g * s->n_sides;
    for (int64_t j = 0; j < d; j++) n += s->used[j];
    s->shrunk[g] = p->shrinkage == SMR_GAUSS_AUTO
                       ? ledoit_wolf(d, (double)SMR_MAX(1, n), S, weight, fourth)
                       : p->shrinkage;
    if (!(s->divisor[g] > 0)) {
        char name[64];
        smr_class_name(data, g, name);
        return smr_fail(ctx, SMR_ERR_DATA,
                        "gauss: unbiased=yes divides by the weight less one, and class %s weighs "
                        "no more; use unbiased=no",
                        k < 0 ? "by class" : name);
    }
    shrink(s, (double)SMR_MAX(1, n), S, s->divisor[g], s->shrunk[g]);
    return refuse_singular(ctx, data, k, S);
}

static smr_status fit_full(smr_ctx *ctx, const struct smr_gauss_params *p, const smr_data *data,
                           const smr_class_scatter *c, struct smr_gauss_state *s)
{
    smr_status st = SMR_OK;
    int64_t d = s->n_features, n_used = 0;
    for (int64_t j = 0; j < d; j++) n_used += s->used[j];
    for (int64_t k = 0; k < s->n_classes; k++) {
        double *mean = s->mean + k * d, fourth = 0;
        if (c->weight[k] == 0) continue;
        if (c->n_rows[k] <= n_used && p->shrinkage == 0) TRY(too_few(ctx, c, k, n_used));
        TRY(smr_class_scatter_find(ctx, c, k, mean, s->cov + k * d * d));
        if (p->shrinkage == SMR_GAUSS_AUTO) TRY(smr_class_scatter_fourth(ctx, c, k, mean, &fourth));
        s->divisor[k] = c->weight[k] - (p->unbiased ? 1 : 0);
        leave_out(s, mean, c->weight[k], s->cov + k * d * d);
        TRY(finish(ctx, p, data, k, c->weight[k], fourth, s));
    }
out:
    return st;
}

static smr_status fit_shared(smr_ctx *ctx, const struct smr_gauss_params *p, const smr_data *data,
                             const smr_class_scatter *c, struct smr_gauss_state *s)
{
    smr_status st = SMR_OK;
    int64_t d = s->n_features, present = 0;
    double *one = NULL, total = 0, fourth = 0;
    TRY_NEW(one, d * d);
    for (int64_t k = 0; k < s->n_classes; k++) {
        double *mean = s->mean + k * d, more = 0;
        if (c->weight[k] == 0) continue;
        TRY(smr_class_scatter_find(ctx, c, k, mean, one));
        leave_out(s, mean, c->weight[k], one);
        for (int64_t e = 0; e < d * d; e++) s->cov[e] += one[e];
        if (p->shrinkage == SMR_GAUSS_AUTO) TRY(smr_class_scatter_fourth(ctx, c, k, mean, &more));
        fourth += more;
        total += c->weight[k];
        present++;
    }
    s->divisor[0] = total - (p->unbiased ? (double)present : 0);
    TRY(finish(ctx, p, data, -1, total, fourth, s));
out:
    smr_free(one);
    return st;
}

/* ---- variances --------------------------------------------------------------------------- */

static smr_status refuse_constant(smr_ctx *ctx, const smr_data *data, int64_t k, int64_t j)
{
    char name[32], class[64];
    smr_class_name(data, k, class);
    if (j < 0)
        return smr_fail(ctx, SMR_ERR_DATA,
                        "gauss: all rows of class %s are the same: there is no variance; use "
                        "covariance=shared or bayes",
                        class);
    return smr_fail(ctx, SMR_ERR_DATA,
                    "gauss: '%s' has the same value in all rows of class %s; use shrinkage=0.1, "
                    "bayes, or leave the column out",
                    smr_affine_name(data->features, j, name), class);
}

/* Variances of class k from its sums of squares. */
static smr_status fit_class(smr_ctx *ctx, const struct smr_gauss_params *p, const smr_data *data,
                            int64_t k, const double *square, struct smr_gauss_state *s)
{
    int64_t d = s->n_features, n = 0;
    double *to = s->cov + k * s->n_sides, v = 0;
    s->divisor[k] = s->weight[k] - (p->unbiased ? 1 : 0);
    if (!(s->divisor[k] > 0)) return refuse_constant(ctx, data, k, -1);
    for (int64_t j = 0; j < d; j++) n += s->used[j];
    for (int64_t j = 0; j < d; j++)
        if (s->used[j]) v += square[j] / s->divisor[k] / (double)n;
    if (p->covariance == SMR_GAUSS_SPHERICAL) {
        to[0] = v;
        return v > 0 ? SMR_OK : refuse_constant(ctx, data, k, -1);
    }
    s->shrunk[k] = p->shrinkage;
    for (int64_t j = 0; j < d; j++) {
        if (!s->used[j]) {
            to[j] = 1;
            continue;
        }
        to[j] = (1 - p->shrinkage) * (square[j] / s->divisor[k]) + p->shrinkage * v;
        if (!(to[j] > 0)) return refuse_constant(ctx, data, k, v > 0 ? j : -1);
    }
    return SMR_OK;
}

static smr_status fit_apart(smr_ctx *ctx, const struct smr_gauss_params *p, const smr_data *data,
                            struct smr_gauss_state *s)
{
    smr_status st = SMR_OK;
    int64_t d = s->n_features, size = s->n_classes * d;
    double *filled = NULL, *square = NULL;
    TRY_NEW(filled, size);
    TRY_NEW(square, size);
    smr_class_moments of = {
        .m = d, .weight = s->weight, .filled = filled, .mean = s->mean, .square = square};
    TRY(smr_class_moments_find(ctx, "gauss", data, &of));
    for (int64_t k = 0; k < s->n_classes; k++)
        if (s->weight[k] > 0) TRY(fit_class(ctx, p, data, k, square + k * d, s));
out:
    smr_free(filled);
    smr_free(square);
    return st;
}

smr_status smr_gauss_fit(smr_ctx *ctx, const void *params_, const smr_data *data_, void *state_,
                         smr_fit_report *report)
{
    const struct smr_gauss_params *p = params_;
    struct smr_gauss_state *s = state_;
    smr_status st = SMR_OK;
    smr_data own = *data_, *data = &own;
    smr_class_scatter c = {0};
    (void)report;
    own.spend = NULL;
    TRY(smr_class_scatter_open(ctx, "gauss", data, &c));
    TRY(smr_class_prior_check(ctx, "gauss", &p->priors, data->n_classes));
    TRY(make_room(ctx, p, data, s));
    TRY(find_used(ctx, data, s));
    memcpy(s->weight, c.weight, (size_t)s->n_classes * sizeof *s->weight);
    if (p->covariance == SMR_GAUSS_FULL)
        TRY(fit_full(ctx, p, data, &c, s));
    else if (p->covariance == SMR_GAUSS_SHARED)
        TRY(fit_shared(ctx, p, data, &c, s));
    else
        TRY(fit_apart(ctx, p, data, s));
out:
    smr_class_scatter_close(&c);
    return st;
}
