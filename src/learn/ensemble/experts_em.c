/* experts_em.c -- the EM algorithm of a mixture of experts.
 *
 * What never falls from one iteration to the next is
 *
 *     F = sum_i w_i log sum_e g_e(x_i) p_e(y_i | x_i) - penalties                               (1)
 *
 *     E   r_ie = g_e(x_i) p_e(y_i | x_i) / sum of the same over all experts                     (2)
 *     M   expert e fitted with the weights w_i r_ie; its variance the weighted mean of squared
 *         residuals; the gate a softmax fitted to the responsibilities: every row once for each
 *         expert, with the weight w_i r_ie                                                      (3)
 *
 * For numbers p_e is normal around the expert's answer with a variance of its own.  The penalty of
 * our own experts is l2 |v|^2 / 2 for classes and l2 |v|^2 / (2 variance) for numbers: then (3) is
 * exactly ridge with l2, whatever the variance, whose best value is (squared residuals + l2 |v|^2)
 * / weight.  It is held above a millionth of the target's variance, or an expert could shrink on
 * one row without end.
 *
 * Each new expert and the new gate are kept only where they do not make their part of the expected
 * (1) smaller: so F never falls, even for members that know nothing of likelihoods (a generalised
 * EM; Dempster, Laird & Rubin 1977).  Our own experts go on from the first fit by steps of their
 * own (experts_warm.c); after the last, their learners fit them once more to the responsibilities,
 * so that everything their models report is from this fit.  An expert whose responsibilities sum to
 * less than a thousandth of a row is dropped, which may cost a thousandth of a nat. */
#include "core/number.h"
#include "data/row_subset.h"
#include "kernel/kernel.h"
#include "learn/chain.h"
#include "learn/ensemble/experts.h"
#include "learn/present.h"
#include "learn/registry.h"
#include "learn/views.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static const double LOST = 1e-3;  /* of a row of mean weight: less is negligible */
static const double FLOOR = 1e-6; /* of the target's variance                      */
static const double SLACK = 1e-9; /* of the value: what the last fits may lose to rounding */
enum { SENTENCE = 96 };

/* ---- making and releasing --------------------------------------------------------------- */

/* Least variance that an expert may claim. */
static double variance_floor(const smr_mixture *m)
{
    const smr_data *data = m->data;
    double mean = 0, square = 0;
    for (int64_t i = 0; i < data->n_rows; i++)
        mean += smr_data_weight(data, i) * data->y[i] / m->total;
    for (int64_t i = 0; i < data->n_rows; i++)
        square += smr_data_weight(data, i) * (data->y[i] - mean) * (data->y[i] - mean) / m->total;
    if (square > 0) return FLOOR * square;
    return mean != 0 ? 1e-12 * mean * mean : 1; /* a constant target */
}

/* Our own experts, and the gate: the plain learner of the task with that penalty. */
static smr_status own_spec(smr_ctx *ctx, smr_task task, double l2, smr_spec **out)
{
    char number[SMR_NUMBER_MAX], sentence[SENTENCE];
    smr_format_double(l2, number);
    snprintf(sentence, sizeof sentence, "%s %s", smr_registry_trait(task, SMR_PLAIN)->word->name,
             number);
    return smr_spec_parse(ctx, sentence, out);
}

static smr_status make_tables(smr_ctx *ctx, smr_mixture *m)
{
    smr_status st = SMR_OK;
    int64_t n = m->data->n_rows, k = m->k;
    TRY(smr_memory_check(ctx, 32.0 * (double)n * (double)k, "experts", "use fewer experts"));
    TRY_NEW(m->expert, k);
    TRY_NEW(m->spec, k);
    TRY_NEW(m->penalty, k);
    TRY_NEW(m->variance, k);
    TRY_NEW(m->density, n * k);
    TRY_NEW(m->log_gate, n * k);
    TRY_NEW(m->share, n * k);
out:
    return st;
}

smr_status smr_mixture_create(smr_ctx *ctx, const struct smr_experts_params *p,
                              const smr_data *data, smr_mixture **out)
{
    smr_status st = SMR_OK;
    smr_mixture *m = NULL;
    TRY_NEW(m, 1);
    *m = (smr_mixture){.params = p,
                       .data = data,
                       .classify = data->task == SMR_TASK_CLASSIFY,
                       .ours = p->of.n == 0,
                       .k = p->of.n > 1 ? p->of.n : p->k};
    for (int64_t i = 0; i < data->n_rows; i++) m->total += smr_data_weight(data, i);
    m->floor = m->classify ? 0 : variance_floor(m);
    TRY(make_tables(ctx, m));
    for (int64_t e = 0; e < m->k && !m->ours; e++) m->spec[e] = p->of.spec[p->of.n > 1 ? e : 0];
    *out = m;
    m = NULL;
out:
    smr_mixture_free(m);
    return st;
}

void smr_mixture_free(smr_mixture *m)
{
    if (!m) return;
    smr_warm_free(m);
    for (int64_t e = 0; m->expert && e < m->k; e++) smr_member_release(&m->expert[e]);
    smr_member_release(&m->gate);
    smr_free(m->expert);
    smr_free(m->spec);
    smr_free(m->penalty);
    smr_free(m->variance);
    smr_free(m->density);
    smr_free(m->log_gate);
    smr_free(m->share);
    smr_free(m);
}

/* ---- fitting with responsibilities ------------------------------------------------------ */

/* |w|^2 of the last stage, as its penalty has it: two classes that alone have rows have halves of
 * one score. */
static double squared_size(const smr_member *member)
{
    smr_linear_view view = smr_stage_linear(smr_member_last(member));
    double sum = 0;
    int64_t there = 0;
    for (int64_t c = 0; c < view.n_scores; c++) there += view.b[c] != SMR_ABSENT;
    for (int64_t j = 0; j < view.n_scores * view.n_features; j++) sum += view.w[j] * view.w[j];
    return view.n_scores > 2 && there == 2 ? 2 * sum : sum;
}

/* What a trial warns of is not about the model that is kept. */
static smr_status fit_quietly(smr_ctx *ctx, const smr_spec *spec, const smr_data *data,
                              smr_member *member)
{
    smr_log_fn log = ctx->log;
    ctx->log = NULL;
    smr_status st = smr_member_fit(ctx, spec, data, member, NULL);
    ctx->log = log;
    return st;
}

const smr_data *smr_mixture_rows(const smr_mixture *m, const smr_member *member, smr_data *link)
{
    int64_t n = SMR_MIN(member->n_stages - 1, SMR_EXPERTS_ADAPTERS);
    link[0] = *m->data;
    for (int64_t s = 0; s < n; s++) smr_chain(&link[s], &member->stages[s], &link[s + 1]);
    return &link[SMR_MAX(0, n)];
}

/* Expert e on those of the rows (the mixture's, or as an adapter gives them) that it has a share
 * of. */
static smr_status fit_expert(smr_ctx *ctx, const smr_mixture *m, int64_t e, const smr_data *data,
                             smr_member *member)
{
    smr_status st = SMR_OK;
    int64_t n = m->data->n_rows, count = 0, *rows = NULL;
    double *weight = NULL;
    smr_spec *own = NULL;
    smr_subset subset = {0};
    TRY_NEW(rows, n);
    TRY_NEW(weight, n);
    for (int64_t i = 0; i < n; i++) {
        double w = smr_data_weight(m->data, i) * m->share[e * n + i];
        if (!(w > 0)) continue;
        rows[count] = i;
        weight[count++] = w;
    }
    bool plain = m->k == 1 && !m->data->weight; /* one expert is the learner itself */
    smr_subset_with with = {.weight = plain ? NULL : weight};
    TRY(smr_subset_make(ctx, data, rows, count, &with, &subset));
    if (m->ours) TRY(own_spec(ctx, m->data->task, m->params->l2, &own));
    TRY(fit_quietly(ctx, m->ours ? own : m->spec[e], &subset.data, member));
    if (m->classify && !(smr_member_gives(member) & SMR_GIVES_PROBA))
        TRY(smr_fail(ctx, SMR_ERR_UNSUPPORTED,
                     "experts: %s gives no probabilities, which a mixture is made of; "
                     "'calibrate of=(%s)' does",
                     smr_member_last(member)->learner->word->name,
                     smr_member_last(member)->learner->word->name));
out:
    smr_spec_free(own);
    smr_subset_release(&subset);
    smr_free(rows);
    smr_free(weight);
    return st;
}

/* log of a probability that rounding may have made 0. */
static double log_of(double p)
{
    return smr_log(smr_fmax(p, DBL_MIN));
}

/* density (n) = log p(y | x) of classes. */
static smr_status class_density(smr_ctx *ctx, const smr_data *data, const smr_member *member,
                                double *density)
{
    smr_status st = SMR_OK;
    int64_t n = data->n_rows, c = data->n_classes;
    double *proba = NULL;
    TRY_NEW(proba, n * c);
    TRY(smr_member_apply(ctx, member, data, SMR_OUTPUT_PROBA, proba));
    for (int64_t i = 0; i < n; i++) density[i] = log_of(proba[i * c + data->label[i]]);
out:
    smr_free(proba);
    return st;
}

void smr_normal_density(int64_t n, double variance, double *x)
{
    static const double LOG_TWO_PI = 1.8378770664093453;
    double constant = (LOG_TWO_PI + smr_log(variance)) / 2;
    for (int64_t i = 0; i < n; i++) x[i] = -x[i] * x[i] / (2 * variance) - constant;
}

/* density (n) of numbers, with the best variance for the responsibilities `share` (n). */
static smr_status number_density(smr_ctx *ctx, const smr_mixture *m, const smr_data *data,
                                 const smr_member *member, double size, const double *share,
                                 double *variance, double *density)
{
    smr_status st = SMR_OK;
    int64_t n = m->data->n_rows;
    double sum = 0, rest = size;
    TRY(smr_member_apply(ctx, member, data, SMR_OUTPUT_VALUE, density));
    for (int64_t i = 0; i < n; i++) {
        double w = smr_data_weight(m->data, i) * share[i], r = m->data->y[i] - density[i];
        sum += w;
        rest += w * r * r;
        density[i] = r;
        if (!isfinite(r))
            TRY(smr_fail(ctx, SMR_ERR_NUMERIC, "experts: an expert's answer is not finite"));
    }
    *variance = smr_fmax(rest / sum, m->floor);
    smr_normal_density(n, *variance, density);
out:
    return st;
}

/* sum_i w_i share_i x_i */
static double expected(const smr_mixture *m, const double *share, const double *x)
{
    double sum = 0;
    for (int64_t i = 0; i < m->data->n_rows; i++)
        if (share[i] > 0) sum += smr_data_weight(m->data, i) * share[i] * x[i];
    return sum;
}

/* May a part of the value go from `before` to `now`? */
static bool is_kept(const smr_mixture *m, double before, double now)
{
    return now >= before - (m->is_over ? SLACK * (fabs(m->value) + fabs(before)) : 0);
}

/* *member takes the place of *old; where it was fitted after the adapters of *old, its last stage
 * does. */
static void replace(const smr_mixture *m, smr_member *old, smr_member *member)
{
    if (m->is_over && old->n_stages > 1) {
        smr_stage *last = &old->stages[old->n_stages - 1];
        void *state = last->state;
        last->state = member->stages[0].state;
        member->stages[0].state = state;
        return;
    }
    smr_member_release(old);
    *old = *member;
    *member = (smr_member){0};
}

/* (3) for expert e; room: n numbers. */
static smr_status improve_expert(smr_ctx *ctx, smr_mixture *m, int64_t e, double *room)
{
    smr_status st = SMR_OK;
    int64_t n = m->data->n_rows;
    const double *share = m->share + e * n;
    double variance = 0, penalty = 0;
    smr_member member = {0};
    smr_data link[SMR_EXPERTS_ADAPTERS + 1];
    const smr_data *data = m->is_over ? smr_mixture_rows(m, &m->expert[e], link) : m->data;
    TRY(fit_expert(ctx, m, e, data, &member));
    double size = m->ours ? m->params->l2 * squared_size(&member) : 0;
    if (m->classify) {
        TRY(class_density(ctx, data, &member, room));
        penalty = size / 2;
    } else {
        TRY(number_density(ctx, m, data, &member, size, share, &variance, room));
        penalty = size / (2 * variance);
    }
    double now = expected(m, share, room) - penalty;
    if (!isfinite(now))
        TRY(smr_fail(ctx, SMR_ERR_NUMERIC,
                     "experts: squares of the target or of the weights overflow or vanish: "
                     "rescale them"));
    double before = m->begun ? expected(m, share, m->density + e * n) - m->penalty[e] : -INFINITY;
    if (!is_kept(m, before, now)) goto out;
    memcpy(m->density + e * n, room, (size_t)n * sizeof *room);
    m->penalty[e] = penalty;
    m->variance[e] = variance;
    replace(m, &m->expert[e], &member);
out:
    smr_member_release(&member);
    return st;
}

/* ---- the gate --------------------------------------------------------------------------- */

/* Two experts have one score, the difference of two: half the penalty on it is the penalty on the
 * two, so that dropping a third one makes no penalty larger. */
double smr_mixture_gate_l2(const smr_mixture *m)
{
    return m->k == 2 ? m->params->gate_l2 / 2 : m->params->gate_l2;
}

/* Every row once for each expert, with the weight of its responsibility. */
static smr_status fit_gate(smr_ctx *ctx, const smr_mixture *m, const smr_data *data,
                           smr_member *gate)
{
    smr_status st = SMR_OK;
    int64_t n = m->data->n_rows, count = 0, *rows = NULL;
    int32_t *label = NULL;
    double *weight = NULL;
    smr_spec *spec = NULL;
    smr_subset subset = {0};
    TRY_NEW(rows, n * m->k);
    TRY_NEW(label, n * m->k);
    TRY_NEW(weight, n * m->k);
    for (int64_t i = 0; i < n; i++)
        for (int64_t e = 0; e < m->k; e++) {
            double w = smr_data_weight(m->data, i) * m->share[e * n + i];
            if (!(w > 0)) continue;
            rows[count] = i;
            label[count] = (int32_t)e;
            weight[count++] = w;
        }
    smr_subset_with with = {
        .weight = weight, .task = SMR_TASK_CLASSIFY, .label = label, .n_classes = m->k};
    TRY(smr_subset_make(ctx, data, rows, count, &with, &subset));
    TRY(own_spec(ctx, SMR_TASK_CLASSIFY, smr_mixture_gate_l2(m), &spec));
    TRY(fit_quietly(ctx, spec, &subset.data, gate));
out:
    smr_spec_free(spec);
    smr_subset_release(&subset);
    smr_free(rows);
    smr_free(label);
    smr_free(weight);
    return st;
}

static smr_status improve_gate(smr_ctx *ctx, smr_mixture *m)
{
    smr_status st = SMR_OK;
    int64_t n = m->data->n_rows;
    smr_member gate = {0};
    double *proba = NULL, *logs = NULL, now = 0, before = 0;
    smr_data link[SMR_EXPERTS_ADAPTERS + 1];
    const smr_data *data = m->is_over ? smr_mixture_rows(m, &m->gate, link) : m->data;
    TRY(fit_gate(ctx, m, data, &gate));
    TRY_NEW(proba, n * m->k);
    TRY_NEW(logs, n * m->k);
    TRY(smr_member_apply(ctx, &gate, data, SMR_OUTPUT_PROBA, proba));
    for (int64_t e = 0; e < m->k; e++) {
        for (int64_t i = 0; i < n; i++) logs[e * n + i] = log_of(proba[i * m->k + e]);
        now += expected(m, m->share + e * n, logs + e * n);
        before += expected(m, m->share + e * n, m->log_gate + e * n);
    }
    double penalty = smr_mixture_gate_l2(m) / 2 * squared_size(&gate);
    bool other = m->gate.shape.n_classes != m->k; /* none yet, or one of more experts */
    if (!other && !is_kept(m, before - m->gate_penalty, now - penalty)) goto out;
    memcpy(m->log_gate, logs, (size_t)(n * m->k) * sizeof *logs);
    m->gate_penalty = penalty;
    replace(m, &m->gate, &gate);
out:
    smr_free(proba);
    smr_free(logs);
    smr_member_release(&gate);
    return st;
}

/* ---- experts without rows --------------------------------------------------------------- */

static void drop(smr_mixture *m, int64_t gone)
{
    int64_t n = m->data->n_rows, behind = m->k - gone - 1;
    double *tables[] = {m->density, m->log_gate, m->share};
    smr_member_release(&m->expert[gone]);
    for (int64_t e = gone; e + 1 < m->k; e++) {
        m->expert[e] = m->expert[e + 1];
        m->spec[e] = m->spec[e + 1];
        m->penalty[e] = m->penalty[e + 1];
        m->variance[e] = m->variance[e + 1];
    }
    for (int64_t t = 0; t < SMR_COUNT(tables); t++)
        memmove(tables[t] + gone * n, tables[t] + (gone + 1) * n,
                (size_t)(behind * n) * sizeof(double));
    m->k--;
    m->expert[m->k] = (smr_member){0};
    if (m->k > 1) return;
    smr_member_release(&m->gate);
    m->gate_penalty = 0;
    memset(m->log_gate, 0, (size_t)n * sizeof(double));
}

static void drop_the_lost(smr_mixture *m)
{
    int64_t n = m->data->n_rows;
    for (int64_t e = m->k - 1; e >= 0 && m->k > 1; e--) {
        double sum = 0;
        for (int64_t i = 0; i < n; i++) sum += smr_data_weight(m->data, i) * m->share[e * n + i];
        if (sum >= LOST * m->total / (double)n) continue;
        smr_warm_end(m);
        drop(m, e);
    }
    for (int64_t i = 0; i < n; i++) { /* what is left is all there is */
        double sum = 0;
        for (int64_t e = 0; e < m->k; e++) sum += m->share[e * n + i];
        for (int64_t e = 0; e < m->k; e++)
            m->share[e * n + i] = sum > 0 ? m->share[e * n + i] / sum : 1 / (double)m->k;
    }
}

/* ---- an iteration ----------------------------------------------------------------------- */

double smr_mixture_sum(const smr_mixture *m, const double *density, const double *log_gate,
                       double *share)
{
    int64_t n = m->data->n_rows;
    double all = 0, part[SMR_EXPERTS_MOST];
    for (int64_t i = 0; i < n; i++) {
        double top = -INFINITY, sum = 0;
        for (int64_t e = 0; e < m->k; e++) {
            part[e] = log_gate[e * n + i] + density[e * n + i];
            top = smr_fmax(top, part[e]);
        }
        for (int64_t e = 0; e < m->k; e++) sum += part[e] = smr_exp(part[e] - top);
        for (int64_t e = 0; e < m->k && share; e++) share[e * n + i] = part[e] / sum;
        all += smr_data_weight(m->data, i) * (top + smr_log(sum));
    }
    return all;
}

/* (2), and (1) of what it came from. */
void smr_mixture_respond(smr_mixture *m)
{
    m->log_likelihood = smr_mixture_sum(m, m->density, m->log_gate, m->share);
    m->value = m->log_likelihood - m->gate_penalty;
    for (int64_t e = 0; e < m->k; e++) m->value -= m->penalty[e];
}

/* Experts and gate as their learners fit them. */
static smr_status refit(smr_ctx *ctx, smr_mixture *m)
{
    smr_status st = SMR_OK;
    double *room = NULL;
    TRY_NEW(room, m->data->n_rows);
    for (int64_t e = 0; e < m->k; e++) TRY(improve_expert(ctx, m, e, room));
    if (m->k > 1) TRY(improve_gate(ctx, m));
    m->begun = true;
    smr_mixture_respond(m);
out:
    smr_free(room);
    return st;
}

smr_status smr_mixture_step(smr_ctx *ctx, smr_mixture *m)
{
    smr_status st = SMR_OK;
    drop_the_lost(m);
    /* Else it is a gate of more experts, and is fitted anew. */
    bool its_gate = m->gate.shape.n_classes == m->k;
    if (m->begun && m->ours && m->k > 1 && its_gate && !m->warm && !m->is_cold)
        TRY(smr_warm_open(ctx, m));
    TRY(m->warm ? smr_warm_step(ctx, m) : refit(ctx, m));
out:
    return st;
}

smr_status smr_mixture_finish(smr_ctx *ctx, smr_mixture *m)
{
    if (!m->warm) return SMR_OK;
    smr_warm_end(m);
    m->is_over = true;
    return refit(ctx, m);
}
