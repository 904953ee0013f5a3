/* figure.c -- see figure.h. */
#include "core/figure.h"

#include <string.h>

smr_json *smr_figure_add(smr_json *figures, const char *name, const char *title, const char *note)
{
    smr_json *figure = smr_json_add_object(figures, NULL);
    smr_json_add_string(figure, "name", name);
    smr_json_add_string(figure, "title", title);
    if (note) smr_json_add_string(figure, "note", note);
    return figure;
}

smr_json *smr_figure_axis(smr_json *figure, const char *which, const char *label, const char *scale)
{
    smr_json *axis = smr_json_add_object(figure, which);
    smr_json_add_string(axis, "label", label);
    smr_json_add_string(axis, "scale", scale);
    return axis;
}

/* The member array of that name, made if it is not there yet. */
static smr_json *array_of(smr_json *figure, const char *key)
{
    for (smr_json *m = figure ? figure->first : NULL; m; m = m->next)
        if (strcmp(m->key, key) == 0) return m;
    return smr_json_add_array(figure, key);
}

smr_json *smr_figure_series(smr_json *figure, const char *name, const char *kind, int64_t n,
                            const double *x, const double *y)
{
    smr_json *series = smr_json_add_object(array_of(figure, "series"), NULL);
    smr_json_add_string(series, "name", name);
    smr_json_add_string(series, "kind", kind);
    if (x) {
        smr_json_add_numbers(series, "x", x, n);
    } else {
        smr_json *positions = smr_json_add_array(series, "x");
        for (int64_t i = 0; i < n; i++) smr_json_add_number(positions, NULL, (double)i);
    }
    if (y) smr_json_add_numbers(series, "y", y, n);
    return series;
}

void smr_figure_mark(smr_json *figure, const char *kind, double at, const char *label)
{
    smr_json *mark = smr_json_add_object(array_of(figure, "marks"), NULL);
    smr_json_add_string(mark, "kind", kind);
    smr_json_add_number(mark, "at", at);
    if (label) smr_json_add_string(mark, "label", label);
}

void smr_figure_shade(smr_json *figure, double from, double to, const char *label)
{
    smr_json *shade = smr_json_add_object(array_of(figure, "shades"), NULL);
    smr_json_add_number(shade, "from", from);
    smr_json_add_number(shade, "to", to);
    smr_json_add_string(shade, "label", label);
}

smr_json *smr_figure_tiles(smr_json *figures, const char *name, const char *title, const char *note,
                           double from, double to, bool is_signed)
{
    smr_json *figure = smr_figure_add(figures, name, title, note);
    if (from < to) {
        smr_json_add_number(figure, "from", from);
        smr_json_add_number(figure, "to", to);
    }
    if (is_signed) smr_json_add_bool(figure, "signed", true);
    smr_json_add_array(figure, "tiles");
    return figure;
}

smr_json *smr_figure_tile(smr_json *figure, const char *label, int64_t height, int64_t width,
                          int64_t channels)
{
    smr_json *tile = smr_json_add_object(array_of(figure, "tiles"), NULL);
    if (label) smr_json_add_string(tile, "label", label);
    smr_json_add_number(tile, "height", (double)height);
    smr_json_add_number(tile, "width", (double)width);
    smr_json_add_number(tile, "channels", (double)channels);
    return smr_json_add_array(tile, "value");
}
