/* compare_figure.c -- a league as a picture: see compare.h.
 *
 * A dot for each mean and a line for its interval, on an axis that begins and ends where the models
 * do: differences are what is looked for.  A model that is far worse than the others would make
 * them all look alike.  With d the distances from the best mean, the axis therefore ends at
 *
 *     4 max(median of d, d of the baseline),                                                    (1)
 *
 * and what lies beyond it is named below the picture. */
#include "core/figure.h"
#include "core/text.h"
#include "math/stats.h"
#include "study/compare.h"

#include <math.h>

static const double REACH = 4, MARGIN = 0.04;

struct dots {
    int64_t n;
    double *mean, *low, *high, *away;
    double best, baseline, reach;
};

/* (1); NaN where there is nothing to measure it by. */
static smr_status find_reach(smr_ctx *ctx, const smr_league *l, struct dots *d)
{
    static const double half = 0.5;
    smr_status st = SMR_OK;
    int64_t n = 0;
    d->best = d->baseline = d->reach = NAN;
    for (int64_t i = 0; i < l->n; i++) {
        const smr_contender *c = &l->list[i];
        if (!c->score || isnan(c->sum.mean)) continue;
        if (c->is_baseline) d->baseline = c->sum.mean;
        if (!c->is_baseline && isnan(d->best)) d->best = c->sum.mean;
    }
    for (int64_t i = 0; i < l->n; i++)
        if (l->list[i].score && isfinite(l->list[i].sum.mean) && !l->list[i].is_baseline)
            d->away[n++] = fabs(l->list[i].sum.mean - d->best);
    if (n < 1 || (n < 2 && isnan(d->baseline))) return SMR_OK;
    TRY(smr_quantiles(ctx, n, d->away, NULL, 1, &half, &d->reach));
    d->reach = REACH * smr_fmax(d->reach, isnan(d->baseline) ? 0 : fabs(d->baseline - d->best));
    if (!(d->reach > 0)) d->reach = NAN;
out:
    return st;
}

/* Ends of the axis, only where something lies beyond (1). */
static void limit_axis(const struct dots *d, smr_json *axis)
{
    double lo = INFINITY, hi = -INFINITY;
    bool cut = false;
    for (int64_t i = 0; i < d->n; i++) {
        const double ends[] = {d->mean[i], d->low[i], d->high[i]};
        for (int64_t k = 0; k < SMR_COUNT(ends); k++) {
            bool beyond = fabs(ends[k] - d->best) > d->reach;
            cut |= beyond;
            if (isnan(ends[k]) || (beyond && k == 0)) continue;
            double end = smr_fmax(d->best - d->reach, smr_fmin(d->best + d->reach, ends[k]));
            if (fabs(d->mean[i] - d->best) > d->reach) continue;
            lo = smr_fmin(lo, end);
            hi = smr_fmax(hi, end);
        }
    }
    if (!cut || !(lo < hi)) return;
    smr_json_add_number(axis, "min", lo - MARGIN * (hi - lo));
    smr_json_add_number(axis, "max", hi + MARGIN * (hi - lo));
}

static void tell_beyond(const smr_league *l, const struct dots *d, smr_text *note)
{
    int64_t n = 0;
    for (int64_t i = 0; i < l->n; i++) {
        const smr_contender *c = &l->list[i];
        if (!c->score || !(fabs(c->sum.mean - d->best) > d->reach)) continue;
        smr_text_printf(note, "%s%s (", n++ ? ", " : " Off the scale: ", c->model);
        smr_text_rounded(note, c->sum.mean, 4);
        smr_text_add(note, ")");
    }
    if (n) smr_text_add(note, ".");
}

static void fill(const smr_league *l, struct dots *d, smr_json *names)
{
    for (int64_t i = 0; i < l->n; i++) {
        const smr_contender *c = &l->list[i];
        if (!c->score) continue;
        smr_json_add_string(names, NULL, c->model);
        d->mean[d->n] = c->sum.mean;
        d->low[d->n] = c->sum.low;
        d->high[d->n++] = c->sum.high;
    }
}

static smr_status draw(smr_ctx *ctx, const smr_league *l, struct dots *d, smr_json *figures)
{
    smr_status st = SMR_OK;
    int64_t n_models = 0;
    smr_text title = {.ctx = ctx}, note = {.ctx = ctx};
    for (int64_t i = 0; i < l->n; i++) n_models += l->list[i].state == SMR_MODEL_DONE;
    smr_text_printf(&title, "%s of %lld model%s on the same rounds", l->measure->title,
                    (long long)n_models, smr_plural(n_models, "", "s"));
    smr_text_add(&note, "A dot is a model's mean over the rounds, the line its ");
    smr_text_rounded(&note, 100 * l->confidence, 4);
    smr_text_printf(&note, " %% interval; %s is better.",
                    l->measure->higher_is_better ? "higher" : "lower");
    tell_beyond(l, d, &note);
    TRY(smr_text_done(&title));
    TRY(smr_text_done(&note));
    smr_json *figure = smr_figure_add(figures, "league", title.bytes, note.bytes);
    fill(l, d, smr_json_add_array(smr_figure_axis(figure, "y", "", "names"), "names"));
    limit_axis(d, smr_figure_axis(figure, "x", l->measure->name, "linear"));
    smr_json *series = smr_figure_series(figure, l->measure->name, "hpoints", d->n, d->mean, NULL);
    smr_json_add_numbers(series, "low", d->low, d->n);
    smr_json_add_numbers(series, "high", d->high, d->n);
    if (isfinite(d->baseline)) smr_figure_mark(figure, "vline", d->baseline, "baseline");
out:
    smr_text_release(&title);
    smr_text_release(&note);
    return st;
}

smr_status smr_compare_draw(smr_ctx *ctx, const smr_league *l, smr_json *figures)
{
    smr_status st = SMR_OK;
    struct dots d = {0};
    TRY_NEW(d.mean, l->n);
    TRY_NEW(d.low, l->n);
    TRY_NEW(d.high, l->n);
    TRY_NEW(d.away, l->n);
    TRY(find_reach(ctx, l, &d));
    TRY(draw(ctx, l, &d, figures));
out:
    smr_free(d.mean);
    smr_free(d.low);
    smr_free(d.high);
    smr_free(d.away);
    return st;
}
