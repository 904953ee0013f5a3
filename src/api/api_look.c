/* api_look.c -- what a fitted model holds: its arrays by name, importances, coefficients. */
#include "api/api_parts.h"
#include "core/sort.h"
#include "core/text.h"
#include "learn/model.h"
#include "learn/views.h"
#include "model/model_file.h"
#include "study/threshold.h"

smr_status smr_model_set_threshold(smr_ctx *ctx, smr_model *m, double threshold)
{
    smr_threshold_rule rule = {.kind = SMR_THRESHOLD_GIVEN, .value = threshold};
    bool proba = smr_model_gives(m) & 1u << SMR_OUTPUT_PROBA;
    smr_begin_call(ctx);
    smr_status st = smr_threshold_check(ctx, &rule, &m->target, proba);
    return st == SMR_OK ? smr_target_set_threshold(ctx, &m->target, threshold, "given") : st;
}

/* ---- arrays ----------------------------------------------------------------------------- */

struct smr_array_list {
    int64_t n;
    smr_file_tensor *tensors;
    int64_t *order;    /* by name */
    smr_array *arrays; /* in that order */
};

void smr_array_list_free(smr_array_list *list)
{
    if (!list) return;
    smr_model_tensors_free(list->tensors, list->n);
    smr_free(list->order);
    smr_free(list->arrays);
    smr_free(list);
}

static smr_array array_of(const smr_file_tensor *t)
{
    smr_array a = {.dtype = t->dtype, .rank = t->n_dims, .n = 1, .values = t->data};
    for (int k = 0; k < t->n_dims; k++) {
        a.shape[k] = t->shape[k];
        a.n *= t->shape[k];
    }
    return a;
}

static int by_name(const void *items, int64_t a, int64_t b)
{
    const smr_file_tensor *t = items;
    return strcmp(t[a].name, t[b].name);
}

smr_status smr_model_arrays(smr_ctx *ctx, const smr_model *m, smr_array_list **out)
{
    smr_status st = SMR_OK;
    smr_array_list *list = NULL;
    smr_begin_call(ctx);
    *out = NULL;
    TRY_NEW(list, 1);
    TRY(smr_model_tensors(ctx, m, &list->tensors, &list->n));
    TRY_NEW(list->order, list->n + 1);
    TRY_NEW(list->arrays, list->n + 1);
    TRY(smr_argsort(ctx, list->n, by_name, list->tensors, list->order));
    for (int64_t i = 0; i < list->n; i++)
        list->arrays[i] = array_of(&list->tensors[list->order[i]]);
    *out = list;
    list = NULL;
out:
    smr_array_list_free(list);
    return st;
}

int64_t smr_array_list_n(const smr_array_list *list)
{
    return list->n;
}

const char *smr_array_list_name(const smr_array_list *list, int64_t i)
{
    return i >= 0 && i < list->n ? list->tensors[list->order[i]].name : NULL;
}

const smr_array *smr_array_list_get(const smr_array_list *list, int64_t i)
{
    return i >= 0 && i < list->n ? &list->arrays[i] : NULL;
}

static smr_status no_array(smr_ctx *ctx, const smr_file_tensor *tensors, int64_t n,
                           const char *name)
{
    smr_status st = SMR_OK;
    const char **names = NULL;
    TRY_NEW(names, n + 1);
    for (int64_t k = 0; k < n; k++) names[k] = tensors[k].name;
    int64_t near = smr_nearest(name, names, n);
    st = near >= 0
             ? smr_fail(ctx, SMR_ERR_PARAM, "the model has no array '%.200s'; did you mean '%s'?",
                        name, names[near])
             : smr_fail(ctx, SMR_ERR_PARAM,
                        "the model has no array '%.200s'; smr_model_arrays lists them", name);
out:
    smr_free(names);
    return st;
}

smr_status smr_model_array(smr_ctx *ctx, const smr_model *m, const char *name, smr_array *out)
{
    smr_status st = SMR_OK;
    smr_file_tensor *tensors = NULL;
    int64_t n = 0, k = 0;
    smr_begin_call(ctx);
    *out = (smr_array){0};
    TRY(smr_model_tensors(ctx, m, &tensors, &n));
    while (k < n && strcmp(tensors[k].name, name) != 0) k++;
    if (k == n) TRY(no_array(ctx, tensors, n, name));
    *out = array_of(&tensors[k]);
out:
    smr_model_tensors_free(tensors, n);
    return st;
}

/* ---- features --------------------------------------------------------------------------- */

int64_t smr_model_n_features(const smr_model *m)
{
    return smr_model_last(m)->n_in;
}

const char *smr_model_feature_name(const smr_model *m, int64_t j)
{
    const smr_feature *in = m->n_stages > 1 ? m->stages[m->n_stages - 2].features : m->features;
    return j >= 0 && j < smr_model_n_features(m) && in ? in[j].name : NULL;
}

smr_status smr_model_importances(smr_ctx *ctx, const smr_model *m, const double **values)
{
    const char *name = smr_model_last(m)->learner->word->name;
    smr_begin_call(ctx);
    *values = smr_stage_importances(smr_model_last(m));
    if (*values) return SMR_OK;
    return smr_fail(ctx, SMR_ERR_UNSUPPORTED,
                    "this %s model has no importances: trees, forests and boosting do, and "
                    "smr_explain measures them for any model of classes or numbers",
                    name);
}

smr_status smr_model_coefficients(smr_ctx *ctx, const smr_model *m, smr_coefficients *out)
{
    const smr_stage *last = smr_model_last(m);
    smr_linear_view view = smr_stage_linear(last);
    smr_begin_call(ctx);
    *out = (smr_coefficients){0};
    if (!view.w || view.n_features != last->n_in)
        return smr_fail(ctx, SMR_ERR_UNSUPPORTED,
                        "this %s model is not linear in its features: it has no coefficients",
                        last->learner->word->name);
    *out = (smr_coefficients){.n_scores = view.n_scores,
                              .n_features = view.n_features,
                              .values = view.w,
                              .intercepts = view.b};
    return SMR_OK;
}
