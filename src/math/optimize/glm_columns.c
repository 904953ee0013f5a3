/* glm_columns.c -- a smooth loss of linear scores with an elastic penalty, by columns; see
 * coordinate.h.
 *
 *     F(b, o) = sum_i weight_i loss(y_i, z_i) + sum_j l1_j |b_j| + l2_j b_j^2 / 2,  z = o + X b
 *
 * With slopes s and curvatures h of the rows, each iteration minimises the local quadratic
 *
 *     Q(D) = sum_i s_i t_i + h_i t_i^2 / 2 + penalty(b + D),   t = D_o + X D                   (1)
 *
 * by sweeps over the columns that may move (b_j != 0 or |x_j's| > l1_j), keeping v = h t: the
 * derivative of Q's smooth part at column j is x_j's + x_j'v + l2_j (b_j + D_j), its curvature
 * sum_i h_i x_ij^2 + l2_j.  Sweeps end when they gain a tenth of what the first one did, or less as
 * the iterations converge: (|g| / |g before|)^2, so that no work is lost on quadratics that say
 * little, and the end is quick.  Then F decides how much of D is taken (Armijo).  A row whose
 * curvature is 0 gets the least one, 1e-10 of the largest: (1) stays strictly convex along its
 * columns.
 *
 * Far from the minimum many more columns would move than stay away from 0 in the end.  So of those
 * at 0 no more come into play at a time than there are others, those whose slopes exceed l1 most.
 *
 * Where the gains of sweeps fall too slowly, few columns A go on by their Gram matrix (glm_gram.c).
 * While its steps shorten the gradient they are followed by more of them, with the matrix as it is
 * and the slopes of A alone: they cost a hundredth of an iteration over all columns.  The gradient
 * of all columns decides whether the minimum is reached.
 *
 * Cost: two passes over the entries looked at for each sweep; memory 8 n + 6 d numbers.
 * References: Yuan, Ho & Lin, JMLR 13:1999-2030, 2012 (local quadratics); Johnson & Guestrin, ICML
 * 2015 (working sets). */
#include "core/sort.h"
#include "math/optimize/glm_parts.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { MAX_HALVINGS = 40 };
/* Columns at 0 come into play at this many at least. */
enum { LEAST_CHOSEN = 500 };
/* Steps by a matrix before the gradient of all columns is looked at. */
enum { MOST_STEPS = 10 };
/* A matrix serves as long as its steps leave no more of the gradient; and until this is left. */
#define SERVES 0.5
#define ENOUGH 0.005

/* Columns that are 0 and stay there add nothing. */
static double penalty_along(const struct smr_glm_work *t, double a)
{
    double sum = 0;
    for (int64_t i = 0; i < t->k; i++) {
        int64_t j = t->index[i];
        double b = t->b[j] + a * t->D[j];
        sum += t->l1[j] * fabs(b) + 0.5 * t->l2[j] * b * b;
    }
    return sum;
}

static double loss_of(struct smr_glm_work *t, const double *z)
{
    const smr_glm *m = t->m;
    t->run.out->evaluations++;
    smr_loss_block(m->loss, m->param, t->n, m->y, z, t->values, NULL, NULL);
    return m->weight ? smr_dot_f64(t->n, m->weight, t->values) : smr_sum_f64(t->n, t->values);
}

/* ---- slopes ----------------------------------------------------------------------------- */

/* s and h at z. */
static void differentiate(struct smr_glm_work *t)
{
    const smr_glm *m = t->m;
    double top = 0;
    smr_loss_block(m->loss, m->param, t->n, m->y, t->z, NULL, t->s, t->h);
    for (int64_t i = 0; i < t->n; i++) {
        double weight = m->weight ? m->weight[i] : 1;
        t->s[i] *= weight;
        t->h[i] *= weight;
        top = smr_fmax(top, t->h[i]);
    }
    for (int64_t i = 0; i < t->n; i++) t->h[i] = smr_fmax(t->h[i], 1e-10 * top);
}

/* The square of the least sub-gradient along column j, and along the offset. */
static double least_square(const struct smr_glm_work *t, int64_t j)
{
    double g = t->g[j] + t->l2[j] * t->b[j], c = t->l1[j];
    double least = t->b[j] != 0 ? g + (t->b[j] > 0 ? c : -c) : smr_shrink(g, c);
    return least * least;
}

static double offset_square(const struct smr_glm_work *t)
{
    double slope = t->m->has_offset ? smr_sum_f64(t->n, t->s) : 0;
    return slope * slope;
}

/* t->index = the columns that are not 0, and of the others those whose slopes exceed l1 most;
 * *all: these are all that do. */
static smr_status choose(smr_ctx *ctx, struct smr_glm_work *t, bool *all)
{
    smr_status st = SMR_OK;
    double *key = NULL;
    int64_t *order = NULL, n_not_0 = 0, n = 0;
    for (int64_t j = 0; j < t->d; j++) {
        n_not_0 += t->b[j] != 0;
        if (t->b[j] == 0 && fabs(t->g[j]) > t->l1[j]) t->index[n++] = j;
    }
    int64_t most = SMR_MAX(n_not_0, LEAST_CHOSEN), last = -1;
    double least = 0;
    *all = n <= most;
    if (!*all) { /* the last of them in the order of excess, and then of columns */
        TRY_NEW(key, n);
        TRY_NEW(order, n);
        for (int64_t a = 0; a < n; a++) key[a] = t->l1[t->index[a]] - fabs(t->g[t->index[a]]);
        TRY(smr_argsort_f64(ctx, n, key, order));
        least = -key[order[most - 1]];
        last = t->index[order[most - 1]];
    }
    t->k = 0;
    for (int64_t j = 0; j < t->d; j++) {
        double over = fabs(t->g[j]) - t->l1[j];
        if (t->b[j] != 0 || over > least || (over == least && j <= last)) t->index[t->k++] = j;
    }
out:
    smr_free(key);
    smr_free(order);
    return st;
}

/* s, h and g at z; *norm is that of the least sub-gradient. */
static smr_status linearise(smr_ctx *ctx, struct smr_glm_work *t, double *norm)
{
    smr_status st = SMR_OK;
    double total = 0;
    differentiate(t);
    TRY(smr_glm_slopes(ctx, t));
    for (int64_t j = 0; j < t->d; j++) total += least_square(t, j);
    *norm = sqrt(total + offset_square(t));
out:
    return st;
}

/* Columns that are one task. */
enum { BLOCK = 64 };

static smr_status slopes_of_block(smr_ctx *ctx, void *arg, int64_t task, int lane)
{
    struct smr_glm_work *t = arg;
    (void)ctx, (void)lane;
    for (int64_t a = task * BLOCK; a < smr_block_end(t->k, BLOCK, task); a++) {
        int64_t j = t->index[a];
        if (!t->row) {
            t->g[j] = smr_column_dot(t->m->X, j, t->s);
            continue;
        }
        struct smr_glm_column x = smr_glm_column(t, j);
        t->g[j] = smr_sparse_dot(x.n, x.row, x.value, t->s);
    }
    return SMR_OK;
}

/* As linearise, with the columns that may move as they are, and of these alone. */
static smr_status linearise_few(smr_ctx *ctx, struct smr_glm_work *t, double *norm)
{
    smr_status st = SMR_OK;
    double total = 0;
    differentiate(t);
    TRY(smr_parallel(ctx, NULL, smr_block_count(t->k, BLOCK), slopes_of_block, t));
    for (int64_t a = 0; a < t->k; a++) total += least_square(t, t->index[a]);
    *norm = sqrt(total + offset_square(t));
out:
    return st;
}

/* ---- iterations ------------------------------------------------------------------------- */

/* Takes what F allows of D, whose scores are in z_new; returns 0 if nothing. */
static double take_step(struct smr_glm_work *t)
{
    double *along = t->along, noise = 10 * DBL_EPSILON * fabs(t->f), a = 1;
    memcpy(along, t->z_new, (size_t)t->n * sizeof *along);
    double slope = penalty_along(t, 1) - penalty_along(t, 0) + smr_dot_f64(t->n, t->s, along);
    for (int k = 0; k < MAX_HALVINGS; k++, a *= 0.5) {
        memcpy(t->z_new, t->z, (size_t)t->n * sizeof *t->z);
        smr_axpy_f64(t->n, a, along, t->z_new);
        double f = loss_of(t, t->z_new) + penalty_along(t, a);
        bool is_hidden = k == 0 && -slope <= noise && f <= t->f + noise;
        if (!(f <= t->f + 1e-4 * a * slope && slope < 0) && !is_hidden) continue;
        SMR_SWAP(t->z, t->z_new);
        for (int64_t i = 0; i < t->k; i++) t->b[t->index[i]] += a * t->D[t->index[i]];
        t->offset += a * t->D_offset;
        t->f = f;
        return a;
    }
    return 0;
}

/* More steps by the matrix, as long as they are taken whole and shorten the gradient of the columns
 * in play, which was `before`. */
static smr_status follow(smr_ctx *ctx, struct smr_glm_work *t, double before)
{
    smr_status st = SMR_OK;
    double enough = smr_fmax(0.3 * t->run.limit, ENOUGH * before), norm;
    for (int k = 0; k < MOST_STEPS && t->serves; k++) {
        TRY(linearise_few(ctx, t, &norm));
        t->serves = norm <= SERVES * before;
        if (!t->serves || norm <= enough) break;
        TRY(smr_glm_solve_local(ctx, t));
        t->serves = take_step(t) == 1;
        before = norm;
    }
out:
    return st;
}

static smr_status iterate(smr_ctx *ctx, struct smr_glm_work *t, double *norm, bool *over)
{
    smr_status st = SMR_OK;
    double before = *norm, f_before = t->f;
    bool all = false;
    TRY(choose(ctx, t, &all));
    TRY(smr_glm_pick(ctx, t, all));
    bool kept = smr_glm_keeps_gram(t);
    TRY(smr_glm_solve_local(ctx, t));
    double a = take_step(t);
    t->serves = t->gram.k > 0 && a == 1;
    if (a == 0 && kept) return SMR_OK; /* once more, without the old matrix */
    if (t->serves) TRY(follow(ctx, t, before));
    if (a > 0) {
        TRY(linearise(ctx, t, norm));
        TRY(smr_run_reached(ctx, &t->run, t->run.out->iterations + 1, t->f, *norm, a, over));
        double ratio = *norm / before; /* the local problems grow more exact as norms fall */
        t->enough = smr_fmax(1e-12, smr_fmin(0.1, ratio * ratio));
    }
    if (!*over && (a == 0 || (*norm >= before && t->f >= f_before))) {
        *over = true;
        smr_run_end(&t->run, SMR_WHY_ROUNDING);
    }
out:
    return st;
}

static smr_status create(smr_ctx *ctx, struct smr_glm_work *t, const smr_elastic_opts *penalty,
                         const double *b, double offset)
{
    smr_status st = SMR_OK;
    const smr_columns *X = t->m->X;
    if (t->m->sparse)
        TRY(smr_glm_rows_open(ctx, t));
    else
        t->n = X->n_rows, t->d = X->n_cols;
    int64_t n = t->n, d = t->d;
    TRY_NEW(t->l1, 6 * d);
    TRY_NEW(t->z, 6 * n);
    TRY_NEW(t->index, d);
    if (t->m->sparse || !X->dense) TRY_NEW(t->row, n);
    double **of_columns[] = {&t->l2, &t->b, &t->g, &t->D, &t->curve};
    double **of_rows[] = {&t->z_new, &t->s, &t->h, &t->along, &t->values};
    for (int64_t i = 0; i < 5; i++) *of_columns[i] = t->l1 + (i + 1) * d;
    double *rows = t->z;
    for (int64_t i = 0; i < 5; i++) *of_rows[i] = rows + (i + 1) * n;
    smr_elastic_penalties(d, penalty, penalty->l1, penalty->l2, t->l1, t->l2);
    memcpy(t->b, b, (size_t)d * sizeof *b);
    t->offset = t->m->has_offset ? offset : 0;
    for (int64_t i = 0; i < n; i++) t->z[i] = t->offset;
    smr_glm_scores(t, b, t->z);
    for (int64_t j = 0; j < d; j++)
        if (b[j] != 0) t->index[t->k++] = j;
    t->enough = 0.1;
out:
    return st;
}

smr_status smr_glm_columns(smr_ctx *ctx, const smr_glm *glm, const smr_elastic_opts *penalty,
                           const smr_optimize_opts *opts, double *b, double *offset,
                           smr_optimize_result *out)
{
    smr_status st = SMR_OK;
    struct smr_glm_work t = {.m = glm};
    int64_t n = glm->sparse ? glm->n_rows : glm->X->n_rows;
    smr_elastic_opts checked;
    double *rows = NULL, norm = 0;
    bool over = false;
    smr_run_begin(&t.run, NULL, opts, out);
    TRY(smr_elastic_check(ctx, penalty, NULL, &checked));
    TRY(smr_loss_check(ctx, glm->loss, glm->param, n, glm->y));
    st = create(ctx, &t, penalty, b, *offset);
    rows = t.z;
    if (st != SMR_OK) goto out;
    t.f = loss_of(&t, t.z) + penalty_along(&t, 0);
    TRY(linearise(ctx, &t, &norm));
    TRY(smr_run_reached(ctx, &t.run, 0, t.f, norm, 0, &over));
    while (!over) TRY(iterate(ctx, &t, &norm, &over));
    memcpy(b, t.b, (size_t)t.d * sizeof *b);
    *offset = t.offset;
out:
    smr_free(rows);
    smr_free(t.l1);
    smr_free(t.index);
    smr_free(t.row);
    smr_glm_matrix_release(&t.gram);
    smr_glm_rows_close(&t);
    return st;
}
