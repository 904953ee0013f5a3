/* warm.c -- see warm.h. */
#include "learn/warm.h"

#include "core/text.h"
#include "learn/registry.h"
#include "learn/task.h"

#include <string.h>

/* ---- the learner ------------------------------------------------------------------------ */

static smr_status refuse_learner(smr_ctx *ctx, const smr_learner *last)
{
    smr_text names = {.ctx = ctx};
    int64_t n, count = 0;
    const smr_learner *const *all = smr_registry(&n);
    if (last->traits & SMR_WARM_STARTS)
        return smr_fail(ctx, SMR_ERR_PARAM,
                        "%s with these parameters cannot start from another model; with an "
                        "iterative solver it can",
                        last->word->name);
    for (int64_t k = 0; k < n; k++)
        if (all[k]->traits & SMR_WARM_STARTS)
            smr_text_printf(&names, "%s%s", count++ ? ", " : "", all[k]->word->name);
    smr_status st = smr_text_done(&names);
    if (st == SMR_OK)
        st = smr_fail(ctx, SMR_ERR_PARAM,
                      "%s cannot start from another model; learners that can: %s", last->word->name,
                      count ? names.bytes : "none");
    smr_text_release(&names);
    return st;
}

static smr_status check_learner(smr_ctx *ctx, const smr_model *old, const smr_step *last)
{
    const smr_learner *l = last->learner, *was = smr_model_last(old)->learner;
    if (!(smr_nature_of(l, last->params).traits & SMR_WARM_STARTS)) return refuse_learner(ctx, l);
    if (was == l) return SMR_OK;
    return smr_fail(ctx, SMR_ERR_PARAM,
                    "the model to start from ends in %s, and the sentence in %s: they must be the "
                    "same learner",
                    was->word->name, l->word->name);
}

/* ---- the target ------------------------------------------------------------------------- */

static smr_status check_classes(smr_ctx *ctx, const smr_target *old, const smr_target *now)
{
    smr_status st = SMR_OK;
    int32_t *place = NULL;
    int64_t length;
    TRY_NEW(place, SMR_MAX(old->classes.n, now->classes.n) + 1);
    TRY(smr_strings_places(ctx, &now->classes, &old->classes, place));
    for (int64_t k = 0; k < now->classes.n; k++) {
        const char *name = smr_strings_get(&now->classes, k, &length);
        if (place[k] < 0)
            TRY(smr_fail(ctx, SMR_ERR_DATA,
                         "the model to start from knows no class '%.*s' of '%s'; fit without it",
                         (int)SMR_MIN(length, 60), name, now->names[0]));
    }
    TRY(smr_strings_places(ctx, &old->classes, &now->classes, place));
    for (int64_t k = 0; k < old->classes.n; k++) {
        const char *name = smr_strings_get(&old->classes, k, &length);
        if (place[k] == k) continue;
        TRY(place[k] < 0
                ? smr_fail(ctx, SMR_ERR_DATA,
                           "class '%.*s' of the model to start from is not among those of '%s'; "
                           "name all classes (--classes), or fit without the model",
                           (int)SMR_MIN(length, 60), name, now->names[0])
                : smr_fail(ctx, SMR_ERR_DATA,
                           "class '%.*s' has another place in the model to start from; give the "
                           "target's levels the order that they have there",
                           (int)SMR_MIN(length, 60), name));
    }
out:
    smr_free(place);
    return st;
}

static smr_status check_target(smr_ctx *ctx, const smr_model *old, const smr_spec *spec,
                               const smr_target *now)
{
    const smr_target *was = &old->target;
    int how = smr_model_columns(old)->target, here = spec->head.columns.target;
    if (was->task != now->task)
        return smr_fail(ctx, SMR_ERR_DATA, "the model to start from %s, and this fit %s",
                        smr_task_of(was->task)->verb, smr_task_of(now->task)->verb);
    if (was->n != now->n)
        return smr_fail(ctx, SMR_ERR_DATA,
                        "the model to start from has %lld target%s, and this fit %lld",
                        (long long)was->n, smr_plural(was->n, "", "s"), (long long)now->n);
    if (now->n && now->task == SMR_TASK_REGRESS && how != here)
        return smr_fail(
            ctx, SMR_ERR_PARAM,
            "the model to start from was fitted with columns target=%s, and this fit is "
            "with target=%s: its numbers are in other units",
            smr_target_how(how), smr_target_how(here));
    return check_classes(ctx, was, now);
}

/* ---- the columns ------------------------------------------------------------------------ */

static const smr_input *find_input(const smr_schema *schema, const char *name)
{
    for (int64_t j = 0; j < schema->n_inputs; j++)
        if (strcmp(schema->inputs[j].name, name) == 0) return &schema->inputs[j];
    return NULL;
}

/* Sparse features are known by their places: there may be more of them, or fewer. */
static smr_status check_columns(smr_ctx *ctx, const smr_schema *old, const smr_schema *now)
{
    static const char *const kinds[] = {"numbers", "categories", "text", "dates"};
    for (int64_t j = 0; j < now->n_inputs; j++) {
        const smr_input *in = &now->inputs[j], *was = find_input(old, in->name);
        if (!was)
            return smr_fail(ctx, SMR_ERR_DATA,
                            "column '%s' is not among those of the model to start from; leave it "
                            "out with --ignore, or fit without the model",
                            in->name);
        if (was->kind != in->kind)
            return smr_fail(ctx, SMR_ERR_DATA,
                            "column '%s' held %s for the model to start from and holds %s here; "
                            "--type says how it is read",
                            in->name, kinds[was->kind], kinds[in->kind]);
    }
    for (int64_t j = 0; j < old->n_inputs; j++)
        if (!find_input(now, old->inputs[j].name))
            return smr_fail(ctx, SMR_ERR_DATA,
                            "column '%s' of the model to start from is not among the columns here",
                            old->inputs[j].name);
    return SMR_OK;
}

smr_status smr_warm_check(smr_ctx *ctx, const smr_model *old, const smr_spec *spec,
                          const smr_train_set *set)
{
    smr_status st = SMR_OK;
    TRY(check_learner(ctx, old, smr_spec_last(spec)));
    TRY(check_target(ctx, old, spec, &set->target));
    TRY(check_columns(ctx, &old->schema, &set->schema));
out:
    return st;
}

/* ---- the fit ---------------------------------------------------------------------------- */

smr_shape smr_warm_shape(const smr_model *old)
{
    smr_shape shape = smr_model_shape(old);
    shape.n_features = smr_model_last(old)->n_in;
    shape.features = old->n_stages > 1 ? old->stages[old->n_stages - 2].features : old->features;
    shape.learner = smr_model_last(old)->learner;
    memset(shape.item_shape, 0, sizeof shape.item_shape); /* no start depends on these yet */
    return shape;
}

smr_status smr_warm_taken(smr_ctx *ctx, const smr_model *m)
{
    if (m->fit.is_warm) return SMR_OK;
    return smr_fail(ctx, SMR_ERR_PARAM,
                    "%s took a solver for these rows that cannot use a model to start from; name "
                    "another in the sentence, or fit without the model",
                    smr_model_last(m)->learner->word->name);
}
