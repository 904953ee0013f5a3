/* holdout.c -- see holdout.h. */
#include "study/holdout.h"

smr_status smr_set_split_make(smr_ctx *ctx, const smr_train_set *set, smr_set_split *out)
{
    smr_status st = SMR_OK;
    *out = (smr_set_split){
        .of = {.n = set->n_rows, .seed = ctx->seed, .n_classes = set->target.classes.n}};
    if (smr_train_set_has_strata(set)) {
        TRY_NEW(out->label, set->n_rows);
        for (int64_t i = 0; i < set->n_rows; i++)
            out->label[i] = set->label[smr_train_set_row(set, i)];
    }
    if (set->group) {
        TRY_NEW(out->group, set->n_rows);
        for (int64_t i = 0; i < set->n_rows; i++)
            out->group[i] = set->group[smr_train_set_row(set, i)];
    }
    out->of.label = out->label;
    out->of.group = out->group;
out:
    return st;
}

void smr_set_split_release(smr_set_split *split)
{
    smr_free(split->label);
    smr_free(split->group);
    *split = (smr_set_split){0};
}

void smr_set_split_rows(const smr_train_set *set, smr_parts *parts)
{
    for (int64_t i = 0; i < parts->n_rows; i++)
        parts->rows[i] = smr_train_set_row(set, parts->rows[i]);
}

smr_status smr_set_holdout(smr_ctx *ctx, const smr_train_set *set, const double *fractions,
                           int64_t n_fractions, smr_parts *out)
{
    smr_status st = SMR_OK;
    smr_set_split split = {0};
    TRY(smr_set_split_make(ctx, set, &split));
    TRY(smr_split_holdout(ctx, &split.of, fractions, n_fractions, out));
    smr_set_split_rows(set, out);
out:
    smr_set_split_release(&split);
    return st;
}
