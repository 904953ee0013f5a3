/* bag_describe.c -- what bag learned, in numbers and as a picture. */
#include "core/figure.h"
#include "learn/ensemble/bag.h"
#include "learn/ensemble/gains.h"

#include <math.h>
#include <stdio.h>

static void add_known(smr_json *into, const char *key, double value)
{
    if (!isnan(value)) smr_json_add_number(into, key, value);
}

smr_status smr_bag_describe(smr_ctx *ctx, const void *params_, const void *state_,
                            const smr_feature *in, int64_t n_in, smr_json *into)
{
    enum { SHOWN = 20 };
    const struct smr_bag_params *p = params_;
    const struct smr_bag_state *s = state_;
    smr_json_add_number(into, "bags", (double)s->n_bags);
    smr_json_add_string(into, "combined_by", smr_combine_ways[s->way].name);
    smr_json_add_number(into, "rows_in_a_bag", s->held);
    smr_json_add_number(into, "rows_out_of_some_bag", s->oob_rows);
    add_known(into, s->n_classes ? "oob_error" : "oob_mse", s->oob_error);
    add_known(into, "oob_log_loss", s->oob_loss);
    add_known(into, "oob_r2", s->oob_r2);
    bool weighed = p->weigh == SMR_BAG_OOB;
    smr_json *list = weighed ? smr_json_add_array(into, "weights") : NULL;
    for (int64_t k = 0; weighed && k < SMR_MIN(s->n_bags, SHOWN); k++) {
        smr_json *row = smr_member_tell(list, &s->of, k);
        smr_json_add_number(row, "oob_error", s->bag_error[k]);
        smr_json_add_number(row, "weight", s->weight[k]);
    }
    return smr_members_describe_gain(ctx, &s->of, s->weight, in, n_in, into);
}

/* Out-of-bag error against the number of bags, and of each bag alone. */
static smr_status draw_error(smr_ctx *ctx, const struct smr_bag_state *s, const char *prefix,
                             smr_json *figures)
{
    smr_status st = SMR_OK;
    char name[256];
    double *x = NULL;
    if (isnan(s->oob_error)) return SMR_OK;
    TRY_NEW(x, s->n_bags);
    for (int64_t k = 0; k < s->n_bags; k++) x[k] = (double)(k + 1);
    snprintf(name, sizeof name, "%soob_error", prefix);
    smr_json *figure = smr_figure_add(figures, name, "Out-of-bag error by number of bags",
                                      "Each row is predicted by the bags that do not contain it.");
    smr_figure_axis(figure, "x", "bags", "linear");
    smr_figure_axis(figure, "y", s->n_classes ? "error" : "mean squared error", "linear");
    smr_figure_series(figure, "each bag alone", "points", s->n_bags, x, s->bag_error);
    smr_figure_series(figure, "the first bags together", "line", s->n_bags, x, s->curve);
out:
    smr_free(x);
    return st;
}

smr_status smr_bag_figures(smr_ctx *ctx, const void *params_, const void *state_,
                           const smr_feature *in, int64_t n_in, const char *prefix,
                           smr_json *figures)
{
    const struct smr_bag_state *s = state_;
    smr_status st = SMR_OK;
    (void)params_;
    TRY(draw_error(ctx, s, prefix, figures));
    TRY(smr_members_draw_gain(ctx, &s->of, s->weight, in, n_in, prefix, figures));
out:
    return st;
}
