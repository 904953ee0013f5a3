/* net_draw.c -- pictures of a net: loss and error by epoch, the sizes of answers and derivatives
 * layer by layer, and the filters of the first layer that has weights, where pictures come in. */
#include "core/figure.h"
#include "learn/neural/net.h"

#include <math.h>
#include <stdio.h>

enum { MOST_POINTS = 400, MOST_LAYERS = 40, MOST_FILTERS = 64, NAME = 256 };

struct drawing {
    const struct smr_net_state *s;
    const char *prefix;
    smr_json *figures;
};

static smr_json *open_figure(const struct drawing *d, const char *name, const char *title,
                             const char *note)
{
    char full[NAME];
    snprintf(full, sizeof full, "%s%s", d->prefix, name);
    return smr_figure_add(d->figures, full, title, note);
}

/* ---- by epoch ---------------------------------------------------------------------------- */

static smr_status draw_epochs(smr_ctx *ctx, const struct drawing *d, bool errors)
{
    const struct smr_net_state *s = d->s;
    const double *in = errors ? s->train_error : s->train_loss;
    const double *apart = errors ? s->held_error : s->held_loss;
    int64_t each = SMR_MAX(1, (s->n_epochs + MOST_POINTS - 1) / MOST_POINTS), n = 0;
    double *x = NULL;
    smr_status st = SMR_OK;
    if (s->n_epochs < 2) return SMR_OK;
    TRY_NEW(x, 3 * s->n_epochs);
    double *a = x + s->n_epochs, *b = a + s->n_epochs;
    for (int64_t e = 0; e < s->n_epochs; e++) {
        if (e % each && e + 1 < s->n_epochs) continue;
        x[n] = (double)e + 1;
        a[n] = in[e];
        b[n++] = apart ? apart[e] : 0;
    }
    smr_json *figure = open_figure(
        d, errors ? "errors" : "losses", errors ? "Error by epoch" : "Loss by epoch",
        apart ? "Training rows as they came in each epoch, before its later steps; rows kept apart "
                "after it. The weights are those of the marked epoch."
              : "Training rows as they came in each epoch, before its later steps.");
    smr_figure_axis(figure, "x", "epoch", "linear");
    smr_figure_axis(figure, "y",
                    !errors        ? "mean loss"
                    : s->n_classes ? "share of mistakes"
                                   : "root mean squared error",
                    "linear");
    smr_figure_series(figure, "training", "line", n, x, a);
    if (apart) smr_figure_series(figure, "kept apart", "line", n, x, b);
    if (apart) smr_figure_mark(figure, "vline", (double)s->best, "kept");
out:
    smr_free(x);
    return st;
}

/* ---- by layer ---------------------------------------------------------------------------- */

/* Sizes at the beginning and at the end; what is 0 has no place on a logarithmic axis. */
static void draw_sizes(const struct drawing *d, bool slopes)
{
    const struct smr_net_state *s = d->s;
    const double *size = slopes ? s->slopes : s->answers;
    int64_t n = SMR_MIN(s->n_nodes, MOST_LAYERS);
    double at[2][MOST_LAYERS], least = INFINITY;
    static const char *const when[2] = {"first batch", "last epoch"};
    for (int64_t i = 0; i < 2 * n; i++) {
        double v = size[(i / n) * s->n_nodes + i % n];
        at[i / n][i % n] = v > 0 && isfinite(v) ? v : NAN;
        if (v > 0 && isfinite(v)) least = smr_fmin(least, v);
    }
    if (!isfinite(least)) return;
    smr_json *figure = open_figure(
        d, slopes ? "slopes" : "answers",
        slopes ? "Size of the derivatives, layer by layer" : "Size of the answers, layer by layer",
        slopes ? "Root mean square of the loss's derivatives in what each layer gives, "
                 "for a batch: where it falls from the last layer to the first, early "
                 "layers hardly learn."
               : "Root mean square of what each layer gives, for a batch.");
    smr_figure_axis(figure, "x", "root mean square", "log");
    smr_json *axis = smr_figure_axis(figure, "y", "layer", "names");
    smr_json *names = smr_json_add_array(axis, "names");
    for (int64_t i = 0; i < n; i++) smr_json_add_string(names, NULL, s->net->graph.node[i].name);
    for (int k = 0; k < 2; k++) smr_figure_series(figure, when[k], "hpoints", n, at[k], NULL);
}

/* ---- filters ----------------------------------------------------------------------------- */

/* Pictures of h x w, side by side with a gap between: filters of (n, channels, h, w), or units that
 * see a whole picture (n, h x w x channels); several channels are averaged. */
struct filters {
    const float *weight;
    int64_t n, h, w, channels;
    bool last; /* channels are last */
};

static bool find_filters(const struct smr_net_state *s, struct filters *out)
{
    const smr_nn_graph *graph = &s->net->graph;
    int64_t i = 0;
    while (i < graph->n && graph->node[i].layout.n_weights == 0) i++;
    if (i == graph->n || s->height * s->width == 1 || s->weights.n == 0) return false;
    if (graph->node[i].from[0] != SMR_NET_INPUT) return false;
    const smr_nn_weights *w = &graph->node[i].layout.weights[0];
    *out = (struct filters){.weight = s->weights.tensor[0].values, .n = w->dim[0]};
    if (w->rank == 4) {
        out->channels = w->dim[1];
        out->h = w->dim[2];
        out->w = w->dim[3];
        return graph->node[i].layout.window[0] > 0 && out->h * out->w > 1;
    }
    out->h = s->height;
    out->w = s->width;
    out->channels = s->channels;
    out->last = true;
    return w->rank == 2 && w->dim[1] == s->n_features;
}

/* Channel j of pixel (r, c) of filter k. */
static double pixel(const struct filters *f, int64_t k, int64_t r, int64_t c, int64_t j)
{
    int64_t area = f->h * f->w;
    return (double)f->weight[f->last ? (k * area + r * f->w + c) * f->channels + j
                                     : (k * f->channels + j) * area + r * f->w + c];
}

/* Three channels are colours, grey where the weights are 0; others but one are averaged. */
static void draw_filter(const struct filters *f, int64_t k, smr_json *value)
{
    int64_t shown = f->channels == 3 ? 3 : 1;
    for (int64_t r = 0; r < f->h; r++)
        for (int64_t c = 0; c < f->w; c++)
            for (int64_t j = 0; j < shown; j++) {
                double sum = pixel(f, k, r, c, j);
                for (int64_t e = 1; shown == 1 && e < f->channels; e++) sum += pixel(f, k, r, c, e);
                smr_json_add_number(value, NULL, shown == 3 ? sum : sum / (double)f->channels);
            }
}

static double largest(const struct filters *f)
{
    double most = 0;
    for (int64_t e = 0; e < f->n * f->h * f->w * f->channels; e++)
        most = smr_fmax(most, fabs((double)f->weight[e]));
    return most;
}

static void draw_filters(const struct drawing *d)
{
    struct filters f;
    char name[NAME];
    if (!find_filters(d->s, &f)) return;
    bool colours = f.channels == 3;
    double most = colours ? largest(&f) : 0;
    snprintf(name, sizeof name, "%sfilters", d->prefix);
    smr_json *figure =
        smr_figure_tiles(d->figures, name, "Weights of the first layer",
                         colours          ? "As colours; grey where a weight is 0."
                         : f.channels > 1 ? "Means over the channels; white where they are 0, blue "
                                            "above, brown below."
                                          : "White where a weight is 0, blue above, brown below.",
                         -most, most, !colours);
    for (int64_t k = 0; k < SMR_MIN(f.n, MOST_FILTERS); k++)
        draw_filter(&f, k, smr_figure_tile(figure, NULL, f.h, f.w, colours ? 3 : 1));
}

smr_status smr_net_pictures(smr_ctx *ctx, const void *params_, const void *state_,
                            const smr_feature *in, int64_t n_in, const char *prefix,
                            smr_json *figures)
{
    struct drawing d = {state_, prefix, figures};
    smr_status st = SMR_OK;
    (void)params_, (void)in, (void)n_in;
    TRY(draw_epochs(ctx, &d, false));
    TRY(draw_epochs(ctx, &d, true));
    draw_sizes(&d, false);
    draw_sizes(&d, true);
    draw_filters(&d);
out:
    return st;
}
