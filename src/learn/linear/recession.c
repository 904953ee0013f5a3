/* recession.c -- see recession.h.
 *
 * Blocks: V has q of them, d numbers each; the first of several classes stays at 0, as only
 * differences count.  A pair's gradient is +z in one block and -z in another.  z is the row in
 * whitened variables (whitened.h): directions that only the last digits of collinear columns tell
 * apart are then neither lost among the others nor taken for 0. */
#include "learn/linear/recession.h"

#include "core/rng.h"
#include "kernel/kernel.h"
#include "learn/linear/whitened.h"
#include "math/factor.h"
#include "math/optimize/hulls.h"

#include <math.h>
#include <string.h>

enum { TRIES = 12, PROBES = 8, FEW = 4000000 };
#define ROUNDING 1e-10 /* a margin this small against its row is 0               */
#define LEAST 1e-8     /* shares below it are not taken for a proof               */
#define RANK 1e-12     /* eigenvalues below it, relatively, are 0                 */
#define PART 1e-5      /* a smaller part in a point that is nearly 0 proves nothing   */
#define NEAR 1e-6      /* hulls of unit vectors that are this near, and have no V, meet */

struct search {
    const smr_recession_problem *p;
    smr_whitened rows;
    int64_t n, k, q, d, D; /* d of a block, D = q d */
    int64_t m;             /* dimensions left       */
    double *N;             /* D x m, by columns: where V may lie */
    double *M, *R, *value; /* D x D, D x D, D       */
    double *scores;        /* q x n                 */
    double *size;          /* n: about |z|          */
    double *u, *G;         /* n; d x d              */
    double *V, *z;         /* D; p of the design    */
    int64_t *list;         /* n k: the pairs that hulls look at */
    int64_t n_list;
    bool lifts_all; /* V, as looked at last, lifts every pair */
};

/* ---- pairs ------------------------------------------------------------------------------ */

/* Blocks of a pair's +z and -z; -1: none. */
static void blocks_of(const struct search *s, int64_t pair, int64_t *plus, int64_t *minus)
{
    int64_t label = s->p->label[pair / s->k];
    *plus = s->k == 1 ? (label > 0 ? 0 : -1) : label - 1;
    *minus = s->k == 1 ? (label > 0 ? -1 : 0) : pair % s->k - 1;
}

/* Of the V whose scores these are. */
static double margin_of(const struct search *s, int64_t pair)
{
    int64_t plus, minus, i = pair / s->k;
    blocks_of(s, pair, &plus, &minus);
    return (plus < 0 ? 0 : s->scores[plus * s->n + i]) -
           (minus < 0 ? 0 : s->scores[minus * s->n + i]);
}

static smr_status score(smr_ctx *ctx, struct search *s, const double *V)
{
    smr_status st = SMR_OK;
    for (int64_t b = 0; b < s->q; b++)
        TRY(smr_whitened_scores(ctx, &s->rows, V + b * s->d, s->scores + b * s->n));
out:
    return st;
}

static double length(int64_t n, const double *v)
{
    return sqrt(smr_dot_f64(n, v, v));
}

static bool is_held(const struct search *s, int64_t pair)
{
    return s->p->role[pair] == SMR_PAIR_HELD;
}

/* What pairs weigh in a sum: held ones 1 or their share; open ones as if their rows had length
 * 1. */
enum weighing { HELD_ONES, HELD_SHARES, OPEN_UNITS };

static double weight_of(const struct search *s, enum weighing how, int64_t pair)
{
    double size = s->size[pair / s->k];
    if (how == OPEN_UNITS)
        return s->p->role[pair] == SMR_PAIR_OPEN && size > 0 ? 1 / (size * size) : 0;
    return !is_held(s, pair) ? 0 : how == HELD_SHARES ? s->p->share[pair] : 1;
}

/* u of the rows for blocks a and b of sum weight grad grad', up to the sign -1 where a != b. */
static void gram_weights(struct search *s, enum weighing how, int64_t a, int64_t b)
{
    for (int64_t i = 0; i < s->n; i++) {
        int64_t at = i * s->k, own = s->p->label[i] - 1;
        double sum = 0;
        if (s->k == 1)
            sum = weight_of(s, how, i);
        else if (a != b)
            sum = own == a   ? weight_of(s, how, at + b + 1)
                  : own == b ? weight_of(s, how, at + a + 1)
                             : 0;
        else if (own != a)
            sum = weight_of(s, how, at + a + 1);
        else
            for (int64_t c = 0; c < s->k; c++) sum += weight_of(s, how, at + c);
        s->u[i] = sum;
    }
}

/* out (D x D) = sum of weight grad grad'. */
static smr_status gram(smr_ctx *ctx, struct search *s, enum weighing how, double *out)
{
    smr_status st = SMR_OK;
    int64_t d = s->d;
    for (int64_t a = 0; a < s->q; a++)
        for (int64_t b = a; b < s->q; b++) {
            double sign = a == b ? 1 : -1;
            gram_weights(s, how, a, b);
            TRY(smr_whitened_gram(ctx, &s->rows, s->u, s->G));
            for (int64_t i = 0; i < d; i++)
                for (int64_t j = 0; j < d; j++)
                    out[(a * d + i) * s->D + b * d + j] = out[(b * d + j) * s->D + a * d + i] =
                        sign * s->G[i * d + j];
        }
out:
    return st;
}

/* out (D) = sum over held pairs of share grad. */
static smr_status balance(smr_ctx *ctx, struct search *s, double *out)
{
    smr_status st = SMR_OK;
    memset(out, 0, (size_t)s->D * sizeof *out);
    for (int64_t b = 0; b < s->q; b++) {
        for (int64_t i = 0; i < s->n; i++) {
            int64_t at = i * s->k;
            double sum = 0;
            for (int64_t c = 0; c < s->k; c++) {
                int64_t plus, minus;
                blocks_of(s, at + c, &plus, &minus);
                double share = weight_of(s, HELD_SHARES, at + c);
                sum += (plus == b ? share : 0) - (minus == b ? share : 0);
            }
            s->u[i] = sum;
        }
        TRY(smr_whitened_sums(ctx, &s->rows, s->u, out + b * s->d));
    }
out:
    return st;
}

/* ---- what the fit proves ---------------------------------------------------------------- */

static void hold_shares(struct search *s, double least)
{
    for (int64_t e = 0; e < s->n * s->k; e++)
        if (s->p->role[e] != SMR_PAIR_NONE)
            s->p->role[e] = s->p->share[e] >= least ? SMR_PAIR_HELD : SMR_PAIR_OPEN;
}

/* N = the space where held pairs have no margin; R's other columns, at a length that gives each
 * pair the weight 1 on the whole, span the rest: s->m of the first, D - m of the second. */
static smr_status split_space(smr_ctx *ctx, struct search *s)
{
    smr_status st = SMR_OK;
    int64_t D = s->D;
    TRY(gram(ctx, s, HELD_ONES, s->R));
    TRY(smr_eigen(ctx, D, s->R, D, s->value));
    s->m = 0;
    while (s->m < D && s->value[s->m] <= RANK * s->value[D - 1]) s->m++;
    memcpy(s->N, s->R, (size_t)(D * s->m) * sizeof *s->N);
    for (int64_t c = s->m; c < D; c++)
        for (int64_t i = 0; i < D; i++) s->R[c * D + i] /= sqrt(s->value[c]);
out:
    return st;
}

/* out (r x r) = R' M R. */
static smr_status project(smr_ctx *ctx, const struct search *s, const double *R, int64_t r,
                          double *out)
{
    smr_status st = SMR_OK;
    double *MR = NULL;
    TRY_NEW(MR, s->D);
    for (int64_t c = 0; c < r; c++) {
        for (int64_t i = 0; i < s->D; i++) MR[i] = smr_dot_f64(s->D, s->M + i * s->D, R + c * s->D);
        for (int64_t e = 0; e < r; e++) out[c * r + e] = smr_dot_f64(s->D, R + e * s->D, MR);
        TRY(smr_tick(ctx, "looking for separation", c, r, NAN));
    }
out:
    smr_free(MR);
    return st;
}

/* V = the step that balances the held shares: l (1 - m(V)) sums to 0.  *solved false: the shares
 * are too different to tell. */
static smr_status balancing_step(smr_ctx *ctx, struct search *s, bool *solved)
{
    smr_status st = SMR_OK;
    int64_t r = s->D - s->m, failed_at = -1;
    const double *R = s->R + s->m * s->D;
    double *K = NULL, *y = NULL;
    TRY_NEW(K, r * r);
    TRY_NEW(y, r);
    TRY(gram(ctx, s, HELD_SHARES, s->M));
    TRY(project(ctx, s, R, r, K));
    TRY(balance(ctx, s, s->V));
    for (int64_t c = 0; c < r; c++) y[c] = smr_dot_f64(s->D, R + c * s->D, s->V);
    TRY(smr_cholesky(ctx, r, K, r, &failed_at));
    *solved = failed_at < 0;
    if (!*solved) goto out;
    TRY(smr_cholesky_solve(ctx, r, 1, K, r, y, r));
    memset(s->V, 0, (size_t)s->D * sizeof *s->V);
    for (int64_t c = 0; c < r; c++) smr_axpy_f64(s->D, y[c], R + c * s->D, s->V);
out:
    smr_free(K);
    smr_free(y);
    return st;
}

/* Nothing is proven: V may lie anywhere. */
static void hold_nothing(struct search *s)
{
    for (int64_t e = 0; e < s->n * s->k; e++)
        if (is_held(s, e)) s->p->role[e] = SMR_PAIR_OPEN;
    s->m = s->D;
    memset(s->N, 0, (size_t)(s->D * s->D) * sizeof *s->N);
    for (int64_t i = 0; i < s->D; i++) s->N[i * s->D + i] = 1;
}

/* Pairs that the step lifts by as much as their share allows are not proven. */
static int64_t let_go(struct search *s)
{
    int64_t n = 0;
    for (int64_t e = 0; e < s->n * s->k; e++)
        if (is_held(s, e) && !(margin_of(s, e) < 0.9)) {
            s->p->role[e] = SMR_PAIR_OPEN;
            n++;
        }
    return n;
}

static smr_status prove_by_shares(smr_ctx *ctx, struct search *s)
{
    smr_status st = SMR_OK;
    double least = LEAST;
    if (!s->p->share) return split_space(ctx, s);
    hold_shares(s, least);
    for (int t = 0; t < TRIES; t++) {
        bool solved = false, any = false;
        for (int64_t e = 0; e < s->n * s->k && !any; e++) any = is_held(s, e);
        if (!any) break;
        TRY(split_space(ctx, s));
        if (s->m == s->D) break;
        TRY(balancing_step(ctx, s, &solved));
        if (!solved) {
            hold_shares(s, least *= 100);
            continue;
        }
        TRY(score(ctx, s, s->V));
        if (let_go(s) == 0) goto out;
    }
    hold_nothing(s);
out:
    return st;
}

/* ---- pairs that are left ---------------------------------------------------------------- */

static double random_sign(int64_t round, int64_t i)
{
    return smr_random_unit(0, SMR_STREAM_START, (uint64_t)round, (uint64_t)i) < 0.5 ? -1 : 1;
}

/* |z| of the rows, by their products with vectors of random signs. */
static smr_status measure_rows(smr_ctx *ctx, struct search *s)
{
    smr_status st = SMR_OK;
    for (int probe = 0; probe < PROBES; probe++) {
        for (int64_t j = 0; j < s->d; j++) s->z[j] = random_sign(probe, j);
        TRY(smr_whitened_scores(ctx, &s->rows, s->z, s->u));
        for (int64_t i = 0; i < s->n; i++) s->size[i] += s->u[i] * s->u[i] / PROBES;
    }
    for (int64_t i = 0; i < s->n; i++) s->size[i] = sqrt(s->size[i]);
out:
    return st;
}

/* V = N y. */
static void into_space(const struct search *s, const double *y, double *V)
{
    memset(V, 0, (size_t)s->D * sizeof *V);
    for (int64_t c = 0; c < s->m; c++) smr_axpy_f64(s->D, y[c], s->N + c * s->D, V);
}

/* Open pairs whose margin is 0 throughout the space are held too: a random direction shows it.
 * Returns in list those that stay open. */
static smr_status list_open(smr_ctx *ctx, struct search *s, int64_t round)
{
    smr_status st = SMR_OK;
    double *y = NULL;
    TRY_NEW(y, s->m + 1);
    for (int64_t c = 0; c < s->m; c++)
        y[c] = 0.5 + smr_random_unit(1, SMR_STREAM_START, (uint64_t)round, (uint64_t)c);
    into_space(s, y, s->V);
    TRY(score(ctx, s, s->V));
    double tall = ROUNDING * length(s->D, s->V);
    s->n_list = 0;
    for (int64_t e = 0; e < s->n * s->k; e++) {
        if (s->p->role[e] != SMR_PAIR_OPEN) continue;
        if (fabs(margin_of(s, e)) > tall * s->size[e / s->k])
            s->list[s->n_list++] = e;
        else
            s->p->role[e] = SMR_PAIR_HELD;
    }
out:
    smr_free(y);
    return st;
}

/* N's columns turned and stretched so that the open pairs have the same extent in all directions:
 * hulls then see differences that are small in the columns' own units.  Directions in which they
 * have none are left out: no pair moves along them. */
static smr_status even_out(smr_ctx *ctx, struct search *s)
{
    smr_status st = SMR_OK;
    int64_t m = s->m, left = 0;
    double *K = NULL, *N = NULL;
    TRY_NEW(K, m * m);
    TRY_NEW(N, s->D * m);
    TRY(gram(ctx, s, OPEN_UNITS, s->M));
    TRY(project(ctx, s, s->N, m, K));
    TRY(smr_eigen(ctx, m, K, m, s->value));
    for (int64_t c = 0; c < m; c++) {
        if (!(s->value[c] > RANK * s->value[m - 1])) continue;
        for (int64_t e = 0; e < m; e++)
            smr_axpy_f64(s->D, K[c * m + e] / sqrt(s->value[c]), s->N + e * s->D, N + left * s->D);
        left++;
    }
    memcpy(s->N, N, (size_t)(s->D * left) * sizeof *N);
    s->m = left;
out:
    smr_free(K);
    smr_free(N);
    return st;
}

/* (1): does V lift a pair, and none down?  *worst: open pairs that go down; *all: it lifts all. */
static smr_status lifts(smr_ctx *ctx, struct search *s, int64_t *worst, int64_t *n_worst, bool *is)
{
    smr_status st = SMR_OK;
    double tall = ROUNDING * length(s->D, s->V);
    bool lifted = false;
    *n_worst = 0;
    *is = tall > 0 && isfinite(tall);
    if (!*is) goto out;
    TRY(score(ctx, s, s->V));
    s->lifts_all = true;
    for (int64_t e = 0; e < s->n * s->k; e++) {
        if (s->p->role[e] == SMR_PAIR_NONE) continue;
        double margin = margin_of(s, e), limit = tall * s->size[e / s->k];
        lifted |= margin > limit;
        s->lifts_all &= margin > limit;
        if (margin >= -limit) continue;
        *is = false;
        if (!is_held(s, e) && worst) worst[(*n_worst)++] = e;
    }
    *is &= lifted;
out:
    return st;
}

/* The part of the fit's coefficients that lies in the space: along it the fit went away. */
static smr_status try_start(smr_ctx *ctx, struct search *s, bool *found)
{
    smr_status st = SMR_OK;
    double *y = NULL;
    int64_t none, p = s->rows.p;
    const double *start = s->p->start;
    if (!start) return SMR_OK;
    TRY_NEW(y, s->m + s->D);
    for (int64_t b = 0; b < s->q; b++) {
        for (int64_t j = 0; j < p; j++)
            s->z[j] = s->k == 1 ? start[j] : start[(b + 1) * p + j] - start[j];
        smr_whitened_enter(&s->rows, s->z, y + s->m + b * s->d);
    }
    for (int64_t c = 0; c < s->m; c++) y[c] = smr_dot_f64(s->D, s->N + c * s->D, y + s->m);
    into_space(s, y, s->V);
    TRY(lifts(ctx, s, NULL, &none, found));
out:
    smr_free(y);
    return st;
}

/* ---- hulls ------------------------------------------------------------------------------ */

struct hull {
    int64_t n, room; /* pairs looked at                     */
    int64_t *pair;   /* room                                */
    double *B;       /* room x m: unit gradients in the space */
    double *y, *share, *w;
};

static void release_hull(struct hull *h)
{
    smr_free(h->pair);
    smr_free(h->B);
    smr_free(h->y);
    smr_free(h->share);
    smr_free(h->w);
    *h = (struct hull){0};
}

static smr_status add_pair(smr_ctx *ctx, struct search *s, struct hull *h, int64_t pair)
{
    smr_status st = SMR_OK;
    int64_t plus, minus;
    double *b = h->B + h->n * s->m;
    blocks_of(s, pair, &plus, &minus);
    TRY(smr_whitened_row(ctx, &s->rows, pair / s->k, s->z));
    for (int64_t c = 0; c < s->m; c++) {
        const double *N = s->N + c * s->D;
        b[c] = (plus < 0 ? 0 : smr_dot_f64(s->d, N + plus * s->d, s->z)) -
               (minus < 0 ? 0 : smr_dot_f64(s->d, N + minus * s->d, s->z));
    }
    double tall = length(s->m, b);
    for (int64_t c = 0; c < s->m && tall > 0; c++) b[c] /= tall;
    h->y[h->n] = 1;
    h->pair[h->n++] = pair;
out:
    return st;
}

/* Room for all that are listed, or for as many as are a tenth of the memory. */
static smr_status open_hull(smr_ctx *ctx, const struct search *s, struct hull *h)
{
    smr_status st = SMR_OK;
    h->room = SMR_MIN(s->n_list, SMR_MAX(8 * s->m + 1000, FEW / (s->m + 1)));
    TRY_NEW(h->pair, h->room);
    TRY_NEW(h->B, h->room * s->m);
    TRY_NEW(h->y, h->room);
    TRY_NEW(h->share, h->room);
    TRY_NEW(h->w, s->m + 1);
out:
    return st;
}

/* V from the hull of some open pairs, with those it fails to lift added until it lifts all, or
 * until 0 is in the hull: then *is false, and h->share says of which pairs it is made. */
static smr_status nearest(smr_ctx *ctx, struct search *s, struct hull *h, bool *is, bool *decided)
{
    smr_status st = SMR_OK;
    int64_t n_worst = 0, *worst = NULL;
    int64_t every = smr_block_count(s->n_list, h->room / 2 + 1);
    TRY_NEW(worst, s->n_list);
    for (int64_t i = 0; i < s->n_list; i += every) TRY(add_pair(ctx, s, h, s->list[i]));
    for (int round = 0; round < 100; round++) {
        smr_dual_problem rows = {.n_rows = h->n,
                                 .n_cols = s->m,
                                 .dense = h->B,
                                 .stride = s->m,
                                 .y = h->y,
                                 .dtype = SMR_F64};
        smr_hulls found;
        TRY(smr_hulls_nearest(ctx, &rows, 20 * s->m + 1000, h->w, h->share, &found));
        *decided = found.converged;
        *is = found.is_separable;
        if (!found.is_separable) goto out;
        into_space(s, h->w, s->V);
        TRY(lifts(ctx, s, worst, &n_worst, is));
        if (*is) goto out;
        *decided = false;
        if (found.distance < NEAR) *decided = found.converged;
        if (found.distance < NEAR || n_worst == 0 || h->n == h->room) goto out;
        every = smr_block_count(n_worst, h->room - h->n);
        for (int64_t i = 0; i < n_worst && h->n < h->room; i += every)
            TRY(add_pair(ctx, s, h, worst[i]));
    }
out:
    smr_free(worst);
    return st;
}

/* The pairs that 0 is made of are held: N loses what they span. */
static smr_status hold_hull(smr_ctx *ctx, struct search *s, const struct hull *h)
{
    smr_status st = SMR_OK;
    int64_t m = s->m, n = 0, rank = 0, *pivot = NULL;
    double *A = NULL, *tau = NULL, *Q = NULL, *N = NULL;
    for (int64_t i = 0; i < h->n; i++) n += h->share[i] > PART;
    TRY_NEW(A, m * SMR_MAX(1, n));
    TRY_NEW(tau, SMR_MAX(1, SMR_MIN(m, n)));
    TRY_NEW(pivot, SMR_MAX(1, n));
    n = 0;
    for (int64_t i = 0; i < h->n; i++) {
        if (!(h->share[i] > PART)) continue;
        memcpy(A + n++ * m, h->B + i * m, (size_t)m * sizeof *A);
        s->p->role[h->pair[i]] = SMR_PAIR_HELD;
    }
    TRY(smr_qr_pivoted(ctx, m, n, A, m, pivot, tau));
    while (rank < SMR_MIN(m, n) && fabs(A[rank * m + rank]) > 1e-8) rank++;
    int64_t left = m - rank;
    TRY_NEW(Q, m * SMR_MAX(1, left));
    TRY_NEW(N, s->D * SMR_MAX(1, left));
    for (int64_t c = 0; c < left; c++) Q[c * m + rank + c] = 1;
    TRY(smr_qr_apply(ctx, false, m, left, rank, A, m, tau, Q, m));
    for (int64_t c = 0; c < left; c++)
        for (int64_t e = 0; e < m; e++)
            smr_axpy_f64(s->D, Q[c * m + e], s->N + e * s->D, N + c * s->D);
    memcpy(s->N, N, (size_t)(s->D * left) * sizeof *N);
    s->m = left;
out:
    smr_free(A);
    smr_free(tau);
    smr_free(pivot);
    smr_free(Q);
    smr_free(N);
    return st;
}

/* ---- together --------------------------------------------------------------------------- */

static smr_status make_room(smr_ctx *ctx, struct search *s)
{
    smr_status st = SMR_OK;
    TRY_NEW(s->N, s->D * s->D);
    TRY_NEW(s->M, s->D * s->D);
    TRY_NEW(s->R, s->D * s->D);
    TRY_NEW(s->value, s->D);
    TRY_NEW(s->scores, s->q * s->n);
    TRY_NEW(s->size, s->n);
    TRY_NEW(s->G, s->d * s->d);
    TRY_NEW(s->V, s->D);
    TRY_NEW(s->z, s->rows.p);
    TRY_NEW(s->list, s->n * s->k);
out:
    return st;
}

static void release(struct search *s)
{
    smr_free(s->N);
    smr_free(s->M);
    smr_free(s->R);
    smr_free(s->value);
    smr_free(s->scores);
    smr_free(s->size);
    smr_free(s->u);
    smr_free(s->G);
    smr_free(s->V);
    smr_free(s->z);
    smr_free(s->list);
    smr_whitened_close(&s->rows);
}

/* Does the intercept of the columns themselves move along V of the design? */
static bool moves_intercept(const smr_design *D, const double *V)
{
    double b = V[D->n_kept], sum = fabs(b);
    for (int64_t j = 0; j < D->n_kept; j++) {
        double part = V[j] * D->scale[j] * D->shift[j];
        b -= part;
        sum += fabs(part);
    }
    return fabs(b) > 1e-6 * sum;
}

/* Of N as even_out leaves it: directions that move an open pair, as the design's columns see
 * them. */
static void mark_moved(const struct search *s, bool *moved)
{
    const smr_design *D = s->p->design;
    int64_t n = D->n_kept;
    for (int64_t c = 0; c < s->m; c++) {
        double tall = 0;
        for (int64_t b = 0; b < s->q; b++) {
            smr_whitened_leave(&s->rows, s->N + c * s->D + b * s->d, s->z);
            tall = smr_fmax(tall, length(D->p, s->z));
        }
        for (int64_t b = 0; b < s->q; b++) {
            smr_whitened_leave(&s->rows, s->N + c * s->D + b * s->d, s->z);
            for (int64_t j = 0; j < n; j++) moved[j] |= fabs(s->z[j]) > 1e-6 * tall;
            if (D->p > n) moved[n] |= moves_intercept(D, s->z);
        }
    }
}

static smr_status search(smr_ctx *ctx, struct search *s, bool *moved, enum smr_recession *out)
{
    smr_status st = SMR_OK;
    struct hull h = {0};
    bool found = false, decided = true;
    *out = SMR_RECEDES_NOT;
    for (int64_t round = 0; !found; round++) {
        if (s->m == 0) goto out;
        TRY(list_open(ctx, s, round));
        if (s->n_list == 0) goto out;
        if (round == 0) TRY(try_start(ctx, s, &found));
        TRY(even_out(ctx, s));
        if (found) break;
        *out = SMR_RECEDES_MAYBE;
        if (s->m > SMR_HULLS_MOST) goto out;
        release_hull(&h);
        TRY(open_hull(ctx, s, &h));
        TRY(nearest(ctx, s, &h, &found, &decided));
        if (!found && !decided) goto out;
        int64_t before = s->m;
        if (!found) TRY(hold_hull(ctx, s, &h));
        if (!found && s->m == before) goto out;
        *out = SMR_RECEDES_NOT;
    }
    *out = s->lifts_all ? SMR_RECEDES_ALL : SMR_RECEDES_SOME;
    mark_moved(s, moved);
out:
    release_hull(&h);
    return st;
}

/* The rows that have pairs, whitened. */
static smr_status open_rows(smr_ctx *ctx, struct search *s)
{
    smr_status st = SMR_OK;
    TRY_NEW(s->u, s->n);
    for (int64_t e = 0; e < s->n * s->k; e++)
        if (s->p->role[e] != SMR_PAIR_NONE) s->u[e / s->k] = 1;
    TRY(smr_whitened_open(ctx, s->p->design, s->u, &s->rows));
    s->d = s->rows.d;
    s->D = s->q * s->d;
out:
    return st;
}

smr_status smr_recession_find(smr_ctx *ctx, const smr_recession_problem *problem, bool *moved,
                              enum smr_recession *out)
{
    smr_status st = SMR_OK;
    struct search s = {.p = problem,
                       .n = problem->design->n,
                       .k = problem->k,
                       .q = problem->k == 1 ? 1 : problem->k - 1};
    *out = SMR_RECEDES_NOT;
    if (problem->design->p == 0) return SMR_OK;
    TRY(open_rows(ctx, &s));
    if (s.D == 0) goto out;
    TRY(make_room(ctx, &s));
    TRY(measure_rows(ctx, &s));
    TRY(prove_by_shares(ctx, &s));
    TRY(search(ctx, &s, moved, out));
out:
    release(&s);
    return st;
}
