/* stochastic_finish.c -- see stochastic_finish.h. */
#include "learn/linear/stochastic_finish.h"

#include "core/parallel.h"
#include "kernel/kernel.h"
#include "learn/linear/held_rows.h"
#include "learn/linear/start.h"

#include <math.h>
#include <string.h>

#define LITTLE 1e-3 /* of the rows' pulls: a smaller gradient is none to be measured by */
enum { MOST_PARTS = 16, LEAST_ROWS = 4096, ROOM = 64 << 20 /* bytes */ };

struct part;
struct lane;

struct rounded {
    smr_finish *f;
    smr_objective function;
    int64_t d, q, n_variables;
    double width;         /* c                                            */
    double *mean, *scale; /* d: features are (x - mean) / scale           */
    double *w, *b;        /* q x d, q: the point, in the features' units  */
    double *g;            /* its gradient: q x d, q; the first part's     */
    double value, exact;  /* sums of F_c's and F's losses                 */
    double pull;          /* of weight |slope|                            */
    double total;         /* of the weights                               */
    double bound;         /* on F_c less its least, by l2; 0: none        */
    smr_subset subset;    /* the rows                                     */
    smr_held_rows held;   /* the same, as all threads read them           */
    int64_t n_parts, part_rows;
    struct part *part;
    struct lane *lane; /* smr_lanes */
    int n_lanes;
};

/* ---- the objective ---------------------------------------------------------------------- */

/* What a part of the rows adds; the parts are added up in their order. */
struct part {
    double value, exact, pull;
    double *g; /* q x d, q */
};

struct lane {
    double *x, *f, *slope; /* d; q; q */
};

static void add_row(const struct rounded *r, const smr_row *row, const smr_truths *t, int64_t i,
                    const struct lane *own, struct part *part)
{
    double weight = t->weight ? t->weight[i] : 1, exact;
    int64_t d = r->d, q = r->q;
    for (int64_t c = 0; c < q; c++) own->f[c] = smr_row_dot(row, r->w + c * d) + r->b[c];
    part->value += weight * smr_machine_rounded_loss(r->f->machine, t, i, own->f, r->width,
                                                     own->slope, &exact);
    part->exact += weight * exact;
    for (int64_t c = 0; c < q; c++) {
        double s = weight * own->slope[c];
        part->pull += fabs(s);
        part->g[q * d + c] += s;
        if (s != 0) smr_row_add(row, s, part->g + c * d);
    }
}

static smr_status add_part(smr_ctx *ctx, void *arg, int64_t task, int lane)
{
    struct rounded *r = arg;
    const smr_data *data = &r->held.data;
    struct part *part = &r->part[task];
    smr_status st = SMR_OK;
    int64_t end = smr_block_end(r->f->n, r->part_rows, task);
    double work = 0;
    part->value = part->exact = part->pull = 0;
    memset(part->g, 0, (size_t)(r->q * r->d + r->q) * sizeof *part->g);
    for (int64_t lo = task * r->part_rows; lo < end; lo += SMR_ROWS_BLOCK) {
        smr_rows rows;
        TRY(smr_held_block(ctx, &r->held, lane, lo, SMR_MIN(end, lo + SMR_ROWS_BLOCK), &rows));
        smr_truths truths = smr_truths_at(data, lo);
        for (int64_t i = 0; i < rows.n; i++) {
            smr_row row = smr_row_of(&rows, i, r->lane[lane].x);
            add_row(r, &row, &truths, i, &r->lane[lane], part);
            TRY(smr_machine_pause(ctx, NULL, r->f->machine, row.n, &work));
        }
    }
out:
    return st;
}

/* value, exact and g of all rows. */
static smr_status add_parts(smr_ctx *ctx, struct rounded *r)
{
    smr_status st = SMR_OK;
    TRY(smr_parallel(ctx, NULL, r->n_parts, add_part, r));
    r->value = r->part[0].value;
    r->exact = r->part[0].exact;
    r->pull = r->part[0].pull;
    for (int64_t p = 1; p < r->n_parts; p++) {
        r->value += r->part[p].value;
        r->exact += r->part[p].exact;
        r->pull += r->part[p].pull;
        smr_axpy_f64(r->q * r->d + r->q, 1, r->part[p].g, r->g);
    }
out:
    return st;
}

static double squares(const struct rounded *r)
{
    return r->f->machine->opts->l2 * 0.5 * smr_dot_f64(r->q * r->d, r->w, r->w);
}

static double magnitudes(const struct rounded *r)
{
    double sum = 0;
    for (int64_t j = 0; j < r->q * r->d; j++) sum += fabs(r->w[j]);
    return r->f->machine->opts->l1 * sum;
}

/* From the variables of the frame to w and b. */
static void leave_frame(struct rounded *r, const double *v)
{
    bool free = r->f->machine->opts->fit_intercept;
    for (int64_t c = 0; c < r->q; c++) {
        double shift = 0;
        for (int64_t j = 0; j < r->d; j++) {
            double w = v[c * r->d + j] / r->scale[j];
            shift += w * r->mean[j];
            r->w[c * r->d + j] = w;
        }
        r->b[c] = free ? v[r->q * r->d + c] - shift : 0;
    }
}

static void enter_frame(const struct rounded *r, double *v)
{
    for (int64_t c = 0; c < r->q; c++) {
        double shift = 0;
        for (int64_t j = 0; j < r->d; j++) {
            shift += r->w[c * r->d + j] * r->mean[j];
            v[c * r->d + j] = r->w[c * r->d + j] * r->scale[j];
        }
        if (r->f->machine->opts->fit_intercept) v[r->q * r->d + c] = r->b[c] + shift;
    }
}

static smr_status evaluate(smr_ctx *ctx, void *self, const double *v, double *value, double *g)
{
    struct rounded *r = self;
    smr_finish *f = r->f;
    smr_status st = SMR_OK;
    int64_t d = r->d, q = r->q;
    double l2 = f->machine->opts->l2;
    leave_frame(r, v);
    TRY(add_parts(ctx, r));
    *value = r->value + squares(r);
    for (int64_t c = 0; c < q; c++) {
        double b = f->machine->opts->fit_intercept ? r->g[q * d + c] : 0;
        for (int64_t j = 0; j < d; j++)
            g[c * d + j] = (r->g[c * d + j] + l2 * r->w[c * d + j] - r->mean[j] * b) / r->scale[j];
        if (f->machine->opts->fit_intercept) g[q * d + c] = b;
    }
out:
    return st;
}

/* ---- the frame -------------------------------------------------------------------------- */

static smr_status sum_block(smr_ctx *ctx, void *arg, const smr_rows *rows, const smr_truths *t)
{
    struct rounded *r = arg;
    (void)ctx;
    for (int64_t i = 0; i < rows->n; i++) {
        smr_row row = smr_row_of(rows, i, r->f->machine->x);
        double weight = t->weight ? t->weight[i] : 1;
        r->total += weight;
        for (int64_t e = 0; e < row.n; e++) {
            int64_t j = row.index ? row.index[e] : e;
            r->mean[j] += weight * row.x[e];
            r->scale[j] += weight * row.x[e] * row.x[e];
        }
    }
    return SMR_OK;
}

static smr_status make_frame(smr_ctx *ctx, struct rounded *r)
{
    smr_status st = SMR_OK;
    smr_finish *f = r->f;
    bool shifts = f->machine->opts->fit_intercept;
    TRY(smr_held_walk(ctx, f->data, f->form, f->rows, f->n, sum_block, r));
    for (int64_t j = 0; j < r->d; j++) {
        double square = r->scale[j] / r->total, mean = r->mean[j] / r->total;
        r->mean[j] = shifts && isfinite(mean) ? mean : 0;
        double spread = square - r->mean[j] * r->mean[j];
        if (!(spread > 1e-12 * square)) spread = 0;
        spread += f->machine->opts->l2 / r->total;
        r->scale[j] = spread > 0 && isfinite(spread) ? sqrt(spread) : 1;
    }
out:
    return st;
}

/* ---- full gradients --------------------------------------------------------------------- */

/* Parts of the rows, by the data alone: at least LEAST_ROWS in each, so that small tables are added
 * up in one, and gradients within ROOM. */
static int64_t count_parts(const struct rounded *r)
{
    int64_t size = 8 * (r->q * r->d + r->q);
    int64_t parts = SMR_MIN(MOST_PARTS, r->f->n / LEAST_ROWS);
    return SMR_MAX(1, SMR_MIN(parts, ROOM / size));
}

static smr_status open_parts(smr_ctx *ctx, struct rounded *r)
{
    smr_status st = SMR_OK;
    const smr_finish *f = r->f;
    int64_t d = r->d, q = r->q;
    r->part_rows = smr_block_count(f->n, count_parts(r));
    r->part_rows = smr_block_count(r->part_rows, SMR_ROWS_BLOCK) * SMR_ROWS_BLOCK;
    r->n_parts = smr_block_count(f->n, r->part_rows);
    TRY_NEW(r->part, r->n_parts);
    for (int64_t p = 0; p < r->n_parts; p++) TRY_NEW(r->part[p].g, q * d + q);
    TRY_NEW(r->lane, smr_lanes(ctx));
    for (; r->n_lanes < smr_lanes(ctx); r->n_lanes++) {
        struct lane *own = &r->lane[r->n_lanes];
        TRY_NEW(own->x, d + 2 * q);
        own->f = own->x + d;
        own->slope = own->f + q;
    }
    r->g = r->part[0].g;
    TRY(smr_subset_make(ctx, f->data, f->rows, f->n, NULL, &r->subset));
    TRY(smr_held_open(ctx, &r->subset.data, f->form, SMR_ROWS_BLOCK, &r->held));
out:
    return st;
}

static void close_parts(struct rounded *r)
{
    for (int i = 0; i < r->n_lanes; i++) smr_free(r->lane[i].x);
    for (int64_t p = 0; r->part && p < r->n_parts; p++) smr_free(r->part[p].g);
    smr_free(r->lane);
    smr_free(r->part);
    smr_held_close(&r->held);
    smr_subset_release(&r->subset);
}

/* w and b of the model. */
static void take_model(struct rounded *r)
{
    const smr_stochastic *m = r->f->machine->model;
    memcpy(r->w, m->coef, (size_t)(r->q * r->d) * sizeof *r->w);
    memcpy(r->b, m->intercept, (size_t)r->q * sizeof *r->b);
}

static smr_status open_rounded(smr_ctx *ctx, smr_finish *f, struct rounded *r)
{
    smr_status st = SMR_OK;
    int64_t d = f->machine->d, q = f->machine->q;
    *r = (struct rounded){.f = f, .d = d, .q = q};
    r->n_variables = q * (d + (f->machine->opts->fit_intercept ? 1 : 0));
    r->function = (smr_objective){.n = r->n_variables, .self = r, .evaluate = evaluate};
    TRY_NEW(r->mean, d);
    TRY_NEW(r->scale, d);
    TRY_NEW(r->w, q * d + q);
    r->b = r->w + q * d;
    TRY(open_parts(ctx, r));
    TRY(make_frame(ctx, r));
    take_model(r);
out:
    return st;
}

static void close_rounded(struct rounded *r)
{
    smr_free(r->mean);
    smr_free(r->scale);
    smr_free(r->w);
    close_parts(r);
}

/* |g|, of a subgradient the least where there is l1 (variables of the frame). */
static double least_norm(const struct rounded *r, const double *v, const double *g,
                         const double *l1)
{
    double sum = 0;
    for (int64_t j = 0; j < r->n_variables; j++) {
        double s = g[j], a = l1[j];
        if (v[j] != 0)
            s += v[j] > 0 ? a : -a;
        else
            s = fabs(s) <= a ? 0 : s > 0 ? s - a : s + a;
        sum += s * s;
    }
    return sqrt(sum);
}

/* Score c of the model without coefficients, of numbers: their mean, or its logarithm. */
static double mean_score(const struct rounded *r, int64_t c)
{
    const smr_finish *f = r->f;
    double sum = 0, total = 0;
    if (!f->data->y || !f->machine->opts->fit_intercept) return 0;
    for (int64_t i = 0; i < f->n; i++) {
        double weight = smr_data_weight(f->data, f->rows[i]);
        sum += weight * f->data->y[f->rows[i] * r->q + c];
        total += weight;
    }
    if (f->machine->loss->kind != SMR_LOSS_LOG_LINK) return sum / total;
    return sum > 0 ? smr_log(sum / total) : 0;
}

/* *out = |grad F_c| of the model without coefficients, by which gradients are measured, or LITTLE
 * of its rows' pulls: where it is the best model, its gradient is what rounding leaves.  room: 2
 * n_variables. */
static smr_status measure_empty(smr_ctx *ctx, struct rounded *r, const double *l1, double *room,
                                double *out)
{
    smr_status st = SMR_OK;
    double *g = room, *empty = room + r->n_variables, value;
    int64_t n_weights = r->q * r->d;
    memset(empty, 0, (size_t)r->n_variables * sizeof *empty);
    for (int64_t c = 0; c < r->q && r->n_variables > n_weights; c++)
        empty[n_weights + c] = mean_score(r, c);
    TRY(evaluate(ctx, r, empty, &value, g));
    for (int64_t j = n_weights; j < r->n_variables; j++) g[j] = 0;
    memset(empty, 0, (size_t)r->n_variables * sizeof *empty);
    *out = smr_fmax(least_norm(r, empty, g, l1), LITTLE * r->pull);
out:
    return st;
}

/* What l2 proves of the point evaluated last: F_c is at most |grad F_c|^2 / (2 l2) above its least,
 * with the gradient by w, at an intercept that is the best one. */
static double bound_of(const struct rounded *r)
{
    const smr_stochastic_opts *o = r->f->machine->opts;
    double sum = 0;
    if (!(o->l2 > 0)) return 0;
    for (int64_t j = 0; j < r->q * r->d; j++) {
        double s = r->g[j] + o->l2 * r->w[j];
        if (r->w[j] != 0)
            s += r->w[j] > 0 ? o->l1 : -o->l1;
        else
            s = smr_fmax(0, fabs(s) - o->l1);
        sum += s * s;
    }
    return sum / (2 * o->l2);
}

/* The first certificate that is not within tol; all are: the gradient. */
static void find_lack(smr_finish *f, double gradient, double bound, double kinks)
{
    double tol = f->machine->opts->end, F = f->objective;
    f->converged = gradient <= tol && bound <= tol * F && kinks <= tol * F;
    f->lack = f->converged || !(gradient <= tol) ? SMR_LACK_GRADIENT
              : !(bound <= tol * F)              ? SMR_LACK_BOUND
                                                 : SMR_LACK_KINKS;
    f->off = f->lack == SMR_LACK_GRADIENT ? gradient
             : f->lack == SMR_LACK_BOUND  ? bound / F
                                          : kinks / F;
}

/* (1) at v. */
static smr_status judge(smr_ctx *ctx, struct rounded *r, const double *v, const double *l1,
                        double *room)
{
    smr_status st = SMR_OK;
    smr_finish *f = r->f;
    double *g = room, value, at_zero;
    TRY(measure_empty(ctx, r, l1, room, &at_zero));
    TRY(evaluate(ctx, r, v, &value, g));
    double norm = least_norm(r, v, g, l1), penalty = squares(r) + magnitudes(r);
    at_zero = smr_fmax(at_zero, LITTLE * r->pull); /* rows that pull at v alone */
    f->objective = r->exact + penalty;
    r->bound = bound_of(r);
    find_lack(f, norm > 0 ? norm / at_zero : 0, r->bound, r->exact - r->value);
out:
    return st;
}

struct telling {
    struct rounded *r;
    smr_linear_telling to;
    double n;
    int64_t passes; /* before it */
};

static bool tell(void *user, const smr_iteration *now)
{
    struct telling *t = user;
    if (now->iteration > 0) t->to.status = smr_fit_step(t->to.ctx, t->to.report, now->f / t->n);
    return t->to.status == SMR_OK;
}

/* Rounds as the loss needs it, and goes to (1). */
static smr_status descend(smr_ctx *ctx, struct rounded *r, int64_t passes, double *v,
                          const double *l1, double *room)
{
    smr_status st = SMR_OK;
    smr_finish *f = r->f;
    const smr_stochastic_opts *o = f->machine->opts;
    bool with_l1 = o->l1 > 0;
    double aim = 0.5 * o->end;
    while (passes > 0) {
        struct telling t = {.r = r, .to = {.ctx = ctx, .report = f->report}, .n = (double)f->n};
        smr_optimize_opts opts = {
            .max_iter = passes, .tol = aim, .what = "full gradients", .each = tell, .user = &t};
        smr_optimize_result result;
        TRY(measure_empty(ctx, r, l1, room, &opts.scale));
        TRY(with_l1 ? smr_owlqn(ctx, &r->function, l1, 0, &opts, v, &result)
                    : smr_lbfgs(ctx, &r->function, 0, &opts, v, &result));
        TRY(t.to.status);
        passes -= SMR_MAX(1, result.iterations);
        TRY(judge(ctx, r, v, l1, room));
        if (f->converged || result.why == SMR_WHY_ROUNDING) break;
        if (r->exact - r->value > o->end * f->objective)
            r->width /= 5;
        else
            aim /= 10;
    }
out:
    return st;
}

static void put_back(struct rounded *r, const double *v)
{
    smr_stochastic *m = r->f->machine->model;
    leave_frame(r, v);
    memcpy(m->coef, r->w, (size_t)(r->q * r->d) * sizeof *m->coef);
    memcpy(m->intercept, r->b, (size_t)r->q * sizeof *m->intercept);
}

/* ---- the hinge -------------------------------------------------------------------------- */

static bool has_dual(const struct machine *m)
{
    return m->loss->id == SMR_LOSS_HINGE && m->opts->l2 > 0 && m->opts->l1 == 0;
}

static bool tell_gap(void *user, const smr_dual_result *now)
{
    struct telling *t = user;
    while (t->to.status == SMR_OK && t->to.report->n_iter < t->passes + now->passes)
        t->to.status = smr_fit_step(t->to.ctx, t->to.report, now->objective / t->n);
    return t->to.status == SMR_OK;
}

/* One problem a score. */
static smr_status go_by_dual(smr_ctx *ctx, smr_finish *f, int64_t passes)
{
    struct machine *m = f->machine;
    smr_status st = SMR_OK;
    smr_held_rows held = {0};
    smr_truths truths = {.label = f->data->label};
    int64_t n = f->data->n_rows;
    double *y = NULL, *w = NULL, gap = 0;
    TRY(smr_held_all(ctx, m->opts->learner, f->data, &held));
    TRY_NEW(y, n);
    TRY_NEW(w, m->d + 1);
    f->objective = 0;
    f->converged = true;
    for (int64_t c = 0; c < m->q; c++) {
        struct telling t = {.to = {.ctx = ctx, .report = f->report},
                            .n = (double)f->n,
                            .passes = f->report->n_iter};
        smr_dual_result found;
        for (int64_t i = 0; i < n; i++) y[i] = smr_machine_target(m, &truths, i, c);
        smr_dual_problem problem = smr_held_dual(&held, y, f->data->weight, m->opts->fit_intercept);
        smr_dual_opts opts = {.loss = SMR_LOSS_HINGE,
                              .l2 = m->opts->l2,
                              .tol = m->opts->end,
                              .max_passes = passes,
                              .what = "dual descent",
                              .each = tell_gap,
                              .user = &t};
        TRY(smr_dual_coordinate(ctx, &problem, &opts, w, NULL, &found));
        TRY(t.to.status);
        memcpy(m->model->coef + c * m->d, w, (size_t)m->d * sizeof *w);
        m->model->intercept[c] = m->opts->fit_intercept ? w[m->d] : 0;
        f->objective += found.objective;
        f->converged &= found.converged;
        gap += found.gap;
    }
    f->lack = SMR_LACK_GAP;
    f->off = gap / f->objective;
out:
    smr_held_close(&held);
    smr_free(y);
    smr_free(w);
    return st;
}

/* ---- together --------------------------------------------------------------------------- */

smr_status smr_stochastic_finish(smr_ctx *ctx, smr_finish *f, int64_t passes)
{
    smr_status st = SMR_OK;
    const smr_stochastic_opts *o = f->machine->opts;
    struct rounded r = {0};
    double *v = NULL, *l1 = NULL, *room = NULL;
    if (passes > 0 && has_dual(f->machine)) return go_by_dual(ctx, f, passes);
    TRY(open_rounded(ctx, f, &r));
    TRY_NEW(v, r.n_variables + 1);
    TRY_NEW(l1, r.n_variables + 1);
    TRY_NEW(room, 2 * r.n_variables + 1);
    for (int64_t j = 0; j < r.q * r.d; j++) l1[j] = o->l1 / r.scale[j % r.d];
    enter_frame(&r, v);
    TRY(judge(ctx, &r, v, l1, room)); /* of F itself: its value says how wide to round */
    double each = f->objective / r.total;
    r.width = !f->machine->loss->is_smooth ? each * (passes > 0 ? 0.25 : 2 * o->end) : 0;
    if (!f->machine->loss->is_smooth && !(r.width > 0)) r.width = 1e-12;
    if (passes > 0 && !(f->converged && r.width == 0)) {
        double before = f->objective;
        TRY(descend(ctx, &r, passes, v, l1, room));
        if (f->objective <= before) {
            put_back(&r, v);
        } else { /* passes ended it where kinks were still wide: what was there stays */
            take_model(&r);
            enter_frame(&r, v);
            r.width = smr_fmin(r.width, each * 2 * o->end);
            TRY(judge(ctx, &r, v, l1, room));
        }
    } else if (r.width > 0) {
        TRY(judge(ctx, &r, v, l1, room));
    }
out:
    close_rounded(&r);
    smr_free(v);
    smr_free(l1);
    smr_free(room);
    return st;
}
