/* gmm_tell.c -- what inspect, figures and the trace say about a mixture. */
#include "core/figure.h"
#include "core/text.h"
#include "kernel/kernel.h"
#include "learn/cluster/gmm.h"
#include "learn/ellipse.h"
#include "learn/linear/affine.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum {
    SHOWN_PARTS = 50,    /* in inspect                         */
    SHOWN_FEATURES = 12, /* of each                            */
    DRAWN_PARTS = 12,    /* ellipses and curves                */
    POINTS = 201,        /* of a curve                         */
    BARS = 20,           /* of a histogram                     */
    ROWS = 300           /* as many as a model keeps           */
};

static const char *const criteria[] = {"bic", "aic"};
static const char *const shapes[] = {"full", "tied", "diagonal", "spherical", "unit"};

static void name_part(int64_t c, char name[32])
{
    snprintf(name, 32, "%lld", (long long)c);
}

/* ---- inspect ---------------------------------------------------------------------------- */

static void describe_parts(int covariance, const struct smr_gmm_parts *s, const smr_feature *in,
                           smr_json *into)
{
    smr_json *list = smr_json_add_array(into, "components");
    for (int64_t c = 0; c < SMR_MIN(s->k, SHOWN_PARTS); c++) {
        smr_json *row = smr_json_add_object(list, NULL);
        smr_json_add_number(row, "component", (double)c);
        smr_json_add_number(row, "share", s->share[c]);
    }
    smr_json *means = smr_json_add_array(into, "means");
    for (int64_t c = 0; c < SMR_MIN(s->k, SHOWN_PARTS); c++)
        for (int64_t j = 0; j < SMR_MIN(s->d, SHOWN_FEATURES); j++) {
            char name[32];
            smr_json *row = smr_json_add_object(means, NULL);
            smr_json_add_number(row, "component", (double)c);
            smr_json_add_string(row, "feature", smr_affine_name(in, j, name));
            smr_json_add_number(row, "mean", s->mean[c * s->d + j]);
            smr_json_add_number(row, "deviation", sqrt(smr_gmm_covariance(covariance, s, c, j, j)));
        }
}

static void describe_tried(const struct smr_gmm_params *p, const struct smr_gmm_state *s,
                           smr_json *into)
{
    if (s->n_tried == 0) return;
    smr_json *list = smr_json_add_array(into, "tried");
    for (int64_t k = 0; k < s->n_tried; k++) {
        smr_json *row = smr_json_add_object(list, NULL);
        smr_json_add_number(row, "k", (double)k + 1);
        smr_json_add_number(row, criteria[p->criterion], s->tried[k]);
        smr_json_add_bool(row, "chosen", k + 1 == s->k);
    }
}

smr_status smr_gmm_describe(smr_ctx *ctx, const void *params_, const void *state_,
                            const smr_feature *in, int64_t n_in, smr_json *into)
{
    const struct smr_gmm_params *p = params_;
    const struct smr_gmm_state *s = state_;
    struct smr_gmm_parts parts = smr_gmm_parts_of(s);
    double n_free = smr_gmm_free(p->covariance, &parts);
    (void)ctx, (void)n_in;
    smr_json_add_number(into, "components_found", (double)s->k);
    smr_json_add_string(into, "covariance", shapes[p->covariance]);
    smr_json_add_number(into, "rows", s->weight);
    smr_json_add_number(into, "log_likelihood", s->log_likelihood);
    smr_json_add_number(into, "mean_log_density", s->log_likelihood / s->weight);
    smr_json_add_number(into, "parameters", n_free);
    smr_json_add_number(into, "bic", n_free * smr_log(s->weight) - 2 * s->log_likelihood);
    smr_json_add_number(into, "aic", n_free * 2 - 2 * s->log_likelihood);
    if (s->n_thin > 0) smr_json_add_number(into, "collapsed", (double)s->n_thin);
    describe_parts(p->covariance, &parts, in, into);
    describe_tried(p, s, into);
    return SMR_OK;
}

/* ---- figures ---------------------------------------------------------------------------- */

struct drawing {
    smr_ctx *ctx;
    const struct smr_gmm_params *p;
    const struct smr_gmm_state *s;
    struct smr_gmm_parts parts;
    const smr_feature *in;
    const char *prefix;
    smr_json *figures;
};

static smr_json *add_figure(const struct drawing *d, const char *name, const char *title,
                            const char *note)
{
    smr_text full = {.ctx = d->ctx};
    smr_text_printf(&full, "%s%s", d->prefix, name);
    smr_json *figure =
        smr_text_done(&full) == SMR_OK ? smr_figure_add(d->figures, full.bytes, title, note) : NULL;
    smr_text_release(&full);
    return figure;
}

static void add_axis(const struct drawing *d, smr_json *figure, int which)
{
    char name[32];
    smr_figure_axis(figure, which ? "y" : "x", smr_affine_name(d->in, d->s->plane[which], name),
                    "linear");
}

/* The component whose part of the plane a row lies in. */
static int64_t nearest(int covariance, const struct smr_gmm_parts *s, const int32_t plane[2],
                       const double x[2])
{
    double best = -INFINITY;
    int64_t at = 0;
    for (int64_t c = 0; c < s->k; c++) {
        double a = smr_gmm_covariance(covariance, s, c, plane[0], plane[0]);
        double b = smr_gmm_covariance(covariance, s, c, plane[0], plane[1]) / sqrt(a);
        double rest = smr_gmm_covariance(covariance, s, c, plane[1], plane[1]) - b * b;
        double z0 = (x[0] - s->mean[c * s->d + plane[0]]) / sqrt(a);
        double z1 = (x[1] - s->mean[c * s->d + plane[1]] - b * z0) / sqrt(rest);
        double value =
            smr_log(s->share[c]) - 0.5 * (z0 * z0 + z1 * z1 + smr_log(a) + smr_log(rest));
        if (value > best) {
            best = value;
            at = c;
        }
    }
    return at;
}

/* Rows of the plane by component, and two ellipses for each. */
static void draw_plane(int covariance, const struct smr_gmm_parts *s, const int32_t plane[2],
                       int64_t n, const double *x, smr_json *figure)
{
    double px[ROWS], py[ROWS];
    int64_t of[ROWS];
    n = SMR_MIN(n, ROWS);
    for (int64_t i = 0; i < n; i++) of[i] = nearest(covariance, s, plane, x + 2 * i);
    for (int64_t c = 0; c < SMR_MIN(s->k, DRAWN_PARTS); c++) {
        char name[32];
        int64_t m = 0;
        double mean[2], v[3];
        for (int64_t i = 0; i < n; i++) {
            if (of[i] != c) continue;
            px[m] = x[2 * i];
            py[m++] = x[2 * i + 1];
        }
        name_part(c, name);
        for (int j = 0; j < 2; j++) mean[j] = s->mean[c * s->d + plane[j]];
        v[0] = smr_gmm_covariance(covariance, s, c, plane[0], plane[0]);
        v[1] = smr_gmm_covariance(covariance, s, c, plane[0], plane[1]);
        v[2] = smr_gmm_covariance(covariance, s, c, plane[1], plane[1]);
        if (m > 0) smr_figure_series(figure, name, "points", m, px, py);
        for (int r = 1; r <= 2; r++) smr_ellipse_add(figure, name, mean, v, r);
    }
}

static void draw_ellipses(const struct drawing *d)
{
    const struct smr_gmm_state *s = d->s;
    smr_json *figure = add_figure(
        d, "ellipses", "The components of the mixture",
        s->n_features == 2
            ? "Ellipses at one and two standard deviations: 39 % and 86 % of a component lie "
              "within."
            : "In the two features in which they differ most; ellipses at one and two standard "
              "deviations.");
    add_axis(d, figure, 0);
    add_axis(d, figure, 1);
    draw_plane(d->p->covariance, &d->parts, s->plane, s->n_sample, s->sample, figure);
}

/* One feature: the density, what each component adds to it, and bars of the rows. */
static void draw_density(const struct drawing *d)
{
    const struct smr_gmm_parts *s = &d->parts;
    const double *rows = d->s->sample;
    double x[POINTS], all[POINTS] = {0}, y[POINTS], low = INFINITY, high = -INFINITY;
    double bar_x[BARS], bar[BARS] = {0};
    for (int64_t c = 0; c < s->k; c++) {
        double sd = sqrt(smr_gmm_covariance(d->p->covariance, s, c, 0, 0));
        low = smr_fmin(low, s->mean[c] - 3.5 * sd);
        high = smr_fmax(high, s->mean[c] + 3.5 * sd);
    }
    for (int i = 0; i < POINTS; i++) x[i] = low + (high - low) * i / (POINTS - 1);
    smr_json *figure = add_figure(d, "mixture", "The density and its components",
                                  "Bars are training rows, in parts of the axis of one width.");
    add_axis(d, figure, 0);
    smr_json_add_number(smr_figure_axis(figure, "y", "density", "linear"), "min", 0);
    double width = (high - low) / BARS;
    for (int64_t i = 0; i < d->s->n_sample; i++) {
        double at = (rows[i] - low) / width;
        if (at >= 0 && at < BARS) bar[(int)at] += 1 / ((double)d->s->n_sample * width);
    }
    for (int b = 0; b < BARS; b++) bar_x[b] = low + (b + 0.5) * width;
    smr_figure_series(figure, "rows", "bars", BARS, bar_x, bar);
    for (int64_t c = 0; c < s->k; c++) {
        double sd = sqrt(smr_gmm_covariance(d->p->covariance, s, c, 0, 0));
        char name[32];
        for (int i = 0; i < POINTS; i++) {
            double z = (x[i] - s->mean[c]) / sd;
            y[i] = s->share[c] * 0.39894228040143267794 / sd * smr_exp(-0.5 * z * z);
            all[i] += y[i];
        }
        name_part(c, name);
        if (s->k > 1 && c < DRAWN_PARTS) smr_figure_series(figure, name, "line", POINTS, x, y);
    }
    smr_figure_series(figure, "density", "line", POINTS, x, all);
}

static void draw_tried(const struct drawing *d)
{
    const struct smr_gmm_state *s = d->s;
    double x[SMR_GMM_MOST], y[SMR_GMM_MOST];
    int64_t n = 0;
    for (int64_t k = 0; k < s->n_tried; k++) {
        if (!isfinite(s->tried[k])) continue;
        x[n] = (double)k + 1;
        y[n++] = s->tried[k];
    }
    if (n < 2) return;
    smr_json *figure = add_figure(d, "criterion", "How many components: the least is the best",
                                  "Numbers under which a component collapsed are left out.");
    smr_figure_axis(figure, "x", "components", "linear");
    smr_figure_axis(figure, "y", d->p->criterion == SMR_GMM_AIC ? "AIC" : "BIC", "linear");
    smr_figure_series(figure, "criterion", "line", n, x, y);
    smr_figure_series(figure, "criterion", "points", n, x, y);
    smr_figure_mark(figure, "vline", (double)s->k, "chosen");
}

static void draw_curve(const struct drawing *d)
{
    double x[SMR_CURVE_MAX], y[SMR_CURVE_MAX];
    int64_t n = SMR_MIN(d->s->n_curve, SMR_CURVE_MAX);
    if (n < 2) return;
    for (int64_t i = 0; i < n; i++) {
        int64_t at = n > 1 ? i * (d->s->n_curve - 1) / (n - 1) : 0;
        x[i] = (double)at;
        y[i] = d->s->curve[at] / d->s->weight;
    }
    smr_json *figure =
        add_figure(d, "likelihood", "EM", "The log-likelihood never falls from one to the next.");
    smr_figure_axis(figure, "x", "iteration", "linear");
    smr_figure_axis(figure, "y", "log-likelihood of a row", "linear");
    smr_figure_series(figure, "log-likelihood", "line", n, x, y);
}

smr_status smr_gmm_draw(smr_ctx *ctx, const void *params, const void *state, const smr_feature *in,
                        int64_t n_in, const char *prefix, smr_json *figures)
{
    struct drawing d = {ctx, params, state, smr_gmm_parts_of(state), in, prefix, figures};
    (void)n_in;
    if (d.s->n_plane > 1)
        draw_ellipses(&d);
    else
        draw_density(&d);
    draw_tried(&d);
    draw_curve(&d);
    return SMR_OK;
}

/* ---- the trace -------------------------------------------------------------------------- */

/* Two features: rows that the fit can see, evenly spread. */
static int64_t look(smr_ctx *ctx, const struct smr_gmm_fit *f, double *x)
{
    int64_t n = SMR_MIN(f->n, ROWS), m = 0;
    smr_rows row;
    for (int64_t t = 0; t < n; t++) {
        int64_t i = t * f->n / n;
        if (smr_held_block(ctx, &f->held, 0, i, i + 1, &row) != SMR_OK) return m;
        memcpy(x + 2 * m++, row.x, 2 * sizeof *x);
    }
    return m;
}

void smr_gmm_watch(smr_ctx *ctx, const struct smr_gmm_fit *f, int64_t start, int64_t iteration,
                   double value)
{
    smr_trace *t = f->report->trace;
    const struct smr_gmm_parts *s = f->tables->parts;
    const int32_t plane[2] = {0, 1};
    double x[2 * ROWS];
    char which[64] = "";
    if (!t) return;
    if (f->tells_k) snprintf(which, sizeof which, "k=%lld, ", (long long)s->k);
    bool kept = iteration == 0
                    ? smr_trace_step(t, "%sstart %lld: the components of the centres", which,
                                     (long long)start + 1)
                    : smr_trace_step(t,
                                     "%sstart %lld, iteration %lld: rows are shared out, and the "
                                     "components become those of their shares",
                                     which, (long long)start + 1, (long long)iteration);
    if (!kept) return;
    smr_trace_number(t, "log_likelihood", value);
    for (int64_t c = 0; c < SMR_MIN(s->k, SMR_TRACE_NAMES); c++) {
        char key[64];
        snprintf(key, sizeof key, "share(%lld)", (long long)c);
        smr_trace_number(t, key, s->share[c]);
    }
    if (s->d != 2) return;
    smr_json *figure = smr_trace_figure(t, "ellipses", "The components after this step", false);
    smr_figure_axis(figure, "x", smr_trace_feature(t, 0), "linear");
    smr_figure_axis(figure, "y", smr_trace_feature(t, 1), "linear");
    draw_plane(f->params->covariance, s, plane, look(ctx, f, x), x, figure);
}
