/* bayes_rows.c -- rows drawn from naive Bayes: a class by its prior, and each column by its density
 * or its shares in that class.  Counts of words are known only for rows of a given length. */
#include "kernel/kernel.h"
#include "learn/bayes/bayes.h"
#include "math/distribution.h"

#include <math.h>

/* Of the cells of column j that some class has: one, by its share in class k. */
static double draw_level(const struct smr_bayes_state *s, int64_t j, int64_t k, double at)
{
    const struct smr_bayes_tables *t = s->tables;
    int64_t lo = s->start[j], last = 0;
    for (int64_t c = lo; c < s->start[j + 1]; c++) {
        double share = t->seen[c] ? smr_exp(t->cell[c * t->ld + k] - t->norm[j * t->ld + k]) : 0;
        if (share <= 0) continue;
        last = c - lo;
        if (at < share) break;
        at -= share;
    }
    return (double)last; /* or rounding left it */
}

static double draw_number(const struct smr_bayes_state *s, int64_t j, int64_t k, smr_draw *from)
{
    const struct smr_bayes_tables *t = s->tables;
    int64_t at = t->place[j] * t->ld + k;
    double z = smr_draw_normal(from);
    return t->scale[at] > 0 ? t->mean[at] + z / t->scale[at] : t->mean[at];
}

smr_status smr_bayes_draw_rows(smr_ctx *ctx, const void *params_, const void *state_,
                               const smr_drawing *of, double *x, int32_t *hidden)
{
    const struct smr_bayes_state *s = state_;
    smr_status st = SMR_OK;
    smr_draw from = {ctx->seed, SMR_STREAM_CLOUD, 0, 0};
    int64_t n = of->n_sequences * of->length;
    (void)params_;
    if (smr_bayes_counts(s))
        return smr_fail(ctx, SMR_ERR_PARAM,
                        "bayes: counts of words have probabilities once it is known how many words "
                        "a row has, which the model does not say: no rows can be drawn from it");
    for (int64_t i = 0; i < n; i++, x += of->n_in) {
        from.at = (uint64_t)i;
        from.used = 0;
        int64_t k = smr_class_prior_draw(s->n_classes, s->tables->base, smr_draw_unit(&from));
        hidden[i] = (int32_t)k;
        for (int64_t j = 0; j < s->n_features; j++)
            x[j] = s->kind[j] == SMR_BAYES_NUMBER ? draw_number(s, j, k, &from)
                                                  : draw_level(s, j, k, smr_draw_unit(&from));
        if (i % 4096 == 4095) TRY(smr_tick(ctx, NULL, i, n, NAN));
    }
out:
    return st;
}
