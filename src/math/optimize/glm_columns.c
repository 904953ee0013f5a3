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
 * little, and the end is quick.  Where their gains fall too slowly for that, few columns go on by
 * their Gram matrix (glm_gram.c).  Then F decides how much of D is taken (Armijo).  A row whose
 * curvature is 0 gets the least one, 1e-10 of the largest: (1) stays strictly convex along its
 * columns.
 *
 * Cost: two passes over the entries looked at for each sweep; memory 8 n + 6 d numbers.
 * Reference: Yuan, Ho & Lin, JMLR 13:1999-2030, 2012. */
#include "math/optimize/column_sums.h"
#include "math/optimize/glm_parts.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { MAX_HALVINGS = 40, MAX_SWEEPS = 1000 };
/* Sweeps before their gains are asked how many more it takes, and more of those than this many cost
 * as much as the Gram matrix. */
enum { SWEEPS = 3, SWEEPS_OF_A_GRAM = 20 };

static double penalty_along(const struct smr_glm_work *t, double a)
{
    double sum = 0;
    for (int64_t j = 0; j < t->m->X->n_cols; j++) {
        double b = t->b[j] + a * t->D[j];
        sum += t->l1[j] * fabs(b) + 0.5 * t->l2[j] * b * b;
    }
    return sum;
}

static double loss_of(struct smr_glm_work *t, const double *z)
{
    const smr_glm *m = t->m;
    int64_t n = m->X->n_rows;
    t->run.out->evaluations++;
    smr_loss_block(m->loss, m->param, n, m->y, z, t->values, NULL, NULL);
    return m->weight ? smr_dot_f64(n, m->weight, t->values) : smr_sum_f64(n, t->values);
}

/* s, h and g at z; returns the norm of the least sub-gradient. */
static smr_status linearise(smr_ctx *ctx, struct smr_glm_work *t, double *norm)
{
    smr_status st = SMR_OK;
    const smr_glm *m = t->m;
    int64_t n = m->X->n_rows, d = m->X->n_cols;
    double top = 0, total = 0;
    smr_loss_block(m->loss, m->param, n, m->y, t->z, NULL, t->s, t->h);
    for (int64_t i = 0; i < n; i++) {
        double weight = m->weight ? m->weight[i] : 1;
        t->s[i] *= weight;
        t->h[i] *= weight;
        top = smr_fmax(top, t->h[i]);
    }
    for (int64_t i = 0; i < n; i++) t->h[i] = smr_fmax(t->h[i], 1e-10 * top);
    TRY(smr_columns_products(ctx, m->X, t->s, NULL, t->g));
    t->k = 0;
    for (int64_t j = 0; j < d; j++) {
        double g = t->g[j] + t->l2[j] * t->b[j], c = t->l1[j];
        double least = t->b[j] != 0 ? g + (t->b[j] > 0 ? c : -c) : smr_shrink(g, c);
        total += least * least;
        if (t->b[j] != 0 || fabs(t->g[j]) > c) t->index[t->k++] = j;
    }
    double slope = m->has_offset ? smr_sum_f64(n, t->s) : 0;
    *norm = sqrt(total + slope * slope);
out:
    return st;
}

/* Columns whose curvatures are one task. */
enum { BLOCK = 64 };

/* sum_i h_i x_ij^2 */
static double curvature_of(const struct smr_glm_work *t, int64_t j)
{
    const smr_columns *X = t->m->X;
    double sum = 0;
    if (X->dense) {
        const double *x = X->dense + j * X->stride;
        for (int64_t i = 0; i < X->n_rows; i++) sum += t->h[i] * x[i] * x[i];
    } else {
        for (int64_t e = X->start[j]; e < X->start[j + 1]; e++)
            sum += t->h[X->row[e]] * X->value[e] * X->value[e];
    }
    return sum;
}

static smr_status curvatures_of_block(smr_ctx *ctx, void *arg, int64_t task, int lane)
{
    struct smr_glm_work *t = arg;
    (void)ctx, (void)lane;
    for (int64_t a = task * BLOCK; a < smr_block_end(t->k, BLOCK, task); a++)
        t->curve[t->index[a]] = curvature_of(t, t->index[a]);
    return SMR_OK;
}

/* x_j'v */
static double slope_of(const struct smr_glm_work *t, int64_t j)
{
    const smr_columns *X = t->m->X;
    const struct smr_glm_row *row = t->row;
    if (!row) return smr_column_dot(X, j, t->along);
    double sum[4] = {0};
    int64_t lo = X->start[j], n = X->start[j + 1] - lo, e = 0;
    const int32_t *at = X->row + lo;
    const double *x = X->value + lo;
    for (; e + 4 <= n; e += 4) {
        sum[0] += x[e] * row[at[e]].v;
        sum[1] += x[e + 1] * row[at[e + 1]].v;
        sum[2] += x[e + 2] * row[at[e + 2]].v;
        sum[3] += x[e + 3] * row[at[e + 3]].v;
    }
    for (; e < n; e++) sum[0] += x[e] * row[at[e]].v;
    return (sum[0] + sum[2]) + (sum[1] + sum[3]);
}

/* v += by * h x_j */
static void add_weighted(struct smr_glm_work *t, int64_t j, double by)
{
    const smr_columns *X = t->m->X;
    struct smr_glm_row *row = t->row;
    if (!row) {
        const double *x = X->dense + j * X->stride;
        for (int64_t i = 0; i < X->n_rows; i++) t->along[i] += by * t->h[i] * x[i];
        return;
    }
    int64_t e = X->start[j], end = X->start[j + 1];
    for (; e + 2 <= end; e += 2) { /* rows are distinct: both are read before one is written */
        struct smr_glm_row *a = &row[X->row[e]], *b = &row[X->row[e + 1]];
        double one = a->v + by * a->h * X->value[e], two = b->v + by * b->h * X->value[e + 1];
        a->v = one;
        b->v = two;
    }
    for (; e < end; e++) row[X->row[e]].v += by * row[X->row[e]].h * X->value[e];
}

static double move_offset(struct smr_glm_work *t)
{
    int64_t n = t->m->X->n_rows;
    if (!t->m->has_offset) return 0;
    double curve = smr_sum_f64(n, t->h), sum = t->row ? 0 : smr_sum_f64(n, t->along);
    for (int64_t i = 0; t->row && i < n; i++) sum += t->row[i].v;
    double by = -(smr_sum_f64(n, t->s) + sum) / curve;
    if (!isfinite(by)) return 0;
    t->D_offset += by;
    if (!t->row) smr_axpy_f64(n, by, t->h, t->along);
    for (int64_t i = 0; t->row && i < n; i++) t->row[i].v += by * t->row[i].h;
    return curve * by * by;
}

static double sweep(struct smr_glm_work *t)
{
    double gained = move_offset(t);
    for (int64_t a = 0; a < t->k; a++) {
        int64_t j = t->index[a];
        double u = t->b[j] + t->D[j], h = t->curve[j];
        double slope = t->g[j] + slope_of(t, j);
        double next = smr_elastic_update(h * u - slope, h + t->l2[j], t->l1[j]), by = next - u;
        if (by == 0 || h == 0) continue;
        t->D[j] = next - t->b[j];
        add_weighted(t, j, by);
        gained += (h + t->l2[j]) * by * by;
    }
    return gained;
}

/* How many sweeps it takes to gain no more than `goal` in one, if gains go on as from `before` to
 * `gained`. */
static double sweeps_left(double before, double gained, double goal)
{
    return gained < before ? smr_log(gained / goal) / smr_log(before / gained) : INFINITY;
}

/* z_new = t of (1): v / h after sweeps, from the columns where the Gram matrix has changed D. */
static void scores_along(struct smr_glm_work *t, bool is_swept)
{
    const smr_columns *X = t->m->X;
    for (int64_t i = 0; i < X->n_rows; i++) {
        double v = t->row ? t->row[i].v : t->along[i];
        t->z_new[i] = !is_swept ? t->D_offset : t->h[i] > 0 ? v / t->h[i] : 0;
    }
    for (int64_t a = 0; a < t->k && !is_swept; a++)
        if (t->D[t->index[a]] != 0) smr_column_add(X, t->index[a], t->D[t->index[a]], t->z_new);
}

/* D = about the minimum of (1); z_new its t. */
static smr_status solve_local(smr_ctx *ctx, struct smr_glm_work *t)
{
    smr_status st = SMR_OK;
    const smr_columns *X = t->m->X;
    bool is_swept = true;
    memset(t->D, 0, (size_t)X->n_cols * sizeof *t->D);
    if (!t->row) memset(t->along, 0, (size_t)X->n_rows * sizeof *t->along);
    for (int64_t i = 0; t->row && i < X->n_rows; i++) t->row[i] = (struct smr_glm_row){0, t->h[i]};
    t->D_offset = 0;
    TRY(smr_parallel(ctx, NULL, smr_block_count(t->k, BLOCK), curvatures_of_block, t));
    double first = sweep(t), goal = t->enough * first, before = INFINITY, gained = first;
    for (int k = 1; k < MAX_SWEEPS && gained > goal && gained > 0; k++) {
        if (k >= SWEEPS && sweeps_left(before, gained, goal) > SWEEPS_OF_A_GRAM &&
            smr_glm_has_gram(t)) {
            TRY(smr_glm_gram(ctx, t, 0.1 * goal));
            is_swept = false;
            break;
        }
        before = gained;
        gained = sweep(t);
        t->run.out->products++;
        TRY(smr_tick(ctx, t->run.opts.what ? t->run.opts.what : "coordinate descent",
                     t->run.out->iterations, t->run.opts.max_iter, t->f));
    }
    scores_along(t, is_swept);
out:
    return st;
}

/* Takes what F allows of D, whose scores are in z_new; returns 0 if nothing. */
static double take_step(struct smr_glm_work *t)
{
    int64_t n = t->m->X->n_rows, d = t->m->X->n_cols;
    double *along = t->along, noise = 10 * DBL_EPSILON * fabs(t->f), a = 1;
    memcpy(along, t->z_new, (size_t)n * sizeof *along);
    double slope = penalty_along(t, 1) - penalty_along(t, 0) + smr_dot_f64(n, t->s, along);
    for (int k = 0; k < MAX_HALVINGS; k++, a *= 0.5) {
        memcpy(t->z_new, t->z, (size_t)n * sizeof *t->z);
        smr_axpy_f64(n, a, along, t->z_new);
        double f = loss_of(t, t->z_new) + penalty_along(t, a);
        bool is_hidden = k == 0 && -slope <= noise && f <= t->f + noise;
        if (!(f <= t->f + 1e-4 * a * slope && slope < 0) && !is_hidden) continue;
        SMR_SWAP(t->z, t->z_new);
        for (int64_t j = 0; j < d; j++) t->b[j] += a * t->D[j];
        t->offset += a * t->D_offset;
        t->f = f;
        return a;
    }
    return 0;
}

static smr_status iterate(smr_ctx *ctx, struct smr_glm_work *t, double *norm, bool *over)
{
    smr_status st = SMR_OK;
    double before = *norm, f_before = t->f;
    TRY(solve_local(ctx, t));
    double a = take_step(t);
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
    int64_t n = X->n_rows, d = X->n_cols;
    TRY_NEW(t->l1, 6 * d);
    TRY_NEW(t->z, 6 * n);
    TRY_NEW(t->index, d);
    if (!X->dense) TRY_NEW(t->row, n);
    double **of_columns[] = {&t->l2, &t->b, &t->g, &t->D, &t->curve};
    double **of_rows[] = {&t->z_new, &t->s, &t->h, &t->along, &t->values};
    for (int64_t i = 0; i < 5; i++) *of_columns[i] = t->l1 + (i + 1) * d;
    double *rows = t->z;
    for (int64_t i = 0; i < 5; i++) *of_rows[i] = rows + (i + 1) * n;
    smr_elastic_penalties(d, penalty, penalty->l1, penalty->l2, t->l1, t->l2);
    memcpy(t->b, b, (size_t)d * sizeof *b);
    t->offset = t->m->has_offset ? offset : 0;
    for (int64_t i = 0; i < n; i++) t->z[i] = t->offset;
    for (int64_t j = 0; j < d; j++)
        if (b[j] != 0) smr_column_add(X, j, b[j], t->z);
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
    smr_elastic_opts checked;
    double *rows = NULL, norm = 0;
    bool over = false;
    smr_run_begin(&t.run, NULL, opts, out);
    TRY(smr_elastic_check(ctx, penalty, NULL, &checked));
    TRY(smr_loss_check(ctx, glm->loss, glm->param, glm->X->n_rows, glm->y));
    st = create(ctx, &t, penalty, b, *offset);
    rows = t.z;
    if (st != SMR_OK) goto out;
    t.f = loss_of(&t, t.z) + penalty_along(&t, 0);
    TRY(linearise(ctx, &t, &norm));
    TRY(smr_run_reached(ctx, &t.run, 0, t.f, norm, 0, &over));
    while (!over) TRY(iterate(ctx, &t, &norm, &over));
    memcpy(b, t.b, (size_t)glm->X->n_cols * sizeof *b);
    *offset = t.offset;
out:
    smr_free(rows);
    smr_free(t.l1);
    smr_free(t.index);
    smr_free(t.row);
    return st;
}
