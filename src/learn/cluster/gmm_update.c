/* gmm_update.c -- the components that sums make likeliest, and where EM begins.
 *
 *     N_c = sum r_ic,  share_c = N_c / W,  mean_c = sum r_ic x_i / N_c                          (1)
 *     S_c = sum r_ic (x_i - mean_c)(x_i - mean_c)' / N_c                                       (2)
 *
 * tied: the mean of S_c by share; diagonal, spherical: its diagonal, and the mean of that.  Of all
 * covariances that in units of the deviations of all rows are at least `floor` in every direction,
 * the likeliest is S_c with its eigenvalues raised to that (math/covariance.h), so the likelihood
 * does not fall where a component is held there.  A feature that is constant has the variance
 * (1e-6 (1 + |value|))^2 in all.
 *
 * EM begins at the means of centres that k-means finds among some of the rows (math/centres.h), in
 * units of the deviations unless the covariance has a unit of its own.  Covariances begin as those
 * of the rows around each centre and, as if these were d + 2 rows more, of all rows around theirs:
 * a centre with few rows would begin as a spike. */
#include "core/rng.h"
#include "core/try.h"
#include "kernel/kernel.h"
#include "learn/cluster/gmm.h"
#include "math/centres.h"
#include "math/covariance.h"

#include <math.h>
#include <string.h>

static const double NOTHING = 1e-100; /* of a row: less is no row */

enum { MOST_ROWS = 20000, ROUNDS = 10 };

/* ---- updates ---------------------------------------------------------------------------- */

/* What a component moves by, over its weight. */
static double off(const struct smr_gmm_sums *sums, const struct smr_gmm_parts *s, int64_t c,
                  int64_t j)
{
    int64_t m = s->d + 1;
    double sum = sums->gram ? sums->gram[c * m * m + j * m + s->d] : sums->sum[c * s->d + j];
    return sum / sums->weight[c];
}

/* (2) of features i <= j, around the new mean. */
static double moment(const struct smr_gmm_sums *sums, const struct smr_gmm_parts *s, int64_t c,
                     int64_t i, int64_t j)
{
    int64_t m = s->d + 1;
    double sum = sums->gram ? sums->gram[c * m * m + i * m + j] : sums->square[c * s->d + j];
    return sum / sums->weight[c] - off(sums, s, c, i) * off(sums, s, c, j);
}

/* S (d x d), of which the upper triangle is filled, held at the floor. */
static smr_status hold(smr_ctx *ctx, struct smr_gmm_fit *f, double *S, double *work)
{
    smr_status st = SMR_OK;
    int64_t d = f->d;
    const double *by = f->deviation;
    bool lifted;
    for (int64_t i = 0; i < d; i++)
        for (int64_t j = i; j < d; j++) {
            bool still = f->constant[i] || f->constant[j];
            S[j * d + i] = S[i * d + j] = still ? i == j : S[i * d + j] / (by[i] * by[j]);
        }
    TRY(smr_covariance_lift(ctx, d, f->params->floor, S, work, &lifted));
    f->n_thin += lifted;
    for (int64_t i = 0; i < d; i++)
        for (int64_t j = 0; j < d; j++) S[i * d + j] *= by[i] * by[j];
out:
    return st;
}

static smr_status update_joined(smr_ctx *ctx, struct smr_gmm_fit *f,
                                const struct smr_gmm_sums *sums, struct smr_gmm_parts *s)
{
    smr_status st = SMR_OK;
    int64_t d = s->d;
    bool tied = s->n_shapes < s->k || f->params->covariance == SMR_GMM_TIED;
    double *work = NULL, all = 0;
    TRY_NEW(work, d * d + d);
    for (int64_t c = 0; c < s->k; c++) all += sums->weight[c];
    if (tied) memset(s->spread, 0, (size_t)(d * d) * sizeof *s->spread);
    for (int64_t c = 0; c < s->k; c++) {
        double *S = s->spread + (tied ? 0 : c * d * d);
        double weight = tied ? sums->weight[c] / all : 1;
        if (!(sums->weight[c] > NOTHING)) continue;
        for (int64_t i = 0; i < d; i++)
            for (int64_t j = i; j < d; j++) {
                double now = weight * moment(sums, s, c, i, j);
                S[i * d + j] = tied ? S[i * d + j] + now : now;
            }
        if (!tied) TRY(hold(ctx, f, S, work));
    }
    if (tied) TRY(hold(ctx, f, s->spread, work));
out:
    smr_free(work);
    return st;
}

/* The least variance of one feature, or of all together. */
static double least(const struct smr_gmm_fit *f, int64_t j)
{
    double sum = 0;
    if (j >= 0) return f->params->floor * f->deviation[j] * f->deviation[j];
    for (int64_t i = 0; i < f->d; i++) sum += f->deviation[i] * f->deviation[i];
    return f->params->floor * sum / (double)f->d;
}

static void update_variances(struct smr_gmm_fit *f, const struct smr_gmm_sums *sums,
                             struct smr_gmm_parts *s, int64_t c)
{
    double sum = 0;
    bool thin = false, one = s->n_spread == 1 && f->params->covariance == SMR_GMM_SPHERICAL;
    for (int64_t j = 0; j < s->d; j++) {
        double now = moment(sums, s, c, j, j), floor = least(f, j);
        sum += now;
        if (one) continue;
        if (f->constant[j]) floor = f->deviation[j] * f->deviation[j];
        thin |= now < floor && !f->constant[j];
        s->spread[c * s->d + j] = smr_fmax(now, floor);
    }
    if (one) {
        double floor = least(f, -1);
        thin = sum / (double)s->d < floor;
        s->spread[c] = smr_fmax(sum / (double)s->d, floor);
    }
    f->n_thin += thin;
}

smr_status smr_gmm_update(smr_ctx *ctx, struct smr_gmm_fit *f, const struct smr_gmm_sums *sums,
                          struct smr_gmm_parts *s)
{
    smr_status st = SMR_OK;
    double all = 0;
    f->n_thin = 0;
    for (int64_t c = 0; c < s->k; c++) all += sums->weight[c];
    if (sums->gram) TRY(update_joined(ctx, f, sums, s));
    for (int64_t c = 0; c < s->k; c++) {
        s->share[c] = sums->weight[c] / all;
        if (!(sums->weight[c] > NOTHING)) continue;
        if (!sums->gram && s->n_shapes) update_variances(f, sums, s, c);
        for (int64_t j = 0; j < s->d; j++) s->mean[c * s->d + j] += off(sums, s, c, j);
    }
out:
    return st;
}

/* ---- starts ----------------------------------------------------------------------------- */

struct starting {
    struct smr_gmm_fit *f;
    uint64_t seed, attempt, drawn;
    int64_t n;
    double *x, *weight; /* n x d, n: some of the rows      */
    double *z;          /* n x d: what distances are among */
    smr_centres centres;
};

static double draw_unit(void *arg)
{
    struct starting *t = arg;
    return smr_random_unit(t->seed, SMR_STREAM_MIXTURE, t->attempt, t->drawn++);
}

static smr_status take_rows(smr_ctx *ctx, struct starting *t)
{
    smr_status st = SMR_OK;
    struct smr_gmm_fit *f = t->f;
    int64_t d = f->d, most = SMR_MIN(f->n, MOST_ROWS);
    bool own = f->params->covariance >= SMR_GMM_SPHERICAL;
    TRY_NEW(t->x, most * d);
    TRY_NEW(t->z, most * d);
    TRY_NEW(t->weight, most);
    for (int64_t k = 0; k < most; k++) {
        smr_rows row;
        int64_t i = (int64_t)((double)k * ((double)f->n / (double)most));
        double w = smr_data_weight(&f->data, i);
        if (!(w > 0)) continue;
        TRY(smr_held_block(ctx, &f->held, 0, i, i + 1, &row));
        memcpy(t->x + t->n * d, row.x, (size_t)d * sizeof *t->x);
        for (int64_t j = 0; j < d; j++)
            t->z[t->n * d + j] = (t->x[t->n * d + j] - f->mean[j]) / (own ? 1 : f->deviation[j]);
        t->weight[t->n++] = w;
    }
out:
    return st;
}

/* k of the rows, each as likely. */
static int64_t draw_any(struct starting *t)
{
    smr_centres *c = &t->centres;
    int64_t distinct = 0;
    for (int64_t i = 0; i < c->n; i++) c->near[i] = 1;
    for (int64_t j = 0; j < c->k; j++) {
        double sum = 0, at;
        int64_t i = 0, last = 0;
        for (i = 0; i < c->n; i++) sum += c->near[i] > 0 ? c->weight[i] : 0;
        distinct += sum > 0;
        at = draw_unit(t) * sum;
        for (i = 0; i < c->n; i++) {
            if (!(c->near[i] > 0)) continue;
            last = i;
            if (at < c->weight[i]) break;
            at -= c->weight[i];
        }
        memcpy(c->centre + j * c->d, c->z + last * c->d, (size_t)c->d * sizeof *c->z);
        for (i = 0; i < c->n; i++)
            if (memcmp(c->z + i * c->d, c->z + last * c->d, (size_t)c->d * sizeof *c->z) == 0)
                c->near[i] = 0;
    }
    return distinct;
}

static smr_status find_centres(smr_ctx *ctx, struct starting *t, int64_t k)
{
    smr_status st = SMR_OK;
    int64_t d = t->f->d, distinct;
    int how = t->f->params->start;
    smr_centres *c = &t->centres;
    *c = (smr_centres){.n = t->n, .d = d, .k = k, .z = t->z, .weight = t->weight};
    TRY_NEW(c->centre, k * (d + 1));
    c->count = c->centre + k * d;
    TRY_NEW(c->near, 2 * t->n);
    c->chance = c->near + t->n;
    TRY_NEW(c->of, t->n);
    distinct = how == SMR_GMM_BY_RANDOM ? draw_any(t) : smr_centres_draw(c, draw_unit, t);
    if (distinct < k && t->f->n <= MOST_ROWS)
        TRY(smr_fail(ctx, SMR_ERR_DATA,
                     "gmm: %lld components, and only %lld row%s from each other; take k up to %lld",
                     (long long)k, (long long)distinct,
                     smr_plural(distinct, " differs", "s differ"), (long long)distinct));
    if (how == SMR_GMM_BY_KMEANS) smr_centres_settle(c, ROUNDS);
    smr_centres_assign(c);
out:
    return st;
}

/* Sums of the rows around the centres, measured from these. */
static smr_status count_rows(smr_ctx *ctx, struct starting *t, struct smr_gmm_parts *s)
{
    smr_status st = SMR_OK;
    struct smr_gmm_fit *f = t->f;
    int64_t d = f->d, width = f->tables->width;
    struct smr_gmm_sums *to = &f->sums[0];
    bool own = f->params->covariance >= SMR_GMM_SPHERICAL;
    for (int64_t c = 0; c < s->k; c++)
        for (int64_t j = 0; j < d; j++)
            s->mean[c * d + j] =
                f->mean[j] + t->centres.centre[c * d + j] * (own ? 1 : f->deviation[j]);
    memset(to->all, 0, (size_t)to->n * sizeof *to->all);
    for (int64_t lo = 0; lo < t->n; lo += SMR_GMM_BLOCK) {
        int64_t n = SMR_MIN(SMR_GMM_BLOCK, t->n - lo);
        double *p = f->rooms[0].p;
        memset(p, 0, (size_t)(n * width) * sizeof *p);
        for (int64_t i = 0; i < n; i++) p[i * width + t->centres.of[lo + i]] = t->weight[lo + i];
        smr_gmm_count(f->tables, n, t->x + lo * d, d, p, &f->rooms[0], to);
        TRY(smr_tick(ctx, NULL, lo, t->n, NAN));
    }
out:
    return st;
}

/* Adds to each component's sums some rows that lie around it as all do around theirs. */
static void steady(const struct smr_gmm_fit *f, const struct smr_gmm_parts *s,
                   struct smr_gmm_sums *to, double *pooled)
{
    int64_t d = s->d, m = d + 1;
    int64_t size = to->gram ? m * m : d;
    double *table = to->gram ? to->gram : to->square, all = 0;
    memset(pooled, 0, (size_t)size * sizeof *pooled);
    for (int64_t c = 0; c < s->k; c++) {
        all += to->weight[c];
        for (int64_t i = 0; i < size; i++) pooled[i] += table[c * size + i];
    }
    double unit = smr_fmin(1, f->weight / (double)f->n); /* what counts as one row */
    double by = unit * (double)(d + 2) / all;
    for (int64_t c = 0; c < s->k; c++) {
        for (int64_t i = 0; i < d; i++)
            for (int64_t j = to->gram ? i : d - 1; j < d; j++)
                table[c * size + (to->gram ? i * m + j : i)] +=
                    by * pooled[to->gram ? i * m + j : i];
        to->weight[c] += by * all;
    }
}

smr_status smr_gmm_start(smr_ctx *ctx, struct smr_gmm_fit *f, int64_t attempt,
                         struct smr_gmm_parts *s)
{
    smr_status st = SMR_OK;
    struct starting t = {.f = f, .seed = ctx->seed, .attempt = (uint64_t)attempt};
    double *pooled = NULL;
    TRY_NEW(pooled, (f->d + 1) * (f->d + 1));
    TRY(take_rows(ctx, &t));
    TRY(find_centres(ctx, &t, s->k));
    TRY(count_rows(ctx, &t, s));
    if (s->k > 1) steady(f, s, &f->sums[0], pooled);
    TRY(smr_gmm_update(ctx, f, &f->sums[0], s));
out:
    smr_free(t.x);
    smr_free(t.z);
    smr_free(t.weight);
    smr_free(t.centres.centre);
    smr_free(t.centres.near);
    smr_free(t.centres.of);
    smr_free(pooled);
    return st;
}
