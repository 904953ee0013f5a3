/* dual_softmax.c -- see dual_softmax.h.
 *
 * In units of l2, C_i = weight_i / l2.  Row i has the variables p_ic > 0, sum_c p_ic = 1, and
 *
 *     w_c = sum_i C_i ([c = y_i] - p_ic) x_i,   D = -|W|^2 / 2 - sum_i C_i sum_c p_ic log p_ic. (1)
 *
 * With f = W'x_i + b and q = softmax(f), what separates P and D is C_i KL(p_i | q_i) in each row,
 * provided that the variables balance, sum_i C_i ([c = y_i] - p_ic) = 0, where there are
 * intercepts.  For one row with a = C |x|^2 and r the old variables, the new ones solve
 *
 *     log p_c + a p_c = t + f_c + a r_c,   sum_c p_c = 1                                       (2)
 *
 * for p and t.  Newton's steps on (2) are taken in log p, so that p stays positive: with
 * g_c = f_c + a r_c - log p_c - a p_c and s_c = p_c / (1 + a p_c),
 *
 *     t = (1 - sum p - sum s g) / sum s,   log p_c += (t + g_c) / (1 + a p_c), at most to 0.
 *
 * In a pass the intercepts are weights of one more entry of each row, whose penalty is centred
 * where they were at the last look.  A look takes the best b for the W at hand, by Newton; and the
 * best shift of all log p_i by one vector, which balances the variables: the same problem with
 * log p in place of f.  With p' the variables so shifted and W' their sum (1) the gap is
 *
 *     sum_i C_i KL(p'_i | q_i) + |W - W'|^2 / 2,
 *
 * and the work goes on with p' and W'. */
#include "math/optimize/dual_softmax.h"

#include "core/number.h"
#include "math/factor.h"
#include "math/optimize/dual_parts.h"

#include <string.h>

enum { BLOCK = 64, MOST_STEPS = 60, MOST_LOOKS = 100000, CHUNKS = 16, MOST_NEWTON = 50 };
/* Passes over all rows before the first look, and visits as of this many before any other; of rows
 * in play this many passes at most. */
enum { FIRST_PASSES = 3, MOST_PASSES = 6, MOST_IN_PLAY = 1000 };
#define FAR (-40.) /* log p of what is not there yet: less than rounding of 1 */
#define LEFT 0.5   /* of the gap that its rows had when a pass visited them */

struct softmax {
    struct smr_dual d; /* rows, order, sizes, counts; score: the row's part of the gap        */
    smr_softmax_opts opts;
    const int32_t *label;
    int64_t k, ld;
    double *W;     /* (n_cols + 1) x ld: column by column, what the intercepts are of last     */
    double *delta; /* the same: W' - W                                                        */
    double *logp;  /* n x ld */
    double *f;     /* n x ld: scores without intercepts, at a look                            */
    double *b;     /* ld: intercepts at the last look                                         */
    double *room;  /* 5 ld: a visit's */
    double *work;  /* lanes x 2 ld    */
    double parts;  /* of the gap, about, of the rows that a pass visited, before they moved   */
};

/* ---- rows ------------------------------------------------------------------------------- */

static int64_t entries(const struct softmax *s, int64_t i, const int32_t **column,
                       const double **value)
{
    const smr_csr *x = s->d.p->sparse;
    int64_t r = smr_dual_row(s->d.p, i), lo = x->start[r];
    *column = x->column + lo;
    *value = x->value + lo;
    return x->start[r + 1] - lo;
}

static void scores(const struct softmax *s, int64_t i, double *f)
{
    const int32_t *column;
    const double *value;
    int64_t n = entries(s, i, &column, &value);
    smr_entries_times_f64(n, column, value, s->k, s->W, s->ld, f);
}

/* W += x_i by', or delta. */
static void move(const struct softmax *s, int64_t i, const double *by, double *W)
{
    const int32_t *column;
    const double *value;
    int64_t n = entries(s, i, &column, &value);
    smr_entries_add_f64(n, column, value, s->k, by, W, s->ld);
}

/* ---- the row's problem ------------------------------------------------------------------ */

/* log p and p of (2), from where they are: old is f + a r. */
static void solve_row(int64_t k, double a, const double *old, const double *r, double *logp,
                      double *p, double *before)
{
    for (int step = 0; step < MOST_STEPS; step++) {
        double sum = 0, below = 0, above = 0, most = 0, moved = 0;
        for (int64_t c = 0; c < k; c++) {
            double s = p[c] / (1 + a * p[c]);
            sum += p[c];
            below += s;
            above += s * (old[c] - logp[c] - a * p[c]);
        }
        double t = (1 - sum - above) / below;
        for (int64_t c = 0; c < k; c++) {
            double by = (t + old[c] - logp[c] - a * p[c]) / (1 + a * p[c]);
            double to = logp[c] + by;
            logp[c] = to < 0 ? to : 0;
            before[c] = p[c];
        }
        smr_exp_f64(k, logp, p);
        for (int64_t c = 0; c < k; c++) {
            most = smr_fmax(most, fabs(p[c] - before[c]));
            moved = smr_fmax(moved, fabs(p[c] - r[c]));
        }
        if (most <= 1e-3 * moved || most <= 1e-15) break;
    }
    double sum = 0;
    for (int64_t c = 0; c < k; c++) sum += p[c];
    double log_sum = smr_log(sum);
    for (int64_t c = 0; c < k; c++) {
        p[c] /= sum;
        logp[c] = smr_fmax(logp[c] - log_sum, 10 * FAR);
    }
}

static void visit(struct softmax *s, int64_t i)
{
    int64_t k = s->k, ld = s->ld;
    double *f = s->room, *r = f + ld, *p = f + 2 * ld, *logp = f + 3 * ld, *old = f + 4 * ld;
    double *kept = s->logp + i * ld, *last = s->W + s->d.p->n_cols * ld;
    double C = s->d.C[i], a = C * s->d.size[i], mean = 0, square = 0;
    scores(s, i, f);
    smr_exp_f64(k, kept, r);
    bool is_new = kept[s->label[i] ? 0 : 1] == FAR;
    double start = is_new ? -smr_log((double)k + a) : 0;
    for (int64_t c = 0; c < k; c++) {
        double g = f[c] + s->d.bias * last[c] - kept[c]; /* the same for all c at the best */
        mean += r[c] * g;
        square += r[c] * g * g;
        old[c] = g + kept[c] + a * r[c];
        logp[c] = is_new && c != s->label[i] ? start : kept[c];
        p[c] = r[c];
    }
    if (is_new) smr_exp_f64(k, logp, p);
    solve_row(k, a, old, r, logp, p, f);
    for (int64_t c = 0; c < k; c++) {
        kept[c] = logp[c];
        r[c] = C * (r[c] - p[c]);
        last[c] += s->d.bias * r[c];
    }
    move(s, i, r, s->W);
    s->d.out->updates++;
    s->parts += 0.5 * C * smr_fmax(square - mean * mean, 0);
}

/* ---- the best shift of scores that all rows share ---------------------------------------- */

/* Newton on B(b) = sum_i C_i (log sum_c exp(z_ic + b_c) - z_iy - b_y): sums of a chunk of rows. */
struct shift {
    const struct softmax *s;
    const double *z, *b;
    double *sums; /* CHUNKS x stride: value, gradient (k), Hessian (k x k, lower) */
    int64_t stride, chunk;
};

/* p = softmax(z + b); returns the logarithm of its denominator. */
static double softmax_of(int64_t k, const double *z, const double *b, double *p)
{
    double top = -INFINITY, sum = 0;
    for (int64_t c = 0; c < k; c++) {
        p[c] = z[c] + b[c];
        top = p[c] > top ? p[c] : top;
    }
    for (int64_t c = 0; c < k; c++) p[c] -= top;
    smr_exp_f64(k, p, p);
    for (int64_t c = 0; c < k; c++) sum += p[c];
    for (int64_t c = 0; c < k; c++) p[c] /= sum;
    return top + smr_log(sum);
}

static smr_status shift_chunk(smr_ctx *ctx, void *arg, int64_t task, int lane)
{
    const struct shift *h = arg;
    const struct softmax *s = h->s;
    int64_t k = s->k;
    double *sums = h->sums + task * h->stride, *G = sums + 1, *H = G + k;
    double *p = s->work + lane * 2 * s->ld;
    (void)ctx;
    memset(sums, 0, (size_t)h->stride * sizeof *sums);
    for (int64_t i = task * h->chunk; i < smr_block_end(s->d.p->n_rows, h->chunk, task); i++) {
        double C = s->d.C[i];
        const double *z = h->z + i * s->ld;
        int32_t y = s->label[i];
        if (!(C > 0)) continue;
        double top = softmax_of(k, z, h->b, p);
        sums[0] += C * (top - z[y] - h->b[y]);
        for (int64_t c = 0; c < k; c++) {
            double by = C * p[c];
            G[c] += by;
            H[c * k + c] += by * (1 - p[c]);
            for (int64_t e = c + 1; e < k; e++) H[c * k + e] -= by * p[e];
        }
        G[y] -= C;
    }
    return SMR_OK;
}

/* sums of all chunks in the first; the Hessian is regular where the intercepts sum to 0. */
static smr_status evaluate_shift(smr_ctx *ctx, const struct shift *h)
{
    smr_status st = SMR_OK;
    int64_t k = h->s->k, n_tasks = smr_block_count(h->s->d.p->n_rows, h->chunk);
    TRY(smr_parallel(ctx, NULL, n_tasks, shift_chunk, (void *)h));
    for (int64_t t = 1; t < n_tasks; t++)
        for (int64_t i = 0; i < h->stride; i++) h->sums[i] += h->sums[t * h->stride + i];
    double *H = h->sums + 1 + k, mean = 0;
    for (int64_t c = 0; c < k; c++) mean += H[c * k + c] / (double)k;
    for (int64_t c = 0; c < k; c++)
        for (int64_t e = c; e < k; e++) H[c * k + e] += mean;
out:
    return st;
}

/* The step -H^-1 G into `by` (k); where it is too long to be trusted, shorter. */
static smr_status newton_step(smr_ctx *ctx, const struct shift *h, double *by)
{
    smr_status st = SMR_OK;
    int64_t k = h->s->k, failed_at = 0;
    double *G = h->sums + 1, *H = G + k, most = 0;
    for (int64_t c = 0; c < k; c++) by[c] = -G[c];
    TRY(smr_cholesky(ctx, k, H, k, &failed_at));
    if (failed_at < 0) TRY(smr_cholesky_solve(ctx, k, 1, H, k, by, k));
    for (int64_t c = 0; c < k; c++) most = smr_fmax(most, fabs(by[c]));
    for (int64_t c = 0; c < k && most > 4; c++) by[c] *= 4 / most;
out:
    return st;
}

/* b (k), from where it is, to the least of B for the scores z. */
static smr_status find_shift(smr_ctx *ctx, const struct softmax *s, const double *z, double *b)
{
    smr_status st = SMR_OK;
    int64_t k = s->k, n = s->d.p->n_rows;
    double *block = NULL, total = 0;
    struct shift h = {.s = s, .z = z, .b = b, .stride = 1 + k + k * k};
    h.chunk = SMR_MAX(BLOCK, smr_block_count(n, CHUNKS));
    for (int64_t i = 0; i < n; i++) total += s->d.C[i];
    TRY_NEW(block, CHUNKS * h.stride + 2 * k);
    h.sums = block + 2 * k;
    double *by = block, *from = block + k, value = INFINITY;
    for (int step = 0, cut = 0; step < MOST_NEWTON; step++) {
        double norm = 0;
        TRY(evaluate_shift(ctx, &h));
        for (int64_t c = 0; c < k; c++) norm = smr_fmax(norm, fabs(h.sums[1 + c]));
        bool is_worse = h.sums[0] > value + 1e-12 * fabs(value);
        if (is_worse && cut < 30) {
            cut++;
            for (int64_t c = 0; c < k; c++) b[c] = from[c] + (by[c] *= 0.5);
            continue;
        }
        if (norm <= 1e-14 * total) break;
        value = h.sums[0];
        cut = 0;
        memcpy(from, b, (size_t)k * sizeof *b);
        TRY(newton_step(ctx, &h, by));
        for (int64_t c = 0; c < k; c++) b[c] += by[c];
    }
out:
    smr_free(block);
    return st;
}

/* ---- the look at all rows ---------------------------------------------------------------- */

struct tally {
    double loss, excess, margin;
};

struct look {
    struct softmax *s;
    const double *shift;
    struct tally *tally; /* by block */
};

static smr_status score_block(smr_ctx *ctx, void *arg, int64_t task, int lane)
{
    struct softmax *s = arg;
    (void)ctx, (void)lane;
    for (int64_t i = task * BLOCK; i < smr_block_end(s->d.p->n_rows, BLOCK, task); i++)
        scores(s, i, s->f + i * s->ld);
    return SMR_OK;
}

/* log p becomes that of p', and f the change -C (p' - p) of its row: delta's part. */
static smr_status certify_block(smr_ctx *ctx, void *arg, int64_t task, int lane)
{
    struct look *z = arg;
    struct softmax *s = z->s;
    struct tally *t = &z->tally[task];
    int64_t k = s->k;
    double *p = s->work + lane * 2 * s->ld, *before = p + s->ld;
    (void)ctx;
    t->margin = INFINITY;
    for (int64_t i = task * BLOCK; i < smr_block_end(s->d.p->n_rows, BLOCK, task); i++) {
        double *logp = s->logp + i * s->ld, *f = s->f + i * s->ld, C = s->d.C[i];
        double excess = 0, rival = -INFINITY;
        int32_t y = s->label[i];
        s->d.score[i] = 0;
        if (!(C > 0)) continue;
        double log_sum = softmax_of(k, f, s->b, p);
        for (int64_t c = 0; c < k; c++) {
            f[c] += s->b[c];
            rival = c == y ? rival : smr_fmax(rival, f[c]);
        }
        t->loss += C * (log_sum - f[y]);
        t->margin = smr_fmin(t->margin, f[y] - rival);
        smr_exp_f64(k, logp, before);
        double lift = softmax_of(k, logp, z->shift, p);
        for (int64_t c = 0; c < k; c++) {
            logp[c] += z->shift[c] - lift;
            excess += p[c] * (logp[c] - (f[c] - log_sum));
            f[c] = C * (before[c] - p[c]);
        }
        s->d.score[i] = C * smr_fmax(excess, 0);
        t->excess += s->d.score[i];
    }
    return SMR_OK;
}

/* delta = W' - W, and its square.  The sums go row by row: one thread. */
static double make_delta(struct softmax *s)
{
    int64_t m = s->d.p->n_cols * s->ld;
    memset(s->delta, 0, (size_t)m * sizeof *s->delta);
    for (int64_t q = 0; q < s->d.n_live; q++) {
        int64_t i = s->d.order[q];
        const double *by = s->f + i * s->ld;
        bool moves = false;
        for (int64_t c = 0; c < s->k; c++) moves |= fabs(by[c]) > 1e-14 * s->d.C[i];
        if (moves) move(s, i, by, s->delta);
    }
    return smr_dot_f64(m, s->delta, s->delta);
}

static smr_status look(smr_ctx *ctx, struct softmax *s)
{
    smr_status st = SMR_OK;
    int64_t n = s->d.p->n_rows, n_blocks = smr_block_count(n, BLOCK), m = s->d.p->n_cols * s->ld;
    double *shift = NULL, loss = 0, excess = 0, half = 0.5 * smr_dot_f64(m, s->W, s->W);
    struct look z = {.s = s};
    TRY_NEW(shift, s->ld);
    TRY_NEW(z.tally, n_blocks);
    z.shift = shift;
    TRY(smr_parallel(ctx, NULL, n_blocks, score_block, s));
    if (s->d.p->is_free) {
        for (int64_t c = 0; c < s->k; c++) s->b[c] = s->d.bias * s->W[m + c];
        TRY(find_shift(ctx, s, s->f, s->b));
        TRY(find_shift(ctx, s, s->logp, shift));
    }
    TRY(smr_parallel(ctx, NULL, n_blocks, certify_block, &z));
    s->d.out->margin = INFINITY;
    for (int64_t t = 0; t < n_blocks; t++) {
        loss += z.tally[t].loss;
        excess += z.tally[t].excess;
        s->d.out->margin = smr_fmin(s->d.out->margin, z.tally[t].margin);
    }
    if (s->d.p->is_free) excess += 0.5 * make_delta(s);
    s->d.out->objective = s->opts.l2 * (half + loss);
    s->d.out->gap = s->opts.l2 * excess;
    s->d.out->converged = s->d.out->gap <= s->opts.tol * s->d.out->objective;
out:
    smr_free(shift);
    smr_free(z.tally);
    return st;
}

/* W' and b take the place of W, and rows with hardly a part of the gap rest. */
static void go_on(struct softmax *s)
{
    int64_t m = s->d.p->n_cols * s->ld;
    double least = 0.1 * s->opts.tol * s->d.out->objective / s->opts.l2 / (double)s->d.n_live;
    if (s->d.p->is_free) {
        smr_axpy_f64(m, 1, s->delta, s->W);
        for (int64_t c = 0; c < s->k; c++) s->W[m + c] = s->b[c] / s->d.bias;
    }
    s->d.active = 0;
    for (int64_t q = 0; q < s->d.n_live; q++) {
        int64_t i = s->d.order[q];
        if (s->d.score[i] <= least) continue;
        s->d.order[q] = s->d.order[s->d.active];
        s->d.order[s->d.active++] = i;
    }
}

/* ---- the passes ------------------------------------------------------------------------- */

static smr_status pass(smr_ctx *ctx, struct softmax *s)
{
    smr_status st = SMR_OK;
    struct smr_dual *d = &s->d;
    s->parts = 0;
    smr_dual_shuffle(ctx, d, d->rounds++);
    for (int64_t a = 0; a < d->active; a++) {
        if (a + 2 < d->active) smr_dual_prefetch(d, d->order[a + 2]);
        visit(s, d->order[a]);
        if (a % 1024 == 1023)
            TRY(smr_tick(ctx, s->opts.what ? s->opts.what : "dual coordinate descent",
                         d->out->passes, s->opts.max_passes, d->out->objective));
    }
    d->out->visits += d->active;
    d->out->passes = SMR_MIN((d->out->visits + d->n_live - 1) / d->n_live, s->opts.max_passes);
    TRY(smr_tick(ctx, s->opts.what ? s->opts.what : "dual coordinate descent", d->out->passes,
                 s->opts.max_passes, d->out->objective));
out:
    return st;
}

/* Passes until the gap may be small enough, or the rows in play have as good as none: a look costs
 * about as much as a pass over all rows. */
static smr_status play(smr_ctx *ctx, struct softmax *s, int64_t visits, double enough)
{
    smr_status st = SMR_OK;
    const smr_dual_result *out = s->d.out;
    int64_t end = out->visits + visits;
    double first = INFINITY;
    for (int64_t n = 0; n < MOST_IN_PLAY && s->d.active > 0 && out->visits < end; n++) {
        if (out->passes >= s->opts.max_passes) break;
        TRY(pass(ctx, s));
        if (n == 0) first = s->parts;
        if (LEFT * s->parts <= enough || s->parts <= 0.01 * first) break;
    }
out:
    return st;
}

static smr_status descend(smr_ctx *ctx, struct softmax *s)
{
    smr_status st = SMR_OK;
    smr_dual_result *out = s->d.out;
    int64_t visits = FIRST_PASSES * s->d.n_live;
    for (int64_t k = 0; k < MOST_LOOKS; k++) {
        TRY(play(ctx, s, visits, k == 0 ? 0 : s->opts.tol * out->objective / s->opts.l2));
        TRY(look(ctx, s));
        if (out->converged || out->passes >= s->opts.max_passes) break;
        if (s->opts.each && !s->opts.each(s->opts.user, out)) break;
        go_on(s);
        visits = MOST_PASSES * s->d.n_live;
    }
out:
    return st;
}

/* ---- set-up ----------------------------------------------------------------------------- */

static void measure_rows(struct softmax *s)
{
    struct smr_dual *d = &s->d;
    double sum = 0, n_rows = 0;
    for (int64_t i = 0; i < d->p->n_rows; i++) {
        const int32_t *column;
        const double *value;
        int64_t n = entries(s, i, &column, &value);
        d->size[i] = smr_dot_f64(n, value, value);
        d->C[i] = (d->p->weight ? d->p->weight[i] : 1) / s->opts.l2;
        if (d->size[i] > 0 && d->C[i] > 0) {
            sum += 1 / d->size[i];
            n_rows++;
        }
        for (int64_t c = 0; c < s->k; c++) s->logp[i * s->ld + c] = c == s->label[i] ? 0 : FAR;
    }
    /* The harmonic mean of |x|^2: a larger one would shorten the steps of the shorter rows. */
    d->bias = !d->p->is_free ? 0 : sum > 0 && isfinite(sum) ? sqrt(n_rows / sum) : 1;
    for (int64_t i = 0; i < d->p->n_rows; i++) {
        d->size[i] += d->bias * d->bias;
        if (d->C[i] > 0) d->order[d->n_live++] = i;
    }
    d->active = d->n_live;
}

static smr_status make_room(smr_ctx *ctx, struct softmax *s)
{
    smr_status st = SMR_OK;
    int64_t n = s->d.p->n_rows, m = s->d.p->n_cols + 1;
    TRY_NEW(s->d.size, 3 * n);
    TRY_NEW(s->d.order, n);
    TRY_NEW(s->logp, n * s->ld);
    TRY_NEW(s->f, n * s->ld);
    TRY_NEW(s->W, m * s->ld);
    TRY_NEW(s->delta, m * s->ld);
    TRY_NEW(s->b, 6 * s->ld);
    TRY_NEW(s->work, smr_lanes(ctx) * 2 * s->ld);
    s->d.C = s->d.size + n;
    s->d.score = s->d.C + n;
    s->room = s->b + s->ld;
out:
    return st;
}

static void release(struct softmax *s)
{
    smr_free(s->d.size);
    smr_free(s->d.order);
    smr_free(s->logp);
    smr_free(s->f);
    smr_free(s->W);
    smr_free(s->delta);
    smr_free(s->b);
    smr_free(s->work);
}

smr_status smr_dual_softmax(smr_ctx *ctx, const smr_dual_problem *problem, const int32_t *label,
                            int64_t k, const smr_softmax_opts *opts, double *W, double *b,
                            smr_dual_result *out)
{
    smr_status st = SMR_OK;
    int64_t d = problem->n_cols;
    double mean = 0;
    char text[SMR_NUMBER_MAX];
    struct softmax s = {.d = {.p = problem, .out = out}, .opts = *opts, .label = label, .k = k};
    *out = (smr_dual_result){0};
    s.ld = (k + 7) / 8 * 8;
    if (!(opts->l2 > 0) || !isfinite(opts->l2)) {
        smr_format_double(opts->l2, text);
        TRY(smr_fail(ctx, SMR_ERR_PARAM, "the dual needs a penalty l2 > 0, not %s", text));
    }
    if (s.opts.tol == 0) s.opts.tol = 1e-6;
    if (s.opts.max_passes == 0) s.opts.max_passes = 1000;
    TRY(make_room(ctx, &s));
    measure_rows(&s);
    TRY(descend(ctx, &s));
    for (int64_t c = 0; c < k; c++) mean += s.b[c] / (double)k;
    for (int64_t c = 0; c < k; c++) {
        for (int64_t j = 0; j < d; j++) W[c * d + j] = s.W[j * s.ld + c];
        b[c] = s.b[c] - mean;
    }
out:
    release(&s);
    return st;
}
