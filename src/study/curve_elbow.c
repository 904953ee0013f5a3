/* curve_elbow.c -- the number of clusters against what is left of the error: see curve.h.
 *
 * The elbow is where the curve, with both axes from 0 to 1, lies farthest below the line from its
 * first point to its last. */
#include "core/figure.h"
#include "core/number.h"
#include "core/sort.h"
#include "core/span.h"
#include "core/text.h"
#include "learn/task.h"
#include "study/curve.h"
#include "study/judge.h"
#include "study/space.h"

#include <math.h>
#include <string.h>

struct elbow {
    smr_space *space;
    smr_space_points points;
    int64_t n;
    int64_t *order;                     /* of the points, by ascending value */
    double *x, *objective, *silhouette; /* in that order */
    bool *converged;
    int64_t bend, best; /* -1: none */
};

static smr_status read_over(smr_ctx *ctx, const smr_spec *spec, const char *over, struct elbow *e)
{
    smr_status st = SMR_OK;
    double *x = NULL;
    TRY(smr_space_parse(ctx, spec, over ? over : "k=1..10", &e->space));
    if (e->space->n_dims != 1 || !e->space->dims[0].is_number)
        TRY(smr_fail(ctx, SMR_ERR_PARAM,
                     "an elbow curve varies one number, such as --over \"k=2..10\", not '%s'",
                     over));
    TRY(smr_space_grid(ctx, e->space, &e->points));
    e->n = e->points.n;
    TRY_NEW(e->order, e->n);
    TRY_NEW(e->x, e->n);
    TRY_NEW(e->objective, e->n);
    TRY_NEW(e->silhouette, e->n);
    TRY_NEW(e->converged, e->n);
    TRY_NEW(x, e->n);
    for (int64_t k = 0; k < e->n; k++) {
        const smr_space_point *p = &e->points.at[k];
        const char *text = p->value[0];
        if (!p->spec) TRY(smr_fail(ctx, SMR_ERR_PARAM, "%s", p->refusal));
        if (!text || smr_parse_double(text, text + strlen(text), &x[k]) != text + strlen(text))
            TRY(smr_fail(ctx, SMR_ERR_PARAM, "an elbow curve varies a number, and '%s' is none",
                         text ? text : ""));
    }
    TRY(smr_argsort_f64(ctx, e->n, x, e->order));
    for (int64_t k = 0; k < e->n; k++) e->x[k] = x[e->order[k]];
out:
    smr_free(x);
    return st;
}

/* ---- one fit ---------------------------------------------------------------------------- */

static smr_status fit_one(smr_ctx *ctx, const smr_train_set *set, struct elbow *e, int64_t k)
{
    smr_status st = SMR_OK;
    smr_model *model = NULL;
    smr_found found = {0};
    TRY(smr_fit(ctx, e->points.at[e->order[k]].spec, set, NULL, 0, &model));
    if (isnan(model->fit.objective))
        TRY(smr_fail(ctx, SMR_ERR_UNSUPPORTED, "%s has no objective that an elbow could be seen in",
                     smr_model_last(model)->learner->word->name));
    e->objective[k] = model->fit.objective;
    e->converged[k] = model->fit.converged;
    TRY(smr_found_make(ctx, model, set->table, set->usable, set->n_rows, NULL, set->weight,
                       &found));
    e->silhouette[k] = NAN;
    if (found.in.n_found > 1) TRY(smr_silhouette(ctx, &found.in, &e->silhouette[k]));
out:
    smr_found_release(&found);
    smr_model_free(model);
    return st;
}

/* ---- what it says ----------------------------------------------------------------------- */

static void find_elbow(struct elbow *e)
{
    double first = e->objective[0], last = e->objective[e->n - 1], most = 0;
    double wide = e->x[e->n - 1] - e->x[0];
    e->bend = e->best = -1;
    for (int64_t k = 1; k + 1 < e->n && wide > 0 && first > last; k++) {
        double below = 1 - (e->x[k] - e->x[0]) / wide - (e->objective[k] - last) / (first - last);
        if (!(below > most)) continue;
        most = below;
        e->bend = k;
    }
    for (int64_t k = 0; k < e->n; k++)
        if (!isnan(e->silhouette[k]) && (e->best < 0 || e->silhouette[k] > e->silhouette[e->best]))
            e->best = k;
}

static smr_status tell_reading(smr_ctx *ctx, const struct elbow *e, smr_json *into)
{
    const char *name = e->space->dims[0].address->text;
    smr_text text = {.ctx = ctx};
    if (e->bend >= 0) {
        smr_text_printf(&text, "The objective bends most at %s = ", name);
        smr_text_number(&text, e->x[e->bend]);
    } else {
        smr_text_printf(&text, "The objective has no bend over %s", name);
    }
    if (e->best >= 0) {
        smr_text_printf(&text, "; the silhouette is largest at %s = ", name);
        smr_text_number(&text, e->x[e->best]);
        smr_text_add(&text, " (");
        smr_text_rounded(&text, e->silhouette[e->best], 4);
        smr_text_add(&text, ")");
    }
    smr_text_add(&text, ".");
    smr_status st = smr_text_done(&text);
    if (st == SMR_OK) smr_json_add_string(smr_json_add_object(into, "reading"), "text", text.bytes);
    smr_text_release(&text);
    return st;
}

static void draw(const struct elbow *e, smr_json *figures)
{
    const char *name = e->space->dims[0].address->text;
    smr_json *figure = smr_figure_add(figures, "elbow", "Elbow: what is left of the objective",
                                      "Where the curve bends, more clusters help less.");
    smr_figure_axis(figure, "x", name, "linear");
    smr_figure_axis(figure, "y", "objective", "linear");
    smr_figure_series(figure, "objective", "line", e->n, e->x, e->objective);
    smr_figure_series(figure, "objective", "points", e->n, e->x, e->objective);
    if (e->bend >= 0) smr_figure_mark(figure, "vline", e->x[e->bend], "bend");
    if (e->best < 0) return;
    figure = smr_figure_add(figures, "silhouette", "Silhouette of the rows that were fitted",
                            "How much nearer rows are to their own cluster than to the next one.");
    smr_figure_axis(figure, "x", name, "linear");
    smr_figure_axis(figure, "y", "silhouette", "linear");
    smr_figure_series(figure, "silhouette", "line", e->n, e->x, e->silhouette);
    smr_figure_series(figure, "silhouette", "points", e->n, e->x, e->silhouette);
    smr_figure_mark(figure, "vline", e->x[e->best], "largest");
}

static void add_number(smr_json *into, const char *key, const struct elbow *e, int64_t k)
{
    if (k >= 0)
        smr_json_add_number(into, key, e->x[k]);
    else
        smr_json_add_null(into, key);
}

static smr_status tell(smr_ctx *ctx, const struct elbow *e, smr_json *into)
{
    smr_json_add_string(into, "parameter", e->space->dims[0].address->text);
    smr_json *rows = smr_json_add_array(into, "points");
    for (int64_t k = 0; k < e->n; k++) {
        smr_json *row = smr_json_add_object(rows, NULL);
        smr_json_add_number(row, "value", e->x[k]);
        smr_json_add_number(row, "objective", e->objective[k]);
        smr_json_add_number(row, "silhouette", e->silhouette[k]);
        smr_json_add_bool(row, "converged", e->converged[k]);
    }
    add_number(into, "bend", e, e->bend);
    add_number(into, "best", e, e->best);
    smr_status st = tell_reading(ctx, e, into);
    draw(e, smr_json_add_array(into, "figures"));
    return st;
}

smr_status smr_curve_elbow(smr_ctx *ctx, const smr_spec *spec, const smr_train_set *set,
                           const smr_curve_how *how, smr_json *into)
{
    smr_status st = SMR_OK;
    struct elbow e = {0};
    smr_span span = {0};
    if (set->target.task != SMR_TASK_CLUSTER)
        return smr_fail(ctx, SMR_ERR_PARAM, "an elbow curve is of clusters, and this sentence %s",
                        smr_task_of(set->target.task)->verb);
    TRY(read_over(ctx, spec, how->over, &e));
    smr_span_open(ctx, &span, "elbow curve", e.n);
    for (int64_t k = 0; k < e.n; k++) {
        TRY(smr_span_from(ctx, &span, k, NAN));
        TRY(fit_one(ctx, set, &e, k));
    }
    find_elbow(&e);
    TRY(tell(ctx, &e, into));
out:
    smr_span_close(ctx, &span);
    smr_free(e.order);
    smr_free(e.x);
    smr_free(e.objective);
    smr_free(e.silhouette);
    smr_free(e.converged);
    smr_space_points_release(&e.points);
    smr_space_free(e.space);
    return st;
}
