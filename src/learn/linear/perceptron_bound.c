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
#include "math/optimize/dual.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { BLOCK_ROWS = 256, MOST_NUMBERS = 1000000 };

/* Rows in memory: y, and z without its 1. */
struct gathered {
    int64_t n, n_entries;
    double *y, *x; /* x: dense rows, or entries */
    int64_t *start;
    int32_t *column;
};

static void gathered_release(struct gathered *g)
{
    smr_free(g->y);
    smr_free(g->x);
    smr_free(g->start);
    smr_free(g->column);
}

/* ---- margins of given weights ----------------------------------------------------------- */

struct measuring {
    const struct smr_perceptron_params *params;
    const smr_data *data;
    struct smr_perceptron_state *state;
    double *x, *f;
    double square; /* largest |z|^2 */
    double lead;   /* smallest      */
    int64_t entries;
};

static void measure_block(struct measuring *m, const smr_rows *rows, int64_t lo)
{
    struct smr_perceptron_state *s = m->state;
    double one = m->params->fit_intercept ? 1 : 0;
    for (int64_t i = 0; i < rows->n; i++) {
        if (smr_data_weight(m->data, lo + i) == 0) continue;
        smr_row r = smr_row_of(rows, i, m->x);
        int32_t rival;
        smr_perceptron_scores(s, s->weights, &r, m->f);
        m->lead = smr_fmin(m->lead, smr_perceptron_lead(s, m->f, m->data->label[lo + i], &rival));
        m->square = smr_fmax(m->square, smr_dot_f64(r.n, r.x, r.x) + one);
        m->entries += r.n;
    }
}

static smr_form form_of(const smr_data *data)
{
    return smr_data_is_sparse(data) ? SMR_FORM_SPARSE : SMR_FORM_F64;
}

static smr_status measure(smr_ctx *ctx, struct measuring *m)
{
    smr_status st = SMR_OK;
    smr_reader *reader = NULL;
    int64_t n = m->data->n_rows;
    m->lead = INFINITY;
    TRY_NEW(m->x, m->state->n_features);
    TRY_NEW(m->f, m->state->n_scores);
    TRY(smr_reader_open(ctx, m->data, form_of(m->data), BLOCK_ROWS, &reader));
    for (int64_t lo = 0; lo < n; lo += BLOCK_ROWS) {
        smr_rows rows;
        TRY(smr_reader_rows(ctx, reader, lo, SMR_MIN(n, lo + BLOCK_ROWS), &rows));
        measure_block(m, &rows, lo);
    }
out:
    smr_reader_close(reader);
    smr_free(m->x);
    smr_free(m->f);
    return st;
}

/* ---- the largest margin ----------------------------------------------------------------- */

static smr_status gather(smr_ctx *ctx, const smr_data *data, int64_t n_entries, struct gathered *g)
{
    smr_status st = SMR_OK;
    smr_reader *reader = NULL;
    int64_t n = data->n_rows, at = 0;
    smr_form form = form_of(data);
    TRY_NEW(g->y, n);
    TRY_NEW(g->x, n_entries);
    if (form == SMR_FORM_SPARSE) {
        TRY_NEW(g->start, n + 1);
        TRY_NEW(g->column, n_entries);
    }
    TRY(smr_reader_open(ctx, data, form, BLOCK_ROWS, &reader));
    for (int64_t lo = 0; lo < n; lo += BLOCK_ROWS) {
        smr_rows rows;
        TRY(smr_reader_rows(ctx, reader, lo, SMR_MIN(n, lo + BLOCK_ROWS), &rows));
        for (int64_t i = 0; i < rows.n; i++) {
            if (smr_data_weight(data, lo + i) == 0) continue;
            smr_row r = smr_row_of(&rows, i, NULL);
            memcpy(g->x + at, r.x, (size_t)r.n * sizeof *r.x);
            if (g->column) memcpy(g->column + at, r.index, (size_t)r.n * sizeof *r.index);
            at += r.n;
            g->y[g->n++] = data->label[lo + i] == 1 ? 1 : -1;
            if (g->start) g->start[g->n] = at;
        }
    }
out:
    smr_reader_close(reader);
    return st;
}

static double margin_of(const struct smr_perceptron_params *p, const struct gathered *g, int64_t d,
                        const double *w)
{
    double least = INFINITY, one = p->fit_intercept ? 1 : 0;
    double length = sqrt(smr_dot_f64(d + (int64_t)one, w, w));
    for (int64_t i = 0; i < g->n; i++) {
        double f = p->fit_intercept ? w[d] : 0;
        if (g->start)
            for (int64_t e = g->start[i]; e < g->start[i + 1]; e++) f += g->x[e] * w[g->column[e]];
        else
            f += smr_dot_f64(d, g->x + i * d, w);
        least = smr_fmin(least, g->y[i] * f);
    }
    return least / length;
}

static smr_status largest(smr_ctx *ctx, const struct smr_perceptron_params *p, const smr_data *data,
                          int64_t n_entries, struct smr_perceptron_state *s)
{
    smr_status st = SMR_OK;
    int64_t d = s->n_features;
    struct gathered g = {0};
    double *w = NULL;
    smr_dual_result result;
    TRY_NEW(w, d + 1);
    TRY(gather(ctx, data, n_entries, &g));
    smr_csr sparse = {g.n, d, g.start, g.column, g.x};
    smr_dual_problem problem = {.n_rows = g.n,
                                .n_cols = d,
                                .sparse = g.start ? &sparse : NULL,
                                .dense = g.x,
                                .stride = d,
                                .y = g.y,
                                .bias = p->fit_intercept ? 1 : 0};
    smr_dual_opts opts = {.loss = SMR_LOSS_HINGE,
                          .l2 = 0.5 * s->gamma_found * s->gamma_found,
                          .tol = 1e-10,
                          .violation = 1e-9,
                          .what = "looking for the largest margin"};
    TRY(smr_dual_coordinate(ctx, &problem, &opts, w, NULL, &result));
    double gamma = margin_of(p, &g, d, w);
    if (gamma > s->gamma_best) s->gamma_best = gamma;
    s->is_best = result.converged;
out:
    smr_free(w);
    gathered_release(&g);
    return st;
}

smr_status smr_perceptron_margins(smr_ctx *ctx, const struct smr_perceptron_params *p,
                                  const smr_data *data, struct smr_perceptron_state *s)
{
    smr_status st = SMR_OK;
    struct measuring m = {.params = p, .data = data, .state = s};
    TRY(measure(ctx, &m));
    double length = sqrt(smr_dot_f64(s->n_flat, s->weights, s->weights));
    if (!(length > 0) || !isfinite(m.lead)) goto out; /* one class only */
    s->radius = sqrt(m.square);
    s->gamma_found = s->gamma_best = m.lead / length;
    if (s->n_scores == 1 && m.entries <= MOST_NUMBERS && s->gamma_found > 0)
        TRY(largest(ctx, p, data, m.entries, s));
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
