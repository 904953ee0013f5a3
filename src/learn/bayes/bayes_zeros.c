/* bayes_zeros.c -- says that with smoothing=0 there are shares of 0. */
#include "core/try.h"
#include "learn/bayes/bayes.h"
#include "learn/bayes/class_scatter.h"
#include "learn/linear/affine.h"
#include "learn/linear/scores.h"

#include <stdio.h>

/* The first of them. */
struct zeros {
    int64_t n, of, class, feature, cell;
};

static void look_at(const struct smr_bayes_state *s, int64_t k, int64_t j, struct zeros *z)
{
    for (int64_t c = s->start[j]; c < s->start[j + 1]; c++) {
        double all = 0;
        for (int64_t i = 0; i < s->n_classes; i++) all += s->count[i * s->n_cells + c];
        if (!(all > 0)) continue; /* no class has it: it is skipped */
        z->of++;
        if (s->count[k * s->n_cells + c] > 0) continue;
        if (z->n++ > 0) continue;
        z->class = k;
        z->feature = j;
        z->cell = c - s->start[j];
    }
}

smr_status smr_bayes_say_zeros(smr_ctx *ctx, const struct smr_bayes_params *p, const smr_data *data,
                               const struct smr_bayes_state *s)
{
    struct zeros z = {0};
    smr_status st = SMR_OK;
    smr_text text = {.ctx = ctx};
    char name[32], class[64];
    if (p->smoothing > 0 || p->model == SMR_BAYES_COMPLEMENT || s->n_cells == 0) return SMR_OK;
    for (int64_t k = 0; k < s->n_classes; k++)
        for (int64_t j = 0; j < s->n_features && s->weight[k] > 0; j++) look_at(s, k, j, &z);
    if (z.n == 0) return SMR_OK;
    const smr_feature *f = data->features ? &data->features[z.feature] : NULL;
    smr_class_name(data, z.class, class);
    smr_text_printf(&text, "'%s'", smr_affine_name(data->features, z.feature, name));
    if (s->kind[z.feature] == SMR_BAYES_BIT) smr_text_printf(&text, " = %d", (int)z.cell);
    if (s->kind[z.feature] == SMR_BAYES_LEVELS && f && f->levels) {
        int64_t length;
        const char *level = smr_strings_get(f->levels, z.cell, &length);
        smr_text_printf(&text, " = '%.*s'", (int)SMR_MIN(40, length), level);
    }
    TRY(smr_text_done(&text));
    smr_warn(ctx,
             "bayes: with smoothing=0, %lld of %lld shares are 0, such as that of %s in class %s: "
             "a row that has it is hardly of that class; smoothing=1 rules nothing out",
             (long long)z.n, (long long)z.of, text.bytes, class);
out:
    smr_text_release(&text);
    return st;
}
