/* graph_spectrum.c -- the smallest eigenvalues of a Laplacian: graph.h.
 *
 * Each part of a graph has an eigenvalue 0, whose vector is known; the others are found orthogonal
 * to these by Lanczos's method (lanczos.h), over products with the entries.  Where it has not ended
 * after some products, the values found are bounds from above of those wanted: a Chebyshev filter,
 * small from there to the top of the spectrum, tears the wanted ones apart, and the search goes on
 * with it.  Values and residuals are always those of the Laplacian itself. */
#include "core/parallel.h"
#include "core/sort.h"
#include "math/graph.h"

#include <math.h>
#include <string.h>

enum { ROWS = 2048, ALONE = 1 << 15, FIRST_PRODUCTS = 300, MOST_DEGREE = 400, BLOCK = 4 };

struct laplacian {
    const smr_graph *g;
    bool plain;
    double *scale; /* d^-1/2, 0 where d is 0; plain: m^-1/2, NULL where all are 1 */
    double top;    /* no eigenvalue is above                                      */
};

struct product {
    const struct laplacian *l;
    int64_t k, ldx, ldy;
    const double *X;
    double *Y;
};

static smr_status multiply_rows(smr_ctx *ctx, void *arg, int64_t task, int lane)
{
    const struct product *p = arg;
    const smr_graph *g = p->l->g;
    const double *s = p->l->scale;
    int64_t end = smr_block_end(g->n, ROWS, task);
    (void)ctx, (void)lane;
    for (int64_t c = 0; c < p->k; c++) {
        const double *x = p->X + c * p->ldx;
        double *y = p->Y + c * p->ldy;
        for (int64_t i = task * ROWS; i < end; i++) {
            double sum = 0, own = g->own ? g->own[i] : 0;
            for (int64_t e = g->start[i]; e < g->start[i + 1]; e++)
                sum += g->weight[e] * (s ? s[g->to[e]] * x[g->to[e]] : x[g->to[e]]);
            if (!s)
                y[i] = (g->degree[i] - own) * x[i] - sum;
            else if (p->l->plain)
                y[i] = s[i] * ((g->degree[i] - own) * s[i] * x[i] - sum);
            else
                y[i] = s[i] > 0 ? x[i] - s[i] * (sum + own * s[i] * x[i]) : 0;
        }
    }
    return SMR_OK;
}

static smr_status multiply(smr_ctx *ctx, void *arg, int64_t k, const double *X, int64_t ldx,
                           double *Y, int64_t ldy)
{
    const struct laplacian *l = arg;
    struct product p = {l, k, ldx, ldy, X, Y};
    int64_t n = l->g->n, n_tasks = smr_block_count(n, ROWS);
    if ((n + l->g->start[n]) * k > ALONE)
        return smr_parallel(ctx, NULL, n_tasks, multiply_rows, &p);
    for (int64_t t = 0; t < n_tasks; t++) (void)multiply_rows(ctx, &p, t, 0);
    return SMR_OK;
}

static smr_status open_laplacian(smr_ctx *ctx, const smr_graph *g, smr_laplacian kind,
                                 struct laplacian *l)
{
    smr_status st = SMR_OK;
    *l = (struct laplacian){.g = g, .plain = kind == SMR_LAPLACIAN_PLAIN, .top = 2};
    if (l->plain) l->top = 0;
    for (int64_t i = 0; l->plain && i < g->n; i++) {
        double links = g->degree[i] - (g->own ? g->own[i] : 0);
        l->top = smr_fmax(l->top, 2 * links / (g->mass ? g->mass[i] : 1));
    }
    if (l->plain && !g->mass) return SMR_OK;
    TRY_NEW(l->scale, g->n);
    for (int64_t i = 0; i < g->n; i++) {
        double by = l->plain ? g->mass[i] : g->degree[i];
        l->scale[i] = by > 0 ? 1 / sqrt(by) : 0;
    }
out:
    return st;
}

/* By which a node counts in the vectors that are orthonormal. */
static double size_of(const struct laplacian *l, int64_t i)
{
    double size = l->g->mass ? l->g->mass[i] : 1;
    return l->plain || !(l->g->degree[i] > 0) ? size : l->g->degree[i];
}

double smr_graph_form(const smr_graph *g, const double *f)
{
    double sum = 0;
    for (int64_t i = 0; i < g->n; i++)
        for (int64_t e = g->start[i]; e < g->start[i + 1]; e++) {
            double t = f[i] - f[g->to[e]];
            sum += g->weight[e] * t * t;
        }
    return sum / 2;
}

void smr_graph_times(const smr_graph *g, smr_laplacian kind, const double *f, double *y)
{
    for (int64_t i = 0; i < g->n; i++) {
        double own = g->own ? g->own[i] : 0, mass = g->mass ? g->mass[i] : 1;
        double sum = own * f[i], degree = g->degree[i];
        for (int64_t e = g->start[i]; e < g->start[i + 1]; e++) {
            int32_t j = g->to[e];
            double by = kind == SMR_LAPLACIAN_SYMMETRIC ? sqrt(degree / g->degree[j]) : 1;
            if (kind == SMR_LAPLACIAN_SYMMETRIC && g->mass) by *= sqrt(g->mass[j] / mass);
            sum += g->weight[e] * f[j] * by;
        }
        if (kind == SMR_LAPLACIAN_PLAIN)
            y[i] = (degree * f[i] - sum) / mass;
        else
            y[i] = degree > 0 ? f[i] - sum / degree : 0;
    }
}

/* ---- what is known ---------------------------------------------------------------------- */

/* The vectors of the first `most` parts, of length 1, by columns. */
static smr_status known_vectors(smr_ctx *ctx, const struct laplacian *l, const int32_t *part,
                                int64_t most, double *vector)
{
    smr_status st = SMR_OK;
    const smr_graph *g = l->g;
    double *sum = NULL;
    TRY_NEW(sum, most + 1);
    for (int64_t i = 0; i < g->n; i++)
        if (part[i] < most) sum[part[i]] += size_of(l, i);
    for (int64_t i = 0; i < g->n; i++) {
        if (part[i] >= most) continue;
        vector[i + part[i] * g->n] = sqrt(size_of(l, i) / sum[part[i]]);
    }
out:
    smr_free(sum);
    return st;
}

/* ---- the search ------------------------------------------------------------------------- */

struct searching {
    struct laplacian l;
    smr_operator A;
    double tol;
    const double *known;
    int64_t n_known, k; /* wanted besides */
};

/* The filter may leave a value out that rounding of its products hides; so values are those of A,
 * sorted. */
static smr_status measure(smr_ctx *ctx, struct searching *s, smr_eigenpairs *p)
{
    smr_status st = SMR_OK;
    int64_t n = p->n, *order = NULL;
    double *Y = NULL, *value = NULL, *sorted = NULL;
    TRY_NEW(Y, n * p->k);
    TRY_NEW(value, p->k);
    TRY_NEW(order, p->k);
    TRY_NEW(sorted, n * p->k);
    TRY(s->A.times(ctx, s->A.arg, p->k, p->vector, n, Y, n));
    for (int64_t c = 0; c < p->k; c++)
        for (int64_t i = 0; i < n; i++) value[c] += p->vector[i + c * n] * Y[i + c * n];
    TRY(smr_argsort_f64(ctx, p->k, value, order));
    p->converged = true;
    for (int64_t c = 0; c < p->k; c++) {
        double square = 0;
        const double *x = p->vector + order[c] * n, *y = Y + order[c] * n;
        for (int64_t i = 0; i < n; i++) {
            double t = y[i] - value[order[c]] * x[i];
            square += t * t;
        }
        memcpy(sorted + c * n, x, (size_t)n * sizeof *x);
        p->value[c] = value[order[c]];
        p->residual[c] = sqrt(square);
        p->converged = p->converged && p->residual[c] <= s->tol * s->l.top;
    }
    memcpy(p->vector, sorted, (size_t)(n * p->k) * sizeof *sorted);
out:
    smr_free(Y);
    smr_free(value);
    smr_free(order);
    smr_free(sorted);
    return st;
}

static smr_status filtered(smr_ctx *ctx, struct searching *s, const smr_eigenpairs *first,
                           smr_eigenpairs *out)
{
    smr_status st = SMR_OK;
    smr_filter f = {0};
    smr_eigenpairs found = {0};
    double low = smr_fmin(1.1 * first->value[s->k - 1] + 1e-9 * s->l.top, 0.9 * s->l.top);
    double gap = low / (s->l.top - low);
    int64_t degree = SMR_MAX(8, SMR_MIN(MOST_DEGREE, (int64_t)(2 / sqrt(gap))));
    TRY(smr_filter_create(ctx, &s->A, low, s->l.top, 0, degree, BLOCK, &f));
    smr_operator B = smr_filter_operator(&f);
    smr_lanczos_opts opts = {.k = s->k,
                             .block = SMR_MIN(BLOCK, SMR_MAX(1, s->k)),
                             .basis = SMR_MIN(s->A.n - s->n_known, 2 * s->k + 24),
                             .tol = s->tol /
                                    10, /* residuals of A are larger than those of the filter */
                             .max_products = 4000,
                             .known = s->known,
                             .n_known = s->n_known,
                             .what = "eigenvectors"};
    TRY(smr_lanczos(ctx, &B, &opts, &found));
    TRY(measure(ctx, s, &found));
    *out = found;
    found = (smr_eigenpairs){0};
out:
    smr_eigenpairs_release(&found);
    smr_filter_release(&f);
    return st;
}

static smr_status search(smr_ctx *ctx, struct searching *s, smr_eigenpairs *out)
{
    smr_status st = SMR_OK;
    smr_eigenpairs first = {0};
    bool small = s->A.n <= 2 * FIRST_PRODUCTS;
    smr_lanczos_opts opts = {.k = s->k,
                             .smallest = true,
                             .tol = s->tol,
                             .max_products = small ? 0 : FIRST_PRODUCTS,
                             .sure = small,
                             .known = s->known,
                             .n_known = s->n_known,
                             .what = "eigenvectors"};
    TRY(smr_lanczos(ctx, &s->A, &opts, &first));
    if (first.converged || small) {
        *out = first;
        return SMR_OK;
    }
    TRY(filtered(ctx, s, &first, out));
out:
    smr_eigenpairs_release(&first);
    return st;
}

/* ---- what is given ---------------------------------------------------------------------- */

/* Back from the variables of the search: of walk D^-1/2 u, of others M^-1/2 u.  Of the entries that
 * are as large as the largest, the first is positive; a length as graph.h says. */
static void dress(const struct laplacian *l, bool walk, double *u)
{
    const smr_graph *g = l->g;
    int64_t at = -1;
    double most = 0, square = 0, total = 0;
    for (int64_t i = 0; i < g->n; i++) {
        double size = g->mass ? g->mass[i] : 1;
        if (walk && l->scale[i] > 0) {
            u[i] *= l->scale[i];
            size = g->degree[i];
        } else if (g->mass) {
            u[i] /= sqrt(size);
        }
        most = smr_fmax(most, fabs(u[i]));
        square += size * u[i] * u[i];
        total += size;
    }
    while (++at < g->n - 1 && fabs(u[at]) < most * (1 - 1e-9)) continue;
    double by = sqrt(total / square);
    if (u[at] < 0) by = -by;
    for (int64_t i = 0; i < g->n; i++) u[i] *= by;
}

smr_status smr_graph_spectrum(smr_ctx *ctx, const smr_graph *g, smr_laplacian kind,
                              const int32_t *part, int64_t n_parts, int64_t k, double tol,
                              smr_graph_vectors *out)
{
    smr_status st = SMR_OK;
    struct searching s = {.tol = tol, .n_known = SMR_MIN(k, n_parts)};
    smr_eigenpairs found = {0};
    int64_t n = g->n;
    *out = (smr_graph_vectors){.n = n, .k = k, .converged = true};
    s.k = k - s.n_known;
    TRY(open_laplacian(ctx, g, kind, &s.l));
    s.A = (smr_operator){n, multiply, &s.l};
    TRY_NEW(out->value, k);
    TRY_NEW(out->vector, n * k);
    TRY(known_vectors(ctx, &s.l, part, s.n_known, out->vector));
    s.known = out->vector;
    if (s.k > 0) {
        TRY(search(ctx, &s, &found));
        out->converged = found.converged;
        memcpy(out->vector + s.n_known * n, found.vector, (size_t)(s.k * n) * sizeof *found.vector);
        for (int64_t c = 0; c < s.k; c++) out->value[s.n_known + c] = smr_fmax(0, found.value[c]);
    }
    for (int64_t c = 0; c < k; c++) dress(&s.l, kind == SMR_LAPLACIAN_WALK, out->vector + c * n);
out:
    smr_free(s.l.scale);
    smr_eigenpairs_release(&found);
    if (st != SMR_OK) smr_graph_vectors_release(out);
    return st;
}

void smr_graph_vectors_release(smr_graph_vectors *s)
{
    smr_free(s->value);
    smr_free(s->vector);
    *s = (smr_graph_vectors){0};
}
