/* experts.c -- a mixture of experts: several models, and a gate that says which to ask where.
 *
 *     p(y | x) = sum_e g_e(x) p_e(y | x),      g(x) = softmax(V x + c)
 *
 * The experts are ridge for numbers, each with a noise variance of its own, and logistic for
 * classes, or any learner that takes weights (and gives probabilities).  Experts and gate are
 * members: each has the coding and imputation that it needs.  They are fitted by EM
 * (experts_em.c): the log-likelihood less the penalties never falls.  EM finds a local maximum, so
 * several starts are run for some iterations, and the best of them to the end.
 *
 * The answer is the gate's mean of the experts' answers, values or probabilities.
 *
 * Cost: an iteration fits every expert and a softmax of k n rows; ridge and logistic of few
 * features take one Newton step in its place (experts_warm.c).
 *
 * Symbols: n rows, d features, k experts. */
#include "learn/ensemble/experts.h"

#include "core/span.h"

#include <math.h>
#include <string.h>

enum { FIRST_ITERATIONS = 10 }; /* of every start */

/* ---- parameters ------------------------------------------------------------------------- */

static const smr_param params[] = {
    {SMR_FIELD(struct smr_experts_params, k), .def = 2, .min = 1, .max = SMR_EXPERTS_MOST,
     .primary = true, .search = SMR_SEARCH_LINEAR, .search_min = 1, .search_max = 8,
     .simpler = SMR_SIMPLER_LOW, .when = "of<2",
     .doc = "Number of experts to start with; if `of` names several, as many as it names."},
    {SMR_FIELD(struct smr_experts_params, l2), .def = 1, .min = 0, .max = INFINITY,
     .max_open = true, .search = SMR_SEARCH_LOG, .search_min = 1e-4, .search_max = 1e4,
     .simpler = SMR_SIMPLER_HIGH, .when = "of=none",
     .doc = "L2 penalty of the experts, as in ridge and logistic."},
    {SMR_FIELD(struct smr_experts_params, gate_l2), .def = 0.1, .min = 0, .max = INFINITY,
     .max_open = true, .search = SMR_SEARCH_LOG, .search_min = 1e-3, .search_max = 1e3,
     .simpler = SMR_SIMPLER_HIGH,
     .doc = "L2 penalty of the gate, gate_l2/2 |V|^2, with one row of V per expert."},
    {SMR_FIELD(struct smr_experts_params, tol), .def = 1e-6, .min = 0, .max = 1,
     .doc = "Stop when an iteration improves the log-likelihood per row by less than this."},
    {SMR_FIELD(struct smr_experts_params, max_iter), .def = 200, .min = 1, .max = 1000000,
     .doc = "Maximum number of iterations."},
    {SMR_FIELD(struct smr_experts_params, restarts), .def = 5, .min = 1, .max = 1000,
     .doc = "Number of random starts; the best one after ten iterations is continued."},
    {SMR_FIELD(struct smr_experts_params, of), .grammar = &smr_sentences, .least = 0,
     .most = SMR_EXPERTS_MOST,
     .doc = "The experts: one learner, copied k times, or several; default: ridge or logistic."},
};

/* ---- state ------------------------------------------------------------------------------ */

static const smr_state state[] = {
    {SMR_KEPT(struct smr_experts_state, n_experts), .min = 1, .max = SMR_EXPERTS_MOST,
     .doc = "Experts."},
    {SMR_KEPT(struct smr_experts_state, n_given), .min = 1, .max = SMR_EXPERTS_MOST,
     .doc = "Experts at the start."},
    {SMR_KEPT(struct smr_experts_state, log_likelihood),
     .doc = "Log-likelihood of the training rows, without penalties."},
    {SMR_KEPT(struct smr_experts_state, decided), .reals = SMR_REALS_FINITE,
     .doc = "Mean of each row's largest responsibility."},
    {SMR_KEPT(struct smr_experts_state, low),
     .doc = "Smallest value of the feature if there is only one, otherwise NaN."},
    {SMR_KEPT(struct smr_experts_state, high),
     .doc = "Largest value of that feature, otherwise NaN."},
    {SMR_KEPT(struct smr_experts_state, variance), .with = "targets", .reals = SMR_REALS_ABOVE_0,
     .dims = {"n_experts"}, .optional = true,
     .doc = "Regress: variance of the noise of each expert."},
    {SMR_KEPT(struct smr_experts_state, share), .reals = SMR_REALS_FROM_0, .dims = {"n_experts"},
     .doc = "Mean responsibility of each expert."},
    {SMR_KEPT(struct smr_experts_state, n_curve), .min = 0, .doc = "Iterations."},
    {SMR_KEPT(struct smr_experts_state, curve), .dims = {"n_curve"},
     .doc = "Log-likelihood less penalties after each iteration."},
    {SMR_KEPT(struct smr_experts_state, of), .same = true, .dims = {"n_experts"},
     .doc = "The experts."},
    {SMR_KEPT(struct smr_experts_state, gate), .optional = true,
     .doc = "The gate, a classifier of experts; a single expert has none."},
};

/* ---- predict ---------------------------------------------------------------------------- */

struct layout {
    int64_t answers, member, end;
};

static struct layout lay_out(const struct smr_experts_state *s, int64_t n)
{
    struct layout l = {0};
    int64_t width = SMR_MAX(1, s->of.member[0].shape.n_classes), most = 0;
    for (int64_t e = 0; e < s->n_experts; e++)
        most = SMR_MAX(most, smr_member_scratch(&s->of.member[e], n));
    if (s->gate.n) most = SMR_MAX(most, smr_member_scratch(&s->gate.member[0], n));
    l.answers = (8 * n * s->n_experts + 63) / 64 * 64;
    l.member = l.answers + (8 * n * width + 63) / 64 * 64;
    l.end = l.member + most;
    return l;
}

int64_t smr_experts_scratch(const void *params_, const void *state_, int64_t n)
{
    (void)params_;
    return lay_out(state_, n).end;
}

smr_status smr_experts_predict(smr_ctx *ctx, const void *params_, const void *state_,
                               const smr_rows *rows, smr_output output, double *out, void *scratch)
{
    const struct smr_experts_state *s = state_;
    smr_status st = SMR_OK;
    struct layout l = lay_out(s, rows->n);
    int64_t n = rows->n, k = s->n_experts, width = smr_member_width(&s->of.member[0], output);
    double *gate = scratch, *answers = (double *)(void *)((char *)scratch + l.answers);
    char *room = (char *)scratch + l.member;
    (void)params_;
    if (k == 1) return smr_member_predict(ctx, &s->of.member[0], rows, output, out, room);
    TRY(smr_member_predict(ctx, &s->gate.member[0], rows, SMR_OUTPUT_PROBA, gate, room));
    memset(out, 0, (size_t)(n * width) * sizeof *out);
    for (int64_t e = 0; e < k; e++) {
        TRY(smr_member_predict(ctx, &s->of.member[e], rows, output, answers, room));
        for (int64_t i = 0; i < n; i++)
            for (int64_t c = 0; c < width; c++)
                out[i * width + c] += gate[i * k + e] * answers[i * width + c];
    }
out:
    return st;
}

/* ---- fit -------------------------------------------------------------------------------- */

struct fitting {
    const struct smr_experts_params *params;
    const smr_data *data;
    struct smr_experts_state *state;
    smr_fit_report *report;
    double *curve; /* max_iter: of the mixture at hand */
    smr_span span;
    int64_t n_steps; /* of all mixtures */
};

/* Iterations *done .. most, or fewer where it settles. */
static smr_status lead(smr_ctx *ctx, struct fitting *f, smr_mixture *m, int64_t most, int64_t *done,
                       bool *settled)
{
    smr_status st = SMR_OK;
    while (*done < most && !*settled) {
        double before = m->begun ? m->value : -INFINITY;
        int64_t k = m->k;
        TRY(smr_span_at(ctx, &f->span, f->n_steps++, m->value));
        TRY(smr_mixture_step(ctx, m));
        f->curve[(*done)++] = m->value;
        *settled = m->k == k && m->value - before <= f->params->tol * m->total;
    }
out:
    return st;
}

/* The best of several starts, run to its end. */
static smr_status find_mixture(smr_ctx *ctx, struct fitting *f, smr_mixture **out)
{
    smr_status st = SMR_OK;
    smr_mixture *m = NULL, *best = NULL;
    double *curve = f->curve;
    int64_t done = 0, best_done = 0, most = f->params->max_iter;
    int64_t first = SMR_MIN(most, FIRST_ITERATIONS);
    bool settled = false, best_settled = false;
    for (int64_t a = 0; a < f->params->restarts; a++) {
        f->curve = curve + (best && best->begun ? first : 0); /* the best one's comes first */
        done = 0;
        settled = false;
        TRY(smr_mixture_create(ctx, f->params, f->data, &m));
        bool alone = m->k == 1;
        TRY(smr_mixture_start(ctx, m, a));
        TRY(lead(ctx, f, m, first, &done, &settled));
        if (!best || m->value > best->value) {
            memmove(curve, f->curve, (size_t)done * sizeof *curve);
            smr_mixture_free(best);
            best = m;
            m = NULL;
            best_done = done;
            best_settled = settled;
        }
        smr_mixture_free(m);
        m = NULL;
        if (alone) break;
    }
    f->curve = curve;
    TRY(lead(ctx, f, best, most, &best_done, &best_settled));
    TRY(smr_mixture_finish(ctx, best));
    f->report->converged = best_settled;
    f->state->n_curve = best_done;
    *out = best;
    best = NULL;
out:
    f->curve = curve;
    smr_mixture_free(m);
    smr_mixture_free(best);
    return st;
}

/* The range of an only feature, for the picture. */
static smr_status find_range(smr_ctx *ctx, const smr_data *data, struct smr_experts_state *s)
{
    smr_status st = SMR_OK;
    double *x = NULL;
    s->low = s->high = NAN;
    if (data->n_features != 1 || smr_data_is_sparse(data)) return SMR_OK;
    if (!data->features || data->features[0].kind != SMR_NUMBER) return SMR_OK;
    TRY_NEW(x, data->n_rows);
    TRY(smr_data_column(ctx, data, 0, x));
    for (int64_t i = 0; i < data->n_rows; i++) {
        s->low = smr_fmin(s->low, x[i]); /* a NaN is passed over */
        s->high = smr_fmax(s->high, x[i]);
    }
out:
    smr_free(x);
    return st;
}

static void measure_shares(const smr_mixture *m, struct smr_experts_state *s)
{
    int64_t n = m->data->n_rows;
    for (int64_t i = 0; i < n; i++) {
        double w = smr_data_weight(m->data, i) / m->total, top = 0;
        for (int64_t e = 0; e < m->k; e++) {
            s->share[e] += w * m->share[e * n + i];
            top = smr_fmax(top, m->share[e * n + i]);
        }
        s->decided += w * top;
    }
}

static smr_status keep(smr_ctx *ctx, smr_mixture *m, struct smr_experts_state *s)
{
    smr_status st = SMR_OK;
    TRY(smr_members_create(ctx, m->k, &s->of));
    if (m->k > 1) TRY(smr_members_create(ctx, 1, &s->gate));
    TRY_NEW(s->share, m->k);
    if (!m->classify) TRY_NEW(s->variance, m->k);
    s->n_experts = m->k;
    s->log_likelihood = m->log_likelihood;
    measure_shares(m, s);
    for (int64_t e = 0; e < m->k; e++) {
        if (!m->classify) s->variance[e] = m->variance[e];
        s->of.member[e] = m->expert[e];
        m->expert[e] = (smr_member){0};
    }
    if (m->k > 1) s->gate.member[0] = m->gate;
    if (m->k > 1) m->gate = (smr_member){0};
out:
    return st;
}

static smr_status fit(smr_ctx *ctx, const void *params_, const smr_data *data, void *state_,
                      smr_fit_report *report)
{
    const struct smr_experts_params *p = params_;
    struct smr_experts_state *s = state_;
    struct fitting f = {.params = p, .data = data, .state = s, .report = report};
    smr_status st = SMR_OK;
    smr_mixture *m = NULL;
    s->n_given = p->of.n > 1 ? p->of.n : p->k;
    TRY_NEW(f.curve, p->max_iter + FIRST_ITERATIONS);
    TRY(find_range(ctx, data, s));
    smr_span_open(ctx, &f.span, "fitting experts",
                  p->max_iter + (p->restarts - 1) * SMR_MIN(p->max_iter, FIRST_ITERATIONS));
    TRY(find_mixture(ctx, &f, &m));
    TRY_NEW(s->curve, s->n_curve);
    memcpy(s->curve, f.curve, (size_t)s->n_curve * sizeof *s->curve);
    for (int64_t t = 0; t < s->n_curve; t++) TRY(smr_fit_step(ctx, report, -s->curve[t]));
    TRY(keep(ctx, m, s));
    if (s->n_experts < s->n_given)
        smr_warn(
            ctx,
            "experts: %lld of %lld expert%s lost all their rows to the others and were dropped",
            (long long)(s->n_given - s->n_experts), (long long)s->n_given,
            smr_plural(s->n_given, "", "s"));
    if (!report->converged)
        smr_warn(ctx, "experts: not converged after %lld iteration%s; raise max_iter or tol",
                 (long long)p->max_iter, smr_plural(p->max_iter, "", "s"));
out:
    smr_span_close(ctx, &f.span);
    smr_mixture_free(m);
    smr_free(f.curve);
    return st;
}

/* ---- loading ---------------------------------------------------------------------------- */

static bool numbers_are_sound(const struct smr_experts_state *s)
{
    for (int64_t e = 0; e < s->n_experts; e++)
        if (s->share[e] > 2) return false;
    return !isinf(s->low) && !isinf(s->high);
}

static smr_status check(smr_ctx *ctx, const void *params_, const void *state_,
                        const smr_shape *shape)
{
    const struct smr_experts_state *s = state_;
    bool classify = shape->task == SMR_TASK_CLASSIFY;
    unsigned needs = classify ? SMR_GIVES_PROBA : SMR_GIVES_VALUE;
    (void)params_;
    for (int64_t e = 0; e < s->n_experts; e++) {
        const smr_member *m = &s->of.member[e];
        if (!(smr_member_gives(m) & needs))
            return smr_fail(ctx, SMR_ERR_FORMAT, "experts: an expert answers something else");
    }
    const smr_member *gate = s->gate.n ? &s->gate.member[0] : NULL;
    if (!gate != (s->n_experts == 1))
        return smr_fail(ctx, SMR_ERR_FORMAT,
                        "experts: its gate is missing, or there is one too many");
    if (gate &&
        (gate->features || gate->shape.task != SMR_TASK_CLASSIFY ||
         gate->shape.n_classes != s->n_experts || !(smr_member_gives(gate) & SMR_GIVES_PROBA)))
        return smr_fail(ctx, SMR_ERR_FORMAT, "experts: its gate tells other experts apart");
    if (!numbers_are_sound(s))
        return smr_fail(ctx, SMR_ERR_FORMAT,
                        "experts: its variances or shares are not finite numbers in range");
    return SMR_OK;
}

/* ---- descriptor ------------------------------------------------------------------------- */

static const smr_word about = {
    .name = "experts",
    .synonyms = "moe mixture mixture_of_experts",
    .family = "ensemble",
    .title = "Mixture of experts",
    .brief = "Several linear models, and a gate that decides which of them to trust where.",
    .objective = "maximise sum_i log sum_e softmax_e(V x_i + c) p_e(y_i | x_i) - gate_l2/2 |V|^2 - "
                 "the experts' penalties",
    .details =
        "Experts are ridge for numbers, each with its own noise variance and the penalty l2/2 "
        "|w|^2 / variance, and logistic for classes; `of` accepts any learner that takes row "
        "weights and, for classes, gives probabilities. The fit uses EM: the experts are fitted "
        "with the rows' responsibilities as weights, the gate as a softmax model of the "
        "responsibilities; a step that would lower the likelihood is not taken, so it never "
        "falls. Ridge, logistic and the gate take one Newton step from their current values, and "
        "a longer one where that is better (Varadhan & Roland 2008), which saves iterations; "
        "experts given by `of` are fitted anew. Each start groups the rows around k rows drawn "
        "as in k-means++; the best of `restarts` starts after ten iterations goes on. A variance "
        "stays above a millionth of the target's. An expert left with less than a thousandth of "
        "a row is dropped, with a warning; k = 1 is the expert itself. The prediction is the "
        "mean of the experts' predictions, weighted by the gate.",
    .reference = "Jacobs, Jordan, Nowlan & Hinton, Neural Computation 3 (1991); Jordan & Jacobs, "
                 "Neural Computation 6 (1994)",
    .example = "samara train \"standardize | experts 2\" data/diabetes.csv --target progression",
    .params = params,
    .n_params = SMR_COUNT(params),
    .params_size = sizeof(struct smr_experts_params),
};

static const smr_fitted fitted = {
    .state = state,
    .n_state = SMR_COUNT(state),
    .state_size = sizeof(struct smr_experts_state),
    .gives = SMR_GIVES_VALUE | SMR_GIVES_PROBA,
    .check = check,
    .predict = smr_experts_predict,
    .scratch = smr_experts_scratch,
    .describe = smr_experts_describe,
    .draw = smr_experts_figures,
};

const smr_learner smr_experts = {
    .word = &about,
    .tasks = SMR_DOES_CLASSIFY | SMR_DOES_REGRESS,
    .takes = SMR_TAKES_ANYTHING & ~SMR_TAKES_MANY_TARGETS,
    .traits = SMR_SCALE_MATTERS | SMR_DRAWS_ROWS,
    .fit = SMR_TRAINING(fit),
    .fitted = &fitted,
};
