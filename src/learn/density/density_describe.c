/* density_describe.c -- what a density learned, in numbers. */
#include "learn/density/density.h"

#include <math.h>

enum { SHOWN = 100 };

static const char *const models[] = {"parzen",    "histogram",   "normal",
                                     "lognormal", "exponential", "gamma"};
static const char *const kernels[] = {"gaussian", "epanechnikov", "ball", "box"};

/* How far it was searched, and how well the best does. */
static void describe_search(const struct smr_density_state *s, smr_json *into)
{
    double best = -INFINITY, at = NAN;
    for (int64_t k = 0; k < s->n_tried; k++) {
        if (!(s->likelihood[k] > best)) continue;
        best = s->likelihood[k];
        at = s->tried[k];
    }
    if (!(best > -INFINITY)) return;
    smr_json_add_number(into, "times_the_rule", at);
    smr_json_add_number(into, "mean_log_density_left_out", best);
}

static void describe_parzen(const struct smr_density_params *p, const struct smr_density_state *s,
                            smr_json *into)
{
    smr_json_add_string(into, "kernel", kernels[p->kernel]);
    smr_json_add_number(into, "distinct_rows", (double)s->n_points);
    describe_search(s, into);
    if (s->root) smr_json_add_number(into, "bandwidth", s->width[0]);
    if (p->kernel != SMR_WINDOW_GAUSSIAN) return;
    smr_json_add_number(into, "relative_error_at_most", p->rtol);
    if (p->atol > 0) smr_json_add_number(into, "absolute_error_at_most", p->atol);
}

static void describe_feature(const struct smr_density_params *p, const struct smr_density_state *s,
                             int64_t j, smr_json *row)
{
    double deviation = 0;
    for (int64_t k = 0; s->root && k <= j; k++)
        deviation += s->root[j * s->n_features + k] * s->root[j * s->n_features + k];
    deviation = s->root ? sqrt(deviation) : s->width ? s->width[j] : 0;
    switch (p->model) {
    case SMR_DENSITY_PARZEN:
        smr_json_add_number(row, "bandwidth", s->root ? deviation * s->width[0] : s->width[j]);
        break;
    case SMR_DENSITY_HISTOGRAM:
        smr_json_add_number(row, "from", s->low[j]);
        smr_json_add_number(row, "to", s->high[j]);
        smr_json_add_number(row, "bins", (double)s->bins[j]);
        smr_json_add_number(row, "width", (s->high[j] - s->low[j]) / (double)s->bins[j]);
        break;
    case SMR_DENSITY_EXPONENTIAL: smr_json_add_number(row, "rate", 1 / s->width[j]); break;
    case SMR_DENSITY_GAMMA:
        smr_json_add_number(row, "shape", s->shape[j]);
        smr_json_add_number(row, "rate", 1 / s->width[j]);
        break;
    default:
        smr_json_add_number(row, p->model == SMR_DENSITY_NORMAL ? "mean" : "mean_of_log",
                            s->centre[j]);
        smr_json_add_number(row, p->model == SMR_DENSITY_NORMAL ? "sd" : "sd_of_log", deviation);
    }
}

smr_status smr_density_describe(smr_ctx *ctx, const void *params_, const void *state_,
                                const smr_feature *in, int64_t n_in, smr_json *into)
{
    const struct smr_density_params *p = params_;
    const struct smr_density_state *s = state_;
    (void)ctx;
    smr_json_add_string(into, "model", models[p->model]);
    smr_json_add_number(into, "weight_of_rows", s->total);
    if (p->model == SMR_DENSITY_PARZEN) describe_parzen(p, s, into);
    if (p->model == SMR_DENSITY_HISTOGRAM) {
        describe_search(s, into);
        smr_json_add_number(into, "cells", smr_density_all_bins(s));
        smr_json_add_number(into, "cells_with_rows", (double)s->n_cells);
    }
    smr_json *list = smr_json_add_array(into, "features");
    for (int64_t j = 0; j < SMR_MIN(n_in, SHOWN); j++) {
        smr_json *row = smr_json_add_object(list, NULL);
        smr_json_add_string(row, "feature", in[j].name);
        describe_feature(p, s, j, row);
    }
    if (n_in > SHOWN) smr_json_add_number(into, "features_not_shown", (double)(n_in - SHOWN));
    return SMR_OK;
}
