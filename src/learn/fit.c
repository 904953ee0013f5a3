/* fit.c -- fitting a sentence on rows of a table: see model.h.
 *
 * The schema turns the rows into data; the stages are fitted on these one after another
 * (stages.h). */
#include "core/text.h"
#include "learn/checkpoint.h"
#include "learn/model.h"
#include "learn/outliers.h"
#include "learn/ranges.h"
#include "learn/registry.h"
#include "learn/spec.h"
#include "learn/stages.h"
#include "learn/state.h"
#include "learn/target_map.h"
#include "learn/warm.h"
#include "transform/moments.h"

#include <math.h>
#include <string.h>

/* The training data and what they are made of. */
struct fitting {
    smr_model *model;
    smr_data data; /* what the columns become */
    smr_binding binding;
    const double *targets; /* of the rows: y, label, weight and group below, or the set's own */
    const int32_t *labels;
    const double *weights;
    const int64_t *groups;
    double *y;
    int32_t *label;
    double *weight;
    int64_t *group;
    int64_t *with;       /* the caller's rows and those without a label */
    smr_ordered ordered; /* the rows as they are read, where some column has a role */
    const int64_t *
        rows; /* the caller's, or those above; NULL when all rows of the table are used, in order */
};

/* ---- the training rows ------------------------------------------------------------------ */

static bool takes_all(const smr_train_set *set, const int64_t *rows, int64_t n)
{
    bool all = n == set->table->n_rows;
    for (int64_t i = 0; rows && all && i < n; i++) all = rows[i] == i;
    return all;
}

/* Targets, labels, weights and groups of the rows, in their order.  Those of all rows are the set's
 * own, except for targets that will be changed. */
static smr_status gather_targets(smr_ctx *ctx, struct fitting *f, const smr_train_set *set,
                                 const int64_t *rows, int64_t n)
{
    smr_status st = SMR_OK;
    int64_t t = set->target.n;
    bool all = takes_all(set, rows, n);
    bool changed = smr_model_columns(f->model)->target != SMR_TARGET_AS_IS;
    f->targets = set->y;
    f->labels = set->label;
    f->weights = set->weight;
    f->groups = set->group;
    if (set->y && (!all || changed)) {
        f->y = smr_alloc_raw(ctx, n * t, sizeof *f->y);
        if (!f->y) return SMR_ERR_NOMEM;
        for (int64_t i = 0; i < n; i++)
            memcpy(f->y + i * t, set->y + (all ? i : rows[i]) * t, (size_t)t * sizeof *f->y);
        f->targets = f->y;
    }
    if (all) return SMR_OK;
    f->rows = rows;
    if (set->label) {
        TRY_NEW(f->label, n);
        for (int64_t i = 0; i < n; i++) f->label[i] = set->label[rows[i]];
        f->labels = f->label;
    }
    if (set->weight) {
        TRY_NEW(f->weight, n);
        for (int64_t i = 0; i < n; i++) f->weight[i] = set->weight[rows[i]];
        f->weights = f->weight;
    }
    if (set->group) {
        TRY_NEW(f->group, n);
        for (int64_t i = 0; i < n; i++) f->group[i] = set->group[rows[i]];
        f->groups = f->group;
    }
out:
    return st;
}

/* y <- (y - mean) / sd, with weighted moments of the training rows; undone by predict. */
static smr_status standardize_targets(smr_ctx *ctx, struct fitting *f, int64_t n)
{
    smr_target *t = &f->model->target;
    smr_status st = SMR_OK;
    smr_feature *columns = NULL;
    double *weight = NULL;
    TRY_NEW(columns, t->n);
    TRY_NEW(weight, t->n);
    TRY_NEW(t->mean, t->n);
    TRY_NEW(t->sd, t->n);
    for (int64_t j = 0; j < t->n; j++)
        columns[j] = (smr_feature){.kind = SMR_NUMBER, .values = f->y + j, .stride = t->n};
    smr_data y = {.n_rows = n, .n_features = t->n, .features = columns, .weight = f->weights};
    TRY(smr_moments(ctx, &y, t->mean, t->sd, weight));
    for (int64_t j = 0; j < t->n; j++) {
        if (!(t->sd[j] > 0)) t->sd[j] = 1;
        for (int64_t i = 0; i < n; i++)
            f->y[i * t->n + j] = (f->y[i * t->n + j] - t->mean[j]) / t->sd[j];
    }
out:
    smr_free(weight);
    smr_free(columns);
    return st;
}

/* The caller's rows, and those without a label. */
static smr_status add_unlabelled(smr_ctx *ctx, struct fitting *f, const smr_train_set *set,
                                 const int64_t **rows, int64_t *n)
{
    smr_status st = SMR_OK;
    if (!set->n_unlabelled) return SMR_OK;
    TRY_NEW(f->with, *n + set->n_unlabelled);
    for (int64_t i = 0; i < *n; i++) f->with[i] = *rows ? (*rows)[i] : i;
    memcpy(f->with + *n, set->unlabelled, (size_t)set->n_unlabelled * sizeof *f->with);
    *rows = f->with;
    *n += set->n_unlabelled;
out:
    return st;
}

static void give_targets(const struct fitting *f, smr_data *d)
{
    const smr_target *t = &f->model->target;
    d->n_outputs = t->n;
    d->y = f->targets;
    d->label = f->labels;
    d->n_classes = t->classes.n;
    d->classes = d->n_classes ? &t->classes : NULL;
    for (int64_t i = 0; i < d->n_rows; i++) d->n_unlabelled += !smr_data_is_labelled(d, i);
}

static smr_status begin(smr_ctx *ctx, struct fitting *f, const smr_train_set *set,
                        const int64_t *rows, int64_t n)
{
    smr_model *m = f->model;
    smr_status st = SMR_OK;
    TRY(add_unlabelled(ctx, f, set, &rows, &n));
    if (smr_roles_any(set->schema.roles)) {
        TRY(smr_roles_order(ctx, set->schema.roles, set->table, rows, n, &f->ordered));
        rows = f->ordered.rows;
        n = f->ordered.n;
    }
    TRY(gather_targets(ctx, f, set, rows, n));
    TRY(smr_schema_copy(ctx, &set->schema, &m->schema));
    TRY(smr_ranges_learn(ctx, &m->schema, set->table, f->rows, n));
    TRY(smr_target_copy(ctx, &set->target, &m->target));
    m->seed = ctx->seed;
    m->n_rows = n;
    memcpy(m->data_hash, set->data_hash, sizeof m->data_hash);
    int how = smr_model_columns(m)->target;
    TRY(smr_target_map_check(ctx, how, &m->target));
    if (f->y && how == SMR_TARGET_STANDARDIZE) TRY(standardize_targets(ctx, f, n));
    if (smr_target_is_mapped(how))
        TRY(smr_target_map_fit(ctx, how, &m->target, n, f->y, f->weights, rows, &m->target_map));

    TRY(smr_schema_features(ctx, &m->schema, smr_model_columns(m), &m->features, &m->n_features));
    TRY(smr_schema_bind_as(ctx, &m->schema, smr_model_columns(m), set->table, m->features,
                           m->n_features, &f->binding));
    smr_data *d = &f->data;
    *d = f->binding.data;
    for (int64_t j = 0; j < m->schema.n_inputs; j++) {
        const smr_input *in = &m->schema.inputs[j];
        if (in->kind == SMR_TEXT) continue; /* a missing text is an empty one */
        d->gaps_in_numbers |= in->has_missing && in->kind != SMR_CATEGORY;
        d->gaps_in_categories |= in->has_missing && in->kind == SMR_CATEGORY;
    }
    d->n_rows = n;
    d->rows = f->rows;
    if (f->ordered.rows) smr_ordered_apply(&f->ordered, m->schema.roles, d);
    d->task = m->target.task;
    d->weight = f->weights;
    d->group = f->groups;
    if (!m->target.held) give_targets(f, d);
    bool again = d->task == SMR_TASK_OUTLIERS; /* their scores give the threshold */
    d->spend = set->spend && !f->rows && !again ? set->table : NULL;
out:
    return st;
}

/* Refused before anything is fitted. */
static smr_status check_left_out(smr_ctx *ctx, const smr_spec *spec)
{
    const smr_learner *last = smr_spec_last(spec)->learner;
    smr_text names = {.ctx = ctx};
    int64_t n, count = 0;
    const smr_learner *const *all = smr_registry(&n);
    if (smr_nature_of(last, smr_spec_last(spec)->params).traits & SMR_TELLS_LEFT_OUT) return SMR_OK;
    for (int64_t k = 0; k < n; k++)
        if (all[k]->traits & SMR_TELLS_LEFT_OUT)
            smr_text_printf(&names, "%s%s", count++ ? ", " : "", all[k]->word->name);
    smr_status st = smr_text_done(&names);
    if (st == SMR_OK)
        st = smr_fail(ctx, SMR_ERR_PARAM,
                      "out-of-bag predictions come from the parts of a model that were fitted "
                      "without the row, and %s has none; learners that do: %s; samara cv has such "
                      "predictions for any learner",
                      last->word->name, names.bytes);
    smr_text_release(&names);
    return st;
}

/* old: where the last stage begins, or NULL. */
static smr_status fit_stages(smr_ctx *ctx, const smr_spec *spec, const smr_model *old,
                             struct fitting *f)
{
    smr_status st = SMR_OK;
    smr_model *m = f->model;
    smr_shape shape = old ? smr_warm_shape(old) : (smr_shape){0};
    smr_warm_start warm = {.stage = old ? smr_model_last(old) : NULL, .shape = &shape};
    m->fit.warm = old ? &warm : NULL;
    st = smr_stages_fit(ctx, spec, m->features, &f->data, &m->fit, &m->stages, &m->n_stages);
    m->fit.warm = NULL; /* as the checkpoint */
    return st == SMR_OK && old ? smr_warm_taken(ctx, m) : st;
}

smr_status smr_fit(smr_ctx *ctx, const smr_spec *spec, const smr_train_set *set,
                   const int64_t *rows, int64_t n_rows, smr_model **out)
{
    smr_status st = SMR_OK;
    struct fitting *f = NULL;
    *out = NULL;
    TRY_NEW(f, 1);
    TRY_NEW(f->model, 1);
    TRY(smr_head_copy(ctx, &spec->head, &f->model->head));
    if (set->keep_left_out) TRY(check_left_out(ctx, spec));
    if (set->warm_start) TRY(smr_warm_check(ctx, set->warm_start, spec, set));
    f->model->fit.keep_left_out = set->keep_left_out;
    f->model->fit.tells = set->tells;
    if (!rows) {
        rows = set->usable;
        n_rows = set->n_rows;
    }
    TRY(begin(ctx, f, set, rows, n_rows));
    smr_model *m = f->model;
    if (set->checkpoint)
        TRY(smr_checkpoint_open(ctx, set->checkpoint, spec, &f->data, m->data_hash));
    m->fit.checkpoint = set->checkpoint;
    m->fit.trace = set->trace;
    TRY(fit_stages(ctx, spec, set->warm_start, f));
    if (m->target.task == SMR_TASK_OUTLIERS)
        TRY(smr_outlier_train(ctx, m, set->table, rows, n_rows, set->weight,
                              set->outlier_share > 0 ? set->outlier_share : SMR_OUTLIER_SHARE));
    m->fit.checkpoint = NULL; /* they need not live as long as the model */
    m->fit.trace = NULL;
    *out = f->model;
    f->model = NULL;
out:
    if (f) {
        smr_binding_release(&f->binding);
        smr_ordered_release(&f->ordered);
        smr_free(f->with);
        smr_free(f->y);
        smr_free(f->label);
        smr_free(f->weight);
        smr_free(f->group);
        smr_model_free(f->model);
    }
    smr_free(f);
    return st;
}

smr_status smr_model_link(smr_ctx *ctx, smr_model *m, int64_t length)
{
    smr_status st = SMR_OK;
    int64_t room = SMR_MODEL_ROOM + length;
    if (m->schema.n_sparse > room)
        return smr_fail(ctx, SMR_ERR_FORMAT,
                        "the model reads %lld sparse columns, and a file of this size has room for "
                        "%lld features",
                        (long long)m->schema.n_sparse, (long long)room);
    room -= m->schema.n_sparse;
    TRY(smr_schema_features(ctx, &m->schema, smr_model_columns(m), &m->features, &m->n_features));
    smr_shape shape = smr_model_shape(m);
    shape.room = &room;
    TRY(smr_stages_link(ctx, m->stages, m->n_stages, m->features, &shape));
    TRY(smr_target_map_link(ctx, m));
out:
    return st;
}

smr_status smr_model_check(smr_ctx *ctx, const smr_model *m)
{
    smr_shape shape = smr_model_shape(m);
    smr_status st = smr_stages_check(ctx, m->stages, m->n_stages, m->features, &shape);
    if (st == SMR_OK) st = smr_target_map_recheck(ctx, m);
    return st == SMR_ERR_FORMAT ? ctx->status = SMR_ERR_NUMERIC : st;
}

smr_shape smr_model_shape(const smr_model *m)
{
    const smr_target *t = &m->target;
    smr_shape shape = {.n_features = m->n_features,
                       .task = t->task,
                       .n_outputs = t->held ? 0 : t->n,
                       .n_classes = t->held ? 0 : t->classes.n};
    smr_schema_items(&m->schema, m->n_features, shape.item_shape);
    shape.n_users = m->schema.roles[SMR_ROLE_USER].levels.n;
    shape.n_items = m->schema.roles[SMR_ROLE_ITEM].levels.n;
    return shape;
}

void smr_model_free(smr_model *m)
{
    if (!m) return;
    smr_params_release(&smr_columns_word, &m->head.columns);
    smr_stages_free(m->stages, m->n_stages);
    smr_features_free(m->features, m->n_features);
    smr_schema_release(&m->schema);
    smr_target_release(&m->target);
    smr_target_map_free(m->target_map);
    smr_fit_report_release(&m->fit);
    smr_free(m->summary);
    smr_free(m);
}

const struct smr_columns_params *smr_model_columns(const smr_model *m)
{
    return &m->head.columns;
}

const smr_stage *smr_model_last(const smr_model *m)
{
    return &m->stages[m->n_stages - 1];
}
