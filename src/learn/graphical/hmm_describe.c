/* hmm_describe.c -- what a hidden Markov model learned, in numbers and pictures. */
#include "core/figure.h"
#include "core/try.h"
#include "kernel/kernel.h"
#include "learn/graphical/hmm.h"

#include <math.h>
#include <stdio.h>

enum {
    SHOWN_LEVELS = 8,
    SHOWN_WIDTH = 34,
    SHOWN_PAIRS = 6,
    SHOWN_STATES = 40,
    DRAWN_LEVELS = 60,
    POINTS = 201,
    DRAWN_STATES = 9
};

static void name_state(const struct smr_hmm_state *s, int64_t j, char *name, size_t room)
{
    smr_hmm_state_name(s->n_names ? &s->names : NULL, j, name, room);
}

static void name_level(const smr_feature *in, int64_t l, char *name, size_t room)
{
    int64_t length = 0;
    const char *text =
        in->levels && l < in->n_levels ? smr_strings_get(in->levels, l, &length) : "";
    snprintf(name, room, "%.*s", (int)SMR_MIN(length, (int64_t)room - 1), text);
}

/* The likeliest levels of a state in a column of symbols: "clean 0.5, shop 0.4". */
static void describe_symbols(smr_ctx *ctx, const struct smr_hmm_state *s, int64_t j, int64_t c,
                             const smr_feature *in, smr_json *row)
{
    smr_text text = {.ctx = ctx};
    const double *p = s->emit + j * s->n_levels + s->first[c];
    int64_t n = s->first[c + 1] - s->first[c], last = -1;
    int64_t shown = 0;
    for (; shown < SMR_MIN(n, SHOWN_LEVELS) && text.length < SHOWN_WIDTH; shown++) {
        int64_t best = -1; /* the likeliest after the one shown last, by (p descending, number) */
        for (int64_t l = 0; l < n; l++) {
            bool after = last < 0 || p[l] < p[last] || (l > last && p[l] == p[last]);
            if (after && (best < 0 || p[l] > p[best])) best = l;
        }
        char name[128];
        name_level(&in[s->symbol[c]], best, name, sizeof name);
        int64_t length = text.length;
        smr_text_printf(&text, "%s%s ", shown ? ", " : "", name);
        smr_text_rounded(&text, p[best], 3);
        last = best;
        if (shown == 0 || text.length <= SHOWN_WIDTH) continue;
        text.length = length; /* one more is too wide */
        break;
    }
    if (shown < n) smr_text_add(&text, ", ...");
    smr_json_add_string(row, in[s->symbol[c]].name, text.bytes ? text.bytes : "");
    smr_text_release(&text);
}

/* Mean and deviation of number k in state j, over its mixture. */
static void state_moments(const struct smr_hmm_state *s, int64_t j, int64_t k, double *mean,
                          double *deviation)
{
    int64_t d = s->n_numbers;
    double square = 0;
    *mean = 0;
    for (int64_t p = j * s->n_mix; p < (j + 1) * s->n_mix; p++)
        *mean += s->mix[p] * s->mean[p * d + k];
    for (int64_t p = j * s->n_mix; p < (j + 1) * s->n_mix; p++) {
        double off = s->mean[p * d + k] - *mean;
        double variance =
            s->n_spread == d ? s->spread[p * d + k] : s->spread[p * d * d + k * d + k];
        square += s->mix[p] * (variance + off * off);
    }
    *deviation = sqrt(square);
}

static void describe_numbers(const struct smr_hmm_state *s, int64_t j, const smr_feature *in,
                             smr_json *row)
{
    for (int64_t k = 0; k < s->n_numbers; k++) {
        double mean, deviation;
        state_moments(s, j, k, &mean, &deviation);
        char key[160];
        smr_json_add_number(row, in[s->number[k]].name, mean);
        snprintf(key, sizeof key, "sd of %s", in[s->number[k]].name);
        smr_json_add_number(row, key, deviation);
    }
}

/* Column by column, P(level | state): those of columns that have not too many. */
static void describe_levels(const struct smr_hmm_state *s, const smr_feature *in, smr_json *into)
{
    smr_json *list = NULL;
    char name[128];
    for (int64_t c = 0; c < s->n_symbols; c++) {
        const smr_feature *column = &in[s->symbol[c]];
        int64_t levels = s->first[c + 1] - s->first[c];
        if (levels > DRAWN_LEVELS) continue;
        if (!list) list = smr_json_add_array(into, "levels");
        for (int64_t l = 0; l < levels; l++) {
            smr_json *row = smr_json_add_object(list, NULL);
            smr_json_add_string(row, "column", column->name);
            name_level(column, l, name, sizeof name);
            smr_json_add_string(row, "level", name);
            for (int64_t j = 0; j < SMR_MIN(s->n_states, SHOWN_STATES); j++) {
                name_state(s, j, name, sizeof name);
                smr_json_add_number(row, name, s->emit[j * s->n_levels + s->first[c] + l]);
            }
        }
    }
}

/* Numbers k and l < k of part p: their covariance, or the variance of one. */
static double covariance_of(const struct smr_hmm_state *s, int64_t p, int64_t k, int64_t l)
{
    int64_t d = s->n_numbers;
    if (s->n_spread == d) return k == l ? s->spread[p * d + k] : 0;
    return s->spread[p * d * d + k * d + l];
}

/* The normal distributions one by one, where a state's mean and deviation do not say it all. */
static void describe_parts(const struct smr_hmm_state *s, const smr_feature *in, smr_json *into)
{
    int64_t d = s->n_numbers;
    bool full = s->n_spread > d;
    char key[320], name[128];
    if (d == 0 || (s->n_mix == 1 && !full)) return;
    smr_json *list = smr_json_add_array(into, "normals");
    for (int64_t p = 0; p < SMR_MIN(s->n_states, SHOWN_STATES) * s->n_mix; p++) {
        smr_json *row = smr_json_add_object(list, NULL);
        name_state(s, p / s->n_mix, name, sizeof name);
        smr_json_add_string(row, "state", name);
        smr_json_add_number(row, "weight", s->mix[p]);
        for (int64_t k = 0; k < d; k++) {
            const char *of = in[s->number[k]].name;
            smr_json_add_number(row, of, s->mean[p * d + k]);
            snprintf(key, sizeof key, "sd of %.150s", of);
            smr_json_add_number(row, key, sqrt(covariance_of(s, p, k, k)));
            for (int64_t l = 0; full && d <= SHOWN_PAIRS && l < k; l++) {
                snprintf(key, sizeof key, "cor(%.150s, %.150s)", in[s->number[l]].name, of);
                smr_json_add_number(row, key,
                                    covariance_of(s, p, k, l) / sqrt(covariance_of(s, p, k, k) *
                                                                     covariance_of(s, p, l, l)));
            }
        }
    }
}

smr_status smr_hmm_describe(smr_ctx *ctx, const void *params_, const void *state_,
                            const smr_feature *in, int64_t n_in, smr_json *into)
{
    const struct smr_hmm_state *s = state_;
    smr_status st = SMR_OK;
    int64_t n = s->n_states;
    bool *reached = NULL;
    char name[128];
    (void)params_, (void)n_in;
    TRY_NEW(reached, n);
    smr_hmm_reach(n, s->start, s->move, reached);
    smr_json_add_number(into, "states", (double)n);
    smr_json_add_number(into, "sequences", (double)s->n_sequences);
    smr_json_add_number(into, "steps", (double)s->n_steps);
    smr_json_add_number(into, "log_likelihood", s->log_likelihood);
    smr_json *list = smr_json_add_array(into, "emissions");
    for (int64_t j = 0; j < SMR_MIN(n, SHOWN_STATES); j++) {
        smr_json *row = smr_json_add_object(list, NULL);
        name_state(s, j, name, sizeof name);
        smr_json_add_string(row, "state", name);
        smr_json_add_number(row, "share", s->share[j]);
        if (!reached[j]) smr_json_add_bool(row, "reached", false);
        for (int64_t c = 0; c < s->n_symbols; c++) describe_symbols(ctx, s, j, c, in, row);
        describe_numbers(s, j, in, row);
    }
    list = smr_json_add_array(into, "moves");
    for (int64_t i = -1; i < SMR_MIN(n, SHOWN_STATES); i++) {
        smr_json *row = smr_json_add_object(list, NULL);
        if (i >= 0) name_state(s, i, name, sizeof name);
        smr_json_add_string(row, "from", i < 0 ? "start" : name);
        for (int64_t j = 0; j < SMR_MIN(n, SHOWN_STATES); j++) {
            name_state(s, j, name, sizeof name);
            smr_json_add_number(row, name, i < 0 ? s->start[j] : s->move[i * n + j]);
        }
    }
    describe_levels(s, in, into);
    describe_parts(s, in, into);
out:
    smr_free(reached);
    return st;
}

/* ---- pictures --------------------------------------------------------------------------- */

static smr_json *begin(const char *prefix, const char *word, const char *title, const char *note,
                       smr_json *figures)
{
    char name[256];
    snprintf(name, sizeof name, "%s%s", prefix, word);
    return smr_figure_add(figures, name, title, note);
}

static void draw_training(const struct smr_hmm_state *s, const char *prefix, smr_json *figures)
{
    smr_json *figure = begin(prefix, "likelihood", "Log-likelihood by iteration",
                             "With the penalty of smoothing; it never falls.", figures);
    smr_figure_axis(figure, "x", "iteration", "linear");
    smr_figure_axis(figure, "y", "log-likelihood", "linear");
    smr_figure_series(figure, "log-likelihood", "line", s->n_curve, NULL, s->curve);
}

/* Names of the states on an axis, and before them `first`, if there is one. */
static void name_axis(const struct smr_hmm_state *s, smr_json *axis, const char *first)
{
    smr_json *names = smr_json_add_array(axis, "names");
    char name[128];
    if (first) smr_json_add_string(names, NULL, first);
    for (int64_t j = 0; j < s->n_states; j++) {
        name_state(s, j, name, sizeof name);
        smr_json_add_string(names, NULL, name);
    }
}

static void add_cells(smr_json *figure, int64_t nx, int64_t ny, const double *value, bool text)
{
    smr_json *series = smr_json_add_object(smr_json_add_array(figure, "series"), NULL);
    smr_json_add_string(series, "name", "probability");
    smr_json_add_string(series, "kind", "cells");
    smr_json_add_number(series, "nx", (double)nx);
    smr_json_add_number(series, "ny", (double)ny);
    smr_json_add_numbers(series, "value", value, nx * ny);
    smr_json_add_bool(series, "text", text);
}

smr_status smr_hmm_draw_moves(smr_ctx *ctx, const struct smr_hmm_state *s, smr_json *figure)
{
    smr_status st = SMR_OK;
    int64_t n = s->n_states;
    double *value = NULL;
    TRY_NEW(value, n * (n + 1));
    for (int64_t j = 0; j < n; j++) value[j] = s->start[j];
    for (int64_t k = 0; k < n * n; k++) value[n + k] = s->move[k];
    name_axis(s, smr_figure_axis(figure, "x", "next state", "names"), NULL);
    name_axis(s, smr_figure_axis(figure, "y", "state", "names"), "start");
    add_cells(figure, n, n + 1, value, n <= 12);
out:
    smr_free(value);
    return st;
}

/* Column c of symbols: the levels that some state makes most, by columns of the picture. */
static smr_status draw_symbols(smr_ctx *ctx, const struct smr_hmm_state *s, int64_t c,
                               const smr_feature *in, const char *prefix, smr_json *figures)
{
    smr_status st = SMR_OK;
    int64_t n = s->first[c + 1] - s->first[c];
    double *value = NULL;
    char word[160], title[160], name[128];
    const smr_feature *column = &in[s->symbol[c]];
    if (n > DRAWN_LEVELS) return SMR_OK;
    TRY_NEW(value, n * s->n_states);
    for (int64_t j = 0; j < s->n_states; j++)
        for (int64_t l = 0; l < n; l++)
            value[j * n + l] = s->emit[j * s->n_levels + s->first[c] + l];
    snprintf(word, sizeof word, "emissions-%lld", (long long)c + 1);
    snprintf(title, sizeof title, "What each state shows of %s", column->name);
    smr_json *figure = begin(prefix, word, title, "Rows add up to 1.", figures);
    smr_json *names =
        smr_json_add_array(smr_figure_axis(figure, "x", column->name, "names"), "names");
    for (int64_t l = 0; l < n; l++) {
        name_level(column, l, name, sizeof name);
        smr_json_add_string(names, NULL, name);
    }
    name_axis(s, smr_figure_axis(figure, "y", "state", "names"), NULL);
    add_cells(figure, n, s->n_states, value, n <= 12);
out:
    smr_free(value);
    return st;
}

/* Densities of number k in each state. */
static void draw_number(const struct smr_hmm_state *s, int64_t k, const smr_feature *in,
                        const char *prefix, smr_json *figures)
{
    double x[POINTS], y[POINTS], low = INFINITY, high = -INFINITY;
    char word[160], title[160], name[128];
    int64_t d = s->n_numbers;
    for (int64_t j = 0; j < s->n_states; j++) {
        double mean, deviation;
        state_moments(s, j, k, &mean, &deviation);
        low = smr_fmin(low, mean - 3.5 * deviation);
        high = smr_fmax(high, mean + 3.5 * deviation);
    }
    snprintf(word, sizeof word, "density-%lld", (long long)k + 1);
    snprintf(title, sizeof title, "%s in each state", in[s->number[k]].name);
    smr_json *figure =
        begin(prefix, word, title, "Densities, times the state's share of steps.", figures);
    smr_figure_axis(figure, "x", in[s->number[k]].name, "linear");
    smr_figure_axis(figure, "y", "density", "linear");
    for (int64_t j = 0; j < SMR_MIN(s->n_states, DRAWN_STATES); j++) {
        for (int64_t i = 0; i < POINTS; i++) {
            x[i] = low + (high - low) * (double)i / (POINTS - 1);
            y[i] = 0;
            for (int64_t p = j * s->n_mix; p < (j + 1) * s->n_mix; p++) {
                double v =
                    s->n_spread == d ? s->spread[p * d + k] : s->spread[p * d * d + k * d + k];
                double off = x[i] - s->mean[p * d + k];
                y[i] += s->share[j] * s->mix[p] * 0.3989422804014327 / sqrt(v) *
                        smr_exp(-0.5 * off * off / v);
            }
        }
        char of[128];
        name_state(s, j, of, sizeof of);
        snprintf(name, sizeof name, "state %.100s", of);
        smr_figure_series(figure, name, "line", POINTS, x, y);
    }
}

smr_status smr_hmm_draw(smr_ctx *ctx, const void *params_, const void *state_,
                        const smr_feature *in, int64_t n_in, const char *prefix, smr_json *figures)
{
    const struct smr_hmm_state *s = state_;
    smr_status st = SMR_OK;
    (void)params_, (void)n_in;
    if (s->n_curve > 1) draw_training(s, prefix, figures);
    if (s->n_states <= SHOWN_STATES) {
        TRY(smr_hmm_draw_moves(ctx, s,
                               begin(prefix, "moves", "Which state follows which",
                                     "Rows add up to 1; the first row is how sequences begin.",
                                     figures)));
        for (int64_t c = 0; c < SMR_MIN(s->n_symbols, 6); c++)
            TRY(draw_symbols(ctx, s, c, in, prefix, figures));
    }
    for (int64_t k = 0; k < SMR_MIN(s->n_numbers, 6); k++) draw_number(s, k, in, prefix, figures);
out:
    return st;
}
