/* perceptron_bound.c -- margins of separated rows, and what inspect shows of a perceptron.
 *
 * With z = (x, 1) (x without an intercept), y = -1 or 1 and w the weights of z,
 *
 *     gamma(w) = min_i y_i w'z_i / |w|,   mistakes <= (R / gamma)^2 for every w that separates  (1)
 *
 * The least of these bounds belongs to the largest margin: w of the hard-margin machine through the
 * origin, min |w|^2 / 2 with y w'z >= 1.  Its dual variables are at most |w|^2 = 1 / gamma^2, which
 * is no more than at the separator found, so that the soft-margin dual with that C is the hard one;
 * it is solved by coordinate descent where the rows are at most a million numbers.  More classes:
 * the margin of the stacked weights, and 2 (R / gamma)^2, since a change has two rows. */
#include "learn/linear/perceptron.h"

#include "core/figure.h"
#include "kernel/kernel.h"
#include "learn/linear/affine.h"
#include "learn/linear/held_rows.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { MOST_NUMBERS = 1000000 };

/* ---- margins of given weights ----------------------------------------------------------- */

struct measuring {
    const struct smr_perceptron_params *params;
    struct smr_perceptron_state *state;
    double *f;
    double square; /* largest |z|^2 */
    double lead;   /* smallest      */
    int64_t entries;
};

static smr_status measure_block(smr_ctx *ctx, void *arg, const smr_rows *rows,
                                const smr_truths *truths)
{
    struct measuring *m = arg;
    struct smr_perceptron_state *s = m->state;
    double one = m->params->fit_intercept ? 1 : 0;
    (void)ctx;
    for (int64_t i = 0; i < rows->n; i++) {
        if (truths->weight && truths->weight[i] == 0) continue;
        smr_row r = smr_row_of(rows, i, NULL);
        int32_t rival;
        smr_perceptron_scores(s, s->weights, &r, m->f);
        m->lead = smr_fmin(m->lead, smr_perceptron_lead(s, m->f, truths->label[i], &rival));
        m->square = smr_fmax(m->square, smr_dot_f64(r.n, r.x, r.x) + one);
        m->entries += r.n;
    }
    return SMR_OK;
}

static smr_status measure(smr_ctx *ctx, const smr_data *data, struct measuring *m)
{
    smr_status st = SMR_OK;
    m->lead = INFINITY;
    TRY_NEW(m->f, m->state->n_scores);
    TRY(smr_held_walk(ctx, data, smr_held_form(data), NULL, data->n_rows, measure_block, m));
out:
    smr_free(m->f);
    return st;
}

/* ---- the largest margin ----------------------------------------------------------------- */

struct separator {
    bool has_intercept;
    int64_t d;
    const double *w; /* d, and the intercept's */
    double least;    /* y f                    */
};

static smr_status least_block(smr_ctx *ctx, void *arg, const smr_rows *rows,
                              const smr_truths *truths)
{
    struct separator *s = arg;
    (void)ctx;
    for (int64_t i = 0; i < rows->n; i++) {
        smr_row r = smr_row_of(rows, i, NULL);
        double f = s->has_intercept ? s->w[s->d] : 0;
        for (int64_t e = 0; r.index && e < r.n; e++) f += r.x[e] * s->w[r.index[e]];
        if (!r.index) f += smr_dot_f64(r.n, r.x, s->w);
        s->least = smr_fmin(s->least, truths->label[i] == 1 ? f : -f);
    }
    return SMR_OK;
}

/* The rows with a weight, in memory, and their sides y. */
static smr_status take_rows(smr_ctx *ctx, const smr_data *data, smr_subset *subset,
                            smr_held_rows *held, double **y)
{
    smr_status st = SMR_OK;
    int64_t n = 0, *rows = NULL;
    TRY_NEW(rows, data->n_rows);
    TRY_NEW(*y, data->n_rows);
    for (int64_t i = 0; i < data->n_rows; i++) {
        if (smr_data_weight(data, i) == 0) continue;
        (*y)[n] = data->label[i] == 1 ? 1 : -1;
        rows[n++] = i;
    }
    TRY(smr_subset_make(ctx, data, rows, n, NULL, subset));
    TRY(smr_held_all(ctx, "perceptron", &subset->data, held));
out:
    smr_free(rows);
    return st;
}

static smr_status largest(smr_ctx *ctx, const struct smr_perceptron_params *p, const smr_data *data,
                          struct smr_perceptron_state *s)
{
    smr_status st = SMR_OK;
    int64_t d = s->n_features;
    smr_subset subset = {0};
    smr_held_rows rows = {0};
    double *w = NULL, *y = NULL;
    smr_dual_result result;
    TRY_NEW(w, d + 1);
    TRY(take_rows(ctx, data, &subset, &rows, &y));
    smr_dual_problem problem = smr_held_dual(&rows, y, NULL, false);
    problem.bias = p->fit_intercept ? 1 : 0;
    smr_dual_opts opts = {.loss = SMR_LOSS_HINGE,
                          .l2 = 0.5 * s->gamma_found * s->gamma_found,
                          .tol = 1e-10,
                          .violation = 1e-9,
                          .what = "looking for the largest margin"};
    TRY(smr_dual_coordinate(ctx, &problem, &opts, w, NULL, &result));
    struct separator found = {p->fit_intercept, d, w, INFINITY};
    TRY(smr_held_walk(ctx, &subset.data, smr_held_form(data), NULL, subset.data.n_rows, least_block,
                      &found));
    double length = sqrt(smr_dot_f64(d + p->fit_intercept, w, w));
    s->gamma_best = smr_fmax(s->gamma_best, found.least / length);
    s->is_best = result.converged;
out:
    smr_free(w);
    smr_free(y);
    smr_held_close(&rows);
    smr_subset_release(&subset);
    return st;
}

smr_status smr_perceptron_margins(smr_ctx *ctx, const struct smr_perceptron_params *p,
                                  const smr_data *data, struct smr_perceptron_state *s)
{
    smr_status st = SMR_OK;
    struct measuring m = {.params = p, .state = s};
    TRY(measure(ctx, data, &m));
    double length = sqrt(smr_dot_f64(s->n_flat, s->weights, s->weights));
    if (!(length > 0) || !isfinite(m.lead)) goto out; /* one class only */
    s->radius = sqrt(m.square);
    s->gamma_found = s->gamma_best = m.lead / length;
    if (s->n_scores == 1 && m.entries <= MOST_NUMBERS && s->gamma_found > 0)
        TRY(largest(ctx, p, data, s));
out:
    return st;
}

/* ---- describe --------------------------------------------------------------------------- */

static double bound(const struct smr_perceptron_state *s, double gamma)
{
    double ratio = s->radius / gamma;
    return (s->n_scores > 1 ? 2 : 1) * ratio * ratio;
}

static void describe_margins(const struct smr_perceptron_params *p,
                             const struct smr_perceptron_state *s, smr_json *into)
{
    smr_json *m = smr_json_add_object(into, "separated");
    smr_json_add_number(m, "radius", s->radius);
    smr_json_add_number(m, "margin_found", s->gamma_found);
    if (p->variant != SMR_PERCEPTRON_MARGIN)
        smr_json_add_number(m, "bound_by_it", bound(s, s->gamma_found));
    if (s->n_scores > 1) return;
    smr_json_add_number(m, s->is_best == 1 ? "largest_margin" : "largest_margin_known",
                        s->gamma_best);
    if (p->variant != SMR_PERCEPTRON_MARGIN)
        smr_json_add_number(m, "bound", bound(s, s->gamma_best));
}

static void describe_score(const struct smr_perceptron_params *p,
                           const struct smr_perceptron_state *s, int64_t c, const smr_feature *in,
                           smr_json *list)
{
    const double *w = s->mean ? s->mean : s->weights;
    smr_affine_list(s->n_scores > 1 ? "class" : NULL, c, s->n_features, w + c * s->n_features,
                    p->fit_intercept ? w + s->n_scores * s->n_features + c : NULL, in, list);
}

smr_status smr_perceptron_describe(smr_ctx *ctx, const void *params_, const void *state_,
                                   const smr_feature *in, int64_t n_in, smr_json *into)
{
    const struct smr_perceptron_params *p = params_;
    const struct smr_perceptron_state *s = state_;
    (void)ctx, (void)n_in;
    smr_json_add_number(into, "mistakes", s->mistakes);
    if (s->n_passes > 0) smr_json_add_number(into, "passes", (double)s->n_passes);
    if (s->vectors) smr_json_add_number(into, "vectors", (double)s->n_vectors);
    if (isfinite(s->radius)) describe_margins(p, s, into);
    if (s->vectors) return SMR_OK;
    smr_json *list = smr_json_add_array(into, "coefficients");
    for (int64_t c = 0; c < s->n_scores; c++) describe_score(p, s, c, in, list);
    return SMR_OK;
}

smr_status smr_perceptron_figures(smr_ctx *ctx, const void *params_, const void *state_,
                                  const smr_feature *in, int64_t n_in, const char *prefix,
                                  smr_json *figures)
{
    const struct smr_perceptron_state *s = state_;
    char name[256];
    (void)ctx, (void)params_, (void)in, (void)n_in;
    if (s->n_passes == 0) return SMR_OK;
    snprintf(name, sizeof name, "%smistakes", prefix);
    smr_json *figure = smr_figure_add(figures, name, "Mistakes in each pass",
                                      isfinite(s->radius) ? "The last pass made none: the classes "
                                                            "are separated."
                                                          : "The classes were not separated.");
    smr_figure_axis(figure, "x", "pass", "linear");
    smr_json_add_number(smr_figure_axis(figure, "y", "mistakes", "linear"), "min", 0);
    smr_json *series = smr_json_add_object(smr_json_add_array(figure, "series"), NULL);
    smr_json_add_string(series, "name", "mistakes");
    smr_json_add_string(series, "kind", "line");
    smr_json *x = smr_json_add_array(series, "x");
    for (int64_t i = 0; i < s->n_passes; i++) smr_json_add_number(x, NULL, (double)i + 1);
    smr_json_add_numbers(series, "y", s->pass_mistakes, s->n_passes);
    return SMR_OK;
}
