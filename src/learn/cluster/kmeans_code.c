/* kmeans_code.c -- see kmeans_code.h. */
#include "learn/cluster/kmeans_code.h"

#include "core/text.h"
#include "learn/model.h"

#include <string.h>

/* kmeans alone, and k is given apart. */
static smr_status read_sentence(smr_ctx *ctx, int64_t k, const char *settings, smr_spec **out)
{
    smr_status st = SMR_OK;
    smr_text text = {.ctx = ctx};
    *out = NULL;
    if (settings && strpbrk(settings, "|("))
        TRY(smr_fail(ctx, SMR_ERR_PARAM,
                     "settings are those of kmeans alone, such as starts=10, not '%.80s'",
                     settings));
    smr_text_printf(&text, "kmeans k=%lld %s", (long long)k, settings ? settings : "");
    TRY(smr_text_done(&text));
    TRY(smr_spec_parse(ctx, text.bytes, out));
out:
    smr_text_release(&text);
    return st;
}

smr_status smr_kmeans_code(smr_ctx *ctx, const smr_table *rows, const char *weight, int64_t k,
                           const char *settings, int32_t *label, smr_code_fit *fit)
{
    smr_status st = SMR_OK;
    smr_spec *spec = NULL;
    smr_train_set *set = NULL;
    smr_model *model = NULL;
    double *answer = NULL;
    smr_set_opts how = {.weight = weight, .keep_all = true};
    TRY(read_sentence(ctx, k, settings, &spec));
    TRY(smr_train_set_create(ctx, rows, spec, &how, &set));
    TRY(smr_fit(ctx, spec, set, NULL, 0, &model));
    TRY_NEW(answer, rows->n_rows);
    TRY(smr_model_apply(ctx, model, rows, NULL, rows->n_rows, SMR_OUTPUT_LABEL, answer));
    for (int64_t i = 0; i < rows->n_rows; i++) label[i] = (int32_t)answer[i];
    *fit = (smr_code_fit){.n_iter = model->fit.n_iter, .converged = model->fit.converged};
out:
    smr_free(answer);
    smr_model_free(model);
    smr_train_set_free(set);
    smr_spec_free(spec);
    return st;
}
