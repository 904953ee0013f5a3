/* calibrate_describe.c -- what calibrate learned, in numbers and as a picture. */
#include "core/figure.h"
#include "learn/uncertain/calibrate.h"

#include <math.h>
#include <stdio.h>

enum { MOST_KNOTS = 40, MOST_CURVES = 10, POINTS = 101 };

static int64_t class_of(const struct smr_calibrate_state *s, int64_t m)
{
    return s->n_classes == 2 ? 1 : m;
}

/* Decision scores of two classes are -f and f, and their map reads the difference: this many f. */
static double per_score(const struct smr_calibrate_state *s)
{
    return s->from_scores && s->n_classes == 2 ? 2 : 1;
}

static void describe_map(const struct smr_calibrate_params *p, const struct smr_calibrate_state *s,
                         int64_t m, smr_json *list)
{
    if (p->method == SMR_CALIBRATE_PLATT) {
        smr_json *row = smr_json_add_object(list, NULL);
        smr_json_add_number(row, "class", (double)class_of(s, m));
        smr_json_add_number(row, "a", per_score(s) * s->a[m]);
        smr_json_add_number(row, "b", s->b[m]);
        return;
    }
    int64_t n = s->offset[m + 1] - s->offset[m], every = 1 + n / MOST_KNOTS;
    for (int64_t i = s->offset[m]; i < s->offset[m + 1]; i += every) {
        smr_json *row = smr_json_add_object(list, NULL);
        smr_json_add_number(row, "class", (double)class_of(s, m));
        smr_json_add_number(row, "score", s->knot_x[i] / per_score(s));
        smr_json_add_number(row, "probability", s->knot_y[i]);
    }
}

smr_status smr_calibrate_describe(smr_ctx *ctx, const void *params_, const void *state_,
                                  const smr_feature *in, int64_t n_in, smr_json *into)
{
    static const char *const methods[] = {"platt", "isotonic", "temperature"};
    const struct smr_calibrate_params *p = params_;
    const struct smr_calibrate_state *s = state_;
    (void)ctx, (void)in, (void)n_in;
    smr_json_add_string(into, "method", methods[p->method]);
    smr_json_add_string(into, "from", s->from_scores ? "decision scores" : "probabilities");
    smr_json_add_number(into, "log_loss_before", s->loss_before);
    smr_json_add_number(into, "log_loss_after", s->loss_after);
    if (p->method == SMR_CALIBRATE_TEMPERATURE) {
        smr_json_add_number(into, "temperature", 1 / (per_score(s) * s->beta));
        return SMR_OK;
    }
    smr_json *list =
        smr_json_add_array(into, p->method == SMR_CALIBRATE_PLATT ? "sigmoids" : "steps");
    for (int64_t m = 0; m < s->n_maps; m++) describe_map(p, s, m, list);
    return SMR_OK;
}

static const char *axis_of(const struct smr_calibrate_params *p,
                           const struct smr_calibrate_state *s)
{
    if (p->method == SMR_CALIBRATE_TEMPERATURE && !(per_score(s) > 1))
        return s->from_scores ? "score less another class's" : "log-odds against another class";
    if (s->from_scores) return "the learner's score";
    return p->method == SMR_CALIBRATE_ISOTONIC ? "the learner's probability"
                                               : "log-odds of the learner's probability";
}

smr_status smr_calibrate_figures(smr_ctx *ctx, const void *params_, const void *state_,
                                 const smr_feature *in, int64_t n_in, const char *prefix,
                                 smr_json *figures)
{
    const struct smr_calibrate_params *p = params_;
    const struct smr_calibrate_state *s = state_;
    char name[256];
    double x[POINTS], y[POINTS];
    bool temperature = p->method == SMR_CALIBRATE_TEMPERATURE;
    double reach = s->high - s->low, low = temperature ? -reach : s->low;
    double high = temperature ? reach : s->high;
    (void)ctx, (void)in, (void)n_in;
    if (!isfinite(low) || !isfinite(high)) return SMR_OK;
    snprintf(name, sizeof name, "%scalibration_map", prefix);
    smr_json *figure = smr_figure_add(figures, name, "From scores to probabilities",
                                      "Fitted on rows that the learner had not seen.");
    smr_figure_axis(figure, "x", axis_of(p, s), "linear");
    smr_json *axis = smr_figure_axis(figure, "y", "probability", "linear");
    smr_json_add_number(axis, "min", 0);
    smr_json_add_number(axis, "max", 1);
    for (int64_t m = 0; m < SMR_MIN(s->n_maps, MOST_CURVES); m++) {
        for (int i = 0; i < POINTS; i++) {
            x[i] = low + (high - low) * i / (POINTS - 1);
            y[i] = smr_calibrate_map(p, s, m, x[i]);
            x[i] /= per_score(s);
        }
        if (temperature)
            snprintf(name, sizeof name, "probability");
        else
            snprintf(name, sizeof name, "class %lld", (long long)class_of(s, m));
        smr_figure_series(figure, name, "line", POINTS, x, y);
    }
    if (!s->from_scores && p->method == SMR_CALIBRATE_ISOTONIC)
        smr_figure_mark(figure, "diagonal", 0, NULL);
    return SMR_OK;
}
