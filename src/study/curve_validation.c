/* curve_validation.c -- one parameter against error: see curve.h. */
#include "core/figure.h"
#include "core/number.h"
#include "core/sort.h"
#include "core/span.h"
#include "core/text.h"
#include "study/curve.h"
#include "study/space.h"

#include <math.h>
#include <string.h>

struct validation {
    const smr_measure *measure;
    smr_space *space;
    smr_space_points points;
    int64_t n;
    int64_t *order; /* of the points: by ascending number, or as they were named */
    double *x;      /* in that order: the number, or the position                */
    bool numbers;
    smr_curve_point *curve;    /* in that order */
    int64_t best, first, last; /* the region: from first to last */
    const char *below, *above;
};

static const char *value_of(const struct validation *v, int64_t k)
{
    const char *text = v->points.at[v->order[k]].value[0];
    return text ? text : "";
}

/* ---- values ----------------------------------------------------------------------------- */

static smr_status place_values(smr_ctx *ctx, struct validation *v)
{
    smr_status st = SMR_OK;
    double *x = NULL;
    TRY_NEW(v->order, v->n);
    TRY_NEW(v->x, v->n);
    TRY_NEW(x, v->n);
    v->numbers = v->space->dims[0].is_number;
    for (int64_t k = 0; k < v->n; k++) {
        const char *text = v->points.at[k].value[0], *end = text ? text + strlen(text) : NULL;
        v->numbers = v->numbers && text && smr_parse_double(text, end, &x[k]) == end;
    }
    for (int64_t k = 0; !v->numbers && k < v->n; k++) x[k] = (double)k;
    TRY(smr_argsort_f64(ctx, v->n, x, v->order));
    for (int64_t k = 0; k < v->n; k++) v->x[k] = x[v->order[k]];
out:
    smr_free(x);
    return st;
}

static smr_status read_over(smr_ctx *ctx, const smr_spec *spec, const char *over,
                            struct validation *v)
{
    smr_status st = SMR_OK;
    if (!over)
        return smr_fail(ctx, SMR_ERR_PARAM,
                        "a validation curve varies a parameter: --over \"k=1..50\"");
    TRY(smr_space_parse(ctx, spec, over, &v->space));
    if (v->space->n_dims != 1)
        return smr_fail(ctx, SMR_ERR_PARAM,
                        "a validation curve varies one parameter, and '%s' names %lld; 'samara "
                        "tune' searches several",
                        over, (long long)v->space->n_dims);
    TRY(smr_space_grid(ctx, v->space, &v->points));
    v->n = v->points.n;
    for (int64_t k = 0; k < v->n; k++)
        if (!v->points.at[k].spec)
            return smr_fail(ctx, SMR_ERR_PARAM, "%s", v->points.at[k].refusal);
    TRY(place_values(ctx, v));
out:
    return st;
}

/* ---- regions ---------------------------------------------------------------------------- */

static double validation_loss(const struct validation *v, int64_t k)
{
    return smr_curve_loss(v->measure, v->curve[k].validation.mean);
}

/* Mean training loss of the points [from, to). */
static double train_loss(const struct validation *v, int64_t from, int64_t to)
{
    double sum = 0;
    for (int64_t k = from; k < to; k++)
        sum += smr_curve_loss(v->measure, v->curve[k].train.mean) / (double)(to - from);
    return sum;
}

/* What the points [from, to) beside the region do; NULL where there are none, or it cannot be
 * told. */
static const char *name_side(const struct validation *v, int64_t from, int64_t to)
{
    if (from >= to || !v->numbers) return NULL; /* words have no more and less */
    double side = train_loss(v, from, to), region = train_loss(v, v->first, v->last + 1);
    if (fabs(side - region) <= 1e-12 * smr_fmax(fabs(side), fabs(region))) return NULL;
    return side < region ? "overfitting" : "underfitting";
}

static void find_regions(struct validation *v)
{
    for (int64_t k = 1; k < v->n; k++)
        if (validation_loss(v, k) < validation_loss(v, v->best)) v->best = k;
    double se = v->curve[v->best].validation.se;
    double most = validation_loss(v, v->best) + (isnan(se) ? 0 : se);
    v->first = v->last = v->best;
    while (v->first > 0 && validation_loss(v, v->first - 1) <= most) v->first--;
    while (v->last + 1 < v->n && validation_loss(v, v->last + 1) <= most) v->last++;
    v->below = name_side(v, 0, v->first);
    v->above = name_side(v, v->last + 1, v->n);
}

/* ---- reporting -------------------------------------------------------------------------- */

static smr_status tell_reading(smr_ctx *ctx, const struct validation *v, smr_json *into)
{
    const char *name = v->space->dims[0].address->text;
    smr_text text = {.ctx = ctx};
    smr_text_printf(&text, "Best at %s = %s (%s ", name, value_of(v, v->best), v->measure->name);
    smr_text_rounded(&text, v->curve[v->best].validation.mean, 4);
    smr_text_add(&text, ")");
    if (v->numbers && v->first < v->last)
        smr_text_printf(&text, "; from %s to %s it is within one standard error of that",
                        value_of(v, v->first), value_of(v, v->last));
    if (v->below) smr_text_printf(&text, "; below, %s", v->below);
    if (v->above) smr_text_printf(&text, "; above, %s", v->above);
    if (v->numbers && v->n > 1 && (v->best == 0 || v->best == v->n - 1))
        smr_text_add(&text, "; the best is at an end: widen the range");
    smr_text_add(&text, ".");
    smr_status st = smr_text_done(&text);
    if (st == SMR_OK) smr_json_add_string(smr_json_add_object(into, "reading"), "text", text.bytes);
    smr_text_release(&text);
    return st;
}

static void add_value(const struct validation *v, int64_t k, smr_json *into, const char *key)
{
    if (v->numbers)
        smr_json_add_number(into, key, v->x[k]);
    else
        smr_json_add_string(into, key, value_of(v, k));
}

static void add_side(smr_json *into, const char *key, const char *side)
{
    if (side)
        smr_json_add_string(into, key, side);
    else
        smr_json_add_null(into, key);
}

static smr_status draw(smr_ctx *ctx, const struct validation *v, smr_json *figures)
{
    bool spread = v->numbers && v->space->dims[0].scale == SMR_SEARCH_LOG && v->x[0] > 0;
    const char *scale = !v->numbers ? "names" : spread ? "log" : "linear";
    smr_json *figure =
        smr_figure_add(figures, "validation", "Validation curve",
                       "Means over the rounds; the bands show one standard deviation. In the "
                       "unshaded part the error is within one standard error of the best.");
    smr_json *axis = smr_figure_axis(figure, "x", v->space->dims[0].address->text, scale);
    smr_json *names = v->numbers ? NULL : smr_json_add_array(axis, "names");
    for (int64_t k = 0; !v->numbers && k < v->n; k++)
        smr_json_add_string(names, NULL, value_of(v, k));
    smr_figure_axis(figure, "y", v->measure->name, "linear");
    smr_status st = smr_curve_draw(ctx, v->curve, v->n, v->x, figure);
    smr_figure_mark(figure, "vline", v->x[v->best], "best");
    if (v->below) smr_figure_shade(figure, v->x[0], v->x[v->first], v->below);
    if (v->above) smr_figure_shade(figure, v->x[v->last], v->x[v->n - 1], v->above);
    return st;
}

static smr_status tell(smr_ctx *ctx, const struct validation *v, smr_json *into)
{
    smr_status st = SMR_OK;
    smr_json_add_string(into, "measure", v->measure->name);
    smr_json_add_string(into, "parameter", v->space->dims[0].address->text);
    smr_json *rows = smr_json_add_array(into, "points");
    for (int64_t k = 0; k < v->n; k++) {
        smr_json *row = smr_json_add_object(rows, NULL);
        add_value(v, k, row, "value");
        smr_curve_point_json(&v->curve[k], row);
        smr_json_add_number(row, "se", v->curve[k].validation.se);
    }
    add_value(v, v->best, into, "best");
    smr_json *region = smr_json_add_array(into, "region");
    add_value(v, v->first, region, NULL);
    add_value(v, v->last, region, NULL);
    add_side(into, "below", v->below);
    add_side(into, "above", v->above);
    TRY(tell_reading(ctx, v, into));
    TRY(draw(ctx, v, smr_json_add_array(into, "figures")));
out:
    return st;
}

smr_status smr_curve_validation(smr_ctx *ctx, const smr_spec *spec, const smr_train_set *set,
                                const smr_curve_how *how, smr_json *into)
{
    smr_status st = SMR_OK;
    smr_cv_plan *plan = NULL;
    struct validation v = {0};
    smr_span span = {0};
    TRY(smr_curve_measure(ctx, &how->ask, spec, &set->target, &v.measure));
    TRY(read_over(ctx, spec, how->over, &v));
    TRY(smr_cv_ask_plan(ctx, &how->ask, set, &plan));
    TRY_NEW(v.curve, v.n);
    smr_span_open(ctx, &span, "validation curve", v.n * smr_cv_rounds(plan));
    span.unit = smr_cv_what;
    for (int64_t k = 0; k < v.n; k++) {
        TRY(smr_span_from(ctx, &span, k * smr_cv_rounds(plan), NAN));
        TRY(smr_curve_run(ctx, v.points.at[v.order[k]].spec, set, plan, v.measure, 0, &v.curve[k]));
    }
    find_regions(&v);
    smr_cv_plan_json(plan, into);
    TRY(tell(ctx, &v, into));
out:
    smr_span_close(ctx, &span);
    smr_cv_plan_free(plan);
    smr_free(v.curve);
    smr_free(v.order);
    smr_free(v.x);
    smr_space_points_release(&v.points);
    smr_space_free(v.space);
    return st;
}
