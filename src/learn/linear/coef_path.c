/* coef_path.c -- see coef_path.h. */
#include "learn/linear/coef_path.h"

#include "core/figure.h"
#include "learn/linear/affine.h"

#include <math.h>
#include <stdio.h>

enum { MOST_LINES = 12 };

/* The features whose coefficient is largest somewhere, largest first; *n of all that are ever
 * nonzero. */
static int64_t choose_lines(const smr_coef_path *p, const double *largest, int64_t line[MOST_LINES],
                            int64_t *n)
{
    int64_t lines = 0;
    *n = 0;
    for (int64_t j = 0; j < p->n_features; j++) {
        int64_t at = SMR_MIN(lines, MOST_LINES);
        if (!(largest[j] > 0)) continue;
        ++*n;
        while (at > 0 && largest[line[at - 1]] < largest[j]) at--;
        if (at == MOST_LINES) continue;
        lines = SMR_MIN(lines + 1, MOST_LINES);
        for (int64_t i = lines - 1; i > at; i--) line[i] = line[i - 1];
        line[at] = j;
    }
    return lines;
}

static void add_line(const smr_coef_path *p, int64_t j, const smr_feature *in, const double *x,
                     double *y, smr_json *figure)
{
    char buffer[32];
    double before = 0;
    for (int64_t c = 0; c < p->n_steps; c++) {
        double now = y[c] = p->coef(p->self, c, j);
        double after = c + 1 < p->n_steps ? p->coef(p->self, c + 1, j) : 0;
        if (before == 0 && now == 0 && after == 0) y[c] = NAN; /* a line ends where it meets 0 */
        before = now;
    }
    smr_figure_series(figure, smr_affine_name(in, j, buffer), "line", p->n_steps, x, y);
}

smr_status smr_coef_path_draw(smr_ctx *ctx, const smr_coef_path *p, const smr_feature *in,
                              const char *name, smr_json *figures)
{
    smr_status st = SMR_OK;
    double *largest = NULL, *x = NULL, *y = NULL;
    int64_t line[MOST_LINES], n = 0;
    char note[160] = "The penalty grows from left to right and pulls the coefficients towards 0.";
    TRY_NEW(largest, p->n_features + 1);
    TRY_NEW(x, p->n_steps);
    TRY_NEW(y, p->n_steps);
    for (int64_t c = 0; c < p->n_steps; c++) {
        x[c] = p->penalty[c] > 0 ? p->penalty[c] : NAN;
        for (int64_t j = 0; j < p->n_features; j++)
            largest[j] = smr_fmax(largest[j], fabs(p->coef(p->self, c, j)));
    }
    int64_t lines = choose_lines(p, largest, line, &n);
    if (n > lines)
        snprintf(note, sizeof note,
                 "From left to right the penalty grows, and coefficients go to 0. The %lld largest "
                 "of %lld are shown.",
                 (long long)lines, (long long)n);
    smr_json *figure = smr_figure_add(figures, name, "Coefficients against the penalty", note);
    smr_figure_axis(figure, "x", p->axis, "log");
    smr_figure_axis(figure, "y", "coefficient", "linear");
    for (int64_t i = 0; i < lines; i++) add_line(p, line[i], in, x, y, figure);
    smr_figure_mark(figure, "hline", 0, NULL);
    if (p->chosen > 0) smr_figure_mark(figure, "vline", p->chosen, "chosen");
out:
    smr_free(y);
    smr_free(x);
    smr_free(largest);
    return st;
}
