/* fitted.c -- see fitted.h. */
#include "study/fitted.h"

#include "learn/spec.h"

smr_status smr_fitted_sentence(smr_ctx *ctx, const smr_model *m, char **out)
{
    smr_text text = {.ctx = ctx};
    bool inserted = false;
    *out = NULL;
    for (int64_t s = 0; s < m->n_stages; s++) inserted |= m->stages[s].inserted;
    if (!inserted) return SMR_OK;
    smr_stages_write(m->head.written ? &m->head : NULL, m->stages, m->n_stages, &text);
    smr_status st = smr_text_done(&text);
    if (st == SMR_OK)
        *out = text.bytes;
    else
        smr_text_release(&text);
    return st;
}

smr_status smr_fitted_json(smr_ctx *ctx, const smr_model *m, smr_json *into)
{
    char *sentence = NULL;
    smr_status st = smr_fitted_sentence(ctx, m, &sentence);
    if (sentence) smr_json_add_string(into, "fitted", sentence);
    smr_free(sentence);
    return st;
}
