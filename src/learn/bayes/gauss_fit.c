/* gauss_fit.c -- means and covariances of Gaussian classes; see gauss.c for what is computed. */
#include "core/text.h"
#include "kernel/kernel.h"
#include "learn/bayes/class_moments.h"
#include "learn/bayes/class_scatter.h"
#include "learn/bayes/gauss.h"
#include "learn/linear/affine.h"
#include "learn/linear/scores.h"
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

/* What makes a covariance singular; -1: nothing. */
struct dependence {
    int64_t constant, dependent; /* a column of variance 0; one that depends on those before it */
    double *L, *factor;          /* of find_dependent; room for name_dependent                  */
};

static smr_status look_for_dependence(smr_ctx *ctx, int64_t d, const double *S,
                                      struct dependence *found)
{
    smr_status st = SMR_OK;
    *found = (struct dependence){-1, -1, NULL, NULL};
    TRY_NEW(found->L, d * d);
    TRY_NEW(found->factor, d);
    for (int64_t i = 0; i < d; i++) {
        if (!(S[i * d + i] > 0) && found->constant < 0) found->constant = i;
        for (int64_t j = 0; j < d; j++)
            found->L[i * d + j] = S[i * d + j] / sqrt(S[i * d + i]) / sqrt(S[j * d + j]);
    }
    if (found->constant < 0) find_dependent(d, found->L, &found->dependent);
out:
    return st;
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
    struct dependence found;
    smr_text text = {.ctx = ctx};
    int64_t d = data->n_features;
    TRY(look_for_dependence(ctx, d, S, &found));
    if (found.constant < 0 && found.dependent < 0) goto out;
    smr_text_add(&text, "gauss: ");
    whose(data, k, &text);
    smr_text_add(&text, " is singular: ");
    if (found.constant >= 0) {
        char name[32];
        smr_text_printf(&text, "'%s' has the same value in all of its rows",
                        smr_affine_name(data->features, found.constant, name));
    } else {
        name_dependent(data, d, found.L, found.dependent, found.factor, &text);
    }
    TRY(smr_text_done(&text));
    st = smr_fail(ctx, SMR_ERR_DATA, "%s; use shrinkage=auto%s, or leave columns out", text.bytes,
                  k < 0 ? " or covariance=diagonal" : ", covariance=shared or bayes");
out:
    smr_text_release(&text);
    smr_free(found.factor);
    smr_free(found.L);
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

/* ---- one covariance a class, and the shared one ------------------------------------------ */

/* A fit under way. */
struct fitting {
    const struct smr_gauss_params *p;
    const smr_data *data;
    const smr_class_scatter *c;
    struct smr_gauss_state *s;
    double *shared; /* n_sides: the shared covariance, in the shape of the others            */
    double divisor; /* of its sums of squares                                                */
    double total;   /* weight of all rows                                                    */
    int64_t n_used; /* columns                                                               */
    bool needs_one; /* is the shared covariance needed?                                      */
    bool is_auto;
    smr_class_sample rows; /* auto */
};

/* n numbers of `from`, over `by`; nothing where nothing was summed. */
static void add_share(int64_t n, const double *from, double by, double *to)
{
    for (int64_t e = 0; e < n && by > 0; e++) to[e] += from[e] / by;
}

static smr_status too_few(smr_ctx *ctx, const struct fitting *f, int64_t k)
{
    char name[64];
    int64_t n = f->c->n_rows[k], d = f->n_used;
    smr_class_name(f->data, k, name);
    return smr_fail(ctx, SMR_ERR_DATA,
                    "gauss: class %s has %lld row%s, and a full covariance of %lld column%s needs "
                    "at least %lld; use shrinkage=auto, covariance=shared or bayes",
                    name, (long long)n, smr_plural(n, "", "s"), (long long)d,
                    smr_plural(d, "", "s"), (long long)d + 1);
}

/* `unbiased` divides by less than the weight: is anything left? */
static smr_status check_divisor(smr_ctx *ctx, const struct fitting *f, int64_t k, double divisor)
{
    char name[64] = "by class";
    if (divisor > 0) return SMR_OK;
    if (k >= 0) smr_class_name(f->data, k, name);
    return smr_fail(ctx, SMR_ERR_DATA,
                    "gauss: unbiased=yes divides by the weight less one, and class %s weighs "
                    "no more; use unbiased=no",
                    name);
}

static smr_status find_matrices(smr_ctx *ctx, struct fitting *f)
{
    struct smr_gauss_state *s = f->s;
    smr_status st = SMR_OK;
    int64_t d = s->n_features;
    bool apart = s->n_groups > 1 || f->p->covariance == SMR_GAUSS_FULL;
    double *one = NULL;
    TRY_NEW(one, d * d);
    for (int64_t k = 0; k < s->n_classes; k++) {
        double *mean = s->mean + k * d, weight = s->weight[k];
        if (weight == 0) continue;
        if (apart && f->p->shrinkage == 0 && f->c->n_rows[k] <= f->n_used) TRY(too_few(ctx, f, k));
        TRY(smr_class_scatter_find(ctx, f->c, k, mean, one));
        leave_out(s, mean, weight, one);
        if (f->needs_one) add_share(d * d, one, f->divisor, f->shared);
        if (apart) add_share(d * d, one, s->divisor[k], s->cov + k * d * d);
    }
out:
    smr_free(one);
    return st;
}

/* The columns' variances, or their mean. */
static void keep_variances(const struct smr_gauss_state *s, int64_t n_used, const double *square,
                           double by, double *to)
{
    if (s->n_sides > 1 || s->n_features == 1) {
        add_share(s->n_features, square, by, to);
        return;
    }
    for (int64_t j = 0; j < s->n_features && by > 0; j++)
        if (s->used[j]) to[0] += square[j] / by / (double)n_used;
}

static smr_status find_variances(smr_ctx *ctx, struct fitting *f)
{
    struct smr_gauss_state *s = f->s;
    smr_status st = SMR_OK;
    int64_t d = s->n_features, size = s->n_classes * d;
    double *filled = NULL, *square = NULL;
    TRY_NEW(filled, size);
    TRY_NEW(square, size);
    smr_class_moments of = {
        .m = d, .weight = s->weight, .filled = filled, .mean = s->mean, .square = square};
    TRY(smr_class_moments_find(ctx, "gauss", f->data, &of));
    for (int64_t k = 0; k < s->n_classes; k++) {
        if (s->weight[k] == 0) continue;
        keep_variances(s, f->n_used, square + k * d, s->divisor[k], s->cov + k * s->n_sides);
        keep_variances(s, f->n_used, square + k * d, f->divisor, f->shared);
    }
out:
    smr_free(filled);
    smr_free(square);
    return st;
}

/* Columns that never change have variance 1. */
static void fill_unused(const struct smr_gauss_state *s, int64_t n_used, double *S)
{
    int64_t d = s->n_features;
    if (s->n_sides == 1 && d > 1) {
        if (n_used == 0) S[0] = 1;
        return;
    }
    int64_t step = s->n_sides == d ? 1 : d + 1;
    for (int64_t j = 0; j < d; j++)
        if (!s->used[j]) S[j * step] = 1;
}

/* The shared covariance for shrinkage=auto: positive definite, whatever the rows. */
static smr_status steady(smr_ctx *ctx, struct fitting *f)
{
    struct smr_gauss_state *s = f->s;
    smr_status st = SMR_OK;
    int64_t d = s->n_features;
    smr_class_means means = {s->n_classes, d, s->weight, s->mean};
    if (s->n_sides == d * d) {
        TRY(smr_within_amount(ctx, &means, &f->rows, f->shared, f->divisor, &s->steadied));
        smr_within_floor(&means, f->shared, d + 1);
        smr_within_shrink(d, s->steadied, f->shared);
    } else if (s->n_sides == d) {
        smr_within_floor(&means, f->shared, 1);
    } else {
        f->shared[0] = smr_fmax(f->shared[0], SMR_WITHIN_FLOOR * smr_within_spread(&means));
    }
out:
    return st;
}

/* Are all covariances of classes positive definite as they are? */
static smr_status are_definite(smr_ctx *ctx, const struct fitting *f, bool *yes)
{
    const struct smr_gauss_state *s = f->s;
    smr_status st = SMR_OK;
    int64_t d = s->n_features;
    *yes = true;
    for (int64_t k = 0; k < s->n_classes && *yes; k++) {
        struct dependence found = {-1, -1, NULL, NULL};
        const double *S = s->cov + k * s->n_sides;
        if (s->weight[k] == 0) continue;
        if (s->n_sides == d * d && d > 1) {
            if (f->c->n_rows[k] <= f->n_used)
                found.constant = 0;
            else
                st = look_for_dependence(ctx, d, S, &found);
            smr_free(found.L);
            smr_free(found.factor);
            if (st != SMR_OK) goto out;
        }
        for (int64_t e = 0; e < s->n_sides && s->n_sides <= d; e++)
            if (!(S[e] > 0)) found.constant = e;
        *yes = found.constant < 0 && found.dependent < 0;
    }
out:
    return st;
}

static smr_status choose_amount(smr_ctx *ctx, struct fitting *f, double *amount)
{
    struct smr_gauss_state *s = f->s;
    smr_status st = SMR_OK;
    smr_class_prior how = {f->p->prior, &f->p->priors};
    double *base = NULL;
    bool definite;
    TRY_NEW(base, s->n_classes);
    smr_class_prior_log(how, s->n_classes, s->weight, base);
    TRY(are_definite(ctx, f, &definite));
    TRY(smr_gauss_choose(ctx, s, !definite, &f->rows, f->shared, base, amount));
out:
    smr_free(base);
    return st;
}

/* ---- what is refused of them ------------------------------------------------------------- */

static smr_status refuse_constant(smr_ctx *ctx, const smr_data *data, int64_t k, int64_t j)
{
    char name[32], class[64];
    smr_class_name(data, k, class);
    if (j < 0)
        return smr_fail(ctx, SMR_ERR_DATA,
                        "gauss: all rows of class %s are the same: there is no variance; use "
                        "shrinkage=auto, covariance=shared or bayes",
                        class);
    return smr_fail(ctx, SMR_ERR_DATA,
                    "gauss: '%s' has the same value in all rows of class %s; use shrinkage=auto, "
                    "bayes, or leave the column out",
                    smr_affine_name(data->features, j, name), class);
}

static smr_status check_covariance(smr_ctx *ctx, const struct fitting *f, int64_t k)
{
    const struct smr_gauss_state *s = f->s;
    const double *S = s->cov + SMR_MAX(0, k) * s->n_sides;
    int64_t d = s->n_features, bad = -1, good = 0;
    if (f->p->covariance <= SMR_GAUSS_SHARED) return refuse_singular(ctx, f->data, k, S);
    for (int64_t e = 0; e < s->n_sides; e++) {
        bool is_used = s->n_sides < d || s->used[e];
        if (!(S[e] > 0) && bad < 0) bad = e;
        good += is_used && S[e] > 0;
    }
    return bad < 0 ? SMR_OK : refuse_constant(ctx, f->data, k, good > 0 ? bad : -1);
}

/* ---- fit --------------------------------------------------------------------------------- */

/* What sums of squares are divided by; 0: nothing is left. */
static smr_status find_divisors(smr_ctx *ctx, struct fitting *f)
{
    struct smr_gauss_state *s = f->s;
    smr_status st = SMR_OK;
    bool one = f->p->covariance == SMR_GAUSS_SHARED;
    double present = 0, less = f->p->unbiased ? 1 : 0;
    for (int64_t k = 0; k < s->n_classes; k++) {
        f->total += s->weight[k];
        present += s->weight[k] > 0;
        if (one || s->weight[k] == 0) continue;
        s->divisor[k] = smr_fmax(0, s->weight[k] - less);
        if (f->p->shrinkage == 0) TRY(check_divisor(ctx, f, k, s->divisor[k]));
    }
    f->divisor = smr_fmax(0, f->total - less * present);
    if (one) s->divisor[0] = f->divisor;
    if (f->needs_one) TRY(check_divisor(ctx, f, -1, f->divisor));
out:
    return st;
}

static smr_status finish_shared(smr_ctx *ctx, struct fitting *f)
{
    struct smr_gauss_state *s = f->s;
    int64_t d = s->n_features;
    memcpy(s->cov, f->shared, (size_t)(d * d) * sizeof *s->cov);
    s->shrunk[0] = f->is_auto ? s->steadied : f->p->shrinkage;
    if (!f->is_auto) smr_within_shrink(d, f->p->shrinkage, s->cov);
    return check_covariance(ctx, f, -1);
}

static smr_status finish_apart(smr_ctx *ctx, struct fitting *f)
{
    struct smr_gauss_state *s = f->s;
    smr_status st = SMR_OK;
    double amount = f->p->shrinkage, *mixed = NULL;
    TRY_NEW(mixed, s->n_sides);
    for (int64_t k = 0; k < s->n_classes; k++)
        if (s->weight[k] > 0) fill_unused(s, f->n_used, s->cov + k * s->n_sides);
    if (f->is_auto) TRY(choose_amount(ctx, f, &amount));
    for (int64_t k = 0; k < s->n_classes; k++) {
        if (s->weight[k] == 0) continue;
        s->shrunk[k] = smr_gauss_share(s, amount, k);
        if (amount > 0) {
            smr_gauss_mix(s, amount, k, f->shared, mixed);
            memcpy(s->cov + k * s->n_sides, mixed, (size_t)s->n_sides * sizeof *mixed);
        }
        TRY(check_covariance(ctx, f, k));
    }
out:
    smr_free(mixed);
    return st;
}

static smr_status fit_covariances(smr_ctx *ctx, struct fitting *f)
{
    struct smr_gauss_state *s = f->s;
    smr_status st = SMR_OK;
    bool matrices = f->p->covariance <= SMR_GAUSS_SHARED;
    for (int64_t j = 0; j < s->n_features; j++) f->n_used += s->used[j];
    TRY_NEW(f->shared, s->n_sides);
    TRY(find_divisors(ctx, f));
    TRY(matrices ? find_matrices(ctx, f) : find_variances(ctx, f));
    if (f->is_auto) {
        TRY(smr_class_sample_take(ctx, f->data, smr_gauss_sample_rows(s), &f->rows));
        TRY(steady(ctx, f));
    }
    fill_unused(s, f->n_used, f->shared);
    TRY(f->p->covariance == SMR_GAUSS_SHARED ? finish_shared(ctx, f) : finish_apart(ctx, f));
out:
    smr_class_sample_release(&f->rows);
    smr_free(f->shared);
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
    struct fitting f = {.p = p, .data = data, .c = &c, .s = s};
    (void)report;
    own.spend = NULL; /* rows are read more than once */
    TRY(smr_class_scatter_open(ctx, "gauss", data, &c));
    TRY(smr_class_prior_check(ctx, "gauss", &p->priors, data->n_classes));
    TRY(make_room(ctx, p, data, s));
    TRY(find_used(ctx, data, s));
    memcpy(s->weight, c.weight, (size_t)s->n_classes * sizeof *s->weight);
    f.is_auto = p->shrinkage == SMR_GAUSS_AUTO;
    f.needs_one = p->shrinkage != 0 || p->covariance == SMR_GAUSS_SHARED;
    TRY(fit_covariances(ctx, &f));
out:
    smr_class_scatter_close(&c);
    return st;
}
