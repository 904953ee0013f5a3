/* majority_describe.c -- what weighted majority learned: mistakes, weights, the bound. */
#include "core/figure.h"
#include "core/text.h"
#include "learn/ensemble/majority.h"
#include "learn/spec.h"

#include <stdio.h>

enum { SHOWN = 9 }; /* experts in the picture */

static smr_status name_expert(smr_ctx *ctx, const smr_member *m, smr_text *out)
{
    *out = (smr_text){.ctx = ctx};
    for (int64_t i = 0, shown = 0; i < m->n_stages; i++) {
        if (m->stages[i].inserted) continue;
        if (shown++) smr_text_add(out, " | ");
        smr_step step = smr_stage_step(&m->stages[i]);
        smr_step_name(&step, out);
    }
    return smr_text_done(out);
}

static double masters(const struct smr_majority_params *p, const struct smr_majority_state *s)
{
    return p->method == SMR_MAJORITY_VOTE ? s->mistakes : s->expected;
}

static smr_status add_experts(smr_ctx *ctx, const struct smr_majority_params *p,
                              const struct smr_majority_state *s, smr_json *into)
{
    smr_status st = SMR_OK;
    double weight[SMR_MAJORITY_EXPERTS];
    smr_text name = {0};
    smr_json *list = smr_json_add_array(into, "experts");
    smr_majority_weights(p, s, weight);
    for (int64_t e = 0; e < s->n_experts; e++) {
        TRY(name_expert(ctx, &s->of.member[e], &name));
        smr_json *row = smr_json_add_object(list, NULL);
        smr_json_add_string(row, "expert", name.bytes);
        smr_json_add_number(row, "mistakes", s->loss[e]);
        smr_json_add_number(row, "share", weight[e]);
        smr_text_release(&name);
    }
out:
    smr_text_release(&name);
    return st;
}

smr_status smr_majority_describe(smr_ctx *ctx, const void *params_, const void *state_,
                                 const smr_feature *in, int64_t n_in, smr_json *into)
{
    static const char *const methods[] = {"majority", "random", "hedge"};
    const struct smr_majority_params *p = params_;
    const struct smr_majority_state *s = state_;
    (void)in, (void)n_in;
    smr_json_add_string(into, "method", methods[p->method]);
    smr_json_add_number(into, "rounds", (double)s->rounds);
    smr_json_add_number(into, "mistakes", masters(p, s));
    smr_json_add_number(into, "best_expert_mistakes", smr_majority_best(s, NULL));
    smr_json_add_number(into, "mistake_bound", smr_majority_bound(p, s));
    if (p->method == SMR_MAJORITY_HEDGE) {
        smr_json_add_number(into, "regret", masters(p, s) - smr_majority_best(s, NULL));
        smr_json_add_number(into, "rate", s->rounds ? s->last_rate : smr_majority_rate(p, s));
    }
    return add_experts(ctx, p, s, into);
}

/* Curve c at all points, and at the end. */
static int64_t curve_of(const struct smr_majority_params *p, const struct smr_majority_state *s,
                        int64_t c, double *x, double *y)
{
    int64_t n = 0;
    x[n] = y[n] = 0;
    n++;
    for (int64_t i = 0; i < s->n_points; i++, n++) {
        x[n] = (double)((i + 1) * s->every);
        y[n] = s->curve[i * s->n_curves + c];
    }
    if (s->rounds != s->n_points * s->every) {
        x[n] = (double)s->rounds;
        y[n] = c == s->n_experts ? masters(p, s) : s->loss[c];
        n++;
    }
    return n;
}

smr_status smr_majority_figures(smr_ctx *ctx, const void *params_, const void *state_,
                                const smr_feature *in, int64_t n_in, const char *prefix,
                                smr_json *figures)
{
    const struct smr_majority_params *p = params_;
    const struct smr_majority_state *s = state_;
    smr_status st = SMR_OK;
    smr_text name = {0};
    char word[256];
    double x[SMR_MAJORITY_ROOM + 2], y[SMR_MAJORITY_ROOM + 2];
    (void)in, (void)n_in;
    if (s->rounds == 0) return SMR_OK;
    snprintf(word, sizeof word, "%smistakes", prefix);
    smr_json *figure =
        smr_figure_add(figures, word, "Mistakes over time",
                       p->method == SMR_MAJORITY_VOTE
                           ? "The master answers as the weighted majority of the experts."
                           : "The master's mistakes are expected numbers.");
    smr_figure_axis(figure, "x", "rows", "linear");
    smr_figure_axis(figure, "y", "mistakes so far", "linear");
    smr_figure_series(figure, "master", "line", curve_of(p, s, s->n_experts, x, y), x, y);
    for (int64_t e = 0; e < SMR_MIN(s->n_experts, SHOWN); e++) {
        TRY(name_expert(ctx, &s->of.member[e], &name));
        snprintf(word, sizeof word, "%lld: %.60s", (long long)(e + 1), name.bytes);
        smr_figure_series(figure, word, "line", curve_of(p, s, e, x, y), x, y);
        smr_text_release(&name);
    }
out:
    smr_text_release(&name);
    return st;
}
