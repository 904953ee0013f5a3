/* glm_local.c -- the local quadratic (1) of glm_columns.c: sweeps over the columns in play, or
 * steps by a Gram matrix.
 *
 * Sweeps keep v = h t.  They end where one gains `enough` of what the first did.  If their gains
 * fall too slowly for that, the Gram matrix of the columns in play is made (glm_matrix.c).  It is
 * kept, with the h that it was made with, while its steps go well.  The few columns that come into
 * play later, and are not among its own, are swept before the others move. */
#include "core/parallel.h"
#include "math/optimize/glm_parts.h"

#include <string.h>

enum { MAX_SWEEPS = 1000 };
/* Sweeps before their gains are asked how many more it takes, and more of those than this many cost
 * as much as the Gram matrix. */
enum { SWEEPS = 3, SWEEPS_OF_A_GRAM = 10 };
/* A matrix that is kept may miss one in this many of the columns in play; sweeps over these. */
enum { SHARE_MISSED = 8, SWEEPS_OF_MISSED = 2 };
/* Columns that are one task. */
enum { BLOCK = 64 };

/* sum_i h_i x_ij^2 */
static double curvature_of(const struct smr_glm_work *t, int64_t j)
{
    double sum = 0;
    if (!t->row) {
        const double *x = t->m->X->dense + j * t->m->X->stride;
        for (int64_t i = 0; i < t->n; i++) sum += t->h[i] * x[i] * x[i];
        return sum;
    }
    struct smr_glm_column x = smr_glm_column(t, j);
    for (int64_t e = 0; e < x.n; e++) sum += t->h[x.row[e]] * x.value[e] * x.value[e];
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
    const struct smr_glm_row *row = t->row;
    if (!row) return smr_column_dot(t->m->X, j, t->along);
    struct smr_glm_column c = smr_glm_column(t, j);
    double sum[4] = {0};
    int64_t e = 0;
    const int32_t *at = c.row;
    const double *x = c.value;
    for (; e + 4 <= c.n; e += 4) {
        sum[0] += x[e] * row[at[e]].v;
        sum[1] += x[e + 1] * row[at[e + 1]].v;
        sum[2] += x[e + 2] * row[at[e + 2]].v;
        sum[3] += x[e + 3] * row[at[e + 3]].v;
    }
    for (; e < c.n; e++) sum[0] += x[e] * row[at[e]].v;
    return (sum[0] + sum[2]) + (sum[1] + sum[3]);
}

/* v += by * h x_j */
static void add_weighted(struct smr_glm_work *t, int64_t j, double by)
{
    struct smr_glm_row *row = t->row;
    if (!row) {
        const double *x = t->m->X->dense + j * t->m->X->stride;
        for (int64_t i = 0; i < t->n; i++) t->along[i] += by * t->h[i] * x[i];
        return;
    }
    struct smr_glm_column c = smr_glm_column(t, j);
    int64_t e = 0;
    for (; e + 2 <= c.n; e += 2) { /* rows are distinct: both are read before one is written */
        struct smr_glm_row *a = &row[c.row[e]], *b = &row[c.row[e + 1]];
        double one = a->v + by * a->h * c.value[e], two = b->v + by * b->h * c.value[e + 1];
        a->v = one;
        b->v = two;
    }
    for (; e < c.n; e++) row[c.row[e]].v += by * row[c.row[e]].h * c.value[e];
}

static double move_offset(struct smr_glm_work *t)
{
    int64_t n = t->n;
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

/* Over the columns in play from the number `from` on. */
static double sweep_columns(struct smr_glm_work *t, int64_t from)
{
    double gained = 0;
    for (int64_t a = from; a < t->k; a++) {
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

static double sweep(struct smr_glm_work *t)
{
    double gained = move_offset(t);
    return gained + sweep_columns(t, 0);
}

/* z_new = t of (1), which is v / h. */
static void scores_swept(struct smr_glm_work *t)
{
    for (int64_t i = 0; i < t->n; i++) {
        double v = t->row ? t->row[i].v : t->along[i];
        t->z_new[i] = t->h[i] > 0 ? v / t->h[i] : 0;
    }
}

/* The columns of the matrix come first in t->index, then the others in play; returns how many these
 * are.  All that was not 0 is still among them. */
static int64_t line_up(struct smr_glm_work *t)
{
    int64_t missed = 0, k = t->gram.k;
    for (int64_t a = 0; a < t->k; a++)
        if (!t->gram.is_in[t->index[a]]) t->index[missed++] = t->index[a];
    memmove(t->index + k, t->index, (size_t)missed * sizeof *t->index);
    memcpy(t->index, t->gram.index, (size_t)k * sizeof *t->index);
    t->k = k + missed;
    return missed;
}

/* curve = the slopes of (1) along the columns of the matrix where the others in play have moved. */
static smr_status slopes_moved(smr_ctx *ctx, void *arg, int64_t task, int lane)
{
    struct smr_glm_work *t = arg;
    (void)ctx, (void)lane;
    for (int64_t a = task * BLOCK; a < smr_block_end(t->gram.k, BLOCK, task); a++)
        t->curve[t->index[a]] = t->g[t->index[a]] + slope_of(t, t->index[a]);
    return SMR_OK;
}

/* Sweeps over the columns in play from the number k on, before those of the matrix move. */
static void sweep_missed(struct smr_glm_work *t, int64_t k)
{
    for (int64_t i = 0; i < t->n; i++) t->row[i] = (struct smr_glm_row){0, t->h[i]};
    for (int64_t a = k; a < t->k; a++) t->curve[t->index[a]] = curvature_of(t, t->index[a]);
    for (int r = 0; r < SWEEPS_OF_MISSED; r++) (void)sweep_columns(t, k);
}

/* D = about the minimum of (1) over the columns of the matrix, from where it is, with the h that
 * the matrix was made with, after sweeps over the others in play.  z_new = t of (1). */
static smr_status solve_by_gram(smr_ctx *ctx, struct smr_glm_work *t, double gap)
{
    smr_status st = SMR_OK;
    int64_t k = t->gram.k;
    double *slope = t->g, rest = 0;
    if (line_up(t) > 0) {
        sweep_missed(t, k);
        TRY(smr_parallel(ctx, NULL, smr_block_count(k, BLOCK), slopes_moved, t));
        slope = t->curve;
        for (int64_t i = 0; i < t->n; i++) rest += t->row[i].v;
    }
    TRY(smr_glm_gram(ctx, t, slope, smr_sum_f64(t->n, t->s) + rest, gap));
    for (int64_t i = 0; i < t->n; i++) t->z_new[i] = t->D_offset;
    for (int64_t a = 0; a < t->k; a++) {
        struct smr_glm_column x = smr_glm_column(t, t->index[a]);
        double by = t->D[t->index[a]];
        if (by != 0) smr_sparse_add(x.n, x.row, x.value, by, t->z_new);
    }
out:
    return st;
}

bool smr_glm_keeps_gram(const struct smr_glm_work *t)
{
    int64_t missed = 0;
    if (t->gram.k == 0 || !t->serves) return false;
    for (int64_t a = 0; a < t->k; a++) missed += !t->gram.is_in[t->index[a]];
    return missed * SHARE_MISSED <= t->k;
}

smr_status smr_glm_solve_local(smr_ctx *ctx, struct smr_glm_work *t)
{
    smr_status st = SMR_OK;
    memset(t->D, 0, (size_t)t->d * sizeof *t->D);
    t->D_offset = 0;
    if (smr_glm_keeps_gram(t)) return solve_by_gram(ctx, t, INFINITY);
    smr_glm_matrix_release(&t->gram);
    if (!t->row) memset(t->along, 0, (size_t)t->n * sizeof *t->along);
    for (int64_t i = 0; t->row && i < t->n; i++) t->row[i] = (struct smr_glm_row){0, t->h[i]};
    TRY(smr_parallel(ctx, NULL, smr_block_count(t->k, BLOCK), curvatures_of_block, t));
    double first = sweep(t), goal = t->enough * first, before = INFINITY, gained = first;
    for (int k = 1; k < MAX_SWEEPS && gained > goal && gained > 0; k++) {
        if (k >= SWEEPS && smr_glm_sweeps_left(before, gained, goal) > SWEEPS_OF_A_GRAM &&
            smr_glm_has_gram(t)) {
            TRY(smr_glm_matrix_make(ctx, t, &t->gram));
            return solve_by_gram(ctx, t, 0.1 * goal);
        }
        before = gained;
        gained = sweep(t);
        t->run.out->products++;
        TRY(smr_tick(ctx, t->run.opts.what ? t->run.opts.what : "coordinate descent",
                     t->run.out->iterations, t->run.opts.max_iter, t->f));
    }
    scores_swept(t);
out:
    return st;
}
