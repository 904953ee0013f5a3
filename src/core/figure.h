/* figure.h -- figures as data.
 *
 * Code that computes a curve describes it as one JSON object; from it come the drawing
 * (report/draw.h), the table beside it, and what --json prints.
 *
 *     figure := {"name": "roc",               a word, unique among the figures of a result
 *                "title": ..., "note": ...,   a line above; a sentence below, may be absent
 *                "x": axis, "y": axis,
 *                "series": [series, ...],
 *                "marks":  [mark, ...],       may be absent
 *                "shades": [shade, ...]}      may be absent
 *     axis   := {"label": ..., "scale": "linear" | "log" | "names",
 *                "names": [...],              scale names: position 0, 1, 2 ... has the name
 *                "min": ..., "max": ...,      may be absent: from the data, rounded outward
 *                "equal": true}               one unit of x is as long as one of y
 *     series := {"name": ..., "kind": kind, "x": [...], "y": [...],
 *                "low": [...], "high": [...]} whiskers of points and bars, edges of a band: values
 *                                             on the y axis (hbars, hpoints: the x axis)
 *                "class": number              of the class it is about, whose name it then gets
 *     kind   := "line" | "step" | "points" | "band" | "bars" | "hbars" | "hpoints" | "cells" |
 *               "rings"                       circles around points of other series
 *                                             hbars, hpoints: y holds the positions (0, 1, 2 ...
 *                                             where it is absent) and x the values; hbars start at
 *                                             0, hpoints need not show it
 *     cells  := {"kind": "cells", "nx": ., "ny": ., "value": [row by row], "names": [...],
 *                "text": true}                a grid over the whole axes: numbers as shades of one
 *                                             colour, or (with names) the number of a class;
 *                                             text: the value is written in the cell
 *     mark   := {"kind": "vline" | "hline" | "diagonal", "at": ., "label": ...}
 *     shade  := {"from": ., "to": ., "label": ...}     a part of the x axis, such as "overfitting"
 *
 *     figure := {"name": ..., "title": ..., "note": ...,
 *                "tree": [node, ...],         in place of axes and series; the root first
 *                "classes": [...]}            what the bars are called; may be absent
 *     node   := {"parent": number,            of a node before it; absent for the root
 *                "edge": ...,                 the answer that leads to it
 *                "lines": [...],              what is written in its box
 *                "leaf": true, "rows": ., "share": .,     share of all rows: the edge's thickness
 *                "bars": [...],               shares of the classes; or
 *                "shade": .,                  -1 .. 1: how low or high its value is
 *                "more": .}                   nodes below it that are left out
 *
 *     figure := {"name": ..., "title": ..., "note": ...,
 *                "graph": [node, ...]}        boxes and arrows without a cycle, in place of axes
 *     node   := {"label": ...,
 *                "parents": [numbers of nodes],
 *                "levels": [...], "bars": [...],          names and shares; may be absent
 *                "given": true}               it is known; may be absent
 *
 *     figure := {"name": ..., "title": ..., "note": ...,
 *                "tiles": [tile, ...],        pictures side by side, in place of axes
 *                "from": ., "to": .,          the values that are black and white; may be absent:
 *                                             the least and the greatest of all tiles
 *                "signed": true}              0 is the paper, each sign has a colour
 *     tile   := {"label": ...,                may be absent
 *                "height": ., "width": .,
 *                "channels": 1 | 3,           3: red, green, blue
 *                "value": [row by row from the top, channels last]}
 *
 * null in an array is a gap: a line is broken there.  A y axis of names counts from the top, as
 * people read; the first row of cells lies at position 0, or at the axis' smallest value.  Series
 * of one name share a colour and a place in the legend: a line with its band. */
#ifndef SMR_CORE_FIGURE_H
#define SMR_CORE_FIGURE_H

#include "core/json.h"

/* Builders in the manner of json.h: they accept NULL, and smr_json_done tells whether all went
 * well.  `figures` is an array; axes start as linear. */
smr_json *smr_figure_add(smr_json *figures, const char *name, const char *title, const char *note);
/* which: "x" or "y".  Returns the axis, for min, max, names and equal. */
smr_json *smr_figure_axis(smr_json *figure, const char *which, const char *label,
                          const char *scale);
/* x NULL: 0, 1, 2 ...  Returns the series, for low and high (smr_json_add_numbers). */
smr_json *smr_figure_series(smr_json *figure, const char *name, const char *kind, int64_t n,
                            const double *x, const double *y);
/* label NULL: none. */
void smr_figure_mark(smr_json *figure, const char *kind, double at, const char *label);
void smr_figure_shade(smr_json *figure, double from, double to, const char *label);
/* A figure of tiles; from >= to: their own least and greatest value. */
smr_json *smr_figure_tiles(smr_json *figures, const char *name, const char *title, const char *note,
                           double from, double to, bool is_signed);
/* label NULL: none.  Returns the array "value", to which the caller adds its numbers. */
smr_json *smr_figure_tile(smr_json *figure, const char *label, int64_t height, int64_t width,
                          int64_t channels);

#endif
