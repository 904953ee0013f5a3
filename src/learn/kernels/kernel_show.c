/* kernel_show.c -- what inspect tells about a fitted kernel, and what is asked before a large
 * one. */
#include "learn/kernels/kernel_show.h"

#include "core/figure.h"
#include "core/sort.h"

#include <math.h>
#include <stdio.h>

enum { MOST_DRAWN = 400 };

smr_status smr_kernel_show(smr_ctx *ctx, const smr_kernel *kernel, const smr_kernel_points *points,
                           smr_json *into)
{
    smr_status st = SMR_OK;
    smr_text text = {.ctx = ctx};
    smr_kernel_write(kernel, &text);
    TRY(smr_text_done(&text));
    smr_json_add_string(into, "kernel", text.bytes);
    smr_json_add_number(into, "points", (double)points->n);
    bool any = false;
    for (int64_t w = 0; w < points->n_words; w++) any = any || points->gamma[w] > 0;
    if (any) {
        smr_json *list = smr_json_add_array(into, "gamma");
        for (int64_t w = 0; w < points->n_words; w++)
            smr_json_add_number(list, NULL, points->gamma[w] > 0 ? points->gamma[w] : NAN);
    }
out:
    smr_text_release(&text);
    return st;
}

/* One line: of many rows as many as can be told apart, first and last among them. */
static void draw_series(const smr_kernel_ranks *r, int64_t c, double *room, smr_json *figure)
{
    double x[MOST_DRAWN], y[MOST_DRAWN], *size = room;
    char name[32];
    int64_t n = 0, shown;
    for (int64_t i = 0; i < r->n; i++)
        if (r->coef[c * r->n + i] != 0) size[n++] = fabs(r->coef[c * r->n + i]);
    size = smr_sort_f64(n, size, room + r->n);
    shown = SMR_MIN(n, MOST_DRAWN);
    for (int64_t k = 0; k < shown; k++) {
        int64_t at = shown > 1 ? k * (n - 1) / (shown - 1) : 0;
        x[k] = (double)at + 1;
        y[k] = size[n - 1 - at];
    }
    snprintf(name, sizeof name, "class %lld", (long long)(r->n_series == 1 ? 1 : c));
    smr_json *series = smr_figure_series(figure, r->by_class ? name : r->of,
                                         shown == 1 ? "points" : "line", shown, x, y);
    if (r->by_class) smr_json_add_number(series, "class", (double)(r->n_series == 1 ? 1 : c));
}

smr_status smr_kernel_draw_ranks(smr_ctx *ctx, const smr_kernel_ranks *r, const char *prefix,
                                 smr_json *figures, smr_json **figure)
{
    smr_status st = SMR_OK;
    double *room = NULL;
    char name[256];
    bool any = false;
    *figure = NULL;
    for (int64_t i = 0; i < r->n_series * r->n && !any; i++) any = r->coef[i] != 0;
    if (!any) return SMR_OK;
    TRY_NEW(room, 2 * r->n);
    snprintf(name, sizeof name, "%s%s", prefix, r->name);
    *figure = smr_figure_add(figures, name, r->title, r->note);
    smr_figure_axis(*figure, "x", "row, by size", "linear");
    smr_json *axis = smr_figure_axis(*figure, "y", r->of, "linear");
    smr_json_add_number(axis, "min", 0);
    for (int64_t c = 0; c < r->n_series; c++) draw_series(r, c, room, *figure);
out:
    smr_free(room);
    return st;
}

smr_status smr_kernel_fits(smr_ctx *ctx, const char *who, int64_t n, double bytes)
{
    char what[128];
    snprintf(what, sizeof what, "%s: the kernel matrix of %lld rows", who, (long long)n);
    return smr_memory_check(
        ctx, bytes, what, "use fewer rows, or approximate it: nystrom 500 before a linear learner");
}
