/* adaboost_fit.c -- the rounds of boosting: see adaboost.c for what is computed. */
#include "core/rng.h"
#include "core/sort.h"
#include "core/span.h"
#include "data/row_subset.h"
#include "kernel/kernel.h"
#include "learn/chain.h"
#include "learn/checkpoint.h"
#include "learn/ensemble/adaboost.h"
#include "learn/spec.h"
#include "learn/trace.h"

#include <math.h>
#include <string.h>

/* ---- weights ---------------------------------------------------------------------------- */

void smr_adaboost_weigh(struct smr_boosting *b)
{
    double most = -INFINITY, sum = 0;
    for (int64_t i = 0; i < b->n; i++) most = smr_fmax(most, b->ln_weight[i]);
    for (int64_t i = 0; i < b->n; i++) b->weight[i] = b->ln_weight[i] - most;
    smr_exp_f64(b->n, b->weight, b->weight);
    for (int64_t i = 0; i < b->n; i++) sum += b->weight[i];
    b->ln_sum = most + smr_log(sum);
    double scale = b->total / sum;
    for (int64_t i = 0; i < b->n; i++) b->weight[i] *= scale;
}

/* n rows drawn with replacement, each as often as its weight says on average. */
static smr_status draw(smr_ctx *ctx, const struct smr_boosting *b, int64_t t, int64_t *rows)
{
    smr_status st = SMR_OK;
    double *upto = NULL, sum = 0;
    TRY_NEW(upto, b->n);
    for (int64_t i = 0; i < b->n; i++) upto[i] = sum += b->weight[i];
    for (int64_t i = 0; i < b->n; i++) {
        double u = smr_random_unit(ctx->seed, SMR_STREAM_ROUNDS, (uint64_t)t, (uint64_t)i) * sum;
        int64_t lo = 0, hi = b->n - 1; /* the first row whose sum is above u */
        while (lo < hi) {
            int64_t mid = lo + (hi - lo) / 2;
            if (upto[mid] > u)
                hi = mid;
            else
                lo = mid + 1;
        }
        while (b->weight[lo] <= 0) lo--; /* u was rounded up to the sum */
        rows[i] = lo;
    }
out:
    smr_free(upto);
    return st;
}

/* ---- one round -------------------------------------------------------------------------- */

static smr_status fit_member(smr_ctx *ctx, struct smr_boosting *b, int64_t t)
{
    smr_status st = SMR_OK;
    const smr_spec *spec = b->params->of.spec[0];
    smr_member *member = &b->state->of.member[t];
    smr_subset drawn = {0};
    int64_t *rows = NULL;
    if (!b->resamples) return smr_member_fit(ctx, spec, &b->mine, member, NULL);
    TRY_NEW(rows, b->n);
    TRY(draw(ctx, b, t, rows));
    TRY(smr_subset_make(ctx, &b->mine, rows, b->n, NULL, &drawn));
    TRY(smr_member_fit(ctx, spec, &drawn.data, member, NULL));
out:
    smr_subset_release(&drawn);
    smr_free(rows);
    return st;
}

static smr_status needs_probabilities(smr_ctx *ctx, const struct smr_boosting *b)
{
    const smr_member *m = &b->state->of.member[0];
    bool real = b->state->n_classes > 0 && b->params->method == SMR_ADABOOST_REAL;
    if (!real || (smr_member_gives(m) & SMR_GIVES_PROBA)) return SMR_OK;
    return smr_fail(ctx, SMR_ERR_PARAM,
                    "adaboost method=real needs probabilities, which %s does not give; take "
                    "method=discrete, or of=(calibrate of=(...))",
                    smr_member_last(m)->learner->word->name);
}

/* 1, 2, 5, 10, 20, 50 ... */
static bool is_mark(int64_t round)
{
    while (round % 10 == 0) round /= 10;
    return round == 1 || round == 2 || round == 5;
}

static int64_t row_of(const smr_data *data, int64_t i)
{
    return data->rows ? data->rows[i] : i;
}

/* The weights of the rows after a round, and the row that is heaviest now. */
static smr_status tell_round(smr_ctx *ctx, const struct smr_boosting *b, int64_t t,
                             smr_trace *trace)
{
    const struct smr_adaboost_state *s = b->state;
    smr_status st = SMR_OK;
    double *x = NULL;
    int64_t step = smr_block_count(b->n, SMR_TRACE_POINTS), n = 0, heavy = 0;
    if (!smr_trace_step(trace, "round %lld", (long long)t + 1)) return SMR_OK;
    TRY_NEW(x, 2 * (b->n / step + 1));
    double *y = x + b->n / step + 1;
    for (int64_t i = 0; i < b->n; i++) heavy = b->weight[i] > b->weight[heavy] ? i : heavy;
    for (int64_t i = 0; i < b->n; i += step, n++) {
        x[n] = (double)row_of(b->data, i) + 1;
        y[n] = b->weight[i] / b->total;
    }
    smr_trace_number(trace, "error", s->error[t]);
    smr_trace_number(trace, "alpha", s->alpha[t]);
    if (s->n_classes) smr_trace_number(trace, "ensemble_error", s->train_error[t]);
    smr_trace_number(trace, "heaviest_row", (double)row_of(b->data, heavy) + 1);
    smr_trace_number(trace, "its_weight", b->weight[heavy] / b->total);
    smr_json *figure =
        smr_trace_figure(trace, "weights", "Weights of the rows after this round", false);
    smr_figure_axis(figure, "x", "row", "linear");
    smr_figure_axis(figure, "y", "share of the weight", "linear");
    smr_figure_series(figure, "row", "points", n, x, y);
    smr_figure_mark(figure, "hline", 1 / (double)b->n, "equal weights");
out:
    smr_free(x);
    return st;
}

static smr_status go_round(smr_ctx *ctx, struct smr_boosting *b, int64_t t, int *stop,
                           smr_fit_report *report)
{
    struct smr_adaboost_state *s = b->state;
    smr_status st = SMR_OK;
    TRY(fit_member(ctx, b, t));
    if (t == 0) TRY(needs_probabilities(ctx, b));
    TRY(smr_member_apply(ctx, &s->of.member[t], &b->mine, smr_adaboost_asks(b->params, s),
                         b->answers));
    TRY(s->n_classes ? smr_adaboost_classes_round(ctx, b, t, stop)
                     : smr_adaboost_numbers_round(ctx, b, t, stop));
    if (*stop == SMR_ADABOOST_CHANCE) {
        smr_member_release(&s->of.member[t]);
        return SMR_OK;
    }
    s->n_rounds = t + 1;
    smr_adaboost_weigh(b);
    if (s->n_classes) smr_adaboost_classes_note(b, t);
    if (s->n_classes && is_mark(t + 1)) TRY(smr_adaboost_margins(ctx, b, t));
    TRY(smr_fit_step(ctx, report, s->n_classes ? smr_exp(s->ln_loss[t]) : s->error[t]));
    if (report->trace) TRY(tell_round(ctx, b, t, report->trace));
out:
    return st;
}

/* A round that is cancelled leaves everything as it was, except the member that it was fitting. */
static smr_status go_rounds(smr_ctx *ctx, struct smr_boosting *b, int *stop, smr_fit_report *report)
{
    smr_status st = SMR_OK;
    struct smr_adaboost_state *s = b->state;
    int64_t rounds = b->params->rounds;
    static const char what[] = "boosting";
    smr_span span;
    smr_span_open(ctx, &span, what, rounds);
    TRY(smr_checkpoint_begin(ctx, report, b));
    for (int64_t t = s->n_rounds; t < rounds && *stop == SMR_ADABOOST_DONE; t++) {
        TRY(smr_span_at(ctx, &span, t, t ? s->error[t - 1] : NAN));
        TRY(go_round(ctx, b, t, stop, report));
        if (t + 1 < rounds && *stop == SMR_ADABOOST_DONE)
            TRY(smr_checkpoint_at(ctx, report, t + 1, rounds, b));
    }
out:
    smr_span_close(ctx, &span);
    if (s->n_rounds > 0) st = smr_checkpoint_end(ctx, report, st, s->n_rounds, rounds, b);
    return st;
}

/* ---- before and after ------------------------------------------------------------------- */

static smr_status make_state(smr_ctx *ctx, struct smr_boosting *b)
{
    struct smr_adaboost_state *s = b->state;
    smr_status st = SMR_OK;
    int64_t most = b->params->rounds;
    bool classes = b->data->task == SMR_TASK_CLASSIFY;
    s->n_classes = classes ? b->data->n_classes : 0;
    s->n_levels = SMR_ADABOOST_LEVELS;
    TRY_NEW(s->alpha, most);
    TRY_NEW(s->error, most);
    TRY_NEW(s->heavy_row, SMR_ADABOOST_HEAVY);
    TRY_NEW(s->heavy_weight, SMR_ADABOOST_HEAVY);
    if (classes) {
        TRY_NEW(s->present, s->n_classes);
        TRY_NEW(s->ln_loss, most);
        TRY_NEW(s->ln_bound, most);
        TRY_NEW(s->train_error, most);
        TRY_NEW(s->mark, SMR_ADABOOST_MARKS);
        TRY_NEW(s->margin, SMR_ADABOOST_MARKS * SMR_ADABOOST_LEVELS);
    } else {
        TRY_NEW(s->largest, most);
    }
    TRY(smr_members_create(ctx, most, &s->of));
out:
    return st;
}

static smr_status set_up(smr_ctx *ctx, struct smr_boosting *b)
{
    struct smr_adaboost_state *s = b->state;
    smr_status st = SMR_OK;
    bool takes = smr_spec_takes(b->params->of.spec[0], SMR_TAKES_WEIGHTS);
    int64_t n = b->n = b->data->n_rows;
    TRY(make_state(ctx, b));
    s->resampled = b->resamples = !takes || b->params->resample;
    bool proba = s->n_classes && b->params->method == SMR_ADABOOST_REAL;
    TRY_NEW(b->answers, n * (proba ? s->n_classes : 1));
    TRY_NEW(b->ln_weight, n);
    TRY_NEW(b->weight, n);
    if (s->n_classes) TRY_NEW(b->score, n * s->n_classes);
    for (int64_t i = 0; i < n; i++) {
        double w = smr_data_weight(b->data, i);
        b->total += w;
        b->ln_weight[i] = w > 0 ? smr_log(w) : -INFINITY;
        if (s->n_classes && w > 0) s->present[b->data->label[i]] = 1;
        if (!s->n_classes && w > 0) s->start += w * b->data->y[i];
    }
    if (!(b->total > 0))
        return smr_fail(ctx, SMR_ERR_DATA, "adaboost: the weights of the rows sum to zero");
    s->start /= b->total;
    for (int64_t c = 0; c < s->n_classes; c++) b->n_present += s->present[c];
    b->mine = *b->data;
    b->mine.spend = NULL;
    b->mine.weight = b->resamples ? NULL : b->weight;
    b->shared.weight = b->data->weight;
    if (!b->mine.shared) b->mine.shared = &b->shared;
    smr_adaboost_weigh(b);
out:
    return st;
}

/* The rows whose weight grew most: wrong again and again. */
static smr_status find_heavy(smr_ctx *ctx, struct smr_boosting *b)
{
    struct smr_adaboost_state *s = b->state;
    smr_status st = SMR_OK;
    double *less = NULL;
    int64_t *order = NULL;
    TRY_NEW(less, b->n);
    TRY_NEW(order, b->n);
    for (int64_t i = 0; i < b->n; i++) {
        double first = smr_data_weight(b->data, i);
        less[i] = first > 0 ? -b->weight[i] / first : 0;
    }
    TRY(smr_argsort_f64(ctx, b->n, less, order));
    for (int64_t k = 0; k < SMR_MIN(b->n, SMR_ADABOOST_HEAVY); k++) {
        if (!(less[order[k]] < -1)) break;
        s->heavy_row[k] = b->data->rows ? b->data->rows[order[k]] : order[k];
        s->heavy_weight[k] = -less[order[k]];
        s->n_heavy = k + 1;
    }
out:
    smr_free(less);
    smr_free(order);
    return st;
}

static void tell(smr_ctx *ctx, const struct smr_boosting *b)
{
    const struct smr_adaboost_state *s = b->state;
    if (s->stopped == SMR_ADABOOST_CHANCE && s->n_classes)
        smr_warn(ctx,
                 "adaboost: ended after %lld of %lld round%s: the next learner was no better than "
                 "chance on the weighted rows",
                 (long long)s->n_rounds, (long long)b->params->rounds,
                 smr_plural(b->params->rounds, "", "s"));
    if (s->stopped == SMR_ADABOOST_CHANCE && !s->n_classes)
        smr_info(ctx,
                 "adaboost: ended after %lld of %lld rounds: the next learner's mean loss was half "
                 "the largest or more",
                 (long long)s->n_rounds, (long long)b->params->rounds);
    if (s->stopped == SMR_ADABOOST_PERFECT && s->n_rounds == 1 && b->params->rounds > 1)
        smr_warn(ctx, "adaboost: the first learner makes no error on its rows, so there is nothing "
                      "to boost and it is the whole model; boost a weaker one, such as "
                      "of=(tree max_depth=3)");
    else if (s->stopped == SMR_ADABOOST_PERFECT && s->n_rounds < b->params->rounds)
        smr_info(ctx, "adaboost: ended after %lld of %lld rounds: its learner makes no error",
                 (long long)s->n_rounds, (long long)b->params->rounds);
}

smr_status smr_adaboost_fit(smr_ctx *ctx, const void *params, const smr_data *data, void *state,
                            smr_fit_report *report)
{
    struct smr_boosting b = {.params = params, .state = state, .data = data};
    struct smr_adaboost_state *s = state;
    smr_status st = SMR_OK;
    int stop = SMR_ADABOOST_DONE;
    TRY(set_up(ctx, &b));
    TRY(go_rounds(ctx, &b, &stop, report));
    s->stopped = stop;
    s->of.n = s->n_rounds;
    if (s->n_classes && !is_mark(s->n_rounds)) TRY(smr_adaboost_margins(ctx, &b, s->n_rounds - 1));
    TRY(find_heavy(ctx, &b));
    tell(ctx, &b);
out:
    if (b.shared.release) b.shared.release(b.shared.kept);
    smr_free(b.answers);
    smr_free(b.ln_weight);
    smr_free(b.weight);
    smr_free(b.score);
    return st;
}
