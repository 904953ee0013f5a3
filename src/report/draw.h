/* draw.h -- figures (core/figure.h) drawn as SVG, and as the table beside the drawing. */
#ifndef SMR_REPORT_DRAW_H
#define SMR_REPORT_DRAW_H

#include "core/figure.h"

typedef struct smr_figure_opts {
    double width, height; /* in pixels of CSS; 0: 640 x 400                                    */
    bool inside;          /* part of a page: colours from the page's variables, no own style   */
} smr_figure_opts;

/* Appends the figure as one <svg> element; a whole file unless `inside`.  Fails with SMR_ERR_PARAM
 * for an object that is not a figure. */
smr_status smr_figure_svg(smr_ctx *ctx, const smr_json *figure, const smr_figure_opts *opts,
                          smr_text *out);
/* The same numbers as a table: one row for each x, one column for each series. */
smr_status smr_figure_table(smr_ctx *ctx, const smr_json *figure, smr_json *rows);

#endif
