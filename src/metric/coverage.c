/* coverage.c -- how often intervals and sets hold the answer, and how much they say.
 *
 *     coverage        share of the answers that lie in their interval, ends included, or set
 *     width           mean of high - low; infinite as soon as one interval is
 *     interval score  mean of (high - low) + 2/alpha (low - y)+ + 2/alpha (y - high)+, with
 *                     alpha = 1 - the coverage that was promised: least for the true quantiles
 *     size            mean number of classes in a set; empty, single: share of such sets
 *
 * Reference: Gneiting & Raftery, Strictly proper scoring rules, JASA 102 (2007) 359-378. */
#include "math/dd.h"
#include "metric/metric_parts.h"

smr_interval_measures smr_interval_measure(const smr_interval_input *in)
{
    dd weight = {0, 0}, inside = {0, 0}, width = {0, 0}, missed = {0, 0};
    bool infinite = false;
    for (int64_t i = 0; i < in->n; i++)
        for (int64_t j = 0; j < in->n_outputs; j++) {
            int64_t at = i * in->n_outputs + j;
            double w = row_weight(in->weight, i), y = in->y[at];
            double low = in->interval[2 * at], high = in->interval[2 * at + 1];
            if (w == 0) continue;
            dd_add_product(&weight, w, 1);
            dd_add_product(&inside, w, y >= low && y <= high);
            dd_add_product(&missed, w, smr_fmax(0, low - y) + smr_fmax(0, y - high));
            if (isfinite(high - low))
                dd_add_product(&width, w, high - low);
            else
                infinite = true;
        }
    double W = dd_value(weight), mean = infinite ? INFINITY : dd_value(width) / W;
    return (smr_interval_measures){.coverage = dd_value(inside) / W,
                                   .width = mean,
                                   .score = mean + 2 / (1 - in->promised) * dd_value(missed) / W};
}

smr_set_measures smr_set_measure(const smr_set_input *in)
{
    dd weight = {0, 0}, inside = {0, 0}, size = {0, 0}, empty = {0, 0}, single = {0, 0};
    for (int64_t i = 0; i < in->n; i++) {
        const double *set = in->set + i * in->n_classes;
        double w = row_weight(in->weight, i), count = 0;
        if (w == 0) continue;
        for (int64_t k = 0; k < in->n_classes; k++) count += set[k] != 0;
        dd_add_product(&weight, w, 1);
        dd_add_product(&inside, w, set[in->label[i]] != 0);
        dd_add_product(&size, w, count);
        dd_add_product(&empty, w, count == 0);
        dd_add_product(&single, w, count == 1);
    }
    double W = dd_value(weight);
    return (smr_set_measures){.coverage = dd_value(inside) / W,
                              .size = dd_value(size) / W,
                              .empty = dd_value(empty) / W,
                              .single = dd_value(single) / W};
}

void smr_metric_intervals(const smr_interval_input *in, smr_json *into)
{
    smr_interval_measures m = smr_interval_measure(in);
    smr_json_add_number(into, "interval_promised", in->promised);
    smr_json_add_number(into, "interval_coverage", m.coverage);
    smr_json_add_number(into, "interval_width", m.width);
    smr_json_add_number(into, "interval_score", m.score);
}

void smr_metric_sets(const smr_set_input *in, smr_json *into)
{
    smr_set_measures m = smr_set_measure(in);
    smr_json_add_number(into, "set_promised", in->promised);
    smr_json_add_number(into, "set_coverage", m.coverage);
    smr_json_add_number(into, "set_size", m.size);
    smr_json_add_number(into, "set_empty", m.empty);
    smr_json_add_number(into, "set_single", m.single);
}
