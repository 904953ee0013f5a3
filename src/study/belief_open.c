/* belief_open.c -- networks from files and from models. */
#include "data/file.h"
#include "study/belief.h"

#include <string.h>

smr_status smr_belief_of_model(smr_ctx *ctx, const smr_model *model, const char *path,
                               smr_network *out, bool *is_raw)
{
    int64_t n;
    const smr_stage *stages = smr_model_stages(model, &n);
    const smr_can_explain *can = n ? smr_explains(stages[n - 1].learner) : NULL;
    *out = (smr_network){0};
    if (!can || !can->network)
        return smr_fail(ctx, SMR_ERR_UNSUPPORTED,
                        "%s is a model that is no Bayesian network; bayesnet learns one",
                        path ? path : "this");
    const smr_feature *in = n > 1 ? stages[n - 2].features : model->features;
    if (is_raw) *is_raw = n == 1;
    return can->network(ctx, stages[n - 1].params, stages[n - 1].state, in, stages[n - 1].n_in,
                        model->target.n ? model->target.names[0] : NULL, &model->target.classes,
                        out);
}

/* Model files begin with the length of a JSON header, eight bytes, and '{'. */
static smr_status is_model_file(smr_ctx *ctx, const char *path, bool *is)
{
    smr_status st = SMR_OK;
    smr_source *file = NULL;
    char head[9];
    int64_t got = 1, n = 0;
    *is = false;
    if (strcmp(path, "-") == 0) return SMR_OK;
    TRY(smr_source_open(ctx, path, &file));
    for (; n < 9 && got > 0; n += got) TRY(smr_source_read(ctx, file, head + n, 9 - n, &got));
    *is = n == 9 && head[8] == '{' && memchr(head, '\0', 8) != NULL;
out:
    smr_source_close(file);
    return st;
}

smr_status smr_belief_open(smr_ctx *ctx, const char *path, smr_network *out, bool *is_raw)
{
    smr_status st = SMR_OK;
    smr_model *model = NULL;
    bool is_model;
    *out = (smr_network){0};
    if (is_raw) *is_raw = true;
    TRY(is_model_file(ctx, path, &is_model));
    if (!is_model) return smr_net_read(ctx, path, out);
    TRY(smr_model_load(ctx, path, &model));
    TRY(smr_belief_of_model(ctx, model, path, out, is_raw));
out:
    smr_model_free(model);
    return st;
}
