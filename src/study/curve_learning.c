/* curve_learning.c -- training rows against error: see curve.h. */
#include "core/figure.h"
#include "core/number.h"
#include "core/span.h"
#include "core/text.h"
#include "kernel/kernel.h"
#include "math/stats.h"
#include "study/compare.h"
#include "study/curve.h"
#include "study/judge.h"

#include <math.h>
#include <string.h>

enum { MOST_SIZES = 100, FEWEST_ROWS = 10 };

static const double usual_shares[] = {0.1, 0.2, 0.35, 0.5, 0.65, 0.8, 1};

struct learning {
    const smr_measure *measure;
    int64_t n_train; /* of a round                  */
    int64_t n;
    double share[MOST_SIZES]; /* ascending, the last at most 1 */
    double rows[MOST_SIZES];
    smr_curve_point point[MOST_SIZES];
    double baseline;
};

/* ---- sizes ------------------------------------------------------------------------------ */

static smr_status add_size(smr_ctx *ctx, struct learning *l, const char *text, double size)
{
    bool count = size > 1;
    double share = count ? size / (double)l->n_train : size;
    if (!(size > 0) || (count && size != floor(size)))
        return smr_fail(ctx, SMR_ERR_PARAM,
                        "--sizes: '%s' is neither a share up to 1 nor a number of rows", text);
    if (share > 1)
        return smr_fail(ctx, SMR_ERR_PARAM, "--sizes: a round has %lld row%s to fit on, not %lld",
                        (long long)l->n_train, smr_plural(l->n_train, "", "s"), (long long)size);
    if (l->n == MOST_SIZES)
        return smr_fail(ctx, SMR_ERR_PARAM, "--sizes: at most %d sizes", MOST_SIZES);
    int64_t at = l->n;
    while (at > 0 && l->share[at - 1] > share) at--;
    if (at > 0 && l->share[at - 1] == share) return SMR_OK;
    memmove(l->share + at + 1, l->share + at, (size_t)(l->n - at) * sizeof *l->share);
    l->share[at] = share;
    l->n++;
    return SMR_OK;
}

static smr_status read_sizes(smr_ctx *ctx, const char *text, struct learning *l)
{
    smr_status st = SMR_OK;
    for (int64_t k = 0; !text && k < SMR_COUNT(usual_shares); k++) {
        double share = usual_shares[k];
        if (share * (double)l->n_train >= FEWEST_ROWS || share == 1)
            TRY(add_size(ctx, l, "", share));
    }
    for (const char *at = text; at && *at;) {
        double size = NAN;
        const char *end = at + strcspn(at, ","), *stop = smr_parse_double(at, end, &size);
        if (stop != end) {
            st = smr_fail(ctx, SMR_ERR_PARAM, "--sizes: '%.*s' is not a number", (int)(end - at),
                          at);
            goto out;
        }
        TRY(add_size(ctx, l, text, size));
        at = *end ? end + 1 : end;
    }
    if (l->n == 0) st = smr_fail(ctx, SMR_ERR_PARAM, "--sizes: none is named");
    for (int64_t k = 0; k < l->n; k++)
        l->rows[k] = floor(l->share[k] * (double)l->n_train * (1 + 1e-9));
out:
    return st;
}

/* ---- reading the curve ------------------------------------------------------------------ */

struct reading {
    bool gap, high, falls;
    double t, v, b, s;
};

static struct reading read_curve(const struct learning *l)
{
    const smr_curve_point *last = &l->point[l->n - 1];
    struct reading r = {.t = smr_curve_loss(l->measure, last->train.mean),
                        .v = smr_curve_loss(l->measure, last->validation.mean),
                        .b = smr_curve_loss(l->measure, l->baseline),
                        .s = last->validation.se};
    r.gap = r.v - r.t > 2 * r.s && r.v - r.t > r.v / 4;
    r.high = r.t > r.b / 2;
    if (l->n < 2) return r;
    int64_t half = l->n - 2; /* the largest size that is at most half of the last, else the first */
    while (half > 0 && l->rows[half] > l->rows[l->n - 1] / 2) half--;
    double over = smr_curve_loss(l->measure, l->point[half].validation.mean) - r.v;
    double end = smr_curve_loss(l->measure, l->point[l->n - 2].validation.mean) - r.v;
    double doublings = smr_log(l->rows[l->n - 1] / l->rows[l->n - 2]) / smr_log(2);
    r.falls = over > r.s && end > r.s * doublings;
    return r;
}

static smr_status tell_reading(smr_ctx *ctx, const struct learning *l, smr_json *into)
{
    static const char *const verdicts[2][2] = {{"fine", "bias"}, {"variance", "both"}};
    struct reading r = read_curve(l);
    smr_text text = {.ctx = ctx};
    bool higher = l->measure->higher_is_better;
    smr_text_printf(&text, "At %lld row%s the loss (%s%s) is ", (long long)l->rows[l->n - 1],
                    smr_plural((int64_t)l->rows[l->n - 1], "", "s"), higher ? "1 - " : "",
                    l->measure->name);
    smr_text_rounded(&text, r.t, 3);
    smr_text_add(&text, " on the rows fitted and ");
    smr_text_rounded(&text, r.v, 3);
    smr_text_add(&text, " on others, against ");
    smr_text_rounded(&text, r.b, 3);
    smr_text_add(&text, " for a constant. ");
    if (r.gap)
        smr_text_add(&text, r.falls || l->n < 2
                                ? "The gap is large: variance; more rows or a simpler model help. "
                                : "The gap is large: variance; a simpler model may help. ");
    if (r.gap && r.high) smr_text_add(&text, "The training loss is high as well: bias, or noise. ");
    if (!r.gap && r.high)
        smr_text_add(&text, "They are close and both high: bias, or noise; more rows do not help, "
                            "a more flexible model or other columns may. ");
    if (!r.gap && !r.high) smr_text_add(&text, "They are close and low. ");
    if (l->n > 1)
        smr_text_add(&text, r.falls ? "The curve still falls: more rows may help."
                                    : "The curve has flattened.");
    smr_status st = smr_text_done(&text);
    if (st == SMR_OK) {
        smr_json *reading = smr_json_add_object(into, "reading");
        smr_json_add_string(reading, "verdict", verdicts[r.gap][r.high]);
        smr_json_add_bool(reading, "still_falling", r.falls);
        smr_json_add_string(reading, "text", text.bytes);
    }
    smr_text_release(&text);
    return st;
}

/* ---- all of it -------------------------------------------------------------------------- */

static smr_status tell(smr_ctx *ctx, const struct learning *l, smr_json *into)
{
    smr_status st = SMR_OK;
    smr_json_add_string(into, "measure", l->measure->name);
    smr_json *rows = smr_json_add_array(into, "points");
    for (int64_t k = 0; k < l->n; k++) {
        smr_json *row = smr_json_add_object(rows, NULL);
        smr_json_add_number(row, "rows", l->rows[k]);
        smr_json_add_number(row, "share", l->share[k]);
        smr_curve_point_json(&l->point[k], row);
    }
    smr_json_add_number(into, "baseline", l->baseline);
    if (!isnan(l->baseline)) TRY(tell_reading(ctx, l, into)); /* which is compared with it */
    smr_json *figure =
        smr_figure_add(smr_json_add_array(into, "figures"), "learning", "Learning curve",
                       "Means over the rounds; the bands show one standard deviation.");
    smr_figure_axis(figure, "x", "training rows", "linear");
    smr_figure_axis(figure, "y", l->measure->name, "linear");
    TRY(smr_curve_draw(ctx, l->point, l->n, l->rows, figure));
    double worst = 0; /* a constant far above everything would press the curves to the floor */
    for (int64_t k = 0; k < l->n; k++)
        worst = smr_fmax(worst, smr_curve_loss(l->measure, l->point[k].validation.mean));
    if (smr_curve_loss(l->measure, l->baseline) <= 2 * worst)
        smr_figure_mark(figure, "hline", l->baseline, "constant");
out:
    return st;
}

static smr_status find_baseline(smr_ctx *ctx, const smr_train_set *set, const smr_cv_plan *plan,
                                struct learning *l)
{
    smr_status st = SMR_OK;
    double *score = NULL;
    l->baseline = NAN;
    bool is_loss = smr_judge_joins(set->target.task); /* which the curve's reading goes by */
    if (!is_loss || !smr_judge_baseline_name(&set->target)) return SMR_OK;
    TRY_NEW(score, smr_cv_rounds(plan));
    TRY(smr_compare_baseline(ctx, set, plan, l->measure, score));
    l->baseline = smr_mean(smr_cv_rounds(plan), score, NULL);
out:
    smr_free(score);
    return st;
}

/* The rows of the round that has the fewest. */
static smr_status count_train(smr_ctx *ctx, const smr_cv_plan *plan, struct learning *l)
{
    smr_status st = SMR_OK;
    int64_t *train = NULL, n, n_test;
    const int64_t *test;
    TRY_NEW(train, SMR_MAX(1, smr_cv_most_train(plan)));
    for (int64_t r = 0; r < smr_cv_rounds(plan); r++) {
        smr_cv_round(plan, r, train, &n, &test, &n_test);
        if (r == 0 || n < l->n_train) l->n_train = n;
    }
out:
    smr_free(train);
    return st;
}

smr_status smr_curve_learning(smr_ctx *ctx, const smr_spec *spec, const smr_train_set *set,
                              const smr_curve_how *how, smr_json *into)
{
    smr_status st = SMR_OK;
    smr_cv_plan *plan = NULL;
    struct learning *l = NULL;
    smr_span span = {0};
    TRY_NEW(l, 1);
    TRY(smr_curve_measure(ctx, &how->ask, spec, &set->target, &l->measure));
    TRY(smr_cv_ask_plan(ctx, &how->ask, set, &plan));
    TRY(count_train(ctx, plan, l));
    TRY(read_sizes(ctx, how->sizes, l));
    smr_span_open(ctx, &span, "learning curve", l->n * smr_cv_rounds(plan));
    span.unit = smr_cv_what;
    for (int64_t k = 0; k < l->n; k++) {
        TRY(smr_span_from(ctx, &span, k * smr_cv_rounds(plan), NAN));
        st = smr_curve_run(ctx, spec, set, plan, l->measure, l->share[k] < 1 ? l->share[k] : 0,
                           &l->point[k]);
        if (st == SMR_ERR_DATA || st == SMR_ERR_PARAM)
            smr_while(ctx, "learning from %lld row%s", (long long)l->rows[k],
                      smr_plural((int64_t)l->rows[k], "", "s"));
        if (st != SMR_OK) goto out;
    }
    TRY(find_baseline(ctx, set, plan, l));
    smr_cv_plan_json(plan, into);
    TRY(tell(ctx, l, into));
out:
    smr_span_close(ctx, &span);
    smr_cv_plan_free(plan);
    smr_free(l);
    return st;
}
