/* trace.c -- see trace.h. */
#include "learn/trace.h"

#include "core/text.h"
#include "kernel/kernel.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

smr_status smr_trace_create(smr_ctx *ctx, int64_t most, smr_trace **out)
{
    smr_status st = SMR_OK;
    smr_trace *t = NULL;
    TRY_NEW(t, 1);
    t->ctx = ctx;
    t->most = most;
    TRY(smr_json_create(ctx, &t->doc));
    t->steps = smr_json_add_array(smr_json_root(t->doc), "steps");
    t->figures = smr_json_add_array(smr_json_root(t->doc), "figures");
    *out = t;
    t = NULL;
out:
    smr_trace_free(t);
    return st;
}

void smr_trace_free(smr_trace *t)
{
    if (!t) return;
    smr_trace_close(t);
    smr_json_free(t->doc);
    smr_free(t);
}

/* ---- the rows --------------------------------------------------------------------------- */

static smr_trace_view view_of(const smr_data *data)
{
    if (data->task == SMR_TASK_CLASSIFY && data->n_features == 2) return SMR_TRACE_PLANE;
    if (data->task == SMR_TASK_REGRESS && data->n_features == 1 && data->n_outputs == 1)
        return SMR_TRACE_LINE;
    return SMR_TRACE_BARS;
}

static smr_status take_points(smr_ctx *ctx, smr_trace *t, const smr_data *data)
{
    smr_status st = SMR_OK;
    smr_reader *reader = NULL;
    smr_rows rows;
    int64_t step = (data->n_rows + SMR_TRACE_POINTS - 1) / SMR_TRACE_POINTS;
    TRY(smr_reader_open(ctx, data, SMR_FORM_F64, 1, &reader));
    for (int64_t i = 0; i < data->n_rows; i += step) {
        TRY(smr_reader_rows(ctx, reader, i, i + 1, &rows));
        const double *x = rows.x;
        t->row[t->n_points] = smr_trace_row(t, i);
        t->x[t->n_points] = x[0];
        t->y[t->n_points] = t->view == SMR_TRACE_PLANE ? x[1] : data->y[i];
        t->label[t->n_points++] = data->label ? data->label[i] : 0;
    }
out:
    smr_reader_close(reader);
    return st;
}

static void measure_axis(const double *v, int64_t n, double *low, double *high)
{
    *low = INFINITY;
    *high = -INFINITY;
    for (int64_t i = 0; i < n; i++) {
        if (!isfinite(v[i])) continue;
        *low = smr_fmin(*low, v[i]);
        *high = smr_fmax(*high, v[i]);
    }
    if (!(*low <= *high)) *low = *high = 0;
    double margin = *high > *low ? 0.08 * (*high - *low) : 1;
    *low -= margin;
    *high += margin;
}

smr_status smr_trace_open(smr_ctx *ctx, smr_trace *t, const smr_data *data)
{
    smr_status st = SMR_OK;
    smr_trace_close(t);
    t->view = view_of(data);
    t->n_features = data->n_features;
    t->features = data->features;
    t->n_classes = data->n_classes;
    t->classes = data->classes;
    if (data->rows) {
        TRY_NEW(t->rows, data->n_rows);
        memcpy(t->rows, data->rows, (size_t)data->n_rows * sizeof *t->rows);
    }
    if (t->view == SMR_TRACE_BARS || data->n_rows == 0) return SMR_OK;
    TRY_NEW(t->row, SMR_TRACE_POINTS + 1);
    TRY_NEW(t->x, SMR_TRACE_POINTS + 1);
    TRY_NEW(t->y, SMR_TRACE_POINTS + 1);
    TRY_NEW(t->label, SMR_TRACE_POINTS + 1);
    TRY(take_points(ctx, t, data));
    measure_axis(t->x, t->n_points, &t->low[0], &t->high[0]);
    measure_axis(t->y, t->n_points, &t->low[1], &t->high[1]);
out:
    return st;
}

void smr_trace_close(smr_trace *t)
{
    smr_free(t->rows);
    smr_free(t->row);
    smr_free(t->x);
    smr_free(t->y);
    smr_free(t->label);
    t->rows = t->row = NULL;
    t->x = t->y = NULL;
    t->label = NULL;
    t->n_points = 0;
    t->features = NULL;
    t->classes = NULL;
    t->now = NULL;
}

bool smr_trace_point(const smr_trace *t, int64_t row, double x[2])
{
    int64_t i = 0;
    while (i < t->n_points && t->row[i] != row) i++;
    if (i == t->n_points) return false;
    x[0] = t->x[i];
    x[1] = t->y[i];
    return true;
}

int64_t smr_trace_row(const smr_trace *t, int64_t i)
{
    return t->rows ? t->rows[i] : i;
}

/* ---- a step ----------------------------------------------------------------------------- */

static void begin_step(smr_trace *t, const char *format, va_list arguments)
{
    char what[400];
    vsnprintf(what, sizeof what, format, arguments);
    t->now = smr_json_add_object(t->steps, NULL);
    smr_json_add_number(t->now, "step", (double)t->n);
    smr_json_add_string(t->now, "what", what);
}

bool smr_trace_step(smr_trace *t, const char *format, ...)
{
    va_list arguments;
    if (!t) return false;
    t->now = NULL;
    if (t->n++ >= t->most) return false;
    va_start(arguments, format);
    begin_step(t, format, arguments);
    va_end(arguments);
    return true;
}

bool smr_trace_end(smr_trace *t, const char *format, ...)
{
    va_list arguments;
    if (!t) return false;
    t->n++;
    va_start(arguments, format);
    begin_step(t, format, arguments);
    va_end(arguments);
    return true;
}

void smr_trace_number(smr_trace *t, const char *key, double value)
{
    smr_json_add_number(t->now, key, value);
}

void smr_trace_text(smr_trace *t, const char *key, const char *format, ...)
{
    char text[400];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    smr_json_add_string(t->now, key, text);
}

void smr_trace_class(smr_trace *t, const char *key, int64_t label)
{
    int64_t n = 0;
    const char *name = t->classes && label >= 0 && label < t->classes->n
                           ? smr_strings_get(t->classes, label, &n)
                           : "";
    smr_json_add_bytes(t->now, key, name, n);
}

const char *smr_trace_feature(const smr_trace *t, int64_t j)
{
    const char *name = t->features && j < t->n_features ? t->features[j].name : NULL;
    return name ? name : "";
}

/* ---- pictures --------------------------------------------------------------------------- */

void smr_trace_class_name(const smr_trace *t, int64_t c, char *name, size_t room)
{
    int64_t n = 0;
    const char *text = t->classes && c < t->classes->n ? smr_strings_get(t->classes, c, &n) : "";
    snprintf(name, room, "%.*s", (int)SMR_MIN(n, (int64_t)room - 1), text);
}

static void add_axis(const smr_trace *t, smr_json *figure, int which)
{
    bool target = which == 1 && t->view == SMR_TRACE_LINE;
    smr_json *axis = smr_figure_axis(figure, which ? "y" : "x",
                                     target ? "target" : smr_trace_feature(t, which), "linear");
    smr_json_add_number(axis, "min", t->low[which]);
    smr_json_add_number(axis, "max", t->high[which]);
}

static void add_points(smr_trace *t, smr_json *figure)
{
    double x[SMR_TRACE_POINTS], y[SMR_TRACE_POINTS];
    int64_t classes = t->view == SMR_TRACE_PLANE ? t->n_classes : 1;
    for (int64_t c = 0; c < classes; c++) {
        char name[64] = "rows";
        int64_t n = 0;
        for (int64_t i = 0; i < t->n_points; i++) {
            if (t->view == SMR_TRACE_PLANE && t->label[i] != c) continue;
            x[n] = t->x[i];
            y[n++] = t->y[i];
        }
        if (t->view == SMR_TRACE_PLANE) smr_trace_class_name(t, c, name, sizeof name);
        smr_json *series = smr_figure_series(figure, name, "points", n, x, y);
        if (t->view == SMR_TRACE_PLANE) smr_json_add_number(series, "class", (double)c);
    }
}

smr_json *smr_trace_figure(smr_trace *t, const char *name, const char *title, bool points)
{
    char full[80];
    snprintf(full, sizeof full, "step-%lld-%s", (long long)t->n, name);
    smr_json *figure = smr_figure_add(t->figures, full, title, NULL);
    if (points && t->view != SMR_TRACE_BARS) {
        add_axis(t, figure, 0);
        add_axis(t, figure, 1);
        add_points(t, figure);
    }
    return figure;
}

smr_json *smr_trace_last(smr_trace *t)
{
    return t->figures ? t->figures->last : NULL;
}

/* The part of w0 x + w1 y + b = 0 within the axes; false: there is none. */
static bool cut(const smr_trace *t, double w0, double w1, double b, double x[2], double y[2])
{
    int n = 0;
    double corner[4][2];
    for (int side = 0; side < 2; side++) {
        double at = side ? t->high[0] : t->low[0], other = -(b + w0 * at) / w1;
        if (w1 != 0 && other >= t->low[1] && other <= t->high[1])
            corner[n][0] = at, corner[n++][1] = other;
        at = side ? t->high[1] : t->low[1];
        other = -(b + w1 * at) / w0;
        if (w0 != 0 && other > t->low[0] && other < t->high[0])
            corner[n][0] = other, corner[n++][1] = at;
    }
    for (int k = 0; k < 2 && n >= 2; k++) {
        x[k] = corner[k][0];
        y[k] = corner[k][1];
    }
    return n >= 2;
}

/* Where the scores of two classes are equal: one score, or the difference of two. */
static void draw_borders(smr_trace *t, smr_json *figure, int64_t q, const double *w,
                         const double *b)
{
    double x[2], y[2];
    char name[140], first[64], second[64];
    for (int64_t i = 0; i < SMR_MAX(1, q); i++)
        for (int64_t j = i + 1; j < SMR_MAX(2, q); j++) {
            bool two = q > 1;
            double w0 = w[2 * i] - (two ? w[2 * j] : 0),
                   w1 = w[2 * i + 1] - (two ? w[2 * j + 1] : 0);
            if (!cut(t, w0, w1, b[i] - (two ? b[j] : 0), x, y)) continue;
            smr_trace_class_name(t, i, first, sizeof first);
            smr_trace_class_name(t, j, second, sizeof second);
            snprintf(name, sizeof name, two ? "%s or %s" : "border", first, second);
            smr_figure_series(figure, name, "line", 2, x, y);
        }
}

static void draw_bars(smr_trace *t, int64_t q, const double *w)
{
    int64_t d = SMR_MIN(t->n_features, SMR_TRACE_NAMES);
    smr_json *figure = smr_trace_figure(t, "weights", "Weights after this step", false);
    smr_figure_axis(figure, "x", "weight", "linear");
    smr_json *names = smr_json_add_array(smr_figure_axis(figure, "y", "feature", "names"), "names");
    for (int64_t j = 0; j < d; j++) smr_json_add_string(names, NULL, smr_trace_feature(t, j));
    for (int64_t k = 0; k < q; k++) {
        char name[64] = "weight";
        if (q > 1) smr_trace_class_name(t, k, name, sizeof name);
        double at[SMR_TRACE_NAMES];
        for (int64_t j = 0; j < d; j++)
            at[j] = (double)j + (q > 1 ? 0.8 * ((double)k + 0.5) / (double)q - 0.4 : 0);
        smr_figure_series(figure, name, "hbars", d, w + k * t->n_features, at);
    }
}

void smr_trace_linear(smr_trace *t, int64_t q, const double *w, const double *b)
{
    int64_t d = t->n_features, shown = 0;
    for (int64_t k = 0; k < q; k++) {
        char key[200], class[64] = "";
        if (q > 1) smr_trace_class_name(t, k, class, sizeof class);
        const char *of = q > 1 ? ", " : "";
        for (int64_t j = 0; j < d && shown < SMR_TRACE_NAMES; j++, shown++) {
            snprintf(key, sizeof key, "w(%.100s%s%s)", smr_trace_feature(t, j), of, class);
            smr_trace_number(t, key, w[k * d + j]);
        }
        snprintf(key, sizeof key, q > 1 ? "b(%s)" : "b", class);
        if (shown <= SMR_TRACE_NAMES) smr_trace_number(t, key, b[k]);
    }
    if (t->view == SMR_TRACE_BARS) {
        draw_bars(t, q, w);
    } else {
        smr_json *figure =
            smr_trace_figure(t, "line", "The rows and the model after this step", true);
        if (t->view == SMR_TRACE_PLANE) {
            draw_borders(t, figure, q, w, b);
        } else {
            double x[2] = {t->low[0], t->high[0]};
            double y[2] = {b[0] + w[0] * x[0], b[0] + w[0] * x[1]};
            smr_figure_series(figure, "prediction", "line", 2, x, y);
        }
    }
}
