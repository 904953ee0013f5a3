/* estimate_gauss.c -- gaussian columns, one by one and together (estimate.h).
 *
 * With the prior  v ~ inverse-gamma(a, b),  mean | v ~ gaussian(m, sqrt(v / k))  and Q = sum (x -
 * mean x)^2 of n rows:
 *
 *     k' = k + n,  m' = (k m + n mean x) / k',  a' = a + n/2,
 *     b' = b + Q/2 + k n (mean x - m)^2 / (2 k')                                               (1)
 *
 * The marginal posteriors are student-t(2 a', m', sqrt(b' / (a' k'))) of the mean and
 * inverse-gamma(a', b') of the variance; the mode of both together is m', b' / (a' + 3/2).  Without
 * a prior k = 0, a = -1/2, b = 0.
 *
 * Of d columns, with  S ~ inverse-wishart(v, s I),  mean | S ~ gaussian(m, S / k):  v' = v + n
 * and P' = s I + Q + k n (mean x - m)(mean x - m)' / k';  mean_j is student-t of v' - d + 1
 * degrees with the scale sqrt(P'_jj / (k' (v' - d + 1))), variance_j
 * inverse-gamma((v' - d + 1) / 2, P'_jj / 2); mean of S: P' / (v' - d - 1), mode of both
 * together: P' / (v' + d + 2).  Without a prior k = 0, v = -1, s = 0.
 *
 * The variance of maximum likelihood, Q / n, is biased: its mean over samples is (n-1)/n of the
 * variance.  Q / (n-1) is not.  Confidence intervals: Student's t, chi-square; of a correlation by
 * Fisher's z, which is approximate.
 *
 * Reference: Gelman et al., Bayesian Data Analysis, 3.3 and 3.6. */
#include "core/try.h"
#include "kernel/kernel.h"
#include "math/factor.h"
#include "math/stats.h"
#include "study/estimate_parts.h"

/* m, k, a, b of (1), before or after. */
struct nig {
    double m, k, a, b;
};

static struct nig update(struct nig p, double n, double mean, double squares)
{
    struct nig q = {.k = p.k + n, .a = p.a + 0.5 * n};
    double off = mean - p.m;
    q.m = (p.k * p.m + n * mean) / q.k;
    q.b = p.b + 0.5 * squares + (p.k > 0 ? 0.5 * p.k * n * off * off / q.k : 0);
    return q;
}

static void interval_of(const smr_law *law, double tail, double *low, double *high)
{
    *low = smr_law_quantile(law, tail, false);
    *high = smr_law_quantile(law, tail, true);
}

/* ---- one column ------------------------------------------------------------------------- */

struct moments {
    double n, mean, squares;
};

static void tell_mean(const smr_sample *s, const struct moments *m, const struct nig *post,
                      smr_json *rows, smr_estimated *e)
{
    double df = m->n - 1, scale = sqrt(m->squares / df / m->n);
    smr_law t =
        smr_law_of(&smr_family_student, 2 * post->a, post->m, sqrt(post->b / post->a / post->k));
    smr_law usual = smr_law_of(&smr_family_student, df, m->mean, scale);
    *e = (smr_estimated){"mean", m->mean, m->mean, post->m, post->m, NAN, NAN, NAN, NAN};
    if (post->a > 0 && post->b > 0) interval_of(&t, s->tail, &e->low, &e->high);
    if (df > 0 && m->squares > 0) interval_of(&usual, s->tail, &e->from, &e->to);
    smr_estimate_row(rows, e);
}

static void tell_variance(const smr_sample *s, const struct moments *m, const struct nig *post,
                          smr_json *rows, smr_estimated *e)
{
    double df = m->n - 1;
    smr_law inverse = smr_law_of(&smr_family_inverse_gamma, post->a, post->b, 0);
    smr_law usual = smr_law_of(&smr_family_inverse_gamma, 0.5 * df, 0.5 * m->squares, 0);
    *e = (smr_estimated){"variance",
                         m->squares / m->n,
                         df > 0 ? m->squares / df : NAN,
                         post->b / (post->a + 1.5),
                         post->a > 1 ? post->b / (post->a - 1) : NAN,
                         NAN,
                         NAN,
                         NAN,
                         NAN};
    if (post->a > 0 && post->b > 0) interval_of(&inverse, s->tail, &e->low, &e->high);
    if (df > 0 && m->squares > 0) interval_of(&usual, s->tail, &e->from, &e->to);
    smr_estimate_row(rows, e);
    /* E sqrt(v) = sqrt(b) Gamma(a - 1/2) / Gamma(a) */
    double ratio = post->a > 0.5 ? smr_log_gamma(post->a - 0.5) - smr_log_gamma(post->a) : NAN;
    smr_estimated sd = {
        "sd",         sqrt(e->ml),   NAN,           NAN,        sqrt(post->b) * smr_exp(ratio),
        sqrt(e->low), sqrt(e->high), sqrt(e->from), sqrt(e->to)};
    smr_estimate_row(rows, &sd);
}

/* The likelihood of a mean, at the best variance for it. */
static double log_of_mean(const smr_sample *s, double mean)
{
    double off = mean - s->sum / s->weight;
    return -0.5 * s->weight * smr_log1p(off * off / s->spread);
}

static smr_status draw(smr_ctx *ctx, const smr_sample *s, const struct moments *m,
                       const struct nig *before, const struct nig *post, const smr_estimated *mean,
                       const smr_estimated *variance, smr_json *figures)
{
    smr_status st = SMR_OK;
    bool proper = before->k > 0 && before->a > 0 && before->b > 0;
    smr_law prior_m = smr_law_of(&smr_family_student, 2 * before->a, before->m,
                                 proper ? sqrt(before->b / before->a / before->k) : 1);
    smr_law prior_v = smr_law_of(&smr_family_inverse_gamma, before->a, before->b, 0);
    smr_parameter_curve of_mean = {.what = "mean",
                                   .suffix = "",
                                   .prior = proper ? &prior_m : NULL,
                                   .posterior =
                                       smr_law_of(&smr_family_student, 2 * post->a, post->m,
                                                  sqrt(post->b / post->a / post->k)),
                                   .ml = mean->ml,
                                   .low = mean->low,
                                   .high = mean->high,
                                   .least = NAN,
                                   .most = NAN,
                                   .log_likelihood = -INFINITY,
                                   .log_of = log_of_mean};
    smr_parameter_curve of_variance = {
        .what = "variance",
        .suffix = "-variance",
        .prior = proper ? &prior_v : NULL,
        .posterior = smr_law_of(&smr_family_inverse_gamma, post->a, post->b, 0),
        .ml = variance->ml,
        .low = variance->low,
        .high = variance->high,
        .least = NAN,
        .most = NAN};
    smr_law law = smr_law_of(&smr_family_gaussian, m->mean, sqrt(m->squares / m->n), 0);
    smr_sample own = *s;
    own.spread = m->squares / m->n;
    TRY(smr_estimate_curves(ctx, &own, &of_mean, figures));
    TRY(smr_estimate_curves(ctx, s, &of_variance, figures));
    TRY(smr_estimate_fit_figure(ctx, s, &law, figures));
out:
    return st;
}

smr_status smr_estimate_gaussian(smr_ctx *ctx, const smr_sample *s, smr_json *into,
                                 smr_json *figures)
{
    smr_status st = SMR_OK;
    smr_numbers_summary sums;
    const double *p = s->prior;
    struct nig before = p ? (struct nig){p[0], p[1], p[2], p[3]} : (struct nig){0, 0, -0.5, 0};
    smr_estimated mean, variance;
    smr_summarize(s->n, s->x, s->w, &sums);
    struct moments m = {sums.weight, sums.mean, sums.variance * sums.weight};
    struct nig post = update(before, m.n, m.mean, m.squares);
    if (!isfinite(m.squares))
        return smr_fail(ctx, SMR_ERR_NUMERIC, "the variance of '%s' is too large for a number",
                        s->name);
    double v = m.squares / m.n;
    if (p) smr_estimate_law(into, "prior", "nig", 4, p);
    if (!p) smr_json_add_string(into, "prior", "1 / variance");
    smr_estimate_law(into, "posterior", "nig", 4, (const double[]){post.m, post.k, post.a, post.b});
    smr_json_add_number(into, "log_likelihood",
                        -0.5 * m.n * (1.8378770664093454836 + smr_log(v) + 1));
    smr_json *rows = smr_json_add_array(into, "parameters");
    tell_mean(s, &m, &post, rows, &mean);
    tell_variance(s, &m, &post, rows, &variance);
    if (!(v > 0)) {
        smr_json_add_string(into, "note",
                            "all values are the same, so there is no spread to "
                            "estimate");
        goto out;
    }
    /* the tables of the test are for the unbiased variance */
    smr_law law = smr_law_of(&smr_family_gaussian, m.mean, sqrt(m.squares / (m.n - 1)), 0);
    TRY(smr_fit_of_law(ctx, s, &law, into));
    if (figures && post.a > 0) TRY(draw(ctx, s, &m, &before, &post, &mean, &variance, figures));
out:
    return st;
}

/* ---- several columns -------------------------------------------------------------------- */

struct niw {
    double m, k, v, s;
};

/* Q[j * d + i], and the means. */
static void cross_squares(int64_t d, const smr_sample *s, double *mean, double *Q)
{
    for (int64_t j = 0; j < d; j++) {
        mean[j] = smr_mean(s[j].n, s[j].x, s[j].w);
        for (int64_t i = 0; i <= j; i++)
            Q[i * d + j] = Q[j * d + i] =
                smr_covariance(s[j].n, s[i].x, s[j].x, s[j].w, 0) * s[j].weight;
    }
}

/* Fisher's z. */
static void correlation_interval(double r, double n, double tail, double *from, double *to)
{
    if (!(n > 3) || !(fabs(r) < 1)) return;
    double z = 0.5 * (smr_log1p(r) - smr_log1p(-r));
    double width = -smr_normal_quantile(tail) / sqrt(n - 3);
    *from = smr_tanh(z - width);
    *to = smr_tanh(z + width);
}

static void add_pair(smr_ctx *ctx, const smr_sample *a, const smr_sample *b, const char *what,
                     smr_estimated *e, smr_json *rows)
{
    smr_text word = {.ctx = ctx};
    smr_text_printf(&word, b ? "%s(%s, %s)" : "%s(%s)", what, a->name, b ? b->name : "");
    e->parameter = word.bytes ? word.bytes : "";
    smr_estimate_row(rows, e);
    smr_text_release(&word);
}

/* What the rows of one table of parameters are made of. */
struct together {
    int64_t d;
    double n, k, v; /* n, k', v' */
    double *mean, *centre, *Q, *P;
};

static void tell_means(smr_ctx *ctx, const smr_sample *s, const struct together *g, smr_json *rows)
{
    for (int64_t j = 0; j < g->d; j++) {
        int64_t jj = j * g->d + j;
        double df = g->v - (double)g->d + 1;
        smr_law t = smr_law_of(&smr_family_student, df, g->centre[j], sqrt(g->P[jj] / g->k / df));
        smr_law usual = smr_law_of(&smr_family_student, g->n - 1, g->mean[j],
                                   sqrt(g->Q[jj] / (g->n - 1) / g->n));
        smr_estimated e = {NULL, g->mean[j], g->mean[j], g->centre[j], g->centre[j],
                           NAN,  NAN,        NAN,        NAN};
        if (df > 0 && g->P[jj] > 0) interval_of(&t, s->tail, &e.low, &e.high);
        if (g->n > 1 && g->Q[jj] > 0) interval_of(&usual, s->tail, &e.from, &e.to);
        add_pair(ctx, &s[j], NULL, "mean", &e, rows);
    }
}

static void tell_covariances(smr_ctx *ctx, const smr_sample *s, const struct together *g,
                             smr_json *rows)
{
    double size = (double)g->d, df = g->v - size + 1, n = g->n;
    for (int64_t j = 0; j < g->d; j++)
        for (int64_t i = 0; i <= j; i++) {
            double q = g->Q[j * g->d + i], p = g->P[j * g->d + i];
            smr_estimated e = {NULL,
                               q / n,
                               n > 1 ? q / (n - 1) : NAN,
                               p / (g->v + size + 2),
                               df > 2 ? p / (df - 2) : NAN,
                               NAN,
                               NAN,
                               NAN,
                               NAN};
            smr_law inverse = smr_law_of(&smr_family_inverse_gamma, 0.5 * df, 0.5 * p, 0);
            smr_law usual = smr_law_of(&smr_family_inverse_gamma, 0.5 * (n - 1), 0.5 * q, 0);
            if (i == j && df > 0 && p > 0) interval_of(&inverse, s->tail, &e.low, &e.high);
            if (i == j && n > 1 && q > 0) interval_of(&usual, s->tail, &e.from, &e.to);
            add_pair(ctx, &s[i], i == j ? NULL : &s[j], i == j ? "variance" : "covariance", &e,
                     rows);
        }
    for (int64_t j = 0; j < g->d; j++)
        for (int64_t i = 0; i < j; i++) {
            double r = g->Q[j * g->d + i] / sqrt(g->Q[i * g->d + i] * g->Q[j * g->d + j]);
            smr_estimated e = {NULL, r, NAN, NAN, NAN, NAN, NAN, NAN, NAN};
            correlation_interval(r, n, s->tail, &e.from, &e.to);
            add_pair(ctx, &s[i], &s[j], "correlation", &e, rows);
        }
}

/* Mardia's kurtosis: the mean of squared squared distances, d (d + 2) for Gaussian rows. */
static void tell_kurtosis(const smr_sample *s, const struct together *g, const double *L, double *z,
                          smr_json *into)
{
    double sum = 0, d = (double)g->d;
    for (int64_t r = 0; r < s->n; r++) {
        double square = 0;
        for (int64_t j = 0; j < g->d; j++) z[j] = s[j].x[r] - g->mean[j];
        for (int64_t j = 0; j < g->d; j++) {
            z[j] /= L[j + j * g->d];
            for (int64_t i = j + 1; i < g->d; i++) z[i] -= z[j] * L[i + j * g->d];
            square += z[j] * z[j];
        }
        sum += (s->w ? s->w[r] : 1) * square * square;
    }
    double kurtosis = sum / g->n, off = (kurtosis - d * (d + 2)) / sqrt(8 * d * (d + 2) / g->n);
    smr_json *fit = smr_json_add_object(into, "fit");
    smr_json_add_string(fit, "test", "Mardia's kurtosis");
    smr_json_add_number(fit, "statistic", kurtosis);
    smr_json_add_number(fit, "expected", d * (d + 2));
    smr_json_add_number(fit, "z", off);
    smr_json_add_number(fit, "p", 2 * smr_normal_cdf(-fabs(off)));
    smr_json_add_string(fit, "means",
                        "approximate, for many rows; it sees tails that are heavy or light, not "
                        "every departure");
}

/* L L' = Q / n; *singular: the first column that is constant or follows from those before it; -1:
 * none. */
static smr_status factor(smr_ctx *ctx, const struct together *g, double *L, int64_t *singular)
{
    int64_t d = g->d;
    for (int64_t i = 0; i < d * d; i++) L[i] = g->Q[i] / g->n;
    smr_status st = smr_cholesky(ctx, d, L, d, singular);
    for (int64_t j = 0; st == SMR_OK && *singular < 0 && j < d; j++)
        if (L[j + j * d] * L[j + j * d] < 1e-12 * g->Q[j * d + j] / g->n) *singular = j;
    return st;
}

static smr_status refuse_singular(smr_ctx *ctx, const char *name)
{
    return smr_fail(ctx, SMR_ERR_NUMERIC,
                    "the covariance matrix is singular: '%s' is constant or follows from the "
                    "columns before it; leave it out, or give a prior (niw mean strength df scale)",
                    name);
}

smr_status smr_estimate_gaussians(smr_ctx *ctx, int64_t d, const smr_sample *s, smr_json *into)
{
    smr_status st = SMR_OK;
    const double *p = s->prior;
    struct niw before = p ? (struct niw){p[0], p[1], p[2], p[3]} : (struct niw){0, 0, -1, 0};
    struct together g = {
        .d = d, .n = s->weight, .k = before.k + s->weight, .v = before.v + s->weight};
    double *room = NULL, log_det = 0;
    int64_t singular = -1;
    if (!(g.n > (double)d) && !p)
        return smr_fail(ctx, SMR_ERR_DATA,
                        "%lld rows are too few for the covariance matrix of %lld columns without a "
                        "prior (niw mean strength df scale)",
                        (long long)s->n, (long long)d);
    TRY_NEW(room, 3 * d + 3 * d * d);
    g.mean = room;
    g.centre = room + d;
    g.Q = room + 3 * d;
    g.P = g.Q + d * d;
    double *L = g.P + d * d, *z = room + 2 * d;
    cross_squares(d, s, g.mean, g.Q);
    for (int64_t j = 0; j < d; j++) {
        g.centre[j] = (before.k * before.m + g.n * g.mean[j]) / g.k;
        for (int64_t i = 0; i < d; i++)
            g.P[j * d + i] = g.Q[j * d + i] + (i == j ? before.s : 0) +
                             before.k * g.n / g.k * (g.mean[i] - before.m) * (g.mean[j] - before.m);
    }
    TRY(factor(ctx, &g, L, &singular));
    if (singular >= 0 && !p) TRY(refuse_singular(ctx, s[singular].name));
    for (int64_t j = 0; singular < 0 && j < d; j++) log_det += 2 * smr_log(L[j + j * d]);
    if (p) smr_estimate_law(into, "prior", "niw", 4, p);
    if (!p) smr_json_add_string(into, "prior", "|covariance|^(-(d+1)/2)");
    if (singular < 0)
        smr_json_add_number(into, "log_likelihood",
                            -0.5 * g.n * ((double)d * (1.8378770664093454836 + 1) + log_det));
    smr_json *rows = smr_json_add_array(into, "parameters");
    tell_means(ctx, s, &g, rows);
    tell_covariances(ctx, s, &g, rows);
    if (singular < 0) tell_kurtosis(s, &g, L, z, into);
out:
    smr_free(room);
    return st;
}
