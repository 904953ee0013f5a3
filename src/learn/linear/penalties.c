/* penalties.c -- see penalties.h. */
#include "learn/linear/penalties.h"

#include "core/figure.h"
#include "core/text.h"

#include <math.h>

int64_t smr_penalties_best(const smr_penalties *p)
{
    int64_t b = 0;
    for (int64_t c = 1; c < p->n; c++) {
        double e = p->error[c], f = p->error[b];
        bool better = isnan(f) ? !isnan(e) : e < f;
        if (better || (e == f && p->l2[c] > p->l2[b])) b = c;
    }
    return b;
}

smr_status smr_penalties_draw(smr_ctx *ctx, const smr_penalties *p, double chosen,
                              const char *prefix, smr_json *figures)
{
    smr_status st = SMR_OK;
    smr_text name = {.ctx = ctx};
    smr_text_printf(&name, "%sleave_one_out", prefix);
    TRY(smr_text_done(&name));
    smr_json *figure =
        smr_figure_add(figures, name.bytes, "Leave-one-out error against the penalty",
                       "Each row is predicted by a fit to all the others.");
    smr_figure_axis(figure, "x", "l2", "log");
    smr_figure_axis(figure, "y", "mean squared error", "linear");
    smr_figure_series(figure, "error", "line", p->n, p->l2, p->error);
    if (chosen > 0) smr_figure_mark(figure, "vline", chosen, "chosen");
out:
    smr_text_release(&name);
    return st;
}
