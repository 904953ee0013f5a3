/* dual.c -- dual coordinate descent: set-up, order and certificate; see dual.h and dual_parts.h. */
#include "math/optimize/dual.h"

#include "core/number.h"
#include "math/optimize/dual_parts.h"

#include <math.h>
#include <string.h>

enum { BLOCK = 1024 };
#define SHARE 0.4 /* of that length, for the logistic loss: see set_up */

void smr_dual_shuffle(const smr_ctx *ctx, struct smr_dual *d, int64_t pass)
{
    uint32_t bits[4] = {0};
    int64_t group = d->active >= SMR_DUAL_GROUPS_FROM ? SMR_DUAL_GROUP : 1, n = d->active / group;
    for (int64_t i = 0; i + 1 < n; i++) {
        if (i % 4 == 0) smr_philox(ctx->seed, SMR_STREAM_DUAL, (uint64_t)pass, (uint64_t)i, bits);
        uint64_t left = (uint64_t)(n - i); /* at most 2^31: 32 bits choose fairly enough */
        int64_t j = i + (int64_t)((bits[i % 4] * left) >> 32);
        for (int64_t k = 0; k < group; k++) {
            int64_t *a = &d->order[i * group + k], *b = &d->order[j * group + k], row = *a;
            *a = *b;
            *b = row;
        }
    }
}

/* ---- the certificate -------------------------------------------------------------------- */

/* Sums over a block of rows. */
struct tally {
    double loss, excess, balance, alpha; /* C loss, e, a y, a */
    double margin, weight[2];            /* the least; of both signs */
    int64_t n_skipped;
};

struct certificate {
    const struct smr_dual *d;
    bool is_full;
    double (*excess)(const struct smr_dual *d, int64_t i, double loss);
    struct tally *tally; /* by block */
};

/* Is the row beyond its margin for sure, and its variable 0? */
static bool is_beyond(const struct smr_dual *d, int64_t i)
{
    return d->reach && d->alpha[i] == 0 && d->path < d->reach[i];
}

static smr_status certify_block(smr_ctx *ctx, void *arg, int64_t task, int lane)
{
    struct certificate *c = arg;
    const struct smr_dual *d = c->d;
    struct tally *t = &c->tally[task];
    const double *y = d->p->y;
    int64_t lo = task * BLOCK, n = smr_block_end(d->p->n_rows, BLOCK, task) - lo;
    double loss[BLOCK];
    (void)ctx;
    for (int64_t i = lo; i < lo + n; i++)
        if (c->is_full || !is_beyond(d, i))
            d->score[i] = smr_dual_score(d, i, lane);
        else
            t->n_skipped++;
    smr_loss_block(&smr_losses[d->opts.loss], 0, n, y + lo, d->score + lo, loss, NULL, NULL);
    t->margin = INFINITY;
    for (int64_t i = lo; i < lo + n; i++) {
        if (!(d->C[i] > 0) || (!c->is_full && is_beyond(d, i))) continue;
        double e = c->excess(d, i, loss[i - lo]), m = y[i] * d->score[i];
        if (d->excess) d->excess[i] = e;
        if (!d->opts.is_hard) t->loss += d->C[i] * loss[i - lo];
        t->excess += e;
        t->alpha += d->alpha[i];
        t->balance += d->alpha[i] * y[i];
        t->margin = smr_fmin(t->margin, m);
        if (d->reach) d->reach[i] = d->path + 0.999 * (m - 1) / sqrt(d->size[i]);
        t->weight[y[i] > 0] += d->C[i];
    }
    return SMR_OK;
}

/* A bound on |b| of the best answer, given the objective of one: beyond it one class costs nothing
 * that a smaller |b| would not save of the other. */
static double far_away(const struct smr_dual *d, double objective, const struct tally *t)
{
    double longest = 0, odds = 0;
    for (int64_t i = 0; i < d->p->n_rows; i++) longest = smr_fmax(longest, d->size[i]);
    if (d->opts.loss == SMR_LOSS_LOGISTIC)
        odds = fabs(smr_log(smr_fmax(t->weight[0], 1e-300) / smr_fmax(t->weight[1], 1e-300)));
    return 1 + odds + sqrt(2 * objective * longest);
}

static void conclude(struct smr_dual *d, const struct tally *t)
{
    smr_dual_result *out = d->out;
    int64_t m = d->p->n_cols;
    double square = smr_dot_f64(m, d->w, d->w), last = d->bias != 0 ? d->w[m] : 0, objective, gap;
    if (!d->p->is_free) square += last * last;
    objective = 0.5 * square + t->loss;
    gap = t->excess;
    if (d->opts.is_hard) {
        objective = t->margin > 0 ? 0.5 * square / (t->margin * t->margin) : INFINITY;
        gap = objective - (t->alpha - 0.5 * square);
        if (d->p->is_free) gap -= d->bias * last * t->balance;
    }
    if (d->p->is_free) gap += fabs(t->balance) * (far_away(d, objective, t) + fabs(d->bias * last));
    out->objective = d->opts.l2 * objective;
    out->gap = isnan(gap) ? INFINITY : d->opts.l2 * smr_fmax(gap, 0);
    out->margin = t->margin;
}

/* How far w went since the last certificate. */
static void go_along(struct smr_dual *d)
{
    double square = 0;
    int64_t m = d->p->n_cols + (d->bias != 0);
    for (int64_t j = 0; j < m; j++) square += (d->w[j] - d->seen[j]) * (d->w[j] - d->seen[j]);
    d->path += sqrt(square);
    memcpy(d->seen, d->w, (size_t)m * sizeof *d->w);
}

smr_status smr_dual_certify(smr_ctx *ctx, struct smr_dual *d, bool is_full,
                            double (*excess)(const struct smr_dual *d, int64_t i, double loss))
{
    smr_status st = SMR_OK;
    int64_t n_blocks = smr_block_count(d->p->n_rows, BLOCK);
    struct certificate c = {.d = d, .is_full = is_full, .excess = excess};
    struct tally all = {.margin = INFINITY};
    TRY_NEW(c.tally, n_blocks);
    if (d->reach) go_along(d);
    TRY(smr_parallel(ctx, NULL, n_blocks, certify_block, &c));
    d->n_skipped = 0;
    for (int64_t b = 0; b < n_blocks; b++) {
        all.loss += c.tally[b].loss;
        all.excess += c.tally[b].excess;
        all.alpha += c.tally[b].alpha;
        all.balance += c.tally[b].balance;
        all.weight[0] += c.tally[b].weight[0];
        all.weight[1] += c.tally[b].weight[1];
        all.margin = smr_fmin(all.margin, c.tally[b].margin);
        d->n_skipped += c.tally[b].n_skipped;
    }
    conclude(d, &all);
out:
    smr_free(c.tally);
    return st;
}

void smr_dual_recentre(struct smr_dual *d)
{
    if (!d->p->is_free) return;
    double balance = 0, *v = &d->w[d->p->n_cols], before = *v;
    for (int64_t i = 0; i < d->p->n_rows; i++) balance += d->alpha[i] * d->p->y[i];
    d->centre = before;
    *v = before + d->bias * balance;
    for (int64_t i = 0; i < d->p->n_rows; i++) d->score[i] += d->bias * (*v - before);
}

/* ---- set-up ----------------------------------------------------------------------------- */

static smr_status check(smr_ctx *ctx, const smr_dual_problem *p, const smr_dual_opts *opts)
{
    char text[SMR_NUMBER_MAX];
    if (!opts->is_hard && (!(opts->l2 > 0) || !isfinite(opts->l2))) {
        smr_format_double(opts->l2, text);
        return smr_fail(ctx, SMR_ERR_PARAM, "the dual needs a penalty l2 > 0, not %s", text);
    }
    if (opts->loss != SMR_LOSS_HINGE && opts->loss != SMR_LOSS_SQUARED_HINGE &&
        opts->loss != SMR_LOSS_LOGISTIC)
        return smr_fail(ctx, SMR_ERR_UNSUPPORTED, "there is no dual of the loss %s here",
                        smr_losses[opts->loss].name);
    if (opts->is_hard && opts->loss != SMR_LOSS_HINGE)
        return smr_fail(ctx, SMR_ERR_UNSUPPORTED, "a hard margin goes with the hinge, not with %s",
                        smr_losses[opts->loss].name);
    return smr_loss_check(ctx, &smr_losses[opts->loss], 0, p->n_rows, p->y);
}

/* |x_i|^2 (without the bias) and C_i of a block of rows. */
static smr_status set_up_block(smr_ctx *ctx, void *arg, int64_t task, int lane)
{
    struct smr_dual *d = arg;
    const smr_csr *s = d->p->sparse;
    int64_t lo = task * BLOCK, hi = smr_block_end(d->p->n_rows, BLOCK, task);
    (void)ctx;
    for (int64_t i = lo; i < hi; i++) {
        double weight = d->p->weight ? d->p->weight[i] : 1;
        int64_t r = smr_dual_row(d->p, i), n = s ? s->start[r + 1] - s->start[r] : d->p->n_cols;
        const double *x = s ? s->value + s->start[r] : smr_dual_dense(d, i, lane);
        d->size[i] = smr_dot_f64(n, x, x);
        d->C[i] = !d->opts.is_hard ? weight / d->opts.l2 : weight > 0 ? INFINITY : 0;
    }
    return SMR_OK;
}

/* Sizes and bounds.  The bias of a free intercept is as long as the rows are on average: the
 * longer, the fewer times the centre moves, and the more passes it takes to where it stands.  The
 * logistic loss, whose dual is curved everywhere, is best served by less. */
static smr_status set_up(smr_ctx *ctx, struct smr_dual *d)
{
    smr_status st = SMR_OK;
    int64_t n = d->p->n_rows;
    TRY(smr_parallel(ctx, NULL, smr_block_count(n, BLOCK), set_up_block, d));
    d->bias = d->p->bias;
    if (d->p->is_free && d->bias == 0) {
        double mean = smr_sum_f64(n, d->size) / (double)SMR_MAX(n, 1);
        d->bias = mean > 0 ? sqrt(mean) : 1;
        if (d->opts.loss == SMR_LOSS_LOGISTIC) d->bias *= SHARE;
    }
    for (int64_t i = 0; i < n; i++) d->size[i] += d->bias * d->bias;
out:
    return st;
}

/* Rows that count come first in `order`.  A row without entries or weight leaves w alone; its
 * variable is at once what it must be: U_i (hinge), 1 / e_i, or C_i / 2 (logistic). */
static void line_up(struct smr_dual *d)
{
    int64_t n_live = 0, n = d->p->n_rows, last = n;
    for (int64_t i = 0; i < n; i++) {
        bool counts = smr_dual_counts(d, i);
        if (!counts)
            d->alpha[i] = d->opts.loss == SMR_LOSS_HINGE           ? d->C[i]
                          : d->opts.loss == SMR_LOSS_SQUARED_HINGE ? 2 * d->C[i]
                                                                   : 0.5 * d->C[i];
        d->order[counts ? n_live++ : --last] = i;
    }
    d->n_live = d->active = n_live;
}

static void start(struct smr_dual *d, const double *alpha)
{
    for (int64_t s = 0; s < d->n_live; s++) {
        int64_t i = d->order[s];
        double top = d->opts.loss == SMR_LOSS_SQUARED_HINGE ? INFINITY : d->C[i];
        double a = d->opts.warm ? smr_fmin(smr_fmax(alpha[i], 0), top) : 0;
        if (d->rest) { /* of the open interval's ends, only 0 is allowed: before the first visit */
            double least = smr_fmin(1e-3 * d->C[i], 1e-8);
            if (d->opts.warm) a = smr_fmin(smr_fmax(a, least), d->C[i] - least);
            d->rest[i] = d->C[i] - a;
        }
        d->alpha[i] = a;
        if (a == 0) continue;
        if (d->wide) (void)smr_dual_dense(d, i, 0);
        smr_dual_move(d, i, a * d->p->y[i]);
    }
}

static smr_status make_room(smr_ctx *ctx, struct smr_dual *d)
{
    smr_status st = SMR_OK;
    int64_t n = d->p->n_rows;
    bool is_logistic = d->opts.loss == SMR_LOSS_LOGISTIC;
    TRY_NEW(d->alpha, (is_logistic ? 6 : 5) * n);
    TRY_NEW(d->order, n);
    if (!d->p->sparse && !smr_dual_is_plain(d->p)) TRY_NEW(d->wide, smr_lanes(ctx) * d->p->n_cols);
    d->size = d->alpha + n;
    d->C = d->size + n;
    d->score = d->C + n;
    d->rest = is_logistic ? d->score + n : NULL;
    if (!is_logistic && !d->opts.is_hard) {
        d->reach = d->score + n;
        TRY_NEW(d->seen, d->p->n_cols + 1);
    }
    d->excess = is_logistic ? d->rest + n : NULL;
out:
    return st;
}

smr_status smr_dual_coordinate(smr_ctx *ctx, const smr_dual_problem *problem,
                               const smr_dual_opts *opts, double *w, double *alpha,
                               smr_dual_result *out)
{
    smr_status st = SMR_OK;
    int64_t n = problem->n_rows, m = problem->n_cols;
    bool has_bias = problem->bias != 0 || problem->is_free;
    struct smr_dual d = {.p = problem, .opts = *opts, .w = w, .out = out};
    *out = (smr_dual_result){0};
    TRY(check(ctx, problem, opts));
    if (d.opts.is_hard) d.opts.l2 = 1;
    if (d.opts.tol == 0) d.opts.tol = 1e-3;
    if (d.opts.max_passes == 0) d.opts.max_passes = 1000;
    memset(w, 0, (size_t)(m + has_bias) * sizeof *w);
    TRY(make_room(ctx, &d));
    TRY(set_up(ctx, &d));
    line_up(&d);
    start(&d, alpha);
    TRY(opts->loss == SMR_LOSS_LOGISTIC ? smr_dual_logistic(ctx, &d) : smr_dual_hinge(ctx, &d));
    for (int64_t i = 0; i < n; i++) out->n_support += d.alpha[i] > 0;
    if (alpha) memcpy(alpha, d.alpha, (size_t)n * sizeof *alpha);
    if (opts->score) memcpy(opts->score, d.score, (size_t)n * sizeof *d.score);
    if (problem->is_free) w[m] *= d.bias;
out:
    smr_free(d.alpha);
    smr_free(d.order);
    smr_free(d.seen);
    smr_free(d.wide);
    return st;
}

static smr_status score_block(smr_ctx *ctx, void *arg, int64_t task, int lane)
{
    struct smr_dual *d = arg;
    (void)ctx;
    for (int64_t i = task * BLOCK; i < smr_block_end(d->p->n_rows, BLOCK, task); i++)
        d->score[i] = smr_dual_score(d, i, lane);
    return SMR_OK;
}

smr_status smr_dual_scores(smr_ctx *ctx, const smr_dual_problem *problem, const double *w,
                           double *score)
{
    smr_status st = SMR_OK;
    struct smr_dual d = {.p = problem, .bias = problem->is_free ? 1 : problem->bias};
    TRY_NEW(d.w, problem->n_cols + 1);
    if (!problem->sparse && !smr_dual_is_plain(problem))
        TRY_NEW(d.wide, smr_lanes(ctx) * problem->n_cols);
    memcpy(d.w, w, (size_t)(problem->n_cols + (d.bias != 0)) * sizeof *w);
    d.score = score;
    TRY(smr_parallel(ctx, NULL, smr_block_count(problem->n_rows, BLOCK), score_block, &d));
out:
    smr_free(d.w);
    smr_free(d.wide);
    return st;
}
