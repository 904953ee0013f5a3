/* best_subset.c -- see best_subset.h: the greedy searches, by sweeping.
 *
 * Sweeping the matrix A = [X'X X'y; y'X y'y] on the columns of S leaves, for i, j in S and k, l
 * outside it,
 *
 *     A_ij = -(X_S'X_S)^-1_ij,  A_ik = coefficient of i in the fit of column k on S,
 *     A_kl = products of what S leaves of columns k and l;   y is the last column               (1)
 *
 * so that for any column c, inside or outside, exchanging its place changes RSS = A_yy by
 *
 *     RSS' = RSS - A_cy^2 / A_cc                                                                (2)
 *
 * and exchanging two of them by the quadratic form of (A_iy, A_jy) in their 2 x 2 block.  A sweep
 * costs m^2 / 2 and is undone by another one; a table that was swept more than REFRESH times is
 * made anew, so that rounding does not pile up. */
#include "math/best_subset.h"

#include "core/sort.h"
#include "kernel/kernel.h"
#include "math/best_subset_parts.h"

#include <math.h>
#include <string.h>

enum { REFRESH = 256 };

/* ---- the problem ------------------------------------------------------------------------ */

void smr_unit_problem_release(struct smr_unit_problem *u)
{
    smr_free(u->A);
    *u = (struct smr_unit_problem){0};
}

smr_status smr_unit_problem_create(smr_ctx *ctx, const smr_gram_problem *p,
                                   struct smr_unit_problem *u)
{
    smr_status st = SMR_OK;
    int64_t d = p->d, m = d + 1;
    double *unit = NULL;
    *u = (struct smr_unit_problem){.d = d, .m = m, .yy = p->yy};
    TRY_NEW(u->A, m * m);
    TRY_NEW(unit, m);
    for (int64_t j = 0; j < m; j++) {
        double size = j < d ? p->G[j * p->stride + j] : p->yy;
        unit[j] = size > 0 ? 1 / sqrt(size) : 0;
    }
    for (int64_t i = 0; i < m; i++)
        for (int64_t j = 0; j < m; j++) {
            double g = i < d && j < d ? p->G[i * p->stride + j]
                       : i < d        ? p->c[i]
                       : j < d        ? p->c[j]
                                      : p->yy;
            u->A[i * m + j] = i == j && unit[i] > 0 ? 1 : g * unit[i] * unit[j];
        }
out:
    smr_free(unit);
    if (st != SMR_OK) smr_unit_problem_release(u);
    return st;
}

void smr_best_offer(struct smr_best *best, int64_t k, const int32_t *column, double rss)
{
    best->n_seen++;
    if (k > best->most || !smr_best_may_fall(best, k, rss)) return;
    best->rss[k] = rss;
    if (k > 0) memcpy(best->column + k * (k - 1) / 2, column, (size_t)k * sizeof *column);
}

/* ---- the swept table -------------------------------------------------------------------- */

struct table {
    const struct smr_unit_problem *unit;
    int64_t d, m, k;
    double *A;
    bool *in, *asked; /* d */
    int32_t *column;  /* d: those that are in, in no order */
    int64_t sweeps;   /* since it was made */
};

static smr_status create_table(smr_ctx *ctx, const struct smr_unit_problem *unit, struct table *t)
{
    smr_status st = SMR_OK;
    *t = (struct table){.unit = unit, .d = unit->d, .m = unit->m};
    TRY_NEW(t->A, t->m * t->m);
    TRY_NEW(t->in, t->d + 1);
    TRY_NEW(t->asked, t->d + 1);
    TRY_NEW(t->column, t->d + 1);
    memcpy(t->A, unit->A, (size_t)(t->m * t->m) * sizeof *t->A);
out:
    return st;
}

static void release_table(struct table *t)
{
    smr_free(t->A);
    smr_free(t->in);
    smr_free(t->asked);
    smr_free(t->column);
}

static double rss_of(const struct table *t)
{
    return smr_fmax(0, t->A[t->m * t->m - 1]);
}

/* The table with column c swept, in or out: (1). */
static void sweep(struct table *t, int64_t c)
{
    int64_t m = t->m;
    double *A = t->A, *row = A + c * m, pivot = row[c], sign = t->in[c] ? -1 : 1;
    for (int64_t i = 0; i < m; i++) {
        double f = A[i * m + c] / pivot, *Ai = A + i * m;
        if (i == c || f == 0) continue;
        smr_axpy_f64(m, -f, row, Ai); /* the entry of c is set below */
    }
    for (int64_t i = 0; i < m; i++)
        if (i != c) A[i * m + c] = row[i] = sign * row[i] / pivot;
    row[c] = -1 / pivot;
}

static void toggle(struct table *t, int64_t c)
{
    sweep(t, c);
    t->sweeps++;
    if (!t->in[c]) {
        t->column[t->k++] = (int32_t)c;
    } else {
        int64_t at = 0;
        while (t->column[at] != c) at++;
        memmove(t->column + at, t->column + at + 1, (size_t)(--t->k - at) * sizeof *t->column);
    }
    t->in[c] = !t->in[c];
}

/* The table of n columns, from the beginning. */
static void restart(struct table *t, int64_t n, const int32_t *column)
{
    memcpy(t->A, t->unit->A, (size_t)(t->m * t->m) * sizeof *t->A);
    memset(t->in, 0, (size_t)t->d * sizeof *t->in);
    t->k = t->sweeps = 0;
    for (int64_t i = 0; i < n; i++)
        if (t->A[column[i] * t->m + column[i]] > SMR_SUBSET_NOISE) toggle(t, column[i]);
}

static bool may_enter(const struct table *t, int64_t j)
{
    return !t->in[j] && t->A[j * t->m + j] > SMR_SUBSET_NOISE;
}

/* The table of n columns, from the one that is there where that is nearer: neighbours of a subset
 * differ from it by a few columns, and each that need not be swept saves m^2. */
static void go_to(struct table *t, int64_t n, const int32_t *column)
{
    int64_t common = 0;
    for (int64_t i = 0; i < n; i++) {
        t->asked[column[i]] = true;
        common += t->in[column[i]];
    }
    bool near = t->k + n - 2 * common < n && t->sweeps < REFRESH + n;
    if (!near) restart(t, n, column);
    for (int64_t i = t->k; near && i-- > 0;)
        if (!t->asked[t->column[i]]) toggle(t, t->column[i]);
    for (int64_t i = 0; i < n; i++) {
        if (near && may_enter(t, column[i])) toggle(t, column[i]);
        t->asked[column[i]] = false;
    }
}

static void refresh(struct table *t, int32_t *scratch)
{
    int64_t k = t->k;
    if (t->sweeps < REFRESH + k) return;
    memcpy(scratch, t->column, (size_t)k * sizeof *scratch);
    restart(t, k, scratch);
}

/* What (2) takes from RSS. */
static double gain(const struct table *t, int64_t c)
{
    double a = t->A[c * t->m + t->m - 1];
    return a * a / t->A[c * t->m + c];
}

static int64_t best_entry(const struct table *t)
{
    int64_t best = -1;
    double most = -1;
    for (int64_t j = 0; j < t->d; j++) {
        double g = may_enter(t, j) ? gain(t, j) : -1;
        if (g > most + 1e-15) {
            most = g;
            best = j;
        }
    }
    return best;
}

/* The later of equal ones goes: the lower numbers stay. */
static int64_t best_exit(const struct table *t)
{
    int64_t best = -1;
    double most = -INFINITY;
    for (int64_t j = t->d; j-- > 0;) {
        double g = t->in[j] ? gain(t, j) : -INFINITY;
        if (t->in[j] && g > most + 1e-15) {
            most = g;
            best = j;
        }
    }
    return best;
}

/* ---- forward and backward --------------------------------------------------------------- */

static smr_status go_forward(smr_ctx *ctx, struct table *t, struct smr_best *best)
{
    smr_status st = SMR_OK;
    smr_best_offer(best, t->k, t->column, rss_of(t));
    while (t->k < best->most) {
        TRY(smr_tick(ctx, "choosing columns", t->k, best->most, rss_of(t)));
        int64_t j = best_entry(t);
        if (j < 0) break;
        toggle(t, j);
        smr_best_offer(best, t->k, t->column, rss_of(t));
    }
out:
    return st;
}

static smr_status go_backward(smr_ctx *ctx, struct table *t, struct smr_best *best)
{
    smr_status st = SMR_OK;
    for (int64_t j = 0; j < t->d; j++)
        if (may_enter(t, j)) toggle(t, j);
    smr_best_offer(best, t->k, t->column, rss_of(t));
    for (int64_t left = t->k; left > 0; left--) {
        TRY(smr_tick(ctx, "dropping columns", t->d - left, t->d, rss_of(t)));
        toggle(t, best_exit(t));
        smr_best_offer(best, t->k, t->column, rss_of(t));
    }
out:
    return st;
}

/* ---- swaps ------------------------------------------------------------------------------ */

/* What exchanging column i, which is in, for j takes from RSS; -1 where j would add nothing. */
static double swap_gain(const struct table *t, int64_t i, int64_t j)
{
    const double *Ai = t->A + i * t->m, *Aj = t->A + j * t->m;
    int64_t y = t->m - 1;
    double left = Aj[j] - Ai[j] * Ai[j] / Ai[i], with_y = Aj[y] - Ai[j] * Ai[y] / Ai[i];
    return left > SMR_SUBSET_NOISE ? Ai[y] * Ai[y] / Ai[i] + with_y * with_y / left : -1;
}

/* Exchanges columns as long as that lowers RSS by more than rounding. */
static smr_status improve(smr_ctx *ctx, struct table *t, struct smr_best *best, int32_t *scratch)
{
    smr_status st = SMR_OK;
    for (;;) {
        double most = 1e-12 * smr_fmax(rss_of(t), 1e-3);
        int64_t out_ = -1, in = -1;
        TRY(smr_tick(ctx, "swapping columns", t->k, best->most, rss_of(t)));
        for (int64_t a = 0; a < t->k; a++)
            for (int64_t j = 0; j < t->d; j++) {
                double g = t->in[j] ? -1 : swap_gain(t, t->column[a], j);
                if (g > most) {
                    most = g;
                    out_ = t->column[a];
                    in = j;
                }
            }
        if (in < 0) break;
        toggle(t, out_);
        toggle(t, in);
        refresh(t, scratch);
        smr_best_offer(best, t->k, t->column, rss_of(t));
    }
out:
    return st;
}

/* From a subset of n columns to a local optimum. */
static smr_status improve_from(smr_ctx *ctx, struct table *t, int64_t n, const int32_t *column,
                               struct smr_best *best, int32_t *scratch)
{
    go_to(t, n, column);
    if (t->k > 0) smr_best_offer(best, t->k, t->column, rss_of(t));
    return improve(ctx, t, best, scratch);
}

/* The columns by how far they go with y, descending. */
static smr_status by_correlation(smr_ctx *ctx, const struct smr_unit_problem *u, int32_t *column)
{
    smr_status st = SMR_OK;
    double *key = NULL;
    int64_t *order = NULL;
    TRY_NEW(key, u->d + 1);
    TRY_NEW(order, u->d + 1);
    for (int64_t j = 0; j < u->d; j++) key[j] = -fabs(u->A[j * u->m + u->d]);
    TRY(smr_argsort_f64(ctx, u->d, key, order));
    for (int64_t j = 0; j < u->d; j++) column[j] = (int32_t)order[j];
out:
    smr_free(key);
    smr_free(order);
    return st;
}

struct swapping {
    struct table *t;
    struct smr_best *best;
    struct smr_best forward, backward;
    int32_t *ranked; /* d */
    int32_t *scratch;
};

static smr_status improve_size(smr_ctx *ctx, struct swapping *s, int64_t k)
{
    smr_status st = SMR_OK;
    int64_t at = k * (k - 1) / 2;
    if (isfinite(s->forward.rss[k]))
        TRY(improve_from(ctx, s->t, k, s->forward.column + at, s->best, s->scratch));
    if (isfinite(s->backward.rss[k]))
        TRY(improve_from(ctx, s->t, k, s->backward.column + at, s->best, s->scratch));
    TRY(improve_from(ctx, s->t, k, s->ranked, s->best, s->scratch));
out:
    return st;
}

/* From the best of size k, one more or one less. */
static smr_status improve_neighbour(smr_ctx *ctx, struct swapping *s, int64_t k, bool grow)
{
    if (!isfinite(s->best->rss[k])) return SMR_OK;
    go_to(s->t, k, s->best->column + k * (k - 1) / 2);
    int64_t c = grow ? best_entry(s->t) : best_exit(s->t);
    if (c < 0) return SMR_OK;
    toggle(s->t, c);
    smr_best_offer(s->best, s->t->k, s->t->column, rss_of(s->t));
    return improve(ctx, s->t, s->best, s->scratch);
}

static smr_status create_best(smr_ctx *ctx, int64_t most, struct smr_best *best)
{
    smr_status st = SMR_OK;
    *best = (struct smr_best){.most = most};
    TRY_NEW(best->rss, most + 1);
    TRY_NEW(best->column, most * (most + 1) / 2 + 1);
    for (int64_t k = 0; k <= most; k++) best->rss[k] = INFINITY;
out:
    return st;
}

static void release_best(struct smr_best *best)
{
    smr_free(best->rss);
    smr_free(best->column);
}

static smr_status go_swapping(smr_ctx *ctx, struct table *t, struct smr_best *best)
{
    smr_status st = SMR_OK;
    struct swapping s = {.t = t, .best = best};
    TRY(create_best(ctx, best->most, &s.forward));
    TRY(create_best(ctx, best->most, &s.backward));
    TRY_NEW(s.ranked, t->d + 1);
    TRY_NEW(s.scratch, t->d + 1);
    TRY(by_correlation(ctx, t->unit, s.ranked));
    TRY(go_forward(ctx, t, &s.forward));
    restart(t, 0, NULL);
    TRY(go_backward(ctx, t, &s.backward));
    smr_best_offer(best, 0, NULL, 1);
    for (int64_t k = 1; k <= best->most; k++) TRY(improve_size(ctx, &s, k));
    for (int64_t k = 1; k < best->most; k++) TRY(improve_neighbour(ctx, &s, k, true));
    for (int64_t k = best->most; k > 1; k--) TRY(improve_neighbour(ctx, &s, k, false));
    best->n_seen += s.forward.n_seen + s.backward.n_seen;
out:
    release_best(&s.forward);
    release_best(&s.backward);
    smr_free(s.ranked);
    smr_free(s.scratch);
    return st;
}

/* ---- all -------------------------------------------------------------------------------- */

static smr_status search_by(smr_ctx *ctx, const struct smr_unit_problem *unit,
                            smr_subset_method method, struct smr_best *best)
{
    smr_status st = SMR_OK;
    struct table t = {0};
    TRY(create_table(ctx, unit, &t));
    switch (method) {
    case SMR_SUBSET_FORWARD: TRY(go_forward(ctx, &t, best)); break;
    case SMR_SUBSET_BACKWARD: TRY(go_backward(ctx, &t, best)); break;
    case SMR_SUBSET_SWAP: TRY(go_swapping(ctx, &t, best)); break;
    case SMR_SUBSET_EXHAUSTIVE: /* what forward finds bounds the search from its beginning */
        TRY(go_forward(ctx, &t, best));
        TRY(smr_subsets_bound(ctx, unit, best));
        break;
    }
out:
    release_table(&t);
    return st;
}

static void sort_columns(int64_t k, int32_t *column)
{
    for (int64_t i = 1; i < k; i++) {
        int32_t c = column[i];
        int64_t at = i;
        for (; at > 0 && column[at - 1] > c; at--) column[at] = column[at - 1];
        column[at] = c;
    }
}

/* The best of k - 1 columns and the first other one that does not depend on them: where columns are
 * left that add nothing, a search may have met something worse for size k. */
static smr_status add_any(smr_ctx *ctx, const smr_gram_problem *p, int64_t k, int32_t *column,
                          double *w, double *inverse)
{
    smr_status st = SMR_OK;
    memcpy(column, column - (k - 1), (size_t)(k - 1) * sizeof *column);
    for (int32_t j = 0; j < p->d; j++) {
        bool in = false;
        for (int64_t i = 0; i < k - 1; i++) in = in || column[i] == j;
        if (in) continue;
        column[k - 1] = j;
        TRY(smr_subset_solve(ctx, p, k, column, w, inverse, NULL));
        if (!isnan(inverse[k - 1])) break;
    }
out:
    return st;
}

/* The subsets in order, with the RSS of a factorisation of their own. */
static smr_status hand_over(smr_ctx *ctx, const smr_gram_problem *problem, struct smr_best *best,
                            smr_subsets *out)
{
    smr_status st = SMR_OK;
    double *w = NULL, *inverse = NULL;
    struct smr_subset_factor f = {0};
    TRY_NEW(w, best->most + 1);
    TRY_NEW(inverse, best->most + 1);
    TRY(smr_subset_factor_create(ctx, best->most, &f));
    *out = (smr_subsets){.n_seen = best->n_seen};
    for (int64_t k = 0; k <= best->most && isfinite(best->rss[k]); k++) {
        int32_t *column = best->column + k * (k - 1) / 2;
        TRY(smr_tick(ctx, "choosing columns", k, best->most, NAN));
        best->rss[k] = smr_subset_factor_columns(&f, problem, k, column);
        if (k > 0 && best->rss[k] > best->rss[k - 1]) {
            best->rss[k] = best->rss[k - 1];
            TRY(add_any(ctx, problem, k, column, w, inverse));
        }
        sort_columns(k, column);
        out->most = k;
    }
    out->rss = best->rss;
    out->column = best->column;
    best->rss = NULL;
    best->column = NULL;
out:
    smr_subset_factor_release(&f);
    smr_free(w);
    smr_free(inverse);
    return st;
}

smr_status smr_subsets_search(smr_ctx *ctx, const smr_gram_problem *problem,
                              smr_subset_method method, int64_t most, smr_subsets *out)
{
    smr_status st = SMR_OK;
    struct smr_unit_problem unit = {0};
    struct smr_best best = {0};
    *out = (smr_subsets){0};
    if (method == SMR_SUBSET_EXHAUSTIVE && problem->d > SMR_SUBSET_MOST)
        return smr_fail(ctx, SMR_ERR_PARAM,
                        "an exhaustive search goes up to %d columns; %lld are given: use swap",
                        SMR_SUBSET_MOST, (long long)problem->d);
    TRY(smr_unit_problem_create(ctx, problem, &unit));
    TRY(create_best(ctx, SMR_MIN(most, problem->d), &best));
    TRY(search_by(ctx, &unit, method, &best));
    TRY(hand_over(ctx, problem, &best, out));
out:
    smr_unit_problem_release(&unit);
    release_best(&best);
    return st;
}

void smr_subsets_release(smr_subsets *s)
{
    smr_free(s->rss);
    smr_free(s->column);
    *s = (smr_subsets){0};
}
