/* bayes_describe.c -- what tells the classes apart, in words and pictures.
 *
 * gain of feature j for class k: the expected log-odds for k against all other classes together
 * that the feature gives in a row of class k,
 *
 *     sum_v P(v | k) log (P(v | k) / P(v | others))
 *
 * over its levels; of a word that one term; of a number the same integral of two normal densities.
 */
#include "core/figure.h"
#include "kernel/kernel.h"
#include "learn/bayes/bayes.h"
#include "learn/linear/affine.h"

#include <math.h>
#include <stdio.h>

enum { MOST_SHOWN = 10, MOST_LEVELS = 2000, MOST_BARS = 15, MOST_CURVES = 3, POINTS = 201 };

/* What class k and the others have in cell c of feature j, with smoothing. */
struct shares {
    double here, elsewhere;
};

static struct shares shares_of(const struct smr_bayes_params *p, const struct smr_bayes_state *s,
                               int64_t j, int64_t c, int64_t k)
{
    bool counts = s->kind[j] == SMR_BAYES_COUNT;
    int64_t lo = counts ? 0 : s->start[j], hi = counts ? s->n_cells : s->start[j + 1], n = 0;
    double in[2] = {0}, of[2] = {0};
    for (int64_t i = lo; i < hi; i++) n += counts || s->tables->seen[i];
    for (int64_t g = 0; g < s->n_classes; g++) {
        const double *count = s->count + g * s->n_cells;
        in[g != k] += count[c];
        for (int64_t i = lo; i < hi && !counts; i++) of[g != k] += count[i];
        if (counts) of[g != k] += smr_sum_f64(s->n_cells, count);
    }
    double a = p->smoothing, levels = (double)n;
    struct shares share = {(in[0] + a) / (of[0] + a * levels), (in[1] + a) / (of[1] + a * levels)};
    return share;
}

static double term(struct shares of)
{
    if (!(of.here > 0)) return 0;
    return of.elsewhere > 0 ? of.here * smr_log(of.here / of.elsewhere) : INFINITY;
}

struct normal {
    double mean, var;
};

/* Number c in class k, or in all others together. */
static struct normal normal_of(const struct smr_bayes_state *s, int64_t c, int64_t k, bool others)
{
    double weight = 0, mean = 0, square = 0;
    for (int64_t g = 0; g < s->n_classes; g++)
        if ((g != k) == others) weight += s->filled[g * s->n_numbers + c];
    for (int64_t g = 0; g < s->n_classes && weight > 0; g++)
        if ((g != k) == others)
            mean += s->filled[g * s->n_numbers + c] / weight * s->mean[g * s->n_numbers + c];
    for (int64_t g = 0; g < s->n_classes && weight > 0; g++) {
        int64_t at = g * s->n_numbers + c;
        double off = s->mean[at] - mean;
        if ((g != k) == others) square += s->square[at] + s->filled[at] * off * off;
    }
    struct normal of = {weight > 0 ? mean : NAN, weight > 0 ? square / weight : NAN};
    return of;
}

static double gain_of(const struct smr_bayes_params *p, const struct smr_bayes_state *s, int64_t j,
                      int64_t k)
{
    double gain = 0;
    if (s->kind[j] == SMR_BAYES_NUMBER) {
        int64_t c = s->tables->place[j];
        struct normal a = normal_of(s, c, k, false), b = normal_of(s, c, k, true);
        double off = a.mean - b.mean, floor = s->tables->floor[c];
        double va = a.var + floor, vb = b.var + floor;
        if (!(va > 0 && vb > 0)) return 0;
        return 0.5 * (smr_log(vb / va) + (va + off * off) / vb - 1);
    }
    for (int64_t c = s->start[j]; c < s->start[j + 1]; c++)
        if (s->kind[j] == SMR_BAYES_COUNT || s->tables->seen[c])
            gain += term(shares_of(p, s, j, c, k));
    return gain;
}

/* The level whose term is largest. */
static int64_t level_of(const struct smr_bayes_params *p, const struct smr_bayes_state *s,
                        int64_t j, int64_t k)
{
    int64_t best = s->start[j];
    double most = -INFINITY;
    for (int64_t c = s->start[j]; c < s->start[j + 1]; c++) {
        double t = s->tables->seen[c] ? term(shares_of(p, s, j, c, k)) : -INFINITY;
        if (t > most) {
            most = t;
            best = c;
        }
    }
    return best;
}

/* Gains of all features for class k; words in one pass, as their totals are the same. */
static void find_gains(const struct smr_bayes_params *p, const struct smr_bayes_state *s, int64_t k,
                       double *gain)
{
    if (!smr_bayes_counts(s)) {
        for (int64_t j = 0; j < s->n_features; j++) gain[j] = gain_of(p, s, j, k);
        return;
    }
    double of[2] = {0}, a = p->smoothing, spread = a * (double)s->n_cells;
    for (int64_t g = 0; g < s->n_classes; g++)
        of[g != k] += smr_sum_f64(s->n_cells, s->count + g * s->n_cells);
    for (int64_t c = 0; c < s->n_cells; c++) {
        double in[2] = {0};
        for (int64_t g = 0; g < s->n_classes; g++) in[g != k] += s->count[g * s->n_cells + c];
        gain[c] =
            term((struct shares){(in[0] + a) / (of[0] + spread), (in[1] + a) / (of[1] + spread)});
    }
}

/* The largest gains above 0, the first of equals; how many. */
static int64_t best_of(int64_t n, const double *gain, int64_t most, int64_t *order)
{
    int64_t found = 0;
    for (int64_t j = 0; j < n; j++) {
        int64_t at = found;
        if (!(gain[j] > 0)) continue;
        while (at > 0 && gain[j] > gain[order[at - 1]]) at--;
        if (at >= most) continue;
        if (found < most) found++;
        for (int64_t i = found - 1; i > at; i--) order[i] = order[i - 1];
        order[at] = j;
    }
    return found;
}

/* ---- words ------------------------------------------------------------------------------- */

static void add_level_name(const struct smr_bayes_state *s, const smr_feature *in, int64_t j,
                           int64_t c, smr_json *row)
{
    int64_t level = c - s->start[j], length;
    if (s->kind[j] == SMR_BAYES_BIT) {
        smr_json_add_string(row, "level", level ? "1" : "0");
    } else if (in && in[j].levels && level < in[j].levels->n) {
        const char *name = smr_strings_get(in[j].levels, level, &length);
        smr_json_add_bytes(row, "level", name, length);
    } else {
        smr_json_add_number(row, "level", (double)level);
    }
}

static void describe_classes(const struct smr_bayes_state *s, smr_json *into)
{
    smr_json *list = smr_json_add_array(into, "classes");
    for (int64_t k = 0; k < s->n_classes; k++) {
        smr_json *row = smr_json_add_object(list, NULL);
        smr_json_add_number(row, "class", (double)k);
        smr_json_add_number(row, "rows", s->weight[k]);
        smr_json_add_number(row, "prior", smr_exp(s->tables->base[k]));
    }
}

static void describe_telling(const struct smr_bayes_params *p, const struct smr_bayes_state *s,
                             const smr_feature *in, double *gain, smr_json *into)
{
    smr_json *list = smr_json_add_array(into, "telling");
    for (int64_t k = 0; k < s->n_classes; k++) {
        int64_t order[MOST_SHOWN];
        find_gains(p, s, k, gain);
        int64_t n = s->weight[k] > 0 ? best_of(s->n_features, gain, MOST_SHOWN, order) : 0;
        for (int64_t i = 0; i < n; i++) {
            char name[32];
            int64_t j = order[i];
            smr_json *row = smr_json_add_object(list, NULL);
            smr_json_add_number(row, "class", (double)k);
            smr_json_add_string(row, "feature", smr_affine_name(in, j, name));
            if (s->kind[j] == SMR_BAYES_NUMBER) {
                int64_t c = s->tables->place[j];
                smr_json_add_number(row, "here", normal_of(s, c, k, false).mean);
                smr_json_add_number(row, "elsewhere", normal_of(s, c, k, true).mean);
            } else {
                bool counts = s->kind[j] == SMR_BAYES_COUNT;
                int64_t c = counts ? s->start[j] : level_of(p, s, j, k);
                struct shares of = shares_of(p, s, j, c, k);
                if (!counts) add_level_name(s, in, j, c, row);
                smr_json_add_number(row, "here", of.here);
                smr_json_add_number(row, "elsewhere", of.elsewhere);
            }
            smr_json_add_number(row, "gain", gain[j]);
        }
    }
}

static void describe_numbers(const struct smr_bayes_state *s, const smr_feature *in, smr_json *into)
{
    smr_json *list = smr_json_add_array(into, "numbers");
    for (int64_t k = 0; k < s->n_classes; k++)
        for (int64_t j = 0; j < s->n_features; j++) {
            int64_t at = s->tables->place[j] * s->tables->ld + k;
            char name[32];
            if (s->kind[j] != SMR_BAYES_NUMBER) continue;
            smr_json *row = smr_json_add_object(list, NULL);
            double var = s->square[k * s->n_numbers + s->tables->place[j]] /
                         s->filled[k * s->n_numbers + s->tables->place[j]];
            smr_json_add_number(row, "class", (double)k);
            smr_json_add_string(row, "feature", smr_affine_name(in, j, name));
            smr_json_add_number(row, "mean", s->tables->mean[at]);
            smr_json_add_number(row, "variance", var);
            smr_json_add_number(row, "sd", sqrt(var));
        }
}

static void describe_levels(const struct smr_bayes_state *s, const smr_feature *in, smr_json *into)
{
    const struct smr_bayes_tables *t = s->tables;
    smr_json *list = smr_json_add_array(into, "levels");
    for (int64_t k = 0; k < s->n_classes; k++)
        for (int64_t j = 0; j < s->n_features; j++)
            for (int64_t c = s->start[j]; c < s->start[j + 1]; c++) {
                char name[32];
                if (!t->seen[c]) continue;
                smr_json *row = smr_json_add_object(list, NULL);
                smr_json_add_number(row, "class", (double)k);
                smr_json_add_string(row, "feature", smr_affine_name(in, j, name));
                add_level_name(s, in, j, c, row);
                smr_json_add_number(row, "rows", s->count[k * s->n_cells + c]);
                smr_json_add_number(row, "share",
                                    smr_exp(t->cell[c * t->ld + k] - t->norm[j * t->ld + k]));
            }
}

/* Free parameters: priors but one, shares of levels but one, means and variances. */
static double count_parameters(const struct smr_bayes_state *s)
{
    double n = 0, k = (double)s->n_classes;
    for (int64_t j = 0; j < s->n_features && !smr_bayes_counts(s); j++) {
        int64_t seen = 0;
        for (int64_t c = s->start[j]; c < s->start[j + 1]; c++) seen += s->tables->seen[c];
        n += s->kind[j] == SMR_BAYES_NUMBER ? 2 : (double)SMR_MAX(0, seen - 1);
    }
    if (smr_bayes_counts(s)) n = (double)s->n_cells - 1;
    return k - 1 + k * n;
}

smr_status smr_bayes_describe(smr_ctx *ctx, const void *params_, const void *state_,
                              const smr_feature *in, int64_t n_in, smr_json *into)
{
    static const char *const kinds[] = {"numbers", "bits", "categories", "counts"};
    const struct smr_bayes_params *p = params_;
    const struct smr_bayes_state *s = state_;
    int64_t n[SMR_BAYES_KINDS] = {0};
    smr_status st = SMR_OK;
    double *gain = NULL;
    (void)n_in;
    TRY_NEW(gain, s->n_features);
    for (int64_t j = 0; j < s->n_features; j++) n[s->kind[j]]++;
    smr_json *counts = smr_json_add_object(into, "features");
    for (int kind = 0; kind < SMR_BAYES_KINDS; kind++)
        if (n[kind] > 0) smr_json_add_number(counts, kinds[kind], (double)n[kind]);
    smr_json_add_number(into, "parameters", count_parameters(s));
    describe_classes(s, into);
    describe_telling(p, s, in, gain, into);
    if (s->n_numbers > 0) describe_numbers(s, in, into);
    if (!smr_bayes_counts(s) && s->n_cells > 0 && s->n_cells <= MOST_LEVELS)
        describe_levels(s, in, into);
out:
    smr_free(gain);
    return st;
}

/* ---- pictures ---------------------------------------------------------------------------- */

/* The features that tell most in any class: bars of the gain in each. */
static smr_status draw_telling(smr_ctx *ctx, const struct smr_bayes_params *p,
                               const struct smr_bayes_state *s, const smr_feature *in,
                               const char *prefix, smr_json *figures)
{
    smr_status st = SMR_OK;
    double *gain = NULL, *most = NULL, bar[MOST_BARS];
    int64_t order[MOST_BARS], n;
    char name[256], number[32];
    TRY_NEW(gain, s->n_features * s->n_classes);
    TRY_NEW(most, s->n_features);
    for (int64_t k = 0; k < s->n_classes; k++) {
        double *of = gain + k * s->n_features;
        if (s->weight[k] > 0) find_gains(p, s, k, of);
        for (int64_t j = 0; j < s->n_features; j++)
            if (isfinite(of[j])) most[j] = smr_fmax(most[j], of[j]);
    }
    n = best_of(s->n_features, most, MOST_BARS, order);
    if (n == 0 || s->n_classes > 12) goto out;
    snprintf(name, sizeof name, "%stelling", prefix);
    smr_json *figure = smr_figure_add(
        figures, name, "What tells the classes apart",
        "The log-odds for a class that a feature gives on average in the rows of that class.");
    smr_figure_axis(figure, "x", "gain (log-odds)", "linear");
    smr_json *axis = smr_figure_axis(figure, "y", "feature", "names");
    smr_json *names = smr_json_add_array(axis, "names");
    for (int64_t i = 0; i < n; i++)
        smr_json_add_string(names, NULL, smr_affine_name(in, order[i], number));
    for (int64_t k = 0; k < s->n_classes; k++) {
        for (int64_t i = 0; i < n; i++) bar[i] = gain[k * s->n_features + order[i]];
        snprintf(number, sizeof number, "%lld", (long long)k);
        smr_json *series = smr_figure_series(figure, number, "hbars", n, bar, NULL);
        smr_json_add_number(series, "class", (double)k);
    }
out:
    smr_free(gain);
    smr_free(most);
    return st;
}

/* The densities of a number in each class. */
static void draw_number(const struct smr_bayes_state *s, int64_t j, const smr_feature *in,
                        const char *prefix, smr_json *figures)
{
    const struct smr_bayes_tables *t = s->tables;
    double lo = INFINITY, hi = -INFINITY, x[POINTS], y[POINTS];
    char name[256], title[320], number[32];
    int64_t at = t->place[j] * t->ld;
    for (int64_t k = 0; k < s->n_classes; k++) {
        if (!(s->weight[k] > 0 && t->scale[at + k] > 0)) continue;
        lo = smr_fmin(lo, t->mean[at + k] - 3.5 / t->scale[at + k]);
        hi = smr_fmax(hi, t->mean[at + k] + 3.5 / t->scale[at + k]);
    }
    if (!(lo < hi)) return;
    snprintf(name, sizeof name, "%sdensity_%lld", prefix, (long long)j);
    snprintf(title, sizeof title, "Density of %.200s in each class",
             smr_affine_name(in, j, number));
    smr_json *figure = smr_figure_add(figures, name, title, NULL);
    smr_figure_axis(figure, "x", smr_affine_name(in, j, number), "linear");
    smr_figure_axis(figure, "y", "density", "linear");
    for (int64_t k = 0; k < s->n_classes; k++) {
        if (!(s->weight[k] > 0 && t->scale[at + k] > 0)) continue;
        for (int i = 0; i < POINTS; i++) {
            x[i] = lo + (hi - lo) * i / (POINTS - 1);
            double off = (x[i] - t->mean[at + k]) * t->scale[at + k];
            y[i] = smr_exp(t->level[at + k] - 0.5 * off * off);
        }
        snprintf(number, sizeof number, "%lld", (long long)k);
        smr_json *series = smr_figure_series(figure, number, "line", POINTS, x, y);
        smr_json_add_number(series, "class", (double)k);
    }
}

smr_status smr_bayes_draw(smr_ctx *ctx, const void *params_, const void *state_,
                          const smr_feature *in, int64_t n_in, const char *prefix,
                          smr_json *figures)
{
    const struct smr_bayes_params *p = params_;
    const struct smr_bayes_state *s = state_;
    smr_status st = SMR_OK;
    double *most = NULL, *gain = NULL;
    int64_t order[MOST_CURVES];
    (void)n_in;
    TRY(draw_telling(ctx, p, s, in, prefix, figures));
    if (s->n_numbers == 0 || s->n_classes > 12) goto out;
    TRY_NEW(most, s->n_features);
    TRY_NEW(gain, s->n_features);
    for (int64_t k = 0; k < s->n_classes; k++) {
        if (!(s->weight[k] > 0)) continue;
        find_gains(p, s, k, gain);
        for (int64_t j = 0; j < s->n_features; j++)
            if (s->kind[j] == SMR_BAYES_NUMBER && isfinite(gain[j]))
                most[j] = smr_fmax(most[j], gain[j]);
    }
    int64_t n = best_of(s->n_features, most, MOST_CURVES, order);
    for (int64_t i = 0; i < n; i++) draw_number(s, order[i], in, prefix, figures);
out:
    smr_free(most);
    smr_free(gain);
    return st;
}
