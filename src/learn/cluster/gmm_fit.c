/* gmm_fit.c -- fitting mixtures: EM, its starts, and the number of components.
 *
 * EM goes on until the gain that is left is small.  The gains g_t of late iterations fall like a
 * geometric series, so that with r = g_t / g_{t-1} < 1 what is left is about
 *
 *     g_t r / (1 - r)                                                                          (1)
 *
 * (Boehning et al., Ann. Inst. Stat. Math. 46, 1994): a small gain alone may be one of many.  Of
 * several starts the best after FIRST_ITERATIONS goes on.  Without k, the numbers of components
 * 1 .. most are tried; the one with the least
 *
 *     BIC = -2 log L + p log W   or   AIC = -2 log L + 2 p                                     (2)
 *
 * is kept, p being the free parameters; numbers under which a component collapses, so that its
 * likelihood is as large as the floor lets it be, are passed over. */
#include "core/parallel.h"
#include "core/try.h"
#include "kernel/kernel.h"
#include "learn/cluster/gmm.h"
#include "transform/moments.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum {
    FIRST_ITERATIONS = 10, /* of every start                        */
    MOST_TASKS = 64,       /* that count at the same time           */
    FEW_TASKS = 8,         /* however large their sums              */
    TASK_BLOCKS = 4,       /* at least, of a task                   */
    SUM_NUMBERS = 1 << 23, /* of all tasks' sums, about             */
    SHOWN = 300            /* rows kept for pictures                */
};

/* ---- candidates ------------------------------------------------------------------------- */

/* Components, and how EM came to them. */
struct candidate {
    struct smr_gmm_parts parts;
    double *all, *curve, value;
    int64_t n_curve, n_thin;
    bool settled;
};

static void release(struct candidate *c)
{
    smr_free(c->all);
    smr_free(c->curve);
    *c = (struct candidate){0};
}

static smr_status create(smr_ctx *ctx, const struct smr_gmm_fit *f, int64_t k,
                         struct candidate *out)
{
    smr_status st = SMR_OK;
    struct candidate c = {.value = -INFINITY};
    smr_gmm_shapes(f->params->covariance, k, f->d, &c.parts);
    TRY_NEW(c.all, k + k * f->d + c.parts.n_shapes * c.parts.n_spread);
    TRY_NEW(c.curve, f->params->max_iter + 1);
    c.parts.share = c.all;
    c.parts.mean = c.all + k;
    c.parts.spread = c.parts.mean + k * f->d;
    *out = c;
    c = (struct candidate){0};
out:
    release(&c);
    return st;
}

static void trade(struct candidate *a, struct candidate *b)
{
    struct candidate c = *a;
    *a = *b;
    *b = c;
}

static double criterion(const struct smr_gmm_fit *f, const struct candidate *c)
{
    double p = smr_gmm_free(f->params->covariance, &c->parts);
    return p * (f->params->criterion == SMR_GMM_AIC ? 2 : smr_log(f->weight)) - 2 * c->value;
}

/* ---- EM --------------------------------------------------------------------------------- */

/* (1) */
static bool is_settled(const struct smr_gmm_fit *f, const struct candidate *c)
{
    const double *v = c->curve + c->n_curve;
    double small = f->params->tol * f->weight, gain, before;
    if (c->n_curve < 2) return false;
    gain = v[-1] - v[-2];
    if (gain <= 0) return true; /* but for rounding: nothing is left */
    if (c->n_curve < 3) return gain <= 1e-3 * small;
    before = v[-2] - v[-3];
    return gain <= 1e-3 * small || (gain < before && gain * gain / (before - gain) <= small);
}

/* Iterations until there were `most`, or EM settles.  The sums in hand are those of `now`. */
static smr_status lead(smr_ctx *ctx, struct smr_gmm_fit *f, smr_span *span, int64_t *done,
                       int64_t start, int64_t most, struct candidate *now)
{
    smr_status st = SMR_OK;
    while (now->n_curve <= most && !now->settled) {
        TRY(smr_span_at(ctx, span, (*done)++, now->n_curve ? now->value : NAN));
        if (now->n_curve) TRY(smr_gmm_update(ctx, f, &f->sums[0], &now->parts));
        TRY(smr_gmm_pass(ctx, f, &now->value));
        now->curve[now->n_curve++] = now->value;
        now->n_thin = f->n_thin;
        now->settled = is_settled(f, now);
        smr_gmm_watch(ctx, f, start, now->n_curve - 1, now->value);
    }
out:
    return st;
}

static void close_tables(struct smr_gmm_fit *f)
{
    for (int64_t t = 0; f->sums && t < f->n_tasks; t++) smr_free(f->sums[t].all);
    for (int i = 0; f->rooms && i < f->n_lanes; i++) smr_gmm_room_release(&f->rooms[i]);
    smr_free(f->sums);
    smr_free(f->rooms);
    smr_gmm_tables_free(f->tables);
    f->sums = NULL;
    f->rooms = NULL;
    f->tables = NULL;
}

/* Tables, sums and room for k components, and what they take. */
static smr_status open_tables(smr_ctx *ctx, struct smr_gmm_fit *f, const struct smr_gmm_parts *s)
{
    smr_status st = SMR_OK;
    int64_t blocks = smr_block_count(f->n, TASK_BLOCKS * SMR_GMM_BLOCK);
    bool whitens = f->params->covariance <= SMR_GMM_TIED;
    double width = (double)s->k + 8, d = (double)s->d, sums = (double)s->k * (d + 1) * (d + 1);
    if (!whitens) sums = 2 * (double)s->k * d;
    blocks = SMR_MAX(1, SMR_MIN(blocks, MOST_TASKS));
    f->n_tasks = (int64_t)smr_fmax(1, SMR_MIN((double)blocks, SUM_NUMBERS / sums));
    f->n_tasks = SMR_MAX(f->n_tasks, SMR_MIN(blocks, FEW_TASKS));
    double room = (double)SMR_GMM_BLOCK * (width + d + 3) + 64 * d;
    TRY(smr_memory_check(ctx,
                         8 * ((double)f->n_tasks * (sums + width) + (double)f->n_lanes * room +
                              4 * (double)s->k * d * (whitens ? d : 1)),
                         "gmm", "take fewer components or columns, or covariance=diagonal"));
    TRY(smr_gmm_tables_create(ctx, f->params->covariance, s, &f->tables));
    TRY_NEW(f->sums, f->n_tasks);
    for (int64_t t = 0; t < f->n_tasks; t++)
        TRY(smr_gmm_sums_create(ctx, s->k, s->d, f->tables->width, whitens, &f->sums[t]));
    TRY_NEW(f->rooms, f->n_lanes);
    for (int64_t i = 0; i < f->n_lanes; i++)
        TRY(smr_gmm_room_create(ctx, s->d, f->tables->width, whitens, &f->rooms[i]));
out:
    return st;
}

/* The components of an earlier model, if they have this shape. */
static bool begin_warm(struct smr_gmm_fit *f, struct smr_gmm_parts *s)
{
    const smr_warm_start *from = f->report->warm;
    if (!from || from->stage->learner != f->report->learner) return false;
    const struct smr_gmm_params *p = from->stage->params;
    struct smr_gmm_parts old = smr_gmm_parts_of(from->stage->state);
    const smr_feature *names = from->shape->features, *now = f->given->features;
    if (old.k != s->k || old.d != s->d || p->covariance != f->params->covariance) return false;
    for (int64_t j = 0; names && now && j < s->d; j++)
        if (!names[j].name || !now[j].name || strcmp(names[j].name, now[j].name) != 0) return false;
    memcpy(s->share, old.share, (size_t)s->k * sizeof *s->share);
    memcpy(s->mean, old.mean, (size_t)(s->k * s->d) * sizeof *s->mean);
    memcpy(s->spread, old.spread, (size_t)(s->n_shapes * s->n_spread) * sizeof *s->spread);
    return true;
}

static smr_status fit_starts(smr_ctx *ctx, struct smr_gmm_fit *f, smr_span *span, int64_t *done,
                             struct candidate *best)
{
    smr_status st = SMR_OK;
    struct candidate now = {0};
    int64_t most = f->params->max_iter, first = SMR_MIN(most, FIRST_ITERATIONS), at = 0;
    bool warm = begin_warm(f, &best->parts);
    int64_t tries = warm || best->parts.k == 1 ? 1 : f->params->restarts;
    f->report->is_warm |= warm;
    TRY(create(ctx, f, best->parts.k, &now));
    for (int64_t a = 0; a < tries; a++) {
        struct candidate *c = a ? &now : best;
        c->n_curve = 0;
        c->settled = false;
        f->tables->parts = &c->parts;
        if (!warm) TRY(smr_gmm_start(ctx, f, a, &c->parts));
        TRY(lead(ctx, f, span, done, a, tries == 1 ? most : first, c));
        if (a == 0 || !(now.value > best->value)) continue;
        trade(&now, best);
        at = a;
    }
    f->tables->parts = &best->parts;
    f->n_thin = best->n_thin;
    if (tries > 1 && !best->settled && best->n_curve <= most) { /* its sums are gone */
        TRY(smr_gmm_pass(ctx, f, &best->value));
        TRY(lead(ctx, f, span, done, at, most, best));
    }
out:
    f->tables->parts = NULL;
    release(&now);
    return st;
}

static smr_status fit_count(smr_ctx *ctx, struct smr_gmm_fit *f, smr_span *span, int64_t *done,
                            int64_t k, struct candidate *out)
{
    smr_status st = SMR_OK;
    TRY(create(ctx, f, k, out));
    TRY(open_tables(ctx, f, &out->parts));
    TRY(fit_starts(ctx, f, span, done, out));
out:
    close_tables(f);
    return st;
}

/* ---- the number of components ----------------------------------------------------------- */

/* Distinct rows, as far as the numbers of components go that are tried. */
static smr_status count_distinct(smr_ctx *ctx, struct smr_gmm_fit *f, int64_t most, int64_t *out)
{
    smr_status st = SMR_OK;
    double *seen = NULL;
    int64_t n = 0, d = f->d;
    TRY_NEW(seen, most * d);
    for (int64_t i = 0; i < f->n && n < most; i++) {
        smr_rows row;
        int64_t c = 0;
        if (!(smr_data_weight(&f->data, i) > 0)) continue;
        TRY(smr_held_block(ctx, &f->held, 0, i, i + 1, &row));
        while (c < n && memcmp(seen + c * d, row.x, (size_t)d * sizeof *seen) != 0) c++;
        if (c == n) memcpy(seen + n++ * d, row.x, (size_t)d * sizeof *seen);
    }
    *out = n;
out:
    smr_free(seen);
    return st;
}

static smr_status choose(smr_ctx *ctx, struct smr_gmm_fit *f, smr_span *span, int64_t *done,
                         struct smr_gmm_state *s, struct candidate *best)
{
    smr_status st = SMR_OK;
    struct candidate now = {0};
    int64_t most;
    TRY(count_distinct(ctx, f, f->params->most, &most));
    TRY_NEW(s->tried, most);
    s->n_tried = most;
    for (int64_t k = 1; k <= most; k++) {
        f->tells_k = true;
        TRY(fit_count(ctx, f, span, done, k, &now));
        bool thin = now.n_thin > 0;
        s->tried[k - 1] = thin ? NAN : criterion(f, &now);
        bool better =
            k == 1 || (best->n_thin > 0 ? !thin : !thin && s->tried[k - 1] < criterion(f, best));
        if (better) trade(&now, best);
        release(&now);
    }
out:
    release(&now);
    return st;
}

/* ---- rows ------------------------------------------------------------------------------- */

static smr_status find_moments(smr_ctx *ctx, struct smr_gmm_fit *f)
{
    smr_status st = SMR_OK;
    double *weight = NULL;
    TRY_NEW(weight, f->d);
    TRY_NEW(f->mean, f->d);
    TRY_NEW(f->deviation, f->d);
    TRY_NEW(f->constant, f->d);
    TRY(smr_moments(ctx, &f->data, f->mean, f->deviation, weight));
    for (int64_t j = 0; j < f->d; j++) {
        double *sd = &f->deviation[j];
        if (!isfinite(f->mean[j]) || !(*sd < 1e150)) {
            TRY(smr_held_explain(ctx, &f->held));
            TRY(smr_fail(ctx, SMR_ERR_NUMERIC, "gmm: variances overflow: rescale the columns"));
        }
        f->constant[j] = *sd <= 8 * DBL_EPSILON * fabs(f->mean[j]) || *sd < 1e-140;
        if (f->constant[j]) *sd = 1e-6 * (1 + fabs(f->mean[j]));
    }
out:
    smr_free(weight);
    return st;
}

static smr_status open_rows(smr_ctx *ctx, struct smr_gmm_fit *f, smr_keep *keep)
{
    smr_status st = SMR_OK;
    const smr_data *data = f->given;
    f->data = *data;
    f->data.spend = NULL; /* rows are read again and again */
    f->n = data->n_rows;
    f->d = data->n_features;
    f->n_lanes = smr_lanes(ctx);
    if (f->n < 1) return smr_fail(ctx, SMR_ERR_DATA, "gmm: no rows to fit");
    if (f->d < 1) return smr_fail(ctx, SMR_ERR_DATA, "gmm: there are no features");
    TRY(smr_held_check_weights(ctx, "gmm", 0, f->n, data->weight, &f->weight));
    if (!(f->weight > 0))
        TRY(smr_fail(ctx, SMR_ERR_DATA, "gmm: no rows to fit: all weights are 0"));
    TRY(smr_data_keep(ctx, &f->data, SMR_FORM_F64, false, keep));
    TRY(smr_held_open(ctx, &f->data, SMR_FORM_F64, SMR_GMM_BLOCK, &f->held));
    TRY(find_moments(ctx, f));
out:
    return st;
}

/* ---- what is kept ----------------------------------------------------------------------- */

/* The two features by which the components differ most, in units of the deviations. */
static void choose_plane(const struct smr_gmm_fit *f, const struct smr_gmm_parts *s, int32_t *plane)
{
    double best[2] = {-1, -1};
    for (int64_t j = 0; j < s->d; j++) {
        double sum = 0;
        for (int64_t c = 0; c < s->k; c++) {
            double z = (s->mean[c * s->d + j] - f->mean[j]) / f->deviation[j];
            sum += s->share[c] * z * z;
        }
        int at = sum > best[0] ? 0 : sum > best[1] ? 1 : 2;
        if (at == 0) best[1] = best[0], plane[1] = plane[0];
        if (at < 2) best[at] = sum, plane[at] = (int32_t)j;
    }
    if (s->d > 1 && plane[0] > plane[1]) {
        int32_t first = plane[1];
        plane[1] = plane[0];
        plane[0] = first;
    }
}

static smr_status keep_sample(smr_ctx *ctx, struct smr_gmm_fit *f, const struct smr_gmm_parts *c,
                              struct smr_gmm_state *s)
{
    smr_status st = SMR_OK;
    int64_t n = SMR_MIN(SHOWN, f->n);
    int32_t plane[2] = {0, 0};
    s->n_plane = SMR_MIN(2, f->d);
    TRY_NEW(s->plane, s->n_plane);
    TRY_NEW(s->sample, n * s->n_plane);
    choose_plane(f, c, plane);
    memcpy(s->plane, plane, (size_t)s->n_plane * sizeof *plane);
    for (int64_t t = 0; t < n; t++) {
        smr_rows row;
        int64_t i = t * f->n / n;
        if (!(smr_data_weight(&f->data, i) > 0)) continue;
        TRY(smr_held_block(ctx, &f->held, 0, i, i + 1, &row));
        for (int64_t j = 0; j < s->n_plane; j++)
            s->sample[s->n_sample * s->n_plane + j] = ((const double *)row.x)[plane[j]];
        s->n_sample++;
    }
out:
    return st;
}

static smr_status keep(smr_ctx *ctx, struct smr_gmm_fit *f, struct candidate *c,
                       struct smr_gmm_state *s)
{
    smr_status st = SMR_OK;
    const struct smr_gmm_parts *from = &c->parts;
    int64_t n_mean = from->k * from->d, n_spread = from->n_shapes * from->n_spread;
    s->n_features = from->d;
    s->k = from->k;
    s->n_shapes = from->n_shapes;
    s->n_spread = from->n_spread;
    TRY_NEW(s->share, s->k);
    TRY_NEW(s->mean, n_mean);
    TRY_NEW(s->spread, n_spread);
    memcpy(s->share, from->share, (size_t)s->k * sizeof *s->share);
    memcpy(s->mean, from->mean, (size_t)n_mean * sizeof *s->mean);
    memcpy(s->spread, from->spread, (size_t)n_spread * sizeof *s->spread);
    s->weight = f->weight;
    s->log_likelihood = c->value;
    s->n_thin = c->n_thin;
    s->n_curve = c->n_curve;
    s->curve = c->curve;
    c->curve = NULL;
    for (int64_t i = 1; i < s->n_curve; i++) TRY(smr_fit_step(ctx, f->report, -s->curve[i]));
    f->report->objective = -c->value;
    f->report->converged = c->settled;
    TRY(keep_sample(ctx, f, from, s));
out:
    return st;
}

static void warn(smr_ctx *ctx, const struct smr_gmm_fit *f, const struct smr_gmm_state *s)
{
    int64_t empty = 0;
    for (int64_t c = 0; c < s->k; c++) empty += s->share[c] * f->weight < 1e-6;
    if (s->n_thin > 0)
        smr_warn(
            ctx,
            "gmm: %lld of %lld component%s collapsed: in some direction %s rows hardly differ, "
            "and the variance is held at floor=%g of that of all rows; take fewer components, "
            "a larger floor, or leave out constant columns",
            (long long)s->n_thin, (long long)s->k, smr_plural(s->k, "", "s"),
            s->n_thin == 1 ? "its" : "their", f->params->floor);
    if (empty > 0)
        smr_warn(ctx, "gmm: %lld of %lld components have no rows left; take fewer",
                 (long long)empty, (long long)s->k);
}

smr_status smr_gmm_fit(smr_ctx *ctx, const void *params, const smr_data *data, void *state,
                       smr_fit_report *report)
{
    smr_status st = SMR_OK;
    struct smr_gmm_fit f = {.params = params, .given = data, .report = report};
    struct smr_gmm_state *s = state;
    struct candidate best = {0};
    smr_keep rows = {0};
    smr_span span = {0};
    int64_t done = 0, k = f.params->k, tries;
    TRY(open_rows(ctx, &f, &rows));
    if (k == SMR_UNSET_INT && report->warm && report->warm->stage->learner == report->learner)
        k = ((const struct smr_gmm_state *)report->warm->stage->state)->k;
    tries = SMR_MIN(f.params->max_iter, FIRST_ITERATIONS) * (f.params->restarts - 1);
    smr_span_open(ctx, &span, "gmm",
                  (f.params->max_iter + 1 + tries) * (k == SMR_UNSET_INT ? f.params->most : 1));
    if (k == SMR_UNSET_INT)
        TRY(choose(ctx, &f, &span, &done, s, &best));
    else
        TRY(fit_count(ctx, &f, &span, &done, k, &best));
    TRY(keep(ctx, &f, &best, s));
    warn(ctx, &f, s);
    TRY(smr_span_at(ctx, &span, span.total, s->log_likelihood));
out:
    smr_span_close(ctx, &span);
    release(&best);
    close_tables(&f);
    smr_held_close(&f.held);
    smr_keep_release(&rows);
    smr_free(f.mean);
    smr_free(f.deviation);
    smr_free(f.constant);
    return st;
}
