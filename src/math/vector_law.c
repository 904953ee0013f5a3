/* vector_law.c -- distributions of several numbers (distribution.h).
 *
 *     dirichlet:             log p(x) = sum (a_k - 1) log x_k - log Gamma(a_k)  + log Gamma(sum a)
 *     multivariate-gaussian: log p(x) = -(d log 2 pi + log |S| + |L^-1 (x - m)|^2) / 2
 *     wishart:               log p(X) = ((v-d-1) log |X| - |L^-1 M|^2 - v log |S|) / 2 - c
 *     inverse-wishart:       log p(X) = (v log |S| - (v+d+1) log |X| - |M^-1 L|^2) / 2 - c,
 *         S = L L',  X = M M',  c = v d log(2) / 2 + log Gamma_d(v/2)
 *
 * with the squared norms of Frobenius for the traces.  Draws: m + L z; for Wishart's L A A' L',
 * where A is lower triangular with A_ii^2 chi-square of v - i degrees (i from 0) and standard
 * normals below; for the inverse C' C with C = A^-1 L'. */
#include "core/try.h"
#include "kernel/kernel.h"
#include "math/distribution.h"
#include "math/factor.h"

#include <string.h>

static const double LOG_PI = 1.1447298858494001741, LOG_2 = 0x1.62e42fefa39efp-1;
static const double SHARES_OFF = 1e-8; /* how far a sum of shares may be from 1 */

enum vector_kind { CATEGORICAL, DIRICHLET, GAUSSIAN, WISHART, INVERSE_WISHART, N_KINDS };

static const char *const NAMES[N_KINDS] = {"categorical", "dirichlet", "multivariate-gaussian",
                                           "wishart", "inverse-wishart"};

struct smr_vector_law {
    enum vector_kind kind;
    int64_t d;
    double df, norm; /* norm: what the log density has that does not depend on x */
    double *p;       /* shares or shapes (d), or the mean                        */
    double *L;       /* d x d, lower triangular, by columns; NULL: none          */
};

double smr_log_gamma_multi(int64_t d, double a)
{
    double sum = 0.25 * (double)(d * (d - 1)) * LOG_PI;
    for (int64_t j = 0; j < d; j++) sum += smr_log_gamma(a - 0.5 * (double)j);
    return sum;
}

static double log_determinant(int64_t d, const double *L)
{
    double sum = 0;
    for (int64_t j = 0; j < d; j++) sum += smr_log(L[j + j * d]);
    return 2 * sum;
}

/* x = L^-1 x */
static void solve_lower(int64_t d, const double *L, double *x)
{
    for (int64_t j = 0; j < d; j++) {
        x[j] /= L[j + j * d];
        for (int64_t i = j + 1; i < d; i++) x[i] -= x[j] * L[i + j * d];
    }
}

/* |L^-1 M|^2 of two lower triangles; x has room for d. */
static double norm_of_quotient(int64_t d, const double *L, const double *M, double *x)
{
    double sum = 0;
    for (int64_t k = 0; k < d; k++) {
        memset(x, 0, (size_t)d * sizeof *x);
        memcpy(x + k, M + k + k * d, (size_t)(d - k) * sizeof *x);
        solve_lower(d, L, x);
        for (int64_t i = k; i < d; i++) sum += x[i] * x[i];
    }
    return sum;
}

/* ---- creating --------------------------------------------------------------------------- */

/* d of the number of parameters: d shares, d + d^2, or 1 + d^2; 0: no such d. */
static int64_t size_of(enum vector_kind kind, int64_t n)
{
    if (kind == CATEGORICAL || kind == DIRICHLET) return n;
    for (int64_t d = 1; d * d < n; d++)
        if (n == (kind == GAUSSIAN ? d + d * d : 1 + d * d)) return d;
    return 0;
}

static smr_status take_shares(smr_ctx *ctx, smr_vector_law *law, const double *p)
{
    bool shapes = law->kind == DIRICHLET;
    double sum = 0, parts = 0;
    for (int64_t k = 0; k < law->d; k++) {
        if (shapes ? !smr_is_parameter(p[k]) : !(p[k] >= 0 && p[k] < INFINITY))
            return smr_fail(ctx, SMR_ERR_PARAM, "parameter %lld of %s is %g; it is %s",
                            (long long)(k + 1), NAMES[law->kind], p[k],
                            shapes ? "a number above 0, up to 1e12" : "a share, 0 or more");
        sum += p[k];
        parts += shapes ? smr_log_gamma(p[k]) : 0;
    }
    if (!(sum > 0 && sum < INFINITY))
        return smr_fail(ctx, SMR_ERR_PARAM, "the shares of %s have the sum %g", NAMES[law->kind],
                        sum);
    memcpy(law->p, p, (size_t)law->d * sizeof *p);
    law->norm = shapes ? smr_log_gamma(sum) - parts : -smr_log(sum);
    return SMR_OK;
}

static smr_status take_matrix(smr_ctx *ctx, smr_vector_law *law, const double *S)
{
    smr_status st = SMR_OK;
    int64_t d = law->d, at = -1;
    const char *name = NAMES[law->kind];
    for (int64_t i = 0; i < d; i++)
        for (int64_t j = 0; j < i; j++)
            if (S[i * d + j] != S[i + j * d])
                return smr_fail(ctx, SMR_ERR_PARAM,
                                "the matrix of %s is not symmetric: %g in row %lld, column %lld, "
                                "but %g across the diagonal",
                                name, S[i * d + j], (long long)(i + 1), (long long)(j + 1),
                                S[i + j * d]);
    TRY_NEW(law->L, d * d);
    memcpy(law->L, S, (size_t)(d * d) * sizeof *S);
    TRY(smr_cholesky(ctx, d, law->L, d, &at));
    if (at >= 0)
        return smr_fail(ctx, SMR_ERR_NUMERIC,
                        "the matrix of %s is not positive definite: row %lld follows from those "
                        "before it, or contradicts them",
                        name, (long long)(at + 1));
out:
    return st;
}

static smr_status take_wishart(smr_ctx *ctx, smr_vector_law *law, const double *p)
{
    double d = (double)law->d, df = p[0];
    if (!(df > d - 1 && df <= 1e12))
        return smr_fail(ctx, SMR_ERR_PARAM, "df of %s is %g; it is above %g, up to 1e12",
                        NAMES[law->kind], df, d - 1);
    smr_status st = take_matrix(ctx, law, p + 1);
    if (st != SMR_OK) return st;
    double log_s = log_determinant(law->d, law->L);
    law->df = df;
    law->norm = (law->kind == WISHART ? -0.5 : 0.5) * df * log_s - 0.5 * df * d * LOG_2 -
                smr_log_gamma_multi(law->d, 0.5 * df);
    return SMR_OK;
}

static smr_status take_gaussian(smr_ctx *ctx, smr_vector_law *law, const double *p)
{
    for (int64_t j = 0; j < law->d; j++)
        if (!isfinite(p[j]))
            return smr_fail(ctx, SMR_ERR_PARAM, "mean %lld of %s is not a finite number",
                            (long long)(j + 1), NAMES[law->kind]);
    memcpy(law->p, p, (size_t)law->d * sizeof *p);
    smr_status st = take_matrix(ctx, law, p + law->d);
    if (st != SMR_OK) return st;
    law->norm = -0.5 * ((double)law->d * (LOG_2 + LOG_PI) + log_determinant(law->d, law->L));
    return SMR_OK;
}

smr_status smr_vector_law_create(smr_ctx *ctx, const char *name, const double *p, int64_t n,
                                 smr_vector_law **out)
{
    smr_status st = SMR_OK;
    smr_vector_law *law = NULL;
    int64_t kind = 0;
    *out = NULL;
    while (kind < N_KINDS && strcmp(NAMES[kind], name) != 0) kind++;
    if (kind == N_KINDS)
        return smr_fail(ctx, SMR_ERR_PARAM,
                        "there is no distribution \"%s\"; there are bernoulli, beta, binomial, "
                        "categorical, chi-square, dirichlet, exponential, gamma, gaussian, "
                        "inverse-gamma, inverse-wishart, multivariate-gaussian, poisson, student-t "
                        "and wishart",
                        name);
    int64_t d = size_of((enum vector_kind)kind, n);
    if (d < 1)
        return smr_fail(ctx, SMR_ERR_PARAM,
                        "%s of dimension d has %s parameters, but %lld are given", name,
                        kind <= DIRICHLET  ? "d"
                        : kind == GAUSSIAN ? "d + d x d"
                                           : "1 + d x d",
                        (long long)n);
    TRY_NEW(law, 1);
    *law = (smr_vector_law){.kind = (enum vector_kind)kind, .d = d};
    TRY_NEW(law->p, d);
    TRY(kind <= DIRICHLET  ? take_shares(ctx, law, p)
        : kind == GAUSSIAN ? take_gaussian(ctx, law, p)
                           : take_wishart(ctx, law, p));
    *out = law;
    law = NULL;
out:
    smr_vector_law_free(law);
    return st;
}

void smr_vector_law_free(smr_vector_law *law)
{
    if (!law) return;
    smr_free(law->p);
    smr_free(law->L);
    smr_free(law);
}

int64_t smr_vector_law_width(const smr_vector_law *law)
{
    return law->kind == CATEGORICAL ? 1 : law->kind >= WISHART ? law->d * law->d : law->d;
}

/* ---- densities -------------------------------------------------------------------------- */

static double share_log_density(const smr_vector_law *law, const double *x)
{
    double sum = 0;
    dd log_density = {law->norm, 0};
    if (law->kind == CATEGORICAL) {
        if (!(x[0] >= 0 && x[0] < (double)law->d && floor(x[0]) == x[0]))
            return isnan(x[0]) ? NAN : -INFINITY;
        double share = law->p[(int64_t)x[0]];
        return share > 0 ? smr_log(share) + law->norm : -INFINITY;
    }
    for (int64_t k = 0; k < law->d; k++) {
        if (isnan(x[k])) return NAN;
        if (!(x[k] >= 0 && x[k] <= 1)) return -INFINITY;
        sum += x[k];
        if (law->p[k] == 1) continue; /* 0 log 0 is 0 here */
        dd_add(&log_density, (law->p[k] - 1) * (x[k] > 0 ? smr_log(x[k]) : -INFINITY));
    }
    return fabs(sum - 1) > SHARES_OFF ? -INFINITY : dd_value(log_density);
}

/* room: d */
static double gaussian_log_density(const smr_vector_law *law, const double *x, double *room)
{
    double sum = 0;
    for (int64_t j = 0; j < law->d; j++) room[j] = x[j] - law->p[j];
    solve_lower(law->d, law->L, room);
    for (int64_t j = 0; j < law->d; j++) sum += room[j] * room[j];
    return isnan(sum) && !isnan(x[0]) ? -INFINITY : law->norm - 0.5 * sum;
}

/* room: d x d + d.  A matrix that is not positive definite has density 0. */
static smr_status wishart_log_density(smr_ctx *ctx, const smr_vector_law *law, const double *x,
                                      double *room, double *out)
{
    int64_t d = law->d, at;
    double *M = room, *vector = room + d * d, size = (double)d;
    memcpy(M, x, (size_t)(d * d) * sizeof *M);
    smr_status st = smr_cholesky(ctx, d, M, d, &at);
    if (st != SMR_OK) return st;
    *out = -INFINITY;
    if (at >= 0) return SMR_OK;
    double log_x = log_determinant(d, M);
    if (law->kind == WISHART)
        *out = law->norm +
               0.5 * ((law->df - size - 1) * log_x - norm_of_quotient(d, law->L, M, vector));
    else
        *out = law->norm -
               0.5 * ((law->df + size + 1) * log_x + norm_of_quotient(d, M, law->L, vector));
    return SMR_OK;
}

smr_status smr_vector_law_log_density(smr_ctx *ctx, const smr_vector_law *law, int64_t n,
                                      const double *x, double *out)
{
    smr_status st = SMR_OK;
    double *room = NULL;
    int64_t width = smr_vector_law_width(law);
    TRY_NEW(room, law->d * law->d + law->d);
    for (int64_t i = 0; i < n; i++, x += width) {
        if (law->kind <= DIRICHLET)
            out[i] = share_log_density(law, x);
        else if (law->kind == GAUSSIAN)
            out[i] = gaussian_log_density(law, x, room);
        else
            TRY(wishart_log_density(ctx, law, x, room, out + i));
    }
out:
    smr_free(room);
    return st;
}

/* ---- draws ------------------------------------------------------------------------------ */

static void draw_shares(const smr_vector_law *law, smr_draw *draw, double *x)
{
    double sum = 0, most = -INFINITY;
    if (law->kind == CATEGORICAL) {
        double u = smr_draw_unit(draw) * smr_exp(-law->norm);
        int64_t k = 0, last = 0;
        for (; k < law->d && !(u < sum + law->p[k]); k++) {
            sum += law->p[k];
            if (law->p[k] > 0) last = k;
        }
        *x = (double)(k < law->d ? k : last);
        return;
    }
    for (int64_t k = 0; k < law->d; k++) {
        x[k] = smr_draw_log_gamma(draw, law->p[k]);
        most = smr_fmax(most, x[k]);
    }
    for (int64_t k = 0; k < law->d; k++) sum += x[k] = smr_exp(x[k] - most);
    for (int64_t k = 0; k < law->d; k++) x[k] /= sum;
}

static void draw_gaussian(const smr_vector_law *law, smr_draw *draw, double *x)
{
    memcpy(x, law->p, (size_t)law->d * sizeof *x);
    for (int64_t j = 0; j < law->d; j++) {
        double z = smr_draw_normal(draw);
        for (int64_t i = j; i < law->d; i++) x[i] += z * law->L[i + j * law->d];
    }
}

/* A of Bartlett's decomposition, by columns. */
static void draw_triangle(const smr_vector_law *law, smr_draw *draw, double *A)
{
    int64_t d = law->d;
    for (int64_t j = 0; j < d; j++) {
        double half = 0.5 * (law->df - (double)j);
        A[j + j * d] = smr_exp(0.5 * (LOG_2 + smr_draw_log_gamma(draw, half)));
        for (int64_t i = j + 1; i < d; i++) A[i + j * d] = smr_draw_normal(draw);
    }
}

/* room: 2 d x d */
static void draw_matrix(const smr_vector_law *law, smr_draw *draw, double *room, double *x)
{
    int64_t d = law->d;
    double *A = room, *B = room + d * d; /* x = B' B, column j of B is that of A' L', or A^-1 L' */
    draw_triangle(law, draw, A);
    memset(B, 0, (size_t)(d * d) * sizeof *B);
    for (int64_t j = 0; j < d; j++) {
        double *b = B + j * d;
        if (law->kind == WISHART)
            for (int64_t k = 0; k <= j; k++)
                for (int64_t i = k; i <= j; i++) b[k] += A[i + k * d] * law->L[j + i * d];
        else {
            for (int64_t i = 0; i <= j; i++) b[i] = law->L[j + i * d];
            solve_lower(d, A, b);
        }
    }
    for (int64_t i = 0; i < d; i++)
        for (int64_t j = 0; j <= i; j++) {
            double sum = 0;
            for (int64_t k = 0; k < d; k++) sum += B[k + i * d] * B[k + j * d];
            x[i * d + j] = x[i + j * d] = sum;
        }
}

smr_status smr_vector_law_draw(smr_ctx *ctx, const smr_vector_law *law, uint64_t seed,
                               smr_stream stream, int64_t n, double *out)
{
    smr_status st = SMR_OK;
    double *room = NULL;
    int64_t width = smr_vector_law_width(law);
    TRY_NEW(room, 2 * law->d * law->d);
    for (int64_t i = 0; i < n; i++, out += width) {
        smr_draw draw = {.seed = seed, .stream = stream, .at = (uint64_t)i};
        if (law->kind <= DIRICHLET)
            draw_shares(law, &draw, out);
        else if (law->kind == GAUSSIAN)
            draw_gaussian(law, &draw, out);
        else
            draw_matrix(law, &draw, room, out);
    }
out:
    smr_free(room);
    return st;
}
