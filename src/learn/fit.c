/* fit.c -- fitting a sentence, stage by stage: see model.h.
 *
 * Each stage is fitted on the output of those before it, which is computed a block at a time while
 * the stage reads it: no transformed copy of the data exists.  Before a stage that cannot take
 * missing numbers stands an imputation, before one that cannot take categories a one-hot coding;
 * both are inserted where the sentence has none, and only where the training data need them. */
#include "learn/chain.h"
#include "learn/model.h"
#include "learn/params.h"
#include "learn/registry.h"
#include "learn/spec.h"
#include "learn/state.h"
#include "transform/moments.h"

#include <math.h>
#include <string.h>

enum { MAX_STAGES = 200 };

/* The training data at one stage, and the targets they share. */
struct fitting {
    smr_model *model;
    smr_data data[MAX_STAGES]; /* what stage s reads */
    smr_binding binding;
    const double *targets; /* of the rows: y, label and weight below, or the set's own */
    const int32_t *labels;
    const double *weights;
    double *y;
    int32_t *label;
    double *weight;
    int64_t *rows;          /* NULL when all rows of the table are used, in order */
    const smr_table *spend; /* see smr_set_opts; else NULL */
    bool gaps_in_numbers, gaps_in_categories;
};

/* ---- the training rows ------------------------------------------------------------------ */

static bool takes_all(const smr_train_set *set, const int64_t *rows, int64_t n)
{
    bool all = n == set->table->n_rows;
    for (int64_t i = 0; rows && all && i < n; i++) all = rows[i] == i;
    return all;
}

/* Targets, labels and weights of the rows, in their order.  Those of all rows are the set's own,
 * but for targets that will be changed. */
static smr_status gather_targets(smr_ctx *ctx, struct fitting *f, const smr_train_set *set,
                                 const int64_t *rows, int64_t n)
{
    smr_status st = SMR_OK;
    int64_t t = set->target.n;
    bool all = takes_all(set, rows, n);
    bool changed = smr_model_columns(f->model)->target == SMR_TARGET_STANDARDIZE;
    f->targets = set->y;
    f->labels = set->label;
    f->weights = set->weight;
    if (set->y && (!all || changed)) {
        f->y = smr_alloc_raw(ctx, n * t, sizeof *f->y);
        if (!f->y) return SMR_ERR_NOMEM;
        for (int64_t i = 0; i < n; i++)
            memcpy(f->y + i * t, set->y + (all ? i : rows[i]) * t, (size_t)t * sizeof *f->y);
        f->targets = f->y;
    }
    if (all) return SMR_OK;
    TRY_NEW(f->rows, n);
    memcpy(f->rows, rows, (size_t)n * sizeof *rows);
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

static smr_status begin(smr_ctx *ctx, struct fitting *f, const smr_train_set *set,
                        const int64_t *rows, int64_t n)
{
    smr_model *m = f->model;
    smr_status st = SMR_OK;
    TRY(gather_targets(ctx, f, set, rows, n));
    TRY(smr_schema_copy(ctx, &set->schema, &m->schema));
    TRY(smr_target_copy(ctx, &set->target, &m->target));
    m->seed = ctx->seed;
    m->n_rows = n;
    memcpy(m->data_hash, set->data_hash, sizeof m->data_hash);
    if (f->y && smr_model_columns(m)->target == SMR_TARGET_STANDARDIZE)
        TRY(standardize_targets(ctx, f, n));

    TRY(smr_schema_features(ctx, &m->schema, smr_model_columns(m), &m->features, &m->n_features));
    TRY(smr_schema_bind(ctx, &m->schema, smr_model_columns(m), set->table, &f->binding));
    for (int64_t j = 0; j < m->schema.n_inputs; j++) {
        const smr_input *in = &m->schema.inputs[j];
        f->gaps_in_numbers |= in->has_missing && in->kind != SMR_CATEGORY;
        f->gaps_in_categories |= in->has_missing && in->kind == SMR_CATEGORY;
    }
    smr_data *d = &f->data[1];
    *d = f->binding.data;
    d->n_rows = n;
    d->rows = f->rows;
    d->task = m->target.task;
    d->n_outputs = m->target.n;
    d->y = f->targets;
    d->label = f->labels;
    d->n_classes = m->target.classes.n;
    d->weight = f->weights;
out:
    return st;
}

/* ---- adapters --------------------------------------------------------------------------- */

static smr_status insert_stage(smr_ctx *ctx, smr_model *m, int64_t at, const char *name)
{
    smr_status st = SMR_OK;
    smr_stage stage = {.inserted = true};
    if (m->n_stages + 1 >= MAX_STAGES)
        return smr_fail(ctx, SMR_ERR_PARAM, "the model has too many stages");
    TRY(smr_registry_get(ctx, name, &stage.learner));
    TRY(smr_params_create(ctx, stage.learner, &stage.params));
    memmove(m->stages + at + 1, m->stages + at, (size_t)(m->n_stages - at) * sizeof *m->stages);
    m->stages[at] = stage;
    m->n_stages++;
out:
    return st;
}

static bool has_categories(const smr_data *data)
{
    for (int64_t j = 0; data->features && !data->sparse && j < data->n_features; j++)
        if (data->features[j].kind == SMR_CATEGORY) return true;
    return false;
}

/* Which adapter must stand before stage s, or NULL. */
static const char *adapter_for(const struct fitting *f, int64_t s)
{
    unsigned takes = f->model->stages[s].learner->takes;
    bool gaps = f->gaps_in_numbers || (f->gaps_in_categories && (takes & SMR_TAKES_CODES));
    if (gaps && !(takes & SMR_TAKES_MISSING)) return "impute";
    if (has_categories(&f->data[s]) && !(takes & SMR_TAKES_CODES)) return "onehot";
    return NULL;
}

static smr_status set_word(smr_ctx *ctx, smr_stage *stage, const char *name, const char *value)
{
    const smr_param *p = smr_param_find(stage->learner, name);
    return smr_param_set(ctx, stage->learner, stage->params, p, value);
}

static smr_status insert_adapters(smr_ctx *ctx, struct fitting *f, int64_t s)
{
    smr_model *m = f->model;
    const char *name = adapter_for(f, s);
    smr_status st = SMR_OK;
    if (!name) return SMR_OK;
    TRY(insert_stage(ctx, m, s, name));
    unsigned takes = m->stages[s + 1].learner->takes;
    if (strcmp(name, "impute") == 0 && f->gaps_in_categories && (takes & SMR_TAKES_CODES))
        TRY(set_word(ctx, &m->stages[s], "category", "frequent"));
    if (strcmp(name, "onehot") == 0 && (takes & SMR_WANTS_CONTRASTS))
        TRY(set_word(ctx, &m->stages[s], "drop", "first"));
out:
    return st;
}

/* ---- stages ----------------------------------------------------------------------------- */

static smr_status check_takes(smr_ctx *ctx, const smr_stage *stage, const smr_data *data)
{
    const smr_learner *l = stage->learner;
    bool learns = !(l->gives & SMR_GIVES_TRANSFORM);
    if (learns && data->n_outputs > 1 && !(l->takes & SMR_TAKES_MANY_TARGETS))
        return smr_fail(ctx, SMR_ERR_UNSUPPORTED,
                        "%s predicts one target at a time; %lld were named", l->name,
                        (long long)data->n_outputs);
    if (data->weight && !(l->takes & SMR_TAKES_WEIGHTS))
        return smr_fail(ctx, SMR_ERR_UNSUPPORTED, "%s does not take row weights", l->name);
    if (data->n_features == 0)
        return smr_fail(ctx, SMR_ERR_DATA, "no features are left for %s", l->name);
    return SMR_OK;
}

static smr_status link_stage(smr_ctx *ctx, smr_stage *stage, const smr_feature *in, int64_t n_in)
{
    const smr_learner *l = stage->learner;
    smr_status st = SMR_OK;
    stage->n_in = n_in;
    if (!(l->gives & SMR_GIVES_TRANSFORM)) return SMR_OK;
    int64_t n_out = l->n_out ? l->n_out(stage->params, stage->state, n_in) : n_in;
    TRY_NEW(stage->features, n_out + 1);
    stage->n_out = n_out;
    if (l->outputs) {
        TRY(l->outputs(ctx, stage->params, stage->state, in, n_in, stage->features, n_out));
    } else {
        for (int64_t j = 0; j < n_out; j++) {
            stage->features[j].kind = SMR_NUMBER;
            stage->features[j].name = smr_strdup(ctx, in[j].name);
            if (!stage->features[j].name) return SMR_ERR_NOMEM;
        }
    }
    for (int64_t j = 0; j < n_out; j++) stage->features[j].stride = 1;
out:
    return st;
}

static const smr_feature *inputs_of(const smr_model *m, int64_t s, int64_t *n)
{
    *n = s == 1 ? m->n_features : m->stages[s - 1].n_out;
    return s == 1 ? m->features : m->stages[s - 1].features;
}

static smr_status fit_stage(smr_ctx *ctx, struct fitting *f, int64_t s)
{
    smr_model *m = f->model;
    smr_stage *stage = &m->stages[s];
    const smr_learner *l = stage->learner;
    smr_status st = SMR_OK;
    int64_t n_in;
    const smr_feature *in = inputs_of(m, s, &n_in);

    if (!l->fit)
        return smr_fail(ctx, SMR_ERR_UNSUPPORTED, "%s cannot be fitted by this build", l->name);
    TRY(check_takes(ctx, stage, &f->data[s]));
    TRY(smr_state_create(ctx, l, &stage->state));
    m->fit = (smr_fit_report){.objective = NAN, .converged = true};
    bool keeps = l->keeps_data && s + 1 == m->n_stages; /* nobody reads the rows after it */
    f->data[s].spend = keeps && !f->rows ? f->spend : NULL;
    TRY(l->fit(ctx, stage->params, &f->data[s], stage->state, &m->fit));
    if (l->prepare) TRY(l->prepare(ctx, stage->params, stage->state));
    TRY(link_stage(ctx, stage, in, n_in));
    if (s + 1 < m->n_stages) smr_chain(&f->data[s], stage, &f->data[s + 1]);
    if (strcmp(l->name, "impute") == 0) f->gaps_in_numbers = false;
    if (!has_categories(&f->data[s + 1])) f->gaps_in_categories = false;
out:
    if (st != SMR_OK && st != SMR_ERR_CANCELLED && m->n_stages > 2 &&
        !strstr(ctx->message, "(while"))
        smr_while(ctx, "fitting stage %lld, %s", (long long)s, l->name);
    return st;
}

static smr_status read_sentence(smr_ctx *ctx, const char *sentence, smr_model *m)
{
    smr_status st = SMR_OK;
    smr_stage *given = NULL;
    int64_t n = 0;
    TRY(smr_spec_parse(ctx, sentence, &given, &n));
    TRY_NEW(m->stages, MAX_STAGES);
    memcpy(m->stages, given, (size_t)n * sizeof *given);
    m->n_stages = n;
    smr_free(given); /* the stages moved */
    given = NULL;
    if (strcmp(m->stages[0].learner->name, "columns") != 0) TRY(insert_stage(ctx, m, 0, "columns"));
out:
    smr_stages_free(given, n);
    return st;
}

smr_status smr_fit(smr_ctx *ctx, const char *sentence, const smr_train_set *set,
                   const int64_t *rows, int64_t n_rows, smr_model **out)
{
    smr_status st = SMR_OK;
    struct fitting *f = NULL;
    *out = NULL;
    TRY_NEW(f, 1);
    TRY_NEW(f->model, 1);
    TRY(read_sentence(ctx, sentence, f->model));
    if (!rows) {
        rows = set->usable;
        n_rows = set->n_rows;
    }
    f->spend = set->spend ? set->table : NULL;
    TRY(begin(ctx, f, set, rows, n_rows));
    for (int64_t s = 1; s < f->model->n_stages; s++) {
        TRY(insert_adapters(ctx, f, s)); /* stage s is then the adapter; s + 1 is asked again */
        TRY(fit_stage(ctx, f, s));
    }
    *out = f->model;
    f->model = NULL;
out:
    if (f) {
        smr_binding_release(&f->binding);
        smr_free(f->y);
        smr_free(f->label);
        smr_free(f->weight);
        smr_free(f->rows);
        smr_model_free(f->model);
    }
    smr_free(f);
    return st;
}

smr_status smr_model_link(smr_ctx *ctx, smr_model *m)
{
    smr_status st = SMR_OK;
    TRY(smr_schema_features(ctx, &m->schema, smr_model_columns(m), &m->features, &m->n_features));
    for (int64_t s = 1; s < m->n_stages; s++) {
        smr_stage *stage = &m->stages[s];
        const smr_learner *l = stage->learner;
        int64_t n_in;
        const smr_feature *in = inputs_of(m, s, &n_in);
        smr_shape shape = {.n_features = n_in,
                           .task = m->target.task,
                           .n_outputs = m->target.n,
                           .n_classes = m->target.classes.n};
        if (l->check) TRY(l->check(ctx, stage->params, stage->state, &shape));
        if (l->prepare) TRY(l->prepare(ctx, stage->params, stage->state));
        TRY(link_stage(ctx, stage, in, n_in));
    }
out:
    return st;
}

void smr_model_free(smr_model *m)
{
    if (!m) return;
    smr_stages_free(m->stages, m->n_stages);
    smr_features_free(m->features, m->n_features);
    smr_schema_release(&m->schema);
    smr_target_release(&m->target);
    smr_free(m->summary);
    smr_free(m);
}

const struct smr_columns_params *smr_model_columns(const smr_model *m)
{
    return m->stages[0].params;
}

const smr_stage *smr_model_last(const smr_model *m)
{
    return &m->stages[m->n_stages - 1];
}
