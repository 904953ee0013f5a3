/* experts_warm.c -- our own experts and the gate, each M step from where the last one ended.
 *
 * Ridge, logistic and the gate are linear models with a smooth objective: a Newton step on each
 * from the coefficients at hand makes its part of the expected log-likelihood larger, or the best
 * there is (ridge), which is all that EM needs.  The rows are copied once, after the imputation and
 * the coding that the first fit of each member found, with their columns centred.
 *
 * EM walks slowly where experts overlap.  With e_t the M step of iteration t, in the scores of all
 * rows (those of numbers divided by the noise), the step taken is a e_t with Barzilai and
 * Borwein's a for the equation e = 0,
 *
 *     a = a_(t-1) |e_(t-1)| / |e_(t-1) - e_t|                                                  (1)
 *
 * unless a = 1, the step of EM, is better: scores and coefficients are linear in a, so that trying
 * one costs no reading of the rows.  Thus the value never falls.
 *
 * Cost of an iteration: for each of k experts of c scores n d^2 c^2 / 4 + 3 n d c multiply-adds,
 * and for the gate the same with k n rows.  References: Jordan & Xu, Neural Networks 8 (1995);
 * Varadhan & Roland, Scand. J. Statist. 35 (2008), whose step length (1) is. */
#include "core/parallel.h"
#include "kernel/kernel.h"
#include "learn/chain.h"
#include "learn/ensemble/experts.h"
#include "learn/linear/held_rows.h"
#include "learn/linear/logistic.h"
#include "learn/present.h"
#include "learn/views.h"

#include <math.h>
#include <string.h>

enum { BLOCK = 256, TRIALS = 5 };
static const double LONGEST = 256; /* step, in steps of EM              */
static const double HALF = 0.5;    /* of the score of the only two classes that have rows */
static const double MOST = 256e6;  /* bytes of copies; more is left to the members' own fits */

/* The linear model of an expert, or the gate's. */
struct part {
    int64_t d, k, n;         /* features, scores, variables: k x d, then k intercepts          */
    smr_held_rows own;       /* its rows, where it does not read another part's               */
    const smr_held_rows *of; /* those that it reads                                           */
    smr_data data;           /* of the objective: the gate's has every row once for each expert */
    int64_t *rows;
    int32_t *label;
    double *weight; /* of its rows                                                    */
    smr_linear_objective *o;
    double *w, *step_w; /* n: the coefficients, and what the M step adds                  */
    double *spread;     /* of all classes, where some have no rows                        */
    double *score, *step,
        *last; /* n_rows x k: scores, what the M step adds, and the one before   */
};

struct smr_warm {
    int64_t n_rows, n_parts; /* the experts, then the gate */
    smr_present present;     /* classes                       */
    struct part *part;
    double *margin;             /* n_rows: -1 and 1, two classes */
    double *step_variance;      /* of its logarithm              */
    double *density, *log_gate; /* n_rows x k: of a trial        */
    double *penalty, *variance; /* k: of a trial                 */
    double gate_penalty;        /* of a trial                    */
    double *room;               /* scores of a part              */
    double length;              /* a of the iteration before; 0: none yet */
};

/* ---- opening ---------------------------------------------------------------------------- */

static void close_part(struct part *p)
{
    smr_linear_objective_close(p->o);
    smr_held_close(&p->own);
    smr_free(p->rows);
    smr_free(p->label);
    smr_free(p->weight);
    smr_free(p->w);
    smr_free(p->step_w);
    smr_free(p->spread);
    smr_free(p->score);
    smr_free(p->step);
    smr_free(p->last);
}

static void close_warm(struct smr_warm *h)
{
    if (!h) return;
    for (int64_t e = 0; h->part && e < h->n_parts; e++) close_part(&h->part[e]);
    smr_present_release(&h->present);
    smr_free(h->part);
    smr_free(h->margin);
    smr_free(h->step_variance);
    smr_free(h->density);
    smr_free(h->log_gate);
    smr_free(h->penalty);
    smr_free(h->variance);
    smr_free(h->room);
    smr_free(h);
}

static const smr_member *member_of(const smr_mixture *m, int64_t e)
{
    return e < m->k ? &m->expert[e] : &m->gate;
}

/* The rows after a member's adapters. */
static smr_status take_rows(smr_ctx *ctx, const smr_mixture *m, int64_t e, struct part *p)
{
    const smr_member *member = member_of(m, e);
    const struct part *first = m->warm->part;
    smr_data link[SMR_EXPERTS_ADAPTERS + 1];
    const smr_data *data = smr_mixture_rows(m, member, link);
    p->d = data->n_features;
    bool same = e > 0 && member->n_stages == 1 && m->expert[0].n_stages == 1;
    p->of = same ? &first->own : &p->own;
    return same ? SMR_OK : smr_held_centred(ctx, data, &p->own);
}

/* Every row once for each expert, expert by expert. */
static smr_status repeat_rows(smr_ctx *ctx, const smr_mixture *m, struct part *p)
{
    smr_status st = SMR_OK;
    int64_t n = m->data->n_rows;
    TRY_NEW(p->rows, n * m->k);
    TRY_NEW(p->label, n * m->k);
    for (int64_t i = 0; i < n * m->k; i++) {
        p->rows[i] = i % n;
        p->label[i] = (int32_t)(i / n);
    }
    p->data.n_rows = n * m->k;
    p->data.rows = p->rows;
    p->data.task = SMR_TASK_CLASSIFY;
    p->data.label = p->label;
    p->data.n_classes = m->k;
out:
    return st;
}

static smr_status open_objective(smr_ctx *ctx, const smr_mixture *m, bool is_gate, struct part *p)
{
    smr_loss_id loss = p->k > 1                 ? SMR_LOSS_CROSS_ENTROPY
                       : is_gate || m->classify ? SMR_LOSS_LOGISTIC
                                                : SMR_LOSS_SQUARED;
    double l2 = is_gate ? smr_mixture_gate_l2(m) : m->params->l2;
    smr_linear_problem problem = {.data = &p->data,
                                  .loss = &smr_losses[loss],
                                  .weight = p->weight,
                                  .l2 = l2,
                                  .fit_intercept = true,
                                  .second_order = true,
                                  .pinned = p->k > 1,
                                  .pinned_weights = p->k > 1 && l2 == 0};
    return smr_linear_objective_open(ctx, "experts", &problem, &p->o);
}

/* Scores of all rows, out (n_rows x k) = X w + b. */
struct scoring {
    const struct part *p;
    const double *w;
    double *out;
    int64_t n_rows;
};

static smr_status score_block(smr_ctx *ctx, void *arg, int64_t task, int lane)
{
    const struct scoring *s = arg;
    const struct part *p = s->p;
    int64_t lo = task * BLOCK, hi = smr_block_end(s->n_rows, BLOCK, task);
    (void)ctx, (void)lane;
    smr_rows_times_f64(hi - lo, p->d, p->k, (const double *)p->of->dense.values + lo * p->d, p->d,
                       s->w, p->d, s->out + lo * p->k);
    for (int64_t i = lo; i < hi; i++)
        for (int64_t c = 0; c < p->k; c++) s->out[i * p->k + c] += s->w[p->k * p->d + c];
    return SMR_OK;
}

static smr_status find_scores(smr_ctx *ctx, const struct smr_warm *h, const struct part *p,
                              const double *w, double *out)
{
    struct scoring s = {p, w, out, h->n_rows};
    return smr_parallel(ctx, NULL, smr_block_count(h->n_rows, BLOCK), score_block, &s);
}

/* Does the part have fewer scores than its member, whose other classes have no rows? */
static bool is_part(const struct smr_warm *h, const smr_mixture *m, int64_t e)
{
    return e < m->k && m->classify && !h->present.is_all;
}

/* The member's coefficients, for centred rows. */
static void enter(const smr_mixture *m, int64_t e, struct part *p)
{
    smr_linear_view view = smr_stage_linear(smr_member_last(member_of(m, e)));
    double *b = p->w + p->k * p->d;
    if (is_part(m->warm, m, e)) {
        smr_present_gather(&m->warm->present, view.n_scores, p->d, view.w, view.b, p->w, b);
    } else {
        memcpy(p->w, view.w, (size_t)(p->k * p->d) * sizeof *p->w);
        memcpy(b, view.b, (size_t)p->k * sizeof *b);
    }
    smr_held_enter(p->of, p->k, p->w, b, b);
}

/* Puts them back; p ends here. */
static void leave(const smr_mixture *m, int64_t e, struct part *p)
{
    const smr_stage *last = smr_member_last(member_of(m, e));
    double *w = p->w, *b = p->w + p->k * p->d;
    smr_held_leave(p->of, p->k, p->w, b, b);
    if (is_part(m->warm, m, e)) {
        int64_t k = m->data->n_classes;
        w = p->spread;
        smr_present_spread(&m->warm->present, k, p->d, p->w, b, SMR_ABSENT, w, w + k * p->d);
        b = w + k * p->d;
    }
    smr_stage_set_linear(last, w, b);
}

static smr_status open_part(smr_ctx *ctx, const smr_mixture *m, int64_t e, struct part *p)
{
    smr_status st = SMR_OK;
    bool is_gate = e == m->k;
    int64_t n = m->data->n_rows;
    const smr_data *classes = m->classify ? &m->warm->present.data : NULL;
    TRY(take_rows(ctx, m, e, p));
    p->k = is_gate ? smr_scores_of(m->k) : m->classify ? smr_scores_of(classes->n_classes) : 1;
    p->n = p->k * (p->d + 1);
    p->data = p->of->data;
    if (is_gate) TRY(repeat_rows(ctx, m, p));
    if (is_part(m->warm, m, e)) {
        p->data.label = classes->label;
        p->data.n_classes = classes->n_classes;
        TRY_NEW(p->spread, m->data->n_classes * (p->d + 1));
    }
    TRY_NEW(p->weight, p->data.n_rows);
    for (int64_t i = 0; i < p->data.n_rows; i++) p->weight[i] = 1;
    p->data.weight = p->weight;
    TRY_NEW(p->w, p->n);
    TRY_NEW(p->step_w, p->n);
    TRY_NEW(p->score, n * p->k);
    TRY_NEW(p->step, n * p->k);
    TRY_NEW(p->last, n * p->k);
    TRY(open_objective(ctx, m, is_gate, p));
    enter(m, e, p);
    TRY(find_scores(ctx, m->warm, p, p->w, p->score));
out:
    return st;
}

/* Copies that are not too large, two classes at least that have rows, and few enough variables for
 * their Hessians. */
static bool suits(const smr_mixture *m, const smr_present *present)
{
    const smr_data *data = m->data;
    double width = 0;
    for (int64_t e = 0; e <= m->k; e++) {
        const smr_member *member = member_of(m, e);
        int64_t at = member->n_stages - 1;
        int64_t d = at > 0 ? member->stages[at - 1].n_out : data->n_features;
        int64_t k = e == m->k ? m->k : m->classify ? present->data.n_classes : 1;
        if (!smr_logistic_is_small(smr_scores_of(k), d)) return false;
        width += (double)(d + 4 * k);
    }
    return width * (double)data->n_rows * 8 <= MOST && (!m->classify || present->n > 1);
}

smr_status smr_warm_open(smr_ctx *ctx, smr_mixture *m)
{
    smr_status st = SMR_OK;
    int64_t n = m->data->n_rows, widest = 1;
    smr_present present = {.is_all = true};
    struct smr_warm *h = NULL;
    if (m->classify) TRY(smr_present_find(ctx, m->data, &present));
    m->is_cold = !suits(m, &present);
    if (m->is_cold) goto out;
    TRY_NEW(h, 1);
    m->warm = h;
    h->present = present;
    h->present.share = HALF;
    present = (smr_present){0};
    h->n_rows = n;
    TRY_NEW(h->part, m->k + 1);
    h->n_parts = m->k + 1;
    TRY_NEW(h->step_variance, m->k);
    TRY_NEW(h->density, n * m->k);
    TRY_NEW(h->log_gate, n * m->k);
    TRY_NEW(h->penalty, m->k);
    TRY_NEW(h->variance, m->k);
    TRY_NEW(h->margin, n);
    for (int64_t i = 0; i < n && m->classify; i++)
        h->margin[i] = h->present.data.label[i] > 0 ? 1 : -1;
    for (int64_t e = 0; e <= m->k; e++) {
        TRY(open_part(ctx, m, e, &h->part[e]));
        widest = SMR_MAX(widest, h->part[e].k);
    }
    TRY_NEW(h->room, n * widest);
out:
    smr_present_release(&present);
    return st;
}

void smr_warm_end(smr_mixture *m)
{
    if (m->warm)
        for (int64_t e = 0; e <= m->k; e++) leave(m, e, &m->warm->part[e]);
    close_warm(m->warm);
    m->warm = NULL;
}

void smr_warm_free(smr_mixture *m)
{
    close_warm(m->warm);
    m->warm = NULL;
}

/* ---- the M step ------------------------------------------------------------------------- */

static smr_status step_part(smr_ctx *ctx, const smr_mixture *m, int64_t e)
{
    smr_status st = SMR_OK;
    struct smr_warm *h = m->warm;
    struct part *p = &h->part[e];
    smr_optimize_opts opts = {.max_iter = 1, .tol = 1e-15};
    smr_optimize_result result;
    int64_t n = h->n_rows;
    const double *share = m->share + (e < m->k ? e * n : 0);
    for (int64_t i = 0; i < p->data.n_rows; i++)
        p->weight[i] = smr_data_weight(m->data, i % n) * share[i];
    memcpy(p->step_w, p->w, (size_t)p->n * sizeof *p->w);
    TRY(smr_newton(ctx, smr_linear_function(p->o), &opts, p->step_w, &result));
    TRY(find_scores(ctx, h, p, p->step_w, p->step));
    for (int64_t i = 0; i < p->n; i++) p->step_w[i] -= p->w[i];
    for (int64_t i = 0; i < n * p->k; i++) p->step[i] -= p->score[i];
out:
    return st;
}

static double size_of(const struct part *p, double a)
{
    double sum = 0;
    for (int64_t i = 0; i < p->k * p->d; i++) {
        double w = p->w[i] + a * p->step_w[i];
        sum += w * w;
    }
    return sum;
}

/* The best variance of expert e for the responsibilities, after the step. */
static void step_variance(const smr_mixture *m, int64_t e)
{
    const struct smr_warm *h = m->warm;
    const struct part *p = &h->part[e];
    double sum = 0, rest = m->params->l2 * size_of(p, 1);
    for (int64_t i = 0; i < h->n_rows; i++) {
        double r = m->data->y[i] - p->score[i] - p->step[i];
        sum += p->weight[i];
        rest += p->weight[i] * r * r;
    }
    double variance = sum > 0 ? smr_fmax(rest / sum, m->floor) : m->variance[e];
    h->step_variance[e] = smr_log(variance / m->variance[e]);
}

/* ---- how far ---------------------------------------------------------------------------- */

static const double *scores_at(const struct smr_warm *h, const struct part *p, double a)
{
    for (int64_t i = 0; i < h->n_rows * p->k; i++) h->room[i] = p->score[i] + a * p->step[i];
    return h->room;
}

/* density and penalty of expert e. */
static void judge_expert(const smr_mixture *m, int64_t e, double a)
{
    struct smr_warm *h = m->warm;
    const struct part *p = &h->part[e];
    const double *f = scores_at(h, p, a);
    double *out = h->density + e * h->n_rows, size = m->params->l2 / 2 * size_of(p, a);
    int64_t n = h->n_rows;
    h->penalty[e] = size;
    if (m->classify) {
        if (p->k == 1)
            smr_loss_block(&smr_losses[SMR_LOSS_LOGISTIC], 0, n, h->margin, f, out, NULL, NULL);
        else
            smr_loss_classes(&smr_losses[SMR_LOSS_CROSS_ENTROPY], n, p->k, h->present.data.label, f,
                             out, NULL);
        for (int64_t i = 0; i < n; i++) out[i] = -out[i];
        return;
    }
    double v = smr_fmax(m->variance[e] * smr_exp(a * h->step_variance[e]), m->floor);
    for (int64_t i = 0; i < n; i++) out[i] = m->data->y[i] - f[i];
    smr_normal_density(n, v, out);
    h->variance[e] = v;
    h->penalty[e] = size / v;
}

static void judge_gate(const smr_mixture *m, double a)
{
    struct smr_warm *h = m->warm;
    const struct part *p = &h->part[m->k];
    const double *f = scores_at(h, p, a);
    int64_t n = h->n_rows;
    for (int64_t i = 0; i < n; i++) {
        const double *row = f + i * p->k;
        double top = p->k == 1 ? smr_fmax(0, row[0]) : row[0], sum = 0;
        for (int64_t e = 1; e < p->k; e++) top = smr_fmax(top, row[e]);
        if (p->k == 1) sum = smr_exp(-top); /* the first expert's score is 0 */
        for (int64_t e = 0; e < p->k; e++) sum += smr_exp(row[e] - top);
        double all = top + smr_log(sum);
        for (int64_t e = 0; e < m->k; e++)
            h->log_gate[e * n + i] = (p->k > 1 ? row[e] : e ? row[0] : 0) - all;
    }
    h->gate_penalty = smr_mixture_gate_l2(m) / 2 * size_of(p, a);
}

/* The value after a step of length a: tables and penalties of the trial are filled. */
static double judge(const smr_mixture *m, double a)
{
    struct smr_warm *h = m->warm;
    for (int64_t e = 0; e < m->k; e++) judge_expert(m, e, a);
    judge_gate(m, a);
    double value = smr_mixture_sum(m, h->density, h->log_gate, NULL) - h->gate_penalty;
    for (int64_t e = 0; e < m->k; e++) value -= h->penalty[e];
    return value;
}

/* a of (1). */
static double guess_length(const smr_mixture *m)
{
    const struct smr_warm *h = m->warm;
    double before = 0, change = 0;
    for (int64_t e = 0; e <= m->k && h->length > 0; e++) {
        const struct part *p = &h->part[e];
        double unit = e < m->k && !m->classify ? 1 / m->variance[e] : 1, was = 0, by = 0;
        for (int64_t i = 0; i < h->n_rows * p->k; i++) {
            double delta = p->last[i] - p->step[i];
            was += p->last[i] * p->last[i];
            by += delta * delta;
        }
        before += unit * was;
        change += unit * by;
    }
    double a = h->length * sqrt(before / change);
    return a > 1 ? smr_fmin(a, LONGEST) : 1;
}

static void swap(double **a, double **b)
{
    double *was = *a;
    *a = *b;
    *b = was;
}

/* The tables, coefficients and variances become those of the last trial, of length a. */
static void take(smr_mixture *m, double a)
{
    struct smr_warm *h = m->warm;
    swap(&m->density, &h->density);
    swap(&m->log_gate, &h->log_gate);
    swap(&m->penalty, &h->penalty);
    if (!m->classify) swap(&m->variance, &h->variance);
    m->gate_penalty = h->gate_penalty;
    for (int64_t e = 0; e <= m->k; e++) {
        struct part *p = &h->part[e];
        smr_axpy_f64(p->n, a, p->step_w, p->w);
        smr_axpy_f64(h->n_rows * p->k, a, p->step, p->score);
        swap(&p->step, &p->last);
    }
    h->length = a;
}

smr_status smr_warm_step(smr_ctx *ctx, smr_mixture *m)
{
    smr_status st = SMR_OK;
    for (int64_t e = 0; e <= m->k; e++) TRY(step_part(ctx, m, e));
    for (int64_t e = 0; e < m->k && !m->classify; e++) step_variance(m, e);
    double a = guess_length(m), plain = judge(m, 1), value = plain;
    for (int trial = 0; a > 1; trial++) {
        value = judge(m, a);
        if (value >= plain) break;
        a = trial < TRIALS ? (1 + a) / 2 : 1;
        if (a == 1) value = judge(m, 1);
    }
    if (!(value >= m->value)) {
        m->warm->length = 0;
        goto out; /* rounding hides what is left to gain */
    }
    take(m, a);
    smr_mixture_respond(m);
out:
    return st;
}
